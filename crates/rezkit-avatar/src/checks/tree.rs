//! Section 1: the instances of an item.

use rbxcore::{Dom, InstanceId};
use rbxdocument::attributes::Attribute;
use rezkit_core::{Budget, Result};

use super::{Context, instances};
use crate::find::document::{child, class, folders, is_asset_id, name, path, text};
use crate::item::{Held, Item, Part};
use crate::kind::{ItemType, is_body_part};
use crate::numbers::Numbers;
use crate::report::{Sheet, Verdict};
use crate::rules::*;

/// Classes that no item contains.
pub(crate) const FORBIDDEN_CLASSES: [&str; 7] =
    ["Script", "LocalScript", "ModuleScript", "ParticleEmitter", "Fire", "Smoke", "Sparkles"];

/// Names that no instance of an accessory has, besides those of the parts of R15.
const FORBIDDEN_NAMES: [&str; 14] = [
    "Torso",
    "Left Arm",
    "Right Arm",
    "Left Leg",
    "Right Leg",
    "HumanoidRootPart",
    "Humanoid",
    "Body Colors",
    "Shirt Graphic",
    "Shirt",
    "Pants",
    "Health",
    "Animate",
    "Head",
];

pub(crate) fn is_forbidden_name(name: &str) -> bool {
    FORBIDDEN_NAMES.contains(&name) || is_body_part(name)
}

/// Checks the tree of an item of a document.
///
/// # Errors
/// If tags or attributes cannot be read.
pub(crate) fn check(document: &dyn Dom, item: &Item, cx: &mut Context<'_>) -> Result<()> {
    everywhere(document, item, cx);
    content(document, item, cx);
    match item.kind {
        Some(ItemType::Emote | ItemType::ClassicClothing) => {}
        Some(ItemType::Body) => parts(document, item, cx),
        Some(kind) if !kind.is_accessory() => {
            if kind != ItemType::Head || class(document, item.tops[0]) == "Folder" {
                body_folders(document, item, kind, cx);
            }
            parts(document, item, cx);
        }
        _ => accessory(document, item, cx),
    }
    Ok(())
}

/// The instances that may not be there, besides those of forbidden classes.
pub(crate) fn surplus(document: &dyn Dom, item: &Item) -> Vec<InstanceId> {
    let (numbers, mut budget) = (Numbers::default(), Budget::new(0));
    let mut cx = Context { numbers: &numbers, sheet: Sheet::default(), budget: &mut budget };
    match item.kind {
        Some(ItemType::Emote | ItemType::ClassicClothing) => {}
        Some(kind) if !kind.is_accessory() => parts(document, item, &mut cx),
        _ => accessory(document, item, &mut cx),
    }
    let rows = cx.sheet.into_rows().into_iter();
    let wrong = rows.filter(|row| row.verdict == Verdict::Failed && row.rule == CHILDREN.rule.id);
    wrong.filter_map(|row| document.find(row.path)).collect()
}

/// Classes, names, tags and attributes.
fn everywhere(document: &dyn Dom, item: &Item, cx: &mut Context<'_>) {
    let all = instances(document, item);
    let is_accessory = item.kind.is_none_or(ItemType::is_accessory);
    for &id in &all {
        let (path, name) = (path(document, id), name(document, id));
        let of = class(document, id);
        cx.sheet.test(
            &FORBIDDEN_CLASS,
            &path,
            !FORBIDDEN_CLASSES.contains(&of),
            of,
            "no scripts and effects",
        );
        if is_accessory {
            cx.sheet.test(&FORBIDDEN_NAME, &path, !is_forbidden_name(&name), name, "other names");
        }
        let is_top = item.tops.contains(&id);
        if item.kind != Some(ItemType::Emote) {
            let tags = rbxdocument::attributes::tags(document, id).unwrap_or_default();
            let listed = tags.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            cx.sheet.test(
                &TAGS,
                &path,
                tags.is_empty(),
                if tags.is_empty() { "none" } else { &listed },
                "none",
            );
        }
        let attributes = rbxdocument::attributes::attributes(document, id).unwrap_or_default();
        let most = cx.numbers.other("MaxGuidLength");
        let fits = |(name, value): &(bstr::BString, Attribute)| {
            let length = match value {
                Attribute::Value(value) => value.as_bytes().map_or(f64::INFINITY, |text| text.len() as f64),
                _ => f64::INFINITY,
            };
            is_top && name == "RBXGUID" && length <= most
        };
        let wrong = attributes.iter().find(|attribute| !fits(attribute));
        let found = wrong.map_or_else(|| "none".to_owned(), |(name, _)| name.to_string());
        cx.sheet.test(&ATTRIBUTES, &path, wrong.is_none(), found, "none but RBXGUID");
    }
}

