//! When two models are equal: by value and bits.

use geom::Rgba8;

use super::{
    Arg, Command, Material, Mesh, MeshRecord, Model, Polygons, Property, Shape, Skin, SkinId, TexCoords,
    Value, Vertices,
};
use crate::number::entry;

/// Content, without [`Model::layout`]. Floats are compared by bits, but every NaN is equal to every NaN:
/// 0 and -0 differ, and a model with NaN is equal to itself. What the format writes in the same way is
/// equal: an absent column and one without a value, doubles that are those of the floats, consecutive
/// polygons of one kind in one record or in several, a bone without weight and no bone.
impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        /// Whether fields are equal, some by a function of their own.
        macro_rules! equal {
            ($($field:ident),+; $($own:ident: $same:expr),+) => {{
                let Self { $($field,)+ $($own,)+ layout: _ } = self;
                $(*$field == other.$field)&&+ && $($same($own, &other.$own))&&+
            }};
        }
        equal! {
            name, license, author, description, preview, bones, procedurals, voxel_types, voxel_blocks, labels,
            actions, assets, extras;
            scale: |&a, &b| same_f32(a, b),
            tex_coords: |a: &TexCoords, b: &TexCoords| same_numbers((&a.uvs, &a.precise), (&b.uvs, &b.precise)),
            vertices: same_vertices,
            skins: |a, b| same(a, b, same_skin),
            materials: |a, b| same(a, b, same_material),
            meshes: |a, b| same(a, b, same_mesh),
            shapes: |a, b| same(a, b, same_shape)
        }
    }
}

impl Eq for Model {}

impl Model {
    /// Whether two models were laid out in the same way: models that are equal and have the same layout
    /// are written as the same bytes.
    pub fn same_layout(&self, other: &Self) -> bool {
        self.layout == other.layout
    }
}

fn same<T>(a: &[T], b: &[T], equal: impl Fn(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
}

fn same_f32(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

fn same_f64(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

fn same_numbers<const N: usize, T: Copy + Into<[f32; N]>>(
    (a, a_precise): (&[T], &[[f64; N]]),
    (b, b_precise): (&[T], &[[f64; N]]),
) -> bool {
    // A column of another length is refused by the writers.
    let fits = |floats: usize, doubles: usize| doubles == 0 || doubles == floats;
    let numbers = |floats: T, doubles: Option<&[f64; N]>| entry(floats.into(), doubles);
    (fits(a.len(), a_precise.len()) && fits(b.len(), b_precise.len()) || a_precise.len() == b_precise.len())
        && a.len() == b.len()
        && a.iter().zip(b).enumerate().all(|(index, (&a, &b))| {
            let (a, b) = (numbers(a, a_precise.get(index)), numbers(b, b_precise.get(index)));
            a.into_iter().zip(b).all(|(a, b)| same_f64(a, b))
        })
}

fn same_column<T: PartialEq + Copy>(a: &[T], b: &[T], none: T) -> bool {
    let empty = |column: &[T]| column.iter().all(|&value| value == none);
    a == b || a.is_empty() && empty(b) || b.is_empty() && empty(a)
}

fn same_vertices(a: &Vertices, b: &Vertices) -> bool {
    same_numbers((&a.coords, &a.precise), (&b.coords, &b.precise))
        && same_column(&a.colors, &b.colors, Rgba8::default())
        && same_column(&a.skins, &b.skins, SkinId::NONE)
}

fn same_skin(a: &Skin, b: &Skin) -> bool {
    let influences =
        |skin: &Skin| skin.bones.into_iter().zip(skin.weights).filter(|&(_, weight)| weight != 0);
    influences(a).eq(influences(b))
}

fn same_material(a: &Material, b: &Material) -> bool {
    let same_value = |a: &Value, b: &Value| match (a, b) {
        (&Value::Float(a), &Value::Float(b)) => same_f32(a, b),
        (a, b) => a == b,
    };
    let same_property = |a: &Property, b: &Property| a.id == b.id && same_value(&a.value, &b.value);
    a.name == b.name && same(&a.properties, &b.properties, same_property)
}

fn same_shape(a: &Shape, b: &Shape) -> bool {
    let same_arg = |a: &Arg, b: &Arg| match (a, b) {
        (&Arg::Coord(a), &Arg::Coord(b)) => same_f64(a, b),
        (a, b) => a == b,
    };
    let same_command = |a: &Command, b: &Command| a.id == b.id && same(&a.args, &b.args, same_arg);
    a.name == b.name && a.group == b.group && same(&a.commands, &b.commands, same_command)
}

fn same_mesh(a: &Mesh, b: &Mesh) -> bool {
    a.vertices == b.vertices
        && a.tex_coords == b.tex_coords
        && a.normals == b.normals
        && a.maximums == b.maximums
        && Runs(&a.records).eq(Runs(&b.records))
}

/// The records of a mesh, with all consecutive polygons of one kind as one.
struct Runs<'a>(&'a [MeshRecord]);

/// A run of polygons by their kind and how many there are, or another record.
type Run<'a> = Result<(Polygons, u64), &'a MeshRecord>;

impl<'a> Iterator for Runs<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        let mut run: Option<(Polygons, u64)> = None;
        while let Some((first, rest)) = self.0.split_first() {
            let polygons = match *first {
                MeshRecord::Polygons(of) => Some((Polygons { count: 0, ..of }, u64::from(of.count))),
                _ => None,
            };
            match (polygons, &mut run) {
                (Some((_, 0)), _) => {}
                (Some((kind, count)), Some((known, sum))) if kind == *known => *sum += count,
                (_, Some(_)) => break,
                (Some(_), None) => run = polygons,
                (None, None) => {
                    self.0 = rest;
                    return Some(Err(first));
                }
            }
            self.0 = rest;
        }
        run.map(Ok)
    }
}
