//! One walk over all pairs of formats. Whatever a file or a scene becomes, and whatever that becomes:
//!
//! * each feature of a scene has the same value afterwards (geometry, in place; materials; motion), or a listed loss names
//!   it; a form loses only features that its writer does not declare;
//! * each value of a document is the same afterwards, or a listed loss has its path;
//! * a file that is converted into its own form is the same, byte for byte, if its kind is preserved exactly;
//! * what was written is read again, a refusal says what is wrong, and nothing panics.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use geom::{Rgba8, TriMesh};
use rezkit::scene::{
    Alpha, Animation, Camera, Channel, Clearcoat, Feature, Filter, Image, ImageData, Interpolation, Light,
    LightKind, Material, Mesh, MorphTarget, Node, Primitive, Sampler, Scene, SceneOptions, Skin, Texture,
    Transform, UvTransform, Values, Wrap, images,
};
use rezkit::{
    ConvertOptions, FILE_TYPES, File, FileType, Fill, Grade, Loss, Opened, ReadOptions, Reference, tree,
};

use super::compared::{Has, value};
use super::writer;
use super::xml::{document, field, item};

/// A tetrahedron with numbers that every format can represent exactly.
fn solid() -> TriMesh {
    crate::tetrahedron(2.0)
}

/// A mesh at the origin, with a default material.
fn plain() -> Scene {
    let mut scene = Scene::default();
    scene.materials.push(Material { name: "paint".into(), ..Material::default() });
    let pixels = images::Picture::from_fn(2, 2, |x, y| [255 * x as u8, 255 * y as u8, 128, 255]);
    scene.images.push(Image { name: "image".into(), data: ImageData::Bytes(images::png(&pixels).unwrap()) });
    crate::add_mesh(&mut scene, "part", solid());
    scene.meshes[0].primitives[0].material = Some(0);
    scene
}

fn mesh_of(scene: &mut Scene, mesh: usize) -> &mut TriMesh {
    Arc::make_mut(&mut scene.meshes[mesh].primitives[0].mesh)
}

/// Adds a skeleton at the origin with joints of Second Life, and makes the mesh follow them.
fn skinned(scene: &mut Scene, mesh: usize, joints: Option<[usize; 2]>) {
    let [hip, chest] = joints.unwrap_or_else(|| {
        let hip = crate::add_node(scene, None, "mPelvis");
        let transform = Transform::from_translation([0.0, 1.0, 0.0]);
        let chest = Node { name: "mTorso".into(), transform, ..Node::default() };
        [hip, scene.add_node(Some(hip), chest)]
    });
    let inverse = |y: f32| Transform::from_translation([0.0, -y, 0.0]).matrix();
    scene.skins.push(Skin {
        joints: vec![hip, chest],
        inverse_bind: vec![inverse(0.0), inverse(1.0)],
        ..Skin::default()
    });
    let skin = scene.skins.len() - 1;
    scene.nodes.iter_mut().filter(|node| node.mesh == Some(mesh)).for_each(|node| node.skin = Some(skin));
    let columns = mesh_of(scene, mesh);
    columns.joints = vec![[0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]];
    columns.weights =
        vec![[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]];
}

fn moving(scene: &mut Scene, node: usize, values: Values) {
    let interpolation = Interpolation::Linear;
    let channels = vec![Channel { node, times: vec![0.0, 1.0], values, interpolation }];
    scene.animations.push(Animation { name: "move".into(), channels, ..Animation::default() });
}

fn morphing(scene: &mut Scene) {
    let positions = vec![[0.0, 1.0, 0.0].into(); 4];
    scene.meshes[0].primitives[0].targets = vec![MorphTarget { positions, ..MorphTarget::default() }];
    scene.meshes[0].weights = vec![0.5];
}

/// The plain scene with one more feature, and everything that the feature requires.
fn with(feature: Feature) -> Scene {
    let mut scene = plain();
    add(&mut scene, feature);
    scene
}

