//! What each source file of a crate imports from the same crate, read from its tokens.

use std::collections::{BTreeMap, BTreeSet};

/// The names of nested modules, from the crate's root: `wire::chunks` is `["wire", "chunks"]`.
pub(super) type Module = Vec<String>;

/// A source file of a crate, without its tests.
pub(super) struct Source {
    uses: Vec<Use>,
    /// Paths in the code: `crate::wire::read`, `super::text::trim`, `header::parse`.
    paths: Vec<Module>,
}

/// A name that a `use` brings into a module.
struct Use {
    path: Module,
    /// The name in the module; `*` where all names of the path are imported.
    name: String,
    public: bool,
}

/// The modules of a crate that have a file.
pub(super) type Sources = BTreeMap<Module, Source>;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    /// `::`
    Colons,
    Sign(char),
}

impl Token {
    fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// The module of a file below `src`; `None` where the file contains tests.
pub(super) fn module_of(file: &str) -> Option<Module> {
    let path = file.strip_suffix(".rs")?;
    let mut module: Module = path.split('/').map(str::to_owned).collect();
    if module.iter().any(|name| name == "tests") || path.starts_with("bin/") {
        return None;
    }
    if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        module.pop();
    }
    Some(module)
}

impl Source {
    pub(super) fn parse(text: &str) -> Self {
        let tokens = without_tests(&tokens(text));
        let mut source = Self { uses: Vec::new(), paths: Vec::new() };
        let mut at = 0;
        while at < tokens.len() {
            let start = at;
            at += 1;
            match &tokens[start] {
                Token::Word(word) if word == "use" => {
                    let before = start.checked_sub(1).map(|before| &tokens[before]);
                    let public = before.is_some_and(|before| {
                        *before == Token::Sign(')') || *before == Token::Word("pub".into())
                    });
                    at = source.use_tree(&tokens, at, &[], public);
                }
                Token::Word(word) if tokens.get(at) == Some(&Token::Colons) => {
                    let mut path = vec![word.clone()];
                    while tokens.get(at) == Some(&Token::Colons) {
                        let Some(word) = tokens.get(at + 1).and_then(Token::word) else { break };
                        path.push(word.to_owned());
                        at += 2;
                    }
                    if start == 0 || tokens[start - 1] != Token::Colons {
                        source.paths.push(path);
                    }
                }
                _ => {}
            }
        }
        source
    }

    /// One tree of a `use`, as far as its comma, its brace or its semicolon; gives where it ends.
    fn use_tree(&mut self, tokens: &[Token], mut at: usize, before: &[String], public: bool) -> usize {
        let mut path = before.to_vec();
        loop {
            match tokens.get(at) {
                Some(Token::Word(word)) if word == "as" => {
                    let name = tokens.get(at + 1).and_then(Token::word).unwrap_or("_").to_owned();
                    self.uses.push(Use { path, name, public });
                    return at + 2;
                }
                Some(Token::Word(word)) => path.push(word.clone()),
                Some(Token::Colons) => {}
                Some(Token::Sign('*')) => {
                    self.uses.push(Use { path, name: "*".into(), public });
                    return at + 1;
                }
                Some(Token::Sign('{')) => {
                    at += 1;
                    while !matches!(tokens.get(at), None | Some(Token::Sign('}'))) {
                        at = self.use_tree(tokens, at, &path, public);
                        at += usize::from(tokens.get(at) == Some(&Token::Sign(',')));
                    }
                    return at + 1;
                }
                _ => {
                    // `use path::{self}` names the path itself.
                    if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
                        path.pop();
                    }
                    let name = path.last().cloned().unwrap_or_default();
                    self.uses.push(Use { path, name, public });
                    return at;
                }
            }
            at += 1;
        }
    }
}

/// The modules that a module imports, each once. A public `use` of a name is no import: whoever uses the
/// name imports the module that defines it. Neither is a `use` of a module: its names are imported where
/// the code has `module::name`.
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

