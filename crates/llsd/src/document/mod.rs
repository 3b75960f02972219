//! A value with its file: an edit changes only the bytes of the edited part.

mod gaps;
pub(crate) mod nodes;
mod patch;

use std::ops::Range;

use crate::consts::{Encoding, Header};
use crate::document::nodes::{Finder, Nodes};
use crate::document::patch::{Patched, patch};
use crate::model::{Event, Step, Value, owned_steps};
use crate::options::{ReadOptions, WriteOptions};
use crate::read::ends;
use crate::wire::same::{Fingerprint, is_plainly};
use crate::wire::{self, header};
use geom::wire::{Budget, Bytes, Error, Result, short_debug};

/// A value, and the file that it was read from.
///
/// An unchanged document is written as the bytes that were read, in every encoding. If the value is changed, with the
/// methods here or directly in [`Document::value`], only the bytes of the changed parts differ; comments, indentation,
/// attributes, the spelling of numbers and the order of keys are kept. A new entry is indented like its neighbours, and
/// removing an entry that is alone on its line removes the line.
///
/// ```
/// let xml = "<llsd>
///   <map>
///     <!-- between 0 and 1 -->
///     <key>Volume</key> <real precision='1'>0.50</real>
///     <key>Muted</key> <boolean>0</boolean>
///   </map>
/// </llsd>
/// ";
/// let mut settings = llsd::Document::from_slice(xml.as_bytes())?;
/// settings.set("Volume", 0.75)?;
/// assert_eq!(settings.to_vec()?, xml.replace("0.50", "0.75").as_bytes());
/// settings.remove("Muted");
/// settings.insert("Device", "none")?;
/// let expected = "<llsd>
///   <map>
///     <!-- between 0 and 1 -->
///     <key>Volume</key> <real precision='1'>0.75</real>
///     <key>Device</key> <string>none</string>
///   </map>
/// </llsd>
/// ";
/// assert_eq!(String::from_utf8(settings.to_vec()?).unwrap(), expected);
/// # Ok::<(), llsd::Error>(())
/// ```
///
/// An edit costs as much as in a [`Value`], however large the document is: writing the document finds the changes in one
/// pass over its bytes. Arrays whose length was changed directly in [`Document::value`] are compared from both ends;
/// [`Document::insert`] and [`Document::remove`] track entries exactly. In a file that only the tolerant reader accepts,
/// such as one with a key without a value, an edit can change the meaning of other parts: a container, or the whole
/// value, is then written again, and [`Document::write`] lists its path.
///
/// Documents are equal if their values are; [`Document::same_layout`] compares everything else.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The value.
    pub value: Value,
    /// The file except for the value.
    pub layout: Layout,
}

/// The bytes around the value in a file, and its encoding. They cannot be changed separately, since the header names the
/// encoding: [`Document::new`] makes a document in another encoding.
#[derive(Clone, Debug)]
pub struct Layout {
    encoding: Encoding,
    header: Vec<u8>,
    trailing: Vec<u8>,
    found: Option<Box<Found>>,
}

/// A value as it was found in a file.
#[derive(Clone)]
struct Found {
    bytes: Vec<u8>,
    encoding: Encoding,
    /// The options with which it was read.
    options: ReadOptions,
    /// The value that was read, if the file contains values that it lacks.
    deduplicated: Option<Fingerprint>,
    /// The memory that reading left of its limit, for reading the places of the values again.
    left: u64,
    /// The entries of arrays that were inserted and removed since then, in order.
    moves: Vec<Move>,
}

short_debug! { Found { encoding, options, deduplicated, left, moves; bytes => Bytes(bytes) } }

/// The result of writing a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file.
    pub bytes: Vec<u8>,
    /// The paths of containers that could not be edited in place and were written again, without their comments, indentation
    /// and spelling. The path of the whole value is empty.
    pub rewritten: Vec<String>,
}

