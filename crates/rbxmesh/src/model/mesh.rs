//! The mesh. A table of its parts generates its fields, equality, selection and the losses between versions.

use crate::consts::{ChunkKind, Version};
use crate::model::equal::Same;
use crate::model::{Bone, Envelope, Facs, Layout, Lods, Subset, Vertex, Visibility};
use geom::wire::Counted;

/// The kind of element for which a part has one entry each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Per {
    Mesh,
    Vertex,
    Face,
}

/// A possible loss: a part or value that not every version can represent.
pub(crate) struct Loss {
    pub(crate) path: &'static str,
    /// The loss in a version that cannot represent it; `None` if nothing is lost.
    pub(crate) lost: fn(&Mesh, Version) -> Option<String>,
    /// Drops the part or value that the version cannot represent.
    pub(crate) drop: fn(&mut Mesh, Version),
}

/// A part of a mesh: a row of the table.
pub(crate) struct Part {
    /// The kind of element for which the part has one entry each.
    pub(crate) per: Per,
    /// The chunk that contains the part; `None` if the part exists only in text.
    pub(crate) chunk: Option<ChunkKind>,
    pub(crate) amount: fn(&Mesh) -> Option<usize>,
    pub(crate) select: fn(&mut Mesh, old: usize, from: &[u32]),
    /// The loss of the whole part, such as `52 bones`.
    pub(crate) loss: Loss,
}

