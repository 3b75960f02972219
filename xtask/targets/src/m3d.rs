use m3d::{Model, ReadOptions, ShapeId};
use rezkit::WriteOptions;

use super::{MAX_BYTES, examine, limits, model, round_trip};

fn options() -> ReadOptions {
    ReadOptions::new().max_bytes(MAX_BYTES)
}

pub(super) fn read(data: &[u8]) {
    examine(data);
    if let Ok(model) = options().read(data) {
        everything(&model);
    }
}

/// Whatever a model was read from, as far as text can represent it.
pub(super) fn ascii(data: &[u8]) {
    let Ok(asset) = limits().read(data) else { return };
    if asset.kind().format == "m3d"
        && let Ok(text) = asset.write(&WriteOptions::new().form("ascii"))
    {
        assert!(limits().read(&text).is_ok(), "text was written and is not read");
        round_trip(&text, "m3d", &[]);
    }
}

pub(super) fn model(data: &[u8]) {
    if let Some(model) = model::hostile(data, |file| options().read(file)) {
        everything(&model);
    }
}

pub(super) fn differential(data: &[u8]) {
    let Some(model) = model::hostile(data, |file| options().read(file)) else { return };
    model::reads_back(&model, |file| options().read(file), |model| m3d::WriteOptions::new().write(model));
}

/// Every public function of a model.
pub fn everything(model: &Model) {
    let _findings = m3d::check(model);
    let _triangles = model.to_tri_mesh();
    let _groups = (model.material_groups(), model.undefined_materials());
    for action in model.actions.iter().take(2) {
        let pose = model.pose(action, 100.0);
        let _matrices = model.skinning_matrices(&pose);
    }
    for shape in 0..model.shapes.len().min(4) {
        let _evaluated = model.evaluate_shape(ShapeId(shape as u32));
    }
    let _voxels = model.voxel_mesh();
    for variant in [m3d::Variant::Binary, m3d::Variant::Ascii] {
        let _written = m3d::WriteOptions::new().variant(variant).write(model);
    }
}
