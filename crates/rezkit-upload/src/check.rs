//! Checks models of any format against the requirements of platforms for uploads.
//!
//! Roblox: `create.roblox.com/docs/art/modeling/specifications`, `create.roblox.com/docs/reference/engine`
//! (size of parts). Second Life: the importers and the uploader of its viewer (`llmodelloader`,
//! `llgltfloader`, `llmodelpreview`, `lljoint.h`, `xform.h`). An error is something that the platform refuses, a
//! warning something that it changes or drops.

use std::collections::{BTreeMap, HashMap, HashSet};

use geom::{Aabb, TriMesh};
use glam::{Mat4, Vec3};

use rezkit_scene::roblox_model::{LARGEST, MOST_TRIANGLES};
use rezkit_scene::{
    Budget, ErrorKind, Finding, ImageData, Limit, Primitive, Result, Rule, Scene, images, slmesh,
};

use crate::rules::*;

/// Findings in the order in which they were found.
#[derive(Default)]
pub(crate) struct Findings(pub(crate) Vec<Finding>);

impl Findings {
    pub(crate) fn add(&mut self, rule: &Rule, path: impl Into<String>, found: impl Into<String>) {
        self.0.push(Finding::new(rule, path, found));
    }

    /// Adds a finding if an amount is more than allowed.
    pub(crate) fn at_most(
        &mut self,
        rule: &Rule,
        path: impl Into<String>,
        what: &str,
        found: usize,
        allowed: usize,
    ) {
        if found > allowed {
            self.exceeded(rule, path, what, [found as u64, allowed as u64], &found);
        }
    }

    /// Adds a finding if a size is more than allowed. `what` begins with the unit.
    pub(crate) fn too_large(
        &mut self,
        rule: &Rule,
        path: impl Into<String>,
        what: &str,
        found: f64,
        allowed: f32,
    ) {
        if found > f64::from(allowed) {
            // Rounded up, so that it is not shown as the allowed size.
            let shown = (found * 1000.0).ceil() / 1000.0;
            let shown = format!("{shown} {}", what.split(' ').next().unwrap_or_default());
            self.exceeded(rule, path, what, [found.ceil() as u64, allowed as u64], &shown);
        }
    }

    fn exceeded(
        &mut self,
        rule: &Rule,
        path: impl Into<String>,
        what: &str,
        [found, allowed]: [u64; 2],
        shown: &dyn std::fmt::Display,
    ) {
        let text = match allowed {
            0 => format!("expected no {what}, found {shown}"),
            _ => format!("expected at most {allowed} {what}, found {shown}"),
        };
        self.0.push(Finding { limit: Some(Limit { found, allowed }), ..Finding::new(rule, path, text) });
    }

    /// Adds a finding if an object is too thin along an axis. An axis without any extent does not count, since it
    /// becomes as long as the platform requires anyway.
    pub(crate) fn thin(&mut self, path: &str, sides: [f64; 3]) {
        let least = sides.into_iter().filter(|side| *side > 0.0).fold(f64::INFINITY, f64::min);
        if least < LEAST_METRES {
            let found = format!("expected at least {LEAST_METRES} m along each axis, found {least:.4} m");
            self.add(&THIN, path, found);
        }
    }
}

/// The upload rules of a platform that a scene violates: `profile` is `roblox-upload`, `roblox-import` (the
/// former, and what Studio's importer changes) or `secondlife-upload`. Empty for any other name.
///
/// # Errors
/// [`Limit`](rezkit_scene::ErrorKind::Limit) and [`Effort`](rezkit_scene::ErrorKind::Effort) if the meshes, as often as
/// they are placed, need more than is left.
pub fn check(scene: &Scene, profile: &str, budget: &mut Budget) -> Result<Vec<Finding>> {
    let mut findings = Findings::default();
    let [bytes, steps] = scene.placed_cost();
    let what = "the meshes of all nodes";
    budget.work(bytes.saturating_add(steps), what)?;
    // Each node can have a finding.
    budget.take(scene.nodes.len() as u64 * 700, "the list of findings")?;
    match profile {
        "roblox-upload" => roblox(scene, &mut findings, budget)?,
        "roblox-import" => {
            roblox(scene, &mut findings, budget)?;
            importer(scene, &mut findings);
        }
        "secondlife-upload" => {
            second_life(scene, &mut findings, budget)?;
        }
        _ => {}
    }
    Ok(findings.0)
}

