//! The inputs: folders, files, archives and Parquet files.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::{Error, guarded};

/// An asset, read or still in its file.
pub(crate) enum Asset {
    File {
        path: PathBuf,
        size: usize,
        max_bytes: u64,
    },
    Bytes {
        path: String,
        bytes: Vec<u8>,
    },
    /// A file that cannot be opened, and why.
    Unopened {
        path: String,
        why: String,
    },
}

impl Asset {
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::File { size, .. } => *size,
            Self::Bytes { bytes, .. } => bytes.len(),
            Self::Unopened { .. } => 0,
        }
    }

    pub(crate) fn path(&self) -> Cow<'_, str> {
        match self {
            Self::File { path, .. } => shown(path).into(),
            Self::Bytes { path, .. } | Self::Unopened { path, .. } => path.into(),
        }
    }

    /// The path and the bytes, at most `max_bytes` and one byte, which shows that the file is larger.
    pub(crate) fn read(&self) -> (Cow<'_, str>, Result<Cow<'_, [u8]>, Error>) {
        match self {
            Self::File { path, max_bytes, .. } => {
                let mut bytes = Vec::new();
                let read = File::open(path)
                    .and_then(|file| file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes));
                (shown(path).into(), read.map(|_| bytes.into()).map_err(Error::from))
            }
            Self::Bytes { path, bytes } => (path.into(), Ok(bytes.into())),
            Self::Unopened { path, why } => (path.into(), Err(why.clone().into())),
        }
    }

    /// The asset with its bytes in memory, so that they are read only once; unchanged if they cannot be read.
    pub(crate) fn loaded(self) -> Self {
        match self.read() {
            (path, Ok(bytes)) => Self::Bytes { path: path.into_owned(), bytes: bytes.into_owned() },
            (_, Err(_)) => self,
        }
    }

    pub(crate) fn hash(&self) -> Option<String> {
        match self {
            Self::File { .. } | Self::Unopened { .. } => None,
            Self::Bytes { bytes, .. } => Some(blake3::hash(bytes).to_hex().to_string()),
        }
    }
}

/// The options for reading inputs.
pub(crate) struct Input<'a> {
    pub(crate) max_bytes: u64,
    pub(crate) bytes_column: &'a str,
    pub(crate) path_column: &'a str,
    /// The output, which is skipped if it is in an input folder.
    pub(crate) output: &'a Path,
}

/// The longest path that is read.
const PATH: u64 = 4096;

type Take<'a> = dyn FnMut(Asset) -> Result<(), Error> + 'a;

/// A path with `/` on every system.
fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '\\' { text.replace('\\', "/") } else { text.into_owned() }
}

