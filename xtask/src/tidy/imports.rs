//! Finds what each source file of a crate imports from the same crate.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// The path of a module, from the crate's root: `wire::chunks` is `["wire", "chunks"]`.
pub(super) type Module = Vec<String>;

/// A source file of a crate, without its tests.
pub(super) struct Source {
    uses: Vec<Use>,
    /// Paths in the code, such as `crate::wire::read`, `super::text::trim` and `header::parse`.
    paths: Vec<Module>,
}

/// A name that a `use` brings into a module; `*` if it imports all names of the path.
struct Use {
    path: Module,
    name: String,
    public: bool,
}

/// The modules of a crate that are files of their own.
pub(super) type Sources = BTreeMap<Module, Source>;

/// The module of a file below `src`; `None` if the file contains tests.
pub(super) fn module_of(file: &str) -> Option<Module> {
    let path = file.strip_suffix(".rs")?;
    let mut module: Module = path.split('/').map(str::to_owned).collect();
    if module.iter().any(|name| name == "tests") || path.starts_with("bin/") {
        return None;
    }
    if matches!(module.last().map(String::as_str), Some("mod" | "lib")) {
        module.pop();
    }
    Some(module)
}

impl Source {
    pub(super) fn parse(text: &str) -> Self {
        let mut tokens = Vec::new();
        flatten(text.parse().unwrap_or_default(), &mut tokens);
        let token = |at: usize| tokens.get(at).map_or("", String::as_str);
        let mut source = Self { uses: Vec::new(), paths: Vec::new() };
        let mut at = 0;
        while at < tokens.len() {
            let start = at;
            at += 1;
            if token(start) == "use" {
                let before = start.checked_sub(1).map_or("", token);
                at = source.use_tree(&tokens, at, &[], [")", "pub"].contains(&before));
            } else if token(at) == "::" && is_word(token(start)) {
                let mut path = vec![tokens[start].clone()];
                while token(at) == "::" && is_word(token(at + 1)) {
                    path.push(tokens[at + 1].clone());
                    at += 2;
                }
                if start == 0 || token(start - 1) != "::" {
                    source.paths.push(path);
                }
            }
        }
        source
    }

    /// Parses one tree of a `use`, up to its comma, brace or semicolon; returns the index after it.
    fn use_tree(&mut self, tokens: &[String], mut at: usize, before: &[String], public: bool) -> usize {
        let mut path = before.to_vec();
        loop {
            let token = tokens.get(at).map_or("", String::as_str);
            let mut add = |path: &Module, name: &str| {
                self.uses.push(Use { path: path.clone(), name: name.to_owned(), public });
            };
            match token {
                "as" => add(&path, tokens.get(at + 1).map_or("_", String::as_str)),
                "*" => add(&path, "*"),
                "::" => {}
                "{" => {
                    at += 1;
                    while !matches!(tokens.get(at).map(String::as_str), None | Some("}")) {
                        at = self.use_tree(tokens, at, &path, public);
                        at += usize::from(tokens.get(at).is_some_and(|token| token == ","));
                    }
                    return at + 1;
                }
                word if is_word(word) => path.push(word.to_owned()),
                _ => {
                    // `use path::{self}` names the path itself.
                    if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
                        path.pop();
                    }
                    add(&path, path.last().map_or("", String::as_str));
                    return at;
                }
            }
            match token {
                "as" => return at + 2,
                "*" => return at + 1,
                _ => at += 1,
            }
        }
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// The identifiers and punctuation of a file, with `::` as one token, without literals and items for `#[cfg(test)]`.
fn flatten(stream: TokenStream, out: &mut Vec<String>) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Ident(word) => out.push(word.to_string()),
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                let test = trees.next_if(|next| next.to_string().replace(' ', "") == "[cfg(test)]");
                // Skip further attributes and the item, up to its semicolon or its braces.
                let ends = |tree: &TokenTree| match tree {
                    TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                    tree => tree.to_string() == ";",
                };
                if test.is_some() {
                    let _ended = trees.by_ref().find(ends);
                }
            }
            TokenTree::Punct(sign) if sign.as_char() == ':' && sign.spacing() == Spacing::Joint => {
                let _second = trees.next();
                out.push("::".into());
            }
            TokenTree::Punct(sign) => out.push(sign.to_string()),
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    _ => ("(", ")"),
                };
                out.push(open.into());
                flatten(group.stream(), out);
                out.push(close.into());
            }
            TokenTree::Literal(_) => {}
        }
    }
}

