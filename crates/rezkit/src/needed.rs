//! The files that a file refers to, before any of them exist.

use rezkit_core::{Reference, Result};

use crate::options::ReadOptions;

/// The files that a file refers to, which [`open`](crate::open) and [`Opened::scene`](crate::Opened::scene) would ask
/// for; with the default limits.
///
/// # Errors
/// As [`ReadOptions::needed`].
pub fn needed(bytes: Vec<u8>, name: &str) -> Result<Vec<Reference>> {
    ReadOptions::new().needed(bytes, name)
}

impl ReadOptions {
    /// The files that a file refers to, which [`open`](Self::open) and [`Opened::scene`](crate::Opened::scene) would ask
    /// for: those beside it, such as the buffers and images of a glTF file or the materials of an OBJ file, and assets by
    /// their ids. References in these files are not included, since their content is not known.
    ///
    /// # Errors
    /// As [`open`](Self::open), but missing files are no error.
    pub fn needed(&self, bytes: Vec<u8>, name: &str) -> Result<Vec<Reference>> {
        let mut asked = std::collections::BTreeSet::new();
        let record = |reference: &Reference, _: u64| {
            asked.insert(reference.clone());
            Ok(None)
        };
        let opened = self.open(bytes, name, record);
        // All needed files were requested before.
        let opened = opened.map(|mut opened| drop(opened.scene(&crate::SceneOptions::default())));
        if asked.is_empty() {
            opened?;
        }
        Ok(asked.into_iter().collect())
    }
}
