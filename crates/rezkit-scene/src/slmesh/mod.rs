//! Converts Second Life meshes to scenes, and back.
//!
//! In Second Life, z is up; in glTF, y. The root node rotates the asset, so that the coordinates of
//! vertices do not change. If the object has the scale 1, a unit of the scene is a metre.

mod changed;
mod fitted;
mod forms;
mod keys;
mod known;
mod level;
mod linkset;
pub mod material;
mod motion;
mod names;
mod parts;
mod playback;
mod poser;
mod retarget;
mod rig;
mod skeleton;
mod track;
mod unread;
mod uploaded;

pub use changed::ChangeOptions;
pub(crate) use changed::{fits, mirror_playback};
use known::keep_joints;
pub use known::{keep_known_joints, name_joints};
use level::add_level;
pub use material::{material_from_asset, material_to_asset};
pub use motion::{motion_from_scene, motion_to_scene};
pub use names::JointNames;
pub use parts::{Built, Extent};
pub(crate) use playback::for_roblox;
pub use playback::{Loop, MotionOptions, hand_pose};
pub use poser::{is_pose, pose_to_motion};
pub(crate) use retarget::{quarters, skeleton};
pub use skeleton::override_joints;
pub use slmesh::motion::HAND_POSES;
pub use uploaded::forget_bvh;
pub(crate) use uploaded::is_pelvis;

use crate::features::Feature;
use forms::KEEPS;
pub use forms::{ANIM, LLMESH, MATERIAL, SLM};
use rezkit_core::{Advice, Budget, Error, Result};
use std::collections::{HashMap, HashSet};

use geom::TriMesh;
use glam::{Mat4, Quat, Vec4};
use slmesh::{Asset, Builder, Level, Lod, MAX_FACES, MAX_HULL_POINTS, Skin as SlSkin, Slm};

use super::hull::Hull;
use super::model::{Levels, Material, Mesh, Node, Pose, Primitive, Scene, Skin, Transform};
use super::skins::{Joined, bind_to};
pub use known::Known;
pub use parts::{BEYOND_LEVELS, BOUNDS, LEVEL_SUFFIXES, hull_of, is_beyond_levels, is_physics, level_name};
use parts::{FRONT, HULL, Piece, cost, flattened, level_of, rows};
use rezkit_core::Loss;

/// The rotation from z up to y up.
fn upright() -> Quat {
    Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2)
}

/// The matrix from y up to z up. A quaternion would not be exact: a flat mesh would get some thickness, and would be
/// stretched to a cube.
fn lying() -> Mat4 {
    Mat4::from_cols(Vec4::X, Vec4::Z, -Vec4::Y, Vec4::W)
}

/// The size of a rig relative to the avatar's skeleton, and the rotation from the skeleton to the rig (x, y, z, w; z
/// up). `None` if the rig has fewer than two of the avatar's bones. `at_rest` is [`Scene::at_rest`].
pub fn rig(scene: &Scene, at_rest: &[[[f32; 4]; 4]], skin: &Skin) -> Option<(f32, [f32; 4])> {
    rig::fit(scene, at_rest, skin).map(|fit| (fit.scale, fit.turn.to_array()))
}

/// The suffixes of the levels.
const SUFFIXES: [(Lod, &str); 4] = {
    let [high, medium, low, lowest] = LEVEL_SUFFIXES;
    [(Lod::High, high), (Lod::Medium, medium), (Lod::Low, low), (Lod::Lowest, lowest)]
};

