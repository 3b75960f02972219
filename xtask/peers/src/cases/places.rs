//! Converting Roblox places to GLB and extracting scripts, compared with reading the document or the terrain alone,
//! since no other program makes scenes of places.

use std::rc::Rc;

use rbxbinary::geom::{CFrame, Mat3, Vec3};
use rbxbinary::{Document, NewInstance, Value};
use rbxblobs::SmoothGrid;
use rbxblobs::terrain::{Chunk, Voxel};
use rezkit::scene::{SceneOptions, Terrain};
use rezkit::{ConvertOptions, ExtractOptions};

use crate::measure::Case;

pub fn cases(_: &[usize]) -> Vec<Case> {
    let place = Rc::new(place(115_000, 6_690, 500));
    let document = Rc::clone(&place);
    let mut cases = vec![
        Case::new("rezkit", "convert a place of 115,000 instances with 6,690 unions to GLB", place.len())
            .ours(move || converted(&place, SceneOptions::default()))
            .yardstick("reading the document", move || rbxbinary::from_slice(&document).expect("a place")),
    ];
    let scripts = Rc::new(scripts(100_000));
    let document = Rc::clone(&scripts);
    cases.push(
        Case::new("rezkit", "extract 100,000 sibling scripts as files", scripts.len())
            .ours(move || {
                let opened = rezkit::open(scripts.to_vec(), "place.rbxm", ()).expect("a model");
                opened.extract(&ExtractOptions::new()).expect("files").files
            })
            .yardstick("reading the document", move || rbxbinary::from_slice(&document).expect("a model")),
    );
    let grid = islands(1_633).to_vec().expect("terrain");
    let terrain = NewInstance::new("Terrain").property("SmoothGrid", &*grid);
    let place = Rc::new(written(NewInstance::new("Workspace").service(true).child(terrain)));
    let grid = Rc::new(grid);
    for step in [1, 4] {
        let (place, grid) = (Rc::clone(&place), Rc::clone(&grid));
        let mut options = SceneOptions::default();
        options.terrain = Terrain::Step(step);
        let every = if step == 1 { "at every voxel".to_owned() } else { format!("every {step} voxels") };
        let what = format!("convert terrain of 1,633 chunks to GLB, sampled {every}");
        let case = Case::new("rezkit", what, grid.len())
            .ours(move || converted(&place, options.clone()))
            .yardstick("reading the voxels", move || {
                let grid: SmoothGrid = rbxblobs::from_slice(&grid).expect("terrain");
                let full = |chunk: &Chunk| chunk.voxels().filter(|voxel| voxel.filled() > 0).count();
                grid.chunks.iter().map(full).sum::<usize>()
            });
        cases.push(case);
    }
    cases
}

fn converted(place: &[u8], scene: SceneOptions) -> Vec<rezkit::File> {
    let mut opened = rezkit::open(place.to_vec(), "place.rbxl", ()).expect("a place");
    let options = ConvertOptions::new().scene(scene);
    opened.convert(Some("glb"), "place.glb", &options).expect("a scene").files
}

fn written(workspace: NewInstance) -> Vec<u8> {
    let mut document = Document::new();
    document.insert(None, workspace.property("Name", "Workspace")).expect("it is inserted");
    rbxbinary::to_vec(&document).expect("it is written")
}

/// A document with scripts in one folder.
fn scripts(count: usize) -> Vec<u8> {
    let folder = (0..count).fold(NewInstance::new("Folder"), |folder, number| {
        let script = NewInstance::new("ModuleScript").property("Name", format!("Script{number}"));
        folder.child(script.property("Source", format!("return {number}")))
    });
    let mut document = Document::new();
    document.insert(None, folder.property("Name", "Scripts")).expect("it is inserted");
    rbxbinary::to_vec(&document).expect("it is written")
}

/// Parts in rows. Some of them are unions of 19 hulls each, with `shapes` different shapes.
fn place(instances: usize, unions: usize, shapes: usize) -> Vec<u8> {
    let shapes: Vec<Vec<u8>> = (0..shapes).map(|shape| hulls(19, 1.0 + shape as f32 / 1000.0)).collect();
    let mut workspace = NewInstance::new("Workspace").service(true);
    for number in 0..instances - 1 {
        let is_union = number < unions;
        let class = if is_union { "UnionOperation" } else { "Part" };
        let (x, z) = ((number % 340) as f32, (number / 340) as f32);
        let frame = CFrame { position: Vec3::new(4.0 * x, 0.0, 4.0 * z), rotation: Mat3::IDENTITY };
        let mut part = NewInstance::new(class)
            .property("Name", class)
            .property("CFrame", frame)
            .property("Size", Vec3::new(2.0, 1.0, 2.0));
        if is_union {
            let shape = Value::SharedString(shapes[number % shapes.len()].as_slice().into());
            part =
                part.property("InitialSize", Vec3::new(2.0, 1.0, 2.0)).property("PhysicalConfigData", shape);
        }
        workspace = workspace.child(part);
    }
    written(workspace)
}

/// Collision data of version 3, with a row of tetrahedra.
fn hulls(count: usize, size: f32) -> Vec<u8> {
    let mut bytes = b"CSGPHS\x03\0\0\0".to_vec();
    for hull in 0..count {
        // Two lists of 16 bytes; the last four bytes of the second are the float 1.
        bytes.extend([16, 0, 0, 0].into_iter().chain([0; 16]));
        bytes.extend([16, 0, 0, 0].into_iter().chain([0; 12]));
        bytes.extend([0, 0, 0x80, 0x3f, 12, 0, 0, 0, 4, 0, 0, 0]);
        let at = hull as f32 / 19.0;
        let corners = [[at, 0.0, 0.0], [at + 0.05, 0.0, 0.0], [at, size, 0.0], [at, 0.0, size]];
        corners.iter().flatten().for_each(|number: &f32| bytes.extend(number.to_le_bytes()));
        bytes.extend(12_u32.to_le_bytes());
        [0_u32, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3].iter().for_each(|index| bytes.extend(index.to_le_bytes()));
    }
    bytes
}

/// Hills of grass, whose top voxels are half full.
fn islands(count: usize) -> SmoothGrid {
    let air = Voxel { material: 0, occupancy: None, water: None };
    let grass = Voxel { material: 2, ..air };
    let top = Voxel { occupancy: Some(128), ..grass };
    let mut chunks = Vec::new();
    let positions = (0..41).flat_map(|x| (0..41).map(move |z| [x, 0, z]));
    for position in positions.take(count) {
        let height = |x: i32, z: i32| {
            let (x, z) = ((position[0] * 32 + x) as f32, (position[2] * 32 + z) as f32);
            16.0 + 8.0 * (x / 19.0).sin() * (z / 23.0).cos() + 5.0 * (x / 7.0).sin()
        };
        let mut runs: Vec<(Voxel, u16)> = Vec::new();
        for (y, z, x) in (0..32).flat_map(|y| (0..32).flat_map(move |z| (0..32).map(move |x| (y, z, x)))) {
            let above = height(x, z) - y as f32;
            let voxel = if above >= 1.0 {
                grass
            } else if above > 0.0 {
                top
            } else {
                air
            };
            match runs.last_mut() {
                Some((last, count)) if *last == voxel && *count < 256 => *count += 1,
                _ => runs.push((voxel, 1)),
            }
        }
        chunks.push(Chunk { position, runs });
    }
    SmoothGrid { chunks }
}
