//! Real files: each is written as the same bytes, and contains what is known about it. The numbers were computed
//! without this crate, with a script that inflates the blocks and unpacks their bytes.

use slmesh::geom::{Mat4, Vec3, Vec4};
use slmesh::{Asset, Kind, Lod};
use testkit::{Sample, corpus};

fn assets() -> Vec<(String, Vec<u8>, Asset)> {
    let read = |Sample { name, bytes }| match slmesh::from_slice(&bytes) {
        Ok(asset) => (name, bytes, asset),
        Err(error) => panic!("{name}: {error}"),
    };
    corpus("slmesh").into_iter().map(read).collect()
}

/// Calls the test with a real file, if the real files exist.
fn with(name: &str, test: impl FnOnce(&Asset, &[u8])) {
    let assets = assets();
    match assets.iter().find(|(other, ..)| other.starts_with(name)) {
        Some((_, bytes, asset)) => test(asset, bytes),
        None => assert!(assets.is_empty(), "{name} is not among the real files"),
    }
}

fn close(ours: Vec3, theirs: [f64; 3]) {
    for (ours, theirs) in ours.to_array().into_iter().zip(theirs) {
        assert!((f64::from(ours) - theirs).abs() < 2e-6, "{ours} is not {theirs}");
    }
}

#[test]
fn every_real_file_comes_back_byte_for_byte() {
    for (name, bytes, asset) in assets() {
        assert_eq!(slmesh::detect(&bytes), Some(Kind::Asset), "{name}");
        assert!(slmesh::to_vec(&asset).unwrap() == bytes, "{name}");
        // Written without any kept bytes, it is read as an equal asset.
        let fresh = slmesh::WriteOptions::new().fresh(true).write(&asset).unwrap();
        let again = slmesh::from_slice(&fresh).unwrap();
        assert!(again == asset, "{name}");
        assert!(again.layout.trailing.is_empty());
    }
}

#[test]
fn opening_looks_at_the_header_alone() {
    for (name, bytes, asset) in assets() {
        // The bytes that the viewer fetches first are enough to open it.
        let start = &bytes[..bytes.len().min(400)];
        assert_eq!(slmesh::detect(start), Some(Kind::Asset), "{name}");
        let view = slmesh::open(start).unwrap();
        assert!(view.has("high_lod"));
        if bytes.len() > 2000 {
            let error = view.level(Lod::High).unwrap_err();
            assert!(
                error.to_string().contains("bytes follow the header, but the block ends"),
                "{name}: {error}"
            );
        }
        let view = slmesh::open(&bytes).unwrap();
        for lod in Lod::ALL {
            assert!(view.level(lod).unwrap().as_ref() == asset.level(lod), "{name}");
        }
        assert!(view.skin().unwrap() == asset.skin);
        assert!(view.physics_convex().unwrap() == asset.physics_convex);
        assert_eq!(view.physics_mesh().unwrap(), None);
        assert_eq!(view.physics_havok().unwrap(), None);
    }
}

#[test]
fn an_edit_changes_one_block_and_moves_the_others() {
    for (name, bytes, mut asset) in assets() {
        let submesh = &mut asset.medium_lod.as_mut().unwrap().submeshes[0];
        submesh.normals[0][2] ^= 0x0100;
        let edited = slmesh::to_vec(&asset).unwrap();
        let (old, new) = (slmesh::open(&bytes).unwrap(), slmesh::open(&edited).unwrap());
        let (old, new): (Vec<_>, Vec<_>) =
            (old.chunks().map(Result::unwrap).collect(), new.chunks().map(Result::unwrap).collect());
        assert_eq!(old.len(), new.len());
        let moved = old.iter().zip(&new).find(|(chunk, _)| chunk.name == *"medium_lod").unwrap();
        for (old, new) in old.iter().zip(&new) {
            assert_eq!(old.name, new.name, "{name}: the header keeps its order");
            assert_eq!(old.payload == new.payload, old.name != *"medium_lod", "{name}: {}", old.name);
            let behind = old.range.start > moved.0.range.start;
            let step = if behind { moved.1.range.end - moved.0.range.end.min(moved.1.range.end) } else { 0 };
            let back = if behind { moved.0.range.end.saturating_sub(moved.1.range.end) } else { 0 };
            assert_eq!(new.range.start + back, old.range.start + step, "{name}: {}", old.name);
        }
        assert!(slmesh::from_slice(&edited).unwrap() == asset);
        // If an edit is undone, the file is written unchanged.
        asset.medium_lod.as_mut().unwrap().submeshes[0].normals[0][2] ^= 0x0100;
        assert!(slmesh::to_vec(&asset).unwrap() == bytes, "{name}");
    }
}

#[test]
fn check_finds_nothing_in_what_the_simulator_took() {
    for (name, _, asset) in assets() {
        assert_eq!(slmesh::check(&asset), [], "{name}");
    }
}