/// The size of the geometry before it was scaled to fit a cube of 1 m, as the finest level states it.
///
/// The bind shape matrix of a rigged asset contains its size.
fn size(asset: &Asset, losses: &mut Vec<Loss>) -> [f32; 3] {
    let (lod, level) = asset.levels().next_back().unzip();
    let faces = level.into_iter().flat_map(|level: &Level| &level.submeshes).enumerate();
    let mut stated = faces.filter_map(|(face, submesh)| Some((face, submesh.normalized_scale?)));
    let is_rigged = asset.skin.as_ref().is_some_and(|skin| !skin.joint_names.is_empty());
    let Some((_, size)) = stated.next().filter(|_| !is_rigged) else { return [1.0; 3] };
    for (face, other) in stated {
        if size.iter().zip(other).any(|(size, other)| (size - other).abs() > size.abs() * 1e-3) {
            let path =
                format!("{}[{face}].NormalizedScale", lod.map(|lod| lod.to_string()).unwrap_or_default());
            losses.push(Loss::new(path, "a size that is not that of the first face").id("sl.malformed"));
        }
    }
    #[allow(clippy::cast_possible_truncation, reason = "a scene has 32 bits")]
    let size = size.map(|size| size as f32);
    // The viewer writes none of these.
    let is_size = size.iter().all(|size| *size > 0.0 && *size < 1e6);
    if is_size { size } else { [1.0; 3] }
}

/// Converts an asset to a scene, with the size that its field `NormalizedScale` states.
///
/// Levels have the suffixes by which the viewer's uploader pairs them (`_LOD2`, `_LOD1`,
/// `_LOD0`, `_PHYS`). Each face is a primitive with its own material; corresponding faces of different levels share the
/// material. If `hulls` is set, convex hulls are nodes with `_HULL` and a number after the name, and the bounding hull
/// is a node with `_BOUNDS`.
///
/// # Errors
/// [`Limit`](rezkit_core::ErrorKind::Limit) if the budget does not suffice.
pub fn to_scene(
    asset: &Asset,
    name: &str,
    levels: Levels,
    hulls: bool,
    budget: &mut Budget,
) -> Result<(Scene, Vec<Loss>)> {
    let mut losses = Vec::new();
    let scale = size(asset, &mut losses);
    let (scene, lost) = scaled(asset, name, levels, hulls, scale, budget)?;
    losses.extend(lost);
    Ok((scene, losses))
}

