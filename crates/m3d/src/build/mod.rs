//! Builds a model from points, normals and triangles.

use std::collections::HashMap;

use bstr::ByteSlice;
use geom::{Quat, Rgba8, TriMesh, Vec2, Vec3, Vec4};

use crate::consts::ArgKind;
use crate::hash::Mix;
use crate::model::{
    Action, Arg, Bone, BoneId, Command, Corners, Frame, Label, LabelGroup, Mesh, Model, Shape, Skin, SkinId,
    TexCoordId, Transform, VertexId,
};
use geom::wire::{Error, ErrorKind, Limit, Problem, Refuse as _, Result};

/// An entry of the list of vertices, as bits, so that it can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    /// Whether it is a point: only points are scaled.
    is_point: bool,
    bits: [u32; 4],
    color: [u8; 4],
    skin: SkinId,
}

/// Builds a model: every point, normal, quaternion, skin and texture coordinate is stored once, however often it is
/// added, and all points together are scaled to fill the bounding cube.
///
/// Takes the same units as the views return: metres, with v downwards. Put objects that use ids (meshes, bones,
/// actions, labels, shapes) into [`Builder::model`], with the ids that the builder returns. [`Builder::finish`]
/// converts these to the final ids, and lengths in arguments of shapes from metres to units of the bounding cube.
///
/// ```
/// use m3d::geom::Vec3;
/// use m3d::{Corners, Mesh};
///
/// let mut builder = m3d::Builder::new();
/// let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 2.0, 0.0]].map(|p| builder.point(Vec3::from(p)));
/// let mut mesh = Mesh::default();
/// mesh.push(Corners { vertices: &corners, ..Corners::default() })?;
/// builder.model.meshes.push(mesh);
/// let model = builder.finish();
/// assert_eq!(model.scale, 4.0);
/// assert_eq!(model.vertices.coords[1].to_array(), [1.0, 0.0, 0.0, 1.0]);
/// # Ok::<(), m3d::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Builder {
    /// The model without its vertices and texture coordinates.
    pub model: Model,
    entries: Vec<Key>,
    indices: HashMap<Key, u32, Mix>,
    uv_indices: HashMap<[u32; 2], u32, Mix>,
    skin_ids: HashMap<Skin, SkinId>,
    max_bytes: Option<u64>,
}

/// The memory of an entry and of a texture coordinate: in lists whose capacity doubles, and in hash tables.
const ENTRY: u64 = 144;
const TEX_COORD: u64 = 48;

impl Builder {
    /// A builder of an empty model.
    pub fn new() -> Self {
        Self::default()
    }

