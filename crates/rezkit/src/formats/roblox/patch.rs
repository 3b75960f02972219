//! Patches of documents: written while one document is made of another, and applied.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rbxbinary::parts::TypeId;
use rbxcore::{ColorSequence, Content, InstanceId, Kind, NumberSequence, Value};
use serde_json::Value as Json;

use super::effective::default;
use super::form::{Grafted, bytes_in_form, graft};
use super::target::target;
use super::{show, type_of};
use crate::options::ReadOptions;
use crate::patch::{Step, other_content, other_value};
use crate::tree::{self, Data, Reordered};
use rbxcore::Dom;
use rbxdocument::paths::Paths;
use rbxdocument::state::{self, Action, Applying, At, StepValue};
use rbxdocument::text::Finder;
use rbxdocument::view::View as _;
use rezkit_core::{Budget, Error, Loss, Result, plain};

/// The options of edits.
#[derive(Clone, Copy)]
pub(crate) struct How<'a> {
    pub(crate) options: &'a ReadOptions,
    /// Whether inserted models may lose what the form of the document cannot store.
    pub(crate) allow_loss: bool,
    /// Whether the steps of a patch are applied also where the document has another value.
    pub(crate) any_old: bool,
    /// Whether paths are those before the first edit.
    pub(crate) paths_before: bool,
}

/// The type of metadata.
const METADATA: &str = "metadata";

/// Steps as JSON has them.
///
/// # Errors
/// If they take more memory than is allowed.
pub(super) fn steps(steps: Vec<state::Step>, max_bytes: u64) -> Result<Vec<Step>> {
    let mut budget = Budget::new(max_bytes);
    steps.into_iter().map(|step| one(step, &mut budget)).collect()
}

fn one(step: state::Step, budget: &mut Budget) -> Result<Step> {
    Ok(match step {
        state::Step::Added { path, parent, class, model } => {
            let bytes = match bytes_in_form(&*model, "rbxmx", false) {
                Ok((text, losses)) if losses.is_empty() => text,
                // XML cannot represent it.
                _ => bytes_in_form(&*model, "rbxm", true)?.0,
            };
            let model = match String::from_utf8(bytes) {
                Ok(text) => Json::from(text),
                Err(error) => serde_json::json!({ "base64": BASE64_STANDARD.encode(error.as_bytes()) }),
            };
            budget.take(2 * model.to_string().len() as u64, "the differences")?;
            Step::Added { path, parent, node: class, model }
        }
        state::Step::Removed { path, class, content } => {
            Step::Removed { path, node: class, content: Some(format!("{content:016x}")) }
        }
        state::Step::Moved { path, parent, to } => Step::Moved { path, parent, to },
        state::Step::Reordered { path, order } => {
            let order = order.into_iter().map(|(child, from, to)| Reordered { child, from, to });
            Step::Reordered { path, order: order.collect() }
        }
        state::Step::Metadata { key, old, new } => {
            let json = |value: Vec<u8>| tree::Value::bytes(METADATA, value).to_json();
            let is_bytes = |value: &Vec<u8>| std::str::from_utf8(value).is_err();
            Step::Changed {
                path: format!(".{key}"),
                kind: METADATA.to_owned(),
                old: Some(old.map_or(Json::Null, json)),
                bytes: new
                    .as_ref()
                    .filter(|value| is_bytes(value))
                    .map(|value| BASE64_STANDARD.encode(value)),
                new: new.map_or(Json::Null, json),
                text: None,
            }
        }
        state::Step::Changed { path, class, property, old, new } => {
            changed((&path, &class, &property), [old, new], budget)?
        }
        state::Step::Filled { class, property, value, instances } => {
            let new = Some(StepValue::new(value));
            let step = changed(("", &class, &property), [None, new], budget)?;
            let Step::Changed { path, kind, new, bytes, text, .. } = step else { return Ok(step) };
            Step::Filled { path, node: class, instances, kind, new, bytes, text }
        }
        step => return Err(Error::unwritable(format!("a step of an unknown kind: {step:?}"))),
    })
}

