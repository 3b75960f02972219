//! The one write of a property, with the errors of the kit.

use rbxcore::{Dom, InstanceId, Value};
pub(super) use rbxdocument::filled::{Newer, left_out, renamed, replacing, type_in_class};

use crate::options::Fill;
use rezkit_core::{Loss, Result};

/// Sets a property; see [`rbxdocument::filled::put`].
pub(super) fn put(
    document: &mut dyn Dom,
    id: InstanceId,
    property: &str,
    value: Value,
    fill: Fill,
) -> Result<Vec<Loss>> {
    Ok(rbxdocument::filled::put(document, id, property, value, fill)?)
}

/// As [`put`], with a value that another document stores.
pub(super) fn put_stored(
    document: &mut dyn Dom,
    id: InstanceId,
    property: &str,
    value: Value,
    fill: Fill,
) -> Result<Vec<Loss>> {
    Ok(rbxdocument::filled::put_stored(document, id, property, value, fill)?)
}

/// Sets the properties that have replaced another one to the value of that one.
pub(super) fn put_newer(
    document: &mut dyn Dom,
    of: (InstanceId, &str),
    newer: &[Newer],
    old: &Value,
) -> Result<Vec<Loss>> {
    Ok(rbxdocument::filled::put_newer(document, of, newer, old)?)
}
