//! What reading a file as a scene drops, changes or fills in is listed. Most texts are in
//! `crates/rezkit-cli/tests/cmd/losses.trycmd`.

use rezkit_scene::{Loss, Reference, Scene, SceneOptions, SceneReader};

use crate::shown;

/// Reads a file beside which there are these files.
fn read(
    reader: &SceneReader,
    bytes: &[u8],
    beside: &[(&str, &[u8])],
) -> Result<(Scene, Vec<String>), String> {
    let mut sources = |reference: &Reference, _: u64| {
        let found = beside.iter().find(|(name, _)| *reference == Reference::Beside((*name).to_owned()));
        Ok(found.map(|(_, bytes)| bytes.to_vec()))
    };
    let read = reader.read("a format", bytes, "a", &SceneOptions::default(), &mut sources);
    read.map(|(scene, losses)| (scene, shown(&losses))).map_err(|error| error.to_string())
}

mod obj {
    use super::read;
    use rezkit_scene::obj::READER;

    /// A library is read once, whatever form of its name the statements use.
    #[test]
    fn a_library_named_again_is_read_once() {
        use rezkit_scene::{Reference, SceneOptions};
        let names =
            ["a.mtl a.mtl", "a.mtl", "./a.mtl", "././a.mtl", "b/../a.mtl", ".//a.mtl", "c.mtl", "./c.mtl"];
        let text = names.map(|name| format!("mtllib {name}\n")).concat();
        let text = text + "v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n";
        let mut asked = Vec::new();
        let mut sources = |reference: &Reference, _: u64| {
            asked.push(reference.clone());
            let is_there = *reference == Reference::Beside("a.mtl".to_owned());
            Ok(is_there.then(|| b"newmtl m\nKd 1 0 0\nfoo 1\n".to_vec()))
        };
        let read = READER.read("a format", text.as_bytes(), "a", &SceneOptions::default(), &mut sources);
        let (scene, losses) = read.expect("a scene");
        assert_eq!(scene.materials[0].base_color[..3], [1.0, 0.0, 0.0]);
        assert_eq!(losses.len(), 2, "an unknown statement, and a missing library: {losses:?}");
        assert_eq!(asked, ["a.mtl", "c.mtl"].map(|name| Reference::Beside(name.to_owned())));
    }

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
}

/// The losses of reading a fixture.
mod of_fixtures {
    use crate::{budget, has, shown};
    use rezkit_scene::{Levels, rbxmesh, slmesh};

    fn mesh(file: &str) -> Vec<String> {
        let mesh = ::rbxmesh::from_slice(&testkit::fixture("rbxmesh", file)).expect("a mesh");
        let (_, losses) = rbxmesh::to_scene(&mesh, Levels::All, &mut budget()).expect("a scene");
        shown(&losses)
    }

    /// Its face bones are Jaw and Lips, its bones others.
    #[test]
    fn facial_controls_of_missing_bones() {
        let losses = mesh("v5_00.mesh");
        let wanted = [
            "changed: bones[1]: a name with bytes that are not UTF-8: they become U+FFFD",
            "dropped: facs.face_bones: the movement of face bones that the mesh does not have, such as \"Jaw\" (and \
                 1 more)",
            "dropped: facs.controls: facial controls that move no bone of the mesh, such as \"c_COR\" (and 1 more)",
        ];
        assert_eq!(losses[..3], wanted);
    }