fn changed(
    (path, class, property): (&str, &str, &str),
    [old, new]: [Option<StepValue>; 2],
    budget: &mut Budget,
) -> Result<Step> {
    let typed = |value: &Value| match value {
        Value::Unknown(unknown) => unknown.tag.to_string(),
        value => type_of(value).and_then(|kind| kind.name()).unwrap_or_default().to_owned(),
    };
    let kind = new.as_ref().or(old.as_ref()).map(|of| typed(&of.value)).unwrap_or_default();
    let path = format!("{path}.{property}");
    let shown = |of: &StepValue| shown((class, property), &of.value, of.to.as_deref(), budget.left());
    let old = Some(old.as_ref().map(shown).map_or(Json::Null, |old| old.to_json()));
    let Some(new) = new else {
        return Ok(Step::Changed { path, kind, old, new: Json::Null, bytes: None, text: None });
    };
    let shown = shown(&new);
    let (is_decoded, json, new) = (!matches!(shown.data, Data::Line(..)), shown.to_json(), new.value);
    let (mut bytes, mut text) = (None, None);
    if new.as_instance().is_none() && read(&kind, &json, None, None).ok().as_ref() != Some(&new) {
        match new.as_bytes() {
            Some(raw) if is_decoded || new.as_str().is_none() => {
                bytes = Some(BASE64_STANDARD.encode(raw));
            }
            _ => text = new.as_ref().to_text(),
        }
    }
    Ok(Step::Changed { path, kind, old, new: json, bytes, text })
}

/// A value as a step has it: a reference as the whole path, which is read again.
fn shown(property: (&str, &str), value: &Value, to: Option<&str>, max_bytes: u64) -> tree::Value {
    match to {
        Some(to) if matches!(value, Value::Ref(_)) => tree::Value::text("Ref", to),
        Some(to) => tree::Value::text("Ref", format!("object {to}")),
        None => show::value(property, value, max_bytes, |_| String::new()),
    }
}

/// What the document has, if that is neither the old value of a step nor the new one; a value that is not stored is the
/// default.
fn unexpected(
    document: &dyn Dom,
    (id, property): (InstanceId, &str),
    [old, new]: [&Json; 2],
    budget: &mut Budget,
) -> Result<Option<Json>> {
    let class = document.class_of(id);
    let (mut paths, now) = (Paths::new(document), document.value(id, property));
    let mut json = |value: Option<Value>| -> Result<Json> {
        Ok(match value {
            None => Json::Null,
            Some(value) => {
                let to = value.as_instance().map(|to| paths.of(to, budget)).transpose()?;
                shown((&class, property), &value, to.as_deref(), budget.left()).to_json()
            }
        })
    };
    let found = json(now.clone())?;
    if found == *old || found == *new {
        return Ok(None);
    }
    let neutral = |value: &Value| type_of(value).and_then(TypeId::neutral);
    let default = default(&class, property).or_else(|| now.as_ref().and_then(neutral));
    let default = json(default)?;
    let is_default = |value: &Json| value.is_null() || *value == default || value.as_str() == Some("");
    Ok(if is_default(&found) && is_default(old) { None } else { Some(found) })
}

/// A value from the fields of a step.
fn read(kind: &str, new: &Json, bytes: Option<&str>, text: Option<&str>) -> Result<Value> {
    let named = Kind::named(kind).ok_or_else(|| Error::argument(format!("there is no type {kind}")))?;
    if let Some(bytes) = bytes {
        let wrong = || Error::argument("expected base64");
        let bytes = BASE64_STANDARD.decode(bytes).map_err(|_| wrong())?;
        return Ok(match named {
            Kind::ProtectedString => Value::ProtectedString(bytes.into()),
            Kind::BinaryString => Value::BinaryString(bytes.into()),
            Kind::Bytecode => Value::Bytecode(bytes.into()),
            Kind::SharedString => Value::SharedString(bytes.into()),
            Kind::NetAssetRef => Value::NetAssetRef(bytes.into()),
            Kind::Content => Content::Uri(bytes.into()).into(),
            Kind::ContentId => Value::ContentId(bytes.into()),
            _ => Value::String(bytes.into()),
        });
    }
    // A neutral sequence has no keypoints, which no text can say.
    if let (None, Json::Array(keypoints)) = (text, new)
        && keypoints.is_empty()
    {
        match named {
            Kind::NumberSequence => return Ok(NumberSequence::default().into()),
            Kind::ColorSequence => return Ok(ColorSequence::default().into()),
            _ => {}
        }
    }
    let written = match (text, new) {
        (Some(text), _) => text.to_owned(),
        // A list of texts is that of tags, with a zero byte between two of them.
        (None, Json::Array(texts)) if matches!(named, Kind::String | Kind::BinaryString) => {
            texts.iter().map(written).collect::<Result<Vec<_>>>()?.join("\0")
        }
        (None, new) => written(new)?,
    };
    Value::parse(named, &written).map_err(|error| Error::argument(error.to_string()))
}

