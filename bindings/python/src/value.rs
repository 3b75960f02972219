//! Values of properties to and from Python.

use geom::{CFrame, Mat3, Quat, Ray, Rect, UDim, UDim2, Vec2, Vec3, Vector2int16, Vector3int16};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyList, PyString, PyTuple};
use rbxbinary::InstanceId;
use rbxbinary::{
    Axes, BrickColor, CFrameQuat, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Content,
    ContentRef, CustomPhysicalProperties, Faces, Font, FontStyle, NumberRange, NumberSequence,
    NumberSequenceKeypoint, PhysicalProperties, SecurityCapabilities, TypeId, UniqueId, Value, ValueRef,
};
use rezkit::blobs::Attribute;
use rezkit::kinds::roblox::AttributeValue;

use crate::array::{floats, shaped, text};
use crate::document::RobloxDocument;
use crate::error::{Error, Result, python_type};
use crate::instance::Instance;

/// Converts a value of a property to Python.
pub(crate) fn to_python<'py>(
    document: &Bound<'py, RobloxDocument>,
    value: &Value,
) -> PyResult<Bound<'py, PyAny>> {
    let py = document.py();
    let instance = |id: &Option<InstanceId>| match id {
        Some(id) => Ok(Instance::of(document, *id)?.into_any()),
        None => Ok(py.None().into_bound(py)),
    };
    match value.as_ref() {
        ValueRef::Ref(id) | ValueRef::Content(ContentRef::Object(id)) => instance(&id),
        ValueRef::Unknown(unknown) => Ok(PyBytes::new(py, &unknown.xml).into_any()),
        value => plain(py, value),
    }
}

/// Converts the value of an attribute to Python.
pub(crate) fn attribute<'py>(
    document: &Bound<'py, RobloxDocument>,
    value: &AttributeValue,
) -> PyResult<Bound<'py, PyAny>> {
    let py = document.py();
    match value {
        AttributeValue::Value(value) => to_python(document, value),
        AttributeValue::Array(list) => {
            let list: PyResult<Vec<_>> = list.iter().map(|value| attribute(document, value)).collect();
            Ok(PyList::new(py, list?)?.into_any())
        }
        AttributeValue::Table(table) => {
            let dict = PyDict::new(py);
            table.iter().try_for_each(|(name, value)| dict.set_item(name, attribute(document, value)?))?;
            Ok(dict.into_any())
        }
        AttributeValue::Other(Attribute::Nil(_)) => Ok(py.None().into_bound(py)),
        AttributeValue::Other(other) => {
            let json = serde_json::to_string(other).unwrap_or_default();
            py.import("json")?.call_method1("loads", (json,))
        }
        _ => Ok(py.None().into_bound(py)),
    }
}

fn vec2<'py>(py: Python<'py>, Vec2 { x, y }: Vec2) -> PyResult<Bound<'py, PyAny>> {
    python_type!(py, "Vector2", (x, y))
}

fn vec3<'py>(py: Python<'py>, Vec3 { x, y, z }: Vec3) -> PyResult<Bound<'py, PyAny>> {
    python_type!(py, "Vector3", (x, y, z))
}

fn udim<'py>(py: Python<'py>, UDim { scale, offset }: UDim) -> PyResult<Bound<'py, PyAny>> {
    python_type!(py, "UDim", (scale, offset))
}

/// A rotation and a position as an array of 4 x 4.
fn frame<'py>(py: Python<'py>, frame: &CFrame) -> PyResult<Bound<'py, PyAny>> {
    let [a, b, c, d, e, f, g, h, i] = frame.rotation.to_rows();
    let [x, y, z] = frame.position.to_array();
    let numbers = vec![a, b, c, x, d, e, f, y, g, h, i, z, 0.0, 0.0, 0.0, 1.0];
    shaped(py, numbers, &[4])
}

