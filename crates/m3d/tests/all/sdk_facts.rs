//! Compares the SDK's counts and sums for the real files with those of our models.
//!
//! The facts are a JSON table `files`: for the name of each file, what a build of the SDK counted in it. Of each entry,
//! `raw` (without generated normals, and without voxels as a mesh) is compared. If the SDK is known to be wrong, the
//! difference must be the known one. The variables VECTORS and VECTOR_FILES name another table of
//! the same form and its files.
#![allow(clippy::print_stdout, reason = "shown if a fact does not hold")]

use std::collections::BTreeSet;

use m3d::{CommandId, Model, SkinId, TypeField, Types, Value as Property, Voxel};
use serde_json::{Map, Value, json};

#[derive(Default)]
struct Sum {
    equal: usize,
    explained: usize,
    differences: usize,
}

impl Sum {
    fn differs(&mut self, name: &str, what: &str) {
        self.differences += 1;
        println!("{name}: {what}");
    }

    fn explained(&mut self, name: &str, what: &str) {
        self.explained += 1;
        println!("{name}: {what} (explained)");
    }
}

fn compare(name: &str, bytes: &[u8], facts: &Map<String, Value>, sum: &mut Sum) {
    let loaded = facts.get("loaded").and_then(Value::as_bool).unwrap_or(true);
    let model = match m3d::from_slice(bytes) {
        Ok(model) => model,
        Err(_) if !loaded => return sum.equal += 1,
        Err(error) => return sum.differs(name, &format!("the SDK reads it; here: {error}")),
    };
    if !loaded {
        return sum.explained(name, "the SDK does not read it, and it is read here");
    }
    let ours = count(&model, bytes);
    for (key, theirs) in facts {
        let Some(here) = ours.get(key) else {
            // The SDK's own state (its error code and its flags) is not a fact about the file.
            if !matches!(key.as_str(), "loaded" | "errcode" | "fatal" | "flags") {
                sum.differs(name, &format!("{key}: a fact that is not known here"));
            }
            continue;
        };
        if close(key, theirs, here) {
            sum.equal += 1;
        } else if let Some(why) = known_error(key, theirs, here, facts, &model) {
            sum.explained(name, &format!("{key}: the SDK has {theirs}, here {here}: {why}"));
        } else {
            sum.differs(name, &format!("{key}: the SDK has {theirs}, here {here}"));
        }
    }
}

/// Whether two values are equal, or two numbers differ only by rounding in sums and in printing.
fn close(key: &str, theirs: &Value, ours: &Value) -> bool {
    match (theirs, ours) {
        (Value::Array(theirs), Value::Array(ours)) => {
            theirs.len() == ours.len() && theirs.iter().zip(ours).all(|(a, b)| close(key, a, b))
        }
        (Value::Object(theirs), Value::Object(ours)) => {
            theirs.iter().all(|(key, value)| ours.get(key).is_some_and(|ours| close(key, value, ours)))
        }
        (Value::Number(a), Value::Number(b)) => {
            let (Some(a), Some(b)) = (a.as_f64(), b.as_f64()) else { return false };
            // The SDK approximates the interpolation of rotations.
            let allowed = if key.starts_with("pose_") && key != "pose_ms" { 2e-3 } else { 2e-6 };
            let whole = a.fract() == 0.0 && b.fract() == 0.0;
            if whole && !key.starts_with("sum_") {
                a == b
            } else {
                (a - b).abs() <= allowed * a.abs().max(1.0)
            }
        }
        (a, b) => a == b,
    }
}

