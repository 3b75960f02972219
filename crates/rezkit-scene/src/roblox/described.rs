//! Describes the animations of a document.

use std::collections::HashMap;

use super::interpolation::seconds;
use super::rigs;
use super::source;
use super::tree::{Property, Tree, is_sequence};
use rbxcore::Dom;
use rezkit_core::{Budget, Result};

/// An animation of a document.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AnimationFacts {
    /// The index of its instance, as in [`Node::source`](crate::Node::source).
    pub source: u32,
    /// Its name.
    pub name: String,
    /// The time of its last key, in seconds.
    pub seconds: f32,
    /// The number of its keyframes with poses, or of the keys of its longest curve.
    pub keys: usize,
    /// The number of its `Enum.AnimationPriority`; `None` if it is not stored.
    pub priority: Option<u32>,
    /// Whether it is looped; `None` if this is not stored.
    pub looped: Option<bool>,
    /// The name of the model that it moves, or of the avatar (R6 or R15) that it fits; `None` if unknown.
    pub rig: Option<String>,
}

/// The animations of a document, in document order.
///
/// # Errors
/// If they need more memory than is left.
pub fn animations(document: &dyn Dom, budget: &mut Budget) -> Result<Vec<AnimationFacts>> {
    let mut tree = source::tree(document, (None, None), budget)?;
    let found = rigs::animated(&mut tree, None, budget)?;
    let mut rig_of: HashMap<usize, usize> = HashMap::new();
    for rig in found.rigs.iter().chain(&found.hidden) {
        rig_of.extend(rig.sequences.iter().map(|&sequence| (sequence, rig.model)));
    }
    let mut made = Vec::new();
    for index in (0..tree.own).filter(|&index| is_sequence(&tree.instances[index])) {
        let instance = &tree.instances[index];
        let (seconds, keys) = extent(&tree, index, budget)?;
        let rig = rig_of.get(&index).map(|&model| tree.instances[model].name.clone());
        budget.take((size_of::<AnimationFacts>() + instance.name.len()) as u64 * 2, "the animations")?;
        made.push(AnimationFacts {
            source: u32::try_from(index).unwrap_or(u32::MAX),
            name: instance.name.clone(),
            seconds,
            keys,
            priority: instance.int(Property::Priority),
            looped: instance.bool(Property::Loop),
            rig,
        });
    }
    Ok(made)
}

/// The time of the last key, and the number of keys.
fn extent(tree: &Tree, animation: usize, budget: &mut Budget) -> Result<(f32, usize)> {
    let (mut last, mut most) = (0.0_f32, 0);
    if tree.instances[animation].class == "KeyframeSequence" {
        for (index, frame) in tree.children(animation).filter(|(_, child)| child.class == "Keyframe") {
            last = last.max(frame.number(Property::Time).unwrap_or(0.0));
            most += usize::from(tree.children(index).any(|(_, child)| child.class.ends_with("Pose")));
        }
        return Ok((last, most));
    }
    for index in tree.animated(animation) {
        let Some(bytes) = tree.instances[index].bytes(&[Property::ValuesAndTimes]) else { continue };
        budget.work(bytes.len() as u64, "the curves")?;
        let options = rbxblobs::ReadOptions::new().max_bytes(budget.left());
        let times = match tree.instances[index].class.as_str() {
            "FloatCurve" => options.read::<rbxblobs::FloatCurve>(bytes).map(|curve| curve.times),
            "RotationCurve" => options.read::<rbxblobs::RotationCurve>(bytes).map(|curve| curve.times),
            _ => continue,
        };
        // Curves that cannot be read are listed when they are converted.
        let times = times.unwrap_or_default();
        most = most.max(times.len());
        last = times.last().map_or(last, |&time| last.max(seconds(time)));
    }
    Ok((last, most))
}
