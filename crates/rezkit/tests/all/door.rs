//! Values that enter a document get the names and the types under which files store them, or are refused.

use rbxbinary::{Document, EditOptions, NewInstance, TypeId, Value};
use rezkit::{ConvertOptions, Edit, Fill, Opened, Reference};

const PLACE: &str = "<roblox version=\"4\"><Item class=\"Workspace\"><Properties><string name=\"Name\">Workspace</string>\
    </Properties><Item class=\"Part\"><Properties><string name=\"Name\">Door</string><bool name=\"Anchored\">true</bool>\
    <Color3uint8 name=\"Color3uint8\">4278190335</Color3uint8><token name=\"Material\">256</token></Properties></Item></Item></roblox>";

fn xml(class: &str, properties: &str) -> Vec<u8> {
    let name = "<string name=\"Name\">New</string>";
    format!("<roblox version=\"4\"><Item class=\"{class}\"><Properties>{name}{properties}</Properties></Item></roblox>")
        .into_bytes()
}

fn open(bytes: &[u8]) -> Opened<'static> {
    rezkit::open(bytes.to_vec(), "a", ()).expect("readable")
}

/// The document in both forms.
fn both(bytes: &[u8]) -> [Vec<u8>; 2] {
    let to = if bytes.starts_with(b"<roblox!") { "rbxmx" } else { "rbxm" };
    let made = open(bytes).convert(Some(to), "", &ConvertOptions::new().fill(Fill::Defaults));
    [bytes.to_vec(), made.expect("converted").files[0].bytes.clone()]
}

fn binary(bytes: &[u8]) -> Document {
    let bytes = if bytes.starts_with(b"<roblox!") { bytes.to_vec() } else { both(bytes)[1].clone() };
    rbxbinary::from_slice(&bytes).expect("readable")
}

fn insert(place: &mut Opened<'_>, model: &[u8]) -> rezkit::Result<rezkit::Edited> {
    let mut models = |_: &Reference, _: u64| Ok(Some(model.to_vec()));
    place.edit(&Edit::parse("insert model Workspace").expect("an edit"), &mut models)
}

fn get(opened: &Opened<'_>, path: &str) -> String {
    opened.get(path).map_or_else(|error| error.to_string(), |value| value.summary(100))
}

#[test]
fn a_number_has_the_type_of_its_property() {
    let model = xml("NumberValue", "<float name=\"Value\">3</float>");
    for place in both(PLACE.as_bytes()) {
        let mut place = open(&place);
        insert(&mut place, &model).expect("inserted");
        let document = binary(&place.to_vec().expect("written"));
        let id = document.find("Workspace/New").expect("inserted");
        assert_eq!(document.get(id, "Value"), Some(Value::Float64(3.0).as_ref()));
    }
    // A conversion applies the same rules.
    let made = open(&model).convert(Some("rbxm"), "", &ConvertOptions::new()).expect("converted");
    assert_eq!(made.losses.len(), 1, "{:?}", made.losses);
}

