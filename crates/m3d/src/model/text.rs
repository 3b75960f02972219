//! How a text was laid out.

use bstr::BString;

use super::order::kinds;

/// What a rewrite of a text needs and the model does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct TextLayout {
    /// Lines end with CR LF.
    pub crlf: bool,
    /// The text uses what only this crate reads, and is written with it again:
    /// [`WriteOptions::extensions`](crate::WriteOptions::extensions).
    pub extensions: bool,
    /// Before each bone of a vertex there is one of weight 0. The SDK skips every second token there, and
    /// reads no text with skins otherwise; other readers skip such bones. Texts of models that were not
    /// read from one have them.
    pub padded_skins: bool,
    /// Rows of bones in actions end with a blank, without which the SDK stops reading. Texts of models
    /// that were not read from one have it.
    pub padded_actions: bool,
    /// The text does not end with `End`.
    pub no_end: bool,
    /// The order of the sections, where it is not the usual one. The nth entry of a kind is the nth of
    /// its list in the model.
    pub sections: Vec<TextSection>,
    /// The sections that this crate does not know, from their keyword to the empty line.
    pub unknown: Vec<BString>,
    /// The file that section `Preview` names; where the text does not have its bytes too, the model
    /// has no preview.
    pub preview: BString,
    /// The bytes after `End`.
    pub trailing: BString,
}

/// A section of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TextSection {
    /// What its rows are.
    pub kind: SectionKind,
    /// What follows its keyword, where that is a comment.
    pub comment: BString,
}

kinds! {
    /// The kinds of sections.
    SectionKind: 16;
    /// The keyword; empty for one that this crate does not know.
    pub keyword: &'static str;
    /// Whether a model has at most one such section; a second one continues the first.
    pub is_once;
    Preview "Preview", "preview", true, "`Preview`.";
    TexCoords "Textmap", "tex_coords", true, "`Textmap`.";
    Skins "Skins", "skins", true, "`Skins`, which only this crate knows: written where the rows of `Vertex` and \
        `VoxTypes` do not give all skins in their order.";
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
    Unknown "", "layout.text.unknown", false, "A section that this crate does not know.";
}

impl SectionKind {
    /// Whether what follows its keyword is a comment, and not a name.
    pub(crate) const fn has_comment(self) -> bool {
        self.is_once() || matches!(self, Self::Procedural | Self::Mesh)
    }
}
