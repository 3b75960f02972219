//! For every rule of `check`, assets that break it, and the findings.

use slmesh::errors::{Finding, RULES, Severity};
use slmesh::geom::{TriMesh, Vec3};
use slmesh::llsd::{self, Date, Value};
use slmesh::{Asset, Builder, Domain, Level, Lod, Skin, Slm, Submesh, VertexWeights};

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

/// The asset with a skin and with weights.
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

/// A finding: the rule, the path, the text, and the count.
type Found = (&'static str, String, String, usize);

fn found(mut asset: Asset, change: impl FnOnce(&mut Asset)) -> Vec<Found> {
    change(&mut asset);
    let found =
        |f: Finding| (f.rule.id.strip_prefix("slmesh.").expect("a rule of ours"), f.path, f.found, f.count);
    slmesh::check(&asset).into_iter().map(found).collect()
}

fn one(rule: &'static str, path: &str, what: &str) -> Vec<Found> {
    vec![(rule, path.into(), what.into(), 1)]
}

fn face(asset: &mut Asset, lod: Lod) -> &mut Submesh {
    &mut asset.level_mut(lod).as_mut().expect("a level").submeshes[1]
}

#[test]
fn rules_have_names_of_their_own() {
    let mut ids: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
    ids.sort_unstable();
    assert!(ids.windows(2).all(|pair| pair[0] != pair[1]));
    assert!(ids.iter().all(|id| id.starts_with("slmesh.")));
    let finding = &slmesh::check(&Asset { version: Some(1000), ..asset() })[0];
    assert_eq!(
        finding.to_string(),
        "error[slmesh.version] in version: expected a version of at most 999, found 1000; rule: the version is at most 999, the \
         greatest that the viewer reads"
    );
}

/// Rules that stop the viewer's uploader are errors. Rules about which it warns, or after which it changes the model
/// and continues, are warnings.
#[test]
fn severities_are_the_uploaders() {
    let stops = "high-lod level-gap level-faces faces face-vertices bind-matrices hull-points hull-count \
                 physics-triangle physics-size physics-convex bounding-hull index-range";
    let goes_on = "level-vertices level-triangles face-triangles joint-count joint-name bind-rotation";
    for (ids, severity) in [(stops, Severity::Error), (goes_on, Severity::Warning)] {
        for id in ids.split_whitespace() {
            let rule = RULES.iter().find(|rule| rule.id.strip_prefix("slmesh.") == Some(id));
            assert_eq!(rule.map(|rule| rule.severity), Some(severity), "{id}");
        }
    }
}

#[test]
fn blocks_that_are_missing() {
    let all = found(asset(), |asset| asset.high_lod = None);
    assert_eq!(all[..1], one("high-lod", "high_lod", "the level is missing"));
    assert_eq!(
        found(asset(), |asset| asset.physics_convex = None),
        one("physics-convex", "physics_convex", "the block is missing")
    );
    assert_eq!(
        found(asset(), |asset| asset.physics_convex.as_mut().unwrap().bounding.clear()),
        one("bounding-hull", "physics_convex.bounding", "the bounding hull has no points")
    );
    assert_eq!(
        found(asset(), |asset| asset.medium_lod = None),
        one("level-gap", "medium_lod", "the level is missing, but low_lod has triangles (4)")
    );
    let all = found(asset(), |asset| (asset.medium_lod, asset.low_lod) = (None, None));
    assert_eq!(
        all,
        [("level-gap", "low_lod".into(), "the level is missing, but lowest_lod has triangles (2)".into(), 2)]
    );
    // No levels below are allowed.
    assert_eq!(found(asset(), |asset| (asset.lowest_lod, asset.low_lod) = (None, None)), []);
}

#[test]
fn levels_without_geometry() {
    let bare = || Some(Level { submeshes: vec![Submesh::without_geometry(); 2], ..Level::default() });
    let all = found(asset(), |asset| asset.high_lod = bare());
    assert_eq!(all[..1], one("high-lod", "high_lod", "the level has no triangles"));
    assert_eq!(
        found(asset(), |asset| asset.medium_lod = bare()),
        one("level-gap", "medium_lod", "the level has no triangles, but low_lod has triangles (4)")
    );
    assert_eq!(found(asset(), |asset| asset.lowest_lod = bare()), []);
}

#[test]
fn levels_against_each_other() {
    let all = found(asset(), |asset| {
        asset.low_lod.as_mut().unwrap().submeshes.pop();
        asset.lowest_lod.as_mut().unwrap().submeshes.push(Submesh::without_geometry());
    });
    assert_eq!(
        all[0],
        (
            "level-faces",
            "lowest_lod".into(),
            "expected the number of submeshes in high_lod (2), found 3".into(),
            2
        )
    );
    // The viewer compares vertices.
    let most = asset().triangle_count(Lod::Medium);
    let all = found(asset(), |asset| face(asset, Lod::Low).triangles = [[0, 1, 2], [0, 2, 3]].repeat(10));
    let what = format!("expected at most {most} triangles, as in medium_lod, found ");
    assert!(all.len() == 1 && all[0].0 == "level-triangles" && all[0].2.starts_with(&what), "{all:?}");
    assert_eq!(
        found(asset(), |asset| {
            let low = face(asset, Lod::Low);
            low.positions.extend([[1; 3], [2; 3], [3; 3]]);
            low.normals.extend([[1; 3]; 3]);
            low.triangles = vec![[0, 1, 2], [3, 4, 5], [6, 4, 5]];
        }),
        one("level-vertices", "low_lod", "expected at most 8 vertices, as in medium_lod, found 11")
    );
}

#[test]
fn faces_and_vertices() {
    assert_eq!(
        found(asset(), |asset| {
            for lod in Lod::ALL {
                asset.level_mut(lod).as_mut().unwrap().submeshes.resize_with(8, Submesh::without_geometry);
            }
            let submeshes = &mut asset.physics_mesh.insert(Level::default()).submeshes;
            submeshes.resize_with(9, Submesh::without_geometry);
        }),
        one("faces", "physics_mesh", "expected at most 8 submeshes, found 9")
    );
    let many = |vertices: u16, triangles: u16| {
        found(asset(), |asset| {
            let face = face(asset, Lod::High);
            face.positions.resize(vertices.into(), [5; 3]);
            face.normals.resize(vertices.into(), [5; 3]);
            face.triangles = (0..triangles).map(|n| [n * 3, n * 3 + 1, n * 3 + 2]).collect();
        })
    };
    assert_eq!(many(65_532, 21_844), []);
    let text = "no triangle uses vertex 65532".to_owned();
    assert_eq!(
        many(65_534, 21_844),
        [("unused-vertex", "high_lod.submeshes[1].positions[65532]".into(), text, 2)]
    );
    assert_eq!(
        many(65_535, 21_845),
        [
            (
                "face-vertices",
                "high_lod.submeshes[1].positions".into(),
                "expected at most 65534 vertices, found 65535".into(),
                1
            ),
            (
                "face-triangles",
                "high_lod.submeshes[1].triangles".into(),
                "expected at most 21844 triangles, found 21845".into(),
                1
            ),
        ]
    );
    let all = found(asset(), |asset| *face(asset, Lod::High) = Submesh::default());
    assert_eq!(
        all[0],
        ("geometry", "high_lod.submeshes[1].positions".into(), "the submesh has no positions".into(), 2)
    );
    // A domain without a width is not a missing one.
    assert!(all.iter().all(|(rule, ..)| *rule != "position-domain"), "{all:?}");
    let all = found(asset(), |asset| asset.low_lod.as_mut().unwrap().submeshes.clear());
    assert_eq!(all[..1], one("no-submeshes", "low_lod", "found no submeshes"));
}

#[test]
fn columns_and_domains() {
    let domain = |min: f64, max: f64| {
        found(asset(), |asset| {
            let domain = Domain { min: [min, 0.0, 0.0], max: [max, 0.0, 0.0] };
            face(asset, Lod::Low).position_domain = Some(domain);
        })
    };
    let path = "low_lod.submeshes[1].position_domain";
    assert_eq!(
        domain(-0.5, 0.502),
        one("position-range", path, "expected a coordinate from -0.501 to 0.501, found 0.502")
    );
    assert_eq!(domain(-0.501, 0.501), []);
    assert_eq!(
        domain(f64::NAN, 0.5),
        one("position-range", path, "expected a coordinate from -0.501 to 0.501, found NaN")
    );
    let order = "along x, the minimum 0.5 exceeds the maximum -0.5";
    assert_eq!(domain(0.5, -0.5), one("domain-order", path, order));
    assert_eq!(
        found(asset(), |asset| face(asset, Lod::Low).position_domain = None),
        one("position-domain", path, "the domain is missing (positions: 4)")
    );
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
        assert_eq!(
            found(asset(), |asset| change(face(asset, Lod::Medium))),
            one(
                "column-length",
                &format!("medium_lod.submeshes[1].{name}"),
                "expected one entry per position (positions: 4), found 3"
            )
        );
    }
    assert_eq!(
        found(asset(), |asset| face(asset, Lod::Medium).tex_coords0 = vec![[0; 2]; 4]),
        one(
            "uv-domain",
            "medium_lod.submeshes[1].tex_coord0_domain",
            "the domain is missing (texture coordinates: 4)"
        )
    );
    assert_eq!(
        found(asset(), |asset| face(asset, Lod::Medium).normals.clear()),
        one("normals", "medium_lod.submeshes[1].normals", "the normals are missing (positions: 4)")
    );
}

