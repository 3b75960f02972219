//! Converts Roblox meshes to scenes, and back.
//!
//! The axes are those of glTF, and one stud is one unit of the scene: nothing is rotated or scaled. Bones become
//! joints below the scene's root. The first level of detail is drawn; on request, others become nodes with
//! the extra `lod`.

mod bones;

pub(super) use bones::{add_bones, bind_pose, corrective_lost, cost as bones_cost, facial_lost, facial_move};
use bones::{facial, unused};

use crate::features::Feature;
use crate::forms::SceneWriter;
use rezkit_core::{Advice, Budget, Counted, Error, Result};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use geom::TriMesh;
use glam::{Mat4, Vec3};
use rbxmesh::{Bone, Chunk, LodChoice, Mesh as RobloxMesh, Payload, Version};

use crate::model::{Levels, Mesh, Node, Primitive, Scene, Skin, rigid};
use crate::skins::{Joined, NO_BONE, bind_to};
use crate::slmesh::level_name;
use rezkit_core::Loss;

/// The features of a scene that the format keeps.
const KEEPS: &[Feature] = &[
    Feature::Size,
    Feature::Normals,
    Feature::Tangents,
    Feature::Uvs,
    Feature::Colors,
    Feature::ColorAlpha,
    Feature::Skins,
    Feature::SeveralSkins,
];

const UNUSED: &str = "a triangle that belongs to no level of detail";
const EMPTY: &str = "a level of detail without triangles";

/// Writes Roblox meshes.
pub static WRITER: SceneWriter = SceneWriter::of_meshes(KEEPS, |scene, writing| {
    let (mesh, losses) = from_scene(scene, &mut writing.budget)?;
    writing.losses.extend(losses);
    Ok(rbxmesh::to_vec(&mesh)?)
});

/// Converts a mesh to a scene.
///
/// # Errors
/// [`Limit`](rezkit_core::ErrorKind::Limit) if the budget does not suffice,
/// [`Unreadable`](rezkit_core::ErrorKind::Unreadable) if the vertices have no positions.
pub fn to_scene(mesh: &RobloxMesh, levels: Levels, budget: &mut Budget) -> Result<(Scene, Vec<Loss>)> {
    budget.take(bones_cost(&mesh.bones) as u64, "the bones")?;
    let mut scene = Scene { front: 180.0, ..Scene::default() };
    let mut losses = Vec::new();
    losses.extend(missing(mesh)?);
    let mut skin = Skin::default();
    if !mesh.bones.is_empty() {
        // Joints of a skin have a common root in glTF.
        let top = scene.add_node(None, Node { name: "skeleton".into(), ..Node::default() });
        let (made, odd) = add_bones(&mesh.bones, top, Vec3::ONE, HashMap::new(), &mut scene);
        skin = made;
        losses.extend(odd);
    }
    let joints = skin.joints.clone();
    let skinned = !mesh.bones.is_empty() && !mesh.envelopes.is_empty();
    let count = mesh.levels().len();
    let wanted = match levels {
        Levels::Finest => 0..count.min(1),
        Levels::All => 0..count,
        Levels::One(level) => level.min(count)..(level + 1).min(count),
    };
    let drawn = wanted.len();
    budget.take(mesh.vertices.len() as u64, "the vertices")?;
    losses.extend(dangling(mesh, wanted.clone()));
    for (level, triangles) in mesh.levels().map(<[_]>::len).enumerate().skip(wanted.start).take(drawn) {
        // A level has only the vertices that its triangles use.
        budget.take(
            88 * mesh.vertices.len().min(3 * triangles) as u64 + 12 * triangles as u64,
            "a level of detail",
        )?;
        let Some(mut from) = mesh.to_tri_mesh(level) else { continue };
        bind_all(&mut from);
        if from.triangles.is_empty() {
            continue;
        }
        if !skinned {
            from.joints.clear();
            from.weights.clear();
        }
        if from.colors.iter().all(|color| *color == geom::LinearRgba::WHITE) {
            from.colors.clear();
        }
        let name = level_name("mesh", level);
        let primitive = Primitive { mesh: from.into(), ..Primitive::default() };
        let index =
            scene.add_mesh(Mesh { name: name.clone(), primitives: vec![primitive], ..Mesh::default() });
        let mut node = Node { name, mesh: Some(index), skin: skinned.then_some(0), ..Node::default() };
        if level > 0 {
            node.set_level(level);
        }
        scene.add_node(None, node);
    }
    if count > drawn {
        let what = format!("{} of {count} levels of detail", count - drawn);
        losses.push(Loss::new("lods", what).id("scene.levels").advise(Advice::AllLevels));
    }
    if skinned {
        scene.skins.push(skin);
    }
    facial(mesh, &joints, &mut scene, &mut losses, budget)?;
    list_others(mesh, &mut losses, budget)?;
    Ok((scene, losses))
}

