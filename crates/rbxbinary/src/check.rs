//! Checks a document against the rules that reading does not enforce.

use std::collections::{HashMap, HashSet};

use bstr::{BStr, ByteSlice};

use crate::consts::{ChunkName, ClassFormat};
use crate::model::{self, Class, Column, Document, Place, Property, Referent};
use geom::wire::{Finding, Findings, found, report, rules};

rules! {
    "rbxbinary":
    CLASS_COUNT = Error("class-count", "the header states the number of classes");
    INSTANCE_COUNT = Error("instance-count", "the header states the number of instances");
    RESERVED = Warning("reserved", "reserved bytes are zero");
    METADATA_KEYS = Warning("metadata-keys", "each metadata key occurs once");
    EXTRA = Warning("extra", "no bytes follow the known content of a chunk, and none follow the END chunk");
    PARENTS_CHUNK = Error("parents-chunk", "a file has a PRNT chunk");
    METADATA_CHUNK = Warning("metadata-chunk", "a model has a META chunk");
    END_CHUNK = Error("end-chunk", "a file ends with an END chunk that contains </roblox>");
    CHUNK_NAMES = Warning("chunk-names", "chunks have a known name");
    SINGLE_CHUNKS = Error("single-chunks", "a file has each of META, SSTR, SIGN and PRNT at most once");
    COLUMN_CLASSES = Error("column-classes", "a column belongs to a class of the file");
    CLASS_IDS = Error("class-ids", "no two classes have the same id");
    CLASS_NAMES = Warning("class-names", "no two classes have the same name");
    CLASS_FORMATS = Error("class-formats", "the format of a class is 0 (regular) or 1 (service)");
    SERVICE_FLAGS = Error("service-flags", "a service class has one marker per instance; any other class has none");
    SERVICE_MARKERS = Warning("service-markers", "a service's marker is 0 or 1, and 1 only at the root");
    REFERENTS = Error("referents", "each instance has a unique referent");
    PARENT_ROWS = Error("parent-rows", "each instance has exactly one row in the PRNT chunk");
    PARENTS = Error("parents", "the children and parents in the PRNT chunk are instances of the file");
    CYCLES = Error("cycles", "no instance is its own ancestor");
    PROPERTY_NAMES = Error("property-names", "a class has one column per property, and each property has a name");
    COLUMN_LENGTHS = Error("column-lengths", "a column has one value for each instance of its class");
    COLUMN_TYPES = Warning("column-types", "a column has a known type");
    COLUMN_VALUES = Error("column-values", "the bytes of a column are valid values of its type, with none left over");
    SHARED_STRINGS = Error("shared-strings", "the index of a shared string is below the number of strings in SSTR");
    REFERENCES = Error("references", "a reference is null or refers to an instance of the file");
    ROTATION_IDS = Error("rotation-ids", "a rotation id is one of the 24 that the format defines");
    UNIQUE_IDS = Error("unique-ids", "no two instances have the same UniqueId");
    STORED_TYPES = Warning("stored-types", "a property has the type that Roblox stores (with the feature `classes`)");
    STORED_NAMES = Warning("stored-names", "a property name is not a misspelling of a known one (with `classes`)");
    RANGES = Warning("ranges", "a number is within the range that Roblox documents for the property (with `classes`)");
    ITEMS = Warning("items", "an enum value is an item of its enum, and a BrickColor is in the palette (with `classes`)");
}

