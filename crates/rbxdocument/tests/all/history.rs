//! Documents for the clients of other years.

use rbxdocument::edit::EditOptions;
use rbxdocument::history::{
    ClientOptions, Month, Status, all, check_client, class_span, has_class, has_kind, item_span, older_names,
    oldest, property, property_kind, to_client,
};
use rbxdocument::types::{Color3uint8, Kind};
use rbxdocument::{AnyDocument, Dom, NewInstance, Value, from_slice};
use testkit::corpus_folder;

use crate::common::files;

const MAX: u64 = 1 << 30;

fn month(text: &str) -> Month {
    Month::parse(text).unwrap()
}

/// The type of a binary file for a type: it has fewer.
fn plain(kind: Kind, is_binary: bool) -> Kind {
    match kind {
        Kind::BinaryString | Kind::ProtectedString | Kind::ContentId | Kind::Bytecode if is_binary => {
            Kind::String
        }
        // Studio writes the number.
        Kind::BrickColor if !is_binary => Kind::Int32,
        // In XML, both have one tag.
        Kind::ContentId => Kind::Content,
        kind => kind,
    }
}

/// What of a document did not exist in a month, by the table.
fn foreign(document: &AnyDocument, month: Month) -> Vec<String> {
    let is_binary = matches!(document, AnyDocument::Binary(_));
    let mut foreign = Vec::new();
    for (id, path) in document.paths() {
        let class = document.class(id).unwrap().to_string();
        if !has_class(&class, month) {
            foreign.push(format!("{path}: {class}"));
        }
        for (name, value) in document.properties(id) {
            let name = name.to_string();
            let Some(kind) = value.kind() else { continue };
            let of = match property(&class, &name, month) {
                Status::Known(of) => of,
                status => {
                    foreign.push(format!("{path}: {class}.{name}: {status:?}"));
                    continue;
                }
            };
            if !has_kind(kind, month) && kind != Kind::ContentId && kind != Kind::Content {
                foreign.push(format!("{path}: {class}.{name}: type {kind}"));
            }
            if let Some(wanted) = property_kind(&name, of, month)
                && plain(wanted, is_binary) != plain(kind, is_binary)
            {
                foreign.push(format!("{path}: {class}.{name}: {kind}, not {wanted}"));
            }
            if let Value::Enum(item) = value.to_value() {
                let span = of.rsplit('>').find_map(|of| item_span(of, item));
                if span.is_some_and(|span| !span.contains(month)) {
                    foreign.push(format!("{path}: {class}.{name}: item {item}"));
                }
            }
        }
    }
    foreign
}

const MONTHS: [&str; 7] = ["2009-06", "2012-06", "2014-06", "2016-04", "2018-06", "2020-07", "2022-02"];

#[test]
fn months_have_versions() {
    // The first builds of these versions in the public archive.
    for (text, wanted) in
        [("0.240", "2016-04"), ("0.47.0.380", "2011-10"), ("0.566", "2023-03"), ("0.728", "2026-06")]
    {
        assert_eq!(month(text).to_string(), wanted, "{text}");
    }
    // As issues of launchers name them: 2021E is v463, 2018M is v347.
    for (text, wanted) in
        [("v463", "0.463"), ("2021E", "2021-01"), ("2018M", "2018-05"), ("2011L", "2011-09")]
    {
        assert_eq!(month(text), month(wanted), "{text}");
    }
    assert!(month("2021E") <= month("v463") && month("2018M") <= month("v347"));
    for text in ["", "0.1", "0.9000", "2016", "2016-13", "16-04", "x", "v1", "E", "16E"] {
        assert_eq!(Month::parse(text), None, "{text}");
    }
}

/// Each property that the oldest dump lacks, the month before it came: it is stored as what the month had, or listed.
#[test]
fn each_property_is_mapped_or_listed() {
    let (mut mapped, mut listed) = (0, 0);
    for (class, span, rows) in all() {
        for row in rows {
            let Some(before) = row.span.first.map(Month::previous).filter(|before| *before >= Month::OLDEST)
            else {
                continue;
            };
            if !span.contains(before) || !has_class(class, before) {
                continue;
            }
            // A class can have inherited it before it had its own.
            if matches!(property(class, row.name, before), Status::Known(_)) {
                continue;
            }
            let kind = property_kind(row.name, row.of, row.span.first.unwrap());
            let Some(kind) = kind.filter(|kind| *kind != Kind::Ref) else { continue };
            let value = match kind {
                Kind::Color3uint8 => Color3uint8 { r: 200, g: 31, b: 17 }.into(),
                // Size12, and an item that the older enum lacks.
                Kind::Float32 => Value::Float32(12.0),
                Kind::Enum => Value::Enum(2),
                Kind::ContentId => Value::ContentId("rbxassetid://5".into()),
                Kind::String => Value::from("text"),
                kind => Value::neutral(kind),
            };
            let mut document = rbxxml::Document::new();
            let new = NewInstance::new(class).property("Name", "it").property(row.name, value);
            EditOptions::new().as_given(true).insert(&mut document, None, new).unwrap();
            let old = to_client(&document, before, &ClientOptions::new()).unwrap();
            let id = old.document.find("it").unwrap();
            assert!(
                old.document.get(id, row.name).is_none() || !older_names(class, row.name, before).is_empty()
            );
            let found: Vec<String> = foreign(&old.document, before);
            assert!(found.is_empty(), "{found:?}");
            let is_listed = old.changes.iter().any(|change| change.property.as_deref() == Some(row.name));
            assert!(is_listed, "{class}.{} before {before}: {:?}", row.name, old.changes);
            let names = older_names(class, row.name, before);
            let has = |name: &&str| old.document.properties(id).any(|(known, _)| *known == **name);
            match !names.is_empty() && names.iter().all(has) {
                true => mapped += 1,
                false => listed += 1,
            }
        }
    }
    assert!(mapped > 30 && listed > 600, "{mapped} mapped, {listed} listed");
}

