//! The file that a model was read from, for writing the model again.

use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use geom::Rgba8;
use geom::wire::{Bytes, Counted, short_debug};

use super::order::kinds;
use crate::consts::{Tag, Types, Variant};

/// The file that a model was read from: its bytes, and other data of the file that the model does not contain.
///
/// A chunk, or a line of a text, is written back unchanged until an edit touches its content. The default is the layout
/// of a new model: compressed, in the usual order, with the smallest widths.
#[derive(Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Layout {
    pub(crate) text: Option<TextLayout>,
    /// Whether the chunks are stored uncompressed.
    pub(crate) raw: bool,
    /// The widths of the header, with the unused bits.
    pub(crate) types: Option<Types>,
    /// The chunks in the order of the file. The nth of a kind is the nth of its list in the model.
    pub(crate) chunks: Vec<Slot>,
    /// The string table, with the unused strings.
    pub(crate) strings: BString,
    /// The colours of chunk `CMAP`, with the unused ones.
    pub(crate) palette: Vec<Rgba8>,
    /// The text or the payload; of an uncompressed payload only the parts that can be written in another way. Empty
    /// if the reader was asked to drop it.
    pub(crate) source: Arc<Vec<u8>>,
    /// The compressed stream of the payload. Not serialized: deserialized data may have another payload.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) stream: Arc<Vec<u8>>,
    /// The declared size of the file and the actual one, if they differ.
    pub(crate) wrong_size: Option<(u32, u64)>,
    /// Bytes after the chunk `OMD3`.
    pub(crate) trailing: Vec<u8>,
    /// Bytes after the compressed stream.
    pub(crate) after_stream: Vec<u8>,
    /// Names that begin after the string table, and colours after the palette.
    pub(crate) outside_names: Option<Outside>,
    pub(crate) outside_colors: Option<Outside>,
}

short_debug! {
    Layout {
        text, raw, types, chunks, palette, wrong_size, outside_names, outside_colors;
        strings => Bytes(strings),
        source => Bytes(source),
        stream => Bytes(stream),
        trailing => Bytes(trailing),
        after_stream => Bytes(after_stream),
    }
}

/// A part of a text that the model does not contain.
#[derive(Clone, Copy)]
enum Outer {
    Section,
    Preview,
    Comment,
}

/// A chunk of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Slot {
    pub(crate) kind: ChunkKind,
    /// The range of its content in the source; not all of it if the payload was not compressed.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The number of trailing bytes that are not a record.
    pub(crate) tail: usize,
}

/// The indices of a file that lie past the end of the table they point into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Outside {
    /// The chunk of the first such index, as an index of [`Layout::chunks`].
    pub(crate) chunk: usize,
    pub(crate) first: u32,
    pub(crate) count: u32,
}

impl Layout {
    /// The variant of the file; `None` if the model was not read from one.
    pub fn variant(&self) -> Option<Variant> {
        match (&self.text, self.types) {
            (Some(_), _) => Some(Variant::Ascii),
            (None, types) => types.map(|_| Variant::Binary),
        }
    }

    /// Whether the chunks of the file are stored uncompressed.
    pub fn is_raw(&self) -> bool {
        self.raw
    }

    /// The widths in the header of the file.
    pub fn types(&self) -> Option<Types> {
        self.types
    }

    /// The chunks of the file, in its order.
    pub fn chunks(&self) -> impl Iterator<Item = ChunkKind> {
        self.chunks.iter().map(|slot| slot.kind)
    }

    /// The colours of the file's palette, with the unused ones.
    pub fn palette(&self) -> &[Rgba8] {
        &self.palette
    }

