//! Paths of what a scene shows.

use rbxcore::Dom;
use rbxdocument::paths::Paths;
use rbxdocument::view::View as _;
use rezkit_core::{Budget, Result};

/// For each node of a scene, the path of the instance that it shows.
pub(in super::super) fn node_paths(
    document: &dyn Dom,
    scene: &rezkit_scene::Scene,
    max_bytes: u64,
) -> Result<Vec<Option<String>>> {
    let (ids, mut paths, mut budget) = (document.all(), Paths::new(document), Budget::new(max_bytes));
    let mut path = |source: Option<u32>| {
        let id = source.and_then(|index| ids.get(usize::try_from(index).ok()?));
        id.map(|&id| Ok(paths.of(id, &mut budget)?)).transpose()
    };
    scene.nodes.iter().map(|node| path(node.source)).collect()
}

/// The animations of a document, with their paths.
///
/// # Errors
/// As [`node_paths`].
pub(in super::super) fn with_paths(
    document: &dyn Dom,
    read: impl FnOnce(&mut Budget) -> Result<Vec<rezkit_scene::roblox::AnimationFacts>>,
    max_bytes: u64,
) -> crate::file_type::Animations {
    let (ids, mut paths, mut budget) = (document.all(), Paths::new(document), Budget::new(max_bytes));
    let animations = read(&mut budget)?;
    let mut path = |index: u32| {
        let id = usize::try_from(index).ok().and_then(|index| ids.get(index));
        id.map_or(Ok(String::new()), |&id| Ok(paths.of(id, &mut budget)?))
    };
    animations.into_iter().map(|facts| path(facts.source).map(|path| (facts, path))).collect()
}
