//! Texture coordinates, vertices and meshes.

use std::collections::HashSet;

use bstr::ByteSlice;

use super::rules;
use crate::finding::Findings;
use crate::model::{CornerParts, Mesh, MeshRecord, Model, SkinId, VertexId};

pub(super) fn check(model: &Model, findings: &mut Findings) {
    for (index, uv) in model.tex_coords.uvs.iter().enumerate() {
        if !(uv.x.is_finite() && uv.y.is_finite()) {
            findings.add(rules::FINITE_TEX_COORDS, || {
                (format!("tex_coords.uvs[{index}]"), format!("{:?}", uv.to_array()))
            });
        }
    }
    vertices(model, findings);
    let defined = model.material_ids();
    for (index, mesh) in model.meshes.iter().enumerate() {
        records(model, index, mesh, findings);
        polygons(model, index, mesh, findings);
        for (record, what) in mesh.records.iter().enumerate() {
            if let MeshRecord::Material(name) = what
                && !name.is_empty()
                && !defined.contains_key(name.as_bstr())
            {
                findings.add(rules::MATERIAL_DEFINED, || {
                    (format!("meshes[{index}].records[{record}].material"), format!("{name:?} is not"))
                });
            }
        }
    }
    cube(model, findings);
}

fn vertices(model: &Model, findings: &mut Findings) {
    let vertices = &model.vertices;
    for (len, column) in [
        (vertices.precise.len(), "precise"),
        (vertices.colors.len(), "colors"),
        (vertices.skins.len(), "skins"),
    ] {
        if len != 0 && len != vertices.len() {
            findings.add(rules::VERTEX_COLUMNS, || {
                (format!("vertices.{column}"), format!("{len} entries for {}", vertices.len()))
            });
        }
    }
    for (index, coord) in vertices.coords.iter().enumerate() {
        let values = coord.to_array();
        if !values.into_iter().all(f32::is_finite) {
            findings.add(rules::FINITE_COORDINATES, || {
                (format!("vertices.coords[{index}]"), format!("{values:?}"))
            });
        }
        let skin = vertices.skins.get(index).copied().unwrap_or_default();
        if skin == SkinId::QUATERNION {
            let length = values.into_iter().map(|value| value * value).sum::<f32>().sqrt();
            if (length - 1.0).abs() > 0.05 {
                findings.add(rules::QUATERNION_LENGTH, || {
                    (format!("vertices.coords[{index}]"), format!("a length of {length}"))
                });
            }
        } else if skin.get().is_some_and(|skin| skin >= model.skins.len()) {
            findings.add(rules::SKIN_INDEX, || {
                (format!("vertices.skins[{index}]"), format!("{} of {}", skin.0, model.skins.len()))
            });
        }
    }
}

