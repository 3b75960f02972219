//! The skeleton: in its bind pose, and at a time of an action.

use geom::{Mat3, Mat4, Quat, Vec3};

use crate::model::{Action, Bone, Model, Transform, VertexId};

/// The transform of a bone, in the space of its parent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BonePose {
    /// Its origin, in metres.
    pub position: Vec3,
    /// Its orientation, of length 1 or nearly so: at the time of a frame it is the quaternion of the file, which is
    /// in steps of 1/127 if coordinates have eight bits. [`Pose::normalized`] makes its length 1.
    pub orientation: Quat,
}

/// The transforms of all bones, in the order of [`Model::bones`].
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose {
    /// The bones.
    pub bones: Vec<BonePose>,
}

/// The behaviour after the last frame of an action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AfterLast {
    /// The last frame is held.
    #[default]
    Hold,
    /// The behaviour of the SDK: the action restarts after its duration. Between the last frame and the end of the
    /// action, the bones of the first frame have the pose of that frame.
    Wrap,
}

impl BonePose {
    /// The matrix from the bone's space to that of its parent. A quaternion q whose length is not 1 gives the same
    /// result as in the SDK: with n = |q|², the sum of n times its rotation and 1 - n times the identity.
    pub fn to_mat4(self) -> Mat4 {
        Mat4::from_parts(rotation(self.orientation), self.position)
    }
}

impl Pose {
    /// The same pose with quaternions of length 1, as glTF and engines require for node rotations. The quaternion
    /// that the format uses for a point reflection is kept.
    #[must_use]
    pub fn normalized(mut self) -> Self {
        for bone in &mut self.bones {
            if !is_mirror(bone.orientation) {
                bone.orientation = unit(bone.orientation).unwrap_or(Quat::IDENTITY);
            }
        }
        self
    }
}

impl Model {
    /// The bind pose.
    pub fn bind_pose(&self) -> Pose {
        let place = |bone: &Bone| BonePose {
            // A bone whose vertex does not exist is at the origin.
            position: self.metres(bone.position).unwrap_or_default(),
            orientation: self.quaternion(bone.orientation).unwrap_or(Quat::IDENTITY),
        };
        Pose { bones: self.bones.iter().map(place).collect() }
    }

    /// The pose at a time of an action, in milliseconds from its start. Between two frames, and between the bind pose
    /// and the first frame, positions are interpolated linearly and orientations along the shortest arc. After the last
    /// frame, its pose is held.
    ///
    /// ```
    /// use m3d::{Action, Bone, BoneId, Frame, Model, Transform, VertexId};
    /// # use m3d::geom::{Quat, Vec3, Vec4};
    ///
    /// let mut model = Model::default();
    /// model.vertices.coords = vec![Vec4::default(), Vec4::new(0.0, 0.0, 0.0, 1.0), Vec4::new(1.0, 0.0, 0.0, 1.0)];
    /// model.bones = vec![Bone { position: VertexId(0), orientation: VertexId(1), ..Bone::default() }];
    /// let transform = Transform { bone: BoneId(0), position: VertexId(2), orientation: VertexId(1) };
    /// let frames = vec![Frame { time: 1000, transforms: vec![transform] }];
    /// let slide = Action { name: "slide".into(), duration: 1000, frames };
    /// assert_eq!(model.pose(&slide, 250.0).bones[0].position, Vec3::new(0.25, 0.0, 0.0));
    /// ```
    pub fn pose(&self, action: &Action, time: f32) -> Pose {
        self.pose_with(action, time, AfterLast::Hold)
    }

    /// Like [`Model::pose`], with a choice of the behaviour after the last frame.
    pub fn pose_with(&self, action: &Action, time: f32, after: AfterLast) -> Pose {
        let mut pose = self.bind_pose();
        let mut time = f64::from(time).max(0.0);
        if after == AfterLast::Wrap && action.duration != 0 {
            time %= f64::from(action.duration);
        }
        let mut before = 0.0;
        for frame in &action.frames {
            let at = f64::from(frame.time);
            if at <= time {
                self.apply(&mut pose, &frame.transforms, 1.0);
                before = at;
                continue;
            }
            #[allow(clippy::cast_possible_truncation, reason = "a part of 1")]
            let part = ((time - before) / (at - before)) as f32;
            if part > 0.0 {
                self.apply(&mut pose, &frame.transforms, part);
            }
            return pose;
        }
        let last = action.frames.last().map_or(0.0, |frame| f64::from(frame.time));
        if let (AfterLast::Wrap, Some(first)) = (after, action.frames.first())
            && time > last
        {
            self.apply(&mut pose, &first.transforms, 1.0);
            // The SDK makes the length 1 here, as between frames.
            for transform in &first.transforms {
                if let Some(bone) = transform.bone.get().and_then(|bone| pose.bones.get_mut(bone)) {
                    bone.orientation = unit(bone.orientation).unwrap_or(bone.orientation);
                }
            }
        }
        pose
    }

