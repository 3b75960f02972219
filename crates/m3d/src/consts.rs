//! Magics, the widths of the header, and the tables of properties and commands.

use std::fmt;

/// The variant of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Variant {
    /// `.m3d`: chunks.
    Binary,
    /// `.a3d`, also found as `.m3d`: text.
    Ascii,
}

impl Variant {
    /// `binary` or `ascii`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::Ascii => "ascii",
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The tag of a chunk.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tag(pub [u8; 4]);

macro_rules! tags {
    ($($name:ident = $tag:literal, $what:literal;)+) => {
        impl Tag {
            $(#[doc = $what] pub const $name: Self = Self(*$tag);)+
            /// No tag.
            pub(crate) const NONE: Self = Self([0; 4]);
        }
    };
}
tags! {
    FILE = b"3DMO", "The file.";
    PREVIEW = b"PRVW", "A preview.";
    HEAD = b"HEAD", "The header of the model.";
    PALETTE = b"CMAP", "Colours.";
    TEX_COORDS = b"TMAP", "Texture coordinates.";
    VERTICES = b"VRTS", "Vertices.";
    SKELETON = b"BONE", "Bones and skins.";
    MATERIAL = b"MTRL", "A material.";
    PROCEDURAL = b"PROC", "A script.";
    MESH = b"MESH", "Polygons.";
    VOXEL_TYPES = b"VOXT", "Types of voxels.";
    VOXELS = b"VOXD", "A block of voxels.";
    SHAPE = b"SHPE", "A shape.";
    LABELS = b"LBLS", "Annotations.";
    ACTION = b"ACTN", "An action.";
    ASSET = b"ASET", "A file inside the file.";
    END = b"OMD3", "The end; it has no length.";
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tag({self})")
    }
}

/// The widths that a header declares: thirteen of two bits each, and six unused bits.
///
/// For all except coordinates and weights, the bits 0, 1, 2 and 3 mean one byte, two bytes, four bytes, and absent.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Types(pub u32);

macro_rules! type_fields {
    ($($name:ident = $bit:literal, $key:literal, $what:literal;)+) => {
        /// One of the widths; the value is its first bit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum TypeField {
            $(#[doc = concat!("`", $key, "`: ", $what)] $name = $bit,)+
        }

        impl TypeField {
            /// Every width, in the order of the bits.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The name in the specification, such as `vc_t`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $key,)+
                }
            }
        }
    };
}
type_fields! {
    Coord = 0, "vc_t", "coordinates: 0 is int8, 1 int16, 2 float, 3 double.";
    Vertex = 2, "vi_t", "indices of vertices.";
    Name = 4, "si_t", "offsets in the string table.";
    Color = 6, "ci_t", "colours: 0 and 1 are indices, 2 is the colour itself.";
    TexCoord = 8, "ti_t", "indices of texture coordinates.";
    Bone = 10, "bi_t", "indices of bones.";
    Weights = 12, "nb_t", "weights per skin: 1, 2, 4, 8.";
    Skin = 14, "sk_t", "indices of skins.";
    FrameCount = 16, "fc_t", "counts of transforms.";
    Shape = 18, "hi_t", "indices of shapes.";
    Face = 20, "fi_t", "indices of faces.";
    VoxelDim = 22, "vd_t", "positions and sizes of voxel blocks.";
    Voxel = 24, "vp_t", "voxels.";
}

impl Types {
    /// Describes the first width that no reader understands.
    pub(crate) fn unknown(self) -> Option<String> {
        let unknown = [
            (TypeField::Vertex, 3, "vertex indices"),
            (TypeField::Name, 3, "offsets of names"),
            (TypeField::Voxel, 2, "voxels"),
        ];
        let (field, bits, of) = unknown.into_iter().find(|&(field, bits, _)| self.get(field) == bits)?;
        Some(format!("code {bits} for {}, the width of {of} (no program can read it)", field.as_str()))
    }

