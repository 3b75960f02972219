//! Checks that a scene does not contradict itself.

use rezkit_core::{Error, Result};

use crate::model::{Interpolation, Mesh, Scene, Values};

/// Refuses an index outside a list of this name and length.
fn index(path: impl Fn() -> String, index: usize, list: &str, count: usize) -> Result<()> {
    match index < count {
        true => Ok(()),
        false => {
            let text = format!("index {index} is out of range (number of {list}: {count})");
            Err(Error::unwritable(text).at(path()))
        }
    }
}

/// Refuses a column that is neither empty nor has a value per vertex.
fn column(path: impl Fn() -> String, length: usize, count: usize) -> Result<()> {
    match length == 0 || length == count {
        true => Ok(()),
        false => {
            let text = format!("expected {count} values (one per vertex) or none, found {length}");
            Err(Error::unwritable(text).at(path()))
        }
    }
}

impl Scene {
    /// Checks that every index is within its list, every column is empty or has a value per vertex, joints have
    /// weights, and every node has at most one parent.
    ///
    /// # Errors
    /// [`Unwritable`](rezkit_core::ErrorKind::Unwritable) for the first contradiction, with its path.
    pub fn check(&self) -> Result<()> {
        self.check_nodes()?;
        for (at, mesh) in self.meshes.iter().enumerate() {
            self.check_mesh(at, mesh)?;
        }
        for (at, material) in self.materials.iter().enumerate() {
            for texture in material.textures() {
                index(|| format!("materials[{at}].textures"), texture.image, "images", self.images.len())?;
            }
        }
        for (at, skin) in self.skins.iter().enumerate() {
            for &joint in &skin.joints {
                index(|| format!("skins[{at}].joints"), joint, "nodes", self.nodes.len())?;
            }
            let (count, found) = (skin.joints.len(), skin.inverse_bind.len());
            if count != found {
                let text = format!("expected {count} inverse bind matrices (one per joint), found {found}");
                return Err(Error::unwritable(text).at(format!("skins[{at}].inverse_bind")));
            }
        }
        for (at, animation) in self.animations.iter().enumerate() {
            for (number, channel) in animation.channels.iter().enumerate() {
                let path = || format!("animations[{at}].channels[{number}]");
                index(|| format!("{}.node", path()), channel.node, "nodes", self.nodes.len())?;
                let keys = channel.times.len();
                let of_key = if channel.interpolation == Interpolation::Cubic { 3 } else { 1 };
                let values = keys.saturating_mul(of_key);
                let (found, fits) = match &channel.values {
                    Values::Translation(list) | Values::Scale(list) => (list.len(), list.len() == values),
                    Values::Rotation(list) => (list.len(), list.len() == values),
                    // Each key has a weight for each morph target.
                    Values::Weights(list) => {
                        (list.len(), list.len().checked_rem(values).unwrap_or(list.len()) == 0)
                    }
                };
                if !fits {
                    let (many, each) = match &channel.values {
                        Values::Weights(_) => ("a multiple of ", "key and morph target"),
                        _ => ("", "key"),
                    };
                    let text = format!(
                        "expected {many}{values} values ({of_key} per {each}; keys: {keys}), found {found}"
                    );
                    return Err(Error::unwritable(text).at(path()));
                }
            }
        }
        Ok(())
    }