#[test]
fn triangles_and_their_corners() {
    let all = found(asset(), |asset| {
        face(asset, Lod::High).triangles =
            vec![[0, 1, 2], [0, 1, 4], [1, 1, 2], [2, 1, 2], [0, 2, 1], [1, 0, 2], [2, 1, 0]];
    });
    let index = "vertex index 4 is out of range (positions: 4)";
    assert_eq!(all[0], ("index-range", "high_lod.submeshes[1].triangles[1]".into(), index.into(), 1));
    let corners = "the triangle [1, 1, 2] uses a vertex more than once";
    assert_eq!(all[1], ("triangle-corners", "high_lod.submeshes[1].triangles[2]".into(), corners.into(), 2));
    let unused = "no triangle uses vertex 3";
    assert_eq!(all[2], ("unused-vertex", "high_lod.submeshes[1].positions[3]".into(), unused.into(), 1));
}

#[test]
fn triangles_of_a_physics_mesh() {
    // In a domain with width 1, near the limits of the viewer's formula.
    let physics = |corners: [[f32; 3]; 3], hulls: usize| {
        found(asset(), |asset| {
            let submesh = Submesh {
                position_domain: Some(Domain::HALF),
                positions: corners.map(|corner| Domain::HALF.quantize_f32(corner)).to_vec(),
                triangles: vec![[0, 1, 2]],
                ..Submesh::default()
            };
            asset.physics_mesh = Some(Level { submeshes: vec![submesh], ..Level::default() });
            asset.physics_convex.as_mut().unwrap().hulls = vec![vec![[0; 3]; 4]; hulls];
        })
    };
    let sliver = [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0005, 0.0]];
    let text = "the triangle [0, 1, 2] is degenerate: its area is nearly 0";
    let degenerate = one("physics-triangle", "physics_mesh.submeshes[0].triangles[0]", text);
    assert_eq!(physics(sliver, 0), degenerate);
    assert_eq!(physics([[0.0; 3], [0.1; 3], [0.2; 3]], 0), degenerate);
    // A triangle with equal sides may be smaller: its tolerance is 1e-11.
    let small = 0.008;
    assert_eq!(physics([[0.0, 0.0, 0.0], [small, 0.0, 0.0], [0.0, small, 0.0]], 0), []);
    assert_eq!(physics([[0.0, 0.0, 0.0], [0.003, 0.0, 0.0], [0.0, 0.003, 0.0]], 0), degenerate);
    // If there are hulls, the mesh is not checked, and its presence is an error.
    let both = physics(sliver, 3);
    assert_eq!(
        both,
        one("physics-both", "physics_mesh", "the asset has both physics_mesh and a decomposition (hulls: 3)")
    );
}

