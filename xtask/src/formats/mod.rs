//! The formats of the house: one entry each, which every task goes through.

mod llsd;
mod m3d;
mod rbxbinary;
mod rbxmesh;
mod rbxxml;
mod slmesh;

use std::fmt;
use std::time::{Duration, Instant};

pub(crate) use llsd::vectors as llsd_vectors;

/// What the tasks need to know of a format.
pub(crate) struct Format {
    /// The crate's folder, and the name in reports.
    pub(crate) name: &'static str,
    /// The version of a file of this format, from its first bytes; `None` where it is none.
    pub(crate) detect: fn(&[u8]) -> Option<String>,
    /// Reads, writes and reads again.
    pub(crate) trip: fn(&[u8]) -> Trip,
}

/// Every format, in the order in which a file is offered to them: the ones with a magic first, LLSD
/// last, since an asset of Second Life is LLSD too, and nearly any text is notation.
pub(crate) const FORMATS: &[Format] =
    &[rbxmesh::FORMAT, rbxbinary::FORMAT, rbxxml::FORMAT, m3d::FORMAT, slmesh::FORMAT, llsd::FORMAT];

/// How well a file came back, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Grade {
    /// It could not be read or written, or came back as another model.
    Failed,
    /// Other bytes, the same model.
    Model,
    /// The same bytes; in compressed containers, after decompression.
    Exact,
}

impl Grade {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
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

/// What became of a file.
pub(crate) struct Trip {
    pub(crate) grade: Grade,
    /// Reading once and writing once.
    pub(crate) time: Duration,
    /// Why it failed.
    pub(crate) error: Option<String>,
}

impl Trip {
    /// Reads, writes, and compares: first the bytes with `same`, which is plain equality but for
    /// compressed containers, then the models. Models are equal where they write the same bytes too:
    /// a number that is none equals nothing, not even itself.
    pub(crate) fn take<M: PartialEq>(
        bytes: &[u8],
        read: impl Fn(&[u8]) -> Result<M, String>,
        write: impl Fn(&M) -> Result<Vec<u8>, String>,
        same: impl Fn(&[u8], &[u8]) -> bool,
    ) -> Self {
        let start = Instant::now();
        let there = read(bytes).and_then(|model| write(&model).map(|written| (model, written)));
        let time = start.elapsed();
        let graded = there.and_then(|(model, written)| {
            if same(bytes, &written) {
                return Ok(Grade::Exact);
            }
            let again = read(&written).map_err(|error| format!("what was written does not read: {error}"))?;
            match again == model || write(&again)? == written {
                true => Ok(Grade::Model),
                false => Err("what was written reads as another model".into()),
            }
        });
        match graded {
            Ok(grade) => Self { grade, time, error: None },
            Err(error) => Self { grade: Grade::Failed, time, error: Some(error) },
        }
    }
}
