//! Conversions between binary and XML documents.
//!
//! The spelling of referents, framing and compression, comments and white space are not kept. Values that a form
//! cannot represent are refused, or left out and listed if that is allowed.

use std::collections::HashMap;

use ::{rbxbinary as binary, rbxxml as xml};
use rbxcore::classes::is_service;
use rbxcore::hash::{NameMap, NameSet};
use rbxcore::{Dom, InstanceId, Value};

use crate::attribute_refs;
use crate::create::{New, create};
use crate::filled::{Filling, Mixed, missing, retyped};
pub use crate::options::{ConvertOptions, Fill};
use crate::paths::Paths;
use crate::texts;
use crate::validate::Validator;
use crate::view::View as _;
use crate::which::{ATTRIBUTES, Which, type_of, which};
use geom::wire::{Budget, Error, Loss, LossKind, Result};

/// A converted document.
#[derive(Debug)]
#[non_exhaustive]
pub struct Converted<D> {
    /// The document.
    pub document: D,
    /// What was dropped, changed or filled in.
    pub losses: Vec<Loss>,
    /// The bytes that the conversion left of [`ConvertOptions::max_bytes`].
    pub memory_left: u64,
}

/// A document, and the losses.
pub(crate) type Made = (Box<dyn Dom>, Vec<Loss>);

/// A document in the form of another one, and the losses; `None` if it has this form.
///
/// # Errors
/// As [`to_binary`] and [`to_xml`].
pub(crate) fn like(document: &dyn Dom, other: &dyn Dom, options: &ConvertOptions) -> Result<Option<Made>> {
    Ok(match (document.has_columns(), other.has_columns()) {
        (true, false) => {
            let made = to_xml(document, options)?;
            Some((Box::new(made.document), made.losses))
        }
        (false, true) => {
            let made = to_binary(document, options)?;
            Some((Box::new(made.document), made.losses))
        }
        _ => None,
    })
}

/// A document in the binary form; one that has it is copied.
///
/// # Errors
/// If a value has no type in the binary form and losses are not allowed, or if instances of a class store different
/// properties and the options do not fill them in.
pub fn to_binary(document: &dyn Dom, options: &ConvertOptions) -> Result<Converted<binary::Document>> {
    let (document, losses, memory_left) = match which(document) {
        Some(Which::Binary(document)) => (document.clone(), Vec::new(), options.max_bytes),
        Some(Which::Xml(document)) => xml_to_binary(document, options)?,
        None => return Err(Error::argument("the document has neither the binary form nor XML")),
    };
    Ok(Converted { document, losses, memory_left })
}

/// A document in XML; one that has this form is copied.
///
/// # Errors
/// If a value has no type in XML, or a text cannot be represented, and losses are not allowed.
pub fn to_xml(document: &dyn Dom, options: &ConvertOptions) -> Result<Converted<xml::Document>> {
    let (document, losses, memory_left) = match which(document) {
        Some(Which::Binary(document)) => binary_to_xml(document, options)?,
        Some(Which::Xml(document)) => (document.clone(), Vec::new(), options.max_bytes),
        None => return Err(Error::argument("the document has neither the binary form nor XML")),
    };
    Ok(Converted { document, losses, memory_left })
}

/// A binary document as XML, and the remaining memory.
///
/// # Errors
/// If a value has no type in XML and losses are not allowed.
fn binary_to_xml(
    source: &binary::Document,
    options: &ConvertOptions,
) -> Result<(xml::Document, Vec<Loss>, u64)> {
    let mut target = xml::Document::new();
    let mut budget = Budget::new(options.max_bytes);
    for metadata in source.metadata() {
        let text = texts::in_xml(&metadata.value);
        let value = text.as_ref().map_or(metadata.value.as_slice(), |text| text.as_bytes());
        target.metadata.push(xml::Metadata::new(metadata.key.to_string(), value));
    }
    let mut losses = texts_of(source, options.allow_loss, &mut budget)?;
    list_unstored(source, &mut losses, &mut budget)?;
    copy(source, &mut target, options, Validator::of_document(source).into_xml(), &mut losses, &mut budget)?;
    nothing_dropped(&losses, options.allow_loss)?;
    Ok((target, losses, budget.left()))
}

