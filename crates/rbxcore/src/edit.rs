//! Options of edits for instances that do not have the same properties.

use std::fmt;

use bstr::{BStr, BString};

use crate::id::InstanceId;
use crate::value::Value;
use geom::wire::Counted;

/// Options of `insert`, `copy_from` and `merge`. A chain of options ends with a call of one of these methods.
///
/// A binary file has a value of each stored property for every instance of a class. If an inserted
/// instance lacks one, or brings one that the instances of its class do not have, a value must be filled in or
/// dropped: the edit is refused unless these options allow it, and [`Edited`] lists the changes. In XML, each
/// instance has its own properties.
#[derive(Clone, Copy, Debug, Default)]
#[must_use]
pub struct EditOptions<'a> {
    #[doc(hidden)]
    pub fill: Fill<'a>,
    #[doc(hidden)]
    pub others: Others<'a>,
    #[doc(hidden)]
    pub keep_unique_ids: bool,
    #[doc(hidden)]
    pub as_given: bool,
    #[doc(hidden)]
    pub cut_attributes: bool,
}

/// A function that returns the value of a property, given the names of the class and the property.
pub type ValueOf<'a> = &'a dyn Fn(&BStr, &BStr) -> Option<Value>;

/// The source of the values of properties that a class stores but an inserted instance lacks.
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
pub enum Fill<'a> {
    /// There is no source: the edit is refused.
    #[default]
    Refuse,
    /// The values of an instance in the document; if an instance of another class lacks a value, the edit is refused.
    Like(InstanceId),
    /// A function; if it returns `None`, the edit is refused.
    With(ValueOf<'a>),
    /// The default of the class: the value that Studio assumes if the property is absent. If it is not known, the value of
    /// another instance of the class if it is a flag, a number, an enum item or a colour, and otherwise the neutral value.
    #[cfg(feature = "classes")]
    #[cfg_attr(docsrs, doc(cfg(feature = "classes")))]
    Defaults,
    /// The neutral value of the type: zero, false, empty, null, the identity; but white as a `Color3` and in a
    /// `ColorSequence`, 163 162 165 as a `Color3uint8`, 194 as a `BrickColor`, 1 in a `NumberSequence`, Source Sans
    /// Pro as a `Font`. It is rarely Studio's default: a new part would not collide and would cast no shadow.
    Neutral,
}

/// The treatment of a property that an inserted instance has but the existing instances of its class
/// lack.
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
pub enum Others<'a> {
    /// The edit is refused.
    #[default]
    Refuse,
    /// The property is dropped.
    LeaveOut,
    /// The existing instances get the result of a function; if it returns `None`, the edit is refused.
    With(ValueOf<'a>),
    /// The existing instances get the default of the class; if it is not known, the property is dropped, as
    /// [`Edited::left_out`] lists. But if they store the property under another name, or in a newer or older form, the
    /// inserted instance stores it in the same way; and if they lack both, an older form is stored as the newer one:
    /// [`Edited::renamed`] lists it.
    #[cfg(feature = "classes")]
    #[cfg_attr(docsrs, doc(cfg(feature = "classes")))]
    Defaults,
    /// The existing instances get the neutral value of the type; see [`Fill::Neutral`].
    Neutral,
}

/// The result of an edit.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Edited {
    /// The new instances, without their descendants.
    pub instances: Vec<InstanceId>,
    /// The values that were filled in.
    pub filled: Vec<Filled>,
    /// The properties that were dropped.
    pub left_out: Vec<LeftOut>,
    /// The properties that were stored under another name.
    pub renamed: Vec<Renamed>,
    /// The properties whose attributes were cut; see [`EditOptions::cut_attributes`].
    pub cut: Vec<LeftOut>,
}

impl From<InstanceId> for Edited {
    /// One new instance, for which nothing was filled in or dropped.
    fn from(id: InstanceId) -> Self {
        Self { instances: vec![id], ..Self::default() }
    }
}

/// A value that was filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Filled {
    /// The class of the instances.
    pub class: BString,
    /// The property.
    pub property: BString,
    /// The number of instances that got the value.
    pub instances: usize,
    /// The value.
    pub value: Value,
}

