//! Checks the items of a document or a scene.

use rbxcore::{Dom, InstanceId};
use rezkit_core::{Budget, Error, Result, Sources};
use rezkit_scene::Scene;

use crate::checks::{Context, body, bones, cages, emote, head, meshes, properties, rig, tree};
use crate::find::{document, scene};
use crate::item::Item;
use crate::kind::ItemType;
use crate::numbers::Numbers;
use crate::report::{AvatarReport, ItemReport, Sheet, Verdict};
use crate::rules::{NOTES, TYPE};

/// What a check needs besides the file.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CheckOptions {
    /// The numbers of the rules.
    pub numbers: Numbers,
    /// The type of the items; `None` for what the file says.
    pub kind: Option<ItemType>,
    /// The path of an instance: only items at it and below it are meant.
    pub path: Option<String>,
}

/// The instance of [`CheckOptions::path`].
///
/// # Errors
/// If there is none.
pub(crate) fn within(dom: &dyn Dom, options: &CheckOptions) -> Result<Option<InstanceId>> {
    let Some(path) = &options.path else { return Ok(None) };
    let found = dom.find(&*rezkit_core::plain::unescaped(path));
    found.map(Some).ok_or_else(|| Error::argument("no instance is at this path").at(path.as_str()))
}

/// Keeps the items that are at an instance or below it.
pub(crate) fn keep_within(dom: &dyn Dom, items: &mut Vec<Item>, top: Option<InstanceId>) {
    let Some(top) = top else { return };
    let is_below = |id: InstanceId| std::iter::successors(Some(id), |&id| dom.parent(id)).any(|id| id == top);
    items.retain(|item| item.tops.iter().any(|&id| is_below(id)));
}

/// Checks all items of a document: a model, or a place with items anywhere in it. Meshes, cages and textures are
/// requested from `sources` by their asset ids; what is not at hand is listed as not seen.
///
/// # Errors
/// If the budget does not suffice.
pub fn check_document(
    dom: &dyn Dom,
    options: &CheckOptions,
    sources: &mut dyn Sources,
    budget: &mut Budget,
) -> Result<AvatarReport> {
    let mut files = document::Files::new(sources);
    let mut items = document::items(dom, &mut files, budget)?;
    keep_within(dom, &mut items, within(dom, options)?);
    told(&mut items, options.kind);
    rigid(&mut items, &options.numbers);
    let mut reports = Vec::new();
    for item in &items {
        let mut cx = context(options, budget);
        tree::roots(dom, &items, item, &mut cx);
        known(item, &mut cx);
        tree::check(dom, item, &mut cx)?;
        properties::check(dom, item, &mut cx);
        bones::check(dom, item, &mut cx);
        emote::check(dom, item, &mut cx);
        rig::motors(dom, item, &mut cx);
        rest(item, &mut cx)?;
        reports.push(report(item, cx.sheet));
    }
    Ok(finished(reports))
}

/// Checks the items of a scene: meshes with cages (`NAME_OuterCage`, `NAME_InnerCage`), attachments (`NAME_Att`), and
/// bodies (`PART_Geo`). A unit of the scene is a stud. If nothing is named so and the type is given, each mesh is an
/// item.
///
/// # Errors
/// If the budget does not suffice, or the scene contradicts itself.
pub fn check_scene(scene: &Scene, options: &CheckOptions, budget: &mut Budget) -> Result<AvatarReport> {
    let mut items = scene::items(scene, options.kind, budget)?;
    told(&mut items, options.kind);
    rigid(&mut items, &options.numbers);
    let mut reports = Vec::new();
    for item in &items {
        let mut cx = context(options, budget);
        known(item, &mut cx);
        tree::attachments(item, &mut cx);
        rig::check(item, &mut cx);
        rest(item, &mut cx)?;
        reports.push(report(item, cx.sheet));
    }
    Ok(finished(reports))
}

fn context<'a>(options: &'a CheckOptions, budget: &'a mut Budget) -> Context<'a> {
    Context { numbers: &options.numbers, sheet: Sheet::default(), budget }
}

/// Gives items the type that the caller names: accessories a type of accessories, others theirs. Of several items, only those
/// get it whose type the file does not tell.
pub(crate) fn told(items: &mut [Item], kind: Option<ItemType>) {
    let Some(kind) = kind else { return };
    let is_only = items.len() == 1;
    for item in items {
        let is_accessory = item.kind.is_none_or(ItemType::is_accessory);
        if is_accessory == kind.is_accessory() && (is_only || item.kind.is_none()) {
            item.kind = Some(kind);
        }
    }
}

/// Items of a layered type without cages are rigid if the numbers allow that.
fn rigid(items: &mut [Item], numbers: &Numbers) {
    for item in items {
        let Some(kind) = item.kind.filter(|kind| kind.is_layered()) else { continue };
        let is_allowed =
            numbers.get(&["AccessoryRules", kind.key(), "RigidAllowed"]).and_then(|of| of.as_bool());
        let has_cages = item.parts.iter().any(|part| part.outer.is_some() || part.inner.is_some());
        item.is_rigid = is_allowed == Some(true) && !has_cages;
    }
}

/// Whether the type is known.
fn known(item: &Item, cx: &mut Context<'_>) {
    let found = match (item.kind, &item.possible[..]) {
        (Some(kind), _) => kind.name().to_owned(),
        (None, []) => "no attachment of an accessory".to_owned(),
        (None, some) => {
            let names: Vec<&str> = some.iter().map(|kind| kind.name()).collect();
            format!("one of {}", names.join(", "))
        }
    };
    // A type that the attachments leave open is asked for; without any, nothing can be worn.
    let verdict = match item.kind {
        Some(_) => Verdict::Passed,
        None if item.possible.is_empty() => Verdict::Failed,
        None => Verdict::Unseen,
    };
    cx.sheet.row(&TYPE, &item.path, verdict, found, "a known type");
}

/// The rules of meshes.
fn rest(item: &Item, cx: &mut Context<'_>) -> Result<()> {
    meshes::check(item, cx)?;
    if item.kind.is_some_and(|kind| !kind.is_accessory()) {
        body::check(item, cx)?;
        head::check(item, cx)?;
        bones::skins(item, cx);
    }
    cages::check(item, cx)
}

fn report(item: &Item, sheet: Sheet) -> ItemReport {
    ItemReport {
        path: item.path.clone(),
        kind: item.kind.map(ItemType::name),
        scale: item.scale.name(),
        rows: sheet.into_rows(),
        others: Vec::new(),
    }
}

fn finished(items: Vec<ItemReport>) -> AvatarReport {
    let notes =
        if items.is_empty() { Vec::new() } else { NOTES.iter().map(|note| (*note).to_owned()).collect() };
    AvatarReport { items, notes }
}