/// Lists the names and values that XML cannot represent, and the numbers that are NaN with other bits.
///
/// # Errors
/// If there are such names and values, and losses are not allowed.
pub fn texts_of(source: &binary::Document, allow_loss: bool, budget: &mut Budget) -> Result<Vec<Loss>> {
    let mut losses = Vec::new();
    list_names(source, &mut losses, budget)?;
    let odd = list_values(source, &mut losses, budget)?;
    if !losses.is_empty() && !allow_loss {
        return Err(not_xml(&losses));
    }
    losses.extend(odd);
    Ok(losses)
}

/// Lists the names and metadata that are not text.
fn list_names(source: &binary::Document, losses: &mut Vec<Loss>, budget: &mut Budget) -> Result<()> {
    let not_text = |name: &[u8]| std::str::from_utf8(name).is_err();
    for metadata in source.metadata() {
        let count =
            usize::from(texts::in_xml(&metadata.value).is_some()) + usize::from(not_text(&metadata.key));
        if count == 0 {
            continue;
        }
        budget.lose(
            losses,
            Loss::approximated(format!("metadata.{}", metadata.key), NOT_XML).id("xml.text").times(count),
        )?;
    }
    for class in source.classes() {
        if not_text(&class.name) {
            budget.lose(losses, Loss::approximated(class.name.to_string(), NOT_XML).id("xml.text"))?;
        }
        for property in class.properties.iter().filter(|property| not_text(&property.name)) {
            budget.lose(
                losses,
                Loss::approximated(format!("{}.{}", class.name, property.name), NOT_XML).id("xml.text"),
            )?;
        }
    }
    Ok(())
}

/// Lists the values that XML cannot represent; returns the numbers that are NaN with other bits, which are always
/// dropped.
fn list_values(source: &dyn Dom, losses: &mut Vec<Loss>, budget: &mut Budget) -> Result<Vec<Loss>> {
    let mut paths = Paths::new(source);
    let mut odd = Vec::new();
    for id in source.all() {
        for (name, value) in source.values(id) {
            if has_odd_nan(&value) {
                let path = format!("{}.{name}", paths.shown(id));
                let what = "the payload bits of a NaN are dropped, since XML cannot store them";
                budget.lose(&mut odd, Loss::approximated(path, what).id("xml.nan"))?;
            }
            if texts::value_in_xml(&source.class_of(id), &name, &value).is_some() {
                budget.lose(
                    losses,
                    Loss::approximated(format!("{}.{name}", paths.shown(id)), NOT_XML).id("xml.text"),
                )?;
            }
        }
    }
    Ok(odd)
}

