//! Data that many instances share is processed once: the allocated memory, the same on every run, grows linearly with
//! the file.

use base64::Engine as _;
use rezkit::tree::{self, OwnedValue};
use rezkit::{Asset, ErrorKind, ReadOptions};

fn read(text: &str) -> Box<dyn Asset> {
    rezkit::read(text.as_bytes()).expect("a document")
}

fn roblox(inside: &str) -> String {
    format!("<roblox version=\"4\">{inside}</roblox>")
}

fn name(name: &str) -> String {
    format!("<string name=\"Name\">{name}</string>")
}

/// A document of instances that share a string.
fn sharing(count: usize, class: &str, property: &str, bytes: &[u8], key: &str) -> String {
    let share = format!("<SharedString name=\"{property}\">{key}</SharedString>");
    let items = format!("<Item class=\"{class}\"><Properties>{share}</Properties></Item>").repeat(count);
    let bytes = base64::prelude::BASE64_STANDARD.encode(bytes);
    roblox(&format!(
        "{items}<SharedStrings><SharedString md5=\"{key}\">{bytes}</SharedString></SharedStrings>"
    ))
}

/// A folder with a long name, in which each instance refers to the one `first` positions later.
fn long_paths(count: usize, first: usize) -> String {
    let item = |at: usize| {
        let to = (at + first) % count;
        format!(
            "<Item class=\"Folder\" referent=\"P{at}\"><Properties><Ref name=\"To\">P{to}</Ref></Properties></Item>"
        )
    };
    let items: String = (0..count).map(item).collect();
    let name = name(&"n".repeat(count * 20));
    roblox(&format!("<Item class=\"Folder\"><Properties>{name}</Properties>{items}</Item>"))
}

/// Checks that `walk`, which gets the document twice, allocates at most 5 times as much for 4 times the instances.
fn taken(make: impl Fn(usize) -> String, walk: impl Fn(&dyn Asset, &dyn Asset)) {
    let of = |count: usize| {
        let text = make(count);
        let (one, other) = (read(&text), read(&text));
        testkit::measure(|| walk(&*one, &*other)).bytes_total
    };
    let (few, many) = (of(100), of(400));
    assert!(many < few * 5, "{few} bytes for 100, {many} for 400");
}

fn no_difference(one: &dyn Asset, other: &dyn Asset) {
    let options = ReadOptions::new();
    tree::diff(
        &*one.tree(&options),
        &*other.tree(&options),
        &mut rezkit::Budget::new(1 << 30),
        &mut |change| panic!("{change:?}"),
    )
    .expect("shallow");
}

fn assets(one: &dyn Asset, _: &dyn Asset) {
    let mut budget = rezkit::Budget::new(1 << 30);
    rezkit::assets::uses(&*one.tree(&ReadOptions::new()), false, &mut budget).expect("shallow");
}

#[test]
fn a_string_that_is_shared_is_shown_once() {
    let source = |count: usize| sharing(count, "Script", "Source", &b"print(1) ".repeat(count), "k");
    let references = |count: usize| {
        let source: String = (0..count).map(|at| format!("rbxassetid://{at} ")).collect();
        sharing(count, "Script", "Source", source.as_bytes(), "k")
    };
    taken(references, |one, _| drop(one.describe(&ReadOptions::new())));
    taken(source, no_difference);
    taken(source, assets);
    // The attributes are names with the value `true`.
    let attributes = |count: usize| {
        let mut bytes = u32::try_from(count).unwrap().to_le_bytes().to_vec();
        (0..count).for_each(|at| bytes.extend(format!("\x04\0\0\0{at:04}\x03\x01").bytes()));
        sharing(count, "Folder", "AttributesSerialize", &bytes, "k")
    };
    taken(attributes, no_difference);
    taken(attributes, assets);
}

/// The document converted to the other form, written and read again.
fn converted(document: &dyn Asset) -> Box<dyn Asset> {
    let to = if document.kind().format == "rbxbinary" { "rbxxml" } else { "rbxbinary" };
    let asset = document.convert(to, &rezkit::ConvertOptions::new()).expect("converted").asset;
    rezkit::read(&asset.write(&rezkit::WriteOptions::new()).expect("written")).expect("read")
}

#[test]
fn a_string_that_is_shared_is_converted_once() {
    let source = |count: usize| sharing(count, "Script", "Source", &b"print(1) ".repeat(count), "k");
    taken(source, |one, _| drop(converted(one)));
    taken(source, |one, _| drop(converted(&*converted(one))));
}

#[test]
fn a_text_that_is_shared_is_replaced_once() {
    let source = |count: usize| sharing(count, "Script", "Source", &b"rbxassetid://1 ".repeat(count), "k");
    let map = std::collections::BTreeMap::from([("1".to_owned(), "rbxassetid://2".to_owned())]);
    let of = |count: usize| {
        let mut opened =
            ReadOptions::new().open(source(count).into_bytes(), "a.rbxmx", ()).expect("a document");
        let mut replaced = 0;
        let taken =
            testkit::measure(|| replaced = opened.replace_assets(&map).expect("replaced").0).bytes_total;
        assert_eq!(replaced, count);
        let value = opened.get("Script[1].Source").expect("a script").summary(20);
        assert!(value.contains("rbxassetid://2"), "{value}");
        taken
    };
    let (few, many) = (of(100), of(400));
    assert!(many < few * 5, "{few} bytes for 100, {many} for 400");
}

