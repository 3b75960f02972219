//! Checks for each feature of scenes and each form that exactly the listed losses occur, so that the table of
//! `rezkit docs --conversions` is true.

#![cfg(feature = "scene")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "tests")]

use std::collections::BTreeMap;
use std::sync::Arc;

use geom::TriMesh;
use rezkit::scene::{
    Alpha, Animation, Camera, Channel, Clearcoat, Feature, Filter, Image, ImageData, Interpolation, Light,
    LightKind, Material, Mesh, Node, Primitive, Sampler, Scene, Skin, Target, Texture, Transform,
    UvTransform, Values, Wrap, images,
};
use rezkit::{KINDS, Kind, LossKind, Reference};

use super::compared::value;
use super::{scene_of, writer};

/// A tetrahedron with numbers that every format can represent exactly.
fn solid() -> TriMesh {
    let corners: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]];
    TriMesh {
        positions: corners.map(Into::into).to_vec(),
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        ..TriMesh::default()
    }
}

/// A mesh at the origin, with a default material.
fn plain() -> Scene {
    let mut scene = Scene::default();
    scene.materials.push(Material { name: "paint".into(), ..Material::default() });
    let pixels =
        rezkit::scene::images::Picture::from_fn(2, 2, |x, y| [255 * x as u8, 255 * y as u8, 128, 255]);
    scene.images.push(Image { name: "image".into(), data: ImageData::Bytes(images::png(&pixels).unwrap()) });
    let mesh = scene.add_mesh(Mesh { primitives: vec![Primitive::new(solid(), Some(0))], ..Mesh::default() });
    scene.add_node(None, Node { name: "part".into(), mesh: Some(mesh), ..Node::default() });
    scene
}

fn mesh_of(scene: &mut Scene, mesh: usize) -> &mut TriMesh {
    Arc::make_mut(&mut scene.meshes[mesh].primitives[0].mesh)
}

