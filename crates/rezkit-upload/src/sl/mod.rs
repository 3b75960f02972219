//! Preparation of uploads to Second Life: levels, physics, assets, materials, animations, textures, and a report.

mod assets;
mod compared;
mod covered;
mod dense;
mod fix;
mod html;
mod parts;
mod pieces;
mod report;
mod thin;

use std::collections::{HashMap, HashSet};

use geom::TriMesh;
use rezkit_scene::slmesh::{JointNames, MotionOptions};
use rezkit_scene::{Budget, Error, File, Finding, Loss, Primitive, Result, Scene, Severity};

use crate::check::{Findings, check};
use crate::cost::LandImpact;
use crate::hulls::{HullOptions, STEPS, Shared, hulls_within};
use crate::levels::{LevelTarget, Listed, levels_with_room};
use crate::rules::{
    LEAST_METRES, METRES, MIRRORED, NO_TRIANGLES, PHYSICS_TRIANGLES, RIG_SIZE, TEXTURES, THIN,
};
use assets::Made;
pub use compared::{Difference, differences, is_report};
use covered::covered;
pub use parts::Kind;
use parts::{Parts, prefixed};
pub use report::{Cost, Level, Report, ReportFinding, ReportPart, Tried};

/// Options for preparing a model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The targets of the levels medium, low and lowest.
    pub targets: [LevelTarget; 3],
    /// The land impact to reach by reducing the coarser levels and, if that is not enough, the finest level.
    pub land_impact: Option<f32>,
    /// The shape for physics.
    pub physics: Physics,
    /// Options for creating hulls.
    pub hulls: HullOptions,
    /// The scale at which the object is used, relative to the file.
    pub scale: f32,
    /// Change what the platform would refuse or change: textures of more than 2,048 pixels a side, more than 8 faces,
    /// faces with too many vertices, negative scales, joints that the avatar lacks, rigs of another size or direction,
    /// objects longer than 64 m or thinner than 1 cm, and given levels with more triangles than the next finer one.
    pub fix: bool,
    /// Keep the joint positions of the rig (`alt_inverse_bind_matrix`).
    pub joint_positions: bool,
    /// The avatar's joints that the model's joints represent: they get these names.
    pub joints: Option<JointNames>,
    /// Options for the playback of motions.
    pub motion: MotionOptions,
    /// The memory limit in bytes.
    pub max_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            targets: [1.0 / 3.0, 1.0 / 9.0, 1.0 / 27.0].map(LevelTarget::Ratio),
            land_impact: None,
            physics: Physics::Hulls,
            hulls: HullOptions::default(),
            scale: 1.0,
            fix: false,
            joint_positions: false,
            joints: None,
            motion: MotionOptions::default(),
            max_bytes: rezkit_scene::DEFAULT_MAX_BYTES,
        }
    }
}

/// The shape for physics that an object gets if none is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Physics {
    /// Convex hulls.
    #[default]
    Hulls,
    /// The triangles of the lowest level.
    Mesh,
    /// One box.
    Box,
    /// No shape, or the box around the object if the platform needs a shape.
    None,
}

/// A level or a shape for physics that already exists, in a file beside the model.
#[derive(Clone, Debug)]
pub struct ExistingFile {
    /// The role of the file.
    pub kind: Kind,
    /// The content of the file.
    pub scene: Scene,
}

/// The files to upload.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Upload {
    /// The files, with the report and its pictures.
    pub files: Vec<File>,
    /// The report.
    pub report: Report,
}

/// Draws a scene as a PNG file, with at most this many bytes of memory; returns `None` if pictures are not wanted. An
/// error is listed in the report and does not stop the upload.
pub type Picture<'a> = dyn FnMut(&Scene, u64) -> Result<Option<Vec<u8>>> + 'a;

/// Reads a file beside the model as a scene, by its name; `None` if it does not exist.
pub type Beside<'a> = dyn FnMut(&str) -> Result<Option<Scene>> + 'a;

/// The levels and physics beside a model, by the names that the viewer looks for: `name_LOD2.glb` and others.
/// `name` is the name of the model's file.
///
/// # Errors
/// If a file exists but cannot be read.
pub fn given(name: &str, read: &mut Beside<'_>) -> Result<Vec<ExistingFile>> {
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let mut given = Vec::new();
    for kind in Kind::ALL {
        let file = format!("{stem}{}.{extension}", kind.suffix());
        if let Some(scene) = read(&file).map_err(|error| error.at(file))? {
            given.push(ExistingFile { kind, scene });
        }
    }
    Ok(given)
}

