//! A part of a scene.

use rbxcore::parts::path;
use rezkit_core::{Error, Result};

use super::{Node, Scene};

/// Removes the entries of a list that are not used, and returns the new index of each.
fn compact<T>(list: &mut Vec<T>, is_used: &[bool]) -> Vec<usize> {
    let mut kept = 0;
    let new = is_used.iter().map(|is_used| {
        kept += usize::from(*is_used);
        kept.saturating_sub(1)
    });
    let new = new.collect();
    let mut at = 0..;
    list.retain(|_| at.next().is_some_and(|at: usize| is_used.get(at) == Some(&true)));
    new
}

impl Scene {
    /// Keeps the node at a path, and what is below it: names of nodes from a root on, separated by `/`; `[1]` after a name is
    /// the second of siblings with this name. The nodes above it keep their transforms, joints of its skins stay, and everything
    /// that is no longer used is removed.
    ///
    /// # Errors
    /// [`Argument`](rezkit_core::ErrorKind::Argument) if no node is at the path.
    pub fn select(&mut self, path: &str) -> Result<()> {
        let target = self.find(path).ok_or_else(|| {
            let names = self.roots.iter().map(|&root| self.nodes[root].name.as_str());
            let names: Vec<_> = names.filter(|name| !name.is_empty()).take(5).collect();
            let known =
                if names.is_empty() { String::new() } else { format!(" (at the top: {})", names.join(", ")) };
            Error::argument(format!("no node is at this path{known}")).at(path)
        })?;
        let parents = self.parents();
        let mut is_part = vec![false; self.nodes.len()];
        let mut open = vec![target];
        while let Some(index) = open.pop() {
            if !std::mem::replace(&mut is_part[index], true) {
                open.extend(&self.nodes[index].children);
            }
        }
        let mut is_kept = is_part.clone();
        let skins = self
            .nodes
            .iter()
            .zip(&is_part)
            .filter(|(_, is_part)| **is_part)
            .filter_map(|(node, _)| node.skin);
        let joints: Vec<usize> =
            skins.filter_map(|skin| self.skins.get(skin)).flat_map(|skin| skin.joints.clone()).collect();
        for start in joints.into_iter().chain([target]) {
            let above = std::iter::successors(Some(start), |&index| parents.get(index).copied().flatten());
            // A cycle is passed once.
            for index in above.take(self.nodes.len()) {
                is_kept[index] = true;
            }
        }
        for (node, _) in self.nodes.iter_mut().zip(&is_part).filter(|(_, is_part)| !**is_part) {
            *node = Node {
                name: std::mem::take(&mut node.name),
                transform: node.transform,
                children: std::mem::take(&mut node.children),
                hidden: node.hidden,
                source: node.source,
                ..Node::default()
            };
        }
        self.keep_nodes(&is_kept);
        self.drop_unused();
        Ok(())
    }

    /// The node at a path.
    fn find(&self, path: &str) -> Option<usize> {
        let mut siblings = &self.roots;
        let mut found = None;
        for step in path::parse(path.as_bytes())? {
            let named = siblings.iter().filter(|&&index| *self.nodes[index].name.as_bytes() == *step.name);
            let index = *named.clone().nth(step.index)?;
            found = Some(index);
            siblings = &self.nodes[index].children;
        }
        found
    }

    /// Removes other nodes.
    fn keep_nodes(&mut self, is_kept: &[bool]) {
        let new = compact(&mut self.nodes, is_kept);
        let renumber = |list: &mut Vec<usize>| {
            list.retain(|&index| is_kept.get(index) == Some(&true));
            list.iter_mut().for_each(|index| *index = new[*index]);
        };
        self.nodes.iter_mut().for_each(|node| renumber(&mut node.children));
        renumber(&mut self.roots);
        for animation in &mut self.animations {
            animation.channels.retain(|channel| is_kept.get(channel.node) == Some(&true));
            animation.channels.iter_mut().for_each(|channel| channel.node = new[channel.node]);
        }
        self.animations.retain(|animation| !animation.channels.is_empty());
        let mut is_used = vec![false; self.skins.len()];
        let used = self.nodes.iter().filter_map(|node| node.skin);
        used.for_each(|skin| is_used.get_mut(skin).into_iter().for_each(|is_used| *is_used = true));
        let skins = compact(&mut self.skins, &is_used);
        for skin in self.nodes.iter_mut().filter_map(|node| node.skin.as_mut()) {
            *skin = skins.get(*skin).copied().unwrap_or(*skin);
        }
        for joint in self.skins.iter_mut().flat_map(|skin| &mut skin.joints) {
            *joint = new.get(*joint).copied().unwrap_or(*joint);
        }
    }

    /// Removes meshes, materials and images that no node uses.
    fn drop_unused(&mut self) {
        let mut is_used = vec![false; self.meshes.len()];
        let used = self.nodes.iter().filter_map(|node| node.mesh);
        used.for_each(|mesh| is_used.get_mut(mesh).into_iter().for_each(|is_used| *is_used = true));
        let meshes = compact(&mut self.meshes, &is_used);
        for mesh in self.nodes.iter_mut().filter_map(|node| node.mesh.as_mut()) {
            *mesh = meshes.get(*mesh).copied().unwrap_or(*mesh);
        }
        let mut is_used = vec![false; self.materials.len()];
        let primitives = self.primitives();
        let used = primitives.filter_map(|primitive| primitive.material);
        used.for_each(|of| is_used.get_mut(of).into_iter().for_each(|is_used| *is_used = true));
        let materials = compact(&mut self.materials, &is_used);
        let primitives = self.primitives_mut();
        for material in primitives.filter_map(|primitive| primitive.material.as_mut()) {
            *material = materials.get(*material).copied().unwrap_or(*material);
        }
        self.drop_unused_images();
    }
}
