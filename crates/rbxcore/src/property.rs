//! The one read and the one write of a property by any name: as files store it, as scripts or old files name it, and as
//! a part of another one.

use bstr::{BStr, BString, ByteSlice as _};
use geom::wire::{Error, Problem, Result};
use geom::{CFrame, Mat3, Vec2, Vec3};

use crate::classes::{self, Class, Property};
use crate::dom::Dom;
use crate::edit::Filled;
use crate::id::InstanceId;
use crate::kind::Kind;
use crate::types::{Color3, Color3uint8, NumberRange, Rect, UDim, UDim2};
use crate::value::{ContentRef, FontRef, Value, ValueRef};

/// A value, and where it comes from; see [`property`](trait.Dom.html#method.property).
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The value.
    pub value: Value,
    /// Its source.
    pub source: Source,
}

/// Where the value of a property comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// The instance stores it, under the given name or another name of the property.
    Stored,
    /// The instance stores an older or a newer form, which has this name.
    Form(&'static str),
    /// It is a part of another property, as the position of a part, or of the tree, as the parent.
    Computed,
    /// The default of the class.
    Default,
}

/// The value that the document has for a property that the instance does not store under this name.
pub(crate) fn other<'a>(dom: &'a dyn Dom, id: InstanceId, name: &[u8]) -> Option<(ValueRef<'a>, Source)> {
    let class_name = dom.class(id)?;
    let class = classes::class(class_name);
    match class.and_then(|class| class.property(name)) {
        Some(known) => in_any_form(dom, id, class?, known),
        None => Some((computed(dom, id, class, name)?, Source::Computed)),
    }
}

/// The value that an instance stores for a property, under any name and in any form.
fn in_any_form<'a>(
    dom: &'a dyn Dom,
    id: InstanceId,
    class: Class,
    known: Property,
) -> Option<(ValueRef<'a>, Source)> {
    let stored = |of: Property| of.names().find_map(|name| Some((name, dom.value_ref(id, name.as_bytes())?)));
    if let Some((_, value)) = stored(known) {
        return Some((value, Source::Stored));
    }
    let older = known.older().find_map(|(older, _)| {
        let (name, value) = stored(older)?;
        Some((turned(value, older.kind(), known.kind())?, Source::Form(name)))
    });
    older.or_else(|| {
        let mut newer = known.replaced_by().filter_map(|name| class.property(name));
        newer.find_map(|newer| {
            let (name, value) = stored(newer)?;
            Some((turned(value, newer.kind(), known.kind())?, Source::Form(name)))
        })
    })
}

/// A value of a property in the form of another one; see [`classes::turn`].
fn turned(value: ValueRef<'_>, from: Kind, to: Kind) -> Option<ValueRef<'_>> {
    // XML stores a `BrickColor` as an integer.
    let value = value.converted(from)?;
    if value.kind() == Some(to) {
        return Some(value);
    }
    if let Some(of_content) = value.converted(to).filter(|_| matches!(to, Kind::Content | Kind::ContentId)) {
        return Some(of_content);
    }
    lent(classes::turn(value.kind()?, to)?(value)?)
}

/// A value without memory of its own as a borrowed one.
fn lent<'a>(value: Value) -> Option<ValueRef<'a>> {
    Some(match value {
        Value::Bool(value) => ValueRef::Bool(value),
        Value::Int32(value) => ValueRef::Int32(value),
        Value::Int64(value) => ValueRef::Int64(value),
        Value::Float32(value) => ValueRef::Float32(value),
        Value::Enum(value) => ValueRef::Enum(value),
        Value::BrickColor(value) => ValueRef::BrickColor(value),
        Value::Color3(value) => ValueRef::Color3(value),
        Value::Color3uint8(value) => ValueRef::Color3uint8(value),
        Value::Vector2(value) => ValueRef::Vector2(value),
        Value::UDim(value) => ValueRef::UDim(value),
        Value::Content(crate::value::Content::None) => ValueRef::Content(ContentRef::None),
        _ => return None,
    })
}

/// A property of scripts that is a part of another one, or of the tree.
fn computed<'a>(dom: &'a dyn Dom, id: InstanceId, class: Option<Class>, name: &[u8]) -> Option<ValueRef<'a>> {
    match name {
        b"ClassName" => return dom.class(id).map(ValueRef::String),
        b"Parent" => return Some(ValueRef::Ref(dom.parent(id))),
        _ => {}
    }
    if let Some(frame) = of_frame(class, name).and_then(|()| dom.get(id, "CFrame")) {
        let frame = frame.as_cframe()?;
        return Some(ValueRef::Vector3(match name {
            b"Position" => frame.position,
            b"Orientation" => orientation(&frame),
            _ => rotation(&frame),
        }));
    }
    let (of, rest) = name.split_once_str(b".")?;
    let mut parts = rest.split_str(b".");
    parts.try_fold(dom.get(id, of)?, |value, part| component(value, part))
}

