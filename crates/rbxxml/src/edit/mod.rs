//! Options and results of edits, and the iterators over instances. The cost of an edit depends on the elements that it touches; an edit that is refused changes
//! nothing.

mod convert;
mod copy;
mod insert;
mod properties;
mod unique_ids;

use std::collections::HashMap;

pub use rbxcore::{
    Added, Children, Descendants, EditOptions, Edited, Fill, Filled, LeftOut, Missing, Others, Renamed,
    ValueOf,
};

use bstr::{BStr, ByteSlice as _};

use rbxcore::Dom as _;
use rbxcore::missing;

use crate::model::{Document, InstanceId, Kind, NONE, Name, Node, Property, Stored, StoredTypes, Value};
use geom::wire::{Error, Problem, Result};
use rbxcore::parts::names;

/// The stored name of a property, or `None` if the given name is new to the class; and the value to store.
type Admitted = (Option<Name>, Value);

fn no_class(class: impl std::fmt::Display) -> Problem {
    let what = format!("the document has no instance of the class {class} (check the spelling)");
    Problem::NoInstance(what.into())
}

fn stored_by_none(class: &str, name: &[u8], closest: Option<&BStr>) -> Problem {
    let meant = closest.map_or_else(String::new, |closest| format!(" (did you mean \"{closest}\"?)"));
    let name = name.as_bstr();
    Problem::NotStored(format!("no instance of {class} stores the property \"{name}\"{meant}").into())
}

/// The name of a class or property, or a key, as UTF-8, which XML requires.
fn utf8<'a>(text: &'a [u8], what: &str) -> Result<&'a str> {
    text.to_str()
        .map_err(|_| Error::invalid_argument("", format!("{what} {:?} is not UTF-8", text.as_bstr())))
}

/// Refuses a name that is new to a class if it looks like a misspelling of a known property.
#[cfg_attr(not(feature = "classes"), allow(unused_variables, reason = "for the class table"))]
fn not_misspelled(class: &str, name: &[u8]) -> Result<(), Problem> {
    #[cfg(feature = "classes")]
    if let Some(meant) = rbxcore::classes::class(class).and_then(|class| class.closest(name.to_str().ok()?)) {
        let name = name.as_bstr();
        let what = format!(
            "{class} has no property \"{name}\" (did you mean \"{meant}\"? Document::add_property accepts any name)"
        );
        return Err(Problem::NotStored(what.into()));
    }
    Ok(())
}

impl Document {
    /// Sets a property that another document stores under this name, also if the name looks like a misspelling.
    ///
    /// # Errors
    /// `InvalidArgument` if there is no such instance, or XML cannot store the value.
    #[doc(hidden)]
    pub fn set_given(&mut self, id: InstanceId, name: &[u8], value: Value) -> Result<()> {
        self.set_stored(id, name, value, true)
    }

    /// Sets a property of an instance.
    ///
    /// A property that the instance lacks is added to this instance alone. This is refused if no instance of its class
    /// has the property, but one has a property whose name differs by case or by Roblox's renaming (`Size` is stored
    /// as `size`). With the feature `classes`, a known property is added under the name and with the type that Roblox
    /// stores, and a name that looks like a misspelling of a known one is refused, unless it is that of another document:
    /// `any_name`.
    pub(crate) fn set_stored(
        &mut self,
        id: InstanceId,
        name: &[u8],
        value: Value,
        any_name: bool,
    ) -> Result<()> {
        let instance = self.instance(id).ok_or_else(|| missing(id))?;
        let class = instance.class.clone();
        let admitted = match instance.property(name) {
            Some(old) => convert::to_old(&class, value, old).map(|value| (None, value)),
            None => {
                let newer = self.in_newer(&class, name, &value).filter(|_| !any_name);
                let (name, value) = newer.map_or((name, value), |(name, value)| (name.as_bytes(), value));
                self.admit(&class, name, value, (false, any_name)).and_then(|admitted| match admitted.0 {
                    None if !any_name => not_misspelled(&class, name).map(|()| admitted),
                    _ => Ok(admitted),
                })
            }
        };
        let fitting = admitted.and_then(|(stored, value)| self.fits(&value).map(|()| (stored, value)));
        let (stored, mut value) =
            fitting.map_err(|what| Error::invalid_argument(self.path_of(id, name), what))?;
        let name = stored.as_ref().map_or(name, |stored| stored.as_bytes());
        let text = utf8(name, "the property name")?;
        let old = self.instance(id).and_then(|instance| instance.property(name));
        let there = old.is_some();
        // A null that the file has as a referent without an instance is replaced.
        if old.is_some_and(|old| old.value == value && !self.is_dangling(old)) {
            return Ok(());
        }
        self.share_value(&mut value);
        if let Some(to) = value.as_instance() {
            self.give_referent(to);
        }
        self.forget_unique_id(id, name);
        if there {
            if let Some(property) = self.instance_mut(id).and_then(|instance| instance.property_mut(name)) {
                property.value = value;
                property.at.touch();
            }
            self.touch(id);
        } else {
            let stored = stored.clone().unwrap_or_else(|| self.interned(text));
            self.store(id, stored, value);
        }
        self.note_unique_id(id, name);
        Ok(())
    }

