//! Values enter a document under the name and the type with which Roblox stores them, or are refused.

use rezkit::{Edit, Opened};

fn xml(items: &str) -> Vec<u8> {
    format!("<roblox version=\"4\">{items}</roblox>").into_bytes()
}

fn item(class: &str, properties: &str) -> String {
    format!("<Item class=\"{class}\" referent=\"{class}\"><Properties>{properties}</Properties></Item>")
}

/// A place with a part as Studio stores it, in both forms.
fn places() -> [(&'static str, Vec<u8>); 2] {
    let part = "<string name=\"Name\">Old</string><bool name=\"Anchored\">true</bool>\
        <Color3uint8 name=\"Color3uint8\">4288914085</Color3uint8><Vector3 name=\"size\"><X>4</X><Y>1</Y><Z>2</Z></Vector3>";
    let place = xml(&item("Part", part));
    let mut opened = open("place.rbxmx", &place);
    let binary = opened.convert(None, "place.rbxm", &rezkit::ConvertOptions::new()).expect("a document");
    [("place.rbxmx", place), ("place.rbxm", binary.files.into_iter().next().expect("a document").bytes)]
}

fn open(name: &str, bytes: &[u8]) -> Opened<'static> {
    rezkit::open(bytes.to_vec(), name, ()).expect("a document")
}

fn insert(name: &str, place: &[u8], model: &[u8]) -> rezkit::Result<Vec<u8>> {
    let mut opened = open(name, place);
    let edit = Edit::Insert { model: "model.rbxmx".into(), parent: String::new() };
    let model = model.to_vec();
    opened.edit(&[edit], &mut move |_: &rezkit::Reference, _: u64| Ok(Some(model.clone())))?;
    opened.to_vec()
}

/// All names of properties in a document.
fn names(name: &str, bytes: &[u8]) -> Vec<String> {
    let text = match name.ends_with('x') {
        true => bytes.to_vec(),
        false => {
            let converted = open(name, bytes).convert(None, "out.rbxmx", &rezkit::ConvertOptions::new());
            converted.expect("a document").files.into_iter().next().expect("a document").bytes
        }
    };
    let text = String::from_utf8(text).expect("a document");
    text.split(" name=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().expect("a document").to_owned())
        .collect()
}

#[test]
fn other_names_become_those_of_files() {
    let color = "<Color3 name=\"Color\"><R>1</R><G>0</G><B>0</B></Color3><string name=\"Name\">New</string>";
    for (name, place) in places() {
        let bytes = insert(name, &place, &xml(&item("Part", color))).expect("a document");
        let names = names(name, &bytes);
        assert!(!names.iter().any(|name| name == "Color"), "{name}: {names:?}");
        assert!(names.iter().filter(|name| *name == "Color3uint8").count() == 2, "{name}: {names:?}");
    }
}

#[test]
fn other_types_become_those_of_files_or_are_refused() {
    let value = "<string name=\"Name\">V</string><float name=\"Value\">3</float>";
    for (name, place) in places() {
        let bytes = insert(name, &place, &xml(&item("NumberValue", value))).expect("a document");
        let mut opened = open(name, &bytes);
        let xml = opened.convert(None, "out.rbxmx", &rezkit::ConvertOptions::new());
        let text = match xml {
            Ok(converted) => String::from_utf8(converted.files.into_iter().next().expect("a document").bytes)
                .expect("a document"),
            Err(_) => String::from_utf8(bytes).expect("a document"),
        };
        assert!(text.contains("<double name=\"Value\">3</double>"), "{name}: {text}");
    }
    let wrong = "<int name=\"Anchored\">1</int><string name=\"Transparency\">x</string><double name=\"Massless\">1</double>";
    for (name, place) in places() {
        let error = insert(name, &place, &xml(&item("Part", wrong))).expect_err("refused").to_string();
        for part in ["Part.Anchored: expected Bool, found Int32", "Part.Transparency", "Part.Massless"] {
            assert!(error.contains(part), "{name}: {error}");
        }
    }
}

#[test]
fn a_typo_is_not_a_new_property() {
    for (name, place) in places() {
        let mut opened = open(name, &place);
        let error = opened.set("Old.Ancored", "true", Some("bool")).expect_err("refused").to_string();
        assert!(error.contains("misspelling of Anchored"), "{name}: {error}");
        // A property of the class that the file lacks is added; other instances keep the default.
        opened.set("Old.Transparency", "0.5", None).expect("a document");
        opened.set("Old.Size", "1,2,3", None).expect("a document");
        let error = opened.set("Old.Transparency", "0.5", Some("string")).expect_err("refused").to_string();
        assert!(error.to_lowercase().contains("float"), "{name}: {error}");
        let names = names(name, &opened.to_vec().expect("a document"));
        assert!(names.iter().any(|name| name == "Transparency") && !names.iter().any(|name| name == "Size"));
    }
}