fn path(scene: &Scene, node: usize) -> String {
    match scene.nodes[node].name.as_str() {
        "" => format!("nodes[{node}]"),
        name => name.to_owned(),
    }
}

/// The box around the used vertices of primitives, moved by a matrix.
fn extent<'a>(primitives: impl IntoIterator<Item = &'a Primitive>, world: Mat4) -> Option<Vec3> {
    let points = primitives.into_iter().flat_map(|primitive| {
        let mesh = &primitive.mesh;
        let used = mesh.triangles.iter().flatten().filter_map(|&index| mesh.positions.get(index as usize));
        used.map(|point| world.transform_point3(Vec3::from(point.to_array())).to_array().into())
    });
    Aabb::from_points(points).map(|bounds| Vec3::from(bounds.size().to_array()))
}

fn roblox(scene: &Scene, findings: &mut Findings, budget: &Budget) -> Result<()> {
    let mut open_of: HashMap<usize, usize> = HashMap::new();
    for placed in scene.placed() {
        let (path, mesh) = (path(scene, placed.node), &scene.meshes[placed.mesh]);
        let triangles = mesh.primitives.iter().map(|primitive| primitive.mesh.triangles.len()).sum();
        if triangles == 0 {
            continue;
        }
        findings.at_most(&TRIANGLES, path.clone(), "triangles", triangles, MOST_TRIANGLES);
        let world = Mat4::from_cols_array_2d(&placed.world);
        let size = extent(&mesh.primitives, world).filter(|size| size.is_finite());
        let points = mesh.primitives.iter().flat_map(|primitive| &primitive.mesh.positions);
        let broken = points.filter(|point| !point.is_finite()).count();
        if broken > 0 || size.is_none() {
            let found = match broken {
                0 => "the size of the mesh is infinite or NaN".to_owned(),
                1 => "the mesh has 1 infinite or NaN position, so its size is unknown".to_owned(),
                _ => format!("the mesh has {broken} infinite or NaN positions, so its size is unknown"),
            };
            findings.add(&VOLUME, path.clone(), found);
        }
        let size = size.filter(|_| broken == 0).unwrap_or(Vec3::ONE);
        // A rotation of a flat mesh adds rounding errors.
        let longest = size.max_element();
        let flat = longest * 3e-7;
        for (axis, size) in ["x", "y", "z"].into_iter().zip(size.to_array()) {
            if size <= flat {
                findings.add(
                    &VOLUME,
                    path.clone(),
                    format!("the mesh is flat: its size is {size} along {axis}, and {longest} along the longest axis"),
                );
            }
            findings.too_large(&STUDS, path.clone(), &format!("studs along {axis}"), size.into(), LARGEST);
        }
        let open = match open_of.get(&placed.mesh) {
            Some(&open) => open,
            None => {
                // The maps of points and edges are temporary, so a copy of the budget is charged.
                budget.clone().take_values::<[u64; 9]>(triangles, "the search for open edges")?;
                let open = open_edges(mesh.primitives.iter().map(|primitive| &*primitive.mesh));
                open_of.insert(placed.mesh, open);
                open
            }
        };
        if open > 0 {
            let what = "open edges (edges without exactly two triangles that face the same way)";
            findings.at_most(&CLOSED, path.clone(), what, open, 0);
        }
    }
    let world = scene.at_rest();
    let parents = scene.parents();
    for (skin, users) in scene.skins.iter().zip(scene.skinned()) {
        let joints: HashSet<usize> = skin.joints.iter().copied().collect();
        let is_below = |joint: usize| parents[joint].is_some_and(|parent| joints.contains(&parent));
        let Some(root) = skin.joints.iter().position(|&joint| !is_below(joint)) else { continue };
        let at = Vec3::from_slice(&world[skin.joints[root]][3]);
        if at.length() > 1e-3 {
            let place = format!("the root joint is at ({}, {}, {})", at.x, at.y, at.z);
            findings.add(&ROOT, path(scene, skin.joints[root]), place);
        }
        let follows = |mesh: &TriMesh| {
            let pairs = mesh.joints.iter().zip(&mesh.weights);
            let is_root = |(joints, weights): &(&[u16; 4], &[f32; 4])| {
                joints
                    .iter()
                    .zip(*weights)
                    .any(|(&joint, &weight)| usize::from(joint) == root && weight > 0.0)
            };
            pairs.filter(is_root).count()
        };
        let primitives = users.into_iter().flat_map(|mesh| &scene.meshes[mesh].primitives);
        let count = primitives.map(|primitive| follows(&primitive.mesh)).sum();
        let what = "vertices with weights for the root joint";
        findings.at_most(&ROOT_WEIGHTS, path(scene, skin.joints[root]), what, count, 0);
    }
    findings.at_most(&ONE_ANIMATION, "animations", "animation", scene.animations.len(), 1);
    Ok(())
}