/// Converts an asset to a scene, with this size of the cube that it fits.
fn scaled(
    asset: &Asset,
    name: &str,
    levels: Levels,
    hulls: bool,
    scale: [f32; 3],
    budget: &mut Budget,
) -> Result<(Scene, Vec<Loss>)> {
    budget.take(cost(asset, name), "the meshes")?;
    let mut scene = Scene { name: name.to_owned(), ..Scene::default() };
    let mut losses = Vec::new();
    let turned = Transform { rotation: upright().into(), scale, ..Transform::default() };
    let skin = asset.skin.as_ref().filter(|skin| !skin.joint_names.is_empty());
    if let Some(skin) = skin {
        skeleton::add_skin(skin, turned, &mut scene, &mut losses);
        scene.front = FRONT;
    }
    let faces = asset.levels().map(|(_, level)| level.submeshes.len()).max().unwrap_or(0);
    let names = asset.material_list.as_deref().unwrap_or_default();
    let name_of = |face: usize| names.get(face).map_or_else(|| format!("face {face}"), ToString::to_string);
    let material = |face| Material { name: name_of(face), ..Material::default() };
    scene.materials = (0..faces).map(material).collect();
    let there = SUFFIXES.into_iter().filter_map(|(lod, suffix)| Some((lod, suffix, asset.level(lod)?)));
    for (index, (lod, suffix, level)) in there.enumerate() {
        let wanted = match levels {
            Levels::Finest => index == 0,
            Levels::All => true,
            Levels::One(level) => index == level,
        };
        if !wanted {
            losses.push(
                Loss::new(lod.to_string(), "a level of detail").id("scene.levels").advise(Advice::AllLevels),
            );
            continue;
        }
        let empty = (0..).zip(&level.submeshes).filter(|(_, face)| index == 0 && face.triangles.is_empty());
        losses.extend(empty.map(|(face, _): (usize, _)| {
            Loss::new(format!("{lod}[{face}]"), "a face without triangles").id("mesh.empty")
        }));
        let place = (format!("{name}{suffix}"), lod.key());
        add_level(level, place, skin, turned, &mut scene, &mut losses);
    }
    match &asset.physics_mesh {
        Some(level) if levels == Levels::All => {
            let place = (format!("{name}_PHYS"), "physics_mesh");
            let shape = skin.map_or(Mat4::IDENTITY, skeleton::bind_shape);
            let bound = Transform::of(turned.mat4() * shape);
            add_level(level, place, None, bound, &mut scene, &mut losses);
        }
        Some(_) => {
            losses.push(
                Loss::new("physics_mesh", "the physics mesh")
                    .id("sl.physics-shape")
                    .advise(Advice::AllLevels),
            );
        }
        None => {}
    }
    match &asset.physics_convex {
        Some(convex) if hulls => {
            // Where the skin puts the mesh.
            let placed = |point| skin.map_or(point, |skin| skin.bind_pose(point));
            let mut add =
                |points: Vec<geom::Vec3>, suffix: String, path: String| match Hull::mesh_around(points) {
                    Some(mesh) => {
                        let name = format!("{name}{suffix}");
                        let primitives = vec![Primitive { mesh: mesh.into(), ..Primitive::default() }];
                        let mesh =
                            Some(scene.add_mesh(Mesh { name: name.clone(), primitives, ..Mesh::default() }));
                        scene.add_node(None, Node { name, transform: turned, mesh, ..Node::default() });
                    }
                    None => losses.push(Loss::new(path, "a convex hull without a volume").id("sl.flat")),
                };
            if !convex.bounding.is_empty() {
                let path = "physics_convex.bounding".into();
                add(convex.bounding_points().map(placed).collect(), BOUNDS.into(), path);
            }
            for (index, points) in convex.hull_points().enumerate() {
                let path = format!("physics_convex.hulls[{index}]");
                add(points.map(placed).collect(), format!("{HULL}{index}"), path);
            }
        }
        Some(_) => {
            let what = "the convex hulls (use `--hulls` (library option: `hulls`) to include them)";
            losses.push(Loss::new("physics_convex", what).id("sl.physics-shape"));
        }
        None => {}
    }
    losses.extend(parts::unread(asset));
    Ok((scene, losses))
}

/// Converts a file of the viewer's uploader to a scene: each instance is placed with its mesh.
///
/// # Errors
/// As [`to_scene`].
pub fn slm_to_scene(
    slm: &Slm,
    levels: Levels,
    hulls: bool,
    budget: &mut Budget,
) -> Result<(Scene, Vec<Loss>)> {
    let mut scene = Scene::default();
    let mut losses = Vec::new();
    let turned = Transform { rotation: upright().into(), ..Transform::default() };
    let top = scene.add_node(None, Node { name: "model".into(), transform: turned, ..Node::default() });
    for (index, instance) in slm.instances.iter().enumerate() {
        let mesh = instance.mesh_id.and_then(|mesh| usize::try_from(mesh).ok());
        let Some((mesh, asset)) = mesh.and_then(|mesh| Some((mesh, slm.meshes.get(mesh)?))) else {
            losses.push(
                Loss::new(format!("instances[{index}]"), "an instance of a mesh that does not exist")
                    .id("sl.object"),
            );
            continue;
        };
        let label = instance.label.as_ref().map(ToString::to_string).unwrap_or_default();
        // The transform of the instance contains the size.
        let (part, lost) = scaled(asset, &label, levels, hulls, [1.0; 3], budget)?;
        losses.extend(lost.into_iter().map(|loss| loss.below(|path| format!("meshes[{mesh}].{path}"))));
        if instance.material.is_some() {
            let what = "the materials of an object, which are not converted";
            losses.push(Loss::new(format!("instances[{index}].material"), what).id("sl.object"));
        }
        // The transform is for row vectors, with z up; the mesh below it was already rotated to y up.
        #[allow(clippy::cast_possible_truncation, reason = "a scene has 32 bits")]
        let matrix =
            instance.transform.map(|numbers| Mat4::from_cols_array(&numbers.map(|number| number as f32)));
        let matrix = matrix.unwrap_or_default() * lying();
        let transform = Transform::of(matrix);
        if transform.lacks_shear_of(matrix) {
            let what = "the shear of the instance is dropped: only translation, rotation and scale are kept";
            losses.push(Loss::approximated(format!("instances[{index}].transform"), what).id("scene.shear"));
        }
        let node = scene.add_node(Some(top), Node { name: label, transform, ..Node::default() });
        scene.absorb(part, node);
    }
    if !scene.skins.is_empty() {
        scene.front = FRONT;
    }
    // A skinned mesh follows its joints, not its node.
    let skinned: HashSet<usize> =
        (0..scene.nodes.len()).filter(|&node| scene.nodes[node].skin.is_some()).collect();
    scene.nodes.iter_mut().for_each(|node| node.children.retain(|child| !skinned.contains(child)));
    let mut skinned: Vec<usize> = skinned.into_iter().collect();
    skinned.sort_unstable();
    scene.roots.extend(skinned);
    Ok((scene, losses))
}

