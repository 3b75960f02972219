//! Reads documents and mesh files into the data that a scene is built from.

use rezkit_core::{Error, Result};
use std::collections::HashSet;
use std::sync::LazyLock;

use glam::{Mat4, Vec3, Vec4};
use rbxcore::hash::NameMap;
use rbxcore::{Dom, InstanceId, ValueRef};

use super::tree::{BLOBS, Inst, OLD, Prop, Property, Tree, is_base_part};
use crate::rbxmesh::{bind_all, dangling};
use rezkit_core::{Budget, Loss};

/// The names of properties, those of old files too, with those of today.
static NAMES: LazyLock<NameMap<&'static str, Property>> =
    LazyLock::new(|| Property::ALL.iter().chain(OLD).copied().collect());

fn wanted(name: &[u8]) -> Option<Property> {
    NAMES.get(std::str::from_utf8(name).ok()?).copied()
}

/// A matrix of four columns from a rotation, row by row, and a position.
fn matrix(rotation: geom::Mat3, position: geom::Vec3) -> Mat4 {
    let rows = rotation.to_rows();
    let column = |index: usize| Vec4::new(rows[index], rows[index + 3], rows[index + 6], 0.0);
    Mat4::from_cols(column(0), column(1), column(2), Vec3::from(position.to_array()).extend(1.0))
}

/// The value of a property; `None` for types that scenes do not need.
fn prop(value: ValueRef<'_>, index_of: &NameMap<InstanceId, usize>) -> Option<Prop> {
    Some(match value {
        ValueRef::Bool(value) => Prop::Bool(value),
        ValueRef::Int64(value) => Prop::Number(value as f64),
        ValueRef::Enum(value) => Prop::Number(value.into()),
        ValueRef::BrickColor(value) => Prop::Number(value.0.into()),
        ValueRef::Vector2(value) => Prop::Vector(Vec3::new(value.x, value.y, 0.0)),
        ValueRef::Vector3(value) => Prop::Vector(Vec3::from(value.to_array())),
        ValueRef::Color3(color) => Prop::Color([color.r, color.g, color.b]),
        ValueRef::Color3uint8(color) => {
            Prop::Color([color.r, color.g, color.b].map(|part| f32::from(part) / 255.0))
        }
        ValueRef::Ref(target) => Prop::Ref(target.and_then(|target| index_of.get(&target).copied())),
        value => match (value.as_cframe(), value.as_f64()) {
            (Some(frame), _) => Prop::Frame(matrix(frame.rotation, frame.position)),
            (None, Some(number)) => Prop::Number(number),
            (None, None) => Prop::Bytes(value.as_bytes()?.to_vec()),
        },
    })
}

/// Whether the scene of a document can depend on a property of a class: its name in files, or one that is computed.
pub fn depends_on(class: &str, property: &str) -> bool {
    const COMPUTED: [&str; 4] = ["Orientation", "Parent", "Position", "Rotation"];
    let is_number = class.ends_with("Value") && class != "ObjectValue";
    COMPUTED.contains(&property)
        || wanted(property.as_bytes()).is_some_and(|name| name != Property::Value || !is_number)
}

/// The instances of a document that a scene of some of them needs: these with their descendants, the instances above
/// them, and the Workspace, without which a scene shows other services. Each is before its children.
pub(super) fn reduced(document: &dyn Dom, only: &[InstanceId]) -> Vec<InstanceId> {
    let workspace =
        document.roots().find(|&root| document.class(root).is_some_and(|class| class == "Workspace"));
    let mut known: HashSet<InstanceId> = workspace.into_iter().collect();
    let mut ids: Vec<InstanceId> = workspace.into_iter().collect();
    for &id in only.iter().filter(|&&id| document.contains(id)) {
        let above = std::iter::successors(document.parent(id), |&id| document.parent(id));
        let above: Vec<_> = above.collect();
        let all = above.into_iter().rev().chain([id]).chain(document.descendants(id));
        ids.extend(all.filter(|&id| known.insert(id)));
    }
    ids
}