/// A property that was dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The class of the instances.
    pub class: BString,
    /// The property.
    pub property: BString,
    /// The number of instances that had it.
    pub instances: usize,
}

/// A property that was stored under the name, and in the form, that other instances of the class have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// The class of the instances.
    pub class: BString,
    /// The property.
    pub property: BString,
    /// The property under whose name it was stored.
    pub to: BString,
    /// The number of instances.
    pub instances: usize,
}

/// A property that some instances lack, so that an edit is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The class of the instances.
    pub class: BString,
    /// The property.
    pub property: BString,
    /// The number of instances without a value.
    pub instances: usize,
    /// Whether these instances are in the document already, and inserted instances bring the property.
    pub is_foreign: bool,
}

impl<'a> EditOptions<'a> {
    /// The defaults: nothing is filled in or dropped.
    pub fn new() -> Self {
        Self::default()
    }

    /// Like Studio: a property that an inserted or existing instance lacks gets the default of the class.
    #[cfg(feature = "classes")]
    #[cfg_attr(docsrs, doc(cfg(feature = "classes")))]
    pub fn defaults() -> Self {
        Self::new().fill(Fill::Defaults).others(Others::Defaults)
    }

    /// Whether the properties of new instances keep the given names and types, even if the class table has others (without
    /// the feature `classes`, there is none), or if a name is empty, as in some files. Off by default.
    pub fn as_given(mut self, as_given: bool) -> Self {
        self.as_given = as_given;
        self
    }

    /// The source of values that an inserted instance lacks.
    pub fn fill(mut self, fill: Fill<'a>) -> Self {
        self.fill = fill;
        self
    }

    /// The treatment of a property that existing instances lack.
    pub fn others(mut self, others: Others<'a>) -> Self {
        self.others = others;
        self
    }

    /// Whether a copy keeps its `UniqueId` even if an instance of the document has the same. By default, such a
    /// copy gets a fresh one.
    pub fn keep_unique_ids(mut self, keep: bool) -> Self {
        self.keep_unique_ids = keep;
        self
    }

    /// Whether attributes are dropped, from the first one of an unknown type on, if a reference among them would name
    /// another instance in the copy. A binary file stores the number of the instance, and the end of a value of an unknown
    /// type is not known, so such a reference cannot be found. By default, the edit is refused.
    pub fn cut_attributes(mut self, cut: bool) -> Self {
        self.cut_attributes = cut;
        self
    }
}

impl fmt::Debug for Fill<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refuse => f.write_str("Refuse"),
            Self::Like(id) => f.debug_tuple("Like").field(id).finish(),
            Self::With(_) => f.write_str("With"),
            #[cfg(feature = "classes")]
            Self::Defaults => f.write_str("Defaults"),
            Self::Neutral => f.write_str("Neutral"),
        }
    }
}

impl fmt::Debug for Others<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refuse => "Refuse",
            Self::LeaveOut => "LeaveOut",
            Self::With(_) => "With",
            #[cfg(feature = "classes")]
            Self::Defaults => "Defaults",
            Self::Neutral => "Neutral",
        })
    }
}

/// `Part.Transparency = Float32(0.0) in 3 instances`.
impl fmt::Display for Filled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { class, property, instances, value } = self;
        write!(f, "{class}.{property} = {value:?} in {}", Counted::new(*instances, "instances"))
    }
}

/// `Part.Transparency of 3 instances`.
impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { class, property, instances } = self;
        write!(f, "{class}.{property} of {}", Counted::new(*instances, "instances"))
    }
}

/// `Camera.CoordinateFrame of 1 instance as CFrame`.
impl fmt::Display for Renamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { class, property, to, instances } = self;
        write!(f, "{class}.{property} of {} as {to}", Counted::new(*instances, "instances"))
    }
}

/// `Part.Transparency of 3 instances`.
impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { class, property, instances, .. } = self;
        write!(f, "{class}.{property} of {}", Counted::new(*instances, "instances"))
    }
}

#[cfg(test)]
#[path = "../tests/inside/edit.rs"]
mod tests;