/// Newer property, month, older property and the type: what people ask for, from the history and from old files.
#[test]
fn newer_properties_become_older_ones() {
    let cases: &[(&str, &str, Value, &str, &str, Value)] = &[
        (
            "Part",
            "Color3uint8",
            Color3uint8 { r: 196, g: 40, b: 28 }.into(),
            "2016-01",
            "BrickColor",
            Value::Int32(21),
        ),
        ("Sound", "PlaybackSpeed", Value::Float32(1.5), "2016-09", "Pitch", Value::Float32(1.5)),
        ("TextLabel", "TextSize", Value::Float32(17.0), "2016-09", "FontSize", Value::Enum(6)),
        ("TextLabel", "TextSize", Value::Float32(60.0), "2012-01", "FontSize", Value::Enum(9)),
        (
            "Camera",
            "CFrame",
            Value::neutral(Kind::CFrame),
            "2015-01",
            "CoordinateFrame",
            Value::neutral(Kind::CFrame),
        ),
        ("TextLabel", "TextWrapped", Value::Bool(true), "2012-01", "TextWrap", Value::Bool(true)),
        ("Part", "formFactorRaw", Value::Enum(2), "2012-01", "formFactor", Value::Enum(2)),
        ("IntValue", "Value", Value::Int64(7), "2016-01", "Value", Value::Int32(7)),
        (
            "Decal",
            "TextureContent",
            rbxdocument::types::Content::Uri("rbxassetid://3".into()).into(),
            "2020-01",
            "Texture",
            Value::ContentId("rbxassetid://3".into()),
        ),
    ];
    for (class, name, value, month, old_name, old_value) in cases {
        let mut document = rbxxml::Document::new();
        let new = NewInstance::new(class).property("Name", "it").property(name, value.clone());
        EditOptions::new().as_given(true).insert(&mut document, None, new).unwrap();
        let old = to_client(&document, self::month(month), &ClientOptions::new()).unwrap();
        let id = old.document.find("it").unwrap();
        let found = old
            .document
            .properties(id)
            .find(|(known, _)| *known == *old_name)
            .map(|(_, value)| value.to_value());
        let same = found.as_ref().is_some_and(|found| {
            found == old_value || found.as_bytes().is_some_and(|bytes| Some(bytes) == old_value.as_bytes())
        });
        assert!(same, "{class}.{name} in {month}: {found:?}, not {old_value:?}");
    }
}

fn part(class: &str, name: &str) -> NewInstance {
    NewInstance::new(class).property("Name", name)
}

/// Files have the sixth number since October 2025 (rbx-dom, pull request 556); readers before it refuse what has six.
#[test]
fn the_absorption_of_sound_is_new() {
    use rbxdocument::types::{CustomPhysicalProperties, PhysicalProperties};
    let physical = |acoustic_absorption| {
        let mut custom = CustomPhysicalProperties::default();
        (custom.density, custom.acoustic_absorption) = (2.0, acoustic_absorption);
        Value::PhysicalProperties(Box::new(PhysicalProperties::Custom(custom)))
    };
    for mut document in
        [AnyDocument::from(rbxbinary::Document::new()), AnyDocument::from(rbxxml::Document::new())]
    {
        let new = part("Part", "P").property("CustomPhysicalProperties", physical(Some(0.25)));
        EditOptions::defaults().insert(&mut *document, None, new).unwrap();
        for text in ["2016-04", "2024-01", "2025-09"] {
            let old = to_client(&*document, month(text), &ClientOptions::new()).unwrap();
            let id = old.document.find("P").unwrap();
            let value = old.document.get(id, "CustomPhysicalProperties").unwrap().to_value();
            assert_eq!(value, physical(None), "{text}");
            assert!(old.changes.iter().any(|change| change.rule == "client.nearest"), "{text}");
            assert!(check_client(&*old.document, month(text), MAX).unwrap().is_empty(), "{text}");
        }
        assert!(check_client(&*document, month("2025-10"), MAX).unwrap().is_empty());
        assert_eq!(oldest(&*document, MAX).unwrap().month, month("2025-10"));
    }
}

/// The least size of parts was 0.2 until June 2017 (F3X building tools, issue 112); `Smooth` has been there always; Gotham's bold
/// face is most like the bold one of the month; Studio 2012 had `Players.MaxPlayers` (RBXLegacy's places of 2011).
#[test]
fn values_become_those_that_look_alike() {
    use rbxcore::geom::Vec3;
    use rbxdocument::types::{Font, FontStyle};
    let thin = part("Part", "Thin")
        .property("size", Vec3::new(4.0, 0.05, 0.1))
        .property("TopSurface", Value::Enum(10))
        .property("BottomSurface", Value::Enum(10));
    let bold = part("TextLabel", "Bold").property("Font", Value::Enum(20)); // GothamBold
    let family = "rbxasset://fonts/families/Montserrat.json".into();
    let face = Font { family, weight: 700, style: FontStyle::NORMAL, ..Font::default() };
    let unknown = part("TextLabel", "Unknown")
        .property("Font", Value::Enum(100))
        .property("FontFace", Value::Font(Box::new(face)));
    let mut document = rbxxml::Document::new();
    for new in [thin, bold, unknown, part("Players", "Players").property("MaxPlayers", Value::Int32(30))] {
        document.insert(None, new).unwrap();
    }
    let document = AnyDocument::from(document);
    for (text, font) in [("2012-06", 2), ("2013-07", 2), ("2016-06", 4)] {
        let old = to_client(&*document, month(text), &ClientOptions::new()).unwrap();
        let get = |path: &str, name: &str| {
            let id = old.document.find(path).unwrap();
            old.document.get(id, name).map(|value| value.to_value())
        };
        assert_eq!(get("Thin", "size"), Some(Vec3::new(4.0, 0.2, 0.2).into()), "{text}");
        let surface = if text == "2016-06" { 10 } else { 0 };
        assert_eq!(get("Thin", "TopSurface"), Some(Value::Enum(surface)), "{text}");
        assert_eq!(get("Thin", "BottomSurface"), Some(Value::Enum(surface)), "{text}");
        assert_eq!(get("Bold", "Font"), Some(Value::Enum(font)), "{text}");
        assert_eq!(get("Unknown", "Font"), Some(Value::Enum(font)), "{text}");
        let limit = if text == "2016-06" { "MaxPlayersInternal" } else { "MaxPlayers" };
        assert_eq!(get("Players", limit), Some(Value::Int32(30)), "{text}");
        let listed = |what: &str| old.changes.iter().any(|change| change.to_string().contains(what));
        assert!(listed("Thin.size: is at least 0.2 studs"), "{text}: {:?}", old.changes);
        assert!(check_client(&*old.document, month(text), MAX).unwrap().is_empty(), "{text}");
    }
    assert!(
        to_client(&*document, month("2017-06"), &ClientOptions::new())
            .unwrap()
            .document
            .find("Thin")
            .is_some_and(|id| document
                .get(id, "size")
                .is_some_and(|size| size.as_vector3() == Some(Vec3::new(4.0, 0.05, 0.1))))
    );
}

