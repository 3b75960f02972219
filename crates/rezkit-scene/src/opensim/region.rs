//! A region: the files of an archive that contain its objects, and its ground.

use std::fmt::Write as _;

use geom::TriMesh;
use rbxblobs::terrain::STEPS;
use rezkit_core::{Error, ErrorKind, Loss, Reference, Result};

use super::Building;
use super::xml::{self, Element};
use crate::forms::{MOST_TRIANGLES, Terrain};
use crate::model::{Material, Mesh, Node, Primitive, Scene};

/// The beginning of a document that [`region`] writes.
pub(super) const REGION: &str = "<scene><Regions>";

/// The extra of the node of a ground: its number of columns.
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

/// Samples the grounds of regions at the step of an option; returns what is approximated.
///
/// # Errors
/// [`Argument`](ErrorKind::Argument) if the step is not 1, 2, 4 or 8.
pub fn sample_ground(scene: &mut Scene, terrain: Terrain) -> Result<Vec<Loss>> {
    let Scene { nodes, meshes, .. } = scene;
    let mut losses = Vec::new();
    for node in nodes {
        let columns = node.extras.get(GROUND).and_then(serde_json::Value::as_u64).unwrap_or(0) as usize;
        let of_node = node.mesh.filter(|_| columns > 1).and_then(|mesh| meshes[mesh].primitives.first_mut());
        let Some(primitive) = of_node else { continue };
        let rows = primitive.mesh.positions.len() / columns;
        let triangles = |step: usize| 2 * (columns - 1).div_ceil(step) * (rows - 1).div_ceil(step);
        let mut steps = STEPS.map(|step| step as usize).into_iter();
        let step = match terrain {
            Terrain::Step(wanted) => steps.find(|step| *step == wanted as usize).ok_or_else(|| {
                let what = format!("expected a step of 1, 2, 4 or 8 metres, found {wanted}");
                Error::argument(what).at("terrain")
            })?,
            _ => steps.find(|step| triangles(*step) as u64 <= MOST_TRIANGLES).unwrap_or(8),
        };
        if step == 1 {
            continue;
        }
        let mut mesh = TriMesh::default();
        for y in samples(rows, step) {
            for at in samples(columns, step).map(|x| y * columns + x) {
                mesh.positions.push(primitive.mesh.positions[at]);
                mesh.uvs.push(primitive.mesh.uvs[at]);
            }
        }
        primitive.mesh = surface(mesh, samples(columns, step).count()).into();
        let what = format!(
            "the ground becomes a surface of {} triangles (one sample per {step} x {step} metres; to change this, set the \
             option terrain, --terrain)",
            triangles(step)
        );
        losses.push(Loss::approximated(node.name.as_str(), what).id("opensim.ground-samples"));
    }
    Ok(losses)
}

/// Every sample of a step, and the last.
fn samples(count: usize, step: usize) -> impl Iterator<Item = usize> {
    (0..count - 1).step_by(step).chain([count - 1])
}

/// The surface of vertices in rows.
fn surface(mut mesh: TriMesh, columns: usize) -> TriMesh {
    for at in (0..mesh.positions.len() - columns).filter(|at| at % columns != columns - 1) {
        let [a, b, c, d] = [at, at + 1, at + columns, at + columns + 1].map(|corner| corner as u32);
        mesh.triangles.extend([[a, b, d], [a, d, c]]);
    }
    mesh.normals = mesh.area_weighted_normals();
    mesh
}