fn plain<'py>(py: Python<'py>, value: ValueRef<'_>) -> PyResult<Bound<'py, PyAny>> {
    macro_rules! object {
        ($value:expr) => {
            Ok($value.into_pyobject(py)?.to_owned().into_any())
        };
    }
    match value {
        ValueRef::String(bytes) | ValueRef::Bytecode(bytes) => Ok(text(py, bytes)),
        ValueRef::SharedString(bytes) => Ok(text(py, bytes)),
        ValueRef::Bool(value) => object!(value),
        ValueRef::Int32(value) => object!(value),
        ValueRef::Int64(value) => object!(value),
        ValueRef::Float32(value) => object!(value),
        ValueRef::Float64(value) => object!(value),
        ValueRef::Enum(value) => object!(value),
        ValueRef::BrickColor(value) => object!(value.0),
        ValueRef::Faces(value) => object!(value.0),
        ValueRef::Axes(value) => object!(value.0),
        ValueRef::SecurityCapabilities(value) => object!(value.0),
        ValueRef::UDim(value) => udim(py, value),
        ValueRef::UDim2(value) => python_type!(py, "UDim2", (udim(py, value.x)?, udim(py, value.y)?)),
        ValueRef::Ray(ray) => python_type!(py, "Ray", (vec3(py, ray.origin)?, vec3(py, ray.direction)?)),
        ValueRef::Rect(rect) => python_type!(py, "Rect", (vec2(py, rect.min)?, vec2(py, rect.max)?)),
        ValueRef::Color3(color) => python_type!(py, "Color3", (color.r, color.g, color.b)),
        ValueRef::Color3uint8(color) => python_type!(py, "Color3uint8", (color.r, color.g, color.b)),
        ValueRef::Vector2(value) => vec2(py, value),
        ValueRef::Vector3(value) => vec3(py, value),
        ValueRef::Vector2int16(value) => python_type!(py, "Vector2", (value.x, value.y)),
        ValueRef::Vector3int16(value) => python_type!(py, "Vector3", (value.x, value.y, value.z)),
        ValueRef::CFrame(value) => frame(py, &value),
        ValueRef::OptionalCFrame(None) => Ok(py.None().into_bound(py)),
        ValueRef::OptionalCFrame(Some(value)) => frame(py, &value),
        ValueRef::CFrameQuat(value) => {
            let Quat { x, y, z, w } = value.rotation;
            python_type!(py, "CFrameQuat", (vec3(py, value.position)?, (x, y, z, w)))
        }
        ValueRef::NumberRange(range) => python_type!(py, "NumberRange", (range.min, range.max)),
        ValueRef::NumberSequence(sequence) => {
            let key = |key: &NumberSequenceKeypoint| {
                python_type!(py, "NumberKeypoint", (key.time, key.value, key.envelope))
            };
            let keys: Vec<_> = sequence.keypoints.iter().map(key).collect::<PyResult<_>>()?;
            Ok(PyTuple::new(py, keys)?.into_any())
        }
        ValueRef::ColorSequence(sequence) => {
            let key = |key: &ColorSequenceKeypoint| {
                let Color3 { r, g, b } = key.color;
                let color = python_type!(py, "Color3", (r, g, b))?;
                python_type!(py, "ColorKeypoint", (key.time, color, key.envelope))
            };
            let keys: Vec<_> = sequence.keypoints.iter().map(key).collect::<PyResult<_>>()?;
            Ok(PyTuple::new(py, keys)?.into_any())
        }
        ValueRef::PhysicalProperties(PhysicalProperties::Default) => Ok(py.None().into_bound(py)),
        ValueRef::PhysicalProperties(PhysicalProperties::Custom(own)) => {
            let CustomPhysicalProperties {
                density,
                friction,
                elasticity,
                friction_weight,
                elasticity_weight,
                acoustic_absorption,
            } = own;
            let numbers =
                (density, friction, elasticity, friction_weight, elasticity_weight, acoustic_absorption);
            python_type!(py, "PhysicalProperties", numbers)
        }
        ValueRef::UniqueId(id) => python_type!(py, "UniqueId", (id.random, id.time, id.index)),
        ValueRef::Font(font) => {
            let (family, cached) = (text(py, font.family), text(py, font.cached_face_id));
            python_type!(py, "Font", (family, font.weight, font.style.0, cached))
        }
        ValueRef::Content(ContentRef::Uri(uri)) => Ok(text(py, uri)),
        _ => Ok(py.None().into_bound(py)),
    }
}

fn bytes(value: &Bound<'_, PyAny>) -> Option<Vec<u8>> {
    if let Ok(text) = value.cast::<PyString>() {
        return text.to_str().ok().map(|text| text.as_bytes().to_vec());
    }
    if let Ok(bytes) = value.cast::<PyByteArray>() {
        return Some(bytes.to_vec());
    }
    value.cast::<PyBytes>().ok().map(|bytes| bytes.as_bytes().to_vec())
}

