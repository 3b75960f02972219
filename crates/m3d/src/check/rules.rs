//! The rules that [`check`](fn@crate::check) tries.

use crate::finding::Rule;

macro_rules! rules {
    ($($severity:ident $name:ident = $id:literal, $text:literal;)+) => {
        $(pub(super) const $name: Rule = Rule::$severity(concat!("m3d.", $id), $text);)+

        /// Every rule that [`check`](fn@crate::check) tries.
        pub const RULES: &[Rule] = &[$($name),+];
    };
}

rules! {
    error SCALE = "scale", "the scale is a length in metres, or 0 where it is unknown";
    warning MODEL_NAME = "model-name", "a model has a name";
    error UTF8 = "utf-8", "strings are UTF-8";
    error IDENTIFIER = "identifier", "names have no blanks and slashes";
    error NAME = "name", "what other parts of the model refer to by name has one";
    error MATERIAL_NAMES = "material-names", "names of materials are different";
    error PROPERTY_TWICE = "property-twice", "a material has a property once";
    warning PROPERTY_UNKNOWN = "property-unknown", "a property is one that the format defines";
    error PROPERTY_KIND = "property-kind", "a value is of the kind that its property has";
    error TEXTURE_NAME = "texture-name", "a texture has a name";
    error FINITE_NUMBERS = "finite-numbers", "numbers are finite";
    error ILLUMINATION = "illumination", "the illumination model is 0 to 10";
    error BONE_INDEX = "bone-index", "every index of a bone is that of an existing bone";
    error VERTEX_INDEX = "vertex-index", "every index of a vertex is that of an existing vertex";
    error TEX_COORD_INDEX = "tex-coord-index", "every index of a texture coordinate is that of an existing one";
    error SKIN_INDEX = "skin-index", "every index of a skin is that of an existing skin";
    error COLOR_INDEX = "color-index", "every index of a colour is that of an existing colour";
    warning MATERIAL_DEFINED = "material-defined", "a material is defined, in the model or in a library";
    warning MESH_COMMAND = "mesh-command", "shapes do not use `mesh`, on whose arguments the sources of the format disagree";
    warning COMMAND_UNKNOWN = "command-unknown", "a command is one that the format defines";
    error COMMAND_EMPTY = "command-empty", "a variadic command has arguments";
    error SHAPE_ORDER = "shape-order", "a shape includes one that comes before it";
    error LANGUAGE = "language", "a language has the form en_US";
    warning LABEL_TEXT = "label-text", "a label has a text";
    error TRANSLATIONS = "translations", "translations of a group have the same labels";
    error SCRIPT_NAME = "script-name", "the name of a script ends in its extension";
    error ASSET_NAMES = "asset-names", "names of assets are different";
    error ASSET_PNG = "asset-png", "an asset without another extension is a PNG image";
    error PREVIEW_PNG = "preview-png", "the preview is a PNG image";
    warning PREVIEW_BYTES = "preview-bytes", "the preview has 64 KiB or less";
    warning PREVIEW_SIZE = "preview-size", "the preview is 256 pixels wide and high at most";
    warning TYPES_UNUSED = "types-unused", "the six bits after the widths are 0";
    error FILE_SIZE = "file-size", "the file header states the size of the file";
    error TRAILING = "trailing", "the file ends after its last chunk";
    error CHUNK_TAIL = "chunk-tail", "a chunk consists of whole records";
    error NAME_OFFSET = "name-offset", "a name begins inside of the string table";
    warning PALETTE_TWICE = "palette-twice", "every colour is in the palette once";
    warning PALETTE_ORDER = "palette-order", "the palette is sorted from dark to bright";
    warning CHUNK_ORDER = "chunk-order", "chunks have the usual order";
    error DEFINED_FIRST = "defined-first", "what defines something comes before what uses it";
    error CHUNK_TWICE = "chunk-twice", "CMAP, TMAP, VRTS, BONE and VOXT occur once";
    error CHUNK_FIRST = "chunk-first", "the preview and the header come before the other chunks";
    warning TAG_CASE = "tag-case", "tags in upper case belong to the format";
    error NOTHING = "nothing", "a file has a surface, or it is a library of materials or actions";
    error FINITE_TEX_COORDS = "finite-tex-coords", "texture coordinates are finite";
    error VERTEX_COLUMNS = "vertex-columns", "a column is empty or has one entry per vertex";
    error FINITE_COORDINATES = "finite-coordinates", "coordinates are finite";
    warning QUATERNION_LENGTH = "quaternion-length", "an orientation is a quaternion of length 1";
    warning MESH_PROPERTY = "mesh-property", "a property of polygons is one that the format defines";
    warning MATERIAL_ORDER = "material-order", "polygons are sorted by material";
    warning NO_MATERIAL_FIRST = "no-material-first", "polygons without a material come first";
    error POLYGON_CORNERS = "polygon-corners", "a polygon has 1 to 15 corners";
    warning TRIANGLES = "triangles", "polygons are triangles, since most programs read no others";
    error POLYGON_RESERVED = "polygon-reserved", "bit 3 of a polygon is 0";
    warning MAXIMUM_PARAMETER = "maximum-parameter", "polygons with a maximum vertex have a parameter";
    warning CORNER_TEX_COORD = "corner-tex-coord", "a corner has a texture coordinate only where the model has any";
    error CORNER_COLUMNS = "corner-columns", "a column has the corners of all polygons with such a part";
    warning DEGENERATE = "degenerate", "a triangle has three different vertices";
    error BOUNDING_CUBE = "bounding-cube", "the surface lies in the bounding cube from -1 to 1";
    warning CUBE_FILLED = "cube-filled", "the surface fills the bounding cube";
    warning BONE_NAMES = "bone-names", "names of bones are different";
    error BONE_PARENT = "bone-parent", "the parent of a bone comes before it";
    error QUATERNION_MARK = "quaternion-mark", "an orientation is a vertex that is marked as a quaternion";
    warning WEIGHTS = "weights", "the weights of a skin sum to 255";
    error ACTION_BONES = "action-bones", "a file with actions has bones";
    error ACTION_FRAMES = "action-frames", "an action has frames";
    warning ACTION_DURATION = "action-duration", "an action takes 10 milliseconds or more";
    error FRAME_ORDER = "frame-order", "frames are in order of time";
    warning FRAME_TIME = "frame-time", "a frame lies within the duration of its action";
    warning BONE_TWICE = "bone-twice", "a frame moves a bone once";
    error VOXEL_BLOCKS = "voxel-blocks", "types of voxels are followed by voxels";
    error BLOCK_SIZE = "block-size", "a block has a size";
    warning BLOCK_VOXELS = "block-voxels", "the data of a block has every voxel";
    error VOXEL_TYPE = "voxel-type", "every voxel is of an existing type";
    error GROUP_BLOCKS = "group-blocks", "a group has two blocks or more";
    error GROUP_UNCERTAINTY = "group-uncertainty", "the uncertainties of a group sum to 255";
    error VOXEL_LOOK = "voxel-look", "a type of voxels has a colour or a name";
    error VOXEL_SHAPE = "voxel-shape", "the shape of a voxel is 0 to 511";
    warning VOXEL_SHAPE_RESERVED = "voxel-shape-reserved", "shapes 18 to 31 of voxels are reserved";
    error VOXEL_ITEMS = "voxel-items", "only types of voxels with a name have items";
    error VOXEL_TYPES = "voxel-types", "there are fewer than 65534 types of voxels";
    error SECTION_UNKNOWN = "section-unknown", "a section of a text is one that the format defines";
    warning TEXTURE_MISSING = "texture-missing", "a texture is in the model";
}