/// The reason for the SDK's value, if it is wrong in a known way that explains this value.
fn known_error(
    key: &str,
    theirs: &Value,
    ours: &Value,
    facts: &Map<String, Value>,
    model: &Model,
) -> Option<&'static str> {
    let number = |value: &Value| value.as_f64();
    let errcode = facts.get("errcode").and_then(Value::as_i64).unwrap_or(0);
    let types = model.layout.types().unwrap_or(Types(0));
    if model.layout.variant() == Some(m3d::Variant::Ascii)
        && let Some(why) = known_error_in_text(key, theirs, ours, model)
    {
        return Some(why);
    }
    match key {
        "preview_len" if number(theirs)? == number(ours)? + 8.0 => Some("it counts the head of the chunk"),
        "numlabel" => {
            // The SDK counts the name, the language and the colour of each chunk as labels.
            let si = types.size(TypeField::Name);
            let record = types.size(TypeField::Vertex) + si;
            let front = 2 * si + types.size(TypeField::Color);
            let all: usize =
                model.labels.iter().map(|group| (front + group.labels.len() * record) / record).sum();
            (number(theirs)? == all as f64).then_some("it counts the beginning of the chunk as labels")
        }
        "numface" | "face_vsum123" | "face_tsum" | "face_nsum" | "face_msum" if errcode == -67 => {
            Some("it stops at the first polygon that is not a triangle")
        }
        "numaction" | "actions" if model.actions.iter().any(|action| action.frames.is_empty()) => {
            Some("it drops actions without frames")
        }
        "numprop" if errcode == -66 => Some("it drops what follows a property that it does not know"),
        "numprop" | "numtexture" => {
            // The SDK ignores a texture that is not in the file, and drops its property.
            let (missing, nameless) = missing_textures(model);
            let theirs = number(theirs)?;
            let ours = number(ours)?;
            let fits = match key {
                "numprop" => theirs == ours - missing as f64 || theirs == ours - nameless as f64,
                _ => (ours..=ours + missing as f64).contains(&theirs),
            };
            (fits || errcode == -77).then_some(
                "it drops textures that are not in the file, and materials of a name that was there",
            )
        }
        "nummaterial" | "face_msum" if errcode == -77 => {
            Some("it ignores the second material of a name, and those that are not defined")
        }
        "numbone" | "numskin" | "sum_weight" | "skinned_vertices" | "sum_skinid"
            if errcode == -76 || types.size(TypeField::Bone) == 0 =>
        {
            Some("it does not read skins of bones without a width")
        }
        "sum_weight" | "numskin" if errcode == -72 => Some("it cuts skins to four bones"),
        "actions" => pose_only(theirs, ours, model.bones.len())
            .then_some("between frames it turns bones by an approximation of its own"),
        _ => None,
    }
}

/// Whether the actions differ only in the sums of the pose, and by little for each bone.
fn pose_only(theirs: &Value, ours: &Value, bones: usize) -> bool {
    let (Some(theirs), Some(ours)) = (theirs.as_array(), ours.as_array()) else { return false };
    let near = |a: &Value, b: &Value| match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => (a - b).abs() <= 0.1 * bones as f64,
        _ => a == b,
    };
    theirs.len() == ours.len()
        && theirs.iter().zip(ours).all(|(theirs, ours)| {
            let same = |key| theirs.get(key) == ours.get(key);
            let sums = ["pose_mat_sum", "pose_trans_sum"];
            ["frames", "msec", "transforms", "pose_ms"].into_iter().all(same)
                && sums
                    .iter()
                    .all(|key| matches!((theirs.get(key), ours.get(key)), (Some(a), Some(b)) if near(a, b)))
        })
}

/// The number of properties with the name of a texture that is not an asset, and of those with an empty name.
fn missing_textures(model: &Model) -> (usize, usize) {
    let maps = || {
        model.materials.iter().flat_map(|material| &material.properties).filter_map(
            |property| match &property.value {
                Property::Map(name) => Some(name),
                _ => None,
            },
        )
    };
    let missing = maps().filter(|name| name.is_empty() || model.asset(name).is_none()).count();
    (missing, maps().filter(|name| name.is_empty()).count())
}

/// Errors of the SDK that only occur in texts.
fn known_error_in_text(key: &str, theirs: &Value, ours: &Value, model: &Model) -> Option<&'static str> {
    let undefined = model.undefined_materials().len();
    match key {
        "voxels" => Some("it reads rows of voxels as something else"),
        "nummaterial" => {
            let more = theirs.as_u64()?.checked_sub(ours.as_u64()?)?;
            let used = model.shapes.iter().flat_map(|shape| &shape.commands).any(|c| c.id == CommandId::USE);
            (more > 0 && (undefined > 0 || used))
                .then_some("it makes an empty material of each that is only used")
        }
        "face_msum" if undefined > 0 => Some("it makes an empty material of each that is only used"),
        "numskin" | "sum_skinid" | "skinned_vertices" | "sum_weight" if !model.skins.is_empty() => {
            Some("it skips the first bone of each vertex")
        }
        "preview_len" | "numinlined" | "numextra" | "numtexture" => {
            Some("it looks for the files that a text names")
        }
        _ => None,
    }
}

