use slmesh::{Asset, Lod, ReadOptions, WriteOptions};

use super::{MAX_BYTES, examine, model, round_trip};

fn options() -> ReadOptions {
    ReadOptions::new().max_bytes(MAX_BYTES)
}

pub(super) fn read(data: &[u8]) {
    examine(data);
    if let Ok(view) = options().open(data) {
        let _cost = view.streaming_cost();
        let _levels = Lod::ALL.map(|lod| view.level(lod));
        let _blocks = (view.skin(), view.physics_convex(), view.physics_mesh(), view.physics_havok());
        let _walked = view.chunks().count();
    }
    if let Ok(asset) = options().read(data) {
        everything(&asset);
    }
}

pub(super) fn model(data: &[u8]) {
    if let Some(asset) = model::hostile(data, |file| options().read(file)) {
        everything(&asset);
    }
}

pub(super) fn differential(data: &[u8]) {
    if let Some(asset) = model::hostile(data, |file| options().read(file)) {
        model::reads_back(&asset, |file| options().read(file), slmesh::to_vec);
    }
}

/// Every public function of an asset.
pub fn everything(asset: &Asset) {
    let _findings = slmesh::check(asset);
    let _cost = asset.streaming_cost();
    let _bounds = asset.bounds();
    for lod in Lod::ALL {
        let _mesh = asset.to_tri_mesh(lod);
        let _posed = asset.posed(lod, &[Default::default(); 3]);
    }
    let _fresh = WriteOptions::new().fresh(true).write(asset);
}

/// The blocks of a mesh asset.
pub(super) const BLOCKS: [&str; 8] = [
    "high_lod",
    "medium_lod",
    "low_lod",
    "lowest_lod",
    "skin",
    "physics_convex",
    "physics_mesh",
    "physics_havok",
];

/// A damaged stream is refused by its checksum: here the damage is inside it.
pub(super) fn blocks(data: &[u8]) {
    let Some((which, inside)) = data.split_first() else { return };
    let name = BLOCKS[usize::from(*which) % BLOCKS.len()];
    let Some(file) = asset_of(name, inside) else { return };
    round_trip(&file, "slmesh", &[""]);
    // Laid out anew, it is written from the model and not from kept bytes.
    let Ok(asset) = options().read(&file) else { return };
    let fresh = WriteOptions::new().fresh(true);
    if let Ok(written) = fresh.write(&asset) {
        round_trip(&written, "slmesh", &[""]);
    }
}

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
    let size = i32::try_from(stream.len()).ok()?;
    let entry = llsd::Map::from([("offset", 0), ("size", size)]);
    let mut file = llsd::write_binary(&llsd::Value::Map(llsd::Map::from([(name, entry)]))).ok()?;
    file.extend(stream);
    Some(file)
}

/// What the blocks of a mesh asset inflate to, each after the number of its name: seeds of `blocks`.
#[allow(dead_code, reason = "cargo-fuzz is told where the seeds are")]
pub fn block_seeds(bytes: &[u8]) -> Vec<Vec<u8>> {
    let Ok(view) = slmesh::open(bytes) else { return Vec::new() };
    let numbered = (0_u8..).zip(BLOCKS);
    let inflated = numbered.filter_map(|(number, name)| {
        let inside = view.inflate(name).ok()??;
        Some([&[number], inside.as_slice()].concat())
    });
    inflated.collect()
}

/// A motion: what is read comes back byte for byte, and so does what a scene makes of it as far as the viewer plays it.
pub(super) fn motion(data: &[u8]) {
    let Ok(motion) = options().read_motion(data) else { return };
    let _findings = slmesh::motion::check(&motion);
    let bytes = slmesh::motion::to_vec(&motion).expect("what was read is written");
    assert!(bytes == data, "other bytes");
    let (scene, _) = rezkit::scene::slmesh::motion_to_scene(&motion, "motion");
    let _checked = scene.check();
    let mut budget = rezkit::Budget::new(MAX_BYTES);
    if let Ok((back, _)) = rezkit::scene::slmesh::motion_from_scene(&scene, &mut budget) {
        let bytes = slmesh::motion::to_vec(&back).expect("what was made is written");
        assert!(options().read_motion(&bytes).is_ok(), "what was made is not read");
    }
}

/// Motions of two joints.
pub fn motion_seeds() -> Vec<Vec<u8>> {
    use slmesh::motion::{Constraint, Joint, Key, Motion, to_vec};
    let mut motion = Motion::new(2.0);
    motion.emote = "express_smile".into();
    let key =
        |number: u16| Key { time: number * 9000, value: [number * 8000, 40_000, 65_535 - number * 7000] };
    for (name, count) in [("mPelvis", 3), ("mHead", 7)] {
        let mut joint = Joint::new(name);
        joint.rotations = (0..count).map(key).collect();
        joint.positions = (0..count / 2).map(key).collect();
        motion.joints.push(joint);
    }
    motion.constraints = vec![Constraint::default()];
    [Motion::new(0.0), motion].iter().filter_map(|motion| to_vec(motion).ok()).collect()
}
