//! Finds the items in a document, and reads their files.

use std::collections::{HashMap, HashSet};

use bstr::ByteSlice as _;
use geom::{CFrame, Vec3};
use rbxcore::{Dom, InstanceId};
use rezkit_core::{Budget, Error, Reference, Result, Sources};

use crate::item::{Attachment, Bone, Cage, Held, Item, Part, Scale, Shape, Texture};
use crate::kind::{ItemType, is_body_part};

/// Reads files, each once.
pub(crate) struct Files<'a> {
    pub(crate) sources: &'a mut dyn Sources,
    meshes: HashMap<String, std::result::Result<Shape, Option<String>>>,
    images: HashMap<String, std::result::Result<(u32, u32), Option<String>>>,
}

impl<'a> Files<'a> {
    pub(crate) fn new(sources: &'a mut dyn Sources) -> Self {
        Self { sources, meshes: HashMap::new(), images: HashMap::new() }
    }

    fn bytes(
        &mut self,
        uri: &str,
        budget: &mut Budget,
    ) -> Result<std::result::Result<Vec<u8>, Option<String>>> {
        let Some(reference) = Reference::of_uri(uri) else { return Ok(Err(None)) };
        match self.sources.get(&reference, budget.left()) {
            Ok(Some(bytes)) => {
                budget.take(bytes.len() as u64, "a file of the item")?;
                Ok(Ok(bytes))
            }
            Ok(None) => Ok(Err(None)),
            Err(error) if error.is_limit() => Err(error),
            Err(error) => Ok(Err(Some(error.to_string()))),
        }
    }

    fn mesh(&mut self, uri: &str, budget: &mut Budget) -> Result<Held<Shape>> {
        if uri.is_empty() {
            return Ok(Held::Unset);
        }
        if !self.meshes.contains_key(uri) {
            let read = match self.bytes(uri, budget)? {
                Ok(bytes) => shape(&bytes, budget)?,
                Err(why) => Err(why),
            };
            self.meshes.insert(uri.to_owned(), read);
        }
        Ok(match &self.meshes[uri] {
            // Another rule finds that it is no asset id.
            Err(None) if !is_asset_id(uri) => Held::Unset,
            Ok(shape) => {
                budget.take(shape.mesh.positions.len() as u64 * 120, "a copy of a mesh")?;
                Held::Read(shape.clone())
            }
            Err(None) => Held::Missing(uri.to_owned()),
            Err(Some(why)) => Held::Broken(format!("{uri}: {why}")),
        })
    }

    /// Whether a file has exactly one HiddenSurfaceRemovalAsset, without children.
    fn hidden(&mut self, uri: &str, budget: &mut Budget) -> Result<Option<Held<bool>>> {
        if uri.is_empty() {
            return Ok(None);
        }
        let bytes = match self.bytes(uri, budget)? {
            Ok(bytes) => bytes,
            Err(None) => return Ok(Some(Held::Missing(uri.to_owned()))),
            Err(Some(why)) => return Ok(Some(Held::Broken(why))),
        };
        Ok(Some(match rbxdocument::ReadOptions::new().max_bytes(budget.left()).read(&bytes) {
            Ok(asset) => {
                let roots: Vec<InstanceId> = asset.roots().collect();
                let is_one = |id: &InstanceId| {
                    class(&*asset, *id) == "HiddenSurfaceRemovalAsset"
                        && asset.first_child(Some(*id)).is_none()
                };
                Held::Read(roots.len() == 1 && roots.iter().all(is_one))
            }
            Err(error) => {
                let error = Error::from(error);
                if error.is_limit() {
                    return Err(error);
                }
                Held::Broken(error.to_string())
            }
        }))
    }

    fn image(&mut self, uri: &str, budget: &mut Budget) -> Result<Held<(u32, u32)>> {
        if !self.images.contains_key(uri) {
            let read = self.bytes(uri, budget)?;
            let read = read.and_then(|bytes| {
                rezkit_scene::images::size(&bytes).ok_or_else(|| Some("not an image".to_owned()))
            });
            self.images.insert(uri.to_owned(), read);
        }
        Ok(match &self.images[uri] {
            Err(None) if !is_asset_id(uri) => Held::Unset,
            Ok(size) => Held::Read(*size),
            Err(None) => Held::Missing(uri.to_owned()),
            Err(Some(why)) => Held::Broken(format!("{uri}: {why}")),
        })
    }
}

/// Whether a text refers to an asset by its id.
pub(crate) fn is_asset_id(uri: &str) -> bool {
    matches!(Reference::of_uri(uri), Some(Reference::Id(_)))
}

