//! Values for properties that only some instances of a class have, since the binary form stores them for all.

use rbxbinary::parts::TypeId;
use rbxcore::classes::{self, stored_kind};
use rbxcore::hash::NameMap;
use rbxcore::{Dom, InstanceId, Kind, Value};

use crate::attribute_refs::key_of;
use crate::effective::{Effective, effective};
use crate::options::{ConvertOptions, Fill};
use crate::validate::Validator;
use crate::view::{View as _, value_text};
use crate::which::{ATTRIBUTES, type_of};
use geom::wire::{Budget, Error, Loss, Missing, Result};

/// The type of each property of each class, and whether some instances lack it.
#[derive(Default)]
struct Columns {
    counts: NameMap<String, usize>,
    columns: NameMap<String, Column>,
}

/// The properties of a class, and their indices by name.
#[derive(Default)]
struct Column {
    properties: Vec<Counted>,
    index_of: NameMap<String, usize>,
}

/// A property, the number of instances that have it, and the last of them.
struct Counted {
    name: String,
    /// The type of the class table if there are several, or the type that can store all values, if one can.
    kind: TypeId,
    /// Whether the instances have values of several types.
    is_mixed: bool,
    count: usize,
    last: usize,
}

/// A property that some instances of a class lack.
pub(crate) struct Filling {
    pub(crate) name: String,
    /// The value for instances without an older form.
    value: Option<Value>,
    /// Whether some instances have an older form.
    has_older: bool,
}

impl Filling {
    /// The value for an instance that lacks the property.
    pub(crate) fn value(&self, source: &dyn Dom, id: InstanceId) -> Option<Value> {
        match self.has_older.then(|| effective(source, id, &self.name)).flatten() {
            Some(Effective::Other(_, value)) => Some(value),
            _ => self.value.clone(),
        }
    }
}

/// The types of the properties whose values have several types, by class and name.
pub(crate) type Mixed = NameMap<String, NameMap<String, TypeId>>;

/// The approximate bytes of a property of a class while it is unknown whether all instances have it.
const COLUMN: u64 = 900;

/// The values to fill in, by class, if its instances store different properties; none if the target has no columns.
///
/// # Errors
/// If a property has no value to fill in; lists all such properties.
pub(crate) fn missing(
    source: &dyn Dom,
    ids: &[InstanceId],
    validator: &mut Validator<'_>,
    (options, has_columns): (&ConvertOptions, bool),
    losses: &mut Vec<Loss>,
    budget: &mut Budget,
) -> Result<(NameMap<String, Vec<Filling>>, Mixed)> {
    let mut columns = Columns::default();
    for (instance, &id) in ids.iter().enumerate() {
        let class = source.class_of(id).into_owned();
        *columns.counts.entry(class.clone()).or_default() += 1;
        let known = columns.columns.entry(class.clone()).or_default();
        for (name, value) in source.values(id) {
            let Some((name, value)) = validator.enter(&class, name, value) else { continue };
            // References of attributes are stored among the attributes, not as a property.
            let (name, kind) = match key_of(&name) {
                Some(_) if has_columns => (ATTRIBUTES.to_owned(), Some(TypeId::STRING)),
                Some(_) => continue,
                None => (name, type_of(&value)),
            };
            let Some(kind) = kind else { continue };
            match known.index_of.get(&name) {
                // Two names of one property count once.
                Some(&index) if known.properties[index].last == instance => {}
                Some(&index) => {
                    let property = &mut known.properties[index];
                    property.count += 1;
                    property.last = instance;
                    if property.kind != kind {
                        property.is_mixed = true;
                        let of_table = TypeId::of_property(&*class, &*name);
                        property.kind = of_table.unwrap_or_else(|| wider(property.kind, kind));
                    }
                }
                None => {
                    budget.charge(COLUMN, "the properties of the converted document")?;
                    known.index_of.insert(name.clone(), known.properties.len());
                    known.properties.push(Counted { name, kind, is_mixed: false, count: 1, last: instance });
                }
            }
        }
    }
    let mut mixed = Mixed::default();
    let mut fill: NameMap<String, Vec<Filling>> = NameMap::default();
    let (mut filled_in, mut refused) = (Vec::new(), Vec::new());
    for (class, Column { properties, .. }) in columns.columns.iter().filter(|_| has_columns) {
        let all = columns.counts.get(class).copied().unwrap_or_default();
        for Counted { name, kind, .. } in properties.iter().filter(|property| property.is_mixed) {
            mixed.entry(class.clone()).or_default().insert(name.clone(), *kind);
        }
        for Counted { name, kind, count, .. } in properties.iter().filter(|property| property.count < all) {
            let (without, older) = (all - count, older(source, ids, class, name));
            let has_older = older.is_some();
            let turned = older.map_or(0, |(from, turned)| {
                let what = format!("the value is converted from the older property {from}");
                filled_in.push(
                    Loss::approximated(format!("{class}.{name}"), what)
                        .id("roblox.converted-property")
                        .times(turned),
                );
                turned
            });
            let value = match filled(options.fill, class, name, *kind) {
                Some(value) if turned < without => {
                    let text = value_text(source, (class, name), &value);
                    filled_in.push(Loss::filled_with(class, name, text, without - turned));
                    Some(value)
                }
                None if turned < without => {
                    refused.push(Missing::new(class, name, without - turned, all));
                    continue;
                }
                _ => None,
            };
            let filling = Filling { name: name.clone(), value, has_older };
            fill.entry(class.clone()).or_default().push(filling);
        }
    }
    if !refused.is_empty() {
        geom::sort::by(&mut refused, |a, b| (&a.class, &a.property).cmp(&(&b.class, &b.property)));
        return Err(Error::incomplete(refused));
    }
    geom::sort::by(&mut filled_in, |a, b| a.path.cmp(&b.path));
    losses.extend(filled_in);
    Ok((fill, mixed))
}

