//! An open file.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rbxcore::classes::{self, Class};
use rbxcore::{Dom, InstanceId};
use rezkit::avatar::{CheckOptions, ItemType, Numbers};
use rezkit::tree::{self, Data, Found, Node, Value};
use rezkit::upload::sl::{self, Physics};
use rezkit::{
    ConvertOptions, Edit, EditOptions, Error, ExtractOptions, Loss, MergeOptions, Opened, OptionValue,
    Options, PackOptions, Reference, Selector, Side, Step, Topic,
};
use send_wrapper::SendWrapper;
use serde_json::json;
use wasm_bindgen::prelude::*;

use crate::instances::{self, NONE};
use crate::{Beside, Output, Result, json, reading, thrown};

/// The maximum length of a property in a list, in characters.
const SHOWN: usize = 200;

/// The profile of avatar items.
const AVATAR: &str = "roblox-avatar";

/// The numbers and the type with which avatar items are checked.
fn items(rules: Option<String>, item_type: Option<String>) -> Result<CheckOptions> {
    let mut options = CheckOptions::default();
    if let Some(rules) = rules {
        options.numbers = Numbers::from_json(rules.as_bytes()).map_err(thrown)?;
    }
    if let Some(name) = item_type {
        options.kind = Some(ItemType::of_name(&name).ok_or_else(|| {
            let known: Vec<&str> = ItemType::all().map(ItemType::name).collect();
            thrown(Error::argument(format!("type: expected one of {}, found {name}", known.join(", "))))
        })?);
    }
    Ok(options)
}

/// An open file of any format.
#[wasm_bindgen]
pub struct Asset {
    pub(crate) opened: Opened<'static>,
    max_bytes: u64,
}

/// The content of a file at one time.
#[wasm_bindgen]
pub struct State(rezkit::Content);

/// A reference as the kind and the name that JavaScript sees.
pub(crate) fn pair(reference: &Reference) -> (&'static str, String) {
    match reference {
        Reference::Beside(path) => ("beside", path.clone()),
        Reference::Id(id) => ("id", id.to_string()),
        Reference::Local(path) => ("local", path.clone()),
        other => ("other", other.to_string()),
    }
}

#[wasm_bindgen]
impl Asset {
    /// Opens a file.
    #[wasm_bindgen(constructor)]
    pub fn new(
        bytes: Vec<u8>,
        name: &str,
        max_bytes: f64,
        form: Option<String>,
        beside: Option<Beside>,
    ) -> Result<Asset> {
        // An `Opened` can be sent to another thread. JavaScript values cannot, but an engine has one thread.
        let beside = SendWrapper::new(beside);
        let sources = move |reference: &Reference, _: u64| {
            let Some(beside) = &*beside else { return Ok(None) };
            let (kind, name) = pair(reference);
            let failed = |error: JsValue| Error::argument(error.as_string().unwrap_or_default());
            beside.get(kind, &name).map_err(failed)
        };
        let opened = reading(max_bytes, form).open(bytes, name, sources).map_err(thrown)?;
        Ok(Self { opened, max_bytes: max_bytes as u64 })
    }

    /// The format and the version, without the facts.
    pub fn kind(&self) -> String {
        let (kind, version) = (self.opened.file_type(), self.opened.version());
        let has_instances = self.opened.file_type().has_instances();
        json(&json!({
            "format": kind.format,
            "title": kind.title,
            "version": version,
            "name": kind.name,
            "hasInstances": has_instances,
            "hasGeometry": self.opened.has_scene(),
        }))
    }

    /// `rezkit::Info`, with the facts as an object by name.
    pub fn info(&self) -> String {
        let rezkit::Info { format, title, version, bytes, facts, .. } = &self.opened.info();
        json(&Described { format, title, version, bytes: *bytes, facts: Facts(facts) })
    }

    fn visit<T>(&self, path: &str, f: impl Fn(&dyn Node) -> T) -> Result<T> {
        let mut made = None;
        tree::with_node(&*self.opened.tree(), path, &mut |node| made = Some(f(node))).map_err(thrown)?;
        made.ok_or_else(|| thrown(Error::argument(format!("no node exists at the path {path}"))))
    }

    /// At most `max` children of the node at a path, from the index `from` on: a list of `rezkit::tree::Row`.
    pub fn rows(&self, path: &str, from: usize, max: usize) -> Result<String> {
        self.visit(path, |node| json(&tree::list(node, path, from, max)))
    }

