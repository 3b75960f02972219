//! Compares the rows of findings, instances, properties and references with what the format crates read.

use std::collections::{BTreeMap, BTreeSet};

use rezkit_table::{Options, Table, scan};

use crate::typed::{Row, Typed, blake3, files, rows, typed};

/// A text of a finding whose last word can be the property of a row of a class in a binary document, such as
/// `Part.Size[3]`, or an instance, such as `parents.children[3]`. The kit gives the path of the instance instead.
fn placed(document: &rbxbinary::Document, text: &str) -> String {
    let (before, place) = text.rsplit_once(' ').map_or(("", text), |(before, place)| (before, place));
    let path = || {
        let (class, rest) = place.split_once('.')?;
        let (property, row) = rest.strip_suffix(']')?.split_once('[')?;
        let number =
            class.strip_prefix("classes[").and_then(|number| number.strip_suffix(']')?.parse::<usize>().ok());
        if property == "referents" || class == "parents" {
            let row: usize = row.parse().ok()?;
            let referent = match number {
                Some(number) => *document.classes().get(number)?.referents.get(row)?,
                None => *document.parents().children.get(row)?,
            };
            return Some(document.path(document.by_referent(referent)?)?.to_string());
        }
        let mut classes = document.classes().iter().filter(|of| of.name == class);
        let (class, None) = (classes.next()?, classes.next()) else { return None };
        let id = document.by_class(&class.name).nth(row.parse().ok()?)?;
        let path = format!("{}.{property}", document.path(id)?);
        Some(if before.is_empty() { path } else { format!("{before} {path}") })
    };
    path().unwrap_or_else(|| text.to_owned())
}

/// Each finding is one of a format crate, with its path. With a profile, a file without geometry has no error.
#[test]
fn every_finding_is_one_of_the_crates() {
    let rules: BTreeMap<String, (String, String)> = rezkit::rules()
        .into_iter()
        .map(|rule| (rule.id.to_string(), (rule.severity.as_str().to_owned(), rule.demands.to_string())))
        .collect();
    let (mut compared, mut with_profile) = (0, 0);
    for (path, bytes) in files() {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = path.to_string_lossy().into_owned();
        let Some(Ok(typed)) = typed(&file, &bytes) else { continue };
        let findings = match &typed {
            Typed::Mesh(mesh) => rbxmesh::check(mesh),
            Typed::Binary(document) => rbxbinary::check(document),
            Typed::Xml(document) => rbxxml::check(document),
            Typed::Model(model) => m3d::check(model),
            Typed::Asset(asset) => slmesh::check(asset),
            Typed::Motion(motion) => slmesh::motion::check(motion),
            _ => continue,
        };
        let prefix = match &typed {
            Typed::Mesh(_) => "rbxmesh.",
            Typed::Binary(_) => "rbxbinary.",
            Typed::Xml(_) => "rbxxml.",
            Typed::Model(_) => "m3d.",
            _ => "slmesh.",
        };
        let mut expected = BTreeMap::<String, (usize, Vec<[String; 2]>)>::new();
        for finding in findings {
            let entry = expected.entry(finding.rule.id.to_owned()).or_default();
            entry.0 += finding.count;
            let places = std::iter::once((finding.path, finding.found)).chain(finding.more);
            entry.1.extend(places.map(|(path, found)| match &typed {
                Typed::Binary(document) => [placed(document, &path), placed(document, &found)],
                _ => [path, found],
            }));
        }
        for profile in [None].into_iter().chain(rezkit::PROFILES.map(Some)) {
            let mut options = Options::default();
            options.profiles = profile.map(str::to_owned).into_iter().collect();
            let rows = rows(&scan([(&*name, &*bytes)], Table::Findings, &options).expect("a batch"));
            let mut found = BTreeMap::<String, (usize, Vec<[String; 2]>)>::new();
            for row in &rows {
                // path, blake3, rule, severity, at, found, demands, count
                assert_eq!(row.len(), 8, "a column that is not compared");
                let cell = |column: &str| row[column].clone().unwrap_or_else(|| panic!("{name}: {column}"));
                assert_eq!((cell("path"), cell("blake3")), (name.clone(), blake3(&bytes)));
                let rule = cell("rule");
                let (severity, text) =
                    rules.get(&rule).unwrap_or_else(|| panic!("{name}: {profile:?}: {row:?}"));
                assert_eq!((&cell("severity"), &cell("demands")), (severity, text), "{name}");
                if rule.starts_with(prefix) {
                    let entry = found.entry(rule).or_default();
                    entry.0 += cell("count").parse::<usize>().expect("a count");
                    entry.1.push([cell("at"), cell("found")]);
                } else {
                    with_profile += usize::from(profile.is_some());
                }
            }
            // Texts of more than 600 bytes are shortened, so they are not compared. Equal findings are one row.
            let short = |text: &String| text.len() < 600;
            for entry in found.values_mut().chain(expected.values_mut()) {
                entry.1.retain(|texts| texts.iter().all(short));
                entry.1.sort();
                entry.1.dedup();
            }
            assert_eq!(found, expected, "{name}: {profile:?}");
            compared += 1;
        }
    }
    assert!(compared > 400 && with_profile > 100, "{compared}, {with_profile}");
}