/// The type that can store values of both types, if one of the two can; otherwise the first.
fn wider(first: TypeId, other: TypeId) -> TypeId {
    let pairs = [
        (TypeId::INT32, TypeId::INT64),
        (TypeId::FLOAT32, TypeId::FLOAT64),
        (TypeId::COLOR3_UINT8, TypeId::COLOR3),
    ];
    if pairs.contains(&(first, other)) { other } else { first }
}

/// A value in the type that the binary form stores for all instances of a class, and the change; `None` if it cannot be
/// converted.
pub(crate) fn retyped(value: &Value, kind: TypeId) -> Option<(Value, String)> {
    let new = value.converted(kind.kind()?)?;
    let back = value.kind().and_then(|old| new.converted(old));
    let changes = if back.as_ref() == Some(value) { "" } else { "; this changes the value" };
    Some((
        new,
        format!("stored with the type {kind}, like the values of other instances of the class{changes}"),
    ))
}

/// The values of a model that a document stores with another type.
pub fn retyped_in(model: &dyn Dom, document: &dyn Dom) -> Vec<Loss> {
    let mut losses: NameMap<(String, String), usize> = NameMap::default();
    if !document.has_columns() {
        return Vec::new();
    }
    let mut differing: NameMap<String, Vec<(String, TypeId)>> = NameMap::default();
    for id in model.all() {
        let class = model.class_of(id);
        if !differing.contains_key(&*class) {
            // In the binary form, all instances of a class have the same types.
            let other = document.one_of(&class);
            let types = model.values(id).into_iter().filter_map(|(name, value)| {
                let kind = type_of(&document.value(other?, &name)?)?;
                (type_of(&value) != Some(kind)).then_some((name, kind))
            });
            differing.insert(class.clone().into_owned(), types.collect());
        }
        for (name, kind) in &differing[&*class] {
            let retyped = model.value(id, name).and_then(|value| retyped(&value, *kind));
            if let Some((_, what)) = retyped {
                *losses.entry((format!("{class}.{name}"), what)).or_default() += 1;
            }
        }
    }
    let mut losses: Vec<_> = losses
        .into_iter()
        .map(|((path, what), count)| Loss::approximated(path, what).id("binary.mixed-type").times(count))
        .collect();
    geom::sort::by(&mut losses, |one, next| (&one.path, &one.what).cmp(&(&next.path, &next.what)));
    losses
}

/// The value that an instance has that does not store a property; an unknown text is empty.
pub fn usual(class: &str, name: &str, kind: TypeId) -> Option<Value> {
    kind.default_of(class, name).or_else(|| (kind == TypeId::STRING).then(|| Value::String("".into())))
}

