//! What people do with a document: find, change, move, merge, check.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use rbxxml::{Document, Finding, Item, Property, Severity, Value};

/// Workspace with two parts, one below the other, and Lighting.
fn place() -> (Document, [rbxxml::ItemId; 4]) {
    let mut document = Document::new();
    let named = |class: &str, name: &str, referent: &str| Item {
        referent: Some(referent.into()),
        ..Item::new(class).with("Name", name)
    };
    let workspace = document.insert(None, named("Workspace", "Workspace", "RBX0")).unwrap();
    let model = document.insert(workspace, named("Model", "a.b", "RBX1")).unwrap();
    let part = document.insert(model, named("Part", "Part", "RBX2")).unwrap();
    let lighting = document.insert(None, named("Lighting", "Lighting", "RBX3")).unwrap();
    (document, [workspace, model, part, lighting])
}

fn names(document: &Document) -> Vec<&str> {
    document.items().map(|(_, item)| item.name().unwrap_or("?")).collect()
}

#[test]
fn walking_and_finding() {
    let (document, [workspace, model, part, lighting]) = place();
    assert_eq!(document.roots().collect::<Vec<_>>(), [workspace, lighting]);
    assert_eq!(document.children(workspace).collect::<Vec<_>>(), [model]);
    assert_eq!(document.descendants(workspace).collect::<Vec<_>>(), [workspace, model, part]);
    assert_eq!(document.descendants(part).collect::<Vec<_>>(), [part]);
    assert_eq!(document.parent(part), Some(model));
    assert_eq!(document.parent(lighting), None);
    assert_eq!(document.len(), 4);
    assert_eq!(names(&document), ["Workspace", "a.b", "Part", "Lighting"]);
    assert_eq!(document.find("Workspace.a.b.Part"), Some(part));
    assert_eq!(document.find("Workspace/a.b"), Some(model));
    assert_eq!(document.find("Lighting"), Some(lighting));
    for missing in ["", "Part", "Workspace.", "Workspace.a", "Workspace.a.b.Part.x", "workspace"] {
        assert_eq!(document.find(missing), None, "{missing:?}");
    }
    assert_eq!(document.find_referent("RBX2"), Some(part));
    assert_eq!(document.find_referent("rbx2"), None);
}

#[test]
fn properties() {
    let (mut document, [.., part, _]) = place();
    assert_eq!(document.get(part, "Name"), Some(&Value::String("Part".into())));
    assert_eq!(document.set(part, "Anchored", true).unwrap(), None);
    assert_eq!(document.set(part, "Transparency", 0.5_f32).unwrap(), None);
    assert_eq!(document.set(part, "Anchored", false).unwrap(), Some(Value::Bool(true)));
    let item = document.item_mut(part).unwrap();
    // In the order of names.
    let order: Vec<&str> = item.properties.iter().map(|property| &*property.name).collect();
    assert_eq!(order, ["Anchored", "Name", "Transparency"]);
    item.properties.push(Property::new("Name", "again"));
    assert_eq!(item.get("Name"), Some(&"again".into()));
    assert_eq!(item.unset("Name"), Some("again".into()));
    assert_eq!(item.get("Name"), None);
    assert_eq!(item.unset("Name"), None);
}

