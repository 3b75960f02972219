//! Columns of properties as arrays of numpy, and back.

pub(crate) mod given;
mod made;
mod put;
pub(crate) mod read;
mod stored;

use std::sync::Arc;

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rbxbinary::classes;
use rezkit::formats::roblox::kind_of;

use made::{Column, ColumnData, Columns};

use crate::array::{self, Strings};
use crate::arrow;
use crate::error::{Result, python_type};
use crate::value::items;

/// Whether a column belongs to a property; some properties have several.
fn is_of(column: &str, property: &str) -> bool {
    column.strip_prefix(property).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ' ']))
}

/// Columns as a dict by the property names that are given or that files store; the other names of a property find its
/// column, too.
pub(crate) fn dict<'py>(
    py: Python<'py>,
    classes: &[String],
    columns: Columns,
    names: Option<&[String]>,
    enum_names: bool,
) -> Result<Bound<'py, PyAny>> {
    let known: Vec<_> = classes.iter().filter_map(classes::class).collect();
    let rows = columns.rows();
    let mut columns = columns.into_short_vec();
    let (flat, whole) = (PyDict::new(py), PyDict::new(py));
    let mut dict = Dict { rows, flat, whole, arrow: Vec::new(), classes, enum_names };
    if let Some(names) = names {
        let is_first = |(at, name): &(usize, &String)| !names[..*at].contains(name);
        for (_, name) in names.iter().enumerate().filter(is_first) {
            let (of_name, rest): (Vec<_>, Vec<_>) =
                columns.into_iter().partition(|column| is_of(&column.name, name));
            columns = rest;
            if of_name.is_empty() {
                if rows > 0 && !classes.iter().any(|class| kind_of(class, name).is_some()) {
                    let meant = known.iter().find_map(|class| class.closest(name));
                    let meant = meant.map(|meant| format!("; did you mean {meant}?")).unwrap_or_default();
                    let text = format!("no {} has a property {name}{meant}", classes.join(" or "));
                    return Err(PyKeyError::new_err(text).into());
                }
                let nothing = py.import("numpy")?.call_method1("full", (rows, py.None(), "object"))?;
                dict.flat.set_item(name, nothing)?;
                dict.arrow.push((name.clone(), Box::new(move || Ok(arrow::nothing(rows)))));
            }
            of_name.into_iter().try_for_each(|column| dict.put(column))?;
        }
    } else {
        columns.into_iter().try_for_each(|column| dict.put(column))?;
    }
    let others = PyDict::new(py);
    for property in known.iter().flat_map(|class| class.properties()) {
        for other in property.other_names().chain([property.script_name()]) {
            if other != property.name() {
                others.set_item(other, property.name())?;
            }
        }
    }
    let table = arrow::Table { rows, columns: dict.arrow };
    Ok(python_type!(py, "Columns", (dict.flat, dict.whole, others, table))?)
}

/// The names of the numbers of a value, as in scripts and in XML; empty if it is a single number.
pub(crate) fn parts(kind: &str, shape: &[usize]) -> &'static [&'static str] {
    match (kind, shape) {
        ("NumberSequence" | "ColorSequence", _) => &[],
        ("Color3" | "Color3uint8", _) => &["R", "G", "B"],
        ("UDim", _) => &["Scale", "Offset"],
        ("UDim2", _) => &["X.Scale", "X.Offset", "Y.Scale", "Y.Offset"],
        ("Rect", _) => &["Min.X", "Min.Y", "Max.X", "Max.Y"],
        ("Ray", _) => &["Origin.X", "Origin.Y", "Origin.Z", "Direction.X", "Direction.Y", "Direction.Z"],
        ("NumberRange", _) => &["Min", "Max"],
        ("UniqueId", _) => &["Random", "Time", "Index"],
        (_, [2]) => &["X", "Y"],
        (_, [3]) => &["X", "Y", "Z"],
        (_, [4, 4]) => &["R00", "R01", "R02", "X", "R10", "R11", "R12", "Y", "R20", "R21", "R22", "Z"],
        (_, [6]) => {
            &["Density", "Friction", "Elasticity", "FrictionWeight", "ElasticityWeight", "AcousticAbsorption"]
        }
        (_, [7]) => &["X", "Y", "Z", "QX", "QY", "QZ", "QW"],
        _ => &[],
    }
}

/// Two dicts of columns, of one dimension and with all numbers of a value; and the columns for Arrow.
struct Dict<'a, 'py> {
    rows: usize,
    flat: Bound<'py, PyDict>,
    whole: Bound<'py, PyDict>,
    arrow: Vec<(String, arrow::Lazy)>,
    classes: &'a [String],
    enum_names: bool,
}

/// An array of objects, with `None` where a value is missing.
fn with_none<'py>(values: Bound<'py, PyAny>, present: &[bool]) -> Result<Bound<'py, PyAny>> {
    let py = values.py();
    let objects = values.call_method1("astype", ("object",))?;
    let present = array::owned(py, present.to_vec())?;
    let missing = py.import("numpy")?.call_method1("logical_not", (present,))?;
    objects.set_item(missing, py.None())?;
    Ok(objects)
}

