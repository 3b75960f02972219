//! Common operations on documents: find, change, move, copy, merge, check.

use rbxxml::edit::EditOptions;
use rbxxml::errors::{ErrorKind, Finding, Severity};
use rbxxml::geom::Vec3;
use rbxxml::types::{BrickColor, Content};
use rbxxml::{Document, InstanceId, NewInstance, Value};

/// A document with a Workspace, which contains a model with a part, and Lighting.
fn place() -> (Document, [InstanceId; 4]) {
    place_of("Part")
}

/// The same with an instance of this class in place of the part.
fn place_of(class: &str) -> (Document, [InstanceId; 4]) {
    let named = |class: &str, name: &str| NewInstance::new(class).property("Name", name);
    let mut document = Document::new();
    let model =
        named("Model", "a/b").child(named(class, "Part").label("part")).reference("PrimaryPart", "part");
    let workspace =
        document.insert(None, named("Workspace", "Workspace").service(true).child(model)).unwrap();
    let lighting = document.insert(None, named("Lighting", "Lighting")).unwrap();
    let model = document.children(workspace).next().unwrap();
    let part = document.children(model).next().unwrap();
    (document, [workspace, model, part, lighting])
}

/// Writes a document and reads it again, which must give an equal document; returns the text.
fn survives(document: &Document) -> String {
    let text = rbxxml::to_string(document).unwrap();
    assert!(rbxxml::from_str(&text).unwrap() == *document, "{text}");
    text
}

/// Checks that an edit is refused and changes nothing; returns the error.
fn refused<T: std::fmt::Debug>(
    document: &mut Document,
    edit: impl FnOnce(&mut Document) -> rbxxml::Result<T>,
) -> String {
    let written = |document: &Document| rbxxml::to_string(document).map_err(|error| error.to_string());
    let (before, text) = (document.clone(), written(document));
    let error = edit(document).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidArgument(_)), "{error}");
    assert!(*document == before && document.same_layout(&before), "{error}");
    assert!(document.instances().eq(before.instances()), "{error}");
    assert_eq!(written(document), text, "{error}");
    error.to_string()
}

/// Properties are added to instances that lack them, and removed from those that have them.
#[test]
fn properties_of_some_instances() {
    let (mut document, [workspace, _, part, _]) = place_of("Door");
    document.add_property("Door", "One", 1).unwrap();
    let other = document.insert(workspace, NewInstance::new("Door").property("Two", 2)).unwrap();
    let gone = document.insert(workspace, NewInstance::new("Door").property("Two", 2)).unwrap();
    document.remove(gone).unwrap();
    document.add_property("Door", "Three", 3).unwrap();
    // Those that have the property keep their values.
    document.add_property("Door", "Two", 5).unwrap();
    assert_eq!(document.get(other, "Two"), Some(Value::Int32(2).as_ref()));
    assert_eq!(document.get(other, "Three"), Some(Value::Int32(3).as_ref()));
    document.remove_properties("Door", ["Two", "One"]).unwrap();
    assert_eq!((document.get(part, "One"), document.get(other, "Two")), (None, None));
    assert_eq!(document.get(part, "Three"), Some(Value::Int32(3).as_ref()));
    survives(&document);
}

type Edit<'a> = &'a dyn Fn(&mut Document) -> rbxxml::Result<()>;

