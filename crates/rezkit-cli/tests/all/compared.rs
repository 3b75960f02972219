//! The values of each feature in a scene, to compare two scenes. Values that a form stores in bytes or 16 bits equal
//! the original ones. Indices and orders, which a form may change, are ignored.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "tests")]

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeSet, HashMap};
use std::hash::{Hash as _, Hasher as _};

use rezkit::scene::{Channel, Feature, ImageData, Material, Node, Primitive, Scene, Values, images};

fn near(number: f32) -> i32 {
    (number * 64.0).round() as i32
}

/// A position, and the numbers at it.
type Row = ([i32; 3], [i32; 6]);

/// The value of a feature in a scene.
#[derive(Debug)]
pub(crate) enum Has {
    Text(String),
    /// Numbers at the corners of triangles, or other numbers at the position [0; 3]: sorted and without duplicates.
    Numbers(Vec<Row>),
}

impl PartialEq for Has {
    /// Each row has a similar row in the other value. Rounded numbers may differ by 1, because of values in bytes or 16
    /// bits.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Numbers(all), Self::Numbers(others)) => {
                all == others || is_covered(all, others) && is_covered(others, all)
            }
            _ => false,
        }
    }
}

fn is_covered(all: &[Row], others: &[Row]) -> bool {
    let mut at_place: HashMap<[i32; 3], Vec<[i32; 6]>> = HashMap::new();
    others.iter().for_each(|(at, row)| at_place.entry(*at).or_default().push(*row));
    let is_next = |a: &[i32; 6], b: &[i32; 6]| a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= 1);
    let mut left = all.iter().filter(|row| others.binary_search(row).is_err());
    left.all(|(at, row)| {
        let [x, y, z] = at.map(|axis| [axis - 1, axis, axis + 1]);
        let around = x.iter().flat_map(|x| y.iter().flat_map(|y| z.map(|z| [*x, *y, z])));
        around.filter_map(|at| at_place.get(&at)).flatten().any(|other| is_next(row, other))
    })
}

fn rows(mut all: Vec<Row>) -> Has {
    all.sort_unstable();
    all.dedup();
    Has::Numbers(all)
}

fn padded(numbers: &[i32]) -> [i32; 6] {
    std::array::from_fn(|at| numbers.get(at).copied().unwrap_or_default())
}

/// Numbers of each vertex of the drawn triangles, with its position.
fn corners<const N: usize>(
    scene: &Scene,
    placed: bool,
    value: impl Fn(&Primitive, usize) -> Option<[i32; N]>,
) -> Has {
    let mut all = Vec::new();
    // Positions are relative to the bounding box of the scene, since the size is another feature.
    let bounds = scene.bounds().unwrap_or_default();
    let (low, size) = (bounds.min.to_array(), bounds.size().to_array());
    let most = size.into_iter().fold(0.0, f32::max);
    for primitive in scene.posed(&scene.pose()).flatten() {
        let mut is_used = vec![false; primitive.mesh.positions.len()];
        primitive.mesh.triangles.iter().flatten().for_each(|index| is_used[*index as usize] = true);
        for index in (0..is_used.len()).filter(|index| is_used[*index]) {
            let Some(value) = value(&primitive, index) else { continue };
            let at = primitive.mesh.positions[index].to_array();
            // A flat axis has no extent, apart from rounding by a rotation.
            let at = std::array::from_fn(|axis| match placed && size[axis] > most * 1e-5 {
                true => near((at[axis] - low[axis]) / size[axis]),
                false => 0,
            });
            all.push((at, padded(&value)));
        }
    }
    rows(all)
}

