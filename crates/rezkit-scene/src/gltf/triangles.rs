//! Reads primitives: the attributes of vertices, and triangles.

use geom::TriMesh;
use gltf::Semantic;
use gltf::mesh::Mode;
use rezkit_core::{Error, Loss, Result};

use super::read::Reader;
use crate::model::{MorphTarget, Primitive};

/// Adds a set of joints and weights to a mesh, whose vertices keep the four greatest weights, scaled to a sum of 1.
/// Returns the number of vertices that lost a weight.
fn strongest(
    mesh: &mut TriMesh,
    joints: impl Iterator<Item = [u16; 4]>,
    weights: impl Iterator<Item = [f32; 4]>,
) -> usize {
    let mut reduced = 0;
    let kept = mesh.joints.iter_mut().zip(&mut mesh.weights);
    for ((joints, weights), (more_joints, more_weights)) in kept.zip(joints.zip(weights)) {
        let mut all: Vec<(u16, f32)> = joints.iter().copied().zip(*weights).collect();
        all.extend(more_joints.into_iter().zip(more_weights));
        geom::sort::by(&mut all, |a, b| b.1.total_cmp(&a.1));
        let sum: f32 = all[..4].iter().map(|(_, weight)| weight).sum();
        for (slot, &(joint, weight)) in all[..4].iter().enumerate() {
            joints[slot] = joint;
            weights[slot] = if sum > 0.0 { weight / sum } else { weight };
        }
        reduced += usize::from(all[4..].iter().any(|(_, weight)| *weight > 0.0));
    }
    reduced
}

/// The loss of an attribute that is not read.
fn unread(semantic: &Semantic, path: &str) -> Loss {
    let (id, what) = match semantic {
        Semantic::Extras(_) => ("gltf.attributes", "custom vertex attributes are not supported"),
        Semantic::Colors(_) => ("mesh.more-colors", "vertex colours after the first set are not supported"),
        Semantic::TexCoords(_) => (
            "gltf.attributes",
            "a set of texture coordinates whose number does not directly follow that of the previous set",
        ),
        _ => (
            "gltf.attributes",
            "joints and weights are read only in pairs (JOINTS_0 and WEIGHTS_0, …), numbered without gaps",
        ),
    };
    Loss::new(format!("{path}.{}", semantic.to_string()), what).id(id)
}

/// The triangles of a primitive, or the name of its mode if it has none.
fn triangles(mode: Mode, indices: &[u32]) -> Result<Vec<[u32; 3]>, &'static str> {
    match mode {
        Mode::Triangles => Ok(indices.as_chunks().0.to_vec()),
        Mode::TriangleStrip => {
            let odd = |(index, triple): (usize, &[u32])| match index % 2 {
                0 => [triple[0], triple[1], triple[2]],
                _ => [triple[1], triple[0], triple[2]],
            };
            Ok(indices.windows(3).enumerate().map(odd).collect())
        }
        Mode::TriangleFan => Ok(match indices.split_first() {
            Some((&first, rest)) => rest.windows(2).map(|pair| [first, pair[0], pair[1]]).collect(),
            None => Vec::new(),
        }),
        Mode::Points => Err("POINTS"),
        Mode::Lines => Err("LINES"),
        Mode::LineLoop => Err("LINE_LOOP"),
        Mode::LineStrip => Err("LINE_STRIP"),
    }
}