/// Names that are not UTF-8, which XML cannot store, and a property with another type.
/// Studio stores these values so. XML cannot represent the byte 0, nor bytes that are not UTF-8, as text.
#[test]
fn new_properties_in_the_types_of_studio() {
    let values = [
        ("TeamColor", Value::from(BrickColor(21)), r#"<int name="TeamColor">21</int>"#),
        ("Tags", "Enemy".into(), r#"<BinaryString name="Tags">RW5lbXk=</BinaryString>"#),
        ("Odd", "a\0".into(), r#"<BinaryString name="Odd">YQA=</BinaryString>"#),
        ("Latin1", b"\xe9".into(), r#"<BinaryString name="Latin1">6Q==</BinaryString>"#),
        ("Text", "a\n".into(), "<string name=\"Text\">a\n</string>"),
    ];
    for (name, value, expected) in values {
        let (mut set, [_, _, part, _]) = place_of("Custom");
        set.set(part, name, value.clone()).unwrap();
        let (mut added, _) = place_of("Custom");
        added.add_property("Custom", name, value.clone()).unwrap();
        let mut inserted = Document::new();
        inserted.insert(None, NewInstance::new("Custom").property(name, value)).unwrap();
        for text in [set, added, inserted].map(|document| survives(&document)) {
            assert!(text.contains(expected), "{text}");
        }
    }
    // An element of a file stays.
    let file = "<roblox version=\"4\"><Item class=\"Custom\"><Properties><BrickColor name=\"A\">1</BrickColor></Properties></Item></roblox>";
    let text = edited(file, |document, id| document.set(id, "A", BrickColor(21)).map(drop).unwrap());
    assert_eq!(text, file.replace(">1<", ">21<"));
}

#[test]
fn refusals_of_xml() {
    let (mut document, [_, _, part, _]) = place();
    for name in [&b"\xe9"[..], b"a\x80"] {
        let edits: [(Edit<'_>, &str); 5] = [
            (&|d| d.set(part, name, 1).map(drop), "property"),
            (&|d| d.add_property("Part", name, 1), "property"),
            (&|d| d.remove_property(name, "A"), "class"),
            (&|d| d.insert(None, NewInstance::new(name)).map(drop), "class"),
            (&|d| d.insert(None, NewInstance::new("A").property(name, 1)).map(drop), "property"),
        ];
        for (edit, of) in edits {
            let text = format!("the {of} name \"{}\" is not UTF-8", name.escape_ascii());
            assert_eq!(refused(&mut document, edit), text);
        }
        let text = refused(&mut document, |d| d.add_property(name, "A", 1));
        assert!(text.starts_with("the document has no instance of the class "), "{text}");
        let text = refused(&mut document, |d| d.remove_property("Part", name));
        assert!(text.starts_with("no instance of Part stores the property "), "{text}");
    }
    let text = refused(&mut document, |d| d.add_property("Part", "Name", 1));
    assert_eq!(text, "expected string, found int in Part.Name");
}

/// A property that only removed instances had does not determine what its class stores.
#[test]
fn what_was_removed_is_not_stored() {
    let mut document = Document::new();
    let part = |name: &str, value: Value| NewInstance::new("Door").property(name, value);
    let first = document.insert(None, part("size", 1.into()).child(part("size", 2.into()))).unwrap();
    let second = document.insert(None, part("size", 3.into())).unwrap();
    document.set(second, "Anchored", true).unwrap();
    document.remove(first).unwrap();
    let text = "expected int, found string in Door.size";
    assert_eq!(refused(&mut document, |d| d.insert(None, part("size", "x".into()))), text);
    refused(&mut document, |d| d.insert(None, part("Size", 1.into())));
    document.remove_property("Door", "Anchored").unwrap();
    document.remove(second).unwrap();
    // Another type and another name are accepted now.
    let third = document.insert(None, part("size", "x".into()).property("Anchored", "yes")).unwrap();
    document.remove(third).unwrap();
    document.insert(None, part("Size", 1.into())).unwrap();
    survives(&document);
}

/// A property can be removed from one instance; the others and the rest of the file stay.
#[test]
fn a_property_of_one_instance() {
    let item = |name: &str, more: &str| {
        format!(
            "<Item class=\"Door\"><Properties>\n<string name=\"Name\">{name}</string>{more}</Properties></Item>"
        )
    };
    let file = |more: &str| {
        let kept = "<int name=\"a\">1</int><int name=\"b\"> 2</int>";
        format!("<roblox version=\"4\">{}{}</roblox>", item("A", more), item("B", kept))
    };
    let (a, b) = ("\n<int name=\"a\">5</int>", "\n<int name=\"b\"> 6 </int>");
    let mut document = rbxxml::from_str(&file(&[a, b].concat())).unwrap();
    let [first, second] = document.roots().collect::<Vec<_>>()[..] else { panic!("two doors") };
    document.unset(first, "a").unwrap();
    assert_eq!(survives(&document), file(b));
    let text = refused(&mut document, |d| d.unset(first, "a"));
    assert_eq!(text, "the instance does not store the property in A.a");
    // The other door still determines the type, until it has none, either.
    assert_eq!(
        refused(&mut document, |d| d.set(first, "a", "x").map(drop)),
        "expected int, found string in A.a"
    );
    document.unset(second, "a").unwrap();
    document.set(first, "a", "x").unwrap();
    survives(&document);
}

/// New instances with the properties of the last one, with the properties in another order, and with one twice: the
/// last value counts, and properties are in the order of their names.
#[test]
fn new_instances_that_are_alike() {
    let mut document = Document::new();
    let mut stored = |properties: &[(&str, i32)]| {
        let new =
            properties.iter().fold(NewInstance::new("Part"), |new, &(name, value)| new.property(name, value));
        let id = document.insert(None, new).expect("inserted");
        let text = |(name, value): (&bstr::BStr, rbxxml::ValueRef<'_>)| {
            format!("{name}={}", value.as_i32().expect("a number"))
        };
        document.properties(id).map(text).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(stored(&[("B", 1), ("A", 2), ("C", 3)]), "A=2 B=1 C=3");
    assert_eq!(stored(&[("C", 4), ("B", 5), ("A", 6)]), "A=6 B=5 C=4");
    assert_eq!(stored(&[("C", 7), ("A", 8), ("A", 9)]), "A=9 C=7");
    assert_eq!(stored(&[("A", 1), ("A", 2)]), "A=2");
    assert_eq!(stored(&[("A", 3), ("C", 4)]), "A=3 C=4");
    assert_eq!(stored(&[("C", 5), ("A", 6)]), "A=6 C=5");
}

#[test]
fn referents_are_made() {
    let text = "<roblox version=\"4\">\n\t<Item class=\"A\">\n\t\t<Properties>\n\t\t</Properties>\n\t</Item>\n</roblox>";
    let mut document = rbxxml::from_str(text).unwrap();
    let a = document.roots().next().unwrap();
    assert_eq!(document.referent(a), None);
    let b = document.insert(None, NewInstance::new("B").property("To", a)).unwrap();
    let referent = document.referent(b).unwrap();
    assert!(referent.len() == 35 && referent.starts_with("RBX"));
    assert_eq!((document.by_referent(referent), document.by_referent("RBX2")), (Some(b), None));
    assert!(document.referent(a).is_some() && document.referent(a) != document.referent(b));
    survives(&document);
    let mut document = rbxxml::from_str(text).unwrap();
    let a = document.roots().next().unwrap();
    document.set(a, "Self", a).unwrap();
    survives(&document);
    // `check` finds nothing in an inserted instance.
    assert_eq!(rbxxml::check(&place().0), []);
}

/// Two shared strings with the same key and different bytes stay two.
#[test]
fn keys_of_shared_strings_do_not_clash() {
    let text = |bytes: &str| {
        format!(
            "<roblox version=\"4\"><Item class=\"A\"><Properties><SharedString name=\"S\">k</SharedString></Properties></Item>\
            <SharedStrings><SharedString md5=\"k\">{bytes}</SharedString></SharedStrings></roblox>"
        )
    };
    let mut document = rbxxml::from_str(&text("QUFB")).unwrap();
    let roots = document.merge(None, &rbxxml::from_str(&text("QkJC")).unwrap()).unwrap();
    let bytes = |id| document.get(id, "S").unwrap().as_bytes().unwrap();
    assert_eq!(
        (bytes(document.roots().next().unwrap()), bytes(roots[0])),
        (b"AAA".as_slice(), b"BBB".as_slice())
    );
    survives(&document);
}

/// An empty asset on a line of its own, as rbx_xml 3.0.1 writes it, can have either type of asset.
#[test]
fn empty_assets_are_of_either_type() {
    let text = "<roblox version=\"4\"><Item class=\"A\"><Properties><Content name=\"SoundId\">\n<null></null>\n</Content>\
        <Content name=\"ImageContent\"><null></null></Content></Properties></Item></roblox>";
    let mut document = rbxxml::from_str(text).unwrap();
    assert_eq!(rbxxml::to_string(&document).unwrap(), text);
    let a = document.roots().next().unwrap();
    for property in ["SoundId", "ImageContent"] {
        for value in [Value::ContentId("x".into()), Content::Uri("x".into()).into()] {
            let mut document = document.clone();
            document.set(a, property, &value).unwrap();
            assert_eq!(document.get(a, property), Some(value.as_ref()));
            survives(&document);
        }
    }
    // If only a URI is given, the name of the property determines the type.
    document.set(a, "SoundId", "x").unwrap();
    document.set(a, "ImageContent", "x").unwrap();
    assert_eq!(document.get(a, "SoundId"), Some(Value::ContentId("x".into()).as_ref()));
    assert_eq!(document.get(a, "ImageContent"), Some(Value::from(Content::Uri("x".into())).as_ref()));
    // An asset with a URI keeps its type.
    document.set(a, "SoundId", Content::Uri("y".into())).unwrap();
    document.set(a, "ImageContent", Value::ContentId("y".into())).unwrap();
    assert_eq!(document.get(a, "SoundId"), Some(Value::ContentId("y".into()).as_ref()));
    assert_eq!(document.get(a, "ImageContent"), Some(Value::from(Content::Uri("y".into())).as_ref()));
}

/// A reference without a target does not refer to an instance that is added or merged later.
#[test]
fn dangling_references_stay_null() {
    let text = "<roblox version=\"4\"><Item class=\"A\" referent=\"x\"><Properties><Ref name=\"R\">y</Ref></Properties></Item></roblox>";
    let mut document = rbxxml::from_str(text).unwrap();
    let a = document.roots().next().unwrap();
    assert_eq!(document.get(a, "R"), Some(Value::Ref(None).as_ref()));
    assert_eq!(rbxxml::to_string(&document).unwrap(), text);
    let found = rbxxml::check(&document);
    assert!(found.iter().any(|finding| finding.rule.id == "rbxxml.references"), "{found:?}");
    let other = rbxxml::from_str(&text.replace("\"x\"", "\"y\"")).unwrap();
    document.merge(None, &other).unwrap();
    assert_eq!(document.get(a, "R"), Some(Value::Ref(None).as_ref()));
    survives(&document);
}

/// Two instances with the same referent: a document that would be read differently is not written.
#[test]
fn equal_referents() {
    let text = "<roblox version=\"4\"><Item class=\"A\" referent=\"x\"></Item><Item class=\"B\" referent=\"x\">\
        <Properties><Ref name=\"R\">x</Ref></Properties></Item></roblox>";
    let mut document = rbxxml::from_str(text).unwrap();
    assert_eq!(rbxxml::to_string(&document).unwrap(), text);
    let [a, b] = document.roots().collect::<Vec<_>>()[..] else { panic!() };
    assert_eq!(document.get(b, "R").unwrap().as_instance(), Some(a));
    document.reparent(a, None).unwrap();
    let error = rbxxml::to_vec(&document).unwrap_err().to_string();
    assert!(
        error.contains("an ambiguous reference (several instances have the referent \"x\": give them different ones) in B.R"),
        "{error}"
    );
    document.remove(a).unwrap();
    assert_eq!(document.by_referent("x"), Some(b));
    survives(&document);
}

const MESSY: &str = "<roblox version='4'>\n  <!-- top -->\n  <Item class='Folder'>\n    <Item class='Part'/>\n    \
    <Properties>\n      <!-- a --><string name='A'>1</string>\n      <string name='B'>2</string><!-- b -->\n    \
    </Properties>\n    <Odd/>\n  </Item>\n</roblox>\n";

fn edited(text: &str, edit: impl FnOnce(&mut Document, InstanceId)) -> String {
    let mut document = rbxxml::from_str(text).unwrap();
    let first = document.roots().next().unwrap();
    edit(&mut document, first);
    survives(&document)
}

/// Comments, order and unknown elements stay unchanged next to an edit.
#[test]
fn edits_in_files_that_others_wrote() {
    assert_eq!(edited(MESSY, |_, _| ()), MESSY);
    let changed = edited(MESSY, |document, folder| document.set(folder, "A", "3").map(drop).unwrap());
    assert_eq!(changed, MESSY.replace("<string name='A'>1</string>", "<string name='A'>3</string>"));
    let added = edited(MESSY, |document, folder| document.set(folder, "C", "3").map(drop).unwrap());
    let line = "<string name='B'>2</string>\n      <string name=\"C\">3</string>";
    assert_eq!(added, MESSY.replace("<string name='B'>2</string>", line));
    let removed = edited(MESSY, |document, _| document.remove_property("Folder", "B").unwrap());
    assert_eq!(removed, MESSY.replace("\n      <string name='B'>2</string>", ""));
    let removed = edited(MESSY, |document, _| document.remove_property("Folder", "A").unwrap());
    assert_eq!(removed, MESSY.replace("<string name='A'>1</string>", ""));
    // A new property is inserted in the order of names; the next one keeps its spelling.
    let between = edited(MESSY, |document, folder| document.set(folder, "AA", "3").map(drop).unwrap());
    let line = "<string name=\"AA\">3</string>\n      <string name='B'>2</string>";
    assert_eq!(between, MESSY.replace("<string name='B'>2</string>", line));
    let child = edited(MESSY, |document, folder| {
        document.insert(folder, NewInstance::new("Part").property("Name", "x")).unwrap();
    });
    let (before, after) = child.split_once("    <Item class=\"Part\" referent=").unwrap();
    let (_, after) = after.split_once("</Item>\n").unwrap();
    assert_eq!([before, after].concat(), MESSY);
    let root = edited(MESSY, |document, _| {
        document.insert(None, NewInstance::new("Part")).unwrap();
    });
    assert!(root.contains("<!-- top -->") && root.contains("  </Item>\n  <Item class=\"Part\""), "{root}");
    let filled = edited(MESSY, |document, folder| {
        let part = document.children(folder).next().unwrap();
        document.set(part, "Name", "x").unwrap();
    });
    assert!(
        filled.contains("<Item class='Part'>\n      <Properties>\n        <string name=\"Name\">x</string>"),
        "{filled}"
    );
    let moved = edited(MESSY, |document, folder| {
        let part = document.children(folder).next().unwrap();
        document.reparent(part, None).unwrap();
    });
    assert!(moved.contains("<Odd/>\n  </Item>\n  <Item class='Part'/>\n</roblox>"), "{moved}");
}

/// A touched value keeps the white space of its element, and the text of the components that did not change.
#[test]
fn components_keep_their_text() {
    let text = "<roblox version=\"4\"><Item class=\"Part\"><Properties><Vector3 name='size'><X>1e0</X><Y> 2 </Y><Z>3.50</Z></Vector3>\
                <UDim2 name=\"U\"><XS>0.1</XS>\n<XO>16777217</XO> <YS>-0</YS><YO>7</YO></UDim2></Properties></Item></roblox>";
    let size = |z| Vec3 { x: 1.0, y: 2.0, z };
    let set = |z| edited(text, |document, part| document.set(part, "size", size(z)).map(drop).unwrap());
    assert_eq!(set(4.0), text.replace("3.50", "4"));
    assert_eq!(set(3.5), text);
    let udim = |scale, offset| rbxxml::types::UDim { scale, offset };
    let set = |x, y| {
        edited(text, |document, part| {
            document.set(part, "U", rbxxml::types::UDim2 { x, y }).map(drop).unwrap()
        })
    };
    assert_eq!(set(udim(0.1, 16_777_216), udim(-0.0, 7)), text.replace("16777217", "16777216"));
    assert_eq!(set(udim(0.1, 16_777_217), udim(0.0, 8)), text.replace("-0<", "0<").replace(">7<", ">8<"));
}

/// The first property, child and shared string of an element that contains a comment.
#[test]
fn comments_survive_the_first_of_a_kind() {
    let text =
        "<roblox version=\"4\">\n\t<!-- top -->\n\t<Item class=\"A\"><!-- c --><Odd/></Item>\n</roblox>";
    let set = edited(text, |document, a| document.set(a, "Name", "x").map(drop).unwrap());
    assert_eq!(
        set,
        text.replace(
            "<!-- c -->",
            "\n\t\t<Properties>\n\t\t\t<string name=\"Name\">x</string>\n\t\t</Properties><!-- c -->"
        )
    );
    let insert = edited(text, |document, a| {
        document.insert(a, NewInstance::new("B")).unwrap();
    });
    assert!(insert.contains("<!-- c --><Odd/>\n\t\t<Item class=\"B\""), "{insert}");
    let share = edited(text, |document, _| drop(document.share("abc")));
    let strings = "\n\t<SharedStrings>\n\t\t<SharedString md5=\"z0/+/I8vLRkAHqOaJVMfkw==\">YWJj</SharedString>\n\t</SharedStrings>\n</roblox>";
    let (before, after) = share.split_at(text.len() - "\n</roblox>".len());
    assert_eq!(before, text.strip_suffix("\n</roblox>").unwrap());
    let key = rbxxml::parts::KeyHash::Blake2b.key(b"abc");
    assert_eq!(after, strings.replace("z0/+/I8vLRkAHqOaJVMfkw==", &key));
    for properties in
        ["<Properties/>", "<Properties><!-- p --></Properties>", "<Properties>\n\t\t</Properties>"]
    {
        let text = text.replace("<Odd/>", &format!("<Odd/>{properties}"));
        let set = edited(&text, |document, a| document.set(a, "Name", "x").map(drop).unwrap());
        for kept in ["<!-- top -->", "<!-- c --><Odd/><Properties>"] {
            assert!(set.contains(kept), "{set}");
        }
        assert_eq!(set.contains("<!-- p -->"), properties.contains("<!-- p -->"));
    }
}

/// Adding a property does not change the spelling of others, however many there are.
#[test]
fn spellings_survive_beside_a_new_property() {
    let lines: String = (0..100).map(|n| format!("\n\t\t\t<float name=\"P{n:02}\">{n}.50</float>")).collect();
    let text = format!(
        "<roblox version=\"4\">\n\t<Item class=\"A\" referent=\"a\">\n\t\t<Properties>{lines}\n\t\t</Properties>\n\t</Item>\n</roblox>"
    );
    let added = edited(&text, |document, a| document.set(a, "A", 1).map(drop).unwrap());
    assert_eq!(added, text.replace("<Properties>", "<Properties>\n\t\t\t<int name=\"A\">1</int>"));
    let removed = edited(&text, |document, _| document.remove_property("A", "P50").unwrap());
    assert_eq!(removed, text.replace("\n\t\t\t<float name=\"P50\">50.50</float>", ""));
}

fn find<'a>(findings: &'a [Finding], rule: &str) -> &'a Finding {
    let id = format!("rbxxml.{rule}");
    findings.iter().find(|finding| finding.rule.id == id).unwrap_or_else(|| panic!("{rule} in {findings:?}"))
}

#[test]
fn checking() {
    assert_eq!(rbxxml::check(&place().0), []);
    let property = |property: &str| format!("<Properties>{property}</Properties>");
    let id = "<UniqueId name=\"UniqueId\">44b188dace632b4702e9c68d004815fc</UniqueId>";
    let text = format!(
        "<roblox version=\"3\"><Item class=\"A\" referent=\"a\">{}{}</Item><Item class=\"B\" referent=\"a\">{}</Item>\
         <Item class=\"C\">{}</Item><Item referent=\"null\">{}</Item>\
         <SharedStrings><SharedString md5=\"k\"></SharedString><SharedString md5=\"k\"></SharedString></SharedStrings></roblox>",
        property("<string name=\"Name\">x</string><Ref name=\"R\">nowhere</Ref>"),
        property(&format!("<SharedString name=\"S\">missing</SharedString>{id}")),
        property(&format!("<NumberSequence name=\"N\">0 1 0 0.5 1 0 </NumberSequence>{id}")),
        property("<int name=\"I\">1</int><int name=\"I\">2</int><int name=\"X\">y</int>"),
        property("<int>1</int><What name=\"W\"/><Axes name=\"A\"><axes>8</axes></Axes>"),
    );
    let findings = rbxxml::check(&rbxxml::from_str(&text).unwrap());
    let shown = |rule: &str| {
        let Finding { path, found, count, .. } = find(&findings, rule);
        format!("{path}: {found} ({count})")
    };
    assert_eq!(shown("version"), "roblox.version: expected \"4\", found \"3\" (1)");
    assert_eq!(shown("referents"), "B: duplicate referent \"a\" (2)");
    assert_eq!(shown("referents-missing"), "C: the attribute `referent` is missing or empty (1)");
    assert_eq!(shown("classes"), "[0]: the attribute `class` is missing or empty (1)");
    assert_eq!(
        shown("references"),
        "x.R: the Ref refers to an instance that does not exist: <Ref name=\"R\">nowhere</Ref> (1)"
    );
    assert_eq!(shown("shared-strings-defined"), "x.S: no shared string has the key \"missing\" (1)");
    assert_eq!(
        shown("shared-strings-used"),
        "shared_strings[0]: no property uses the shared string with the key \"k\" (2)"
    );
    assert_eq!(shown("shared-string-keys"), "shared_strings[1]: duplicate key \"k\" (1)");
    assert_eq!(shown("sequences"), "B.N: expected 1 as the last time, found 0.5 (1)");
    assert_eq!(shown("property-names"), "C.I: duplicate property name \"I\" in the element <int> (2)");
    assert_eq!(shown("properties-elements"), "x: found 2 <Properties> elements (1)");
    assert_eq!(shown("types"), "[0].W: <What> is not a known property type, so its value is not decoded (1)");
    assert_eq!(shown("values"), "C.X: invalid content of <int>: \"y\" (1)");
    assert_eq!(shown("axes-and-faces"), "[0].A: found the bits 0b1000 (1)");
    assert_eq!(shown("unique-ids"), "B.UniqueId: same UniqueId as x (1)");
    assert_eq!(find(&findings, "values").rule.severity, Severity::Error);
}

#[cfg(feature = "serde")]
mod serde {
    use rbxxml::Document;
    use testkit::fixtures;

    /// Fixtures without NaN and infinity, which JSON cannot represent.
    #[test]
    fn documents_survive() {
        for file in fixtures("rbxxml") {
            let Ok(document) = rbxxml::from_slice(&file.bytes) else { continue };
            if file.name.contains("every_type") || file.name.contains("odd") {
                continue;
            }
            let json = serde_json::to_string(&document).unwrap();
            let again: Document =
                serde_json::from_str(&json).unwrap_or_else(|e| panic!("{}: {e}", file.name));
            assert!(again == document, "{}", file.name);
            let escape = rbxxml::WriteOptions::new().illegal(rbxxml::Illegal::Escape);
            assert!(rbxxml::from_slice(&escape.write(&again).unwrap()).unwrap() == document, "{}", file.name);
        }
    }

    #[test]
    fn what_it_looks_like() {
        let text = "<roblox version=\"4\"><Item class=\"Folder\" referent=\"a\"><Properties><string name=\"Name\">x</string>\
            </Properties><Item class=\"Part\"><Properties><Ref name=\"To\">a</Ref></Properties></Item></Item></roblox>";
        let json = serde_json::to_value(rbxxml::from_str(text).unwrap()).unwrap();
        assert_eq!(json["instances"][0]["parent"], serde_json::Value::Null);
        assert_eq!(json["instances"][1]["parent"], 0);
        assert_eq!(json["instances"][0]["class"], "Folder");
        assert_eq!(json["instances"][0]["properties"][0], serde_json::json!(["Name", {"String": "x"}]));
        assert_eq!(json["instances"][1]["properties"][0], serde_json::json!(["To", {"Ref": 0}]));
        for wrong in [
            serde_json::json!({"attributes": [], "instances": [{"parent": 7, "class": "Part"}]}),
            serde_json::json!({"attributes": [], "instances": [{"parent": 0, "class": "Part"}]}),
            serde_json::json!({"attributes": [], "instances": [{"parent": null, "class": "Part", "properties": [["R", {"Ref": 1}]]}]}),
        ] {
            assert!(serde_json::from_value::<Document>(wrong).is_err());
        }
        // A reference to an instance without a referent cannot be written.
        let odd = serde_json::json!({"attributes": [], "instances": [{"parent": null, "class": "Part", "properties": [["R", {"Ref": 0}]]}]});
        let odd: Document = serde_json::from_value(odd).unwrap();
        assert!(rbxxml::to_vec(&odd).unwrap_err().to_string().contains("whose target has no referent"));
    }
}

/// A file with a thousand levels would be large, since its lines are indented.
#[test]
fn a_file_ends_at_the_limit() {
    let text = "<Item class=\"A\">".repeat(1000) + &"</Item>".repeat(1000);
    let document = rbxxml::from_str(&format!("<roblox version=\"4\">{text}</roblox>")).unwrap();
    let mut written = Document::new();
    written.merge(None, &document).unwrap();
    let whole = rbxxml::to_vec(&written).unwrap().len() as u64;
    assert!(rbxxml::WriteOptions::new().max_bytes(whole).write(&written).is_ok());
    let error = rbxxml::WriteOptions::new().max_bytes(whole / 2).write(&written).expect_err("too long");
    assert!(matches!(error.kind(), rbxxml::errors::ErrorKind::Limit(_)), "{error}");
}

/// The crate knows which instances have a property, even after others are removed that were not read.
#[test]
fn removing_what_was_not_looked_at() {
    let a = || NewInstance::new("A");
    let mut document = Document::new();
    document.insert(None, a().property("P", 1)).unwrap();
    let second = document.insert(None, a().property("P", 2)).unwrap();
    let third = document.insert(None, a()).unwrap();
    refused(&mut document, |document| document.set(third, "P", "text").map(drop));
    document.remove(second).unwrap();
    refused(&mut document, |document| document.set(third, "P", "text").map(drop));
    // An added property is counted once: when no instance has it any more, any type is accepted.
    let mut document = Document::new();
    let text = "<roblox><Item class=\"A\"><Properties><int name=\"P\">1</int></Properties></Item><Item class=\"A\"></Item></roblox>";
    let read = rbxxml::from_str(text).unwrap();
    let [first, second] = document.merge(None, &read).unwrap()[..] else { panic!() };
    document.set(second, "P", 2).unwrap();
    document.set(second, "Q", 2).unwrap();
    document.remove_all([first, second]).unwrap();
    let last = document.insert(None, a().property("P", "text")).unwrap();
    assert_eq!(document.get(last, "P"), Some(Value::from("text").as_ref()));
}

/// A copy keeps the referent of its original if it is free, since it was never used or its instance was removed.
#[test]
fn copies_keep_free_referents() {
    let text = |class: &str, referent: &str| {
        format!(
            "<roblox><Item class='{class}' referent='{referent}'><Properties><Ref name=\"R\">nowhere</Ref></Properties></Item></roblox>"
        )
    };
    let mut document = rbxxml::from_str(&text("A", "x")).unwrap();
    let first = document.roots().next().unwrap();
    let copy = |document: &mut Document, referent: &str| {
        let source = rbxxml::from_str(&text("A", referent)).unwrap();
        let copy = document.copy_from(None, &source, source.roots().next().unwrap()).unwrap();
        document.referent(copy).unwrap().to_owned()
    };
    assert_eq!(copy(&mut document, "y"), "y");
    assert_ne!(copy(&mut document, "x"), "x");
    // The target of a reference that leads to no instance is not free.
    assert_ne!(copy(&mut document, "nowhere"), "nowhere");
    document.remove(first).unwrap();
    assert_eq!(copy(&mut document, "x"), "x");
    assert_eq!(document.len(), 4);
    survives(&document);
}

/// A shared string that is copied twice is stored once, and is written in this crate's form.
#[test]
fn equal_shared_strings_are_one() {
    let text = "<roblox><Item class=\"A\"><Properties><SharedString name=\"S\">k</SharedString></Properties></Item>\
        <SharedStrings><SharedString md5='k'>QU FB</SharedString></SharedStrings></roblox>";
    let source = rbxxml::from_str(text).unwrap();
    let a = source.roots().next().unwrap();
    let mut document = Document::new();
    for _ in 0..2 {
        let copy = document.copy_from(None, &source, a).unwrap();
        assert_eq!(document.get(copy, "S"), Some(Value::SharedString("AAA".into()).as_ref()));
        assert_eq!(document.shared_strings().len(), 1);
    }
    assert!(survives(&document).contains("<SharedString md5=\"k\">QUFB</SharedString>"));
    // New bytes have a key of their own.
    let first = document.roots().next().unwrap();
    document.set(first, "S", Value::SharedString("b".into())).unwrap();
    assert_eq!(document.shared(&rbxxml::parts::KeyHash::Blake2b.key(b"b")), Some(b"b".as_slice()));
    let merged = EditOptions::new().merge(&mut document, None, &source).unwrap();
    assert_eq!((merged.instances.len(), document.len()), (1, 3));
}

/// If shared strings get new keys, one whose key is already right keeps its spelling.
#[test]
fn right_keys_keep_their_spelling() {
    let [right, wrong] = [b"a", b"b"].map(|bytes| rbxxml::parts::KeyHash::Md5.key(bytes));
    let text = |key: &str| {
        format!(
            "<roblox><SharedStrings><SharedString md5='{right}'>YQ==</SharedString>{key}</SharedStrings></roblox>"
        )
    };
    let document = rbxxml::from_str(&text("<SharedString md5='k'>Yg==</SharedString>")).unwrap();
    let written = rbxxml::WriteOptions::new().keys(rbxxml::parts::KeyHash::Md5).write(&document).unwrap();
    let wanted = text(&format!("<SharedString md5=\"{wrong}\">Yg==</SharedString>"));
    assert!(rbxxml::from_slice(&written).unwrap() == rbxxml::from_str(&wanted).unwrap());
    assert!(String::from_utf8(written).unwrap().contains(&format!("md5='{right}'")));
}

/// In files of other programs, new values get lines of their own, and each is written once.
#[test]
fn what_is_new_has_a_place() {
    let text = "<roblox version=\"4\">\n\t<Item class=\"A\"><Properties><int name=\"P\">1</int></Properties></Item>\n</roblox>";
    let replaced = edited(text, |document, a| {
        document.remove_property("A", "P").unwrap();
        document.set(a, "Q", 2).unwrap();
    });
    assert_eq!(replaced, text.replace("<int name=\"P\">1", "\n\t\t\t<int name=\"Q\">2"));
    let text = "<roblox version=\"4\">\n\t<!-- c -->\n</roblox>";
    let mut document = rbxxml::from_str(text).unwrap();
    document.metadata.push(rbxxml::Metadata::new("m", "1"));
    document.externals.push(rbxxml::parts::External::new("e"));
    document.insert(None, NewInstance::new("A")).unwrap();
    document.share("abc");
    assert!(survives(&document).starts_with("<roblox version=\"4\">\n\t<!-- c -->\n\t<Meta"));
    let text = "<roblox version=\"4\">\n\t<!-- c --><External>a</External><External>b</External>\n</roblox>";
    let mut document = rbxxml::from_str(text).unwrap();
    document.insert(None, NewInstance::new("A")).unwrap();
    document.externals.push(rbxxml::parts::External::new("c"));
    let written = survives(&document);
    assert!(
        written.contains("<External>a</External><External>b</External>\n\t<External>c</External>\n\t<Item"),
        "{written}"
    );
}

/// A file on a single line: an asset without content and one with an empty URI stay different.
#[test]
fn empty_assets_in_one_line() {
    let mut document = rbxxml::from_str("<roblox version=\"4\"><Item class=\"A\"></Item></roblox>").unwrap();
    let a = document.roots().next().unwrap();
    document.set(a, "E", Content::None).unwrap();
    document.set(a, "F", Value::ContentId("".into())).unwrap();
    survives(&document);
}
