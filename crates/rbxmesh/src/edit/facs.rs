//! Building and editing facial animation.

use geom::Vec3;

use crate::model::{Facs, Names, QuantizedMatrix, Samples, Transforms};
use geom::wire::{Error, Problem, Refuse as _, Result};

/// The index of the last step of a quantised matrix.
const STEPS: f32 = 65535.0;

impl QuantizedMatrix {
    /// A matrix of these numbers, row by row. They are rounded to 65,535 equal steps from the least to the greatest, so
    /// the error is at most half a step.
    ///
    /// # Errors
    /// `InvalidArgument` if there are not `rows * columns` numbers, or one is not finite.
    pub fn from_values(rows: u32, columns: u32, values: &[f32]) -> Result<Self> {
        if (rows as usize).checked_mul(columns as usize) != Some(values.len()) {
            let what = format!("expected {rows} × {columns} numbers, found {}", values.len());
            return Err(Error::invalid_argument("values", what));
        }
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            let what = format!("expected a finite number, found {}", values[index]);
            return Err(Error::invalid_argument(format!("values[{index}]"), what));
        }
        let ends = values.iter().fold(None, |ends: Option<(f32, f32)>, &value| {
            let (min, max) = ends.unwrap_or((value, value));
            Some((min.min(value), max.max(value)))
        });
        let (min, max) = ends.unwrap_or_default();
        if !(max - min).is_finite() {
            return Err(Error::invalid_argument(
                "values",
                format!("expected values whose range fits into a 32-bit float, found {min} to {max}"),
            ));
        }
        let steps = values.iter().map(|&value| step(value, min, max)).collect();
        Ok(Self { rows, columns, samples: Samples::Quantized { min, max, steps } })
    }

    /// The numbers, row by row.
    pub fn values(&self) -> Vec<f32> {
        self.samples.iter().collect()
    }

    /// Inserts a column before the column with an index. Numbers outside the range of the matrix widen the range, which
    /// changes the other numbers by at most half a new step.
    fn insert_column(&mut self, index: usize, column: &[f32]) -> Result<()> {
        let columns = self.columns as usize;
        let all = match &mut self.samples {
            Samples::Float(values) => {
                *values = widened(values, columns, index, column);
                None
            }
            &mut Samples::Quantized { min, max, ref mut steps } => {
                if column.iter().all(|value| (min..=max).contains(value)) {
                    let column: Vec<_> = column.iter().map(|&value| step(value, min, max)).collect();
                    *steps = widened(steps, columns, index, &column);
                    None
                } else {
                    Some(widened(&self.values(), columns, index, column))
                }
            }
        };
        match all {
            Some(values) => *self = Self::from_values(self.rows, self.columns + 1, &values)?,
            None => self.columns += 1,
        }
        Ok(())
    }
}

/// The values of a matrix of `columns` columns with `column` inserted at `index`.
fn widened<T: Copy>(values: &[T], columns: usize, index: usize, column: &[T]) -> Vec<T> {
    let mut all = Vec::with_capacity(values.len() + column.len());
    for (row, &value) in column.iter().enumerate() {
        let (before, after) = values[row * columns..][..columns].split_at(index);
        all.extend_from_slice(before);
        all.push(value);
        all.extend_from_slice(after);
    }
    all
}

/// The step nearest to a value.
fn step(value: f32, min: f32, max: f32) -> u16 {
    let share = if max > min { (value - min) / (max - min) } else { 0.0 };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float cast saturates")]
    let step = (share * STEPS + 0.5) as u16;
    step
}

impl Facs {
    /// Facial animation of these bones, controls and correctives. `movement` takes the index of a bone and the index of
    /// a pose, which [`Facs::pose`] describes, and returns how the pose moves the bone: the movement in studs and the
    /// rotation in degrees about x, y and z.
    ///
    /// # Errors
    /// `InvalidArgument` if a corrective refers to a control that does not exist, and if a number is not
    /// finite.
    pub fn from_poses(
        face_bones: Names,
        controls: Names,
        two_pose: Vec<[u16; 2]>,
        three_pose: Vec<[u16; 3]>,
        mut movement: impl FnMut(usize, usize) -> (Vec3, Vec3),
    ) -> Result<Self> {
        let facs = Self { face_bones, controls, two_pose, three_pose, ..Self::default() };
        let (bones, poses, controls) = (facs.face_bones.len(), facs.pose_count(), facs.controls.len());
        facs.two_pose.iter().try_for_each(|pose| in_range(pose, controls))?;
        facs.three_pose.iter().try_for_each(|pose| in_range(pose, controls))?;
        let too_many = || {
            let most = "expected at most 4294967295 bones and 4294967295 poses";
            Error::invalid_argument("facs", format!("{most}, found {bones} bones and {poses} poses"))
        };
        let rows = u32::try_from(bones).map_err(|_| too_many())?;
        let columns = u32::try_from(poses).map_err(|_| too_many())?;
        let mut values: [Vec<f32>; 6] = Default::default();
        for (bone, pose) in (0..bones).flat_map(|bone| (0..poses).map(move |pose| (bone, pose))) {
            let (position, rotation) = movement(bone, pose);
            let numbers = position.to_array().into_iter().chain(rotation.to_array());
            values.iter_mut().zip(numbers).for_each(|(values, number)| values.push(number));
        }
        let matrix = |values: &Vec<f32>| QuantizedMatrix::from_values(rows, columns, values);
        let [x, y, z, rx, ry, rz] = &values;
        let transforms = Transforms {
            position: [matrix(x)?, matrix(y)?, matrix(z)?],
            rotation: [matrix(rx)?, matrix(ry)?, matrix(rz)?],
        };
        Ok(Self { transforms: Some(transforms), ..facs })
    }