/// Converts a scene to an asset. Nodes whose names end in `_LOD2`, `_LOD1` or `_LOD0` are lower levels; `_PHYS` is the
/// mesh for physics; `_HULL` with a number, and `_BOUNDS`, are convex hulls; all other nodes are the finest level. Each
/// primitive of the finest level is a face. A primitive of a lower level belongs to the face with the same material
/// whose node has the same name without the suffix.
///
/// # Errors
/// If there are no triangles for the finest level, or more than the format can represent; and if a lower
/// level has a node or a material that the finest level lacks.
pub fn from_scene(scene: &Scene, budget: &mut Budget) -> Result<(Asset, Vec<Loss>)> {
    let (asset, Built { features: mut losses, losses: more, extent, .. }) = single(scene, budget)?;
    losses.extend(more);
    if let Some([[x, y, z], _]) = extent {
        let [a, b, c] = [x, y, z].map(short);
        let what = format!(
            "scaled and centred to fit a cube of 1 m (the field NormalizedScale stores the factors that \
             restore the size: {a}, {b}, {c})"
        );
        let loss = Loss::approximated("positions", what).id("sl.scaled").about([Feature::Size.title()]);
        // A non-uniform scale changes normals.
        let is_even = [y, z].iter().all(|size| (size - x).abs() <= x * 1e-3);
        losses.push(if is_even { loss } else { loss.about([Feature::Normals.title()]) });
    }
    Ok((asset, losses))
}

/// A number with four significant digits.
fn short(number: f64) -> f32 {
    format!("{number:.3e}").parse().unwrap_or(number as f32)
}

/// A scene as one asset. The result lists all losses, those of features apart from the others.
fn single(scene: &Scene, budget: &mut Budget) -> Result<(Asset, Built)> {
    let mut built = built(scene, true, budget)?;
    let mut losses = std::mem::take(&mut built.losses);
    for (path, count) in std::mem::take(&mut built.degenerate) {
        let what = "degenerate triangles, because the viewer refuses the upload if the physics mesh has any";
        losses.push(Loss::new(path, what).id("sl.degenerate-triangles").times(count));
    }
    for (path, count) in std::mem::take(&mut built.hulls) {
        losses.push(
            Loss::approximated(
                path,
                format!("a hull of {count} points, reduced to at most {MAX_HULL_POINTS} points"),
            )
            .id("sl.coarser-hulls"),
        );
    }
    match (built.assets.pop(), built.assets.len()) {
        (Some(asset), 0) => Ok((asset, Built { losses, ..built })),
        (_, more) => {
            let what = format!(
                "an asset has at most eight faces of 21,844 triangles each, so the model needs {} assets, but a \
                 conversion writes only one: write several with `rezkit sl`, or merge materials, simplify the \
                 meshes or split the model",
                more + 1
            );
            Err(Error::unwritable(what).at("high_lod"))
        }
    }
}

