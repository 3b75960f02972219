//! The table of truth: for each feature of scenes and each form, what is listed as lost is what is lost. The table of
//! docs/CONVERSIONS.md is made from it; after a change, `REZKIT_TABLES=1 cargo test -p rezkit --test all conversions` writes it.

#![cfg(feature = "scene")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use geom::TriMesh;
use rezkit::scene::{
    Alpha, Animation, Camera, Channel, Clearcoat, FORMATS, Feature, Filter, Image, ImageData, Interpolation,
    Light, LightKind, Material, Mesh, Node, Primitive, Sampler, Scene, SceneForm, Skin, Target, Texture,
    Transform, UvTransform, Values, Wrap, images, read,
};
use rezkit::{LossKind, Reference};

/// A tetrahedron whose numbers every format can represent.
fn solid() -> TriMesh {
    let corners: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]];
    TriMesh {
        positions: corners.map(Into::into).to_vec(),
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        ..TriMesh::default()
    }
}

/// One mesh at the origin, with a material that is the default one.
fn plain() -> Scene {
    let mut scene = Scene::default();
    scene.materials.push(Material { name: "paint".into(), ..Material::default() });
    let pixels =
        ::image::RgbaImage::from_fn(2, 2, |x, y| ::image::Rgba([255 * x as u8, 255 * y as u8, 128, 255]));
    scene.images.push(Image { name: "image".into(), data: ImageData::Bytes(images::png(&pixels).unwrap()) });
    let mesh = scene.add_mesh(Mesh { primitives: vec![Primitive::new(solid(), Some(0))], ..Mesh::default() });
    scene.add_node(None, Node { name: "part".into(), mesh: Some(mesh), ..Node::default() });
    scene
}

fn mesh_of(scene: &mut Scene, mesh: usize) -> &mut TriMesh {
    Arc::make_mut(&mut scene.meshes[mesh].primitives[0].mesh)
}

/// Joints that Second Life knows, below a skeleton at the origin, and a mesh that follows them.
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
    scene.animations.push(Animation { name: "move".into(), channels });
}

fn morphing(scene: &mut Scene) {
    let positions = vec![[0.0, 1.0, 0.0].into(); 4];
    scene.meshes[0].primitives[0].targets = vec![Target { positions, ..Target::default() }];
    scene.meshes[0].weights = vec![0.5];
}

/// The plain scene with one feature more, and with what that needs.
fn with(feature: Feature) -> Scene {
    let mut scene = plain();
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
        Feature::Morphs => morphing(&mut scene),
        Feature::Skins => skinned(&mut scene, 0, None),
        Feature::SeveralSkins => {
            skinned(&mut scene, 0, None);
            let mesh = scene
                .add_mesh(Mesh { primitives: vec![Primitive::new(solid(), Some(0))], ..Mesh::default() });
            scene.add_node(None, Node { name: "second".into(), mesh: Some(mesh), ..Node::default() });
            // The other order of the same joints, so that the skins differ.
            skinned(&mut scene, mesh, Some([1, 2]));
            scene.skins[1].joints.reverse();
            scene.skins[1].inverse_bind.reverse();
            let columns = mesh_of(&mut scene, mesh);
            columns.joints = vec![[1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]];
        }
        Feature::JointAnimations => {
            skinned(&mut scene, 0, None);
            let half_turn = [1.0, 0.0, 0.0, 0.0];
            moving(&mut scene, 2, Values::Rotation(vec![[0.0, 0.0, 0.0, 1.0], half_turn]));
        }
        Feature::NodeAnimations => moving(&mut scene, 0, Values::Translation(vec![[0.0; 3], [1.0; 3]])),
        Feature::WeightAnimations => {
            morphing(&mut scene);
            moving(&mut scene, 0, Values::Weights(vec![0.0, 1.0]));
        }
        Feature::Normals => {
            // Not those that the triangles give.
            mesh_of(&mut scene, 0).normals = vec![[0.0, 0.6, 0.8].into(); 4];
        }
        Feature::Tangents => {
            let columns = mesh_of(&mut scene, 0);
            columns.normals = vec![[0.0, 0.0, 1.0].into(); 4];
            columns.tangents = vec![[1.0, 0.0, 0.0, -1.0].into(); 4];
        }
        Feature::Uvs => {
            mesh_of(&mut scene, 0).uvs = (0..4_u8).map(|n| [f32::from(n) / 4.0, 0.25].into()).collect()
        }
        Feature::MoreUvs => {
            mesh_of(&mut scene, 0).uvs = vec![[0.5, 0.5].into(); 4];
            scene.meshes[0].primitives[0].more_uvs = vec![vec![[0.25, 0.75].into(); 4]];
        }
        Feature::Colors => mesh_of(&mut scene, 0).colors = vec![[255, 128, 64, 255].into(); 4],
        Feature::ColorAlpha => mesh_of(&mut scene, 0).colors = vec![[255, 128, 64, 128].into(); 4],
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
            mesh_of(&mut scene, 0).uvs = vec![[0.5, 0.5].into(); 4];
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
    scene
}

