//! Sorts the meshes of a scene into the faces, levels and hulls of an asset.

use std::collections::{HashMap, HashSet};

use geom::TriMesh;
use rezkit_core::{Budget, Error, Loss, Result};
use slmesh::{Asset, Level, Lod, Part, Skin};

use super::SUFFIXES;
use crate::features::Feature;
use crate::hull::Hull;
use crate::model::{Material, Mesh, Node, Primitive, Scene};

/// A size and a centre, in metres with z up.
pub type Extent = [[f64; 3]; 2];

/// The result of converting a scene to assets, with everything that converting and checking an upload reports.
#[derive(Debug)]
#[non_exhaustive]
pub struct Built {
    /// The assets, of at most eight faces each.
    pub assets: Vec<Asset>,
    /// A loss for each feature of the scene that assets cannot have: the first entry of [`Loss::features`] is this
    /// feature.
    pub features: Vec<Loss>,
    /// Losses of features that assets do have: omissions and changes.
    pub losses: Vec<Loss>,
    /// The physics meshes with triangles that were left out, because the viewer considers them degenerate, and their
    /// number.
    pub degenerate: Vec<(String, usize)>,
    /// The hulls with more points than a hull may have, and the number of points of each.
    pub hulls: Vec<(String, usize)>,
    /// The size and the centre of the scene before it was scaled to a cube of 1 m; `None` if it already was one, or if
    /// the skin determines the size.
    pub extent: Option<Extent>,
    /// The material of each face of the finest level, before faces with too many triangles are split.
    pub faces: Vec<Option<usize>>,
}

/// The suffix of the names of hulls, which follows the name of the model.
pub(super) const HULL: &str = "_HULL";
/// The suffix of the name of the bounding hull.
pub const BOUNDS: &str = "_BOUNDS";

/// The name of the model that a node is a hull of, by the node's name; `None` if it is not a hull.
pub fn hull_of(name: &str) -> Option<&str> {
    let (stem, index) = name.rsplit_once(HULL)?;
    index.bytes().all(|byte| byte.is_ascii_digit()).then_some(stem)
}

/// Whether a node is a shape for physics, by its name: viewers do not draw it.
pub fn is_physics(name: &str) -> bool {
    name.ends_with("_PHYS") || name.ends_with(BOUNDS) || hull_of(name).is_some()
}

/// The suffixes of names by which the viewer pairs the levels of an object, the finest first.
pub const LEVEL_SUFFIXES: [&str; 4] = ["", "_LOD2", "_LOD1", "_LOD0"];

/// The name of an object's node in a level; 0 is the finest.
pub fn level_name(name: &str, level: usize) -> String {
    match LEVEL_SUFFIXES.get(level) {
        Some(suffix) => format!("{name}{suffix}"),
        None => format!("{name}_level{level}"),
    }
}

/// Whether a node is a level that Second Life does not have: the fifth, or a coarser one.
pub fn is_beyond_levels(node: &Node) -> bool {
    node.level() >= LEVEL_SUFFIXES.len() as u64
}

/// The loss of such a level.
pub const BEYOND_LEVELS: &str = "the fifth or a coarser level of detail: Second Life has only four";

/// The [`Scene::front`] of avatars, which face +x.
pub(super) const FRONT: f32 = 90.0;

/// A primitive of a level.
pub(super) struct Piece<'a> {
    /// The name of the node without the suffix of the level.
    pub(super) stem: &'a str,
    pub(super) material: Option<usize>,
    pub(super) mesh: TriMesh,
}

