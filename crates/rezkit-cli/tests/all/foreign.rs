//! OBJ, PLY and STL: content that is read as a scene, and content that is listed or refused.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "tests")]

use crate::Ask as _;
use crate::texts;
use rezkit::scene::{ImageData, Scene, SceneOptions, Wrap, gltf, obj, stl};
use rezkit::{Budget, ConvertOptions, ErrorKind, Loss};

fn read_obj(text: &str, library: Option<&str>) -> (Scene, Vec<Loss>) {
    let mut beside = |name: &str, _: u64| {
        Ok(library.filter(|_| name.ends_with(".mtl")).map(|text| text.as_bytes().to_vec()))
    };
    obj::from_slice(text.as_bytes(), &mut Budget::new(1 << 20), &mut beside).unwrap()
}

/// In OBJ, `l` is a polyline, `p` are points, and `f` is a polygon of at least three vertices.
#[test]
fn points_and_lines_are_no_triangles() {
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n";
    let (scene, losses) =
        read_obj(&format!("{corners}l 1 2 3\np 1 2\nl 3 4\nf 1 2 3 4\nvp 0 1\nf -4//  -3// -2//\n"), None);
    assert_eq!(scene.triangle_count(), 3);
    let wanted = [
        "line 9: \"vp\" statements, which are not converted",
        "line 5: line elements (and 1 more)",
        "line 6: point elements",
    ];
    assert_eq!(texts(&losses), wanted);
    // A line may be continued, and may end with a comment.
    let (scene, losses) = read_obj(&format!("{corners}f 1 2 \\\n 3 4 # a square\n"), None);
    assert_eq!((scene.triangle_count(), losses), (2, vec![]));
}

/// A mesh has a primitive for each material, and separate ones for faces with and without some columns. Faces without a
/// material do not get the previous one.
#[test]
fn faces_with_and_without_columns_and_materials() {
    let text = "v 0 0 0 1 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\no a\nf 1 2 3\nusemtl red\nf 1/1 2/1 3/1\nf 1//1 2//1 3//1\n\
                f 1/1 2 3\nusemtl blue\nf 1 2 3\nusemtl red\nf 1/1 3/1 2/1\ng b\nusemtl (null)\nf 1 2 3\n";
    let (scene, losses) = read_obj(text, None);
    let wanted = [
        "meshes: white for vertices without a colour, in meshes with vertex colours (number of vertices: 12)",
        "materials[0]: no material library defines the material \"red\": default values are used (and 1 more)",
        "line 11: texture coordinates of faces in which not every corner has them",
    ];
    assert_eq!(texts(&losses), wanted);
    let names: Vec<&str> = scene.materials.iter().map(|material| material.name.as_str()).collect();
    assert_eq!(names, ["red", "blue"]);
    let parts = |node: usize| {
        let mesh = &scene.meshes[scene.nodes[node].mesh.unwrap()];
        let part = |part: &rezkit::scene::Primitive| {
            let mesh = &part.mesh;
            (part.material, mesh.uvs.len(), mesh.normals.len(), mesh.triangles.len(), mesh.colors.len())
        };
        mesh.primitives.iter().map(part).collect::<Vec<_>>()
    };
    let wanted = [
        (None, 0, 0, 1, 3),
        (Some(0), 3, 0, 2, 3),
        (Some(0), 0, 3, 1, 3),
        (Some(0), 0, 0, 1, 3),
        (Some(1), 0, 0, 1, 3),
    ];
    assert_eq!(parts(0), wanted);
    assert_eq!(parts(1), [(None, 0, 0, 1, 3)]);
    // The written file has the same meshes.
    let written = obj::to_obj(&scene, "a", &mut Budget::new(1 << 20)).unwrap();
    let (again, losses) = read_obj(&written.obj, written.mtl.as_deref());
    assert_eq!(losses, []);
    assert_eq!(again.meshes, scene.meshes);
}

