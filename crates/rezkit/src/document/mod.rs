//! A Roblox document of either form, with one interface.

mod listed;
mod treemap;

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use bstr::BString;
use rbxbinary as binary;
use rbxbinary::parts::TypeId;
use rbxcore::{Dom, EditOptions, InstanceId, NewInstance, Value, classes};
use rbxdocument::attribute_refs;
use rbxdocument::effective::{self, Effective, effective};
use rbxdocument::references::leads_out;
use rbxdocument::validate;
use rbxdocument::view::{ATTRIBUTES, View as _, type_of};
use rbxxml as xml;

use crate::blobs::{Attribute, Attributes, Tags};
use crate::edits::Filled;
use crate::file_type::Content;
use crate::formats::roblox::{attribute, edit_error, graft, show};
use crate::options::Fill;
use crate::tree;
pub use listed::{Listed, Source};
use rbxdocument::filled::{left_out, renamed, type_in_class};
use rbxdocument::paths::Paths;
use rbxdocument::state::{Applying, At};
use rbxdocument::text::{self, in_files};
use rbxdocument::write::{Write, write};
use rezkit_core::{Budget, Error, Loss, Missing, Result};
pub use treemap::treemap;

/// A model or a place, binary or XML, with one interface to its instances and properties. Cloning is cheap: the content
/// is copied only when one of the two is edited.
#[derive(Clone, Debug)]
pub enum Document {
    /// A document in the binary form.
    Binary(Arc<binary::Document>),
    /// A document in XML.
    Xml(Arc<xml::Document>),
}

impl Deref for Document {
    type Target = dyn Dom;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Binary(document) => &**document,
            Self::Xml(document) => &**document,
        }
    }
}

/// The content is copied if it is shared.
impl DerefMut for Document {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Binary(document) => Arc::<binary::Document>::make_mut(document),
            Self::Xml(document) => Arc::<xml::Document>::make_mut(document),
        }
    }
}

impl Document {
    /// A document without instances: XML, or else binary.
    pub fn empty(xml: bool) -> Self {
        match xml {
            true => Self::Xml(Arc::new(xml::Document::new())),
            false => Self::Binary(Arc::new(binary::Document::new())),
        }
    }

    /// A model without instances, with the metadata of Studio's models: XML, or else binary.
    pub fn model(xml: bool) -> Self {
        let (key, value) = ("ExplicitAutoJoints", "true");
        let mut new = Self::empty(xml);
        match &mut new {
            Self::Xml(new) => Arc::make_mut(new).metadata.push(xml::Metadata::new(key, value)),
            Self::Binary(new) => Arc::make_mut(new).metadata_mut().push(binary::Metadata::new(key, value)),
        }
        new
    }

    /// The content of a file as a document; returns the content if it is no Roblox document.
    pub fn of(content: Content) -> Result<Self, Content> {
        match (content.model(), content.model()) {
            (Some(document), _) => Ok(Self::Binary(document)),
            (_, Some(document)) => Ok(Self::Xml(document)),
            _ => Err(content),
        }
    }

    /// The document as the content of a file, which it shares.
    pub fn content(&self) -> Content {
        Content(match self {
            Self::Binary(document) => document.clone(),
            Self::Xml(document) => document.clone(),
        })
    }

    /// The value of a property as queries have it, as it is shown, or, for `$Health` and `Attributes.Health`, of an attribute.
    pub fn shown(&self, id: InstanceId, property: &str) -> Option<tree::Value> {
        let of_list = property.split_once('.').filter(|(list, _)| in_files(list) == ATTRIBUTES);
        match property.strip_prefix('$').or(of_list.map(|(_, name)| name)) {
            Some(name) => {
                let all = self.attributes(id).unwrap_or_default();
                match all.into_iter().rfind(|(known, _)| known == name)?.1 {
                    Attribute::Value(value @ Value::Ref(_)) => Some(self.as_shown(id, "", &value)),
                    value => Some(attribute(&value)),
                }
            }
            None => Some(self.as_shown(
                id,
                in_files(property),
                &effective::value(&**self, id, in_files(property))?,
            )),
        }
    }

