//! Checks whether the crate of a format round-trips a file unchanged.
//!
//! `xtask/roundtrip` includes this file by its path, so that it need not compile the whole kit.

use std::fmt;

use rezkit_core::{Error, Result};

/// How well a file came back, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// The format is unknown.
    Unknown,
    /// The file could not be read or written, or came back as another model.
    Failed,
    /// The bytes differ, but the model is equal.
    Model,
    /// The bytes are equal; in compressed containers, the framing and the bytes after
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
        known.ok_or_else(|| {
            Error::argument(format!("expected a grade (unknown, failed, model or exact), found {text:?}"))
        })
    }
}

/// The approximate memory of a motion per byte of the file.
const PER_BYTE: u64 = 4;

/// Reads a document of LLSD; returns it and the approximate memory that it occupies: the bytes, the texts, and the values,
/// in lists of which a third is unused.
///
/// # Errors
/// If the crate refuses the file.
pub(crate) fn read_llsd(bytes: &[u8], options: &llsd::ReadOptions) -> Result<(llsd::Document, u64)> {
    use llsd::Event;
    let document = options.read_document(bytes)?;
    let values = document.value.events().map(|event| match event {
        Event::EndArray | Event::EndMap => 0,
        Event::Key(_) => size_of::<String>() as u64 * 3 / 2,
        _ => size_of::<llsd::Value>() as u64 * 3 / 2,
    });
    let held = 2 * bytes.len() as u64 + values.sum::<u64>();
    Ok((document, held))
}

/// A type of a format crate that a file can be read as.
pub(crate) trait Model: Sized {
    /// Reads a file, allocating at most `max_bytes`; returns the model and the number of bytes that it occupies.
    ///
    /// # Errors
    /// If the crate refuses the file.
    fn read(bytes: &[u8], max_bytes: u64) -> Result<(Self, u64)>;

    /// The bytes of the model in the form in which it was read.
    ///
    /// # Errors
    /// If the form cannot represent the content.
    fn write(&self) -> Result<Vec<u8>>;

    /// Whether two models are equal by value and bits: NaN equals itself, -0 differs from 0.
    fn equals(&self, other: &Self) -> bool;
}

/// Implements [`Model`] for crates whose model contains the layout of the file.
macro_rules! model {
    ($($format:ident::$model:ident $(.$option:ident($value:expr))?,)+) => {
        $(impl Model for $format::$model {
            fn read(bytes: &[u8], max_bytes: u64) -> Result<(Self, u64)> {
                let options = $format::ReadOptions::new().max_bytes(max_bytes)$(.$option($value))?;
                Ok(options.read_counted(bytes)?)
            }

            fn write(&self) -> Result<Vec<u8>> {
                Ok($format::to_vec(self)?)
            }

            fn equals(&self, other: &Self) -> bool {
                self == other
            }
        })+
    };
}
model! {
    rbxmesh::Mesh,
    rbxbinary::Document,
    rbxxml::Document,
    m3d::Model,
    slmesh::Asset,
}

impl Model for slmesh::Slm {
    fn read(bytes: &[u8], max_bytes: u64) -> Result<(Self, u64)> {
        Ok(slmesh::ReadOptions::new().max_bytes(max_bytes).read_slm_counted(bytes)?)
    }

    fn write(&self) -> Result<Vec<u8>> {
        Ok(self.to_vec()?)
    }

    fn equals(&self, other: &Self) -> bool {
        self == other
    }
}

impl Model for slmesh::motion::Motion {
    fn read(bytes: &[u8], max_bytes: u64) -> Result<(Self, u64)> {
        let motion = slmesh::ReadOptions::new().max_bytes(max_bytes).read_motion(bytes)?;
        Ok((motion, PER_BYTE * bytes.len() as u64))
    }

    fn write(&self) -> Result<Vec<u8>> {
        Ok(slmesh::motion::to_vec(self)?)
    }

    /// Compares the bytes, so that NaN equals itself.
    fn equals(&self, other: &Self) -> bool {
        slmesh::motion::to_vec(self).ok() == slmesh::motion::to_vec(other).ok()
    }
}

impl Model for llsd::Document {
    fn read(bytes: &[u8], max_bytes: u64) -> Result<(Self, u64)> {
        read_llsd(bytes, &llsd::ReadOptions::new().max_bytes(max_bytes))
    }

    fn write(&self) -> Result<Vec<u8>> {
        Ok(self.to_vec()?)
    }

    fn equals(&self, other: &Self) -> bool {
        self.value.identical(&other.value)
    }
}

