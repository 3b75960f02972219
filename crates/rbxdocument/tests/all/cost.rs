//! The cost of an edit depends on what it touches: it allocates as much in a document of 100,000 instances as in one of
//! 2,000, whether the document was read or cloned.

use rbxdocument::{AnyDocument, Dom, InstanceId, NewInstance, from_slice};
use testkit::measure;

use crate::common::{any, both, named};

both! { the_cost_is_that_of_what_is_touched }

const EDITS: usize = 100;

fn part(number: usize) -> NewInstance {
    named("Part", &format!("Part{number:06}")).property("Anchored", true)
}

fn place(document: &dyn Dom, count: usize) -> AnyDocument {
    let mut document = document.empty();
    let folder = document.insert(None, named("Folder", "Folder")).unwrap();
    for number in 0..count {
        document.insert(folder, part(number)).unwrap();
    }
    from_slice(&any(&*document).to_vec().unwrap()).unwrap()
}

/// The bytes that some edits of each kind allocate.
fn edits(document: &dyn Dom, count: usize, copied: bool) -> Vec<(&'static str, u64)> {
    type Edit = fn(&mut dyn Dom, InstanceId, &[InstanceId], &dyn Dom);
    let edits: [(&str, Edit); 6] = [
        ("set", |document, _, parts, _| {
            parts.iter().for_each(|&id| _ = document.set(id, "Name", "another name").unwrap());
        }),
        ("insert", |document, folder, parts, _| {
            assert!(parts.iter().all(|_| document.insert(folder, part(0)).is_ok()));
        }),
        ("reparent", |document, folder, parts, _| {
            parts.iter().for_each(|&id| document.reparent(id, folder).unwrap());
        }),
        ("remove", |document, _, parts, _| {
            assert!(parts.iter().all(|&id| document.remove(id).is_ok()));
        }),
        ("copy_from", |document, folder, parts, source| {
            let id = source.by_class("Part").next().unwrap();
            assert!(parts.iter().all(|_| document.copy_from(folder, source, id).is_ok()));
        }),
        ("merge", |document, folder, _, source| drop(document.merge(folder, source).unwrap())),
    ];
    let (base, source) = (place(document, count), place(document, EDITS));
    let bytes = base.to_vec().unwrap();
    // The first call builds the index.
    let parts: Vec<_> = base.by_class("Part").step_by(count / EDITS).collect();
    let folder = base.roots().next().unwrap();
    assert_eq!((parts.len(), source.instances().count()), (EDITS, EDITS + 1));
    let taken = edits.into_iter().map(|(name, edit)| {
        let mut document = if copied { base.clone() } else { from_slice(&bytes).unwrap() };
        assert!(document.contains(folder));
        (name, measure(|| edit(&mut *document, folder, &parts, &*source)).bytes_total)
    });
    taken.collect()
}

fn the_cost_is_that_of_what_is_touched(document: &mut dyn Dom) {
    for copied in [false, true] {
        let (small, large) = (edits(document, 2_000, copied), edits(document, 100_000, copied));
        for ((name, small), (_, large)) in small.into_iter().zip(large) {
            assert!(large <= small + small / 8 + 1024, "{name}: {small} bytes, {large} in the large one");
        }
    }
}
