//! The losses of the kit, and the list of all losses.

use rezkit_core::{Error, LossRule, Result, RulePolicy};

/// The rules of these losses.
const LOSSES: &[LossRule] = &[
    LossRule::new(
        "client.asset",
        "a mesh or image is written in a form that an older client reads, or cannot be read",
    ),
    LossRule::new("client.asset-missing", "a mesh or image was not found, so its version is not known"),
    LossRule::new("file.not-asset", "a file of an archive is no asset"),
    LossRule::new("llsd.replaced", "a malformed, skipped or repeated value is replaced"),
    LossRule::new("llsd.rewritten", "comments and the spelling of an edited value are dropped"),
    LossRule::new("m3d.file-name-only", "the model contains only the name of a file"),
    LossRule::new("m3d.unknown-section", "unknown sections, chunks or comments are dropped"),
    LossRule::new("merge.unused-decision", "a decision resolves no conflict"),
    LossRule::new("patch.not-applicable", "the differences cannot be applied as edits"),
    LossRule::new("patch.other-value", "what a patch does not expect is replaced or removed, by request"),
    LossRule::new("rbxmesh.no-facial-animation", "a mesh of version 5.00 has no facial animation"),
    LossRule::new("roblox.geometry", "a value with geometry cannot be decoded"),
    LossRule::new("terrain.heights", "heights of an image are stored with a scale or in few steps"),
    LossRule::new("terrain.materials", "a colour in an image of materials is that of none"),
    LossRule::new("terrain.resampled", "an image of heights is sampled again"),
];

/// Every rule of losses ([`Loss::id`](crate::Loss::id)), in alphabetical order.
pub fn losses() -> Vec<LossRule> {
    let lists = [
        LossRule::OTHERS,
        rezkit_core::LOSSES,
        rbxdocument::errors::LOSSES,
        rbxproject::LOSSES,
        rezkit_scene::LOSSES,
        rezkit_upload::LOSSES,
        LOSSES,
    ];
    let mut all = lists.concat();
    all.sort_by_key(|rule| rule.id);
    all
}

/// Which losses are accepted and which are an error: [`RulePolicy::accept`] applies it to the losses of a result.
///
/// # Errors
/// [`Argument`](crate::ErrorKind::Argument) if an entry names no rule of [`losses`].
pub fn loss_policy(allow: Vec<String>, deny: Vec<String>) -> Result<RulePolicy> {
    let policy = RulePolicy::new(allow, deny);
    let ids: Vec<&str> = losses().iter().map(|rule| rule.id).collect();
    if let Some(rule) = policy.unknown(&ids).next() {
        let meant = crate::tree::closest(rule, ids.iter().copied());
        let meant = meant.map_or_else(String::new, |meant| format!("; did you mean {meant}?"));
        return Err(Error::argument(format!("unknown rule {rule}{meant}")));
    }
    Ok(policy)
}
