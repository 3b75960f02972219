//! Which instances of the document are the wanted ones, and what becomes of the others. Changes nothing.

use rbxdocument::view::{View as _, children_of};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher as _};

use bstr::ByteSlice as _;
use rbxcore::{InstanceId, Value, classes};

use serde_json::Value as Json;

use crate::json;
use crate::meta::IDENTIFIERS;
use crate::snapshot::{Class, Unlisted};
use crate::tree::{self, Scripts, suffix};
use crate::wants::Wants;
use rbxcore::Dom;
use rbxdocument::state::Matching;
use rbxdocument::validate;
use rbxdocument::which::ATTRIBUTES;

/// What a wanted instance is in the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Is {
    /// An instance that stays where it is.
    Same(InstanceId),
    /// An instance whose file was moved or renamed.
    Moved(InstanceId),
    /// An instance that gets another class.
    Becomes(InstanceId),
    New,
    /// Nothing: a path leads to no file.
    Absent,
}

impl Is {
    pub(crate) fn id(self) -> Option<InstanceId> {
        match self {
            Self::Same(id) | Self::Moved(id) | Self::Becomes(id) => Some(id),
            Self::New | Self::Absent => None,
        }
    }
}

/// An instance of the document that is missing from the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// It goes, with everything below it that is no wanted instance.
    Gone(InstanceId),
    /// A script that stays, since instances are below it that are in no file.
    Above(InstanceId),
    /// It stays, since the folder need not have everything.
    Kept(InstanceId),
}

/// What each wanted instance is, and the instances that are missing from the folder, each before what is below it.
pub(crate) struct Table {
    pub(crate) wants: Vec<Is>,
    pub(crate) left: Vec<Left>,
    /// The wanted folders whose instances are scripts, since the script's file is missing.
    pub(crate) without_source: Vec<usize>,
}

struct Matcher<'a> {
    document: &'a dyn Dom,
    wants: &'a Wants<'a>,
    scripts: &'a Scripts,
    /// Whether what is missing from the folder is removed.
    removes: bool,
    is: Vec<Is>,
    /// The wanted ones of instances.
    of: HashMap<InstanceId, usize>,
}

/// Matches wanted instances with those of a document: by class, name and content below the same parent; scripts also
/// by their sources wherever they are; then what has the place of another class.
pub(crate) fn table(document: &dyn Dom, wants: &Wants<'_>, scripts: &Scripts, removes: bool) -> Table {
    let is = wants.all.iter().map(|want| if want.is_created { Is::New } else { Is::Absent }).collect();
    let mut matcher = Matcher { document, wants, scripts, removes, is, of: HashMap::new() };
    matcher.top();
    matcher.moved();
    matcher.renamed();
    matcher.replaced();
    matcher.moved();
    let left = matcher.left();
    let without_source = (0..wants.all.len()).filter(|&want| matcher.lacks_source(want)).collect();
    // What is not created has nothing below it, either.
    for want in 0..wants.all.len() {
        let above = wants.all[want].parent.map(|parent| matcher.is[parent]);
        if matcher.is[want] == Is::New && above == Some(Is::Absent) {
            matcher.is[want] = Is::Absent;
        }
    }
    Table { wants: matcher.is, left, without_source }
}

/// Line ends do not count as differences of scripts.
pub(crate) fn lines(bytes: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    match bytes.find("\r\n") {
        Some(_) => bytes.replace("\r\n", "\n").into(),
        None => bytes.into(),
    }
}

fn hash(of: impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

impl Matching for Matcher<'_> {
    type Old = InstanceId;
    type New = usize;

    fn new_of(&self, id: InstanceId) -> Option<usize> {
        self.of.get(&id).copied()
    }

    fn old_of(&self, want: usize) -> Option<InstanceId> {
        self.is[want].id()
    }

    /// Matches a wanted instance with one of its class: it moves if it is elsewhere or has another name.
    fn pair(&mut self, id: InstanceId, want: usize) {
        let wanted = &self.wants.all[want];
        let parent = wanted.parent.and_then(|parent| self.is[parent].id());
        let is_there = self.document.parent(id) == parent && self.document.name_of(id) == wanted.name;
        self.take(want, if is_there { Is::Same(id) } else { Is::Moved(id) });
    }
}

