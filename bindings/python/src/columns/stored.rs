//! Columns of a binary document, which stores the properties of a class column by column.

use std::ops::Range;

use bstr::{BStr, ByteSlice as _};
use rbxbinary as binary;
use rbxcore::{InstanceId, Value, ValueRef, classes};
use rezkit::Result;

use super::made::Columns;
use rbxcore::property::orientation;
use rbxdocument::effective::{Effective, effective, unstored};

/// Successive instances of a class.
struct Run<'a> {
    document: &'a binary::Document,
    /// The index of the class, and the class.
    number: usize,
    class: &'a binary::parts::Class,
    /// The rows of the instances in the class, and the instances.
    rows: &'a [usize],
    /// The rows, if they are successive.
    block: Option<Range<usize>>,
    ids: &'a [InstanceId],
    /// Their rows in the columns that are made.
    to: Range<usize>,
}

/// Calls a function with each run of instances.
fn runs(
    document: &binary::Document,
    ids: &[InstanceId],
    mut each: impl FnMut(Run<'_>) -> Result<()>,
) -> Result<()> {
    let mut start = 0;
    let mut next = ids.first().and_then(|&id| document.row(id));
    while start < ids.len() {
        let number = next.map(|(number, _)| number);
        let (mut of_run, mut end) = (Vec::new(), start);
        while end < ids.len() && next.map(|(number, _)| number) == number {
            of_run.extend(next.map(|(_, row)| row));
            end += 1;
            next = ids.get(end).and_then(|&id| document.row(id));
        }
        let to = start..end;
        start = end;
        let Some((number, class)) = number.and_then(|number| Some((number, document.classes().get(number)?)))
        else {
            continue;
        };
        let first = of_run.first().copied().unwrap_or_default();
        let block = first..first + of_run.len();
        let block = of_run.iter().copied().eq(block.clone()).then_some(block);
        each(Run { document, number, class, rows: &of_run, block, ids: &ids[to.clone()], to })?;
    }
    Ok(())
}

impl<'a> Run<'a> {
    /// The values of a property that the class stores.
    fn values(&self, property: usize) -> impl Iterator<Item = (usize, ValueRef<'a>)> {
        let (document, number) = (self.document, self.number);
        let rows = self.to.clone().zip(self.rows);
        rows.filter_map(move |(to, &row)| Some((to, document.value_at(number, property, row)?)))
    }

    /// The index of a property by its stored name.
    fn stored(&self, name: &str) -> Option<usize> {
        let is_it = |property: &binary::parts::Property| property.name.as_bstr() == name;
        let found = self.class.properties.iter().position(is_it)?;
        (self.class.properties[found].column.len() == Some(self.class.referents.len())).then_some(found)
    }

    fn put(&self, columns: &mut Columns, name: &BStr, property: usize) -> Result<()> {
        let column = &self.class.properties[property].column;
        if let Some(block) = &self.block
            && column.len() == Some(self.class.referents.len())
            && columns.put_block(self.to.clone(), name, column, block.clone())?
        {
            return Ok(());
        }
        columns.put_all(name, self.values(property))
    }

    /// Puts values that the class does not store.
    fn put_other(&self, columns: &mut Columns, name: &str, found: &Effective) -> Result<()> {
        if let Effective::Default(value) = found {
            return columns.repeat(self.to.clone(), BStr::new(name), value.as_ref());
        }
        self.put_each(columns, name, |id| effective(self.document, id, name).map(Effective::into_value))
    }

    fn put_each(
        &self,
        columns: &mut Columns,
        name: &str,
        value: impl Fn(InstanceId) -> Option<Value>,
    ) -> Result<()> {
        for (row, &id) in self.to.clone().zip(self.ids) {
            if let Some(value) = value(id) {
                columns.put(row, BStr::new(name), value.as_ref())?;
            }
        }
        Ok(())
    }

    /// Puts values by name; `other` returns those that are neither stored nor known to the class table.
    fn put_named(&self, columns: &mut Columns, name: &str, other: Other<'_>) -> Result<()> {
        let known = classes::class(&self.class.name).and_then(|class| class.property(name));
        let renamed = || known.into_iter().flat_map(|known| known.names()).find_map(|name| self.stored(name));
        if let Some(property) = self.stored(name).or_else(renamed) {
            return self.put(columns, BStr::new(name), property);
        }
        let first = self.ids.first().and_then(|&id| effective(self.document, id, name));
        match (first, name, self.stored("CFrame")) {
            (Some(found), ..) => self.put_other(columns, name, &found),
            (None, "Position" | "Orientation", Some(frames)) => {
                let vectors = self.values(frames).filter_map(|(row, value)| {
                    let frame = value.as_cframe()?;
                    let vector = if name == "Position" { frame.position } else { orientation(&frame) };
                    Some((row, ValueRef::Vector3(vector)))
                });
                columns.put_all(BStr::new(name), vectors)
            }
            (None, ..) => self.put_each(columns, name, |id| other(id, name)),
        }
    }
}

/// The value of a property of an instance.
type Other<'a> = &'a dyn Fn(InstanceId, &str) -> Option<Value>;

/// Properties by name.
pub(crate) fn named(
    columns: &mut Columns,
    document: &binary::Document,
    other: Other<'_>,
    ids: &[InstanceId],
    names: &[String],
) -> Result<()> {
    runs(document, ids, |run| names.iter().try_for_each(|name| run.put_named(columns, name, other)))
}

/// All properties, also those that the file does not store unless `stored` is set.
pub(crate) fn all(
    columns: &mut Columns,
    document: &binary::Document,
    ids: &[InstanceId],
    stored: bool,
) -> Result<()> {
    runs(document, ids, |run| {
        for (index, property) in run.class.properties.iter().enumerate() {
            run.put(columns, property.name.as_bstr(), index)?;
        }
        let known = classes::class(&run.class.name).filter(|_| !stored);
        let first = known.zip(run.ids.first());
        let missing = first.into_iter().flat_map(|(known, &id)| unstored(document, id, known));
        missing.into_iter().try_for_each(|(name, found)| run.put_other(columns, name, &found))
    })
}
