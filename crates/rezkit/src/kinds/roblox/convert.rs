//! A document of one form as one of the other.
//!
//! Lost: how referents are spelled, the framing and the compression, comments and white space. What a form
//! cannot represent at all is refused, or left out and listed where that is allowed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ::rbxbinary::{self as binary, Value as Binary, geom};
use ::rbxxml::{self as xml, Value as Xml};

use rbxclasses::{Kind, is_service, stored_kind};

use super::door::Door;
use super::filled::missing;
use super::paths::Paths;
use super::{Any, Instances, New, texts};
use crate::options::{ConvertOptions, Fill};
use rezkit_core::{Budget, Error, Loss, Result};

/// A value of one crate as the other has it.
trait Turn<T> {
    fn turn(self) -> T;
}

macro_rules! alike {
    ($($kind:ty),+ $(,)?) => {$(
        impl Turn<$kind> for $kind {
            fn turn(self) -> $kind { self }
        }
    )+};
}
alike! {
    bool, u8, u16, u32, u64, i32, i64, f32, f64, bstr::BString, Option<f32>, geom::Vec2, geom::Vec3, geom::CFrame,
    geom::Ray, geom::Rect, geom::UDim, geom::UDim2, geom::Vector2int16, geom::Vector3int16,
}

/// Structs that both crates have with the same fields.
macro_rules! structs {
    ($($name:ident { $($field:tt $as:ident),+ })+) => {
        structs!(@ binary, xml: $($name { $($field $as),+ })+);
        structs!(@ xml, binary: $($name { $($field $as),+ })+);
    };
    (@ $from:ident, $to:ident: $($name:ident { $($field:tt $as:ident),+ })+) => {$(
        impl Turn<$to::$name> for $from::$name {
            fn turn(self) -> $to::$name {
                let $from::$name { $($field: $as),+ } = self;
                $to::$name { $($field: $as.turn()),+ }
            }
        }
    )+};
}
structs! {
    Color3 { r r, g g, b b }
    Color3uint8 { r r, g g, b b }
    NumberRange { min min, max max }
    NumberSequence { keypoints keypoints }
    NumberSequenceKeypoint { time time, value value, envelope envelope }
    ColorSequence { keypoints keypoints }
    ColorSequenceKeypoint { time time, color color, envelope envelope }
    UniqueId { random random, time time, index index }
    Font { family family, weight weight, style style, cached_face_id cached_face_id }
    CustomPhysicalProperties {
        density density, friction friction, elasticity elasticity, friction_weight friction_weight,
        elasticity_weight elasticity_weight, acoustic_absorption acoustic_absorption
    }
    Faces { 0 bits }
    Axes { 0 bits }
    FontStyle { 0 style }
    SecurityCapabilities { 0 bits }
}

impl<A: Turn<B>, B> Turn<Vec<B>> for Vec<A> {
    fn turn(self) -> Vec<B> {
        self.into_iter().map(Turn::turn).collect()
    }
}

/// The values that both forms have under one name: as they are, and with XML's in a box.
macro_rules! values {
    ($($name:ident)+; $($boxed:ident)+) => {
        fn same_in_xml(value: Binary) -> Result<Xml, Binary> {
            Ok(match value {
                $(Binary::$name(value) => Xml::$name(value.turn()),)+
                $(Binary::$boxed(value) => Xml::$boxed(Box::new(value.turn())),)+
                other => return Err(other),
            })
        }

        fn same_in_binary(value: Xml) -> Result<Binary, Xml> {
            Ok(match value {
                $(Xml::$name(value) => Binary::$name(value.turn()),)+
                $(Xml::$boxed(value) => Binary::$boxed((*value).turn()),)+
                other => return Err(other),
            })
        }
    };
}
values! {
    Bool Int32 Int64 Float32 Float64 Enum UDim UDim2 Faces Axes Color3 Color3uint8 Vector2 Vector3 Vector2int16
    Vector3int16 NumberRange Rect UniqueId SecurityCapabilities;
    Ray CFrame NumberSequence ColorSequence Font PhysicalProperties
}

