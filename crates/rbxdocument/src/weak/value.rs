//! Values of documents as those of rbx-dom, and back.

use std::collections::HashMap;

use bstr::{BStr, ByteSlice as _};
use geom::{Mat3, Vec2, Vec3};
use rbx_dom_weak::types::{self, Ref, Variant};
use rbxcore::{
    CFrame, ContentRef, CustomPhysicalProperties, FontRef, InstanceId, PhysicalProperties, Value, ValueRef,
};

/// Shared strings by the address and the length of their bytes.
pub(super) type Shared = HashMap<(usize, usize), types::SharedString>;

fn vec2(of: Vec2) -> types::Vector2 {
    types::Vector2::new(of.x, of.y)
}

fn vec3(of: Vec3) -> types::Vector3 {
    types::Vector3::new(of.x, of.y, of.z)
}

fn frame(of: CFrame) -> types::CFrame {
    let [a, b, c, d, e, f, g, h, i] = of.rotation.to_rows();
    let row = types::Vector3::new;
    types::CFrame::new(vec3(of.position), types::Matrix3::new(row(a, b, c), row(d, e, f), row(g, h, i)))
}

fn udim(of: rbxcore::UDim) -> types::UDim {
    types::UDim::new(of.scale, of.offset)
}

/// A value as rbx-dom has it; `None` if it has none.
pub(super) fn variant(
    value: ValueRef<'_>,
    refs: &HashMap<InstanceId, Ref>,
    shared: &mut Shared,
) -> Option<Variant> {
    let to = |id: Option<InstanceId>| id.and_then(|id| refs.get(&id).copied()).unwrap_or_else(Ref::none);
    Some(match value {
        ValueRef::String(text) | ValueRef::ProtectedString(text) => match text.to_str() {
            Ok(text) => Variant::String(text.to_owned()),
            Err(_) => Variant::BinaryString(text.to_vec().into()),
        },
        ValueRef::BinaryString(bytes) => Variant::BinaryString(bytes.to_vec().into()),
        ValueRef::Bool(of) => Variant::Bool(of),
        ValueRef::Int32(of) => Variant::Int32(of),
        ValueRef::Int64(of) => Variant::Int64(of),
        ValueRef::Float32(of) => Variant::Float32(of),
        ValueRef::Float64(of) => Variant::Float64(of),
        ValueRef::UDim(of) => Variant::UDim(udim(of)),
        ValueRef::UDim2(of) => Variant::UDim2(types::UDim2::new(udim(of.x), udim(of.y))),
        ValueRef::Ray(of) => Variant::Ray(types::Ray::new(vec3(of.origin), vec3(of.direction))),
        ValueRef::Faces(of) => Variant::Faces(types::Faces::from_bits(of.0)?),
        ValueRef::Axes(of) => Variant::Axes(types::Axes::from_bits(of.0)?),
        ValueRef::BrickColor(of) => {
            Variant::BrickColor(types::BrickColor::from_number(u16::try_from(of.0).ok()?)?)
        }
        ValueRef::Color3(of) => Variant::Color3(types::Color3::new(of.r, of.g, of.b)),
        ValueRef::Color3uint8(of) => Variant::Color3uint8(types::Color3uint8::new(of.r, of.g, of.b)),
        ValueRef::Vector2(of) => Variant::Vector2(vec2(of)),
        ValueRef::Vector3(of) => Variant::Vector3(vec3(of)),
        ValueRef::Vector2int16(of) => Variant::Vector2int16(types::Vector2int16::new(of.x, of.y)),
        ValueRef::Vector3int16(of) => Variant::Vector3int16(types::Vector3int16::new(of.x, of.y, of.z)),
        ValueRef::CFrame(of) => Variant::CFrame(frame(of)),
        ValueRef::CFrameQuat(of) => Variant::CFrame(frame(of.to_cframe())),
        ValueRef::OptionalCFrame(of) => Variant::OptionalCFrame(of.map(frame)),
        ValueRef::Enum(of) => Variant::Enum(types::Enum::from_u32(of)),
        ValueRef::Ref(of) => Variant::Ref(to(of)),
        ValueRef::NumberSequence(of) => {
            let key = |key: &rbxcore::NumberSequenceKeypoint| {
                types::NumberSequenceKeypoint::new(key.time, key.value, key.envelope)
            };
            let keypoints = of.keypoints.iter().map(key).collect();
            Variant::NumberSequence(types::NumberSequence { keypoints })
        }
        ValueRef::ColorSequence(of) if of.keypoints.iter().all(|key| key.envelope == 0.0) => {
            let key = |key: &rbxcore::ColorSequenceKeypoint| {
                let color = types::Color3::new(key.color.r, key.color.g, key.color.b);
                types::ColorSequenceKeypoint::new(key.time, color)
            };
            let keypoints = of.keypoints.iter().map(key).collect();
            Variant::ColorSequence(types::ColorSequence { keypoints })
        }
        ValueRef::NumberRange(of) => Variant::NumberRange(types::NumberRange::new(of.min, of.max)),
        ValueRef::Rect(of) => Variant::Rect(types::Rect::new(vec2(of.min), vec2(of.max))),
        ValueRef::PhysicalProperties(of) => Variant::PhysicalProperties(physical(of)?),
        ValueRef::SharedString(of) => {
            // Hashing it takes time.
            let made = shared.entry((of.as_ptr().addr(), of.len()));
            Variant::SharedString(made.or_insert_with(|| types::SharedString::new(of.to_vec())).clone())
        }
        ValueRef::NetAssetRef(of) => Variant::NetAssetRef(types::NetAssetRef::new(of.to_vec())),
        ValueRef::UniqueId(of) => {
            Variant::UniqueId(types::UniqueId::new(of.index, of.time, of.random.cast_signed()))
        }
        ValueRef::Font(of) => Variant::Font(types::Font {
            family: of.family.to_str().ok()?.to_owned(),
            weight: types::FontWeight::from_u16(of.weight)?,
            style: types::FontStyle::from_u8(of.style.0)?,
            cached_face_id: Some(of.cached_face_id.to_string()).filter(|id| !id.is_empty()),
        }),
        ValueRef::SecurityCapabilities(of) => {
            Variant::SecurityCapabilities(types::SecurityCapabilities::from_bits(of.0))
        }
        ValueRef::ContentId(uri) => Variant::ContentId(uri.to_str().ok()?.into()),
        ValueRef::Content(of) => Variant::Content(match of {
            ContentRef::None => types::Content::none(),
            ContentRef::Uri(uri) => types::Content::from_uri(uri.to_str().ok()?),
            ContentRef::Object(id) => types::Content::from_referent(to(id)),
        }),
        _ => return None,
    })
}

