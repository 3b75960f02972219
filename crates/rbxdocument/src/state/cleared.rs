//! Values that are removed: from an instance in XML, from all instances of a class in the binary form.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rbxcore::{Dom, InstanceId, Value, classes};

use crate::effective::default;
use crate::view::View as _;
use crate::which::type_of;
use crate::write::{By, Write, superseded, write};
use geom::wire::{Loss, Result};

/// The values of a binary document that are to be removed. It stores a property for all instances of a class, so what is
/// removed is known only when all values are.
#[derive(Debug, Default)]
pub(super) struct Cleared {
    removed: BTreeMap<(String, String), Vec<InstanceId>>,
    /// The older forms of properties, by class, whose newer forms were set.
    replaced: BTreeSet<(String, &'static str)>,
    /// The values that were set under another name, which stay.
    kept: HashSet<(InstanceId, &'static str)>,
}

impl Cleared {
    /// Removes the older forms of a property that was set: in XML from the instance, in the binary form from the class, if all
    /// its instances have a newer form.
    ///
    /// # Errors
    /// If the document cannot be edited.
    pub(super) fn replaced(&mut self, document: &mut dyn Dom, id: InstanceId, property: &str) -> Result<()> {
        for older in superseded(document, id, property) {
            if !document.unset_value(id, older)? {
                self.replaced.insert((document.class_of(id).into_owned(), older));
            }
        }
        Ok(())
    }

    /// Removes a value in XML, and notes it in the binary form.
    ///
    /// # Errors
    /// If the document cannot be edited.
    pub(super) fn note(&mut self, document: &mut dyn Dom, id: InstanceId, property: &str) -> Result<()> {
        if !document.unset_value(id, property)? {
            let class = document.class_of(id).into_owned();
            self.removed.entry((class, property.to_owned())).or_default().push(id);
        }
        Ok(())
    }

    /// Notes that a value was set: the document may store it under another name of the property, which is not removed then.
    pub(super) fn kept(&mut self, document: &dyn Dom, id: InstanceId, property: &str) {
        let known = classes::class(&*document.class_of(id)).and_then(|class| class.property(property));
        let names = known.into_iter().flat_map(classes::Property::names);
        self.kept.extend(names.filter(|name| document.value(id, name).is_some()).map(|name| (id, name)));
    }

    /// Removes the properties that no instance of a class has any more; the others get the default of the class, or keep their
    /// values, which is listed.
    ///
    /// # Errors
    /// If the document cannot be edited.
    pub(super) fn finish(self, document: &mut dyn Dom) -> Result<Vec<Loss>> {
        let mut losses = Vec::new();
        let mut gone: Vec<(String, Vec<String>)> = Vec::new();
        for ((class, property), ids) in self.removed {
            let ids: HashSet<InstanceId> = ids
                .into_iter()
                .filter(|&id| document.contains(id) && document.class_of(id) == class)
                .filter(|&id| !self.kept.contains(&(id, &*property)))
                .collect();
            let default = default(&class, &property);
            let is_usual = |value: &Value| match &default {
                Some(default) => default == value,
                None => type_of(value).and_then(rbxbinary::parts::TypeId::neutral).as_ref() == Some(value),
            };
            let has_none = |id| document.value(id, &property).is_none_or(|value| is_usual(&value));
            let is_gone = || document.of_class(class.as_bytes()).all(|id| ids.contains(&id) || has_none(id));
            if property != "Name" && !ids.is_empty() && is_gone() {
                match gone.last_mut() {
                    Some((of, properties)) if *of == class => properties.push(property),
                    _ => gone.push((class, vec![property])),
                }
                continue;
            }
            let mut ids: Vec<_> =
                ids.into_iter().filter(|&id| document.value(id, &property).is_some()).collect();
            ids.sort_unstable();
            for id in ids {
                match &default {
                    Some(default) => {
                        let usual = Write::new(id, &property, default.clone()).by(By::Name);
                        losses.extend(write(document, usual)?);
                    }
                    None => {
                        let what = "the other document does not store it, and the default of the class is not known; the value is kept";
                        losses.push(
                            Loss::new(format!("{}.{property}", document.path_of(id)), what)
                                .id("roblox.unknown-default"),
                        );
                    }
                }
            }
        }
        for (class, properties) in gone {
            document.remove_properties(&class, properties)?;
        }
        for (class, older) in self.replaced {
            let has_newer = |id| !document.newer(id, older).is_empty();
            if document.of_class(class.as_bytes()).all(has_newer) {
                document.remove_property(&class, older)?;
            }
        }
        Ok(losses)
    }
}
