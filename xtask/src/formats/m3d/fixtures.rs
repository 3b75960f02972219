//! Small models with every chunk in every width, laid out by hand.

use crate::formats::Fixture;

pub(super) fn all() -> Vec<Fixture> {
    Vec::new()
}
