//! Small assets with every block and every optional part, laid out by hand.

use super::llsd::{array, binary, boolean, date, integer, map, real, reals, string, u16s, uuid, zlib};
use crate::formats::{Bytes, Fixture};

type Entry = (&'static str, Bytes);

pub(super) fn all() -> Vec<Fixture> {
    let mut all = whole();
    all.extend(layouts());
    all.extend(submeshes());
    all.extend(physics());
    all.extend(upload());
    all
}

/// What stands in a header for a block: its place, and other entries around it.
struct Block {
    name: &'static str,
    bytes: Bytes,
    /// Bytes in front of it that belong to nothing.
    gap: Bytes,
    /// Entries of the header besides the place.
    entry: Vec<Entry>,
}

fn block(name: &'static str, value: Bytes) -> Block {
    Block { name, bytes: zlib(value), gap: Bytes::new(), entry: Vec::new() }
}

impl Block {
    fn entry(mut self, key: &'static str, value: Bytes) -> Self {
        self.entry.push((key, value));
        self
    }

    fn behind(self, gap: &str) -> Self {
        Self { gap: Bytes::new().raw(gap), ..self }
    }
}

/// A file: other header entries, then the blocks in the order of the file, which is not always that
/// of their keys in the header.
fn file(mut header: Vec<Entry>, blocks: Vec<Block>) -> Bytes {
    let mut body = Bytes::new();
    for Block { name, bytes, gap, entry } in blocks {
        body = body.raw(gap);
        let mut place = entry;
        place.push(("offset", integer(body.0.len() as i32)));
        place.push(("size", integer(bytes.0.len() as i32)));
        place.sort_by_key(|(key, _)| *key);
        header.push((name, map(place)));
        body = body.raw(bytes);
    }
    header.sort_by_key(|(key, _)| *key);
    map(header).raw(body)
}

fn domain<const N: usize>(min: [f64; N], max: [f64; N]) -> Bytes {
    map([("Max", reals(max)), ("Min", reals(min))])
}

/// The corners of a tetrahedron: all 0, then each axis at its end.
const CORNERS: [u16; 12] = [0, 0, 0, 65_535, 0, 0, 0, 65_535, 0, 0, 0, 65_535];
const TRIANGLES: [u16; 12] = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];

/// A tetrahedron with as many triangles, and the vertices that they use.
fn tetrahedron(triangles: usize) -> Vec<Entry> {
    let vertices = if triangles == 1 { 3 } else { 4 };
    vec![
        ("Position", u16s(CORNERS[..vertices * 3].iter().copied())),
        ("TriangleList", u16s(TRIANGLES[..triangles * 3].iter().copied())),
    ]
}

fn with(mut entries: Vec<Entry>, more: impl IntoIterator<Item = Entry>) -> Vec<Entry> {
    entries.extend(more);
    entries.sort_by_key(|(key, _)| *key);
    entries
}

fn level(submeshes: impl IntoIterator<Item = Vec<Entry>>) -> Bytes {
    array(submeshes.into_iter().map(map))
}

/// The hull around the tetrahedron.
fn hull() -> Vec<Entry> {
    vec![("BoundingVerts", u16s(CORNERS))]
}

/// Joint 0 alone; joints 1 and 0; three; four, which no `FF` ends.
fn weights() -> Bytes {
    let bytes = Bytes::new().u8(0).u16(65_535).u8(0xff);
    let bytes = bytes.u8(1).u16(40_000).u8(0).u16(25_535).u8(0xff);
    let bytes = bytes.u8(0).u16(30_000).u8(1).u16(20_000).u8(0).u16(15_535).u8(0xff);
    binary(bytes.u8(1).u16(20_000).u8(0).u16(20_000).u8(1).u16(20_000).u8(0).u16(5_535))
}

fn matrix(translation: [f64; 3]) -> Bytes {
    let [x, y, z] = translation;
    reals([1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0])
}

fn skin() -> Vec<Entry> {
    vec![
        ("alt_inverse_bind_matrix", array([matrix([0.0, 0.0, 1.0]), matrix([0.0, 0.25, 1.5])])),
        ("bind_shape_matrix", matrix([0.0, 0.5, 1.0])),
        ("inverse_bind_matrix", array([matrix([0.0, 0.0, -1.0]), matrix([0.0, 0.0, -1.5])])),
        ("joint_names", array([string("mPelvis"), string("mTorso")])),
        ("lock_scale_if_joint_position", boolean(true)),
        ("pelvis_offset", real(-0.125)),
    ]
}

