//! Documents as projects of files, by the rules of Rojo 7 (its documentation on sync details): the files, their
//! content, and packing of edited files. `life.rs` compares with what Rojo builds.

use crate::Ask as _;
use std::collections::BTreeMap;

use rezkit::{ConvertOptions, ExtractOptions, Opened, Output, PackOptions};
use serde_json::{Value, json};

use crate::xml::{base64, field, tree};

fn open(bytes: impl AsRef<[u8]>) -> Opened<'static> {
    crate::open(bytes, "model.rbxmx")
}

fn extract(bytes: &[u8], options: &ExtractOptions) -> (BTreeMap<String, Vec<u8>>, Vec<String>) {
    let Output { files, losses, .. } = open(bytes).extract(options).expect("extracted");
    let count = files.len();
    let files: BTreeMap<_, _> = files.into_iter().map(|file| (file.path().to_owned(), file.bytes)).collect();
    assert_eq!(files.len(), count, "no path twice");
    (files, crate::texts(&losses))
}

fn json(files: &BTreeMap<String, Vec<u8>>, path: &str) -> Value {
    let bytes = files.get(path).unwrap_or_else(|| panic!("no {path} in {:?}", files.keys()));
    serde_json::from_slice(bytes).expect("JSON")
}

const SOURCE: &str = "<ProtectedString name=\"Source\"><![CDATA[return 1]]></ProtectedString>";

fn packed(
    bytes: &[u8],
    edit: impl Fn(&mut BTreeMap<String, Vec<u8>>),
) -> (Vec<u8>, Vec<String>, Vec<String>) {
    let (mut files, _) = extract(bytes, &ExtractOptions::new());
    edit(&mut files);
    let mut opened = open(bytes);
    let packed = opened.pack(files, PackOptions::new()).expect("packed");
    let losses = crate::texts(&packed.losses);
    (opened.written(), packed.changed, losses)
}

/// Files with these texts.
fn named(files: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
    files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
}

/// A model that the user puts into the folder is inserted, and one of an instance that exists changes this instance.
#[test]
fn models_of_the_user() {
    let xml = tree(&format!("Workspace|Workspace\n  Script|Main|{SOURCE}\n  Folder|Mine|\n    Part|Door|"));
    let door = "Folder|Any\n  Part|Door|<float name=\"Transparency\">0.5</float>\n  Part|Lamp|";
    let edit = |files: &mut BTreeMap<String, Vec<u8>>| {
        files.insert("src/Workspace/Mine.rbxmx".into(), tree(door));
        files.insert("src/Workspace/New.rbxmx".into(), tree("Model|Else\n  Part|Wheel|"));
    };
    let (new, changed, losses) = packed(&xml, edit);
    let expected = ["Workspace/Mine/Door.Transparency", "Workspace/Mine/Lamp: added", "Workspace/New: added"];
    assert_eq!((changed, losses), (expected.map(str::to_owned).to_vec(), Vec::new()));
    let new = open(new);
    assert_eq!(new.text("Workspace/Mine/Door.Transparency"), "0.5");
    assert_eq!(new.class("Workspace/New"), "Model");
    assert!(new.nodes("Workspace/New/Wheel", 0).is_ok() && new.nodes("Workspace/Mine (2)", 0).is_err());
    let (mut files, _) = extract(&xml, &ExtractOptions::new());
    files.insert("src/Workspace/Mine.rbxm".into(), b"a model".to_vec());
    assert_eq!(
        open(&xml).pack(files, PackOptions::new()).expect_err("no model").path(),
        "src/Workspace/Mine.rbxm"
    );
}