/// Options of maps set the position and the wrapping of an image. A colour may be one grey value. `Tr`, the older form
/// of opacity, only applies if `d` is missing.
#[test]
fn material_libraries() {
    let library = "newmtl a\nKd 0.5\nTr 0.25\nillum 2\nKs 0 0 0\nmap_Kd -s 2 4 1 -o 0.5 0.25 -clamp on a b.png\nbump -bm 0.5 n.png\n\
                   newmtl b\nd 0.5\nTr 0.9\nKs 1 1 1\nmap_d -mm 0 1 d.png\nmap_Ke -texres 512 e.png\n\
                   newmtl c\nmap_Kd leaf.png\nmap_d leaf.png\n";
    let (scene, losses) =
        read_obj("mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\ns 1\nf 3 2 1\n", Some(library));
    // The alpha of a colour map that is the opacity map, too; it is written again.
    assert_eq!(scene.materials[2].alpha, rezkit::scene::Alpha::Blend);
    let written = obj::to_obj(&scene, "a", &mut Budget::new(1 << 20)).unwrap();
    assert!(written.mtl.unwrap().contains("map_Kd leaf.png\nmap_d leaf.png\n"));
    assert!(!texts(&written.losses).iter().any(|loss| loss.contains("alpha")));
    let wanted = [
        "a.mtl, line 11: \"Ks\" statements, which are not converted",
        "a.mtl, line 12: \"map_d\" statements, which are not converted",
        "materials: texture options other than -clamp, -o, -s and, for bump maps, -bm",
        "line 8: smoothing groups of faces without normals",
    ];
    assert_eq!(texts(&losses), wanted);
    let [a, b, _] = &scene.materials[..] else { panic!("{} materials", scene.materials.len()) };
    assert_eq!((a.base_color, b.base_color), ([0.5, 0.5, 0.5, 0.75], [1.0, 1.0, 1.0, 0.5]));
    let texture = a.base_texture.unwrap();
    assert_eq!(scene.images[texture.image].data, ImageData::Uri("a b.png".into()));
    // v' = 4 v + 0.25 if v points up: 1 - (4 (1 - v) + 0.25) if it points down.
    assert_eq!((texture.transform.scale, texture.transform.offset), ([2.0, 4.0], [0.5, -3.25]));
    assert_eq!((texture.sampler.wrap, a.normal_scale), ([Wrap::Clamp; 2], 0.5));
    // The map, which is missing, does not make the material bright.
    assert_eq!((b.emissive, b.emissive_texture.is_some()), ([0.0; 3], true));
}

/// The binary form of STL may begin with `solid` as the text form does; data other than triangles is listed.
#[test]
fn binary_and_text_stl() {
    let mut binary = b"solid, and yet binary".to_vec();
    binary.resize(80, b' ');
    binary.extend(1_u32.to_le_bytes());
    for number in [0.0_f32, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0] {
        binary.extend(number.to_le_bytes());
    }
    binary.extend([0, 0]);
    let read = |bytes: &[u8]| stl::from_slice(bytes, &mut Budget::new(1 << 20));
    let (scene, losses) = read(&binary).unwrap();
    assert_eq!((scene.triangle_count(), losses), (1, vec![]));
    binary[..5].copy_from_slice(b"other");
    binary[132] = 1;
    binary.push(0);
    let (scene, losses) = read(&binary).unwrap();
    assert_eq!(scene.triangle_count(), 1);
    let wanted = [
        "triangles: attribute bytes of triangles, in which some programs store colours",
        "bytes after the last triangle: 1",
    ];
    assert_eq!(texts(&losses), wanted);
    assert_eq!(
        read(&binary[..100]).unwrap_err().to_string(),
        "the header declares 1 triangle of 50 bytes, but only 16 bytes follow it: the file is incomplete, or is not \
         binary STL (a text STL file begins with \"solid\")"
    );

    let facet = "FACET NORMAL 0 0 1 outer loop vertex 0 0 -0 vertex 1 0 0 vertex 0 1e0 0\nendloop endfacet\n";
    let text = format!("solid one of two\n{facet}{facet}endsolid one of two\nsolid\n{facet}endsolid");
    let (scene, _) = read(text.as_bytes()).unwrap();
    let names: Vec<&str> = scene.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!((names, scene.triangle_count()), (vec!["one of two", ""], 3));
    assert_eq!(scene.meshes[0].primitives[0].mesh.positions.len(), 3);
    let error = read(format!("solid a\n{facet}facet normal 0 0 1\nouter circle").as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "line 5: expected \"loop\", found \"circle\"");
}

