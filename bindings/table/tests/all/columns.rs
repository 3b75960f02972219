//! Compares every column of the table of assets with what the format crates read, for every fixture and real file.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rezkit_table::{Options, Table, scan};

use crate::typed::{Row, Typed, blake3, files, rows, typed};

/// The bounding box of points, without those that are infinite or NaN; `None` without points.
fn bounds(points: impl IntoIterator<Item = [f32; 3]>) -> Option<[f32; 6]> {
    let points = points.into_iter().filter(|point| point.iter().all(|axis| axis.is_finite()));
    let none = [
        f32::INFINITY,
        f32::INFINITY,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NEG_INFINITY,
        f32::NEG_INFINITY,
    ];
    let found = points.into_iter().fold(none, |mut all, point| {
        for axis in 0..3 {
            all[axis] = all[axis].min(point[axis]);
            all[axis + 3] = all[axis + 3].max(point[axis]);
        }
        all
    });
    (0..3).all(|axis| found[axis] <= found[axis + 3]).then_some(found)
}

/// The corners of all parts. If the file does not store a position or a size, the class's default is used.
fn parts<Id: Copy>(
    all: &[Id],
    class: impl Fn(Id) -> String,
    frame: impl Fn(Id, &str) -> Option<rbxbinary::types::CFrame>,
    size: impl Fn(Id, &str) -> Option<rbxmesh::geom::Vec3>,
    stores: impl Fn(Id, &str) -> bool,
) -> Vec<[f32; 3]> {
    const PARTS: [&str; 9] = [
        "Part",
        "MeshPart",
        "WedgePart",
        "CornerWedgePart",
        "TrussPart",
        "Seat",
        "VehicleSeat",
        "SpawnLocation",
        "UnionOperation",
    ];
    let mut corners = Vec::new();
    for &id in all {
        let class = class(id);
        if class == "Terrain" || class.ends_with("Adornment") {
            continue;
        }
        let is_part = PARTS.contains(&&*class);
        let frame = frame(id, "CFrame");
        let size = ["size", "Size"].iter().find_map(|name| size(id, name));
        let frame = frame.or_else(|| is_part.then(rbxbinary::types::CFrame::default));
        // The size of a new part in Studio. If the stored value has another type, there is no size.
        let is_stored = stores(id, "size") || stores(id, "Size");
        let size = size
            .or_else(|| (is_part && !is_stored).then_some(rbxmesh::geom::Vec3 { x: 4.0, y: 1.2, z: 2.0 }));
        let Some((frame, size)) = frame.zip(size) else { continue };
        let ([a, b, c, d, e, f, g, h, i], [x, y, z]) = (frame.rotation.to_rows(), size.to_array());
        let at = frame.position.to_array();
        for corner in 0..8 {
            let half = |bit: usize, side: f32| if corner & bit == 0 { -side / 2.0 } else { side / 2.0 };
            let [x, y, z] = [half(1, x), half(2, y), half(4, z)];
            corners.push([
                at[0] + a * x + b * y + c * z,
                at[1] + d * x + e * y + f * z,
                at[2] + g * x + h * y + i * z,
            ]);
        }
    }
    corners
}

const SCRIPTS: [&str; 4] = ["Script", "LocalScript", "ModuleScript", "AuroraScript"];
const ANIMATIONS: [&str; 2] = ["KeyframeSequence", "CurveAnimation"];

