//! Attributes of every type, set from text and compared with the known bytes of Roblox documents of 2026.

use crate::Ask as _;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rezkit::{Edit, EditOptions, Opened};

use crate::open;
use crate::xml::tree;

/// A folder with a part.
fn model() -> Opened<'static> {
    open(tree("Folder|f\n  Part|p"), "a.rbxmx")
}

/// Sets an attribute in a file without attributes. Returns its type and bytes, and the text that is shown.
fn stored(kind: &str, text: &str) -> Result<(Vec<u8>, String), String> {
    let mut opened = model();
    let edit = set("f.AttributesSerialize.a", text, kind);
    opened.edit(&[edit], &mut (), &EditOptions::new()).map_err(|error| error.to_string())?;
    let written = opened.xml();
    let (_, rest) = written.split_once("name=\"AttributesSerialize\">").expect("attributes");
    let (base64, _) = rest.trim_start_matches("<![CDATA[").split_once([']', '<']).expect("an end");
    let bytes = BASE64_STANDARD.decode(base64.replace(char::is_whitespace, "")).expect("base64");
    // There is one attribute, whose name has one letter.
    assert_eq!(bytes[..9], [1, 0, 0, 0, 1, 0, 0, 0, b'a']);
    let shown = opened.text("f.AttributesSerialize.a");
    Ok((bytes[9..].to_vec(), shown))
}

fn set(path: &str, value: &str, kind: &str) -> Edit {
    Edit::Set { path: path.into(), value: value.into(), kind: Some(kind.into()) }
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn every_type_is_set() {
    let udim = |scale: f32, offset: i32| [scale.to_le_bytes(), offset.to_le_bytes()].concat();
    let counted = |values: &[f32], each: usize| {
        let count = u32::try_from(values.len() / each).expect("few").to_le_bytes();
        [count.to_vec(), floats(values)].concat()
    };
    let text =
        |text: &str| [&u32::try_from(text.len()).expect("short").to_le_bytes()[..], text.as_bytes()].concat();
    let shorts = |values: &[i16]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let turned = [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0];
    let cases: Vec<(&str, &str, u8, Vec<u8>)> = vec![
        ("string", "abc", 0x02, text("abc")),
        ("bool", "true", 0x03, vec![1]),
        ("int32", "-4", 0x04, (-4_i32).to_le_bytes().to_vec()),
        ("float32", "1.5", 0x05, floats(&[1.5])),
        ("float64", "1.5", 0x06, 1.5_f64.to_le_bytes().to_vec()),
        (
            "array",
            "[1.5, null, true]",
            0x07,
            [&[3, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f][..], &[1, 3, 1]].concat(),
        ),
        ("table", "{\"a\": 1.5}", 0x08, vec![1, 0, 0, 0, 1, 0, 0, 0, b'a', 6, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f]),
        ("UDim", "0.5, 3", 0x09, udim(0.5, 3)),
        ("u_dim2", "0, 1, 0.5, -2", 0x0a, [udim(0.0, 1), udim(0.5, -2)].concat()),
        ("Ray", "0,1,2,3,4,5", 0x0b, floats(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0])),
        ("Faces", "33", 0x0c, vec![33, 0, 0, 0]),
        ("Axes", "5", 0x0d, vec![5, 0, 0, 0]),
        ("BrickColor", "194", 0x0e, vec![194, 0, 0, 0]),
        ("BrickColor", "Medium stone grey", 0x0e, vec![194, 0, 0, 0]),
        ("Color3", "1, 0.5, 0", 0x0f, floats(&[1.0, 0.5, 0.0])),
        ("Vector2", "1, 2", 0x10, floats(&[1.0, 2.0])),
        ("Vector3", "1, 2, 3", 0x11, floats(&[1.0, 2.0, 3.0])),
        ("Vector2int16", "1, -2", 0x12, shorts(&[1, -2])),
        ("Vector3int16", "1, -2, 3", 0x13, shorts(&[1, -2, 3])),
        ("CFrame", "1, 2, 3", 0x14, [floats(&[1.0, 2.0, 3.0]), vec![2]].concat()),
        (
            "CFrame",
            "1, 2, 3, 0, 0, 1, 0, 1, 0, -1, 0, 0",
            0x14,
            [floats(&[1.0, 2.0, 3.0]), vec![0], floats(&turned)].concat(),
        ),
        ("enum", "Material 256", 0x15, [text("Material"), vec![0, 1, 0, 0]].concat()),
        // The bytes begin with the envelope.
        ("NumberSequence", "0, 2, 0; 1, 3, 0.5", 0x17, counted(&[0.0, 0.0, 2.0, 0.5, 1.0, 3.0], 3)),
        (
            "ColorSequence",
            "0, 1, 0, 0, 0; 1, 0, 0, 1, 0",
            0x19,
            counted(&[0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0], 5),
        ),
        ("NumberRange", "1, 2", 0x1b, floats(&[1.0, 2.0])),
        ("Rect", "1, 2, 3, 4", 0x1c, floats(&[1.0, 2.0, 3.0, 4.0])),
        (
            "PhysicalProperties",
            "1, 0.3, 0.5, 1, 1, 0.25",
            0x1d,
            [vec![1], floats(&[1.0, 0.3, 0.5, 1.0, 1.0, 0.25])].concat(),
        ),
        ("Color3uint8", "255, 0, 7", 0x1e, vec![255, 0, 7]),
        ("Region3", "0,1,2,3,4,5", 0x1f, floats(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0])),
        ("Region3int16", "0,1,2,3,4,5", 0x20, shorts(&[0, 1, 2, 3, 4, 5])),
        (
            "Font",
            "rbxasset://fonts/families/Arial.json, 700, 1",
            0x21,
            [vec![0xbc, 2, 1], text("rbxasset://fonts/families/Arial.json"), text("")].concat(),
        ),
        ("SecurityCapabilities", "5", 0x22, vec![5, 0, 0, 0, 0, 0, 0, 0]),
        (
            "Path2DControlPoint",
            "0,1,0,2, 0,3,0,4, 0,5,0,6",
            0x23,
            (1..=6).flat_map(|offset| udim(0.0, offset)).collect(),
        ),
        (
            "TweenInfo",
            "1.5, 6.5, 4, 1, 2, false",
            0x24,
            vec![0, 0, 0xc0, 0x3f, 0, 0, 0xd0, 0x40, 4, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0],
        ),
    ];
    for (kind, text, id, bytes) in cases {
        let bytes = [vec![id], bytes].concat();
        let (found, shown) = stored(kind, text).expect("set");
        assert_eq!(found, bytes, "{kind} {text}");
        // The shown text sets the same value, except for types whose values have fields, and for rotations shown by
        // number.
        let has_text =
            !matches!(kind, "string" | "array" | "table" | "TweenInfo") && !shown.contains("rotation");
        if has_text {
            assert_eq!(stored(kind, &shown).map(|(bytes, _)| bytes), Ok(bytes), "{kind} {shown}");
        }
    }
}