/// The text of a value that is written as JSON.
fn written(json: &Json) -> Result<String> {
    Ok(match json {
        Json::String(text) => text.clone(),
        Json::Array(values) => values.iter().map(written).collect::<Result<Vec<_>>>()?.join(", "),
        Json::Bool(_) | Json::Number(_) => json.to_string(),
        Json::Null | Json::Object(_) => {
            return Err(Error::argument(
                "expected a number, a text, true, false or an array, or the field `bytes` or `text`",
            ));
        }
    })
}

/// The bytes of a model that a step adds: a text, or base64.
fn model_bytes(model: &Json) -> Result<Vec<u8>> {
    match (model, model.get("base64").and_then(Json::as_str)) {
        (Json::String(text), _) => Ok(text.as_bytes().to_vec()),
        (_, Some(text)) => BASE64_STANDARD.decode(text).map_err(|error| Error::argument(error.to_string())),
        _ => Err(Error::argument("expected a model as text or as base64")),
    }
}

/// Applies a step to a document.
pub(super) fn apply(
    document: &mut Applying<'_>,
    step: &Step,
    how: How<'_>,
    finder: &mut Finder<Error>,
    budget: &mut Budget,
) -> Result<Grafted> {
    let options = how.options;
    let mut done = Grafted { filled: Vec::new(), losses: Vec::new(), roots: Vec::new() };
    let id_of = |parent: Option<InstanceId>| parent.map(At::Id);
    let mut at = |document: &dyn Dom, path: &str| match path {
        "" => Ok(None),
        path => finder.need(document, path).map(Some),
    };
    let one = |id: Option<InstanceId>, path: &str| {
        id.ok_or_else(|| Error::argument("expected the path of an instance").at(path))
    };
    match step {
        Step::Added { parent, model, path, .. } => {
            let parent = at(&**document, parent)?;
            let bytes = model_bytes(model).map_err(|error| error.at(path.as_str()))?;
            let opened = options.open(bytes, "model", ()).map_err(|error| error.at(path.as_str()))?;
            done = graft(document, id_of(parent), opened.asset(), true, budget)
                .map_err(|error| error.at(path.as_str()))?;
            done.roots.iter().for_each(|&id| finder.added(&**document, id));
        }
        Step::Removed { path, node, content } => {
            let id = one(at(&**document, path)?, path)?;
            if let Err(error) = is_expected(&**document, id, (node, content.as_deref())) {
                if !how.any_old {
                    return Err(error.at(path.as_str()));
                }
                let what = "an instance whose content the patch does not expect is removed";
                budget.lose(&mut done.losses, Loss::new(path.as_str(), what).id("patch.other-value"))?;
            }
            finder.leaves(&**document, id);
            document.act(Action::Remove { ids: vec![id] }, budget)?;
        }
        Step::Moved { path, parent, .. } => {
            let (id, parent) = (one(at(&**document, path)?, path)?, at(&**document, parent)?);
            finder.leaves(&**document, id);
            document.act(Action::Move { id, parent: id_of(parent) }, budget)?;
            finder.added(&**document, id);
        }
        Step::Reordered { path, order } => {
            let moves = order.iter().map(|child| (child.from, child.to)).collect();
            let parent = id_of(at(&**document, path)?);
            let reorder = Action::Reorder { path: path.clone(), parent, moves };
            document.act(reorder, budget).map_err(|error| Error::from(error).at(path.as_str()))?;
        }
        Step::Filled { path, node, kind, new, bytes, text, .. } => {
            // References that are filled in are null.
            let value = match Kind::named(kind) {
                Some(Kind::Ref) => Ok(Value::Ref(None)),
                _ => read(kind, new, bytes.as_deref(), text.as_deref()),
            };
            let losses = value.and_then(|value| fill(document, (node, path), &value, budget));
            done.losses.extend(losses.map_err(|error| error.at(path.as_str()))?);
        }
        Step::Changed { path, kind, new, bytes, text, .. } if kind == METADATA => {
            let value = metadata(new, bytes.as_deref(), text.as_deref());
            let key = path.trim_start_matches('.').to_owned();
            document.act(Action::Metadata { key, value }, budget)?;
        }
        Step::Changed { path, kind, old, new, bytes, text } => {
            let (id, property) = target(&**document, path, finder)?;
            if let Some(old) = old
                && let Some(found) = unexpected(&**document, (id, property), [old, new], budget)
                    .map_err(|error| error.at(path.as_str()))?
            {
                if !how.any_old {
                    return Err(other_value(old, &found).at(path.as_str()));
                }
                let found = plain::shorten(&found.to_string(), 80).to_string();
                let what = format!("the value {found}, which the patch does not expect, is replaced");
                budget.lose(&mut done.losses, Loss::new(path.as_str(), what).id("patch.other-value"))?;
            }
            if new.is_null() && bytes.is_none() && text.is_none() {
                document.act(Action::stored(id, property, None), budget)?;
                (property == "Name").then(|| finder.clear());
                return Ok(done);
            }
            let value = match reference(&**document, kind, new, finder)? {
                Some(value) => value,
                None => read(kind, new, bytes.as_deref(), text.as_deref())
                    .map_err(|error| error.at(path.as_str()))?,
            };
            if property == "Name" {
                finder.leaves(&**document, id);
            }
            // The other document stores it under this name.
            let set = document.act(Action::stored(id, property, Some(value)), budget);
            done.losses.extend(set.map_err(|error| Error::from(error).at(path.as_str()))?.losses);
            if property == "Name" {
                finder.renamed(&**document, id);
            }
        }
    }
    Ok(done)
}

