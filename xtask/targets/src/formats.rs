//! The steps of the format crates: they call all public functions with a model that was read, and what they write must
//! read back equal.

use geom::{Aabb, CFrame, Mat3, Mat4, TriMesh, Vec3};
use llsd::{Document, Encoding, Header};
use rbxblobs::{Attributes, Blob, Collision, MaterialColors, PhysicsGrid, SmoothGrid, Tags, UnionMesh};
use rezkit::{Grade, ReadOptions};

use crate::{FUZZED, Input, model, within};

/// Defines a step that reads a model, applies the edits, and calls everything with the result. Without edits, the file
/// must also be written and read back as an equal model, by value and bits. If its version begins with one of `exact`,
/// the format promises the same bytes (in compressed containers, after decompression), and they must come back.
macro_rules! format {
    ($name:ident, $exact:expr, $everything:expr) => {
        pub(crate) fn $name(input: &Input<'_>) {
            let options = || ::$name::ReadOptions::new().max_bytes(input.max_bytes);
            let read = |bytes: &[u8]| options().read(bytes);
            within(input.max_bytes, stringify!($name), || drop(read(input.bytes)));
            if input.edits.is_empty() {
                round_trip(input.bytes, stringify!($name), $exact);
            }
            let Some(model) = model::hostile(input, read) else { return };
            model::reads_back(&model, |bytes| ::$name::ReadOptions::new().read(bytes), ::$name::to_vec);
            let everything: fn(&Input<'_>, _) = $everything;
            everything(input, model);
        }
    };
}

format!(rbxmesh, &["2.", "3.", "4.", "5.", "6.", "7."], |input, mesh| {
    let _walked = rbxmesh::chunks(input.bytes).map(Iterator::count);
    let _findings = (rbxmesh::check(&mesh), mesh.bounds());
    let _levels: Vec<_> = (0..mesh.levels().len().min(4)).map(|level| mesh.to_tri_mesh(level)).collect();
    let skin = mesh.skin();
    let _influences: usize = (0..mesh.vertices.len()).map(|vertex| skin.influences(vertex).count()).sum();
    let _poses: Vec<_> = mesh.bones.iter().map(|bone| (bone.bind_pose(), bone.inverse_bind_pose())).collect();
    if let Some(facs) = &mesh.facs {
        let most = facs.pose_count().min(100);
        let _poses: Vec<_> = (0..most).map(|pose| (facs.pose(pose), facs.transform(0, pose))).collect();
        let rest = [Default::default(); 3];
        let mut more = facs.clone();
        let _added = (more.add_control("new", &rest), more.add_two_pose([0, 1], &rest));
        let _third = more.add_three_pose([0, 1, 2], &rest);
        let names = || rbxmesh::Names::from_names(["a", "b"]).expect("short names");
        let _made = rbxmesh::Facs::from_poses(names(), names(), vec![[0, 1]], Vec::new(), |_, _| rest[0]);
    }
    for bone in mesh.bones.iter().take(2) {
        let _same = rbxmesh::Bone::from_inverse_bind("a", None, bone.bind_pose());
    }
    let mut rounded = mesh.clone();
    if rounded.round_normals(8).is_ok() {
        let _written = rbxmesh::to_vec(&rounded);
    }
    for &version in rbxmesh::Version::ALL {
        let (converted, _dropped) = mesh.to_version(version, rbxmesh::LodChoice::First);
        if let Ok(bytes) = rbxmesh::to_vec(&converted) {
            assert!(
                rbxmesh::from_slice(&bytes).expect("what was written reads") == converted,
                "another mesh"
            );
        }
    }
});

format!(rbxbinary, &[""], |input, document| {
    use rbxbinary::{EditOptions, Fill, NewInstance, Others};

    let _walked = rbxbinary::chunks(input.bytes).map(Iterator::count);
    if input.edits.is_empty() {
        let written =
            rbxbinary::to_vec(&document).unwrap_or_else(|error| panic!("read but not written: {error}"));
        assert!(written == input.bytes, "other bytes came back");
    }
    let _findings = rbxbinary::check(&document);
    let ids: Vec<_> = document.instances().take(8).collect();
    assert!(document.paths().take(8).map(|(id, _)| id).eq(ids.iter().copied()), "all instances have paths");
    let _properties: usize = document.instances().map(|id| document.properties(id).count()).sum();
    for &id in &ids {
        let path = document.path(id).expect("it is there");
        assert_eq!(document.find(&path), Some(id), "{path}");
    }
    let mut edited = document.clone();
    let _merged = edited.merge(None, &document);
    let fill = EditOptions::new().fill(Fill::Neutral).others(Others::Neutral);
    for &id in &ids {
        let _copied = fill.copy_from(&mut edited, id, &document, id);
        let _missing = EditOptions::new().missing_for_copy(&edited, &document, id);
        let _inserted = fill.insert(&mut edited, id, NewInstance::new("Part").property("Name", "new"));
        let _copy = edited.duplicate(id, None);
        let _named = (edited.set(id, "Name", "other"), edited.reparent(id, ids.first().copied()));
    }
    edited.set_max_bytes(1 << 20);
    let _added = edited.add_property("Part", "Other", 1);
    let _gone = edited.remove_properties("Part", ["Other", "Name"]);
    let _removed = (rbxbinary::to_vec(&edited), edited.remove_all(ids), edited.is_partial());
    if let Ok(written) = rbxbinary::to_vec(&edited) {
        let again = rbxbinary::from_slice(&written).expect("what was written is read");
        assert!(again == edited, "an edited document equals the one that is read back");
    }
    let _column = edited.column_mut(0, "Name").is_some();
    let _columns = edited.columns_mut();
    if let Ok(written) = rbxbinary::to_vec(&edited) {
        let again = rbxbinary::from_slice(&written).expect("what was written is read");
        assert_eq!(again.instances().count(), edited.len());
    }
});

format!(rbxxml, &[""], |_, document| {
    let _nowhere = (rbxxml::check(&document), document.find("Workspace/Part[1]"));
    let (copy, mut merged) = (document.clone(), document);
    let _merged = merged.merge(None, &copy);
    let ids: Vec<_> = merged.instances().take(8).collect();
    for &id in &ids {
        assert_eq!(merged.path(id).and_then(|path| merged.find(path)), Some(id));
        let _moved =
            (merged.reparent(id, ids[0]), merged.set(id, "Name", "x"), merged.set(id, "New", ids[0]));
        let new = rbxxml::NewInstance::new("Part").property("Name", "x");
        let _inserted = (merged.insert(id, new), merged.copy_from(id, &copy, id));
    }
    let _added = merged.add_property("Part", "Other", 1);
    let _removed =
        (merged.remove_properties("Part", ["Other", "size"]), merged.remove_property("Part", "Name"));
    ids.into_iter().for_each(|id| drop(merged.remove(id)));
    // What is written is read as an equal document.
    if let Ok(written) = rbxxml::WriteOptions::new().illegal(rbxxml::Illegal::Escape).write(&merged) {
        assert!(rbxxml::from_slice(&written).expect("it was written") == merged, "another document");
    }
});

format!(m3d, &[], |input, model: m3d::Model| {
    let _findings = (m3d::check(&model), model.to_tri_mesh(), model.voxel_mesh());
    let _groups = (model.material_groups(), model.undefined_materials());
    for action in model.actions.iter().take(2) {
        let matrices = model.skinning_matrices(&model.pose(action, 100.0));
        let vertices = (0..model.vertices.len().min(100)).map(|at| m3d::VertexId(at as u32));
        let _moved = vertices.filter_map(|id| model.skinned_position(id, &matrices)).count();
    }
    let _colors: Vec<_> = (0..4).map(|voxel| model.voxel_color(m3d::Voxel(voxel))).collect();
    let mut merged = m3d::Model::default();
    assert!(merged.merge_materials(&model) <= model.materials.len());
    let limits = m3d::ViewOptions::new().max_bytes(1 << 20).max_steps(1 << 18);
    for shape in (0..model.shapes.len().min(4)).map(m3d::ShapeId::new) {
        let Ok(found) = rezkit::scene::m3d::shapes::evaluate(&model, shape, 4, &limits) else { continue };
        assert!(found.surfaces.iter().all(|surface| surface.mesh.is_consistent()));
        assert!(found.to_tri_mesh().positions.len() <= 1 << 15 && found.left_out.len() <= 1 << 15);
        for curve in found.curves.iter().take(2) {
            assert!(curve.tube(0.1, 3).is_ok_and(|tube| tube.is_consistent() && curve.length() >= 0.0));
        }
    }
    let _binary = m3d::WriteOptions::new().variant(m3d::Variant::Binary).write(&model);
    // A model is written as text if text can represent it, even if it was read from the binary form.
    if let Ok(text) = m3d::WriteOptions::new().variant(m3d::Variant::Ascii).write(&model) {
        // The binary form is compressed.
        input.gives(text.len());
        assert!(m3d::from_slice(&text).is_ok(), "text was written and is not read");
        round_trip(&text, "m3d", &[]);
    }
});

/// Mesh assets and motions. A motion must come back byte for byte; made from its scene, it must be written and read.
pub(crate) fn slmesh(input: &Input<'_>) {
    asset::slmesh(input);
    let Ok(motion) = slmesh::ReadOptions::new().max_bytes(input.max_bytes).read_motion(input.bytes) else {
        return;
    };
    let _findings = slmesh::motion::check(&motion);
    assert!(slmesh::motion::to_vec(&motion).expect("what was read is written") == input.bytes, "other bytes");
    let mut budget = rezkit::Budget::new(input.max_bytes);
    let Ok((scene, _)) = rezkit::scene::slmesh::motion_to_scene(&motion, "motion", &mut budget) else {
        return;
    };
    let _checked = scene.check();
    if let Ok((back, _)) = rezkit::scene::slmesh::motion_from_scene(&scene, &mut budget) {
        let bytes = slmesh::motion::to_vec(&back).expect("what was made is written");
        assert!(slmesh::ReadOptions::new().read_motion(&bytes).is_ok(), "what was made is not read");
    }
}

mod asset {
    use super::{Input, model, round_trip, within};

    format!(slmesh, &[""], |input, asset: slmesh::Asset| {
        use rezkit::upload::StreamingCost;
        use slmesh::Lod;

        if let Ok(view) = slmesh::ReadOptions::new().max_bytes(input.max_bytes).open(input.bytes) {
            let _levels =
                (StreamingCost::of_view(&view), Lod::ALL.map(|lod| view.level(lod)), view.chunks().count());
            let _blocks = (view.skin(), view.physics_convex(), view.physics_mesh(), view.physics_havok());
            let _whole = view.to_asset();
        }
        let cost = StreamingCost::of_asset(&asset);
        let _findings = (slmesh::check(&asset), cost.map(|cost| cost.of_animated()), asset.bounds());
        let _joint = asset.skin.as_ref().map(|skin| skin.joint_position(0));
        for lod in Lod::ALL {
            let _meshes = (asset.to_tri_mesh(lod), asset.posed(lod, &[Default::default(); 3]));
        }
        // With `fresh`, the asset is written from the model and not from kept bytes.
        if let Ok(written) = slmesh::WriteOptions::new().fresh(true).write(&asset) {
            round_trip(&written, "slmesh", &[""]);
        }
    });
}

/// LLSD values, including notation without a header, which is not detected. A value is written in every encoding, and
/// reads back equal if writing it returned no error.
pub(crate) fn llsd(input: &Input<'_>) {
    let (data, options) = (input.bytes, || llsd::ReadOptions::new().max_bytes(input.max_bytes));
    within(input.max_bytes, "llsd", || drop(options().read(data)));
    round_trip(data, "llsd", &["binary"]);
    let _others = (options().strict(true).read(data), options().events(data).map(Iterator::count));
    if let Ok(lazy) = options().lazy(data) {
        let found = lazy.items().map(Iterator::count).or(lazy.entries().map(Iterator::count));
        let built = lazy.to_value(&options().max_bytes(lazy.cost())).expect("its cost is enough");
        assert!(found.is_none_or(|found| found >= built.len()), "fewer values than were built");
    }
    if let Ok(value) = llsd::read_notation(data) {
        let bare = llsd::WriteOptions::new().encoding(Encoding::Notation).header(Header::None);
        let written = bare.write(&value).unwrap_or_else(|error| panic!("read but not written: {error}"));
        let again = llsd::read_notation(&written).expect("written but not read");
        assert!(value.identical(&again), "what was written reads as another value");
    }
    let Ok(Document { value, .. }) = options().read_document(data) else { return };
    let _findings = llsd::check(&value);
    let _nowhere = (value.find("a/0/b"), &value["a"][0], value.to_text(), value.to_real());
    let _text = std::format!("{value} {value:?}");
    let mut edited = value.clone();
    let _replaced = (edited.set("a/0/b", 1), edited.find_mut("a/0").is_some(), edited.remove("a"));
    let _as_others = (value.to_integer(), value.to_uri());
    let _typed = llsd::de::from_slice_used::<Vec<i32>>(data, &options());
    let text = String::from_utf8_lossy(data);
    let _text = (llsd::de::from_str::<Vec<String>>(&text), Encoding::from_mime_type(&text));
    assert!(value.identical(&value.clone()));
    for &encoding in Encoding::ALL {
        let to = llsd::WriteOptions::new().encoding(encoding);
        for written in
            [llsd::to_vec(&value, encoding), llsd::transcode(data, &options(), &to)].iter().flatten()
        {
            let again =
                llsd::from_slice(written).unwrap_or_else(|error| panic!("written, not read: {error}"));
            // In text, a NaN keeps only its sign.
            let text = |value: &llsd::Value| llsd::to_vec(value, encoding).ok();
            let is_same = value == again || encoding != Encoding::Binary && text(&value) == text(&again);
            assert!(is_same, "{encoding} reads as another value");
        }
    }
}

fn round_trip(data: &[u8], format: &str, exact: &[&str]) {
    let limits = ReadOptions::new().max_bytes(256 << 20);
    let report = rezkit::roundtrip_with(data, &limits);
    if report.format.is_none_or(|found| found != format) {
        return;
    }
    match report.grade {
        Grade::Exact => {}
        Grade::Model => {
            let version = report.version.unwrap_or_default();
            let promised = exact.iter().any(|prefix| version.starts_with(prefix));
            assert!(!promised, "other bytes came back");
        }
        // It is right to refuse a file that cannot be read.
        _ => assert!(limits.read(data).is_err(), "{:?}", report.error),
    }
}

/// Fuzzes a block of a mesh asset after it is decompressed, since the checksum would refuse a damaged stream. The first
/// byte selects the block.
pub(crate) fn slmesh_block(data: &[u8]) {
    let Some((which, inside)) = data.split_first() else { return };
    let name = BLOCKS[usize::from(*which) % BLOCKS.len()];
    if let Some(file) = asset_of(&[(name, inside.to_vec())]) {
        asset::slmesh(&Input::new(&file, "a", &crate::ALONE, FUZZED));
    }
}

/// The names of the blocks of a mesh asset.
const BLOCKS: [&str; 8] = [
    "high_lod",
    "medium_lod",
    "low_lod",
    "lowest_lod",
    "skin",
    "physics_convex",
    "physics_mesh",
    "physics_havok",
];

/// A mesh asset with these blocks, each in a zlib stream without compression.
pub fn asset_of(blocks: &[(&str, Vec<u8>)]) -> Option<Vec<u8>> {
    let (mut header, mut body) = (llsd::Map::new(), Vec::new());
    for (name, inside) in blocks {
        let stream = zlib(inside);
        let place =
            [("offset", i32::try_from(body.len()).ok()?), ("size", i32::try_from(stream.len()).ok()?)];
        header.insert(*name, llsd::Map::from(place));
        body.extend(stream);
    }
    let mut file = llsd::write_binary(&llsd::Value::Map(header)).ok()?;
    file.extend(body);
    Some(file)
}

/// A zlib stream that stores the bytes without compression.
pub fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    for block in bytes.chunks(0xffff) {
        let len = block.len() as u16;
        stream.push(0);
        stream.extend([len.to_le_bytes(), (!len).to_le_bytes()].concat());
        stream.extend(block);
    }
    stream.extend([1, 0, 0, 255, 255]);
    let (a, b) = bytes.iter().fold((1, 0), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65_521;
        (a, (a + b) % 65_521)
    });
    stream.extend((b << 16 | a).to_be_bytes());
    stream
}

