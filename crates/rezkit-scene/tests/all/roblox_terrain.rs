//! Terrain of Roblox documents: its work, and what of it is lost.

use rbxbinary::{Document, NewInstance, Value};
use rbxblobs::SmoothGrid;
use rbxblobs::terrain::{Chunk, Voxel};
use rezkit_scene::{LossKind, Scene, SceneOptions};

const AIR: Voxel = Voxel { material: 0, occupancy: None, water: None };

fn full(material: u8) -> Voxel {
    Voxel { material, occupancy: None, water: None }
}

/// A chunk whose lower half consists of a voxel, and the upper one of another.
fn halves(position: [i32; 3], low: Voxel, high: Voxel) -> Chunk {
    let half = |voxel| [(voxel, 256); 64];
    Chunk { position, runs: [half(low), half(high)].concat() }
}

fn blob(chunks: Vec<Chunk>) -> Vec<u8> {
    SmoothGrid { chunks }.to_vec().expect("writable")
}

/// A document with a number of Terrains that have the same properties.
fn terrains(count: usize, properties: &[(&str, &[u8])]) -> Document {
    let mut document = Document::new();
    for _ in 0..count {
        let mut terrain = NewInstance::new("Terrain").property("Name", "T");
        for &(name, bytes) in properties {
            terrain = terrain.property(name, Value::from(bytes.to_vec()));
        }
        document.insert(None, terrain).expect("complete");
    }
    document
}

fn losses_of(properties: &[(&str, &[u8])]) -> (Scene, Vec<(LossKind, String, usize)>) {
    let (scene, losses) = crate::scene_of(&terrains(1, properties));
    assert!(losses.iter().all(|loss| loss.path == "T"), "{losses:?}");
    let losses = losses.into_iter().map(|loss| (loss.kind, loss.what.to_string(), loss.count));
    (scene, losses.filter(|(_, what, _)| !what.starts_with("terrain becomes")).collect())
}

/// Terrains with equal voxels share a mesh; what is approximated is listed for each.
#[test]
fn equal_terrains_share_a_mesh() {
    let voxels = blob(vec![halves([0; 3], full(2), AIR)]);
    let (scene, losses) = crate::scene_of(&terrains(30, &[("SmoothGrid", &voxels)]));
    assert_eq!((scene.nodes.len(), scene.meshes.len(), losses.len()), (30, 1, 1));
    assert_eq!((losses[0].count, losses[0].path.as_str()), (30, "T"));
}

/// 60,000 chunks with a surface, in a few bytes each, would take half a minute.
#[test]
fn chunks_with_a_surface_count_as_work() {
    let apart = |index: i32| halves([index % 250 * 2, 0, index / 250 * 2], full(2), AIR);
    let document = terrains(1, &[("SmoothGrid", &blob((0..60_000).map(apart).collect()))]);
    let error = crate::of_document(&document, &SceneOptions::default()).map(|_| ());
    let error = error.expect_err("too much work").to_string();
    assert!(error.contains("processing terrain would take too long"), "{error}");
}

/// A chunk that is too far away, and one whose position a later one has, are listed; the others are shown.
#[test]
fn chunks_without_effect_are_listed() {
    let near = || halves([0; 3], full(2), AIR);
    let shown = losses_of(&[("SmoothGrid", &blob(vec![near()]))]);
    assert_eq!(shown.1, []);
    let far = [300_000, 262_145, i32::MIN].map(|x| halves([x, 0, 0], full(2), AIR));
    let far = losses_of(&[("SmoothGrid", &blob([vec![near()], far.to_vec()].concat()))]);
    assert_eq!(far.0.meshes, shown.0.meshes);
    let what = "a chunk of terrain that is too far away from the origin";
    assert_eq!(far.1, [(LossKind::LeftOut, what.to_owned(), 3)]);
    let repeated = vec![halves([0; 3], full(3), full(3)), near()];
    let repeated = losses_of(&[("SmoothGrid", &blob(repeated))]);
    assert_eq!(repeated.0.meshes, shown.0.meshes);
    let what = "a chunk of terrain, since a later chunk has the same position";
    assert_eq!(repeated.1, [(LossKind::LeftOut, what.to_owned(), 1)]);
}

#[test]
fn unknown_materials_are_listed() {
    let (scene, losses) = losses_of(&[("SmoothGrid", &blob(vec![halves([0; 3], full(40), AIR)]))]);
    assert_eq!(scene.materials[0].name, "Terrain.Unknown");
    let what = "the terrain material 40 is unknown, so it becomes grey";
    assert_eq!(losses, [(LossKind::Approximated, what.to_owned(), 1)]);
}

/// Damaged colours do not drop the terrain: it has the colours that it has without them.
#[test]
fn damaged_colors_become_the_default() {
    let voxels = blob(vec![halves([0; 3], full(2), AIR)]);
    let (plain, _) = losses_of(&[("SmoothGrid", &voxels)]);
    for colors in [&[1; 69][..], &[0; 10]] {
        let (scene, losses) = losses_of(&[("SmoothGrid", &voxels), ("MaterialColors", colors)]);
        assert_eq!(scene.materials, plain.materials);
        assert_eq!((scene.triangle_count(), losses.len()), (plain.triangle_count(), 1));
        assert_eq!(losses[0].0, LossKind::Approximated);
        let what =
            "the colours of the materials of terrain cannot be read, so the default colours are used: ";
        assert!(losses[0].1.starts_with(what), "{losses:?}");
    }
}