/// The columns of vertices that a Draco stream lacks.
fn missing(mesh: &RobloxMesh) -> Result<Option<Loss>> {
    let missing = mesh.layout.draco.as_ref().map_or(&[][..], |stream| stream.missing_fields());
    if missing.contains(&"position") && !mesh.vertices.is_empty() {
        return Err(Error::unreadable("layout.draco: the Draco stream has no vertex positions"));
    }
    if !missing.is_empty() && !mesh.vertices.is_empty() {
        let value = |name: &&str| match *name {
            "normal" => "normals (0, 0, 0)",
            "uv" => "texture coordinates (0, 0)",
            "tangent" => "tangents (0, 0, 0, 0)",
            _ => "vertex colours (white)",
        };
        let values: Vec<&str> = missing.iter().map(value).collect();
        let what = format!("{}, which the Draco stream does not store", values.join(", "));
        return Ok(Some(Loss::filled_in("layout.draco", what).id("rbxmesh.filled-draco")));
    }
    Ok(None)
}

/// Lists what a mesh has besides vertices, triangles, bones and facial animation.
fn list_others(mesh: &RobloxMesh, losses: &mut Vec<Loss>, budget: &mut Budget) -> Result<()> {
    // Every field is named, so that a new one does not compile until it is in the scene or listed as a loss.
    #[rustfmt::skip]
    let RobloxMesh {
        visibility, texture_w, version: _, vertices: _, faces: _, lods: _, envelopes: _, bones: _, subsets: _, facs,
        layout,
    } = mesh;
    if let Some(unknown) = &layout.facs_unknown {
        let what =
            Counted::new(unknown.bytes.len(), "bytes of facial animation in an unknown format").to_string();
        losses.push(Loss::new("layout.facs_unknown", what).id("rbxmesh.facial-animation"));
    }
    let mut seen = HashSet::new();
    for (index, chunk) in layout.chunks.iter().enumerate() {
        // The first chunk of a known layout has no content if it is not a part of the mesh.
        let is_empty = chunk.is_known() && seen.insert(chunk.tag);
        if let Payload::Kept(bytes) = &chunk.payload
            && !bytes.is_empty()
        {
            let what = format!(
                "{} ({:?}, version {}, {})",
                if is_empty { "a chunk that lists no items" } else { "an unsupported or repeated chunk" },
                chunk.tag,
                chunk.version,
                Counted::new(bytes.len(), "bytes")
            );
            budget.lose(losses, Loss::new(format!("layout.chunks[{index}]"), what).id("rbxmesh.chunk"))?;
        }
    }
    let of_chunk = |chunk: &Chunk| match &chunk.payload {
        Payload::Model { extra } => extra.len(),
        Payload::Kept(_) => 0,
    };
    let extra = [
        ("layout.header_extra", layout.header_extra.len()),
        ("layout.vertex_extra", layout.vertex_extra.len()),
        ("layout.face_extra", layout.face_extra.len()),
        ("layout.chunks", layout.chunks.iter().map(of_chunk).sum()),
        ("layout.trailing", layout.trailing.len()),
        ("facs.trailing", facs.as_ref().map_or(0, |facs| facs.trailing.len())),
    ];
    for (path, count) in extra.into_iter().filter(|(_, count)| *count > 0) {
        losses.push(
            Loss::new(path, Counted::new(count, "bytes of unknown meaning").to_string())
                .id("file.extra-bytes"),
        );
    }
    if visibility.as_ref().is_some_and(|visibility| visibility.count > 0) {
        losses.push(
            Loss::new("visibility", "flags that mark areas of the mesh as always visible (chunk HSRAVIS)")
                .id("rbxmesh.chunk"),
        );
    }
    if let Some(stream) = layout.draco.as_ref().filter(|stream| stream.other_attributes() > 0) {
        losses.push(
            Loss::new(
                "layout.draco",
                Counted(stream.other_attributes().into(), "unknown Draco attributes").to_string(),
            )
            .id("rbxmesh.chunk"),
        );
    }
    losses.extend(unused(&mesh.bones));
    if !texture_w.is_empty() {
        losses.push(
            Loss::new("texture_w", "the third component (w) of texture coordinates")
                .id("rbxmesh.third-coordinate"),
        );
    }
    Ok(())
}

/// Binds vertices that follow no bone to the first bone.
pub(super) fn bind_all(mesh: &mut TriMesh) {
    mesh.weights.iter_mut().filter(|weights| **weights == [0.0; 4]).for_each(|weights| weights[0] = 1.0);
}