#[test]
fn triangles_that_the_viewer_takes_for_degenerate() {
    // The number of degenerate triangles that the viewer's own function counts in these levels, if they were physics
    // meshes.
    let counts = [("c34f02b8", [1, 0, 0, 512]), ("mesh_data", [0, 0, 0, 71]), ("testslm", [0, 0, 0, 0])];
    for (name, counts) in counts {
        with(name, |asset, _| {
            for (lod, count) in Lod::ALL.into_iter().zip(counts) {
                let physics_mesh = asset.level(lod).cloned();
                let found = slmesh::check(&Asset { physics_mesh, ..asset.clone() });
                let found = found.iter().find(|finding| finding.rule.id == "slmesh.physics-triangle");
                assert_eq!(found.map_or(0, |finding| finding.count), count, "{name} {lod}");
            }
        });
    }
}

#[test]
fn the_levels_of_an_object_of_eight_faces() {
    with("c34f02b8", |asset, _| {
        assert_eq!(Lod::ALL.map(|lod| asset.triangle_count(lod)), [94, 382, 1536, 6144]);
        assert_eq!(Lod::ALL.map(|lod| asset.vertex_count(lod)), [160, 480, 1737, 4952]);
        assert!(asset.levels().all(|(_, level)| level.submeshes.len() == 8));
        // One face has no geometry at the lowest level.
        let lowest = &asset.lowest_lod.as_ref().unwrap().submeshes;
        assert!(lowest[0].no_geometry && lowest[1..].iter().all(|face| !face.no_geometry));
        assert_eq!(asset.physics_convex.as_ref().unwrap().bounding.len(), 37);
        let mesh = asset.to_tri_mesh(Lod::High).unwrap();
        assert!(mesh.is_consistent() && mesh.normals.len() == 4952 && mesh.uvs.len() == 4952);
    });
}

