//! Finds the instances that a selector means. Each simple selector is tested at most once for an instance, and each
//! combinator is one walk over the instances, so the time is in proportion to their number.

mod selector;

use std::borrow::Cow;

use bstr::{BStr, ByteSlice as _};
use rbxcore::{Dom, InstanceId, Kind, Value, classes};

use crate::colors;
use crate::effective::value;
use crate::references::references_of;
use crate::view::{View as _, is_class, value_text};
use geom::wire::{Budget, Result};
use rbxblobs::Attribute;
pub use rbxcore::property::{Found, Source};
pub use selector::Selector;
use selector::{Chain, Combinator, Operator, Simple, Test};

/// The instances that a selector means, in the order of the document: those below an instance, or all.
///
/// # Errors
/// `Limit` if the search takes more memory than is left.
pub fn query(
    document: &dyn Dom,
    from: Option<InstanceId>,
    selector: &Selector,
    budget: &mut Budget,
) -> Result<Vec<InstanceId>> {
    let mut ids: Vec<_> = match from {
        Some(id) => document.descendants(id).collect(),
        None => document.all(),
    };
    budget.charge(ids.len() as u64 * 16, "the instances that are searched")?;
    // A class alone needs no parents.
    if let [Chain(compounds)] = &selector.0[..]
        && let [(Combinator::Descendant, simples)] = &compounds[..]
        && let [Simple::Class(wanted)] = &simples[..]
    {
        let mut known = None;
        budget.work(ids.len() as u64, "the search")?;
        ids.retain(|&id| is_a(document, id, wanted, &mut known));
        return Ok(ids);
    }
    let search = Search::new(document, from, ids);
    let found = search.list(selector, budget)?;
    Ok(search.ids.iter().zip(found).filter(|(_, found)| *found).map(|(id, _)| *id).collect())
}

/// The instances that refer to an instance, each with the property or the attribute.
pub fn references_to(document: &dyn Dom, to: InstanceId) -> Vec<(InstanceId, String)> {
    let mut found = Vec::new();
    for id in document.all() {
        let all = references_of(document, id).filter(|(_, value)| value.as_instance() == Some(to));
        found.extend(all.map(|(property, _)| (id, property)));
    }
    found
}

/// The parent of an instance at which the query begins.
const START: usize = usize::MAX;

struct Search<'a> {
    document: &'a dyn Dom,
    /// The instances, each before its children.
    ids: Vec<InstanceId>,
    /// The index of each one's parent.
    parents: Vec<usize>,
}

/// For each instance, whether it is meant.
type Set = Vec<bool>;

/// Whether an instance is of a class; successive instances mostly have the same one, which `known` keeps.
fn is_a<'a>(
    document: &'a dyn Dom,
    id: InstanceId,
    wanted: &str,
    known: &mut Option<(&'a BStr, bool)>,
) -> bool {
    let class = document.class(id).unwrap_or_default();
    match known {
        Some((last, is_a)) if std::ptr::eq(*last, class) || *last == class => *is_a,
        _ => {
            let is_a = is_class(class, wanted);
            *known = Some((class, is_a));
            is_a
        }
    }
}

impl<'a> Search<'a> {
    fn new(document: &'a dyn Dom, from: Option<InstanceId>, ids: Vec<InstanceId>) -> Self {
        let mut above: Vec<usize> = Vec::new();
        let mut parents = Vec::with_capacity(ids.len());
        for (index, &id) in ids.iter().enumerate() {
            let parent = document.parent(id);
            while above.last().is_some_and(|&last| Some(ids[last]) != parent) {
                above.pop();
            }
            debug_assert!(!above.is_empty() || parent == from, "a parent comes before its children");
            parents.push(above.last().copied().unwrap_or(START));
            above.push(index);
        }
        Self { document, ids, parents }
    }

    fn list(&self, Selector(chains): &Selector, budget: &mut Budget) -> Result<Set> {
        let mut found = vec![false; self.ids.len()];
        for chain in chains {
            let of_chain = self.chain(chain, budget)?;
            found.iter_mut().zip(of_chain).for_each(|(found, of_chain)| *found |= of_chain);
        }
        Ok(found)
    }