/// Adds a feature, and everything that it requires.
fn add(scene: &mut Scene, feature: Feature) {
    match feature {
        Feature::Size => scene.nodes[0].transform.translation = [1.0, 2.0, 4.0],
        Feature::Nodes => {
            let transform = Transform::from_translation([8.0, 0.0, 0.0]);
            scene.add_node(None, Node { name: "second".into(), mesh: Some(0), transform, ..Node::default() });
        }
        Feature::Hidden => {
            let mesh = scene
                .add_mesh(Mesh { primitives: vec![Primitive::new(solid(), Some(0))], ..Mesh::default() });
            scene.add_node(None, Node { mesh: Some(mesh), hidden: true, ..Node::default() });
        }
        Feature::Lights => {
            let light = Light { kind: LightKind::Point, color: [1.0; 3], intensity: 2.0, range: None };
            scene.add_node(None, Node { light: Some(light), ..Node::default() });
        }
        Feature::Cameras => {
            let camera = Camera { yfov: 1.0, znear: 0.5, zfar: None, aspect: None };
            scene.add_node(None, Node { camera: Some(camera), ..Node::default() });
        }
        Feature::Morphs => morphing(scene),
        Feature::Skins => skinned(scene, 0, None),
        Feature::SeveralSkins => {
            skinned(scene, 0, None);
            let mesh = scene
                .add_mesh(Mesh { primitives: vec![Primitive::new(solid(), Some(0))], ..Mesh::default() });
            scene.add_node(None, Node { name: "second".into(), mesh: Some(mesh), ..Node::default() });
            // The same joints in the other order, so that the skins differ.
            skinned(scene, mesh, Some([1, 2]));
            scene.skins[1].joints.reverse();
            scene.skins[1].inverse_bind.reverse();
            let columns = mesh_of(scene, mesh);
            columns.joints = vec![[1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]];
        }
        Feature::JointAnimations => {
            skinned(scene, 0, None);
            let half_turn = [1.0, 0.0, 0.0, 0.0];
            moving(scene, 2, Values::Rotation(vec![[0.0, 0.0, 0.0, 1.0], half_turn]));
        }
        Feature::NodeAnimations => moving(scene, 0, Values::Translation(vec![[0.0; 3], [1.0; 3]])),
        Feature::WeightAnimations => {
            morphing(scene);
            moving(scene, 0, Values::Weights(vec![0.0, 1.0]));
        }
        Feature::Normals => {
            // These normals differ from those of the triangles.
            mesh_of(scene, 0).normals = vec![[0.0, 0.6, 0.8].into(); 4];
        }
        Feature::Tangents => {
            let columns = mesh_of(scene, 0);
            columns.normals = vec![[0.0, 0.0, 1.0].into(); 4];
            columns.tangents = vec![[1.0, 0.0, 0.0, -1.0].into(); 4];
        }
        Feature::Uvs => {
            mesh_of(scene, 0).uvs = (0..4_u8).map(|n| [f32::from(n) / 4.0, 0.25].into()).collect()
        }
        Feature::MoreUvs => {
            mesh_of(scene, 0).uvs = vec![[0.5, 0.5].into(); 4];
            scene.meshes[0].primitives[0].more_uvs = vec![vec![[0.25, 0.75].into(); 4]];
        }
        Feature::Colors => mesh_of(scene, 0).colors = vec![Rgba8::new(255, 128, 64, 255).to_linear(); 4],
        Feature::ColorAlpha => mesh_of(scene, 0).colors = vec![Rgba8::new(255, 128, 64, 128).to_linear(); 4],
        Feature::TextureSet => {
            scene.materials[0].base_texture = Some(Texture { set: 1, ..Texture::default() });
            mesh_of(scene, 0).uvs = vec![[0.5, 0.5].into(); 4];
            scene.meshes[0].primitives[0].more_uvs = vec![vec![[0.25, 0.75].into(); 4]];
        }
        Feature::Extras => _ = scene.nodes[0].extras.insert("key".into(), "value".into()),
        Feature::Copyright => scene.copyright = "its maker".into(),
        _ => add_to(&mut scene.materials[0], feature),
    }
}

