//! Avatar items on the command line.

use rbxcore::Value;

use super::run::Folder;
use crate::{binary_of, instance};

/// An FBX file of a hat that spans y from -1.75 to 1.75, with its attachment at this height; the numbers are studs.
fn hat_of_fbx(unit: f32, height: f32) -> String {
    let corner = |at: usize| [0, 1, 2].map(|axis| if at >> axis & 1 == 0 { -1.0 } else { 1.0 });
    let corners =
        (0..8).map(corner).flat_map(|[x, y, z]| [x, 1.75 * y, z]).map(|number: f32| number.to_string());
    let corners = corners.collect::<Vec<_>>().join(",");
    // A negative index ends a polygon.
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let faces = faces.map(|[a, b, c, d]: [i32; 4]| format!("{a},{b},{c},{}", -d - 1)).join(",");
    format!(
        r#"; FBX 7.4.0 project file
FBXHeaderExtension:  {{
	FBXHeaderVersion: 1003
	FBXVersion: 7400
}}
GlobalSettings:  {{
	Version: 1000
	Properties70:  {{
		P: "UnitScaleFactor", "double", "Number", "",{unit}
	}}
}}
Objects:  {{
	Geometry: 1, "Geometry::g", "Mesh" {{
		Vertices: *24 {{
			a: {corners}
		}}
		PolygonVertexIndex: *24 {{
			a: {faces}
		}}
		GeometryVersion: 124
	}}
	Model: 2, "Model::Cap", "Mesh" {{
		Version: 232
	}}
	Model: 3, "Model::Hat_Att", "Null" {{
		Version: 232
		Properties70:  {{
			P: "Lcl Translation", "Lcl Translation", "", "A",0,{height},0
		}}
	}}
}}
Connections:  {{
	C: "OO",2,0
	C: "OO",1,2
	C: "OO",3,2
}}
"#
    )
}

/// Studio takes the numbers of an FBX file for studs, whatever unit it states; the hats are the example of the rules: the box
/// ends 1.8 or 1.5 above the middle.
#[test]
fn the_numbers_of_fbx_are_studs() {
    let folder = Folder::new(&[]);
    for (unit, height, accepted) in
        [(1.0, -0.2, true), (100.0, -0.2, true), (1.0, -0.5, false), (100.0, -0.5, false)]
    {
        folder.write("hat.fbx", hat_of_fbx(unit, height));
        let ran = folder.run("check --profile roblox-avatar hat.fbx");
        assert_eq!(ran.status, Some(i32::from(!accepted)), "{unit} {height}: {}{}", ran.out, ran.err);
        assert_eq!(ran.out.contains("by up to 0.25 studs"), !accepted, "{}", ran.out);
    }
}

/// What could not be seen is in the JSON, too.
#[test]
fn rules_that_were_not_seen_are_in_the_json() {
    let part = instance("MeshPart", "Handle").property("MeshId", Value::ContentId("rbxassetid://5".into()));
    let hat = instance("Accessory", "Hat").property("AccessoryType", Value::Enum(1)).child(part);
    let folder = Folder::new(&[("hat.rbxm", &binary_of([hat]))]);
    let ran = folder.run("check --profile roblox-avatar --json hat.rbxm");
    let lines = ran.out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    let unseen: Vec<_> = lines.filter(|line| line["verdict"] == "unseen").collect();
    let has = |rule: &str| unseen.iter().any(|line| line["rule"] == rule && line["severity"] == "note");
    assert!(has("roblox-avatar.triangles") && has("roblox-avatar.area"), "{}", ran.out);
    assert!(unseen.iter().all(|line| line["path"] == "Hat/Handle"), "{}", ran.out);
    // SARIF calls them open.
    let ran = folder.run("check --profile roblox-avatar --sarif hat.rbxm");
    let log: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    let open = |rule: &str| results.iter().any(|of| of["ruleId"] == rule && of["kind"] == "open");
    assert!(open("roblox-avatar.triangles") && !open("roblox-avatar.texture"), "{}", ran.out);
}

