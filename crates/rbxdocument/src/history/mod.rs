//! Documents for the clients of other years.
//!
//! A table has the months in which Roblox had each class, property and enum item, from dumps of its API, one a month from
//! 2011-10 to 2023-09. What the dumps do not show (names that only files have, types) is dated by files of known months.
//!
//! [`to_client`] converts a document so that a client of a month knows all of it, and lists what it changed;
//! [`check_client`] only lists; [`oldest`] finds the oldest client that knows a document unchanged, and what decides it.
//!
//! ```
//! # fn main() -> rbxdocument::Result<()> {
//! use rbxdocument::history::{ClientOptions, Month, to_client};
//!
//! # let mut place = rbxxml::Document::new();
//! # let part = rbxdocument::NewInstance::new("Part").property("Name", "Door").property("Material", 1376);
//! # place.insert(None, part)?;
//! # let place = rbxdocument::AnyDocument::from(place);
//! let month = Month::parse("2015-06").unwrap();
//! let old = to_client(&*place, month, &ClientOptions::new())?;
//! for change in &old.changes {
//!     println!("[{}] {change}", change.rule);
//! }
//! # assert!(old.changes.iter().any(|change| change.rule == "client.enum-item"));
//! # Ok(())
//! # }
//! ```

mod blocks;
mod build;
mod oldest;
mod table;
mod values;
mod walk;

use std::collections::HashMap;
use std::fmt;

pub use build::{Client, check_client, to_client};
pub use oldest::{Decides, Oldest, oldest};
pub use table::{
    Month, PropertyRow, Span, Status, all, class_span, has_class, has_kind, has_name, item_span, kind_of,
    kind_since, property, property_kind,
};
pub use values::older_names;

use geom::Vec3;
use rbxcore::{Color3uint8, InstanceId};

use crate::Form;
use crate::errors::Loss;
use crate::errors::LossKind;

geom::wire::options! {
    /// Options of [`to_client`].
    ClientOptions {
        /// The number of bytes that the result may allocate: 1 GiB by default.
        max_bytes: u64 = geom::wire::DEFAULT_MAX_BYTES;
        /// The form of the result. By default, that of the document, and XML for months before [`BINARY_SINCE`].
        form: Form => Option<Form> = None;
        /// The meshes of unions, for months without unions: a block stands for each of the others.
        unions: HashMap<InstanceId, UnionFile> = HashMap::new();
        /// Terrain becomes parts, whose sizes are multiples of this number of voxels: 1, 2, 4 or 8. By default, it becomes the
        /// terrain of the month.
        terrain_parts: u32 => Option<u32> = None;
    }
}

/// The file with the mesh of a union, which stands for it in a client without unions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnionFile {
    /// The address of the mesh.
    pub mesh: String,
    /// The address of a texture with the colours of the mesh; empty if the colour of the part is that of the mesh.
    pub texture: String,
    /// The colour of the part, if it is another one than the union states.
    pub color: Option<Color3uint8>,
    /// The size of a union that the mesh fits without a scale.
    pub size: Vec3,
}

/// The first month whose clients are given the binary form. No dump states it: the oldest public description of the format
/// is of the end of 2013, and all clients read XML.
pub const BINARY_SINCE: Month = Month::new(2014, 1);

/// The first month whose clients are given chunks in Zstandard; all read LZ4.
pub const ZSTD_SINCE: Month = Month::new(2025, 1);

/// The first month whose clients are given attributes that refer to instances. No table dates them: the oldest public
/// description is of July 2026, and a client that does not know the type loses the attributes behind it, too.
pub const ATTRIBUTE_REFERENCES_SINCE: Month = Month::new(2026, 7);

/// The first month whose clients know how much a part absorbs sound, the sixth number of `CustomPhysicalProperties`. No table
/// dates it: rbx-dom, which describes files of its day, learned it in October 2025.
pub const ACOUSTIC_SINCE: Month = Month::new(2025, 10);

/// The first month whose clients have parts thinner than 0.2 studs, down to 0.05. No table dates it: an issue of the building
/// tools F3X of 22 June 2017 says that the limit changed recently.
pub const THIN_SINCE: Month = Month::new(2017, 6);

/// The months since which the clients read a version of meshes, the newest first; all read 1.00. No dump states them: those
/// up to 5.00 are from a description by people who run old clients (April 2010, April 2019, May 2020, October 2021), and
/// later ones are given to clients of today only.
pub const MESHES_SINCE: [(Month, &str); 5] = [
    (Month::new(2025, 1), "7.00"),
    (Month::new(2021, 10), "5.00"),
    (Month::new(2020, 5), "4.00"),
    (Month::new(2019, 4), "3.00"),
    (Month::new(2010, 4), "2.00"),
];