/// Reads the instances of a document, or only the given ones, and notes the one at a path.
pub(super) fn tree(
    document: &dyn Dom,
    (only, path): (Option<&[InstanceId]>, Option<&str>),
    budget: &mut Budget,
) -> Result<Tree> {
    let mut tree = Tree::default();
    let (mut index_of, mut blobs, mut cornered) = (NameMap::default(), Blobs::default(), Vec::new());
    let ids = only.map_or_else(|| document.instances().collect(), <[InstanceId]>::to_vec);
    for &id in &ids {
        let parent = document.parent(id).and_then(|parent| index_of.get(&parent).copied());
        let index = tree.instances.len();
        index_of.insert(id, index);
        let text = |bytes: Option<&bstr::BStr>| bytes.map(ToString::to_string).unwrap_or_default();
        // The instance is in a list and a table whose capacity doubles, and in the list of its parent.
        let texts = document.class(id).map_or(0, |class| class.len())
            + document.name(id).map_or(0, |name| name.len());
        budget.take((2 * size_of::<Inst>() + 112 + texts) as u64, "the instances")?;
        tree.instances.push(Inst {
            class: text(document.class(id)),
            name: text(document.name(id).or_else(|| document.class(id))),
            parent,
            ..Inst::default()
        });
        match parent {
            Some(parent) => tree.instances[parent].children.push(index),
            None => tree.roots.push(index),
        }
    }
    // In the order of the document, in which neighbours are mostly neighbours in the file's columns, too.
    for (index, &id) in ids.iter().enumerate() {
        for (name, value) in document.properties(id) {
            if let ValueRef::Unknown(unknown) = value
                && &*unknown.tag == "Feature"
            {
                if of_feature(&unknown.xml, &mut tree.instances[index], budget)? {
                    cornered.push(index);
                }
                continue;
            }
            let Some(now) = wanted(name) else { continue };
            let instance = &mut tree.instances[index];
            if *name != *now.name() && instance.props.get(now).is_some() {
                continue;
            }
            let name = now;
            let prop = match BLOBS.contains(&name) {
                true => {
                    let bytes = value.as_bytes().filter(|bytes| !bytes.is_empty());
                    bytes.map(|bytes| Prop::Blob(blobs.index(bytes)))
                }
                false => prop(value, &index_of).or_else(|| item(&instance.class, now.name(), value)),
            };
            let class = instance.class.as_str();
            if prop.is_none() && matches!(name, Property::CFrame | Property::size) && is_base_part(class) {
                let tag = value.to_value().tag().to_owned();
                tree.unread.push((index, name, tag));
            }
            // Of properties named `Value`, only those of ObjectValues and of animations are needed.
            let is_animated = matches!(class, "KeyframeMarker" | "NumberPose");
            let is_wanted =
                |prop: &Prop| name != Property::Value || is_animated || matches!(prop, Prop::Ref(_));
            if let Some(prop) = prop.filter(is_wanted) {
                budget.take(prop.size(), "the properties")?;
                instance.props.insert(name, prop);
            }
        }
    }
    for index in cornered {
        let instance = &mut tree.instances[index];
        if let (Some(frame), Some(size)) =
            (instance.frame(&[Property::CFrame]), instance.vector(&[Property::size]))
        {
            let center = frame * Mat4::from_translation(size * 0.5);
            instance.props.insert(Property::CFrame, Prop::Frame(center));
        }
    }
    fill_in(&mut tree, budget)?;
    tree.own = tree.instances.len();
    budget.take(blobs.distinct.iter().map(|blob| blob.len() as u64).sum(), "the properties")?;
    tree.blobs = blobs.distinct.into_iter().map(<[u8]>::to_vec).collect();
    if let Some(path) = path {
        let start =
            document.find(&*rezkit_core::plain::unescaped(path)).and_then(|id| index_of.get(&id).copied());
        tree.start = Some(start.ok_or_else(|| Error::argument(format!("no such path: {path}")))?);
    }
    Ok(tree)
}

/// The item of an enum that XML states by its name.
fn item(class: &str, property: &str, value: ValueRef<'_>) -> Option<Prop> {
    let ValueRef::Unknown(unknown) = value else { return None };
    let text = std::str::from_utf8(&unknown.xml).ok().filter(|_| &*unknown.tag == "token")?;
    let items = rbxcore::classes::class(class)?.property(property)?.items()?;
    Some(Prop::Number(items.item(text.trim())?.into()))
}

/// Reads the properties in an element `<Feature>`, in which XML of 2005 and 2006 groups those of a class. Returns whether
/// it has the size of a part: then, the frame of the part is at its corner (that of the least x, y and z in its own axes),
/// not in its middle. Only so do the parts of such files touch each other.
fn of_feature(xml: &[u8], instance: &mut Inst, budget: &mut Budget) -> Result<bool> {
    let [before, after] =
        [&b"<roblox version=\"4\"><Item class=\"\"><Properties>"[..], b"</Properties></Item></roblox>"];
    budget.take(4 * xml.len() as u64, "the properties")?;
    let options = rbxxml::ReadOptions::new().max_bytes(budget.left());
    let Ok(document) = options.read(&[before, xml, after].concat()) else { return Ok(false) };
    let mut has_size = false;
    for id in document.roots().collect::<Vec<_>>() {
        for (name, value) in document.properties(id) {
            let Some(name) = wanted(name).filter(|&name| instance.props.get(name).is_none()) else {
                continue;
            };
            let none = NameMap::default();
            if let Some(prop) = prop(value, &none).or_else(|| item(&instance.class, name.name(), value)) {
                budget.take(prop.size(), "the properties")?;
                has_size |= name == Property::size;
                instance.props.insert(name, prop);
            }
        }
    }
    Ok(has_size)
}

/// The properties whose default depends on the class, or without which nothing is drawn.
const FILLED: [Property; 6] = [
    Property::CFrame,
    Property::size,
    Property::MeshType,
    Property::Range,
    Property::StudsPerTileU,
    Property::StudsPerTileV,
];

