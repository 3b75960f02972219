//! Sequences: for each value a u32 count, and its keypoints of three or five f32.

use crate::model::{Color3, ColorSequence, ColorSequenceKeypoint, NumberSequence, NumberSequenceKeypoint};
use crate::wire::column::{Wire, fits, malformed, space};
use crate::wire::count::{count, put_count};
use crate::wire::interleave::{floats, records};
use geom::wire::{Budget, Here, Parsed, Result};

/// Reads lists of keypoints, each of `N` floats.
fn read<'a, K, S, const N: usize>(
    input: &'a [u8],
    len: usize,
    budget: &mut Budget,
    keypoint: impl Fn([f32; N]) -> K,
    sequence: impl Fn(Vec<K>) -> S,
) -> Parsed<'a, Vec<S>> {
    if !fits(input, len, 4) {
        return malformed(input);
    }
    let size = size_of::<[f32; N]>();
    let mut sequences = space(len, budget).here(input)?;
    let mut rest = input;
    for _ in 0..len {
        let (after, count) = count(rest, size)?;
        let (after, bytes) = records(after, count, size)?;
        let mut keypoints = budget.vec(count).here(rest)?;
        keypoints.extend(bytes.chunks_exact(size).map(|bytes| keypoint(floats(bytes))));
        sequences.push(sequence(keypoints));
        rest = after;
    }
    Ok((rest, sequences))
}

/// Writes the keypoints of one value.
fn write<const N: usize>(
    keypoints: impl ExactSizeIterator<Item = [f32; N]>,
    out: &mut Vec<u8>,
) -> Result<()> {
    put_count(keypoints.len(), "keypoints", out)?;
    for keypoint in keypoints {
        out.extend_from_slice(keypoint.map(f32::to_le_bytes).as_flattened());
    }
    Ok(())
}

impl Wire for Vec<NumberSequence> {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        let keypoint = |[time, value, envelope]: [f32; 3]| NumberSequenceKeypoint { time, value, envelope };
        read(input, count, budget, keypoint, |keypoints| NumberSequence { keypoints })
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        self.iter().try_for_each(|sequence| {
            write(sequence.keypoints.iter().map(|k| [k.time, k.value, k.envelope]), out)
        })
    }
}

impl Wire for Vec<ColorSequence> {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        let keypoint = |[time, r, g, b, envelope]: [f32; 5]| ColorSequenceKeypoint {
            time,
            color: Color3 { r, g, b },
            envelope,
        };
        read(input, count, budget, keypoint, |keypoints| ColorSequence { keypoints })
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        self.iter().try_for_each(|sequence| {
            let keypoints = sequence.keypoints.iter();
            write(keypoints.map(|k| [k.time, k.color.r, k.color.g, k.color.b, k.envelope]), out)
        })
    }
}