/// Whether a property is a part of the `CFrame` of a class.
fn of_frame(class: Option<Class>, name: &[u8]) -> Option<()> {
    let class = class.filter(|_| matches!(name, b"Position" | b"Orientation" | b"Rotation"))?;
    // A class with a property of its own, such as `BodyPosition.Position`, has another one.
    let is_part = class.property(name).is_none() && class.property("CFrame").is_some();
    (is_part && (name != b"Rotation" || class.is_a("BasePart"))).then_some(())
}

fn rows(frame: &CFrame) -> [[f32; 3]; 3] {
    let [a, b, c, d, e, f, g, h, i] = frame.rotation.to_rows();
    [[a, b, c], [d, e, f], [g, h, i]]
}

/// The angles about the axes in degrees, as `CFrame:ToOrientation`: about y, then x, then z.
pub fn orientation(frame: &CFrame) -> Vec3 {
    let [[_, _, sin_y], [r10, r11, r12], [_, _, r22]] = rows(frame);
    let x = (-r12).clamp(-1.0, 1.0).asin();
    degrees([x, sin_y.atan2(r22), r10.atan2(r11)])
}

/// The angles about the axes in degrees, as `CFrame:ToEulerAnglesXYZ`: about x, then y, then z.
pub fn rotation(frame: &CFrame) -> Vec3 {
    let [[r00, r01, r02], [_, _, r12], [_, _, r22]] = rows(frame);
    let y = r02.clamp(-1.0, 1.0).asin();
    degrees([(-r12).atan2(r22), y, (-r01).atan2(r00)])
}

/// Angles in degrees, without negative zeros.
fn degrees(angles: [f32; 3]) -> Vec3 {
    Vec3::from_array(angles.map(|angle| angle.to_degrees() + 0.0))
}

/// A frame with another `Position`, `Orientation` or `Rotation`, the latter two in degrees.
pub fn moved(frame: CFrame, property: &str, to: Vec3) -> CFrame {
    let [x, y, z] = to.to_array().map(f32::to_radians);
    let rotation: Mat3 = match property {
        "Position" => return CFrame { position: to, ..frame },
        "Orientation" => CFrame::from_euler_angles_yxz(x, y, z).rotation,
        _ => CFrame::from_euler_angles_xyz(x, y, z).rotation,
    };
    CFrame { rotation, ..frame }
}

const XYZ: [&[u8]; 3] = [b"X", b"Y", b"Z"];
const RGB: [&[u8]; 3] = [b"R", b"G", b"B"];

/// A component of a value, by its name in scripts: `X` of a `Vector3`, `Scale` of a `UDim`, `R` of a colour (from 0 to 1).
pub fn component<'a>(value: ValueRef<'a>, name: &[u8]) -> Option<ValueRef<'a>> {
    let of = |names: &[&[u8]], numbers: &[f32]| {
        let index = names.iter().position(|known| known.eq_ignore_ascii_case(name))?;
        numbers.get(index).copied().map(ValueRef::Float32)
    };
    if let Some(frame) = value.as_cframe() {
        return match name {
            b"Position" => Some(ValueRef::Vector3(frame.position)),
            _ => of(&XYZ, &frame.position.to_array()),
        };
    }
    Some(match (value, name) {
        (ValueRef::Vector2(value), _) => of(&XYZ, &[value.x, value.y])?,
        (ValueRef::Vector3(value), _) => of(&XYZ, &value.to_array())?,
        (ValueRef::Color3(Color3 { r, g, b }), _) => of(&RGB, &[r, g, b])?,
        (ValueRef::Color3uint8(Color3uint8 { r, g, b }), _) => {
            of(&RGB, &[r, g, b].map(|part| f32::from(part) / 255.0))?
        }
        (ValueRef::UDim(value), b"Scale") => ValueRef::Float32(value.scale),
        (ValueRef::UDim(value), b"Offset") => ValueRef::Int32(value.offset),
        (ValueRef::UDim2(value), b"X" | b"Width") => ValueRef::UDim(value.x),
        (ValueRef::UDim2(value), b"Y" | b"Height") => ValueRef::UDim(value.y),
        (ValueRef::NumberRange(value), b"Min") => ValueRef::Float32(value.min),
        (ValueRef::NumberRange(value), b"Max") => ValueRef::Float32(value.max),
        (ValueRef::Rect(value), b"Min") => ValueRef::Vector2(value.min),
        (ValueRef::Rect(value), b"Max") => ValueRef::Vector2(value.max),
        (ValueRef::Font(FontRef { family, .. }), b"Family") => ValueRef::String(BStr::new(family)),
        (ValueRef::Font(font), b"Weight") => ValueRef::Int32(font.weight.into()),
        _ => return None,
    })
}

