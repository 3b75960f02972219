//! The skeleton: in its bind pose, and at a time of an action.

use geom::{Mat3, Mat4, Quat, Vec3};

use crate::model::{Action, Bone, Model, VertexId};

/// Where a bone is, in the space of its parent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BonePose {
    /// Its origin.
    pub position: Vec3,
    /// Its orientation. One that is not of length 1 scales, as the format has it.
    pub orientation: Quat,
}

/// Where every bone is: as many as the model has, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose {
    /// The bones.
    pub bones: Vec<BonePose>,
}

/// What comes after the last frame of an action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AfterLast {
    /// The last frame stays, whatever the time.
    #[default]
    Hold,
    /// What the SDK does: the time starts again behind the duration, and between the last frame and
    /// the duration what the first frame moves is where that puts it.
    Wrap,
}

impl BonePose {
    /// The bone's space in that of its parent.
    pub fn to_mat4(self) -> Mat4 {
        Mat4::from_parts(rotation(self.orientation), self.position)
    }
}

impl Model {
    /// Where the bones are when nothing moves them.
    pub fn bind_pose(&self) -> Pose {
        let place = |bone: &Bone| BonePose {
            position: self.vertices.position(bone.position).unwrap_or_default(),
            orientation: self.quaternion(bone.orientation).unwrap_or(Quat::IDENTITY),
        };
        Pose { bones: self.bones.iter().map(place).collect() }
    }

    /// Where the bones are at a time of an action, in milliseconds from its start: positions on
    /// straight lines and orientations on the shortest arc between the frames, before the first frame
    /// between it and the bind pose. Behind the last frame that stays.
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

    /// As [`Model::pose`], with a choice of what comes after the last frame.
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
            self.apply(&mut pose, &frame.transforms, part);
            return pose;
        }
        let last = action.frames.last().map_or(0.0, |frame| f64::from(frame.time));
        if let (AfterLast::Wrap, Some(first)) = (after, action.frames.first())
            && time > last
        {
            self.apply(&mut pose, &first.transforms, 1.0);
        }
        pose
    }

    /// Moves bones a part of the way to where transforms put them.
    fn apply(&self, pose: &mut Pose, transforms: &[crate::Transform], part: f32) {
        for transform in transforms {
            let Some(bone) = transform.bone.get().and_then(|bone| pose.bones.get_mut(bone)) else { continue };
            if let Some(position) = self.vertices.position(transform.position) {
                bone.position = if part < 1.0 { lerp(bone.position, position, part) } else { position };
            }
            if let Some(to) = self.quaternion(transform.orientation) {
                bone.orientation = if part < 1.0 { slerp(bone.orientation, to, part) } else { to };
            }
        }
    }

    fn quaternion(&self, id: VertexId) -> Option<Quat> {
        self.vertices.coord(id).map(|c| Quat::new(c.x, c.y, c.z, c.w))
    }

    /// The bones' spaces in that of the model. A bone whose parent does not stand before it is taken
    /// for one without.
    pub fn bone_matrices(&self, pose: &Pose) -> Vec<Mat4> {
        let mut matrices: Vec<Mat4> = Vec::with_capacity(pose.bones.len());
        for (index, local) in pose.bones.iter().enumerate() {
            let parent = self.bones.get(index).and_then(|bone| matrices.get(bone.parent.get()?));
            let local = local.to_mat4();
            matrices.push(parent.map_or(local, |&parent| parent * local));
        }
        matrices
    }

    /// For each bone, what moves a vertex from where it is in the bind pose to where the pose has it.
    pub fn skinning_matrices(&self, pose: &Pose) -> Vec<Mat4> {
        let bind = self.bone_matrices(&self.bind_pose());
        self.bone_matrices(pose).into_iter().zip(bind).map(|(posed, bind)| posed * inverse(bind)).collect()
    }

    /// Where a vertex is under the skinning matrices of a pose; where it stands in the model if it has
    /// no skin.
    pub fn skinned_position(&self, id: VertexId, matrices: &[Mat4]) -> Option<Vec3> {
        let position = self.vertices.position(id)?;
        let Some(skin) = self.vertices.skin(id).get().and_then(|skin| self.skins.get(skin)) else {
            return Some(position);
        };
        let (mut moved, mut any) = (Vec3::default(), false);
        for (bone, weight) in skin.influences() {
            let Some(matrix) = bone.get().and_then(|bone| matrices.get(bone)) else { continue };
            moved = moved + matrix.transform_point(position) * weight;
            any = true;
        }
        Some(if any { moved } else { position })
    }
}

/// The rotation of a quaternion, by the formula that the format's own library uses also for those that
/// are not of length 1; and the one value that it takes for a mirror in the origin.
fn rotation(q: Quat) -> Mat3 {
    let Quat { x, y, z, w } = q;
    if x == 0.0 && y == 0.0 && w == 0.0 && (z - std::f32::consts::FRAC_1_SQRT_2).abs() < 5e-7 {
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

fn lerp(a: Vec3, b: Vec3, part: f32) -> Vec3 {
    a + (b - a) * part
}

fn length(q: Quat) -> f32 {
    q.to_array().into_iter().map(|value| value * value).sum::<f32>().sqrt()
}

/// The quaternion on the shortest arc between two. Their lengths go on a straight line, as they say
/// something: see [`BonePose::orientation`].
fn slerp(a: Quat, b: Quat, part: f32) -> Quat {
    let (long_a, long_b) = (length(a), length(b));
    if !(long_a > f32::MIN_POSITIVE && long_b > f32::MIN_POSITIVE) {
        return if part < 0.5 { a } else { b };
    }
    let [a, mut b] = [(a, long_a), (b, long_b)].map(|(q, long)| q.to_array().map(|value| value / long));
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
    let wanted = long_a + (long_b - long_a) * part;
    let scale = wanted / length(mixed);
    Quat::from(mixed.to_array().map(|value| value * scale))
}

/// The inverse of an affine matrix; the identity where it has none.
pub(crate) fn inverse(m: Mat4) -> Mat4 {
    let [a, b, c, d, e, f, g, h, i] = m.linear().to_rows();
    let minors = [e * i - f * h, c * h - b * i, b * f - c * e];
    let determinant = a * minors[0] + d * minors[1] + g * minors[2];
    if determinant == 0.0 || !determinant.is_finite() {
        return Mat4::IDENTITY;
    }
    let rows = [
        minors[0],
        minors[1],
        minors[2],
        f * g - d * i,
        a * i - c * g,
        c * d - a * f,
        d * h - e * g,
        b * g - a * h,
        a * e - b * d,
    ];
    let linear = Mat3::from_rows(rows.map(|value| value / determinant));
    Mat4::from_parts(linear, linear.transform(m.translation()) * -1.0)
}