/// Everything that a submesh may have.
fn full_submesh() -> Vec<Entry> {
    with(
        tetrahedron(4),
        [
            ("Normal", u16s([32_768, 32_768, 65_535].into_iter().cycle().take(12))),
            ("NormalizedScale", reals([2.0, 3.0, 0.5])),
            ("PositionDomain", domain([-0.5, -0.25, 0.0], [0.5, 0.25, 0.125])),
            ("Tangent", u16s([65_535, 32_768, 32_768, 0].into_iter().cycle().take(16))),
            ("TexCoord0", u16s([0, 0, 65_535, 0, 0, 65_535, 65_535, 65_535])),
            ("TexCoord0Domain", domain([0.0, -1.0], [2.0, 1.0])),
            ("TexCoord1", u16s([1, 2, 3, 4, 5, 6, 7, 8])),
            ("TexCoord1Domain", domain([0.25, 0.25], [0.75, 0.75])),
            ("Weights", weights()),
        ],
    )
}

fn havok() -> Vec<Entry> {
    let mass = |mass: f64| {
        map([
            ("CoM", reals([0.0, 0.25, -0.5])),
            ("inertia", reals([1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0])),
            ("mass", real(mass)),
            ("volume", real(0.5)),
        ])
    };
    let mopp = [
        ("BuildType", integer(1)),
        ("MoppData", binary([1, 2, 3, 255])),
        ("MoppInfo", reals([0.0, 0.5, 1.0, 65_536.0])),
    ];
    vec![
        ("HullMassProps", mass(10.0)),
        ("MOPP", map(mopp)),
        ("MeshDecompMassProps", mass(8.0)),
        ("WeldingData", binary([9, 8, 7])),
    ]
}

fn cost_data() -> Bytes {
    map([
        ("decomposition", real(2.5)),
        ("decomposition_discounted_vertices", integer(4)),
        ("decomposition_hulls", integer(2)),
        ("hull", real(0.75)),
        ("hull_discounted_vertices", integer(1)),
        ("mesh", reals([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])),
        ("mesh_triangles", integer(4)),
    ])
}

/// Two hulls, of three points and of one.
fn decomposition() -> Vec<Entry> {
    let positions = Bytes::new().u16s(CORNERS);
    with(
        hull(),
        [
            ("HullList", binary([3, 1])),
            ("Max", reals([0.5, 0.25, 0.125])),
            ("Min", reals([-0.5, -0.25, 0.0])),
            ("Positions", binary(positions)),
        ],
    )
}

fn levels() -> Vec<Block> {
    let rigged = |triangles: usize, bytes: usize| {
        let weights = weights().0[5..5 + bytes].to_vec();
        level([with(tetrahedron(triangles), [("Weights", binary(weights))])])
    };
    vec![
        block("lowest_lod", rigged(1, 21)),
        block("low_lod", rigged(2, 33)),
        block("medium_lod", rigged(3, 33)).entry("mesh_triangles", integer(3)),
        block("high_lod", level([full_submesh()])).entry("mesh_triangles", integer(4)),
    ]
}

fn simple() -> Vec<Block> {
    vec![block("physics_convex", map(hull())), block("high_lod", level([tetrahedron(4)]))]
}

fn whole() -> Vec<Fixture> {
    let hash = || binary([0xaa, 0xbb, 0xcc, 0xdd]);
    let mut blocks =
        vec![block("physics_havok", map(havok())).entry("hash", hash()).entry("version", integer(1))];
    blocks.extend(levels());
    blocks.push(block("skin", map(skin())));
    blocks.push(block("physics_convex", map(decomposition())).entry("hash", hash()));
    // Nobody knows what is in it: it is not even compressed.
    blocks.push(Block {
        name: "future_block",
        bytes: Bytes::new().raw("not zlib"),
        gap: Bytes::new(),
        entry: vec![("kind", string("?"))],
    });
    let header = vec![
        ("creator", uuid(*b"0123456789abcdef")),
        ("date", date(1_700_000_000.25)),
        ("future_key", array([integer(1), boolean(false)])),
        ("material_list", array([string("Material")])),
        ("physics_cost_data", cost_data()),
        ("submodel_id", integer(2)),
        ("version", integer(1)),
    ];
    let smallest = vec![block("high_lod", level([tetrahedron(4)]))];
    vec![
        Fixture::exact("all.llmesh", "every block and every key", file(header, blocks)),
        Fixture::exact("simple.llmesh", "one level and a hull", file(Vec::new(), simple())),
        Fixture::exact("smallest.llmesh", "one level alone", file(Vec::new(), smallest)),
    ]
}

