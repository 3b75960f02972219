//! Values whose element holds one element per number: vectors, colours, frames and their like.

use geom::{Mat3, Vec2, Vec3};

use crate::model::{
    Axes, CFrame, Color3, Color3uint8, CustomPhysicalProperties, Faces, PhysicalProperties, Ray, Rect, UDim,
    UDim2, Value, Vector2int16, Vector3int16,
};
use crate::wire::cx::{Cx, Read};
use crate::wire::fail::At as _;
use crate::wire::number;
use crate::wire::out::Out;
use crate::wire::xml::Element;

/// An element within a value.
#[derive(Debug)]
struct Part {
    name: &'static str,
    open: &'static str,
    close: &'static str,
}

/// The elements of a value in the order in which they are written.
macro_rules! parts {
    ($($constant:ident: $($name:literal)+;)+) => {$(
        const $constant: &[Part] = &[
            $(Part { name: $name, open: concat!("<", $name, ">"), close: concat!("</", $name, ">") }),+
        ];
    )+};
}
parts! {
    XYZ: "X" "Y" "Z";
    XY: "X" "Y";
    RGB: "R" "G" "B";
    FRAME: "X" "Y" "Z" "R00" "R01" "R02" "R10" "R11" "R12" "R20" "R21" "R22";
    UDIM: "S" "O";
    UDIM2: "XS" "XO" "YS" "YO";
    RAY: "origin" "direction";
    RECT: "min" "max";
    AXES: "axes";
    FACES: "faces";
    OPTIONAL: "CFrame";
    PHYSICS: "CustomPhysics" "Density" "Friction" "Elasticity" "FrictionWeight" "ElasticityWeight"
        "AcousticAbsorption";
}

/// The elements of the given names, whatever their order; what else is there is passed over.
#[inline]
fn find<'d, 't: 'd, const N: usize>(
    element: Element<'d, 't>,
    parts: &[Part],
) -> [Option<Element<'d, 't>>; N] {
    let mut found = [None; N];
    let mut next = 0_usize;
    for child in element.elements() {
        let tag = child.name();
        // They stand in order, nearly always.
        let place = match parts.get(next) {
            Some(part) if part.name == tag => Some(next),
            _ => parts.iter().position(|part| part.name == tag),
        };
        if let Some(place) = place {
            if let Some(slot) = found.get_mut(place) {
                *slot = Some(child);
            }
            next = place.saturating_add(1);
        }
    }
    found
}

/// The same, where each of them must be there.
#[inline]
fn found<'s, 'd, 't: 'd, const N: usize>(
    cx: &Cx<'s>,
    element: Element<'d, 't>,
    parts: &'static [Part],
) -> Read<'s, [Element<'d, 't>; N]> {
    let children: [_; N] = find(element, parts);
    let mut all = [element; N];
    for ((to, part), child) in all.iter_mut().zip(parts).zip(children) {
        *to = child.ok_or_else(|| cx.invalid(element, format!("<{}> is missing", part.name)))?;
    }
    Ok(all)
}

/// One value per element.
#[inline]
fn each<'s, 'd, 't: 'd, T: Copy + Default, const N: usize>(
    cx: &Cx<'s>,
    element: Element<'d, 't>,
    parts: &'static [Part],
    read: impl Fn(&Cx<'s>, Element<'d, 't>) -> Read<'s, T>,
) -> Read<'s, [T; N]> {
    let mut values = [T::default(); N];
    let children: [_; N] = found(cx, element, parts)?;
    for ((value, part), child) in values.iter_mut().zip(parts).zip(children) {
        *value = read(cx, child).field(part.name)?;
    }
    Ok(values)
}

#[inline]
fn floats<'s, const N: usize>(
    cx: &Cx<'s>,
    element: Element<'_, '_>,
    parts: &'static [Part],
) -> Read<'s, [f32; N]> {
    each(cx, element, parts, |cx, element| cx.parse(element, number::float, "a number"))
}

fn shorts<'s, const N: usize>(
    cx: &Cx<'s>,
    element: Element<'_, '_>,
    parts: &'static [Part],
) -> Read<'s, [i16; N]> {
    let short = |text: &[u8]| i16::try_from(number::whole(text)?).ok();
    each(cx, element, parts, |cx, element| cx.parse(element, short, "a whole number of 16 bits"))
}

#[inline]
fn lines(out: &mut Out, depth: usize, parts: &[Part], values: &[f32]) {
    for (part, &value) in parts.iter().zip(values) {
        line(out, depth, part, |out| out.float(value));
    }
}

#[inline]
fn line(out: &mut Out, depth: usize, part: &Part, write: impl FnOnce(&mut Out)) {
    out.line(depth);
    out.raw(part.open);
    write(out);
    out.raw(part.close);
}

/// An element with elements in it, on lines of their own.
fn block(out: &mut Out, depth: usize, part: &Part, write: impl FnOnce(&mut Out, usize)) {
    out.line(depth);
    out.raw(part.open);
    write(out, depth.saturating_add(1));
    out.line(depth);
    out.raw(part.close);
}

