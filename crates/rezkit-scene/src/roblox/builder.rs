//! Builds the nodes of a scene from the instances of a document.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use glam::{Mat4, Quat, Vec3};

use super::look::{self, Look, Looks};
use super::rigs::Rigs;
use super::shapes::Shape;
use super::solid::{GroundKey, Listed, Solid, SolidKey};
use super::source;
use super::tree::{Inst, Property, Tree, is_decal, is_mesh, is_part, is_part_class, is_union};
use super::truss::Truss;
use crate::forms::SceneOptions;
use crate::images;
use crate::model::{Image, ImageData, Levels, Node, Scene, Transform};
use rezkit_core::Loss;
use rezkit_core::Reference;
use rezkit_core::plain::shorten;
use rezkit_core::{Budget, Error, Sources};

/// The sources of a mesh of the scene, so that equal meshes are built once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum MeshKey {
    Whole(MeshSource, usize),
    Skinned(Reference, usize, [u32; 3]),
    /// The shape, its side, the face whose image the side shows, the material, and the repetition of the image.
    Side(Shape, usize, u32, usize, [u32; 4]),
}

pub(super) struct Builder<'a> {
    pub(super) tree: &'a Tree,
    pub(super) options: &'a SceneOptions,
    pub(super) scene: Scene,
    pub(super) looks: Looks,
    pub(super) meshes: HashMap<MeshKey, usize>,
    /// The geometry of shapes and files, with its name; meshes with different materials share it.
    pub(super) geometry: HashMap<MeshSource, (String, Arc<geom::TriMesh>)>,
    pub(super) files: HashMap<Reference, Option<source::MeshFile>>,
    /// The geometry of blobs; `None` if it cannot be read.
    pub(super) solids: HashMap<SolidKey, Option<Solid>>,
    /// The meshes of terrain, with what is listed for each instance.
    pub(super) grounds: HashMap<GroundKey, (Option<usize>, Vec<Listed>)>,
    pub(super) sources: &'a mut dyn Sources,
    /// The remaining budget for the documents of unions and the files of meshes.
    pub(super) budget: &'a mut Budget,
    /// The error that stopped the drawing.
    pub(super) stopped: Option<Error>,
    /// The instances that a loss names.
    pub(super) listed: HashSet<usize>,
    /// The losses, by their text: whether it is an approximation, the path of the first, and the number.
    pub(super) losses: BTreeMap<Cow<'static, str>, Loss>,
    /// The text about the first animation without a usable rig.
    pub(super) without_rig: Option<String>,
    /// Terrain that is not drawn.
    pub(super) without_terrain: Vec<String>,
    /// The nodes of parts, for joints and animations, and of bones; these do not have the scale of the size.
    pub(super) frames: HashMap<usize, usize>,
    /// The nodes of the models and folders around the parts that rigs move.
    pub(super) above: HashMap<usize, usize>,
    /// The nodes that animations move, by the root part of the rig and the name of the part or the bone, and
    /// their rest pose.
    pub(super) moving: HashMap<(usize, String), Vec<(usize, Transform)>>,
    /// The parts with bones, which are drawn last.
    pub(super) skinned: Vec<Skinned>,
    /// The lights, which are added when all nodes that move are known, and the nodes above them.
    pub(super) lights: Vec<(usize, Option<usize>)>,
    /// The ropes and rods that were drawn.
    pub(super) cords: Vec<usize>,
    /// The parts that were drawn, for their decals.
    pub(super) drawn: Vec<Drawn>,
    pub(super) depth: u32,
}

/// A part that was drawn.
pub(super) struct Drawn {
    pub(super) index: usize,
    /// The node above it.
    pub(super) parent: Option<usize>,
    pub(super) size: Vec3,
    pub(super) source: MeshSource,
    /// The frame of its mesh, relative to the node above.
    pub(super) place: Transform,
}

/// A part with a skinned mesh.
pub(super) struct Skinned {
    pub(super) index: usize,
    pub(super) asset: Reference,
    pub(super) material: usize,
    /// The node above it.
    pub(super) parent: Option<usize>,
    pub(super) place: Transform,
}

