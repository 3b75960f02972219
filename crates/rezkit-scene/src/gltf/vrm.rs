//! The bones of a humanoid, which the extensions of VRM name.
//!
//! `VRMC_vrm` of VRM 1.0 and `VRMC_vrm_animation` of its animations have `humanoid.humanBones.{bone}.node`, `VRM` of 0.x a list `humanoid.humanBones` of `{bone, node}`
//! (the specification at `github.com/vrm-c/vrm-specification`). The joints of thumbs have other names in 1.0: proximal became
//! metacarpal, and intermediate became proximal.

use gltf::json::Root;
use serde_json::Value;

use crate::model::Node;
use crate::retarget::names::VRM_BONE;

/// The extensions of VRM 1.0, of its animations, and of VRM 0.x.
pub(super) const EXTENSIONS: [&str; 3] = ["VRMC_vrm", "VRMC_vrm_animation", "VRM"];

/// Stores the names of the humanoid's bones as extras of their nodes.
pub(super) fn name_bones(json: &Root, nodes: &mut [Node]) {
    let extension = |name: &str| json.extensions.as_ref()?.others.get(name)?.pointer("/humanoid/humanBones");
    let of = |bone: &Value| usize::try_from(bone.get("node")?.as_u64()?).ok();
    let [model, animation, old] = EXTENSIONS.map(extension);
    let found: Vec<(String, usize)> = match (model.or(animation), old) {
        (Some(Value::Object(bones)), _) => {
            bones.iter().filter_map(|(name, bone)| Some((name.clone(), of(bone)?))).collect()
        }
        (_, Some(Value::Array(bones))) => {
            let bone = |bone: &Value| Some((renamed(bone.get("bone")?.as_str()?), of(bone)?));
            bones.iter().filter_map(bone).collect()
        }
        _ => return,
    };
    for (name, node) in found {
        if let Some(node) = nodes.get_mut(node) {
            node.extras.insert(VRM_BONE.into(), name.into());
        }
    }
}

/// The VRM 1.0 name of a 0.x name.
fn renamed(name: &str) -> String {
    match name.split_once("Thumb") {
        Some((side, "Proximal")) => format!("{side}ThumbMetacarpal"),
        Some((side, "Intermediate")) => format!("{side}ThumbProximal"),
        _ => name.to_owned(),
    }
}
