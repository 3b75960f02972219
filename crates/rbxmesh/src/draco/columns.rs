//! Which attribute is which part of a vertex, and how a mesh is written.

use geom::{Vec2, Vec3};

use crate::draco::attribute::{
    Attribute, COLOR, F32, GENERIC, INTEGER, NORMAL, PLAIN, POSITION, QUANTIZED, Scale, TEX_COORD, U8,
    Values, step, write_integers,
};
use crate::draco::{MAGIC, MESH, SEQUENTIAL, VERSION, faces};
use crate::error::{ErrorKind, Result};
use crate::model::{Coding, Grid, Normals, Tangent, Vertex};
use crate::wire::count;

/// A part of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Position,
    Normal,
    Uv,
    Tangent,
    Color,
}

impl Column {
    /// In the order of the ids that Roblox gives them.
    const ALL: [Self; 5] = [Self::Position, Self::Normal, Self::Uv, Self::Tangent, Self::Color];

    /// Which attribute is which column: by its id, 0 to 4; in a stream that has other ids, by what it is
    /// for.
    pub(crate) fn choose<'a>(
        attributes: impl Iterator<Item = &'a Attribute> + Clone,
    ) -> Result<Vec<(usize, Self)>, (usize, ErrorKind)> {
        let mut chosen = Vec::with_capacity(Self::ALL.len());
        for (id, column) in (0_u32..).zip(Self::ALL) {
            let find = |wanted: &dyn Fn(&Attribute) -> bool| {
                attributes.clone().enumerate().find(|(_, attribute)| wanted(attribute))
            };
            let fits = |attribute: &Attribute| (attribute.data, attribute.width) == column.shape();
            if let Some((index, attribute)) = find(&|attribute| attribute.id == id) {
                if !fits(attribute) {
                    let Attribute { width, data, .. } = attribute;
                    let what = format!("Draco attribute with id {id} of {width} values of type {data}");
                    return Err((index, ErrorKind::Unsupported(what.into())));
                }
                chosen.push((index, column));
            } else if let Some((index, _)) = find(&|attribute| {
                attribute.id as usize >= Self::ALL.len()
                    && Some(attribute.kind) == column.kind()
                    && fits(attribute)
            }) {
                chosen.push((index, column));
            }
        }
        Ok(chosen)
    }

    /// What an attribute says that it is for, where there is a word for it.
    fn kind(self) -> Option<u8> {
        match self {
            Self::Position => Some(POSITION),
            Self::Normal => Some(NORMAL),
            Self::Uv => Some(TEX_COORD),
            Self::Color => Some(COLOR),
            Self::Tangent => None,
        }
    }

    /// The type of its values and how many there are.
    fn shape(self) -> (u8, u8) {
        match self {
            Self::Position | Self::Normal => (F32, 3),
            Self::Uv => (F32, 2),
            Self::Tangent | Self::Color => (U8, 4),
        }
    }

    /// Puts values into the vertices that are no steps of a scale.
    pub(crate) fn fill(self, vertices: &mut [Vertex], values: &Values<'_>) {
        match values {
            Values::Plain(bytes) => self.fill_plain(vertices, bytes),
            Values::Integers(values) => {
                let values = values.as_chunks::<4>().0.iter().map(|values| {
                    #[allow(clippy::cast_possible_truncation, reason = "as Draco cuts what does not fit")]
                    values.map(|value| value as u8)
                });
                match self {
                    Self::Tangent => {
                        vertices.iter_mut().zip(values).for_each(|(v, t)| v.tangent = Tangent(t))
                    }
                    Self::Color => vertices.iter_mut().zip(values).for_each(|(v, c)| v.color = c.into()),
                    // An integer attribute of floats is refused when it is read.
                    Self::Position | Self::Normal | Self::Uv => {}
                }
            }
        }
    }

    fn fill_plain(self, vertices: &mut [Vertex], bytes: &[u8]) {
        let vec3 = |bytes: &[u8; 12]| {
            let mut array = [0.0; 3];
            for (value, bytes) in array.iter_mut().zip(bytes.as_chunks().0) {
                *value = f32::from_le_bytes(*bytes);
            }
            Vec3::from(array)
        };
        let vertices = vertices.iter_mut();
        match self {
            Self::Position => vertices.zip(bytes.as_chunks().0).for_each(|(v, b)| v.position = vec3(b)),
            Self::Normal => vertices.zip(bytes.as_chunks().0).for_each(|(v, b)| v.normal = vec3(b)),
            Self::Uv => vertices.zip(bytes.as_chunks::<8>().0).for_each(|(v, &[a, b, c, d, e, f, g, h])| {
                v.uv = Vec2::new(f32::from_le_bytes([a, b, c, d]), f32::from_le_bytes([e, f, g, h]));
            }),
            Self::Tangent => vertices.zip(bytes.as_chunks().0).for_each(|(v, &b)| v.tangent = Tangent(b)),
            Self::Color => vertices.zip(bytes.as_chunks::<4>().0).for_each(|(v, &b)| v.color = b.into()),
        }
    }

    /// Puts the values that the steps stand for into the vertices.
    pub(crate) fn fill_scaled(self, vertices: &mut [Vertex], steps: &[u32], scale: &Scale<'_>) {
        let step = step(scale.range, scale.bits);
        #[allow(clippy::cast_precision_loss, reason = "as Draco does it")]
        let value = |steps: u32, origin: f32| steps.cast_signed() as f32 * step + origin;
        let vec3 =
            |&[x, y, z]: &[u32; 3], [a, b, c]: [f32; 3]| Vec3::new(value(x, a), value(y, b), value(z, c));
        let origin = scale.origin::<3>();
        let [first, second, _] = origin;
        let vertices = vertices.iter_mut();
        match self {
            Self::Position => {
                vertices.zip(steps.as_chunks().0).for_each(|(v, s)| v.position = vec3(s, origin));
            }
            Self::Normal => vertices.zip(steps.as_chunks().0).for_each(|(v, s)| v.normal = vec3(s, origin)),
            Self::Uv => vertices.zip(steps.as_chunks().0).for_each(|(v, &[x, y])| {
                v.uv = Vec2::new(value(x, first), value(y, second));
            }),
            // Only floats are quantised.
            Self::Tangent | Self::Color => {}
        }
    }
}

