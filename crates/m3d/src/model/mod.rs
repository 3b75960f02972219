//! The model as data, without bytes.

mod equality;
mod geometry;
mod ids;
mod layout;
mod material;
mod order;
mod precise;
mod shape;
mod skeleton;
mod voxel;

use std::collections::HashMap;

use bstr::{BStr, BString, ByteSlice};
use geom::Rgba8;
use geom::wire::{Bytes, short_debug};

use crate::consts::Tag;
pub(crate) use geometry::each_column;
pub use geometry::{CornerParts, Corners, Mesh, MeshRecord, Polygon, Polygons, TexCoords, Vertices};
pub use ids::{BoneId, MaterialId, ShapeId, SkinId, TexCoordId, VertexId};
pub use layout::{ChunkKind, Layout};
pub(crate) use layout::{Outside, SectionKind, Slot, TextLayout, TextSlot};
pub use material::{Material, Property, Value};
pub(crate) use order::{each_list, ordered};
pub use precise::exact_numbers;
pub use shape::{Arg, Command, Shape};
pub use skeleton::{Action, Bone, Frame, Skin, Transform};
pub use voxel::{Voxel, VoxelBlock, VoxelItem, VoxelType};

/// A model. Anywhere in it, an empty name means that there is no name.
#[derive(Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Model {
    /// Its name.
    pub name: BString,
    /// Its license, such as `MIT` or `CC-BY-SA`.
    pub license: BString,
    /// Its author.
    pub author: BString,
    /// Its description.
    pub description: BString,
    /// The length of a coordinate of 1 in metres: half the side of the bounding cube. If it is not above 0, the length
    /// is unknown, and [`Model::scale_or_one`] returns 1.
    pub scale: f32,
    /// A small PNG image: chunk `PRVW`.
    pub preview: Option<Vec<u8>>,
    /// The unique texture coordinates.
    pub tex_coords: TexCoords,
    /// The unique vertices.
    pub vertices: Vertices,
    /// The bones of the bind pose, parents first.
    pub bones: Vec<Bone>,
    /// The sets of weighted bones that move vertices.
    pub skins: Vec<Skin>,
    /// The materials.
    pub materials: Vec<Material>,
    /// Scripts that generate the surface: chunk `PROC`.
    pub procedurals: Vec<Procedural>,
    /// The surface as polygons.
    pub meshes: Vec<Mesh>,
    /// The types of voxels.
    pub voxel_types: Vec<VoxelType>,
    /// The surface as voxels.
    pub voxel_blocks: Vec<VoxelBlock>,
    /// The surface as formulas.
    pub shapes: Vec<Shape>,
    /// Annotations.
    pub labels: Vec<LabelGroup>,
    /// Animations.
    pub actions: Vec<Action>,
    /// Textures and scripts that are part of the file.
    pub assets: Vec<Asset>,
    /// Chunks that this crate does not know, and repeated chunks of kinds that may occur only once.
    pub extras: Vec<Extra>,
    /// The file that the model was read from, for writing it again.
    pub layout: Layout,
}

/// A script that generates the surface: chunk `PROC`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Procedural {
    /// The name of the script, with its extension; often the name of an asset.
    pub script: BString,
}

/// Annotations of one kind in one language: chunk `LBLS`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LabelGroup {
    /// The name of the group; may be empty.
    pub name: BString,
    /// The language, such as `en_US`; may be empty.
    pub language: BString,
    /// The colour of the lines; all zero is no colour.
    pub color: Rgba8,
    /// The annotations.
    pub labels: Vec<Label>,
}

/// An annotation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Label {
    /// The vertex to which it points.
    pub vertex: VertexId,
    /// The text.
    pub text: BString,
}

/// A file inside the file: chunk `ASET`.
#[derive(Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Asset {
    /// Its name; without an extension, the asset is a PNG image.
    pub name: BString,
    /// Its content.
    pub data: Vec<u8>,
}

/// A chunk that is kept unchanged.
#[derive(Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Extra {
    /// Its tag; tags in lower case are private to a program.
    pub tag: Tag,
    /// Its content.
    pub data: Vec<u8>,
}

short_debug! {
    Model {
        name, license, author, description, scale, tex_coords, vertices, bones, skins, materials, procedurals, meshes,
        voxel_types, voxel_blocks, shapes, labels, actions, assets, extras, layout;
        preview => preview.as_deref().map(Bytes)
    }
    Asset { name; data => Bytes(data) }
    Extra { tag; data => Bytes(data) }
}

impl Model {
    /// The length of a coordinate of 1 in metres: [`Model::scale`], or 1 if that is not stated.
    pub fn scale_or_one(&self) -> f32 {
        if self.scale > 0.0 && self.scale.is_finite() { self.scale } else { 1.0 }
    }

    /// The material with a name, the first if there are several.
    pub fn material(&self, name: impl AsRef<[u8]>) -> Option<&Material> {
        self.materials.get(self.material_id(name).get()?)
    }

    /// The index of the first material with a name; [`MaterialId::NONE`] if no material has it.
    pub fn material_id(&self, name: impl AsRef<[u8]>) -> MaterialId {
        let name = name.as_ref();
        self.materials
            .iter()
            .position(|material| material.name == name)
            .map_or(MaterialId::NONE, MaterialId::new)
    }

    pub(crate) fn material_ids(&self) -> HashMap<&BStr, MaterialId> {
        let mut ids = HashMap::with_capacity(self.materials.len());
        for (index, material) in self.materials.iter().enumerate() {
            ids.entry(material.name.as_bstr()).or_insert(MaterialId::new(index));
        }
        ids
    }

    /// The action with a name, the first if there are several.
    pub fn action(&self, name: impl AsRef<[u8]>) -> Option<&Action> {
        let name = name.as_ref();
        self.actions.iter().find(|action| action.name == name)
    }

    /// The asset with a name; the extension `.png` may be missing.
    pub fn asset(&self, name: impl AsRef<[u8]>) -> Option<&Asset> {
        let name = name.as_ref();
        let exact = self.assets.iter().find(|asset| asset.name == name);
        exact.or_else(|| {
            let name = without_png(name);
            self.assets.iter().find(|asset| without_png(&asset.name) == name)
        })
    }

    /// The vertices that bones and actions use as orientations.
    pub(crate) fn orientations(&self) -> impl Iterator<Item = VertexId> {
        let transforms =
            self.actions.iter().flat_map(|action| &action.frames).flat_map(|frame| &frame.transforms);
        transforms
            .map(|transform| transform.orientation)
            .chain(self.bones.iter().map(|bone| bone.orientation))
    }

    /// The number of faces of all meshes.
    pub fn face_count(&self) -> usize {
        // Saturating: the records may state more polygons than there are.
        self.meshes.iter().map(Mesh::len).fold(0, usize::saturating_add)
    }
}

/// The name of an asset or texture without the optional extension `.png`.
pub(crate) fn without_png(name: &[u8]) -> &[u8] {
    name.strip_suffix(b".png".as_slice()).unwrap_or(name)
}
