//! The assets in a file: the file itself, compressed or archived ones, and concatenated
//! ones.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::archives;
use crate::formats;
use crate::options::ReadOptions;
use crate::tar;
use rezkit_core::plain::shorten;
use rezkit_core::{Budget, Error, ErrorKind, Result, normal_path};
use rezkit_scene::opensim::{Contents, contents};

/// The maximum depth of nested archives that are opened.
const DEPTH: u32 = 3;

/// The longest path of an entry, in bytes: the longest that systems accept.
const PATH: usize = 4096;

const GZIP: &[u8] = b"\x1f\x8b";
const ZIP: &[u8] = b"PK\x03\x04";

/// An asset's bytes, and its name within the file: empty if it is the whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unwrapped {
    /// The path within an archive, or `#2` for the second asset of a stream.
    pub name: String,
    /// The bytes.
    pub bytes: Arc<Vec<u8>>,
    /// The source of the bytes.
    pub wrapped: Wrapped,
    /// The reason why an entry of an archive cannot be read, which has no bytes then.
    pub failed: Option<String>,
    archive: Arc<Archive>,
}

/// What the parts of one file share.
#[derive(Debug, Default, PartialEq, Eq)]
struct Archive {
    /// The files of an archive, also of archives in it, by their normalised paths.
    files: HashMap<String, Arc<Vec<u8>>>,
    /// The memory of all parts and files.
    held: u64,
}

impl Unwrapped {
    /// A whole file, which is not unpacked.
    pub fn whole(bytes: Vec<u8>) -> Self {
        Self::new(String::new(), bytes.into(), Wrapped::Gzip(0))
    }

    fn new(name: String, bytes: Arc<Vec<u8>>, wrapped: Wrapped) -> Self {
        Self { name, bytes, wrapped, failed: None, archive: Arc::default() }
    }

    /// # Errors
    /// If this is an entry of an archive that cannot be read, with its path.
    pub fn readable(&self) -> Result<()> {
        let failed = |reason| Err(Error::unreadable(reason).at(self.name.as_str()));
        self.failed.as_ref().map_or(Ok(()), failed)
    }

    /// Whether the asset is in an archive, whose files are those [beside](Self::beside) it.
    pub fn is_in_archive(&self) -> bool {
        !self.archive.files.is_empty()
    }

    /// Whether its archive is one of OpenSim (OAR or IAR).
    pub fn is_in_opensim(&self) -> bool {
        self.archive.files.contains_key(OPENSIM_ARCHIVE)
    }

    /// The files of its archive, with their paths, in the order of these.
    pub fn files(&self) -> Vec<(&str, &[u8])> {
        let files = self.archive.files.iter();
        let mut files: Vec<_> = files.map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
        files.sort_unstable();
        files
    }

    /// What is in its archive as a whole, if the archive is one of OpenSim.
    ///
    /// # Errors
    /// [`Limit`](rezkit_core::ErrorKind::Limit) if the objects need more memory than the budget has.
    pub fn opensim(&self, budget: &mut Budget) -> Result<Option<Contents>> {
        contents(&self.files(), budget)
    }

    /// All objects of OpenSim among the parts of an archive as one, a region with its ground; `None` if there is neither an
    /// object nor a ground, or if the archive is another one with a single object. The region refers to the files that are
    /// [beside](Self::beside) it. The other parts of an archive of OpenSim are assets, which its objects can use.
    pub fn region(parts: &[Self]) -> Option<Self> {
        let objects: Vec<&Self> =
            parts.iter().filter(|part| rezkit_scene::opensim::detect(&part.bytes)).collect();
        let first = objects.first().copied().or(parts.first())?;
        // An archive of several regions has a folder for each.
        let region_of = |part: &&Self| {
            let mut steps = part.name.split('/').skip_while(|step| *step != "regions").skip(1);
            steps.next().map(str::to_owned)
        };
        let regions: BTreeSet<String> = objects.iter().copied().filter_map(|part| region_of(&part)).collect();
        let from_first = |path: &str| "../".repeat(first.name.matches('/').count()) + path;
        let files: Vec<String> = objects.iter().map(|part| from_first(&part.name)).collect();
        let is_ground = |path: &&String| {
            let (folder, file) = path.rsplit_once('/').unwrap_or_default();
            folder.rsplit('/').next() == Some("terrains") && file.ends_with(".r32")
        };
        let mut grounds: Vec<String> =
            first.archive.files.keys().filter(is_ground).map(|path| from_first(path)).collect();
        grounds.sort_unstable();
        let is_one = first.is_in_opensim() && objects.len() + grounds.len() > 0;
        if objects.len() < 2 && !is_one {
            return None;
        }
        let bytes = rezkit_scene::opensim::region(regions.len(), &files, &grounds);
        Some(Self { bytes: bytes.into(), failed: None, ..first.clone() })
    }

