//! The instances of a `WeakDom` as the columns of a binary document: a table for each class, so that the names and the types
//! of its properties are looked up once.

use std::collections::HashMap;
use std::io::Write;

use geom::wire::{Error, Result};
use rbx_dom_weak::types::{Ref, Variant};
use rbx_dom_weak::{AHashMap, Instance, Ustr, UstrMap, WeakDom};
use rbxbinary::parts::{
    Class, ClassFormat, Column, ContentEntry, Parents, Property, Referent, SharedIndex, SharedString,
    Strings, TypeId,
};
use rbxbinary::{ChunkWriter, Compression, Document};
use rbxcore::classes::{self, Turn, is_service};
use rbxcore::{Kind, PhysicalProperties, Value, ValueRef};

use super::Lost;
use super::place::{Place, Unknown};
use super::value::{borrowed, of_variant};

/// Instances of a `WeakDom` and all below them, by class.
pub(crate) struct Tables<'a> {
    weak: &'a WeakDom,
    /// In the order of their names, as are the columns of each.
    tables: Vec<Table<'a>>,
    /// The parent of each instance.
    parents: Vec<Referent>,
    /// The numbers of the instances to which properties refer: null for those that are not here.
    targets: AHashMap<Ref, Referent>,
    shared: Vec<SharedString>,
    /// The index of each shared string by the address of its bytes and their number, and by the bytes.
    shared_at: HashMap<(usize, usize), u32>,
    shared_as: HashMap<Vec<u8>, u32>,
    /// Properties that files do not store, and instances that do not exist.
    pub(crate) unstored: Vec<Lost>,
    /// Values that files cannot store.
    unfit: Vec<Lost>,
}

/// The instances of a class.
struct Table<'a> {
    class: Ustr,
    rows: Vec<&'a Instance>,
    referents: Vec<Referent>,
    columns: Vec<Planned<'a>>,
    columns_by_name: UstrMap<usize>,
    /// What is known about the names that instances have.
    known: UstrMap<Known>,
}

/// What is known about a name.
#[derive(Clone)]
enum Known {
    /// Why its values are lost.
    Lost(&'static str),
    /// The columns that store it, with the number of the source in each.
    Stored(Vec<(usize, usize)>),
}

/// A column to make.
struct Planned<'a> {
    name: Ustr,
    type_id: TypeId,
    /// The property, if the class table has it.
    of: Option<classes::Property>,
    /// The names under which instances have the value: how much each counts, and the conversion from an older property.
    sources: Vec<(Rank, Option<Turn>)>,
    /// The value of each row, up to the last one that has one: reading the maps of all instances again would take most of
    /// the time.
    values: Vec<Option<&'a Variant>>,
    /// The sources of values, by row, since the first one that is not from the first source.
    from: HashMap<usize, usize>,
}

/// The values of a column.
enum Values<'a> {
    Column(Column),
    Strings(Vec<&'a [u8]>),
}

/// Which of several properties that are stored as one counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// One of today, under the name that rbx-dom gives it.
    Shown,
    /// One under its stored name.
    Stored,
    /// One that it has replaced.
    Older,
}

impl<'a> Tables<'a> {
    /// The tables of these instances and all below them. An instance below another one of them is there once.
    ///
    /// # Errors
    /// If there are more instances or shared strings than a file can number.
    pub(crate) fn new(weak: &'a WeakDom, tops: &[Ref]) -> Result<Self> {
        let mut tables = Self {
            weak,
            tables: Vec::new(),
            parents: Vec::new(),
            targets: AHashMap::default(),
            shared: Vec::new(),
            shared_at: HashMap::new(),
            shared_as: HashMap::new(),
            unstored: Vec::new(),
            unfit: Vec::new(),
        };
        let mut by_class: UstrMap<usize> = UstrMap::default();
        let tops = super::topmost(weak, tops);
        let mut waiting: Vec<(Ref, Referent)> =
            tops.into_iter().rev().map(|of| (of, Referent::NULL)).collect();
        while let Some((of, parent)) = waiting.pop() {
            let Some(instance) = weak.get_by_ref(of) else {
                tables.unstored.push(Lost { path: of.to_string(), what: super::NO_INSTANCE });
                continue;
            };
            let number = i32::try_from(tables.parents.len())
                .map_err(|_| Error::invalid_argument("", "there are more than 2147483647 instances"))?;
            let number = Referent(number);
            tables.parents.push(parent);
            let next = tables.tables.len();
            let at = *by_class.entry(instance.class).or_insert(next);
            if at == next {
                tables.tables.push(Table::new(instance.class));
            }
            tables.add(at, number, instance)?;
            waiting.extend(instance.children().iter().rev().map(|&child| (child, number)));
        }
        tables.finish()?;
        Ok(tables)
    }

