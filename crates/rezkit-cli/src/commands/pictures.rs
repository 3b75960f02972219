//! The pictures of `rezkit diff`: before, after, and what changed.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use geom::{Aabb, TriMesh, Vec3};
use rezkit::render::{Renderer, Sheet};
use rezkit::scene::{Material, Mesh, Node, Placed, Primitive, Scene, images};
use rezkit::{ErrorKind, Opened, PictureOptions, SceneOptions};

use crate::outcome::Error;

/// The frame is this many times as wide as what changed.
const AROUND: f32 = 2.0;

const GREY: [f32; 4] = [0.5, 0.5, 0.5, 1.0];
const ORANGE: [f32; 4] = [1.0, 0.25, 0.0, 1.0];
const RED: [f32; 4] = [0.6, 0.0, 0.05, 1.0];

/// A hash of each thing that is drawn in a scene: its place and its look.
fn drawn(scene: &Scene) -> Vec<u64> {
    let bits = |hasher: &mut DefaultHasher, of: &[f32]| of.iter().for_each(|of| of.to_bits().hash(hasher));
    let look = |mesh: &Mesh| {
        let mut hasher = DefaultHasher::new();
        for Primitive { mesh, material, .. } in &mesh.primitives {
            mesh.positions.iter().for_each(|at| bits(&mut hasher, &at.to_array()));
            mesh.triangles.hash(&mut hasher);
            format!("{:?}", mesh.colors).hash(&mut hasher);
            let material = material.and_then(|index| scene.materials.get(index)).cloned().unwrap_or_default();
            let image = material.base_texture.as_ref().and_then(|of| scene.images.get(of.image));
            format!("{:?}", image.map(|image| &image.data)).hash(&mut hasher);
            bits(&mut hasher, &material.base_color);
            bits(&mut hasher, &material.emissive);
            bits(&mut hasher, &[material.metallic, material.roughness]);
        }
        hasher.finish()
    };
    let looks: Vec<u64> = scene.meshes.iter().map(look).collect();
    let key = |placed: Placed| {
        let mut hasher = DefaultHasher::new();
        looks.get(placed.mesh).hash(&mut hasher);
        placed.world.iter().for_each(|column| bits(&mut hasher, column));
        hasher.finish()
    };
    scene.placed().into_iter().map(key).collect()
}

/// Whether each thing that one scene draws is not in the other one.
fn only(one: &[u64], other: &[u64]) -> Vec<bool> {
    let mut there: HashMap<u64, usize> = HashMap::new();
    other.iter().for_each(|of| *there.entry(*of).or_default() += 1);
    let mut is_new = |of: &u64| match there.get_mut(of) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    one.iter().map(&mut is_new).collect()
}

/// A sheet of three pictures with one camera: the old file, the new one, and the new one in grey with what it adds or
/// changes in orange and what it lacks in red. `None` if nothing that can be seen differs.
pub(super) fn changes(
    old: &mut Opened<'_>,
    new: &mut Opened<'_>,
    max_bytes: u64,
) -> Result<Option<Vec<u8>>, Error> {
    let scene = |opened: &mut Opened<'_>| -> Result<(Scene, Vec<u64>), Error> {
        let (scene, _) = match opened.scene(&SceneOptions::default()) {
            Err(error) if error.kind() == ErrorKind::Empty => (Scene::default(), Vec::new()),
            made => made?,
        };
        let drawn = drawn(&scene);
        Ok((scene, drawn))
    };
    let ((old, before), (new, after)) = (scene(old)?, scene(new)?);
    let (removed, added) = (only(&before, &after), only(&after, &before));
    let (mut same, mut other, mut gone) = (TriMesh::default(), TriMesh::default(), TriMesh::default());
    for (scene, is_other, to) in
        [(&new, &added, [&mut same, &mut other]), (&old, &removed, [&mut TriMesh::default(), &mut gone])]
    {
        let [same, other] = to;
        for (primitives, &is_other) in scene.posed(&scene.pose()).zip(is_other) {
            let to = if is_other { &mut *other } else { &mut *same };
            for Primitive { mesh, .. } in primitives {
                let plain = TriMesh { colors: Vec::new(), ..(*mesh).clone() };
                rezkit::scene::append(to, &plain);
            }
        }
    }
    let changed = other.positions.iter().chain(&gone.positions).copied();
    let Some(bounds) = Aabb::from_points(changed) else { return Ok(None) };
    let mut marked = Scene::default();
    marked.front = new.front;
    let mut mesh = Mesh::default();
    for (part, base_color) in [(same, GREY), (other, ORANGE), (gone, RED)] {
        if !part.triangles.is_empty() {
            marked.materials.push(Material { base_color, double_sided: true, ..Material::default() });
            mesh.primitives.push(Primitive::new(part, Some(marked.materials.len() - 1)));
        }
    }
    let mesh = marked.add_mesh(mesh);
    marked.add_node(None, Node { mesh: Some(mesh), ..Node::default() });
    let mut options = PictureOptions::default().of(&marked, &[])?;
    options.frame = Some(around(bounds));
    let mut sheet = Sheet::new(options.width, options.height, options.background, max_bytes);
    for (name, scene) in [("before", &old), ("after", &new), ("changed (orange), removed (red)", &marked)] {
        sheet.push(name, images::png(&Renderer::new(scene, max_bytes)?.draw(&options)?)?)?;
    }
    Ok(Some(sheet.png()?))
}

/// What changed, with its surroundings.
fn around(Aabb { min, max }: Aabb) -> Aabb {
    let [min, max] = [min.to_array(), max.to_array()];
    let widest = (0..3).map(|axis| max[axis] - min[axis]).fold(0.0, f32::max) * AROUND;
    let mut box_ = [min, max];
    for axis in 0..3 {
        let middle = (min[axis] + max[axis]) / 2.0;
        box_[0][axis] = middle - widest / 2.0;
        box_[1][axis] = middle + widest / 2.0;
    }
    let [min, max] = box_.map(Vec3::from);
    Aabb { min, max }
}
