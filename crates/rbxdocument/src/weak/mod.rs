//! Conversions to and from the `WeakDom` of rbx-dom.

mod apply;
mod place;
pub(crate) mod table;
mod value;
mod xml;

pub use apply::apply;
#[cfg(feature = "compat")]
pub(crate) use place::Unknown;
#[cfg(feature = "compat")]
pub(crate) use xml::into_xml;

use std::any::Any;
use std::collections::{HashMap, HashSet};

use bstr::{BStr, ByteSlice as _};
use geom::wire::Result;
use rbx_dom_weak::types::{self, Ref, Variant};
use rbx_dom_weak::{InstanceBuilder, Ustr, WeakDom};
use rbxcore::classes::{Turn, class, turn};
use rbxcore::parts::attributes;
use rbxcore::{Dom, EditOptions, InstanceId, Kind, ValueRef};

#[cfg(not(feature = "compat"))]
use self::place::Unknown;
use self::table::Tables;
use self::value::{Shared, variant};
#[cfg(not(feature = "compat"))]
use self::xml::into_xml;
use crate::which::as_binary_mut;

/// The losses of [`from_weak`].
pub(crate) const UNSTORED: &str = "files do not store the property";
pub(crate) const NO_VALUE: &str = "the document has no such value";
pub(crate) const UNKNOWN: &str = "the class table does not know the property";
const NO_INSTANCE: &str = "there is no such instance";

/// A value that a conversion could not keep.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lost {
    /// The path of the instance and the property, such as `Workspace/Part.Size`.
    pub path: String,
    /// What was lost.
    pub what: &'static str,
}

/// A document as a `WeakDom`, whose root has the class `DataModel`, and the values that it cannot hold. Properties have
/// the names and the types that rbx_binary and rbx_xml give them, and older ones are replaced by those of today. Unlike
/// these, it keeps properties of other years that nothing has replaced, such as `Part.Friction`, and bytes that are not
/// UTF-8.
pub fn to_weak(document: &dyn Dom) -> (WeakDom, Vec<Lost>) {
    to_weak_with(document, Unknown::Keep)
}

/// As [`to_weak`].
pub(crate) fn to_weak_with(document: &dyn Dom, behavior: Unknown) -> (WeakDom, Vec<Lost>) {
    let mut weak = WeakDom::new(InstanceBuilder::new("DataModel"));
    weak.reserve(document.len());
    let (root, mut lost) = (weak.root_ref(), Vec::new());
    let mut refs: HashMap<InstanceId, Ref> = HashMap::with_capacity(document.len());
    for id in document.instances() {
        let above = document.parent(id).and_then(|above| refs.get(&above).copied()).unwrap_or(root);
        let of_class = document.class(id).unwrap_or_default().to_str_lossy();
        let new = InstanceBuilder::new(&*of_class).with_name(document.label(id).to_str_lossy());
        refs.insert(id, weak.insert(above, new));
    }
    let unknown = is_a::<rbxbinary::Document>(document).then_some(Kind::BinaryString);
    // The names of the properties of each class, in the order in which its last instance has them.
    let mut names: HashMap<&BStr, Vec<Named<'_>>> = HashMap::new();
    let (mut shared, mut replaced) = (HashMap::new(), Vec::new());
    for id in document.instances() {
        let of_class = document.class(id).unwrap_or_default();
        let known = names.entry(of_class).or_default();
        let Some(instance) = refs.get(&id).and_then(|&made| weak.get_by_ref_mut(made)) else { continue };
        instance.properties.reserve(known.len());
        for (at, (name, value)) in document.properties(id).enumerate() {
            let place = match known.get(at) {
                Some(of) if of.name == name => Some(at),
                _ => known.iter().position(|of| of.name == name),
            };
            let place = place.unwrap_or_else(|| {
                known.push(Named::new(of_class, name, unknown, behavior));
                known.len() - 1
            });
            let of = &known[place];
            if of.stored == "Name" {
                continue;
            }
            if let Some(what) = of.lost {
                let path = document.path(id).unwrap_or_default();
                lost.push(Lost { path: format!("{path}.{name}"), what });
                continue;
            }
            let apart = value.as_bytes().filter(|_| of.shown == "Attributes");
            let apart = apart.and_then(|bytes| without_references(document, bytes));
            if apart.is_some() {
                let path = document.path(id).unwrap_or_default();
                lost.push(Lost {
                    path: format!("{path}.{name}"),
                    what: "rbx-dom has no references in attributes",
                });
            }
            let value = apart.as_deref().map_or(value, |bytes| ValueRef::BinaryString(BStr::new(bytes)));
            let Some(value) = of.variant(value, &refs, &mut shared) else {
                let path = document.path(id).unwrap_or_default();
                lost.push(Lost { path: format!("{path}.{name}"), what: "rbx-dom has no such value" });
                continue;
            };
            if !of.replaced_by.is_empty() {
                replaced.extend(of.replaced_by.iter().map(|&new| (new, value.clone())));
            } else if of.stored == of.current || document.value_ref(id, of.current.as_bytes()).is_none() {
                instance.properties.insert(of.shown, value);
            } else {
                instance.properties.insert(of.stored, value);
            }
        }
        for (new, value) in replaced.drain(..) {
            instance.properties.entry(new).or_insert(value);
        }
    }
    (weak, lost)
}