/// An entry of an array that was inserted or removed.
#[derive(Clone, Debug)]
struct Move {
    array: Vec<Step<'static>>,
    index: usize,
    inserted: bool,
}

/// Recorded insertions and removals of entries are not compared: they only help to locate the values in the file.
impl PartialEq for Layout {
    fn eq(&self, other: &Self) -> bool {
        let Self { encoding, header, trailing, found } = self;
        let bytes = |found: &Option<Box<Found>>| found.as_ref().map(|found| found.bytes.clone());
        *encoding == other.encoding
            && *header == other.header
            && *trailing == other.trailing
            && bytes(found) == bytes(&other.found)
    }
}

impl Eq for Layout {}

impl Default for Layout {
    fn default() -> Self {
        Self::new(Encoding::default())
    }
}

impl Layout {
    fn new(encoding: Encoding) -> Self {
        let header = Header::Common.bytes(encoding).to_vec();
        Self { encoding, header, trailing: line_end(encoding).to_vec(), found: None }
    }

    /// The encoding of the value.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The bytes before the value: a byte order mark and a header; in XML, everything before `<llsd>`.
    pub fn header(&self) -> &[u8] {
        &self.header
    }

    /// The bytes after the value.
    pub fn trailing(&self) -> &[u8] {
        &self.trailing
    }
}

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        let Self { value, layout: _ } = self;
        *value == other.value
    }
}

impl Eq for Document {}

impl Document {
    /// A new document, with the header [`Header::Common`].
    pub fn new(value: impl Into<Value>, encoding: Encoding) -> Self {
        Self { value: value.into(), layout: Layout::new(encoding) }
    }

    /// Reads a document with the default options.
    ///
    /// # Errors
    /// As [`ReadOptions::read`].
    pub fn from_slice(bytes: &[u8]) -> Result<Self> {
        ReadOptions::new().read_document(bytes)
    }

    /// The value of a key, if the value is a map.
    pub fn get(&self, key: impl AsRef<[u8]>) -> Option<&Value> {
        self.value.get(key)
    }

    /// The value at a path, as [`Value::find`].
    pub fn find(&self, path: impl AsRef<[u8]>) -> Option<&Value> {
        self.value.find(path)
    }

    /// Sets the value at a path and returns the previous one, like [`Value::set`]. A new entry comes after the last
    /// one.
    ///
    /// # Errors
    /// As [`Value::set`].
    pub fn set(&mut self, path: impl AsRef<[u8]>, value: impl Into<Value>) -> Result<Option<Value>> {
        let path = path.as_ref();
        let before = self.value.set(path, value)?;
        if before.is_none() {
            self.moved(path, true);
        }
        Ok(before)
    }

    /// Adds a value at a path, as [`Value::insert`]: before an index of an array, or after the last entry of a
    /// map.
    ///
    /// # Errors
    /// As [`Value::insert`].
    pub fn insert(&mut self, path: impl AsRef<[u8]>, value: impl Into<Value>) -> Result<()> {
        let path = path.as_ref();
        self.value.insert(path, value)?;
        self.moved(path, true);
        Ok(())
    }

    /// Removes the value at a path from its map or array and returns it, like [`Value::remove`].
    pub fn remove(&mut self, path: impl AsRef<[u8]>) -> Option<Value> {
        let path = path.as_ref();
        let removed = self.value.remove(path)?;
        self.moved(path, false);
        Some(removed)
    }

    /// Records that an entry was inserted or removed, if it may belong to an array.
    fn moved(&mut self, path: &[u8], inserted: bool) {
        let Some(found) = &mut self.layout.found else { return };
        let mut array = owned_steps(path);
        if let Some(index) = array.pop().and_then(|step| step.index()) {
            found.moves.push(Move { array, index, inserted });
        }
    }