/// What came after the dumps came in 2023-10 or later; an item that no table has is in no client; names of scripts came
/// with what files store; and clients compute the grid of physics.
#[test]
fn what_is_not_known_is_said() {
    let document = rbxxml::from_str(
        r#"<roblox version="4">
        <Item class="Sound"><Properties><string name="Name">S</string><float name="MaxDistance">99</float></Properties></Item>
        <Item class="Part"><Properties><string name="Name">P</string><token name="Material">99999</token></Properties></Item>
        <Item class="Terrain"><Properties><BinaryString name="PhysicsGrid">AgMBAQ==</BinaryString></Properties></Item>
        <Item class="UIShadow"><Properties><string name="Name">New</string></Properties></Item>
        </roblox>"#,
    )
    .unwrap();
    let lines = |text: &str| -> Vec<String> {
        check_client(&document, month(text), MAX).unwrap().iter().map(ToString::to_string).collect()
    };
    let has = |text: &str, what: &str| lines(text).iter().any(|line| line.contains(what));
    assert!(has("2014-06", "S.MaxDistance: came with 2015-11"), "{:?}", lines("2014-06"));
    assert!(has("2022-06", "came with 2023-10 or later"), "{:?}", lines("2022-06"));
    assert!(has("2023-11", "whether the month had UIShadow"), "{:?}", lines("2023-11"));
    for text in ["2014-06", "2022-06", "2026-06"] {
        assert!(
            has(text, "P.Material: ") && has(text, "99999, which is an item in no table"),
            "{:?}",
            lines(text)
        );
    }
    assert!(
        check_client(&document, month("2016-06"), MAX)
            .unwrap()
            .iter()
            .all(|change| change.rule != "client.terrain")
    );
    let found = oldest(&document, MAX).unwrap();
    assert!(found.unknown.iter().any(|of| of.what == "Enum.Material.99999"), "{found:?}");
}

/// Between the property and the type of its value in files, the older property has the texture.
#[test]
fn content_is_an_address_before_its_type_is_known() {
    let mut document = rbxxml::Document::new();
    let value = Value::Content(rbxdocument::types::Content::Uri("rbxassetid://7".into()));
    let new = part("MeshPart", "M").property("TextureContent", value);
    EditOptions::new().as_given(true).insert(&mut document, None, new).unwrap();
    for text in ["2022-01", "2023-09", "2023-10", "2024-06", "2024-08", "2024-09", "2024-12"] {
        let old = to_client(&document, month(text), &ClientOptions::new()).unwrap();
        let id = old.document.find("M").unwrap();
        let values: Vec<_> =
            old.document.properties(id).filter(|(name, _)| name.starts_with(b"Texture")).collect();
        assert_eq!(values.len(), 1, "{text}: {:?}", old.changes);
        let address = values[0].1.as_bytes().map(<[u8]>::to_vec);
        assert_eq!(address.as_deref(), Some(&b"rbxassetid://7"[..]), "{text}");
    }
}

/// A group of sounds came in November 2016, the scripts of a starting player in April 2015: what is in them stays.
#[test]
fn what_older_clients_know_stays_in_newer_containers() {
    let mut document = rbxxml::Document::new();
    let sound = part("Sound", "S").property("SoundId", Value::ContentId("rbxassetid://5".into()));
    document.insert(None, part("Model", "M").child(part("SoundGroup", "G").child(sound))).unwrap();
    let old = to_client(&document, month("2016-04"), &ClientOptions::new()).unwrap();
    let group = old.document.find("M/G").unwrap();
    assert_eq!(old.document.class(group).unwrap(), "Model");
    assert!(old.document.find("M/G/S").is_some());
    let mut place = rbxxml::Document::new();
    let scripts = part("StarterPlayerScripts", "StarterPlayerScripts").child(part("LocalScript", "L"));
    place.insert(None, part("StarterPlayer", "StarterPlayer").service(true).child(scripts)).unwrap();
    let old = to_client(&place, month("2012-03"), &ClientOptions::new()).unwrap();
    assert!(old.document.find("StarterGui/StarterPlayer/StarterPlayerScripts/L").is_some());
    assert!(old.changes.iter().any(|change| change.rule == "client.class-replaced"));
}

/// What comes after the table is not known, which is said.
#[test]
fn the_table_has_an_end() {
    let mut document = rbxxml::Document::new();
    document.insert(None, part("Part", "P")).unwrap();
    let changes = check_client(&document, month("2099-01"), MAX).unwrap();
    assert!(
        matches!(&*changes, [change] if change.rule == "client.file" && !change.has_effect()),
        "{changes:?}"
    );
}

