//! Writes columns of values to the properties of instances, as one edit.

use std::collections::HashSet;
use std::sync::Arc;

use rbxbinary::parts::{Column, Strings, TypeId};
use rbxbinary::types::{Mat3, Vec2, Vec3};
use rbxcore::property::{Source, is_of_frame, moved};
use rbxcore::same::Same as _;
use rbxcore::{
    Axes, BrickColor, CFrame, Color3, Color3uint8, Content, Dom, Faces, InstanceId, PhysicalProperties,
    SecurityCapabilities, UDim, UDim2, UniqueId, Value, Vector2int16, Vector3int16, classes,
};
use rbxdocument::view::View as _;

use super::made::ColumnData;
use rbxdocument::validate;
use rezkit::Document;
use rezkit::{Error, Fill, Loss, Result};

/// New values of one property, one for each instance; see [`set`].
#[derive(Clone, Debug)]
pub(crate) struct NewColumn {
    /// The property, by any of its names.
    pub(crate) name: String,
    /// The values.
    pub(crate) rows: NewRows,
}

/// The values of a [`NewColumn`]. A row without a value leaves the property of its instance as it is.
#[derive(Clone, Debug)]
pub(crate) enum NewRows {
    /// Values as [`super::read::named`] returns those of the property, and whether each row has one; empty if all have.
    Data(ColumnData, Vec<bool>),
    /// A value for each row.
    Values(Vec<Option<Value>>),
}

/// The instances of a class: its number in a binary document, and their rows in the new columns and in the class.
struct Group {
    class: String,
    number: Option<usize>,
    rows: Vec<(usize, usize)>,
}

/// Sets properties of instances to the values of columns, a row for each instance: all values, or none. References
/// are indices in the order of the document, -1 for null. What was filled in is returned, as by
/// [`Document::set`].
///
/// # Errors
/// As [`Document::set`], with the path of the value, and [`Argument`](rezkit::ErrorKind::Argument) if a column has
/// another number of rows.
pub(crate) fn set(
    document: &mut Document,
    ids: &[InstanceId],
    columns: &[NewColumn],
    fill: Fill,
) -> Result<Vec<Loss>> {
    for column in columns {
        let rows = column.rows.len();
        if rows.is_some_and(|rows| rows != ids.len()) {
            let rows = rows.unwrap_or_default();
            let what = format!("expected {} rows, one for each instance, found {rows}", ids.len());
            return Err(Error::argument(what).at(&column.name));
        }
    }
    let groups = groups(document, ids)?;
    let mut all_blocks = true;
    for column in columns {
        for group in &groups {
            all_blocks &= check_block(document, ids, group, column)?;
        }
    }
    // Whole blocks of checked values cannot be refused, so that no copy is needed.
    if all_blocks {
        for column in columns {
            groups.iter().for_each(|group| put_block(document, group, column, 0));
        }
        return Ok(Vec::new());
    }
    let (mut changed, mut losses) = (document.clone(), Vec::new());
    for column in columns {
        let order = if column.rows.is_of_indices() { document.instances().collect() } else { Vec::new() };
        for group in &groups {
            losses.extend(put_rows(&mut changed, ids, group, column, &order, fill)?);
        }
    }
    *document = changed;
    Ok(losses)
}

/// The first of the instances of each class, with the class, in their order.
///
/// # Errors
/// [`Argument`](rezkit::ErrorKind::Argument) if there is no such instance.
pub(crate) fn first_of_classes(document: &Document, ids: &[InstanceId]) -> Result<Vec<(InstanceId, String)>> {
    let first = |group: Group| Some((*ids.get(group.rows.first()?.0)?, group.class));
    Ok(groups(document, ids)?.into_iter().filter_map(first).collect())
}

/// The instances by class. In XML, those of a class are found one by one.
fn groups(document: &Document, ids: &[InstanceId]) -> Result<Vec<Group>> {
    let missing = || Error::argument("an instance was removed from its document");
    let (mut groups, mut last): (Vec<Group>, usize) = (Vec::new(), 0);
    for (row, &id) in ids.iter().enumerate() {
        let (number, at) = match document {
            Document::Binary(binary) => binary.row(id).map(|(number, at)| (Some(number), at)),
            Document::Xml(xml) => xml.contains(id).then_some((None, 0)),
        }
        .ok_or_else(missing)?;
        let is_it = |group: &Group| match number {
            Some(_) => group.number == number,
            None => group.class == document.form().class_of(id),
        };
        if !groups.get(last).is_some_and(is_it) {
            last = groups.iter().position(is_it).unwrap_or(groups.len());
            if last == groups.len() {
                let class = document.form().class_of(id).into_owned();
                groups.push(Group { class, number, rows: Vec::new() });
            }
        }
        groups[last].rows.push((row, at));
    }
    Ok(groups)
}