    /// Adds an instance to the table of its class.
    fn add(&mut self, at: usize, number: Referent, instance: &'a Instance) -> Result<()> {
        let Self { weak, tables, targets, unstored, unfit, .. } = self;
        let Some(table) = tables.get_mut(at) else { return Ok(()) };
        let row = table.rows.len();
        table.rows.push(instance);
        table.referents.push(number);
        let mut shared = Vec::new();
        for (name, value) in &instance.properties {
            match value {
                Variant::Ref(to) if to.is_some() => _ = targets.insert(*to, Referent::NULL),
                Variant::Content(content) => {
                    targets.extend(content.as_object().map(|to| (to, Referent::NULL)));
                }
                _ => {}
            }
            let known = match table.known.get(name) {
                None => {
                    table.meet(*name, value);
                    table.known.get(name)
                }
                known => known,
            };
            match known {
                Some(Known::Stored(columns)) => {
                    for &(column, source) in columns {
                        let Some(column) = table.columns.get_mut(column) else { continue };
                        column.put(row, source, value);
                        if column.type_id == TypeId::SHARED_STRING {
                            shared.push(value);
                        }
                    }
                }
                lost => {
                    let path = format!("{}.{name}", weak.full_path_of(instance.referent(), "/"));
                    match lost {
                        Some(Known::Lost(what)) => unstored.push(Lost { path, what }),
                        _ => unfit.push(Lost { path, what: super::NO_VALUE }),
                    }
                }
            }
        }
        shared.into_iter().try_for_each(|value| self.share(value))
    }

    /// Sorts everything, numbers the targets of references, and lists the shared strings that are defaults.
    fn finish(&mut self) -> Result<()> {
        let mut tables = std::mem::take(&mut self.tables);
        tables.sort_unstable_by_key(|table| table.class.as_str());
        for table in &mut tables {
            table.columns.sort_unstable_by_key(|column| column.name.as_str());
            for column in table.columns.iter().filter(|column| column.type_id == TypeId::SHARED_STRING) {
                if column.values.len() < table.rows.len() || column.values.contains(&None) {
                    self.share_bytes(column.default(table.class).as_bytes().unwrap_or_default())?;
                }
            }
        }
        if !self.targets.is_empty() {
            for (instance, number) in tables.iter().flat_map(|table| table.rows.iter().zip(&table.referents))
            {
                if let Some(target) = self.targets.get_mut(&instance.referent()) {
                    *target = *number;
                }
            }
        }
        self.tables = tables;
        Ok(())
    }

    /// Adds the bytes of a value to the list of shared strings.
    fn share(&mut self, value: &Variant) -> Result<()> {
        let bytes = match value {
            Variant::SharedString(of) => of.data(),
            Variant::NetAssetRef(of) => of.data(),
            value => {
                let value = of_variant(value);
                return value
                    .as_ref()
                    .and_then(Value::as_bytes)
                    .map_or(Ok(()), |bytes| self.share_bytes(bytes));
            }
        };
        let at = (bytes.as_ptr().addr(), bytes.len());
        if !self.shared_at.contains_key(&at) {
            let index = self.add_shared(bytes)?;
            self.shared_at.insert(at, index);
        }
        Ok(())
    }