#[test]
fn a_mesh_part_becomes_a_part_with_a_mesh() {
    use rbxdocument::types::Vec3;
    for mut document in
        [AnyDocument::from(rbxbinary::Document::new()), AnyDocument::from(rbxxml::Document::new())]
    {
        let mesh = part("MeshPart", "Statue")
            .property("size", Vec3::new(4.0, 6.0, 1.0))
            .property("InitialSize", Vec3::new(2.0, 2.0, 2.0))
            .property("MeshId", Value::ContentId("rbxassetid://11".into()))
            .property("TextureID", Value::ContentId("".into()))
            .child(
                part("SurfaceAppearance", "Look")
                    .property("ColorMap", Value::ContentId("rbxassetid://12".into())),
            )
            .child(part("Attachment", "Top").child(part("PointLight", "Light")));
        let plain = part("Part", "Plain")
            .property("size", Vec3::new(1.0, 1.0, 1.0))
            .property("shape", Value::Enum(3));
        let look = part("ObjectValue", "Ref").reference("Value", "mesh");
        let root = part("Workspace", "Workspace").service(true);
        let root = root.child(mesh.label("mesh")).child(plain).child(look).child(part("Folder", "Folder"));
        EditOptions::new().as_given(true).insert(&mut document, None, root).unwrap();
        let old = to_client(&*document, month("2014-06"), &ClientOptions::new()).unwrap();
        let new = &old.document;
        assert_eq!(foreign(new, month("2014-06")), Vec::<String>::new());
        let statue = new.find("Workspace/Statue").unwrap();
        assert_eq!(new.class(statue).unwrap(), "Part");
        let mesh = new.find("Workspace/Statue/Mesh").unwrap();
        assert_eq!(new.class(mesh).unwrap(), "SpecialMesh");
        assert_eq!(new.get(mesh, "Scale").unwrap().as_vector3(), Some(Vec3::new(2.0, 3.0, 0.5)));
        assert_eq!(new.get(mesh, "MeshId").unwrap().as_str(), Some("rbxassetid://11"));
        assert_eq!(new.get(mesh, "TextureId").unwrap().as_str(), Some("rbxassetid://12"));
        // The light was in an attachment, which the month did not have.
        assert_eq!(new.class(new.find("Workspace/Statue/Light").unwrap()).unwrap(), "PointLight");
        assert_eq!(new.class(new.find("Workspace/Plain").unwrap()).unwrap(), "WedgePart");
        assert_eq!(new.class(new.find("Workspace/Folder").unwrap()).unwrap(), "Model");
        let referrer = new.find("Workspace/Ref").unwrap();
        assert_eq!(new.get(referrer, "Value").unwrap().as_instance(), Some(statue));
        // Siblings keep their order.
        let names: Vec<String> =
            new.children(new.find("Workspace").unwrap()).map(|id| new.label(id).to_string()).collect();
        assert_eq!(names, ["Statue", "Plain", "Ref", "Folder"]);
        for rule in ["client.class", "client.class-replaced", "client.moved"] {
            assert!(old.changes.iter().any(|change| change.rule == rule), "{rule}: {:?}", old.changes);
        }
    }
}

#[test]
fn what_a_missing_service_holds_moves_to_another_one() {
    let mut document = rbxxml::Document::new();
    for name in ["ReplicatedStorage", "Workspace", "Lighting"] {
        let service = part(name, name).service(true).child(part("Part", "Stored"));
        document.insert(None, service).unwrap();
    }
    let old = to_client(&document, month("2012-03"), &ClientOptions::new()).unwrap();
    let stored = old.document.find("Lighting/ReplicatedStorage/Stored").unwrap();
    assert_eq!(old.document.class(stored).unwrap(), "Part");
    assert!(old.changes.iter().any(|change| change.rule == "client.moved"));
    // Once it is what the month knows, nothing changes any more.
    assert_eq!(check_client(&*old.document, month("2012-03"), MAX).unwrap(), []);
}

/// What such a service stores is kept, or listed; and so are references in attributes, and a mesh that is an object.
#[test]
fn nothing_is_dropped_without_a_line() {
    let text = br#"<roblox version="4">
        <Item class="StarterPlayer" referent="1"><Properties><string name="Name">Start</string>
            <float name="CharacterWalkSpeed">50</float></Properties>
            <Item class="Model" referent="2"><Properties><Ref name="__attrRef_to">1</Ref></Properties></Item></Item>
        <Item class="MeshPart" referent="3"><Properties>
            <Content name="MeshContent"><Ref>2</Ref></Content></Properties></Item></roblox>"#;
    let document = from_slice(text).unwrap();
    let made = to_client(&*document, month("2012-06"), &ClientOptions::new()).unwrap();
    for name in ["CharacterWalkSpeed", "__attrRef_to", "MeshContent"] {
        let is_it = |change: &rbxdocument::history::Change| change.property.as_deref() == Some(name);
        assert!(made.changes.iter().any(is_it), "{name}: {:?}", made.changes);
    }
    assert!(made.document.paths().any(|(_, path)| path.to_string().ends_with("/Start")));
}

#[test]
fn a_weld_stands_for_a_constraint() {
    use rbxdocument::types::{CFrame, Mat3, Vec3};
    let mut document = rbxxml::Document::new();
    // A quarter turn about y: x becomes -z.
    let turned = Mat3::from_rows([0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0]);
    let one =
        part("Part", "A").property("CFrame", CFrame { position: Vec3::new(1.0, 2.0, 3.0), rotation: turned });
    let next = part("Part", "B")
        .property("CFrame", CFrame { position: Vec3::new(1.0, 2.0, -2.0), rotation: turned });
    let weld = part("WeldConstraint", "Weld").reference("Part0Internal", "a").reference("Part1Internal", "b");
    let model = part("Model", "Model").child(one.label("a")).child(next.label("b")).child(weld);
    document.insert(None, model).unwrap();
    let old = to_client(&document, month("2016-04"), &ClientOptions::new()).unwrap();
    let weld = old.document.find("Model/Weld").unwrap();
    assert_eq!(old.document.class(weld).unwrap(), "Weld");
    let offset = old.document.get(weld, "C0").unwrap().as_cframe().unwrap();
    // Five studs along -z in the world are five along x of the turned part.
    assert_eq!((offset.position, offset.rotation), (Vec3::new(5.0, 0.0, 0.0), Mat3::IDENTITY));
    let target = old.document.get(weld, "Part1").unwrap().as_instance().unwrap();
    assert_eq!(old.document.label(target), "B");
}

/// The real files, and those in the folder `REZKIT_PLACES`.
fn real() -> Vec<testkit::Sample> {
    let mut real: Vec<_> = files().collect();
    let more = std::env::var_os("REZKIT_PLACES").map(|folder| std::fs::read_dir(folder).unwrap());
    for entry in more.into_iter().flatten() {
        let path = entry.unwrap().path();
        let (name, bytes) = (path.display().to_string(), std::fs::read(path).unwrap());
        real.push(testkit::Sample { name, bytes });
    }
    real
}