/// Lists what only the binary form stores: chunks, columns without values, and what its check finds.
fn list_unstored(source: &binary::Document, losses: &mut Vec<Loss>, budget: &mut Budget) -> Result<()> {
    for chunk in source.unknown_chunks() {
        let what = "XML cannot store an unknown or repeated chunk";
        budget.lose(losses, Loss::new(format!("chunk {}", chunk.name), what).id("xml.unknown-data"))?;
    }
    for class in source.classes() {
        for property in &class.properties {
            let (id, new, what): (_, NewLoss, _) = match &property.column {
                binary::parts::Column::Unknown { .. } => {
                    ("xml.unknown-data", Loss::new, "the values are malformed or of an unknown type")
                }
                binary::parts::Column::Untyped => (
                    "xml.unknown-data",
                    Loss::approximated,
                    "a property without values, which Roblox ignores, is not kept",
                ),
                binary::parts::Column::Content(all) if !all.external.is_empty() => {
                    ("xml.external-object", Loss::new, "XML cannot store references to external objects")
                }
                _ => continue,
            };
            budget.lose(losses, new(format!("{}.{}", class.name, property.name), what).id(id))?;
        }
    }
    for class in source.classes() {
        let is_quat = |property: &&binary::parts::Property| {
            matches!(property.column, binary::parts::Column::CFrameQuat(_))
        };
        for property in class.properties.iter().filter(is_quat) {
            let what = "a CFrameQuat becomes a CFrame, whose rotation is a matrix";
            budget.lose(
                losses,
                Loss::approximated(format!("{}.{}", class.name, property.name), what).id("xml.rotation"),
            )?;
        }
    }
    for found in binary::check(source) {
        // The last place also counts those that are not listed.
        let rest = found.count - found.more.len();
        let places = std::iter::once(&found.path).chain(found.more.iter().map(|(path, _)| path));
        for (index, path) in places.enumerate() {
            let Some((id, new, what)) = unstored(found.rule.id, path) else { continue };
            let count = if index == found.more.len() { rest } else { 1 };
            let path = source.place_of(path).unwrap_or_else(|| path.clone());
            match losses.last_mut() {
                Some(last) if last.path == path && last.what == what => last.count += count,
                _ => budget.lose(losses, new(path, what).id(id).times(count))?,
            }
        }
    }
    if source.signatures().is_some() {
        budget.lose(losses, Loss::new("chunk SIGN", "XML cannot store signatures").id("xml.signature"))?;
    }
    Ok(())
}