/// Adds a skeleton at the origin with joints of Second Life, and makes the mesh follow them.
fn skinned(scene: &mut Scene, mesh: usize, joints: Option<[usize; 2]>) {
    let [hip, chest] = joints.unwrap_or_else(|| {
        let hip = scene.add_node(None, Node { name: "mPelvis".into(), ..Node::default() });
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
    scene.meshes[0].primitives[0].targets = vec![Target { positions, ..Target::default() }];
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
    let (image, default) = (Texture::new(0), Texture::default());
    let material = &mut scene.materials[0];
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
        Feature::Colors => mesh_of(scene, 0).colors = vec![[255, 128, 64, 255].into(); 4],
        Feature::ColorAlpha => mesh_of(scene, 0).colors = vec![[255, 128, 64, 128].into(); 4],
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
        Feature::AlphaMode => material.alpha = Alpha::Mask(0.25),
        Feature::DoubleSided => material.double_sided = true,
        Feature::Unlit => material.unlit = true,
        Feature::Ior => material.ior = Some(1.25),
        Feature::Transmission => material.transmission = Some(0.5),
        Feature::Specular => material.specular = Some([0.5, 0.5, 0.5, 1.0]),
        Feature::Clearcoat => material.clearcoat = Some(Clearcoat { factor: 0.5, ..Clearcoat::default() }),
        Feature::TextureSet => {
            material.base_texture = Some(Texture { set: 1, ..default });
            mesh_of(scene, 0).uvs = vec![[0.5, 0.5].into(); 4];
            scene.meshes[0].primitives[0].more_uvs = vec![vec![[0.25, 0.75].into(); 4]];
        }
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
        Feature::Extras => _ = scene.nodes[0].extras.insert("key".into(), "value".into()),
        Feature::Copyright => scene.copyright = "its maker".into(),
        _ => unreachable!("a feature without a scene: {feature:?}"),
    }
}

/// Writes a scene and reads it again; returns the writer's losses as well.
fn through(form: &Kind, scene: &Scene) -> (Scene, Vec<rezkit::Loss>) {
    let written =
        writer(form.name).write(scene, "a", 1 << 30).unwrap_or_else(|error| panic!("{}: {error}", form.name));
    let files: BTreeMap<String, Vec<u8>> =
        written.files.into_iter().map(|file| (file.path().to_string(), file.bytes)).collect();
    let mut beside = |reference: &Reference, _: u64| match reference {
        Reference::Beside(name) => Ok(files.get(name).cloned()),
        _ => Ok(None),
    };
    let name = format!("a.{}", form.name);
    let (back, _) = scene_of(&written.bytes, &name, &Default::default(), &mut beside)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    (back, written.losses)
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Verdict {
    Kept,
    Changed,
    Listed,
}

fn forms() -> impl Iterator<Item = &'static Kind> {
    // Motions only have joints; tests/all/secondlife.rs tests them.
    KINDS.iter().filter(|kind| kind.writer.is_some_and(|writer| writer.has_meshes))
}

/// Whether a form keeps a feature of a scene, changes it or lists it as lost. A loss that is not listed is an error.
fn verdict(form: &Kind, scene: &Scene, feature: Feature, from: &str) -> Result<Verdict, String> {
    let (back, losses) = through(form, scene);
    let [before, after] = [scene, &back].map(|scene| value(scene, feature, true));
    let is_about = |loss: &&rezkit::Loss| loss.features.contains(&feature.title());
    let listed = losses.iter().find(is_about);
    match (before == after, listed) {
        (true, None) => Ok(Verdict::Kept),
        (_, Some(loss)) if loss.kind == LossKind::LeftOut => Ok(Verdict::Listed),
        (_, Some(_)) => Ok(Verdict::Changed),
        (false, None) => Err(format!(
            "{} from {from} to {} is lost without a word: {before:?} becomes {after:?}, {losses:?}",
            feature.title(),
            form.name
        )),
    }
}

/// An error text if the verdict differs from what the writer declares that it keeps.
fn wrong(form: &Kind, scene: &Scene, feature: Feature, from: &str) -> Option<String> {
    match verdict(form, scene, feature, from) {
        Err(text) => Some(text),
        Ok(found) => ((found == Verdict::Kept) != writer(form.name).keeps.contains(&feature))
            .then(|| format!("{} from {from} to {}: {found:?}", feature.title(), form.name)),
    }
}

/// Each form keeps exactly the features that its writer declares.
#[test]
fn what_is_listed_as_lost_is_what_is_lost() {
    let mut all = Vec::new();
    for &feature in Feature::ALL {
        let scene = with(feature);
        assert!(scene.features().contains_key(&feature), "{feature:?}");
        for form in forms() {
            all.extend(wrong(form, &scene, feature, "a scene"));
        }
    }
    assert!(all.is_empty(), "{all:#?}");
}

/// A scene that was written in one form keeps the declared features in every other form.
#[test]
fn each_pair_of_forms_keeps_or_lists() {
    let mut all = Vec::new();
    for from in forms() {
        for &feature in writer(from.name).keeps {
            let (scene, _) = through(from, &with(feature));
            if scene.features().contains_key(&feature) {
                all.extend(forms().filter_map(|to| wrong(to, &scene, feature, from.name)));
            }
        }
    }
    assert!(all.is_empty(), "{all:#?}");
}

/// Pairs of features of one material: a form that keeps each feature alone may lose one of the pair, but must list it.
#[test]
fn pairs_of_features_of_a_material_are_kept_or_listed() {
    let all: Vec<Feature> = Feature::ALL
        .iter()
        .copied()
        .filter(|feature| (Feature::BaseColor..=Feature::Filters).contains(feature))
        .collect();
    let mut wrong = Vec::new();
    // The other forms have the same writer as one of these.
    for form in forms().filter(|form| ["glb", "obj", "m3d", "llmesh"].contains(&form.name)) {
        for (at, &first) in all.iter().enumerate() {
            for &second in &all[at + 1..] {
                let mut scene = with(first);
                add(&mut scene, second);
                let (there, (back, losses)) = (scene.features(), through(form, &scene));
                for feature in [first, second].into_iter().filter(|feature| there.contains_key(feature)) {
                    let [before, after] = [&scene, &back].map(|scene| value(scene, feature, true));
                    let is_listed = losses.iter().any(|loss| loss.features.contains(&feature.title()));
                    if before != after && !is_listed {
                        wrong.push(format!(
                            "{first:?} and {second:?} in {}: {feature:?}: {before:?} becomes {after:?}",
                            form.name
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The binary form stores one type for all instances of a class; XML stores one for each.
#[test]
fn values_of_several_types_are_listed_or_refused() {
    let xml = |first: &str, second: &str| {
        let item = |name: &str, value: &str| {
            format!(
                "<Item class=\"Qwertyuiop\"><Properties><string name=\"Name\">{name}</string>{value}</Properties></Item>"
            )
        };
        format!("<roblox version=\"4\">{}{}</roblox>", item("A", first), item("B", second)).into_bytes()
    };
    let convert = |bytes: Vec<u8>, to: &str, options: &rezkit::ConvertOptions| {
        let made =
            rezkit::open(bytes, "a", ()).expect("readable").convert(Some(to), &format!("a.{to}"), options)?;
        let losses: Vec<_> = made.losses.iter().map(ToString::to_string).collect();
        Ok::<_, rezkit::Error>((made.files.into_iter().next().expect("a file").bytes, losses))
    };
    let got = |bytes: &[u8], path: &str| {
        rezkit::open(bytes.to_vec(), "a", ()).expect("readable").get(path).expect("a value").summary(40)
    };
    // The wider type is stored, in either order.
    let (small, large) = ("<int name=\"P\">-1</int>", "<int64 name=\"P\">9999999999</int64>");
    for (one, other) in [(small, large), (large, small)] {
        let (bytes, losses) =
            convert(xml(one, other), "rbxm", &rezkit::ConvertOptions::new()).expect("converted");
        assert_eq!(losses.len(), 1, "{losses:?}");
        let what = "P: stored with the type Int64, like the values of other instances of the class";
        assert!(losses[0].ends_with(what), "{losses:?}");
        let of = |value: &str| if value == small { "-1" } else { "9999999999" };
        assert_eq!((got(&bytes, "A.P"), got(&bytes, "B.P")), (of(one).to_owned(), of(other).to_owned()));
    }
    // A type that cannot be converted is refused, or replaced if that is allowed.
    let mixed = || xml("<int name=\"P\">5</int>", "<string name=\"P\">text</string>");
    let error = convert(mixed(), "rbxm", &rezkit::ConvertOptions::new()).expect_err("a text");
    assert_eq!(error.path(), "B.P");
    assert!(
        error.reason().starts_with(
            "expected Int32, found String: the binary format stores a property with the same type"
        ),
        "{error}"
    );
    let (bytes, losses) =
        convert(mixed(), "rbxm", &rezkit::ConvertOptions::new().allow_loss(true)).expect("converted");
    assert!(losses.iter().any(|loss| loss.starts_with("B.P: a value of type String, ")), "{losses:?}");
    assert_eq!((got(&bytes, "A.P"), got(&bytes, "B.P")), ("5".to_owned(), "0".to_owned()));
}

/// Two lists of instances of one class, whose values have two types: XML stores both.
#[test]
fn two_types_of_a_binary_document_are_kept_in_xml() {
    let mut document = rbxbinary::Document::new();
    let thing = |name: &str, value: rbxbinary::Value| {
        rbxbinary::NewInstance::new("Qwertyuiop").property("Name", name).property("P", value)
    };
    document.insert(None, thing("A", 5.into())).expect("inserted");
    let mut other = rbxbinary::Document::new();
    other.insert(None, thing("B", true.into())).expect("inserted");
    let class = other.columns_mut().classes.remove(0);
    let columns = document.columns_mut();
    let mut class = class;
    class.id = 1;
    class.referents[0] = rbxbinary::Referent(9);
    columns.classes.push(class);
    columns.parents.children.push(rbxbinary::Referent(9));
    columns.parents.parents.push(rbxbinary::Referent::NULL);
    let bytes = rbxbinary::to_vec(&document).expect("a document");
    let mut opened = rezkit::open(bytes, "a.rbxm", ()).expect("readable");
    let made = opened.convert(Some("rbxmx"), "a.rbxmx", &rezkit::ConvertOptions::new()).expect("converted");
    let text = String::from_utf8(made.files[0].bytes.clone()).expect("text");
    assert!(
        text.contains("<int name=\"P\">5</int>") && text.contains("<bool name=\"P\">true</bool>"),
        "{text}"
    );
}

/// A colour that is inserted into a document that stores colours with a byte per channel.
#[test]
fn a_colour_that_an_insertion_rounds_is_listed() {
    let model = |value: rbxbinary::Value| {
        let mut document = rbxbinary::Document::new();
        let new = rbxbinary::NewInstance::new("Qwertyuiop").property("Name", "T").property("C", value);
        document.insert(None, new).expect("inserted");
        rbxbinary::to_vec(&document).expect("a document")
    };
    let bytes = model(rbxbinary::Color3::new(0.123, 0.0, 1.0).into());
    let mut opened =
        rezkit::open(model(rbxbinary::Color3uint8::new(1, 2, 3).into()), "a.rbxm", ()).expect("readable");
    let edits = rezkit::Edit::parse("insert m.rbxm").expect("an edit");
    let mut models = |_: &rezkit::Reference, _: u64| Ok(Some(bytes.clone()));
    let edited = opened.edit(&edits, &mut models).expect("inserted");
    let losses: Vec<_> = edited.losses.iter().map(ToString::to_string).collect();
    let what = "m.rbxm: Qwertyuiop.C: stored with the type Color3uint8, like the values of other instances of the \
                class; this changes the value";
    assert_eq!(losses, [what]);
}