/// Whether a value is what an instance has that stores none.
pub fn is_usual(class: &str, name: &str, value: &Value) -> bool {
    type_of(value).and_then(|kind| usual(class, name, kind)).is_some_and(|usual| usual == *value)
        || value.as_bytes().is_some_and(<[u8]>::is_empty)
        || matches!(value, Value::Ref(None))
}

/// Whether a property has replaced another one.
pub(crate) fn has_older(class: &str, property: &str) -> bool {
    let of = classes::class(class).and_then(|class| class.property(property));
    of.is_some_and(|of| of.older().next().is_some())
}

/// The older form of a property, and the number of instances that store it instead.
fn older(source: &dyn Dom, ids: &[InstanceId], class: &str, property: &str) -> Option<(&'static str, usize)> {
    if !has_older(class, property) {
        return None;
    }
    let mut found =
        ids.iter().filter(|&&id| source.class_of(id) == class).filter_map(|&id| {
            match effective(source, id, property) {
                Some(Effective::Other(from, _)) => Some(from),
                _ => None,
            }
        });
    Some((found.next()?, 1 + found.count()))
}

/// The value for a property that an instance does not have.
pub(crate) fn filled(fill: Fill, class: &str, property: &str, kind: TypeId) -> Option<Value> {
    match fill {
        Fill::Refuse => None,
        Fill::Defaults => kind.default_of(class, property).or_else(|| kind.neutral()),
        Fill::Neutral => {
            // Types that have no neutral value: zero would be a position, an appearance, an identifier or content.
            const NEVER: [TypeId; 12] = [
                TypeId::CFRAME,
                TypeId::CFRAME_QUAT,
                TypeId::VECTOR3,
                TypeId::COLOR3,
                TypeId::COLOR3_UINT8,
                TypeId::BRICK_COLOR,
                TypeId::UNIQUE_ID,
                TypeId::SHARED_STRING,
                TypeId::CONTENT,
                TypeId::FONT,
                TypeId::BYTECODE,
                TypeId::SECURITY_CAPABILITIES,
            ];
            let is_content =
                matches!(stored_kind(class, property), Some(Kind::ProtectedString | Kind::ContentId));
            // Flags, items, names and scale factors get the default, since zero is not neutral for them.
            let is_answer = matches!(kind, TypeId::BOOL | TypeId::ENUM | TypeId::INT64 | TypeId::STRING);
            let known = || kind.default_of(class, property);
            match NEVER.contains(&kind) || is_content {
                true => None,
                false if is_answer || property == "ScaleFactor" => known().or_else(|| kind.neutral()),
                false => kind.neutral(),
            }
        }
    }
}

/// The type that a property has in another instance of the class, or that the class table has.
pub fn type_in_class(document: &dyn Dom, id: InstanceId, property: &str) -> Option<TypeId> {
    let class = document.class_of(id);
    let any: &dyn std::any::Any = document;
    let found = match any.downcast_ref::<rbxbinary::Document>() {
        // All instances of a class have the same properties.
        Some(binary) => {
            let mut of_class =
                binary.classes().iter().filter(|of| of.name == *class && !of.referents.is_empty());
            of_class.find_map(|of| of.property(property)?.type_id())
        }
        None => {
            // In most files, either all instances of a class have a property or none: not all are searched for one that
            // the class table has.
            let is_known = TypeId::of_property(class.as_bytes(), property).is_some();
            let others = document.of_class(class.as_bytes()).take(if is_known { 16 } else { usize::MAX });
            others.filter_map(|other| document.value(other, property)).find_map(|value| type_of(&value))
        }
    };
    found.or_else(|| TypeId::of_property(class.as_bytes(), property))
}

/// The properties that an edit dropped.
pub fn left_out(edited: &rbxcore::Edited) -> impl Iterator<Item = Loss> {
    edited.left_out.iter().map(|of| {
        let what =
            "a property that the existing instances of the class do not have and whose default is not known";
        Loss::new(format!("{}.{}", of.class, of.property), what)
            .id("roblox.unstored-value")
            .times(of.instances)
    })
}

/// The properties that an edit stored under other names.
pub fn renamed(edited: &rbxcore::Edited) -> impl Iterator<Item = Loss> {
    edited.renamed.iter().map(|of| {
        let what = format!("stored under the name {}", of.to);
        Loss::approximated(format!("{}.{}", of.class, of.property), what).id("roblox.converted-property")
    })
}