    fn share_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        if !self.shared_as.contains_key(bytes) {
            let index = self.add_shared(bytes)?;
            self.shared_as.insert(bytes.to_vec(), index);
        }
        Ok(())
    }

    fn add_shared(&mut self, bytes: &[u8]) -> Result<u32> {
        let full = |_| Error::invalid_argument("", "there are more than 4294967295 shared strings");
        let index = u32::try_from(self.shared.len()).map_err(full)?;
        self.shared.push(SharedString { hash: [0; 16], bytes: bytes.into() });
        Ok(index)
    }

    fn shared_index(&self, value: &Variant) -> Option<SharedIndex> {
        let bytes = match value {
            Variant::SharedString(of) => of.data(),
            Variant::NetAssetRef(of) => of.data(),
            value => return self.shared_as.get(of_variant(value)?.as_bytes()?).copied().map(SharedIndex),
        };
        self.shared_at.get(&(bytes.as_ptr().addr(), bytes.len())).copied().map(SharedIndex)
    }

    /// The number of an instance; null for one that is not among these.
    fn number(&self, of: Ref) -> Referent {
        self.targets.get(&of).copied().unwrap_or_default()
    }

    /// The classes without their columns; the tables then have no referents.
    fn classes(&mut self) -> Vec<Class> {
        let parents = &self.parents;
        let is_top = |number: &Referent| {
            let number = usize::try_from(number.0).unwrap_or_default();
            u8::from(parents.get(number).is_none_or(|parent| parent.is_null()))
        };
        let class = |(id, table): (u32, &mut Table<'_>)| {
            let referents = std::mem::take(&mut table.referents);
            let mut markers: Vec<u8> = Vec::new();
            if is_service(&table.class) {
                markers.extend(referents.iter().map(is_top));
            }
            // Services below others are none.
            let format = if markers.contains(&1) { ClassFormat::SERVICE } else { ClassFormat::REGULAR };
            if format == ClassFormat::REGULAR {
                markers.clear();
            }
            Class { id, name: table.class.as_str().into(), format, referents, markers, ..Class::default() }
        };
        (0..).zip(&mut self.tables).map(class).collect()
    }

    /// The values of a column, with the default of the class for the instances that lack it or whose value does not fit,
    /// which are listed.
    fn column(&self, table: &Table<'_>, planned: &Planned<'_>, unfit: &mut Vec<Lost>) -> Result<Column> {
        let mut rows = Column::new(planned.type_id).unwrap_or_default();
        rows.reserve(table.rows.len());
        let mut default = None;
        for (row, instance) in table.rows.iter().enumerate() {
            let value = planned.value(row);
            if value.is_some_and(|(value, turn)| self.put(&mut rows, value, turn)) {
                continue;
            }
            if value.is_some() {
                let path = format!("{}.{}", self.weak.full_path_of(instance.referent(), "/"), planned.name);
                unfit.push(Lost { path, what: super::NO_VALUE });
            }
            let default = default.get_or_insert_with(|| planned.default(table.class));
            let is_put = match &mut rows {
                Column::Ref(rows) => {
                    rows.push(Referent::NULL);
                    true
                }
                Column::SharedString(rows) => {
                    let index = self.shared_as.get(default.as_bytes().unwrap_or_default());
                    // A value that does not fit is none of the listed ones; the first string is as good as any.
                    rows.push(SharedIndex(index.copied().unwrap_or_default()));
                    true
                }
                rows => rows.push(default.as_ref()),
            };
            if !is_put {
                let path = format!("{}.{}", table.class, planned.name);
                return Err(Error::invalid_argument(path, "the values of a property would exceed 4 GiB"));
            }
        }
        Ok(rows)
    }

    /// Adds a value to a column; returns whether it fits.
    fn put(&self, rows: &mut Column, value: &Variant, turn: Option<Turn>) -> bool {
        match (rows, value) {
            (Column::Ref(rows), Variant::Ref(to)) => rows.push(self.number(*to)),
            (Column::SharedString(rows), value) => match self.shared_index(value) {
                Some(index) => rows.push(index),
                None => return false,
            },
            (Column::Content(rows), Variant::Content(content)) if content.as_object().is_some() => {
                let to = content.as_object().map_or(Referent::NULL, |to| self.number(to));
                rows.entries.push(ContentEntry::Object(to));
            }
            (rows, value) => {
                return match (turn, borrowed(value)) {
                    (None, Some(value)) => rows.push(shorter(value)),
                    (None, None) => of_variant(value).is_some_and(|value| rows.push(value.as_ref())),
                    (Some(turn), _) => of_variant(value)
                        .and_then(|value| turn(value.as_ref()))
                        .is_some_and(|value| rows.push(value.as_ref())),
                };
            }
        }
        true
    }

    /// The values of a column of strings that all instances have as such: they can be large, and are copied once.
    fn strings<'b>(table: &'b Table<'b>, planned: &'b Planned<'b>) -> Option<Vec<&'b [u8]>> {
        if planned.type_id != TypeId::STRING {
            return None;
        }
        let string = |row| match planned.value(row)? {
            (value, None) => match borrowed(value)? {
                ValueRef::String(text) | ValueRef::BinaryString(text) | ValueRef::ContentId(text) => {
                    Some(&**text)
                }
                _ => None,
            },
            _ => None,
        };
        (0..table.rows.len()).map(string).collect()
    }

    /// Gives each column to a function, with the index of its class.
    fn each_column(
        &self,
        unfit: &mut Vec<Lost>,
        add: &mut dyn FnMut(usize, &str, Values<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut values = |table, planned| match Self::strings(table, planned) {
            Some(strings) => Ok(Values::Strings(strings)),
            None => self.column(table, planned, unfit).map(Values::Column),
        };
        for (at, table) in self.tables.iter().enumerate() {
            let before = table.columns.partition_point(|column| column.name.as_str() < "Name");
            let (before, after) = table.columns.split_at(before);
            for planned in before {
                add(at, &planned.name, values(table, planned)?)?;
            }
            let names = table.rows.iter().map(|instance| instance.name.as_bytes());
            add(at, "Name", Values::Strings(names.collect()))?;
            for planned in after {
                add(at, &planned.name, values(table, planned)?)?;
            }
        }
        Ok(())
    }

    /// The parents of all instances.
    fn parents(self) -> Parents {
        let children = self.parents.iter().zip(0..).map(|(_, number)| Referent(number)).collect();
        Parents { children, parents: self.parents, ..Parents::default() }
    }

    /// Makes these instances the content of a document, in their order; returns the values that it cannot store.
    pub(crate) fn fill(mut self, document: &mut Document) -> Result<Vec<Lost>> {
        let (mut classes, mut unfit) = (self.classes(), std::mem::take(&mut self.unfit));
        self.each_column(&mut unfit, &mut |at, name, values| {
            let column = match values {
                Values::Column(column) => column,
                Values::Strings(strings) => Column::String(Strings::from_strings(strings)?),
            };
            if let Some(class) = classes.get_mut(at) {
                class.properties.push(Property { name: name.into(), column });
            }
            Ok(())
        })?;
        let columns = document.columns_mut();
        *columns.classes = classes;
        *columns.shared_strings = std::mem::take(&mut self.shared);
        *columns.parents = self.parents();
        Ok(unfit)
    }

    /// Writes a binary file, column by column; returns the values that it cannot store.
    ///
    /// # Errors
    /// As [`rbxbinary::to_writer`].
    pub(crate) fn write(mut self, out: impl Write, compression: Compression) -> Result<Vec<Lost>> {
        let (classes, mut unfit) = (self.classes(), std::mem::take(&mut self.unfit));
        let mut file = ChunkWriter::new(out, compression, (classes.len(), self.parents.len()))?;
        if !self.shared.is_empty() {
            file.shared_strings(&self.shared)?;
        }
        classes.iter().try_for_each(|class| file.class(class))?;
        self.each_column(&mut unfit, &mut |at, name, values| match (classes.get(at), values) {
            (Some(class), Values::Column(column)) => file.column(class, name.as_bytes(), column),
            (Some(class), Values::Strings(strings)) => file.strings(class, name.as_bytes(), &strings),
            (None, _) => Ok(()),
        })?;
        file.finish(&self.parents())?;
        Ok(unfit)
    }
}

