//! Polygons, and the layers of their corners.

use std::collections::HashMap;

use glam::DVec3;
use rezkit_core::{Budget, Error, Loss, Result};

use super::tree::Record;
use crate::corners::{Columns, Moved, Part, linear};
use crate::model::Primitive;
use crate::polygon::Cutter;

/// The triangles of a geometry by material, and what was their origin.
pub(super) struct Geometry {
    pub(super) primitives: Vec<(usize, Primitive)>,
    /// For each primitive, the control point of each vertex.
    pub(super) points: Vec<Vec<u32>>,
}

/// A layer of values at the corners of polygons.
struct Layer {
    by: By,
    values: Vec<f64>,
    /// The number of numbers of a value.
    width: usize,
    indices: Vec<i64>,
}

/// What the values of a layer belong to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    Corner,
    Point,
    Polygon,
    All,
}

const WHAT: &str = "the polygons";

impl Layer {
    fn of(record: &Record, names: [&str; 2], width: usize) -> Option<Self> {
        let by = match record.text("MappingInformationType")?.as_str() {
            "ByPolygonVertex" => By::Corner,
            "ByVertice" | "ByVertex" => By::Point,
            "ByPolygon" => By::Polygon,
            "AllSame" => By::All,
            _ => return None,
        };
        let [values, indices] = names;
        let is_direct = record.text("ReferenceInformationType").is_none_or(|text| text == "Direct");
        let indices = if is_direct { Vec::new() } else { record.ints_of(indices) };
        Some(Self { by, values: record.floats_of(values), width, indices })
    }

    /// The index of the value of a corner.
    fn at(&self, corner: usize, point: usize, polygon: usize) -> Option<usize> {
        let place = match self.by {
            By::Corner => corner,
            By::Point => point,
            By::Polygon => polygon,
            By::All => 0,
        };
        match self.indices.get(place) {
            Some(&index) => usize::try_from(index).ok(),
            None if self.indices.is_empty() => Some(place),
            None => None,
        }
    }

    fn value<const N: usize>(&self, corner: usize, point: usize, polygon: usize) -> Option<[f64; N]> {
        let start = self.at(corner, point, polygon)?.checked_mul(self.width)?;
        self.values.get(start..start.checked_add(N)?)?.try_into().ok()
    }
}

/// The layers of a geometry.
struct Layers {
    normals: Option<Layer>,
    tangents: Option<Layer>,
    bitangents: Option<Layer>,
    uvs: Vec<Layer>,
    colors: Option<Layer>,
    materials: Option<Layer>,
}

impl Layers {
    fn of(record: &Record, path: &str, losses: &mut Vec<Loss>) -> Self {
        let mut lose = |kind: &str| {
            let what = format!("a layer of the kind {kind} with an unknown or incomplete mapping");
            losses.push(Loss::new(path, what).id("fbx.geometry"));
        };
        let mut all = |kind: &str, names: [&str; 2], width| -> Vec<Layer> {
            let mut layers: Vec<(i64, Layer)> = Vec::new();
            for element in record.all(kind) {
                let index = element.values.first().and_then(super::tree::Value::int).unwrap_or(0);
                match Layer::of(element, names, width) {
                    Some(layer) if !layer.values.is_empty() || kind == "LayerElementMaterial" => {
                        layers.push((index, layer));
                    }
                    Some(_) => {}
                    None => lose(kind),
                }
            }
            geom::sort::by_key(&mut layers, |(index, _)| *index);
            layers.into_iter().map(|(_, layer)| layer).collect()
        };
        let normals = all("LayerElementNormal", ["Normals", "NormalsIndex"], 3);
        let tangents = all("LayerElementTangent", ["Tangents", "TangentsIndex"], 3);
        let bitangents = all("LayerElementBinormal", ["Binormals", "BinormalsIndex"], 3);
        let uvs = all("LayerElementUV", ["UV", "UVIndex"], 2);
        let colors = all("LayerElementColor", ["Colors", "ColorIndex"], 4);
        let materials = all("LayerElementMaterial", ["Materials", "Materials"], 1);
        if colors.len() > 1 {
            losses.push(
                Loss::new(path, "vertex colours after the first set")
                    .id("mesh.more-colors")
                    .times(colors.len() - 1),
            );
        }
        Self {
            normals: normals.into_iter().next(),
            tangents: tangents.into_iter().next(),
            bitangents: bitangents.into_iter().next(),
            uvs,
            colors: colors.into_iter().next(),
            materials: materials.into_iter().next(),
        }
    }
}

