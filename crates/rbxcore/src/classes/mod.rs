//! Roblox's classes as files store them: the stored name, the type and the default of each property.

mod default;
mod older;
mod ranges;
mod table;

use std::fmt;
use std::ops::RangeInclusive;

use bstr::ByteSlice as _;

pub use older::{Turn, stored_in, turn, unstored};
pub use ranges::{PHYSICAL_RANGES, physical_outside};
use table::{ClassRow, Named, OldRow, PropertyRow, TABLE};

use crate::hash::NameMap;
use crate::kind::Kind;
use crate::similar::{closest, distance};
use crate::types::{BrickColor, UniqueId};
use crate::value::{Value, ValueRef};

/// The version of Roblox whose classes these are.
pub const ROBLOX_VERSION: &str = "0.741";

/// The class with a name, such as `Part`; `None` if it is not known. Case matters.
pub fn class(name: impl AsRef<[u8]>) -> Option<Class> {
    let name = std::str::from_utf8(name.as_ref()).ok()?;
    let row = *TABLE.by_name.get(name)?;
    Some(Class(&TABLE.classes[row]))
}

/// All classes, each after its base class.
pub fn classes() -> impl ExactSizeIterator<Item = Class> {
    TABLE.classes.iter().map(Class)
}

/// The name of the class that was probably meant, found like [`Class::closest`].
pub fn closest_class(name: &str) -> Option<&'static str> {
    closest(name.as_bytes(), TABLE.classes.iter().map(|class| class.name))
}

/// The text of the finding about a class that is not known, if its name looks like a misspelling.
#[doc(hidden)]
pub fn misspelled_class(name: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(name)
        .ok()
        .filter(|name| class(name).is_none() && !TABLE.old.contains_key(name))?;
    // Two letters of a short name are most of it.
    let is_long = name.trim_end_matches("Service").len() >= 8;
    let closest =
        closest_class(name).filter(|closest| is_long || distance(name.as_bytes(), closest.as_bytes()) < 2)?;
    Some(format!("class name \"{name}\" looks like a misspelling of \"{closest}\""))
}

/// Whether a class is another one or inherits from it. All are instances, also those that are not known.
pub fn is_a(class: impl AsRef<[u8]>, base: &str) -> bool {
    base == "Instance"
        || class.as_ref() == base.as_bytes()
        || self::class(class).is_some_and(|class| class.is_a(base))
}

/// Whether the instances of a class are services of a place. A class that is not known is a service if its name ends in
/// `Service`.
pub fn is_service(name: &str) -> bool {
    class(name).map_or_else(|| name.ends_with("Service"), Class::is_service)
}

/// The type of a property by its stored name. If the class does not store it: its type in all classes that do, or in
/// old files. `None` if that is not known, or differs between classes.
pub fn stored_kind(class: &str, property: &str) -> Option<Kind> {
    let class = self::class(class);
    let own = class.and_then(|class| class.stored(property)).map(Property::kind);
    let of_class = || class?.old(property)?.kind;
    let of_old = || TABLE.old.get(property)?.kind;
    let of_all = || TABLE.kinds.get(property).map_or_else(of_old, |kind| *kind);
    own.or_else(of_class).or_else(of_all)
}

/// The default of a property, by any of its names and also if only old files have it, as a value of a type; `None` if it is
/// not known. An instance of a class that is not known has the properties of every instance.
pub fn default_of(class: impl AsRef<[u8]>, property: impl AsRef<[u8]>, kind: Kind) -> Option<Value> {
    let class = self::class(class).or_else(|| self::class("Instance"))?;
    let value = match class.property(&property) {
        Some(property) => property.default()?,
        None => {
            let OldRow { kind, default } = class.old(std::str::from_utf8(property.as_ref()).ok()?)?;
            default::parse(kind?, default?)?
        }
    };
    value.converted(kind)
}

/// The [`Value::Font`] that replaces an item of the enum `Font`, by the number of the item.
pub fn font(number: u32) -> Option<Value> {
    default::parse(Kind::Font, TABLE.fonts.get(&number)?)
}