/// The decompressed blocks of a mesh asset, with their names.
pub fn blocks(bytes: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let Ok(view) = slmesh::open(bytes) else { return Vec::new() };
    BLOCKS.into_iter().filter_map(|name| Some((name, view.inflate(name).ok()??))).collect()
}

/// The decompressed blocks, each after the number of its name, as `slmesh_block` expects them.
pub fn block_seeds(bytes: &[u8]) -> Vec<Vec<u8>> {
    let number = |name: &str| BLOCKS.iter().position(|other| *other == name).unwrap_or(0) as u8;
    blocks(bytes).into_iter().map(|(name, inside)| [&[number(name)], &*inside].concat()).collect()
}

/// A document with uncompressed chunks, so that damage reaches their content.
pub fn stored(bytes: &[u8]) -> Option<Vec<u8>> {
    let plain = rbxbinary::WriteOptions::new().compression(rbxbinary::Compression::None);
    plain.write(&rbxbinary::from_slice(bytes).ok()?).ok()
}

fn blob<T: Blob>(data: &[u8]) -> Option<T> {
    rbxblobs::ReadOptions::new().max_bytes(FUZZED).read(data).ok()
}

/// What is read is written as the same bytes.
pub(crate) fn properties(data: &[u8]) {
    if let Some(attributes) = blob::<Attributes>(data) {
        assert!(attributes.to_vec().expect("what was read is written") == data || data == [0; 4]);
    }
    if let Some(Ok(written)) = blob::<Tags>(data).map(|tags| tags.to_vec()) {
        assert_eq!(written, data);
    }
    if let Some(colors) = blob::<MaterialColors>(data) {
        assert_eq!(colors.to_vec(), data);
    }
    if let Some(blocks) = blob::<PhysicsGrid>(data) {
        assert_eq!(blocks.to_vec().expect("what was read is written"), data);
    }
}

