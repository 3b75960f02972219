//! References to assets: ids and addresses in texts.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use bstr::ByteSlice as _;
use rezkit_core::{Budget, Result};

use crate::scripts;
use crate::tree::{self, Data, MAX_DEPTH, Node, Shared, Value};

/// Prefixes of asset addresses.
const SCHEMES: [&str; 6] =
    ["rbxassetid://", "rbxasset://", "rbxthumb://", "rbxgameasset://", "https://", "http://"];

/// Every reference in an asset, with the paths that use it.
///
/// # Errors
/// [`Effort`](rezkit_core::ErrorKind::Effort) if the tree has more than [`MAX_DEPTH`] levels,
/// [`Limit`](rezkit_core::ErrorKind::Limit) if the references and their paths exceed the budget: many instances can share a string
/// with many references.
pub fn uses(root: &dyn Node, budget: &mut Budget) -> Result<BTreeMap<String, Vec<String>>> {
    let mut walk = Walk { path: String::new(), uses: BTreeMap::new(), known: HashMap::new(), budget };
    walk.collect(root, MAX_DEPTH)?;
    Ok(walk.uses)
}

struct Walk<'b> {
    /// The path of the current node: one text that grows and is cut again, since a long name can have many children.
    path: String,
    uses: BTreeMap<String, Vec<String>>,
    /// The references in texts that several values share.
    known: HashMap<Shared, Rc<[(usize, usize)]>>,
    budget: &'b mut Budget,
}

impl Walk<'_> {
    fn collect(&mut self, node: &dyn Node, depth: usize) -> Result<()> {
        let depth = depth.checked_sub(1).ok_or_else(tree::too_deep)?;
        if let Some(value) = node.value() {
            self.of_value(&value)?;
        }
        let length = self.path.len();
        const WHAT: &str = "the properties of an instance";
        self.budget.clone().take(node.weight(), WHAT)?;
        let properties = node.properties();
        let held: usize = properties.iter().map(|(_, value)| value.cost()).sum();
        self.budget.take(held as u64, WHAT)?;
        self.of_fields(&properties)?;
        self.budget.give_back(held as u64);
        let mut names = tree::Numbers::below(node);
        for child in node.children() {
            if child.whole().is_some_and(|whole| !whole.has_text()) {
                continue;
            }
            let name = child.name();
            tree::push(&mut self.path, &name, names.next(&name));
            self.collect(&*child, depth)?;
            self.path.truncate(length);
        }
        Ok(())
    }

    fn of_fields(&mut self, fields: &[(String, Value)]) -> Result<()> {
        let length = self.path.len();
        for (name, value) in fields {
            self.path.extend([".", name]);
            self.of_value(value)?;
            self.path.truncate(length);
        }
        Ok(())
    }

    fn of_value(&mut self, value: &Value) -> Result<()> {
        let bytes = match &value.data {
            Data::Bytes(bytes) => bytes,
            Data::Fields(fields) | Data::Decoded(_, fields) => return self.of_fields(fields),
            Data::List(values) => return values.iter().try_for_each(|value| self.of_value(value)),
            Data::Line(_, text) if value.kind.eq_ignore_ascii_case("font") => {
                return self.add(text.as_bytes(), &references(text.as_bytes()));
            }
            Data::Line(..) => return Ok(()),
        };
        let shared = value.shared();
        let places = match shared.as_ref().and_then(|shared| self.known.get(shared)) {
            Some(known) => Rc::clone(known),
            None => self.found_in(bytes, shared)?,
        };
        self.add(bytes, &places)
    }

    /// Adds the references at these places of the value at the path.
    fn add(&mut self, bytes: &[u8], places: &[(usize, usize)]) -> Result<()> {
        for &(start, end) in places {
            let Ok(text) = std::str::from_utf8(&bytes[start..end]) else { continue };
            if let Some(paths) = self.uses.get_mut(text) {
                if paths.last() == Some(&self.path) {
                    continue;
                }
                self.budget.take_values::<String>(1, "the references to assets")?;
                self.budget.take(self.path.len() as u64, "the references to assets")?;
                paths.push(self.path.clone());
            } else {
                self.budget.take_values::<(String, Vec<String>)>(2, "the references to assets")?;
                self.budget.take((text.len() + self.path.len()) as u64, "the references to assets")?;
                self.uses.insert(text.to_owned(), vec![self.path.clone()]);
            }
        }
        Ok(())
    }

    /// The references in a text; those in a shared text are kept, each once.
    fn found_in(&mut self, bytes: &[u8], shared: Option<Shared>) -> Result<Rc<[(usize, usize)]>> {
        // A list while it grows, and its final copy.
        let most = 4 * 2 * size_of::<usize>() * bytes.find_iter(b"://").count();
        self.budget.take(most as u64, "the references to assets")?;
        let mut places = references_in(self.path.rsplit('.').next().unwrap_or_default(), bytes);
        let Some(shared) = shared else {
            self.budget.give_back(most as u64);
            return Ok(places.into());
        };
        let mut seen = HashSet::new();
        places.retain(|&(start, end)| seen.insert(&bytes[start..end]));
        let places: Rc<[_]> = places.into();
        self.known.insert(shared, Rc::clone(&places));
        Ok(places)
    }
}

