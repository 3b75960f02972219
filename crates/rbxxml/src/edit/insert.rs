//! Inserts new instances.

use std::collections::HashMap;

use bstr::BString;

use super::{dotted, utf8};
use crate::model::{
    Document, Instance, InstanceId, NONE, NewInstance, NewNode, NewValue, Property, Span, Value,
};
use geom::wire::{Error, Problem, Result};

impl Document {
    pub(super) fn insert_new(
        &mut self,
        parent: Option<InstanceId>,
        mut new: NewInstance,
        as_given: bool,
    ) -> Result<InstanceId> {
        let first = self.nodes.len();
        if let Some(node) = new.alone() {
            self.accepts(parent, 1)?;
            let instance = instance_of(self, node, &HashMap::new(), as_given)?;
            self.append_new(parent, instance);
        } else {
            self.insert_tree(parent, &mut new.into_nodes(), as_given)?;
        }
        // Referenced instances need a referent.
        let new = self.nodes.get(first..).unwrap_or_default().iter();
        let values = new.flat_map(|node| &node.instance.properties).map(|property| &property.value);
        let targets: Vec<_> = values.filter_map(Value::as_instance).collect();
        targets.into_iter().for_each(|to| self.give_referent(to));
        u32::try_from(first).ok().and_then(InstanceId::new).ok_or_else(|| {
            Error::invalid_argument("", "the document would have more than 4294967293 instances")
        })
    }

    fn insert_tree(
        &mut self,
        parent: Option<InstanceId>,
        nodes: &mut [(Option<usize>, NewNode)],
        as_given: bool,
    ) -> Result<()> {
        self.accepts(parent, nodes.len())?;
        let first = u32::try_from(self.nodes.len()).unwrap_or(NONE);
        let mut labels: HashMap<BString, InstanceId> = HashMap::new();
        for ((_, node), id) in nodes.iter().zip((first..).map_while(InstanceId::new)) {
            if let Some(label) = &node.label
                && labels.insert(label.clone(), id).is_some()
            {
                return Err(Error::invalid_argument(
                    "",
                    format!("two new instances have the same label {label:?}"),
                ));
            }
        }
        let instances = nodes.iter_mut().map(|(above, node)| {
            // The instances get the next free ids, in their order.
            let above = above.map_or(parent, |above| InstanceId::new(first + u32::try_from(above).ok()?));
            Ok((above, instance_of(self, node, &labels, as_given)?))
        });
        for (above, instance) in instances.collect::<Result<Vec<_>>>()? {
            self.append_new(above, instance);
        }
        Ok(())
    }

    fn append_new(&mut self, parent: Option<InstanceId>, mut instance: Instance) {
        instance.properties.iter_mut().for_each(|property| self.share_value(&mut property.value));
        if let Some(id) = self.append(parent, instance) {
            self.give_referent(id);
            self.note_unique_id(id, b"UniqueId");
        }
    }

    /// The new instance, if it has the class and the properties of the last instance of the document: programs create
    /// many instances that are alike, for which nothing has to be looked up or sorted. `None` for any other.
    fn like_last(&self, node: &mut NewNode) -> Option<Instance> {
        let last = self.nodes.last().map(|node| &node.instance)?;
        let mut given = std::mem::take(&mut node.properties);
        // Unless a name is empty, the ranges of the names tell the order of the calls.
        let is_like = given.len() == last.properties.len()
            && given.iter().all(|(at, _)| !at.is_empty())
            && last.class.as_bytes() == node.class()
            && last.properties.is_sorted_by(|a, b| a.name < b.name)
            && last.properties.iter().enumerate().all(|(index, property)| {
                let is_it = |(at, _): &(_, _)| node.name(at) == property.name.as_bytes();
                let Some(found) = given.iter().skip(index).position(is_it) else { return false };
                given.swap(index, index + found);
                let NewValue::Value(value) = &given[index].1 else { return false };
                value.kind() == property.value.kind() && self.fits(value).is_ok()
            });
        if !is_like {
            geom::sort::by_key(&mut given, |(at, _)| at.start);
            node.properties = given;
            return None;
        }
        let values = given.into_iter().map(|(_, value)| match value {
            NewValue::Value(value) => value,
            NewValue::Label(_) => Value::Ref(None),
        });
        let alike = last.properties.iter().zip(values);
        let property =
            |(of, value): (&Property, _)| Property { name: of.name.clone(), value, at: Span::default() };
        let properties = alike.map(property).collect();
        Some(Instance { class: last.class.clone(), referent: None, properties, at: Span::default() })
    }
}

/// Converts a new instance to the form in the document, without a referent.
fn instance_of(
    document: &mut Document,
    node: &mut NewNode,
    labels: &HashMap<BString, InstanceId>,
    as_given: bool,
) -> Result<Instance> {
    if let Some(instance) = document.like_last(node) {
        return Ok(instance);
    }
    #[cfg(feature = "classes")]
    if !as_given {
        rbxcore::property::join(node)?;
        node.storable()?;
    }
    let given = std::mem::take(&mut node.properties);
    let class = utf8(node.class(), "the class name")?;
    let mut properties: Vec<Property> = Vec::with_capacity(given.len());
    for (at, value) in given {
        let name = node.name(&at);
        let refuse = |what: Problem| Error::invalid_argument(dotted(class.as_bytes(), name), what);
        let value = match value {
            NewValue::Value(value) => document.fits(&value).map(|()| value),
            NewValue::Label(label) => match labels.get(&label) {
                Some(&id) => Ok(Value::Ref(Some(id))),
                None => {
                    let what =
                        format!("no new instance has the label {label:?} (set it with NewInstance::label)");
                    Err(what.into())
                }
            },
        };
        let admitted = value.and_then(|value| document.admit(class, name, value, (as_given, as_given)));
        let (stored, value) = admitted.map_err(refuse)?;
        let name = match stored {
            Some(stored) => stored,
            None => document.interned(utf8(name, "the property name")?),
        };
        properties.push(Property { name, value, at: Span::default() });
    }
    // Of two properties with the same name, the last one counts.
    properties.reverse();
    properties.sort_by(|a, b| a.name.cmp(&b.name));
    properties.dedup_by(|a, b| a.name == b.name);
    let class = document.interned(class);
    Ok(Instance { class, referent: None, properties, at: Span::default() })
}