macro_rules! physical {
    ($from:ident, $to:ident) => {
        impl Turn<$to::PhysicalProperties> for $from::PhysicalProperties {
            fn turn(self) -> $to::PhysicalProperties {
                match self {
                    Self::Default => $to::PhysicalProperties::Default,
                    Self::Custom(custom) => $to::PhysicalProperties::Custom(custom.turn()),
                }
            }
        }
    };
}
physical!(binary, xml);
physical!(xml, binary);

/// A value of the binary form as one of XML.
///
/// # Errors
/// What it is that XML has no type for.
pub(in super::super) fn to_xml(
    document: &mut xml::Document,
    class: &str,
    property: &str,
    value: &Binary,
) -> Result<Xml, String> {
    let kind = || stored_kind(class, property);
    Ok(match value {
        Binary::String(text) => match kind() {
            Some(Kind::BinaryString) => Xml::BinaryString(text.as_slice().into()),
            Some(Kind::ProtectedString) => Xml::ProtectedString(text.as_slice().into()),
            Some(Kind::ContentId) => Xml::ContentId(text.as_slice().into()),
            None if texts::in_xml(text).is_some() => Xml::BinaryString(text.as_slice().into()),
            _ => Xml::String(text.as_slice().into()),
        },
        Binary::SharedString(bytes) => {
            let key = document.share(Arc::clone(bytes.as_arc()));
            match kind() {
                Some(Kind::NetAssetRef) => Xml::NetAssetRef(key),
                _ => Xml::SharedString(key),
            }
        }
        // Studio writes the number alone.
        Binary::BrickColor(color) => Xml::Int32(color.0.cast_signed()),
        Binary::OptionalCFrame(frame) => Xml::OptionalCFrame(frame.map(Box::new)),
        Binary::Content(binary::Content::None) => Xml::Content(xml::Content::None),
        Binary::Content(binary::Content::Uri(uri)) => Xml::Content(xml::Content::Uri(uri.as_slice().into())),
        other => {
            return same_in_xml(other.clone())
                .map_err(|other| format!("a value of type {}", other.type_id()));
        }
    })
}

/// A value of XML as one of the binary form, or as what only XML has.
pub(in super::super) fn from_xml(
    document: &xml::Document,
    class: &str,
    property: &str,
    value: &Xml,
) -> Any<xml::InstanceId> {
    let is = |kind: Kind| stored_kind(class, property) == Some(kind);
    Any::Value(match value {
        Xml::String(text) | Xml::ProtectedString(text) | Xml::BinaryString(text) => {
            Binary::String(text.as_ref().into())
        }
        // An empty element can be either kind of content, and an address too in files of other programs.
        Xml::ContentId(uri) if is(Kind::Content) => Binary::Content(match uri.is_empty() {
            true => binary::Content::None,
            false => binary::Content::Uri(uri.as_ref().into()),
        }),
        Xml::ContentId(uri) => Binary::String(uri.as_ref().into()),
        Xml::Content(xml::Content::None) if is(Kind::ContentId) => Binary::String("".into()),
        Xml::Content(xml::Content::None) => Binary::Content(binary::Content::None),
        Xml::Content(xml::Content::Uri(uri)) => Binary::Content(binary::Content::Uri(uri.as_ref().into())),
        Xml::Content(xml::Content::Object(id)) => return Any::Object(*id),
        Xml::Ref(id) => return Any::Ref(*id),
        Xml::SharedString(key) | Xml::NetAssetRef(key) => match document.shared_string(key) {
            Some(shared) => Binary::SharedString(Arc::clone(shared.bytes().as_arc()).into()),
            None => return Any::Other("SharedString without bytes".into(), key.as_bytes().to_vec()),
        },
        Xml::Int32(number) if is(Kind::BrickColor) => {
            Binary::BrickColor(binary::BrickColor(number.cast_unsigned()))
        }
        Xml::BrickColor(color) => Binary::BrickColor(binary::BrickColor(color.0)),
        Xml::OptionalCFrame(frame) => Binary::OptionalCFrame(frame.as_deref().copied()),
        Xml::Unknown(unknown) => {
            return Any::Other(unknown.tag.to_string(), unknown.xml.as_ref().to_vec());
        }
        other => match same_in_binary(other.clone()) {
            Ok(value) => value,
            Err(other) => return Any::Other(other.tag().to_owned(), Vec::new()),
        },
    })
}