/// Voxels are written and read as equal ones; the triangles of a surface are those that were counted.
pub(crate) fn terrain(data: &[u8]) {
    let Some(terrain) = blob::<SmoothGrid>(data) else { return };
    let written = terrain.to_vec().expect("what was read is written");
    assert!(blob::<SmoothGrid>(&written).as_ref() == Some(&terrain));
    let options = rbxblobs::ReadOptions::new().max_bytes(FUZZED);
    for step in [1, 4] {
        let (count, surfaces) = (terrain.triangle_count(step, &options), terrain.surface(step, &options));
        if let (Ok(count), Ok(surfaces)) = (count, surfaces) {
            let triangles = surfaces.iter().map(|surface| surface.mesh.triangles.len() as u64);
            assert_eq!(triangles.sum::<u64>(), count);
            assert!(surfaces.iter().all(|surface| surface.mesh.is_consistent()));
        }
    }
    if let Ok((step, measured)) = terrain.finest_step(100, &options) {
        assert!(step == 8 || measured.last().is_some_and(|last| last.triangles <= 100));
    }
}

pub(crate) fn solids(data: &[u8]) {
    assert!(blob::<Collision>(data).is_none_or(|collision| collision.to_mesh().is_consistent()));
    if let Some(mesh) = blob::<UnionMesh>(data) {
        assert!(mesh.mesh.is_consistent() && mesh.into_level(0).is_consistent());
    }
}