impl Input<'_> {
    /// Calls `take` with every asset at a path, in the order of names.
    pub(crate) fn each(&self, path: &Path, take: &mut Take<'_>) -> Result<(), Error> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if path.is_dir() {
            return self.folder(path, take);
        }
        let open = || File::open(path).map(BufReader::new);
        if name.ends_with(".tar") {
            self.tar(open()?, path, take)
        } else if [".tar.gz", ".tgz", ".oar", ".iar"].iter().any(|ending| name.ends_with(ending)) {
            self.tar(GzDecoder::new(open()?), path, take)
        } else if name.ends_with(".zip") {
            self.zip(path, take)
        } else if name.ends_with(".parquet") {
            self.parquet(path, take)
        } else {
            let size = fs::metadata(path)?.len();
            take(self.file(path.to_owned(), size))
        }
    }

    fn file(&self, path: PathBuf, size: u64) -> Asset {
        let size = usize::try_from(size.min(self.max_bytes)).unwrap_or(usize::MAX);
        Asset::File { path, size, max_bytes: self.max_bytes }
    }

    /// The files below a folder; links are not followed, and the output is skipped.
    fn folder(&self, folder: &Path, take: &mut Take<'_>) -> Result<(), Error> {
        let mut folders = vec![folder.to_owned()];
        let outputs = crate::output::files(self.output);
        let own = self.output.parent().filter(|folder| !folder.as_os_str().is_empty());
        let own = own.unwrap_or(Path::new(".")).canonicalize().ok();
        while let Some(folder) = folders.pop() {
            let read = fs::read_dir(&folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
            let mut entries = match read {
                Ok(entries) => entries,
                Err(error) => {
                    take(Asset::Unopened { path: shown(&folder), why: error.to_string() })?;
                    continue;
                }
            };
            entries.sort_by_key(fs::DirEntry::file_name);
            let mut below = Vec::new();
            for entry in entries {
                let (kind, name) = (entry.file_type()?, entry.file_name());
                let is_output = outputs.iter().any(|output| output.file_name() == Some(&*name));
                let is_output = is_output && folder.canonicalize().ok() == own;
                if kind.is_dir() {
                    below.push(entry.path());
                } else if kind.is_file() && !is_output {
                    take(self.file(entry.path(), entry.metadata()?.len()))?;
                }
            }
            folders.extend(below.into_iter().rev());
        }
        Ok(())
    }

    fn tar(&self, bytes: impl Read, path: &Path, take: &mut Take<'_>) -> Result<(), Error> {
        let mut archive = tar::Archive::new(bytes);
        let mut long = None;
        for entry in archive.entries()? {
            let entry = entry?;
            let kind = entry.header().entry_type();
            if kind.is_gnu_longname() {
                // OpenSim writes long names without the magic of GNU, which the library wants.
                let mut name = Vec::new();
                entry.take(PATH).read_to_end(&mut name)?;
                long = Some(String::from_utf8_lossy(&name).trim_end_matches('\0').to_owned());
            } else if kind.is_file() {
                let inner = long
                    .take()
                    .map_or_else(|| Ok(entry.path()?.to_string_lossy().into_owned()), Ok::<_, Error>)?;
                take(self.inner(path, &inner, entry)?)?;
            } else {
                long = None;
            }
        }
        Ok(())
    }

    fn zip(&self, path: &Path, take: &mut Take<'_>) -> Result<(), Error> {
        let mut archive = zip::ZipArchive::new(BufReader::new(File::open(path)?))?;
        for index in 0..archive.len() {
            let name = archive.name_for_index(index).transpose().ok().flatten();
            let name = name.map_or_else(|| format!("#{index}"), Cow::into_owned);
            let asset = match archive.by_index(index) {
                Ok(entry) if !entry.is_file() => continue,
                Ok(entry) => self.inner(path, &name, entry),
                Err(error) => Err(error.into()),
            };
            take(asset.unwrap_or_else(|error| {
                let path = format!("{}/{name}", shown(path));
                Asset::Unopened { path, why: error.to_string() }
            }))?;
        }
        Ok(())
    }

    /// An entry of an archive, of which at most `max_bytes` and one byte are read.
    fn inner(&self, path: &Path, inner: &str, entry: impl Read) -> Result<Asset, Error> {
        let mut bytes = Vec::new();
        entry.take(self.max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
        Ok(Asset::Bytes { path: format!("{}/{inner}", shown(path)), bytes })
    }

    fn parquet(&self, path: &Path, take: &mut Take<'_>) -> Result<(), Error> {
        let file = File::open(path)?;
        let builder = guarded(|| Ok(ParquetRecordBatchReaderBuilder::try_new(file)?))?;
        let schema = builder.schema().clone();
        let bytes = schema.index_of(self.bytes_column).map_err(|_| {
            let what = format!("the file has no column {:?}", self.bytes_column);
            format!("{what}; use --bytes-column to name the column with the bytes of the assets")
        })?;
        let paths = schema.index_of(self.path_column).ok();
        if paths.is_none() && self.path_column != "path" {
            let what = format!("the file has no column {:?}", self.path_column);
            return Err(
                format!("{what}; use --path-column to name the column with the paths of the assets").into()
            );
        }
        let wanted: Vec<usize> = [Some(bytes), paths].into_iter().flatten().collect();
        let mask = ProjectionMask::roots(builder.parquet_schema(), wanted);
        let mut first = 0;
        let mut batches = guarded(|| Ok(builder.with_projection(mask).with_batch_size(64).build()?))?;
        while let Some(batch) = guarded(|| Ok(batches.next().transpose()?))? {
            for (inner, bytes) in rezkit_table::assets(&batch, self.bytes_column, self.path_column, first)? {
                let path =
                    if inner.starts_with('#') { format!("{}{inner}", shown(path)) } else { inner.into() };
                take(Asset::Bytes { path, bytes: bytes.to_vec() })?;
            }
            first += batch.num_rows();
        }
        Ok(())
    }
}