/// What Studio's importer changes or drops.
fn importer(scene: &Scene, findings: &mut Findings) {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut seen = HashSet::new();
    for placed in scene.placed() {
        let (path, mesh) = (path(scene, placed.node), &scene.meshes[placed.mesh]);
        if mesh.primitives.iter().all(|primitive| primitive.mesh.triangles.is_empty()) {
            continue;
        }
        *names.entry(scene.nodes[placed.node].name.clone()).or_default() += 1;
        if !seen.insert(placed.mesh) {
            continue;
        }
        let sets = mesh.primitives.iter().map(|primitive| {
            let more = primitive.more_uvs.iter().filter(|set| !set.is_empty()).count();
            more + usize::from(!primitive.mesh.uvs.is_empty())
        });
        findings.at_most(&UV_SETS, path.clone(), "set of texture coordinates", sets.max().unwrap_or(0), 1);
        let flat = mesh.primitives.iter().map(|primitive| without_area(&primitive.mesh)).sum();
        findings.at_most(&DEGENERATE, path, "triangles without an area", flat, 0);
    }
    for (name, count) in names {
        match (name.as_str(), count) {
            ("", 1) | (_, 0) => {}
            ("", _) => findings.at_most(&NAMES, "nodes", "object without a name", count, 1),
            _ => findings.at_most(&NAMES, name, "object of this name", count, 1),
        }
    }
    let world = scene.at_rest();
    let joints: HashSet<usize> = scene.joints().collect();
    for node in scene.walk().into_iter().filter(|node| joints.contains(node)) {
        let scale = rezkit_scene::Transform::from_matrix(world[node]).scale;
        if scale.iter().any(|part| (part - 1.0).abs() > 1e-3) {
            let found =
                format!("expected a scale of 1, 1, 1, found {}, {}, {}", scale[0], scale[1], scale[2]);
            findings.add(&JOINT_SCALE, path(scene, node), found);
        }
    }
    for (index, image) in scene.images.iter().enumerate() {
        let ImageData::Bytes(bytes) = &image.data else { continue };
        let Some((width, height)) = images::size(bytes) else { continue };
        let (path, side) = (format!("images[{index}]"), width.max(height) as usize);
        findings.at_most(&PIXELS, path, "pixels per side", side, ROBLOX_PIXELS as usize);
    }
}

/// The number of triangles without an area.
fn without_area(mesh: &TriMesh) -> usize {
    let is_flat = |triangle: &&[u32; 3]| {
        let corners =
            triangle.map(|index| mesh.positions.get(index as usize).map(|at| Vec3::from(at.to_array())));
        let [Some(a), Some(b), Some(c)] = corners else { return false };
        (b - a).cross(c - a) == Vec3::ZERO
    };
    mesh.triangles.iter().filter(is_flat).count()
}

/// The number of edges that do not belong to two triangles that face the same way. Vertices at one point count as one,
/// so that seams of texture coordinates are no holes.
fn open_edges<'a>(meshes: impl Iterator<Item = &'a TriMesh>) -> usize {
    let mut points: HashMap<[u32; 3], u32> = HashMap::new();
    // The number of triangles, and the difference of their directions.
    let mut edges: HashMap<[u32; 2], [i32; 2]> = HashMap::new();
    for mesh in meshes {
        let mut of = |index: u32| {
            // -0 counts as 0.
            let point = mesh.positions.get(index as usize)?.to_array().map(|axis| (axis + 0.0).to_bits());
            let next = points.len() as u32;
            Some(*points.entry(point).or_insert(next))
        };
        for triangle in &mesh.triangles {
            let [Some(a), Some(b), Some(c)] = triangle.map(&mut of) else { continue };
            if a == b || b == c || c == a {
                continue;
            }
            for [from, to] in [[a, b], [b, c], [c, a]] {
                let [count, sum] = edges.entry([from.min(to), from.max(to)]).or_default();
                (*count, *sum) = (*count + 1, *sum + if from < to { 1 } else { -1 });
            }
        }
    }
    edges.values().filter(|edge| **edge != [2, 0]).count()
}