    /// What a chain means, from the first compound on.
    fn chain(&self, Chain(compounds): &Chain, budget: &mut Budget) -> Result<Set> {
        // The instances below which the next compound is searched; `None` at the beginning.
        let mut before: Option<Set> = None;
        for (combinator, compound) in compounds {
            let allowed: Set = match (&before, combinator) {
                (None, Combinator::Descendant) => vec![true; self.ids.len()],
                (None, Combinator::Child) => self.parents.iter().map(|&parent| parent == START).collect(),
                (Some(before), Combinator::Child) => self
                    .parents
                    .iter()
                    .map(|&parent| before.get(parent).copied().unwrap_or_default())
                    .collect(),
                (Some(before), Combinator::Descendant) => {
                    let mut below: Set = Vec::with_capacity(self.ids.len());
                    for &parent in &self.parents {
                        below.push(parent != START && (before[parent] || below[parent]));
                    }
                    below
                }
            };
            before = Some(self.compound(compound, allowed, budget)?);
        }
        Ok(before.unwrap_or_default())
    }

    /// The instances that contain what a selector means, relative to each of them.
    fn having(&self, Selector(chains): &Selector, budget: &mut Budget) -> Result<Set> {
        let mut found = vec![false; self.ids.len()];
        for Chain(compounds) in chains {
            // From the last compound on: the instances that match a compound and contain the rest.
            let mut containing: Option<Set> = None;
            for (combinator, compound) in compounds.iter().rev() {
                let allowed = containing.take().unwrap_or_else(|| vec![true; self.ids.len()]);
                let matched = self.compound(compound, allowed, budget)?;
                let mut above = vec![false; self.ids.len()];
                for (index, &parent) in self.parents.iter().enumerate().rev() {
                    let is_found = matched[index] || (*combinator == Combinator::Descendant && above[index]);
                    if parent != START && is_found {
                        above[parent] = true;
                    }
                }
                containing = Some(above);
            }
            found.iter_mut().zip(containing.unwrap_or_default()).for_each(|(found, new)| *found |= new);
        }
        Ok(found)
    }

    /// The allowed instances that match all simple selectors.
    fn compound(&self, simples: &[Simple], mut allowed: Set, budget: &mut Budget) -> Result<Set> {
        budget.work((self.ids.len() * simples.len()) as u64, "the search")?;
        for simple in simples {
            match simple {
                Simple::Not(selector) => {
                    let found = self.list(selector, budget)?;
                    allowed.iter_mut().zip(found).for_each(|(allowed, found)| *allowed &= !found);
                }
                Simple::Has(selector) => {
                    let found = self.having(selector, budget)?;
                    allowed.iter_mut().zip(found).for_each(|(allowed, found)| *allowed &= found);
                }
                simple => {
                    let mut known: Option<(&BStr, bool)> = None;
                    for (&id, allowed) in self.ids.iter().zip(&mut allowed).filter(|(_, allowed)| **allowed) {
                        *allowed = match simple {
                            Simple::Class(wanted) => is_a(self.document, id, wanted, &mut known),
                            _ => self.matches(id, simple),
                        };
                    }
                }
            }
        }
        Ok(allowed)
    }

    fn matches(&self, id: InstanceId, simple: &Simple) -> bool {
        let document = self.document;
        match simple {
            Simple::Name(name) => document.name_of(id) == *name,
            Simple::Tag(tag) => crate::attributes::tags(document, id)
                .unwrap_or_default()
                .iter()
                .any(|known| known == tag.as_bytes()),
            Simple::Property(test) => {
                let value = value(document, id, &test.name);
                value.is_some_and(|value| self.holds(id, &test.name, &value, test))
            }
            Simple::Attribute(test) => {
                let all = crate::attributes::attributes(document, id).unwrap_or_default();
                all.into_iter().rev().find(|(name, _)| *name == test.name).is_some_and(|(_, value)| {
                    match value {
                        Attribute::Enum(item) => {
                            let number = |text: &str| {
                                classes::enum_named(item.name.to_str().ok()?)?
                                    .item(text)
                                    .map(|n| n.to_string())
                            };
                            let mut test = test.clone();
                            if let Some((_, wanted)) = &mut test.condition {
                                *wanted = number(wanted).unwrap_or_else(|| wanted.clone());
                            }
                            self.holds(id, "", &Value::Enum(item.value), &test)
                        }
                        value if value.value().is_some() => {
                            let value = value.value().map(|value| value.to_value());
                            value.is_some_and(|value| self.holds(id, "", &value, test))
                        }
                        _ => test.components.is_empty() && test.condition.is_none(),
                    }
                })
            }
            Simple::Class(_) | Simple::Not(_) | Simple::Has(_) => false,
        }
    }

