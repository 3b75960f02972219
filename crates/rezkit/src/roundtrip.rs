//! Checks whether a file round-trips unchanged.

use std::collections::HashMap;

use crate::exact::{self, Grade};
use crate::foreign;
use crate::formats;
use crate::options::ReadOptions;
use rezkit_core::{Error, ErrorKind, File, Reference, Result};

/// The result for a file.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// The name of the file's format, if a format crate knows it.
    pub format: Option<&'static str>,
    /// The version or form of the file.
    pub version: Option<String>,
    /// How exactly the file came back.
    pub grade: Grade,
    /// The error, if it failed.
    pub error: Option<Error>,
}

/// Reads a file, writes it as it was read, reads that again, and compares: first the bytes, then, if
/// they differ, the two models, by value and bits, so that NaN equals itself and -0 differs from 0.
pub fn roundtrip(bytes: &[u8]) -> Report {
    ReadOptions::new().roundtrip(bytes)
}

impl ReadOptions {
    /// As the function [`roundtrip`], with these limits.
    pub fn roundtrip(&self, bytes: &[u8]) -> Report {
        let Some((format, version, made)) = exact::roundtrip(bytes, self.max_bytes) else {
            let error = foreign::refused(bytes, self.max_bytes);
            let grade = if error.is_some() { Grade::Failed } else { Grade::Unknown };
            return Report { format: None, version: None, grade, error };
        };
        let (grade, error) = match made {
            Ok(grade) => (grade, None),
            Err(error) => (Grade::Failed, Some(error)),
        };
        Report { format: Some(format), version: Some(version), grade, error }
    }
}

/// Checks that the output can be read again, with the files beside it, by what `max_bytes` leaves; otherwise it is an
/// error.
pub(crate) fn reads_again(bytes: &[u8], name: &str, beside: &[File], max_bytes: u64) -> Result<()> {
    let files = bytes.len() + beside.iter().map(|file| file.bytes.len()).sum::<usize>();
    let mut options = ReadOptions::new().max_bytes(max_bytes.saturating_sub(files as u64));
    if name.ends_with(".json") {
        options = options.form("json");
    } else if formats::detect_named(bytes, name).is_none() {
        return Ok(());
    }
    let others: HashMap<&str, &File> = beside.iter().map(|file| (file.path(), file)).collect();
    let mut given = |reference: &Reference, _: u64| match reference {
        Reference::Beside(name) => Ok(others.get(name.as_str()).map(|file| file.bytes.clone())),
        _ => Ok(None),
    };
    let Err(error) = options.read_named(bytes, name, &mut given) else {
        return Ok(());
    };
    let kind = match error.kind() {
        kind @ (ErrorKind::Limit | ErrorKind::Effort) => kind,
        _ => ErrorKind::Unwritable,
    };
    Err(Error::new(kind, format!("the output cannot be read again: {error}")))
}
