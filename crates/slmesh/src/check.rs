//! What the format and the uploader demand and a reader need not refuse.

mod submesh;

use llsd::{Map, Value};

use crate::consts::{
    BLOCKS, Lod, MAX_FACES, MAX_HEADER, MAX_HULL_POINTS, MAX_HULLS, MAX_JOINTS, MAX_VERSION, NO_JOINT,
};
use crate::finding::{Finding, Findings};
use crate::model::{Asset, Convex, Domain, Level, Skin};
use crate::wire;

/// Every rule of the format, of the uploader and of the simulator that the asset breaks: an entry per
/// rule and submesh (or block), with the first place, what stands there, the limit, and how many
/// places there are.
///
/// An error is what a program may refuse. A warning is what assets that were uploaded do all the same:
/// above all a level that has as many triangles as the one above it.
pub fn check(asset: &Asset) -> Vec<Finding> {
    let mut all = Vec::new();
    run(&mut all, |findings| header(asset, findings));
    for (lod, level) in asset.levels() {
        levels(lod.key(), level, asset.skin.as_ref(), true, &mut all);
    }
    run(&mut all, |findings| steps_between_levels(asset, findings));
    if let Some(mesh) = &asset.physics_mesh {
        levels("physics_mesh", mesh, None, false, &mut all);
    }
    run(&mut all, |findings| physics(asset, findings));
    if let Some(skin) = &asset.skin {
        run(&mut all, |findings| skin_rules(skin, findings));
    }
    all
}

fn run(all: &mut Vec<Finding>, rules: impl FnOnce(&mut Findings)) {
    let mut findings = Findings::default();
    rules(&mut findings);
    all.append(&mut findings.into_vec());
}

fn header(asset: &Asset, findings: &mut Findings) {
    if asset.high_lod.is_none() {
        findings.error("an asset has high_lod: without it the upload ends with MAV_BLOCK_MISSING", || {
            ("high_lod".into(), "no block".into())
        });
    }
    if let Some(version) = asset.version.filter(|&version| version > MAX_VERSION) {
        findings.error("the viewer reads versions up to 999", || {
            ("version".into(), format!("version {version}, the limit is {MAX_VERSION}"))
        });
    }
    if asset.layout.header.starts_with(b"<") {
        findings
            .error("nothing stands in front of the header's map: viewers since 2022 do not read it", || {
                ("header".into(), "a deprecated <? LLSD/Binary ?>".into())
            });
    }
    let len = wire::header_len(asset).unwrap_or(usize::MAX).max(asset.layout.header.len());
    if len > MAX_HEADER {
        findings.error(
            "the header ends within the first 4,096 bytes, which are all that the viewer fetches",
            || ("header".into(), format!("{len} bytes, the limit is {MAX_HEADER}")),
        );
    }
    let typed = ["version", "creator", "date", "submodel_id", "material_list", "physics_cost_data"];
    for (key, value) in &asset.extra {
        let name = key.to_string();
        // A block of no bytes is how some writers say that there is none.
        let absent = value.as_map().and_then(|map| map.get("size")) == Some(&Value::Integer(0));
        let odd = typed.contains(&name.as_str()) || (BLOCKS.contains(&name.as_str()) && !absent);
        if odd {
            findings.error("known keys of the header hold what they should", || {
                (name, format!("a value of the type {}", value.type_name()))
            });
        }
    }
}

fn levels(name: &str, level: &Level, skin: Option<&Skin>, is_level: bool, all: &mut Vec<Finding>) {
    run(all, |findings| {
        let count = level.submeshes.len();
        if count == 0 {
            findings.error("a level has a submesh for each face", || (name.into(), "no submesh".into()));
        }
        if count > MAX_FACES {
            findings.error(
                "a mesh has at most 8 faces: the uploader makes another model of what is more",
                || (format!("{name}[{MAX_FACES}]"), format!("{count} submeshes, the limit is {MAX_FACES}")),
            );
        }
    });
    for (index, one) in level.submeshes.iter().enumerate() {
        run(all, |findings| submesh::check(&format!("{name}[{index}]"), one, skin, is_level, findings));
    }
}