/// The properties that name a file.
fn content(document: &dyn Dom, item: &Item, cx: &mut Context<'_>) {
    for id in instances(document, item) {
        let of = class(document, id);
        let properties: &[&str] = match of {
            "MeshPart" => &["MeshId"],
            "SpecialMesh" => &["MeshId", "TextureId"],
            "WrapTarget" => &["CageMeshId"],
            "WrapLayer" => &["CageMeshId", "ReferenceMeshId"],
            "Animation" => &["AnimationId"],
            "Shirt" => &["ShirtTemplate"],
            "Pants" => &["PantsTemplate"],
            "ShirtGraphic" => &["Graphic"],
            _ => &[],
        };
        for property in properties {
            let text = text(document, id, property);
            let path = format!("{}.{property}", path(document, id));
            let found = if text.is_empty() { "empty" } else { &text };
            cx.sheet.test(&CONTENT, &path, is_asset_id(&text), found, "an asset id");
        }
    }
}

/// The tree of an accessory.
fn accessory(document: &dyn Dom, item: &Item, cx: &mut Context<'_>) {
    let Some(&top) = item.tops.first() else { return };
    let of = class(document, top).to_owned();
    cx.sheet.test(&ACCESSORY_CLASS, &item.path, of == "Accessory", of, "Accessory");
    let mut handles = 0;
    for id in document.children(top) {
        match (class(document, id), &*name(document, id)) {
            ("MeshPart", "Handle") => handles += 1,
            ("Part", "Handle") => {
                let meshes =
                    document.children(id).filter(|child| class(document, *child) == "SpecialMesh").count();
                handles += usize::from(meshes == 1);
            }
            ("Configuration", "ThumbnailConfiguration") => {
                for inner in document.children(id) {
                    let kind = (class(document, inner), &*name(document, inner));
                    let is_allowed =
                        [("ObjectValue", "ThumbnailCameraTarget"), ("CFrameValue", "ThumbnailCameraValue")]
                            .contains(&kind);
                    unexpected(document, inner, is_allowed, cx);
                }
                for wanted in ["ThumbnailCameraTarget", "ThumbnailCameraValue"] {
                    let has = child(document, id, wanted).is_some();
                    let found = if has { wanted.to_owned() } else { format!("no {wanted}") };
                    cx.sheet.test(&CHILDREN, &path(document, id), has, found, wanted);
                }
            }
            (of, other) => {
                // A part with another name is a Handle that has not got its name, unless there is one.
                let is_handle =
                    ["MeshPart", "Part"].contains(&of) && child(document, top, "Handle").is_none();
                unexpected(document, id, other == "Handle" || is_handle, cx);
            }
        }
    }
    let count = document.children(top).filter(|id| document.label(*id) == "Handle").count();
    let found = if count == handles {
        format!("{handles}")
    } else {
        format!("{count}, {handles} of them with a mesh")
    };
    cx.sheet.test(&HANDLE, &item.path, handles == 1 && count == 1, found, "one");
    let is_layered = item.is_layered();
    for part in &item.parts {
        let layers = part.layers.len();
        if item.kind.is_some() {
            let wanted = usize::from(is_layered);
            cx.sheet.test(&WRAP_LAYER, &part.path, layers == wanted, layers.to_string(), wanted.to_string());
        }
        let Some(id) = part.id else { continue };
        handle_children(document, (id, part), is_layered, cx);
    }
    attachments(item, cx);
}

fn handle_children(
    document: &dyn Dom,
    (id, part): (InstanceId, &Part),
    is_layered: bool,
    cx: &mut Context<'_>,
) {
    let (mut appearances, mut scales) = (0, 0);
    for inner in document.children(id) {
        let name = &*name(document, inner);
        let is_allowed = match class(document, inner) {
            "Attachment" => true,
            "SurfaceAppearance" => {
                appearances += 1;
                appearances == 1 && (is_layered || name == "SurfaceAppearance")
            }
            "StringValue" => {
                scales += 1;
                name == "AvatarPartScaleType" && scales == 1
            }
            "TouchTransmitter" => is_layered || name == "TouchInterest",
            "SpecialMesh" => !part.is_mesh_part,
            // Another rule counts them.
            "WrapLayer" => true,
            _ => false,
        };
        unexpected(document, inner, is_allowed, cx);
        below(document, inner, cx);
    }
}

