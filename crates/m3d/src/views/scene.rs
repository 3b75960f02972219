//! Everything that a model shows, in one call.

use bstr::BStr;
use geom::{Rgba8, TriMesh, Vec3};

use super::triangles::{self, Group};
use super::voxels;
use crate::model::{LabelGroup, Model, ShapeId, VertexId};
use crate::options::ViewOptions;
use crate::shapes::{self, Evaluated};
use geom::wire::Result;

/// Everything that a model shows, in metres, with v downwards.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Scene<'m> {
    /// The polygons, by material, with what moves them.
    pub groups: Vec<Group>,
    /// The voxels.
    pub voxels: TriMesh,
    /// The shapes, in the order of the model. If there are any, the format requires showing them instead of the
    /// polygons.
    pub shapes: Vec<Evaluated<'m>>,
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
    /// As [`ViewOptions::material_groups`], [`ViewOptions::voxel_mesh`] and
    /// [`ViewOptions::evaluate_shape`]; the limits are for all of them together.
    pub fn scene<'m>(&self, model: &'m Model) -> Result<Scene<'m>> {
        self.run(|work| {
            let (groups, voxels) = (triangles::groups(model, work)?, voxels::mesh(model, work)?);
            let mut shapes = Vec::new();
            for shape in 0..model.shapes.len() {
                work.push(&mut shapes, shapes::evaluate(model, ShapeId::new(shape), self.divisions, work)?)?;
            }
            Ok(Scene { groups, voxels, shapes })
        })
    }
}

impl Model {
    /// Everything that the model shows: polygons, voxels and shapes.
    ///
    /// # Errors
    /// As [`ViewOptions::scene`] with the defaults.
    pub fn scene(&self) -> Result<Scene<'_>> {
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
