//! Instances of a Roblox document by their ids, which they keep over edits: what the page follows and draws again.

use std::collections::{HashMap, HashSet};

use rbxcore::classes;
use rbxcore::{Dom, InstanceId};
use rezkit::Result;
use rezkit::scene::{self, roblox};
use rezkit::tree::{self, Found, Node};
use serde_json::{Value, json};

use crate::asset::property;

/// The number of paths that are found one by one; for more of them, all instances are visited once.
const FEW: usize = 8;

/// The id of no instance.
pub(crate) const NONE: u32 = u32::MAX;

/// The instances that exist.
fn existing<'a>(dom: &'a dyn Dom, ids: &'a [u32]) -> impl Iterator<Item = InstanceId> + 'a {
    ids.iter().filter_map(|&id| InstanceId::new(id)).filter(|&id| dom.contains(id))
}

pub(crate) fn ids(dom: &dyn Dom, paths: &[String]) -> Vec<u32> {
    if paths.len() <= FEW {
        return paths.iter().map(|path| dom.find(path).map_or(NONE, InstanceId::slot)).collect();
    }
    let mut ids = vec![NONE; paths.len()];
    let mut wanted: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (index, path) in paths.iter().enumerate() {
        wanted.entry(path.as_bytes()).or_default().push(index);
    }
    for (id, path) in dom.paths() {
        wanted.get(&**path).into_iter().flatten().for_each(|&index| ids[index] = id.slot());
    }
    ids
}

pub(crate) fn paths(dom: &dyn Dom, ids: &[u32]) -> Vec<String> {
    let found = ids.iter().map(|&id| InstanceId::new(id).filter(|&id| dom.contains(id)));
    if ids.len() <= FEW {
        let path = |id: Option<InstanceId>| id.and_then(|id| dom.path(id)).map(|path| path.to_string());
        return found.map(|id| path(id).unwrap_or_default()).collect();
    }
    let mut paths = vec![String::new(); ids.len()];
    let mut wanted: HashMap<InstanceId, Vec<usize>> = HashMap::new();
    for (index, id) in found.enumerate() {
        id.into_iter().for_each(|id| wanted.entry(id).or_default().push(index));
    }
    for (id, path) in dom.paths() {
        wanted.get(&id).into_iter().flatten().for_each(|&index| paths[index] = path.to_string());
    }
    paths
}

/// Rows of a list, for each path.
pub(crate) fn rows(dom: &dyn Dom, paths: &[String]) -> Vec<Value> {
    let row = |(id, path): (u32, &String)| {
        let id = InstanceId::new(id).filter(|&id| dom.contains(id))?;
        let (name, kind) = (dom.label(id).to_string(), dom.class(id).map(ToString::to_string));
        let count = dom.children(id).count();
        Some(json!({ "path": path, "name": name, "kind": kind, "value": null, "count": count }))
    };
    ids(dom, paths).into_iter().zip(paths).filter_map(row).collect()
}

pub(crate) fn below(dom: &dyn Dom, ids: &[u32]) -> Vec<u32> {
    let (mut known, mut all) = (HashSet::new(), Vec::new());
    for id in existing(dom, ids) {
        if !known.contains(&id) {
            all.extend(std::iter::once(id).chain(dom.descendants(id)).filter(|&id| known.insert(id)));
        }
    }
    all.into_iter().map(InstanceId::slot).collect()
}

fn is_a(dom: &dyn Dom, id: InstanceId, base: &str) -> bool {
    dom.class(id).and_then(classes::class).is_some_and(|class| class.is_a(base))
}

pub(crate) fn parts(dom: &dyn Dom, ids: &[u32]) -> Option<Vec<u32>> {
    let part = |id| {
        let mut above = std::iter::successors(Some(id), |&id| dom.parent(id));
        above.find(|&id| is_a(dom, id, "BasePart")).unwrap_or(id)
    };
    let parts: HashSet<InstanceId> = existing(dom, ids).map(part).collect();
    let is_tied = |id| ["Attachment", "Constraint"].iter().any(|base| is_a(dom, id, base));
    let is_alone = |&id: &InstanceId| !is_tied(id) && !dom.descendants(id).any(is_tied);
    parts.iter().all(is_alone).then(|| parts.iter().map(|id| id.slot()).collect())
}

