//! Checks a document against the rules that reading does not enforce.

use std::collections::{HashMap, HashSet};

use rbxcore::{ColorSequence, ColorSequenceKeypoint, NumberSequence};

use crate::consts::{ChunkName, ClassFormat};
use crate::model::{self, Class, Column, Document, Place, Property, Referent};
use geom::wire::{Counted, Finding, Findings, found, report, rules};

rules! {
    "rbxbinary":
    CLASS_COUNT = Error("class-count", "the class count in the header equals the number of classes in the file");
    INSTANCE_COUNT = Error("instance-count", "the instance count in the header equals the number of instances in the file");
    RESERVED = Warning("reserved", "reserved bytes are zero");
    METADATA_KEYS = Warning("metadata-keys", "each metadata key occurs only once");
    EXTRA = Warning("extra", "no bytes follow the known content of a chunk, or the END chunk");
    PARENTS_CHUNK = Error("parents-chunk", "a file has a PRNT chunk");
    METADATA_CHUNK = Warning("metadata-chunk", "a model has a META chunk, as models from Studio do");
    END_CHUNK = Error("end-chunk", "a file ends with an END chunk that contains `</roblox>`");
    CHUNK_NAMES = Warning("chunk-names", "the name of a chunk is META, SSTR, INST, PROP, PRNT, SIGN or END");
    SINGLE_CHUNKS = Error("single-chunks", "a file has at most one META chunk, one SSTR chunk, one SIGN chunk and one PRNT chunk");
    COLUMN_CLASSES = Error("column-classes", "the class id in a PROP chunk is the id of a class in the file");
    CLASS_IDS = Error("class-ids", "no two classes have the same id");
    CLASS_NAMES = Warning("class-names", "no two classes have the same name");
    CLASS_FORMATS = Error("class-formats", "the format of a class is 0 (regular) or 1 (service)");
    SERVICE_FLAGS = Error("service-flags", "a service class has one service marker per instance, and any other class has no service markers");
    SERVICE_MARKERS = Warning("service-markers", "a service marker is 0 or 1, and it is 1 only if the service has no parent");
    REFERENTS = Error("referents", "each instance has a unique referent other than null");
    PARENT_ROWS = Error("parent-rows", "the PRNT chunk has exactly one entry (a child and its parent) for each instance");
    PARENTS = Error("parents", "every child and every non-null parent in the PRNT chunk is the referent of an instance");
    CYCLES = Error("cycles", "no instance is its own ancestor");
    PROPERTY_NAMES = Error("property-names", "each PROP chunk of a class has a different, non-empty property name");
    COLUMN_LENGTHS = Error("column-lengths", "a PROP chunk has one value for each instance of its class");
    COLUMN_TYPES = Warning("column-types", "a PROP chunk has a known value type");
    COLUMN_VALUES = Error("column-values", "the bytes of a PROP chunk can be decoded as values of its type, one for each instance");
    SHARED_STRINGS = Error("shared-strings", "every shared string index refers to an entry of the SSTR chunk");
    REFERENCES = Error("references", "a reference is null or refers to an instance in the file");
    ROTATION_IDS = Error("rotation-ids", "the rotation id of a CFrame is 0 (the rotation follows) or one of the 24 ids that the format defines");
    UNIQUE_IDS = Error("unique-ids", "no two instances have the same UniqueId");
    SEQUENCES = Error("sequences", "a NumberSequence or ColorSequence has keypoints at times 0 and 1, ordered by time");
    ENVELOPES = Warning("color-envelopes", "the envelope of a ColorSequence keypoint is 0");
    BITS = Error("axes-and-faces", "an Axes value uses only the lowest 3 bits, and a Faces value only the lowest 6");
    STORED_CLASSES = Warning("stored-classes", "a class name does not look like a misspelling of a known one");
    STORED_TYPES = Warning("stored-types", "a property has the type with which Roblox stores it");
    STORED_NAMES = Warning("stored-names", "a property name does not look like a misspelling of a known one");
    RANGES = Warning("ranges", "a number is within the range that Roblox documents for the property");
    ITEMS = Warning("items", "an enum value is an item of its enum, and a BrickColor is in the BrickColor palette");
}

