//! References to assets: ids and addresses in texts.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use bstr::ByteSlice as _;
use rezkit_core::{Budget, Result};

use crate::scripts;
use crate::texts::{self, Leaf};
use crate::tree::{Data, Node, Shared, Value};

/// Prefixes of asset addresses.
const SCHEMES: [&str; 6] =
    ["rbxassetid://", "rbxasset://", "rbxthumb://", "rbxgameasset://", "https://", "http://"];

/// Every reference in an asset, with the paths that use it. With `uuids`, a UUID other than that of zeros is one, as in
/// Second Life.
///
/// # Errors
/// [`Effort`](rezkit_core::ErrorKind::Effort) if the tree has more than [`MAX_DEPTH`](crate::tree::MAX_DEPTH) levels,
/// [`Limit`](rezkit_core::ErrorKind::Limit) if the references and their paths exceed the budget: many instances can share a string
/// with many references.
pub fn uses(root: &dyn Node, uuids: bool, budget: &mut Budget) -> Result<BTreeMap<String, Vec<String>>> {
    let mut found = Found { uuids, ..Found::default() };
    texts::walk(root, budget, &mut |path, leaf, budget| match leaf {
        Leaf::Name(_) => Ok(()),
        Leaf::Value(value) => found.in_value(path, value, budget),
    })?;
    Ok(found.uses)
}

/// The references that were found.
#[derive(Default)]
struct Found {
    /// Whether UUIDs are references.
    uuids: bool,
    uses: BTreeMap<String, Vec<String>>,
    /// The references in texts that several values share.
    known: HashMap<Shared, Rc<[(usize, usize)]>>,
}

impl Found {
    fn in_value(&mut self, path: &str, value: &Value, budget: &mut Budget) -> Result<()> {
        let bytes = match &value.data {
            Data::Bytes(bytes) => bytes,
            Data::Line(_, text) if value.kind.eq_ignore_ascii_case("font") => {
                return self.add(path, text.as_bytes(), &references(text.as_bytes()), budget);
            }
            Data::Line(_, text) if self.uuids && value.kind == "uuid" => {
                return self.add(path, text.as_bytes(), &uuids(text.as_bytes()), budget);
            }
            _ => return Ok(()),
        };
        let shared = value.shared();
        let places = match shared.as_ref().and_then(|shared| self.known.get(shared)) {
            Some(known) => Rc::clone(known),
            None => self.places(path, bytes, shared, budget)?,
        };
        self.add(path, bytes, &places, budget)
    }

    /// Adds the references at these places of the value at a path.
    fn add(
        &mut self,
        path: &str,
        bytes: &[u8],
        places: &[(usize, usize)],
        budget: &mut Budget,
    ) -> Result<()> {
        for &(start, end) in places {
            let Ok(text) = std::str::from_utf8(&bytes[start..end]) else { continue };
            if let Some(paths) = self.uses.get_mut(text) {
                if paths.last().is_some_and(|last| last == path) {
                    continue;
                }
                budget.take_values::<String>(1, "the references to assets")?;
                budget.take(path.len() as u64, "the references to assets")?;
                paths.push(path.to_owned());
            } else {
                budget.take_values::<(String, Vec<String>)>(2, "the references to assets")?;
                budget.take((text.len() + path.len()) as u64, "the references to assets")?;
                self.uses.insert(text.to_owned(), vec![path.to_owned()]);
            }
        }
        Ok(())
    }

