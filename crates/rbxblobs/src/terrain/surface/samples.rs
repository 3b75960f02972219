//! The samples of a chunk: means of a step's voxels each way.

use crate::terrain::smooth_grid::{Chunk, EDGE, VOXELS, Voxel};

/// What one full voxel counts.
const FULL: u16 = 256;
/// A sample above this is inside.
pub(super) const HALF: u16 = 255 * FULL / 2;

/// How much there is, of 255 * 256.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) solid: u16,
    pub(super) water: u16,
    /// The solid material that there is most of, where one is more than all others together.
    pub(super) material: u8,
}

/// The samples of a chunk in the order of its voxels: along x first, then z, then y.
#[derive(Debug)]
pub(super) enum Samples {
    Uniform(Sample),
    Dense(Box<[Sample]>),
}

/// Sums of the voxels of a sample.
#[derive(Clone, Copy, Default)]
struct Sum {
    solid: u32,
    water: u32,
    material: u8,
    /// By how much the material is ahead of the others.
    ahead: u32,
}

impl Sum {
    fn add(&mut self, voxel: Sum, count: u32) {
        let solid = voxel.solid * count;
        self.solid += solid;
        self.water += voxel.water * count;
        if voxel.material == self.material {
            self.ahead += solid;
        } else if solid > self.ahead {
            (self.material, self.ahead) = (voxel.material, solid - self.ahead);
        } else {
            self.ahead -= solid;
        }
    }

    /// The mean of a number of voxels.
    #[allow(clippy::cast_possible_truncation, reason = "a mean of numbers up to 255")]
    fn mean(self, voxels: u32) -> Sample {
        let mean = |sum: u32| (sum * u32::from(FULL) / voxels) as u16;
        Sample { solid: mean(self.solid), water: mean(self.water), material: self.material }
    }
}

/// A voxel as a sum of one.
fn single(voxel: Voxel) -> Sum {
    let filled = voxel.filled().into();
    let water = voxel.water.unwrap_or(0).into();
    match voxel.material {
        0 => Sum { water, ..Sum::default() },
        1 => Sum { water: filled, ..Sum::default() },
        material => Sum { solid: filled, water, material, ahead: 0 },
    }
}

fn is_uniform(chunk: &Chunk) -> bool {
    chunk.runs.iter().all(|run| run.0 == chunk.runs[0].0)
}

impl Samples {
    pub(super) fn of(chunk: &Chunk, step: u32) -> Self {
        let first = chunk.runs.first().map_or(Sum::default(), |run| single(run.0));
        if is_uniform(chunk) {
            return Self::Uniform(first.mean(1));
        }
        let runs = chunk.runs.iter().map(|&(voxel, count)| (single(voxel), usize::from(count)));
        if step == 1 {
            let mut samples = Vec::with_capacity(VOXELS);
            for (voxel, count) in runs {
                let count = count.min(VOXELS - samples.len());
                samples.resize(samples.len() + count, voxel.mean(1));
            }
            samples.resize(VOXELS, Sample::default());
            return Self::Dense(samples.into());
        }
        let step = step as usize;
        let edge = EDGE / step;
        let mut sums = vec![Sum::default(); edge * edge * edge];
        let mut index = 0;
        for (voxel, mut count) in runs {
            count = count.min(VOXELS - index);
            while count > 0 {
                let [x, z, y] = [index % EDGE, index / EDGE % EDGE, index / EDGE / EDGE];
                let part = count.min(step - x % step);
                let at = x / step + edge * (z / step + edge * (y / step));
                sums[at].add(voxel, u32::try_from(part).unwrap_or(0));
                index += part;
                count -= part;
            }
        }
        let voxels = u32::try_from(step * step * step).unwrap_or(1);
        Self::Dense(sums.into_iter().map(|sum| sum.mean(voxels)).collect())
    }

    /// The most memory that making those of a chunk takes.
    pub(super) fn most(chunk: &Chunk, step: u32) -> u64 {
        let edge = EDGE as u64 / u64::from(step);
        let sums = if step == 1 { 0 } else { size_of::<Sum>() };
        match is_uniform(chunk) {
            true => 0,
            false => edge * edge * edge * (size_of::<Sample>() + sums) as u64,
        }
    }

    /// The memory that they take.
    pub(super) fn size(&self) -> u64 {
        match self {
            Self::Uniform(_) => 0,
            Self::Dense(samples) => size_of_val::<[Sample]>(samples) as u64,
        }
    }

    /// Copies a part of a row along x into a row.
    pub(super) fn copy(&self, start: usize, to: &mut [Sample]) {
        match self {
            Self::Uniform(sample) => to.fill(*sample),
            Self::Dense(samples) => to.copy_from_slice(&samples[start..start + to.len()]),
        }
    }
}
