//! Run-length encoding of the voxels of a block.
//!
//! A run is a byte, then voxels (`vp_t`). The lower seven bits of the byte, plus 1, are a count. If bit 7 is unset,
//! this number of voxels follows. If it is set, one voxel follows, which represents this number of equal voxels.

use super::width::sized_index;
use crate::model::Voxel;
use geom::wire::{Budget, Here, Parsed};

/// The voxels of runs, at most `volume`; none if voxels have no width (`size` is 0).
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
    while let Some(left @ 1..) = volume.checked_sub(voxels.len())
        && let Some((&magic, mut rest)) = input.split_first()
    {
        let count = left.min(usize::from(magic & 0x7f).saturating_add(1));
        budget.reserve(&mut voxels, count).here(input)?;
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

/// Whether bytes of a file are read as these voxels.
pub(crate) fn reads_as(data: &[u8], size: usize, volume: usize, voxels: &[Voxel]) -> bool {
    let mut budget = Budget::new(u64::MAX);
    unpack(data, size, volume, &mut budget).is_ok_and(|(_, unpacked)| unpacked == voxels)
}

/// Run-length encodes the voxels; two or more equal ones are stored as one voxel that is repeated. `size`, in bytes,
/// must be able to represent every voxel.
pub(crate) fn pack(voxels: &[Voxel], size: usize, out: &mut Vec<u8>) {
    let mut put = |first: u8, voxels: &[Voxel]| {
        out.push(first);
        for voxel in voxels {
            out.extend_from_slice(voxel.0.to_le_bytes().get(..size).unwrap_or_default());
        }
    };
    // The first byte of a run has the count less one; a run has at most 128 voxels.
    let less_one = |voxels: &[Voxel]| u8::try_from(voxels.len().saturating_sub(1)).unwrap_or(0);
    // The range of voxels that are not repeated and not yet written.
    let (mut from, mut at) = (0_usize, 0_usize);
    let runs = voxels.chunk_by(|a, b| a == b).flat_map(|run| run.chunks(128));
    for run in runs.chain([&[][..]]) {
        let others = voxels.get(from..at).unwrap_or_default();
        if (run.len() != 1 || others.len() == 128) && !others.is_empty() {
            put(less_one(others), others);
            from = at;
        }
        at = at.saturating_add(run.len());
        if run.len() > 1 {
            put(less_one(run) | 0x80, run.get(..1).unwrap_or_default());
            from = at;
        }
    }
}