/// The records of a mesh: their order and their columns.
fn records(model: &Model, index: usize, mesh: &Mesh, findings: &mut Findings) {
    let place = |record: usize| format!("meshes[{index}].records[{record}]");
    let mut wanted = [0_usize; 4];
    let mut used: HashSet<&[u8]> = HashSet::new();
    let (mut material, mut parameter): (&[u8], &[u8]) = (b"", b"");
    let mut switched = true;
    for (number, record) in mesh.records.iter().enumerate() {
        match record {
            MeshRecord::Material(name) => {
                super::identifier(findings, name.as_bstr(), || format!("{}.material", place(number)));
                (material, switched) = (name, true);
            }
            MeshRecord::Parameter(name) => {
                super::identifier(findings, name.as_bstr(), || format!("{}.parameter", place(number)));
                parameter = name;
            }
            MeshRecord::Property(id, _) => {
                findings.add(rules::MESH_PROPERTY, || (place(number), format!("property {id}")))
            }
            MeshRecord::Polygons(polygons) => {
                if std::mem::take(&mut switched) {
                    if used.contains(material) {
                        findings.add(rules::MATERIAL_ORDER, || {
                            (place(number), format!("{:?} again", material.as_bstr()))
                        });
                    } else if material.is_empty() && !used.is_empty() {
                        findings.add(rules::NO_MATERIAL_FIRST, || {
                            (place(number), "after those of a material".into())
                        });
                    }
                    used.insert(material);
                }
                let sides = usize::from(polygons.sides);
                let corners = (polygons.count as usize).saturating_mul(sides);
                let parts = polygons.parts;
                for (sum, part) in wanted.iter_mut().zip([0, 1, 2, 4].map(CornerParts)) {
                    *sum = sum.saturating_add(if parts.has(part) { corners } else { 0 });
                }
                if !(1..=15).contains(&sides) {
                    findings.add(rules::POLYGON_CORNERS, || (place(number), format!("{sides}")));
                } else if sides != 3 {
                    findings
                        .add(rules::TRIANGLES, || (place(number), format!("polygons of {sides} corners")));
                }
                if parts.has(CornerParts(8)) {
                    findings.add(rules::POLYGON_RESERVED, || (place(number), format!("{:#x}", parts.0)));
                }
                if parts.has(CornerParts::MAXIMUM) && parameter.is_empty() {
                    findings
                        .add(rules::MAXIMUM_PARAMETER, || (place(number), "no parameter before them".into()));
                }
                if parts.has(CornerParts::TEX_COORD) && model.tex_coords.uvs.is_empty() {
                    findings.add(rules::CORNER_TEX_COORD, || (place(number), "the model has none".into()));
                }
            }
        }
    }
    let lens = [mesh.vertices.len(), mesh.tex_coords.len(), mesh.normals.len(), mesh.maximums.len()];
    for ((column, len), wanted) in
        ["vertices", "tex_coords", "normals", "maximums"].into_iter().zip(lens).zip(wanted)
    {
        if len != wanted {
            findings.add(rules::CORNER_COLUMNS, || {
                (format!("meshes[{index}].{column}"), format!("{len} corners for {wanted}"))
            });
        }
    }
}

/// The indices of all polygons.
fn polygons(model: &Model, index: usize, mesh: &Mesh, findings: &mut Findings) {
    let count = model.vertices.len();
    let uvs = model.tex_coords.uvs.len();
    let outside = |id: &VertexId| id.get().is_none_or(|id| id >= count);
    for (number, polygon) in mesh.polygons().enumerate() {
        let place = |field: &str| format!("meshes[{index}].polygons[{number}].{field}");
        for (ids, field) in
            [(polygon.vertices, "vertex"), (polygon.normals, "normal"), (polygon.maximums, "maximum")]
        {
            // A corner may do without a normal.
            let wrong = ids.iter().find(|&id| outside(id) && (field == "vertex" || !id.is_none()));
            if let Some(id) = wrong {
                findings.add(rules::VERTEX_INDEX, || (place(field), format!("{} of {count}", id.0)));
            }
        }
        if let Some(id) = polygon.tex_coords.iter().find(|id| !id.is_none() && id.0 as usize >= uvs) {
            findings.add(rules::TEX_COORD_INDEX, || (place("tex_coord"), format!("{} of {uvs}", id.0)));
        }
        if let &[a, b, c] = polygon.vertices
            && (a == b || b == c || c == a)
        {
            findings.add(rules::DEGENERATE, || (place("vertex"), format!("{}, {}, {}", a.0, b.0, c.0)));
        }
    }
}

/// The points of the meshes fill the bounding cube.
fn cube(model: &Model, findings: &mut Findings) {
    let mut most: Option<(f32, usize)> = None;
    for id in model.meshes.iter().flat_map(|mesh| &mesh.vertices) {
        let Some(coord) = model.vertices.coord(*id) else { continue };
        let largest = coord.x.abs().max(coord.y.abs()).max(coord.z.abs());
        if most.is_none_or(|(most, _)| largest > most) {
            most = Some((largest, id.0 as usize));
        }
    }
    // One step of int8 past 1 is what the format itself cannot help.
    match most {
        Some((most, index)) if most > 128.5 / 127.0 => {
            findings.add(rules::BOUNDING_CUBE, || {
                (format!("vertices.coords[{index}]"), format!("a coordinate of {most}"))
            });
        }
        Some((most, index)) if most < 0.99 => {
            findings.add(rules::CUBE_FILLED, || {
                (format!("vertices.coords[{index}]"), format!("the largest coordinate is {most}"))
            });
        }
        _ => {}
    }
}