/// Vectors, matrices and meshes with any numbers.
pub(crate) fn geom(data: &[u8]) {
    let mut numbers = data.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four));
    let flat: [f32; 16] = std::array::from_fn(|_| numbers.next().unwrap_or_default());
    let matrix = Mat4::from_columns(flat);
    assert!(matrix.transpose().transpose().to_columns().map(f32::to_bits) == flat.map(f32::to_bits));
    let small = Mat3::from_columns(std::array::from_fn(|at| flat[at]));
    let frame = CFrame { position: Vec3::new(flat[9], flat[10], flat[11]), rotation: small };
    let _inverses = (matrix.inverse(), small.inverse(), frame.inverse());
    let _turned = CFrame::from_axis_angle(frame.position, flat[12]);
    let [x, y, z] = frame.position.to_array();
    let _angles = (CFrame::from_euler_angles_xyz(x, y, z), CFrame::from_euler_angles_yxz(x, y, z));
    let point = |number| matrix.transform_point(Vec3::new(number, flat[13], flat[14]));
    let positions: Vec<Vec3> = numbers.by_ref().take(300).map(point).collect();
    let bounds = Aabb::from_points(positions.iter().copied());
    assert!(bounds.is_some() || positions.iter().all(|point| !point.is_finite()));
    // Some of the indices are out of range.
    let index = |byte: u8| if byte == 255 { u32::MAX } else { u32::from(byte) };
    let mut mesh = TriMesh { positions, ..TriMesh::default() };
    mesh.triangles = data.as_chunks::<3>().0.iter().map(|three| three.map(index)).collect();
    mesh.uvs = vec![Default::default(); flat[15].to_bits() as usize % 3 * mesh.positions.len() / 2];
    let inside = mesh.triangles.iter().flatten().all(|&index| (index as usize) < mesh.positions.len());
    assert!(inside || !mesh.is_consistent());
    let normals = (mesh.area_weighted_normals(), mesh.angle_weighted_normals());
    assert_eq!((normals.0.len(), normals.1.len()), (mesh.positions.len(), mesh.positions.len()));
}