fn near(number: f32) -> i32 {
    (number * 64.0).round() as i32
}

/// A value of each corner of each triangle that is drawn, by where the corner is.
fn corners<T: Ord>(scene: &Scene, value: impl Fn(&Primitive, usize) -> Option<T>) -> BTreeSet<([i32; 3], T)> {
    let mut all = BTreeSet::new();
    // Where a corner is in the box around everything: the size is a feature of its own.
    let bounds = scene.bounds().unwrap_or_default();
    let (low, size) = (bounds.min.to_array(), bounds.size().to_array());
    let most = size.into_iter().fold(0.0, f32::max);
    for primitive in scene.posed(&scene.pose()).flatten() {
        for index in primitive.mesh.triangles.iter().flatten().map(|index| *index as usize) {
            let at = primitive.mesh.positions[index].to_array();
            // What is flat but for a turn's rounding has no extent.
            let at = std::array::from_fn(|axis| match size[axis] > most * 1e-5 {
                true => near((at[axis] - low[axis]) / size[axis]),
                false => 0,
            });
            all.extend(value(&primitive, index).map(|value| (at, value)));
        }
    }
    all
}

/// What a scene has of a feature, as text: rounded to what bytes and 16 bits can represent, without the indices that a
/// form may give anew.
pub(crate) fn value(scene: &Scene, feature: Feature) -> String {
    let rounded = |numbers: &[f32]| numbers.iter().map(|number| near(*number)).collect::<Vec<_>>();
    let material = scene.flattened().first().and_then(|part| scene.materials.get(part.material?)).cloned();
    let material = material.unwrap_or_default();
    let joints: BTreeSet<usize> = scene.skins.iter().flat_map(|skin| skin.joints.iter().copied()).collect();
    let of = |is: fn(&Node) -> bool| scene.walk().into_iter().filter(|&node| is(&scene.nodes[node])).count();
    let texture = |texture: Option<Texture>| {
        let image = scene.images.get(texture?.image)?;
        let ImageData::Bytes(bytes) = &image.data else { return None };
        Some(images::decode(bytes, 1 << 20).ok()?.into_rgba8().into_raw())
    };
    let channels = |is: &dyn Fn(&Channel) -> bool| {
        let all = scene.animations.iter().flat_map(|animation| &animation.channels);
        all.filter(|channel| is(channel)).count().min(1)
    };
    match feature {
        Feature::Size => {
            let bounds = scene.bounds().unwrap_or_default();
            format!("{:?}", [bounds.min, bounds.max].map(|corner| corner.to_array().map(near)))
        }
        Feature::Nodes => format!("{}", scene.placed().len()),
        Feature::Hidden => format!("{}", of(|node| node.hidden)),
        Feature::Lights => format!("{}", of(|node| node.light.is_some())),
        Feature::Cameras => format!("{}", of(|node| node.camera.is_some())),
        Feature::Morphs => format!(
            "{}",
            scene.meshes.iter().flat_map(|mesh| &mesh.primitives).map(|p| p.targets.len()).sum::<usize>()
        ),
        // The joints by their names, and what a turned joint does to the vertices.
        Feature::Skins | Feature::SeveralSkins => {
            let mut pose = scene.pose();
            let chest = scene.nodes.iter().position(|node| node.name == "mTorso");
            let Some(chest) = chest.filter(|chest| joints.contains(chest)) else { return "none".into() };
            let before = scene.world_matrices(&pose.transforms)[chest];
            let up = pose.transforms[chest].translation.map(|part| part * 3.0);
            pose.transforms[chest].translation = up;
            let mut moved: Vec<_> = scene
                .posed(&pose)
                .flatten()
                .flat_map(|part| {
                    part.mesh.positions.iter().map(|at| at.to_array().map(near)).collect::<Vec<_>>()
                })
                .collect();
            moved.sort_unstable();
            moved.dedup();
            format!("{:?} {moved:?}", near(before[3][1]))
        }
        Feature::JointAnimations => {
            format!(
                "{}",
                channels(&|channel| joints.contains(&channel.node)
                    && matches!(channel.values, Values::Rotation(_)))
            )
        }
        Feature::NodeAnimations => format!("{}", channels(&|channel| !joints.contains(&channel.node))),
        Feature::WeightAnimations => {
            format!("{}", channels(&|channel| matches!(channel.values, Values::Weights(_))))
        }
        Feature::Normals => {
            format!(
                "{:?}",
                corners(scene, |part, index| Some(part.mesh.normals.get(index)?.to_array().map(near)))
            )
        }
        Feature::Tangents => {
            format!(
                "{:?}",
                corners(scene, |part, index| Some(part.mesh.tangents.get(index)?.to_array().map(near)))
            )
        }
        Feature::Uvs => format!(
            "{:?}",
            corners(scene, |part, index| Some(part.mesh.uvs.get(index)?.to_array().map(near)))
        ),
        Feature::MoreUvs => {
            format!("{:?}", corners(scene, |part, index| Some(part.uvs(1).get(index)?.to_array().map(near))))
        }
        Feature::Colors => {
            format!(
                "{:?}",
                corners(scene, |part, index| Some(part.mesh.colors.get(index)?.to_array()[..3].to_vec()))
            )
        }
        Feature::ColorAlpha => {
            format!("{:?}", corners(scene, |part, index| Some(part.mesh.colors.get(index)?.a)))
        }
        Feature::Materials | Feature::BaseColor => format!("{:?}", rounded(&material.base_color)),
        Feature::BaseTexture => format!("{:?}", texture(material.base_texture)),
        Feature::Metallic => format!("{:?}", near(material.metallic)),
        Feature::Roughness => format!("{:?}", near(material.roughness)),
        Feature::MetallicRoughnessTexture => {
            // Roughness is in green, metalness in blue.
            let pixels = texture(material.metallic_roughness_texture);
            format!(
                "{:?}",
                pixels.map(|pixels| pixels.chunks(4).map(|pixel| [pixel[1], pixel[2]]).collect::<Vec<_>>())
            )
        }
        Feature::NormalTexture => format!("{:?}", texture(material.normal_texture)),
        Feature::NormalScale => format!("{:?}", near(material.normal_scale)),
        Feature::OcclusionTexture => format!("{:?}", texture(material.occlusion_texture)),
        Feature::OcclusionStrength => format!("{:?}", near(material.occlusion_strength)),
        Feature::Emissive => format!("{:?}", rounded(&material.emissive)),
        Feature::EmissiveTexture => format!("{:?}", texture(material.emissive_texture)),
        Feature::EmissiveStrength => format!("{:?}", near(material.emissive_strength)),
        Feature::AlphaMode => format!("{:?}", material.alpha),
        Feature::DoubleSided => format!("{:?}", material.double_sided),
        Feature::Unlit => format!("{:?}", material.unlit),
        Feature::Ior => format!("{:?}", material.ior),
        Feature::Transmission => format!("{:?}", material.transmission),
        Feature::Specular => format!("{:?}", material.specular.map(|specular| rounded(&specular))),
        Feature::Clearcoat => format!("{:?}", material.clearcoat),
        Feature::TextureSet => format!("{:?}", material.base_texture.map(|texture| texture.set)),
        Feature::TextureTransform => format!("{:?}", material.base_texture.map(|texture| texture.transform)),
        Feature::Wrapping => format!("{:?}", material.base_texture.map(|texture| texture.sampler.wrap)),
        Feature::Filters => format!("{:?}", material.base_texture.map(|texture| texture.sampler.mag)),
        Feature::Extras => format!("{:?}", scene.nodes.iter().find_map(|node| node.extras.get("key"))),
        Feature::Copyright => scene.copyright.clone(),
        _ => unreachable!("a feature without a value: {feature:?}"),
    }
}

