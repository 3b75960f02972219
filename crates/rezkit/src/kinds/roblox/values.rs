//! Checks values whose bytes have a layout of their own.

use std::collections::HashSet;

use rbxcore::Value;
use rezkit_core::{Budget, Finding, Result, Rule, Severity::Warning};

use super::decoded::{Layout, Undecoded, decoded};
use super::{ATTRIBUTES, Instances, Paths};
use crate::blobs::ErrorKind;

const SOURCE: &str = "FORMAT.md of the crate rbxblobs";

const LAYOUTS: Rule =
    Rule::new("roblox.values", Warning, "a property with a known binary layout can be decoded", SOURCE);

const REFERENCES: Rule = Rule::new(
    "roblox.attribute-references",
    Warning,
    "a reference in an attribute is the referent of an existing instance; in XML files, it is a separate property of \
     the type Ref, whose name is __attrRef_ followed by the name of the attribute",
    "files that Roblox Studio wrote",
);

const NAMES: Rule = Rule::new(
    "roblox.attribute-names",
    Warning,
    "each attribute of an instance has a different name (of several, the last one counts)",
    SOURCE,
);

/// The rules for values.
pub(super) const RULES: &[Rule] = &[LAYOUTS, REFERENCES, NAMES];

/// Checks the values of a document.
///
/// # Errors
/// If the paths take more than `max_bytes`.
pub(in super::super) fn check_values(document: &dyn Instances, max_bytes: u64) -> Result<Vec<Finding>> {
    let (mut findings, mut paths, mut budget) = (Vec::new(), Paths::new(document), Budget::new(max_bytes));
    // The addresses of the checked shared strings. The document keeps these, so nothing else gets their addresses.
    let mut shared = HashSet::new();
    for id in document.all() {
        for key in document.dangling(id) {
            let path = format!("{}.{ATTRIBUTES}.{key}", paths.of(id, &mut budget)?);
            findings.push(REFERENCES.broken(path, "found a referent that no instance has"));
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
                    let fields =
                        value.as_ref().filter(|_| name == ATTRIBUTES).and_then(|value| value.as_fields());
                    let mut names = HashSet::new();
                    for (twice, _) in
                        fields.unwrap_or_default().iter().filter(|(name, _)| !names.insert(name))
                    {
                        let path = format!("{}.{name}.{twice}", paths.of(id, &mut budget)?);
                        findings.push(NAMES.broken(path, "an earlier attribute has the same name"));
                    }
                }
                // The mesh of a union can be only a key.
                Err(Undecoded::Damaged(error))
                    if matches!(error.kind(), ErrorKind::Unsupported(_))
                        && layout(&name) == Some(Layout::Mesh) => {}
                Err(why) => {
                    let path = format!("{}.{name}", paths.of(id, &mut budget)?);
                    findings.push(LAYOUTS.broken(path, why.to_string()));
                }
            }
        }
    }
    Ok(findings)
}
