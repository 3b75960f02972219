//! Properties whose bytes have a layout of their own, as values of that layout.

use std::fmt;

use bstr::BString;
use rbxblobs::curves::{MarkerCurve, ValueCurve};
use rbxblobs::small::{
    AccessList, Attenuation, AttributeList, CollisionGroups, Guid, Pins, RigLabels, RigNames, RigParents,
    RigTransforms, Transitions,
};
use rbxblobs::{
    Attribute, Attributes, Collision, ErrorKind, FloatCurve, MaterialColors, PhysicsGrid, ReadOptions,
    RotationCurve, SmoothGrid, Tags, UnionMesh,
};
use rbxcore::classes;

use crate::which::ATTRIBUTES;

/// The class of the skeletons that animations are made for.
const RIG: &str = "AnimationRigData";

/// How many times larger than their bytes compressed hulls may be, in addition to a block of [`BLOCK`]. Real hulls are
/// mostly positions, which are hard to compress.
const MOST_INFLATED: u64 = 64;
const BLOCK: u64 = 1 << 17;

/// The reason why bytes of a known layout are not decoded.
#[derive(Debug)]
pub enum Undecoded {
    /// Decoding would take more memory than is allowed.
    TooMuch,
    /// Decompressing would take too long for a value that is one of many.
    TooLong,
    /// There are no bytes, not even those of the count, so Roblox refuses the file.
    Empty,
    /// The bytes are damaged.
    Damaged(rbxblobs::Error),
}

impl fmt::Display for Undecoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMuch => f.write_str(
                "decoding the value needs more memory than is left within max_bytes (--max-bytes)",
            ),
            Self::TooLong => {
                write!(
                    f,
                    "the compressed hulls inflate to more than {MOST_INFLATED} times their size, the most that rezkit \
                     decodes"
                )
            }
            Self::Empty => f.write_str("expected at least a count, such as four zero bytes, found no bytes"),
            Self::Damaged(error) => error.fmt(f),
        }
    }
}

/// The layout of a property's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Attributes.
    Attributes,
    /// Tags.
    Tags,
    /// Voxels.
    SmoothGrid,
    /// Blocks of voxels.
    PhysicsGrid,
    /// Colours of materials.
    MaterialColors,
    /// Hulls.
    Collision,
    /// The mesh of a union.
    Mesh,
    /// Keys of numbers.
    FloatCurve,
    /// Keys of rotations.
    RotationCurve,
    /// Keys of values.
    ValueCurve,
    /// Keys of names.
    MarkerCurve,
    /// Transitions of a style.
    Transitions,
    /// Control points or names of classes.
    List,
    /// Names of pins.
    Pins,
    /// An attenuation.
    Attenuation,
    /// Labels of bones.
    RigLabels,
    /// Names of bones.
    RigNames,
    /// Parents of bones.
    RigParents,
    /// Frames of bones.
    RigTransforms,
    /// Users.
    AccessList,
    /// A GUID.
    Guid,
    /// Groups of collisions.
    CollisionGroups,
}

/// The class and the name of a property.
pub type Property<'a> = (&'a str, &'a str);

impl Layout {
    /// Whether bytes of this layout are a known form that contains nothing to decode, or whose layout is not known: the
    /// key of a mesh or of hulls, and a curve of version 0.
    pub fn is_opaque(self, bytes: &[u8]) -> bool {
        match self {
            Self::Mesh | Self::Collision => bytes.starts_with(b"CSGK"),
            Self::FloatCurve | Self::RotationCurve | Self::ValueCurve | Self::MarkerCurve => {
                bytes.starts_with(&[0; 4])
            }
            _ => false,
        }
    }

    /// The layout of a property; `None` if it is not known.
    pub fn of((class, property): Property<'_>) -> Option<Self> {
        Some(match property {
            "AttributesSerialize" | "SerializedEmulatedPolicyInfo" | "ConditionsSerialize" => {
                Self::Attributes
            }
            "PropertiesSerialize" if class == "Path2D" => Self::List,
            "PropertiesSerialize" => Self::Attributes,
            "PropertyTransitionsSerialize" => Self::Transitions,
            "HiddenServices" | "VisibleServices" => Self::List,
            "ValuesAndTimes" => match class {
                "RotationCurve" => Self::RotationCurve,
                "ValueCurve" => Self::ValueCurve,
                "MarkerCurve" => Self::MarkerCurve,
                _ => Self::FloatCurve,
            },
            "WaveformData" => Self::FloatCurve,
            "InputPinData" => Self::Pins,
            "AngleAttenuation" | "DistanceAttenuation" => Self::Attenuation,
            "AccessList" => Self::AccessList,
            "GuidBinaryString" => Self::Guid,
            "CollisionGroupData" => Self::CollisionGroups,
            "label" if class == RIG => Self::RigLabels,
            "name" if class == RIG => Self::RigNames,
            "parent" if class == RIG => Self::RigParents,
            "transform" | "preTransform" | "postTransform" if class == RIG => Self::RigTransforms,
            "Tags" => Self::Tags,
            "SmoothGrid" => Self::SmoothGrid,
            "PhysicsGrid" => Self::PhysicsGrid,
            "MaterialColors" => Self::MaterialColors,
            "PhysicalConfigData" | "PhysicsData" => Self::Collision,
            "SolidMeshHolder" | "MeshData" | "MeshData2" => Self::Mesh,
            _ => return None,
        })
    }
}

