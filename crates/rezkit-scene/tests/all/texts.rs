//! Text formats of geometry: limits of memory, byte order marks, and values that are repeated or out of range.

use rezkit_scene::{ErrorKind, Reference, Scene, SceneOptions, SceneReader, bvh, obj, ply, stl};

/// Reads a file within a limit, beside which there are two material libraries, one with a byte order mark.
fn read(reader: &SceneReader, text: &[u8], max_bytes: u64) -> rezkit_scene::Result<(Scene, Vec<String>)> {
    let mut sources = |reference: &Reference, _: u64| {
        let text = match reference {
            Reference::Beside(name) if name == "m.mtl" => {
                Some("\u{feff}newmtl a\nKd 1 0 0\nNi 0.5\nmap_Kd -bm 3 x.png\n")
            }
            Reference::Beside(name) if name == "bumps.mtl" => {
                Some("newmtl a\nmap_Bump x.png\nnorm y.png\nbump z.png\nnorm y.png\n")
            }
            _ => None,
        };
        Ok(text.map(Into::into))
    };
    let options = SceneOptions::new().max_bytes(max_bytes);
    let (scene, losses) = reader.read("a format", text, "a", &options, &mut sources)?;
    Ok((scene, crate::shown(&losses)))
}

fn scene(reader: &SceneReader, text: &str) -> (Scene, Vec<String>) {
    read(reader, text.as_bytes(), 1 << 20).expect("a scene")
}

fn error(reader: &SceneReader, text: &str) -> String {
    read(reader, text.as_bytes(), 1 << 20).expect_err("refused").to_string()
}

const JOINT: &str = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n";
const MOTION: &str = "}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0\n10\n";