/// Joins the pieces of each material, in the order of their first use.
pub(super) fn joined(pieces: Vec<Piece<'_>>) -> Vec<Piece<'_>> {
    let (mut joined, mut index_of): (Vec<Piece<'_>>, _) = (Vec::new(), HashMap::new());
    for piece in pieces {
        let Piece { material, mesh, .. } = piece;
        let at = *index_of.entry(material).or_insert(joined.len());
        match joined.get_mut(at) {
            Some(known) => crate::pose::append(&mut known.mesh, &mesh),
            None => joined.push(Piece { stem: "", material, mesh }),
        }
    }
    joined
}

/// The parts of each level, coarsest level first. A level has as many parts as the finest level has pieces; a part is
/// empty if the level lacks its piece. A level without pieces has no parts.
pub(super) fn rows<'a>(
    scene: &Scene,
    levels: [Vec<Piece<'a>>; 4],
    losses: &mut Vec<Loss>,
) -> Result<[Vec<Part>; 4]> {
    let keys = levels.each_ref().map(|pieces| keys(pieces));
    let high = &keys[Lod::High as usize];
    let stems: HashSet<&str> = high.iter().map(|(stem, ..)| *stem).collect();
    let row_of: HashMap<Key<'a>, usize> = high.iter().enumerate().map(|(row, key)| (*key, row)).collect();
    let title = |material: Option<usize>| match material.and_then(|index| scene.materials.get(index)) {
        Some(material) => format!("the material {:?}", material.name),
        None => "the default material".to_owned(),
    };
    let mut parts: [Vec<Part>; 4] = Default::default();
    for (((lod, suffix), pieces), keys) in SUFFIXES.into_iter().rev().zip(levels).zip(&keys) {
        if pieces.is_empty() {
            continue;
        }
        let mut rows: Vec<Option<Part>> = vec![None; high.len()];
        for (piece, key) in pieces.into_iter().zip(keys) {
            let Some(&row) = row_of.get(key) else {
                let (stem, material, time) = *key;
                let what = match (stems.contains(stem), time) {
                    (false, _) => {
                        format!("the finest level has no object {stem:?}: add it, or rename this node")
                    }
                    (_, 1) => {
                        // Joined pieces have no stem.
                        let of = if stem.is_empty() { String::new() } else { format!(" of {stem:?}") };
                        let used = title(material);
                        format!("the finest level{of} does not use {used}, so this level cannot use it")
                    }
                    _ => format!(
                        "more primitives use {} than in the finest level ({}): join them",
                        title(material),
                        time - 1
                    ),
                };
                return Err(Error::unwritable(what).at(format!("{stem}{suffix}")));
            };
            rows[row] = Some(Part { mesh: piece.mesh, ..Part::default() });
        }
        for ((stem, material, _), _) in high.iter().zip(&rows).filter(|(_, part)| part.is_none()) {
            let what = format!(
                "an empty face, since this level has no (or no further) triangles with {}",
                title(*material)
            );
            losses.push(Loss::filled_in(format!("{stem}{suffix}"), what).id("sl.filled-level"));
        }
        parts[lod as usize] = rows.into_iter().map(Option::unwrap_or_default).collect();
    }
    // The viewer shows the next coarser level instead of one that is missing.
    let mut coarser: Option<Lod> = None;
    for (lod, _) in SUFFIXES.into_iter().rev() {
        match coarser {
            Some(other) if parts[lod as usize].is_empty() => {
                parts[lod as usize] = parts[other as usize].clone();
                losses.push(
                    Loss::filled_in(lod.to_string(), format!("a missing level of detail, by {other}"))
                        .id("sl.filled-level"),
                );
            }
            _ => coarser = (!parts[lod as usize].is_empty()).then_some(lod).or(coarser),
        }
    }
    Ok(parts)
}

/// The key by which pieces of different levels correspond: the stem, the material, and the number of pieces with this
/// stem and material so far.
type Key<'a> = (&'a str, Option<usize>, usize);

fn keys<'a>(pieces: &[Piece<'a>]) -> Vec<Key<'a>> {
    let mut times = HashMap::new();
    let key = |piece: &Piece<'a>| {
        let time = times.entry((piece.stem, piece.material)).or_insert(0);
        *time += 1;
        (piece.stem, piece.material, *time)
    };
    pieces.iter().map(key).collect()
}

