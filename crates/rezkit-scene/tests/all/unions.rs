//! Unions: the levels of their meshes, and nested operands.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use geom::TriMesh;
use rbxbinary::types::Vec3;
use rbxbinary::{Document, NewInstance, Value};
use rezkit_core::Budget;
use rezkit_scene::{Levels, Loss, Scene, SceneOptions, roblox};

use crate::{document, field, frame, item, of_document, vector};
use std::sync::Arc;

const KEY: [u8; 31] = [
    0x56, 0x2e, 0x6e, 0x58, 0x31, 0x20, 0x30, 0x04, 0x34, 0x69, 0x0c, 0x77, 0x0c, 0x01, 0x5e, 0x00, 0x1a,
    0x60, 0x37, 0x69, 0x1d, 0x52, 0x2b, 0x07, 0x4f, 0x24, 0x59, 0x65, 0x53, 0x04, 0x7a,
];

/// A union's mesh with a fan of triangles around the first vertex, each a level of detail. The vertices of even
/// triangles are red, others are green.
fn fan(levels: u32) -> Vec<u8> {
    fan_with(levels, (0..=levels).collect())
}

/// A fan of triangles, with the triangles at which the levels begin and the last one ends.
fn fan_with(levels: u32, offsets: Vec<u32>) -> Vec<u8> {
    let mut bytes = b"CSGMDL\x04\0\0\0".to_vec();
    bytes.extend([0; 32]);
    bytes.extend([3 * levels, 84].map(u32::to_le_bytes).as_flattened());
    for triangle in 0..levels {
        for corner in [[0.0, 0.0], [1.0, triangle as f32], [1.0, triangle as f32 + 1.0]] {
            let [x, y] = corner;
            bytes.extend([x, y, 0.0, 0.0, 0.0, 1.0_f32].map(f32::to_le_bytes).as_flattened());
            bytes.extend(if triangle % 2 == 0 { [255, 0, 0, 255] } else { [0, 255, 0, 255] });
            bytes.extend([0; 4]);
            bytes.extend([x, y].map(f32::to_le_bytes).as_flattened());
            bytes.extend([0; 44]);
        }
    }
    let list = |values: Vec<u32>| {
        let count = u32::try_from(values.len()).expect("few");
        [count].into_iter().chain(values).flat_map(u32::to_le_bytes).collect::<Vec<_>>()
    };
    bytes.extend(list((0..3 * levels).collect()));
    bytes.extend(list(offsets.into_iter().map(|triangle| 3 * triangle).collect()));
    bytes.iter_mut().zip(KEY.iter().cycle()).for_each(|(byte, key)| *byte ^= key);
    bytes
}

fn all_levels(max_bytes: u64) -> SceneOptions {
    let mut options = SceneOptions::default();
    (options.levels, options.max_bytes) = (Levels::All, max_bytes);
    options
}

/// All levels of a mesh alone.
fn carried(mesh: &[u8], max_bytes: u64) -> rezkit_core::Result<Option<(Scene, Vec<Loss>)>> {
    roblox::carried("MeshData", mesh, None, &all_levels(max_bytes), &mut Budget::new(max_bytes))
}

/// The meshes of the nodes of a scene.
fn meshes(scene: &Scene) -> Vec<&Arc<TriMesh>> {
    let of = |mesh: usize| &scene.meshes[mesh].primitives[0].mesh;
    scene.nodes.iter().filter_map(|node| node.mesh.map(of)).collect()
}

/// Each level has only its own vertices, and the levels together take memory in proportion to the file: it is read once
/// for all levels.
#[test]
fn the_levels_of_a_union_take_the_memory_of_one_reading() {
    for levels in [3, 300] {
        let bytes = fan(levels);
        let most = 4 * bytes.len() as u64 + 3000 * u64::from(levels) + 1000;
        let made = carried(&bytes, most).expect("enough");
        let (scene, _) = made.expect("a mesh");
        let meshes = meshes(&scene);
        assert_eq!((meshes.len(), scene.materials.len()), (levels as usize, 2));
        for (level, mesh) in meshes.into_iter().enumerate() {
            assert_eq!(mesh.triangles, [[0, 1, 2]]);
            let positions: Vec<[f32; 3]> = mesh.positions.iter().map(|at| at.to_array()).collect();
            let level = level as f32;
            assert_eq!(positions, [[0.0, 0.0, 0.0], [1.0, level, 0.0], [1.0, level + 1.0, 0.0]]);
        }
        let error = carried(&bytes, bytes.len() as u64 + 100);
        assert_eq!(error.map(|_| ()).expect_err("not enough").kind(), rezkit_scene::ErrorKind::Limit);
    }
}

/// A union in an XML document, with its mesh.
fn union_of(mesh: &[u8]) -> rbxxml::Document {
    let mesh = field("BinaryString", "MeshData", BASE64_STANDARD.encode(mesh));
    document(&item("UnionOperation", "U", &(frame("CFrame", 0.0) + &vector("size", 1.0) + &mesh), ""))
}

/// A new instance with a place and a size.
fn placed(class: &str) -> NewInstance {
    NewInstance::new(class)
        .property("Name", "U")
        .property("CFrame", Value::CFrame(Box::default()))
        .property("size", Value::Vector3(Vec3::new(1.0, 1.0, 1.0)))
}

