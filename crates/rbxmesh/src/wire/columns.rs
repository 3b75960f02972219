//! Maps the attributes of a Draco stream to parts of a vertex, in both directions.

use geom::{Vec2, Vec3};

use crate::model::{NormalGrid, Tangent, Vertex};
use crate::wire::draco::attribute::{
    Attribute, COLOR, F32, GENERIC, NORMAL, POSITION, Scale, TEX_COORD, U8, name_of_data,
};
use crate::wire::draco::{Column, Values, Written, write};
use crate::wire::record::Field as _;
use geom::wire::{Counted, ErrorKind, Result};

/// A field of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Position,
    Normal,
    Uv,
    Tangent,
    Color,
}

impl Part {
    /// All fields, in the order of Roblox's ids.
    pub(crate) const ALL: [Self; 5] = [Self::Position, Self::Normal, Self::Uv, Self::Tangent, Self::Color];

    /// The name of the field.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Normal => "normal",
            Self::Uv => "uv",
            Self::Tangent => "tangent",
            Self::Color => "color",
        }
    }

    /// The field that each attribute contains, by the index of the attribute. An id from 0 to 4 determines the field; in a
    /// stream with other ids, the declared purpose does.
    pub(crate) fn choose<'a>(
        attributes: impl Iterator<Item = &'a Attribute> + Clone,
    ) -> Result<Vec<Option<Self>>, (usize, ErrorKind)> {
        let mut chosen = vec![None; attributes.clone().count()];
        for (id, part) in (0_u32..).zip(Self::ALL) {
            let find = |wanted: &dyn Fn(&Attribute) -> bool| {
                attributes.clone().enumerate().find(|(_, attribute)| wanted(attribute))
            };
            let fits = |attribute: &Attribute| (attribute.data, attribute.width) == part.shape();
            let by_id = find(&|attribute| attribute.id == id);
            if let Some((index, Attribute { width, data, .. })) =
                by_id.filter(|(_, attribute)| !fits(attribute))
            {
                let values = |data, width: u8| {
                    format!("{} of type {}", Counted(width.into(), "components"), name_of_data(data))
                };
                let (known, wanted) = part.shape();
                let what = format!(
                    "Draco attribute with the id {id} ({}): expected {}, found {}",
                    part.name(),
                    values(known, wanted),
                    values(*data, *width),
                );
                return Err((index, ErrorKind::Unsupported(what.into())));
            }
            let by_kind = |attribute: &Attribute| {
                let other = attribute.id as usize >= Self::ALL.len();
                other && Some(attribute.kind) == part.kind() && fits(attribute)
            };
            if let Some((index, _)) = by_id.or_else(|| find(&by_kind))
                && let Some(chosen) = chosen.get_mut(index)
            {
                *chosen = Some(part);
            }
        }
        Ok(chosen)
    }

    /// The purpose that an attribute declares for this field; `None` if Draco has none.
    fn kind(self) -> Option<u8> {
        match self {
            Self::Position => Some(POSITION),
            Self::Normal => Some(NORMAL),
            Self::Uv => Some(TEX_COORD),
            Self::Color => Some(COLOR),
            Self::Tangent => None,
        }
    }

    /// The type of the values, and their number per vertex.
    fn shape(self) -> (u8, u8) {
        match self {
            Self::Position | Self::Normal => (F32, 3),
            Self::Uv => (F32, 2),
            Self::Tangent | Self::Color => (U8, 4),
        }
    }

    /// Stores the values of this field in the vertices.
    pub(crate) fn fill(self, vertices: &mut [Vertex], values: Values<'_>) {
        match values {
            Values::Plain(bytes) => self.fill_plain(vertices, bytes),
            Values::Steps(steps, scale) => self.fill_steps(vertices, steps, &scale),
            Values::Integers(values) => {
                #[allow(clippy::cast_possible_truncation, reason = "as Draco cuts what does not fit")]
                let bytes = |values: &[u32; 4]| values.map(|value| value as u8);
                let values = values.as_chunks::<4>().0.iter().map(bytes);
                let vertices = vertices.iter_mut().zip(values);
                match self {
                    Self::Tangent => vertices.for_each(|(v, t)| v.tangent = Tangent(t)),
                    Self::Color => vertices.for_each(|(v, c)| v.color = c.into()),
                    // Float fields with the coding for integers are refused when the stream is read.
                    Self::Position | Self::Normal | Self::Uv => {}
                }
            }
        }
    }

    fn fill_plain(self, vertices: &mut [Vertex], bytes: &[u8]) {
        let vec3 = |bytes: &[u8; 12]| Vec3::get(&mut bytes.as_slice());
        let vec2 = |bytes: &[u8; 8]| Vec2::get(&mut bytes.as_slice());
        let vertices = vertices.iter_mut();
        match self {
            Self::Position => vertices.zip(bytes.as_chunks().0).for_each(|(v, b)| v.position = vec3(b)),
            Self::Normal => vertices.zip(bytes.as_chunks().0).for_each(|(v, b)| v.normal = vec3(b)),
            Self::Uv => vertices.zip(bytes.as_chunks().0).for_each(|(v, b)| v.uv = vec2(b)),
            Self::Tangent => vertices.zip(bytes.as_chunks().0).for_each(|(v, &b)| v.tangent = Tangent(b)),
            Self::Color => vertices.zip(bytes.as_chunks::<4>().0).for_each(|(v, &b)| v.color = b.into()),
        }
    }

    fn fill_steps(self, vertices: &mut [Vertex], steps: &[u32], scale: &Scale<'_>) {
        let step = NormalGrid::step(scale.range, scale.bits);
        let value = |steps: u32, origin: f32| NormalGrid::value(steps.cast_signed(), step, origin);
        let origin @ [a, b, c] = scale.origin::<3>();
        let vec3 = |&[x, y, z]: &[u32; 3]| Vec3::new(value(x, a), value(y, b), value(z, c));
        let vertices = vertices.iter_mut();
        match self {
            Self::Position => vertices.zip(steps.as_chunks().0).for_each(|(v, s)| v.position = vec3(s)),
            Self::Normal => vertices.zip(steps.as_chunks().0).for_each(|(v, s)| v.normal = vec3(s)),
            Self::Uv => vertices.zip(steps.as_chunks().0).for_each(|(v, &[x, y])| {
                let [first, second, _] = origin;
                v.uv = Vec2::new(value(x, first), value(y, second));
            }),
            // Only attributes of floats are quantised.
            Self::Tangent | Self::Color => {}
        }
    }
}

