//! The rules for levels of detail, and between levels.

use super::rules::{FACES, HIGH_LOD, LEVEL_FACES, LEVEL_GAP, LEVEL_TRIANGLES, LEVEL_VERTICES, NO_SUBMESHES};
use super::submesh;
use crate::consts::{Lod, MAX_FACES};
use crate::model::{Asset, Level};
use geom::wire::{Findings, found, report};

/// What is wrong with a level that should have triangles.
const MISSING: &str = "the level is missing";
const EMPTY: &str = "the level has no triangles";

pub(super) fn check(asset: &Asset, findings: &mut Findings) {
    let high = asset.triangle_count(Lod::High);
    if high == 0 {
        let found = if asset.high_lod.is_none() { MISSING } else { EMPTY };
        findings.add(HIGH_LOD, || ("high_lod".into(), found.into()));
    }
    for (lod, level) in asset.levels() {
        submeshes(lod.key(), level, findings);
        for (index, one) in level.submeshes.iter().enumerate() {
            let path = format!("{lod}.submeshes[{index}]");
            submesh::check(&path, one, findings);
            submesh::level(&path, one, asset.skin.as_ref(), findings);
        }
    }
    gaps(asset, findings);
    let levels: Vec<_> = asset.levels().collect();
    let (finest, faces) = levels.last().map_or((Lod::High, 0), |(lod, level)| (*lod, level.submeshes.len()));
    for (lod, level) in levels.iter().filter(|(_, level)| level.submeshes.len() != faces) {
        let have = level.submeshes.len();
        found!(
            findings,
            LEVEL_FACES,
            lod.to_string(),
            "expected the number of submeshes in {finest} ({faces}), found {have}"
        );
    }
    for pair in levels.windows(2) {
        let [(lower, level), (higher, above)] = pair else { continue };
        let counts = [
            (LEVEL_VERTICES, "vertices", level.vertex_count(), above.vertex_count()),
            (LEVEL_TRIANGLES, "triangles", level.triangle_count(), above.triangle_count()),
        ];
        // `gaps` finds triangles that are missing altogether.
        for (rule, what, have, limit) in
            counts.into_iter().filter(|(.., have, limit)| have > limit && *limit > 0)
        {
            found!(
                findings,
                rule,
                lower.to_string(),
                "expected at most {limit} {what}, as in {higher}, found {have}"
            );
        }
    }
}

/// Finds levels without triangles above a level with triangles.
fn gaps(asset: &Asset, findings: &mut Findings) {
    let mut below = None;
    for lod in Lod::ALL {
        let count = asset.triangle_count(lod);
        if let Some((lower, triangles)) = below.filter(|_| count == 0 && lod != Lod::High) {
            let found = if asset.level(lod).is_none() { MISSING } else { EMPTY };
            found!(findings, LEVEL_GAP, lod.to_string(), "{found}, but {lower} has triangles ({triangles})");
        }
        if count > 0 {
            below = Some((lod, count));
        }
    }
}

/// The number of submeshes of a level or a physics mesh.
pub(super) fn submeshes(name: &str, level: &Level, findings: &mut Findings) {
    let count = level.submeshes.len();
    report!(findings, count == 0, NO_SUBMESHES, "{name}", "found no submeshes");
    report!(
        findings,
        count > MAX_FACES,
        FACES,
        "{name}",
        "expected at most {MAX_FACES} submeshes, found {count}"
    );
}
