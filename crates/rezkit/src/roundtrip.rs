//! Whether a file survives being read and written.

use std::collections::HashMap;
use std::fmt;

use crate::formats::{self, Format};
use crate::options::{ReadOptions, WriteOptions};
use rezkit_core::{Error, ErrorKind, File, Reference, Result};

/// How well a file came back, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// It is of no known format.
    Unknown,
    /// It could not be read or written, or came back as another model.
    Failed,
    /// Other bytes, an equal model.
    Model,
    /// The same bytes; in compressed containers the same framing and the same bytes after
    /// decompression.
    Exact,
}

impl Grade {
    /// Every grade, worst first.
    pub const ALL: [Self; 4] = [Self::Unknown, Self::Failed, Self::Model, Self::Exact];

    /// The name in reports and manifests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Failed => "failed",
            Self::Model => "model",
            Self::Exact => "exact",
        }
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl std::str::FromStr for Grade {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|grade| grade.as_str() == text);
        known.ok_or_else(|| Error::argument(format!("{text:?} is not a grade")))
    }
}

/// What became of a file.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// Its format, where it is of any.
    pub format: Option<&'static Format>,
    /// Its version or form.
    pub version: Option<String>,
    /// How well it came back.
    pub grade: Grade,
    /// Why it failed.
    pub error: Option<Error>,
}

/// Reads a file, writes it as it was read, reads that again, and compares: first the bytes, then, where
/// they differ, the two models, by value and bits, so that NaN equals itself and -0 differs from 0.
pub fn roundtrip(bytes: &[u8]) -> Report {
    roundtrip_with(bytes, &ReadOptions::new())
}

/// As [`roundtrip`], with the limits of these options.
pub fn roundtrip_with(bytes: &[u8], options: &ReadOptions) -> Report {
    let Some(found) = formats::detect(bytes).filter(|found| found.format.is_exact()) else {
        return Report { format: None, version: None, grade: Grade::Unknown, error: None };
    };
    let (grade, error) = match trip(found.format, bytes, options) {
        Ok(grade) => (grade, None),
        Err(error) => (Grade::Failed, Some(error)),
    };
    Report { format: Some(found.format), version: Some(found.version), grade, error }
}

fn trip(format: &'static Format, bytes: &[u8], options: &ReadOptions) -> Result<Grade> {
    let read = |bytes: &[u8]| (format.read)(bytes, options, "", &mut ());
    let asset = read(bytes)?;
    let written = asset.write(&WriteOptions::new())?;
    if (format.same_bytes)(bytes, &written) {
        return Ok(Grade::Exact);
    }
    let again = read(&written)
        .map_err(|error| Error::unwritable(format!("what was written cannot be read: {error}")))?;
    match asset.equals(&*again) {
        true => Ok(Grade::Model),
        false => Err(Error::unwritable("what was written reads as another model")),
    }
}

/// Whether what was written is read again, with the files beside it, under the limit of what it was made of: what cannot be is
/// not given away.
pub(crate) fn reads_again(bytes: &[u8], name: &str, beside: &[File], max_bytes: u64) -> Result<()> {
    if !name.ends_with(".json") && formats::detect_named(bytes, name).is_none() {
        return Ok(());
    }
    let others: HashMap<&str, &File> = beside.iter().map(|file| (file.path(), file)).collect();
    let mut given = |reference: &Reference| match reference {
        Reference::Beside(name) => Ok(others.get(name.as_str()).map(|file| file.bytes.clone())),
        _ => Ok(None),
    };
    let Err(error) = ReadOptions::new().max_bytes(max_bytes).read_named(bytes, name, &mut given) else {
        return Ok(());
    };
    let kind = match error.kind() {
        kind @ (ErrorKind::Limit | ErrorKind::Effort) => kind,
        _ => ErrorKind::Unwritable,
    };
    Err(Error::new(kind, format!("what was written cannot be read: {error}")))
}
