//! The assets of all objects, their cost, and the files.

use std::collections::HashMap;

use rezkit_scene::{
    Advice, Budget, Counted, Feature, File, ImageData, Loss, Material, Primitive, Result, Scene, gltf,
};
use slmesh::{Asset, Instance, Lod, Slm};

use crate::check::Findings;
use crate::cost::{LandImpact, land_impact};
use crate::rules::{LAND_IMPACT, LAND_IMPACT_UNKNOWN, METRES, MOST_METRES, MOST_OBJECTS, OBJECTS};

use super::report::{Cost, Level, Report, ReportPart, Tried};
use super::{Kind, Options, Parts, Picture, Shapes, cuboid, fix, html, parts, placed, prefixed};

/// The cost of a box as a shape for physics: 0.04 for each of its 8 corners, and for the hull.
pub(super) const BOX_PHYSICS: f32 = 0.36;

/// The steps of work to write an asset, besides those for its triangles. The limit allows about 2,000 assets, which take
/// a second; a linkset has at most 256 objects.
const ASSET: u64 = 2_000_000;

/// The assets of each object.
pub(super) struct Made {
    objects: Vec<Object>,
    pub(super) losses: Vec<Loss>,
}

struct Object {
    name: String,
    assets: Vec<Asset>,
    size: [f64; 3],
    position: [f64; 3],
    sizes: Vec<[Option<u32>; 4]>,
    is_skinned: bool,
}

/// The scene of an object with all its levels and its physics.
pub(super) fn object(parts: &Parts, shapes: &Shapes, node: usize) -> Scene {
    let levels = [0, 1, 2, 3].map(|level| shapes.levels[level].get(&node));
    let physics = shapes.physics.get(&node).map_or(&[][..], Vec::as_slice);
    let is_skinned = parts.high.nodes[node].skin.is_some();
    if let Some(finest) = levels[0].filter(|_| physics.is_empty() && !is_skinned) {
        // Without a shape, the hull is a box, which costs least.
        let meshes = placed(finest, parts.worlds[node]);
        let bounds = geom::Aabb::from_points(meshes.iter().flat_map(|mesh| &mesh.positions).copied());
        let hull = bounds.map(|bounds| (rezkit_scene::slmesh::BOUNDS.to_owned(), cuboid(bounds, 0.0)));
        return parts::object(parts, node, levels, hull.as_slice());
    }
    parts::object(parts, node, levels, physics)
}

impl Made {
    pub(super) fn new(
        parts: &Parts,
        shapes: &Shapes,
        options: &Options,
        budget: &mut Budget,
    ) -> Result<Self> {
        let mut made = Self { objects: Vec::new(), losses: Vec::new() };
        for &node in &parts.nodes {
            let scene = object(parts, shapes, node);
            budget.work(scene.triangle_count() as u64 * 64, "the mesh assets")?;
            let name = parts.name(node).to_owned();
            let mut built = rezkit_scene::slmesh::build(&scene, budget)
                .map_err(|error| error.below(|path| format!("{name}: {path}")))?;
            if options.joint_positions {
                let skins = built.assets.iter_mut().filter_map(|asset| asset.skin.as_mut());
                skins.for_each(rezkit_scene::slmesh::override_joints);
            }
            // The position and the appearance of the object are in the other files.
            let is_elsewhere = |loss: &Loss| {
                let about =
                    Feature::ALL.iter().find(|feature| Some(&feature.title()) == loss.features.first());
                about.is_some_and(|about| {
                    *about == Feature::Nodes || (Feature::Materials..=Feature::Filters).contains(about)
                })
            };
            let lost = built.features.into_iter().filter(|loss| !is_elsewhere(loss)).chain(built.losses);
            made.losses.extend(lost.map(|loss| prefixed(loss, &name)));
            let degenerate: usize = built.degenerate.iter().map(|(_, count)| count).sum();
            if degenerate > 0 {
                let loss = Loss::new(
                    format!("{name}: physics_mesh"),
                    "a degenerate triangle, which the viewer would refuse (dropped only from the mesh asset)",
                )
                .id("sl.degenerate-triangles");
                made.losses.push(loss.times(degenerate));
            }
            let [size, position] = built.extent.unwrap_or_else(|| {
                let skin = built.assets.first().and_then(|asset| asset.skin.as_ref());
                let shape = skin.map(|skin| skin.bind_shape().to_columns().map(f64::from));
                shape.map_or([[1.0; 3], [0.0; 3]], |m| [[m[0], m[5], m[10]], [m[12], m[13], m[14]]])
            });
            budget.work_or(built.assets.len() as u64 * ASSET, || parts.too_many())?;
            let mut sizes = Vec::with_capacity(built.assets.len());
            for asset in &mut built.assets {
                // An asset that was read keeps its compressed blocks, so that they are compressed only once.
                let bytes = slmesh::to_vec(asset)?;
                sizes.push(slmesh::open(&bytes)?.level_sizes());
                *asset = slmesh::from_slice(&bytes)?;
            }
            made.objects.push(Object {
                name,
                size,
                position,
                sizes,
                is_skinned: parts.high.nodes[node].skin.is_some(),
                assets: built.assets,
            });
        }
        Ok(made)
    }