/// Returns one finding for each rule that a document violates. [`RULES`] lists all rules.
///
/// The rules `stored-classes`, `stored-types`, `stored-names`, `ranges` and `items` are checked only with the feature
/// `classes`.
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
                findings.add(PROPERTY_NAMES, || (path(class, property), "the property name is empty".into()));
            } else if !names.insert(&property.name) {
                let found = "an earlier PROP chunk of the class has the same property name";
                findings.add(PROPERTY_NAMES, || (path(class, property), found.into()));
            }
            column(document, class, property, &referents, &mut findings);
            if let Some((row, id, count)) = document.frames.odd_rotation(number, index) {
                findings.add_many(ROTATION_IDS, count, || {
                    (format!("{}[{row}]", path(class, property)), format!("unknown rotation id {id:#04x}"))
                });
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
    use bstr::ByteSlice as _;
    for class in document.classes.iter().filter(|class| !class.referents.is_empty()) {
        if let Some(found) = rbxcore::classes::misspelled_class(&class.name) {
            findings.add(STORED_CLASSES, || (class.name.to_string(), found));
        }
        for property in &class.properties {
            let path = || path(class, property);
            match odd(class.name.as_bstr(), &property.name, &property.column) {
                Some(Odd::Type(found)) => findings.add(STORED_TYPES, || (path(), found)),
                Some(Odd::Name(found)) => findings.add(STORED_NAMES, || (path(), found)),
                None => {}
            }
            let (name, column) = (class.name.as_bstr(), &property.column);
            let items = not_an_item(name, &property.name, column);
            let ranges = out_of_range(name, &property.name, column);
            for (rule, broken) in [(ITEMS, items), (RANGES, ranges)] {
                if let Some((row, found, count)) = broken {
                    findings.add_many(rule, count, || (format!("{}[{row}]", path()), found));
                }
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
            let found = format!(
                "expected {} (the number of classes in the file), found {count}",
                document.classes.len()
            );
            ("header.class_count".into(), found)
        });
    }
    if let Some(count) = header.instance_count {
        findings.add(INSTANCE_COUNT, || {
            let found =
                format!("expected {} (the number of instances in the file), found {count}", document.len());
            ("header.instance_count".into(), found)
        });
    }
    report!(findings, header.reserved != [0; 8], RESERVED, "header.reserved", "found {:?}", header.reserved);
    let mut keys = HashSet::new();
    for (index, entry) in document.metadata.iter().enumerate() {
        report!(
            findings,
            !keys.insert(&entry.key),
            METADATA_KEYS,
            "metadata[{index}].key",
            "duplicate key \"{}\"",
            entry.key
        );
    }
}

