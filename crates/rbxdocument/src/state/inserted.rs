//! Instances that both documents inserted.

use std::collections::HashMap;

use rbxcore::{Dom, InstanceId, classes};

use super::matching::Matches;
use crate::view::View as _;

/// A class and a name; without a name for a service at the root, of which there is only one.
pub(super) type Key = (String, String);

/// The instances that ours inserted, and the number of those that theirs inserted, by their parent: in ours, and in theirs.
#[derive(Default)]
pub(crate) struct Inserted {
    pub(super) ours: HashMap<Option<InstanceId>, HashMap<Key, Vec<InstanceId>>>,
    pub(super) theirs: HashMap<Option<InstanceId>, HashMap<Key, usize>>,
}

pub(super) fn key(document: &dyn Dom, id: InstanceId) -> Key {
    let class = document.class_of(id).into_owned();
    let is_service = document.parent(id).is_none() && classes::is_service(&class);
    let name = if is_service { String::new() } else { document.name_of(id).into_owned() };
    (class, name)
}

/// The children that a document inserted below a parent, or at the root.
pub(super) fn inserted_below(
    document: &dyn Dom,
    parent: Option<InstanceId>,
    matches: &Matches,
) -> Vec<InstanceId> {
    let below = match parent {
        None => document.top(),
        Some(parent) if document.contains(parent) => document.below(parent),
        Some(_) => Vec::new(),
    };
    below.into_iter().filter(|id| !matches.from.contains_key(id)).collect()
}