    /// Each face bone and each pose of version 5.00 has a number in each of six matrices.
    #[test]
    fn movements_of_face_bones_that_are_missing_or_infinite() {
        let mut mesh = ::rbxmesh::from_slice(&testkit::fixture("rbxmesh", "v5_00.mesh")).expect("a mesh");
        let name = mesh.bones[0].name.to_string();
        mesh.bones[1].name = "Arm".into();
        let facs = mesh.facs.as_mut().expect("facial animation");
        let names = |names: &[&str]| ::rbxmesh::Names::from_names(names).expect("names");
        let controls = names(&["c_JD", "c_PK"]);
        let moved = |_, _| ([1.0, 0.0, 0.0].into(), [0.0; 3].into());
        *facs = ::rbxmesh::Facs::from_poses(names(&[&name]), controls, vec![], vec![], moved).expect("poses");
        let along_x = &mut facs.transforms.as_mut().expect("transforms").position[0].samples;
        *along_x = ::rbxmesh::Samples::Float(vec![1.0, f32::INFINITY]);
        // The second row has the same bone, and the third has none.
        facs.face_bones = names(&[&name, &name, "Arm"]);
        let (_, losses) = rbxmesh::to_scene(&mesh, Levels::All, &mut budget()).expect("a scene");
        let found: Vec<_> = shown(&losses).into_iter().filter(|loss| loss.contains("facs")).collect();
        let wanted = [
            "dropped: facs.face_bones: the movement of a repeated face bone: only its first entry is used",
            "dropped: facs.transforms: movements of face bones whose numbers are missing, infinite or NaN \
                 (and 2 more)",
            "dropped: facs.controls: facial controls that move no bone of the mesh, such as \"c_PK\"",
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn unknown_parts_of_a_mesh() {
        let losses = mesh("v5_00_format_2.mesh");
        let what = "dropped: layout.facs_unknown: 259 bytes of facial animation in an unknown format";
        assert!(losses.iter().any(|loss| loss == what), "{losses:?}");
        let losses = mesh("v6_00_unknown.mesh");
        has(&losses, "an unsupported or repeated chunk");
    }

    #[test]
    fn values_of_the_simulator() {
        let asset = ::slmesh::from_slice(&testkit::fixture("slmesh", "all.llmesh")).expect("an asset");
        let (_, losses) = slmesh::to_scene(&asset, "a", Levels::All, true, &mut budget()).expect("a scene");
        let data = losses.iter().find(|loss| loss.path == "asset").expect("a loss").to_string();
        for name in ["creator", "date", "physics_havok", "physics_cost_data"] {
            assert!(data.contains(name), "{data}");
        }
    }
}

/// glTF of one triangle in the xy plane, with more members of the document.
fn triangle(node: &str, primitive: &str, more: &str) -> String {
    // Three positions and the normals (0, 0, 127), as floats and as bytes.
    let buffer = "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAB/AAAAfwAAAH8A";
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}],
        "nodes": [{{"mesh": 0{node}}}],
        "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0{primitive}}}}}]}}],
        "accessors": [
            {{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3, "min": [0, 0, 0], "max": [1, 1, 0]}},
            {{"bufferView": 1, "componentType": 5121, "type": "VEC4", "count": 3}}],
        "bufferViews": [{{"buffer": 0, "byteLength": 36}}, {{"buffer": 0, "byteOffset": 36, "byteLength": 12}}],
        "buffers": [{{"byteLength": 48, "uri": "{buffer}"}}]{more}}}"#
    )
}

mod gltf {
    use super::{read, triangle};
    use rezkit_scene::gltf::{GLB, READER};
    use rezkit_scene::{ErrorKind, Loss};