/// These instances without those below another one and repeated ones.
fn topmost(weak: &WeakDom, instances: &[Ref]) -> Vec<Ref> {
    let all: HashSet<Ref> = instances.iter().copied().collect();
    let is_top = |of: &Ref| {
        weak.get_by_ref(*of).is_none()
            || !weak.ancestors_of(*of).any(|above| above.referent() != *of && all.contains(&above.referent()))
    };
    let mut seen = HashSet::new();
    instances.iter().copied().filter(is_top).filter(|of| seen.insert(*of)).collect()
}

/// Attributes whose references are null, up to the first of an unknown type if one behind it may be a reference: the numbers
/// of a document would name other instances in another one. `None` if there are none.
fn without_references(document: &dyn Dom, bytes: &[u8]) -> Option<Vec<u8>> {
    let form: &dyn Any = document.form();
    let binary = form.downcast_ref::<rbxbinary::Document>();
    let is_instance = |to: i32| match binary {
        Some(binary) => binary.by_referent(rbxbinary::parts::Referent(to)).is_some(),
        None => usize::try_from(to).is_ok_and(|to| to < document.len()),
    };
    let (mut nulled, mut refers) = (bytes.to_vec(), false);
    let done = attributes::references(bytes, |at, to| {
        refers |= to != -1;
        if let Some(bytes) = nulled.get_mut(at..at + size_of::<i32>()) {
            bytes.copy_from_slice(&(-1_i32).to_le_bytes());
        }
    });
    if let Err(incomplete) = done
        && attributes::possible(bytes, incomplete.at).any(is_instance)
    {
        return Some(attributes::cut(&nulled, incomplete));
    }
    refers.then_some(nulled)
}

/// Whether a document has this form.
fn is_a<D: Dom>(document: &dyn Dom) -> bool {
    let document: &dyn Any = document.form();
    document.is::<D>()
}

/// Stored names that rbx-dom does not replace by those of scripts, which it would not write.
const AS_STORED: [&str; 7] = [
    "FluidFidelityInternal",
    "Health_XML",
    "MaxFrictionTorqueXml",
    "Use2022MaterialsXml",
    "line",
    "style",
    "value",
];

/// A property of a class.
struct Named<'a> {
    /// Its name in the document.
    name: &'a BStr,
    stored: Ustr,
    /// Its name in rbx-dom.
    shown: Ustr,
    /// The stored name of today; empty if the property is not known.
    current: &'static str,
    /// The type of its value; `None` if that is not known.
    kind: Option<Kind>,
    /// The properties that have replaced it, and the conversion of its value.
    replaced_by: Vec<Ustr>,
    turn: Option<Turn>,
    /// Why its values are lost.
    lost: Option<&'static str>,
}