    fn check_nodes(&self) -> Result<()> {
        let mut has_parent = vec![false; self.nodes.len()];
        let mut child = |path: &dyn Fn() -> String, node: usize| {
            index(path, node, "nodes", has_parent.len())?;
            match std::mem::replace(&mut has_parent[node], true) {
                true => {
                    let text = format!(
                        "node {node} is listed twice: a node must be either a root or the child of one node"
                    );
                    Err(Error::unwritable(text).at(path()))
                }
                false => Ok(()),
            }
        };
        for &root in &self.roots {
            child(&|| "roots".to_owned(), root)?;
        }
        // The number of joints that the vertices of each mesh require.
        let joints: Vec<usize> = self.meshes.iter().map(joints).collect();
        for (at, node) in self.nodes.iter().enumerate() {
            for &below in &node.children {
                child(&|| format!("nodes[{at}].children"), below)?;
            }
            if let Some(mesh) = node.mesh {
                index(|| format!("nodes[{at}].mesh"), mesh, "meshes", self.meshes.len())?;
            }
            if let Some(skin) = node.skin {
                index(|| format!("nodes[{at}].skin"), skin, "skins", self.skins.len())?;
                let (found, needed) =
                    (self.skins[skin].joints.len(), node.mesh.map_or(0, |mesh| joints[mesh]));
                if needed > found {
                    let text = format!(
                        "joint index {} of a vertex is out of range (number of joints in the skin: {found})",
                        needed - 1
                    );
                    return Err(Error::unwritable(text).at(format!("nodes[{at}].skin")));
                }
            }
        }
        // As each node has at most one parent, only cycles cannot be reached from the nodes without a parent.
        let mut is_root = has_parent;
        is_root.iter_mut().for_each(|has_parent| *has_parent = !*has_parent);
        self.roots.iter().for_each(|&root| is_root[root] = true);
        let mut open: Vec<usize> = (0..self.nodes.len()).filter(|&node| is_root[node]).collect();
        let mut reached = 0;
        while let Some(node) = open.pop() {
            reached += 1;
            open.extend(&self.nodes[node].children);
        }
        match reached == self.nodes.len() {
            true => Ok(()),
            false => Err(Error::unwritable("the node hierarchy contains a cycle").at("nodes")),
        }
    }

    fn check_mesh(&self, at: usize, mesh: &Mesh) -> Result<()> {
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            let path = || format!("meshes[{at}].primitives[{number}]");
            let (mesh, count) = (&primitive.mesh, primitive.mesh.positions.len());
            if let Some(material) = primitive.material {
                index(|| format!("{}.material", path()), material, "materials", self.materials.len())?;
            }
            let columns = [
                ("mesh.normals", mesh.normals.len()),
                ("mesh.uvs", mesh.uvs.len()),
                ("mesh.colors", mesh.colors.len()),
                ("mesh.tangents", mesh.tangents.len()),
                ("mesh.joints", mesh.joints.len()),
                ("mesh.weights", mesh.weights.len()),
            ];
            for (name, length) in columns {
                column(|| format!("{}.{name}", path()), length, count)?;
            }
            if mesh.joints.len() != mesh.weights.len() {
                let what = "expected joints and weights, or neither";
                return Err(Error::unwritable(what).at(format!("{}.mesh.joints", path())));
            }
            for (set, uvs) in primitive.more_uvs.iter().enumerate() {
                column(|| format!("{}.more_uvs[{set}]", path()), uvs.len(), count)?;
            }
            for (at, target) in primitive.targets.iter().enumerate() {
                let lists = [
                    ("positions", target.positions.len()),
                    ("normals", target.normals.len()),
                    ("tangents", target.tangents.len()),
                ];
                for (name, length) in lists {
                    column(|| format!("{}.targets[{at}].{name}", path()), length, count)?;
                }
            }
            let largest = mesh.triangles.iter().flatten().max();
            if let Some(&largest) = largest {
                index(|| format!("{}.triangles", path()), largest as usize, "vertices", count)?;
            }
        }
        Ok(())
    }
}

/// The number of joints that the weights of a mesh require.
fn joints(mesh: &Mesh) -> usize {
    let primitives = mesh.primitives.iter().map(|primitive| &primitive.mesh);
    let weighted =
        primitives.flat_map(|mesh| mesh.joints.iter().flatten().zip(mesh.weights.iter().flatten()));
    weighted
        .filter(|(_, weight)| **weight != 0.0)
        .map(|(joint, _)| usize::from(*joint) + 1)
        .max()
        .unwrap_or(0)
}