/// A file of one mesh fills in what some of the joined meshes lack; Model 3D stores normals per face, so it fills in
/// nothing.
#[test]
fn normals_of_some_meshes() {
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\no a\nf 1//1 2//1 3//1\no b\nf 1 3 2\n";
    let (scene, _) = read_obj(obj, None);
    for (to, filled) in [
        (
            "ply",
            &[
                "meshes: normals (0, 0, 0) of meshes that lack them, since the output has normals for all meshes or for none",
            ][..],
        ),
        ("m3d", &[]),
    ] {
        let written = crate::writer(to).write(&scene, "a", 1 << 20).expect("written");
        let losses = written.losses.iter().filter(|loss| loss.kind == rezkit::LossKind::FilledIn);
        assert_eq!(losses.map(ToString::to_string).collect::<Vec<_>>(), filled, "{to}");
    }
    let model = m3d::from_slice(&crate::writer("m3d").write(&scene, "a", 1 << 20).expect("written").bytes)
        .expect("M3D");
    let normals: Vec<usize> = model.meshes.iter().map(|mesh| mesh.normals.len()).collect();
    assert_eq!(normals, [3, 0]);
}

/// A Second Life mesh is rotated when it becomes a scene, which must not give a flat one a thickness.
#[test]
fn a_flat_mesh_is_flat_in_every_format() {
    let (scene, _) = read_obj("v 0 0.3 0\nv 1 0.3 0\nv 0 0.3 1\nf 1 2 3\n", None);
    for to in ["stl", "llmesh", "m3d"] {
        let written = crate::writer(to).write(&scene, "a", 1 << 20).expect("written");
        let mut opened = crate::open(written.bytes, &format!("a.{to}"));
        let findings = opened.check(&["roblox-upload"], None).expect("a profile");
        let flat = findings.iter().filter(|finding| finding.rule == "roblox-upload.thickness").count();
        assert_eq!(flat, 1, "{to}: {findings:?}");
    }
}

/// A file without triangles is not converted into another format.
#[test]
fn nothing_to_draw_is_refused() {
    let header =
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
    let points = format!("{header}end_header\n0 0 0\n1 0 0\n0 1 0\n");
    // A loss explains why there are no triangles.
    for (name, text, vertices, why) in [
        ("a.ply", points.as_str(), "found 3 vertices, but no triangles", ""),
        ("a.stl", "solid a\nendsolid a\n", "found no triangles", ""),
        (
            "a.obj",
            "v 0 0 0\nv 1 0 0\nl 1 2\n",
            "found no triangles",
            " (also dropped: line 3: line elements)",
        ),
        ("a.a3d", "3dmodel 1\na\n\n\n\n\nEnd\n", "found no triangles", ""),
    ] {
        let opened = crate::open(text, name);
        for target in opened.targets().iter().filter(|target| {
            target.by_scene && !["anim", "bvh", "material", "rbxm", "rbxmx"].contains(&target.name)
        }) {
            let mut opened = crate::open(text, name);
            let output = format!("b.{}", target.extension);
            let error = opened.convert(Some(target.name), &output, &ConvertOptions::new()).unwrap_err();
            let says = format!("nothing to convert: {vertices}{why}");
            assert_eq!(
                (error.kind(), error.to_string()),
                (ErrorKind::Empty, says),
                "{name} to {}",
                target.name
            );
        }
    }
}