    pub(super) fn impact(&self, scale: f32) -> LandImpact {
        self.objects.iter().map(|object| object.impact(scale)).sum()
    }

    pub(super) fn cost(&self, scale: f32) -> Cost {
        Cost::new(self.impact(scale))
    }

    pub(super) fn parts(&self, scale: f32) -> Vec<ReportPart> {
        self.objects.iter().map(|object| object.part(scale)).collect()
    }

    /// Adds the findings about all objects together, at the scale at which they are used.
    pub(super) fn check(&self, options: &Options, curve: &[Tried], findings: &mut Findings) {
        let scale = f64::from(options.scale);
        let objects: usize = self.objects.iter().map(|object| object.assets.len()).sum();
        findings.at_most(&OBJECTS, "objects", "objects", objects, MOST_OBJECTS);
        for object in self.objects.iter().filter(|object| !object.is_skinned) {
            let sides = object.size.map(|side| side * scale);
            let most = sides.into_iter().fold(0.0, f64::max);
            if options.scale != 1.0 {
                let what = "m along the longest axis";
                findings.too_large(&METRES, &*object.name, what, most, MOST_METRES);
            }
            findings.thin(&object.name, sides);
        }
        let impact = self.impact(options.scale);
        let Some(wanted) = options.land_impact else { return };
        if impact.total() > wanted {
            let boxes = self.objects.iter().flat_map(|object| &object.assets).count() as f32 * BOX_PHYSICS;
            let mut found = format!("expected at most {wanted}, found {}: {impact}", impact.total_text());
            if impact.server > wanted {
                found += &format!("; the server cost alone is above {wanted}, so nothing was simplified");
            } else {
                for (what, of) in
                    [("levels", "; the least download cost found is"), ("hulls", ", the least physics cost")]
                {
                    let costs = curve.iter().filter(|tried| tried.what == what).map(|tried| tried.cost);
                    found +=
                        &costs.reduce(f32::min).map_or_else(String::new, |least| format!("{of} {least:.3}"));
                }
            }
            if impact.server <= wanted && impact.physics.is_some_and(|physics| physics > boxes) {
                found +=
                    &format!("; with the physics shape box (--physics box), the physics cost is {boxes:.3}");
            }
            findings.add(&LAND_IMPACT, "land impact", found);
        } else if impact.physics.is_none() {
            let found = format!(
                "expected at most {wanted}, found at least {:.3}: the physics cost is unknown, since only Second \
                 Life computes that of a physics mesh",
                impact.total()
            );
            findings.add(&LAND_IMPACT_UNKNOWN, "land impact", found);
        }
    }
}

/// The distance from which the viewer shows a level of an object with a radius.
fn switch(lod: Lod, radius: f64) -> f64 {
    let tangent = match lod {
        Lod::High => return 0.0,
        Lod::Medium => 0.24,
        Lod::Low => 0.06,
        Lod::Lowest => 0.03,
    };
    // The viewer counts distances below 2 m as shorter.
    let distance = radius / (tangent * std::f64::consts::PI / 3.0);
    if distance < 2.0 { (2.0 * distance).sqrt() } else { distance }
}