/// What triangle meshes of some levels lack: faces in no level, levels without faces, and what refers to nothing (faces,
/// weights, and the bones of vertices).
pub(super) fn dangling(mesh: &RobloxMesh, levels: Range<usize>) -> Vec<Loss> {
    let skin = mesh.skin();
    let mut seen = vec![mesh.bones.is_empty() || mesh.envelopes.is_empty(); mesh.vertices.len()];
    // The first vertex, and the number of vertices.
    let (mut unknown, mut unbound, mut faces) = (None, None, 0);
    for face in mesh.levels().skip(levels.start).take(levels.len()).flatten() {
        let corners = face.map(|corner| corner as usize);
        if corners.iter().any(|&corner| corner >= seen.len()) {
            faces += 1;
            continue;
        }
        for vertex in corners.into_iter().filter(|&vertex| !std::mem::replace(&mut seen[vertex], true)) {
            let envelope = mesh.envelopes.get(vertex).copied().unwrap_or_default();
            let weights = envelope.weights.iter().filter(|&&weight| weight > 0).count();
            let bones = skin.influences(vertex).count();
            if bones < weights {
                unknown.get_or_insert((vertex, 0)).1 += 1;
            }
            if bones == 0 {
                unbound.get_or_insert((vertex, 0)).1 += 1;
            }
        }
    }
    let mut losses = Vec::new();
    let empty = mesh.levels().skip(levels.start).take(levels.len()).filter(|level| level.is_empty()).count();
    // A mesh without faces has no level to list.
    for (what, count) in
        [(UNUSED, mesh.unused_faces()), (EMPTY, if mesh.faces.is_empty() { 0 } else { empty })]
    {
        Loss::new("lods", what).id("rbxmesh.unused-faces").times(count).count_in(&mut losses);
    }
    if faces > 0 {
        losses.push(
            Loss::new("faces", "a face with a vertex index that is out of range")
                .id("mesh.index-range")
                .times(faces),
        );
    }
    if let Some((vertex, count)) = unknown {
        losses.push(Loss::new(format!("envelopes[{vertex}]"), NO_BONE).id("mesh.unknown-bone").times(count));
    }
    if let Some((vertex, count)) = unbound {
        let what = "the vertex follows no bone of the mesh: bound to the first bone";
        losses.push(
            Loss::approximated(format!("envelopes[{vertex}]"), what).id("mesh.unbound-vertex").times(count),
        );
    }
    losses
}

/// Converts a scene to a mesh, of version 4.01 if it has a skin or levels of detail, otherwise 2.00. All triangles
/// become one mesh at rest; the skins are joined, and their joints become bones. Nodes with the extra `lod` become
/// further levels.
///
/// # Errors
/// [`Unwritable`](rezkit_core::ErrorKind::Unwritable) if the scene has no triangles or the format cannot represent the
/// mesh or the skin, [`Limit`](rezkit_core::ErrorKind::Limit) if the budget does not suffice.
pub fn from_scene(scene: &Scene, budget: &mut Budget) -> Result<(RobloxMesh, Vec<Loss>)> {
    // The triangles take their memory again, for the mesh and for the file.
    budget.take(scene.placed_cost()[0], "the mesh")?;
    let mut losses = scene.losses_but(KEEPS);
    let level = |node: usize| scene.nodes[node].level();
    let skeleton = scene.skeleton();
    let mut seen = HashSet::new();
    if scene.walk().into_iter().filter(|node| !skeleton.contains(node)).all(|node| seen.insert(level(node))) {
        // One node for each level is no hierarchy.
        losses.retain(|loss| !loss.features.contains(&Feature::Nodes.title()));
    }
    let pose = scene.pose();
    let world = scene.world(&pose.transforms);
    let mut levels: BTreeMap<u64, TriMesh> = BTreeMap::new();
    let joined = scene.joined_skin()?;
    joined.iter().for_each(|joined| joined.rest(scene, &mut losses));
    losses.extend(scene.filled_columns(&[
        (Feature::Normals, "computed from the triangles"),
        (Feature::Uvs, "0, 0"),
        (Feature::Colors, "white"),
        (Feature::Tangents, "0, 0, 0, 0"),
    ]));
    let skin = joined.as_ref().map(|joined| &joined.skin);
    // Meshes without a skin and without a joint above them follow an additional bone, which does not move.
    let still = skin
        .map(|skin| {
            let count = skin.joints.len();
            let what = "expected at most 65,535 joints in the skins of the scene";
            u16::try_from(count).map_err(|_| Error::unwritable(format!("{what}, found {count}")))
        })
        .transpose()?;
    let mut still_used = false;
    for node in scene.visible() {
        let Some(mesh) = scene.nodes[node].mesh.and_then(|mesh| scene.meshes.get(mesh)) else { continue };
        let bound = joined.as_ref().zip(scene.nodes[node].skin);
        for primitive in &mesh.primitives {
            let morphed = crate::pose::morphed(primitive, scene.weights_of(node, &pose));
            let bound = bound.filter(|_| !morphed.joints.is_empty());
            let mut from = match bound {
                Some((joined, skin)) => {
                    let mut mesh = Arc::unwrap_or_clone(morphed);
                    joined.bind(skin, &mut mesh);
                    mesh
                }
                None => crate::pose::deformed(&morphed, world[node], None),
            };
            if from.normals.is_empty() {
                from.normals = from.area_weighted_normals();
            }
            if let (None, Some(joined), Some(still)) = (bound, &joined, still)
                && !joined.carry(node, &mut from)
            {
                still_used = true;
                bind_to(&mut from, still);
            }
            crate::pose::append(levels.entry(level(node)).or_default(), &from);
        }
    }
    let mut levels: Vec<TriMesh> = levels.into_values().collect();
    if levels.is_empty() {
        return Err(Error::unwritable("the scene has no triangles"));
    }
    let mut bones = match &joined {
        Some(joined) => {
            let (bones, new_of) = bones_of(scene, joined)?;
            for joint in levels.iter_mut().flat_map(|level| &mut level.joints).flatten() {
                *joint = new_of.get(usize::from(*joint)).copied().unwrap_or(*joint);
            }
            bones
        }
        None => Vec::new(),
    };
    if still_used {
        bones.push(Bone { name: "static".into(), ..Bone::default() });
    }
    let mesh = with_levels(levels, bones).map_err(Error::unwritable)?;
    Ok((mesh, losses))
}

