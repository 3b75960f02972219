//! Broken input: reading returns an error or a mesh, never panics, and never takes more memory than documented.

use rbxmesh::errors::ErrorKind;
use rbxmesh::{LodChoice, ReadOptions, Version};
use testkit::{Hostile, fixture};

/// Reads, and calls everything with the mesh.
fn exercise(bytes: &[u8]) -> Result<(), String> {
    let _any = rbxmesh::detect(bytes);
    let mesh = ReadOptions::new().max_bytes(8 << 20).read(bytes).map_err(|error| error.to_string())?;
    let _findings = rbxmesh::check(&mesh);
    for level in mesh.levels() {
        assert!(level.len() <= mesh.faces.len());
    }
    let skin = mesh.skin();
    for vertex in 0..mesh.vertices.len() {
        assert!(skin.influences(vertex).all(|influence| usize::from(influence.bone) < mesh.bones.len()));
    }
    if let Some(facs) = &mesh.facs {
        let _last = facs.transform(facs.face_bones.len(), facs.pose_count());
    }
    assert!(mesh.to_tri_mesh(0).is_some_and(|mesh| mesh.is_consistent()));
    // A binary mesh is written as the same bytes; a text can contain more than the writer writes.
    let written = rbxmesh::to_vec(&mesh).map_err(|error| format!("read but not written: {error}"))?;
    if !mesh.version.is_text() {
        assert_eq!(written, bytes, "a binary mesh that was read comes back exact");
    }
    let again = rbxmesh::from_slice(&written).expect("what was written reads");
    assert_eq!(again, mesh);
    assert_eq!(rbxmesh::to_vec(&again).expect("and writes"), written);
    // Convert to a version that depends on the input.
    let turn = bytes.iter().map(|&byte| usize::from(byte)).sum::<usize>();
    let version = Version::ALL[turn % Version::ALL.len()];
    let (other, _) = mesh.to_version(version, LodChoice::First);
    match rbxmesh::to_vec(&other) {
        Ok(bytes) => assert_eq!(rbxmesh::from_slice(&bytes).expect("reads"), other, "{version}"),
        Err(error) => assert!(!error.path().is_empty(), "{error}"),
    }
    Ok(())
}

/// The limit in the README: four times the input, and memory for an error.
fn bound(len: usize) -> u64 {
    4 * len as u64 + 1024
}

const HOSTILE: Hostile<'_> = Hostile {
    name: "rbxmesh",
    read: &exercise,
    only_read: &|bytes| {
        // A compressed mesh can take up to the limit, whatever its size: hostile_draco.rs reads such meshes with limits
        // that valid ones do not reach.
        let chunked = rbxmesh::detect(bytes).is_some_and(|version| version.is_chunked());
        let limit = if chunked { bound(bytes.len()) - 1024 } else { 1 << 30 };
        ReadOptions::new().max_bytes(limit).read(bytes).is_ok()
    },
    bound: &bound,
    mutations: 500,
    counts: true,
};

#[test]
fn every_truncation_and_many_mutations() {
    HOSTILE.run();
}

#[test]
fn every_count_lies() {
    // The offsets and the widths of all counts and sizes in the header, after the first line of 13 bytes.
    let v4 = [(13, 2), (17, 4), (21, 4), (25, 2), (27, 2), (29, 4), (33, 2)];
    let v5 = [(13, 2), (17, 4), (21, 4), (25, 2), (27, 2), (29, 4), (33, 2), (37, 4), (41, 4)];
    let fields: [(&str, &[(usize, usize)]); 5] = [
        ("v2_00.mesh", &[(13, 2), (15, 1), (16, 1), (17, 4), (21, 4)]),
        ("v2_00_wide.mesh", &[(13, 2), (15, 1), (16, 1), (17, 4), (21, 4)]),
        ("v3_00.mesh", &[(13, 2), (15, 1), (16, 1), (17, 2), (19, 2), (21, 4), (25, 4)]),
        ("v4_01_skin.mesh", &v4),
        ("v5_00.mesh", &v5),
    ];
    for (name, fields) in fields {
        let good = fixture("rbxmesh", name);
        for &(at, size) in fields {
            for lie in [0, 1, 3, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff_u32] {
                let mut bytes = good.clone();
                bytes[at..at + size].copy_from_slice(&lie.to_le_bytes()[..size]);
                HOSTILE.one(&|| format!("{name}: {lie:#x} at {at}"), &bytes);
            }
        }
    }
    // In the facial animation: five sizes, and the rows and columns of the first matrix.
    let good = fixture("rbxmesh", "v5_00.mesh");
    let block = good.len() - (24 + 9 + 12 + 6 * 34 + 4 + 6);
    assert_eq!(good[block..block + 8], [9, 0, 0, 0, 12, 0, 0, 0], "the sizes of the names");
    for at in (block..block + 24).step_by(4).chain([block + 24 + 21 + 2, block + 24 + 21 + 6]) {
        for lie in [0, 1, 5, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff_u32] {
            let mut bytes = good.clone();
            bytes[at..at + 4].copy_from_slice(&lie.to_le_bytes());
            HOSTILE.one(&|| format!("facs: {lie:#x} at {at}"), &bytes);
        }
    }
    for count in ["0", "2", "3", "99999999999999999999999", "4294967296"] {
        let text = format!("version 1.00\n{count}\n{}", "[0,0,0]".repeat(18));
        HOSTILE.one(&|| count.into(), text.as_bytes());
    }
}

