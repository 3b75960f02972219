//! Materials and extras of Model 3D as a scene. What is lost is listed in `crates/rezkit-cli/tests/cmd/losses.trycmd`.

use rezkit_scene::{Budget, Loss, Scene, m3d};

const VERTICES: &str = "Vertex\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n0 0 0 1 -2\n";

/// The scene of a text with these sections.
fn scene_of(sections: &str) -> Scene {
    let text = format!("3dmodel 1\nn\nMIT\nme\n\n\n{VERTICES}\n{sections}\nEnd\n");
    crate::of_model(&text).0
}

fn material(properties: &str) -> Scene {
    scene_of(&format!("Material m\n{properties}\n\nMesh\nuse m\n0 1 2\n"))
}

/// A map whose file is missing does not replace the number.
#[test]
fn a_missing_map_does_not_change_the_colour() {
    let scene = material("Kd #ff0000ff\nmap_Kd a\nmap_Ke b");
    let made = &scene.materials[0];
    // The order of the bytes is alpha, blue, green, red.
    assert_eq!((made.base_color, made.emissive), ([1.0, 0.0, 0.0, 1.0], [0.0; 3]));
    assert!(made.base_texture.is_some() && made.emissive_texture.is_some());
}

#[test]
fn an_opacity_that_is_no_number_is_one() {
    assert_eq!(material("Kd #ff0000ff\nd nan").materials[0].base_color[3].to_bits(), 1.0_f32.to_bits());
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
    let scene = scene_of("Mesh\n0 1 2\n");
    assert!(scene.extras.contains_key("author"));
    let made = m3d::A3D.write(&scene, "a", 1 << 24).expect("written");
    let is_extras = |loss: &&Loss| loss.what.contains("extras");
    assert_eq!(made.losses.iter().filter(is_extras).count(), 0, "{:?}", made.losses);
}

/// The colour of a material takes precedence over those of vertices; one colour for all of them is none.
#[test]
fn colours_of_vertices_that_a_material_replaces_are_listed() {
    for (second, listed) in [("#ff00ff00", true), ("#ff0000ff", false)] {
        let vertices = format!("Vertex\n0 0 0 1 #ff0000ff\n1 0 0 1 {second}\n0 1 0 1 #ff0000ff\n");
        let material = "Material m\nKd #ff0000ff\n\nMesh\nuse m\n0 1 2\n";
        let text = format!("3dmodel 1\nn\nMIT\nme\n\n\n{vertices}\n{material}\nEnd\n");
        let model = ::m3d::from_str(&text).expect("a model");
        let (scene, losses) =
            m3d::to_scene(&model, &mut Budget::new(1 << 24), &mut |_, _| Ok(None)).expect("a scene");
        assert!(scene.meshes[0].primitives[0].mesh.colors.is_empty());
        assert_eq!(losses.iter().any(|loss| loss.what.contains("vertex colours")), listed, "{losses:?}");
    }
}
