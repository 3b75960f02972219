//! Values that enter a document get the names and the types under which files store them, or are refused.

use crate::Ask as _;
use crate::xml::{binary, document, field, item, tree, with_shared};
use rbxbinary::parts::TypeId;
use rbxbinary::{Document, Value};

use crate::{binary_of, instance};
use rezkit::{ConvertOptions, Edit, EditOptions, Fill, Opened, Reference};

/// A place with a door, which has more properties.
fn place(more: &str) -> Vec<u8> {
    let color = field("Color3uint8", "Color3uint8", 0xff_00_00_ff_u32);
    let properties = field("bool", "Anchored", true) + &color + more + &field("token", "Material", 256);
    tree(&format!("Workspace|Workspace\n  Part|Door|{properties}"))
}

fn xml(class: &str, properties: &str) -> Vec<u8> {
    document(&item(class, "New", properties, ""))
}

fn open(bytes: impl AsRef<[u8]>) -> Opened<'static> {
    crate::open(bytes, "a")
}

/// The document in both forms.
fn both(bytes: &[u8]) -> [Vec<u8>; 2] {
    let to = if bytes.starts_with(b"<roblox!") { "rbxmx" } else { "rbxm" };
    let options = ConvertOptions::new().fill(Fill::Defaults);
    [bytes.to_vec(), open(bytes).made_with(&format!("a.{to}"), &options).0]
}

fn as_binary(bytes: &[u8]) -> Document {
    let bytes = if bytes.starts_with(b"<roblox!") { bytes.to_vec() } else { both(bytes)[1].clone() };
    rbxbinary::from_slice(&bytes).expect("readable")
}

fn insert(place: &mut Opened<'_>, model: &[u8]) -> rezkit::Result<rezkit::Edited> {
    let mut models = |_: &Reference, _: u64| Ok(Some(model.to_vec()));
    place.edit(&Edit::parse("insert model Workspace").expect("an edit"), &mut models, &EditOptions::new())
}

#[test]
fn a_number_has_the_type_of_its_property() {
    let model = xml("NumberValue", "<float name=\"Value\">3</float>");
    for place in both(&place("")) {
        let mut place = open(&place);
        insert(&mut place, &model).expect("inserted");
        let document = as_binary(&place.written());
        let id = document.find("Workspace/New").expect("inserted");
        assert_eq!(document.get(id, "Value"), Some(Value::Float64(3.0).as_ref()));
    }
    // A conversion applies the same rules.
    let made = open(&model).convert(Some("rbxm"), "", &ConvertOptions::new()).expect("converted");
    assert_eq!(made.losses.len(), 1, "{:?}", made.losses);
}

#[test]
fn tags_are_a_list() {
    for place in both(&place(&binary("Tags", "Old"))) {
        let mut opened = open(&place);
        for (value, expected) in
            [("+New,-Other", "Old, New"), ("A, B,A", "A, B"), ("-A,+C", "B, C"), ("", "")]
        {
            opened.set("Workspace/Door.Tags", value, None).expect("set");
            let document = as_binary(&opened.written());
            let door = document.find("Workspace/Door").expect("there");
            let bytes = document.get(door, "Tags").and_then(|tags| tags.as_bytes().map(<[u8]>::to_vec));
            let found = String::from_utf8(bytes.expect("stored")).expect("text").replace('\0', ", ");
            assert_eq!(found, expected, "{value}");
        }
        opened.set("Workspace/Door.Tags", "A,+B", None).expect_err("refused");
    }
}

/// Every other name of a property that scripts or old files use, for every class.
#[test]
fn every_alias_of_the_class_table() {
    let (mut model, mut expected) = (Vec::new(), Vec::new());
    for class in rbxcore::classes::classes() {
        let mut new = instance(class.name(), class.name());
        for property in class.properties() {
            let Some(type_id) = TypeId::of_property(class.name(), property.name()) else { continue };
            let value = type_id.default_of(class.name(), property.name());
            let value = value.or_else(|| type_id.neutral());
            let alias = property.other_names().find(|alias| {
                class.property(alias).is_some_and(|known| known.name() == property.name())
                    && class.stored(alias).is_none()
            });
            let (Some(alias), Some(value)) = (alias, value) else { continue };
            expected.push((class.name(), alias, property.name()));
            new = new.property(alias, value);
        }
        model.push(new);
    }
    assert!(expected.len() > 500, "{}", expected.len());
    let model = binary_of(model);
    for place in both(&place("")) {
        let mut opened = open(&place);
        insert(&mut opened, &model).expect("inserted");
        let document = as_binary(&opened.written());
        for &(class, alias, stored) in &expected {
            let id = document.by_class(class).last().expect("inserted");
            assert!(document.properties(id).all(|(name, _)| name != alias), "{class}.{alias}");
            assert!(document.get(id, stored).is_some(), "{class}.{stored}");
        }
    }
}

