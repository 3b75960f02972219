//! Evaluates animations at a time.

use glam::{Quat, Vec3};

use super::model::{Animation, Channel, Interpolation, Pose, Scene, Transform, Values};
use rezkit_core::{Error, Result};

impl Scene {
    /// The index of an animation, by name or by index as text.
    ///
    /// # Errors
    /// [`Argument`](rezkit_core::ErrorKind::Argument) if there is no such animation, or if several have the name.
    pub fn find_animation(&self, wanted: &str) -> Result<usize> {
        let named: Vec<usize> =
            (0..self.animations.len()).filter(|&index| self.animations[index].name == wanted).collect();
        let by_index = || wanted.parse().ok().filter(|index: &usize| *index < self.animations.len());
        match (&named[..], by_index()) {
            ([index], _) => Ok(*index),
            ([], Some(index)) => Ok(index),
            ([], None) => {
                // An animation without a name can be selected by its index.
                let shown = |(index, of): (usize, &Animation)| match of.name.is_empty() {
                    true => format!("index {index}"),
                    false => of.name.clone(),
                };
                let names: Vec<String> =
                    self.animations.iter().enumerate().take(MOST_NAMES).map(shown).collect();
                let more = if self.animations.len() > MOST_NAMES { ", …" } else { "" };
                let found = if names.is_empty() { "none".to_owned() } else { names.join(", ") + more };
                let text = format!("no animation has the name or index {wanted:?} (available: {found})");
                Err(Error::argument(text))
            }
            (indices, _) => {
                let indices: Vec<_> = indices.iter().take(MOST_NAMES).map(ToString::to_string).collect();
                let more = if named.len() > MOST_NAMES { ", …" } else { "" };
                let (count, indices) = (named.len(), indices.join(", ") + more);
                let text =
                    format!("{count} animations are named {wanted:?}: select one by its index ({indices})");
                Err(Error::argument(text))
            }
        }
    }

    /// Removes all animations except one, by name or index.
    ///
    /// # Errors
    /// Like [`find_animation`](Self::find_animation).
    pub fn keep_animation(&mut self, wanted: &str) -> Result<()> {
        let index = self.find_animation(wanted)?;
        self.animations = vec![self.animations.swap_remove(index)];
        Ok(())
    }

    /// The transforms and weights of all nodes at a time of an animation, in seconds. Before the first key and
    /// after the last one, the values of that key apply. If the animation does not exist, returns the pose at rest.
    pub fn pose_at(&self, animation: usize, time: f32) -> Pose {
        let mut pose = self.pose();
        for channel in self.animations.get(animation).into_iter().flat_map(|animation| &animation.channels) {
            let Some(transform) = pose.transforms.get_mut(channel.node) else { continue };
            channel.apply(transform, time);
            if let Values::Weights(values) = &channel.values {
                set(&mut pose.weights[channel.node], channel.weights(values, time));
            }
        }
        pose
    }
}

/// Maximum number of names in a message.
const MOST_NAMES: usize = 20;

impl Channel {
    /// Sets the channel's property of a node's transform to its value at a time.
    pub(crate) fn apply(&self, transform: &mut Transform, time: f32) {
        match &self.values {
            Values::Translation(values) => set(&mut transform.translation, self.vector(values, time)),
            Values::Scale(values) => set(&mut transform.scale, self.vector(values, time)),
            Values::Rotation(values) => set(&mut transform.rotation, self.rotation(values, time)),
            Values::Weights(_) => {}
        }
    }

    /// The values at times.
    pub(crate) fn at(&self, times: &[f32]) -> Values {
        let times = times.iter().copied();
        match &self.values {
            Values::Translation(list) => {
                Values::Translation(times.filter_map(|time| self.vector(list, time)).collect())
            }
            Values::Scale(list) => Values::Scale(times.filter_map(|time| self.vector(list, time)).collect()),
            Values::Rotation(list) => {
                Values::Rotation(times.filter_map(|time| self.rotation(list, time)).collect())
            }
            Values::Weights(list) => {
                Values::Weights(times.filter_map(|time| self.weights(list, time)).flatten().collect())
            }
        }
    }

    /// The weights of all morph targets at a time.
    fn weights(&self, values: &[f32], time: f32) -> Option<Vec<f32>> {
        let keys = self.times.len() * if self.interpolation == Interpolation::Cubic { 3 } else { 1 };
        let count = values.len().checked_div(keys).unwrap_or(0);
        let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
        let weight =
            |target: usize| at_time(self, |key| values.get(key * count + target).copied(), time, mix);
        (0..count).map(weight).collect()
    }

    /// The value at a time, from the values of the keys; `None` if there are no keys.
    pub(crate) fn vector(&self, values: &[[f32; 3]], time: f32) -> Option<[f32; 3]> {
        let at = |key: usize| values.get(key).copied().map(Vec3::from_array);
        at_time(self, at, time, Vec3::lerp).map(|value| value.to_array())
    }

    /// Like [`vector`](Self::vector), for rotations.
    pub(crate) fn rotation(&self, values: &[[f32; 4]], time: f32) -> Option<[f32; 4]> {
        let at = |key: usize| values.get(key).copied().map(Quat::from_array);
        at_time(self, at, time, Quat::slerp).map(|turn| turn.normalize().to_array())
    }
}

fn set<T>(to: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *to = value;
    }
}

/// The value of a channel at a time; `None` if it has no keys.
fn at_time<T>(
    channel: &Channel,
    values: impl Fn(usize) -> Option<T>,
    time: f32,
    mix: fn(T, T, f32) -> T,
) -> Option<T>
where
    T: Copy + std::ops::Mul<f32, Output = T> + std::ops::Add<Output = T>,
{
    let times = &channel.times;
    let cubic = channel.interpolation == Interpolation::Cubic;
    let value = |key: usize| values(if cubic { 3 * key + 1 } else { key });
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
            let (leaving, arriving) = (values(3 * before + 2)?, values(3 * after)?);
            let (t2, t3) = (t * t, t * t * t);
            let ends = from * (2.0 * t3 - 3.0 * t2 + 1.0) + to * (3.0 * t2 - 2.0 * t3);
            Some(ends + leaving * (span * (t3 - 2.0 * t2 + t)) + arriving * (span * (t3 - t2)))
        }
    }
}
