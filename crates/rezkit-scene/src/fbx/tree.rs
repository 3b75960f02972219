//! The records of FBX: a tree of named nodes with values, binary or text.

use geom::wire::zlib::Inflater;
use rezkit_core::{Budget, Error, Result};

/// The first bytes of a binary file.
pub(super) const MAGIC: &[u8] = b"Kaydara FBX Binary  \0";
/// The deepest nesting of records.
const DEPTH: usize = 64;
const WHAT: &str = "the records of the file";

/// A record.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) name: String,
    pub(super) values: Vec<Value>,
    pub(super) children: Vec<Record>,
}

/// A value of a record.
#[derive(Debug)]
pub(super) enum Value {
    Int(i64),
    Float(f64),
    Text(Vec<u8>),
    Ints(Vec<i64>),
    Floats(Vec<f64>),
}

impl Value {
    pub(super) fn int(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            Self::Float(value) => Some(*value as i64),
            _ => None,
        }
    }

    pub(super) fn float(&self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn text(&self) -> Option<String> {
        self.bytes().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }
}

impl Record {
    /// The first child with a name.
    pub(super) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The children with a name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The first value of the first child with a name.
    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        self.child(name)?.values.first()
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.value(name)?.text()
    }

    /// All numbers of a record: an array, or single values, as files before 7.0 have them.
    pub(super) fn floats(&self) -> Vec<f64> {
        let mut all = Vec::new();
        for value in &self.values {
            match value {
                Value::Floats(list) => all.extend_from_slice(list),
                Value::Ints(list) => all.extend(list.iter().map(|value| *value as f64)),
                other => all.extend(other.float()),
            }
        }
        all
    }

    pub(super) fn ints(&self) -> Vec<i64> {
        let mut all = Vec::new();
        for value in &self.values {
            match value {
                Value::Ints(list) => all.extend_from_slice(list),
                Value::Floats(list) => all.extend(list.iter().map(|value| *value as i64)),
                other => all.extend(other.int()),
            }
        }
        all
    }

    /// The numbers of the child with a name.
    pub(super) fn floats_of(&self, name: &str) -> Vec<f64> {
        self.child(name).map(Self::floats).unwrap_or_default()
    }

    pub(super) fn ints_of(&self, name: &str) -> Vec<i64> {
        self.child(name).map(Self::ints).unwrap_or_default()
    }
}

/// Reads a binary file; returns its version and the record at the top.
///
/// # Errors
/// If the file is damaged, with the path and the offset, or needs more memory than the budget allows.
pub(super) fn read(bytes: &[u8], budget: &mut Budget) -> Result<(u32, Record)> {
    let is_big = bytes.get(22) == Some(&1);
    let mut reader = Reader { bytes, at: 23, is_big, is_wide: false, path: Vec::new() };
    let version = reader.u32()?;
    if !(6000..=7900).contains(&version) {
        let what = format!("expected an FBX file of version 6.0 to 7.9, found version number {version}");
        return Err(Error::unreadable(what));
    }
    reader.is_wide = version >= 7500;
    let mut top = Record::default();
    while let Some(record) = reader.record(0, budget)? {
        top.children.push(record);
    }
    Ok((version, top))
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    is_big: bool,
    /// Whether offsets have 64 bits.
    is_wide: bool,
    /// The names of the records around the current place.
    path: Vec<String>,
}

impl<'a> Reader<'a> {
    fn fail(&self, at: usize, what: &str) -> Error {
        Error::unreadable(format!("{what} at offset {at:#x}")).at(self.path.join("/"))
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let found = self.at.checked_add(count).and_then(|end| self.bytes.get(self.at..end));
        let found = found.ok_or_else(|| self.fail(self.at, "unexpected end of input"))?;
        self.at += count;
        Ok(found)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut found = [0; N];
        found.copy_from_slice(self.take(N)?);
        if self.is_big {
            found.reverse();
        }
        Ok(found)
    }

    fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn size(&mut self) -> Result<usize> {
        let at = self.at;
        let size = if self.is_wide { u64::from_le_bytes(self.array()?) } else { self.u32()?.into() };
        usize::try_from(size).map_err(|_| self.fail(at, "a size that is larger than the file"))
    }