/// Adds a feature of materials.
fn add_to(material: &mut Material, feature: Feature) {
    let (image, default) = (Texture::new(0), Texture::default());
    match feature {
        Feature::Materials | Feature::BaseColor => material.base_color = [0.5, 0.25, 1.0, 1.0],
        Feature::BaseTexture => material.base_texture = Some(image),
        Feature::Metallic => material.metallic = 0.5,
        Feature::Roughness => material.roughness = 0.5,
        Feature::MetallicRoughnessTexture => {
            (material.metallic, material.metallic_roughness_texture) = (1.0, Some(image));
        }
        Feature::NormalTexture => material.normal_texture = Some(image),
        Feature::NormalScale => (material.normal_texture, material.normal_scale) = (Some(image), 0.5),
        Feature::OcclusionTexture => material.occlusion_texture = Some(image),
        Feature::OcclusionStrength => {
            (material.occlusion_texture, material.occlusion_strength) = (Some(image), 0.5);
        }
        Feature::Emissive => material.emissive = [1.0, 0.5, 0.0],
        Feature::EmissiveTexture => (material.emissive_texture, material.emissive) = (Some(image), [1.0; 3]),
        Feature::EmissiveStrength => (material.emissive, material.emissive_strength) = ([1.0; 3], 4.0),
        Feature::AlphaTexture => (material.base_texture, material.alpha) = (Some(image), Alpha::Blend),
        Feature::AlphaMode => material.alpha = Alpha::Mask(0.25),
        Feature::DoubleSided => material.double_sided = true,
        Feature::Unlit => material.unlit = true,
        Feature::Ior => material.ior = Some(1.25),
        Feature::Transmission => material.transmission = Some(0.5),
        Feature::Specular => material.specular = Some([0.5, 0.5, 0.5, 1.0]),
        Feature::Clearcoat => material.clearcoat = Some(Clearcoat { factor: 0.5, ..Clearcoat::default() }),
        Feature::TextureTransform => {
            let transform = UvTransform { scale: [2.0, 4.0], ..UvTransform::default() };
            material.base_texture = Some(Texture { transform, ..default });
        }
        Feature::Wrapping => {
            let sampler = Sampler { wrap: [Wrap::Mirror, Wrap::Clamp], ..Sampler::default() };
            material.base_texture = Some(Texture { sampler, ..default });
        }
        Feature::Filters => {
            let sampler = Sampler { mag: Some(Filter::Nearest), ..Sampler::default() };
            material.base_texture = Some(Texture { sampler, ..default });
        }
        _ => unreachable!("a feature without a scene: {feature:?}"),
    }
}

/// Opens a file that was written, together with the files beside it.
fn read(name: &str, bytes: Vec<u8>, others: Vec<File>) -> Opened<'static> {
    let others: BTreeMap<String, Vec<u8>> =
        others.into_iter().map(|file| (file.path().to_owned(), file.bytes)).collect();
    let beside = move |reference: &Reference, _: u64| match reference {
        Reference::Beside(name) => Ok(others.get(name).cloned()),
        _ => Ok(None),
    };
    // JSON without a type of its own is LLSD only if it is asked for.
    let options = if name.ends_with(".json") { ReadOptions::new().form("json") } else { ReadOptions::new() };
    let opened = options.open(bytes, name, beside);
    opened.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Opens the files of a conversion.
fn made(mut files: Vec<File>) -> Opened<'static> {
    let first = files.remove(0);
    let name = first.path().to_owned();
    read(&name, first.bytes, files)
}

/// Writes a scene and reads it again; returns the writer's losses as well.
fn through(form: &FileType, scene: &Scene) -> (Scene, Vec<Loss>) {
    let written = writer(form.name).write(scene, "a", 1 << 30);
    let written = written.unwrap_or_else(|error| panic!("{}: {error}", form.name));
    let mut opened = read(&format!("a.{}", form.name), written.bytes, written.files);
    (opened.scene(&SceneOptions::default()).unwrap().0, written.losses)
}

/// The forms that scenes with meshes are written in. Motions only have joints; tests/all/secondlife.rs tests them.
fn forms() -> impl Iterator<Item = &'static FileType> {
    FILE_TYPES.iter().filter(|kind| kind.is_read() && kind.writer.is_some_and(|writer| writer.has_meshes))
}