impl<'a> Named<'a> {
    fn new(of_class: &BStr, name: &'a BStr, unknown: Option<Kind>, behavior: Unknown) -> Self {
        let stored = name.to_str_lossy();
        let as_stored = |kind| Self {
            name,
            stored: (&*stored).into(),
            shown: (&*stored).into(),
            current: "",
            kind,
            replaced_by: Vec::new(),
            turn: None,
            lost: None,
        };
        let table = class(of_class).filter(|_| !behavior.is_as_stored());
        let known = table.and_then(|class| Some((class, class.property(name)?)));
        let Some((class, of)) = known else {
            return Self { lost: behavior.is_lost().then_some(UNKNOWN), ..as_stored(unknown) };
        };
        // Of several stored names of one property, that of today has the name of scripts.
        let is_current = |shown: &str| class.property(shown).is_some_and(|it| it.name() == of.name());
        let shown = match of.name() {
            "AttributesSerialize" => "Attributes",
            "xmlRead_MaxDistance_3" => "RollOffMaxDistance",
            name if AS_STORED.contains(&name) => name,
            name => Some(of.script_name()).filter(|shown| is_current(shown)).unwrap_or(name),
        };
        let new = of.replaced_by().next().and_then(|new| class.property(new));
        let turn = new.and_then(|new| turn(of.kind(), new.kind()));
        let replaced_by = of.replaced_by().filter(|_| turn.is_some()).map(Ustr::from).collect();
        Self { shown: shown.into(), current: of.name(), replaced_by, turn, ..as_stored(Some(of.kind())) }
    }

    /// A value as rbx-dom has it; `None` if it has none.
    fn variant(
        &self,
        value: ValueRef<'_>,
        refs: &HashMap<InstanceId, Ref>,
        shared: &mut Shared,
    ) -> Option<Variant> {
        // Either kind of colour stays: rbx-dom has both.
        let is_color = matches!(value, ValueRef::Color3(_) | ValueRef::Color3uint8(_));
        let kind = self.kind.filter(|&kind| value.kind() != Some(kind) && !is_color);
        let is_other = |kind: &Kind| *kind != Kind::BinaryString || matches!(value, ValueRef::String(_));
        let value = kind.filter(is_other).and_then(|kind| value.converted(kind)).unwrap_or(value);
        // rbx_xml reads all elements `Content` as the newer of two types.
        let content = value.converted(Kind::Content).filter(|_| matches!(value, ValueRef::ContentId(_)));
        let value = content.filter(|_| self.current.is_empty()).unwrap_or(value);
        if let Some(turn) = self.turn {
            return variant(turn(value)?.as_ref(), refs, shared);
        }
        // Bytes that rbx-dom cannot decode stay bytes.
        let decoded = match (&*self.shown, value.as_bytes()) {
            _ if self.current.is_empty() => None,
            ("Attributes" | "Properties", Some(bytes)) => {
                types::Attributes::from_reader(bytes).ok().map(Variant::Attributes)
            }
            ("Tags", Some(bytes)) => types::Tags::decode(bytes).ok().map(Variant::Tags),
            ("MaterialColors", Some(bytes)) => {
                types::MaterialColors::decode(bytes).ok().map(Variant::MaterialColors)
            }
            _ => None,
        };
        decoded.or_else(|| variant(value, refs, shared))
    }
}

/// Inserts instances of a `WeakDom` at the root of a document, and returns the values that the document cannot hold.
/// References to instances that are not inserted become null. In a binary document, values that an instance lacks are
/// filled in with the defaults of its class. An instance below another one of these is inserted once.
///
/// # Errors
/// As [`EditOptions::merge`].
pub fn from_weak(document: &mut dyn Dom, weak: &WeakDom, instances: &[Ref]) -> Result<Vec<Lost>> {
    let Some(binary) = as_binary_mut(document) else {
        return into_xml(document, weak, instances, Unknown::Keep);
    };
    let mut tables = Tables::new(weak, instances)?;
    let mut lost = std::mem::take(&mut tables.unstored);
    if binary.is_empty() && binary.classes().is_empty() && binary.signatures().is_none() {
        lost.extend(tables.fill(binary)?);
        return Ok(lost);
    }
    let mut made = rbxbinary::Document::new();
    lost.extend(tables.fill(&mut made)?);
    let edited = EditOptions::defaults().merge(document, None, &made)?;
    let dropped = "instances that were there do not store the property, and its default is not known";
    let path = |of: &rbxcore::LeftOut| format!("{}.{}", of.class, of.property);
    lost.extend(edited.left_out.iter().map(|of| Lost { path: path(of), what: dropped }));
    Ok(lost)
}
