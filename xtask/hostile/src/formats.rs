//! The functions of the format crates: they call what is public with a model that was read, and what they write must read
//! back equal.

use rbxblobs::{Attributes, Blob, Collision, MaterialColors, PhysicsGrid, SmoothGrid, Tags, UnionMesh};
use rezkit::scene::images;
use rezkit::{Grade, ReadOptions};

use crate::{MAX_BYTES, any, within};

/// Reads with the limit of memory.
macro_rules! read {
    ($name:ident, $bytes:expr) => {{
        let read = || ::$name::ReadOptions::new().max_bytes(MAX_BYTES).read($bytes);
        within(MAX_BYTES, stringify!($name), || drop(read()));
        read()
    }};
}

/// What is written is read as an equal model.
macro_rules! reads_back {
    ($name:ident, $model:expr, $written:expr) => {
        if let Ok(written) = $written {
            let again = ::$name::from_slice(&written);
            let again = again.unwrap_or_else(|error| panic!("written and not read: {error}"));
            assert!(again == *$model, "what was written reads as another model");
        }
    };
}

/// If the version of the file begins with one of `exact`, it comes back byte for byte (in compressed containers, after
/// decompression); otherwise, an equal model comes back.
fn round_trip(bytes: &[u8], format: &str, exact: &[&str]) {
    let limits = ReadOptions::new().max_bytes(256 << 20);
    let report = limits.roundtrip(bytes);
    if report.format.is_none_or(|found| found != format) {
        return;
    }
    match report.grade {
        Grade::Exact => {}
        Grade::Model => {
            let version = report.version.unwrap_or_default();
            assert!(!exact.iter().any(|prefix| version.starts_with(prefix)), "other bytes came back");
        }
        // It is right to refuse a file that cannot be read.
        _ => assert!(limits.open(bytes.to_vec(), "", ()).is_err(), "{:?}", report.error),
    }
}

pub(crate) fn rbxmesh(bytes: &[u8]) {
    any(bytes, "a.mesh");
    round_trip(bytes, "rbxmesh", &["2.", "3.", "4.", "5.", "6.", "7."]);
    let _walked = rbxmesh::chunks(bytes).map(Iterator::count);
    let Ok(mesh) = read!(rbxmesh, bytes) else { return };
    let _findings = (rbxmesh::check(&mesh), mesh.bounds());
    let _levels: Vec<_> = (0..mesh.levels().len().min(4)).map(|level| mesh.to_tri_mesh(level)).collect();
    let skin = mesh.skin();
    let _influences: usize = (0..mesh.vertices.len()).map(|vertex| skin.influences(vertex).count()).sum();
    let _poses: Vec<_> = mesh.bones.iter().map(|bone| (bone.bind_pose(), bone.inverse_bind_pose())).collect();
    if let Some(facs) = &mesh.facs {
        let most = facs.pose_count().min(100);
        let _poses: Vec<_> = (0..most).map(|pose| (facs.pose(pose), facs.transform(0, pose))).collect();
    }
    let mut rounded = mesh.clone();
    if rounded.round_normals(8).is_ok() {
        reads_back!(rbxmesh, &rounded, rbxmesh::to_vec(&rounded));
    }
    for &version in rbxmesh::Version::ALL {
        let (converted, _dropped) = mesh.to_version(version, rbxmesh::LodChoice::First);
        reads_back!(rbxmesh, &converted, rbxmesh::to_vec(&converted));
    }
}

/// The properties of both crates for Roblox documents: instances are found by their paths, and what edits make is read
/// as an equal document.
macro_rules! edited {
    ($name:ident, $document:expr, $write:expr) => {{
        let (copy, mut edited) = ($document.clone(), $document);
        let _findings = $name::check(&copy);
        let ids: Vec<_> = copy.instances().take(8).collect();
        for &id in &ids {
            assert_eq!(copy.path(id).and_then(|path| copy.find(path)), Some(id), "a path leads elsewhere");
        }
        let _properties: usize = copy.instances().map(|id| copy.properties(id).count()).sum();
        let _merged = edited.merge(None, &copy);
        for &id in &ids {
            let new = $name::NewInstance::new("Part").property("Name", "new");
            let _added =
                (edited.insert(id, new), edited.copy_from(id, &copy, id), edited.duplicate(id, None));
            let _moved =
                (edited.reparent(id, ids[0]), edited.set(id, "Name", "x"), edited.set(id, "New", ids[0]));
        }
        let _added = edited.add_property("Part", "Other", 1);
        let _gone = edited.remove_properties("Part", ["Other", "size"]);
        reads_back!($name, &edited, $write(&edited));
        ids.into_iter().for_each(|id| drop(edited.remove(id)));
        reads_back!($name, &edited, $write(&edited));
    }};
}

