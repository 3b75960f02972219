//! The visible content of a model.

use bstr::BStr;
use geom::{Rgba8, TriMesh, Vec3};

use super::triangles::{self, Group};
use super::voxels;
use crate::model::{LabelGroup, Model, VertexId};
use crate::options::ViewOptions;
use geom::wire::Result;

/// The polygons and voxels of a model, in metres, with v downwards.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Scene {
    /// The polygons by material, with the joints and weights of their vertices.
    pub groups: Vec<Group>,
    /// The voxels.
    pub voxels: TriMesh,
}

/// A label with the data to show it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Annotation<'m> {
    /// The name and language of its group.
    pub group: &'m LabelGroup,
    /// The annotated vertex.
    pub vertex: VertexId,
    /// Its position in metres; `None` if it does not exist.
    pub position: Option<Vec3>,
    /// The text.
    pub text: &'m BStr,
    /// The colour of the line, if the group has one.
    pub color: Option<Rgba8>,
}

impl ViewOptions {
    /// Like [`Model::scene`], with these options.
    ///
    /// # Errors
    /// As [`ViewOptions::material_groups`] and [`ViewOptions::voxel_mesh`]; the limits are for both together.
    pub fn scene(&self, model: &Model) -> Result<Scene> {
        self.run(|work| {
            Ok(Scene { groups: triangles::groups(model, work)?, voxels: voxels::mesh(model, work)? })
        })
    }
}

impl Model {
    /// The polygons and the voxels.
    ///
    /// # Errors
    /// As [`ViewOptions::scene`] with the defaults.
    pub fn scene(&self) -> Result<Scene> {
        ViewOptions::new().scene(self)
    }

    /// The labels of all groups.
    pub fn annotations(&self) -> impl Iterator<Item = Annotation<'_>> {
        self.labels.iter().flat_map(move |group| {
            group.labels.iter().map(move |label| Annotation {
                group,
                vertex: label.vertex,
                position: self.vertices.position(label.vertex).map(|at| at * self.scale_or_one()),
                text: label.text.as_ref(),
                color: Some(group.color).filter(|&color| color != Rgba8::default()),
            })
        })
    }
}
