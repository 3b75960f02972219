//! Selects the instances of a document that are drawn, and lists the others.

use std::collections::{HashMap, HashSet};

use super::builder::{Builder, CLEAR, NOT_FINITE};
use super::rigs::Rigs;
use super::tree::{Tree, is_base_part, is_part};
use crate::model::Node;
use rezkit_core::{Error, ErrorKind, Result};

/// The parts of a service that is not drawn: the first one, and their number.
struct Others {
    service: usize,
    first: usize,
    count: usize,
}

impl Tree {
    /// The only instance that is drawn: the requested one, or the Workspace of a place; `None` if all are drawn.
    pub(super) fn only(&self) -> Option<usize> {
        let is_workspace = |root: &usize| self.instances[*root].class == "Workspace";
        self.start.or_else(|| self.roots.iter().copied().find(is_workspace))
    }

    /// The instances that are drawn, with their descendants.
    pub(super) fn shown(&self) -> Vec<usize> {
        self.only().map_or_else(|| self.roots.clone(), |one| vec![one])
    }

    /// The parts below root instances that are not drawn.
    fn others(&self) -> Vec<Others> {
        let Some(only) = self.only() else { return Vec::new() };
        let other = |&service: &usize| {
            if service == only {
                return None;
            }
            let mut parts = self.descendants(service).into_iter().filter(|&at| is_part(&self.instances[at]));
            let first = parts.next()?;
            Some(Others { service, first, count: 1 + parts.count() })
        };
        self.roots.iter().filter_map(other).collect()
    }
}

/// Lists the content that is not drawn.
///
/// # Errors
/// If nothing can be drawn; the message describes the content of the document.
pub(super) fn list(builder: &mut Builder<'_>, rigs: &Rigs) -> Result<()> {
    let tree = builder.tree;
    let partly = partly(tree, rigs);
    if builder.scene.nodes.iter().all(|node| node.mesh.is_none()) {
        return Err(nothing(builder, !partly.is_empty()));
    }
    let name = |index: usize| &tree.instances[index].name;
    // A caller that requests one instance of a document knows that there are others.
    if tree.start.is_none() {
        let is_sky = |class: &str| {
            let is_effect = || rbxcore::classes::class(class).is_some_and(|class| class.is_a("PostEffect"));
            matches!(class, "Sky" | "Atmosphere" | "Clouds") || is_effect()
        };
        for (index, instance) in tree.instances.iter().enumerate().filter(|(_, of)| is_sky(&of.class)) {
            builder.lose(
                index,
                "roblox.unsupported-class",
                format!("the class {} is not supported", instance.class),
            );
        }
        for Others { service, first, count } in tree.others() {
            builder.lose_many(
                first,
                "roblox.outside-workspace",
                format!(
                    "a part in {0} is left out, because it is outside Workspace \
                     (set the option path to {0} to convert it)",
                    name(service)
                ),
                count,
            );
        }
    }
    for (index, property, kind) in &tree.unread {
        let what = format!(
            "the {} of a part, whose value of type {kind} cannot be read: the default is used",
            property.name()
        );
        builder.approximate(*index, "roblox.unreadable-value", what);
    }
    rest(builder);
    for model in partly {
        builder.lose(model, "roblox.no-rig", format!("the {PARTLY}"));
    }
    for model in rigs.hidden.iter().map(|rig| rig.model) {
        if tree.frame_around(model).is_some() {
            let what = "an animated rig in a ViewportFrame, which is shown only in this frame (set the option path to \
                        the frame to convert it)";
            builder.lose(model, "roblox.outside-workspace", what);
        }
    }
    if tree.start.is_some() {
        return Ok(());
    }
    let roots = if rigs.hidden.is_empty() { Vec::new() } else { tree.below(&tree.roots) };
    let models = rigs.hidden.iter().map(|rig| rig.model);
    for model in models.filter(|&model| tree.frame_around(model).is_none()) {
        let service = roots[model].map_or("", |root| name(root));
        builder.lose(
            model,
            "roblox.outside-workspace",
            format!(
                "an animated rig in {service} is left out, because it is outside Workspace \
                 (set the option path to {service} to convert it)"
            ),
        );
    }
    Ok(())
}