/// The stored column of a property of a class, with which blocks are exchanged; `None` if there is none.
fn block_of<'a>(document: &'a Document, group: &Group, name: &'a str) -> Option<(&'a str, &'a Column)> {
    let (Document::Binary(binary), Some(number)) = (document, group.number) else { return None };
    let class = binary.classes().get(number)?;
    let stored = |name: &'a str| {
        let column = class.property(name)?;
        (column.len() == Some(class.referents.len())).then_some((name, column))
    };
    if is_of_frame(&group.class, name) {
        return stored("CFrame");
    }
    stored(name).or_else(|| {
        let known = classes::class(&group.class)?.property(name)?;
        #[allow(clippy::redundant_closure, reason = "the names are static, those of the columns are not")]
        known.names().find_map(|name| stored(name))
    })
}

/// Checks the values of a column for a class, and whether they can be put as a block.
fn check_block(document: &Document, ids: &[InstanceId], group: &Group, column: &NewColumn) -> Result<bool> {
    let NewRows::Data(data, present) = &column.rows else { return Ok(false) };
    let mut rows = group.present(present, 0).peekable();
    let Some(&(first, _)) = rows.peek() else { return Ok(true) };
    let Some((name, stored)) = block_of(document, group, &column.name) else { return Ok(false) };
    // Values that a newer form of the property makes ineffective are set one by one, with a warning.
    if !document.form().newer(ids[first], name).is_empty() || document.form().editable().is_err() {
        return Ok(false);
    }
    match (stored, data) {
        (Column::Enum(_) | Column::BrickColor(_), ColumnData::U32(numbers)) => {
            let is_enum = matches!(stored, Column::Enum(_));
            let mut seen = HashSet::new();
            for (row, _) in rows.filter(|(row, _)| numbers.get(*row).is_some_and(|of| seen.insert(*of))) {
                let value = match is_enum {
                    true => Value::Enum(numbers[row]),
                    false => BrickColor(numbers[row]).into(),
                };
                validate::given(document.form(), ids[row], &column.name, &value)?;
            }
        }
        (Column::CFrame(_), ColumnData::F32(numbers)) if !is_of_frame(&group.class, &column.name) => {
            let is_wrong = |(row, _): &(usize, usize)| frame(numbers, *row).is_none();
            if let Some((row, _)) = rows.find(is_wrong) {
                return Err(wrong(document, ids[row], &column.name));
            }
        }
        // One by one, they are refused if they are longer than 4 GiB together.
        (Column::String(old), ColumnData::Bytes { bytes, .. }) => {
            return Ok(old.total_len() + bytes.len() + 4 * old.len() < 1 << 31);
        }
        _ => {}
    }
    Ok(is_block(stored, data, is_of_frame(&group.class, &column.name)))
}

/// The error of a row whose numbers do not fit.
fn wrong(document: &Document, id: InstanceId, name: &str) -> Error {
    let path = format!("{}.{name}", document.path(id).unwrap_or_default());
    Error::argument("the values of the row do not fit the type of the property").at(path)
}

/// Puts checked values, from one of the group's rows on.
fn put_block(document: &mut Document, group: &Group, column: &NewColumn, from: usize) {
    let NewRows::Data(data, present) = &column.rows else { return };
    let Some((name, stored)) = block_of(document, group, &column.name) else { return };
    let part = is_of_frame(&group.class, &column.name).then_some(&*column.name);
    // Setting the values that a property has changes no byte.
    let mut unchanged = Block { data, part, rows: group.present(present, from), differs: false };
    unchanged.compare(stored);
    if !unchanged.differs {
        return;
    }
    let name = name.to_owned();
    let (Document::Binary(binary), Some(number)) = (document, group.number) else { return };
    if let Some(to) = Arc::make_mut(binary).column_mut(number, &name) {
        Block { data, part, rows: group.present(present, from), differs: true }.write(to);
    }
}