/// Returns one finding for each rule that a document violates. [`RULES`] lists all rules.
///
/// ```
/// # fn main() -> rbxbinary::Result<()> {
/// # let bytes = rbxbinary::to_vec(&rbxbinary::Document::new())?;
/// for finding in rbxbinary::check(&rbxbinary::from_slice(&bytes)?) {
///     println!("{finding}");
/// }
/// # Ok(())
/// # }
/// ```
pub fn check(document: &Document) -> Vec<Finding> {
    let mut findings = Findings::default();
    header(document, &mut findings);
    chunks(document, &mut findings);
    let referents = classes(document, &mut findings);
    parents(document, &referents, &mut findings);
    for (class, number) in document.classes.iter().zip(0_u32..) {
        let mut names = HashSet::new();
        for (index, property) in class.properties.iter().enumerate() {
            if property.name.is_empty() {
                findings.add(PROPERTY_NAMES, || (path(class, property), "no name".into()));
            } else if !names.insert(&property.name) {
                findings
                    .add(PROPERTY_NAMES, || (path(class, property), "a second column of this name".into()));
            }
            column(document, class, property, &referents, &mut findings);
            if let Some((row, id)) = document.frames.odd_rotation(number, index) {
                found!(findings, ROTATION_IDS, format!("{}[{row}]", path(class, property)), "{id:#04x}");
            }
        }
    }
    unique_ids(document, &mut findings);
    #[cfg(feature = "classes")]
    known(document, &mut findings);
    findings.into_vec()
}

/// Compares the columns with Roblox's class table.
#[cfg(feature = "classes")]
fn known(document: &Document, findings: &mut Findings) {
    use crate::edit::classes::{Odd, not_an_item, odd, out_of_range};
    for class in document.classes.iter().filter(|class| !class.referents.is_empty()) {
        for property in &class.properties {
            let path = || path(class, property);
            match odd(class.name.as_bstr(), &property.name, &property.column) {
                Some(Odd::Type(found)) => findings.add(STORED_TYPES, || (path(), found)),
                Some(Odd::Name(found)) => findings.add(STORED_NAMES, || (path(), found)),
                None => {}
            }
            if let Some((row, found)) = not_an_item(class.name.as_bstr(), &property.name, &property.column) {
                findings.add(ITEMS, || (format!("{}[{row}]", path()), found));
            }
            if let Some((row, found)) = out_of_range(class.name.as_bstr(), &property.name, &property.column) {
                findings.add(RANGES, || (format!("{}[{row}]", path()), found));
            }
        }
    }
}

fn path(class: &Class, property: &Property) -> String {
    format!("{}.{}", class.name, property.name)
}

fn header(document: &Document, findings: &mut Findings) {
    let header = &document.header;
    if let Some(count) = header.class_count {
        findings.add(CLASS_COUNT, || {
            ("header.class_count".into(), format!("{count}, but the file has {}", document.classes.len()))
        });
    }
    if let Some(count) = header.instance_count {
        findings.add(INSTANCE_COUNT, || {
            ("header.instance_count".into(), format!("{count}, but the file has {}", document.len()))
        });
    }
    report!(findings, header.reserved != [0; 8], RESERVED, "header.reserved", "{:02x?}", header.reserved);
    let mut keys = HashSet::new();
    for (index, entry) in document.metadata.iter().enumerate() {
        report!(
            findings,
            !keys.insert(&entry.key),
            METADATA_KEYS,
            "metadata[{index}].key",
            "duplicate {}",
            entry.key
        );
    }
}