    /// The path of a property, for errors; only its name if the instance does not exist.
    fn path_of(&self, id: InstanceId, property: &[u8]) -> String {
        dotted(&self.path(id).unwrap_or_default(), property)
    }

    /// The document's copy of a name.
    fn interned(&mut self, name: &str) -> Name {
        if let Some(name) = self.names.find(name) {
            return name.clone();
        }
        let name = Name::from(name);
        self.names.insert(name.clone());
        name
    }

    /// The name and the type of a property in instances of a class; `None` if no instance has it. Visits instances only
    /// until one has it.
    fn kind(&mut self, class: &str, property: &str) -> Option<(Name, Option<Kind>)> {
        loop {
            let of_class = self.caches.stored.classes.get(class);
            let found = of_class.and_then(|of_class| of_class.get_key_value(property));
            if let Some((name, (kind, _))) = found {
                return Some((name.clone(), *kind));
            }
            // If the document does not have the name of the class, the class has no instances.
            if self.names.find(class).is_none() || !self.look_at_next() {
                return None;
            }
        }
    }

    /// All properties that instances of a class have, and their types.
    fn stored(&mut self, class: &str) -> Option<&StoredTypes> {
        self.names.find(class)?;
        while self.look_at_next() {}
        self.caches.stored.classes.get(class)
    }

    /// Records the properties of the next unvisited instance; returns `false` if all were visited.
    fn look_at_next(&mut self) -> bool {
        let Stored { classes, seen } = &mut self.caches.stored;
        let Some(Node { instance, .. }) = self.nodes.get(*seen) else { return false };
        *seen += 1;
        if !classes.contains_key(&instance.class) {
            classes.insert(instance.class.clone(), StoredTypes::default());
        }
        let Some(of_class) = classes.get_mut(&instance.class) else { return true };
        for property in &instance.properties {
            match of_class.get_mut(&property.name) {
                Some((_, count)) => *count += 1,
                None => drop(of_class.insert(property.name.clone(), (property.value.kind(), 1))),
            }
        }
        true
    }

    /// Removes the properties of an instance and its descendants from the index, before the instances are removed.
    pub(crate) fn forget_all_stored(&mut self, id: InstanceId) {
        if self.caches.stored.seen > 0 {
            let all: Vec<_> = std::iter::once(id).chain(self.descendants(id)).collect();
            all.into_iter().for_each(|id| self.forget_stored(id, &|_| true));
        }
    }

    /// Removes properties of an instance from the index, before they are removed.
    fn forget_stored(&mut self, id: InstanceId, is_gone: &dyn Fn(&Property) -> bool) {
        let slot = id.slot() as usize;
        let Some(Node { instance, .. }) = self.nodes.get(slot) else { return };
        let of_class = self.caches.stored.classes.get_mut(&instance.class);
        let Some(of_class) = of_class.filter(|_| slot < self.caches.stored.seen) else { return };
        for property in instance.properties.iter().filter(|property| is_gone(property)) {
            if let Some((_, count)) = of_class.get_mut(&property.name) {
                *count -= 1;
                if *count == 0 {
                    of_class.remove(&property.name);
                }
            }
        }
    }

