//! Limits of memory and work for a file and everything computed from it.

use std::ops::{Deref, DerefMut};

use geom::wire::{Counted, Loss};

use crate::error::{Error, ErrorKind, Result};

/// The remaining bytes of memory and steps of work. Whatever grows with the input is taken from the budget before it is
/// allocated or done. It is the budget of the format crates, with the errors of the kit.
#[derive(Clone, Debug)]
pub struct Budget(geom::wire::Budget);

impl Deref for Budget {
    type Target = geom::wire::Budget;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Budget {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Budget {
    /// More work than most files need: some seconds of processor time.
    pub const STEPS: u64 = geom::wire::Budget::STEPS;

    /// A budget of `max_bytes` and of [`STEPS`](geom::wire::Budget::STEPS).
    pub fn new(max_bytes: u64) -> Self {
        Self(geom::wire::Budget::new(max_bytes))
    }

    /// Takes bytes of memory for `what`.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit), which names `what`, if fewer bytes are left.
    pub fn take(&mut self, bytes: u64, what: &str) -> Result<()> {
        self.0.take(bytes).map_err(|_| self.lacks(Counted(bytes, "bytes"), what))
    }

    /// The number of bytes left.
    pub fn left(&self) -> u64 {
        self.0.left()
    }

    /// Returns bytes that were taken and are no longer allocated.
    pub fn give_back(&mut self, bytes: u64) {
        self.0.give_back(bytes);
    }

    fn lacks(&self, needed: impl std::fmt::Display, what: &str) -> Error {
        let left = Counted(self.left(), "bytes");
        let text = format!(
            "not enough memory is left for {what} (needed: {needed}, available within max_bytes: {left})"
        );
        Error::new(ErrorKind::Limit, text)
    }

    /// Takes the memory of a number of values of a type.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub fn take_values<T>(&mut self, count: usize, what: &str) -> Result<()> {
        self.take((count as u64).saturating_mul(size_of::<T>() as u64), what)
    }

    /// Adds a loss to a list, and takes its memory.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub fn lose(&mut self, losses: &mut Vec<Loss>, loss: Loss) -> Result<()> {
        self.0.lose(losses, loss).map_err(Error::from)
    }

    /// Takes steps of work for `what`.
    ///
    /// # Errors
    /// [`Effort`](ErrorKind::Effort), which names `what`, if fewer steps are left.
    pub fn work(&mut self, steps: u64, what: &str) -> Result<()> {
        self.work_or(steps, || format!("processing {what} would take too long (split or simplify the file)"))
    }

    /// As [`work`](Self::work), with the whole sentence of the error, for work that depends on something other than the
    /// size of the file.
    ///
    /// # Errors
    /// [`Effort`](ErrorKind::Effort) with this sentence, if fewer steps are left.
    pub fn work_or(&mut self, steps: u64, sentence: impl FnOnce() -> String) -> Result<()> {
        self.0.work(steps, "").map_err(|_| Error::new(ErrorKind::Effort, sentence()))
    }

    /// A value as JSON, followed by a line break. Takes the bytes of the text.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit), which names `what`, if the text exceeds the remaining bytes.
    #[cfg(feature = "serde")]
    pub fn json(&mut self, value: &impl serde::Serialize, what: &str) -> Result<Vec<u8>> {
        let left = self.left();
        let mut text = self.0.charged();
        if let Err(error) = serde_json::to_writer_pretty(geom::plain::JsonOut(&mut text), value) {
            let is_limit = text.refused.is_some();
            // What was written is dropped.
            self.0.give_back(left - self.left());
            // The text is too long; its full length is unknown.
            return Err(match is_limit {
                true => self.lacks(format_args!("more than {}", Counted(left, "bytes")), what),
                false => Error::unwritable(error),
            });
        }
        text.bytes.push(b'\n');
        let bytes = text.bytes;
        self.take(1, what)?;
        Ok(bytes)
    }
}
