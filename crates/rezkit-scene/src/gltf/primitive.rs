//! Writes primitives: the attributes of vertices in the form that glTF requires.

use rezkit_core::{Error, Result};
use std::collections::BTreeMap;

use geom::{TriMesh, Vec2, Vec3};
use gltf::json::accessor::{ComponentType, Type};
use gltf::json::buffer::Target as BufferTarget;
use gltf::json::mesh::Semantic;
use gltf::json::validation::Checked::{self, Valid};
use gltf::json::{self, Accessor, Index};

use super::writer::{Geometry, Writer, index};
use crate::features::Feature;
use crate::model::Primitive;
use rezkit_core::Loss;

impl Writer<'_> {
    pub(super) fn primitive(
        &mut self,
        from: &Primitive,
        path: &str,
    ) -> Result<Option<json::mesh::Primitive>> {
        let mesh = &*from.mesh;
        if !mesh.is_consistent() {
            let what = "vertex attributes have different counts, or an index is out of range";
            return Err(Error::unwritable(what).at(path));
        }
        if mesh.triangles.is_empty() {
            self.losses.push(Loss::new(path, "a primitive without triangles").id("mesh.empty"));
            return Ok(None);
        }
        let address = std::ptr::from_ref(mesh);
        let Geometry { mut attributes, indices } = match self.meshes.get(&address) {
            Some(written) => written.clone(),
            None => {
                let written = self.geometry(mesh, path)?;
                self.meshes.entry(address).or_insert(written).clone()
            }
        };
        let mut targets = Vec::new();
        for (set, uvs) in (1_u32..).zip(&from.more_uvs) {
            // The numbers of sets must have no gaps: an empty set is filled with zeros.
            let uvs = if uvs.is_empty() { &vec![Vec2::default(); mesh.positions.len()] } else { uvs };
            attributes.insert(Valid(Semantic::TexCoords(set)), self.uvs(uvs, &format!("{path}.uvs[{set}]"))?);
        }
        if mesh.uvs.is_empty() && !from.more_uvs.is_empty() {
            let zeros = vec![Vec2::default(); mesh.positions.len()];
            attributes.insert(Valid(Semantic::TexCoords(0)), self.uvs(&zeros, path)?);
        }
        let empty =
            from.more_uvs.iter().any(Vec::is_empty) || mesh.uvs.is_empty() && !from.more_uvs.is_empty();
        if empty {
            let what = "empty sets of texture coordinates are filled with 0, because glTF allows no gaps in \
                        the numbers of the sets (TEXCOORD_0, TEXCOORD_1, …)";
            let loss = Loss::filled_in(format!("{path}.uvs"), what).id("gltf.filled-uvs");
            self.losses.push(loss.about([Feature::Uvs, Feature::MoreUvs].map(Feature::title)));
        }
        for (at, target) in from.targets.iter().enumerate() {
            let path = format!("{path}.targets[{at}]");
            let is_empty =
                [&target.positions, &target.normals, &target.tangents].iter().all(|list| list.is_empty());
            // A target must have at least one column.
            let zeros = vec![Vec3::default(); if is_empty { mesh.positions.len() } else { 0 }];
            let positions = if is_empty { &zeros } else { &target.positions };
            let has_tangents = attributes.contains_key(&Valid(Semantic::Tangents));
            let tangents = if has_tangents { &target.tangents[..] } else { &[] };
            if tangents.len() < target.tangents.len() {
                let what = "tangents of a morph target, because the mesh itself is written without tangents";
                let loss = Loss::new(format!("{path}.tangents"), what).id("gltf.tangents");
                self.losses.push(loss.about([Feature::Morphs.title()]));
            }
            targets.push(json::mesh::MorphTarget {
                positions: self.offsets(positions, true, &path)?,
                normals: self.offsets(&target.normals, false, &path)?,
                tangents: self.offsets(tangents, false, &path)?,
            });
        }
        Ok(Some(json::mesh::Primitive {
            attributes,
            extensions: None,
            extras: None,
            indices: Some(indices),
            material: from.material.map(index).transpose()?,
            mode: Valid(json::mesh::Mode::Triangles),
            targets: Some(targets).filter(|targets| !targets.is_empty()),
        }))
    }

    /// Writes the values that a target adds to a column.
    fn offsets(&mut self, values: &[Vec3], bounds: bool, path: &str) -> Result<Option<Index<Accessor>>> {
        if values.is_empty() {
            return Ok(None);
        }
        let mut offsets: Vec<[f32; 3]> = values.iter().map(|offset| offset.to_array()).collect();
        self.finite(offsets.as_flattened_mut(), path);
        if bounds {
            return self.points(&offsets).map(Some);
        }
        let view = self.view(offsets.as_flattened(), Some(BufferTarget::ArrayBuffer))?;
        Ok(Some(self.accessor(view, offsets.len(), ComponentType::F32, Type::Vec3)))
    }

    fn uvs(&mut self, uvs: &[Vec2], path: &str) -> Result<Index<Accessor>> {
        let mut uvs: Vec<[f32; 2]> = uvs.iter().map(|uv| uv.to_array()).collect();
        self.finite(uvs.as_flattened_mut(), path);
        let view = self.view(uvs.as_flattened(), Some(BufferTarget::ArrayBuffer))?;
        Ok(self.accessor(view, uvs.len(), ComponentType::F32, Type::Vec2))
    }

    /// Replaces infinities and NaN, which glTF does not allow, and lists them.
    pub(super) fn finite(&mut self, values: &mut [f32], path: &str) {
        let broken = values.iter().filter(|value| !value.is_finite()).count();
        if broken > 0 {
            self.losses.push(
                Loss::approximated(
                    path.to_owned(),
                    format!("infinite or NaN numbers are replaced by 0 (count: {broken})"),
                )
                .id("gltf.not-finite"),
            );
            values.iter_mut().filter(|value| !value.is_finite()).for_each(|value| *value = 0.0);
        }
    }

    fn geometry(&mut self, mesh: &TriMesh, path: &str) -> Result<Geometry> {
        let count = mesh.positions.len();
        let mut attributes = BTreeMap::new();
        let mut positions: Vec<[f32; 3]> = mesh.positions.iter().map(|point| point.to_array()).collect();
        let broken = positions.iter().filter(|point| !point.iter().all(|value| value.is_finite())).count();
        if broken > 0 {
            let loss = Loss::approximated(
                format!("{path}.positions"),
                format!("infinite or NaN coordinates are replaced by 0 (affected positions: {broken})"),
            )
            .id("gltf.not-finite");
            self.losses.push(loss.about([Feature::Size.title()]));
            positions.iter_mut().flatten().filter(|value| !value.is_finite()).for_each(|value| *value = 0.0);
        }
        let accessor = self.points(&positions)?;
        attributes.insert(Valid(Semantic::Positions), accessor);
        if !mesh.normals.is_empty() {
            let mut normals: Vec<[f32; 3]> = mesh.normals.iter().map(|normal| normal.to_array()).collect();
            let unit = |v: &[f32; 3]| ((v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt() - 1.0).abs() < 5e-4;
            let changed = normals.iter().filter(|normal| !unit(normal)).count();
            if changed > 0 {
                let computed = mesh.area_weighted_normals();
                for (normal, computed) in normals.iter_mut().zip(computed).filter(|(normal, _)| !unit(normal))
                {
                    let normalised = glam::Vec3::from(*normal).normalize_or_zero();
                    let usable = normalised.is_finite() && normalised != glam::Vec3::ZERO;
                    // A vertex whose triangles have no area has no normal: use up.
                    let computed = if computed.to_array() == [0.0; 3] {
                        glam::Vec3::Y.to_array()
                    } else {
                        computed.to_array()
                    };
                    *normal = if usable { normalised.to_array() } else { computed };
                }
                let what =
                    format!("normals whose length is not 1 are normalised or recomputed (count: {changed})");
                let loss = Loss::approximated(format!("{path}.normals"), what).id("gltf.normals");
                self.losses.push(loss.about([Feature::Normals.title()]));
            }
            let view = self.view(normals.as_flattened(), Some(BufferTarget::ArrayBuffer))?;
            let accessor = self.accessor(view, count, ComponentType::F32, Type::Vec3);
            attributes.insert(Valid(Semantic::Normals), accessor);
        }
        if !mesh.tangents.is_empty() && mesh.normals.is_empty() {
            let what = "all tangents, because glTF ignores tangents of a mesh without normals";
            let loss = Loss::new(format!("{path}.tangents"), what).id("gltf.tangents");
            self.losses.push(loss.about([Feature::Tangents.title()]));
        } else if !mesh.tangents.is_empty() {
            let unit = |tangent: &geom::Vec4| {
                let [x, y, z, w] = tangent.to_array();
                let direction = glam::Vec3::new(x, y, z);
                // In formats with a byte per number, the length is not exactly 1.
                let direction = if direction.length() > 0.5 { direction.normalize() } else { direction };
                [direction.x, direction.y, direction.z, if w == 0.0 { w } else { w.signum() }]
            };
            let tangents: Vec<[f32; 4]> = mesh.tangents.iter().map(unit).collect();
            let valid = |t: &[f32; 4]| {
                let length = (t[0] * t[0] + t[1] * t[1] + t[2] * t[2]).sqrt();
                (length - 1.0).abs() < 5e-4 && t[3].abs() == 1.0
            };
            let broken = tangents.iter().filter(|tangent| !valid(tangent)).count();
            if broken == 0 {
                let view = self.view(tangents.as_flattened(), Some(BufferTarget::ArrayBuffer))?;
                let accessor = self.accessor(view, count, ComponentType::F32, Type::Vec4);
                attributes.insert(Valid(Semantic::Tangents), accessor);
            } else {
                let what = format!(
                    "all tangents, because {broken} of them are not unit vectors with a w of 1 or -1"
                );
                let loss = Loss::new(format!("{path}.tangents"), what).id("gltf.tangents");
                self.losses.push(loss.about([Feature::Tangents.title()]));
            }
        }
        if !mesh.uvs.is_empty() {
            let accessor = self.uvs(&mesh.uvs, &format!("{path}.uvs"))?;
            attributes.insert(Valid(Semantic::TexCoords(0)), accessor);
        }
        if !mesh.colors.is_empty() {
            // Linear bytes would merge dark sRGB colours.
            let parts = mesh.colors.iter().flat_map(|color| color.to_array());
            let bytes: Vec<u8> = parts.flat_map(u16::to_le_bytes).collect();
            let view = self.view_of_bytes(&bytes, Some(BufferTarget::ArrayBuffer))?;
            let accessor = self.accessor(view, count, ComponentType::U16, Type::Vec4);
            self.root.accessors[accessor.value()].normalized = true;
            attributes.insert(Valid(Semantic::Colors(0)), accessor);
        }
        if !mesh.joints.is_empty() {
            self.weights(mesh, &mut attributes)?;
        }
        let indices = if count < usize::from(u16::MAX) {
            let short =
                mesh.triangles.as_flattened().iter().map(|&index| u16::try_from(index).unwrap_or(u16::MAX));
            let bytes: Vec<u8> = short.flat_map(u16::to_le_bytes).collect();
            let view = self.view_of_bytes(&bytes, Some(BufferTarget::ElementArrayBuffer))?;
            self.accessor(view, mesh.triangles.len() * 3, ComponentType::U16, Type::Scalar)
        } else {
            let bytes: Vec<u8> =
                mesh.triangles.as_flattened().iter().flat_map(|index| index.to_le_bytes()).collect();
            let view = self.view_of_bytes(&bytes, Some(BufferTarget::ElementArrayBuffer))?;
            self.accessor(view, mesh.triangles.len() * 3, ComponentType::U32, Type::Scalar)
        };
        Ok(Geometry { attributes, indices })
    }

    /// Writes joints and weights as glTF requires: weights with a sum of 1, each joint of a vertex once, and joint 0 if
    /// the weight is 0.
    fn weights(
        &mut self,
        mesh: &TriMesh,
        attributes: &mut BTreeMap<Checked<Semantic>, Index<Accessor>>,
    ) -> Result<()> {
        let count = mesh.positions.len();
        let mut joints = Vec::with_capacity(count * 8);
        let mut weights: Vec<[f32; 4]> = Vec::with_capacity(count);
        for (joint, weight) in mesh.joints.iter().zip(&mesh.weights) {
            let mut weight = weight.map(|weight| if weight.is_finite() { weight.max(0.0) } else { 0.0 });
            for later in 1..4 {
                if let Some(first) = (0..later).find(|&first| joint[first] == joint[later]) {
                    weight[first] += std::mem::take(&mut weight[later]);
                }
            }
            let sum: f32 = weight.iter().sum();
            if !sum.is_normal() {
                weight = [1.0, 0.0, 0.0, 0.0];
            } else if (sum - 1.0).abs() > 1e-7 {
                weight = weight.map(|weight| weight / sum);
            }
            weights.push(weight);
            for (joint, weight) in joint.iter().zip(weight) {
                let joint = if weight == 0.0 { 0 } else { *joint };
                joints.extend_from_slice(&joint.to_le_bytes());
            }
        }
        let view = self.view_of_bytes(&joints, Some(BufferTarget::ArrayBuffer))?;
        let accessor = self.accessor(view, count, ComponentType::U16, Type::Vec4);
        attributes.insert(Valid(Semantic::Joints(0)), accessor);
        let view = self.view(weights.as_flattened(), Some(BufferTarget::ArrayBuffer))?;
        let accessor = self.accessor(view, count, ComponentType::F32, Type::Vec4);
        attributes.insert(Valid(Semantic::Weights(0)), accessor);
        Ok(())
    }
}
