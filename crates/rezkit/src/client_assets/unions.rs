//! The meshes of unions as files, for clients that have no unions.

use std::collections::HashMap;
use std::sync::Arc;

use rbxcore::geom::{TriMesh, Vec2, Vec3};
use rbxcore::{Color3uint8, Dom, InstanceId, Value};
use rbxdocument::history::{self, Month, Status, UnionFile, mesh_version};
use rbxdocument::paths::Paths;
use rbxdocument::view::View as _;
use rbxmesh::{LodChoice, Mesh, Version};
use rezkit_core::{Budget, ErrorKind, Loss, Reference, Result, Sources};
use rezkit_scene::Unions as Wanted;
use rezkit_scene::images::{Picture, png};
use rezkit_scene::roblox::{UnionShape, union_shape};
use rezkit_scene::roblox_model::files::{Assets, FileId};

use crate::file_type::Asset;
use crate::formats::roblox::dom;

const WHAT: &str = "the meshes of the unions";

/// The classes of unions.
const CLASSES: [&str; 4] = ["UnionOperation", "NegateOperation", "IntersectOperation", "PartOperation"];

/// The properties with the mesh of a union, the newest first.
const MESHES: [&str; 3] = ["SolidMeshHolder", "MeshData2", "MeshData"];

/// The properties with the collision hulls of a union.
const HULLS: [&str; 2] = ["PhysicalConfigData", "PhysicsData"];

/// The width of a colour in a texture, in pixels.
const CELL: u32 = 4;

/// The files of unions, by the unions.
pub(crate) type Unions = HashMap<InstanceId, UnionFile>;

/// The files of a mesh: the mesh, and a texture with its colours.
#[derive(Clone, Copy)]
struct Made {
    mesh: FileId,
    texture: Option<FileId>,
    color: Option<[u8; 3]>,
    size: Vec3,
}

/// The files with the meshes of a document's unions, which are added to those beside it; for clients that have unions, only
/// meshes of a form that they lack.
///
/// # Errors
/// If the meshes take more memory than is allowed.
pub(crate) fn of(
    asset: &dyn Asset,
    sources: &mut dyn Sources,
    (month, wanted): (Month, Wanted),
    (assets, losses, max_bytes): (&mut Assets, &mut Vec<Loss>, u64),
) -> Result<Unions> {
    match dom(asset) {
        Some(document) => beside(document, sources, (month, wanted), (assets, losses, max_bytes)),
        None => Ok(Unions::new()),
    }
}

/// Adds the meshes of all unions to the files beside a document.
///
/// # Errors
/// If they take more memory than is allowed.
fn beside(
    document: &dyn Dom,
    sources: &mut dyn Sources,
    (month, wanted): (Month, Wanted),
    (assets, losses, max_bytes): (&mut Assets, &mut Vec<Loss>, u64),
) -> Result<Unions> {
    let (mut unions, mut paths, mut budget) = (Unions::new(), Paths::new(document), Budget::new(max_bytes));
    let mut known: HashMap<(Key, bool), Option<Made>> = HashMap::new();
    let has_unions = history::has_class("UnionOperation", month);
    for id in document.all().into_iter().filter(|&id| CLASSES.contains(&&*document.class_of(id))) {
        if has_unions && !is_newer(document, id, month) {
            continue;
        }
        let own_color = matches!(document.value(id, "UsePartColor"), Some(Value::Bool(true)));
        let mut is_missing = false;
        for (key, bytes) in meshes(document, id, wanted) {
            let made = match known.get(&(key.clone(), own_color)) {
                Some(made) => *made,
                None => {
                    let path = paths.of(id, &mut budget)?;
                    let bytes = match (&key, bytes) {
                        (Key::Asset(asset), _) => {
                            sources.get(asset, budget.left())?.map(|file| file.to_vec())
                        }
                        (_, bytes) => bytes,
                    };
                    let made = match bytes {
                        Some(bytes) => {
                            made(&bytes, own_color, newest(month), &path, (assets, losses, &mut budget))?
                        }
                        None => None,
                    };
                    budget.take(200, WHAT)?;
                    *known.entry((key.clone(), own_color)).or_insert(made)
                }
            };
            let Some(Made { mesh, texture, color, size }) = made else {
                is_missing |= matches!(key, Key::Asset(_));
                continue;
            };
            let path = paths.of(id, &mut budget)?;
            if matches!(key, Key::Own(_, name) | Key::Shared(_, _, name) if HULLS.contains(&name)) {
                let what = "a union becomes its collision hulls";
                losses.push(Loss::approximated(&path, what).id("client.asset"));
            }
            let path = format!("{path}/Mesh");
            let mut file = UnionFile { size, ..UnionFile::default() };
            file.mesh = assets.address(mesh, &path, "MeshId", &mut budget)?;
            if let Some(texture) = texture {
                file.texture = assets.address(texture, &path, "TextureId", &mut budget)?;
            }
            file.color = color.map(|[r, g, b]| Color3uint8 { r, g, b });
            let initial = document.value(id, "InitialSize").and_then(|value| value.as_vector3());
            if let Some(initial) = initial.filter(|size| size.to_array().iter().all(|side| *side > 0.0)) {
                file.size = initial;
            }
            budget.take((file.mesh.len() + file.texture.len() + 200) as u64, WHAT)?;
            unions.insert(id, file);
            break;
        }
        if is_missing && !unions.contains_key(&id) {
            let what = "the mesh of a union that was not found, so that it is a block";
            losses.push(Loss::warning(paths.of(id, &mut budget)?, what).id("client.asset-missing"));
        }
    }
    Ok(unions)
}