/// Instances, properties and references of documents.
#[test]
#[allow(clippy::too_many_lines, reason = "each table is compared in one walk")]
fn every_row_of_documents_is_one_of_the_crates() {
    let (mut instances, mut properties, mut references, mut defaults) = (0, 0, 0, 0);
    for (path, bytes) in files() {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = path.to_string_lossy().into_owned();
        let Some(Ok(typed)) = typed(&file, &bytes) else { continue };
        let scanned = |table, stored| {
            let mut options = Options::default();
            options.stored = stored;
            rows(&scan([(&*name, &*bytes)], table, &options).expect("a batch"))
        };
        macro_rules! compare {
            ($document:ident, $is_binary:literal) => {{
                let all: Vec<_> = $document.instances().collect();
                let number = |id| all.iter().position(|&other| other == id).map(|number| number.to_string());
                let text = |text: Option<&rbxmesh::bstr::BStr>| text.map(|text| text.to_string());
                let rows = scanned(Table::Instances, false);
                assert_eq!(rows.len(), all.len(), "{name}");
                for (row, &id) in rows.iter().zip(&all) {
                    let wanted = [
                        ("path", Some(name.clone())),
                        ("blake3", Some(blake3(&bytes))),
                        ("referent", number(id)),
                        ("parent", $document.parent(id).and_then(number)),
                        ("class", text($document.class(id))),
                        ("name", text($document.name(id))),
                        ("instance", $document.path(id).map(|path| path.to_string())),
                    ];
                    let mut wanted: Row = wanted.map(|(name, value)| (name.to_owned(), value)).into();
                    // The crates have no path for an instance with an empty name.
                    if row["instance"].as_ref().is_some_and(|path| path.contains("[0]")) {
                        wanted.insert("instance".into(), row["instance"].clone());
                    }
                    assert_eq!(*row, wanted, "{name}");
                }
                instances += all.len();
                // path, blake3, reference, asset, property, at
                assert!(scanned(Table::References, false).iter().all(|row| row.len() == 6));
                // Values of simple types as Rust formats them; for other types, only the names are compared.
                let (mut stored, uses) = (Vec::new(), scanned(Table::References, false));
                for (index, &id) in all.iter().enumerate() {
                    for (property, value) in $document.properties(id) {
                        let property = property.to_string();
                        let is_decoded =
                            ["Serialize", "Data", "Grid", "Tags"].iter().any(|end| property.contains(end));
                        let number = value.as_bool().map(|value| value.to_string());
                        let number = number.or(value.as_i64().map(|value| value.to_string()));
                        let is_plain = |text: &&str| !is_decoded && !text.contains(char::is_control);
                        let own = value.as_str().filter(is_plain);
                        stored.push((index, property.clone(), number.or(own.map(str::to_owned))));
                        let Some(own) = own.filter(|own| own.starts_with("rbxassetid://")) else { continue };
                        let at = rows[index]["instance"].clone();
                        let wanted = [Some(own.to_owned()), at, Some(property)];
                        let is = |row: &&Row| {
                            ["reference", "at", "property"].map(|name| row[name].clone()) == wanted
                        };
                        let row = uses.iter().find(is).unwrap_or_else(|| panic!("{name}: {wanted:?}"));
                        assert_eq!(row["asset"].as_deref(), own.strip_prefix("rbxassetid://"), "{name}");
                        references += 1;
                    }
                }
                // Attributes that refer to instances are only properties in XML.
                let is_own = |row: &Row| {
                    !$is_binary || !row["property"].as_ref().is_some_and(|of| of.starts_with("__attrRef_"))
                };
                let mut found = scanned(Table::Properties, true);
                found.retain(is_own);
                assert_eq!(found.len(), stored.len(), "{name}");
                for (row, (index, property, text)) in found.iter().zip(&stored) {
                    let class = $document.class(all[*index]).map(ToString::to_string);
                    let wanted =
                        [Some(index.to_string()), class, Some(property.clone()), Some("stored".into()), None];
                    let columns = ["referent", "class", "property", "source", "error"];
                    assert_eq!(columns.map(|column| row[column].clone()), wanted, "{name}");
                    // The columns above, and path, blake3, type and value.
                    assert_eq!(row.len(), columns.len() + 4, "a column that is not compared");
                    assert!(row["type"].is_some() && row["value"].is_some(), "{name}: {row:?}");
                    if let Some(text) = text {
                        assert_eq!(row["value"].as_ref(), Some(text), "{name}: {property}");
                    }
                }
                properties += stored.len();
                // Properties that are not stored come after the stored ones.
                let mut all = scanned(Table::Properties, false);
                all.retain(is_own);
                let of_source =
                    |source: &str| all.iter().filter(|row| row["source"].as_deref() == Some(source)).count();
                assert_eq!(of_source("stored"), stored.len(), "{name}");
                // A property that is not stored must not be stored under the same name.
                let key = |row: &Row| (row["referent"].clone(), row["property"].clone());
                let (own, others): (Vec<_>, Vec<_>) =
                    all.iter().partition(|row| row["source"].as_deref() == Some("stored"));
                let own: BTreeSet<_> = own.into_iter().map(key).collect();
                assert!(!others.into_iter().any(|row| own.contains(&key(row))), "{name}");
                defaults += of_source("default");
            }};
        }
        // Each row is searched for in all rows, which takes too long in large files.
        if bytes.len() > 200_000 {
            continue;
        }
        match typed {
            Typed::Binary(document) => compare!(document, true),
            Typed::Xml(document) => compare!(document, false),
            _ => {}
        }
    }
    assert!(
        instances > 1000 && properties > 10_000 && references > 10 && defaults > 10_000,
        "{instances} {properties} {references} {defaults}"
    );
    println!("{instances} instances, {properties} properties, {references} references, {defaults} defaults");
}