#[test]
fn real_documents_become_what_a_month_knew() {
    for file in real() {
        let Ok(document) = from_slice(&file.bytes) else { continue };
        for text in MONTHS {
            let month = month(text);
            let old = to_client(&*document, month, &ClientOptions::new()).unwrap();
            let found = foreign(&old.document, month);
            assert!(
                found.is_empty(),
                "{} in {text}: {} such as {:?}",
                file.name,
                found.len(),
                &found[..found.len().min(5)]
            );
            // The bytes are those of a document with the same content.
            let bytes = old.document.to_vec().unwrap();
            let read = from_slice(&bytes).unwrap();
            assert_eq!(foreign(&read, month), Vec::<String>::new(), "{} in {text}", file.name);
            assert_eq!(read.len(), old.document.len());
            // A second conversion changes nothing.
            let again = check_client(&*read, month, MAX).unwrap();
            let again: Vec<_> = again.iter().filter(|change| change.rule != "client.file").collect();
            assert!(again.is_empty(), "{} in {text}: {again:?}", file.name);
        }
    }
}

/// Documents of known months are whole for the clients of their month.
#[test]
fn old_documents_are_whole_for_their_own_month() {
    let cases = [
        ("rbxxml", "rbx-dom/places__baseplate-413__xml.rbxlx", "0.413"),
        ("rbxxml", "rbx-dom/places__baseplate-454__xml.rbxlx", "2020-11"),
        ("rbxbinary", "rbx-dom/places__baseplate-454__binary.rbxl", "2020-11"),
        ("rbxbinary", "rbx-dom/places__baseplate-566__binary.rbxl", "0.566"),
        ("rbxbinary", "rbx-dom/places__all-instances-415__binary.rbxl", "0.415"),
        ("rbxbinary", "GregoryComer-LibRbxl/LibRbxl.Test__TestFiles__Baseplate.rbxl", "2016-12"),
        ("rbxbinary", "GregoryComer-LibRbxl/LibRbxl.Test__TestFiles__ParticleEmitter.rbxl", "2016-12"),
        ("rbxxml", "Novetus-Novetus_src/scripts__launcher__3DView.rbxl", "2013-12"),
        ("rbxxml", "Novetus-Novetus_src/scripts__launcher__Appreciation.rbxl", "2011-10"),
    ];
    for (crate_name, file, text) in cases {
        let Ok(bytes) = std::fs::read(corpus_folder(crate_name).join(file)) else { continue };
        let document = from_slice(&bytes).unwrap();
        let changes = check_client(&*document, month(text), MAX).unwrap();
        let changes: Vec<String> = changes
            .iter()
            .filter(|change| change.has_effect())
            .map(|change| format!("[{}] {change}", change.rule))
            .collect();
        assert!(changes.is_empty(), "{file} in {text}:\n{}", changes.join("\n"));
    }
}

/// Files of a known month have what the dump of the next month is the first to list, or none lists: their months count.
#[test]
fn files_date_what_dumps_state_later() {
    for (class, name, text) in [
        ("StudioData", "CommitInflightAuthorId", "2020-05"),
        ("Workspace", "UnionsScaleNonuniformly", "2022-07"),
        ("StarterPlayer", "DeathStyle", "2023-07"),
        ("StarterPlayer", "AvatarJointUpgrade", "2023-07"),
        ("StarterPlayer", "AvatarJointUpgrade_Serialized", "2023-12"),
        ("Workspace", "DecreaseMinimumPartDensityMode", "2024-03"),
        ("Workspace", "MoverConstraintRootBehavior", "2024-06"),
        ("StarterPlayer", "RagdollDeath", "2025-07"),
    ] {
        assert!(matches!(property(class, name, month(text)), Status::Known(_)), "{class}.{name}");
        let before = property(class, name, month(text).previous());
        assert_eq!(before, Status::Later(month(text)), "{class}.{name}");
    }
    assert_eq!(item_span("DeathStyle", 0).unwrap().first, Some(month("2023-07")));
}

#[test]
fn the_oldest_client_is_that_of_the_newest_thing() {
    let mut document = rbxxml::Document::new();
    let child = part("Part", "Floor")
        .property("Material", Value::Enum(1376))
        .property("CastShadow", Value::Bool(true));
    document.insert(None, part("Model", "House").child(child)).unwrap();
    let found = oldest(&document, MAX).unwrap();
    // Asphalt; that shadows are cast is the default.
    assert_eq!((found.month, &*found.decides[0].what), (month("2016-05"), "Enum.Material.Asphalt"));
    assert_eq!(found.decides[0].path, "House/Floor");
    let floor = document.find("House/Floor").unwrap();
    document.set(floor, "CastShadow", false).unwrap();
    let found = oldest(&document, MAX).unwrap();
    assert_eq!((found.month, &*found.decides[0].what), (month("2019-05"), "Part.CastShadow"));
    assert_eq!(class_span("MeshPart").unwrap().first, Some(month("2016-05")));
}

#[test]
fn a_conversion_takes_linear_memory() {
    let used = |count: usize| {
        let mut model = part("Model", "Model");
        for index in 0..count {
            model = model.child(part("MeshPart", &format!("Mesh {index}")).child(part("UICorner", "Corner")));
        }
        let mut document = rbxxml::Document::new();
        document.insert(None, model).unwrap();
        let old = to_client(&document, month("2014-06"), &ClientOptions::new()).unwrap();
        assert_eq!(old.document.len(), 1 + 2 * count);
        MAX - old.memory_left
    };
    let (small, large) = (used(500), used(2000));
    assert!(large < 5 * small, "{small} bytes for 500, {large} for 2000");
}

