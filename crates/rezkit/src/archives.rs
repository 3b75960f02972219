//! gzip and ZIP. Without the feature `archives` they are recognised and refused.

use rezkit_core::{Budget, Result};

/// A function that is called with the name and the bytes of each file of an archive.
pub(crate) type Take<'a> = dyn FnMut(String, Vec<u8>, &mut Budget) -> Result<()> + 'a;

#[cfg(feature = "archives")]
mod with {
    use std::io::{Cursor, Read, Write as _};

    use flate2::Compression;
    use flate2::read::MultiGzDecoder;
    use flate2::write::GzEncoder;
    use rezkit_core::{Budget, Error, Result};
    use zip::ZipArchive;
    use zip::result::ZipError;

    pub(crate) fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).and_then(|()| encoder.finish()).map_err(Error::unwritable)
    }

    pub(crate) fn gunzip(bytes: &[u8], what: &str, budget: &mut Budget) -> Result<Vec<u8>> {
        inflate(MultiGzDecoder::new(bytes), what, budget)
    }

    /// `folder` begins the name of each file.
    pub(crate) fn unzip(
        bytes: &[u8],
        folder: &str,
        budget: &mut Budget,
        take: &mut super::Take<'_>,
    ) -> Result<()> {
        let broken = |error: ZipError| match error {
            ZipError::InvalidArchive(why) => {
                Error::unreadable(format!("the ZIP archive is damaged or incomplete ({why})"))
            }
            error => Error::unreadable(format!("cannot read the ZIP archive: {error}")),
        };
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
        for index in 0..archive.len() {
            let file = archive.by_index(index).map_err(broken)?;
            if file.is_dir() {
                continue;
            }
            let name = format!("{folder}{}", file.name().map_err(broken)?);
            let content = inflate(file, &name, budget)?;
            take(name, content, budget)?;
        }
        Ok(())
    }

    /// Reads a decoder to its end, within the budget.
    fn inflate(mut decoder: impl Read, what: &str, budget: &mut Budget) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        loop {
            // The buffer doubles, but only up to the limit and one byte, which shows that there is more.
            let room = bytes.len().max(1 << 16) as u64;
            let room = room.min((budget.left() - bytes.len() as u64).saturating_add(1));
            bytes.reserve_exact(usize::try_from(room).unwrap_or(usize::MAX));
            let before = bytes.len();
            (&mut decoder)
                .take(room)
                .read_to_end(&mut bytes)
                .map_err(|error| Error::unreadable(format!("cannot decompress {what}: {error}")))?;
            if bytes.len() as u64 > budget.left() || ((bytes.len() - before) as u64) < room {
                break;
            }
        }
        // The content can be far smaller than the reserved space.
        bytes.shrink_to_fit();
        budget.take((bytes.len() + what.len() + 100) as u64, what)?;
        Ok(bytes)
    }
}

#[cfg(not(feature = "archives"))]
mod without {
    use rezkit_core::{Budget, Error, Result};

    fn refused<T>(what: &str) -> Result<T> {
        Err(Error::unreadable(format!("{what} requires a build of rezkit with the crate feature `archives`")))
    }

    pub(crate) fn gzip(_: &[u8]) -> Result<Vec<u8>> {
        refused("writing a gzip file")
    }

    pub(crate) fn gunzip(_: &[u8], _: &str, _: &mut Budget) -> Result<Vec<u8>> {
        refused("reading a gzip file")
    }

    pub(crate) fn unzip(_: &[u8], _: &str, _: &mut Budget, _: &mut super::Take<'_>) -> Result<()> {
        refused("reading a ZIP archive")
    }
}

#[cfg(feature = "archives")]
pub(crate) use with::{gunzip, gzip, unzip};
#[cfg(not(feature = "archives"))]
pub(crate) use without::{gunzip, gzip, unzip};
