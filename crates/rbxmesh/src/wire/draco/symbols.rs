//! Compressed runs of unsigned integers: either each integer is a symbol (*raw*), or the integers of a tuple are plain
//! bits, whose number is the symbol (*tagged*).

use nom::Parser;
use nom::error::context;
use nom::number::complete::le_u8;

use crate::wire::draco::bits::{Bits, BitsOut, bit_length};
use crate::wire::draco::rans::{Decoder, Frequencies, Table};
use geom::wire::{At, Budget, Fail, Parsed};

pub(crate) const TAGGED: u8 = 0;
pub(crate) const RAW: u8 = 1;

/// The symbol bits of the table of tags. A tag is a number of bits, 0 to 32.
const TAG_BITS: u32 = 5;
/// The maximum number of bits of a raw symbol.
const RAW_BITS: u32 = 18;

/// Fills `values`, tuples of `width` integers, and returns a number that none of them exceeds. For an empty slice, the
/// stream has no bytes.
pub(crate) fn read<'a>(
    start: &'a [u8],
    values: &mut [u32],
    width: usize,
    budget: &mut Budget,
) -> Parsed<'a, u32> {
    if values.is_empty() {
        return Ok((start, 0));
    }
    let (input, scheme) = context("scheme", le_u8).parse(start)?;
    match scheme {
        TAGGED => read_tagged(input, values, width, budget),
        RAW => read_raw(input, values, budget),
        other => Err(Fail::invalid(start, format!("unknown symbol encoding {other} (expected 0 or 1)"))),
    }
}

fn read_raw<'a>(start: &'a [u8], values: &mut [u32], budget: &mut Budget) -> Parsed<'a, u32> {
    let (input, bits) = context("symbol_bits", le_u8).parse(start)?;
    if !(1..=RAW_BITS).contains(&bits.into()) {
        return Err(Fail::invalid(start, format!("expected symbols of 1 to {RAW_BITS} bits, found {bits}")))
            .field("symbol_bits");
    }
    let (input, table) = Table::read(input, bits.into(), budget)?;
    let (rest, decoder) = Decoder::read(input, &table)?;
    if let Some(only) = table.only() {
        values.fill(only);
        return Ok((rest, only));
    }
    let done = decoder.run(values.iter_mut(), |value, symbol| {
        *value = symbol;
        Some(())
    });
    match done {
        Some(()) => Ok((rest, table.largest())),
        None => Err(Fail::end(rest)).field("symbols"),
    }
}

fn read_tagged<'a>(
    start: &'a [u8],
    values: &mut [u32],
    width: usize,
    budget: &mut Budget,
) -> Parsed<'a, u32> {
    let (input, table) = Table::read(start, TAG_BITS, budget)?;
    let (input, tags) = Decoder::read(input, &table)?;
    if table.largest() > u32::BITS {
        return Err(Fail::invalid(
            start,
            format!("expected values of at most 32 bits, found {}", table.largest()),
        ));
    }
    let mut bits = Bits::new(input);
    let done = match width {
        3 => tags.run(values.as_chunks_mut::<3>().0.iter_mut(), |tuple, tag| bits.fill(tuple, tag)),
        _ => tags.run(values.chunks_mut(width.max(1)), |tuple, tag| bits.fill(tuple, tag)),
    };
    match done {
        Some(()) => Ok((bits.finish(input), u32::MAX.unbounded_shr(u32::BITS.wrapping_sub(table.largest())))),
        // The tags or the values ended too early.
        None => Err(Fail::end_of(input)).field("values"),
    }
}

/// Writes tuples of `width` integers with the scheme that takes less space.
pub(crate) fn write(values: &[u32], width: usize, out: &mut Vec<u8>) {
    if values.is_empty() {
        return;
    }
    let tag = |tuple: &[u32]| bit_length(tuple.iter().fold(0, |all, value| all | value)).max(1);
    let mut tags = vec![0_u32; 33];
    for tuple in values.chunks(width.max(1)) {
        add(&mut tags, tag(tuple));
    }
    while tags.last() == Some(&0) {
        tags.pop();
    }
    let largest = values.iter().copied().max().unwrap_or(0);
    let symbols = (bit_length(largest) <= RAW_BITS).then(|| {
        let mut counts: Vec<u32> = (0..=largest).map(|_| 0).collect();
        for &value in values {
            add(&mut counts, value);
        }
        counts
    });
    let tagged_cost = cost(&tags) + plain_bits(&tags, width);
    match symbols.filter(|counts| cost(counts) <= tagged_cost) {
        Some(counts) => {
            let frequencies = Frequencies::new(&counts, None);
            out.extend([RAW, frequencies.symbol_bits().to_le_bytes()[0]]);
            frequencies.write(out);
            frequencies.encode(values.iter().copied(), out);
        }
        None => {
            let frequencies = Frequencies::new(&tags, Some(TAG_BITS));
            out.push(TAGGED);
            frequencies.write(out);
            frequencies.encode(values.chunks(width.max(1)).map(tag), out);
            let mut bits = BitsOut::default();
            for tuple in values.chunks(width.max(1)) {
                let tag = tag(tuple);
                for &value in tuple {
                    bits.write(value, tag);
                }
            }
            out.extend_from_slice(&bits.finish());
        }
    }
}

fn add(counts: &mut [u32], symbol: u32) {
    if let Some(count) = counts.get_mut(symbol as usize) {
        // A count beyond 32 bits only makes the frequencies less exact.
        *count = count.saturating_add(1);
    }
}

/// The approximate number of bits of the symbols and their table.
#[allow(clippy::cast_precision_loss, reason = "an estimate")]
fn cost(counts: &[u32]) -> f64 {
    let total = counts.iter().map(|&count| f64::from(count)).sum::<f64>();
    let used = counts.iter().filter(|&&count| count > 0);
    let symbols =
        used.clone().map(|&count| f64::from(count) * (total / f64::from(count)).log2()).sum::<f64>();
    let absent = counts.iter().filter(|&&count| count == 0).count() as f64;
    symbols + used.count() as f64 * 12.0 + absent / 8.0
}

/// The number of bits of the plain values that follow the tags.
#[allow(clippy::cast_precision_loss, reason = "an estimate")]
fn plain_bits(tags: &[u32], width: usize) -> f64 {
    tags.iter().enumerate().map(|(tag, &count)| tag as f64 * f64::from(count)).sum::<f64>() * width as f64
}
