//! The rules file.

use rezkit_avatar::{AVATAR_RULES, CheckOptions, Numbers, RULES, Verdict, table};

use crate::made::hat;

#[test]
fn a_rules_file_replaces_numbers_and_is_completed() {
    let given = br#"{"MeshRules": {"AccessoryMaxTriangles": 11, "Soon": true, "MeshVertColor": null}, "AccessoryRules": {"Enum.AssetType.Hat":
        {"Attachments": [{"Name": "HatAttachment", "Size": "1, 1, 1", "Offset": {"X": 0, "Y": 0, "Z": 0}}], "RigidAllowed": true}}}"#;
    let numbers = Numbers::from_json(given).expect("made for the test");
    assert!(numbers.filled().iter().any(|key| key == "TextureRules"));
    assert!(numbers.filled().iter().any(|key| key == "MeshRules.MeshVertColor"));
    // Those of the other scale types, too.
    let of_hat: Vec<_> =
        numbers.filled().iter().filter(|key| key.starts_with("AccessoryRules.Hat")).collect();
    let of_attachment = ["Normal", "Slender"]
        .map(|of| format!("AccessoryRules.Hat.Attachments.HatAttachment.Proportions{of}"));
    assert_eq!(of_hat, of_attachment.iter().collect::<Vec<_>>());
    assert!(numbers.to_json().contains("\"Soon\": true"));
    let mut options = CheckOptions::default();
    options.numbers = numbers;
    let report = hat().report_with(&options);
    let failed: Vec<_> = report.items[0].failures().map(|row| (row.rule, row.allowed.as_str())).collect();
    assert_eq!(
        failed,
        [
            ("roblox-avatar.box", "within 1 x 1 x 1 around the attachment"),
            ("roblox-avatar.triangles", "at most 11 triangles")
        ]
    );
}

#[test]
fn what_is_printed_is_read_again() {
    let numbers = Numbers::default();
    let again = Numbers::from_json(numbers.to_json().as_bytes()).expect("made for the test");
    assert_eq!(again, numbers);
    assert!(again.filled().is_empty());
}

#[test]
fn wrong_rules_are_refused() {
    for (given, why) in [
        ("[]", "not a JSON object"),
        ("{", "not JSON"),
        (r#"{"MeshRules": 3}"#, "MeshRules: the value has another type than expected"),
        (r#"{"MeshRules": {"AccessoryMaxTriangles": "many"}}"#, "MeshRules.AccessoryMaxTriangles"),
        (
            r#"{"FullBodyRules": {"Bounds": {"Classic": {"MinSize": [1, 2]}}}}"#,
            "FullBodyRules.Bounds.Classic.MinSize",
        ),
    ] {
        let error = Numbers::from_json(given.as_bytes()).expect_err("refused").to_string();
        assert!(error.contains(why), "{error}");
    }
    // A table of Luau without entries is an empty list in JSON.
    assert!(Numbers::from_json(br#"{"MakeupRules": [], "MeshRules": []}"#).is_ok());
}

/// The ids are unique, and the number of a rule exists.
#[test]
fn the_table_is_complete() {
    let mut ids: Vec<_> = AVATAR_RULES.iter().map(|rule| rule.rule.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), RULES.len());
    let json: serde_json::Value =
        serde_json::from_str(&Numbers::default().to_json()).expect("made for the test");
    for rule in AVATAR_RULES.iter().filter(|rule| !rule.key.is_empty()) {
        let found =
            rule.key.split('.').take_while(|key| *key != "*").try_fold(&json, |value, key| value.get(key));
        assert!(found.is_some(), "{} of {}", rule.key, rule.rule.id);
    }
    assert_eq!(table().lines().count(), RULES.len() + 2);
}

/// Without its files, an item is judged by what the document tells.
#[test]
fn what_is_not_at_hand_is_not_seen() {
    let mut made = hat();
    made.files.clear();
    let report = made.report();
    let verdict = |rule: &str| {
        report.items[0].rows.iter().find(|row| row.rule == rule).expect("made for the test").verdict
    };
    assert_eq!(verdict("roblox-avatar.triangles"), Verdict::Unseen);
    assert_eq!(verdict("roblox-avatar.texture-size"), Verdict::Unseen);
    assert_eq!(verdict("roblox-avatar.attachment"), Verdict::Passed);
    assert!(report.items[0].is_accepted());
    assert!(!report.notes.is_empty());
}

/// A jacket without cages is refused, unless the numbers allow rigid ones; and vertex colours are those that they state.
#[test]
fn rigid_jackets_and_vertex_colors_follow_the_numbers() {
    let mut rigid = crate::made::jacket();
    rigid.remove("Item/Handle/WrapLayer");
    let size = geom::Vec3::new(3.0, 2.0, 1.5);
    rigid.files.insert(1, crate::made::plain(&crate::made::block(size)));
    let mut grey = hat();
    grey.remesh(1, |mesh| {
        let half = geom::Rgba8 { r: 128, g: 128, b: 128, a: 255 };
        mesh.colors = vec![half.to_linear(); mesh.positions.len()];
    });
    let rules = br#"{"MeshRules": {"MeshVertColor": [0.5, 0.5, 0.5]},
        "AccessoryRules": {"JacketAccessory": {"RigidAllowed": true}}}"#;
    let mut options = CheckOptions::default();
    assert!(!crate::damages::failed(&rigid).is_empty());
    assert_eq!(crate::damages::failed(&grey).into_iter().collect::<Vec<_>>(), ["vertex-colors"]);
    options.numbers = Numbers::from_json(rules).expect("made for the test");
    for made in [&rigid, &grey] {
        let report = made.report_with(&options);
        let failed: Vec<_> = report.items[0].failures().collect();
        assert!(failed.is_empty(), "{failed:?}");
    }
}
