//! Equality of models: by value and bits.

use std::collections::{BTreeSet, HashMap};

use geom::Rgba8;

use super::{Mesh, MeshRecord, Model, Polygons, Skin, SkinId, TexCoords, Vertices, VoxelType, exact_numbers};
use crate::hash::Mix;

/// Compares the content, without [`Model::layout`]. Floats are compared by bits: 0 and -0 differ, NaN equals a NaN
/// of the same bits, and a model with NaN equals itself. Models that the format stores alike are equal: an absent
/// column equals one without a value, floats equal doubles of the same value, consecutive polygons of one kind may be
/// in one record or in several, and a bone of weight 0 equals no bone. The order of the skins does not count.
impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        // Every field is named: a new one does not compile until it is compared.
        #[rustfmt::skip]
        let Self {
            name, license, author, description, scale, preview, tex_coords, vertices, bones, skins: _, materials,
            procedurals, meshes, voxel_types, voxel_blocks, shapes, labels, actions, assets, extras, layout: _,
        } = self;
        macro_rules! equal {
            ($($field:ident),+) => { $(*$field == other.$field)&&+ };
        }
        equal!(name, license, author, description, preview, bones, procedurals, voxel_blocks)
            && equal!(materials, shapes, labels, actions, assets, extras)
            && scale.to_bits() == other.scale.to_bits()
            && same_tex_coords(tex_coords, &other.tex_coords)
            && same_vertices(vertices, &other.vertices)
            && same(voxel_types, &other.voxel_types, same_voxel_type)
            && same(meshes, &other.meshes, same_mesh)
            && same_skins(self, other)
    }
}

impl Eq for Model {}

impl Model {
    /// Whether two models have the same layout: equal models with the same layout are written as the same bytes.
    pub fn same_layout(&self, other: &Self) -> bool {
        self.layout == other.layout
    }
}

fn same<T>(a: &[T], b: &[T], equal: impl Fn(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
}

fn same_numbers<const N: usize, T: Copy + Into<[f32; N]>>(
    (a, a_precise): (&[T], &[[f64; N]]),
    (b, b_precise): (&[T], &[[f64; N]]),
) -> bool {
    // Writers refuse a column of another length.
    let fits = |floats: usize, doubles: usize| doubles == 0 || doubles == floats;
    let numbers = |floats: T, doubles: Option<&[f64; N]>| exact_numbers(floats.into(), doubles);
    (fits(a.len(), a_precise.len()) && fits(b.len(), b_precise.len()) || a_precise.len() == b_precise.len())
        && a.len() == b.len()
        && a.iter().zip(b).enumerate().all(|(index, (&a, &b))| {
            numbers(a, a_precise.get(index)).map(f64::to_bits)
                == numbers(b, b_precise.get(index)).map(f64::to_bits)
        })
}

fn same_column<T: PartialEq + Copy>(a: &[T], b: &[T], none: T) -> bool {
    let empty = |column: &[T]| column.iter().all(|&value| value == none);
    a == b || a.is_empty() && empty(b) || b.is_empty() && empty(a)
}

fn same_tex_coords(a: &TexCoords, b: &TexCoords) -> bool {
    let TexCoords { uvs, precise } = a;
    same_numbers((uvs, precise), (&b.uvs, &b.precise))
}

/// Compares vertices without their skins.
fn same_vertices(a: &Vertices, b: &Vertices) -> bool {
    let Vertices { coords, precise, colors, skins: _ } = a;
    same_numbers((coords, precise), (&b.coords, &b.precise))
        && same_column(colors, &b.colors, Rgba8::default())
}

/// Compares types of voxels without their skins.
fn same_voxel_type(a: &VoxelType, b: &VoxelType) -> bool {
    let VoxelType { color, name, rotation, shape, skin: _, items } = a;
    *color == b.color && *name == b.name && *rotation == b.rotation && *shape == b.shape && *items == b.items
}

/// Whether both models have the same skins, and each vertex and each type of voxels has the same one.
fn same_skins(a: &Model, b: &Model) -> bool {
    // Numbers the skins of both models: equal skins get the same number.
    let mut numbers: HashMap<Skin, usize, Mix> = HashMap::default();
    let mut numbered = |model: &Model| {
        let number = |skin: &Skin| {
            let next = numbers.len();
            *numbers.entry(skin.compact()).or_insert(next)
        };
        model.skins.iter().map(number).collect::<Vec<_>>()
    };
    let (of_a, of_b) = (numbered(a), numbered(b));
    let all = |numbers: &[usize]| numbers.iter().copied().collect::<BTreeSet<_>>();
    let same = |a: SkinId, b: SkinId| {
        let number = |of: &[usize], id: SkinId| id.get().and_then(|index| of.get(index).copied());
        match (number(&of_a, a), number(&of_b, b)) {
            (None, None) => a == b,
            (a, b) => a == b,
        }
    };
    let (vertices, others) = (&a.vertices.skins, &b.vertices.skins);
    let absent = |column: &[SkinId]| column.iter().all(|skin| skin.is_none());
    let same_vertices = match (vertices.is_empty(), others.is_empty()) {
        (false, false) => {
            vertices.len() == others.len() && vertices.iter().zip(others).all(|(&a, &b)| same(a, b))
        }
        _ => absent(vertices) && absent(others),
    };
    same_vertices
        && all(&of_a) == all(&of_b)
        && a.voxel_types.iter().zip(&b.voxel_types).all(|(a, b)| same(a.skin, b.skin))
}

fn same_mesh(a: &Mesh, b: &Mesh) -> bool {
    let Mesh { records, vertices, tex_coords, normals, maximums } = a;
    *vertices == b.vertices
        && *tex_coords == b.tex_coords
        && *normals == b.normals
        && *maximums == b.maximums
        && Runs(records).eq(Runs(&b.records))
}

/// The records of a mesh, with consecutive polygons of one kind merged into one run.
struct Runs<'a>(&'a [MeshRecord]);

/// A run of polygons (their kind and their number), or another record.
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