#[test]
fn moving_and_removing() {
    let (mut document, [workspace, model, part, lighting]) = place();
    document.reparent(part, lighting).unwrap();
    assert_eq!(names(&document), ["Workspace", "a.b", "Lighting", "Part"]);
    document.reparent(workspace, None).unwrap();
    assert_eq!(names(&document), ["Lighting", "Part", "Workspace", "a.b"]);
    let error = document.reparent(workspace, model).unwrap_err();
    assert!(error.to_string().starts_with("an item cannot stand below itself"), "{error}");
    assert!(document.reparent(workspace, workspace).is_err());
    document.set(part, "Adornee", Value::Ref(Some("RBX1".into()))).unwrap();
    document.set(part, "Self", Value::Ref(Some("RBX2".into()))).unwrap();
    assert_eq!(document.remove(workspace).unwrap().class, "Workspace");
    assert_eq!(document.get(part, "Adornee"), Some(&Value::Ref(None)));
    assert_eq!(document.get(part, "Self"), Some(&Value::Ref(Some("RBX2".into()))));
    assert_eq!(names(&document), ["Lighting", "Part"]);
    // What is gone is gone, and its names are not given to others.
    assert!(document.item(model).is_none() && document.remove(model).is_none());
    assert!(document.set(model, "Name", "x").is_err() && document.insert(model, Item::default()).is_err());
    assert!(document.reparent(model, None).is_err() && document.reparent(part, model).is_err());
    assert_eq!(document.descendants(workspace).count() + document.children(model).count(), 0);
    let new = document.insert(None, Item::new("Folder")).unwrap();
    assert!(![workspace, model, part, lighting].contains(&new));
    let written = rbxxml::to_vec(&document).unwrap();
    assert!(rbxxml::from_slice(&written).unwrap() == document);
}

/// Random edits against lists of children.
#[test]
fn links_hold() {
    use std::collections::HashMap;
    let mut rng = testkit::Rng(1);
    let mut document = Document::new();
    let mut lists: HashMap<Option<rbxxml::ItemId>, Vec<rbxxml::ItemId>> = HashMap::new();
    for turn in 0..3_000 {
        let all: Vec<_> = document.items().map(|(id, _)| id).collect();
        let pick = |rng: &mut testkit::Rng| {
            if all.is_empty() || rng.below(5) == 0 { None } else { Some(all[rng.below(all.len())]) }
        };
        let (one, other) = (pick(&mut rng), pick(&mut rng));
        match (rng.below(8), one) {
            (0, Some(id)) if turn % 3 == 0 => {
                for gone in document.descendants(id).collect::<Vec<_>>() {
                    lists.remove(&Some(gone));
                }
                lists.values_mut().for_each(|list| list.retain(|other| *other != id));
                assert!(document.remove(id).is_some());
            }
            (0..4, Some(id)) => {
                if document.reparent(id, other).is_ok() {
                    lists.values_mut().for_each(|list| list.retain(|other| *other != id));
                    lists.entry(other).or_default().push(id);
                }
            }
            _ => lists.entry(one).or_default().push(document.insert(one, Item::new("A")).unwrap()),
        }
        assert!(document.roots().eq(lists.get(&None).into_iter().flatten().copied()));
        for (id, _) in document.items() {
            assert!(document.children(id).eq(lists.get(&Some(id)).into_iter().flatten().copied()));
        }
        assert_eq!(document.items().count(), document.len());
    }
    assert!(document.len() > 50);
}

#[test]
fn merging() {
    let (mut document, [workspace, ..]) = place();
    let (mut other, [_, _, part, other_lighting]) = place();
    other.set(other_lighting, "Adornee", Value::Ref(Some("RBX2".into()))).unwrap();
    other.set(other_lighting, "Nowhere", Value::Ref(Some("RBX9".into()))).unwrap();
    other.item_mut(part).unwrap().referent = Some("RBX2".into());
    document.set(workspace, "Mine", Value::Ref(Some("RBX2".into()))).unwrap();
    document.shared_strings.push(rbxxml::SharedString { key: "same".into(), bytes: "a".into() });
    other.shared_strings.push(rbxxml::SharedString { key: "same".into(), bytes: "b".into() });
    other.set(part, "Data", Value::SharedString("same".into())).unwrap();
    let merged = document.merge(other, workspace).unwrap();
    assert_eq!(merged.roots.len(), 2);
    assert_eq!(merged.renamed.len(), 4);
    assert_eq!(document.len(), 8);
    let lighting = merged.roots[1];
    assert_eq!(document.parent(lighting), Some(workspace));
    // The reference follows its item, and the one that led nowhere still does.
    let to = document.get(lighting, "Adornee").unwrap().as_ref_name().unwrap().clone();
    let found = document.find_referent(&to).unwrap();
    assert_eq!(document.item(found).unwrap().class, "Part");
    assert!(document.descendants(merged.roots[0]).any(|id| id == found));
    assert_eq!(document.get(lighting, "Nowhere"), Some(&Value::Ref(Some("RBX9".into()))));
    assert_eq!(document.get(workspace, "Mine"), Some(&Value::Ref(Some("RBX2".into()))));
    let key = document.get(found, "Data").unwrap().as_shared_key().unwrap();
    assert_eq!(document.shared(key), Some(b"b".as_slice()));
    assert_eq!(document.shared("same"), Some(b"a".as_slice()));
    let findings = rbxxml::check(&document);
    assert!(findings.iter().all(|finding| finding.severity == Severity::Warning), "{findings:?}");
}