/// A value with another component; `None` if it has no such component, or one of another type.
fn with_component(value: ValueRef<'_>, name: &[u8], new: ValueRef<'_>) -> Option<Value> {
    let number = || match new.converted(Kind::Float32)? {
        ValueRef::Float32(number) => Some(number),
        _ => None,
    };
    let index = |names: &[&[u8]]| names.iter().position(|known| known.eq_ignore_ascii_case(name));
    let in_vector = |vector: Vec3| -> Option<Vec3> {
        let mut all = vector.to_array();
        *all.get_mut(index(&XYZ)?)? = number()?;
        Some(Vec3::from_array(all))
    };
    if let Some(frame) = value.as_cframe() {
        let position = match (name, new) {
            (b"Position", ValueRef::Vector3(to)) => to,
            _ => in_vector(frame.position)?,
        };
        return Some(CFrame { position, ..frame }.into());
    }
    Some(match (value, name) {
        (ValueRef::Vector2(Vec2 { x, .. }), b"Y") => Vec2::new(x, number()?).into(),
        (ValueRef::Vector2(Vec2 { y, .. }), b"X") => Vec2::new(number()?, y).into(),
        (ValueRef::Vector3(vector), _) => in_vector(vector)?.into(),
        (ValueRef::Color3(Color3 { r, g, b }), _) => {
            let mut all = [r, g, b];
            *all.get_mut(index(&RGB)?)? = number()?;
            Color3::new(all[0], all[1], all[2]).into()
        }
        (ValueRef::Color3uint8(Color3uint8 { r, g, b }), _) => {
            let mut all = [r, g, b].map(|part| f32::from(part) / 255.0);
            *all.get_mut(index(&RGB)?)? = number()?;
            let all: Value = Color3::new(all[0], all[1], all[2]).into();
            all.converted(Kind::Color3uint8)?
        }
        (ValueRef::UDim(value), b"Scale") => UDim { scale: number()?, ..value }.into(),
        (ValueRef::UDim(value), b"Offset") => match new.converted(Kind::Int32)? {
            ValueRef::Int32(offset) => UDim { offset, ..value }.into(),
            _ => return None,
        },
        (ValueRef::UDim2(UDim2 { y, .. }), b"X" | b"Width") => UDim2 { x: udim(new)?, y }.into(),
        (ValueRef::UDim2(UDim2 { x, .. }), b"Y" | b"Height") => UDim2 { x, y: udim(new)? }.into(),
        (ValueRef::NumberRange(range), b"Min") => NumberRange { min: number()?, ..range }.into(),
        (ValueRef::NumberRange(range), b"Max") => NumberRange { max: number()?, ..range }.into(),
        (ValueRef::Rect(Rect { max, .. }), b"Min") => Rect { min: vector2(new)?, max }.into(),
        (ValueRef::Rect(Rect { min, .. }), b"Max") => Rect { min, max: vector2(new)? }.into(),
        _ => return None,
    })
}

fn udim(value: ValueRef<'_>) -> Option<UDim> {
    if let ValueRef::UDim(value) = value { Some(value) } else { None }
}

fn vector2(value: ValueRef<'_>) -> Option<Vec2> {
    if let ValueRef::Vector2(value) = value { Some(value) } else { None }
}