/// Checks the chunks of the file that the document was read from.
fn chunks(document: &Document, findings: &mut Findings) {
    let frames = &document.frames;
    for (name, extra) in [
        ("metadata", &frames.metadata_extra),
        ("shared_strings", &frames.shared_strings_extra),
        ("parents", &frames.parents_extra),
        ("end", &frames.trailing),
    ] {
        report!(findings, !extra.is_empty(), EXTRA, "{name}", "extra bytes: {}", extra.len());
    }
    let lacks = |place| place == Place::default();
    // Places have no metadata: their roots are services.
    let is_place = document.classes.iter().any(|class| class.format == ClassFormat::SERVICE);
    if lacks(frames.metadata) && document.metadata.is_empty() && !is_place {
        match frames.is_new() {
            true if document.is_empty() => {}
            true => findings.add(METADATA_CHUNK, || {
                ("metadata".into(), "no metadata, so no META chunk will be written".into())
            }),
            false => findings.add(METADATA_CHUNK, || ("chunks".into(), "no META chunk".into())),
        }
    }
    if frames.is_new() {
        return;
    }
    report!(findings, lacks(frames.parents) && !frames.relinked, PARENTS_CHUNK, "chunks", "no PRNT chunk");
    report!(findings, lacks(frames.end) && !frames.edited, END_CHUNK, "chunks", "no END chunk");
    if let Some(end) = &frames.end_content {
        findings.add(END_CHUNK, || ("end".into(), format!("\"{}\"", end.escape_ascii())));
    }
    for (index, frame) in frames.chunks.iter().enumerate().filter(|(_, frame)| frame.reserved != 0) {
        findings.add(RESERVED, || (format!("chunks[{index}].reserved"), format!("{:#x}", frame.reserved)));
    }
    for (unknown, place) in &frames.unknown {
        let single = [ChunkName::META, ChunkName::SSTR, ChunkName::PRNT, ChunkName::SIGN];
        let at = || format!("chunks[{}]", place.chunk().unwrap_or_default());
        if unknown.name == ChunkName::PROP {
            findings.add(COLUMN_CLASSES, || (at(), "a PROP chunk whose class is not in the file".into()));
        } else if single.contains(&unknown.name) {
            findings.add(SINGLE_CHUNKS, || (at(), format!("a second {} chunk", unknown.name)));
        } else {
            findings.add(CHUNK_NAMES, || (at(), unknown.name.to_string()));
        }
    }
}

/// Checks the classes and their instances; returns all existing referents.
fn classes(document: &Document, findings: &mut Findings) -> HashSet<Referent> {
    let mut referents = HashSet::new();
    let (mut ids, mut names) = (HashSet::new(), HashSet::new());
    for (index, class) in document.classes.iter().enumerate() {
        let at = |field: &str| format!("classes[{index}].{field}");
        if !ids.insert(class.id) {
            findings.add(CLASS_IDS, || (at("id"), format!("{}: {} has the same id", class.name, class.id)));
        }
        report!(findings, !names.insert(&class.name), CLASS_NAMES, at("name"), "{}", class.name);
        report!(findings, class.format.0 > 1, CLASS_FORMATS, at("format"), "{}", class.format.0);
        if !class.extra.is_empty() {
            findings.add(EXTRA, || (class.name.to_string(), format!("extra bytes: {}", class.extra.len())));
        }
        let expected = if class.format == ClassFormat::SERVICE { class.referents.len() } else { 0 };
        if class.markers.len() != expected {
            found!(
                findings,
                SERVICE_FLAGS,
                at("markers"),
                "found {}, expected {expected}",
                class.markers.len()
            );
        }
        for (row, &referent) in class.referents.iter().enumerate() {
            let at = || format!("classes[{index}].referents[{row}]");
            if referent.is_null() {
                findings.add(REFERENTS, || (at(), "null".into()));
            } else if !referents.insert(referent) {
                findings.add(REFERENTS, || (at(), format!("{referent} is the referent of another instance")));
            }
        }
    }
    referents
}

fn parents(document: &Document, referents: &HashSet<Referent>, findings: &mut Findings) {
    let rows = document.parents();
    let (children, parents) = (&rows.children, &rows.parents);
    if children.len() != parents.len() {
        found!(findings, PARENT_ROWS, "parents", "parents: {}; children: {}", parents.len(), children.len());
    }
    let mut of = HashMap::new();
    for (row, (child, parent)) in children.iter().zip(parents).enumerate() {
        let at = |field: &str| format!("parents.{field}[{row}]");
        let missing = |referent| format!("no instance has the referent {referent}");
        report!(findings, !referents.contains(child), PARENTS, at("children"), "{}", missing(child));
        if !parent.is_null() && !referents.contains(parent) {
            findings.add(PARENTS, || (at("parents"), missing(parent)));
        }
        if of.insert(*child, *parent).is_some() {
            findings.add(PARENT_ROWS, || (at("children"), format!("a second row for referent {child}")));
        }
    }
    for (index, class) in document.classes.iter().enumerate() {
        for (row, referent) in class.referents.iter().enumerate() {
            if !of.contains_key(referent) {
                found!(
                    findings,
                    PARENT_ROWS,
                    "classes[{index}].referents[{row}]",
                    "no row for referent {referent}"
                );
            }
            let at_root = of.get(referent).is_none_or(|parent| parent.is_null());
            // A marker of 0 at the root is valid, too: Studio writes it for a service at the root of a model.
            if let Some(&marker) = class.markers.get(row)
                && (marker > 1 || marker == 1 && !at_root)
            {
                let found = if at_root { "at the root" } else { "not at the root" };
                found!(
                    findings,
                    SERVICE_MARKERS,
                    "classes[{index}].markers[{row}]",
                    "{marker} for a service {found}"
                );
            }
        }
    }
    cycles(children, &of, findings);
}