impl<'a> Table<'a> {
    fn new(class: Ustr) -> Self {
        Self {
            class,
            rows: Vec::new(),
            referents: Vec::new(),
            columns: Vec::new(),
            columns_by_name: UstrMap::default(),
            known: UstrMap::default(),
        }
    }

    /// Finds the columns for a name that no instance had before. Nothing is known if the value has no type: another instance
    /// may have one that does.
    fn meet(&mut self, name: Ustr, value: &Variant) {
        let place = Place::new(&self.class, name, Unknown::Keep);
        let newer = place.newer.iter().map(|&(new, turn)| {
            (new.name().into(), TypeId::of(new.kind()), Some(new), (Rank::Older, Some(turn)))
        });
        let mut to: Vec<_> = newer.collect();
        if to.is_empty() {
            let type_id = place.kind().or_else(|| kind_of(value)).and_then(TypeId::of);
            let rank = if place.name == name { Rank::Stored } else { Rank::Shown };
            to.push((place.name, type_id, place.stored, (rank, None)));
        }
        if let Some(what) = place.lost {
            self.known.insert(name, Known::Lost(what));
            return;
        }
        let planned: Option<Vec<_>> = to
            .into_iter()
            .map(|(name, type_id, of, source)| {
                let next = self.columns.len();
                let at = *self.columns_by_name.entry(name).or_insert(next);
                if at == next {
                    self.columns.push(Planned::new(name, type_id?, of));
                }
                let column = self.columns.get_mut(at)?;
                column.sources.push(source);
                Some((at, column.sources.len() - 1))
            })
            .collect();
        if let Some(planned) = planned {
            self.known.insert(name, Known::Stored(planned));
        }
    }
}