#[test]
fn terrain_has_the_form_of_the_month() {
    use rbxblobs::{ClusterGrid, SmoothGrid, terrain::Voxel};
    let mut grid = SmoothGrid::default();
    grid.edit([-5, 3, 2], [40, 20, 9], |_, voxel| *voxel = Voxel::full(2));
    let terrain = part("Terrain", "Terrain").property("SmoothGrid", Value::from(grid.to_vec().unwrap()));
    for mut document in
        [AnyDocument::from(rbxbinary::Document::new()), AnyDocument::from(rbxxml::Document::new())]
    {
        document.insert(None, terrain.clone()).unwrap();
        let old = to_client(&*document, month("2014-06"), &ClientOptions::new()).unwrap();
        let id = old.document.find("Terrain").unwrap();
        assert!(old.document.properties(id).all(|(name, _)| name != "SmoothGrid"));
        let bytes = old.document.get(id, "ClusterGridV3").unwrap().as_bytes().unwrap().to_vec();
        let cells: ClusterGrid = rbxblobs::from_slice(&bytes).unwrap();
        assert_eq!(cells.to_smooth(), grid);
        // And back, for a client that does not know the old form.
        let new = to_client(&*old.document, month("2024-01"), &ClientOptions::new()).unwrap();
        let id = new.document.find("Terrain").unwrap();
        let bytes = new.document.get(id, "SmoothGrid").unwrap().as_bytes().unwrap().to_vec();
        assert_eq!(rbxblobs::from_slice::<SmoothGrid>(&bytes).unwrap(), grid);
        // Before both, it is dropped and listed, also as blocks, whose bytes an older string cannot hold in XML.
        for (source, older) in [(&document, "2011-12"), (&document, "2012-06"), (&old.document, "2012-06")] {
            let older = to_client(&**source, month(older), &ClientOptions::new()).unwrap();
            assert!(older.changes.iter().any(|change| change.rule == "client.terrain"));
            older.document.to_vec().unwrap();
        }
    }
}

/// Regions have voxels since their terrain could be smooth, which the dumps state; what the form before holds is not known.
#[test]
fn regions_lose_what_the_month_had_no_form_for() {
    use rbxblobs::{SmoothGrid, terrain::Voxel};
    let mut grid = SmoothGrid::default();
    grid.edit([0; 3], [3; 3], |_, voxel| *voxel = Voxel::full(2));
    let empty = SmoothGrid::default().to_vec().unwrap();
    for (bytes, rule) in [(grid.to_vec().unwrap(), "client.terrain"), (empty, "client.without-effect")] {
        let mut document = rbxxml::Document::new();
        let region = part("TerrainRegion", "Region").property("SmoothGrid", Value::from(bytes.clone()));
        document.insert(None, part("Folder", "Folder").child(region)).unwrap();
        for (text, rule) in [("2014-12", Some(rule)), ("2012-01", Some("client.class")), ("2015-05", None)] {
            let old = to_client(&document, month(text), &ClientOptions::new()).unwrap();
            let of_region = old.changes.iter().filter(|change| change.path.ends_with("Region"));
            let rules: Vec<&str> = of_region.map(|change| change.rule).collect();
            assert_eq!(rules, rule.into_iter().collect::<Vec<_>>(), "{text}");
            let kept = old.document.find("Folder/Region").and_then(|id| old.document.get(id, "SmoothGrid"));
            assert_eq!(kept.is_some(), text == "2015-05", "{text}");
        }
    }
}

/// What two unions store alike is stored once, and the instances have the same bytes as before.
#[test]
fn equal_bytes_become_a_shared_string() {
    use rbxdocument::size::share;
    for mut document in
        [AnyDocument::from(rbxbinary::Document::new()), AnyDocument::from(rbxxml::Document::new())]
    {
        let is_xml = matches!(document, AnyDocument::Xml(_));
        let bytes = |text: &str| match is_xml {
            true => Value::BinaryString(text.into()),
            false => Value::from(text),
        };
        for (name, data) in [("A", "alike"), ("B", "alike"), ("C", "alone")] {
            let union = part("UnionOperation", name).property("MeshData", bytes(data));
            EditOptions::new().as_given(true).insert(&mut document, None, union).unwrap();
        }
        let shared = share(&mut *document, &mut rbxdocument::errors::Budget::new(MAX)).unwrap();
        assert_eq!((shared.values, shared.saved), (2, 5));
        let document = from_slice(&document.to_vec().unwrap()).unwrap();
        for (name, old, new) in [("A", "", "alike"), ("B", "", "alike"), ("C", "alone", "")] {
            let id = document.find(name).unwrap();
            let of = |property: &str| {
                let found = document.properties(id).find(|(known, _)| **known == *property);
                found.and_then(|(_, value)| value.as_bytes().map(<[u8]>::to_vec)).unwrap_or_default()
            };
            assert_eq!((of("MeshData"), of("MeshData2")), (old.into(), new.into()), "{name}");
        }
        assert_eq!(document.shared_len(), if is_xml { 1 } else { 2 });
        // A second time, there is nothing to share.
        let mut again = document;
        assert_eq!(share(&mut *again, &mut rbxdocument::errors::Budget::new(MAX)).unwrap().values, 0);
    }
}

/// What `check_client` lists is what `to_client` changes, with references and filled columns.
#[test]
fn a_check_lists_what_a_conversion_changes() {
    let text = br#"<roblox version="4"><Item class="Folder" referent="1"><Properties></Properties>
        <Item class="ObjectValue" referent="2"><Properties><Ref name="Value">3</Ref></Properties></Item>
        <Item class="Nothing" referent="3"></Item>
        <Item class="MeshPart" referent="4"></Item>
        <Item class="Part" referent="5"><Properties><bool name="Locked">true</bool>
            <Ref name="__attrRef_to">3</Ref></Properties></Item></Item></roblox>"#;
    let xml = from_slice(text).unwrap();
    let fill = rbxdocument::convert::ConvertOptions::new().fill(rbxdocument::convert::Fill::Defaults);
    let binary = rbxdocument::convert::to_binary(&*xml, &fill).unwrap().document;
    for document in [xml, AnyDocument::from(binary)] {
        for text in ["2012-06", "2014-06", "2020-01", "2026-07"] {
            let month = month(text);
            let listed = check_client(&*document, month, MAX).unwrap();
            let made = to_client(&*document, month, &ClientOptions::new()).unwrap();
            assert_eq!(listed, made.changes, "{text}");
            let has = |rule: &str, name: &str| {
                listed.iter().any(|change| change.rule == rule && change.property.as_deref() == Some(name))
            };
            assert!(has("client.reference", "Value"), "{text}: {listed:?}");
            let rule = if text == "2026-07" { "client.reference" } else { "client.property" };
            assert!(has(rule, "__attrRef_to"), "{text}: {listed:?}");
            let is_filled = matches!(made.document, AnyDocument::Binary(_));
            let fills = listed.iter().any(|change| change.rule == "client.filled");
            assert_eq!(fills, is_filled && text == "2014-06", "{text}: {listed:?}");
            let again = from_slice(&made.document.to_vec().unwrap()).unwrap();
            assert_eq!(check_client(&*again, month, MAX).unwrap(), [], "{text}");
        }
    }
}

