//! Values whose element contains one element per number: vectors, colours, frames and the like.

use geom::{Mat3, Vec2, Vec3};

use crate::model::{
    Axes, CFrame, Color3, Color3uint8, CustomPhysicalProperties, Faces, PhysicalProperties, Ray, Rect, UDim,
    UDim2, Value, Vector2int16, Vector3int16,
};
use crate::wire::cx::{Cx, Read};
use crate::wire::number;
use crate::wire::out::Out;
use crate::wire::xml::Tag;

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

/// Reads the elements of the given names in the open element, whatever their order; others are passed over.
#[inline]
fn find<'s, T: Copy, const N: usize>(
    cx: &mut Cx<'s>,
    parts: &[Part],
    read: impl Fn(&mut Cx<'s>, usize) -> Read<'s, T>,
) -> Read<'s, [Option<T>; N]> {
    let mut found = [None; N];
    let mut next = 0_usize;
    while let Some(child) = cx.scanner.child()? {
        let name = child.name();
        // They are in order, nearly always.
        let index = match parts.get(next) {
            Some(part) if part.name.as_bytes() == name => Some(next),
            _ => parts.iter().position(|part| part.name.as_bytes() == name),
        };
        match index.and_then(|index| Some((index, found.get_mut(index)?))) {
            Some((index, slot)) => {
                *slot = Some(read(cx, index)?);
                next = index.saturating_add(1);
            }
            None => cx.scanner.skip()?,
        }
    }
    Ok(found)
}

/// The same, where each of them must be there.
#[inline]
fn each<'s, T: Copy + Default, const N: usize>(
    cx: &mut Cx<'s>,
    parts: &'static [Part],
    read: impl Fn(&mut Cx<'s>, usize) -> Read<'s, T>,
) -> Read<'s, [T; N]> {
    let found: [Option<T>; N] = find(cx, parts, read)?;
    let mut values = [T::default(); N];
    for (value, found) in values.iter_mut().zip(found) {
        match found {
            Some(found) => *value = found,
            None => return cx.malformed(),
        }
    }
    Ok(values)
}

#[inline]
fn floats<'s, const N: usize>(cx: &mut Cx<'s>, parts: &'static [Part]) -> Read<'s, [f32; N]> {
    each(cx, parts, |cx, _| cx.parse(number::float))
}

fn shorts<'s, const N: usize>(cx: &mut Cx<'s>, parts: &'static [Part]) -> Read<'s, [i16; N]> {
    each(cx, parts, |cx, _| cx.parse(|text| i16::try_from(number::integer(text)?).ok()))
}

/// Scales at even indices, offsets at odd ones.
fn lengths<'s, const N: usize>(cx: &mut Cx<'s>, parts: &'static [Part]) -> Read<'s, [UDim; N]> {
    each(cx, parts, |cx, index| {
        Ok(match index % 2 {
            0 => UDim { scale: cx.parse(number::float)?, offset: 0 },
            _ => UDim { scale: 0.0, offset: cx.parse(number::int32)? },
        })
    })
}

#[inline]
fn lines(out: &mut Out<'_>, depth: usize, parts: &[Part], values: &[f32]) {
    for (part, &value) in parts.iter().zip(values) {
        line(out, depth, part, |out| out.float(value));
    }
}

#[inline]
fn line(out: &mut Out<'_>, depth: usize, part: &Part, write: impl FnOnce(&mut Out<'_>)) {
    out.line(depth);
    out.raw(part.open);
    write(out);
    out.raw(part.close);
}

/// An element with elements in it, on lines of their own.
fn block(out: &mut Out<'_>, depth: usize, part: &Part, write: impl FnOnce(&mut Out<'_>, usize)) {
    out.line(depth);
    out.raw(part.open);
    write(out, depth.saturating_add(1));
    out.line(depth);
    out.raw(part.close);
}

/// Reads a value of the given tag, `None` where it is not one of these.
pub(crate) fn read<'s>(cx: &mut Cx<'s>, tag: Tag<'s>) -> Read<'s, Option<Value>> {
    Ok(Some(match tag.name() {
        b"Vector3" => Vec3::from(floats(cx, XYZ)?).into(),
        b"CoordinateFrame" => frame(cx)?.into(),
        b"Color3" => color(cx, tag)?,
        b"Color3uint8" => color_bytes(cx, tag)?,
        b"Vector2" => Vec2::from(floats(cx, XY)?).into(),
        b"UDim2" => {
            let [xs, xo, ys, yo] = lengths(cx, UDIM2)?;
            UDim2::new(xs.scale, xo.offset, ys.scale, yo.offset).into()
        }
        b"UDim" => {
            let [s, o] = lengths(cx, UDIM)?;
            UDim::new(s.scale, o.offset).into()
        }
        b"OptionalCoordinateFrame" => {
            let [inner] = find(cx, OPTIONAL, |cx, _| frame(cx))?;
            inner.into()
        }
        b"PhysicalProperties" => physical(cx)?.into(),
        b"Ray" => {
            let [origin, direction]: [[f32; 3]; 2] = each(cx, RAY, |cx, _| floats(cx, XYZ))?;
            Ray { origin: origin.into(), direction: direction.into() }.into()
        }
        b"Rect2D" => {
            let [min, max]: [[f32; 2]; 2] = each(cx, RECT, |cx, _| floats(cx, XY))?;
            Rect { min: min.into(), max: max.into() }.into()
        }
        b"Vector3int16" => {
            let [x, y, z] = shorts(cx, XYZ)?;
            Vector3int16 { x, y, z }.into()
        }
        b"Vector2int16" => {
            let [x, y] = shorts(cx, XY)?;
            Vector2int16 { x, y }.into()
        }
        b"Axes" => Axes(bits(cx, AXES)?).into(),
        b"Faces" => Faces(bits(cx, FACES)?).into(),
        _ => return Ok(None),
    }))
}

