//! Content that is in no file of a project.

use std::collections::HashMap;

use geom::wire::{Budget, Loss, Result};
use rbxcore::InstanceId;

use rbxcore::Dom;
use rbxdocument::paths::Paths;

/// The loss of a reference if its target is not extracted.
pub(crate) const NO_TARGET: &str = "a reference to an instance that is not extracted; `--models` extracts such \
                                    instances";

/// The loss of a `Content` that is an instance: Rojo has attributes for references only.
pub(crate) const OBJECT: &str =
    "a Content value that refers to an instance; Rojo can represent it only if both are in one model file";

/// The loss of a reference in an array or a table: Rojo has attributes for properties only.
pub(crate) const NESTED: &str = "a reference in an array or a table of attributes; Rojo can represent it only if both \
                                 instances are in one model file";

/// Collects losses for content that is in no file: one for each text, with the path of the first case.
pub(crate) struct Lost<'a> {
    paths: Paths<'a>,
    losses: Vec<Loss>,
    index: HashMap<String, usize>,
}

impl<'a> Lost<'a> {
    pub(crate) fn new(document: &'a dyn Dom) -> Self {
        Self { paths: Paths::new(document), losses: Vec::new(), index: HashMap::new() }
    }

    pub(crate) fn path(&mut self, id: InstanceId, budget: &mut Budget) -> Result<String> {
        self.paths.of(id, budget)
    }

    pub(crate) fn extend(&mut self, losses: Vec<Loss>) {
        self.losses.extend(losses);
    }

    pub(crate) fn into_losses(self) -> Vec<Loss> {
        self.losses
    }

    /// Adds a loss at an instance, or at a property of it.
    pub(crate) fn add(
        &mut self,
        id: InstanceId,
        property: &str,
        loss: Loss,
        budget: &mut Budget,
    ) -> Result<()> {
        if let Some(&index) = self.index.get(&*loss.what) {
            self.losses[index].count += loss.count;
            return Ok(());
        }
        let dot = if property.is_empty() { "" } else { "." };
        let path = format!("{}{dot}{property}", self.paths.of(id, budget)?);
        self.index.insert(loss.what.clone().into_owned(), self.losses.len());
        self.losses.push(loss.below(|_| path));
        Ok(())
    }
}