/// Reads the polygons of a geometry.
///
/// # Errors
/// If an index is out of range, or the budget does not suffice.
pub(super) fn read(
    record: &Record,
    moved: &Moved,
    path: &str,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<Geometry> {
    let positions: Vec<DVec3> =
        record.floats_of("Vertices").as_chunks::<3>().0.iter().map(|at| DVec3::from(*at)).collect();
    let corners = record.ints_of("PolygonVertexIndex");
    // The numbers, the vertices, and the table of known vertices.
    budget.take((positions.len() * 24 + corners.len() * 200) as u64, WHAT)?;
    let layers = Layers::of(record, path, losses);
    let mut parts: HashMap<usize, Part> = HashMap::new();
    let mut cutter = Cutter::default();
    let (mut start, mut polygon, mut thin) = (0, 0, 0);
    for (at, &index) in corners.iter().enumerate() {
        if index >= 0 {
            continue;
        }
        let range = start..at + 1;
        start = at + 1;
        polygon += 1;
        if range.len() < 3 {
            thin += 1;
            continue;
        }
        let material = layers.materials.as_ref().and_then(|layer| match layer.by {
            // The values are the indices of materials.
            By::All => layer.values.first().copied().or(Some(0.0)),
            By::Polygon => layer.values.get(polygon - 1).copied().or_else(|| layer.values.first().copied()),
            _ => layer.values.first().copied(),
        });
        let material = material.map_or(0, |index| index.max(0.0) as usize);
        let part = parts.entry(material).or_insert_with(|| Part::new(layers.uvs.len()));
        let first = part.mesh.triangles.len();
        let mut fan = [0; 2];
        for (place, corner) in range.enumerate() {
            let index = corners[corner];
            let point = if index < 0 { !index } else { index };
            let point = usize::try_from(point).ok().filter(|&point| point < positions.len());
            let point = point.ok_or_else(|| {
                let count = positions.len();
                let what = format!(
                    "PolygonVertexIndex[{corner}] refers to a vertex of which there are only {count}"
                );
                Error::unreadable(what).at(path)
            })?;
            let vertex = layers.vertex(part, (corner, point, polygon - 1), positions[point], moved);
            match place {
                0 | 1 => fan[place] = vertex,
                _ => {
                    part.mesh.triangles.push([fan[0], fan[1], vertex]);
                    fan[1] = vertex;
                }
            }
        }
        let fan = &mut part.mesh.triangles[first..];
        cutter.cut(fan, &part.mesh.positions, budget)?;
        if moved.is_mirrored {
            fan.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
    }
    Loss::new(path, "polygons with fewer than three corners")
        .id("mesh.small-polygons")
        .times(thin)
        .count_in(losses);
    let mut parts: Vec<(usize, Part)> = parts.into_iter().collect();
    geom::sort::by_key(&mut parts, |(material, _)| *material);
    let mut made = Geometry { primitives: Vec::new(), points: Vec::new() };
    for (material, part) in parts {
        let primitive = Primitive { mesh: part.mesh.into(), more_uvs: part.more_uvs, ..Primitive::default() };
        made.primitives.push((material, primitive));
        made.points.push(part.points);
    }
    Ok(made)
}

impl Layers {
    /// The vertex of a corner, which is added if there is no equal one.
    fn vertex(
        &self,
        part: &mut Part,
        (corner, point, polygon): (usize, usize, usize),
        position: DVec3,
        moved: &Moved,
    ) -> u32 {
        let vector = |layer: &Option<Layer>| {
            layer
                .as_ref()
                .map(|layer| DVec3::from(layer.value::<3>(corner, point, polygon).unwrap_or_default()))
        };
        let normal = vector(&self.normals).map(|normal| moved.normal(normal));
        let tangent = vector(&self.tangents).map(|tangent| {
            let [x, y, z] = moved.tangent(tangent);
            let side =
                vector(&self.bitangents).zip(vector(&self.normals)).map_or(1.0, |(bitangent, normal)| {
                    if normal.cross(tangent).dot(bitangent) < 0.0 { -1.0 } else { 1.0 }
                });
            [x, y, z, side]
        });
        let color = self.colors.as_ref().map(|layer| {
            let [r, g, b, a] = layer.value::<4>(corner, point, polygon).unwrap_or([1.0; 4]);
            linear([r, g, b, a].map(|part| part as f32))
        });
        let uvs: Vec<[f32; 2]> = self
            .uvs
            .iter()
            .map(|layer| {
                let [u, v] = layer.value::<2>(corner, point, polygon).unwrap_or_default();
                // v grows upwards.
                [u as f32, (1.0 - v) as f32]
            })
            .collect();
        part.vertex(Columns {
            point: u32::try_from(point).unwrap_or(u32::MAX),
            position: moved.point(position),
            normal,
            tangent,
            color,
            uvs,
        })
    }
}