/// The newest version of meshes that the clients of a month read.
pub fn mesh_version(month: Month) -> &'static str {
    MESHES_SINCE.iter().find(|(since, _)| *since <= month).map_or("1.00", |(_, version)| version)
}

/// What a conversion to an older client changes: the first case, and the number of cases.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The stable id of the kind of change, such as `client.property`; see [`RULES`].
    pub rule: &'static str,
    /// Whether it is dropped, changed or filled in.
    pub kind: LossKind,
    /// The path of the first case.
    pub path: String,
    /// The class.
    pub class: String,
    /// The property, if it is about one.
    pub property: Option<String>,
    /// A description, as a part of a sentence.
    pub what: String,
    /// The number of instances.
    pub count: usize,
}

impl Change {
    /// Whether a client of the month would notice; see [`has_effect`].
    pub fn has_effect(&self) -> bool {
        has_effect(self.rule)
    }
}

/// Whether a client of the month would notice a change of a rule. It would not for properties with their default, for numbers
/// that only Studio uses, for values that other instances need as well, and for what is in no instance.
pub fn has_effect(rule: &str) -> bool {
    !matches!(rule, WITHOUT_EFFECT | FILE | FILLED)
}

/// `Workspace/Door.CastShadow: came with 2019-05 (and 3 more)`.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        if let Some(property) = &self.property {
            write!(f, ".{property}")?;
        }
        if !self.path.is_empty() {
            f.write_str(": ")?;
        }
        f.write_str(&self.what)?;
        match self.count {
            0 | 1 => Ok(()),
            count => write!(f, " (and {} more)", count - 1),
        }
    }
}

impl From<&Change> for Loss {
    fn from(change: &Change) -> Self {
        let path = match &change.property {
            Some(property) => format!("{}.{property}", change.path),
            None => change.path.clone(),
        };
        // Losses are listed by their text, and a property is one thing to lose.
        let is_of_property = matches!(change.rule, PROPERTY | WITHOUT_EFFECT | UNKNOWN);
        let what = match change.property.as_ref().filter(|_| is_of_property) {
            Some(property) => format!("{property} {}", change.what),
            None => change.what.clone(),
        };
        let mut loss = Self::new(path, what).id(change.rule);
        loss.count = change.count;
        loss.kind = change.kind;
        loss
    }
}

pub(crate) const CLASS: &str = "client.class";
pub(crate) const REPLACED: &str = "client.class-replaced";
pub(crate) const MOVED: &str = "client.moved";
pub(crate) const PROPERTY: &str = "client.property";
pub(crate) const WITHOUT_EFFECT: &str = "client.without-effect";
pub(crate) const RENAMED: &str = "client.renamed";
pub(crate) const NEAREST: &str = "client.nearest";
pub(crate) const TYPE: &str = "client.type";
pub(crate) const ITEM: &str = "client.enum-item";
pub(crate) const REFERENCE: &str = "client.reference";
pub(crate) const TERRAIN: &str = "client.terrain";
pub(crate) const FORM: &str = "client.form";
pub(crate) const FILE: &str = "client.file";
pub(crate) const FILLED: &str = "client.filled";
pub(crate) const UNKNOWN: &str = "client.unknown";

/// The ids of all kinds of change, and what an unchanged document fulfils.
pub const RULES: &[(&str, &str)] = &[
    (CLASS, "the clients of the month know the class; otherwise, the instance is dropped"),
    (REPLACED, "the clients of the month know the class; otherwise, a similar one stands for it"),
    (MOVED, "the clients of the month know the parent; otherwise, the instance moves to another one"),
    (PROPERTY, "the clients of the month know the property; otherwise, it is dropped"),
    (
        WITHOUT_EFFECT,
        "the clients of the month know the property; one with its default is dropped without effect",
    ),
    (RENAMED, "the clients of the month know the name of the property; otherwise, it gets the older name"),
    (NEAREST, "the clients of the month can store the value; otherwise, the nearest one is used"),
    (TYPE, "the clients of the month know the type of the value"),
    (ITEM, "the clients of the month know the item of the enum; otherwise, the most similar one is used"),
    (REFERENCE, "the instance to which a property refers remains"),
    (TERRAIN, "the clients of the month know the form of the terrain"),
    (FORM, "the clients of the month read the form and the compression of the file"),
    (FILE, "the clients of the month know what is in no instance: metadata, signatures, unknown chunks"),
    (FILLED, "a value that a binary file needs for all instances of a class is known"),
    (
        UNKNOWN,
        "some client knows the class, the property or the item of the enum; otherwise, it is dropped, or another item stands for it",
    ),
];