    /// A matrix of a node whose second column is this.
    fn second_column(column: &str) -> (rezkit_scene::Transform, Vec<String>) {
        let matrix = format!(r#", "matrix": [2,0,0,0, {column},0, 0,0,1,0, 5,6,7,1]"#);
        let (scene, losses) = read(&READER, triangle(&matrix, "", "").as_bytes(), &[]).expect("a scene");
        (scene.nodes[0].transform, losses)
    }

    #[test]
    fn a_matrix_with_shear_is_listed_and_one_without_a_direction_is_not() {
        let (transform, losses) = second_column("0,3,0");
        assert_eq!((transform.translation, transform.scale), ([5.0, 6.0, 7.0], [2.0, 3.0, 1.0]));
        assert_eq!(losses, [""; 0]);
        let (_, losses) = second_column("1,3,0");
        let said = "changed: nodes[0].matrix: the shear of the matrix is dropped: only translation, rotation";
        assert!(losses.len() == 1 && losses[0].starts_with(said), "{losses:?}");
        let (flat, losses) = second_column("0,0,0");
        assert_eq!((flat.rotation, flat.scale), ([0.0, 0.0, 0.0, 1.0], [2.0, 0.0, 1.0]));
        assert_eq!(losses, [""; 0]);
    }

    #[test]
    fn hidden_meshes_are_content_of_a_format_that_keeps_them() {
        let hidden = r#", "extensions": {"KHR_node_visibility": {"visible": false}}"#;
        let text = triangle(hidden, "", r#", "extensionsUsed": ["KHR_node_visibility"]"#);
        let (scene, _) = read(&READER, text.as_bytes(), &[]).expect("a scene");
        GLB.check_content(&scene, &[]).expect("content");
        let loss = Loss::new("a", "the reason");
        let error = rezkit_scene::stl::WRITER.check_content(&scene, &[loss]).expect_err("nothing is visible");
        assert_eq!(error.kind(), ErrorKind::Empty);
        assert!(error.reason().contains("the reason"), "{error}");
    }

    #[test]
    fn positions_that_are_not_numbers_are_a_warning() {
        let obj = b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
        let (scene, _) = read(&rezkit_scene::obj::READER, obj, &[]).expect("a scene");
        for writer in [&rezkit_scene::stl::WRITER, &rezkit_scene::ply::WRITER] {
            let losses = writer.write(&scene, "a", 1 << 24).expect("written").losses;
            assert!(losses.iter().any(|loss| loss.kind.label() == "warning"), "{losses:?}");
        }
    }
}

/// Its maps of roughness and metalness are files that do not exist.
#[test]
fn missing_maps_do_not_replace_the_numbers_of_a_material() {
    let text = "3dmodel 1\ny\nMIT\nme\n\n\nVertex\n0 0 0 1\n1 0 0 1\n0 1 0 1\n\nMaterial m\nPr 0.5\nPm 0.25\nmap_Pr a\n\
                map_Pm b\n\nMesh\nuse m\n0 1 2\n\nEnd\n";
    let (scene, losses) = crate::of_model(text);
    let material = &scene.materials[0];
    assert_eq!((material.roughness, material.metallic), (0.5, 0.25));
    assert_eq!(material.metallic_roughness_texture, None);
    assert_eq!(losses.iter().filter(|loss| loss.kind.label() == "missing").count(), 2, "{losses:?}");
    assert!(scene.images.is_empty(), "they would be listed again");
}

#[test]
fn a_second_material_of_an_asset_is_listed() {
    let text = "{\"materials\": [{}, {}]}";
    let value = slmesh::llsd::llsd!({ "data": (text), "type": "GLTF 2.0", "version": "1.1" });
    let asset = rezkit_scene::slmesh::material::Asset::new(&value, &mut rezkit_scene::Budget::new(1 << 20));
    let (_, losses) = asset.expect("an asset").to_scene("a").expect("a scene");
    let what = "dropped: data.materials[1]: a further material: viewers read only the first one";
    assert_eq!(shown(&losses), [what]);
}

/// Errors of decoders without quotes, escapes and fields.
#[test]
fn errors_of_images_are_plain_sentences() {
    let error = |bytes: &[u8]| rezkit_scene::images::decode(bytes, 1 << 20).expect_err("broken").to_string();
    // A marker of JPEG with a length of 0.
    let jpeg = error(b"\xff\xd8\xff\xe0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    assert!(!jpeg.contains('"') && !jpeg.contains("\\n"), "{jpeg}");
    // An IDAT chunk before IHDR.
    let png = error(b"\x89PNG\r\n\x1a\n\0\0\0\0IDAT\x35\xaf\x06\x1e");
    assert!(png.contains("IDAT") && !png.contains('{'), "{png}");
}

/// A prefix of an empty path has no separator at its end.
#[test]
fn a_path_below_nothing() {
    let below = |path: &str| {
        let error = rezkit_scene::Error::new(rezkit_scene::ErrorKind::Limit, "too large").at(path);
        error.below(|path| format!("ball.{path}")).to_string()
    };
    assert_eq!([below(""), below("faces")], ["ball: too large", "ball.faces: too large"]);
    let loss = Loss::new("", "it").below(|path| format!("ball: {path}"));
    assert_eq!(loss.path, "ball");
}

/// Two meshes whose Draco streams, made by hand, have no texture coordinates and no positions.
#[test]
fn fields_that_a_draco_stream_lacks_are_listed() {
    const NO_UV: &str = "76657273696f6e20372e30300a434f52454d455348020000008f0000008b000000445241434f020201000000010301000102\
    01040009030000040903000104020400030202040004000000000000000000000000000000000000803f0000000000000000\
    000000000000803f0000000000000000000000000000803f00000000000000000000803f00000000000000000000803f8080\
    ff008080ff008080ff00ff0000ffff0000ffff0000ff";
    const NO_POSITION: &str = "76657273696f6e20372e30300a434f52454d45534802000000830000007f000000445241434f020201000000010301000102\
    010404090300010309020002040204000302020400040000000000000000000000000000803f00000000000000000000803f\
    00000000000000000000803f00000000000000000000803f00000000000000000000803f8080ff008080ff008080ff00ff00\
    00ffff0000ffff0000ff";
    let scene = |digits: &str| {
        let digits = digits.as_bytes().as_chunks::<2>().0.iter();
        let bytes = digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).expect("ASCII"), 16));
        let bytes: Vec<u8> = bytes.map(|byte| byte.expect("a byte")).collect();
        let mesh = rbxmesh::from_slice(&bytes).expect("a mesh");
        let budget = &mut rezkit_scene::Budget::new(1 << 20);
        rezkit_scene::rbxmesh::to_scene(&mesh, rezkit_scene::Levels::All, budget)
    };
    let losses = shown(&scene(NO_UV).expect("a scene").1);
    let what = "filled in: layout.draco: texture coordinates (0, 0), which the Draco stream does not store";
    assert_eq!(losses, [what]);
    let error = scene(NO_POSITION).expect_err("no positions");
    assert_eq!(error.to_string(), "layout.draco: the Draco stream has no vertex positions");
}