/// A scene written and read again, and what the writer lists.
fn through(form: &SceneForm, scene: &Scene) -> (Scene, Vec<rezkit::Loss>) {
    let written = form.write(scene, "a", 1 << 30).unwrap_or_else(|error| panic!("{}: {error}", form.name));
    let files: BTreeMap<String, Vec<u8>> =
        written.files.into_iter().map(|file| (file.path().to_string(), file.bytes)).collect();
    let mut beside = |reference: &Reference| match reference {
        Reference::Beside(name) => Ok(files.get(name).cloned()),
        _ => Ok(None),
    };
    let name = format!("a.{}", form.name);
    let (back, _) = read(&written.bytes, &name, &Default::default(), &mut beside)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    (back, written.losses)
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Verdict {
    Kept,
    Changed,
    Listed,
}

fn forms() -> impl Iterator<Item = &'static SceneForm> {
    // Of a motion, which has joints alone, tests/all/secondlife.rs has its own.
    FORMATS.iter().flat_map(|format| format.forms).filter(|form| form.has_meshes)
}

/// What becomes of a feature of a scene in a form; a loss without a word is an error.
fn verdict(form: &SceneForm, scene: &Scene, feature: Feature, from: &str) -> Result<Verdict, String> {
    let (back, losses) = through(form, scene);
    let (before, after) = (value(scene, feature), value(&back, feature));
    let title = format!("{}: ", feature.title());
    let of_material = (Feature::BaseColor..=Feature::Filters).contains(&feature);
    let is_about = |loss: &&rezkit::Loss| {
        loss.what.starts_with(&title) || of_material && loss.what.starts_with("materials: ")
    };
    let listed = losses.iter().find(is_about);
    match (before == after, listed) {
        (true, None) => Ok(Verdict::Kept),
        (_, Some(loss)) if loss.kind == LossKind::LeftOut => Ok(Verdict::Listed),
        (_, Some(_)) => Ok(Verdict::Changed),
        (false, None) => Err(format!(
            "{} from {from} to {} is lost without a word: {before} becomes {after}, {losses:?}",
            feature.title(),
            form.name
        )),
    }
}