/// Since June 2026, Studio stores tags as a shared string, and before as a string. A document uses one of the two.
#[test]
fn tags_have_the_type_of_their_document() {
    let old = |tags: &str| item("Workspace", "Workspace", "", &item("Part", "Old", tags, ""));
    let (shared, string) = (field("SharedString", "Tags", "k"), |tags| binary("Tags", tags));
    let places = [with_shared(&old(&shared), "A\0B"), document(&old(&string("A\0B")))];
    let new = item("Model", "New", &shared, "");
    let models = [xml("Model", &string("C\0D")), with_shared(&new, "C\0D")];
    let types = |place: &Opened<'_>| {
        let document = as_binary(&place.written());
        let all = document.roots().flat_map(|root| [root].into_iter().chain(document.descendants(root)));
        let tagged = all.filter_map(|id| TypeId::of_value(&document.get(id, "Tags")?));
        tagged.collect::<std::collections::BTreeSet<_>>()
    };
    for (text, wanted) in places.iter().zip([TypeId::SHARED_STRING, TypeId::STRING]) {
        for place in both(text) {
            for model in &models {
                for model in both(model) {
                    let mut place = open(&place);
                    insert(&mut place, &model).expect("inserted");
                    place.set("Workspace/Old.Tags", "X,Y", None).expect("set");
                    place.set("Workspace.Tags", "Z", None).expect("added");
                    assert_eq!(types(&place).into_iter().collect::<Vec<_>>(), [wanted]);
                    let place = open(place.written());
                    assert_eq!(place.text("Workspace/New.Tags"), "\"C\", \"D\"");
                    assert_eq!(place.text("Workspace/Old.Tags"), "\"X\", \"Y\"");
                    assert_eq!(place.text("Workspace.Tags"), "\"Z\"");
                }
            }
        }
    }
}

/// The texts are those of the documentation of the XML form.
#[test]
fn values_of_each_type_are_set_from_their_text() {
    let odd = xml("Odd", "");
    for row in [
        "Int64 | -9007199254740993 | <int64 name='P'>-9007199254740993</int64>",
        "UDim2 | 0.5, 1, 0, -2 | <UDim2 name='P'><XS>0.5</XS><XO>1</XO><YS>0</YS><YO>-2</YO></UDim2>",
        "Faces | 42 | <Faces name='P'><faces>42</faces></Faces>",
        "Axes | 5 | <Axes name='P'><axes>5</axes></Axes>",
        "Vector2 | 1, 2 | <Vector2 name='P'><X>1</X><Y>2</Y></Vector2>",
        "Vector3int16 | 1, -2, 3 | <Vector3int16 name='P'><X>1</X><Y>-2</Y><Z>3</Z></Vector3int16>",
        "Ray | 1, 2, 3, 0, -1, 0 | <Ray name='P'><origin><X>1</X><Y>2</Y><Z>3</Z></origin><direction><X>0</X><Y>-1</Y><Z>0</Z></direction></Ray>",
        "NumberRange | 1, 2.5 | <NumberRange name='P'>1 2.5 </NumberRange>",
        "NumberSequence | 0, 6, 3; 1, 4, 2 | <NumberSequence name='P'>0 6 3 1 4 2 </NumberSequence>",
        "ColorSequence | 0, 1, 0, 0, 0; 1, 0, 0, 1, 0 | <ColorSequence name='P'>0 1 0 0 0 1 0 0 1 0 </ColorSequence>",
        "Rect | 1, 2, 3, 4 | <Rect2D name='P'><min><X>1</X><Y>2</Y></min><max><X>3</X><Y>4</Y></max></Rect2D>",
        "PhysicalProperties | 1, 2, 3, 4, 5 | <PhysicalProperties name='P'><CustomPhysics>true</CustomPhysics><Density>1</Density><Friction>2</Friction>\
             <Elasticity>3</Elasticity><FrictionWeight>4</FrictionWeight><ElasticityWeight>5</ElasticityWeight></PhysicalProperties>",
        "PhysicalProperties | default | <PhysicalProperties name='P'><CustomPhysics>false</CustomPhysics></PhysicalProperties>",
        "Font | \"rbxasset://fonts/families/Arial.json\", 700, 1, \"\" | <Font name='P'><Family><url>rbxasset://fonts/families/Arial.json</url></Family><Weight>700</Weight>\
             <Style>Italic</Style></Font>",
        "UniqueId | 00000000000000ff0000000200000001 | <UniqueId name='P'>00000000000000ff0000000200000001</UniqueId>",
        "OptionalCFrame | none | <OptionalCoordinateFrame name='P'></OptionalCoordinateFrame>",
    ] {
        let [kind, text, element] = row.splitn(3, " | ").collect::<Vec<_>>()[..] else { panic!("{row}") };
        let element = element.replace('\'', "\"");
        let mut opened = open(&odd);
        opened.set("New.P", text, Some(kind)).expect(kind);
        let written = opened.xml();
        let written: String = written.lines().map(str::trim).collect();
        assert!(written.contains(&element), "{kind}: {written}");
        // The text that is shown sets the same value.
        let shown = opened.text("New.P");
        opened.set("New.P", &shown, Some(kind)).expect(&shown);
        assert_eq!(opened.text("New.P"), shown);
    }
    let density = "density, friction, elasticity, friction weight, elasticity weight";
    for (kind, text, expected) in [
        ("Vector3", "1,2", "three numbers (x, y, z)"),
        ("Float32", "1e39", "a number"),
        ("Float64", "-1e309", "a number"),
        ("Bool", "yes", "true or false"),
        ("Int64", "1.5", "a 64-bit integer"),
        (
            "UniqueId",
            "12",
            "32 hexadecimal digits (16 for the random part, 8 for the time and 8 for the index)",
        ),
        ("PhysicalProperties", "1,2,3,4,x", &format!("five numbers ({density})")),
        ("PhysicalProperties", "1,2", &format!("six numbers ({density}, acoustic absorption)")),
    ] {
        let error = open(&odd).set("New.P", text, Some(kind)).expect_err(kind).to_string();
        assert!(error.ends_with(&format!("expected {expected}, found `{text}`")), "{error}");
    }
}

