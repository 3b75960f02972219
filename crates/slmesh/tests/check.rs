//! Every rule of `check`: what breaks it, and what the finding says.

use slmesh::geom::{TriMesh, Vec3};
use slmesh::llsd::{Date, Value};
use slmesh::{Asset, Builder, Domain, Level, Lod, Severity, Skin, Submesh, VertexWeights};

fn mesh(triangles: usize) -> TriMesh {
    let corners = [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5]];
    let mut mesh = TriMesh {
        positions: corners.map(Vec3::from).to_vec(),
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        ..TriMesh::default()
    };
    mesh.triangles.truncate(triangles);
    mesh
}

fn asset() -> Asset {
    let asset = Builder::new()
        .level(Lod::High, [mesh(4), mesh(4)])
        .level(Lod::Medium, [mesh(3), mesh(3)])
        .level(Lod::Low, [mesh(2), mesh(2)])
        .level(Lod::Lowest, [mesh(1), mesh(1)])
        .build()
        .expect("an asset");
    assert_eq!(slmesh::check(&asset), []);
    asset
}

/// The asset with a skin and weights.
fn rigged() -> Asset {
    let mut asset = asset();
    asset.skin = Some(Skin::new([("mPelvis", Default::default()), ("mTorso", Default::default())]));
    for lod in Lod::ALL {
        for submesh in &mut asset.level_mut(lod).as_mut().expect("an asset").submeshes {
            submesh.weights = vec![VertexWeights::rigid(1); submesh.positions.len()];
        }
    }
    assert_eq!(slmesh::check(&asset), []);
    asset
}

fn texts(mut asset: Asset, change: impl FnOnce(&mut Asset)) -> Vec<String> {
    change(&mut asset);
    slmesh::check(&asset).iter().map(ToString::to_string).collect()
}

fn face(asset: &mut Asset, lod: Lod) -> &mut Submesh {
    &mut asset.level_mut(lod).as_mut().expect("a level").submeshes[1]
}

/// The first finding, which must be the only one.
fn only(asset: Asset, change: impl FnOnce(&mut Asset)) -> String {
    let mut texts = texts(asset, change);
    assert_eq!(texts.len(), 1, "{texts:#?}");
    texts.remove(0)
}

#[test]
fn blocks_that_are_missing() {
    let found = texts(asset(), |asset| asset.high_lod = None);
    assert_eq!(
        found[0],
        "error: no block in high_lod: an asset has high_lod: without it the upload ends with MAV_BLOCK_MISSING"
    );
    let missing = "without it the upload ends with MAV_BLOCK_MISSING";
    assert_eq!(
        only(asset(), |asset| asset.physics_convex = None),
        format!("error: no block in physics_convex: an asset has physics_convex: {missing}")
    );
    assert_eq!(
        only(asset(), |asset| asset.physics_convex.as_mut().unwrap().bounding.clear()),
        "error: no points in physics_convex.bounding: physics_convex has BoundingVerts: without them the upload \
         ends with MAV_BLOCK_MISSING"
    );
    assert_eq!(
        only(asset(), |asset| asset.medium_lod = None),
        "error: low_lod without medium_lod in low_lod: a level is there only where the next higher one is"
    );
    let found = texts(asset(), |asset| (asset.medium_lod, asset.low_lod) = (None, None));
    assert_eq!(
        found,
        [
            "error: lowest_lod without low_lod in lowest_lod: a level is there only where the next higher one is"
        ]
    );
}

