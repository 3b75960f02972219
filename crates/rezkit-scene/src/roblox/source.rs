//! From documents and mesh files to what a scene is built from.

use rezkit_core::{Error, Result};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use glam::{Mat4, Vec3, Vec4};

use super::tree::{Inst, Prop, Tree, WANTED};
use rezkit_core::Budget;

static NAMES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| WANTED.iter().copied().collect());

/// Column by column, from a rotation row by row and a position.
fn matrix(rotation: geom::Mat3, position: geom::Vec3) -> Mat4 {
    let rows = rotation.to_rows();
    let column = |index: usize| Vec4::new(rows[index], rows[index + 3], rows[index + 6], 0.0);
    Mat4::from_cols(column(0), column(1), column(2), Vec3::from(position.to_array()).extend(1.0))
}

/// The instances of a document of either crate, whose names are the same.
macro_rules! tree_of {
    ($document:expr, $krate:ident) => {{
        use $krate::{Content, Value};
        let document = $document;
        let mut tree = Tree::default();
        let mut index_of = HashMap::new();
        for id in document.instances() {
            let parent = document.parent(id).and_then(|parent| index_of.get(&parent).copied());
            let index = tree.instances.len();
            index_of.insert(id, index);
            let text = |bytes: Option<&bstr::BStr>| bytes.map(ToString::to_string).unwrap_or_default();
            tree.instances.push(Inst {
                class: text(document.class(id)),
                name: text(document.name(id)),
                parent,
                ..Inst::default()
            });
            match parent {
                Some(parent) => tree.instances[parent].children.push(index),
                None => tree.roots.push(index),
            }
        }
        for (&id, &index) in &index_of {
            for (name, value) in document.properties(id) {
                let Some(&name) = std::str::from_utf8(name).ok().and_then(|name| NAMES.get(name)) else {
                    continue;
                };
                let prop = match value.to_value() {
                    Value::Bool(value) => Prop::Bool(value),
                    Value::Int32(value) => Prop::Number(value.into()),
                    Value::Int64(value) => Prop::Number(value as f64),
                    Value::Float32(value) => Prop::Number(value.into()),
                    Value::Float64(value) => Prop::Number(value),
                    Value::Enum(value) => Prop::Number(value.into()),
                    Value::BrickColor(value) => Prop::Number(value.0.into()),
                    Value::Vector3(value) => Prop::Vector(Vec3::from(value.to_array())),
                    Value::Color3(color) => Prop::Color([color.r, color.g, color.b]),
                    Value::Color3uint8(color) => {
                        Prop::Color([color.r, color.g, color.b].map(|part| f32::from(part) / 255.0))
                    }
                    Value::Ref(target) => Prop::Ref(target.and_then(|target| index_of.get(&target).copied())),
                    Value::Content(Content::Uri(uri)) => Prop::Bytes(AsRef::<[u8]>::as_ref(&uri).to_vec()),
                    other => match (other.as_cframe(), other.as_bytes()) {
                        (Some(frame), _) => Prop::Frame(matrix(frame.rotation, frame.position)),
                        (None, Some(bytes)) => Prop::Bytes(bytes.to_vec()),
                        (None, None) => continue,
                    },
                };
                tree.instances[index].props.insert(name, prop);
            }
        }
        tree
    }};
}

pub(super) fn of_binary(document: &rbxbinary::Document) -> Tree {
    tree_of!(document, rbxbinary)
}

pub(super) fn of_xml(document: &rbxxml::Document) -> Tree {
    tree_of!(document, rbxxml)
}

/// The operands of a union, which are a document in it.
pub(super) fn operands(bytes: &[u8], budget: &mut Budget) -> Result<Tree> {
    // Chunks tell how long they are when they are decompressed.
    let chunks = rbxbinary::chunks(bytes)?;
    let length = chunks.map_while(Result::ok).map(|chunk| chunk.len as u64).sum();
    budget.take(length, "what is compressed in it")?;
    let options = rbxbinary::ReadOptions::new().max_bytes(budget.left());
    Ok(of_binary(&options.read(bytes)?))
}

/// The finest level of a Roblox mesh, and its bones where they move it.
pub(super) struct MeshFile {
    pub(super) mesh: geom::TriMesh,
    pub(super) bones: Vec<rbxmesh::Bone>,
}

pub(super) fn mesh(bytes: &[u8], budget: &mut Budget) -> Result<MeshFile> {
    let options = rbxmesh::ReadOptions::new().max_bytes(budget.left());
    let file = options.read(bytes)?;
    // What is kept is not more than what the file has, decompressed.
    let kept = std::mem::size_of_val(&*file.vertices) + std::mem::size_of_val(&*file.faces);
    budget.take(kept as u64, "it")?;
    let mesh = file.to_tri_mesh(0).ok_or_else(|| Error::unreadable("no level of detail"))?;
    let bones = if mesh.joints.is_empty() { Vec::new() } else { file.bones };
    Ok(MeshFile { mesh, bones })
}
