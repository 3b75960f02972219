//! Common operations on documents: find, change, move, copy, merge, check.

use rbxxml::geom::Vec3;
use rbxxml::{
    BrickColor, CFrame, Content, Document, EditOptions, ErrorKind, Finding, InstanceId, NewInstance,
    Severity, UniqueId, Value,
};

/// A document with a Workspace, which contains a model with a part, and Lighting.
fn place() -> (Document, [InstanceId; 4]) {
    place_of("Part")
}

/// The same with an instance of this class in place of the part.
fn place_of(class: &str) -> (Document, [InstanceId; 4]) {
    let named = |class: &str, name: &str| NewInstance::new(class).property("Name", name);
    let mut document = Document::new();
    let model =
        named("Model", "a/b").child(named(class, "Part").label("part")).reference("PrimaryPart", "part");
    let workspace =
        document.insert(None, named("Workspace", "Workspace").service(true).child(model)).unwrap();
    let lighting = document.insert(None, named("Lighting", "Lighting")).unwrap();
    let model = document.children(workspace).next().unwrap();
    let part = document.children(model).next().unwrap();
    (document, [workspace, model, part, lighting])
}

fn names(document: &Document) -> Vec<String> {
    document.instances().map(|id| document.name(id).unwrap_or_default().to_string()).collect()
}

/// Writes a document and reads it again, which must give an equal document; returns the text.
fn survives(document: &Document) -> String {
    let text = rbxxml::to_string(document).unwrap();
    assert!(rbxxml::from_str(&text).unwrap() == *document, "{text}");
    text
}

/// Checks that an edit is refused and changes nothing; returns the error.
fn refused<T: std::fmt::Debug>(
    document: &mut Document,
    edit: impl FnOnce(&mut Document) -> rbxxml::Result<T>,
) -> String {
    let written = |document: &Document| rbxxml::to_string(document).map_err(|error| error.to_string());
    let (before, text) = (document.clone(), written(document));
    let error = edit(document).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidArgument(_)), "{error}");
    assert!(*document == before && document.same_layout(&before), "{error}");
    assert!(document.instances().eq(before.instances()), "{error}");
    assert_eq!(written(document), text, "{error}");
    error.to_string()
}

#[test]
fn walking_and_finding() {
    let (document, [workspace, model, part, lighting]) = place();
    assert_eq!(document.roots().collect::<Vec<_>>(), [workspace, lighting]);
    assert_eq!(document.children(workspace).collect::<Vec<_>>(), [model]);
    assert_eq!(document.descendants(workspace).collect::<Vec<_>>(), [model, part]);
    assert_eq!(document.descendants(part).count(), 0);
    assert_eq!(document.instances().collect::<Vec<_>>(), [workspace, model, part, lighting]);
    assert_eq!(document.parent(part), Some(model));
    assert_eq!(document.parent(lighting), None);
    assert_eq!((document.len(), document.is_empty()), (4, false));
    assert_eq!(names(&document), ["Workspace", "a/b", "Part", "Lighting"]);
    assert_eq!(document.by_class("Part").collect::<Vec<_>>(), [part]);
    assert_eq!(document.class(part).unwrap(), "Part");
    assert_eq!(document.path(part).unwrap(), r"Workspace/a\/b/Part");
    assert_eq!(document.find(r"Workspace/a\/b/Part"), Some(part));
    assert_eq!(document.find_in(workspace, r"a\/b"), Some(model));
    assert_eq!(document.find("Lighting[0]"), Some(lighting));
    for missing in
        ["", "Part", "Workspace/", "Workspace/a/b", "workspace", "Lighting[1]", "Lighting[", "Lighting[x]"]
    {
        assert_eq!(document.find(missing), None, "{missing:?}");
    }
    let referent = document.referent(part).unwrap();
    assert!(referent.len() == 35 && referent.starts_with("RBX"));
    assert_eq!(document.by_referent(referent), Some(part));
    assert_eq!(document.by_referent("RBX2"), None);
    assert_eq!(document.get(model, "PrimaryPart").unwrap().as_instance(), Some(part));
    assert_eq!(document.properties(part).map(|(name, _)| name.to_string()).collect::<Vec<_>>(), ["Name"]);
}

/// Every instance is found by its path, even if names are unusual.
#[test]
fn paths_lead_back() {
    let mut document = Document::new();
    let odd = ["", "a", "a", "a/b", r"a\", "[1]", "a[1]", "a]", "/", "//", "é", "a"];
    let mut parents = vec![None];
    for level in 0..3 {
        let parent = parents[level];
        for name in odd {
            document.insert(parent, NewInstance::new("Folder").property("Name", name)).unwrap();
        }
        parents.push(document.insert(parent, NewInstance::new("Nameless")).unwrap().into());
    }
    for id in document.instances() {
        let path = document.path(id).unwrap();
        assert_eq!(document.find(&path), Some(id), "{path}");
    }
    assert!(document.paths().eq(document.instances().map(|id| (id, document.path(id).unwrap()))));
    assert_eq!(document.path(document.roots().nth(2).unwrap()).unwrap(), "a[1]");
}

#[test]
fn properties_keep_their_types() {
    let (mut document, [workspace, _, part, _]) = place();
    document.set(part, "Anchored", true).unwrap();
    document.set(part, "Transparency", 0.5_f32).unwrap();
    document.set(part, "size", rbxxml::geom::Vec3::new(1.0, 2.0, 3.0)).unwrap();
    // In the order of the names.
    let order: Vec<_> = document.properties(part).map(|(name, _)| name.to_string()).collect();
    assert_eq!(order, ["Anchored", "Name", "Transparency", "size"]);
    for (property, value) in [
        ("Anchored", Value::from("yes")),
        ("Anchored", 1.into()),
        ("Transparency", 1e300.into()),
        ("Name", 5.into()),
    ] {
        let error = refused(&mut document, |document| document.set(part, property, value.clone()));
        assert!(
            error.starts_with("expected ") && error.ends_with(&format!(r"in Workspace/a\/b/Part.{property}")),
            "{error}"
        );
    }
    // Values that convert exactly.
    document.set(part, "Transparency", 0.25).unwrap();
    document.set(part, "Transparency", 1).unwrap();
    assert_eq!(document.get(part, "Transparency"), Some(Value::Float32(1.0).as_ref()));
    refused(&mut document, |document| document.set(part, "Transparency", 16_777_217));
    for (stored, new, wanted) in [
        (Value::Int64(1), Value::Int32(2), Value::Int64(2)),
        (Value::Int32(1), Value::Int64(2), Value::Int32(2)),
        (Value::Float64(1.0), Value::Float32(0.5), Value::Float64(0.5)),
        (Value::Enum(1), Value::Int32(256), Value::Enum(256)),
        (Value::Int32(1), BrickColor(194).into(), Value::Int32(194)),
        (Value::BinaryString("".into()), "a".into(), Value::BinaryString("a".into())),
        (Value::ProtectedString("".into()), "a".into(), Value::ProtectedString("a".into())),
        (Value::ContentId("x".into()), "a".into(), Value::ContentId("a".into())),
        (Content::None.into(), Value::ContentId("a".into()), Value::ContentId("a".into())),
    ] {
        let id =
            document.insert(None, NewInstance::new(format!("C{stored:?}")).property("E", stored)).unwrap();
        document.set(id, "E", new).unwrap();
        assert_eq!(document.get(id, "E"), Some(wanted.as_ref()));
    }
    // This also applies to new instances and new properties.
    let error = refused(&mut document, |document| {
        document.insert(workspace, NewInstance::new("Part").property("Transparency", "none"))
    });
    assert_eq!(error, "expected float, found string in Part.Transparency");
    let new = document.insert(workspace, NewInstance::new("Part").property("Transparency", 0.5)).unwrap();
    assert_eq!(document.get(new, "Transparency"), Some(Value::Float32(0.5).as_ref()));
    survives(&document);
}