/// What is found once for all instances of a class in XML; `None` if their values have to be set one by one.
fn known<'c>(document: &Document, group: &Group, column: &'c NewColumn) -> Option<Known<'c>> {
    let (Document::Xml(_), NewRows::Data(data, present)) = (document, &column.rows) else { return None };
    let part = is_of_frame(&group.class, &column.name).then_some(&*column.name);
    let property = classes::class(&group.class)?.property(part.map_or(&*column.name, |_| "CFrame"))?;
    // A newer form of the property could make the new value ineffective.
    property.replaced_by().next().is_none().then(|| Known {
        column: &column.name,
        names: property.names().collect(),
        checked: HashSet::new(),
        block: Block { data, part, rows: std::iter::empty(), differs: true },
        present,
    })
}

/// Replaces the value that an instance stores; `None` if it stores none, or the new one is of another type.
fn replace(
    document: &mut Document,
    id: InstanceId,
    known: &mut Known<'_>,
    at: usize,
    order: &[InstanceId],
) -> Option<()> {
    if known.present.get(at) == Some(&false) {
        return Some(());
    }
    let form = document.form();
    let stored = known.names.iter().copied();
    let (name, old) = stored.filter_map(|name| Some((name, form.value_ref(id, name.as_bytes())?))).next()?;
    let new = match (known.block.part, known.block.data, old.as_cframe()) {
        (Some(_), ColumnData::F32(numbers), Some(old)) => known.block.frame(numbers, at, old)?.into(),
        (Some(_), ..) => return None,
        (None, data, _) => value_of(data, at, TypeId::of(old.kind()?)?, order)?,
    };
    let number = match new {
        Value::Enum(number) => Some(number),
        Value::BrickColor(BrickColor(number)) => Some(number),
        _ => None,
    };
    if number.is_some_and(|number| known.checked.insert(number)) {
        validate::given(document.form(), id, known.column, &new).ok()?;
    }
    if old.to_value() == new {
        return Some(());
    }
    document.put(id, name, new).ok()
}

/// Puts the values of a column for a class: the first one alone, which adds the property to the class if it lacks it.
fn put_rows(
    document: &mut Document,
    ids: &[InstanceId],
    group: &Group,
    column: &NewColumn,
    order: &[InstanceId],
    fill: Fill,
) -> Result<Vec<Loss>> {
    let (mut losses, mut is_first) = (Vec::new(), true);
    let name = &*column.name;
    let mut known = known(document, group, column);
    for (at, &(row, _)) in group.rows.iter().enumerate() {
        let id = ids[row];
        if let Some(known) = &mut known
            && replace(document, id, known, row, order).is_some()
        {
            continue;
        }
        let value = match &column.rows {
            NewRows::Values(values) => values.get(row).cloned().flatten(),
            NewRows::Data(_, present) if present.get(row) == Some(&false) => None,
            NewRows::Data(data, _) => {
                let kind = document.type_of(id, name);
                let kind = kind.map_or_else(|| document.required_type(&group.class, name), Ok)?;
                Some(value_of(data, row, kind, order).ok_or_else(|| wrong(document, id, name))?)
            }
        };
        let Some(value) = value else { continue };
        // Setting the value that an instance has as the default of its class stores nothing.
        let has_default =
            |found: rbxcore::property::Found| found.source == Source::Default && found.value == value;
        if document.form().property(id, name).is_some_and(has_default) {
            continue;
        }
        match document.set(id, name, &value, fill) {
            Ok(filled) => losses.extend(filled),
            Err(error) if error.missing().is_empty() => {
                let path = format!("{}.{name}", document.path(id).unwrap_or_default());
                return Err(Error::new(error.kind(), error.reason()).at(path));
            }
            Err(error) => return Err(error),
        }
        // The first value added the property to the class if that lacked it.
        if std::mem::take(&mut is_first) && check_block(document, ids, group, column)? {
            put_block(document, group, column, at + 1);
            break;
        }
    }
    Ok(Loss::grouped(losses))
}

