//! Faults of packing that were found in use: what is added, removed and kept, and what real documents need.

use std::collections::BTreeMap;

use rezkit::{ConvertOptions, ExtractOptions, Opened, PackOptions};
use serde_json::json;

use crate::Ask as _;
use crate::xml::{binary, document, field, item, tree};

type Folder = BTreeMap<String, Vec<u8>>;

fn folder(files: &[(&str, &str)]) -> Folder {
    files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
}

/// Packs with `--remove`; returns the changes and the losses.
#[track_caller]
fn pack(opened: &mut Opened<'_>, files: &Folder) -> (Vec<String>, Vec<String>) {
    let packed = opened.pack(files.clone(), PackOptions::new().remove(true)).expect("packed");
    (packed.changed, crate::texts(&packed.losses))
}

fn extract(bytes: &[u8], options: &ExtractOptions) -> Folder {
    let files = crate::open(bytes, "place").extract(options).expect("extracted").files;
    files.into_iter().map(|file| (file.path().to_owned(), file.bytes)).collect()
}

/// A document of both forms.
fn both(xml: &[u8]) -> [Vec<u8>; 2] {
    let options = ConvertOptions::new().fill(rezkit::Fill::Defaults);
    [xml.to_vec(), crate::open(xml, "a.rbxlx").made_with("a.rbxl", &options).0]
}

fn shared(path: &str) -> String {
    json!({ "name": "p", "tree": { "$className": "DataModel", "ReplicatedStorage": { "Shared": { "$path": path } } } })
        .to_string()
}

const STORAGE: &str = "ReplicatedStorage|ReplicatedStorage";

/// Only what a project names is packed, also if its folders look like those of `extract`.
#[test]
fn nothing_outside_of_paths_is_packed() {
    let files = folder(&[
        ("default.project.json", &shared("src/Shared")),
        ("src/Shared/A.luau", "return 1"),
        ("src/tests/T.luau", "return 2"),
        ("src/ServerScriptService/S.server.luau", "return 3"),
        ("src/loose.luau", "return 4"),
        ("src/.vscode/settings.json", "{}"),
    ]);
    let mut opened = crate::open(tree(STORAGE), "a.rbxlx");
    assert_eq!(pack(&mut opened, &files), (vec!["ReplicatedStorage/Shared/A: added".into()], vec![]));
}

/// Siblings of one name keep their values, also in a second pack and after one of them is gone.
#[test]
fn siblings_of_one_name_stay_apart() {
    let part = |transparency: f64, below: &[&str]| {
        let children: Vec<_> =
            below.iter().map(|name| json!({ "className": "Script", "name": name })).collect();
        json!({ "className": "Part", "name": "P", "properties": { "Transparency": transparency }, "children": children })
    };
    let model = |parts: &[serde_json::Value]| json!({ "className": "Model", "children": parts }).to_string();
    let all = [part(0.25, &[]), part(0.5, &[]), part(0.75, &["S"]), part(0.125, &[])];
    let files = |parts: &[serde_json::Value]| {
        folder(&[("default.project.json", &shared("src")), ("src/M.model.json", &model(parts))])
    };
    for bytes in both(&tree(STORAGE)) {
        let mut opened = crate::open(bytes, "place");
        pack(&mut opened, &files(&all));
        assert_eq!(pack(&mut opened, &files(&all)).0, [""; 0]);
        let found = |opened: &Opened<'_>| {
            let path =
                |at: usize| format!("ReplicatedStorage/Shared/M/P[{at}].Transparency").replace("[0]", "");
            (0..4).map(|at| opened.text(&path(at))).take_while(|text| !text.contains(' ')).collect::<Vec<_>>()
        };
        assert_eq!(found(&opened), ["0.25", "0.5", "0.75", "0.125"]);
        let left = [all[0].clone(), all[2].clone(), all[3].clone()];
        assert_eq!(pack(&mut opened, &files(&left)).0, ["ReplicatedStorage/Shared/M/P[1]: removed"]);
        assert_eq!(pack(&mut opened, &files(&left)).0, [""; 0]);
        assert_eq!(found(&opened), ["0.25", "0.75", "0.125"]);
        // A new one between the others.
        let more = [all[0].clone(), part(1.0, &[]), all[2].clone(), all[3].clone()];
        pack(&mut opened, &files(&more));
        assert_eq!(pack(&mut opened, &files(&more)).0, [""; 0]);
        assert_eq!(found(&opened), ["0.25", "1", "0.75", "0.125"]);
    }
}

