//! Brings a document to the state of a `WeakDom`.

use std::collections::{HashMap, HashSet};

use geom::wire::{DEFAULT_MAX_BYTES, Result};
use rbx_dom_weak::WeakDom;
use rbx_dom_weak::types::Variant;
use rbxcore::{Dom, InstanceId};

use super::{Lost, from_weak, to_weak};
use crate::errors::Loss;
use crate::state::update_from;

/// Changes a document to the instances, the values and the order of a `WeakDom`, whose root stands for the document: only
/// what differs. All other bytes stay, and so does what a `WeakDom` cannot hold, such as references in attributes: `document`
/// is compared with `weak` as [`to_weak`] shows it. Returns what the form of the document cannot represent.
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
    let (known, _) = to_weak(document);
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
    let is_new =
        |lost: &Lost| before.get(&lost.path) != after.get(&lost.path) || !before.contains_key(&lost.path);
    losses.extend(
        lost.into_iter().filter(is_new).map(|lost| Loss::new(lost.path, lost.what).id("weak.not-stored")),
    );
    Ok(losses)
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
