//! Arrays of numbers whose bytes are interleaved: all first bytes, then all second bytes, and so on,
//! each number big-endian.

use crate::wire::fail::{Fail, Parsed};

/// The bytes of `count` records of `size` bytes, checked before anything is allocated for them.
#[inline]
pub(crate) fn records(input: &[u8], count: usize, size: usize) -> Parsed<'_, &[u8]> {
    match count.checked_mul(size) {
        Some(len) if len <= input.len() => match input.split_at_checked(len) {
            Some((records, rest)) => Ok((rest, records)),
            None => Err(Fail::end(input)),
        },
        _ => Err(Fail::end_of(input)),
    }
}

/// The floats of a record, one after the other.
#[inline]
pub(crate) fn floats<const N: usize>(bytes: &[u8]) -> [f32; N] {
    let mut floats = bytes.as_chunks().0.iter().map(|&float| f32::from_le_bytes(float));
    std::array::from_fn(|_| floats.next().unwrap_or_default())
}

/// The `N` planes of `count` records of `N` bytes.
#[inline]
pub(crate) fn planes<const N: usize>(input: &[u8], count: usize) -> Parsed<'_, [&[u8]; N]> {
    let (rest, mut bytes) = records(input, count, N)?;
    let planes = std::array::from_fn(|_| {
        let (plane, behind) = bytes.split_at_checked(count).unwrap_or_default();
        bytes = behind;
        plane
    });
    Ok((rest, planes))
}

/// `count` numbers of 32 bits.
pub(crate) fn u32s(input: &[u8], count: usize) -> Parsed<'_, impl ExactSizeIterator<Item = u32>> {
    let (rest, [a, b, c, d]) = planes::<4>(input, count)?;
    let bytes = a.iter().zip(b).zip(c).zip(d);
    Ok((rest, bytes.map(|(((&a, &b), &c), &d)| u32::from_be_bytes([a, b, c, d]))))
}

/// `count` numbers of 64 bits.
pub(crate) fn u64s(input: &[u8], count: usize) -> Parsed<'_, impl ExactSizeIterator<Item = u64>> {
    // Their upper halves are the first four planes, their lower halves the others.
    let (input, upper) = u32s(input, count)?;
    let (rest, lower) = u32s(input, count)?;
    Ok((rest, upper.zip(lower).map(|(upper, lower)| u64::from(upper) << 32 | u64::from(lower))))
}

/// `count` numbers with a sign, of 32 bits.
pub(crate) fn i32s(input: &[u8], count: usize) -> Parsed<'_, impl ExactSizeIterator<Item = i32>> {
    let (rest, raw) = u32s(input, count)?;
    Ok((rest, raw.map(unzigzag)))
}

/// `count` numbers with a sign, of 64 bits.
pub(crate) fn i64s(input: &[u8], count: usize) -> Parsed<'_, impl ExactSizeIterator<Item = i64>> {
    let (rest, raw) = u64s(input, count)?;
    Ok((rest, raw.map(unzigzag64)))
}

/// `count` floats in Roblox's form: the sign is in the lowest bit.
pub(crate) fn f32s(input: &[u8], count: usize) -> Parsed<'_, impl ExactSizeIterator<Item = f32>> {
    let (rest, raw) = u32s(input, count)?;
    Ok((rest, raw.map(|raw| f32::from_bits(raw.rotate_right(1)))))
}

/// A number whose sign is in the lowest bit. The shift is one without sign.
#[inline]
fn unzigzag(raw: u32) -> i32 {
    (raw >> 1).cast_signed() ^ (raw & 1).cast_signed().wrapping_neg()
}

#[inline]
fn unzigzag64(raw: u64) -> i64 {
    (raw >> 1).cast_signed() ^ (raw & 1).cast_signed().wrapping_neg()
}

#[inline]
fn zigzag(value: i32) -> u32 {
    (value << 1 ^ value >> 31).cast_unsigned()
}

#[inline]
fn zigzag64(value: i64) -> u64 {
    (value << 1 ^ value >> 63).cast_unsigned()
}

/// Writes numbers of 32 bits.
pub(crate) fn put_u32s(values: impl Iterator<Item = u32> + Clone, out: &mut Vec<u8>) {
    out.extend(values.clone().map(|value| value.to_be_bytes()[0]));
    out.extend(values.clone().map(|value| value.to_be_bytes()[1]));
    out.extend(values.clone().map(|value| value.to_be_bytes()[2]));
    out.extend(values.map(|value| value.to_be_bytes()[3]));
}

/// Writes numbers of 64 bits.
#[allow(clippy::cast_possible_truncation, reason = "the lower half is what is wanted")]
pub(crate) fn put_u64s(values: impl Iterator<Item = u64> + Clone, out: &mut Vec<u8>) {
    put_u32s(values.clone().map(|value| (value >> 32) as u32), out);
    put_u32s(values.map(|value| value as u32), out);
}

/// Writes numbers with a sign, of 32 bits.
pub(crate) fn put_i32s(values: impl Iterator<Item = i32> + Clone, out: &mut Vec<u8>) {
    put_u32s(values.map(zigzag), out);
}

/// Writes numbers with a sign, of 64 bits.
pub(crate) fn put_i64s(values: impl Iterator<Item = i64> + Clone, out: &mut Vec<u8>) {
    put_u64s(values.map(zigzag64), out);
}

/// Writes floats in Roblox's form.
pub(crate) fn put_f32s(values: impl Iterator<Item = f32> + Clone, out: &mut Vec<u8>) {
    put_u32s(values.map(|value| value.to_bits().rotate_left(1)), out);
}