fn second_life(scene: &Scene, findings: &mut Findings, budget: &Budget) -> Result<()> {
    let models = objects(scene, findings);
    if models.values().all(|levels| levels[0].is_none()) {
        findings.add(&NO_HIGH, String::new(), NO_TRIANGLES);
    } else {
        built(scene, findings, budget)?;
    }
    missing_levels(&models, findings);
    growing_levels(&models, findings);
    skins(scene, findings);
    for (index, image) in scene.images.iter().enumerate() {
        let ImageData::Bytes(bytes) = &image.data else { continue };
        let Some((width, height)) = images::size(bytes) else { continue };
        let path = format!("images[{index}]");
        findings.at_most(
            &TEXTURES,
            path,
            "pixels per side",
            width.max(height) as usize,
            MOST_PIXELS as usize,
        );
    }
    Ok(())
}

/// The number of faces and of vertices of each level, by model.
type Models = BTreeMap<String, [Option<[usize; 2]>; 4]>;

/// Checks each drawn object.
fn objects(scene: &Scene, findings: &mut Findings) -> Models {
    let mut models = Models::new();
    let mut objects = 0;
    let pose = scene.pose();
    for (placed, posed) in scene.placed().into_iter().zip(scene.posed(&pose)) {
        let (name, mesh) = (path(scene, placed.node), &scene.meshes[placed.mesh]);
        let drawn: Vec<&Primitive> =
            mesh.primitives.iter().filter(|primitive| !primitive.mesh.triangles.is_empty()).collect();
        let is_other = slmesh::is_physics(&name) || slmesh::is_beyond_levels(&scene.nodes[placed.node]);
        if is_other || drawn.is_empty() {
            continue;
        }
        let level = (1..4).find(|&level| name.ends_with(slmesh::LEVEL_SUFFIXES[level])).unwrap_or(0);
        findings.at_most(&FACES, name.clone(), "faces", drawn.len(), MOST_FACES);
        for (index, primitive) in drawn.iter().enumerate() {
            let path = format!("{name}.primitives[{index}]");
            findings.at_most(
                &FACE_VERTICES,
                path,
                "vertices",
                primitive.mesh.positions.len(),
                MOST_FACE_VERTICES,
            );
        }
        if level == 0 {
            // The viewer puts the faces after each eighth into another object.
            objects += drawn.len().div_ceil(MOST_FACES);
            // A skinned mesh is as large as its joints make it.
            let sides = extent(&posed, Mat4::IDENTITY).unwrap_or_default();
            let size = sides.max_element();
            let mut points = drawn.iter().flat_map(|primitive| &primitive.mesh.positions);
            if scene.nodes[placed.node].skin.is_none() && points.all(|point| point.is_finite()) {
                findings.thin(&name, sides.to_array().map(f64::from));
            }
            findings.too_large(&METRES, name.clone(), "m along the longest axis", size.into(), MOST_METRES);
            if Mat4::from_cols_array_2d(&placed.world).determinant() < 0.0 {
                findings.add(&MIRRORED, name.clone(), "the object has a negative scale");
            }
        }
        let stem = name.strip_suffix(slmesh::LEVEL_SUFFIXES[level]).unwrap_or(&name).to_owned();
        let [faces, vertices] = models.entry(stem).or_default()[level].get_or_insert([0, 0]);
        *faces += drawn.len();
        *vertices += drawn.iter().map(|primitive| primitive.mesh.positions.len()).sum::<usize>();
    }
    findings.at_most(&OBJECTS, "objects", "objects", objects, MOST_OBJECTS);
    models
}

/// Finds levels that only some of the models have.
fn missing_levels(models: &Models, findings: &mut Findings) {
    for (level, suffix) in slmesh::LEVEL_SUFFIXES.iter().enumerate().skip(1) {
        let parts = || models.iter().filter(|(_, levels)| levels[0].is_some());
        let mut without = parts().filter(|(_, levels)| levels[level].is_none());
        let (Some((first, _)), more) = (without.next(), without.count()) else { continue };
        let (all, missing) = (parts().count(), 1 + more);
        if missing < all {
            let have = all - missing;
            let found =
                format!("no node has this name, but this level of detail exists for {have} of {all} objects");
            findings.add(&LEVEL_PARTS, format!("{first}{suffix}"), found);
            findings.0.last_mut().into_iter().for_each(|finding| finding.count = missing);
        }
    }
}

