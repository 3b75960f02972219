//! Memory limits.

use std::borrow::Cow;
use std::io::Read;

use super::{Error, ErrorKind, Limit, Loss, Result};

/// The default of `ReadOptions::max_bytes`: 1 GiB, about ten times what the largest known Roblox places take, and a
/// hundred times what all other known files take.
pub const DEFAULT_MAX_BYTES: u64 = 1 << 30;

/// The default of `ReadOptions::max_depth`: real files nest about twenty levels deep.
pub const DEFAULT_MAX_DEPTH: u32 = 128;

/// The memory that an allocation of some bytes takes in addition to them: no allocator returns less than this.
fn rest(bytes: usize) -> u64 {
    const LEAST: u64 = 32;
    if bytes == 0 { 0 } else { LEAST.saturating_sub(bytes as u64) }
}

/// The remaining bytes of a memory limit. An allocation whose size depends on the input, or on a model from which
/// something is computed, is charged before it is made.
#[derive(Clone, Debug)]
pub struct Budget {
    limit: Limit,
    left: u64,
    steps: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(DEFAULT_MAX_BYTES)
    }
}

impl Budget {
    /// A budget of `ReadOptions::max_bytes`.
    pub fn new(max_bytes: u64) -> Self {
        Self::named("max_bytes", max_bytes)
    }

    /// A budget of another option than `ReadOptions::max_bytes`; errors give the name of the option.
    pub fn named(name: &'static str, allowed: u64) -> Self {
        Self { limit: Limit::new(name, allowed), left: allowed, steps: Self::STEPS }
    }

    /// More steps of work than most files need: some seconds of processor time.
    pub const STEPS: u64 = 1 << 32;

    /// Charges bytes for `what`, which the error names.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] if fewer are left.
    pub fn charge(&mut self, bytes: u64, what: &'static str) -> Result<()> {
        let limit = Limit { what, needed: bytes, left: self.left, ..self.limit };
        self.left = self.left.checked_sub(bytes).ok_or_else(|| Error::new(ErrorKind::Limit(limit), ""))?;
        Ok(())
    }

    /// Charges steps of work for `what`, which the error names.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] with the name `max_steps` if fewer are left; no option allows more.
    pub fn work(&mut self, steps: u64, what: &'static str) -> Result<()> {
        let limit = Limit { what, needed: steps, left: self.steps, ..Limit::new("max_steps", Self::STEPS) };
        self.steps = self.steps.checked_sub(steps).ok_or_else(|| Error::new(ErrorKind::Limit(limit), ""))?;
        Ok(())
    }

    /// Adds a loss to a list, and charges its memory.
    ///
    /// # Errors
    /// As [`charge`](Self::charge).
    #[inline(never)]
    pub fn lose(&mut self, losses: &mut Vec<Loss>, loss: Loss) -> Result<()> {
        // Growing the list needs twice its size.
        let bytes = 2 * size_of::<Loss>() + loss.path.len() + loss.what.len();
        self.charge(bytes as u64, "the list of losses")?;
        losses.push(loss);
        Ok(())
    }

    /// The number of bytes left.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Charges bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] if fewer are left.
    #[inline]
    pub fn take(&mut self, bytes: u64) -> Result<(), ErrorKind> {
        self.left = self.left.checked_sub(bytes).ok_or(ErrorKind::Limit(self.limit))?;
        Ok(())
    }

    /// Charges the size of `count` values of type `T`. Fails also if that size overflows.
    #[inline]
    pub fn take_values<T>(&mut self, count: usize) -> Result<(), ErrorKind> {
        self.take_sized(count, size_of::<T>())
    }

    /// Charges `count` values of `size` bytes. This and the other functions with a size are compiled once, not for each
    /// type of values.
    fn take_sized(&mut self, count: usize, size: usize) -> Result<(), ErrorKind> {
        let bytes = (count as u64).checked_mul(size as u64);
        self.take(bytes.ok_or(ErrorKind::Limit(self.limit))?)
    }

    /// Charges an allocation for `count` values of `size` bytes.
    fn take_allocation(&mut self, count: usize, size: usize) -> Result<(), ErrorKind> {
        self.take_sized(count, size)?;
        self.take(rest(count * size))
    }

    /// Returns freed bytes to the budget, but never more than were charged.
    pub fn give_back(&mut self, bytes: u64) {
        let taken = self.limit.allowed - self.left;
        self.left += bytes.min(taken);
    }