/// Reads a mesh file. An inner error says why it cannot be read.
fn shape(bytes: &[u8], budget: &mut Budget) -> Result<std::result::Result<Shape, Option<String>>> {
    let options = rbxmesh::ReadOptions::new().max_bytes(budget.left());
    let file = match options.read(bytes) {
        Ok(file) => file,
        Err(error) => {
            let error = Error::from(error);
            return if error.is_limit() { Err(error) } else { Ok(Err(Some(error.to_string()))) };
        }
    };
    let kept = size_of_val(&*file.vertices) + size_of_val(&*file.faces);
    budget.take(3 * kept as u64, "a mesh")?;
    let Some(mesh) = file.to_tri_mesh(0) else {
        return Ok(Err(Some("the mesh has no level of detail".to_owned())));
    };
    if mesh.triangles.is_empty() {
        return Ok(Err(Some("the mesh has no triangles".to_owned())));
    }
    let bone = |bone: &rbxmesh::Bone| Bone {
        name: bone.name.to_string(),
        frame: CFrame { position: bone.position, rotation: bone.rotation },
    };
    let one = Vec3::new(1.0, 1.0, 1.0);
    let bones = file.bones.iter().map(bone).collect();
    Ok(Ok(Shape { mesh, bones, facs: file.facs, center: Vec3::default(), scale: one, is_rbxmesh: true }))
}

