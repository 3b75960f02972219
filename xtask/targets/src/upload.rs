//! Levels of detail and convex hulls of any triangles.

use geom::TriMesh;
use rezkit::Budget;
use rezkit::upload::{HullOptions, hulls, simplify};

use super::scene::Input;
use crate::FUZZED;

/// Up to three meshes of random triangles, some of them with normals, texture coordinates and colors.
fn soup(input: &mut Input<'_>) -> Vec<TriMesh> {
    let meshes = (0..=input.byte() % 3).map(|_| {
        let count = input.byte() % 60;
        // On a grid, so that vertices coincide, or anywhere.
        let is_grid = !input.byte().is_multiple_of(3);
        let place = |input: &mut Input<'_>| match is_grid {
            true => std::array::from_fn::<f32, 3, _>(|_| (input.byte() % 4) as f32),
            false => input.floats(),
        };
        TriMesh {
            positions: (0..count).map(|_| place(input).into()).collect(),
            normals: input.column(count, |input| input.floats::<3>().into()),
            uvs: input.column(count, |input| input.floats::<2>().into()),
            colors: input.column(count, |input| std::array::from_fn(|_| input.byte() as u8).into()),
            triangles: (0..input.byte() % 90)
                .map(|_| std::array::from_fn(|_| input.below(count) as u32))
                .collect(),
            ..TriMesh::default()
        }
    });
    meshes.collect()
}

fn consistent(mesh: &TriMesh) {
    let count = mesh.positions.len();
    assert!(
        mesh.triangles.iter().flatten().all(|&index| (index as usize) < count),
        "an index beyond {count}"
    );
    let is_column = |length: usize| length == 0 || length == count;
    assert!(is_column(mesh.normals.len()) && is_column(mesh.uvs.len()) && is_column(mesh.colors.len()));
}

/// No level has more triangles than the one before, no part of it more than the original, and no vertex is outside of
/// the bounding box.
pub(super) fn levels(data: &[u8]) {
    let mut input = Input(data.iter());
    let parts = soup(&mut input);
    let all: usize = parts.iter().map(|part| part.triangles.len()).sum();
    let targets = [all, all / 2, all / 4, 1, input.byte()];
    let list: Vec<&TriMesh> = parts.iter().collect();
    let Ok(levels) = simplify(&list, &targets, &mut Budget::new(FUZZED)) else { return };
    assert_eq!(levels.len(), targets.len());
    let points = parts.iter().flat_map(|part| &part.positions).map(|point| point.to_array());
    let none = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    let (low, high) = points.fold(none, |(low, high), point| {
        (
            std::array::from_fn(|axis| low[axis].min(point[axis])),
            std::array::from_fn(|axis| high[axis].max(point[axis])),
        )
    });
    for level in &levels[..4] {
        assert_eq!(level.parts.len(), parts.len());
        for ((mesh, sources), part) in level.parts.iter().zip(&parts) {
            consistent(mesh);
            assert_eq!(sources.len(), mesh.positions.len());
            assert!(mesh.triangles.len() <= part.triangles.len(), "more triangles than the original");
            for point in mesh.positions.iter().map(|point| point.to_array()) {
                let is_inside = (0..3).all(|axis| (low[axis]..=high[axis]).contains(&point[axis]));
                assert!(is_inside, "{point:?} is beyond {low:?} to {high:?}");
            }
        }
    }
    let counts: Vec<usize> = levels[..4].iter().map(|level| level.triangle_count()).collect();
    assert!(counts.is_sorted_by(|finer, coarser| finer >= coarser), "{counts:?}");
}

/// Hulls are closed, and neither their number nor that of their corners exceeds the options.
pub(super) fn shapes(data: &[u8]) {
    let mut input = Input(data.iter());
    let parts = soup(&mut input);
    let list: Vec<&TriMesh> = parts.iter().collect();
    let mut options = HullOptions::default();
    (options.most, options.corners) = (input.byte(), input.byte());
    let Ok((found, _)) = hulls(&list, &options, &mut Budget::new(FUZZED)) else { return };
    assert!(found.len() <= options.most.clamp(1, 256));
    for hull in &found {
        consistent(hull);
        assert!(hull.positions.len() <= options.corners.clamp(4, 256) && hull.positions.len() >= 4);
        assert!(hull.positions.iter().all(|point| point.is_finite()));
        let mut edges = std::collections::HashSet::new();
        for [a, b, c] in &hull.triangles {
            for edge in [(a, b), (b, c), (c, a)] {
                assert!(edges.insert(edge), "an edge twice");
            }
        }
        assert!(edges.iter().all(|&(a, b)| edges.contains(&(b, a))), "an open edge");
    }
}