    /// Whether a value satisfies a test.
    fn holds(&self, id: InstanceId, property: &str, value: &Value, test: &Test) -> bool {
        let mut value = Cow::Borrowed(value);
        for name in &test.components {
            let Some(component) = component(&value, name) else { return false };
            value = Cow::Owned(component);
        }
        let Some((operator, wanted)) = &test.condition else { return true };
        let order = match &*value {
            Value::Bool(value) => wanted.parse().ok().map(|wanted| value.cmp(&wanted)),
            Value::Float32(value) => wanted.parse::<f32>().ok().and_then(|wanted| value.partial_cmp(&wanted)),
            value => {
                // Whole numbers have more digits than those of scripts.
                let whole = value.as_i64().zip(wanted.parse::<i64>().ok());
                whole.map(|(value, wanted)| value.cmp(&wanted)).or_else(|| {
                    let (value, wanted) = number(value).zip(wanted.parse::<f64>().ok())?;
                    value.partial_cmp(&wanted)
                })
            }
        };
        let text = || match value.as_bytes() {
            Some(bytes) => bytes.to_vec(),
            None => shown(self.document, id, property, &value).into_bytes(),
        };
        // An item of an enum, a colour, a reference: by its number, or else by its text.
        let is_equal = || match order {
            Some(order) => order.is_eq(),
            None => {
                let is_color = is_color(&value, wanted);
                is_color.unwrap_or_else(|| text() == plain(&value, wanted).as_bytes())
            }
        };
        match operator {
            Operator::Equal => is_equal(),
            Operator::Unequal => !is_equal(),
            Operator::Less => order.is_some_and(|order| order.is_lt()),
            Operator::LessOrEqual => order.is_some_and(|order| order.is_le()),
            Operator::Greater => order.is_some_and(|order| order.is_gt()),
            Operator::GreaterOrEqual => order.is_some_and(|order| order.is_ge()),
            Operator::Contains => text().contains_str(wanted),
            Operator::Begins => text().starts_with_str(wanted),
            Operator::Ends => text().ends_with_str(wanted),
        }
    }
}

/// Whether a value is a colour such as `#ff8800`; `None` for other values and texts.
fn is_color(value: &Value, wanted: &str) -> Option<bool> {
    if !matches!(value, Value::Color3(_) | Value::Color3uint8(_)) {
        return None;
    }
    let wanted = colors::explicit(wanted)?;
    Some(value.converted(Kind::Color3uint8) == wanted.converted(Kind::Color3uint8))
}

/// A text of a selector as values are shown: items of enums without the name of the enum, numbers with one blank.
fn plain<'t>(value: &Value, wanted: &'t str) -> Cow<'t, str> {
    match value {
        Value::Enum(_) => wanted
            .strip_prefix("Enum.")
            .and_then(|rest| rest.split_once('.'))
            .map_or(wanted, |(_, item)| item)
            .into(),
        value if value.as_bytes().is_some() => wanted.into(),
        _ if wanted.contains(',') => wanted.split(',').map(str::trim).collect::<Vec<_>>().join(", ").into(),
        _ => wanted.into(),
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Enum(number) => Some((*number).into()),
        Value::BrickColor(color) => Some(color.0.into()),
        #[allow(clippy::cast_precision_loss, reason = "numbers beyond 2^53 are rounded, as in Luau")]
        value => value.as_f64().or_else(|| value.as_i64().map(|number| number as f64)),
    }
}

/// A component of a value, by its name in scripts.
fn component(value: &Value, name: &str) -> Option<Value> {
    rbxcore::property::component(value.as_ref(), name.as_bytes()).map(|part| part.to_value())
}

fn shown(document: &dyn Dom, id: InstanceId, property: &str, value: &Value) -> String {
    value_text(document, (&document.class_of(id), property), value)
}
