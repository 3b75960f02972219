//! Default values from Roblox's class database.

use ::rbxbinary::{self as binary, Value, geom};
use rbx_types::Variant;

/// The default of a property under the name by which files store it; `None` where the database has none, or
/// one of a type that needs no default.
pub(super) fn default(class: &str, property: &str) -> Option<Value> {
    let database = rbx_reflection_database::get_bundled();
    // Defaults are under the names that scripts see.
    let name = match property {
        "size" => "Size",
        "Color3uint8" => "Color",
        "shape" => "Shape",
        "formFactorRaw" => "FormFactor",
        "AttributesSerialize" => "Attributes",
        "MaterialVariantSerialized" => "MaterialVariant",
        "archivable" => "Archivable",
        "ScaleFactor" => "Scale",
        other => other,
    };
    let mut next = Some(class);
    while let Some(class) = next {
        let class = database.classes.get(class)?;
        if let Some(value) = class.default_properties.get(name) {
            return of(value);
        }
        next = class.superclass;
    }
    None
}

fn of(value: &Variant) -> Option<Value> {
    Some(match value {
        Variant::Bool(value) => Value::Bool(*value),
        Variant::Int32(value) => Value::Int32(*value),
        Variant::Int64(value) => Value::Int64(*value),
        Variant::Float32(value) => Value::Float32(*value),
        Variant::Float64(value) => Value::Float64(*value),
        Variant::Enum(value) => Value::Enum(value.to_u32()),
        Variant::String(text) => Value::String(text.as_str().into()),
        Variant::Vector2(value) => Value::Vector2(geom::Vec2 { x: value.x, y: value.y }),
        Variant::Vector3(value) => Value::Vector3(geom::Vec3 { x: value.x, y: value.y, z: value.z }),
        Variant::Color3(color) => Value::Color3(binary::Color3 { r: color.r, g: color.g, b: color.b }),
        Variant::NumberRange(range) => {
            Value::NumberRange(binary::NumberRange { min: range.min, max: range.max })
        }
        Variant::UDim2(value) => Value::UDim2(binary::UDim2 {
            x: binary::UDim { scale: value.x.scale, offset: value.x.offset },
            y: binary::UDim { scale: value.y.scale, offset: value.y.offset },
        }),
        Variant::UDim(value) => Value::UDim(binary::UDim { scale: value.scale, offset: value.offset }),
        _ => return None,
    })
}