/// The children of what is in a part: one file of hidden surfaces in a layer or a target.
fn below(document: &dyn Dom, id: InstanceId, cx: &mut Context<'_>) {
    let has_files = ["WrapLayer", "WrapTarget"].contains(&class(document, id));
    let mut files = 0;
    for below in document.children(id) {
        let is_file = has_files && class(document, below) == "HiddenSurfaceRemovalAsset";
        files += usize::from(is_file);
        unexpected(document, below, is_file && files == 1, cx);
    }
}

/// Notes an instance that may not be there. Those of forbidden classes are found by another rule.
fn unexpected(document: &dyn Dom, id: InstanceId, is_allowed: bool, cx: &mut Context<'_>) {
    let of = class(document, id);
    if !FORBIDDEN_CLASSES.contains(&of) {
        let path = path(document, id);
        cx.sheet.test(
            &CHILDREN,
            &path,
            is_allowed,
            format!("{of} {}", name(document, id)),
            "only what the type allows",
        );
    }
}

/// The attachments that the type of an accessory allows: names and frames of boxes.
pub(crate) fn allowed_attachments<'n>(kind: ItemType, cx: &'n Context<'_>) -> Vec<&'n str> {
    let list = cx.numbers.list(&["AccessoryRules", kind.key(), "Attachments"]);
    list.filter_map(|row| row.get("Name")?.as_str()).collect()
}

/// The attachments of an accessory. In a scene, which has the attachments of all of its items, one must be there.
pub(crate) fn attachments(item: &Item, cx: &mut Context<'_>) {
    let Some(kind) = item.kind.filter(|kind| kind.is_accessory()) else { return };
    let allowed: Vec<String> = allowed_attachments(kind, cx).into_iter().map(str::to_owned).collect();
    for part in &item.parts {
        let names: Vec<&str> = part.attachments.iter().map(|attachment| &*attachment.name).collect();
        let fitting = names.iter().filter(|name| allowed.iter().any(|allowed| allowed == *name)).count();
        let passes = fitting == 1 && (names.len() == 1 || item.is_scene());
        let found = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        cx.sheet.test(&ATTACHMENT, &part.path, passes, found, format!("one of {}", allowed.join(", ")));
    }
}

/// The folders of a body part's asset.
fn body_folders(document: &dyn Dom, item: &Item, kind: ItemType, cx: &mut Context<'_>) {
    let all = folders(document, item);
    let mut found: Vec<String> = all.iter().map(|id| name(document, *id)).collect();
    geom::sort::by(&mut found, Ord::cmp);
    let expected = ["R15ArtistIntent", "R15Fixed", "R6"];
    cx.sheet.test(&FOLDERS, &item.path, found == expected, found.join(", "), expected.join(", "));
    let intent = all.into_iter().find(|id| document.label(*id) == "R15ArtistIntent");
    let inside = intent.into_iter().flat_map(|id| document.children(id));
    let mut names: Vec<String> = inside
        .filter(|id| !FORBIDDEN_CLASSES.contains(&class(document, *id)))
        .map(|id| match class(document, id) {
            "MeshPart" => name(document, id),
            other => format!("{} ({other})", name(document, id)),
        })
        .collect();
    let mut expected: Vec<&str> = kind.parts().to_vec();
    geom::sort::by(&mut names, Ord::cmp);
    expected.sort_unstable();
    cx.sheet.test(&PARTS, &item.path, names == expected, names.join(", "), expected.join(", "));
}

/// Whether a body has all parts of R15, each once.
pub(crate) fn whole(item: &Item, allowed: &str, cx: &mut Context<'_>) {
    let names: Vec<&str> =
        item.parts.iter().filter(|part| part.is_mesh_part).map(|part| &*part.name).collect();
    let missing: Vec<&str> =
        crate::kind::JOINTS.iter().map(|(part, ..)| *part).filter(|part| !names.contains(part)).collect();
    let found = match missing[..] {
        [] => format!("{} parts", names.len()),
        _ => format!("{} parts, without {}", names.len(), missing.join(", ")),
    };
    let passes = missing.is_empty() && names.len() == crate::kind::JOINTS.len();
    cx.sheet.test(&PARTS, &item.path, passes, found, allowed);
}