#[test]
fn a_physics_mesh_needs_a_size() {
    let all = found(asset(), |asset| {
        asset.physics_mesh = asset.low_lod.clone();
        face(asset, Lod::High).normalized_scale = Some([4.0, 0.9, 4.0]);
    });
    // The tetrahedron has half of the size of its domain.
    assert_eq!(
        all,
        one("physics-size", "physics_mesh", "expected at least 0.5 m along each axis, found 0.450 m")
    );
}

#[test]
fn faces_without_geometry() {
    assert_eq!(
        found(asset(), |asset| face(asset, Lod::Lowest).no_geometry = true),
        one(
            "no-geometry",
            "lowest_lod.submeshes[1]",
            "the submesh is marked with NoGeometry, but has other fields (remove them, or NoGeometry)"
        )
    );
    let extra = |key: &'static str, value: Value| {
        found(asset(), |asset| {
            *face(asset, Lod::Lowest) = Submesh::without_geometry();
            face(asset, Lod::Lowest).extra.insert(key, value);
        })
    };
    let path = "lowest_lod.submeshes[1].extra.NoGeometry";
    assert_eq!(
        extra("NoGeometry", false.into()),
        one("key-type", path, "expected true or no key, found false")
    );
    assert_eq!(
        extra("new", 1.into()),
        one(
            "no-geometry",
            "lowest_lod.submeshes[1]",
            "the submesh is marked with NoGeometry, but has other fields (remove them, or NoGeometry)"
        )
    );
}

