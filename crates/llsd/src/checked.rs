//! Finds what reading a document loses: malformed values and duplicate keys.

use crate::check::{COLONS, DUPLICATE_KEYS, MALFORMED, SEPARATORS, SKIPPED, values};
use crate::distinct::Seen;
use crate::document::Document;
use crate::model::{Event, Steps};
use crate::options::ReadOptions;
use crate::wire::{Note, Odd};
use geom::wire::{ErrorKind, Finding, Findings, Result, after, report};

impl ReadOptions {
    /// Checks a document for the rules of its value, as [`check`](fn@crate::check), and for what reading loses: equal
    /// keys, and malformed input that a tolerant reader accepts. The path of malformed input is that of the resulting value,
    /// or of the value before which it is skipped.
    ///
    /// # Errors
    /// As [`ReadOptions::read`].
    pub fn check(&self, bytes: &[u8]) -> Result<Vec<Finding>> {
        let mut findings = self.lost(bytes)?;
        values(&self.read(bytes)?, &mut findings);
        Ok(findings.into_vec())
    }

    /// Finds what reading a document loses.
    fn lost(&self, bytes: &[u8]) -> Result<Findings> {
        let mut findings = Findings::default();
        let options = Self { strict: false, noting: true, ..self.clone() };
        let mut reader = options.events(bytes)?;
        let (mut seen, mut steps) = (Seen::default(), Steps::default());
        while let Some(event) = reader.next_event()? {
            let new = seen.take(&event, reader.budget()).map_err(|kind| reader.error_here(kind))?;
            if let Event::Key(key) = &event {
                steps.key(key.clone());
                report!(findings, !new, DUPLICATE_KEYS, steps.path(), "duplicate key {key:?}");
            }
            for Note { what, odd, count } in reader.notes() {
                let found = || if count > 1 { format!("{what} ({count} times)") } else { what.to_string() };
                let rule = match odd {
                    Odd::Read => MALFORMED,
                    Odd::Skipped => SKIPPED,
                    Odd::Comma => SEPARATORS,
                    Odd::Colon => COLONS,
                };
                findings.add(rule, || (steps.path(), found()));
            }
            if !matches!(event, Event::Key(_)) {
                steps.follow(event);
            }
        }
        if !after(bytes, reader.used()).trim_ascii().is_empty() {
            findings
                .add(SKIPPED, || (String::new(), "unexpected input after the end of the LLSD value".into()));
        }
        Ok(findings)
    }
}

impl Document {
    /// Checks the file that [`Document::to_vec`] returns, like [`ReadOptions::check`]. If writing needs more memory than
    /// the limit for reading, checks the file that was read; if the file cannot be written, checks only the value, like
    /// [`check`](fn@crate::check).
    pub fn check(&self) -> Vec<Finding> {
        // The file contains this value, so it need not be read again.
        let lost = |bytes: &[u8]| self.options().lost(bytes).unwrap_or_default();
        let mut findings = match self.to_vec() {
            Ok(bytes) => lost(&bytes),
            Err(error) if matches!(error.kind(), ErrorKind::Limit(_)) => lost(&self.original()),
            Err(_) => Findings::default(),
        };
        values(&self.value, &mut findings);
        findings.into_vec()
    }
}