    /// Limits the memory in bytes that [`Builder::bytes`] returns: [`Builder::add_tri_mesh`] fails if it would need more.
    #[must_use]
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = Some(max_bytes);
        self
    }

    /// The approximate memory in bytes that the points, normals and texture coordinates take until the model is
    /// finished.
    pub fn bytes(&self) -> u64 {
        self.entries.len() as u64 * ENTRY + self.model.tex_coords.uvs.len() as u64 * TEX_COORD
    }

    /// Adds values within the limit; returns their ids.
    fn add_all<T, I>(
        &mut self,
        values: impl Iterator<Item = T>,
        add: impl Fn(&mut Self, T) -> I,
    ) -> Result<Vec<I>> {
        let within_limit = |value| {
            let id = add(self, value);
            match self.max_bytes {
                Some(allowed) if self.bytes() > allowed => {
                    Err(Error::new(ErrorKind::Limit(Limit::new("Builder::max_bytes", allowed)), ""))
                }
                _ => Ok(id),
            }
        };
        values.map(within_limit).collect()
    }

    /// Adds a point, in metres.
    pub fn point(&mut self, position: Vec3) -> VertexId {
        self.point_with(position, Rgba8::default(), SkinId::NONE)
    }

    /// Adds a point, in metres, with a colour (all zero for no colour) and a skin.
    pub fn point_with(&mut self, position: Vec3, color: Rgba8, skin: SkinId) -> VertexId {
        self.entry(true, [position.x, position.y, position.z, 1.0], color, skin)
    }

    /// Adds a control point of a rational curve or surface: a point, in metres, with a weight.
    pub fn control_point(&mut self, position: Vec3, weight: f32) -> VertexId {
        let values = [position.x, position.y, position.z, weight];
        self.entry(true, values, Rgba8::default(), SkinId::NONE)
    }

    /// Adds a normal.
    pub fn normal(&mut self, normal: Vec3) -> VertexId {
        self.entry(false, [normal.x, normal.y, normal.z, 1.0], Rgba8::default(), SkinId::NONE)
    }

    /// Adds the orientation of a bone.
    pub fn quaternion(&mut self, q: Quat) -> VertexId {
        self.entry(false, q.to_array(), Rgba8::default(), SkinId::QUATERNION)
    }

    /// Adds a texture coordinate; v grows downwards. The file stores 1 - v, so v is read back with an error of up to
    /// 2^-24.
    pub fn tex_coord(&mut self, uv: Vec2) -> TexCoordId {
        self.numbers([uv.x, 1.0 - uv.y])
    }

    /// Adds two numbers of a shape command, such as a range, to the list of texture coordinates, without converting
    /// them.
    pub fn numbers(&mut self, numbers: [f32; 2]) -> TexCoordId {
        let uvs = &mut self.model.tex_coords.uvs;
        let next = u32::try_from(uvs.len()).unwrap_or(u32::MAX);
        // Adding zero turns -0 into 0.
        let numbers = numbers.map(|number| number + 0.0);
        let index = *self.uv_indices.entry(numbers.map(f32::to_bits)).or_insert(next);
        if index == next {
            uvs.push(Vec2::from(numbers));
        }
        TexCoordId(index)
    }

    /// Adds a skin: the bones that move a vertex, with their weights.
    pub fn skin(&mut self, skin: Skin) -> SkinId {
        let skins = &mut self.model.skins;
        *self.skin_ids.entry(skin).or_insert_with(|| {
            skins.push(skin);
            SkinId::new(skins.len() - 1)
        })
    }

    /// Adds a triangle mesh of one material (none if the name is empty), with positions in metres and v downwards.
    /// Joints are indices into the bones of [`Builder::model`]; weights become steps of 1/255.
    ///
    /// # Errors
    /// If columns differ in length, if an index is out of range, and if the mesh has tangents or a colour whose four
    /// bytes are 0, which the format cannot represent. The error has the path. [`ErrorKind::Limit`] if the mesh needs
    /// more memory than [`Builder::max_bytes`] allows.
    pub fn add_tri_mesh(&mut self, source: &TriMesh, material: impl AsRef<[u8]>) -> Result<()> {
        check(source, self.model.bones.len())?;
        let mut mesh = Mesh::default();
        if !material.as_ref().is_empty() {
            mesh.use_material(material.as_ref());
        }
        let influences = source.joints.iter().zip(&source.weights);
        let skins: Vec<SkinId> = influences
            .map(|(&joints, &weights)| match weights == [0.0; 4] {
                true => SkinId::NONE,
                false => self.skin(quantized(joints, weights)),
            })
            .collect();
        let points = self.add_all(source.positions.iter().enumerate(), |builder, (index, &position)| {
            let color = source.colors.get(index).map_or(Rgba8::default(), |color| color.to_srgb());
            builder.point_with(position, color, skins.get(index).copied().unwrap_or(SkinId::NONE))
        })?;
        let normals = self.add_all(source.normals.iter().copied(), Self::normal)?;
        let tex_coords = self.add_all(source.uvs.iter().copied(), Self::tex_coord)?;
        for triangle in &source.triangles {
            let corners = triangle.map(|index| index as usize);
            let vertices = corners.map(|corner| points[corner]);
            let normals = normals.first().map(|_| corners.map(|corner| normals[corner]));
            let uvs = tex_coords.first().map(|_| corners.map(|corner| tex_coords[corner]));
            mesh.push(Corners {
                vertices: &vertices,
                tex_coords: uvs.as_ref().map_or(&[], |uvs| uvs),
                normals: normals.as_ref().map_or(&[], |normals| normals),
                maximums: &[],
            })?;
        }
        if !mesh.vertices.is_empty() {
            self.model.meshes.push(mesh);
        }
        Ok(())
    }

    fn entry(&mut self, is_point: bool, values: [f32; 4], color: Rgba8, skin: SkinId) -> VertexId {
        // Adding zero turns -0 into 0.
        let bits = values.map(|value| (value + 0.0).to_bits());
        let key = Key { is_point, bits, color: color.to_array(), skin };
        let next = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let index = *self.indices.entry(key).or_insert(next);
        if index == next {
            self.entries.push(key);
        }
        VertexId(index)
    }

    /// The model: the points divided by the largest of their coordinates, which becomes the scale.
    pub fn finish(self) -> Model {
        let Self { mut model, entries, indices, uv_indices, skin_ids, max_bytes: _ } = self;
        drop((indices, uv_indices, skin_ids));
        let points = entries.iter().filter(|key| key.is_point);
        let coordinates = points.flat_map(|key| key.bits.into_iter().take(3)).map(f32::from_bits);
        let most = coordinates.map(f32::abs).filter(|value| value.is_finite()).fold(0.0, f32::max);
        let scale = if most > 0.0 { most } else { 1.0 };
        model.scale = scale;

        // A scaled point may be equal to a normal.
        let mut indices: HashMap<Key, u32, Mix> =
            HashMap::with_capacity_and_hasher(entries.len(), Mix::default());
        let mut finals: Vec<VertexId> = Vec::with_capacity(entries.len());
        let vertices = &mut model.vertices;
        let any_color = entries.iter().any(|key| key.color != [0; 4]);
        let any_skin = entries.iter().any(|key| !key.skin.is_none());
        for mut key in entries {
            if std::mem::take(&mut key.is_point) {
                let [x, y, z, w] = key.bits;
                let [x, y, z] = [x, y, z].map(|value| (f32::from_bits(value) / scale).to_bits());
                key.bits = [x, y, z, w];
            }
            let next = u32::try_from(vertices.coords.len()).unwrap_or(u32::MAX);
            let index = *indices.entry(key).or_insert(next);
            if index == next {
                vertices.coords.push(Vec4::from(key.bits.map(f32::from_bits)));
                if any_color {
                    vertices.colors.push(key.color.into());
                }
                if any_skin {
                    vertices.skins.push(key.skin);
                }
            }
            finals.push(VertexId(index));
        }
        each_vertex_id(&mut model, &mut |id| {
            if let Some(last) = id.get().and_then(|index| finals.get(index)) {
                *id = *last;
            }
        });
        for command in model.shapes.iter_mut().flat_map(|shape| &mut shape.commands) {
            let kinds = command.id.args().unwrap_or_default();
            for (arg, kind) in command.args.iter_mut().zip(kinds.iter().cycle()) {
                if let (Arg::Coord(length), ArgKind::Length) = (arg, kind) {
                    *length /= f64::from(scale);
                }
            }
        }
        model
    }
}