    /// The parts of the text that the model does not contain: sections that this crate does not know, with their
    /// keywords, names of previews that are files of their own, and comments after other keywords. Each has its text,
    /// cut after 40 bytes, and its line.
    fn outside_text(&self) -> impl Iterator<Item = (Outer, &BStr, usize)> {
        let sections = self.text.iter().flat_map(|text| &text.sections);
        let (mut line, mut at) = (1, 0);
        sections.filter_map(move |section| {
            line += self.source.get(at..section.start)?.iter().filter(|&&byte| byte == b'\n').count();
            at = section.start;
            let mut lines = self.source.get(at..)?.lines().map(<[u8]>::trim_ascii);
            let first = lines.next()?;
            let (keyword, comment) = first.split_at(first.find_byteset(b" \t").unwrap_or(first.len()));
            let (outer, text) = match section.kind {
                SectionKind::Unknown => (Outer::Section, keyword),
                kind if kind.has_comment() && !comment.is_empty() => {
                    (Outer::Comment, comment.trim_ascii_start())
                }
                SectionKind::Preview => {
                    let mut rows = lines.take_while(|row| !row.is_empty());
                    let name = rows.next().unwrap_or_default();
                    let has_content = name.starts_with(b"#") || rows.any(|row| row.starts_with(b"#"));
                    (Outer::Preview, if has_content { b"" } else { name })
                }
                _ => return None,
            };
            let shown = text.get(..40).unwrap_or(text).as_bstr();
            (!text.is_empty()).then_some((outer, shown, line))
        })
    }

    /// The keywords of the sections that this crate does not know, cut after 40 bytes, and their lines.
    pub(crate) fn unknown_sections(&self) -> impl Iterator<Item = (&BStr, usize)> {
        let unknown = self.outside_text().filter(|(outer, ..)| matches!(outer, Outer::Section));
        unknown.map(|(_, keyword, line)| (keyword, line))
    }

    /// The content of the file that no field of the model contains: its path, and what it is. It is lost if the
    /// model is written as another variant.
    ///
    /// ```
    /// let text = "3dmodel 1\nn\nMIT\nme\n\nMesh\n0 1 2\n\n1 0 2\n\nEnd\n";
    /// let model = m3d::from_str(text)?;
    /// let outside: Vec<_> = model.layout.outside().collect();
    /// assert_eq!(outside, [("layout.text.unknown[0]".into(), "the unknown section \"1\" at line 9".into())]);
    /// # Ok::<(), m3d::Error>(())
    /// ```
    pub fn outside(&self) -> impl Iterator<Item = (String, String)> {
        fn bytes(len: usize) -> Counted<'static> {
            Counted::new(len, "bytes")
        }
        let (mut unknown, mut previews, mut comments) = (0.., 0.., 0..);
        let sections = self.outside_text().map(move |(outer, text, line)| {
            let (list, what, indices) = match outer {
                Outer::Section => ("unknown", "unknown section", &mut unknown),
                Outer::Preview => ("previews", "reference to the preview file", &mut previews),
                Outer::Comment => ("comments", "comment", &mut comments),
            };
            let index = indices.next().unwrap_or(usize::MAX);
            (format!("layout.text.{list}[{index}]"), format!("the {what} {text:?} at line {line}"))
        });
        let end = self.text.as_ref().and_then(|text| self.source.get(text.end..)).unwrap_or_default();
        let after_end = end.split(|&byte| byte == b'\n').skip(1).any(|line| !line.trim_ascii().is_empty());
        let tails = self.chunks.iter().enumerate().filter(|(_, slot)| slot.tail != 0).map(|(index, slot)| {
            let tag = slot.kind.tag();
            let what = format!("{} after the last whole record of the chunk {tag}", bytes(slot.tail));
            (format!("layout.chunks[{index}]"), what)
        });
        let end = after_end.then(|| ("layout.text".to_owned(), "the text after `End`".to_owned()));
        let trailing = self
            .trailing_bytes()
            .map(|(path, rest, place)| (path.to_owned(), format!("{} {place}", bytes(rest.len()))));
        sections.chain(tails).chain(end).chain(trailing)
    }

    /// The bytes after the last chunk and after the stream: their paths, and where they are.
    pub(crate) fn trailing_bytes(&self) -> impl Iterator<Item = (&'static str, &[u8], &'static str)> {
        let trailing = [
            ("layout.trailing", self.trailing.as_slice(), "after the last chunk"),
            ("layout.after_stream", self.after_stream.as_slice(), "after the compressed chunks"),
        ];
        trailing.into_iter().filter(|(_, bytes, _)| !bytes.is_empty())
    }

    /// The content of a chunk of the file: its records, and the bytes after them.
    pub(crate) fn old(&self, chunk: usize) -> (&[u8], &[u8]) {
        let Some(slot) = self.chunks.get(chunk) else { return Default::default() };
        let content = self.source.get(slot.start..slot.end).unwrap_or_default();
        content.split_at(content.len().saturating_sub(slot.tail))
    }
}