    /// The two bits of a width.
    #[inline]
    pub const fn get(self, field: TypeField) -> u8 {
        (self.0 >> field as u8).to_le_bytes()[0] & 3
    }

    /// The same widths, but with other bits for one of them.
    #[must_use]
    pub const fn with(self, field: TypeField, bits: u8) -> Self {
        let shift = field as u8;
        Self(self.0 & !(3 << shift) | ((bits & 3) as u32) << shift)
    }

    /// The number of bytes of a value of this width in the file; 0 if it is absent. For weights, the number of weights.
    #[inline]
    pub const fn size(self, field: TypeField) -> usize {
        let bits = self.get(field);
        match (field, bits) {
            (TypeField::Coord | TypeField::Weights, _) | (_, 0..=2) => 1 << bits,
            _ => 0,
        }
    }
}

impl fmt::Debug for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Types({:#010x})", self.0)
    }
}

/// The value stored for a property of a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PropertyKind {
    /// A colour.
    Color,
    /// A number.
    Float,
    /// An integer from 0 to 255.
    Byte,
    /// The name of a texture.
    Map,
}

/// A property of a material.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PropertyId(pub u8);

macro_rules! properties {
    ($($name:ident = $id:literal, $kind:ident, $key:literal, $what:literal;)+) => {
        impl PropertyId {
            $(#[doc = $what] pub const $name: Self = Self($id);)+

            /// Every property in the specification.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The keyword, such as `Kd` or `map_Kd`; `None` if the property is unknown.
            pub const fn key(self) -> Option<&'static str> {
                match self.0 {
                    $($id => Some($key),)+
                    _ => None,
                }
            }

            /// The kind of its value; `None` if it is unknown. From 128 on, properties are maps.
            pub const fn kind(self) -> Option<PropertyKind> {
                match self.0 {
                    $($id => Some(PropertyKind::$kind),)+
                    128.. => Some(PropertyKind::Map),
                    _ => None,
                }
            }
        }
    };
}
properties! {
    DIFFUSE = 0, Color, "Kd", "The diffuse colour, which takes precedence over the colours of vertices.";
    AMBIENT = 1, Color, "Ka", "The ambient colour.";
    SPECULAR = 2, Color, "Ks", "The specular colour.";
    SPECULAR_EXPONENT = 3, Float, "Ns", "The specular exponent.";
    EMISSIVE = 4, Color, "Ke", "The emitted colour.";
    TRANSMISSION = 5, Color, "Tf", "The transmitted colour.";
    BUMP_STRENGTH = 6, Float, "Km", "The strength of bumps.";
    DISSOLVE = 7, Float, "d", "The opacity: 0 is transparent, 1 opaque. Prefer the alpha of the diffuse colour.";
    ILLUMINATION = 8, Byte, "il", "The illumination model of Wavefront OBJ, 0 to 10.";
    ROUGHNESS = 64, Float, "Pr", "The roughness.";
    METALLIC = 65, Float, "Pm", "The metalness.";
    SHEEN = 66, Float, "Ps", "The sheen.";
    REFRACTION = 67, Float, "Ni", "The index of refraction.";
    THICKNESS = 68, Float, "Nt", "The thickness of a face in millimetres, for printing.";
    MAP_DIFFUSE = 128, Map, "map_Kd", "Texture of the diffuse colour.";
    MAP_AMBIENT = 129, Map, "map_Ka", "Texture of ambient occlusion.";
    MAP_SPECULAR = 130, Map, "map_Ks", "Texture of the specular colour.";
    MAP_SPECULAR_EXPONENT = 131, Map, "map_Ns", "Texture of the specular exponent.";
    MAP_EMISSIVE = 132, Map, "map_Ke", "Texture of the emitted colour.";
    MAP_TRANSMISSION = 133, Map, "map_Tf", "Texture of the transmitted colour.";
    MAP_BUMP = 134, Map, "map_Km", "Texture of bumps, also `map_bump`.";
    MAP_DISSOLVE = 135, Map, "map_d", "Texture of opacity.";
    MAP_NORMAL = 136, Map, "map_N", "Texture of normals.";
    MAP_ROUGHNESS = 192, Map, "map_Pr", "Texture of roughness.";
    MAP_METALLIC = 193, Map, "map_Pm", "Texture of metal, also `map_refl`.";
    MAP_SHEEN = 194, Map, "map_Ps", "Texture of sheen.";
    MAP_REFRACTION = 195, Map, "map_Ni", "Texture of refraction.";
    MAP_THICKNESS = 196, Map, "map_Nt", "Texture of thickness.";
}

