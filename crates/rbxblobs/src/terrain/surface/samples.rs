//! The samples of a chunk. A sample is the content of a cube of `step` voxels along each edge.

use crate::terrain::smooth_grid::{Chunk, EDGE, VOXELS, Voxel};

/// The weight of one full voxel.
const FULL: u16 = 256;
/// A sample above this is inside.
pub(super) const HALF: u16 = 255 * FULL / 2;
/// The bit that means that more than half of a face of a sample is covered, seen along its axis.
const COVERED: u8 = 0x80;

/// The kind of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Solid,
    Water,
}

/// The amount of each [`Kind`] in a sample, and the appearance of the sample from outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sample {
    /// The mean amount, 0 to 255 * 256.
    amount: [u16; 2],
    /// The axis, counted from 1, across which there is a layer that is thinner than the sample and covers more than
    /// half of it; 0 without such a layer.
    layer: [u8; 2],
    /// The height of the layer above the middle of the sample, in 1/256 of the sample.
    lift: [i8; 2],
    /// The solid material that is seen from each side, with the bit [`COVERED`]. Face 2 a + s is at s (0 or 1) along
    /// axis a.
    faces: [u8; 6],
}

impl Sample {
    pub(super) const AIR: Self = Self { amount: [0; 2], layer: [0; 2], lift: [0; 2], faces: [0; 6] };

    fn of(Fine { solid, water, material }: Fine) -> Self {
        let amount = [solid, water].map(|amount| u16::from(amount) * FULL);
        let face = if amount[0] > HALF { material | COVERED } else { material };
        Self { amount, faces: [face; 6], ..Self::AIR }
    }

    pub(super) fn amount(&self, kind: Kind) -> u16 {
        self.amount[kind as usize]
    }

    pub(super) fn is_inside(&self, kind: Kind) -> bool {
        self.amount(kind) > HALF
    }

    /// The amount that determines where the surface is between this sample and the next one along an axis.
    pub(super) fn amount_along(&self, kind: Kind, axis: usize) -> u16 {
        // A kept layer is thin only across its own axis.
        match usize::from(self.layer[kind as usize]).checked_sub(1) {
            Some(across) if across != axis => 255 * FULL,
            _ => self.amount(kind),
        }
    }

    /// The height of a layer that is kept, in samples.
    pub(super) fn lift(&self, kind: Kind) -> f32 {
        f32::from(self.lift[kind as usize]) / 256.0
    }

    /// The axis of a layer that would be lost, since the mean amount is too small.
    pub(super) fn thin(&self, kind: Kind) -> Option<usize> {
        let axis = usize::from(self.layer[kind as usize]).checked_sub(1)?;
        (!self.is_inside(kind)).then_some(axis)
    }

    /// Makes the sample of a thin layer inside, with an amount that keeps the thickness of the layer.
    pub(super) fn keep(&mut self, kind: Kind) {
        let most = u32::from(255 * FULL);
        let amount = &mut self.amount[kind as usize];
        // The surface is where the amount, which decreases from here to 0 in the next sample, is a half.
        let kept = u32::from(HALF) * 2 * most / (2 * most - u32::from(*amount)) + 1;
        *amount = u16::try_from(kept).unwrap_or(u16::MAX);
    }

    /// Forgets the layer, because it is a part of something thicker that is found by its amount.
    pub(super) fn join(&mut self, kind: Kind) {
        (self.layer[kind as usize], self.lift[kind as usize]) = (0, 0);
    }

    /// The material of the surface between this sample, which is inside, and a sample outside.
    pub(super) fn material(&self, outside: &Self, face: usize) -> u8 {
        match outside.faces[face] {
            covered if covered & COVERED != 0 => covered & !COVERED,
            _ => self.faces[face] & !COVERED,
        }
    }
}

/// The content of a voxel from which samples are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fine {
    solid: u8,
    water: u8,
    material: u8,
}