/// One mesh with faces with and without normals, texture coordinates and materials.
#[test]
fn a_mesh_with_every_kind_of_corner_becomes_obj() {
    let bytes = testkit::fixture("m3d", "ascii-mesh.a3d");
    let mut opened = crate::open(bytes, "ascii-mesh.a3d");
    let (scene, _) = opened.scene(&SceneOptions::default()).unwrap();
    let output = opened.made("a.obj");
    let text = String::from_utf8(output).unwrap();
    assert_eq!(read_obj(&text, None).0.triangle_count(), scene.triangle_count());
}

/// One node for each level is no hierarchy, and attributes of a Draco stream that no vertex has are listed.
#[test]
fn levels_are_no_hierarchy_and_unknown_attributes_are_lost() {
    let mesh = testkit::fixture("rbxmesh", "v2_00.mesh");
    let targets = [rezkit::upload::LevelTarget::Ratio(0.5)];
    let mut opened = crate::open(mesh, "a.mesh");
    let leveled = opened.lods(&targets, None, "b.mesh", &ConvertOptions::new()).expect("levels");
    assert!(leveled.output.losses.is_empty(), "{:?}", leveled.output.losses);
    let mesh = testkit::fixture("rbxmesh", "v7_00_others.mesh");
    let mut opened = crate::open(mesh, "a.mesh");
    let made = opened.convert(Some("glb"), "a.glb", &ConvertOptions::new()).expect("converted");
    assert!(made.losses.iter().any(|loss| loss.path == "layout.draco"), "{:?}", made.losses);
}

/// Indices are integers, and positions are reals.
#[test]
fn a_list_of_indices_has_integers() {
    let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    let opened = rezkit::ReadOptions::new().open(text.to_vec(), "a.obj", ()).unwrap();
    let mesh = opened.get("scene/meshes/0/primitives/0/mesh").unwrap();
    let json = rezkit::tree::Value::to_json(&mesh);
    assert_eq!(json["triangles"].to_string(), "[[0,1,2]]");
    assert_eq!(json["positions"][1].to_string(), "[1.0,0.0,0.0]");
}

#[test]
fn missing_files_are_findings() {
    let text = b"mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n".to_vec();
    let found = |files: &[(&str, &[u8])]| {
        let sources = |reference: &rezkit::Reference, _: u64| {
            let file = files.iter().find(|(name, _)| *name == reference.to_string());
            Ok(file.map(|file| file.1.to_vec()))
        };
        let mut opened = rezkit::ReadOptions::new().open(text.clone(), "a.obj", sources).unwrap();
        let findings = opened.check(&[], None).unwrap();
        findings.iter().map(|finding| (finding.rule.to_string(), finding.path.clone())).collect::<Vec<_>>()
    };
    let missing = |path: &str| vec![("scene.file-missing".to_owned(), path.to_owned())];
    assert_eq!(found(&[]), missing("a.mtl"));
    let info = crate::open(&text, "a.obj").info();
    let names: Vec<&str> = info.facts.iter().map(|fact| fact.name).collect();
    assert!(names.contains(&"missing") && !names.contains(&"not supported"), "{names:?}");
    let library: (&str, &[u8]) = ("a.mtl", b"newmtl m\nmap_Kd red.png\n");
    assert_eq!(found(&[library]), missing("images[0]"));
    assert_eq!(found(&[library, ("red.png", b"\x89PNG\r\n\x1a\n")]), []);
    let remote: (&str, &[u8]) = ("a.mtl", b"newmtl m\nmap_Kd https://example.com/red.png\n");
    assert_eq!(found(&[remote])[0].0, "scene.not-supported");
}

/// glTF must not begin with a byte order mark, but readers may ignore it.
#[test]
fn gltf_may_begin_with_a_byte_order_mark() {
    let (scene, _) = read_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", None);
    let made = rezkit::scene::gltf::to_gltf(&scene, "a.bin", &mut Budget::new(1 << 20)).unwrap();
    let marked = [b"\xef\xbb\xbf", made.json.as_bytes()].concat();
    let found = rezkit::detect(&marked).unwrap();
    assert_eq!(found.file_type.name, "gltf");
    let buffer = made.buffer;
    let sources = move |_: &rezkit::Reference, _: u64| Ok(Some(buffer.clone()));
    let mut opened = rezkit::open(marked, "a.json", sources).unwrap();
    assert_eq!(opened.scene(&SceneOptions::new()).unwrap().0.triangle_count(), 1);
}

