//! A region: the files of an archive that contain its objects, and its ground.

use std::fmt::Write as _;

use geom::TriMesh;
use rezkit_core::{Error, Loss, Reference, Result};

use super::Building;
use super::xml::{self, Element};
use crate::model::{Material, Mesh, Node, Primitive, Scene};

/// The beginning of a document that [`region`] writes.
pub(super) const REGION: &str = "<scene><Regions>";

/// The extra of the node of a ground.
const GROUND: &str = "opensim_ground";

/// The document of some regions, which are read as one. `objects` and `grounds` (files of heights, `.r32`) are the paths
/// of files relative to the document.
pub fn region(regions: usize, objects: &[String], grounds: &[String]) -> Vec<u8> {
    let mut text = format!("{REGION}{regions}</Regions>");
    for (name, files) in [("Objects", objects), ("Ground", grounds)] {
        for file in files {
            let file = file.replace('&', "&amp;").replace('<', "&lt;");
            let _ = write!(text, "<{name}>{file}</{name}>");
        }
    }
    (text + "</scene>").into_bytes()
}

/// Removes the grounds of regions from a scene, where they are last; returns whether there was one.
pub fn without_ground(scene: &mut Scene) -> bool {
    let count = scene.nodes.len();
    while scene.nodes.pop_if(|node| node.extras.contains_key(GROUND)).is_some() {
        scene.roots.retain(|root| *root != scene.nodes.len());
        let material = scene.meshes.pop().and_then(|mesh| mesh.primitives.first()?.material);
        material.into_iter().for_each(|material| scene.materials.truncate(material));
    }
    scene.nodes.len() < count
}

impl Building<'_, '_> {
    /// Reads what a document of [`region`] names. A file that cannot be read is listed.
    pub(super) fn region(&mut self, root: &Element) -> Result<()> {
        let files =
            |name| root.children.iter().filter(move |child| child.name == name).map(|child| &*child.text);
        for path in files("Objects") {
            self.inside(path, |building, name, bytes| {
                let before = building.reading.budget.left();
                let file = xml::parse(&bytes, building.reading.budget);
                let held = before - building.reading.budget.left();
                drop(bytes);
                match file {
                    Ok(file) => building.objects(&file, true)?,
                    Err(error) => building.skip(name, error)?,
                }
                building.reading.budget.give_back(held);
                Ok(())
            })?;
        }
        files("Ground").try_for_each(|path| self.inside(path, Self::ground))?;
        if let Some(count) = root.number("Regions").filter(|count| *count > 1.0) {
            let what = format!(
                "the objects of {count} regions, which lie on one another: each region begins at 0, 0"
            );
            self.reading.losses.push(Loss::approximated("archive.xml", what));
        }
        Ok(())
    }

    /// Calls a function with a file of the archive, its path and its bytes.
    fn inside(
        &mut self,
        path: &str,
        with: impl FnOnce(&mut Self, &str, Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let name = path.trim_start_matches("../");
        let left = self.reading.budget.left();
        let found = self.reading.sources.get(&Reference::Beside(path.to_owned()), left);
        let Some(bytes) = found.map_err(|error| error.at(name))? else {
            self.reading.losses.push(Loss::missing(name, "a file of the region"));
            return Ok(());
        };
        self.reading.budget.work(bytes.len() as u64, name)?;
        with(self, name, bytes)
    }

    /// Lists a file of the archive that cannot be read. If nothing can be read, this is the error.
    pub(super) fn skip(&mut self, path: &str, error: Error) -> Result<()> {
        if error.kind() != rezkit_core::ErrorKind::Unreadable {
            return Err(error.at(path));
        }
        self.reading
            .losses
            .push(Loss::new(path, format!("a file that cannot be read: {error}")).because(&error));
        self.unread.get_or_insert_with(|| error.at(path));
        Ok(())
    }

    /// Adds the ground of a region: its heights, one for each metre, from the south-west to the east.
    fn ground(&mut self, name: &str, bytes: Vec<u8>) -> Result<()> {
        let (heights, rest) = bytes.as_chunks::<4>();
        let side = heights.len().isqrt();
        if side < 2 || side * side != heights.len() || !rest.is_empty() {
            return self.skip(name, Error::unreadable("expected the heights of a square region"));
        }
        // A vertex has a position, a normal and texture coordinates, and two triangles.
        self.reading.budget.take(bytes.len() as u64 + heights.len() as u64 * (32 + 24), name)?;
        let mut mesh = TriMesh::default();
        for (at, height) in heights.iter().enumerate() {
            let [x, y] = [at % side, at / side].map(|metres| metres as f32);
            let height = f32::from_le_bytes(*height);
            mesh.positions.push([x, if height.is_finite() { height } else { 0.0 }, -y].into());
            let last = (side - 1) as f32;
            mesh.uvs.push([x / last, 1.0 - y / last].into());
        }
        for at in (0..heights.len() - side).filter(|at| at % side != side - 1) {
            let [a, b, c, d] = [at, at + 1, at + side, at + side + 1].map(|corner| corner as u32);
            mesh.triangles.extend([[a, b, d], [a, d, c]]);
        }
        mesh.normals = mesh.area_weighted_normals();
        let file = name.rsplit('/').next().unwrap_or(name);
        let title = format!("ground of {}", file.strip_suffix(".r32").unwrap_or(file));
        self.scene.materials.push(Material { name: "ground".into(), ..Material::default() });
        let primitives = vec![Primitive::new(mesh, Some(self.scene.materials.len() - 1))];
        let mesh = self.scene.add_mesh(Mesh { name: title.clone(), primitives, ..Mesh::default() });
        let extras = [(GROUND.to_owned(), true.into())].into();
        self.scene.add_node(None, Node { name: title, mesh: Some(mesh), extras, ..Node::default() });
        self.reading.losses.push(Loss::new(name, "the textures of the ground"));
        Ok(())
    }
}
