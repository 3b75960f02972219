//! Edits of documents by path, in both forms: the requested change, no other changes, and no change if an edit is
//! refused.

use crate::xml::{document, field, item, tree, with_id};
use crate::{Ask as _, open};
use rezkit::{ConvertOptions, Edit, EditOptions, ErrorKind, Opened, Reference};

const PLACE: &str = "<roblox version=\"4\"><Item class=\"Workspace\"><Properties><string name=\"Name\">Workspace</string>\
    </Properties><Item class=\"Part\"><Properties><string name=\"Name\">Door</string><bool name=\"Anchored\">true</bool>\
    <CoordinateFrame name=\"CFrame\"><X>1</X><Y>2</Y><Z>3</Z><R00>0</R00><R01>-1</R01><R02>0</R02><R10>1</R10><R11>0</R11>\
    <R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22></CoordinateFrame></Properties></Item><Item class=\"Folder\">\
    <Properties><string name=\"Name\">Cars</string></Properties></Item></Item></roblox>";

/// A model with a wheel.
fn model() -> Vec<u8> {
    tree("Model|Car\n  Part|Wheel|<float name=\"Transparency\">0.5</float>")
}

/// The same document in both forms.
fn both(xml: impl AsRef<[u8]>) -> [(&'static str, Vec<u8>); 2] {
    [("rbxmx", xml.as_ref().to_vec()), ("rbxm", open(xml, "a.rbxmx").made("a.rbxm"))]
}

fn edit(opened: &mut Opened<'_>, script: &str, model: &[u8]) -> rezkit::Result<rezkit::Edited> {
    let mut models = |reference: &Reference, _: u64| match reference {
        Reference::Beside(name) if name.starts_with("car.") => Ok(Some(model.to_vec())),
        _ => Ok(None),
    };
    opened.edit(&Edit::parse(script).expect("edits"), &mut models, &EditOptions::new())
}

/// A document that is edited line by line.
fn edited_by_line(place: &[u8], script: &str, model: &[u8]) -> Opened<'static> {
    let mut opened = open(place, "place");
    script.lines().for_each(|line| drop(edit(&mut opened, line, model).expect(line)));
    opened
}

/// The paths and classes of all instances.
fn all(opened: &Opened<'_>) -> Vec<String> {
    fn walk(node: &rezkit::tree::OwnedNode, path: &str, all: &mut Vec<String>) {
        for child in &node.children {
            let path = format!("{path}/{}", child.name);
            all.push(format!("{path} {}", child.kind));
            walk(child, &path, all);
        }
    }
    let mut found = Vec::new();
    walk(&opened.nodes("", 10).expect("nodes"), "", &mut found);
    found
}

#[test]
fn a_content_is_restored_with_its_bytes_and_ids() {
    let llsd = b"<llsd><map><key>a</key><integer>1</integer></map></llsd>".to_vec();
    let door = [("Workspace/Door.Anchored", "false"), ("Workspace/Door.Name", "Gate")];
    let cases = both(PLACE).map(|(form, bytes)| (form, bytes, &door[..]));
    for (form, bytes, changes) in cases.into_iter().chain([("xml", llsd, &[("a", "2")][..])]) {
        let mut opened = open(&bytes, &format!("a.{form}"));
        // The first edit of a binary document may write it in another way than it was read.
        let mut states = vec![(opened.written(), opened.content())];
        for (path, value) in changes {
            opened.set(path, value, None).expect(path);
            states.push((opened.written(), opened.content()));
        }
        let last = states.len() - 1;
        for (written, content) in states.iter().rev().chain(&states) {
            opened.restore(content);
            assert_eq!(opened.written(), *written, "{form}");
        }
        // What is changed afterwards changes no content that is kept, whether the change is refused or not.
        opened.restore(&states[0].1);
        opened.set("nothing/here", "1", None).expect_err("no such path");
        assert_eq!(opened.written(), states[0].0);
        opened.set(changes[0].0, changes[0].1, None).expect("a value");
        assert_eq!(opened.written(), states[1].0, "{form}");
        opened.restore(&states[last].1);
        assert_eq!(opened.written(), states[last].0, "{form}");
    }
}

#[test]
fn models_are_put_into_places() {
    for (place_form, place) in both(PLACE) {
        for (model_form, model) in both(model()) {
            let mut opened = open(&place, "place");
            let edited = edit(&mut opened, "insert car.rbxm Workspace/Cars", &model).expect("put in");
            assert_eq!(edited.inserted, 2);
            let opened = open(opened.written(), "place");
            let wanted = [
                "/Workspace Workspace",
                "/Workspace/Door Part",
                "/Workspace/Cars Folder",
                "/Workspace/Cars/Car Model",
                "/Workspace/Cars/Car/Wheel Part",
            ];
            assert_eq!(all(&opened), wanted, "{model_form} into {place_form}");
            assert_eq!(opened.text("Workspace/Cars/Car/Wheel.Transparency"), "0.5");
            assert_eq!(opened.text("Workspace/Door.Anchored"), "true");
            // The binary form stores a property for all instances of a class: new values are Studio's defaults for
            // parts.
            let mut filled = crate::texts(&edited.filled);
            filled.sort();
            match place_form {
                "rbxm" => {
                    let wanted = [
                        "Part.Anchored = false for 1 instance",
                        "Part.CFrame = 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 for 1 instance",
                        "Part.Transparency = 0 for 1 instance",
                    ];
                    assert_eq!(filled, wanted);
                    assert_eq!(opened.text("Workspace/Door.Transparency"), "0");
                }
                _ => assert!(filled.is_empty(), "{filled:?}"),
            }
        }
    }
}

/// A place is inserted into another place: each service exists once and has the children of both. References to a
/// service of the inserted place refer to the existing service.
#[test]
fn places_are_joined() {
    let service = |class: &str, id: &str, properties: &str, inside: &str| {
        with_id(id, item(class, class, properties, inside))
    };
    let refer = |to: &str| field("Ref", "Value", to);
    let place = |gravity: u32, part: &str, more: &str| {
        let inside = [
            service("Camera", "c", "", ""),
            service("Terrain", "t", "", &service(part, "p", "", "")),
            service("ObjectValue", "o", &refer("w"), ""),
        ];
        let gravity = field("float", "Gravity", gravity) + &field("Ref", "CurrentCamera", "c");
        let workspace = service("Workspace", "w", &gravity, &inside.concat());
        document(&(workspace + more))
    };
    let lighting = service("Lighting", "l", "", &service("ObjectValue", "q", &refer("p"), ""));
    let other = place(20, "Seat", &(lighting + &service("Folder", "f", "", "")));
    for (_, bytes) in both(place(10, "Part", "")) {
        for (name, model) in both(&other) {
            let mut opened = open(&bytes, "place");
            let edited = edit(&mut opened, &format!("insert car.{name}"), &model).expect("joined");
            let paths = [
                "/Workspace",
                "/Workspace/Camera",
                "/Workspace/Terrain",
                "/Workspace/Terrain/Part",
                "/Workspace/Terrain/Seat",
                "/Workspace/ObjectValue",
                "/Workspace/ObjectValue",
                "/Lighting",
                "/Lighting/ObjectValue",
                "/Folder",
            ];
            let found = all(&opened);
            let found: Vec<_> = found.iter().map(|one| one.split(' ').next().unwrap_or_default()).collect();
            assert_eq!((found, edited.inserted), (paths.to_vec(), 5));
            for (path, value) in [
                ("Workspace/ObjectValue[1].Value", "Workspace"),
                ("Lighting/ObjectValue.Value", "Workspace/Terrain/Seat"),
                ("Workspace.Gravity", "10"),
                ("Workspace.CurrentCamera", "Workspace/Camera"),
            ] {
                assert_eq!(opened.text(path), value, "{path}");
            }
            let what = "Workspace: the inserted model's values of Gravity; the place keeps its own values";
            assert_eq!(crate::texts(&edited.losses), [what]);
        }
    }
}