fn layouts() -> Vec<Fixture> {
    let plain = || file(vec![("version", integer(1))], simple());
    let gaps = vec![
        block("high_lod", level([tetrahedron(4)])).behind("before"),
        block("physics_convex", map(hull())).behind("between"),
    ];
    // A stored stream, bytes behind the value inside it, and bytes behind the stream.
    let mut stray = simple();
    stray[1].bytes = zlib(level([tetrahedron(4)]).raw("inside")).raw("outside");
    // Keys in an order of their own, an entry with its size first, a key between quotes, and one twice.
    let high = zlib(level([tetrahedron(4)]));
    let convex = zlib(map(hull()));
    let place = |offset: usize, size: usize| {
        map([("size", integer(size as i32)), ("offset", integer(offset as i32))])
    };
    let odd = Bytes::new().raw("{").i32_be(5).raw("k").i32_be(7).raw("version").raw(integer(1));
    let odd = odd.raw("'high_lod'").raw(place(0, high.0.len())).raw("k").i32_be(3).raw("404").raw("!");
    let odd = odd.raw("k").i32_be(14).raw("physics_convex").raw(place(high.0.len(), convex.0.len()));
    let odd = odd.raw("k").i32_be(7).raw("version").raw(integer(2)).raw("}").raw(high).raw(convex);
    let none = map([("offset", integer(0)), ("size", integer(0))]);
    let types = vec![("creator", string("me")), ("low_lod", none), ("version", real(1.0))];
    vec![
        Fixture::exact(
            "prefix.llmesh",
            "a deprecated header",
            Bytes::new().raw("<? LLSD/Binary ?>\n").raw(plain()),
        ),
        Fixture::exact(
            "prefix_short.llmesh",
            "the same as python writes it",
            Bytes::new().raw("<?llsd/binary?>\n").raw(plain()),
        ),
        Fixture::exact("trailing.llmesh", "bytes behind the end", plain().raw("LLWearable version 22\n")),
        Fixture::exact(
            "gaps.llmesh",
            "bytes before and between blocks, in another order",
            file(Vec::new(), gaps),
        ),
        Fixture::exact(
            "stray.llmesh",
            "bytes behind a stream and behind the value in it",
            file(Vec::new(), stray),
        ),
        Fixture::exact("odd_header.llmesh", "keys unsorted, between quotes, twice", odd),
        Fixture::exact(
            "odd_types.llmesh",
            "header keys of other types; a level of no bytes",
            file(types, simple()),
        ),
    ]
}

fn submeshes() -> Vec<Fixture> {
    let one = |submesh: Vec<Entry>| {
        file(Vec::new(), vec![block("physics_convex", map(hull())), block("high_lod", level([submesh]))])
    };
    let placeholders = level([
        vec![("NoGeometry", boolean(true))],
        vec![("NoGeometry", boolean(false))],
        with(tetrahedron(4), [("NoGeometry", boolean(true))]),
        tetrahedron(4),
    ]);
    let placeholders = vec![block("high_lod", placeholders)];
    let odd = |bytes: Vec<u8>| binary(bytes);
    let positions = Bytes::new().u16s(CORNERS).raw([1, 2, 3]);
    let triangles = Bytes::new().u16s(TRIANGLES).u16(7);
    let lengths = vec![
        ("Normal", odd(vec![9; 5])),
        ("Position", binary(positions)),
        ("TexCoord0", odd(Vec::new())),
        ("TriangleList", binary(triangles)),
    ];
    let types = with(
        tetrahedron(4),
        [
            ("Future", map([("Deep", array([boolean(true)]))])),
            ("Normal", string("no normals")),
            ("NormalizedScale", array([integer(1), integer(2), integer(3)])),
            (
                "PositionDomain",
                map([("Max", reals([0.5; 3])), ("Min", reals([-0.5; 3])), ("Mid", reals([0.0; 3]))]),
            ),
            ("TexCoord0Domain", reals([0.0, 1.0])),
        ],
    );
    let flat = with(tetrahedron(4), [("PositionDomain", domain([-0.5, 0.25, 0.0], [0.5, 0.25, 0.125]))]);
    let none = with(tetrahedron(4), [("PositionDomain", domain([f64::NAN; 3], [f64::INFINITY; 3]))]);
    let unsorted: Vec<Entry> = tetrahedron(4).into_iter().rev().collect();
    // Joint 254 is the last that there can be.
    let joints = with(tetrahedron(4), [("Weights", binary([254, 1, 0, 255, 0, 255, 255, 255, 255, 255]))]);
    vec![
        Fixture::exact(
            "no_geometry.llmesh",
            "faces without geometry, said in three ways",
            file(Vec::new(), placeholders),
        ),
        Fixture::exact("odd_lengths.llmesh", "arrays that end in the middle of an element", one(lengths)),
        Fixture::exact(
            "odd_values.llmesh",
            "integers for reals, a string for an array, unknown keys",
            one(types),
        ),
        Fixture::exact("flat.llmesh", "a domain without width", one(flat)),
        Fixture::exact("not_numbers.llmesh", "a domain that is none", one(none)),
        Fixture::exact("unsorted.llmesh", "keys of a submesh in another order", one(unsorted)),
        Fixture::exact("joints.llmesh", "the last joint; a vertex without any", one(joints)),
        Fixture::exact(
            "no_faces.llmesh",
            "a level without submeshes",
            file(Vec::new(), vec![block("high_lod", level([]))]),
        ),
    ]
}