    /// The path of each value, and the range of its bytes in the output of [`Document::to_vec`], without the key.
    /// Containers come before their content.
    ///
    /// # Errors
    /// As [`Document::to_vec`].
    pub fn spans(&self) -> Result<Vec<(String, Range<usize>)>> {
        let (bytes, header) = (self.to_vec()?, self.layout.header.len());
        let mut spans = self.nodes(&bytes[header..])?.spans();
        spans.iter_mut().for_each(|(_, span)| *span = span.start + header..span.end + header);
        Ok(spans)
    }

    /// The range of the value at a path in the output of [`Document::to_vec`]; `None` if it does not exist.
    ///
    /// # Errors
    /// As [`Document::to_vec`].
    pub fn span(&self, path: impl AsRef<[u8]>) -> Result<Option<Range<usize>>> {
        Ok(self.spans_of([path])?.pop().flatten())
    }

    /// As [`Document::span`], for many paths at once.
    ///
    /// # Errors
    /// As [`Document::to_vec`].
    pub fn spans_of<P: AsRef<[u8]>>(
        &self,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Vec<Option<Range<usize>>>> {
        let (bytes, header) = (self.to_vec()?, self.layout.header.len());
        let nodes = self.nodes(&bytes[header..])?;
        let mut finder = Finder::new(&nodes);
        let span = |path: P| {
            let mut steps = owned_steps(path.as_ref()).into_iter();
            let node = steps.try_fold(nodes.root, |node, step| finder.entry(node, &step, Some))?;
            let span = nodes.range(node);
            Some(span.start + header..span.end + header)
        };
        Ok(paths.into_iter().map(span).collect())
    }

    /// Whether everything except the value is the same. Documents that are also equal, including the order of keys
    /// and the bits of NaN, are written as the same bytes.
    pub fn same_layout(&self, other: &Self) -> bool {
        self.layout == other.layout
    }

    /// Returns the document as a file.
    ///
    /// # Errors
    /// As [`WriteOptions::write`].
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        self.write().map(|written| written.bytes)
    }

    /// Returns the document as a file, and the paths of the containers that lost their comments and layout.
    ///
    /// # Errors
    /// As [`WriteOptions::write`].
    pub fn write(&self) -> Result<Written> {
        let Layout { encoding, header, trailing, found } = &self.layout;
        let whole = |value: &[u8]| [header.as_slice(), value, trailing].concat();
        if let Some(found) = found.as_ref().filter(|found| found.encoding == *encoding) {
            let is_deduplicated =
                found.deduplicated.as_ref().is_some_and(|deduplicated| deduplicated.is_of(&self.value));
            if is_deduplicated || self.is_plainly(&found.bytes) {
                return Ok(Written { bytes: whole(&found.bytes), rewritten: Vec::new() });
            }
            // If only the tolerant reader accepts the file, an edit can change the meaning of other parts.
            let strict =
                Nodes::new(&found.bytes, &self.options().strict(true), self.count(), found.left).ok();
            let is_strict = strict.is_some();
            let nodes = strict.map_or_else(|| self.nodes(&found.bytes), Ok)?;
            // First with what readers do not use, such as a second entry with the same key.
            for keeps_unused in [true, false] {
                let Patched { bytes, rewritten, has_unused } =
                    patch(&nodes, &found.moves, &self.value, keeps_unused)?;
                let is_certain = is_strict && !(has_unused && keeps_unused);
                if is_certain || bytes == found.bytes || self.is_read(&bytes) {
                    return Ok(Written { bytes: whole(&bytes), rewritten });
                }
                if !has_unused {
                    break;
                }
            }
        }
        let mut value = WriteOptions::new().encoding(*encoding).header(Header::None).write(&self.value)?;
        value.truncate(value.len() - line_end(*encoding).len());
        let rewritten = found.iter().map(|_| String::new()).collect();
        Ok(Written { bytes: whole(&value), rewritten })
    }

