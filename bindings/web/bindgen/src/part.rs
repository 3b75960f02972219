//! Which part of the engine has a function, by its name. The first part opens, shows, queries, edits and saves documents.
//! The second one has what only meshes, scenes, conversions, merges, projects and checks need. A function in the wrong
//! part costs only time: the second part is loaded when the first one calls it. `test/kit.test.mjs` proves that documents
//! do not need it.

/// The exports of the second part begin with these.
const EXPORTS: &[&str] = &[
    "scene_",
    "asset_avatar_items",
    "asset_check",
    "asset_scene",
    "asset_merge",
    "asset_take",
    "asset_pack",
    "asset_second_life",
    "asset_convert",
    "asset_extract",
    "asset_texts",
    "asset_ids",
    "asset_found",
    "asset_paths",
    "asset_next_id",
    "asset_below",
    "asset_depends_on",
    "asset_node_ids",
    "asset_parts",
    "asset_added",
    "diff",
];

/// The modules of the second part.
const SECOND: &[&str] = &[
    "draco_core",
    "fdeflate",
    "gif",
    "glam",
    "gltf",
    "image_webp",
    "llsd::checked",
    "m3d",
    "png",
    "rbxbinary::check",
    "rbxblobs::collision",
    "rbxblobs::curves",
    "rbxblobs::terrain::surface",
    "rbxblobs::union_mesh",
    "rbxdocument::replace",
    "rbxdocument::rules",
    "rbxdocument::state::content",
    "rbxdocument::state::decisions",
    "rbxdocument::state::inserted",
    "rbxdocument::state::lines",
    "rbxdocument::state::matching",
    "rbxdocument::state::merge",
    "rbxdocument::state::steps",
    "rbxdocument::state::texts",
    "rbxmesh",
    "rbxproject",
    "rbxxml::check",
    "rezkit::archives",
    "rezkit::avatar_items",
    "rezkit::conversion",
    "rezkit::editing::converted",
    "rezkit::formats::llsd_json",
    "rezkit::formats::llsd_merge",
    "rezkit::formats::roblox::emotes",
    "rezkit::formats::roblox::geometry",
    "rezkit::formats::roblox::merged",
    "rezkit::formats::roblox::patch",
    "rezkit::formats::roblox::values",
    "rezkit::serial",
    "rezkit::tree::diff",
    "rezkit_avatar",
    "rezkit_render",
    "rezkit_scene",
    "rezkit_upload",
    "roxmltree",
    "rezkit_web::scene",
    "similar",
    "slmesh",
    "tar",
    "weezl",
    "zip",
    "zlib_rs::deflate",
    "zune_jpeg",
];

/// Other functions of the second part: what may be misspelled in a selector that finds nothing, and methods of an opened file
/// that need its scene, its rules, or another format.
const OTHERS: &[&str] = &[
    "selector::Selector>::unknown",
    "as rezkit::file_type::Asset>::check",
    "as rezkit::file_type::Asset>::convert",
    "as rezkit::file_type::Asset>::replace_texts",
    "as rezkit::file_type::Asset>::scene",
    "kit::Opened>::check_avatar",
    "kit::Opened>::check_scene",
    "kit::Opened>::convert",
    "kit::Opened>::scene",
    "rezkit_web::asset::items",
    "scenes::Foreign as rezkit::file_type::Asset>::describe",
];

/// The functions of these modules that the first part has all the same, with what they call: the lists of rules, and the
/// detection of formats.
const FIRST: &[&str] = &[
    // Merged with that of another type.
    "RefFromWasmAbi>::try_ref_from_abi",
    "as rezkit::file_type::Asset>::scripts",
    // Options that nobody sets.
    "SceneOptions as core::default::Default>::default",
    "::detect",
    "::is_pose",
    "::rules",
    "::targets",
    "rbxmesh::wire::version::read",
    "slmesh::consts::joints::NAMES::{closure#0}",
    "slmesh::wire::motion::version",
];

/// Which part has a function.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Part {
    /// The first one, with all functions that it calls.
    Always,
    First,
    Second,
    /// A generic function of a library, with a type of the second part: the second one, unless the first one calls it, as
    /// the compiler may have merged it with one that does the same for another type.
    Generic,
}

pub(crate) fn of(name: &str) -> Part {
    if FIRST.iter().any(|end| name.ends_with(end) || name.contains(&format!("{end} as"))) {
        return Part::Always;
    }
    if EXPORTS.iter().any(|start| name.starts_with(start)) || OTHERS.iter().any(|of| name.contains(of)) {
        return Part::Second;
    }
    let own = name.len() - name.trim_start_matches(['<', '&', '(', '[']).len();
    // The compiler merges small functions that do the same, so the first part may call one of these by its name.
    let mut part = if name.contains("rezkit_web::instances::") { Part::Generic } else { Part::First };
    for module in SECOND {
        for (at, _) in name.match_indices(module) {
            let before = name[..at].chars().next_back();
            if !name[at + module.len()..].starts_with("::")
                || before.is_some_and(|char| char.is_alphanumeric() || [':', '_'].contains(&char))
            {
                continue;
            }
            if at == own {
                return Part::Second;
            }
            part = Part::Generic;
        }
    }
    part
}
