//! Known examples: the block sizes of real assets, and the results of the viewer's formulas.

use rezkit_upload::{LandImpact, PhysicsShape, StreamingCost, physics_cost};
use slmesh::{Asset, Convex, Level, Lod};

fn close(ours: f32, theirs: f64) {
    assert!((f64::from(ours) - theirs).abs() <= theirs.abs() * 2e-5, "{ours} is not {theirs}");
}

/// The block sizes of the asset c34f02b8, an object with eight faces.
const A: [Option<u32>; 4] = [Some(1776), Some(4998), Some(19_414), Some(50_603)];
/// The block sizes of mesh_data, a rigged asset.
const C: [Option<u32>; 4] = [Some(1305), Some(2246), Some(7672), Some(27_225)];

#[test]
fn streaming() {
    let cost = StreamingCost::from_sizes(A);
    assert_eq!(Lod::ALL.map(|lod| cost.triangles(lod)), [87.0, 288.375, 1189.375, 3138.6875]);
    close(cost.weighted_triangles(0.866_025_4), 98.624_189);
    close(cost.of_scale([1.0, 1.0, 1.0]), 5.917_451);
    // Example B: the same object at another scale.
    close(cost.weighted_triangles(2.291_288), 168.369_323);
    close(cost.of_scale([4.0, 2.0, 1.0]), 10.102_159);
    let cost = StreamingCost::from_sizes(C);
    assert_eq!(Lod::ALL.map(|lod| cost.triangles(lod)), [57.5625, 116.375, 455.5, 1677.5625]);
    close(cost.weighted_triangles(17.320_508), 649.730_119);
    close(cost.of_scale([20.0, 20.0, 20.0]), 38.983_807);
}

#[test]
fn animated() {
    close(StreamingCost::from_sizes(A).of_animated(), 4.708_031);
    close(StreamingCost::from_sizes(C).of_animated(), 2.516_344);
    assert_eq!(StreamingCost::ANIMATED_ROOT, 15.0);
    // Two more real assets, whose levels have more than half of the triangles of the next higher one.
    let cost = StreamingCost::from_sizes([Some(1364), Some(4169), Some(8084), Some(8084)]);
    assert_eq!(cost.charged_triangles(), 838.125);
    close(cost.of_animated(), 1.257_187_5);
    let cost = StreamingCost::from_sizes([Some(6515), Some(11_255), Some(39_012), Some(121_330)]);
    assert_eq!(cost.charged_triangles(), 7_602.593_8);
    close(cost.of_animated(), 11.403_890_6);
}

#[test]
fn levels_that_are_absent() {
    // A missing level has the size of the next higher one. A size below that of a header counts as 16 bytes.
    let cost = StreamingCost::from_sizes([None, Some(0), None, Some(1984)]);
    assert_eq!(Lod::ALL.map(|lod| cost.triangles(lod)), [100.0; 4]);
    assert_eq!(StreamingCost::from_sizes([Some(100); 4]).triangles(Lod::Low), 1.0);
    // In the viewer, a header without a lowest level costs nothing, and neither does one that it cannot read.
    let cost = |change: &dyn Fn(&mut Asset)| {
        let mut asset = slmesh::from_slice(&testkit::fixture("slmesh", "all.llmesh")).unwrap();
        change(&mut asset);
        StreamingCost::of_asset(&asset).expect("an asset that can be written")
    };
    assert!(cost(&|_| ()).triangles(Lod::High) > 0.0);
    assert_eq!(cost(&|asset| asset.lowest_lod = None), StreamingCost::default());
    assert_eq!(cost(&|asset| asset.version = Some(1000)), StreamingCost::default());
    assert_eq!(cost(&|asset| asset.extra.push("404", 1)), StreamingCost::default());
    assert_eq!(StreamingCost::default().of_scale([5.0; 3]), 0.0);
}

#[test]
fn physics() {
    let convex = |bounding: usize, hulls: &[usize]| Asset {
        physics_convex: Some(Convex {
            bounding: vec![[0; 3]; bounding],
            hulls: hulls.iter().map(|&points| vec![[0; 3]; points]).collect(),
            ..Convex::default()
        }),
        ..Asset::default()
    };
    // A cube, as measured in Second Life, and the hulls of the examples A and C.
    for (points, cost) in [(8, 0.36), (37, 1.52), (18, 0.76)] {
        close(physics_cost(&convex(points, &[]), PhysicsShape::Hull).expect("hulls"), cost);
        close(physics_cost(&convex(points, &[]), PhysicsShape::Prim).expect("hulls"), cost);
    }
    close(physics_cost(&convex(37, &[8, 8]), PhysicsShape::Prim).expect("hulls"), 0.72);
    assert_eq!(physics_cost(&convex(37, &[8, 8]), PhysicsShape::None), Some(0.0));
    let mesh = Asset { physics_mesh: Some(Level::default()), ..convex(8, &[]) };
    assert_eq!(physics_cost(&mesh, PhysicsShape::Prim), None);
    assert_eq!(physics_cost(&Asset::default(), PhysicsShape::Hull), None);
}

#[test]
fn land_impact() {
    let wanted = [0.5, 0.5, 0.75, 1.0, 2.5];
    assert_eq!(
        [(1, 0), (1, 1), (1, 2), (1, 9), (4, 3)].map(|(o, s)| LandImpact::server_weight(o, s)),
        wanted
    );
    let object = LandImpact { streaming: 5.917_451, physics: Some(1.52), server: 0.5 };
    assert_eq!(object.total(), 5.917_451);
    // Each of the three costs is summed before the greatest sum is taken.
    let other = LandImpact { streaming: 0.1, physics: Some(9.0), server: 0.5 };
    let linkset: LandImpact = [object, other].into_iter().sum();
    close(linkset.total(), 10.52);
    assert_eq!(linkset.shown(), 10);
}

#[test]
fn real_assets() {
    for testkit::Sample { name, bytes } in testkit::corpus("slmesh") {
        let radii = match name.get(..8) {
            Some("c34f02b8") => &[(0.5, 5.452_484), (4.0, 20.098_962)][..],
            Some("mesh_dat") => &[(0.5, 3.536_497_4)],
            _ => continue,
        };
        let cost = StreamingCost::of_view(&slmesh::open(&bytes).expect("an asset"));
        assert_eq!(StreamingCost::of_asset(&slmesh::from_slice(&bytes).expect("an asset")).ok(), Some(cost));
        for &(radius, theirs) in radii {
            close(cost.of_radius(radius), theirs);
        }
        if radii.len() == 2 {
            // Each level has less than half of the triangles of the next higher one, so only the finest is charged.
            assert_eq!(cost.charged_triangles(), 3138.6875);
            close(cost.weighted_triangles(0.5), 90.874_73);
        }
    }
}
