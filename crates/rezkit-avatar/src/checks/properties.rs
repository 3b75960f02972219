//! Section 2: properties with fixed values.

use rbxcore::{Dom, InstanceId, Kind, PhysicalProperties, Value, ValueRef};

use super::{Context, instances};
use crate::find::document::{class, frame, path, text};
use crate::item::{Held, Item};
use crate::kind::ItemType;
use crate::report::{Verdict, shown};
use crate::rules::*;

/// A value that a property must have.
#[derive(Clone, Copy)]
pub(crate) enum Must {
    Bool(bool),
    Int(i32),
    Float(f32),
    Vector([f32; 3]),
    /// The number and the name of an item.
    Enum(u32, &'static str),
    Color([u8; 3]),
    /// No custom physical properties.
    NoPhysics,
}

/// The classes to which a row applies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    /// A class and all that inherit from it.
    Any(&'static str),
    /// The Handle of an accessory.
    Handle,
    /// A MeshPart of a body.
    BodyPart,
}

type Fixed = (&'static AvatarRule, Of, &'static str, Must);

const PART: Of = Of::Any("BasePart");

/// All properties with a fixed value.
pub(crate) static FIXED: &[Fixed] = &[
    (&ARCHIVABLE, Of::Any("Instance"), "Archivable", Must::Bool(true)),
    (&ATTACHMENT_VISIBLE, Of::Any("Attachment"), "Visible", Must::Bool(false)),
    (&ANCHORED, PART, "Anchored", Must::Bool(false)),
    (&COLLISION_GROUP, PART, "CollisionGroupId", Must::Int(0)),
    (&PHYSICAL, PART, "CustomPhysicalProperties", Must::NoPhysics),
    (&PHYSICAL, PART, "Elasticity", Must::Float(0.5)),
    (&PHYSICAL, PART, "Friction", Must::Float(0.3)),
    (&MASSLESS, PART, "Massless", Must::Bool(false)),
    (&REFLECTANCE, PART, "Reflectance", Must::Float(0.0)),
    (&ROOT_PRIORITY, PART, "RootPriority", Must::Int(0)),
    (&VELOCITY, PART, "Velocity", Must::Vector([0.0; 3])),
    (&VELOCITY, PART, "RotVelocity", Must::Vector([0.0; 3])),
    (&TRANSPARENCY, PART, "LocalTransparencyModifier", Must::Float(0.0)),
    (&TRANSPARENCY, PART, "Transparency", Must::Float(0.0)),
    (&MATERIAL, PART, "Material", Must::Enum(256, "Plastic")),
    (&COLOR, Of::Handle, "Color", Must::Color([163, 162, 165])),
    (&SHAPE, Of::Any("Part"), "Shape", Must::Enum(1, "Block")),
    (&COLLISION_FIDELITY, Of::BodyPart, "CollisionFidelity", Must::Enum(0, "Default")),
    (&ALPHA_MODE, Of::Any("SurfaceAppearance"), "AlphaMode", Must::Enum(0, "Overlay")),
    (&SPECIAL_MESH, Of::Any("SpecialMesh"), "MeshType", Must::Enum(5, "FileMesh")),
    (&SPECIAL_MESH, Of::Any("SpecialMesh"), "Offset", Must::Vector([0.0; 3])),
    (&SPECIAL_MESH, Of::Any("SpecialMesh"), "VertexColor", Must::Vector([1.0; 3])),
    (&WRAP_ENABLED, Of::Any("WrapLayer"), "Enabled", Must::Bool(true)),
];

/// The sides of a part, in the names of its surface properties.
const SIDES: [&str; 6] = ["Back", "Bottom", "Front", "Left", "Right", "Top"];
/// The endings of the names of surface properties, and their values.
const SURFACE: [(&str, Must); 4] = [
    ("ParamA", Must::Float(-0.5)),
    ("ParamB", Must::Float(0.5)),
    ("SurfaceInput", Must::Enum(0, "NoInput")),
    ("Surface", Must::Enum(0, "Smooth")),
];

/// All properties of an instance with a fixed value.
pub(crate) fn fixed(
    document: &dyn Dom,
    id: InstanceId,
    item: &Item,
) -> Vec<(&'static AvatarRule, String, Must)> {
    let is_accessory = item.kind.is_none_or(ItemType::is_accessory);
    let is_part = item.parts.iter().any(|part| part.id == Some(id));
    let applies = |of: Of| match of {
        Of::Any("Instance") => true,
        Of::Any(of) => document.is_a(id, of),
        Of::Handle => is_part && is_accessory,
        Of::BodyPart => is_part && !is_accessory && class(document, id) == "MeshPart",
    };
    let rows = FIXED.iter().filter(|(_, of, ..)| applies(*of));
    let mut all: Vec<_> =
        rows.map(|(rule, _, property, must)| (*rule, (*property).to_owned(), *must)).collect();
    if document.is_a(id, "BasePart") {
        for side in SIDES {
            all.extend(SURFACE.map(|(ending, must)| (&SURFACES, format!("{side}{ending}"), must)));
        }
    }
    all
}

impl Must {
    /// Whether a value is the one demanded; `None` if it cannot be told.
    pub(crate) fn is(self, value: ValueRef<'_>) -> Option<bool> {
        Some(match self {
            Self::Bool(must) => value.as_bool()? == must,
            Self::Int(must) => value.as_i64()? == i64::from(must),
            Self::Float(must) => (value.as_f64()? - f64::from(must)).abs() < 1e-6,
            Self::Vector(must) => value.as_vector3()?.to_array() == must,
            Self::Enum(must, _) => value.as_enum()? == must,
            Self::Color(must) => {
                let color = value.as_color3()?;
                let near = |part: f32, must: u8| (part * 255.0 - f32::from(must)).abs() < 0.5;
                [color.r, color.g, color.b].into_iter().zip(must).all(|(part, must)| near(part, must))
            }
            Self::NoPhysics => match value {
                ValueRef::PhysicalProperties(properties) => properties == PhysicalProperties::Default,
                _ => return None,
            },
        })
    }

