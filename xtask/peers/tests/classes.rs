//! Documents that rbxbinary edits with its class table, compared as rbx_binary reads them with its own class database.

use std::collections::BTreeMap;

use rbx_dom_weak::types::Variant;
use rbx_dom_weak::{Instance, WeakDom};
use rbxbinary::types::EnumItem;
use rbxbinary::{Document, NewInstance, geom::Vec3};
use rbxbinary::edit::EditOptions;

/// Real files with this extension.
fn corpus(extension: &str) -> Vec<testkit::Sample> {
    let has_extension = |sample: &testkit::Sample| sample.name.ends_with(extension);
    testkit::corpus("rbxbinary").into_iter().filter(has_extension).collect()
}

/// The value of a property as a program sees it: the stored one, or the default of the class.
fn reads(instance: &Instance, property: &str) -> Option<Variant> {
    let database = rbx_reflection_database::get_bundled();
    let own = instance.properties.get(&property.into()).cloned();
    let class = database.classes.get(&*instance.class);
    own.or_else(|| database.find_default_property(class?, property).cloned())
}

/// Compares instances of two documents and all of their descendants. Instances that only the second document has must
/// follow the others.
fn compare<'a>(
    (before, old): (&'a WeakDom, &'a Instance),
    (after, new): (&'a WeakDom, &'a Instance),
    differences: &mut BTreeMap<String, usize>,
) -> usize {
    let mut count = 0;
    let mut waiting = vec![(old, new)];
    while let Some((old, new)) = waiting.pop() {
        assert_eq!((old.class, &old.name), (new.class, &new.name));
        assert!(new.children().len() >= old.children().len());
        let names = old.properties.keys().chain(new.properties.keys());
        for name in names {
            count += 1;
            let (was, is) = (reads(old, name), reads(new, name));
            let same = match (&was, &is) {
                (Some(Variant::Ref(was)), Some(Variant::Ref(is))) => {
                    before.get_by_ref(*was).is_none() == after.get_by_ref(*is).is_none()
                }
                // A copy gets an id of its own.
                (Some(Variant::UniqueId(_)), Some(Variant::UniqueId(_))) => true,
                // The database has no default, so any value may be written.
                (None, _) => true,
                (was, is) => format!("{was:?}") == format!("{is:?}"),
            };
            if !same {
                *differences.entry(format!("{}.{name}: {was:?} became {is:?}", old.class)).or_default() += 1;
            }
        }
        for (old, new) in old.children().iter().zip(new.children()) {
            waiting
                .push((before.get_by_ref(*old).expect("a child"), after.get_by_ref(*new).expect("a child")));
        }
    }
    count
}

#[test]
fn models_merge_into_places() {
    let (mut merges, mut values, mut differences) = (0, 0, BTreeMap::new());
    let mut refused = BTreeMap::new();
    let models = corpus(".rbxm");
    for place_file in corpus(".rbxl") {
        let bytes = place_file.bytes;
        let Ok(place) = rbxbinary::from_slice(&bytes) else { continue };
        let before = rbx_binary::from_reader(&*bytes).expect("rbx_binary reads the place");
        for testkit::Sample { name, bytes } in &models {
            let Ok(model) = rbxbinary::from_slice(bytes) else { continue };
            let mut merged = place.clone();
            let workspace = merged.find("Workspace");
            match EditOptions::defaults().merge(&mut merged, workspace, &model) {
                Ok(_) => {}
                Err(error) => {
                    *refused.entry(format!("{error}")).or_insert(0) += 1;
                    eprintln!("{name} into {}", place_file.name);
                    continue;
                }
            }
            merges += 1;
            let written = rbxbinary::to_vec(&merged).expect("it is written");
            let after = rbx_binary::from_reader(&*written).expect("rbx_binary reads it");
            values += compare((&before, before.root()), (&after, after.root()), &mut differences);
            let read = rbx_binary::from_reader(&**bytes).expect("rbx_binary reads the model");
            let of = |dom: &'_ WeakDom| dom.root().children().to_vec();
            let parent = match workspace {
                Some(_) => of(&after)
                    .into_iter()
                    .find_map(|id| after.get_by_ref(id).filter(|instance| instance.class == "Workspace")),
                None => Some(after.root()),
            };
            let tops = of(&read);
            let children = parent.expect("the parent").children();
            for (top, copy) in tops.iter().zip(&children[children.len() - tops.len()..]) {
                let top = read.get_by_ref(*top).expect("a root");
                let copy = after.get_by_ref(*copy).expect("its copy");
                values += compare((&read, top), (&after, copy), &mut differences);
            }
        }
    }
    eprintln!("{merges} merges, {values} values");
    assert!(refused.is_empty(), "{refused:#?}");
    assert!(differences.is_empty(), "{differences:#?}");
}

/// A document as a newcomer could make it, with the names and the numbers that scripts use.
#[test]
fn ten_thousand_parts() {
    let mut document = Document::new();
    let mut folder = NewInstance::new("Folder").property("Name", "Parts");
    for number in 0..10_000_u16 {
        let size = Vec3::new(1.0, 2.0, f32::from(number));
        let part = NewInstance::new("Part")
            .property("Name", format!("Part{number}"))
            .property("Size", size)
            .property("Transparency", f64::from(number) / 10_000.0)
            .property("Color", rbxbinary::types::Color3::new(1.0, 0.0, 0.0))
            .property("Material", 256)
            .property("Shape", EnumItem(0))
            .property("Anchored", number % 2 == 0);
        folder = folder.child(part);
    }
    document.insert(None, folder).expect("it is inserted");
    let bytes = rbxbinary::to_vec(&document).expect("it is written");
    let dom = rbx_binary::from_reader(&*bytes).expect("rbx_binary reads it");
    let folder = dom.get_by_ref(dom.root().children()[0]).expect("the folder");
    assert_eq!(folder.children().len(), 10_000);
    for (number, id) in (0_u16..).zip(folder.children()) {
        let part = dom.get_by_ref(*id).expect("a part");
        let value = |name: &str| part.properties.get(&name.into()).cloned();
        assert_eq!(part.name, format!("Part{number}"));
        assert_eq!(
            value("Size"),
            Some(rbx_dom_weak::types::Vector3::new(1.0, 2.0, f32::from(number)).into())
        );
        assert_eq!(value("Transparency"), Some(Variant::Float32((f64::from(number) / 10_000.0) as f32)));
        assert_eq!(value("Color"), Some(rbx_dom_weak::types::Color3uint8::new(255, 0, 0).into()));
        assert_eq!(value("Material"), Some(rbx_dom_weak::types::Enum::from_u32(256).into()));
        assert_eq!(value("Shape"), Some(rbx_dom_weak::types::Enum::from_u32(0).into()));
        assert_eq!(value("Anchored"), Some(Variant::Bool(number % 2 == 0)));
    }
}