pub(crate) fn rbxbinary(bytes: &[u8]) {
    any(bytes, "a.rbxm");
    round_trip(bytes, "rbxbinary", &[""]);
    let _walked = rbxbinary::chunks(bytes).map(Iterator::count);
    let Ok(document) = read!(rbxbinary, bytes) else { return };
    assert!(
        rbxbinary::to_vec(&document).expect("what was read is written") == bytes,
        "other bytes came back"
    );
    // Without compression, so that the fuzzer's changes reach the content of chunks.
    let plain = rbxbinary::WriteOptions::new().compression(rbxbinary::Compression::None);
    reads_back!(rbxbinary, &document, plain.write(&document));
    edited!(rbxbinary, document, rbxbinary::to_vec);
}

pub(crate) fn rbxxml(bytes: &[u8]) {
    any(bytes, "a.rbxmx");
    round_trip(bytes, "rbxxml", &[""]);
    let Ok(document) = read!(rbxxml, bytes) else { return };
    let escaped = rbxxml::WriteOptions::new().illegal(rbxxml::Illegal::Escape);
    edited!(rbxxml, document, |document| escaped.write(document));
}

pub(crate) fn m3d(bytes: &[u8]) {
    any(bytes, "a.m3d");
    round_trip(bytes, "m3d", &[]);
    let _walked = m3d::chunks(bytes).map(Iterator::count);
    let Ok(model) = read!(m3d, bytes) else { return };
    let _findings = (m3d::check(&model), model.to_tri_mesh(), model.voxel_mesh());
    let _groups = (model.material_groups(), model.undefined_materials());
    for action in model.actions.iter().take(2) {
        let _matrices = model.skinning_matrices(&model.pose(action, 100.0));
    }
    let mut merged = m3d::Model::default();
    assert!(merged.merge_materials(&model) <= model.materials.len());
    let write = |variant| m3d::WriteOptions::new().variant(variant).write(&model);
    if let Ok(binary) = write(m3d::Variant::Binary) {
        round_trip(&binary, "m3d", &[]);
    }
    // A model is written as text if text can represent it, even if it was read from the binary form.
    if let Ok(text) = write(m3d::Variant::Ascii) {
        assert!(m3d::from_slice(&text).is_ok(), "text was written and is not read");
        round_trip(&text, "m3d", &[]);
    }
}

/// Mesh assets and motions. The bytes are also read as one of the blocks of an asset, since the checksum of a compressed
/// block refuses most changes.
pub(crate) fn slmesh(bytes: &[u8]) {
    asset(bytes);
    if let Some(block) = block(bytes) {
        asset(&block);
    }
    let Ok(motion) = slmesh::ReadOptions::new().max_bytes(MAX_BYTES).read_motion(bytes) else { return };
    let _findings = slmesh::motion::check(&motion);
    assert!(slmesh::motion::to_vec(&motion).expect("what was read is written") == bytes, "other bytes");
    let mut budget = rezkit::Budget::new(MAX_BYTES);
    let Ok((scene, _)) = rezkit::scene::slmesh::motion_to_scene(&motion, "motion", &mut budget) else {
        return;
    };
    if let Ok((back, _)) = rezkit::scene::slmesh::motion_from_scene(&scene, &mut budget) {
        let bytes = slmesh::motion::to_vec(&back).expect("what was made is written");
        assert!(slmesh::ReadOptions::new().read_motion(&bytes).is_ok(), "what was made is not read");
    }
}

