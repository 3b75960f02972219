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
use crate::new_instance::{NewNode, NewValue};
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
pub(crate) fn other<'a>(dom: &'a dyn Dom, id: InstanceId, name: &[u8]) -> Option<ValueRef<'a>> {
    let class = classes::class(dom.class(id)?);
    match class.and_then(|class| class.property(name)) {
        Some(known) => match in_any_form(dom, id, class?, known)?.0 {
            Form::Lent(value) => Some(value),
            Form::Made(value) => lent(value),
        },
        None => match of_tree(dom, id, name) {
            Some(value) => Some(value),
            None => {
                let (of, part) = part_of(class, name)?;
                part.of(dom.get(id, of)?)
            }
        },
    }
}

/// A value in the form of another property.
enum Form<'a> {
    Lent(ValueRef<'a>),
    Made(Value),
}

/// The value that an instance stores for a property, under any name and in any form.
fn in_any_form<'a>(
    dom: &'a dyn Dom,
    id: InstanceId,
    class: Class,
    known: Property,
) -> Option<(Form<'a>, Source)> {
    let stored = |of: Property| of.names().find_map(|name| Some((name, dom.value_ref(id, name.as_bytes())?)));
    if let Some((_, value)) = stored(known) {
        return Some((Form::Lent(value), Source::Stored));
    }
    let in_form = |of: Property| {
        let (name, value) = stored(of)?;
        Some((turned(value, of.kind(), known.kind())?, Source::Form(name)))
    };
    let older = known.older().find_map(|(older, _)| in_form(older));
    older.or_else(|| known.replaced_by().filter_map(|name| class.property(name)).find_map(in_form))
}

/// A value of a property in the form of another one; see [`classes::turn`].
fn turned(value: ValueRef<'_>, from: Kind, to: Kind) -> Option<Form<'_>> {
    // XML stores a `BrickColor` as an integer.
    let value = value.converted(from)?;
    if value.kind() == Some(to) {
        return Some(Form::Lent(value));
    }
    if let Some(of_content) = value.converted(to).filter(|_| matches!(to, Kind::Content | Kind::ContentId)) {
        return Some(Form::Lent(of_content));
    }
    Some(Form::Made(classes::turn(value.kind()?, to)?(value)?))
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
        Value::Font(font) if font.cached_face_id.is_empty() => {
            let family = classes::font_family(&font.family)?;
            let (family, cached_face_id) = (BStr::new(family), BStr::new(""));
            ValueRef::Font(FontRef { family, weight: font.weight, style: font.style, cached_face_id })
        }
        _ => return None,
    })
}

/// A property of scripts that is a part of the tree.
fn of_tree<'a>(dom: &'a dyn Dom, id: InstanceId, name: &[u8]) -> Option<ValueRef<'a>> {
    match name {
        b"ClassName" => dom.class(id).map(ValueRef::String),
        b"Parent" => Some(ValueRef::Ref(dom.parent(id))),
        _ => None,
    }
}

/// A part of a property, as scripts name it.
#[derive(Clone, Copy)]
enum Part<'n> {
    /// `Position`, `Orientation` or `Rotation` of a frame.
    OfFrame(&'n str),
    /// `WorldPivot`, a frame that files store as an optional one.
    Pivot,
    /// A component of a value, such as `X`.
    Component(&'n [u8]),
}

/// The property of which another one of scripts is a part, such as `Size` for `Size.X`; it can be a part, too.
fn part_of<'n>(class: Option<Class>, name: &'n [u8]) -> Option<(&'n [u8], Part<'n>)> {
    if of_frame(class, name).is_some() {
        return Some((b"CFrame", Part::OfFrame(name.to_str().ok()?)));
    }
    if name == b"WorldPivot" && class.is_some_and(|class| class.property("WorldPivotData").is_some()) {
        return Some((b"WorldPivotData", Part::Pivot));
    }
    let (of, part) = name.rsplit_once_str(b".")?;
    Some((of, Part::Component(part)))
}

impl Part<'_> {
    /// The part of a value.
    fn of(self, value: ValueRef<'_>) -> Option<ValueRef<'_>> {
        match self {
            Part::OfFrame(name) => {
                let frame = value.as_cframe()?;
                Some(ValueRef::Vector3(match name {
                    "Position" => frame.position,
                    "Orientation" => orientation(&frame),
                    _ => rotation(&frame),
                }))
            }
            Part::Pivot => value.as_cframe().map(ValueRef::CFrame),
            Part::Component(name) => component(value, name),
        }
    }

    /// A value with another part; the error is the type that the part has.
    fn put(self, value: ValueRef<'_>, new: &Value) -> Result<Value, &'static str> {
        match self {
            Part::OfFrame(name) => {
                let frame = value.as_cframe().ok_or("a part of a CFrame")?;
                Ok(moved(frame, name, new.as_vector3().ok_or("a Vector3")?).into())
            }
            Part::Pivot => new.converted(Kind::OptionalCFrame).ok_or("a CFrame"),
            Part::Component(name) => {
                with_component(value, name, new.as_ref()).ok_or("the type of the component")
            }
        }
    }
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
    if let Some(value) = dom.value_ref(id, name) {
        return Some(Found { value: value.to_value(), source: Source::Stored });
    }
    let class = classes::class(dom.class(id)?);
    let Some(known) = class.and_then(|class| class.property(name)) else {
        if let Some(value) = of_tree(dom, id, name) {
            return Some(Found { value: value.to_value(), source: Source::Computed });
        }
        let (of, part) = part_of(class, name)?;
        let Found { value, source } = found(dom, id, of)?;
        let source = if source == Source::Default { source } else { Source::Computed };
        return Some(Found { value: part.of(value.as_ref())?.to_value(), source });
    };
    let class = class?;
    if let Some((value, source)) = in_any_form(dom, id, class, known) {
        let value = match value {
            Form::Lent(value) => value.to_value(),
            Form::Made(value) => value,
        };
        return Some(Found { value, source });
    }
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
        _ => {}
    }
    let (of, part) = part_of(known, name)?;
    match part {
        Part::Pivot => Some(Kind::CFrame),
        _ => part.of(Value::neutral(kind_of(class, of)?).as_ref())?.kind(),
    }
}