    /// Moves bones a fraction of the way to given transforms.
    fn apply(&self, pose: &mut Pose, transforms: &[Transform], part: f32) {
        for transform in transforms {
            let Some(bone) = transform.bone.get().and_then(|bone| pose.bones.get_mut(bone)) else { continue };
            if let Some(position) = self.metres(transform.position) {
                let moved = bone.position + (position - bone.position) * part;
                bone.position = if part < 1.0 { moved } else { position };
            }
            if let Some(to) = self.quaternion(transform.orientation) {
                bone.orientation = if part < 1.0 { slerp(bone.orientation, to, part) } else { to };
            }
        }
    }

    fn metres(&self, id: VertexId) -> Option<Vec3> {
        self.vertices.position(id).map(|position| position * self.scale_or_one())
    }

    fn quaternion(&self, id: VertexId) -> Option<Quat> {
        self.vertices.coord(id).map(|c| Quat::new(c.x, c.y, c.z, c.w))
    }

    /// For each bone, the matrix from its space to that of the model, in metres. A bone whose parent does not precede
    /// it in the list is treated as a root.
    pub fn bone_matrices(&self, pose: &Pose) -> Vec<Mat4> {
        let mut matrices: Vec<Mat4> = Vec::with_capacity(pose.bones.len());
        for (index, local) in pose.bones.iter().enumerate() {
            let parent = self.bones.get(index).and_then(|bone| matrices.get(bone.parent.get()?));
            let local = local.to_mat4();
            matrices.push(parent.map_or(local, |&parent| parent * local));
        }
        matrices
    }

    /// The inverse bind matrices for glTF, in metres: those of the bind pose with quaternions of length 1, as in nodes
    /// of glTF. The identity if a matrix has no inverse. `to_columns` returns the numbers in glTF's order.
    pub fn inverse_bind_matrices(&self) -> Vec<Mat4> {
        self.bone_matrices(&self.bind_pose().normalized()).into_iter().map(inverse).collect()
    }

    /// For each bone, the matrix that moves a vertex from the bind pose to the pose, with the quaternions as
    /// stored: the matrices of the SDK.
    pub fn skinning_matrices(&self, pose: &Pose) -> Vec<Mat4> {
        let bind = self.bone_matrices(&self.bind_pose());
        self.bone_matrices(pose).into_iter().zip(bind).map(|(posed, bind)| posed * inverse(bind)).collect()
    }

    /// The position of a vertex under the skinning matrices of a pose, in metres; its bind position if no bone
    /// moves it.
    pub fn skinned_position(&self, id: VertexId, matrices: &[Mat4]) -> Option<Vec3> {
        let position = self.metres(id)?;
        let (mut moved, mut any) = (Vec3::default(), false);
        for (bone, weight) in self.influences(id) {
            let Some(matrix) = bone.get().and_then(|bone| matrices.get(bone)) else { continue };
            moved = moved + matrix.transform_point(position) * weight;
            any = true;
        }
        Some(if any { moved } else { position })
    }
}

fn inverse(matrix: Mat4) -> Mat4 {
    matrix.inverse().unwrap_or(Mat4::IDENTITY)
}

/// Whether a quaternion is the one that the SDK treats as a point reflection.
fn is_mirror(q: Quat) -> bool {
    q.x == 0.0 && q.y == 0.0 && q.w == 0.0 && (q.z - std::f32::consts::FRAC_1_SQRT_2).abs() < 5e-7
}

/// The rotation of a quaternion, by the formula that the SDK uses for any length.
fn rotation(q: Quat) -> Mat3 {
    let Quat { x, y, z, w } = q;
    if is_mirror(q) {
        return Mat3::from_rows([-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0]);
    }
    Mat3::from_rows([
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - z * w),
        2.0 * (x * z + y * w),
        2.0 * (x * y + z * w),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - x * w),
        2.0 * (x * z - y * w),
        2.0 * (y * z + x * w),
        1.0 - 2.0 * (x * x + y * y),
    ])
}

/// The quaternion of length 1, `None` if its length is 0 or not finite.
fn unit(q: Quat) -> Option<Quat> {
    let q = q.to_array().map(f64::from);
    let length = q.iter().map(|value| value * value).sum::<f64>().sqrt();
    #[allow(clippy::cast_possible_truncation, reason = "at most 1")]
    let unit = q.map(|value| (value / length) as f32);
    (length > f64::MIN_POSITIVE && length.is_finite()).then_some(Quat::from(unit))
}

/// The quaternion of length 1 at a fraction `part` of the shortest arc between two quaternions of any length, as in the
/// SDK. If both are equal, the result is that value unchanged.
fn slerp(a: Quat, b: Quat, part: f32) -> Quat {
    if a == b {
        return a;
    }
    let (Some(from), Some(to)) = (unit(a), unit(b)) else { return if part < 0.5 { a } else { b } };
    let (a, mut b) = (from.to_array(), to.to_array());
    let mut cosine: f32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    if cosine < 0.0 {
        (b, cosine) = (b.map(|value| -value), -cosine);
    }
    let (from, to) = if cosine > 0.9995 {
        (1.0 - part, part)
    } else {
        let angle = cosine.min(1.0).acos();
        let sine = angle.sin();
        (((1.0 - part) * angle).sin() / sine, (part * angle).sin() / sine)
    };
    let mixed = Quat::from(std::array::from_fn(|i| a[i] * from + b[i] * to));
    unit(mixed).unwrap_or(mixed)
}
