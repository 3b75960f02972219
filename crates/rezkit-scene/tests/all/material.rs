//! Materials in the form in which Second Life stores them.

use rezkit_scene::slmesh::material::detect;
use rezkit_scene::slmesh::{material_from_asset, material_to_asset};
use rezkit_scene::{Alpha, Material, Texture, UvTransform};
use serde_json::{Value, json};
use slmesh::llsd;

#[test]
fn there_and_back() {
    let mut texture = Texture::new(1);
    texture.transform = UvTransform { offset: [0.25, 0.5], rotation: 0.5, scale: [2.0, 3.0] };
    let material = Material {
        name: "Oak".into(),
        base_color: [0.5, 0.25, 1.0, 0.75],
        metallic: 0.5,
        roughness: 0.25,
        emissive: [0.5, 0.0, 1.0],
        alpha: Alpha::Mask(0.25),
        double_sided: true,
        base_texture: Some(texture),
        normal_texture: Some(Texture::new(0)),
        ..Material::default()
    };
    let ids = ["0a32a9bb-6ac6-2b14-8c4f-000000000001", "0a32a9bb-6ac6-2b14-8c4f-000000000002"];
    let (bytes, losses) = material_to_asset(&material, &|image| Some(ids[image].to_owned())).expect("finite");
    assert!(losses.is_empty() && bytes.starts_with(b"<?llsd/binary?>\n"));
    // In the form that the viewer reads: a map with three texts, one of them glTF.
    let value = llsd::from_slice(&bytes).expect("LLSD");
    assert_eq!(value["version"].as_str(), Some("1.1"));
    let json: Value = serde_json::from_str(&value["data"].to_text().to_string()).expect("JSON");
    let base = &json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"];
    assert_eq!(base["extensions"]["KHR_texture_transform"]["scale"], json!([2.0, 3.0]));
    let index = base["index"].as_u64().and_then(|index| usize::try_from(index).ok()).expect("an index");
    assert_eq!(json["images"][index]["uri"], ids[1]);
    let (back, found) = material_from_asset(&bytes).expect("an asset");
    assert_eq!(found, [ids[1], ids[0]]);
    // Images are numbered in the order of their first use.
    texture.image = 0;
    let expected =
        Material { base_texture: Some(texture), normal_texture: Some(Texture::new(1)), ..material.clone() };
    assert_eq!(back, expected);
    assert!(detect(&bytes));
    let (_, losses) = material_to_asset(&material, &|_| None).expect("finite");
    assert_eq!(losses.len(), 2);
    assert!(material_from_asset(b"<?llsd/binary?>\n{\0\0\0\0}").is_err());
}
