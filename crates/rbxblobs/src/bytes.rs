//! Reads bytes from the front, and makes errors with offsets.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used
)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, clippy::expect_used, clippy::indexing_slicing))]

use bstr::BString;
use geom::Vec3;

use geom::wire::{Budget, Counted, Error, ErrorKind, Problem, Refuse as _, Result};

/// A value that can be read from the bytes of a property.
pub trait Layout: Sized {
    /// The name of the value in errors.
    const NAME: &'static str;

    /// Reads the value. The caller checks that no bytes are left.
    fn read(bytes: &mut Bytes<'_>) -> Result<Self>;
}

/// The unread bytes of a property, and the remaining memory for its content.
#[derive(Debug)]
pub struct Bytes<'a> {
    rest: &'a [u8],
    len: usize,
    /// The offset of the last value that was read.
    last: usize,
    what: &'static str,
    budget: Budget,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(what: &'static str, all: &'a [u8], max_bytes: u64) -> Self {
        Self { rest: all, len: all.len(), last: 0, what, budget: Budget::new(max_bytes) }
    }

    /// A reader of bytes that were unpacked from these, with the same remaining memory.
    pub(crate) fn inner<'b>(&self, what: &'static str, all: &'b [u8]) -> Bytes<'b> {
        Bytes { rest: all, len: all.len(), last: 0, what, budget: self.budget.clone() }
    }

    pub(crate) fn left(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let Some((bytes, rest)) = self.rest.split_at_checked(len) else {
            return Err(self.error(ErrorKind::UnexpectedEnd));
        };
        self.advance(rest);
        Ok(bytes)
    }

    fn advance(&mut self, rest: &'a [u8]) {
        self.last = self.offset();
        self.rest = rest;
    }

    fn offset(&self) -> usize {
        self.len.saturating_sub(self.left())
    }

    /// The offset of the last value that was read.
    pub(crate) fn last(&self) -> usize {
        self.last
    }

    /// Lets errors name the offset of an earlier value.
    pub(crate) fn refer_to(&mut self, last: usize) {
        self.last = last;
    }

