//! One document put into another.

use bstr::ByteSlice;

use super::insert::is_open;
use super::{pool, refuse};
use crate::consts::ClassFormat;
use crate::error::Result;
use crate::model::{
    Class, Column, Document, Mismatch, Name, Place, Pool, Property, Referent, SharedString, ValueRef,
};

impl Document {
    /// Puts all instances of another document under an instance of this one, after its children;
    /// `None` is the root. Returns which referents the other's roots got, in order.
    ///
    /// Referents and classes are numbered anew, shared strings that both have are there once.
    /// Instances of a class that both have come into one class where the types of their columns
    /// agree, and stay a class of their own where they do not. A column that only one of them has is
    /// filled with the type's neutral value for the other's instances.
    ///
    /// # Errors
    /// `Unwritable` where the parent is not in the document, and where a column or the whole grows
    /// beyond what 32 bits can count.
    pub fn merge(&mut self, other: &Self, parent: Option<Referent>) -> Result<Vec<Referent>> {
        if let Some(parent) = parent {
            self.located(parent)?;
        }
        let mut merged = self.clone();
        let roots = merged.take_in(other, parent)?;
        *self = merged;
        Ok(roots)
    }

    fn take_in(&mut self, other: &Self, parent: Option<Referent>) -> Result<Vec<Referent>> {
        let tree = other.tree();
        let full = || crate::error::Error::unwritable("classes", "more instances than 31 bits can count");
        let first = self.new_referent().0;
        let count = i32::try_from(tree.len()).map_err(|_| full())?;
        first.checked_add(count).ok_or_else(full)?;
        // The new referent of each row of each class.
        let mut next = first;
        let mut new: Vec<Vec<Referent>> = Vec::new();
        for class in &other.classes {
            new.push(
                class
                    .referents
                    .iter()
                    .map(|_| {
                        next += 1;
                        Referent(next - 1)
                    })
                    .collect(),
            );
        }
        let renumbered = |referent: Referent| {
            tree.get(referent).map_or(Referent::NULL, |instance| {
                let (class, row) = instance.place();
                new[class][row]
            })
        };
        let places: Vec<u32> = {
            let mut pool = pool(&mut self.shared_strings);
            let places = other.shared_strings.iter().map(|string| pool.place(string.bytes.as_bstr()));
            places.collect::<Result<_, Mismatch>>().map_err(|_| full())?
        };
        for (class, referents) in other.classes.iter().zip(&new).filter(|(_, new)| !new.is_empty()) {
            let index = self.classes.iter().position(|mine| mine.name == class.name && agree(mine, class));
            let service = class.format == ClassFormat::SERVICE;
            let index = index.unwrap_or_else(|| self.add_class(class.name.clone(), service));
            let Self { classes, shared_strings, .. } = self;
            let mine = &mut classes[index];
            if service && mine.format == ClassFormat::REGULAR {
                mine.format = ClassFormat::SERVICE;
            }
            let from = From { strings: &other.shared_strings, places: &places, map: &renumbered };
            add_rows(mine, class, &from, &mut pool(shared_strings))?;
            mine.referents.extend(referents);
            if mine.format == ClassFormat::SERVICE {
                // Which of them are at the root is seen when the document is brought in order.
                mine.markers.extend(&class.markers);
                mine.markers.resize(mine.referents.len(), 1);
            }
        }
        let mut roots = Vec::new();
        for instance in tree.descendants() {
            let (class, row) = instance.place();
            let referent = new[class][row];
            let above = instance.parent().map(|above| {
                let (class, row) = above.place();
                new[class][row]
            });
            if above.is_none() {
                roots.push(referent);
            }
            self.parents.children.push(referent);
            self.parents.parents.push(above.or(parent).unwrap_or(Referent::NULL));
        }
        self.touch();
        Ok(roots)
    }
}

/// Whether all columns that two classes share are of the same type, and rows can be added to all.
fn agree(mine: &Class, theirs: &Class) -> bool {
    is_open(mine)
        && is_open(theirs)
        && theirs.properties.iter().all(|property| match mine.property(&property.name) {
            Some(column) => column.type_id() == property.column.type_id(),
            None => true,
        })
}

/// What becomes of what another document refers to.
struct From<'a> {
    strings: &'a [SharedString],
    places: &'a [u32],
    map: &'a dyn Fn(Referent) -> Referent,
}

/// Adds another class's rows to the columns of a class.
fn add_rows(mine: &mut Class, theirs: &Class, from: &From<'_>, pool: &mut Pool<'_>) -> Result<()> {
    let (before, more) = (mine.referents.len(), theirs.referents.len());
    let path = |name: &Name| format!("{}.{name}", theirs.name);
    let whole =
        |mismatch, name, column: &Column| refuse(path(name), mismatch, &ValueRef::Bool(false), column);
    for Property { name, column } in &theirs.properties {
        if mine.property(name).is_none() {
            let fresh = match column {
                // Nothing can be said about other instances than these: the class is theirs alone.
                Column::Unknown { .. } if before == 0 => column.clone(),
                _ => {
                    let mut fresh = column.type_id().and_then(Column::new).unwrap_or_default();
                    fresh.fill(before, pool).map_err(|mismatch| whole(mismatch, name, column))?;
                    fresh
                }
            };
            mine.properties.push(Property { name: name.clone(), column: fresh });
        }
    }
    for Property { name, column } in &mut mine.properties {
        match theirs.property(&*name) {
            Some(other) => append(column, other, more, from, pool),
            None => column.fill(before + more, pool),
        }
        .map_err(|mismatch| whole(mismatch, name, column))?;
    }
    Ok(())
}

/// Adds another column's values.
fn append(
    column: &mut Column,
    other: &Column,
    more: usize,
    from: &From<'_>,
    pool: &mut Pool<'_>,
) -> Result<(), Mismatch> {
    let before = column.len().unwrap_or(0);
    match (&mut *column, other) {
        (Column::SharedString(mine), Column::SharedString(theirs)) => {
            for place in theirs {
                mine.push(match from.places.get(*place as usize) {
                    Some(place) => *place,
                    None => pool.place(b"".as_bstr())?,
                });
            }
        }
        (Column::CFrame(mine), Column::CFrame(theirs)) => {
            mine.ids.resize(mine.values.len(), 0);
            mine.ids.extend(&theirs.ids);
            mine.values.extend(&theirs.values);
        }
        (Column::String(mine), Column::String(theirs)) => {
            if !mine.append(theirs) {
                return Err(Mismatch::Full);
            }
        }
        (Column::Ref(mine), Column::Ref(theirs)) => {
            mine.extend(theirs.iter().map(|&referent| (from.map)(referent)));
        }
        (Column::Unknown { .. } | Column::Untyped, _) => {}
        _ => {
            for row in 0..other.len().unwrap_or(0) {
                let Some(value) = other.get(row, from.strings) else { continue };
                let value = match value {
                    ValueRef::Content(crate::model::ContentRef::Object(referent)) => {
                        ValueRef::Content(crate::model::ContentRef::Object((from.map)(referent)))
                    }
                    other => other,
                };
                column.put(Place::End, value, pool)?;
            }
        }
    }
    column.fill(before + more, pool)
}