/// Writes a stream of the vertices and faces, with the attributes and codings that Roblox uses: the normals as steps of
/// the grid if all of them are exactly on it, otherwise as floats.
pub(crate) fn write_stream(
    vertices: &[Vertex],
    faces: &[[u32; 3]],
    compressed_faces: bool,
    grid: Option<NormalGrid>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let steps = grid.and_then(|grid| Some((grid.steps_of(vertices)?, grid)));
    let origin = grid.map(|grid| grid.origin.map(f32::to_le_bytes)).unwrap_or_default();
    let plain = |out: &mut Vec<u8>| vertices.iter().for_each(|vertex| Vec3::append(&vertex.normal, out));
    let normals = match &steps {
        Some((steps, NormalGrid { range, bits, .. })) => {
            Written::Steps(steps, Scale { origin: origin.as_flattened(), range: *range, bits: *bits })
        }
        None => Written::Plain(&plain),
    };
    let positions =
        |out: &mut Vec<u8>| vertices.iter().for_each(|vertex| Vec3::append(&vertex.position, out));
    let uvs = |out: &mut Vec<u8>| vertices.iter().for_each(|vertex| Vec2::append(&vertex.uv, out));
    let tangents = || vertices.iter().map(|vertex| vertex.tangent.0.map(i32::from)).collect();
    let colors = || vertices.iter().map(|vertex| vertex.color.to_array().map(i32::from)).collect();
    let columns = [
        (POSITION, Part::Position, Written::Plain(&positions)),
        // Roblox declares its normals and tangents as generic attributes.
        (GENERIC, Part::Normal, normals),
        (TEX_COORD, Part::Uv, Written::Plain(&uvs)),
        (GENERIC, Part::Tangent, Written::Integers(&tangents)),
        (COLOR, Part::Color, Written::Integers(&colors)),
    ];
    let columns = columns.map(|(kind, part, values)| {
        let (data, width) = part.shape();
        Column { kind, data, width, values }
    });
    write(vertices.len(), faces, compressed_faces, &columns, out)
}
