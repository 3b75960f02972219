//! `COREMESH`: the vertices and the faces.
//!
//! | version | content |
//! |---|---|
//! | 1 | u32 vertices, the vertices of 40 bytes, u32 faces, the faces |
//! | 2 | u32 size, a Draco stream |

use geom::{Rgba8, Vec2, Vec3};
use nom::Parser;
use nom::error::context;
use nom::number::complete::le_u32;

use crate::model::{DracoStream, Mesh, NormalGrid, Tangent, Vertex};
use crate::wire::columns::{Part, write_stream};
use crate::wire::draco::{self, Values};
use crate::wire::record::{Face, Implied, counted, record, write_counted};
use crate::wire::sizes::{blob, write_sized};
use geom::wire::{At, Budget, Counted, DEFAULT_MAX_BYTES, Error, Fail, Here, Parsed, Result};

record!(Vertex { position: Vec3, normal: Vec3, uv: Vec2, tangent: Tangent, color: Rgba8 });
record!(Vertex32 of Vertex after Implied<Vertex> { position: Vec3, normal: Vec3, uv: Vec2 });
record!(Vertex36 of Vertex after Vertex32 { tangent: Tangent });

/// The encoding of vertices and faces in 6.00 and 7.00.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Core<'a> {
    /// Plain (`COREMESH` 1).
    Plain,
    /// The stream that was read, unchanged (`COREMESH` 2).
    Kept(&'a DracoStream),
    /// A new stream (`COREMESH` 2).
    Draco { compressed_faces: bool },
}

impl<'a> Core<'a> {
    /// The encoding of the file, unless the options ask for another one. Fails if a stream with unknown attributes
    /// would be replaced.
    pub(crate) fn choose(mesh: &'a Mesh, draco: Option<bool>, compress_faces: Option<bool>) -> Result<Self> {
        let Mesh { layout, vertices, faces, .. } = mesh;
        let stream = layout.draco.as_ref();
        let compressed_faces =
            compress_faces.unwrap_or_else(|| stream.is_some_and(DracoStream::has_compressed_faces));
        // An empty mesh has nothing to compress, and decoders do not agree about a stream without points.
        let empty = vertices.is_empty() && faces.is_empty();
        let compressed = !empty && draco.unwrap_or_else(|| layout.compresses(mesh.version));
        let Some(stream) = stream else {
            return Ok(if compressed { Self::Draco { compressed_faces } } else { Self::Plain });
        };
        if compressed && stream.compressed_faces == compressed_faces && contains(stream, mesh) {
            return Ok(Self::Kept(stream));
        }
        match stream.others {
            0 if compressed => Ok(Self::Draco { compressed_faces }),
            0 => Ok(Self::Plain),
            others => {
                let others = Counted(others.into(), "unknown Draco attributes");
                let what = format!(
                    "{others}, because vertices and faces are encoded again (set layout.draco to None to \
                     drop these attributes)"
                );
                Err(Error::unwritable("layout.draco", what))
            }
        }
    }

    /// The version of the chunk.
    pub(crate) fn version(self) -> u32 {
        if matches!(self, Self::Plain) { 1 } else { 2 }
    }
}

/// The remedy in the error about a part that a version cannot represent.
pub(crate) const TO_VERSION: &str = "call Mesh::to_version, which drops or rounds this content";

pub(crate) fn read<'a>(mesh: &mut Mesh, input: &'a [u8]) -> Parsed<'a, ()> {
    let columns = (context("vertices", counted::<Vertex>), context("faces", counted::<Face>));
    columns.map(|columns| (mesh.vertices, mesh.faces) = columns).parse(input)
}

pub(crate) fn read_compressed<'a>(mesh: &mut Mesh, input: &'a [u8], budget: &mut Budget) -> Parsed<'a, ()> {
    let (input, size) = context("size", le_u32).parse(input)?;
    let (rest, stream) = context("draco", |input| blob(input, size)).parse(input)?;
    read_stream(mesh, stream, budget).field("draco")?;
    Ok((rest, ()))
}

