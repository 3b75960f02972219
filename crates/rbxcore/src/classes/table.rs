//! The class table, parsed on first use.
//!
//! A line of `classes.tsv` is a class with its base class. A line that begins with a tab is a property of the class
//! above: its stored name, type, default, other names, and the properties that replaced it; with `=` after the tab, it
//! is a new default of an inherited property. Lines with `#` have the items of an enum (an item without a number has
//! the next one), lines with `~` the faces of the enum `Font`, lines with `@` the palette, and the line with `!` the
//! names of other years: of classes, of properties, and of properties of a class, with their types if a binary file does
//! not determine them, and after `=` their defaults, if files show them.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use crate::hash::NameMap;
use crate::kind::Kind;

pub(crate) static TABLE: LazyLock<Table> = LazyLock::new(|| parse(include_str!("classes.tsv")));

#[derive(Default)]
pub(crate) struct Table {
    pub(crate) classes: Vec<ClassRow>,
    pub(crate) by_name: NameMap<&'static str, usize>,
    /// The items of each enum, in the order of their numbers.
    pub(crate) enums: NameMap<&'static str, Vec<(u32, &'static str)>>,
    /// The names of classes and of properties (as `Name` or `Class.Name`) that Roblox had in other years; with their types
    /// if a binary file does not determine them, or if the default is known.
    pub(crate) old: NameMap<&'static str, OldRow>,
    /// The type of each property name in all classes that store it; `None` if the types differ.
    pub(crate) kinds: NameMap<&'static str, Option<Kind>>,
    pub(crate) fonts: NameMap<u32, &'static str>,
    /// The palette: red, green and blue, and the name, by number.
    pub(crate) colors: BTreeMap<u32, ([u8; 3], &'static str)>,
}

/// A name of another year.
#[derive(Clone, Copy)]
pub(crate) struct OldRow {
    pub(crate) kind: Option<Kind>,
    /// The default of a property, if files show it.
    pub(crate) default: Option<&'static str>,
}

pub(crate) struct ClassRow {
    pub(crate) name: &'static str,
    pub(crate) base: Option<usize>,
    pub(crate) is_service: bool,
    /// The properties that the class itself declares, in the order of their names.
    properties: Vec<PropertyRow>,
    changes: Vec<(&'static str, &'static str)>,
    /// All properties by any name, also those that it inherits; made when the class is first asked for one.
    pub(crate) named: OnceLock<NameMap<&'static str, Named>>,
}

/// A property, and whether the name is the one under which files store it.
pub(crate) type Named = (&'static PropertyRow, bool);

impl ClassRow {
    pub(crate) fn own(&'static self) -> &'static [PropertyRow] {
        &self.properties
    }

    /// The default of an inherited property, if this class has its own default.
    pub(crate) fn change(&self, property: &str) -> Option<&'static str> {
        self.changes.iter().find(|(name, _)| *name == property).map(|&(_, value)| value)
    }
}

pub(crate) struct PropertyRow {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// The name of the enum, or an empty string.
    pub(crate) of: &'static str,
    pub(crate) default: &'static str,
    /// Other names, separated by commas: first the name that scripts see, empty if it is the stored name.
    pub(crate) shown: &'static str,
    pub(crate) replaced_by: &'static str,
}

impl PropertyRow {
    pub(crate) fn shown(&self) -> impl Iterator<Item = &'static str> {
        self.shown.split(',').filter(|name| !name.is_empty())
    }
}

fn parse(text: &'static str) -> Table {
    let mut table = Table::default();
    for line in text.lines() {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().unwrap_or_default();
        let first = cell();
        if let Some(name) = first.strip_prefix('#') {
            table.enums.insert(name, items(cell()));
        } else if let Some(names) = first.strip_prefix('!') {
            let old = |row: &'static str| {
                let (row, default) = row.split_once('=').map_or((row, None), |(row, of)| (row, Some(of)));
                let (name, tag) = row.split_once(':').unwrap_or((row, ""));
                (name, OldRow { kind: Kind::of_tag(tag), default })
            };
            table.old.extend(names.split(',').map(old));
        } else if let Some(number) = first.strip_prefix('~') {
            table.fonts.extend(number.parse().ok().map(|number: u32| (number, cell())));
        } else if let Some(number) = first.strip_prefix('@') {
            let mut parts = cell().split(' ').map(|part| part.parse().unwrap_or_default());
            let rgb = std::array::from_fn(|_| parts.next().unwrap_or_default());
            table.colors.extend(number.parse().ok().map(|number: u32| (number, (rgb, cell()))));
        } else if !first.is_empty() {
            let base = table.by_name.get(cell()).copied();
            let is_service = cell() == "service";
            table.by_name.insert(first, table.classes.len());
            let (properties, changes) = (Vec::new(), Vec::new());
            let named = OnceLock::new();
            table.classes.push(ClassRow { name: first, base, is_service, properties, changes, named });
        } else if let Some(class) = table.classes.last_mut() {
            let name = cell();
            if let Some(name) = name.strip_prefix('=') {
                class.changes.push((name, cell()));
                continue;
            }
            let kind = cell();
            let (tag, of) = kind.split_once(':').unwrap_or((kind, ""));
            let Some(kind) = Kind::of_tag(tag) else { continue };
            let (default, shown, replaced_by) = (cell(), cell(), cell());
            let of_all = table.kinds.entry(name).or_insert(Some(kind));
            *of_all = of_all.filter(|&of_all| of_all == kind);
            class.properties.push(PropertyRow { name, kind, of, default, shown, replaced_by });
        }
    }
    table
}

/// Items written as `A,B,7=C`.
fn items(text: &'static str) -> Vec<(u32, &'static str)> {
    let mut next = 0_u32;
    let mut item = |part: &'static str| {
        let (number, name) = part.split_once('=').unwrap_or(("", part));
        let number = number.parse().unwrap_or(next);
        next = number.wrapping_add(1);
        (number, name)
    };
    text.split(',').map(&mut item).collect()
}
