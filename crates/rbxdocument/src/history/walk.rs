//! What of each instance a client of a month knows.

use std::collections::HashMap;

use geom::Vec3;
use rbxblobs::SmoothGrid;
use rbxcore::hash::NameMap;
use rbxcore::{CFrame, Color3uint8, Content, InstanceId, Kind, Value, classes};

use super::blocks::{Block, WATER, blocks};
use super::table::{self, Month, Span, Status};
use super::values::{self, LEAST, Says, nearest_item, relative, retyped};
use super::{
    ACOUSTIC_SINCE, ATTRIBUTE_REFERENCES_SINCE, CLASS, Change, FILE, ITEM, MOVED, NEAREST, PROPERTY, RENAMED,
    REPLACED, TERRAIN, THIN_SINCE, TYPE, UNKNOWN, UnionFile, WITHOUT_EFFECT,
};
use crate::errors::{Budget, LossKind};
use crate::paths::Paths;
use crate::view::View as _;
use crate::which::type_of;
use crate::{Dom, Form, Result};

/// Classes that stand for newer ones: the first one that the month had.
const SUBSTITUTES: &[(&str, &[&str])] = &[
    ("Accessory", &["Hat"]),
    ("Actor", &["Model"]),
    ("CanvasGroup", &["Frame"]),
    ("CornerWedgePart", &["WedgePart"]),
    ("Folder", &["Model"]),
    ("IntersectOperation", &["UnionOperation", "Part"]),
    ("MeshPart", &["Part"]),
    ("NegateOperation", &["Part"]),
    ("PartOperation", &["Part"]),
    ("ScrollingFrame", &["Frame"]),
    ("SurfaceLight", &["PointLight"]),
    ("UnionOperation", &["Part"]),
    ("UnreliableRemoteEvent", &["RemoteEvent"]),
    ("VideoFrame", &["Frame"]),
    ("ViewportFrame", &["Frame"]),
    ("WeldConstraint", &["Weld"]),
    ("WorldModel", &["Model"]),
];

/// Services that hold instances, and where a model with these stands for the service.
const HOMES: &[(&str, &str)] = &[
    ("ReplicatedFirst", "Lighting"),
    ("ReplicatedStorage", "Lighting"),
    ("ServerScriptService", "Workspace"),
    ("ServerStorage", "Lighting"),
    ("StarterPlayer", "StarterGui"),
];

/// Classes whose children move to their parent if the month did not have the class.
const LIFTED: [&str; 2] = ["Attachment", "Bone"];

/// The properties of a constraint that say what the frame and the parts of a weld do.
const OF_WELD: [&str; 8] =
    ["Active", "CFrame0", "CFrame1", "Part0", "Part0Internal", "Part1", "Part1Internal", "State"];

/// Properties that only Studio uses, or that clients compute from others.
pub(super) const BOOKKEEPING: [&str; 11] = [
    "Capabilities",
    "DefinesCapabilities",
    "HistoryId",
    "NeedsPivotMigration",
    "PhysicsGrid",
    "ScriptGuid",
    "SourceAssetId",
    "UniqueId",
    "VertexCount",
    "ModelMeshCFrame",
    "ModelMeshSize",
];

/// The properties of a mesh part or a union from which the mesh is made that stands for it.
const OF_MESH: [&str; 17] = [
    "AssetId",
    "ChildData",
    "ChildData2",
    "FormFactor",
    "InitialSize",
    "MeshContent",
    "MeshData",
    "MeshData2",
    "MeshID",
    "MeshId",
    "PhysicalConfigData",
    "PhysicsData",
    "SolidMeshHolder",
    "TextureContent",
    "TextureID",
    "UsePartColor",
    "VertexCount",
];

/// The item of `Font` for all fonts that are no other item.
const UNKNOWN_FONT: u32 = 100;

/// The properties of terrain with its voxels.
const GRIDS: [&str; 5] = ["ClusterGrid", "ClusterGridV2", "ClusterGridV3", "PhysicsGrid", "SmoothGrid"];

/// An instance as a client of the month knows it.
pub(super) struct Made {
    /// The instance; `None` if it is only in the result.
    pub(super) source: Option<InstanceId>,
    pub(super) parent: Parent,
    pub(super) class: String,
    pub(super) service: bool,
    pub(super) properties: Vec<(String, Value)>,
}

/// The parent of an instance in the result.
#[derive(Clone, Copy)]
pub(super) enum Parent {
    Root,
    /// The copy of an instance.
    Of(InstanceId),
    /// A service, by its class.
    Home(&'static str),
    /// The last model that is only in the result.
    Group,
}

/// What becomes of an instance and of its children.
#[derive(Clone, Copy)]
enum Fate {
    Kept,
    Dropped,
    /// Its children have this parent.
    Lifted(Parent),
}

/// What is known of a property of a class.
struct Rule {
    status: Status,
    kind: Option<Kind>,
    /// Its type in the table; empty if it is not known.
    of: &'static str,
    default: Option<Value>,
}

/// A walk over a document.
pub(super) struct Walk<'a> {
    pub(super) source: &'a dyn Dom,
    pub(super) month: Month,
    is_place: bool,
    /// The files of the meshes of unions, if they are made.
    pub(super) unions: Option<&'a HashMap<InstanceId, UnionFile>>,
    /// The size in voxels of the parts that terrain becomes, if it does.
    pub(super) terrain_parts: Option<u32>,
    /// The form of the result.
    pub(super) form: Form,
    /// Whether only what changes is wanted, so that no terrain is converted.
    pub(super) only_lists: bool,
    paths: Paths<'a>,
    rules: NameMap<String, NameMap<String, Rule>>,
    classes: NameMap<String, Option<&'static str>>,
    fates: NameMap<InstanceId, Fate>,
    /// The first thing that the month may have or not.
    later: Option<String>,
    pub(super) changes: Vec<Change>,
    index_of: HashMap<(&'static str, String, String, String), usize>,
    pub(super) budget: Budget,
}

impl<'a> Walk<'a> {
    pub(super) fn new(source: &'a dyn Dom, month: Month, budget: Budget) -> Self {
        Self {
            source,
            month,
            is_place: source.top().iter().any(|&id| source.is_service(id)),
            unions: None,
            terrain_parts: None,
            form: Form::Xml,
            only_lists: false,
            paths: Paths::new(source),
            rules: NameMap::default(),
            classes: NameMap::default(),
            fates: NameMap::default(),
            later: None,
            changes: Vec::new(),
            index_of: HashMap::new(),
            budget,
        }
    }