#[test]
fn levels_against_each_other() {
    let found = texts(asset(), |asset| {
        asset.low_lod.as_mut().unwrap().submeshes.pop();
        asset.lowest_lod.as_mut().unwrap().submeshes.push(Submesh::without_geometry());
    });
    assert_eq!(
        found[0],
        "error: 3 submeshes, high_lod has 2 in lowest_lod: lowest_lod has as many submeshes as every other level"
    );
    assert_eq!(
        found[1],
        "error: 1 submeshes, high_lod has 2 in low_lod: low_lod has as many submeshes as every other level"
    );
    let same = only(asset(), |asset| asset.low_lod = asset.medium_lod.clone());
    assert_eq!(
        same,
        "warning: 6 triangles, medium_lod has 6 in low_lod: low_lod has fewer triangles than every higher level"
    );
    let more = only(asset(), |asset| {
        let low = face(asset, Lod::Low);
        low.triangles = vec![[0, 1, 2]; 20];
        low.triangles.push([0, 1, 3]);
    });
    assert_eq!(
        more,
        "error: 23 triangles, medium_lod has 6 in low_lod: low_lod has fewer triangles than every higher level"
    );
    let vertices = only(asset(), |asset| {
        let low = face(asset, Lod::Low);
        low.positions.extend([[1; 3], [2; 3], [3; 3]]);
        low.triangles = vec![[0, 1, 2], [3, 4, 5], [6, 4, 5]];
    });
    assert_eq!(
        vertices,
        "warning: 11 vertices, medium_lod has 8 in low_lod: low_lod has no more vertices than every higher level"
    );
}

#[test]
fn faces_and_vertices() {
    let found = only(asset(), |asset| {
        for lod in Lod::ALL {
            asset.level_mut(lod).as_mut().unwrap().submeshes.resize_with(8, Submesh::without_geometry);
        }
        let submeshes = &mut asset.physics_mesh.insert(Level::default()).submeshes;
        submeshes.resize_with(9, Submesh::without_geometry);
    });
    assert_eq!(
        found,
        "error: 9 submeshes, the limit is 8 in physics_mesh[8]: a mesh has at most 8 faces: the uploader makes \
         another model of what is more"
    );
    let found = only(asset(), |asset| {
        let face = face(asset, Lod::High);
        face.positions.resize(65_535, [5; 3]);
        face.triangles = (0..21_845).map(|n| [n * 3, n * 3 + 1, n * 3 + 2]).collect();
    });
    assert_eq!(
        found,
        "error: 65535 vertices, the limit is 65534 in high_lod[1].positions: a submesh has fewer than 65,535 vertices"
    );
    let found = texts(asset(), |asset| *face(asset, Lod::High) = Submesh::default());
    assert_eq!(
        found[0],
        "error: no positions in high_lod[1].positions: a submesh has positions, or NoGeometry"
    );
    assert_eq!(
        found[1],
        "error: no triangles in high_lod[1].triangles: a submesh has triangles, or NoGeometry"
    );
    let found = texts(asset(), |asset| asset.high_lod.as_mut().unwrap().submeshes.clear());
    assert_eq!(found[0], "error: no submesh in high_lod: a level has a submesh for each face");
}

#[test]
fn columns_and_domains() {
    let domain = |min: f64, max: f64| Some(Domain { min: [min, 0.0, 0.0], max: [max, 0.0, 0.0] });
    assert_eq!(
        only(asset(), |asset| face(asset, Lod::Low).position_domain = domain(-0.5, 0.502)),
        "error: 0.502, the limit is 0.501 in low_lod[1].position_domain: positions lie within 0.501 of the origin \
         along each axis"
    );
    assert!(texts(asset(), |asset| face(asset, Lod::Low).position_domain = domain(-0.501, 0.501)).is_empty());
    assert!(
        only(asset(), |asset| face(asset, Lod::Low).position_domain = domain(f64::NAN, 0.5)).contains("NaN")
    );
    assert!(
        only(asset(), |asset| face(asset, Lod::Low).position_domain = domain(0.5, -0.5))
            .starts_with("warning")
    );
    let rule = "normals, tangents and texture coordinates are as many as positions";
    type Change = fn(&mut Submesh);
    let columns: [(&str, Change); 3] = [
        ("normals", |face| face.normals = vec![[0; 3]; 3]),
        ("tangents", |face| face.tangents = vec![[0; 4]; 3]),
        ("tex_coords1", |face| {
            face.tex_coords1 = vec![[0; 2]; 3];
            face.tex_coord1_domain = Some(Domain::ZERO_ONE);
        }),
    ];
    for (name, change) in columns {
        let found = only(asset(), |asset| change(face(asset, Lod::Medium)));
        assert_eq!(found, format!("error: 3 for 4 positions in medium_lod[1].{name}: {rule}"));
    }
    assert_eq!(
        only(asset(), |asset| face(asset, Lod::Medium).tex_coords0 = vec![[0; 2]; 4]),
        "error: no domain for 4 texture coordinates in medium_lod[1].tex_coord0_domain: texture coordinates have a domain"
    );
}