type NewLoss = fn(String, &'static str) -> Loss;

/// How a conversion to XML loses what a rule of the binary form finds: the id, the kind and the text of the loss.
fn unstored(rule: &str, path: &str) -> Option<(&'static str, NewLoss, &'static str)> {
    Some(match rule {
        "rbxbinary.extra" => {
            ("xml.unknown-data", Loss::new, "XML cannot store the extra bytes after the known content")
        }
        "rbxbinary.shared-strings" => {
            ("xml.no-shared-string", Loss::new, "a reference to a shared string that does not exist")
        }
        "rbxbinary.rotation-ids" => {
            ("xml.rotation", Loss::new, "a rotation with an unknown id; replaced by the identity rotation")
        }
        "rbxbinary.parents" if path.starts_with("parents.children") => (
            "xml.parent",
            Loss::approximated,
            "an entry of the PRNT chunk for a child that does not exist; the entry is dropped",
        ),
        "rbxbinary.parents" => (
            "xml.parent",
            Loss::approximated,
            "a parent that does not exist; the instance is moved to the root",
        ),
        "rbxbinary.cycles" => {
            ("xml.parent", Loss::approximated, "the instance is its own ancestor; it is moved to the root")
        }
        "rbxbinary.referents" => (
            "xml.referent",
            Loss::approximated,
            "a referent that another instance also has; each instance gets a new one, and references to this \
             referent lead to only one of the instances",
        ),
        "rbxbinary.parent-rows" => (
            "xml.parent",
            Loss::approximated,
            "a missing or repeated entry of the PRNT chunk; without an entry, the instance is moved to the root, \
             and of several entries, the last one counts",
        ),
        "rbxbinary.class-formats" => (
            "xml.unknown-data",
            Loss::approximated,
            "a class format other than 0 and 1 is not kept, since XML stores no class format",
        ),
        "rbxbinary.end-chunk" => (
            "xml.unknown-data",
            Loss::approximated,
            "a missing or wrong END chunk is not kept, since XML has no END chunk",
        ),
        _ => return None,
    })
}

/// The text of the loss for bytes and characters that XML cannot represent.
const NOT_XML: &str = "invalid UTF-8 and characters that XML forbids are replaced by U+FFFD";

/// Maximum number of texts that an error names.
const NAMED: usize = 8;

fn named(texts: impl ExactSizeIterator<Item = String>) -> String {
    let more = match texts.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let shown: Vec<_> = texts.take(NAMED).collect();
    shown.join("; ") + &more
}

fn not_xml(losses: &[Loss]) -> Error {
    let what = "XML cannot represent the invalid UTF-8 or the control characters in these names and values";
    let paths = losses.iter().map(|loss| loss.path.clone());
    let first = losses.first().map_or_else(String::new, |loss| loss.path.clone());
    Error::not_representable(format!("{what}: {}", named(paths))).at_path(first)
}

/// Refuses a conversion that drops content, unless losses are allowed. What is stored otherwise, such as under another
/// name, is only listed.
fn nothing_dropped(losses: &[Loss], allow_loss: bool) -> Result<()> {
    if allow_loss {
        return Ok(());
    }
    // Without copies, since a document can have many losses.
    let (mut dropped, mut index_of): (Vec<(&Loss, usize)>, _) = (Vec::new(), HashMap::new());
    for loss in losses.iter().filter(|loss| loss.kind == LossKind::LeftOut) {
        let index = *index_of.entry(&*loss.what).or_insert(dropped.len());
        match dropped.get_mut(index) {
            Some((_, count)) => *count += loss.count,
            None => dropped.push((loss, loss.count)),
        }
    }
    let texts = dropped.iter().map(|&(first, count)| first.clone().times(count).to_string());
    match dropped.first() {
        None => Ok(()),
        Some((first, _)) => {
            let what = format!("the conversion would lose content: {}", named(texts));
            Err(Error::not_representable(what).at_path(first.path.clone()))
        }
    }
}

/// The reason why values of several types cannot be stored.
const ONE_TYPE: &str = "the binary format stores a property with the same type for all instances of a class";

/// The text of the change of a reference that is not an attribute itself.
const IN_LIST: &str = "a reference to an instance in an array or a table; replaced by null";

/// The text of the change of a reference that leads nowhere.
const NO_INSTANCE: &str = "a reference to an instance that does not exist; replaced by null";

/// Whether a value contains a NaN whose bits XML does not keep.
fn has_odd_nan(value: &Value) -> bool {
    let odd = |number: f32| number.is_nan() && number.to_bits() != f32::NAN.to_bits();
    match value {
        Value::Float64(number) => number.is_nan() && number.to_bits() != f64::NAN.to_bits(),
        Value::UDim(value) => odd(value.scale),
        Value::UDim2(value) => odd(value.x.scale) || odd(value.y.scale),
        value => value.as_ref().floats().is_some_and(|floats| floats.iter().copied().any(odd)),
    }
}

/// A loss with this text for each unknown part of the document whose instance is accepted. Parts outside of instances
/// have none.
///
/// # Errors
/// If the list takes more memory than is left.
pub fn unknown(
    document: &dyn Dom,
    is_accepted: &dyn Fn(Option<InstanceId>) -> bool,
    text: fn(String) -> String,
    budget: &mut Budget,
) -> Result<Vec<Loss>> {
    let (mut losses, mut paths) = (Vec::new(), Paths::new(document));
    for (id, what) in document.other_parts().into_iter().filter(|(id, _)| is_accepted(*id)) {
        let path = id.map_or_else(|| "roblox".to_owned(), |id| paths.shown(id));
        // What Studio has not written since 2013 has no known meaning.
        let new = if what.is_old() { Loss::approximated } else { Loss::new };
        budget.lose(&mut losses, new(path, text(what.to_string())).id("roblox.unknown-part"))?;
    }
    Ok(losses)
}

/// An XML document as a binary one, and the remaining memory.
///
/// # Errors
/// If a value has no type in the binary form and losses are not allowed; and if instances of a class store
/// different properties, which the binary form cannot represent, and filling in is not allowed.
fn xml_to_binary(
    source: &xml::Document,
    options: &ConvertOptions,
) -> Result<(binary::Document, Vec<Loss>, u64)> {
    let mut target = binary::Document::new();
    let (mut losses, mut budget) = (Vec::new(), Budget::new(options.max_bytes));
    for metadata in source.metadata() {
        let (key, value) = (metadata.key.as_str(), metadata.value.as_ref());
        target.metadata_mut().push(binary::Metadata::new(key, value));
    }
    const KNOWN: [&str; 4] = ["version", "xmlns:xmime", "xmlns:xsi", "xsi:noNamespaceSchemaLocation"];
    for (name, _) in &source.attributes {
        if !KNOWN.contains(&name.as_str()) {
            let what = "the binary format cannot store an unknown attribute of the element <roblox>";
            budget
                .lose(&mut losses, Loss::new(format!("roblox.{name}"), what).id("binary.root-attribute"))?;
        }
    }
    let text = |what| format!("the binary format cannot store the unknown {what}");
    losses.extend(unknown(source, &|_| true, text, &mut budget)?);
    copy(source, &mut target, options, Validator::of_document(source), &mut losses, &mut budget)?;
    nothing_dropped(&losses, options.allow_loss)?;
    Ok((target, losses, budget.left()))
}

/// Copies a document into an empty one if any of its values has to be stored under another name or type. Returns
/// whether it did, and the losses.
///
/// # Errors
/// With all values that cannot be stored, unless `allow_loss` is set, which drops them.
pub fn stored(
    document: &dyn Dom,
    into: &dyn Dom,
    target: &mut dyn Dom,
    allow_loss: bool,
    budget: &mut Budget,
) -> Result<(bool, Vec<Loss>)> {
    let mut validator = Validator::into_document(document, into);
    for id in document.all() {
        let class = document.class_of(id);
        document.values(id).into_iter().for_each(|(name, value)| drop(validator.enter(&class, name, value)));
    }
    if validator.is_unchanged() {
        return Ok((false, validator.finish(false)?));
    }
    let again = validator.again();
    validator.finish(allow_loss)?;
    let (mut losses, options) =
        (Vec::new(), ConvertOptions::new().fill(Fill::Defaults).allow_loss(allow_loss));
    copy(document, target, &options, again, &mut losses, budget)?;
    Ok((true, losses))
}

/// The approximate bytes of an instance without its properties in either form, and of a class in the binary form.
const INSTANCE: u64 = 300;
const CLASS: u64 = 1500;
const COLUMN: u64 = 400;

/// Copies instances from one document into another.
fn copy(
    source: &dyn Dom,
    target: &mut dyn Dom,
    options: &ConvertOptions,
    mut validator: Validator<'_>,
    losses: &mut Vec<Loss>,
    budget: &mut Budget,
) -> Result<()> {
    let ids = source.all();
    // The properties of an instance are held several times.
    let most = ids.iter().map(|&id| source.count_of(id)).max().unwrap_or_default();
    budget.clone().charge(400 * most as u64, "the converted document")?;
    let is_place = source.top().iter().any(|&id| is_service(&source.class_of(id)));
    let (missing, mixed) =
        missing(source, &ids, &mut validator, (options, target.has_columns()), losses, budget)?;
    let again = validator.again();
    losses.extend(validator.finish(options.allow_loss)?);
    let (made, references, classes) = (NameMap::default(), Vec::new(), NameSet::default());
    let paths = Paths::new(source);
    let allow_loss = options.allow_loss;
    let mut copy = Copy {
        source,
        target,
        allow_loss,
        losses,
        budget,
        paths,
        again,
        missing,
        mixed,
        is_place,
        classes,
        made,
        references,
    };
    ids.into_iter().try_for_each(|id| copy.instance(id))?;
    copy.refer()
}

/// A document that is being copied.
struct Copy<'a> {
    source: &'a dyn Dom,
    target: &'a mut dyn Dom,
    allow_loss: bool,
    losses: &'a mut Vec<Loss>,
    budget: &'a mut Budget,
    paths: Paths<'a>,
    /// The names and values of the target, with the same verdicts as when the missing values were found.
    again: Validator<'a>,
    /// The values that other instances of a class lack, by class.
    missing: NameMap<String, Vec<Filling>>,
    /// The types of the properties that have values of several types, by class.
    mixed: Mixed,
    is_place: bool,
    classes: NameSet<String>,
    /// The copies.
    made: NameMap<InstanceId, InstanceId>,
    /// The references of each instance: the property, the target, and the value.
    references: Vec<(InstanceId, String, InstanceId, Value)>,
}