impl From<Voxel> for Fine {
    fn from(voxel: Voxel) -> Self {
        let (filled, water) = (voxel.filled(), voxel.water.unwrap_or(0));
        match voxel.material {
            0 => Self { water, ..Self::default() },
            1 => Self { water: filled, ..Self::default() },
            material => Self { solid: filled, water, material },
        }
    }
}

/// The samples of a chunk in the order of its voxels: along x first, then z, then y.
#[derive(Debug)]
pub(super) enum Samples {
    Uniform(Sample),
    /// The voxels themselves, for step 1.
    Fine(Box<[Fine]>),
    Coarse(Box<[Sample]>),
}

/// Whether all voxels of a chunk are inside, for each [`Kind`].
pub(super) type Side = [bool; 2];

/// The side of a chunk, at every step; `None` if some of its voxels are on another side than others. A layer that is
/// thinner than a sample has voxels that are inside, so it has two sides.
pub(super) fn side(chunk: &Chunk) -> Option<Side> {
    let side_of = |voxel: Voxel| {
        let sample = Sample::of(voxel.into());
        [Kind::Solid, Kind::Water].map(|kind| sample.is_inside(kind))
    };
    let mut sides = chunk.runs.iter().map(|run| side_of(run.0));
    let first = sides.next().unwrap_or_default();
    sides.all(|side| side == first).then_some(first)
}

fn is_uniform(chunk: &Chunk) -> bool {
    chunk.runs.iter().all(|run| run.0 == chunk.runs[0].0)
}

impl Samples {
    pub(super) fn of(chunk: &Chunk, step: u32) -> Self {
        if is_uniform(chunk) {
            return Self::Uniform(chunk.runs.first().map_or(Sample::AIR, |run| Sample::of(run.0.into())));
        }
        let mut voxels = Vec::with_capacity(VOXELS);
        for &(voxel, count) in &chunk.runs {
            let count = usize::from(count).min(VOXELS - voxels.len());
            voxels.resize(voxels.len() + count, Fine::from(voxel));
        }
        voxels.resize(VOXELS, Fine::default());
        if step == 1 {
            return Self::Fine(voxels.into());
        }
        let step = step as usize;
        let edge = EDGE / step;
        let block = |index: usize| {
            let at = [index % edge, index / edge / edge, index / edge % edge].map(|at| at * step);
            Block { voxels: &voxels, at, step }.sample()
        };
        Self::Coarse((0..edge * edge * edge).map(block).collect())
    }

    /// The maximum memory for making the samples of a chunk, in bytes.
    pub(super) fn most(chunk: &Chunk, step: u32) -> u64 {
        let edge = EDGE as u64 / u64::from(step);
        let fine = (VOXELS * size_of::<Fine>()) as u64;
        match (is_uniform(chunk), step) {
            (true, _) => 0,
            (false, 1) => fine,
            (false, _) => fine + edge * edge * edge * size_of::<Sample>() as u64,
        }
    }

    /// The memory of the samples, in bytes.
    pub(super) fn size(&self) -> u64 {
        match self {
            Self::Uniform(_) => 0,
            Self::Fine(voxels) => size_of_val::<[Fine]>(voxels) as u64,
            Self::Coarse(samples) => size_of_val::<[Sample]>(samples) as u64,
        }
    }

    /// Copies a part of a row along x into a row.
    pub(super) fn copy(&self, start: usize, to: &mut [Sample]) {
        let end = start + to.len();
        match self {
            Self::Uniform(sample) => to.fill(*sample),
            Self::Fine(voxels) => {
                to.iter_mut().zip(&voxels[start..end]).for_each(|(to, &voxel)| *to = Sample::of(voxel));
            }
            Self::Coarse(samples) => to.copy_from_slice(&samples[start..end]),
        }
    }
}

/// The voxels of a sample.
struct Block<'a> {
    voxels: &'a [Fine],
    /// The coordinates of the first voxel.
    at: [usize; 3],
    step: usize,
}

