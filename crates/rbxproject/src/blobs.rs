//! Properties with bytes of known layouts as separate files: attributes and tags by path, terrain, and shared strings.

use crate::memory::{charge, cost};
use rbxdocument::view::View as _;
use std::collections::{BTreeMap, HashSet};

use geom::files::Files;
use geom::wire::{Budget, Result};
use rbxcore::Value;

use crate::json;
use crate::meta::GRIDS;
use rbxblobs::{Attributes, Tags, from_slice};
use rbxcore::Dom;
use rbxdocument::paths::Paths;
use rbxdocument::view::Sort;

/// Writes files for attributes and tags by path, terrain, and shared strings.
pub(crate) fn write(document: &dyn Dom, budget: &mut Budget, files: &mut Files) -> Result<()> {
    let (mut attributes, mut all_tags) = (BTreeMap::new(), BTreeMap::new());
    let mut paths = Paths::new(document);
    // The written shared strings by address: a document stores each only once.
    let mut shared: HashSet<(usize, usize)> = HashSet::new();
    let wanted = |name: &[u8], sort: Sort| {
        sort == Sort::Shared
            || matches!(name, b"AttributesSerialize" | b"Tags")
            || GRIDS.iter().any(|grid| grid.as_bytes() == name)
    };
    for id in document.all() {
        for (property, value) in document.some(id, &wanted) {
            let Some(bytes) = value.as_bytes().filter(|bytes| !bytes.is_empty()) else { continue };
            let is_shared = matches!(value, Value::SharedString(_));
            if is_shared && !shared.insert((bytes.as_ptr() as usize, bytes.len())) {
                continue;
            }
            let path = paths.of(id, budget)?;
            let what = format!("{path}.{property}");
            charge(budget, cost(&property, bytes) + what.len() as u64, &what)?;
            match property.as_str() {
                "AttributesSerialize" => {
                    if let Ok(Attributes(decoded)) = from_slice(bytes) {
                        let value =
                            |value| json::attribute(value).map_or_else(|| serde_json::to_value(value), Ok);
                        let named =
                            decoded.iter().map(|(name, of)| Some((name.to_string(), value(of).ok()?)));
                        let mut by_name = serde_json::Map::new();
                        by_name.extend(named.flatten());
                        attributes.insert(path, by_name);
                    }
                }
                "Tags" => {
                    if let Ok(Tags(names)) = from_slice(bytes) {
                        all_tags.insert(path, names.iter().map(ToString::to_string).collect::<Vec<_>>());
                    }
                }
                grid if GRIDS.contains(&grid) => {
                    charge(budget, bytes.len() as u64, &what)?;
                    files.add(&["terrain", &format!("{what}.bin")], bytes.to_vec());
                }
                _ => {
                    charge(budget, bytes.len() as u64, &what)?;
                    files.add(&["shared", &format!("{}-{property}.bin", shared.len())], bytes.to_vec());
                }
            }
        }
    }
    if !attributes.is_empty() {
        let bytes = json::text(budget, &attributes, "attributes.json")?;
        files.add(&["attributes.json"], bytes);
    }
    if !all_tags.is_empty() {
        let bytes = json::text(budget, &all_tags, "tags.json")?;
        files.add(&["tags.json"], bytes);
    }
    Ok(())
}
