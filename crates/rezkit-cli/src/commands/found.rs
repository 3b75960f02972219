//! Edits of all instances that a selector means.

use std::path::{Path, PathBuf};

use rezkit::{Edit, EditOptions, Edited, Loss, Opened, Selector};
use rezkit_core::Counted;

use super::diff::Diff;
use crate::input::Reading;
use crate::outcome::{Error, Outcome, Usage};
use crate::output::To;
use crate::report::{self, about};

#[derive(clap::Args)]
pub(crate) struct Where {
    /// Change all instances that this selector means, in each file; `rezkit find --help` describes selectors
    #[arg(long = "where", value_name = "SELECTOR")]
    selector: Option<String>,
    /// With --where, list the changes, as `diff` does, instead of writing them
    #[arg(long, requires = "selector")]
    dry_run: bool,
}

impl Where {
    /// The selector, if one is given.
    pub(crate) fn selector(&self) -> Result<Option<Selector>, Error> {
        let parsed = self.selector.as_deref().map(str::parse).transpose();
        Ok(parsed.map_err(rezkit::Error::from)?)
    }

    /// Applies to each file the edits of the instances that are found, given the file and their paths: all of them, or none.
    pub(crate) fn run(
        &self,
        reading: &Reading,
        to: &To,
        files: &[PathBuf],
        selector: &Selector,
        edits: impl Fn(&Opened<'_>, Vec<String>) -> Result<Vec<Edit>, Error>,
    ) -> Result<Outcome, Error> {
        if to.output.is_some() && files.len() > 1 {
            return Err(Usage("--output names one file, but several are edited".into()).into());
        }
        let (mut outcome, mut any) = (Outcome::Success, false);
        for file in files {
            match self.one(reading, to, file, selector, &edits) {
                Ok(count) => any |= count > 0,
                Err(error) => {
                    report::failed(None, &error);
                    outcome = outcome.max(crate::outcome::outcome(&error));
                }
            }
        }
        Ok(if any { outcome } else { outcome.max(Outcome::Failure) })
    }

    /// Returns the number of instances that were found.
    fn one(
        &self,
        reading: &Reading,
        to: &To,
        file: &Path,
        selector: &Selector,
        edits: &impl Fn(&Opened<'_>, Vec<String>) -> Result<Vec<Edit>, Error>,
    ) -> Result<usize, Error> {
        let mut opened = to.read(reading, file)?;
        let paths = opened.query(selector).map_err(about(file))?;
        let count = paths.len();
        if count == 0 {
            selector.unknown().iter().for_each(|why| report::note("selector", why));
            report::note(&report::path(file), "no instance matches the selector");
            return Ok(0);
        }
        let edits = edits(&opened, paths).map_err(about(file))?;
        if edits.is_empty() {
            report::note(&report::path(file), "no text matches");
            return Ok(0);
        }
        let found = Counted::new(count.min(edits.len()), "instances");
        let mut edited =
            opened.edit(&edits, &mut (), &EditOptions::new().paths_before(true)).map_err(|error| {
                let path = error.path().to_owned();
                about(file)(
                    rezkit::Error::argument(format!(
                        "{} (nothing was changed; {found} match)",
                        error.reason()
                    ))
                    .at(path),
                )
            })?;
        if self.dry_run {
            let losses = to.accepted(losses(&mut edited), file)?;
            let old = to.read(reading, file)?;
            Diff::default().compare(&old, &opened, reading.max_bytes)?;
            report::lost(&report::path(file), &losses, reading.verbose);
        } else {
            let old = std::fs::read(file).ok();
            to.write(&opened, file, losses(&mut edited), reading)?;
            let is_same = old.is_some() && old == std::fs::read(to.output.as_deref().unwrap_or(file)).ok();
            let text = match Counted::new(edited.changed.min(count), "instances") {
                _ if is_same => format!("{found} match; the file is unchanged"),
                changed if edited.changed < count.min(edits.len()) => format!("{changed} changed of {found}"),
                changed => format!("{changed} changed"),
            };
            report::note(&report::path(file), &text);
        }
        Ok(count)
    }
}

/// The losses of edits, with the values that they filled in.
pub(super) fn losses(edited: &mut Edited) -> Vec<Loss> {
    let filled = edited.filled.iter();
    let filled = filled.map(|of| Loss::filled_with(&of.class, &of.property, &*of.value, of.count));
    filled.chain(std::mem::take(&mut edited.losses)).collect()
}