pub(crate) fn next(dom: &dyn Dom) -> u32 {
    dom.instances().map(InstanceId::slot).max().map_or(0, |last| last + 1)
}

pub(crate) fn added(dom: &dyn Dom, since: u32) -> Vec<u32> {
    let is_new = |id: &InstanceId| id.slot() >= since;
    let tops = dom.instances().filter(is_new).filter(|&id| !dom.parent(id).as_ref().is_some_and(is_new));
    tops.map(InstanceId::slot).collect()
}

pub(crate) fn depends_on(dom: &dyn Dom, ids: &[u32], properties: &[String]) -> bool {
    let of: HashSet<_> = existing(dom, ids).filter_map(|id| dom.class(id)).collect();
    of.iter().any(|class| {
        let class = class.to_string();
        properties.iter().any(|property| roblox::depends_on(&class, property))
    })
}

pub(crate) fn of_nodes(dom: &dyn Dom, nodes: &[scene::Node]) -> Vec<u32> {
    let ids: Vec<u32> = dom.instances().map(InstanceId::slot).collect();
    let id = |source: Option<u32>| source.and_then(|index| ids.get(index as usize)).copied();
    nodes.iter().map(|node| id(node.source).unwrap_or(NONE)).collect()
}

/// The text of a property of a node; null where there is none.
fn text(node: &dyn Node, name: &str) -> Value {
    let stored = node.properties().into_iter().find(|(stored, _)| stored == name);
    let value = stored.map(|(_, value)| value).or_else(|| match node.unstored(name) {
        Some(Found::Default(value) | Found::Other(_, value)) => Some(value),
        _ => None,
    });
    value.map_or(Value::Null, |value| {
        property(classes::class(&*node.kind()), name, &value, "stored")["text"].take()
    })
}

pub(crate) fn texts(root: &dyn Node, paths: &[String], name: &str) -> Result<Vec<Value>> {
    let mut texts = vec![Value::Null; paths.len()];
    if paths.len() <= FEW {
        for (to, path) in texts.iter_mut().zip(paths) {
            tree::with_node(root, path, &mut |node| *to = text(node, name))?;
        }
        return Ok(texts);
    }
    let wanted: HashMap<&str, usize> =
        paths.iter().enumerate().map(|(index, path)| (&**path, index)).collect();
    let visit = &mut |path: &str, node: &dyn Node| {
        wanted.get(path).into_iter().for_each(|&index| texts[index] = text(node, name));
        true
    };
    tree::walk(root, "", visit)?;
    Ok(texts)
}

/// As `texts`, of instances. Only what is above them is visited.
pub(crate) fn texts_of(root: &dyn Node, dom: &dyn Dom, ids: &[u32], name: &str) -> Result<Vec<Value>> {
    let mut wanted: HashMap<InstanceId, Value> = existing(dom, ids).map(|id| (id, Value::Null)).collect();
    let mut above: HashSet<InstanceId> = HashSet::new();
    for &id in wanted.keys() {
        let parents = std::iter::successors(dom.parent(id), |&id| dom.parent(id));
        parents.take_while(|&id| above.insert(id)).for_each(drop);
    }
    visit(root, tree::MAX_DEPTH, &above, &mut |id, node| {
        wanted.get_mut(&id).into_iter().for_each(|to| *to = text(node, name));
    })?;
    Ok(ids.iter().map(|&id| InstanceId::new(id).and_then(|id| wanted.get(&id)).cloned().into()).collect())
}

fn visit(
    node: &dyn Node,
    depth: usize,
    above: &HashSet<InstanceId>,
    found: &mut dyn FnMut(InstanceId, &dyn Node),
) -> Result<()> {
    let below = depth.checked_sub(1).ok_or_else(tree::too_deep)?;
    for child in node.children() {
        let Some((_, id)) = child.instance() else { continue };
        found(id, &*child);
        if above.contains(&id) {
            visit(&*child, below, above, found)?;
        }
    }
    Ok(())
}
