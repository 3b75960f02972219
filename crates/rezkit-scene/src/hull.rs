//! The triangles around points: formats store convex hulls as their corners alone.

use std::collections::HashSet;

use geom::TriMesh;
use glam::DVec3;

/// The most points of a hull, far above the 256 of Second Life: the time grows with their square.
const MAX_POINTS: usize = 4096;

/// The convex hull of points, counter-clockwise seen from outside; `None` if they are in one plane, not
/// finite, or more than 4,096.
pub(super) fn around(points: impl IntoIterator<Item = geom::Vec3>) -> Option<TriMesh> {
    let points: Vec<DVec3> =
        points.into_iter().map(|point| DVec3::from_array(point.to_array().map(f64::from))).collect();
    if points.len() > MAX_POINTS || points.iter().any(|point| !point.is_finite()) {
        return None;
    }
    let low = points.iter().copied().reduce(DVec3::min)?;
    let high = points.iter().copied().reduce(DVec3::max)?;
    let tolerance = (high - low).max_element() * 1e-7;
    // The first four are the farthest from each other, from their line, and from their plane.
    let mut first = [0; 4];
    for corner in 0..4 {
        let [a, b, c] = [0, 1, 2].map(|index| points[first[index]]);
        let distance = |point: DVec3| match corner {
            0 => high.x - point.x,
            1 => point.distance(a),
            2 => (point - a).cross((b - a).normalize()).length(),
            _ => (point - a).dot((b - a).cross(c - a).normalize()).abs(),
        };
        first[corner] =
            (0..points.len()).max_by(|&a, &b| distance(points[a]).total_cmp(&distance(points[b])))?;
        if corner > 0 && distance(points[first[corner]]) <= tolerance {
            return None;
        }
    }
    let [a, b, c, d] = first;
    let height = |[a, b, c]: [usize; 3], point: DVec3| {
        let normal = (points[b] - points[a]).cross(points[c] - points[a]);
        normal.normalize_or_zero().dot(point - points[a])
    };
    let base = if height([a, b, c], points[d]) > 0.0 { [a, c, b] } else { [a, b, c] };
    let [a, b, c] = base;
    let mut faces = vec![base, [a, d, b], [b, d, c], [c, d, a]];
    for (index, &point) in points.iter().enumerate() {
        let (seen, rest): (Vec<_>, Vec<_>) =
            faces.iter().copied().partition(|&face| height(face, point) > tolerance);
        if seen.is_empty() {
            continue;
        }
        faces = rest;
        // The border of what is seen from the point: edges without their reverse.
        let edges = |&[a, b, c]: &[usize; 3]| [[a, b], [b, c], [c, a]];
        let all: HashSet<[usize; 2]> = seen.iter().flat_map(edges).collect();
        let border = seen.iter().flat_map(edges).filter(|&[a, b]| !all.contains(&[b, a]));
        faces.extend(border.map(|[a, b]| [a, b, index]));
    }
    // Only the corners that are used.
    let mut number = vec![u32::MAX; points.len()];
    let mut mesh = TriMesh::default();
    for face in faces {
        mesh.triangles.push(face.map(|index| {
            if number[index] == u32::MAX {
                number[index] = mesh.positions.len() as u32;
                mesh.positions.push(points[index].as_vec3().to_array().into());
            }
            number[index]
        }));
    }
    Some(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(mesh: &TriMesh) -> f64 {
        let point = |index: u32| DVec3::from_array(mesh.positions[index as usize].to_array().map(f64::from));
        mesh.triangles.iter().map(|t| point(t[0]).dot(point(t[1]).cross(point(t[2]))) / 6.0).sum()
    }

    /// Of a cube with points inside and on its faces: 8 corners, 12 triangles, volume 8.
    #[test]
    fn hulls() {
        let grid = |n: i16| (0..n * n * n).map(move |i| [i % n, i / n % n, i / n / n].map(f32::from));
        let cube = grid(3).map(|point| point.map(|axis| axis - 1.0).into());
        let mesh = around(cube).expect("a hull");
        assert!((volume(&mesh) - 8.0).abs() < 1e-12);
        let corners = mesh.positions.iter().filter(|p| p.to_array().iter().all(|axis| axis.abs() == 1.0));
        assert_eq!(corners.count(), 8);
        // An octahedron: 6 corners, 8 triangles, volume 4/3.
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(glam::Vec3::from);
        let points = axes.iter().flat_map(|&axis| [axis, -axis]).chain([glam::Vec3::ZERO]);
        let mesh = around(points.map(|point| point.to_array().into())).expect("a hull");
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (6, 8));
        assert!((volume(&mesh) - 4.0 / 3.0).abs() < 1e-12);
        // In one plane, in one point, none, or not finite.
        let flat = |z: f32| grid(3).map(move |[x, y, _]| [x, y, z].into());
        assert!(around(flat(0.0)).is_none() && around(flat(f32::NAN)).is_none());
        assert!(around([[1.0; 3].into()]).is_none() && around([]).is_none());
    }
}
