//! The rules of one submesh.

use llsd::Value;

use crate::check::{left_over, within};
use crate::consts::{MAX_VERTICES, NO_JOINT};
use crate::finding::Findings;
use crate::model::{Skin, Submesh};

/// `path` is where the submesh stands, as `low_lod[2]`. A physics mesh has neither weights nor, most
/// of the time, anything but triangles.
pub(super) fn check(
    path: &str,
    submesh: &Submesh,
    skin: Option<&Skin>,
    is_level: bool,
    findings: &mut Findings,
) {
    malformed(path, submesh, findings);
    if submesh.no_geometry {
        placeholder(path, submesh, findings);
        return;
    }
    let count = submesh.positions.len();
    if count == 0 {
        findings.error("a submesh has positions, or NoGeometry", || {
            (format!("{path}.positions"), "no positions".into())
        });
    }
    if count > MAX_VERTICES {
        findings.error("a submesh has fewer than 65,535 vertices", || {
            (format!("{path}.positions"), format!("{count} vertices, the limit is {MAX_VERTICES}"))
        });
    }
    if let Some(domain) = &submesh.position_domain {
        within(&format!("{path}.position_domain"), domain, findings);
    }
    columns(path, submesh, count, findings);
    triangles(path, submesh, is_level, findings);
    weights(path, submesh, skin, is_level, findings);
}

/// What of the known keys was not understood.
fn malformed(path: &str, submesh: &Submesh, findings: &mut Findings) {
    let arrays = ["Position", "Normal", "Tangent", "TexCoord0", "TexCoord1", "TriangleList", "Weights"];
    let others = ["PositionDomain", "TexCoord0Domain", "TexCoord1Domain", "NormalizedScale"];
    for (key, value) in &submesh.extra {
        let array = arrays.into_iter().find(|name| *key == **name);
        if array.is_some() && matches!(value, Value::Binary(rest) if rest.is_empty()) {
            continue;
        }
        if let Some(name) = array {
            findings.error("arrays are binaries of whole elements", || {
                (format!("{path}.{name}"), left_over(value))
            });
        } else if let Some(name) = others.into_iter().find(|name| *key == **name) {
            findings.error("domains and scales hold their numbers and nothing else", || {
                (format!("{path}.{name}"), left_over(value))
            });
        } else if *key == *"NoGeometry" {
            findings.error("NoGeometry is true", || (format!("{path}.no_geometry"), format!("{value:?}")));
        }
    }
}

fn placeholder(path: &str, submesh: &Submesh, findings: &mut Findings) {
    // Everything but the key itself.
    let extra = submesh.extra.keys().any(|key| *key != *"NoGeometry");
    let mut rest = Submesh { no_geometry: false, extra: llsd::Map::new(), ..submesh.clone() };
    rest.extra = llsd::Map::new();
    if extra || rest != Submesh::default() {
        findings.error("a submesh with NoGeometry has nothing else", || {
            (
                path.into(),
                format!("{} positions, {} triangles", submesh.positions.len(), submesh.triangles.len()),
            )
        });
    }
}

fn columns(path: &str, submesh: &Submesh, count: usize, findings: &mut Findings) {
    let columns = [
        ("normals", submesh.normals.len()),
        ("tangents", submesh.tangents.len()),
        ("tex_coords0", submesh.tex_coords0.len()),
        ("tex_coords1", submesh.tex_coords1.len()),
    ];
    for (name, len) in columns {
        if len != 0 && len != count {
            findings.error("normals, tangents and texture coordinates are as many as positions", || {
                (format!("{path}.{name}"), format!("{len} for {count} positions"))
            });
        }
    }
    let domains = [
        ("tex_coord0_domain", submesh.tex_coord0_domain, submesh.tex_coords0.len()),
        ("tex_coord1_domain", submesh.tex_coord1_domain, submesh.tex_coords1.len()),
    ];
    for (name, domain, len) in domains {
        match domain {
            None if len > 0 => findings.error("texture coordinates have a domain", || {
                (format!("{path}.{name}"), format!("no domain for {len} texture coordinates"))
            }),
            Some(domain) if !domain.min.iter().chain(&domain.max).all(|end| end.is_finite()) => findings
                .error("the domain of texture coordinates is finite", || {
                    (format!("{path}.{name}"), format!("{:?} to {:?}", domain.min, domain.max))
                }),
            _ => {}
        }
    }
}

