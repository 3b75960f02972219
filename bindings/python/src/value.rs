//! Values of properties to and from Python.

use geom::{CFrame, Mat3, Quat, UDim, UDim2, Vec2, Vec3, Vector2int16, Vector3int16};
use numpy::PyUntypedArray;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyInt, PyList, PyString, PyTuple};
use rbxbinary::InstanceId;
use rbxbinary::parts::TypeId;
use rbxbinary::types::{
    Axes, BrickColor, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Content, ContentRef,
    CustomPhysicalProperties, Faces, Font, FontStyle, NumberSequenceKeypoint, PhysicalProperties,
    SecurityCapabilities, UniqueId,
};
use rbxbinary::{Value, ValueRef, classes};
use rezkit::blobs::Attribute;
use rezkit::blobs::attributes::EnumItem;
use rezkit::formats::roblox::{color, enum_item};

use crate::array::{matrix, narrow, shaped, text};
use crate::document::RobloxDocument;
use crate::error::{Error, Result, python_type};
use crate::instance::Instance;

/// Converts a value of a property of a class to Python. Without a class, an item of an enum is a number.
pub(crate) fn to_python<'py>(
    document: &Bound<'py, RobloxDocument>,
    (class, property): (&str, &str),
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
        ValueRef::Enum(number) => match items(class, property) {
            Some(of) => python_type!(py, "EnumItem", (of.name(), of.item_name(number), number)),
            None => plain(py, ValueRef::Enum(number)),
        },
        value => plain(py, value),
    }
}

/// The enum of a property of a class.
pub(crate) fn items(class: &str, property: &str) -> Option<classes::Enum> {
    classes::class(class)?.property(property)?.items()
}