    /// The references in a text; those in a shared text are kept, each once.
    fn places(
        &mut self,
        path: &str,
        bytes: &[u8],
        shared: Option<Shared>,
        budget: &mut Budget,
    ) -> Result<Rc<[(usize, usize)]>> {
        // A list while it grows, and its final copy.
        let most = 4 * 2 * size_of::<usize>() * bytes.find_iter(b"://").count();
        budget.take(most as u64, "the references to assets")?;
        let mut places = references_in(path.rsplit('.').next().unwrap_or_default(), bytes);
        if self.uuids {
            budget.take((bytes.len() / 36 * 64) as u64, "the references to assets")?;
            places.extend(uuids(bytes));
        }
        let Some(shared) = shared else {
            budget.give_back(most as u64);
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
    let mut found = references(source);
    if found.is_empty() {
        return found;
    }
    let mut comments = scripts::comments(source).peekable();
    found.retain(|&(start, _)| {
        while comments.next_if(|comment| comment.end <= start).is_some() {}
        comments.peek().is_none_or(|comment| comment.start > start)
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
        index += len;
        let mut is_whole = !bytes[index.saturating_sub(3)..index].to_ascii_lowercase().ends_with(b"id=");
        if !is_whole {
            // Some addresses have a blank before the id. A script adds the id to an address that ends before it.
            let count =
                |from: usize, is: fn(&u8) -> bool| bytes[from..].iter().take_while(|byte| is(byte)).count();
            let digits = index + count(index, |byte| *byte == b' ');
            let end = digits + count(digits, u8::is_ascii_digit);
            if end > digits {
                (is_whole, index) = (true, end);
            }
        }
        if len > 0 && is_whole {
            found.push((start, index));
        }
    }
    found
}

/// The ranges of the UUIDs in a text, without those of zeros.
fn uuids(bytes: &[u8]) -> Vec<(usize, usize)> {
    const LENGTH: usize = 36;
    let is_digit = |byte: &u8| byte.is_ascii_hexdigit();
    let is_uuid = |text: &[u8]| {
        let mut places = text.iter().enumerate();
        places.all(|(at, byte)| if [8, 13, 18, 23].contains(&at) { *byte == b'-' } else { is_digit(byte) })
            && text.iter().any(|byte| !b"-0".contains(byte))
    };
    let (mut found, mut index) = (Vec::new(), 0);
    while let Some(dash) = bytes.get(index + 8..).and_then(|rest| rest.find_byte(b'-')) {
        let start = index + dash;
        let is_apart = |at: Option<usize>| {
            at.and_then(|at| bytes.get(at)).is_none_or(|byte| !is_digit(byte) && *byte != b'-')
        };
        let range = bytes.get(start..start + LENGTH);
        let is_whole = is_apart(start.checked_sub(1)) && is_apart(Some(start + LENGTH));
        index = match range.is_some_and(|text| is_whole && is_uuid(text)) {
            true => {
                found.push((start, start + LENGTH));
                start + LENGTH
            }
            false => start + 1,
        };
    }
    found
}

/// The digits of the asset's id in a reference: in `rbxassetid://1`; in the parameter `id` or `assetId` of
/// `rbxthumb://type=Asset&id=1` and of addresses of roblox.com; and in their paths, such as `/library/1/name`.
pub fn id(reference: &str) -> Option<&str> {
    let (scheme, rest) = reference.split_once("://")?;
    match scheme.to_ascii_lowercase().as_str() {
        "rbxassetid" => digits(rest),
        "rbxthumb" => {
            parameter(rest, "type").filter(|of| of.eq_ignore_ascii_case("Asset")).and_then(|_| id_in(rest))
        }
        "http" | "https" => {
            let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
            let (host, path) = place.split_once('/').unwrap_or((place, ""));
            let host = host.to_ascii_lowercase();
            let is_roblox = host == "roblox.com" || host.ends_with(".roblox.com");
            is_roblox.then(|| id_in(query).or_else(|| id_below(path))).flatten()
        }
        _ => None,
    }
}

/// The digits at the start of a text, after blanks.
fn digits(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let end = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| &text[..end])
}

/// The value of a parameter of an address.
fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    let mut parameters = query.split('&').filter_map(|pair| pair.split_once('='));
    parameters.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// The id in the parameters of an address; `assetversionid` is the id of a version, not of the asset.
fn id_in(query: &str) -> Option<&str> {
    ["id", "assetid"].into_iter().find_map(|name| digits(parameter(query, name)?))
}

/// The id in the path of an address, after a folder of assets.
fn id_below(path: &str) -> Option<&str> {
    const FOLDERS: [&str; 6] = ["library", "catalog", "asset", "assets", "assetid", "item"];
    let mut folders = path.split('/').map(str::to_ascii_lowercase);
    let index = folders.position(|folder| FOLDERS.contains(&folder.as_str()))?;
    digits(path.split('/').nth(index + 1)?)
}

/// Whether a reference names an old value of `map`: the whole reference, or an id in any of its numbers.
fn names_any(reference: &str, map: &BTreeMap<String, String>) -> bool {
    map.contains_key(reference)
        || reference.split(|char: char| !char.is_ascii_digit()).any(|number| map.contains_key(number))
}

/// The reference that replaces this one.
fn replaced(old: &str, map: &BTreeMap<String, String>) -> Option<String> {
    let own = id(old);
    let new = map.get(old).or_else(|| map.get(own?))?;
    if !new.bytes().all(|byte| byte.is_ascii_digit()) || old.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(new.clone());
    }
    Some(match own {
        Some(own) => {
            let at = own.as_ptr() as usize - old.as_ptr() as usize;
            format!("{}{new}{}", &old[..at], &old[at + own.len()..])
        }
        // An address of a file, such as `rbxasset://`, becomes that of an asset.
        None => format!("rbxassetid://{new}"),
    })
}

/// The references that name an old value of `map` and stay, with their paths, from all references before and after the
/// replacement.
pub(crate) fn remaining(
    before: &BTreeMap<String, Vec<String>>,
    mut after: BTreeMap<String, Vec<String>>,
    map: &BTreeMap<String, String>,
) -> BTreeMap<String, Vec<String>> {
    // A new reference can be equal to an old one.
    let made: HashSet<String> = before.keys().filter_map(|old| replaced(old, map)).collect();
    after.retain(|reference, _| names_any(reference, map) && !made.contains(reference));
    after
}

/// A text with its references replaced; `None` if nothing changes. A key of `map` is a whole reference, or an id: then
/// only the id in the reference changes, unless the new text is a whole reference too. A UUID is a whole reference.
// No budget: the result is as long as the bytes and the caller's replacements.
pub fn replace(bytes: &[u8], map: &BTreeMap<String, String>) -> Option<Vec<u8>> {
    let (mut text, mut copied) = (Vec::new(), 0);
    let mut places = references(bytes);
    if map.keys().any(|old| uuids(old.as_bytes()) == [(0, old.len())]) {
        places.extend(uuids(bytes));
        places.sort_unstable();
    }
    for (start, end) in places {
        if start < copied {
            continue;
        }
        let Ok(old) = std::str::from_utf8(&bytes[start..end]) else { continue };
        if let Some(new) = replaced(old, map) {
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