    /// The value that a property of a kind must have.
    pub(crate) fn value(self, kind: Option<Kind>) -> Value {
        let value = match self {
            Self::Bool(must) => Value::Bool(must),
            Self::Int(must) => Value::Int32(must),
            Self::Float(must) => Value::Float32(must),
            Self::Vector([x, y, z]) => Value::Vector3(geom::Vec3::new(x, y, z)),
            Self::Enum(must, _) => Value::Enum(must),
            Self::Color([r, g, b]) => Value::Color3uint8(rbxcore::Color3uint8 { r, g, b }),
            Self::NoPhysics => Value::PhysicalProperties(Box::new(PhysicalProperties::Default)),
        };
        kind.and_then(|kind| value.converted(kind)).unwrap_or(value)
    }

    pub(crate) fn text(self) -> String {
        match self {
            Self::Bool(must) => must.to_string(),
            Self::Int(must) => must.to_string(),
            Self::Float(must) => must.to_string(),
            Self::Vector([x, y, z]) => format!("{x}, {y}, {z}"),
            Self::Enum(_, name) => name.to_owned(),
            Self::Color([r, g, b]) => format!("{r}, {g}, {b}"),
            Self::NoPhysics => "none".to_owned(),
        }
    }

    /// A value as the demanded one is shown.
    pub(crate) fn shown(self, value: ValueRef<'_>) -> String {
        match (self, value) {
            (Self::NoPhysics, value) if self.is(value) == Some(true) => "none".to_owned(),
            (Self::NoPhysics, _) => "custom".to_owned(),
            (Self::Enum(..), value) => value.as_enum().map_or_else(String::new, |number| number.to_string()),
            (Self::Color(_), value) => value.as_color3().map_or_else(String::new, |color| {
                let [r, g, b] = [color.r, color.g, color.b].map(|part| (part * 255.0).round());
                format!("{r}, {g}, {b}")
            }),
            (_, value) => match (value.as_bool(), value.as_f64(), value.as_vector3()) {
                (Some(value), ..) => value.to_string(),
                (_, Some(value), _) => shown(value),
                (.., Some(v)) => format!("{}, {}, {}", v.x, v.y, v.z),
                _ => String::new(),
            },
        }
    }
}

/// The name of the item of an enum that a property has.
fn item_name(document: &dyn Dom, id: InstanceId, property: &str, number: u32) -> Option<&'static str> {
    rbxcore::classes::class(document.class(id)?)?.property(property)?.items()?.item_name(number)
}