/// Comments, order and what has no place stay where they are, around an edit.
#[test]
fn edits_in_files_that_others_wrote() {
    let text = "<roblox version='4'>\n  <!-- top -->\n  <Item class='Folder'>\n    <Item class='Part'/>\n    \
        <Properties>\n      <!-- a --><string name='A'>1</string>\n      <string name='B'>2</string><!-- b -->\n    \
        </Properties>\n    <Odd/>\n  </Item>\n</roblox>\n";
    let edit = |edit: &dyn Fn(&mut Document, rbxxml::ItemId)| {
        let mut document = rbxxml::from_str(text).unwrap();
        let folder = document.roots().next().unwrap();
        edit(&mut document, folder);
        let written = rbxxml::to_string(&document).unwrap();
        assert!(rbxxml::from_str(&written).unwrap() == document, "{written}");
        written
    };
    assert_eq!(edit(&|_, _| ()), text);
    let changed = edit(&|document, folder| drop(document.set(folder, "A", "3").unwrap()));
    assert_eq!(changed, text.replace("<string name='A'>1</string>", "<string name=\"A\">3</string>"));
    let added = edit(&|document, folder| drop(document.set(folder, "C", "3").unwrap()));
    let line = "<string name='B'>2</string>\n      <string name=\"C\">3</string>";
    assert_eq!(added, text.replace("<string name='B'>2</string>", line));
    let removed = edit(&|document, folder| drop(document.item_mut(folder).unwrap().unset("B")));
    assert_eq!(removed, text.replace("\n      <string name='B'>2</string>", ""));
    let child = edit(&|document, folder| {
        document.insert(folder, Item::new("Part")).unwrap();
    });
    assert!(child.contains("<Item class='Part'/>\n    <Item class=\"Part\">\n      <Properties>\n      </Properties>\n    </Item>\n    <Properties>"), "{child}");
    let root = edit(&|document, _| {
        document.insert(None, Item::new("Part")).unwrap();
    });
    assert!(root.contains("<!-- top -->") && root.contains("  </Item>\n  <Item class=\"Part\">"), "{root}");
    let filled = edit(&|document, folder| {
        let part = document.children(folder).next().unwrap();
        document.set(part, "Name", "x").unwrap();
    });
    assert!(
        filled.contains("<Item class='Part'>\n      <Properties>\n        <string name=\"Name\">x</string>"),
        "{filled}"
    );
}

fn find<'a>(findings: &'a [Finding], rule: &str) -> &'a Finding {
    findings.iter().find(|finding| finding.rule == rule).unwrap_or_else(|| panic!("{rule} in {findings:?}"))
}