#[test]
fn a_string_that_is_shared_differs_wherever_it_is() {
    let [old, new] = [1, 2].map(|last| read(&sharing(3, "Script", "Source", &[b'a', last], "k")));
    let (options, mut paths) = (ReadOptions::new(), Vec::new());
    tree::diff(
        &*old.tree(&options),
        &*new.tree(&options),
        &mut rezkit::Budget::new(1 << 30),
        &mut |change| paths.push(change.path),
    )
    .expect("shallow");
    assert_eq!(paths, ["Script.Source", "Script[1].Source", "Script[2].Source"]);
}

#[test]
fn the_children_of_a_long_name_need_no_copy_of_it() {
    taken(|count| long_paths(count, 1), no_difference);
    taken(|count| long_paths(count, 1), assets);
    let find = |one: &dyn Asset, _: &dyn Asset| {
        tree::find(&*one.tree(&ReadOptions::new()), "", "?", &mut |_| true).expect("shallow");
    };
    taken(|count| long_paths(count, 1), find);
}

/// A long path of a reference is shown by a short text, which differs for different targets.
#[test]
fn long_paths_of_references_are_told_apart() {
    let (old, new) = (read(&long_paths(100, 1)), read(&long_paths(100, 2)));
    let (options, mut changes) = (ReadOptions::new(), 0);
    tree::diff(
        &*old.tree(&options),
        &*new.tree(&options),
        &mut rezkit::Budget::new(1 << 30),
        &mut |change| {
            assert!(change.path.ends_with(".To"), "{}", change.path);
            let (old, new) = (change.old.map(OwnedValue::from), change.new.map(OwnedValue::from));
            let (Some(OwnedValue::Text(old)), Some(OwnedValue::Text(new))) = (old, new) else {
                panic!("texts")
            };
            assert!(old != new && old.len() < 1000 && old.starts_with("a path too long to show "), "{old}");
            changes += 1;
        },
    )
    .expect("shallow");
    assert_eq!(changes, 100);
}

/// An instance is listed once for each reference in its text, even if the text repeats the reference.
#[test]
fn a_reference_is_listed_once_for_each_text() {
    let source = "rbxassetid://1 rbxassetid://2 rbxassetid://1 ".repeat(2);
    let document = read(&sharing(2, "Script", "Source", source.as_bytes(), "k"));
    let mut budget = rezkit::Budget::new(1 << 20);
    let uses =
        rezkit::assets::uses(&*document.tree(&ReadOptions::new()), false, &mut budget).expect("shallow");
    let paths = ["Script.Source", "Script[1].Source"].map(str::to_owned).to_vec();
    let expected = [("rbxassetid://1".to_owned(), paths.clone()), ("rbxassetid://2".to_owned(), paths)];
    assert_eq!(uses.into_iter().collect::<Vec<_>>(), expected);
}

/// Scripts share one source with many references.
#[test]
fn references_to_assets_are_listed_up_to_the_limit() {
    let source: String = (0..1000).map(|at| format!("rbxassetid://{at} ")).collect();
    let text = sharing(500, "Script", "Source", source.as_bytes(), "k");
    let options = ReadOptions::new().max_bytes(1 << 20);
    let opened = options.open(text.into_bytes(), "a.rbxmx", ()).expect("a document");
    let mut result = Ok(Default::default());
    let taken = testkit::measure(|| result = opened.assets()).bytes_max;
    assert_eq!(result.expect_err("too many").kind(), ErrorKind::Limit);
    assert!(taken < 2 << 20, "{taken}");
}

/// Each line of nested parts is indented, so the XML is large: the conversion ends at the limit, before it has built
/// it.
#[test]
fn a_conversion_holds_no_more_than_the_limit() {
    let part = "<Item class=\"Part\"><Properties><bool name=\"A\">true</bool></Properties>";
    let deep = roblox(&(part.repeat(5000) + &"</Item>".repeat(5000)));
    let mut opened = ReadOptions::new().open(deep.into_bytes(), "a.rbxmx", ()).expect("a document");
    let options = rezkit::ConvertOptions::new();
    let small = opened.convert(None, "a.rbxm", &options).expect("binary").files.remove(0).bytes;
    let limited = ReadOptions::new().max_bytes(3 << 20);
    let mut opened = limited.open(small, "a.rbxm", ()).expect("a document");
    let mut result = Ok(());
    let taken = testkit::measure(|| result = opened.convert(None, "a.rbxmx", &options).map(drop)).bytes_max;
    assert_eq!(result.expect_err("too long").kind(), ErrorKind::Limit);
    assert!(taken < 16 << 20, "{taken} bytes");
}