/// Converts a scene to assets like [`from_scene`], for any number of faces.
///
/// # Errors
/// As [`from_scene`], but more than eight faces are allowed; and if the budget does not suffice.
pub fn build(scene: &Scene, budget: &mut Budget) -> Result<Built> {
    built(scene, false, budget)
}

/// The shapes of a scene by their use in an asset.
#[derive(Default)]
struct Shapes<'s> {
    levels: [Vec<Piece<'s>>; 4],
    physics: Vec<TriMesh>,
    /// The name of the node of each physics mesh.
    names: Vec<&'s str>,
    hulls: Vec<Vec<geom::Vec3>>,
    bounding: Vec<geom::Vec3>,
    /// The names of hulls with too many points, and their number.
    large: Vec<(String, usize)>,
}

impl<'s> Shapes<'s> {
    /// The visible shapes, lying as in Second Life, with joints of the joined skin.
    fn of(
        scene: &'s Scene,
        pose: &Pose,
        upright: &[Mat4],
        joined: Option<&Joined>,
        losses: &mut Vec<Loss>,
    ) -> Self {
        let mut shapes = Self::default();
        // Computed once per skin, when a mesh first uses it.
        let mut joints: HashMap<usize, Option<Vec<Mat4>>> = HashMap::new();
        for node in scene.visible() {
            let Some(mesh) = scene.nodes[node].mesh.and_then(|mesh| scene.meshes.get(mesh)) else { continue };
            let name = &scene.nodes[node].name;
            if is_beyond_levels(&scene.nodes[node]) {
                losses.push(Loss::new(name.as_str(), BEYOND_LEVELS).id("sl.beyond-levels"));
                continue;
            }
            let (lod, stem) = level_of(name);
            for (part, primitive) in mesh.primitives.iter().enumerate() {
                let path = format!("nodes[{node}].primitives[{part}]");
                let bound = scene.nodes[node].skin.filter(|_| !primitive.mesh.joints.is_empty());
                // Uses the shape at rest: the skeleton of Second Life has its own rest pose, without rotations.
                let matrices = bound.and_then(|skin| {
                    joints.entry(skin).or_insert_with(|| scene.joint_matrices(skin, upright)).as_deref()
                });
                let mesh = super::pose::morphed(primitive, scene.weights_of(node, pose));
                let placed = super::pose::deformed(&mesh, upright[node], matrices);
                if name.ends_with("_PHYS") {
                    shapes.physics.push(placed);
                    shapes.names.push(name);
                } else if hull_of(name).is_some() {
                    shapes.add_hull(name, placed.positions, path, losses);
                } else if name.ends_with(BOUNDS) {
                    shapes.bounding.extend(placed.positions);
                } else {
                    let mut mesh = placed;
                    losses.extend(parts::changed(&mesh, &path));
                    mesh.colors.clear();
                    mesh.tangents.clear();
                    losses.extend(rebound(&mut mesh, joined, (node, bound), path));
                    let piece = Piece { stem, material: primitive.material, mesh };
                    shapes.levels[lod as usize].push(piece);
                }
            }
        }
        shapes
    }

    fn add_hull(&mut self, name: &str, hull: Vec<geom::Vec3>, path: String, losses: &mut Vec<Loss>) {
        let bits = hull.iter().map(|point| point.to_array().map(|n| (n + 0.0).to_bits()));
        let points = bits.collect::<HashSet<[u32; 3]>>().len();
        if points > MAX_HULL_POINTS {
            self.large.push((name.to_owned(), points));
        }
        if Hull::mesh_around(hull.iter().copied()).is_none() {
            let what = "a convex hull has no volume, because its points are on one plane: it was written unchanged; \
                        give it a thickness";
            losses.push(Loss::warning(path, what).id("sl.flat"));
        }
        self.hulls.push(hull);
    }

