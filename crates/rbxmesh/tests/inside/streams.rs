//! Compares the codec with an independent one, `draco-core`: on real streams, on streams of both encoders, and on
//! streams that are made by hand.

use draco_core::{
    DataType, DecoderBuffer, EncoderBuffer, EncoderOptions, FaceIndex, GeometryAttributeType, MeshDecoder,
    MeshEncoder, PointAttribute, PointIndex,
};
use geom::{Rgba8, Vec2, Vec3};

use crate::model::{DracoStream, Mesh, NormalGrid, Tangent, Vertex};
use crate::wire::columns::write_stream;
use crate::wire::coremesh::{contains, read_stream};
use geom::wire::{Budget, Result, finish};

#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) vertices: Vec<Vertex>,
    pub(crate) faces: Vec<[u32; 3]>,
    pub(crate) grid: Option<NormalGrid>,
    pub(crate) stream: Option<DracoStream>,
}

impl Decoded {
    pub(crate) fn others(&self) -> u32 {
        self.stream.as_ref().map_or(0, DracoStream::other_attributes)
    }
}

pub(crate) fn decode(stream: &[u8]) -> Result<Decoded> {
    let mut mesh = Mesh::default();
    finish(stream, read_stream(&mut mesh, stream, &mut Budget::new(1 << 30)))?;
    let Mesh { vertices, faces, layout, .. } = mesh;
    Ok(Decoded { vertices, faces, grid: layout.normal_grid, stream: layout.draco })
}

/// A stream of a mesh, with its normals on a grid or unquantized.
fn encode(vertices: &[Vertex], faces: &[[u32; 3]], compressed: bool, grid: Option<NormalGrid>) -> Vec<u8> {
    let mut out = Vec::new();
    write_stream(vertices, faces, compressed, grid, &mut out).unwrap();
    out
}

/// The same with normals that are rounded to a number of bits.
pub(crate) fn encode_rounded(vertices: &[Vertex], faces: &[[u32; 3]], compressed: bool, bits: u8) -> Vec<u8> {
    let mut mesh = Mesh { vertices: vertices.to_vec(), ..Mesh::default() };
    mesh.round_normals(bits).unwrap();
    encode(&mesh.vertices, faces, compressed, mesh.layout.normal_grid)
}

/// The result of draco-core: faces, and the bytes of each attribute by its id.
type Theirs = (Vec<[u32; 3]>, Vec<(u32, Vec<u8>)>);

fn oracle(stream: &[u8]) -> Theirs {
    let mut mesh = draco_core::Mesh::new();
    MeshDecoder::new().decode(&mut DecoderBuffer::new(stream), &mut mesh).unwrap();
    let faces = (0..mesh.num_faces() as u32).map(|face| mesh.face(FaceIndex(face)).map(|p| p.0)).collect();
    let attributes = (0..mesh.num_attributes()).map(|index| {
        let attribute = mesh.attribute(index);
        let stride = attribute.byte_stride() as usize;
        let data = attribute.buffer().data();
        let mut bytes = Vec::with_capacity(mesh.num_points() * stride);
        for point in 0..mesh.num_points() as u32 {
            let value = attribute.mapped_index(PointIndex(point)).0 as usize;
            bytes.extend_from_slice(&data[value * stride..][..stride]);
        }
        (attribute.unique_id(), bytes)
    });
    (faces, attributes.collect())
}

/// Our vertices as the uncompressed bytes of each attribute.
fn columns(vertices: &[Vertex]) -> [Vec<u8>; 5] {
    let mut columns = [(); 5].map(|()| Vec::with_capacity(12 * vertices.len()));
    let [positions, normals, uvs, tangents, colors] = &mut columns;
    for vertex in vertices {
        let floats = |column: &mut Vec<u8>, floats: &[f32]| {
            floats.iter().for_each(|float| column.extend_from_slice(&float.to_le_bytes()));
        };
        floats(positions, &vertex.position.to_array());
        floats(normals, &vertex.normal.to_array());
        floats(uvs, &vertex.uv.to_array());
        tangents.extend_from_slice(&vertex.tangent.0);
        colors.extend_from_slice(&vertex.color.to_array());
    }
    columns
}

/// Checks that both decoders return the same values, to the bit.
pub(crate) fn agree(stream: &[u8], what: &str) -> Decoded {
    let ours = decode(stream).unwrap_or_else(|error| panic!("{what}: {error}"));
    let (faces, attributes) = oracle(stream);
    assert!(ours.faces == faces, "{what}: faces");
    let columns = columns(&ours.vertices);
    for (id, bytes) in attributes {
        if let Some(column) = columns.get(id as usize) {
            assert!(*column == bytes, "{what}: attribute {id}");
        }
    }
    ours
}