impl NewRows {
    /// The number of rows; `None` if it depends on the type of the property.
    fn len(&self) -> Option<usize> {
        match self {
            Self::Values(values) => Some(values.len()),
            Self::Data(_, present) if !present.is_empty() => Some(present.len()),
            Self::Data(ColumnData::Bool(values), _) => Some(values.len()),
            Self::Data(ColumnData::Bytes { offsets, .. } | ColumnData::Keypoints { offsets, .. }, _) => {
                Some(offsets.len().saturating_sub(1))
            }
            Self::Data(..) => None,
        }
    }

    fn is_of_indices(&self) -> bool {
        matches!(self, Self::Data(ColumnData::I64(_), _))
    }
}

impl Group {
    /// The rows that have a value, from one of the group's rows on.
    fn present<'a>(
        &'a self,
        present: &'a [bool],
        from: usize,
    ) -> impl Iterator<Item = (usize, usize)> + Clone + 'a {
        let rows = self.rows.get(from..).unwrap_or_default().iter().copied();
        rows.filter(|(row, _)| present.get(*row).copied().unwrap_or(true))
    }
}

/// Numbers of a row with a fixed width.
fn row<T: Copy, const N: usize>(numbers: &[T], row: usize) -> Option<[T; N]> {
    numbers.get(row * N..)?.first_chunk().copied()
}

/// A frame from a matrix, row by row, whose last row is 0 0 0 1.
fn frame(numbers: &[f32], at: usize) -> Option<CFrame> {
    let [a, b, c, x, d, e, f, y, g, h, i, z, last @ ..] = row::<f32, 16>(numbers, at)?;
    (last == [0.0, 0.0, 0.0, 1.0]).then(|| CFrame {
        rotation: Mat3::from_rows([a, b, c, d, e, f, g, h, i]),
        position: Vec3::new(x, y, z),
    })
}

fn udim(scale: f64, offset: f64) -> Option<UDim> {
    let is_whole = offset.fract() == 0.0 && offset.abs() <= f64::from(i32::MAX);
    #[allow(clippy::cast_possible_truncation, reason = "an integer; the nearest scale is wanted")]
    is_whole.then_some(UDim { scale: scale as f32, offset: offset as i32 })
}

fn text<'b>(offsets: &[u64], bytes: &'b [u8], row: usize) -> Option<&'b [u8]> {
    let (&start, &end) = (offsets.get(row)?, offsets.get(row + 1)?);
    bytes.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
}