    /// The box around everything.
    fn bounds(&self) -> Option<geom::Aabb> {
        let pieces = self.levels.iter().flatten().map(|piece| &piece.mesh).chain(&self.physics);
        let points = pieces.flat_map(|mesh| &mesh.positions);
        geom::Aabb::from_points(points.chain(self.hulls.iter().flatten()).chain(&self.bounding).copied())
    }

    fn points_mut(&mut self) -> impl Iterator<Item = &mut geom::Vec3> {
        let pieces = self.levels.iter_mut().flatten().map(|piece| &mut piece.mesh).chain(&mut self.physics);
        let points = pieces.flat_map(|mesh| &mut mesh.positions);
        points.chain(self.hulls.iter_mut().flatten()).chain(&mut self.bounding)
    }
}

/// Binds a mesh to the joined skin, if there is one.
fn rebound(
    mesh: &mut TriMesh,
    joined: Option<&Joined>,
    (node, bound): (usize, Option<usize>),
    path: String,
) -> Option<Loss> {
    match (joined, bound) {
        (None, _) => (mesh.joints, mesh.weights) = (Vec::new(), Vec::new()),
        (Some(joined), Some(skin)) => joined.rename(skin, mesh),
        (Some(joined), None) => {
            let carrier = joined.carrier(node);
            bind_to(mesh, carrier.unwrap_or(0));
            if carrier.is_some() {
                return None;
            }
            let what = "the mesh has no skin, but other meshes have one: bound to that skin's first joint";
            return Some(Loss::approximated(path, what).id("sl.skin").about([Feature::Skins.title()]));
        }
    }
    None
}

/// The size and the middle of an asset: its coordinates are relative to them. `None` if they are the usual ones.
fn extent_of(bounds: geom::Aabb) -> Option<Extent> {
    let [low, high] = [bounds.min, bounds.max].map(|corner| corner.to_array().map(f64::from));
    // An axis without thickness is not scaled.
    let size = std::array::from_fn(|axis| if high[axis] > low[axis] { high[axis] - low[axis] } else { 1.0 });
    let extent = [size, std::array::from_fn(|axis| f64::midpoint(low[axis], high[axis]))];
    Some(extent).filter(|extent| *extent != [[1.0; 3], [0.0; 3]])
}

