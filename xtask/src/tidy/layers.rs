//! The layers inside a crate: imports only go down, and there are no circles.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::imports::{Module, Source, Sources, imports, module_of};
use super::{OTHERS, Tidy, tracked};
use crate::root;

/// A layer: its name, the modules of each crate's root that belong to it, and which layers it may import.
struct Layer {
    name: &'static str,
    modules: &'static [&'static str],
    /// Whether it may import the layers that read and write bytes.
    bytes: bool,
}

/// From the top to the bottom: a module imports from its own layer and from those below it.
const LAYERS: &[Layer] = &[
    Layer { name: "the front page", modules: &[""], bytes: true },
    Layer {
        name: "work on the model",
        modules: &[
            "build", "check", "convert", "cost", "edit", "exact", "merge", "pose", "shapes", "tree", "view",
            "views",
        ],
        bytes: false,
    },
    Layer {
        name: "verbs",
        modules: &[
            "chunks",
            "de",
            "distinct",
            "document",
            "lazy",
            "motion",
            "open",
            "read",
            "ser",
            "slm",
            "transcode",
            "write",
        ],
        bytes: true,
    },
    Layer { name: "bytes and the model", modules: &["ascii", "draco", "event", "wire", "xml"], bytes: true },
    Layer { name: "plain data", modules: &["model", "options"], bytes: false },
    Layer {
        name: "helpers",
        modules: &[
            "consts",
            "hash",
            "keys",
            "list",
            "names",
            "number",
            "path",
            "serde_impls",
            "text",
            "view_budget",
        ],
        bytes: false,
    },
];

/// The layers whose modules see bytes, by index in `LAYERS`.
const BYTES: std::ops::RangeInclusive<usize> = 2..=3;

impl Tidy {
    /// The crates that are no format crates have modules of their own: no circles, but no layers either.
    pub(super) fn layers(&mut self, name: &str) {
        let sources = self.sources(name);
        if !OTHERS.contains(&name) {
            self.directions(name, &sources);
        }
        self.circles(name, &sources);
    }

    fn sources(&mut self, name: &str) -> Sources {
        let folder = format!("crates/{name}/src/");
        let mut sources = Sources::new();
        for path in tracked().unwrap_or_default() {
            let path = path.to_string_lossy().replace('\\', "/");
            if let Some(module) = path.strip_prefix(&folder).and_then(module_of)
                && let Ok(text) = fs::read_to_string(root().join(&path))
            {
                // A folder and a file of the same name beside it: one of the two ways, everywhere the same.
                if root().join(path.trim_end_matches(".rs")).is_dir() {
                    self.complain(&path, "a module with a folder is the folder's mod.rs");
                }
                sources.insert(module, Source::parse(&text));
            }
        }
        sources
    }

    /// Every import goes to the same layer or to a lower one, and only the layers of bytes import those.
    fn directions(&mut self, name: &str, sources: &Sources) {
        for from in sources.keys() {
            let Some(layer) = layer_of(from) else {
                self.complain(
                    file(name, from),
                    "is in no layer: use one of the names in xtask/src/tidy/layers.rs, or add it there",
                );
                continue;
            };
            for to in imports(sources, from) {
                let Some(below) = layer_of(&to) else { continue };
                let what = if below < layer {
                    "upwards"
                } else if BYTES.contains(&below) && !LAYERS[layer].bytes {
                    "although it never sees bytes"
                } else {
                    continue;
                };
                let (here, there) = (LAYERS[layer].name, LAYERS[below].name);
                let to = to.join("::");
                self.complain(file(name, from), format!("({here}) imports crate::{to} ({there}), {what}"));
            }
        }
    }

    /// No module of the root imports one that imports it, by whatever way, and no file either.
    fn circles(&mut self, name: &str, sources: &Sources) {
        // What a folder's `mod.rs` has is common ground: a file of the folder may use it.
        let outer =
            |from: &Module, to: &Module| from.len() > to.len() && from.starts_with(to) && !to.is_empty();
        let edges =
            |from: &Module| imports(sources, from).into_iter().filter(|to| !outer(from, to)).collect();
        let files: Graph = sources.keys().map(|from| (from.clone(), edges(from))).collect();
        let mut modules = Graph::new();
        for (from, imported) in &files {
            let top = |module: &Module| module[..module.len().min(1)].to_vec();
            let imported = imported.iter().map(top).filter(|to| *to != top(from));
            modules.entry(top(from)).or_default().extend(imported);
        }
        for (graph, what) in [(&modules, "modules"), (&files, "files")] {
            for circle in circles(graph) {
                // A circle of modules is one of files too: it is reported once.
                if what == "files" && circle.iter().any(|module| module.first() != circle[0].first()) {
                    continue;
                }
                let names: Vec<_> = circle.iter().map(|module| module.join("::")).collect();
                self.complain(
                    format!("crates/{name}/src"),
                    format!("{what} in a circle: {}", names.join(" -> ")),
                );
            }
        }
    }
}

fn layer_of(module: &Module) -> Option<usize> {
    let top = module.first().map_or("", String::as_str);
    LAYERS.iter().position(|layer| layer.modules.contains(&top))
}

/// The file of a module, as far as a reader needs it.
fn file(name: &str, module: &Module) -> String {
    match module.as_slice() {
        [] => format!("crates/{name}/src/lib.rs"),
        module => format!("crates/{name}/src/{}", module.join("/")),
    }
}

type Graph = BTreeMap<Module, BTreeSet<Module>>;

/// One circle through each module that is in any and in none of those found before.
fn circles(graph: &Graph) -> Vec<Vec<Module>> {
    let mut found: Vec<Vec<Module>> = Vec::new();
    for start in graph.keys() {
        if found.iter().flatten().any(|known| known == start) {
            continue;
        }
        // The shortest way back to the start.
        let mut before: BTreeMap<&Module, &Module> = BTreeMap::new();
        let mut next = std::collections::VecDeque::from([start]);
        while let Some(from) = next.pop_front() {
            for to in graph.get(from).into_iter().flatten() {
                if to == start {
                    let mut circle = vec![from.clone()];
                    let mut at = from;
                    while at != start {
                        at = before[at];
                        circle.push(at.clone());
                    }
                    circle.reverse();
                    found.push(circle);
                    next.clear();
                    break;
                }
                if !before.contains_key(to) {
                    before.insert(to, from);
                    next.push_back(to);
                }
            }
        }
    }
    found
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
        assert_eq!(found, [vec![module("b"), module("c")], vec![module("x"), module("y")]]);
    }

    #[test]
    fn every_module_is_in_one_layer() {
        let mut names: Vec<_> = LAYERS.iter().flat_map(|layer| layer.modules).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