fn physical(of: PhysicalProperties) -> Option<types::PhysicalProperties> {
    let PhysicalProperties::Custom(of) = of else { return Some(types::PhysicalProperties::Default) };
    Some(types::PhysicalProperties::Custom(types::CustomPhysicalProperties::new(
        of.density,
        of.friction,
        of.elasticity,
        of.friction_weight,
        of.elasticity_weight,
        // As rbx_binary and rbx_xml.
        of.acoustic_absorption.unwrap_or(1.0),
    )))
}

/// A value of rbx-dom; `None` for a type that documents do not have, and for a reference to an instance.
pub(super) fn of_variant(value: &Variant) -> Option<Value> {
    Some(match value {
        Variant::Ref(_) => Value::Ref(None),
        Variant::NumberSequence(of) => {
            let keys = of.keypoints.iter().map(|key| rbxcore::NumberSequenceKeypoint {
                time: key.time,
                value: key.value,
                envelope: key.envelope,
            });
            rbxcore::NumberSequence { keypoints: keys.collect() }.into()
        }
        Variant::ColorSequence(of) => {
            let keys = of.keypoints.iter().map(|key| rbxcore::ColorSequenceKeypoint {
                time: key.time,
                color: color(&key.color),
                envelope: 0.0,
            });
            rbxcore::ColorSequence { keypoints: keys.collect() }.into()
        }
        Variant::SharedString(of) => Value::SharedString(of.data().to_vec().into()),
        Variant::NetAssetRef(of) => Value::NetAssetRef(of.data().to_vec().into()),
        Variant::Tags(of) => Value::from(of.encode()),
        Variant::MaterialColors(of) => Value::from(of.encode()),
        Variant::Attributes(of) => {
            let mut bytes = Vec::new();
            of.to_writer(&mut bytes).ok()?;
            Value::from(bytes)
        }
        value => borrowed(value)?.to_value(),
    })
}

fn color(of: &types::Color3) -> rbxcore::Color3 {
    rbxcore::Color3::new(of.r, of.g, of.b)
}

