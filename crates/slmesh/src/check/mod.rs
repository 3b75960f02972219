//! Checks for the rules of the format, the uploader and the simulator that reading does not enforce.

mod levels;
mod physics;
mod rules;
mod skin;
mod submesh;
mod values;

use crate::consts::{MAX_HEADER, MAX_VERSION};
use crate::model::keys::is_block;
use crate::model::{Asset, Instance, Slm, StoredSlm};
use geom::wire::{Finding, Findings, found, report};
use llsd::Value;
use rules::{HEADER_LENGTH, INSTANCE_MESH, KEY_TYPE, PREFIX, VERSION};

pub use physics::is_degenerate;
pub use rules::RULES;

/// `written`: the size of the header that would be written, and whether it begins with the deprecated `<?
/// LLSD/Binary ?>`.
pub(crate) fn check(asset: &Asset, written: Option<(usize, bool)>) -> Vec<Finding> {
    let findings = &mut Findings::default();
    header(asset, written, findings);
    levels::check(asset, findings);
    physics::check(asset, findings);
    if let Some(skin) = &asset.skin {
        skin::check(skin, findings);
    }
    std::mem::take(findings).into_vec()
}

/// The rules for the fields of a `.slm` file outside of its meshes.
pub(crate) fn check_slm(slm: &Slm) -> Vec<Finding> {
    let findings = &mut Findings::default();
    values::left_over::<StoredSlm>("", &slm.extra, findings);
    for (index, instance) in slm.instances.iter().enumerate() {
        values::left_over::<Instance>(&format!("instances[{index}]"), &instance.extra, findings);
        let mesh = instance.mesh_id.and_then(|mesh| usize::try_from(mesh).ok());
        if mesh.is_none_or(|mesh| mesh >= slm.meshes.len()) {
            let count = slm.meshes.len();
            let found = match instance.mesh_id {
                Some(mesh) => format!("mesh index {mesh} is out of range (meshes: {count})"),
                None if instance.extra.contains_key("mesh_id") => "mesh_id is not an integer".to_owned(),
                None => "mesh_id is missing".to_owned(),
            };
            findings.add(INSTANCE_MESH, || (format!("instances[{index}].mesh_id"), found));
        }
    }
    std::mem::take(findings).into_vec()
}

fn header(asset: &Asset, written: Option<(usize, bool)>, findings: &mut Findings) {
    if let Some(version) = asset.version.filter(|&version| version > MAX_VERSION) {
        found!(findings, VERSION, "version", "expected a version of at most {MAX_VERSION}, found {version}");
    }
    if let Some((len, prefix)) = written {
        report!(
            findings,
            prefix,
            PREFIX,
            "layout.header",
            "the header begins with the deprecated prefix <? LLSD/Binary ?>"
        );
        if len > MAX_HEADER {
            found!(findings, HEADER_LENGTH, "header", "expected at most {MAX_HEADER} bytes, found {len}");
        }
    }
    values::left_over::<Asset>("", &asset.extra, findings);
    for (key, value) in &asset.extra {
        // Some writers mark an absent block by a size of 0.
        let is_absent = matches!(value.get("offset"), Some(Value::Integer(_)))
            && matches!(value.get("size"), Some(Value::Integer(0)));
        if is_block(key) && !is_absent {
            let found = match value.as_map() {
                Some(_) => "a map without these two integers".to_owned(),
                None => format!("a value of type {}", value.type_name()),
            };
            found!(
                findings,
                KEY_TYPE,
                "extra.{key}",
                "expected a map with the integers offset and size, found {found}"
            );
        }
    }
}
