//! Data that many instances share is processed once: the allocated memory, the same on every run, grows linearly with
//! the file.

use rezkit::tree::{self, OwnedValue};
use rezkit::{Opened, ReadOptions};

use super::xml::{document, field, item, with_id, with_shared};
use crate::{Ask as _, open};

fn read(bytes: &[u8]) -> Opened<'static> {
    rezkit::open(bytes.to_vec(), "", ()).expect("a document")
}

/// A document of instances that share a string.
fn sharing(count: usize, class: &str, property: &str, text: impl AsRef<[u8]>) -> Vec<u8> {
    with_shared(&item(class, class, &field("SharedString", property, "k"), "").repeat(count), text)
}

/// A folder with a long name, in which each instance refers to the one `first` positions later.
fn long_paths(count: usize, first: usize) -> Vec<u8> {
    let refer = |at: usize| field("Ref", "To", format!("P{}", (at + first) % count));
    let one = |at: usize| with_id(&format!("P{at}"), item("Folder", "Folder", &refer(at), ""));
    let items: String = (0..count).map(one).collect();
    document(&item("Folder", &"n".repeat(count * 20), "", &items))
}

/// Checks that `walk`, which gets the document twice, allocates at most 5 times as much for 4 times the instances.
fn taken(make: impl Fn(usize) -> Vec<u8>, walk: impl Fn(&mut Opened<'_>, &Opened<'_>)) {
    let of = |count: usize| {
        let text = make(count);
        let (mut one, other) = (read(&text), read(&text));
        testkit::measure(|| walk(&mut one, &other)).bytes_total
    };
    let (few, many) = (of(100), of(400));
    assert!(many < few * 5, "{few} bytes for 100, {many} for 400");
}

/// Gives each difference of two documents.
fn each_difference(one: &Opened<'_>, other: &Opened<'_>, found: &mut dyn FnMut(tree::Change)) {
    let [one, other] = [one, other].map(Opened::tree);
    tree::diff(&*one, &*other, &mut crate::budget(), found).expect("shallow");
}

fn no_difference(one: &mut Opened<'_>, other: &Opened<'_>) {
    each_difference(one, other, &mut |change| panic!("{change:?}"));
}

fn assets(one: &mut Opened<'_>, _: &Opened<'_>) {
    let mut budget = rezkit::Budget::new(1 << 30);
    rezkit::assets::uses(&*one.tree(), false, &mut budget).expect("shallow");
}

#[test]
fn a_string_that_is_shared_is_shown_once() {
    let source = |count: usize| sharing(count, "Script", "Source", "print(1) ".repeat(count));
    let references = |count: usize| {
        let source: String = (0..count).map(|at| format!("rbxassetid://{at} ")).collect();
        sharing(count, "Script", "Source", source)
    };
    taken(references, |one, _| drop(one.info()));
    taken(source, no_difference);
    taken(source, assets);
    // The attributes are names with the value `true`.
    let attributes = |count: usize| {
        let mut bytes = u32::try_from(count).unwrap().to_le_bytes().to_vec();
        (0..count).for_each(|at| bytes.extend(format!("\x04\0\0\0{at:04}\x03\x01").bytes()));
        sharing(count, "Folder", "AttributesSerialize", &bytes)
    };
    taken(attributes, no_difference);
    taken(attributes, assets);
}