/// Counts in our model what the SDK counts.
fn count(model: &Model, bytes: &[u8]) -> Map<String, Value> {
    let mut facts = Map::new();
    let mut put = |key: &str, value: Value| facts.insert(key.into(), value);
    let types = model.layout.types().unwrap_or(Types(0));
    put("size", json!(bytes.len()));
    put("scale", json!(model.scale_or_one()));
    for (key, field) in [
        ("vc_s", TypeField::Coord),
        ("vi_s", TypeField::Vertex),
        ("si_s", TypeField::Name),
        ("ci_s", TypeField::Color),
        ("ti_s", TypeField::TexCoord),
        ("bi_s", TypeField::Bone),
        ("nb_s", TypeField::Weights),
        ("sk_s", TypeField::Skin),
        ("fc_s", TypeField::FrameCount),
        ("hi_s", TypeField::Shape),
        ("fi_s", TypeField::Face),
    ] {
        put(key, json!(types.size(field)));
    }
    // The SDK does not turn these two into "none".
    put("vd_s", json!(1 << types.get(TypeField::VoxelDim)));
    put("vp_s", json!(1 << types.get(TypeField::Voxel)));
    if model.layout.variant() == Some(m3d::Variant::Ascii) {
        // A text has no widths.
        for key in [
            "vc_s", "vi_s", "si_s", "ci_s", "ti_s", "bi_s", "nb_s", "sk_s", "fc_s", "hi_s", "fi_s", "vd_s",
            "vp_s",
        ] {
            put(key, json!(0));
        }
    }

    put("numcmap", json!(model.layout.palette().len()));
    put("numtmap", json!(model.tex_coords.uvs.len()));
    put("numtexture", json!(textures(model)));
    put("numbone", json!(model.bones.len()));
    put("numvertex", json!(model.vertices.len()));
    put("numskin", json!(model.skins.len()));
    put("nummaterial", json!(model.materials.len()));
    put("numface", json!(model.face_count()));
    put("numvoxtype", json!(model.voxel_types.len()));
    put("numvoxel", json!(model.voxel_blocks.len()));
    put("numshape", json!(model.shapes.len()));
    put("numlabel", json!(model.labels.iter().map(|group| group.labels.len()).sum::<usize>()));
    put("numaction", json!(model.actions.len()));
    put("numinlined", json!(model.assets.len()));
    // The SDK also keeps assets in its list of unknown chunks.
    put("numextra", json!(model.extras.len() + model.assets.len()));
    put("preview_len", json!(model.preview.as_ref().map_or(0, Vec::len)));
    put("numprop", json!(model.materials.iter().map(|material| material.properties.len()).sum::<usize>()));

    let vertices = &model.vertices;
    let mut xyzw = [0.0; 4];
    for coord in &vertices.coords {
        for (sum, value) in xyzw.iter_mut().zip(coord.to_array()) {
            *sum += f64::from(value);
        }
    }
    put("sum_xyzw", json!(xyzw));
    let uvs = &model.tex_coords.uvs;
    put(
        "sum_uv",
        json!([
            uvs.iter().map(|uv| f64::from(uv.x)).sum::<f64>(),
            uvs.iter().map(|uv| f64::from(uv.y)).sum::<f64>()
        ]),
    );
    put(
        "sum_color",
        json!(vertices.colors.iter().map(|c| u64::from(u32::from_le_bytes(c.to_array()))).sum::<u64>()),
    );
    put("quat_vertices", json!(vertices.skins.iter().filter(|&&skin| skin == SkinId::QUATERNION).count()));
    put("skinned_vertices", json!(vertices.skins.iter().filter(|skin| skin.get().is_some()).count()));
    put("sum_skinid", json!(vertices.skins.iter().filter_map(|skin| skin.get()).sum::<usize>()));
    let weight = |skin: &m3d::Skin| skin.influences().map(|(_, weight)| f64::from(weight)).sum::<f64>();
    put("sum_weight", json!(model.skins.iter().map(weight).sum::<f64>()));
    faces(model, &mut facts);
    facts.insert(
        "actions".into(),
        Value::Array(model.actions.iter().enumerate().map(|(i, _)| action(model, i)).collect()),
    );
    facts.insert("voxels".into(), Value::Array(model.voxel_blocks.iter().map(voxels).collect()));
    facts.insert(
        "shapes".into(),
        Value::Array(model.shapes.iter().map(|shape| json!(shape.commands.len())).collect()),
    );
    facts
}

