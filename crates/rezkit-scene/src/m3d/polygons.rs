//! Cuts the polygons of a model, and lists what they contain and triangles cannot represent.

use std::collections::HashMap;

use m3d::{Group, MeshRecord, Model, Polygon, VertexId};
use rezkit_core::{Budget, Loss, Result};

use crate::polygon::Cutter;

/// The corners of the polygons of one material: how many lack a value, and whether any has one.
#[derive(Clone, Copy, Default)]
struct Column {
    without: usize,
    has_any: bool,
}

impl Column {
    /// Counts a corner, and returns whether it refers to a value that does not exist.
    fn count(&mut self, is_stated: bool, exists: bool) -> bool {
        self.without += usize::from(!exists);
        self.has_any |= exists;
        is_stated && !exists
    }
}

/// Lists the polygons, references and parameters that do not become triangles, and the values that are filled in.
pub(super) fn lost(model: &Model, budget: &mut Budget, losses: &mut Vec<Loss>) -> Result<()> {
    // Normals and texture coordinates by material.
    let mut columns: HashMap<&[u8], [Column; 2]> = HashMap::new();
    let mut found = Vec::new();
    for (index, mesh) in model.meshes.iter().enumerate() {
        let [mut small, mut broken, mut normals, mut uvs, mut maximums, mut shaped] = [0; 6];
        let mut last: (&[u8], [Column; 2]) = Default::default();
        for polygon in mesh.polygons() {
            let Polygon { material, parameter, vertices, .. } = polygon;
            maximums += polygon.maximums.iter().filter(|id| **id != VertexId::NONE).count();
            shaped += usize::from(!parameter.is_empty());
            if vertices.len() < 3 {
                small += 1;
                continue;
            }
            if !vertices.iter().all(|&id| model.vertices.coord(id).is_some()) {
                broken += 1;
                continue;
            }
            if !std::ptr::eq(last.0, &**material) {
                add(&mut columns, last, budget)?;
                last = (material, Default::default());
            }
            let [of_normals, of_uvs] = &mut last.1;
            for place in 0..vertices.len() {
                let normal = polygon.normals.get(place).copied().unwrap_or(VertexId::NONE);
                let exists = model.vertices.coord(normal).is_some();
                normals += usize::from(of_normals.count(normal != VertexId::NONE, exists));
                let uv = polygon.tex_coords.get(place).copied().unwrap_or(m3d::TexCoordId::NONE);
                let exists = uv.get().is_some_and(|uv| uv < model.tex_coords.uvs.len());
                uvs += usize::from(of_uvs.count(uv != m3d::TexCoordId::NONE, exists));
            }
        }
        add(&mut columns, last, budget)?;
        let unknown = mesh.records.iter().filter(|of| matches!(of, MeshRecord::Property(..))).count();
        for (what, count) in [
            ("polygons of one or two corners", small),
            ("polygons with a vertex that does not exist", broken),
            ("references to normals that do not exist", normals),
            ("references to texture coordinates that do not exist", uvs),
            ("maximum vertices (a parameter moves each corner towards its maximum vertex)", maximums),
            ("parameters of polygons", shaped),
            ("unknown properties of polygons", unknown),
        ] {
            Loss::new(format!("meshes[{index}]"), what).id("m3d.polygons").times(count).count_in(&mut found);
        }
    }
    let filled = [
        "the normal 0, 0, 0 for corners without one",
        "the texture coordinates 0, 0 for corners without any",
    ];
    for (at, what) in filled.into_iter().enumerate() {
        let of = columns.values().map(|columns| columns[at]).filter(|column| column.has_any);
        let count = of.map(|column| column.without).sum();
        Loss::filled_in("meshes", what).id("m3d.filled").times(count).count_in(&mut found);
    }
    losses.append(&mut found);
    Ok(())
}

fn add<'m>(
    columns: &mut HashMap<&'m [u8], [Column; 2]>,
    (material, more): (&'m [u8], [Column; 2]),
    budget: &mut Budget,
) -> Result<()> {
    if !columns.contains_key(material) {
        // The capacity doubles, and some entries are free.
        budget.take_values::<[(&[u8], [Column; 2]); 4]>(1, "the materials of the polygons")?;
    }
    for (column, more) in columns.entry(material).or_default().iter_mut().zip(more) {
        column.without += more.without;
        column.has_any |= more.has_any;
    }
    Ok(())
}

/// Cuts the polygons whose fans are wrong. The groups have the polygons of each material as fans, in order.
pub(super) fn cut(model: &Model, groups: &mut [Group], budget: &mut Budget) -> Result<()> {
    let names = groups.iter().map(|group| group.name.len()).sum::<usize>();
    budget.take_values::<[(&[u8], usize); 4]>(groups.len(), "the materials of the polygons")?;
    budget.take(names as u64, "the materials of the polygons")?;
    let indices: HashMap<Vec<u8>, usize> =
        groups.iter().enumerate().map(|(index, group)| (group.name.to_vec(), index)).collect();
    let mut done = vec![0; groups.len()];
    let mut cutter = Cutter::default();
    let exists = |&id: &VertexId| model.vertices.coord(id).is_some();
    for polygon in model.meshes.iter().flat_map(m3d::Mesh::polygons) {
        let count = polygon.vertices.len();
        if count < 3 || !polygon.vertices.iter().all(exists) {
            continue;
        }
        let Some(&index) = indices.get(polygon.material.as_ref() as &[u8]) else { continue };
        let (mesh, start) = (&mut groups[index].mesh, done[index]);
        done[index] += count - 2;
        if let Some(fan) = mesh.triangles.get_mut(start..done[index]) {
            cutter.cut(fan, &mesh.positions, budget)?;
        }
    }
    Ok(())
}
