//! Real files.
use slmesh::{Kind, Lod};
use testkit::{Sample, corpus};

#[test]
fn every_real_file_comes_back_byte_for_byte() {
    for Sample { name, bytes } in corpus("slmesh") {
        assert_eq!(slmesh::detect(&bytes), Some(Kind::Asset), "{name}");
        let asset = slmesh::from_slice(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(slmesh::to_vec(&asset).unwrap() == bytes, "{name}");
        let mut edited = asset.clone();
        edited.high_lod.as_mut().unwrap().submeshes[0].positions[0][0] ^= 1;
        let out = slmesh::to_vec(&edited).unwrap();
        assert!(slmesh::from_slice(&out).unwrap() == edited);
        println!("{name} {:?}", Lod::ALL.map(|l| asset.triangle_count(l)));
    }
}