/// The matrix of a CFrame as a transform with a rotation of length 1.
pub(super) fn transform(frame: Mat4) -> Transform {
    let rotation = Quat::from_mat4(&frame).normalize().into();
    Transform { translation: frame.w_axis.truncate().into(), rotation, scale: [1.0; 3] }
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        tree: &'a Tree,
        options: &'a SceneOptions,
        budget: &'a mut Budget,
        sources: &'a mut dyn Sources,
        depth: u32,
    ) -> Self {
        Self {
            tree,
            options,
            scene: Scene { front: super::tree::front(tree), ..Scene::default() },
            looks: Looks::default(),
            meshes: HashMap::new(),
            geometry: HashMap::new(),
            files: HashMap::new(),
            solids: HashMap::new(),
            grounds: HashMap::new(),
            sources,
            budget,
            stopped: None,
            listed: HashSet::new(),
            losses: BTreeMap::new(),
            without_rig: None,
            without_terrain: Vec::new(),
            frames: HashMap::new(),
            above: HashMap::new(),
            moving: HashMap::new(),
            skinned: Vec::new(),
            lights: Vec::new(),
            cords: Vec::new(),
            drawn: Vec::new(),
            depth,
        }
    }

    /// Draws all parts except those that rigs move.
    pub(super) fn draw(&mut self, rigs: &Rigs) {
        let tree = self.tree;
        let mut open: Vec<(usize, Option<usize>)> =
            tree.shown().into_iter().rev().map(|root| (root, None)).collect();
        while let (Some((index, parent)), None) = (open.pop(), &self.stopped) {
            let instance = &tree.instances[index];
            if self.node_charged(instance).is_none() {
                break;
            }
            // A frame that shows its content on a 2D surface, unless it is what is requested.
            if instance.class == "ViewportFrame" && tree.start != Some(index) {
                self.framed(index);
                continue;
            }
            let mut below = parent;
            if is_part(instance) {
                if !rigs.moves(index) {
                    self.part(index, parent, None);
                } else if let Some(parent) = parent {
                    self.above.insert(index, parent);
                }
            } else if !self.other(index, parent) && !instance.children.is_empty() {
                below = Some(self.scene.add_node(parent, tree.node(index)));
            }
            open.extend(instance.children.iter().rev().map(|&child| (child, below)));
        }
    }

    /// Lists the parts in a ViewportFrame.
    fn framed(&mut self, index: usize) {
        let tree = self.tree;
        let inner = tree.descendants(index);
        let parts: Vec<usize> = inner.iter().copied().filter(|&at| is_part(&tree.instances[at])).collect();
        if let Some(&first) = parts.first() {
            let what = "a part in a ViewportFrame, which is shown only in this frame (set the option path to the frame to \
                        convert it)";
            self.lose_many(first, "roblox.outside-workspace", what.into(), parts.len());
        }
        self.listed.extend(inner);
    }

    pub(super) fn finish(mut self) -> (Scene, Vec<Loss>) {
        self.prune();
        self.scene.drop_unused_images();
        let tree = self.tree;
        let lighting = tree.instances.iter().find(|instance| instance.class == "Lighting");
        for property in LIGHTING {
            let value = lighting.and_then(|lighting| lighting.json(property));
            self.scene.extras.extend(value.map(|value| (format!("Lighting.{}", property.name()), value)));
        }
        (self.scene, self.losses.into_values().collect())
    }

    /// Drops groups in which nothing is drawn.
    fn prune(&mut self) {
        let mut keep = vec![false; self.scene.nodes.len()];
        let moved = self.scene.channels().map(|channel| channel.node);
        moved.chain(self.scene.joints()).for_each(|node| keep[node] = true);
        for index in self.scene.walk().into_iter().rev() {
            let node = &self.scene.nodes[index];
            let own = node.mesh.is_some() || node.light.is_some() || node.camera.is_some();
            keep[index] |= own || node.children.iter().any(|&child| keep[child]);
        }
        let mut next = 0;
        let new: Vec<usize> = keep
            .iter()
            .map(|&keep| {
                let index = next;
                next += usize::from(keep);
                index
            })
            .collect();
        let renumber = |list: &mut Vec<usize>| {
            list.retain(|&index| keep[index]);
            list.iter_mut().for_each(|index| *index = new[*index]);
        };
        renumber(&mut self.scene.roots);
        self.scene.skins.iter_mut().for_each(|skin| renumber(&mut skin.joints));
        self.scene.nodes.iter_mut().for_each(|node| renumber(&mut node.children));
        let mut kept = keep.iter();
        self.scene.nodes.retain(|_| kept.next() == Some(&true));
        for channel in self.scene.channels_mut() {
            channel.node = new[channel.node];
        }
    }

    /// Draws a part: its shape or mesh, decals and textures. `frame` is the node that moves with the part;
    /// without it, the part is in the scene's coordinates.
    pub(super) fn part(&mut self, index: usize, parent: Option<usize>, frame: Option<usize>) {
        let tree = self.tree;
        let part = &tree.instances[index];
        let (Some(cframe), Some(size)) = (part.frame(&[Property::CFrame]), part.vector(&[Property::size]))
        else {
            return;
        };
        if !cframe.is_finite() || !size.is_finite() {
            return self.lose(index, "roblox.frame", NOT_FINITE);
        }
        let base = match frame {
            Some(_) => Mat4::IDENTITY,
            None => {
                self.rigid(index, cframe);
                cframe
            }
        };
        let parent = frame.or(parent);
        let mut look = Look::of_part(part);
        // The last mesh applies.
        let mesh = tree.children(index).filter(|(_, child)| is_mesh(&child.class)).last();
        let is_clear = look.alpha == 0;
        if is_clear {
            if index < tree.own {
                self.lose(index, "roblox.transparent", CLEAR);
            }
            // Decals of a transparent part are visible.
            let mut decals = tree.children(index).filter(|(_, child)| is_decal(&child.class));
            let Some((decal, _)) = decals.next() else { return };
            if mesh.is_some() || part.class == "MeshPart" || is_union(&part.class) {
                return self.lose(decal, "roblox.decal", "a decal on a fully transparent mesh or union");
            }
        }
        if let Some(variant) = part.text(&[Property::MaterialVariantSerialized]) {
            let variant = shorten(&variant, 100);
            let what = format!("the material variant {variant:?} becomes its base material");
            self.approximate(index, "roblox.material", what);
        }
        if part.int(Property::Material) == Some(1584) {
            self.approximate(index, "roblox.material", "the material ForceField becomes a plain surface");
        }
        let drawn = match mesh {
            Some((at, mesh)) => self.special(index, at, mesh, size, &mut look),
            None if part.class == "MeshPart" => self.mesh_part(index, size, &mut look),
            None if is_union(&part.class) => match self.union(index, size, &mut look) {
                Some(drawn) => Some(drawn),
                None if self.operands(index, parent, base) => return,
                None => {
                    self.approximate(index, "roblox.union-box", self.options.unions.boxed());
                    Some((MeshSource::Shape(Shape::Block), Vec3::ZERO, size))
                }
            },
            None => {
                let shape = match part.class.as_str() {
                    "WedgePart" => Shape::Wedge,
                    "CornerWedgePart" => Shape::CornerWedge,
                    "TrussPart" => Shape::Truss(Truss::new(size, part.int(Property::style).unwrap_or(0))),
                    _ => match part.int(Property::shape) {
                        Some(0) => Shape::Ball,
                        Some(2) => Shape::CylinderX,
                        Some(3) => Shape::Wedge,
                        Some(4) => Shape::CornerWedge,
                        _ => Shape::Block,
                    },
                };
                Some((MeshSource::Shape(shape), Vec3::ZERO, fitted(shape, size)))
            }
        };
        let Some((source, offset, scale)) = drawn else { return };
        if let (MeshSource::Shape(Shape::Truss(truss)), false) =
            (&source, self.geometry.contains_key(&source))
            && let Err(error) = self.budget.take(truss.bytes(), "a truss")
        {
            return self.lose_because(index, "roblox.shape", "", &error);
        }
        if let MeshSource::Shape(Shape::Truss(_)) = source {
            let what = "the thickness of truss bars is approximate: Roblox does not publish it";
            self.approximate(index, "roblox.shape", what);
        }
        if !is_part_class(&part.class) {
            let what = format!("the shape of {} is unknown: a box is used instead", part.class);
            self.approximate(index, "roblox.shape", what);
        }
        let material = self.material(&look);
        let matrix = base * Mat4::from_translation(offset);
        let place = Transform { scale: scale.into(), ..transform(matrix) };
        match &source {
            _ if is_clear => {}
            // Operands of unions do not move.
            MeshSource::File(asset) if self.depth == 0 && self.has_bones(asset) => {
                self.skinned.push(Skinned { index, asset: asset.clone(), material, parent, place });
            }
            _ => {
                let Some(mesh) = self.mesh(&source, material) else { return };
                let node = Node { transform: place, mesh: Some(mesh), ..tree.node(index) };
                self.scene.add_node(parent, node);
                self.further_levels(index, &source, material, parent, place);
            }
        }
        self.drawn.push(Drawn { index, parent, size, source, place });
    }

    /// The mesh that an instance gives to its part: the source, the offset in the part's axes, and the scale.
    fn special(
        &mut self,
        part: usize,
        at: usize,
        mesh: &Inst,
        size: Vec3,
        look: &mut Look,
    ) -> Option<(MeshSource, Vec3, Vec3)> {
        let scale = mesh.vector(&[Property::Scale]).unwrap_or(Vec3::ONE);
        let offset = mesh.vector(&[Property::Offset]).unwrap_or(Vec3::ZERO);
        let scaled = size * scale;
        let shape = match (mesh.class.as_str(), mesh.int(Property::MeshType)) {
            ("BlockMesh", _) | (_, Some(6)) => Shape::Block,
            ("CylinderMesh", _) => Shape::CylinderY,
            ("SpecialMesh", Some(5)) | ("FileMesh", _) => {
                look.texture = self.image(at, mesh, &[Property::TextureId, Property::TextureContent]);
                if look.texture.is_some() {
                    let tint = mesh.vector(&[Property::VertexColor]).unwrap_or(Vec3::ONE);
                    look.color = look::bytes_of(tint.to_array());
                }
                let uri = mesh.text(&[Property::MeshId, Property::MeshContent])?;
                return match self.file(at, &uri) {
                    Some(asset) => Some((MeshSource::File(asset), offset, scale)),
                    None => Some(self.missing(part, offset, size, look)),
                };
            }
            (_, Some(0)) | ("SpecialMesh", None) => Shape::Head,
            (_, Some(2)) => Shape::Wedge,
            (_, Some(3)) => return Some((MeshSource::Shape(Shape::Ball), offset, scaled)),
            (_, Some(4)) => Shape::CylinderX,
            (_, Some(11)) => Shape::CornerWedge,
            (_, other) => {
                let kind = other.unwrap_or_default();
                let class = rbxcore::classes::class(&*mesh.class);
                let items = class.and_then(|class| class.property("MeshType")?.items());
                let kind =
                    items.and_then(|items| items.item_name(kind)).map_or(kind.to_string(), str::to_owned);
                let what = format!("the MeshType {kind} is not supported, so the mesh becomes a box");
                self.approximate(part, "roblox.shape", what);
                Shape::Block
            }
        };
        Some((MeshSource::Shape(shape), offset, fitted(shape, scaled)))
    }

    fn mesh_part(&mut self, index: usize, size: Vec3, look: &mut Look) -> Option<(MeshSource, Vec3, Vec3)> {
        let tree = self.tree;
        let part = &tree.instances[index];
        let own = look.color;
        look.double_sided = part.bool(Property::DoubleSided).unwrap_or(false);
        look.texture = self.image(index, part, &[Property::TextureID, Property::TextureContent]);
        if look.texture.is_some() {
            look.color = [255; 3];
        }
        if let Some((at, surface)) =
            tree.children(index).find(|(_, child)| child.class == "SurfaceAppearance")
        {
            self.surface(at, surface, own, look);
        }
        let asset = part
            .text(&[Property::MeshId, Property::MeshID, Property::MeshContent])
            .and_then(|uri| self.file(index, &uri));
        let Some(asset) = asset else {
            let hulls = "a mesh without a readable file becomes its collision hulls";
            let hulls = self.hulls(index, size, look, hulls);
            return Some(hulls.unwrap_or_else(|| self.missing(index, Vec3::ZERO, size, look)));
        };
        let initial = part.vector(&[Property::InitialSize]).filter(|initial| initial.min_element() > 0.0);
        // Without `InitialSize`, the mesh is fitted to the size of the part.
        let bounds = || self.files.get(&asset)?.as_ref()?.mesh.bounds();
        let extent =
            initial.or_else(|| bounds().map(|bounds| Vec3::from((bounds.max - bounds.min).to_array())));
        let scale = extent.map_or(Vec3::ONE, |extent| size / extent.max(Vec3::splat(1e-6)));
        Some((MeshSource::File(asset), Vec3::ZERO, scale))
    }

    /// A transparent box in place of a missing mesh, of which only the part's size is known.
    fn missing(
        &mut self,
        index: usize,
        offset: Vec3,
        size: Vec3,
        look: &mut Look,
    ) -> (MeshSource, Vec3, Vec3) {
        self.approximate(index, "roblox.no-mesh", "a mesh without a readable file becomes a transparent box");
        look.alpha = look.alpha.min(128);
        (MeshSource::Shape(Shape::Block), offset, size)
    }

    /// The look of a part with this colour under a `SurfaceAppearance`.
    fn surface(&mut self, at: usize, surface: &Inst, part: [u8; 3], look: &mut Look) {
        let mode = surface.int(Property::AlphaMode).unwrap_or(0);
        look.alpha_mode = Some(mode);
        if let Some(color) = self.image(at, surface, &[Property::ColorMapContent, Property::ColorMap]) {
            let tint = look::bytes_of(surface.color(&[Property::Color]).unwrap_or([1.0; 3]));
            (look.texture, look.color) = (Some(color), tint);
            let is_mixed = mode != 1 && (mode != 3 || look.alpha < 255) && self.is_transparent(color);
            match is_mixed.then(|| self.mixed(color, mode, [part, tint])).flatten() {
                Some(image) => (look.texture, look.color) = (Some(image), [255; 3]),
                None if is_mixed => self.approximate(
                    at,
                    "roblox.material",
                    "the alpha of a colour map is not applied (AlphaMode)",
                ),
                None => {}
            }
        }
        if let Some(mask) = self.image(at, surface, &[Property::EmissiveMaskContent]) {
            let tint = look::bytes_of(surface.color(&[Property::EmissiveTint]).unwrap_or([1.0; 3]));
            let strength = surface.number(Property::EmissiveStrength).unwrap_or(1.0).clamp(0.0, 1000.0);
            look.emissive = Some((mask, tint, strength.to_bits()));
        }
        self.maps(at, surface, look);
    }

    /// A colour map without alpha: where it is transparent, it shows the colour of the part (Overlay, 0), is not tinted
    /// (TintMask, 2), or is as elsewhere (Opaque, 3).
    fn mixed(&mut self, image: usize, mode: u32, colors: [[u8; 3]; 2]) -> Option<usize> {
        let (key, [part, tint]) = ((image, mode, colors), colors);
        if let Some(&known) = self.looks.mixed.get(&key) {
            return Some(known);
        }
        let mix = |from: u8, to: u8, alpha: u8| {
            let [from, to, alpha] = [from, to, alpha].map(u32::from);
            ((from * (255 - alpha) + to * alpha + 127) / 255) as u8
        };
        let bytes = self.scene.images[image].bytes()?;
        images::work(&[bytes], 0, self.budget).ok()?;
        let mut picture = images::decode(bytes, self.budget.left()).ok()?;
        for pixel in picture.pixels_mut() {
            let alpha = std::mem::replace(&mut pixel[3], 255);
            for (axis, value) in pixel[..3].iter_mut().enumerate() {
                let tinted = mix(0, *value, tint[axis]);
                *value = match mode {
                    0 => mix(part[axis], tinted, alpha),
                    2 => mix(*value, tinted, alpha),
                    _ => tinted,
                };
            }
        }
        let bytes = images::png(&picture).ok()?;
        self.budget.take(bytes.len() as u64, "the colour maps").ok()?;
        let name =
            format!("{} on {:02X}{:02X}{:02X}", self.scene.images[image].name, part[0], part[1], part[2]);
        self.scene.images.push(Image { name, data: ImageData::Bytes(bytes) });
        let made = self.scene.images.len() - 1;
        self.looks.mixed.insert(key, made);
        Some(made)
    }

    /// Whether an image has transparent pixels.
    fn is_transparent(&mut self, image: usize) -> bool {
        if let Some(&known) = self.looks.transparent.get(&image) {
            return known;
        }
        let bytes = self.scene.images[image].bytes();
        let found = bytes.is_some_and(|bytes| images::is_transparent(bytes, self.budget).unwrap_or(false));
        self.looks.transparent.insert(image, found);
        found
    }

    /// The maps of normals, roughness and metalness.
    pub(super) fn maps(&mut self, at: usize, surface: &Inst, look: &mut Look) {
        let roughness = self.image(at, surface, &[Property::RoughnessMapContent, Property::RoughnessMap]);
        let metalness = self.image(at, surface, &[Property::MetalnessMapContent, Property::MetalnessMap]);
        look.normal = self.image(at, surface, &[Property::NormalMapContent, Property::NormalMap]);
        let maps = [roughness, metalness];
        let names: Vec<_> =
            maps.into_iter().flatten().map(|image| self.scene.images[image].name.clone()).collect();
        let name = || names.join(" and ");
        let combined = self.looks.combined.image(&mut self.scene, maps, name, self.budget);
        look.metallic_roughness = combined.unwrap_or_else(|error| {
            let what = "the roughness and metalness maps cannot be combined into one image";
            self.lose(at, "roblox.material", format!("{what}: {error}"));
            None
        });
        look.metalness = metalness.is_some();
    }

    /// The image of a property; if it cannot be shown, the reason is listed.
    pub(super) fn image(&mut self, at: usize, instance: &Inst, names: &[Property]) -> Option<usize> {
        let uri = instance.text(names).filter(|uri| !uri.trim().is_empty())?;
        let known = self.scene.images.len();
        let image = match Reference::of_uri(&uri) {
            Some(asset) => self.looks.image(&mut self.scene, &asset, self.budget, self.sources),
            None => Err(Loss::new("", no_asset("image", &uri)).id("image.missing").into()),
        };
        self.images_fit(known);
        image.map_err(|loss| self.list(at, *loss)).ok()
    }

    /// The asset of a mesh, if its file exists and can be read; otherwise the reason is listed.
    fn file(&mut self, at: usize, uri: &str) -> Option<Reference> {
        let Some(asset) = Reference::of_uri(uri) else {
            if !uri.trim().is_empty() {
                self.lose(at, "roblox.no-mesh", no_asset("mesh", uri));
            }
            return None;
        };
        if !self.files.contains_key(&asset) {
            let mesh = self.sources.get(&asset, self.budget.left()).and_then(|bytes| {
                let read = |bytes: Vec<u8>| source::mesh(&bytes, level_of(self.options), self.budget);
                bytes.map(read).transpose()
            });
            let mut kept = None;
            match mesh {
                Ok(Some((mesh, losses))) => {
                    self.list_below(at, losses);
                    kept = Some(mesh);
                }
                Ok(None) => self.miss(at, "roblox.no-mesh", format!("the mesh {asset} was not found")),
                Err(error) => self.lose_because(
                    at,
                    "roblox.unreadable-mesh",
                    &format!("the mesh {asset} cannot be read"),
                    &error,
                ),
            }
            self.files.insert(asset.clone(), kept);
        }
        self.files.get(&asset)?.as_ref().map(|_| asset)
    }
}

