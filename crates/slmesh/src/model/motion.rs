//! A keyframe motion, as stored.

use std::fmt;

use llsd::Text;

/// A keyframe motion of an avatar: the asset type *animation*, files `.anim` and `.animatn`.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Motion {
    /// The priority, 0 to 6, of joints whose own is -1. If two motions move a joint, the one with the higher
    /// priority wins.
    pub priority: i32,
    /// In seconds; the viewer plays at most 60.
    pub duration: f32,
    /// The facial expression to play along, by name; usually empty.
    pub emote: Text,
    /// The start of the loop, in seconds.
    pub loop_in: f32,
    /// The end of the loop, in seconds.
    pub loop_out: f32,
    /// Whether the motion loops: 0 or 1.
    pub looped: i32,
    /// The fade-in time of the motion, in seconds.
    pub ease_in: f32,
    /// The fade-out time of the motion, in seconds.
    pub ease_out: f32,
    /// The hand pose: an index of [`HAND_POSES`].
    pub hand_pose: u32,
    /// The moving joints, each with its keys.
    pub joints: Vec<Joint>,
    /// Constraints, which keep one place of the body at another.
    pub constraints: Vec<Constraint>,
    /// Trailing bytes: none in known files.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty", default))]
    pub rest: Vec<u8>,
}

impl Motion {
    /// A motion of a number of seconds without joints, played once, with the priority 0.
    pub fn new(duration: f32) -> Self {
        Self { duration, loop_out: duration, ..Self::default() }
    }
}

/// The hand poses, by [`Motion::hand_pose`].
pub const HAND_POSES: [&str; 14] = [
    "spread",
    "relaxed",
    "point both",
    "fist",
    "relaxed left",
    "point left",
    "fist left",
    "relaxed right",
    "point right",
    "fist right",
    "salute right",
    "typing",
    "peace right",
    "palm right",
];

/// The keys of one joint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Joint {
    /// The name, such as `mPelvis`; the viewer refuses a motion with an unknown name.
    pub name: Text,
    /// The priority, 0 to 6; -1 for that of the motion.
    pub priority: i32,
    /// Rotations relative to the parent, ordered by time. Joints have no rotation at rest.
    pub rotations: Vec<Key>,
    /// For `mPelvis`, offsets from its rest position; for any other joint its position in the parent, which
    /// replaces the skeleton's. Ordered by time.
    pub positions: Vec<Key>,
}

impl Joint {
    /// A joint with the priority of the motion, without keys.
    pub fn new(name: impl Into<Text>) -> Self {
        Self { name: name.into(), priority: -1, ..Self::default() }
    }
}

/// A value at a point in time, both quantized to 65,535 steps.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Key {
    /// 0 is the start of the motion, 65,535 its end.
    pub time: u16,
    /// Three components: 0 is the smallest value (-1 in a rotation, -5 m in a position), 65,535 the greatest.
    pub value: [u16; 3],
}

/// The greatest coordinate of a position, in metres.
pub const MAX_OFFSET: f32 = 5.0;

/// Below this w, rounding x, y and z changes w more than it changes x, y and z.
const NEARLY_HALF_A_TURN: f32 = 0.1;

/// The number of steps of a component or a time.
const STEPS: f32 = u16::MAX as f32;

