//! The levels of detail.

use std::ops::Range;

use crate::consts::LodType;

/// The levels of detail, as offsets in the list of faces.
#[derive(Clone, Debug, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Lods {
    /// The origin of the levels; from 4.00 on.
    pub kind: LodType,
    /// Level k has the faces from `offsets[k]` up to `offsets[k + 1]`, so n levels have n + 1 offsets. Empty for one
    /// level of all faces, for which files contain `(0, faces)` or `(0, 0)`. Fewer than three offsets always mean one
    /// level.
    pub offsets: Vec<u32>,
    /// The number of high quality levels; from 4.00 on. Its effect is unknown; it is 1 in all files with one level.
    pub high_quality: u8,
}

impl Default for Lods {
    /// One level, as in real files.
    fn default() -> Self {
        Self { kind: LodType::NONE, offsets: Vec::new(), high_quality: 1 }
    }
}

/// Equal if the levels are the same; the offsets of a single level are not compared.
impl PartialEq for Lods {
    fn eq(&self, other: &Self) -> bool {
        let Self { kind, offsets, high_quality } = self;
        let same_levels = self.is_single() && other.is_single() || *offsets == other.offsets;
        *kind == other.kind && *high_quality == other.high_quality && same_levels
    }
}

impl Lods {
    /// Whether there is one level, of all faces.
    pub fn is_single(&self) -> bool {
        self.offsets.len() < 3
    }

    /// The faces of each level in a mesh of `faces` faces. Offsets beyond the faces are clamped, and a level that would
    /// end before it begins is empty.
    pub(crate) fn ranges(
        &self,
        faces: usize,
    ) -> impl ExactSizeIterator<Item = Range<usize>> + DoubleEndedIterator {
        let levels = if self.is_single() { 1 } else { self.offsets.len() - 1 };
        (0..levels).map(move |level| self.range(faces, level).unwrap_or_default())
    }

    /// The faces of a level, as in [`ranges`](Self::ranges); `None` if the level does not exist.
    pub(crate) fn range(&self, faces: usize, level: usize) -> Option<Range<usize>> {
        if self.is_single() {
            return (level == 0).then_some(0..faces);
        }
        let [begin, end] = [level, level.checked_add(1)?].map(|index| self.offsets.get(index));
        let [begin, end] = [*begin?, *end?].map(|offset| (offset as usize).min(faces));
        Some(begin..end.max(begin))
    }
}