/// A recording that was interrupted has fewer frames than it declares, and may end in the middle of one.
#[test]
fn complete_frames_of_bvh_are_read() {
    let read = |count: &str, frames: &str| {
        let text = format!(
            "HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n}}\nMOTION\n\
             Frames: {count}\nFrame Time: 0.5\n{frames}"
        );
        let (scene, losses) = rezkit::scene::bvh::from_slice(text.as_bytes(), &mut Budget::new(1 << 20))
            .map_err(|e| e.to_string())?;
        let channel = &scene.animations[0].channels[0];
        let rezkit::scene::Values::Translation(places) = &channel.values else { panic!("no places") };
        assert_eq!(channel.times.len(), places.len());
        Ok::<_, String>((places.clone(), texts(&losses)))
    };
    let two = vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let fewer = |count: &str| {
        format!("MOTION: the number of frames (\"Frames:\" declares {count}, but the file has 2)")
    };
    let incomplete = "line 12: an incomplete frame at the end (it has 2 of 3 numbers)".to_owned();
    for (count, frames, losses) in [
        ("2", "1 2 3\n4 5 6\n", vec![]),
        ("3", "1 2 3\n4 5 6\n", vec![fewer("3")]),
        ("1000000000000", "1 2 3\n4 5 6\n", vec![fewer("1000000000000")]),
        ("3", "1 2 3\n4 5 6\n7 8", vec![incomplete.clone(), fewer("3")]),
        ("2", "1 2 3\n4 5 6\n7 8\n", vec![incomplete]),
    ] {
        assert_eq!(read(count, frames), Ok((two.clone(), losses)), "{count} {frames}");
    }
    assert!(read("2", "1 2\n").unwrap_err().contains("expected 3 numbers (one per channel), found 2"));
    assert!(read("2", "").unwrap_err().contains("\"Frames:\" declares 2 frames, but the file has 0"));
}

/// Old programs write names in the encoding of their system. Each file has its own encoding.
#[test]
fn obj_that_is_not_utf8_is_latin_1() {
    let latin =
        |text: &str| text.chars().map(|char| u8::try_from(u32::from(char)).unwrap()).collect::<Vec<_>>();
    let obj_text = "# Stühle\nmtllib Tür.mtl\no Häuser\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl Öl\nf 1 2 3\n";
    let mtl_text = "newmtl Öl\nKd 1 0 0\nmap_Kd Tür.png\n";
    let image = b"\x89PNG\r\n\x1a\n".to_vec();
    let of_obj = "line 2: text that is not UTF-8, which is read as Latin-1";
    let of_mtl = "Tür.mtl, line 1: text that is not UTF-8, which is read as Latin-1";
    let (obj_latin, mtl_latin) = (latin(obj_text), latin(mtl_text));
    let read = |obj_bytes: &[u8], mtl: &[u8]| {
        let mut beside = |name: &str, _: u64| {
            Ok(match name {
                "Tür.mtl" => Some(mtl.to_vec()),
                "Tür.png" => Some(image.clone()),
                _ => None,
            })
        };
        let (scene, losses) = obj::from_slice(obj_bytes, &mut Budget::new(1 << 20), &mut beside).unwrap();
        assert_eq!((&*scene.nodes[0].name, &*scene.materials[0].name), ("Häuser", "Öl"));
        assert_eq!((scene.materials.len(), &*scene.images[0].name), (1, "Tür.png"));
        assert!(matches!(scene.images[0].data, ImageData::Bytes(_)));
        texts(&losses)
    };
    assert_eq!(read(obj_text.as_bytes(), mtl_text.as_bytes()), [""; 0]);
    assert_eq!(read(&obj_latin, &mtl_latin), [of_obj, of_mtl]);
    assert_eq!(read(obj_text.as_bytes(), &mtl_latin), [of_mtl]);
    assert_eq!(read(&obj_latin, mtl_text.as_bytes()), [of_obj]);
    // The bytes of comments do not matter.
    let comment = [b"# St\xfchle\n", obj_text.as_bytes()].concat();
    assert_eq!(read(&comment, mtl_text.as_bytes()), [""; 0]);
}

