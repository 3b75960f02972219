//! Facial animation: how the controls of the Facial Action Coding System move the bones of a face.

use bstr::{BStr, ByteSlice};
use geom::Vec3;

use geom::wire::{Error, Problem, Refuse as _, Result};

/// The facial animation of a mesh. [`Facs::from_poses`] builds one.
///
/// Every column of [`Facs::transforms`] is a pose. The poses of the controls come first, then those of the
/// two-pose correctives, then those of the three-pose correctives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Facs {
    /// The bones of the face, one per row of the transforms. They need not be bones of the mesh.
    pub face_bones: Names,
    /// The controls, `c_COR` to `r_ULR`: 50 in every file seen.
    pub controls: Names,
    /// How each pose moves each bone.
    pub transforms: Option<Transforms>,
    /// Poses that correct two controls acting together, as indices of controls.
    pub two_pose: Vec<[u16; 2]>,
    /// Poses that correct three controls acting together, as indices of controls.
    pub three_pose: Vec<[u16; 3]>,
    /// The bytes after the known content.
    pub trailing: Vec<u8>,
}

/// Six matrices of one row per face bone and one column per pose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Transforms {
    /// The movement along x, y and z, in studs.
    pub position: [QuantizedMatrix; 3],
    /// The rotation about x, y and z, in degrees. The order of rotations is not known.
    pub rotation: [QuantizedMatrix; 3],
}

/// A matrix of numbers, row by row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QuantizedMatrix {
    /// The number of rows.
    pub rows: u32,
    /// The number of columns.
    pub columns: u32,
    /// The numbers, `rows * columns` of them.
    pub samples: Samples,
}

/// The numbers of a [`QuantizedMatrix`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Samples {
    /// Plain numbers (version 1 of the matrix, seen in no public file).
    Float(Vec<f32>),
    /// Steps between two numbers (version 2): step `q` is `min + q * (max - min) / 65535`.
    Quantized {
        /// The value of step 0.
        min: f32,
        /// The value of step 65,535.
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

impl Samples {
    fn get(&self, index: usize) -> Option<f32> {
        match self {
            Self::Float(values) => values.get(index).copied(),
            Self::Quantized { min, max, steps } => {
                steps.get(index).map(|&step| min + f32::from(step) * (max - min) / 65535.0)
            }
        }
    }

    /// All numbers, row by row.
    pub(crate) fn iter(&self) -> impl Iterator<Item = f32> {
        (0..).map_while(|index| self.get(index))
    }
}

impl QuantizedMatrix {
    /// The number in a row and a column; `None` if the matrix has no such element.
    pub fn get(&self, row: usize, column: usize) -> Option<f32> {
        let columns = self.columns as usize;
        if column >= columns {
            return None;
        }
        let index = row.checked_mul(columns)?.checked_add(column)?;
        self.samples.get(index)
    }
}

/// The meaning of a column of the transforms.
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
    /// The number of poses: one per control and per corrective.
    pub fn pose_count(&self) -> usize {
        self.controls.len() + self.two_pose.len() + self.three_pose.len()
    }

    /// The meaning of each column of the transforms, in order.
    pub fn poses(&self) -> impl Iterator<Item = Pose> {
        let controls = (0..self.controls.len()).map(Pose::Control);
        let pairs = self.two_pose.iter().copied().map(Pose::TwoPose);
        controls.chain(pairs).chain(self.three_pose.iter().copied().map(Pose::ThreePose))
    }

    /// The meaning of a column of the transforms. Each call counts the controls: for all columns, use [`Facs::poses`].
    pub fn pose(&self, column: usize) -> Option<Pose> {
        let controls = self.controls.len();
        let Some(corrective) = column.checked_sub(controls) else {
            return Some(Pose::Control(column));
        };
        match corrective.checked_sub(self.two_pose.len()) {
            None => self.two_pose.get(corrective).copied().map(Pose::TwoPose),
            Some(index) => self.three_pose.get(index).copied().map(Pose::ThreePose),
        }
    }

    /// How a pose moves a face bone: the movement in studs and the rotation in degrees about x, y and z.
    pub fn transform(&self, bone: usize, column: usize) -> Option<(Vec3, Vec3)> {
        let Transforms { position, rotation } = self.transforms.as_ref()?;
        let vector = |[x, y, z]: &[QuantizedMatrix; 3]| {
            Some(Vec3::new(x.get(bone, column)?, y.get(bone, column)?, z.get(bone, column)?))
        };
        Some((vector(position)?, vector(rotation)?))
    }
}

/// A list of names in one buffer, each terminated by a zero byte, as in the file.
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

    /// The number of names, counted on each call.
    pub fn len(&self) -> usize {
        let unended = usize::from(self.bytes.last().is_some_and(|&byte| byte != 0));
        self.bytes.iter().filter(|&&byte| byte == 0).count() + unended
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Appends a name.
    ///
    /// # Errors
    /// `InvalidArgument` if the name contains a zero byte.
    pub fn push(&mut self, name: impl AsRef<[u8]>) -> Result<()> {
        let name = name.as_ref();
        if name.contains(&0) {
            return Err(Error::invalid_argument(
                "names",
                format!("expected a name without zero bytes, found {:?}", name.as_bstr()),
            ));
        }
        if self.bytes.last().is_some_and(|&last| last != 0) {
            self.bytes.push(0);
        }
        self.bytes.extend_from_slice(name);
        self.bytes.push(0);
        Ok(())
    }

    /// A list of these names.
    ///
    /// # Errors
    /// As [`Names::push`].
    pub fn from_names<T: AsRef<[u8]>>(names: impl IntoIterator<Item = T>) -> Result<Self> {
        let mut list = Self::default();
        names.into_iter().try_for_each(|name| list.push(name))?;
        Ok(list)
    }

    /// Replaces the name with an index.
    ///
    /// # Errors
    /// As [`Names::push`], and if the index is out of range.
    pub fn set(&mut self, index: usize, name: impl AsRef<[u8]>) -> Result<()> {
        if self.iter().nth(index).is_none() {
            return Err(Problem::reference("name", index as u64, self.len())).argument("names");
        }
        let mut list = Self::default();
        for (other, old) in self.iter().enumerate() {
            list.push(if other == index { name.as_ref() } else { old.as_bytes() })?;
        }
        *self = list;
        Ok(())
    }
}