    /// Returns the bytes charged since `before` bytes were left, except for `kept` bytes.
    pub fn refund_since(&mut self, before: u64, kept: usize) {
        let since = before.saturating_sub(self.left);
        self.give_back(since.saturating_sub(kept as u64));
    }

    /// Drops a list, and returns its memory to the budget.
    pub fn release<T>(&mut self, list: Vec<T>) {
        self.give_back((list.capacity() * size_of::<T>()) as u64);
    }

    /// An empty vector with space for `count` values.
    pub fn vec<T>(&mut self, count: usize) -> Result<Vec<T>, ErrorKind> {
        self.take_allocation(count, size_of::<T>())?;
        Ok(Vec::with_capacity(count))
    }

    /// A copy of bytes.
    pub fn copy(&mut self, bytes: &[u8]) -> Result<Vec<u8>, ErrorKind> {
        self.take(bytes.len() as u64 + rest(bytes.len()))?;
        Ok(bytes.to_vec())
    }

    /// The bytes as a vector. Borrowed bytes are copied, and the copy is charged; owned bytes are not charged.
    pub fn own(&mut self, bytes: Cow<'_, [u8]>) -> Result<Vec<u8>> {
        if let Cow::Borrowed(bytes) = bytes {
            self.take(bytes.len() as u64).map_err(|kind| Error::new(kind, ""))?;
        }
        Ok(bytes.into_owned())
    }

    /// Appends a value to a vector whose final length is unknown.
    #[inline(always)]
    pub fn push<T>(&mut self, list: &mut Vec<T>, value: T) -> Result<(), ErrorKind> {
        self.reserve(list, 1)?;
        list.push(value);
        Ok(())
    }

    /// Appends bytes to a vector whose final length is unknown.
    pub fn extend(&mut self, bytes: &mut Vec<u8>, more: &[u8]) -> Result<(), ErrorKind> {
        self.reserve(bytes, more.len())?;
        bytes.extend_from_slice(more);
        Ok(())
    }

    /// Reserves space for more values.
    #[inline]
    pub fn reserve<T>(&mut self, list: &mut Vec<T>, more: usize) -> Result<(), ErrorKind> {
        if list.capacity() - list.len() < more { self.grow(list, more) } else { Ok(()) }
    }

    /// Grows to twice the capacity, or to the required length if that is greater; to less near the limit. While the
    /// vector moves, the old and the new memory both exist, and both are charged.
    #[cold]
    #[inline(never)]
    fn grow<T>(&mut self, list: &mut Vec<T>, more: usize) -> Result<(), ErrorKind> {
        let old = list.capacity();
        let wanted = self.take_grown(old, list.len(), more, size_of::<T>())?;
        list.reserve_exact(wanted - list.len());
        self.give_back((old * size_of::<T>()) as u64);
        Ok(())
    }

    /// The capacity to grow to, which is charged.
    fn take_grown(&mut self, old: usize, len: usize, more: usize, size: usize) -> Result<usize, ErrorKind> {
        let least = len.checked_add(more).ok_or(ErrorKind::Limit(self.limit))?;
        // This cannot overflow: a vector has at most `isize::MAX` bytes, and one of zero-sized values never grows.
        let mut wanted = least.max(2 * old).max(4);
        while let Err(limit) = self.take_sized(wanted, size) {
            if wanted == least {
                return Err(limit);
            }
            wanted = least + (wanted - least) / 4;
        }
        Ok(wanted)
    }

    /// An empty buffer for a writer of unknown length.
    pub fn charged(&mut self) -> Charged<'_> {
        Charged { bytes: Vec::new(), refused: None, budget: self }
    }

    /// Reads to the end of a reader, and charges the bytes.
    pub fn read_all(&mut self, mut reader: impl Read) -> Result<Vec<u8>> {
        let (mut bytes, mut part) = (Vec::new(), [0; 8192]);
        loop {
            match reader.read(&mut part) {
                Ok(0) => return Ok(bytes),
                Ok(count) => {
                    self.extend(&mut bytes, &part[..count]).map_err(|kind| Error::new(kind, ""))?;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Bytes that are charged while something is written to them; see [`Budget::charged`].
#[derive(Debug)]
pub struct Charged<'b> {
    /// What was written.
    pub bytes: Vec<u8>,
    /// The limit that a write reached; the write returned [`FileTooLarge`](std::io::ErrorKind::FileTooLarge).
    pub refused: Option<ErrorKind>,
    budget: &'b mut Budget,
}

impl std::io::Write for Charged<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if let Err(limit) = self.budget.take(bytes.len() as u64) {
            self.refused = Some(limit);
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