#[test]
fn checking() {
    let (document, _) = place();
    assert_eq!(rbxxml::check(&document), []);
    let property = |property: &str| format!("<Properties>{property}</Properties>");
    let text = format!(
        "<roblox version=\"3\"><Item class=\"A\" referent=\"a\">{}{}</Item><Item class=\"B\" referent=\"a\">{}</Item>\
         <Item class=\"C\">{}</Item><Item referent=\"null\">{}</Item>\
         <SharedStrings><SharedString md5=\"k\"></SharedString><SharedString md5=\"k\"></SharedString></SharedStrings></roblox>",
        property("<Ref name=\"R\">nowhere</Ref>"),
        property("<SharedString name=\"S\">missing</SharedString>"),
        property("<NumberSequence name=\"N\">0 1 0 0.5 1 0 </NumberSequence>"),
        property("<int name=\"I\">1</int><int name=\"I\">2</int>"),
        property("<int>1</int><What name=\"W\"/>"),
    );
    let findings = rbxxml::check(&rbxxml::from_str(&text).unwrap());
    let shown = |rule: &str| {
        let Finding { path, what, count, .. } = find(&findings, rule);
        format!("{path}: {what} ({count})")
    };
    assert_eq!(shown("the version is 4"), "roblox.version: \"3\" (1)");
    assert_eq!(shown("the referent of an item is unique"), "B[a]: \"a\" again (1)");
    assert_eq!(shown("an item has a referent"), "C: an item without a referent (1)");
    assert_eq!(shown("the referent of an item is not null"), "[null]: the referent \"null\" (1)");
    assert_eq!(shown("an item has a class"), "[null]: an item without a class (1)");
    assert_eq!(shown("references lead to items"), "A[a].R: \"nowhere\", which is no item (1)");
    assert_eq!(shown("shared strings are defined"), "A[a].S: \"missing\", which is not defined (1)");
    assert_eq!(shown("shared strings are used"), "shared_strings[0]: \"k\", which nothing uses (2)");
    assert_eq!(shown("the key of a shared string is unique"), "shared_strings[1]: \"k\" again (1)");
    assert_eq!(shown("a sequence has keypoints at 0 and at 1"), "B[a].N: 2 keypoints, at [0.0, 0.5] (1)");
    assert_eq!(shown("a property stands once"), "C.I: \"I\" again (1)");
    assert_eq!(shown("an item has one element Properties"), "A[a]: 2 of them (1)");
    assert_eq!(shown("a property has a name"), "[null].: a int without a name (1)");
    assert_eq!(shown("types are known"), "[null].W: <What> (1)");
}

#[cfg(feature = "serde")]
mod serde {
    use testkit::fixtures;

    /// JSON has no word for what is no number, so the fixtures without one.
    #[test]
    fn documents_survive() {
        for file in fixtures("rbxxml") {
            let Ok(document) = rbxxml::from_slice(&file.bytes) else { continue };
            let json = serde_json::to_string(&document).unwrap();
            if json.contains(":null,\"") && file.name.contains("every_type") || file.name.contains("odd") {
                continue;
            }
            let again: rbxxml::Document =
                serde_json::from_str(&json).unwrap_or_else(|e| panic!("{}: {e}", file.name));
            assert!(again == document, "{}", file.name);
            // Its layout too: what was exact still is.
            assert!(rbxxml::to_vec(&again).unwrap() == file.bytes, "{}", file.name);
        }
    }

    #[test]
    fn what_it_looks_like() {
        let text = "<roblox version=\"4\"><Item class=\"Folder\" referent=\"a\"><Properties><string name=\"Name\">x</string>\
            </Properties><Item class=\"Part\"><Properties></Properties></Item></Item></roblox>";
        let json = serde_json::to_value(rbxxml::from_str(text).unwrap()).unwrap();
        assert_eq!(json["items"][0]["parent"], serde_json::Value::Null);
        assert_eq!(json["items"][1]["parent"], 0);
        assert_eq!(json["items"][0]["item"]["class"], "Folder");
        assert_eq!(json["items"][0]["item"]["properties"][0]["value"]["String"], "x");
        assert!(
            serde_json::from_value::<rbxxml::Document>(serde_json::json!({
                "attributes": [], "items": [{"parent": 7, "item": {"class": "Part"}}]
            }))
            .is_err()
        );
    }
}