impl Key {
    /// A rotation at a fraction of the motion, 0 to 1. `rotation` is a quaternion x, y, z, w of length 1. A
    /// quaternion and its negative are the same rotation; the one with the positive w is stored.
    pub fn of_rotation(part: f32, rotation: [f32; 4]) -> Self {
        let [x, y, z, w] = rotation;
        let sign = if w < 0.0 { -1.0 } else { 1.0 };
        let [xyz, w] = [[x, y, z].map(|component| component * sign), [w * sign; 3]];
        let time = packed(part, 0.0, 1.0);
        let nearest = Self { time, value: xyz.map(|component| packed(component, -1.0, 1.0)) };
        if w[0] > NEARLY_HALF_A_TURN {
            return nearest;
        }
        // Near half a turn, w has most of the rounding error, because it is computed from x, y and z: for each of
        // these, try the two steps below and the two above, and take those with the nearest w.
        let below = xyz.map(|component| ((component.clamp(-1.0, 1.0) + 1.0) / 2.0 * STEPS).floor() - 1.0);
        let tried = (0..64_u8).map(|number| {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "0 to 65,535, and 0 for NaN"
            )]
            let step =
                |axis: usize| (below[axis] + f32::from(number >> (2 * axis) & 3)).clamp(0.0, STEPS) as u16;
            Self { time, value: [step(0), step(1), step(2)] }
        });
        let alike = |key: &Self| {
            let [a, b, c, d] = key.rotation();
            xyz[0] * a + xyz[1] * b + xyz[2] * c + w[0] * d
        };
        tried.fold(nearest, |best, key| if alike(&key) > alike(&best) { key } else { best })
    }

    /// A position, in metres of at most [`MAX_OFFSET`], at a fraction of the motion, 0 to 1.
    pub fn of_position(part: f32, position: [f32; 3]) -> Self {
        Self {
            time: packed(part, 0.0, 1.0),
            value: position.map(|component| packed(component, -MAX_OFFSET, MAX_OFFSET)),
        }
    }

    /// The time in a motion of a number of seconds.
    pub fn seconds(&self, duration: f32) -> f32 {
        f32::from(self.time) / STEPS * duration
    }

    /// The value as a rotation: a quaternion x, y, z, w of length 1 with a w of at least 0.
    pub fn rotation(&self) -> [f32; 4] {
        let [x, y, z] = self.value.map(|component| unpacked(component, -1.0, 1.0));
        let square = x * x + y * y + z * z;
        if square > 1.0 {
            // Rounded beyond the length of a quaternion.
            let length = square.sqrt();
            return [x / length, y / length, z / length, 0.0];
        }
        [x, y, z, (1.0 - square).sqrt()]
    }

    /// The value as a position, in metres.
    pub fn position(&self) -> [f32; 3] {
        self.value.map(|component| unpacked(component, -MAX_OFFSET, MAX_OFFSET))
    }
}

/// The nearest step. NaN is the smallest one.
fn packed(value: f32, min: f32, max: f32) -> u16 {
    let part = (value.clamp(min, max) - min) / (max - min);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 65,535, and 0 for NaN")]
    let step = (part * STEPS).round() as u16;
    step
}

/// The value of a step. A value closer to 0 than one step becomes 0, as in the viewer: 0 lies between two steps.
fn unpacked(step: u16, min: f32, max: f32) -> f32 {
    let value = f32::from(step) / STEPS * (max - min) + min;
    if value.abs() < (max - min) / STEPS { 0.0 } else { value }
}

/// `16384: [32768, 0, 65535]`.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?}", self.time, self.value)
    }
}

/// Keeps one place of the body at another: a chain of joints that follows a target.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Constraint {
    /// The number of joints that follow.
    pub chain_length: u8,
    /// 0 for a point, 1 for a plane.
    pub kind: u8,
    /// The constrained collision volume: a name terminated by a zero byte.
    pub source: [u8; 16],
    /// The offset from the source volume, in metres.
    pub source_offset: [f32; 3],
    /// The target collision volume, or `GROUND`.
    pub target: [u8; 16],
    /// The offset from the target volume, in metres.
    pub target_offset: [f32; 3],
    /// The normal of the plane.
    pub target_direction: [f32; 3],
    /// When it fades in, in seconds.
    pub ease_in_start: f32,
    /// When it has full effect.
    pub ease_in_stop: f32,
    /// When it fades out.
    pub ease_out_start: f32,
    /// When it has no more effect.
    pub ease_out_stop: f32,
}