    /// The name, the kind and the number of children of the node at a path.
    pub fn node(&self, path: &str) -> Result<String> {
        let name = |node: &dyn Node| if path.is_empty() { String::new() } else { node.name().into_owned() };
        self.visit(path, |node| {
            json(&json!({ "name": name(node), "kind": node.kind(), "count": node.count() }))
        })
    }

    /// The properties of the node at a path, as [`property`] describes them. Those of a known class include the ones that
    /// the file does not store, with their defaults.
    pub fn properties(&self, path: &str) -> Result<String> {
        let has_classes = self.opened.file_type().has_instances();
        self.visit(path, |node| {
            let class = classes::class(&*node.kind()).filter(|_| has_classes);
            let own = node.value().map(|value| (String::new(), value));
            let stored: Vec<_> = node.properties().into_iter().chain(own).collect();
            let mut all: Vec<_> =
                stored.iter().map(|(name, value)| property(class, name, value, "stored")).collect();
            for known in class.into_iter().flat_map(Class::properties) {
                if stored.iter().any(|(name, _)| name == known.name()) {
                    continue;
                }
                match node.unstored(known.name()) {
                    Some(Found::Default(value)) => all.push(property(class, known.name(), &value, "default")),
                    Some(Found::Other(_, value)) => all.push(property(class, known.name(), &value, "older")),
                    _ => {}
                }
            }
            json(&all)
        })
    }

    /// The instances that a selector means, in the order of the document: the first `max`, each with its path, its name
    /// and its class; their number; and what may be misspelled.
    pub fn query(&self, selector: &str, max: usize) -> Result<String> {
        let selector = selector_of(selector)?;
        let paths = self.opened.query(&selector).map_err(thrown)?;
        let shown = &paths[..max.min(paths.len())];
        let rows = self.dom(|dom| instances::rows(dom, shown)).unwrap_or_default();
        // They are in the second part of the engine, which a search that finds something does not need.
        let hints = if paths.is_empty() { selector.unknown() } else { Vec::new() };
        Ok(json(&json!({ "rows": rows, "count": paths.len(), "hints": hints })))
    }

    /// The paths of all that [`query`](Self::query) or [`find`](Self::find) finds.
    pub fn found(&self, text: &str, is_selector: bool) -> Result<Vec<String>> {
        if is_selector {
            return self.opened.query(&selector_of(text)?).map_err(thrown);
        }
        let mut paths = Vec::new();
        let found = &mut |row: tree::Row| {
            paths.push(row.path);
            true
        };
        tree::find(&*self.opened.tree(), "", text, found).map_err(thrown)?;
        Ok(paths)
    }

    /// Applies all edits of a JSON list, or none. `models` provides the inserted models, and the result contains the
    /// copied ones. With `at_once`, paths are those before the first edit, and nothing is inserted.
    pub fn edit(
        &mut self,
        edits: &str,
        models: Option<Beside>,
        options: &str,
        at_once: bool,
    ) -> Result<Output> {
        let edits: Vec<Edit> = parsed(edits)?;
        let convert = self.options(options, None, |_| true)?;
        let mut models = |reference: &Reference, _: u64| {
            let Some(models) = &models else { return Ok(None) };
            let (kind, name) = pair(reference);
            let failed = |error: JsValue| Error::argument(error.as_string().unwrap_or_default());
            models.get(kind, &name).map_err(failed)
        };
        let options = EditOptions::new().convert(convert).paths_before(at_once);
        self.opened.edit(&edits, &mut models, &options).map(Output::from).map_err(thrown)
    }

    /// The content as it is now, for `restore`.
    pub fn content(&self) -> State {
        State(self.opened.content())
    }

    /// Brings the file back to a content that it had.
    pub fn restore(&mut self, state: &State) {
        self.opened.restore(&state.0);
    }

    /// The memory of the content as it was opened, in bytes.
    pub fn held(&self) -> f64 {
        (self.max_bytes - self.opened.memory_left()) as f64
    }

    /// Puts edited files that `extract` wrote back into the document: a JSON object of texts by path.
    pub fn pack(&mut self, files: &str, remove: bool) -> Result<String> {
        let files: std::collections::BTreeMap<String, String> = parsed(files)?;
        let files = files.into_iter().map(|(path, text)| (path, text.into_bytes()));
        Ok(json(&self.opened.pack(files, PackOptions::new().remove(remove)).map_err(thrown)?))
    }

