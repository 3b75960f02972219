//! The motion of a joint of the avatar.

use glam::{Quat, Vec3};
use slmesh::joints;
use slmesh::motion::{Joint, MAX_OFFSET};

use super::keys;
use rezkit_core::Loss;

/// The joint whose positions in a motion are offsets from its rest position.
pub(super) const PELVIS: &str = "mPelvis";

/// The sampling rate of curves that are not linear, per second.
const RATE: f32 = 30.0;

/// The curves of a joint of the avatar, at times in seconds.
pub(super) struct Track {
    pub(super) joint: &'static joints::Joint,
    /// Rotations in the parent.
    pub(super) rotations: Vec<(f32, Quat)>,
    /// Positions in the parent, in metres.
    pub(super) positions: Vec<(f32, Vec3)>,
}

impl Track {
    pub(super) fn new(joint: &'static joints::Joint) -> Self {
        Self { joint, rotations: Vec::new(), positions: Vec::new() }
    }

    /// The joint of a motion, with as few keys as reproduce the curves.
    pub(super) fn keys(&self, duration: f32, losses: &mut Vec<Loss>) -> Joint {
        let part = |time: f32| if duration > 0.0 { (time / duration).clamp(0.0, 1.0) } else { 0.0 };
        let offset =
            if self.joint.name == PELVIS { Vec3::from_array(self.joint.position) } else { Vec3::ZERO };
        let rotations: Vec<_> = self.rotations.iter().map(|(time, turn)| (part(*time), *turn)).collect();
        let positions: Vec<_> =
            self.positions.iter().map(|(time, place)| (part(*time), *place - offset)).collect();
        let coordinates = positions.iter().flat_map(|(_, place)| place.to_array());
        let beyond = coordinates.filter(|number| number.abs() > MAX_OFFSET).count();
        if beyond > 0 {
            let what = format!("coordinates clamped to ±{MAX_OFFSET} m (number of coordinates: {beyond})");
            losses.push(Loss::approximated(self.joint.name, what).id("sl.clamped-positions"));
        }
        let mut joint = Joint::new(self.joint.name);
        (joint.rotations, joint.positions) = (keys::rotations(&rotations), keys::positions(&positions));
        joint
    }
}

/// The sample times of curves that are not linear.
pub(super) fn frames(duration: f32) -> impl Iterator<Item = f32> {
    #[allow(clippy::cast_sign_loss, reason = "at most 60 s, 30 times a second")]
    let count = (duration * RATE).ceil() as usize;
    (0..=count).map(move |index| (index as f32 / RATE).min(duration))
}
