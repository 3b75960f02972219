//! Real files: each is written as the same bytes (after decompression), and contains what is known about it.

use m3d::{ChunkKind, Model, SkinId, TexCoordId, Variant, Voxel, WriteOptions};
use testkit::{Sample, corpus};

/// The real binary files, with their names.
fn models() -> Vec<(String, Vec<u8>, Model)> {
    let binary =
        corpus("m3d").into_iter().filter(|sample| m3d::detect(&sample.bytes) == Some(Variant::Binary));
    let read = |Sample { name, bytes }| match m3d::from_slice(&bytes) {
        Ok(model) => (name, bytes, model),
        Err(error) => panic!("{name}: {error}"),
    };
    binary.map(read).collect()
}

/// Calls the test with one real file, if there are real files.
fn with(name: &str, test: impl FnOnce(&Model)) {
    let models = models();
    match models.iter().find(|(other, ..)| other == name) {
        Some((_, _, model)) => test(model),
        None => assert!(models.is_empty(), "{name} is not among the real files"),
    }
}

#[test]
fn every_real_file_comes_back() {
    for (name, bytes, model) in models() {
        let written = m3d::to_vec(&model).unwrap();
        let [a, b] = [&bytes, &written].map(|bytes| m3d::payload(bytes).unwrap());
        assert!(a == b, "{name}");
        assert!(!model.layout.is_raw(), "{name}: no real file is known that is not compressed");
        assert!(m3d::check(&model).iter().all(|finding| finding.rule.id != "m3d.trailing"), "{name}");
        // The compressed stream is kept, too, unless another compression level is requested.
        assert!(written == bytes, "{name}");
        let level = WriteOptions::new().level(9).write(&model).unwrap();
        assert!(m3d::payload(&level).unwrap() == a, "{name}");
        let dropped = m3d::ReadOptions::new().keep_source(false).read(&bytes).unwrap();
        assert!(m3d::from_slice(&m3d::to_vec(&dropped).unwrap()).unwrap() == model, "{name}");
    }
}

/// The chunks after the header, with their tags.
fn chunks(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let payload = m3d::payload(bytes).unwrap();
    let all = m3d::chunks(&payload).unwrap().map(|chunk| chunk.unwrap()).skip(1);
    all.map(|chunk| (chunk.tag.to_string(), chunk.payload.to_vec())).collect()
}

/// An edit only changes the chunks of the edited values.
#[test]
fn an_edit_changes_the_chunk_that_it_names() {
    type Edit = (&'static [&'static str], fn(&mut Model));
    let edits: [Edit; 7] = [
        (&[], |m| m.name = "x".into()),
        // The longer author overwrites the first names of the table, which are then added at its end.
        (&["BONE", "MTRL", "MESH", "VOXT", "VOXD", "SHPE", "ACTN", "ASET"], |m| {
            m.author.extend_from_slice(b" and others")
        }),
        (&["VRTS"], |m| m.vertices.coords.iter_mut().take(1).for_each(|coord| coord.x = 1.0)),
        // The new colour is added to the palette.
        (&["CMAP", "MTRL"], |m| {
            let color = m3d::Value::Color(m3d::geom::Rgba8::new(1, 2, 3, 4));
            m.materials.iter_mut().take(1).for_each(|it| it.set(m3d::PropertyId::DIFFUSE, color.clone()));
        }),
        (&["MTRL"], |m| m.materials.iter_mut().take(1).for_each(|it| it.name = "other".into())),
        (&["ACTN"], |m| m.actions.iter_mut().take(1).for_each(|it| it.duration += 1)),
        (&["MESH"], |m| m.meshes.iter_mut().take(1).for_each(|it| it.use_material("other"))),
    ];
    let mut edited = 0;
    for (name, bytes, model) in models() {
        let before = chunks(&bytes);
        for (number, (tags, edit)) in edits.iter().enumerate() {
            let mut model = model.clone();
            edit(&mut model);
            let written = m3d::to_vec(&model).unwrap();
            assert!(m3d::from_slice(&written).unwrap() == model, "{name}, {number}");
            let after = chunks(&written);
            let kept = |(tag, _): &&(String, Vec<u8>)| !tags.contains(&tag.as_str());
            let same = before.iter().filter(kept).eq(after.iter().filter(kept));
            assert!(same, "{name}, {number}");
            edited += usize::from(before != after);
        }
        // Some parts less and one more: the other parts of that kind keep their bytes.
        let mut less = model.clone();
        less.materials.truncate(1);
        less.materials.push(m3d::Material { name: "new".into(), ..m3d::Material::default() });
        let after = chunks(&m3d::to_vec(&less).unwrap());
        let materials = before.iter().filter(|(tag, _)| tag == "MTRL").skip(1);
        let gone = materials.filter(|chunk| !after.contains(chunk)).count();
        let kept = before.iter().filter(|chunk| after.contains(chunk)).count();
        assert_eq!(kept, before.len() - gone, "{name}");
    }
    assert!(edited == 0 || edited > 50, "{edited}");
}

