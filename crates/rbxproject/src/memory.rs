//! Memory that a budget is charged for.

use geom::wire::{Budget, Result};

/// Charges memory for the content of a file or a property, which the error names.
///
/// # Errors
/// [`Limit`](geom::wire::ErrorKind::Limit) with the path if fewer bytes are left.
pub(crate) fn charge(budget: &mut Budget, bytes: u64, path: &str) -> Result<()> {
    budget.charge(bytes, "the content").map_err(|error| error.at_path(path.to_owned()))
}

/// The maximum memory in bytes for decoding tags or attributes: the values, and their texts.
pub(crate) fn cost(property: &str, bytes: &[u8]) -> u64 {
    let of_a_byte = match property {
        "Tags" => 160,
        "AttributesSerialize" => 64,
        _ => 40,
    };
    bytes.len() as u64 * of_a_byte
}