/// The module that defines what a path names, as seen from a module.
fn resolve(sources: &Sources, from: &Module, path: &[String], depth: usize) -> Option<Module> {
    let (first, rest) = path.split_first()?;
    let parent = || from.split_last().map(|(_, parent)| parent.to_vec());
    let mut at = match first.as_str() {
        "crate" => Module::new(),
        "self" => from.clone(),
        "super" => parent()?,
        name => {
            let child: Module = from.iter().cloned().chain([name.to_owned()]).collect();
            if !sources.contains_key(&child) {
                // A name that this module imported.
                let import = sources.get(from)?.uses.iter().find(|import| import.name == *name)?;
                if depth > 8 || import.path == path {
                    return None;
                }
                let whole: Module = import.path.iter().chain(rest).cloned().collect();
                return resolve(sources, from, &whole, depth + 1);
            }
            child
        }
    };
    let mut rest = rest.iter();
    while let Some(name) = rest.next() {
        if name == "super" {
            at.pop();
            continue;
        }
        at.push(name.clone());
        if sources.contains_key(&at) {
            continue;
        }
        at.pop();
        // Not a module: defined here, or imported here from elsewhere.
        let here = sources.get(&at)?;
        if let Some(import) = here.uses.iter().find(|import| import.name == *name).filter(|_| depth <= 8) {
            let whole: Module = import.path.iter().chain(rest).cloned().collect();
            return resolve(sources, &at, &whole, depth + 1).or(Some(at));
        }
        return Some(at);
    }
    sources.contains_key(&at).then_some(at)
}

/// The words and signs of Rust text, without comments, texts, numbers and lifetimes.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first == '"' {
            quoted(rest)
        } else if let Some(len) = raw(rest) {
            len
        } else if first == '\'' {
            let mut chars = rest.chars().skip(1);
            match (chars.next(), chars.next()) {
                (Some('\\'), _) => 3 + rest.get(3..).and_then(|rest| rest.find('\'')).unwrap_or(0) + 1,
                (Some(one), Some('\'')) => 2 + one.len_utf8(),
                _ => 1 + rest[1..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(0),
            }
        } else if first.is_alphanumeric() || first == '_' {
            let len = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            if !first.is_ascii_digit() {
                tokens.push(Token::Word(rest[..len].to_owned()));
            }
            len
        } else if rest.starts_with("::") {
            tokens.push(Token::Colons);
            2
        } else {
            if !first.is_whitespace() {
                tokens.push(Token::Sign(first));
            }
            first.len_utf8()
        };
        rest = rest.get(len..).unwrap_or_default();
    }
    tokens
}

/// The length of a text in quotes.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

/// The length of a raw text: `r"…"`, `br#"…"#`.
fn raw(text: &str) -> Option<usize> {
    let inner = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let hashes = inner.len() - inner.trim_start_matches('#').len();
    let body = inner[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    Some(text.len() - body.len() + body.find(&end)? + end.len())
}

/// The tokens without what follows `#[cfg(test)]`.
fn without_tests(tokens: &[Token]) -> Vec<Token> {
    let is = |at: usize, word: &str| tokens.get(at).and_then(Token::word) == Some(word);
    let mut kept = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let attribute = tokens[at] == Token::Sign('#') && tokens.get(at + 1) == Some(&Token::Sign('['));
        if attribute && is(at + 2, "cfg") && is(at + 4, "test") {
            at = end_of(tokens, at + 1, '[', ']');
            // Further attributes, then the item as far as its semicolon or its last brace.
            while at < tokens.len() && tokens[at] != Token::Sign(';') && tokens[at] != Token::Sign('{') {
                at = if tokens[at] == Token::Sign('[') { end_of(tokens, at, '[', ']') } else { at + 1 };
            }
            at =
                if tokens.get(at) == Some(&Token::Sign('{')) { end_of(tokens, at, '{', '}') } else { at + 1 };
            continue;
        }
        kept.push(tokens[at].clone());
        at += 1;
    }
    kept
}

/// The index after the bracket that closes the one at `at`.
fn end_of(tokens: &[Token], at: usize, open: char, close: char) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        if *token == Token::Sign(open) {
            depth += 1;
        } else if *token == Token::Sign(close) {
            depth -= 1;
            if depth == 0 {
                return index + 1;
            }
        }
    }
    tokens.len()
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