/// A value of rbx-dom by reference; `None` as [`of_variant`], and for a value that has to be copied.
pub(super) fn borrowed(value: &Variant) -> Option<ValueRef<'_>> {
    let vec2 = |of: &types::Vector2| Vec2::new(of.x, of.y);
    let vec3 = |of: &types::Vector3| Vec3::new(of.x, of.y, of.z);
    let udim = |of: &types::UDim| rbxcore::UDim { scale: of.scale, offset: of.offset };
    let frame = |of: &types::CFrame| {
        let types::Matrix3 { x, y, z } = of.orientation;
        let rotation = Mat3 {
            x_axis: Vec3::new(x.x, y.x, z.x),
            y_axis: Vec3::new(x.y, y.y, z.y),
            z_axis: Vec3::new(x.z, y.z, z.z),
        };
        CFrame { position: vec3(&of.position), rotation }
    };
    Some(match value {
        Variant::String(of) => ValueRef::String(BStr::new(of)),
        Variant::BinaryString(of) => ValueRef::BinaryString(BStr::new(AsRef::<[u8]>::as_ref(of))),
        Variant::Bool(of) => ValueRef::Bool(*of),
        Variant::Int32(of) => ValueRef::Int32(*of),
        Variant::Int64(of) => ValueRef::Int64(*of),
        Variant::Float32(of) => ValueRef::Float32(*of),
        Variant::Float64(of) => ValueRef::Float64(*of),
        Variant::UDim(of) => ValueRef::UDim(udim(of)),
        Variant::UDim2(of) => ValueRef::UDim2(rbxcore::UDim2 { x: udim(&of.x), y: udim(&of.y) }),
        Variant::Ray(of) => {
            ValueRef::Ray(rbxcore::Ray { origin: vec3(&of.origin), direction: vec3(&of.direction) })
        }
        Variant::Faces(of) => ValueRef::Faces(rbxcore::Faces(of.bits())),
        Variant::Axes(of) => ValueRef::Axes(rbxcore::Axes(of.bits())),
        Variant::BrickColor(of) => ValueRef::BrickColor(rbxcore::BrickColor(u32::from(*of as u16))),
        Variant::Color3(of) => ValueRef::Color3(color(of)),
        Variant::Color3uint8(of) => ValueRef::Color3uint8(rbxcore::Color3uint8::new(of.r, of.g, of.b)),
        Variant::Vector2(of) => ValueRef::Vector2(vec2(of)),
        Variant::Vector3(of) => ValueRef::Vector3(vec3(of)),
        Variant::Vector2int16(of) => ValueRef::Vector2int16(rbxcore::Vector2int16 { x: of.x, y: of.y }),
        Variant::Vector3int16(of) => {
            ValueRef::Vector3int16(rbxcore::Vector3int16 { x: of.x, y: of.y, z: of.z })
        }
        Variant::CFrame(of) => ValueRef::CFrame(frame(of)),
        Variant::OptionalCFrame(of) => ValueRef::OptionalCFrame(of.as_ref().map(frame)),
        Variant::Enum(of) => ValueRef::Enum(of.to_u32()),
        Variant::EnumItem(of) => ValueRef::Enum(of.value),
        Variant::NumberRange(of) => ValueRef::NumberRange(rbxcore::NumberRange { min: of.min, max: of.max }),
        Variant::Rect(of) => ValueRef::Rect(rbxcore::Rect { min: vec2(&of.min), max: vec2(&of.max) }),
        Variant::PhysicalProperties(of) => ValueRef::PhysicalProperties(match of {
            types::PhysicalProperties::Default => PhysicalProperties::Default,
            types::PhysicalProperties::Custom(of) => PhysicalProperties::Custom(CustomPhysicalProperties {
                density: of.density(),
                friction: of.friction(),
                elasticity: of.elasticity(),
                friction_weight: of.friction_weight(),
                elasticity_weight: of.elasticity_weight(),
                acoustic_absorption: Some(of.acoustic_absorption()),
            }),
        }),
        Variant::UniqueId(of) => {
            let (index, time, random) = (of.index(), of.time(), of.random().cast_unsigned());
            ValueRef::UniqueId(rbxcore::UniqueId { index, time, random })
        }
        Variant::Font(of) => ValueRef::Font(FontRef {
            family: BStr::new(&of.family),
            weight: of.weight.as_u16(),
            style: rbxcore::FontStyle(of.style.as_u8()),
            cached_face_id: BStr::new(of.cached_face_id.as_deref().unwrap_or_default()),
        }),
        Variant::SecurityCapabilities(of) => {
            ValueRef::SecurityCapabilities(rbxcore::SecurityCapabilities(of.bits()))
        }
        Variant::ContentId(of) => ValueRef::ContentId(BStr::new(of.as_str())),
        Variant::Content(of) => ValueRef::Content(match of.value() {
            types::ContentType::Uri(uri) => ContentRef::Uri(BStr::new(uri)),
            types::ContentType::Object(to) if to.is_some() => return None,
            _ => ContentRef::None,
        }),
        _ => return None,
    })
}