/// A number that is no BrickColor is refused from a user and listed from a model, as one that is no item of an enum: Rojo
/// (rbx_xml) cannot read such a file.
#[test]
fn numbers_of_brick_colors() {
    let model = |number: u32| xml("BrickColorValue", &field("int", "Value", number));
    for place in both(&model(194)) {
        let mut opened = open(&place);
        let refused = "99 is not the number of a BrickColor; expected one such as Medium stone grey (194)";
        for (path, kind) in
            [("New.Value", None), ("New.Value", Some("int32")), ("New.Attributes.A", Some("BrickColor"))]
        {
            let error = opened.set(path, "99", kind).expect_err(path).to_string();
            assert!(error.contains(refused), "{error}");
        }
        let add = Edit::parse("add BrickColorValue Name=B Value=99").expect("an edit");
        let error = opened.edit(&add, &mut (), &EditOptions::new()).expect_err("refused").to_string();
        assert!(error.contains(refused), "{error}");
        opened.set("New.Value", "1032", None).expect("Hot pink");
        opened.set("New.Attributes.A", "1032", Some("BrickColor")).expect("Hot pink");
        assert_eq!(
            (opened.text("New.Value"), opened.text("New.AttributesSerialize.A")),
            ("1032".into(), "1032".into())
        );
        let mut models = |_: &Reference, _: u64| Ok(Some(model(99)));
        let edited = opened
            .edit(&Edit::parse("insert model").expect("an edit"), &mut models, &EditOptions::new())
            .expect("inserted");
        let odd =
            "BrickColorValue.Value: 99 is not the number of a BrickColor, so Roblox may ignore or replace it";
        crate::has(&edited.losses, odd);
    }
}

/// The XML elements of properties: an older property under a name that scripts use now, an item by its name, a list and a
/// feature of 2006, a wrong type, a number in place of a sequence.
const ODD: &str = "<Ref name=\"MaterialVariant\">null</Ref><token name=\"shape\">Ball</token><tokens name=\"Keywords\" \
    xsi:nil=\"true\"></tokens><Feature name=\"Item\"><bool name=\"CanSelect\">true</bool></Feature><int name=\"Anchored\">1</int>";

/// A copy of an instance can be inserted into its own place, whatever types its values have.
#[test]
fn a_copy_fits_into_its_own_place() {
    let items =
        item("Part", "Odd", ODD, "") + &item("ParticleEmitter", "Dust", &field("float", "Size", 2), "");
    let xml = String::from_utf8(document(&items)).expect("text").replacen(' ', " xmlns:xsi=\"x\" ", 1);
    let part =
        instance("Part", "Odd").property("Anchored", 1_i32).property("MaterialVariant", Value::Ref(None));
    let dust = instance("ParticleEmitter", "Dust").property("Size", 2.0_f32);
    let binary = binary_of([part, dust]);
    for (place, extension) in [(xml.into_bytes(), "rbxmx"), (binary, "rbxm")] {
        let mut opened = open(&place);
        for name in ["Odd", "Dust"] {
            let copy = format!("copy {name} copy.{extension}");
            let copied = opened
                .edit(&Edit::parse(&copy).expect("an edit"), &mut (), &EditOptions::new())
                .expect("copied");
            let model = copied.models[0].1.clone();
            let mut models = |_: &Reference, _: u64| Ok(Some(model.clone()));
            opened
                .edit(&Edit::parse("insert model").expect("an edit"), &mut models, &EditOptions::new())
                .expect("inserted");
        }
        for property in ["Odd.Anchored", "Odd.MaterialVariant", "Dust.Size"] {
            let (old, new) = (opened.get(property), opened.get(&property.replacen('.', "[1].", 1)));
            assert_eq!(old.expect("there"), new.expect("there"), "{property}");
        }
    }
}

