//! Texture coordinates, vertices and meshes.

use std::collections::HashSet;

use bstr::ByteSlice;
use geom::Vec3;

use super::rules::*;
use super::{identifier, index_of};
use crate::model::{Arg, CornerParts, Mesh, MeshRecord, Model, SkinId, VertexId};
use geom::wire::{Counted, Findings, report};

pub(super) fn check(model: &Model, findings: &mut Findings) {
    for (index, uv) in model.tex_coords.uvs.iter().enumerate() {
        let uv = uv.to_array();
        let finite = uv.into_iter().all(f32::is_finite);
        report!(findings, !finite, FINITE_TEX_COORDS, "tex_coords.uvs[{index}]", "found {uv:?}");
    }
    vertices(model, findings);
    let defined = model.material_ids();
    for (index, mesh) in model.meshes.iter().enumerate() {
        records(model, index, mesh, findings);
        polygons(model, index, mesh, findings);
        winding(model, index, mesh, findings);
        for (record, what) in mesh.records.iter().enumerate() {
            if let MeshRecord::Material(name) = what {
                let unknown = !name.is_empty() && !defined.contains_key(name.as_bstr());
                let path = || format!("meshes[{index}].records[{record}].material");
                report!(
                    findings,
                    unknown,
                    MATERIAL_DEFINED,
                    path(),
                    "the model does not define the material {name:?}"
                );
            }
        }
    }
    cube(model, findings);
}

fn vertices(model: &Model, findings: &mut Findings) {
    let vertices = &model.vertices;
    let count = vertices.len();
    let lens = [vertices.precise.len(), vertices.colors.len(), vertices.skins.len()];
    for (len, column) in lens.into_iter().zip(["precise", "colors", "skins"]) {
        let other = len != 0 && len != count;
        report!(
            findings,
            other,
            VERTEX_COLUMNS,
            "vertices.{column}",
            "expected {}, found {len}",
            Counted::new(count, "entries")
        );
    }
    for (index, coord) in vertices.coords.iter().enumerate() {
        let values = coord.to_array();
        let finite = values.into_iter().all(f32::is_finite);
        report!(findings, !finite, FINITE_COORDINATES, "vertices.coords[{index}]", "found {values:?}");
        let skin = vertices.skins.get(index).copied().unwrap_or(SkinId::NONE);
        if skin == SkinId::QUATERNION {
            let length = values.into_iter().map(|value| value * value).sum::<f32>().sqrt();
            let other = (length - 1.0).abs() > 0.05;
            report!(findings, other, QUATERNION_LENGTH, "vertices.coords[{index}]", "the length is {length}");
        } else if !skin.is_none() {
            index_of!(findings, SKIN_INDEX, skin, model.skins.len(), "skins", "vertices.skins[{index}]");
        }
    }
}

/// Checks the records of a mesh: their order, and the lengths of the columns.
fn records(model: &Model, index: usize, mesh: &Mesh, findings: &mut Findings) {
    let path = |record: usize| format!("meshes[{index}].records[{record}]");
    let mut wanted = [0_usize; 4];
    let mut used: HashSet<&[u8]> = HashSet::new();
    let (mut material, mut parameter): (&[u8], &[u8]) = (b"", b"");
    // The material of the polygons before.
    let mut before: Option<&[u8]> = None;
    for (number, record) in mesh.records.iter().enumerate() {
        macro_rules! at {
            ($broken:expr, $rule:ident, $($found:tt)+) => {
                report!(findings, $broken, $rule, "meshes[{index}].records[{number}]", $($found)+)
            };
        }
        match record {
            MeshRecord::Material(name) => {
                identifier(findings, name.as_bstr(), || format!("{}.material", path(number)));
                material = name;
            }
            MeshRecord::Parameter(name) => {
                identifier(findings, name.as_bstr(), || format!("{}.parameter", path(number)));
                parameter = name;
            }
            MeshRecord::Property(id, _) => at!(true, MESH_PROPERTY, "unknown polygon property {id}"),
            MeshRecord::Polygons(polygons) => {
                if before.replace(material) != Some(material) {
                    let last = material.is_empty() && !used.is_empty();
                    let again = !used.insert(material);
                    at!(
                        again,
                        MATERIAL_ORDER,
                        "found more {} after other polygons",
                        match material.is_empty() {
                            true => "polygons without a material".to_owned(),
                            false => format!("polygons with the material {:?}", material.as_bstr()),
                        }
                    );
                    at!(
                        last && !again,
                        NO_MATERIAL_FIRST,
                        "polygons without a material come after polygons with a material"
                    );
                }
                let sides = usize::from(polygons.sides);
                // Saturating, like the sums: records may state more corners than any column has.
                let corners = (polygons.count as usize).saturating_mul(sides);
                let parts = polygons.parts;
                for (sum, part) in wanted.iter_mut().zip([0, 1, 2, 4].map(CornerParts)) {
                    *sum = sum.saturating_add(if parts.has(part) { corners } else { 0 });
                }
                let possible = (1..=15).contains(&sides);
                at!(!possible, POLYGON_CORNERS, "polygons with {sides} corners");
                at!(possible && sides != 3, TRIANGLES, "polygons with {}", Counted::new(sides, "corners"));
                at!(parts.has(CornerParts(8)), POLYGON_RESERVED, "`parts` is {:#x}", parts.0);
                let no_parameter = parts.has(CornerParts::MAXIMUM) && parameter.is_empty();
                at!(
                    no_parameter,
                    MAXIMUM_PARAMETER,
                    "the corners have maximums, but no parameter (`par`) precedes the polygons"
                );
                let no_uvs = parts.has(CornerParts::TEX_COORD) && model.tex_coords.uvs.is_empty();
                at!(
                    no_uvs,
                    CORNER_TEX_COORD,
                    "the corners refer to texture coordinates, but the model has none"
                );
            }
        }
    }
    let lens = [mesh.vertices.len(), mesh.tex_coords.len(), mesh.normals.len(), mesh.maximums.len()];
    for ((column, len), wanted) in
        ["vertices", "tex_coords", "normals", "maximums"].into_iter().zip(lens).zip(wanted)
    {
        let other = len != wanted;
        report!(
            findings,
            other,
            CORNER_COLUMNS,
            "meshes[{index}].{column}",
            "expected {}, found {len}",
            Counted::new(wanted, "entries")
        );
    }
}