#[test]
fn tags_are_a_list() {
    let tagged = PLACE.replace(
        "<token name=\"Material\">",
        "<BinaryString name=\"Tags\">T2xk</BinaryString><token name=\"Material\">",
    );
    for place in both(tagged.as_bytes()) {
        let mut opened = open(&place);
        for (value, expected) in
            [("+New,-Other", "Old, New"), ("A, B,A", "A, B"), ("-A,+C", "B, C"), ("", "")]
        {
            opened.set("Workspace/Door.Tags", value, None).expect("set");
            let document = binary(&opened.to_vec().expect("written"));
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
    let mut model = Document::new();
    let mut expected = Vec::new();
    for class in rbxcore::classes::classes() {
        let mut new = NewInstance::new(class.name()).property("Name", class.name());
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
        EditOptions::new().as_given(true).insert(&mut model, None, new).expect("as it is given");
    }
    assert!(expected.len() > 500, "{}", expected.len());
    let model = rbxbinary::to_vec(&model).expect("written");
    for place in both(PLACE.as_bytes()) {
        let mut opened = open(&place);
        insert(&mut opened, &model).expect("inserted");
        let document = binary(&opened.to_vec().expect("written"));
        for &(class, alias, stored) in &expected {
            let id = document.by_class(class).last().expect("inserted");
            assert!(document.get(id, alias).is_none(), "{class}.{alias}");
            assert!(document.get(id, stored).is_some(), "{class}.{stored}");
        }
    }
}

/// Since June 2026, Studio stores tags as a shared string, and before as a string. A document uses one of the two.
#[test]
fn tags_have_the_type_of_their_document() {
    let shared = "<roblox version=\"4\"><Item class=\"Workspace\"><Properties><string name=\"Name\">Workspace</string>\
        </Properties><Item class=\"Part\"><Properties><string name=\"Name\">Old</string>\
        <SharedString name=\"Tags\">yuZpQdnvvUBOTYh1jqZ2cA==</SharedString></Properties></Item></Item>\
        <SharedStrings><SharedString md5=\"yuZpQdnvvUBOTYh1jqZ2cA==\">QQBC</SharedString></SharedStrings></roblox>";
    let string = "<roblox version=\"4\"><Item class=\"Workspace\"><Properties><string name=\"Name\">Workspace</string>\
        </Properties><Item class=\"Part\"><Properties><string name=\"Name\">Old</string>\
        <BinaryString name=\"Tags\">QQBC</BinaryString></Properties></Item></Item></roblox>";
    let models = [
        xml("Model", "<BinaryString name=\"Tags\">QwBE</BinaryString>"),
        [
            &xml("Model", "<SharedString name=\"Tags\">x</SharedString>")[..],
            b"<SharedStrings><SharedString md5=\"x\">QwBE</SharedString></SharedStrings>",
        ]
        .concat(),
    ];
    let types = |place: &Opened<'_>| {
        let document = binary(&place.to_vec().expect("written"));
        let all = document.roots().flat_map(|root| [root].into_iter().chain(document.descendants(root)));
        let tagged = all.filter_map(|id| TypeId::of_value(&document.get(id, "Tags")?));
        tagged.collect::<std::collections::BTreeSet<_>>()
    };
    for (text, wanted) in [(shared, TypeId::SHARED_STRING), (string, TypeId::STRING)] {
        for place in both(text.as_bytes()) {
            for model in &models {
                let model =
                    String::from_utf8_lossy(model).replace("</roblox><SharedStrings>", "<SharedStrings>");
                let model = match model.ends_with("</SharedStrings>") {
                    true => format!("{model}</roblox>"),
                    false => model,
                };
                for model in both(model.as_bytes()) {
                    let mut place = open(&place);
                    insert(&mut place, &model).expect("inserted");
                    place.set("Workspace/Old.Tags", "X,Y", None).expect("set");
                    place.set("Workspace.Tags", "Z", None).expect("added");
                    assert_eq!(types(&place).into_iter().collect::<Vec<_>>(), [wanted]);
                    let place = open(&place.to_vec().expect("written"));
                    assert_eq!(get(&place, "Workspace/New.Tags"), "\"C\", \"D\"");
                    assert_eq!(get(&place, "Workspace/Old.Tags"), "\"X\", \"Y\"");
                    assert_eq!(get(&place, "Workspace.Tags"), "\"Z\"");
                }
            }
        }
    }
}

/// The texts are those of the documentation of the XML form.
#[test]
fn values_of_each_type_are_set_from_their_text() {
    let odd = xml("Odd", "");
    for (kind, text, element) in [
        ("Int64", "-9007199254740993", "<int64 name=\"P\">-9007199254740993</int64>"),
        ("UDim2", "0.5, 1, 0, -2", "<UDim2 name=\"P\"><XS>0.5</XS><XO>1</XO><YS>0</YS><YO>-2</YO></UDim2>"),
        ("Faces", "42", "<Faces name=\"P\"><faces>42</faces></Faces>"),
        ("Axes", "5", "<Axes name=\"P\"><axes>5</axes></Axes>"),
        ("Vector2", "1, 2", "<Vector2 name=\"P\"><X>1</X><Y>2</Y></Vector2>"),
        ("Vector3int16", "1, -2, 3", "<Vector3int16 name=\"P\"><X>1</X><Y>-2</Y><Z>3</Z></Vector3int16>"),
        (
            "Ray",
            "1, 2, 3, 0, -1, 0",
            "<Ray name=\"P\"><origin><X>1</X><Y>2</Y><Z>3</Z></origin><direction><X>0</X><Y>-1</Y><Z>0</Z></direction></Ray>",
        ),
        ("NumberRange", "1, 2.5", "<NumberRange name=\"P\">1 2.5 </NumberRange>"),
        ("NumberSequence", "0, 6, 3; 1, 4, 2", "<NumberSequence name=\"P\">0 6 3 1 4 2 </NumberSequence>"),
        (
            "ColorSequence",
            "0, 1, 0, 0, 0; 1, 0, 0, 1, 0",
            "<ColorSequence name=\"P\">0 1 0 0 0 1 0 0 1 0 </ColorSequence>",
        ),
        (
            "Rect",
            "1, 2, 3, 4",
            "<Rect2D name=\"P\"><min><X>1</X><Y>2</Y></min><max><X>3</X><Y>4</Y></max></Rect2D>",
        ),
        (
            "PhysicalProperties",
            "1, 2, 3, 4, 5",
            "<PhysicalProperties name=\"P\"><CustomPhysics>true</CustomPhysics><Density>1</Density><Friction>2</Friction>\
             <Elasticity>3</Elasticity><FrictionWeight>4</FrictionWeight><ElasticityWeight>5</ElasticityWeight></PhysicalProperties>",
        ),
        (
            "PhysicalProperties",
            "default",
            "<PhysicalProperties name=\"P\"><CustomPhysics>false</CustomPhysics></PhysicalProperties>",
        ),
        (
            "Font",
            "\"rbxasset://fonts/families/Arial.json\", 700, 1, \"\"",
            "<Font name=\"P\"><Family><url>rbxasset://fonts/families/Arial.json</url></Family><Weight>700</Weight>\
             <Style>Italic</Style></Font>",
        ),
        (
            "UniqueId",
            "00000000000000ff0000000200000001",
            "<UniqueId name=\"P\">00000000000000ff0000000200000001</UniqueId>",
        ),
        ("OptionalCFrame", "none", "<OptionalCoordinateFrame name=\"P\"></OptionalCoordinateFrame>"),
    ] {
        let mut opened = open(&odd);
        opened.set("New.P", text, Some(kind)).expect(kind);
        let written = String::from_utf8(opened.to_vec().expect("written")).expect("text");
        let written: String = written.lines().map(str::trim).collect();
        assert!(written.contains(element), "{kind}: {written}");
        // The text that is shown sets the same value.
        let shown = get(&opened, "New.P");
        opened.set("New.P", &shown, Some(kind)).expect(&shown);
        assert_eq!(get(&opened, "New.P"), shown);
    }
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
        (
            "PhysicalProperties",
            "1,2,3,4,x",
            "five numbers (density, friction, elasticity, friction weight, elasticity weight)",
        ),
        (
            "PhysicalProperties",
            "1,2",
            "six numbers (density, friction, elasticity, friction weight, elasticity weight, acoustic absorption)",
        ),
    ] {
        let error = open(&odd).set("New.P", text, Some(kind)).expect_err(kind).to_string();
        assert!(error.ends_with(&format!("expected {expected}, found `{text}`")), "{error}");
    }
}

