//! Reads the JSON of a file into the types of the glTF library, without parts for which the library would refuse the
//! whole file.

use std::borrow::Cow;

use super::wording;
use crate::forms::{Beside, unmarked};
use gltf::json::animation::{Channel, Interpolation, Sampler};
use gltf::json::extras::Extras;
use gltf::json::validation::Checked;
use gltf::json::{Index, Root};
use rezkit_core::{Budget, Counted, Error, Loss, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The extensions of materials and textures that are read and written.
pub(super) const MATERIALS: [&str; 7] = [
    "KHR_materials_clearcoat",
    "KHR_materials_emissive_strength",
    "KHR_materials_ior",
    "KHR_materials_specular",
    "KHR_materials_transmission",
    "KHR_materials_unlit",
    "KHR_texture_transform",
];

/// The extension of textures whose images are WebP.
pub(super) const WEBP: &str = "EXT_texture_webp";

/// The node of a target that has none.
const NO_NODE: u32 = u32::MAX;

/// Whether the bytes are binary glTF, or a JSON object that mentions `"asset"`, which glTF requires.
pub fn detect(bytes: &[u8]) -> bool {
    let is_object = || unmarked(bytes).trim_ascii_start().starts_with(b"{");
    bytes.starts_with(b"glTF") || is_object() && memchr::memmem::find(bytes, b"\"asset\"").is_some()
}

/// The document of a file, and the buffer in the file, if any. Omitted parts are listed as losses.
///
/// # Errors
/// If this is not glTF 2.0.
pub(super) fn read<'b>(bytes: &'b [u8], losses: &mut Vec<Loss>) -> Result<(Root, Option<Cow<'b, [u8]>>)> {
    let (json, buffer) = match bytes.starts_with(b"glTF") {
        true => glb(bytes, losses)?,
        // A byte order mark is not JSON.
        false => (unmarked(bytes), None),
    };
    let mut root = parse(json)?;
    channels(&mut root, losses);
    attributes(&mut root, losses);
    textures(&mut root, losses);
    unnamed(&root, losses);
    extras(&root, losses);
    Ok((root, buffer.map(Cow::Borrowed)))
}