/// Like [`build`]. If `join` is set and there are more than eight faces, those of one material are joined.
fn built(scene: &Scene, join: bool, budget: &mut Budget) -> Result<Built> {
    // A copy of each placed mesh, and the meshes of the assets.
    budget.take(scene.placed_cost()[0].saturating_mul(2), "the asset")?;
    let features = scene.losses_but(KEEPS);
    let mut losses = Vec::new();
    let (turn, pose) = (lying(), scene.pose());
    let upright: Vec<Mat4> = scene.world(&pose.transforms).iter().map(|world| turn * *world).collect();
    let joined = scene.joined_skin()?;
    let skin = joined.as_ref().map(|joined| &joined.skin);
    let mut shapes = Shapes::of(scene, &pose, &upright, joined.as_ref(), &mut losses);
    if join && shapes.levels[Lod::High as usize].len() > MAX_FACES {
        shapes.levels = shapes.levels.map(parts::joined);
    }
    let kept = skin.and_then(|skin| {
        let meshes = shapes.levels.iter_mut().flatten().map(|piece| &mut piece.mesh);
        keep_joints(scene, skin, meshes.collect(), &mut losses)
    });
    let bounds = shapes.bounds().filter(|_| kept.is_none());
    let bounds = bounds.map(|bounds| flattened(bounds, shapes.points_mut(), &mut losses));
    // A rigged object does not collide: the box, which the builder adds, costs less.
    if shapes.bounding.is_empty() && kept.is_none() {
        shapes.bounding = parts::hull_around(&shapes.levels[Lod::High as usize], budget, &mut losses)?;
    }
    let extent = bounds.and_then(extent_of);
    let Shapes { levels, physics, names, hulls, bounding, large } = shapes;
    let faces = levels[Lod::High as usize].iter().map(|piece| piece.material).collect();
    let mut builder = Builder::new().normalize(true);
    for (lod, parts) in Lod::ALL.into_iter().zip(rows(scene, levels, &mut losses)?) {
        if !parts.is_empty() {
            builder = builder.level(lod, parts);
        }
    }
    if !bounding.is_empty() {
        builder = builder.bounding_hull(bounding);
    }
    let mut triangles: usize = 0;
    let thin = degenerate(&names, &physics);
    match (hulls.is_empty(), physics.is_empty()) {
        (false, without) => {
            builder = builder.hulls(hulls);
            if !without {
                let loss =
                    Loss::new("physics_mesh", "an asset with convex hulls cannot contain a physics mesh")
                        .id("sl.physics-shape");
                losses.push(loss.about([Feature::Nodes.title()]));
            }
        }
        (true, false) => {
            triangles = physics.iter().map(|mesh| mesh.triangles.len()).sum();
            builder = builder.physics_mesh(physics);
        }
        (true, true) => {}
    }
    if let Some((skin, kept)) = skin.zip(kept) {
        let joints = kept.into_iter().map(|(joint, name)| {
            let position = upright[skin.joints[joint]].w_axis.truncate();
            let inverse = Mat4::from_translation(-position);
            (name, geom::Mat4::from_columns(inverse.to_cols_array()))
        });
        builder = builder.skin(SlSkin::new(joints));
    }
    let assets = builder.build_all();
    let assets = assets.map_err(|error| Error::unwritable(error.kind()).at(error.path()))?;
    let written = assets.first().and_then(|asset| asset.physics_mesh.as_ref()).map(Level::triangle_count);
    let degenerate = match written.map_or(0, |written| triangles - written) {
        0 => Vec::new(),
        count if count == thin.iter().map(|(_, count)| count).sum::<usize>() => thin,
        // The builder rounds, and may disagree about triangles near the limit.
        count => vec![("physics_mesh".to_owned(), count)],
    };
    Ok(Built { assets, features, losses, degenerate, hulls: large, extent, faces })
}

/// The number of triangles in each physics mesh that the viewer considers degenerate, if it has any.
fn degenerate(names: &[&str], meshes: &[TriMesh]) -> Vec<(String, usize)> {
    let points = meshes.iter().flat_map(|mesh| &mesh.positions).copied();
    let Some(bounds) = geom::Aabb::from_points(points) else { return Vec::new() };
    let (center, size) = (bounds.center().to_array(), bounds.size().to_array());
    let mut found: Vec<(String, usize)> = Vec::new();
    for (name, mesh) in names.iter().zip(meshes) {
        let corner = |index: u32| -> [f32; 3] {
            let point = mesh.positions.get(index as usize).copied().unwrap_or_default().to_array();
            std::array::from_fn(|axis| match size[axis] {
                0.0 => 0.0,
                size => (point[axis] - center[axis]) / size * 0.5,
            })
        };
        let is_thin = |triangle: &&[u32; 3]| {
            let [a, b, c] = triangle.map(corner);
            slmesh::is_degenerate(a, b, c)
        };
        let count = mesh.triangles.iter().filter(is_thin).count();
        match found.last_mut().filter(|(last, _)| last == name) {
            Some((_, all)) => *all += count,
            None => found.push(((*name).to_owned(), count)),
        }
    }
    found.retain(|(_, count)| *count > 0);
    found
}