#[test]
fn values_that_are_left_over() {
    let extra = |key: &'static str, value: Value| {
        found(asset(), |asset| {
            face(asset, Lod::High).extra.insert(key, value);
        })
    };
    let bytes = || Value::from(&[0, 0][..]);
    assert_eq!(
        extra("TriangleList", bytes()),
        one(
            "array-length",
            "high_lod.submeshes[1].extra.TriangleList",
            "TriangleList ends with 2 surplus bytes (or an incomplete element)"
        )
    );
    assert_eq!(
        extra("Tangent", 1.into()),
        one(
            "key-type",
            "high_lod.submeshes[1].extra.Tangent",
            "expected binary (u16 × 4 per vertex), found integer"
        )
    );
    assert_eq!(extra("Tangent", Value::from(&b""[..])), []);
    assert_eq!(extra("new", bytes()), []);
    let convex = |key: &'static str, value: Value| {
        found(asset(), |asset| {
            asset.physics_convex.as_mut().unwrap().extra.insert(key, value);
        })
    };
    assert_eq!(
        convex("Positions", bytes()),
        one(
            "array-length",
            "physics_convex.extra.Positions",
            "Positions ends with 2 surplus bytes (or an incomplete element)"
        )
    );
    let found = found(asset(), |asset| {
        asset.extra.insert("skin", "none");
        asset.extra.insert("date", 1);
    });
    let what = "expected date, found integer";
    assert_eq!(found, [("key-type", "extra.date".into(), what.into(), 2)]);
}

/// An asset may have no alternative matrices at all; other rules find the lists that a skin needs.
#[test]
fn empty_lists() {
    let empty = || Value::from(Vec::<Value>::new());
    let skin = |key: &'static str, value: Value| {
        found(rigged(), |asset| _ = asset.skin.as_mut().unwrap().extra.insert(key, value))
    };
    assert_eq!(skin("alt_inverse_bind_matrix", empty()), []);
    assert_eq!(skin("bind_shape_matrix", empty())[0].0, "key-type");
    let second = Value::from(vec![Value::from([0.0; 16]), Value::from([0.0; 2])]);
    assert_eq!(
        skin("alt_inverse_bind_matrix", second)[0].2,
        "expected an array for each joint, each of 16 reals, found an array of 2 reals at index 1"
    );
    let joints = found(rigged(), |asset| {
        let skin = asset.skin.as_mut().unwrap();
        skin.joint_names.clear();
        skin.inverse_bind_matrices.clear();
        skin.extra.insert("joint_names", empty());
        skin.extra.insert("inverse_bind_matrix", empty());
    });
    let rules: Vec<_> = joints.iter().map(|found| found.0).collect();
    assert_eq!(rules, ["weights-joint", "joints"]);
}

#[test]
fn half_a_domain_of_hulls() {
    let ends = |min: Value, max: Option<Value>| {
        found(asset(), |asset| {
            let convex = asset.physics_convex.as_mut().unwrap();
            convex.domain = None;
            convex.extra.insert("Min", min);
            max.map(|max| convex.extra.insert("Max", max));
        })
    };
    let end = || Value::from([-0.5; 3]);
    let missing = "Max is missing, but Min exists";
    assert_eq!(ends(end(), None), one("hull-domain", "physics_convex.domain", missing));
    let found = ends(end(), Some("x".into()));
    assert_eq!((found.len(), found[0].0, &*found[0].1), (1, "key-type", "physics_convex.extra.Max"));
}

