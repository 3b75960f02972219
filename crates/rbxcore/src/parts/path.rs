//! Paths of instances: `Workspace/Door/Handle[1]`.
//!
//! Names are separated by `/`. In a name, `\`, `/` and `[` are written with `\` before them. `[1]` after a
//! name is the index, from 0, among the siblings of that name; `[0]` can be left out.

use std::collections::HashMap;

use bstr::BString;

use crate::id::InstanceId;

/// One step of a path: a name, and the index among the siblings of that name.
#[derive(Debug, PartialEq, Eq)]
pub struct Step {
    pub name: BString,
    pub index: usize,
}

/// The steps of a path; `None` if it is malformed. An empty path is one step with an empty name.
pub fn parse(path: &[u8]) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = path.iter();
    loop {
        let mut step = Step { name: BString::default(), index: 0 };
        let more = loop {
            match rest.next() {
                None => break false,
                Some(b'/') => break true,
                Some(b'\\') => step.name.push(*rest.next()?),
                Some(b'[') => {
                    let digits = rest.as_slice().iter().position(|&byte| byte == b']')?;
                    let (number, after) = rest.as_slice().split_at(digits);
                    if !number.iter().all(u8::is_ascii_digit) {
                        return None;
                    }
                    step.index = std::str::from_utf8(number).ok()?.parse().ok()?;
                    rest = after.get(1..)?.iter();
                    match rest.next() {
                        None => break false,
                        Some(b'/') => break true,
                        Some(_) => return None,
                    }
                }
                Some(&byte) => step.name.push(byte),
            }
        };
        steps.push(step);
        if !more {
            return Some(steps);
        }
    }
}

/// Appends a step to a path. An empty name is written as its index.
pub fn push(path: &mut Vec<u8>, name: &[u8], index: usize, is_first: bool) {
    if !is_first {
        path.push(b'/');
    }
    for &byte in name {
        if matches!(byte, b'\\' | b'/' | b'[') {
            path.push(b'\\');
        }
        path.push(byte);
    }
    if index > 0 || name.is_empty() {
        path.extend(format!("[{index}]").bytes());
    }
}

/// The path of the steps, from the outermost: names, and indices among siblings of that name.
pub fn format<'a>(steps: impl IntoIterator<Item = (&'a [u8], usize)>) -> BString {
    let mut path = Vec::new();
    for (number, (name, index)) in steps.into_iter().enumerate() {
        push(&mut path, name, index, number == 0);
    }
    path.into()
}

/// The paths of all instances of a document, given in preorder with their parents and names.
pub fn all<'a>(
    instances: impl Iterator<Item = (InstanceId, Option<InstanceId>, &'a [u8])>,
) -> impl Iterator<Item = (InstanceId, BString)> {
    let level = |id, end| (id, end, HashMap::<&[u8], usize>::new());
    // The instances above the next one; for each, the end of its path, and the number of its children of each name.
    let mut above = vec![level(None, 0)];
    let mut path = Vec::new();
    instances.map(move |(id, parent, name)| {
        while above.len() > 1 && above.last().is_some_and(|(last, ..)| *last != parent) {
            above.pop();
        }
        let is_first = above.len() == 1;
        if let Some((_, end, counts)) = above.last_mut() {
            path.truncate(*end);
            let count = counts.entry(name).or_insert(0);
            push(&mut path, name, *count, is_first);
            *count += 1;
        }
        above.push(level(Some(id), path.len()));
        (id, path.clone().into())
    })
}