/// Gives instances the defaults of their class, which files of `rojo build` omit.
fn fill_in(tree: &mut Tree, budget: &mut Budget) -> Result<()> {
    let mut of_class: NameMap<String, Vec<(Property, Prop)>> = NameMap::default();
    for instance in &mut tree.instances {
        let defaults = match of_class.get(&instance.class) {
            Some(defaults) => defaults,
            None => of_class.entry(instance.class.clone()).or_insert(defaults(&instance.class)),
        };
        for (name, value) in defaults {
            if instance.props.get(*name).is_none() {
                budget.take(value.size(), "the properties")?;
                instance.props.insert(*name, value.clone());
            }
        }
    }
    Ok(())
}

fn defaults(class: &str) -> Vec<(Property, Prop)> {
    let value = |name: Property| {
        let default = rbxcore::classes::class(class)?.stored(name.name())?.default()?;
        Some((name, prop(default.as_ref(), &NameMap::default())?))
    };
    FILLED.into_iter().filter_map(value).collect()
}

/// The distinct blobs of a document.
#[derive(Default)]
struct Blobs<'a> {
    distinct: Vec<&'a [u8]>,
    /// The indices by address, so that a blob shared by many instances is examined once.
    by_address: NameMap<(usize, usize), usize>,
    by_content: NameMap<&'a [u8], usize>,
}

impl<'a> Blobs<'a> {
    fn index(&mut self, bytes: &'a [u8]) -> usize {
        let Self { distinct, by_address, by_content } = self;
        *by_address.entry((bytes.as_ptr().addr(), bytes.len())).or_insert_with(|| {
            *by_content.entry(bytes).or_insert_with(|| {
                distinct.push(bytes);
                distinct.len() - 1
            })
        })
    }
}

/// Reads the operands of a union, which are an embedded document. Also returns the number of bytes to give back to the
/// budget as soon as the operands are no longer in memory. Many unions can share a document: each reading is work.
pub(super) fn operands(bytes: &[u8], budget: &mut Budget) -> Result<(Tree, u64)> {
    let what = "the operands of the unions";
    budget.work(10_000 + 8 * bytes.len() as u64, what)?;
    let length = decompressed(bytes)?;
    budget.take(length, what)?;
    budget.work(length.saturating_mul(8), what)?;
    let mut after = budget.clone();
    let tree = binary(bytes, &mut after)?;
    let held = budget.left() - after.left();
    *budget = after;
    Ok((tree, held))
}

/// The length of the chunks of a binary document: each states its own.
fn decompressed(bytes: &[u8]) -> Result<u64> {
    Ok(rbxbinary::chunks(bytes)?.map_while(Result::ok).map(|chunk| u64::from(chunk.len)).sum())
}

fn binary(bytes: &[u8], budget: &mut Budget) -> Result<Tree> {
    let options = rbxbinary::ReadOptions::new().max_bytes(budget.left());
    tree(&options.read(bytes)?, (None, None), budget)
}

/// Reads a document, binary or XML. Errors call it `what`.
pub(super) fn document(bytes: &[u8], what: &'static str, budget: &mut Budget) -> Result<Tree> {
    if rbxbinary::detect(bytes).is_some() {
        budget.take(decompressed(bytes)?, what)?;
        return binary(bytes, &mut budget.clone());
    }
    budget.take(bytes.len() as u64 * 2, what)?;
    let options = rbxxml::ReadOptions::new().max_bytes(budget.left());
    tree(&options.read(bytes)?, (None, None), &mut budget.clone())
}

/// A level of a Roblox mesh; if bones move it, also the bones and their motions by facial controls.
pub(super) struct MeshFile {
    pub(super) mesh: geom::TriMesh,
    pub(super) bones: Vec<rbxmesh::Bone>,
    pub(super) facs: Option<rbxmesh::Facs>,
}

/// Reads a level of a mesh, 0 for the finest; the coarsest if it has fewer levels.
pub(super) fn mesh(bytes: &[u8], level: usize, budget: &mut Budget) -> Result<(MeshFile, Vec<Loss>)> {
    let options = rbxmesh::ReadOptions::new().max_bytes(budget.left());
    let file = options.read(bytes)?;
    // The data that is kept is not larger than the decompressed file.
    let kept = std::mem::size_of_val(&*file.vertices) + std::mem::size_of_val(&*file.faces);
    budget.take(kept as u64, "the mesh")?;
    let level = level.min(file.levels().len().saturating_sub(1));
    let mut mesh =
        file.to_tri_mesh(level).ok_or_else(|| Error::unreadable("the mesh file has no level of detail"))?;
    bind_all(&mut mesh);
    let losses = dangling(&file, level..level + 1);
    let (bones, facs) = if mesh.joints.is_empty() { Default::default() } else { (file.bones, file.facs) };
    if !bones.is_empty() {
        // Facial animation takes as much memory as in the file.
        let names: usize = bones.iter().map(|bone| size_of::<rbxmesh::Bone>() + bone.name.len()).sum();
        budget.take((bytes.len() + names) as u64, "the bones of a mesh")?;
    }
    Ok((MeshFile { mesh, bones, facs }, losses))
}
