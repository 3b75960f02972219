//! Mends what needs no artist, and lists each change.

use std::collections::HashSet;

use bstr::ByteSlice as _;
use geom::{Aabb, CFrame, Rgba8, TriMesh, Vec3};
use rbxcore::{Dom, InstanceId, Value};
use rezkit_core::{Budget, Error, Loss, Reference, Result, Sources};

use crate::check::{CheckOptions, keep_within, told, within};
use crate::checks::meshes::{box_of_part, most_triangles};
use crate::checks::tree::{FORBIDDEN_CLASSES, is_forbidden_name, surplus};
use crate::checks::{instances, properties};
use crate::find::document::{Files, class, items, name, path, text};
use crate::geometry::scaled;
use crate::item::{Item, Part, Shape};
use crate::kind::ItemType;
use crate::report::triple;
use crate::rules::*;

/// A change.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Change {
    /// The rule that was broken.
    pub rule: &'static str,
    /// The path of the instance, with the property if one was changed.
    pub path: String,
    /// What was there.
    pub before: String,
    /// What is there now.
    pub after: String,
}

/// What was changed.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Fitted {
    /// The changes, in order.
    pub changes: Vec<Change>,
    /// The changed meshes, by their old asset ids. They must be uploaded, and their new ids put into the document.
    pub meshes: Vec<(u64, Vec<u8>)>,
    /// What a changed mesh no longer has.
    pub losses: Vec<Loss>,
}

impl Fitted {
    fn note(
        &mut self,
        rule: &AvatarRule,
        path: impl Into<String>,
        before: impl Into<String>,
        after: impl Into<String>,
    ) {
        self.changes.push(Change {
            rule: rule.rule.id,
            path: path.into(),
            before: before.into(),
            after: after.into(),
        });
    }
}

/// Mends the items of a document: properties with fixed values, names, children that may not be there, tags and attributes,
/// vertex colours, the middle of meshes, their triangles, and the place and size in the box. Nothing else is changed; what
/// remains is found by a check.
///
/// # Errors
/// If the budget does not suffice, or an edit is refused.
pub fn fit_document(
    dom: &mut dyn Dom,
    options: &CheckOptions,
    sources: &mut dyn Sources,
    budget: &mut Budget,
) -> Result<Fitted> {
    let mut fitted = Fitted::default();
    let top = within(dom, options)?;
    let mut files = Files::new(sources);
    let mut all = items(dom, &mut files, budget)?;
    keep_within(dom, &mut all, top);
    told(&mut all, options.kind);
    for item in &all {
        names(dom, item, &mut fitted)?;
    }
    // A part may have got its name only now.
    let mut all = items(dom, &mut files, budget)?;
    keep_within(dom, &mut all, top);
    told(&mut all, options.kind);
    for item in &all {
        children(dom, item, &mut fitted)?;
        values(dom, item, &mut fitted)?;
    }
    let mut all = items(dom, &mut files, budget)?;
    keep_within(dom, &mut all, top);
    told(&mut all, options.kind);
    let mut done = HashSet::new();
    for item in &mut all {
        meshes(dom, item, (&mut files, &mut done), (options, &mut fitted), budget)?;
        if item.is(ItemType::is_accessory) {
            for part in &item.parts {
                into_box(dom, item, part, options, &mut fitted)?;
            }
        }
    }
    Ok(fitted)
}

/// Sets a property.
fn set(dom: &mut dyn Dom, id: InstanceId, property: &str, value: impl Into<Value>) -> Result<()> {
    dom.set(id, property, value).map(drop).map_err(Error::from)
}

