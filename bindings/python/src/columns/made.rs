//! The properties of all instances of a class, column by column.

use std::collections::HashMap;

use bstr::{BStr, BString};
use rbxbinary::parts::TypeId;
use rbxcore::{CFrame, ContentRef, Floats, FontRef, InstanceId, PhysicalProperties, UDim, ValueRef};

use rezkit::{Budget, Result};

/// One property of all instances of a class.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column {
    /// The name of the property. If its type has several columns, `.` and the part follow: `FontFace.family`. If
    /// instances in XML store the property in several types, later types follow in brackets: `Value (Int32)`.
    pub(crate) name: String,
    /// The name of the type, such as `Vector3`.
    pub(crate) kind: &'static str,
    /// The shape of one value: empty for a number, `[4, 4]` for a matrix.
    pub(crate) shape: &'static [usize],
    /// The values of all rows, one after the other.
    pub(crate) data: ColumnData,
    /// Whether each row has a value; empty if all rows have one. Rows without a value contain zeros, or nothing.
    pub(crate) present: Vec<bool>,
    /// Whether `data` and `present` have a single row, which all rows are equal to: see [`Columns::into_short_vec`].
    pub(crate) is_constant: bool,
}

/// The values of a [`Column`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ColumnData {
    /// `Bool`.
    Bool(Vec<bool>),
    /// `Faces` and `Axes` (bits), and the three bytes of `Color3uint8`.
    U8(Vec<u8>),
    /// `Vector2int16` and `Vector3int16`.
    I16(Vec<i16>),
    /// `Int32`.
    I32(Vec<i32>),
    /// `Int64`; and instances, as indices in document order, -1 for null.
    I64(Vec<i64>),
    /// `Enum` and `BrickColor`.
    U32(Vec<u32>),
    /// `SecurityCapabilities`, and the parts of `UniqueId`: random, time, index.
    U64(Vec<u64>),
    /// Numbers, vectors, colours, matrices row by row (`CFrame`), ranges.
    F32(Vec<f32>),
    /// `Float64`; and `UDim`, a scale and an offset each.
    F64(Vec<f64>),
    /// Strings: row `i` is `bytes[offsets[i]..offsets[i + 1]]`.
    Bytes {
        /// The beginning of each string, and the end of the last.
        offsets: Vec<u64>,
        /// All strings one after the other.
        bytes: Vec<u8>,
    },
    /// Sequences: row `i` is the keypoints from `offsets[i]` to `offsets[i + 1]`. Each keypoint has the shape
    /// [`Column::shape`]: time, value or colour, envelope.
    Keypoints {
        /// The index of the first keypoint of each sequence, and the end of the last.
        offsets: Vec<u64>,
        /// All keypoints one after the other.
        values: Vec<f32>,
    },
}

/// All columns of a class.
#[derive(Debug)]
pub(crate) struct Columns {
    columns: Vec<Building>,
    /// The index of each column, by the property, the part of its value, and the type.
    by_name: HashMap<(BString, &'static str, TypeId), usize>,
    rows: usize,
    budget: Budget,
    /// The probable column of the next value: the one after the column of the last value.
    next: usize,
    /// The column of the last value, if the next one is of the same property.
    same: Option<usize>,
}

#[derive(Debug)]
struct Building {
    key: (BString, &'static str, TypeId),
    /// The number of rows.
    filled: usize,
    width: usize,
    column: Column,
    /// The referenced instances, which become indices at the end.
    instances: Vec<Option<InstanceId>>,
}

/// What a column holds: a property, the part of its value, and the type.
#[derive(Clone, Copy)]
struct Key<'a> {
    name: &'a BStr,
    part: &'static str,
    kind: TypeId,
}

/// Numbers of one type from a column's data.
macro_rules! numbers {
    ($data:expr, $variant:ident, $values:expr) => {
        if let ColumnData::$variant(numbers) = $data {
            numbers.extend($values)
        }
    };
}

/// The numbers of custom physical properties.
fn physical(value: &PhysicalProperties) -> [f32; 6] {
    match value {
        PhysicalProperties::Default => [0.0; 6],
        PhysicalProperties::Custom(own) => [
            own.density,
            own.friction,
            own.elasticity,
            own.friction_weight,
            own.elasticity_weight,
            own.acoustic_absorption.unwrap_or(f32::NAN),
        ],
    }
}

impl Columns {
    pub(crate) fn new(rows: usize, budget: Budget) -> Self {
        Self { columns: Vec::new(), by_name: HashMap::new(), rows, budget, next: 0, same: None }
    }

