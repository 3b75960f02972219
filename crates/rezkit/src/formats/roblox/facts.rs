//! The facts about a document: counts, its extent, and its animations.

use rbxdocument::view::View as _;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};

use rbxcore::Value;
use rezkit_core::Result;

use super::Sort;
use super::effective::{Effective, effective};
use crate::assets;
use crate::fact::Fact;
use rbxcore::Dom;
use rbxdocument::which::is_script;

/// Facts: counts of instances, the classes with the most instances, the box around all parts, and references to assets.
pub(in super::super) fn describe(document: &dyn Dom, shared_strings: usize) -> Vec<Fact> {
    let mut classes: HashMap<Cow<'_, str>, usize> = HashMap::new();
    let wanted = |name: &[u8], sort| sort != Sort::Number || matches!(name, b"CFrame" | b"size" | b"Size");
    let (mut corners, mut parts, mut scripts) = (Vec::new(), 0, 0);
    let (mut references, mut shared) = (HashSet::new(), HashSet::new());
    let hashers = [RandomState::new(), RandomState::new()];
    for id in document.all() {
        let class = document.class_of(id);
        scripts += usize::from(is_script(&class));
        let known = rbxcore::classes::class(&*class);
        // Terrain stores a position and a size, but its extent is that of its voxels.
        let is_part = class != "Terrain" && known.is_none_or(|class| class.is_a("BasePart"));
        *classes.entry(class).or_default() += 1;
        let (mut frame, mut size) = (None, None);
        for (name, value) in document.some(id, &wanted) {
            match value {
                value if name == "CFrame" => frame = value.as_cframe(),
                Value::Vector3(value) if name == "size" || name == "Size" => size = Some(value),
                // Many instances can share a long string, which is searched only once.
                Value::SharedString(text) if !shared.insert(text.as_ptr()) => {}
                value => {
                    let texts = match &value {
                        Value::Font(font) => [font.family.as_slice(), font.cached_face_id.as_slice()],
                        value => [value.as_bytes().unwrap_or_default(), &[]],
                    };
                    for text in texts {
                        let found = assets::references_in(&name, text).into_iter();
                        // Counted by 128 bits of hashes, since one text can contain millions.
                        let hash = |(start, end)| hashers.each_ref().map(|by| by.hash_one(&text[start..end]));
                        references.extend(found.map(hash));
                    }
                }
            }
        }
        if is_part && known.is_some() {
            let value = |name| effective(document, id, name).map(Effective::into_value);
            frame = frame.or_else(|| value("CFrame")?.as_cframe());
            size = size.or_else(|| value("Size")?.as_vector3());
        }
        if let (Some(frame), Some(size), true) = (frame, size, is_part) {
            parts += 1;
            let ([a, b, c, d, e, f, g, h, i], [x, y, z]) = (frame.rotation.to_rows(), size.to_array());
            // Half of the extent of the rotated block along each axis.
            let reach = [[a, b, c], [d, e, f], [g, h, i]]
                .map(|[a, b, c]| ((a * x).abs() + (b * y).abs() + (c * z).abs()) / 2.0);
            let center = frame.position.to_array();
            corners.push(std::array::from_fn(|axis| center[axis] - reach[axis]));
            corners.push(std::array::from_fn(|axis| center[axis] + reach[axis]));
        }
    }
    let instances = classes.values().sum();
    let count = classes.len();
    let mut classes: Vec<_> = classes.into_iter().collect();
    classes.sort_by(|(a, these), (b, those)| those.cmp(these).then(a.cmp(b)));
    let classes = classes.iter().map(|(class, count)| format!("{class} {count}"));
    let roots = document.top();
    let mut facts = vec![Fact::count("instances", instances), Fact::count("roots", roots.len())];
    facts.extend(Fact::names("names of roots", roots.iter().map(|&id| document.name_of(id))));
    facts.push(Fact::count("classes", count));
    facts.extend(Fact::names("frequent classes", classes));
    facts.push(Fact::count("parts", parts));
    facts.extend(Fact::bounds(corners));
    facts.push(Fact::count("scripts", scripts));
    facts.push(Fact::count("assets referred to", references.len()));
    facts.push(Fact::count("shared strings", shared_strings));
    facts
}

pub(in super::super) fn has_animations(document: &dyn Dom) -> bool {
    let mut all = document.all().into_iter();
    all.any(|id| matches!(&*document.class_of(id), "KeyframeSequence" | "CurveAnimation"))
}

/// The facts of animations.
pub(in super::super) fn animations(found: Result<Vec<rezkit_scene::roblox::AnimationFacts>>) -> Vec<Fact> {
    let found = match found {
        Ok(found) => found,
        Err(error) => return Fact::text("animations", error.reason()).into_iter().collect(),
    };
    const PRIORITIES: [&str; 6] = ["Idle", "Movement", "Action", "Action2", "Action3", "Action4"];
    let text = |of: &rezkit_scene::roblox::AnimationFacts| {
        let named = |number: u32| match number {
            1000 => "Core".to_owned(),
            number => {
                PRIORITIES.get(number as usize).map_or_else(|| number.to_string(), |of| (*of).to_owned())
            }
        };
        let priority = of.priority.map(named).map(|name| format!(", {name}")).unwrap_or_default();
        let looped = match of.looped {
            Some(true) => ", looped",
            Some(false) => ", played once",
            None => "",
        };
        let rig = of.rig.as_ref().map_or_else(|| ", no known rig".to_owned(), |rig| format!(", {rig}"));
        let keys = rezkit_core::Counted::new(of.keys, "keys");
        format!("{} ({:.3} s, {keys}{priority}{looped}{rig})", of.name, of.seconds)
    };
    let mut facts = vec![Fact::count("animations", found.len())];
    facts.extend(Fact::names("animation details", found.iter().map(text)));
    facts
}