/// A value about the whole document; `None` if it is removed.
fn metadata(new: &Json, bytes: Option<&str>, text: Option<&str>) -> Option<Vec<u8>> {
    match (bytes, text) {
        (None, None) if new.is_null() => None,
        (Some(bytes), _) => BASE64_STANDARD.decode(bytes).ok(),
        (None, text) => text.map(str::to_owned).or_else(|| written(new).ok()).map(String::into_bytes),
    }
}

/// Gives a value to the instances of a class that do not store the property.
fn fill(
    document: &mut Applying<'_>,
    (class, path): (&str, &str),
    value: &Value,
    budget: &mut Budget,
) -> Result<Vec<Loss>> {
    let property = path.trim_start_matches('.');
    let all = document.all();
    budget.work(64 * all.len() as u64, "the instances of a class")?;
    let mut losses = Vec::new();
    for id in all {
        if *document.class_of(id) == *class && document.value(id, property).is_none() {
            losses.extend(document.act(Action::stored(id, property, Some(value.clone())), budget)?.losses);
        }
    }
    Ok(losses)
}

/// Whether an instance is what a step removes.
///
/// # Errors
/// If it has another class or content.
fn is_expected(document: &dyn Dom, id: InstanceId, (class, content): (&str, Option<&str>)) -> Result<()> {
    let found = document.class_of(id);
    if *found != *class {
        return Err(other_value(&Json::from(class), &Json::from(&*found)));
    }
    match content {
        Some(content) if content != format!("{:016x}", state::content_of(document, id)) => {
            Err(other_content())
        }
        _ => Ok(()),
    }
}

/// The value of a step that refers to an instance; `None` for other values.
fn reference(
    document: &dyn Dom,
    kind: &str,
    new: &Json,
    finder: &mut Finder<Error>,
) -> Result<Option<Value>> {
    let (to, is_content) = match (kind, new.as_str()) {
        ("Ref", Some(to)) => (to, false),
        ("Content", Some(to)) if to.starts_with("object ") => (&to[7..], true),
        _ => return Ok(None),
    };
    let to = match to {
        "null" => None,
        to => Some(finder.need(document, to)?),
    };
    Ok(Some(if is_content { Content::Object(to).into() } else { Value::Ref(to) }))
}