#[test]
fn a_rigged_asset_says_what_a_script_says() {
    with("mesh_data", |asset, _| {
        assert_eq!(asset.layout.trailing, b"LLWearable version 22\n");
        let counts = Lod::ALL.map(|lod| (asset.triangle_count(lod), asset.vertex_count(lod)));
        assert_eq!(counts, [(58, 51), (116, 88), (468, 297), (1872, 1036)]);
        let bounds = asset.bounds().unwrap();
        assert_eq!(bounds.min.to_array(), [-0.5, -0.500_000_06, -0.5]);
        assert_eq!(bounds.max.to_array(), [0.5, 0.5, 0.5]);
        let lowest = asset.lowest_lod.as_ref().unwrap().bounds().unwrap();
        close(lowest.min, [-0.487_713_843_584_060_67, -0.442_479_997_873_306_3, -0.498_739_391_565_322_9]);
        close(lowest.max, [0.242_712_602_019_31, 0.212_121_143_937_110_9, 0.453_667_879_104_614_26]);
        let low = asset.low_lod.as_ref().unwrap().bounds().unwrap();
        close(low.max, [0.242_712_602_019_31, 0.442_467_567_116_588_3, 0.489_388_078_451_165_6]);

        let high = &asset.high_lod.as_ref().unwrap().submeshes[0];
        assert_eq!(high.positions[0], [8998, 34_701, 51_480]);
        assert_eq!(high.normals[0], [8758, 47_240, 15_802]);
        let points: Vec<_> = high.points().collect();
        close(points[0], [-0.362_699_320_973_525_6, 0.029_503_290_793_475_023, 0.285_534_447_241_931_8]);
        close(points[1035], [0.361_905_851_834_897_43, -0.077_523_495_169_246_89, -0.499_572_747_386_892_5]);
        let normals: Vec<_> = high.normal_vectors().collect();
        close(normals[0], [-0.732_722_972_457_465_5, 0.441_672_388_799_877_9, -0.517_753_871_976_806_2]);
        close(normals[1035], [0.086_686_503_395_132_29, -0.707_759_212_634_470_1, -0.701_136_797_131_303_8]);
        assert_eq!(high.tex_coords0[1], [39_994, 16_383]);
        let uv = high.uvs().nth(1).unwrap();
        assert!((uv.x - 0.583_185_6).abs() < 1e-6 && (uv.y - 0.249_988_56).abs() < 1e-6);
        assert_eq!((high.triangles[0], high.triangles[1871]), ([0, 1, 2], [792, 791, 723]));

        let influences = |vertex: usize| high.weights[vertex].influences().collect::<Vec<_>>();
        assert_eq!(high.weights.len(), 1036);
        assert_eq!(influences(0), [(6, 43_755), (2, 21_779)]);
        assert_eq!(influences(1), [(6, 38_975), (2, 18_858), (7, 7700)]);
        assert_eq!(influences(518), [(2, 55_706), (6, 5316), (10, 4512)]);
        assert_eq!(influences(1035), [(21, 47_901), (20, 15_875), (19, 1757)]);
        let many = |count| high.weights.iter().filter(|w| w.influences().count() == count).count();
        assert_eq!([1, 2, 3, 4].map(many), [294, 428, 248, 66]);
        for weights in &high.weights {
            let sum: u32 = weights.influences().map(|(_, weight)| u32::from(weight)).sum();
            assert!((65_532..=65_535).contains(&sum));
        }

        let skin = asset.skin.as_ref().unwrap();
        assert_eq!(skin.joint_names.len(), 22);
        assert_eq!((&*skin.joint_names[0], &*skin.joint_names[21]), ("mPelvis".into(), "mFootRight".into()));
        assert_eq!(skin.bind_shape().translation().to_array(), [-0.102_654_99, 0.517_800_75, 1.153_320_4]);
        close(
            skin.bind_pose(points[0]),
            [-0.227_455_419_140_548_9, 0.571_316_426_183_012_1, 1.673_483_395_145_369_8],
        );
        close(
            skin.bind_pose(points[518]),
            [-0.220_839_859_862_308_3, 0.518_534_165_660_802_9, 1.723_546_908_687_033_6],
        );
        // The world matrix of each joint: a rotation by 90 degrees about z, a translation along x by its number, and 1
        // upwards.
        let world = |joint: u8| Mat4 {
            x_axis: Vec4::new(0.0, 1.0, 0.0, 0.0),
            y_axis: Vec4::new(-1.0, 0.0, 0.0, 0.0),
            z_axis: Vec4::new(0.0, 0.0, 1.0, 0.0),
            w_axis: Vec4::new(f32::from(joint), 0.0, 1.0, 1.0),
        };
        let world: Vec<Mat4> = (0..22).map(world).collect();
        let posed = asset.posed(Lod::High, &world).unwrap();
        for (ours, theirs) in [
            (posed[0][0], [4.664_701_563_504_364, -0.043_328_627_256_668_93, 1.003_370_642_155_996_5]),
            (posed[0][518], [2.874_891_008_164_070_6, -0.047_438_734_388_157_98, 1.139_056_687_924_863_4]),
        ] {
            let far =
                ours.to_array().into_iter().zip(theirs).map(|(a, b): (f32, f64)| (f64::from(a) - b).abs());
            assert!(far.fold(0.0, f64::max) < 1e-5, "{ours:?}");
        }

        let convex = asset.physics_convex.as_ref().unwrap();
        assert_eq!((convex.bounding.len(), convex.hulls.len()), (18, 0));
        let hull: Vec<_> = convex.bounding_points().collect();
        close(hull[0], [-0.030_711_088_581_771_684, 0.077_464_169_160_155_75, -0.498_739_391_565_322_9]);
        close(hull[17], [-0.432_844_088_617_929_67, 0.000_398_893_831_359_548_03, 0.063_709_971_584_516_63]);
    });
}

#[test]
fn an_asset_of_the_uploader() {
    with("testslm", |asset, _| {
        assert_eq!(asset.material_list, Some(vec!["TestMaterial-material".into()]));
        assert_eq!(asset.version, None);
        assert_eq!(Lod::ALL.map(|lod| asset.triangle_count(lod)), [2, 2, 2, 12]);
        let skin = asset.skin.as_ref().unwrap();
        assert_eq!(
            (skin.joint_names.len(), skin.inverse_bind_matrices[0][14]),
            (1, -1.067_000_031_471_252_4)
        );
    });
}

#[test]
fn the_joints_are_those_of_the_viewers_skeleton() {
    use slmesh::joints::{ALL, JointKind, find};

    let Some(table) = testkit::shared("formats/sl-joints.tsv") else { return };
    let table = String::from_utf8(table).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows.len(), ALL.len());
    for row in rows {
        let [kind, name, parent, _, _, aliases, ..] = row[..] else { panic!("{row:?}") };
        let joint = find(name).unwrap();
        let found = match joint.kind {
            JointKind::Bone => "bone",
            JointKind::Collision => "collision",
            JointKind::Attachment => "attachment",
            _ => "hud",
        };
        assert_eq!((found, joint.name, joint.parent.unwrap_or("-")), (kind, name, parent));
        if kind == "bone" {
            assert_eq!(joint.aliases.join(","), aliases, "{name}");
        }
    }
}

/// Only equal models with the same layout are written as the same bytes: a comparison notices each value that is
/// written.
#[test]
#[cfg(feature = "serde")]
fn one_value_changed_is_noticed() {
    testkit::changes_are_noticed(
        "slmesh",
        |bytes| slmesh::from_slice(bytes).ok(),
        |model| slmesh::to_vec(model).ok(),
        slmesh::Asset::same_layout,
    );
}