/// Checks the chunks of the file that the document was read from.
fn chunks(document: &Document, findings: &mut Findings) {
    let frames = &document.frames;
    for (name, before, extra) in [
        ("metadata", "the known content of the META chunk", &frames.metadata_extra),
        ("shared_strings", "the known content of the SSTR chunk", &frames.shared_strings_extra),
        ("parents", "the known content of the PRNT chunk", &frames.parents_extra),
        ("end", "the END chunk", &frames.trailing),
    ] {
        let bytes = Counted::new(extra.len(), "bytes");
        report!(findings, !extra.is_empty(), EXTRA, "{name}", "found {bytes} after {before}");
    }
    let lacks = |place| place == Place::default();
    // Places have no metadata: their roots are services.
    let is_place = document.classes.iter().any(|class| class.format == ClassFormat::SERVICE);
    if lacks(frames.metadata) && document.metadata.is_empty() && !is_place {
        match frames.is_new() {
            true if document.is_empty() => {}
            true => findings.add(METADATA_CHUNK, || {
                (
                    "metadata".into(),
                    "the document has no metadata, so it will be written without a META chunk (Roblox also opens \
                     such models)"
                        .into(),
                )
            }),
            false => findings.add(METADATA_CHUNK, || {
                ("chunks".into(), "the file has no META chunk (Roblox also opens such models)".into())
            }),
        }
    }
    if frames.is_new() {
        return;
    }
    let no_parents = lacks(frames.parents) && !frames.relinked;
    report!(findings, no_parents, PARENTS_CHUNK, "chunks", "the file has no PRNT chunk");
    let no_end = lacks(frames.end) && !frames.edited;
    report!(findings, no_end, END_CHUNK, "chunks", "the file has no END chunk");
    if let Some(end) = &frames.end_content {
        findings
            .add(END_CHUNK, || ("end".into(), format!("the END chunk contains \"{}\"", end.escape_ascii())));
    }
    for (index, frame) in frames.chunks.iter().enumerate().filter(|(_, frame)| frame.reserved != 0) {
        let found = || format!("found {:#x}", frame.reserved);
        findings.add(RESERVED, || (format!("chunks[{index}].reserved"), found()));
    }
    for (unknown, place) in &frames.unknown {
        let single = [ChunkName::META, ChunkName::SSTR, ChunkName::PRNT, ChunkName::SIGN];
        let at = || format!("chunks[{}]", place.chunk().unwrap_or_default());
        if unknown.name == ChunkName::PROP {
            let id = || unknown.bytes.first_chunk().map_or(0, |id| u32::from_le_bytes(*id));
            let found = || format!("no class has the class id of this PROP chunk, {}", id());
            findings.add(COLUMN_CLASSES, || (at(), found()));
        } else if single.contains(&unknown.name) {
            findings.add(SINGLE_CHUNKS, || (at(), format!("found a second {} chunk", unknown.name)));
        } else {
            findings.add(CHUNK_NAMES, || (at(), format!("unknown chunk {}", unknown.name)));
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
            let found = || format!("the class {} has the id {} of an earlier class", class.name, class.id);
            findings.add(CLASS_IDS, || (at("id"), found()));
        }
        report!(
            findings,
            !names.insert(&class.name),
            CLASS_NAMES,
            at("name"),
            "duplicate class name {}",
            class.name
        );
        report!(findings, class.format.0 > 1, CLASS_FORMATS, at("format"), "found {}", class.format.0);
        if !class.extra.is_empty() {
            let bytes = Counted::new(class.extra.len(), "bytes");
            let found = || format!("found {bytes} after the known content of the INST chunk");
            findings.add(EXTRA, || (class.name.to_string(), found()));
        }
        let expected = if class.format == ClassFormat::SERVICE { class.referents.len() } else { 0 };
        if class.markers.len() != expected {
            found!(
                findings,
                SERVICE_FLAGS,
                at("markers"),
                "expected {}, found {}",
                Counted::new(expected, "service markers"),
                class.markers.len()
            );
        }
        for (row, &referent) in class.referents.iter().enumerate() {
            let at = || format!("classes[{index}].referents[{row}]");
            if referent.is_null() {
                findings.add(REFERENTS, || (at(), "the referent is null".into()));
            } else if !referents.insert(referent) {
                findings.add(REFERENTS, || (at(), format!("duplicate referent {referent}")));
            }
        }
    }
    referents
}