/// A file of version 4.00 with bones that share one name.
fn one_name(bones: u16, name: &[u8]) -> Vec<u8> {
    let mut bytes = b"version 4.00\n\x18\0\0\0\0\0\0\0\0\0\0\0\0\0".to_vec();
    bytes.extend(bones.to_le_bytes());
    bytes.extend(u32::try_from(name.len()).expect("short").to_le_bytes());
    bytes.extend([0; 4]);
    bytes.resize(bytes.len() + usize::from(bones) * 60, 0);
    bytes.extend(name);
    bytes
}

#[test]
fn bones_may_share_a_name_within_the_limit() {
    let bytes = one_name(2, &[b'x'; 200]);
    let mesh = rbxmesh::from_slice(&bytes).unwrap();
    assert_eq!((mesh.bones[0].name.len(), &mesh.bones[1].name), (200, &mesh.bones[0].name));
    assert_eq!(rbxmesh::to_vec(&mesh).unwrap(), bytes);
    // 60,000 copies of a name of a million bytes would take 60 GB.
    let bytes = one_name(60_000, &vec![b'x'; 1_000_000]);
    let limit = 32 << 20;
    let taken = testkit::measure(|| {
        let error = ReadOptions::new().max_bytes(limit).read(&bytes).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit(_)), "{error}");
        assert!(error.path().starts_with("bones["), "{error}");
    });
    assert!(taken.bytes_max <= limit + 1024, "{}", taken.bytes_max);
}

#[test]
fn what_a_reader_contains_counts_too() {
    let bytes = fixture("rbxmesh", "v5_00.mesh");
    for limit in [100, 1000, 3000] {
        let taken = testkit::measure(|| {
            let _either = ReadOptions::new().max_bytes(limit).read_from(bytes.as_slice());
        });
        assert!(taken.bytes_max <= limit + 1024, "{limit}: {}", taken.bytes_max);
    }
}

#[test]
fn many_chunks_take_no_longer_each() {
    // An empty mesh, followed by 200,000 copies of the same chunk.
    let mut bytes = b"version 6.00\nCOREMESH\x01\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0".to_vec();
    bytes.extend(b"FACS\0\0\0\0\x01\0\0\0\x04\0\0\0\0\0\0\0".repeat(200_000));
    let mesh = rbxmesh::from_slice(&bytes).unwrap();
    // A comparison of each chunk with all previous ones would take minutes.
    let findings = rbxmesh::check(&mesh);
    let twice = findings.iter().find(|finding| finding.rule.id == "rbxmesh.chunk-twice").unwrap();
    assert_eq!(twice.count, 199_999);
    assert_eq!(rbxmesh::to_vec(&mesh).unwrap(), bytes);
}

#[test]
fn chunks_twice_missing_and_in_any_order() {
    HOSTILE.rearranged(&|bytes| {
        let chunks = rbxmesh::chunks(bytes).into_iter().flatten();
        chunks.map_while(Result::ok).map(|chunk| chunk.range).collect()
    });
}

#[test]
fn a_full_disk_is_an_error() {
    testkit::full_disks("rbxmesh", &|bytes, disk| {
        let mesh = rbxmesh::from_slice(bytes).ok()?;
        let written = rbxmesh::to_writer(disk, &mesh);
        if let Err(error) = &written {
            assert!(matches!(error.kind(), rbxmesh::errors::ErrorKind::Io(_)), "{error}");
        }
        Some(written.is_ok())
    });
}