    /// Joins what another asset changed since a third one from which both come; `prefer` resolves conflicts for `ours` or
    /// `theirs`.
    pub fn merge(&mut self, base: &Self, theirs: &Self, prefer: &str) -> Result<String> {
        let options = MergeOptions::new().max_bytes(self.opened.memory_left());
        let options = match prefer {
            "ours" => options.prefer(Side::Ours),
            "theirs" => options.prefer(Side::Theirs),
            "" => options,
            other => {
                return Err(thrown(Error::argument(format!(
                    "prefer: expected ours or theirs, found {other:?}"
                ))));
            }
        };
        let (conflicts, losses) =
            self.opened.merge(&base.opened, &theirs.opened, &options).map_err(thrown)?;
        Ok(format!("{{\"conflicts\":{},\"losses\":{}}}", json(&conflicts), json(&losses)))
    }

    /// Takes single differences from another asset: the steps towards it that are at one of these paths, or lead there.
    pub fn take(&mut self, other: &Self, paths: Vec<String>) -> Result<Output> {
        let (steps, _) = self.opened.patch(&other.opened).map_err(thrown)?;
        let is_wanted = |step: &Step| {
            let (path, to) = match step {
                Step::Moved { path, to, .. } => (path, Some(to)),
                Step::Added { path, .. }
                | Step::Removed { path, .. }
                | Step::Changed { path, .. }
                | Step::Reordered { path, .. } => (path, None),
                // What is filled in follows where it is needed.
                _ => return false,
            };
            paths.contains(path) || to.is_some_and(|to| paths.contains(to))
        };
        let wanted = steps.into_iter().filter(is_wanted);
        let edits: Vec<Edit> = wanted.map(|step| Edit::Step(Box::new(step))).collect();
        if edits.is_empty() {
            let what = "this difference depends on others, so that it cannot be taken alone; merge the files instead";
            return Err(thrown(Error::argument(what)));
        }
        let options = EditOptions::new().convert(ConvertOptions::new().allow_loss(true));
        self.opened.edit(&edits, &mut (), &options).map(Output::from).map_err(thrown)
    }

    /// The nodes whose name, class or type contains a text: the first `max`, and whether these are all.
    pub fn find(&self, text: &str, max: usize) -> Result<String> {
        let mut rows = Vec::new();
        let all = tree::find(&*self.opened.tree(), "", text, &mut |row| {
            let goes_on = rows.len() < max;
            if goes_on {
                rows.push(row);
            }
            goes_on
        });
        Ok(json(&json!({ "rows": rows, "all": all.map_err(thrown)? })))
    }

    /// The value at a path as JSON, without its type.
    pub fn get(&self, path: &str) -> Result<String> {
        // Instances can share values, so the text of a small file can be large.
        let mut budget = rezkit::Budget::new(self.max_bytes);
        let mut text = Err(tree::too_deep());
        tree::resolve(&*self.opened.tree(), path, &mut |found| {
            text = budget.json(&found, "the value as JSON")
        })
        .map_err(thrown)?;
        text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(thrown)
    }

    /// Sets the value at a path. Returns what else changed.
    pub fn set(&mut self, path: &str, value: &str, kind: Option<String>) -> Result<String> {
        self.opened.set(path, value, kind.as_deref()).map(|losses| json(&losses)).map_err(thrown)
    }

    /// The rules that the asset breaks; of avatar items with these numbers and for this type.
    pub fn check(
        &mut self,
        profiles: Vec<String>,
        rules: Option<String>,
        item_type: Option<String>,
    ) -> Result<String> {
        let (avatar, profiles): (Vec<&str>, Vec<&str>) =
            profiles.iter().map(String::as_str).partition(|name| *name == AVATAR);
        let mut found = self.opened.check(&profiles, None).map_err(thrown)?;
        // The numbers are in the part of the engine that is loaded when it is needed.
        if !avatar.is_empty() || rules.is_some() || item_type.is_some() {
            let options = items(rules, item_type)?;
            if !avatar.is_empty() {
                found.extend(self.opened.check_avatar(&options).map_err(thrown)?.findings());
            }
        }
        Ok(json(&found))
    }

    /// `rezkit::avatar::AvatarReport`: the rules of each avatar item.
    pub fn avatar_items(&mut self, rules: Option<String>, item_type: Option<String>) -> Result<String> {
        let options = items(rules, item_type)?;
        Ok(json(&self.opened.check_avatar(&options).map_err(thrown)?))
    }

    /// The targets of conversions.
    pub fn targets(&self) -> String {
        json(&self.opened.targets())
    }

