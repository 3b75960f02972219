//! Models as streams of values and bits, so that two of them can be compared without `PartialEq`, in
//! which NaN differs from itself and -0 equals 0.

use serde::Serialize;

/// Whether two models are equal by value and bits: both as MessagePack, which keeps every bit of a
/// number, and has the type and the length of everything.
pub(super) fn equal(a: &impl Serialize, b: &impl Serialize) -> bool {
    matches!((bytes(a), bytes(b)), (Some(a), Some(b)) if a == b)
}

fn bytes(model: &impl Serialize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    model.serialize(&mut rmp_serde::Serializer::new(&mut bytes).with_struct_map()).ok()?;
    Some(bytes)
}