/// A random number generator (SplitMix64) with the same numbers on every run. That of testkit is not available in the
/// published package.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// Vertices and faces like those of a surface: neighbours are similar.
pub(crate) fn surface(points: u32, seed: u64) -> (Vec<Vertex>, Vec<[u32; 3]>) {
    let mut rng = Rng(seed);
    let vertices = (0..points).map(|index| {
        let t = index as f32 * 0.01;
        let (normal, noise) = (Vec3::new(t.sin(), t.cos() * 0.8, 0.6 * t.cos()), rng.next());
        Vertex {
            position: Vec3::new(t, t * 1.5 - 3.0, (t * 3.0).sin()),
            normal,
            uv: Vec2::new(t.fract(), -t),
            tangent: Tangent([(t * 20.0) as u8, 127, (noise % 3) as u8, 255]),
            color: Rgba8::from([255, (noise >> 8) as u8, index as u8, 255]),
        }
    });
    let vertices: Vec<_> = vertices.collect();
    let faces = (0..points.saturating_sub(2)).map(|a| match a % 7 {
        0 => [a, a + 1, rng.below(points as usize) as u32],
        _ => [a, a + 2, a + 1],
    });
    (vertices, faces.collect())
}

/// The streams of all files in a folder next to the crate; none in the published package, which has no such folder.
fn streams(samples: Vec<testkit::Sample>) -> Vec<(String, Vec<u8>)> {
    let stream = |testkit::Sample { name, bytes }| {
        let at = bytes.windows(5).position(|window| window == b"DRACO")?;
        let len = u32::from_le_bytes(bytes[at - 4..at].try_into().unwrap());
        Some((name, bytes[at..at + len as usize].to_vec()))
    };
    samples.into_iter().filter_map(stream).collect()
}

#[test]
fn streams_of_the_fixtures() {
    for (name, stream) in streams(testkit::fixtures("rbxmesh")) {
        if !name.contains("edgebreaker") {
            agree(&stream, &name);
        }
    }
}

#[test]
fn real_streams() {
    for (name, stream) in streams(testkit::corpus("rbxmesh")) {
        let decoded = agree(&stream, &name);
        assert_eq!(decoded.others(), 0, "{name}");
        // The same mesh, encoded again, is decoded to the same values by both.
        let again = encode(&decoded.vertices, &decoded.faces, false, decoded.grid);
        assert!(columns(&agree(&again, &name).vertices) == columns(&decoded.vertices), "{name}");
        assert!(again.len() <= stream.len() + stream.len() / 100, "{name}: {} bytes", again.len());
    }
}

#[test]
fn every_count_of_points() {
    let counts = [1, 2, 3, 4, 100, 254, 255, 256, 257, 5000, 65_535, 65_536, 65_537];
    for points in counts {
        let (vertices, faces) = surface(points, points.into());
        for compressed_faces in [false, true] {
            let stream = encode_rounded(&vertices, &faces, compressed_faces, 11);
            let decoded = agree(&stream, &format!("{points} points"));
            assert_eq!(decoded.stream.unwrap().has_compressed_faces(), compressed_faces);
            assert!(decoded.faces == faces);
            for (theirs, ours) in decoded.vertices.iter().zip(&vertices) {
                assert!(Vertex { normal: ours.normal, ..*theirs } == *ours);
                let far = (theirs.normal - ours.normal).to_array().map(f32::abs);
                assert!(
                    far.iter().all(|&far| far <= 1.0 / 2047.0 + 1e-6),
                    "half a step of 2 / 2047: {far:?}"
                );
            }
        }
    }
    // Points without faces, and faces without points.
    agree(&encode_rounded(&surface(3, 0).0, &[], false, 11), "no faces");
    let faces = [[0, 0, 0], [7, 8, 200]];
    assert_eq!(decode(&encode_rounded(&[], &faces, false, 11)).unwrap().faces, faces);
}

#[test]
fn more_points_than_a_varint_of_three_bytes_counts() {
    // With 2,097,152 points or more, indices take four bytes each. draco-core only decodes one of the two streams,
    // since it is slow.
    for (points, decode) in
        [((1 << 21) - 1, &decode as &dyn Fn(&[u8]) -> _), (1 << 21, &|stream| Ok(agree(stream, "2^21")))]
    {
        let mut vertices = vec![Vertex::default(); points as usize];
        vertices[points as usize - 1].color = Rgba8::from([1, 2, 3, 4]);
        let faces = [[0, 1, points - 1], [points / 2, 0x7f, 0x80]];
        let stream = encode_rounded(&vertices, &faces, false, 11);
        let decoded = decode(&stream).unwrap();
        assert!(decoded.vertices == vertices && decoded.faces == faces);
    }
}