/// A binary document as XML.
///
/// # Errors
/// Where a value has no type in XML, unless it may be left out.
pub(in super::super) fn binary_to_xml(
    source: &binary::Document,
    options: &ConvertOptions,
) -> Result<(xml::Document, Vec<Loss>)> {
    let mut target = xml::Document::new();
    let mut losses = Vec::new();
    for metadata in source.metadata() {
        let key = metadata.key.to_string();
        target.metadata.push(xml::Metadata::new(key, metadata.value.as_slice()));
    }
    for metadata in &mut target.metadata {
        if let Some(text) = texts::in_xml(&metadata.value) {
            losses.push(Loss::approximated(format!("metadata.{}", metadata.key), NOT_XML));
            metadata.value = text.as_str().into();
        }
    }
    let mut paths = Paths::new(source);
    let mut odd = Vec::new();
    for id in source.all() {
        for (name, value) in source.values(id) {
            if matches!(&value, Any::Value(value) if has_odd_nan(value)) {
                let path = format!("{}.{name}", paths.shown(id));
                odd.push(Loss::approximated(path, "a NaN of unusual bits is plain NaN in XML"));
            }
            if texts::value_in_xml(&source.class_of(id), &name, &value).is_some() {
                losses.push(Loss::approximated(format!("{}.{name}", paths.shown(id)), NOT_XML));
            }
        }
    }
    if !losses.is_empty() && !options.allow_loss {
        return Err(not_xml(&losses));
    }
    losses.extend(odd);
    copy(source, &mut target, options, Door::of_document(source).into_xml(), &mut losses)?;
    Ok((target, losses))
}

/// What becomes of texts with bytes that are not UTF-8 and characters that XML forbids.
pub(super) const NOT_XML: &str =
    "bytes that are not UTF-8 or characters that XML forbids: replaced by U+FFFD";

/// How many of the texts an error names.
const NAMED: usize = 8;

fn not_xml(losses: &[Loss]) -> Error {
    let paths: Vec<_> = losses.iter().take(NAMED).map(|loss| loss.path.as_str()).collect();
    let more = match losses.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let what = "text that XML cannot represent (bytes that are not UTF-8, or characters that it forbids)";
    Error::unwritable(format!("{what}: {}{more}", paths.join(", ")))
}

/// Whether a number is a NaN that XML writes as another.
fn has_odd_nan(value: &Binary) -> bool {
    let odd = |number: f32| number.is_nan() && number.to_bits() != f32::NAN.to_bits();
    let vector = |vector: &geom::Vec3| odd(vector.x) || odd(vector.y) || odd(vector.z);
    match value {
        Binary::Float32(number) => odd(*number),
        Binary::Float64(number) => number.is_nan() && number.to_bits() != f64::NAN.to_bits(),
        Binary::Vector2(value) => odd(value.x) || odd(value.y),
        Binary::Vector3(value) => vector(value),
        Binary::Ray(ray) => vector(&ray.origin) || vector(&ray.direction),
        Binary::CFrame(frame) | Binary::OptionalCFrame(Some(frame)) => {
            vector(&frame.position) || frame.rotation.to_rows().into_iter().any(odd)
        }
        _ => false,
    }
}

/// An XML document as a binary one.
///
/// # Errors
/// Where a value has no type in the binary form, unless it may be left out; and where instances of a class
/// store different properties, which the binary form cannot, unless they may be filled in.
pub(in super::super) fn xml_to_binary(
    source: &xml::Document,
    options: &ConvertOptions,
) -> Result<(binary::Document, Vec<Loss>)> {
    let mut target = binary::Document::new();
    let mut losses = Vec::new();
    for metadata in source.metadata() {
        target.metadata_mut().push(binary::Metadata {
            key: metadata.key.as_str().into(),
            value: metadata.value.as_ref().into(),
        });
    }
    copy(source, &mut target, options, Door::of_document(source), &mut losses)?;
    Ok((target, losses))
}

