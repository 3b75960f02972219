//! A document of either form is a `Dom`, so that a function that takes one needs no dereferenced argument.

use std::collections::HashMap;

use bstr::{BStr, BString};
use geom::wire::Result;
use rbxcore::{Added, Dom, EditOptions, Edited, InstanceId, Missing, Store, Value, ValueRef};

use crate::AnyDocument;

/// Implements methods by those of the document in its form.
macro_rules! forwarded {
    ($of:ident & $(fn $name:ident($($arg:ident: $kind:ty),*) $(-> $result:ty)?;)+) => {$(
        fn $name(&self $(, $arg: $kind)*) $(-> $result)? {
            match self {
                Self::Binary(document) => $of::$name(document $(, $arg)*),
                Self::Xml(document) => $of::$name(document $(, $arg)*),
            }
        }
    )+};
    ($of:ident &mut $(fn $name:ident($($arg:ident: $kind:ty),*) $(-> $result:ty)?;)+) => {$(
        fn $name(&mut self $(, $arg: $kind)*) $(-> $result)? {
            match self {
                Self::Binary(document) => $of::$name(document $(, $arg)*),
                Self::Xml(document) => $of::$name(document $(, $arg)*),
            }
        }
    )+};
}

impl Dom for AnyDocument {
    forwarded! { Dom &
        fn len() -> usize;
        fn contains(id: InstanceId) -> bool;
        fn first_child(parent: Option<InstanceId>) -> Option<InstanceId>;
        fn next_sibling(id: InstanceId) -> Option<InstanceId>;
        fn parent(id: InstanceId) -> Option<InstanceId>;
        fn class(id: InstanceId) -> Option<&BStr>;
        fn dangling(id: InstanceId) -> Vec<&BStr>;
        fn is_service(id: InstanceId) -> bool;
        fn metadata() -> Vec<(&BStr, &BStr)>;
        fn shared_len() -> usize;
        fn empty() -> Box<dyn Dom>;
        fn copy() -> Box<dyn Dom>;
        fn editable() -> Result<()>;
    }

    forwarded! { Dom &mut
        fn set_metadata(entries: Vec<(BString, BString)>) -> Result<()>;
    }
}

impl Store for AnyDocument {
    fn form(&self) -> &dyn Dom {
        self.dom()
    }

    forwarded! { Store &
        fn value_ref(id: InstanceId, property: &[u8]) -> Option<ValueRef<'_>>;
        fn value_refs(id: InstanceId) -> Box<dyn Iterator<Item = (&BStr, ValueRef<'_>)> + '_>;
        fn of_class(class: &[u8]) -> Box<dyn Iterator<Item = InstanceId> + '_>;
        fn attributes_for(id: InstanceId, copies: &HashMap<InstanceId, InstanceId>) -> Option<(BString, Value)>;
        fn undecoded(id: InstanceId, property: &[u8]) -> bool;
        fn lacking(options: &EditOptions<'_>, new: Added<'_>) -> Result<Vec<Missing>>;
    }

    forwarded! { Store &mut
        fn set_value(id: InstanceId, property: &[u8], value: Value) -> Result<()>;
        fn remove_value(id: InstanceId, property: &[u8]) -> bool;
        fn add_to_class(class: &[u8], property: &[u8], value: Value) -> Result<()>;
        fn remove_from_class(class: &[u8], properties: &[&[u8]]) -> Result<()>;
        fn add(options: &EditOptions<'_>, parent: Option<InstanceId>, new: Added<'_>) -> Result<Edited>;
        fn link(id: InstanceId, parent: Option<InstanceId>);
        fn take(ids: &[InstanceId]) -> Result<usize>;
    }
}
