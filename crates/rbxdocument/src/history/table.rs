//! The table of Roblox's history, parsed on first use.
//!
//! A line of `history.tsv` is a class: its name, its base class, the month of its first and of its last dump. A line that
//! begins with a tab is a property of the class above: its name, its type (`int>int64` if it changed), and the same months.
//! Lines with `#` have the numbers of an enum's items with their months, lines with `^` the first month of a type, and the
//! line with `@` the first minor version of each month. A month is written `yymm`; no first month means the first dump or
//! before, no last month that the last dump has it.

use std::fmt;
use std::sync::LazyLock;

use rbxcore::hash::NameMap;
use rbxcore::{Kind, classes};

/// The classes, properties and enum items by month; see the module's documentation.
static TABLE: LazyLock<Table> = LazyLock::new(|| parse(include_str!("history.tsv")));

/// A month, such as 2016-04.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month(u16);

impl Month {
    /// The month of the oldest dump: what is older is not known more exactly.
    pub const OLDEST: Self = Self::new(2011, 10);

    /// The month of the last dump. What only the class table has came later.
    pub const LAST: Self = Self::new(2023, 9);

    /// The month of a year, both as people count them.
    pub const fn new(year: u16, month: u16) -> Self {
        Self(year * 12 + month - 1)
    }

    /// The month after the last dump: what came in it or later is not known more exactly.
    pub const LATER: Self = Self(Self::LAST.0 + 1);

    /// When something came, as a part of a sentence: `2016-04`, or `2023-10 or later`.
    pub fn since(self) -> String {
        if self == Self::LATER { format!("{self} or later") } else { self.to_string() }
    }

    /// A month as `2016-04`, or the month in which a version of Roblox appeared: `0.240`, also with its further numbers, or
    /// `v240`. `2016E`, `2016M` and `2016L`, as launchers of old clients name early, middle and late versions of a year, are
    /// January, May and September: the first month that each can mean.
    pub fn parse(text: &str) -> Option<Self> {
        let of_launcher = [("E", 1), ("M", 5), ("L", 9)];
        if let Some((year, month)) =
            of_launcher.iter().find_map(|(end, month)| Some((text.strip_suffix(end)?, *month)))
        {
            let year = year.parse().ok().filter(|year| (2004..=2999).contains(year))?;
            return Some(Self::new(year, month));
        }
        if let Some(version) = text.strip_prefix("0.").or_else(|| text.strip_prefix('v')) {
            let minor: u16 = version.split('.').next()?.parse().ok()?;
            let (start, versions) = &TABLE.versions;
            let index = versions.partition_point(|&first| first <= minor).checked_sub(1)?;
            // A version that is not out yet has no month.
            (index + 1 < versions.len() || minor < versions.last()? + 5).then_some(())?;
            return Some(Self(start.0 + u16::try_from(index).ok()?));
        }
        let (year, month) = text.split_once('-')?;
        let (year, month) = (year.parse().ok()?, month.parse().ok()?);
        ((2004..=2999).contains(&year) && (1..=12).contains(&month)).then(|| Self::new(year, month))
    }

    /// The month after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// The month before this one.
    #[must_use]
    pub fn previous(self) -> Self {
        Self(self.0 - 1)
    }

    /// The month of the newest version that is known.
    pub fn newest() -> Self {
        let (start, versions) = &TABLE.versions;
        Self(start.0 + u16::try_from(versions.len().saturating_sub(1)).unwrap_or_default())
    }
}

/// `2016-04`.
impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:02}", self.0 / 12, self.0 % 12 + 1)
    }
}

/// The months in which Roblox had something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The first; `None` if the oldest dump has it already.
    pub first: Option<Month>,
    /// The last; `None` if the last dump has it.
    pub last: Option<Month>,
}

impl Span {
    /// Whether a month is in the span. Of months before the oldest dump, the table knows as much as of that one.
    pub fn contains(self, month: Month) -> bool {
        let month = month.max(Month::OLDEST);
        self.first.is_none_or(|first| first <= month) && self.last.is_none_or(|last| month <= last)
    }

    /// What appeared after the last dump.
    pub(super) const LATER: Self = Self { first: Some(Month::LATER), last: None };
}

#[derive(Default)]
struct Table {
    classes: NameMap<&'static str, ClassRow>,
    enums: NameMap<&'static str, Vec<(u32, Span)>>,
    kinds: NameMap<&'static str, Month>,
    versions: (Month, Vec<u16>),
}

impl Default for Month {
    fn default() -> Self {
        Self::OLDEST
    }
}

struct ClassRow {
    base: &'static str,
    span: Span,
    /// In the order of the names.
    properties: Vec<PropertyRow>,
}

