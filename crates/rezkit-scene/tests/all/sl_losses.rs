//! What converting assets of Second Life to scenes drops, changes or fills in is listed.

use rezkit_scene::slmesh::{material, to_scene};
use rezkit_scene::{Budget, Levels, Scene};
use slmesh::{Asset, llsd};

fn asset(change: impl FnOnce(&mut Asset)) -> Asset {
    let mut asset = slmesh::from_slice(&testkit::fixture("slmesh", "all.llmesh")).expect("an asset");
    change(&mut asset);
    asset
}

fn converted(asset: &Asset) -> (Scene, Vec<String>) {
    let made = to_scene(asset, "a", Levels::Finest, false, &mut Budget::new(1 << 24)).expect("a scene");
    (made.0, crate::shown(&made.1))
}

#[test]
fn matrices_of_joints_are_listed() {
    let (_, before) = converted(&asset(|_| ()));
    let new = |change: &dyn Fn(&mut Asset)| {
        let (_, mut losses) = converted(&asset(change));
        losses.retain(|loss| !before.contains(loss));
        losses
    };
    let skin = |asset: &mut Asset| asset.skin.take().expect("a skin");
    let joints = skin(&mut asset(|_| ())).joint_names.len();
    let none = new(&|asset| {
        asset.skin.as_mut().expect("a skin").inverse_bind_matrices.clear();
    });
    let more = if joints == 1 { String::new() } else { format!(" (and {} more)", joints - 1) };
    let path = "skin.inverse_bind_matrix";
    assert_eq!(none, [format!("filled in: {path}: the identity for joints without a matrix{more}")]);
    let surplus = new(&|asset| {
        let matrices = &mut asset.skin.as_mut().expect("a skin").inverse_bind_matrices;
        matrices.resize(joints + 1, [0.0; 16]);
    });
    assert_eq!(surplus, [format!("dropped: {path}: matrices after that of the last joint")]);
    let sheared = new(&|asset| {
        let matrix = &mut asset.skin.as_mut().expect("a skin").inverse_bind_matrices[0];
        matrix[1] += 0.5;
    });
    let said = format!("changed: {path}: the shear of the joint at rest is dropped");
    assert!(sheared[0].starts_with(&said), "{sheared:?}");
    let domains = new(&|asset| {
        let face = &mut asset.high_lod.as_mut().expect("a level").submeshes[0];
        (face.position_domain, face.tex_coord0_domain) = (None, None);
    });
    assert!(domains[0].ends_with("-0.5 to 0.5, because the range of positions is missing"), "{domains:?}");
    let trailing = new(&|asset| asset.layout.trailing = vec![0]);
    assert!(trailing[0].contains("bytes outside of the blocks"), "{trailing:?}");
}

/// The viewer's skeleton names `hip` as an alias of mPelvis, and `abdomen` of its child mTorso.
#[test]
fn joints_with_aliases_have_parents() {
    let (scene, _) = converted(&asset(|asset| {
        let skin = asset.skin.as_mut().expect("a skin");
        skin.joint_names = ["hip", "abdomen", "chest"].map(Into::into).to_vec();
        skin.inverse_bind_matrices.resize(3, skin.bind_shape_matrix.expect("a matrix"));
    }));
    let node = |name: &str| scene.nodes.iter().position(|node| node.name == name).expect("a joint");
    assert_eq!(scene.nodes[node("hip")].children, [node("abdomen")]);
    assert_eq!(scene.nodes[node("abdomen")].children, [node("chest")]);
}

#[test]
fn properties_of_materials_that_are_not_read_are_listed() {
    let losses = |material: &str| {
        let text = format!(
            r#"{{"materials": [{material}], "images": [{{"uri": "a"}}], "textures": [{{"source": 0, "sampler": 0}}]}}"#
        );
        let value = llsd::llsd!({ "data": (text), "type": "GLTF 2.0", "version": "1.1" });
        let asset = material::Asset::new(&value, &mut Budget::new(1 << 20)).expect("an asset");
        let (_, losses) = asset.to_scene("a").expect("a scene");
        crate::shown(&losses)
    };
    let at = "data.materials[0]";
    for (material, expected) in [
        (
            r#"{"normalTexture": {"index": 9}}"#,
            format!("dropped: {at}.normalTexture: a texture that refers to no image with a URI"),
        ),
        (
            r#"{"extras": {"a": 1}, "extensions": {}}"#,
            format!("dropped: {at}.extensions: a property that is not read (and 1 more)"),
        ),
        (
            r#"{"alphaMode": "FOO"}"#,
            format!(
                "filled in: {at}.alphaMode: expected OPAQUE, MASK or BLEND, found \"FOO\": defaults replace missing \
                 or malformed values"
            ),
        ),
        (
            r#"{"emissiveFactor": [1, 2]}"#,
            format!(
                "filled in: {at}.emissiveFactor: expected 3 numbers, found [1,2]: defaults replace missing or \
                 malformed values"
            ),
        ),
    ] {
        assert_eq!(losses(material), [expected], "{material}");
    }
    let found = losses(r#"{"normalTexture": {"index": 0, "scale": 0.5, "texCoord": 1}}"#);
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(losses(r#"{"name": "a", "alphaMode": "MASK", "alphaCutoff": 0.5}"#), [""; 0]);
}