#[test]
fn names_are_the_stored_ones() {
    let (mut document, [workspace, _, part, lighting]) = place_of("Door");
    document.set(part, "size", rbxxml::geom::Vec3::default()).unwrap();
    document.set(part, "Color3uint8", rbxxml::Color3uint8::new(1, 2, 3)).unwrap();
    let error = refused(&mut document, |document| document.set(part, "Size", rbxxml::geom::Vec3::default()));
    let text = r#"no instance of Door stores the property "Size" (did you mean "size"?)"#;
    assert_eq!(error, format!(r"{text} in Workspace/a\/b/Part.Size"));
    let error = refused(&mut document, |document| document.set(part, "Color", rbxxml::Color3::default()));
    assert!(
        error.starts_with(r#"no instance of Door stores the property "Color" (did you mean "Color3uint8"?)"#),
        "{error}"
    );
    let error = refused(&mut document, |document| {
        document
            .insert(workspace, NewInstance::new("Model").child(NewInstance::new("Door").property("SIZE", 1)))
    });
    assert!(
        error.starts_with(r#"no instance of Door stores the property "SIZE" (did you mean "size"?)"#),
        "{error}"
    );
    // Another class may store the property, and so may this one on request.
    document.set(lighting, "Size", 1).unwrap();
    document.add_property("Door", "Size", 2).unwrap();
    assert_eq!(document.get(part, "Size"), Some(Value::Int32(2).as_ref()));
    document.add_property("Door", "Size", 3).unwrap();
    assert_eq!(document.get(part, "Size"), Some(Value::Int32(2).as_ref()));
    refused(&mut document, |document| document.add_property("Door", "Size", "3"));
    refused(&mut document, |document| document.add_property("Camera", "Size", 3));
    document.remove_property("Door", "Size").unwrap();
    assert_eq!(document.get(part, "Size"), None);
    let error = refused(&mut document, |document| document.remove_property("Door", "Size"));
    assert_eq!(
        error,
        r#"no instance of Door stores the property "Size" (did you mean "size"?) in Door.Size"#
    );
    survives(&document);
}

/// Several properties are removed at once; if one cannot be, none is. Instances that are added later are included.
#[test]
fn properties_are_removed_together() {
    let (mut document, [workspace, _, part, _]) = place_of("Door");
    document.add_property("Door", "One", 1).unwrap();
    let other = document.insert(workspace, NewInstance::new("Door").property("Two", 2)).unwrap();
    let gone = document.insert(workspace, NewInstance::new("Door").property("Two", 2)).unwrap();
    document.remove(gone).unwrap();
    let error = refused(&mut document, |d| d.remove_properties("Door", ["One", "Nothing"]));
    assert_eq!(error, "no instance of Door stores the property \"Nothing\" in Door.Nothing");
    document.add_property("Door", "Three", 3).unwrap();
    assert_eq!(document.get(other, "Three"), Some(Value::Int32(3).as_ref()));
    document.remove_properties("Door", ["Two", "One"]).unwrap();
    assert_eq!((document.get(part, "One"), document.get(other, "Two")), (None, None));
    assert_eq!(document.get(part, "Three"), Some(Value::Int32(3).as_ref()));
    survives(&document);
}

#[test]
fn moving_and_removing() {
    let (mut document, [workspace, model, part, lighting]) = place();
    document.reparent(part, lighting).unwrap();
    assert_eq!(names(&document), ["Workspace", "a/b", "Lighting", "Part"]);
    document.reparent(workspace, None).unwrap();
    assert_eq!(names(&document), ["Lighting", "Part", "Workspace", "a/b"]);
    let error = refused(&mut document, |document| document.reparent(workspace, model));
    assert!(
        error.starts_with(
            "an instance cannot be moved into itself or into its descendant (choose another parent) in \
             Workspace"
        ),
        "{error}"
    );
    refused(&mut document, |document| document.reparent(workspace, workspace));
    document.set(part, "Adornee", model).unwrap();
    document.set(part, "Asset", Content::Object(Some(model))).unwrap();
    document.set(part, "Self", part).unwrap();
    assert_eq!(document.remove(workspace).unwrap(), 2);
    // References to removed instances become null, in the model and in the file.
    assert_eq!(document.get(part, "Adornee"), Some(Value::Ref(None).as_ref()));
    assert_eq!(document.get(part, "Asset"), Some(Value::from(Content::Object(None)).as_ref()));
    assert_eq!(document.get(part, "Self"), Some(Value::from(part).as_ref()));
    assert!(survives(&document).contains("<Ref name=\"Adornee\">null</Ref>"));
    assert_eq!(names(&document), ["Lighting", "Part"]);
    // Ids are not used again.
    assert!(!document.contains(model) && document.class(model).is_none() && document.path(model).is_none());
    assert_eq!(document.descendants(workspace).count() + document.children(model).count(), 0);
    refused(&mut document, |document| document.remove(model));
    refused(&mut document, |document| document.set(model, "Name", "x"));
    refused(&mut document, |document| document.set(part, "Adornee", model));
    refused(&mut document, |document| document.insert(model, NewInstance::new("Part")));
    refused(&mut document, |document| document.reparent(model, None));
    refused(&mut document, |document| document.reparent(part, model));
    refused(&mut document, |document| document.remove_all([part, model]));
    for name in [&b"\xff"[..], b"a\x80"] {
        refused(&mut document, |document| document.set(part, name, 1));
        refused(&mut document, |document| document.add_property("Part", name, 1));
        refused(&mut document, |document| document.remove_property("Part", name));
        refused(&mut document, |document| document.insert(None, NewInstance::new(name)));
        refused(&mut document, |document| document.insert(None, NewInstance::new("A").property(name, 1)));
    }
    let sized = NewInstance::new("A").child(NewInstance::new("B").property("To", model));
    refused(&mut document, |document| document.insert(None, sized));
    refused(&mut document, |document| document.add_property("Part", "To", model));
    let new = document.insert(None, NewInstance::new("Folder")).unwrap();
    assert!(![workspace, model, part, lighting].contains(&new));
    // An instance that is below another one of them, and one that is given twice.
    assert_eq!(document.remove_all([part, lighting, part]).unwrap(), 2);
    assert_eq!(document.len(), 1);
}

/// Programs can tell the refusals apart.
#[test]
fn refusals_have_kinds() {
    use rbxxml::{ErrorKind, Problem};
    let (mut document, [_, model, part, _]) = place();
    let problem = |result: rbxxml::Result<()>| match result.unwrap_err().kind() {
        ErrorKind::InvalidArgument(problem) => problem.clone(),
        other => panic!("{other:?}"),
    };
    assert!(matches!(problem(document.set(part, "Name", 1)), Problem::WrongType(_)));
    assert!(matches!(problem(document.remove_property("Part", "Foo")), Problem::NotStored(_)));
    assert!(matches!(problem(document.remove_property("Foo", "Name")), Problem::NoInstance(_)));
    document.remove(model).unwrap();
    assert!(matches!(problem(document.set(model, "Name", "x")), Problem::NoInstance(_)));
}

/// Refusals that no other test covers.
#[test]
fn every_other_refusal() {
    let (mut document, [_, model, part, _]) = place();
    let source = document.clone();
    let gone = document.insert(None, NewInstance::new("Gone")).unwrap();
    document.remove(gone).unwrap();
    let latin = &b"\xe9"[..];
    type Edit<'a> = &'a dyn Fn(&mut Document) -> rbxxml::Result<()>;
    const MISSING: &str =
        "the document has no instance InstanceId(4) (it was removed, or belongs to another document)";
    let edits: [(Edit<'_>, &str); 14] = [
        (&|d| d.copy_from(gone, &source, part).map(drop), MISSING),
        (&|d| d.copy_from(None, &source, gone).map(drop), MISSING),
        (&|d| d.merge(gone, &source).map(drop), MISSING),
        (&|d| d.set(part, latin, 1), r#"the property name "\xe9" is not UTF-8"#),
        (
            &|d| d.add_property(latin, "A", 1),
            "the document has no instance of the class \u{fffd} (check the spelling) in \u{fffd}.A",
        ),
        (&|d| d.remove_property(latin, "A"), r#"the class name "\xe9" is not UTF-8"#),
        (
            &|d| d.set(part, "To", Content::Object(Some(gone))),
            "expected a reference to an instance of the document, found InstanceId(4) in \
             Workspace/a\\/b/Part.To",
        ),
        (&|d| d.add_property("Part", "Name", 1), "expected string, found int in Part.Name"),
        (
            &|d| d.add_property("Camera", "A", 1),
            "the document has no instance of the class Camera (check the spelling) in Camera.A",
        ),
        (
            &|d| d.remove_property("Camera", "A"),
            "the document has no instance of the class Camera (check the spelling) in Camera.A",
        ),
        (
            &|d| d.remove_property("Part", "Nothing"),
            "no instance of Part stores the property \"Nothing\" in Part.Nothing",
        ),
        (
            &|d| d.insert(None, NewInstance::new("New").property("To", gone)).map(drop),
            "expected a reference to an instance of the document, found InstanceId(4) in New.To",
        ),
        (
            &|d| d.insert(None, NewInstance::new("Part").property("Name", 1)).map(drop),
            "expected string, found int in Part.Name",
        ),
        (
            &|d| d.reparent(model, part),
            "an instance cannot be moved into itself or into its descendant (choose another parent) in \
             Workspace/a\\/b",
        ),
    ];
    for (edit, text) in edits {
        assert_eq!(refused(&mut document, edit), text);
    }
}

/// A property that only removed instances had does not determine what its class stores.
#[test]
fn what_was_removed_is_not_stored() {
    let mut document = Document::new();
    let part = |name: &str, value: Value| NewInstance::new("Door").property(name, value);
    let first = document.insert(None, part("size", 1.into()).child(part("size", 2.into()))).unwrap();
    let second = document.insert(None, part("size", 3.into())).unwrap();
    document.set(second, "Anchored", true).unwrap();
    document.remove(first).unwrap();
    let text = "expected int, found string in Door.size";
    assert_eq!(refused(&mut document, |d| d.insert(None, part("size", "x".into()))), text);
    refused(&mut document, |d| d.insert(None, part("Size", 1.into())));
    document.remove_property("Door", "Anchored").unwrap();
    document.remove(second).unwrap();
    // Another type and another name are accepted now.
    let third = document.insert(None, part("size", "x".into()).property("Anchored", "yes")).unwrap();
    document.remove(third).unwrap();
    document.insert(None, part("Size", 1.into())).unwrap();
    survives(&document);
}

/// Random edits, compared with a simple model of the tree.
#[test]
fn links_hold() {
    use std::collections::HashMap;
    let mut rng = testkit::Rng(1);
    let mut document = Document::new();
    let mut lists: HashMap<Option<InstanceId>, Vec<InstanceId>> = HashMap::new();
    for turn in 0..3_000 {
        let all: Vec<_> = document.instances().collect();
        let pick = |rng: &mut testkit::Rng| {
            if all.is_empty() || rng.below(5) == 0 { None } else { Some(all[rng.below(all.len())]) }
        };
        let (one, other) = (pick(&mut rng), pick(&mut rng));
        match (rng.below(8), one) {
            (0, Some(id)) if turn % 3 == 0 => {
                let gone: Vec<_> = document.descendants(id).chain([id]).collect();
                gone.iter().for_each(|gone| drop(lists.remove(&Some(*gone))));
                lists.values_mut().for_each(|list| list.retain(|other| *other != id));
                assert_eq!(document.remove(id).unwrap(), gone.len());
            }
            (0..4, Some(id)) => {
                if document.reparent(id, other).is_ok() {
                    lists.values_mut().for_each(|list| list.retain(|other| *other != id));
                    lists.entry(other).or_default().push(id);
                }
            }
            _ => lists.entry(one).or_default().push(document.insert(one, NewInstance::new("A")).unwrap()),
        }
        assert!(document.roots().eq(lists.get(&None).into_iter().flatten().copied()));
        for id in document.instances() {
            assert!(document.children(id).eq(lists.get(&Some(id)).into_iter().flatten().copied()));
        }
        assert_eq!(document.instances().count(), document.len());
    }
    assert!(document.len() > 50);
}

#[test]
fn references_within_a_new_instance() {
    let mut document = Document::new();
    let car = NewInstance::new("Model")
        .child(NewInstance::new("Part").label("a"))
        .child(NewInstance::new("Part").label("b"))
        .child(NewInstance::new("Weld").reference("Part0", "a").reference("Part1", "b"));
    let car = document.insert(None, car).unwrap();
    let [a, b, weld] = document.children(car).collect::<Vec<_>>()[..] else { panic!() };
    assert_eq!(document.get(weld, "Part0").unwrap().as_instance(), Some(a));
    assert_eq!(document.get(weld, "Part1").unwrap().as_instance(), Some(b));
    survives(&document);
    let label = |label: &str| NewInstance::new("Weld").reference("Part0", label);
    let error = refused(&mut document, |document| document.insert(None, label("c")));
    assert_eq!(error, r#"no new instance has the label "c" (set it with NewInstance::label) in Weld.Part0"#);
    let twice = NewInstance::new("A").label("x").child(NewInstance::new("B").label("x"));
    assert_eq!(
        refused(&mut document, |document| document.insert(None, twice)),
        r#"two new instances have the same label "x""#
    );
}

/// New instances with the properties of the last one, with the properties in another order, and with one twice: the
/// last value counts, and properties are in the order of their names.
#[test]
fn new_instances_that_are_alike() {
    let mut document = Document::new();
    let mut stored = |properties: &[(&str, i32)]| {
        let new =
            properties.iter().fold(NewInstance::new("Part"), |new, &(name, value)| new.property(name, value));
        let id = document.insert(None, new).expect("inserted");
        let text = |(name, value): (&bstr::BStr, rbxxml::ValueRef<'_>)| {
            format!("{name}={}", value.as_i32().expect("a number"))
        };
        document.properties(id).map(text).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(stored(&[("B", 1), ("A", 2), ("C", 3)]), "A=2 B=1 C=3");
    assert_eq!(stored(&[("C", 4), ("B", 5), ("A", 6)]), "A=6 B=5 C=4");
    assert_eq!(stored(&[("C", 7), ("A", 8), ("A", 9)]), "A=9 C=7");
    assert_eq!(stored(&[("A", 1), ("A", 2)]), "A=2");
    assert_eq!(stored(&[("A", 3), ("C", 4)]), "A=3 C=4");
    assert_eq!(stored(&[("C", 5), ("A", 6)]), "A=6 C=5");
}

#[test]
fn referents_are_made() {
    let text = "<roblox version=\"4\">\n\t<Item class=\"A\">\n\t\t<Properties>\n\t\t</Properties>\n\t</Item>\n</roblox>";
    let mut document = rbxxml::from_str(text).unwrap();
    let a = document.roots().next().unwrap();
    assert_eq!(document.referent(a), None);
    let b = document.insert(None, NewInstance::new("B").property("To", a)).unwrap();
    assert!(document.referent(a).is_some() && document.referent(a) != document.referent(b));
    survives(&document);
    let mut document = rbxxml::from_str(text).unwrap();
    let a = document.roots().next().unwrap();
    document.set(a, "Self", a).unwrap();
    survives(&document);
    // `check` finds nothing in an inserted instance.
    assert_eq!(rbxxml::check(&place().0), []);
}

fn unique(random: u64, index: u32) -> UniqueId {
    UniqueId { random, time: 7, index }
}

#[test]
fn copies_and_merges() {
    let (mut document, [workspace, model, part, lighting]) = place();
    let mut other = document.clone();
    other.set(lighting, "Adornee", part).unwrap();
    other.set(part, "Outside", lighting).unwrap();
    other.set(part, "Data", Value::SharedString("b".into())).unwrap();
    document.set(part, "Data", Value::SharedString("a".into())).unwrap();
    let copy = document.copy_from(lighting, &other, model).unwrap();
    assert_eq!(document.len(), 6);
    let copied = document.children(copy).next().unwrap();
    // References within the copy lead to copies; references to other instances become null.
    assert_eq!(document.get(copy, "PrimaryPart").unwrap().as_instance(), Some(copied));
    assert_eq!(document.get(copied, "Outside"), Some(Value::Ref(None).as_ref()));
    assert_ne!(document.referent(copied), document.referent(part));
    assert_eq!(document.get(copied, "Data"), Some(Value::SharedString("b".into()).as_ref()));
    assert_eq!(document.shared(&rbxxml::KeyHash::Blake2b.key(b"b")), Some(b"b".as_slice()));
    survives(&document);
    let roots = document.merge(workspace, &other).unwrap();
    assert_eq!((roots.len(), document.len()), (2, 10));
    let led = document.get(roots[1], "Adornee").unwrap().as_instance().unwrap();
    assert_eq!(document.path(led).unwrap(), r"Workspace/Workspace/a\/b/Part");
    assert_eq!(document.get(led, "Outside").unwrap().as_instance(), Some(roots[1]));
    let findings = rbxxml::check(&document);
    assert!(findings.is_empty(), "{findings:?}");
    survives(&document);
    refused(&mut document, |document| document.copy_from(None, &Document::new(), model));
    document.remove(lighting).unwrap();
    refused(&mut document, |document| document.merge(lighting, &other));
}

/// Two shared strings with the same key and different bytes stay two.
#[test]
fn keys_of_shared_strings_do_not_clash() {
    let text = |bytes: &str| {
        format!(
            "<roblox version=\"4\"><Item class=\"A\"><Properties><SharedString name=\"S\">k</SharedString></Properties></Item>\
            <SharedStrings><SharedString md5=\"k\">{bytes}</SharedString></SharedStrings></roblox>"
        )
    };
    let mut document = rbxxml::from_str(&text("QUFB")).unwrap();
    let roots = document.merge(None, &rbxxml::from_str(&text("QkJC")).unwrap()).unwrap();
    let bytes = |id| document.get(id, "S").unwrap().as_bytes().unwrap();
    assert_eq!(
        (bytes(document.roots().next().unwrap()), bytes(roots[0])),
        (b"AAA".as_slice(), b"BBB".as_slice())
    );
    survives(&document);
}

#[test]
fn metadata_is_merged() {
    let with = |pairs: &[(&str, &str)]| {
        let mut document = Document::new();
        document.metadata = pairs.iter().map(|&(key, value)| rbxxml::Metadata::new(key, value)).collect();
        document
    };
    let mut document = with(&[("a", "1"), ("b", "2")]);
    document.merge(None, &with(&[("b", "2"), ("c", "3")])).unwrap();
    assert!(document == with(&[("a", "1"), ("b", "2"), ("c", "3")]));
    let error = refused(&mut document, |document| document.merge(None, &with(&[("d", "1"), ("a", "2")])));
    let text = "expected the same value in both documents, found \"1\" and \"2\" \
                (make them equal before merging)";
    assert_eq!(error, format!("{text} in metadata.a"));
}

/// If a document is merged into itself, no two instances have the same unique id.
#[test]
fn unique_ids_stay_unique() {
    let mut document = Document::new();
    for index in [1, 2, 5] {
        document.insert(None, NewInstance::new("Part").property("UniqueId", unique(9, index))).unwrap();
    }
    document.insert(None, NewInstance::new("Part").property("UniqueId", UniqueId::default())).unwrap();
    let source = document.clone();
    let ids = |document: &Document| -> Vec<UniqueId> {
        document.instances().map(|id| document.get(id, "UniqueId").unwrap().as_unique_id().unwrap()).collect()
    };
    document.merge(None, &source).unwrap();
    let nil = UniqueId::default();
    let [a, b, c] = [1, 2, 5].map(|index| unique(9, index));
    // New ids continue after the greatest one. Zero means that there is no id.
    assert_eq!(ids(&document), [a, b, c, nil, unique(9, 6), unique(9, 7), unique(9, 8), nil]);
    assert!(rbxxml::check(&document).is_empty());
    // A free id is kept, also after an edit.
    let first = document.roots().next().unwrap();
    document.set(first, "UniqueId", unique(9, 20)).unwrap();
    let copy = document.copy_from(None, &source, first).unwrap();
    assert_eq!(document.get(copy, "UniqueId").unwrap().as_unique_id(), Some(a));
    document.remove(copy).unwrap();
    let copy = document.copy_from(None, &source, first).unwrap();
    assert_eq!(document.get(copy, "UniqueId").unwrap().as_unique_id(), Some(a));
    let edited =
        EditOptions::new().keep_unique_ids(true).copy_from(&mut document, None, &source, first).unwrap();
    assert_eq!(document.get(edited.instances[0], "UniqueId").unwrap().as_unique_id(), Some(a));
    let findings = rbxxml::check(&document);
    assert_eq!((findings.len(), findings[0].rule.id), (1, "rbxxml.unique-ids"));
    // After the greatest index, the random part changes.
    let mut document = Document::new();
    document.insert(None, NewInstance::new("Part").property("UniqueId", unique(9, u32::MAX))).unwrap();
    let source = document.clone();
    for _ in 0..20 {
        document.merge(None, &source).unwrap();
    }
    let ids = ids(&document);
    assert_eq!(ids.iter().collect::<std::collections::HashSet<_>>().len(), 21);
}

/// An empty asset on a line of its own, as rbx_xml 3.0.1 writes it, can have either type of asset.
#[test]
fn empty_assets_are_of_either_type() {
    let text = "<roblox version=\"4\"><Item class=\"A\"><Properties><Content name=\"SoundId\">\n<null></null>\n</Content>\
        <Content name=\"ImageContent\"><null></null></Content></Properties></Item></roblox>";
    let mut document = rbxxml::from_str(text).unwrap();
    assert_eq!(rbxxml::to_string(&document).unwrap(), text);
    let a = document.roots().next().unwrap();
    for property in ["SoundId", "ImageContent"] {
        for value in [Value::ContentId("x".into()), Content::Uri("x".into()).into()] {
            let mut document = document.clone();
            document.set(a, property, &value).unwrap();
            assert_eq!(document.get(a, property), Some(value.as_ref()));
            survives(&document);
        }
    }
    // If only a URI is given, the name of the property determines the type.
    document.set(a, "SoundId", "x").unwrap();
    document.set(a, "ImageContent", "x").unwrap();
    assert_eq!(document.get(a, "SoundId"), Some(Value::ContentId("x".into()).as_ref()));
    assert_eq!(document.get(a, "ImageContent"), Some(Value::from(Content::Uri("x".into())).as_ref()));
    // An asset with a URI keeps its type.
    document.set(a, "SoundId", Content::Uri("y".into())).unwrap();
    document.set(a, "ImageContent", Value::ContentId("y".into())).unwrap();
    assert_eq!(document.get(a, "SoundId"), Some(Value::ContentId("y".into()).as_ref()));
    assert_eq!(document.get(a, "ImageContent"), Some(Value::from(Content::Uri("y".into())).as_ref()));
}

/// A reference without a target does not refer to an instance that is added or merged later.
#[test]
fn dangling_references_stay_null() {
    let text = "<roblox version=\"4\"><Item class=\"A\" referent=\"x\"><Properties><Ref name=\"R\">y</Ref></Properties></Item></roblox>";
    let mut document = rbxxml::from_str(text).unwrap();
    let a = document.roots().next().unwrap();
    assert_eq!(document.get(a, "R"), Some(Value::Ref(None).as_ref()));
    assert_eq!(rbxxml::to_string(&document).unwrap(), text);
    let found = rbxxml::check(&document);
    assert!(found.iter().any(|finding| finding.rule.id == "rbxxml.references"), "{found:?}");
    let other = rbxxml::from_str(&text.replace("\"x\"", "\"y\"")).unwrap();
    document.merge(None, &other).unwrap();
    assert_eq!(document.get(a, "R"), Some(Value::Ref(None).as_ref()));
    survives(&document);
}

/// Two instances with the same referent: a document that would be read differently is not written.
#[test]
fn equal_referents() {
    let text = "<roblox version=\"4\"><Item class=\"A\" referent=\"x\"></Item><Item class=\"B\" referent=\"x\">\
        <Properties><Ref name=\"R\">x</Ref></Properties></Item></roblox>";
    let mut document = rbxxml::from_str(text).unwrap();
    assert_eq!(rbxxml::to_string(&document).unwrap(), text);
    let [a, b] = document.roots().collect::<Vec<_>>()[..] else { panic!() };
    assert_eq!(document.get(b, "R").unwrap().as_instance(), Some(a));
    document.reparent(a, None).unwrap();
    let error = rbxxml::to_vec(&document).unwrap_err().to_string();
    assert!(
        error.contains("an ambiguous reference (several instances have the referent \"x\": give them different ones) in B.R"),
        "{error}"
    );
    document.remove(a).unwrap();
    assert_eq!(document.by_referent("x"), Some(b));
    survives(&document);
}

const MESSY: &str = "<roblox version='4'>\n  <!-- top -->\n  <Item class='Folder'>\n    <Item class='Part'/>\n    \
    <Properties>\n      <!-- a --><string name='A'>1</string>\n      <string name='B'>2</string><!-- b -->\n    \
    </Properties>\n    <Odd/>\n  </Item>\n</roblox>\n";

fn edited(text: &str, edit: impl FnOnce(&mut Document, InstanceId)) -> String {
    let mut document = rbxxml::from_str(text).unwrap();
    let first = document.roots().next().unwrap();
    edit(&mut document, first);
    survives(&document)
}

/// Comments, order and unknown elements stay unchanged next to an edit.
#[test]
fn edits_in_files_that_others_wrote() {
    assert_eq!(edited(MESSY, |_, _| ()), MESSY);
    let changed = edited(MESSY, |document, folder| document.set(folder, "A", "3").unwrap());
    assert_eq!(changed, MESSY.replace("<string name='A'>1</string>", "<string name='A'>3</string>"));
    let added = edited(MESSY, |document, folder| document.set(folder, "C", "3").unwrap());
    let line = "<string name='B'>2</string>\n      <string name=\"C\">3</string>";
    assert_eq!(added, MESSY.replace("<string name='B'>2</string>", line));
    let removed = edited(MESSY, |document, _| document.remove_property("Folder", "B").unwrap());
    assert_eq!(removed, MESSY.replace("\n      <string name='B'>2</string>", ""));
    let removed = edited(MESSY, |document, _| document.remove_property("Folder", "A").unwrap());
    assert_eq!(removed, MESSY.replace("<string name='A'>1</string>", ""));
    // A new property is inserted in the order of names; the next one keeps its spelling.
    let between = edited(MESSY, |document, folder| document.set(folder, "AA", "3").unwrap());
    let line = "<string name=\"AA\">3</string>\n      <string name='B'>2</string>";
    assert_eq!(between, MESSY.replace("<string name='B'>2</string>", line));
    let child = edited(MESSY, |document, folder| {
        document.insert(folder, NewInstance::new("Part").property("Name", "x")).unwrap();
    });
    let (before, after) = child.split_once("    <Item class=\"Part\" referent=").unwrap();
    let (_, after) = after.split_once("</Item>\n").unwrap();
    assert_eq!([before, after].concat(), MESSY);
    let root = edited(MESSY, |document, _| {
        document.insert(None, NewInstance::new("Part")).unwrap();
    });
    assert!(root.contains("<!-- top -->") && root.contains("  </Item>\n  <Item class=\"Part\""), "{root}");
    let filled = edited(MESSY, |document, folder| {
        let part = document.children(folder).next().unwrap();
        document.set(part, "Name", "x").unwrap();
    });
    assert!(
        filled.contains("<Item class='Part'>\n      <Properties>\n        <string name=\"Name\">x</string>"),
        "{filled}"
    );
    let moved = edited(MESSY, |document, folder| {
        let part = document.children(folder).next().unwrap();
        document.reparent(part, None).unwrap();
    });
    assert!(moved.contains("<Odd/>\n  </Item>\n  <Item class='Part'/>\n</roblox>"), "{moved}");
}

/// A touched value keeps the white space of its element, and the text of the components that did not change.
#[test]
fn components_keep_their_text() {
    let text = "<roblox version=\"4\"><Item class=\"Part\"><Properties><Vector3 name='size'><X>1e0</X><Y> 2 </Y><Z>3.50</Z></Vector3>\
                <UDim2 name=\"U\"><XS>0.1</XS>\n<XO>16777217</XO> <YS>-0</YS><YO>7</YO></UDim2></Properties></Item></roblox>";
    let size = |z| Vec3 { x: 1.0, y: 2.0, z };
    let set = |z| edited(text, |document, part| document.set(part, "size", size(z)).unwrap());
    assert_eq!(set(4.0), text.replace("3.50", "4"));
    assert_eq!(set(3.5), text);
    let udim = |scale, offset| rbxxml::UDim { scale, offset };
    let set = |x, y| edited(text, |document, part| document.set(part, "U", rbxxml::UDim2 { x, y }).unwrap());
    assert_eq!(set(udim(0.1, 16_777_216), udim(-0.0, 7)), text.replace("16777217", "16777216"));
    assert_eq!(set(udim(0.1, 16_777_217), udim(0.0, 8)), text.replace("-0<", "0<").replace(">7<", ">8<"));
}

/// The first property, child and shared string of an element that contains a comment.
#[test]
fn comments_survive_the_first_of_a_kind() {
    let text =
        "<roblox version=\"4\">\n\t<!-- top -->\n\t<Item class=\"A\"><!-- c --><Odd/></Item>\n</roblox>";
    let set = edited(text, |document, a| document.set(a, "Name", "x").unwrap());
    assert_eq!(
        set,
        text.replace(
            "<!-- c -->",
            "\n\t\t<Properties>\n\t\t\t<string name=\"Name\">x</string>\n\t\t</Properties><!-- c -->"
        )
    );
    let insert = edited(text, |document, a| {
        document.insert(a, NewInstance::new("B")).unwrap();
    });
    assert!(insert.contains("<!-- c --><Odd/>\n\t\t<Item class=\"B\""), "{insert}");
    let share = edited(text, |document, _| drop(document.share("abc")));
    let strings = "\n\t<SharedStrings>\n\t\t<SharedString md5=\"z0/+/I8vLRkAHqOaJVMfkw==\">YWJj</SharedString>\n\t</SharedStrings>\n</roblox>";
    let (before, after) = share.split_at(text.len() - "\n</roblox>".len());
    assert_eq!(before, text.strip_suffix("\n</roblox>").unwrap());
    let key = rbxxml::KeyHash::Blake2b.key(b"abc");
    assert_eq!(after, strings.replace("z0/+/I8vLRkAHqOaJVMfkw==", &key));
    for properties in
        ["<Properties/>", "<Properties><!-- p --></Properties>", "<Properties>\n\t\t</Properties>"]
    {
        let text = text.replace("<Odd/>", &format!("<Odd/>{properties}"));
        let set = edited(&text, |document, a| document.set(a, "Name", "x").unwrap());
        for kept in ["<!-- top -->", "<!-- c --><Odd/><Properties>"] {
            assert!(set.contains(kept), "{set}");
        }
        assert_eq!(set.contains("<!-- p -->"), properties.contains("<!-- p -->"));
    }
}

/// Adding a property does not change the spelling of others, however many there are.
#[test]
fn spellings_survive_beside_a_new_property() {
    let lines: String = (0..100).map(|n| format!("\n\t\t\t<float name=\"P{n:02}\">{n}.50</float>")).collect();
    let text = format!(
        "<roblox version=\"4\">\n\t<Item class=\"A\" referent=\"a\">\n\t\t<Properties>{lines}\n\t\t</Properties>\n\t</Item>\n</roblox>"
    );
    let added = edited(&text, |document, a| document.set(a, "A", 1).unwrap());
    assert_eq!(added, text.replace("<Properties>", "<Properties>\n\t\t\t<int name=\"A\">1</int>"));
    let removed = edited(&text, |document, _| document.remove_property("A", "P50").unwrap());
    assert_eq!(removed, text.replace("\n\t\t\t<float name=\"P50\">50.50</float>", ""));
}

fn find<'a>(findings: &'a [Finding], rule: &str) -> &'a Finding {
    let id = format!("rbxxml.{rule}");
    findings.iter().find(|finding| finding.rule.id == id).unwrap_or_else(|| panic!("{rule} in {findings:?}"))
}

#[test]
fn checking() {
    assert_eq!(rbxxml::check(&place().0), []);
    let property = |property: &str| format!("<Properties>{property}</Properties>");
    let id = "<UniqueId name=\"UniqueId\">44b188dace632b4702e9c68d004815fc</UniqueId>";
    let text = format!(
        "<roblox version=\"3\"><Item class=\"A\" referent=\"a\">{}{}</Item><Item class=\"B\" referent=\"a\">{}</Item>\
         <Item class=\"C\">{}</Item><Item referent=\"null\">{}</Item>\
         <SharedStrings><SharedString md5=\"k\"></SharedString><SharedString md5=\"k\"></SharedString></SharedStrings></roblox>",
        property("<string name=\"Name\">x</string><Ref name=\"R\">nowhere</Ref>"),
        property(&format!("<SharedString name=\"S\">missing</SharedString>{id}")),
        property(&format!("<NumberSequence name=\"N\">0 1 0 0.5 1 0 </NumberSequence>{id}")),
        property("<int name=\"I\">1</int><int name=\"I\">2</int><int name=\"X\">y</int>"),
        property("<int>1</int><What name=\"W\"/><Axes name=\"A\"><axes>8</axes></Axes>"),
    );
    let findings = rbxxml::check(&rbxxml::from_str(&text).unwrap());
    let shown = |rule: &str| {
        let Finding { path, found, count, .. } = find(&findings, rule);
        format!("{path}: {found} ({count})")
    };
    assert_eq!(shown("version"), "roblox.version: expected \"4\", found \"3\" (1)");
    assert_eq!(shown("referents"), "B: duplicate referent \"a\" (2)");
    assert_eq!(shown("referents-missing"), "C: the attribute `referent` is missing or empty (1)");
    assert_eq!(shown("classes"), "[0]: the attribute `class` is missing or empty (1)");
    assert_eq!(
        shown("references"),
        "x.R: the Ref refers to an instance that does not exist: <Ref name=\"R\">nowhere</Ref> (1)"
    );
    assert_eq!(shown("shared-strings-defined"), "x.S: no shared string has the key \"missing\" (1)");
    assert_eq!(
        shown("shared-strings-used"),
        "shared_strings[0]: no property uses the shared string with the key \"k\" (2)"
    );
    assert_eq!(shown("shared-string-keys"), "shared_strings[1]: duplicate key \"k\" (1)");
    assert_eq!(shown("sequences"), "B.N: expected 1 as the last time, found 0.5 (1)");
    assert_eq!(shown("property-names"), "C.I: duplicate property name \"I\" in the element <int> (2)");
    assert_eq!(shown("properties-elements"), "x: found 2 <Properties> elements (1)");
    assert_eq!(shown("types"), "[0].W: <What> is not a known property type, so its value is not decoded (1)");
    assert_eq!(shown("values"), "C.X: invalid content of <int>: \"y\" (1)");
    assert_eq!(shown("axes-and-faces"), "[0].A: found the bits 0b1000 (1)");
    assert_eq!(shown("unique-ids"), "B.UniqueId: same UniqueId as x (1)");
    assert_eq!(find(&findings, "values").rule.severity, Severity::Error);
}

#[test]
fn rules_have_names() {
    let mut ids: Vec<_> = rbxxml::RULES.iter().map(|rule| rule.id).collect();
    assert!(ids.iter().all(|id| id.starts_with("rbxxml.")));
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rbxxml::RULES.len());
}

#[cfg(feature = "serde")]
mod serde {
    use rbxxml::Document;
    use testkit::fixtures;

    /// Fixtures without NaN and infinity, which JSON cannot represent.
    #[test]
    fn documents_survive() {
        for file in fixtures("rbxxml") {
            let Ok(document) = rbxxml::from_slice(&file.bytes) else { continue };
            if file.name.contains("every_type") || file.name.contains("odd") {
                continue;
            }
            let json = serde_json::to_string(&document).unwrap();
            let again: Document =
                serde_json::from_str(&json).unwrap_or_else(|e| panic!("{}: {e}", file.name));
            assert!(again == document, "{}", file.name);
            let escape = rbxxml::WriteOptions::new().illegal(rbxxml::Illegal::Escape);
            assert!(rbxxml::from_slice(&escape.write(&again).unwrap()).unwrap() == document, "{}", file.name);
        }
    }

    #[test]
    fn what_it_looks_like() {
        let text = "<roblox version=\"4\"><Item class=\"Folder\" referent=\"a\"><Properties><string name=\"Name\">x</string>\
            </Properties><Item class=\"Part\"><Properties><Ref name=\"To\">a</Ref></Properties></Item></Item></roblox>";
        let json = serde_json::to_value(rbxxml::from_str(text).unwrap()).unwrap();
        assert_eq!(json["instances"][0]["parent"], serde_json::Value::Null);
        assert_eq!(json["instances"][1]["parent"], 0);
        assert_eq!(json["instances"][0]["class"], "Folder");
        assert_eq!(json["instances"][0]["properties"][0], serde_json::json!(["Name", {"String": "x"}]));
        assert_eq!(json["instances"][1]["properties"][0], serde_json::json!(["To", {"Ref": 0}]));
        for wrong in [
            serde_json::json!({"attributes": [], "instances": [{"parent": 7, "class": "Part"}]}),
            serde_json::json!({"attributes": [], "instances": [{"parent": 0, "class": "Part"}]}),
            serde_json::json!({"attributes": [], "instances": [{"parent": null, "class": "Part", "properties": [["R", {"Ref": 1}]]}]}),
        ] {
            assert!(serde_json::from_value::<Document>(wrong).is_err());
        }
        // A reference to an instance without a referent cannot be written.
        let odd = serde_json::json!({"attributes": [], "instances": [{"parent": null, "class": "Part", "properties": [["R", {"Ref": 0}]]}]});
        let odd: Document = serde_json::from_value(odd).unwrap();
        assert!(rbxxml::to_vec(&odd).unwrap_err().to_string().contains("whose target has no referent"));
    }
}

/// Numbers are compared by their bits; the spelling in a file is not compared.
#[test]
fn equality_is_by_bits() {
    let with = |number: f32| {
        let mut document = Document::new();
        let frame = CFrame { position: Vec3::new(0.0, number, 0.0), ..CFrame::IDENTITY };
        let new = NewInstance::new("A").property("Frame", frame).property("Number", f64::from(number));
        document.insert(None, new).unwrap();
        document
    };
    // Each has a random referent, which is replaced.
    let [nan, zero, negative] = [f32::NAN, 0.0, -0.0].map(|number| {
        let text = rbxxml::to_string(&with(number)).unwrap();
        let referent = text.split("referent=\"").nth(1).unwrap()[..35].to_owned();
        text.replace(&referent, "RBX0")
    });
    let read = |text: &str| rbxxml::from_str(text).unwrap();
    assert!(read(&nan) == read(&nan) && read(&nan) != read(&zero) && read(&zero) != read(&negative));
    for (from, to) in [
        ("\t", "  "),
        ("<Item class", "<!-- c --><Item class"),
        ("\" referent", "\"  referent"),
        (">0<", "> 0<"),
    ] {
        let other = zero.replacen(from, to, 100);
        assert!(other != zero && read(&other) == read(&zero), "{from:?}");
        assert!(
            read(&other).same_layout(&read(&other)) && !read(&other).same_layout(&read(&zero)),
            "{from:?}"
        );
    }
}

/// A file with a thousand levels would be large, since its lines are indented.
#[test]
fn a_file_ends_at_the_limit() {
    let text = "<Item class=\"A\">".repeat(1000) + &"</Item>".repeat(1000);
    let document = rbxxml::from_str(&format!("<roblox version=\"4\">{text}</roblox>")).unwrap();
    let mut written = Document::new();
    written.merge(None, &document).unwrap();
    let whole = rbxxml::to_vec(&written).unwrap().len() as u64;
    assert!(rbxxml::WriteOptions::new().max_bytes(whole).write(&written).is_ok());
    let error = rbxxml::WriteOptions::new().max_bytes(whole / 2).write(&written).expect_err("too long");
    assert!(matches!(error.kind(), rbxxml::ErrorKind::Limit(_)), "{error}");
}

/// A value of another type is accepted if it converts exactly, and refused otherwise.
#[test]
fn values_convert_exactly() {
    let frame = CFrame { position: Vec3::new(1.0, 2.0, 3.0), ..CFrame::IDENTITY };
    let (uri, empty) = (Value::ContentId("x".into()), Value::ContentId("".into()));
    let pale = rbxxml::Color3::new(1.0, 0.0, 0.2);
    for (old, value, new) in [
        (Value::OptionalCFrame(None), frame.into(), Some(Value::OptionalCFrame(Some(frame.into())))),
        (rbxxml::Color3::default().into(), rbxxml::Color3uint8::new(255, 0, 51).into(), Some(pale.into())),
        (
            rbxxml::Color3uint8::default().into(),
            pale.into(),
            Some(rbxxml::Color3uint8::new(255, 0, 51).into()),
        ),
        (uri.clone(), Content::None.into(), Some(empty.clone())),
        (uri.clone(), Content::Uri("y".into()).into(), Some(Value::ContentId("y".into()))),
        (Content::Uri("x".into()).into(), empty, Some(Content::None.into())),
        (Content::Uri("x".into()).into(), uri, Some(Content::Uri("x".into()).into())),
        (0.5.into(), 5.into(), Some(5.0.into())),
        (0.5.into(), (1_i64 << 60).into(), Some(1_152_921_504_606_846_976.0.into())),
        (0.5.into(), ((1_i64 << 53) + 1).into(), None),
        (0.5_f32.into(), 16_777_216.into(), Some(16_777_216.0_f32.into())),
        (0.5_f32.into(), 16_777_217.into(), None),
        (0.5_f32.into(), f64::INFINITY.into(), Some(f32::INFINITY.into())),
        (BrickColor(1).into(), 194.into(), Some(BrickColor(194).into())),
        (1.into(), BrickColor(194).into(), Some(194.into())),
    ] {
        let mut document = Document::new();
        let a = document.insert(None, NewInstance::new("A").property("P", old.clone())).unwrap();
        let set = document.set(a, "P", value.clone());
        assert_eq!(set.is_ok(), new.is_some(), "{old:?} {value:?}");
        assert_eq!(document.get(a, "P"), Some(new.unwrap_or(old).as_ref()), "{value:?}");
    }
}

/// The crate knows which instances have a property, even after others are removed that were not read.
#[test]
fn removing_what_was_not_looked_at() {
    let a = || NewInstance::new("A");
    let mut document = Document::new();
    document.insert(None, a().property("P", 1)).unwrap();
    let second = document.insert(None, a().property("P", 2)).unwrap();
    let third = document.insert(None, a()).unwrap();
    refused(&mut document, |document| document.set(third, "P", "text"));
    document.remove(second).unwrap();
    refused(&mut document, |document| document.set(third, "P", "text"));
    // An added property is counted once: when no instance has it any more, any type is accepted.
    let mut document = Document::new();
    let text = "<roblox><Item class=\"A\"><Properties><int name=\"P\">1</int></Properties></Item><Item class=\"A\"></Item></roblox>";
    let read = rbxxml::from_str(text).unwrap();
    let [first, second] = document.merge(None, &read).unwrap()[..] else { panic!() };
    document.set(second, "P", 2).unwrap();
    document.set(second, "Q", 2).unwrap();
    document.remove_all([first, second]).unwrap();
    let last = document.insert(None, a().property("P", "text")).unwrap();
    assert_eq!(document.get(last, "P"), Some(Value::from("text").as_ref()));
}

#[test]
fn no_instance_is_below_itself() {
    let (mut document, [workspace, _, part, _]) = place();
    for (id, parent) in [(part, part), (workspace, workspace), (workspace, part)] {
        let error = refused(&mut document, |document| document.reparent(id, parent));
        assert!(error.contains("an instance cannot be moved into itself or into its descendant"), "{error}");
    }
}

/// A unique id that was set is not used for other instances.
#[test]
fn identifiers_that_were_set_are_taken() {
    let mut document = Document::new();
    let part = |index| NewInstance::new("Part").property("UniqueId", unique(9, index));
    let first = document.insert(None, part(1)).unwrap();
    let mut source = Document::new();
    let [two, three] = [2, 3].map(|index| source.insert(None, part(index)).unwrap());
    document.copy_from(None, &source, two).unwrap();
    document.set(first, "UniqueId", unique(9, 3)).unwrap();
    let copy = document.copy_from(None, &source, three).unwrap();
    assert_eq!(document.get(copy, "UniqueId").unwrap().as_unique_id(), Some(unique(9, 4)));
}

/// A copy keeps the referent of its original if it is free, since it was never used or its instance was removed.
#[test]
fn copies_keep_free_referents() {
    let text = |class: &str, referent: &str| {
        format!(
            "<roblox><Item class='{class}' referent='{referent}'><Properties><Ref name=\"R\">nowhere</Ref></Properties></Item></roblox>"
        )
    };
    let mut document = rbxxml::from_str(&text("A", "x")).unwrap();
    let first = document.roots().next().unwrap();
    let copy = |document: &mut Document, referent: &str| {
        let source = rbxxml::from_str(&text("A", referent)).unwrap();
        let copy = document.copy_from(None, &source, source.roots().next().unwrap()).unwrap();
        document.referent(copy).unwrap().to_owned()
    };
    assert_eq!(copy(&mut document, "y"), "y");
    assert_ne!(copy(&mut document, "x"), "x");
    // The target of a reference that leads to no instance is not free.
    assert_ne!(copy(&mut document, "nowhere"), "nowhere");
    document.remove(first).unwrap();
    assert_eq!(copy(&mut document, "x"), "x");
    assert_eq!(document.len(), 4);
    survives(&document);
}

/// A shared string that is copied twice is stored once, and is written in this crate's form.
#[test]
fn equal_shared_strings_are_one() {
    let text = "<roblox><Item class=\"A\"><Properties><SharedString name=\"S\">k</SharedString></Properties></Item>\
        <SharedStrings><SharedString md5='k'>QU FB</SharedString></SharedStrings></roblox>";
    let source = rbxxml::from_str(text).unwrap();
    let a = source.roots().next().unwrap();
    let mut document = Document::new();
    for _ in 0..2 {
        let copy = document.copy_from(None, &source, a).unwrap();
        assert_eq!(document.get(copy, "S"), Some(Value::SharedString("AAA".into()).as_ref()));
        assert_eq!(document.shared_strings().len(), 1);
    }
    assert!(survives(&document).contains("<SharedString md5=\"k\">QUFB</SharedString>"));
    let merged = EditOptions::new().merge(&mut document, None, &source).unwrap();
    assert_eq!((merged.instances.len(), document.len()), (1, 3));
}

/// If shared strings get new keys, one whose key is already right keeps its spelling.
#[test]
fn right_keys_keep_their_spelling() {
    let [right, wrong] = [b"a", b"b"].map(|bytes| rbxxml::KeyHash::Md5.key(bytes));
    let text = |key: &str| {
        format!(
            "<roblox><SharedStrings><SharedString md5='{right}'>YQ==</SharedString>{key}</SharedStrings></roblox>"
        )
    };
    let document = rbxxml::from_str(&text("<SharedString md5='k'>Yg==</SharedString>")).unwrap();
    let written = rbxxml::WriteOptions::new().keys(rbxxml::KeyHash::Md5).write(&document).unwrap();
    let wanted = text(&format!("<SharedString md5=\"{wrong}\">Yg==</SharedString>"));
    assert!(rbxxml::from_slice(&written).unwrap() == rbxxml::from_str(&wanted).unwrap());
    assert!(String::from_utf8(written).unwrap().contains(&format!("md5='{right}'")));
}

/// In files of other programs, new values get lines of their own, and each is written once.
#[test]
fn what_is_new_has_a_place() {
    let text = "<roblox version=\"4\">\n\t<Item class=\"A\"><Properties><int name=\"P\">1</int></Properties></Item>\n</roblox>";
    let replaced = edited(text, |document, a| {
        document.remove_property("A", "P").unwrap();
        document.set(a, "Q", 2).unwrap();
    });
    assert_eq!(replaced, text.replace("<int name=\"P\">1", "\n\t\t\t<int name=\"Q\">2"));
    let text = "<roblox version=\"4\">\n\t<!-- c -->\n</roblox>";
    let mut document = rbxxml::from_str(text).unwrap();
    document.metadata.push(rbxxml::Metadata::new("m", "1"));
    document.externals.push(rbxxml::External::new("e"));
    document.insert(None, NewInstance::new("A")).unwrap();
    document.share("abc");
    assert!(survives(&document).starts_with("<roblox version=\"4\">\n\t<!-- c -->\n\t<Meta"));
    let text = "<roblox version=\"4\">\n\t<!-- c --><External>a</External><External>b</External>\n</roblox>";
    let mut document = rbxxml::from_str(text).unwrap();
    document.insert(None, NewInstance::new("A")).unwrap();
    document.externals.push(rbxxml::External::new("c"));
    let written = survives(&document);
    assert!(
        written.contains("<External>a</External><External>b</External>\n\t<External>c</External>\n\t<Item"),
        "{written}"
    );
}

/// A file on a single line: an asset without content and one with an empty URI stay different.
#[test]
fn empty_assets_in_one_line() {
    let mut document = rbxxml::from_str("<roblox version=\"4\"><Item class=\"A\"></Item></roblox>").unwrap();
    let a = document.roots().next().unwrap();
    document.set(a, "E", Content::None).unwrap();
    document.set(a, "F", Value::ContentId("".into())).unwrap();
    survives(&document);
}