    fn as_shown(&self, id: InstanceId, property: &str, value: &Value) -> tree::Value {
        show::value((&self.class_of(id), property), value, 1 << 20, |id| self.path_of(id))
    }

    /// Why none of these instances has a value of a property or of an attribute.
    pub fn why_missing(&self, ids: &[InstanceId], property: &str) -> String {
        if let Some(name) = property.strip_prefix('$') {
            return format!("no instance that matches has the attribute {name}");
        }
        let why = ids.first().and_then(|&id| self.effective(id, property).err());
        why.map_or_else(|| format!("no value of {property} is stored"), |why| why.reason().to_owned())
    }

    /// The type of a property in the first instance of a class, or else in the class table.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if the class has no such property, with the property in which files store
    /// it, or a similar name.
    pub fn required_type(&self, class: &str, property: &str) -> Result<TypeId> {
        validate::given_new(class, property, &Value::from(""))?;
        let first = self.one_of(class);
        let found = first.and_then(|id| type_of(&self.value(id, property)?));
        let unknown = || {
            Error::argument(format!(
                "{class} has no stored property {property}; to add it, set the type, too"
            ))
        };
        found.or_else(|| TypeId::of_property(class, property)).ok_or_else(unknown)
    }

    /// The paths of many instances. The siblings of each instance are counted only once.
    pub fn paths(&self) -> DocumentPaths<'_> {
        DocumentPaths(Paths::new(&**self))
    }

    /// The value that a property has in Roblox: the one that the file stores, under this or another name or in an older
    /// form; otherwise the default of the class.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if the class has no such property, or the file stores no value and the
    /// default is not known; [`Unreadable`](crate::ErrorKind::Unreadable) if the stored values cannot be decoded.
    pub fn effective(&self, id: InstanceId, property: &str) -> Result<Value> {
        let value = effective(&**self, id, property);
        if !matches!(value, Some(Effective::Stored(_))) && self.is_undecoded(id, property) {
            return Err(Error::unreadable(crate::tree::UNDECODED).at(property));
        }
        value.map(Effective::into_value).ok_or_else(|| {
            let class = self.class_of(id);
            let is_known = classes::class(&*class).is_some_and(|class| class.property(property).is_some());
            let why = match validate::misspelled(&class, property) {
                Some(why) => format!("{property}: {why}"),
                None if is_known => {
                    format!("the file does not store {property}, and the default value is unknown")
                }
                None => format!("{class} has no stored property {property}"),
            };
            Error::argument(why)
        })
    }

    /// The attributes of an instance, in the file's order; then those that refer to instances, as a [`Value::Ref`].
    ///
    /// # Errors
    /// [`Unreadable`](crate::ErrorKind::Unreadable) if the bytes of the attributes are damaged.
    pub fn attributes(&self, id: InstanceId) -> Result<Vec<(String, Attribute)>> {
        let attributes = rbxdocument::attributes::attributes(&**self, id)?.into_iter();
        Ok(attributes.map(|(name, value)| (name.to_string(), value)).collect())
    }

    /// Sets an attribute of an instance; `None` removes it. An existing attribute keeps its type, unless the new value is
    /// an item of an enum. If the other instances of the class have to store attributes, too, they get an empty list, and
    /// the returned losses list this.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if there is no such instance, or the value does not fit the type, and
    /// [`Unreadable`](crate::ErrorKind::Unreadable) if the bytes of the attributes are damaged.
    pub fn set_attribute(
        &mut self,
        id: InstanceId,
        name: &str,
        value: Option<&Attribute>,
    ) -> Result<Vec<Loss>> {
        let reference = format!("{}{name}", attribute_refs::PREFIX);
        let is_reference = self.value(id, &reference).is_some();
        let to = match value {
            Some(Attribute::Value(to @ Value::Ref(_))) => Some(to.clone()),
            None if is_reference => Some(Value::Ref(None)),
            _ => None,
        };
        if let Some(to) = to {
            return Ok(write(&mut **self, Write::new(id, &reference, to))?);
        }
        let old = self.value(id, ATTRIBUTES);
        let blob = old.as_ref().and_then(Value::as_bytes).unwrap_or_default();
        let mut attributes: Attributes = crate::blobs::from_slice(blob)?;
        text::separable(name, attributes.get(name))?;
        match value {
            Some(Attribute::Value(value)) => {
                let new = text::of_value(value, attributes.get(name))?;
                attributes.set(name, new);
            }
            Some(new) => attributes.set(name, new.clone()),
            None => attributes.0.retain(|(known, _)| known != name),
        }
        let blob = Value::from(attributes.to_vec()?);
        Ok(write(&mut **self, Write::new(id, ATTRIBUTES, blob))?)
    }

    /// Replaces the tags of an instance. If the other instances of the class have to store tags, too, they get an empty
    /// list, and the returned losses list this.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if there is no such instance, or a tag is empty or contains a zero byte.
    pub fn set_tags(&mut self, id: InstanceId, tags: Vec<BString>) -> Result<Vec<Loss>> {
        let tags = Value::from(Tags(tags).to_vec()?);
        let own = self.value(id, "Tags").and_then(|value| type_of(&value)?.kind());
        let tags = match own {
            Some(own) => tags.converted(own).unwrap_or(tags),
            None => validate::tags(&**self, tags),
        };
        Ok(write(&mut **self, Write::new(id, "Tags", tags))?)
    }

    /// The type of a property: that of the instance's value, otherwise of another instance of its class, otherwise of
    /// the class table; also of a part of another property or of the tree, such as `Position` and `Parent`.
    pub fn type_of(&self, id: InstanceId, property: &str) -> Option<TypeId> {
        let own = self.value(id, property).and_then(|value| type_of(&value));
        let computed = || TypeId::of(rbxcore::property::kind_of(self.class(id)?, property)?);
        own.or_else(|| type_in_class(&**self, id, property)).or_else(computed)
    }

    /// Sets a property. A value of another type than the property's is converted if nothing is lost. A part of another
    /// property, such as `Position` or `Size.X`, changes that one; `Parent` moves the instance.
    ///
    /// If no instance of the class stores the property in a binary document, all of them get it. `fill` selects the
    /// source of the values for the others, unless they store an older form of the property, which is converted. Returns
    /// these values. If the instance only has a newer form of the property, which replaces it, that one gets the value,
    /// which is returned, too; if it has both, a warning.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if there is no such instance or property, or the value does not
    /// fit; [`Incomplete`](crate::ErrorKind::Incomplete) if others lack a value that `fill` does not provide. The
    /// document is unchanged then.
    pub fn set(&mut self, id: InstanceId, property: &str, value: &Value, fill: Fill) -> Result<Vec<Loss>> {
        Ok(write(&mut **self, Write::new(id, property, value.clone()).fill(fill))?)
    }

    /// Adds an instance below another one, or at the root; returns its id and the values that were filled in. `fill`
    /// selects the source of values that the binary form requires and that are not given.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if the parent or the class is missing, or a value does not fit;
    /// [`Incomplete`](crate::ErrorKind::Incomplete) if required values are missing that `fill` does not provide. The
    /// document is unchanged then.
    pub fn insert(
        &mut self,
        parent: Option<InstanceId>,
        class: &str,
        properties: &[(String, Value)],
        fill: Fill,
    ) -> Result<(InstanceId, Vec<Loss>)> {
        self.insert_with(parent, class, properties, &[], fill)
    }

    /// Like [`Document::insert`], with more properties, which are stored under exactly these names and in these types,
    /// also if Roblox has others today. With such properties, Roblox need not have the class.
    ///
    /// # Errors
    /// As [`Document::insert`].
    pub fn insert_with(
        &mut self,
        parent: Option<InstanceId>,
        class: &str,
        properties: &[(String, Value)],
        stored: &[(String, Value)],
        fill: Fill,
    ) -> Result<(InstanceId, Vec<Loss>)> {
        if stored.is_empty() {
            validate::known_class(&**self, class)?;
        }
        let is_service = self.has_services(class).unwrap_or_else(|| classes::is_service(class));
        let mut new = NewInstance::new(class).service(parent.is_none() && is_service);
        for (name, value) in properties {
            validate::given_new(class, name, value)?;
            let value = self.stored(class, name, value.clone())?;
            // With other properties as they are given, this is not done on insertion.
            let name = if stored.is_empty() { name } else { validate::stored_name(class, name) };
            new = new.property(name, value);
        }
        for (name, value) in stored {
            // One type of the binary form is several in XML, which differ in the bytes that they can have.
            let value = match value {
                Value::String(_) => self.stored(class, name, value.clone())?,
                _ => value.clone(),
            };
            new = new.property(name, value);
        }
        let options = match fill {
            Fill::Refuse => EditOptions::new(),
            Fill::Neutral => EditOptions::new().fill(rbxcore::Fill::Neutral).others(rbxcore::Others::Neutral),
            Fill::Defaults => EditOptions::defaults(),
        };
        let options = options.as_given(!stored.is_empty());
        let edited = options.insert(&mut **self, parent, new.clone());
        let edited = edited
            .map_err(|error| self.incomplete(&options, class, new).unwrap_or_else(|| edit_error(error)))?;
        let filled = edited.filled.iter().map(|of| {
            let value = format!("{:?}", of.value);
            Loss::filled_with(&of.class.to_string(), &of.property.to_string(), value, of.instances)
        });
        let id = edited.instances.first().copied().ok_or_else(missing)?;
        Ok((id, filled.chain(renamed(&edited)).chain(left_out(&edited)).collect()))
    }

    /// Copies an instance of this document, or of another one, with its descendants below an instance, or to the root;
    /// returns the copy, what was filled in, and references that are null since what they refer to was not copied. In
    /// the same document, these stay.
    ///
    /// # Errors
    /// As [`Document::insert`], and [`Limit`](crate::ErrorKind::Limit) if more than `max_bytes` are needed.
    pub fn insert_copy(
        &mut self,
        parent: Option<InstanceId>,
        source: Option<&Self>,
        id: InstanceId,
        max_bytes: u64,
    ) -> Result<(InstanceId, Vec<Loss>)> {
        let Some(source) = source else {
            let copy = self.duplicate(id, parent).map_err(edit_error)?;
            return Ok((copy, Vec::new()));
        };
        let mut losses = leads_out(&**source, id, &mut Budget::new(max_bytes))?;
        let mut part = Self::empty(matches!(source, Self::Xml(_)));
        part.copy_from(None, &**source, id).map_err(edit_error)?;
        let model = part.content().0;
        let mut budget = Budget::new(max_bytes);
        let mut applying = Applying::new(&mut **self);
        let grafted = graft(&mut applying, parent.map(At::Id), &*model, false, &mut budget)?;
        losses.extend(applying.finish(&mut budget)?);
        losses.extend(grafted.losses);
        losses.extend(grafted.filled.into_iter().map(|of| {
            let Filled { class, property, value, count } = of;
            Loss::filled_with(&class, &property, value, count)
        }));
        Ok((grafted.roots.first().copied().ok_or_else(missing)?, losses))
    }

    /// The error of a new instance that cannot be inserted into a binary document, since values are missing.
    fn incomplete(&self, options: &EditOptions<'_>, class: &str, new: NewInstance) -> Option<Error> {
        let Self::Binary(document) = self else { return None };
        let missing = options.missing_for_insert(&**document, new).ok()?;
        let of = 1 + document.by_class(class).count();
        let missing = missing.iter().map(|missing| {
            Missing::new(missing.class.to_string(), missing.property.to_string(), missing.instances, of)
        });
        let missing: Vec<_> = missing.collect();
        (!missing.is_empty()).then(|| Error::incomplete(missing))
    }
}

/// The paths of a document's instances, created by [`Document::paths`].
#[derive(Debug)]
pub struct DocumentPaths<'a>(Paths<'a>);

fn missing() -> Error {
    Error::argument("the document has no instance with this id")
}

impl DocumentPaths<'_> {
    /// The path as it is shown for values that refer to the instance.
    pub(super) fn shown(&mut self, id: InstanceId) -> String {
        self.0.shown(id)
    }

    /// The path of an instance, as `path` gives it.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if there is no such instance, [`Limit`](crate::ErrorKind::Limit) if the
    /// path takes more than is left: in a chain of instances, each path is longer than the last.
    pub fn of(&mut self, id: InstanceId, budget: &mut Budget) -> Result<String> {
        if self.0.has(id) { Ok(self.0.of(id, budget)?) } else { Err(missing()) }
    }
}