fn triangles(path: &str, submesh: &Submesh, is_level: bool, findings: &mut Findings) {
    let count = submesh.positions.len();
    if submesh.triangles.is_empty() {
        findings.error("a submesh has triangles, or NoGeometry", || {
            (format!("{path}.triangles"), "no triangles".into())
        });
        return;
    }
    let mut used = vec![false; count];
    for (index, triangle @ &[a, b, c]) in submesh.triangles.iter().enumerate() {
        let at = || format!("{path}.triangles[{index}]");
        for &vertex in triangle {
            match used.get_mut(usize::from(vertex)) {
                Some(used) => *used = true,
                None => findings
                    .error("every index names a position", || (at(), format!("vertex {vertex} of {count}"))),
            }
        }
        if a == b || b == c || c == a {
            findings
                .error("a triangle has three different vertices (MAV_FOUND_DEGENERATE_TRIANGLES)", || {
                    (at(), format!("{triangle:?}, one of {} triangles", submesh.triangles.len()))
                });
        } else if !is_level && flat(submesh, *triangle) {
            // Levels have such triangles in real assets; physics trips over them.
            findings.warning("a triangle for physics has an area (MAV_FOUND_DEGENERATE_TRIANGLES)", || {
                (at(), format!("{triangle:?}, one of {} triangles", submesh.triangles.len()))
            });
        }
    }
    for vertex in used.iter().enumerate().filter(|(_, used)| !**used).map(|(vertex, _)| vertex) {
        findings.error("every position is a corner of a triangle", || {
            (format!("{path}.positions[{vertex}]"), format!("a position without a triangle, one of {count}"))
        });
    }
}

/// Whether the corners lie on a line, as exactly as sixteen bits say it.
fn flat(submesh: &Submesh, triangle: [u16; 3]) -> bool {
    let corner = |index: u16| submesh.positions.get(usize::from(index)).map(|p| p.map(i64::from));
    let [Some(a), Some(b), Some(c)] = triangle.map(corner) else { return false };
    let edge = |to: [i64; 3]| std::array::from_fn::<i64, 3, _>(|axis| to[axis] - a[axis]);
    let ([ux, uy, uz], [vx, vy, vz]) = (edge(b), edge(c));
    uy * vz == uz * vy && uz * vx == ux * vz && ux * vy == uy * vx
}

fn weights(path: &str, submesh: &Submesh, skin: Option<&Skin>, is_level: bool, findings: &mut Findings) {
    let (count, have) = (submesh.positions.len(), submesh.weights.len());
    let at = || format!("{path}.weights");
    let Some(skin) = skin.filter(|_| is_level) else {
        if have > 0 && is_level {
            findings
                .warning("weights are there where a skin is", || (at(), format!("{have} without a skin")));
        }
        return;
    };
    if have != count {
        findings.error("a mesh with a skin has weights for each position", || {
            (at(), format!("{have} for {count} positions"))
        });
    }
    let joints = skin.joint_names.len();
    for (vertex, weights) in submesh.weights.iter().enumerate() {
        let at = || format!("{path}.weights[{vertex}]");
        if weights.influences().next().is_none() {
            findings.warning("each vertex follows a joint", || (at(), "no joint".into()));
        }
        if let Some((joint, _)) = weights.influences().find(|(joint, _)| usize::from(*joint) >= joints) {
            findings
                .error("weights name joints of the skin", || (at(), format!("joint {joint} of {joints}")));
        }
        let known = weights.influences().count();
        if weights.joints.iter().skip(known).any(|&joint| joint != NO_JOINT) {
            findings.error("no joint stands behind the one that ends them", || {
                (at(), format!("{:?}", weights.joints))
            });
        }
    }
}