    /// As in a binary document, what replaced a property is stored instead of it if no instance of the class has it.
    #[cfg_attr(
        not(feature = "classes"),
        allow(unused_variables, clippy::unused_self, reason = "for the class table")
    )]
    fn in_newer(&mut self, class: &str, name: &[u8], value: &Value) -> Option<(&'static str, Value)> {
        #[cfg(feature = "classes")]
        {
            let property = rbxcore::classes::class(class)?.property(name)?;
            let (newer, value) = convert::to_newer(class, property, value)?;
            let is_stored = property.names().any(|name| self.kind(class, name).is_some());
            (!is_stored).then(|| (newer.name(), value))
        }
        #[cfg(not(feature = "classes"))]
        None
    }

    /// Checks a property that an instance lacks; returns its stored name and the value in the type that the class
    /// stores. The error is the reason of a refusal.
    #[cfg_attr(not(feature = "classes"), allow(unused_variables, reason = "for the class table"))]
    fn admit(
        &mut self,
        class: &str,
        name: &[u8],
        value: Value,
        (as_given, any_name): (bool, bool),
    ) -> Result<Admitted, Problem> {
        if let Some((stored, kind)) = name.to_str().ok().and_then(|name| self.kind(class, name)) {
            let value = if as_given { value } else { convert::to_kind(class, value, kind, name)? };
            return Ok((Some(stored), value));
        }
        #[cfg(feature = "classes")]
        if let Some(property) = rbxcore::classes::class(class).and_then(|class| class.property(name))
            && !as_given
        {
            let (stored, value) = (property.name(), convert::to_stored(class, value, property)?);
            return match self.kind(class, stored) {
                Some((name, kind)) => {
                    Ok((Some(name), convert::to_kind(class, value, kind, stored.as_bytes())?))
                }
                None => Ok((Some(self.interned(stored)), value)),
            };
        }
        let stored = self.stored(class).into_iter().flat_map(HashMap::keys).filter(|_| !any_name);
        match names::stored_for(name, stored.map(|name| name.as_bstr())) {
            Some(stored) => Err(stored_by_none(class, name, Some(stored))),
            None => Ok((None, if as_given { value } else { convert::to_new(value, name) })),
        }
    }

    /// The problem of a property that a class does not store.
    fn not_stored(&mut self, class: &str, name: &[u8]) -> Problem {
        let Some(stored) = self.stored(class) else { return no_class(class) };
        stored_by_none(class, name, names::closest_stored(name, stored.keys().map(|name| name.as_bstr())))
    }

    /// Fails if a value refers to an instance outside the document, or if XML has no element for it.
    fn fits(&self, value: &Value) -> Result<(), Problem> {
        match (value.as_instance(), value) {
            (Some(to), _) if !self.contains(to) => {
                let what = format!("expected a reference to an instance of the document, found {to:?}");
                Err(Problem::NoInstance(what.into()))
            }
            (_, Value::Bytecode(_) | Value::CFrameQuat(_)) => {
                let what = format!("XML cannot represent a value of type {}", value.tag());
                Err(Problem::WrongType(what.into()))
            }
            _ => Ok(()),
        }
    }

    /// Gives an instance a referent unless it has one.
    fn give_referent(&mut self, id: InstanceId) {
        if self.instance(id).is_some_and(|instance| instance.referent.is_none()) {
            let referent = self.fresh_referent(id);
            if let Some(instance) = self.instance_mut(id) {
                instance.referent = Some(referent);
            }
            self.touch(id);
        }
    }

    /// A new referent in Studio's style, for an instance.
    fn fresh_referent(&mut self, id: InstanceId) -> Name {
        // In a document that was written and read again, the first referents are taken: they are skipped in ever longer
        // steps.
        let mut step = 1;
        loop {
            self.caches.fresh += step;
            step *= 2;
            let mut name = *b"RBX00000000000000000000000000000000";
            for (digits, half) in name[3..].as_chunks_mut::<16>().0.iter_mut().zip(0..) {
                let number = scramble(self.caches.fresh * 2 + half);
                for (digit, at) in digits.iter_mut().rev().zip((0..64).step_by(4)) {
                    *digit = b"0123456789ABCDEF"[(number >> at & 15) as usize];
                }
            }
            let name = Name::from(std::str::from_utf8(&name).unwrap_or_default());
            if self.names.claim(name.clone(), id.slot()) {
                return name;
            }
        }
    }

    /// Fails if the parent does not exist, or if there would be more instances than ids.
    pub(crate) fn accepts(&self, parent: Option<InstanceId>, count: usize) -> Result<()> {
        parent.map_or(Ok(()), |parent| self.require(parent))?;
        // Saturating: a sum that does not fit into a `usize` is beyond 32 bits, too.
        match u32::try_from(self.nodes.len().saturating_add(count)) {
            Ok(count) if count < NONE - 1 => Ok(()),
            _ => Err(Error::invalid_argument("", "the document would have more than 4294967293 instances")),
        }
    }
}

/// SplitMix64: maps different numbers to different numbers, without a visible pattern.
fn scramble(number: u64) -> u64 {
    let number = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

fn dotted(path: &[u8], property: &[u8]) -> String {
    format!("{}.{}", path.as_bstr(), property.as_bstr())
}

impl Document {
    /// Adds new instances, or copies of some of another document. Options about missing values have no effect: each
    /// instance has its own properties.
    pub(crate) fn add_copies(
        &mut self,
        options: &EditOptions<'_>,
        parent: Option<InstanceId>,
        new: Added<'_>,
    ) -> Result<Edited> {
        match new {
            Added::New(new) => Ok(self.insert_new(parent, new, options.as_given)?.into()),
            Added::Copy(source, id) => {
                let source = Added::source::<Self>(source)?;
                source.require(id)?;
                self.accepts(parent, source.descendants(id).count() + 1)?;
                Ok(self.copy(options, parent, source, [id]))
            }
            Added::All(source) => {
                let source = Added::source::<Self>(source)?;
                self.accepts(parent, source.len())?;
                let mut added = self.new_metadata(source)?;
                self.metadata.append(&mut added);
                let edited = self.copy(options, parent, source, source.roots());
                self.copy_shared(source);
                Ok(edited)
            }
        }
    }
}

#[cfg(test)]
#[path = "../../tests/inside/edit.rs"]
mod tests;