    /// The asset in another form or format.
    pub fn convert(
        &mut self,
        to: &str,
        name: Option<String>,
        options: &str,
        rig: Option<Vec<u8>>,
        deny: Vec<String>,
        allow: Vec<String>,
    ) -> Result<Output> {
        let policy = rezkit::loss_policy(allow, deny).map_err(thrown)?;
        let options = self.options(options, rig, |_| true)?;
        let output = match name {
            Some(name) => name,
            None => format!("model.{}", self.opened.extension(to).map_err(thrown)?),
        };
        let mut made = self.opened.convert(Some(to), &output, &options).map_err(thrown)?;
        policy.accept(&mut made.losses).map_err(thrown)?;
        Ok(made.into())
    }

    /// The ids of the instances at paths, which they keep until they are removed; `NONE` where nothing is.
    pub fn ids(&self, paths: Vec<String>) -> Vec<u32> {
        self.dom(|dom| instances::ids(dom, &paths)).unwrap_or_else(|| vec![NONE; paths.len()])
    }

    /// The paths of instances by their ids; empty for those that were removed.
    pub fn paths(&self, ids: Vec<u32>) -> Vec<String> {
        self.dom(|dom| instances::paths(dom, &ids)).unwrap_or_else(|| vec![String::new(); ids.len()])
    }

    /// The ids of instances and of all their descendants.
    pub fn below(&self, ids: Vec<u32>) -> Vec<u32> {
        self.dom(|dom| instances::below(dom, &ids)).unwrap_or_default()
    }

    /// The instances to draw again after a change of these: the parts in which they are, or they themselves. `None` if
    /// others may look different, too: what attachments connect.
    pub fn parts(&self, ids: Vec<u32>) -> Option<Vec<u32>> {
        self.dom(|dom| instances::parts(dom, &ids)).unwrap_or_else(|| Some(Vec::new()))
    }

    /// A number that is larger than all ids.
    pub fn next_id(&self) -> u32 {
        self.dom(instances::next).unwrap_or_default()
    }

    /// The instances whose ids are at least a number, without those below others of them.
    pub fn added(&self, since: u32) -> Vec<u32> {
        self.dom(|dom| instances::added(dom, since)).unwrap_or_default()
    }

    /// Whether the scene can depend on these properties, by their names in files, of these instances.
    pub fn depends_on(&self, ids: Vec<u32>, properties: Vec<String>) -> bool {
        self.dom(|dom| instances::depends_on(dom, &ids, &properties)).unwrap_or(true)
    }

    /// The id of the instance that each node of a scene shows; `NONE` if it shows none.
    pub fn node_ids(&self, scene: &crate::Scene) -> Vec<u32> {
        let found = self.dom(|dom| instances::of_nodes(dom, &scene.scene.nodes));
        found.unwrap_or_else(|| vec![NONE; scene.scene.nodes.len()])
    }

    /// The scene of some instances with their descendants; it is empty if nothing of them is visible.
    pub fn scene_of(&mut self, ids: Vec<u32>, options: &str) -> Result<crate::Scene> {
        let mut options = self.options(options, None, |topic| Topic::OF_SCENES.contains(&topic))?;
        options.scene.only = ids.into_iter().filter_map(InstanceId::new).collect();
        let (scene, losses) = match self.opened.scene(&options.scene) {
            Err(error) if error.kind() == rezkit::ErrorKind::Empty => Default::default(),
            made => made.map_err(thrown)?,
        };
        Ok(crate::Scene::new(scene, losses, self.max_bytes))
    }

    /// The text of a property at each of many paths, as a list; null where there is none.
    pub fn texts(&self, paths: Vec<String>, name: &str) -> Result<String> {
        instances::texts(&*self.opened.tree(), &paths, name).map(|texts| json(&texts)).map_err(thrown)
    }

    /// The text of a property of each of many instances, by their ids, as a list; null where there is none.
    pub fn texts_of(&self, ids: Vec<u32>, name: &str) -> Result<String> {
        let root = self.opened.tree();
        let texts = self.dom(|dom| instances::texts_of(&*root, dom, &ids, name));
        texts
            .unwrap_or_else(|| Ok(vec![serde_json::Value::Null; ids.len()]))
            .map(|texts| json(&texts))
            .map_err(thrown)
    }