/// Converts the value of an attribute to Python.
pub(crate) fn attribute<'py>(
    document: &Bound<'py, RobloxDocument>,
    value: &Attribute,
) -> PyResult<Bound<'py, PyAny>> {
    let py = document.py();
    match value {
        Attribute::Value(value) => to_python(document, ("", ""), value),
        Attribute::Matrix(frame) => plain(py, ValueRef::CFrame(**frame)),
        Attribute::Enum(EnumItem { name, value }) => {
            let name = name.to_string();
            let item = classes::enum_named(&name).and_then(|of| of.item_name(*value));
            python_type!(py, "EnumItem", (name, item, value))
        }
        Attribute::Array(list) => {
            let list: PyResult<Vec<_>> = list.iter().map(|value| attribute(document, value)).collect();
            Ok(PyList::new(py, list?)?.into_any())
        }
        Attribute::Table(table) => {
            let dict = PyDict::new(py);
            for (name, value) in table {
                dict.set_item(name.to_string(), attribute(document, value)?)?;
            }
            Ok(dict.into_any())
        }
        Attribute::Nil => Ok(py.None().into_bound(py)),
        other => {
            let json = serde_json::to_string(other).unwrap_or_default();
            py.import("json")?.call_method1("loads", (json,))
        }
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

/// The bytes of a `str`, or of bytes.
pub(crate) fn bytes(value: &Bound<'_, PyAny>) -> Option<Vec<u8>> {
    if let Ok(text) = value.cast::<PyString>() {
        return text.to_str().ok().map(|text| text.as_bytes().to_vec());
    }
    if let Ok(bytes) = value.cast::<PyByteArray>() {
        return Some(bytes.to_vec());
    }
    value.cast::<PyBytes>().ok().map(|bytes| bytes.as_bytes().to_vec())
}

/// A Python value for a property.
struct Given<'a, 'py> {
    value: &'a Bound<'py, PyAny>,
    property: &'a str,
    kind: TypeId,
    /// The name of the type.
    name: &'static str,
}

/// The value, or one of its parts, as a type.
macro_rules! get {
    ($given:expr, $kind:ty) => {
        get!($given, $kind, $given.value)
    };
    ($given:expr, $kind:ty, $value:expr) => {
        $value.extract::<$kind>().map_err(|error| {
            match error.is_instance_of::<PyOverflowError>($given.value.py()) {
                true => $given.expected(&format!("{} (a number is out of range)", $given.name)),
                false => $given.wrong(),
            }
        })?
    };
}

impl Given<'_, '_> {
    fn expected(&self, what: &str) -> Error {
        let found = self.value.repr().map(|repr| repr.to_string()).unwrap_or_default();
        let found: String = found.chars().take(80).collect();
        Error::Type(rezkit::Error::argument(format!("expected {what}, found {found}")).at(self.property))
    }

    fn wrong(&self) -> Error {
        match self.kind {
            TypeId::COLOR3_UINT8 => {
                self.expected("three integers from 0 to 255, a rezkit.Color3 with components from 0 to 1, or a text such as '#ff8800'")
            }
            TypeId::COLOR3 => {
                self.expected("three numbers from 0 to 1, a rezkit.Color3uint8, or a text such as '#ff8800'")
            }
            _ => self.expected(self.name),
        }
    }

    /// Whether these are integers that are no components of a `Color3`.
    fn is_of_bytes(&self) -> bool {
        let numbers = self.value.extract::<Vec<Bound<'_, PyAny>>>().unwrap_or_default();
        let is_beyond = |number: &Bound<'_, PyAny>| number.extract::<i64>().is_ok_and(|number| number > 1);
        type_name(self.value).as_deref() != Some("Color3uint8") && numbers.iter().any(is_beyond)
    }

    fn bytes(&self) -> Result<Vec<u8>> {
        bytes(self.value).ok_or_else(|| self.wrong())
    }

    /// The name of an enum item; with that of its enum if it is a `rezkit.EnumItem` of another one.
    fn item_name(&self, class: &str) -> Result<Option<String>> {
        match items(class, self.property).filter(|_| type_name(self.value).as_deref() == Some("EnumItem")) {
            Some(of) if self.value.getattr("enum")?.eq(of.name())? => Ok(None),
            Some(_) => Ok(Some(self.value.str()?.to_string())),
            None => Ok(self.value.extract().ok()),
        }
    }

    fn frame(&self) -> Result<CFrame> {
        let rows = matrix(self.value, "CFrame")?.ok_or_else(|| self.expected("a matrix of shape (4, 4)"))?;
        let [[a, b, c, x], [d, e, f, y], [g, h, i, z], last] = rows;
        if last != [0.0, 0.0, 0.0, 1.0] {
            return Err(self.expected("a matrix with the last row 0 0 0 1"));
        }
        Ok(CFrame { rotation: Mat3::from_rows([a, b, c, d, e, f, g, h, i]), position: Vec3::new(x, y, z) })
    }

    /// A text, a number, or a name.
    fn scalar(&self, class: &str) -> Result<Value> {
        Ok(match self.kind {
            TypeId::STRING => Value::String(self.bytes()?.into()),
            TypeId::SHARED_STRING => Value::SharedString(self.bytes()?.into()),
            TypeId::BYTECODE => Value::Bytecode(self.bytes()?.into()),
            TypeId::CONTENT if self.value.is_none() => Value::Content(Content::None),
            TypeId::CONTENT => Value::Content(Content::Uri(self.bytes()?.into())),
            TypeId::BOOL => Value::Bool(get!(self, bool)),
            TypeId::INT32 => Value::Int32(get!(self, Number<i32>).0),
            TypeId::INT64 => Value::Int64(get!(self, Number<i64>).0),
            TypeId::FLOAT32 => Value::Float32(get!(self, Float).0),
            TypeId::FLOAT64 => Value::Float64(get!(self, Number<f64>).0),
            TypeId::ENUM => Value::Enum(match self.item_name(class)? {
                Some(text) => enum_item(class, self.property, &text)
                    .map_err(|error| error.at_path(self.property.to_owned()))?,
                None => get!(self, Number<u32>).0,
            }),
            TypeId::BRICK_COLOR => Value::BrickColor(BrickColor(match self.value.extract::<&str>() {
                Ok(text) => classes::brick_color_named(text).ok_or_else(|| {
                    let closest = classes::closest_brick_color(text);
                    let closest = closest.map(|closest| format!("; did you mean {closest:?}?"));
                    let text =
                        format!("{text:?} is not the name of a BrickColor{}", closest.unwrap_or_default());
                    Error::from(rezkit::Error::argument(text).at(self.property))
                })?,
                Err(_) => get!(self, Number<u32>).0,
            })),
            TypeId::FACES => Value::Faces(Faces(get!(self, Number<u8>).0)),
            TypeId::AXES => Value::Axes(Axes(get!(self, Number<u8>).0)),
            TypeId::SECURITY_CAPABILITIES => {
                Value::SecurityCapabilities(SecurityCapabilities(get!(self, Number<u64>).0))
            }
            _ => return self.vector(),
        })
    }

    /// A value that consists of 32-bit floats.
    fn floats(&self, floats: &[f32]) -> Result<Value> {
        let value = self.kind.kind().and_then(|kind| Value::from_floats(kind, floats));
        value.ok_or_else(|| self.wrong())
    }

    /// Numbers of a fixed count.
    fn vector(&self) -> Result<Value> {
        Ok(match self.kind {
            TypeId::UDIM => Value::UDim(get!(self, Length).0),
            TypeId::UDIM2 => {
                let [x, y] = get!(self, [Length; 2]).map(|length| length.0);
                Value::UDim2(UDim2 { x, y })
            }
            TypeId::RAY => self.floats(get!(self, [[Float; 3]; 2]).map(plain_numbers).as_flattened())?,
            TypeId::RECT => self.floats(get!(self, [[Float; 2]; 2]).map(plain_numbers).as_flattened())?,
            TypeId::COLOR3 | TypeId::COLOR3_UINT8 if self.value.is_instance_of::<PyString>() => {
                color(get!(self, &str), self.kind, None)
                    .map_err(|error| rezkit::Error::from(error).at(self.property))?
            }
            TypeId::COLOR3 if self.is_of_bytes() => return Err(self.wrong()),
            TypeId::COLOR3 => Value::Color3(get!(self, Color).0),
            TypeId::COLOR3_UINT8 if type_name(self.value).as_deref() == Some("Color3") => {
                let color = Color3uint8::try_from(get!(self, Color).0);
                Value::Color3uint8(color.map_err(|_| self.expected("a Color3 with components from 0 to 1"))?)
            }
            TypeId::COLOR3_UINT8 => {
                let [r, g, b] = get!(self, [Number<u8>; 3]).map(|number| number.0);
                Value::Color3uint8(Color3uint8 { r, g, b })
            }
            TypeId::VECTOR2 | TypeId::NUMBER_RANGE => self.floats(&plain_numbers(get!(self, [Float; 2])))?,
            TypeId::VECTOR3 => self.floats(&plain_numbers(get!(self, [Float; 3])))?,
            TypeId::VECTOR2_INT16 => {
                let [x, y] = get!(self, [Number<i16>; 2]).map(|number| number.0);
                Value::Vector2int16(Vector2int16 { x, y })
            }
            TypeId::VECTOR3_INT16 => {
                let [x, y, z] = get!(self, [Number<i16>; 3]).map(|number| number.0);
                Value::Vector3int16(Vector3int16 { x, y, z })
            }
            TypeId::CFRAME => Value::CFrame(self.frame()?.into()),
            TypeId::OPTIONAL_CFRAME if self.value.is_none() => Value::OptionalCFrame(None),
            TypeId::OPTIONAL_CFRAME => Value::OptionalCFrame(Some(self.frame()?.into())),
            TypeId::CFRAME_QUAT => {
                let numbers = match self.value.extract::<[Float; 7]>() {
                    Ok(numbers) => plain_numbers(numbers),
                    Err(_) => {
                        let [position, rotation] = get!(self, [Bound<'_, PyAny>; 2]);
                        let [a, b, c] = plain_numbers(get!(self, [Float; 3], position));
                        let [x, y, z, w] = plain_numbers(get!(self, [Float; 4], rotation));
                        [a, b, c, x, y, z, w]
                    }
                };
                self.floats(&numbers)?
            }
            _ => return self.record(),
        })
    }

    /// Keypoints, or fields of several types.
    fn record(&self) -> Result<Value> {
        Ok(match self.kind {
            TypeId::NUMBER_SEQUENCE => {
                let keys: Vec<_> = get!(self, Vec<[Float; 3]>).into_iter().map(plain_numbers).collect();
                self.floats(keys.as_flattened())?
            }
            TypeId::COLOR_SEQUENCE => {
                let keypoints = get!(self, Vec<ColorKey>).into_iter().map(|key| key.0).collect();
                Value::from(ColorSequence { keypoints })
            }
            TypeId::PHYSICAL_PROPERTIES if self.value.is_none() => Value::from(PhysicalProperties::Default),
            TypeId::PHYSICAL_PROPERTIES => {
                let [a, b, c, d, e, absorption] = get!(self, [Option<Float>; 6]);
                let five =
                    [a, b, c, d, e].into_iter().collect::<Option<Vec<_>>>().ok_or_else(|| self.wrong())?;
                // NaN in a column.
                let absorption = absorption.filter(|number| !number.0.is_nan());
                let all: Vec<f32> = five.into_iter().chain(absorption).map(|number| number.0).collect();
                self.floats(&all)?
            }
            TypeId::UNIQUE_ID => {
                let [random, time, index] = get!(self, [Number<u64>; 3]).map(|number| number.0);
                let small = |number| u32::try_from(number).map_err(|_| self.wrong());
                Value::UniqueId(UniqueId { random, time: small(time)?, index: small(index)? })
            }
            TypeId::FONT => {
                let [family, weight, style, cached] = get!(self, [Bound<'_, PyAny>; 4]);
                Value::from(Font {
                    family: bytes(&family).ok_or_else(|| self.wrong())?.into(),
                    weight: get!(self, Number<u16>, weight).0,
                    style: FontStyle(get!(self, Number<u8>, style).0),
                    cached_face_id: bytes(&cached).ok_or_else(|| self.wrong())?.into(),
                })
            }
            _ => return Err(self.wrong()),
        })
    }
}

/// Converts a Python value to an attribute; `None` is none.
pub(crate) fn to_attribute(
    document: &Bound<'_, RobloxDocument>,
    name: &str,
    value: &Bound<'_, PyAny>,
) -> Result<Option<Attribute>> {
    let kind = match type_of(value) {
        _ if value.is_none() => return Ok(None),
        None if type_name(value).as_deref() == Some("EnumItem") => {
            let of: String = value.getattr("enum")?.extract()?;
            return Ok(Some(Attribute::Enum(EnumItem { name: of.into(), value: value.extract()? })));
        }
        Some(kind) => {
            // A new number is a double, which does not have all integers beyond 2^53.
            if value.is_instance_of::<PyInt>()
                && !value.extract::<f64>().is_ok_and(|float| value.eq(float).unwrap_or(false))
            {
                let text = format!("expected a number that a double has, found {value}");
                return Err(rezkit::Error::argument(text).at(name).into());
            }
            kind
        }
        None => {
            let text = format!(
                "expected None, a str, bytes, a bool, a number or a type of rezkit such as Vector3, found {}",
                value.get_type().name()?
            );
            return Err(Error::Type(rezkit::Error::argument(text)));
        }
    };
    Ok(Some(from_python(document, ("", name), kind, value)?.into()))
}

/// Converts a Python value to the value of a property of a class, of the type `kind`.
pub(crate) fn from_python(
    document: &Bound<'_, RobloxDocument>,
    (class, property): (&str, &str),
    kind: TypeId,
    value: &Bound<'_, PyAny>,
) -> Result<Value> {
    let Some(name) = kind.name() else {
        let text = format!("the property has the unknown type {:#04x}, so its value cannot be set", kind.0);
        return Err(rezkit::Error::argument(text).at(property).into());
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
            _ => Err(Given { value, property, kind, name }.wrong()),
        };
    }
    let is_matrix = matches!(kind, TypeId::CFRAME | TypeId::OPTIONAL_CFRAME);
    let value = &match value.cast::<PyUntypedArray>() {
        Ok(array) if !is_matrix => array.call_method0("tolist")?,
        _ => value.clone(),
    };
    Given { value, property, kind, name }.scalar(class)
}

fn type_name(value: &Bound<'_, PyAny>) -> Option<String> {
    Some(value.get_type().name().ok()?.to_string())
}

/// A number, which is not a bool.
struct Number<T>(T);

impl<'a, 'py, T: FromPyObject<'a, 'py>> FromPyObject<'a, 'py> for Number<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match type_name(&object).as_deref() {
            Some("bool" | "bool_") => Err(PyTypeError::new_err("expected a number, found a bool")),
            _ => object.extract().map(Self).map_err(Into::into),
        }
    }
}

/// A 32-bit float, which is infinite only if the given number is.
struct Float(f32);

impl<'py> FromPyObject<'_, 'py> for Float {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let Number(given) = object.extract::<Number<f64>>()?;
        narrow(given).map(Self).ok_or_else(|| PyOverflowError::new_err("exceeds the range of a 32-bit float"))
    }
}

