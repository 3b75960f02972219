//! Curves of numbers over time, and the channels of transforms that were sampled from them.

use glam::{DQuat, DVec3};
use rezkit_core::Loss;

use crate::model::{Channel, Interpolation, Values};
use crate::reduction::reduced;

/// The time before a jump at which the value before it is kept, in seconds.
pub(crate) const JUMP: f32 = 0.0005;
/// The longest time that is sampled, in frames.
const MOST: usize = 200_000;

/// The translation, the rotation and the scale of a node at a time.
pub(crate) type At = (DVec3, DQuat, DVec3);

/// Times in ascending order, and the frames between them.
pub(crate) fn with_frames(times: &[f64], rate: f64) -> Vec<f64> {
    let mut all = Vec::new();
    for (at, &time) in times.iter().enumerate() {
        all.push(time);
        let Some(&next) = times.get(at + 1) else { break };
        if (next - time) * rate > 1.01 {
            let first = (time * rate + 1e-6).floor() as i64 + 1;
            let frames = (first..).map(|frame| frame as f64 / rate).take_while(|frame| *frame < next - 1e-6);
            all.extend(frames.take(MOST.saturating_sub(all.len())));
        }
    }
    all
}

/// The value of a Bézier curve between two keys at a part of their time. The four points have these values; the times of
/// the inner ones are parts of the whole time, counted from the first key and from the last one.
pub(crate) fn bezier(values: [f64; 4], [first, last]: [f64; 2], part: f64) -> f64 {
    let blend = |[a, b, c, d]: [f64; 4], s: f64| {
        let r = 1.0 - s;
        a * r * r * r + 3.0 * b * r * r * s + 3.0 * c * r * s * s + d * s * s * s
    };
    let is_even = (first - 1.0 / 3.0).abs() < 1e-9 && (last - 1.0 / 3.0).abs() < 1e-9;
    let mut s = part;
    if !is_even {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..50 {
            let time = blend([0.0, first, 1.0 - last, 1.0], s);
            if time < part {
                low = s
            } else {
                high = s
            }
            s = (low + high) * 0.5;
        }
    }
    blend(values, s)
}

/// The channels of a node from its transforms at times, without keys that interpolation yields. What is always as at rest
/// is omitted.
pub(crate) fn channels(node: usize, times: &[f64], places: &[At], rest: At) -> Vec<Channel> {
    let times: Vec<f32> = times.iter().map(|time| *time as f32).collect();
    let (place, turn, size) = rest;
    let mut channels = Vec::new();
    let far = places.iter().map(|(place, ..)| place.length()).fold(0.0, f64::max).max(1e-6);
    let part = |from: usize, to: usize, key: usize| {
        f64::from((times[key] - times[from]) / (times[to] - times[from]))
    };
    if places.iter().any(|(at, ..)| at.distance(place) > 1e-7 * far) {
        let kept = reduced(times.len(), |from, to, key| {
            let line = places[from].0.lerp(places[to].0, part(from, to, key));
            line.distance(places[key].0) < 1e-6 * far
        });
        let values = kept.iter().map(|&at| places[at].0.as_vec3().to_array()).collect();
        channels.push(channel(node, &times, &kept, Values::Translation(values)));
    }
    if places.iter().any(|(_, rotation, _)| rotation.dot(turn).abs() < 1.0 - 1e-12) {
        let kept = reduced(times.len(), |from, to, key| {
            let line = places[from].1.slerp(places[to].1, part(from, to, key));
            // Twice the sine of half of the angle.
            2.0 * (line.inverse() * places[key].1).xyz().length() < 1e-5
        });
        let values = kept.iter().map(|&at| places[at].1.as_quat().to_array()).collect();
        channels.push(channel(node, &times, &kept, Values::Rotation(values)));
    }
    if places.iter().any(|(.., scale)| scale.distance(size) > 1e-7) {
        let kept = reduced(times.len(), |from, to, key| {
            places[from].2.lerp(places[to].2, part(from, to, key)).distance(places[key].2) < 1e-6
        });
        let values = kept.iter().map(|&at| places[at].2.as_vec3().to_array()).collect();
        channels.push(channel(node, &times, &kept, Values::Scale(values)));
    }
    channels
}

fn channel(node: usize, times: &[f32], kept: &[usize], values: Values) -> Channel {
    let times = kept.iter().map(|&at| times[at]).collect();
    Channel { node, times, values, interpolation: Interpolation::Linear }
}

/// Shifts an animation that begins before 0 to 0.
pub(crate) fn from_zero(channels: &mut [Channel], path: &str, losses: &mut Vec<Loss>) {
    let start = channels.iter().filter_map(|channel| channel.times.first().copied()).fold(0.0, f32::min);
    if start < 0.0 {
        let what = format!("the animation begins at {start} s, and is shifted to 0 s");
        losses.push(Loss::approximated(path, what).id("animation.shifted"));
        channels.iter_mut().flat_map(|channel| &mut channel.times).for_each(|time| *time -= start);
    }
}