/// The meshes of each object per level and for physics.
struct Shapes {
    /// The meshes of each level by nodes, the finest first.
    levels: [HashMap<usize, Vec<Primitive>>; 4],
    /// The meshes of each node for physics with the suffixes of their names, in the scene's coordinates.
    physics: HashMap<usize, Vec<(String, TriMesh)>>,
    /// The nodes whose meshes were widened, and so are no longer shared with other nodes.
    widened: HashSet<usize>,
    /// The places of findings about physics, in the scene's coordinates.
    marks: Vec<glam::DVec3>,
    losses: Vec<Loss>,
}

/// Prepares a model as the files to upload to Second Life. All file names begin with `name`, the name of the model.
///
/// # Errors
/// If the scene contradicts itself, has no triangles, has numbers that are not finite, or needs more than the options
/// allow.
pub fn second_life(
    scene: &Scene,
    name: &str,
    given: &[ExistingFile],
    options: &Options,
    picture: &mut Picture<'_>,
) -> Result<Upload> {
    scene.check()?;
    let mut scene = std::borrow::Cow::Borrowed(scene);
    options.joints.iter().try_for_each(|joints| joints.rename(scene.to_mut()))?;
    if !options.motion.is_empty() {
        options.motion.apply_to(scene.to_mut())?;
    }
    if !(options.scale.is_finite() && options.scale > 0.0) {
        let what = format!("the option scale must be finite and above 0, found {}", options.scale);
        return Err(Error::argument(what));
    }
    let mut budget = Budget::new(options.max_bytes);
    let mut report = Report { name: name.to_owned(), scale: options.scale, ..Report::default() };
    if let Some(copy) = rezkit_scene::without_jpeg2000(&scene, &mut report.losses, &mut budget)? {
        scene = std::borrow::Cow::Owned(copy);
    }
    if scene.primitives().any(|primitive| !primitive.targets.is_empty()) {
        // An asset has no morph targets: everything is made of the same shape.
        report.losses.extend(scene.to_mut().bake_morphs(&mut budget)?);
    }
    // Itself, what `fix` changed, the parts, and two files of levels at a time.
    const COPIES: usize = 5;
    let mut fixed = Findings::default();
    if options.fix {
        // `fix` copies the scene, too.
        scene.take(COPIES, &mut budget.clone())?;
        fix::scene(scene.to_mut(), given, options.scale, &mut budget, &mut report.losses, &mut fixed)?;
    }
    scene.take(COPIES, &mut budget)?;
    let parts = Parts::new(&scene, given, &mut report.losses)?;
    if parts.nodes.is_empty() {
        let what = format!("{NO_TRIANGLES}; rename the node of the finest mesh, or add a mesh");
        return Err(Error::unwritable(what));
    }
    budget.take(parts.nodes.len() as u64 * OBJECT, "the objects")?;
    let steps = parts.joints().saturating_add(parts.nodes.len() as u64 * 9_000) << 6;
    budget.work_or(steps, || parts.too_many())?;
    let mut shapes = match options.land_impact {
        None => leveled(&parts, options, 1.0, options.targets, &mut budget)?,
        Some(wanted) => reduced(&parts, options, wanted, &mut report.curve, &mut budget)?,
    };
    let reached = report.curve.iter().map(|tried| tried.cost).fold(f32::INFINITY, f32::min);
    let server = LandImpact::server_weight(parts.nodes.len() as u32, 0);
    // Nothing is made coarser in vain.
    let wanted = options.land_impact.filter(|wanted| reached <= *wanted && server <= *wanted);
    cheap_physics(&parts, options, wanted, &mut shapes, &mut report.curve, &mut budget)?;
    if options.fix {
        thin::widen(&parts, options, &mut shapes);
    }
    let made = Made::new(&parts, &shapes, options, &mut budget)?;
    report.losses.extend(shapes.losses.iter().chain(&made.losses).cloned());
    report.land_impact = made.cost(options.scale);
    report.parts = made.parts(options.scale);
    let curve = &report.curve;
    let findings = findings(&parts, &mut shapes, (&made, curve), options, fixed, &mut budget)?;
    report.findings = findings.into_iter().map(|finding| ReportFinding::new(finding, options.fix)).collect();
    let files = assets::files(&parts, &shapes, &made, &mut report, &mut budget, picture)?;
    Ok(Upload { files, report })
}