    /// Calls a function with each instance that remains, parents before their children.
    pub(super) fn all(&mut self, visit: &mut dyn FnMut(&mut Self, Made) -> Result<()>) -> Result<()> {
        if self.month < Month::OLDEST {
            let what =
                format!("the table begins with {}: what is older is not known more exactly", Month::OLDEST);
            self.list_file(FILE, &what);
        }
        let last = Month::newest().max(ATTRIBUTE_REFERENCES_SINCE);
        if self.month > last {
            let what = format!("the table ends with {last}: what came later is not known");
            self.list_file(FILE, &what);
        }
        // What moves into another service follows behind it.
        let is_moved = |id: &InstanceId| {
            let top = std::iter::successors(Some(*id), |id| self.source.parent(*id)).last();
            top.is_some_and(|top| self.home(top).is_some())
        };
        let (moved_roots, roots): (Vec<_>, Vec<_>) = self.source.top().into_iter().partition(is_moved);
        for root in roots.into_iter().chain(moved_roots) {
            let below: Vec<InstanceId> = std::iter::once(root).chain(self.source.descendants(root)).collect();
            for id in below {
                self.instance(id, visit)?;
            }
        }
        if let Some(name) = self.later.take() {
            let what = format!(
                "the dumps end with {}: whether the month had {name}, which came later, is not known",
                Month::LAST
            );
            self.list_file(FILE, &what);
        }
        Ok(())
    }

    /// Notes what the month may have, if the month in which it came is not known.
    fn came_later(&mut self, span: Option<Span>, name: impl FnOnce() -> String) {
        let is_between = self.month < Month::newest() && span == Some(Span::LATER);
        if is_between && self.later.is_none() {
            self.later = Some(name());
        }
    }

    /// Where the model is that stands for a service at the root.
    fn home(&self, id: InstanceId) -> Option<&'static str> {
        let class = self.source.class_of(id);
        let (_, home) = HOMES.iter().find(|(service, _)| *service == class)?;
        (self.source.is_service(id) && !table::has_class(&class, self.month)).then_some(home)
    }

