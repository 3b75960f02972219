//! The rules that [`check`](fn@crate::check) applies.

use geom::wire::rules;

rules! {
    "m3d":
    SCALE =
        Error("scale", "the scale, half the side of the bounding cube in metres, is positive, or 0 if it is unknown");
    MODEL_NAME = Warning("model-name", "a model has a name");
    UTF8 = Error("utf-8", "strings are UTF-8");
    IDENTIFIER = Error("identifier", "names contain no spaces, tabs, slashes or backslashes");
    NAME = Error("name", "materials, scripts, actions and assets have names");
    MATERIAL_NAMES = Error("material-names", "material names are unique");
    PROPERTY_TWICE = Error("property-twice", "a material has each property at most once");
    PROPERTY_UNKNOWN = Warning("property-unknown", "a material has only properties that the format defines");
    PROPERTY_KIND =
        Error("property-kind", "the value of a material property has the type that the format defines");
    TEXTURE_NAME = Error("texture-name", "a texture has a name");
    FINITE_NUMBERS = Error("finite-numbers", "every number in a material or a shape is finite");
    ILLUMINATION = Error("illumination", "the illumination model (`il`) is from 0 to 10");
    BONE_INDEX = Error("bone-index", "every bone index refers to an existing bone");
    VERTEX_INDEX = Error("vertex-index", "every vertex index refers to an existing vertex");
    TEX_COORD_INDEX =
        Error("tex-coord-index", "every texture coordinate index refers to an existing texture coordinate");
    SKIN_INDEX = Error("skin-index", "every skin index refers to an existing skin");
    COLOR_INDEX = Error("color-index", "every colour index refers to an existing colour");
    MATERIAL_DEFINED =
        Warning("material-defined", "every used material is defined in the model or in a material library");
    MESH_COMMAND = Warning(
        "mesh-command",
        "shapes do not use `mesh`, because the specification and the SDK disagree on its arguments",
    );
    COMMAND_UNKNOWN = Warning("command-unknown", "a shape has only commands that the format defines");
    COMMAND_EMPTY =
        Error("command-empty", "a command with a variable number of arguments has at least one argument");
    SHAPE_ORDER = Error("shape-order", "a command that includes a shape refers to an earlier shape");
    LANGUAGE = Error("language", "the language of labels is empty or has the form `en_US`");
    LABEL_TEXT = Warning("label-text", "every label has a text");
    TRANSLATIONS =
        Error("translations", "all translations of labels refer to the same vertices, in the same order");
    SCRIPT_NAME = Error("script-name", "the name of a script has an extension, such as .lua");
    ASSET_NAMES = Error("asset-names", "asset names are unique");
    ASSET_PNG = Error("asset-png", "an asset whose name ends in .png or has no extension is a PNG image");
    PREVIEW_PNG = Error("preview-png", "the preview is a PNG image");
    PREVIEW_BYTES = Warning("preview-bytes", "the preview has at most 65536 bytes (64 KiB)");
    PREVIEW_SIZE = Warning("preview-size", "the preview is at most 256 pixels wide and high");
    TYPES_UNUSED = Warning("types-unused", "the six unused upper bits of the widths (`types`) in the chunk HEAD are 0");
    FILE_SIZE = Error("file-size", "the size in the file header equals the size of the file");
    TRAILING = Error("trailing", "no bytes follow the last chunk of the file");
    CHUNK_TAIL = Error("chunk-tail", "a chunk consists of whole records");
    NAME_OFFSET = Error("name-offset", "the offset of a name is inside the string table");
    PALETTE_TWICE = Warning("palette-twice", "the palette has no duplicate colours");
    PALETTE_ORDER = Warning("palette-order", "the palette is sorted from dark to bright");
    CHUNK_ORDER = Warning("chunk-order", "labels come before actions, and both come before assets");
    DEFINED_FIRST = Error("defined-first", "a chunk comes before the chunks that refer to its content");
    CHUNK_TWICE =
        Error("chunk-twice", "each of the chunks CMAP, TMAP, VRTS, BONE and VOXT occurs at most once");
    CHUNK_FIRST =
        Error("chunk-first", "a file begins with 3DMO, the preview (PRVW) if there is one, and the header (HEAD), each once and in this order");
    TAG_CASE =
        Warning("tag-case", "extra chunks have no upper-case tags, which are reserved for chunks of the format");
    NOTHING = Error(
        "nothing",
        "a file has a mesh, script, shape or voxels, unless it is a library of materials or actions",
    );
    FINITE_TEX_COORDS = Error("finite-tex-coords", "texture coordinates are finite");
    VERTEX_COLUMNS = Error("vertex-columns", "each list of vertex data is empty or has one entry per vertex");
    FINITE_COORDINATES = Error("finite-coordinates", "coordinates of vertices are finite");
    QUATERNION_LENGTH = Warning("quaternion-length", "an orientation is a quaternion of length 1");
    MESH_PROPERTY = Warning("mesh-property", "polygons have only properties that the format defines");
    MATERIAL_ORDER = Warning(
        "material-order",
        "polygons with the same material follow each other directly, and so do those without a material",
    );
    NO_MATERIAL_FIRST =
        Warning("no-material-first", "polygons without a material come before those with a material");
    POLYGON_CORNERS = Error("polygon-corners", "a polygon has 1 to 15 corners");
    TRIANGLES = Warning("triangles", "polygons are triangles, because most programs read only triangles");
    POLYGON_RESERVED = Error("polygon-reserved", "the reserved bit 3 of a polygon's `parts` is 0");
    MAXIMUM_PARAMETER = Warning(
        "maximum-parameter",
        "polygons whose corners have a maximum (a second vertex) have a parameter, which moves the corners towards it",
    );
    CORNER_TEX_COORD =
        Warning("corner-tex-coord", "corners refer to texture coordinates only if the model has some");
    CORNER_COLUMNS =
        Error("corner-columns", "each list of corner data has the length that the polygons require");
    DEGENERATE = Warning("degenerate", "a triangle has three different vertices");
    WINDING =
        Warning("winding", "most polygons are counter-clockwise, seen from the side that their normals face");
    BOUNDING_CUBE =
        Error("bounding-cube", "the coordinates of the surface are from -1 to 1 (the bounding cube)");
    CUBE_FILLED =
        Warning("cube-filled", "the points fill the bounding cube: at least one coordinate is 1 or -1");
    BONE_NAMES = Warning("bone-names", "bone names are unique");
    BONE_PARENT = Error("bone-parent", "the parent of a bone comes before it");
    QUATERNION_MARK =
        Error("quaternion-mark", "a vertex that is an orientation has the skin -2, which marks quaternions");
    WEIGHTS = Warning(
        "weights",
        "the weights of a skin, as bytes from 0 to 255, sum to 255 (since they are rounded, the sum may differ by less \
         than the number of weights)",
    );
    ACTION_BONES = Error("action-bones", "a file with actions has bones");
    ACTION_FRAMES = Error("action-frames", "an action has frames");
    ACTION_DURATION = Warning("action-duration", "an action lasts at least 10 milliseconds");
    FRAME_ORDER = Error("frame-order", "each frame is later than the one before it");
    FRAME_TIME = Warning("frame-time", "a frame lies within the duration of its action");
    BONE_TWICE = Warning("bone-twice", "a frame moves a bone at most once");
    VOXEL_BLOCKS = Error("voxel-blocks", "a model with voxel types has at least one block of voxels");
    BLOCK_SIZE = Error("block-size", "each dimension of a block of voxels is at least 1");
    BLOCK_VOXELS = Warning("block-voxels", "a block has data for each of its voxels, and no more");
    VOXEL_TYPE = Error("voxel-type", "every voxel refers to an existing voxel type");
    GROUP_BLOCKS = Error("group-blocks", "a group of blocks has at least two blocks");
    GROUP_UNCERTAINTY = Error(
        "group-uncertainty",
        "the uncertainties of the blocks in a group, as bytes from 0 (0 %) to 255 (100 %), sum to 255 (since they are \
         rounded, the sum may differ by less than the number of blocks)",
    );
    VOXEL_LOOK = Error("voxel-look", "a voxel type has a colour or a name");
    VOXEL_SHAPE = Error("voxel-shape", "the shape of a voxel type is from 0 to 511");
    VOXEL_ROTATION =
        Error("voxel-rotation", "bit 6 of a voxel type's rotation is 0, because it belongs to the shape");
    VOXEL_SHAPE_RESERVED =
        Warning("voxel-shape-reserved", "voxel types do not use the reserved shapes 18 to 31");
    VOXEL_LAYERS =
        Warning("voxel-layers", "a block of voxels in a text file has no more `layer` lines than its height in `dim`");
    VOXEL_ITEMS = Error("voxel-items", "only voxel types with a name contain items");
    VOXEL_TYPES = Error("voxel-types", "a model has fewer than 65534 voxel types");
    TEXT_END = Warning("text-end", "a text file ends with an empty line or the line `End`");
    SECTION_UNKNOWN = Error("section-unknown", "a text file has only sections that the format defines");
    TEXTURE_MISSING = Warning("texture-missing", "the model contains the textures that it uses");
}
