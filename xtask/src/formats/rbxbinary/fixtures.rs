use crate::formats::Fixture;
pub(super) fn all() -> Vec<Fixture> {
    vec![]
}