    /// The options for reading the value again: without limits, since it was read before. [`Nodes`] have a limit.
    pub(crate) fn options(&self) -> ReadOptions {
        let options = self.layout.found.as_ref().map_or_else(ReadOptions::new, |found| found.options.clone());
        options.encoding(self.layout.encoding).max_bytes(u64::MAX).max_depth(u32::MAX)
    }

    /// The file that was read.
    pub(crate) fn original(&self) -> Vec<u8> {
        let Layout { header, trailing, found, .. } = &self.layout;
        let value = found.as_ref().map_or(&[][..], |found| &found.bytes);
        [header, value, trailing].concat()
    }

    fn nodes<'a>(&self, bytes: &'a [u8]) -> Result<Nodes<'a>> {
        let left = self.layout.found.as_ref().map_or(u64::MAX, |found| found.left);
        Nodes::new(bytes, &self.options(), self.count(), left)
    }

    /// The number of values.
    fn count(&self) -> usize {
        let is_value = |event: &Event<'_>| !matches!(event, Event::Key(_) | Event::EndArray | Event::EndMap);
        self.value.events().filter(is_value).count()
    }

    /// Whether edited bytes are read as the value.
    fn is_read(&self, bytes: &[u8]) -> bool {
        let read = || self.options().read_used(bytes);
        self.is_plainly(bytes) || read().is_ok_and(|(value, used)| value == self.value && used == bytes.len())
    }

    fn is_plainly(&self, bytes: &[u8]) -> bool {
        is_plainly(bytes, self.layout.encoding, &self.options(), &self.value)
    }
}

impl ReadOptions {
    /// Reads a value, and keeps the bytes of its file, so that it can be edited and written again.
    ///
    /// # Errors
    /// As [`ReadOptions::read`].
    pub fn read_document(&self, bytes: &[u8]) -> Result<Document> {
        let start = header::split(bytes, self.encoding)?;
        let wire::Read { value, end, deduplicated, mut budget } =
            wire::read(bytes, start, self, Budget::new(self.max_bytes))?;
        ends(bytes, start, end, self)?;
        let whole = &bytes[start.at..end];
        let begin = start.at + before_value(whole, start.encoding);
        let mut copy = |bytes| budget.copy(bytes).map_err(|kind| Error::new(kind, ""));
        let (header, bytes, trailing) =
            (copy(&bytes[..begin])?, copy(&bytes[begin..end])?, copy(&bytes[end..])?);
        let (encoding, options, left) = (start.encoding, self.clone(), budget.left());
        let deduplicated = deduplicated.then(|| Fingerprint::new(&value));
        let found = Some(Box::new(Found { bytes, encoding, options, deduplicated, left, moves: Vec::new() }));
        Ok(Document { value, layout: Layout { encoding, header, trailing, found } })
    }
}

/// The text that writers add after a value.
fn line_end(encoding: Encoding) -> &'static [u8] {
    match encoding {
        Encoding::Xml => b"\n",
        Encoding::Binary | Encoding::Notation => b"",
    }
}

/// The number of bytes between the header and the value.
fn before_value(bytes: &[u8], encoding: Encoding) -> usize {
    match encoding {
        Encoding::Binary => 0,
        Encoding::Xml => prolog(bytes),
        Encoding::Notation => bytes.len() - bytes.trim_ascii_start().len(),
    }
}

/// The length of the text before `<llsd>` (declarations, comments, white space) in XML that was read before.
fn prolog(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    loop {
        rest = rest.strip_prefix(b"\xef\xbb\xbf").unwrap_or(rest).trim_ascii_start();
        let (begin, end): (usize, &[u8]) = match rest {
            [b'<', b'?', ..] => (2, b"?>"),
            [b'<', b'!', b'-', b'-', ..] => (4, b"-->"),
            _ => return bytes.len() - rest.len(),
        };
        match memchr::memmem::find(&rest[begin..], end) {
            Some(at) => rest = &rest[begin + at + end.len()..],
            None => return bytes.len() - rest.len(),
        }
    }
}