/// A text of a property; empty if there is none.
pub(crate) fn text(document: &dyn Dom, id: InstanceId, property: &str) -> String {
    document.get(id, property).and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

pub(crate) fn class(document: &dyn Dom, id: InstanceId) -> &str {
    document.class(id).and_then(|class| class.to_str().ok()).unwrap_or_default()
}

pub(crate) fn name(document: &dyn Dom, id: InstanceId) -> String {
    document.label(id).to_string()
}

pub(crate) fn path(document: &dyn Dom, id: InstanceId) -> String {
    document.path(id).map(|path| path.to_string()).unwrap_or_default()
}

pub(crate) fn frame(document: &dyn Dom, id: InstanceId, property: &str) -> CFrame {
    document.get(id, property).and_then(|value| value.as_cframe()).unwrap_or_default()
}

/// A child by name.
pub(crate) fn child(document: &dyn Dom, id: InstanceId, wanted: &str) -> Option<InstanceId> {
    document.children(id).find(|child| document.label(*child) == wanted)
}

/// All items of a document.
///
/// # Errors
/// If the budget does not suffice.
pub(crate) fn items(document: &dyn Dom, files: &mut Files<'_>, budget: &mut Budget) -> Result<Vec<Item>> {
    budget.take(document.len() as u64 * 64, "the instances")?;
    let mut items = Vec::new();
    let mut within: HashSet<InstanceId> = HashSet::new();
    let roots: Vec<InstanceId> = document.roots().collect();
    if let Some(item) = body_part(document, None, &roots) {
        within.extend(&item.tops);
        items.push(item);
    }
    for id in document.instances() {
        if document.parent(id).is_some_and(|parent| within.contains(&parent)) || within.contains(&id) {
            // Accessories that a character wears are items of their own.
            if class(document, id) != "Accessory" {
                within.insert(id);
                continue;
            }
        }
        let Some(item) = item(document, id) else { continue };
        within.insert(id);
        items.push(item);
    }
    paths(document, &items, budget)?;
    for item in &mut items {
        read(document, item, files, budget)?;
    }
    Ok(items)
}

/// Charges the work of the paths of all instances of the items: each looks at the siblings of the instances above it.
fn paths(document: &dyn Dom, items: &[Item], budget: &mut Budget) -> Result<()> {
    let mut siblings: HashMap<InstanceId, u64> = HashMap::new();
    for top in items.iter().flat_map(|item| &item.tops) {
        let mut steps = 1;
        for above in std::iter::successors(document.parent(*top), |id| document.parent(*id)) {
            steps += *siblings.entry(above).or_insert_with(|| document.children(above).count() as u64);
        }
        let inside = 1 + document.descendants(*top).count() as u64;
        budget.work(steps.saturating_mul(inside).saturating_mul(4), "the paths of the items")?;
    }
    Ok(())
}

/// The item of which an instance is the top.
fn item(document: &dyn Dom, id: InstanceId) -> Option<Item> {
    let made = |kind: Option<ItemType>| {
        let mut item = Item::new(kind, path(document, id));
        item.tops.push(id);
        item
    };
    match class(document, id) {
        "Accessory" => {
            let number = document.get(id, "AccessoryType").and_then(|value| value.as_enum());
            Some(made(number.and_then(ItemType::of_accessory_type)))
        }
        "Hat" => Some(made(Some(ItemType::Hat))),
        "Shirt" | "Pants" | "ShirtGraphic" => Some(made(Some(ItemType::ClassicClothing))),
        "CurveAnimation" | "Animation" => {
            // Animations of scripts are not items: only those at the top of a model are.
            let is_emote = document.parent(id).is_none() && !document.is_service(id);
            is_emote.then(|| made(Some(ItemType::Emote)))
        }
        "MeshPart" if document.label(id) == "Head" => {
            let has_humanoid =
                |parent: InstanceId| document.children(parent).any(|c| class(document, c) == "Humanoid");
            let is_apart = !document.parent(id).is_some_and(has_humanoid);
            let is_head =
                |child: InstanceId| ["FaceControls", "WrapTarget"].contains(&class(document, child));
            (is_apart && document.children(id).any(is_head)).then(|| made(Some(ItemType::Head)))
        }
        "Model" => {
            let parts = document.children(id).filter(|child| is_body_part(&name(document, *child))).count();
            (parts >= 10).then(|| made(Some(ItemType::Body)))
        }
        "Folder" => {
            let children: Vec<InstanceId> = document.children(id).collect();
            body_part(document, Some(id), &children)
        }
        _ => None,
    }
}

/// The asset of a body part: its folders are the children of a folder, or the roots of the file.
fn body_part(document: &dyn Dom, top: Option<InstanceId>, children: &[InstanceId]) -> Option<Item> {
    let folders = |id: &&InstanceId| class(document, **id) == "Folder";
    let intent = children.iter().filter(folders).find(|id| document.label(**id) == "R15ArtistIntent")?;
    let parts = document.children(*intent).map(|part| name(document, part));
    let mut kinds: Vec<ItemType> = parts.filter_map(|part| ItemType::of_part(&part)).collect();
    kinds.dedup();
    let named = top.and_then(|top| ItemType::of_name(&name(document, top)));
    let kind = kinds.first().copied().or(named);
    let mut item = Item::new(kind, top.map_or_else(|| path(document, *intent), |top| path(document, top)));
    match top {
        Some(top) => item.tops.push(top),
        None => item.tops.extend(
            children
                .iter()
                .filter(folders)
                .filter(|id| ["R6", "R15Fixed", "R15ArtistIntent"].contains(&&*name(document, **id))),
        ),
    }
    Some(item)
}

/// The folders of a body part's asset.
pub(crate) fn folders(document: &dyn Dom, item: &Item) -> Vec<InstanceId> {
    match item.tops[..] {
        [top] if document.label(top) != "R15ArtistIntent" => document.children(top).collect(),
        _ => item.tops.clone(),
    }
}

/// The instances that are the parts of an item.
fn parts(document: &dyn Dom, item: &Item) -> Vec<InstanceId> {
    let is_part = |id: &InstanceId| document.is_a(*id, "BasePart");
    let Some(&top) = item.tops.first() else { return Vec::new() };
    match item.kind {
        Some(ItemType::Head) if class(document, top) == "MeshPart" => vec![top],
        Some(ItemType::Body) => {
            document.children(top).filter(is_part).filter(|id| is_body_part(&name(document, *id))).collect()
        }
        Some(ItemType::Emote | ItemType::ClassicClothing) => Vec::new(),
        _ if class(document, top) == "Folder" => {
            let folders = folders(document, item);
            let intent = folders.into_iter().find(|id| document.label(*id) == "R15ArtistIntent");
            intent.into_iter().flat_map(|id| document.children(id)).filter(is_part).collect()
        }
        _ => document
            .children(top)
            .filter(is_part)
            .filter(|id| document.label(*id) == "Handle")
            .take(1)
            .collect(),
    }
}

/// Reads the parts of an item.
fn read(document: &dyn Dom, item: &mut Item, files: &mut Files<'_>, budget: &mut Budget) -> Result<()> {
    let mut scales = Vec::new();
    for id in parts(document, item) {
        budget.take(2000, "the parts of an item")?;
        item.parts.push(part(document, id, files, budget)?);
        scales.extend(child(document, id, "AvatarPartScaleType").map(|value| text(document, value, "Value")));
    }
    item.scale = scales.iter().find_map(|scale| Scale::of_name(scale)).unwrap_or_default();
    let top = item.tops.first().copied();
    if item.kind.is_none() && top.is_some_and(|top| class(document, top) == "Accessory") {
        let is_layered = item.parts.iter().any(|part| !part.layers.is_empty());
        item.possible = possible(item.parts.first(), is_layered);
        if let [only] = item.possible[..] {
            item.kind = Some(only);
        }
    }
    Ok(())
}

/// The types of accessories that have one of the attachments of a Handle.
pub(crate) fn possible(handle: Option<&Part>, is_layered: bool) -> Vec<ItemType> {
    let numbers = crate::numbers::Numbers::default();
    let has = |kind: &ItemType| {
        let mut names = numbers
            .list(&["AccessoryRules", kind.key(), "Attachments"])
            .filter_map(|a| a.get("Name")?.as_str());
        names.any(|name| handle.is_some_and(|part| part.attachment(name).is_some()))
    };
    ItemType::all()
        .filter(|kind| kind.is_accessory() && kind.is_layered() == is_layered)
        .filter(has)
        .collect()
}

fn part(document: &dyn Dom, id: InstanceId, files: &mut Files<'_>, budget: &mut Budget) -> Result<Part> {
    let is_mesh_part = class(document, id) == "MeshPart";
    let of_class = |wanted: &str| {
        document.children(id).filter(|child| class(document, *child) == wanted).collect::<Vec<_>>()
    };
    let size = document.get(id, "Size").and_then(|value| value.as_vector3()).unwrap_or_default();
    let special_mesh = of_class("SpecialMesh").first().copied();
    let mut textures = Vec::new();
    let mut texture =
        |of: InstanceId, property: &str, is_legacy: bool, files: &mut Files<'_>, budget: &mut Budget| {
            let uri = text(document, of, property);
            if !uri.is_empty() {
                let path = format!("{}.{property}", path(document, of));
                textures.push(Texture { path, is_legacy, size: files.image(&uri, budget)? });
            }
            Ok::<(), Error>(())
        };
    let mesh = match special_mesh {
        Some(special) if !is_mesh_part => {
            texture(special, "TextureId", true, files, budget)?;
            let scale = document.property(special, "Scale").and_then(|found| found.value.as_vector3());
            match files.mesh(&text(document, special, "MeshId"), budget)? {
                Held::Read(shape) => Held::Read(Shape { scale: scale.unwrap_or(shape.scale), ..shape }),
                other => other,
            }
        }
        _ if is_mesh_part => {
            texture(id, "TextureID", true, files, budget)?;
            match files.mesh(&text(document, id, "MeshId"), budget)? {
                Held::Read(shape) => Held::Read(shape.fitted(size)),
                other => other,
            }
        }
        _ => Held::Unset,
    };
    for appearance in of_class("SurfaceAppearance") {
        for map in ["ColorMap", "MetalnessMap", "NormalMap", "RoughnessMap"] {
            texture(appearance, map, false, files, budget)?;
        }
    }
    let attachments = of_class("Attachment").into_iter().map(|id| Attachment {
        name: name(document, id),
        path: path(document, id),
        frame: frame(document, id, "CFrame"),
    });
    let attachments = attachments.collect();
    let mut cage = |of: InstanceId, mesh: &str, origin: &str, budget: &mut Budget| {
        let held = files.mesh(&text(document, of, mesh), budget)?;
        Ok::<Cage, Error>(Cage {
            path: format!("{}.{mesh}", path(document, of)),
            mesh: held,
            origin: frame(document, of, origin),
        })
    };
    let layers = of_class("WrapLayer");
    let auto_skin = layers.first().map(|layer| {
        document.property(*layer, "AutoSkin").and_then(|found| found.value.as_enum()).unwrap_or_default()
    });
    let (mut outer, mut inner, mut hidden) = (None, None, None);
    if let Some(&layer) = layers.first() {
        outer = Some(cage(layer, "CageMeshId", "CageOrigin", budget)?);
        inner = Some(cage(layer, "ReferenceMeshId", "ReferenceOrigin", budget)?);
    } else if let Some(&target) = of_class("WrapTarget").first() {
        outer = Some(cage(target, "CageMeshId", "CageOrigin", budget)?);
    }
    if let Some(&layer) = layers.first() {
        hidden = files.hidden(&text(document, layer, "HSRAssetId"), budget)?;
    }
    Ok(Part {
        id: Some(id),
        name: name(document, id),
        path: path(document, id),
        is_mesh_part,
        size,
        mesh,
        attachments,
        textures,
        outer,
        inner,
        layers,
        hidden,
        special_mesh,
        auto_skin,
    })
}