/// The levels for some targets. `finest` is the fraction of the triangles that the finest level keeps.
fn leveled(
    parts: &Parts,
    options: &Options,
    finest: f64,
    targets: [LevelTarget; 3],
    budget: &mut Budget,
) -> Result<Shapes> {
    let mut wanted = vec![LevelTarget::Ratio(finest)];
    wanted.extend(targets);
    let skip = usize::from(finest >= 1.0);
    let room = if options.fix { thin::needles(parts, options) } else { HashMap::new() };
    let (mut scenes, losses) = levels_with_room(&parts.high, &wanted[skip..], Some(&room), budget)?;
    // By level, the meshes whose generated level is used.
    let mut used: HashSet<(usize, usize)> = HashSet::new();
    if skip == 1 {
        scenes.insert(0, parts.high.clone());
    }
    let mut shapes = Shapes {
        levels: Default::default(),
        physics: HashMap::new(),
        widened: HashSet::new(),
        marks: Vec::new(),
        losses: Vec::new(),
    };
    for (level, scene) in scenes.iter().enumerate() {
        for &node in &parts.nodes {
            let Some(mesh) = parts.high.nodes[node].mesh else { continue };
            let kind = Kind::Level(level);
            let mut given = parts.lower.get(&(node, kind)).filter(|_| level > 0);
            let finer = level.checked_sub(1).and_then(|finer| shapes.levels[finer].get(&node));
            if let Some((own, finer)) = given.zip(finer).filter(|_| options.fix)
                && let Some(what) = fix::is_refused(own, finer, parts)
            {
                let path = format!("{}{}", parts.name(node), kind.suffix());
                shapes.losses.push(Loss::approximated(path, what).id("sl.unused-level"));
                given = None;
            }
            if given.is_none() {
                used.insert((level, mesh));
            }
            let primitives = given.unwrap_or(&scene.meshes[mesh].primitives);
            shapes.levels[level].insert(node, primitives.clone());
        }
    }
    let is_used =
        |listed: &Listed| listed.of.is_none_or(|(level, mesh)| used.contains(&(level + skip, mesh)));
    shapes.losses.extend(losses.into_iter().filter(is_used).map(|listed| listed.loss));
    Ok(shapes)
}

/// The profile whose rules are checked.
const PROFILE: &str = "secondlife-upload";
/// The measured memory of an object: node, name, asset with its streams, and rows of the report.
const OBJECT: u64 = 13_000;

/// The physics cost of each corner of a hull, and of the hull itself.
const HULL_POINT: f32 = 0.04;

/// Maximum number of triangles for which hulls are searched.
const HULLS_OF: usize = 50_000;

/// The factors of the concavity and the numbers of corners of cheaper hulls, in the order in which they are tried: fewer
/// corners close no opening.
const CHEAPER: [(f64, usize); 8] =
    [(1.0, 20), (1.0, 12), (1.0, 8), (2.0, 12), (2.0, 8), (4.0, 8), (8.0, 8), (1000.0, 8)];