/// The corners of the convex hull around the triangles of pieces. Empty, and listed, if they are in one plane.
pub(super) fn hull_around(
    pieces: &[Piece<'_>],
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<Vec<geom::Vec3>> {
    /// The distance of points outside the hull that is accepted, as a fraction of the longest side.
    const TOLERANCE: f32 = 0.001;
    /// The maximum number of corners. Each costs 0.04 of land impact if an object collides as its convex hull.
    const MOST: usize = 32;
    let count = pieces.iter().map(|piece| piece.mesh.triangles.len()).sum::<usize>();
    budget.take_values::<[[f64; 3]; 6]>(count, "the hull around the mesh")?;
    budget.work(count as u64 * 64, "the hull around the mesh")?;
    let corners = |mesh: &TriMesh| {
        let mut used: Vec<u32> = mesh.triangles.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let point =
            |index: u32| mesh.positions.get(index as usize).copied().filter(|point| point.is_finite());
        used.into_iter().filter_map(point).collect::<Vec<_>>()
    };
    let points: Vec<geom::Vec3> = pieces.iter().flat_map(|piece| corners(&piece.mesh)).collect();
    let size = geom::Aabb::from_points(points.iter().copied())
        .map_or(0.0, |bounds| bounds.size().to_array().into_iter().fold(0.0, f32::max));
    let wide: Vec<_> =
        points.iter().map(|point| glam::DVec3::from(point.to_array().map(f64::from))).collect();
    let hull = Hull::around(&wide, MOST, f64::from(size * TOLERANCE));
    if hull.is_none() && !points.is_empty() {
        let what = "the box around the whole mesh, because the mesh is flat";
        losses.push(Loss::filled_in("physics_convex.bounding", what).id("sl.flat"));
    }
    Ok(hull.map_or_else(Vec::new, |hull| hull.into_mesh().positions))
}

/// Lists the changes of a mesh in an asset.
pub(super) fn changed(mesh: &TriMesh, path: &str) -> impl Iterator<Item = Loss> {
    let twice = mesh.triangles.iter().filter(|[a, b, c]| a == b || b == c || c == a).count();
    let mut left = Loss::new(path, "triangles that use a vertex twice").id("sl.degenerate-triangles");
    left.count = twice;
    let zeros = mesh.normals.iter().filter(|normal| normal.to_array() == [0.0; 3]).count();
    let mut filled = Loss::filled_in(path, "normals of length 0, which become (0, 0, 1)").id("sl.filled");
    filled.count = zeros;
    let left = left.about([Feature::Normals, Feature::Uvs].map(Feature::title));
    [left, filled.about([Feature::Normals.title()])].into_iter().filter(|loss| loss.count > 0)
}

/// The approximate memory of the scene of an asset, in bytes.
pub(super) fn cost(asset: &Asset, name: &str) -> u64 {
    let own = size_of::<Node>() + size_of::<Mesh>() + 2 * name.len() + 100;
    let face = |face: &::slmesh::Submesh| {
        size_of::<Material>() + 600 + 64 * face.positions.len() + 12 * face.triangles.len()
    };
    let level = |level: &Level| own + level.submeshes.iter().map(face).sum::<usize>();
    let levels = asset.levels().map(|(_, each)| level(each)).chain(asset.physics_mesh.iter().map(level));
    let joints = asset.skin.iter().flat_map(|skin| &skin.joint_names);
    let joints = joints.map(|name| size_of::<Node>() + 200 + name.len());
    // A hull has twice as many triangles as points.
    let hull = |points: usize| own + size_of::<Primitive>() + 100 + 40 * points;
    let hulls = asset.physics_convex.iter().flat_map(|convex| {
        let each = convex.hull_points().map(Iterator::count);
        each.chain([convex.bounding.len()]).map(hull)
    });
    levels.chain(joints).chain(hulls).fold(own, usize::saturating_add) as u64
}

/// The level by the suffix of a node's name, and the name without the suffix.
pub(super) fn level_of(name: &str) -> (Lod, &str) {
    let lower = SUFFIXES.iter().skip(1);
    let found = lower.filter_map(|(lod, suffix)| Some((*lod, name.strip_suffix(suffix)?))).next();
    found.unwrap_or((Lod::High, name))
}

/// The box around points. If they are nearly flat along an axis, they are made flat: rotating a flat mesh gives it a
/// tiny thickness, which would be stretched to a cube.
pub(super) fn flattened<'a>(
    bounds: geom::Aabb,
    points: impl Iterator<Item = &'a mut geom::Vec3>,
    losses: &mut Vec<Loss>,
) -> geom::Aabb {
    let size = bounds.size().to_array();
    let most = size.into_iter().fold(0.0, f32::max);
    let [x, y, z] = size.map(|size| size > 0.0 && size <= most * 1e-6);
    if !(x || y || z) {
        return bounds;
    }
    let what = "the mesh is almost flat (its size along an axis is below a millionth of the largest), so it was made \
                exactly flat";
    losses.push(Loss::approximated("positions", what).id("sl.flat").about([Feature::Size.title()]));
    let middle = (bounds.min + bounds.max) * 0.5;
    let flat = |[a, b, c]: [f32; 3]| {
        [if x { middle.x } else { a }, if y { middle.y } else { b }, if z { middle.z } else { c }]
    };
    points.for_each(|point| *point = flat(point.to_array()).into());
    let [min, max] = [bounds.min, bounds.max].map(|corner| flat(corner.to_array()).into());
    geom::Aabb { min, max }
}

/// The loss of what an asset has besides the geometry and the skin; `None` if it has nothing else.
pub(super) fn unread(asset: &Asset) -> Option<Loss> {
    // Every field is named, so that a new one does not compile until it is in the scene or listed as a loss.
    #[rustfmt::skip]
    let Asset {
        creator, date, physics_havok, physics_cost_data, material_list, submodel_id, other_blocks, extra, skin,
        version: _, lowest_lod: _, low_lod: _, medium_lod: _, high_lod: _, physics_mesh: _, physics_convex: _, layout,
    } = asset;
    let skin = |has: fn(&Skin) -> bool| skin.as_ref().is_some_and(has);
    let faces = || asset.levels().flat_map(|(_, level)| &level.submeshes);
    // Further names have no face.
    let count = asset.levels().map(|(_, level)| level.submeshes.len()).max().unwrap_or(0);
    let there = [
        ("creator", creator.is_some()),
        ("date", date.is_some()),
        ("physics_havok", physics_havok.is_some()),
        ("physics_cost_data", physics_cost_data.is_some()),
        ("surplus names in material_list", material_list.as_ref().is_some_and(|names| names.len() > count)),
        ("submodel_id", submodel_id.is_some()),
        (
            "joint positions (alt_inverse_bind_matrix)",
            skin(|skin| !skin.alt_inverse_bind_matrices.is_empty()),
        ),
        ("pelvis_offset", skin(|skin| skin.pelvis_offset.is_some_and(|offset| offset != 0.0))),
        ("lock_scale_if_joint_position", skin(|skin| skin.lock_scale_if_joint_position == Some(true))),
        ("TexCoord1", faces().any(|face| !face.tex_coords1.is_empty())),
        ("unknown blocks", !other_blocks.is_empty()),
        (
            "bytes outside of the blocks",
            !layout.trailing.is_empty() || layout.blocks.iter().any(|kept| !kept.gap.is_empty()),
        ),
        ("unknown or malformed keys", !extra.is_empty() || skin(|skin| !skin.extra.is_empty())),
        ("unknown or malformed keys of faces", faces().any(|face| !face.extra.is_empty())),
    ];
    let names: Vec<&str> =
        there.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name).collect();
    let what = || format!("data that is not converted to a scene: {}", names.join(", "));
    (!names.is_empty()).then(|| Loss::new("asset", what()).id("sl.unknown-data"))
}
