//! Values and their text, read and written: every example of the specification (corrected if real files differ), and
//! other values of real files.

use geom::{Mat3, Vec2, Vec3};
use rbxxml::types::{
    Axes, BrickColor, CFrame, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Content,
    CustomPhysicalProperties, Faces, Font, FontStyle, NumberRange, NumberSequence, NumberSequenceKeypoint,
    PhysicalProperties, Ray, Rect, SecurityCapabilities, UDim, UDim2, UniqueId, Unknown, Vector2int16,
    Vector3int16,
};
use rbxxml::{Document, NewInstance, Value};

#[test]
fn every_fixture_comes_back() {
    testkit::fixtures_come_back(
        "rbxxml",
        |_, _| false,
        |_, bytes| rbxxml::to_vec(&rbxxml::from_slice(bytes)?),
    );
}

/// Reads the element of a property; the document must be written unchanged.
fn read(element: &str) -> Value {
    let text =
        format!("<roblox version=\"4\"><Item class=\"A\"><Properties>{element}</Properties></Item></roblox>");
    let document = rbxxml::from_str(&text).unwrap_or_else(|error| panic!("{element}: {error}"));
    let id = document.roots().next().unwrap();
    let (name, value) = document.properties(id).next().unwrap();
    assert_eq!((name.to_string(), document.properties(id).count()), ("E".into(), 1), "{element}");
    // Whatever it was, it comes back.
    assert_eq!(rbxxml::to_string(&document).unwrap(), text);
    value.to_value()
}

/// The element of a property as it is written, without its indentation.
fn write(value: Value) -> String {
    let mut document = Document::new();
    document.insert(None, NewInstance::new("A").property("E", value)).unwrap();
    let text = rbxxml::to_string(&document).unwrap();
    let (_, text) = text.split_once("<Properties>").unwrap();
    let (text, _) = text.split_once("\n\t\t</Properties>").unwrap();
    text.replace("\n\t\t\t", "\n")[1..].to_owned()
}

fn pair(element: &str, value: impl Into<Value>) {
    let value = value.into();
    assert_eq!(read(element), value, "{element}");
    assert_eq!(write(value), element);
}

const FRAME: &str = "<X>4</X>\n\t<Y>5</Y>\n\t<Z>6</Z>\n\t<R00>1</R00>\n\t<R01>-0</R01>\n\t<R02>0</R02>\n\t\
    <R10>0</R10>\n\t<R11>0</R11>\n\t<R12>-1</R12>\n\t<R20>0</R20>\n\t<R21>1</R21>\n\t<R22>0</R22>";

fn frame() -> CFrame {
    let rotation = Mat3::from_rows([1.0, -0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0]);
    CFrame { position: Vec3::new(4.0, 5.0, 6.0), rotation }
}

