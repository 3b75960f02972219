//! What must hold for any bytes: a function per reader and per round trip. They panic where it does not.

/// A function that is fed with bytes.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name: crate, then what it does.
    pub name: &'static str,
    /// The crate, whose fixtures are the seeds.
    #[allow(dead_code, reason = "cargo-fuzz is told where the seeds are")]
    pub seeds: &'static str,
    /// Panics where something that must hold does not.
    pub run: fn(&[u8]),
}

/// Reading gives a model or an error; what else can be asked of a model does not panic either.
macro_rules! target {
    ($name:literal, $seeds:literal, $run:expr) => {
        Target { name: $name, seeds: $seeds, run: $run }
    };
}

pub const TARGETS: &[Target] = &[
    target!("rbxmesh_read", "rbxmesh", |data| {
        if let Ok(mesh) = rbxmesh::from_slice(data) {
            let _findings = rbxmesh::check(&mesh);
            let _level = mesh.to_tri_mesh(0);
            let _influences = (0..mesh.vertices.len()).map(|vertex| mesh.influences(vertex).count()).max();
        }
    }),
    target!("rbxmesh_roundtrip", "rbxmesh", |data| {
        round_trip(data, rbxmesh::from_slice, rbxmesh::to_vec);
    }),
    target!("rbxxml_read", "rbxxml", |data| {
        if let Ok(document) = rbxxml::from_slice(data) {
            let _findings = rbxxml::check(&document);
            let _nowhere = document.find("Workspace/Part.Part");
            assert!(document.clone() == document || rbxxml::to_vec(&document).is_ok());
        }
    }),
    target!("rbxxml_roundtrip", "rbxxml", |data| {
        // What is read comes back byte for byte, whatever it is.
        let Ok(document) = rbxxml::from_slice(data) else { return };
        let written =
            rbxxml::to_vec(&document).unwrap_or_else(|error| panic!("read but not written: {error}"));
        assert!(written == data, "other bytes came back");
    }),
    target!("m3d_read", "m3d", |data| {
        let Ok(model) = m3d::ReadOptions::new().max_bytes(64 << 20).read(data) else { return };
        let _findings = m3d::check(&model);
        let _triangles = model.to_tri_mesh();
        for action in model.actions.iter().take(2) {
            let _matrices = model.skinning_matrices(&model.pose(action, 100.0));
        }
    }),
    target!("m3d_roundtrip", "m3d", |data| {
        round_trip(data, |data| m3d::ReadOptions::new().max_bytes(64 << 20).read(data), m3d::to_vec);
    }),
    target!("m3d_ascii", "m3d", |data| {
        // Whatever a model was read from, as far as text can say it.
        let read = |data: &[u8]| m3d::ReadOptions::new().max_bytes(64 << 20).read(data);
        let text = m3d::WriteOptions::new().variant(m3d::Variant::Ascii);
        if let Ok(model) = read(data)
            && let Ok(written) = text.write(&model)
        {
            round_trip(&written, read, m3d::to_vec);
        }
    }),
    target!("slmesh_read", "slmesh", |data| {
        let options = slmesh::ReadOptions::new().max_bytes(64 << 20);
        let _kind = slmesh::detect(data);
        if let Ok(view) = options.open(data) {
            let _cost = view.streaming_cost();
            let _levels = slmesh::Lod::ALL.map(|lod| view.level(lod));
            let _blocks = (view.skin(), view.physics_convex(), view.physics_mesh(), view.physics_havok());
            if let Ok(asset) = view.to_asset() {
                let _findings = slmesh::check(&asset);
                let _mesh = asset.to_tri_mesh(slmesh::Lod::High);
                let _posed = asset.posed(slmesh::Lod::High, &[Default::default(); 3]);
            }
        }
    }),
    target!("slmesh_roundtrip", "slmesh", |data| {
        let options = slmesh::ReadOptions::new().max_bytes(64 << 20);
        round_trip(data, |data| options.read(data), slmesh::to_vec);
        round_trip(data, |data| options.read_slm(data), |slm: &slmesh::Slm| slm.to_vec());
    }),
    target!("slmesh_blocks", "slmesh", |data| {
        // A damaged stream is refused by its checksum: here the damage is inside it.
        let Some((which, inside)) = data.split_first() else { return };
        let name = BLOCKS[usize::from(*which) % BLOCKS.len()];
        let Some(file) = asset_of(name, inside) else { return };
        round_trip(&file, |data| slmesh::ReadOptions::new().max_bytes(64 << 20).read(data), slmesh::to_vec);
        // Laid out anew, it is written from the model and not from kept bytes.
        let fresh = slmesh::WriteOptions::new().fresh(true);
        round_trip(
            &file,
            |data| slmesh::ReadOptions::new().max_bytes(64 << 20).read(data),
            |asset| fresh.write(asset),
        );
    }),
    target!("llsd_read", "llsd", |data| {
        if let Ok(value) = llsd::from_slice(data) {
            let _findings = llsd::check(&value);
            let _nowhere = value.find("a/0/b");
            let _text = format!("{value} {value:?}");
        }
        let _strict = llsd::ReadOptions::new().strict(true).read(data);
    }),
    target!("llsd_binary", "llsd", |data| round_trip(data, llsd::read_binary, llsd::write_binary)),
    target!("llsd_xml", "llsd", |data| {
        // What came from XML, XML can say.
        round_trip(data, llsd::read_xml, |value| llsd::to_vec(value, llsd::Encoding::Xml));
    }),
    target!("llsd_notation", "llsd", |data| {
        let bare = llsd::WriteOptions::new().encoding(llsd::Encoding::Notation).header(llsd::Header::None);
        round_trip(data, llsd::read_notation, |value| bare.write(value));
    }),
    target!("rbxbinary_read", "rbxbinary", |data| {
        let options = rbxbinary::ReadOptions::new().max_bytes(64 << 20);
        if let Ok(document) = options.read(data) {
            let _findings = rbxbinary::check(&document);
            let tree = document.tree();
            let _properties: usize = tree.descendants().map(|instance| instance.properties().count()).sum();
            let _nowhere = tree.find("Workspace/Part");
            let mut edited = document.clone();
            edited.normalize();
        }
        if let Ok(chunks) = rbxbinary::chunks(data) {
            let _walked = chunks.count();
        }
    }),
    target!("rbxbinary_roundtrip", "rbxbinary", |data| {
        let options = rbxbinary::ReadOptions::new().max_bytes(64 << 20);
        round_trip(data, |data| options.read(data), rbxbinary::to_vec);
        // With the compressed bytes kept, what is read comes back byte for byte.
        let Ok(document) = options.keep_compressed(true).read(data) else { return };
        let written =
            rbxbinary::to_vec(&document).unwrap_or_else(|error| panic!("read but not written: {error}"));
        assert!(written == data, "other bytes came back");
    }),
];