/// Removes what may not be there: scripts and effects, other children, tags and attributes.
fn children(dom: &mut dyn Dom, item: &Item, fitted: &mut Fitted) -> Result<()> {
    let forbidden =
        instances(dom, item).into_iter().filter(|id| FORBIDDEN_CLASSES.contains(&class(dom, *id)));
    let mut wrong: Vec<(&AvatarRule, InstanceId)> = forbidden.map(|id| (&FORBIDDEN_CLASS, id)).collect();
    wrong.extend(surplus(dom, item).into_iter().map(|id| (&CHILDREN, id)));
    for (rule, id) in wrong {
        // The form of a part that is no MeshPart goes with no artist asked.
        let is_form = dom.is_a(id, "DataModelMesh")
            && dom
                .parent(id)
                .is_some_and(|parent| class(dom, parent) == "Part" && dom.label(parent) == "Head");
        // One above it may be gone already.
        if dom.contains(id) && !is_form {
            let path = path(dom, id);
            let before = format!("{} {}", class(dom, id), name(dom, id));
            dom.remove(id)?;
            fitted.note(rule, path, before, "removed");
        }
    }
    for id in instances(dom, item) {
        let is_emote = item.kind == Some(ItemType::Emote);
        let tags = rbxdocument::attributes::tags(dom, id).unwrap_or_default();
        if !tags.is_empty() && !is_emote {
            let before = tags.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            rbxdocument::attributes::set_tags(dom, id, Vec::<bstr::BString>::new())?;
            fitted.note(&TAGS, path(dom, id), before, "none");
        }
        let is_top = item.tops.contains(&id);
        for (attribute, _) in rbxdocument::attributes::attributes(dom, id).unwrap_or_default() {
            if !(is_top && attribute == "RBXGUID") {
                rbxdocument::attributes::remove_attribute(dom, id, &attribute.to_str_lossy())?;
                fitted.note(&ATTRIBUTES, path(dom, id), attribute.to_string(), "removed");
            }
        }
    }
    Ok(())
}

/// Gives instances the names that they must have.
fn names(dom: &mut dyn Dom, item: &Item, fitted: &mut Fitted) -> Result<()> {
    let is_accessory = item.kind.is_none_or(ItemType::is_accessory);
    if is_accessory && let Some(&top) = item.tops.first() {
        let parts: Vec<InstanceId> = dom.children(top).filter(|id| dom.is_a(*id, "BasePart")).collect();
        if let [only] = parts[..]
            && dom.label(only) != "Handle"
        {
            rename(dom, only, "Handle", &HANDLE, fitted)?;
        }
    }
    for id in instances(dom, item) {
        let (of, label) = (class(dom, id).to_owned(), name(dom, id));
        let wanted = match &*of {
            "TouchTransmitter" => "TouchInterest",
            other => other,
        };
        let fixed = ["SurfaceAppearance", "TouchTransmitter", "WrapTarget"].contains(&&*of);
        let is_wrong_target = of == "WrapTarget"
            && !label.ends_with("WrapTarget")
            && !item.parts.iter().any(|part| part.name == label);
        let is_layered = item.is(ItemType::is_layered);
        let is_wrong = match &*of {
            "WrapTarget" => is_wrong_target,
            _ => fixed && !is_layered && label != wanted,
        };
        if is_accessory && is_forbidden_name(&label) {
            rename(dom, id, wanted, &FORBIDDEN_NAME, fitted)?;
        } else if is_wrong {
            rename(dom, id, wanted, &CHILDREN, fitted)?;
        }
    }
    Ok(())
}

fn rename(dom: &mut dyn Dom, id: InstanceId, to: &str, rule: &AvatarRule, fitted: &mut Fitted) -> Result<()> {
    let (at, before) = (path(dom, id), name(dom, id));
    set(dom, id, "Name", to)?;
    fitted.note(rule, format!("{at}.Name"), before, to);
    Ok(())
}

