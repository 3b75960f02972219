//! The files that a command reads.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::cli::Error;
use crate::report;

/// How files are read.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Reading {
    /// How many bytes reading one file may allocate
    #[arg(long, global = true, value_name = "BYTES", default_value_t = 1 << 30)]
    pub(crate) max_bytes: u64,
}

/// The bytes of an asset, and the name by which reports call it.
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

impl Reading {
    pub(crate) fn options(&self) -> rezkit::ReadOptions {
        rezkit::ReadOptions::new().max_bytes(self.max_bytes)
    }

    /// All sources at these paths, one after the other.
    pub(crate) fn sources<'a>(
        &'a self,
        paths: &'a [PathBuf],
    ) -> impl Iterator<Item = Result<Source, (String, Error)>> + 'a {
        paths.iter().map(|path| {
            let name = report::path(path);
            match self.bytes(path) {
                Ok(bytes) => Ok(Source { name, bytes }),
                Err(error) => Err((name, error)),
            }
        })
    }

    /// All bytes of a file, or of the standard input. A file that is larger than what may be allocated is
    /// not read to its end.
    pub(crate) fn bytes(&self, path: &Path) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let limit = self.max_bytes.saturating_add(1);
        match path.to_str() {
            Some("-") => io::stdin().lock().take(limit).read_to_end(&mut bytes)?,
            _ => fs::File::open(path)?.take(limit).read_to_end(&mut bytes)?,
        };
        match bytes.len() as u64 > self.max_bytes {
            true => Err(format!("more than {} bytes (--max-bytes raises the limit)", self.max_bytes).into()),
            false => Ok(bytes),
        }
    }
}
