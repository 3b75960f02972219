//! Walks, paths, moves and removals.

use std::collections::HashSet;

use rbxcore::Content;
use rbxdocument::{Dom, InstanceId, NewInstance, Value};

use crate::common::{Edit, again, all_refused, any, both, by_form, named, names, place, refused, target};

both! {
    walking paths_lead_back moving removing removing_takes_everything_below handles_stay
    instances_that_are_not_there refusals_have_kinds what_was_removed_is_not_in_the_file
}

fn walking(document: &mut dyn Dom) {
    assert!(document.is_empty() && document.roots().next().is_none());
    let [workspace, model, part, lighting] = place(document);
    document.add_property("Door", "Size", 7).unwrap();
    let all = document.instances().collect::<Vec<_>>();
    assert_eq!(all, [workspace, model, part, lighting]);
    assert_eq!(document.roots().collect::<Vec<_>>(), [workspace, lighting]);
    assert_eq!(document.children(workspace).collect::<Vec<_>>(), [model]);
    assert_eq!(document.descendants(workspace).collect::<Vec<_>>(), [model, part]);
    assert_eq!(document.descendants(part).count(), 0);
    assert_eq!([part, lighting].map(|id| document.parent(id)), [Some(model), None]);
    assert_eq!((document.len(), document.is_empty()), (4, false));
    assert_eq!(names(document), ["Workspace", "a/b", "Part", "Lighting"]);
    assert_eq!(document.by_class("Door").collect::<Vec<_>>(), [part]);
    assert_eq!((document.class(part).unwrap(), document.name(part).unwrap()), ("Door".into(), "Part".into()));
    assert_eq!(document.path(part).unwrap(), r"Workspace/a\/b/Part");
    assert_eq!(document.find(r"Workspace/a\/b/Part"), Some(part));
    assert_eq!(document.find_in(workspace, r"a\/b"), Some(model));
    assert_eq!(document.find("Lighting[0]"), Some(lighting));
    for missing in ["", "Part", "Workspace/", "Workspace/a/b", "workspace", "Lighting[1]", "Workspace/Nobody"]
    {
        assert_eq!(document.find(missing), None, "{missing:?}");
    }
    assert_eq!(target(document, model, "PrimaryPart"), Some(part));
    assert_eq!(
        (document.get(part, "Nothing"), document.get(part, "Size")),
        (None, Some(Value::Int32(7).as_ref()))
    );
    let properties: Vec<_> = document.properties(part).map(|(name, _)| name.to_string()).collect();
    assert_eq!(properties, ["Name", "Size"]);
    again(document);
}

/// Every instance is found by its path, even if names are unusual. Without a name, the class is in the path.
fn paths_lead_back(document: &mut dyn Dom) {
    let odd = ["A", "A", "a/b", "a", r"\", "[1]", "A[1]", "", "", r"A\[0]", "a]", "//", "é", "a"];
    let mut parent = None;
    for _ in 0..3 {
        for name in odd {
            document.insert(parent, named("Folder", name)).unwrap();
        }
        parent = Some(document.insert(parent, NewInstance::new("Nameless")).unwrap());
    }
    for id in document.instances() {
        let path = document.path(id).unwrap();
        assert_eq!(document.find(&path), Some(id), "{path}");
    }
    assert!(document.paths().eq(document.instances().map(|id| (id, document.path(id).unwrap()))));
    let paths: Vec<_> = document.roots().map(|id| document.path(id).unwrap().to_string()).collect();
    let expected = r"A A[1] a\/b a \\ \[1] A\[1] [0] [1] A\\\[0] a] \/\/ é a[1] Nameless";
    assert_eq!(paths.join(" "), expected);
    // An index [0] may be written; a malformed path finds nothing.
    assert_eq!(document.find("A[0]"), document.roots().next());
    for malformed in ["A[", "A[x]", "A[1]x", "A[-1]", "A\\", "A[99999999999999999999999]", "A[2]"] {
        assert_eq!(document.find(malformed), None, "{malformed}");
    }
}