fn parents(document: &Document, referents: &HashSet<Referent>, findings: &mut Findings) {
    let rows = document.parents();
    let (children, parents) = (&rows.children, &rows.parents);
    if children.len() != parents.len() {
        let (children, parents) = (children.len(), parents.len());
        let found = || format!("the numbers of children ({children}) and parents ({parents}) differ");
        findings.add(PARENT_ROWS, || ("parents".into(), found()));
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
            findings.add(PARENT_ROWS, || {
                (at("children"), format!("found a second entry for the referent {child}"))
            });
        }
    }
    for (index, class) in document.classes.iter().enumerate() {
        for (row, referent) in class.referents.iter().enumerate() {
            if !referent.is_null() && !of.contains_key(referent) {
                found!(
                    findings,
                    PARENT_ROWS,
                    "classes[{index}].referents[{row}]",
                    "the PRNT chunk has no entry for the referent {referent}"
                );
            }
            let at_root = of.get(referent).is_none_or(|parent| parent.is_null());
            // A marker of 0 at the root is valid, too: Studio writes it for a service at the root of a model.
            if let Some(&marker) = class.markers.get(row)
                && (marker > 1 || marker == 1 && !at_root)
            {
                let found = if at_root { "without a parent" } else { "with a parent" };
                found!(
                    findings,
                    SERVICE_MARKERS,
                    "classes[{index}].markers[{row}]",
                    "found {marker} for a service {found}"
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
                    found!(
                        findings,
                        CYCLES,
                        "parents.children[{walk}]",
                        "the instance with the referent {at} is its own ancestor"
                    );
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
    let at_reference = |row: Option<usize>| match row {
        Some(row) => at(row),
        None => format!("{}.external", path(class, property)),
    };
    if let Some(len) = property.column.len().filter(|&len| len != class.referents.len()) {
        findings.add(COLUMN_LENGTHS, || {
            let expected = Counted::new(class.referents.len(), "values");
            (path(class, property), format!("expected {expected} (one per instance), found {len}"))
        });
    }
    property.references(|row, referent| {
        // A reference to an instance that an edit removed is written as null.
        if !referents.contains(&referent)
            && !document.index.get().is_some_and(|index| index.is_removed(referent))
        {
            findings
                .add(REFERENCES, || (at_reference(row), format!("no instance has the referent {referent}")));
        }
    });
    match &property.column {
        Column::SharedString(values) => {
            let count = document.shared_strings.len();
            for (row, value) in values.iter().enumerate().filter(|(_, value)| value.0 as usize >= count) {
                findings.add(SHARED_STRINGS, || {
                    let strings = Counted::new(count, "shared strings");
                    (at(row), format!("index {} is out of range (the file has {strings})", value.0))
                });
            }
        }
        Column::NumberSequence(values) => {
            for (row, fault) in faults(values, NumberSequence::fault) {
                findings.add(SEQUENCES, || (at(row), fault));
            }
        }
        Column::ColorSequence(values) => {
            for (row, fault) in faults(values, ColorSequence::fault) {
                findings.add(SEQUENCES, || (at(row), fault));
            }
            let odd =
                |sequence: &ColorSequence| sequence.keypoints.iter().find(|of| of.envelope != 0.0).copied();
            for (row, ColorSequenceKeypoint { time, envelope, .. }) in faults(values, odd) {
                let what = || format!("the keypoint at time {time} has the envelope {envelope}");
                findings.add(ENVELOPES, || (at(row), what()));
            }
        }
        Column::Axes(values) => {
            for (row, bits) in faults(values, |axes| (axes.0 > 7).then_some(axes.0)) {
                findings.add(BITS, || (at(row), format!("found the bits {bits:#b}")));
            }
        }
        Column::Faces(values) => {
            for (row, bits) in faults(values, |faces| (faces.0 > 63).then_some(faces.0)) {
                findings.add(BITS, || (at(row), format!("found the bits {bits:#b}")));
            }
        }
        Column::Untyped => {
            findings.add(COLUMN_TYPES, || {
                (path(class, property), "the PROP chunk ends after the property name, without a type".into())
            });
        }
        Column::Unknown { type_id, bytes } => match type_id.name() {
            None => findings.add(COLUMN_TYPES, || (path(class, property), format!("unknown type {type_id}"))),
            Some(_) => findings.add(COLUMN_VALUES, || {
                let bytes = Counted::new(bytes.len(), "bytes");
                let values = Counted::new(class.referents.len(), "values");
                (path(class, property), format!("cannot decode {bytes} as {values} of type {type_id}"))
            }),
        },
        _ => {}
    }
}

/// The faults of values, each with its row.
fn faults<V, F>(values: &[V], fault: impl Fn(&V) -> Option<F>) -> impl Iterator<Item = (usize, F)> {
    values.iter().enumerate().filter_map(move |(row, value)| Some((row, fault(value)?)))
}

fn unique_ids(document: &Document, findings: &mut Findings) {
    let mut first: HashMap<_, (&Class, usize)> = HashMap::new();
    for (class, row, id) in model::unique_ids(&document.classes).filter(|(_, _, id)| !id.is_nil()) {
        let (other, other_row) = *first.entry(id).or_insert((class, row));
        if !std::ptr::eq(other, class) || other_row != row {
            findings.add(UNIQUE_IDS, || {
                let id = other.referents.get(other_row).and_then(|&referent| document.by_referent(referent));
                let place = id.and_then(|id| document.path(id)).map(|path| path.to_string());
                let place = place.unwrap_or_else(|| format!("{}.UniqueId[{other_row}]", other.name));
                let found = format!("same UniqueId as {place}");
                (format!("{}.UniqueId[{row}]", class.name), found)
            });
        }
    }
}