/// The value in a row for a property of a type; `None` if the row does not fit it.
fn value_of(data: &ColumnData, at: usize, kind: TypeId, order: &[InstanceId]) -> Option<Value> {
    let of_floats = |numbers: &[f32]| Value::from_floats(kind.kind()?, numbers);
    let value: Value = match data {
        ColumnData::Bool(values) => Value::Bool(*values.get(at)?),
        ColumnData::U8(values) => match kind {
            TypeId::COLOR3_UINT8 => row(values, at).map(|[r, g, b]| Color3uint8 { r, g, b })?.into(),
            TypeId::FACES => Value::Faces(Faces(*values.get(at)?)),
            TypeId::AXES => Value::Axes(Axes(*values.get(at)?)),
            _ => return None,
        },
        ColumnData::I16(values) => match kind {
            TypeId::VECTOR2_INT16 => {
                Value::Vector2int16(row(values, at).map(|[x, y]| Vector2int16 { x, y })?)
            }
            TypeId::VECTOR3_INT16 => {
                Value::Vector3int16(row(values, at).map(|[x, y, z]| Vector3int16 { x, y, z })?)
            }
            _ => return None,
        },
        ColumnData::I32(values) => Value::Int32(*values.get(at)?),
        ColumnData::I64(values) if matches!(kind, TypeId::REF | TypeId::CONTENT) => {
            let to = match *values.get(at)? {
                -1 => None,
                index => Some(*order.get(usize::try_from(index).ok()?)?),
            };
            match kind {
                TypeId::REF => Value::Ref(to),
                _ => Value::Content(Content::Object(to)),
            }
        }
        ColumnData::I64(values) => Value::Int64(*values.get(at)?),
        ColumnData::U32(values) if kind == TypeId::BRICK_COLOR => BrickColor(*values.get(at)?).into(),
        ColumnData::U32(values) => Value::Enum(*values.get(at)?),
        ColumnData::U64(values) => match kind {
            TypeId::UNIQUE_ID => {
                let [random, time, index] = row(values, at)?;
                let small = |number| u32::try_from(number).ok();
                Value::UniqueId(UniqueId { random, time: small(time)?, index: small(index)? })
            }
            _ => Value::SecurityCapabilities(SecurityCapabilities(*values.get(at)?)),
        },
        ColumnData::F64(values) => match kind {
            TypeId::UDIM => row(values, at).and_then(|[scale, offset]| udim(scale, offset))?.into(),
            TypeId::UDIM2 => {
                let [a, b, c, d] = row(values, at)?;
                UDim2 { x: udim(a, b)?, y: udim(c, d)? }.into()
            }
            _ => Value::Float64(*values.get(at)?),
        },
        ColumnData::F32(values) => match kind {
            TypeId::FLOAT32 => Value::Float32(*values.get(at)?),
            TypeId::CFRAME => frame(values, at)?.into(),
            TypeId::OPTIONAL_CFRAME => Value::OptionalCFrame(Some(frame(values, at)?.into())),
            TypeId::PHYSICAL_PROPERTIES => {
                let all: [f32; 6] = row(values, at)?;
                let given = if all[5].is_nan() { &all[..5] } else { &all[..] };
                match all.iter().all(|number| number.is_nan()) {
                    true => Value::from(PhysicalProperties::Default),
                    false => of_floats(given)?,
                }
            }
            TypeId::VECTOR2 | TypeId::NUMBER_RANGE => of_floats(&row::<_, 2>(values, at)?)?,
            TypeId::VECTOR3 | TypeId::COLOR3 => of_floats(&row::<_, 3>(values, at)?)?,
            TypeId::RECT => of_floats(&row::<_, 4>(values, at)?)?,
            TypeId::RAY => of_floats(&row::<_, 6>(values, at)?)?,
            TypeId::CFRAME_QUAT => of_floats(&row::<_, 7>(values, at)?)?,
            _ => return None,
        },
        ColumnData::Bytes { offsets, bytes } => Value::from(text(offsets, bytes, at)?),
        ColumnData::Keypoints { offsets, values } => {
            let width = if kind == TypeId::COLOR_SEQUENCE { 5 } else { 3 };
            let end = |at: usize| Some(usize::try_from(*offsets.get(at)?).ok()? * width);
            of_floats(values.get(end(at)?..end(at + 1)?)?)?
        }
    };
    Some(value)
}

/// The columns that are exchanged as blocks: a column of a binary document, the numbers of a row, and the value made of them.
macro_rules! blocks {
    ($run:ident, $stored:expr, $data:expr) => {
        match ($stored, $data) {
            (Column::Bool(to), ColumnData::Bool(from)) => $run!(to, from, 1, |[value]| value),
            (Column::Faces(to), ColumnData::U8(from)) => $run!(to, from, 1, |[value]| Faces(value)),
            (Column::Axes(to), ColumnData::U8(from)) => $run!(to, from, 1, |[value]| Axes(value)),
            (Column::Color3uint8(to), ColumnData::U8(from)) => {
                $run!(to, from, 3, |[r, g, b]| Color3uint8 { r, g, b })
            }
            (Column::Int32(to), ColumnData::I32(from)) => $run!(to, from, 1, |[value]| value),
            (Column::Int64(to), ColumnData::I64(from)) => $run!(to, from, 1, |[value]| value),
            (Column::Enum(to), ColumnData::U32(from)) => $run!(to, from, 1, |[value]| value),
            (Column::BrickColor(to), ColumnData::U32(from)) => {
                $run!(to, from, 1, |[value]| BrickColor(value))
            }
            (Column::SecurityCapabilities(to), ColumnData::U64(from)) => {
                $run!(to, from, 1, |[value]| SecurityCapabilities(value))
            }
            (Column::Float32(to), ColumnData::F32(from)) => $run!(to, from, 1, |[value]| value),
            (Column::Vector2(to), ColumnData::F32(from)) => {
                $run!(to, from, 2, |[x, y]| Vec2 { x, y })
            }
            (Column::Vector3(to), ColumnData::F32(from)) => {
                $run!(to, from, 3, |[x, y, z]| Vec3 { x, y, z })
            }
            (Column::Color3(to), ColumnData::F32(from)) => {
                $run!(to, from, 3, |[r, g, b]| Color3 { r, g, b })
            }
            (Column::Float64(to), ColumnData::F64(from)) => $run!(to, from, 1, |[value]| value),
            _ => {}
        }
    };
}

