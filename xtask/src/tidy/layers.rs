//! Checks the layers inside each crate: a module imports only from its own layer and from later ones, and modules do
//! not import each other in a cycle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::imports::{Module, Source, Sources, imports, module_of};
use super::{Tidy, tracked};
use crate::{formats, root};

/// The layers of each crate, separated by `/`. A layer lists modules of the crate's root; `lib` is `lib.rs`. A module
/// imports from its own layer and from later ones. Layers that begin with `+` read and write bytes; layers that begin
/// with `-` know only the model, and import nothing from a layer with `+`.
const LAYERS: &[(&str, &str)] = &[
    ("geom", "lib / files / frame mint plain wire / matrix rect trimesh / color sort / vector"),
    (
        "rbxblobs",
        "lib / attribute_text curves small / attributes collision tags terrain union_mesh / field / bytes options",
    ),
    (
        "rbxcore",
        "lib / verbs / property / dom / parts / classes edit new_instance / convert floats plain / value / bytes kind rotation shared_bytes types / hash newtype same similar text / id",
    ),
    (
        "rbxdocument",
        "lib / compat / weak / history rules state / graft query size terrain text / join references share / convert create replace / write / filled / \
         colors decoded effective finder paths validate / view / attribute_refs forms \
         / attributes texts which / any edit errors lists losses options",
    ),
    (
        "rbxproject",
        "lib / pack / apply / extract / blobs plan / copies table / wants / model / values / snapshot / json_model links tree / lost meta / json luau globs / losses memory options",
    ),
    (
        "rezstd",
        "lib / decode encode / sequences unhuff / huffman table / frame fse matches / bits consts error xxhash",
    ),
    (
        "rezkit-cli",
        "main / cli / commands / input output policy / report / below outcome seen temporary terminal",
    ),
    (
        "rezkit-avatar",
        "lib / fit picture / check / checks / find / item / geometry report / kind numbers rules",
    ),
    ("rezkit-core", "lib / budget policy sources / error finding / losses"),
    (
        "rezkit-scene",
        "lib / motion / roblox_model / roblox / bvh dae fbx m3d obj opensim ply rbxmesh slmesh stl vox / gltf / forms / skins \
         / absorb animation check combined corners features pose retarget sampled / model polygon / grow hull images losses reduction",
    ),
    (
        "rezkit-render",
        "lib / light lines sheet treemap / raster / clip surface / camera outliers texture vertex / options",
    ),
    (
        "rezkit-upload",
        "lib / sl / check / levels reduced rules / coverage / hulls simplify / bvh connected cost losses samples",
    ),
    (
        "rezkit",
        "avatar_items lods / client_assets conversion editing heights / kit / document / lib roundtrip unwrap / formats / file_type / assets picture / edits exact needed fact settings texts \
         / losses patch / tree / archives / foreign lines merge options plain scripts serial tar",
    ),
];

/// The layers of each format crate.
const FORMAT: &str = "lib checked / - build check convert cost edit merge shapes view views \
     / + chunks de distinct document lazy motion open read ser transcode write / + ascii wire / - model options \
     / - consts hash names path text view_budget";

type Graph = BTreeMap<Module, BTreeSet<Module>>;

impl Tidy {
    pub(super) fn layers(&mut self) {
        for (name, layers) in formats().map(|name| (name, FORMAT)).chain(LAYERS.iter().copied()) {
            let sources = self.sources(name);
            let graph = sources.keys().map(|from| (from.clone(), imports(&sources, from))).collect();
            self.directions(name, layers, graph);
        }
    }

    fn sources(&mut self, name: &str) -> Sources {
        let folder = format!("crates/{name}/src/");
        let mut sources = Sources::new();
        for path in tracked().unwrap_or_default() {
            let path = path.to_string_lossy().replace('\\', "/");
            if let Some(module) = path.strip_prefix(&folder).and_then(module_of)
                && let Ok(text) = fs::read_to_string(root().join(&path))
            {
                // A module with a folder is always the folder's `mod.rs`, and not a file of the same name.
                if root().join(path.trim_end_matches(".rs")).is_dir() && name != "rezkit-scene" {
                    self.complain(&path, "expected this module in the mod.rs of its folder");
                }
                sources.insert(module, Source::parse(&text));
            }
        }
        sources
    }

