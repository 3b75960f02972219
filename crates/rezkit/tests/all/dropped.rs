//! Conversions between the two forms of Roblox documents: what the other form cannot store is refused, or listed.

use rbxbinary::{Column, Document, NewInstance, Referent};
use rezkit::{ConvertOptions, Edit, ErrorKind, Opened};

fn open(bytes: &[u8]) -> Opened<'static> {
    rezkit::open(bytes.to_vec(), "a", ()).expect("readable")
}

fn part(properties: &str) -> Vec<u8> {
    format!(
        "<roblox version=\"4\"><Item class=\"Part\" referent=\"a\"><Properties><string name=\"Name\">P</string>\
         {properties}</Properties></Item></roblox>"
    )
    .into_bytes()
}

/// The losses of a conversion to the other form, each with its kind; and the error without permission to lose anything.
fn losses(bytes: &[u8]) -> (Vec<String>, Option<String>) {
    let to = if bytes.starts_with(b"<roblox!") { "rbxmx" } else { "rbxm" };
    let made = open(bytes).convert(Some(to), "", &ConvertOptions::new().allow_loss(true)).expect("converted");
    let losses = made.losses.iter().map(|loss| format!("{}: {loss}", loss.kind.label())).collect();
    let refused = open(bytes).convert(Some(to), "", &ConvertOptions::new()).err();
    let reason = |error: rezkit::Error| {
        assert_eq!(error.kind(), ErrorKind::Unwritable);
        assert!(!error.path().is_empty(), "{error}");
        error.reason().to_owned()
    };
    (losses, refused.map(reason))
}

#[test]
fn a_refused_version_has_the_path_of_the_part() {
    let mesh = testkit::fixture("rbxmesh", "v5_00.mesh");
    let refused =
        open(&mesh).convert(Some("2.00"), "", &ConvertOptions::new()).expect_err("levels of detail");
    assert_eq!(refused.path(), "lods");
    assert_eq!(
        refused.reason(),
        "version 2.00 cannot represent the coarser levels of detail (1 face, 1 vertex)"
    );
}

