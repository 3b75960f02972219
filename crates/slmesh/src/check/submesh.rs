//! The rules of one submesh.

use super::rules::{
    COLUMN_LENGTH, FACE_TRIANGLES, FACE_VERTICES, GEOMETRY, INDEX_RANGE, NO_GEOMETRY, NORMALS,
    POSITION_DOMAIN, TRIANGLE_CORNERS, UNUSED_VERTEX, UV_DOMAIN, WEIGHTS_COUNT, WEIGHTS_EMPTY, WEIGHTS_END,
    WEIGHTS_JOINT, WEIGHTS_SKIN,
};
use super::values;
use crate::consts::{MAX_FACE_TRIANGLES, MAX_VERTICES, NO_JOINT};
use crate::model::{Skin, Submesh};
use geom::wire::{Findings, found, report};

/// Rules for submeshes of levels and of the physics mesh.
pub(super) fn check(path: &str, submesh: &Submesh, findings: &mut Findings) {
    values::left_over::<Submesh>(path, &submesh.extra, findings);
    let (count, triangles) = (submesh.positions.len(), submesh.triangles.len());
    if submesh.no_geometry {
        if !is_bare(submesh) {
            findings.add(NO_GEOMETRY, || {
                let found = "the submesh is marked with NoGeometry, but has other fields \
                             (remove them, or NoGeometry)";
                (path.into(), found.into())
            });
        }
        return;
    }
    for (what, len) in [("positions", count), ("triangles", triangles)] {
        report!(findings, len == 0, GEOMETRY, "{path}.{what}", "the submesh has no {what}");
    }
    if count > MAX_VERTICES {
        found!(
            findings,
            FACE_VERTICES,
            "{path}.positions",
            "expected at most {MAX_VERTICES} vertices, found {count}"
        );
    }
    if triangles > MAX_FACE_TRIANGLES {
        findings.add(FACE_TRIANGLES, || {
            (
                format!("{path}.triangles"),
                format!("expected at most {MAX_FACE_TRIANGLES} triangles, found {triangles}"),
            )
        });
    }
    let domain = || format!("{path}.position_domain");
    match &submesh.position_domain {
        Some(positions) => values::positions(domain, positions, findings),
        None if count > 0 && !submesh.extra.contains_key("PositionDomain") => {
            findings
                .add(POSITION_DOMAIN, || (domain(), format!("the domain is missing (positions: {count})")));
        }
        None => {}
    }
    columns(path, submesh, findings);
    corners(path, submesh, findings);
}

/// Whether a submesh has no data other than `no_geometry`.
fn is_bare(submesh: &Submesh) -> bool {
    let Submesh {
        no_geometry: _,
        position_domain,
        positions,
        normals,
        tangents,
        tex_coord0_domain,
        tex_coords0,
        tex_coord1_domain,
        tex_coords1,
        triangles,
        weights,
        normalized_scale,
        extra,
    } = submesh;
    position_domain.is_none()
        && positions.is_empty()
        && normals.is_empty()
        && tangents.is_empty()
        && tex_coord0_domain.is_none()
        && tex_coords0.is_empty()
        && tex_coord1_domain.is_none()
        && tex_coords1.is_empty()
        && triangles.is_empty()
        && weights.is_empty()
        && normalized_scale.is_none()
        && extra.keys().all(|key| *key == *"NoGeometry")
}