/// The number of textures: assets that are images and whose name a material contains.
fn textures(model: &Model) -> usize {
    let mut names = BTreeSet::new();
    for property in model.materials.iter().flat_map(|material| &material.properties) {
        if let Property::Map(name) = &property.value
            && model.asset(name).is_some_and(|asset| asset.data.starts_with(b"\x89PNG"))
        {
            names.insert(name);
        }
    }
    names.len()
}

fn faces(model: &Model, facts: &mut Map<String, Value>) {
    let (mut vertices, mut tex_coords, mut normals, mut materials) = (0_u64, 0_u64, 0_u64, 0_u64);
    for polygon in model.meshes.iter().flat_map(m3d::Mesh::polygons) {
        vertices += (1..).zip(polygon.vertices).map(|(n, id)| n * u64::from(id.0)).sum::<u64>();
        tex_coords += polygon.tex_coords.iter().filter_map(|id| id.get()).sum::<usize>() as u64;
        normals += polygon.normals.iter().filter_map(|id| id.get()).sum::<usize>() as u64;
        if !polygon.material.is_empty() {
            materials += model.material_id(polygon.material).get().map_or(0, |id| id as u64 + 1);
        }
    }
    facts.insert("face_vsum123".into(), json!(vertices));
    facts.insert("face_tsum".into(), json!(tex_coords));
    facts.insert("face_nsum".into(), json!(normals));
    facts.insert("face_msum".into(), json!(materials));
}

fn action(model: &Model, index: usize) -> Value {
    let action = &model.actions[index];
    let time = action.duration / 3;
    let pose = model.pose_with(action, time as f32, m3d::AfterLast::Wrap);
    let (mut all, mut translation) = (0.0, 0.0);
    for matrix in model.bone_matrices(&pose) {
        // The SDK's unit is the bounding cube.
        let units = matrix.translation() * (1.0 / model.scale_or_one());
        let moved = units.to_array().into_iter().map(f64::from).sum::<f64>();
        translation += moved;
        all += moved + matrix.linear().to_rows().into_iter().map(f64::from).sum::<f64>();
    }
    json!({
        "frames": action.frames.len(),
        "msec": action.duration,
        "transforms": action.frames.iter().map(|frame| frame.transforms.len()).sum::<usize>(),
        "pose_ms": time,
        "pose_mat_sum": all,
        "pose_trans_sum": translation,
    })
}

fn voxels(block: &m3d::VoxelBlock) -> Value {
    let there = |wanted| block.voxels.iter().filter(|&&voxel| voxel == wanted).count();
    let missing = block.volume().unwrap_or(usize::MAX) - block.voxels.len();
    json!({
        "pos": block.position,
        "dim": block.size,
        "unset": there(Voxel::UNSET) + missing,
        "clear": there(Voxel::CLEAR),
        "sum": block.voxels.iter().filter_map(|voxel| voxel.kind()).sum::<usize>(),
    })
}

/// Compares the real files with the facts, if both exist.
#[test]
fn real_files_are_as_the_sdk_counts_them() {
    let samples = testkit::vector_files("m3d");
    let vectors = testkit::vectors("m3d-sdk-facts.json");
    let Some((text, given)) = vectors.filter(|(_, given)| *given || !samples.is_empty()) else {
        return eprintln!("skipped: no facts");
    };
    let facts: Value = serde_json::from_slice(&text).expect("JSON");
    let files = facts["files"].as_object().expect("a table of files");
    let mut sum = Sum::default();
    for (name, facts) in files {
        let sample = samples.iter().find(|sample| sample.name == *name);
        let sample = sample.unwrap_or_else(|| panic!("no file {name}"));
        compare(name, &sample.bytes, facts["raw"].as_object().expect("facts"), &mut sum);
    }
    println!("{} facts equal, {} explained", sum.equal, sum.explained);
    assert_eq!(sum.differences, 0);
    let known = files.len() == 26 && sum.equal > 900;
    assert!(if given { sum.equal > 0 } else { known }, "{} facts of {} files", sum.equal, files.len());
}

/// A wrong fact is reported as a difference.
#[test]
fn a_wrong_fact_is_found() {
    let bytes = testkit::fixture("m3d", "raw.m3d");
    let facts = |count: u32| json!({ "loaded": true, "numvertex": count, "size": bytes.len() });
    for (count, differences) in [(3, 0), (4, 1)] {
        let mut sum = Sum::default();
        compare("raw.m3d", &bytes, facts(count).as_object().expect("facts"), &mut sum);
        assert_eq!(sum.differences, differences);
    }
}