fn polygons(model: &Model, index: usize, mesh: &Mesh, findings: &mut Findings) {
    let (count, uvs) = (model.vertices.len(), model.tex_coords.uvs.len());
    for (number, polygon) in mesh.polygons().enumerate() {
        let path = |field: &str| format!("meshes[{index}].polygons[{number}].{field}");
        for (ids, field) in
            [(polygon.vertices, "vertex"), (polygon.normals, "normal"), (polygon.maximums, "maximum")]
        {
            // The normal or the maximum of a corner may be missing.
            let wanted = |id: &VertexId| field == "vertex" || !id.is_none();
            if let Some(id) = ids.iter().find(|&id| wanted(id) && id.get().is_none_or(|id| id >= count)) {
                let of = Counted::new(count, "vertices");
                findings.add(VERTEX_INDEX, || {
                    (path(field), format!("index {id} is out of range (the model has {of})"))
                });
            }
        }
        if let Some(id) = polygon.tex_coords.iter().find(|id| !id.is_none() && id.0 as usize >= uvs) {
            let of = Counted::new(uvs, "texture coordinates");
            findings.add(TEX_COORD_INDEX, || {
                (path("tex_coord"), format!("index {id} is out of range (the model has {of})"))
            });
        }
        if let &[a, b, c] = polygon.vertices
            && (a == b || b == c || c == a)
            && polygon.vertices.iter().all(|id| id.get().is_some_and(|id| id < count))
        {
            findings.add(DEGENERATE, || {
                (path("vertex"), format!("the triangle has the vertices {a}, {b} and {c}"))
            });
        }
    }
}

/// Checks the winding of the polygons: programs that cull back faces show a mesh with the opposite winding inside out.
fn winding(model: &Model, index: usize, mesh: &Mesh, findings: &mut Findings) {
    let point = |id: &VertexId| model.vertices.position(*id);
    let (mut with, mut against) = (0, 0);
    for polygon in mesh.polygons() {
        let [Some(a), Some(b), Some(c)] = [0, 1, 2].map(|at| polygon.vertices.get(at).and_then(point)) else {
            continue;
        };
        let normals = polygon.normals.iter().filter_map(point);
        let side = (b - a).cross(c - a).dot(normals.fold(Vec3::default(), |sum, normal| sum + normal));
        with += usize::from(side > 0.0);
        against += usize::from(side < 0.0);
    }
    let all = with + against;
    report!(
        findings,
        against > with,
        WINDING,
        "meshes[{index}]",
        "found {} among {all} with normals",
        Counted::new(against, "clockwise polygons")
    );
}

/// Checks that the points fill the bounding cube, and that those of the meshes do not exceed it.
fn cube(model: &Model, findings: &mut Findings) {
    let surface = farthest(model, model.meshes.iter().flat_map(|mesh| &mesh.vertices).copied());
    let Some((most, index)) = surface else { return };
    // One step of int8 past 1 is inherent in the format.
    let outside = most > 128.5 / 127.0;
    report!(
        findings,
        outside,
        BOUNDING_CUBE,
        "vertices.coords[{index}]",
        "the largest absolute coordinate is {most}"
    );
    let others = farthest(model, points_besides(model)).filter(|(other, _)| *other > most);
    let (most, index) = others.unwrap_or((most, index));
    let short = most < 0.99;
    report!(
        findings,
        short,
        CUBE_FILLED,
        "vertices.coords[{index}]",
        "the largest absolute coordinate is {most}"
    );
}

/// The largest absolute coordinate of vertices, and the index of the first vertex that has it.
fn farthest(model: &Model, vertices: impl Iterator<Item = VertexId>) -> Option<(f32, usize)> {
    let mut most: Option<(f32, usize)> = None;
    for id in vertices {
        let Some(coord) = model.vertices.coord(id) else { continue };
        let largest = coord.x.abs().max(coord.y.abs()).max(coord.z.abs());
        if most.is_none_or(|(most, _)| largest > most) {
            most = Some((largest, id.0 as usize));
        }
    }
    most
}

/// The points of a model that are not corners: the SDK scales all points alike.
fn points_besides(model: &Model) -> impl Iterator<Item = VertexId> {
    let maximums = model.meshes.iter().flat_map(|mesh| &mesh.maximums).copied();
    let bones = model.bones.iter().map(|bone| bone.position);
    let frames = model.actions.iter().flat_map(|action| &action.frames);
    let transforms = frames.flat_map(|frame| &frame.transforms).map(|transform| transform.position);
    let labels = model.labels.iter().flat_map(|group| &group.labels).map(|label| label.vertex);
    let args = model.shapes.iter().flat_map(|shape| &shape.commands).flat_map(|command| &command.args);
    let shapes = args.filter_map(|arg| match arg {
        Arg::Vertex(id) => Some(*id),
        _ => None,
    });
    maximums.chain(bones).chain(transforms).chain(labels).chain(shapes)
}
