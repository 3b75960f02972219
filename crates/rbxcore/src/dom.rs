//! A Roblox document, binary or XML, as a tree of instances with properties.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;

use bstr::{BStr, BString, ByteSlice as _};
use geom::wire::{Error, Problem, Result};

#[cfg(feature = "classes")]
use crate::classes;
use crate::edit::{EditOptions, Edited, Missing};
use crate::id::InstanceId;
#[cfg(feature = "classes")]
use crate::kind::Kind;
use crate::new_instance::NewInstance;
use crate::parts::path;
use crate::value::{Value, ValueRef};

/// A place or a model: a tree of instances, each with a class and properties.
///
/// `rbxbinary::Document`, `rbxxml::Document` and `rbxdocument::AnyDocument` implement this trait and dereference to
/// `dyn Dom`, so that a function that takes a `&dyn Dom` or a `&mut dyn Dom` works with all. The trait contains what
/// depends on the form; everything else is a method of [`dyn Dom`](#implementations). No other crate can implement it.
///
/// An edit changes only what it names, and leaves the document unchanged if it is refused. Its cost depends on the
/// values that it changes, not on the size of the document.
#[allow(clippy::len_without_is_empty, reason = "a method of `dyn Dom`")]
pub trait Dom: Store {
    /// The number of instances.
    fn len(&self) -> usize;

    /// Whether an instance is in the document, and was not removed.
    fn contains(&self, id: InstanceId) -> bool;

    /// The first child of an instance, or the first instance at the root.
    fn first_child(&self, parent: Option<InstanceId>) -> Option<InstanceId>;

    /// The next child of the same parent.
    fn next_sibling(&self, id: InstanceId) -> Option<InstanceId>;

    /// The parent; `None` for an instance at the root.
    fn parent(&self, id: InstanceId) -> Option<InstanceId>;

    /// The class of an instance, such as `Part`.
    fn class(&self, id: InstanceId) -> Option<&BStr>;

    /// The properties of an instance whose reference is read as null only because the file has no instance with that
    /// referent.
    fn dangling(&self, id: InstanceId) -> Vec<&BStr>;

    /// Whether the instance is a service of a place. A binary file states it; in XML, it follows from the class (without the
    /// feature `classes`, from its name, which is not true of all).
    fn is_service(&self, id: InstanceId) -> bool {
        let class = self.class(id).unwrap_or_default();
        #[cfg(feature = "classes")]
        return classes::is_service(&class.to_str_lossy());
        #[cfg(not(feature = "classes"))]
        class.ends_with(b"Service")
    }

    /// The keys and values about the whole document.
    fn metadata(&self) -> Vec<(&BStr, &BStr)>;

    /// Replaces the keys and values about the whole document.
    ///
    /// # Errors
    /// `InvalidArgument` if the form cannot represent one.
    fn set_metadata(&mut self, entries: Vec<(BString, BString)>) -> Result<()>;

    /// The number of strings that several properties can share.
    fn shared_len(&self) -> usize;

    /// An empty document of the same form.
    fn empty(&self) -> Box<dyn Dom>;

    /// A copy of the document.
    fn copy(&self) -> Box<dyn Dom>;

    /// Whether the document can be edited at all.
    ///
    /// # Errors
    /// With the reason why not. Every edit returns this error.
    fn editable(&self) -> Result<()> {
        Ok(())
    }
}

/// The primitives of a form, without names of scripts, conversions and checks.
#[doc(hidden)]
pub trait Store: Any + fmt::Debug + Send + Sync {
    /// The document of one form; itself, unless it can have either.
    fn form(&self) -> &dyn Dom;

    /// The value of a property, by its stored name.
    fn value_ref(&self, id: InstanceId, property: &[u8]) -> Option<ValueRef<'_>>;

