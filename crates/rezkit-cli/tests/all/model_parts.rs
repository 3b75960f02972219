//! Places that become GLB and then Roblox models again.

#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "colours and places")]

use std::collections::BTreeMap;

use rbxcore::Dom;
use rezkit::{ConvertOptions, ModelOptions, ReadOptions};

/// A part of a simple shape: its class and shape, size, frame and colour.
type Part = (String, [f32; 3], [f32; 12], [u8; 3]);

/// The parts of the Workspace, or of a model, that a scene shows as the shape that they are.
fn parts(document: &dyn Dom) -> Vec<Part> {
    let mut found = Vec::new();
    let is_service = |id| document.class(id).is_some_and(|class| class == "Workspace");
    let has_workspace = document.roots().any(is_service);
    for id in document.instances().collect::<Vec<_>>() {
        let mut top = id;
        while let Some(parent) = document.parent(top) {
            top = parent;
        }
        if has_workspace && !is_service(top) {
            continue;
        }
        let class = document.class(id).map(ToString::to_string).unwrap_or_default();
        let number = |name: &str| document.get(id, name).and_then(|value| value.as_f64());
        let shape = match (class.as_str(), number("shape").unwrap_or(1.0) as u8) {
            ("Part", 0) => "Ball",
            ("Part", 1) => "Block",
            ("Part", 2) => "Cylinder",
            ("WedgePart", _) => "Wedge",
            ("CornerWedgePart", _) => "CornerWedge",
            _ => continue,
        };
        let is_mesh = |child| document.class(child).is_some_and(|class| class.ends_with(b"Mesh"));
        let is_clear = number("Transparency").is_some_and(|value| value > 0.998);
        if is_clear || document.children(id).any(is_mesh) {
            continue;
        }
        let Some(size) = document.get(id, "size").and_then(|value| value.as_vector3()) else { continue };
        let Some(frame) = document.get(id, "CFrame").and_then(|value| value.as_cframe()) else { continue };
        let brick = document.get(id, "BrickColor").and_then(|value| value.as_f64());
        let brick = brick.and_then(|number| rbxcore::classes::brick_color(number as u32));
        let color = document.get(id, "Color3uint8").and_then(|value| value.as_color3());
        let color = color.map_or(brick.unwrap_or([163, 162, 165]), |c| {
            [c.r, c.g, c.b].map(|part| (part * 255.0).round() as u8)
        });
        let mut numbers = [0.0; 12];
        numbers[..9].copy_from_slice(&frame.rotation.to_rows());
        numbers[9..].copy_from_slice(&frame.position.to_array());
        // A ball and a cylinder are drawn with their smallest thickness.
        let [x, y, z] = size.to_array();
        let size = match shape {
            "Ball" => [x.min(y).min(z); 3],
            "Cylinder" => [x, y.min(z), y.min(z)],
            _ => [x, y, z],
        };
        found.push((shape.to_owned(), size, numbers, color));
    }
    found
}

fn near(a: &[f32], b: &[f32]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-3 * a.abs().max(1.0))
}

/// Whether two frames are the same but for turns of the shape that do not change it.
fn same(a: &Part, b: &Part) -> bool {
    a.0 == b.0 && a.3 == b.3 && near(&a.1, &b.1) && near(&a.2[9..], &b.2[9..]) && near(&a.2[..9], &b.2[..9])
}

/// At least 99 of 100 parts come back with class, size, frame and colour.
#[test]
fn parts_of_real_places_come_back() {
    let mut all = [0, 0];
    for sample in testkit::corpus("rbxbinary") {
        if !sample.name.ends_with(".rbxl") {
            continue;
        }
        let Ok(place) = rbxbinary::from_slice(&sample.bytes) else { continue };
        let wanted = parts(&*place);
        let mut opened = ReadOptions::new().open(sample.bytes, "place.rbxl", ()).expect("a place");
        let Ok(glb) = opened.convert(None, "place.glb", &ConvertOptions::new()) else { continue };
        let glb = glb.files.into_iter().next().expect("a file").bytes;
        let mut opened = ReadOptions::new().open(glb, "place.glb", ()).expect("a scene");
        let options = ConvertOptions::new().model(ModelOptions::new().parts(true));
        let made = opened.convert(None, "back.rbxm", &options).expect("a model");
        let made = made.files.into_iter().next().expect("a file").bytes;
        let back = parts(&*rbxbinary::from_slice(&made).expect("a model"));
        let mut by_place: BTreeMap<[i32; 3], Vec<Part>> = BTreeMap::new();
        let cell = |part: &Part, add: [i32; 3]| {
            let at = [part.2[9], part.2[10], part.2[11]].map(|axis| axis.round() as i32);
            [at[0] + add[0], at[1] + add[1], at[2] + add[2]]
        };
        back.into_iter().for_each(|part| by_place.entry(cell(&part, [0; 3])).or_default().push(part));
        let mut lost = Vec::new();
        for part in &wanted {
            let cells = (0..27).map(|n| cell(part, [n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1]));
            let found = cells.into_iter().any(|cell| {
                let Some(list) = by_place.get_mut(&cell) else { return false };
                list.iter().position(|other| same(part, other)).map(|at| list.swap_remove(at)).is_some()
            });
            if !found {
                lost.push(part);
            }
        }
        all = [all[0] + wanted.len() - lost.len(), all[1] + wanted.len()];
        println!("{}: {} of {}", sample.name, wanted.len() - lost.len(), wanted.len());
        lost.iter().take(3).for_each(|part| println!("  {part:?}"));
    }
    let [back, of] = all;
    assert!(back * 100 >= of * 99, "{back} of {of}");
}