/// Collects the sizes of regions below an element, in metres.
fn sizes(element: &Element, found: &mut Vec<[usize; 2]>) {
    if element.name == "size_in_meters"
        && let Some((x, y)) = element.text.split_once(',')
        && let (Ok(x), Ok(y)) = (x.trim().parse(), y.trim().parse())
    {
        found.push([x, y]);
    }
    element.children.iter().for_each(|child| sizes(child, found));
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
        let sizes = files("Ground").next().map_or(Ok(Vec::new()), |path| self.sizes(path))?;
        files("Ground").try_for_each(|path| {
            self.inside(path, |building, name, bytes| building.ground(name, bytes, &sizes))
        })?;
        if let Some(count) = root.number("Regions").filter(|count| *count > 1.0) {
            let what = format!(
                "the objects of {count} regions, which lie on one another: each region begins at 0, 0"
            );
            self.reading.losses.push(Loss::approximated("archive.xml", what).id("opensim.regions"));
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
            self.reading.losses.push(Loss::missing(name, "a file of the region").id("file.missing"));
            return Ok(());
        };
        self.reading.budget.work(bytes.len() as u64, name)?;
        with(self, name, bytes)
    }

    /// Lists a file of the archive that cannot be read. If nothing can be read, this is the error.
    pub(super) fn skip(&mut self, path: &str, error: Error) -> Result<()> {
        if error.kind() != ErrorKind::Unreadable {
            return Err(error.at(path));
        }
        self.reading.losses.push(
            Loss::new(path, format!("a file that cannot be read: {error}"))
                .id("file.unreadable")
                .because(error.is_limit()),
        );
        self.unread.get_or_insert_with(|| error.at(path));
        Ok(())
    }

    /// The sizes of regions that the `archive.xml` of a ground's archive states; none if it cannot be read.
    fn sizes(&mut self, ground: &str) -> Result<Vec<[usize; 2]>> {
        let up = ground.len() - ground.trim_start_matches("../").len();
        let path = format!("{}archive.xml", &ground[..up]);
        let left = self.reading.budget.left();
        let bytes = self.reading.sources.get(&Reference::Beside(path), left).unwrap_or_default();
        let bytes = bytes.unwrap_or_default();
        self.reading.budget.work(bytes.len() as u64, "archive.xml")?;
        let mut found = Vec::new();
        match xml::parse(&bytes, self.reading.budget) {
            Ok(root) => sizes(&root, &mut found),
            Err(error) if error.kind() == ErrorKind::Limit => return Err(error.at("archive.xml")),
            Err(_) => {}
        }
        self.reading.budget.give_back(left - self.reading.budget.left());
        Ok(found)
    }

    /// Adds the ground of a region: its heights, one for each metre, from the south-west to the east. Its size is the one of
    /// `sizes` that has as many heights; otherwise, it is square.
    fn ground(&mut self, name: &str, bytes: Vec<u8>, sizes: &[[usize; 2]]) -> Result<()> {
        let (heights, rest) = bytes.as_chunks::<4>();
        let side = heights.len().isqrt();
        let is_size = |[x, y]: &[usize; 2]| {
            *x > 1 && *y > 1 && x.checked_mul(*y) == Some(heights.len()) && rest.is_empty()
        };
        let Some([columns, rows]) = sizes.iter().copied().chain([[side; 2]]).find(is_size) else {
            let what = "expected the heights of a square region, or of one with the size in archive.xml";
            return self.skip(name, Error::unreadable(what));
        };
        // A vertex has a position, a normal and texture coordinates, and two triangles.
        self.reading.budget.take(bytes.len() as u64 + heights.len() as u64 * (32 + 24), name)?;
        let mut mesh = TriMesh::default();
        for (at, height) in heights.iter().enumerate() {
            let [x, y] = [at % columns, at / columns].map(|metres| metres as f32);
            let height = f32::from_le_bytes(*height);
            mesh.positions.push([x, if height.is_finite() { height } else { 0.0 }, -y].into());
            mesh.uvs.push([x / (columns - 1) as f32, 1.0 - y / (rows - 1) as f32].into());
        }
        let mesh = surface(mesh, columns);
        let file = name.rsplit('/').next().unwrap_or(name);
        let title = format!("ground of {}", file.strip_suffix(".r32").unwrap_or(file));
        self.scene.materials.push(Material { name: "ground".into(), ..Material::default() });
        let primitives = vec![Primitive::new(mesh, Some(self.scene.materials.len() - 1))];
        let mesh = self.scene.add_mesh(Mesh { name: title.clone(), primitives, ..Mesh::default() });
        let extras = [(GROUND.to_owned(), columns.into())].into();
        self.scene.add_node(None, Node { name: title, mesh: Some(mesh), extras, ..Node::default() });
        self.reading.losses.push(Loss::new(name, "the textures of the ground").id("opensim.ground"));
        Ok(())
    }
}