    /// The properties of an instance with their stored names, in file order.
    fn value_refs(&self, id: InstanceId) -> Box<dyn Iterator<Item = (&BStr, ValueRef<'_>)> + '_>;

    /// The instances of a class: in the order of its rows (binary) or of the document (XML).
    fn of_class(&self, class: &[u8]) -> Box<dyn Iterator<Item = InstanceId> + '_>;

    /// Sets the value of a property that the instance stores, or, in XML, can have.
    ///
    /// # Errors
    /// As [`set`](trait.Dom.html#method.set).
    fn set_value(&mut self, id: InstanceId, property: &[u8], value: Value) -> Result<()>;

    /// See [`is_undecoded`](trait.Dom.html#method.is_undecoded).
    fn undecoded(&self, _id: InstanceId, _property: &[u8]) -> bool {
        false
    }

    /// Removes a property from one instance if it has it; `false` if all instances of a class have the same properties.
    fn remove_value(&mut self, _id: InstanceId, _property: &[u8]) -> bool {
        false
    }

    /// Adds a property to all instances of a class.
    ///
    /// # Errors
    /// As [`add_property`](trait.Dom.html#method.add_property).
    fn add_to_class(&mut self, class: &[u8], property: &[u8], value: Value) -> Result<()>;

    /// Removes properties from all instances of a class.
    ///
    /// # Errors
    /// As [`remove_properties`](trait.Dom.html#method.remove_properties).
    fn remove_from_class(&mut self, class: &[u8], properties: &[&[u8]]) -> Result<()>;

    /// Adds instances as the last children of a parent; see [`EditOptions::insert`], [`EditOptions::copy_from`] and
    /// [`EditOptions::merge`].
    ///
    /// # Errors
    /// As these.
    fn add(
        &mut self,
        options: &EditOptions<'_>,
        parent: Option<InstanceId>,
        new: Added<'_>,
    ) -> Result<Edited>;

    /// The values whose absence makes [`Store::add`] fail. In XML there are none.
    ///
    /// # Errors
    /// As [`Store::add`], except for missing values.
    fn lacking(&self, options: &EditOptions<'_>, new: Added<'_>) -> Result<Vec<Missing>>;

    /// Makes an instance the last child of a parent, without checks.
    fn link(&mut self, id: InstanceId, parent: Option<InstanceId>);

    /// The property with the attributes of an instance for its copy, if the form stores references among them.
    fn attributes_for(
        &self,
        _: InstanceId,
        _copies: &HashMap<InstanceId, InstanceId>,
    ) -> Option<(BString, Value)> {
        None
    }

    /// Removes instances of the document with their descendants.
    ///
    /// # Errors
    /// As [`remove_all`](trait.Dom.html#method.remove_all).
    fn take(&mut self, ids: &[InstanceId]) -> Result<usize>;
}

/// What an edit adds.
#[doc(hidden)]
#[derive(Debug)]
pub enum Added<'a> {
    /// A new instance with its descendants.
    New(NewInstance),
    /// A copy of an instance of another document of the same form, with its descendants.
    Copy(&'a dyn Dom, InstanceId),
    /// A copy of everything in another document of the same form.
    All(&'a dyn Dom),
}

impl<'a> Added<'a> {
    /// The source of a copy as a document of a form.
    ///
    /// # Errors
    /// `InvalidArgument` if it has the other form.
    #[doc(hidden)]
    pub fn source<D: Dom>(source: &'a dyn Dom) -> Result<&'a D> {
        let source: &dyn Any = source.form();
        source.downcast_ref().ok_or_else(|| {
            let what = "the two documents have different forms, binary and XML (convert one of them first)";
            Error::invalid_argument("", what)
        })
    }
}

/// The children of an instance, or the instances at the root.
#[derive(Clone, Debug)]
pub struct Children<'a> {
    dom: &'a dyn Dom,
    next: Option<InstanceId>,
}

impl Iterator for Children<'_> {
    type Item = InstanceId;

    fn next(&mut self) -> Option<InstanceId> {
        let id = self.next?;
        self.next = self.dom.next_sibling(id);
        Some(id)
    }
}

/// Instances, each before its children.
#[derive(Clone, Debug)]
pub struct Descendants<'a> {
    dom: &'a dyn Dom,
    top: Option<InstanceId>,
    next: Option<InstanceId>,
}

impl Iterator for Descendants<'_> {
    type Item = InstanceId;

    fn next(&mut self) -> Option<InstanceId> {
        let id = self.next?;
        self.next = self.dom.first_child(Some(id));
        let mut at = Some(id);
        while self.next.is_none() && at != self.top {
            let Some(above) = at else { break };
            self.next = self.dom.next_sibling(above);
            at = self.dom.parent(above);
        }
        Some(id)
    }
}

