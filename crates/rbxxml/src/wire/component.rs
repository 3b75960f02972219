//! Values whose element contains an element for each number, such as vectors, colours and frames.

use geom::{Vec2, Vec3};

use crate::model::{
    Axes, CFrame, Color3, Color3uint8, Faces, Ray, Rect, UDim, UDim2, Vector2int16, Vector3int16,
};
use crate::wire::content::At;
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

macro_rules! parts {
    ($($name:ident)+) => {
        &[$(Part {
            name: stringify!($name),
            open: concat!("<", stringify!($name), ">"),
            close: concat!("</", stringify!($name), ">"),
        }),+]
    };
}

/// The maximum number of parts of a value.
const MOST: usize = 12;

/// The elements with the given names in the open element, in any order; others are skipped.
struct Parts {
    parts: &'static [Part],
    found: [bool; MOST],
    next: usize,
}

impl Parts {
    fn new(parts: &'static [Part]) -> Self {
        Self { parts, found: [false; MOST], next: 0 }
    }

    /// The index of the next element, whose content the caller reads; `None` at the end of the open element.
    fn next<'s>(&mut self, cx: &mut Cx<'s>) -> Read<'s, Option<usize>> {
        while let Some(child) = cx.scanner.child()? {
            let name = child.name();
            // The elements are nearly always in order.
            let index = match self.parts.get(self.next) {
                Some(part) if part.name.as_bytes() == name => Some(self.next),
                _ => self.parts.iter().position(|part| part.name.as_bytes() == name),
            };
            match index.and_then(|index| Some((index, self.found.get_mut(index)?))) {
                Some((index, found)) => {
                    *found = true;
                    self.next = index.saturating_add(1);
                    return Ok(Some(index));
                }
                None => cx.skip(child)?,
            }
        }
        Ok(None)
    }

    /// Fails if an element is missing.
    fn all<'s>(&self, cx: &Cx<'s>) -> Read<'s, ()> {
        if self.found.iter().take(self.parts.len()).all(|&found| found) { Ok(()) } else { cx.malformed() }
    }
}

/// A type whose values are the content of an element: a number, or further elements.
pub(crate) trait Inside: Sized {
    fn read<'s>(cx: &mut Cx<'s>) -> Read<'s, Self>;
    /// Writes the content; `depth` is the depth of the element.
    fn write(&self, out: &mut Out, depth: usize);
}

/// A value in a box, which is charged to the budget.
impl<T: Inside> Inside for Box<T> {
    #[inline]
    fn read<'s>(cx: &mut Cx<'s>) -> Read<'s, Self> {
        let value = T::read(cx)?;
        cx.boxed(value)
    }

    #[inline]
    fn write(&self, out: &mut Out, depth: usize) {
        (**self).write(out, depth);
    }
}

macro_rules! numbers {
    ($($kind:ty: $parse:expr, $write:ident;)+) => {$(
        impl Inside for $kind {
            #[inline]
            fn read<'s>(cx: &mut Cx<'s>) -> Read<'s, Self> {
                cx.parse($parse)
            }

            #[inline]
            fn write(&self, out: &mut Out, _: usize) {
                out.$write(*self);
            }
        }
    )+};
}
numbers! {
    f32: number::float, float;
    i32: number::int32, integer;
    i16: |text| i16::try_from(number::integer(text)?).ok(), integer;
    u8: |text| u8::try_from(number::integer(text)?).ok(), integer;
}

/// Implements `Inside` for types whose parts are always present: lists the elements as written, each with its field.
macro_rules! records {
    ($($kind:ident: $($part:ident $($field:tt).+),+;)+) => {$(
        impl Inside for $kind {
            #[inline]
            fn read<'s>(cx: &mut Cx<'s>) -> Read<'s, Self> {
                #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "names of elements")]
                enum Index { $($part),+ }
                const { assert!([$(stringify!($part)),+].len() <= MOST) };
                let mut value = Self::default();
                let mut parts = Parts::new(parts!($($part)+));
                while let Some(index) = parts.next(cx)? {
                    $(if index == Index::$part as usize {
                        value.$($field).+ = Inside::read(cx)?;
                    })+
                }
                parts.all(cx)?;
                Ok(value)
            }

            #[inline]
            fn write(&self, out: &mut Out, depth: usize) {
                let parts: &[Part] = parts!($($part)+);
                let mut parts = parts.iter();
                let inner = Out::inner(depth);
                $(if let Some(part) = parts.next() {
                    line(out, inner, part, |out| self.$($field).+.write(out, inner));
                })+
                out.line(depth);
            }
        }
    )+};
}
records! {
    Vec2: X x, Y y;
    Vec3: X x, Y y, Z z;
    Vector2int16: X x, Y y;
    Vector3int16: X x, Y y, Z z;
    Color3: R r, G g, B b;
    UDim: S scale, O offset;
    UDim2: XS x.scale, XO x.offset, YS y.scale, YO y.offset;
    Axes: axes 0;
    Faces: faces 0;
    Ray: origin origin, direction direction;
    Rect: min min, max max;
    CFrame: X position.x, Y position.y, Z position.z,
        R00 rotation.x_axis.x, R01 rotation.y_axis.x, R02 rotation.z_axis.x,
        R10 rotation.x_axis.y, R11 rotation.y_axis.y, R12 rotation.z_axis.y,
        R20 rotation.x_axis.z, R21 rotation.y_axis.z, R22 rotation.z_axis.z;
}

#[inline]
fn line(out: &mut Out, depth: usize, part: &Part, write: impl FnOnce(&mut Out)) {
    out.line(depth);
    out.raw(part.open);
    write(out);
    out.raw(part.close);
}

