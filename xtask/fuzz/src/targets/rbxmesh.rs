use rbxmesh::{Mesh, ReadOptions, WriteOptions};

use super::{MAX_BYTES, examine, model};

fn options() -> ReadOptions {
    ReadOptions::new().max_bytes(MAX_BYTES)
}

pub(super) fn read(data: &[u8]) {
    examine(data);
    if let Ok(mesh) = options().read(data) {
        everything(&mesh);
    }
    if let Ok(chunks) = rbxmesh::chunks(data) {
        let _walked = chunks.count();
    }
}

pub(super) fn model(data: &[u8]) {
    if let Some(mesh) = model::hostile(data, |file| options().read(file)) {
        everything(&mesh);
    }
}

pub(super) fn differential(data: &[u8]) {
    model::differential(data, |file| options().read(file));
}

/// Every public function of a mesh.
fn everything(mesh: &Mesh) {
    let _findings = rbxmesh::check(mesh);
    let _bounds = mesh.bounds();
    for level in 0..mesh.lods().len().min(4) {
        let _level = mesh.to_tri_mesh(level);
    }
    let _influences: usize = (0..mesh.vertices.len()).map(|vertex| mesh.influences(vertex).count()).sum();
    for bone in mesh.bones() {
        let _named = (bone.name(), bone.bone.bind_pose());
    }
    if let Some(facs) = mesh.facs() {
        for pose in 0..facs.pose_count().min(100) {
            let _pose = (facs.pose(pose), facs.transform(0, pose));
        }
    }
    for version in rbxmesh::Version::ALL {
        let _written = WriteOptions::new().version(version).write(mesh);
    }
}