kinds! {
    /// The kinds of chunks after the header.
    pub ChunkKind;
    /// The tag; [`Tag::NONE`] for an extra chunk, which stores its own.
    pub(crate) tag: Tag;
    /// Whether a model has at most one.
    pub(crate) is_once;
    Palette Tag::PALETTE, "layout.palette", true, "`CMAP`; a model has at most one.";
    TexCoords Tag::TEX_COORDS, "tex_coords", true, "`TMAP`; a model has at most one.";
    Vertices Tag::VERTICES, "vertices", true, "`VRTS`; a model has at most one.";
    Skeleton Tag::SKELETON, "bones", true, "`BONE`; a model has at most one.";
    Material Tag::MATERIAL, "materials", false, "`MTRL`.";
    Procedural Tag::PROCEDURAL, "procedurals", false, "`PROC`.";
    Mesh Tag::MESH, "meshes", false, "`MESH`.";
    VoxelTypes Tag::VOXEL_TYPES, "voxel_types", true, "`VOXT`; a model has at most one.";
    Voxels Tag::VOXELS, "voxel_blocks", false, "`VOXD`.";
    Shape Tag::SHAPE, "shapes", false, "`SHPE`.";
    Labels Tag::LABELS, "labels", false, "`LBLS`.";
    Action Tag::ACTION, "actions", false, "`ACTN`.";
    Asset Tag::ASSET, "assets", false, "`ASET`.";
    Extra Tag::NONE, "extras", false, "An unknown or duplicate chunk, which is preserved unchanged.";
}

impl ChunkKind {
    pub(crate) fn of(tag: Tag) -> Self {
        Self::ALL.iter().copied().find(|kind| kind.tag() == tag).unwrap_or(Self::Extra)
    }
}

/// A text that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct TextLayout {
    /// Whether lines end with CR LF.
    pub(crate) crlf: bool,
    /// The start of the first section.
    pub(crate) header: usize,
    /// The sections in the order of the text. The nth of a kind is the nth of its list in the model.
    pub(crate) sections: Vec<TextSlot>,
    /// The end of the last section, with the empty lines after it.
    pub(crate) end: usize,
    /// The first block of voxels with more `layer` rows than layers, and the number of such rows.
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) surplus_layers: Option<(usize, usize)>,
}

/// A section of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct TextSlot {
    pub(crate) kind: SectionKind,
    /// The range of its text, with the empty lines after it.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether the section continues the first one of its kind.
    pub(crate) again: bool,
}

kinds! {
    /// The kinds of sections.
    pub(crate) SectionKind;
    /// The keyword; empty for one that this crate does not know.
    pub(crate) keyword: &'static str;
    /// Whether a model has at most one such section; a second one continues the first.
    pub(crate) is_once;
    Preview "Preview", "preview", true, "`Preview`.";
    TexCoords "Textmap", "tex_coords", true, "`Textmap`.";
    Vertices "Vertex", "vertices", true, "`Vertex`.";
    Bones "Bones", "bones", true, "`Bones`.";
    Material "Material", "materials", false, "`Material`.";
    Procedural "Procedural", "procedurals", false, "`Procedural`.";
    Mesh "Mesh", "meshes", false, "`Mesh`.";
    VoxelTypes "VoxTypes", "voxel_types", true, "`VoxTypes`.";
    Voxels "Voxel", "voxel_blocks", false, "`Voxel`.";
    Shape "Shape", "shapes", false, "`Shape`.";
    Labels "Labels", "labels", false, "`Labels`.";
    Action "Action", "actions", false, "`Action`.";
    Assets "Assets", "assets", true, "`Assets`.";
    Extra "Extra", "extras", false, "`Extra`.";
    Unknown "", "layout.text", false, "A section that this crate does not know.";
}

impl SectionKind {
    /// Whether the text after its keyword is a comment, and not a name.
    pub(crate) const fn has_comment(self) -> bool {
        match self {
            Self::Preview | Self::TexCoords | Self::Vertices | Self::Bones | Self::VoxelTypes => true,
            Self::Procedural | Self::Mesh | Self::Assets => true,
            Self::Material | Self::Voxels | Self::Shape | Self::Labels | Self::Action => false,
            Self::Extra | Self::Unknown => false,
        }
    }
}