#[test]
fn every_real_file_is_the_same_without_its_layout() {
    for (name, _, model) in models() {
        let fresh = Model { layout: m3d::Layout::default(), ..model.clone() };
        let bytes = WriteOptions::new().raw(true).write(&fresh).unwrap();
        let again = m3d::from_slice(&bytes).unwrap();
        assert_eq!(Model { layout: m3d::Layout::default(), ..again }, fresh, "{name}");
    }
}

#[test]
fn check_finds_what_is_known_and_no_more() {
    let known = [
        // These rules concern the first names in the string table.
        "m3d.model-name",
        "m3d.identifier",
        "m3d.palette-order",
        "m3d.palette-twice",
        "m3d.weights",
        "m3d.cube-filled",
        "m3d.winding",
        "m3d.texture-name",
        "m3d.corner-tex-coord",
        "m3d.material-defined",
        "m3d.material-order",
        "m3d.no-material-first",
        "m3d.degenerate",
        // Two actions of 2019 have a frame after their end.
        "m3d.frame-time",
    ];
    for (name, _, model) in models() {
        for finding in m3d::check(&model) {
            assert!(known.contains(&finding.rule.id), "{name}: {finding}");
        }
    }
}

#[test]
fn poses_move_what_they_should() {
    for (name, _, model) in models() {
        let bind = model.bind_pose();
        for matrix in model.skinning_matrices(&bind) {
            let flat = matrix.to_columns();
            let unit = m3d::geom::Mat4::IDENTITY.to_columns();
            assert!(flat.iter().zip(unit).all(|(a, b)| (a - b).abs() < 1e-3), "{name}: {flat:?}");
        }
        for action in &model.actions {
            let moves = |part: f32| model.pose(action, action.duration as f32 * part) != bind;
            assert!([0.2, 0.5, 0.8].into_iter().any(moves), "{name}: nothing moves");
        }
    }
}

#[test]
fn texture_coordinates_without_a_width() {
    // The polygons have texture coordinates, but the index has a width of zero bytes.
    with("ibra-kdbra-Cpp_Projects/WusonBlitz0.m3d", |model| {
        let mesh = &model.meshes[0];
        assert_eq!((mesh.len(), mesh.tex_coords.len()), (3732, 11196));
        assert!(mesh.tex_coords.iter().all(|&id| id == TexCoordId::NONE));
        assert!(model.to_tri_mesh().unwrap().uvs.is_empty());
    });
}

#[test]
fn a_character() {
    with("ibra-kdbra-Cpp_Projects/CesiumMan.m3d", |model| {
        assert_eq!(
            (model.name.to_string(), model.bones.len(), model.skins.len()),
            ("Cesium_Man".into(), 19, 926)
        );
        let skins = &model.vertices.skins;
        assert_eq!(skins.iter().filter(|&&skin| skin == SkinId::QUATERNION).count(), 912);
        assert_eq!((model.actions[0].frames.len(), model.actions[0].duration), (48, 1920));
        let mesh = model.to_tri_mesh().unwrap();
        assert_eq!(mesh.triangles.len(), 4672);
        assert!(mesh.is_consistent() && mesh.uvs.len() == mesh.positions.len());
    });
}