#[test]
fn triangles_and_what_they_name() {
    let found = texts(asset(), |asset| {
        face(asset, Lod::High).triangles = vec![[0, 1, 2], [0, 1, 4], [1, 1, 2], [2, 1, 2]]
    });
    assert_eq!(found[0], "error: vertex 4 of 4 in high_lod[1].triangles[1]: every index names a position");
    assert_eq!(
        found[1],
        "error: [1, 1, 2], one of 4 triangles in high_lod[1].triangles[2] (and 1 more): a triangle has three \
         different vertices (MAV_FOUND_DEGENERATE_TRIANGLES)"
    );
    assert_eq!(
        found[2],
        "error: a position without a triangle, one of 4 in high_lod[1].positions[3]: every position is a corner of \
         a triangle"
    );
    // A triangle without area is found where physics would trip over it.
    let flat = Submesh {
        positions: vec![[0; 3], [10, 10, 10], [20, 20, 20]],
        triangles: vec![[0, 1, 2]],
        ..Submesh::default()
    };
    let found =
        only(asset(), |asset| asset.physics_mesh = Some(Level { submeshes: vec![flat], ..Level::default() }));
    assert!(
        found.starts_with("warning: [0, 1, 2], one of 1 triangles in physics_mesh[0].triangles[0]"),
        "{found}"
    );
}

#[test]
fn faces_without_geometry() {
    let found = only(asset(), |asset| face(asset, Lod::High).no_geometry = true);
    assert_eq!(
        found,
        "error: 4 positions, 4 triangles in high_lod[1]: a submesh with NoGeometry has nothing else"
    );
    let found = only(asset(), |asset| {
        *face(asset, Lod::Lowest) = Submesh::without_geometry();
        face(asset, Lod::Lowest).extra.insert("NoGeometry", false);
    });
    assert!(found.ends_with("in lowest_lod[1].no_geometry: NoGeometry is true"), "{found}");
    let found = only(asset(), |asset| {
        face(asset, Lod::High).extra.insert("TriangleList", &[0, 0][..]);
    });
    assert_eq!(
        found,
        "error: 2 bytes too many in high_lod[1].TriangleList: arrays are binaries of whole elements"
    );
    let found = only(asset(), |asset| {
        face(asset, Lod::High).extra.insert("PositionDomain", 1);
    });
    assert!(found.contains("a value of the type integer in high_lod[1].PositionDomain"), "{found}");
}