fn steps_between_levels(asset: &Asset, findings: &mut Findings) {
    for pair in [[Lod::Lowest, Lod::Low], [Lod::Low, Lod::Medium]] {
        let [lower, higher] = pair;
        if asset.level(lower).is_some() && asset.level(higher).is_none() {
            findings.error("a level is there only where the next higher one is", || {
                (lower.to_string(), format!("{lower} without {higher}"))
            });
        }
    }
    let levels: Vec<_> = asset.levels().collect();
    let high = asset.high_lod.as_ref().or(levels.last().map(|(_, level)| *level));
    for (lod, level) in levels.iter().filter(|(lod, _)| *lod != Lod::High) {
        let (have, want) = (level.submeshes.len(), high.map_or(0, |high| high.submeshes.len()));
        if have != want {
            run_now(findings, Rule::Submeshes, *lod, || {
                format!("{have} submeshes, {} has {want}", Lod::High)
            });
        }
    }
    for pair in levels.windows(2) {
        let [(lower, level), (higher, above)] = pair else { continue };
        let (have, limit) = (level.triangle_count(), above.triangle_count());
        // Where there is nothing at all, there cannot be less.
        if have > limit {
            run_now(findings, Rule::MoreTriangles, *lower, || {
                format!("{have} triangles, {higher} has {limit}")
            });
        } else if have == limit && limit > 0 {
            run_now(findings, Rule::SameTriangles, *lower, || {
                format!("{have} triangles, {higher} has {limit}")
            });
        }
        let (have, limit) = (level.vertex_count(), above.vertex_count());
        if have > limit {
            run_now(findings, Rule::MoreVertices, *lower, || {
                format!("{have} vertices, {higher} has {limit}")
            });
        }
    }
}

/// The rules between levels, each of which is told for each level: the texts differ by level, so
/// that none hides another.
#[derive(Clone, Copy)]
enum Rule {
    Submeshes,
    MoreTriangles,
    SameTriangles,
    MoreVertices,
}

fn run_now(findings: &mut Findings, rule: Rule, lod: Lod, what: impl FnOnce() -> String) {
    macro_rules! texts {
        ($text:literal) => {
            match lod {
                Lod::Lowest => concat!("lowest_lod has ", $text),
                Lod::Low => concat!("low_lod has ", $text),
                Lod::Medium => concat!("medium_lod has ", $text),
                Lod::High => concat!("high_lod has ", $text),
            }
        };
    }
    let at = || (lod.to_string(), what());
    match rule {
        Rule::Submeshes => findings.error(texts!("as many submeshes as every other level"), at),
        Rule::MoreTriangles => findings.error(texts!("fewer triangles than every higher level"), at),
        Rule::SameTriangles => findings.warning(texts!("fewer triangles than every higher level"), at),
        Rule::MoreVertices => findings.warning(texts!("no more vertices than every higher level"), at),
    }
}

fn physics(asset: &Asset, findings: &mut Findings) {
    let Some(convex) = &asset.physics_convex else {
        findings
            .error("an asset has physics_convex: without it the upload ends with MAV_BLOCK_MISSING", || {
                ("physics_convex".into(), "no block".into())
            });
        return stored(asset, findings);
    };
    if convex.bounding.is_empty() {
        findings.error(
            "physics_convex has BoundingVerts: without them the upload ends with MAV_BLOCK_MISSING",
            || ("physics_convex.bounding".into(), "no points".into()),
        );
    }
    if !convex.hulls.is_empty() && asset.physics_mesh.is_some() {
        findings.error("an asset has a decomposition or physics_mesh, not both", || {
            ("physics_mesh".into(), format!("a mesh beside a decomposition of {} hulls", convex.hulls.len()))
        });
    }
    hulls(convex, findings);
    stored(asset, findings);
}

fn hulls(convex: &Convex, findings: &mut Findings) {
    let count = convex.bounding.len();
    if count > MAX_HULL_POINTS {
        findings.error("the hull around everything has at most 256 points", || {
            ("physics_convex.bounding".into(), format!("{count} points, the limit is {MAX_HULL_POINTS}"))
        });
    }
    let count = convex.hulls.len();
    if count > MAX_HULLS {
        findings.error("a decomposition has at most 256 hulls: MAV_MAX_HULLS_EXCEEDED", || {
            ("physics_convex.hulls".into(), format!("{count} hulls, the limit is {MAX_HULLS}"))
        });
    }
    for (index, hull) in convex.hulls.iter().enumerate() {
        let count = hull.len();
        if count == 0 || count > MAX_HULL_POINTS {
            findings.error("a hull has 1 to 256 points", || {
                let what = format!("{count} points, the limit is {MAX_HULL_POINTS}");
                (format!("physics_convex.hulls[{index}]"), what)
            });
        }
    }
    if let Some(domain) = &convex.domain {
        within("physics_convex.domain", domain, findings);
    }
    for (key, value) in &convex.extra {
        let known = ["BoundingVerts", "HullList", "Positions"];
        if *key == *"Min" || *key == *"Max" {
            findings.error("the domain of the hulls has two ends of three numbers", || {
                (format!("physics_convex.{key}"), left_over(value))
            });
        } else if let Some(name) = known.into_iter().find(|name| *key == **name) {
            let what = left_over(value);
            findings.error("physics_convex holds whole points, as many as its hulls have", || {
                (format!("physics_convex.{name}"), what)
            });
        }
    }
}