fn columns(path: &str, submesh: &Submesh, findings: &mut Findings) {
    let count = submesh.positions.len();
    let columns = [
        ("normals", submesh.normals.len()),
        ("tangents", submesh.tangents.len()),
        ("tex_coords0", submesh.tex_coords0.len()),
        ("tex_coords1", submesh.tex_coords1.len()),
    ];
    for (name, len) in columns {
        if len != 0 && len != count {
            found!(
                findings,
                COLUMN_LENGTH,
                "{path}.{name}",
                "expected one entry per position (positions: {count}), found {len}"
            );
        }
    }
    let domains = [
        ("tex_coord0_domain", "TexCoord0Domain", submesh.tex_coord0_domain, submesh.tex_coords0.len()),
        ("tex_coord1_domain", "TexCoord1Domain", submesh.tex_coord1_domain, submesh.tex_coords1.len()),
    ];
    for (name, key, domain, len) in domains {
        let found = match domain {
            None if len > 0 && !submesh.extra.contains_key(key) => {
                format!("the domain is missing (texture coordinates: {len})")
            }
            Some(domain) if !domain.min.iter().chain(&domain.max).all(|end| end.is_finite()) => {
                format!("expected finite numbers, found {:?} to {:?}", domain.min, domain.max)
            }
            _ => continue,
        };
        findings.add(UV_DOMAIN, || (format!("{path}.{name}"), found));
    }
}

/// Checks the vertex indices of the triangles.
fn corners(path: &str, submesh: &Submesh, findings: &mut Findings) {
    let (count, triangles) = (submesh.positions.len(), submesh.triangles.len());
    if triangles == 0 {
        return;
    }
    let mut used = vec![false; count];
    for (index, triangle @ &[a, b, c]) in submesh.triangles.iter().enumerate() {
        let at = || format!("{path}.triangles[{index}]");
        for &vertex in triangle {
            match used.get_mut(usize::from(vertex)) {
                Some(used) => *used = true,
                None => findings.add(INDEX_RANGE, || {
                    (at(), format!("vertex index {vertex} is out of range (positions: {count})"))
                }),
            }
        }
        if a == b || b == c || c == a {
            findings.add(TRIANGLE_CORNERS, || {
                (at(), format!("the triangle {triangle:?} uses a vertex more than once"))
            });
        }
    }
    for (vertex, _) in used.iter().enumerate().filter(|(_, used)| !**used) {
        found!(findings, UNUSED_VERTEX, "{path}.positions[{vertex}]", "no triangle uses vertex {vertex}");
    }
}

/// Rules for submeshes of levels alone: normals and weights.
pub(super) fn level(path: &str, submesh: &Submesh, skin: Option<&Skin>, findings: &mut Findings) {
    if submesh.no_geometry {
        return;
    }
    let (count, have) = (submesh.positions.len(), submesh.weights.len());
    if submesh.normals.is_empty() && count > 0 {
        findings.add(NORMALS, || {
            (format!("{path}.normals"), format!("the normals are missing (positions: {count})"))
        });
    }
    let at = || format!("{path}.weights");
    let Some(skin) = skin else {
        report!(
            findings,
            have > 0,
            WEIGHTS_SKIN,
            at(),
            "the asset has no skin, but this submesh has weights (vertices: {have})"
        );
        return;
    };
    report!(
        findings,
        have != count,
        WEIGHTS_COUNT,
        at(),
        "expected weights for each vertex (vertices: {count}), found weights for {have}"
    );
    let joints = skin.joint_names.len();
    for (vertex, weights) in submesh.weights.iter().enumerate() {
        let at = || format!("{path}.weights[{vertex}]");
        let known = weights.influences().count();
        report!(findings, known == 0, WEIGHTS_EMPTY, at(), "the vertex has no joint");
        if let Some((joint, _)) = weights.influences().find(|(joint, _)| usize::from(*joint) >= joints) {
            findings.add(WEIGHTS_JOINT, || {
                (at(), format!("joint index {joint} is out of range (joints of the skin: {joints})"))
            });
        }
        let mut after = weights.joints.into_iter().zip(weights.weights).skip(known);
        if after.any(|(joint, weight)| joint != NO_JOINT || weight != 0) {
            findings.add(WEIGHTS_END, || {
                (
                    at(),
                    format!(
                        "entries follow joint 255: joints {:?}, weights {:?}",
                        weights.joints, weights.weights
                    ),
                )
            });
        }
    }
}
