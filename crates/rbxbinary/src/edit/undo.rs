//! Adds rows to the columns of a document, and rolls them back if one is refused.

use bstr::BStr;

use super::rows::{Plan, Rows};
use super::sources::Forest;
use crate::model::{Class, Document, Referent};
use geom::wire::Result;
use rbxcore::{EditOptions, LeftOut};

/// The state of a document before rows were added.
pub(super) struct Undo {
    classes: usize,
    shared_strings: usize,
    /// The index of a class, and its previous number of columns; or the class, if it had no instances.
    changed: Vec<(u32, Result<usize, Class>)>,
    /// The properties whose attributes were cut.
    pub(super) cut: Vec<LeftOut>,
}

impl Undo {
    pub(super) fn new(document: &Document) -> Self {
        let (classes, shared_strings) = (document.classes.len(), document.shared_strings.len());
        Self { classes, shared_strings, changed: Vec::new(), cut: Vec::new() }
    }

    /// Completes the edit: the columns of classes that had no instances are new.
    pub(super) fn commit(self, document: &mut Document) {
        for (number, before) in self.changed {
            if before.is_err()
                && let Some(places) = document.frames.classes.get_mut(number as usize)
            {
                places.columns.clear();
            }
            document.touch_rows(number);
        }
    }

    pub(super) fn roll_back(self, document: &mut Document) {
        for (number, before) in self.changed {
            let class = &mut document.classes[number as usize];
            match before {
                Ok(columns) => class.properties.truncate(columns),
                Err(before) => *class = before,
            }
            let rows = class.referents.len();
            for property in &mut class.properties {
                while let Some(last) = property.column.len().filter(|&len| len > rows) {
                    property.column.swap_remove(last - 1);
                }
            }
            document.parts().index.forget_columns(number);
        }
        while document.classes.len() > self.classes {
            if let Some(class) = document.classes.pop() {
                document.parts().index.pop_class(&class.name);
            }
        }
        document.forget_shared(self.shared_strings);
        document.parts().index.forget_unique_ids();
    }

    /// Adds the rows of all groups to their columns; returns the class of each group.
    pub(super) fn apply(
        &mut self,
        document: &mut Document,
        options: &EditOptions<'_>,
        forest: &Forest<'_>,
        plans: &[Plan],
        referents: &[Referent],
    ) -> Result<Vec<u32>> {
        let mut classes = Vec::with_capacity(plans.len());
        for (group, plan) in forest.groups.iter().zip(plans) {
            let number = plan.class.unwrap_or_else(|| add_class(document, group.class));
            let class = &mut document.classes[number as usize];
            let mut before = Ok(class.properties.len());
            if class.referents.is_empty() {
                let empty =
                    Class { id: class.id, name: class.name.clone(), format: plan.format, ..Class::default() };
                before = Err(std::mem::replace(class, empty));
                document.parts().index.forget_columns(number);
            }
            self.changed.push((number, before));
            for column in &plan.columns {
                let new = document.classes[number as usize].properties.len();
                let place = (number, column.there.unwrap_or(new));
                if column.there.is_none() {
                    document.add_column(
                        number,
                        column.name.clone(),
                        column.type_id,
                        column.others.as_ref(),
                        column.others_from,
                    )?;
                }
                let rows = Rows { forest, group, referents, options };
                let instances = rows.add(document, place, column)?;
                if instances > 0 {
                    let (class, property) = (group.class.to_owned(), column.name.to_string().into());
                    self.cut.push(LeftOut { class, property, instances });
                }
            }
            classes.push(number);
        }
        Ok(classes)
    }
}

/// Adds a class without instances after the others; returns its index.
fn add_class(document: &mut Document, name: &BStr) -> u32 {
    let parts = document.parts();
    let id = parts.index.reserve_class(parts.classes);
    document.classes.push(Class { id, name: name.to_owned(), ..Class::default() });
    document.parts().index.add_class(name.to_owned())
}