impl dyn Dom {
    /// Whether there are no instances.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The instances at the root, in order: the services of a place, or the topmost instances of a model.
    pub fn roots(&self) -> Children<'_> {
        Children { dom: self, next: self.first_child(None) }
    }

    /// The children of an instance, in order; none if it is not in the document.
    pub fn children(&self, id: InstanceId) -> Children<'_> {
        Children { dom: self, next: self.first_child(Some(id)) }
    }

    /// All descendants of an instance, each before its children.
    pub fn descendants(&self, id: InstanceId) -> Descendants<'_> {
        Descendants { dom: self, top: Some(id), next: self.first_child(Some(id)) }
    }

    /// All instances, each before its children.
    pub fn instances(&self) -> Descendants<'_> {
        Descendants { dom: self, top: None, next: self.first_child(None) }
    }

    /// The instances of a class: in the order of its rows (binary) or of the document (XML).
    pub fn by_class(&self, class: impl AsRef<[u8]>) -> impl Iterator<Item = InstanceId> {
        self.of_class(class.as_ref())
    }

    /// Whether the document has a value of a property for the instance that cannot be decoded, and is kept.
    pub fn is_undecoded(&self, id: InstanceId, property: impl AsRef<[u8]>) -> bool {
        self.undecoded(id, property.as_ref())
    }

    /// Whether the class of an instance has this name, or inherits from a class with this name.
    #[cfg(feature = "classes")]
    #[cfg_attr(docsrs, doc(cfg(feature = "classes")))]
    pub fn is_a(&self, id: InstanceId, class: &str) -> bool {
        self.class(id).is_some_and(|own| classes::is_a(own, class))
    }

    /// The instances of a class and of the classes that inherit from it, each before its children: those of `BasePart` are
    /// all parts of a place.
    #[cfg(feature = "classes")]
    #[cfg_attr(docsrs, doc(cfg(feature = "classes")))]
    pub fn by_base(&self, class: &str) -> impl Iterator<Item = InstanceId> {
        // Documents have few classes: each name is looked up once.
        let mut known: HashMap<&BStr, bool> = HashMap::new();
        self.instances().filter(move |&id| {
            self.class(id).is_some_and(|own| *known.entry(own).or_insert_with(|| classes::is_a(own, class)))
        })
    }

    /// The properties of an instance with their stored names, in file order. In a binary document, those whose values
    /// cannot be decoded are left out.
    pub fn properties(&self, id: InstanceId) -> impl Iterator<Item = (&BStr, ValueRef<'_>)> {
        self.value_refs(id)
    }

    /// The properties of an instance that refer to instances, with their stored names, in file order. Those that refer to
    /// none are left out.
    pub fn references(&self, id: InstanceId) -> impl Iterator<Item = (&BStr, InstanceId)> {
        self.value_refs(id).filter_map(|(name, value)| Some((name, value.as_instance()?)))
    }

    /// The value of the property `Name`.
    pub fn name(&self, id: InstanceId) -> Option<&BStr> {
        self.value_ref(id, b"Name")?.as_bytes().map(BStr::new)
    }

    /// The name of an instance in a path: without a stored name, the name of its class, as in Studio.
    pub fn label(&self, id: InstanceId) -> &BStr {
        self.name(id).or_else(|| self.class(id)).unwrap_or_default()
    }

    /// The path by which [`find`](#method.find) finds an instance: `Workspace/Door/Handle[1]`.
    ///
    /// `/`, `\` and `[` in a name are escaped with `\`. `[1]` is the index, counted from 0, among the siblings with the
    /// same name; it is omitted if it is 0. Takes time in proportion to the siblings of the instance and of its
    /// ancestors; [`paths`](#method.paths) returns the paths of all instances at once.
    pub fn path(&self, id: InstanceId) -> Option<BString> {
        let mut steps = Vec::new();
        let mut at = self.contains(id).then_some(id);
        while let Some(id) = at {
            let name = self.label(id);
            at = self.parent(id);
            let siblings = Children { dom: self, next: self.first_child(at) };
            let before = siblings.take_while(|&other| other != id);
            steps.push((name.as_bytes(), before.filter(|&other| self.label(other) == name).count()));
        }
        (!steps.is_empty()).then(|| path::format(steps.into_iter().rev()))
    }

    /// All instances, each before its children, with their [paths](#method.path). Takes time in proportion to the number
    /// of instances and the length of the paths.
    pub fn paths(&self) -> impl Iterator<Item = (InstanceId, BString)> {
        path::all(self.instances().map(|id| (id, self.parent(id), self.label(id).as_bytes())))
    }

    /// The instance at a [path](#method.path) that begins at the root, such as `Workspace/Door`.
    pub fn find(&self, path: impl AsRef<[u8]>) -> Option<InstanceId> {
        self.find_below(None, path.as_ref())
    }

    /// The instance at a path that begins at the children of another one.
    pub fn find_in(&self, id: InstanceId, path: impl AsRef<[u8]>) -> Option<InstanceId> {
        self.find_below(Some(id), path.as_ref())
    }

    fn find_below(&self, mut above: Option<InstanceId>, path: &[u8]) -> Option<InstanceId> {
        for step in path::parse(path)? {
            let among = Children { dom: self, next: self.first_child(above) };
            above = Some(among.filter(|&id| *self.label(id) == *step.name).nth(step.index)?);
        }
        above
    }

    /// Removes a property from an instance, which then has the default of its class. In a binary document, where all
    /// instances of a class have the same properties, its value becomes that default. `false` if the instance did not have
    /// the property.
    ///
    /// # Errors
    /// `InvalidArgument` if the instance does not exist, and, in a binary document, if the default is not known (without
    /// the feature `classes`, none is).
    pub fn unset(&mut self, id: InstanceId, property: impl AsRef<[u8]>) -> Result<bool> {
        let property = property.as_ref();
        self.require(id)?;
        self.editable()?;
        let Some(value) = self.value_ref(id, property) else { return Ok(false) };
        #[cfg_attr(not(feature = "classes"), allow(unused_variables, reason = "for the class table"))]
        let kind = value.kind();
        if self.remove_value(id, property) {
            return Ok(true);
        }
        #[cfg(feature = "classes")]
        if let Some(default) =
            self.class(id).zip(kind).and_then(|(class, kind)| classes::default_of(class, property, kind))
        {
            return self.set_value(id, property, default).map(|()| true);
        }
        let path = format!("{}.{}", self.path(id).unwrap_or_default(), BStr::new(property));
        let what =
            "all instances of a class store the same properties, and the default of this one is not known";
        Err(Error::invalid_argument(path, what))
    }

    /// The stored properties of an instance that have replaced another one of its class, and their types.
    #[cfg(feature = "classes")]
    #[doc(hidden)]
    pub fn newer(&self, id: InstanceId, property: impl AsRef<[u8]>) -> Vec<(&'static str, Kind)> {
        let class = self.class(id).and_then(classes::class);
        let newer = class.into_iter().flat_map(|class| {
            let older = class.property(&property).into_iter();
            older.flat_map(|older| older.replaced_by()).filter_map(move |name| class.property(name))
        });
        newer.filter_map(|newer| Some((self.stored_name(id, newer)?, newer.kind()))).collect()
    }

    /// The name under which an instance stores a property.
    #[cfg(feature = "classes")]
    fn stored_name(&self, id: InstanceId, property: classes::Property) -> Option<&'static str> {
        property.names().find(|name| self.value_ref(id, name.as_bytes()).is_some())
    }

    /// The name under which an instance stores an older form of a property.
    #[cfg(feature = "classes")]
    pub(crate) fn stored_older(&self, id: InstanceId, property: classes::Property) -> Option<&'static str> {
        property.older().find_map(|(older, _)| self.stored_name(id, older))
    }

    /// The properties of an instance that have replaced one that it lacks, and the value in their form.
    #[cfg(feature = "classes")]
    fn in_newer(
        &self,
        id: InstanceId,
        property: &[u8],
        value: &Value,
    ) -> Option<Result<Vec<(&'static str, Value)>>> {
        let older = classes::class(self.class(id)?)?.property(property)?;
        if self.stored_name(id, older).is_some() { None } else { self.turned(id, property, value) }
    }

    /// The stored properties of an instance that have replaced another one, and the value in their form.
    #[cfg(feature = "classes")]
    pub(crate) fn turned(
        &self,
        id: InstanceId,
        property: &[u8],
        value: &Value,
    ) -> Option<Result<Vec<(&'static str, Value)>>> {
        let newer = self.newer(id, property);
        let class = classes::class(self.class(id)?)?;
        let older = class.property(property)?;
        if newer.is_empty() {
            return None;
        }
        let path = format!("{}.{}", class.name(), older.name());
        let wrong = |what: String| Error::invalid_argument(path, Problem::WrongType(what.into()));
        let named = match classes::named(class.name(), property, value.as_ref(), Some(older.kind())) {
            Ok(named) => named,
            Err(what) => return Some(Err(wrong(what))),
        };
        let old = named.or_else(|| value.converted(older.kind()));
        let turned = |(name, kind): &(&'static str, _)| {
            Some((*name, classes::turn(older.kind(), *kind)?(old.as_ref()?.as_ref())?))
        };
        let all: Option<Vec<_>> = newer.iter().map(turned).collect();
        Some(all.ok_or_else(|| {
            wrong(format!("the value has no equivalent in {}, which replaces the property", newer[0].0))
        }))
    }

    /// Adds a property to all instances of a class: with this value for each, or, in XML, for each that lacks it. The name
    /// and the type are stored as given, even with the feature `classes`.
    ///
    /// # Errors
    /// `InvalidArgument` if the class has no instance, if the name of the property is empty, and if, in a binary document,
    /// the class already stores it, or, in XML, an instance has it with another type; `Limit` if the values need more
    /// memory than the binary document may use.
    pub fn add_property(
        &mut self,
        class: impl AsRef<[u8]>,
        property: impl AsRef<[u8]>,
        value: impl Into<Value>,
    ) -> Result<()> {
        let property = property.as_ref();
        if property.is_empty() {
            return Err(nameless("property"));
        }
        self.add_to_class(class.as_ref(), property, value.into())
    }

    /// Removes a property from all instances of a class; see [`remove_properties`](#method.remove_properties).
    ///
    /// # Errors
    /// As that.
    pub fn remove_property(&mut self, class: impl AsRef<[u8]>, property: impl AsRef<[u8]>) -> Result<()> {
        self.remove_from_class(class.as_ref(), &[property.as_ref()])
    }

    /// Removes properties from all instances of a class, in one walk over their values.
    ///
    /// # Errors
    /// `InvalidArgument` if the class has no instance, and if none of them has one of the properties; nothing is removed
    /// then.
    pub fn remove_properties<P: AsRef<[u8]>>(
        &mut self,
        class: impl AsRef<[u8]>,
        properties: impl IntoIterator<Item = P>,
    ) -> Result<()> {
        let properties: Vec<P> = properties.into_iter().collect();
        let properties: Vec<&[u8]> = properties.iter().map(AsRef::as_ref).collect();
        self.remove_from_class(class.as_ref(), &properties)
    }

    /// Inserts a new instance, with its descendants, as the last child of a parent; `None` is the root. With the feature
    /// `classes`, properties also have the names and values that scripts use.
    ///
    /// # Errors
    /// `InvalidArgument` if the parent does not exist, if a value does not fit, if a name is empty (unless
    /// [`EditOptions::as_given`] is on), and in a binary document if the new instances and those of the same class do not
    /// have the same properties ([`EditOptions`] fills them in).
    pub fn insert(&mut self, parent: impl Into<Option<InstanceId>>, new: NewInstance) -> Result<InstanceId> {
        first(EditOptions::new().insert(self, parent, new)?)
    }

    /// Copies an instance of another document of the same form, with its descendants, as the last child of a parent;
    /// `None` is the root. References to instances that are not copied become null;
    /// [`duplicate`](#method.duplicate) copies within a document, and keeps them. A `UniqueId` that already exists in
    /// this document is replaced by a fresh one.
    ///
    /// # Errors
    /// As [`insert`](#method.insert).
    pub fn copy_from(
        &mut self,
        parent: impl Into<Option<InstanceId>>,
        source: &dyn Dom,
        id: InstanceId,
    ) -> Result<InstanceId> {
        first(EditOptions::new().copy_from(self, parent, source, id)?)
    }

    /// Copies everything from another document of the same form: its roots, as the last children of a parent (`None` is
    /// the root), and the metadata whose keys this document lacks. Returns the copies of the roots.
    ///
    /// # Errors
    /// As [`insert`](#method.insert), and if both documents have different metadata under one key.
    pub fn merge(
        &mut self,
        parent: impl Into<Option<InstanceId>>,
        source: &dyn Dom,
    ) -> Result<Vec<InstanceId>> {
        Ok(EditOptions::new().merge(self, parent, source)?.instances)
    }

    /// Copies an instance of this document, with its descendants, as the last child of a parent; `None` is the root. As
    /// with `Clone` in scripts, references within the copy refer to the copies, and other references are the same as in
    /// the original. A copy gets a fresh `UniqueId`. Returns the copy.
    ///
    /// # Errors
    /// `InvalidArgument` if the instance or the parent does not exist.
    pub fn duplicate(&mut self, id: InstanceId, parent: impl Into<Option<InstanceId>>) -> Result<InstanceId> {
        let mut apart = self.empty();
        let copy = apart.copy_from(None, self, id)?;
        // The parent can be in the original, which then gets further descendants.
        let originals: Vec<InstanceId> = std::iter::once(id).chain(self.descendants(id)).collect();
        let top = self.copy_from(parent, &*apart, copy)?;
        let copies: Vec<InstanceId> = std::iter::once(top).chain(self.descendants(top)).collect();
        let copy_of: HashMap<InstanceId, InstanceId> = originals.iter().copied().zip(copies).collect();
        for original in originals {
            let outside = self
                .references(original)
                .filter(|(_, target)| !copy_of.contains_key(target))
                .filter_map(|(name, _)| Some((name.to_owned(), self.value_ref(original, name)?.to_value())));
            let attributes = self.attributes_for(original, &copy_of).into_iter();
            let outside: Vec<_> = outside.chain(attributes).collect();
            for (name, value) in outside {
                // A failing edit leaves the document unchanged.
                self.set_value(copy_of[&original], &name, value)
                    .or_else(|error| self.remove(top).and(Err(error)))?;
            }
        }
        Ok(top)
    }

    /// Makes an instance, with its descendants, the last child of another parent; `None` is the root.
    ///
    /// # Errors
    /// `InvalidArgument` if one of them is not in the document, and if the new parent is the instance itself or its
    /// descendant.
    pub fn reparent(&mut self, id: InstanceId, parent: impl Into<Option<InstanceId>>) -> Result<()> {
        let parent = parent.into();
        self.editable()?;
        [Some(id), parent].into_iter().flatten().try_for_each(|id| self.require(id))?;
        // An instance without children has no descendants, so its new ancestors need not be walked: building a chain
        // link by link would otherwise take quadratic time.
        let is_leaf = self.first_child(Some(id)).is_none();
        let mut above = parent;
        while let Some(at) = above.filter(|&at| !is_leaf || at == id) {
            if at == id {
                return Err(Error::invalid_argument(
                    self.path(id).unwrap_or_default().to_string(),
                    "an instance cannot be moved into itself or into its descendant (choose another parent)",
                ));
            }
            above = self.parent(at);
        }
        self.link(id, parent);
        Ok(())
    }

    /// Removes an instance and its descendants, and returns their number. References to them become null.
    ///
    /// # Errors
    /// As [`remove_all`](#method.remove_all).
    pub fn remove(&mut self, id: InstanceId) -> Result<usize> {
        self.remove_all([id])
    }

    /// Removes instances and their descendants; some may be descendants of others. References to them become null.
    /// Returns the number of removed instances.
    ///
    /// # Errors
    /// `InvalidArgument` if one of them is not in the document, and, in a binary document, if a class would lose some of
    /// its instances but has a column whose values cannot be separated. Nothing is removed then.
    pub fn remove_all(&mut self, ids: impl IntoIterator<Item = InstanceId>) -> Result<usize> {
        self.editable()?;
        let ids: Vec<InstanceId> = ids.into_iter().collect();
        ids.iter().try_for_each(|&id| self.require(id))?;
        self.take(&ids)
    }

    /// Fails if an instance is not in the document.
    ///
    /// # Errors
    /// `InvalidArgument`.
    pub fn require(&self, id: InstanceId) -> Result<()> {
        self.contains(id).then_some(()).ok_or_else(|| missing(id))
    }
}