/// The source of the geometry of a part.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum MeshSource {
    Shape(Shape),
    File(Reference),
    /// A file whose surface is moved along its normals: the bits of the scale of the part, and of the height in studs.
    Raised(Reference, [u32; 4]),
    Solid(SolidKey),
}

/// The size of a shape whose cross section is always round.
fn fitted(shape: Shape, size: Vec3) -> Vec3 {
    match shape {
        Shape::Ball => Vec3::splat(size.min_element()),
        Shape::CylinderX => Vec3::new(size.x, size.y.min(size.z), size.y.min(size.z)),
        Shape::CylinderY | Shape::Head => Vec3::new(size.x.min(size.z), size.y, size.x.min(size.z)),
        Shape::Block | Shape::Wedge | Shape::CornerWedge | Shape::Truss(_) => size,
    }
}

/// The level of detail of meshes: 0 for the finest.
pub(super) fn level_of(options: &SceneOptions) -> usize {
    match options.levels {
        Levels::One(level) => level,
        Levels::Finest | Levels::All => 0,
    }
}

/// The properties of the light of a place, which a scene has in its extras.
const LIGHTING: [Property; 9] = [
    Property::Brightness,
    Property::Ambient,
    Property::OutdoorAmbient,
    Property::TimeOfDay,
    Property::GeographicLatitude,
    Property::ExposureCompensation,
    Property::FogColor,
    Property::FogStart,
    Property::FogEnd,
];

/// The message about invisible parts.
pub(super) const NOT_FINITE: &str = "a part with an infinite or NaN position or size";
pub(super) const CLEAR: &str = "a fully transparent part";

/// The message about a URI that names no file, with at most the beginning of the URI.
fn no_asset(what: &str, uri: &str) -> String {
    format!(
        "the address \"{}\" of the {what} is not supported: expected rbxassetid://ID, rbxasset://PATH (a path inside \
         Roblox's content folder), or a URL such as https://www.roblox.com/asset/?id=ID",
        shorten(uri, 100)
    )
}