/// The grade of a file whose bytes are compared by `same`, for formats in which different bytes can be the same file.
fn trip_of<M: Model>(bytes: &[u8], max_bytes: u64, same: fn(&[u8], &[u8]) -> bool) -> Result<Grade> {
    let (model, _) = M::read(bytes, max_bytes)?;
    let written = model.write()?;
    if bytes == written || same(bytes, &written) {
        return Ok(Grade::Exact);
    }
    let (again, _) = M::read(&written, max_bytes)
        .map_err(|error| Error::unwritable(format!("the written file cannot be read again: {error}")))?;
    match model.equals(&again) {
        true => Ok(Grade::Model),
        false => Err(Error::unwritable("the written file has different content when it is read again")),
    }
}

fn trip<M: Model>(bytes: &[u8], max_bytes: u64) -> Result<Grade> {
    trip_of::<M>(bytes, max_bytes, |_, _| false)
}

/// A file's format and version, and how well it came back.
pub(crate) type Trip = (&'static str, String, Result<Grade>);

/// Reads a file, writes it as it was read, reads that again, and compares: first the bytes, then, if they differ, the two
/// models, by value and bits, so that NaN equals itself and -0 differs from 0. `None` if no format crate knows the file.
///
/// Formats with a magic number come first, LLSD last, since a Second Life asset is LLSD too.
pub(crate) fn roundtrip(bytes: &[u8], max_bytes: u64) -> Option<Trip> {
    let same_document = |a: &[u8], b: &[u8]| same_frames(a, b) == Some(true);
    Some(if let Some(version) = rbxmesh::detect(bytes) {
        ("rbxmesh", version.to_string(), trip::<rbxmesh::Mesh>(bytes, max_bytes))
    } else if let Some(version) = rbxbinary::detect(bytes) {
        ("rbxbinary", version.to_string(), trip_of::<rbxbinary::Document>(bytes, max_bytes, same_document))
    } else if let Some(version) = rbxxml::detect(bytes) {
        ("rbxxml", version.to_string(), trip::<rbxxml::Document>(bytes, max_bytes))
    } else if let Some(variant) = m3d::detect(bytes) {
        ("m3d", variant.to_string(), trip_of::<m3d::Model>(bytes, max_bytes, same_payload))
    } else if let Some(kind) = slmesh::detect(bytes) {
        let trip = if kind == slmesh::Kind::Slm { trip::<slmesh::Slm> } else { trip::<slmesh::Asset> };
        ("slmesh", kind.to_string(), trip(bytes, max_bytes))
    } else if slmesh::motion::detect(bytes) {
        ("slmesh", MOTION.to_owned(), trip::<slmesh::motion::Motion>(bytes, max_bytes))
    } else {
        ("llsd", encoding_name(llsd::detect(bytes)?).to_owned(), trip::<llsd::Document>(bytes, max_bytes))
    })
}

/// The name of an encoding, as a form of LLSD.
pub(crate) fn encoding_name(encoding: llsd::Encoding) -> &'static str {
    match encoding {
        llsd::Encoding::Binary => "binary",
        llsd::Encoding::Xml => "xml",
        llsd::Encoding::Notation => "notation",
    }
}

/// The version of keyframe motions.
pub(crate) const MOTION: &str = "motion";

/// Whether two files have the same header, frames in the same order with the same bytes after decompression,
/// and the same bytes after the last frame. `None` if a frame is broken.
fn same_frames(a: &[u8], b: &[u8]) -> Option<bool> {
    if a.get(..32)? != b.get(..32)? {
        return Some(false);
    }
    let (mut these, mut those) = (rbxbinary::chunks(a).ok()?, rbxbinary::chunks(b).ok()?);
    loop {
        match (these.next(), those.next()) {
            (None, None) => return Some(these.rest() == those.rest()),
            (Some(this), Some(that)) => {
                let (this, that) = (this.ok()?, that.ok()?);
                let frame =
                    |chunk: &rbxbinary::Chunk<'_>| (chunk.name, chunk.compression, chunk.len, chunk.reserved);
                if frame(&this) != frame(&that) || this.data().ok()? != that.data().ok()? {
                    return Some(false);
                }
            }
            _ => return Some(false),
        }
    }
}

/// Whether both files are compressed, with the same preview before the stream and the same payload
/// after decompression.
fn same_payload(a: &[u8], b: &[u8]) -> bool {
    let parts = |bytes: &[u8]| {
        let preview = match bytes.get(8..16)? {
            [b'P', b'R', b'V', b'W', size @ ..] => u32::from_le_bytes(size.try_into().ok()?) as usize,
            _ => 0,
        };
        let start = preview.checked_add(8)?;
        let compressed = bytes.get(start..start.checked_add(4)?)? != b"HEAD";
        compressed.then_some(())?;
        Some((bytes.get(8..start)?.to_vec(), m3d::payload(bytes).ok()?.into_owned()))
    };
    matches!((parts(a), parts(b)), (Some(a), Some(b)) if a == b)
}
