//! What the format demands and a reader need not refuse.

use std::collections::{HashMap, HashSet};

use bstr::BStr;

use crate::consts::{ChunkName, ClassFormat};
use crate::finding::{Finding, Findings};
use crate::model::rotation;
use crate::model::{Class, Column, Document, Part, Property, Referent};

/// Every rule of the format that a document breaks. An empty list is a document without fault.
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
    layout(document, &mut findings);
    let referents = classes(document, &mut findings);
    parents(document, &referents, &mut findings);
    for class in &document.classes {
        let mut names = HashSet::new();
        for property in &class.properties {
            if !names.insert(&property.name) {
                findings.error("a class has one column per property", || {
                    (path(class, property), "a second column".into())
                });
            }
            column(document, class, property, &referents, &mut findings);
        }
    }
    findings.into_vec()
}

fn path(class: &Class, property: &Property) -> String {
    format!("{}.{}", class.name, property.name)
}

fn header(document: &Document, findings: &mut Findings) {
    let header = &document.header;
    if let Some(count) = header.class_count {
        findings.error("the header says how many classes there are", || {
            ("header.class_count".into(), format!("{count} for {}", document.classes.len()))
        });
    }
    if let Some(count) = header.instance_count {
        findings.error("the header says how many instances there are", || {
            ("header.instance_count".into(), format!("{count} for {}", document.instance_count()))
        });
    }
    if header.reserved != [0; 8] {
        findings.warning("reserved bytes are zero", || {
            ("header.reserved".into(), format!("{:02x?}", header.reserved))
        });
    }
    let mut keys = HashSet::new();
    for (index, entry) in document.metadata.iter().enumerate() {
        if !keys.insert(&entry.key) {
            findings.warning("a key of the metadata is there once", || {
                (format!("metadata[{index}].key"), entry.key.to_string())
            });
        }
    }
}

/// What the file had, for a document that was in one.
fn layout(document: &Document, findings: &mut Findings) {
    let layout = &document.layout;
    for (name, extra) in [
        ("metadata", &layout.metadata_extra),
        ("shared_strings", &layout.shared_strings_extra),
        ("parents", &layout.parents_extra),
        ("end", &layout.trailing),
    ] {
        if !extra.is_empty() {
            findings.warning("nothing follows what is known", || {
                (name.into(), format!("{} bytes behind it", extra.len()))
            });
        }
    }
    let Some(chunks) = &layout.chunks else { return };
    if !layout.has(Part::Parents) {
        findings.error("a file has a PRNT chunk", || ("chunks".into(), "none".into()));
    }
    // Places have no metadata: their roots are services.
    let is_place = document.classes.iter().any(|class| class.format == ClassFormat::SERVICE);
    if !layout.has(Part::Metadata) && !is_place {
        findings.warning("a model has a META chunk", || ("chunks".into(), "none".into()));
    }
    match chunks.last().map(|chunk| &chunk.part) {
        Some(Part::End) => {
            if let Some(end) = &layout.end {
                findings.error("the END chunk holds </roblox>", || {
                    ("layout.end".into(), format!("\"{}\"", end.escape_ascii()))
                });
            }
        }
        _ => findings.error("a file ends with an END chunk", || ("chunks".into(), "none".into())),
    }
    for (index, chunk) in chunks.iter().enumerate() {
        if chunk.reserved != 0 {
            findings.warning("reserved bytes are zero", || {
                (format!("chunks[{index}].reserved"), format!("{:#x}", chunk.reserved))
            });
        }
        if let Part::Raw(place) = chunk.part
            && let Some(raw) = layout.raw.get(place as usize)
        {
            let known = [ChunkName::META, ChunkName::SSTR, ChunkName::PRNT, ChunkName::SIGN];
            if raw.name == ChunkName::PROP {
                findings.error("a column is of a class of the file", || {
                    (format!("chunks[{index}].PROP"), "of no class".into())
                });
            } else if known.contains(&raw.name) {
                findings.error("a file has each of META, SSTR, SIGN and PRNT once", || {
                    (format!("chunks[{index}]"), format!("a second {}", raw.name))
                });
            } else {
                findings.warning("chunks are of a known kind", || {
                    (format!("chunks[{index}]"), raw.name.to_string())
                });
            }
        }
    }
}

/// The classes and their instances; all referents there are.
fn classes(document: &Document, findings: &mut Findings) -> HashSet<Referent> {
    let mut referents = HashSet::new();
    let (mut ids, mut names) = (HashSet::new(), HashSet::new());
    for (index, class) in document.classes.iter().enumerate() {
        let at = |field: &str| format!("classes[{index}].{field}");
        if !ids.insert(class.id) {
            findings.error("a class has an id of its own", || (at("id"), class.id.to_string()));
        }
        if !names.insert(&class.name) {
            findings.warning("a class is there once", || (at("name"), class.name.to_string()));
        }
        if class.format.0 > 1 {
            findings.error("a class is regular or a service", || (at("format"), class.format.0.to_string()));
        }
        if !class.extra.is_empty() {
            findings.warning("nothing follows what is known", || {
                (class.name.to_string(), format!("{} bytes behind it", class.extra.len()))
            });
        }
        let expected = if class.format == ClassFormat::SERVICE { class.referents.len() } else { 0 };
        if class.markers.len() != expected {
            findings.error("a service has a marker", || {
                (at("markers"), format!("{} for {expected} services", class.markers.len()))
            });
        }
        for (row, &referent) in class.referents.iter().enumerate() {
            let at = || format!("classes[{index}].referents[{row}]");
            if referent.is_null() {
                findings.error("an instance has a referent", || (at(), "none".into()));
            } else if !referents.insert(referent) {
                findings.error("a referent is that of one instance", || (at(), referent.to_string()));
            }
        }
    }
    referents
}