/// What is compared to tell siblings of one class and name apart.
struct Compared {
    text: Option<&'static str>,
    names: Vec<String>,
    /// Whether the values are those of JSON, not of a model.
    is_json: bool,
    children: bool,
}

impl<'a> Matcher<'a> {
    fn class(&self, id: InstanceId) -> std::borrow::Cow<'a, str> {
        self.document.class_of(id)
    }

    fn is_free(&self, id: InstanceId) -> bool {
        !self.of.contains_key(&id)
    }

    fn take(&mut self, want: usize, is: Is) {
        self.is[want] = is;
        self.of.extend(is.id().map(|id| (id, want)));
    }

    /// Matches the instances at the root, and all below them.
    fn top(&mut self) {
        let (roots, top) = (self.wants.roots.clone(), self.document.top());
        if let (false, &[root], &[only]) = (self.wants.snapshot.is_place, &*roots, &*top) {
            // The name of a single instance is often that of another project.
            let class = self.class(only);
            let is_other_name = self.removes && self.document.name_of(only) != self.wants.all[root].name;
            let same = if is_other_name { Is::Moved(only) } else { Is::Same(only) };
            let is = match &self.wants.all[root].class {
                Class::Stated(wanted) | Class::Inferred(wanted) if **wanted == *class => same,
                // The model is the root of the project, whatever it was.
                Class::Stated(_) | Class::Inferred(_) if self.removes => Is::Becomes(only),
                Class::Stated(wanted) if is_soft(wanted) && is_soft(&class) => Is::Becomes(only),
                Class::Stated(_) => Is::New,
                _ => same,
            };
            self.take(root, is);
        } else {
            self.siblings(None, &roots, top);
        }
        self.below(&roots);
    }

    /// Matches everything below wanted instances that are matched.
    fn below(&mut self, wants: &[usize]) {
        let mut waiting = wants.to_vec();
        while let Some(want) = waiting.pop() {
            let Some(id) = self.is[want].id() else { continue };
            let wants = self.wants;
            let children = &wants.all[want].children;
            if !children.is_empty() {
                self.siblings(Some(want), children, self.document.below(id));
                waiting.extend(children);
            }
        }
    }

    /// Matches wanted instances with instances below the same parent.
    fn siblings(&mut self, parent: Option<usize>, wants: &[usize], instances: Vec<InstanceId>) {
        let document = self.document;
        // `extract` names scripts and folders first.
        let is_first = |id: &InstanceId| !self.wants.snapshot.is_foreign && self.scripts.wanted.contains(id);
        let (first, others): (Vec<_>, Vec<_>) = instances.into_iter().partition(is_first);
        let ordered: Vec<InstanceId> =
            first.into_iter().chain(others).filter(|&id| self.is_free(id)).collect();
        let mut named: HashMap<String, Vec<InstanceId>> = HashMap::new();
        for &id in &ordered {
            named.entry(document.name_of(id).into_owned()).or_default().push(id);
        }
        let mut groups: HashMap<(&str, &str), usize> = HashMap::new();
        let mut all: Vec<Vec<usize>> = Vec::new();
        for &want in wants.iter().filter(|&&want| self.is[want].id().is_none()) {
            let class = match &self.wants.all[want].class {
                Class::Stated(class) | Class::Inferred(class) => class.as_str(),
                Class::Any => continue,
            };
            let group = *groups.entry((&self.wants.all[want].name, class)).or_insert(all.len());
            all.resize_with(all.len().max(group + 1), Vec::new);
            all[group].push(want);
        }
        let mut stems = None;
        for group in all {
            let first = &self.wants.all[group[0]];
            let (Class::Stated(class) | Class::Inferred(class)) = &first.class else { continue };
            let Some(ids) = named.get(&first.name) else { continue };
            let ids: Vec<_> = ids.iter().copied().filter(|&id| *self.class(id) == **class).collect();
            self.group(&group, &ids, &ordered, &mut stems);
        }
        for &want in wants.iter().filter(|&&want| self.is[want].id().is_none()).collect::<Vec<_>>() {
            let free = named.get(&self.wants.all[want].name).into_iter().flatten().copied();
            let free: Vec<_> = free.filter(|&id| self.is_free(id)).collect();
            if let Some(is) = self.place(parent, want, &free) {
                self.take(want, is);
            } else if parent.is_none()
                && let Class::Stated(class) | Class::Inferred(class) = &self.wants.all[want].class
                && classes::is_service(class)
                // A service under another name.
                && let Some(&id) = ordered.iter().find(|&&id| self.is_free(id) && *self.class(id) == **class)
            {
                self.take(want, Is::Same(id));
            }
        }
    }

    /// The instance with the name of a wanted one that has another class, but is the same one.
    fn place(&self, parent: Option<usize>, want: usize, free: &[InstanceId]) -> Option<Is> {
        let wanted = &self.wants.all[want];
        let is_folder = self.is_folder(want);
        // A node of a project is about the instance of its name, which gets another class.
        let node = self.wants.node(want);
        let is_named = node.is_keyed && (node.has_path || node.class.is_some());
        if self.removes && wanted.is_node && is_named && wanted.class != Class::Any {
            let stays = |&&id: &&InstanceId| !is_of_place(&self.class(id)) && !self.is_removable(parent, id);
            if let Some(&id) = free.iter().find(stays) {
                return Some(Is::Becomes(id));
            }
        }
        match &wanted.class {
            // A folder without a class is any instance that is no script.
            Class::Any | Class::Inferred(_) if is_folder => {
                let other = free.iter().copied().find(|&id| suffix(&self.class(id)).is_none());
                let becomes_folder = self.removes && matches!(wanted.class, Class::Inferred(_));
                match other {
                    Some(id) if becomes_folder && self.is_removable(parent, id) => None,
                    Some(id) => Some(Is::Same(id)),
                    None if self.removes => {
                        // The folder lost its script, and nothing removes the instance: it becomes a folder.
                        free.iter().copied().find(|&id| self.is_kept(parent, id)).map(Is::Becomes)
                    }
                    None => free.first().map(|&id| Is::Same(id)),
                }
            }
            // The script or the class of a folder: everything else of the folder stays.
            Class::Stated(_) if is_folder => {
                let has_children = |&&id: &&InstanceId| is_soft(&self.class(id)) || self.is_kept(parent, id);
                free.iter().find(has_children).map(|&id| Is::Becomes(id))
            }
            // A file of another kind, where nothing would remove the instance of the old one.
            Class::Stated(class) if wanted.model.is_none() && is_of_file(class) => {
                let is_of_file = |&id: &InstanceId| is_of_file(&self.class(id)) && self.is_kept(parent, id);
                free.iter().copied().find(is_of_file).map(Is::Becomes)
            }
            _ => None,
        }
    }

    /// Whether a wanted instance is a folder or the node of a project, not a single file.
    fn is_folder(&self, want: usize) -> bool {
        let (wanted, node) = (&self.wants.all[want], self.wants.node(want));
        wanted.is_node && wanted.model.is_none() && (node.text.is_none() || node.is_init())
    }

    /// Whether nothing would remove an instance if another one of its name were made, although what is missing is removed.
    fn is_kept(&self, parent: Option<usize>, id: InstanceId) -> bool {
        let class = self.class(id);
        let is_container = is_of_file(&class) || matches!(&*class, "Folder" | "Model" | "Configuration");
        self.removes && is_container && !self.is_removable(parent, id)
    }

    /// Whether an instance is missing if no file names it.
    fn is_removable(&self, parent: Option<usize>, id: InstanceId) -> bool {
        let unlisted = parent.map_or(self.wants.unlisted, |parent| self.wants.all[parent].unlisted);
        !is_of_place(&self.class(id))
            && match unlisted {
                Unlisted::Keep => false,
                Unlisted::KeepOthers | Unlisted::ListOthers => {
                    self.scripts.wanted.contains(&id) && is_soft(&self.class(id))
                }
                Unlisted::Remove => true,
            }
    }

    /// Matches wanted instances with instances of the same class and name.
    fn group(
        &mut self,
        wants: &[usize],
        ids: &[InstanceId],
        ordered: &[InstanceId],
        stems: &mut Option<HashMap<InstanceId, String>>,
    ) {
        if let (&[want], &[id]) = (wants, ids) {
            return self.take(want, Is::Same(id));
        }
        if ids.is_empty() {
            return;
        }
        let compared = self.compared(wants[0]);
        let of_ids: HashMap<InstanceId, u64> = ids.iter().map(|&id| (id, self.key(id, &compared))).collect();
        let of_wants: HashMap<usize, u64> =
            wants.iter().filter_map(|&want| Some((want, self.want_key(want, &compared)?))).collect();
        self.by_unique(ids, wants, |_, id| of_ids.get(&id), |_, want| of_wants.get(&want));
        let stems = stems.get_or_insert_with(|| {
            let all: Vec<_> = ordered.iter().map(|&id| self.document.name_of(id).into_owned()).collect();
            ordered.iter().copied().zip(tree::stems(&all).into_iter().map(|(stem, _)| stem)).collect()
        });
        let by_stem: HashMap<&str, InstanceId> =
            ids.iter().filter_map(|&id| Some((stems.get(&id)?.as_str(), id))).collect();
        for &want in wants {
            let found = self.wants.node(want).stems().find_map(|stem| by_stem.get(stem)).copied();
            if let Some(id) = found.filter(|&id| self.is_free(id) && self.old_of(want).is_none()) {
                self.pair(id, want);
            }
        }
        self.in_order(ids, wants, |_, id| of_ids.get(&id), |_, want| of_wants.get(&want));
        self.in_any_order(ids, wants, |_, id| of_ids.get(&id), |_, want| of_wants.get(&want));
        self.in_any_order(ids, wants, |_, _| (), |_, _| ());
    }

    fn compared(&self, want: usize) -> Compared {
        let wanted = &self.wants.all[want];
        let names = match wanted.model {
            Some((model, id)) => {
                let all = self.wants.models[model].form().values(id).into_iter().filter(|(name, value)| {
                    let is_other = IDENTIFIERS.contains(&&**name) || name == "Name" || name == ATTRIBUTES;
                    !is_other && !matches!(value, Value::Ref(_)) && value.as_instance().is_none()
                });
                all.map(|(name, _)| name).collect()
            }
            None => self.stated(want).keys().map(|name| (*name).to_owned()).collect(),
        };
        Compared {
            text: self.wants.text(want).map(|text| text.0),
            names,
            is_json: wanted.model.is_none(),
            children: wanted.unlisted == Unlisted::Remove,
        }
    }

    /// The properties that files state as JSON, by their names in files.
    fn stated(&self, want: usize) -> BTreeMap<&'a str, &'a Json> {
        let Class::Stated(class) = &self.wants.all[want].class else { return BTreeMap::new() };
        let fields = self.wants.node(want).fields.iter().filter(|_| self.wants.all[want].is_node);
        let all = fields.filter_map(|fields| fields.json.get("properties")?.as_object()).flatten();
        all.map(|(name, json)| (validate::stored_name(class, name), json)).collect()
    }

    /// The key of a wanted instance; `None` if it has other properties than the first one of the group.
    fn want_key(&self, want: usize, compared: &Compared) -> Option<u64> {
        let wanted = &self.wants.all[want];
        let text = self.wants.text(want);
        let is_other = text.map(|text| text.0) != compared.text || wanted.model.is_none() != compared.is_json;
        if is_other || (wanted.unlisted == Unlisted::Remove) != compared.children {
            return None;
        }
        let values: Vec<u64> = match wanted.model {
            Some((model, id)) => {
                let form = self.wants.models[model].form();
                let value = |name: &String| form.value(id, name).map(|value| value_key(&value));
                compared.names.iter().map(value).collect::<Option<_>>()?
            }
            None => {
                let stated = self.stated(want);
                let values = compared.names.iter().map(|name| stated.get(&**name).map(|json| json_key(json)));
                let values = values.collect::<Option<Vec<_>>>()?;
                Some(values).filter(|values| values.len() == stated.len())?
            }
        };
        let mut below: Vec<&str> =
            wanted.children.iter().map(|&child| &*self.wants.all[child].name).collect();
        below.sort_unstable();
        let below = if compared.children { below } else { Vec::new() };
        Some(hash((text.map(|text| lines(text.1)), values, below)))
    }

    fn key(&self, id: InstanceId, compared: &Compared) -> u64 {
        let text = compared.text.map(|text| self.document.value(id, text));
        let text =
            text.map(|text| lines(text.as_ref().and_then(Value::as_bytes).unwrap_or_default()).into_owned());
        let class = self.class(id);
        let value = |name: &String| {
            let value = self.document.value(id, name)?;
            if !compared.is_json {
                return Some(value_key(&value));
            }
            let known = classes::class(&*class).and_then(|class| class.property(name));
            Some(json_key(&json::value(value.as_ref(), known.map(classes::Property::kind))?))
        };
        let values: Vec<u64> = compared.names.iter().map(|name| value(name).unwrap_or_default()).collect();
        let below = self.document.below(id).into_iter().filter(|_| compared.children);
        let mut below: Vec<_> = below.map(|child| self.document.name_of(child)).collect();
        below.sort_unstable();
        hash((text, values, below))
    }

    /// Finds scripts whose files were moved or renamed: by class and source, those with the same name first.
    fn moved(&mut self) {
        if !self.removes {
            return;
        }
        let gone = self.left().into_iter().filter_map(|left| match left {
            Left::Gone(id) | Left::Above(id) => Some(id),
            Left::Kept(_) => None,
        });
        let gone: Vec<InstanceId> = gone.collect();
        let mut waiting: Vec<InstanceId> = gone.into_iter().rev().collect();
        let (mut seen, mut missing) = (HashSet::new(), Vec::new());
        while let Some(id) = waiting.pop() {
            if !seen.insert(id) || !self.is_free(id) {
                continue;
            }
            missing.extend(self.scripts.suffixes.contains_key(&id).then_some(id));
            waiting.extend(self.document.below(id).into_iter().rev());
        }
        if missing.is_empty() {
            return;
        }
        // Without the name, and with it.
        let key = |class: &str, source: &[u8], name: &str| {
            let alone = hash((class, lines(source)));
            [alone, hash((alone, name))]
        };
        let of_ids: HashMap<InstanceId, [u64; 2]> = missing
            .iter()
            .map(|&id| {
                let value = self.document.value(id, "Source");
                let source = value.as_ref().and_then(Value::as_bytes).unwrap_or_default();
                (id, key(&self.class(id), source, &self.document.name_of(id)))
            })
            .collect();
        let of_file = |all: &Self, want: usize| match (all.wants.text(want), &all.wants.all[want].class) {
            (Some(("Source", source)), Class::Stated(class)) => {
                Some(key(class, source, &all.wants.all[want].name))
            }
            _ => None,
        };
        // The topmost new ones first: what is below a moved script moves along.
        let is_new = |matcher: &Self, want: usize| matcher.is[want] == Is::New;
        let is_top = |matcher: &Self, want: usize| {
            matcher.wants.all[want].parent.is_none_or(|parent| matcher.is[parent].id().is_some())
        };
        let mut level: Vec<usize> =
            (0..self.is.len()).filter(|&want| is_new(self, want) && is_top(self, want)).collect();
        while !level.is_empty() {
            let named = |all: &Self, want| Some(of_file(all, want)?[1]);
            self.in_any_order(&missing, &level, |_, id| Some(of_ids[&id][1]), named);
            self.below(&level);
            // An empty script is no sign.
            let has_source = |want: &usize| {
                is_new(self, *want)
                    && self.wants.text(*want).is_some_and(|(_, text)| !text.trim_ascii().is_empty())
            };
            let others: Vec<usize> = level.iter().copied().filter(has_source).collect();
            let alone = |all: &Self, want| Some(of_file(all, want)?[0]);
            self.in_any_order(&missing, &others, |_, id| Some(of_ids[&id][0]), alone);
            self.below(&others);
            let all = std::mem::take(&mut level);
            let mut waiting: Vec<usize> = all.into_iter().rev().collect();
            while let Some(want) = waiting.pop() {
                let (is_still_new, children) = (is_new(self, want), &self.wants.all[want].children);
                for &child in children {
                    match is_still_new || is_new(self, child) {
                        true => level.push(child),
                        false => waiting.push(child),
                    }
                }
            }
            level.retain(|&want| is_new(self, want));
        }
    }

    /// Finds folders that were moved or renamed, by the moved scripts in them.
    fn renamed(&mut self) {
        if !self.removes {
            return;
        }
        let moved = self.is.iter().filter_map(|is| if let Is::Moved(id) = is { Some(*id) } else { None });
        let mut above: HashMap<InstanceId, usize> = HashMap::new();
        for id in moved {
            let all: Vec<InstanceId> =
                std::iter::successors(self.document.parent(id), |&id| self.document.parent(id)).collect();
            let missing = all.iter().take_while(|id| self.is_free(**id) && self.is_missing(**id));
            above.extend(missing.enumerate().map(|(at, &id)| (id, all.len() - at)));
        }
        // The deepest ones first.
        let mut above: Vec<(usize, InstanceId)> = above.into_iter().map(|(id, depth)| (depth, id)).collect();
        geom::sort::by_key(&mut above, |&of| std::cmp::Reverse(of));
        let fits = |all: &Self, id: InstanceId, want: usize| {
            let (Class::Stated(class) | Class::Inferred(class)) = &all.wants.all[want].class else {
                return false;
            };
            let is_plain = all.is_folder(want) && all.wants.node(want).text.is_none();
            all.is[want] == Is::New && is_plain && *all.class(id) == **class
        };
        // What moved into a folder that was there says nothing about a new one.
        let parent =
            |all: &Self, want: usize| all.wants.all[want].parent.filter(|&parent| all.is[parent] == Is::New);
        let below = |all: &Self, id| all.document.below(id);
        self.by_children(above.into_iter().map(|(_, id)| id), below, parent, fits, |_, _| true);
        // What is in a folder that was moved did not move.
        for want in 0..self.is.len() {
            if let (Is::Moved(id), Some(parent)) = (self.is[want], self.wants.all[want].parent)
                && self.is[parent].id() == self.document.parent(id)
                && self.document.name_of(id) == self.wants.all[want].name
            {
                self.is[want] = Is::Same(id);
            }
        }
        let moved: Vec<usize> =
            (0..self.is.len()).filter(|&want| matches!(self.is[want], Is::Moved(_))).collect();
        self.below(&moved);
    }

    /// Whether an instance that is no wanted one goes with what is missing from the folder.
    fn is_missing(&self, id: InstanceId) -> bool {
        let above = std::iter::successors(self.document.parent(id), |&id| self.document.parent(id));
        let mut at = id;
        for parent in above {
            let want = self.of.get(&parent);
            if let Some(&want) = want {
                return self.is_removable(Some(want), at);
            }
            at = parent;
        }
        self.is_removable(None, at)
    }

    /// Matches what is still new with missing instances of another class at the same place.
    fn replaced(&mut self) {
        let mut waiting: Vec<usize> = (0..self.is.len()).rev().collect();
        let mut named: HashMap<Option<usize>, HashMap<String, Vec<InstanceId>>> = HashMap::new();
        while let Some(want) = waiting.pop() {
            let wants = self.wants;
            let wanted = &wants.all[want];
            let at = wanted.parent.map(|parent| self.is[parent].id());
            if self.is[want] != Is::New || at == Some(None) {
                continue;
            }
            let document = self.document;
            let below = named.entry(wanted.parent).or_insert_with(|| {
                let children = children_of(document, at.flatten());
                let mut all: HashMap<String, Vec<InstanceId>> = HashMap::new();
                for id in children.into_iter().rev() {
                    all.entry(document.name_of(id).into_owned()).or_default().push(id);
                }
                all
            });
            let Some(ids) = below.get_mut(&wanted.name) else { continue };
            let of = &self.of;
            ids.retain(|id| !of.contains_key(id));
            let ids = ids.clone();
            let class = match &wanted.class {
                Class::Stated(class) | Class::Inferred(class) => class.as_str(),
                Class::Any => "Folder",
            };
            let fits = |&&id: &&InstanceId| {
                let is_alike = is_soft(class) && is_soft(&document.class_of(id));
                self.is_removable(wanted.parent, id) && (self.removes || is_alike)
            };
            if let Some(&id) = ids.iter().rev().find(fits) {
                self.take(want, Is::Becomes(id));
                self.below(&[want]);
            }
        }
    }

    /// Whether a wanted folder is a script, whose file is missing.
    fn lacks_source(&self, want: usize) -> bool {
        let is_plain =
            self.wants.all[want].is_node && self.is_folder(want) && self.wants.node(want).text.is_none();
        let is_script = |id| self.scripts.suffixes.contains_key(&id);
        let is_stated = matches!(self.wants.all[want].class, Class::Stated(_));
        is_plain && !is_stated && matches!(self.is[want], Is::Same(id) if is_script(id))
    }

    /// The instances that are missing from the folder.
    fn left(&self) -> Vec<Left> {
        let (stays, mut left) = (self.stays(), Vec::new());
        for &id in &self.document.top() {
            if self.is_free(id) && self.wants.snapshot.is_place && !classes::is_service(&self.class(id)) {
                self.visit(id, self.wants.unlisted, &stays, &mut left);
            }
        }
        for (id, want) in (0..self.is.len()).filter_map(|want| Some((self.is[want].id()?, want))) {
            let unlisted = self.wants.all[want].unlisted;
            // The map of a place is rarely in a folder: Workspace has more than scripts.
            let has_map = unlisted == Unlisted::Remove && self.has_map(want, id);
            for child in self.document.below(id) {
                match unlisted {
                    Unlisted::Keep => {}
                    _ if has_map && !is_soft(&self.class(child)) => {
                        if self.is_free(child) && !is_of_place(&self.class(child)) {
                            left.push(Left::Kept(child));
                        }
                    }
                    _ if has_map => self.visit(child, Unlisted::ListOthers, &stays, &mut left),
                    unlisted => self.visit(child, unlisted, &stays, &mut left),
                }
            }
        }
        left
    }

    /// Whether a folder with scripts alone is that of Workspace.
    fn has_map(&self, want: usize, id: InstanceId) -> bool {
        let wants = self.wants;
        let mut children = wants.all[want].children.iter();
        wants.snapshot.is_foreign
            && *self.class(id) == *"Workspace"
            && !children.any(|&child| wants.all[child].model.is_some())
    }

    /// Notes an instance that is no wanted one, and what goes below it.
    fn visit(&self, id: InstanceId, unlisted: Unlisted, stays: &HashSet<InstanceId>, left: &mut Vec<Left>) {
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            if !self.is_free(id) {
                continue;
            }
            let below = self.document.below(id).into_iter().rev();
            match unlisted {
                Unlisted::Keep => {}
                // Every place has them.
                _ if is_of_place(&self.class(id)) => waiting.extend(below),
                Unlisted::Remove => left.push(Left::Gone(id)),
                Unlisted::KeepOthers if !self.scripts.wanted.contains(&id) => {}
                Unlisted::ListOthers if !self.scripts.wanted.contains(&id) => left.push(Left::Kept(id)),
                Unlisted::KeepOthers | Unlisted::ListOthers => {
                    if is_soft(&self.class(id)) && !stays.contains(&id) {
                        left.push(Left::Gone(id));
                        continue;
                    }
                    if self.scripts.suffixes.contains_key(&id) {
                        left.push(Left::Above(id));
                    }
                    waiting.extend(below);
                }
            }
        }
    }

    /// The instances below which one stays that is in no file, if only what `extract` without models writes goes.
    fn stays(&self) -> HashSet<InstanceId> {
        let mut stays = HashSet::new();
        if self.wants.snapshot.is_foreign
            && !self.wants.all.iter().any(|want| want.unlisted == Unlisted::Remove)
        {
            return stays;
        }
        // Children are after their parent.
        for id in self.document.all().into_iter().rev().filter(|&id| self.is_free(id)) {
            let is_file = self.scripts.wanted.contains(&id) && is_soft(&self.class(id));
            if let Some(parent) = self.document.parent(id).filter(|_| !is_file || stays.contains(&id)) {
                stays.insert(parent);
            }
        }
        stays
    }
}