/// The JSON and the buffer of a binary file, whose lengths are [checked](super::valid::lengths). Other chunks and bytes
/// after the file are listed as losses.
fn glb<'b>(bytes: &'b [u8], losses: &mut Vec<Loss>) -> Result<(&'b [u8], Option<&'b [u8]>)> {
    let word = |bytes: &[u8], at: usize| {
        bytes.get(at..at + 4).map_or(0, |word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
    };
    if word(bytes, 4) != 2 {
        let version = word(bytes, 4);
        let help =
            if version == 1 { ": convert the file to 2.0, for example with gltf-pipeline" } else { "" };
        let text = format!("expected version 2 of binary glTF, found version {version}{help}");
        return Err(Error::unreadable(text));
    }
    let (file, after) = bytes.split_at_checked(word(bytes, 8) as usize).unwrap_or((bytes, &[]));
    let mut rest = file.get(12..).unwrap_or_default();
    let mut chunk = || {
        let (kind, content) = (rest.get(4..8)?, rest.get(8..)?);
        let (content, others) = content.split_at_checked(word(rest, 0) as usize)?;
        rest = others;
        Some((kind, content))
    };
    let json = match chunk() {
        Some((b"JSON", json)) => json,
        found => {
            let kind = String::from_utf8_lossy(found.map_or(&b""[..], |(kind, _)| kind));
            let text = format!(
                "expected JSON as the first chunk of the GLB file, found a chunk of the type {kind:?}"
            );
            return Err(Error::unreadable(text));
        }
    };
    let (mut buffer, mut unknown) = (None, 0);
    while let Some((kind, content)) = chunk() {
        match kind {
            b"BIN\0" if buffer.is_none() && unknown == 0 => buffer = Some(content),
            _ => unknown += content.len() + 8,
        }
    }
    if !rest.is_empty() && buffer.is_none() && unknown == 0 {
        return Err(Error::unreadable("the second chunk of the GLB file extends past the end of the file"));
    }
    for (count, what) in [
        (unknown + rest.len(), "chunks after the JSON and the buffer"),
        (after.len(), "bytes after the length that the GLB header gives, such as a second file"),
    ] {
        if count > 0 {
            losses.push(
                Loss::new("", format!("{what} ({})", Counted::new(count, "bytes"))).id("file.extra-bytes"),
            );
        }
    }
    Ok((json, buffer))
}

/// The JSON of a file that [`read`] accepts, for messages.
pub(super) fn value(bytes: &[u8]) -> Option<Value> {
    let text = match bytes.starts_with(b"glTF") {
        true => glb(bytes, &mut Vec::new()).ok()?.0,
        false => unmarked(bytes),
    };
    serde_json::from_slice(text).ok()
}

fn parse(text: &[u8]) -> Result<Root> {
    let error = match serde_json::from_slice(text) {
        Ok(root) => return Ok(root),
        Err(error) => Error::unreadable(wording::reason(&error)),
    };
    let Ok(mut value) = serde_json::from_slice::<Value>(text) else { return Err(error) };
    // The first version had it as a number, too.
    let version = value.get("asset").and_then(|asset| asset.get("version"));
    let version = version.map(|version| version.as_str().map_or_else(|| version.to_string(), str::to_owned));
    if let Some(version) = version.filter(|version| version.starts_with(['0', '1'])) {
        return Err(wording::too_old(&version));
    }
    let mut found = false;
    // A scene may have no list of nodes, but the library requires one.
    for scene in list(&mut value, "scenes").into_iter().flatten().filter_map(Value::as_object_mut) {
        found |= !scene.contains_key("nodes");
        scene.entry("nodes").or_insert_with(|| Value::Array(Vec::new()));
    }
    // A target may have no node ("the animated object MAY be defined by an extension"), but the library requires one.
    for animation in list(&mut value, "animations").into_iter().flatten() {
        for channel in list(animation, "channels").into_iter().flatten() {
            if let Some(target) = channel.get_mut("target").filter(|target| target.get("node").is_none()) {
                *target = serde_json::json!({"node": NO_NODE, "path": "pointer"});
                found = true;
            }
        }
    }
    if found { recast(&value).map_err(Error::unreadable) } else { Err(error) }
}

/// Converts between types with the same JSON, by way of its text. Another way of reading or writing the types of a
/// document would generate as much code as the rest of glTF.
///
/// # Errors
/// The message, without the position in the text, which the user never sees.
pub(super) fn recast<T: DeserializeOwned>(from: &impl Serialize) -> Result<T, String> {
    let recast = serde_json::to_vec(from).and_then(|text| serde_json::from_slice(&text));
    recast.map_err(|error| wording::what(&error))
}

fn list<'v>(value: &'v mut Value, name: &str) -> Option<&'v mut Vec<Value>> {
    value.get_mut(name)?.as_array_mut()
}

/// Removes channels of properties that nodes do not have, and channels with an unknown interpolation.
fn channels(root: &mut Root, losses: &mut Vec<Loss>) {
    for (at, animation) in root.animations.iter_mut().enumerate() {
        let samplers = &animation.samplers;
        let mut number = 0;
        animation.channels.retain(|channel: &Channel| {
            let sampler = samplers.get(channel.sampler.value());
            let what = match channel.target.path {
                Checked::Invalid if channel.target.node.value() == NO_NODE as usize => {
                    Some("a channel without a node to animate (target.node)")
                }
                Checked::Invalid => {
                    Some("a channel whose target.path is not translation, rotation, scale or weights")
                }
                _ if sampler.is_some_and(|sampler| sampler.interpolation == Checked::Invalid) => {
                    Some("a channel whose interpolation is not LINEAR, STEP or CUBICSPLINE")
                }
                _ => None,
            };
            let path = || format!("animations[{at}].channels[{number}]");
            losses.extend(what.map(|what| Loss::new(path(), what).id("gltf.channels")));
            number += 1;
            what.is_none()
        });
        // These samplers are no longer used.
        let unknown = |sampler: &&mut Sampler| sampler.interpolation == Checked::Invalid;
        let unknown = animation.samplers.iter_mut().filter(unknown);
        unknown.for_each(|sampler| sampler.interpolation = Checked::Valid(Interpolation::Linear));
    }
}