/// A document whose values have the names and the types under which files store them, and what was changed.
///
/// # Errors
/// With all values that cannot be stored.
pub(in super::super) fn stored<D: Instances + Clone + Default>(
    document: &D,
    into: &D,
) -> Result<(D, Vec<Loss>)> {
    let mut door = Door::into_document(into);
    for id in document.all() {
        let class = document.class_of(id);
        document.values(id).into_iter().for_each(|(name, value)| drop(door.enter(&class, name, value)));
    }
    if door.is_unchanged() {
        return Ok((document.clone(), door.finish(false)?));
    }
    let again = door.again();
    door.finish(false)?;
    let (mut target, mut losses) = (D::default(), Vec::new());
    copy(document, &mut target, &ConvertOptions::new().fill(Fill::Defaults), again, &mut losses)?;
    Ok((target, losses))
}

fn copy<A: Instances, B: Instances>(
    source: &A,
    target: &mut B,
    options: &ConvertOptions,
    mut door: Door,
    losses: &mut Vec<Loss>,
) -> Result<()> {
    let ids = source.all();
    let is_place = source.top().iter().any(|&id| is_service(&source.class_of(id)));
    let missing = missing(source, &ids, &mut door, options, losses)?;
    let mut again = door.again();
    losses.extend(door.finish(options.allow_loss)?);
    let (mut made, mut references) = (HashMap::new(), Vec::new());
    let mut paths = Paths::new(source);
    let mut budget = Budget::new(options.max_bytes);
    for id in ids {
        let class = source.class_of(id).into_owned();
        let mut properties = Vec::new();
        let values = source.values(id).into_iter();
        let mut values: Vec<_> =
            values.filter_map(|(name, value)| again.enter(&class, name, value)).collect();
        // Of two properties with one name the last one counts.
        let mut last = HashMap::new();
        for (index, (name, _)) in values.iter().enumerate() {
            last.insert(name.clone(), index);
        }
        if last.len() < values.len() {
            let mut seen = HashSet::new();
            let twice = values.iter().find(|(name, _)| !seen.insert(name)).map_or("", |(name, _)| name);
            let path = format!("{}.{twice}", paths.shown(id));
            let mut loss = Loss::new(path, "stored more than once: the last value");
            loss.count = values.len() - last.len();
            losses.push(loss);
        }
        let mut index = 0;
        values.retain(|(name, _)| {
            index += 1;
            last.get(name) == Some(&(index - 1))
        });
        for (name, value) in values {
            let value = match value {
                Any::Value(value) => Any::Value(value),
                Any::Ref(to) => {
                    references.push((id, name.clone(), to, false));
                    Any::Ref(None)
                }
                Any::Object(to) => {
                    references.push((id, name.clone(), to, true));
                    Any::Object(None)
                }
                Any::Other(kind, _) => {
                    lose(&paths.shown(id), &name, &kind, options, losses)?;
                    continue;
                }
            };
            properties.push((name, value));
        }
        if let Some(missing) = missing.get(&class) {
            let there: HashSet<String> = properties.iter().map(|(name, _)| name.clone()).collect();
            budget.work(missing.len() as u64, "filling in")?;
            for (name, value) in missing.iter().filter(|(name, _)| !there.contains(name)) {
                budget.take((name.len() + size_of::<Binary>()) as u64, "what is filled in")?;
                properties.push((name.clone(), Any::Value(value.clone())));
            }
        }
        let service = is_place && is_service(&class);
        let parent = source.above(id).and_then(|parent| made.get(&parent)).copied();
        let new = target.create(parent, New { class, service, properties })?;
        made.insert(id, new);
    }
    for (id, name, to, is_object) in references {
        let to = to.and_then(|to| made.get(&to).copied());
        if let (Some(&id), Some(_)) = (made.get(&id), to) {
            target.put(id, &name, if is_object { Any::Object(to) } else { Any::Ref(to) })?;
        }
    }
    Ok(())
}

fn lose(path: &str, name: &str, kind: &str, options: &ConvertOptions, losses: &mut Vec<Loss>) -> Result<()> {
    let loss = Loss::new(format!("{path}.{name}"), format!("the other form has no {kind}"));
    match options.allow_loss {
        true => {
            losses.push(loss);
            Ok(())
        }
        false => Err(Error::unwritable(loss.what).at(loss.path)),
    }
}