fn asset(bytes: &[u8]) {
    any(bytes, "a.llmesh");
    round_trip(bytes, "slmesh", &[""]);
    let options = slmesh::ReadOptions::new().max_bytes(MAX_BYTES);
    if let Ok(view) = options.open(bytes) {
        let _levels = (slmesh::Lod::ALL.map(|lod| view.level(lod)), view.chunks().count(), view.skin());
        let _physics = (view.physics_convex(), view.physics_mesh(), view.physics_havok(), view.to_asset());
    }
    let Ok(asset) = read!(slmesh, bytes) else { return };
    let _findings = (slmesh::check(&asset), asset.bounds(), rezkit::upload::StreamingCost::of_asset(&asset));
    for lod in slmesh::Lod::ALL {
        let _meshes = (asset.to_tri_mesh(lod), asset.posed(lod, &[Default::default(); 3]));
    }
    // With `fresh`, the asset is written from the model and not from kept bytes.
    if let Ok(written) = slmesh::WriteOptions::new().fresh(true).write(&asset) {
        round_trip(&written, "slmesh", &[""]);
    }
}

/// A mesh asset with one block, which the first byte selects; the other bytes are its content, in a zlib stream without
/// compression.
fn block(bytes: &[u8]) -> Option<Vec<u8>> {
    const BLOCKS: [&str; 6] =
        ["high_lod", "lowest_lod", "skin", "physics_convex", "physics_mesh", "physics_havok"];
    let (first, content) = bytes.split_first()?;
    let (length, sum) = (
        u16::try_from(content.len()).ok()?,
        content.iter().fold((1, 0), |(a, b), &byte| {
            let a = (a + u32::from(byte)) % 65_521;
            (a, (a + b) % 65_521)
        }),
    );
    let sum = (sum.1 << 16 | sum.0).to_be_bytes();
    let stream = [&[0x78, 1, 1][..], &length.to_le_bytes(), &(!length).to_le_bytes(), content, &sum].concat();
    let place = llsd::Map::from([("offset", 0), ("size", i32::try_from(stream.len()).ok()?)]);
    let mut header = llsd::Map::new();
    header.insert(BLOCKS[usize::from(*first) % BLOCKS.len()], place);
    Some([llsd::write_binary(&llsd::Value::Map(header)).ok()?, stream].concat())
}

/// LLSD values, including notation without a header, which is not detected. A value is written in every encoding, and
/// reads back equal if writing it returned no error.
pub(crate) fn llsd(bytes: &[u8]) {
    use llsd::{Encoding, Header, ReadOptions, WriteOptions};

    any(bytes, "a.xml");
    round_trip(bytes, "llsd", &["binary"]);
    let options = || ReadOptions::new().max_bytes(MAX_BYTES);
    within(MAX_BYTES, "llsd", || drop(options().read(bytes)));
    let _others = (options().strict(true).read(bytes), options().events(bytes).map(Iterator::count));
    if let Ok(lazy) = options().lazy(bytes) {
        let found = lazy.items().map(Iterator::count).or(lazy.entries().map(Iterator::count));
        let built = lazy.to_value(&options().max_bytes(lazy.cost())).expect("its cost is enough");
        assert!(found.is_none_or(|found| found >= built.len()), "fewer values than were built");
    }
    if let Ok(value) = llsd::read_notation(bytes) {
        let bare = WriteOptions::new().encoding(Encoding::Notation).header(Header::None);
        let written = bare.write(&value).unwrap_or_else(|error| panic!("read but not written: {error}"));
        assert!(value.identical(&llsd::read_notation(&written).expect("it was written")), "another value");
    }
    let Ok(value) = options().read(bytes) else { return };
    let _findings = (llsd::check(&value), value.find("a/0/b"), value.to_text(), value.to_real());
    let _typed = llsd::de::from_slice_used::<Vec<i32>>(bytes, &options());
    assert!(value.identical(&value.clone()));
    for &encoding in Encoding::ALL {
        let to = WriteOptions::new().encoding(encoding);
        let both = [llsd::to_vec(&value, encoding), llsd::transcode(bytes, &options(), &to)];
        for written in both.iter().flatten() {
            let again = llsd::from_slice(written);
            let again = again.unwrap_or_else(|error| panic!("written and not read: {error}"));
            // In text, a NaN keeps only its sign.
            let text = |value: &llsd::Value| llsd::to_vec(value, encoding).ok();
            let is_same = value == again || encoding != Encoding::Binary && text(&value) == text(&again);
            assert!(is_same, "{encoding} reads as another value");
        }
    }
}