impl Block<'_> {
    fn voxel(&self, inner: [usize; 3]) -> Fine {
        let [x, y, z]: [usize; 3] = std::array::from_fn(|axis| self.at[axis] + inner[axis]);
        self.voxels[x + EDGE * (z + EDGE * y)]
    }

    /// The voxels of a row along an axis, by the number of the row.
    fn row(&self, axis: usize, row: usize) -> impl DoubleEndedIterator<Item = Fine> + '_ {
        (0..self.step).map(move |along| {
            let mut inner = [0; 3];
            (inner[axis], inner[(axis + 1) % 3], inner[(axis + 2) % 3]) =
                (along, row % self.step, row / self.step);
            self.voxel(inner)
        })
    }

    fn sample(&self) -> Sample {
        let first = self.voxel([0; 3]);
        let rows = self.step * self.step;
        if (0..rows).all(|row| self.row(0, row).all(|voxel| voxel == first)) {
            return Sample::of(first);
        }
        let mut sample = Sample::AIR;
        let (mut sums, mut most) = ([0_usize; 2], [0; 2]);
        for axis in 0..3 {
            // The sum of the maxima of the rows along the axis, and the content that is seen first from either end.
            let (mut covered, mut seen) = ([0; 2], [Seen::default(); 2]);
            for row in 0..rows {
                let mut highest = [0; 2];
                for voxel in self.row(axis, row) {
                    for (kind, amount) in [voxel.solid, voxel.water].map(usize::from).into_iter().enumerate()
                    {
                        highest[kind] = amount.max(highest[kind]);
                        sums[kind] += if axis == 0 { amount } else { 0 };
                    }
                }
                covered.iter_mut().zip(highest).for_each(|(sum, highest)| *sum += highest);
                let solid = |voxel: &Fine| voxel.solid > 0;
                self.row(axis, row).find(solid).into_iter().for_each(|voxel| seen[0].add(voxel));
                self.row(axis, row).rfind(solid).into_iter().for_each(|voxel| seen[1].add(voxel));
            }
            let half = rows * 255 / 2;
            for (side, seen) in seen.into_iter().enumerate() {
                let flag = if covered[0] > half { COVERED } else { 0 };
                sample.faces[2 * axis + side] = seen.material | flag;
            }
            for kind in 0..2 {
                if covered[kind] > half && covered[kind] > most[kind] {
                    most[kind] = covered[kind];
                    sample.layer[kind] = u8::try_from(axis + 1).unwrap_or(0);
                }
            }
        }
        let voxels = rows * self.step;
        for (kind, sum) in sums.into_iter().enumerate() {
            sample.amount[kind] = u16::try_from(sum * usize::from(FULL) / voxels).unwrap_or(u16::MAX);
            if sample.amount[kind] > HALF {
                sample.layer[kind] = 0;
            } else if sample.layer[kind] == 2 {
                sample.lift[kind] = self.lift(kind, sum);
            }
        }
        sample
    }

    /// The mean height of the content above the middle of the sample, in 1/256 of the sample.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "small, and at most a half of 256"
    )]
    fn lift(&self, kind: usize, sum: usize) -> i8 {
        let rows = (0..self.step * self.step).flat_map(|row| self.row(1, row).enumerate());
        let moment: usize =
            rows.map(|(y, voxel)| (2 * y + 1) * usize::from([voxel.solid, voxel.water][kind])).sum();
        let mean = moment as f32 / (2.0 * sum as f32) / self.step as f32;
        ((mean - 0.5) * 256.0) as i8
    }
}

/// Finds the material that is seen in most rows, by majority vote.
#[derive(Clone, Copy, Default)]
struct Seen {
    material: u8,
    /// The number of rows by which the material is ahead of the others.
    ahead: u16,
}

impl Seen {
    fn add(&mut self, voxel: Fine) {
        if voxel.material == self.material {
            self.ahead += 1;
        } else if self.ahead == 0 {
            (self.material, self.ahead) = (voxel.material, 1);
        } else {
            self.ahead -= 1;
        }
    }
}