#[test]
fn every_number_of_bits() {
    let (vertices, faces) = surface(700, 3);
    for bits in 1..=20 {
        let decoded = agree(&encode_rounded(&vertices, &faces, false, bits), &format!("{bits} bits"));
        let grid = decoded.grid.unwrap();
        assert_eq!(grid.bits, bits);
        // Half a step, and the rounding errors of f32.
        let most = f64::from(grid.range) / ((1_u64 << bits) - 1) as f64 / 2.0 + 4e-7;
        for (theirs, ours) in decoded.vertices.iter().zip(&vertices) {
            let far = (theirs.normal - ours.normal).to_array().map(|far| f64::from(far.abs()));
            assert!(far.iter().all(|&far| far <= most), "{bits} bits: {far:?}");
        }
        // Normals on a grid do not change if they are encoded again.
        let again = encode(&decoded.vertices, &faces, false, decoded.grid);
        assert!(decode(&again).unwrap().vertices == decoded.vertices, "{bits} bits");
        assert_eq!(again.len(), decoded.stream.unwrap().bytes().len(), "in steps, not plain");
    }
    let decoded = agree(&encode(&vertices, &faces, true, None), "plain normals");
    assert!(decoded.vertices == vertices && decoded.grid.is_none());
}

#[test]
fn tables_of_every_size() {
    let mut rng = Rng(11);
    let mut seen = Vec::new();
    let points = 40_000_u32;
    for bits in 1..=18_u8 {
        // Differences of at most a seventh of the range; small ones are more frequent.
        let (mut vertices, _) = surface(points, 1);
        for vertex in &mut vertices {
            let [x, y, z] = [(); 3].map(|()| rng.below(1 << 15) as f32 * rng.below(1 << 15) as f32);
            vertex.normal = Vec3::new(x, y, z);
        }
        vertices[0].normal = Vec3::new(7.0 * (1 << 30) as f32, 0.0, 0.0);
        let stream = encode_rounded(&vertices, &[], false, bits);
        agree(&stream, &format!("{bits} bits"));
        // The offset of the normals' symbols: after the header, no faces, a varint of three bytes, and so on.
        let symbols = 11 + 1 + 3 + 1 + 2 + 25 + 5 + 12 * points as usize + 3;
        let [scheme, symbol_bits] = stream[symbols..][..2] else { panic!("no symbols") };
        seen.push((scheme, symbol_bits));
    }
    let raw = seen.iter().filter(|&&(scheme, _)| scheme == 1).map(|&(_, bits)| bits);
    assert!(raw.max() >= Some(12) && seen.iter().any(|&(scheme, _)| scheme == 0), "{seen:?}");

    // The largest table: random indices, whose differences have twice as many values.
    let (vertices, _) = surface(20_000, 2);
    let mut corner = || rng.below(20_000) as u32;
    let faces: Vec<_> = (0..400_000).map(|_| [corner(), corner(), corner()]).collect();
    let stream = encode_rounded(&vertices, &faces, true, 11);
    assert_eq!(stream[17..20], [0, 1, 16], "compressed, raw, 16 bits: 2^20 slots");
    assert!(agree(&stream, "indices all over").faces == faces);
}

#[test]
fn normals_that_are_not_on_the_grid_are_plain() {
    let (mut vertices, faces) = surface(9, 1);
    let grid = Some(NormalGrid { origin: [-1.0; 3], range: 2.0, bits: 11 });
    for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 1e-9, 7.0] {
        vertices[4].normal.y = odd;
        let decoded = agree(&encode(&vertices, &faces, false, grid), "off the grid");
        assert_eq!(decoded.grid, None);
        assert_eq!(columns(&decoded.vertices), columns(&vertices));
    }
    // If all normals are equal, the grid has no range, and the normal is kept exactly.
    vertices.iter_mut().for_each(|vertex| vertex.normal = Vec3::new(0.1, 0.2, 0.3));
    assert!(agree(&encode_rounded(&vertices, &faces, false, 11), "one normal").vertices == vertices);
}

/// A stream of draco-core's encoder, with the attributes of Roblox and with others.
fn theirs(vertices: &[Vertex], faces: &[[u32; 3]], set: impl FnOnce(&mut EncoderOptions)) -> Vec<u8> {
    theirs_without(vertices, faces, None, set)
}