    /// All unread bytes, without taking them.
    pub(crate) fn peek(&self) -> &'a [u8] {
        self.rest
    }

    /// Takes all unread bytes.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        let rest = self.rest;
        self.advance(&[]);
        rest
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let Some((&bytes, rest)) = self.rest.split_first_chunk() else {
            return Err(self.error(ErrorKind::UnexpectedEnd));
        };
        self.advance(rest);
        Ok(bytes)
    }

    /// Takes the bytes of `count` records of `N` bytes.
    pub(crate) fn records<const N: usize>(&mut self, count: usize) -> Result<&'a [[u8; N]]> {
        let Some(len) = count.checked_mul(N) else { return Err(self.error(ErrorKind::UnexpectedEnd)) };
        Ok(self.take(len)?.as_chunks().0)
    }

    pub(crate) fn u8(&mut self) -> Result<u8> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    pub(crate) fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn f32(&mut self) -> Result<f32> {
        Ok(f32::from_le_bytes(self.array()?))
    }

    pub(crate) fn floats<const N: usize>(&mut self) -> Result<[f32; N]> {
        let mut floats = [0.0; N];
        for float in &mut floats {
            *float = self.f32()?;
        }
        Ok(floats)
    }

    pub(crate) fn u32s<const N: usize>(&mut self) -> Result<[u32; N]> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.u32()?;
        }
        Ok(numbers)
    }

    /// Reads points of three floats, which must be finite.
    pub(crate) fn points(&mut self, count: usize) -> Result<Vec<Vec3>> {
        let records = self.records::<12>(count)?;
        let mut points = self.vec(count)?;
        points.extend(records.iter().map(|record| Vec3::from(words(record).map(f32::from_bits))));
        match points.iter().position(|point: &Vec3| !point.is_finite()) {
            None => Ok(points),
            Some(index) => Err(self.invalid(format!("a coordinate of points[{index}] is infinite or NaN"))),
        }
    }

    /// Reads `count` triangles, whose indices must be less than `points`.
    pub(crate) fn triangles(&mut self, count: usize, points: usize) -> Result<Vec<[u32; 3]>> {
        let records = self.records(count)?;
        self.triangles_of(records, points)
    }

    /// The triangles of these records, whose indices must be less than `points`.
    pub(crate) fn triangles_of(&mut self, records: &[[u8; 12]], points: usize) -> Result<Vec<[u32; 3]>> {
        let mut triangles = self.vec(records.len())?;
        triangles.extend(records.iter().map(words));
        self.in_range(&triangles, points)?;
        Ok(triangles)
    }

    /// Fails if an index of a triangle is not less than the number of points.
    pub(crate) fn in_range(&self, triangles: &[[u32; 3]], points: usize) -> Result<()> {
        let most = triangles.as_flattened().iter().max();
        match most {
            Some(&most) if most as usize >= points => {
                Err(self.invalid(Problem::reference("point", most, points)))
            }
            _ => Ok(()),
        }
    }

    /// Reads a count of records that take at least `size` bytes each; fails if the bytes cannot contain them.
    pub(crate) fn count(&mut self, size: usize) -> Result<usize> {
        let count = self.u32()?;
        self.fits(count.into(), size)
    }

    /// The count, if the unread bytes can contain that number of records of at least `size` bytes.
    pub(crate) fn fits(&self, count: u64, size: usize) -> Result<usize> {
        let left = self.left();
        match usize::try_from(count) {
            Ok(count) if count.checked_mul(size).is_some_and(|bytes| bytes <= left) => Ok(count),
            _ => Err(self.invalid(Problem::Claim { claimed: count, available: left as u64 })),
        }
    }

    /// Reads a length, then that number of bytes.
    pub(crate) fn string(&mut self) -> Result<BString> {
        let len = self.count(1)?;
        self.charge(len as u64)?;
        Ok(self.take(len)?.into())
    }

    /// An empty vector with space for `count` values.
    pub(crate) fn vec<T>(&mut self, count: usize) -> Result<Vec<T>> {
        self.budget.vec(count).map_err(|kind| self.error(kind))
    }

    /// Appends a value to a vector that grows as it is read.
    pub(crate) fn push<T>(&mut self, values: &mut Vec<T>, value: T) -> Result<()> {
        self.budget.push(values, value).map_err(|kind| self.error(kind))
    }

    /// The remaining memory.
    pub(crate) fn memory(&self) -> u64 {
        self.budget.left()
    }

    /// Charges memory before it is allocated.
    pub(crate) fn charge(&mut self, bytes: u64) -> Result<()> {
        self.budget.take(bytes).map_err(|kind| self.error(kind))
    }

    /// Returns memory that was freed.
    pub(crate) fn give_back(&mut self, bytes: u64) {
        self.budget.give_back(bytes);
    }

    /// The value, if no bytes are left.
    pub(crate) fn end<T>(&self, value: T) -> Result<T> {
        match self.left() {
            0 => Ok(value),
            left => {
                let what = format!("{} after the last value", Counted::new(left, "unexpected bytes"));
                Err(self.error(ErrorKind::Invalid(what.into())))
            }
        }
    }

    /// An error of the last value that was read.
    pub(crate) fn invalid(&self, what: impl Into<Problem>) -> Error {
        Error::new(ErrorKind::Invalid(what.into()), self.what).at(self.last)
    }

    /// An error of the last value that was read.
    pub(crate) fn unsupported(&self, what: impl Into<Problem>) -> Error {
        Error::new(ErrorKind::Unsupported(what.into()), self.what).at(self.last)
    }

    /// An error of the next value.
    pub(crate) fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, self.what).at(self.offset())
    }
}

/// The three little-endian words of a record.
fn words(record: &[u8; 12]) -> [u32; 3] {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = *record;
    [[a, b, c, d], [e, f, g, h], [i, j, k, l]].map(u32::from_le_bytes)
}

/// Appends the length of a byte string, and the bytes.
pub(crate) fn put_string(out: &mut Vec<u8>, bytes: &[u8]) -> Result<()> {
    put_count(out, bytes.len())?;
    out.extend_from_slice(bytes);
    Ok(())
}

pub(crate) fn put_count(out: &mut Vec<u8>, count: usize) -> Result<()> {
    let count = Problem::fit("entries", count, u32::MAX).unwritable("")?;
    out.extend_from_slice(&count.to_le_bytes());
    Ok(())
}

pub(crate) fn put_floats(out: &mut Vec<u8>, floats: &[f32]) {
    for float in floats {
        out.extend_from_slice(&float.to_le_bytes());
    }
}
