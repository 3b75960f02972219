//! Columns of the properties of instances.

use std::borrow::Cow;

use bstr::{BStr, ByteSlice as _};
use rbxcore::{InstanceId, Value, classes};
use rbxdocument::effective::{self, Effective, unstored};
use rbxdocument::view::View as _;
use rezkit::Document;
use rezkit::{Budget, Result};

use super::made::Columns;
use super::stored;

/// The properties of instances with these names as columns, a row for each instance with the values that
/// queries have it. References are indices in the order of the document. A column has the name that
/// is given; a name for which no instance has a value has no column.
///
/// # Errors
/// [`Limit`](rezkit::ErrorKind::Limit) if the columns take more than `max_bytes`.
pub(crate) fn named(
    document: &Document,
    ids: &[InstanceId],
    names: &[String],
    max_bytes: u64,
) -> Result<Columns> {
    let mut columns = Columns::new(ids.len(), Budget::new(max_bytes));
    match document {
        Document::Binary(binary) => {
            stored::named(
                &mut columns,
                binary,
                &|id, name| effective::value(&**document, id, name),
                ids,
                names,
            )?;
        }
        Document::Xml(_) => {
            for (row, &id) in ids.iter().enumerate() {
                for name in names {
                    if let Some(value) = effective::value(&**document, id, name) {
                        let value = rbxdocument::forms::from_xml(&document.form().class_of(id), name, value);
                        columns.put(row, BStr::new(name), value.as_ref())?;
                    }
                }
            }
        }
    }
    Ok(columns.finish(|| document.instances().collect()))
}

/// The columns of [`named`] for no instance: without rows, in the types of the properties of a class.
///
/// # Errors
/// [`Limit`](rezkit::ErrorKind::Limit) if there are millions of names.
pub(crate) fn of_none(class: &str, names: &[String]) -> Result<Columns> {
    let mut columns = Columns::new(1, Budget::new(1 << 30));
    for name in names {
        if let Some(value) = rbxcore::property::kind_of(class, name).map(Value::neutral) {
            columns.put(0, BStr::new(name), value.as_ref())?;
        }
    }
    Ok(columns.without_rows())
}

/// All properties of instances as columns, a row for each instance. References are indices in the order of
/// the document. A value that the file does not store is the one of [`Document::effective`], unless
/// `stored` is set.
///
/// # Errors
/// [`Limit`](rezkit::ErrorKind::Limit) if the columns take more than `max_bytes`.
pub(crate) fn all(document: &Document, ids: &[InstanceId], stored: bool, max_bytes: u64) -> Result<Columns> {
    let mut columns = Columns::new(ids.len(), Budget::new(max_bytes));
    if let Document::Binary(binary) = document {
        stored::all(&mut columns, binary, ids, stored)?;
        return Ok(columns.finish(|| document.instances().collect()));
    }
    // Successive instances mostly have the same class, and store and lack the same properties.
    let (mut names, mut before, mut missing) = (Vec::new(), None::<Vec<&BStr>>, Vec::new());
    let (mut class, mut known) = (Cow::Borrowed(""), None);
    for (row, &id) in ids.iter().enumerate() {
        names.clear();
        let of = document.form().class_of(id);
        if of != class {
            known = classes::class(&*of).filter(|_| !stored);
            (class, before) = (of, None);
        }
        for (name, value) in document.form().value_refs(id) {
            let value = rbxdocument::forms::from_xml(&class, &name.to_str_lossy(), value.to_value());
            columns.put(row, name, value.as_ref())?;
            names.push(name);
        }
        let Some(known) = known else { continue };
        if before.as_ref() != Some(&names) {
            missing = unstored(document.form(), id, known).collect();
            before = Some(names.clone());
        }
        for (name, found) in &missing {
            match found {
                Effective::Default(value) => columns.put(row, BStr::new(name), value.as_ref())?,
                _ => {
                    if let Ok(value) = document.effective(id, name) {
                        columns.put(row, BStr::new(name), value.as_ref())?;
                    }
                }
            }
        }
    }
    Ok(columns.finish(|| document.instances().collect()))
}