/// A file with a part that has a property of this type and these bytes.
fn column(name: &[u8], type_id: u8, values: &[u8]) -> Vec<u8> {
    let string = |text: &[u8]| [&u32::try_from(text.len()).expect("short").to_le_bytes()[..], text].concat();
    let chunk = |name: &[u8; 4], data: &[u8]| {
        let len = u32::try_from(data.len()).expect("short").to_le_bytes();
        [name, &[0; 4][..], &len, &[0; 4], data].concat()
    };
    let prop = [&[0; 4][..], &string(name), &[type_id], values].concat();
    [
        &b"<roblox!\x89\xff\r\n\x1a\n\0\0\x01\0\0\0\x01\0\0\0"[..],
        &[0; 8],
        &chunk(b"INST", &[&[0; 4][..], &string(b"Part"), &[0, 1, 0, 0, 0, 0, 0, 0, 0]].concat()),
        &chunk(b"PROP", &prop),
        &chunk(b"PRNT", &[0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
        &chunk(b"END\0", b"</roblox>"),
    ]
    .concat()
}

#[test]
fn xml_drops_nothing_silently() {
    let dropped = |path: &str, what: &str| {
        let refused = format!("the conversion would lose content: {path}: {what}");
        (vec![format!("dropped: {path}: {what}")], Some(refused))
    };
    let frame = [&[1][..], &[0; 12]].concat();
    let external = [&[0; 4][..], &[0; 8], &[1, 0, 0, 0], &[0, 0, 0, 14]].concat();
    for (name, type_id, values, path, what) in [
        (&b"A"[..], 0x1c, &[0, 0, 0, 3][..], "Part.A", "a reference to a shared string that does not exist"),
        (b"A", 0x10, &frame, "Part.A", "a rotation with an unknown id; replaced by the identity rotation"),
        (b"A", 0x22, &external, "Part.A", "XML cannot store references to external objects"),
        (b"A", 0x77, b"abc", "Part.A", "the values are malformed or of an unknown type"),
    ] {
        assert_eq!(losses(&column(name, type_id, values)), dropped(path, what));
    }
    let to_nothing = column(b"A", 0x13, &[0, 0, 0, 14]);
    let text = "changed: Part.A: a reference to an instance that does not exist; replaced by null";
    assert_eq!(losses(&to_nothing), (vec![text.to_owned()], None));
    let (listed, refused) = losses(&column(b"\xff", 0x02, &[1]));
    let text = "changed: Part.\u{fffd}: invalid UTF-8 and characters that XML forbids are replaced by U+FFFD";
    assert_eq!(listed, [text]);
    assert!(refused.expect("refused").ends_with("these names and values: Part.\u{fffd}"));
}

#[test]
fn binary_drops_nothing_silently() {
    let bytes = part("<bool name=\"Anchored\">true</bool><bool name=\"Anchored\">false</bool>");
    let what = "P.Anchored: an earlier value of a property that is stored more than once";
    let expected =
        (vec![format!("dropped: {what}")], Some(format!("the conversion would lose content: {what}")));
    assert_eq!(losses(&bytes), expected);
    let bytes = part("<Ref name=\"To\">ZZ</Ref><Ref name=\"__attrRef_b\">ZZ</Ref><Ref name=\"Self\">a</Ref>");
    let what = "changed: P.To: a reference to an instance that does not exist; replaced by null (and 1 more)";
    assert_eq!(losses(&bytes), (vec![what.to_owned()], None));
    let text = "<roblox version=\"4\" foo=\"1\"><Item class=\"A\" bar=\"2\"><Baz/></Item></roblox>";
    let unknown = "cannot store the unknown";
    let (listed, refused) = losses(text.as_bytes());
    let expected = [
        "dropped: roblox.foo: the binary format cannot store an unknown attribute of the element <roblox>"
            .to_owned(),
        format!("dropped: A: the binary format {unknown} attribute \"bar\""),
        format!("dropped: A: the binary format {unknown} element <Baz>"),
    ];
    assert_eq!(listed, expected);
    assert!(refused.is_some());
}

/// XML stores the properties of each instance, so two chunks of one class with different columns can be converted.
#[test]
fn two_chunks_of_a_class() {
    let mut document = Document::new();
    for class in ["A", "B"] {
        document.insert(None, NewInstance::new(class).property("Name", class)).expect("inserted");
    }
    document.add_property("B", "X", true).expect("added");
    document.columns_mut().classes[1].name = "A".into();
    let bytes = rbxbinary::to_vec(&document).expect("written");
    let made = open(&bytes).convert(Some("rbxmx"), "", &ConvertOptions::new()).expect("converted");
    let xml = rbxxml::from_slice(&made.files[0].bytes).expect("readable");
    let get = |name| xml.get(xml.find(name).expect("there"), "X").cloned();
    assert_eq!((get("A"), get("B")), (None, Some(true.into())));
}

/// The error of one edit, without the number of its line.
fn refused(bytes: &[u8], edit: &str) -> String {
    let edits = Edit::parse(edit).expect("an edit");
    open(bytes).edit(&edits, &mut ()).expect_err("refused").to_string()
}

#[test]
fn refusals_name_the_instance_and_what_is_wrong() {
    let xml = part("");
    for (edit, expected) in [
        ("set P.Anchord true", "P.Anchord: property name looks like a misspelling of Anchored"),
        ("set P.Foo 3", "P.Foo: Part has no stored property Foo"),
        ("add Part \"\" Foo=3", "Part.Foo: Part has no stored property Foo"),
        ("move P P", "P: "),
    ] {
        let error = refused(&xml, edit);
        assert!(error.contains(expected), "{error}");
        let mut opened = open(&xml);
        let made = opened.convert(Some("rbxm"), "", &ConvertOptions::new()).expect("converted");
        assert_eq!(refused(&made.files[0].bytes, edit), error);
    }
    let edit = Edit::Set { path: "P.".into(), value: "x".into(), kind: None };
    let error = open(&xml).edit(&[edit], &mut ()).expect_err("refused").to_string();
    assert!(error.contains("the property name is empty"), "{error}");
    let raw = column(b"Anchored", 0x02, &[1, 1]);
    let error = refused(&raw, "set Part.Anchored true");
    let undecoded = "Part.Anchored: the values of this property cannot be decoded";
    assert!(error.contains(undecoded), "{error}");
    // Neither is the default printed, nor is a property that the class table lacks unknown.
    let look = |path| {
        let opened = open(&raw);
        rezkit::tree::look(&*opened.tree(), path, &mut |_| panic!("a value"))
            .expect_err("refused")
            .to_string()
    };
    assert!(
        look("Part.Anchored").contains("of this property cannot be decoded"),
        "{}",
        look("Part.Anchored")
    );
    let later = column(b"Later", 0x23, &[1]);
    let error = refused(&later, "set Part.Later 5");
    assert!(error.contains("Part.Later: the values of this property cannot be decoded"), "{error}");
}

/// A new instance is a service if the existing ones of its class are.
#[test]
fn services_follow_the_existing_ones() {
    let mut document = Document::new();
    document.insert(None, NewInstance::new("Workspace").property("Name", "W")).expect("inserted");
    let mut opened = open(&rbxbinary::to_vec(&document).expect("written"));
    opened.edit(&Edit::parse("add Workspace").expect("an edit"), &mut ()).expect("added");
    let document = rbxbinary::from_slice(&opened.to_vec().expect("written")).expect("readable");
    assert_eq!((document.classes()[0].format.0, document.len()), (0, 2));
}

/// The attributes after one of an unknown type cannot be distinguished from its value, so they are not removed with it.
#[test]
fn attributes_of_unknown_types_and_equal_names() {
    let model = |blob: &[u8]| {
        let mut document = Document::new();
        let new = NewInstance::new("Folder").property("Name", "f").property("AttributesSerialize", blob);
        document.insert(None, new).expect("inserted");
        rbxbinary::to_vec(&document).expect("written")
    };
    let unknown = model(b"\x02\0\0\0\x01\0\0\0A\x77abc\x01\0\0\0B\x03\x01");
    for edit in [
        "set f.AttributesSerialize -A",
        "set f.AttributesSerialize +A=1",
        "set f.AttributesSerialize.A 1 float64",
    ] {
        let error = refused(&unknown, edit);
        let expected = "cannot change the attribute A: the length of its unknown type 0x77 is unknown, so the \
                        1 attribute after it would be removed, too";
        assert!(error.contains(expected), "{error}");
    }
    // Of two values with one name, the last one counts.
    let mut twice = open(&model(b"\x02\0\0\0\x01\0\0\0A\x03\x01\x01\0\0\0A\x03\0"));
    assert_eq!(twice.get("f.AttributesSerialize.A").expect("a value").summary(9), "false");
    let found = twice.check(&[]).expect("checked");
    let found = found.iter().find(|found| found.rule == "roblox.attribute-names").expect("found");
    assert_eq!(found.path, "f.AttributesSerialize.A");
}

/// A referent that an earlier version of the file had.
#[test]
fn a_null_reference_is_no_change() {
    let mut document = Document::new();
    document.insert(None, NewInstance::new("A").property("Name", "a")).expect("inserted");
    document.add_property("A", "To", rbxbinary::Value::Ref(None)).expect("added");
    let Some(Column::Ref(all)) = document.column_mut(0, "To") else { panic!("no column") };
    assert_eq!(all[..], [Referent::NULL]);
    assert_eq!(losses(&rbxbinary::to_vec(&document).expect("written")), (vec![], None));
}

/// The unknown parts of a document are listed if it is inserted into another one, and those of an instance if it is
/// copied into a model of the same form.
#[test]
fn unknown_parts_are_not_copied() {
    let text = "<roblox version=\"4\"><Item class=\"Folder\" referent=\"a\"><Note/><Properties>\
        <string name=\"Name\" mood=\"good\">A</string></Properties></Item>\
        <Item class=\"Folder\" referent=\"b\" colour=\"red\"><Properties><string name=\"Name\">B</string></Properties></Item>\
        <Aside/></roblox>";
    let edits = |script| Edit::parse(script).expect("edits");
    let shown = |losses: &[rezkit::Loss]| crate::texts(&losses);
    let lost = |path: &str, what: &str| format!("{path}: the unknown {what} is not copied");
    let copied = open(text.as_bytes()).edit(&edits("copy A a.rbxmx"), &mut ()).expect("copied");
    let of_a = [lost("A", "element <Note>"), lost("A", r#"attribute "mood" of the property "Name""#)];
    assert_eq!(shown(&copied.losses), of_a);
    let empty = b"<roblox version=\"4\"></roblox>";
    let mut models = |_: &rezkit::Reference, _: u64| Ok(Some(text.as_bytes().to_vec()));
    let inserted = open(empty).edit(&edits("insert m.rbxmx"), &mut models).expect("inserted");
    let others = [lost("B", r#"attribute "colour""#), lost("roblox", "element <Aside>")];
    let of_model: Vec<String> = of_a.iter().chain(&others).map(|text| format!("m.rbxmx: {text}")).collect();
    assert_eq!(shown(&inserted.losses), of_model);
}

/// The binary form stores one type for all instances of a class; XML stores one for each.
#[test]
fn values_of_several_types_are_listed_or_refused() {
    let xml = |first: &str, second: &str| {
        let item = |name: &str, value: &str| {
            format!(
                "<Item class=\"Qwertyuiop\"><Properties><string name=\"Name\">{name}</string>{value}</Properties></Item>"
            )
        };
        format!("<roblox version=\"4\">{}{}</roblox>", item("A", first), item("B", second)).into_bytes()
    };
    let convert = |bytes: Vec<u8>, to: &str, options: &rezkit::ConvertOptions| {
        let made =
            rezkit::open(bytes, "a", ()).expect("readable").convert(Some(to), &format!("a.{to}"), options)?;
        let losses = crate::texts(&made.losses);
        Ok::<_, rezkit::Error>((made.files.into_iter().next().expect("a file").bytes, losses))
    };
    let got = |bytes: &[u8], path: &str| {
        rezkit::open(bytes.to_vec(), "a", ()).expect("readable").get(path).expect("a value").summary(40)
    };
    // The wider type is stored, in either order.
    let (small, large) = ("<int name=\"P\">-1</int>", "<int64 name=\"P\">9999999999</int64>");
    for (one, other) in [(small, large), (large, small)] {
        let (bytes, losses) =
            convert(xml(one, other), "rbxm", &rezkit::ConvertOptions::new()).expect("converted");
        assert_eq!(losses.len(), 1, "{losses:?}");
        let what = "P: stored with the type Int64, like the values of other instances of the class";
        assert!(losses[0].ends_with(what), "{losses:?}");
        let of = |value: &str| if value == small { "-1" } else { "9999999999" };
        assert_eq!((got(&bytes, "A.P"), got(&bytes, "B.P")), (of(one).to_owned(), of(other).to_owned()));
    }
    // A type that cannot be converted is refused, or replaced if that is allowed.
    let mixed = || xml("<int name=\"P\">5</int>", "<string name=\"P\">text</string>");
    let error = convert(mixed(), "rbxm", &rezkit::ConvertOptions::new()).expect_err("a text");
    assert_eq!(error.path(), "B.P");
    assert!(
        error.reason().starts_with(
            "expected Int32, found String: the binary format stores a property with the same type"
        ),
        "{error}"
    );
    let (bytes, losses) =
        convert(mixed(), "rbxm", &rezkit::ConvertOptions::new().allow_loss(true)).expect("converted");
    assert!(losses.iter().any(|loss| loss.starts_with("B.P: a value of type String, ")), "{losses:?}");
    assert_eq!((got(&bytes, "A.P"), got(&bytes, "B.P")), ("5".to_owned(), "0".to_owned()));
}

/// Two lists of instances of one class, whose values have two types: XML stores both.
#[test]
fn two_types_of_a_binary_document_are_kept_in_xml() {
    let mut document = rbxbinary::Document::new();
    let thing = |name: &str, value: rbxbinary::Value| {
        rbxbinary::NewInstance::new("Qwertyuiop").property("Name", name).property("P", value)
    };
    document.insert(None, thing("A", 5.into())).expect("inserted");
    let mut other = rbxbinary::Document::new();
    other.insert(None, thing("B", true.into())).expect("inserted");
    let class = other.columns_mut().classes.remove(0);
    let columns = document.columns_mut();
    let mut class = class;
    class.id = 1;
    class.referents[0] = rbxbinary::Referent(9);
    columns.classes.push(class);
    columns.parents.children.push(rbxbinary::Referent(9));
    columns.parents.parents.push(rbxbinary::Referent::NULL);
    let bytes = rbxbinary::to_vec(&document).expect("a document");
    let mut opened = rezkit::open(bytes, "a.rbxm", ()).expect("readable");
    let made = opened.convert(Some("rbxmx"), "a.rbxmx", &rezkit::ConvertOptions::new()).expect("converted");
    let text = String::from_utf8(made.files[0].bytes.clone()).expect("text");
    assert!(
        text.contains("<int name=\"P\">5</int>") && text.contains("<bool name=\"P\">true</bool>"),
        "{text}"
    );
}

/// A colour that is inserted into a document that stores colours with a byte per channel.
#[test]
fn a_colour_that_an_insertion_rounds_is_listed() {
    let model = |value: rbxbinary::Value| {
        let mut document = rbxbinary::Document::new();
        let new = rbxbinary::NewInstance::new("Qwertyuiop").property("Name", "T").property("C", value);
        document.insert(None, new).expect("inserted");
        rbxbinary::to_vec(&document).expect("a document")
    };
    let bytes = model(rbxbinary::Color3::new(0.123, 0.0, 1.0).into());
    let mut opened =
        rezkit::open(model(rbxbinary::Color3uint8::new(1, 2, 3).into()), "a.rbxm", ()).expect("readable");
    let edits = rezkit::Edit::parse("insert m.rbxm").expect("an edit");
    let mut models = |_: &rezkit::Reference, _: u64| Ok(Some(bytes.clone()));
    let edited = opened.edit(&edits, &mut models).expect("inserted");
    let losses = crate::texts(&edited.losses);
    let what = "m.rbxm: Qwertyuiop.C: stored with the type Color3uint8, like the values of other instances of the \
                class; this changes the value";
    assert_eq!(losses, [what]);
}
