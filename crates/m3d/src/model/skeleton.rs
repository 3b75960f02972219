//! Bones, skins and actions.

use bstr::BString;

use super::{BoneId, VertexId};

/// A bone of the bind pose: chunk `BONE`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bone {
    /// Its parent, which precedes it in the list; [`BoneId::NONE`] for a root.
    pub parent: BoneId,
    /// Its name; may be empty.
    pub name: BString,
    /// The vertex that is its origin, in the space of the parent, or for a root in that of the model.
    pub position: VertexId,
    /// The vertex that is its orientation, as a quaternion.
    pub orientation: VertexId,
}

/// The bones that move a vertex, and their weights.
///
/// The file stores a bone only if its weight is not 0. Weights should sum to 255 but often do not: divide by their sum,
/// as [`Skin::influences`] does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Skin {
    /// The weight of each bone, 0 to 255.
    pub weights: [u8; 8],
    /// The bones; [`BoneId::NONE`] if the weight is 0.
    pub bones: [BoneId; 8],
}

impl Skin {
    /// A skin that follows one bone.
    pub fn rigid(bone: BoneId) -> Self {
        let mut skin = Self::default();
        skin.weights[0] = 255;
        skin.bones[0] = bone;
        skin
    }

    /// A skin of bones and weights: the first eight bones whose weight is not 0.
    pub fn new(influences: impl IntoIterator<Item = (BoneId, u8)>) -> Self {
        let mut skin = Self::default();
        let with_weight = influences.into_iter().filter(|&(_, weight)| weight != 0);
        for ((bone, weight), (to_bone, to_weight)) in
            with_weight.zip(skin.bones.iter_mut().zip(&mut skin.weights))
        {
            (*to_bone, *to_weight) = (bone, weight);
        }
        skin
    }

    /// The same skin with its bones at the front: entries of weight 0 are moved to the end and cleared.
    pub(crate) fn compact(&self) -> Self {
        Self::new(self.bones.into_iter().zip(self.weights))
    }

    /// The bones and their weights, scaled to a sum of 1.
    pub fn influences(&self) -> impl Iterator<Item = (BoneId, f32)> {
        let sum: u16 = self.weights.iter().map(|&weight| u16::from(weight)).sum();
        let inverse = 1.0 / f32::from(sum.max(1));
        self.bones
            .into_iter()
            .zip(self.weights)
            .filter(|&(_, weight)| weight != 0)
            .map(move |(bone, weight)| (bone, f32::from(weight) * inverse))
    }
}

/// An animation: chunk `ACTN`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Action {
    /// Its name.
    pub name: BString,
    /// Its duration, in milliseconds.
    pub duration: u32,
    /// Its frames, in order of time.
    pub frames: Vec<Frame>,
}

/// The bones that change at a time, compared to the previous frame; the first frame is compared to the bind pose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Frame {
    /// The time, in milliseconds from the start of the action.
    pub time: u32,
    /// The bones that change.
    pub transforms: Vec<Transform>,
}

/// The new position and orientation of a bone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Transform {
    /// The bone.
    pub bone: BoneId,
    /// The vertex that is its new position.
    pub position: VertexId,
    /// The vertex that is its new orientation, as a quaternion.
    pub orientation: VertexId,
}
