//! Attributes that refer to instances keep their targets when documents are converted, merged and edited.

#![allow(clippy::unwrap_used, reason = "tests")]

use crate::Ask as _;
use crate::xml::{self, document as document_of, field, item, tree, with_id};
use rbxbinary::parts::Referent;
use rbxbinary::{Document, InstanceId, NewInstance, Value};
use rezkit::tree::Node;
use rezkit::{ConvertOptions, EditOptions, Opened, PackOptions};

/// A folder `f` with the attributes `a` (1.5) and `b`, a reference to the part `p`. `referents` are the numbers of the
/// instances in the file; they must differ from those of any document that the model is inserted into.
fn model(referents: [i32; 2]) -> Vec<u8> {
    let mut document = Document::new();
    let part = NewInstance::new("Part").property("Name", "p");
    let folder =
        NewInstance::new("Folder").property("Name", "f").property("AttributesSerialize", blob(referents[1]));
    document.insert(None, folder.child(part)).unwrap();
    let columns = document.columns_mut();
    for (class, referent) in columns.classes.iter_mut().zip(referents) {
        class.referents[0] = Referent(referent);
    }
    (columns.parents.children, columns.parents.parents) =
        (vec![Referent(referents[1]), Referent(referents[0])], vec![Referent(referents[0]), Referent::NULL]);
    rbxbinary::to_vec(&document).unwrap()
}

fn blob(referent: i32) -> Value {
    let mut blob = b"\x02\0\0\0\x01\0\0\0a\x06\0\0\0\0\0\0\xf8\x3f\x01\0\0\0b\x25".to_vec();
    blob.extend(referent.to_le_bytes());
    Value::from(blob)
}

/// The path of the instance that the attribute `b` of the instance `f` refers to, read from the stored number.
fn target(bytes: &[u8]) -> Option<String> {
    let document = rbxbinary::from_slice(bytes).unwrap();
    let all: Vec<InstanceId> = document.instances().filter(|&id| document.name(id).unwrap() == "f").collect();
    let [folder] = all[..] else { panic!("{} folders", all.len()) };
    let value = document.get(folder, "AttributesSerialize").unwrap().to_value();
    let blob = value.as_bytes().unwrap();
    assert!(blob.starts_with(b"\x02\0\0\0\x01\0\0\0a\x06\0\0\0\0\0\0\xf8\x3f\x01\0\0\0b\x25"), "{blob:?}");
    let referent = Referent(i32::from_le_bytes(*blob.last_chunk().unwrap()));
    (!referent.is_null()).then(|| document.path(document.by_referent(referent).unwrap()).unwrap().to_string())
}

fn open(name: &str, bytes: &[u8]) -> Opened<'static> {
    crate::open(bytes, name)
}

#[test]
fn they_are_copied_and_removed() {
    let model = rbxbinary::from_slice(&model([7, 3])).unwrap();
    let mut place = Document::new();
    for number in 0..5 {
        place.insert(None, NewInstance::new("Part").property("Name", format!("other{number}"))).unwrap();
    }
    let mut merged = place.clone();
    merged.merge(None, &model).unwrap();
    assert_eq!(target(&rbxbinary::to_vec(&merged).unwrap()).unwrap(), "f/p");
    // If its target is removed, the reference is null and does not refer to another instance.
    let part = merged.find("f/p").unwrap();
    merged.remove(part).unwrap();
    let bytes = rbxbinary::to_vec(&merged).unwrap();
    assert_eq!(target(&bytes), None);
    let mut merged = rbxbinary::from_slice(&bytes).unwrap();
    merged.insert(None, NewInstance::new("Part").property("Name", "new")).unwrap();
    assert_eq!(target(&rbxbinary::to_vec(&merged).unwrap()), None);
    // A reference to a missing instance is found by `check`, and no new instance gets its number.
    let folder = merged.find("f").unwrap();
    merged.set(folder, "AttributesSerialize", blob(1000)).unwrap();
    let mut dangling = rbxbinary::from_slice(&rbxbinary::to_vec(&merged).unwrap()).unwrap();
    let findings = rbxbinary::check(&dangling);
    assert!(findings.iter().any(|finding| finding.rule.id == "rbxbinary.references"), "{findings:?}");
    for _ in 0..2000 {
        let id = dangling.insert(None, NewInstance::new("Part").property("Name", "x")).unwrap();
        assert_ne!(dangling.referent(id), Some(Referent(1000)));
    }
}