fn is_listed(losses: &[Loss], feature: Feature) -> bool {
    losses.iter().any(|loss| loss.features.contains(&feature.title()))
}

/// The features of a scene that are not the same in another one, and for which no loss is listed.
fn lost(before: &Scene, after: &Scene, losses: &[Loss]) -> Vec<String> {
    let placed = !is_listed(losses, Feature::Size);
    let features = before.features().into_keys().filter(|feature| !is_listed(losses, *feature));
    let differ = features.filter_map(|feature| {
        let [before, after] = [before, after].map(|scene| value(scene, feature, placed));
        let [was, is] =
            [&before, &after].map(|has: &Has| format!("{has:?}").chars().take(200).collect::<String>());
        (before != after).then(|| format!("{} {was} becomes {is}, {losses:?}", feature.title()))
    });
    differ.collect()
}

/// A scene with each feature, and what each form that keeps the feature makes of it, is written in every form: exactly
/// the declared features are kept, and all others are listed.
#[test]
fn what_is_listed_as_lost_is_what_is_lost() {
    let mut wrong = Vec::new();
    for &feature in Feature::ALL {
        let scene = with(feature);
        assert!(scene.features().contains_key(&feature), "{feature:?}");
        let keeps = |form: &FileType| writer(form.name).keeps.contains(&feature);
        let made = forms().filter(|form| keeps(form)).map(|form| (form.name, through(form, &scene).0));
        let made: Vec<_> = made.filter(|(_, scene)| scene.features().contains_key(&feature)).collect();
        for (from, scene) in [("a scene", scene)].into_iter().chain(made) {
            for to in forms() {
                let (back, losses) = through(to, &scene);
                let same = value(&scene, feature, true) == value(&back, feature, true);
                let listed = is_listed(&losses, feature);
                if !same && !listed || (same && !listed) != keeps(to) {
                    wrong.push(format!("{feature:?} from {from} to {}: same: {same}, {losses:?}", to.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Pairs of features of one material: a form that keeps each feature alone may lose one of the pair, but must list it.
#[test]
fn pairs_of_features_of_a_material_are_kept_or_listed() {
    let of_materials = |feature: &&Feature| (Feature::BaseColor..=Feature::Filters).contains(*feature);
    let all: Vec<Feature> = Feature::ALL.iter().filter(of_materials).copied().collect();
    let mut wrong = Vec::new();
    // The other forms have the same writer as one of these.
    for form in forms().filter(|form| ["glb", "obj", "m3d", "llmesh"].contains(&form.name)) {
        for (at, &first) in all.iter().enumerate() {
            for &second in &all[at + 1..] {
                let mut scene = with(first);
                add(&mut scene, second);
                let (back, losses) = through(form, &scene);
                let lost = lost(&scene, &back, &losses);
                wrong.extend(
                    lost.iter().map(|what| format!("{first:?} and {second:?} in {}: {what}", form.name)),
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The readable fixtures of a format.
fn fixtures(format: &str) -> impl Iterator<Item = (String, Opened<'static>)> {
    testkit::fixtures(format).into_iter().filter_map(|sample| {
        let name = sample.name.rsplit('/').next().unwrap_or_default().to_owned();
        Some((sample.name, rezkit::open(sample.bytes, &name, ()).ok()?))
    })
}

/// Whether all files are tried, including large ones; this takes minutes.
fn is_whole() -> bool {
    std::env::var_os("REZKIT_CORPUS").is_some_and(|value| value == "all")
}

/// The readable real files, with the files in their folders: one of nine small files, or all files with
/// `REZKIT_CORPUS=all`. `CORPUS` names another folder, with a subfolder for each format.
fn real(format: &'static str) -> impl Iterator<Item = (String, Opened<'static>)> {
    let all = is_whole();
    let files = testkit::corpus(format).into_iter().filter(move |sample| all || sample.bytes.len() < 8_000);
    files.step_by(if all { 1 } else { 9 }).filter_map(|sample| {
        let name = sample.name.rsplit('/').next().unwrap_or_default().to_owned();
        let folder = testkit::corpus_folder(format).join(&sample.name).parent().map(Path::to_owned);
        let beside = move |reference: &Reference, _: u64| match reference {
            Reference::Beside(name) => Ok(std::fs::read(folder.as_ref().unwrap().join(name)).ok()),
            _ => Ok(None),
        };
        Some((sample.name, ReadOptions::new().open(sample.bytes, &name, beside).ok()?))
    })
}

/// Names of values that describe how a form stores the same content.
const OWN: [&str; 4] = ["version", "layout", "wrapping", "header"];

/// The names in a path, without indices.
fn names(path: &str) -> BTreeSet<&str> {
    let parts = path.split(|c: char| !c.is_alphanumeric() && c != '_');
    parts.filter(|part| part.chars().any(char::is_alphabetic)).collect()
}

/// Other values that change with the listed one: the indices of faces, or the faces of a level, and their vertices.
const ALONG: [(&str, &[&str]); 2] = [("faces", &["vertices"]), ("lods", &["faces", "vertices"])];

/// The differences between two assets whose paths have no name in common with the path of a loss.
fn differences(before: &Opened<'_>, after: &Opened<'_>, losses: &[Loss]) -> Vec<String> {
    let mut found = Vec::new();
    if !before.equals(after) {
        let mut add = |change: tree::Change| {
            let path = names(&change.path);
            let is_listed = losses.iter().any(|loss| {
                let own = names(&loss.path);
                let along = ALONG.iter().filter(|(name, _)| own.contains(name)).flat_map(|(_, along)| *along);
                !own.is_disjoint(&path) || along.into_iter().any(|name| path.contains(name))
            });
            if !is_listed && !OWN.iter().any(|own| change.path.contains(own)) {
                found.push(format!("{}: {:.100?} becomes {:.100?}", change.path, change.old, change.new));
            }
        };
        tree::diff(&*before.tree(), &*after.tree(), &mut crate::budget(), &mut add).unwrap();
    }
    found
}

/// Converts each file into everything that it can become. Returns what was lost, and the number of conversions.
fn walk(files: impl Iterator<Item = (String, Opened<'static>)>) -> (Vec<String>, usize) {
    let options = ConvertOptions::new().allow_loss(true).fill(Fill::Defaults);
    let (mut wrong, mut seen, mut tried) = (Vec::new(), Vec::<Scene>::new(), 0);
    for (name, mut opened) in files {
        let scene = opened.scene(&SceneOptions::default()).ok().map(|(scene, _)| scene);
        // Many files only differ in the storage of numbers, and a few large ones have most of the triangles.
        let scene = scene.filter(|scene| {
            let count = scene.triangle_count();
            count > 0 && (count <= 5_000 || is_whole()) && !seen.contains(scene)
        });
        // Some assets of Second Life are named like uploads.
        let own = if opened.info().version == "asset" {
            "llmesh"
        } else {
            name.rsplit('.').next().unwrap_or_default()
        };
        let is_read =
            |extension| FILE_TYPES.iter().any(|kind| kind.is_read() && kind.extensions.contains(&extension));
        for target in opened.targets().into_iter().filter(|target| is_read(target.extension)) {
            let output = opened.convert(Some(target.name), &format!("a.{}", target.extension), &options);
            // A refusal reports the loss.
            let Ok(output) = output else { continue };
            let (mut again, mut losses) = (made(output.files), output.losses);
            let found = match (&scene, target.by_scene) {
                (Some(scene), true)
                    if !["anim", "bvh", "material", "rbxm", "rbxmx"].contains(&target.name) =>
                {
                    let (after, _) = again.scene(&SceneOptions::default()).unwrap();
                    lost(scene, &after, &losses)
                }
                (_, true) => continue,
                // A document in another format is compared after it was converted back.
                (_, false) => {
                    if again.info().format != opened.info().format || own == "llmesh" || own == "slm" {
                        let Ok(back) = again.convert(None, &format!("b.{own}"), &options) else { continue };
                        losses.extend(back.losses);
                        again = made(back.files);
                    }
                    differences(&opened, &again, &losses)
                }
            };
            tried += 1;
            wrong.extend(found.iter().map(|what| format!("{name} to {}: {what:.400}", target.name)));
        }
        seen.extend(scene);
    }
    (wrong, tried)
}

/// Every fixture comes back with the grade of its manifest, and becomes everything that it can become.
#[test]
fn fixtures_are_kept_or_listed() {
    let exact = FILE_TYPES.iter().filter(|kind| kind.is_exact);
    let (mut wrong, mut graded, mut tried) = (Vec::new(), 0, 0);
    for format in exact.map(|kind| kind.format).collect::<BTreeSet<_>>() {
        let manifest = String::from_utf8(testkit::fixture(format, "manifest.tsv")).expect("UTF-8");
        for testkit::Sample { name, bytes } in testkit::fixtures(format) {
            let mut fields = manifest.lines().map(|line| line.split('\t').collect::<Vec<_>>());
            let entry = fields.find(|fields| fields.get(1) == Some(&&*name));
            let wanted: Grade = entry.expect(&name)[0].parse().expect("a known grade");
            let report = rezkit::roundtrip(&bytes);
            // A broken file may already be refused because of its first bytes.
            let refused = report.grade == Grade::Unknown && wanted == Grade::Failed;
            assert!(refused || report.grade == wanted, "{format}/{name}: {report:?}, not {wanted}");
            graded += 1;
        }
        let (lost, count) = walk(fixtures(format));
        wrong.extend(lost);
        tried += count;
    }
    assert!(graded > 200 && tried > 700, "{graded} fixtures, {tried} conversions");
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn real_files_are_kept_or_listed() {
    let formats = ["rbxmesh", "slmesh", "m3d", "rbxbinary", "rbxxml", "gltf", "obj", "ply", "stl"];
    let (wrong, tried) = walk(formats.into_iter().flat_map(real));
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn nan_equals_itself_and_zero_has_a_sign() {
    let text = |x: &str| {
        let face = format!("[{x},0,0][0,0,1][0,0,0][1,0,0][0,0,1][0,0,0][0,1,0][0,0,1][0,0,0]");
        crate::open(format!("version 1.01\n1\n{face}"), "a.mesh")
    };
    let equal = |a: &str, b: &str| text(a).equals(&text(b));
    assert!(equal("nan", "nan") && equal("0", "0"));
    assert!(!equal("0", "-0") && !equal("nan", "0"));
}

/// The median of the pixels of a scene whose materials ignore light: the colour itself, sRGB.
fn drawn(mut scene: Scene) -> [u8; 4] {
    scene.materials.push(Material::default());
    let last = scene.materials.len() - 1;
    for primitive in scene.primitives_mut() {
        primitive.material.get_or_insert(last);
    }
    scene.materials.iter_mut().for_each(|material| material.unlit = true);
    let mut options = rezkit::render::RenderOptions::default();
    options.background = [0; 4];
    let picture = rezkit::render::Renderer::new(&scene, 1 << 30).unwrap().draw(&options).unwrap();
    let mut pixels: Vec<_> = picture.pixels().iter().filter(|[.., alpha]| *alpha == 255).copied().collect();
    pixels.sort_unstable();
    pixels[pixels.len() / 2]
}

/// glTF stores linear colours; those of MTL files are linear as well, as Blender writes and reads them; all others are
/// sRGB. 128 of 255 is 0.215861 (IEC 61966-2-1).
#[test]
fn one_grey_looks_the_same_in_every_form() {
    let grey = [128, 128, 128, 255];
    let obj = |color: &str, usemtl: &str| {
        let corners =
            ["0 0 0", "2 0 0", "0 2 0", "0 0 2"].map(|corner| format!("v {corner}{color}\n")).concat();
        format!("mtllib a.mtl\n{corners}{usemtl}f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    };
    let ply = |kind: &str, value: &str| {
        let corners =
            ["0 0 0", "2 0 0", "0 2 0", "0 0 2"].map(|at| format!("{at} {value} {value} {value}\n")).concat();
        let colors = ["red", "green", "blue"].map(|name| format!("property {kind} {name}\n")).concat();
        format!(
            "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
             {colors}element face 4\nproperty list uchar int vertex_indices\nend_header\n\
             {corners}3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n"
        )
    };
    let a3d = |color: &str, material: &str| {
        let corners = ["0 0 0", "1 0 0", "0 1 0", "0 0 1"].map(|at| format!("{at} 1{color}\n")).concat();
        format!(
            "3dmodel 1\na\n\n\n\nVertex\n{corners}\nMaterial m\n{material}\n\n\
             Mesh\nuse m\n0 2 1\n0 1 3\n0 3 2\n1 2 3\n\nEnd\n"
        )
    };
    let part = document(&item("Part", "Part", &field("Color3uint8", "Color3uint8", 0xff_80_80_80_u32), ""));
    let gltf = |color: &str| {
        let corners = [[0.0_f32, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]].as_flattened().iter();
        let mut bytes: Vec<u8> = corners.flat_map(|number| number.to_le_bytes()).collect();
        bytes.extend([55, 55, 55, 255].repeat(3));
        let data = crate::xml::base64(bytes);
        format!(
            r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":
            [{{"material":0,"attributes":{{"POSITION":0{color}}}}}]}}],"materials":[{{"pbrMetallicRoughness":
            {{"baseColorFactor":[{0},{0},{0},1]}}}}],"buffers":[{{"byteLength":48,"uri":"data:;base64,{data}"}}],
            "bufferViews":[{{"buffer":0,"byteLength":36}},{{"buffer":0,"byteOffset":36,"byteLength":12}}],"accessors":
            [{{"bufferView":0,"componentType":5126,"type":"VEC3","count":3,"min":[0,0,0],"max":[2,2,0]}},
            {{"bufferView":1,"componentType":5121,"normalized":true,"type":"VEC4","count":3}}]}}"#,
            if color.is_empty() { "0.215861" } else { "1" }
        )
    };
    let files = [
        ("a.obj", obj(" 0.501961 0.501961 0.501961", "")),
        ("b.obj", obj("", "usemtl m\n")),
        ("a.ply", ply("uchar", "128")),
        ("b.ply", ply("float", "0.501961")),
        ("a.a3d", a3d(" #ff808080", "Pr 1")),
        ("b.a3d", a3d("", "Kd #ff808080")),
        ("a.rbxmx", String::from_utf8(part).unwrap()),
        ("a.gltf", gltf(",\"COLOR_0\":1")),
        ("b.gltf", gltf("")),
    ];
    let mut library = |_: &Reference, _: u64| Ok(Some(b"newmtl m\nKd 0.215861 0.215861 0.215861\n".to_vec()));
    for (name, text) in files {
        let (scene, losses) =
            super::scene_of(text.as_bytes(), name, &Default::default(), &mut library).unwrap();
        assert_eq!(drawn(scene), grey, "{name}: {losses:?}");
    }
    // A header of 12 bytes, four vertices of 40 bytes, four faces of 12.
    let mut bytes = b"version 2.00\n\x0c\x00\x28\x0c\x04\0\0\0\x04\0\0\0".to_vec();
    for position in &solid().positions {
        let numbers = position.to_array().into_iter().chain([0.0, 0.0, 1.0, 0.0, 0.0]);
        bytes.extend(numbers.flat_map(f32::to_le_bytes).chain([127, 127, 127, 127]).chain(grey));
    }
    bytes.extend(solid().triangles.as_flattened().iter().flat_map(|index| index.to_le_bytes()));
    let (of_mesh, _) = crate::scene(&bytes, "a.mesh");
    assert_eq!(drawn(of_mesh), grey, "a.mesh");
    let linear = Rgba8::new(128, 128, 128, 255).to_linear();
    let [mut of_vertices, mut of_materials] = [plain(), plain()];
    mesh_of(&mut of_vertices, 0).colors = vec![linear; 4];
    of_materials.materials[0].base_color = linear.to_unit();
    for form in forms() {
        for (feature, scene) in [(Feature::Colors, &of_vertices), (Feature::BaseColor, &of_materials)] {
            if writer(form.name).keeps.contains(&feature) {
                assert_eq!(drawn(through(form, scene).0), grey, "{feature:?} in {}", form.name);
            }
        }
    }
}
