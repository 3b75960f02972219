//! Checks values whose bytes have a layout of their own.

use std::collections::HashSet;

use rbxblobs::terrain::Defects;
use rbxcore::{Dom, Value};

use crate::attribute_refs;
use crate::decoded::{Decoded, Layout, Undecoded, decoded};
use crate::paths::Paths;
use crate::view::View as _;
use crate::which::{ATTRIBUTES, is_script};
use geom::wire::{Budget, Counted, Finding, Result, Rule, Severity::Warning};

const SOURCE: &str = "FORMAT.md of the crate rbxblobs";

const LAYOUTS: Rule =
    Rule::new("roblox.values", Warning, "a property with a known binary layout can be decoded", SOURCE);

const REFERENCES: Rule = Rule::new(
    "roblox.attribute-references",
    Warning,
    "a reference in an attribute leads to an existing instance; in XML files, the reference is a separate property of \
     the type Ref, whose name is __attrRef_ followed by the name of the attribute",
    "files that Roblox Studio wrote",
);

const SERVICES: Rule = Rule::new(
    "roblox.services",
    Warning,
    "a place has each service once, at its root (scripts get one of them)",
    "the class ServiceProvider: a game has one instance of each service",
);

const SOURCES: Rule = Rule::new(
    "roblox.source-length",
    Warning,
    "the source of a script has fewer than 200,000 characters (plugins, such as Rojo's, cannot set longer ones)",
    "rojo-rbx/rojo, issues 199 and 438",
);

const NAMES: Rule = Rule::new(
    "roblox.attribute-names",
    Warning,
    "each attribute of an instance has a different name (of several attributes with the same name, the last one \
     counts)",
    SOURCE,
);

const TERRAIN: Rule = Rule::new(
    "roblox.terrain",
    Warning,
    "each chunk of terrain has a different position, at most 262,144 chunks from the origin, and known materials",
    SOURCE,
);

const LEVELS: Rule = Rule::new(
    "roblox.union-levels",
    Warning,
    "each triangle of a union's mesh belongs to a level of detail, and each level has triangles",
    SOURCE,
);

/// The rules for values.
pub(super) const RULES: &[Rule] = &[LAYOUTS, REFERENCES, NAMES, TERRAIN, LEVELS, SERVICES, SOURCES];

/// The broken rules of a value that can be decoded, and what was found.
fn geometry(value: &Decoded) -> Vec<(Rule, String)> {
    let mut found = Vec::new();
    match value {
        Decoded::SmoothGrid(grid) => {
            let Defects { repeated, far, unknown, .. } = grid.defects();
            if repeated > 0 {
                let chunks = Counted::new(repeated, "chunks");
                found.push((TERRAIN, format!("found {chunks} with the position of a later chunk")));
            }
            if far > 0 {
                let chunks = Counted::new(far, "chunks");
                found.push((
                    TERRAIN,
                    format!("found {chunks} at a distance of more than 262,144 chunks from the origin"),
                ));
            }
            if !unknown.is_empty() {
                let numbers: Vec<_> = unknown.iter().map(u8::to_string).collect();
                found.push((TERRAIN, format!("found unknown materials: {}", numbers.join(", "))));
            }
        }
        Decoded::Mesh(mesh) => {
            let unused = mesh.unused_triangles();
            if unused > 0 {
                found.push((LEVELS, format!("found {} in no level", Counted::new(unused, "triangles"))));
            }
            let empty = mesh.levels.iter().filter(|level| level.is_empty()).count();
            if empty > 0 && !mesh.mesh.triangles.is_empty() {
                found.push((LEVELS, format!("found {} without triangles", Counted::new(empty, "levels"))));
            }
        }
        _ => {}
    }
    found
}

/// Checks the values of a document.
///
/// # Errors
/// If the paths take more than `max_bytes`.
pub fn values(document: &dyn Dom, max_bytes: u64) -> Result<Vec<Finding>> {
    let (mut findings, mut paths, mut budget) = (Vec::new(), Paths::new(document), Budget::new(max_bytes));
    // The addresses of the checked shared strings. The document keeps these, so nothing else gets their addresses.
    let mut shared = HashSet::new();
    let mut services = HashSet::new();
    let is_place = document.top().iter().any(|&id| document.is_service(id));
    for id in document.all() {
        if is_place && document.is_service(id) && rbxcore::classes::is_service(&document.class_of(id)) {
            let is_second = !services.insert(document.class_of(id).into_owned());
            let found = match document.parent(id) {
                Some(_) => Some("a service below another instance"),
                None => is_second.then_some("a second instance of the service"),
            };
            if let Some(found) = found {
                findings.push(Finding::new(&SERVICES, paths.of(id, &mut budget)?, found));
            }
        }
        if is_place && document.class_of(id) == "Terrain" && !services.insert("Terrain".to_owned()) {
            let found = "a second Terrain, where a place has one";
            findings.push(Finding::new(&SERVICES, paths.of(id, &mut budget)?, found));
        }
        if is_script(&document.class_of(id))
            && let Some(source) = document.value(id, "Source")
            && let Some(length) =
                source.as_bytes().map(|source| source.len()).filter(|length| *length >= 200_000)
        {
            let path = format!("{}.Source", paths.of(id, &mut budget)?);
            findings.push(Finding::new(&SOURCES, path, format!("{length} bytes")));
        }
        for key in attribute_refs::dangling(document, id) {
            let path = format!("{}.{ATTRIBUTES}.{key}", paths.of(id, &mut budget)?);
            findings.push(Finding::new(&REFERENCES, path, "the reference leads to no instance"));
        }
        let class = document.class_of(id);
        let layout = |name: &str| Layout::of((&class, name));
        let wanted = |name: &[u8]| std::str::from_utf8(name).is_ok_and(|name| layout(name).is_some());
        for (name, value) in document.some(id, &|name, _| wanted(name)) {
            let Some(bytes) = value.as_bytes() else { continue };
            if matches!(value, Value::SharedString(_)) && !shared.insert((layout(&name), bytes.as_ptr())) {
                continue;
            }
            match decoded((&class, &name), bytes, max_bytes) {
                Ok(value) => {
                    for (rule, what) in value.iter().flat_map(geometry) {
                        findings.push(Finding::new(
                            &rule,
                            format!("{}.{name}", paths.of(id, &mut budget)?),
                            what,
                        ));
                    }
                    let all = match &value {
                        Some(Decoded::Attributes(all)) if name == ATTRIBUTES => &all.0[..],
                        _ => &[],
                    };
                    let mut names = HashSet::new();
                    for (twice, _) in all.iter().filter(|(name, _)| !names.insert(name)) {
                        let path = format!("{}.{name}.{twice}", paths.of(id, &mut budget)?);
                        findings.push(Finding::new(&NAMES, path, "an earlier attribute has the same name"));
                    }
                }
                Err(Undecoded::Damaged(_)) if layout(&name).is_some_and(|layout| layout.is_opaque(bytes)) => {
                }
                Err(why) => {
                    let path = format!("{}.{name}", paths.of(id, &mut budget)?);
                    findings.push(Finding::new(&LAYOUTS, path, why.to_string()));
                }
            }
        }
    }
    Ok(findings)
}
