//! Checks scenes for Roblox's rules for the motion of parts in animations that are uploaded as emotes or in packs.

use std::collections::{BTreeMap, HashMap};

use glam::{Quat, Vec3};
use rezkit_core::{Budget, Counted, Finding, Result, Rule, Severity};

use super::described::AnimationFacts;
use super::keys::posed_by;
use crate::model::{Channel, Scene, Transform};

use Severity::{Error, Warning};

const SOURCE: &str = "the checks that Roblox makes when an avatar animation is uploaded";

macro_rules! rules {
    ($($name:ident $id:literal $severity:ident $demands:literal;)+) => {
        $(const $name: Rule = Rule::new($id, $severity, $demands, SOURCE);)+

        /// The rules of the profile `roblox-animation` that a scene can break.
        pub const RULES: &[Rule] = &[$($name),+];
    };
}

rules! {
    NONE "roblox-animation.none" Error "a file has at least one animation that rezkit can convert";
    LENGTH "roblox-animation.length" Error "an animation lasts more than 0 s and at most 10 s";
    STILL "roblox-animation.still" Error "an animation moves at least one part of the avatar";
    TURNS "roblox-animation.rotation-speed" Error "a part rotates by at most 1,750 degrees per second";
    SPEED "roblox-animation.speed" Error "a part moves by at most 30 studs per second";
    REACH "roblox-animation.positions" Error "a part stays within 5 studs of its rest position";
    PLACES "roblox-animation.moving-parts" Warning "only LowerTorso changes its position; other parts only rotate";
}

/// The upload rules of Roblox that the animations of a scene violate. `all` are those of the document, with their
/// paths: also those that could not be converted, of which only the length and the number of keys are checked.
///
/// # Errors
/// If the budget does not suffice for the keys.
pub fn check_animations(
    scene: &Scene,
    all: &[(AnimationFacts, String)],
    budget: &mut Budget,
) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    if scene.animations.is_empty() {
        let found = match all.len() {
            0 => "found no animation".to_owned(),
            count => format!("found {}, but none that can be converted", Counted::new(count, "animations")),
        };
        findings.push(Finding::new(&NONE, "", found));
    }
    let mut paths: HashMap<u32, &(AnimationFacts, String)> =
        all.iter().map(|animation| (animation.0.source, animation)).collect();
    let parents = scene.parents();
    let parts: Vec<_> =
        (0..scene.nodes.len()).filter_map(|node| Some((node, posed_by(scene, &parents, node)?.0))).collect();
    for (index, animation) in scene.animations.iter().enumerate() {
        let found = animation.source.and_then(|source| paths.remove(&source));
        let path = match (found, animation.name.as_str()) {
            (Some((_, path)), _) => path.clone(),
            (None, "") => format!("animations[{index}]"),
            (None, name) => name.to_owned(),
        };
        findings.extend(wrong_length(animation.duration(), &path));
        let mut moved: BTreeMap<usize, Vec<&Channel>> = BTreeMap::new();
        for channel in &animation.channels {
            moved.entry(channel.node).or_default().push(channel);
        }
        let mut moves = false;
        budget.work(parts.len() as u64 * 16, "the animations")?;
        for (node, part) in &parts {
            let Some(channels) = moved.get(node) else { continue };
            let rest = &scene.nodes[*node].transform;
            let keys = keys(channels, rest, budget)?;
            moves |= keys.iter().any(|(_, pose)| differs(pose, &keys[0].1));
            findings.extend(part_breaks(part, &keys, rest, &path));
        }
        // If the rig has no parts of an avatar, nothing is known about its motion.
        if !parts.is_empty() && !moves {
            findings.push(Finding::new(&STILL, path, "no part has two keys with different poses"));
        }
    }
    for (facts, path) in all.iter().filter(|(facts, _)| paths.contains_key(&facts.source)) {
        findings.extend(wrong_length(facts.seconds, path));
        if facts.keys == 0 {
            findings.push(Finding::new(&STILL, &**path, "the animation has no keys"));
        }
    }
    Ok(findings)
}

/// Whether two poses differ by more than the rounding of interpolated values.
fn differs(a: &Transform, b: &Transform) -> bool {
    let [p, q] = [a, b].map(|pose| Quat::from_array(pose.rotation));
    let q = if p.dot(q) < 0.0 { -q } else { q };
    !p.abs_diff_eq(q, 1e-5) || !Vec3::from(a.translation).abs_diff_eq(b.translation.into(), 1e-5)
}

fn wrong_length(seconds: f32, path: &str) -> Option<Finding> {
    let is_right = seconds > 0.0 && seconds <= 10.0;
    (!is_right).then(|| Finding::new(&LENGTH, path, format!("the animation lasts {seconds} s")))
}

/// The poses of a node at all times at which one of its channels has a key.
fn keys(channels: &[&Channel], rest: &Transform, budget: &mut Budget) -> Result<Vec<(f32, Transform)>> {
    let mut times: Vec<f32> = channels.iter().flat_map(|channel| channel.times.iter().copied()).collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    budget.work((times.len() * channels.len()) as u64 * 8, "the animations")?;
    let pose = |time| {
        let mut pose = *rest;
        channels.iter().for_each(|channel| channel.apply(&mut pose, time));
        (time, pose)
    };
    Ok(times.into_iter().map(pose).collect())
}

/// The rules that one part violates, each with its worst violation.
fn part_breaks(part: &str, keys: &[(f32, Transform)], rest: &Transform, path: &str) -> Vec<Finding> {
    let place = |pose: &Transform| Vec3::from(pose.translation);
    let path = format!("{path}/{part}");
    let mut findings = Vec::new();
    let mut most = |rule: &Rule, allowed: f32, unit: &str, numbers: &mut dyn Iterator<Item = (f32, f32)>| {
        // Times and positions are rounded to 32 bits.
        let worst =
            numbers.filter(|(_, number)| *number > allowed * 1.0001).max_by(|a, b| a.1.total_cmp(&b.1));
        let found = worst.map(|(time, number)| {
            format!("expected at most {allowed} {unit}, found {number:.3} at {time:.3} s")
        });
        findings.extend(found.map(|found| Finding::new(rule, &*path, found)));
    };
    let pairs =
        || keys.windows(2).filter_map(|pair| <&[_; 2]>::try_from(pair).ok()).filter(|[a, b]| b.0 > a.0);
    // Two keys within a millisecond are a jump of constant values, from which a sample is generated.
    let spans = || pairs().filter(|[a, b]| b.0 - a.0 > 0.002);
    let turn = |[a, b]: &[(f32, Transform); 2]| {
        let [p, q] = [a, b].map(|key| Quat::from_array(key.1.rotation).normalize());
        (a.0, p.angle_between(q).to_degrees() / (b.0 - a.0))
    };
    most(&TURNS, 1750.0, "degrees per second", &mut spans().map(turn));
    let way = |[a, b]: &[(f32, Transform); 2]| (a.0, place(&a.1).distance(place(&b.1)) / (b.0 - a.0));
    most(&SPEED, 30.0, "studs per second", &mut spans().map(way));
    most(
        &REACH,
        5.0,
        "studs from the rest position",
        &mut keys.iter().map(|(time, pose)| (*time, place(pose).distance(place(rest)))),
    );
    if part != "LowerTorso" {
        most(
            &PLACES,
            0.001,
            "studs from the rest position",
            &mut keys.iter().map(|(time, pose)| (*time, place(pose).distance(place(rest)))),
        );
    }
    findings
}