/// The JSON has the rows of the table, and the SARIF log one result for each: those that are broken or not seen and, with
/// --verbose, those that are kept.
#[test]
fn json_and_sarif_have_the_rows_of_the_table() {
    let part = instance("MeshPart", "Handle")
        .property("MeshId", Value::ContentId("rbxassetid://5".into()))
        .property("Transparency", 0.5_f32);
    let hat = instance("Accessory", "Hat").property("AccessoryType", Value::Enum(1)).child(part);
    let folder = Folder::new(&[("hat.rbxm", &binary_of([hat]))]);
    for verbose in ["", " --verbose"] {
        // Rule, verdict and path, as the table ends with the last two.
        let table = folder.run(&format!("check --profile roblox-avatar{verbose} hat.rbxm")).out;
        let mut shown: Vec<String> = table
            .lines()
            .skip(2)
            .take_while(|line| line.starts_with("  ") && !line.starts_with("  help"))
            .map(|line| {
                let verdict = ["failed", "not seen", "passed"].into_iter().find(|word| {
                    line.contains(&format!("  {word}  ")) || line.ends_with(&format!("  {word}"))
                });
                let path = line.rsplit("  ").next().unwrap_or_default();
                let rule = line.split_whitespace().next().unwrap_or_default();
                format!("{rule} {} {path}", verdict.unwrap_or_default().replace("not seen", "unseen"))
            })
            .collect();
        shown.sort_unstable();
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let short = |rule: &serde_json::Value| text(rule).trim_start_matches("roblox-avatar.").to_owned();
        let ran = folder.run(&format!("check --profile roblox-avatar --json{verbose} hat.rbxm"));
        let lines =
            ran.out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
        let lines: Vec<_> = lines.filter(|line| text(&line["rule"]).starts_with("roblox-avatar.")).collect();
        let mut found: Vec<String> = lines
            .iter()
            .map(|line| {
                format!("{} {} {}", short(&line["rule"]), text(&line["verdict"]), text(&line["path"]))
            })
            .collect();
        found.sort_unstable();
        assert_eq!(found, shown, "{table}");
        assert!(lines.iter().all(|line| line["item"] == "Hat" && line["type"] == "Hat"), "{}", ran.out);
        let is_row = |line: &&serde_json::Value| line["rule"] == "roblox-avatar.transparency";
        let row = lines.iter().find(is_row).expect("a row");
        assert_eq!((text(&row["found"]), text(&row["allowed"])), ("0.5".to_owned(), "0".to_owned()));

        let ran = folder.run(&format!("check --profile roblox-avatar --sarif{verbose} hat.rbxm"));
        let log: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        let results = log["runs"][0]["results"].as_array().expect("results");
        let results = results.iter().filter(|of| text(&of["ruleId"]).starts_with("roblox-avatar."));
        let mut found: Vec<String> = results
            .map(|of| {
                let verdict = match of["kind"].as_str() {
                    Some("open") => "unseen",
                    Some("pass") => "passed",
                    _ => "failed",
                };
                let path = text(&of["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]);
                format!("{} {verdict} {path}", short(&of["ruleId"]))
            })
            .collect();
        found.sort_unstable();
        assert_eq!(found, shown, "{table}");
    }
}

/// What cannot be seen in files is said once, for all files and in each form of the report.
#[test]
fn what_cannot_be_seen_is_said_once() {
    let hat = |name: &str| instance("Accessory", name).property("AccessoryType", Value::Enum(1));
    let folder = Folder::new(&[("a.rbxm", &binary_of([hat("A")])), ("b.rbxm", &binary_of([hat("B")]))]);
    for form in ["", " --json", " --sarif"] {
        let ran = folder.run(&format!("check --profile roblox-avatar{form} a.rbxm b.rbxm"));
        assert_eq!(ran.err.matches("moderation").count(), 1, "{form}: {}", ran.err);
    }
}

/// The page of the rules has the number, the source and the day of each.
#[test]
fn the_page_of_the_rules_has_their_sources() {
    let page = Folder::new(&[]).ok("docs --rules");
    for rule in rezkit::avatar::AVATAR_RULES {
        let line = page.lines().find(|line| line.starts_with(&format!("| `{}` |", rule.rule.id)));
        let line = line.unwrap_or_else(|| panic!("{} is listed", rule.rule.id));
        assert!(line.contains(rule.rule.source) && line.contains(rule.date), "{line}");
        assert!(rule.key.is_empty() || line.contains(&format!("`{}`", rule.key)), "{line}");
    }
}

/// A violation that is allowed is none in the table either; a type that the file leaves open is asked for.
#[test]
fn the_table_follows_what_is_allowed() {
    let folder = Folder::new(&[]);
    folder.write("hat.fbx", hat_of_fbx(1.0, -0.5));
    let ran = folder.run("check --profile roblox-avatar --allow roblox-avatar.box hat.fbx");
    assert_eq!(ran.status, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("nothing found that would be refused"), "{}", ran.out);
    let attachment = instance("Attachment", "BodyFrontAttachment");
    let part = instance("MeshPart", "Handle").child(attachment).child(instance("WrapLayer", "WrapLayer"));
    let jacket = instance("Accessory", "Coat").property("AccessoryType", Value::Enum(0)).child(part);
    folder.write("coat.rbxm", binary_of([jacket]));
    let ran = folder.run("check --profile roblox-avatar coat.rbxm");
    assert!(ran.out.contains("help (roblox-avatar.type)") && ran.out.contains("--type"), "{}", ran.out);
}
