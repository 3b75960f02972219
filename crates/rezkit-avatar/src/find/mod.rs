//! Finds the items in documents and scenes.

pub(crate) mod document;
pub(crate) mod scene;