/// Whatever Rojo reads from a folder is packed, also what `extract` would write otherwise.
#[test]
fn files_of_every_kind() {
    let place = tree(
        "ReplicatedStorage|ReplicatedStorage|\n  Folder|Lib|\n    StringValue|Note|<string name=\"Value\">old</string>",
    );
    let project = json!({ "tree": {
        "$className": "DataModel",
        "ReplicatedStorage": { "Lib": { "$path": "lib" }, "Base": { "$className": "Part", "$properties": {
            "Position": [0, -10, 0], "Orientation": [0, 90, 0], "FilteringEnabled": true,
        } } },
        "Lighting": { "$properties": { "Brightness": 3 } },
    }, "globIgnorePaths": ["**/*.spec.{lua,luau}", "**/package.json"] });
    let project = format!("// a comment\n{project}");
    let ball = r#"{"className": "Part", "properties": {"Size": [1, 2, 3]}, "children": [{"name": "In", "className": "Folder"}]}"#;
    let files = named(&[
        ("default.project.json", project.as_str()),
        ("lib/Note.txt", "new"),
        ("lib/Data.json", r#"{"a": [1, 2.5, null], "not an id": "x\ny", /* told */ "b": {"c": true,},}"#),
        ("lib/Table.toml", "n = 1\n[t]\nd = 1979-05-27"),
        ("lib/Words.csv", "Key,Source,de\nhi,Hello,Hallo\n,,"),
        ("lib/Ball.model.json", ball),
        ("lib/Tool/init.plugin.lua", "return 1"),
        ("lib/Tool/Tool.spec.luau", "excluded"),
        ("lib/Deep/package.json", "{}"),
        (
            "lib/Deep/mine.project.json",
            r#"{"name": "Named", "tree": {"$path": "../../other"}, "emitLegacyScripts": false}"#,
        ),
        ("other/Run.server.luau", "return 2"),
    ]);
    let mut opened = open(&place);
    let packed = opened.pack(files.clone(), PackOptions::new()).expect("packed");
    let unknown = "ReplicatedStorage/Base.FilteringEnabled: a property that Part does not store";
    assert_eq!(crate::texts(&packed.losses), [unknown]);
    let opened = open(opened.written());
    let data = "return {\\n\\ta = {1, 2.5, nil},\\n\\tb = {\\n\\t\\tc = true,\\n\\t},\\n\\t[\\\"not an id\\\"] = \\\"x\\\\ny\\\",\\n}";
    let table = "return {\\n\\tn = 1,\\n\\tt = {\\n\\t\\td = \\\"1979-05-27\\\",\\n\\t},\\n}";
    let words = r#"[{\"key\":\"hi\",\"source\":\"Hello\",\"values\":{\"de\":\"Hallo\"}}]"#;
    let quoted = |text: &str| format!("\"{text}\"");
    for (path, value) in [
        ("ReplicatedStorage/Lib/Note.Value", quoted("new")),
        ("ReplicatedStorage/Lib/Data.Source", quoted(data)),
        ("ReplicatedStorage/Lib/Table.Source", quoted(table)),
        ("ReplicatedStorage/Lib/Words.Contents", quoted(words)),
        ("ReplicatedStorage/Lib/Ball.size", "1, 2, 3".into()),
        ("ReplicatedStorage/Lib/Tool.RunContext", "Plugin".into()),
        ("ReplicatedStorage/Lib/Deep/Named/Run.RunContext", "Server".into()),
        ("Lighting.Brightness", "3".into()),
        ("ReplicatedStorage/Base.Position", "0, -10, 0".into()),
        ("ReplicatedStorage/Base.Orientation", "0, 90, 0".into()),
    ] {
        assert_eq!(opened.text(path), value, "{path}");
    }
    assert_eq!(opened.class("ReplicatedStorage/Lib/Ball/In"), "Folder");
    for none in ["Tool/Tool.spec", "Deep/package"] {
        assert!(opened.nodes(&format!("ReplicatedStorage/Lib/{none}"), 0).is_err(), "{none}");
    }
    // Once more, nothing changes.
    let mut opened = opened;
    let packed = opened.pack(files, PackOptions::new()).expect("packed");
    assert_eq!((packed.changed, crate::texts(&packed.losses)), (Vec::new(), vec![unknown.to_owned()]));
}

/// The source is that of Rojo 7.5.1, also in its spaces and in the digits of numbers.
#[test]
fn data_is_the_module_that_rojo_makes() {
    let json = r#"{"a": [1, {"b": null, "c": [{"d": 1.5}]}], "m": -0.0, "n": 12345678901234567890, "s": 1e21, "t": 1e-7}"#;
    let lines = [
        r"return {\n\ta = {1, {\n\t\tb = nil,\n\t\tc = {{\n\t\t\td = 1.5,\n\t\t}},\n\t}},\n",
        r"\tm = -0,\n\tn = 12345678901234567000,\n\ts = 1000000000000000000000,\n\tt = 0.0000001,\n}",
    ];
    let mut opened = open(tree("Folder|Mine|"));
    opened
        .pack(
            named(&[
                ("default.project.json", r#"{"name": "p", "tree": {"$path": "src"}}"#),
                ("src/D.json", json),
            ]),
            PackOptions::new(),
        )
        .expect("packed");
    assert_eq!(open(opened.written()).text("Mine/D.Source"), format!("\"{}\"", lines.concat()));
}

/// Only the edited values change; in XML, only their texts.
#[test]
fn edited_files_come_back() {
    let text = format!(
        "Model|Car|<float name=\"ScaleFactor\">1</float>
  Script|Off|{SOURCE}<bool name=\"Disabled\">true</bool>
  Script|On|{SOURCE}
  Script|Quiet|{SOURCE}
  ModuleScript|init|{SOURCE}"
    );
    let xml = tree(&text);
    let (same, changed, losses) = packed(&xml, |_| {});
    assert!(same == xml && changed.is_empty() && losses.is_empty(), "{changed:?} {losses:?}");
    let (new, changed, losses) = packed(&xml, |files| {
        files.insert("src/Car/Off.server.luau".into(), b"return 2".to_vec());
        files.insert("src/Car/init/source.luau".into(), b"return 3".to_vec());
        files.insert("src/Car/Off.meta.json".into(), br#"{"properties":{"Disabled":false}}"#.to_vec());
        files.insert("src/Car/On.meta.json".into(), br#"{"attributes":{"n":"x"}}"#.to_vec());
        // Line ends and the formatting of JSON do not count as edits.
        files.insert("src/Car/notes.md".into(), b"no instance".to_vec());
        files.insert("src/Car/Nobody.meta.json".into(), b"{}".to_vec());
        files.remove("src/Car/Quiet.server.luau");
    });
    let wanted = ["Car/Off.Source", "Car/Off.Disabled", "Car/On.AttributesSerialize.n", "Car/init.Source"];
    assert_eq!(changed, wanted);
    let missing = "Car/Quiet: no file of the folder has the instance, which stays in the document (`--remove` removes such instances)";
    let notes =
        "src/Car/Nobody.meta.json: the file is not packed, since it belongs to no instance of the document";
    assert_eq!(losses, [missing, notes]);
    let text = String::from_utf8(new).expect("XML");
    let wanted = String::from_utf8(xml.clone()).expect("XML");
    let wanted = wanted.replacen("return 1", "return 2", 1).replacen(">true<", ">false<", 1);
    let mut parts = wanted.rsplitn(2, "return 1").collect::<Vec<_>>();
    parts.reverse();
    let wanted = parts.join("return 3");
    let attribute = "<BinaryString name=\"AttributesSerialize\">AQAAAAEAAABuAgEAAAB4</BinaryString>";
    assert!(text.contains(attribute), "{text}");
    assert_eq!(text.replace(attribute, ""), wanted);
}

/// A place itself cannot be a script, as its folder can say by an init file.
#[test]
fn a_place_is_no_script() {
    let project = r#"{"tree":{"$className":"DataModel","$path":"src"}}"#;
    let files = named(&[("default.project.json", project), ("src/init.luau", "return 1")]);
    let error = open(tree("Workspace|Workspace|")).pack(files, PackOptions::new()).expect_err("refused");
    assert_eq!(error.path(), "src/init.luau");
    // No project names the file.
    let error = open(tree("Workspace|Workspace|")).pack(named(&[("nope.luau", "x")]), PackOptions::new());
    assert_eq!(error.expect_err("refused").path(), "nope.luau");
}

/// Line ends do not count as edits: Git can check files out with other ones.
#[test]
fn line_ends_are_no_edits() {
    let source = field("ProtectedString", "Source", "a&#10;b");
    let xml = tree(&format!("Folder|F|\n  ModuleScript|M|{source}"));
    let put = |text: &'static str| {
        packed(&xml, move |files| _ = files.insert("src/F/M.luau".into(), text.as_bytes().to_vec()))
    };
    let (same, changed, losses) = put("a\r\nb");
    assert!(same == xml && changed.is_empty() && losses.is_empty(), "{changed:?} {losses:?}");
    // As Rojo does: its `lua.rs` reads scripts with `read_to_string_lf_normalized`.
    let (made, changed, _) = put("a\r\nc");
    assert_eq!(changed, ["F/M.Source"]);
    assert_eq!(open(&made).get("F/M.Source").expect("there").summary(9), "\"a\\nc\"");
}

/// Attributes that Rojo wrote into a place stay in it: extracting and packing changes nothing.
#[test]
fn attributes_of_rojo_stay() {
    let id = |id: &[u8; 3]| base64([b"\x01\0\0\0\x07\0\0\0Rojo_Id\x02\x03\0\0\0".as_slice(), id].concat());
    let own = |text| field("BinaryString", "AttributesSerialize", id(text));
    let (folder, script) = (own(b"abc"), own(b"xyz"));
    let xml = tree(&format!("Folder|F|\n  Folder|T|{folder}\n  ModuleScript|M|{script}{SOURCE}"));
    for options in [ExtractOptions::new(), ExtractOptions::new().models("rbxmx")] {
        let mut opened = open(&xml);
        let packed = opened.pack(extract(&xml, &options).0, PackOptions::new()).expect("packed");
        assert_eq!(packed.changed, [""; 0]);
        assert!(opened.written() == xml);
    }
}

/// Changes to the files are made in the document, in both forms. Removing instances requires an option.
#[test]
fn scripts_are_added_renamed_moved_and_removed() {
    let text = format!(
        "Workspace|Workspace\n  Folder|Old|\n    Script|Main|{SOURCE}\n    ModuleScript|Tool|{SOURCE}\n      ModuleScript|Part|{SOURCE}\nServerStorage|ServerStorage"
    );
    let xml = tree(&text);
    let options = ConvertOptions::new().fill(rezkit::Fill::Defaults);
    let binary = open(&xml).made_with("a.rbxl", &options).0;
    for bytes in [xml, binary] {
        let edit = |files: &mut BTreeMap<String, Vec<u8>>| {
            let main = files.remove("src/Workspace/Old/Main.server.luau").expect("a script");
            files.insert("src/Workspace/Old/Renamed.server.luau".into(), main);
            let part = files.remove("src/Workspace/Old/Tool/Part.luau").expect("a script");
            files.insert("src/ServerStorage/New/Deep/Part.luau".into(), part);
            files.insert("src/Workspace/Old/Gui.client.luau".into(), b"return 5".to_vec());
            files.insert("src/ServerStorage/Lib/init.luau".into(), b"return 6".to_vec());
            files.insert("src/ServerStorage/Lib/A.lua".into(), b"return 7".to_vec());
        };
        let (mut files, _) = extract(&bytes, &ExtractOptions::new());
        edit(&mut files);
        let mut opened = open(&bytes);
        let packed = opened.pack(files, rezkit::PackOptions::new().remove(true)).expect("packed");
        assert!(packed.losses.is_empty(), "{:?}", packed.losses);
        let opened = open(opened.written());
        for (path, class, source) in [
            ("Workspace/Old/Renamed", "Script", "return 1"),
            ("Workspace/Old/Gui", "LocalScript", "return 5"),
            ("Workspace/Old/Tool", "ModuleScript", "return 1"),
            ("ServerStorage/New/Deep/Part", "ModuleScript", "return 1"),
            ("ServerStorage/Lib", "ModuleScript", "return 6"),
            ("ServerStorage/Lib/A", "ModuleScript", "return 7"),
        ] {
            assert_eq!(opened.class(path), class);
            let found = opened.text(&format!("{path}.Source"));
            assert!(found.contains(source), "{path}: {found}");
        }
        for path in ["Workspace/Old/Main", "Workspace/Old/Tool/Part"] {
            assert!(opened.nodes(path, 0).is_err(), "{path}");
        }
        assert_eq!(opened.class("ServerStorage/New/Deep"), "Folder");
        // Without the option, nothing is removed. An existing instance keeps its class.
        let (mut files, _) = extract(&bytes, &ExtractOptions::new());
        edit(&mut files);
        let mut opened = open(&bytes);
        let packed = opened.pack(files.clone(), PackOptions::new()).expect("packed");
        let missing = |path: &str| {
            format!(
                "Workspace/Old/{path}: no file of the folder has the instance, which stays in the document (`--remove` removes such instances)"
            )
        };
        let expected = ["Main", "Tool/Part"].map(missing);
        assert_eq!(crate::texts(&packed.losses), expected);
        assert!(
            ["Main", "Renamed"].iter().all(|name| opened.nodes(&format!("Workspace/Old/{name}"), 0).is_ok())
        );
        files.insert("src/Workspace/Old/init.luau".into(), b"return 8".to_vec());
        let mut opened = open(&bytes);
        let packed = opened.pack(files, PackOptions::new()).expect("a folder becomes a script");
        assert!(
            packed.changed.contains(&"Workspace/Old: Folder becomes ModuleScript".to_owned()),
            "{packed:?}"
        );
        assert_eq!(opened.text("Workspace/Old/Tool.Source"), "\"return 1\"");
    }
}

/// The source of a script can be in `Run.server.luau` or in `Run/init.server.luau`, as for Rojo, with `.luau` or `.lua`.
#[test]
fn both_places_of_a_script() {
    let bytes = tree(&format!("Workspace|Workspace|\n  Script|Run|{SOURCE}"));
    let pack = |name: &str, source: &str, keeps: bool| {
        let (mut files, _) = extract(&bytes, &ExtractOptions::new());
        let own = files.remove("src/Workspace/Run.server.luau").expect("a script");
        if keeps {
            files.insert("src/Workspace/Run.server.luau".into(), own);
        }
        files.insert(format!("src/Workspace/{name}"), source.into());
        let mut opened = open(&bytes);
        opened.pack(files, rezkit::PackOptions::new().remove(true)).map(|packed| {
            let is_twice = |loss: &rezkit::Loss| keeps && loss.what.contains("the same name and class");
            assert!(packed.losses.iter().all(is_twice), "{:?}", packed.losses);
            let bytes = opened.written();
            (packed.changed, open(&bytes).get("Workspace/Run.Source").expect("a script").summary(80), bytes)
        })
    };
    for name in ["Run/init.server.luau", "Run/init.server.lua", "Run.server.lua"] {
        let (changed, _, written) = pack(name, "return 1", false).expect("packed");
        assert!(changed.is_empty() && written == bytes, "{name}: {changed:?}");
        let (changed, source, _) = pack(name, "return 2", false).expect("packed");
        assert_eq!(changed, ["Workspace/Run.Source"], "{name}");
        assert!(source.contains("return 2"), "{name}: {source}");
    }
    // A file of another class at the same place changes the class; two files are two scripts, as for Rojo.
    let (changed, ..) = pack("Run/init.luau", "return 2", false).expect("packed");
    assert_eq!(changed, ["Workspace/Run: Script becomes ModuleScript"]);
    let (changed, ..) = pack("Run/init.server.luau", "return 2", true).expect("packed");
    assert_eq!(changed, ["Workspace/Run: added"]);
}

/// Packing a project that was not edited changes no byte of a real document.
#[test]
fn real_documents_stay_as_they_are() {
    let mut samples = testkit::corpus("rbxbinary");
    samples.extend(testkit::corpus("rbxxml"));
    for testkit::Sample { name, bytes, .. } in samples {
        let models = |form| ExtractOptions::new().models(form).allow_loss(true);
        for options in [ExtractOptions::new(), models("rbxm"), models("rbxmx")] {
            let mut opened = crate::open(&bytes, &name);
            let Output { files, .. } = opened.extract(&options).expect("extracted");
            let files: BTreeMap<_, _> =
                files.into_iter().map(|file| (file.path().to_owned(), file.bytes)).collect();
            let packed = opened.pack(files, PackOptions::new()).expect("packed");
            let (changed, losses) = (packed.changed, packed.losses);
            assert!(changed.is_empty() && losses.is_empty(), "{name}: {changed:?} {losses:?}");
            assert!(opened.written() == bytes, "{name}");
        }
    }
}

/// References between scripts and folders in Rojo's format: an id, and an attribute with this id.
#[test]
fn references_between_files() {
    let primary = field("Ref", "PrimaryPart", "R2");
    let numbered = tree(&format!(
        "Model#R1|Car|{primary}\n  Part#R2|Door|\n    Script#R3|Main|{SOURCE}\n  Part#R4|Lone|"
    ));
    let numbered = String::from_utf8(numbered).expect("XML");
    let (files, losses) = extract(numbered.as_bytes(), &ExtractOptions::new());
    assert_eq!(losses, ["Car/Lone: an instance that contains no script; `--models` extracts such instances"]);
    let car = json(&files, "src/Car/init.meta.json");
    assert_eq!(car["attributes"], json!({ "Rojo_Target_PrimaryPart": "Car/Door" }));
    let door = json(&files, "src/Car/Door/init.meta.json");
    assert_eq!(door, json!({ "className": "Part", "id": "Car/Door" }));
    let meta = |to: &str| {
        let attributes = json!({ "Rojo_Target_PrimaryPart": to });
        json!({ "className": "Model", "ignoreUnknownInstances": true, "attributes": attributes }).to_string()
    };
    // The edited reference is packed again.
    let (new, changed, losses) = packed(numbered.as_bytes(), |files| {
        files.insert("src/Car/init.meta.json".into(), meta("Car/Lone").into());
    });
    assert!(losses.is_empty() && changed == ["Car.PrimaryPart"], "{changed:?} {losses:?}");
    assert_eq!(String::from_utf8(new).expect("XML"), numbered.replacen(">R2<", ">R4<", 1));
    // An id need not be a path.
    let (new, changed, losses) = packed(numbered.as_bytes(), |files| {
        files.insert("src/Car/init.meta.json".into(), meta("front door").into());
        let door = json!({ "className": "Part", "id": "front door" });
        files.insert("src/Car/Door/init.meta.json".into(), door.to_string().into_bytes());
    });
    assert!(losses.is_empty() && changed.is_empty(), "{changed:?} {losses:?}");
    assert_eq!(String::from_utf8(new).expect("XML"), numbered);
}

/// Models refer to each other, to scripts, and to ancestors in the project, by attributes in Rojo's format.
#[test]
fn references_between_models() {
    let refer = |name: &str, to: &str| field("Ref", name, to);
    let (weld, value) = (refer("Part0", "A") + &refer("Part1", "W"), refer("Value", "C"));
    let text = tree(&format!(
        "Workspace#W|Workspace
  Part#A|A
  Weld#B|B|{weld}
  Part#C|A
    ObjectValue#D|D|{value}
  Model#E|E|{}
    Part#F|F",
        refer("PrimaryPart", "F")
    ));
    for form in ["rbxm", "rbxmx"] {
        let (files, losses) = extract(&text, &ExtractOptions::new().models(form));
        assert!(losses.is_empty(), "{losses:?}");
        let get = |model: &str, path: &str| {
            let model = &files[&format!("src/Workspace/{model}.{form}")];
            let value = open(model).get(path).map_or_else(|_| String::new(), |value| value.summary(100));
            value.trim_matches('"').to_owned()
        };
        assert_eq!(get("A", "A.AttributesSerialize.Rojo_Id"), "Workspace/A");
        assert_eq!(get("B", "B.AttributesSerialize.Rojo_Target_Part0"), "Workspace/A");
        assert_eq!(get("B", "B.AttributesSerialize.Rojo_Target_Part1"), "Workspace");
        assert_eq!(json(&files, "src/Workspace/init.meta.json")["id"], "Workspace");
        assert_eq!(get("A_(2)/model", "A.AttributesSerialize.Rojo_Id"), "Workspace/A[1]");
        assert_eq!(get("A_(2)/model", "A/D.AttributesSerialize.Rojo_Target_Value"), "Workspace/A[1]");
        // A reference within one file is not changed.
        assert_eq!(get("E", "E.PrimaryPart"), "E/F");
        assert_eq!(get("E", "E.AttributesSerialize.Rojo_Target_PrimaryPart"), "");
        let mut opened = open(&text);
        let packed = opened.pack(files, PackOptions::new()).expect("packed");
        assert!(packed.changed.is_empty() && packed.losses.is_empty(), "{packed:?}");
        assert!(opened.written() == text);
    }
}

/// A Content object in another file is in no model, since Rojo has attributes for references only; its null in the model
/// is no edit. Objects in the same model can be edited.
#[test]
fn content_objects_in_models() {
    let object = |to: &str| field("Content", "ImageContent", format!("<Ref>{to}</Ref>"));
    let text = tree(&format!(
        "Folder|F
  EditableImage#E|Canvas
  ImageLabel|Label|{}
  Script|S|{SOURCE}
  Frame|Both
    EditableImage#A|A
    EditableImage#B|B
    ImageLabel|Inside|{}",
        object("E"),
        object("A")
    ));
    for form in ["rbxm", "rbxmx"] {
        let (mut files, losses) = extract(&text, &ExtractOptions::new().models(form));
        assert!(losses.len() == 1 && losses[0].starts_with("F/Label.ImageContent: "), "{losses:?}");
        let mut opened = open(&text);
        let packed = opened.pack(files.clone(), PackOptions::new()).expect("packed");
        assert!(packed.changed.is_empty() && packed.losses.is_empty(), "{packed:?}");
        assert!(opened.written() == text);
        // The image of one label is turned into another, and that of the other label into none.
        for (file, path, to) in [("Both", "Both/Inside", "object Both/B"), ("Label", "Label", "")] {
            let name = format!("src/F/{file}.{form}");
            let mut model = crate::open(&files[&name], &name);
            model.set(&format!("{path}.ImageContent"), to, None).expect("set");
            files.insert(name, model.written());
        }
        let packed = opened.pack(files, PackOptions::new()).expect("packed");
        assert_eq!(packed.changed, ["F/Both/Inside.ImageContent", "F/Label.ImageContent"]);
        let shown = |path: &str| opened.get(path).map(|value| value.summary(100)).unwrap_or_default();
        assert_eq!(shown("F/Both/Inside.ImageContent"), "object F/Both/B");
        assert_eq!(shown("F/Label.ImageContent"), "none");
    }
}

/// Attributes have the same JSON as properties in Rojo.
#[test]
fn attributes_of_all_types() {
    use rbxcore::{CFrame, Color3, ColorSequence, ColorSequenceKeypoint, Font, FontStyle};
    use rbxcore::{
        NumberSequence, NumberSequenceKeypoint,
        geom::{Mat3, Vec3},
        rotation,
    };
    use rezkit::blobs::{Attribute, Attributes, from_slice};
    let turned = [0.6, -0.8, 0.0, 0.8, 0.6, 0.0, 0.0, 0.0, 1.0];
    let key = |time, value| NumberSequenceKeypoint { envelope: 0.0, time, value };
    let color =
        |time, [r, g, b]: [f32; 3]| ColorSequenceKeypoint { envelope: 0.0, time, color: Color3 { r, g, b } };
    let all: [(&str, Attribute, Value); 5] = [
        (
            "axes",
            // Rotation number 3 is 90 degrees about x: y becomes z.
            CFrame { position: Vec3::new(1.0, 2.0, 3.0), rotation: rotation::matrix(3).expect("a rotation") }
                .into(),
            json!({ "CFrame": { "position": [1.0, 2.0, 3.0],
                "orientation": [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]] } }),
        ),
        (
            "turned",
            CFrame { position: Vec3::default(), rotation: Mat3::from_rows(turned) }.into(),
            json!({ "CFrame": { "position": [0.0, 0.0, 0.0],
                "orientation": [[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]] } }),
        ),
        (
            "numbers",
            NumberSequence { keypoints: vec![key(0.0, 1.0), key(1.0, 0.5)] }.into(),
            json!({ "NumberSequence": { "keypoints": [{ "time": 0.0, "value": 1.0, "envelope": 0.0 },
                { "time": 1.0, "value": 0.5, "envelope": 0.0 }] } }),
        ),
        (
            "colors",
            ColorSequence { keypoints: vec![color(0.0, [1.0, 0.0, 0.0]), color(1.0, [0.0, 0.0, 1.0])] }
                .into(),
            json!({ "ColorSequence": { "keypoints": [{ "time": 0.0, "color": [1.0, 0.0, 0.0] },
                { "time": 1.0, "color": [0.0, 0.0, 1.0] }] } }),
        ),
        (
            "font",
            Font {
                weight: 700,
                style: FontStyle(1),
                family: "rbxasset://f.json".into(),
                cached_face_id: "".into(),
            }
            .into(),
            json!({ "Font": { "family": "rbxasset://f.json", "weight": "Bold", "style": "Italic",
                "cachedFaceId": null } }),
        ),
    ];
    let attributes = Attributes(all.iter().map(|(name, value, _)| ((*name).into(), value.clone())).collect());
    let bytes = field("BinaryString", "AttributesSerialize", base64(attributes.to_vec().expect("written")));
    let text = format!("Folder|A|{bytes}\n  Script|B|{SOURCE}\n  Script|C|{SOURCE}");
    let (files, losses) = extract(&tree(&text), &ExtractOptions::new());
    assert!(losses.is_empty(), "{losses:?}");
    let meta = json(&files, "src/A/init.meta.json");
    for (name, _, value) in &all {
        assert_eq!(meta["attributes"][name], *value);
    }
    // The same JSON in the file of another instance becomes the same values.
    let (new, ..) = packed(&tree(&text), |files| {
        let meta = json!({ "attributes": meta["attributes"] });
        files.insert("src/A/B.meta.json".into(), meta.to_string().into_bytes());
    });
    let stored = String::from_utf8(new).expect("XML").replace("<![CDATA[", "").replace("]]>", "<");
    let at = "<BinaryString name=\"AttributesSerialize\">";
    let texts: Vec<_> =
        stored.split(at).skip(1).map(|part| part.split('<').next().expect("a text")).collect();
    let decoded = |text: &str| from_slice::<Attributes>(&decode(text)).expect("attributes");
    assert!(texts[1].len() > 8, "{stored}");
    assert_eq!(texts.len(), 2);
    let mut sorted = attributes.0.clone();
    sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut found = decoded(texts[1]).0;
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    assert_eq!(found, sorted);
}

fn decode(text: &str) -> Vec<u8> {
    use base64::Engine as _;
    let text: String = text.split_whitespace().collect();
    base64::prelude::BASE64_STANDARD.decode(text).expect("base64")
}

/// A binary model with chunks that no compressor would write: LZ4 that only has literals.
fn literal(bytes: &[u8]) -> Vec<u8> {
    let byte = |number: usize| u8::try_from(number).expect("a byte");
    let length = |number: usize| u32::try_from(number).expect("a length");
    let mut out = bytes[..32].to_vec();
    for chunk in rbxbinary::chunks(bytes).expect("chunks") {
        let chunk = chunk.expect("a chunk");
        let data = chunk.data().expect("readable").to_vec();
        let mut stored = data.clone();
        let mut compressed = 0;
        if chunk.name != rbxbinary::ChunkName::END {
            stored = vec![byte(data.len().min(15) << 4)];
            if let Some(mut left) = data.len().checked_sub(15) {
                while left >= 255 {
                    stored.push(255);
                    left -= 255;
                }
                stored.push(byte(left));
            }
            stored.extend(&data);
            compressed = length(stored.len());
        }
        out.extend(chunk.name.0);
        [compressed, length(data.len()), 0].iter().for_each(|number| out.extend(number.to_le_bytes()));
        out.extend(stored);
    }
    out
}

/// Chunks that a changed script does not affect keep their compressed bytes.
#[test]
fn other_chunks_keep_their_bytes() {
    let text = format!(
        "Model|Car|<float name=\"ScaleFactor\">1</float>\n  Script|Main|{SOURCE}\n  Part|Door|\n  ModuleScript|Lib|{SOURCE}"
    );
    let made = open(tree(&text)).made("a.rbxm");
    let bytes = literal(&made);
    let (same, changed, _) = packed(&bytes, |_| {});
    assert!(same == bytes && changed.is_empty());
    let (new, changed, losses) = packed(&bytes, |files| {
        files.insert("src/Car/Main.server.luau".into(), b"return 2".to_vec());
    });
    assert!(losses.is_empty() && changed == ["Car/Main.Source"], "{changed:?} {losses:?}");
    let chunks = |bytes: &[u8]| -> Vec<_> {
        let stored = |chunk: rbxbinary::Result<rbxbinary::Chunk<'_>>| {
            let chunk = chunk.expect("a chunk");
            (chunk.name, chunk.payload.to_vec(), chunk.data().expect("readable").to_vec())
        };
        rbxbinary::chunks(bytes).expect("chunks").map(stored).collect()
    };
    let (old, new) = (chunks(&bytes), chunks(&new));
    assert_eq!(old.len(), new.len());
    let differ: Vec<_> = old.iter().zip(&new).filter(|(old, new)| old != new).collect();
    assert_eq!(differ.len(), 1);
    assert!(differ[0].1.2.ends_with(b"return 2"), "{:?}", differ[0].1);
}

/// The forms of values that Rojo's documentation lists: names of items, floats of colours, lists of numbers.
#[test]
fn meta_files_have_the_values_of_rojo() {
    let xml = tree(&format!("Part|P\n  Script|S|{SOURCE}"));
    let (extracted, _) = extract(&xml, &ExtractOptions::new());
    for (json, property, value) in [
        (r#"{"Material":"Wood"}"#, "Material", "Wood"),
        (r#"{"Material":{"Enum":512}}"#, "Material", "Wood"),
        (r#"{"Color":[1,0.5,0]}"#, "Color3uint8", "255, 128, 0"),
        (r#"{"Color":{"Color3":[0,0,1]}}"#, "Color3uint8", "0, 0, 255"),
        (r#"{"Color":{"Color3uint8":[0,0,1]}}"#, "Color3uint8", "0, 0, 1"),
        (r#"{"Size":[1,2,3]}"#, "size", "1, 2, 3"),
        (r#"{"Tags":["a"]}"#, "Tags", "a"),
    ] {
        let mut files = extracted.clone();
        files.insert(
            "src/P/init.meta.json".into(),
            format!(r#"{{"className":"Part","properties":{json}}}"#).into(),
        );
        let mut opened = open(&xml);
        let packed =
            opened.pack(files.clone(), PackOptions::new()).unwrap_or_else(|error| panic!("{json}: {error}"));
        assert_eq!(packed.changed, [format!("P.{property}")], "{json}");
        let found = opened.get(&format!("P.{property}")).expect("set");
        assert!(found.summary(100).contains(value), "{json}: {}", found.summary(100));
        // Other JSON of the same value changes nothing.
        let packed = opened.pack(files, PackOptions::new()).unwrap_or_else(|error| panic!("{json}: {error}"));
        assert_eq!(packed.changed, [""; 0], "{json}");
    }
}

/// In XML models, bytes that are not text are refused with their paths, or replaced and listed.
#[test]
fn models_of_bytes_that_are_no_text() {
    let lines =
        "Folder|F|\n  StringValue|A|<BinaryString name=\"Value\">/w==</BinaryString>\n  ModuleScript|M|";
    let mut binary = open(tree(lines));
    let binary = binary.made("a.rbxm");
    let opened = crate::open(binary, "model.rbxm");
    let options = ExtractOptions::new().models("rbxmx");
    let error = opened.extract(&options).expect_err("refused").to_string();
    assert!(error.contains("A.Value") && error.contains("XML cannot represent the invalid UTF-8"), "{error}");
    let Output { files, losses, .. } = opened.extract(&options.allow_loss(true)).expect("extracted");
    let model = files.iter().find(|file| file.path().ends_with("A.rbxmx")).expect("a model");
    assert!(bstr::ByteSlice::find(&*model.bytes, "\u{fffd}").is_some());
    assert!(losses.iter().any(|loss| loss.path == "A.Value" && loss.what.contains("U+FFFD")), "{losses:?}");
    assert!(opened.extract(&ExtractOptions::new().models("rbxm")).is_ok());
}

/// The files of a Rojo project, changed: a file without a text is removed.
fn rojo(changes: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
    let project = json!({
        "name": "game",
        "tree": {
            "$className": "DataModel",
            "ServerScriptService": { "Game": { "$path": "src/server" } },
            "StarterPlayer": { "StarterPlayerScripts": { "$path": "src/client" } },
            "ReplicatedStorage": { "Shared": { "$path": { "optional": "lib/shared" } }, "Util": { "$path": "util.lua" } },
        },
    });
    let mut files: BTreeMap<String, Vec<u8>> = [
        ("default.project.json", project.to_string().as_str()),
        ("README.md", "a game"),
        ("src/server/Main.server.luau", "return 1"),
        ("src/server/Tool.luau", "return \"tool\""),
        ("src/server/Old.luau", "return \"old\""),
        ("src/server/Gone/Last.luau", "return \"last\""),
        ("src/client/Input.client.luau", "print(1)"),
    ]
    .map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()))
    .into();
    for (path, text) in changes {
        match *text {
            "" => _ = files.remove(*path).expect("there"),
            text => _ = files.insert((*path).to_owned(), text.as_bytes().to_vec()),
        }
    }
    files
}

/// A typical Rojo project: changes to its files are made in the place, as if Rojo had built it.
#[test]
fn projects_of_rojo_are_packed() {
    let place = tree(&format!(
        "ServerScriptService|ServerScriptService
  Folder|Game|
    Script|Main|{SOURCE}<bool name=\"Disabled\">true</bool>
      StringValue|Config|
    ModuleScript|Tool|<ProtectedString name=\"Source\">return \"tool\"</ProtectedString>
    ModuleScript|Old|<ProtectedString name=\"Source\">return \"old\"</ProtectedString>
    Folder|Gone|
      ModuleScript|Last|<ProtectedString name=\"Source\">return \"last\"</ProtectedString>
StarterPlayer|StarterPlayer
  StarterPlayerScripts|StarterPlayerScripts
    LocalScript|Input|<ProtectedString name=\"Source\">print(1)</ProtectedString>
ReplicatedStorage|ReplicatedStorage
Workspace|Workspace
  Script|Elsewhere|{SOURCE}"
    ));
    let pack = |changes: &[(&str, &str)]| {
        let mut opened = open(&place);
        let packed = opened.pack(rojo(changes), rezkit::PackOptions::new().remove(true)).expect("packed");
        let losses = crate::texts(&packed.losses);
        (opened.written(), packed.changed, losses)
    };
    // What is below a script without a folder is in no file.
    let others =
        ("src/server/Main.meta.json", r#"{"ignoreUnknownInstances":true,"properties":{"Disabled":true}}"#);
    let (_, changed, _) = pack(&[]);
    assert_eq!(
        changed,
        ["ServerScriptService/Game/Main.Disabled", "ServerScriptService/Game/Main/Config: removed"]
    );
    let (same, changed, losses) = pack(&[others]);
    assert!(same == place && changed.is_empty(), "{changed:?} {losses:?}");
    // Only an optional path may lead to nothing.
    assert!(losses.len() == 1 && losses[0].starts_with("util.lua: the path of the project"), "{losses:?}");
    let (new, changed, losses) = pack(&[
        // Renamed, moved, changed and removed files.
        ("src/server/Main.server.luau", ""),
        ("src/server/Start.server.luau", "return 1"),
        ("src/server/Start.meta.json", others.1),
        ("src/server/Tool.luau", ""),
        ("lib/shared/Tool/init.luau", "return \"tool\""),
        ("src/client/Input.client.luau", "print(2)"),
        ("src/server/Old.luau", ""),
        ("src/server/Gone/Last.luau", ""),
        // Added: a script with a meta file, a folder that becomes a Configuration, and a file that the project names.
        ("src/server/New.server.luau", "return 3"),
        ("src/server/New.meta.json", r#"{"properties":{"Disabled":true},"attributes":{"n":"x"}}"#),
        ("src/server/Settings/init.meta.json", r#"{"className":"Configuration"}"#),
        ("src/server/Settings/A.luau", "return 4"),
        ("util.lua", "return 5"),
    ]);
    assert_eq!(losses, Vec::<String>::new());
    let mut changed = changed;
    changed.sort();
    let wanted = [
        "ReplicatedStorage/Util: added",
        "ServerScriptService/Game/Gone: removed (with 1 below it)",
        "ServerScriptService/Game/Main: moved to ServerScriptService/Game/Start",
        "ServerScriptService/Game/New: added",
        "ServerScriptService/Game/Old: removed",
        "ServerScriptService/Game/Settings/A: added",
        "ServerScriptService/Game/Settings: added",
        "ServerScriptService/Game/Tool: moved to ReplicatedStorage/Shared/Tool",
        "StarterPlayer/StarterPlayerScripts/Input.Source",
    ];
    assert_eq!(changed, wanted);
    let new = open(new);
    for (path, class) in [
        ("ServerScriptService/Game/Start", "Script"),
        // The children of the renamed script are kept.
        ("ServerScriptService/Game/Start/Config", "StringValue"),
        ("ServerScriptService/Game/Settings", "Configuration"),
        ("ServerScriptService/Game/Settings/A", "ModuleScript"),
        ("ReplicatedStorage/Shared", "Folder"),
        ("ReplicatedStorage/Shared/Tool", "ModuleScript"),
        ("ReplicatedStorage/Util", "ModuleScript"),
        // This instance is not in the project.
        ("Workspace/Elsewhere", "Script"),
    ] {
        assert_eq!(new.class(path), class);
    }
    for path in
        ["ServerScriptService/Game/Main", "ServerScriptService/Game/Gone", "ServerScriptService/Game/Tool"]
    {
        assert!(new.nodes(path, 0).is_err(), "{path}");
    }
    assert_eq!(new.text("ServerScriptService/Game/Start.Disabled"), "true");
    assert_eq!(new.text("ServerScriptService/Game/New.Disabled"), "true");
    assert_eq!(new.text("StarterPlayer/StarterPlayerScripts/Input.Source"), "\"print(2)\"");
}

/// Without `--models`, instances outside of the project are counted by kind, even if no project is written.
#[test]
fn instances_outside_of_the_project_are_listed() {
    let other = "<ProtectedString name=\"Source\">~</ProtectedString>";
    let lines = format!("Folder|F|\n  Script|S|{other}\n    Part|Q|\n  Model|M|\n    Part|P|");
    let bytes = |lines: &str| {
        let bytes = tree(lines).into_iter().map(|byte| if byte == b'~' { 0xff } else { byte });
        bytes.collect::<Vec<_>>()
    };
    let script = "the properties of a script whose source is not UTF-8; `--models` extracts such \
                  scripts";
    let instance = "an instance that contains no script; `--models` extracts such instances";
    let beside = "an instance without any script that can be extracted (the sources of its scripts are not UTF-8); `--models` extracts such instances";
    let source = "F/S.Source: a source file for Rojo, which reads only UTF-8; the folder \"sources\" contains the source instead";
    let (files, losses) = extract(&bytes(&lines), &ExtractOptions::new());
    assert_eq!(files.keys().collect::<Vec<_>>(), ["sources/F.S.server.luau"]);
    assert_eq!(losses, [format!("F/S: {script}"), format!("F: {beside} (and 3 more)"), source.to_owned()]);
    let (_, losses) = extract(&bytes(&format!("{lines}\n  Script|G|{SOURCE}")), &ExtractOptions::new());
    let [of_script, of_model] = [format!("F/S/Q: {beside}"), format!("F/M: {instance} (and 1 more)")];
    assert_eq!(losses, [format!("F/S: {script}"), of_script, of_model, source.to_owned()]);
    let tags = "Folder|F|<BinaryString name=\"Tags\">QQBC</BinaryString>\n  Part|P|";
    let (files, losses) = extract(&tree(tags), &ExtractOptions::new());
    assert_eq!(files.keys().collect::<Vec<_>>(), ["tags.json"]);
    assert_eq!(losses, [format!("F: {instance} (and 1 more)")]);
}

/// The time that `pack` takes grows with the number of attributes in a meta file, not with its square.
#[test]
fn many_attributes_take_time_by_their_number() {
    let bytes = tree(&format!("Folder|F\n  Script|S|{SOURCE}"));
    let seconds = |count: usize| {
        let all: Vec<_> = (0..count).map(|at| format!("\"a{at}\":{{\"Vector3\":[1,2,3]}}")).collect();
        let meta = format!("{{\"attributes\":{{{}}}}}", all.join(","));
        let start = std::time::Instant::now();
        let (_, changed, _) =
            packed(&bytes, |files| drop(files.insert("src/F/S.meta.json".into(), meta.clone().into_bytes())));
        assert_eq!(changed.len(), count);
        start.elapsed().as_secs_f64()
    };
    let (few, many) = (seconds(2000), seconds(64_000));
    // 32 times the attributes; the square would be 1024 times the time.
    assert!(many < 200.0 * few + 0.5, "{few} s, {many} s");
}

/// One of the files of `extract`, without the others: also of an instance whose name no file can have.
#[test]
fn one_file_is_packed_alone() {
    let text = tree(&format!("Folder|Root|\n  Script|What?|{SOURCE}\n  Script|Other|{SOURCE}"));
    let (files, _) = extract(&text, &ExtractOptions::new());
    let path = files.keys().find(|path| path.contains("What_") && path.ends_with(".luau")).expect("a script");
    let mut opened = open(&text);
    let packed = opened.pack(named(&[(path, "print(2)")]), PackOptions::new()).expect("packed");
    assert_eq!((packed.changed, crate::texts(&packed.losses)), (vec!["Root/What?.Source".into()], vec![]));
}

/// A model in one folder says nothing about what is in another one, nor in a folder that was renamed.
#[test]
fn a_model_removes_nothing_elsewhere() {
    let place = tree(
        "Workspace|Workspace\n  Terrain|Terrain|\n  Camera|Camera|\n  Part|Baseplate|\nReplicatedStorage|Storage|",
    );
    let project = r#"{"name":"x","tree":{"$className":"DataModel","Workspace":{"$path":"w"},"Storage":{
        "$className":"ReplicatedStorage","Tree":{"$path":"Tree.rbxmx"}}}}"#;
    let model = String::from_utf8(tree("Part|Tree|")).expect("XML");
    let files = [("default.project.json", project), ("w/M.server.luau", "1"), ("Tree.rbxmx", &model)];
    let remove = || rezkit::PackOptions::new().remove(true);
    let mut opened = open(&place);
    let packed = opened.pack(named(&files), remove()).expect("packed");
    assert_eq!(packed.changed, ["Storage/Tree: added", "Workspace/M: added"]);
    // In a folder with models, what has none is removed.
    let beside = [("default.project.json", project), ("w/Door.rbxmx", &model), ("Tree.rbxmx", &model)];
    let packed = opened.pack(named(&beside), remove()).expect("packed");
    assert_eq!(
        packed.changed,
        ["Workspace/Door: added", "Workspace/Baseplate: removed", "Workspace/M: removed"]
    );
    // `extract` without models writes the scripts alone.
    let item =
        format!("ReplicatedStorage|Storage\n  Folder|Shared\n    Script|S|{SOURCE}\n    RemoteEvent|Ev|");
    let (files, _) = extract(&tree(&item), &ExtractOptions::new());
    let renamed = files.into_iter().map(|(path, bytes)| (path.replace("/Shared/", "/Common/"), bytes));
    let files = renamed.chain([("src/Storage/Gun.rbxmx".to_owned(), tree("Model|Gun|"))]);
    let mut opened = open(tree(&item));
    opened.pack(files, remove()).expect("packed");
    assert_eq!(open(opened.written()).class("Storage/Common/Ev"), "RemoteEvent");
}

/// What the project names stays, also if an optional path leads to nothing.
#[test]
fn optional_paths_remove_nothing() {
    let model = tree(&format!("Folder|Lib|\n  Folder|X|\n    Script|S|{SOURCE}"));
    let project = r#"{"name":"Lib","tree":{"$className":"Folder","X":{"$path":{"optional":"nope"}}}}"#;
    let mut opened = open(&model);
    let options = rezkit::PackOptions::new().remove(true);
    let packed = opened.pack(named(&[("default.project.json", project)]), options).expect("packed");
    assert_eq!((packed.changed, opened.written()), (vec![], model));
    // The last script of the folder that the project names is removed without the folder, and not at all if the folder
    // need not have everything.
    let model = tree(&format!("Folder|Lib|\n  Script|S|{SOURCE}"));
    let project = r#"{"name":"Lib","tree":{"$path":"src"}}"#;
    let ignoring = r#"{"ignoreUnknownInstances":true}"#;
    let mut opened = open(&model);
    let options = rezkit::PackOptions::new().remove(true);
    let files = [("default.project.json", project), ("src/init.meta.json", ignoring)];
    let packed = opened.pack(named(&files), options).expect("packed");
    assert_eq!((packed.changed, opened.written()), (vec![], model.clone()));
    let files =
        [("default.project.json", r#"{"name":"Lib","tree":{"$path":"src"}}"#), ("src/init.meta.json", "{}")];
    let mut opened = open(&model);
    let options = rezkit::PackOptions::new().remove(true);
    let packed = opened.pack(named(&files), options).expect("packed");
    assert_eq!(packed.changed, ["Lib/S: removed"]);
}

/// Packs files with `--remove` into an empty model twice: the second time, nothing changes. Returns the document as XML,
/// and the losses of the first time.
fn packed_twice(files: &[(&str, &str)]) -> (String, Vec<String>) {
    let given = || named(files);
    let options = || {
        let mut options = rezkit::PackOptions::new().remove(true);
        options.name = Some("folder".to_owned());
        options
    };
    let mut opened = open(tree(""));
    let first = opened.pack(given(), options()).expect("packed");
    let bytes = opened.written();
    let mut again = open(&bytes);
    let second = again.pack(given(), options()).expect("packed again");
    assert_eq!(second.changed, Vec::<String>::new(), "{files:?}");
    assert_eq!(again.written(), bytes, "{files:?}");
    (String::from_utf8(bytes).expect("XML"), crate::texts(&first.losses))
}

/// What Rojo reads (its tests and its changelog are the source), and what must stay when the files are packed again.
#[test]
fn projects_are_read_as_rojo_reads_them() {
    let src = r#"{"name":"P","tree":{"$path":"src"}}"#;
    // Scripts of models in JSON and of projects have their sources there.
    let model = r#"{"className":"Folder","children":[{"name":"S","className":"Script","properties":{"Source":"print(1)"}}]}"#;
    let (text, losses) = packed_twice(&[("default.project.json", src), ("src/A.model.json", model)]);
    assert!(text.contains("print(1)") && losses.is_empty(), "{text} {losses:?}");
    let own = r#"{"name":"P","tree":{"$className":"ModuleScript","$properties":{"Source":"return 7"}}}"#;
    assert!(packed_twice(&[("default.project.json", own)]).0.contains("return 7"));
    let color = r#"{"name":"P","tree":{"$className":"Frame","$properties":{"BackgroundColor3":{"Color3uint8":[255,0,51]}}}}"#;
    let (text, _) = packed_twice(&[("default.project.json", color)]);
    assert!(text.contains("<R>1</R>") && text.contains("<B>0.2"), "{text}");
    // Rojo ignores a reference to an instance that the folder lacks.
    let refers =
        r#"{"name":"P","tree":{"$className":"ObjectValue","$attributes":{"Rojo_Target_Value":"nobody"}}}"#;
    let (text, losses) = packed_twice(&[("default.project.json", refers)]);
    assert!(text.contains("ObjectValue") && !text.contains("Rojo_Target"), "{text}");
    assert!(losses.len() == 1 && losses[0].contains("P.Value"), "{losses:?}");
    // A project with comments, one with another name, and one without a name.
    for name in ["default.project.jsonc", "dev.project.json"] {
        let (text, _) = packed_twice(&[(name, r#"{"tree":{"$path":"src"}}"#), ("src/a.luau", "return 1")]);
        assert!(text.contains("return 1") && text.contains(">folder<"), "{name}: {text}");
    }
    // Patterns exclude files of their project alone, and `*` is any text, also with `/`.
    let two = r#"{"name":"P","tree":{"$className":"Folder","one":{"$path":"one.project.json"},"two":{"$path":"src"}}}"#;
    let one = r#"{"name":"one","globIgnorePaths":["**/*.spec.lua","*hidden*","src/[a-c].lua","src/[!d]?.lua"],"tree":{"$path":"src"}}"#;
    let (text, _) = packed_twice(&[
        ("default.project.json", two),
        ("one.project.json", one),
        ("src/x.spec.lua", "return \"spec\""),
        ("src/in/hidden/y.lua", "return \"hidden\""),
        ("src/b.lua", "return \"class\""),
        ("src/e1.lua", "return \"other class\""),
        ("src/d.lua", "return \"both\""),
    ]);
    let counts = [("spec", 1), ("hidden", 1), ("class", 1), ("other class", 1), ("both", 2)];
    for (what, count) in counts.map(|(what, count)| (format!("return &quot;{what}&quot;"), count)) {
        let plain = what.replace("&quot;", "\"");
        assert_eq!(text.matches(&*what).count() + text.matches(&plain).count(), count, "{what}: {text}");
    }
    // Numbers of TOML that JSON does not have.
    let toml = "z = inf\ny = -inf\nx = nan\n";
    let (text, _) = packed_twice(&[("default.project.json", src), ("src/e.toml", toml)]);
    assert!(
        text.contains("z = math.huge") && text.contains("y = -math.huge") && text.contains("x = 0/0"),
        "{text}"
    );
    // Attributes as a property, an id as an attribute, a whole number with a fraction, and an empty model.
    let fields = r#"{"name":"P","tree":{"$className":"Sky","$properties":{"SourceAssetId":332039975.0,"Attributes":{"Hello":{"String":"World"},"N":1}}}}"#;
    let (text, losses) = packed_twice(&[("default.project.json", fields)]);
    assert!(
        text.contains("332039975") && text.contains("AttributesSerialize") && losses.is_empty(),
        "{text} {losses:?}"
    );
    let target = r#"{"className":"ObjectValue","attributes":{"Rojo_Target_Value":{"String":"id"}}}"#;
    let model = r#"{"className":"Part","attributes":{"Rojo_Id":"id"}}"#;
    let files = [
        ("default.project.json", src),
        ("src/A.model.json", target),
        ("src/B.model.json", model),
        ("src/C.model.json", " "),
    ];
    let (text, losses) = packed_twice(&files);
    assert!(
        text.contains("<Ref name=\"Value\">") && !text.contains("Rojo_") && losses.is_empty(),
        "{text} {losses:?}"
    );
    // Colours of terrain: 6 bytes for air and water, and grass.
    let terrain = r#"{"name":"P","tree":{"$className":"Terrain","$properties":{"MaterialColors":{"Grass":[10,20,30]}}}}"#;
    let (text, _) = packed_twice(&[("default.project.json", terrain)]);
    assert!(text.contains("[AAAAAAAAChQeWFlW"), "{text}");
    // The rules of a project: the first one counts.
    let rules = r#"{"name":"P","syncRules":[{"pattern":"*.bar.lua","use":"moduleScript","suffix":".bar.lua","exclude":"**/no*"},{"pattern":"*.md","use":"text"},{"pattern":"*.raw","use":"ignore"},{"pattern":"s*.run","use":"runContextClientScript"}],"tree":{"$path":"src"}}"#;
    let (text, losses) = packed_twice(&[
        ("default.project.json", rules),
        ("src/z.bar.lua", "return 1"),
        ("src/no.bar.lua", "return 2"),
        ("src/README.md", "# Text"),
        ("src/data.raw", "raw"),
        ("src/start.run", "print(3)"),
    ]);
    for part in [">z<", ">no.bar<", ">README<", ">start<", "# Text", "<token name=\"RunContext\">2<"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(losses, [""; 0]);
    // A meta file may name the instance; what it does not know is listed.
    let meta = r#"{"name":"a/b","properties":{"Archivable":false},"more":1}"#;
    let (text, losses) =
        packed_twice(&[("default.project.json", src), ("src/a_b.luau", ""), ("src/a_b.meta.json", meta)]);
    assert!(text.contains(">a/b<") && losses.len() == 1 && losses[0].contains("more"), "{text} {losses:?}");
    // What a project cannot mean is said.
    let odd = r#"{"name":"P","tree":{"$className":"Folder","X":{"$className":"Part","$propertys":{}}}}"#;
    assert!(packed_twice(&[("default.project.json", odd)]).1[0].contains("$propertys"));
    let named = r#"{"name":"P","tree":{"$className":"Folder","$properties":{"Name":"Other"}}}"#;
    let (text, losses) = packed_twice(&[("default.project.json", named)]);
    assert!(text.contains(">P<") && losses.len() == 1 && losses[0].contains("Name"), "{text} {losses:?}");
    let wrong = r#"{"name":"P","tree":{"$className":"Folder","Y":5}}"#;
    let given = [("default.project.json".to_owned(), wrong.as_bytes().to_vec())];
    let error = open(tree("")).pack(given, PackOptions::new()).expect_err("no object");
    assert!(error.to_string().contains("Y: expected an object"), "{error}");
}

/// Packs files with `--remove`; returns the document, what changed and the losses.
fn removed(bytes: &[u8], files: BTreeMap<String, Vec<u8>>) -> (Opened<'static>, Vec<String>, Vec<String>) {
    let mut opened = open(bytes);
    let packed = opened.pack(files, rezkit::PackOptions::new().remove(true)).expect("packed");
    (opened, packed.changed, crate::texts(&packed.losses))
}

const FOLDER: &str = r#"{"name":"P","tree":{"$path":"src"}}"#;

/// A meta file resets no property that comes from the file beside it, or from a project. Rojo 7.5.1 builds these values.
#[test]
fn meta_files_reset_nothing_of_other_files() {
    let project = r#"{"name":"P","emitLegacyScripts":false,"tree":{"$path":"src","X":{"$path":"x","$properties":{"Archivable":false},"$attributes":{"k":1}}}}"#;
    let meta = r#"{"attributes":{"q":1}}"#;
    let (text, losses) = packed_twice(&[
        ("default.project.json", project),
        ("src/Note.txt", "hello"),
        ("src/Note.meta.json", meta),
        ("src/Loc.csv", "Key,Source,en\nA,B,C\n"),
        ("src/Loc.meta.json", meta),
        ("src/Words/init.csv", "Key,Source,en\nD,E,F\n"),
        ("src/Words/init.meta.json", meta),
        ("src/S.server.luau", "print(1)"),
        ("src/S.meta.json", meta),
        ("x/init.meta.json", r#"{"attributes":{"k":2}}"#),
        ("src/Model.rbxmx", &String::from_utf8_lossy(&tree(&format!("ModuleScript|Any|{SOURCE}")))),
        ("src/Model.meta.json", "{}"),
        ("src/Door.rbxmx", &String::from_utf8_lossy(&tree("Part|Any|<bool name=\"Anchored\">true</bool>"))),
        ("src/Door.meta.json", r#"{"properties":{"Transparency":0.5}}"#),
    ]);
    let table = |[key, source, text]: [&str; 3]| {
        format!(r#"[{{"key":"{key}","source":"{source}","values":{{"en":"{text}"}}}}]"#)
    };
    let opened = open(text);
    for (path, value) in [
        ("P/Note.Value", "hello".to_owned()),
        ("P/Loc.Contents", table(["A", "B", "C"])),
        ("P/Words.Contents", table(["D", "E", "F"])),
        ("P/S.RunContext", "Server".into()),
        ("P/Model.Source", "return 1".into()),
        ("P/Door.Anchored", "true".into()),
        // Rojo 7.7.1 reads no meta file beside a model.
        ("P/Door.Transparency", "0".into()),
        ("P/X.archivable", "false".into()),
        ("P/X.AttributesSerialize.k", "1".into()),
    ] {
        let text = opened.text(path);
        assert_eq!(text.trim_matches('"').replace('\\', ""), value, "{path}");
    }
    assert!(losses.len() == 2 && losses.iter().all(|loss| loss.contains("is not packed")), "{losses:?}");
}

/// What is below a script moves along when its folder is renamed or moved: scripts in folders, too, and models.
#[test]
fn children_move_with_their_script() {
    let text = tree(&format!(
        "ReplicatedStorage|ReplicatedStorage
  ModuleScript|pkg|{SOURCE}
    ModuleScript#I|Inner|{SOURCE}
    Folder|Sub|
      ModuleScript#D|Deep|{SOURCE}
    Part|Door|<float name=\"Transparency\">0.5</float>
ServerStorage|ServerStorage
  ObjectValue|To|{}
  Script|Run|{SOURCE}",
        field("Ref", "Value", "D")
    ));
    for (from, to) in
        [("ReplicatedStorage/pkg", "ReplicatedStorage/new"), ("ReplicatedStorage/pkg", "ServerStorage/pkg")]
    {
        for options in [ExtractOptions::new(), ExtractOptions::new().models("rbxmx")] {
            let files = extract(&text, &options).0.into_iter();
            let renamed = |path: String| path.replace(&format!("src/{from}/"), &format!("src/{to}/"));
            let files: BTreeMap<_, _> = files.map(|(path, bytes)| (renamed(path), bytes)).collect();
            let (opened, changed, losses) = removed(&text, files.clone());
            assert_eq!((changed, losses), (vec![format!("{from}: moved to {to}")], vec![]));
            assert_eq!(opened.text(&format!("{to}/Door.Transparency")), "0.5");
            assert_eq!(opened.text(&format!("{to}/Inner.Source")), "\"return 1\"");
            assert!(opened.text("ServerStorage/To.Value").contains(&format!("{to}/Sub/Deep")));
            assert_eq!(removed(&opened.written(), files).1, [""; 0]);
        }
    }
}

/// A project file that `extract` wrote for one instance changes nothing for the others, and siblings of one name are
/// told apart by their files.
#[test]
fn siblings_of_one_name_are_packed() {
    let source = |text| field("ProtectedString", "Source", text);
    let lines = format!(
        "Workspace|Workspace\n  Part|Wall|\n  Script|Main|{}\n  Script|Main|{}",
        source("one"),
        source("two")
    );
    let text = tree(&lines);
    let (mut files, _) = extract(&text, &ExtractOptions::new());
    let main = files.remove("src/Workspace/Main.server.luau").expect("a script");
    let (opened, changed, losses) = removed(&text, files.clone());
    assert_eq!((changed, losses), (vec!["Workspace/Main: removed".to_owned()], vec![]));
    assert_eq!(opened.text("Workspace/Main.Source"), "\"two\"");
    files.insert("src/Workspace/Renamed.server.luau".into(), main);
    let (opened, changed, losses) = removed(&text, files);
    assert_eq!((changed, losses), (vec!["Workspace/Main: moved to Workspace/Renamed".to_owned()], vec![]));
    assert_eq!(opened.text("Workspace/Renamed.Source"), "\"one\"");
    assert!(opened.nodes("Workspace/Wall", 0).is_ok());
}

/// A script whose folder is removed goes with the folders and scripts below it.
#[test]
fn scripts_above_folders_are_removed() {
    let text = tree(&format!(
        "Folder|F|\n  ModuleScript|pkg|{SOURCE}\n    Folder|Sub|\n      ModuleScript|Deep|{SOURCE}\n  ModuleScript|Keep|"
    ));
    let (mut files, _) = extract(&text, &ExtractOptions::new());
    files.retain(|path, _| !path.contains("/pkg/"));
    let (opened, _, losses) = removed(&text, files);
    assert!(losses.is_empty() && opened.nodes("F/pkg", 0).is_err() && opened.nodes("F/Keep", 0).is_ok());
}

/// Older properties are stored in those that replaced them, as Rojo 7.5.1 builds them: in new instances and in those that
/// the document has.
#[test]
fn older_properties_are_stored_in_the_newer() {
    let sword = r#"{"ClassName":"MeshPart","Properties":{"MeshId":"rbxassetid://1","TextureID":"rbxassetid://2","BrickColor":{"BrickColor":21}},"Children":[{"Name":"D","ClassName":"Decal","Properties":{"Texture":"rbxassetid://3"}},{"Name":"I","ClassName":"ImageLabel","Properties":{"Image":"rbxassetid://4"}},{"Name":"S","ClassName":"SurfaceAppearance","Properties":{"ColorMap":"rbxassetid://5"}}]}"#;
    let of_file =
        |name: &str, value: &str| field("Content", name, format!("<url>rbxassetid://{value}</url>"));
    let model = tree(&format!(
        "MeshPart|Sword|{}{}{}\n  Decal|D|{}\n  ImageLabel|I|{}\n  SurfaceAppearance|S|{}",
        of_file("MeshId", "1"),
        of_file("TextureID", "2"),
        field("int", "BrickColor", 21),
        of_file("Texture", "3"),
        of_file("Image", "4"),
        of_file("ColorMap", "5")
    ));
    let newer = |name: &str| field("Content", name, "<uri>rbxassetid://9</uri>");
    let there = tree(&format!(
        "Folder|P\n  MeshPart|Sword|{}{}{}\n    Decal|D|{}\n    ImageLabel|I|{}\n    SurfaceAppearance|S|{}",
        newer("MeshContent"),
        newer("TextureContent"),
        field("Color3uint8", "Color3uint8", 0xff00_0000_u32),
        newer("TextureContent"),
        newer("ImageContent"),
        newer("ColorMapContent")
    ));
    let options = ConvertOptions::new().fill(rezkit::Fill::Defaults);
    let binary = |bytes: &[u8]| open(bytes).made_with("a.rbxm", &options).0;
    let files = [("src/Sword.model.json", sword.as_bytes().to_vec()), ("src/Sword.rbxmx", model)];
    for (name, bytes) in files {
        for document in [there.clone(), binary(&there), binary(&tree("Folder|P"))] {
            let given: BTreeMap<_, _> = named(&[("default.project.json", FOLDER)])
                .into_iter()
                .chain([(name.to_owned(), bytes.clone())])
                .collect();
            let (opened, _, losses) = removed(&document, given.clone());
            assert!(losses.iter().all(|loss| !loss.contains("no effect")), "{losses:?}");
            for (path, value) in [
                (".MeshContent", "1"),
                (".TextureContent", "2"),
                ("/D.TextureContent", "3"),
                ("/I.ImageContent", "4"),
                ("/S.ColorMapContent", "5"),
            ] {
                let text = opened.text(&format!("P/Sword{path}"));
                assert!(text.contains(&format!("rbxassetid://{value}")), "{name}: {path}: {text}");
            }
            assert_eq!(opened.text("P/Sword.Color3uint8"), "196, 40, 28", "{name}");
            assert_eq!(removed(&opened.written(), given).1, [""; 0], "{name}");
        }
    }
}

/// A pattern that matches a folder excludes the folder, as in Rojo 7.5.1.
#[test]
fn patterns_exclude_folders() {
    let project = r#"{"name":"P","globIgnorePaths":["**/__tests__"],"tree":{"$path":"src"}}"#;
    let (text, losses) = packed_twice(&[
        ("default.project.json", project),
        ("src/real/A.luau", "return 1"),
        ("src/__tests__/T.luau", "return 2"),
        ("src/__tests__/deep/T.luau", "return 2"),
    ]);
    assert!(text.contains(">A<") && !text.contains("__tests__") && losses.is_empty(), "{text} {losses:?}");
}

/// References in a model lead to instances that are new in it.
#[test]
fn references_to_new_instances_of_a_model() {
    let text = |root: &str| {
        let refer = |name| field("Ref", name, "R");
        let (primary, value) = (refer("PrimaryPart"), refer("Value"));
        format!(
            "Model#M|M|{primary}\n  Part#R|{root}|\n    ObjectValue|In|{}\n  ObjectValue|OV|{value}",
            field("Ref", "Value", "M")
        )
    };
    let place = tree(&format!("Workspace|Workspace\n  {}", text("Root").replace('\n', "\n  ")));
    for form in ["rbxm", "rbxmx"] {
        let (mut files, _) = extract(&place, &ExtractOptions::new().models(form));
        let model = open(tree(&text("New")))
            .made_with(&format!("M.{form}"), &ConvertOptions::new().fill(rezkit::Fill::Defaults))
            .0;
        files.insert(format!("src/Workspace/M.{form}"), model);
        let (opened, changed, losses) = removed(&place, files);
        let expected = ["M.PrimaryPart", "M/OV.Value", "M/New: added", "M/Root: removed (with 1 below it)"]
            .map(|path| format!("Workspace/{path}"));
        assert_eq!((changed, losses), (expected.to_vec(), vec![]));
        for (path, to) in [("M.PrimaryPart", "M/New"), ("M/OV.Value", "M/New"), ("M/New/In.Value", "M")] {
            assert_eq!(opened.text(&format!("Workspace/{path}")), format!("Workspace/{to}"), "{path}");
        }
    }
}

/// An empty folder is a Folder, as for Rojo. The only model can be renamed; without any, nothing is removed.
#[test]
fn empty_folders_and_the_only_model() {
    let text = tree(&format!("Folder|P\n  Folder|Remotes\n  Script|S|{SOURCE}"));
    let mut files =
        named(&[("default.project.json", FOLDER), ("src/S.server.luau", "return 1"), ("src/Remotes/", "")]);
    assert_eq!(removed(&text, files.clone()).1, [""; 0]);
    files.insert("src/New/".into(), Vec::new());
    assert_eq!(removed(&text, files).1, ["P/New: added"]);
    let text = tree(&format!("Folder|P\n  Part|Door\n  Script|S|{SOURCE}\n    StringValue|Config|"));
    let (mut files, _) = extract(&text, &ExtractOptions::new().models("rbxmx"));
    let door = files.remove("src/P/Door.rbxmx").expect("a model");
    files.remove("src/P/S/Config.rbxmx").expect("a model");
    // Without models, `extract` would have said in a meta file that there are others.
    assert_eq!(removed(&text, files.clone()).1, ["P/Door: removed", "P/S/Config: removed"]);
    files.insert("src/P/Gate.rbxmx".into(), door);
    assert_eq!(removed(&text, files).1, ["P/Gate: added", "P/Door: removed", "P/S/Config: removed"]);
}

/// A script whose file changes its kind is replaced: references to it and what is below it stay.
#[test]
fn scripts_of_another_kind_replace_the_old() {
    let text = tree(&format!(
        "Folder|P
  ModuleScript#U|Util|{SOURCE}
    StringValue|Config|
    ModuleScript#I|Inner|{SOURCE}
  ObjectValue|To|{}
  ObjectValue|In|{}",
        field("Ref", "Value", "U"),
        field("Ref", "Value", "I")
    ));
    let options = ConvertOptions::new().fill(rezkit::Fill::Defaults);
    for text in [text.clone(), open(&text).made_with("a.rbxm", &options).0] {
        let (mut files, _) = extract(&text, &ExtractOptions::new());
        files.remove("src/P/Util/init.luau").expect("a script");
        files.insert("src/P/Util/init.server.luau".into(), b"return 2".to_vec());
        let (opened, changed, losses) = removed(&text, files.clone());
        assert_eq!((changed, losses), (vec!["P/Util: ModuleScript becomes Script".into()], vec![]));
        assert_eq!(
            (opened.text("P/To.Value"), opened.text("P/In.Value")),
            ("P/Util".into(), "P/Util/Inner".into())
        );
        assert_eq!(
            (opened.class("P/Util"), opened.class("P/Util/Config")),
            ("Script".into(), "StringValue".into())
        );
        assert_eq!(removed(&opened.written(), files).1, [""; 0]);
    }
}

/// Rojo sorts files by name: siblings of one name come back in their order. The names of older versions are known, too.
#[test]
fn siblings_of_one_name_keep_their_order() {
    let source = |number: usize| field("ProtectedString", "Source", number);
    let lines: Vec<_> = (1..=12).map(|number| format!("\n  Script|S|{}", source(number))).collect();
    let text = tree(&format!(
        "Folder|F|{}\n  Folder|D\n    Script|In|{SOURCE}\n  Folder|D\n    Script|In|{SOURCE}",
        lines.concat()
    ));
    let (files, _) = extract(&text, &ExtractOptions::new());
    let read = |file: &String| String::from_utf8(files[file].clone()).expect("text");
    let sources: Vec<_> =
        files.keys().filter(|file| file.contains("/S") && file.ends_with(".luau")).map(read).collect();
    assert_eq!(sources, (1..=12).map(|number| number.to_string()).collect::<Vec<_>>());
    assert!(
        files.contains_key("src/F/D/In.server.luau") && files.contains_key("src/F/D_(2)/tree/In.server.luau")
    );
    assert_eq!(removed(&text, files.clone()).1, [""; 0]);
    let older = |file: &String| file.replace("_(0", " (").replace("_(", " (");
    let mut older: BTreeMap<_, _> = files.iter().map(|(file, bytes)| (older(file), bytes.clone())).collect();
    assert_eq!(removed(&text, older.clone()).1, [""; 0]);
    older.retain(|file, _| !file.contains("/S (2)/"));
    let (opened, changed, _) = removed(&text, older);
    assert_eq!(changed, ["F/S[1]: removed"]);
    assert_eq!((opened.text("F/S.Source"), opened.text("F/S[1].Source")), ("\"1\"".into(), "\"3\"".into()));
}

/// A property that several have replaced is stored in all of them; one that no instance stores, in the newer.
#[test]
fn older_properties_are_stored_in_all_newer() {
    let radius = |name: &str| field("UDim", name, "<S>0</S><O>2</O>");
    let names = ["TopLeftRadius", "TopRightRadius", "BottomLeftRadius", "BottomRightRadius"];
    let text = tree(&format!("Folder|P\n  UICorner|C|{}", names.map(radius).concat()));
    let json = r#"{"className":"UICorner","properties":{"CornerRadius":[0,8]}}"#;
    let model = tree(&format!("UICorner|C|{}", field("UDim", "CornerRadius", "<S>0</S><O>8</O>")));
    for (name, bytes) in [("src/C.model.json", json.as_bytes()), ("src/C.rbxmx", &*model)] {
        let mut files = named(&[("default.project.json", FOLDER)]);
        files.insert(name.into(), bytes.to_vec());
        let opened = removed(&text, files).0;
        assert!(names.iter().all(|name| opened.text(&format!("P/C.{name}")) == "0, 8"), "{name}");
    }
    let mut opened = open(&text);
    opened.set("P/C.CornerRadius", "0, 8", None).expect("set");
    assert!(names.iter().all(|name| opened.text(&format!("P/C.{name}")) == "0, 8"));
    let part = r#"{"className":"MeshPart","properties":{"BrickColor":{"BrickColor":21}}}"#;
    let (text, _) = packed_twice(&[("default.project.json", FOLDER), ("src/A.model.json", part)]);
    assert!(text.contains("Color3uint8") && !text.contains("BrickColor"), "{text}");
}

/// The attributes of an instance with one attribute, a text.
fn attribute(name: &str, text: &str) -> String {
    let sized =
        |text: &str| [&u32::try_from(text.len()).expect("short").to_le_bytes(), text.as_bytes()].concat();
    let bytes = [b"\x01\0\0\0".as_slice(), &sized(name), b"\x02", &sized(text)].concat();
    field("BinaryString", "AttributesSerialize", base64(bytes))
}

/// Rojo leaves its attributes in the documents that it builds: references that they describe stay.
#[test]
fn references_of_documents_of_rojo_stay() {
    let (id, target) = (attribute("Rojo_Id", "Root/P"), attribute("Rojo_Target_Value", "Root/P"));
    for to in ["P", "Q", "null"] {
        let value = field("Ref", "Value", to);
        let text = tree(&format!(
            "Folder|Root\n  Part#P|P|{id}\n  Part#Q|Q\n  ObjectValue|OV|{target}{value}\n  Script|S|{SOURCE}"
        ));
        let (files, _) = extract(&text, &ExtractOptions::new().models("rbxmx"));
        let (opened, changed, losses) = removed(&text, files);
        assert_eq!((changed, losses), (vec![], vec![]), "{to}");
        assert!(opened.written() == text, "{to}");
    }
}

/// An id that no file has leads nowhere, even if it is the path of another instance by now.
#[test]
fn ids_without_a_file_lead_nowhere() {
    let value = field("Ref", "Value", "P");
    let text =
        tree(&format!("Folder|Root\n  Part#P|P\n  Part|P\n  ObjectValue|OV|{value}\n  Script|S|{SOURCE}"));
    let (mut files, _) = extract(&text, &ExtractOptions::new().models("rbxmx"));
    files.remove("src/Root/P.rbxmx").expect("a model");
    let (opened, changed, _) = removed(&text, files.clone());
    assert_eq!((changed, opened.text("Root/OV.Value")), (vec!["Root/P: removed".into()], "null".into()));
    assert_eq!(removed(&opened.written(), files).1, [""; 0]);
}

/// A copy of a file has its id, too: the references stay, and the id is listed.
#[test]
fn copies_take_no_references() {
    let value = field("Ref", "Value", "P");
    let text = tree(&format!("Folder|Root\n  Part#P|P\n  ObjectValue|OV|{value}\n  Script|S|{SOURCE}"));
    let (mut files, _) = extract(&text, &ExtractOptions::new().models("rbxmx"));
    for name in ["A", "Z"] {
        files.insert(format!("src/Root/{name}.rbxmx"), files["src/Root/P.rbxmx"].clone());
    }
    let (opened, changed, losses) = removed(&text, files.clone());
    assert_eq!(changed, ["Root/A: added", "Root/Z: added"]);
    assert!(
        losses.len() == 2 && losses[0].contains("the id \"Root/P\" is also that of Root/P"),
        "{losses:?}"
    );
    assert_eq!(opened.text("Root/OV.Value"), "Root/P");
    let (opened, changed, losses) = removed(&opened.written(), files);
    assert_eq!((changed, losses.len(), opened.text("Root/OV.Value")), (vec![], 2, "Root/P".into()));
}

/// A script whose file changes its kind keeps what no file states, such as its tags and attributes, unless what is missing
/// from the folder is removed: what goes has a line.
#[test]
fn scripts_of_another_kind_keep_their_properties() {
    let id = field("UniqueId", "UniqueId", "00000000000000000000000000000003");
    let others = field("BinaryString", "Tags", base64(b"tag")) + &attribute("a", "b");
    let disabled = field("bool", "Disabled", true);
    let text = tree(&format!("Folder|P\n  Script|S|{id}{others}{disabled}{SOURCE}"));
    let meta = r#"{"properties":{"Tags":["other"]}}"#;
    for (meta, removes, expected) in [
        (None, false, ("true", "tag", "\"b\"")),
        (None, true, ("false", "", "")),
        (Some(meta), true, ("false", "other", "")),
    ] {
        let mut files = named(&[("default.project.json", FOLDER), ("src/S.client.luau", "return 1")]);
        files.extend(meta.map(|meta| ("src/S.meta.json".to_owned(), meta.into())));
        let mut opened = open(&text);
        let packed = opened.pack(files.clone(), rezkit::PackOptions::new().remove(removes)).expect("packed");
        let dropped = ["P/S.AttributesSerialize.a", "P/S.Tags", "P/S.Disabled"].iter().filter(|_| removes);
        let mut changed = packed.changed;
        changed.sort();
        let mut expected_changes: Vec<&str> =
            dropped.copied().chain(["P/S: Script becomes LocalScript"]).collect();
        expected_changes.sort_unstable();
        assert_eq!(changed, expected_changes);
        assert_eq!(opened.class("P/S"), "LocalScript");
        let xml = String::from_utf8(opened.written()).expect("XML");
        assert!(xml.contains("00000000000000000000000000000003"), "{xml}");
        let attribute =
            opened.get("P/S.AttributesSerialize.a").map_or_else(|_| String::new(), |a| a.summary(9));
        let tags = opened.get("P/S.Tags").map_or_else(|_| String::new(), |tags| tags.summary(9));
        assert!(tags.contains(expected.1) && (tags.len() > 4) != expected.1.is_empty(), "{tags}");
        assert_eq!((&*opened.text("P/S.Disabled"), &*attribute), (expected.0, expected.2));
        let again = opened.pack(files, rezkit::PackOptions::new().remove(removes)).expect("packed");
        assert_eq!(again.changed, [""; 0]);
    }
}