/// The client that `oldest` names knows the whole document, and that of the month before does not.
#[test]
fn the_oldest_client_is_the_first_that_knows_all() {
    let lighting = br#"<roblox version="4"><Item class="Workspace" referent="W"></Item>
        <Item class="Lighting" referent="L"><Properties><token name="Technology">4</token></Properties></Item>
        <Item class="StarterPlayer" referent="S"><Properties><float name="CharacterWalkSpeed">50</float>
        </Properties></Item></roblox>"#;
    let found = oldest(&*from_slice(lighting).unwrap(), MAX).unwrap();
    // The dump of 2019-03 is the first with this property; Technology is in that of 2018-10, its item 4 in a later one.
    let item = item_span("Technology", 4).unwrap().first.unwrap();
    assert_eq!(found.month, item.max(month("2019-03")));
    // No client has both: the dump of 2017-05 is the last with the one, that of 2020-06 the first with the other.
    let both = br#"<roblox version="4"><Item class="Model" referent="W">
        <Item class="ChatFilter" referent="A"></Item><Item class="UICorner" referent="B"></Item></Item></roblox>"#;
    let found = oldest(&*from_slice(both).unwrap(), MAX).unwrap();
    assert_eq!((found.month, &*found.gone[0].what), (month("2020-06"), "ChatFilter"));
    let mut checked = 0;
    for file in real() {
        let Ok(document) = from_slice(&file.bytes) else { continue };
        let found = oldest(&*document, MAX).unwrap();
        if !found.gone.is_empty() || !found.unknown.is_empty() {
            continue;
        }
        let lists = |month: Month| {
            let changes = check_client(&*document, month, MAX).unwrap();
            changes.into_iter().filter(rbxdocument::history::Change::has_effect).collect::<Vec<_>>()
        };
        let at = lists(found.month);
        assert!(at.is_empty(), "{} in {}: {at:?}", file.name, found.month);
        if found.month > Month::OLDEST {
            let before = lists(found.month.previous());
            assert!(!before.is_empty(), "{} before {}", file.name, found.month);
            assert!(!found.decides.is_empty(), "{}", file.name);
        }
        checked += 1;
    }
    // A fresh clone has no real files.
    assert!(checked > 20 || real().is_empty(), "{checked}");
}

/// Chunks in Zstandard are read since 2025; the change to LZ4 is listed.
#[test]
fn a_change_of_compression_is_listed() {
    use rbxbinary::{Compression, WriteOptions};
    let mut document = rbxbinary::Document::new();
    document.insert(None, part("Part", &"A".repeat(1000))).unwrap();
    for (compression, rule, first) in
        [(Compression::Zstd, Some("client.form"), "2025-01"), (Compression::Lz4, None, "2014-01")]
    {
        let bytes = WriteOptions::new().compression(compression).write(&document).unwrap();
        let read = from_slice(&bytes).unwrap();
        let made = to_client(&*read, month("2018-04"), &ClientOptions::new()).unwrap();
        let form: Vec<&str> = made.changes.iter().map(|change| change.rule).collect();
        assert_eq!(form.first().copied().filter(|rule| *rule == "client.form"), rule, "{form:?}");
        assert_eq!(check_client(&*read, month("2025-01"), MAX).unwrap(), []);
        assert_eq!(oldest(&*read, MAX).unwrap().month, month(first));
    }
}

/// Before the mesh parts of 2016, and before content could be an object, a client reads addresses.
#[test]
fn content_that_is_an_object_is_listed() {
    let text = br#"<roblox version="4"><Item class="Model" referent="1">
        <Item class="MeshPart" referent="2"><Properties><Content name="MeshContent"><Ref>1</Ref></Content>
            <Content name="TextureContent"><uri>rbxassetid://9</uri></Content></Properties></Item>
        <Item class="Decal" referent="3"><Properties><Content name="TextureContent"><Ref>1</Ref></Content></Properties></Item>
        <Item class="Decal" referent="4"><Properties><Content name="TextureContent"><uri>rbxassetid://8</uri></Content>
            </Properties></Item></Item></roblox>"#;
    let document = from_slice(text).unwrap();
    for text in ["2014-06", "2016-04", "2016-05", "2020-07"] {
        let made = to_client(&*document, month(text), &ClientOptions::new()).unwrap();
        let lists = |class: &str, name: &str| {
            let is_it = |change: &&rbxdocument::history::Change| {
                change.class == class && change.property.as_deref() == Some(name)
            };
            made.changes.iter().find(is_it).map(|change| change.rule)
        };
        for (class, name) in [("MeshPart", "MeshContent"), ("Decal", "TextureContent")] {
            assert_eq!(lists(class, name), Some("client.property"), "{text}: {:?}", made.changes);
        }
        // Addresses are texts.
        for id in made.document.descendants(made.document.find("Model").unwrap()) {
            for (name, value) in made.document.properties(id) {
                assert_ne!(value.to_value().kind(), Some(Kind::Content), "{name} in {text}");
            }
        }
        let all = made.document.to_vec().unwrap();
        assert!(all.windows(14).any(|part| part == b"rbxassetid://9"), "{text}");
        assert!(all.windows(14).any(|part| part == b"rbxassetid://8"), "{text}");
    }
}