impl From<Scale<'_>> for Normals {
    fn from(scale: Scale<'_>) -> Self {
        Self::Grid(Grid { origin: scale.origin(), range: scale.range, bits: scale.bits })
    }
}

impl Grid {
    /// A grid that reaches nothing, in whose place one is made that fits.
    pub(crate) fn to_fit(bits: u8) -> Self {
        Self { origin: [0.0; 3], range: 0.0, bits }
    }

    /// The grid that fits around the normals; `None` where there is none: not all are finite, or they
    /// are too far apart.
    fn around(vertices: &[Vertex], bits: u8) -> Option<Self> {
        let mut least = [f32::INFINITY; 3];
        let mut most = [f32::NEG_INFINITY; 3];
        for vertex in vertices {
            if !vertex.normal.is_finite() {
                return None;
            }
            for ((least, most), value) in least.iter_mut().zip(&mut most).zip(vertex.normal.to_array()) {
                *least = least.min(value);
                *most = most.max(value);
            }
        }
        if vertices.is_empty() {
            (least, most) = ([0.0; 3], [0.0; 3]);
        }
        let range = least.iter().zip(most).map(|(least, most)| most - least).fold(0.0, f32::max);
        let range = if range > 0.0 { range } else { 1.0 };
        range.is_finite().then_some(Self { origin: least, range, bits })
    }