#[test]
fn words_of_long_lines_count_against_the_limit() {
    let bvh = JOINT.replace(" a", &" a".repeat(100_000)) + MOTION;
    assert_eq!(read(&bvh::READER, bvh.as_bytes(), 500_000).expect_err("many").kind(), ErrorKind::Limit);
    let face = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    let long = format!("mtllib {}x.mtl\n{face}", "a/".repeat(100_000));
    let (_, losses) = read(&obj::READER, long.as_bytes(), 100_000).expect("a scene");
    assert_eq!(losses.len(), 1, "{losses:?}");
    assert!(losses[0].ends_with(": a material library whose name has more than 4096 bytes"), "{losses:?}");
    let many = format!("mtllib{}\n{face}", " a.mtl".repeat(100_000));
    let (_, losses) = read(&obj::READER, many.as_bytes(), 100_000).expect("a scene");
    assert_eq!(losses, ["missing: a.mtl: the material library was not found"]);
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_statement() {
    let text = "\u{feff}v 9 9 9\nmtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 2 3 4\n";
    let (made, losses) = scene(&obj::READER, text);
    assert_eq!(made.bounds().expect("points").max.to_array(), [1.0, 1.0, 0.0]);
    assert_eq!(made.materials[0].base_color, [1.0, 0.0, 0.0, 1.0]);
    let expected = [
        "missing: images[0]: the image x.png was not found",
        "dropped: m.mtl, line 3: \"Ni\" statements with values that cannot be used",
        "dropped: materials: texture options other than -clamp, -o, -s and, for bump maps, -bm",
    ];
    assert_eq!(losses.len(), 2, "{losses:?}");
    assert!(expected[1..].iter().all(|loss| losses.contains(&(*loss).to_owned())), "{losses:?}");
    let facet =
        "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement \
               face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    for (reader, text) in
        [(&stl::READER, format!("solid a\n{facet}endsolid a\n")), (&ply::READER, ply.to_owned())]
    {
        let (made, losses) = scene(reader, &format!("\u{feff}{text}"));
        assert_eq!((made.triangle_count(), losses), (1, Vec::new()), "{text}");
    }
    assert!(ply::detect("\u{feff}ply\n".as_bytes()));
}

#[test]
fn a_material_of_obj_has_one_normal_map() {
    let text = "mtllib bumps.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\n";
    let (made, losses) = scene(&obj::READER, text);
    let image = made.materials[0].normal_texture.map(|texture| made.images[texture.image].name.as_str());
    assert_eq!(image, Some("y.png"));
    let what = "dropped: bumps.mtl, line 3: a second bump or normal map of a material: that of a `norm` statement is \
             used, otherwise the first (and 1 more)";
    assert_eq!(losses, [what]);
}

#[test]
fn binary_stl_that_begins_with_solid_can_have_more_bytes() {
    let mut bytes = b"solid".to_vec();
    bytes.resize(80, b' ');
    bytes.extend(1_u32.to_le_bytes());
    for number in [0.0_f32, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend([0, 0, 7, 7]);
    let (made, losses) = read(&stl::READER, &bytes, 1 << 20).expect("binary STL");
    assert_eq!(
        (made.triangle_count(), losses),
        (1, vec!["dropped: bytes after the last triangle: 2".to_owned()])
    );
}

#[test]
fn end_sites_of_bvh_are_no_joints() {
    let (made, _) = scene(&bvh::READER, &format!("{JOINT}End Site\n{{\nOFFSET 0 2 0\n}}\n{MOTION}"));
    assert_eq!(made.nodes.len(), 1);
}

/// A header of a PLY file with a vertex.
fn vertex(properties: &str, values: &str) -> String {
    let properties = properties.replace(", ", "\nproperty ");
    format!("ply\nformat ascii 1.0\nelement vertex 1\nproperty {properties}\nend_header\n{values}\n")
}

#[test]
fn repeated_properties_of_ply_are_listed() {
    let text =
        vertex("float x, float y, float z, float x, float s, float t, float u, float v", "1 2 3 4 5 6 7 8");
    let (made, losses) = scene(&ply::READER, &text);
    let mesh = &made.meshes[0].primitives[0].mesh;
    assert_eq!((mesh.positions[0].to_array(), mesh.uvs[0].to_array()), ([1.0, 2.0, 3.0], [5.0, -5.0]));
    let expected =
        ["x", "u", "v"].map(|name| format!("dropped: vertex.{name}: an unsupported or repeated property"));
    assert_eq!(losses, expected);
}

#[test]
fn colours_out_of_range_are_listed() {
    let colors = |kind: &str, values: &str| {
        let properties = ["red", "green", "blue"].map(|name| format!(", {kind} {name}")).concat();
        let text = vertex(&format!("float x, float y, float z{properties}"), &format!("0 0 0 {values}"));
        let (made, losses) = scene(&ply::READER, &text);
        (made.meshes[0].primitives[0].mesh.colors[0].to_srgb().to_array(), losses)
    };
    let clamped = |path: &str| {
        format!("changed: {path}: colours with a component outside the valid range, which was clamped")
    };
    assert_eq!(colors("float", "255 128 0"), ([255, 255, 0, 255], vec![clamped("vertex")]));
    assert_eq!(colors("uchar", "300 0 0"), ([255, 0, 0, 255], vec![clamped("vertex")]));
    assert_eq!(colors("short", "255 128 0"), ([255, 128, 0, 255], Vec::new()));
}

#[test]
fn names_of_obj_without_faces_are_listed() {
    let text = "o A\ng B\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\ng default\no C\ng C\nf 1 2 3\n";
    let (made, losses) = scene(&obj::READER, text);
    let names: Vec<_> = made.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["B", "C"]);
    assert_eq!(losses, ["dropped: line 1: names of objects and groups without faces"]);
}

#[test]
fn lines_of_obj_have_their_numbers_after_a_continued_line() {
    let found = error(&obj::READER, "v 0 0 \\\n 0\nv 1 0 \\\r\n 0\nv 0 1 0\nf 1 2 9\n");
    assert!(found.contains("line 6: index 9 is out of range"), "{found}");
}