/// The header marks an absent block by the integer 0 as its size.
#[test]
fn blocks_in_other_forms() {
    let header = |offset: Value, size: Value| {
        let entry = llsd::Map::from([("offset", offset), ("size", size)]);
        found(asset(), |asset| _ = asset.extra.insert("physics_havok", entry))
    };
    assert_eq!(header(0.into(), 0.into()), []);
    let what = "expected a map with the integers offset and size, found a map without these two integers";
    assert_eq!(header(0.5.into(), "x".into()), one("key-type", "extra.physics_havok", what));
}

#[test]
fn fields_of_a_slm_file() {
    let found = |change: fn(&mut Slm)| {
        let mut slm = Slm::of_asset(asset(), "name");
        assert_eq!(slm.check(), []);
        change(&mut slm);
        let found = slm.check().into_iter();
        found.map(|finding| (finding.rule.id, finding.path, finding.found)).collect::<Vec<_>>()
    };
    let what = "expected integer, found string";
    let wrong = |path: &str, what: &str| vec![("slmesh.key-type", path.to_owned(), what.to_owned())];
    assert_eq!(found(|slm| _ = slm.extra.insert("version", "q")), wrong("extra.version", what));
    let in_list = "expected strings, found an array of 1 integer";
    let mesh = found(|slm| _ = slm.extra.insert("mesh", Value::from(vec![Value::from(5)])));
    assert_eq!(mesh, wrong("extra.mesh", in_list));
    let what = "the value (string) belongs to a known field (set that field instead)";
    let label = found(|slm| _ = slm.instances[0].extra.insert("label", "q"));
    assert_eq!(label, wrong("instances[0].extra.label", what));
    let mesh = found(|slm| slm.meshes.clear());
    assert_eq!(mesh[0].0, "slmesh.instance-mesh");
    assert_eq!(
        (&*mesh[0].1, &*mesh[0].2),
        ("instances[0].mesh_id", "mesh index 0 is out of range (meshes: 0)")
    );
    assert_eq!(found(|slm| slm.instances[0].mesh_id = None)[0].2, "mesh_id is missing");
}

#[test]
fn weights_and_joints() {
    assert_eq!(
        found(rigged(), |asset| face(asset, Lod::Low).weights.truncate(3)),
        one(
            "weights-count",
            "low_lod.submeshes[1].weights",
            "expected weights for each vertex (vertices: 4), found weights for 3"
        )
    );
    let third = |weights: VertexWeights| found(rigged(), |asset| face(asset, Lod::Low).weights[2] = weights);
    let path = "low_lod.submeshes[1].weights[2]";
    assert_eq!(
        third(VertexWeights::rigid(2)),
        one("weights-joint", path, "joint index 2 is out of range (joints of the skin: 2)")
    );
    assert_eq!(third(VertexWeights::default()), one("weights-empty", path, "the vertex has no joint"));
    assert_eq!(
        third(VertexWeights { joints: [0, 255, 255, 255], weights: [60_000, 5535, 0, 0] }),
        one(
            "weights-end",
            path,
            "entries follow joint 255: joints [0, 255, 255, 255], weights [60000, 5535, 0, 0]"
        )
    );
    let all = found(rigged(), |asset| asset.skin = None);
    assert_eq!(
        all,
        [(
            "weights-skin",
            "lowest_lod.submeshes[0].weights".into(),
            "the asset has no skin, but this submesh has weights (vertices: 3)".into(),
            8
        )]
    );
}

