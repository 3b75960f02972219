//! Joins a place with another place, so that each service exists only once.

use std::collections::{HashMap, HashSet};

use rbxcore::classes::is_service;
use rbxcore::{Dom, InstanceId, Value};

use crate::view::{Sort, View as _};
use geom::wire::{Loss, Result};

/// Objects that exist once below a service in every place.
const INSIDE: [&str; 4] = ["Camera", "StarterCharacterScripts", "StarterPlayerScripts", "Terrain"];

/// Properties that differ between any two instances.
const OWN: [&str; 4] = ["HistoryId", "Name", "SourceAssetId", "UniqueId"];

/// Moves the children of services among the new `roots` into the document's existing services, and removes the new
/// services. The document keeps its own properties, camera and terrain; the returned losses list those that were
/// dropped.
///
/// # Errors
/// If an edit is refused.
pub fn join(document: &mut dyn Dom, roots: &[InstanceId]) -> Result<Vec<Loss>> {
    let given: HashSet<InstanceId> = roots.iter().copied().collect();
    let old = document.top().into_iter().filter(|id| !given.contains(id)).collect();
    let services = firsts(document, old, is_service);
    let pair = |&new: &InstanceId| Some((new, *services.get(&*document.class_of(new))?));
    let mut pairs: Vec<_> = roots.iter().filter_map(pair).collect();
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let mut new = Vec::new();
    let mut waiting = roots.to_vec();
    while let Some(id) = waiting.pop() {
        waiting.extend(document.below(id));
        new.push(id);
    }
    let (mut losses, mut moves, mut next) = (Vec::new(), Vec::new(), 0);
    let mut inside: HashMap<InstanceId, HashMap<String, InstanceId>> = HashMap::new();
    while let Some(&(from, into)) = pairs.get(next) {
        next += 1;
        losses.extend(differing(document, from, into));
        // Several new services may be joined with one existing service.
        let find = || firsts(document, document.below(into), |class| INSIDE.contains(&class));
        let old = inside.entry(into).or_insert_with(find);
        for child in document.below(from) {
            match old.get(&*document.class_of(child)) {
                Some(&same) => pairs.push((child, same)),
                None => moves.push((child, into)),
            }
        }
    }
    for (child, into) in moves {
        document.move_to(child, Some(into))?;
    }
    let into: HashMap<InstanceId, InstanceId> = pairs.iter().copied().collect();
    for id in new {
        for (property, mut value) in document.some(id, &|_, sort| sort == Sort::Reference) {
            let to = value.as_instance().and_then(|to| into.get(&to));
            if let (Some(&to), Some(reference)) = (to, value.reference_mut()) {
                *reference = Some(to);
                document.put(id, &property, value)?;
            }
        }
    }
    for (from, _) in pairs {
        if document.contains(from) {
            document.remove(from)?;
        }
    }
    Ok(losses)
}

/// The first instance of each wanted class.
fn firsts(document: &dyn Dom, ids: Vec<InstanceId>, wanted: fn(&str) -> bool) -> HashMap<String, InstanceId> {
    let mut firsts = HashMap::new();
    for id in ids {
        let class = document.class_of(id);
        if wanted(&class) && !firsts.contains_key(&*class) {
            firsts.insert(class.into_owned(), id);
        }
    }
    firsts
}

/// The properties of two instances that differ, as one line.
fn differing(document: &dyn Dom, from: InstanceId, into: InstanceId) -> Option<Loss> {
    let own: HashMap<String, Value> = document.values(into).into_iter().collect();
    let is_other = |(name, value): &(String, Value)| {
        !OWN.contains(&&**name)
            && value.as_instance().is_none()
            && own.get(name).is_some_and(|own| own != value)
    };
    let mut names: Vec<String> =
        document.values(from).into_iter().filter(is_other).map(|(name, _)| name).collect();
    names.sort();
    let more = match names.len().saturating_sub(3) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    names.truncate(3);
    let names = names.join(", ");
    let what = format!("the inserted model's values of {names}{more}; the place keeps its own values");
    (!names.is_empty()).then(|| Loss::new(document.path_of(into), what).id("roblox.kept-values"))
}