/// Whether a property is a part of the `CFrame` of a class, which [`moved`] changes.
pub fn is_of_frame(class: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> bool {
    of_frame(classes::class(class), name.as_ref()).is_some()
}

/// The error of a value of the wrong type for a property.
fn wrong(class: &[u8], name: &[u8], expected: &str, value: &Value) -> Error {
    let path = format!("{}.{}", BStr::new(class), BStr::new(name));
    let found = value.kind().map_or_else(String::new, |kind| kind.to_string());
    Error::invalid_argument(path, Problem::WrongType(format!("expected {expected}, found {found}").into()))
}

/// The property of which another one of scripts is a part, and its value with this part: `CFrame` for `Position`, which
/// is the part for `Position.X`. `None` if the name is not that of a part.
///
/// # Errors
/// `InvalidArgument` if the part has another type.
pub fn whole(dom: &dyn Dom, id: InstanceId, name: &[u8], value: &Value) -> Option<Result<(BString, Value)>> {
    let class_name = dom.class(id)?;
    let class = classes::class(class_name);
    let known = |name: &[u8]| class.and_then(|class| class.property(name));
    if known(name).is_some() {
        return None;
    }
    // From the inside out: the new `X` of `Position` is that of `CFrame`.
    let (of, part) = part_of(class, name)?;
    let whole = match dom.property(id, of) {
        Some(found) => found.value,
        None => Value::neutral(known(of)?.kind()),
    };
    if !matches!(part, Part::Pivot) {
        part.of(whole.as_ref())?;
    }
    let put = part.put(whole.as_ref(), value);
    Some(put.map(|new| (of.into(), new)).map_err(|expected| wrong(class_name, name, expected, value)))
}

/// Puts the properties of a new instance that are parts of others, such as `Position` or `Size.X`, into these.
///
/// # Errors
/// `InvalidArgument` if a part has another type.
#[doc(hidden)]
pub fn join(node: &mut NewNode) -> Result<()> {
    // Most instances have none.
    let is_part = |name: &[u8]| {
        matches!(name, b"Position" | b"Orientation" | b"Rotation" | b"WorldPivot") || name.contains(&b'.')
    };
    if !node.properties.iter().any(|(at, _)| is_part(node.name(at))) {
        return Ok(());
    }
    let class = node.class().to_owned();
    for (at, value) in std::mem::take(&mut node.properties) {
        let name = node.name(&at).to_owned();
        let given = |wanted: &[u8]| {
            let found = node.properties.iter().rev().find(|(at, _)| **node.name(at) == *wanted)?;
            if let NewValue::Value(value) = &found.1 { Some(value.clone()) } else { None }
        };
        let whole = match &value {
            NewValue::Value(value) if is_part(&name) => {
                whole_of_new(&class, &given, &name, value).transpose()?
            }
            _ => None,
        };
        match whole {
            Some((of, value)) => {
                let at = node.add_name(&of);
                node.properties.push((at, NewValue::Value(value)));
            }
            None => node.properties.push((at, value)),
        }
    }
    Ok(())
}

/// The property of which another one of a new instance is a part, and its value with this part, as [`whole`]. Without a given
/// value, it is the default of the class.
fn whole_of_new(
    class_name: &[u8],
    stored: &dyn Fn(&[u8]) -> Option<Value>,
    name: &[u8],
    value: &Value,
) -> Option<Result<(BString, Value)>> {
    let class = classes::class(class_name)?;
    if class.property(name).is_some() {
        return None;
    }
    let (of, part) = part_of(Some(class), name)?;
    let whole = of_new(class, stored, of)?;
    if !matches!(part, Part::Pivot) {
        part.of(whole.as_ref())?;
    }
    let new = match part.put(whole.as_ref(), value) {
        Ok(new) => new,
        Err(expected) => return Some(Err(wrong(class_name, name, expected, value))),
    };
    match class.property(of) {
        Some(_) => Some(Ok((of.into(), new))),
        None => whole_of_new(class_name, stored, of, &new),
    }
}

/// The value of a property of a new instance: the given one, or else the default.
fn of_new(class: Class, stored: &dyn Fn(&[u8]) -> Option<Value>, name: &[u8]) -> Option<Value> {
    let Some(known) = class.property(name) else {
        let (of, part) = part_of(Some(class), name)?;
        return Some(part.of(of_new(class, stored, of)?.as_ref())?.to_value());
    };
    let given = stored(name).or_else(|| known.names().find_map(|name| stored(name.as_bytes())));
    given.or_else(|| known.default()).or_else(|| Some(Value::neutral(known.kind())))
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
            _ => Err(wrong(dom.class(id).unwrap_or_default(), name, "a reference", value)),
        });
    }
    Some(whole(dom, id, name, value)?.and_then(|(of, new)| dom.set(id, of, new)))
}