#[test]
fn the_skin() {
    let skin = |change: fn(&mut Skin)| found(rigged(), |asset| change(asset.skin.as_mut().unwrap()));
    let many = skin(|skin| {
        skin.joint_names.resize(111, "mHead".into());
        skin.inverse_bind_matrices.resize(111, [0.0; 16]);
    });
    assert_eq!(
        many,
        [
            ("joint-count", "skin.joint_names".into(), "expected at most 110 joints, found 111".into(), 1),
            ("joint-twice", "skin.joint_names[3]".into(), "duplicate joint \"mHead\"".into(), 108),
        ]
    );
    assert_eq!(
        skin(|skin| skin.joint_names[1] = "mThirdArm".into()),
        one("joint-name", "skin.joint_names[1]", "the avatar has no joint with the name \"mThirdArm\"")
    );
    for name in ["PELVIS", "Left_Hand", "Left Hand", "hip", "avatar_mTail6"] {
        let joint = slmesh::joints::find(name);
        assert!(joint.is_some(), "{name}");
    }
    assert_eq!(slmesh::joints::ALL.len(), 214);
    assert_eq!(
        skin(|skin| skin.inverse_bind_matrices.truncate(1)),
        one(
            "bind-matrices",
            "skin.inverse_bind_matrices",
            "expected one matrix per joint (joints: 2), found 1"
        )
    );
    assert_eq!(
        skin(|skin| skin.alt_inverse_bind_matrices = vec![[0.0; 16]]),
        one(
            "alt-matrices",
            "skin.alt_inverse_bind_matrices",
            "expected one matrix per joint (joints: 2) or none, found 1"
        )
    );
    assert_eq!(
        skin(|skin| skin.bind_shape_matrix = None),
        one("bind-shape", "skin.bind_shape_matrix", "the matrix is missing")
    );
    assert_eq!(
        skin(|skin| skin.inverse_bind_matrices[1][3] = f64::INFINITY),
        one("matrix-finite", "skin.inverse_bind_matrices[1]", "the matrix contains inf")
    );
    // A rotation by 0.015 about z has 0.0075 in its quaternion, one by 0.03 has 0.015. The scale does not matter.
    let turned = |angle: f64, scale: f64| {
        found(rigged(), |asset| {
            let matrix = asset.skin.as_mut().unwrap().bind_shape_matrix.as_mut().unwrap();
            let (sin, cos) = angle.sin_cos();
            matrix[..2].copy_from_slice(&[cos * scale, sin * scale]);
            matrix[4..6].copy_from_slice(&[-sin, cos]);
        })
    };
    assert_eq!(turned(0.015, 5.0), []);
    assert_eq!(
        turned(0.03, 5.0),
        one("bind-rotation", "skin.bind_shape_matrix", "the matrix contains a rotation")
    );
}

#[test]
fn hulls() {
    let convex = |change: fn(&mut slmesh::Convex)| {
        found(asset(), |asset| change(asset.physics_convex.as_mut().unwrap()))
    };
    assert_eq!(
        convex(|convex| convex.hulls = vec![vec![[0; 3]; 4], vec![[0; 3]; 260]]),
        one("hull-points", "physics_convex.hulls[1]", "expected at most 256 points, found 260")
    );
    assert_eq!(
        convex(|convex| convex.bounding = vec![[0; 3]; 257]),
        one("hull-points", "physics_convex.bounding", "expected at most 256 points, found 257")
    );
    assert_eq!(
        convex(|convex| convex.hulls = vec![vec![[0; 3]; 1]]),
        one("hull-size", "physics_convex.hulls[0]", "expected at least 3 points, found 1")
    );
    assert_eq!(
        convex(|convex| convex.hulls = vec![vec![[0; 3]; 4]; 257]),
        one("hull-count", "physics_convex.hulls", "expected at most 256 hulls, found 257")
    );
    assert_eq!(
        convex(|convex| convex.domain = Some(Domain::UNIT)),
        one(
            "position-range",
            "physics_convex.domain",
            "expected a coordinate from -0.501 to 0.501, found -1"
        )
    );
}

#[test]
fn the_header() {
    let all = found(asset(), |asset| {
        asset.extra.insert("future", "x".repeat(4096));
    });
    assert_eq!((all[0].0, all.len()), ("header-length", 1));
    assert!(all[0].2.starts_with("expected at most 4096 bytes, found "), "{all:?}");
    // An uploaded asset has hashes.
    assert_eq!(
        found(asset(), |asset| asset.date = Some(Date::from_secs(1.7e9))),
        one("hash", "physics_convex.entry", "the header entry has no hash")
    );
}

#[test]
fn the_prefix_goes_with_the_first_edit() {
    let prefix = || slmesh::from_slice(&testkit::fixture("slmesh", "prefix.llmesh")).unwrap();
    let has = |asset: &Asset| slmesh::check(asset).iter().any(|finding| finding.rule.id == "slmesh.prefix");
    assert!(has(&prefix()));
    // After an edit of the header or of a block, the file is written without the prefix.
    let mut edited = prefix();
    edited.version = Some(2);
    assert!(!has(&edited) && slmesh::to_vec(&edited).unwrap().starts_with(b"{"));
    let mut edited = prefix();
    edited.high_lod.as_mut().unwrap().submeshes[0].triangles.pop();
    assert!(!has(&edited) && slmesh::to_vec(&edited).unwrap().starts_with(b"{"));
}