/// The table's own text of the family of a font of the enum `Font`.
pub(crate) fn font_family(family: &[u8]) -> Option<&'static [u8]> {
    let families = TABLE.fonts.values().filter_map(|text| text.split(' ').nth(2));
    families.map(str::as_bytes).find(|known| *known == family)
}

/// The red, green and blue of a `BrickColor`, by its number in the palette.
pub fn brick_color(number: u32) -> Option<[u8; 3]> {
    TABLE.colors.get(&number).map(|&(rgb, _)| rgb)
}

/// The number and the name of each `BrickColor`. Four names have two numbers.
pub fn brick_colors() -> impl Iterator<Item = (u32, &'static str)> {
    TABLE.colors.iter().map(|(&number, &(_, name))| (number, name))
}

/// The number of a `BrickColor` by its name, such as 21 for `Bright red`. The case of the letters does not matter. Four
/// names have two numbers; the result is the smaller one, which is in Studio's palette.
pub fn brick_color_named(name: &str) -> Option<u32> {
    TABLE.colors.iter().find(|(_, (_, known))| known.eq_ignore_ascii_case(name)).map(|(&number, _)| number)
}

/// The text about a number that is not in the palette.
#[doc(hidden)]
pub fn not_a_brick_color(number: u32) -> Option<String> {
    brick_color(number).is_none().then(|| format!("{number} is not the number of a BrickColor"))
}

/// The number for a string that names an item of a property's enum or a `BrickColor`; `None` for other values, for
/// other properties, and if `to` is not a type of such numbers.
///
/// # Errors
/// The reason, if there is no such item or colour.
#[doc(hidden)]
pub fn named(
    class: impl AsRef<[u8]>,
    property: &[u8],
    value: ValueRef<'_>,
    to: Option<Kind>,
) -> Result<Option<Value>, String> {
    let ValueRef::String(text) = value else { return Ok(None) };
    let is_number = matches!(to, Some(Kind::Enum | Kind::BrickColor | Kind::Int32));
    let Some(property) = is_number.then(|| self::class(class)?.property(property)).flatten() else {
        return Ok(None);
    };
    let name = text.to_str_lossy();
    let (found, of, closest) = match (property.kind(), property.items()) {
        (Kind::BrickColor, _) => {
            (brick_color_named(&name), "the name of a BrickColor".to_owned(), closest_brick_color(&name))
        }
        (_, Some(of)) => (of.item(&name), format!("an item of the enum {}", of.name), of.closest(&name)),
        _ => return Ok(None),
    };
    let meant = || closest.map_or_else(String::new, |closest| format!(" (did you mean \"{closest}\"?)"));
    let number = found.ok_or_else(|| format!("{:?} is not {of}{}", text, meant()))?;
    Ok(Some(match property.kind() {
        Kind::BrickColor => BrickColor(number).into(),
        _ => Value::Enum(number),
    }))
}

/// The name of a `BrickColor` that differs from a misspelled one in at most two letters.
pub fn closest_brick_color(name: &str) -> Option<&'static str> {
    closest(name.as_bytes(), TABLE.colors.values().map(|&(_, name)| name))
}

/// An enum: a name, and items that each have a name and a number.
#[derive(Clone, Copy, Debug)]
pub struct Enum {
    name: &'static str,
    /// In the order of the numbers.
    items: &'static [(u32, &'static str)],
}

/// The enum with a name, such as `Material`.
pub fn enum_named(name: &str) -> Option<Enum> {
    let (name, items) = TABLE.enums.get_key_value(name)?;
    Some(Enum { name, items })
}