#[test]
fn voxels_of_a_building() {
    with("ibra-kdbra-Cpp_Projects/lantea.m3d", |model| {
        let block = &model.voxel_blocks[0];
        assert_eq!((block.size, model.voxel_types.len()), ([77, 32, 77], 23));
        assert_eq!(block.voxels.iter().filter(|&&voxel| voxel == Voxel::UNSET).count(), 177_512);
        assert!(model.layout.chunks().eq([ChunkKind::Palette, ChunkKind::VoxelTypes, ChunkKind::Voxels]));
        // 12 216 voxels are set; most of their faces are hidden.
        let mesh = model.voxel_mesh().unwrap();
        assert!(mesh.is_consistent() && mesh.triangles.len() < 12_216 * 12 / 2);
    });
}

#[test]
fn assets_are_images() {
    with("raysan5-raylib/seagull.m3d", |model| {
        let asset = model.asset("gull").unwrap();
        assert!(asset.data.starts_with(b"\x89PNG"));
        let material = &model.materials[0];
        assert_eq!(material.map(m3d::PropertyId::DIFFUSE).unwrap(), "gull");
        assert!((model.scale - 83.718_67).abs() < 1e-4);
    });
}

#[test]
fn poses_at_keys_are_those_of_the_sdk() {
    // Rows of bone matrices, as the SDK's `m3d_pose` computes them at the time of a frame.
    with("ibra-kdbra-Cpp_Projects/aliveai_character.m3d", |model| {
        let matrices = model.bone_matrices(&model.pose(&model.actions[0], 2050.0));
        let known = [
            (1, [-0.9841, 0.0, 0.0, 0.1024, 0.0, -0.9066, -0.3844, -0.2520, 0.0, -0.3844, 0.9225, 0.0]),
            (2, [-0.9474, 0.0, 0.0, 0.2913, 0.0, -0.8760, 0.3660, 0.3780, 0.0, 0.3660, 0.9286, 0.0]),
        ];
        for (bone, rows) in known {
            let linear = matrices[bone].linear().to_rows();
            // The SDK's unit is the bounding cube.
            let moved = (matrices[bone].translation() * (1.0 / model.scale_or_one())).to_array();
            for (row, wanted) in rows.as_chunks::<4>().0.iter().enumerate() {
                let ours = [linear[row * 3], linear[row * 3 + 1], linear[row * 3 + 2], moved[row]];
                assert!(
                    ours.iter().zip(wanted).all(|(a, b): (&f32, &f32)| (a - b).abs() < 1e-4),
                    "{bone}: {ours:?}"
                );
            }
        }
    });
    // The sum of all translations, at another time, for another skeleton.
    with("ibra-kdbra-Cpp_Projects/CesiumMan.m3d", |model| {
        let matrices = model.bone_matrices(&model.pose(&model.actions[0], 640.0));
        let moved: f32 = matrices.iter().flat_map(|matrix| matrix.translation().to_array()).sum::<f32>()
            / model.scale_or_one();
        let turned: f32 = matrices.iter().flat_map(|matrix| matrix.linear().to_rows()).sum();
        assert!(
            (moved - 8.11561).abs() < 1e-4 && (moved + turned - 24.07392).abs() < 1e-4,
            "{moved} {turned}"
        );
    });
}

/// Models are equal exactly if they are written as the same bytes: each changed value is noticed, unless it is not
/// written.
#[test]
#[cfg(feature = "serde")]
fn one_value_changed_is_noticed() {
    let mut noticed = 0;
    for sample in testkit::fixtures("m3d") {
        let Ok(model) = m3d::from_slice(&sample.bytes) else { continue };
        let model = Model { layout: m3d::Layout::default(), ..model };
        let write = |model: &Model| WriteOptions::new().raw(true).write(model);
        let Ok(written) = write(&model) else { continue };
        testkit::each_change(&model, 100, |path, changed| {
            if path.starts_with("/layout") {
                assert!(changed == model && !changed.same_layout(&model), "{}: {path}", sample.name);
            } else if let Ok(bytes) = write(&changed) {
                assert_eq!(changed == model, bytes == written, "{}: {path}", sample.name);
                noticed += usize::from(bytes != written);
            }
        });
    }
    assert!(noticed > 1_000, "only {noticed}");
}
