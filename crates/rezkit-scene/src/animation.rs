//! Animations at a time.

use glam::{Quat, Vec3};

use super::model::{Channel, Interpolation, Scene, Transform, Values};

impl Scene {
    /// The transforms of all nodes at a time of an animation, in seconds. Before the first key and
    /// after the last one the key's values apply. An animation that does not exist moves nothing.
    pub fn transforms_at(&self, animation: usize, time: f32) -> Vec<Transform> {
        let mut transforms = self.transforms();
        for channel in self.animations.get(animation).into_iter().flat_map(|animation| &animation.channels) {
            let Some(transform) = transforms.get_mut(channel.node) else { continue };
            match &channel.values {
                Values::Translation(values) => {
                    set(&mut transform.translation, at(channel, values, time, Vec3::lerp))
                }
                Values::Scale(values) => set(&mut transform.scale, at(channel, values, time, Vec3::lerp)),
                Values::Rotation(values) => {
                    let rotation = at(channel, values, time, Quat::slerp);
                    set(&mut transform.rotation, rotation.map(Quat::normalize));
                }
                Values::Weights(_) => {}
            }
        }
        transforms
    }
}

fn set<T>(to: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *to = value;
    }
}

/// The value of a channel at a time; `None` where it has no keys.
fn at<T>(channel: &Channel, values: &[T], time: f32, mix: fn(T, T, f32) -> T) -> Option<T>
where
    T: Copy + std::ops::Mul<f32, Output = T> + std::ops::Add<Output = T>,
{
    let times = &channel.times;
    let cubic = channel.interpolation == Interpolation::Cubic;
    let value = |key: usize| values.get(if cubic { 3 * key + 1 } else { key }).copied();
    let after = times.partition_point(|&key| key <= time);
    let Some(before) = after.checked_sub(1) else { return value(0) };
    let (Some(&start), Some(&end)) = (times.get(before), times.get(after)) else { return value(before) };
    let span = end - start;
    let t = (time - start) / span;
    match channel.interpolation {
        Interpolation::Step => value(before),
        Interpolation::Linear => Some(mix(value(before)?, value(after)?, t)),
        Interpolation::Cubic => {
            let (from, to) = (value(before)?, value(after)?);
            let (leaving, arriving) = (*values.get(3 * before + 2)?, *values.get(3 * after)?);
            let (t2, t3) = (t * t, t * t * t);
            let ends = from * (2.0 * t3 - 3.0 * t2 + 1.0) + to * (3.0 * t2 - 2.0 * t3);
            Some(ends + leaving * (span * (t3 - 2.0 * t2 + t)) + arriving * (span * (t3 - t2)))
        }
    }
}
