//! Arrays of numbers whose bytes are interleaved: all first bytes, then all second bytes, and so on,
//! each number big-endian.

use geom::wire::{Fail, Parsed};

/// The bytes of `count` records of `size` bytes each; an error if the input is shorter.
#[inline]
pub(crate) fn records(input: &[u8], count: usize, size: usize) -> Parsed<'_, &[u8]> {
    match count.checked_mul(size).and_then(|len| input.split_at_checked(len)) {
        Some((records, rest)) => Ok((rest, records)),
        None => Err(Fail::end_of(input)),
    }
}

/// The little-endian floats of a record.
#[inline]
pub(crate) fn floats<const N: usize>(bytes: &[u8]) -> [f32; N] {
    let mut floats = bytes.as_chunks().0.iter().map(|&float| f32::from_le_bytes(float));
    std::array::from_fn(|_| floats.next().unwrap_or_default())
}

/// The `N` planes of `count` numbers of `N` bytes: all first bytes, all second bytes, and so on.
#[inline]
pub(crate) fn planes<const N: usize>(input: &[u8], count: usize) -> Parsed<'_, [&[u8]; N]> {
    let (rest, mut bytes) = records(input, count, N)?;
    let planes = std::array::from_fn(|_| {
        let (plane, after) = bytes.split_at_checked(count).unwrap_or_default();
        bytes = after;
        plane
    });
    Ok((rest, planes))
}

/// The maximum number of values that are written without an allocation.
const FEW: usize = 32;

/// Writes `count` words, which `fill` provides. It is compiled once, not once for each field.
#[allow(clippy::cast_possible_truncation, reason = "a byte of each word is what is wanted")]
fn write_words(count: usize, fill: &mut dyn FnMut(&mut [u32]), out: &mut Vec<u8>) {
    if count == 1 {
        // Most columns of a place have one value.
        let mut word = [0];
        fill(&mut word);
        return out.extend_from_slice(word.map(u32::to_be_bytes).as_flattened());
    }
    let (mut few, mut many) = ([0; FEW], Vec::new());
    let words = match few.get_mut(..count) {
        Some(words) => words,
        None => {
            many.resize(count, 0);
            many.as_mut_slice()
        }
    };
    fill(words);
    out.reserve(size_of_val(words));
    for shift in [24, 16, 8, 0] {
        out.extend(words.iter().map(|word| (word >> shift) as u8));
    }
}

/// A number type that files store in arrays.
pub(crate) trait Number: Copy {
    /// Reads `count` numbers.
    fn read(input: &[u8], count: usize) -> Parsed<'_, impl ExactSizeIterator<Item = Self>>;

    /// Writes the number that `get` returns for each value.
    fn write<T>(values: &[T], get: impl Fn(&T) -> Self, out: &mut Vec<u8>);
}

impl Number for u8 {
    fn read(input: &[u8], count: usize) -> Parsed<'_, impl ExactSizeIterator<Item = Self>> {
        let (rest, bytes) = records(input, count, 1)?;
        Ok((rest, bytes.iter().copied()))
    }

    fn write<T>(values: &[T], get: impl Fn(&T) -> Self, out: &mut Vec<u8>) {
        out.extend(values.iter().map(get));
    }
}

impl Number for u32 {
    fn read(input: &[u8], count: usize) -> Parsed<'_, impl ExactSizeIterator<Item = Self>> {
        let (rest, [a, b, c, d]) = planes::<4>(input, count)?;
        let bytes = a.iter().zip(b).zip(c).zip(d);
        Ok((rest, bytes.map(|(((&a, &b), &c), &d)| Self::from_be_bytes([a, b, c, d]))))
    }

    fn write<T>(values: &[T], get: impl Fn(&T) -> Self, out: &mut Vec<u8>) {
        let mut rest = values.iter();
        let mut fill = |words: &mut [Self]| {
            for (word, value) in words.iter_mut().zip(&mut rest) {
                *word = get(value);
            }
        };
        write_words(values.len(), &mut fill, out);
    }
}

impl Number for u64 {
    fn read(input: &[u8], count: usize) -> Parsed<'_, impl ExactSizeIterator<Item = Self>> {
        // The first four planes are the upper halves, the other four the lower halves.
        let (input, upper) = u32::read(input, count)?;
        let (rest, lower) = u32::read(input, count)?;
        Ok((rest, upper.zip(lower).map(|(upper, lower)| Self::from(upper) << 32 | Self::from(lower))))
    }

    #[allow(clippy::cast_possible_truncation, reason = "the lower half is what is wanted")]
    fn write<T>(values: &[T], get: impl Fn(&T) -> Self, out: &mut Vec<u8>) {
        u32::write(values, |value| (get(value) >> 32) as u32, out);
        u32::write(values, |value| get(value) as u32, out);
    }
}

/// Numbers whose sign is stored in the lowest bit.
macro_rules! signed {
    ($($kind:ty as $raw:ty: |$from:ident| $value:expr, |$to:ident| $coded:expr;)+) => {$(
        impl Number for $kind {
            fn read(input: &[u8], count: usize) -> Parsed<'_, impl ExactSizeIterator<Item = Self>> {
                let (rest, raw) = <$raw>::read(input, count)?;
                Ok((rest, raw.map(|$from| $value)))
            }

            fn write<T>(values: &[T], get: impl Fn(&T) -> Self, out: &mut Vec<u8>) {
                let coded = |$to: Self| $coded;
                <$raw>::write(values, |value| coded(get(value)), out);
            }
        }
    )+};
}
signed! {
    i32 as u32: |raw| (raw >> 1).cast_signed() ^ (raw & 1).cast_signed().wrapping_neg(),
        |value| (value << 1 ^ value >> 31).cast_unsigned();
    i64 as u64: |raw| (raw >> 1).cast_signed() ^ (raw & 1).cast_signed().wrapping_neg(),
        |value| (value << 1 ^ value >> 63).cast_unsigned();
    f32 as u32: |raw| Self::from_bits(raw.rotate_right(1)), |value| value.to_bits().rotate_left(1);
}