/// The first instance that an edit added.
fn first(edited: Edited) -> Result<InstanceId> {
    let first = edited.instances.first().copied();
    first.ok_or_else(|| Error::invalid_argument("", "no instance was inserted"))
}

/// The error for an empty name.
#[cold]
fn nameless(of: &str) -> Error {
    Error::invalid_argument("", format!("the name of a {of} is empty"))
}

/// The error for an instance that is not in the document.
#[cold]
#[doc(hidden)]
pub fn missing(id: InstanceId) -> Error {
    let what =
        format!("the document has no instance {id:?} (it was removed, or belongs to another document)");
    Error::invalid_argument("", Problem::NoInstance(what.into()))
}

impl EditOptions<'_> {
    /// As [`Dom::set`](trait.Dom.html#method.set), but refuses to give other instances of the class a property. The name is
    /// that of a stored property, or of one that an instance can store.
    ///
    /// # Errors
    /// As that, and if, in a binary document, the class does not store the property.
    pub fn set(
        &self,
        document: &mut dyn Dom,
        id: InstanceId,
        property: impl AsRef<[u8]>,
        value: impl Into<Value>,
    ) -> Result<()> {
        let property = property.as_ref();
        if property.is_empty() && document.value_ref(id, property).is_none() {
            return Err(nameless("property"));
        }
        #[cfg(feature = "classes")]
        if document.value_ref(id, property).is_none()
            && let Some(class) = document.class(id)
        {
            if let Some(why) = classes::unstored(class, property) {
                return Err(Error::invalid_argument(format!("{class}.{}", BStr::new(property)), why));
            }
            let value = value.into();
            let known = classes::class(class).and_then(|class| class.property(property));
            let same = known.and_then(|known| document.stored_name(id, known));
            if let Some(stored) = same {
                return document.set_value(id, stored.as_bytes(), value);
            }
            if let Some(newer) = document.in_newer(id, property, &value) {
                let mut newer = newer?.into_iter();
                return newer.try_for_each(|(name, value)| document.set_value(id, name.as_bytes(), value));
            }
            let older = known.and_then(|known| document.stored_older(id, known));
            document.set_value(id, property, value)?;
            // A file has one form of a property. In a binary one, all instances have the same, and the newer counts.
            if let Some(older) = older {
                document.remove_value(id, older.as_bytes());
            }
            return Ok(());
        }
        document.set_value(id, property, value.into())
    }

    /// As [`Dom::insert`](trait.Dom.html#method.insert) with these options.
    ///
    /// # Errors
    /// As that.
    pub fn insert(
        &self,
        document: &mut dyn Dom,
        parent: impl Into<Option<InstanceId>>,
        new: NewInstance,
    ) -> Result<Edited> {
        if let Some(of) = new.nameless().filter(|_| !self.as_given) {
            return Err(nameless(of));
        }
        document.add(self, parent.into(), Added::New(new))
    }

    /// As [`Dom::copy_from`](trait.Dom.html#method.copy_from) with these options.
    ///
    /// # Errors
    /// As that.
    pub fn copy_from(
        &self,
        document: &mut dyn Dom,
        parent: impl Into<Option<InstanceId>>,
        source: &dyn Dom,
        id: InstanceId,
    ) -> Result<Edited> {
        document.add(self, parent.into(), Added::Copy(source, id))
    }

    /// As [`Dom::merge`](trait.Dom.html#method.merge) with these options.
    ///
    /// # Errors
    /// As that.
    pub fn merge(
        &self,
        document: &mut dyn Dom,
        parent: impl Into<Option<InstanceId>>,
        source: &dyn Dom,
    ) -> Result<Edited> {
        document.add(self, parent.into(), Added::All(source))
    }

    /// The properties whose missing values make [`EditOptions::insert`] fail. The document is not changed.
    ///
    /// # Errors
    /// As [`EditOptions::insert`], except for missing values, and for the types of values.
    pub fn missing_for_insert(&self, document: &dyn Dom, new: NewInstance) -> Result<Vec<Missing>> {
        document.lacking(self, Added::New(new))
    }

    /// The properties whose missing values make [`EditOptions::merge`] fail. Neither document is changed.
    ///
    /// # Errors
    /// As [`EditOptions::merge`], except for missing values.
    pub fn missing(&self, document: &dyn Dom, source: &dyn Dom) -> Result<Vec<Missing>> {
        document.lacking(self, Added::All(source))
    }
}

/// Lets a document be used as a `dyn Dom`.
#[macro_export]
#[doc(hidden)]
macro_rules! is_a_dom {
    ($document:ty) => {
        impl std::ops::Deref for $document {
            type Target = dyn $crate::Dom;

            fn deref(&self) -> &Self::Target {
                self
            }
        }

        impl std::ops::DerefMut for $document {
            fn deref_mut(&mut self) -> &mut Self::Target {
                self
            }
        }
    };
}
