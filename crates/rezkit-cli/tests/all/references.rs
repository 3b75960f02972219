//! References to assets in texts.

use std::collections::BTreeMap;

use rezkit::assets::replace;

use crate::open;
use crate::xml::{field, tree};

#[test]
fn references_in_texts() {
    // A script appends the id to the second address.
    let text =
        "rbxassetid://12 x='https://www.roblox.com//asset/?id=34', 'http://roblox.com/asset/?ID=' mailto://x";
    let asset = crate::open(format!("<llsd><string>{text}</string></llsd>"), "a.xml");
    let found = asset.assets().expect("few");
    assert!(found.keys().eq(["https://www.roblox.com//asset/?id=34", "rbxassetid://12"]), "{found:?}");
    let map = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())).collect::<BTreeMap<_, _>>()
    };
    let replaced = |pairs: &[(&str, &str)]| {
        replace(text.as_bytes(), &map(pairs)).map(|text| String::from_utf8(text).expect("UTF-8"))
    };
    let wanted =
        "rbxassetid://7 x='https://www.roblox.com//asset/?id=8', 'http://roblox.com/asset/?ID=' mailto://x";
    assert_eq!(replaced(&[("12", "7"), ("34", "8")]).as_deref(), Some(wanted));
    let wanted = "rbxassetid://12 x='rbxassetid://9', 'http://roblox.com/asset/?ID=' mailto://x";
    assert_eq!(replaced(&[("34", "rbxassetid://9")]).as_deref(), Some(wanted));
    // An id is a whole number, not a part of one.
    assert_eq!(replaced(&[("1", "7"), ("rbxassetid://1", "x")]), None);
}

/// Fonts and attributes refer to assets, too.
#[test]
fn references_in_fonts_and_attributes() {
    let urls = "<Family><url>rbxassetid://12</url></Family><Weight>400</Weight><Style>Normal</Style>\
                <CachedFaceId><url>rbxassetid://13</url></CachedFaceId>";
    let mut opened = open(tree(&format!("TextLabel|A|{}", field("Font", "FontFace", urls))), "a.rbxmx");
    opened.set("A.AttributesSerialize.Skin", "rbxassetid://14", Some("string")).expect("set");
    let found = |opened: &rezkit::Opened<'_>| opened.assets().expect("few").into_keys().collect::<Vec<_>>();
    assert_eq!(found(&opened), ["rbxassetid://12", "rbxassetid://13", "rbxassetid://14"]);
    let map = [("12", "7"), ("14", "9")].map(|(old, new)| (old.to_owned(), new.to_owned())).into();
    assert_eq!(opened.replace_assets(&map).expect("replaced"), (2, BTreeMap::new()));
    assert_eq!(found(&opened), ["rbxassetid://13", "rbxassetid://7", "rbxassetid://9"]);
}

/// The forms of Roblox's addresses, from scripts and documents of games.
#[test]
fn every_form_of_an_id_is_replaced() {
    // An address with the number in place of `#` for the id, and in place of `@` for other numbers.
    let texts = [
        "rbxassetid://#",
        "rbxthumb://type=Asset&id=#&w=150&h=150",
        "https://www.roblox.com/library/#/x",
        "https://create.roblox.com/store/asset/#",
        "http://www.roblox.com/Thumbs/Asset.ashx?assetId=#",
        "https://assetdelivery.roblox.com/v1/asset/?id=#",
        "https://www.roblox.com/asset-thumbnail/image?assetId=#&width=420",
        "https://www.roblox.com/asset/?assetversionid=@&id=#",
        // These numbers are not the id of the asset.
        "rbxassetid://2@",
        "rbxthumb://type=AvatarHeadShot&id=@",
        "https://www.roblox.com/asset/?assetversionid=@",
        "https://example.com/?id=@",
        // As in places of 2011.
        "http://www.roblox.com/asset/?id= #",
    ];
    let text = |id: &str| {
        let all = texts.join(" ").replace('&', "&amp;").replace('@', "1007").replace('#', id);
        open(format!("<llsd><string>{all}</string></llsd>"), "a.xml")
    };
    let mut opened = text("1007");
    let map = BTreeMap::from([("1007".to_owned(), "2007".to_owned())]);
    let (count, remaining) = opened.replace_assets(&map).expect("replaced");
    assert_eq!(count, 1);
    let wanted = text("2007");
    assert_eq!(opened.assets().expect("few"), wanted.assets().expect("few"));
    // References that contain the number and stay are listed.
    let staying = [texts[11], texts[10], texts[9]].map(|text| text.replace('@', "1007"));
    assert!(remaining.keys().eq(&staying), "{remaining:?}");
    // An empty id would make a reference to nothing.
    let empty = BTreeMap::from([("2007".to_owned(), String::new())]);
    assert_eq!(opened.replace_assets(&empty).expect_err("empty").kind(), rezkit::ErrorKind::Argument);
}

