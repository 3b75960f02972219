//! A pose that stands, for rigs whose rest pose is none: motion capture often has all bones along one axis.

use std::collections::HashMap;

use glam::{Mat3, Quat, Vec3};

use super::{Place, Retarget};

impl Retarget<'_> {
    fn known(&self, name: &str) -> Option<usize> {
        self.known.get(name).copied().filter(|node| self.rest.contains_key(node))
    }

    /// Whether the rest pose is none in which a human could stand: the thighs point apart, or in the direction of the head.
    pub(super) fn lies(&self) -> bool {
        let way = |from: &str, to: &str| {
            let [from, to] = [self.known(from)?, self.known(to)?].map(|node| self.rest[&node].1);
            (to - from).try_normalize()
        };
        let all = || {
            Some([way("mPelvis", "mHead")?, way("mHipLeft", "mKneeLeft")?, way("mHipRight", "mKneeRight")?])
        };
        all().is_some_and(|[up, left, right]| left.dot(right) < -0.3 || up.dot(left).max(up.dot(right)) > 0.3)
    }

    /// Takes a pose that stands in place of a rest pose that does not.
    pub(super) fn stand(&mut self) {
        let places = if self.stands { None } else { self.standing() };
        self.rest = places.unwrap_or_else(|| std::mem::take(&mut self.rest));
    }

    /// The pose at the start, with an upright trunk: the hips and the chest are turned so that they are above each other and
    /// their sides level. The hips are at the height of the rest pose.
    fn standing(&self) -> Option<HashMap<usize, Place>> {
        let mut places = self.rig.posed(self.animation, 0.0);
        let [hips, head] = ["mPelvis", "mHead"].map(|name| self.known(name));
        let (hips, head) = (hips?, head?);
        let chest = self.known("mChest").or_else(|| self.known("mTorso"));
        for (joint, end, sides) in [
            (Some(hips), chest.filter(|&chest| chest != hips).unwrap_or(head), ["mHipLeft", "mHipRight"]),
            (chest, head, ["mShoulderLeft", "mShoulderRight"]),
        ] {
            let (Some(joint), [Some(left), Some(right)]) = (joint, sides.map(|name| self.known(name))) else {
                continue;
            };
            let place = |node: usize| places[&node].1;
            let [up, side] = [place(end) - place(joint), place(left) - place(right)];
            let Some(turn) = upright(up, side) else { continue };
            let centre = place(joint);
            let below: Vec<usize> =
                places.keys().copied().filter(|&node| self.is_at_or_below(node, joint)).collect();
            for node in below {
                let (own, at) = places[&node];
                places.insert(node, ((turn * own).normalize(), centre + turn * (at - centre)));
            }
        }
        // As far as the rest pose has a height.
        let way = self.rest[&hips].1 - places[&hips].1;
        if self.rest[&hips].1.y * self.size > 0.5 * self.target.leg {
            places.values_mut().for_each(|(_, at)| *at += way);
        }
        Some(places)
    }

    fn is_at_or_below(&self, node: usize, above: usize) -> bool {
        std::iter::successors(Some(node), |&node| self.rig.parents[node]).any(|at| at == above)
    }
}

/// The rotation that makes a trunk upright whose sides then are level, in the same direction as before.
fn upright(up: Vec3, side: Vec3) -> Option<Quat> {
    let up = up.try_normalize()?;
    let side = side.reject_from_normalized(up).try_normalize()?;
    let level = Vec3::new(side.x, 0.0, side.z).try_normalize()?;
    let of = |up: Vec3, side: Vec3| Quat::from_mat3(&Mat3::from_cols(side, up, side.cross(up)));
    Some(of(Vec3::Y, level) * of(up, side).inverse())
}
