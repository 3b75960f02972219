//! Section 8: the instances of emotes.

use rbxblobs::MarkerCurve;
use rbxcore::{Dom, InstanceId};

use super::Context;
use crate::find::document::{class, name, path};
use crate::item::Item;
use crate::kind::{JOINTS, is_body_part};
use crate::rules::*;

/// Checks the instances of an emote.
pub(crate) fn check(document: &dyn Dom, item: &Item, cx: &mut Context<'_>) {
    let Some(&top) = item.tops.first().filter(|top| class(document, **top) == "CurveAnimation") else {
        return;
    };
    tags(document, top, cx);
    for id in document.children(top) {
        let (of, label) = (class(document, id), name(document, id));
        if of == "Folder" {
            let is_part = label == "HumanoidRootPart" || is_body_part(&label);
            cx.sheet.test(
                &EMOTE_TREE,
                &path(document, id),
                is_part,
                label,
                "HumanoidRootPart or a body part",
            );
            folder(document, id, cx);
        } else {
            data(document, id, cx);
        }
    }
}

/// The tags of the root.
fn tags(document: &dyn Dom, top: InstanceId, cx: &mut Context<'_>) {
    let tags = rbxdocument::attributes::tags(document, top).unwrap_or_default();
    let most = cx.numbers.emote("MaxTagDigits");
    let passes = match &tags[..] {
        [] => true,
        [tag] => tag.iter().all(u8::is_ascii_digit) && tag.len() as f64 <= most,
        _ => false,
    };
    let found = tags.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let found = if tags.is_empty() { "none".to_owned() } else { found };
    cx.sheet.test(&EMOTE_TAGS, &path(document, top), passes, found, format!("none, or one of {most} digits"));
}

/// What has no instances below it.
fn data(document: &dyn Dom, id: InstanceId, cx: &mut Context<'_>) {
    let path = path(document, id);
    let children = document.children(id).count();
    let bytes = document.get(id, "ValuesAndTimes");
    let bytes = bytes.as_ref().and_then(|value| value.as_bytes()).unwrap_or_default();
    let markers = match class(document, id) {
        "MarkerCurve" => rbxblobs::from_slice::<MarkerCurve>(bytes).map_or(0, |curve| curve.keys.len()),
        _ => 0,
    };
    let most = cx.numbers.emote("MaxMarkers");
    let found = format!("{children} children, {markers} markers");
    let passes = children == 0 && markers as f64 <= most;
    cx.sheet.test(&EMOTE_DATA, &path, passes, found, format!("no children, at most {most} markers"));
}

/// The folder of a part, and those below it.
fn folder(document: &dyn Dom, top: InstanceId, cx: &mut Context<'_>) {
    let mut open = vec![top];
    while let Some(at) = open.pop() {
        let part = name(document, at);
        let mut seen: Vec<(&str, String)> = Vec::new();
        for id in document.children(at) {
            let (of, label) = (class(document, id), name(document, id));
            let path = path(document, id);
            let is_first = !seen.contains(&(of, label.clone()));
            let is_allowed = match of {
                "Folder" if label == "FaceControls" => {
                    let numbers = document.children(id).all(|child| class(document, child) == "FloatCurve");
                    part == "Head" && numbers
                }
                "Folder" => {
                    open.push(id);
                    JOINTS.iter().any(|(below, above, _)| *below == label && *above == part)
                }
                "Vector3Curve" => label == "Position" && axes(document, id),
                "EulerRotationCurve" => label == "Rotation" && axes(document, id),
                _ => false,
            };
            seen.push((of, label.clone()));
            cx.sheet.test(
                &EMOTE_TREE,
                &path,
                is_allowed && is_first,
                format!("{of} {label} below {part}"),
                "what the part may have",
            );
        }
    }
}

/// Whether a curve has at most one curve of numbers for each axis.
fn axes(document: &dyn Dom, id: InstanceId) -> bool {
    let mut names: Vec<String> = document
        .children(id)
        .map(|child| format!("{} {}", class(document, child), name(document, child)))
        .collect();
    geom::sort::by(&mut names, Ord::cmp);
    let count = names.len();
    names.dedup();
    count == names.len()
        && names.iter().all(|name| ["FloatCurve X", "FloatCurve Y", "FloatCurve Z"].contains(&name.as_str()))
}