/// Reports instances that are their own ancestors.
fn cycles(children: &[Referent], of: &HashMap<Referent, Referent>, findings: &mut Findings) {
    // For each instance, the number of the walk that met it first.
    let mut met: HashMap<Referent, usize> = HashMap::new();
    for (walk, start) in children.iter().enumerate() {
        let mut at = *start;
        loop {
            if let Some(&before) = met.get(&at) {
                if before == walk {
                    found!(findings, CYCLES, "parents.children[{walk}]", "instance {at} is its own ancestor");
                }
                break;
            }
            met.insert(at, walk);
            match of.get(&at) {
                Some(&above) if !above.is_null() => at = above,
                _ => break,
            }
        }
    }
}

fn column(
    document: &Document,
    class: &Class,
    property: &Property,
    referents: &HashSet<Referent>,
    findings: &mut Findings,
) {
    let at = |row: usize| format!("{}[{row}]", path(class, property));
    if let Some(len) = property.column.len().filter(|&len| len != class.referents.len()) {
        findings.add(COLUMN_LENGTHS, || {
            (path(class, property), format!("values: {len}; instances: {}", class.referents.len()))
        });
    }
    property.references(|row, referent| {
        // A reference to an instance that an edit removed is written as null.
        if !referents.contains(&referent)
            && !document.index.get().is_some_and(|index| index.is_removed(referent))
        {
            findings.add(REFERENCES, || (at(row), format!("no instance has the referent {referent}")));
        }
    });
    match &property.column {
        Column::SharedString(values) => {
            let count = document.shared_strings.len();
            for (row, value) in values.iter().enumerate().filter(|(_, value)| value.0 as usize >= count) {
                findings.add(SHARED_STRINGS, || {
                    (at(row), format!("index {} out of range (count: {count})", value.0))
                });
            }
        }
        Column::Untyped => {
            findings.add(COLUMN_TYPES, || {
                (path(class, property), "no type: the chunk ends after the name".into())
            });
        }
        Column::Unknown { type_id, bytes } => match type_id.name() {
            None => findings.add(COLUMN_TYPES, || (path(class, property), format!("type {type_id}"))),
            Some(_) => findings.add(COLUMN_VALUES, || {
                let instances = class.referents.len();
                (
                    path(class, property),
                    format!("malformed {type_id} (bytes: {}; instances: {instances})", bytes.len()),
                )
            }),
        },
        _ => {}
    }
}

fn unique_ids(document: &Document, findings: &mut Findings) {
    let mut first: HashMap<_, (&BStr, usize)> = HashMap::new();
    for (class, row, id) in model::unique_ids(&document.classes).filter(|(_, _, id)| !id.is_nil()) {
        let here = (class.name.as_bstr(), row);
        let (other, other_row) = *first.entry(id).or_insert(here);
        if (other, other_row) != here {
            findings.add(UNIQUE_IDS, || {
                (
                    format!("{}.UniqueId[{row}]", class.name),
                    format!("the same as {other}.UniqueId[{other_row}]"),
                )
            });
        }
    }
}