/// The blocks of a mesh asset.
pub const BLOCKS: [&str; 8] = [
    "high_lod",
    "medium_lod",
    "low_lod",
    "lowest_lod",
    "skin",
    "physics_convex",
    "physics_mesh",
    "physics_havok",
];

/// A mesh asset of one block, in a zlib stream that stores its bytes.
fn asset_of(name: &str, inside: &[u8]) -> Option<Vec<u8>> {
    let len = u16::try_from(inside.len()).ok()?.to_le_bytes();
    let mut stream = vec![0x78, 0x01, 1, len[0], len[1], !len[0], !len[1]];
    stream.extend_from_slice(inside);
    let (a, b) = inside.iter().fold((1, 0), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65_521;
        (a, (a + b) % 65_521)
    });
    stream.extend((b << 16 | a).to_be_bytes());
    let place = llsd::Map::from([("offset", 0), ("size", i32::try_from(stream.len()).ok()?)]);
    let mut file = llsd::write_binary(&llsd::Value::Map(llsd::Map::from([(name, place)]))).ok()?;
    file.extend(stream);
    Some(file)
}

/// What is read can be written, and what was written reads as what was written: the second writing gives the same bytes.
fn round_trip<M, E: std::fmt::Display>(
    data: &[u8],
    read: impl Fn(&[u8]) -> Result<M, E>,
    write: impl Fn(&M) -> Result<Vec<u8>, E>,
) {
    let Ok(model) = read(data) else { return };
    let written = write(&model).unwrap_or_else(|error| panic!("read but not written: {error}"));
    let again = read(&written).unwrap_or_else(|error| panic!("written but not read: {error}"));
    let twice = write(&again).unwrap_or_else(|error| panic!("read again but not written: {error}"));
    assert!(written == twice, "another model was read from what was written");
}
