//! Documents as a `WeakDom` of rbx-dom, and back.
#![cfg(feature = "weak")]

use std::collections::BTreeMap;

use rbx_dom_weak::WeakDom;
use rbx_dom_weak::types::Variant;
use rbxdocument::{AnyDocument, Dom, NewInstance, Value, from_slice, from_weak, to_weak};

/// The properties of all instances, by their paths in names and classes; references by the path of their target.
fn content(weak: &WeakDom) -> BTreeMap<String, String> {
    let path = |of| weak.full_path_of(of, "/");
    let mut all = BTreeMap::new();
    for instance in weak.descendants() {
        for (name, value) in &instance.properties {
            let value = match value {
                Variant::Ref(to) => format!("to {:?}", weak.get_by_ref(*to).map(|_| path(*to))),
                // A new instance gets a unique id of its own if another has it.
                Variant::UniqueId(_) => continue,
                value => format!("{value:?}"),
            };
            all.entry(format!("{}:{}.{name}", path(instance.referent()), instance.class)).or_insert(value);
        }
    }
    all
}

#[test]
fn a_model_with_a_reference() {
    let mut document = AnyDocument::from(rbxbinary::Document::new());
    let part =
        NewInstance::new("Part").label("part").property("Name", "Wall").property("Size", [4.0, 1.0, 2.0]);
    let weld = NewInstance::new("Weld").property("Name", "Weld").reference("Part0", "part");
    document.insert(None, part.child(weld)).expect("a model");
    let (weak, lost) = to_weak(&*document);
    assert!(lost.is_empty(), "{lost:?}");
    let wall = weak.get_by_ref(weak.root().children()[0]).expect("the part");
    assert_eq!((&*wall.name, &*wall.class), ("Wall", "Part"));
    let size = rbx_dom_weak::types::Vector3::new(4.0, 1.0, 2.0);
    assert_eq!(wall.properties.get(&"Size".into()), Some(&Variant::Vector3(size)));
    let weld = weak.get_by_ref(wall.children()[0]).expect("the weld");
    assert_eq!(weld.properties.get(&"Part0".into()), Some(&Variant::Ref(wall.referent())));

    for mut back in
        [AnyDocument::from(rbxbinary::Document::new()), AnyDocument::from(rbxxml::Document::new())]
    {
        assert!(from_weak(&mut *back, &weak, weak.root().children()).expect("inserted").is_empty());
        let back = from_slice(&back.to_vec().expect("written")).expect("readable");
        let (wall, weld) = (back.find("Wall").expect("there"), back.find("Wall/Weld").expect("there"));
        assert_eq!(back.len(), 2);
        assert_eq!(back.get(weld, "Part0").and_then(|value| value.as_instance()), Some(wall));
        assert_eq!(back.get(wall, "size").map(|value| value.to_value()), Some(Value::from([4.0, 1.0, 2.0])));
    }
}

/// What files contain is the same after a way through a `WeakDom` into an XML document, which fills nothing in.
#[test]
fn files_there_and_back() {
    let formats = ["rbxbinary", "rbxxml"].into_iter();
    for sample in formats.flat_map(|of| testkit::fixtures(of).into_iter().chain(testkit::corpus(of))) {
        let Ok(document) = from_slice(&sample.bytes) else { continue };
        let (weak, _) = to_weak(&*document);
        assert_eq!(weak.descendants().count(), document.len() + 1, "{}", sample.name);
        let mut back = rbxxml::Document::new();
        let roots = weak.root().children().to_vec();
        if let Ok(lost) = from_weak(&mut back, &weak, &roots) {
            let (again, _) = to_weak(&back);
            let (before, after) = (content(&weak), content(&again));
            let is_kept = |(name, value): &(&String, &String)| after.get(*name) == Some(*value);
            let differ: Vec<_> = before.iter().filter(|of| !is_kept(of)).collect();
            assert!(differ.len() <= lost.len(), "{}: {:.2000?}", sample.name, differ);
        }
    }
}