/// What waits for its id has the address of a file; a table has the ids that an upload gave, as numbers.
#[test]
fn addresses_of_files_get_ids() {
    let mut opened = open("<llsd><string>rbxasset://out/3deb14c1f032ec0e.mesh</string></llsd>", "a.xml");
    let map = BTreeMap::from([("rbxasset://out/3deb14c1f032ec0e.mesh".to_owned(), "1000".to_owned())]);
    assert_eq!(opened.replace_assets(&map).expect("replaced"), (1, BTreeMap::new()));
    assert!(opened.assets().expect("few").keys().eq(["rbxassetid://1000"]));
}

/// In Second Life, assets are named by UUIDs: in values of LLSD, and in the glTF document of a material.
#[test]
fn uuids_are_references_in_second_life() {
    let [old, new] = ["aaaaaaaa-2222-3333-4444-555555555555", "11111111-24cb-43ed-920b-47caed15465f"];
    let map = BTreeMap::from([(old.to_owned(), new.to_owned())]);
    let llsd = format!(
        "<llsd><map><key>t</key><uuid>{old}</uuid><key>s</key><string>{old}</string>\
         <key>none</key><uuid>00000000-0000-0000-0000-000000000000</uuid>\
         <key>longer</key><string>{old}-1</string></map></llsd>"
    );
    let gltf = format!(r#"{{"asset":{{"version":"2.0"}},"images":[{{"uri":"{old}"}}],"materials":[{{}}]}}"#);
    let material = format!(
        "<? LLSD/Binary ?>\n{{\0\0\0\u{3}k\0\0\0\u{4}datas\0\0\0{}{gltf}k\0\0\0\u{4}types\0\0\0\u{8}GLTF 2.0\
         k\0\0\0\u{7}versions\0\0\0\u{3}1.1}}",
        char::from(u8::try_from(gltf.len()).expect("short"))
    );
    for (name, bytes, paths) in
        [("a.xml", llsd, vec!["/s", "/t"]), ("a.material", material, vec!["/data/images/0/uri"])]
    {
        let mut opened = rezkit::open(bytes.clone().into_bytes(), name, ()).expect("readable");
        let found = opened.assets().expect("few");
        let ends = |all: &[String]| {
            let mut all: Vec<_> = all.to_vec();
            all.sort();
            all.len() == paths.len() && all.iter().zip(&paths).all(|(path, end)| path.ends_with(&end[1..]))
        };
        assert!(found.len() == 1 && ends(&found[old]), "{found:?}");
        let replaced = opened.replace_assets(&map).expect("replaced");
        assert_eq!(replaced, (paths.len(), BTreeMap::new()));
        let written = opened.to_vec().expect("written");
        let wanted = bytes.replace(old, new).replace(&format!("{new}-1"), &format!("{old}-1"));
        assert_eq!(written, wanted.into_bytes());
    }
}