/// The ranges of the references in the value of a property.
pub(crate) fn references_in(property: &str, bytes: &[u8]) -> Vec<(usize, usize)> {
    if property == "Source" { in_script(bytes) } else { references(bytes) }
}

/// The ranges of the references in a script, outside of comments.
fn in_script(source: &[u8]) -> Vec<(usize, usize)> {
    let (mut found, mut tokens) = (references(source), scripts::tokens(source).peekable());
    found.retain(|&(start, _)| {
        while tokens.next_if(|token| token.end <= start).is_some() {}
        tokens.peek().is_some_and(|token| token.start <= start)
    });
    found
}

/// The ranges of the references in a text.
pub(crate) fn references(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut index = 0;
    while let Some(colon) = bytes[index..].find_byte(b':') {
        index += colon + 1;
        if !bytes[index..].starts_with(b"//") {
            continue;
        }
        index += 2;
        let start = SCHEMES.iter().find_map(|scheme| {
            let start = index.checked_sub(scheme.len())?;
            (bytes[start..index].eq_ignore_ascii_case(scheme.as_bytes())).then_some(start)
        });
        let Some(start) = start else { continue };
        let ends = |byte: &u8| {
            byte.is_ascii_whitespace() || byte.is_ascii_control() || b"\"'`<>()[]{},;\\".contains(byte)
        };
        let len = bytes[index..].iter().position(ends).unwrap_or(bytes.len() - index);
        if len > 0 {
            index += len;
            found.push((start, index));
        }
    }
    found
}

/// The digits of the id in a reference: of `rbxassetid://1` and `https://www.roblox.com/asset/?id=1`.
pub fn id(reference: &str) -> Option<&str> {
    let lower = reference.to_ascii_lowercase();
    let start = match lower.strip_prefix("rbxassetid://") {
        Some(_) => "rbxassetid://".len(),
        None if lower.contains("roblox.com/") => lower.find("id=")? + 3,
        None => return None,
    };
    let digits =
        reference[start..].find(|char: char| !char.is_ascii_digit()).unwrap_or(reference.len() - start);
    (digits > 0).then(|| &reference[start..start + digits])
}

/// A text with its references replaced; `None` if nothing changes. A key of `map` is a whole reference, or an id: then
/// only the id in the reference changes, unless the new text is a whole reference too.
// No budget: the result is as long as the bytes and the caller's replacements.
pub fn replace(bytes: &[u8], map: &BTreeMap<String, String>) -> Option<Vec<u8>> {
    let (mut text, mut copied) = (Vec::new(), 0);
    for (start, end) in references(bytes) {
        let Ok(old) = std::str::from_utf8(&bytes[start..end]) else { continue };
        let new = map.get(old).cloned().or_else(|| {
            let old_id = id(old)?;
            let new = map.get(old_id)?;
            let at = old_id.as_ptr() as usize - old.as_ptr() as usize;
            let is_id = new.bytes().all(|byte| byte.is_ascii_digit());
            Some(if is_id {
                format!("{}{new}{}", &old[..at], &old[at + old_id.len()..])
            } else {
                new.clone()
            })
        });
        if let Some(new) = new {
            text.extend_from_slice(&bytes[copied..start]);
            text.extend_from_slice(new.as_bytes());
            copied = end;
        }
    }
    (copied > 0).then(|| {
        text.extend_from_slice(&bytes[copied..]);
        text
    })
}