/// The expected columns of `assets`, except the path, the hash, the size and the errors; and the expected bounds.
#[allow(clippy::too_many_lines, reason = "a row for each type")]
fn expected(of: &Typed, references: u64) -> (Row, Option<[f32; 6]>) {
    let mut row = Row::new();
    let mut set = |name: &str, value: String| _ = row.insert(name.to_owned(), Some(value));
    let mut corners = None;
    macro_rules! document {
        ($document:ident) => {{
            let all: Vec<_> = $document.instances().collect();
            let class = |id| $document.class(id).map(ToString::to_string).unwrap_or_default();
            let count = |names: &[&str]| all.iter().filter(|&&id| names.contains(&&*class(id))).count();
            set("instances", all.len().to_string());
            set("scripts", count(&SCRIPTS).to_string());
            set("animations", count(&ANIMATIONS).to_string());
            set("references", references.to_string());
            let frame = |id, name: &str| $document.get(id, name)?.as_cframe();
            let size = |id, name: &str| $document.get(id, name)?.as_vector3();
            corners = bounds(parts(&all, class, frame, size, |id, name| $document.get(id, name).is_some()));
        }};
    }
    match of {
        Typed::Mesh(mesh) => {
            set("format", "rbxmesh".into());
            set("version", mesh.version.to_string());
            set("vertices", mesh.vertices.len().to_string());
            set("triangles", mesh.faces.len().to_string());
            set("bones", mesh.bones.len().to_string());
            corners = bounds(mesh.vertices.iter().map(|vertex| vertex.position.to_array()));
        }
        Typed::Binary(document) => {
            set("format", "rbxbinary".into());
            set("version", document.header.version.to_string());
            document!(document);
        }
        Typed::Xml(document) => {
            set("format", "rbxxml".into());
            set("version", document.version().map(|version| version.to_string()).unwrap_or_default());
            document!(document);
        }
        Typed::Model(model) => {
            set("format", "m3d".into());
            let is_text = model.layout.variant() == Some(m3d::Variant::Ascii);
            set("version", if is_text { "ascii" } else { "binary" }.into());
            set("vertices", model.vertices.len().to_string());
            set("triangles", model.triangle_count().to_string());
            set("bones", model.bones.len().to_string());
            set("materials", model.materials.len().to_string());
            set("animations", model.actions.len().to_string());
            let used = model.meshes.iter().flat_map(|mesh| &mesh.vertices);
            let used = used.filter_map(|&vertex| model.vertices.position(vertex));
            let scale = model.scale_or_one();
            corners = bounds(used.map(|point| point.to_array().map(|axis| axis * scale)));
        }
        Typed::Asset(asset) => {
            set("format", "slmesh".into());
            set("version", "asset".into());
            let finest = asset.lod(slmesh::Lod::High).map(|(_, level)| level);
            set("vertices", finest.map_or(0, |level| level.vertex_count()).to_string());
            set("triangles", finest.map_or(0, |level| level.triangle_count()).to_string());
            set("bones", asset.skin.as_ref().map_or(0, |skin| skin.joint_names.len()).to_string());
            let names = asset.material_list.iter().flatten();
            set("materials", names.collect::<HashSet<_>>().len().to_string());
            let points =
                finest.into_iter().flat_map(|level| &level.submeshes).flat_map(slmesh::Submesh::points);
            corners = bounds(points.map(|point| point.to_array()));
        }
        Typed::Slm(slm) => {
            set("format", "slmesh".into());
            set("version", "slm".into());
            let (mut vertices, mut triangles, mut points) = (0, 0, Vec::new());
            for instance in &slm.instances {
                let Some(mesh) = instance.mesh_id.and_then(|id| slm.meshes.get(id as usize)) else {
                    continue;
                };
                let mesh = mesh.to_tri_mesh(slmesh::Lod::High).expect("a level");
                vertices += mesh.positions.len();
                triangles += mesh.triangles.len();
                let m = instance.transform.expect("a transform");
                points.extend(mesh.positions.iter().map(|point| {
                    let [x, y, z] = point.to_array().map(f64::from);
                    [0, 1, 2]
                        .map(|axis| (x * m[axis] + y * m[axis + 4] + z * m[axis + 8] + m[axis + 12]) as f32)
                }));
            }
            set("vertices", vertices.to_string());
            set("triangles", triangles.to_string());
            let all = || slm.meshes.iter();
            let joints = all().filter_map(|mesh| mesh.skin.as_ref()).flat_map(|skin| &skin.joint_names);
            set("bones", joints.collect::<HashSet<_>>().len().to_string());
            let names = all().flat_map(|mesh| mesh.material_list.iter().flatten());
            set("materials", names.collect::<HashSet<_>>().len().to_string());
            corners = bounds(points);
        }
        Typed::Motion(motion) => {
            set("format", "slmesh".into());
            set("version", "motion".into());
            set("bones", motion.joints.len().to_string());
            set("animations", "1".into());
        }
        Typed::Material => {
            set("format", "slmesh".into());
            set("version", "material".into());
            set("materials", "1".into());
            set("references", references.to_string());
        }
        Typed::Llsd => {
            set("format", "llsd".into());
            set("references", references.to_string());
        }
        Typed::Scene(scene, kind) => {
            set("format", if kind.starts_with("gl") { "gltf" } else { kind }.into());
            let version = match *kind {
                "glb" | "gltf" => kind,
                "ply" => "1.0",
                _ => "",
            };
            set("version", version.into());
            if *kind != "bvh" {
                let (mut vertices, mut triangles) = (0, 0);
                for placed in scene.placed() {
                    for primitive in &scene.meshes[placed.mesh].primitives {
                        vertices += primitive.mesh.positions.len();
                        triangles += primitive.mesh.triangles.len();
                    }
                }
                set("vertices", vertices.to_string());
                set("triangles", triangles.to_string());
                corners = scene.bounds().map(|bounds| {
                    let ([a, b, c], [d, e, f]) = (bounds.min.to_array(), bounds.max.to_array());
                    [a, b, c, d, e, f]
                });
            }
            if matches!(*kind, "glb" | "gltf" | "obj") {
                set("materials", scene.materials.len().to_string());
            }
            if matches!(*kind, "glb" | "gltf" | "bvh") {
                let joints = scene.skins.iter().flat_map(|skin| &skin.joints);
                set("bones", joints.collect::<HashSet<_>>().len().to_string());
                set("animations", scene.animations.len().to_string());
            }
        }
    }
    (row, corners)
}