/// A new instance has Studio's defaults and the given values.
#[test]
fn instances_are_made() {
    for (_, bytes) in both(PLACE) {
        let mut opened = open(&bytes, "place");
        let script = "add Part Workspace Name=Floor 'Size=64, 1, 64' Color=255,0,0\nadd Folder Workspace/Floor\nadd ObjectValue \
                      '' Value=Workspace/Floor";
        let edited = edit(&mut opened, script, b"").expect("made");
        assert_eq!(edited.inserted, 3);
        let opened = open(opened.written(), "place");
        for (path, value) in [
            ("Workspace/Floor.size", "64, 1, 64"),
            ("Workspace/Floor.Color3uint8", "255, 0, 0"),
            ("Workspace/Floor.Name", "\"Floor\""),
            ("Workspace/Floor/Folder.Name", "\"Folder\""),
            ("ObjectValue.Value", "Workspace/Floor"),
            ("Workspace/Door.Anchored", "true"),
        ] {
            assert_eq!(opened.text(path), value, "{path}");
        }
    }
}

#[test]
fn several_edits_are_one() {
    for (form, place) in both(PLACE) {
        let mut opened = open(&place, "place");
        let script = "rename Workspace/Door 'Front door'\nmove 'Workspace/Front door' Workspace/Cars\n\
                      set 'Workspace/Cars/Front door.Anchored' false\ninsert car.rbxmx\ncopy Workspace/Cars out.rbxm\n\
                      copy Car out.rbxmx\nremove Car/Wheel\n";
        let edited = edit(&mut opened, script, &model()).expect("edited");
        assert_eq!((edited.inserted, edited.removed), (2, 1));
        let opened = open(opened.written(), "place");
        let wanted = [
            "/Workspace Workspace",
            "/Workspace/Cars Folder",
            "/Workspace/Cars/Front door Part",
            "/Car Model",
        ];
        assert_eq!(all(&opened), wanted, "{form}");
        assert_eq!(opened.text("Workspace/Cars/Front door.Anchored"), "false");
        let names: Vec<_> = edited.models.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["out.rbxm", "out.rbxmx"]);
        assert_eq!(all(&open(&edited.models[0].1, "")), ["/Cars Folder", "/Cars/Front door Part"]);
        assert_eq!(all(&open(&edited.models[1].1, "")), ["/Car Model", "/Car/Wheel Part"]);
        assert!(edited.models[0].1.starts_with(b"<roblox!") && !edited.models[1].1.starts_with(b"<roblox!"));
    }
}

#[test]
fn a_refused_edit_changes_nothing() {
    for (form, place) in both(PLACE) {
        for (script, what) in [
            ("remove Workspace/Doors", "Workspace/Doors"),
            ("move Workspace Workspace/Cars", "into itself or into its descendant"),
            ("insert other.rbxm Workspace", "other.rbxm: the model to insert was not found"),
            ("insert car.rbxm Workspace/Doors", "Workspace/Doors"),
            ("copy Workspace/Door out.txt", "out.txt: expected the extension .rbxm or .rbxmx"),
            ("rename Nowhere X", "Nowhere"),
            ("set Workspace/Door.Anchored perhaps", "perhaps"),
        ] {
            let mut opened = open(&place, "place");
            let before = opened.written();
            let script = script.replace("Door.", "Gate.").replace("Door out", "Gate out");
            let script = format!("rename Workspace/Door Gate\nset Workspace/Gate.Anchored false\n{script}");
            let error = edit(&mut opened, &script, &model()).expect_err(&script).to_string();
            assert!(error.contains(what), "{form}: {error}");
            assert_eq!(opened.written(), before, "{form}: {script}");
        }
    }
}

/// Setting only a position keeps the rotation. An attribute stores an axis-aligned rotation as an id, in 14 bytes
/// instead of 50.
#[test]
fn a_position_keeps_the_rotation() {
    for (form, place) in both(PLACE) {
        let mut opened = open(&place, "place");
        let (path, text) = ("Workspace/Door.AttributesSerialize.At", "1, 2, 3, 0, 0, 1, 1, 0, 0, 0, 1, 0");
        opened.set(path, text, Some("CFrame")).expect("set");
        let before = opened.written();
        opened.set(path, text, None).expect("set");
        assert_eq!((opened.text(path).as_str(), opened.written()), (text, before), "{form}");
        opened.set(path, "4, 5, 6", None).expect("set");
        assert_eq!(opened.text(path), text.replacen("1, 2, 3", "4, 5, 6", 1), "{form}");
        opened.set("Workspace/Door.CFrame", "4, 5, 6", None).expect("set");
        assert_eq!(opened.text("Workspace/Door.CFrame"), "4, 5, 6, 0, -1, 0, 1, 0, 0, 0, 0, 1", "{form}");
    }
}

/// In XML, an edit only changes the text of the edited value.
#[test]
fn the_rest_of_the_text_stays() {
    let mut opened = open(PLACE, "place.rbxlx");
    edit(&mut opened, "rename Workspace/Door Gate", b"").expect("renamed");
    assert_eq!(opened.xml(), PLACE.replace(">Door<", ">Gate<"));
}

/// If a file nearly has a known format, the crate of this format reports the error.
#[test]
fn what_is_nearly_of_a_format() {
    for (bytes, what) in [
        (&b"version 8.00\n"[..], "8.00"),
        (b"<?xml version=\"1.0\"?><!DOCTYPE roblox []><roblox version=\"4\"></roblox>", "<!DOCTYPE> declaration"),
        ("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><roblox version=\"4\"><Item class=\"\u{e5}\"/></roblox>".as_bytes(), "ISO-8859-1"),
        (b"<roblox!\x89\xff\n\x1a\n\0\0", "as if it were text"),
    ] {
        let error = rezkit::open(bytes.to_vec(), "file", ()).map(drop);
        let text = error.expect_err("refused").to_string();
        assert!(text.contains(what), "{text}");
    }
}

/// The written XML is valid: text with invalid UTF-8 or forbidden characters is refused or replaced.
#[test]
fn bytes_that_are_not_text_are_listed() {
    for (byte, name) in [(0xe5, "Value"), (0x07, "Value"), (0xe5, "SomethingVeryNew")] {
        let mut document = with_byte(byte, name);
        let is_text = name == "Value";
        let bytes = if is_text {
            let convert = |document: &mut Opened<'_>, options| document.convert(None, "a.rbxmx", &options);
            let error = convert(&mut document, ConvertOptions::new()).expect_err("refused").to_string();
            let end = "in these names and values: A.Value";
            assert!(error.ends_with(end) && !error.contains("::"), "{error}");
            let made = convert(&mut document, ConvertOptions::new().allow_loss(true)).expect("converted");
            let what = "A.Value: invalid UTF-8 and characters that XML forbids are replaced by U+FFFD";
            assert_eq!(crate::texts(&made.losses), [what]);
            made.files[0].bytes.clone()
        } else {
            // The bytes of an unknown property are kept as bytes.
            document.made("a.rbxmx")
        };
        let text = std::str::from_utf8(&bytes).expect("UTF-8");
        let is_valid = |char: char| char >= ' ' || char.is_whitespace();
        assert!(text.chars().all(is_valid) && !text.contains("&#7;"), "{text}");
        let replaced = field("string", "Value", "\u{fffd}bcdefgh");
        assert_eq!(text.contains(&replaced), is_text, "{text}");
        let back = open(&bytes, "a.rbxmx").made("a.rbxm");
        let back = rbxbinary::from_slice(&back).expect("readable");
        let value = back.get(back.find("A").expect("there"), name).expect("stored");
        let begin = if is_text { "\u{fffd}".as_bytes().to_vec() } else { vec![byte] };
        assert_eq!(value.as_bytes(), Some(&*[&begin[..], b"bcdefgh"].concat()));
    }
}