/// Reads a colour in one number, whose highest byte has no meaning; `None` if the element contains elements.
fn packed<'s>(cx: &mut Cx<'s>, tag: Tag<'s>) -> Read<'s, Option<Color3uint8>> {
    let depth = cx.scanner.depth();
    if cx.scanner.begins_with_element() {
        return Ok(None);
    }
    if let Ok(number) = cx.parse(number::uint32) {
        let [_, r, g, b] = number.to_be_bytes();
        return Ok(Some(Color3uint8 { r, g, b }));
    }
    cx.scanner.rewind(tag, depth)?;
    Ok(None)
}

/// A colour as three numbers; in old files, as one number.
pub(crate) mod color {
    use super::*;

    pub(crate) fn read<'s>(cx: &mut Cx<'s>, tag: Tag<'s>) -> Read<'s, Color3> {
        Ok(match packed(cx, tag)? {
            Some(bytes) => bytes.into(),
            None => Inside::read(cx)?,
        })
    }

    pub(crate) fn write(out: &mut Out, color: &Color3, at: At<'_>) {
        color.write(out, at.depth);
    }
}

/// A colour as one number. An element per component is read, too: as a byte or, if it has a point, as a number from 0
/// to 1.
pub(crate) mod color_bytes {
    use super::*;

    pub(crate) fn read<'s>(cx: &mut Cx<'s>, tag: Tag<'s>) -> Read<'s, Color3uint8> {
        if let Some(bytes) = packed(cx, tag)? {
            return Ok(bytes);
        }
        let mut rgb = [0; 3];
        let mut parts = Parts::new(parts!(R G B));
        while let Some(index) = parts.next(cx)? {
            let part = cx.parse(component)?;
            rgb.iter_mut().skip(index).take(1).for_each(|to| *to = part);
        }
        parts.all(cx)?;
        let [r, g, b] = rgb;
        Ok(Color3uint8 { r, g, b })
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 255")]
    fn component(text: &[u8]) -> Option<u8> {
        if text.contains(&b'.') {
            let share = number::float(text)?;
            return (0.0..=1.0).contains(&share).then(|| (share * 255.0).round() as u8);
        }
        u8::try_from(number::integer(text)?).ok()
    }

    pub(crate) fn write(out: &mut Out, color: &Color3uint8, _: At<'_>) {
        out.integer(u32::from_be_bytes([0xff, color.r, color.g, color.b]));
    }
}

/// A frame in an inner element, or nothing.
pub(crate) mod optional {
    use super::*;

    const PARTS: &[Part] = parts!(CFrame);

    pub(crate) fn read<'s>(cx: &mut Cx<'s>, _: Tag<'s>) -> Read<'s, Option<Box<CFrame>>> {
        let mut frame = None;
        let mut parts = Parts::new(PARTS);
        while parts.next(cx)?.is_some() {
            frame = Some(Inside::read(cx)?);
        }
        Ok(frame)
    }

    pub(crate) fn write(out: &mut Out, frame: &Option<Box<CFrame>>, At { depth, .. }: At<'_>) {
        let Some(frame) = frame else { return };
        let inner = Out::inner(depth);
        PARTS.iter().for_each(|part| line(out, inner, part, |out| frame.write(out, inner)));
        out.line(depth);
    }
}

/// Physical properties: whether they are custom, and their numbers.
pub(crate) mod physical {
    use super::*;
    use crate::model::PhysicalProperties;
    use rbxcore::CustomPhysicalProperties as Custom;

    const PARTS: &[Part] =
        parts!(CustomPhysics Density Friction Elasticity FrictionWeight ElasticityWeight AcousticAbsorption);

    pub(crate) fn read<'s>(cx: &mut Cx<'s>, _: Tag<'s>) -> Read<'s, Box<PhysicalProperties>> {
        let (mut custom, mut numbers) = (None, [None; 6]);
        let mut parts = Parts::new(PARTS);
        while let Some(index) = parts.next(cx)? {
            match index.checked_sub(1).and_then(|index| numbers.get_mut(index)) {
                Some(number) => *number = Some(cx.parse(number::float)?),
                None => custom = Some(cx.parse(number::boolean)?),
            }
        }
        if !custom.unwrap_or(numbers.iter().any(Option::is_some)) {
            return cx.boxed(PhysicalProperties::Default);
        }
        let [
            Some(density),
            Some(friction),
            Some(elasticity),
            Some(friction_weight),
            Some(elasticity_weight),
            _,
        ] = numbers
        else {
            return cx.malformed();
        };
        let [.., acoustic_absorption] = numbers;
        cx.boxed(PhysicalProperties::Custom(Custom {
            density,
            friction,
            elasticity,
            friction_weight,
            elasticity_weight,
            acoustic_absorption,
        }))
    }

    pub(crate) fn write(out: &mut Out, properties: &PhysicalProperties, At { depth, .. }: At<'_>) {
        let inner = Out::inner(depth);
        let custom = match properties {
            PhysicalProperties::Default => None,
            PhysicalProperties::Custom(custom) => Some(custom),
        };
        let mut parts = PARTS.iter();
        if let Some(part) = parts.next() {
            line(out, inner, part, |out| out.boolean(custom.is_some()));
        }
        if let Some(p) = custom {
            let five = [p.density, p.friction, p.elasticity, p.friction_weight, p.elasticity_weight];
            for (value, part) in five.into_iter().chain(p.acoustic_absorption).zip(parts) {
                line(out, inner, part, |out| out.float(value));
            }
        }
        out.line(depth);
    }
}
