//! Brings a document to the state of a `WeakDom`.

use std::collections::{HashMap, HashSet};

use geom::wire::{DEFAULT_MAX_BYTES, Result};
use rbx_dom_weak::types::{Ref, Variant};
use rbx_dom_weak::{Instance, Ustr, WeakDom};
use rbxcore::{Dom, InstanceId};

use super::{Lost, from_weak, to_weak};
use crate::errors::Loss;
use crate::state::update_from;

/// Changes a document to the instances, the values and the order of a `WeakDom`, whose root stands for the document: only
/// what differs. All other bytes stay, and so does what a `WeakDom` cannot hold, such as references in attributes: `document`
/// is compared with `weak` as [`to_weak`] shows it. A property that the class table does not know stays, too, if no instance
/// of the class has it in `weak`: rbx_binary and rbx_xml leave it out unless they are told to read it. Returns what the form
/// of the document cannot represent.
///
/// ```
/// # fn main() -> rbxdocument::Result<()> {
/// # let mut place = rbxbinary::Document::new();
/// # place.insert(None, rbxdocument::NewInstance::new("Part").property("Name", "Wall").property("Anchored", false))?;
/// let (mut weak, _) = rbxdocument::weak::to_weak(&place);
/// let part = weak.root().children()[0];
/// weak.get_by_ref_mut(part).unwrap().properties.insert("Anchored".into(), true.into());
/// rbxdocument::weak::apply(&mut place, &weak)?;
/// # let wall = place.find("Wall").unwrap();
/// # assert_eq!(place.get(wall, "Anchored").unwrap().as_bool(), Some(true));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`from_weak`], and if the change needs more than 1 GiB; the document is unchanged then.
pub fn apply(document: &mut dyn Dom, weak: &WeakDom) -> Result<Vec<Loss>> {
    let (mut known, _) = to_weak(document);
    leave_unread(&mut known, weak);
    let made = |of: &WeakDom| -> Result<(Box<dyn Dom>, Vec<Lost>)> {
        let mut made = document.empty();
        let lost = from_weak(&mut *made, of, of.root().children())?;
        Ok((made, lost))
    };
    let (weak_known, (known, lost_before), (new, lost)) = (&known, made(&known)?, made(weak)?);
    let own: HashMap<InstanceId, InstanceId> = known.instances().zip(document.instances()).collect();
    let mut losses = update_from(document, (&*known, own), &*new, DEFAULT_MAX_BYTES)?;
    // What the document has, although files do not store it, stays, and is lost only if it changes.
    let (before, after) = (values(weak_known, &lost_before), values(weak, &lost));
    let (known_paths, known_count) = (lost_before.iter().collect::<HashSet<_>>(), counted(&lost_before));
    let count = counted(&lost);
    let is_new = |lost: &Lost| {
        let is_more = || count.get(&kind_of(lost)) > known_count.get(&kind_of(lost));
        match before.get(&lost.path) {
            Some(value) => after.get(&lost.path) != Some(value),
            None => !known_paths.contains(lost) && is_more(),
        }
    };
    losses.extend(
        lost.iter()
            .filter(|lost| is_new(lost))
            .map(|lost| Loss::new(lost.path.as_str(), lost.what).id("weak.not-stored")),
    );
    Ok(losses)
}

/// Removes the properties that the class table does not know, if no instance of the class has them in another tree.
fn leave_unread(known: &mut WeakDom, weak: &WeakDom) {
    let mut read: HashMap<Ustr, HashSet<Ustr>> = HashMap::new();
    for instance in weak.descendants() {
        read.entry(instance.class).or_default().extend(instance.properties.keys());
    }
    let all: Vec<Ref> = known.descendants().map(Instance::referent).collect();
    for id in all {
        let Some(instance) = known.get_by_ref_mut(id) else { continue };
        let (class, read) = (rbxcore::classes::class(&*instance.class), read.get(&instance.class));
        let is_known = |name: &Ustr| class.is_some_and(|class| class.property(&**name).is_some());
        let is_read = |name: &Ustr| is_known(name) || read.is_none_or(|read| read.contains(name));
        instance.properties.retain(|name, _| is_read(name));
    }
}

/// The property of a loss, and why it is one.
fn kind_of(lost: &Lost) -> (&str, &str) {
    (lost.path.rsplit_once('.').map_or("", |(_, name)| name), lost.what)
}

/// The number of losses of each kind.
fn counted(lost: &[Lost]) -> HashMap<(&str, &str), usize> {
    let mut counts = HashMap::new();
    lost.iter().for_each(|lost| *counts.entry(kind_of(lost)).or_default() += 1);
    counts
}

/// The values at the paths of losses.
fn values<'a>(weak: &'a WeakDom, lost: &[Lost]) -> HashMap<String, Vec<&'a Variant>> {
    let names: HashSet<&str> = lost.iter().filter_map(|lost| Some(lost.path.rsplit_once('.')?.1)).collect();
    let mut found: HashMap<String, Vec<&Variant>> = HashMap::new();
    for instance in weak.descendants() {
        for (name, value) in instance.properties.iter().filter(|(name, _)| names.contains(name.as_str())) {
            let path = format!("{}.{name}", weak.full_path_of(instance.referent(), "/"));
            found.entry(path).or_default().push(value);
        }
    }
    found
}
