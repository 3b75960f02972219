//! The archives of OpenSim: a region (`.oar`) and an inventory (`.iar`).

use std::collections::BTreeMap;

use rezkit_core::{Budget, ErrorKind, Result};

use super::xml::{self, Element};
use super::{groups, id, mesh_of, parts_of, sculpt};

/// What is in an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contents {
    /// The names of regions, which are those of the files in `terrains`.
    pub regions: Vec<String>,
    /// The number of objects (linksets), placed in a region or as assets.
    pub objects: usize,
    /// The number of their parts by shape: `mesh`, `prim`, `sculpt`.
    pub parts: BTreeMap<&'static str, usize>,
    /// The names of the items of an inventory.
    pub items: Vec<String>,
    /// The number of assets by kind, as the names of their files end: `texture`, `mesh`, `script`.
    pub assets: BTreeMap<String, usize>,
    /// The names that items, objects and the contents of objects give to assets, by their UUIDs in lower case.
    pub names: BTreeMap<String, String>,
}

/// What is in an archive with these files, which are paths and contents; `None` if it is not one of OpenSim.
///
/// # Errors
/// [`Limit`](ErrorKind::Limit) if a file needs more memory than the budget has. A file that cannot be read names nothing.
pub fn contents(files: &[(&str, &[u8])], budget: &mut Budget) -> Result<Option<Contents>> {
    let (mut all, mut is_one) = (Contents::default(), false);
    for (path, bytes) in files {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let in_folder = |name: &str| folder.rsplit('/').next() == Some(name);
        if in_folder("terrains") {
            all.regions.extend(file.strip_suffix(".r32").map(str::to_owned));
        }
        // `UUID_kind.extension`.
        if in_folder("assets")
            && let Some(kind) = file.get(36..).and_then(|rest| rest.strip_prefix('_'))
        {
            let kind = kind.split('.').next().unwrap_or(kind);
            *all.assets.entry(kind.to_owned()).or_default() += 1;
        }
        if path.ends_with(".xml") {
            let before = budget.left();
            match xml::parse(bytes, budget) {
                Ok(root) => is_one |= all.add(&root),
                Err(error) if error.kind() == ErrorKind::Limit => return Err(error.at(*path)),
                Err(_) => {}
            }
            budget.give_back(before - budget.left());
        }
    }
    Ok(is_one.then_some(all))
}

impl Contents {
    /// Adds an item or objects; returns whether the file is of OpenSim.
    fn add(&mut self, root: &Element) -> bool {
        if root.name == "InventoryItem" {
            let name = root.text("Name").to_owned();
            self.name(root.text("AssetID"), &name);
            self.items.push(name);
            return true;
        }
        let groups = groups(root);
        self.objects += groups.len();
        for part in groups.iter().flat_map(|group| parts_of(group)) {
            let shape = part.child("Shape");
            let kind = match shape.map_or(0, sculpt) {
                0 => "prim",
                5 => "mesh",
                _ => "sculpt",
            };
            *self.parts.entry(kind).or_default() += 1;
            if let Some(id) = shape.and_then(mesh_of) {
                self.name(&id, part.text("Name"));
            }
            // Scripts, notecards and others in the part.
            for item in part.child("TaskInventory").iter().flat_map(|inventory| &inventory.children) {
                self.name(&id(item.child("AssetID")), item.text("Name"));
            }
        }
        !groups.is_empty() || root.name == "archive"
    }

    fn name(&mut self, id: &str, name: &str) {
        if !name.is_empty() {
            self.names.insert(id.to_ascii_lowercase(), name.to_owned());
        }
    }
}
