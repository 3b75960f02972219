//! What converting a model to a scene drops, changes or fills in is listed.

use rezkit_scene::{Budget, Loss, Scene, m3d};

const VERTICES: &str = "Vertex\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n0 0 0 1 -2\n";

fn shown(loss: &Loss) -> String {
    format!("{}: {loss}", loss.kind.label())
}

/// The scene of a text with a scale, vertices and sections.
fn scene_of(scale: &str, vertices: &str, sections: &str) -> (Scene, Vec<String>) {
    let text = format!("3dmodel {scale}\nn\nMIT\nme\n\n\n{vertices}\n{sections}\nEnd\n");
    let model = ::m3d::from_str(&text).expect("a model");
    let (scene, losses) =
        m3d::to_scene(&model, &mut Budget::new(1 << 24), &mut |_, _| Ok(None)).expect("a scene");
    (scene, losses.iter().map(shown).collect())
}

fn losses(sections: &str) -> Vec<String> {
    scene_of("1", VERTICES, sections).1
}

fn material(properties: &str) -> (Scene, Vec<String>) {
    scene_of("1", VERTICES, &format!("Material m\n{properties}\n\nMesh\nuse m\n0 1 2\n"))
}

#[test]
fn what_triangles_lack_is_listed() {
    for (sections, expected) in [
        ("Mesh\n0 1\n0\n0 1 2\n", "dropped: meshes[0]: polygons of one or two corners (and 1 more)"),
        ("Mesh\n0 1 9\n0 1 2\n", "dropped: meshes[0]: polygons with a vertex that does not exist"),
        (
            "Mesh\n0//9 1//9 2//9\n",
            "dropped: meshes[0]: references to normals that do not exist (and 2 more)",
        ),
        (
            "Mesh\n0/9 1/9 2/9\n",
            "dropped: meshes[0]: references to texture coordinates that do not exist (and 2 more)",
        ),
        (
            "Textmap\n0 0\n\nMesh\n0/0 1 2\n",
            "filled in: meshes: the texture coordinates 0, 0 for corners without any (and 1 more)",
        ),
        ("Mesh\n0//3 1 2\n", "filled in: meshes: the normal 0, 0, 0 for corners without one (and 1 more)"),
        (
            "Mesh\n0///1 1///1 2///1\n",
            "dropped: meshes[0]: maximum vertices (a parameter moves each corner towards its maximum vertex) \
             (and 2 more)",
        ),
        ("Mesh\npar foo\n0 1 2\n", "dropped: meshes[0]: parameters of polygons"),
        (
            "Mesh\nuse q\n0 1 2\n",
            "dropped: meshes: the name of a material that the model does not define, such as \"q\"",
        ),
        (
            "Mesh\n0 1 2\n\nLabels l\nlang en_US\n0 hello\n9 far\n",
            "filled in: labels: the position 0, 0, 0 for labels whose position refers to no existing vertex",
        ),
        (
            "Bones\n0 4 root\n/9 4 a\n\nMesh\n0 1 2\n",
            "filled in: bones: the position 0, 0, 0 for bones whose position refers to no existing vertex",
        ),
        (
            "Preview\nx.png\n\nMesh\n0 1 2\n",
            "dropped: layout.text.previews[0]: the reference to the preview file \"x.png\" at line 14",
        ),
    ] {
        assert_eq!(losses(sections), [expected], "{sections}");
    }
    assert_eq!(losses("Mesh\n0 1 2\n"), [""; 0]);
    let colors = "Vertex\n0 0 0 1 #ff0000ff\n1 0 0 1\n0 1 0 1\n";
    let (_, losses) = scene_of("1", colors, "Mesh\n0 1 2\n");
    assert_eq!(losses, ["filled in: meshes: white for vertices without a colour (and 1 more)"]);
    let (_, losses) = scene_of("-2", VERTICES, "Mesh\n0 1 2\n");
    assert_eq!(losses, ["changed: scale: a scale of -2, which is not positive and finite: 1 is used"]);
}

#[test]
fn properties_without_an_effect_are_listed() {
    for (properties, expected) in [
        ("Tf #ff102030", "Tf: the transmission, since the illumination model (il) is not 4, 6, 7 or 9"),
        ("Tf #ff102030\nil 4", "Tf: the tint of the transmission: the mean of red, green and blue is kept"),
        ("Ni 0.5", "Ni: an index of refraction that is NaN or below 1: the default, 1.5, is used"),
        ("d -3", "d: an opacity outside the range from 0 to 1: the nearest value is used"),
        ("d nan", "d: an opacity that is NaN: 1 is used"),
        (
            "Ns 10\nPr 0.3",
            "Ns: the specular exponent, since the material has physically based properties, such as a roughness",
        ),
        ("Kd #ff0000ff\nKd #ff00ff00", "Kd: a repeated property: the first value is used"),
        ("map_Km a\nmap_N b", "map_Km: the bump map of a material with a normal map"),
        ("Ke #80ff0000", "Ke: the alpha of the emissive colour"),
    ] {
        let (_, losses) = material(properties);
        let expected = format!("dropped: materials[0].{expected}");
        assert!(losses.contains(&expected), "{properties}: {losses:?}");
    }
    assert_eq!(material("Kd #ff0000ff\nNs 10\nd 0.5").1, [""; 0]);
    assert_eq!(material("Kd #ff0000ff\nd nan").0.materials[0].base_color[3].to_bits(), 1.0_f32.to_bits());
}

/// A map whose file is missing does not replace the number.
#[test]
fn a_missing_map_does_not_change_the_colour() {
    let (scene, _) = material("Kd #ff0000ff\nmap_Kd a\nmap_Ke b");
    let made = &scene.materials[0];
    // The order of the bytes is alpha, blue, green, red.
    assert_eq!((made.base_color, made.emissive), ([1.0, 0.0, 0.0, 1.0], [0.0; 3]));
    assert!(made.base_texture.is_some() && made.emissive_texture.is_some());
}

/// A property of a few bytes becomes a loss and an extra.
#[test]
fn losses_of_materials_count_against_the_limit() {
    let text =
        format!("3dmodel 1\nn\nMIT\nme\n\n\n{VERTICES}\nMaterial m\n{}\nEnd\n", "Pr 1\n".repeat(10_000));
    let model = ::m3d::from_str(&text).expect("a model");
    let error =
        m3d::to_scene(&model, &mut Budget::new(1 << 20), &mut |_, _| Ok(None)).expect_err("too large");
    assert_eq!(error.kind(), rezkit_scene::ErrorKind::Limit);
}

#[test]
fn the_author_in_extras_is_not_lost() {
    let (scene, _) = scene_of("1", VERTICES, "Mesh\n0 1 2\n");
    assert!(scene.extras.contains_key("author"));
    let made = m3d::A3D.write(&scene, "a", 1 << 24).expect("written");
    let is_extras = |loss: &&Loss| loss.what.contains("extras");
    assert_eq!(made.losses.iter().filter(is_extras).count(), 0, "{:?}", made.losses);
}
