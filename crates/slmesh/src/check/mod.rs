//! Checks for the rules of the format, the uploader and the simulator that reading does not enforce.

mod levels;
mod physics;
mod rules;
mod skin;
mod submesh;
mod values;

use crate::consts::{MAX_HEADER, MAX_VERSION};
use crate::model::Asset;
use crate::model::keys::is_block;
use geom::wire::{Finding, Findings, found, report};
use rules::{HEADER_LENGTH, KEY_TYPE, PREFIX, VERSION};

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
        let is_absent = value.get("offset").is_some() && value.get("size").is_some();
        if is_block(key) && !is_absent {
            let found = match value.as_map() {
                Some(_) => "a map that lacks one of them".to_owned(),
                None => format!("a value of type {}", value.type_name()),
            };
            found!(findings, KEY_TYPE, "extra.{key}", "expected a map with offset and size, found {found}");
        }
    }
}