/// Frames of Zstandard. Each way to read a frame returns the same content or the same error. The input and the content
/// of its frame must be compressed and decompressed to the same bytes.
pub(crate) fn rezstd(data: &[u8]) {
    const MAX: usize = 1 << 18;
    let _header = rezstd::Header::read(data);
    let (mut decoder, mut content) = (rezstd::Decoder::new(), Vec::new());
    let result = decoder.decode(data, MAX, &mut content);
    assert!(content.capacity() <= MAX, "{} bytes", content.capacity());
    let mut slice = vec![0xa5; MAX];
    // The same decoder again, which still has the tables of the previous frame.
    assert_eq!(decoder.decode_into(data, &mut slice), result);
    if let Ok(len) = result {
        assert!(slice[..len] == content);
        // With a slice of exactly the content's length: nothing is written after the content.
        assert_eq!(decoder.decode_into(data, &mut slice[..len]), Ok(len));
        assert!(slice[..len] == content);
    }
    let mut encoder = rezstd::Encoder::new().checksum(true);
    for data in [data, &content, data] {
        let (mut frame, mut out) = (Vec::new(), Vec::new());
        encoder.encode(data, &mut frame);
        let read = decoder.decode(&frame, data.len(), &mut out).expect("what was written is read");
        assert!(read == data.len() && out == data, "another content");
    }
}