/// A property of a class in the table.
#[derive(Clone, Copy, Debug)]
pub struct PropertyRow {
    /// Its name.
    pub name: &'static str,
    /// Its type, or its types with `>` between them.
    pub of: &'static str,
    /// Its months.
    pub span: Span,
}

fn month(text: &str) -> Option<Month> {
    let (year, month) = text.split_at_checked(2)?;
    Some(Month::new(2000 + year.parse::<u16>().ok()?, month.parse().ok()?))
}

fn parse(text: &'static str) -> Table {
    let mut table = Table::default();
    let mut class = "";
    for line in text.lines() {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().unwrap_or_default();
        let first = cell();
        if let Some(name) = first.strip_prefix('#') {
            let item = |part: &str| {
                let mut parts = part.split(':');
                let number = parts.next()?.parse().ok()?;
                let first = parts.next().and_then(month);
                Some((number, Span { first, last: parts.next().and_then(month) }))
            };
            table.enums.insert(name, cell().split(',').filter_map(item).collect());
        } else if let Some(name) = first.strip_prefix('^') {
            table.kinds.extend(month(cell()).map(|month| (name, month)));
        } else if let Some(start) = first.strip_prefix('@') {
            let versions = cell().split(',').filter_map(|part| part.parse().ok()).collect();
            table.versions = (month(start).unwrap_or_default(), versions);
        } else if !first.is_empty() {
            class = first;
            let base = cell();
            let span = Span { first: month(cell()), last: month(cell()) };
            table.classes.insert(first, ClassRow { base, span, properties: Vec::new() });
        } else if let Some(class) = table.classes.get_mut(class) {
            let (name, of) = (cell(), cell());
            let span = Span { first: month(cell()), last: month(cell()) };
            class.properties.push(PropertyRow { name, of, span });
        }
    }
    for class in table.classes.values_mut() {
        class.properties.sort_by_key(|property| property.name);
    }
    table
}

/// The months of a class; `None` if neither the history nor the class table has it.
pub fn class_span(class: &str) -> Option<Span> {
    match TABLE.classes.get(class) {
        // The class table has some that the dumps had lost.
        Some(row) => Some(row.span),
        None => classes::class(class).map(|_| Span::LATER),
    }
}

/// Whether a class existed in a month.
pub fn has_class(class: &str, month: Month) -> bool {
    class_span(class).is_some_and(|span| span.contains(month))
}

/// The classes of the table, with the properties of each that the table states.
pub fn all() -> impl Iterator<Item = (&'static str, Span, &'static [PropertyRow])> {
    TABLE.classes.iter().map(|(name, row)| (*name, row.span, &*row.properties))
}

/// Whether any class of the history has a property of this name.
pub fn has_name(property: &str) -> bool {
    let has = |row: &ClassRow| row.properties.binary_search_by(|row| row.name.cmp(property)).is_ok();
    TABLE.classes.values().any(has)
}

/// A class and the classes from which it inherits, by the history, else by the class table.
fn chain(class: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(class), |class| match TABLE.classes.get(*class) {
        Some(row) => Some(row.base).filter(|base| !base.is_empty()),
        None => Some(classes::class(class)?.base()?.name()),
    })
}

/// Whether a class inherits from another one, by either table.
pub(super) fn is_a(class: &str, base: &str) -> bool {
    chain(class).any(|of| of == base)
}

/// The rows of a property in a class and in the classes from which it inherits.
pub(super) fn rows<'a>(class: &'a str, property: &'a str) -> impl Iterator<Item = PropertyRow> + 'a {
    chain(class).filter_map(move |class| {
        let rows = &TABLE.classes.get(class)?.properties;
        rows.binary_search_by(|row| row.name.cmp(property)).ok().map(|index| rows[index])
    })
}

/// What the history knows of a property in a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// The class had it, with this type; empty if only the class table of today states it.
    Known(&'static str),
    /// It came in this month.
    Later(Month),
    /// It was gone after this month.
    Gone(Month),
    /// Neither the history nor the class table of today has it.
    Unknown,
}

