//! Selectors: the worked examples of the language, in both forms of a document.

use super::xml::{binary, document, field, item, sized};
use crate::{Ask as _, open};
use rbxcore::InstanceId;
use rezkit::{Document, Selector};

/// The model of the examples, as XML and as a binary document.
fn orchard() -> [Document; 2] {
    let flavor = [&b"\x01\0\0\0\x06\0\0\0Flavor\x06"[..], &4f64.to_le_bytes()].concat();
    let variety = b"\x01\0\0\0\x07\0\0\0Variety\x02\x04\0\0\0Fuji";
    let tree = field("bool", "Anchored", true)
        + &sized([0.0; 3], [4.0, 12.0, 4.0])
        + &field("token", "Material", 1280)
        + &field("Color3uint8", "Color3uint8", 0xff_ff_00_00_u32);
    let first = tree + &binary("Tags", b"Fruit") + &binary("AttributesSerialize", &flavor);
    let second = binary("Tags", b"Fruit\0Old") + &binary("AttributesSerialize", variety);
    let light = |class, name, is_on: bool| item(class, name, &field("bool", "Enabled", is_on), "");
    let lights = light("SpotLight", "Red", false) + &light("PointLight", "Blue", true);
    let source = field("ProtectedString", "Source", "print(game.Players)");
    let children = [
        item("Part", "Tree1", &first, &item("Decal", "Face", "", "")),
        item("MeshPart", "Tree2", &second, ""),
        item("Folder", "Lights", "", &lights),
        item("Script", "Main", &source, ""),
    ];
    let xml = document(&item("Model", "Orchard", "", &children.concat()));
    let binary = open(&xml, "a.rbxmx").made("a.rbxm");
    [open(xml, "a.rbxmx"), open(binary, "a.rbxm")]
        .map(|opened| Document::of(opened.into_content()).expect("a document"))
}

fn query(
    document: &Document,
    from: Option<InstanceId>,
    selector: &Selector,
) -> rbxdocument::Result<Vec<InstanceId>> {
    rezkit::query(&**document, from, selector, &mut rezkit::Budget::new(1 << 30))
}

/// The names of the instances that a selector means, below an instance or in the whole document.
fn found(document: &Document, from: Option<&str>, selector: &str) -> Vec<String> {
    let from = from.map(|path| document.find(path).expect("an instance"));
    let selector: Selector = selector.parse().expect("a selector");
    let ids = query(document, from, &selector).expect("few");
    ids.into_iter().map(|id| document.name(id).expect("a name").to_string()).collect()
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
            // The colours that `set` accepts.
            ("[Color = #ff0000]", "Tree1"),
            ("[Color = 'rgb(255, 0, 0)']", "Tree1"),
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
        assert_eq!(rezkit::Error::from(error).kind(), rezkit::ErrorKind::Argument);
        assert!(text.contains(&format!("column {column}:")) && text.contains(what), "{selector}: {text}");
    }
    assert!(":not(".repeat(50_000).parse::<Selector>().is_err());
}

/// Each selector means the same instances for a slow evaluator, which walks up and down for each instance.
#[test]
fn a_slow_evaluator_finds_the_same() {
    let mut rng = testkit::Rng(7);
    let mut pick = |of: &[&'static str]| of[rng.below(of.len())];
    let simple = "Part|BasePart|Folder|Light|.Fruit|.Old|#Lights|[Enabled = false]|[Anchored = false]";
    let simple: Vec<_> = simple.split('|').collect();
    let mut selectors = Vec::new();
    for _ in 0..200 {
        let (a, b, c) = (pick(&simple), pick(&simple), pick(&simple));
        let (first, second) = (pick(&[">", ">>"]), pick(&[">", ">>"]));
        selectors.push((a, first, b, second, c));
    }
    for document in orchard() {
        let is = |id, simple: &str| {
            let all: Selector = simple.parse().expect("a selector");
            query(&document, None, &all).expect("few").contains(&id)
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
            let slow = document.instances().filter(|&id| {
                is(id, c)
                    && above(id, second)
                        .into_iter()
                        .any(|id| is(id, b) && above(id, first).into_iter().any(|id| is(id, a)))
            });
            let slow: Vec<_> = slow.collect();
            let selector = format!("{a} {first} {b} {second} {c}");
            let parsed: Selector = selector.parse().expect("a selector");
            assert_eq!(query(&document, None, &parsed).expect("few"), slow, "{selector}");
            // The same from the other end: what contains them.
            let selector = format!(":has({first} {b} {second} {c})");
            let parsed: Selector = selector.parse().expect("a selector");
            let holders = document.instances().filter(|&holder| {
                document.descendants(holder).into_iter().any(|id| {
                    is(id, c)
                        && above(id, second)
                            .into_iter()
                            .any(|id| is(id, b) && id != holder && above(id, first).contains(&holder))
                })
            });
            assert_eq!(
                query(&document, None, &parsed).expect("few"),
                holders.collect::<Vec<_>>(),
                "{selector}"
            );
        }
    }
}

/// Several tags in a patch, integers beyond 2^53, texts in tables, and two new values for one asset.
#[test]
fn tags_large_integers_and_texts_are_what_they_are() {
    use super::run::Folder;
    let one = |class: &str, name: &str, properties: &str| document(&item(class, name, properties, ""));
    let tagged = one("Folder", "F", &binary("Tags", "A\0B"));
    let number = one("IntValue", "I", &field("int64", "Value", 9_007_199_254_740_993_i64));
    let text = one("StringValue", "T", &field("string", "Value", "a,\"b\"\n=c\\"));
    let folder = Folder::new(&[
        ("tags.rbxmx", &tagged),
        ("number.rbxmx", &number),
        ("text.rbxmx", &text),
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
