//! Facial animation: how the controls of the Facial Action Coding System move the bones of a face.

use bstr::{BStr, ByteSlice};
use geom::Vec3;

/// The facial animation of a mesh.
///
/// Every column of [`Facs::transforms`] is a pose: first one per control, then one per two-pose
/// corrective, then one per three-pose corrective.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Facs {
    /// The bones of the face, one per row. They need not be bones of the mesh.
    pub face_bones: Names,
    /// The controls, `c_COR` to `r_ULR`: 50 in every file seen.
    pub controls: Names,
    /// How each pose moves each bone.
    pub transforms: Option<Transforms>,
    /// Poses that correct two controls acting together, as indices of controls.
    pub two_pose: Vec<[u16; 2]>,
    /// Poses that correct three controls acting together, as indices of controls.
    pub three_pose: Vec<[u16; 3]>,
    /// Bytes behind the known parts.
    pub trailing: Vec<u8>,
}

/// Six matrices of one row per face bone and one column per pose.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Transforms {
    /// The movement along x, y and z, in studs.
    pub position: [QuantizedMatrix; 3],
    /// The rotation about x, y and z, in degrees. The order in which they apply is not known.
    pub rotation: [QuantizedMatrix; 3],
}

/// A matrix of numbers, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QuantizedMatrix {
    /// How many rows.
    pub rows: u32,
    /// How many columns.
    pub columns: u32,
    /// The numbers, `rows * columns` of them.
    pub samples: Samples,
}

/// The numbers of a [`QuantizedMatrix`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Samples {
    /// Plain numbers (version 1 of the matrix, seen in no public file).
    Float(Vec<f32>),
    /// Steps between two ends (version 2): `q` is `min + q * (max - min) / 65535`.
    Quantized {
        /// What 0 stands for.
        min: f32,
        /// What 65,535 stands for.
        max: f32,
        /// The steps.
        steps: Vec<u16>,
    },
}

impl Default for Samples {
    fn default() -> Self {
        Self::Quantized { min: 0.0, max: 0.0, steps: Vec::new() }
    }
}

impl QuantizedMatrix {
    /// The number in a row and a column, `None` outside.
    pub fn get(&self, row: usize, column: usize) -> Option<f32> {
        let columns = self.columns as usize;
        if column >= columns {
            return None;
        }
        let place = row.checked_mul(columns)?.checked_add(column)?;
        match &self.samples {
            Samples::Float(values) => values.get(place).copied(),
            Samples::Quantized { min, max, steps } => {
                steps.get(place).map(|&step| min + f32::from(step) * (max - min) / 65535.0)
            }
        }
    }
}

/// What a column of the transforms is the pose of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pose {
    /// One control, by index.
    Control(usize),
    /// Two controls acting together.
    TwoPose([u16; 2]),
    /// Three controls acting together.
    ThreePose([u16; 3]),
}

impl Facs {
    /// How many poses there are: one per control and per corrective.
    pub fn pose_count(&self) -> usize {
        self.controls.len() + self.two_pose.len() + self.three_pose.len()
    }

    /// What the column is the pose of.
    pub fn pose(&self, column: usize) -> Option<Pose> {
        let controls = self.controls.len();
        let Some(corrective) = column.checked_sub(controls) else {
            return Some(Pose::Control(column));
        };
        match corrective.checked_sub(self.two_pose.len()) {
            None => self.two_pose.get(corrective).copied().map(Pose::TwoPose),
            Some(place) => self.three_pose.get(place).copied().map(Pose::ThreePose),
        }
    }

    /// How a pose moves a face bone: the way in studs and the rotation in degrees about x, y and z.
    pub fn transform(&self, bone: usize, column: usize) -> Option<(Vec3, Vec3)> {
        let Transforms { position, rotation } = self.transforms.as_ref()?;
        let vector = |[x, y, z]: &[QuantizedMatrix; 3]| {
            Some(Vec3::new(x.get(bone, column)?, y.get(bone, column)?, z.get(bone, column)?))
        };
        Some((vector(position)?, vector(rotation)?))
    }
}

/// A list of names in one buffer, each ended by a zero byte, as the file holds them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Names {
    /// The names and their zero bytes. The last zero byte may be missing.
    pub bytes: bstr::BString,
}

impl Names {
    /// The names in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &BStr> {
        let ended = self.bytes.strip_suffix(b"\0").unwrap_or(&self.bytes);
        let names = (!self.bytes.is_empty()).then(|| ended.split(|&byte| byte == 0).map(ByteSlice::as_bstr));
        names.into_iter().flatten()
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        let unended = usize::from(self.bytes.last().is_some_and(|&byte| byte != 0));
        self.bytes.iter().filter(|&&byte| byte == 0).count() + unended
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

impl<T: AsRef<[u8]>> FromIterator<T> for Names {
    /// From names without zero bytes in them.
    fn from_iter<I: IntoIterator<Item = T>>(names: I) -> Self {
        let mut bytes = Vec::new();
        for name in names {
            bytes.extend_from_slice(name.as_ref());
            bytes.push(0);
        }
        Self { bytes: bytes.into() }
    }
}
