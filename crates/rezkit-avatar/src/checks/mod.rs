//! The rules, one module for each section.

pub(crate) mod body;
pub(crate) mod bones;
pub(crate) mod cages;
pub(crate) mod emote;
pub(crate) mod head;
pub(crate) mod meshes;
pub(crate) mod properties;
pub(crate) mod rig;
pub(crate) mod tree;

use rbxcore::{Dom, InstanceId};
use rezkit_core::Budget;

use crate::item::{Held, Item, Part};
use crate::numbers::Numbers;
use crate::report::{Sheet, Verdict};
use crate::rules::AvatarRule;

/// What the checks of an item have in common.
pub(crate) struct Context<'a> {
    pub(crate) numbers: &'a Numbers,
    pub(crate) sheet: Sheet,
    pub(crate) budget: &'a mut Budget,
}

impl Context<'_> {
    /// The content of a file; notes for a rule that it is not at hand.
    pub(crate) fn held<'h, T>(
        &mut self,
        rule: &AvatarRule,
        path: &str,
        held: &'h Held<T>,
        allowed: &str,
    ) -> Option<&'h T> {
        match held {
            Held::Read(value) => return Some(value),
            Held::Unset => {}
            Held::Missing(file) => {
                self.sheet.row(rule, path, Verdict::Unseen, format!("{file} is not at hand"), allowed)
            }
            Held::Broken(_) => {}
        }
        None
    }
}

/// The instances of an item, each before its children.
pub(crate) fn instances(document: &dyn Dom, item: &Item) -> Vec<InstanceId> {
    let all = item.tops.iter().flat_map(|top| std::iter::once(*top).chain(document.descendants(*top)));
    match item.kind {
        // What a character wears and does is not part of its body.
        Some(crate::kind::ItemType::Body) => {
            let parts = item.parts.iter().filter_map(|part: &Part| part.id);
            parts.flat_map(|part| std::iter::once(part).chain(document.descendants(part))).collect()
        }
        _ => all.collect(),
    }
}