/// Reads a value of the given tag, `None` where it is not one of these.
pub(crate) fn read<'s>(cx: &mut Cx<'s>, tag: &str, element: Element<'_, '_>) -> Read<'s, Option<Value>> {
    Ok(Some(match tag {
        "Vector3" => Vec3::from(floats(cx, element, XYZ)?).into(),
        "CoordinateFrame" => frame(cx, element)?.into(),
        "Color3" => color(cx, element)?,
        "Color3uint8" => color_bytes(cx, element)?,
        "Vector2" => Vec2::from(floats(cx, element, XY)?).into(),
        "UDim2" => {
            let [xs, xo, ys, yo] = found(cx, element, UDIM2)?;
            let x = UDim { scale: scale(cx, xs)?, offset: offset(cx, xo)? };
            UDim2 { x, y: UDim { scale: scale(cx, ys)?, offset: offset(cx, yo)? } }.into()
        }
        "UDim" => {
            let [s, o] = found(cx, element, UDIM)?;
            UDim { scale: scale(cx, s)?, offset: offset(cx, o)? }.into()
        }
        "OptionalCoordinateFrame" => match find(element, OPTIONAL) {
            [Some(inner)] => Some(frame(cx, inner).field("CFrame")?).into(),
            [None] => Value::OptionalCFrame(None),
        },
        "PhysicalProperties" => physical(cx, element)?.into(),
        "Ray" => {
            let [origin, direction]: [[f32; 3]; 2] =
                each(cx, element, RAY, |cx, element| floats(cx, element, XYZ))?;
            Ray { origin: origin.into(), direction: direction.into() }.into()
        }
        "Rect2D" => {
            let [min, max]: [[f32; 2]; 2] = each(cx, element, RECT, |cx, element| floats(cx, element, XY))?;
            Rect { min: min.into(), max: max.into() }.into()
        }
        "Vector3int16" => {
            let [x, y, z] = shorts(cx, element, XYZ)?;
            Vector3int16 { x, y, z }.into()
        }
        "Vector2int16" => {
            let [x, y] = shorts(cx, element, XY)?;
            Vector2int16 { x, y }.into()
        }
        "Axes" => Axes(bits(cx, element, AXES)?).into(),
        "Faces" => Faces(bits(cx, element, FACES)?).into(),
        _ => return Ok(None),
    }))
}

/// Writes what stands between the tags; false where the value is not one of these.
pub(crate) fn write(out: &mut Out, depth: usize, value: &Value) -> bool {
    let inner = depth.saturating_add(1);
    match value {
        Value::Vector3(v) => lines(out, inner, XYZ, &v.to_array()),
        Value::CFrame(frame) => frame_lines(out, inner, frame),
        Value::Color3(color) => lines(out, inner, RGB, &[color.r, color.g, color.b]),
        Value::Vector2(v) => lines(out, inner, XY, &v.to_array()),
        Value::UDim2(UDim2 { x, y }) => {
            let [xs, xo, ys, yo] = UDIM2 else { return false };
            line(out, inner, xs, |out| out.float(x.scale));
            line(out, inner, xo, |out| out.whole(x.offset));
            line(out, inner, ys, |out| out.float(y.scale));
            line(out, inner, yo, |out| out.whole(y.offset));
        }
        Value::UDim(udim) => {
            let [s, o] = UDIM else { return false };
            line(out, inner, s, |out| out.float(udim.scale));
            line(out, inner, o, |out| out.whole(udim.offset));
        }
        Value::OptionalCFrame(None) => return true,
        Value::OptionalCFrame(Some(frame)) => {
            for part in OPTIONAL {
                block(out, inner, part, |out, depth| frame_lines(out, depth, frame));
            }
        }
        Value::PhysicalProperties(properties) => physical_lines(out, inner, properties),
        Value::Ray(ray) => {
            for (part, v) in RAY.iter().zip([ray.origin, ray.direction]) {
                block(out, inner, part, |out, depth| lines(out, depth, XYZ, &v.to_array()));
            }
        }
        Value::Rect(rect) => {
            for (part, v) in RECT.iter().zip([rect.min, rect.max]) {
                block(out, inner, part, |out, depth| lines(out, depth, XY, &v.to_array()));
            }
        }
        Value::Vector3int16(v) => {
            for (part, v) in XYZ.iter().zip([v.x, v.y, v.z]) {
                line(out, inner, part, |out| out.whole(v));
            }
        }
        Value::Vector2int16(v) => {
            for (part, v) in XY.iter().zip([v.x, v.y]) {
                line(out, inner, part, |out| out.whole(v));
            }
        }
        Value::Axes(Axes(bits)) => {
            AXES.iter().for_each(|part| line(out, inner, part, |out| out.whole(*bits)))
        }
        Value::Faces(Faces(bits)) => {
            FACES.iter().for_each(|part| line(out, inner, part, |out| out.whole(*bits)))
        }
        _ => return false,
    }
    out.line(depth);
    true
}