    /// The class that stands for one in the month; `None` if none does.
    pub(super) fn class(&mut self, class: &str) -> Option<&'static str> {
        if let Some(known) = self.classes.get(class) {
            return *known;
        }
        let named = |class: &str| {
            let known = classes::class(class).map(classes::Class::name);
            known.or_else(|| table::all().map(|(name, ..)| name).find(|name| *name == class))
        };
        let found = match table::has_class(class, self.month) {
            true => {
                self.came_later(table::class_span(class), || class.to_owned());
                named(class)
            }
            false => {
                let row = SUBSTITUTES.iter().find(|(new, _)| *new == class);
                let like = row.map_or(&[][..], |(_, like)| like);
                like.iter().copied().find(|like| table::has_class(like, self.month))
            }
        };
        self.classes.insert(class.to_owned(), found);
        found
    }

    fn instance(
        &mut self,
        id: InstanceId,
        visit: &mut dyn FnMut(&mut Self, Made) -> Result<()>,
    ) -> Result<()> {
        let class = self.source.class_of(id).into_owned();
        let above = match self.source.parent(id) {
            None => Fate::Lifted(Parent::Root),
            Some(parent) => match self.fates.get(&parent).copied().unwrap_or(Fate::Dropped) {
                Fate::Kept => Fate::Lifted(Parent::Of(parent)),
                other => other,
            },
        };
        let Fate::Lifted(parent) = above else {
            self.fates.insert(id, Fate::Dropped);
            let what = "an instance below one that is dropped".to_owned();
            return self.list(CLASS, LossKind::LeftOut, (id, &class, None), what);
        };
        self.budget.charge(400, "the converted document")?;
        if let Some(home) = self.home(id).filter(|_| matches!(parent, Parent::Root)) {
            self.fates.insert(id, Fate::Kept);
            if !is_plain_service(self.source, id, &class) {
                let what = format!("{class} is a Model in {home}, since the month did not have the service");
                self.list(MOVED, LossKind::Approximated, (id, &class, None), what)?;
            } else {
                self.fates.insert(id, Fate::Dropped);
                return self.list(
                    WITHOUT_EFFECT,
                    LossKind::LeftOut,
                    (id, &class, None),
                    came(&class, self.month),
                );
            }
            // What a Model cannot have is listed.
            let mut properties = self.properties(id, &class, "Model")?;
            if !properties.iter().any(|(name, _)| name == "Name") {
                properties.push(("Name".to_owned(), Value::from(class.as_str())));
            }
            let parent = Parent::Home(home);
            let class = "Model".to_owned();
            return visit(self, Made { source: Some(id), parent, class, service: false, properties });
        }
        let target = match self.class(&class) {
            Some(target) => self.shaped(id, target),
            None if self.holds_known(id, &class, parent) => "Model",
            None => return self.dropped(id, &class, parent),
        };
        if class == "WeldConstraint" && target == "Weld" && self.is_off(id) {
            self.fates.insert(id, Fate::Dropped);
            let what = "a WeldConstraint that is off, where every weld is on".to_owned();
            return self.list(CLASS, LossKind::LeftOut, (id, &class, None), what);
        }
        self.fates.insert(id, Fate::Kept);
        if target != class {
            let how = match self.union(id) {
                Some(_) => " with a mesh of its shape",
                None if target == "Part" && class != "MeshPart" => " that is a block",
                None => "",
            };
            let why = match table::has_class(&class, self.month) {
                true => "whose mesh is of a newer form".to_owned(),
                false => format!("which {}", came(&class, self.month)),
            };
            let what = format!("{target}{how} stands for {class}, {why}");
            self.list(REPLACED, LossKind::Approximated, (id, &class, None), what)?;
        }
        let mut properties = self.properties(id, &class, target)?;
        let mut also = None;
        if target == "Part" && class != "Part" {
            also = self.as_part(id, &class, &mut properties);
        } else if class == "MeshPart" {
            self.take_color_map(id, &mut properties)?;
        } else if class == "WeldConstraint" && target == "Weld" {
            self.as_weld(id, &mut properties);
        }
        let service = target == class && self.is_place && self.source.is_service(id);
        visit(self, Made { source: Some(id), parent, class: target.to_owned(), service, properties })?;
        match (also, self.terrain_parts) {
            (Some(also), _) => visit(self, also),
            (None, Some(step)) if class == "Terrain" => self.terrain_as_parts(id, parent, step, visit),
            _ => Ok(()),
        }
    }

    /// The class for a part whose shape is newer than the month.
    fn shaped(&self, id: InstanceId, target: &'static str) -> &'static str {
        if self.union(id).is_some() {
            return "Part";
        }
        if target != "Part" || *self.source.class_of(id) != *"Part" {
            return target;
        }
        let shape = self.source.value(id, "shape").and_then(|shape| shape.as_enum());
        let is_known =
            |shape| table::item_span("PartType", shape).is_some_and(|span| span.contains(self.month));
        match shape.filter(|shape| !is_known(*shape)) {
            Some(3) => "WedgePart",
            Some(4) => "CornerWedgePart",
            _ => target,
        }
    }

    /// Whether a model stands for an instance of a class that the month did not have, since something that it had is below it.
    fn holds_known(&mut self, id: InstanceId, class: &str, parent: Parent) -> bool {
        let is_root = self.is_place && matches!(parent, Parent::Root);
        !is_root
            && !LIFTED.contains(&class)
            && self.source.below(id).into_iter().any(|child| {
                let class = self.source.class_of(child).into_owned();
                self.class(&class).is_some()
            })
    }

    fn dropped(&mut self, id: InstanceId, class: &str, parent: Parent) -> Result<()> {
        let is_lifted = LIFTED.contains(&class);
        let fate = if is_lifted { Fate::Lifted(parent) } else { Fate::Dropped };
        self.fates.insert(id, fate);
        let span = table::class_span(class);
        let rule = match span {
            None => UNKNOWN,
            // Studio adds all services to every place.
            Some(_) if is_plain_service(self.source, id, class) => WITHOUT_EFFECT,
            Some(_) => CLASS,
        };
        self.list(
            rule,
            LossKind::LeftOut,
            (id, class, None),
            format!("{class} {}", came(class, self.month)),
        )?;
        if is_lifted {
            for child in self.source.below(id) {
                let class = self.source.class_of(child).into_owned();
                let what = "moves to the parent of its attachment".to_owned();
                self.list(MOVED, LossKind::Approximated, (child, &class, None), what)?;
            }
        }
        Ok(())
    }

    fn properties(
        &mut self,
        id: InstanceId,
        class: &str,
        target: &'static str,
    ) -> Result<Vec<(String, Value)>> {
        let mut made: Vec<(String, Value)> = Vec::new();
        let mut all = self.source.values(id);
        if target == "Part"
            && let Some(color) = self.union(id).and_then(|union| union.color)
        {
            all.retain(|(name, _)| !["BrickColor", "Color", "Color3", "Color3uint8"].contains(&&**name));
            all.push(("Color3uint8".to_owned(), color.into()));
        }
        let (mut weak, mut empty) = (Vec::new(), Vec::new());
        // An empty grid beside older terrain is none.
        let has_cells = |(name, value): &(String, Value)| {
            name == "ClusterGridV3" && value.as_bytes().is_some_and(|bytes| !bytes.is_empty())
        };
        let has_cells = class == "Terrain" && all.iter().any(has_cells);
        // A font that is no item of the enum is in the newer property.
        let has_face = all.iter().any(|(name, _)| name == "FontFace")
            && !matches!(table::property(target, "FontFace", self.month), Status::Known(_));
        for (name, value) in all {
            if has_cells && name == "SmoothGrid" && value.as_bytes().is_some_and(|bytes| bytes.len() <= 2) {
                continue;
            }
            if has_face && name == "Font" && value.as_enum() == Some(UNKNOWN_FONT) {
                continue;
            }
            let bytes = value.as_bytes().filter(|_| !matches!(value, Value::SharedString(_)));
            self.budget
                .charge((64 + name.len() + bytes.map_or(0, <[u8]>::len)) as u64, "the converted document")?;
            if class != target && target == "Part" && OF_MESH.contains(&&*name) {
                // An address becomes that of the mesh.
                if let Value::Content(Content::Object(Some(_))) = &value {
                    let what = "is a mesh that is an object".to_owned();
                    self.list(PROPERTY, LossKind::LeftOut, (id, class, Some(&name)), what)?;
                }
                continue;
            }
            for (to, value) in self.value(id, class, target, name.clone(), value)? {
                let is_empty = value.as_bytes().is_some_and(<[u8]>::is_empty);
                match to == name {
                    true if is_empty => empty.push((to, value)),
                    true => made.push((to, value)),
                    false => weak.push((to, value)),
                }
            }
        }
        // What the file itself has under a name counts more than another form of it, unless it is empty, as in files that
        // have both; of two with one name, the last.
        empty.append(&mut weak);
        let mut weak = empty;
        weak.append(&mut made);
        let last: HashMap<String, usize> =
            weak.iter().enumerate().map(|(index, (name, _))| (name.clone(), index)).collect();
        let mut index = 0;
        weak.retain(|(name, _)| {
            index += 1;
            last.get(name) == Some(&(index - 1))
        });
        Ok(weak)
    }

    /// The properties of the month for one of the document; none if it is dropped.
    pub(super) fn value(
        &mut self,
        id: InstanceId,
        class: &str,
        target: &'static str,
        name: String,
        value: Value,
    ) -> Result<Vec<(String, Value)>> {
        if class == "WeldConstraint" && target == "Weld" && OF_WELD.contains(&&*name) {
            let what = "becomes the parts and the frame of the Weld".to_owned();
            self.list(RENAMED, LossKind::Approximated, (id, class, Some(&name)), what)?;
            return Ok(Vec::new());
        }
        // References in attributes have names of their own.
        if crate::attribute_refs::key_of(&name).is_some() {
            let has = self.month >= ATTRIBUTE_REFERENCES_SINCE
                && matches!(table::property(target, crate::which::ATTRIBUTES, self.month), Status::Known(_));
            if !has {
                let since = ATTRIBUTE_REFERENCES_SINCE;
                let what =
                    format!("is an attribute that refers to an instance, which is known since {since}");
                self.list(PROPERTY, LossKind::LeftOut, (id, class, Some(&name)), what)?;
                return Ok(Vec::new());
            }
            return Ok(vec![(name, value)]);
        }
        self.learn(target, &name);
        let rule = &self.rules[target][&name];
        let (status, kind, of) = (rule.status, rule.kind, rule.of);
        let is_default = rule.default.as_ref() == Some(&value);
        match status {
            Status::Known(_)
                if !self.becomes_parts(class, &name)
                    && !self.is_text_of_bytes(&name, &value)
                    && !self.has_older_type(target, &name, &value) =>
            {
                self.known(id, class, name, value, (kind, of, is_default))
            }
            _ => {
                if let Some(terrain) = self.terrain(id, class, &name, &value)? {
                    return Ok(terrain);
                }
                if let Some((older, says)) = values::older(target, &name, &value, self.month) {
                    return self.older(id, class, &name, older, (says, is_default));
                }
                let is_empty = matches!(&value, Value::Content(Content::None) | Value::Ref(None))
                    || value.as_bytes().is_some_and(<[u8]>::is_empty);
                // What stands for the class may lack what the class itself had.
                let status = match status {
                    Status::Unknown if class != target => table::property(class, &name, self.month),
                    status => status,
                };
                let rule = match status {
                    _ if is_default || is_empty || BOOKKEEPING.contains(&&*name) => WITHOUT_EFFECT,
                    Status::Unknown => UNKNOWN,
                    // How the strings before ClusterGridV3 hold bytes in XML is not known.
                    _ if class == "Terrain" && GRIDS.contains(&&*name) => TERRAIN,
                    _ if ["SmoothGrid", "GridV3"].contains(&&*name) => TERRAIN,
                    _ => PROPERTY,
                };
                let what = match status {
                    Status::Later(month) => format!("came with {}", month.since()),
                    Status::Gone(month) => format!("is gone since {}", month.next()),
                    Status::Known(_) if class == target => {
                        "is a string of bytes, which is not known in XML".to_owned()
                    }
                    Status::Known(_) => format!("is not in {target}"),
                    _ => "is in no table".to_owned(),
                };
                let what = match rule {
                    TERRAIN => format!("{what} (the option terrain with a number makes parts of it)"),
                    _ => what,
                };
                self.list(rule, LossKind::LeftOut, (id, class, Some(&name)), what)?;
                Ok(Vec::new())
            }
        }
    }

    /// Terrain in the form of the month; `None` if it is none, or the month had no form that is known.
    fn terrain(
        &mut self,
        id: InstanceId,
        class: &str,
        name: &str,
        value: &Value,
    ) -> Result<Option<Vec<(String, Value)>>> {
        if self.becomes_parts(class, name) {
            return Ok(Some(Vec::new()));
        }
        // How regions store the form before 2015 is not known.
        let bytes = value.as_bytes().filter(|bytes| class == "Terrain" && bytes.len() > 2);
        let Some(bytes) = bytes else { return Ok(None) };
        let has = |name: &str| matches!(table::property("Terrain", name, self.month), Status::Known(_));
        let to = match name {
            "SmoothGrid" | "ClusterGridV2" if has("ClusterGridV3") && !has("SmoothGrid") => "ClusterGridV3",
            "ClusterGridV3" | "ClusterGridV2" if has("SmoothGrid") => "SmoothGrid",
            _ => return Ok(None),
        };
        if self.only_lists {
            self.list(TERRAIN, LossKind::Approximated, (id, class, Some(name)), format!("stored as {to}"))?;
            return Ok(Some(Vec::new()));
        }
        let (made, what) = if name == "ClusterGridV2" && to == "ClusterGridV3" {
            (bytes.to_vec(), "stored as ClusterGridV3, whose bytes are the same".to_owned())
        } else if to == "ClusterGridV3" {
            let read = rbxblobs::ReadOptions::new().max_bytes(self.budget.left());
            // The voxels of a few chunks are unpacked at a time.
            self.budget.work(bytes.len() as u64 * 64, "the terrain")?;
            let Ok(grid) = read.read::<rbxblobs::SmoothGrid>(bytes) else { return Ok(None) };
            let (cells, lost) = rbxblobs::ClusterGrid::of_smooth(&grid);
            let what = format!(
                "stored as the blocks of ClusterGridV3: {} voxels are outside of its space, {} are partly full, and {} \
                 have materials that it lacks",
                lost.outside, lost.partly, lost.materials
            );
            (cells.to_vec()?, what)
        } else {
            let Some(grid) = self.of_cells(bytes)? else { return Ok(None) };
            let what = "stored as SmoothGrid: wedges become partly full voxels, and materials those of today";
            (grid.to_vec()?, what.to_owned())
        };
        self.budget.charge(made.len() as u64, "the terrain")?;
        self.list(TERRAIN, LossKind::Approximated, (id, class, Some(name)), what)?;
        Ok(Some(vec![(to.to_owned(), Value::from(made))]))
    }

    /// The voxels of terrain of the form before 2015; `None` if it cannot be read.
    fn of_cells(&mut self, bytes: &[u8]) -> Result<Option<SmoothGrid>> {
        match SmoothGrid::from_cells(bytes, &mut self.budget) {
            Ok((grid, _)) => Ok(Some(grid)),
            Err(error) if error.is_limit() => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Whether the readers of the month, who know a property, do not know the type of its value, and an older property has it.
    fn has_older_type(&self, target: &str, name: &str, value: &Value) -> bool {
        let own = type_of(value).and_then(rbxbinary::parts::TypeId::kind);
        own.is_some_and(|own| !table::has_kind(own, self.month))
            && values::older(target, name, value, self.month).is_some()
    }

    /// Whether a property has the bytes of a string that XML cannot hold: the terrain before `ClusterGridV3`.
    fn is_text_of_bytes(&self, name: &str, value: &Value) -> bool {
        self.form == Form::Xml
            && ["ClusterGrid", "ClusterGridV2"].contains(&name)
            && value.as_bytes().is_some_and(|bytes| std::str::from_utf8(bytes).is_err())
    }

    /// Whether a property has terrain that becomes parts.
    fn becomes_parts(&self, class: &str, name: &str) -> bool {
        self.terrain_parts.is_some() && class == "Terrain" && GRIDS.contains(&name)
    }

    /// The parts that terrain becomes, in a model beside it.
    fn terrain_as_parts(
        &mut self,
        id: InstanceId,
        parent: Parent,
        step: u32,
        visit: &mut dyn FnMut(&mut Self, Made) -> Result<()>,
    ) -> Result<()> {
        // Of the form before 2012, no layout is known.
        let names = ["SmoothGrid", "ClusterGridV3", "ClusterGridV2", "ClusterGrid"];
        let (mut found, mut unread) = (None, None);
        for name in names {
            let value = self.source.value(id, name);
            let bytes = value.as_ref().and_then(Value::as_bytes).filter(|bytes| bytes.len() > 2);
            let Some(bytes) = bytes.filter(|_| found.is_none()) else { continue };
            let read = rbxblobs::ReadOptions::new().max_bytes(self.budget.left());
            found = match name {
                "SmoothGrid" => read.read(bytes).ok(),
                "ClusterGrid" => None,
                _ => self.of_cells(bytes)?,
            };
            unread = unread.or_else(|| found.is_none().then_some(name));
        }
        let Some(grid) = found else {
            if let Some(name) = unread {
                let what =
                    "the terrain cannot be read, so that no parts can be made of it; dropped".to_owned();
                self.list(TERRAIN, LossKind::LeftOut, (id, "Terrain", Some(name)), what)?;
            }
            return Ok(());
        };
        let colors = self.source.value(id, "MaterialColors");
        let colors = colors.as_ref().and_then(Value::as_bytes);
        let colors = colors.and_then(|colors| rbxblobs::from_slice(colors).ok()).unwrap_or_default();
        let all = blocks(&grid, step, &mut self.budget)?;
        let what = format!("stored as {} parts, whose sizes are multiples of {} studs", all.len(), 4 * step);
        self.list(TERRAIN, LossKind::Approximated, (id, "Terrain", Some("SmoothGrid")), what)?;
        let properties = vec![("Name".to_owned(), Value::from("TerrainParts"))];
        visit(self, Made { source: None, parent, class: "Model".to_owned(), service: false, properties })?;
        for block in all {
            self.budget.charge(600, "the terrain as parts")?;
            let properties = self.block(block, &colors);
            let (parent, class) = (Parent::Group, "Part".to_owned());
            visit(self, Made { source: None, parent, class, service: false, properties })?;
        }
        Ok(())
    }

    /// The properties of a part of terrain.
    fn block(&self, block: Block, colors: &rbxblobs::MaterialColors) -> Vec<(String, Value)> {
        let has = |name: &str| matches!(table::property("Part", name, self.month), Status::Known(_));
        let studs = |at: [f32; 3]| Vec3::new(4.0 * at[0], 4.0 * at[1], 4.0 * at[2]);
        #[allow(clippy::cast_precision_loss, reason = "voxels are near the origin")]
        let float = |at: [i32; 3]| at.map(|at| at as f32);
        let (from, size) = (float(block.from), float(block.size));
        let center = std::array::from_fn(|axis| from[axis] + size[axis] / 2.0);
        let is_water = block.material == WATER;
        let name = rbxblobs::terrain::MATERIALS.get(usize::from(block.material)).copied();
        let item = classes::enum_named("Material").and_then(|of| of.item(name?)).filter(|_| !is_water);
        let item = item.and_then(|item| match table::item_span("Material", item) {
            Some(span) if span.contains(self.month) => Some(item),
            _ => nearest_item("Material", item, Some(256), self.month),
        });
        // The colour of water where a place does not state one.
        let color = colors.get(block.material).map_or([12, 84, 91], |color| [color.r, color.g, color.b]);
        let color = Color3uint8 { r: color[0], g: color[1], b: color[2] };
        let (color_name, color) = match has("Color3uint8") {
            true => ("Color3uint8", color.into()),
            false => ("BrickColor", values::nearest_brick_color(color, self.month)),
        };
        let properties = [
            ("Name", Value::from(name.unwrap_or("Terrain"))),
            ("Anchored", true.into()),
            ("CanCollide", (!is_water).into()),
            ("CFrame", CFrame { position: studs(center), ..CFrame::IDENTITY }.into()),
            ("size", studs(size).into()),
            ("Material", Value::Enum(item.unwrap_or(256))),
            (color_name, color),
            ("Transparency", Value::Float32(if is_water { 0.5 } else { 0.0 })),
            ("TopSurface", Value::Enum(0)),
            ("BottomSurface", Value::Enum(0)),
            ("shape", Value::Enum(1)),
            (if has("formFactorRaw") { "formFactorRaw" } else { "formFactor" }, Value::Enum(3)),
        ];
        properties.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }

    fn older(
        &mut self,
        id: InstanceId,
        class: &str,
        name: &str,
        older: Vec<(&'static str, Value)>,
        (says, is_default): (Says, bool),
    ) -> Result<Vec<(String, Value)>> {
        let names: Vec<&str> = older.iter().map(|(name, _)| *name).collect();
        let (rule, like) = match says {
            Says::Alias => (WITHOUT_EFFECT, ", its other name"),
            Says::Same if is_default => (WITHOUT_EFFECT, ""),
            Says::Same => (RENAMED, ""),
            Says::Nearest => (NEAREST, ", as the nearest value"),
        };
        // Behind the name of the property, as losses without effect are listed.
        let is = if rule == WITHOUT_EFFECT { "is " } else { "" };
        let what = format!("{is}stored as {}{like}", names.join(" and "));
        self.list(rule, LossKind::Approximated, (id, class, Some(name)), what)?;
        let mut made = Vec::new();
        for (to, value) in older {
            // An older form can have an item or a type that is newer than the month.
            made.extend(match to == name {
                true => vec![(to.to_owned(), value)],
                false => {
                    let target = self.class(class).unwrap_or_default();
                    self.learn(target, to);
                    let rule = &self.rules[target][to];
                    let (kind, of) = (rule.kind, rule.of);
                    self.known(id, class, to.to_owned(), value, (kind, of, is_default))?
                }
            });
        }
        Ok(made)
    }

    /// The value of a property that the month had.
    fn known(
        &mut self,
        id: InstanceId,
        class: &str,
        name: String,
        value: Value,
        (kind, of, is_default): (Option<Kind>, &'static str, bool),
    ) -> Result<Vec<(String, Value)>> {
        let mut value = value;
        let stored = kind.and_then(rbxbinary::parts::TypeId::of).and_then(rbxbinary::parts::TypeId::kind);
        let own = type_of(&value).and_then(rbxbinary::parts::TypeId::kind);
        if let Some(stored) = stored.filter(|stored| own != Some(*stored)) {
            let is_same_text = value.as_bytes().is_some() && stored == Kind::String;
            let Some(new) = retyped(&value, stored) else {
                let what = format!("a value of type {}, which the month stored as {stored}", value.tag());
                self.list(TYPE, LossKind::LeftOut, (id, class, Some(&name)), what)?;
                return Ok(Vec::new());
            };
            let rule = if is_same_text { RENAMED } else { TYPE };
            let what = format!("stored with the type {stored}");
            self.list(rule, LossKind::Approximated, (id, class, Some(&name)), what)?;
            value = new;
        } else if let Some(own) = own.filter(|own| !table::has_kind(*own, self.month)) {
            let what = format!("a value of type {own}, which the readers of the month do not know");
            self.list(TYPE, LossKind::LeftOut, (id, class, Some(&name)), what)?;
            return Ok(Vec::new());
        }
        if self.month < ACOUSTIC_SINCE
            && let Some(absorption) = values::absorption(&value)
        {
            values::without_absorption(&mut value);
            let rule = if absorption.to_bits() == 1_f32.to_bits() { WITHOUT_EFFECT } else { NEAREST };
            let what =
                format!("is stored without how much it absorbs sound, which came with {ACOUSTIC_SINCE}");
            self.list(rule, LossKind::Approximated, (id, class, Some(&name)), what)?;
        }
        if self.month < THIN_SINCE
            && let Some(size) = values::thickened(class, &name, &value)
        {
            let what = format!(
                "is at least {LEAST} studs in each direction, since thinner parts came with {THIN_SINCE}"
            );
            self.list(NEAREST, LossKind::Approximated, (id, class, Some(&name)), what)?;
            value = size;
        }
        if let (Value::Enum(item), Some(newest)) = (&value, table::enum_of(&name, of)) {
            let item = *item;
            // An enum can have replaced another one with the same items.
            let spans = || table::enums_of(&name, of).filter_map(|of| table::item_span(of, item));
            let has = spans().find(|span| span.contains(self.month));
            self.came_later(has, || format!("{newest}.{item}"));
            if has.is_none() {
                let of = newest;
                let is_item = spans().next().is_some();
                let default = classes::default_of(class, &name, Kind::Enum).and_then(|of| of.as_enum());
                let named = |item: u32| {
                    let known = classes::enum_named(of).and_then(|of| of.item_name(item));
                    known.map_or_else(|| item.to_string(), ToOwned::to_owned)
                };
                let Some(new) = nearest_item(of, item, default, self.month).filter(|_| !is_default) else {
                    let rule = if is_default { WITHOUT_EFFECT } else { ITEM };
                    let what = format!("{of}.{} came later", named(item));
                    self.list(rule, LossKind::LeftOut, (id, class, Some(&name)), what)?;
                    return Ok(Vec::new());
                };
                let stands = format!("{of}.{} stands for {of}.{}", named(new), named(item));
                let (rule, what) = match is_item {
                    true => (ITEM, stands),
                    false => (UNKNOWN, format!("{stands}, which is an item in no table")),
                };
                self.list(rule, LossKind::Approximated, (id, class, Some(&name)), what)?;
                value = Value::Enum(new);
            }
        }
        Ok(vec![(name, value)])
    }

    fn learn(&mut self, class: &str, name: &str) {
        if self.rules.get(class).is_some_and(|of| of.contains_key(name)) {
            return;
        }
        let status = table::property(class, name, self.month);
        let (kind, of) = match status {
            Status::Known(of) if !of.is_empty() => (table::property_kind(name, of, self.month), of),
            _ => (None, ""),
        };
        if status == Status::Known("") {
            self.came_later(Some(Span::LATER), || format!("{class}.{name}"));
        }
        let own = classes::class(class).and_then(|class| class.property(name));
        let default = own.and_then(|own| {
            let kind = rbxbinary::parts::TypeId::of(own.kind())?.kind()?;
            own.default()?.converted(kind)
        });
        let rule = Rule { status, kind, of, default };
        self.rules.entry(class.to_owned()).or_default().insert(name.to_owned(), rule);
    }

    /// Completes the part that stands for a mesh part or a union; returns the mesh in it.
    fn as_part(
        &mut self,
        id: InstanceId,
        class: &str,
        properties: &mut Vec<(String, Value)>,
    ) -> Option<Made> {
        let has = |name: &str| matches!(table::property("Part", name, self.month), Status::Known(_));
        let form_factor = if has("formFactorRaw") { "formFactorRaw" } else { "formFactor" };
        properties.retain(|(name, _)| name != "shape" && name != form_factor);
        properties.push(("shape".to_owned(), Value::Enum(1)));
        properties.push((form_factor.to_owned(), Value::Enum(3)));
        let vector = |name: &str| self.source.value(id, name).and_then(|value| value.as_vector3());
        let (mesh, texture, initial) = match self.union(id) {
            Some(UnionFile { mesh, texture, size, .. }) => {
                (Some(mesh.clone().into_bytes()), Some(texture.clone().into_bytes()), Some(*size))
            }
            None if class != "MeshPart" => return None,
            None => {
                let mesh = self.uri(id, &["MeshContent", "MeshId", "MeshID"]);
                let texture = self.uri(id, &["TextureContent", "TextureID"]);
                (mesh, texture.or_else(|| self.color_map(id)), vector("InitialSize"))
            }
        };
        let one = Vec3::new(1.0, 1.0, 1.0);
        let ratio = |size: f32, own: f32| if own > 0.0 { size / own } else { 1.0 };
        let scale = vector("size").zip(initial);
        let scale = scale.map_or(one, |(size, own)| {
            Vec3::new(ratio(size.x, own.x), ratio(size.y, own.y), ratio(size.z, own.z))
        });
        let zero = Vec3::new(0.0, 0.0, 0.0);
        let properties = [
            ("Name", Value::from("Mesh")),
            ("MeshId", Value::from(mesh.unwrap_or_default())),
            ("TextureId", Value::from(texture.unwrap_or_default())),
            ("MeshType", Value::Enum(5)),
            ("Offset", zero.into()),
            ("Scale", scale.into()),
            ("VertexColor", one.into()),
        ];
        let properties = properties.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let class = "SpecialMesh".to_owned();
        Some(Made { source: None, parent: Parent::Of(id), class, service: false, properties })
    }

    /// The mesh of a union.
    fn union(&self, id: InstanceId) -> Option<&'a UnionFile> {
        self.unions?.get(&id)
    }

    /// The first of some properties that has an address.
    fn uri(&self, id: InstanceId, names: &[&str]) -> Option<Vec<u8>> {
        let text = |name: &&str| self.source.value(id, name)?.as_bytes().map(<[u8]>::to_vec);
        names.iter().filter_map(text).find(|uri| !uri.is_empty())
    }

    /// The colours of a `SurfaceAppearance` in a mesh part, if the month did not have this class.
    fn color_map(&self, id: InstanceId) -> Option<Vec<u8>> {
        if table::has_class("SurfaceAppearance", self.month) {
            return None;
        }
        let mut below = self.source.children(id);
        let look = below.find(|child| *self.source.class_of(*child) == *"SurfaceAppearance")?;
        self.uri(look, &["ColorMapContent", "ColorMap"])
    }

    /// Gives a mesh part without a texture the colours of its `SurfaceAppearance`.
    fn take_color_map(&mut self, id: InstanceId, properties: &mut [(String, Value)]) -> Result<()> {
        let Some(map) = self.color_map(id) else { return Ok(()) };
        let texture = properties.iter_mut().find(|(name, _)| name == "TextureID");
        if let Some((_, texture)) = texture.filter(|(_, texture)| texture.as_bytes() == Some(b"")) {
            *texture = Value::from(map);
            let what = "the colours of the SurfaceAppearance".to_owned();
            self.list(NEAREST, LossKind::Approximated, (id, "MeshPart", Some("TextureID")), what)?;
        }
        Ok(())
    }

    /// Completes the weld that stands for a constraint: the parts keep their places.
    fn as_weld(&self, id: InstanceId, properties: &mut Vec<(String, Value)>) {
        let part =
            |names: [&str; 2]| names.iter().find_map(|name| self.source.value(id, name)?.as_instance());
        let frame = |part: Option<InstanceId>| self.source.value(part?, "CFrame")?.as_cframe();
        let (one, next) = (part(["Part0Internal", "Part0"]), part(["Part1Internal", "Part1"]));
        let own = || self.source.value(id, "CFrame0")?.as_cframe();
        let offset = match (frame(one), frame(next)) {
            (Some(one), Some(next)) => relative(one, next),
            // A part that states no place is at the origin, unless the constraint states where.
            (one, next) => own().unwrap_or_else(|| {
                relative(one.unwrap_or(CFrame::IDENTITY), next.unwrap_or(CFrame::IDENTITY))
            }),
        };
        let more = [
            ("C0", offset.into()),
            ("C1", CFrame::IDENTITY.into()),
            ("Part0", Value::Ref(one)),
            ("Part1", Value::Ref(next)),
        ];
        properties.extend(more.map(|(name, value)| (name.to_owned(), value)));
    }

    /// Whether a constraint between parts is off, which a weld of the month cannot be.
    fn is_off(&self, id: InstanceId) -> bool {
        self.source.value(id, "Enabled").is_some_and(|is_on| is_on == Value::Bool(false))
            && !matches!(table::property("Weld", "Enabled", self.month), Status::Known(_))
    }

    /// Lists a change of the file as a whole.
    pub(super) fn list_file(&mut self, rule: &'static str, what: &str) {
        let kind = LossKind::Approximated;
        let (path, class, what) = (String::new(), String::new(), what.to_owned());
        self.changes.push(Change { rule, kind, path, class, property: None, what, count: 1 });
    }

    /// Lists a change of an instance or of one of its properties.
    pub(super) fn list(
        &mut self,
        rule: &'static str,
        kind: LossKind,
        (id, class, property): (InstanceId, &str, Option<&str>),
        what: String,
    ) -> Result<()> {
        let key = (rule, class.to_owned(), property.unwrap_or_default().to_owned(), what);
        if let Some(&index) = self.index_of.get(&key) {
            self.changes[index].count += 1;
            return Ok(());
        }
        let (path, class) = (self.paths.of(id, &mut self.budget)?, class.to_owned());
        self.budget.charge(300, "the list of changes")?;
        let (property, what) = (property.map(ToOwned::to_owned), key.3.clone());
        self.index_of.insert(key, self.changes.len());
        self.changes.push(Change { rule, kind, path, class, property, what, count: 1 });
        Ok(())
    }
}

/// Whether an instance is a service that Studio adds to every place: without children, and with nothing but defaults.
pub(super) fn is_plain_service(document: &dyn Dom, id: InstanceId, class: &str) -> bool {
    let is_default = |(name, value): &(String, Value)| {
        name == "Name" || BOOKKEEPING.contains(&&**name) || is_default(class, name, value)
    };
    document.is_service(id)
        && document.parent(id).is_none()
        && document.children(id).next().is_none()
        && document.values(id).iter().all(is_default)
}

/// Whether a value is the default of its property, or says nothing.
pub(super) fn is_default(class: &str, name: &str, value: &Value) -> bool {
    let kind = type_of(value).and_then(rbxbinary::parts::TypeId::kind).unwrap_or(Kind::String);
    classes::default_of(class, name, kind).is_some_and(|default| default == *value)
        || value.as_bytes().is_some_and(<[u8]>::is_empty)
        || matches!(value, Value::Ref(None) | Value::Content(Content::None))
}

/// When a class came or went, as a part of a sentence.
fn came(class: &str, month: Month) -> String {
    match table::class_span(class) {
        Some(table::Span { first: Some(first), .. }) if first > month => {
            format!("came with {}", first.since())
        }
        Some(table::Span { last: Some(last), .. }) => format!("is gone since {}", last.next()),
        _ => "is in no table".to_owned(),
    }
}
