//! Joint weights of vertices.

use crate::consts::NO_JOINT;

/// The joints that a vertex follows, at most four, and their weights.
///
/// ```
/// use slmesh::VertexWeights;
///
/// let weights = VertexWeights::from_shares(&[(2, 3.0), (0, 1.0)]);
/// assert_eq!(weights.influences().collect::<Vec<_>>(), [(2, 49_151), (0, 16_384)]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct VertexWeights {
    /// Indices into [`crate::Skin::joint_names`]. If there are fewer than four, [`NO_JOINT`] follows the last.
    pub joints: [u8; 4],
    /// The weights: 65,535 is the whole, and 0 if there is no joint.
    pub weights: [u16; 4],
}

impl Default for VertexWeights {
    fn default() -> Self {
        Self { joints: [NO_JOINT; 4], weights: [0; 4] }
    }
}

impl VertexWeights {
    /// A vertex that follows only one joint.
    pub fn rigid(joint: u8) -> Self {
        Self { joints: [joint, NO_JOINT, NO_JOINT, NO_JOINT], weights: [u16::MAX, 0, 0, 0] }
    }

    /// From joints and shares of any sum, in any order: keeps the four greatest, greatest first, and scales them to
    /// a sum of 65,535. Shares that are not above 0 are dropped.
    pub fn from_shares(shares: &[(u8, f32)]) -> Self {
        let mut shares: Vec<(u8, f64)> = shares
            .iter()
            .filter(|(_, share)| *share > 0.0 && share.is_finite())
            .map(|&(joint, share)| (joint, share.into()))
            .collect();
        geom::sort::by(&mut shares, |(_, a), (_, b)| b.total_cmp(a));
        shares.truncate(4);
        let sum: f64 = shares.iter().map(|(_, share)| share).sum();
        let mut weights = Self::default();
        // The running sum is rounded, not each weight: the total is exact, and no weight is off by more than a step.
        let (mut before, mut running) = (0, 0.0);
        for (index, (joint, share)) in shares.into_iter().enumerate() {
            running += share;
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 65,535")]
            let end = (running / sum * 65_535.0).round() as u16;
            weights.joints[index] = joint;
            weights.weights[index] = end - before;
            before = end;
        }
        weights
    }

    /// The joints and their weights.
    pub fn influences(&self) -> impl Iterator<Item = (u8, u16)> {
        self.joints.into_iter().zip(self.weights).take_while(|&(joint, _)| joint != NO_JOINT)
    }

    /// The joints and their weights scaled to a sum of 1, as in glTF: unused ones are joint 0 with weight 0. A
    /// vertex without any weight follows only the first joint, as in the viewer.
    pub fn normalized(&self) -> ([u16; 4], [f32; 4]) {
        let (mut joints, mut weights) = ([0; 4], [0.0; 4]);
        let sum: f32 = self.influences().map(|(_, weight)| f32::from(weight)).sum();
        for ((joint, weight), (to, share)) in self.influences().zip(joints.iter_mut().zip(&mut weights)) {
            (*to, *share) = (joint.into(), f32::from(weight) / sum);
        }
        if sum == 0.0 {
            weights = [1.0, 0.0, 0.0, 0.0];
        }
        (joints, weights)
    }

    /// The joints and their shares as the viewer computes them: each weight is at least 0.001 and at most 0.999, a
    /// vertex without any follows joint 0, and the shares are scaled to a sum of 1.
    pub fn shares(&self) -> impl Iterator<Item = (u8, f32)> {
        let known = self.joints.iter().take_while(|&&joint| joint != NO_JOINT).count();
        let mut joints = self.joints;
        let mut shares = [0.0_f32; 4];
        for (share, weight) in shares.iter_mut().zip(self.weights).take(known) {
            *share = (f32::from(weight) / 65_535.0).clamp(0.001, 0.999);
        }
        let count = if known == 0 {
            joints[0] = 0;
            shares[0] = 0.999;
            1
        } else {
            known
        };
        let sum: f32 = shares.iter().sum();
        joints.into_iter().zip(shares).take(count).map(move |(joint, share)| (joint, share / sum))
    }
}