#[test]
fn weights_and_joints() {
    let found = only(rigged(), |asset| face(asset, Lod::Low).weights.truncate(3));
    assert_eq!(
        found,
        "error: 3 for 4 positions in low_lod[1].weights: a mesh with a skin has weights for each position"
    );
    let found = only(rigged(), |asset| face(asset, Lod::Low).weights[2] = VertexWeights::rigid(2));
    assert_eq!(found, "error: joint 2 of 2 in low_lod[1].weights[2]: weights name joints of the skin");
    let found = only(rigged(), |asset| face(asset, Lod::Low).weights[2] = VertexWeights::default());
    assert_eq!(found, "warning: no joint in low_lod[1].weights[2]: each vertex follows a joint");
    let found = texts(rigged(), |asset| asset.skin = None);
    assert_eq!(found.len(), 8, "one for each submesh");
    assert_eq!(
        found[0],
        "warning: 3 without a skin in lowest_lod[0].weights: weights are there where a skin is"
    );
    let skin = |change: fn(&mut Skin)| only(rigged(), |asset| change(asset.skin.as_mut().unwrap()));
    assert_eq!(
        skin(|skin| {
            skin.joint_names.resize(111, "mHead".into());
            skin.inverse_bind_matrices.resize(111, [0.0; 16]);
        }),
        "error: 111 joints, the limit is 110 in skin.joint_names: an upload has at most 110 joints: leave out those \
         that no weight names"
    );
    assert_eq!(
        skin(|skin| skin.inverse_bind_matrices.truncate(1)),
        "error: 1 for 2 joints in skin.inverse_bind_matrices: a skin has an inverse bind matrix per joint: the viewer \
         drops the rig"
    );
    assert!(
        skin(|skin| skin.alt_inverse_bind_matrices = vec![[0.0; 16]]).starts_with("error: 1 for 2 joints")
    );
    assert!(
        skin(|skin| skin.bind_shape_matrix = None)
            .starts_with("warning: no matrix in skin.bind_shape_matrix")
    );
    assert!(skin(|skin| skin.inverse_bind_matrices[1][3] = f64::INFINITY).starts_with("error: inf in skin"));
}

#[test]
fn hulls() {
    let convex = |change: fn(&mut slmesh::Convex)| {
        only(asset(), |asset| change(asset.physics_convex.as_mut().unwrap()))
    };
    assert_eq!(
        convex(|convex| convex.hulls = vec![vec![[0; 3]; 4], vec![[0; 3]; 260]]),
        "error: 260 points, the limit is 256 in physics_convex.hulls[1]: a hull has 1 to 256 points"
    );
    assert_eq!(
        convex(|convex| convex.bounding = vec![[0; 3]; 257]),
        "error: 257 points, the limit is 256 in physics_convex.bounding: the hull around everything has at most 256 points"
    );
    assert_eq!(
        convex(|convex| convex.hulls = vec![vec![[0; 3]; 4]; 257]),
        "error: 257 hulls, the limit is 256 in physics_convex.hulls: a decomposition has at most 256 hulls: \
         MAV_MAX_HULLS_EXCEEDED"
    );
    assert!(
        convex(|convex| convex.domain = Some(Domain::UNIT))
            .starts_with("error: -1, the limit is 0.501 in physics_convex.domain")
    );
    let found = only(asset(), |asset| {
        asset.physics_mesh = asset.low_lod.clone();
        asset.physics_convex.as_mut().unwrap().hulls = vec![vec![[0; 3]; 4]; 3];
    });
    assert_eq!(
        found,
        "error: a mesh beside a decomposition of 3 hulls in physics_mesh: an asset has a decomposition or \
         physics_mesh, not both"
    );
}

#[test]
fn the_header() {
    assert_eq!(
        only(asset(), |asset| asset.version = Some(1000)),
        "error: version 1000, the limit is 999 in version: the viewer reads versions up to 999"
    );
    let found = only(asset(), |asset| {
        asset.extra.insert("future", "x".repeat(4096));
    });
    assert!(found.contains("the limit is 4096 in header"), "{found}");
    let found = only(asset(), |asset| {
        asset.extra.insert("skin", Value::from("none"));
    });
    assert!(found.starts_with("error: a value of the type string in skin"), "{found}");
    let found = slmesh::check(&slmesh::from_slice(&testkit::fixture("slmesh", "prefix.llmesh")).unwrap());
    assert_eq!((found.len(), found[0].severity), (1, Severity::Error));
    // An asset that was uploaded has hashes.
    let found = only(asset(), |asset| asset.date = Some(Date::from_secs(1.7e9)));
    assert_eq!(
        found,
        "warning: no hash in physics_convex: each physics block of an uploaded asset has a hash"
    );
}
