//! gzip, ZIP and tar, within a budget.

use std::io::{self, Cursor, Read, Write as _};

use bstr::ByteSlice as _;
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use rezkit_core::{Budget, Error, Result};
use zip::ZipArchive;
use zip::result::ZipError;

use crate::tar::{Entries, Entry, EntryKind};

/// A function that is called with the name and the bytes of each file of an archive, or the reason why it cannot be
/// read.
pub(crate) type Take<'a> = dyn FnMut(String, Result<Vec<u8>>, &mut Budget) -> Result<()> + 'a;

pub(crate) fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).map_err(Error::unwritable)
}

/// The content, and the error after which the rest of it is missing.
///
/// # Errors
/// If the content is larger than the budget.
pub(crate) fn gunzip(bytes: &[u8], what: &str, budget: &mut Budget) -> Result<(Vec<u8>, Option<Error>)> {
    inflated(Members(GzDecoder::new(bytes)), what, budget)
}

/// The members of a gzip file. Zeros after the last one are padding, as for other programs.
struct Members<'b>(GzDecoder<&'b [u8]>);

impl Read for Members<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.0.read(to)?;
            let rest: &[u8] = self.0.get_ref();
            if count > 0 || to.is_empty() || rest.iter().all(|byte| *byte == 0) {
                return Ok(count);
            }
            self.0 = GzDecoder::new(rest);
        }
    }
}

/// The most memory that the library needs for the central directory. A header of an entry is followed by the
/// name, the extra fields and the comment; an extra field of four bytes takes 48 bytes in memory.
fn directory(bytes: &[u8]) -> u64 {
    let length = |at: usize| {
        let field = |field: usize| bytes.get(at + field..at + field + 2);
        let field = |at| field(at).map_or(0, |field| u64::from(u16::from_le_bytes([field[0], field[1]])));
        800 + 3 * field(28) + 24 * field(30) + 3 * field(32)
    };
    bytes.find_iter(b"PK\x01\x02").map(length).sum()
}

fn broken(error: ZipError) -> Error {
    match error {
        ZipError::InvalidArchive(why) => {
            Error::unreadable(format!("the ZIP archive is damaged or incomplete ({why})"))
        }
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
            Error::unreadable("the entry of the ZIP archive is encrypted; unpack the archive first")
        }
        error => Error::unreadable(format!("cannot read the ZIP archive: {error}")),
    }
}

/// `folder` begins the name of each file.
pub(crate) fn unzip(bytes: &[u8], folder: &str, budget: &mut Budget, take: &mut Take<'_>) -> Result<()> {
    let held = directory(bytes);
    budget.take(held, "the directory of the ZIP archive")?;
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    if archive.has_duplicate_names() {
        let text = "several entries of the ZIP archive have the same name; rezkit reads only the last of them (rename \
             the others)";
        take(folder.trim_end_matches('/').to_owned(), Err(Error::unreadable(text)), budget)?;
    }
    let mut left = bytes.len() as u64;
    for index in 0..archive.len() {
        let name = archive.name_for_index(index).unwrap_or(Err(ZipError::FileNotFound));
        let (name, file) = match name.map(|name| format!("{folder}{name}")) {
            Ok(name) => (name, archive.by_index(index).map_err(broken)),
            Err(error) => (folder.to_owned(), Err(broken(error))),
        };
        if file.as_ref().is_ok_and(|file| file.is_dir() && file.size() == 0) {
            continue;
        }
        let content = file.and_then(|file| {
            if file.is_dir() {
                return Err(Error::unreadable(
                    "the name of the entry ends with `/`, like the name of a folder, but the entry has content (rename the entry)",
                ));
            }
            // Entries that share their bytes could take any time.
            let rest = left.checked_sub(file.compressed_size());
            left =
                rest.ok_or_else(|| Error::unreadable("the ZIP archive is damaged: its entries overlap"))?;
            inflate(file, &name, budget)
        });
        take(name, content, budget)?;
    }
    budget.give_back(held);
    Ok(())
}

/// As [`unzip`]: links are entries that cannot be read. What is before damage is read.
pub(crate) fn untar(bytes: &[u8], folder: &str, budget: &mut Budget, take: &mut Take<'_>) -> Result<()> {
    for entry in Entries::new(bytes) {
        budget.work(1000, "the tar archive")?;
        let Entry { name, kind, content } = match entry {
            Ok(entry) => entry,
            Err(why) => {
                let error = Error::unreadable(format!(
                    "the tar archive is damaged or incomplete ({why}); only what is before the damage is read"
                ));
                take(folder.trim_end_matches('/').to_owned(), Err(error), budget)?;
                continue;
            }
        };
        // A name can be an entry of its own.
        budget.work(name.len() as u64, "the tar archive")?;
        let name = format!("{folder}{}", String::from_utf8_lossy(&name));
        let content = match (kind, content) {
            (EntryKind::Folder, Some(_)) => continue,
            (EntryKind::Other, _) => Err(Error::unreadable(
                "the entry of the tar archive is a link or a device, which is not followed",
            )),
            (_, None) => Err(Error::unreadable(
                "the tar archive ends within this entry; only what is before it is read",
            )),
            (EntryKind::File, Some(content)) => inflate(content, &name, budget),
        };
        take(name, content, budget)?;
    }
    Ok(())
}

/// Reads a decoder to its end, within the budget.
fn inflate(decoder: impl Read, what: &str, budget: &mut Budget) -> Result<Vec<u8>> {
    match inflated(decoder, what, budget)? {
        (bytes, None) => Ok(bytes),
        (bytes, Some(error)) => {
            budget.give_back(held(&bytes));
            Err(error)
        }
    }
}

/// What some content takes of the budget.
fn held(bytes: &[u8]) -> u64 {
    bytes.len() as u64 + 100
}

/// Reads a decoder to its end or to an error, within the budget.
fn inflated(mut decoder: impl Read, what: &str, budget: &mut Budget) -> Result<(Vec<u8>, Option<Error>)> {
    let mut bytes = Vec::new();
    let failed = loop {
        // The buffer doubles, but only up to the limit and one byte, which shows that there is more.
        let room = bytes.len().max(1 << 16) as u64;
        let room = room.min((budget.left() - bytes.len() as u64).saturating_add(1));
        bytes.reserve_exact(usize::try_from(room).unwrap_or(usize::MAX));
        let before = bytes.len();
        let read = (&mut decoder).take(room).read_to_end(&mut bytes);
        let failed = read.err().map(|error| Error::unreadable(format!("cannot decompress {what}: {error}")));
        let is_end = failed.is_some() || ((bytes.len() - before) as u64) < room;
        if bytes.len() as u64 > budget.left() || is_end {
            break failed;
        }
    };
    // The content can be far smaller than the reserved space.
    bytes.shrink_to_fit();
    budget.take(held(&bytes), what)?;
    Ok((bytes, failed))
}