/// Finds levels with more faces or vertices than finer ones.
fn growing_levels(models: &Models, findings: &mut Findings) {
    for (name, levels) in models {
        let mut finer = levels[0];
        for (suffix, level) in slmesh::LEVEL_SUFFIXES.iter().zip(levels).skip(1) {
            let Some([faces, vertices]) = *level else { continue };
            let path = format!("{name}{suffix}");
            if let Some([high, _]) = levels[0] {
                let plural = if high == 1 { "" } else { "s" };
                let what = format!("face{plural} (the finest level has {high})");
                findings.at_most(&LEVEL_FACES, path.clone(), &what, faces, high);
            }
            if let Some([_, limit]) = finer {
                let what = format!("vertices (the next finer level has {limit})");
                findings.at_most(&LEVEL_VERTICES, path, &what, vertices, limit);
            }
            finer = Some([faces, vertices]);
        }
    }
}

/// Checks the joints, the size and the direction of rigs.
fn skins(scene: &Scene, findings: &mut Findings) {
    let (parents, at_rest) = (scene.parents(), scene.at_rest());
    for (index, (skin, meshes)) in scene.skins.iter().zip(scene.skinned()).enumerate() {
        // Joints without weights are dropped.
        let meshes = meshes.into_iter().flat_map(|mesh| &scene.meshes[mesh].primitives);
        let known = slmesh::Known::new(scene, &parents, skin, meshes.map(|primitive| &*primitive.mesh));
        let used = known.is_used.iter().filter(|is_used| **is_used).count();
        findings.at_most(&JOINTS, format!("skins[{index}]"), "joints with weights", used, 110);
        let mut unknown = known.unknown().map(|joint| scene.nodes[skin.joints[joint]].name.as_str());
        if let Some(first) = unknown.next() {
            let found = match unknown.count() {
                _ if ::slmesh::joints::find(first).is_some() => {
                    format!(
                        "the joint {first:?} is another name of a joint that the rig also has: only one of them is \
                         uploaded (give {first:?} the name of another joint of the avatar, or move its weights)"
                    )
                }
                0 => format!("Second Life's avatar has no joint {first:?}"),
                more => format!(
                    "Second Life's avatar has no joint {first:?}, and also lacks {more} more of this rig's \
                     joints"
                ),
            };
            findings.add(&JOINT_NAMES, format!("skins[{index}]"), found);
        }
        if let Some((scale, turn)) = slmesh::rig(scene, &at_rest, skin) {
            if !is_rig_size(scale) {
                let found = format!("the rig is {scale:.3} times as large as the avatar's skeleton");
                findings.add(&RIG_SIZE, format!("skins[{index}]"), found);
            }
            let (axis, angle) = glam::Quat::from_array(turn).to_axis_angle();
            let degrees = angle.to_degrees();
            if degrees > 15.0 {
                // Rounded here, since -0.001 would be shown as -0.00.
                let [x, y, z] = axis.to_array().map(|part| (part * 100.0).round() / 100.0 + 0.0);
                let found = format!(
                    "compared with the avatar, the rig is rotated by {degrees:.0} degrees about the axis \
                     ({x:.2}, {y:.2}, {z:.2}) of Second Life, where z is up"
                );
                findings.add(&RIG_TURNED, format!("skins[{index}]"), found);
            }
        }
    }
}

/// Adds the errors and changes of converting the scene to an asset.
fn built(scene: &Scene, findings: &mut Findings, budget: &Budget) -> Result<()> {
    // The asset is temporary, so a copy of the budget is charged.
    match slmesh::build(scene, &mut budget.clone()) {
        Ok(built) => {
            for (path, count) in built.degenerate {
                findings.at_most(&PHYSICS_TRIANGLES, path, "degenerate triangles", count, 0);
            }
            for (path, count) in built.hulls {
                findings.at_most(&HULL_POINTS, path, "points", count, ::slmesh::MAX_HULL_POINTS);
            }
        }
        Err(error) if matches!(error.kind(), ErrorKind::Limit | ErrorKind::Effort) => return Err(error),
        Err(error) => findings.add(&ASSET, error.path(), error.reason()),
    }
    Ok(())
}