/// A removed instance leaves a null reference in the attributes, in both forms, and this is listed.
#[test]
fn a_removed_target_is_listed() {
    let binary = model([7, 3]);
    let xml = open("model.rbxm", &binary).made("model.rbxmx");
    for (name, bytes) in [("model.rbxm", binary), ("model.rbxmx", xml)] {
        let mut opened = open(name, &bytes);
        let edited = opened
            .edit(&[rezkit::Edit::Remove { path: "f/p".into() }], &mut (), &EditOptions::new())
            .expect("removed");
        let paths: Vec<_> = edited.losses.iter().map(|loss| &*loss.path).collect();
        assert_eq!(paths, ["f.__attrRef_b"], "{name}");
    }
}

#[test]
fn they_go_through_both_forms() {
    let model = model([7, 3]);
    let mut opened = open("model.rbxm", &model);
    let options = rezkit::ConvertOptions::new();
    let xml = opened.convert(None, "model.rbxmx", &options).unwrap().files.remove(0).bytes;
    let text = String::from_utf8(xml.clone()).unwrap();
    // In XML, the attributes only contain `a`; the reference is a property.
    assert!(text.contains("AQAAAAEAAABhBgAAAAAAAPg/<"), "{text}");
    let reference = text.split("__attrRef_b\">").nth(1).unwrap().split('<').next().unwrap();
    let part = text.split("class=\"Part\" referent=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(reference, part);
    let mut opened = open("model.rbxmx", &xml);
    let binary = opened.convert(None, "model.rbxm", &options).unwrap().files.remove(0).bytes;
    assert_eq!(target(&binary).unwrap(), "f/p");
    // Other programs write the count of all attributes, including the reference.
    let all = text.replace("AQAAAAEAAABhBgAAAAAAAPg/<", "AgAAAAEAAABhBgAAAAAAAPg/<");
    let mut opened = open("model.rbxmx", all.as_bytes());
    let binary = opened.convert(None, "model.rbxm", &options).unwrap().files.remove(0).bytes;
    assert_eq!(target(&binary).unwrap(), "f/p");
}

/// If a model is copied, references to instances outside of it become null and are listed: properties and attributes.
#[test]
fn references_out_of_a_copied_model_are_listed() {
    let [far, near] = ["O", "P"].map(|id| [field("Ref", "Value", id), id.to_owned()]);
    let refs =
        far[0].clone() + &field("Ref", "__attrRef_near", &near[1]) + &field("Ref", "__attrRef_far", &far[1]);
    let text = tree(&format!("Model|M\n  Part#P|P\n  ObjectValue|V|{refs}\nPart#O|Out"));
    let options = ConvertOptions::new().fill(rezkit::Fill::Defaults);
    let binary = crate::open(&text, "a.rbxmx").made_with("a.rbxm", &options).0;
    for bytes in [text, binary] {
        let mut opened = crate::open(bytes, "a");
        let edits = rezkit::Edit::parse("copy M m.rbxm").expect("an edit");
        let edited = opened.edit(&edits, &mut (), &EditOptions::new()).expect("copied");
        let mut losses = crate::texts(&edited.losses);
        losses.sort();
        let lost = |name: &str| {
            format!("M/V.{name}: a reference to Out, which is not in the model; replaced by null")
        };
        assert_eq!(losses, [lost("Value"), lost("__attrRef_far")]);
        let model = crate::open(&edited.models[0].1, "m");
        assert_eq!(model.text("M/V.__attrRef_near"), "M/P");
        assert_eq!(model.text("M/V.__attrRef_far"), "null");
    }
}

/// A new reference is stored among the attributes of its instance; no other instance of the class gets a value.
#[test]
fn a_new_reference_changes_no_other_instance() {
    let xml = tree("Part|A\nPart|B");
    let binary = crate::open(&xml, "a.rbxmx").made("a.rbxm");
    for bytes in [&xml, &binary] {
        let mut opened = open("a", bytes);
        assert_eq!(opened.set("A.Attributes.to", "B", Some("Ref")).expect("set"), []);
        assert_eq!(opened.text("A.__attrRef_to"), "B");
    }
}

/// A number in the attributes that no instance has, as all numbers in XML, is a finding, and null in another form.
#[test]
fn numbers_of_no_instance_are_found() {
    let found = |bytes: &[u8]| -> Vec<String> {
        let found = open("a", bytes).check(&[], None).expect("checked").into_iter();
        found.filter(|found| found.rule == "roblox.attribute-references").map(|found| found.path).collect()
    };
    assert!(found(&model([7, 3])).is_empty());
    let mut document = rbxbinary::from_slice(&model([7, 3])).unwrap();
    let folder = document.by_class("Folder").next().unwrap();
    document.set(folder, "AttributesSerialize", blob(99)).unwrap();
    assert_eq!(found(&rbxbinary::to_vec(&document).unwrap()), ["f.AttributesSerialize.b"]);
    let attributes = xml::binary("AttributesSerialize", blob(1).as_bytes().unwrap());
    let xml = document_of(&with_id("1", item("Folder", "f", &attributes, "")));
    assert_eq!(found(&xml), ["f.AttributesSerialize.b"]);
    let (made, losses) = open("a.rbxmx", &xml).made_with("a.rbxm", &ConvertOptions::new());
    let what = "f.AttributesSerialize.b: a reference to an instance that does not exist; replaced by null";
    assert_eq!(losses, [what]);
    assert_eq!(target(&made), None);
}

/// The references of a tree: class, name and property of each, with the path of its target, prefixed by `below`.
fn references(node: &dyn Node, below: &str, found: &mut Vec<String>) {
    for (property, value) in node.properties() {
        if value.kind == "Ref" && value.summary(5) != "null" {
            let target = value.summary(usize::MAX);
            found.push(format!("{} {}.{property}: {below}{target}", node.kind(), node.name()));
        }
    }
    node.children().for_each(|child| references(&*child, below, found));
}

/// Real documents, and the model with a reference in its attributes, are inserted into each other: all references have
/// the same target paths as before. `REZKIT_CORPUS=all` tries all pairs.
#[test]
fn references_stay_true_in_every_pair_of_documents() {
    let all = std::env::var("REZKIT_CORPUS").is_ok_and(|which| which == "all");
    let mut samples: Vec<_> = ["rbxbinary", "rbxxml"].into_iter().flat_map(testkit::corpus).collect();
    samples.retain(|sample| all || sample.bytes.len() < 200_000);
    samples.push(testkit::Sample { name: "ref.rbxm".to_owned(), bytes: model([7, 3]) });
    let of = |sample: &testkit::Sample, below: &str| {
        let opened = open(&sample.name, &sample.bytes);
        let mut found = Vec::new();
        references(&*opened.tree(), below, &mut found);
        found
    };
    let models: Vec<_> = samples.iter().map(|sample| of(sample, "Inserted/")).collect();
    let (mut tried, mut refused) = (0, 0);
    for (into, place) in samples.iter().enumerate() {
        let before = of(place, "");
        for (from, model) in samples.iter().enumerate() {
            // By default, each document gets the model with the attribute and one other document.
            if !all && from + 1 != samples.len() && from != (into + 7) % samples.len() {
                continue;
            }
            let mut opened = open(&place.name, &place.bytes);
            let what = format!("{} into {}", model.name, place.name);
            let edits =
                rezkit::Edit::parse("add Folder Name=Inserted\ninsert model Inserted").expect("edits");
            let mut models_of = |_: &rezkit::Reference, _: u64| Ok(Some(model.bytes.clone()));
            tried += 1;
            // If a property has a type that only XML has, or the model is empty, the edit is refused.
            if let Err(error) = opened.edit(&edits, &mut models_of, &EditOptions::new()) {
                let expected = ["the binary format cannot store the element <", "no instances to insert"];
                let text = error.to_string();
                assert!(expected.iter().any(|why| text.contains(why)), "{what}: {error}");
                refused += 1;
                continue;
            }
            let written = open(&what, &opened.written());
            let mut found = Vec::new();
            references(&*written.tree(), "", &mut found);
            let mut expected = [before.clone(), models[from].clone()].concat();
            found.sort();
            expected.sort();
            let differs = |a: &[String], b: &[String]| -> Vec<String> {
                a.iter().filter(|one| b.binary_search(one).is_err()).take(5).cloned().collect()
            };
            let (missing, added) = (differs(&expected, &found), differs(&found, &expected));
            assert!(found == expected, "{what}: missing {missing:#?}, added {added:#?}");
        }
    }
    eprintln!("{tried} pairs, {refused} of them refused");
    assert!(refused * 8 < tried, "{refused} of {tried} pairs are refused");
}

/// An array with one reference. XML has only references that are attributes themselves, and a number would lead to
/// another instance after a conversion.
#[test]
fn references_in_arrays_become_null_and_are_listed() {
    use rezkit::blobs::{Attribute, Attributes};
    let attributes = Attributes(vec![("a".into(), Attribute::Array(vec![Attribute::Ref(7)]))]);
    let of = |mut bytes: Vec<u8>| {
        let mut document = rbxbinary::from_slice(&bytes).unwrap();
        let folder = document.find("f").expect("a folder");
        let blob = attributes.to_vec().expect("attributes");
        document.set(folder, "AttributesSerialize", Value::from(blob)).expect("set");
        bytes = rbxbinary::to_vec(&document).unwrap();
        bytes
    };
    // The folder has the number 7.
    let mut opened = open("model.rbxm", &of(model([7, 3])));
    let made = opened.convert(Some("rbxmx"), "model.rbxmx", &ConvertOptions::new()).expect("converted");
    let what = "f.AttributesSerialize.a: a reference to an instance in an array or a table; replaced by null";
    assert_eq!(crate::texts(&made.losses), [what]);
    let edits = rezkit::Edit::parse("copy f/p m.rbxm\ncopy f f.rbxm").expect("edits");
    let edited = opened.edit(&edits, &mut (), &EditOptions::new()).expect("copied");
    assert_eq!(edited.losses, []);
    let copied = rbxbinary::from_slice(&edited.models[1].1).unwrap();
    let value = copied.get(copied.find("f").expect("a folder"), "AttributesSerialize").expect("attributes");
    let number = copied.referent(copied.find("f").expect("a folder")).expect("a number");
    let expected = Attributes(vec![("a".into(), Attribute::Array(vec![Attribute::Ref(number.0)]))]);
    assert_eq!(value.as_bytes(), Some(&*expected.to_vec().expect("attributes")));
}

/// Nobody knows where a value of a new type ends, so a reference behind it cannot be found: it must not name another
/// instance in another file.
#[test]
fn references_behind_an_unknown_type_are_refused_or_listed() {
    let mut document = rbxbinary::from_slice(&model([7, 3])).unwrap();
    let folder = document.find("f").unwrap();
    let blob = b"\x03\0\0\0\x01\0\0\0a\x03\x01\x01\0\0\0b\x30what\x01\0\0\0c\x25\x03\0\0\0";
    document.set(folder, "AttributesSerialize", Value::from(blob.to_vec())).unwrap();
    let bytes = rbxbinary::to_vec(&document).unwrap();
    let lost = "f.AttributesSerialize: the attributes from the first one of an unknown type on";
    let error = open("m.rbxm", &bytes).convert(Some("rbxmx"), "m.rbxmx", &ConvertOptions::new()).unwrap_err();
    assert!(error.to_string().contains(lost), "{error}");
    let options = ConvertOptions::new().allow_loss(true);
    let (made, losses) = open("m.rbxm", &bytes).made_with("m.rbxmx", &options);
    assert!(losses.len() == 1 && losses[0].starts_with(lost), "{losses:?}");
    assert_eq!(open("m.rbxmx", &made).text("f.AttributesSerialize"), "{a: true}");
    let mut place = open("p.rbxm", &bytes);
    let copy = rezkit::Edit::parse("copy f m.rbxm").expect("edits");
    assert!(
        place
            .edit(&copy, &mut (), &EditOptions::new())
            .unwrap_err()
            .to_string()
            .contains("an attribute of an unknown type")
    );
    // In its own file, the instance stays as it is; only other attributes of such a type are refused.
    place.set("f.Name", "g", None).expect("set");
    place.set("g.AttributesSerialize.a", "false", None).expect("set");
    let written = rbxbinary::from_slice(&place.written()).unwrap();
    let stored = written.get(written.find("g").unwrap(), "AttributesSerialize").unwrap().to_value();
    assert!(stored.as_bytes().unwrap().ends_with(&blob[15..]), "{stored:?}");
}

/// Two instances of a class, of which only one has attributes, and these only as references.
#[test]
fn an_instance_whose_only_attributes_are_references_is_converted() {
    let reference = field("Ref", "__attrRef_to", "A");
    let options = ConvertOptions::new().fill(rezkit::Fill::Defaults);
    let converted = |more: &str, options: &ConvertOptions| {
        let xml = tree(&format!("Part#A|A\nPart#B|B|{more}"));
        open("a.rbxmx", &xml).made_with("a.rbxm", options)
    };
    let (made, _) = converted(&reference, &options);
    assert_eq!(open("a.rbxm", &made).text("B.__attrRef_to"), "A");
    // A value with the name of a reference is not kept.
    let blob = rezkit::blobs::Attributes(vec![("to".into(), true.into())]).to_vec().expect("attributes");
    let both = xml::binary("AttributesSerialize", blob) + &reference;
    let (_, losses) = converted(&both, &options.allow_loss(true));
    let what =
        "B.AttributesSerialize.to: the value of an attribute; a reference with the same name replaces it";
    assert!(losses.iter().any(|loss| loss == what), "{losses:?}");
}

/// Packing models that were extracted changes no reference in an array, which only the binary form can hold.
#[test]
fn references_in_arrays_stay() {
    let mut document = Document::new();
    let top = document.insert(None, NewInstance::new("Folder").property("Name", "Top")).unwrap();
    document.insert(top, NewInstance::new("Script").property("Name", "S").property("Source", "x")).unwrap();
    let part = document.insert(top, NewInstance::new("Part").property("Name", "p")).unwrap();
    let mut blob = b"\x01\0\0\0\x01\0\0\0b\x07\x01\0\0\0\x25".to_vec();
    blob.extend(document.referent(part).unwrap().0.to_le_bytes());
    let holder = NewInstance::new("Configuration").property("Name", "f");
    document.insert(top, holder.property("AttributesSerialize", Value::from(blob))).unwrap();
    let bytes = rbxbinary::to_vec(&document).unwrap();
    for form in ["rbxm", "rbxmx"] {
        let made = open("a.rbxm", &bytes).extract(&rezkit::ExtractOptions::new().models(form)).unwrap();
        let losses = crate::texts(&made.losses);
        assert!(losses.len() == 1 && losses[0].starts_with("Top/f.AttributesSerialize.b: "), "{losses:?}");
        let files: std::collections::BTreeMap<_, _> =
            made.files.into_iter().map(|file| (file.path().to_owned(), file.bytes)).collect();
        let mut opened = open("a.rbxm", &bytes);
        let packed = opened.pack(files, PackOptions::new()).unwrap();
        assert!(packed.changed.is_empty() && opened.written() == bytes, "{packed:?}");
    }
}