impl Object {
    fn impact(&self, scale: f32) -> LandImpact {
        let sides = self.size.map(|side| side as f32 * scale);
        self.assets.iter().zip(&self.sizes).map(|(asset, sizes)| land_impact(asset, *sizes, sides)).sum()
    }

    fn part(&self, scale: f32) -> ReportPart {
        let radius = self.size.map(|side| (side * f64::from(scale)).powi(2)).iter().sum::<f64>().sqrt() / 2.0;
        let level = |lod: Lod| {
            let sum = |count: fn(&Asset, Lod) -> usize| {
                self.assets
                    .iter()
                    .filter(|asset| asset.level(lod).is_some())
                    .map(|asset| count(asset, lod))
                    .sum()
            };
            Level {
                triangles: sum(Asset::triangle_count),
                vertices: sum(Asset::vertex_count),
                bytes: self.sizes.iter().map(|sizes| u64::from(sizes[lod as usize].unwrap_or(0))).sum(),
                from: if self.is_skinned { 0.0 } else { switch(lod, radius) },
            }
        };
        let convex = || self.assets.iter().filter_map(|asset| asset.physics_convex.as_ref());
        ReportPart {
            name: self.name.clone(),
            size: self.size,
            position: self.position,
            levels: Lod::ALL.into_iter().rev().map(level).collect(),
            meshes: self.assets.len(),
            hulls: convex().map(|convex| convex.hulls.len()).sum(),
            hull_points: convex().flat_map(|convex| &convex.hulls).map(Vec::len).sum(),
            physics_triangles: self
                .assets
                .iter()
                .filter_map(|asset| Some(asset.physics_mesh.as_ref()?.triangle_count()))
                .sum(),
            joints: self
                .assets
                .first()
                .and_then(|asset| asset.skin.as_ref())
                .map_or(0, |skin| skin.joint_names.len()),
            land_impact: Cost::new(self.impact(scale)),
        }
    }
}