/// What of a known key was not understood.
fn left_over(value: &Value) -> String {
    match value {
        Value::Binary(rest) => format!("{} bytes too many", rest.len()),
        other => format!("a value of the type {}", other.type_name()),
    }
}

/// A domain of positions.
fn within(path: &str, domain: &Domain<3>, findings: &mut Findings) {
    let limit = crate::MAX_POSITION;
    let outside = |end: &f64| !(-limit..=limit).contains(end);
    if let Some(end) = domain.min.iter().chain(&domain.max).find(|end| outside(end)) {
        findings.error("positions lie within 0.501 of the origin along each axis", || {
            (path.into(), format!("{end}, the limit is {limit}"))
        });
    }
    if domain.min.iter().zip(&domain.max).any(|(min, max)| min > max) {
        findings.warning("a domain begins before it ends", || {
            (path.into(), format!("{:?} to {:?}", domain.min, domain.max))
        });
    }
}

/// What the simulator fills in, for an asset that has been there.
fn stored(asset: &Asset, findings: &mut Findings) {
    if asset.creator.is_none() && asset.date.is_none() {
        return;
    }
    let convex = asset.physics_convex.as_ref().map(|block| ("physics_convex", &block.entry));
    let mesh = asset.physics_mesh.as_ref().map(|block| ("physics_mesh", &block.entry));
    let havok = asset.physics_havok.as_ref().map(|block| ("physics_havok", &block.entry));
    for (name, entry) in [convex, mesh, havok].into_iter().flatten() {
        let has = |entry: &Map| entry.contains_key("hash");
        if !has(entry) {
            findings.warning("each physics block of an uploaded asset has a hash", || {
                (name.into(), "no hash".into())
            });
        }
    }
}

fn skin_rules(skin: &Skin, findings: &mut Findings) {
    let joints = skin.joint_names.len();
    if joints == 0 {
        findings.error("a skin names its joints", || ("skin.joint_names".into(), "no joints".into()));
    }
    if joints > usize::from(NO_JOINT) {
        findings.error("a weight can name 255 joints", || {
            ("skin.joint_names".into(), format!("{joints} joints, the limit is {NO_JOINT}"))
        });
    } else if joints > MAX_JOINTS {
        findings.error("an upload has at most 110 joints: leave out those that no weight names", || {
            ("skin.joint_names".into(), format!("{joints} joints, the limit is {MAX_JOINTS}"))
        });
    }
    let count = skin.inverse_bind_matrices.len();
    if count != joints {
        findings.error("a skin has an inverse bind matrix per joint: the viewer drops the rig", || {
            ("skin.inverse_bind_matrices".into(), format!("{count} for {joints} joints"))
        });
    }
    let count = skin.alt_inverse_bind_matrices.len();
    if count != 0 && count != joints {
        findings.error("a skin has an alternative inverse bind matrix per joint, or none", || {
            ("skin.alt_inverse_bind_matrices".into(), format!("{count} for {joints} joints"))
        });
    }
    if skin.bind_shape_matrix.is_none() {
        findings.warning("a skin has a bind shape matrix", || {
            ("skin.bind_shape_matrix".into(), "no matrix".into())
        });
    }
    let matrices = [&skin.inverse_bind_matrices, &skin.alt_inverse_bind_matrices];
    let numbers = matrices.into_iter().flatten().chain(&skin.bind_shape_matrix).flatten();
    if let Some(number) = numbers.copied().find(|number| !number.is_finite()) {
        findings.error("matrices are finite", || ("skin".into(), number.to_string()));
    }
    let known = [
        "joint_names",
        "bind_shape_matrix",
        "inverse_bind_matrix",
        "alt_inverse_bind_matrix",
        "pelvis_offset",
        "lock_scale_if_joint_position",
    ];
    for (key, value) in &skin.extra {
        if let Some(name) = known.into_iter().find(|name| *key == **name) {
            findings.error("known keys of a skin hold what they should", || {
                (format!("skin.{name}"), format!("a value of the type {} that is none", value.type_name()))
            });
        }
    }
}
