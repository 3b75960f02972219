//! Roblox's requirements for uploaded emotes and animation packs: the instances that they consist of.

use rbxblobs::FloatCurve;
use rbxblobs::curves::TICKS_PER_SECOND;
use rbxcore::{Dom, InstanceId, Value};

use crate::paths::Paths;
use crate::view::View as _;
use geom::wire::{Budget, Finding, Result, Rule, Severity};

use Severity::{Error, Warning};

const SOURCE: &str = "the checks that Roblox makes when an avatar animation is uploaded";

macro_rules! rules {
    ($($name:ident $id:literal $severity:ident $demands:literal;)+) => {
        $(const $name: Rule = Rule::new($id, $severity, $demands, SOURCE);)+

        /// The rules of the profile `roblox-animation` that a document can break.
        pub(super) const RULES: &[Rule] = &[$($name),+];
    };
}

rules! {
    CURVES "roblox-animation.curves" Warning "an emote is a CurveAnimation, not a KeyframeSequence";
    ROOT "roblox-animation.root" Error
        "a CurveAnimation has exactly one child of class Folder, with the curves of the root part";
    RIG "roblox-animation.rig-data" Error "a CurveAnimation has exactly one child of class AnimationRigData";
    CLASSES "roblox-animation.classes" Error
        "a CurveAnimation contains only Folder, Vector3Curve, EulerRotationCurve, FloatCurve, MarkerCurve and AnimationRigData";
    COUNT "roblox-animation.descendants" Error "a CurveAnimation has at most 600 descendants";
    TAGS "roblox-animation.tags" Error "the instances in a CurveAnimation have no tags";
    KEYS "roblox-animation.keys" Error
        "keys have finite values and tangents, begin at 0 s or later, are sorted by time, and are at least \
         1/70 s apart";
}

const ALLOWED: [&str; 6] =
    ["AnimationRigData", "EulerRotationCurve", "FloatCurve", "Folder", "MarkerCurve", "Vector3Curve"];

/// Checks the animations of a document.
///
/// # Errors
/// If the paths take more than `max_bytes`.
pub fn animations(document: &dyn Dom, max_bytes: u64) -> Result<Vec<Finding>> {
    let (mut findings, mut paths, mut budget) = (Vec::new(), Paths::new(document), Budget::new(max_bytes));
    for id in document.all() {
        match &*document.class_of(id) {
            "KeyframeSequence" => {
                let what = "found a KeyframeSequence; convert the file to .glb, then convert the .glb file to .rbxm \
                            with --curves";
                findings.push(Finding::new(&CURVES, paths.of(id, &mut budget)?, what));
                for frame in document.below(id) {
                    let time = document.value(frame, "Time").as_ref().and_then(Value::as_f32);
                    if let Some(time) = time.filter(|time| !time.is_finite() || *time < 0.0) {
                        let path = paths.of(frame, &mut budget)?;
                        let what =
                            format!("found a keyframe at {time} s; the time must be finite and at least 0");
                        findings.push(Finding::new(&KEYS, path, what));
                    }
                }
            }
            "CurveAnimation" => one(document, id, &mut paths, &mut budget, &mut findings)?,
            _ => {}
        }
    }
    Ok(findings)
}

fn one(
    document: &dyn Dom,
    animation: InstanceId,
    paths: &mut Paths<'_>,
    budget: &mut Budget,
    findings: &mut Vec<Finding>,
) -> Result<()> {
    let path = paths.of(animation, budget)?;
    let children = document.below(animation);
    for (class, rule) in [("Folder", &ROOT), ("AnimationRigData", &RIG)] {
        let count = children.iter().filter(|&&child| document.class_of(child) == class).count();
        if count != 1 {
            findings.push(Finding::new(
                rule,
                &*path,
                format!("expected one child of class {class}, found {count}"),
            ));
        }
    }
    let (mut all, mut next) = (children, 0);
    while let Some(&id) = all.get(next) {
        next += 1;
        all.extend(document.below(id));
        let class = document.class_of(id);
        if !ALLOWED.contains(&&*class) {
            findings.push(Finding::new(
                &CLASSES,
                paths.of(id, budget)?,
                format!("found an instance of class {class}"),
            ));
        }
        if document.value(id, "Tags").is_some_and(|tags| tags.as_bytes().is_some_and(|tags| !tags.is_empty()))
        {
            findings.push(Finding::new(&TAGS, paths.of(id, budget)?, "the instance has tags (remove them)"));
        }
        let curve = document.value(id, "ValuesAndTimes").filter(|_| class == "FloatCurve");
        let bytes = curve.as_ref().and_then(|curve| curve.as_bytes()).unwrap_or_default();
        if let Some(found) = wrong_key(bytes, budget) {
            findings.push(Finding::new(&KEYS, paths.of(id, budget)?, found));
        }
    }
    if all.len() > 600 {
        findings.push(Finding::new(
            &COUNT,
            path,
            format!("expected at most 600 descendants, found {}", all.len()),
        ));
    }
    Ok(())
}

/// A description of the first wrong key of a curve.
fn wrong_key(bytes: &[u8], budget: &mut Budget) -> Option<String> {
    let curve: FloatCurve = rbxblobs::ReadOptions::new().max_bytes(budget.left()).read(bytes).ok()?;
    let least = f64::from(TICKS_PER_SECOND) / 70.0;
    let seconds = |ticks: i32| f64::from(ticks) / f64::from(TICKS_PER_SECOND);
    let mut before: Option<i32> = None;
    for (key, &time) in curve.keys.iter().zip(&curve.times) {
        if !key.value.is_finite() || !key.left.is_finite() || !key.right.is_finite() {
            return Some(format!(
                "the key at {:.3} s has a value or a tangent that is not finite (value: {}, tangents: {} and {})",
                seconds(time),
                key.value,
                key.left,
                key.right
            ));
        }
        if time < 0 {
            return Some(format!("found a key at {:.3} s, before the start at 0 s", seconds(time)));
        }
        if let Some(before) = before.filter(|&before| time < before) {
            let (before, time) = (seconds(before), seconds(time));
            return Some(format!("the key at {time:.4} s comes after the key at {before:.4} s in the list"));
        }
        if let Some(before) = before.filter(|&before| f64::from(time) - f64::from(before) < least.floor()) {
            let (before, time) = (seconds(before), seconds(time));
            return Some(format!("keys at {before:.4} s and {time:.4} s are less than 1/70 s apart"));
        }
        before = Some(time);
    }
    None
}
