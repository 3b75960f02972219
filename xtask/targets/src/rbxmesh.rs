use rbxmesh::{LodChoice, Mesh, ReadOptions};

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
    if let Some(mesh) = model::hostile(data, |file| options().read(file)) {
        model::reads_back(&mesh, |file| options().read(file), rbxmesh::to_vec);
    }
}

/// Every public function of a mesh.
pub fn everything(mesh: &Mesh) {
    let _findings = rbxmesh::check(mesh);
    let _bounds = mesh.bounds();
    for level in 0..mesh.levels().len().min(4) {
        let _level = mesh.to_tri_mesh(level);
    }
    let skin = mesh.skin();
    let _influences: usize = (0..mesh.vertices.len()).map(|vertex| skin.influences(vertex).count()).sum();
    for bone in &mesh.bones {
        let _poses = (bone.bind_pose(), bone.inverse_bind_pose());
    }
    if let Some(facs) = &mesh.facs {
        for pose in 0..facs.pose_count().min(100) {
            let _pose = (facs.pose(pose), facs.transform(0, pose));
        }
    }
    for &version in rbxmesh::Version::ALL {
        let (converted, _dropped) = mesh.to_version(version, LodChoice::First);
        if let Ok(bytes) = rbxmesh::to_vec(&converted) {
            let read = ReadOptions::new().read(&bytes).expect("what was written reads");
            assert!(read == converted, "another mesh was read than written");
        }
    }
}
