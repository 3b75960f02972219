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
