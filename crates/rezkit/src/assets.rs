//! References to assets: ids and addresses in texts.

use std::collections::BTreeMap;

use rezkit_core::Result;

use crate::tree::{self, Data, MAX_DEPTH, Node, Value};

/// What the addresses of assets begin with.
const SCHEMES: [&str; 6] =
    ["rbxassetid://", "rbxasset://", "rbxthumb://", "rbxgameasset://", "https://", "http://"];

/// Every reference in an asset, with the paths that use it.
///
/// # Errors
/// [`Effort`](rezkit_core::ErrorKind::Effort) where the tree has more than [`MAX_DEPTH`] levels.
pub fn uses(root: &dyn Node) -> Result<BTreeMap<String, Vec<String>>> {
    let mut uses = BTreeMap::new();
    collect(root, "", MAX_DEPTH, &mut uses)?;
    Ok(uses)
}

fn collect(
    node: &dyn Node,
    path: &str,
    depth: usize,
    uses: &mut BTreeMap<String, Vec<String>>,
) -> Result<()> {
    let below = depth.checked_sub(1).ok_or_else(tree::too_deep)?;
    if let Some(value) = node.value() {
        of_value(&value, path, uses);
    }
    for (name, value) in node.properties() {
        of_value(&value, &format!("{path}.{name}"), uses);
    }
    let mut names = std::collections::HashMap::new();
    for child in node.children() {
        if child.whole().is_some_and(|whole| !whole.has_text()) {
            continue;
        }
        let index: &mut usize = names.entry(child.name().into_owned()).or_default();
        let path = tree::join(path, &child.name(), *index);
        *index += 1;
        collect(&*child, &path, below, uses)?;
    }
    Ok(())
}

fn of_value(value: &Value, path: &str, uses: &mut BTreeMap<String, Vec<String>>) {
    match &value.data {
        Data::Bytes(bytes) => {
            for (start, end) in references(bytes) {
                if let Ok(text) = std::str::from_utf8(&bytes[start..end]) {
                    let paths = uses.entry(text.to_owned()).or_default();
                    if paths.last().is_none_or(|last| last != path) {
                        paths.push(path.to_owned());
                    }
                }
            }
        }
        Data::Fields(fields) | Data::Decoded(_, fields) => {
            fields.iter().for_each(|(name, value)| of_value(value, &format!("{path}.{name}"), uses));
        }
        Data::Line(..) => {}
    }
}

/// Where references are in a text.
pub(crate) fn references(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut index = 0;
    while let Some(colon) = bstr::ByteSlice::find(&bytes[index..], "://").map(|colon| index + colon) {
        index = colon + 3;
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

/// A text with its references replaced; `None` where nothing changes. A key is a whole reference, or an id: then
/// only the id in the reference changes, unless the new text is a whole reference too.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_in_texts() {
        let text = b"rbxassetid://12 x='https://www.roblox.com//asset/?id=34', mailto://x";
        let found: Vec<_> = references(text).iter().map(|&(start, end)| &text[start..end]).collect();
        assert_eq!(found, [&b"rbxassetid://12"[..], b"https://www.roblox.com//asset/?id=34"]);
        let map = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())).collect::<BTreeMap<_, _>>()
        };
        let replaced = |pairs: &[(&str, &str)]| {
            replace(text, &map(pairs)).map(|text| String::from_utf8(text).expect("UTF-8"))
        };
        let wanted = "rbxassetid://7 x='https://www.roblox.com//asset/?id=8', mailto://x";
        assert_eq!(replaced(&[("12", "7"), ("34", "8")]).as_deref(), Some(wanted));
        let wanted = "rbxassetid://12 x='rbxassetid://9', mailto://x";
        assert_eq!(replaced(&[("34", "rbxassetid://9")]).as_deref(), Some(wanted));
        // An id is a whole number, not a part of one.
        assert_eq!(replaced(&[("1", "7"), ("rbxassetid://1", "x")]), None);
    }
}