/// Columns that the test compares separately.
const COMPARED_APART: [&str; 5] = ["path", "blake3", "bytes", "error_kind", "error"];
const CORNERS: [&str; 6] = ["min_x", "min_y", "min_z", "max_x", "max_y", "max_z"];

#[test]
fn every_column_of_assets_is_that_of_the_typed_model() {
    let (mut compared, mut unread) = (BTreeMap::<String, usize>::new(), 0);
    let mut wrong = Vec::new();
    for (path, bytes) in files() {
        let name = path.to_string_lossy().into_owned();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if bytes.starts_with(&[0x1f, 0x8b]) {
            continue;
        }
        let Some(typed) = typed(&file, &bytes) else { continue };
        let one = |table| scan([(&*name, &*bytes)], table, &Options::default()).expect("a batch");
        let assets = rows(&one(Table::Assets));
        let [row] = assets.as_slice() else { panic!("{name}: {} rows", assets.len()) };
        assert_eq!(row["path"].as_deref(), Some(&*name));
        assert_eq!(row["bytes"], Some(bytes.len().to_string()), "{name}");
        assert_eq!(row["blake3"], Some(blake3(&bytes)), "{name}");
        let typed = match typed {
            Ok(typed) => typed,
            Err(error) => {
                assert!(row["error_kind"].is_some() && row["error"].is_some(), "{name}: {error}");
                unread += 1;
                for (column, value) in row.iter().filter(|(column, _)| !COMPARED_APART.contains(&&***column))
                {
                    assert_eq!(*value, None, "{name}: {column}");
                }
                continue;
            }
        };
        assert_eq!((&row["error_kind"], &row["error"]), (&None, &None), "{name}");
        // The distinct references in the table of references.
        let references: BTreeSet<_> =
            rows(&one(Table::References)).into_iter().map(|row| row["reference"].clone()).collect();
        let (expected, corners) = expected(&typed, references.len() as u64);
        for (column, value) in row {
            if COMPARED_APART.contains(&&**column) {
                continue;
            }
            if let Some(index) = CORNERS.iter().position(|corner| corner == column) {
                let found: Option<f32> = value.as_ref().map(|value| value.parse().expect("a number"));
                let wanted = corners.map(|corners| corners[index]);
                let is_near = match (found, wanted) {
                    (Some(a), Some(b)) => a == b || (a - b).abs() <= 1e-4 * (1.0 + b.abs()),
                    (a, b) => a.is_none() && b.is_none(),
                };
                if !is_near {
                    wrong.push(format!("{name}: {column}: {found:?}, expected {wanted:?}"));
                }
            } else if column == "version"
                && matches!(typed, Typed::Llsd | Typed::Motion(_) | Typed::Binary(_))
            {
                assert!(value.is_some(), "{name}");
            } else {
                let wanted = expected.get(column).cloned().flatten();
                if *value != wanted {
                    wrong.push(format!("{name}: {column}: {value:?}, expected {wanted:?}"));
                }
            }
            *compared.entry(column.clone()).or_default() += usize::from(value.is_some());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Each column is compared at least once with a value that is not null.
    let schema = Table::Assets.schema();
    for field in schema.fields().iter().filter(|field| !COMPARED_APART.contains(&&**field.name())) {
        assert!(compared.get(field.name()).is_some_and(|count| *count > 0), "{}", field.name());
    }
    assert!(unread > 10, "{unread}");
    println!("{compared:?}, {unread} not read");
}