fn parents(document: &Document, referents: &HashSet<Referent>, findings: &mut Findings) {
    let (children, parents) = (&document.parents.children, &document.parents.parents);
    if children.len() != parents.len() {
        findings.error("the parents have as many rows as the children", || {
            ("parents".into(), format!("{} parents for {} children", parents.len(), children.len()))
        });
    }
    let mut of = HashMap::new();
    for (row, (child, parent)) in children.iter().zip(parents).enumerate() {
        let at = |field: &str| format!("parents.{field}[{row}]");
        if !referents.contains(child) {
            findings.error("a child is an instance", || (at("children"), child.to_string()));
        }
        if !parent.is_null() && !referents.contains(parent) {
            findings.error("a parent is an instance", || (at("parents"), parent.to_string()));
        }
        if of.insert(*child, *parent).is_some() {
            findings.error("an instance has one parent", || (at("children"), child.to_string()));
        }
    }
    for (index, class) in document.classes.iter().enumerate() {
        for (row, referent) in class.referents.iter().enumerate() {
            if !of.contains_key(referent) {
                findings.error("an instance has a row among the parents", || {
                    (format!("classes[{index}].referents[{row}]"), referent.to_string())
                });
            }
            let at_root = of.get(referent).is_none_or(|parent| parent.is_null());
            // Studio does not mark a service at the root of a model either.
            if class.markers.get(row).is_some_and(|&marker| marker > 1 || marker == 1 && !at_root) {
                findings.warning("a service is marked with 1 at the root, with 0 elsewhere", || {
                    (format!("classes[{index}].markers[{row}]"), class.markers[row].to_string())
                });
            }
        }
    }
    cycles(children, &of, findings);
}

/// Instances that are their own ancestors.
fn cycles(children: &[Referent], of: &HashMap<Referent, Referent>, findings: &mut Findings) {
    // The walk in which an instance was first met.
    let mut met: HashMap<Referent, usize> = HashMap::new();
    for (walk, start) in children.iter().enumerate() {
        let mut at = *start;
        loop {
            if let Some(&before) = met.get(&at) {
                if before == walk {
                    findings.error("no instance is its own ancestor", || {
                        (format!("parents.children[{walk}]"), at.to_string())
                    });
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
    match property.column.len() {
        Some(len) if len != class.referents.len() => {
            findings.error("a column has a value for each instance of its class", || {
                (path(class, property), format!("{len} values for {} instances", class.referents.len()))
            });
        }
        _ => {}
    }
    match &property.column {
        Column::SharedString(places) => {
            let count = document.shared_strings.len();
            for (row, place) in places.iter().enumerate().filter(|(_, place)| **place as usize >= count) {
                findings.error("a shared string is in the table", || {
                    (at(row), format!("string {place} of {count}"))
                });
            }
        }
        Column::Ref(values) => {
            let mut missing = values.iter().enumerate();
            while let Some((row, referent)) =
                missing.find(|(_, value)| !value.is_null() && !referents.contains(*value))
            {
                findings.error("a reference leads to an instance", || (at(row), referent.to_string()));
            }
        }
        Column::CFrame(frames) => rotations(&frames.ids, &at, findings),
        Column::CFrameQuat(frames) => rotations(&frames.ids, &at, findings),
        Column::OptionalCFrame(frames) => rotations(&frames.frames.ids, &at, findings),
        Column::Untyped => findings.warning("a column has a type", || {
            (path(class, property), "the chunk ends behind the name".into())
        }),
        Column::Unknown { type_id, bytes } => match type_id.name() {
            None => findings.warning("a column is of a known type", || {
                (path(class, property), format!("type {type_id}"))
            }),
            Some(_) => findings.error("values fill their chunk as their type says", || {
                (path(class, property), format!("{} bytes for {type_id}", bytes.len()))
            }),
        },
        _ => {}
    }
    if property.name == BStr::new("") {
        findings.warning("a property has a name", || (path(class, property), "none".into()));
    }
}

fn rotations(ids: &[u8], at: &dyn Fn(usize) -> String, findings: &mut Findings) {
    let unknown = |id: u8| id != 0 && rotation::matrix(id).is_none();
    for (row, id) in ids.iter().enumerate().filter(|(_, id)| unknown(**id)) {
        findings.error("a rotation id stands for one of 24 rotations", || (at(row), format!("{id:#04x}")));
    }
}
