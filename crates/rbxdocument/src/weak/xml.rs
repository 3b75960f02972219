//! Instances of a `WeakDom` in a document in XML.

use std::collections::HashMap;

use geom::wire::Result;
use rbx_dom_weak::types::{Ref, Variant};
use rbx_dom_weak::{Instance, Ustr, UstrMap, WeakDom};
use rbxcore::classes::stored_kind;
use rbxcore::{Content, Dom, EditOptions, InstanceId, Kind, NewInstance, Value};

use super::place::{Place, Unknown};
use super::value::of_variant;
use super::{Lost, NO_INSTANCE, NO_VALUE};

/// As [`from_weak`](super::from_weak), for a document in XML.
pub(crate) fn into_xml(
    document: &mut dyn Dom,
    weak: &WeakDom,
    instances: &[Ref],
    unknown: Unknown,
) -> Result<Vec<Lost>> {
    let mut adding = Adding {
        weak,
        unknown,
        places: UstrMap::default(),
        made: HashMap::new(),
        references: Vec::new(),
        lost: Vec::new(),
    };
    let mut tops = Vec::new();
    let mut waiting: Vec<(Ref, Option<InstanceId>)> =
        super::topmost(weak, instances).into_iter().rev().map(|of| (of, None)).collect();
    while let Some((of, parent)) = waiting.pop() {
        let Some(instance) = weak.get_by_ref(of) else {
            adding.lost.push(Lost { path: of.to_string(), what: NO_INSTANCE });
            continue;
        };
        match adding.add(document, instance, parent) {
            Ok(id) => {
                tops.extend(parent.is_none().then_some(id));
                waiting.extend(instance.children().iter().rev().map(|&child| (child, Some(id))));
            }
            Err(error) => {
                tops.into_iter().try_for_each(|top| document.remove(top).map(|_| ()))?;
                return Err(error);
            }
        }
    }
    for (of, name, to) in &adding.references {
        let Some(&to) = adding.made.get(to) else { continue };
        let is_content =
            document.value_ref(*of, name.as_bytes()).is_some_and(|value| value.kind() == Some(Kind::Content));
        let value = if is_content { Value::from(Content::Object(Some(to))) } else { Value::Ref(Some(to)) };
        document.set_value(*of, name.as_bytes(), value)?;
    }
    Ok(adding.lost)
}

/// Instances that are being added.
struct Adding<'a> {
    weak: &'a WeakDom,
    unknown: Unknown,
    /// Where the properties of each class are stored.
    places: UstrMap<UstrMap<Place>>,
    made: HashMap<Ref, InstanceId>,
    references: Vec<(InstanceId, Ustr, Ref)>,
    lost: Vec<Lost>,
}

impl Adding<'_> {
    fn add(
        &mut self,
        document: &mut dyn Dom,
        instance: &Instance,
        parent: Option<InstanceId>,
    ) -> Result<InstanceId> {
        let places = self.places.entry(instance.class).or_default();
        let mut new = NewInstance::new(&*instance.class).property("Name", &*instance.name);
        let mut references = Vec::new();
        for name in instance.properties.keys() {
            places.entry(*name).or_insert_with(|| Place::new(&instance.class, *name, self.unknown));
        }
        let mut lose = |name: &str, what| {
            let path = format!("{}.{name}", self.weak.full_path_of(instance.referent(), "/"));
            self.lost.push(Lost { path, what });
        };
        for (name, value) in &instance.properties {
            let Some(place) = places.get(name) else { continue };
            if let Some(what) = place.lost {
                lose(name, what);
                continue;
            }
            for (newer, turn) in &place.newer {
                let is_it = |other: &Ustr| places.get(other).is_some_and(|other| other.name == newer.name());
                if instance.properties.keys().any(is_it) {
                    continue;
                }
                match of_variant(value).and_then(|value| turn(value.as_ref())) {
                    Some(value) => new = new.property(newer.name(), in_xml(value, Some(newer.kind()))),
                    None => lose(name, NO_VALUE),
                }
            }
            if !place.newer.is_empty() {
                continue;
            }
            let (to, null) = match value {
                Variant::Ref(to) => (Some(*to), Value::Ref(None)),
                Variant::Content(content) => (content.as_object(), Content::Object(None).into()),
                _ => (None, Value::Ref(None)),
            };
            if let Some(to) = to {
                references.push((place.name, to));
                new = new.property(place.name, null);
                continue;
            }
            let kind = place.kind().or_else(|| stored_kind(&instance.class, &place.name));
            let kind = kind.filter(|_| !self.unknown.is_as_stored());
            let is_blob =
                matches!(value, Variant::Tags(_) | Variant::Attributes(_) | Variant::MaterialColors(_));
            let kind = kind.or_else(|| is_blob.then_some(Kind::BinaryString));
            match of_variant(value) {
                Some(value) => new = new.property(place.name, in_xml(value, kind)),
                None => lose(&place.name, NO_VALUE),
            }
        }
        let edited = EditOptions::new().as_given(true).insert(document, parent, new)?;
        let made = edited.instances.first().copied();
        let made = made.ok_or_else(|| crate::Error::invalid_argument("", NO_INSTANCE))?;
        self.made.insert(instance.referent(), made);
        let references = references.into_iter().filter(|(_, to)| to.is_some());
        self.references.extend(references.map(|(name, to)| (made, name, to)));
        Ok(made)
    }
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
