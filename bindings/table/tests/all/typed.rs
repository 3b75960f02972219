//! Reads every fixture and every real file with its format crate, and the rows of a batch.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rezkit::scene::Scene;
use rezkit_table::arrow_array::cast::AsArray as _;
use rezkit_table::arrow_array::types::{Float32Type, Int64Type, UInt64Type};
use rezkit_table::arrow_array::{Array, RecordBatch};
use rezkit_table::arrow_schema::DataType;

/// A row: each column's value as text, or `None` for null.
pub(crate) type Row = BTreeMap<String, Option<String>>;

/// The rows of a batch. Floats are compared by their bits.
pub(crate) fn rows(batch: &RecordBatch) -> Vec<Row> {
    let cell = |column: &dyn Array, row: usize| match column.data_type() {
        _ if column.is_null(row) => None,
        DataType::Utf8 => Some(column.as_string::<i32>().value(row).to_owned()),
        DataType::UInt64 => Some(column.as_primitive::<UInt64Type>().value(row).to_string()),
        DataType::Int64 => Some(column.as_primitive::<Int64Type>().value(row).to_string()),
        DataType::Float32 => Some(column.as_primitive::<Float32Type>().value(row).to_string()),
        other => panic!("a column of {other}"),
    };
    let schema = batch.schema();
    let row = |row: usize| {
        let columns = schema.fields().iter().zip(batch.columns());
        columns.map(|(field, column)| (field.name().clone(), cell(column, row))).collect()
    };
    (0..batch.num_rows()).map(row).collect()
}

/// A file as its format crate reads it.
#[allow(clippy::large_enum_variant, reason = "there is one of them at a time")]
pub(crate) enum Typed {
    Mesh(rbxmesh::Mesh),
    Binary(rbxbinary::Document),
    Xml(rbxxml::Document),
    Model(m3d::Model),
    Asset(slmesh::Asset),
    Slm(slmesh::Slm),
    Motion(slmesh::motion::Motion),
    Llsd,
    /// A scene of a format that is only read as a scene, and the name of the format.
    Scene(Scene, &'static str),
    Material,
}

/// Reads a file with its format crate; an error is text, and `None` means that no crate reads it.
pub(crate) fn typed(name: &str, bytes: &[u8]) -> Option<Result<Typed, String>> {
    fn text(error: impl ToString) -> String {
        error.to_string()
    }
    let extension = name.rsplit('.').next().unwrap_or_default().to_lowercase();
    if rbxbinary::detect(bytes).is_some() {
        return Some(rbxbinary::from_slice(bytes).map(Typed::Binary).map_err(text));
    } else if rbxxml::detect(bytes).is_some() {
        return Some(rbxxml::from_slice(bytes).map(Typed::Xml).map_err(text));
    } else if rbxmesh::detect(bytes).is_some() {
        return Some(rbxmesh::from_slice(bytes).map(Typed::Mesh).map_err(text));
    } else if m3d::detect(bytes).is_some() {
        return Some(m3d::from_slice(bytes).map(Typed::Model).map_err(text));
    }
    let scene = |kind| {
        let opened = rezkit::open(bytes.to_vec(), name, ()).map_err(text);
        opened
            .and_then(|mut of| of.scene(&Default::default()).map_err(text))
            .map(|(scene, _)| Typed::Scene(scene, kind))
    };
    for kind in ["glb", "gltf", "obj", "ply", "stl", "bvh"] {
        if extension == kind {
            return Some(scene(kind));
        }
    }
    match slmesh::detect(bytes) {
        Some(slmesh::Kind::Slm) => return Some(slmesh::Slm::from_slice(bytes).map(Typed::Slm).map_err(text)),
        Some(slmesh::Kind::Asset) => return Some(slmesh::from_slice(bytes).map(Typed::Asset).map_err(text)),
        // An asset of OpenSimulator has an extension that does not show its kind.
        _ if extension == "material" || bytes.windows(8).any(|text| text == b"GLTF 2.0") => {
            return Some(Ok(Typed::Material));
        }
        _ if slmesh::motion::detect(bytes) => {
            return Some(slmesh::motion::from_slice(bytes).map(Typed::Motion).map_err(text));
        }
        _ => {}
    }
    llsd::detect(bytes)?;
    Some(llsd::from_slice(bytes).map(|_| Typed::Llsd).map_err(text))
}

/// Every fixture and every real file, with its path.
pub(crate) fn files() -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut folders, mut files) = (vec![root.join("fixtures")], Vec::new());
    folders.extend(["corpus", "cases"].map(|name| root.join("../shared").join(name)));
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.map(|entry| entry.expect("an entry").path()) {
            match entry.is_dir() {
                // Files that exceed a limit are not read in full.
                true if entry
                    .file_name()
                    .is_some_and(|name| name.to_string_lossy().starts_with("attack")) => {}
                true => folders.push(entry),
                false => files.push((entry.clone(), fs::read(&entry).expect("a file"))),
            }
        }
    }
    files.sort();
    files
}

/// The hash, computed in pieces with the BLAKE3 crate directly.
pub(crate) fn blake3(bytes: &[u8]) -> String {
    let mut hasher = ::blake3::Hasher::new();
    bytes.chunks(1000).for_each(|chunk| _ = hasher.update(chunk));
    hasher.finalize().to_hex().to_string()
}
