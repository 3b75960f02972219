//! What reading a file as a scene drops, changes or fills in is listed; what is malformed is refused.

use rezkit_scene::{Loss, Reference, Scene, SceneOptions, SceneReader};

/// Reads a file beside which there are these files.
fn read(
    reader: &SceneReader,
    bytes: &[u8],
    beside: &[(&str, &[u8])],
) -> Result<(Scene, Vec<String>), String> {
    let mut sources = |reference: &Reference| {
        let found = beside.iter().find(|(name, _)| *reference == Reference::Beside((*name).to_owned()));
        Ok(found.map(|(_, bytes)| bytes.to_vec()))
    };
    let read = reader.read("a format", bytes, "a", &SceneOptions::default(), &mut sources);
    read.map(|(scene, losses)| (scene, losses.iter().map(shown).collect())).map_err(|error| error.to_string())
}

fn shown(loss: &Loss) -> String {
    format!("{}: {loss}", loss.kind.label())
}

mod obj {
    use super::read;
    use rezkit_scene::obj::READER;

    /// Of the three numbers of `-s` and `-o`, the last two are optional.
    #[test]
    fn a_map_keeps_its_file_after_options_of_fewer_numbers() {
        for (map, [u, v]) in
            [("-s 2 4 a.png", [2.0, 4.0]), ("-s 2 4 1 a.png", [2.0, 4.0]), ("-s 2 a.png", [2.0, 1.0])]
        {
            let mtl = format!("newmtl m\nmap_Kd {map}\n");
            let obj = b"mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n";
            let (scene, losses) = read(&READER, obj, &[("m.mtl", mtl.as_bytes())]).expect("a scene");
            let texture = scene.materials[0].base_texture.expect("a texture");
            assert_eq!((scene.images[0].name.as_str(), texture.transform.scale), ("a.png", [u, v]), "{map}");
            assert_eq!(losses, [""; 0], "{map}");
        }
    }

    #[test]
    fn vertices_without_a_colour_are_filled_in() {
        let (_, losses) = read(&READER, b"v 0 0 0 1 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", &[]).expect("a scene");
        assert_eq!(
            losses,
            [
                "filled in: meshes: vertex colours (white) of vertices that lack them, since other vertices of the mesh \
              have colours (and 1 more)"
            ]
        );
    }
}

mod ply {
    use super::read;
    use rezkit_scene::ply::READER;

    const POINTS: &str = "0 0 0\n1 0 0\n0 1 0\n";

    fn file(faces: &str, count: usize) -> String {
        format!(
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement \
             face {count}\nproperty list char float vertex_indices\nend_header\n{POINTS}{faces}"
        )
    }

    #[test]
    fn small_faces_and_text_after_the_end_are_listed() {
        let (_, losses) = read(&READER, file("3 0 1 2\n2 0 1\n", 2).as_bytes(), &[]).expect("a scene");
        assert_eq!(losses, ["dropped: face: faces with fewer than three corners"]);
        let (_, losses) = read(&READER, file("3 0 1 2\n9 9", 1).as_bytes(), &[]).expect("a scene");
        let offset = file("3 0 1 2", 1).len();
        assert_eq!(losses, [format!("dropped: offset {offset}: 4 bytes after the last element")]);
        let (_, losses) = read(&READER, file("3 0 1 2\n\n", 1).as_bytes(), &[]).expect("a scene");
        assert_eq!(losses, [""; 0]);
    }

    #[test]
    fn malformed_numbers_are_refused() {
        for (faces, expected) in [
            ("3 0 1.5 2", "a face has a vertex index that is negative, too large or not an integer"),
            ("-3 0 1 2", "face[0].vertex_indices: cannot be read as a format: expected the length of a list, found -3"),
            ("1.5 0 1", "face[0].vertex_indices: cannot be read as a format: expected the length of a list, found 1.5"),
        ] {
            let error = read(&READER, file(faces, 1).as_bytes(), &[]).expect_err("malformed");
            assert!(error.contains(expected), "{error}");
        }
        let flat = file("3 0 1 2", 1).replace("property float z\n", "");
        let error = read(&READER, flat.as_bytes(), &[]).expect_err("no z");
        assert!(error.contains("the element \"vertex\" has no property \"z\""), "{error}");
    }
}

#[test]
fn lines_after_the_last_face_of_off_are_listed() {
    let off = b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n# end\n9 9 9\n\nhello\n";
    let (_, losses) = read(&rezkit_scene::off::READER, off, &[]).expect("a scene");
    assert_eq!(losses, ["dropped: line 8: lines after the last face (and 1 more)"]);
}

/// The losses of reading a fixture.
mod of_fixtures {
    use super::shown;
    use rezkit_scene::{Budget, Levels, rbxmesh, slmesh};

    fn mesh(file: &str) -> Vec<String> {
        let mesh = ::rbxmesh::from_slice(&testkit::fixture("rbxmesh", file)).expect("a mesh");
        let (_, losses) = rbxmesh::to_scene(&mesh, Levels::All, &mut Budget::new(1 << 24)).expect("a scene");
        losses.iter().map(shown).collect()
    }

    /// Its face bones are Jaw and Lips, its bones others.
    #[test]
    fn facial_controls_of_missing_bones() {
        let losses = mesh("v5_00.mesh");
        assert_eq!(
            losses[..2],
            [
                "dropped: facs.face_bones: the movement of face bones that the mesh does not have, such as \"Jaw\" (and \
                 1 more)",
                "dropped: facs.controls: facial controls that move no bone of the mesh, such as \"c_COR\" (and 1 more)"
            ]
        );
    }

    #[test]
    fn unknown_parts_of_a_mesh() {
        let losses = mesh("v5_00_format_2.mesh");
        assert!(
            losses.iter().any(|loss| loss
                == "dropped: layout.facs_unknown: 259 bytes of facial animation in an unknown format"),
            "{losses:?}"
        );
        let losses = mesh("v6_00_unknown.mesh");
        assert!(losses.iter().any(|loss| loss.contains("an unsupported or repeated chunk")), "{losses:?}");
    }

    #[test]
    fn values_of_the_simulator() {
        let asset = ::slmesh::from_slice(&testkit::fixture("slmesh", "all.llmesh")).expect("an asset");
        let (_, losses) =
            slmesh::to_scene(&asset, "a", Levels::All, true, &mut Budget::new(1 << 24)).expect("a scene");
        let data = losses.iter().find(|loss| loss.path == "asset").expect("a loss").to_string();
        for name in ["creator", "date", "physics_havok", "physics_cost_data"] {
            assert!(data.contains(name), "{data}");
        }
    }
}
