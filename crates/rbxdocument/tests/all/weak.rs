//! Documents as a `WeakDom` of rbx-dom, and back.
#![cfg(feature = "weak")]

use std::collections::{BTreeMap, HashMap};

use geom::Vec3;
use rbx_dom_weak::types::Variant;
use rbx_dom_weak::{Ustr, WeakDom};
use rbxdocument::{AnyDocument, NewInstance, Value, from_slice, from_weak, to_weak};

/// The properties of each instance, in their order; references by the number of their target.
fn content(weak: &WeakDom) -> Vec<BTreeMap<String, String>> {
    let numbers: HashMap<_, _> = weak.descendants().enumerate().map(|(at, of)| (of.referent(), at)).collect();
    let of = |(name, value): (&Ustr, &Variant)| match value {
        // A new instance gets a unique id of its own if another has it.
        Variant::UniqueId(_) => None,
        // They have two stored forms, of which a new instance gets the other one.
        _ if ["RollOffMaxDistance", "PackageIdSerialize"].contains(&&**name) => None,
        Variant::Ref(to) => Some((name.to_string(), format!("to {:?}", numbers.get(to)))),
        value => Some((name.to_string(), format!("{value:?}"))),
    };
    weak.descendants().map(|instance| instance.properties.iter().filter_map(of).collect()).collect()
}

#[test]
fn a_model_with_a_reference() {
    let mut document = AnyDocument::from(rbxbinary::Document::new());
    let part = NewInstance::new("Part")
        .label("part")
        .property("Name", "Wall")
        .property("Size", Vec3::new(4.0, 1.0, 2.0));
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
        assert_eq!(
            back.get(wall, "size").map(|value| value.to_value()),
            Some(Value::from(Vec3::new(4.0, 1.0, 2.0)))
        );
    }
}

#[test]
fn an_instance_that_does_not_exist() {
    let weak = WeakDom::new(rbx_dom_weak::InstanceBuilder::new("DataModel"));
    let mut document = rbxbinary::Document::new();
    let lost =
        from_weak(&mut document, &weak, &[rbx_dom_weak::types::Ref::new()]).expect("nothing to insert");
    assert_eq!((lost.len(), document.len()), (1, 0));
}

/// What binary files contain is the same after a way through a `WeakDom` into another one, which fills in defaults.
#[test]
fn files_there_and_back() {
    for sample in testkit::fixtures("rbxbinary").into_iter().chain(testkit::corpus("rbxbinary")) {
        let Ok(document) = from_slice(&sample.bytes) else { continue };
        let (weak, _) = to_weak(&*document);
        assert_eq!(weak.descendants().count(), document.len() + 1, "{}", sample.name);
        let mut back = rbxbinary::Document::new();
        let roots = weak.root().children().to_vec();
        if let Ok(lost) = from_weak(&mut back, &weak, &roots) {
            let (again, _) = to_weak(&back);
            let (before, after) = (content(&weak), content(&again));
            assert_eq!(before.len(), after.len(), "{}", sample.name);
            let pairs = before.iter().zip(&after);
            let differ: Vec<_> = pairs
                .flat_map(|(before, after)| {
                    before.iter().filter(|(name, value)| after.get(*name) != Some(*value))
                })
                .collect();
            assert!(differ.len() <= lost.len(), "{}: {:.600}", sample.name, format!("{differ:?}"));
        }
    }
}
