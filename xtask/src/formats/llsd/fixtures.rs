//! Small documents in each encoding, laid out by hand.

use crate::formats::Fixture;

pub(super) fn all() -> Vec<Fixture> {
    Vec::new()
}
