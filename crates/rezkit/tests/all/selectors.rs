//! Selectors: the worked examples of the language, in both forms of a document.

use base64::Engine as _;
use rezkit::{ConvertOptions, Document, Selector};

fn item(class: &str, name: &str, properties: &str, children: &str) -> String {
    format!(
        "<Item class=\"{class}\" referent=\"{name}\"><Properties><string name=\"Name\">{name}</string>{properties}\
         </Properties>{children}</Item>"
    )
}

fn bytes(name: &str, bytes: &[u8]) -> String {
    let text = base64::prelude::BASE64_STANDARD.encode(bytes);
    format!("<BinaryString name=\"{name}\">{text}</BinaryString>")
}

/// The model of the examples, as XML and as a binary document.
fn orchard() -> [Document; 2] {
    let flavor = [&b"\x01\0\0\0\x06\0\0\0Flavor\x06"[..], &4f64.to_le_bytes()].concat();
    let variety = b"\x01\0\0\0\x07\0\0\0Variety\x02\x04\0\0\0Fuji";
    let tree = "<bool name=\"Anchored\">true</bool><Vector3 name=\"size\"><X>4</X><Y>12</Y><Z>4</Z></Vector3>\
                <token name=\"Material\">1280</token><Color3uint8 name=\"Color3uint8\">4294901760</Color3uint8>";
    let children = [
        item(
            "Part",
            "Tree1",
            &[tree, &bytes("Tags", b"Fruit"), &bytes("AttributesSerialize", &flavor)].concat(),
            &item("Decal", "Face", "", ""),
        ),
        item(
            "MeshPart",
            "Tree2",
            &[bytes("Tags", b"Fruit\0Old"), bytes("AttributesSerialize", variety)].concat(),
            "",
        ),
        item(
            "Folder",
            "Lights",
            "",
            &[
                item("SpotLight", "Red", "<bool name=\"Enabled\">false</bool>", ""),
                item("PointLight", "Blue", "<bool name=\"Enabled\">true</bool>", ""),
            ]
            .concat(),
        ),
        item("Script", "Main", "<ProtectedString name=\"Source\">print(game.Players)</ProtectedString>", ""),
    ];
    let xml = format!("<roblox version=\"4\">{}</roblox>", item("Model", "Orchard", "", &children.concat()));
    let open = |bytes: Vec<u8>, name: &str| rezkit::open(bytes, name, ()).expect("a document");
    let binary =
        open(xml.clone().into_bytes(), "a.rbxmx").convert(Some("rbxm"), "a.rbxm", &ConvertOptions::new());
    let binary = binary.expect("converted").files.remove(0).bytes;
    [open(xml.into_bytes(), "a.rbxmx"), open(binary, "a.rbxm")]
        .map(|opened| Document::of(opened.into_asset()).expect("a document"))
}

/// The names of the instances that a selector means, below an instance or in the whole document.
fn found(document: &Document, from: Option<&str>, selector: &str) -> Vec<String> {
    let from = from.map(|path| document.find(None, path).expect("an instance"));
    let selector: Selector = selector.parse().expect("a selector");
    let ids = document.query(from, &selector, 1 << 30).expect("few");
    ids.into_iter().map(|id| document.name(id).expect("a name").into_owned()).collect()
}

#[test]
fn the_examples_of_the_language() {
    for document in orchard() {
        for (selector, names) in [
            ("BasePart", "Tree1 Tree2"),
            // A MeshPart is a BasePart, not a Part.
            ("Part", "Tree1"),
            (".Fruit:not(.Old)", "Tree1"),
            // The superclass of both.
            ("#Lights > Light", "Red Blue"),
            ("Folder >> [Enabled = false]", "Red"),
            ("[$Flavor = 4]", "Tree1"),
            (":has(> Decal)", "Tree1"),
            ("Model:has(SpotLight)", "Orchard"),
            // Each once, in the order of the document.
            ("Part, MeshPart, .Fruit", "Tree1 Tree2"),
            ("MeshPart, Part", "Tree1 Tree2"),
            ("LuaSourceContainer[Source *= Players]", "Main"),
            // It is an attribute.
            ("[Flavor = 4]", ""),
            ("[$Variety = Fuji]", "Tree2"),
            ("BasePart:not([$Flavor])", "Tree2"),
            (":not(Model > .Fruit, Model, Light)", "Face Lights Main"),
            (":has(> :not(SpotLight, PointLight, Decal))", "Orchard"),
            ("Model:has(> Folder > SpotLight)", "Orchard"),
            ("Model:has(> SpotLight)", ""),
            ("> Model", "Orchard"),
            ("> Part", ""),
            // Defaults of the classes: MeshPart.Anchored, Light.Enabled.
            ("BasePart[Anchored = false]", "Tree2"),
            ("BasePart[Anchored != true]", "Tree2"),
            ("[Size.Y > 10]", "Tree1"),
            ("[size.Y >= 12]", "Tree1"),
            ("BasePart[Size.Y<12]", "Tree2"),
            ("BasePart[Material = Grass]", "Tree1"),
            ("BasePart[Material = 1280]", "Tree1"),
            ("BasePart[Material = \"Enum.Material.Grass\"]", "Tree1"),
            ("[Color = \"255, 0, 0\"]", "Tree1"),
            ("[Color.R = 1][Color.G = 0]", "Tree1"),
            ("[Name ^= Tree]", "Tree1 Tree2"),
            ("[Name $= 2]", "Tree2"),
            ("[ClassName = Decal]", "Face"),
            ("#\"Tree1\"", "Tree1"),
        ] {
            assert_eq!(found(&document, None, selector).join(" "), names, "{selector}");
        }
        assert_eq!(found(&document, Some("Orchard"), "> Part"), ["Tree1"]);
        assert!(found(&document, Some("Orchard/Lights"), "Part").is_empty());
    }
}