/// Generates the mesh, its equality and [`Mesh::PARTS`] from a table. A row has the field, its type, the chunk that
/// contains it (unless it exists only in text), the kind of element for which it has one entry, and its noun in the
/// plural.
macro_rules! parts {
    ($(#[$about:meta])* Mesh: $(
        $(#[$doc:meta])*
        $field:ident: $type:ty, $(in $chunk:ident,)? per $per:ident, $what:literal;
    )+) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct Mesh {
            /// The version of the file that the mesh was read from, and in which it is written. [`Mesh::to_version`]
            /// changes it, and drops what the new version cannot represent.
            pub version: Version,
            $($(#[$doc])* pub $field: $type,)+
            /// The layout of the file.
            pub layout: Layout,
        }

        impl Eq for Mesh {}

        impl PartialEq for Mesh {
            fn eq(&self, other: &Self) -> bool {
                self.version == other.version $(&& Content::same(&self.$field, &other.$field))+
            }
        }

        impl Mesh {
            pub(crate) const PARTS: &[Part] = &[$({
                const CHUNK: Option<ChunkKind> = parts!(@ $($chunk)?);
                Part {
                    per: Per::$per,
                    chunk: CHUNK,
                    amount: |mesh| mesh.$field.amount(),
                    select: |mesh, old, from| mesh.$field.select(old, from),
                    loss: Loss {
                        path: stringify!($field),
                        lost: |mesh, to| {
                            let kept = CHUNK.map_or(to.is_text(), |chunk| to.has(chunk));
                            Some(Counted::new(mesh.$field.amount().filter(|_| !kept)?, $what).to_string())
                        },
                        drop: |mesh, _| mesh.$field = Default::default(),
                    },
                }
            }),+];
        }
    };
    (@ $chunk:ident) => { Some(ChunkKind::$chunk) };
    (@) => { None };
}
parts! {
    /// A mesh of any version.
    ///
    /// It hides the differences between versions: positions have their true size (1.00 stores them doubled), v grows
    /// downwards (1.x stores it upwards), each triangle of 1.x is a face with three vertices of its own, and a
    /// vertex without a colour is white. [`Mesh::layout`] has what else is needed to write the file unchanged.
    ///
    /// `==` compares everything except the layout, and floats by their bits. [`Mesh::same_layout`] compares the layout.
    Mesh:
    /// The vertices, of all levels of detail.
    vertices: Vec<Vertex>, in Core, per Vertex, "vertices";
    /// The faces, three vertex indices each; the faces of one level of detail after those of the other.
    faces: Vec<[u32; 3]>, in Core, per Face, "faces";
    /// The levels of detail.
    lods: Lods, in Lods, per Mesh, "offsets of levels of detail";
    /// The bones that move a vertex, one entry per vertex; empty if there is no skin.
    envelopes: Vec<Envelope>, in Skinning, per Vertex, "envelopes";
    /// The bones; empty if there is no skin.
    bones: Vec<Bone>, in Skinning, per Mesh, "bones";
    /// Runs of vertices and faces, each with the bones that it uses.
    subsets: Vec<Subset>, in Skinning, per Mesh, "subsets";
    /// Facial animation, from 5.00 on.
    facs: Option<Facs>, in Facs, per Mesh, "poses of facial animation";
    /// Visibility flags, from 6.00 on.
    visibility: Option<Visibility>, in Visibility, per Mesh, "visibility flags";
    /// The third component (w) of the texture coordinates of a 1.x file, one per vertex; empty if all are zero. Its
    /// meaning is unknown, and later versions do not have it.
    texture_w: Vec<f32>, per Vertex, "w components of texture coordinates";
}

impl Mesh {
    /// The faces of each level of detail, finest first.
    ///
    /// Without [`Lods::offsets`] there is one level of all faces. Offsets beyond the faces are clamped, and a level
    /// that would end before it begins is empty.
    pub fn levels(&self) -> impl ExactSizeIterator<Item = &[[u32; 3]]> + DoubleEndedIterator {
        self.lods.ranges(self.faces.len()).map(|range| &self.faces[range])
    }

    /// The number of faces that belong to no level of detail.
    pub fn unused_faces(&self) -> usize {
        let mut ranges: Vec<_> = self.lods.ranges(self.faces.len()).collect();
        geom::sort::by_key(&mut ranges, |range| range.start);
        let (mut end, mut used) = (0, 0);
        for range in ranges {
            used += range.end.saturating_sub(range.start.max(end));
            end = end.max(range.end);
        }
        self.faces.len() - used
    }

    /// Whether both meshes have the same layout, including unknown bytes. Equal meshes with the same layout are
    /// written as the same bytes.
    pub fn same_layout(&self, other: &Self) -> bool {
        self.layout == other.layout
    }

    /// Whether the mesh has any content for a chunk.
    pub(crate) fn has(&self, chunk: ChunkKind) -> bool {
        let Layout { bone_names, facs_unknown, .. } = &self.layout;
        let names = bone_names.as_ref();
        let more = match chunk {
            ChunkKind::Core | ChunkKind::Lods | ChunkKind::Visibility => false,
            // A table of names without bones is content, too.
            ChunkKind::Skinning => {
                names.is_some_and(|names| !names.bytes.is_empty() && names.offsets.is_empty())
            }
            ChunkKind::Facs => facs_unknown.is_some(),
        };
        let mut parts = Self::PARTS.iter().filter(|part| part.chunk == Some(chunk));
        more || parts.any(|part| (part.amount)(self).is_some())
    }

    /// Selects entries of every part that has one entry per vertex or face; there were `old` of them.
    pub(crate) fn select(&mut self, per: Per, old: usize, from: &[u32]) {
        Self::PARTS.iter().filter(|part| part.per == per).for_each(|part| (part.select)(self, old, from));
    }
}

/// The value of a part.
pub(crate) trait Content: PartialEq {
    /// The number of entries; `None` if there is nothing to write.
    fn amount(&self) -> Option<usize>;

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    /// Entry k becomes the old entry `from[k]`, if the part has `old` entries; otherwise nothing changes.
    fn select(&mut self, _old: usize, _from: &[u32]) {}
}

/// An entry of a list.
trait Entry: Clone + Eq {}

impl Entry for Vertex {}
impl Entry for [u32; 3] {}
impl Entry for Envelope {}
impl Entry for Bone {}
impl Entry for Subset {}

impl<T: Entry> Content for Vec<T> {
    fn amount(&self) -> Option<usize> {
        Some(self.len()).filter(|&len| len > 0)
    }

    fn select(&mut self, old: usize, from: &[u32]) {
        column(self, old, from);
    }
}

/// A column of zeros is not written, and equals an empty column.
impl Content for Vec<f32> {
    fn amount(&self) -> Option<usize> {
        Some(self.iter().filter(|number| number.to_bits() != 0).count()).filter(|&count| count > 0)
    }

    fn same(&self, other: &Self) -> bool {
        self.amount().is_none() && other.amount().is_none() || Same::same(self, other)
    }

    fn select(&mut self, old: usize, from: &[u32]) {
        column(self, old, from);
    }
}

impl Content for Lods {
    fn amount(&self) -> Option<usize> {
        (*self != Self::default()).then_some(self.offsets.len())
    }
}

impl Content for Option<Facs> {
    fn amount(&self) -> Option<usize> {
        self.as_ref().map(Facs::pose_count)
    }
}

impl Content for Option<Visibility> {
    fn amount(&self) -> Option<usize> {
        self.as_ref().map(|visibility| visibility.count as usize)
    }
}

/// Entry k becomes the old entry `from[k]`. A column that does not have `old` entries is not changed.
fn column<T: Clone>(column: &mut Vec<T>, old: usize, from: &[u32]) {
    if column.len() == old {
        *column = from.iter().filter_map(|&index| column.get(index as usize).cloned()).collect();
    }
}