/// A text is no executable program because of its first letters.
#[test]
fn what_is_no_asset_is_described() {
    for (bytes, expected) in [
        (&b"MZ is a text"[..], "text of an unknown format"),
        (b"MZ\x90\0\x03\0\0\0", "an executable program"),
        (b"GIF8 or not", "text of an unknown format"),
        (b"Solid as a rock", "text of an unknown format"),
        (
            b"# cube\nv 0 0 1\nv 0 1 0\nf 1 2 2\n",
            "text of an unknown format; if it is OBJ, use `--from obj` (library option: `form`)",
        ),
        (
            &[&[0xff; 80][..], &[1, 0, 0, 0], &[0xff; 50]].concat(),
            "an STL model, recognized only by the extension .stl; use `--from stl` (library option: `form`)",
        ),
        (&[&[0xff; 80][..], &[2, 0, 0, 0], &[0xff; 50]].concat(), "data of an unknown format"),
        (b"\xff\xfe\0\0a\0\0\0", "text in UTF-32; convert it to UTF-8"),
        (b"\0\0\xfe\xff\0\0\0a", "text in UTF-32; convert it to UTF-8"),
        (b"\xff\xfea\0", "text in UTF-16; convert it to UTF-8"),
        (b"\xef\xbb\xbf{\"a\":1}", "JSON, perhaps a server's error message"),
        (b"\xef\xbb\xbf<html>", "an HTML page"),
        (b"PLY\nformat ascii 1.0\n", "a PLY model whose first line is not exactly `ply`; correct this line"),
    ] {
        let error = rezkit::ReadOptions::new().open(bytes.to_vec(), "a.bin", ()).unwrap_err().to_string();
        assert!(error.contains(&format!("not a supported asset: {expected}")), "{error}");
    }
    for (bytes, what) in [
        (&b""[..], "empty"),
        (b"\n <!DOCTYPE html><html>", "HTML"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "git lfs pull"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b"{\"errors\":[{\"code\":0}]}", "JSON"),
        (b"{'a':what}", "neither JSON nor LLSD notation"),
        (b"<?xml version=\"1.0\"?><COLLADA/>", "Collada"),
        (b"\x80\x81\x82", "data of an unknown format"),
        (b"\0\0\0\0", "only zero bytes"),
        (b"PK\x05\x06\0\0\0\0", "an empty ZIP archive"),
    ] {
        let found = rezkit::not_an_asset(bytes, u64::MAX).unwrap().found;
        assert!(found.contains(what), "{bytes:?}: {found}");
    }
    // A pointer of Git LFS has the extension of the file that it replaces.
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
    for name in ["a.obj", "a.stl", "a.ply", "a.glb", "a.rbxm", "a.mesh"] {
        let error = rezkit::open(pointer.to_vec(), name, ()).expect_err(name);
        assert!(error.to_string().contains("git lfs pull"), "{name}: {error}");
    }
    // As the message advises.
    let json = b"\xef\xbb\xbf{\"a\":1}".to_vec();
    let opened = rezkit::ReadOptions::new().form("json").open(json, "a.bin", ()).unwrap();
    assert_eq!(opened.get("a").unwrap().to_json(), 1);
    // What is both JSON and notation without a header is notation in a file with that name.
    let mut opened = rezkit::open(b"[1,0]".to_vec(), "a.llsd", ()).unwrap();
    assert_eq!(opened.get("0").unwrap().to_json(), true);
    assert!(rezkit::open(b"[2,0]".to_vec(), "a.llsd", ()).is_err());
    assert!(opened.set("0", "1e309", Some("real")).is_err());
    opened.set("0", "-inf", Some("real")).unwrap();
}

