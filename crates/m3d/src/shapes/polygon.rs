//! Flat polygons, concave ones too.

use geom::TriMesh;

use super::space::{Frame, Point, add, cross, dot, float, sub, unit};

/// More corners are not cut: the cost grows with their square.
const MOST: usize = 4096;

/// Triangles of a polygon, by cutting off ears.
pub(super) fn polygon(points: &[Point]) -> Result<TriMesh, &'static str> {
    if points.len() < 3 {
        return Err("fewer than three corners");
    }
    if points.len() > MOST {
        return Err("more than 4096 corners");
    }
    let mut normal = [0.0; 3];
    for (place, &point) in points.iter().enumerate() {
        let first = points[0];
        normal = add(normal, cross(sub(point, first), sub(points[(place + 1) % points.len()], first)));
    }
    let Some(normal) = unit(normal) else { return Err("corners on one line") };
    let frame = Frame::along(points[0], normal);
    let flat: Vec<[f64; 2]> = points
        .iter()
        .map(|&point| sub(point, frame.origin))
        .map(|point| [dot(point, frame.axes[0]), dot(point, frame.axes[1])])
        .collect();
    Ok(TriMesh {
        positions: points.iter().map(|&point| float(point)).collect(),
        normals: vec![float(normal); points.len()],
        triangles: ears(&flat),
        ..TriMesh::default()
    })
}

/// Twice the area of a triangle, negative where it goes clockwise.
fn area([ax, ay]: [f64; 2], [bx, by]: [f64; 2], [cx, cy]: [f64; 2]) -> f64 {
    (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
}

fn ears(points: &[[f64; 2]]) -> Vec<[u32; 3]> {
    let mut left: Vec<usize> = (0..points.len()).collect();
    let mut triangles = Vec::with_capacity(points.len());
    // Where to look first: behind the last ear, so that a round polygon is cut evenly.
    let mut start = 0;
    while left.len() > 3 {
        let count = left.len();
        let corner = |place: usize| {
            let place = start + place;
            [left[place % count], left[(place + 1) % count], left[(place + 2) % count]]
        };
        let is_ear = |&place: &usize| {
            let [a, b, c] = corner(place);
            let [pa, pb, pc] = [points[a], points[b], points[c]];
            area(pa, pb, pc) > 0.0
                && !left.iter().filter(|&&other| other != a && other != b && other != c).any(|&other| {
                    let p = points[other];
                    p != pa
                        && p != pb
                        && p != pc
                        && area(pa, pb, p) >= 0.0
                        && area(pb, pc, p) >= 0.0
                        && area(pc, pa, p) >= 0.0
                })
        };
        // One that crosses itself may have no ear: any corner will do then.
        let place = (0..count).find(is_ear).unwrap_or(0);
        triangles.push(corner(place));
        let cut = (start + place + 1) % count;
        left.remove(cut);
        start = cut % left.len();
    }
    triangles.push([left[0], left[1], left[2]]);
    #[allow(clippy::cast_possible_truncation, reason = "below MOST")]
    triangles.into_iter().map(|triangle| triangle.map(|corner| corner as u32)).collect()
}