/// The XML elements of properties: an older property under a name that scripts use now, an item by its name, a list and a
/// feature of 2006, a wrong type, a number in place of a sequence.
const ODD: &str = "<Ref name=\"MaterialVariant\">null</Ref><token name=\"shape\">Ball</token><tokens name=\"Keywords\" \
    xsi:nil=\"true\"></tokens><Feature name=\"Item\"><bool name=\"CanSelect\">true</bool></Feature><int name=\"Anchored\">1</int>";

/// A copy of an instance can be inserted into its own place, whatever types its values have.
#[test]
fn a_copy_fits_into_its_own_place() {
    let item = |class: &str, name: &str, properties: &str| {
        format!(
            "<Item class=\"{class}\"><Properties><string name=\"Name\">{name}</string>{properties}</Properties></Item>"
        )
    };
    let items = item("Part", "Odd", ODD) + &item("ParticleEmitter", "Dust", "<float name=\"Size\">2</float>");
    let xml = format!("<roblox xmlns:xsi=\"x\" version=\"4\">{}</roblox>", items);
    let mut document = Document::new();
    let part = NewInstance::new("Part").property("Name", "Odd").property("Anchored", 1_i32);
    let part = part.property("MaterialVariant", Value::Ref(None));
    let dust = NewInstance::new("ParticleEmitter").property("Name", "Dust").property("Size", 2.0_f32);
    for new in [part, dust] {
        EditOptions::new().as_given(true).insert(&mut document, None, new).expect("inserted");
    }
    let binary = rbxbinary::to_vec(&document).expect("written");
    for (place, extension) in [(xml.into_bytes(), "rbxmx"), (binary, "rbxm")] {
        let mut opened = open(&place);
        for name in ["Odd", "Dust"] {
            let copy = format!("copy {name} copy.{extension}");
            let copied = opened.edit(&Edit::parse(&copy).expect("an edit"), &mut ()).expect("copied");
            let model = copied.models[0].1.clone();
            let mut models = |_: &Reference, _: u64| Ok(Some(model.clone()));
            opened.edit(&Edit::parse("insert model").expect("an edit"), &mut models).expect("inserted");
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
    let mut document = Document::new();
    let part = NewInstance::new("Part").property("Name", "A").property("Anchored", 1_i32);
    let part = part.property("MaterialVariant", Value::Ref(None));
    EditOptions::new().as_given(true).insert(&mut document, None, part).expect("inserted");
    // A chunk that ends after the name of the property, which Roblox ignores.
    let mut bytes = rbxbinary::to_vec(&document).expect("written");
    let prnt = bytes.windows(4).rposition(|name| name == b"PRNT").expect("there");
    let id = document.classes()[0].id.to_le_bytes();
    let chunk = [&b"PROP\0\0\0\0\x1a\0\0\0\0\0\0\0"[..], &id, b"\x12\0\0\0WorldPivotInternal"].concat();
    bytes.splice(prnt..prnt, chunk);
    let made = open(&bytes).convert(Some("rbxmx"), "", &ConvertOptions::new()).expect("converted");
    let text = String::from_utf8(made.files[0].bytes.clone()).expect("text");
    assert!(text.contains("<int name=\"Anchored\">1</int>"), "{text}");
    assert!(text.contains("<Ref name=\"MaterialVariant\">null</Ref>"), "{text}");
    let model = xml("Part", "<Ref name=\"MaterialVariant\">null</Ref><token name=\"shape\">Ball</token>");
    let made = open(&model).convert(Some("rbxm"), "", &ConvertOptions::new()).expect("converted");
    let document = rbxbinary::from_slice(&made.files[0].bytes).expect("readable");
    let id = document.find("New").expect("there");
    assert_eq!(document.get(id, "MaterialVariant"), Some(Value::Ref(None).as_ref()));
    // Ball is the item 0 of PartType.
    assert_eq!(document.get(id, "shape"), Some(Value::Enum(0).as_ref()));
    let model = xml("ParticleEmitter", "<float name=\"Size\">2</float>");
    let made = open(&model).convert(Some("rbxm"), "", &ConvertOptions::new()).expect("converted");
    assert_eq!(get(&open(&made.files[0].bytes), "New.Size"), "0, 2, 0; 1, 2, 0");
}

/// With `allow_loss`, only the values at fault are dropped, and listed.
#[test]
fn only_the_value_at_fault_is_dropped() {
    let model = xml(
        "Part",
        "<string name=\"Transparency\">x</string><bool name=\"Locked\">true</bool><Foo name=\"Bar\">1</Foo>",
    );
    for place in both(PLACE.as_bytes()) {
        let mut opened = open(&place);
        insert(&mut opened, &model).expect_err("refused");
        let mut models = |_: &Reference, _: u64| Ok(Some(model.clone()));
        let edits = Edit::parse("insert model Workspace").expect("an edit");
        let options = ConvertOptions::new().allow_loss(true);
        let edited = opened.edit_with(&edits, &mut models, &options).expect("inserted");
        assert!(
            edited.losses.iter().any(|loss| loss.to_string().contains("Transparency")),
            "{:?}",
            edited.losses
        );
        assert_eq!(get(&opened, "Workspace/New.Locked"), "true");
        assert_ne!(get(&opened, "Workspace/New.Transparency"), "x");
    }
}

/// A name that Roblox ever had is known, and typing errors are still found.
#[test]
fn names_of_other_years_are_known() {
    let found = |class: &str, properties: &[&str]| {
        let properties: String =
            properties.iter().map(|name| format!("<bool name=\"{name}\">true</bool>")).collect();
        let mut opened = open(&xml(class, &properties));
        let mut found = opened.check(&[]).expect("checked");
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