fn blob<T: Blob>(bytes: &[u8]) -> Option<T> {
    rbxblobs::ReadOptions::new().max_bytes(MAX_BYTES).read(bytes).ok()
}

/// Values inside of properties: what is read is written as the same bytes, voxels as equal ones. The triangles of a
/// surface are those that were counted, and meshes are consistent.
pub(crate) fn rbxblobs(bytes: &[u8]) {
    if let Some(attributes) = blob::<Attributes>(bytes) {
        assert!(attributes.to_vec().expect("what was read is written") == bytes || bytes == [0; 4]);
    }
    if let Some(Ok(written)) = blob::<Tags>(bytes).map(|tags| tags.to_vec()) {
        assert_eq!(written, bytes);
    }
    if let Some(colors) = blob::<MaterialColors>(bytes) {
        assert_eq!(colors.to_vec(), bytes);
    }
    if let Some(blocks) = blob::<PhysicsGrid>(bytes) {
        assert_eq!(blocks.to_vec().expect("what was read is written"), bytes);
    }
    assert!(blob::<Collision>(bytes).is_none_or(|collision| collision.to_mesh().is_consistent()));
    if let Some(mesh) = blob::<UnionMesh>(bytes) {
        assert!(mesh.mesh.is_consistent() && mesh.into_level(0).is_consistent());
    }
    let Some(terrain) = blob::<SmoothGrid>(bytes) else { return };
    let written = terrain.to_vec().expect("what was read is written");
    assert!(blob::<SmoothGrid>(&written).as_ref() == Some(&terrain));
    let options = rbxblobs::ReadOptions::new().max_bytes(MAX_BYTES);
    let (count, surfaces) = (terrain.triangle_count(1, &options), terrain.surface(1, &options));
    if let (Ok(count), Ok(surfaces)) = (count, surfaces) {
        assert_eq!(surfaces.iter().map(|surface| surface.mesh.triangles.len() as u64).sum::<u64>(), count);
        assert!(surfaces.iter().all(|surface| surface.mesh.is_consistent()));
    }
}

/// Frames of Zstandard. Each way to read a frame returns the same content or the same error. The input and the content
/// of its frame must be compressed and decompressed to the same bytes.
pub(crate) fn rezstd(bytes: &[u8]) {
    const MAX: usize = 1 << 18;
    let _header = rezstd::Header::read(bytes);
    let (mut decoder, mut content) = (rezstd::Decoder::new(), Vec::new());
    let result = decoder.decode(bytes, MAX, &mut content);
    assert!(content.capacity() <= MAX, "{} bytes", content.capacity());
    let mut slice = vec![0xa5; MAX];
    // The same decoder again, which still has the tables of the previous frame.
    assert_eq!(decoder.decode_into(bytes, &mut slice), result);
    if let Ok(len) = result {
        assert!(slice[..len] == content);
        // With a slice of exactly the content's length: nothing is written after the content.
        assert_eq!(decoder.decode_into(bytes, &mut slice[..len]), Ok(len));
    }
    let mut encoder = rezstd::Encoder::new().checksum(true);
    for bytes in [bytes, &content, bytes] {
        let (mut frame, mut out) = (Vec::new(), Vec::new());
        encoder.encode(bytes, &mut frame);
        let read = decoder.decode(&frame, bytes.len(), &mut out).expect("what was written is read");
        assert!(read == bytes.len() && out == bytes, "another content");
    }
}

/// Images of JPEG 2000: what its headers say bounds the memory of decoding.
pub(crate) fn jpeg2000(bytes: &[u8]) {
    let (mut size, mut read) = (None, None);
    within(MAX_BYTES, "jpeg2000", || {
        (size, read) = (images::size(bytes), images::decode(bytes, MAX_BYTES).ok());
    });
    if let Some(picture) = read {
        assert_eq!(Some(picture.size()), size);
    }
}
