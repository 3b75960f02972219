//! Conversions to and from the `WeakDom` of rbx-dom.

use std::any::Any;
use std::collections::{HashMap, HashSet};

use bstr::{BStr, ByteSlice as _};
use geom::wire::Result;
use geom::{Mat3, Vec2, Vec3};
use rbx_dom_weak::types::{self, Ref, Variant};
use rbx_dom_weak::{InstanceBuilder, Ustr, WeakDom};
use rbxcore::classes::{Turn, class, turn};
use rbxcore::parts::attributes;
use rbxcore::{
    CFrame, Content, ContentRef, CustomPhysicalProperties, Dom, EditOptions, InstanceId, Kind, NewInstance,
    PhysicalProperties, Value, ValueRef,
};

/// A value that a conversion could not keep.
#[derive(Clone, Debug, PartialEq, Eq)]
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
                known.push(Named::new(of_class, name, unknown));
                known.len() - 1
            });
            let of = &known[place];
            if of.stored == "Name" {
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

/// Attributes whose references are null, up to the first of an unknown type if one behind it may be a reference: the numbers
/// of a document would name other instances in another one. `None` if there are none.
fn without_references(document: &dyn Dom, bytes: &[u8]) -> Option<Vec<u8>> {
    let form: &dyn Any = document.form();
    let binary = form.downcast_ref::<rbxbinary::Document>();
    let is_instance = |to: i32| match binary {
        Some(binary) => binary.by_referent(rbxbinary::Referent(to)).is_some(),
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
}

impl<'a> Named<'a> {
    fn new(of_class: &BStr, name: &'a BStr, unknown: Option<Kind>) -> Self {
        let stored = name.to_str_lossy();
        let as_stored = |kind| Self {
            name,
            stored: (&*stored).into(),
            shown: (&*stored).into(),
            current: "",
            kind,
            replaced_by: Vec::new(),
            turn: None,
        };
        let known = class(of_class).and_then(|class| Some((class, class.property(name)?)));
        let Some((class, of)) = known else { return as_stored(unknown) };
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

/// Shared strings by the address and the length of their bytes.
type Shared = HashMap<(usize, usize), types::SharedString>;

fn vec2(of: Vec2) -> types::Vector2 {
    types::Vector2::new(of.x, of.y)
}

fn vec3(of: Vec3) -> types::Vector3 {
    types::Vector3::new(of.x, of.y, of.z)
}

fn frame(of: CFrame) -> types::CFrame {
    let [a, b, c, d, e, f, g, h, i] = of.rotation.to_rows();
    let row = types::Vector3::new;
    types::CFrame::new(vec3(of.position), types::Matrix3::new(row(a, b, c), row(d, e, f), row(g, h, i)))
}

fn udim(of: rbxcore::UDim) -> types::UDim {
    types::UDim::new(of.scale, of.offset)
}

/// A value as rbx-dom has it; `None` if it has none.
fn variant(value: ValueRef<'_>, refs: &HashMap<InstanceId, Ref>, shared: &mut Shared) -> Option<Variant> {
    let to = |id: Option<InstanceId>| id.and_then(|id| refs.get(&id).copied()).unwrap_or_else(Ref::none);
    Some(match value {
        ValueRef::String(text) | ValueRef::ProtectedString(text) => match text.to_str() {
            Ok(text) => Variant::String(text.to_owned()),
            Err(_) => Variant::BinaryString(text.to_vec().into()),
        },
        ValueRef::BinaryString(bytes) => Variant::BinaryString(bytes.to_vec().into()),
        ValueRef::Bool(of) => Variant::Bool(of),
        ValueRef::Int32(of) => Variant::Int32(of),
        ValueRef::Int64(of) => Variant::Int64(of),
        ValueRef::Float32(of) => Variant::Float32(of),
        ValueRef::Float64(of) => Variant::Float64(of),
        ValueRef::UDim(of) => Variant::UDim(udim(of)),
        ValueRef::UDim2(of) => Variant::UDim2(types::UDim2::new(udim(of.x), udim(of.y))),
        ValueRef::Ray(of) => Variant::Ray(types::Ray::new(vec3(of.origin), vec3(of.direction))),
        ValueRef::Faces(of) => Variant::Faces(types::Faces::from_bits(of.0)?),
        ValueRef::Axes(of) => Variant::Axes(types::Axes::from_bits(of.0)?),
        ValueRef::BrickColor(of) => {
            Variant::BrickColor(types::BrickColor::from_number(u16::try_from(of.0).ok()?)?)
        }
        ValueRef::Color3(of) => Variant::Color3(types::Color3::new(of.r, of.g, of.b)),
        ValueRef::Color3uint8(of) => Variant::Color3uint8(types::Color3uint8::new(of.r, of.g, of.b)),
        ValueRef::Vector2(of) => Variant::Vector2(vec2(of)),
        ValueRef::Vector3(of) => Variant::Vector3(vec3(of)),
        ValueRef::Vector2int16(of) => Variant::Vector2int16(types::Vector2int16::new(of.x, of.y)),
        ValueRef::Vector3int16(of) => Variant::Vector3int16(types::Vector3int16::new(of.x, of.y, of.z)),
        ValueRef::CFrame(of) => Variant::CFrame(frame(of)),
        ValueRef::CFrameQuat(of) => Variant::CFrame(frame(of.to_cframe())),
        ValueRef::OptionalCFrame(of) => Variant::OptionalCFrame(of.map(frame)),
        ValueRef::Enum(of) => Variant::Enum(types::Enum::from_u32(of)),
        ValueRef::Ref(of) => Variant::Ref(to(of)),
        ValueRef::NumberSequence(of) => {
            let key = |key: &rbxcore::NumberSequenceKeypoint| {
                types::NumberSequenceKeypoint::new(key.time, key.value, key.envelope)
            };
            let keypoints = of.keypoints.iter().map(key).collect();
            Variant::NumberSequence(types::NumberSequence { keypoints })
        }
        ValueRef::ColorSequence(of) if of.keypoints.iter().all(|key| key.envelope == 0.0) => {
            let key = |key: &rbxcore::ColorSequenceKeypoint| {
                let color = types::Color3::new(key.color.r, key.color.g, key.color.b);
                types::ColorSequenceKeypoint::new(key.time, color)
            };
            let keypoints = of.keypoints.iter().map(key).collect();
            Variant::ColorSequence(types::ColorSequence { keypoints })
        }
        ValueRef::NumberRange(of) => Variant::NumberRange(types::NumberRange::new(of.min, of.max)),
        ValueRef::Rect(of) => Variant::Rect(types::Rect::new(vec2(of.min), vec2(of.max))),
        ValueRef::PhysicalProperties(of) => Variant::PhysicalProperties(physical(of)?),
        ValueRef::SharedString(of) => {
            // Hashing it takes time.
            let made = shared.entry((of.as_ptr().addr(), of.len()));
            Variant::SharedString(made.or_insert_with(|| types::SharedString::new(of.to_vec())).clone())
        }
        ValueRef::NetAssetRef(of) => Variant::NetAssetRef(types::NetAssetRef::new(of.to_vec())),
        ValueRef::UniqueId(of) => {
            Variant::UniqueId(types::UniqueId::new(of.index, of.time, of.random.cast_signed()))
        }
        ValueRef::Font(of) => Variant::Font(types::Font {
            family: of.family.to_str().ok()?.to_owned(),
            weight: types::FontWeight::from_u16(of.weight)?,
            style: types::FontStyle::from_u8(of.style.0)?,
            cached_face_id: Some(of.cached_face_id.to_string()).filter(|id| !id.is_empty()),
        }),
        ValueRef::SecurityCapabilities(of) => {
            Variant::SecurityCapabilities(types::SecurityCapabilities::from_bits(of.0))
        }
        ValueRef::ContentId(uri) => Variant::ContentId(uri.to_str().ok()?.into()),
        ValueRef::Content(of) => Variant::Content(match of {
            ContentRef::None => types::Content::none(),
            ContentRef::Uri(uri) => types::Content::from_uri(uri.to_str().ok()?),
            ContentRef::Object(id) => types::Content::from_referent(to(id)),
        }),
        _ => return None,
    })
}

fn physical(of: PhysicalProperties) -> Option<types::PhysicalProperties> {
    let PhysicalProperties::Custom(of) = of else { return Some(types::PhysicalProperties::Default) };
    Some(types::PhysicalProperties::Custom(types::CustomPhysicalProperties::new(
        of.density,
        of.friction,
        of.elasticity,
        of.friction_weight,
        of.elasticity_weight,
        // As rbx_binary and rbx_xml.
        of.acoustic_absorption.unwrap_or(1.0),
    )))
}

/// Inserts instances of a `WeakDom` at the root of a document, and returns the values that the document cannot hold.
/// References to instances that are not inserted become null. In a binary document, values that an instance lacks are
/// filled in with the defaults of its class.
///
/// # Errors
/// As [`EditOptions::insert`].
pub fn from_weak(document: &mut dyn Dom, weak: &WeakDom, instances: &[Ref]) -> Result<Vec<Lost>> {
    let (mut lost, is_xml) = (Vec::new(), is_a::<rbxxml::Document>(document));
    // The instances, parents before their children, and the objects that properties of some of them are.
    let (mut order, mut objects): (Vec<Ref>, Vec<(Ref, String, Ref)>) = Default::default();
    let mut places: HashMap<Ustr, HashMap<Ustr, Place>> = HashMap::new();
    let (targets, tops) = (targets(weak, instances), instances.iter().copied().collect::<HashSet<Ref>>());
    let mut new = |of: Ref, lost: &mut Vec<Lost>| {
        let instance = weak.get_by_ref(of)?;
        order.push(of);
        let is_there = |to: Ref| weak.get_by_ref(to).is_some() && !is_outside(weak, to, &tops);
        let mut lose = |name: &str, what| {
            lost.push(Lost { path: format!("{}.{name}", weak.full_path_of(of, "/")), what });
        };
        let at_root = tops.contains(&of) && rbxcore::classes::is_service(&instance.class);
        let places = places.entry(instance.class).or_default();
        let mut new = NewInstance::new(&*instance.class).service(at_root);
        if targets.contains(&of) {
            new = new.label(of.to_string());
        }
        new = new.property("Name", &*instance.name);
        for (name, value) in &instance.properties {
            let Place { name, stored, in_xml: kind, is_stored } =
                *places.entry(*name).or_insert_with(|| Place::new(&instance.class, *name));
            if !is_stored {
                lose(&name, "files do not store the property");
                continue;
            }
            let object = match value {
                Variant::Content(content) => content.as_object(),
                _ => None,
            };
            if let Some(to) = object {
                objects.extend(is_there(to).then(|| (of, name.to_owned(), to)));
                new = new.property(name, Content::Object(None));
                continue;
            }
            match value {
                Variant::Ref(to) if is_there(*to) => new = new.reference(name, to.to_string()),
                value => match of_variant(value) {
                    Some(value) if is_xml => new = new.property(name, in_xml(value, kind)),
                    Some(value) => {
                        // Texts keep their type: a file can store an address as either kind of content.
                        let kind = stored.filter(|_| value.as_bytes().is_none());
                        let value = kind.and_then(|kind| value.converted(kind)).unwrap_or(value);
                        new = new.property(name, value);
                    }
                    None => lose(&name, "the document has no such value"),
                },
            }
        }
        Some(new)
    };
    // All instances of one insertion know the labels of each other, so they are inserted together, below a folder.
    let mut top = NewInstance::new("Folder").property("Name", "");
    for &of in instances {
        match tree(weak, of, &mut |of| new(of, &mut lost)) {
            Some(made) => top = top.child(made),
            None => lost.push(Lost { path: of.to_string(), what: "there is no such instance" }),
        }
    }
    let edited = EditOptions::defaults().as_given(true).insert(document, None, top)?;
    let dropped = "instances that were there do not store the property, and its default is not known";
    let path = |of: &rbxcore::LeftOut| format!("{}.{}", of.class, of.property);
    lost.extend(edited.left_out.iter().map(|of| Lost { path: path(of), what: dropped }));
    for folder in edited.instances {
        let made: HashMap<Ref, InstanceId> =
            order.iter().copied().zip(document.descendants(folder)).collect();
        for (of, name, to) in &objects {
            let (Some(&of), to) = (made.get(of), made.get(to).copied()) else { continue };
            document.set_value(of, name.as_bytes(), Content::Object(to).into())?;
        }
        for id in document.children(folder).collect::<Vec<_>>() {
            document.reparent(id, None)?;
        }
        document.remove(folder)?;
    }
    Ok(lost)
}

/// Where a document stores a property of a class: looked up once for all instances.
#[derive(Clone, Copy)]
struct Place {
    name: Ustr,
    /// The type, if the class table has it.
    stored: Option<Kind>,
    /// The type in XML.
    in_xml: Option<Kind>,
    is_stored: bool,
}

impl Place {
    fn new(of_class: &str, name: Ustr) -> Self {
        let name = if name == "Attributes" { Ustr::from("AttributesSerialize") } else { name };
        let known = class(of_class);
        // A name under which files store the property stays, also one of old files.
        let (name, stored) = match known.and_then(|class| class.stored(&*name)) {
            Some(stored) => (name, Some(stored)),
            None => {
                let stored = known.and_then(|class| class.property(&*name));
                (stored.map_or(name, |stored| stored.name().into()), stored)
            }
        };
        let in_xml = rbxcore::classes::stored_kind(of_class, &name);
        let is_stored = rbxcore::classes::unstored(of_class, &*name).is_none();
        Self { name, stored: stored.map(|of| of.kind()), in_xml, is_stored }
    }
}

/// The instances to which properties refer: only these need a label.
fn targets(weak: &WeakDom, instances: &[Ref]) -> HashSet<Ref> {
    let mut found = HashSet::new();
    let mut waiting = instances.to_vec();
    while let Some(of) = waiting.pop() {
        let Some(instance) = weak.get_by_ref(of) else { continue };
        waiting.extend_from_slice(instance.children());
        for value in instance.properties.values() {
            found.extend(match value {
                Variant::Ref(to) => Some(*to),
                Variant::Content(content) => content.as_object(),
                _ => None,
            });
        }
    }
    found
}

/// A value in the type with which XML stores a property of a kind.
fn in_xml(value: Value, kind: Option<Kind>) -> Value {
    let kind = match (&value, kind) {
        (Value::BrickColor(_), _) | (_, Some(Kind::BrickColor)) => Some(Kind::Int32),
        // An address can be stored as either kind of content.
        (Value::ContentId(_) | Value::Content(_) | Value::SharedString(_), _) => None,
        (Value::String(bytes) | Value::BinaryString(bytes), _) if !rbxxml::is_text(bytes) => {
            Some(Kind::BinaryString)
        }
        (_, kind) => kind,
    };
    kind.and_then(|kind| value.converted(kind)).unwrap_or(value)
}

/// Whether an instance is neither one of these nor below one.
fn is_outside(weak: &WeakDom, of: Ref, tops: &HashSet<Ref>) -> bool {
    !tops.contains(&of) && !weak.ancestors_of(of).any(|above| tops.contains(&above.referent()))
}

/// An instance with its descendants, without recursion.
fn tree(weak: &WeakDom, top: Ref, new: &mut dyn FnMut(Ref) -> Option<NewInstance>) -> Option<NewInstance> {
    let mut open: Vec<(NewInstance, &[Ref])> = vec![(new(top)?, weak.get_by_ref(top)?.children())];
    loop {
        let (instance, children) = open.pop()?;
        match children.split_first() {
            Some((&child, rest)) => {
                open.push((instance, rest));
                if let (Some(made), Some(of)) = (new(child), weak.get_by_ref(child)) {
                    open.push((made, of.children()));
                }
            }
            None => match open.pop() {
                Some((above, rest)) => open.push((above.child(instance), rest)),
                None => return Some(instance),
            },
        }
    }
}

/// A value of rbx-dom; `None` for a type that documents do not have, and for a reference to no instance.
fn of_variant(value: &Variant) -> Option<Value> {
    let vec2 = |of: &types::Vector2| Vec2::new(of.x, of.y);
    let vec3 = |of: &types::Vector3| Vec3::new(of.x, of.y, of.z);
    let udim = |of: &types::UDim| rbxcore::UDim { scale: of.scale, offset: of.offset };
    let color = |of: &types::Color3| rbxcore::Color3::new(of.r, of.g, of.b);
    let frame = |of: &types::CFrame| {
        let rows = [of.orientation.x, of.orientation.y, of.orientation.z].map(|row| [row.x, row.y, row.z]);
        let [[a, b, c], [d, e, f], [g, h, i]] = rows;
        CFrame { position: vec3(&of.position), rotation: Mat3::from_rows([a, b, c, d, e, f, g, h, i]) }
    };
    Some(match value {
        Variant::String(of) => Value::from(of),
        Variant::BinaryString(of) => Value::BinaryString(of.clone().into_vec().into()),
        Variant::Bool(of) => Value::Bool(*of),
        Variant::Int32(of) => Value::Int32(*of),
        Variant::Int64(of) => Value::Int64(*of),
        Variant::Float32(of) => Value::Float32(*of),
        Variant::Float64(of) => Value::Float64(*of),
        Variant::UDim(of) => udim(of).into(),
        Variant::UDim2(of) => rbxcore::UDim2 { x: udim(&of.x), y: udim(&of.y) }.into(),
        Variant::Ray(of) => rbxcore::Ray { origin: vec3(&of.origin), direction: vec3(&of.direction) }.into(),
        Variant::Faces(of) => rbxcore::Faces(of.bits()).into(),
        Variant::Axes(of) => rbxcore::Axes(of.bits()).into(),
        Variant::BrickColor(of) => rbxcore::BrickColor(u32::from(*of as u16)).into(),
        Variant::Color3(of) => color(of).into(),
        Variant::Color3uint8(of) => rbxcore::Color3uint8::new(of.r, of.g, of.b).into(),
        Variant::Vector2(of) => vec2(of).into(),
        Variant::Vector3(of) => vec3(of).into(),
        Variant::Vector2int16(of) => rbxcore::Vector2int16 { x: of.x, y: of.y }.into(),
        Variant::Vector3int16(of) => rbxcore::Vector3int16 { x: of.x, y: of.y, z: of.z }.into(),
        Variant::CFrame(of) => frame(of).into(),
        Variant::OptionalCFrame(of) => of.as_ref().map(frame).into(),
        Variant::Enum(of) => Value::Enum(of.to_u32()),
        Variant::EnumItem(of) => Value::Enum(of.value),
        Variant::Ref(_) => Value::Ref(None),
        Variant::NumberSequence(of) => {
            let keys = of.keypoints.iter().map(|key| rbxcore::NumberSequenceKeypoint {
                time: key.time,
                value: key.value,
                envelope: key.envelope,
            });
            rbxcore::NumberSequence { keypoints: keys.collect() }.into()
        }
        Variant::ColorSequence(of) => {
            let keys = of.keypoints.iter().map(|key| rbxcore::ColorSequenceKeypoint {
                time: key.time,
                color: color(&key.color),
                envelope: 0.0,
            });
            rbxcore::ColorSequence { keypoints: keys.collect() }.into()
        }
        Variant::NumberRange(of) => rbxcore::NumberRange { min: of.min, max: of.max }.into(),
        Variant::Rect(of) => rbxcore::Rect { min: vec2(&of.min), max: vec2(&of.max) }.into(),
        Variant::PhysicalProperties(of) => match of {
            types::PhysicalProperties::Default => PhysicalProperties::Default,
            types::PhysicalProperties::Custom(of) => PhysicalProperties::Custom(CustomPhysicalProperties {
                density: of.density(),
                friction: of.friction(),
                elasticity: of.elasticity(),
                friction_weight: of.friction_weight(),
                elasticity_weight: of.elasticity_weight(),
                acoustic_absorption: Some(of.acoustic_absorption()),
            }),
        }
        .into(),
        Variant::SharedString(of) => Value::SharedString(of.data().to_vec().into()),
        Variant::NetAssetRef(of) => Value::NetAssetRef(of.data().to_vec().into()),
        Variant::UniqueId(of) => {
            rbxcore::UniqueId { index: of.index(), time: of.time(), random: of.random().cast_unsigned() }
                .into()
        }
        Variant::Font(of) => rbxcore::Font {
            family: of.family.as_str().into(),
            weight: of.weight.as_u16(),
            style: rbxcore::FontStyle(of.style.as_u8()),
            cached_face_id: of.cached_face_id.as_deref().unwrap_or_default().into(),
        }
        .into(),
        Variant::SecurityCapabilities(of) => rbxcore::SecurityCapabilities(of.bits()).into(),
        Variant::ContentId(of) => Value::ContentId(of.as_str().into()),
        Variant::Content(of) => match of.value() {
            types::ContentType::Uri(uri) => Content::Uri(uri.as_str().into()),
            types::ContentType::Object(to) if to.is_some() => return None,
            _ => Content::None,
        }
        .into(),
        Variant::Tags(of) => Value::from(of.encode()),
        Variant::MaterialColors(of) => Value::from(of.encode()),
        Variant::Attributes(of) => {
            let mut bytes = Vec::new();
            of.to_writer(&mut bytes).ok()?;
            Value::from(bytes)
        }
        _ => return None,
    })
}
