//! Making a model from points, normals and triangles.

use std::collections::HashMap;

use bstr::ByteSlice;
use geom::{Quat, Rgba8, TriMesh, Vec2, Vec3, Vec4};

use crate::model::{Arg, Mesh, Model, SkinId, TexCoordId, VertexId};
use crate::views::Mix;

/// What an entry of the list of vertices is: only points are scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Point,
    Direction,
    Quaternion,
}

/// An entry of the list of vertices, as bits: what makes it another one than the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    kind: Kind,
    bits: [u32; 4],
    color: [u8; 4],
    skin: SkinId,
}

/// Builds a model: every point, normal, quaternion and texture coordinate is stored once, however
/// often it is added, and all points together are made to fill the bounding cube.
///
/// What has ids (meshes, bones, actions, labels, shapes) is put into [`Builder::model`] with the ids
/// that the builder gives; [`Builder::finish`] turns them into the final ones.
///
/// ```
/// use m3d::geom::Vec3;
///
/// let mut builder = m3d::Builder::new();
/// let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 2.0, 0.0]].map(|p| builder.point(Vec3::from(p)));
/// builder.model.meshes.push(m3d::Mesh::default());
/// builder.model.meshes[0].push(&corners, &[], &[], &[]);
/// let model = builder.finish();
/// assert_eq!(model.scale, 4.0);
/// assert_eq!(model.vertices.coords[1].to_array(), [1.0, 0.0, 0.0, 1.0]);
/// ```
#[derive(Debug, Default)]
pub struct Builder {
    /// The model without its vertices and texture coordinates.
    pub model: Model,
    entries: Vec<Key>,
    places: HashMap<Key, u32, Mix>,
    uv_places: HashMap<[u32; 2], u32, Mix>,
}

impl Builder {
    /// A builder of an empty model.
    pub fn new() -> Self {
        Self::default()
    }

    /// A point, in metres.
    pub fn point(&mut self, position: Vec3) -> VertexId {
        self.point_with(position, Rgba8::default(), SkinId::NONE)
    }

    /// A point with a colour (all zero for none) and a skin.
    pub fn point_with(&mut self, position: Vec3, color: Rgba8, skin: SkinId) -> VertexId {
        self.entry(Kind::Point, [position.x, position.y, position.z, 1.0], color, skin)
    }

    /// A normal.
    pub fn normal(&mut self, normal: Vec3) -> VertexId {
        self.entry(Kind::Direction, [normal.x, normal.y, normal.z, 1.0], Rgba8::default(), SkinId::NONE)
    }

    /// The orientation of a bone.
    pub fn quaternion(&mut self, q: Quat) -> VertexId {
        self.entry(Kind::Quaternion, q.to_array(), Rgba8::default(), SkinId::QUATERNION)
    }

    /// A texture coordinate; v grows downwards.
    pub fn tex_coord(&mut self, uv: Vec2) -> TexCoordId {
        let uvs = &mut self.model.tex_coords.uvs;
        let next = u32::try_from(uvs.len()).unwrap_or(u32::MAX);
        let uv = Vec2::new(uv.x + 0.0, uv.y + 0.0);
        let place = *self.uv_places.entry(uv.to_array().map(f32::to_bits)).or_insert(next);
        if place == next {
            uvs.push(uv);
        }
        TexCoordId(place)
    }

    fn entry(&mut self, kind: Kind, values: [f32; 4], color: Rgba8, skin: SkinId) -> VertexId {
        // Adding zero makes one of the two zeros.
        let bits = values.map(|value| (value + 0.0).to_bits());
        let key = Key { kind, bits, color: color.to_array(), skin };
        let next = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.entries.push(key);
        }
        VertexId(place)
    }

    /// The model: the points divided by the largest of their coordinates, which becomes the scale.
    pub fn finish(self) -> Model {
        let Self { mut model, entries, .. } = self;
        let points = entries.iter().filter(|key| key.kind == Kind::Point);
        let coordinates = points.flat_map(|key| key.bits.into_iter().take(3)).map(f32::from_bits);
        let most = coordinates.map(f32::abs).filter(|value| value.is_finite()).fold(0.0, f32::max);
        let scale = if most > 0.0 { most } else { 1.0 };
        model.scale = scale;

        // A scaled point may be what a normal is already.
        let mut places: HashMap<Key, u32, Mix> =
            HashMap::with_capacity_and_hasher(entries.len(), Mix::default());
        let mut finals: Vec<VertexId> = Vec::with_capacity(entries.len());
        let vertices = &mut model.vertices;
        let any_color = entries.iter().any(|key| key.color != [0; 4]);
        let any_skin = entries.iter().any(|key| !key.skin.is_none());
        for mut key in entries {
            if key.kind == Kind::Point {
                let [x, y, z, w] = key.bits;
                let [x, y, z] = [x, y, z].map(|value| (f32::from_bits(value) / scale).to_bits());
                key.bits = [x, y, z, w];
            }
            key.kind = Kind::Point;
            let next = u32::try_from(vertices.coords.len()).unwrap_or(u32::MAX);
            let place = *places.entry(key).or_insert(next);
            if place == next {
                vertices.coords.push(Vec4::from(key.bits.map(f32::from_bits)));
                if any_color {
                    vertices.colors.push(key.color.into());
                }
                if any_skin {
                    vertices.skins.push(key.skin);
                }
            }
            finals.push(VertexId(place));
        }
        each_vertex_id(&mut model, &mut |id| {
            if let Some(place) = id.get().and_then(|place| finals.get(place)) {
                *id = *place;
            }
        });
        model
    }
}

