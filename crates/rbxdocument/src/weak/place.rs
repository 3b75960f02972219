//! Where documents store the properties of rbx-dom.

use rbx_dom_weak::Ustr;
use rbxcore::Kind;
use rbxcore::classes::{Class, Property, Turn, class, turn, unstored};

/// What happens with a property that the class table does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Unknown {
    #[default]
    Keep,
    /// As `Keep`, also if files do not store it: Studio reads the `Position` of a part in XML.
    #[cfg(feature = "compat")]
    All,
    #[cfg(feature = "compat")]
    Drop,
    #[cfg(feature = "compat")]
    Refuse,
    /// All properties keep the names and the types that they have.
    #[cfg(feature = "compat")]
    AsStored,
}

impl Unknown {
    /// Whether values of properties that are not known are lost.
    pub(super) fn is_lost(self) -> bool {
        #[cfg(feature = "compat")]
        return matches!(self, Self::Drop | Self::Refuse);
        #[cfg(not(feature = "compat"))]
        false
    }

    /// Whether nothing is looked up in the class table.
    pub(super) fn is_as_stored(self) -> bool {
        #[cfg(feature = "compat")]
        return self == Self::AsStored;
        #[cfg(not(feature = "compat"))]
        false
    }

    /// Whether properties that files do not store stay.
    fn has_unstored(self) -> bool {
        #[cfg(feature = "compat")]
        return self == Self::All;
        #[cfg(not(feature = "compat"))]
        false
    }
}

/// A property that has replaced another one, and the conversion.
pub(super) type Newer = (Property, Turn);

/// Where a document stores a property of a class: looked up once for all instances.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) name: Ustr,
    /// The property, if the class table has it.
    pub(super) stored: Option<Property>,
    /// The properties that have replaced it.
    pub(super) newer: Vec<Newer>,
    /// Why its values are lost.
    pub(super) lost: Option<&'static str>,
}

impl Place {
    pub(super) fn new(of_class: &str, name: Ustr, unknown: Unknown) -> Self {
        if unknown.is_as_stored() {
            return Self { name, stored: None, newer: Vec::new(), lost: None };
        }
        let name = if name == "Attributes" { Ustr::from("AttributesSerialize") } else { name };
        let known = class(of_class);
        // A name under which files store the property stays, also one of old files.
        let (name, stored) = match known.and_then(|class| class.stored(&*name)) {
            Some(stored) => (name, Some(stored)),
            None => {
                let stored = known.and_then(|class| class.property(&*name));
                (stored.map_or(name, |stored| stored.name().into()), stored)
            }
        };
        let lost = match () {
            () if name == "Name" => Some(super::UNSTORED),
            () if !unknown.has_unstored() && unstored(of_class, &*name).is_some() => Some(super::UNSTORED),
            () if stored.is_none() && unknown.is_lost() => Some(super::UNKNOWN),
            () => None,
        };
        Self { name, stored, newer: stored.map(|of| newer(known, of)).unwrap_or_default(), lost }
    }

    /// The type of the property.
    pub(super) fn kind(&self) -> Option<Kind> {
        self.stored.map(Property::kind)
    }
}

/// The properties that have replaced one; none if the conversion to one of them is not known.
fn newer(class: Option<Class>, old: Property) -> Vec<Newer> {
    let new = old.replaced_by().map(|new| {
        let new = class?.property(new)?;
        Some((new, turn(old.kind(), new.kind())?))
    });
    new.collect::<Option<_>>().unwrap_or_default()
}