/// Calls `change` for every vertex id of a model. Every field of every record is named, so that this does not compile
/// until a new field is listed here too.
fn each_vertex_id(model: &mut Model, change: &mut dyn FnMut(&mut VertexId)) {
    #[rustfmt::skip]
    let Model {
        bones, meshes, shapes, labels, actions,
        name: _, license: _, author: _, description: _, scale: _, preview: _, tex_coords: _, vertices: _, skins: _,
        materials: _, procedurals: _, voxel_types: _, voxel_blocks: _, assets: _, extras: _, layout: _,
    } = model;
    for Mesh { vertices, normals, maximums, records: _, tex_coords: _ } in meshes {
        vertices.iter_mut().chain(normals).chain(maximums).for_each(&mut *change);
    }
    for Bone { position, orientation, parent: _, name: _ } in bones {
        [position, orientation].into_iter().for_each(&mut *change);
    }
    for Action { frames, name: _, duration: _ } in actions {
        for Transform { position, orientation, bone: _ } in
            frames.iter_mut().flat_map(|Frame { transforms, time: _ }| transforms)
        {
            [position, orientation].into_iter().for_each(&mut *change);
        }
    }
    for LabelGroup { labels, name: _, language: _, color: _ } in labels {
        labels.iter_mut().for_each(|Label { vertex, text: _ }| change(vertex));
    }
    for Shape { commands, name: _, group: _ } in shapes {
        for arg in commands.iter_mut().flat_map(|Command { args, id: _ }| args) {
            match arg {
                Arg::Vertex(id) | Arg::Quaternion(id) => change(id),
                Arg::Material(_) | Arg::Shape(_) | Arg::TexCoord(_) | Arg::Coord(_) | Arg::Int(_) => {}
                Arg::Other(_) => {}
            }
        }
    }
}