fn plain_numbers<const N: usize>(numbers: [Float; N]) -> [f32; N] {
    numbers.map(|number| number.0)
}

/// A scale and an offset. The offset is an integer, or a float without a fraction, as in columns.
struct Length(UDim);

impl<'py> FromPyObject<'_, 'py> for Length {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let [scale, offset]: [Bound<'py, PyAny>; 2] = object.extract()?;
        let offset = match offset.extract::<Number<f64>>()? {
            Number(number) if number.fract() == 0.0 && number.abs() <= f64::from(i32::MAX) => number as i32,
            _ => offset.extract::<Number<i32>>()?.0,
        };
        Ok(Self(UDim { scale: scale.extract::<Float>()?.0, offset }))
    }
}

/// Red, green and blue from 0 to 1; a `Color3uint8` is divided by 255.
struct Color(Color3);

impl<'py> FromPyObject<'_, 'py> for Color {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if type_name(&object).as_deref() == Some("Color3uint8") {
            let [r, g, b] = object.extract::<[Number<u8>; 3]>()?.map(|number| number.0);
            return Ok(Self(Color3uint8 { r, g, b }.into()));
        }
        let [r, g, b] = plain_numbers(object.extract()?);
        Ok(Self(Color3 { r, g, b }))
    }
}

/// A time, a colour and an envelope; or five numbers, as in columns.
struct ColorKey(ColorSequenceKeypoint);

