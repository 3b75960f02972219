//! What is lost when a document is read: malformed values, equal keys.

use crate::check::{DUPLICATE_KEYS, MALFORMED, check, values};
use crate::distinct::Seen;
use crate::document::Document;
use crate::model::{Event, Steps};
use crate::options::ReadOptions;
use geom::wire::{Finding, Findings, Result, after, report};

impl ReadOptions {
    /// Every rule of LLSD that a document breaks: those of its value, as [`check`](fn@check) finds them, and what is lost when it
    /// is read: equal keys, and what is malformed though a tolerant reader reads it. The path of something malformed is
    /// that of the value that comes of it, or before which it is skipped.
    ///
    /// # Errors
    /// As [`ReadOptions::read`].
    pub fn check(&self, bytes: &[u8]) -> Result<Vec<Finding>> {
        let mut findings = Findings::default();
        let options = Self { strict: false, noting: true, ..self.clone() };
        let mut reader = options.events(bytes)?;
        let (mut seen, mut steps) = (Seen::default(), Steps::default());
        while let Some(event) = reader.next_event()? {
            let new = seen.take(&event, reader.budget()).map_err(|kind| reader.error_here(kind))?;
            if let Event::Key(key) = &event {
                steps.key(key.clone());
                report!(findings, !new, DUPLICATE_KEYS, steps.path(), "duplicate {key:?}");
            }
            for (what, count) in reader.notes() {
                let found = || if count > 1 { format!("{what}, {count} times") } else { what.to_string() };
                findings.add(MALFORMED, || (steps.path(), found()));
            }
            if !matches!(event, Event::Key(_)) {
                steps.follow(event);
            }
        }
        if !after(bytes, reader.used()).trim_ascii().is_empty() {
            findings.add(MALFORMED, || (String::new(), "input after the value".into()));
        }
        values(&self.read(bytes)?, &mut findings);
        Ok(findings.into_vec())
    }
}

impl Document {
    /// Every rule of LLSD that the file breaks which [`Document::to_vec`] gives, as [`ReadOptions::check`]; of a value that
    /// cannot be written in its encoding, as [`check`](fn@check).
    pub fn check(&self) -> Vec<Finding> {
        let checked = self.to_vec().and_then(|bytes| self.options().check(&bytes));
        checked.unwrap_or_else(|_| check(&self.value))
    }
}