/// Parts without a place are at the origin, or where the constraint says; one that is off welds nothing.
#[test]
fn welds_between_parts_without_a_place() {
    use rbxdocument::types::{CFrame, Mat3, Vec3};
    let at = |x: f32| CFrame { position: Vec3::new(x, 2.0, 3.0), rotation: Mat3::IDENTITY };
    for (own, wanted) in [(None, Vec3::new(-1.0, -2.0, -3.0)), (Some(at(7.0)), Vec3::new(7.0, 2.0, 3.0))] {
        let mut document = rbxxml::Document::new();
        let weld = |name: &str, on: bool, names: [&str; 2]| {
            let weld = part("WeldConstraint", name).property("Enabled", on);
            let weld = weld.reference(names[0], "a").reference(names[1], "b");
            match own {
                Some(own) => weld.property("CFrame0", own),
                None => weld,
            }
        };
        let model = part("Model", "Model")
            .child(part("Part", "A").property("CFrame", at(1.0)).label("a"))
            .child(part("Part", "B").label("b"))
            .child(weld("Weld", true, ["Part0Internal", "Part1Internal"]))
            .child(weld("Also", true, ["Part0", "Part1"]))
            .child(weld("Off", false, ["Part0Internal", "Part1Internal"]));
        EditOptions::new().as_given(true).insert(&mut document, None, model).unwrap();
        let old = to_client(&document, month("2016-04"), &ClientOptions::new()).unwrap();
        for name in ["Weld", "Also"] {
            let weld = old.document.find(format!("Model/{name}")).unwrap();
            assert_eq!(old.document.get(weld, "C0").unwrap().as_cframe().unwrap().position, wanted, "{name}");
            let target = old.document.get(weld, "Part1").unwrap().as_instance().unwrap();
            assert_eq!(old.document.label(target), "B");
        }
        assert!(old.document.find("Model/Off").is_none());
        let off = old.changes.iter().filter(|change| change.path == "Model/Off");
        assert_eq!(off.map(|change| change.rule).collect::<Vec<_>>(), ["client.class"]);
        assert!(old.changes.iter().all(|change| change.rule != "client.property"), "{:?}", old.changes);
    }
}

/// The strings of 2012 hold bytes, which only the binary form can; ClusterGridV3, which has the same bytes, came in 2013.
#[test]
fn the_grid_of_2012_remains_where_it_can() {
    use rbxblobs::{ClusterGrid, SmoothGrid, terrain::Voxel};
    let mut grid = SmoothGrid::default();
    grid.edit([-5, 3, 2], [40, 20, 9], |_, voxel| *voxel = Voxel::full(2));
    let bytes = ClusterGrid::of_smooth(&grid).0.to_vec().unwrap();
    for name in ["ClusterGridV2", "ClusterGrid"] {
        let mut binary = AnyDocument::from(rbxbinary::Document::new());
        let terrain = part("Terrain", "Terrain").property(name, Value::from(bytes.clone()));
        EditOptions::new().as_given(true).insert(&mut binary, None, terrain).unwrap();
        let mut xml = AnyDocument::from(rbxxml::Document::new());
        let terrain = part("Terrain", "Terrain").property(name, Value::BinaryString(bytes.clone().into()));
        EditOptions::new().as_given(true).insert(&mut xml, None, terrain).unwrap();
        for (document, is_xml) in [(&binary, false), (&xml, true)] {
            for text in ["2011-12", "2012-06", "2013-08", "2014-06", "2014-12", "2015-06"] {
                let old = to_client(&**document, month(text), &ClientOptions::new()).unwrap();
                assert_eq!(foreign(&old.document, month(text)), Vec::<String>::new());
                let all = old.document.to_vec().unwrap();
                let read = from_slice(&all).unwrap();
                let terrain = read.find("Terrain").unwrap();
                let of = |name: &str| {
                    let found = read.properties(terrain).find(|(known, _)| **known == *name);
                    found.map(|(_, value)| value.as_bytes().unwrap_or_default().to_vec())
                };
                let is_listed = old.changes.iter().any(|change| change.rule == "client.terrain");
                match (name, text) {
                    ("ClusterGridV2", "2013-08") => assert_eq!(of("ClusterGridV3"), Some(bytes.clone())),
                    ("ClusterGridV2", "2014-06" | "2014-12") if is_xml => {
                        assert_eq!(of("ClusterGridV3"), Some(bytes.clone()));
                    }
                    ("ClusterGridV2", "2014-06" | "2014-12") => assert_eq!(of(name), Some(bytes.clone())),
                    ("ClusterGridV2", "2015-06") => {
                        let new: SmoothGrid = rbxblobs::from_slice(&of("SmoothGrid").unwrap()).unwrap();
                        assert_eq!(new, grid);
                    }
                    _ => {}
                }
                let stays = of(name).is_some();
                assert!(stays || is_listed, "{name} in {text}: {:?}", old.changes);
            }
        }
    }
}

/// Ground of one voxel has no holes as parts, whatever their size.
#[test]
fn flat_ground_becomes_parts_without_holes() {
    use rbxblobs::{SmoothGrid, terrain::Voxel};
    use rbxdocument::types::Vec3;
    const EDGE: usize = 40;
    for (step, height) in
        [1, 2, 4, 8].into_iter().flat_map(|step| [0, 3, 31, 32].map(|height| (step, height)))
    {
        let mut grid = SmoothGrid::default();
        let to = i32::try_from(EDGE).unwrap();
        grid.edit([0, height, 0], [to, height + 1, to], |_, voxel| *voxel = Voxel::full(2));
        let mut document = rbxxml::Document::new();
        let terrain = part("Terrain", "Terrain").property("SmoothGrid", Value::from(grid.to_vec().unwrap()));
        document.insert(None, terrain).unwrap();
        let options = ClientOptions::new().terrain_parts(step);
        let old = to_client(&document, month("2012-06"), &options).unwrap();
        let mut covered = vec![0; EDGE * EDGE];
        for id in old.document.by_class("Part") {
            let vector = |value: Option<Vec3>| value.unwrap();
            let at = old.document.get(id, "CFrame").unwrap().as_cframe().unwrap().position;
            let size = vector(old.document.get(id, "size").unwrap().as_vector3());
            // The ground is at most a part above or below its place.
            let middle = 4.0 * height as f32 + 2.0;
            assert!((at.y - middle).abs() <= size.y / 2.0, "{step}: {at:?}");
            #[allow(clippy::cast_possible_truncation, reason = "small whole numbers")]
            let range =
                |at: f32, size: f32| ((at - size / 2.0) / 4.0) as usize..((at + size / 2.0) / 4.0) as usize;
            for (x, z) in range(at.x, size.x).flat_map(|x| range(at.z, size.z).map(move |z| (x, z))) {
                covered[x + EDGE * z] += 1;
            }
        }
        assert!(covered.iter().all(|count| *count == 1), "{step} at {height}");
    }
}