impl PropertyId {
    /// The id of the texture that varies this property; this id if the property is a texture.
    pub(crate) const fn map(self) -> Option<Self> {
        match self.0 {
            // 136 is the normal map, which varies no number.
            8 => None,
            id => Some(Self(id | 0x80)),
        }
    }

    /// The property with a keyword, including the aliases `map_bump`, `bump`, `map_refl` and `refl`.
    pub fn from_key(key: &str) -> Option<Self> {
        match key {
            "map_bump" | "bump" => Some(Self::MAP_BUMP),
            "map_refl" | "refl" => Some(Self::MAP_METALLIC),
            _ => Self::ALL.iter().copied().find(|id| id.key() == Some(key)),
        }
    }
}

/// The kind of an argument of a shape command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ArgKind {
    /// `mi`: the name of a material.
    Material,
    /// `hi`: a shape.
    Shape,
    /// `ti`: a texture coordinate.
    TexCoord,
    /// `vi`: a vertex.
    Vertex,
    /// `qi`: a vertex that is a quaternion.
    Quaternion,
    /// `vc`: a number, such as a repetition, an angle or a knot.
    Coord,
    /// `vc`: a length in units of the bounding cube.
    Length,
    /// `i1`: a whole number in one byte.
    Int1,
    /// `i2`: a whole number in two bytes.
    Int2,
    /// `i4`: a whole number in four bytes.
    Int4,
}

/// A command of a shape.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CommandId(pub u16);