/// Converts a Python value to a property's value of the type `kind`.
pub(crate) fn from_python(
    document: &Bound<'_, RobloxDocument>,
    property: &str,
    kind: TypeId,
    value: &Bound<'_, PyAny>,
) -> Result<Value> {
    let name = kind.name().unwrap_or("a type that is not known");
    let wrong = || -> Error {
        let found = value.repr().map(|repr| repr.to_string()).unwrap_or_default();
        let found: String = found.chars().take(80).collect();
        rezkit::Error::argument(format!("expected {name}, found {found}")).at(property).into()
    };
    if value.is_none() && matches!(kind, TypeId::REF) {
        return Ok(Value::Ref(None));
    }
    if let Ok(instance) = value.cast::<Instance>() {
        let instance = instance.get();
        if !instance.is_of(document) {
            let text = "expected an instance of the same document";
            return Err(rezkit::Error::argument(text).at(property).into());
        }
        return match kind {
            TypeId::REF => Ok(Value::Ref(Some(instance.id()))),
            TypeId::CONTENT => Ok(Value::Content(Content::Object(Some(instance.id())))),
            _ => Err(wrong()),
        };
    }
    macro_rules! get {
        ($kind:ty) => {
            value.extract::<$kind>().map_err(|_| wrong())?
        };
    }
    Ok(match kind {
        TypeId::STRING => Value::String(bytes(value).ok_or_else(wrong)?.into()),
        TypeId::SHARED_STRING => Value::SharedString(bytes(value).ok_or_else(wrong)?.into()),
        TypeId::BYTECODE => Value::Bytecode(bytes(value).ok_or_else(wrong)?.into()),
        TypeId::CONTENT if value.is_none() => Value::Content(Content::None),
        TypeId::CONTENT => Value::Content(Content::Uri(bytes(value).ok_or_else(wrong)?.into())),
        TypeId::BOOL => Value::Bool(get!(bool)),
        TypeId::INT32 => Value::Int32(get!(i32)),
        TypeId::INT64 => Value::Int64(get!(i64)),
        TypeId::FLOAT32 => Value::Float32(get!(f32)),
        TypeId::FLOAT64 => Value::Float64(get!(f64)),
        TypeId::ENUM => Value::Enum(get!(u32)),
        TypeId::BRICK_COLOR => Value::BrickColor(BrickColor(get!(u32))),
        TypeId::FACES => Value::Faces(Faces(get!(u8))),
        TypeId::AXES => Value::Axes(Axes(get!(u8))),
        TypeId::SECURITY_CAPABILITIES => Value::SecurityCapabilities(SecurityCapabilities(get!(u64))),
        TypeId::UDIM => {
            let (scale, offset) = get!((f32, i32));
            Value::UDim(UDim { scale, offset })
        }
        TypeId::UDIM2 => {
            let ((a, b), (c, d)) = get!(((f32, i32), (f32, i32)));
            let (x, y) = (UDim { scale: a, offset: b }, UDim { scale: c, offset: d });
            Value::UDim2(UDim2 { x, y })
        }
        TypeId::RAY => {
            let (origin, direction) = get!(([f32; 3], [f32; 3]));
            Value::from(Ray { origin: origin.into(), direction: direction.into() })
        }
        TypeId::RECT => {
            let (min, max) = get!(([f32; 2], [f32; 2]));
            Value::Rect(Rect { min: min.into(), max: max.into() })
        }
        TypeId::COLOR3 => {
            let [r, g, b] = get!([f32; 3]);
            Value::Color3(Color3 { r, g, b })
        }
        TypeId::COLOR3_UINT8 => {
            let (r, g, b) = get!((u8, u8, u8));
            Value::Color3uint8(Color3uint8 { r, g, b })
        }
        TypeId::VECTOR2 => Value::Vector2(get!([f32; 2]).into()),
        TypeId::VECTOR3 => Value::Vector3(get!([f32; 3]).into()),
        TypeId::VECTOR2_INT16 => {
            let [x, y] = get!([i16; 2]);
            Value::Vector2int16(Vector2int16 { x, y })
        }
        TypeId::VECTOR3_INT16 => {
            let [x, y, z] = get!([i16; 3]);
            Value::Vector3int16(Vector3int16 { x, y, z })
        }
        TypeId::CFRAME => Value::CFrame(matrix(value)?.ok_or_else(wrong)?.into()),
        TypeId::OPTIONAL_CFRAME if value.is_none() => Value::OptionalCFrame(None),
        TypeId::OPTIONAL_CFRAME => Value::OptionalCFrame(Some(matrix(value)?.ok_or_else(wrong)?.into())),
        TypeId::CFRAME_QUAT => {
            let (position, [x, y, z, w]) = get!(([f32; 3], [f32; 4]));
            Value::from(CFrameQuat { position: position.into(), rotation: Quat { x, y, z, w } })
        }
        TypeId::NUMBER_RANGE => {
            let [min, max] = get!([f32; 2]);
            Value::NumberRange(NumberRange { min, max })
        }
        TypeId::NUMBER_SEQUENCE => {
            let keys = get!(Vec<[f32; 3]>).into_iter();
            let keypoints = keys
                .map(|[time, value, envelope]| NumberSequenceKeypoint { time, value, envelope })
                .collect();
            Value::from(NumberSequence { keypoints })
        }
        TypeId::COLOR_SEQUENCE => {
            let keys = get!(Vec<(f32, [f32; 3], f32)>).into_iter();
            let key = |(time, [r, g, b], envelope): (f32, [f32; 3], f32)| ColorSequenceKeypoint {
                time,
                color: Color3 { r, g, b },
                envelope,
            };
            Value::from(ColorSequence { keypoints: keys.map(key).collect() })
        }
        TypeId::PHYSICAL_PROPERTIES if value.is_none() => Value::from(PhysicalProperties::Default),
        TypeId::PHYSICAL_PROPERTIES => {
            let (density, friction, elasticity, friction_weight, elasticity_weight, acoustic_absorption) =
                get!((f32, f32, f32, f32, f32, Option<f32>));
            Value::from(PhysicalProperties::Custom(CustomPhysicalProperties {
                density,
                friction,
                elasticity,
                friction_weight,
                elasticity_weight,
                acoustic_absorption,
            }))
        }
        TypeId::UNIQUE_ID => {
            let (random, time, index) = get!((u64, u32, u32));
            Value::UniqueId(UniqueId { random, time, index })
        }
        TypeId::FONT => {
            let (family, weight, style, cached) = get!((Bound<'_, PyAny>, u16, u8, Bound<'_, PyAny>));
            Value::from(Font {
                family: bytes(&family).ok_or_else(wrong)?.into(),
                weight,
                style: FontStyle(style),
                cached_face_id: bytes(&cached).ok_or_else(wrong)?.into(),
            })
        }
        _ => return Err(wrong()),
    })
}

