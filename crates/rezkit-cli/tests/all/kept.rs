//! Data that glTF cannot express is stored in extras: nothing of it is lost through GLB and back.
use crate::Ask as _;

/// The bytes after a conversion to GLB and back.
fn through_glb(bytes: Vec<u8>, name: &str, back: &str) -> Vec<u8> {
    crate::open(crate::open(bytes, name).made("out.glb"), "out.glb").made(&format!("out.{back}"))
}

#[test]
fn author_license_and_description_of_models() {
    let text = "3dmodel 1\nBall\nMIT\nSomebody <a@b.c>\nA ball, round.\n\nVertex\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 -1\n\nMesh\n0//3 1//3 2//3\n\nEnd\n";
    let model = m3d::from_str(text).expect("a model");
    assert_eq!(
        (model.license.to_string(), model.author.to_string()),
        ("MIT".into(), "Somebody <a@b.c>".into())
    );
    let bytes = m3d::to_vec(&model).expect("written");
    let back = m3d::from_slice(&through_glb(bytes, "ball.m3d", "m3d")).expect("a model");
    assert_eq!(
        (&back.name, &back.license, &back.author, &back.description),
        (&model.name, &model.license, &model.author, &model.description)
    );
}

#[test]
fn priorities_of_joints_and_constraints_of_motions() {
    use slmesh::motion::{Constraint, Joint, Key, Motion};
    let mut motion = Motion::new(2.0);
    motion.priority = 3;
    for (name, priority) in [("mHead", 5), ("mPelvis", -1), ("mElbowLeft", 0)] {
        let mut joint = Joint::new(name);
        joint.priority = priority;
        joint.rotations = [(0.0, 0.0), (1.0, 0.6_f32)]
            .map(|(part, x)| Key::of_rotation(part, [x, 0.0, 0.0, (1.0 - x * x).sqrt()]))
            .into();
        motion.joints.push(joint);
    }
    let mut constraint = Constraint::default();
    constraint.chain_length = 2;
    constraint.kind = 1;
    constraint.source = *b"L_FOOT\0\0\0\0\0\0\0\0\0\0";
    constraint.target = *b"GROUND\0\0\0\0\0\0\0\0\0\0";
    constraint.target_direction = [0.0, 0.0, 1.0];
    constraint.ease_in_stop = 0.1;
    motion.constraints.push(constraint);
    let bytes = slmesh::motion::to_vec(&motion).expect("written");
    let back = slmesh::motion::from_slice(&through_glb(bytes, "kick.anim", "anim")).expect("a motion");
    assert_eq!(back.constraints, motion.constraints);
    let priorities = |motion: &Motion| {
        let mut all: Vec<_> =
            motion.joints.iter().map(|joint| (joint.name.to_string(), joint.priority)).collect();
        all.sort();
        all
    };
    assert_eq!(priorities(&back), priorities(&motion));
}

#[test]
fn textures_of_materials() {
    let data = serde_json::json!({
        "asset": { "version": "2.0" },
        "images": [{ "uri": "2a318785-3184-ff27-4591-42deccea2645" }, { "uri": "de08caa1-a081-7910-4a25-e4664f5253a0" }],
        "textures": [{ "source": 0 }, { "source": 1 }],
        "materials": [{
            "pbrMetallicRoughness": {
                "baseColorTexture": { "index": 0, "extensions": { "KHR_texture_transform": { "offset": [0.25, 0.5], "rotation": 0.5, "scale": [2.0, 3.0] } } },
                "metallicRoughnessTexture": { "index": 1 },
            },
            "occlusionTexture": { "index": 1 },
        }],
    });
    let value = llsd::llsd!({ "data": (data.to_string()), "type": "GLTF 2.0", "version": "1.1" });
    let options = llsd::WriteOptions::new().encoding(llsd::Encoding::Binary).header(llsd::Header::Python);
    let bytes = options.write(&value).expect("written");
    let back = llsd::from_slice(&through_glb(bytes, "a.material", "material")).expect("LLSD");
    let back: serde_json::Value = serde_json::from_str(back["data"].as_str().expect("a text")).expect("JSON");
    for path in ["/images", "/textures"] {
        assert_eq!(back.pointer(path), data.pointer(path));
    }
    for path in [
        "pbrMetallicRoughness/baseColorTexture",
        "pbrMetallicRoughness/metallicRoughnessTexture",
        "occlusionTexture",
    ] {
        let path = format!("/materials/0/{path}");
        assert_eq!(back.pointer(&path), data.pointer(&path), "{path}");
    }
}