impl Reader<'_> {
    pub(super) fn primitive(
        &mut self,
        from: &gltf::Primitive<'_>,
        names: &[String],
        path: String,
    ) -> Result<Option<Primitive>> {
        let buffers = &self.buffers;
        let reader = from.reader(|buffer| buffers.get(buffer.index()).map(|data| &**data));
        let Some(positions) = reader.read_positions() else {
            self.lose("gltf.primitives", path, "a primitive without positions");
            return Ok(None);
        };
        let positions = positions.map(Into::into).collect();
        let mut mesh = TriMesh { positions, ..TriMesh::default() };
        let indices: Vec<u32> = match reader.read_indices() {
            Some(indices) => indices.into_u32().collect(),
            None => (0..u32::try_from(mesh.positions.len()).map_err(|_| {
                Error::unreadable("a primitive without indices has more than 4,294,967,295 vertices")
            })?)
                .collect(),
        };
        let mut targets = Vec::new();
        for (index, (positions, normals, tangents)) in reader.read_morph_targets().enumerate() {
            targets.push(MorphTarget {
                name: names.get(index).cloned().unwrap_or_default(),
                positions: positions.into_iter().flatten().map(Into::into).collect(),
                normals: normals.into_iter().flatten().map(Into::into).collect(),
                tangents: tangents.into_iter().flatten().map(Into::into).collect(),
            });
        }
        mesh.normals = reader.read_normals().into_iter().flatten().map(Into::into).collect();
        mesh.tangents = reader.read_tangents().into_iter().flatten().map(Into::into).collect();
        mesh.uvs =
            reader.read_tex_coords(0).into_iter().flat_map(|uvs| uvs.into_f32()).map(Into::into).collect();
        let colors = reader.read_colors(0).into_iter().flat_map(|colors| colors.into_rgba_f32());
        mesh.colors = colors.map(geom::LinearRgba::from_unit).collect();
        mesh.joints = reader.read_joints(0).into_iter().flat_map(|joints| joints.into_u16()).collect();
        mesh.weights = reader.read_weights(0).into_iter().flat_map(|weights| weights.into_f32()).collect();
        let wrong = mesh
            .weights
            .as_flattened_mut()
            .iter_mut()
            .filter(|weight| !(**weight >= 0.0 && weight.is_finite()));
        let wrong = wrong.map(|weight| *weight = 0.0).count();
        if wrong > 0 {
            let what = "weights that are negative, infinite or NaN count as 0";
            let loss = Loss::approximated(format!("{path}.WEIGHTS_0"), what).id("mesh.not-finite");
            self.losses.push(loss.times(wrong));
        }
        // Further sets are read only if the first one is complete.
        let (mut sets, mut reduced) = (u32::from(!mesh.joints.is_empty() && !mesh.weights.is_empty()), 0);
        let set = |set| Some((reader.read_joints(set)?, reader.read_weights(set)?));
        while let Some((joints, weights)) = set(sets).filter(|_| sets > 0) {
            reduced += strongest(&mut mesh, joints.into_u16(), weights.into_f32());
            sets += 1;
        }
        let uvs = |set| Some(reader.read_tex_coords(set)?.into_f32().map(Into::into).collect());
        let more_uvs: Vec<Vec<geom::Vec2>> = (1..).map_while(uvs).collect();
        let known = |semantic: &Semantic| match semantic {
            Semantic::Positions | Semantic::Normals | Semantic::Tangents | Semantic::Colors(0) => true,
            Semantic::TexCoords(set) => *set as usize <= more_uvs.len(),
            Semantic::Joints(set) | Semantic::Weights(set) => *set < sets,
            Semantic::Colors(_) | Semantic::Extras(_) => false,
        };
        let unknown = from.attributes().filter(|(semantic, _)| !known(semantic));
        self.losses.extend(unknown.map(|(semantic, _)| unread(&semantic, &path)));
        if reduced > 0 {
            let what =
                "vertices with more than four joints: the four joints with the greatest weights are kept";
            self.losses.push(
                Loss::approximated(format!("{path}.JOINTS_1"), what).id("mesh.four-joints").times(reduced),
            );
        }
        let unused = if from.mode() == Mode::Triangles { indices.len() % 3 } else { indices.len() };
        if unused > 0 && (from.mode() == Mode::Triangles || unused < 3) {
            let what = format!("the last indices, which do not form a triangle (count: {unused})");
            self.losses.push(Loss::new(format!("{path}.indices"), what).id("gltf.primitives"));
        }
        mesh.triangles = match triangles(from.mode(), &indices) {
            Ok(triangles) => triangles,
            Err(name) => {
                let mode = from.mode().as_gl_enum();
                let what = format!("a primitive with the mode {mode} ({name}): only triangles are supported");
                self.lose("gltf.primitives", path, what);
                return Ok(None);
            }
        };
        if let Some(index) = mesh.triangles.iter().flatten().max()
            && *index as usize >= mesh.positions.len()
        {
            let vertices = mesh.positions.len();
            let text =
                format!("{path}.indices: index {index} is out of range (number of vertices: {vertices})");
            return Err(Error::unreadable(text));
        }
        if !mesh.is_consistent() {
            return Err(Error::unreadable(format!("{path}: vertex attributes have different counts")));
        }
        Ok(Some(Primitive { targets, more_uvs, ..Primitive::new(mesh, from.material().index()) }))
    }
}
