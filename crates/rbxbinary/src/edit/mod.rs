//! Changes to a document. Each of them leaves it whole, or as it was.

mod insert;
mod merge;
mod normalize;

use std::collections::HashMap;

pub use insert::NewInstance;

use crate::error::{Error, Result};
use crate::model::{
    Class, Column, Document, Mismatch, Place, Pool, Property, Referent, SharedString, Value, ValueRef,
};

/// The error of a value that does not go into a column.
#[cold]
fn refuse(path: String, mismatch: Mismatch, value: &ValueRef<'_>, column: &Column) -> Error {
    let name = |column: &Column| column.type_id().map_or_else(|| "no type".into(), |id| id.to_string());
    let what = match mismatch {
        Mismatch::Type => format!("a {} where the column holds {}", value.type_id(), name(column)),
        Mismatch::Row => "a value of an instance that the column does not have".into(),
        Mismatch::Full => "a column of more than 4 GiB".into(),
    };
    Error::unwritable(path, what)
}

/// Whether a column takes a value, tried out on an empty one of its type.
fn accepts(class: &Class, property: &[u8], value: ValueRef<'_>) -> Result<()> {
    let Some(column) = class.property(property) else { return Ok(()) };
    let path = || format!("{}.{}", class.name, bstr::BStr::new(property));
    let known = matches!(column, Column::Unknown { .. } | Column::Untyped);
    let mut probe = match column.type_id().filter(|_| !known).and_then(Column::new) {
        Some(probe) => probe,
        None => return Err(refuse(path(), Mismatch::Type, &value, column)),
    };
    let mut strings = Vec::new();
    let put = probe.put(Place::End, value, &mut Pool::new(&mut strings));
    put.map_err(|mismatch| refuse(path(), mismatch, &value, column))
}

/// A column of a value's type, in which all `count` instances have another value.
fn filled(
    like: ValueRef<'_>,
    others: Option<&Value>,
    count: usize,
    pool: &mut Pool<'_>,
) -> Result<Column, Mismatch> {
    let mut column = Column::new(like.type_id()).ok_or(Mismatch::Type)?;
    match others {
        Some(other) => (0..count).try_for_each(|_| column.put(Place::End, other.as_ref(), pool))?,
        None => column.fill(count, pool)?,
    }
    Ok(column)
}

/// The strings, and the pool that keeps them without doubles.
fn pool(strings: &mut Vec<SharedString>) -> Pool<'_> {
    Pool::new(strings)
}

impl Document {
    /// The index of an instance's class, and the row in it.
    fn locate(&self, referent: Referent) -> Option<(usize, usize)> {
        if referent.is_null() {
            return None;
        }
        // The referents of a class rise in nearly every file.
        let sorted = self.classes.iter().enumerate().find_map(|(index, class)| {
            let row = class.referents.binary_search(&referent).ok()?;
            Some((index, row))
        });
        sorted.or_else(|| {
            self.classes.iter().enumerate().find_map(|(index, class)| {
                let row = class.referents.iter().position(|&other| other == referent)?;
                Some((index, row))
            })
        })
    }

    fn located(&self, referent: Referent) -> Result<(usize, usize)> {
        let missing = || Error::unwritable(referent.to_string(), "an instance that is not in the document");
        self.locate(referent).ok_or_else(missing)
    }

    /// Notes that the document is not what it was: signatures no longer hold, counts are counted anew.
    fn touch(&mut self) {
        self.layout.edited = true;
        self.signatures = None;
        self.header.class_count = None;
        self.header.instance_count = None;
    }

    /// A referent that no instance has.
    fn new_referent(&self) -> Referent {
        let all = || self.classes.iter().flat_map(|class| &class.referents);
        let greatest = all().max().map_or(-1, |referent| referent.0);
        match greatest.max(-1).checked_add(1) {
            Some(next) => Referent(next),
            None => {
                let used: std::collections::HashSet<_> = all().collect();
                (0..).map(Referent).find(|free| !used.contains(free)).unwrap_or(Referent::NULL)
            }
        }
    }