#[test]
fn text_and_numbers() {
    pair(r#"<string name="E">Hello, world!</string>"#, "Hello, world!");
    pair(r#"<string name="E"></string>"#, "");
    pair(
        r#"<string name="E">&lt;a&gt; &amp; &quot;b&quot; &apos;c&apos;&#13;
	é</string>"#,
        "<a> & \"b\" 'c'\r\n\té",
    );
    pair(
        r#"<ProtectedString name="E"><![CDATA[print("Hello world!")]]></ProtectedString>"#,
        Value::ProtectedString("print(\"Hello world!\")".into()),
    );
    pair(
        "<ProtectedString name=\"E\"><![CDATA[a[b[1]]]]><![CDATA[> 2]]></ProtectedString>",
        Value::ProtectedString("a[b[1]]> 2".into()),
    );
    pair(r#"<ProtectedString name="E"></ProtectedString>"#, Value::ProtectedString("".into()));
    pair(
        r#"<ProtectedString name="E">a&#13;
&lt;b</ProtectedString>"#,
        Value::ProtectedString("a\r\n<b".into()),
    );
    pair(
        r#"<BinaryString name="E">Um9qbyBpcyBjb29sIQ==</BinaryString>"#,
        Value::BinaryString("Rojo is cool!".into()),
    );
    // 54 bytes fill a line of 72 characters. One more byte gives two lines, in a CDATA section.
    let line = "AAAA".repeat(18);
    pair(&format!("<BinaryString name=\"E\">{line}</BinaryString>"), Value::BinaryString(vec![0; 54].into()));
    pair(
        &format!("<BinaryString name=\"E\"><![CDATA[{line}\nAA==]]></BinaryString>"),
        Value::BinaryString(vec![0; 55].into()),
    );
    pair(r#"<bool name="E">false</bool>"#, false);
    pair(r#"<bool name="E">true</bool>"#, true);
    pair(r#"<int name="E">1337</int>"#, 1337);
    pair(r#"<int name="E">-2147483648</int>"#, i32::MIN);
    pair(r#"<int64 name="E">-559038737</int64>"#, -559_038_737_i64);
    pair(r#"<int64 name="E">9223372036854775807</int64>"#, i64::MAX);
    pair(r#"<float name="E">0.15625</float>"#, 0.156_25_f32);
    pair(r#"<float name="E">0.100000001</float>"#, 0.1_f32);
    pair(r#"<float name="E">-0</float>"#, -0.0_f32);
    pair(r#"<float name="E">1.30000003e+38</float>"#, 1.3e38_f32);
    pair(r#"<float name="E">INF</float>"#, f32::INFINITY);
    pair(r#"<float name="E">NAN</float>"#, f32::NAN);
    pair(r#"<double name="E">0.15625</double>"#, 0.156_25);
    pair(r#"<double name="E">28.400001481175423</double>"#, 28.400_001_481_175_423);
    pair(r#"<double name="E">-INF</double>"#, f64::NEG_INFINITY);
    pair(r#"<double name="E">1.0000000000000001e+300</double>"#, 1e300);
    pair(r#"<token name="E">3</token>"#, Value::Enum(3));
    pair(r#"<token name="E">-1</token>"#, Value::Enum(u32::MAX));
    assert_eq!(read(r#"<BrickColor name="E">194</BrickColor>"#), BrickColor(194).into());
    assert_eq!(write(BrickColor(194).into()), r#"<int name="E">194</int>"#);
    pair(
        r#"<SecurityCapabilities name="E">2882400000</SecurityCapabilities>"#,
        SecurityCapabilities(2_882_400_000),
    );
    pair(
        r#"<UniqueId name="E">44b188dace632b4702e9c68d004815fc</UniqueId>"#,
        UniqueId { random: 0x44b1_88da_ce63_2b47, time: 0x02e9_c68d, index: 0x0048_15fc },
    );
    pair(
        r#"<UniqueId name="E">f6f6c792062696e60000000100000002</UniqueId>"#,
        UniqueId { random: 0xf6f6_c792_0626_96e6, time: 1, index: 2 },
    );
}

#[test]
fn components() {
    pair("<Axes name=\"E\">\n\t<axes>1</axes>\n</Axes>", Axes::X);
    pair("<Faces name=\"E\">\n\t<faces>42</faces>\n</Faces>", Faces(2 + 8 + 32));
    pair(
        "<Color3 name=\"E\">\n\t<R>INF</R>\n\t<G>1337</G>\n\t<B>0.15625</B>\n</Color3>",
        Color3 { r: f32::INFINITY, g: 1337.0, b: 0.156_25 },
    );
    pair(r#"<Color3uint8 name="E">4284497952</Color3uint8>"#, Color3uint8 { r: 96, g: 64, b: 32 });
    pair(&format!("<CoordinateFrame name=\"E\">\n\t{FRAME}\n</CoordinateFrame>"), frame());
    let inner = FRAME.replace('\t', "\t\t");
    pair(
        &format!(
            "<OptionalCoordinateFrame name=\"E\">\n\t<CFrame>\n\t\t{inner}\n\t</CFrame>\n</OptionalCoordinateFrame>"
        ),
        Some(frame()),
    );
    pair(r#"<OptionalCoordinateFrame name="E"></OptionalCoordinateFrame>"#, None::<CFrame>);
    pair(
        "<UDim name=\"E\">\n\t<S>0.15625</S>\n\t<O>1337</O>\n</UDim>",
        UDim { scale: 0.156_25, offset: 1337 },
    );
    pair(
        "<UDim2 name=\"E\">\n\t<XS>0.15625</XS>\n\t<XO>1337</XO>\n\t<YS>-123</YS>\n\t<YO>456</YO>\n</UDim2>",
        UDim2 { x: UDim { scale: 0.156_25, offset: 1337 }, y: UDim { scale: -123.0, offset: 456 } },
    );
    pair("<Vector2 name=\"E\">\n\t<X>INF</X>\n\t<Y>1337</Y>\n</Vector2>", Vec2::new(f32::INFINITY, 1337.0));
    pair(
        "<Vector3 name=\"E\">\n\t<X>-INF</X>\n\t<Y>0.15625</Y>\n\t<Z>-1337</Z>\n</Vector3>",
        Vec3::new(f32::NEG_INFINITY, 0.156_25, -1337.0),
    );
    pair(
        "<Vector3int16 name=\"E\">\n\t<X>1337</X>\n\t<Y>0</Y>\n\t<Z>-1337</Z>\n</Vector3int16>",
        Vector3int16 { x: 1337, y: 0, z: -1337 },
    );
    pair(
        "<Vector2int16 name=\"E\">\n\t<X>-32768</X>\n\t<Y>32767</Y>\n</Vector2int16>",
        Vector2int16 { x: -32768, y: 32767 },
    );
    let xyz = |a: i32, b: i32, c: i32| format!("\n\t\t<X>{a}</X>\n\t\t<Y>{b}</Y>\n\t\t<Z>{c}</Z>\n\t");
    pair(
        &format!(
            "<Ray name=\"E\">\n\t<origin>{}</origin>\n\t<direction>{}</direction>\n</Ray>",
            xyz(1, 2, 3),
            xyz(-1, -2, -3)
        ),
        Ray { origin: Vec3::new(1.0, 2.0, 3.0), direction: Vec3::new(-1.0, -2.0, -3.0) },
    );
    pair(
        "<Rect2D name=\"E\">\n\t<min>\n\t\t<X>1</X>\n\t\t<Y>2</Y>\n\t</min>\n\t<max>\n\t\t<X>3</X>\n\t\t<Y>4</Y>\n\t</max>\n</Rect2D>",
        Rect { min: Vec2::new(1.0, 2.0), max: Vec2::new(3.0, 4.0) },
    );
}

#[test]
fn physical_properties() {
    let numbers = "<Density>1</Density>\n\t<Friction>2</Friction>\n\t<Elasticity>3</Elasticity>\n\t\
        <FrictionWeight>0.15625</FrictionWeight>\n\t<ElasticityWeight>1.25</ElasticityWeight>";
    let custom = CustomPhysicalProperties {
        density: 1.0,
        friction: 2.0,
        elasticity: 3.0,
        friction_weight: 0.156_25,
        elasticity_weight: 1.25,
        acoustic_absorption: None,
    };
    let element = |inner: &str| {
        format!("<PhysicalProperties name=\"E\">\n\t<CustomPhysics>{inner}\n</PhysicalProperties>")
    };
    pair(&element("false</CustomPhysics>"), PhysicalProperties::Default);
    pair(&element(&format!("true</CustomPhysics>\n\t{numbers}")), PhysicalProperties::Custom(custom));
    pair(
        &element(&format!(
            "true</CustomPhysics>\n\t{numbers}\n\t<AcousticAbsorption>0.5</AcousticAbsorption>"
        )),
        PhysicalProperties::Custom(CustomPhysicalProperties { acoustic_absorption: Some(0.5), ..custom }),
    );
}

#[test]
fn sequences() {
    let color =
        |r: u8, g: u8, b: u8| [r, g, b].map(|c| format!("{:.6}", f32::from(c) / 255.0).parse().unwrap());
    let [r, g, b]: [f32; 3] = color(96, 64, 32);
    assert_eq!([r, g, b], [0.376_471, 0.250_98, 0.125_49]);
    let first = ColorSequenceKeypoint { time: 0.0, color: Color3 { r, g, b }, envelope: 0.0 };
    let color = Color3 { r: 0.019_607_8, g: 0.039_215_7, b: 0.058_823_5 };
    let last = ColorSequenceKeypoint { time: 1.0, color, envelope: 0.0 };
    pair(
        r#"<ColorSequence name="E">0 0.376471 0.25098 0.12549 0 1 0.0196078 0.0392157 0.0588235 0 </ColorSequence>"#,
        ColorSequence { keypoints: vec![first, last] },
    );
    let first = NumberSequenceKeypoint { time: 0.0, value: 6.0, envelope: 3.0 };
    let last = NumberSequenceKeypoint { time: 1.0, value: 4.0, envelope: 2.0 };
    pair(
        r#"<NumberSequence name="E">0 6 3 1 4 2 </NumberSequence>"#,
        NumberSequence { keypoints: vec![first, last] },
    );
    pair(r#"<NumberRange name="E">0.15625 1337 </NumberRange>"#, NumberRange { min: 0.156_25, max: 1337.0 });
    // Six digits, as Studio writes, unless more are needed.
    pair(
        r#"<NumberRange name="E">0.95 0.376470596 </NumberRange>"#,
        NumberRange { min: 0.95, max: 0.376_470_6 },
    );
}

#[test]
fn assets_and_references() {
    let url = "rbxasset://textures/face.png";
    pair(&format!("<Content name=\"E\"><url>{url}</url></Content>"), Value::ContentId(url.into()));
    pair(r#"<Content name="E"><null></null></Content>"#, Value::ContentId("".into()));
    pair(&format!("<Content name=\"E\">\n\t<uri>{url}</uri>\n</Content>"), Content::Uri(url.into()));
    pair("<Content name=\"E\">\n\t<null></null>\n</Content>", Content::None);
    pair("<Content name=\"E\">\n\t<Ref>null</Ref>\n</Content>", Content::Object(None));
    pair(r#"<Ref name="E">null</Ref>"#, Value::Ref(None));
    let key = "ZGVra29ub3Rfd2FzX2hlcmU=";
    let undefined = |tag: &str| rbxxml::types::Unknown { tag: tag.into(), xml: key.into() };
    pair(&format!("<SharedString name=\"E\">{key}</SharedString>"), undefined("SharedString"));
    pair(&format!("<NetAssetRef name=\"E\">{key}</NetAssetRef>"), undefined("NetAssetRef"));
    let family = "rbxasset://fonts/families/Arial.json";
    let font =
        Font { family: family.into(), weight: 700, style: FontStyle::ITALIC, cached_face_id: "".into() };
    let start = format!(
        "<Font name=\"E\">\n\t<Family><url>{family}</url></Family>\n\t<Weight>700</Weight>\n\t<Style>Italic</Style>"
    );
    pair(&format!("{start}\n</Font>"), font.clone());
    let face = "rbxasset://fonts/Arimo-Regular.ttf";
    pair(
        &format!("{start}\n\t<CachedFaceId><url>{face}</url></CachedFaceId>\n</Font>"),
        Font { cached_face_id: face.into(), ..font },
    );
}

/// Elements that Studio would write differently. They are written as they were, which `read` checks.
#[test]
fn tolerance() {
    let color = |r, g, b| Color3uint8 { r, g, b }.into();
    let font = |style| Font { weight: 400, style, ..Font::default() }.into();
    let frame_children: Vec<&str> = FRAME.split("\n\t").collect();
    let backwards: String = frame_children.into_iter().rev().collect();
    let cases: &[(&str, Value)] = &[
        (r#"<int name="E"> 5 </int>"#, 5.into()),
        (r#"<int name="E">+5</int>"#, 5.into()),
        (r#"<bool name="E">True</bool>"#, true.into()),
        (
            r#"<bool name="E"> fAlSe
</bool>"#,
            false.into(),
        ),
        (r#"<token name="E">4294967295</token>"#, Value::Enum(u32::MAX)),
        (r#"<Vector3 name="E"><Z>3</Z><X>1</X><Y>2</Y></Vector3>"#, Vec3::new(1.0, 2.0, 3.0).into()),
        (&format!("<CoordinateFrame name=\"E\">{backwards}</CoordinateFrame>"), frame().into()),
        // A reference without a target is null.
        (r#"<Content name="E"><Ref>RBX0</Ref></Content>"#, Content::Object(None).into()),
        (r#"<Ref name="E">RBX0</Ref>"#, Value::Ref(None)),
        (r#"<Content name="E"><hash>0</hash></Content>"#, Value::ContentId("".into())),
        (r#"<Content name="E"><binary></binary></Content>"#, Value::ContentId("".into())),
        (
            r#"<Content name="E">
	<hash>0</hash></Content>"#,
            Content::None.into(),
        ),
        (r#"<ContentId name="E"><url>a</url></ContentId>"#, Value::ContentId("a".into())),
        (r#"<ContentId name="E"><null></null></ContentId>"#, Value::ContentId("".into())),
        (r#"<Color3 name="E">4278190335</Color3>"#, Color3 { r: 0.0, g: 0.0, b: 1.0 }.into()),
        (r#"<Color3uint8 name="E">6307872</Color3uint8>"#, Color3uint8 { r: 96, g: 64, b: 32 }.into()),
        (
            r#"<Color3uint8 name="E"><G>64</G><R>96</R><B>32</B></Color3uint8>"#,
            Color3uint8 { r: 96, g: 64, b: 32 }.into(),
        ),
        (r#"<Font name="E"></Font>"#, Font { weight: 400, ..Font::default() }.into()),
        (r#"<Ref name="E">nil</Ref>"#, Value::Ref(None)),
        (r#"<Ref name="E"></Ref>"#, Value::Ref(None)),
        (r#"<float name="E">2.98023224e-008</float>"#, 2.980_232_2e-8_f32.into()),
        (r#"<float name="E">+INF</float>"#, f32::INFINITY.into()),
        (r#"<float name="E">-inf</float>"#, f32::NEG_INFINITY.into()),
        (r#"<double name="E">nan(ind)</double>"#, f64::NAN.into()),
        (r#"<double name="E">1.2345600000000001017</double>"#, 1.234_56.into()),
        (r#"<double name="E">13e37</double>"#, 13e37.into()),
        (
            r#"<NumberRange name="E">  1
2</NumberRange>"#,
            NumberRange { min: 1.0, max: 2.0 }.into(),
        ),
        (
            r#"<NumberSequence name="E">0 inf 0 1 NaN 0</NumberSequence>"#,
            NumberSequence {
                keypoints: vec![
                    NumberSequenceKeypoint { time: 0.0, value: f32::INFINITY, envelope: 0.0 },
                    NumberSequenceKeypoint { time: 1.0, value: f32::NAN, envelope: 0.0 },
                ],
            }
            .into(),
        ),
        (r#"<string name="E">a&#13;&#10;&#9;b</string>"#, "a\r\n\tb".into()),
        (r#"<string name="E"><![CDATA[a]]>b<!-- c --><![CDATA[d]]></string>"#, "abd".into()),
        ("<string name=\"E\">a\r\nb\rc</string>", "a\nb\nc".into()),
        ("<string name=\"E\">\u{1}&#2;&#x1f;</string>", "\u{1}\u{2}\u{1f}".into()),
        (
            "<BinaryString name=\"E\">\n\tUm9q byBpcyBjb29sIQ\n</BinaryString>",
            Value::BinaryString("Rojo is cool!".into()),
        ),
        (
            r#"<UniqueId name="E">44B188DACE632B4702E9C68D004815FC</UniqueId>"#,
            UniqueId { random: 0x44b1_88da_ce63_2b47, time: 0x02e9_c68d, index: 0x0048_15fc }.into(),
        ),
        // Half of 255 is 127.5, and a fifth is 51.
        (r#"<Color3uint8 name="E"><R>0.5</R><G>1.0</G><B>0.2</B></Color3uint8>"#, color(128, 255, 51)),
        (r#"<Font name="E"><Style>Normal</Style></Font>"#, font(FontStyle::NORMAL)),
        (r#"<Font name="E"><Style>italic</Style></Font>"#, font(FontStyle::ITALIC)),
        (r#"<Font name="E"><Style>2</Style></Font>"#, font(FontStyle(2))),
        (r#"<bool name="E">1</bool>"#, true.into()),
        (r#"<bool name="E">0</bool>"#, false.into()),
        (r#"<string name="E">&;</string>"#, "&;".into()),
        (r#"<string name="E">&abcdefghijk;</string>"#, "&abcdefghijk;".into()),
    ];
    for (element, value) in cases {
        assert_eq!(&read(element), value, "{element}");
    }
    // Named entities are refused, also in attributes.
    for text in ["<roblox>&abcdefghij;</roblox>", "<roblox a=\"&nbsp;\"></roblox>"] {
        let error = rbxxml::from_str(text).unwrap_err().to_string();
        assert!(error.contains("reference to an undefined entity"), "{error}");
    }
}

fn unknown(tag: &str, xml: &str) -> Value {
    Unknown { tag: tag.into(), xml: xml.into() }.into()
}

#[test]
fn unknown_types_are_kept_whole() {
    let xml = "\n\tI <b>really</b> hope &amp; <![CDATA[<so>]]>\n";
    pair(&format!("<Baloney name=\"E\">{xml}</Baloney>"), unknown("Baloney", xml));
    // The last two are valid XML, but would be read as other elements.
    for text in ["<b>", "</Baloney>", "</Baloney><int name=\"F\">5</int><Baloney>"] {
        let mut wrong = Document::new();
        wrong.insert(None, NewInstance::new("A").property("E", unknown("Baloney", text))).unwrap();
        let error = rbxxml::to_vec(&wrong).unwrap_err().to_string();
        assert!(
            error.starts_with("cannot write a value of an unknown type") && error.ends_with(".E"),
            "{text}: {error}"
        );
    }
    let mut wrong = Document::new();
    wrong.insert(None, NewInstance::new("A").property("E", unknown("int", "5"))).unwrap();
    let error = rbxxml::to_vec(&wrong).unwrap_err().to_string();
    assert!(error.starts_with("cannot write a `Value::Unknown` of the known type int (use"), "{error}");
}

/// A value that is malformed for its type is kept as text and found by `check`; the rest of the file is read.
#[test]
fn malformed_values_are_kept() {
    for (tag, inside) in [
        ("int", "x"),
        ("int", "<b/>"),
        ("bool", "yes"),
        ("string", "a<b>c</b>"),
        ("Vector2", "<X>1</X>"),
        ("Vector3", "<X>1</X><Y>é2</Y><Z>3</Z>"),
        ("Vector3", ""),
        ("BinaryString", "AA*A"),
        ("UniqueId", "686f6c792062696e676c6521203a33"),
        ("Content", "<what></what>"),
        ("Faces", "<faces>256</faces>"),
        ("NumberRange", "1 2 3"),
        ("Color3", "<R>1</R>"),
        ("Font", "<Weight>heavy</Weight>"),
        ("PhysicalProperties", "<CustomPhysics>true</CustomPhysics>"),
    ] {
        let element = format!("<{tag} name=\"E\">{inside}</{tag}>");
        assert_eq!(read(&element), unknown(tag, inside), "{element}");
        let rest = "<int name=\"F\">5</int>";
        let text = format!(
            "<roblox version=\"4\"><Item class=\"A\"><Properties>{element}{rest}</Properties></Item></roblox>"
        );
        let mut document = rbxxml::from_str(&text).unwrap();
        let id = document.roots().next().unwrap();
        assert_eq!(document.get(id, "F"), Some(Value::Int32(5).as_ref()));
        let findings = rbxxml::check(&document);
        let found = findings.iter().find(|finding| finding.rule.id == "rbxxml.values").unwrap();
        assert_eq!((&*found.path, found.count), ("A.E", 1));
        // The type stays: only a value of this type can replace the text.
        assert!(document.set(id, "E", 0.5).is_err(), "{element}");
        if tag == "int" {
            document.set(id, "E", 7).unwrap();
            assert!(rbxxml::to_string(&document).unwrap().contains("<int name=\"E\">7</int>"));
        }
    }
}

/// Errors about invalid XML have a line and a column.
#[test]
fn errors_name_the_line() {
    let text = "<roblox version=\"4\">\n\t<Item class=\"Part\" referent=\"RBX1\">\n\t\t<Properties>\n\t\t\t\
        <Vector3 name=\"size\">\n\t\t\t\té<X>1</Y>\n\t\t\t</Vector3>\n\t\t\
        </Properties>\n\t</Item>\n</roblox>";
    let wanted = "expected </X>, found </Y> in Part[RBX1].size at line 5, column 10";
    let error = rbxxml::from_str(text).unwrap_err();
    assert_eq!((error.line(), error.column(), error.path()), (Some(5), Some(10), "Part[RBX1].size"));
    assert_eq!(error.to_string(), wanted);
    // Illegal characters before the error do not change its position.
    let odd = text.replace("\"Part\"", "\"P\u{1}\"").replace("RBX1", "\u{2}&#1;").into_bytes();
    let error = rbxxml::from_slice(&odd).unwrap_err();
    assert_eq!((error.line(), error.column()), (Some(5), Some(10)), "{error}");
    for (text, wanted) in [
        ("<roblox>\n<Item>", "unexpected end of input at line 2, column 7"),
        ("<roblox>\n<Item class=\"", "unexpected end of input at line 2, column 14"),
        ("<roblox>\n<Item></roblox>", "expected </Item>, found </roblox> at line 2, column 7"),
        (
            "<roblox>\n<!-x></roblox>",
            "malformed XML: expected a comment or a CDATA section after \"<!\" at line 2, column 1",
        ),
        (
            "<roblox>\n<![foo]></roblox>",
            "malformed XML: expected a comment or a CDATA section after \"<!\" at line 2, column 1",
        ),
        ("<roblox>\n<!--x></roblox>", "unexpected end of input at line 2, column 16"),
        ("<roblox>\n<!", "unexpected end of input at line 2, column 3"),
        (
            "<!DOCTYPE a><roblox/>",
            "unsupported <!DOCTYPE> declaration (remove it from the file) at line 1, column 1",
        ),
        (
            "<roblox><SharedStrings><SharedString md5='k'>A!</SharedString></SharedStrings></roblox>",
            "malformed base64 in SharedStrings.k at line 1, column 63",
        ),
    ] {
        assert_eq!(rbxxml::from_str(text).unwrap_err().to_string(), wanted, "{text:?}");
    }
    let long = format!("<roblox><{}></a></roblox>", "b".repeat(1 << 20));
    assert!(rbxxml::from_str(&long).unwrap_err().to_string().len() < 1_000);
}

/// The error for a file of another format names the format, and the crate or program that reads it.
#[test]
fn errors_name_other_formats() {
    for (bytes, wanted) in [
        (b"".as_slice(), "the input is empty"),
        (b"<!DOCTYPE html><html></html>", "found an HTML page"),
        (b"\n<HTML><body>", "expected <roblox> as the first element, found <HTML>"),
        (b"<html><body>", "found an HTML page"),
        (b"{\"errors\":[]}", "found JSON"),
        (b"\x1f\x8b\x08\0", "found gzip data (decompress it first)"),
        (b"\x28\xb5\x2f\xfd\0", "found zstd data (decompress it first)"),
        (b"PK\x03\x04\0", "found a ZIP archive (extract it first)"),
        (b"version https://git-lfs.github.com/spec/v1\n", "found a Git LFS pointer"),
        (b"version 2.00\n", "found a Roblox mesh (read it with the crate rbxmesh)"),
        (b"<roblox!\x89\xff", "found a binary Roblox document (read it with the crate rbxbinary)"),
        (b"<llsd><map/></llsd>", "found LLSD (read it with the crate llsd-format)"),
        (b"\xff\xfe<\0r\0", "found text in UTF-16"),
        (b"<rbx/>", "expected <roblox> as the first element, found <rbx>"),
    ] {
        let error = rbxxml::from_slice(bytes).unwrap_err().to_string();
        assert!(error.contains(wanted), "{wanted}: {error}");
        assert_eq!(rbxxml::detect(bytes), None, "{wanted}");
    }
}

/// Text in another encoding is not read as UTF-8.
#[test]
fn other_encodings_are_refused() {
    let text = |encoding: &str, name: &[u8]| {
        let start =
            format!("<?xml version=\"1.0\" encoding=\"{encoding}\"?><roblox version=\"4\"><Meta name=\"a\">");
        [start.as_bytes(), name, b"</Meta></roblox>"].concat()
    };
    let error = rbxxml::from_slice(&text("ISO-8859-1", b"caf\xe9")).unwrap_err().to_string();
    assert!(error.starts_with("unsupported encoding ISO-8859-1 (convert the file to UTF-8 "), "{error}");
    // ASCII is the same in both encodings.
    let mut document = rbxxml::from_slice(&text("ISO-8859-1", b"cafe")).unwrap();
    assert_eq!(rbxxml::to_vec(&document).unwrap(), text("ISO-8859-1", b"cafe"));
    document.metadata[0].value = "café".into();
    let error = rbxxml::to_vec(&document).unwrap_err().to_string();
    assert!(error.contains("layout.prolog"), "{error}");
    assert!(rbxxml::from_slice(&text("UTF-8", "café".as_bytes())).is_ok());
    assert!(rbxxml::from_slice(&text("utf-8", b"caf\xe9")).is_ok());
}

#[test]
fn what_cannot_be_represented_is_refused() {
    let refused = |name: &str, value: Value| {
        let mut document = Document::new();
        document.insert(None, NewInstance::new("A").property("Name", "x").property(name, value)).unwrap();
        let error = rbxxml::to_vec(&document).unwrap_err();
        let findings = rbxxml::check(&document);
        let finding =
            findings.iter().find(|finding| finding.rule.id == "rbxxml.characters").expect("a finding");
        assert_eq!(finding.path, error.path());
        (error.kind().to_string(), error.path().to_owned())
    };
    let help = "(remove it, or store the bytes as a BinaryString)";
    assert_eq!(
        refused("E", Value::ProtectedString("\u{7}".into())),
        (format!("cannot write the character U+0007, which XML cannot represent {help}"), "x.E".into())
    );
    assert_eq!(
        refused("E", Value::ProtectedString(b"\xe9"[..].into())).0,
        format!("cannot write the byte 0xe9, which is not UTF-8 {help}")
    );
    refused("E", Value::Content(rbxxml::types::Content::Uri("\u{1}".into())));
    assert!(refused("E", Value::ProtectedString("\u{fffe}".into())).0.contains("U+FFFE"));
    assert!(refused("a\u{0}", 1.into()).0.contains("U+0000"));
}

/// Public fields are checked before a document is written.
#[test]
fn layout_and_attributes_by_hand_are_checked() {
    let refused = |edit: &dyn Fn(&mut Document)| {
        let mut document = Document::new();
        edit(&mut document);
        rbxxml::to_vec(&document).unwrap_err().to_string()
    };
    assert!(refused(&|d| d.layout.newline = "\r".into()).ends_with("in layout.newline"));
    assert!(refused(&|d| d.layout.indent = "<!-- -->".into()).ends_with("in layout.indent"));
    for prolog in ["x", "<roblox>", "<!--", "<?xml version=\"1.0\"", "<a></a>"] {
        assert!(refused(&|d| d.layout.prolog = prolog.into()).ends_with("in layout.prolog"), "{prolog}");
    }
    for name in [" a", "a=\"1\" b", "", "1", "a>", "version"] {
        assert!(
            refused(&|d| d.attributes.push((name.into(), "x".into()))).ends_with("in attributes"),
            "{name:?}"
        );
    }
    let mut document = Document::new();
    document.layout.prolog = "\u{feff}<?xml version=\"1.0\"?>\n<!-- x -->\n".into();
    document.attributes.push(("a:b".into(), "<&\"\n".into()));
    assert!(rbxxml::from_slice(&rbxxml::to_vec(&document).unwrap()).unwrap() == document);
}

#[test]
fn detects() {
    let detect = |text: &str| rbxxml::detect(text.as_bytes()).map(|version| version.0);
    assert_eq!(detect("<roblox version=\"4\">"), Some(4));
    assert_eq!(detect("\u{feff}<?xml version=\"1.0\"?>\n<!-- a -->\n<roblox a='1' version='5'/>"), Some(5));
    assert_eq!(detect("  \n<roblox>"), Some(0));
    assert_eq!(detect("<roblox/>"), Some(0));
    for not in ["", "<roblox!\u{89}", "<robloxx>", "<xml>", "roblox", "<!-- <roblox>", "<?xml ?>"] {
        assert_eq!(detect(not), None, "{not:?}");
    }
}

/// The MD5 hashes of the empty text and of "abc" are those in RFC 1321. The BLAKE2b hash with 16 bytes is the one that
/// Studio writes for empty bytes.
#[test]
fn keys() {
    use rbxxml::parts::KeyHash;
    assert_eq!(KeyHash::default().key(b""), "yuZpQdnvvUBOTYh1jqZ2cA==");
    assert_eq!(KeyHash::Md5.key(b""), "1B2M2Y8AsgTpgAmY7PhCfg==");
    assert_eq!(KeyHash::Md5.key(b"abc"), "kAFQmDzST7DWlj99KOF/cg==");
    let mut document = Document::new();
    let new = || NewInstance::new("A").property("E", Value::SharedString("abc".into()));
    document.insert(None, new().child(new())).unwrap();
    let [shared] = document.shared_strings() else { panic!("one") };
    assert_eq!((&**shared.key(), shared.bytes().as_ref()), ("z0q3kcYrjSshCckCdSh4Fg==", b"abc".as_slice()));
    let text = rbxxml::WriteOptions::new().keys(KeyHash::Md5).write(&document).unwrap();
    let again = rbxxml::from_slice(&text).unwrap();
    assert_eq!(again.shared("kAFQmDzST7DWlj99KOF/cg=="), Some(b"abc".as_slice()));
    assert!(rbxxml::check(&again).iter().all(|finding| !finding.rule.id.contains("shared")));
}

/// Reads one string, with and without illegal characters elsewhere in the file.
#[test]
fn text_that_xml_forbids_changes_nothing_else() {
    for (text, wanted) in [
        ("&#xF0041;", "\u{f0041}"),
        ("\u{f0041}&#x10FF41;", "\u{f0041}\u{10ff41}"),
        ("&#x000000000041;&#0000000000066;", "AB"),
        ("v<!--> </string></Properties></Item></roblox> -->w", "vw"),
        ("<![CDATA[]]>x<?y ?>", "x"),
        ("]]>", "]]>"),
        ("&amp;&lt;&gt;&quot;&apos;", "&<>\"'"),
    ] {
        for after in ["", "\u{1}"] {
            let text = format!(
                "<roblox><Item class=\"A\"><Properties><string name=\"E\">{text}</string></Properties></Item></roblox>{after}"
            );
            let document = rbxxml::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let id = document.roots().next().unwrap();
            assert_eq!(document.get(id, "E"), Some(Value::from(wanted).as_ref()), "{text}");
            assert!(rbxxml::to_string(&document).unwrap() == text, "{text}");
        }
    }
    // An `&` that does not begin a reference is text.
    for text in ["&#+5;", "&#X41;", "&#;", "& ", "&#65", "&#99999999999;", "&-;"] {
        assert_eq!(read(&format!("<string name=\"E\">{text}</string>")), Value::from(text), "{text}");
    }
    assert_eq!(rbxxml::detect(b"<!--> x --><roblox version=\"4\"></roblox>").unwrap().0, 4);
}

/// Only XML's white space counts as such, in reading and in writing.
#[test]
fn names_with_odd_spaces_come_back() {
    for text in [
        "<roblox><Item><Properties><Ref name=\"a\">\u{a0}RBX1</Ref></Properties></Item></roblox>",
        "<roblox><Item><Properties><SharedString name=\"a\">\u{3000}RBX1</SharedString></Properties></Item></roblox>",
        "<roblox><SharedStrings><SharedString md5=\"\u{a0}k\">AA==</SharedString></SharedStrings></roblox>",
    ] {
        let document = rbxxml::from_str(text).unwrap();
        assert!(rbxxml::to_string(&document).unwrap() == text, "{text}");
    }
}

/// A prefix is part of the name, so such an element is unknown and kept as it is.
#[test]
fn prefixes_are_part_of_the_name() {
    let text = "<roblox version=\"4\"><x:Item class=\"A\"></x:Item><Item class=\"B\"><Properties><y:int name=\"E\">5</y:int></Properties></Item></roblox>";
    let mut document = rbxxml::from_str(text).unwrap();
    assert!(rbxxml::to_string(&document).unwrap() == text);
    let id = document.roots().next().unwrap();
    assert_eq!(document.class(id).unwrap(), "B");
    let Some(rbxxml::ValueRef::Unknown(unknown)) = document.get(id, "E") else { panic!("not kept") };
    assert_eq!((&*unknown.tag, unknown.xml.to_string()), ("y:int", "5".into()));
    document.set(id, "F", true).unwrap();
    let added = "</y:int><bool name=\"F\">true</bool>";
    assert!(rbxxml::to_string(&document).unwrap() == text.replace("</y:int>", added));
}

#[test]
fn sets_and_constants() {
    assert!(Faces(2 + 8).contains(Faces::TOP) && Faces(2 + 8).contains(Faces(2 + 8)));
    assert!(!Faces(2 + 8).contains(Faces::RIGHT) && !Faces::TOP.contains(Faces(2 + 8)));
    assert!(Axes(1 + 4).contains(Axes::Z) && Axes(1 + 4).contains(Axes(1 + 4)));
    assert!(!Axes(1 + 4).contains(Axes::Y) && !Axes::X.contains(Axes(1 + 4)));
    let sequence = NumberSequence::constant(0.5);
    assert_eq!(write(sequence.into()), r#"<NumberSequence name="E">0 0.5 0 1 0.5 0 </NumberSequence>"#);
    let sequence = ColorSequence::constant(Color3::new(1.0, 0.5, 0.0));
    assert_eq!(write(sequence.into()), r#"<ColorSequence name="E">0 1 0.5 0 0 1 1 0.5 0 0 </ColorSequence>"#);
}

#[test]
fn names_tags_and_text() {
    let name = rbxxml::parts::Name::from("abc");
    let text: &str = name.as_ref();
    assert!(text == "abc" && name == *"abc" && name != *"abd");
    assert_eq!(Value::from("é").as_str(), Some("é"));
    assert_eq!(Value::ContentId("x".into()).as_str(), Some("x"));
    assert_eq!(Value::from(b"\xff".as_slice()).as_str(), None);
    assert_eq!(Value::from(1).as_str(), None);
    // Both types of assets are written as `Content`.
    let tags =
        [Value::ContentId("x".into()), Content::None.into(), 1.into()].map(|value| value.tag().to_owned());
    assert_eq!(tags, ["Content", "Content", "int"]);
}

/// CDATA sections are written for scripts and for text of only white space, but not for illegal characters.
#[test]
fn sections() {
    let script = |text: &str| Value::ProtectedString(text.into());
    pair("<ProtectedString name=\"E\"><![CDATA[a\n\té]]></ProtectedString>", script("a\n\té"));
    // Text of only white space, which rbx_xml reads as empty unless it is in a section, as rbx_xml writes it.
    pair(r#"<string name="E"><![CDATA[ ]]></string>"#, " ");
    pair("<string name=\"E\"><![CDATA[\n\t]]></string>", "\n\t");
    pair(r#"<ProtectedString name="E"><![CDATA[  ]]></ProtectedString>"#, script("  "));
    pair(r#"<Content name="E"><url><![CDATA[ ]]></url></Content>"#, Value::ContentId(" ".into()));
    pair("<string name=\"E\">&#13;\n</string>", "\r\n");
    pair("<string name=\"E\"> a\n</string>", " a\n");
    assert_eq!(read("<string name=\"E\"> </string>"), Value::from(" "));
    for text in [b"\xe9".as_slice(), "\u{fffe}".as_bytes(), "é\u{ffff}".as_bytes(), b"\x01"] {
        let mut document = Document::new();
        let new = NewInstance::new("A").property("E", Value::ProtectedString(text.into()));
        document.insert(None, new).unwrap();
        assert!(rbxxml::to_vec(&document).unwrap_err().to_string().starts_with("cannot write "));
        let written = rbxxml::WriteOptions::new().illegal(rbxxml::Illegal::Escape).write(&document).unwrap();
        assert!(rbxxml::from_slice(&written).unwrap() == document);
    }
}

/// No reference can lead to a referent that means null, or that begins or ends with white space.
#[test]
fn referents_that_no_reference_can_have() {
    for referent in ["null", "nil", "", " r", "r "] {
        let text = format!(
            "<roblox><Item class=\"A\" referent=\"{referent}\"><Properties><Ref name=\"R\">{referent}</Ref></Properties></Item></roblox>"
        );
        let mut document = rbxxml::from_str(&text).unwrap();
        let a = document.roots().next().unwrap();
        assert_eq!(document.get(a, "R"), Some(Value::Ref(None).as_ref()), "{referent:?}");
        document.set(a, "R", Value::Ref(Some(a))).unwrap();
        let error = rbxxml::to_vec(&document).unwrap_err().to_string();
        let what =
            format!("a reference to an instance with the referent {referent:?}, which readers would trim");
        assert!(error.contains(&what), "{error}");
    }
}

/// If a file ends in a tag, it is truncated; a complete but wrong tag is malformed.
#[test]
fn tags_end_or_are_malformed() {
    let texts = "<roblox|<roblox |<roblox/|<roblox a|<roblox a=|<roblox a=\"|<roblox a=\">|<roblox a='x\"|\
        <roblox a'x'|<roblox a='x' b=\"'>";
    for text in texts.split('|') {
        let error = rbxxml::from_str(text).unwrap_err();
        assert!(matches!(error.kind(), rbxxml::errors::ErrorKind::UnexpectedEnd), "{text}: {error}");
    }
    let texts = "<roblox a>|<roblox a=>|<roblox a=\"<|<roblox a='x<|<roblox a'x'>|<roblox a'\"'>|\
        <roblox a=b'x'>|<roblox a='x'b='y'>";
    for text in texts.split('|') {
        let error = rbxxml::from_str(text).unwrap_err().to_string();
        let wanted =
            ["expected an attribute such as name=\"value\"", "expected white space or the end of the tag"];
        assert!(wanted.iter().any(|wanted| error.contains(wanted)), "{text}: {error}");
    }
}

#[test]
fn values_of_rust_types_come_back() {
    use rbxxml::types::{Axes, Font, NumberRange, Ray, Rect, Vec2, Vec3};
    let ray = Ray { origin: Vec3::new(1.0, 2.0, 3.0), direction: Vec3::new(0.0, 1.0, 0.0) };
    assert_eq!(Value::from(ray).as_ray(), Some(ray));
    let rect = Rect { min: Vec2::new(0.0, 1.0), max: Vec2::new(2.0, 3.0) };
    assert_eq!(Value::from(rect).as_rect(), Some(rect));
    let range = NumberRange { min: 1.0, max: 2.0 };
    assert_eq!(Value::from(range).as_number_range(), Some(range));
    assert_eq!(Value::from(range).as_rect(), None);
    assert_eq!(Value::from(Axes::X).as_axes(), Some(Axes::X));
    let font = Value::from(Font { family: "a".into(), weight: 700, ..Font::default() });
    assert_eq!(font.as_font().map(|font| (font.family, font.weight)), Some(("a".into(), 700)));
}