/// A verdict that differs from what the form keeps.
fn wrong(form: &SceneForm, scene: &Scene, feature: Feature, from: &str) -> Option<String> {
    match verdict(form, scene, feature, from) {
        Err(text) => Some(text),
        Ok(found) => ((found == Verdict::Kept) != form.keeps.contains(&feature))
            .then(|| format!("{} from {from} to {}: {found:?}", feature.title(), form.name)),
    }
}

/// Each feature in each form is what the form keeps.
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

/// Each pair of forms: what the first one keeps becomes in the second what the table has.
#[test]
fn each_pair_of_forms_keeps_or_lists() {
    let mut all = Vec::new();
    for from in forms() {
        for &feature in from.keeps {
            let (scene, _) = through(from, &with(feature));
            if scene.features().contains_key(&feature) {
                all.extend(forms().filter_map(|to| wrong(to, &scene, feature, from.name)));
            }
        }
    }
    assert!(all.is_empty(), "{all:#?}");
}

/// The table of the document, between two marks.
#[test]
fn the_document_has_the_table() {
    const MARKS: [&str; 2] =
        ["<!-- made by crates/rezkit/tests/all/conversions.rs -->\n", "<!-- until here -->\n"];
    let mut table = String::from("| feature |");
    forms().for_each(|form| _ = write!(table, " {} |", form.name));
    table += "\n|---|";
    forms().for_each(|_| table += "---|");
    table += "\n";
    for &feature in Feature::ALL {
        let _infallible = write!(table, "| {} |", feature.title());
        let scene = with(feature);
        for form in forms() {
            table += match verdict(form, &scene, feature, "a scene").unwrap() {
                Verdict::Kept => " kept |",
                Verdict::Changed => " changed |",
                Verdict::Listed => " |",
            };
        }
        table += "\n";
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/CONVERSIONS.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (before, rest) = text.split_once(MARKS[0]).expect("the first mark");
    let (found, after) = rest.split_once(MARKS[1]).expect("the second mark");
    if std::env::var_os("REZKIT_TABLES").is_some() {
        std::fs::write(path, format!("{before}{}{table}{}{after}", MARKS[0], MARKS[1])).unwrap();
        return;
    }
    assert_eq!(found, table, "run `REZKIT_TABLES=1 cargo test -p rezkit --test all conversions`");
}