/// The children of the parts of a body, and that all parts are there.
fn parts(document: &dyn Dom, item: &Item, cx: &mut Context<'_>) {
    let is_body = item.kind == Some(ItemType::Body);
    if is_body {
        whole(item, "15 MeshParts of R15", cx);
    }
    for part in &item.parts {
        let Some(id) = part.id else { continue };
        let mut counts = [0; 4];
        for inner in document.children(id) {
            let name = &*name(document, inner);
            let mut once = |at: usize| {
                counts[at] += 1;
                counts[at] == 1
            };
            let is_allowed = match class(document, inner) {
                "Attachment" | "Bone" | "HumanoidRigDescription" | "DigitsRigDescription" => true,
                "StringValue" => name == "AvatarPartScaleType" && once(3),
                "WrapTarget" => {
                    once(0)
                        && [part.name.clone(), format!("{}WrapTarget", part.name), "WrapTarget".into()]
                            .iter()
                            .any(|n| n == name)
                }
                "SurfaceAppearance" => once(1),
                "FaceControls" => part.name == "Head" && name == "FaceControls" && once(2),
                // A character that is put together has joints and the values by which it is scaled.
                "Motor6D"
                | "Weld"
                | "WeldConstraint"
                | "Vector3Value"
                | "BallSocketConstraint"
                | "NoCollisionConstraint"
                | "AnimationConstraint"
                | "Decal"
                | "Sound" => is_body,
                _ => false,
            };
            unexpected(document, inner, is_allowed, cx);
            if ["FaceControls", "StringValue", "SurfaceAppearance", "WrapTarget"]
                .contains(&class(document, inner))
            {
                below(document, inner, cx);
            }
        }
        if part.is_mesh_part {
            let targets = counts[0];
            if targets == 0 {
                cx.sheet.test(&CONTENT, &part.path, false, "no WrapTarget", "a WrapTarget with a cage");
            }
        }
        if part.name == "Head" && (item.kind != Some(ItemType::Body) || part.is_mesh_part) {
            face_controls(document, id, &part.path, cx);
        }
    }
}

fn face_controls(document: &dyn Dom, head: InstanceId, path: &str, cx: &mut Context<'_>) {
    let controls: Vec<InstanceId> =
        document.children(head).filter(|child| class(document, *child) == "FaceControls").collect();
    let has_overrides = controls.iter().any(|id| {
        document.properties(*id).any(|(name, value)| {
            name.to_string().contains("Override") && value.as_bytes().is_some_and(|bytes| !bytes.is_empty())
        })
    });
    let found = if has_overrides { "override data".to_owned() } else { controls.len().to_string() };
    cx.sheet.test(
        &FACE_CONTROLS,
        path,
        controls.len() == 1 && !has_overrides,
        found,
        "one, without override data",
    );
}

/// Whether a model has only items at its top.
pub(crate) fn roots(document: &dyn Dom, items: &[Item], item: &Item, cx: &mut Context<'_>) {
    let is_place = document.roots().any(|root| document.is_service(root));
    let is_root = item.tops.iter().any(|top| document.parent(*top).is_none());
    if is_place || !is_root {
        return;
    }
    let other = document.roots().find(|root| {
        let is_within = |top: &InstanceId| {
            std::iter::successors(Some(*top), |id| document.parent(*id)).any(|above| above == *root)
        };
        !items.iter().flat_map(|item| &item.tops).any(is_within)
    });
    let found = other.map_or_else(|| "only items".to_owned(), |id| format!("also {}", path(document, id)));
    cx.sheet.test(&ONE_ROOT, &item.path, other.is_none(), found, "only items");
}

/// The scale types of all parts.
pub(crate) fn scale_types(document: &dyn Dom, item: &Item, cx: &mut Context<'_>) {
    let is_body = item.kind.is_some_and(|kind| !kind.is_accessory());
    let mut first: Option<String> = None;
    for part in &item.parts {
        let value = part.id.and_then(|id| child(document, id, "AvatarPartScaleType"));
        let value = value.map(|value| text(document, value, "Value"));
        let passes = match &value {
            None => !is_body,
            Some(value) => {
                crate::item::Scale::of_name(value).is_some()
                    && first.as_ref().is_none_or(|first| first == value)
            }
        };
        let found = value.clone().unwrap_or_else(|| "none".to_owned());
        let allowed =
            first.clone().unwrap_or_else(|| "Classic, ProportionsSlender or ProportionsNormal".to_owned());
        cx.sheet.test(&SCALE_TYPE, &part.path, passes, found, allowed);
        first = first.or(value);
    }
}

/// Mesh files that cannot be read.
pub(crate) fn files(item: &Item, cx: &mut Context<'_>) {
    for part in &item.parts {
        match &part.mesh {
            Held::Broken(why) => cx.sheet.test(&MESH_READABLE, &part.path, false, why, "a mesh"),
            Held::Read(_) => cx.sheet.test(&MESH_READABLE, &part.path, true, "a mesh", "a mesh"),
            Held::Missing(file) => {
                cx.sheet.row(
                    &MESH_READABLE,
                    &part.path,
                    Verdict::Unseen,
                    format!("{file} is not at hand"),
                    "a mesh",
                );
            }
            Held::Unset => {}
        }
    }
}