    /// A record; `None` at the end of a list.
    fn record(&mut self, depth: usize, budget: &mut Budget) -> Result<Option<Record>> {
        let start = self.at;
        // Some files end without the record that marks the end.
        if depth == 0 && self.at == self.bytes.len() {
            return Ok(None);
        }
        let (end, count, length) = (self.size()?, self.size()?, self.size()?);
        let name_length = usize::from(self.array::<1>()?[0]);
        if end == 0 && count == 0 && name_length == 0 {
            return Ok(None);
        }
        let name = String::from_utf8_lossy(self.take(name_length)?).into_owned();
        budget.take((2 * size_of::<Record>() + name.len()) as u64, WHAT)?;
        self.path.push(name.clone());
        if depth > DEPTH {
            return Err(self.fail(start, "records that are nested too deeply"));
        }
        let first = self.at;
        // Without children, some writers state no end.
        let end = if end == 0 { first.saturating_add(length) } else { end };
        if end < first || end > self.bytes.len() || length > end - first || count > length {
            return Err(self.fail(start, "the size of a record is wrong"));
        }
        budget.take_values::<Value>(count, WHAT)?;
        let mut record = Record { name, values: Vec::with_capacity(count), children: Vec::new() };
        for _ in 0..count {
            record.values.push(self.value(budget)?);
        }
        if self.at != first + length {
            return Err(self.fail(start, "the values of a record do not have the stated size"));
        }
        while self.at < end {
            match self.record(depth + 1, budget)? {
                Some(child) => record.children.push(child),
                None => break,
            }
        }
        if self.at != end {
            return Err(self.fail(start, "the children of a record do not have the stated size"));
        }
        self.path.pop();
        Ok(Some(record))
    }

    fn value(&mut self, budget: &mut Budget) -> Result<Value> {
        let at = self.at;
        Ok(match self.array::<1>()?[0] {
            b'Y' => Value::Int(i16::from_le_bytes(self.array()?).into()),
            // A letter, or a boolean.
            b'C' => Value::Int(self.array::<1>()?[0].into()),
            b'B' => Value::Int((self.array::<1>()?[0] & 1).into()),
            b'Z' => Value::Int(self.array::<1>()?[0].cast_signed().into()),
            b'I' => Value::Int(i32::from_le_bytes(self.array()?).into()),
            b'L' => Value::Int(i64::from_le_bytes(self.array()?)),
            b'F' => Value::Float(f32::from_le_bytes(self.array()?).into()),
            b'D' => Value::Float(f64::from_le_bytes(self.array()?)),
            b'S' | b'R' => {
                let length = self.u32()? as usize;
                let bytes = self.take(length)?;
                budget.take(length as u64, WHAT)?;
                Value::Text(bytes.to_vec())
            }
            b'f' => Value::Floats(self.list(budget, |bytes: [u8; 4]| f32::from_le_bytes(bytes).into())?),
            b'd' => Value::Floats(self.list(budget, f64::from_le_bytes)?),
            b'l' => Value::Ints(self.list(budget, i64::from_le_bytes)?),
            b'i' => Value::Ints(self.list(budget, |bytes: [u8; 4]| i32::from_le_bytes(bytes).into())?),
            b'b' | b'c' => Value::Ints(self.list(budget, |[byte]: [u8; 1]| byte.into())?),
            other => {
                let what = format!("a value of the unknown type {:?}", char::from(other));
                return Err(self.fail(at, &what));
            }
        })
    }

    /// An array, which may be compressed.
    fn list<const N: usize, T>(
        &mut self,
        budget: &mut Budget,
        convert: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>> {
        let (mut list, is_big) = (Vec::new(), self.is_big);
        self.numbers(N, budget, &mut |bytes, budget| {
            let numbers = bytes.as_chunks::<N>().0;
            budget.take_values::<T>(numbers.len(), WHAT)?;
            list = numbers
                .iter()
                .map(|&(mut number)| {
                    if is_big {
                        number.reverse();
                    }
                    convert(number)
                })
                .collect();
            Ok(())
        })?;
        Ok(list)
    }

    /// Passes on the bytes of an array of numbers of `width` bytes.
    fn numbers(
        &mut self,
        width: usize,
        budget: &mut Budget,
        take: &mut dyn FnMut(&[u8], &mut Budget) -> Result<()>,
    ) -> Result<()> {
        let at = self.at;
        let (count, encoding, length) = (self.u32()? as usize, self.u32()?, self.u32()? as usize);
        let size =
            count.checked_mul(width).ok_or_else(|| self.fail(at, "an array that is larger than the file"))?;
        if encoding == 0 {
            // Some writers state another length of the bytes than that of the numbers.
            return take(self.take(size)?, budget);
        }
        if encoding != 1 {
            return Err(self.fail(at, "an array with an unknown compression"));
        }
        let bytes = self.take(length)?;
        let mut inflater = Inflater::default();
        let mut own = geom::wire::Budget::new(budget.left());
        let content = match inflater.inflate(bytes, &mut own) {
            Ok((_, content)) => content,
            Err(broken) => {
                let what = format!("a compressed array cannot be read: {}", broken.kind);
                return Err(self.fail(at, &what));
            }
        };
        match content.get(..size) {
            Some(content) => take(content, budget),
            None => Err(self.fail(at, "a compressed array is shorter than stated")),
        }
    }
}