/// XML holds what the binary form holds, and the binary form an older property in its own type.
#[test]
fn types_of_other_years_are_held() {
    let part =
        instance("Part", "A").property("Anchored", 1_i32).property("MaterialVariant", Value::Ref(None));
    // A chunk that ends after the name of the property, which Roblox ignores.
    let mut bytes = binary_of([part]);
    let prnt = bytes.windows(4).rposition(|name| name == b"PRNT").expect("there");
    let chunk = [&b"PROP\0\0\0\0\x1a\0\0\0\0\0\0\0"[..], &[0; 4], b"\x12\0\0\0WorldPivotInternal"].concat();
    bytes.splice(prnt..prnt, chunk);
    let text = String::from_utf8(open(&bytes).made("a.rbxmx")).expect("text");
    assert!(text.contains("<int name=\"Anchored\">1</int>"), "{text}");
    assert!(text.contains("<Ref name=\"MaterialVariant\">null</Ref>"), "{text}");
    let model = xml("Part", "<Ref name=\"MaterialVariant\">null</Ref><token name=\"shape\">Ball</token>");
    let document = rbxbinary::from_slice(&open(&model).made("a.rbxm")).expect("readable");
    let id = document.find("New").expect("there");
    assert_eq!(document.get(id, "MaterialVariant"), Some(Value::Ref(None).as_ref()));
    // Ball is the item 0 of PartType.
    assert_eq!(document.get(id, "shape"), Some(Value::Enum(0).as_ref()));
    let model = xml("ParticleEmitter", "<float name=\"Size\">2</float>");
    let made = open(&model).made("a.rbxm");
    assert_eq!(open(&made).text("New.Size"), "0, 2, 0; 1, 2, 0");
}

/// With `allow_loss`, only the values at fault are dropped, and listed.
#[test]
fn only_the_value_at_fault_is_dropped() {
    let model = xml(
        "Part",
        "<string name=\"Transparency\">x</string><bool name=\"Locked\">true</bool><Foo name=\"Bar\">1</Foo>",
    );
    for place in both(&place("")) {
        let mut opened = open(&place);
        insert(&mut opened, &model).expect_err("refused");
        let mut models = |_: &Reference, _: u64| Ok(Some(model.clone()));
        let edits = Edit::parse("insert model Workspace").expect("an edit");
        let options = EditOptions::new().convert(ConvertOptions::new().allow_loss(true));
        let edited = opened.edit(&edits, &mut models, &options).expect("inserted");
        crate::has(&edited.losses, "Transparency");
        assert_eq!(opened.text("Workspace/New.Locked"), "true");
        assert_ne!(opened.text("Workspace/New.Transparency"), "x");
    }
}

/// A name that Roblox ever had is known, and typing errors are still found.
#[test]
fn names_of_other_years_are_known() {
    let found = |class: &str, properties: &[&str]| {
        let properties: String = properties.iter().map(|name| field("bool", name, true)).collect();
        let mut found = open(xml(class, &properties)).check(&[], None).expect("checked");
        found.retain(|of| of.rule == "rbxxml.stored-names" || of.rule == "rbxxml.stored-classes");
        found.len()
    };
    for (class, properties) in [
        ("FWService", &[][..]),
        ("ABTestService", &[]),
        ("FacialAnimationStreamingService", &[]),
        ("Part", &["CastsShadows", "CollisionGroups", "siz", "shap"]),
        ("BodyColors", &["HeadColor", "TorsoColor", "LeftArmColor", "RightLegColor"]),
        ("CanvasGroup", &["GroupColor", "BackgroundColor", "BorderColor"]),
        ("SurfaceAppearance", &["TexturePack0", "TexturePack1"]),
        ("TextLabel", &["TextColor"]),
        ("Sound", &["MinDistance", "IsPlaying", "xmlRead_MinDistance_3"]),
    ] {
        assert_eq!(found(class, properties), 0, "{class}");
    }
    assert_eq!(found("Part", &["Ancored", "CastsShadow"]), 2);
    assert_eq!((found("Wrokspace", &[]), found("ScriptContexts", &[]), found("TwenService", &[])), (1, 1, 1));
}
