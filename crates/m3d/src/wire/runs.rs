//! The voxels of a block as runs.
//!
//! A run is a byte and voxels (`vp_t`): with bit 7 unset, one more voxels than the byte; with bit
//! 7 set, one voxel that is there one more times than the lower seven bits.

use super::fail::{Here, Parsed};
use super::number::sized_index;
use crate::limits::Budget;
use crate::list::make_space;
use crate::model::Voxel;

/// The voxels of runs, at most `volume`. Bytes without a width of voxels hold none.
pub(crate) fn unpack<'a>(
    data: &'a [u8],
    size: usize,
    volume: usize,
    budget: &mut Budget,
) -> Parsed<'a, Vec<Voxel>> {
    let mut voxels: Vec<Voxel> = Vec::new();
    let mut input = data;
    if size == 0 {
        return Ok((input, voxels));
    }
    while voxels.len() < volume
        && let Some((&magic, mut rest)) = input.split_first()
    {
        let count = usize::from(magic & 0x7f).saturating_add(1);
        let count = count.min(volume.saturating_sub(voxels.len()));
        make_space(&mut voxels, count, budget).here(input)?;
        if magic & 0x80 != 0 {
            let (after, voxel) = read_voxel(rest, size)?;
            voxels.extend(std::iter::repeat_n(voxel, count));
            rest = after;
        } else {
            for _ in 0..count {
                let (after, voxel) = read_voxel(rest, size)?;
                voxels.push(voxel);
                rest = after;
            }
        }
        input = rest;
    }
    Ok((input, voxels))
}

#[inline]
fn read_voxel(input: &[u8], size: usize) -> Parsed<'_, Voxel> {
    let (rest, value) = sized_index(size, input)?;
    #[allow(clippy::cast_possible_truncation, reason = "one or two bytes, and -1 and -2 stay what they are")]
    Ok((rest, Voxel(value as u16)))
}

/// Whether runs still mean some voxels.
pub(crate) fn means(data: &[u8], size: usize, volume: usize, voxels: &[Voxel]) -> bool {
    let mut budget = Budget::new(u64::MAX);
    unpack(data, size, volume, &mut budget).is_ok_and(|(_, unpacked)| unpacked == voxels)
}

/// The voxels as runs: alike ones, from two on, as one. The size represents them all.
pub(crate) fn pack(voxels: &[Voxel], size: usize, out: &mut dyn FnMut(&[u8])) {
    let put = |out: &mut dyn FnMut(&[u8]), voxel: Voxel| {
        let [low, high] = voxel.0.to_le_bytes();
        if size == 1 { out(&[low]) } else { out(&[low, high]) }
    };
    // The first byte of a run is a count less one, and 128 voxels are the most.
    let mut literal: &[Voxel] = &[];
    let mut rest = voxels;
    loop {
        let run = rest.iter().take(128).take_while(|&voxel| Some(voxel) == rest.first()).count();
        if (run != 1 || literal.len() == 128) && !literal.is_empty() {
            out(&[u8::try_from(literal.len().saturating_sub(1)).unwrap_or(0)]);
            for &voxel in literal {
                put(out, voxel);
            }
            literal = &[];
        }
        let Some((&voxel, _)) = rest.split_first() else { break };
        if run == 1 {
            let before = voxels.len().saturating_sub(rest.len()).saturating_sub(literal.len());
            literal = voxels
                .get(before..)
                .and_then(|from| from.get(..literal.len().saturating_add(1)))
                .unwrap_or_default();
        } else {
            out(&[u8::try_from(run.saturating_sub(1)).unwrap_or(0) | 0x80]);
            put(out, voxel);
        }
        rest = rest.get(run..).unwrap_or_default();
    }
}
