//! Welds meshes to one surface: vertices at one position are one point; vertices of a point with different attributes
//! are its wedges.

use geom::TriMesh;
use glam::DVec3;
use rezkit_scene::{Budget, Error, Result};

/// Several meshes as one surface.
pub(super) struct Surface<'a> {
    pub(super) parts: &'a [&'a TriMesh],
    /// The points, moved and scaled so that the longest side of their box is 1.
    pub(super) points: Vec<DVec3>,
    /// The corners of the box around the points.
    pub(super) low: DVec3,
    pub(super) high: DVec3,
    /// The box around the points before they were moved and scaled.
    pub(super) bounds: geom::Aabb,
    pub(super) center: DVec3,
    pub(super) scale: f64,
    pub(super) triangles: Vec<Triangle>,
    /// The number of wedges.
    pub(super) wedges: usize,
}

/// A triangle whose corners are three different points.
#[derive(Clone, Copy)]
pub(super) struct Triangle {
    pub(super) points: [u32; 3],
    pub(super) wedges: [u32; 3],
    /// The index of the mesh, and the index of the triangle in the mesh.
    pub(super) part: u32,
    pub(super) index: u32,
}

/// The index of each key in the list of distinct keys, and this list.
fn numbered<K: Ord + Copy>(keys: impl Iterator<Item = K>) -> (Vec<u32>, Vec<K>) {
    let mut sorted: Vec<(K, u32)> = keys.zip(0..).collect();
    sorted.sort_unstable();
    let mut numbers = vec![0; sorted.len()];
    let mut distinct: Vec<K> = Vec::new();
    for (key, at) in sorted {
        if distinct.last() != Some(&key) {
            distinct.push(key);
        }
        numbers[at as usize] = distinct.len() as u32 - 1;
    }
    (numbers, distinct)
}

/// The bits of a number; -0 counts as 0.
fn bits(number: f32) -> u32 {
    (number + 0.0).to_bits()
}

fn take(vertices: usize, triangles: usize, budget: &mut Budget) -> Result<()> {
    let bytes = (vertices as u64).saturating_mul(360).saturating_add((triangles as u64).saturating_mul(260));
    budget.take(bytes, "the simplification of a mesh")
}

