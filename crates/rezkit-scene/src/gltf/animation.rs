//! Animations.

use std::collections::{HashMap, HashSet};

use gltf::animation::util::ReadOutputs;
use gltf::json::accessor::{ComponentType, Type};
use gltf::json::animation as anim;
use gltf::json::validation::Checked::Valid;
use gltf::json::{self, Accessor, Index};
use rezkit_core::{Error, Loss, Result};
use serde_json::json;

use super::playback;
use super::read::{Reader, extras as extras_of, text};
use super::writer::{Writer, extras, index, name};
use crate::features::Feature;
use crate::model::{Animation, Channel, Interpolation, Values};

/// The loss of a channel that changes the same as one before it, which glTF does not allow.
const REPEATED: &str = "a channel that animates the same property of the same node as an earlier channel";

const ANIMATIONS: [Feature; 3] =
    [Feature::JointAnimations, Feature::NodeAnimations, Feature::WeightAnimations];

/// Whether times are finite and strictly increasing.
fn increase(times: &[f32]) -> bool {
    times.iter().all(|time| time.is_finite()) && times.is_sorted_by(|one, next| one < next)
}

impl Reader<'_> {
    /// Reads an animation. One that begins before 0 s, which glTF does not allow, is shifted.
    pub(super) fn animation(&mut self, from: &gltf::Animation<'_>) -> Animation {
        let mut channels: Vec<Channel> = Vec::new();
        let mut known = HashSet::new();
        for channel in from.channels() {
            match self.channel(&channel, from) {
                Some(made) if known.insert(made.target()) => channels.push(made),
                Some(_) => {
                    self.lose(
                        "gltf.channels",
                        format!("animations[{}].channels[{}]", from.index(), channel.index()),
                        REPEATED,
                    );
                }
                None => {}
            }
        }
        let first = channels.iter().filter_map(|channel| channel.times.first()).copied().fold(0.0, f32::min);
        if first < 0.0 {
            let what = format!("the animation begins at {first} s, and is shifted to 0 s");
            self.losses.push(
                Loss::approximated(format!("animations[{}]", from.index()), what).id("animation.shifted"),
            );
            channels.iter_mut().flat_map(|channel| &mut channel.times).for_each(|time| *time -= first);
        }
        let (name, mut extras) = (text(from.name()), extras_of(from.extras()));
        let path = format!("animations {name:?}.extras");
        let playback = playback::read(&mut extras, &path, &mut self.losses);
        Animation { name, channels, playback, extras, source: None }
    }

    fn channel(
        &mut self,
        from: &gltf::animation::Channel<'_>,
        animation: &gltf::Animation<'_>,
    ) -> Option<Channel> {
        let path = format!("animations[{}].channels[{}]", animation.index(), from.index());
        let buffers = &self.buffers;
        let reader = from.reader(|buffer| buffers.get(buffer.index()).map(|data| &**data));
        let times: Vec<f32> = reader.read_inputs()?.collect();
        let values = match reader.read_outputs()? {
            ReadOutputs::Translations(values) => Values::Translation(values.collect()),
            ReadOutputs::Rotations(values) => Values::Rotation(values.into_f32().collect()),
            ReadOutputs::Scales(values) => Values::Scale(values.collect()),
            ReadOutputs::MorphTargetWeights(values) => Values::Weights(values.into_f32().collect()),
        };
        let interpolation = match from.sampler().interpolation() {
            gltf::animation::Interpolation::Linear => Interpolation::Linear,
            gltf::animation::Interpolation::Step => Interpolation::Step,
            gltf::animation::Interpolation::CubicSpline => Interpolation::Cubic,
        };
        if !increase(&times) {
            self.lose(
                "gltf.channels",
                path,
                "a channel whose keyframe times are not finite and strictly increasing",
            );
            return None;
        }
        Some(Channel { node: from.target().node().index(), times, values, interpolation })
    }
}

impl Writer<'_> {
    pub(super) fn animation(&mut self, from: &Animation, at: usize) -> Result<()> {
        let mut samplers = Vec::new();
        let mut channels = Vec::new();
        // Channels of one animation usually share their times.
        let mut inputs: HashMap<Vec<u32>, Index<Accessor>> = HashMap::new();
        let mut known = HashSet::new();
        for (number, channel) in from.channels.iter().enumerate() {
            if channel.times.is_empty() || channel.values.is_empty() {
                continue;
            }
            if !known.insert(channel.target()) {
                let loss =
                    Loss::new(format!("animations[{at}].channels[{number}]"), REPEATED).id("gltf.channels");
                self.losses.push(loss.about(ANIMATIONS.map(Feature::title)));
                continue;
            }
            let times = &channel.times;
            if !increase(times) || times[0] < 0.0 {
                let found = match times.windows(2).find(|pair| !increase(pair)) {
                    Some(pair) => format!("{} s before {} s", pair[0], pair[1]),
                    None => format!("{} s", times[0]),
                };
                let what = format!(
                    "expected keyframe times that are finite, not negative and strictly increasing, found {found}"
                );
                return Err(Error::unwritable(what).at(format!("animations[{at}].channels[{number}]")));
            }
            let key: Vec<u32> = times.iter().map(|time| time.to_bits()).collect();
            let input = match inputs.get(&key) {
                Some(&input) => input,
                None => {
                    let view = self.view(times, None)?;
                    let input = self.accessor(view, times.len(), ComponentType::F32, Type::Scalar);
                    let accessor = &mut self.root.accessors[input.value()];
                    accessor.min = times.first().map(|first| json!([first]));
                    accessor.max = times.last().map(|last| json!([last]));
                    inputs.insert(key, input);
                    input
                }
            };
            let (path, mut values, kind): (_, Vec<f32>, _) = match &channel.values {
                Values::Translation(values) => {
                    (anim::Property::Translation, values.as_flattened().to_vec(), Type::Vec3)
                }
                Values::Scale(values) => (anim::Property::Scale, values.as_flattened().to_vec(), Type::Vec3),
                Values::Rotation(values) => {
                    (anim::Property::Rotation, values.as_flattened().to_vec(), Type::Vec4)
                }
                Values::Weights(values) => (anim::Property::MorphTargetWeights, values.clone(), Type::Scalar),
            };
            self.finite(&mut values, &format!("animations[{at}].channels[{number}].values"));
            let count = values.len() / kind.multiplicity();
            let view = self.view(&values, None)?;
            let output = self.accessor(view, count, ComponentType::F32, kind);
            samplers.push(anim::Sampler {
                extensions: None,
                extras: None,
                input,
                interpolation: Valid(match channel.interpolation {
                    Interpolation::Linear => anim::Interpolation::Linear,
                    Interpolation::Step => anim::Interpolation::Step,
                    Interpolation::Cubic => anim::Interpolation::CubicSpline,
                }),
                output,
            });
            channels.push(anim::Channel {
                sampler: index(samplers.len() - 1)?,
                target: anim::Target {
                    extensions: None,
                    extras: None,
                    node: index(channel.node)?,
                    path: Valid(path),
                },
                extensions: None,
                extras: None,
            });
        }
        if channels.is_empty() {
            let loss = Loss::new(
                format!("animations[{at}]"),
                "an animation without keyframes that can be converted",
            )
            .id("gltf.channels");
            self.losses.push(loss.about(ANIMATIONS.map(Feature::title)));
            return Ok(());
        }
        let mut all = from.extras.clone();
        playback::write(from, &mut all);
        let (name, extras) = (name(&from.name), extras(&all));
        let animation = json::Animation { extensions: None, extras, channels, name, samplers };
        self.root.push(animation);
        Ok(())
    }
}