/// The value of a feature in a scene. Numbers at corners have their positions if `placed` is true.
pub(crate) fn value(scene: &Scene, feature: Feature, placed: bool) -> Has {
    if (Feature::BaseColor..=Feature::Filters).contains(&feature) || feature == Feature::Materials {
        return of_materials(scene, feature);
    }
    let joints: BTreeSet<usize> = scene.joints().collect();
    let of = |is: fn(&Node) -> bool| scene.walk().into_iter().filter(|&node| is(&scene.nodes[node])).count();
    let channels = |is: &dyn Fn(&Channel) -> bool| {
        let all = scene.channels();
        all.filter(|channel| is(channel)).count().min(1)
    };
    let count = match feature {
        Feature::Size => {
            let bounds = scene.bounds().unwrap_or_default();
            return numbers([[bounds.min, bounds.max]
                .map(|corner| corner.to_array())
                .as_flattened()
                .to_vec()]);
        }
        Feature::Normals => {
            return corners(scene, placed, |part, at| Some(part.mesh.normals.get(at)?.to_array().map(near)));
        }
        Feature::Tangents => {
            return corners(scene, placed, |part, at| Some(part.mesh.tangents.get(at)?.to_array().map(near)));
        }
        Feature::Uvs => {
            return corners(scene, placed, |part, at| Some(part.mesh.uvs.get(at)?.to_array().map(near)));
        }
        Feature::MoreUvs => {
            return corners(scene, placed, |part, at| Some(part.uvs(1).get(at)?.to_array().map(near)));
        }
        Feature::Colors => {
            return corners(scene, placed, |part, at| {
                let [r, g, b, _] = part.mesh.colors.get(at)?.to_array();
                Some([r, g, b].map(i32::from))
            });
        }
        Feature::ColorAlpha => {
            return corners(scene, placed, |part, at| Some([part.mesh.colors.get(at)?.a.into()]));
        }
        // The positions of the vertices after one joint was moved, and the height of this joint.
        Feature::Skins | Feature::SeveralSkins => return skinned(scene, &joints),
        Feature::Extras => {
            return Has::Text(format!("{:?}", scene.nodes.iter().find_map(|node| node.extras.get("key"))));
        }
        Feature::Copyright => return Has::Text(scene.copyright.clone()),
        // Nodes that draw nothing are not part of a form.
        Feature::Nodes => {
            let is_drawn = |mesh: usize| {
                scene.meshes[mesh].primitives.iter().any(|primitive| !primitive.mesh.triangles.is_empty())
            };
            scene.placed().iter().filter(|placed| is_drawn(placed.mesh)).count()
        }
        Feature::Hidden => of(|node| node.hidden),
        Feature::Lights => of(|node| node.light.is_some()),
        Feature::Cameras => of(|node| node.camera.is_some()),
        Feature::Morphs => scene.primitives().map(|p| p.targets.len()).sum(),
        Feature::JointAnimations => channels(&|channel| {
            joints.contains(&channel.node)
                && matches!(channel.values, Values::Rotation(_) | Values::Translation(_))
        }),
        Feature::NodeAnimations => channels(&|channel| !joints.contains(&channel.node)),
        Feature::WeightAnimations => channels(&|channel| matches!(channel.values, Values::Weights(_))),
        _ => unreachable!("a feature without a value: {feature:?}"),
    };
    Has::Text(count.to_string())
}

fn numbers(all: impl IntoIterator<Item = Vec<f32>>) -> Has {
    let row = |row: Vec<f32>| padded(&row.into_iter().map(near).collect::<Vec<_>>());
    rows(all.into_iter().map(|numbers| ([0; 3], row(numbers))).collect())
}

fn skinned(scene: &Scene, joints: &BTreeSet<usize>) -> Has {
    let mut pose = scene.pose();
    let chest = scene.nodes.iter().position(|node| node.name == "mTorso");
    let Some(chest) = chest.filter(|chest| joints.contains(chest)) else { return Has::Text("none".into()) };
    let before = scene.world_matrices(&pose.transforms)[chest];
    let up = pose.transforms[chest].translation.map(|part| part * 3.0);
    pose.transforms[chest].translation = up;
    let moved = scene.posed(&pose).flatten().flat_map(|part| part.mesh.positions.clone());
    let moved = moved.map(|at| at.to_array().to_vec());
    numbers(moved.chain([vec![before[3][1]]]))
}