/// Errors name the column and what was expected there.
#[test]
fn wrong_selectors() {
    for (selector, column, what) in [
        ("Model Part", 7, "a combinator"),
        ("Part:Hover", 5, "running user interface"),
        ("Frame::UICorner", 6, "running user interface"),
        ("Part[", 6, "the name of a property"),
        ("Part[Name", 10, "an operator"),
        ("Part[Name = ", 13, "a value"),
        ("Part[Name = 'a", 13, "a closing quotation mark"),
        ("Part >", 7, "a class"),
        ("Part,", 6, "a class"),
        (":not(Part", 10, "`)`"),
        ("Part)", 5, "the end"),
        ("", 1, "a class"),
    ] {
        let error = selector.parse::<Selector>().expect_err(selector);
        let text = error.to_string();
        assert_eq!(error.kind(), rezkit::ErrorKind::Argument);
        assert!(text.contains(&format!("column {column}:")) && text.contains(what), "{selector}: {text}");
    }
    assert!(":not(".repeat(50_000).parse::<Selector>().is_err());
}

/// Each selector means the same instances for a slow evaluator, which walks up and down for each instance.
#[test]
fn a_slow_evaluator_finds_the_same() {
    let mut rng = testkit::Rng(7);
    let mut pick = |of: &[&'static str]| of[rng.below(of.len())];
    let simple = [
        "Part",
        "BasePart",
        "Folder",
        "Light",
        ".Fruit",
        ".Old",
        "#Lights",
        "[Enabled = false]",
        "[Anchored = false]",
    ];
    let mut selectors = Vec::new();
    for _ in 0..200 {
        let (a, b, c) = (pick(&simple), pick(&simple), pick(&simple));
        let (first, second) = (pick(&[">", ">>"]), pick(&[">", ">>"]));
        selectors.push((a, first, b, second, c));
    }
    for document in orchard() {
        let is = |id, simple: &str| {
            let all: Selector = simple.parse().expect("a selector");
            document.query(None, &all, 1 << 30).expect("few").contains(&id)
        };
        let above = |id, combinator: &str| {
            let mut all = Vec::new();
            let mut at = document.parent(id);
            while let Some(id) = at {
                all.push(id);
                at = if combinator == ">" { None } else { document.parent(id) };
            }
            all
        };
        for (a, first, b, second, c) in &selectors {
            let slow = document.instances().into_iter().filter(|&id| {
                is(id, c)
                    && above(id, second)
                        .into_iter()
                        .any(|id| is(id, b) && above(id, first).into_iter().any(|id| is(id, a)))
            });
            let slow: Vec<_> = slow.collect();
            let selector = format!("{a} {first} {b} {second} {c}");
            let parsed: Selector = selector.parse().expect("a selector");
            assert_eq!(document.query(None, &parsed, 1 << 30).expect("few"), slow, "{selector}");
            // The same from the other end: what contains them.
            let selector = format!(":has({first} {b} {second} {c})");
            let parsed: Selector = selector.parse().expect("a selector");
            let holders = document.instances().into_iter().filter(|&holder| {
                document.descendants(holder).into_iter().any(|id| {
                    is(id, c)
                        && above(id, second)
                            .into_iter()
                            .any(|id| is(id, b) && id != holder && above(id, first).contains(&holder))
                })
            });
            assert_eq!(
                document.query(None, &parsed, 1 << 30).expect("few"),
                holders.collect::<Vec<_>>(),
                "{selector}"
            );
        }
    }
}

/// Several tags in a patch, integers beyond 2^53, texts in tables, and two new values for one asset.
#[cfg(feature = "cli")]
#[test]
fn tags_large_integers_and_texts_are_what_they_are() {
    use super::run::Folder;
    let item = |class: &str, properties: &str| {
        format!(
            "<roblox version=\"4\"><Item class=\"{class}\" referent=\"R\"><Properties>{properties}</Properties></Item></roblox>"
        )
    };
    let tagged =
        item("Folder", "<BinaryString name=\"Tags\">QQBC</BinaryString><string name=\"Name\">F</string>");
    let number =
        item("IntValue", "<string name=\"Name\">I</string><int64 name=\"Value\">9007199254740993</int64>");
    let text =
        item("StringValue", "<string name=\"Name\">T</string><string name=\"Value\">a,\"b\"\n=c\\</string>");
    let folder = Folder::new(&[
        ("tags.rbxmx", tagged.as_bytes()),
        ("number.rbxmx", number.as_bytes()),
        ("text.rbxmx", text.as_bytes()),
        ("map.csv", b"123,4\n123,5\n"),
    ]);
    folder.ok("set tags.rbxmx F.Tags +C -o more.rbxmx");
    let patch = folder.run("diff --json tags.rbxmx more.rbxmx").out;
    let ran = folder.piped("edit tags.rbxmx -o patched.rbxmx", &patch);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert_eq!(folder.read("patched.rbxmx"), folder.read("more.rbxmx"));
    assert!(String::from_utf8_lossy(&folder.read("patched.rbxmx")).contains("QQBCAEM="));
    folder.fails("find number.rbxmx [Value=9007199254740992]", 1);
    assert_eq!(folder.ok("find number.rbxmx [Value>9007199254740992]"), "I\n");
    // A cell has line breaks; other control characters are escaped.
    let table = folder.ok("find text.rbxmx StringValue --csv --get Name --get Value");
    assert!(table.ends_with("text.rbxmx,T,StringValue,T,\"a,\"\"b\"\"\n=c\\\"\n"), "{table}");
    folder.fails("assets text.rbxmx --replace map.csv", 2);
}