    /// The asset as a scene.
    pub fn scene(&mut self, options: &str, rig: Option<Vec<u8>>) -> Result<crate::Scene> {
        let options = self.options(options, rig, |topic| Topic::OF_SCENES.contains(&topic))?;
        let (scene, losses) = self.opened.scene(&options.scene).map_err(thrown)?;
        Ok(crate::Scene::new(scene, losses, self.max_bytes))
    }

    /// The animations of the asset on the rig that the options name, with the figure of this rig; `None` if that is the rig
    /// of the file.
    pub fn scene_on_rig(&mut self, options: &str, rig: Option<Vec<u8>>) -> Result<Option<crate::Scene>> {
        let options = self.options(options, rig, |topic| Topic::OF_SCENES.contains(&topic))?;
        let (_, moved, losses) = self.opened.scene_on_rig(&options.scene).map_err(thrown)?;
        Ok(moved.map(|moved| crate::Scene::new(moved, losses, self.max_bytes)))
    }

    /// For each node of the asset's scene, the tree path of what it shows, or null.
    pub fn node_paths(&self, scene: &crate::Scene) -> Result<String> {
        Ok(json(&self.opened.node_paths(&scene.scene).map_err(thrown)?))
    }

    /// The files of an upload to Second Life, with levels of detail and a shape for physics; `report.json` has the cost.
    pub fn second_life(&mut self, name: &str, options: &str) -> Result<Output> {
        let given: SecondLife = parsed(options)?;
        let mut scenes = rezkit::SceneOptions::new().max_bytes(self.max_bytes);
        (scenes.levels, scenes.hulls) = (rezkit::scene::Levels::All, true);
        let (scene, losses) = self.opened.scene(&scenes).map_err(thrown)?;
        let mut options = sl::Options::default();
        (options.land_impact, options.fix, options.max_bytes) =
            (given.land_impact, given.fix, self.max_bytes);
        options.scale = given.scale.unwrap_or(1.0);
        options.physics = match given.physics.as_deref() {
            None | Some("hulls") => Physics::Hulls,
            Some("mesh") => Physics::Mesh,
            Some("box") => Physics::Box,
            Some("none") => Physics::None,
            Some(other) => {
                let what = format!("physics: expected hulls, mesh, box or none, found {other:?}");
                return Err(thrown(Error::argument(what)));
            }
        };
        let upload = sl::second_life(&scene, name, &[], &options, &mut |_, _| Ok(None)).map_err(thrown)?;
        let files = upload.files.into_iter().map(|file| (file.path().to_owned(), file.bytes));
        let losses = Loss::grouped(losses.into_iter().chain(upload.report.losses));
        Ok(Output { files: files.collect(), losses })
    }

    /// The files in the asset.
    pub fn extract(&self, models: Option<String>) -> Result<Output> {
        let options = match models {
            Some(extension) => ExtractOptions::new().models(extension),
            None => ExtractOptions::new(),
        };
        Ok(self.opened.extract(&options).map_err(thrown)?.into())
    }

    /// The scripts in the asset.
    pub fn scripts(&self) -> Result<String> {
        let script = |script: &rezkit::Script| {
            let source = String::from_utf8_lossy(&script.source);
            json!({"path": script.path, "class": script.class, "source": source})
        };
        let scripts = self.opened.scripts().map_err(thrown)?;
        Ok(json(&scripts.iter().map(script).collect::<Vec<_>>()))
    }

    /// The assets that the file refers to, each with the paths that refer to it.
    pub fn assets(&self) -> Result<String> {
        Ok(json(&self.opened.assets().map_err(thrown)?))
    }

    /// The original bytes with the edits applied, compressed as the file was.
    pub fn save(&self) -> Result<Vec<u8>> {
        self.opened.to_file(None).map_err(thrown)
    }
}

impl Asset {
    /// Calls a function with the document, if the asset is one with instances.
    fn dom<T>(&self, call: impl FnOnce(&dyn Dom) -> T) -> Option<T> {
        let root = self.opened.tree();
        let first = root.children().next()?;
        first.instance().map(|(dom, _)| call(dom))
    }

    /// The options of a conversion from a JSON object.
    fn options(
        &self,
        text: &str,
        rig: Option<Vec<u8>>,
        is_known: impl Fn(Topic) -> bool,
    ) -> Result<ConvertOptions> {
        let mut options: ConvertOptions = self::options(text, is_known)?;
        options.scene.max_bytes = self.max_bytes;
        rig.map_or(Ok(()), |bytes| options.set("rig", &OptionValue::Bytes(bytes))).map_err(thrown)?;
        Ok(options)
    }
}

