//! Folders and what Rojo 7.7.1 builds of them. `REZKIT_ROJO` is that program: its builds then prove the expected trees.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rbxcore::{Dom, InstanceId, Value};
use rbxdocument::view::View as _;
use rezkit::blobs::{Attributes, Tags, from_slice};
use rezkit::{ConvertOptions, PackOptions};

use crate::Ask as _;
use crate::life::{build, dom};
use crate::xml::tree;

type Files<'a> = &'a [(&'a str, &'a str)];

/// The folder of each step of a developer, and the instances that Rojo builds of the last one below the services: path,
/// class, text, attributes and tags.
struct Case<'a> {
    project: &'a str,
    steps: &'a [Files<'a>],
    built: &'a [&'a str],
}

fn folder(project: &str, files: Files<'_>) -> BTreeMap<String, Vec<u8>> {
    let project = format!("{{\"name\":\"p\",{project}}}");
    let files = files.iter().copied().chain([("default.project.json", &*project)]);
    files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).collect()
}

/// The instances below the services.
fn seen(document: &dyn Dom) -> Vec<String> {
    let mut all = Vec::new();
    let mut waiting: Vec<(InstanceId, String)> = Vec::new();
    for id in document.roots() {
        let name = document.name(id).expect("a name").to_string();
        waiting.extend(document.children(id).map(|child| (child, name.clone())));
    }
    while let Some((id, above)) = waiting.pop() {
        let path = format!("{above}/{}", document.name(id).expect("a name"));
        let class = document.class(id).expect("a class");
        let mut line = format!("{path} {class}");
        let value = |name: &str| document.value(id, name);
        for name in ["Source", "Value", "Contents"] {
            if let Some(text) = value(name).as_ref().and_then(Value::as_bytes).filter(|text| !text.is_empty())
            {
                let _ = write!(line, " {:?}", String::from_utf8_lossy(text));
            }
        }
        let attributes = value("AttributesSerialize");
        let attributes = attributes.as_ref().and_then(Value::as_bytes).unwrap_or_default();
        for (name, _) in from_slice::<Attributes>(attributes).unwrap_or_default().0 {
            let _ = write!(line, " {name}=");
        }
        let tags = value("Tags");
        for tag in from_slice::<Tags>(tags.as_ref().and_then(Value::as_bytes).unwrap_or_default())
            .unwrap_or_default()
            .0
        {
            let _ = write!(line, " #{tag}");
        }
        all.push(line);
        waiting.extend(document.children(id).map(|child| (child, path.clone())));
    }
    all.sort();
    all
}

const STORAGE: &str = r#""tree":{"$className":"DataModel","ReplicatedStorage":{"S":{"$path":"src"}}}"#;
const PLAYER: &str =
    r#""tree":{"$className":"DataModel","StarterPlayer":{"StarterPlayerScripts":{"$path":"client"}}}"#;
const OPTIONAL: &str = r#""tree":{"$className":"DataModel","ReplicatedStorage":{"S":{"$path":"src","P":{"$path":{"optional":"opt"}}}}}"#;
const CLASSED: &str = r#""tree":{"$className":"DataModel","ReplicatedStorage":{"O":{"$path":{"optional":"nowhere"},"$className":"Model","K":{"$className":"Part"}},"Q":{"$path":{"optional":"no"},"K":{"$className":"Part"}}}}"#;
const ATTRIBUTED: &str =
    r#""tree":{"$className":"DataModel","ReplicatedStorage":{"S":{"$path":"src","$attributes":{"c":3}}}}"#;
const MODEL: &str =
    r#""tree":{"$className":"DataModel","ReplicatedStorage":{"S":{"$path":"src","$className":"Model"}}}"#;

/// A model in XML, without a name of its own.
const PART: &str = "<roblox version=\"4\"><Item class=\"Part\" referent=\"a\"><Properties/></Item></roblox>";

/// A part in a model, and the same with other values or another class.
const FRAME: &str = "<roblox version=\"4\"><Item class=\"Folder\" referent=\"a\"><Properties/><Item class=\"StringValue\" \
    referent=\"b\"><Properties><string name=\"Name\">V</string><string name=\"Value\">same</string><BinaryString \
    name=\"Tags\">dA==</BinaryString></Properties></Item></Item></roblox>";