/// The value of a feature of the materials that are used.
fn of_materials(scene: &Scene, feature: Feature) -> Has {
    let drawn: BTreeSet<_> =
        scene.flattened(&mut crate::budget()).expect("small").iter().map(|part| part.material).collect();
    let material = |index: Option<usize>| index.and_then(|index| scene.materials.get(index)).cloned();
    let all: Vec<Material> = drawn.into_iter().map(|index| material(index).unwrap_or_default()).collect();
    let field = match feature {
        Feature::Materials | Feature::BaseColor => "/base_color",
        Feature::BaseTexture => "/base_texture",
        Feature::Metallic => "/metallic",
        Feature::Roughness => "/roughness",
        Feature::MetallicRoughnessTexture => "/metallic_roughness_texture",
        Feature::NormalTexture => "/normal_texture",
        Feature::NormalScale => "/normal_scale",
        Feature::OcclusionTexture => "/occlusion_texture",
        Feature::OcclusionStrength => "/occlusion_strength",
        Feature::Emissive => "/emissive",
        Feature::EmissiveTexture => "/emissive_texture",
        Feature::EmissiveStrength => "/emissive_strength",
        Feature::AlphaTexture | Feature::AlphaMode => "/alpha",
        Feature::DoubleSided => "/double_sided",
        Feature::Unlit => "/unlit",
        Feature::Ior => "/ior",
        Feature::Transmission => "/transmission",
        Feature::Specular => "/specular",
        Feature::Clearcoat => "/clearcoat",
        Feature::TextureSet => "/base_texture/set",
        Feature::TextureTransform => "/base_texture/transform",
        Feature::Wrapping => "/base_texture/sampler/wrap",
        Feature::Filters => "/base_texture/sampler/mag",
        _ => unreachable!("no feature of materials: {feature:?}"),
    };
    let found = |material: &Material| {
        let material = serde_json::to_value(material).expect("JSON");
        material.pointer(field).cloned().unwrap_or_default()
    };
    let found = all.iter().map(found);
    if field.ends_with("_texture") {
        let pixels = |texture: serde_json::Value| {
            let image = usize::try_from(texture["image"].as_u64()?).ok()?;
            let ImageData::Bytes(bytes) = &scene.images.get(image)?.data else { return None };
            let pixels = images::decode(bytes, 1 << 30).ok()?.into_bytes();
            // Green is roughness, blue is metalness.
            let is_used =
                |at: &usize| feature != Feature::MetallicRoughnessTexture || [1, 2].contains(&(at % 4));
            Some((0..pixels.len()).filter(is_used).map(|at| pixels[at]).collect::<Vec<_>>())
        };
        let hash = |texture| {
            let mut hasher = DefaultHasher::new();
            pixels(texture).hash(&mut hasher);
            format!("pixels {:x}", hasher.finish())
        };
        return Has::Text(format!("{:?}", found.map(hash).collect::<BTreeSet<_>>()));
    }
    let found: Vec<_> = found.collect();
    // Numbers may be rounded; the name of a mode and the fields of a group may not.
    let of_numbers = |value: &serde_json::Value| match value {
        serde_json::Value::Null => Some(vec![-1.0]),
        serde_json::Value::Number(number) => Some(vec![number.as_f64()? as f32]),
        value => value.as_array()?.iter().map(|number| Some(number.as_f64()? as f32)).collect(),
    };
    match found.iter().map(of_numbers).collect::<Option<Vec<Vec<f32>>>>() {
        Some(all) => numbers(all),
        None => Has::Text(format!("{:?}", found.iter().map(ToString::to_string).collect::<BTreeSet<_>>())),
    }
}