/// Sets the properties with fixed values.
fn values(dom: &mut dyn Dom, item: &Item, fitted: &mut Fitted) -> Result<()> {
    for id in instances(dom, item) {
        for (rule, property, must) in properties::fixed(dom, id, item) {
            let Some(found) = dom.property(id, &property) else { continue };
            let value = found.value.as_ref();
            // As a FileMesh without a file, a mesh of another type would vanish.
            let vanishes = property == "MeshType" && text(dom, id, "MeshId").is_empty();
            if must.is(value) != Some(false) || vanishes {
                continue;
            }
            let before = must.shown(value);
            let at = format!("{}.{property}", path(dom, id));
            set(dom, id, &property, must.value(found.value.kind()))?;
            fitted.note(rule, at, before, must.text());
        }
        let offset = dom.get(id, "BindOffset").and_then(|value| value.as_cframe());
        if class(dom, id) == "WrapLayer" && offset.is_some_and(|offset| offset != CFrame::IDENTITY) {
            let at = format!("{}.BindOffset", path(dom, id));
            set(dom, id, "BindOffset", CFrame::IDENTITY)?;
            fitted.note(&BIND_OFFSET, at, "an offset", "zero");
        }
    }
    Ok(())
}

/// Mends the meshes of an item.
fn meshes(
    dom: &mut dyn Dom,
    item: &mut Item,
    (files, done): (&mut Files<'_>, &mut HashSet<u64>),
    (options, fitted): (&CheckOptions, &mut Fitted),
    budget: &mut Budget,
) -> Result<()> {
    let (shares, is_accessory) = (shares(item, options), item.is(ItemType::is_accessory));
    for (part, most) in item.parts.iter_mut().zip(shares) {
        let Some(id) = part.id else { continue };
        let of = part.special_mesh.filter(|_| !part.is_mesh_part).unwrap_or(id);
        let uri = text(dom, of, "MeshId");
        let (Some(Reference::Id(asset)), Some(shape)) = (Reference::of_uri(&uri), part.mesh.read()) else {
            continue;
        };
        if !done.insert(asset) {
            continue;
        }
        let Some(bytes) = files.sources.get(&Reference::Id(asset), budget.left())? else { continue };
        let mut mesh = rbxmesh::ReadOptions::new().max_bytes(budget.left()).read(&bytes)?;
        let before = fitted.changes.len();
        whiten(&mut mesh, &part.path, is_accessory, fitted);
        let has_cage = part.outer.is_some();
        let moved = if has_cage { Vec3::default() } else { center(&mut mesh, &part.path, options, fitted) };
        simplify(&mut mesh, &part.path, most, fitted, budget)?;
        if fitted.changes.len() == before {
            continue;
        }
        fitted.meshes.push((asset, rbxmesh::to_vec(&mesh)?));
        let scale = shape.scale;
        let changed = Shape { mesh: mesh.to_tri_mesh(0).unwrap_or_default(), scale, ..shape.clone() };
        resize(dom, (id, of), part, (changed, moved), fitted)?;
    }
    Ok(())
}

/// The greatest number of triangles of each part: that of its asset, in proportion to what the parts have.
fn shares(item: &Item, options: &CheckOptions) -> Vec<usize> {
    let count = |part: &Part| part.mesh.read().map_or(0, |shape| shape.mesh.triangles.len());
    let share = |part: &Part| {
        let kind = item.kind.filter(|kind| kind.is_accessory()).or_else(|| ItemType::of_part(&part.name));
        let Some(kind) = kind else { return usize::MAX };
        let same = |other: &&Part| kind.is_accessory() || ItemType::of_part(&other.name) == Some(kind);
        let all: usize = item.parts.iter().filter(same).map(count).sum();
        let mut most = most_triangles(kind, &options.numbers);
        if !kind.is_accessory() {
            most -= options.numbers.other("TriangleTolerance");
        }
        if all as f64 <= most {
            return usize::MAX;
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of triangles")]
        let share = (most * count(part) as f64 / all.max(1) as f64).max(1.0) as usize;
        share
    };
    item.parts.iter().map(share).collect()
}

/// Makes the vertex colours white; those of accessories stay as transparent as they are.
fn whiten(mesh: &mut rbxmesh::Mesh, path: &str, is_accessory: bool, fitted: &mut Fitted) {
    let white = |color: Rgba8| Rgba8 { a: if is_accessory { color.a } else { 255 }, ..Rgba8::WHITE };
    let colored = mesh.vertices.iter().filter(|vertex| vertex.color != white(vertex.color)).count();
    if colored > 0 {
        mesh.vertices.iter_mut().for_each(|vertex| vertex.color = white(vertex.color));
        fitted.note(&VERTEX_COLORS, path, format!("{colored} vertices have a colour"), "white");
    }
}

/// Moves the middle of a mesh to its origin, and returns by how much.
fn center(mesh: &mut rbxmesh::Mesh, path: &str, options: &CheckOptions, fitted: &mut Fitted) -> Vec3 {
    let Some(middle) = mesh.to_tri_mesh(0).and_then(|mesh| mesh.bounds()).map(Aabb::center) else {
        return Vec3::default();
    };
    if f64::from(middle.length()) <= options.numbers.other("CenterTolerance") {
        return Vec3::default();
    }
    mesh.vertices.iter_mut().for_each(|vertex| vertex.position = vertex.position - middle);
    mesh.bones.iter_mut().for_each(|bone| bone.position = bone.position - middle);
    fitted.note(&CENTERED, path, format!("middle at {}", list(middle)), "middle at 0, 0, 0");
    middle
}

fn list(v: Vec3) -> String {
    v.to_array().map(|part| crate::report::shown(part.into())).join(", ")
}

/// Reduces the triangles of a mesh.
fn simplify(
    mesh: &mut rbxmesh::Mesh,
    path: &str,
    most: usize,
    fitted: &mut Fitted,
    budget: &mut Budget,
) -> Result<()> {
    let Some(whole) = mesh.to_tri_mesh(0).filter(|whole| whole.triangles.len() > most) else { return Ok(()) };
    // The joints of a face are moved by poses, which a simplified mesh would not fit.
    if mesh.facs.is_some() {
        fitted.losses.push(
            Loss::new(path, "the triangles of a face with poses are not reduced").id("lods.not-reduced"),
        );
        return Ok(());
    }
    let reduced = rezkit_upload::simplify(&[&whole], &[most], budget)?;
    let Some((reduced, _)) = reduced.into_iter().next().and_then(|level| level.parts.into_iter().next())
    else {
        return Ok(());
    };
    let before = whole.triangles.len();
    let after = reduced.triangles.len();
    if mesh.lods.offsets.len() > 2 {
        fitted.losses.push(
            Loss::new(path, "levels of detail of the simplified mesh (Roblox makes new ones)")
                .id("scene.levels"),
        );
    }
    let version = mesh.version;
    let made = if mesh.bones.is_empty() {
        rbxmesh::Mesh::from_tri_mesh(&TriMesh { joints: Vec::new(), weights: Vec::new(), ..reduced })?
    } else {
        rbxmesh::Mesh::from_skinned_tri_mesh(&reduced, mesh.bones.clone())?
    };
    *mesh = made.to_version(version, rbxmesh::LodChoice::First).0;
    fitted.note(&TRIANGLES, path, format!("{before} triangles"), format!("{after} triangles"));
    Ok(())
}

/// Gives a part the size of its changed mesh, at the scale that it had, and moves the attachments of an old Handle by as
/// much as its mesh was moved.
fn resize(
    dom: &mut dyn Dom,
    (id, of): (InstanceId, InstanceId),
    part: &mut Part,
    (mut shape, moved): (Shape, Vec3),
    fitted: &mut Fitted,
) -> Result<()> {
    let bounds = shape.mesh.bounds().unwrap_or_default();
    if part.is_mesh_part {
        let size = scaled(bounds.size(), shape.scale);
        let old = part.size;
        if (size - old).length() > 1e-4 {
            set(dom, id, "Size", size)?;
            fitted.note(&TRIANGLES, format!("{}.Size", part.path), triple(old), triple(size));
            part.size = size;
        }
        shape.center = bounds.center();
    } else if of != id && moved.length() > 0.0 {
        let by = scaled(moved, shape.scale);
        let all: Vec<InstanceId> =
            dom.children(id).filter(|child| class(dom, *child) == "Attachment").collect();
        for (at, attachment) in all.into_iter().zip(&mut part.attachments) {
            let frame = attachment.frame.with_position(attachment.frame.position - by);
            set(dom, at, "CFrame", frame)?;
            let before = list(attachment.frame.position);
            fitted.note(&CENTERED, format!("{}.Position", attachment.path), before, list(frame.position));
            attachment.frame = frame;
        }
    }
    part.mesh = crate::item::Held::Read(shape);
    Ok(())
}

/// Scales a part into the box of its type, and moves its attachment.
fn into_box(
    dom: &mut dyn Dom,
    item: &Item,
    part: &Part,
    options: &CheckOptions,
    fitted: &mut Fitted,
) -> Result<()> {
    let (Some(bounds), Some(shape), Some(id)) =
        (box_of_part(item, part, &options.numbers), part.mesh.read(), part.id)
    else {
        return Ok(());
    };
    if shape.points().all(|point| bounds.contains(point)) {
        return Ok(());
    }
    let Some(attachment) = part.attachments.iter().find(|attachment| {
        crate::checks::meshes::box_of(
            item.kind.unwrap_or(ItemType::Hat),
            item.scale,
            attachment,
            &options.numbers,
        )
        .is_some()
    }) else {
        return Ok(());
    };
    // Seen along the axes of the box.
    let turn = CFrame { position: Vec3::default(), rotation: attachment.frame.rotation };
    let Some(seen) = Aabb::from_points(shape.points().map(|point| turn.inverse() * point)) else {
        return Ok(());
    };
    let ratios = seen
        .size()
        .to_array()
        .into_iter()
        .zip(bounds.size.to_array())
        .map(|(size, most)| most / size.max(1e-9));
    // A little less, so that rounding does not put a vertex outside.
    let ratio = ratios.fold(1.0, f32::min);
    let ratio = if ratio < 1.0 { ratio * 0.9999 } else { ratio };
    if ratio < 1.0 {
        let holder = part.special_mesh.filter(|_| !part.is_mesh_part);
        let (of, property, old) = match holder {
            Some(mesh) => (mesh, "Scale", shape.scale),
            None => (id, "Size", part.size),
        };
        let at = format!("{}.{property}", path(dom, of));
        set(dom, of, property, old * ratio)?;
        fitted.note(&BOX, at, triple(old), triple(old * ratio));
    }
    // The middle of the box, between those that leave the mesh inside; as near as possible to where it was.
    let offset = attachment.frame.inverse() * bounds.frame.position;
    let place = turn.inverse() * (attachment.frame.position * ratio) + offset;
    let half = bounds.size * 0.5;
    let [low, high] = [seen.max * ratio - half, seen.min * ratio + half];
    let place = Vec3::from(std::array::from_fn::<f32, 3, _>(|axis| {
        let (place, low, high) = (place.to_array()[axis], low.to_array()[axis], high.to_array()[axis]);
        place.max(low).min(high)
    }));
    let position = turn * (place - offset);
    let target = dom.children(id).find(|child| path(dom, *child) == attachment.path);
    if let Some(target) = target.filter(|_| (position - attachment.frame.position).length() > 1e-5) {
        set(dom, target, "CFrame", attachment.frame.with_position(position))?;
        let at = format!("{}.Position", attachment.path);
        fitted.note(&BOX, at, list(attachment.frame.position), list(position));
    }
    Ok(())
}