/// A 4 x 4 matrix as a CFrame; `None` if it has another shape or its last row is not 0 0 0 1.
fn matrix(value: &Bound<'_, PyAny>) -> Result<Option<CFrame>> {
    let rows: Vec<[f32; 4]> = floats(value, "CFrame")?;
    let Ok([[a, b, c, x], [d, e, f, y], [g, h, i, z], last]) = <[[f32; 4]; 4]>::try_from(rows) else {
        return Ok(None);
    };
    let frame =
        CFrame { rotation: Mat3::from_rows([a, b, c, d, e, f, g, h, i]), position: Vec3::new(x, y, z) };
    Ok((last == [0.0, 0.0, 0.0, 1.0]).then_some(frame))
}

/// The type that a Python value implies, for a property whose type neither the document nor the class table knows.
pub(crate) fn type_of(value: &Bound<'_, PyAny>) -> Option<TypeId> {
    let name = value.get_type().name().ok()?.to_string();
    Some(match name.as_str() {
        "str" | "bytes" | "bytearray" => TypeId::STRING,
        "bool" => TypeId::BOOL,
        "int" => TypeId::INT64,
        "float" => TypeId::FLOAT64,
        "ndarray" => TypeId::CFRAME,
        "Instance" => TypeId::REF,
        "Vector2" => TypeId::VECTOR2,
        "Vector3" => TypeId::VECTOR3,
        "Color3" => TypeId::COLOR3,
        "Color3uint8" => TypeId::COLOR3_UINT8,
        "UDim" => TypeId::UDIM,
        "UDim2" => TypeId::UDIM2,
        "Ray" => TypeId::RAY,
        "Rect" => TypeId::RECT,
        "NumberRange" => TypeId::NUMBER_RANGE,
        "PhysicalProperties" => TypeId::PHYSICAL_PROPERTIES,
        "UniqueId" => TypeId::UNIQUE_ID,
        "Font" => TypeId::FONT,
        _ => return None,
    })
}
