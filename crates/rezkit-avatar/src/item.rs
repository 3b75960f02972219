//! An item as the rules see it, from a document or from a scene.

use std::collections::BTreeMap;

use geom::{Aabb, CFrame, TriMesh, Vec3};
use rbxcore::InstanceId;

use crate::geometry::{divided, scaled};
use crate::kind::ItemType;

/// An item.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) kind: Option<ItemType>,
    /// The types that it can have, if the file does not tell.
    pub(crate) possible: Vec<ItemType>,
    pub(crate) path: String,
    /// The instances of the item that the document has at the top: the Accessory, or the folders of a body part.
    pub(crate) tops: Vec<InstanceId>,
    pub(crate) scale: Scale,
    pub(crate) parts: Vec<Part>,
    /// The joints of the scene; empty in a document.
    pub(crate) joints: Vec<Joint>,
    /// The attachments of a body in a scene that are below none of its parts.
    pub(crate) loose: Vec<Attachment>,
    /// Whether it is worn as a rigid accessory, which the numbers allow for its layered type.
    pub(crate) is_rigid: bool,
}

impl Item {
    pub(crate) fn new(kind: Option<ItemType>, path: impl Into<String>) -> Self {
        Self {
            kind,
            possible: Vec::new(),
            path: path.into(),
            tops: Vec::new(),
            scale: Scale::Classic,
            parts: Vec::new(),
            joints: Vec::new(),
            loose: Vec::new(),
            is_rigid: false,
        }
    }

    /// Whether its type is of some kind, or, if the file does not tell it, all that it can have are.
    pub(crate) fn is(&self, test: fn(ItemType) -> bool) -> bool {
        let are_all = || !self.possible.is_empty() && self.possible.iter().all(|kind| test(*kind));
        self.kind.map_or_else(are_all, test)
    }

    /// Whether it is layered clothing. Only this has inner cages.
    pub(crate) fn is_layered(&self) -> bool {
        let is_worn = self.kind.is_none() && self.parts.iter().any(|part| part.inner.is_some());
        (is_worn || self.is(ItemType::is_layered)) && !self.is_rigid
    }

    /// Whether it was read from a scene.
    pub(crate) fn is_scene(&self) -> bool {
        self.tops.is_empty()
    }
}

/// The proportions for which an item was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Scale {
    #[default]
    Classic,
    Slender,
    Normal,
}

impl Scale {
    pub(crate) const ALL: [Self; 3] = [Self::Classic, Self::Slender, Self::Normal];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Classic => "Classic",
            Self::Slender => "ProportionsSlender",
            Self::Normal => "ProportionsNormal",
        }
    }

    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scale| scale.name() == name)
    }
}

/// A mesh that an item refers to.
#[derive(Debug)]
pub(crate) enum Held<T> {
    /// No file is named.
    Unset,
    /// The file is not at hand.
    Missing(String),
    /// The file cannot be read.
    Broken(String),
    Read(T),
}

impl<T> Held<T> {
    pub(crate) fn read(&self) -> Option<&T> {
        match self {
            Self::Read(value) => Some(value),
            _ => None,
        }
    }
}

/// A mesh with its skin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub(crate) mesh: TriMesh,
    pub(crate) bones: Vec<Bone>,
    pub(crate) facs: Option<rbxmesh::Facs>,
    /// Subtracted from a vertex before it is scaled.
    pub(crate) center: Vec3,
    /// The scale from the mesh to the part.
    pub(crate) scale: Vec3,
    /// The vertices in Roblox's file.
    pub(crate) is_rbxmesh: bool,
}

impl Shape {
    /// The bounds of the mesh in its own space.
    pub(crate) fn bounds(&self) -> Aabb {
        self.mesh.bounds().unwrap_or_default()
    }

    /// A vertex in the part.
    pub(crate) fn place(&self, point: Vec3) -> Vec3 {
        scaled(point - self.center, self.scale)
    }

    pub(crate) fn points(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.mesh.positions.iter().map(|point| self.place(*point))
    }

