//! Animations: values of nodes over time.

use std::collections::BTreeMap;

use super::{Node, Playback, Transform};

/// An animation: values of nodes over time.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Animation {
    /// The name; empty if it has no name.
    pub name: String,
    /// The animated properties and their keys.
    pub channels: Vec<Channel>,
    /// How it is played.
    pub playback: Playback,
    /// Properties without a counterpart in a scene, by name.
    pub extras: BTreeMap<String, serde_json::Value>,
    /// In a scene of a Roblox document, the index of its instance, as in [`Node::source`](super::Node::source).
    #[serde(skip)]
    pub source: Option<u32>,
}

impl PartialEq for Animation {
    fn eq(&self, other: &Self) -> bool {
        let Self { name, channels, playback, extras, source: _ } = self;
        (name, channels, playback, extras) == (&other.name, &other.channels, &other.playback, &other.extras)
    }
}

impl Animation {
    /// The time of the last key, in seconds.
    pub fn duration(&self) -> f32 {
        self.channels.iter().filter_map(|channel| channel.times.last()).fold(0.0, |a, &b| a.max(b))
    }

    /// The time that it lasts in seconds, also if nothing moves at its end.
    pub fn lasts(&self) -> f32 {
        self.duration().max(self.playback.duration.unwrap_or(0.0))
    }
}

/// The values of one property of one node over time.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Channel {
    /// The node.
    pub node: usize,
    /// The times of the keys in seconds, in ascending order, the first at 0 or later.
    pub times: Vec<f32>,
    /// One value per time, or three (tangent, value, tangent) for cubic splines.
    pub values: Values,
    /// The interpolation between two keys.
    pub interpolation: Interpolation,
}

impl Channel {
    /// The memory of a channel besides that of its keys, in bytes: in a list whose capacity doubles, with two
    /// allocations.
    pub(crate) const HELD: usize = 2 * size_of::<Self>() + 32;

    /// The node and the property that it animates: two channels of an animation cannot have the same.
    pub(crate) fn target(&self) -> (usize, std::mem::Discriminant<Values>) {
        (self.node, std::mem::discriminant(&self.values))
    }

    /// Whether it changes the place of its node.
    pub(crate) fn moves(&self, nodes: &[Node]) -> bool {
        let Some(node) = nodes.get(self.node) else { return false };
        fn differs<const N: usize>(values: &[[f32; N]], at_rest: [f32; N]) -> bool {
            let is_other =
                |value: &[f32; N]| value.iter().zip(at_rest).any(|(own, rest)| (own - rest).abs() > 1e-6);
            values.iter().any(is_other)
        }
        match &self.values {
            Values::Translation(list) => differs(list, node.transform.translation),
            Values::Rotation(list) => differs(list, node.transform.rotation),
            Values::Scale(_) | Values::Weights(_) => false,
        }
    }

    /// Whether it changes the scale or the weights that its node has at rest; only scenes and glTF can animate these.
    pub(crate) fn is_beyond_joints(&self, nodes: &[Node]) -> bool {
        let Some(node) = nodes.get(self.node) else { return false };
        // Tangents of constant values are 0.
        let is_tangent = |index: usize, size: usize| {
            self.interpolation == Interpolation::Cubic && index / size.max(1) % 3 != 1
        };
        match &self.values {
            Values::Translation(_) | Values::Rotation(_) => false,
            Values::Scale(list) => list.iter().enumerate().any(|(index, scale)| {
                let at_rest = if is_tangent(index, 1) { [0.0; 3] } else { node.transform.scale };
                // Exporters compute a scale that does not change for each frame.
                scale.iter().zip(at_rest).any(|(scale, at_rest)| {
                    let most = 1e-4 * at_rest.abs().max(1e-3);
                    (scale - at_rest).abs() > most || scale.is_nan()
                })
            }),
            Values::Weights(list) => {
                let targets = list.len() / self.times.len().max(1);
                let targets = if self.interpolation == Interpolation::Cubic { targets / 3 } else { targets };
                list.iter().enumerate().any(|(index, weight)| {
                    let at_rest = node.weights.get(index % targets.max(1)).copied().unwrap_or_default();
                    *weight != if is_tangent(index, targets) { 0.0 } else { at_rest }
                })
            }
        }
    }

    /// Multiplies the tangents of splines, which are changes per second, after the times were divided.
    pub(crate) fn stretch(&mut self, factor: f32) {
        if self.interpolation != Interpolation::Cubic {
            return;
        }
        let size = match &self.values {
            Values::Weights(list) => list.len() / (3 * self.times.len()).max(1),
            _ => 1,
        };
        fn scale<const N: usize>(values: &mut [[f32; N]], factor: f32) {
            let tangents = values.iter_mut().enumerate().filter(|(index, _)| index % 3 != 1);
            tangents.for_each(|(_, value)| value.iter_mut().for_each(|part| *part *= factor));
        }
        match &mut self.values {
            Values::Translation(list) | Values::Scale(list) => scale(list, factor),
            Values::Rotation(list) => scale(list, factor),
            Values::Weights(list) => {
                let tangents = list.iter_mut().enumerate().filter(|(index, _)| index / size.max(1) % 3 != 1);
                tangents.for_each(|(_, weight)| *weight *= factor);
            }
        }
    }

    /// The channels of the translation and the rotation of a node from keys, with linear interpolation.
    pub(crate) fn of_keys(node: usize, keys: &[(f32, Transform)]) -> [Self; 2] {
        let times: Vec<f32> = keys.iter().map(|key| key.0).collect();
        let translations = Values::Translation(keys.iter().map(|key| key.1.translation).collect());
        let rotations = Values::Rotation(keys.iter().map(|key| key.1.rotation).collect());
        [translations, rotations].map(|values| {
            let times = times.clone();
            Self { node, times, values, interpolation: Interpolation::Linear }
        })
    }
}

/// The values of a channel.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub enum Values {
    /// Values of [`Transform::translation`].
    Translation(Vec<[f32; 3]>),
    /// Values of [`Transform::rotation`].
    Rotation(Vec<[f32; 4]>),
    /// Values of [`Transform::scale`].
    Scale(Vec<[f32; 3]>),
    /// The weights of all morph targets of the node's mesh, key by key.
    Weights(Vec<f32>),
}

/// The interpolation between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub enum Interpolation {
    /// A straight line; for rotations, the shorter arc.
    #[default]
    Linear,
    /// The value of the earlier key.
    Step,
    /// A cubic spline.
    Cubic,
}

impl Values {
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Translation(list) | Self::Scale(list) => list.is_empty(),
            Self::Rotation(list) => list.is_empty(),
            Self::Weights(list) => list.is_empty(),
        }
    }
}