/// Creates the shapes for physics. If their cost is above the wanted land impact, hulls get fewer corners and a greater
/// distance from the surface, as far as necessary.
fn cheap_physics(
    parts: &Parts,
    options: &Options,
    wanted: Option<f32>,
    shapes: &mut Shapes,
    curve: &mut Vec<Tried>,
    budget: &mut Budget,
) -> Result<()> {
    let (losses, free) = (shapes.losses.len(), budget.left());
    let mut hulls = options.hulls;
    let mut cheaper = CHEAPER.into_iter();
    loop {
        physics(parts, options, hulls, shapes, budget)?;
        let of_node = |list: &Vec<(String, TriMesh)>| {
            list.iter().map(|(_, mesh)| HULL_POINT * (mesh.positions.len() + 1) as f32).sum::<f32>()
        };
        // An object without a shape, such as one with a skin, has a box in each of its meshes.
        let boxes = |node: &usize| match shapes.physics.get(node) {
            Some(list) if !list.is_empty() => of_node(list),
            _ => assets::BOX_PHYSICS * shapes.levels[0][node].len().div_ceil(8) as f32,
        };
        let cost: f32 = parts.nodes.iter().map(boxes).sum();
        let (concavity, corners) = (hulls.concavity, hulls.corners);
        if options.physics == Physics::Hulls {
            let setting = format!("--concavity {concavity:.3}, at most {corners} corners per hull");
            curve.push(Tried { what: "hulls", setting, cost });
        }
        if wanted.is_none_or(|wanted| cost <= wanted) || options.physics != Physics::Hulls {
            if hulls.corners < options.hulls.corners {
                let what = format!(
                    "the physics hulls are coarser to lower the land impact: --concavity {concavity:.3}, at most {corners} \
                     corners per hull"
                );
                shapes.losses.push(Loss::approximated("physics", what).id("sl.coarser-hulls"));
            }
            return Ok(());
        }
        // The memory of the former hulls is free again.
        shapes.physics.clear();
        shapes.losses.truncate(losses);
        budget.give_back(free.saturating_sub(budget.left()));
        let Some((factor, corners)) = cheaper.find(|(_, corners)| *corners < options.hulls.corners) else {
            return physics(parts, options, options.hulls, shapes, budget);
        };
        hulls.concavity = (options.hulls.concavity * factor).min(1.0);
        hulls.corners = corners;
    }
}

/// Creates the shapes for physics, in the coordinates of the scene.
fn physics(
    parts: &Parts,
    options: &Options,
    hulls: HullOptions,
    shapes: &mut Shapes,
    budget: &mut Budget,
) -> Result<()> {
    let size = |primitives: &[Primitive]| -> usize {
        primitives.iter().map(|primitive| primitive.mesh.triangles.len()).sum()
    };
    let sizes: Vec<usize> =
        parts.nodes.iter().map(|node| size(&shapes.levels[0][node]).min(HULLS_OF)).collect();
    let mut work = Shared::new(STEPS, sizes.iter().sum());
    for (&node, own) in parts.nodes.iter().zip(sizes) {
        let mut steps = work.take(own);
        let world = parts.worlds[node];
        let flat = |primitives: &[Primitive]| placed(primitives, world);
        let given = parts.lower.get(&(node, Kind::Physics));
        // Worn objects do not collide.
        if parts.high.nodes[node].skin.is_some() && given.is_none() {
            work.put_back(steps);
            continue;
        }
        let list: Vec<(String, TriMesh)> = match (given, options.physics) {
            (Some(given), Physics::Mesh) if !options.fix => named("_PHYS", flat(given)),
            (given, Physics::Mesh) => {
                let mut meshes = flat(given.unwrap_or(&shapes.levels[3][&node]));
                let finest = flat(&shapes.levels[0][&node]);
                let bounds = geom::Aabb::from_points(finest.iter().flat_map(|mesh| &mesh.positions).copied());
                let left_out = bounds.map_or(0, |bounds| dense::thinned(&mut meshes, bounds, options));
                meshes = dense::joined(meshes);
                if left_out > 0 {
                    let what = "physics: a degenerate triangle, which the viewer would refuse";
                    shapes.losses.push(
                        Loss::new(parts.name(node), what).id("sl.degenerate-triangles").times(left_out),
                    );
                }
                if meshes.is_empty() {
                    meshes.extend(bounds.map(|bounds| cuboid(bounds, least(options))));
                    let what = "physics mesh replaced by a box: the viewer would refuse every triangle of it";
                    shapes.losses.push(Loss::approximated(parts.name(node), what).id("sl.physics-box"));
                }
                named("_PHYS", meshes)
            }
            (given, Physics::None) => {
                shapes.losses.extend(given.map(|_| unused(parts.name(node), "none")));
                continue;
            }
            (given, Physics::Box) => {
                shapes.losses.extend(given.map(|_| unused(parts.name(node), "box")));
                let meshes = flat(&shapes.levels[0][&node]);
                let points = meshes.iter().flat_map(|mesh| &mesh.positions).copied();
                named(
                    "_HULL",
                    geom::Aabb::from_points(points)
                        .map(|bounds| cuboid(bounds, least(options)))
                        .into_iter()
                        .collect(),
                )
            }
            (given, Physics::Hulls) => {
                // Hulls have few triangles anyway, so they are made from the finest level that is small enough.
                let levels = || shapes.levels.iter().filter_map(|level| level.get(&node));
                let fine = levels().find(|level| size(level) <= HULLS_OF).or_else(|| levels().next_back());
                if given.is_none() && levels().next().is_some_and(|finest| size(finest) > HULLS_OF) {
                    let what = format!(
                        "physics hulls generated from a coarser level of detail, since the finest one has \
                         more than {HULLS_OF} triangles"
                    );
                    shapes.losses.push(Loss::approximated(parts.name(node), what).id("sl.coarser-hulls"));
                }
                let meshes = flat(given.or(fine).map_or(&[][..], Vec::as_slice));
                let meshes_of: Vec<&TriMesh> = meshes.iter().collect();
                let thickness = LEAST_METRES / f64::from(options.scale);
                let wanted = if given.is_some() { options.hulls } else { hulls };
                let wanted = HullOptions { thickness, ..wanted };
                let (mut found, lost) = hulls_within(&meshes_of, &wanted, &mut steps, budget)?;
                work.put_back(steps);
                let name = parts.name(node);
                shapes.losses.extend(lost.into_iter().map(|loss| prefixed(loss, name)));
                if found.is_empty() {
                    let points = meshes.iter().flat_map(|mesh| &mesh.positions).copied();
                    found
                        .extend(geom::Aabb::from_points(points).map(|bounds| cuboid(bounds, least(options))));
                    let what = "physics hulls replaced by a box, since no hull can be made for the mesh";
                    shapes.losses.push(Loss::approximated(name, what).id("sl.physics-box"));
                }
                named("_HULL", found)
            }
        };
        shapes.physics.insert(node, list);
    }
    Ok(())
}

