//! The JSON of a file as the library has it: without what the library refuses the whole file for.

use std::borrow::Cow;

use gltf::json::animation::{Channel, Interpolation, Sampler};
use gltf::json::validation::Checked;
use gltf::json::{Index, Root};
use rezkit_core::{Error, Loss, Result};
use serde_json::Value;

/// The extension of textures whose images are WebP.
pub(super) const WEBP: &str = "EXT_texture_webp";

/// The document of a file and the buffer that is in it. What is left out is listed.
///
/// # Errors
/// Where this is not glTF 2.0.
pub(super) fn read(bytes: &[u8], losses: &mut Vec<Loss>) -> Result<(Root, Option<Vec<u8>>)> {
    let (json, buffer) = match bytes.starts_with(b"glTF") {
        true => {
            let glb = gltf::binary::Glb::from_slice(bytes).map_err(Error::unreadable)?;
            (glb.json, glb.bin.map(Cow::into_owned))
        }
        // A byte order mark is no JSON.
        false => (Cow::Borrowed(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)), None),
    };
    let mut root = parse(&json)?;
    channels(&mut root, losses);
    attributes(&mut root, losses);
    textures(&mut root, losses);
    Ok((root, buffer))
}

fn parse(text: &[u8]) -> Result<Root> {
    let error = match serde_json::from_slice(text) {
        Ok(root) => return Ok(root),
        Err(error) => Error::unreadable(error),
    };
    let Ok(mut value) = serde_json::from_slice::<Value>(text) else { return Err(error) };
    let version = value.get("asset").and_then(|asset| asset.get("version")?.as_str());
    if let Some(version) = version.filter(|version| version.starts_with(['0', '1'])) {
        return Err(Error::unreadable(format!(
            "version {version}: only 2.0 is supported; gltf-pipeline writes the file as that"
        )));
    }
    // "When undefined, the animated object MAY be defined by an extension." The library demands a node.
    let mut found = false;
    for animation in list(&mut value, "animations").into_iter().flatten() {
        for channel in list(animation, "channels").into_iter().flatten() {
            if let Some(target) = channel.get_mut("target").filter(|target| target.get("node").is_none()) {
                *target = serde_json::json!({"node": 0, "path": "pointer"});
                found = true;
            }
        }
    }
    if found { serde_json::from_value(value).map_err(Error::unreadable) } else { Err(error) }
}

fn list<'v>(value: &'v mut Value, name: &str) -> Option<&'v mut Vec<Value>> {
    value.get_mut(name)?.as_array_mut()
}

/// Channels of properties that nodes do not have, and of no known interpolation.
fn channels(root: &mut Root, losses: &mut Vec<Loss>) {
    for (at, animation) in root.animations.iter_mut().enumerate() {
        let samplers = &animation.samplers;
        let mut number = 0;
        animation.channels.retain(|channel: &Channel| {
            let sampler = samplers.get(channel.sampler.value());
            let what = match channel.target.path {
                Checked::Invalid => Some("of no property of nodes: left out"),
                _ if sampler.is_some_and(|sampler| sampler.interpolation == Checked::Invalid) => {
                    Some("of an unknown interpolation: left out")
                }
                _ => None,
            };
            let path = || format!("animations[{at}].channels[{number}]");
            losses.extend(what.map(|what| Loss::new(path(), what)));
            number += 1;
            what.is_none()
        });
        // Nothing uses these any longer.
        let unknown = |sampler: &&mut Sampler| sampler.interpolation == Checked::Invalid;
        let unknown = animation.samplers.iter_mut().filter(unknown);
        unknown.for_each(|sampler| sampler.interpolation = Checked::Valid(Interpolation::Linear));
    }
}

/// Attributes whose names neither the specification has nor an application may give.
fn attributes(root: &mut Root, losses: &mut Vec<Loss>) {
    for (at, mesh) in root.meshes.iter_mut().enumerate() {
        for (part, primitive) in mesh.primitives.iter_mut().enumerate() {
            if primitive.attributes.remove(&Checked::Invalid).is_some() {
                let path = format!("meshes[{at}].primitives[{part}]");
                losses.push(Loss::new(path, "attributes of unknown names: left out"));
            }
        }
    }
}

/// The images of textures, and filters of samplers that do not exist.
fn textures(root: &mut Root, losses: &mut Vec<Loss>) {
    for (at, texture) in root.textures.iter_mut().enumerate() {
        let extensions = texture.extensions.as_ref();
        let webp = extensions.and_then(|all| all.others.get(WEBP)?.get("source")?.as_u64());
        let Some(webp) = webp.and_then(|index| u32::try_from(index).ok()) else { continue };
        match texture.source.value() == u32::MAX as usize {
            true => texture.source = Index::new(webp),
            false => losses.push(Loss::new(
                format!("textures[{at}].{WEBP}"),
                "left out: the texture has an image of another kind, too",
            )),
        }
    }
    for (at, sampler) in root.samplers.iter_mut().enumerate() {
        let is_wrong =
            (sampler.mag_filter == Some(Checked::Invalid), sampler.min_filter == Some(Checked::Invalid));
        if is_wrong.0 {
            sampler.mag_filter = None;
        }
        if is_wrong.1 {
            sampler.min_filter = None;
        }
        if is_wrong.0 || is_wrong.1 {
            losses.push(Loss::new(format!("samplers[{at}]"), "an unknown filter: left out"));
        }
    }
}