    /// Whether the normals lie within the grid, but for what its last step is off by in an f32.
    fn reaches(&self, vertices: &[Vertex]) -> bool {
        let range = self.range + self.range * f32::EPSILON * 2.0;
        let far = |value: f32, origin: f32| value >= origin && value - origin <= range;
        let [x, y, z] = self.origin;
        self.range > 0.0
            && range.is_finite()
            && vertices.iter().map(|v| v.normal).all(|n| far(n.x, x) && far(n.y, y) && far(n.z, z))
    }

    /// The step that is nearest to each component.
    fn steps(&self, normal: Vec3) -> [i32; 4] {
        let most = (1_i32 << (self.bits & 31)).wrapping_sub(1);
        let step = step(self.range, self.bits);
        let nearest = |value: f32, origin: f32| {
            #[allow(clippy::cast_possible_truncation, reason = "a float cast saturates")]
            let nearest = ((value - origin) / step + 0.5).floor() as i32;
            nearest.clamp(0, most)
        };
        let [x, y, z] = self.origin;
        [nearest(normal.x, x), nearest(normal.y, y), nearest(normal.z, z), 0]
    }
}

/// A stream of the vertices and faces, with the attributes and in the codings that Roblox uses.
///
/// The normals stand on the grid that is given where it reaches all of them, so that those of an
/// older stream stay as they are; otherwise on one of as many bits that fits around them. Where none
/// does, they stand plain.
pub(crate) fn write(
    vertices: &[Vertex],
    faces: &[[u32; 3]],
    coding: Coding,
    out: &mut Vec<u8>,
) -> Result<()> {
    let points = count(vertices.len(), "vertices")?;
    let normals = match coding.normals {
        Normals::Floats => Normals::Floats,
        Normals::Grid(grid) if grid.reaches(vertices) => Normals::Grid(grid),
        Normals::Grid(Grid { bits, .. }) => {
            Grid::around(vertices, bits).map_or(Normals::Floats, Normals::Grid)
        }
    };
    out.extend_from_slice(MAGIC);
    out.extend(VERSION);
    out.extend([MESH, SEQUENTIAL]);
    out.extend(0_u16.to_le_bytes());
    faces::write(faces, points, coding.compressed_faces, out)?;
    let rounded = if normals == Normals::Floats { PLAIN } else { QUANTIZED };
    let columns = [
        (POSITION, F32, 3, PLAIN),
        (GENERIC, F32, 3, rounded),
        (TEX_COORD, F32, 2, PLAIN),
        (GENERIC, U8, 4, INTEGER),
        (COLOR, U8, 4, INTEGER),
    ];
    out.extend([1, 5]);
    for (id, (kind, data, width, coding)) in (0..).zip(columns) {
        Attribute { kind, data, width, normalized: 0, id, coding }.write(out);
    }
    out.extend(columns.map(|(.., coding)| coding));

    let floats = |vector: Vec3| vector.to_array().map(f32::to_le_bytes);
    for vertex in vertices {
        out.extend_from_slice(floats(vertex.position).as_flattened());
    }
    match normals {
        Normals::Grid(grid) => {
            let steps: Vec<_> = vertices.iter().map(|vertex| grid.steps(vertex.normal)).collect();
            write_integers(&steps, 3, out);
        }
        Normals::Floats => {
            vertices.iter().for_each(|vertex| out.extend_from_slice(floats(vertex.normal).as_flattened()))
        }
    }
    for vertex in vertices {
        out.extend_from_slice(vertex.uv.to_array().map(f32::to_le_bytes).as_flattened());
    }
    let bytes: Vec<_> = vertices.iter().map(|vertex| vertex.tangent.0.map(i32::from)).collect();
    write_integers(&bytes, 4, out);
    let bytes: Vec<_> = vertices.iter().map(|vertex| vertex.color.to_array().map(i32::from)).collect();
    write_integers(&bytes, 4, out);
    if let Normals::Grid(Grid { origin, range, bits }) = normals {
        out.extend_from_slice(origin.map(f32::to_le_bytes).as_flattened());
        out.extend(range.to_le_bytes());
        out.push(bits);
    }
    Ok(())
}