fn physics() -> Vec<Fixture> {
    let physics = |name: &'static str| {
        let mut blocks = simple();
        blocks.push(block(name, level([tetrahedron(3)])));
        file(Vec::new(), blocks)
    };
    let mut both = simple();
    both.push(block("physics_mesh", level([tetrahedron(3)])));
    both.push(block("physics_shape", level([tetrahedron(2)])));
    // A hull of 256 points, which is said with a 0, one of 255, and two points that belong to none.
    let points = (0..(256 + 255 + 2) * 3_u16).map(|n| n * 42);
    let many =
        vec![("BoundingVerts", u16s(CORNERS)), ("HullList", binary([0, 255])), ("Positions", u16s(points))];
    let many = vec![block("physics_convex", map(many)), block("high_lod", level([tetrahedron(4)]))];
    let half = vec![("BoundingVerts", u16s(CORNERS)), ("Min", reals([-0.25; 3]))];
    let half = vec![block("physics_convex", map(half)), block("high_lod", level([tetrahedron(4)]))];
    vec![
        Fixture::exact("physics_mesh.llmesh", "triangles for physics", physics("physics_mesh")),
        Fixture::exact("physics_shape.llmesh", "the same under its old name", physics("physics_shape")),
        Fixture::exact("physics_both.llmesh", "the same under both names", file(Vec::new(), both)),
        Fixture::exact(
            "hull_256.llmesh",
            "hulls of 256 and 255 points, and two points too many",
            file(Vec::new(), many),
        ),
        Fixture::exact("half_domain.llmesh", "one end of a domain", file(Vec::new(), half)),
    ]
}

fn upload() -> Vec<Fixture> {
    let mesh = |blocks| string(file(Vec::new(), blocks));
    let material = map([
        ("binding", string("Material")),
        ("diffuse", map([("filename", string("wood.png")), ("label", string("wood"))])),
        ("fullbright", boolean(false)),
    ]);
    let instance = |id: i32| {
        map([
            ("label", string("Tetrahedron")),
            ("material", array([material.clone()])),
            ("mesh_id", integer(id)),
            ("transform", matrix([0.0, 1.0, f64::from(id)])),
        ])
    };
    let rigged = || {
        let mut blocks = levels();
        blocks.push(block("skin", map(skin())));
        blocks.push(block("physics_convex", map(decomposition())));
        blocks
    };
    let file = map([
        ("instance", array([instance(0), instance(1)])),
        ("mesh", array([mesh(simple()), mesh(rigged())])),
        ("name", string("Two shapes")),
        ("version", integer(3)),
    ]);
    let odd = map([
        ("version", integer(3)),
        ("mesh", array([mesh(simple())])),
        (
            "instance",
            array([map([("mesh_id", string("0")), ("transform", reals([1.0])), ("future", integer(1))])]),
        ),
        ("future", boolean(true)),
    ]);
    vec![
        Fixture::exact("upload.slm", "two meshes of the uploader", file),
        Fixture::exact("upload_odd.slm", "unknown keys, other types, bytes behind the end", odd.raw("more")),
    ]
}