/// Writes the content of the element; false where the value is not one of these.
pub(crate) fn write(out: &mut Out<'_>, depth: usize, value: &Value) -> bool {
    let inner = depth.saturating_add(1);
    match value {
        Value::Vector3(v) => lines(out, inner, XYZ, &v.to_array()),
        Value::CFrame(frame) => frame_lines(out, inner, frame),
        Value::Color3(color) => lines(out, inner, RGB, &[color.r, color.g, color.b]),
        Value::Vector2(v) => lines(out, inner, XY, &v.to_array()),
        Value::UDim2(UDim2 { x, y }) => {
            let [xs, xo, ys, yo] = UDIM2 else { return false };
            line(out, inner, xs, |out| out.float(x.scale));
            line(out, inner, xo, |out| out.integer(x.offset));
            line(out, inner, ys, |out| out.float(y.scale));
            line(out, inner, yo, |out| out.integer(y.offset));
        }
        Value::UDim(udim) => {
            let [s, o] = UDIM else { return false };
            line(out, inner, s, |out| out.float(udim.scale));
            line(out, inner, o, |out| out.integer(udim.offset));
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
                line(out, inner, part, |out| out.integer(v));
            }
        }
        Value::Vector2int16(v) => {
            for (part, v) in XY.iter().zip([v.x, v.y]) {
                line(out, inner, part, |out| out.integer(v));
            }
        }
        Value::Axes(Axes(bits)) => {
            AXES.iter().for_each(|part| line(out, inner, part, |out| out.integer(*bits)))
        }
        Value::Faces(Faces(bits)) => {
            FACES.iter().for_each(|part| line(out, inner, part, |out| out.integer(*bits)))
        }
        _ => return false,
    }
    out.line(depth);
    true
}

fn bits<'s>(cx: &mut Cx<'s>, parts: &'static [Part]) -> Read<'s, u8> {
    let [bits] = each(cx, parts, |cx, _| cx.parse(|text| u8::try_from(number::integer(text)?).ok()))?;
    Ok(bits)
}

fn frame<'s>(cx: &mut Cx<'s>) -> Read<'s, CFrame> {
    let [x, y, z, a, b, c, d, e, f, g, h, i] = floats(cx, FRAME)?;
    Ok(CFrame { position: Vec3::new(x, y, z), rotation: Mat3::from_rows([a, b, c, d, e, f, g, h, i]) })
}

fn frame_lines(out: &mut Out<'_>, depth: usize, frame: &CFrame) {
    let [x, y, z] = frame.position.to_array();
    let [a, b, c, d, e, f, g, h, i] = frame.rotation.to_rows();
    lines(out, depth, FRAME, &[x, y, z, a, b, c, d, e, f, g, h, i]);
}

/// Reads a colour in one number, where the element contains text: the highest byte has no meaning.
fn packed<'s>(cx: &mut Cx<'s>, tag: Tag<'s>) -> Read<'s, Option<[u8; 3]>> {
    let depth = cx.scanner.depth();
    if cx.scanner.begins_with_element() {
        return Ok(None);
    }
    if let Ok(number) = cx.parse(number::uint32) {
        let [_, r, g, b] = number.to_be_bytes();
        return Ok(Some([r, g, b]));
    }
    cx.scanner.rewind(tag, depth)?;
    Ok(None)
}

/// A colour of three numbers; in old files, of one.
fn color<'s>(cx: &mut Cx<'s>, tag: Tag<'s>) -> Read<'s, Value> {
    let [r, g, b] = match packed(cx, tag)? {
        Some(packed) => packed.map(|byte| f32::from(byte) / 255.0),
        None => floats(cx, RGB)?,
    };
    Ok(Color3 { r, g, b }.into())
}

/// A colour of one number; an element per component is understood as well, in bytes or, with a point, as
/// a number up to 1.
fn color_bytes<'s>(cx: &mut Cx<'s>, tag: Tag<'s>) -> Read<'s, Value> {
    let [r, g, b] = match packed(cx, tag)? {
        Some(packed) => packed,
        None => each(cx, RGB, |cx, _| cx.parse(component))?,
    };
    Ok(Color3uint8 { r, g, b }.into())
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 255")]
fn component(text: &[u8]) -> Option<u8> {
    if text.contains(&b'.') {
        let share = number::float(text)?;
        return (0.0..=1.0).contains(&share).then(|| (share * 255.0).round() as u8);
    }
    u8::try_from(number::integer(text)?).ok()
}

fn physical<'s>(cx: &mut Cx<'s>) -> Read<'s, PhysicalProperties> {
    let [custom, numbers @ ..]: [Option<f32>; 7] = find(cx, PHYSICS, |cx, index| match index {
        0 => Ok(if cx.parse(number::boolean)? { 1.0 } else { 0.0 }),
        _ => cx.parse(number::float),
    })?;
    let is_custom = custom.map_or(numbers.iter().any(Option::is_some), |custom| custom == 1.0);
    if !is_custom {
        return Ok(PhysicalProperties::Default);
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
        return cx.malformed();
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

fn physical_lines(out: &mut Out<'_>, depth: usize, properties: &PhysicalProperties) {
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