impl<'py> FromPyObject<'_, 'py> for ColorKey {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(numbers) = object.extract::<[Float; 5]>() {
            let [time, r, g, b, envelope] = plain_numbers(numbers);
            return Ok(Self(ColorSequenceKeypoint { time, color: Color3 { r, g, b }, envelope }));
        }
        let [time, color, envelope]: [Bound<'py, PyAny>; 3] = object.extract()?;
        let (Float(time), Color(color), Float(envelope)) =
            (time.extract()?, color.extract()?, envelope.extract()?);
        Ok(Self(ColorSequenceKeypoint { time, color, envelope }))
    }
}

/// The type that a Python value implies, for a property whose type neither the document nor the class table knows.
pub(crate) fn type_of(value: &Bound<'_, PyAny>) -> Option<TypeId> {
    Some(match type_name(value)?.as_str() {
        "str" | "bytes" | "bytearray" => TypeId::STRING,
        "bool" | "bool_" => TypeId::BOOL,
        "int" | "int32" | "int64" => TypeId::INT64,
        "float" | "float32" | "float64" => TypeId::FLOAT64,
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
        "tuple" | "list" => match type_name(&value.get_item(0).ok()?)?.as_str() {
            "NumberKeypoint" => TypeId::NUMBER_SEQUENCE,
            "ColorKeypoint" => TypeId::COLOR_SEQUENCE,
            _ => return None,
        },
        _ => return None,
    })
}