    /// A file of its archive, by a path relative to the asset.
    pub fn beside(&self, path: &str) -> Option<&[u8]> {
        let folder = self.name.rsplit_once('/').map_or("", |(folder, _)| folder);
        self.archive.files.get(&normal_path(&format!("{folder}/{path}"))?).map(|bytes| bytes.as_slice())
    }

    /// The memory of the other assets and files of its archive, which counts against the limit while the asset is in
    /// use.
    pub fn memory_of_others(&self) -> u64 {
        self.archive.held.saturating_sub(self.bytes.len() as u64)
    }
}

/// The file that all archives of OpenSim have.
pub const OPENSIM_ARCHIVE: &str = "archive.xml";

/// The containers of an asset within its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wrapped {
    /// Compressed with gzip this many times; 0 for the file itself.
    Gzip(u32),
    /// In an archive, or in a stream with others.
    Among,
}

impl Wrapped {
    /// The bytes of an asset, compressed as the asset was in its file, to replace the file.
    ///
    /// # Errors
    /// [`Argument`](rezkit_core::ErrorKind::Argument) if the asset is in an archive or in a stream with others.
    // No budget: the result is no larger than the bytes and a header.
    pub fn wrap(self, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        let Self::Gzip(times) = self else {
            return Err(Error::argument(
                "an asset in an archive or in a file with other assets cannot be edited in place; \
                 write the result to another file (--output)",
            ));
        };
        for _ in 0..times {
            bytes = archives::gzip(&bytes)?;
        }
        Ok(bytes)
    }
}

/// The assets in a file: gzip, ZIP and tar are opened, and assets that follow one another are separated. A
/// file that is not an asset is returned unchanged; from an archive, only the assets are returned, and the entries that
/// cannot be read. [`Unwrapped::beside`] returns the other files.
///
/// # Errors
/// If the file is a broken archive, or is larger than the options allow when it is decompressed.
pub fn unwrap(bytes: Vec<u8>, options: &ReadOptions) -> Result<Vec<Unwrapped>> {
    let (mut found, mut budget) = (Found::default(), Budget::new(options.max_bytes));
    open(Unwrapped::whole(bytes), DEPTH, &mut budget, &mut found)?;
    let Found { mut parts, files } = found;
    if parts.is_empty() && files.contains_key(OPENSIM_ARCHIVE) {
        // Its other files can be extracted.
        let failed = Some("the archive has no object, mesh or animation".to_owned());
        parts.push(Unwrapped {
            failed,
            ..Unwrapped::new(OPENSIM_ARCHIVE.into(), Arc::default(), Wrapped::Among)
        });
    }
    if parts.iter().any(|part| part.wrapped == Wrapped::Among) {
        let archive = Arc::new(Archive { files, held: options.max_bytes - budget.left() });
        parts.iter_mut().for_each(|part| part.archive = Arc::clone(&archive));
    }
    Ok(parts)
}

/// What is found in a file.
#[derive(Default)]
struct Found {
    parts: Vec<Unwrapped>,
    files: HashMap<String, Arc<Vec<u8>>>,
}

