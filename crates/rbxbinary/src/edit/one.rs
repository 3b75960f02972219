//! The fast path of insertion: one more instance with the same properties as the others of its class.

use std::ops::Range;

use super::Parts;
use crate::consts::ClassFormat;
use crate::consts::TypeId;
use crate::model::references::referred;
use crate::model::{Document, Index, InstanceId, NewInstance, NewValue, Property, UNIQUE_ID};
use crate::view::slot;
use geom::wire::Result;

/// Inserts an instance that has a value for each column of its class, in the same order, as in programs that create
/// many: nothing has to be planned or looked up. For any other instance, returns `None` and changes nothing.
pub(super) fn one_more(
    document: &mut Document,
    parent: Option<InstanceId>,
    new: &mut NewInstance,
) -> Result<Option<InstanceId>> {
    let Some(node) = new.alone() else { return Ok(None) };
    document.editable()?;
    parent.map_or(Ok(()), |parent| document.require(parent))?;
    let [number] = *document.index().classes(node.class()) else { return Ok(None) };
    let class = &document.classes[number as usize];
    let (rows, strings) = (class.referents.len(), document.shared_strings.len());
    let fits = |((at, value), property): (&(Range<usize>, NewValue), &Property)| {
        let (name, NewValue::Value(value)) = (node.name(at), value) else { return false };
        *name == *property.name
            && property.column.type_id() == TypeId::of_value(&value.as_ref())
            && property.column.len() == Some(rows)
            && name != UNIQUE_ID
    };
    let is_plain = rows > 0 && class.extra.is_empty() && !node.service;
    if !is_plain
        || node.properties.len() != class.properties.len()
        || !node.properties.iter().zip(&class.properties).all(fits)
    {
        return Ok(None);
    }
    let Parts { classes, index, .. } = document.parts();
    let Some(referent) = index.reserve_one(|| referred(classes)) else { return Ok(None) };
    for (column, (_, value)) in node.properties.iter().enumerate() {
        let NewValue::Value(value) = value else { continue };
        let put = document.parts().put((number, column), None, value.as_ref(), &Index::referent);
        if put.is_err() {
            let class = &mut document.classes[number as usize];
            for property in class.properties.iter_mut().take(column + 1) {
                while property.column.len().is_some_and(|len| len > rows) {
                    property.column.swap_remove(rows);
                }
            }
            document.forget_shared(strings);
            return Ok(None);
        }
    }
    let Parts { classes, index, .. } = document.parts();
    let id = index.add(number, referent, slot(parent));
    let class = &mut classes[number as usize];
    class.referents.push(referent);
    if class.format == ClassFormat::SERVICE {
        class.markers.push(parent.is_none().into());
    }
    document.touch_rows(number);
    document.touch_new_strings(strings);
    document.touch_tree();
    Ok(id)
}