impl<'a> Planned<'a> {
    fn new(name: Ustr, type_id: TypeId, of: Option<classes::Property>) -> Self {
        let (sources, values, from) = Default::default();
        Self { name, type_id, of, sources, values, from }
    }

    /// Notes the value of a row, unless it has one that counts more.
    fn put(&mut self, row: usize, source: usize, value: &'a Variant) {
        let rank = |source: usize| self.sources.get(source).map(|(rank, _)| *rank);
        if let Some(Some(_)) = self.values.get(row) {
            let before = self.from.get(&row).copied().unwrap_or_default();
            if rank(before) <= rank(source) {
                return;
            }
        }
        self.values.resize(row, None);
        self.values.push(Some(value));
        if source != 0 || !self.from.is_empty() {
            self.from.insert(row, source);
        }
    }

    /// The value of a row, and the conversion that it needs.
    fn value(&self, row: usize) -> Option<(&'a Variant, Option<Turn>)> {
        let value = self.values.get(row).copied().flatten()?;
        let source = if self.from.is_empty() { None } else { self.from.get(&row) };
        let (_, turn) = self.sources.get(source.copied().unwrap_or_default())?;
        Some((value, *turn))
    }

    /// The value for instances that have none.
    fn default(&self, class: Ustr) -> Value {
        let known = match (self.of, self.type_id.kind()) {
            (Some(of), Some(kind)) => of.default().and_then(|default| default.converted(kind)),
            _ => self.type_id.default_of(class.as_str(), self.name.as_str()),
        };
        known.or_else(|| self.type_id.neutral()).unwrap_or(Value::Bool(false))
    }
}

/// The type with which documents store a value that the class table does not know.
fn kind_of(value: &Variant) -> Option<Kind> {
    match value {
        Variant::Content(_) => Some(Kind::Content),
        value => of_variant(value)?.kind(),
    }
}

/// A value without how much a part absorbs sound, if that is what readers assume: rbx_binary writes none then, either.
fn shorter(value: ValueRef<'_>) -> ValueRef<'_> {
    match value {
        ValueRef::PhysicalProperties(PhysicalProperties::Custom(mut of))
            if of.acoustic_absorption.is_some_and(|absorption| absorption.to_bits() == 1_f32.to_bits()) =>
        {
            of.acoustic_absorption = None;
            ValueRef::PhysicalProperties(PhysicalProperties::Custom(of))
        }
        value => value,
    }
}