/// Whether a column can be exchanged as a block.
fn is_block(stored: &Column, data: &ColumnData, is_part: bool) -> bool {
    let mut is = match (stored, data) {
        (Column::CFrame(_), ColumnData::F32(_)) => return true,
        _ if is_part => return false,
        (Column::String(_), ColumnData::Bytes { .. }) => return true,
        _ => false,
    };
    macro_rules! yes {
        ($to:ident, $from:ident, $width:literal, |$value:pat_param| $made:expr) => {{
            let _ = ($to, $from);
            is = true;
        }};
    }
    blocks!(yes, stored, data);
    is
}

/// A column whose values replace those that instances of a class store in XML.
struct Known<'a> {
    /// The name of the property.
    column: &'a str,
    /// Those under which files store it.
    names: Vec<&'static str>,
    /// The numbers of items and colours that were checked.
    checked: HashSet<u32>,
    block: Block<'a, std::iter::Empty<(usize, usize)>>,
    present: &'a [bool],
}

/// New values for rows of a stored column.
struct Block<'a, I> {
    data: &'a ColumnData,
    /// The part of the frame that is set, if the property is one.
    part: Option<&'a str>,
    rows: I,
    differs: bool,
}

impl<I: Iterator<Item = (usize, usize)> + Clone> Block<'_, I> {
    /// A frame of the row, or one with another part.
    fn frame(&self, numbers: &[f32], at: usize, old: CFrame) -> Option<CFrame> {
        match self.part {
            Some(part) => row(numbers, at).map(|numbers| moved(old, part, Vec3::from_array(numbers))),
            None => frame(numbers, at),
        }
    }

    /// Notes whether a value differs from the stored one.
    fn compare(&mut self, stored: &Column) {
        let rows = self.rows.clone();
        match (stored, self.data) {
            (Column::CFrame(to), ColumnData::F32(from)) => {
                self.differs = rows.into_iter().any(|(at, of)| {
                    to.get(of).is_some_and(|old| self.frame(from, at, *old).is_some_and(|new| !new.same(old)))
                });
            }
            (Column::String(to), ColumnData::Bytes { offsets, bytes }) => {
                let is_new = |(at, of)| to.get(of).map(|old| &**old) != text(offsets, bytes, at);
                self.differs = rows.into_iter().any(is_new);
            }
            _ => {}
        }
        macro_rules! compare {
            ($to:ident, $from:ident, $width:literal, |$value:pat_param| $made:expr) => {
                for (at, of) in self.rows.clone() {
                    if let (Some($value), Some(old)) = (row::<_, $width>($from, at), $to.get(of)) {
                        let new = $made;
                        if !new.same(old) {
                            self.differs = true;
                            break;
                        }
                    }
                }
            };
        }
        blocks!(compare, stored, self.data);
    }

    fn write(self, stored: &mut Column) {
        match (&mut *stored, self.data) {
            (Column::CFrame(to), ColumnData::F32(from)) => {
                for (at, of) in self.rows.clone() {
                    if let Some(old) = to.get_mut(of) {
                        *old = self.frame(from, at, *old).unwrap_or(*old);
                    }
                }
                return;
            }
            (Column::String(to), ColumnData::Bytes { offsets, bytes }) => {
                let mut new: Vec<Option<&[u8]>> = vec![None; to.len()];
                for (at, of) in self.rows.clone() {
                    if let Some(new) = new.get_mut(of) {
                        *new = text(offsets, bytes, at);
                    }
                }
                let old = |row| to.get(row).map_or(&[][..], |old| &**old);
                let all = new.iter().enumerate().map(|(row, new)| new.unwrap_or_else(|| old(row)));
                // Longer than 4 GiB they cannot be: the new ones were counted when the block was checked.
                if let Ok(all) = Strings::from_strings(all) {
                    *to = all;
                }
                return;
            }
            _ => {}
        }
        macro_rules! write {
            ($to:ident, $from:ident, $width:literal, |$value:pat_param| $made:expr) => {
                for (at, of) in self.rows {
                    if let (Some($value), Some(old)) = (row::<_, $width>($from, at), $to.get_mut(of)) {
                        *old = $made;
                    }
                }
            };
        }
        blocks!(write, stored, self.data);
    }
}