    /// Scales the mesh so that its box becomes the size of a part.
    pub(crate) fn fitted(mut self, size: Vec3) -> Self {
        let bounds = self.bounds();
        (self.center, self.scale) = (bounds.center(), divided(size, bounds.size()));
        self
    }
}

/// A bone of a mesh.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bone {
    pub(crate) name: String,
    pub(crate) frame: CFrame,
}

/// A joint of a scene.
#[derive(Clone, Debug, Default)]
pub(crate) struct Joint {
    pub(crate) name: String,
    pub(crate) parent: Option<String>,
    pub(crate) position: Vec3,
    pub(crate) scale: Vec3,
}

/// A part: the Handle of an accessory, or a part of a body.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) id: Option<InstanceId>,
    pub(crate) name: String,
    pub(crate) path: String,
    pub(crate) is_mesh_part: bool,
    pub(crate) size: Vec3,
    pub(crate) mesh: Held<Shape>,
    pub(crate) attachments: Vec<Attachment>,
    pub(crate) textures: Vec<Texture>,
    /// The cages: of a WrapTarget, the outer one alone.
    pub(crate) outer: Option<Cage>,
    pub(crate) inner: Option<Cage>,
    pub(crate) layers: Vec<InstanceId>,
    /// Whether the file of computed hidden surfaces has what it must have; `None` if the layer names none.
    pub(crate) hidden: Option<Held<bool>>,
    pub(crate) special_mesh: Option<InstanceId>,
    /// The number of AutoSkin of the first layer; `None` in a scene.
    pub(crate) auto_skin: Option<u32>,
}

/// A cage, in the space of the part.
#[derive(Debug)]
pub(crate) struct Cage {
    pub(crate) path: String,
    pub(crate) mesh: Held<Shape>,
    pub(crate) origin: CFrame,
}

impl Cage {
    /// The vertices in the part.
    pub(crate) fn points(&self, scale: Vec3) -> Vec<Vec3> {
        let shape = self.mesh.read();
        let points = shape.into_iter().flat_map(|shape| &shape.mesh.positions);
        points.map(|point| scaled(self.origin * *point, scale)).collect()
    }
}

/// An attachment, relative to its part.
#[derive(Clone, Debug)]
pub(crate) struct Attachment {
    pub(crate) name: String,
    pub(crate) path: String,
    pub(crate) frame: CFrame,
}

/// A texture, and its width and height.
#[derive(Debug)]
pub(crate) struct Texture {
    pub(crate) path: String,
    pub(crate) is_legacy: bool,
    pub(crate) size: Held<(u32, u32)>,
}

impl Part {
    pub(crate) fn attachment(&self, name: &str) -> Option<&Attachment> {
        self.attachments.iter().find(|attachment| attachment.name == name)
    }

    /// The box of the part around its middle.
    pub(crate) fn bounds(&self) -> Aabb {
        match self.mesh.read() {
            Some(shape) => Aabb::from_points(shape.points()).unwrap_or_default(),
            None => Aabb { min: self.size * -0.5, max: self.size * 0.5 },
        }
    }
}

/// The frames of the parts of a body, assembled by their rig attachments, by name. Parts that are not connected are
/// missing.
pub(crate) fn assembled(parts: &[Part]) -> BTreeMap<&str, CFrame> {
    let mut frames: BTreeMap<&str, CFrame> = BTreeMap::new();
    let find = |name: &str| parts.iter().find(|part| part.name == name);
    // The uppermost part of each asset begins at the origin if the part above it is missing.
    for (name, above, joint) in crate::kind::JOINTS {
        let Some(part) = find(name) else { continue };
        let rig = format!("{joint}RigAttachment");
        let own = part.attachment(&rig).map(|attachment| attachment.frame);
        let frame = match (find(above).and_then(|above| above.attachment(&rig)), frames.get(above), own) {
            (Some(joint), Some(frame), Some(own)) => *frame * joint.frame * own.inverse(),
            _ if find(above).is_none() => CFrame::IDENTITY,
            _ => continue,
        };
        frames.insert(&part.name, frame);
    }
    frames
}