/// The newest version of meshes that the clients of a month read.
pub(super) fn newest(month: Month) -> Version {
    mesh_version(month).parse().unwrap_or(Version::V1_00)
}

/// Whether the mesh of a union is only in a property that the month did not have, and that no older one replaces.
fn is_newer(document: &dyn Dom, id: InstanceId, month: Month) -> bool {
    let has = |name: &str| {
        let value = document.value(id, name);
        value.as_ref().and_then(Value::as_bytes).is_some_and(|bytes| !bytes.is_empty())
    };
    let is_known = matches!(history::property("UnionOperation", MESHES[0], month), Status::Known(_));
    !is_known && has(MESHES[0]) && !["AssetId", "MeshData", "MeshData2"].into_iter().any(has)
}

/// What tells one mesh from another.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    /// A value of this instance alone.
    Own(InstanceId, &'static str),
    /// A shared string, by its address.
    Shared(usize, usize, &'static str),
    Asset(Reference),
}

/// The wanted meshes that a union states: their bytes, or the asset that has them.
fn meshes(document: &dyn Dom, id: InstanceId, wanted: Wanted) -> Vec<(Key, Option<Vec<u8>>)> {
    let stated = |name: &'static str| {
        let value = document.value(id, name)?;
        // A key instead of a mesh.
        let bytes = value.as_bytes().filter(|bytes| !bytes.is_empty() && !bytes.starts_with(b"CSGK"))?;
        let key = match &value {
            Value::SharedString(_) => Key::Shared(bytes.as_ptr().addr(), bytes.len(), name),
            _ => Key::Own(id, name),
        };
        Some((key, Some(bytes.to_vec())))
    };
    let mut found = Vec::new();
    if matches!(wanted, Wanted::First | Wanted::Mesh) {
        found.extend(MESHES.into_iter().filter_map(stated));
        let asset = document.value(id, "AssetId");
        let asset = asset.as_ref().and_then(Value::as_str).and_then(Reference::of_uri);
        found.extend(asset.map(|asset| (Key::Asset(asset), None)));
    }
    if matches!(wanted, Wanted::First | Wanted::Hulls) {
        found.extend(HULLS.into_iter().filter_map(stated));
    }
    found
}

/// The files of a mesh; `None` if it cannot be read, which is listed.
fn made(
    bytes: &[u8],
    own_color: bool,
    version: Version,
    path: &str,
    (assets, losses, budget): (&mut Assets, &mut Vec<Loss>, &mut Budget),
) -> Result<Option<Made>> {
    let (left, mut listed) = (budget.left(), Vec::new());
    let shape = match union_shape(bytes, own_color, &mut listed, budget) {
        Ok(shape) => shape,
        Err(error) if error.kind() == ErrorKind::Unreadable => {
            let what = format!("the mesh of a union cannot be read, so that it is a block: {error}");
            losses.push(Loss::warning(path, what).id("client.asset"));
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    losses.extend(listed.into_iter().map(|loss| loss.below(|_| path.to_owned())));
    let Some(UnionShape { mut mesh, size, color }) = shape else { return Ok(None) };
    let mut texture = None;
    if !mesh.colors.is_empty() {
        budget.take(mesh.triangles.len() as u64 * 300, WHAT)?;
        let (painted, picture) = painted(&mesh);
        mesh = Arc::new(painted);
        texture = Some(assets.add(png(&picture)?, None, budget)?);
    }
    let triangles = mesh.triangles.len();
    // The vertices of the older form have the same order.
    let (old, _) = Mesh::from_tri_mesh(&mesh)?.to_version(version.min(Version::V2_00), LodChoice::First);
    let mesh = assets.add(rbxmesh::to_vec(&old)?, Some(triangles), budget)?;
    // What was read is no longer in memory.
    budget.give_back((left - budget.left()).min(bytes.len() as u64));
    Ok(Some(Made { mesh, texture, color, size }))
}

/// A mesh whose colours are in a texture: the texture coordinates of each triangle are those of its colour.
fn painted(mesh: &TriMesh) -> (TriMesh, Picture) {
    let mut colors: Vec<[u8; 4]> = Vec::new();
    let (mut index_of, mut vertices) = (HashMap::new(), HashMap::new());
    let (mut made, mut of_vertices) = (TriMesh::default(), Vec::new());
    for triangle in &mesh.triangles {
        // Each operand of a union has one colour, so the corners of a triangle have the same one.
        let color = mesh.colors.get(triangle[0] as usize).map(|color| color.to_srgb());
        let color = color.map_or([255; 4], |color| [color.r, color.g, color.b, 255]);
        let color = *index_of.entry(color).or_insert_with(|| {
            colors.push(color);
            colors.len() - 1
        });
        let corners = triangle.map(|corner| {
            *vertices.entry((corner, color)).or_insert_with(|| {
                made.positions.extend(mesh.positions.get(corner as usize));
                made.normals.extend(mesh.normals.get(corner as usize));
                of_vertices.push(color);
                u32::try_from(of_vertices.len() - 1).unwrap_or(u32::MAX)
            })
        });
        made.triangles.push(corners);
    }
    let side = (1_usize..).find(|side| side * side >= colors.len()).unwrap_or(1);
    #[allow(clippy::cast_precision_loss, reason = "a texture has few colours")]
    let center = |index: usize| (index as f32 + 0.5) / side as f32;
    made.uvs =
        of_vertices.iter().map(|index| Vec2::new(center(index % side), center(index / side))).collect();
    let pixels = u32::try_from(side).unwrap_or(1) * CELL;
    let picture = Picture::from_fn(pixels, pixels, |x, y| {
        let index = (y / CELL) as usize * side + (x / CELL) as usize;
        colors.get(index).copied().unwrap_or([255; 4])
    });
    (made, picture)
}