impl Enum {
    /// Its name: `Material`.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// The name of the item with a number; the first one if several have it.
    pub fn item_name(self, number: u32) -> Option<&'static str> {
        let first = self.items.partition_point(|&(known, _)| known < number);
        self.items.get(first).filter(|&&(known, _)| known == number).map(|&(_, name)| name)
    }

    /// The number of the item with a name: `Grass` or `Enum.Material.Grass`.
    pub fn item(self, name: &str) -> Option<u32> {
        let name = self.unqualified(name);
        self.items.iter().find(|&&(_, known)| known == name).map(|&(number, _)| number)
    }

    /// The numbers and the names of all items, in the order of the numbers.
    pub fn items(self) -> impl ExactSizeIterator<Item = (u32, &'static str)> {
        self.items.iter().copied()
    }

    /// The name of the item that was probably meant, found like [`Class::closest`].
    pub fn closest(self, name: &str) -> Option<&'static str> {
        closest(self.unqualified(name).as_bytes(), self.items.iter().map(|&(_, name)| name))
    }

    /// A name without `Enum.` and the name of the enum.
    fn unqualified(self, text: &str) -> &str {
        let name =
            text.strip_prefix("Enum.").and_then(|rest| rest.strip_prefix(self.name)?.strip_prefix('.'));
        name.unwrap_or(text)
    }
}

/// A class.
#[derive(Clone, Copy)]
pub struct Class(&'static ClassRow);

impl Class {
    /// Its name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The class from which it inherits.
    pub fn base(self) -> Option<Self> {
        self.0.base.map(|base| Self(&TABLE.classes[base]))
    }

    /// Whether the class has this name, or inherits from a class with this name.
    pub fn is_a(self, name: &str) -> bool {
        self.with_bases().any(|class| class.name() == name)
    }

    /// Whether its instances are services of a place, such as `Workspace`.
    pub fn is_service(self) -> bool {
        self.0.is_service
    }

    /// A property of the class or of a class from which it inherits: by its stored name, or else by a name that scripts
    /// see or that old files have.
    pub fn property(self, name: impl AsRef<[u8]>) -> Option<Property> {
        let &(row, _) = self.named(name.as_ref())?;
        Some(Property { class: self, row })
    }

    /// A property by the name under which files store it.
    pub fn stored(self, name: impl AsRef<[u8]>) -> Option<Property> {
        let &(row, _) = self.named(name.as_ref()).filter(|(_, is_stored)| *is_stored)?;
        Some(Property { class: self, row })
    }

    /// A property by any name. Readers of files ask for many: a class keeps a map.
    fn named(self, name: &[u8]) -> Option<&'static Named> {
        let all = self.0.named.get_or_init(|| {
            let stored = self.rows().map(|row| (row.name, (row, true)));
            let shown = self.rows().flat_map(|row| row.shown().map(move |name| (name, (row, false))));
            let mut all = NameMap::default();
            for (name, named) in stored.chain(shown) {
                all.entry(name).or_insert(named);
            }
            all
        });
        all.get(std::str::from_utf8(name).ok()?)
    }

    /// All properties that files store, those of the class before those that it inherits.
    pub fn properties(self) -> impl Iterator<Item = Property> {
        self.rows().map(move |row| Property { class: self, row })
    }

    /// The name of the property that was probably meant: a name that differs by case, or by one or two letters. `None`
    /// if no name is that close, or if real files have the given name.
    pub fn closest(self, name: &str) -> Option<&'static str> {
        let is_replaced = self.property(name).is_some_and(|of| !of.row.replaced_by.is_empty());
        if TABLE.old.contains_key(name) || self.old(name).is_some() || is_replaced {
            return None;
        }
        let name = name.as_bytes();
        let among = |is_wanted: fn(&&PropertyRow) -> bool| {
            let rows = self.rows().filter(is_wanted);
            closest(name, rows.flat_map(|row| std::iter::once(row.name).chain(row.shown())))
        };
        let (any, of_today) = (among(|_| true)?, among(|row| row.replaced_by.is_empty()));
        // Of names that are as close, one of today counts.
        let is_as_close = |of: &&str| distance(name, of.as_bytes()) <= distance(name, any.as_bytes());
        Some(of_today.filter(is_as_close).unwrap_or(any))
    }

    /// A property of this name that the class, or a class from which it inherits, had in other years.
    fn old(self, property: &str) -> Option<OldRow> {
        let mut name = String::new();
        self.with_bases().find_map(|class| {
            name.clear();
            name.extend([class.name(), ".", property]);
            TABLE.old.get(name.as_str()).copied()
        })
    }

    fn with_bases(self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self), |class| class.base())
    }

    fn rows(self) -> impl Iterator<Item = &'static PropertyRow> {
        self.with_bases().flat_map(|class| class.0.own())
    }
}