fn moving(document: &mut dyn Dom) {
    let [workspace, model, part, lighting] = place(document);
    let below = "an instance cannot be moved into itself or into its descendant (choose another parent) in";
    all_refused(
        document,
        [
            (&|d| d.reparent(part, part), format!(r"{below} Workspace/a\/b/Part")),
            (&|d| d.reparent(workspace, workspace), format!("{below} Workspace")),
            (&|d| d.reparent(workspace, part), format!("{below} Workspace")),
            (&|d| d.reparent(model, part), format!(r"{below} Workspace/a\/b")),
        ] as [(Edit<'_>, String); 4],
    );
    for (id, parent, expected) in [
        (part, Some(lighting), "Workspace a/b Lighting Part"),
        (workspace, None, "Lighting Part Workspace a/b"),
        (lighting, Some(workspace), "Workspace a/b Lighting Part"),
        // To the parent that it already has: it becomes the last child.
        (model, Some(workspace), "Workspace Lighting Part a/b"),
        (part, None, "Workspace Lighting a/b Part"),
    ] {
        document.reparent(id, parent).unwrap();
        assert_eq!((names(document).join(" "), document.parent(id)), (expected.into(), parent));
        assert_eq!(names(&*again(document)).join(" "), expected);
    }
    assert_eq!(target(document, model, "PrimaryPart"), Some(part));
}

/// References to removed instances become null, in the document and in the file. An id is not used again.
fn removing(document: &mut dyn Dom) {
    let [workspace, model, part, lighting] = place(document);
    document.reparent(part, lighting).unwrap();
    document.add_property("Door", "Adornee", model).unwrap();
    document.add_property("Door", "Asset", Content::Object(Some(model))).unwrap();
    document.add_property("Door", "Self", part).unwrap();
    assert_eq!(document.remove(workspace).unwrap(), 2);
    for document in [any(document), again(document)] {
        let part = document.find("Lighting/Part").unwrap();
        assert_eq!(document.get(part, "Adornee"), Some(Value::Ref(None).as_ref()));
        assert_eq!(document.get(part, "Asset"), Some(Value::from(Content::Object(None)).as_ref()));
        assert_eq!(document.get(part, "Self"), Some(Value::from(part).as_ref()));
        assert_eq!(names(&*document), ["Lighting", "Part"]);
    }
    for gone in [workspace, model] {
        assert!(!document.contains(gone) && document.class(gone).is_none() && document.path(gone).is_none());
        assert!(document.get(gone, "Name").is_none() && document.parent(gone).is_none());
        assert_eq!(document.descendants(gone).count() + document.children(gone).count(), 0);
    }
    assert_eq!(document.by_class("Model").next(), None);
    let new = document.insert(None, NewInstance::new("Folder")).unwrap();
    assert!(![workspace, model, part, lighting].contains(&new));
    // The class can be added again, with other properties.
    document.insert(None, NewInstance::new("Model").property("Other", 1)).unwrap();
    again(document);
}

/// An instance below another one that is removed, in either order, and one that is given twice.
fn removing_takes_everything_below(document: &mut dyn Dom) {
    let [workspace, model, part, lighting] = place(document);
    for (gone, count, left) in [
        (vec![part], 1, "Workspace a/b Lighting"),
        (vec![part, workspace, part], 3, "Lighting"),
        (vec![workspace, model], 3, "Lighting"),
        (vec![part, lighting, part], 2, "Workspace a/b"),
        (vec![lighting, part, workspace], 4, ""),
        (vec![], 0, "Workspace a/b Part Lighting"),
    ] {
        let mut document = document.copy();
        assert_eq!(document.remove_all(gone).unwrap(), count, "{left}");
        assert_eq!(names(&*document).join(" "), left);
        assert_eq!(document.len(), 4 - count);
        again(&*document);
    }
}

/// A handle never refers to another instance.
fn handles_stay(document: &mut dyn Dom) {
    let [workspace, _, part, _] = place(document);
    let mut all: HashSet<InstanceId> = document.instances().collect();
    for _ in 0..100 {
        let id = document.insert(workspace, named("Folder", "x")).unwrap();
        assert!(all.insert(id));
        assert_eq!(document.name(part).unwrap(), "Part");
        document.remove(id).unwrap();
    }
    assert_eq!(document.len(), 4);
    again(document);
}

fn instances_that_are_not_there(document: &mut dyn Dom) {
    let [_, _, part, _] = place(document);
    let source = document.copy();
    let gone = document.insert(None, NewInstance::new("Gone")).unwrap();
    document.remove(gone).unwrap();
    let missing =
        format!("the document has no instance {gone:?} (it was removed, or belongs to another document)");
    let edits: [Edit<'_>; 10] = [
        &|d| d.set(gone, "Name", "x").map(drop),
        &|d| d.insert(gone, NewInstance::new("Folder")).map(drop),
        &|d| d.remove(gone).map(drop),
        &|d| d.remove_all([part, gone]).map(drop),
        &|d| d.reparent(gone, None),
        &|d| d.reparent(part, gone),
        &|d| d.merge(gone, &*source).map(drop),
        &|d| d.copy_from(gone, &*source, part).map(drop),
        &|d| d.copy_from(None, &*source, gone).map(drop),
        &|d| d.duplicate(gone, None).map(drop),
    ];
    all_refused(document, edits.map(|edit| (edit, &missing)));
    let class = "the document has no instance of the class Camera (check the spelling) in Camera";
    let to = by_form(
        document,
        "the value refers to an instance that is not in the document".to_owned(),
        format!("expected a reference to an instance of the document, found {gone:?}"),
    );
    document.add_property("Door", "To", part).unwrap();
    document.add_property("Door", "Asset", Content::None).unwrap();
    let object = || Content::Object(Some(gone));
    let new = || NewInstance::new("New").property("To", gone);
    let edits: [(Edit<'_>, String); 8] = [
        (&|d| d.add_property("Camera", "A", 1), format!("{class}{}", by_form(document, "", ".A"))),
        (&|d| d.remove_property("Camera", "A"), format!("{class}{}", by_form(document, "", ".A"))),
        (&|d| d.set(part, "To", gone).map(drop), format!(r"{to} in Workspace/a\/b/Part.To")),
        (&|d| d.set(part, "Asset", object()).map(drop), format!(r"{to} in Workspace/a\/b/Part.Asset")),
        (&|d| d.add_property("Door", "Other", gone), format!("{to} in Door.Other")),
        (&|d| d.add_property("Door", "Other", object()), format!("{to} in Door.Other")),
        (&|d| d.insert(None, new()).map(drop), format!("{to} in New.To")),
        (&|d| d.insert(None, NewInstance::new("A").child(new())).map(drop), format!("{to} in New.To")),
    ];
    all_refused(document, edits);
}

/// Programs can tell the refusals apart.
fn refusals_have_kinds(document: &mut dyn Dom) {
    use rbxdocument::errors::{ErrorKind, Problem};
    let [_, model, part, _] = place(document);
    let problem = |document: &mut dyn Dom, edit: Edit<'_>| match refused(document, edit).kind() {
        ErrorKind::InvalidArgument(problem) => problem.clone(),
        other => panic!("{other:?}"),
    };
    assert!(matches!(problem(document, &|d| d.set(part, "Name", 1).map(drop)), Problem::WrongType(_)));
    assert!(matches!(problem(document, &|d| d.set(part, "NAME", "x").map(drop)), Problem::NotStored(_)));
    assert!(matches!(problem(document, &|d| d.remove_property("Door", "Foo")), Problem::NotStored(_)));
    assert!(matches!(problem(document, &|d| d.remove_property("Foo", "Name")), Problem::NoInstance(_)));
    assert!(matches!(problem(document, &|d| d.add_property("Foo", "Bar", 1)), Problem::NoInstance(_)));
    document.remove(model).unwrap();
    assert!(matches!(problem(document, &|d| d.set(model, "Name", "x").map(drop)), Problem::NoInstance(_)));
}

/// A document equals the one that is read back, even after instances were removed.
fn what_was_removed_is_not_in_the_file(document: &mut dyn Dom) {
    let target = document.insert(None, named("Part", "target")).unwrap();
    document.insert(None, named("Part", "other")).unwrap();
    document.insert(None, named("ObjectValue", "value").property("Value", target)).unwrap();
    let shared = named("Model", "shared").property("Shared", Value::SharedString(vec![7; 40].into()));
    document.insert(None, shared).unwrap();
    let document = again(document);
    for name in ["target", "other", "value", "shared"] {
        let mut edited = document.clone();
        let id = edited.find(name).unwrap();
        edited.remove(id).unwrap();
        assert_ne!(edited, document, "{name}");
        again(&*edited);
    }
}

/// A place has each service once, at its root, and one Terrain; models may have several.
#[test]
fn services_and_terrain_exist_once() {
    let item = |class: &str, inside: &str| {
        let name = format!("<Properties><string name=\"Name\">{class}</string></Properties>");
        format!("<Item class=\"{class}\" referent=\"R\">{name}{inside}</Item>")
    };
    let terrain = item("Terrain", "");
    let place = |inside: &str| item("Workspace", inside);
    for (content, wanted) in [
        (place(&terrain), vec![]),
        (place(&[&*terrain, &terrain].concat()), vec!["Workspace/Terrain[1]"]),
        ([place(""), item("Lighting", ""), item("Lighting", "")].concat(), vec!["Lighting[1]"]),
        (place(&item("Lighting", "")), vec!["Workspace/Lighting"]),
        (item("Model", &[&*terrain, &terrain].concat()), vec![]),
    ] {
        let text = format!("<roblox version=\"4\">{content}</roblox>");
        let document = rbxdocument::from_slice(text.as_bytes()).unwrap();
        let found = rbxdocument::rules::values(&*document, 1 << 20).unwrap();
        let paths: Vec<&str> =
            found.iter().filter(|of| of.rule.id == "roblox.services").map(|of| &*of.path).collect();
        assert_eq!(paths, wanted, "{content}");
    }
}