/// What the history knows of a property of a class in a month.
pub fn property(class: &str, property: &str, month: Month) -> Status {
    let mut found = Status::Unknown;
    // Files name all instances.
    if property == "Name" {
        return Status::Known("string");
    }
    for row in rows(class, property) {
        if row.span.contains(month) {
            return Status::Known(row.of);
        }
        match (row.span.first, row.span.last, found) {
            (Some(first), _, Status::Later(known)) if first > month => {
                found = Status::Later(known.min(first))
            }
            (Some(first), ..) if first > month => found = Status::Later(first),
            (_, Some(last), Status::Unknown) => found = Status::Gone(last),
            _ => {}
        }
    }
    if found != Status::Unknown {
        return found;
    }
    let Some(of) = classes::class(class) else { return found };
    if of.stored(property).is_some() {
        return match month > Month::LAST {
            true => Status::Known(""),
            false => Status::Later(Month::LATER),
        };
    }
    // A name of scripts came with the property that files store.
    let names = of.property(property).into_iter().flat_map(|known| known.names());
    let came = names.flat_map(|name| rows(class, name)).filter_map(|row| row.span.first).min();
    came.filter(|came| *came > month).map_or(found, Status::Later)
}

/// The first month of a property in a class; the oldest one if the oldest dump has it, `None` if it is not known.
pub(super) fn first(class: &str, property: &str) -> Option<Month> {
    let of_rows = rows(class, property).map(|row| row.span.first.unwrap_or(Month::OLDEST)).min();
    of_rows.or_else(|| match self::property(class, property, Month::OLDEST) {
        Status::Later(first) => Some(first),
        _ => None,
    })
}

/// The months of an item of an enum. `None` if neither the history nor the class table has the item.
pub fn item_span(of: &str, item: u32) -> Option<Span> {
    let items = TABLE.enums.get(of)?;
    let found = items.iter().find(|&&(number, _)| number == item).map(|&(_, span)| span);
    found.or_else(|| classes::enum_named(of)?.item_name(item).map(|_| Span::LATER))
}

/// The numbers of the items that an enum had in a month, in ascending order.
pub(super) fn items(of: &str, month: Month) -> impl Iterator<Item = u32> {
    let items = TABLE.enums.get(of).map_or(&[][..], Vec::as_slice);
    items.iter().filter(move |(_, span)| span.contains(month)).map(|&(number, _)| number)
}

/// Whether the table has an enum.
pub(super) fn has_enum(of: &str) -> bool {
    TABLE.enums.contains_key(of)
}

/// The first month in which a reader knew a type of values; `None` if the oldest dump has it.
pub fn kind_since(kind: Kind) -> Option<Month> {
    let name = match kind {
        Kind::OptionalCFrame => "OptionalCoordinateFrame",
        Kind::Rect => "Rect2D",
        Kind::Int64 => "int64",
        kind => kind.name(),
    };
    TABLE.kinds.get(name).copied()
}

/// Whether the readers of a month knew a type of values.
pub fn has_kind(kind: Kind, month: Month) -> bool {
    kind_since(kind).is_none_or(|since| since <= month)
}

/// The type of values for a type of the table in a month: the newest one that the readers of that month knew. `None` if it
/// is not known; references to instances have the name of a class.
pub fn kind_of(of: &str, month: Month) -> Option<Kind> {
    let mut parts = of.rsplit('>').filter_map(kind_named);
    parts.clone().find(|kind| has_kind(*kind, month)).or_else(|| parts.next())
}

fn kind_named(name: &str) -> Option<Kind> {
    // The datatype came after the enum of the same name, and in properties of another name.
    if has_enum(name) && name != "Font" {
        return Some(Kind::Enum);
    }
    Some(match name {
        "Content" => Kind::ContentId,
        "CFrame" => Kind::CFrame,
        "OptionalCoordinateFrame" => Kind::OptionalCFrame,
        "Rect" => Kind::Rect,
        "Font" => Kind::Font,
        name => match Kind::of_tag(name) {
            Some(kind) => kind,
            None => match TABLE.classes.contains_key(name) || name == "Object" {
                true => Kind::Ref,
                false => return None,
            },
        },
    })
}

/// The type of values for a property of the table in a month.
pub fn property_kind(name: &str, of: &str, month: Month) -> Option<Kind> {
    // The enum `Font` is that of the property `Font`.
    if of == "Font" && name == "Font" {
        return Some(Kind::Enum);
    }
    kind_of(of, month)
}

/// The enum of a property by its type in the table.
pub(super) fn enum_of<'a>(name: &str, of: &'a str) -> Option<&'a str> {
    enums_of(name, of).next()
}

/// The enums of a property by its type in the table, the newest first: an enum can have replaced another one.
pub(super) fn enums_of<'a>(name: &str, of: &'a str) -> impl Iterator<Item = &'a str> {
    let is_font = name == "Font";
    of.rsplit('>').filter(move |part| has_enum(part) && (*part != "Font" || is_font))
}

/// Whether the type of a property changed.
pub(super) fn changed(class: &str, property: &str) -> bool {
    rows(class, property).any(|row| row.of.contains('>'))
}