impl fmt::Debug for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Class({})", self.name())
    }
}

/// A property of a class, as files store it.
#[derive(Clone, Copy)]
pub struct Property {
    class: Class,
    row: &'static PropertyRow,
}

impl Property {
    /// The name under which files store it: `size` for `Size`.
    pub fn name(self) -> &'static str {
        self.row.name
    }

    /// The name that scripts see: `Size` for `size`.
    pub fn script_name(self) -> &'static str {
        self.row.shown.split(',').next().filter(|name| !name.is_empty()).unwrap_or(self.row.name)
    }

    /// Other names: those that scripts see, and those of old files.
    pub fn other_names(self) -> impl Iterator<Item = &'static str> {
        self.row.shown()
    }

    /// The type with which files store it.
    pub fn kind(self) -> Kind {
        self.row.kind
    }

    /// The enum of its values; `None` if they are no items of an enum, or if the table lacks the enum.
    pub fn items(self) -> Option<Enum> {
        enum_named(self.row.of)
    }

    /// The text about a number that is not an item of the enum, or not in the palette.
    #[doc(hidden)]
    pub fn not_an_item(self, value: &Value) -> Option<String> {
        match *value {
            Value::Enum(item) => {
                let of = self.items().filter(|of| of.item_name(item).is_none())?;
                Some(format!("{item} is not an item of the enum {}", of.name()))
            }
            Value::BrickColor(color) => not_a_brick_color(color.0),
            // Studio writes a `BrickColor` as an integer in XML.
            Value::Int32(number) if self.kind() == Kind::BrickColor => {
                not_a_brick_color(number.cast_unsigned())
            }
            _ => None,
        }
    }

    /// The names in scripts of the properties that have replaced this one: Roblox reads this one, and writes the
    /// others.
    pub fn replaced_by(self) -> impl Iterator<Item = &'static str> {
        self.row.replaced_by.split(',').filter(|name| !name.is_empty())
    }

    /// The range of its number, or of each component if there are several; `None` if Roblox documents none.
    pub fn range(self) -> Option<RangeInclusive<f32>> {
        ranges::of(|name| self.class.is_a(name), self.row.name)
    }

    /// The value that an instance of the class has if its file lacks the property; `None` if it is not known. That of a
    /// property that others have replaced follows from theirs.
    pub fn default(self) -> Option<Value> {
        if self.row.name == "Name" {
            return Some(self.class.name().into());
        }
        let changed = self.class.with_bases().find_map(|class| class.0.change(self.row.name));
        match changed.unwrap_or(self.row.default) {
            "?" => match of_every_instance(self.row.name) {
                Some(value) => value.converted(self.kind()),
                None => {
                    let newer = self.class.property(self.replaced_by().next()?)?;
                    turn(newer.kind(), self.kind())?(newer.default()?.as_ref())
                }
            },
            text => default::parse(self.row.kind, text),
        }
    }
}

/// The values that Studio writes for a new instance, of properties that every instance has and the table has no default of.
fn of_every_instance(name: &str) -> Option<Value> {
    Some(match name {
        "AttributesSerialize" | "Tags" => "".into(),
        "HistoryId" | "UniqueId" => UniqueId::default().into(),
        "SourceAssetId" => Value::Int64(-1),
        _ => return None,
    })
}

impl fmt::Debug for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Property({}.{}: {})", self.class.name(), self.name(), self.kind())
    }
}