/// Removes attributes whose names are neither in the specification nor allowed for applications.
fn attributes(root: &mut Root, losses: &mut Vec<Loss>) {
    for (at, mesh) in root.meshes.iter_mut().enumerate() {
        for (part, primitive) in mesh.primitives.iter_mut().enumerate() {
            if primitive.attributes.remove(&Checked::Invalid).is_some() {
                let path = format!("meshes[{at}].primitives[{part}]");
                losses.push(Loss::new(
                    path,
                    "vertex attributes with names that glTF does not define (custom names must start with _)",
                ).id("gltf.attributes"));
            }
        }
    }
}

/// Corrects the images of textures, and removes filters of samplers that glTF does not have.
fn textures(root: &mut Root, losses: &mut Vec<Loss>) {
    for (at, texture) in root.textures.iter_mut().enumerate() {
        let extensions = texture.extensions.as_ref();
        let webp = extensions.and_then(|all| all.others.get(WEBP)?.get("source")?.as_u64());
        let Some(webp) = webp.and_then(|index| u32::try_from(index).ok()) else { continue };
        match texture.source.value() == u32::MAX as usize {
            true => texture.source = Index::new(webp),
            false => losses.push(
                Loss::new(
                    format!("textures[{at}].{WEBP}"),
                    "the WebP image, because the texture also has a fallback image, which is used instead",
                )
                .id("gltf.textures"),
            ),
        }
    }
    for (at, sampler) in root.samplers.iter_mut().enumerate() {
        let mut lose = |name: &str| {
            losses.push(
                Loss::new(format!("samplers[{at}].{name}"), "a value that glTF does not define")
                    .id("gltf.textures"),
            );
        };
        if sampler.mag_filter == Some(Checked::Invalid) {
            sampler.mag_filter = None;
            lose("magFilter");
        }
        if sampler.min_filter == Some(Checked::Invalid) {
            sampler.min_filter = None;
            lose("minFilter");
        }
    }
}

/// Lists the names of objects that have no name in a scene, or have there the name of their node.
fn unnamed(root: &Root, losses: &mut Vec<Loss>) {
    let mut of_nodes = std::collections::HashSet::new();
    let lights = root.extensions.as_ref().and_then(|all| all.khr_lights_punctual.as_ref());
    let lights = lights.map_or(&[][..], |all| &all.lights);
    for node in &root.nodes {
        let name = node.name.as_deref();
        of_nodes.extend(node.camera.map(|camera| ("cameras", camera.value(), name)));
        let light = node.extensions.as_ref().and_then(|all| all.khr_lights_punctual.as_ref());
        of_nodes.extend(light.map(|light| ("lights", light.light.value(), name)));
    }
    let textures = root.textures.iter().map(|texture| texture.name.as_deref()).enumerate();
    let samplers = root.samplers.iter().map(|sampler| sampler.name.as_deref()).enumerate();
    let cameras = root.cameras.iter().map(|camera| camera.name.as_deref()).enumerate();
    let lights = lights.iter().map(|light| light.name.as_deref()).enumerate();
    let all = textures.map(|(at, name)| ("textures", at, name));
    let all = all.chain(samplers.map(|(at, name)| ("samplers", at, name)));
    let all = all.chain(cameras.map(|(at, name)| ("cameras", at, name)));
    let all = all.chain(lights.map(|(at, name)| ("lights", at, name)));
    let lost = all.filter(|each| each.2.is_some_and(|name| !name.is_empty()) && !of_nodes.contains(each));
    let lost: Vec<_> = lost.collect();
    for (list, what) in [
        ("textures", "the name of a texture"),
        ("samplers", "the name of a sampler"),
        ("cameras", "the name of a camera, which gets the name of its node instead"),
        ("lights", "the name of a light, which gets the name of its node instead"),
    ] {
        let of_list = lost.iter().filter(|each| each.0 == list);
        lost_of("gltf.names", of_list.map(|(_, at, _)| format!("{list}[{at}].name")), what, losses);
    }
}

