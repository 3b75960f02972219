//! Strings: a u32 length and as many bytes. And lists of them, and of keypoints.

use nom::Parser;
use nom::bytes::complete::take;
use nom::error::context;
use nom::number::complete::le_u32;

use crate::error::{Error, Result};
use crate::limits::Budget;
use crate::model::{Color3, ColorSequenceKeypoint, NumberSequenceKeypoint, Sequences, Strings};
use crate::wire::fail::{At, Fail, Here, Parsed};
use crate::wire::interleave::records;

/// A string. Files hold more of them than of anything else: this is two checks and no more.
#[inline]
pub(crate) fn read(input: &[u8]) -> Parsed<'_, &[u8]> {
    let split = input
        .split_first_chunk()
        .and_then(|(&len, behind)| behind.split_at_checked(usize::try_from(u32::from_le_bytes(len)).ok()?));
    match split {
        Some((string, rest)) => Ok((rest, string)),
        None => missing(input),
    }
}

/// What is missing of a string.
#[cold]
fn missing(input: &[u8]) -> Parsed<'_, &[u8]> {
    let (input, len) = context("length", le_u32).parse(input)?;
    take(len)(input)
}

/// Writes a string; `path` names it where it is too long.
pub(crate) fn write(bytes: &[u8], path: &'static str, out: &mut Vec<u8>) -> Result<()> {
    let len = u32::try_from(bytes.len())
        .map_err(|_| Error::unwritable(path, "more than 4 GiB: a length has 32 bits"))?;
    out.extend(len.to_le_bytes());
    out.extend_from_slice(bytes);
    Ok(())
}

/// `count` strings, one behind the other.
pub(crate) fn read_list<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Strings> {
    if count.checked_mul(4).is_none_or(|lengths| lengths > input.len()) {
        return Err(Fail::end(input.get(input.len()..).unwrap_or(input)));
    }
    // The strings first, and then, where each ends: as long as the chunk, which has both.
    let mut buffer: Vec<u8> = budget.vec(input.len()).here(input)?;
    let mut rest = input;
    for index in 0..count {
        let (behind, string) = read(rest).index(index)?;
        buffer.extend_from_slice(string);
        rest = behind;
    }
    // Within the chunk, whose length has 32 bits.
    let len = u32::try_from(count).map_err(|_| Fail::invalid(input, "too many strings"))?;
    let (mut rest, mut end) = (input, 0_u32);
    for _ in 0..count {
        let (behind, string) = read(rest)?;
        let more = u32::try_from(string.len()).ok();
        end = more.and_then(|more| end.checked_add(more)).ok_or_else(|| Fail::invalid(rest, "too long"))?;
        buffer.extend_from_slice(&end.to_le_bytes());
        rest = behind;
    }
    // Where other things follow in the chunk, the buffer was made too large.
    if buffer.len() < buffer.capacity() {
        buffer.shrink_to_fit();
    }
    Ok((rest, Strings::from_buffer(buffer, len)))
}

/// Strings that stand one by one among other things.
#[derive(Debug, Default)]
pub(crate) struct Gather {
    strings: Vec<u8>,
    ends: Vec<u8>,
    len: u32,
}

impl Gather {
    /// Adds a string; false where 32 bits can count no further.
    pub(crate) fn push(&mut self, string: &[u8]) -> bool {
        self.strings.extend_from_slice(string);
        let (Ok(end), Some(len)) = (u32::try_from(self.strings.len()), self.len.checked_add(1)) else {
            return false;
        };
        self.ends.extend_from_slice(&end.to_le_bytes());
        self.len = len;
        true
    }

    /// The list of them.
    pub(crate) fn finish(mut self) -> Strings {
        self.strings.reserve_exact(self.ends.len());
        self.strings.extend_from_slice(&self.ends);
        self.strings.shrink_to_fit();
        Strings::from_buffer(self.strings, self.len)
    }
}

/// Writes strings, one behind the other.
pub(crate) fn write_list(strings: &Strings, out: &mut Vec<u8>) -> Result<()> {
    out.reserve(strings.total_len().saturating_add(strings.len().saturating_mul(4)));
    strings.iter().try_for_each(|string| write(string, "length", out))
}

/// A keypoint: `N` floats one behind the other.
pub(crate) trait Keypoint<const N: usize>: Sized + Clone {
    fn from_floats(floats: [f32; N]) -> Self;
    fn to_floats(&self) -> [f32; N];
}

impl Keypoint<3> for NumberSequenceKeypoint {
    fn from_floats([time, value, envelope]: [f32; 3]) -> Self {
        Self { time, value, envelope }
    }

    fn to_floats(&self) -> [f32; 3] {
        [self.time, self.value, self.envelope]
    }
}

impl Keypoint<5> for ColorSequenceKeypoint {
    fn from_floats([time, r, g, b, envelope]: [f32; 5]) -> Self {
        Self { time, color: Color3 { r, g, b }, envelope }
    }

    fn to_floats(&self) -> [f32; 5] {
        let Color3 { r, g, b } = self.color;
        [self.time, r, g, b, self.envelope]
    }
}

/// `count` lists of keypoints: a u32 count and as many keypoints each.
pub(crate) fn read_sequences<'a, K: Keypoint<N>, const N: usize>(
    input: &'a [u8],
    count: usize,
    budget: &mut Budget,
) -> Parsed<'a, Sequences<K>> {
    let Some(most) = count.checked_mul(4).and_then(|lengths| input.len().checked_sub(lengths)) else {
        return Err(Fail::end(input.get(input.len()..).unwrap_or(input)));
    };
    let size = N.saturating_mul(4).max(1);
    let mut keypoints: Vec<K> = budget.vec(most.checked_div(size).unwrap_or(0)).here(input)?;
    let mut ends: Vec<u32> = budget.vec(count).here(input)?;
    let mut rest = input;
    for index in 0..count {
        let (behind, len) = context("keypoint_count", le_u32).parse(rest).index(index)?;
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        let (behind, bytes) = records(behind, len, size).field("keypoints").index(index)?;
        for bytes in bytes.chunks_exact(size) {
            let mut floats = bytes.as_chunks().0.iter().map(|&float| f32::from_le_bytes(float));
            keypoints.push(K::from_floats(std::array::from_fn(|_| floats.next().unwrap_or_default())));
        }
        ends.push(u32::try_from(keypoints.len()).map_err(|_| Fail::invalid(rest, "too many keypoints"))?);
        rest = behind;
    }
    Ok((rest, Sequences::from_buffers(keypoints, ends)))
}

/// Writes lists of keypoints.
pub(crate) fn write_sequences<K: Keypoint<N>, const N: usize>(
    lists: &Sequences<K>,
    out: &mut Vec<u8>,
) -> Result<()> {
    for list in lists.iter() {
        let len = u32::try_from(list.len())
            .map_err(|_| Error::unwritable("keypoints", "more of them than 32 bits can count"))?;
        out.extend(len.to_le_bytes());
        for keypoint in list {
            out.extend(keypoint.to_floats().into_iter().flat_map(f32::to_le_bytes));
        }
    }
    Ok(())
}