/// Checks the properties of an item of a document.
pub(crate) fn check(document: &dyn Dom, item: &Item, cx: &mut Context<'_>) {
    for id in instances(document, item) {
        let path = path(document, id);
        for (rule, property, must) in fixed(document, id, item) {
            let Some(found) = document.property(id, &property) else { continue };
            let value = found.value.as_ref();
            let Some(passes) = must.is(value) else { continue };
            let name = value.as_enum().and_then(|number| item_name(document, id, &property, number));
            let shown = name.map_or_else(|| must.shown(value), str::to_owned);
            cx.sheet.test(rule, &format!("{path}.{property}"), passes, shown, must.text());
        }
        finite(document, id, &path, cx);
        lengths(document, id, &path, cx);
        match class(document, id) {
            "WrapLayer" => wrap(document, id, &path, &["CageOrigin", "ReferenceOrigin"], cx),
            "WrapTarget" => wrap(document, id, &path, &["CageOrigin"], cx),
            _ => {}
        }
    }
    for part in &item.parts {
        let Some(id) = part.id else { continue };
        let volume = f64::from(part.size.x * part.size.y * part.size.z);
        // The density of Plastic.
        cx.sheet.at_most(&MASS, &part.path, volume * 0.7, cx.numbers.other("MaxMass"), "");
        match &part.hidden {
            None => {}
            Some(Held::Missing(file)) => {
                cx.sheet.row(
                    &HIDDEN_SURFACES,
                    &part.path,
                    Verdict::Unseen,
                    format!("{file} is not at hand"),
                    "one asset",
                );
            }
            Some(held) => {
                let passes = held.read() == Some(&true);
                let found = if passes { "one asset" } else { "another content" };
                cx.sheet.test(&HIDDEN_SURFACES, &part.path, passes, found, "one asset");
            }
        }
        if part.is_mesh_part {
            let has_texture = !text(document, id, "TextureID").is_empty();
            let appearances =
                document.children(id).filter(|child| class(document, *child) == "SurfaceAppearance").count();
            let found = match (has_texture, appearances) {
                (true, 0) => "a texture",
                (true, _) => "both",
                (false, 0) => "neither",
                _ => "a SurfaceAppearance",
            };
            cx.sheet.test(&TEXTURE, &part.path, has_texture != (appearances > 0), found, "one of both");
        }
    }
    super::tree::scale_types(document, item, cx);
}

/// Numbers that are not finite. Studio computes `UnscaledVolume`, `UnscaledCofm`, `UnscaledVolInertiaDiags` and
/// `UnscaledVolInertiaOffDiags` from the mesh, stores NaN if it has none, and no script reads them.
fn finite(document: &dyn Dom, id: InstanceId, path: &str, cx: &mut Context<'_>) {
    let all = |numbers: &[f32]| numbers.iter().all(|number| number.is_finite());
    for (name, value) in document.properties(id).filter(|(name, _)| !name.starts_with(b"Unscaled")) {
        let passes = match value {
            ValueRef::Float32(number) => number.is_finite(),
            ValueRef::Float64(number) => number.is_finite(),
            ValueRef::Vector2(v) => all(&[v.x, v.y]),
            ValueRef::Vector3(v) => v.is_finite(),
            ValueRef::Color3(color) => all(&[color.r, color.g, color.b]),
            _ => match value.as_cframe() {
                Some(frame) => frame.position.is_finite() && all(&frame.rotation.to_rows()),
                None => continue,
            },
        };
        let found = if passes { "finite" } else { "NaN or infinite" };
        cx.sheet.test(&FINITE, &format!("{path}.{name}"), passes, found, "finite");
    }
}

/// The lengths of binary values.
fn lengths(document: &dyn Dom, id: InstanceId, path: &str, cx: &mut Context<'_>) {
    for (name, value) in document.properties(id) {
        let key = match value {
            _ if name == "HSRData" => "MaxHSRData",
            ValueRef::SharedString(_) => "MaxSharedString",
            ValueRef::BinaryString(_) | ValueRef::String(_) => "MaxBinaryString",
            _ => continue,
        };
        let length = value.as_bytes().map_or(0, <[u8]>::len);
        cx.sheet.at_most(&LENGTHS, &format!("{path}.{name}"), length as f64, cx.numbers.other(key), "bytes");
    }
}

/// The origins of cages.
fn wrap(document: &dyn Dom, id: InstanceId, path: &str, origins: &[&str], cx: &mut Context<'_>) {
    let identity = geom::CFrame::IDENTITY.rotation.to_rows();
    let most = cx.numbers.other("MaxWrapOrigin");
    for property in origins {
        let frame = frame(document, id, property);
        let length = f64::from(frame.position.length());
        let turned = frame.rotation.to_rows().iter().zip(identity).any(|(a, b)| (a - b).abs() > 1e-4);
        let found = format!("{} studs{}", shown(length), if turned { ", turned" } else { "" });
        let path = format!("{path}.{property}");
        cx.sheet.test(
            &WRAP_ORIGIN,
            &path,
            length <= most && !turned,
            found,
            format!("at most {most} studs, not turned"),
        );
    }
    let length = f64::from(frame(document, id, "ImportOrigin").position.length());
    let most = cx.numbers.other("MaxImportOrigin");
    cx.sheet.at_most(&WRAP_ORIGIN, &format!("{path}.ImportOrigin"), length, most, "studs");
    if origins.len() == 2 {
        let zero = document.get(id, "BindOffset").and_then(|value| value.as_cframe()).is_none_or(|frame| {
            frame.position.to_array() == [0.0; 3] && frame.rotation.to_rows() == identity
        });
        let found = if zero { "zero" } else { "an offset" };
        cx.sheet.test(&BIND_OFFSET, &format!("{path}.BindOffset"), zero, found, "zero");
    }
}