#[test]
fn other_texts_are_refused() {
    for (kind, text) in [
        ("UDim", "1"),
        ("u_dim2", "1, 2, 3, 0.5"),
        ("Faces", "64"),
        ("CFrame", "1, 2"),
        ("NumberSequence", "0, 2"),
        ("Font", "Arial"),
        ("TweenInfo", "1, 2"),
        ("array", "{}"),
        ("table", "[1]"),
        ("nosuch", "1"),
    ] {
        assert!(stored(kind, text).is_err(), "{kind} {text}");
    }
}

/// A reference becomes a separate property in XML, and an attribute of the type 0x25 in the binary form.
#[test]
fn a_reference_is_set() {
    for kind in ["rbxmx", "rbxm"] {
        let mut opened = open(model().made(&format!("a.{kind}")), "a");
        let edits = [
            set("f.AttributesSerialize.part", "f/p", "ref"),
            set("f.AttributesSerialize.number", "1.5", "float64"),
        ];
        opened.edit(&edits, &mut (), &EditOptions::new()).expect("edited");
        let again = open(opened.written(), "b");
        let wanted = ["f/p", "1.5"];
        assert_eq!(
            [again.text("f.__attrRef_part"), again.text("f.AttributesSerialize.number")],
            wanted,
            "{kind}"
        );
    }
}

/// The attributes of the folder as JSON, after the texts were set one after the other.
fn after(texts: &[&str]) -> Result<serde_json::Value, String> {
    let mut opened = model();
    for text in texts {
        opened.set("f.AttributesSerialize", text, None).map_err(|error| error.to_string())?;
    }
    Ok(opened.get("f.AttributesSerialize").expect("a value").to_json())
}

#[test]
fn attributes_are_a_list() {
    use serde_json::json;
    let first = "+Health=100,+Name=A, b,+On=true";
    assert_eq!(after(&[first]).unwrap(), json!({ "Health": 100.0, "Name": "A, b", "On": true }));
    assert_eq!(after(&[first, "-Name,+Health=-1.5"]).unwrap(), json!({ "Health": -1.5, "On": true }));
    assert_eq!(
        after(&[first, r#"{"Health": 2, "New": [1, "x"]}"#]).unwrap(),
        json!({ "Health": 2.0, "New": { "1": 1.0, "2": "x" } })
    );
    assert_eq!(after(&[first, ""]).unwrap(), json!(""));
    // An existing attribute keeps its type.
    let mut opened = model();
    opened.set("f.AttributesSerialize.Place", "1, 2, 3", Some("Vector3")).expect("set");
    opened.set("f.AttributesSerialize", "+Place=4,-5,6,+Other=1", None).expect("set");
    let get = |path: &str| opened.get(path).expect("a value");
    assert_eq!(
        (get("f.AttributesSerialize.Place").kind, get("f.AttributesSerialize.Place").summary(50)),
        ("Vector3".into(), "4, -5, 6".into())
    );
    opened.set("f.AttributesSerialize", r#"{"Place": [7, 8, 9]}"#, None).expect("set");
    assert_eq!(opened.text("f.AttributesSerialize"), "{Place: 7, 8, 9}");
    for (texts, word) in [
        (&["-Health"][..], "cannot remove the attribute Health"),
        (&["Health"], "expected a JSON object, or changes such as +Health=100,-Speed, found \"Health\""),
        (&["+Health=1", "+Health=many"], "many"),
        (&["+A=1,B=2"], "expected a sign before B=2, as in +A=1,+B=2"),
        (
            &["+Dir=1, 2, 3"],
            "the type of 1, 2, 3 is not clear: set Attributes.Dir with a type such as Vector3",
        ),
        (&["{"], "invalid JSON"),
    ] {
        let error = after(texts).expect_err("refused");
        assert!(error.contains(word), "{error}");
    }
}