/// The effective value of a property, and its source.
pub(crate) fn found(dom: &dyn Dom, id: InstanceId, name: &[u8]) -> Option<Found> {
    let found = |(value, source): (ValueRef<'_>, Source)| Found { value: value.to_value(), source };
    if let Some(value) = dom.value_ref(id, name) {
        return Some(found((value, Source::Stored)));
    }
    if let Some(other) = other(dom, id, name) {
        return Some(found(other));
    }
    let class = classes::class(dom.class(id)?)?;
    let known = class.property(name)?;
    // The default of a form has no effect if the file stores another one whose value has no such form.
    let is_stored = |of: Property| of.names().any(|name| dom.value_ref(id, name.as_bytes()).is_some());
    let mut newer = known.replaced_by().filter_map(|name| class.property(name));
    let value = known.default().filter(|_| !newer.any(is_stored))?;
    Some(Found { value, source: Source::Default })
}

/// The type of a property of a class, by any name by which [`property`](trait.Dom.html#method.property) finds it; `None`
/// if the class has no such property.
pub fn kind_of(class: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> Option<Kind> {
    let (class, name) = (class.as_ref(), name.as_ref());
    let known = classes::class(class);
    if let Some(property) = known.and_then(|class| class.property(name)) {
        return Some(property.kind());
    }
    match name {
        b"ClassName" => return Some(Kind::String),
        b"Parent" => return Some(Kind::Ref),
        _ if of_frame(known, name).is_some() => return Some(Kind::Vector3),
        _ => {}
    }
    let (of, part) = name.rsplit_once_str(b".")?;
    component(Value::neutral(kind_of(class, of)?).as_ref(), part)?.kind()
}

/// Whether a property is a part of the `CFrame` of a class, which [`moved`] changes.
pub fn is_of_frame(class: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> bool {
    of_frame(classes::class(class), name.as_ref()).is_some()
}

/// The error of a value of the wrong type for a property.
fn wrong(dom: &dyn Dom, id: InstanceId, name: &[u8], expected: &str, value: &Value) -> Error {
    let path = format!("{}.{}", dom.class(id).unwrap_or_default(), BStr::new(name));
    let found = value.kind().map_or_else(String::new, |kind| kind.to_string());
    Error::invalid_argument(path, Problem::WrongType(format!("expected {expected}, found {found}").into()))
}

/// The property of which another one of scripts is a part, and its value with this part: `CFrame` for `Position`, which
/// is the part for `Position.X`. `None` if the name is not that of a part.
///
/// # Errors
/// `InvalidArgument` if the part has another type.
pub fn whole(dom: &dyn Dom, id: InstanceId, name: &[u8], value: &Value) -> Option<Result<(BString, Value)>> {
    let class = dom.class(id).and_then(classes::class);
    if class.is_some_and(|class| class.property(name).is_some()) {
        return None;
    }
    if of_frame(class, name).is_some() {
        let frame = dom.property(id, "CFrame")?.value.as_cframe()?;
        let Some(to) = value.as_vector3() else { return Some(Err(wrong(dom, id, name, "a Vector3", value))) };
        let new = moved(frame, name.to_str().unwrap_or_default(), to);
        return Some(Ok(("CFrame".into(), new.into())));
    }
    // From the inside out: the new `X` of `Position` is that of `CFrame`.
    let (of, part) = name.rsplit_once_str(b".")?;
    let whole = dom.property(id, of)?.value;
    component(whole.as_ref(), part)?;
    Some(match with_component(whole.as_ref(), part, value.as_ref()) {
        Some(new) => Ok((of.into(), new)),
        None => Err(wrong(dom, id, name, "the type of the component", value)),
    })
}

/// Sets a property of scripts that is a part of another one, or of the tree; `None` if the name is not that of one.
pub(crate) fn set(
    dom: &mut dyn Dom,
    id: InstanceId,
    name: &[u8],
    value: &Value,
) -> Option<Result<Vec<Filled>>> {
    let class = dom.class(id).and_then(classes::class);
    if name == b"Parent" && class.is_none_or(|class| class.property(name).is_none()) {
        return Some(match value {
            Value::Ref(to) => dom.reparent(id, *to).map(|()| Vec::new()),
            _ => Err(wrong(dom, id, name, "a reference", value)),
        });
    }
    Some(whole(dom, id, name, value)?.and_then(|(of, new)| dom.set(id, of, new)))
}