fn open(part: Unwrapped, depth: u32, budget: &mut Budget, found: &mut Found) -> Result<()> {
    let Unwrapped { name, bytes, wrapped, .. } = part;
    let packed = depth > 0 && formats::detect(&bytes).is_none();
    let (is_gzip, is_zip) = (packed && bytes.starts_with(GZIP), packed && bytes.starts_with(ZIP));
    let is_tar = packed && tar::is_tar(&bytes);
    if !is_gzip && !is_zip && !is_tar {
        return split(Unwrapped::new(name, bytes, wrapped), budget, found);
    }
    // The bytes of an entry are counted already.
    let held = if depth == DEPTH { bytes.len() as u64 } else { 0 };
    budget.take(held, "the compressed file")?;
    if is_zip || is_tar {
        entries(&name, &bytes, depth, budget, found)?;
        budget.give_back(held);
        return Ok(());
    }
    let what = if name.is_empty() { "the content of the gzip file" } else { &name };
    let (inner, error) = archives::gunzip(&bytes, what, budget)?;
    drop(bytes);
    budget.give_back(held);
    // What an archive has before damage is read.
    match error {
        Some(error) if tar::is_tar(&inner) => {
            let failed = Some(error.to_string());
            found
                .parts
                .push(Unwrapped { failed, ..Unwrapped::new(name.clone(), Arc::default(), Wrapped::Among) });
        }
        Some(error) => return Err(error),
        None => {}
    }
    let wrapped = match wrapped {
        Wrapped::Gzip(times) => Wrapped::Gzip(times + 1),
        Wrapped::Among => Wrapped::Among,
    };
    open(Unwrapped::new(name, inner.into(), wrapped), depth - 1, budget, found)
}

fn entries(name: &str, bytes: &[u8], depth: u32, budget: &mut Budget, found: &mut Found) -> Result<()> {
    let folder = if name.is_empty() { String::new() } else { format!("{name}/") };
    let unpack = if tar::is_tar(bytes) { archives::untar } else { archives::unzip };
    unpack(bytes, &folder, budget, &mut |name, content, budget| {
        let (name, content) = match name.len() {
            0..=PATH => (name, content),
            length => {
                let what = format!("the path of the entry has {length} bytes, at most {PATH} allowed");
                (shorten(&name, 200), Err(Error::unreadable(what)))
            }
        };
        take_name(&name, budget)?;
        let before = found.parts.len();
        let opened = content.and_then(|content| {
            let content = Arc::new(content);
            found.files.extend(normal_path(&name).map(|path| (path, Arc::clone(&content))));
            open(Unwrapped::new(name.clone(), content, Wrapped::Among), depth - 1, budget, found)
        });
        // Other files in an archive are skipped, but not an archive nested too deeply, which may contain assets.
        let known = |part: &Unwrapped| {
            part.failed.is_some()
                || formats::detect_named(&part.bytes, &part.name).is_some()
                || [GZIP, ZIP].iter().any(|magic| part.bytes.starts_with(magic))
                || tar::is_tar(&part.bytes)
        };
        let new = found.parts.split_off(before);
        found.parts.extend(new.into_iter().filter(known));
        match opened {
            Err(error) if error.kind() == ErrorKind::Unreadable => {
                let failed = Some(error.to_string());
                found
                    .parts
                    .push(Unwrapped { failed, ..Unwrapped::new(name, Arc::default(), Wrapped::Among) });
                Ok(())
            }
            opened => opened,
        }
    })
}

/// Counts the name of a part: in the part, in the table of files, and in reports, which shorten and escape it.
fn take_name(name: &str, budget: &mut Budget) -> Result<()> {
    const REPORTED: usize = 12 * 600;
    budget.take((2 * name.len() + REPORTED.min(12 * name.len()) + 2 * size_of::<Unwrapped>()) as u64, name)
}

/// The assets that follow one another.
fn split(part: Unwrapped, budget: &mut Budget, found: &mut Found) -> Result<()> {
    let first = |bytes: &[u8]| {
        let length = (formats::detect(bytes)?.file_type.length)(bytes).filter(|&length| length > 0)?;
        let rest = bytes.get(length..)?;
        formats::detect(rest).is_some().then_some(length)
    };
    if first(&part.bytes).is_none() {
        found.parts.push(part);
        return Ok(());
    }
    let (mut rest, mut number) = (part.bytes.as_slice(), 1);
    while !rest.is_empty() {
        let (this, others) = rest.split_at(first(rest).unwrap_or(rest.len()));
        let name = format!("{}#{number}", part.name);
        take_name(&name, budget)?;
        budget.take(this.len() as u64, "the separate assets of one file")?;
        found.parts.push(Unwrapped::new(name, Arc::new(this.to_vec()), Wrapped::Among));
        (rest, number) = (others, number + 1);
    }
    Ok(())
}