/// The document converted to the other form, written and read again.
fn converted(document: &mut Opened<'_>) -> Opened<'static> {
    let to = if document.info().format == "rbxbinary" { "rbxmx" } else { "rbxm" };
    let made = document.convert(Some(to), &format!("a.{to}"), &rezkit::ConvertOptions::new());
    read(&made.expect("converted").files[0].bytes)
}

#[test]
fn a_string_that_is_shared_is_converted_once() {
    let source = |count: usize| sharing(count, "Script", "Source", "print(1) ".repeat(count));
    taken(source, |one, _| drop(converted(one)));
    taken(source, |one, _| drop(converted(&mut converted(one))));
}

#[test]
fn a_text_that_is_shared_is_replaced_once() {
    let source = |count: usize| sharing(count, "Script", "Source", "rbxassetid://1 ".repeat(count));
    let map = std::collections::BTreeMap::from([("1".to_owned(), "rbxassetid://2".to_owned())]);
    let of = |count: usize| {
        let mut opened = open(source(count), "a.rbxmx");
        let mut replaced = 0;
        let taken =
            testkit::measure(|| replaced = opened.replace_assets(&map).expect("replaced").0).bytes_total;
        assert_eq!(replaced, count);
        let value = opened.text("Script[1].Source");
        assert!(value.contains("rbxassetid://2"), "{value}");
        taken
    };
    let (few, many) = (of(100), of(400));
    assert!(many < few * 5, "{few} bytes for 100, {many} for 400");
}

#[test]
fn a_string_that_is_shared_differs_wherever_it_is() {
    let [old, new] = [1, 2].map(|last| read(&sharing(3, "Script", "Source", [b'a', last])));
    let mut paths = Vec::new();
    each_difference(&old, &new, &mut |change| paths.push(change.path));
    assert_eq!(paths, ["Script.Source", "Script[1].Source", "Script[2].Source"]);
}

#[test]
fn the_children_of_a_long_name_need_no_copy_of_it() {
    taken(|count| long_paths(count, 1), no_difference);
    taken(|count| long_paths(count, 1), assets);
    let find = |one: &mut Opened<'_>, _: &Opened<'_>| {
        tree::find(&*one.tree(), "", "?", &mut |_| true).expect("shallow");
    };
    taken(|count| long_paths(count, 1), find);
}

/// A long path of a reference is shown by a short text, which differs for different targets.
#[test]
fn long_paths_of_references_are_told_apart() {
    let (old, new) = (read(&long_paths(100, 1)), read(&long_paths(100, 2)));
    let mut changes = 0;
    each_difference(&old, &new, &mut |change| {
        assert!(change.path.ends_with(".To"), "{}", change.path);
        let (old, new) = (change.old.map(OwnedValue::from), change.new.map(OwnedValue::from));
        let (Some(OwnedValue::Text(old)), Some(OwnedValue::Text(new))) = (old, new) else { panic!("texts") };
        assert!(old != new && old.len() < 1000 && old.starts_with("a path too long to show "), "{old}");
        changes += 1;
    });
    assert_eq!(changes, 100);
}

/// An instance is listed once for each reference in its text, even if the text repeats the reference.
#[test]
fn a_reference_is_listed_once_for_each_text() {
    let source = "rbxassetid://1 rbxassetid://2 rbxassetid://1 ".repeat(2);
    let document = read(&sharing(2, "Script", "Source", source));
    let mut budget = rezkit::Budget::new(1 << 20);
    let uses = rezkit::assets::uses(&*document.tree(), false, &mut budget).expect("shallow");
    let paths = ["Script.Source", "Script[1].Source"].map(str::to_owned).to_vec();
    let expected = [("rbxassetid://1".to_owned(), paths.clone()), ("rbxassetid://2".to_owned(), paths)];
    assert_eq!(uses.into_iter().collect::<Vec<_>>(), expected);
}

/// Scripts share one source with many references.
#[test]
fn references_to_assets_are_listed_up_to_the_limit() {
    let source: String = (0..1000).map(|at| format!("rbxassetid://{at} ")).collect();
    let text = sharing(500, "Script", "Source", source);
    let options = ReadOptions::new().max_bytes(1 << 20);
    let opened = options.open(text, "a.rbxmx", ()).expect("a document");
    crate::limited(2 << 20, || opened.assets());
}

/// Each line of nested parts is indented, so the XML is large: the conversion ends at the limit, before it has built
/// it.
#[test]
fn a_conversion_holds_no_more_than_the_limit() {
    let part = item("Part", "P", &field("bool", "A", true), "");
    let part = part.trim_end_matches("</Item>").repeat(5000);
    let small = open(document(&(part + &"</Item>".repeat(5000))), "a.rbxmx").made("a.rbxm");
    let options = rezkit::ConvertOptions::new();
    let limited = ReadOptions::new().max_bytes(3 << 20);
    let mut opened = limited.open(small, "a.rbxm", ()).expect("a document");
    crate::limited(16 << 20, || opened.convert(None, "a.rbxmx", &options));
}