/// All levels as one mesh, with vertices and faces one level after the other.
fn with_levels(levels: Vec<TriMesh>, bones: Vec<Bone>) -> rbxmesh::Result<RobloxMesh> {
    let count = levels.len();
    let mut levels = levels.into_iter();
    // The first level, which is often the only one, is not copied.
    let mut all = levels.next().unwrap_or_default();
    let end = |all: &TriMesh| u32::try_from(all.triangles.len()).unwrap_or(u32::MAX);
    let mut offsets = vec![0, end(&all)];
    for level in levels {
        crate::pose::append(&mut all, &level);
        offsets.push(end(&all));
    }
    let (joints, weights) = (std::mem::take(&mut all.joints), std::mem::take(&mut all.weights));
    let mesh = RobloxMesh::from_tri_mesh(&all)?;
    if count < 2 && bones.is_empty() {
        return Ok(mesh);
    }
    let (mut mesh, _) = mesh.to_version(Version::V4_01, LodChoice::First);
    if count > 1 {
        mesh.lods.offsets = offsets;
    }
    if !bones.is_empty() {
        mesh.set_skin(&joints, &weights, bones)?;
    }
    Ok(mesh)
}

/// The joints of a skin as bones, and the index of the bone of each joint. The parent of each is the nearest joint above
/// it. Bones have the order of the joints, unless a joint comes before one above it: a parent precedes its children.
fn bones_of(scene: &Scene, joined: &Joined) -> Result<(Vec<Bone>, Vec<u16>)> {
    let (skin, parents) = (&joined.skin, scene.parents());
    let above = |joint: usize| joined.carrier(parents[joint]?).map(usize::from);
    let mut order: Vec<usize> = (0..skin.joints.len()).collect();
    if order.iter().any(|&index| above(skin.joints[index]).is_some_and(|parent| parent > index)) {
        let mut rank = vec![usize::MAX; scene.nodes.len()];
        scene.walk().into_iter().enumerate().for_each(|(at, node)| rank[node] = at);
        geom::sort::by_key(&mut order, |&index| rank[skin.joints[index]]);
    }
    let mut new_of = vec![0; order.len()];
    order.iter().zip(0..).for_each(|(&index, new)| new_of[index] = new);
    let mut bones = Vec::new();
    for index in order {
        let (Some(&joint), Some(inverse)) = (skin.joints.get(index), skin.inverse_bind.get(index)) else {
            break;
        };
        let parent = above(joint).map(|parent| new_of[parent]);
        // Bones have only a rotation and a position: a scale stays in the vertices.
        let bind = rigid(Mat4::from_cols_array_2d(inverse).inverse());
        let name = match scene.nodes[joint].name.as_str() {
            "" => format!("joint{index}"),
            name => name.to_owned(),
        };
        let bind = geom::Mat4::from_columns(bind.to_cols_array());
        bones.push(Bone::new(name, parent, bind).map_err(Error::unwritable)?);
    }
    Ok((bones, new_of))
}