    /// Adds a control with its pose. `movement` has the movement and the rotation of each face bone, as in
    /// [`Facs::from_poses`].
    ///
    /// # Errors
    /// `InvalidArgument` if `movement` does not have one entry per face bone, if a number is not finite, and if the
    /// name contains a zero byte. The animation is then unchanged.
    pub fn add_control(&mut self, name: impl AsRef<[u8]>, movement: &[(Vec3, Vec3)]) -> Result<()> {
        let mut controls = self.controls.clone();
        controls.push(name)?;
        self.insert_pose(self.controls.len(), movement)?;
        self.controls = controls;
        Ok(())
    }

    /// Adds a corrective for two controls that act together, with its pose.
    ///
    /// # Errors
    /// As [`Facs::add_control`], and if an index is not that of a control.
    pub fn add_two_pose(&mut self, controls: [u16; 2], movement: &[(Vec3, Vec3)]) -> Result<()> {
        in_range(&controls, self.controls.len())?;
        self.insert_pose(self.controls.len() + self.two_pose.len(), movement)?;
        self.two_pose.push(controls);
        Ok(())
    }

    /// Adds a corrective for three controls that act together, with its pose.
    ///
    /// # Errors
    /// As [`Facs::add_two_pose`].
    pub fn add_three_pose(&mut self, controls: [u16; 3], movement: &[(Vec3, Vec3)]) -> Result<()> {
        in_range(&controls, self.controls.len())?;
        self.insert_pose(self.pose_count(), movement)?;
        self.three_pose.push(controls);
        Ok(())
    }

    fn insert_pose(&mut self, index: usize, movement: &[(Vec3, Vec3)]) -> Result<()> {
        let (rows, columns) = (self.face_bones.len(), self.pose_count());
        Problem::length("movements", movement.len(), rows).argument("movement")?;
        let finite = |(position, rotation): &(Vec3, Vec3)| position.is_finite() && rotation.is_finite();
        if let Some((bone, (position, rotation))) = movement.iter().enumerate().find(|&(_, of)| !finite(of)) {
            let what = format!(
                "expected a finite movement and a finite rotation, found {:?} and {:?}",
                position.to_array(),
                rotation.to_array()
            );
            return Err(Error::invalid_argument(format!("movement[{bone}]"), what));
        }
        let mut transforms = self.transforms.clone().unwrap_or_default();
        let Transforms { position, rotation } = &mut transforms;
        let halves = [(position, 0), (rotation, 3)];
        for (matrix, axis) in halves.into_iter().flat_map(|(three, first)| three.iter_mut().zip(first..)) {
            if columns == 0 && matrix.values().is_empty() {
                let rows = u32::try_from(rows).unwrap_or(u32::MAX);
                *matrix = QuantizedMatrix::from_values(rows, 0, &[])?;
            }
            let size = (matrix.rows as usize).checked_mul(matrix.columns as usize);
            let (have_rows, have_columns) = (matrix.rows as usize, matrix.columns as usize);
            if (have_rows, have_columns) != (rows, columns) || size != Some(matrix.values().len()) {
                let what = format!(
                    "expected matrices of {rows} × {columns} numbers (face bones × poses), found {have_rows} × \
                     {have_columns} ({} in all)",
                    matrix.values().len()
                );
                return Err(Error::invalid_argument("facs.transforms", what));
            }
            let column: Vec<f32> = movement
                .iter()
                .map(|(position, rotation)| [position.to_array(), rotation.to_array()].as_flattened()[axis])
                .collect();
            matrix.insert_column(index, &column)?;
        }
        self.transforms = Some(transforms);
        Ok(())
    }
}

fn in_range(pose: &[u16], controls: usize) -> Result<()> {
    match pose.iter().find(|&&control| usize::from(control) >= controls) {
        Some(&control) => Err(Problem::reference("control", control, controls)).argument("controls"),
        None => Ok(()),
    }
}