/// The levels of a union in a document are those of its mesh alone.
#[test]
fn the_levels_of_a_union_become_nodes() {
    let bytes = fan(20);
    let made = carried(&bytes, 1 << 20).expect("enough");
    let (alone, _) = made.expect("a mesh");
    let (scene, losses) = of_document(&union_of(&bytes), &all_levels(1 << 20)).expect("a scene");
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(meshes(&scene), meshes(&alone));
    let names: Vec<&str> = scene.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!((names.len(), names[19]), (20, "U_level19"));
    assert_eq!(names[..4], ["U", "U_LOD2", "U_LOD1", "U_LOD0"], "the names that Second Life's viewer pairs");
    let mut first = SceneOptions::default();
    for level in [0, 7, 19, 30] {
        first.levels = Levels::One(level);
        let (scene, _) = of_document(&union_of(&bytes), &first).expect("a scene");
        assert_eq!(meshes(&scene), [meshes(&alone)[level.min(19)]]);
    }
}

/// A level without triangles does not hide the others. It is listed, and so are triangles in no level.
#[test]
fn empty_levels_and_triangles_in_no_level_are_listed() {
    for (offsets, shown, lost) in [
        (vec![0, 0, 3, 3, 4], 2, vec![(EMPTY, 2)]),
        (vec![1, 2], 1, vec![(UNUSED, 3)]),
        (vec![0, 1, 1, 2], 2, vec![(EMPTY, 1), (UNUSED, 2)]),
    ] {
        let document = union_of(&fan_with(4, offsets));
        for options in [all_levels(1 << 20), SceneOptions::default()] {
            let (scene, losses) = of_document(&document, &options).expect("a scene");
            let shown = if options.levels == Levels::All { shown } else { 1 };
            assert_eq!(meshes(&scene).len(), shown);
            let losses: Vec<_> = losses.iter().map(|loss| (&*loss.what, loss.count)).collect();
            assert_eq!(losses, lost);
        }
    }
    let bytes = fan_with(4, vec![0, 2, 2, 4]);
    let (scene, losses) = carried(&bytes, 1 << 20).expect("enough").expect("a mesh");
    assert_eq!((meshes(&scene).len(), losses.len()), (2, 1));
}

const EMPTY: &str = "a level of detail of a union's mesh, since it has no triangles";
const UNUSED: &str = "a triangle of a union's mesh that belongs to no level of detail";

/// A union whose hulls inflate from 15 kB to 480 MB counts as work, though they are damaged.
#[test]
fn damaged_hulls_that_inflate_count_as_work() {
    let mut document = Document::new();
    for number in 0..10 {
        let mut hulls = b"CSGPHS\x08\0\0\0\0\0\x28\xb5\x2f\xfd\0\x68".to_vec();
        // Blocks that repeat a byte 131,072 times, and one of a single byte.
        hulls.extend([2, 0, 0x10, 0].repeat(3840));
        hulls.extend([9, 0, 0, number]);
        let union = placed("UnionOperation").property("PhysicsData", Value::SharedString(hulls.into()));
        document.insert(None, union).expect("complete");
    }
    let read = of_document(&document, &SceneOptions::default());
    let error = read.map(|_| ()).expect_err("too much work");
    assert_eq!(error.kind(), rezkit_scene::ErrorKind::Effort);
    assert!(error.to_string().contains("the collision hulls of the parts"), "{error}");
}

/// If the memory suffices for the mesh, but not for the nodes of its levels, that is an error.
#[test]
fn nodes_of_levels_count_as_memory() {
    let bytes = fan(300);
    let error = of_document(&union_of(&bytes), &all_levels(400 << 10));
    let error = error.map(|_| ()).expect_err("not enough");
    assert_eq!(error.kind(), rezkit_scene::ErrorKind::Limit);
    assert!(error.to_string().contains("the levels of detail of a union"), "{error}");
}

/// Twenty unions whose operands are the same document: twenty of them whose operands are the same, and so on. The last
/// ones consist of a part.
fn nested(levels: usize) -> Document {
    let mut document = Document::new();
    document.insert(None, placed("Part")).expect("complete");
    for _ in 0..levels {
        let operands = rbxbinary::to_vec(&document).expect("written");
        document = Document::new();
        for _ in 0..20 {
            let union = placed("UnionOperation");
            let shared = Value::SharedString(operands.clone().into());
            document.insert(None, union.property("ChildData2", shared)).expect("complete");
        }
    }
    document
}

/// The nodes of nested operands are charged, so a small file with many of them is an error.
#[test]
fn nested_operands_of_unions_count_as_memory() {
    let read = |levels: usize, max_bytes: u64| {
        let mut options = SceneOptions::default();
        options.max_bytes = max_bytes;
        of_document(&nested(levels), &options)
    };
    let (scene, losses) = read(2, 4 << 20).expect("a scene");
    assert_eq!(scene.triangle_count(), 20 * 20 * 12);
    assert_eq!(losses.len(), 1, "{losses:?}");
    for levels in [3, 6] {
        let error = read(levels, 4 << 20).map(|_| ()).expect_err("not enough");
        assert_eq!(error.kind(), rezkit_scene::ErrorKind::Limit);
        assert!(error.to_string().contains("the operands of the unions"), "{error}");
    }
}

#[test]
fn animations_in_the_operands_of_a_union_are_listed() {
    let mut operands = nested(0);
    operands.insert(None, NewInstance::new("KeyframeSequence").property("Name", "A")).expect("complete");
    let mut document = Document::new();
    let operands = rbxbinary::to_vec(&operands).expect("written");
    let union = placed("UnionOperation").property("ChildData", operands);
    document.insert(None, union).expect("complete");
    let made = of_document(&document, &SceneOptions::default());
    let losses: Vec<_> = made.expect("a scene").1.iter().map(ToString::to_string).collect();
    assert!(losses.contains(&"U: an animation in the operands of a union".to_owned()), "{losses:?}");
}