    /// Checks that every import is from the same layer or from a later one, that layers with `-` import nothing from
    /// layers with `+`, and that neither files nor modules of the root import each other in a cycle.
    fn directions(&mut self, name: &str, layers: &str, mut files: Graph) {
        for (from, imported) in &mut files {
            let Some((layer, seen)) = layer_of(layers, from) else {
                let what =
                    "is in no layer: use one of the names in xtask/src/tidy/layers.rs, or add it there";
                self.complain(file(name, from), what);
                continue;
            };
            // A file may import from the `mod.rs` of its own folder.
            imported.retain(|to| to.is_empty() || !from.starts_with(to));
            for to in imported.iter() {
                let Some((below, theirs)) = layer_of(layers, to) else { continue };
                let (goes_up, bytes) = (below < layer, theirs.starts_with('+') && seen.starts_with('-'));
                if goes_up || bytes {
                    let what = if goes_up {
                        "which is in an earlier layer"
                    } else {
                        "which reads or writes bytes: modules of this layer must work on the model alone"
                    };
                    self.complain(file(name, from), format!("imports crate::{}, {what}", path(to)));
                }
            }
        }
        let mut modules = Graph::new();
        for (from, imported) in &files {
            let top = |module: &Module| module[..module.len().min(1)].to_vec();
            let imported = imported.iter().map(top).filter(|to| *to != top(from));
            modules.entry(top(from)).or_default().extend(imported);
        }
        for graph in [&modules, &files] {
            for circle in circles(graph) {
                let names: Vec<_> = circle.iter().map(path).collect();
                let what = format!("these modules import each other in a cycle: {}", names.join(", "));
                self.complain(format!("crates/{name}/src"), what);
            }
        }
    }
}

fn path(module: &Module) -> String {
    if module.is_empty() { "lib".into() } else { module.join("::") }
}

fn layer_of<'l>(layers: &'l str, module: &Module) -> Option<(usize, &'l str)> {
    let top = module.first().map_or("lib", String::as_str);
    layers.split(" / ").enumerate().find(|(_, modules)| modules.split(' ').any(|name| name == top))
}

/// The path of a module's file without its extension, for messages.
fn file(name: &str, module: &Module) -> String {
    format!("crates/{name}/src/{}", path(module).replace("::", "/"))
}

/// The modules that a module imports, directly and indirectly.
fn reached(graph: &Graph, from: &Module) -> BTreeSet<Module> {
    let (mut found, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(module) = next.pop() {
        next.extend(graph.get(module).into_iter().flatten().filter(|to| found.insert((*to).clone())));
    }
    found
}

/// Sets of modules that import each other; cycles that share a module are one set.
fn circles(graph: &Graph) -> BTreeSet<Vec<Module>> {
    let all: BTreeMap<&Module, BTreeSet<Module>> =
        graph.keys().map(|from| (from, reached(graph, from))).collect();
    let returns = |from: &Module| {
        let back = |to: &&Module| all.get(to).is_some_and(|reached| reached.contains(from));
        all[from].iter().filter(back).cloned().collect::<Vec<_>>()
    };
    graph.keys().map(returns).filter(|circle| !circle.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_found_once_and_lines_are_none() {
        let module = |name: &str| vec![name.to_owned()];
        let graph = |edges: &[(&str, &str)]| {
            let mut graph = Graph::new();
            for (from, to) in edges {
                graph.entry(module(from)).or_default().insert(module(to));
            }
            graph
        };
        assert!(circles(&graph(&[("a", "b"), ("b", "c"), ("a", "c")])).is_empty());
        let found =
            circles(&graph(&[("a", "b"), ("b", "c"), ("c", "b"), ("c", "d"), ("x", "y"), ("y", "x")]));
        assert!(found.into_iter().eq([vec![module("b"), module("c")], vec![module("x"), module("y")]]));
    }

    #[test]
    fn every_module_is_in_one_layer() {
        for layers in LAYERS.iter().map(|(_, layers)| *layers).chain([FORMAT]) {
            let names: Vec<_> = layers.split([' ', '/', '+', '-']).filter(|name| !name.is_empty()).collect();
            assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len(), "{names:?}");
        }
    }
}