macro_rules! commands {
    (@variadic va) => { true };
    (@variadic) => { false };
    ($($name:ident = $id:literal $key:literal $($va:ident)? [$($arg:ident),*] $what:literal;)+) => {
        impl CommandId {
            $(#[doc = $what] pub const $name: Self = Self($id);)+

            /// Every command in the specification.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The keyword, such as `bezun`; `None` if the command is unknown.
            pub const fn key(self) -> Option<&'static str> {
                match self.0 {
                    $($id => Some($key),)+
                    _ => None,
                }
            }

            /// The kinds of the required arguments, or of one round of them; `None` if the command is unknown.
            pub const fn args(self) -> Option<&'static [ArgKind]> {
                match self.0 {
                    $($id => Some(&[$(ArgKind::$arg),*]),)+
                    _ => None,
                }
            }

            /// Whether the command repeats its arguments: the file has the number of rounds before them.
            pub const fn is_variadic(self) -> bool {
                match self.0 {
                    $($id => commands!(@variadic $($va)?),)+
                    _ => false,
                }
            }
        }
    };
}
commands! {
    USE = 0 "use" [Material] "Sets the material.";
    INCLUDE = 1 "inc" [Shape, Vertex, Quaternion] "Includes another shape at a position and orientation.";
    MESH = 2 "mesh" [Int4, Int4, Vertex, Quaternion]
        "Includes faces of the mesh: the first face, the number of faces, position, orientation. \
         Documents disagree on its arguments, and no known file has it; these are the specification's.";
    DIVIDE = 3 "div" [Coord] "Divides by a constant.";
    SUBDIVIDE = 4 "sub" [Coord, Coord] "Subdivides by parameter.";
    LENGTH = 5 "len" [Length] "Divides by length.";
    DISTANCE = 6 "dist" [Length, Coord] "Divides by distance.";
    DEGREE_U = 7 "degu" [Int1] "The degree along u.";
    DEGREE = 8 "deg" [Int1, Int1] "The degrees along u and v.";
    RANGE_U = 9 "rangeu" [TexCoord] "The range of u.";
    RANGE = 10 "range" [TexCoord, TexCoord] "The ranges of u and v.";
    KNOTS_U = 11 "paru" va [Coord] "The knots along u.";
    KNOTS_V = 12 "parv" va [Coord] "The knots along v.";
    TRIM = 13 "trim" va [TexCoord, Int2] "An outer trimming loop.";
    HOLE = 14 "hole" va [TexCoord, Int2] "An inner trimming loop.";
    SPECIAL_CURVE = 15 "scrv" va [TexCoord, Int2] "A special curve.";
    SPECIAL_POINTS = 16 "sp" va [Vertex] "Special points.";
    BEZIER_1 = 17 "bez1" va [Vertex] "A helper curve.";
    BSPLINE_1 = 18 "bsp1" va [Vertex] "A helper curve.";
    BEZIER_2 = 19 "bez2" va [Vertex] "A helper curve.";
    BSPLINE_2 = 20 "bsp2" va [Vertex] "A helper curve.";
    BEZIER_UN = 21 "bezun" va [Vertex, TexCoord, Vertex]
        "A Bézier patch with texture coordinates and normals.";
    BEZIER_U = 22 "bezu" va [Vertex, TexCoord] "A Bézier patch with texture coordinates.";
    BEZIER_N = 23 "bezn" va [Vertex, Vertex] "A Bézier patch with normals.";
    BEZIER = 24 "bez" va [Vertex] "A Bézier patch.";
    NURBS_UN = 25 "nurbsun" va [Vertex, TexCoord, Vertex]
        "A rational B-spline surface with texture coordinates and normals.";
    NURBS_U = 26 "nurbsu" va [Vertex, TexCoord] "A rational B-spline surface with texture coordinates.";
    NURBS_N = 27 "nurbsn" va [Vertex, Vertex] "A rational B-spline surface with normals.";
    NURBS = 28 "nurbs" va [Vertex] "A rational B-spline surface.";
    CONNECT = 29 "conn" [Int2, TexCoord, Int2, Int2, TexCoord, Int2] "Connects surfaces.";
    LINE = 30 "line" va [Vertex] "A line.";
    POLYGON = 31 "polygon" va [Vertex] "A polygon.";
    CIRCLE = 32 "circle" [Vertex, Quaternion, Length] "A circle: centre, orientation, radius.";
    CYLINDER = 33 "cylinder" [Vertex, Quaternion, Length, Vertex, Quaternion, Length]
        "A cylinder: both ends as centre, orientation, radius.";
    SPHERE = 34 "shpere" [Vertex, Length] "A sphere: centre, radius. The keyword is misspelt in the format.";
    TORUS = 35 "torus" [Vertex, Quaternion, Length, Length] "A torus: centre, orientation, two radii.";
    CONE = 36 "cone" [Vertex, Vertex, Vertex] "A cone.";
    CUBE = 37 "cube" [Vertex, Vertex, Vertex] "A box by three of its corners.";
}

impl CommandId {
    /// The command with a keyword. `sphere` is accepted for `shpere`, which is the format's spelling.
    pub fn from_key(key: &str) -> Option<Self> {
        let key = if key == "sphere" { "shpere" } else { key };
        Self::ALL.iter().copied().find(|id| id.key() == Some(key))
    }

    /// The number of its arguments, or of one round of them.
    #[doc(hidden)]
    pub fn round_len(self) -> Option<usize> {
        self.args().map(<[_]>::len)
    }
}

/// Shows the keyword if there is one.
macro_rules! debug_keys {
    ($($id:ident)+) => {$(
        impl fmt::Debug for $id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.key() {
                    Some(key) => write!(f, "{}({key})", stringify!($id)),
                    None => write!(f, "{}({})", stringify!($id), self.0),
                }
            }
        }
    )+};
}
debug_keys! { PropertyId CommandId }