impl Copy<'_> {
    fn lose(&mut self, loss: Loss) -> Result<()> {
        self.budget.lose(self.losses, loss)
    }

    fn path(&mut self, id: InstanceId, property: &str) -> String {
        format!("{}.{property}", self.paths.shown(id))
    }

    fn instance(&mut self, id: InstanceId) -> Result<()> {
        let source = self.source;
        let class = source.class_of(id).into_owned();
        for name in source.dangling(id) {
            let path = self.path(id, &name.to_string());
            self.lose(Loss::approximated(path, NO_INSTANCE).id("roblox.null-reference"))?;
        }
        let mut properties = Vec::new();
        for (name, value) in self.values(id, &class)? {
            let Some(mut value) = self.value(id, &class, &name, value)? else { continue };
            if let Some(to) = value.reference_mut().and_then(Option::take) {
                self.references.push((id, name.clone(), to, value.clone()));
            }
            properties.push((name, value));
        }
        self.fill(id, &class, &mut properties)?;
        let texts = properties.iter().map(|(name, value)| {
            let is_shared = matches!(value, Value::SharedString(_));
            let bytes = value.as_bytes().filter(|_| !is_shared).map_or(0, <[u8]>::len);
            // Texts count twice, since writing copies them.
            size_of::<[(String, Value); 2]>() + 2 * (name.len() + bytes)
        });
        let columns = CLASS + COLUMN * properties.len() as u64;
        let own = INSTANCE + if self.classes.insert(class.clone()) { columns } else { 0 };
        self.budget.charge(own + texts.sum::<usize>() as u64, "the converted document")?;
        let service = self.is_place && is_service(&class);
        let parent = self.source.parent(id).and_then(|parent| self.made.get(&parent)).copied();
        if self.target.has_columns() {
            for key in attribute_refs::replaced(&properties) {
                let path = format!("{}.{key}", self.path(id, ATTRIBUTES));
                let what = "the value of an attribute; a reference with the same name replaces it";
                self.lose(Loss::new(path, what).id("roblox.repeated-property"))?;
            }
        }
        let new = create(&mut *self.target, parent, New { class, service, properties })
            .map_err(|error| error.below(|path| format!("{}.{path}", self.paths.shown(id))))?;
        self.made.insert(id, new);
        Ok(())
    }

    /// The properties of an instance under the names of the target. If one occurs twice, the last value counts.
    fn values(&mut self, id: InstanceId, class: &str) -> Result<Vec<(String, Value)>> {
        let mut values = Vec::new();
        self.source.each(id, &|_, _| true, &mut |name, value| {
            values.extend(self.again.enter(class, name, value));
        });
        let mut last: NameMap<String, usize> = NameMap::default();
        for (index, (name, value)) in values.iter().enumerate() {
            // The same value under two names of a property is not lost.
            let before = last.insert(name.clone(), index).and_then(|before| values.get(before));
            if before.is_some_and(|(_, before)| before != value) {
                let path = self.path(id, name);
                let what = "an earlier value of a property that is stored more than once";
                self.budget.lose(self.losses, Loss::new(path, what).id("roblox.repeated-property"))?;
            }
        }
        let mut index = 0;
        values.retain(|(name, _)| {
            index += 1;
            last.get(name) == Some(&(index - 1))
        });
        Ok(values)
    }

    /// A value as the target stores it; `None` if it cannot.
    fn value(&mut self, id: InstanceId, class: &str, name: &str, value: Value) -> Result<Option<Value>> {
        let (dangling, nested) = match name == ATTRIBUTES {
            true => {
                let source = self.source;
                (attribute_refs::dangling(source, id), attribute_refs::nested(source, id))
            }
            false => (Vec::new(), Vec::new()),
        };
        let nested: Vec<_> = nested.into_iter().filter(|(_, to)| to.is_some()).collect();
        let value = match value.as_bytes().filter(|_| !dangling.is_empty() || !nested.is_empty()) {
            Some(blob) => Value::from(attribute_refs::nulled(blob)?),
            None => value,
        };
        let blob = value.as_bytes().filter(|_| name == ATTRIBUTES);
        let value = match blob.and_then(|blob| attribute_refs::cut(self.source, blob)) {
            Some(known) => {
                let path = self.path(id, name);
                if !self.allow_loss {
                    return Err(Error::not_representable(attribute_refs::UNREAD).at_path(path));
                }
                self.lose(Loss::new(path, attribute_refs::UNREAD).id("roblox.attributes-cut"))?;
                Value::from(known)
            }
            None => value,
        };
        let dangling = dangling.into_iter().map(|key| (key, "roblox.null-reference", NO_INSTANCE));
        let nested = nested.into_iter().map(|(key, _)| (key, "roblox.null-reference", IN_LIST));
        for (key, rule, what) in dangling.chain(nested) {
            let path = format!("{}.{key}", self.path(id, name));
            self.lose(Loss::approximated(path, what).id(rule))?;
        }
        let value = match self.target.stored(class, name, value) {
            Ok(value) => value,
            Err(error) if self.allow_loss => {
                let path = self.path(id, name);
                self.lose(
                    Loss::new(path, error.to_string()).id("roblox.unstored-value").because(error.is_limit()),
                )?;
                return Ok(None);
            }
            Err(error) => return Err(error.at_path(self.path(id, name))),
        };
        let kind = self.mixed.get(class).and_then(|of_class| of_class.get(name)).copied();
        let Some(kind) = kind.filter(|kind| type_of(&value) != Some(*kind)) else { return Ok(Some(value)) };
        let path = self.path(id, name);
        let found = type_of(&value).map_or_else(String::new, |found| found.to_string());
        let (value, loss) = match (retyped(&value, kind), kind.neutral()) {
            (Some((new, what)), _) => (new, Loss::approximated(path, what).id("binary.mixed-type")),
            (None, Some(neutral)) if self.allow_loss => {
                let what = format!(
                    "a value of type {found}, since {ONE_TYPE}, here {kind}; a neutral value such as 0 is written instead"
                );
                (neutral, Loss::new(path, what).id("binary.neutral-value"))
            }
            _ => {
                let what = format!("expected {kind}, found {found}: {ONE_TYPE}");
                return Err(Error::not_representable(what).at_path(path));
            }
        };
        self.lose(loss)?;
        Ok(Some(value))
    }

    /// Fills in the values that other instances of the class have.
    fn fill(&mut self, id: InstanceId, class: &str, properties: &mut Vec<(String, Value)>) -> Result<()> {
        let Some(missing) = self.missing.get(class) else { return Ok(()) };
        let there: NameSet<String> = properties.iter().map(|(name, _)| name.clone()).collect();
        let what = "the filled-in values of missing properties";
        self.budget.work(missing.len() as u64, what)?;
        for filling in missing.iter().filter(|filling| !there.contains(&filling.name)) {
            let Some(value) = filling.value(self.source, id) else { continue };
            self.budget.charge((filling.name.len() + size_of::<Value>()) as u64, what)?;
            properties.push((filling.name.clone(), self.target.stored(class, &filling.name, value)?));
        }
        Ok(())
    }

    /// Sets the references, whose targets all exist now.
    fn refer(self) -> Result<()> {
        for of_instance in self.references.chunk_by(|(one, ..), (next, ..)| one == next) {
            let Some(&id) = of_instance.first().and_then(|(id, ..)| self.made.get(id)) else { continue };
            // In XML, setting a property searches for it among the properties of the instance.
            let work = (of_instance.len() * self.target.count_of(id)) as u64;
            self.budget.work(work.saturating_mul(16), "the references between instances")?;
            let mut set = Vec::with_capacity(of_instance.len());
            for (_, name, to, value) in of_instance {
                let mut value = value.clone();
                if let (Some(&to), Some(reference)) = (self.made.get(to), value.reference_mut()) {
                    *reference = Some(to);
                    set.push((name.clone(), value));
                }
            }
            self.target.refer(id, set)?;
        }
        Ok(())
    }
}