/// All files; those of the report are the last.
pub(super) fn files(
    parts: &Parts,
    shapes: &Shapes,
    made: &Made,
    report: &mut Report,
    budget: &mut Budget,
    picture: &mut Picture<'_>,
) -> Result<Vec<File>> {
    let mut files = rezkit_scene::Files::default();
    // The level, the title and the PNG file of each picture; the scenes are not kept.
    let mut drawn: Vec<(usize, &'static str, Vec<u8>)> = Vec::new();
    let mut undrawn = Vec::new();
    // A picture that cannot be drawn is no error: the upload does not need it.
    let mut draw = |level, title, scene: &Scene, budget: &Budget| match picture(scene, budget.left()) {
        Ok(png) => drawn.extend(png.map(|png| (level, title, png))),
        Err(error) => undrawn.push(
            Loss::new(format!("report.html: image {title}"), error.to_string())
                .id("sl.no-picture")
                .because(error.is_limit()),
        ),
    };
    let name = report.name.clone();
    let mut glb =
        |files: &mut rezkit_scene::Files, suffix: &str, scene: &Scene, budget: &mut Budget| -> Result<()> {
            let (bytes, lost) = gltf::to_glb(scene, budget)?;
            report.losses.extend(lost.into_iter().filter(|_| suffix.is_empty()));
            files.add(&[&format!("{name}{suffix}.glb")], bytes);
            Ok(())
        };
    let mut high = parts.high.clone();
    for &node in &parts.nodes {
        let Some((mesh, primitives)) = high.nodes[node].mesh.zip(shapes.levels[0].get(&node)) else {
            continue;
        };
        if shapes.widened.contains(&node) {
            let primitives = primitives.clone();
            high.nodes[node].mesh = Some(high.meshes.len());
            high.meshes.push(rezkit_scene::Mesh { primitives, ..high.meshes[mesh].clone() });
        } else {
            high.meshes[mesh].primitives.clone_from(primitives);
        }
    }
    // Meshes that only widened objects used are no longer needed.
    let keep = vec![true; high.nodes.len()];
    let high = parts::compacted(high, &keep);
    glb(&mut files, "", &high, budget)?;
    draw(0, "High", &high, budget);
    drop(high);
    for (kind, title) in [(Kind::Level(1), "Medium"), (Kind::Level(2), "Low"), (Kind::Level(3), "Lowest")] {
        let Kind::Level(level) = kind else { continue };
        let scene = parts::file_of(parts, kind, &shapes.levels[level]);
        glb(&mut files, kind.suffix(), &scene, budget)?;
        let mut looks = scene;
        (looks.materials, looks.images) = (parts.high.materials.clone(), parts.high.images.clone());
        draw(level, title, &looks, budget);
    }
    if !shapes.physics.is_empty() {
        let scene = parts::file_of(parts, Kind::Physics, &in_place(parts, shapes));
        glb(&mut files, Kind::Physics.suffix(), &scene, budget)?;
        drop(scene);
        draw(4, "Physics", &hulls_apart(shapes), budget);
    }
    write_assets(&name, made, &parts.high.materials, &mut files, &mut report.losses)?;
    materials(parts, &mut files, &mut report.losses, budget)?;
    textures(parts, &mut files, &mut report.losses, budget)?;
    animations(parts, &mut files, report, budget)?;
    let mut pictures = Vec::new();
    for (number, title, png) in drawn {
        let path = format!("pictures/{}.png", title.to_lowercase());
        files.add(&["pictures", &format!("{}.png", title.to_lowercase())], png);
        let below = match number {
            level @ 0..4 => {
                let sum = |of: fn(&Level) -> usize| -> usize {
                    report.parts.iter().filter_map(|part| part.levels.get(level)).map(of).sum()
                };
                let triangles = sum(|level| level.triangles);
                format!(
                    "{}, {}",
                    Counted::new(triangles, "triangles"),
                    Counted::new(sum(|level| level.vertices), "vertices")
                )
            }
            _ => {
                let hulls: usize = report.parts.iter().map(|part| part.hulls).sum();
                let triangles: usize = report.parts.iter().map(|part| part.physics_triangles).sum();
                match triangles {
                    0 => Counted::new(hulls, "hulls").to_string(),
                    _ => Counted::new(triangles, "triangles").to_string(),
                }
            }
        };
        pictures.push((title, path, below));
    }
    report.losses.append(&mut undrawn);
    report.losses = Loss::grouped(std::mem::take(&mut report.losses));
    let mut list = files.into_vec();
    report.files = list.iter().map(|file| file.path().to_owned()).collect();
    let mut last = rezkit_scene::Files::default();
    last.add(&["report.html"], html::page(report, &pictures).into_bytes());
    last.add(&["report.json"], budget.json(report, "the report")?);
    list.extend(last.into_vec());
    Ok(list)
}

/// The shapes for physics in the coordinates of their nodes, one primitive for each object.
fn in_place(parts: &Parts, shapes: &Shapes) -> HashMap<usize, Vec<Primitive>> {
    let one = |(&node, list): (&usize, &Vec<(String, geom::TriMesh)>)| {
        let mut all = geom::TriMesh::default();
        for (_, mesh) in list {
            let first = all.positions.len() as u32;
            all.positions.extend(&mesh.positions);
            all.triangles.extend(mesh.triangles.iter().map(|triangle| triangle.map(|index| index + first)));
        }
        parts::transform(&mut all, parts.worlds[node].inverse());
        (node, vec![Primitive::new(all, None)])
    };
    shapes.physics.iter().map(one).collect()
}

/// A scene of the hulls, each in its own colour, and of red boxes where the findings about them are.
fn hulls_apart(shapes: &Shapes) -> Scene {
    let mut scene = Scene::default();
    let mut nodes: Vec<_> = shapes.physics.iter().collect();
    geom::sort::by_key(&mut nodes, |(node, _)| **node);
    let hulls: Vec<&geom::TriMesh> =
        nodes.into_iter().flat_map(|(_, list)| list).map(|(_, mesh)| mesh).collect();
    let half = crate::levels::size(&hulls) * 0.03;
    let marked = shapes.marks.iter().map(|mark| {
        let [min, max] = [-half, half].map(|by| mark.to_array().map(|axis| (axis + by) as f32).into());
        cuboid(geom::Aabb { min, max }, 0.0)
    });
    let marked: Vec<geom::TriMesh> = marked.collect();
    for (number, mesh) in hulls.iter().copied().chain(&marked).enumerate() {
        // Successive hulls get hues that are far apart on the colour circle.
        let turn = number as f32 * 0.618_034 * std::f32::consts::TAU;
        let channel = |at: f32| 0.45 + 0.35 * (turn + at).cos();
        let color = [channel(0.0), channel(2.094), channel(4.189), 1.0];
        let color = if number < hulls.len() { color } else { [1.0, 0.0, 0.0, 1.0] };
        scene.materials.push(Material { base_color: color, ..Material::default() });
        // The sides do not share vertices, so that edges are visible.
        let positions =
            mesh.triangles.iter().flatten().map(|&index| mesh.positions[index as usize]).collect();
        let triangles = (0..mesh.triangles.len() as u32).map(|at| [3 * at, 3 * at + 1, 3 * at + 2]).collect();
        let mut apart = geom::TriMesh { positions, triangles, ..geom::TriMesh::default() };
        apart.normals = apart.area_weighted_normals();
        let primitives = vec![Primitive::new(apart, Some(number))];
        let mesh = scene.add_mesh(rezkit_scene::Mesh { primitives, ..rezkit_scene::Mesh::default() });
        scene.add_node(None, rezkit_scene::Node { mesh: Some(mesh), ..rezkit_scene::Node::default() });
    }
    scene
}

/// Writes the asset if there is a single object, and the file of the viewer's uploader with all objects.
fn write_assets(
    name: &str,
    made: &Made,
    materials: &[Material],
    files: &mut rezkit_scene::Files,
    losses: &mut Vec<Loss>,
) -> Result<()> {
    if let [object] = made.objects.as_slice()
        && let [asset] = object.assets.as_slice()
    {
        files.add(&[&format!("{name}.llmesh")], slmesh::to_vec(asset)?);
    }
    let mut slm = Slm { version: Some(3), name: Some(name.into()), ..Slm::default() };
    for object in &made.objects {
        for (number, asset) in object.assets.iter().enumerate() {
            let ([sx, sy, sz], [x, y, z]) = (object.size, object.position);
            // The names of further models end in a letter, beginning with `b`.
            let letter = u8::try_from(number).ok().filter(|number| (1..26).contains(number));
            let label = match letter {
                Some(number) => format!("{}{}", object.name, char::from(b'a' + number)),
                None => object.name.clone(),
            };
            slm.instances.push(Instance {
                mesh_id: i32::try_from(slm.meshes.len()).ok(),
                label: Some(label.as_str().into()),
                transform: Some([sx, 0.0, 0.0, 0.0, 0.0, sy, 0.0, 0.0, 0.0, 0.0, sz, 0.0, x, y, z, 1.0]),
                ..Instance::default()
            });
            slm.meshes.push(asset.clone());
        }
    }
    if slm.meshes.len() > 1 {
        if !materials.is_empty() {
            let what = "a material, which is only in the .glb file";
            losses.push(Loss::new(format!("{name}.slm"), what).id("sl.slm-material").times(materials.len()));
        }
        files.add(&[&format!("{name}.slm")], slm.to_vec()?);
    }
    Ok(())
}

/// Writes each material as a glTF file that the viewer uploads, and as an asset.
fn materials(
    parts: &Parts,
    files: &mut rezkit_scene::Files,
    losses: &mut Vec<Loss>,
    budget: &mut Budget,
) -> Result<()> {
    let folder = files.folder(rezkit_scene::Files::TOP, "materials");
    let mut left_out: usize = 0;
    for (number, material) in parts.high.materials.iter().enumerate() {
        let mut material = material.clone();
        let name = if material.name.is_empty() { format!("material{number}") } else { material.name.clone() };
        let (asset, lost) = rezkit_scene::slmesh::material_to_asset(&material, &|_| None)?;
        let (textures, others): (Vec<_>, Vec<_>) =
            lost.into_iter().partition(|loss| loss.advice == Some(Advice::UploadImage));
        left_out += textures.len();
        losses.extend(others.into_iter().map(|loss| prefixed(loss, &name)));
        let mut images = Vec::new();
        let mut index_of: HashMap<usize, usize> = HashMap::new();
        for texture in material.textures_mut() {
            texture.image = *index_of.entry(texture.image).or_insert_with(|| {
                images.push(parts.high.images[texture.image].clone());
                images.len() - 1
            });
        }
        let mut scene = Scene::default();
        (scene.materials, scene.images) = (vec![material], images);
        let (bytes, _) = gltf::to_glb(&scene, budget)?;
        budget.take(asset.len() as u64, "the materials")?;
        files.add_in(folder, &format!("{name}.glb"), bytes);
        files.add_in(folder, &format!("{name}.material"), asset);
    }
    if left_out > 0 {
        let loss = Loss::new(
            "materials/*.material",
            "a reference to a texture, which has no asset id before its upload (the material's .glb file \
             contains the texture)",
        )
        .id("sl.texture-not-uploaded");
        losses.push(loss.times(left_out));
    }
    Ok(())
}

/// Writes each image as PNG, no larger than the platform allows.
fn textures(
    parts: &Parts,
    files: &mut rezkit_scene::Files,
    losses: &mut Vec<Loss>,
    budget: &mut Budget,
) -> Result<()> {
    let folder = files.folder(rezkit_scene::Files::TOP, "textures");
    let mut shrunk = fix::Shrunk::default();
    for (number, image) in parts.high.images.iter().enumerate() {
        let name = if image.name.is_empty() { format!("image{number}") } else { image.name.clone() };
        let name = name.strip_suffix(".png").or(name.strip_suffix(".jpg")).unwrap_or(&name).to_owned();
        // A missing image is a loss of the GLB file.
        let ImageData::Bytes(bytes) = &image.data else { continue };
        let size = rezkit_scene::images::size(bytes);
        match shrunk.of(bytes, budget) {
            Ok(png) => {
                let after = rezkit_scene::images::size(&png);
                if let (Some((w, h)), Some((x, y))) = (size, after)
                    && (w, h) != (x, y)
                {
                    let what = format!("the copy in textures/ is reduced from {w} x {h} to {x} x {y} pixels");
                    losses.push(Loss::approximated(name.clone(), what).id("sl.texture-scaled"));
                }
                budget.take(png.len() as u64, "the textures")?;
                files.add_in(folder, &format!("{name}.png"), png);
            }
            Err(error) if error.kind() == rezkit_scene::ErrorKind::Unreadable => {
                let what = format!("the copy in textures/, since the image cannot be read: {error}");
                losses.push(Loss::new(name, what).id("image.unreadable"));
            }
            Err(error) => return Err(error.at(name)),
        }
    }
    Ok(())
}

/// Writes each animation of the avatar's joints as a motion.
fn animations(
    parts: &Parts,
    files: &mut rezkit_scene::Files,
    report: &mut Report,
    budget: &mut Budget,
) -> Result<()> {
    let folder = files.folder(rezkit_scene::Files::TOP, "animations");
    let mut scene = Scene::default();
    (scene.nodes, scene.roots) = (parts.high.nodes.clone(), parts.high.roots.clone());
    scene.nodes.iter_mut().for_each(|node| (node.mesh, node.skin) = (None, None));
    for (number, animation) in parts.high.animations.iter().enumerate() {
        let name =
            if animation.name.is_empty() { format!("animation{number}") } else { animation.name.clone() };
        scene.animations = vec![animation.clone()];
        match rezkit_scene::slmesh::motion_from_scene(&scene, budget) {
            Ok((motion, lost)) => {
                report.losses.extend(lost.into_iter().map(|loss| prefixed(loss, &name)));
                files.add_in(folder, &format!("{name}.anim"), slmesh::motion::to_vec(&motion)?);
                report.animations.push(name);
            }
            Err(error)
                if matches!(
                    error.kind(),
                    rezkit_scene::ErrorKind::Limit | rezkit_scene::ErrorKind::Effort
                ) =>
            {
                return Err(error);
            }
            Err(error) => report.losses.push(
                Loss::new(name, format!("not written as an avatar motion (.anim): {error}"))
                    .id("sl.no-motion"),
            ),
        }
    }
    Ok(())
}
