//! Sequences: for each value a u32 count, and as many keypoints of three or five f32.

use nom::Parser;
use nom::error::context;
use nom::number::complete::le_u32;

use crate::error::{Error, Result};
use crate::limits::Budget;
use crate::model::{Color3, ColorSequence, ColorSequenceKeypoint, NumberSequence, NumberSequenceKeypoint};
use crate::wire::column::{Wire, space};
use crate::wire::fail::{At, Fail, Here, Parsed};
use crate::wire::interleave::records;

/// A list of keypoints, each of `N` floats.
trait Sequence<const N: usize>: Sized {
    type Keypoint;
    fn keypoint(floats: [f32; N]) -> Self::Keypoint;
    fn floats(keypoint: &Self::Keypoint) -> [f32; N];
    fn new(keypoints: Vec<Self::Keypoint>) -> Self;
    fn keypoints(&self) -> &[Self::Keypoint];
}

impl Sequence<3> for NumberSequence {
    type Keypoint = NumberSequenceKeypoint;

    fn keypoint([time, value, envelope]: [f32; 3]) -> NumberSequenceKeypoint {
        NumberSequenceKeypoint { time, value, envelope }
    }

    fn floats(&NumberSequenceKeypoint { time, value, envelope }: &NumberSequenceKeypoint) -> [f32; 3] {
        [time, value, envelope]
    }

    fn new(keypoints: Vec<NumberSequenceKeypoint>) -> Self {
        Self { keypoints }
    }

    fn keypoints(&self) -> &[NumberSequenceKeypoint] {
        &self.keypoints
    }
}

impl Sequence<5> for ColorSequence {
    type Keypoint = ColorSequenceKeypoint;

    fn keypoint([time, r, g, b, envelope]: [f32; 5]) -> ColorSequenceKeypoint {
        ColorSequenceKeypoint { time, color: Color3 { r, g, b }, envelope }
    }

    fn floats(&ColorSequenceKeypoint { time, color, envelope }: &ColorSequenceKeypoint) -> [f32; 5] {
        [time, color.r, color.g, color.b, envelope]
    }

    fn new(keypoints: Vec<ColorSequenceKeypoint>) -> Self {
        Self { keypoints }
    }

    fn keypoints(&self) -> &[ColorSequenceKeypoint] {
        &self.keypoints
    }
}

fn read<'a, S: Sequence<N>, const N: usize>(
    input: &'a [u8],
    count: usize,
    budget: &mut Budget,
) -> Parsed<'a, Vec<S>> {
    if count.checked_mul(4).is_none_or(|lengths| lengths > input.len()) {
        return Err(Fail::end_of(input));
    }
    let size = N.saturating_mul(4).max(1);
    let mut sequences = space(count, budget).here(input)?;
    let mut rest = input;
    for index in 0..count {
        let (after, len) = context("keypoint_count", le_u32).parse(rest).index(index)?;
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        let (after, bytes) = records(after, len, size).field("keypoints").index(index)?;
        let mut keypoints = budget.vec(len).here(rest)?;
        for bytes in bytes.chunks_exact(size) {
            let mut floats = bytes.as_chunks().0.iter().map(|&float| f32::from_le_bytes(float));
            keypoints.push(S::keypoint(std::array::from_fn(|_| floats.next().unwrap_or_default())));
        }
        sequences.push(S::new(keypoints));
        rest = after;
    }
    Ok((rest, sequences))
}

fn write<S: Sequence<N>, const N: usize>(sequences: &[S], out: &mut Vec<u8>) -> Result<()> {
    for sequence in sequences {
        let keypoints = sequence.keypoints();
        let len = u32::try_from(keypoints.len())
            .map_err(|_| Error::unwritable("keypoints", "more of them than 32 bits can count"))?;
        out.extend(len.to_le_bytes());
        out.extend(keypoints.iter().flat_map(S::floats).flat_map(f32::to_le_bytes));
    }
    Ok(())
}

macro_rules! wire {
    ($($kind:ty),+) => {$(
        impl Wire for Vec<$kind> {
            fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
                read(input, count, budget)
            }

            fn write(&self, out: &mut Vec<u8>) -> Result<()> {
                write(self, out)
            }
        }
    )+};
}
wire!(NumberSequence, ColorSequence);