/// The same without the attribute of an id.
fn theirs_without(
    vertices: &[Vertex],
    faces: &[[u32; 3]],
    without: Option<usize>,
    set: impl FnOnce(&mut EncoderOptions),
) -> Vec<u8> {
    let kinds = [
        (GeometryAttributeType::Position, 3, DataType::Float32),
        (GeometryAttributeType::Generic, 3, DataType::Float32),
        (GeometryAttributeType::TexCoord, 2, DataType::Float32),
        (GeometryAttributeType::Generic, 4, DataType::Uint8),
        (GeometryAttributeType::Color, 4, DataType::Uint8),
    ];
    let mut mesh = draco_core::Mesh::new();
    let kinds = kinds.into_iter().zip(columns(vertices)).enumerate();
    for (id, ((kind, width, data), bytes)) in kinds.filter(|(id, _)| Some(*id) != without) {
        let mut attribute = PointAttribute::new();
        attribute.init(kind, width, data, false, vertices.len());
        attribute.buffer_mut().write(0, &bytes);
        attribute.set_unique_id(id as u32);
        mesh.add_attribute_preserve_unique_id(attribute);
    }
    mesh.set_num_points(vertices.len());
    mesh.set_num_faces(faces.len());
    for (index, face) in faces.iter().enumerate() {
        mesh.set_face(FaceIndex(index as u32), face.map(PointIndex));
    }
    let mut options = EncoderOptions::new();
    options.set_encoding_method(0);
    set(&mut options);
    let mut encoder = MeshEncoder::new();
    encoder.set_mesh(mesh);
    let mut out = EncoderBuffer::new();
    encoder.encode(&options, &mut out).unwrap();
    out.data().to_vec()
}

/// The fields that a stream does not store are named.
#[test]
fn missing_attributes_are_named() {
    let (vertices, faces) = surface(3, 3);
    for (id, name) in ["position", "normal", "uv", "tangent", "color"].into_iter().enumerate() {
        let stream = theirs_without(&vertices, &faces, Some(id), |_| ());
        assert_eq!(decode(&stream).unwrap().stream.unwrap().missing_fields(), [name]);
    }
}

#[test]
fn streams_of_another_encoder() {
    let mut rng = Rng(5);
    for points in [1, 2, 3, 60, 255, 256, 3000, 65_535, 65_536, 70_000] {
        let (mut vertices, faces) = surface(points, points.into());
        for round in 0..if points < 5000 { 12 } else { 2 } {
            // From equal values to noise, so that symbols are raw or tagged, few or many.
            for vertex in &mut vertices {
                match round % 4 {
                    0 => vertex.tangent = Tangent([9; 4]),
                    1 => vertex.tangent = Tangent((rng.next() as u32).to_le_bytes()),
                    2 => vertex.normal.z = rng.below(1000) as f32 / 1e3,
                    _ => vertex.color = Rgba8::from((rng.next() as u32 & 0x0101_0101).to_le_bytes()),
                }
            }
            let stream = theirs(&vertices, &faces, |options| {
                options.set_global_int("encoding_speed", round % 11);
                options.set_global_int("decoding_speed", round % 11);
                options.set_attribute_int(1, "quantization_bits", 4 + round * 2);
                if round % 3 == 1 {
                    options.set_attribute_int(0, "quantization_bits", 16);
                    options.set_attribute_int(2, "quantization_bits", 9);
                }
                options.set_prediction_scheme(if round % 5 == 4 { -2 } else { 0 });
            });
            let decoded = agree(&stream, &format!("{points} points, round {round}"));
            if round % 3 != 1 {
                assert_eq!(columns(&decoded.vertices)[0], columns(&vertices)[0]);
            }
            assert_eq!(columns(&decoded.vertices)[3..], columns(&vertices)[3..]);
            assert!(decoded.faces == faces);
        }
    }
}

#[test]
fn no_change_goes_unnoticed() {
    let (vertices, faces) = surface(100, 1);
    let stream = decode(&encode(&vertices, &faces, false, None)).unwrap().stream.unwrap();
    let mesh = Mesh { vertices, faces, ..Mesh::default() };
    assert!(contains(&stream, &mesh));
    let noticed = |edit: &dyn Fn(&mut Mesh)| {
        let mut edited = mesh.clone();
        edit(&mut edited);
        assert!(!contains(&stream, &edited));
    };
    for index in 0..98 {
        for bit in 0..32 {
            noticed(&|mesh| {
                let z = &mut mesh.vertices[index].position.z;
                *z = f32::from_bits(z.to_bits() ^ 1 << bit);
            });
            noticed(&|mesh| mesh.faces[index][2] ^= 1 << bit);
        }
    }
    noticed(&|mesh| mesh.faces.swap(3, 4));
    noticed(&|mesh| mesh.vertices.truncate(99));
}