fn bits<'s>(cx: &Cx<'s>, element: Element<'_, '_>, parts: &'static [Part]) -> Read<'s, u8> {
    let byte = |text: &[u8]| u8::try_from(number::whole(text)?).ok();
    let [bits] = each(cx, element, parts, |cx, element| cx.parse(element, byte, "a whole number of 8 bits"))?;
    Ok(bits)
}

fn frame<'s>(cx: &Cx<'s>, element: Element<'_, '_>) -> Read<'s, CFrame> {
    let [x, y, z, a, b, c, d, e, f, g, h, i] = floats(cx, element, FRAME)?;
    Ok(CFrame { position: Vec3::new(x, y, z), rotation: Mat3::from_rows([a, b, c, d, e, f, g, h, i]) })
}

fn frame_lines(out: &mut Out, depth: usize, frame: &CFrame) {
    let [x, y, z] = frame.position.to_array();
    let [a, b, c, d, e, f, g, h, i] = frame.rotation.to_rows();
    lines(out, depth, FRAME, &[x, y, z, a, b, c, d, e, f, g, h, i]);
}

/// A colour of three numbers; in old files, one number of four bytes, the highest of which has no
/// meaning.
fn color<'s>(cx: &Cx<'s>, element: Element<'_, '_>) -> Read<'s, Value> {
    if element.first().is_some() {
        let [r, g, b] = floats(cx, element, RGB)?;
        return Ok(Color3 { r, g, b }.into());
    }
    let [_, r, g, b] = cx.parse(element, number::uint32, "a colour")?.to_be_bytes();
    let [r, g, b] = [r, g, b].map(|byte| f32::from(byte) / 255.0);
    Ok(Color3 { r, g, b }.into())
}

/// One number of four bytes; an element per component is understood as well, in bytes or, with a
/// point, as shares of 1.
fn color_bytes<'s>(cx: &Cx<'s>, element: Element<'_, '_>) -> Read<'s, Value> {
    if element.first().is_none() {
        let [_, r, g, b] = cx.parse(element, number::uint32, "a colour")?.to_be_bytes();
        return Ok(Color3uint8 { r, g, b }.into());
    }
    let [r, g, b] =
        each(cx, element, RGB, |cx, element| cx.parse(element, component, "a component of a colour"))?;
    Ok(Color3uint8 { r, g, b }.into())
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 255")]
fn component(text: &[u8]) -> Option<u8> {
    if text.contains(&b'.') {
        let share = number::float(text)?;
        return (0.0..=1.0).contains(&share).then(|| (share * 255.0).round() as u8);
    }
    u8::try_from(number::whole(text)?).ok()
}

/// A number of a length: as a share.
fn scale<'s>(cx: &Cx<'s>, element: Element<'_, '_>) -> Read<'s, f32> {
    cx.parse(element, number::float, "a number").named(|| element.name().to_owned())
}

/// A number of a length: in pixels.
fn offset<'s>(cx: &Cx<'s>, element: Element<'_, '_>) -> Read<'s, i32> {
    cx.parse(element, number::int32, "a whole number of 32 bits").named(|| element.name().to_owned())
}

fn physical<'s>(cx: &Cx<'s>, element: Element<'_, '_>) -> Read<'s, PhysicalProperties> {
    let found: [_; 7] = find(element, PHYSICS);
    let [custom, rest @ ..] = found;
    let custom = match custom {
        Some(custom) => cx.parse(custom, number::boolean, "true or false").field("CustomPhysics")?,
        None => rest.iter().any(Option::is_some),
    };
    if !custom {
        return Ok(PhysicalProperties::Default);
    }
    let mut numbers = [None; 6];
    for ((number, part), child) in numbers.iter_mut().zip(PHYSICS.iter().skip(1)).zip(rest) {
        if let Some(child) = child {
            *number = Some(cx.parse(child, number::float, "a number").field(part.name)?);
        }
    }
    let [
        Some(density),
        Some(friction),
        Some(elasticity),
        Some(friction_weight),
        Some(elasticity_weight),
        acoustic_absorption,
    ] = numbers
    else {
        return Err(cx.invalid(element, "one of the five numbers is missing"));
    };
    Ok(PhysicalProperties::Custom(CustomPhysicalProperties {
        density,
        friction,
        elasticity,
        friction_weight,
        elasticity_weight,
        acoustic_absorption,
    }))
}

fn physical_lines(out: &mut Out, depth: usize, properties: &PhysicalProperties) {
    let Some((custom, numbers)) = PHYSICS.split_first() else { return };
    let PhysicalProperties::Custom(p) = properties else {
        return line(out, depth, custom, |out| out.raw("false"));
    };
    line(out, depth, custom, |out| out.raw("true"));
    let five = [p.density, p.friction, p.elasticity, p.friction_weight, p.elasticity_weight];
    lines(out, depth, numbers, &five);
    if let (Some(value), Some(part)) = (p.acoustic_absorption, numbers.last()) {
        line(out, depth, part, |out| out.float(value));
    }
}