const OTHER: &str = "<roblox version=\"4\"><Item class=\"Folder\" referent=\"a\"><Properties/><Item class=\"ObjectValue\" \
    referent=\"b\"><Properties><string name=\"Name\">V</string><BinaryString name=\"Tags\">dA==</BinaryString></Properties>\
    </Item></Item></roblox>";

/// A project with one node `Q`.
macro_rules! node {
    ($json:literal) => {
        concat!(r#""tree":{"$className":"DataModel","ReplicatedStorage":{"Q":"#, $json, "}}")
    };
}

const CASES: &[Case<'_>] = &[
    // Values over those of a file are the same at each pack.
    Case {
        project: concat!(
            r#""emitLegacyScripts":false,"#,
            r#""tree":{"$className":"DataModel","ReplicatedStorage":{"S":{"$path":"src"}}}"#
        ),
        steps: &[&[
            ("src/C/init.server.luau", "1"),
            ("src/C/init.meta.json", r#"{"properties":{"RunContext":{"Enum":2}}}"#),
        ]],
        built: &["ReplicatedStorage/S Folder", "ReplicatedStorage/S/C Script \"1\""],
    },
    Case {
        project: node!(
            r#"{"$path":"m.rbxmx","$attributes":{"a":1},"$properties":{"Tags":["x"],"Value":{"String":"p"}}}"#
        ),
        steps: &[&[(
            "m.rbxmx",
            "<roblox version=\"4\"><Item class=\"StringValue\" referent=\"a\"><Properties><string name=\"Value\">m</string>\
             <BinaryString name=\"Tags\">dA==</BinaryString></Properties></Item></roblox>",
        )]],
        built: &["ReplicatedStorage/Q StringValue \"p\" a= #x"],
    },
    // A model in which an instance gets another class keeps what both have.
    Case {
        project: STORAGE,
        steps: &[&[("src/m.rbxmx", FRAME)], &[("src/m.rbxmx", OTHER)]],
        built: &[
            "ReplicatedStorage/S Folder",
            "ReplicatedStorage/S/m Folder",
            "ReplicatedStorage/S/m/V ObjectValue #t",
        ],
    },
    Case {
        project: STORAGE,
        steps: &[&[("src/m.rbxmx", OTHER)], &[("src/m.rbxmx", FRAME)]],
        built: &[
            "ReplicatedStorage/S Folder",
            "ReplicatedStorage/S/m Folder",
            "ReplicatedStorage/S/m/V StringValue \"same\" #t",
        ],
    },
    Case {
        project: STORAGE,
        steps: &[
            &[("src/t.txt", "x\r\ny\r\n")],
            &[("src/t.txt", "x\ny\n"), ("src/u.toml", "a = \"\"\"x\r\ny\"\"\"")],
        ],
        built: &[
            "ReplicatedStorage/S Folder",
            "ReplicatedStorage/S/t StringValue \"x\\ny\\n\"",
            r#"ReplicatedStorage/S/u ModuleScript "return {\n\ta = \"x\\ny\",\n}""#,
        ],
    },
    Case {
        project: CLASSED,
        steps: &[&[]],
        built: &["ReplicatedStorage/O Model", "ReplicatedStorage/O/K Part"],
    },
    Case {
        project: STORAGE,
        steps: &[&[
            ("src/P.project.json", r#"{"tree":{"$path":{"optional":"nowhere"},"$className":"Folder"}}"#),
            ("src/Q.project.json", r#"{"tree":{"$path":{"optional":"nowhere"}}}"#),
            ("src/a.luau", "x"),
        ]],
        built: &[
            "ReplicatedStorage/S Folder",
            "ReplicatedStorage/S/P Folder",
            "ReplicatedStorage/S/a ModuleScript \"x\"",
        ],
    },
    Case {
        project: OPTIONAL,
        steps: &[&[("src/a.luau", "1"), ("opt/M.luau", "1")], &[("src/a.luau", "1")]],
        built: &["ReplicatedStorage/S Folder", "ReplicatedStorage/S/a ModuleScript \"1\""],
    },
    Case {
        project: concat!(
            r#""globIgnorePaths":["**/init.*","**/*.meta.json","**/{x,{y,z}}.luau"],"#,
            r#""tree":{"$className":"DataModel","ReplicatedStorage":{"S":{"$path":"src"}}}"#
        ),
        steps: &[&[
            ("src/D/init.luau", "1"),
            ("src/D/init.meta.json", r#"{"attributes":{"a":1}}"#),
            ("src/D/y.luau", "y"),
            ("src/E/init.csv", "Key,Source\na,b\n"),
        ]],
        built: &[
            "ReplicatedStorage/S Folder",
            "ReplicatedStorage/S/D ModuleScript \"1\" a=",
            r#"ReplicatedStorage/S/E LocalizationTable "[{\"key\":\"a\",\"source\":\"b\",\"values\":{}}]""#,
        ],
    },
    Case {
        project: concat!(
            r#""syncRules":[{"pattern":"*.md","use":"text"}],"globIgnorePaths":["**/a.luau"],"#,
            r#""tree":{"$className":"DataModel","ReplicatedStorage":{"S":{"$path":"src"}}}"#
        ),
        steps: &[&[
            ("src/P/default.project.json", r#"{"globIgnorePaths":["!**/a.luau"],"tree":{"$path":"inner"}}"#),
            ("src/P/inner/a.luau", "a"),
            ("src/P/inner/a.md", "x"),
            ("src/c.md", "c"),
            ("src/a.luau", "b"),
        ]],
        built: &[
            "ReplicatedStorage/S Folder",
            "ReplicatedStorage/S/P Folder",
            "ReplicatedStorage/S/P/a ModuleScript \"a\"",
            "ReplicatedStorage/S/c StringValue \"c\"",
        ],
    },
    Case {
        project: PLAYER,
        steps: &[&[(
            "client/default.project.json",
            r#"{"tree":{"$className":"Folder","X":{"$className":"Model"}}}"#,
        )]],
        built: &[
            "StarterPlayer/StarterPlayerScripts StarterPlayerScripts",
            "StarterPlayer/StarterPlayerScripts/X Model",
        ],
    },
    Case {
        project: STORAGE,
        steps: &[
            &[("src/A/B.luau", "b")],
            &[(
                "src/A/default.project.json",
                r#"{"tree":{"$className":"Folder","C":{"$className":"Model"}}}"#,
            )],
        ],
        built: &[
            "ReplicatedStorage/S Folder",
            "ReplicatedStorage/S/A Folder",
            "ReplicatedStorage/S/A/C Model",
        ],
    },
    Case {
        project: concat!(
            r#""syncRules":[{"pattern":"src/*.luau","use":"legacyClientScript"}],"#,
            r#""tree":{"$className":"DataModel","ReplicatedStorage":{"S":{"$path":"src"}}}"#
        ),
        steps: &[&[("src/A.server.luau", "a"), ("src/B.client.luau", "b")]],
        built: &[
            "ReplicatedStorage/S Folder",
            "ReplicatedStorage/S/A.server LocalScript \"a\"",
            "ReplicatedStorage/S/B.client LocalScript \"b\"",
        ],
    },
    Case {
        project: PLAYER,
        steps: &[&[("client/init.meta.json", r#"{"className":"Folder"}"#)]],
        built: &["StarterPlayer/StarterPlayerScripts StarterPlayerScripts"],
    },
    Case {
        project: ATTRIBUTED,
        steps: &[&[("src/init.meta.json", r#"{"attributes":{"a":1}}"#)]],
        built: &["ReplicatedStorage/S Folder c="],
    },
    Case {
        project: MODEL,
        steps: &[&[("src/init.meta.json", r#"{"className":"Folder","attributes":{"a":1}}"#)]],
        built: &["ReplicatedStorage/S Model a="],
    },
    Case {
        project: STORAGE,
        steps: &[&[
            ("src/A.luau", "x"),
            ("src/A.meta.json", r#"{"attributes":{"a":1},"className":"Part"}"#),
            ("src/A.meta.jsonc", r#"{"attributes":{"b":1}}"#),
            ("src/C/init.luau", "c"),
            ("src/C/C.meta.json", r#"{"attributes":{"a":1},"properties":{"Tags":["t"]}}"#),
            ("src/D/init.server.luau", "d"),
            ("src/D/D.meta.json", r#"{"attributes":{"a":1},"properties":{"Tags":["t"]}}"#),
            ("src/D/init.meta.json", r#"{"attributes":{"b":1}}"#),
            ("src/E/x.luau", "e"),
            ("src/E/E.meta.json", r#"{"attributes":{"a":1}}"#),
        ]],
        built: &[
            "ReplicatedStorage/S Folder",
            "ReplicatedStorage/S/A ModuleScript \"x\" b=",
            "ReplicatedStorage/S/C ModuleScript \"c\" a= #t",
            "ReplicatedStorage/S/D Script \"d\" b= #t",
            "ReplicatedStorage/S/E Folder",
            "ReplicatedStorage/S/E/x ModuleScript \"e\"",
        ],
    },
    Case {
        project: STORAGE,
        steps: &[
            &[
                ("src/A.luau", "x"),
                ("src/A.meta.json", r#"{"attributes":{"a":1},"properties":{"Tags":["t"]}}"#),
                ("src/F/init.meta.json", r#"{"attributes":{"a":1}}"#),
                ("src/F/A.luau", "y"),
                ("src/T/init.meta.json", r#"{"className":"Model","ignoreUnknownInstances":true}"#),
            ],
            &[
                ("src/A.luau", "x"),
                ("src/F/A.luau", "y"),
                ("src/T/init.meta.json", r#"{"ignoreUnknownInstances":true}"#),
            ],
        ],
        built: &[
            "ReplicatedStorage/S Folder",
            "ReplicatedStorage/S/A ModuleScript \"x\"",
            "ReplicatedStorage/S/F Folder",
            "ReplicatedStorage/S/F/A ModuleScript \"y\"",
            "ReplicatedStorage/S/T Folder",
        ],
    },
    Case {
        project: STORAGE,
        steps: &[&[
            ("src/A.json", "{'a': 1, b: [0x10, 1e400], /* c */ \"continue\": 2, \"export\": 3, \"end\": 4,}"),
            ("src/B.json", r#"{"a":1,"a":2}"#),
        ]],
        built: &[
            "ReplicatedStorage/S Folder",
            r#"ReplicatedStorage/S/A ModuleScript "return {\n\ta = 1,\n\tb = {16, \"1e400\"},\n\tcontinue = 2,\n\t[\"end\"] = 4,\n\texport = 3,\n}""#,
            r#"ReplicatedStorage/S/B ModuleScript "return {\n\ta = 2,\n}""#,
        ],
    },
    Case {
        project: STORAGE,
        steps: &[&[
            ("src/D/init.plugin.lua", "lua"),
            ("src/D/init.plugin.luau", "luau"),
            ("src/.luau", "1"),
            ("src/.txt", "2"),
            ("src/.server.luau", "3"),
            ("src/.meta.json", r#"{"attributes":{"a":1}}"#),
            ("src/M.model.json", r#"{"className":"StringValue","attributes":{"y":1}}"#),
            ("src/M.meta.json", r#"{"attributes":{"z":1},"properties":{"Value":"meta"}}"#),
            ("src/N.rbxmx", PART),
            ("src/N.meta.json", r#"{"attributes":{"z":1}}"#),
        ]],
        built: &[
            "ReplicatedStorage/S Folder",
            "ReplicatedStorage/S/ Script \"3\" a=",
            "ReplicatedStorage/S/.luau ModuleScript \"1\"",
            "ReplicatedStorage/S/.txt StringValue \"2\"",
            "ReplicatedStorage/S/D Script \"lua\"",
            "ReplicatedStorage/S/M StringValue y=",
            "ReplicatedStorage/S/N Part",
        ],
    },
];

#[test]
fn folders_become_what_rojo_builds() {
    let program = std::env::var_os("REZKIT_ROJO");
    for case in CASES {
        let last = folder(case.project, case.steps.last().expect("a step"));
        if let Some(program) = &program {
            let mut folder = last.clone();
            folder.entry("src/".to_owned()).or_default();
            assert_eq!(seen(&*build(program, &folder)), case.built, "Rojo");
        }
        let xml = tree(match case.project {
            PLAYER => "StarterPlayer|StarterPlayer\n  StarterPlayerScripts|StarterPlayerScripts",
            _ => "ReplicatedStorage|ReplicatedStorage",
        });
        let options = ConvertOptions::new().fill(rezkit::Fill::Defaults);
        let binary = crate::open(&xml, "a.rbxlx").made_with("a.rbxl", &options).0;
        for bytes in [xml, binary] {
            let mut opened = crate::open(bytes, "place");
            let pack = || PackOptions::new().remove(true);
            for files in case.steps {
                opened.pack(folder(case.project, files), pack()).expect("packed");
            }
            assert_eq!(seen(&*dom(&opened.written())), case.built);
            assert_eq!(opened.pack(last.clone(), pack()).expect("packed").changed, [""; 0]);
        }
    }
}

/// A node of a project that leads to something else, or has another class, is the same instance.
#[test]
fn nodes_become_what_they_lead_to() {
    let program = std::env::var_os("REZKIT_ROJO");
    let folder_of: Files<'_> = &[("q/a.luau", "1")];
    let module: Files<'_> = &[("q.luau", "2")];
    let model: Files<'_> = &[("q.rbxmx", PART)];
    let (to_folder, to_module, to_model) =
        (node!(r#"{"$path":"q"}"#), node!(r#"{"$path":"q.luau"}"#), node!(r#"{"$path":"q.rbxmx"}"#));
    let (part, wedge) = (node!(r#"{"$className":"Part"}"#), node!(r#"{"$className":"WedgePart"}"#));
    let is_folder = ["ReplicatedStorage/Q Folder", "ReplicatedStorage/Q/a ModuleScript \"1\""];
    let is_module = ["ReplicatedStorage/Q ModuleScript \"2\""];
    for ((first, files), (then, new), built) in [
        ((to_folder, folder_of), (to_module, module), &is_module[..]),
        ((to_folder, folder_of), (to_model, model), &["ReplicatedStorage/Q Part"][..]),
        ((to_module, module), (to_folder, folder_of), &is_folder[..]),
        ((to_model, model), (to_folder, folder_of), &is_folder[..]),
        ((part, &[]), (wedge, &[]), &["ReplicatedStorage/Q WedgePart"][..]),
    ] {
        let last = folder(then, new);
        if let Some(program) = &program {
            assert_eq!(seen(&*build(program, &last)), built, "Rojo");
        }
        let xml = tree("ReplicatedStorage|ReplicatedStorage");
        let options = ConvertOptions::new().fill(rezkit::Fill::Defaults);
        let binary = crate::open(&xml, "a.rbxlx").made_with("a.rbxl", &options).0;
        for bytes in [xml, binary] {
            let mut opened = crate::open(bytes, "place");
            let pack = || PackOptions::new().remove(true);
            opened.pack(folder(first, files), pack()).expect("packed");
            opened.pack(last.clone(), pack()).expect("packed");
            assert_eq!(seen(&*dom(&opened.written())), built);
            assert_eq!(opened.pack(last.clone(), pack()).expect("packed").changed, [""; 0]);
        }
    }
}

/// The root of a model is that of the project: its class and its name, too.
#[test]
fn the_root_of_a_model_is_that_of_the_project() {
    let pack = || PackOptions::new().remove(true);
    for [first, then] in [
        [r#""tree":{"$path":"src"}"#, r#""tree":{"$path":"src"}"#],
        [r#""tree":{"$path":"src/K"}"#, r#""tree":{"$path":"src"}"#],
    ] {
        let mut opened = crate::open(tree("Folder|x"), "m.rbxmx");
        let files: Files<'_> =
            &[("src/init.luau", "k"), ("src/x.luau", "1"), ("src/K/init.luau", "k"), ("src/K/x.luau", "1")];
        opened.pack(folder(first, files), pack()).expect("packed");
        let files: Files<'_> = &[("src/x.luau", "1"), ("src/K/init.luau", "k"), ("src/K/x.luau", "1")];
        let last = folder(then, files);
        opened.pack(last.clone(), pack()).expect("packed");
        let document = dom(&opened.written());
        let root = document.roots().next().expect("a root");
        assert_eq!(document.class(root).expect("a class"), "Folder");
        assert_eq!(document.name(root).expect("a name"), "p");
        let expected = ["p/K ModuleScript \"k\"", "p/K/x ModuleScript \"1\"", "p/x ModuleScript \"1\""];
        assert_eq!(seen(&*document), expected);
        assert_eq!(opened.pack(last, pack()).expect("packed").changed, [""; 0]);
    }
}

/// A reference that a model no longer has goes.
#[test]
fn references_go_with_their_model() {
    let model = |value: &str| {
        format!(
            "<roblox version=\"4\"><Item class=\"Folder\" referent=\"a\"><Properties/><Item class=\"ObjectValue\" referent=\"b\">\
             <Properties><string name=\"Name\">V</string>{value}</Properties></Item></Item></roblox>"
        )
    };
    let (with, without) = (model("<Ref name=\"Value\">a</Ref>"), model(""));
    let mut opened = crate::open(tree("ReplicatedStorage|ReplicatedStorage"), "a.rbxlx");
    let target = |opened: &rezkit::Opened<'_>| {
        let document = dom(&opened.written());
        let value = document.find("ReplicatedStorage/S/m/V").and_then(|id| document.value(id, "Value"));
        value.and_then(|value| value.as_instance()).is_some()
    };
    for (text, is_there) in [(&with, true), (&without, false)] {
        let files = folder(STORAGE, &[("src/m.rbxmx", text)]);
        opened.pack(files, PackOptions::new().remove(true)).expect("packed");
        assert_eq!(target(&opened), is_there);
    }
}

/// A project that has scripts of Workspace leaves the scripts of the map alone.
#[test]
fn the_map_keeps_its_scripts() {
    let place = tree(
        "Workspace|Workspace
  Model|Map
    Script|Main|<ProtectedString name=\"Source\">map</ProtectedString>
  Script|Old|<ProtectedString name=\"Source\">old</ProtectedString>",
    );
    let project = r#""tree":{"$className":"DataModel","Workspace":{"$path":"src"}}"#;
    let mut opened = crate::open(place, "a.rbxlx");
    let packed = opened.pack(folder(project, &[("src/a.luau", "1")]), PackOptions::new().remove(true));
    assert_eq!(packed.expect("packed").changed, ["Workspace/a: added", "Workspace/Old: removed"]);
    assert_eq!(opened.text("Workspace/Map/Main.Source"), "\"map\"");
}

/// What the instances of a class do not store yet is stored at once, and files that are no instances are no news.
#[test]
fn the_first_pack_is_the_last() {
    let label = "<roblox version=\"4\"><Item class=\"Frame\" referent=\"a\"><Properties><token name=\"Unheard\">1</token>\
                 </Properties></Item></roblox>";
    let xml = tree("ReplicatedStorage|ReplicatedStorage\n  Frame|F");
    let options = ConvertOptions::new().fill(rezkit::Fill::Defaults);
    let binary = crate::open(&xml, "a.rbxlx").made_with("a.rbxl", &options).0;
    let mut opened = crate::open(binary, "place");
    let files = folder(
        STORAGE,
        &[
            ("src/m.rbxmx", label),
            ("src/README.md", "x"),
            ("src/.luaurc", "{}"),
            ("src/P/default.project.json", r#"{"tree":{"$className":"Folder"}}"#),
            ("src/P/wally.toml", ""),
        ],
    );
    let pack = || PackOptions::new().remove(true);
    let packed = opened.pack(files.clone(), pack()).expect("packed");
    assert!(packed.losses.iter().all(|loss| loss.id == "roblox.filled-value"), "{:?}", packed.losses);
    let document = dom(&opened.written());
    let value = document.find("ReplicatedStorage/S/m").and_then(|id| document.value(id, "Unheard"));
    assert_eq!(value, Some(Value::Enum(1)));
    let again = opened.pack(files, pack()).expect("packed");
    assert_eq!((again.changed, again.losses.len()), (vec![], 0));
}

/// What an instance keeps when it gets another class is not filled in.
#[test]
fn a_class_that_changes_fills_nothing_in() {
    let id = |number: u8| format!("<UniqueId name=\"UniqueId\">{number:032x}</UniqueId>");
    let place = tree(&format!(
        "ReplicatedStorage|ReplicatedStorage
  Folder|S
    ModuleScript|A|<ProtectedString name=\"Source\">return a</ProtectedString>{}
    Script|B|<ProtectedString name=\"Source\">return b</ProtectedString>{}",
        id(1),
        id(2)
    ));
    let options = ConvertOptions::new().fill(rezkit::Fill::Defaults);
    let binary = crate::open(&place, "a.rbxlx").made_with("a.rbxl", &options).0;
    for bytes in [place, binary] {
        let mut opened = crate::open(bytes, "place");
        let files: Files<'_> = &[("src/A.luau", "return a"), ("src/B.luau", "return b")];
        let packed = opened.pack(folder(STORAGE, files), PackOptions::new().remove(true)).expect("packed");
        assert_eq!(packed.losses.iter().map(|loss| loss.path.as_str()).collect::<Vec<_>>(), [""; 0]);
        assert_eq!(packed.changed, ["ReplicatedStorage/S/B: Script becomes ModuleScript"]);
        let document = dom(&opened.written());
        let b = document.find("ReplicatedStorage/S/B").and_then(|id| document.value(id, "UniqueId"));
        let b = b.and_then(|value| value.as_unique_id()).map(|id| (id.random, id.time, id.index));
        assert_eq!(b, Some((0, 0, 2)));
    }
}

/// References to a folder that was renamed follow it; one to what is removed is listed.
#[test]
fn references_follow_renamed_folders() {
    let place = tree(
        "ReplicatedStorage|ReplicatedStorage
  Folder|S
    Folder#F|F
      ModuleScript|M|<ProtectedString name=\"Source\">return m</ProtectedString>
      ModuleScript|P|<ProtectedString name=\"Source\">return p</ProtectedString>
      ModuleScript|Q|<ProtectedString name=\"Source\">return q</ProtectedString>
    Folder|E
      ModuleScript|X|<ProtectedString name=\"Source\">return x</ProtectedString>
Workspace|Workspace
  ObjectValue|O|<Ref name=\"Value\">F</Ref>",
    );
    let pack = |files: Files<'_>| {
        let mut opened = crate::open(&place, "a.rbxlx");
        let packed = opened.pack(folder(STORAGE, files), PackOptions::new().remove(true)).expect("packed");
        let document = dom(&opened.written());
        let value = document.find("Workspace/O").and_then(|id| document.value(id, "Value")?.as_instance());
        (value.map(|id| document.path(id).expect("a path").to_string()), packed)
    };
    let (m, p, q, x) = ("return m", "return p", "return q", "return x");
    let stays = ("src/E/X.luau", x);
    let (target, packed) = pack(&[("src/G/M.luau", m), ("src/G/P.luau", p), ("src/G/Q.luau", q), stays]);
    assert_eq!((target.as_deref(), packed.losses.len()), (Some("ReplicatedStorage/S/G"), 0));
    assert_eq!(packed.changed, ["ReplicatedStorage/S/F: moved to ReplicatedStorage/S/G"]);
    // What moved into a folder that was there says nothing; of two new ones, the folder is the one with most.
    let (target, _) = pack(&[("src/G/M.luau", m), ("src/E/P.luau", p), ("src/E/Q.luau", q), stays]);
    assert_eq!(target.as_deref(), Some("ReplicatedStorage/S/G"));
    let (target, _) = pack(&[("src/G/M.luau", m), ("src/H/P.luau", p), ("src/H/Q.luau", q), stays]);
    assert_eq!(target.as_deref(), Some("ReplicatedStorage/S/H"));
    let (target, _) = pack(&[("src/G/M.luau", m), ("src/H/P.luau", p), ("src/E/Q.luau", q), stays]);
    assert_eq!(target.as_deref(), Some("ReplicatedStorage/S/G"));
    let (target, packed) = pack(&[("src/N.luau", "return n"), stays]);
    let losses: Vec<_> = packed.losses.iter().map(|loss| (loss.path.as_str(), loss.id)).collect();
    assert_eq!((target, losses), (None, vec![("Workspace/O.Value", "roblox.null-reference")]));
}