/// Reads the vertices and faces of a stream, and keeps the stream.
pub(crate) fn read_stream<'a>(mesh: &mut Mesh, stream: &'a [u8], budget: &mut Budget) -> Parsed<'a, ()> {
    let (input, decoder) = draco::read(stream, budget)?;
    let (rest, Decoded { vertices, grid, others, missing }) = decode(&decoder, input, budget)?;
    let draco::Stream { faces, compressed_faces, .. } = decoder;
    if !vertices.is_empty() || !faces.is_empty() {
        mesh.layout.normal_grid = grid;
        let bytes = budget.copy(stream).here(stream)?;
        mesh.layout.draco = Some(DracoStream { bytes, compressed_faces, others, missing });
    }
    (mesh.vertices, mesh.faces) = (vertices, faces);
    Ok((rest, ()))
}

/// Whether a stream contains exactly the vertices and faces of a mesh.
pub(crate) fn contains(stream: &DracoStream, Mesh { vertices, faces, .. }: &Mesh) -> bool {
    // A stream that was read needs less; another stream may claim any size. Saturating, since no memory reaches the
    // limit.
    let size = (size_of_val(&**vertices) as u64).saturating_add(size_of_val(&**faces) as u64);
    let mut budget = Budget::new(size.saturating_mul(256).saturating_add(DEFAULT_MAX_BYTES));
    let Ok((input, decoder)) = draco::read(&stream.bytes, &mut budget) else { return false };
    decoder.points == vertices.len()
        && decoder.faces == *faces
        && decode(&decoder, input, &mut budget).is_ok_and(|(_, decoded)| decoded.vertices == *vertices)
}

/// The attributes of a stream.
struct Decoded {
    vertices: Vec<Vertex>,
    grid: Option<NormalGrid>,
    /// The number of attributes for which a vertex has no field.
    others: u32,
    /// The fields of a vertex for which there is no attribute.
    missing: Vec<&'static str>,
}

fn decode<'a>(decoder: &draco::Stream, input: &'a [u8], budget: &mut Budget) -> Parsed<'a, Decoded> {
    let parts = Part::choose(decoder.attributes())
        .or_else(|(index, kind)| Err(Fail::new(input, kind)).index(index).field("attributes"))?;
    let missing = Part::ALL.into_iter().filter(|part| !parts.contains(&Some(*part)));
    let missing: Vec<_> = missing.map(Part::name).collect();
    let mut vertices = budget.vec(decoder.points).here(input)?;
    vertices.resize(decoder.points, Vertex::default());
    let mut grid = None;
    let (rest, ()) = decoder.values(input, budget, |index, values| {
        let Some(&Some(part)) = parts.get(index) else { return };
        part.fill(&mut vertices, values);
        if let (Part::Normal, Values::Steps(_, scale)) = (part, values) {
            grid = Some(NormalGrid { origin: scale.origin(), range: scale.range, bits: scale.bits });
        }
    })?;
    let others = parts.iter().filter(|part| part.is_none()).count();
    let others = u32::try_from(others).unwrap_or(u32::MAX);
    Ok((rest, Decoded { vertices, grid, others, missing }))
}

pub(crate) fn write(mesh: &Mesh, core: Core<'_>, out: &mut Vec<u8>) -> Result<()> {
    let Mesh { vertices, faces, layout, .. } = mesh;
    match core {
        Core::Plain => {
            write_counted::<Vertex>(vertices, "vertices", out)?;
            write_counted::<Face>(faces, "faces", out)
        }
        Core::Kept(stream) => write_sized(out, "layout.draco", |out| {
            out.extend_from_slice(stream.bytes());
            Ok(())
        }),
        Core::Draco { compressed_faces } => write_sized(out, "vertices", |out| {
            write_stream(vertices, faces, compressed_faces, layout.normal_grid, out)
        }),
    }
}

/// A stream is serialized as its bytes; the other fields are computed from them.
#[cfg(feature = "serde")]
mod serialized {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Budget, DracoStream, Mesh, read_stream};
    use geom::wire::DEFAULT_MAX_BYTES;
    use geom::wire::finish;

    impl Serialize for DracoStream {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.bytes.serialize(serializer)
        }
    }

    impl<'de> Deserialize<'de> for DracoStream {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let bytes = Vec::<u8>::deserialize(deserializer)?;
            let mut mesh = Mesh::default();
            let mut budget = Budget::new(DEFAULT_MAX_BYTES);
            finish(&bytes, read_stream(&mut mesh, &bytes, &mut budget)).map_err(D::Error::custom)?;
            mesh.layout
                .draco
                .ok_or_else(|| D::Error::custom("the Draco stream has neither vertices nor faces"))
        }
    }
}