/// Lists extras that a scene cannot represent: those of some kinds of objects, and extras that are not JSON objects.
fn extras(root: &Root, losses: &mut Vec<Loss>) {
    fn each<'r, T>(
        list: &'r str,
        all: &'r [T],
        extras: fn(&T) -> &Extras,
    ) -> impl Iterator<Item = (String, &'r Extras)> {
        all.iter().enumerate().map(move |(at, each)| (format!("{list}[{at}]"), extras(each)))
    }
    let has_any = |extras: &Extras| extras.as_ref().is_some_and(|text| !["{}", "null"].contains(&text.get()));
    let is_other =
        |extras: &Extras| has_any(extras) && !extras.as_ref().is_some_and(|text| text.get().starts_with('{'));
    let primitives = each("meshes", &root.meshes, |mesh| &mesh.extras);
    let parts = root.meshes.iter().enumerate().flat_map(|(at, mesh)| {
        mesh.primitives
            .iter()
            .enumerate()
            .map(move |(part, primitive)| (format!("meshes[{at}].primitives[{part}]"), &primitive.extras))
    });
    let kept = primitives.chain(each("nodes", &root.nodes, |node| &node.extras));
    let kept = kept.chain(each("scenes", &root.scenes, |scene| &scene.extras));
    let kept = kept.chain(each("materials", &root.materials, |material| &material.extras));
    let kept = kept.chain(each("animations", &root.animations, |animation| &animation.extras));
    let kept = kept.filter(|(_, extras)| is_other(extras));
    let own = [("".to_owned(), &root.extras), ("asset".to_owned(), &root.asset.extras)];
    let others = own.into_iter().chain(parts);
    let others = others.chain(each("textures", &root.textures, |texture| &texture.extras));
    let others = others.chain(each("images", &root.images, |image| &image.extras));
    let others = others.chain(each("samplers", &root.samplers, |sampler| &sampler.extras));
    let others = others.chain(each("skins", &root.skins, |skin| &skin.extras));
    let others = others.chain(each("cameras", &root.cameras, |camera| &camera.extras));
    let others = others.filter(|(_, extras)| has_any(extras));
    let path_of = |path: String| if path.is_empty() { "extras".to_owned() } else { format!("{path}.extras") };
    lost_of(
        "gltf.extras",
        kept.map(|(path, _)| path_of(path)),
        "only extras that are JSON objects are kept",
        losses,
    );
    let what = "only extras of scenes, nodes, meshes, materials and animations are kept";
    lost_of("gltf.extras", others.map(|(path, _)| path_of(path)), what, losses);
}

/// Lists one loss for all paths, with the path of the first.
fn lost_of(
    id: &'static str,
    mut paths: impl Iterator<Item = String>,
    what: &'static str,
    losses: &mut Vec<Loss>,
) {
    let Some(first) = paths.next() else { return };
    let mut loss = Loss::new(first, what).id(id);
    loss.count += paths.count();
    losses.push(loss);
}

/// The part of a data URI after its scheme; `None` for another URI.
fn data_uri(uri: &str) -> Option<&str> {
    let (scheme, rest) = uri.split_at_checked(5)?;
    scheme.eq_ignore_ascii_case("data:").then_some(rest)
}

/// Whether the URI contains the data itself.
pub(super) fn is_data(uri: &str) -> bool {
    data_uri(uri).is_some()
}

/// The content of a data URI, or of the file that a URI names.
pub(super) fn data_of(uri: &str, budget: &Budget, resolve: &mut Beside<'_>) -> Result<Option<Vec<u8>>> {
    match data_uri(uri) {
        Some(data) => Ok(decoded(data)),
        None => resolve(&unescaped(uri), budget.left()),
    }
}

/// The content of a data URI without its scheme.
fn decoded(data: &str) -> Option<Vec<u8>> {
    let (kind, text) = data.split_once(',')?;
    let is_base64 = kind.rsplit_once(';').is_some_and(|(_, last)| last.eq_ignore_ascii_case("base64"));
    if !is_base64 {
        return Some(without_escapes(text));
    }
    use base64::Engine as _;
    let decode = |text: &[u8]| base64::engine::general_purpose::STANDARD.decode(text).ok();
    if !text.bytes().any(|byte| byte == b'%' || byte.is_ascii_whitespace()) {
        return decode(text.as_bytes());
    }
    let mut text = without_escapes(text);
    text.retain(|byte| !byte.is_ascii_whitespace());
    decode(&text)
}

/// The path of a URI with its escapes (`%20`) decoded.
pub(super) fn unescaped(uri: &str) -> String {
    String::from_utf8_lossy(&without_escapes(uri)).into_owned()
}

fn without_escapes(uri: &str) -> Vec<u8> {
    let bytes = uri.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let code = uri.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match code.filter(|_| byte == b'%') {
            Some(code) => {
                plain.push(code);
                at += 3;
            }
            None => {
                plain.push(byte);
                at += 1;
            }
        }
    }
    plain
}