/// The meshes of primitives in the coordinates of the scene.
fn placed(primitives: &[Primitive], world: glam::DMat4) -> Vec<TriMesh> {
    let placed = |primitive: &Primitive| {
        let mut mesh = TriMesh {
            positions: primitive.mesh.positions.clone(),
            triangles: primitive.mesh.triangles.clone(),
            ..TriMesh::default()
        };
        parts::transform(&mut mesh, world);
        mesh
    };
    primitives.iter().map(placed).collect()
}

/// The loss of a given physics shape that the option `physics` leaves unused.
fn unused(name: &str, physics: &str) -> Loss {
    let what = format!("its own physics shape (_PHYS or _HULL), since the option physics is {physics}");
    Loss::new(name, what).id("sl.physics-shape")
}

/// Meshes with the suffixes of their names: hulls are numbered, a mesh for physics is not.
fn named(suffix: &str, meshes: Vec<TriMesh>) -> Vec<(String, TriMesh)> {
    let name = |(number, mesh)| match suffix {
        "_PHYS" => (suffix.to_owned(), mesh),
        _ => (format!("{suffix}{number}"), mesh),
    };
    meshes.into_iter().enumerate().map(name).collect()
}

/// The platform's minimum length of an object, in units of the file.
fn least(options: &Options) -> f32 {
    LEAST_METRES as f32 / options.scale
}

/// A box as a closed mesh, along each axis at least as long as `least`.
fn cuboid(bounds: geom::Aabb, least: f32) -> TriMesh {
    let [mut low, mut high] = [bounds.min.to_array(), bounds.max.to_array()];
    for (low, high) in low.iter_mut().zip(&mut high).filter(|(low, high)| **high - **low < least) {
        // Slightly more than the minimum, since positions are rounded.
        let middle = f32::midpoint(*low, *high);
        (*low, *high) = (middle - 0.505 * least, middle + 0.505 * least);
    }
    let corner = |number: usize| {
        let axis = |axis: usize| if number >> axis & 1 == 0 { low[axis] } else { high[axis] };
        geom::Vec3::new(axis(0), axis(1), axis(2))
    };
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    TriMesh {
        positions: (0..8).map(corner).collect(),
        triangles: sides.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
        ..TriMesh::default()
    }
}