/// Every place of a model that names a vertex.
fn each_vertex_id(model: &mut Model, change: &mut dyn FnMut(&mut VertexId)) {
    for mesh in &mut model.meshes {
        mesh.vertices.iter_mut().chain(&mut mesh.normals).chain(&mut mesh.maximums).for_each(&mut *change);
    }
    for bone in &mut model.bones {
        change(&mut bone.position);
        change(&mut bone.orientation);
    }
    for frame in model.actions.iter_mut().flat_map(|action| &mut action.frames) {
        for transform in &mut frame.transforms {
            change(&mut transform.position);
            change(&mut transform.orientation);
        }
    }
    for label in model.labels.iter_mut().flat_map(|group| &mut group.labels) {
        change(&mut label.vertex);
    }
    for command in model.shapes.iter_mut().flat_map(|shape| &mut shape.commands) {
        for arg in &mut command.args {
            if let Arg::Vertex(id) | Arg::Quaternion(id) = arg {
                change(id);
            }
        }
    }
}

impl Model {
    /// A model of a triangle mesh, whose positions are metres. Triangles that name a vertex that is
    /// not there are left out, as are columns that are not as long as the positions.
    ///
    /// ```
    /// # use m3d::geom::{TriMesh, Vec3};
    /// let positions = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]].map(Vec3::from).to_vec();
    /// let mesh = TriMesh { positions, triangles: vec![[0, 1, 2]], ..TriMesh::default() };
    /// assert_eq!(m3d::Model::from_tri_mesh(&mesh).to_tri_mesh(), mesh);
    /// ```
    pub fn from_tri_mesh(source: &TriMesh) -> Self {
        let mut builder = Builder::new();
        let count = source.positions.len();
        let full = |len: usize| len == count;
        let colors = full(source.colors.len());
        let points: Vec<VertexId> = source
            .positions
            .iter()
            .enumerate()
            .map(|(place, &position)| {
                let color = if colors { source.colors[place] } else { Rgba8::default() };
                builder.point_with(position, color, SkinId::NONE)
            })
            .collect();
        let mut normals: Vec<VertexId> = Vec::new();
        if full(source.normals.len()) {
            normals = source.normals.iter().map(|&normal| builder.normal(normal)).collect();
        }
        let mut tex_coords: Vec<TexCoordId> = Vec::new();
        if full(source.uvs.len()) {
            tex_coords = source.uvs.iter().map(|&uv| builder.tex_coord(uv)).collect();
        }
        let mut mesh = Mesh::default();
        for triangle in &source.triangles {
            let corners = triangle.map(|index| index as usize);
            if corners.iter().any(|&corner| corner >= count) {
                continue;
            }
            let part = |column: &[VertexId]| column.first().map(|_| corners.map(|corner| column[corner]));
            let uvs = tex_coords.first().map(|_| corners.map(|corner| tex_coords[corner]));
            mesh.push(
                &corners.map(|corner| points[corner]),
                uvs.as_ref().map_or(&[], |uvs| uvs.as_slice()),
                part(&normals).as_ref().map_or(&[], |normals| normals.as_slice()),
                &[],
            );
        }
        if !mesh.vertices.is_empty() {
            builder.model.meshes.push(mesh);
        }
        builder.finish()
    }
}

/// A name as the format wants it: blanks and slashes are not allowed in one, and become underscores.
///
/// ```
/// assert_eq!(m3d::identifier("my shiny/metal"), "my_shiny_metal");
/// ```
pub fn identifier(name: impl AsRef<[u8]>) -> bstr::BString {
    let name = name.as_ref().as_bstr();
    name.iter().map(|&byte| if b" \t/\\".contains(&byte) { b'_' } else { byte }).collect::<Vec<u8>>().into()
}
