//! The tables and their columns.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};

/// A table, named by its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Table {
    /// Each asset: its format and counts, or the error of reading it.
    Assets,
    /// Each rule that an asset violates.
    Findings,
    /// Each instance of Roblox models and places, each before its children.
    Instances,
    /// Each reference to an asset from a property of another asset.
    References,
    /// Each property of each instance of Roblox models and places, with its value.
    Properties,
}

/// A column: its name, its type, and whether a row may lack a value.
type Column = (&'static str, DataType, bool);

/// The columns of counts in `assets`, with the names of the facts that they are taken from.
pub(crate) const COUNTS: [(&str, &[&str]); 7] = [
    ("vertices", &["vertices"]),
    ("triangles", &["triangles"]),
    ("bones", &["bones", "joints"]),
    ("materials", &["materials"]),
    ("animations", &["actions", "animations"]),
    ("instances", &["instances"]),
    ("scripts", &["scripts"]),
];
/// The smallest and largest coordinates.
pub(crate) const BOUNDS: [&str; 6] = ["min_x", "min_y", "min_z", "max_x", "max_y", "max_z"];

impl Table {
    /// All tables.
    pub const ALL: [Self; 5] =
        [Self::Assets, Self::Findings, Self::Instances, Self::References, Self::Properties];

    /// The name: `assets`, `findings`, `instances`, `references` or `properties`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Assets => "assets",
            Self::Findings => "findings",
            Self::Instances => "instances",
            Self::References => "references",
            Self::Properties => "properties",
        }
    }

    /// The table of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }

    /// The columns. Every table begins with `path` and `blake3`, by which they are joined.
    pub fn schema(self) -> SchemaRef {
        use DataType::{Float32, Int64, UInt64, Utf8};
        let mut columns: Vec<Column> = vec![("path", Utf8, false), ("blake3", Utf8, false)];
        match self {
            Self::Assets => {
                columns.extend([("format", Utf8, true), ("version", Utf8, true), ("bytes", UInt64, false)]);
                columns.extend(COUNTS.map(|(name, _)| (name, UInt64, true)));
                columns.push(("references", UInt64, true));
                columns.extend(BOUNDS.map(|name| (name, Float32, true)));
                columns.extend([("error_kind", Utf8, true), ("error", Utf8, true)]);
            }
            Self::Findings => {
                columns.extend(
                    ["rule", "severity", "at", "found", "demands"]
                        .map(|name| (name, Utf8, name == "demands")),
                );
                columns.push(("count", UInt64, false));
            }
            Self::Instances => columns.extend([
                ("referent", Int64, false),
                ("parent", Int64, true),
                ("class", Utf8, false),
                ("name", Utf8, true),
                ("instance", Utf8, true),
            ]),
            Self::References => columns.extend([
                ("reference", Utf8, false),
                ("asset", UInt64, true),
                ("property", Utf8, true),
                ("at", Utf8, false),
            ]),
            Self::Properties => {
                columns.push(("referent", Int64, true));
                columns.extend(
                    ["class", "property", "type", "value", "source", "error"].map(|name| (name, Utf8, true)),
                );
            }
        }
        let field = |(name, kind, is_nullable)| Field::new(name, kind, is_nullable);
        Arc::new(Schema::new(columns.into_iter().map(field).collect::<Vec<_>>()))
    }
}