/// Lists the visible instances that are neither drawn nor listed yet, and those of unknown classes.
fn rest(builder: &mut Builder<'_>) {
    let tree = builder.tree;
    // A union whose operands are drawn is the node above them.
    let shows = |node: &&Node| node.mesh.is_some() || !node.children.is_empty();
    let drawn: HashSet<usize> = builder
        .scene
        .nodes
        .iter()
        .filter(shows)
        .filter_map(|node| usize::try_from(node.source?).ok())
        .collect();
    for index in tree.shown().into_iter().flat_map(|top| std::iter::once(top).chain(tree.descendants(top))) {
        let class = &tree.instances[index].class;
        let is_seen = drawn.contains(&index) || builder.listed.contains(&index);
        if is_seen || index >= tree.own {
            continue;
        }
        if is_base_part(class) {
            builder.lose(index, "roblox.unsupported-class", format!("a {class} that is not drawn"));
        } else if rbxcore::classes::class(&**class).is_none() {
            builder.lose(index, "roblox.unknown-class", format!("the class {class} is unknown"));
        }
    }
}

/// The text about a rig that is only partly in the requested instance.
const PARTLY: &str = "animation of a rig that the requested path contains only partly (set the option path to an \
                      instance that contains the whole rig)";

/// The models of animated rigs that the requested instance is in.
fn partly(tree: &Tree, rigs: &Rigs) -> Vec<usize> {
    let mut above = HashSet::new();
    let mut at = tree.start.filter(|_| !rigs.hidden.is_empty());
    while let Some(index) = at.filter(|&index| above.insert(index)) {
        at = tree.instances[index].parent;
    }
    rigs.hidden.iter().map(|rig| rig.model).filter(|model| above.contains(model)).collect()
}

/// Maximum number of classes that the error lists.
const MOST: usize = 5;

fn nothing(builder: &Builder<'_>, is_partly: bool) -> Error {
    let tree = builder.tree;
    let shown = tree.shown();
    let at = match (tree.start, &shown[..]) {
        (Some(start), _) => format!(" in {}", tree.path(start)),
        (None, [one]) if tree.instances[*one].class == "Workspace" => " in Workspace".to_owned(),
        _ => String::new(),
    };
    let mut there: Vec<String> = builder.without_rig.iter().cloned().collect();
    if is_partly {
        there.push(format!("an {PARTLY}"));
    }
    let mut terrain = builder.without_terrain.clone();
    terrain.sort_unstable();
    terrain.dedup();
    there.append(&mut terrain);
    for (what, parts) in
        [(CLEAR, "fully transparent parts"), (NOT_FINITE, "parts with an infinite or NaN position or size")]
    {
        let count = builder.count_of(what);
        if count > 0 {
            there.push(format!("{parts} ({count})"));
        }
    }
    if tree.start.is_none() {
        let others = tree.others().into_iter();
        there.extend(others.map(|other| (other.count, &tree.instances[other.service].name)).map(
            |(count, name)| {
                format!("parts in {name} ({count}; set the option path to {name} to convert them)")
            },
        ));
    }
    if there.is_empty() {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        let tops = if tree.only().is_some() { Vec::new() } else { shown.clone() };
        for index in tops.into_iter().chain(shown.iter().flat_map(|&root| tree.descendants(root))) {
            *counts.entry(&tree.instances[index].class).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        geom::sort::by_key(&mut counts, |&(class, count)| (std::cmp::Reverse(count), class));
        there.extend(counts.iter().take(MOST).map(|(class, count)| format!("{class} ({count})")));
        if counts.len() > MOST {
            there.push(format!("other classes ({})", counts.len() - MOST));
        }
    }
    let there = if there.is_empty() { "no instances".to_owned() } else { there.join(", ") };
    Error::new(ErrorKind::Empty, format!("the document has nothing visible{at}: it contains {there}"))
}
