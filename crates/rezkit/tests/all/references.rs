//! References to assets in texts.

use std::collections::BTreeMap;

use rezkit::assets::replace;

#[test]
fn references_in_texts() {
    let text = "rbxassetid://12 x='https://www.roblox.com//asset/?id=34', mailto://x";
    let asset = rezkit::open(format!("<llsd><string>{text}</string></llsd>").into_bytes(), "a.xml", ())
        .expect("LLSD");
    let found = asset.assets().expect("few");
    assert!(found.keys().eq(["https://www.roblox.com//asset/?id=34", "rbxassetid://12"]), "{found:?}");
    let map = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())).collect::<BTreeMap<_, _>>()
    };
    let replaced = |pairs: &[(&str, &str)]| {
        replace(text.as_bytes(), &map(pairs)).map(|text| String::from_utf8(text).expect("UTF-8"))
    };
    let wanted = "rbxassetid://7 x='https://www.roblox.com//asset/?id=8', mailto://x";
    assert_eq!(replaced(&[("12", "7"), ("34", "8")]).as_deref(), Some(wanted));
    let wanted = "rbxassetid://12 x='rbxassetid://9', mailto://x";
    assert_eq!(replaced(&[("34", "rbxassetid://9")]).as_deref(), Some(wanted));
    // An id is a whole number, not a part of one.
    assert_eq!(replaced(&[("1", "7"), ("rbxassetid://1", "x")]), None);
}

/// Fonts and attributes refer to assets, too.
#[test]
fn references_in_fonts_and_attributes() {
    let text = "<roblox version=\"4\"><Item class=\"TextLabel\"><Properties><string name=\"Name\">A</string>\
        <Font name=\"FontFace\"><Family><url>rbxassetid://12</url></Family><Weight>400</Weight><Style>Normal</Style>\
        <CachedFaceId><url>rbxassetid://13</url></CachedFaceId></Font></Properties></Item></roblox>";
    let mut opened = rezkit::open(text.as_bytes().to_vec(), "a.rbxmx", ()).expect("readable");
    opened.set("A.AttributesSerialize.Skin", "rbxassetid://14", Some("string")).expect("set");
    let found = |opened: &rezkit::Opened<'_>| opened.assets().expect("few").into_keys().collect::<Vec<_>>();
    assert_eq!(found(&opened), ["rbxassetid://12", "rbxassetid://13", "rbxassetid://14"]);
    let map = [("12", "7"), ("14", "9")].map(|(old, new)| (old.to_owned(), new.to_owned())).into();
    assert_eq!(opened.replace_assets(&map).expect("replaced"), 2);
    assert_eq!(found(&opened), ["rbxassetid://13", "rbxassetid://7", "rbxassetid://9"]);
}