/// The bytes of a property in their layout.
#[derive(Clone, Debug)]
pub enum Decoded {
    /// Attributes, also those of properties that contain such a list.
    Attributes(Attributes),
    /// Tags.
    Tags(Tags),
    /// The voxels of terrain.
    SmoothGrid(SmoothGrid),
    /// The blocks of terrain for physics.
    PhysicsGrid(PhysicsGrid),
    /// The colours of the materials of terrain.
    MaterialColors(MaterialColors),
    /// The hulls of a union or of a mesh.
    Collision(Collision),
    /// The mesh of a union.
    Mesh(UnionMesh),
    /// The keys of numbers.
    FloatCurve(FloatCurve),
    /// The keys of rotations.
    RotationCurve(RotationCurve),
    /// The keys of values.
    ValueCurve(ValueCurve),
    /// The keys of names.
    MarkerCurve(MarkerCurve),
    /// The transitions of a style.
    Transitions(Attributes),
    /// Control points, or names of classes.
    List(Vec<Attribute>),
    /// The names of pins.
    Pins(Vec<BString>),
    /// An attenuation.
    Attenuation(Attenuation),
    /// The labels of a skeleton's bones.
    RigLabels(RigLabels),
    /// The names of a skeleton's bones.
    RigNames(Vec<BString>),
    /// The parents of a skeleton's bones.
    RigParents(RigParents),
    /// The frames of a skeleton's bones.
    RigTransforms(RigTransforms),
    /// Users.
    AccessList(AccessList),
    /// A GUID.
    Guid(Guid),
    /// The groups of collisions.
    CollisionGroups(CollisionGroups),
}

/// The decoded bytes of a property; `None` if they are empty, or of an unknown layout, or if writing attributes again would
/// give other bytes.
///
/// # Errors
/// If decoding them takes more than `max_bytes`, or they are damaged.
pub fn decoded(property: Property<'_>, bytes: &[u8], max_bytes: u64) -> Result<Option<Decoded>, Undecoded> {
    let Some(layout) = Layout::of(property) else { return Ok(None) };
    if bytes.is_empty() {
        // No bytes are no attributes, also for a class whose default has some.
        let starts_with_count = matches!(layout, Layout::Attributes | Layout::Transitions | Layout::List)
            && property.1 != ATTRIBUTES;
        let default = || classes::class(property.0)?.stored(property.1)?.default();
        let has_bytes = default().is_some_and(|of| of.as_bytes().is_some_and(|bytes| !bytes.is_empty()));
        return if starts_with_count && has_bytes { Err(Undecoded::Empty) } else { Ok(None) };
    }
    if cost(property, bytes) > max_bytes {
        return Err(Undecoded::TooMuch);
    }
    if layout == Layout::Collision && Collision::inflated(bytes) > MOST_INFLATED * bytes.len() as u64 + BLOCK
    {
        return Err(Undecoded::TooLong);
    }
    let options = ReadOptions::new().max_bytes(max_bytes);
    let read = || -> rbxblobs::Result<Option<Decoded>> {
        Ok(Some(match layout {
            Layout::Attributes => {
                let attributes: Attributes = options.read(bytes)?;
                // Attributes may be compared by value only if writing them gives the same bytes. A count of 0 is also allowed.
                if attributes.to_vec()? != bytes && bytes != [0; 4] {
                    return Ok(None);
                }
                Decoded::Attributes(attributes)
            }
            Layout::Tags => Decoded::Tags(options.read(bytes)?),
            Layout::SmoothGrid => Decoded::SmoothGrid(options.read(bytes)?),
            Layout::PhysicsGrid => Decoded::PhysicsGrid(options.read(bytes)?),
            Layout::MaterialColors => Decoded::MaterialColors(options.read(bytes)?),
            Layout::Collision => Decoded::Collision(options.read(bytes)?),
            Layout::Mesh => Decoded::Mesh(options.read(bytes)?),
            Layout::FloatCurve => Decoded::FloatCurve(options.read(bytes)?),
            Layout::RotationCurve => Decoded::RotationCurve(options.read(bytes)?),
            Layout::ValueCurve => Decoded::ValueCurve(options.read(bytes)?),
            Layout::MarkerCurve => Decoded::MarkerCurve(options.read(bytes)?),
            Layout::Transitions => Decoded::Transitions(options.read::<Transitions>(bytes)?.0),
            Layout::List => Decoded::List(options.read::<AttributeList>(bytes)?.0),
            Layout::Pins => Decoded::Pins(options.read::<Pins>(bytes)?.0),
            Layout::RigNames => Decoded::RigNames(options.read::<RigNames>(bytes)?.0),
            Layout::RigLabels => Decoded::RigLabels(options.read(bytes)?),
            Layout::RigParents => Decoded::RigParents(options.read(bytes)?),
            Layout::RigTransforms => Decoded::RigTransforms(options.read(bytes)?),
            Layout::Attenuation => Decoded::Attenuation(options.read(bytes)?),
            Layout::AccessList => Decoded::AccessList(options.read(bytes)?),
            Layout::Guid => Decoded::Guid(options.read(bytes)?),
            Layout::CollisionGroups => Decoded::CollisionGroups(options.read(bytes)?),
        }))
    };
    read().map_err(|error| match error.kind() {
        ErrorKind::Limit(_) => Undecoded::TooMuch,
        _ => Undecoded::Damaged(error),
    })
}

/// The maximum memory in bytes for decoding a property: the values, and their texts.
pub fn cost(property: Property<'_>, bytes: &[u8]) -> u64 {
    let of_a_byte = match Layout::of(property) {
        Some(Layout::Tags | Layout::MarkerCurve) => 160,
        Some(Layout::SmoothGrid | Layout::PhysicsGrid) => 40,
        Some(Layout::MaterialColors | Layout::Collision | Layout::Mesh) | None => 0,
        Some(_) => 64,
    };
    bytes.len() as u64 * of_a_byte
}