/// The modules that a module imports, each once. A public `use` of a name does not count: a file that uses the name
/// imports the module that defines it. A `use` of a module does not count either: its names are imported by the code
/// that has `module::name`.
pub(super) fn imports(sources: &Sources, from: &Module) -> BTreeSet<Module> {
    let Some(source) = sources.get(from) else { return BTreeSet::new() };
    let uses = source.uses.iter().filter(|import| !import.public);
    let used = uses.filter_map(|import| {
        let module = resolve(sources, from, &import.path, 0)?;
        (import.name == "*" || module.last() != import.path.last()).then_some(module)
    });
    let named = source.paths.iter().filter_map(|path| resolve(sources, from, path, 0));
    used.chain(named).filter(|module| module != from).collect()
}

/// The module that defines the item to which a path leads, if the path is used in the module `from`.
fn resolve(sources: &Sources, from: &Module, path: &[String], depth: usize) -> Option<Module> {
    let (first, rest) = path.split_first()?;
    let mut at = match first.as_str() {
        "crate" => Module::new(),
        "self" => from.clone(),
        "super" => from.split_last()?.1.to_vec(),
        name => {
            let child = [from.as_slice(), &[name.to_owned()]].concat();
            if !sources.contains_key(&child) {
                // A name that this module imported.
                let import = sources.get(from)?.uses.iter().find(|import| import.name == *name)?;
                if depth > 8 || import.path == path {
                    return None;
                }
                return resolve(sources, from, &[&import.path, rest].concat(), depth + 1);
            }
            child
        }
    };
    for (index, name) in rest.iter().enumerate() {
        if name == "super" {
            at.pop();
            continue;
        }
        at.push(name.clone());
        if sources.contains_key(&at) {
            continue;
        }
        at.pop();
        // Not a module, but an item that is defined here or imported from another module.
        let here = sources.get(&at)?;
        let import = here.uses.iter().find(|import| import.name == *name).filter(|_| depth <= 8);
        return match import {
            Some(import) => resolve(sources, &at, &[&import.path, &rest[index + 1..]].concat(), depth + 1),
            None => Some(at),
        };
    }
    sources.contains_key(&at).then_some(at)
}
#[cfg(test)]
mod tests {
    use super::*;

    fn sources(files: &[(&str, &str)]) -> Sources {
        files.iter().map(|(file, text)| (module_of(file).expect("source"), Source::parse(text))).collect()
    }

    fn seen(sources: &Sources, from: &str) -> Vec<String> {
        let from = module_of(from).expect("source");
        imports(sources, &from).iter().map(|module| module.join("::")).collect()
    }

    #[test]
    fn uses_paths_and_re_exports_lead_to_the_defining_file() {
        let sources = sources(&[
            ("lib.rs", "mod error; mod model; mod wire; pub use error::Error;"),
            ("error.rs", "pub struct Error; // crate::wire"),
            ("model/mod.rs", "mod mesh; pub use mesh::{Mesh, Face as F}; pub struct Own;"),
            (
                "model/mesh.rs",
                "use super::Own; const A: &str = \"crate::wire::x\"; fn f<'a>() { '\\''; 'c'; }",
            ),
            (
                "wire/mod.rs",
                "mod body;\nuse crate::model::{self, F};\nfn f() { model::mesh::g(); body::read() }",
            ),
            (
                "wire/body.rs",
                "use std::fmt; use crate::{Error, model::Mesh};\n#[cfg(test)]\nmod tests { use crate::wire::fail; }",
            ),
        ]);
        assert_eq!(seen(&sources, "wire/body.rs"), ["error", "model::mesh"]);
        assert_eq!(seen(&sources, "wire/mod.rs"), ["model::mesh", "wire::body"]);
        assert_eq!(seen(&sources, "model/mesh.rs"), ["model"]);
        assert_eq!(seen(&sources, "model/mod.rs"), [""; 0]);
        assert_eq!(seen(&sources, "lib.rs"), [""; 0]);
    }

    #[test]
    fn nested_trees_globs_and_super() {
        let sources = sources(&[
            ("lib.rs", "pub fn verb() {}"),
            ("a/mod.rs", ""),
            (
                "a/b.rs",
                "pub(crate) use super::super::c::{d::*, self}; use crate::{a::{e::X, f::{Y, Z}}, verb};",
            ),
            ("a/e.rs", "fn x() { super::super::c::d::y(); }"),
            ("a/f.rs", "use super::e::*;"),
            ("c/mod.rs", ""),
            ("c/d.rs", "r#\"crate::a\"#; b'\"'; crate::a::e::x()"),
        ]);
        assert_eq!(seen(&sources, "a/b.rs"), ["", "a::e", "a::f"]);
        assert_eq!(seen(&sources, "a/e.rs"), ["c::d"]);
        assert_eq!(seen(&sources, "a/f.rs"), ["a::e"]);
        assert_eq!(seen(&sources, "c/d.rs"), ["a::e"]);
    }
}