/// Fails if a triangle mesh is inconsistent, if the format cannot represent it, or if a joint exceeds the number of
/// bones.
fn check(mesh: &TriMesh, bones: usize) -> Result<()> {
    let count = mesh.positions.len();
    let wrong = |path: String, what: String| Err(Error::invalid_argument(path, what));
    for (path, len) in [
        ("normals", mesh.normals.len()),
        ("uvs", mesh.uvs.len()),
        ("colors", mesh.colors.len()),
        ("joints", mesh.joints.len()),
        ("weights", mesh.weights.len()),
    ] {
        if len != 0 {
            Problem::length("entries", len, count).argument(path)?;
        }
    }
    if mesh.joints.len() != mesh.weights.len() {
        let (joints, weights) = (mesh.joints.len(), mesh.weights.len());
        let what =
            format!("expected both joints and weights, or neither (joints: {joints}, weights: {weights})");
        return wrong("weights".into(), what);
    }
    if !mesh.tangents.is_empty() {
        let found = mesh.tangents.len();
        let what = format!("expected no entries (Model 3D cannot store tangents), found {found}");
        return wrong("tangents".into(), what);
    }
    if let Some(index) = mesh.colors.iter().position(|color| color.to_srgb() == Rgba8::default()) {
        return wrong(
            format!("colors[{index}]"),
            "the colour [0, 0, 0, 0] means \"no colour\" in Model 3D (change one of its bytes)".into(),
        );
    }
    for (index, (joints, weights)) in mesh.joints.iter().zip(&mesh.weights).enumerate() {
        for (&joint, &weight) in joints.iter().zip(weights) {
            if !(0.0..=f32::MAX).contains(&weight) {
                return wrong(
                    format!("weights[{index}]"),
                    format!("expected a finite weight of at least 0, found {weight}"),
                );
            }
            if weight > 0.0 && usize::from(joint) >= bones {
                return Err(Problem::reference("bone", joint, bones)).argument(format!("joints[{index}]"));
            }
        }
    }
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        if let Some(&corner) = triangle.iter().find(|&&corner| corner as usize >= count) {
            return Err(Problem::reference("vertex", corner, count)).argument(format!("triangles[{index}]"));
        }
    }
    Ok(())
}

/// A skin whose weights are integers that sum to 255: each is rounded down, and those with the largest remainders get
/// one more.
fn quantized(joints: [u16; 4], weights: [f32; 4]) -> Skin {
    let sum: f64 = weights.iter().copied().map(f64::from).sum();
    let exact = weights.map(|weight| f64::from(weight) / sum * 255.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
    let mut steps = exact.map(|weight| weight as u8);
    // The rounded weights sum to at most 255. If one is missing, the sum is below 255, and so is each weight.
    let missing = 255 - steps.iter().map(|&step| u16::from(step)).sum::<u16>();
    let mut order = [0, 1, 2, 3];
    geom::sort::by(&mut order, |&a: &usize, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    for &place in order.iter().take(missing.into()) {
        steps[place] += 1;
    }
    Skin::new(joints.map(|joint| BoneId(joint.into())).into_iter().zip(steps))
}

impl Model {
    /// A model of a triangle mesh, whose positions are in metres and whose v grows downwards.
    ///
    /// ```
    /// # use m3d::geom::{TriMesh, Vec3};
    /// let positions = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]].map(Vec3::from).to_vec();
    /// let mesh = TriMesh { positions, triangles: vec![[0, 1, 2]], ..TriMesh::default() };
    /// assert_eq!(m3d::Model::from_tri_mesh(&mesh)?.to_tri_mesh()?, mesh);
    /// # Ok::<(), m3d::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Builder::add_tri_mesh`], which is also the way to make a mesh with joints.
    pub fn from_tri_mesh(source: &TriMesh) -> Result<Self> {
        let mut builder = Builder::new();
        builder.add_tri_mesh(source, "")?;
        Ok(builder.finish())
    }
}

/// A valid name for the format: blanks, slashes and backslashes, which are not allowed, become underscores.
///
/// ```
/// assert_eq!(m3d::identifier("my shiny/metal"), "my_shiny_metal");
/// ```
pub fn identifier(name: impl AsRef<[u8]>) -> bstr::BString {
    let name = name.as_ref().as_bstr();
    name.iter().map(|&byte| if b" \t/\\".contains(&byte) { b'_' } else { byte }).collect::<Vec<u8>>().into()
}