    /// The column of a property, created if it is new, and filled up to a row.
    fn at(
        &mut self,
        row: usize,
        key: Key<'_>,
        shape: &'static [usize],
        data: impl FnOnce() -> ColumnData,
    ) -> Result<&mut Building> {
        let Key { name, part, kind } = key;
        // Comparing two empty texts takes long on some processors: it reads from an address without memory.
        let is_same = |building: &Building| {
            building.key.2 == kind
                && building.key.1.len() == part.len()
                && (part.is_empty() || building.key.1 == part)
        };
        let is = |building: &Building| is_same(building) && building.key.0 == name;
        let same = self.same.filter(|&index| self.columns.get(index).is_some_and(is_same));
        let index = match same.or_else(|| self.columns.get(self.next).is_some_and(is).then_some(self.next)) {
            Some(index) => index,
            None => {
                let key = (name.to_owned(), part, kind);
                match self.by_name.get(&key) {
                    Some(&index) => index,
                    None => self.add(key, shape, data())?,
                }
            }
        };
        self.next = index + 1;
        let column = &mut self.columns[index];
        column.fill(row);
        Ok(column)
    }

    fn add(
        &mut self,
        key: (BString, &'static str, TypeId),
        shape: &'static [usize],
        data: ColumnData,
    ) -> Result<usize> {
        let width = shape.iter().product::<usize>();
        let size = match &data {
            ColumnData::Bool(_) | ColumnData::U8(_) => 1,
            ColumnData::I16(_) => 2,
            ColumnData::I32(_) | ColumnData::U32(_) | ColumnData::F32(_) => 4,
            _ => 8,
        };
        // A row takes the value, a flag, and for instances the id, until it becomes an index.
        let instance = if matches!(key.2, TypeId::REF | TypeId::CONTENT) { 16 } else { 0 };
        let of_row = (width * size + 1 + instance) as u64;
        self.budget.take(of_row.saturating_mul(self.rows as u64), "the columns of property values")?;
        let name = key.0.to_string();
        let other = self.columns.iter().any(|column| column.key.0 == key.0 && column.key.1 == key.1);
        let kind = key.2.name().unwrap_or("unknown");
        let mut name = if key.1.is_empty() { name } else { format!("{name}.{}", key.1) };
        if other {
            name = format!("{name} ({kind})");
        }
        let column = Column { name, kind, shape, data, present: Vec::new(), is_constant: false };
        let index = self.columns.len();
        self.by_name.insert(key.clone(), index);
        self.columns.push(Building { key, filled: 0, width, column, instances: Vec::new() });
        Ok(index)
    }

    /// Puts a value into a row; rows come in order.
    pub(crate) fn put(&mut self, row: usize, name: &BStr, value: ValueRef<'_>) -> Result<()> {
        const ONE: &[usize] = &[];
        let instance = match value {
            ValueRef::Ref(id) => Some(("", id)),
            ValueRef::Content(ContentRef::Object(id)) => Some(("object", id)),
            _ => None,
        };
        // Values of types that only XML has are bytes.
        let key = Key { name, part: "", kind: TypeId::of_value(&value).unwrap_or(TypeId::STRING) };
        if let Some((part, id)) = instance {
            let column = self.at(row, Key { part, ..key }, ONE, || ColumnData::I64(Vec::new()))?;
            if column.filled == row {
                column.instances.resize(row, None);
                column.instances.push(id);
                column.done(true);
            }
            return Ok(());
        }
        macro_rules! put {
            ($variant:ident $shape:expr, $values:expr) => {
                put!($variant $shape, $values, true)
            };
            ($variant:ident $shape:expr, $values:expr, $present:expr) => {{
                let column = self.at(row, key, $shape, || ColumnData::$variant(Vec::new()))?;
                // Only the first value of a property in a row counts.
                if column.filled == row {
                    numbers!(&mut column.column.data, $variant, $values);
                    column.done($present);
                }
            }};
        }
        match value {
            ValueRef::Bool(value) => put!(Bool ONE, [value]),
            ValueRef::Faces(value) => put!(U8 ONE, [value.0]),
            ValueRef::Axes(value) => put!(U8 ONE, [value.0]),
            ValueRef::Color3uint8(color) => put!(U8 & [3], [color.r, color.g, color.b]),
            ValueRef::Vector2int16(value) => put!(I16 & [2], [value.x, value.y]),
            ValueRef::Vector3int16(value) => put!(I16 & [3], [value.x, value.y, value.z]),
            ValueRef::Int32(value) => put!(I32 ONE, [value]),
            ValueRef::Int64(value) => put!(I64 ONE, [value]),
            ValueRef::Enum(value) => put!(U32 ONE, [value]),
            ValueRef::BrickColor(value) => put!(U32 ONE, [value.0]),
            ValueRef::SecurityCapabilities(value) => put!(U64 ONE, [value.0]),
            ValueRef::UniqueId(id) => put!(U64 & [3], [id.random, id.time.into(), id.index.into()]),
            ValueRef::CFrame(frame) => put!(F32 & [4, 4], matrix(&frame)),
            ValueRef::OptionalCFrame(frame) => {
                put!(F32 & [4, 4], frame.map_or([0.0; 16], |frame| matrix(&frame)), frame.is_some());
            }
            ValueRef::PhysicalProperties(value) => {
                put!(F32 & [6], physical(&value), value != PhysicalProperties::Default);
            }
            ValueRef::Float64(value) => put!(F64 ONE, [value]),
            ValueRef::UDim(value) => put!(F64 & [2], udim(value)),
            ValueRef::UDim2(value) => put!(F64 & [2, 2], [udim(value.x), udim(value.y)].concat()),
            ValueRef::NumberSequence(_) => self.keypoints(row, key, &[3], value.floats())?,
            ValueRef::ColorSequence(_) => self.keypoints(row, key, &[5], value.floats())?,
            ValueRef::String(text) | ValueRef::Bytecode(text) => {
                self.text(row, key, text, true)?;
            }
            ValueRef::SharedString(bytes) => self.text(row, key, bytes, true)?,
            ValueRef::Content(ContentRef::Uri(uri)) => self.text(row, key, uri, true)?,
            ValueRef::Content(_) => self.text(row, key, b"", false)?,
            ValueRef::Font(font) => self.font(row, key, font)?,
            ValueRef::Unknown(of) => self.text(row, key, &of.xml, true)?,
            // Future types get no column.
            value => {
                let shape: &[usize] = match value {
                    ValueRef::Vector2(_) | ValueRef::NumberRange(_) => &[2],
                    ValueRef::Vector3(_) | ValueRef::Color3(_) => &[3],
                    ValueRef::Rect(_) => &[2, 2],
                    ValueRef::Ray(_) => &[2, 3],
                    ValueRef::CFrameQuat(_) => &[7],
                    _ => ONE,
                };
                if let Some(floats) = value.floats() {
                    put!(F32 shape, floats.iter().copied());
                }
            }
        }
        Ok(())
    }

    /// Puts values of one property into rows, in their order.
    pub(crate) fn put_all<'v>(
        &mut self,
        name: &BStr,
        values: impl Iterator<Item = (usize, ValueRef<'v>)>,
    ) -> Result<()> {
        let mut done = Ok(());
        for (row, value) in values {
            done = self.put(row, name, value);
            self.same = Some(self.next.wrapping_sub(1));
            if done.is_err() {
                break;
            }
        }
        self.same = None;
        done
    }

    /// Puts the rows `from` of a binary column into successive rows at once; returns whether it could.
    pub(crate) fn put_block(
        &mut self,
        rows: std::ops::Range<usize>,
        name: &BStr,
        values: &rbxbinary::parts::Column,
        from: std::ops::Range<usize>,
    ) -> Result<bool> {
        let Some(kind) = values.type_id() else { return Ok(false) };
        if let rbxbinary::parts::Column::String(texts) = values {
            return self.put_texts(rows, name, || from.clone().map_while(|row| texts.get(row)));
        }
        macro_rules! block {
            ($($name:ident => $variant:ident $shape:expr, |$value:pat_param| $numbers:expr;)+) => {
                match values {
                    $(rbxbinary::parts::Column::$name(values) => {
                        let Some(values) = values.get(from) else { return Ok(false) };
                        let data = || ColumnData::$variant(Vec::new());
                        let column = self.at(rows.start, Key { name, part: "", kind }, $shape, data)?;
                        if column.filled != rows.start {
                            return Ok(false);
                        }
                        if let ColumnData::$variant(numbers) = &mut column.column.data {
                            numbers.reserve(values.len() * column.width);
                            values.iter().for_each(|$value| numbers.extend($numbers));
                        }
                        column.filled += values.len();
                        if !column.column.present.is_empty() {
                            column.column.present.resize(column.filled, true);
                        }
                        Ok(true)
                    })+
                    _ => Ok(false),
                }
            };
        }
        block! {
            Bool => Bool &[], |&value| [value];
            Faces => U8 &[], |value| [value.0];
            Axes => U8 &[], |value| [value.0];
            Color3uint8 => U8 &[3], |color| [color.r, color.g, color.b];
            Int32 => I32 &[], |&value| [value];
            Int64 => I64 &[], |&value| [value];
            Enum => U32 &[], |&value| [value];
            BrickColor => U32 &[], |value| [value.0];
            SecurityCapabilities => U64 &[], |value| [value.0];
            UniqueId => U64 &[3], |id| [id.random, id.time.into(), id.index.into()];
            Float32 => F32 &[], |&value| [value];
            Vector2 => F32 &[2], |value| value.to_array();
            Vector3 => F32 &[3], |value| value.to_array();
            Color3 => F32 &[3], |color| [color.r, color.g, color.b];
            CFrame => F32 &[4, 4], |frame| matrix(frame);
            Float64 => F64 &[], |&value| [value];
        }
    }

    /// Puts a text into each of successive rows at once; returns whether it could.
    fn put_texts<'t, T: Iterator<Item = &'t BStr>>(
        &mut self,
        rows: std::ops::Range<usize>,
        name: &BStr,
        texts: impl Fn() -> T,
    ) -> Result<bool> {
        let size: usize = texts().map(|text| text.len()).sum();
        self.budget.take(size as u64, "the columns of property values")?;
        let key = Key { name, part: "", kind: TypeId::STRING };
        let empty = || ColumnData::Bytes { offsets: vec![0], bytes: Vec::new() };
        let column = self.at(rows.start, key, &[], empty)?;
        let ColumnData::Bytes { offsets, bytes } = &mut column.column.data else { return Ok(false) };
        if column.filled != rows.start {
            return Ok(false);
        }
        bytes.reserve(size);
        offsets.reserve(rows.len());
        for text in texts() {
            bytes.extend_from_slice(text);
            offsets.push(bytes.len() as u64);
        }
        column.filled = offsets.len() - 1;
        if !column.column.present.is_empty() {
            column.column.present.resize(column.filled, true);
        }
        Ok(true)
    }

    /// Puts the same value into several rows.
    pub(crate) fn repeat(
        &mut self,
        rows: std::ops::Range<usize>,
        name: &BStr,
        value: ValueRef<'_>,
    ) -> Result<()> {
        let is_plain = !matches!(value, ValueRef::Ref(_) | ValueRef::Content(_) | ValueRef::Font(_));
        let mut rows = rows;
        if let Some(first) = rows.next() {
            self.put(first, name, value)?;
            let last = self.columns.get_mut(self.next.wrapping_sub(1));
            if let Some(column) = last.filter(|column| is_plain && column.filled == first + 1) {
                let is_list =
                    matches!(column.column.data, ColumnData::Bytes { .. } | ColumnData::Keypoints { .. });
                if first == 0 && rows.end == self.rows && !is_list {
                    column.column.is_constant = true;
                    column.filled = self.rows;
                    return Ok(());
                }
                return column.repeat(rows.len(), &mut self.budget);
            }
        }
        rows.try_for_each(|row| self.put(row, name, value))
    }

    fn font(&mut self, row: usize, key: Key<'_>, font: FontRef<'_>) -> Result<()> {
        self.text(row, Key { part: "family", ..key }, font.family, true)?;
        self.text(row, Key { part: "cached_face_id", ..key }, font.cached_face_id, true)?;
        let weight = |column: &mut Building, number: u32| {
            if column.filled == row {
                numbers!(&mut column.column.data, U32, [number]);
                column.done(true);
            }
        };
        let numbers = || ColumnData::U32(Vec::new());
        weight(self.at(row, Key { part: "weight", ..key }, &[], numbers)?, font.weight.into());
        weight(self.at(row, Key { part: "style", ..key }, &[], numbers)?, font.style.0.into());
        Ok(())
    }

    fn text(&mut self, row: usize, key: Key<'_>, text: &[u8], there: bool) -> Result<()> {
        self.budget.take(text.len() as u64, "the columns of property values")?;
        let empty = || ColumnData::Bytes { offsets: vec![0], bytes: Vec::new() };
        let column = self.at(row, key, &[], empty)?;
        if let (ColumnData::Bytes { offsets, bytes }, true) = (&mut column.column.data, column.filled == row)
        {
            bytes.extend_from_slice(text);
            offsets.push(bytes.len() as u64);
            column.done(there);
        }
        Ok(())
    }

    fn keypoints(
        &mut self,
        row: usize,
        key: Key<'_>,
        shape: &'static [usize],
        keys: Option<Floats>,
    ) -> Result<()> {
        let Some(keys) = keys else { return Ok(()) };
        self.budget.take(4 * keys.len() as u64, "the columns of property values")?;
        let empty = || ColumnData::Keypoints { offsets: vec![0], values: Vec::new() };
        let column = self.at(row, key, shape, empty)?;
        if let (ColumnData::Keypoints { offsets, values }, true) =
            (&mut column.column.data, column.filled == row)
        {
            values.extend_from_slice(&keys);
            offsets.push((values.len() / column.width) as u64);
            column.done(true);
        }
        Ok(())
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Fills the last rows, and replaces instances by their indices.
    pub(crate) fn finish(mut self, order: impl FnOnce() -> Vec<InstanceId>) -> Self {
        let indices: HashMap<InstanceId, i64> = match self.columns.iter().any(|c| !c.instances.is_empty()) {
            true => order().into_iter().zip(0..).collect(),
            false => HashMap::new(),
        };
        for building in &mut self.columns {
            building.fill(self.rows);
            if !building.instances.is_empty() {
                let index =
                    |id: Option<InstanceId>| id.and_then(|id| indices.get(&id).copied()).unwrap_or(-1);
                let ids = std::mem::take(&mut building.instances);
                building.column.data = ColumnData::I64(ids.into_iter().map(index).collect());
            }
        }
        self
    }

    /// The same columns without their rows.
    pub(crate) fn without_rows(mut self) -> Self {
        self.rows = 0;
        for building in &mut self.columns {
            (building.filled, building.column.present) = (0, Vec::new());
            building.instances.clear();
            match &mut building.column.data {
                ColumnData::Bool(values) => values.clear(),
                ColumnData::U8(values) => values.clear(),
                ColumnData::I16(values) => values.clear(),
                ColumnData::I32(values) => values.clear(),
                ColumnData::I64(values) => values.clear(),
                ColumnData::U32(values) => values.clear(),
                ColumnData::U64(values) => values.clear(),
                ColumnData::F32(values) => values.clear(),
                ColumnData::F64(values) => values.clear(),
                ColumnData::Bytes { offsets, bytes } => {
                    offsets.truncate(1);
                    bytes.clear();
                }
                ColumnData::Keypoints { offsets, values } => {
                    offsets.truncate(1);
                    values.clear();
                }
            }
        }
        self
    }

    /// The columns, in the order in which their properties first occur; one of numbers whose rows are all equal may be
    /// [constant](Column::is_constant).
    pub(crate) fn into_short_vec(self) -> Vec<Column> {
        self.columns.into_iter().map(|building| building.column).collect()
    }
}

impl Building {
    /// Copies the last row.
    #[allow(clippy::cast_possible_truncation, reason = "an offset in memory")]
    fn repeat(&mut self, count: usize, budget: &mut Budget) -> Result<()> {
        macro_rules! copy {
            ($values:expr) => {{
                let from = $values.len() - self.width;
                let end = $values.len() + count * self.width;
                $values.reserve_exact(count * self.width);
                while $values.len() < end {
                    let more = ($values.len() - from).min(end - $values.len());
                    $values.extend_from_within(from..from + more);
                }
            }};
        }
        match &mut self.column.data {
            ColumnData::Bool(values) => copy!(values),
            ColumnData::U8(values) => copy!(values),
            ColumnData::I16(values) => copy!(values),
            ColumnData::I32(values) => copy!(values),
            ColumnData::I64(values) => copy!(values),
            ColumnData::U32(values) => copy!(values),
            ColumnData::U64(values) => copy!(values),
            ColumnData::F32(values) => copy!(values),
            ColumnData::F64(values) => copy!(values),
            ColumnData::Bytes { offsets, bytes: values } => {
                let from = offsets.iter().rev().nth(1).map_or(0, |&from| from as usize);
                let (size, start) = (values.len() - from, values.len() as u64);
                budget.take((size * count) as u64, "the columns of property values")?;
                let end = values.len() + size * count;
                while values.len() < end {
                    let more = (values.len() - from).min(end - values.len());
                    values.extend_from_within(from..from + more);
                }
                offsets.extend((1..=count as u64).map(|number| start + number * size as u64));
            }
            ColumnData::Keypoints { offsets, values } => {
                let from = offsets.iter().rev().nth(1).map_or(0, |&from| from as usize * self.width);
                let keys = from..values.len();
                budget.take((4 * keys.len() * count) as u64, "the columns of property values")?;
                for _ in 0..count {
                    values.extend_from_within(keys.clone());
                    offsets.push((values.len() / self.width) as u64);
                }
            }
        }
        if let Some(&last) = self.column.present.last() {
            self.column.present.resize(self.filled + count, last);
        }
        self.filled += count;
        Ok(())
    }

    /// Completes a row, and notes whether it has a value.
    fn done(&mut self, present: bool) {
        let Column { present: flags, .. } = &mut self.column;
        if !present || !flags.is_empty() {
            flags.resize(self.filled, true);
            flags.push(present);
        }
        self.filled += 1;
    }

    /// Fills rows without a value up to this one.
    fn fill(&mut self, row: usize) {
        if self.filled >= row {
            return;
        }
        let numbers = row * self.width;
        match &mut self.column.data {
            ColumnData::Bool(values) => values.resize(numbers, false),
            ColumnData::U8(values) => values.resize(numbers, 0),
            ColumnData::I16(values) => values.resize(numbers, 0),
            ColumnData::I32(values) => values.resize(numbers, 0),
            ColumnData::I64(_) if !self.instances.is_empty() => self.instances.resize(row, None),
            ColumnData::I64(values) => values.resize(numbers, 0),
            ColumnData::U32(values) => values.resize(numbers, 0),
            ColumnData::U64(values) => values.resize(numbers, 0),
            ColumnData::F32(values) => values.resize(numbers, 0.0),
            ColumnData::F64(values) => values.resize(numbers, 0.0),
            ColumnData::Bytes { offsets, .. } | ColumnData::Keypoints { offsets, .. } => {
                let end = offsets.last().copied().unwrap_or(0);
                offsets.resize(row + 1, end);
            }
        }
        self.column.present.resize(self.filled, true);
        self.column.present.resize(row, false);
        self.filled = row;
    }
}

/// A rotation and a position as a matrix, row by row.
fn matrix(frame: &CFrame) -> [f32; 16] {
    let [a, b, c, d, e, f, g, h, i] = frame.rotation.to_rows();
    let [x, y, z] = frame.position.to_array();
    [a, b, c, x, d, e, f, y, g, h, i, z, 0.0, 0.0, 0.0, 1.0]
}

fn udim(value: UDim) -> [f64; 2] {
    [value.scale.into(), value.offset.into()]
}
