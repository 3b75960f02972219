#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod archives;
pub mod assets;
mod avatar_items;
#[cfg(feature = "history")]
mod client_assets;
mod conversion;
pub mod document;
mod editing;
mod edits;
mod exact;
mod fact;
mod file_type;
mod foreign;
pub mod formats;
mod heights;
mod kit;
mod lods;
mod losses;
mod merge;
mod needed;
mod options;
mod patch;
mod picture;
mod roundtrip;
mod scripts;
mod serial;
mod settings;
mod tar;
pub mod texts;
pub mod tree;
mod unwrap;

pub use document::{Document, treemap};
pub use editing::{differences, stored_differences};
pub use edits::{Edit, Edited, Filled, Packed, TerrainAction};
pub use exact::Grade;
pub use fact::{Fact, FactValue};
pub use file_type::{Content, FileType};
pub use foreign::{NOT_AN_ASSET, not_an_asset, unreadable};
pub use formats::roblox::{Selector, project_paths};
pub use formats::{Detected, FILE_TYPES};
pub use heights::{HeightOptions, heights_of, materials_of, place_of_heights};
pub use kit::{Info, Opened, Output, TargetFormat, open};
pub use lods::Leveled;
pub use losses::{loss_policy, losses};
pub use merge::{Conflict, MergeOptions, Side};
pub use needed::needed;
pub use options::{
    ConvertOptions, EditOptions, ExtractOptions, Fill, PackOptions, ReadOptions, WriteOptions,
};
pub use patch::Step;
pub use picture::PictureOptions;
#[doc(inline)]
pub use rbxblobs as blobs;
#[cfg(feature = "history")]
pub use rbxdocument::history::has_effect as client_notices;
pub use rbxdocument::query::{query, references_to};
#[doc(inline)]
pub use rbxdocument::size;
pub use rbxdocument::state::lines;
#[doc(inline)]
pub use rezkit_avatar as avatar;
pub use rezkit_core::plain;
pub use rezkit_core::{
    Advice, Budget, DEFAULT_MAX_BYTES, Error, ErrorKind, File, Finding, Limit, Loss, LossKind, LossRule,
    Missing, Reference, Result, Rule, RulePolicy, Severity, Sources,
};
#[doc(inline)]
pub use rezkit_render as render;
#[doc(inline)]
pub use rezkit_scene as scene;
pub use rezkit_scene::{ModelOptions, SceneOptions};
#[doc(inline)]
pub use rezkit_upload as upload;
pub use roundtrip::{Report, roundtrip};
pub use scripts::Script;
pub use settings::{Applies, OptionValue, Options, SETTINGS, Setting, Topic};
pub use unwrap::{OPENSIM_ARCHIVE, Unwrapped, Wrapped, unwrap};

/// Every rule that [`Opened::check`] tests, of all formats and profiles.
pub fn rules() -> Vec<Rule> {
    let mut rules: Vec<Rule> = FILE_TYPES.iter().flat_map(|kind| (kind.rules)()).collect();
    rules.extend([foreign::RULE, foreign::UNREADABLE]);
    rules.extend(formats::roblox::rules());
    rules.extend(rezkit_scene::roblox::RULES);
    rules.extend(rezkit_upload::RULES);
    rules.extend(rezkit_avatar::RULES);
    // Kinds of one format have the same rules.
    let mut seen = std::collections::HashSet::new();
    rules.retain(|rule| seen.insert(rule.id));
    rules
}

/// The names of the profiles: of uploads, and of what Studio does with a document.
pub const PROFILES: [&str; 6] = [
    "roblox-upload",
    "roblox-import",
    "roblox-animation",
    "roblox-avatar",
    "roblox-studio",
    "secondlife-upload",
];

/// What to do about a violation of a rule of a profile, by the id of the rule.
pub fn remedy(id: &str) -> Option<&'static str> {
    rezkit_upload::remedy(id).or_else(|| rezkit_avatar::remedy(id))
}

/// The format and the version of a file, from its first bytes; `None` if it is of an unknown format.
pub fn detect(bytes: &[u8]) -> Option<Detected> {
    formats::detect(bytes)
}

/// The format and the version of a file, from its first bytes, and, if they are not enough, as in OBJ and STL, from
/// its name.
pub fn detect_named(bytes: &[u8], name: &str) -> Option<Detected> {
    formats::detect_named(bytes, name)
}