/// Levels whose streaming cost is at most the wanted land impact. The finest level is reduced only if necessary.
fn reduced(
    parts: &Parts,
    options: &Options,
    wanted: f32,
    curve: &mut Vec<Tried>,
    budget: &mut Budget,
) -> Result<Shapes> {
    if !(wanted.is_finite() && wanted > 0.0) {
        return Err(Error::argument(format!("expected a finite land impact above 0, found {wanted}")));
    }
    let all = parts.high.triangle_count();
    let free = budget.left();
    // Physics costs nothing to stream. One result is kept, and the memory of the others is free again.
    let mut kept = 0;
    let mut tried = |finest: f64, factor: f64, budget: &mut Budget| -> Result<(Shapes, LandImpact)> {
        budget.give_back(free.saturating_sub(kept + budget.left()));
        let before = budget.left();
        let targets = options.targets.map(|target| LevelTarget::Ratio(target.share(all) * factor));
        let shapes = leveled(parts, options, finest, targets, budget)?;
        let impact = Made::new(parts, &shapes, options, budget)?.impact(options.scale);
        let setting = format!("finest level: {:.1} %, others: {:.1} %", finest * 100.0, factor * 100.0);
        curve.push(Tried { what: "levels", setting, cost: impact.streaming });
        kept = kept.max(before - budget.left());
        Ok((shapes, impact))
    };
    let (first, impact) = tried(1.0, 1.0, budget)?;
    // If the server cost is above the wanted one, simplifying does not help.
    if impact.streaming <= wanted || impact.server > wanted {
        return Ok(first);
    }
    drop(first);
    // The coarser levels are reduced first; the finest one, which is seen from near, is reduced last.
    for is_finest in [false, true] {
        let mut tried = |factor: f64, budget: &mut Budget| -> Result<(Shapes, bool)> {
            let (shapes, impact) = match is_finest {
                false => tried(1.0, factor, budget)?,
                true => tried(factor, factor * 0.1, budget)?,
            };
            Ok((shapes, impact.streaming <= wanted))
        };
        let (mut low, mut high) = (0.02_f64, 1.0_f64);
        let (mut best, fits) = tried(low, budget)?;
        if !fits {
            continue;
        }
        for _ in 0..6 {
            let middle = (low * high).sqrt();
            match tried(middle, budget)? {
                (next, true) => (low, best) = (middle, next),
                (_, false) => high = middle,
            }
        }
        if is_finest {
            let what = "the finest level of detail is simplified to lower the land impact";
            best.losses.push(Loss::approximated("high", what).id("sl.simplified"));
        }
        return Ok(best);
    }
    // Nothing is simplified in vain.
    Ok(tried(1.0, 1.0, budget)?.0)
}

/// The rules of the platform that the upload violates, errors first.
fn findings(
    parts: &Parts,
    shapes: &mut Shapes,
    (made, curve): (&Made, &[Tried]),
    options: &Options,
    mut findings: Findings,
    budget: &mut Budget,
) -> Result<Vec<Finding>> {
    for &node in &parts.nodes {
        let scene = assets::object(parts, shapes, node);
        findings.0.extend(check(&scene, PROFILE, budget)?.into_iter().map(|mut finding| {
            if finding.path.starts_with("skins[") {
                // The skin of the object, whose index is that in the scene of the object.
                finding.path = format!("{}: skin", parts.name(node));
            } else if finding.rule == PHYSICS_TRIANGLES.id {
                finding.path = format!("{}: physics_mesh", parts.name(node));
            }
            finding
        }));
        // The scene of the object no longer contains the negative scale, so the node is checked.
        if parts.high.nodes[node].skin.is_none() && parts.worlds[node].determinant() < 0.0 {
            findings.add(&MIRRORED, parts.name(node), "the object has a negative scale");
        }
        let mut marks = Vec::new();
        covered(parts, shapes, node, options, (&mut findings, &mut marks), budget)?;
        shapes.marks.append(&mut marks);
    }
    // Images, which all objects share, are examined once.
    let mut images = Scene::default();
    images.images.clone_from(&parts.high.images);
    let of_images = check(&images, PROFILE, budget)?;
    findings.0.extend(of_images.into_iter().filter(|finding| finding.rule == TEXTURES.id));
    // Sizes in the file do not matter at another scale, nor that of the rig if the avatar's joints take its positions.
    // The thickness is that of the uploaded object.
    let is_moot = |rule: &str| {
        options.scale != 1.0 && rule == METRES.id
            || options.joint_positions && rule == RIG_SIZE.id
            || rule == THIN.id
    };
    findings.0.retain(|finding| !is_moot(finding.rule));
    made.check(options, curve, &mut findings);
    let mut findings = findings.0;
    let mut seen = HashSet::new();
    findings.retain(|finding| seen.insert((finding.rule, finding.path.clone(), finding.found.clone())));
    geom::sort::by_key(&mut findings, |finding| finding.severity != Severity::Error);
    Ok(findings)
}