    /// The value of an instance's property. `None` where there is no such instance or property, and
    /// as in [`Column::get`].
    pub fn get(&self, referent: Referent, property: impl AsRef<[u8]>) -> Option<ValueRef<'_>> {
        let (class, row) = self.locate(referent)?;
        self.classes.get(class)?.property(property)?.get(row, &self.shared_strings)
    }

    /// Sets an instance's property. Where the class has no such column, it gets one, in which all
    /// other instances have the type's neutral value; [`Document::set_with`] gives them another.
    ///
    /// # Errors
    /// `Unwritable` where there is no such instance, and where the column is of a type that cannot
    /// hold the value.
    pub fn set(
        &mut self,
        referent: Referent,
        property: impl AsRef<[u8]>,
        value: impl Into<Value>,
    ) -> Result<()> {
        self.set_value(referent, property.as_ref(), &value.into(), None)
    }

    /// As [`Document::set`], with the value that the other instances of the class get where the
    /// column is new. That matters: a property that a file does not have is at its default, which is
    /// rarely zero.
    ///
    /// # Errors
    /// As [`Document::set`].
    pub fn set_with(
        &mut self,
        referent: Referent,
        property: impl AsRef<[u8]>,
        value: impl Into<Value>,
        others: impl Into<Value>,
    ) -> Result<()> {
        self.set_value(referent, property.as_ref(), &value.into(), Some(&others.into()))
    }

    fn set_value(
        &mut self,
        referent: Referent,
        property: &[u8],
        value: &Value,
        others: Option<&Value>,
    ) -> Result<()> {
        let (index, row) = self.located(referent)?;
        let Self { classes, shared_strings, .. } = self;
        let class = &mut classes[index];
        let path = format!("{}.{}", class.name, bstr::BStr::new(property));
        let value = value.as_ref();
        accepts(class, property, value)?;
        let count = class.referents.len();
        let mut pool = pool(shared_strings);
        match class.property_mut(property) {
            Some(column) => {
                let put = column.put(Place::At(row), value, &mut pool);
                put.map_err(|mismatch| refuse(path, mismatch, &value, column))?;
            }
            None => {
                let mut column = filled(value, others, count, &mut pool)
                    .map_err(|mismatch| refuse(path.clone(), mismatch, &value, &Column::Untyped))?;
                let put = column.put(Place::At(row), value, &mut pool);
                put.map_err(|mismatch| refuse(path, mismatch, &value, &column))?;
                class.properties.push(Property { name: property.into(), column });
            }
        }
        self.touch();
        Ok(())
    }

    /// Puts an instance, with everything below it, under another parent, behind its children; `None`
    /// is the root.
    ///
    /// # Errors
    /// `Unwritable` where one of them is not in the document, and where the new parent is the
    /// instance itself or below it.
    pub fn reparent(&mut self, referent: Referent, parent: Option<Referent>) -> Result<()> {
        let (class, row) = self.located(referent)?;
        let parent = parent.unwrap_or(Referent::NULL);
        if !parent.is_null() {
            self.located(parent)?;
            let pairs = self.parents.children.iter().zip(&self.parents.parents);
            let of: HashMap<Referent, Referent> = pairs.map(|(&child, &parent)| (child, parent)).collect();
            let mut above = Some(parent);
            // A cycle that was there before ends the walk too.
            let mut steps = 0;
            while let Some(at) = above.filter(|_| steps <= of.len()) {
                if at == referent {
                    let what = "an instance under itself";
                    return Err(Error::unwritable(referent.to_string(), what));
                }
                above = of.get(&at).copied();
                steps += 1;
            }
        }
        let keep: Vec<bool> = self.parents.children.iter().map(|&child| child != referent).collect();
        self.retain_parents(&keep);
        self.parents.children.push(referent);
        self.parents.parents.push(parent);
        if let Some(marker) = self.classes[class].markers.get_mut(row) {
            *marker = parent.is_null().into();
        }
        self.touch();
        Ok(())
    }

    fn retain_parents(&mut self, keep: &[bool]) {
        for list in [&mut self.parents.children, &mut self.parents.parents] {
            let mut keep = keep.iter();
            list.retain(|_| keep.next() != Some(&false));
        }
    }

    /// Removes an instance and everything below it; references to them become null. Says how many
    /// instances that were.
    ///
    /// # Errors
    /// `Unwritable` where there is no such instance, and where a class would lose instances that has
    /// a column whose values cannot be told apart.
    pub fn remove(&mut self, referent: Referent) -> Result<usize> {
        self.located(referent)?;
        let mut keep: Vec<Vec<bool>> =
            self.classes.iter().map(|class| vec![true; class.referents.len()]).collect();
        let tree = self.tree();
        let mut gone = std::collections::HashSet::new();
        for instance in
            tree.get(referent).into_iter().flat_map(|top| std::iter::once(top).chain(top.descendants()))
        {
            let (class, row) = instance.place();
            keep[class][row] = false;
            gone.insert(instance.referent());
        }
        for (class, keep) in self.classes.iter().zip(&keep) {
            let unknown = |property: &&Property| matches!(property.column, Column::Unknown { .. });
            // Where all go, the column goes with them.
            if keep.contains(&false)
                && keep.contains(&true)
                && let Some(property) = class.properties.iter().find(unknown)
            {
                let path = format!("{}.{}", class.name, property.name);
                return Err(Error::unwritable(path, "a part of a column of unknown values"));
            }
        }
        let removed = gone.len();
        for (class, keep) in self.classes.iter_mut().zip(&keep).filter(|(_, keep)| keep.contains(&false)) {
            crate::model::retain(&mut class.referents, keep);
            crate::model::retain(&mut class.markers, keep);
            if !keep.contains(&true) {
                class.properties.clear();
            }
            class.properties.iter_mut().for_each(|property| property.column.retain(keep));
        }
        let null = |referent: Referent| if gone.contains(&referent) { Referent::NULL } else { referent };
        for property in self.classes.iter_mut().flat_map(|class| &mut class.properties) {
            property.column.map_referents(null);
        }
        let keep: Vec<bool> = self.parents.children.iter().map(|child| !gone.contains(child)).collect();
        self.retain_parents(&keep);
        // Only an instance that the tree shows at the root can have lost a parent here.
        self.parents.parents.iter_mut().for_each(|parent| *parent = null(*parent));
        self.touch();
        Ok(removed)
    }
}