impl<'a> Surface<'a> {
    /// # Errors
    /// If a mesh contradicts itself or a used position is not finite.
    pub(super) fn new(parts: &'a [&'a TriMesh], budget: &mut Budget) -> Result<Self> {
        let vertices: usize = parts.iter().map(|part| part.positions.len()).sum();
        let count: usize = parts.iter().map(|part| part.triangles.len()).sum();
        take(vertices, count, budget)?;
        if u32::try_from(count.saturating_mul(3)).is_err() || u32::try_from(vertices).is_err() {
            return Err(Error::unwritable(format!(
                "expected at most 1,431,655,765 triangles and 4,294,967,295 vertices, \
                 found {count} triangles and {vertices} vertices"
            )));
        }
        let mut is_used = vec![false; vertices];
        let mut first = Vec::new();
        let mut next = 0;
        for (index, part) in parts.iter().enumerate() {
            if !part.is_consistent() {
                return Err(Error::unwritable(
                    "the vertex arrays of the mesh differ in length, or a triangle refers to a missing vertex",
                )
                .at(format!("parts[{index}]")));
            }
            first.push(next);
            for &vertex in part.triangles.iter().flatten() {
                is_used[next + vertex as usize] = true;
                let position = part.positions[vertex as usize];
                if !position.is_finite() {
                    let path = format!("parts[{index}].positions[{vertex}]");
                    let [x, y, z] = position.to_array();
                    let what = format!("expected a position with finite coordinates, found ({x}, {y}, {z})");
                    return Err(Error::unwritable(what).at(path));
                }
            }
            next += part.positions.len();
        }
        let positions = parts.iter().flat_map(|part| &part.positions).zip(&is_used);
        let keys = positions.map(|(point, is_used)| match is_used {
            true => point.to_array().map(bits),
            // Vertices that no triangle uses may have any values.
            false => [u32::MAX; 3],
        });
        let (point_of, points) = numbered(keys);
        let points: Vec<DVec3> = points
            .into_iter()
            .map(|bits| DVec3::from_array(bits.map(|bits| f64::from(f32::from_bits(bits)))))
            .collect();
        let finite = || points.iter().copied().filter(|point| point.is_finite());
        let low = finite().reduce(DVec3::min).unwrap_or_default();
        let high = finite().reduce(DVec3::max).unwrap_or_default();
        let center = (low + high) * 0.5;
        let scale = Some((high - low).max_element()).filter(|size| *size > 0.0).unwrap_or(1.0);
        let points = points.into_iter().map(|point| (point - center) / scale).collect();
        let [min, max] = [low, high].map(|corner| corner.to_array().map(|axis| axis as f32).into());
        let bounds = geom::Aabb { min, max };
        let [low, high] = [low, high].map(|corner| (corner - center) / scale);
        let attributes = parts.iter().zip(0..).flat_map(|(part, number)| {
            (0..part.positions.len()).map(move |vertex| {
                let uv = part.uvs.get(vertex).map_or([0; 2], |uv| uv.to_array().map(bits));
                let color = part.colors.get(vertex).map_or([0; 4], |color| color.to_array());
                (number, uv, color)
            })
        });
        let keys =
            point_of.iter().zip(attributes).map(|(point, (part, uv, color))| (*point, part, uv, color));
        let (wedge_of, wedges) = numbered::<(u32, u32, [u32; 2], [u16; 4])>(keys);
        let mut triangles = Vec::with_capacity(count);
        for ((part, number), first) in parts.iter().zip(0..).zip(first) {
            for (corners, index) in part.triangles.iter().zip(0..) {
                let points = corners.map(|vertex| point_of[first + vertex as usize]);
                let [a, b, c] = points;
                if a != b && b != c && c != a {
                    let wedges = corners.map(|vertex| wedge_of[first + vertex as usize]);
                    triangles.push(Triangle { points, wedges, part: number, index });
                }
            }
        }
        let mut surface =
            Self { parts, points, low, high, bounds, center, scale, triangles, wedges: wedges.len() };
        surface.order();
        Ok(surface)
    }

    /// Takes the memory for collapsing the surface once more.
    pub(super) fn take(&self, budget: &mut Budget) -> Result<()> {
        take(self.points.len(), self.triangles.len(), budget)
    }

    /// Numbers points and wedges as triangles first use them, so that neighbours on the surface are neighbours in memory.
    fn order(&mut self) {
        let mut points = vec![u32::MAX; self.points.len()];
        let mut wedges = vec![u32::MAX; self.wedges];
        let mut places = Vec::with_capacity(self.points.len());
        let mut count = 0;
        for triangle in &mut self.triangles {
            for (point, wedge) in triangle.points.iter_mut().zip(&mut triangle.wedges) {
                let number = &mut points[*point as usize];
                if *number == u32::MAX {
                    *number = places.len() as u32;
                    places.push(self.points[*point as usize]);
                }
                *point = *number;
                let number = &mut wedges[*wedge as usize];
                if *number == u32::MAX {
                    *number = count;
                    count += 1;
                }
                *wedge = *number;
            }
        }
        (self.points, self.wedges) = (places, count as usize);
    }

    /// The corners of a triangle as vertices of its mesh.
    pub(super) fn vertices(&self, triangle: usize) -> [usize; 3] {
        let Triangle { part, index, .. } = self.triangles[triangle];
        self.parts[part as usize].triangles[index as usize].map(|vertex| vertex as usize)
    }

    pub(super) fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].points.map(|point| self.points[point as usize])
    }

    /// A point in the original coordinates of the meshes.
    pub(super) fn original(&self, point: DVec3) -> DVec3 {
        point * self.scale + self.center
    }
}