/// What the folder no longer has is removed, of every kind; without the option, it is listed.
#[test]
fn leftovers_of_every_kind_are_removed() {
    let mut files = folder(&[
        ("default.project.json", &shared("src")),
        ("src/A.luau", "return 1"),
        ("src/Box.model.json", r#"{"className":"Folder","children":[{"name":"In","className":"Part"}]}"#),
        ("src/Data.json", "{\"a\":1}"),
        ("src/Note.txt", "hello"),
        ("src/Words.csv", "Key,Source,en\nAck,Ack!,Ack!\n"),
        ("src/Deep/er/B.luau", "return 2"),
    ]);
    files.insert("src/Rock.rbxmx".into(), tree("Model|Rock\n  Part|Stone"));
    for bytes in both(&tree(&format!("{STORAGE}\n  RemoteEvent|Ev"))) {
        let mut opened = crate::open(bytes, "place");
        pack(&mut opened, &files);
        let only = folder(&[("default.project.json", &shared("src")), ("src/A.luau", "return 1")]);
        let kept = opened.pack(only.clone(), PackOptions::new()).expect("packed");
        assert_eq!((kept.changed.len(), kept.losses.len()), (0, 6), "{kept:?}");
        let (mut changed, losses) = pack(&mut opened, &only);
        changed.sort();
        let below = [" (with 1 below it)", "", " (with 2 below it)", "", " (with 1 below it)", ""];
        let names = ["Box", "Data", "Deep", "Note", "Rock", "Words"].into_iter().zip(below);
        let expected: Vec<_> =
            names.map(|(name, below)| format!("ReplicatedStorage/Shared/{name}: removed{below}")).collect();
        assert_eq!((changed, losses), (expected, vec![]));
        assert_eq!(opened.class("ReplicatedStorage/Ev"), "RemoteEvent");
    }
}

/// A folder becomes a script and a script a folder, with what is in it, and a script moves into a folder of its name.
#[test]
fn folders_become_scripts_and_back() {
    let project = shared("src");
    let step = |files: &[(&str, &str)]| folder(&[&[("default.project.json", &*project)], files].concat());
    for bytes in both(&tree(STORAGE)) {
        let mut opened = crate::open(bytes, "place");
        let class =
            |opened: &Opened<'_>, path: &str| opened.class(&format!("ReplicatedStorage/Shared/{path}"));
        pack(&mut opened, &step(&[("src/Lib/A.luau", "return 1")]));
        let files = step(&[("src/Lib/A.luau", "return 1"), ("src/Lib/init.luau", "return 2")]);
        let changed = pack(&mut opened, &files).0;
        assert_eq!(changed, ["ReplicatedStorage/Shared/Lib: Folder becomes ModuleScript"]);
        assert_eq!(class(&opened, "Lib/A"), "ModuleScript");
        let changed = pack(&mut opened, &step(&[("src/Lib/A.luau", "return 1")])).0;
        assert_eq!(changed, ["ReplicatedStorage/Shared/Lib: ModuleScript becomes Folder"]);
        let changed = pack(&mut opened, &step(&[("src/A/A.luau", "return 1")])).0;
        assert_eq!(changed, ["ReplicatedStorage/Shared/Lib: moved to ReplicatedStorage/Shared/A"]);
        let changed = pack(&mut opened, &step(&[("src/A.luau", "return 1")])).0;
        let expected = [
            "ReplicatedStorage/Shared/A/A: moved to ReplicatedStorage/Shared/A",
            "ReplicatedStorage/Shared/A: removed",
        ];
        assert_eq!(changed, expected);
        pack(&mut opened, &step(&[("src/A/A.luau", "return 1")]));
        assert_eq!((class(&opened, "A"), class(&opened, "A/A")), ("Folder".into(), "ModuleScript".into()));
    }
}

/// Unedited files of old documents change nothing: colours and items under other names and types.
#[test]
fn old_values_stay() {
    let color = "<Color3 name=\"Color\"><R>0.627451</R><G>0.3</G><B>0.1</B></Color3>";
    let text = document(&item(
        "Model",
        "M",
        "",
        &(item("Part", "P", color, "") + &item("UIStroke", "U", &field("int", "ApplyStrokeMode", 1), "")),
    ));
    let files = extract(&text, &ExtractOptions::new().models("rbxm"));
    let mut opened = crate::open(&text, "old.rbxmx");
    assert_eq!(pack(&mut opened, &files), (vec![], vec![]));
    assert!(opened.written() == text);
}

/// A property that the class no longer has is written with the type that its meta file states.
#[test]
fn dropped_properties_are_packed_with_their_types() {
    let source = field("ProtectedString", "Source", "return 1");
    let old = field("bool", "FilteringEnabled", true);
    let text = document(&item("Workspace", "Workspace", &old, &item("Script", "S", &source, "")));
    let files = extract(&text, &ExtractOptions::new());
    for bytes in both(&tree("Workspace|Workspace")) {
        let mut opened = crate::open(bytes, "place");
        let (changed, losses) = pack(&mut opened, &files);
        assert_eq!(
            (changed, losses),
            (vec!["Workspace.FilteringEnabled".into(), "Workspace/S: added".into()], vec![])
        );
        assert_eq!(opened.text("Workspace.FilteringEnabled"), "true");
    }
}

/// New scripts have their sources at once: nothing is filled in.
#[test]
fn sources_are_not_filled_in() {
    let files = folder(&[
        ("default.project.json", r#"{"name":"lib","tree":{"$path":"src"}}"#),
        ("src/A.luau", "return 1"),
        ("src/B.luau", "return 2"),
    ]);
    for bytes in both(&tree("")) {
        let mut opened = crate::open(bytes, "model");
        assert_eq!(pack(&mut opened, &files), (vec!["lib/A: added".into(), "lib/B: added".into()], vec![]));
    }
}

/// The grid of terrain is packed, also into a place without terrain.
#[test]
fn terrain_is_packed() {
    let grid = testkit::fixture("rbxblobs", "terrain.bin");
    let source = field("ProtectedString", "Source", "return 1");
    let terrain = item("Terrain", "Terrain", &binary("SmoothGrid", &grid), "");
    let text = document(&item("Workspace", "Workspace", "", &(terrain + &item("Script", "S", &source, ""))));
    let mut files = extract(&text, &ExtractOptions::new());
    for bytes in both(&tree("Workspace|Workspace")) {
        let mut opened = crate::open(bytes, "place");
        let (changed, losses) = pack(&mut opened, &files);
        assert_eq!((changed.len(), losses), (2, vec![]), "{changed:?}");
        assert_eq!(extract(&opened.written(), &ExtractOptions::new()), files);
    }
    files.insert("terrain/Workspace_Terrain.SmoothGrid.bin".into(), Vec::new());
    let mut opened = crate::open(&text, "place.rbxlx");
    assert_eq!(pack(&mut opened, &files).0, ["Workspace/Terrain.SmoothGrid"]);
}

/// A failing pack changes nothing, although the file that is wrong comes after others.
#[test]
fn a_failing_pack_changes_nothing() {
    let files = folder(&[
        ("default.project.json", &shared("src")),
        ("src/A.luau", "return 1"),
        ("src/Z.luau", "return 1"),
        ("src/Z.meta.json", r#"{"properties":{"Nope":1}}"#),
    ]);
    let text = tree(STORAGE);
    let mut opened = crate::open(&text, "place.rbxlx");
    let error = opened.pack(files, PackOptions::new()).expect_err("no such property");
    assert_eq!((error.path(), opened.written()), ("src/Z.meta.json", text));
    for path in [json!(5), json!(["src"]), json!({ "optional": 5 })] {
        let project = json!({ "tree": { "$className": "Folder", "K": { "$path": path } } }).to_string();
        let error = crate::open(tree("Folder|F"), "m.rbxmx")
            .pack(folder(&[("default.project.json", &project)]), PackOptions::new());
        assert!(error.expect_err("no path").to_string().contains("K.$path"), "{path}");
    }
}

/// TOML and JSON count before they are parsed.
#[test]
fn data_counts_before_it_is_parsed() {
    let toml = "[[a]]\nc=1\n".repeat(100_000);
    let meta = format!("{{\"attributes\":{{{}\"z\":1}}}}", "\"a\":{\"Vector3\":[1,2,3]},".repeat(60_000));
    for (name, text) in [("src/a.toml", &toml), ("src/b.meta.json", &meta)] {
        let mut files = folder(&[("default.project.json", &shared("src")), ("src/b.luau", "return 1")]);
        files.insert(name.into(), text.clone().into_bytes());
        let options = rezkit::ReadOptions::new().max_bytes(16 << 20);
        let mut opened = options.open(tree(STORAGE), "place.rbxlx", ()).expect("opened");
        let error = opened.pack(files, PackOptions::new()).expect_err("too much");
        assert_eq!(error.kind(), rezkit::ErrorKind::Limit);
        assert!(error.to_string().contains(name), "{error}");
    }
}

/// Rojo 7.7.1 builds these sources of YAML, and reads one init file of several.
#[test]
fn files_are_read_as_rojo_reads_them() {
    let yaml = "a: 1\nb: 0x10\nc: yes\ne: !!str 5\nf: .inf\ng: .nan\nj: |\n  block\n1: num\ntrue: key\nk: &a [1,2]\nl: *a\nm: 12345678901234567890\no: 1.50\n? [c]\n: d\n";
    let source = "return {\n\ta = 1,\n\tb = 16,\n\tc = \"yes\",\n\te = \"5\",\n\tf = math.huge,\n\tg = 0/0,\n\tj = \"block\\n\",\n\t[1] = \"num\",\n\t[true] = \"key\",\n\tk = {1, 2},\n\tl = {1, 2},\n\tm = 12345678901234567000,\n\to = 1.5,\n\t[{\"c\"}] = \"d\",\n}";
    let files = folder(&[
        (
            "default.project.json",
            r#"{"name":"p","tree":{"$path":"src","X":{"$path":"x"},"M":{"$path":"m.luau","$properties":{"Source":"project"}}}}"#,
        ),
        ("src/y.yml", yaml),
        ("src/i/init.lua", "lua"),
        ("src/i/init.luau", "luau"),
        ("src/i/init.server.luau", "server"),
        ("src/X/A.luau", "a"),
        ("x/B.luau", "b"),
        ("src/l.local.lua", "l"),
        ("m.luau", "text"),
        ("src/T.luau", "text"),
        ("src/T.meta.json", r#"{"properties":{"Source":"meta"}}"#),
    ]);
    let mut opened = crate::open(tree(""), "m.rbxmx");
    let losses = pack(&mut opened, &files).1;
    assert!(losses.len() == 2 && losses.iter().all(|loss| loss.contains("is not used")), "{losses:?}");
    let document = rbxxml::from_slice(&opened.written()).expect("XML");
    let source_of = |path: &str| {
        let value = document.find(path).and_then(|id| document.get(id, "Source"));
        String::from_utf8_lossy(value.and_then(|value| value.as_bytes()).unwrap_or_default()).into_owned()
    };
    let expected = [
        ("p/y", source),
        ("p/i", "luau"),
        ("p/X/B", "b"),
        ("p/X[1]/A", "a"),
        ("p/l.local", "l"),
        ("p/M", "project"),
        ("p/T", "meta"),
    ];
    for (path, source) in expected {
        assert_eq!(source_of(path), source, "{path}");
    }
    assert_eq!(opened.class("p/l.local"), "ModuleScript");
    // Aliases of aliases would be gigabytes.
    let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for at in 1..12 {
        let aliases = vec![format!("*a{}", at - 1); 10].join(",");
        bomb += &format!("a{at}: &a{at} [{aliases}]\n");
    }
    let files = folder(&[("default.project.json", &shared("src")), ("src/b.yml", &bomb)]);
    let error =
        crate::open(tree(STORAGE), "place.rbxlx").pack(files, PackOptions::new()).expect_err("too much");
    assert_eq!(error.path(), "src/b.yml");
}

/// What `extract` writes of real documents can be packed into new ones of both forms, and packing again changes nothing.
/// `REZKIT_REAL` is how many are tried.
#[test]
fn real_documents_fill_new_ones() {
    let count = std::env::var("REZKIT_REAL").map_or(6, |text| text.parse().expect("a number"));
    let mut samples = testkit::corpus("rbxbinary");
    samples.extend(testkit::corpus("rbxxml"));
    samples.sort_by_key(|sample| sample.bytes.len());
    for testkit::Sample { name, bytes, .. } in samples.into_iter().take(count) {
        for models in [None, Some("rbxm"), Some("rbxmx")] {
            let options = models.map_or_else(ExtractOptions::new, |form| ExtractOptions::new().models(form));
            let Ok(extracted) = crate::open(&bytes, &name).extract(&options.allow_loss(true)) else {
                continue;
            };
            let files: Folder =
                extracted.files.into_iter().map(|file| (file.path().to_owned(), file.bytes)).collect();
            if !files.contains_key("default.project.json") {
                continue;
            }
            for new in both(&tree("")) {
                let place = format!("{name}, models {models:?}");
                let start = std::time::Instant::now();
                let mut opened = crate::open(new, "new");
                let packed = opened.pack(files.clone(), PackOptions::new().remove(true));
                let packed = packed.unwrap_or_else(|error| panic!("{place}: {error}"));
                let first = start.elapsed().as_secs_f64();
                let again = pack(&mut opened, &files).0;
                if count > 20 {
                    let (files, changed) = (files.len(), packed.changed.len());
                    println!(
                        "{place}: {files} files, {changed} changes, {first:.2} s, again {:.2} s",
                        start.elapsed().as_secs_f64() - first
                    );
                }
                assert_eq!(again, [""; 0], "{place}");
            }
        }
    }
}

/// The attributes by which references lead from one model file to another do not stay in the document, the references do.
#[test]
fn attributes_of_references_do_not_stay() {
    let place = "<roblox version=\"4\"><Item class=\"Folder\" referent=\"F\"><Properties><string name=\"Name\">F</string>\
                 </Properties></Item><Item class=\"ObjectValue\" referent=\"V\"><Properties><string name=\"Name\">V</string>\
                 <Ref name=\"Value\">F</Ref></Properties></Item></roblox>";
    let files = extract(place.as_bytes(), &ExtractOptions::new().models("rbxm"));
    for form in ["a.rbxm", "a.rbxmx"] {
        let mut opened = crate::open(crate::xml::document(""), "a.rbxmx");
        if form == "a.rbxm" {
            opened = crate::open(opened.made_with("a.rbxm", &ConvertOptions::new()).0, form);
        }
        for _ in 0..2 {
            pack(&mut opened, &files);
            assert_eq!(opened.text("V.Value"), "F", "{form}");
            for path in ["F", "V"] {
                let attributes =
                    opened.get(&format!("{path}.Attributes")).map(|value| value.to_json().to_string());
                assert!(!attributes.unwrap_or_default().contains("Rojo"), "{form}");
                let bytes = opened.to_vec().expect("bytes");
                assert!(!String::from_utf8_lossy(&bytes).contains("Rojo"), "{form}");
            }
        }
    }
}

/// One step of a developer after another, below a node of a project that keeps what it does not name, and what Rojo 7.7.1
/// builds of the last one: an instance of the new class in the place of the old one, the values of meta files.
#[test]
fn steps_below_a_node_that_keeps_others() {
    let project =
        r#"{"name":"P","tree":{"$className":"DataModel","ReplicatedStorage":{"S":{"$path":"src"}}}}"#;
    let legacy = r#"{"name":"P","emitLegacyScripts":false,"tree":{"$className":"DataModel","ReplicatedStorage":{"S":{"$path":"src"}}}}"#;
    let ignored = r#"{"name":"P","globIgnorePaths":["**/*.spec.luau","!**/b.spec.luau"],"tree":{"$className":"DataModel","ReplicatedStorage":{"S":{"$path":"src"}}}}"#;
    let meta = |class: &str| format!(r#"{{"className":"{class}"}}"#);
    let (group, settings) = (meta("Model"), meta("Configuration"));
    type Files<'a> = &'a [(&'a str, &'a str)];
    let m = ("src/M.luau", "return 1");
    let steps: [(&str, Files<'_>, &str, Files<'_>, &str); 8] = [
        (project, &[("src/init.server.luau", "x"), m], project, &[m], "Folder S, ModuleScript M"),
        (
            project,
            &[("src/init.meta.json", &group), m],
            project,
            &[("src/init.meta.json", &settings), m],
            "Configuration S, ModuleScript M",
        ),
        (
            project,
            &[("src/init.meta.json", &group), m],
            project,
            &[("src/init.luau", "x"), m],
            "ModuleScript S, ModuleScript M",
        ),
        (
            project,
            &[("src/init.meta.json", r#"{"ignoreUnknownInstances":true}"#), m],
            project,
            &[
                ("src/init.meta.json", r#"{"ignoreUnknownInstances":true}"#),
                ("src/M.server.luau", "return 1"),
            ],
            "Folder S, Script M",
        ),
        (legacy, &[("src/M.server.luau", "x")], project, &[("src/M.server.luau", "x")], "Folder S, Script M"),
        (
            ignored,
            &[("src/a.spec.luau", "x"), ("src/b.spec.luau", "x")],
            ignored,
            &[("src/a.spec.luau", "x"), ("src/b.spec.luau", "x")],
            "Folder S, ModuleScript b.spec",
        ),
        (
            project,
            &[],
            project,
            &[("src/M.luau", "x"), ("src/M.meta.json", r#"{"properties":{"Source":"meta"}}"#)],
            "Folder S, ModuleScript M",
        ),
        (
            project,
            &[],
            project,
            &[("src/M.server.luau", "x"), ("src/M.meta.json", r#"{"properties":{"Enabled":false}}"#)],
            "Folder S, Script M",
        ),
    ];
    for (first, files, last, new, wanted) in steps {
        let given =
            |project, files: Files<'_>| folder(&[&[("default.project.json", project)], files].concat());
        for bytes in both(&tree("ReplicatedStorage|ReplicatedStorage")) {
            let mut opened = crate::open(bytes, "place");
            pack(&mut opened, &given(first, files));
            pack(&mut opened, &given(last, new));
            let (changed, _) = pack(&mut opened, &given(last, new));
            assert_eq!(changed, Vec::<String>::new(), "{new:?}");
            let paths = [
                "ReplicatedStorage/S",
                "ReplicatedStorage/S/M",
                "ReplicatedStorage/S/b.spec",
                "ReplicatedStorage/S/a.spec",
            ];
            let mut found = Vec::new();
            for path in paths.into_iter().filter(|path| opened.get(&format!("{path}.Name")).is_ok()) {
                found.push(format!("{} {}", opened.class(path), path.rsplit('/').next().unwrap_or_default()));
            }
            assert_eq!(found.join(", "), wanted, "{new:?}");
            for more in ["ReplicatedStorage/S[1]", "ReplicatedStorage/S/M[1]"] {
                assert!(opened.get(&format!("{more}.Name")).is_err(), "{more}: {new:?}");
            }
            let script = "ReplicatedStorage/S/M";
            if new.iter().any(|(_, text)| text.contains("meta\"")) {
                assert_eq!(opened.text(&format!("{script}.Source")), "\"meta\"");
            }
            if new.iter().any(|(_, text)| text.contains("Enabled")) {
                assert_eq!(opened.text(&format!("{script}.Disabled")), "true");
            }
            if first == legacy {
                assert_eq!(opened.text(&format!("{script}.RunContext")), "Legacy");
            }
        }
    }
}