/// A scene without a file is converted like a file that was read as one.
#[test]
fn a_scene_in_memory_is_converted() {
    let (scene, _) = read_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", None);
    for to in ["glb", "obj", "m3d", "mesh", "llmesh"] {
        let mut opened = rezkit::ReadOptions::new().open_scene(scene.clone(), "model").unwrap();
        let made = opened.convert(Some(to), &format!("model.{to}"), &ConvertOptions::new()).unwrap();
        let mut again = crate::open(&made.files[0].bytes, &format!("model.{to}"));
        assert_eq!(again.scene(&SceneOptions::new()).unwrap().0.triangle_count(), 1, "{to}");
    }
    let mut wrong = scene;
    wrong.roots.push(9);
    assert_eq!(
        rezkit::ReadOptions::new().open_scene(wrong, "model").unwrap_err().kind(),
        ErrorKind::Unwritable
    );
}

/// Exporters of Windows write `\\` between folders.
#[test]
fn paths_of_windows_are_found() {
    let folder = crate::run::Folder::new(&[
        (
            "a.obj",
            &b"mtllib .\\lib\\a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl red\nf 1/1 2/1 3/1\n"[..],
        ),
        ("lib/a.mtl", &b"newmtl red\nmap_Kd lib\\red.png\n"[..]),
    ]);
    let picture = rezkit::scene::images::Picture::from_fn(2, 2, |_, _| [255, 0, 0, 255]);
    folder.write("lib/red.png", rezkit::scene::images::png(&picture).expect("PNG"));
    let ran = folder.run("convert a.obj a.glb");
    assert!(ran.status == Some(0) && !ran.err.contains("missing"), "{ran:?}");
    let (scene, _) = crate::from_gltf(&folder.read("a.glb")).expect("GLB");
    assert!(scene.materials[0].base_texture.is_some());
}

/// Paths of the computer on which a file was made lead to nothing on another one.
#[test]
fn files_beside_the_model_are_found_by_name() {
    let obj = b"mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl red\nf 1/1 2/1 3/1\n";
    let picture = rezkit::scene::images::Picture::from_fn(2, 2, |_, _| [255, 0, 0, 255]);
    for path in ["C:\\Users\\me\\red.png", "/srv/me/red.png", "textures\\red.png", "../red.png"] {
        let folder = crate::run::Folder::new(&[("a.obj", &obj[..])]);
        folder.write("a.mtl", format!("newmtl red\nmap_Kd {path}\n"));
        folder.write("red.png", rezkit::scene::images::png(&picture).expect("PNG"));
        let ran = folder.run("convert a.obj a.glb");
        let assumed = "the file is not at this path: red.png, which is beside the model, is used";
        assert!(
            ran.status == Some(0) && ran.err.contains(assumed) && !ran.err.contains("missing"),
            "{ran:?}"
        );
        let (scene, _) = crate::from_gltf(&folder.read("a.glb")).expect("GLB");
        assert!(scene.materials[0].base_texture.is_some());
    }
}

/// Blender 2.47 wrote a comment without the word, and the first glTF had its version as a number, and another container.
#[test]
fn old_files_are_read_or_named() {
    let ply = b"ply\nformat ascii 1.0\nCreated by Blender3D 247\nelement vertex 3\nproperty float x\nproperty float y\n\
        property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    let (scene, losses) = rezkit::scene::ply::from_slice(ply, &mut Budget::new(1 << 20)).unwrap();
    assert_eq!(scene.triangle_count(), 1);
    assert_eq!(texts(&losses), ["lines of the header with an unknown keyword"]);
    let old: [&[u8]; 3] = [
        br#"{"asset":{"version":1},"accessors":{},"meshes":{}}"#,
        br#"{"asset":{"version":"1.0.2"},"accessors":{}}"#,
        b"glTF\x01\0\0\0\x18\0\0\0\x04\0\0\0\0\0\0\0{}  ",
    ];
    for bytes in old {
        let error = gltf::from_slice(bytes, &mut Budget::new(1 << 20), &mut |_, _| Ok(None)).unwrap_err();
        assert!(error.to_string().contains("is not supported: convert the file to 2.0"), "{error}");
    }
}