/// Whether the class is one that a file or a folder of scripts becomes.
fn is_soft(class: &str) -> bool {
    class == "Folder" || suffix(class).is_some()
}

/// Whether the class is one that a single file becomes.
fn is_of_file(class: &str) -> bool {
    suffix(class).is_some() || matches!(class, "StringValue" | "LocalizationTable")
}

/// Whether the class is one that a file or a folder becomes without a statement.
pub(crate) fn is_of_files(class: &str) -> bool {
    class == "Folder" || is_of_file(class)
}

/// Whether every place has an instance of a class, whatever a project says.
fn is_of_place(class: &str) -> bool {
    classes::is_service(class)
        || matches!(class, "Terrain" | "Camera" | "StarterPlayerScripts" | "StarterCharacterScripts")
}

/// A hash of a value that is the same for the types in which the two forms store it.
fn value_key(value: &Value) -> u64 {
    match (value.as_ref().floats(), value.as_bytes(), value) {
        (Some(floats), ..) => hash(floats.iter().map(|of| of.to_bits()).collect::<Vec<_>>()),
        (_, Some(bytes), _) => hash(bytes),
        (_, _, Value::Int32(number)) => hash(i64::from(*number)),
        (_, _, Value::Enum(number)) => hash(i64::from(*number)),
        (_, _, Value::Int64(number)) => hash(number),
        _ => hash(format!("{value:?}")),
    }
}

/// A hash of a value in JSON, with or without the name of its type.
fn json_key(json: &Json) -> u64 {
    match json {
        Json::Object(fields) if fields.len() == 1 => fields.values().next().map_or(0, json_key),
        Json::Object(fields) => {
            hash(fields.iter().map(|(name, json)| (name, json_key(json))).collect::<Vec<_>>())
        }
        Json::Array(items) => hash(items.iter().map(json_key).collect::<Vec<_>>()),
        Json::Number(number) => hash(number.as_f64().map(f64::to_bits)),
        json => hash(json.to_string()),
    }
}