/// `rezkit::Info` as JSON.
#[derive(serde::Serialize)]
struct Described<'a> {
    format: &'a str,
    title: &'a str,
    version: &'a str,
    bytes: u64,
    facts: Facts<'a>,
}

/// Facts as an object by name, in their order.
struct Facts<'a>(&'a [rezkit::Fact]);

impl serde::Serialize for Facts<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        // As a JSON value, in which numbers of 32 bits are those that the command line prints.
        serializer.collect_map(self.0.iter().map(|fact| (fact.name, json!(fact.value))))
    }
}

/// The options of an upload to Second Life.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SecondLife {
    land_impact: Option<f32>,
    physics: Option<String>,
    scale: Option<f32>,
    #[serde(default)]
    fix: bool,
}

/// A property as an object: its stored name, the name that Studio shows, its type, a one-line summary, the text to edit,
/// the items of its enum, its fields, and its source: `stored`, `default`, or `older` for a value in an older form.
pub(crate) fn property(class: Option<Class>, name: &str, value: &Value, source: &str) -> serde_json::Value {
    let known = class.and_then(|class| class.property(name));
    // A one-line text that the summary shows in full can be edited in place.
    let text = match &value.data {
        Data::Line(_, text) if text.len() <= SHOWN => Some(text.clone()),
        // The binary values of LLSD.
        Data::Bytes(bytes) if value.kind == "binary" && bytes.len() <= SHOWN => {
            Some(BASE64_STANDARD.encode(&**bytes))
        }
        Data::Bytes(bytes) if bytes.len() <= SHOWN => str::from_utf8(bytes).ok().map(str::to_owned),
        _ => None,
    };
    let fields = match &value.data {
        Data::Fields(fields) | Data::Decoded(_, fields) => Some(
            fields
                .iter()
                .take(SHOWN)
                .map(|(name, value)| property(None, name, value, source))
                .collect::<Vec<_>>(),
        ),
        Data::List(values) => {
            Some(values.iter().take(SHOWN).map(|value| property(None, "", value, source)).collect::<Vec<_>>())
        }
        Data::Line(..) | Data::Bytes(_) => None,
    };
    let items = known.filter(|_| value.kind == "Enum").and_then(|known| known.items());
    let mut items = items.map(|of| of.items().map(|(_, name)| name).collect::<Vec<_>>());
    let mut text = text;
    if let ("BrickColor", Some(number)) = (&*value.kind, &text) {
        // A name that two colours have is that of the first one.
        let is_first = |number: u32, name: &str| classes::brick_color_named(name) == Some(number);
        let all = || classes::brick_colors().filter(|&(number, name)| is_first(number, name));
        text = Some(
            all()
                .find(|(known, _)| known.to_string() == *number)
                .map_or(number.clone(), |of| of.1.to_owned()),
        );
        items = Some(all().map(|of| of.1).collect());
    }
    json!({
        "name": name,
        "title": known.map_or(name, |known| known.script_name()),
        "kind": value.kind,
        "summary": value.summary(SHOWN),
        "text": text,
        "fields": fields,
        "items": items,
        "source": source,
    })
}

/// A value from JSON.
fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| thrown(Error::argument(error.to_string())))
}

/// Options from a JSON object by name; one whose topic is not accepted is an error.
pub(crate) fn options<O: Options>(text: &str, is_known: impl Fn(Topic) -> bool) -> Result<O> {
    let given: serde_json::Map<String, serde_json::Value> = parsed(text)?;
    let mut options = O::default();
    for (name, value) in given.into_iter().filter(|(_, value)| !value.is_null()) {
        if !O::find(&name).is_some_and(|row| is_known(row.topic)) {
            return Err(thrown(Error::argument(format!("unknown option {name:?}"))));
        }
        options.set(&name, &self::given(value)).map_err(thrown)?;
    }
    Ok(options)
}

fn given(value: serde_json::Value) -> OptionValue {
    use serde_json::Value;
    match value {
        Value::Bool(flag) => OptionValue::Flag(flag),
        Value::Number(number) => OptionValue::Number(number.as_f64().unwrap_or(f64::NAN)),
        Value::Array(list) => OptionValue::Numbers(list.iter().filter_map(Value::as_f64).collect()),
        Value::String(text) => OptionValue::Text(text),
        other => OptionValue::Text(other.to_string()),
    }
}

fn selector_of(text: &str) -> Result<Selector> {
    text.parse::<Selector>().map_err(|error| thrown(error.into()))
}