impl<'py> Dict<'_, 'py> {
    fn put_strings(&mut self, name: String, strings: Strings) -> Result<()> {
        let shared = strings.clone();
        self.arrow.push((name.clone(), Box::new(move || shared.arrow())));
        Ok(self.flat.set_item(name, strings)?)
    }

    /// The names of the items of an enum, or their numbers if they have none.
    fn item_names(&self, property: &str, numbers: &[u32], present: Vec<bool>) -> Strings {
        let of = self.classes.iter().find_map(|class| items(class, property));
        let (mut offsets, mut bytes) = (vec![0], Vec::new());
        for &number in numbers {
            match of.and_then(|of| of.item_name(number)) {
                Some(name) => bytes.extend_from_slice(name.as_bytes()),
                None => bytes.extend_from_slice(number.to_string().as_bytes()),
            }
            offsets.push(bytes.len() as u64);
        }
        Strings::new(offsets, bytes, present)
    }

    fn put(&mut self, column: Column) -> Result<()> {
        let Column { name, kind, shape, data, present, is_constant, .. } = column;
        let py = self.flat.py();
        let rows = if is_constant { self.rows } else { 1 };
        let present = Arc::new(present);
        // A constant column has one row, which is repeated.
        macro_rules! lazy {
            ($numbers:ident, |$all:ident, $present:ident| $make:expr) => {{
                let (numbers, present) = ($numbers.clone(), present.clone());
                let make = move || {
                    let (all, there) = match rows {
                        1 => (numbers.clone(), present.clone()),
                        _ => (Arc::new(numbers.repeat(rows)), Arc::new(present.repeat(rows))),
                    };
                    let ($all, $present) = (&all, &**there);
                    $make
                };
                self.arrow.push((name.clone(), Box::new(make)));
            }};
        }
        macro_rules! numbers {
            ($numbers:expr, $is_complete:expr) => {{
                let numbers = Arc::new($numbers);
                lazy!(numbers, |all, present| arrow::rows(all, |all| all, shape, present));
                (array::shared(py, &numbers, shape)?, $is_complete)
            }};
        }
        macro_rules! floats {
            ($numbers:expr, $nan:expr) => {{
                let mut numbers = $numbers;
                let width = shape.iter().product::<usize>();
                for row in (0..present.len()).filter(|&row| !present[row]) {
                    numbers[row * width..][..width].fill($nan);
                }
                numbers!(numbers, true)
            }};
        }
        let (made, is_complete) = match data {
            ColumnData::F32(numbers) => floats!(numbers, f32::NAN),
            ColumnData::F64(numbers) => floats!(numbers, f64::NAN),
            ColumnData::Bytes { offsets, bytes } => {
                return self.put_strings(name, Strings::new(offsets, bytes, present.to_vec()));
            }
            ColumnData::Keypoints { offsets, values } => {
                let (offsets, values) = (Arc::new(offsets), Arc::new(values));
                let (ends, all, there) = (offsets.clone(), values.clone(), present.clone());
                let make = move || {
                    let keys = arrow::rows(&all, |all| all, shape, &[])?;
                    arrow::lists(&ends, keys, &there)
                };
                self.arrow.push((name.clone(), Box::new(make)));
                let keys = array::shared(py, &values, shape)?;
                let objects = py.import("numpy")?.call_method1("empty", (offsets.len() - 1, "object"))?;
                for (row, range) in offsets.windows(2).enumerate() {
                    let range = array::slice(py, range[0] as usize, range[1] as usize)?;
                    objects.set_item(row, keys.get_item(range)?)?;
                }
                (objects, false)
            }
            ColumnData::U32(numbers) if kind == "Enum" && self.enum_names => {
                let names = self.item_names(&name, &numbers.repeat(rows), present.repeat(rows));
                return self.put_strings(name, names);
            }
            ColumnData::Bool(values) => {
                let values = Arc::new(values);
                lazy!(values, |all, present| arrow::flags(all, present));
                (array::shared(py, &values, shape)?, false)
            }
            ColumnData::U8(values) => numbers!(values, false),
            ColumnData::I16(values) => numbers!(values, false),
            ColumnData::I32(values) => numbers!(values, false),
            ColumnData::I64(values) => numbers!(values, false),
            ColumnData::U32(values) => numbers!(values, false),
            ColumnData::U64(values) => numbers!(values, false),
        };
        let made = if is_complete || present.is_empty() { made } else { with_none(made, &present)? };
        let made = match is_constant {
            true => {
                let whole: Vec<usize> = std::iter::once(self.rows).chain(shape.iter().copied()).collect();
                py.import("numpy")?.call_method1("broadcast_to", (made, PyTuple::new(py, whole)?))?
            }
            false => made,
        };
        let parts = parts(kind, shape);
        if parts.is_empty() || shape.is_empty() {
            return Ok(self.flat.set_item(name, made)?);
        }
        let rows = made.call_method1("reshape", (made.len()?, shape.iter().product::<usize>()))?;
        let columns = rows.getattr("T")?;
        for (index, part) in parts.iter().enumerate() {
            self.flat.set_item(format!("{name}.{part}"), columns.get_item(index)?)?;
        }
        Ok(self.whole.set_item(name, made)?)
    }
}