/// A value that was read from XML is written unchanged, even if its bytes are invalid.
#[test]
fn bytes_of_old_xml_stay() {
    let text =
        b"<roblox version=\"4\"><Item class=\"StringValue\"><Properties><string name=\"Name\">A</string>\
        <string name=\"Value\">\xe5 \x07 &#7;</string></Properties></Item></roblox>";
    let mut document = open(text, "a.rbxmx");
    assert_eq!(document.written(), text);
    document.set("A.Name", "B", None).expect("set");
    let edited = document.written();
    assert!(edited.windows(8).any(|window| window == b"\xe5 \x07 &#7;"));
}

/// A binary model of a StringValue whose text begins with this byte.
fn with_byte(byte: u8, property: &str) -> Opened<'static> {
    let text = tree(&format!("StringValue|A|{}", field("string", property, "abcdefgh")));
    let mut opened = open(open(text, "a.rbxmx").made("a.rbxm"), "a.rbxm");
    let plain = opened.convert(Some("none"), "a.rbxm", &ConvertOptions::new()).expect("written");
    let mut plain = plain.files[0].bytes.clone();
    let at = plain.windows(8).position(|window| window == b"abcdefgh").expect("the text");
    plain[at] = byte;
    open(&plain, "a.rbxm")
}

#[test]
fn lines_are_words() {
    let rename = |path: &str, name: &str| Edit::Rename { path: path.into(), name: name.into() };
    for (line, edit) in [
        ("set  A/B.C\t1 ", Edit::Set { path: "A/B.C".into(), value: "1".into(), kind: None }),
        (r#"rename "A \"b\" \\" 'c "d" \'"#, rename(r#"A "b" \"#, r#"c "d" \"#)),
        ("rename A ''", rename("A", "")),
        (r#"rename "A\/B C" 'A\/B'"#, rename(r"A\/B C", r"A\/B")),
        (
            r#"add Part A Name="Red door" 'Text=it is' Tag=it's"#,
            Edit::Add {
                class: "Part".into(),
                parent: "A".into(),
                properties: [["Name", "Red door"], ["Text", "it is"], ["Tag", "it's"]]
                    .map(|[name, value]| (name.into(), value.into()))
                    .into(),
            },
        ),
    ] {
        assert_eq!(Edit::parse(line).expect(line), [edit]);
    }
    for line in ["rename 'A", r#""\"#] {
        let error = Edit::parse(line).expect_err(line).to_string();
        assert_eq!(error, "line 1: an opening quote has no closing quote");
    }
}

#[test]
fn scripts_are_edits() {
    let script = "# doors\n\nremove A\n insert m.rbxm\r\nmove A/B C\nset A.B '1, 2' Vector2\n";
    let edits = Edit::parse(script).expect("edits");
    let set = Edit::Set { path: "A.B".into(), value: "1, 2".into(), kind: Some("Vector2".into()) };
    let insert = Edit::Insert { model: "m.rbxm".into(), parent: String::new() };
    let wanted = [
        Edit::Remove { path: "A".into() },
        insert,
        Edit::Move { path: "A/B".into(), parent: "C".into() },
        set,
    ];
    assert_eq!(edits, wanted);
    for (script, start) in [
        ("remove", "line 1: expected `remove PATH`, found 0 arguments (put a path"),
        ("\nremove A B", "line 2: expected `remove PATH`, found 2 arguments"),
        ("delete A", r#"line 1: unknown edit "delete": expected one of set PATH VALUE [TYPE], insert"#),
        ("rename A 'B", "line 1: an opening quote"),
        ("add Part A Name=Red door", r#"line 1: expected at most one parent, found "A" and "door""#),
    ] {
        let error = Edit::parse(script).expect_err(script).to_string();
        assert!(error.starts_with(start), "{error}");
    }
}

/// The error of a refused edit has its line and its path.
#[test]
fn errors_have_the_line_and_the_path() {
    for (_, place) in both(PLACE) {
        for (script, wanted) in [
            ("# x\n\nset Workspace/Door.Anchored perhaps", "line 3: Workspace/Door.Anchored: "),
            // A list is written after its last edit.
            (
                "set Workspace/Door.Tags '\"a\\u0000b\"'\nrename Workspace/Door Gate",
                "line 1: Workspace/Door.Tags: Tags[0]: ",
            ),
            (
                "set Workspace/Door.Anchored false\nset Workspace/Dor.Anchored true",
                "line 2: no such path: Workspace/Dor",
            ),
            ("set Workspace/Door.Ancored true", "line 1: Workspace/Door.Ancored"),
            (
                "rename Workspace/Door Gate\nmove Workspace/Door Workspace/Cars",
                "line 2: no such path: Workspace/Door",
            ),
            ("\nadd Part Workspace Anchored=perhaps", "line 2: Workspace/Part.Anchored: "),
            ("remove Workspace/Door\ninsert car.rbxm Nowhere", "line 2: "),
            ("insert missing.rbxm", "line 1: missing.rbxm: the model to insert was not found"),
            ("remove\n", "line 1: expected `remove PATH`, found 0 arguments"),
        ] {
            let mut opened = open(&place, "place");
            let mut models = |_: &Reference, _: u64| Ok(None);
            let error =
                opened.edit_script(script, &mut models, &EditOptions::new()).expect_err(script).to_string();
            assert!(error.starts_with(wanted), "{script}: {error}");
            assert_eq!(opened.text("Workspace/Door.Anchored"), "true");
        }
    }
    // An error about the document has no line.
    let mesh = b"version 1.00\n1\n[0,0,0][0,0,1][0,0,0][1,0,0][0,0,1][0,0,0][0,1,0][0,0,1][0,0,0]";
    let mut other = open(mesh, "a.mesh");
    let error = other.edit_script("remove a", &mut (), &EditOptions::new()).expect_err("refused").to_string();
    assert!(error.starts_with("expected a Roblox place or model"), "{error}");
}

/// Chunks that XML has no place for are refused, or listed.
#[test]
fn chunks_that_xml_cannot_store_are_listed() {
    let bytes = testkit::fixture("rbxbinary", "unknown.rbxm");
    let mut opened = open(&bytes, "unknown.rbxm");
    let refused = opened.convert(Some("rbxmx"), "a.rbxmx", &ConvertOptions::new()).expect_err("refused");
    assert_eq!(refused.kind(), ErrorKind::Unwritable);
    let options = ConvertOptions::new().allow_loss(true);
    let converted = opened.convert(Some("rbxmx"), "a.rbxmx", &options).expect("written");
    let losses = crate::texts(&converted.losses);
    for (what, wanted) in [
        ("XML cannot store an unknown or repeated chunk", 4),
        ("the values are malformed or of an unknown type", 5),
        ("a property without values, which Roblox ignores, is not kept", 1),
    ] {
        let of = converted.losses.iter().filter(|loss| loss.what == what);
        assert_eq!(of.map(|loss| loss.count).sum::<usize>(), wanted, "{losses:?}");
    }
    assert!(losses.contains(&"chunk SIGN: XML cannot store signatures".to_owned()), "{losses:?}");
}

/// The error is about the document, not about the model.
#[test]
fn a_document_that_cannot_be_edited_takes_no_model() {
    let bytes = testkit::fixture("rbxbinary", "unknown.rbxm");
    let error =
        edit(&mut open(&bytes, "unknown.rbxm"), "insert car.rbxmx Workspace", PLACE.as_bytes()).unwrap_err();
    assert!(error.to_string().starts_with("the document cannot be edited: it has a PROP chunk"), "{error}");
}

/// What is given for a new instance is not filled in.
#[test]
fn given_values_are_not_filled_in() {
    let mut opened = open(open(tree("Part|Part"), "a.rbxmx").made("a.rbxm"), "a");
    let added = edit(&mut opened, "add Part Name=C Anchored=true Color=1,2,3", b"").expect("added");
    let given = |of: &rezkit::Filled| matches!(&*of.property, "Anchored" | "Color3uint8" | "Name");
    assert!(!added.filled.iter().any(given), "{:?}", added.filled);
}

/// The text that the tree shows for attributes can be set.
#[test]
fn shown_values_can_be_set() {
    let mut opened = open(PLACE.as_bytes(), "place.rbxlx");
    let attributes = "Workspace/Door.AttributesSerialize";
    opened.set(&format!("{attributes}.At"), "0.5, 2", Some("UDim")).expect("set");
    let json = opened.get(attributes).expect("attributes").to_json().to_string();
    opened.set(attributes, &json, None).expect("set");
    assert_eq!(opened.text(&format!("{attributes}.At")), "0.5, 2");
    // Tags are a list in JSON, and the list can be set.
    opened.set("Workspace/Door.Tags", "A b,C \"d\"", None).expect("set");
    let tags = opened.get("Workspace/Door.Tags").expect("tags").to_json();
    assert_eq!(tags, serde_json::json!(["A b", "C \"d\""]));
    for text in [tags.to_string(), opened.text("Workspace/Door.Tags")] {
        opened.set("Workspace/Door.Tags", &text, None).expect("set");
        assert_eq!(opened.get("Workspace/Door.Tags").expect("tags").to_json(), tags);
    }
}

/// Paths work as they are displayed: with escapes for control characters and characters that reorder text.
#[test]
fn displayed_paths_lead_to_their_instances() {
    for (form, place) in both(tree("Folder|a&#9;b\\n\u{202e}")) {
        let mut opened = open(&place, "place");
        for path in ["a\tb\\\\n\u{202e}", r"a\tb\\n\u{202e}"] {
            assert_eq!(opened.text(&format!("{path}.Name")), "\"a\\tb\\\\n\\u{202e}\"", "{form}");
        }
        assert!(opened.text(r"a\tb\n\u{202e}.Name").contains("no such path"), "{form}");
        edit(&mut opened, r"'rename' 'a\tb\\n\u{202e}' c", b"").expect("renamed");
        assert_eq!(all(&opened), ["/c Folder"], "{form}");
    }
    let slashed = open(PLACE.as_bytes(), "a.rbxmx");
    let wrong = slashed.text("/Workspace/Dor.Name");
    assert!(wrong.contains("no such path: /Workspace/Dor.Name"), "{wrong}");
}

/// Many edits in one list have the same result as each edit on its own.
#[test]
fn many_edits_find_what_single_edits_find() {
    let doors: String = (0..20).map(|_| "add Part Workspace Name=Door\n").collect();
    let script = doors
        + "rename Workspace/Door[3] Gate\nset Workspace/Door[3].Transparency 0.25\nset Workspace/Gate.Name Door\n\
           set Workspace/Door[3].Reflectance 0.5\nmove Workspace/Door[5] Workspace/Cars\nremove Workspace/Door[1]\n\
           insert car.rbxm Workspace/Cars\nadd ObjectValue Workspace/Cars/Car Value=Workspace/Door[4]\n\
           move Workspace/Cars/Door Workspace/Door[2]\nset Workspace/Door[2]/Door.Transparency 0.75\n\
           rename Workspace/Cars/Car/ObjectValue \"To, the door\"\nadd Part Workspace Name=Gate\n\
           set Workspace/Gate.Transparency 1\ninsert car.rbxm\nset Car/Wheel.Transparency 0\nremove Workspace/Door[17]\n";
    for (form, place) in both(PLACE) {
        let (_, model) = both(model()).into_iter().find(|(of, _)| *of == form).expect("a form");
        let mut at_once = open(&place, "place");
        edit(&mut at_once, &script, &model).expect("edited");
        let one_by_one = edited_by_line(&place, &script, &model);
        assert_eq!(all(&at_once), all(&one_by_one));
        assert_eq!(all(&at_once).len(), 3 + 20 - 1 + 2 + 1 + 1 + 2 - 1, "{form}");
        for path in ["Workspace/Cars/Car/To, the door.Value", "Workspace/Door[2]/Door.Transparency"] {
            assert_eq!(at_once.text(path), one_by_one.text(path));
        }
        assert_eq!(at_once.written(), one_by_one.written(), "{form}");
    }
}

/// Successive edits of the attributes or tags of an instance have the same result as each edit on its own.
#[test]
fn edits_of_one_list() {
    let script = "set Workspace/Door.Attributes +Health=1,+Name=a\nset Workspace/Door.Attributes.Health 2\n\
        set Workspace/Door.AttributesSerialize.At '1, 2, 3' Vector3\nset Workspace/Door.Tags A,B\n\
        set Workspace/Door.Tags +C,-A\nset Workspace/Door.Attributes -Name\nset Workspace/Door.Attributes +Name=7\n\
        set Workspace/Door.Attributes.to Workspace/Cars Ref\nset Workspace/Door.Attributes +On=true\n\
        set Workspace/Cars.Tags +A\nset Workspace/Door.Transparency 0.5\nset Workspace/Door.Tags +A\n";
    for (form, place) in both(PLACE) {
        let mut at_once = open(&place, "place");
        edit(&mut at_once, script, b"").expect("edited");
        let one_by_one = edited_by_line(&place, script, b"");
        let attributes = at_once.text("Workspace/Door.AttributesSerialize");
        assert_eq!(attributes, "{At: 1, 2, 3, Health: 2, Name: 7, On: true}", "{form}");
        assert_eq!(at_once.text("Workspace/Door.__attrRef_to"), "Workspace/Cars", "{form}");
        assert_eq!(at_once.text("Workspace/Door.Tags"), r#""B", "C", "A""#, "{form}");
        assert_eq!(at_once.written(), one_by_one.written(), "{form}");
        let error = edit(&mut at_once, "set Workspace/Door.Tags +D\nset Workspace/Door.Attributes -Nam", b"");
        let error = error.expect_err("no such attribute");
        assert_eq!(error.reason(), "cannot remove the attribute Nam, since it does not exist");
        assert_eq!(error.path(), "Workspace/Door.Attributes");
        assert_eq!(at_once.text("Workspace/Door.Tags"), r#""B", "C", "A""#, "{form}");
    }
}

/// The crate states the rows of a class in a binary document; the kit gives the paths of the instances.
#[test]
fn findings_in_binary_documents_have_paths_of_instances() {
    let part = |name: &str, transparency: f32| {
        let id = field("UniqueId", "UniqueId", "00000000000000010000000200000003");
        format!("\n  Part|{name}|{}{id}", field("float", "Transparency", transparency))
    };
    let model = tree(&format!("Model|House{}{}", part("Wall", 0.0), part("Window", 1.5)));
    let findings =
        open(open(model, "a.rbxmx").made("a.rbxm"), "house.rbxm").check(&[], None).expect("checked");
    let found: Vec<_> =
        findings.iter().map(|finding| (finding.rule, &*finding.path, &*finding.found)).collect();
    let expected = [
        ("rbxbinary.ranges", "House/Window.Transparency", "expected a number from 0 to 1, found 1.5"),
        ("rbxbinary.unique-ids", "House/Window.UniqueId", "same UniqueId as House/Wall"),
    ];
    for one in expected {
        assert!(found.contains(&one), "{found:?}");
    }
}

/// Content of another place becomes the last children of a service, after an instance that was added before.
#[test]
fn the_order_after_joining_places_is_found() {
    let doors: String = (0..20).map(|_| "add Part Workspace Name=Door\n").collect();
    let script = doors
        + "add Part Workspace Name=Last\ninsert car.rbxm\nset Workspace/Door[3].Transparency 0.5\n\
           set Workspace/Last.Name Door\nset Workspace/Door[21].Transparency 0.25\n";
    for ((form, place), (_, joined)) in both(PLACE).into_iter().zip(both(PLACE)) {
        let mut at_once = open(&place, "place");
        edit(&mut at_once, &script, &joined).expect("edited");
        let one_by_one = edited_by_line(&place, &script, &joined);
        assert_eq!(all(&at_once), all(&one_by_one), "{form}");
        assert_eq!(at_once.written(), one_by_one.written(), "{form}");
    }
}

/// Losses about the PRNT chunk name the instances, and tell a missing child from a missing parent.
#[test]
fn broken_parents_are_listed_by_instance() {
    let mut opened = open(testkit::fixture("rbxbinary", "parents.rbxm"), "a.rbxm");
    let made = opened.convert(Some("rbxmx"), "a.rbxmx", &ConvertOptions::new()).expect("converted");
    let losses: Vec<_> = made.losses.iter().map(|loss| (&*loss.path, &loss.what[..24], loss.count)).collect();
    let expected = [
        ("e", "a referent that another ", 1),
        ("c", "a parent that does not e", 1),
        ("parents.children[4]", "an entry of the PRNT chu", 1),
        ("c", "a missing or repeated en", 2),
        ("a", "the instance is its own ", 2),
    ];
    assert_eq!(losses, expected);
}

/// Names can contain `=`, and values keep their blanks.
#[test]
fn instances_are_added_below_names_with_an_equals_sign() {
    for (name, bytes) in both(tree("Folder|Value=1")) {
        let mut opened = open(&bytes, name);
        let script =
            "add Folder Value=1 Name=A\nadd StringValue Value\\=1 'Value=   x '\nadd Folder Value=1/A Name=B";
        edit(&mut opened, script, b"").expect("added");
        assert_eq!(opened.text("Value=1/StringValue.Value"), "\"   x \"", "{name}");
        let folders = ["/Value=1 Folder", "/Value=1/A Folder", "/Value=1/A/B Folder"];
        let wanted = [&folders[..], &["/Value=1/StringValue StringValue"]].concat();
        assert_eq!(all(&opened), wanted, "{name}");
    }
}

/// A target has an extension that it can be written with.
#[test]
fn a_target_has_an_extension_of_its_own() {
    let cube = testkit::fixture("m3d", "colors-none.m3d");
    let mut opened = open(cube, "cube.m3d");
    assert_eq!(opened.extension("ascii").expect("a target"), "a3d");
    assert_eq!(opened.extension("m3d").expect("a target"), "m3d");
    opened.convert(Some("ascii"), "cube.a3d", &rezkit::ConvertOptions::new()).expect("converted");
}

/// Before 2013, places in XML were called `.rbxl`.
#[test]
fn a_file_keeps_its_extension() {
    let mut opened = open(PLACE.as_bytes(), "old.rbxl");
    opened.set("Workspace/Door.Anchored", "false", None).expect("set");
    assert!(opened.check_name("old.rbxl").is_ok() && opened.check_name("new.rbxl").is_ok());
    assert!(opened.check_name("old.rbxm").is_err());
    assert!(open(PLACE, "a.rbxlx").check_name("a.rbxl").is_err());
}

/// Colours as people write them: the result is what Roblox's own constructors give, and three bare numbers mean what the
/// type of the property says, or are refused with both readings.
#[test]
fn colours_are_what_is_meant() {
    let color = "<Color3 name=\"Color\"><R>1</R><G>1</G><B>1</B></Color3>";
    let uint8 = field("Color3uint8", "Color3uint8", 0xff_00_00_ff_u32);
    let text = tree(&format!("Part|P|{uint8}\nPointLight|L|{color}"));
    for (name, bytes) in both(text) {
        let mut opened = open(&bytes, name);
        for (text, bytes, units) in [
            ("#ff0000", "255, 0, 0", "1, 0, 0"),
            ("rgb(255, 0, 51)", "255, 0, 51", "1, 0, 0.2"),
            ("Color3.fromRGB(0, 255, 0)", "0, 255, 0", "0, 1, 0"),
            ("Color3.new(0, 0, 1)", "0, 0, 255", "0, 0, 1"),
            ("Really red", "255, 0, 0", "1, 0, 0"),
            ("0,0,0", "0, 0, 0", "0, 0, 0"),
        ] {
            opened.set("P.Color", text, None).expect(text);
            opened.set("L.Color", text, None).expect(text);
            assert_eq!([opened.text("P.Color"), opened.text("L.Color")], [bytes, units], "{text}");
        }
        opened.set("P.Color", "196, 40, 28", None).expect("bytes");
        opened.set("L.Color", "0.5, 0.25, 1", None).expect("units");
        for (path, text, readings) in [
            ("P.Color", "1,0,0", ["255, 0, 0", "#ff0000"]),
            ("P.Color", "0.5, 0, 0", ["128, 0, 0", "#800000"]),
            ("L.Color", "255,0,0", ["1, 0, 0", "#ff0000"]),
            ("L.Color", "0, 128, 0", ["0, 0.5019608, 0", "#008000"]),
        ] {
            let error = opened.set(path, text, None).expect_err(text).to_string();
            assert!(readings.iter().all(|reading| error.contains(reading)), "{error}");
        }
        for text in ["Brigt red", "#ff00", "rgb(256, 0, 0)", "300, 0, 0", "1, 2"] {
            assert!(opened.set("P.Color", text, None).is_err(), "{text}");
        }
        assert_eq!([opened.text("P.Color"), opened.text("L.Color")], ["196, 40, 28", "0.5, 0.25, 1"]);
        // What is shown can be set, and what is explicit is not guessed at.
        opened.set("P.Color3uint8", "rgb(1, 0, 0)", None).expect("nearly black");
        opened.set("P.Color3uint8", "1, 0, 0", None).expect("the value itself");
        opened.set("L.Color", "Color3.new(2, 0, 0)", None).expect("beyond 1");
        opened.set("L.Color", "2, 0, 0", None).expect("the value itself");
        opened.set("P.AttributesSerialize.Tint", "#ff8000", Some("Color3")).expect("an attribute");
        assert_eq!(opened.text("P.AttributesSerialize.Tint"), "1, 0.5019608, 0");
        // A new part has the colour that it is given, not the default. Bright red is 196, 40, 28.
        edit(&mut opened, "add Part Name=New 'BrickColor=Bright red'", b"").expect("added");
        let color = opened.text("New.Color3uint8");
        let has_color = color == "196, 40, 28" || name == "rbxmx" && opened.text("New.BrickColor") == "21";
        assert!(has_color, "{color}");
    }
}

/// Setting each value, also each tag list and all attributes, to the text that is shown for it, and each name to itself,
/// changes no byte of a file, whatever its compression is.
#[test]
fn values_that_stay_change_nothing() {
    let formats = ["rbxbinary", "rbxxml"];
    let files = formats
        .into_iter()
        .flat_map(|format| testkit::fixtures(format).into_iter().chain(testkit::corpus(format)))
        // Malformed content is no value that could be set again.
        .filter(|sample| !sample.name.starts_with("broken/"));
    /// The paths of all properties.
    fn paths(document: &dyn rbxcore::Dom) -> Vec<String> {
        let of = |id| document.properties(id).map(move |(name, _)| (id, name.to_string()));
        let all = document.instances().flat_map(of);
        let all = all.filter(|(id, name)| !document.dangling(*id).iter().any(|lost| **lost == **name));
        all.map(|(id, name)| format!("{}.{name}", document.path(id).expect("a path"))).collect()
    }
    let mut tried = 0;
    for testkit::Sample { name, bytes } in files {
        let Ok(mut opened) = rezkit::open(bytes.clone(), "a", ()) else { continue };
        let Ok(unedited) = opened.to_vec() else { continue };
        let paths = match rbxbinary::from_slice(&bytes) {
            Ok(document) => paths(&document),
            Err(_) => rbxxml::from_slice(&bytes).map_or_else(|_| Vec::new(), |document| paths(&document)),
        };
        for path in paths.iter().step_by(1 + paths.len() / 100) {
            let Ok(value) = opened.get(path) else { continue };
            let text = match &value.data {
                rezkit::tree::Data::Bytes(bytes) => String::from_utf8(bytes.to_vec()),
                _ => Ok(value.summary(usize::MAX)),
            };
            let Ok(text) = text else { continue };
            // Not each value has a text that can be set.
            tried += usize::from(opened.set(path, &text, None).is_ok());
        }
        assert!(opened.written() == unedited, "{name}");
    }
    assert!(tried > 100, "{tried}");
}

/// Classes that the class table lacks are instances, too; cells of CSV have line breaks, as many as the header; and an
/// output file is written even if the edits only copy.
#[test]
fn classes_of_the_future_are_found() {
    let script = |name: &str, class: &str, source: &str| {
        item(class, name, &field("ProtectedString", "Source", source), "")
    };
    let all =
        [script("A", "Script", "a\\nb"), script("B", "Script", "a\nb"), script("C", "NewClass", "")].concat();
    let folder = crate::run::Folder::new(&[
        ("a.rbxmx", &document(&all)),
        ("a.xml", b"<llsd><map><key>m</key><map><key>v</key><string>p,q</string></map></map></llsd>"),
    ]);
    assert_eq!(folder.ok("find a.rbxmx Instance"), "A\nB\nC\n");
    assert_eq!(
        folder.ok("find a.rbxmx Script --csv --get Source"),
        "file,path,class,Source\na.rbxmx,A,Script,a\\nb\na.rbxmx,B,Script,\"a\nb\"\n"
    );
    let rows = folder.ok("find a.xml * --csv");
    assert!(rows.lines().all(|row| row.matches(',').count() == 2), "{rows}");
    let ran = folder.piped("edit a.rbxmx -o b.rbxmx", "copy A c.rbxmx\n");
    assert_eq!((ran.status, folder.read("b.rbxmx") == folder.read("a.rbxmx")), (Some(0), true), "{ran:?}");
    // What an edit could not keep is listed for each command.
    let twice = b"<llsd><map><key>a</key><undef/><!-- c --><key>a</key><undef/></map></llsd>";
    folder.write("twice.xml", twice);
    let ran = folder.run("remove twice.xml a -o once.xml");
    assert!(ran.err.contains("since the edit rewrote this value"), "{ran:?}");
}

/// A selector means what it means before the first edit, whatever the edits rename or move.
#[test]
fn edits_of_all_matches_are_of_these_matches() {
    let part = |clear: &str| item("Part", "Part", &field("float", "Transparency", clear), "");
    let four = ["0", "0.5", "0.5", "0"].map(part).concat();
    let nested = item("Folder", "F", "", &item("Folder", "F", "", ""));
    let all = item("Model", "M", "", &four) + &nested + &item("Folder", "Dest", "", "");
    let folder = crate::run::Folder::new(&[("a.rbxmx", &document(&all))]);
    folder.ok("convert a.rbxmx b.rbxm");
    let clear = "Part[Transparency=0.5]";
    for file in ["a.rbxmx", "b.rbxm"] {
        folder.ok(&format!("set {file} --where {clear} Name=Glass Transparency=0.75 -o set.{file}"));
        let found = folder.ok(&format!("find set.{file} Part --get Transparency"));
        assert_eq!(found, "M/Part\t0\nM/Glass\t0.75\nM/Glass[1]\t0.75\nM/Part[1]\t0\n");
        folder.ok(&format!("set {file} --where {clear} Parent=Dest -o moved.{file}"));
        let found = folder.ok(&format!("find moved.{file} Part --get Transparency"));
        assert_eq!(found, "M/Part\t0\nM/Part[1]\t0\nDest/Part\t0.5\nDest/Part[1]\t0.5\n");
        folder.ok(&format!("set {file} --where #F Name=G -o named.{file}"));
        assert_eq!(folder.ok(&format!("find named.{file} #G")), "G\nG/G\n");
        folder.ok(&format!("remove {file} --where #F -o less.{file}"));
        assert_eq!(folder.ok(&format!("find less.{file} Folder")), "Dest\n");
    }
}

/// `tag` and `attribute` take one entry, whatever its characters.
#[test]
fn tags_and_attributes_keep_their_characters() {
    let folder = crate::run::Folder::new(&[("a.rbxmx", &document(&item("Folder", "F", "", "")))]);
    let run = |words: &[&str]| {
        let ran = folder.args(words);
        assert_eq!(ran.status, Some(0), "{ran:?}");
    };
    run(&["attribute", "a.rbxmx", "set", "Speed=5", "F"]);
    for text in ["slow,-Speed", "left,+Speed=6", " a=b \n", "x,Speed=7"] {
        run(&["attribute", "a.rbxmx", "set", &format!("Hint={text}"), "F"]);
        let opened = rezkit::open(folder.read("a.rbxmx"), "a.rbxmx", ()).unwrap();
        let value = |name: &str| opened.get(&format!("F.Attributes.{name}")).unwrap().to_json();
        assert_eq!((value("Hint"), value("Speed")), (text.into(), 5.0.into()));
    }
    run(&["tag", "a.rbxmx", "add", "One", "F"]);
    run(&["tag", "a.rbxmx", "add", "A,-One ", "F"]);
    assert_eq!(folder.ok("get a.rbxmx F.Tags"), "\"One\", \"A,-One \"\n");
    run(&["tag", "a.rbxmx", "remove", "A,-One ", "F"]);
    assert_eq!(folder.ok("get a.rbxmx F.Tags"), "\"One\"\n");
    let ran = folder.args(&["attribute", "a.rbxmx", "remove", "Hint,-Speed", "F"]);
    assert!(ran.status == Some(2) && ran.err.contains("Hint,-Speed"), "{ran:?}");
}

/// rbx-dom 3 stores `AudioContent` for `SoundId`, and Roblox stores `Color3uint8` for `BrickColor`.
#[test]
fn properties_that_others_replaced_are_set_and_found() {
    let sound =
        item("Sound", "Boom", r#"<Content name="AudioContent"><uri>rbxassetid://1</uri></Content>"#, "");
    let part = item("Part", "P", r#"<Color3uint8 name="Color3uint8">4278190080</Color3uint8>"#, "");
    let folder = crate::run::Folder::new(&[("a.rbxmx", &document(&(sound + &part)))]);
    folder.ok("convert a.rbxmx b.rbxm");
    for file in ["a.rbxmx", "b.rbxm"] {
        assert_eq!(folder.ok(&format!("find {file} Sound[SoundId=\"rbxassetid://1\"]")), "Boom\n");
        let ran = folder.run(&format!("set {file} Boom.SoundId rbxassetid://2"));
        assert!(ran.err.contains("stored in AudioContent"), "{ran:?}");
        assert_eq!(folder.ok(&format!("get {file} Boom.SoundId")), "rbxassetid://2");
        folder.ok(&format!("set {file} P.BrickColor 21"));
        let tree = folder.ok(&format!("tree {file} --full"));
        assert!(tree.contains("AudioContent = \"rbxassetid://2\"") && !tree.contains("SoundId"), "{tree}");
        assert!(tree.contains("Color3uint8 = 196, 40, 28") && !tree.contains("BrickColor"), "{tree}");
    }
}

/// The values of `--get` are those of `get`; what no match has is noted.
#[test]
fn attributes_are_listed_and_misspelt_names_noted() {
    let folder = crate::run::Folder::new(&[("a.rbxmx", &document(&item("Folder", "F", "", "")))]);
    folder.ok("attribute a.rbxmx set Hint=x F");
    let ran = folder.run("find a.rbxmx #F --get $Hint,Attributes.Hint,Attributes,Archivible");
    assert_eq!(ran.out, "F\t\"x\"\t\"x\"\t{Hint: \"x\"}\t\n");
    assert!(ran.err.contains("Archivable"), "{ran:?}");
}

/// Encoded data is set in Base64, as XML stores it, or by its bytes on the standard input; a text never becomes Base64.
#[test]
fn encoded_data_is_set() {
    let folder = crate::run::Folder::new(&[(
        "a.xml",
        b"<llsd><map><key>b</key><binary>AQI=</binary><key>t</key><string>x</string></map></llsd>",
    )]);
    folder.ok("new a.rbxl");
    folder.ok("set a.rbxl Workspace/Terrain.SmoothGrid AQU=");
    folder.ok("convert a.rbxl a.rbxlx");
    let xml = String::from_utf8(folder.read("a.rbxlx")).expect("text");
    assert!(xml.contains(r#"<BinaryString name="SmoothGrid">AQU=</BinaryString>"#), "{xml}");
    let ran = folder.piped("set a.rbxl Workspace/Terrain.SmoothGrid -", b"\x01\x05");
    assert_eq!(ran.status, Some(0), "{}", ran.err);
    let error = folder.fails("set a.rbxl Workspace/Terrain.SmoothGrid Hello", 2);
    assert!(error.contains("expected it in Base64"), "{error}");
    // Data of any property, from an argument, a file and the standard input; a file with a text is one, too.
    folder.write("b.bin", b"\xff\x00\x01");
    folder.write("t.txt", b"AAEC");
    folder.ok("add a.rbxl UnionOperation Workspace Name=U");
    for (value, stored) in [("AAEC", "AAEC"), ("@b.bin", "/wAB"), ("@t.txt", "QUFFQw==")] {
        folder.ok(&format!("set a.rbxl Workspace/U.ChildData {value}"));
        folder.ok("convert a.rbxl b.rbxlx -f");
        assert!(folder.text("b.rbxlx").contains(&format!("\"ChildData\">{stored}<")), "{value}");
    }
    assert_eq!(folder.piped("set a.rbxl Workspace/U.ChildData -", b"\x02\xff").status, Some(0));
    assert!(folder.fails("set a.rbxl Workspace.Name @b.bin", 2).contains("expected text"));
    assert_eq!(folder.piped("set a.xml b -", b"\xff\xfe").status, Some(0));
    assert!(folder.ok("get a.xml b --json").contains(r#"{"base64":"//4="}"#));
    for (file, path) in [("a.xml", "t"), ("a.rbxl", "Workspace.Name")] {
        let before = folder.read(file);
        assert!(folder.piped(&format!("set {file} {path} -"), b"\xff\xfe").err.contains("not UTF-8"));
        assert_eq!(folder.read(file), before);
    }
}

/// A file of a folder that cannot be read has a row, too; a selector that means nothing has the hints of `find`.
#[test]
fn what_cannot_be_read_has_a_row() {
    let folder =
        crate::run::Folder::new(&[("all/a.gz", b"\x1f\x8b\x08broken"), ("all/b.mesh", b"version 2.00\nx")]);
    folder.ok("new all/c.rbxm");
    let rows = |command: &str| -> Vec<String> {
        let out = folder.run(&format!("{command} all")).out;
        out.lines().map(str::to_owned).collect()
    };
    for command in ["info --json", "roundtrip --json", "roundtrip"] {
        let rows = rows(command);
        assert_eq!(rows.len(), 3, "{command}: {rows:?}");
        assert!(rows[0].contains("a.gz") && rows[0].contains("cannot decompress"), "{rows:?}");
    }
    let said = folder.fails("set all/c.rbxm --where Prat Anchored=true", 1);
    assert!(said.contains("Part") && said.contains("no instance matches"), "{said}");
    // Another program gets whole values.
    folder.ok(&format!("add all/c.rbxm StringValue Name={}", "n".repeat(200)));
    assert!(
        folder.ok("find all/c.rbxm StringValue --get Name").contains(&format!("\t\"{}\"", "n".repeat(200)))
    );
}

/// Removals that follow each other are applied together, with the result of one edit for each, and a missing key is named.
#[test]
fn removals_of_llsd_are_one_by_one_or_together() {
    let key = |name: &str, number: usize| format!("<key>{name}</key><integer>{number}</integer>");
    let keys = ["a", "b", "c", "d", "e", "f"].iter().zip(1..).map(|(name, number)| key(name, number));
    let map =
        format!("<llsd><map>{}<key>m</key><map>{}</map></map></llsd>", keys.collect::<String>(), key("x", 7));
    let folder = crate::run::Folder::new(&[("together.xml", map.as_bytes()), ("single.xml", map.as_bytes())]);
    let removed = ["c", "b", "a", "m/x", "d"];
    let lines: String = removed.iter().map(|path| format!("remove {path}\n")).collect();
    let ran = folder.piped("edit together.xml", &lines);
    assert_eq!(ran.status, Some(0), "{}", ran.err);
    for path in removed {
        let ran = folder.piped("edit single.xml", format!("remove {path}\n"));
        assert_eq!(ran.status, Some(0), "{path}: {}", ran.err);
    }
    assert_eq!(folder.ok("diff together.xml single.xml"), "");
    assert_eq!(folder.text("together.xml").matches("<integer>").count(), 2);
    let ran = folder.piped("edit together.xml", "remove e\nremove f\nremove e\n");
    assert_eq!(ran.status, Some(2));
    assert!(ran.err.contains("line 3"), "{}", ran.err);
}

/// The counts are those of what has another value afterwards.
#[test]
fn what_has_the_value_already_does_not_count() {
    let values = |at: usize| {
        let value = if at == 7 { "p" } else { "q" };
        item("StringValue", &format!("S{at}"), &crate::xml::field("string", "Value", value), "")
    };
    let file = document(&(0..50).map(values).collect::<String>());
    let folder = crate::run::Folder::new(&[("a.rbxmx", &file)]);
    for (command, count) in [
        ("set a.rbxmx Value=q --where StringValue", "1 instance changed of 50 instances"),
        ("set a.rbxmx Value=q --where StringValue", "50 instances match; the file is unchanged"),
        ("tag a.rbxmx add T S3", ""),
        ("tag a.rbxmx add T --where StringValue", "49 instances changed of 50 instances"),
    ] {
        let ran = folder.run(command);
        assert!(ran.status == Some(0) && ran.err.contains(count), "{command}: {}", ran.err);
    }
}

/// An old model gets the properties of today in XML, too; beside older instances, those that they have.
#[test]
fn an_inserted_old_model_is_renewed() {
    let label =
        |name: &str, font: &str| item("TextLabel", name, &crate::xml::field("token", "FontSize", font), "");
    let old = document(&label("L", "7"));
    for (place, has_new) in
        [(document(&item("Folder", "F", "", "")), true), (document(&label("Own", "5")), false)]
    {
        let folder = crate::run::Folder::new(&[("place.rbxmx", &place), ("old.rbxmx", &old)]);
        folder.ok("insert old.rbxmx place.rbxmx");
        let text = folder.text("place.rbxmx");
        let before = String::from_utf8_lossy(&place).matches("FontSize").count();
        assert_eq!(text.matches("<float name=\"TextSize\">24<").count(), usize::from(has_new), "{text}");
        assert_eq!(text.matches("FontSize").count() - before, usize::from(!has_new), "{text}");
    }
}

/// Values of bytes are those of a file as it is: of attributes, and of LLSD, whatever the bytes look like.
#[test]
fn bytes_of_files_are_values() {
    use base64::Engine as _;
    // One attribute A: the boolean true.
    let blob = b"\x01\0\0\0\x01\0\0\0A\x03\x01";
    let text = base64::prelude::BASE64_STANDARD.encode(blob);
    let model = document(&item("Folder", "F", "", ""));
    let llsd = b"<llsd><map><key>b</key><binary>AQI=</binary><key>s</key><string>x</string></map></llsd>";
    let folder = crate::run::Folder::new(&[
        ("m.rbxmx", &model),
        ("a.bin", blob),
        ("l.xml", llsd),
        ("hello", b"hello"),
        ("base64", b"AQU="),
        ("raw", b"\x01\xff"),
    ]);
    for given in ["@a.bin", &text] {
        folder.ok(&format!("set m.rbxmx F.AttributesSerialize {given} -f -o {}.rbxmx", given.len()));
        assert_eq!(folder.ok(&format!("get {}.rbxmx F.Attributes.A", given.len())).trim(), "true");
    }
    for (given, wanted) in [("hello", "aGVsbG8="), ("base64", "QVFVPQ==")] {
        folder.ok(&format!("set l.xml b @{given} -f -o new.xml"));
        assert!(
            folder.text("new.xml").contains(&format!(">{wanted}</binary>")),
            "{}",
            folder.text("new.xml")
        );
    }
    folder.ok("set l.xml s @base64 -f -o new.xml");
    assert!(folder.text("new.xml").contains("<string>AQU=</string>"));
    assert!(folder.fails("set l.xml s @raw", 2).contains("expected text"));
}

/// Thousands of steps on one instance, one list of children and the metadata are applied, not refused for their work
/// (attack-6/06).
#[test]
fn long_lists_of_steps_are_applied() {
    const COUNT: usize = 8000;
    let all = |line: &dyn Fn(usize) -> String| (0..COUNT).map(line).collect::<String>();
    let values = all(&|at| format!("<string name=\"p{at}\">x</string>"));
    let children = all(&|at| item("Folder", &format!("a{at}"), "", ""));
    let null = all(&|at| {
        format!(
            "{{\"change\":\"changed\",\"path\":\"T.p{at}\",\"type\":\"String\",\"old\":\"x\",\"new\":null}}\n"
        )
    });
    let keys = all(&|at| {
        format!(
            "{{\"change\":\"changed\",\"path\":\".k{at}\",\"type\":\"metadata\",\"old\":null,\"new\":\"v\"}}\n"
        )
    });
    let last = COUNT - 1;
    let order = format!(
        "{{\"change\":\"reordered\",\"path\":\"T\",\"order\":[{{\"child\":\"a\",\"from\":{last},\"to\":0}}]}}\n"
    );
    let folder = crate::run::Folder::new(&[
        ("values.rbxmx", &document(&item("Zork", "T", &values, ""))),
        ("children.rbxmx", &document(&item("Folder", "T", "", &children))),
    ]);
    for name in ["values", "children"] {
        folder.ok(&format!("convert {name}.rbxmx {name}.rbxm"));
    }
    for (name, steps) in [("values", null), ("children", keys), ("children", order.repeat(COUNT - 1))] {
        let ran = folder.piped(&format!("edit {name}.rbxm -q"), steps.as_bytes());
        assert_eq!(ran.status, Some(0), "{}", ran.err);
    }
    let read = |name: &str| rbxbinary::from_slice(&folder.read(name)).expect("a model");
    assert_eq!(read("values.rbxm").classes()[0].properties.len(), 1);
    // Each step takes the last one to the front: all but the first one turned round once.
    let model = read("children.rbxm");
    let top = model.roots().next().expect("a root");
    assert_eq!(model.name(model.children(top).next().expect("a child")).expect("a name"), "a1");
    folder.ok("convert children.rbxm out.rbxmx");
    assert_eq!(folder.text("out.rbxmx").matches("<Meta name=\"k").count(), COUNT);
}

/// After an upload, the files of a converted model that have no id yet are listed; those of the client are none.
#[test]
fn files_without_an_id_are_listed() {
    let part = |name: &str, address: &str| {
        item("MeshPart", name, &format!("<Content name=\"MeshId\"><url>{address}</url></Content>"), "")
    };
    let all =
        [("A", "rbxasset://g/a.mesh"), ("B", "rbxasset://g/b.mesh"), ("C", "rbxasset://fonts/head.mesh")];
    let model = all.map(|(name, address)| part(name, address)).concat();
    let map = b"rbxasset://g/a.mesh,rbxassetid://1\n";
    let folder = crate::run::Folder::new(&[("m.rbxmx", &document(&model)), ("ids.csv", map)]);
    let ran = folder.run("assets --replace ids.csv m.rbxmx");
    let waiting: Vec<_> = ran.err.lines().filter(|line| line.contains("no id yet")).collect();
    assert!(matches!(&*waiting, [line] if line.ends_with("rbxasset://g/b.mesh")), "{ran:?}");
}

/// The line break at the end of a file is part of a text, and of no other value; a missing file is an error, a text that
/// begins with `@` is a text.
#[test]
fn values_from_files_end_without_their_line_break() {
    let part = item("Part", "P", &crate::xml::field("token", "Material", "256"), "");
    let script = item("Script", "S", &crate::xml::field("ProtectedString", "Source", "x"), "");
    let files: [(&str, &[u8]); 4] = [
        ("m.rbxmx", &document(&(part + &script))),
        ("grass.txt", b"Grass\r\n"),
        ("tags.txt", b"a,b\n"),
        ("s.luau", b"return 1\n"),
    ];
    let folder = crate::run::Folder::new(&files);
    folder.ok("set m.rbxmx P.Material @grass.txt");
    assert_eq!(folder.ok("get m.rbxmx P.Material").trim(), "Grass");
    folder.ok("set m.rbxmx P.Tags @tags.txt");
    assert_eq!(folder.piped("set m.rbxmx P.Transparency -", b"0.5\n").status, Some(0));
    assert_eq!(folder.ok("get m.rbxmx P.Transparency").trim(), "0.5");
    let tags = folder.text("m.rbxmx");
    assert!(tags.contains(&crate::xml::base64("a\0b")), "{tags}");
    folder.ok("set m.rbxmx S.Source @s.luau");
    assert!(folder.text("m.rbxmx").contains("return 1\n"));
    assert!(folder.fails("set m.rbxmx S.Source @typo.luau", 1).contains("typo.luau: no such file"));
    folder.ok("set m.rbxmx S.Source @native");
    assert!(folder.text("m.rbxmx").contains("@native"));
}

/// An instance has one value of a property: another name keeps it, a newer form takes the place of the older one.
#[test]
fn an_instance_has_one_value_of_a_property() {
    let sound = item("Sound", "S", &crate::xml::field("float", "Pitch", "1.25"), "");
    let label = item("TextLabel", "L", &crate::xml::field("token", "FontSize", "7"), "");
    let folder = crate::run::Folder::new(&[("a.rbxmx", &document(&(sound + &label)))]);
    folder.ok("set a.rbxmx S.PlaybackSpeed 2");
    folder.ok("set a.rbxmx L.TextSize 30");
    let text = folder.text("a.rbxmx");
    assert_eq!(text.matches("Pitch").count() + text.matches("PlaybackSpeed").count(), 1, "{text}");
    assert!(text.contains("TextSize") && !text.contains("FontSize"), "{text}");
    folder.ok("convert a.rbxmx a.rbxm");
    assert_eq!(folder.ok("get a.rbxm S.PlaybackSpeed").trim(), "2");
    assert_eq!(folder.ok("get a.rbxm L.TextSize").trim(), "30");
}
