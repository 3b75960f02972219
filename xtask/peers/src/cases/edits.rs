//! Edits of Roblox documents, compared with rbx_dom_weak: both crates do the same edits.

use std::rc::Rc;

use rbx_dom_weak::types::{Ref, Variant};
use rbx_dom_weak::{InstanceBuilder, WeakDom};

use crate::measure::{Case, Goal};

/// The number of parts in a folder.
const PARTS: usize = 100;

/// The number of instances, of those that are removed or moved, and of those that get another text or are added. The
/// second and the third entry show whether an edit takes as long in a large document as in a small one.
const SIZES: [(usize, usize, usize); 3] =
    [(115_000, 2_000, 100_000), (1_000, 500, 500), (1_000_000, 500, 500)];

/// At most five times the duration of rbx_dom_weak.
const GOAL: Goal = Goal::TimesPeer(0.2);

fn text(number: usize) -> String {
    format!("Part{number}")
}

/// A tree of rbx_dom_weak with parts in folders; also returns the folders and the parts.
fn theirs(count: usize) -> (WeakDom, Vec<Ref>, Vec<Ref>) {
    let mut dom = WeakDom::new(InstanceBuilder::new("DataModel"));
    let root = dom.root_ref();
    let folders: Vec<Ref> = (0..count.div_ceil(PARTS + 1))
        .map(|_| dom.insert(root, InstanceBuilder::new("Folder").with_name("Folder")))
        .collect();
    let parts = (0..count - folders.len()).map(|n| dom.insert(folders[n / PARTS], their_part(n))).collect();
    (dom, folders, parts)
}

fn their_part(number: usize) -> InstanceBuilder {
    InstanceBuilder::new("Part")
        .with_name(text(number))
        .with_property("Anchored", number % 2 == 0)
        .with_property("Note", "a note")
        .with_property("Transparency", 0.5_f32)
}

/// `count` of the parts, evenly spaced.
fn some<T: Copy>(parts: &[T], count: usize) -> impl Iterator<Item = T> {
    parts.iter().copied().step_by((parts.len() / count).max(1)).take(count)
}

macro_rules! edits {
    ($ours:ident) => {
        pub fn $ours() -> Vec<Case> {
            use $ours::{Document, InstanceId, NewInstance};

            type Place = (Document, Vec<InstanceId>, Vec<InstanceId>);

            fn part(number: usize) -> NewInstance {
                NewInstance::new("Part")
                    .property("Name", text(number))
                    .property("Anchored", number % 2 == 0)
                    .property("Note", "a note")
                    .property("Transparency", 0.5_f32)
            }

            fn place(count: usize) -> Place {
                let mut document = Document::new();
                let folder = || NewInstance::new("Folder").property("Name", "Folder");
                let folders: Vec<_> = (0..count.div_ceil(PARTS + 1))
                    .map(|_| document.insert(None, folder()).expect("a folder"))
                    .collect();
                let parts = (0..count - folders.len())
                    .map(|n| document.insert(folders[n / PARTS], part(n)).expect("a part"))
                    .collect();
                (document, folders, parts)
            }

            let mut cases = Vec::new();
            for (count, few, many) in SIZES {
                let base = Rc::new(place(count));
                let mut edit = |what: &str,
                                edits: usize,
                                ours: fn(&mut Place, usize),
                                peer: fn(&mut (WeakDom, Vec<Ref>, Vec<Ref>), usize)| {
                    let base = Rc::clone(&base);
                    let case =
                        Case::new(stringify!($ours), format!("{what} {edits} of {count}"), edits).goal(GOAL);
                    let case = case.ours_in(move || Place::clone(&base), move |place| ours(place, edits));
                    cases.push(match count <= 115_000 {
                        true => case.peer_in(
                            "rbx_dom_weak",
                            move || theirs(count),
                            move |place| peer(place, edits),
                        ),
                        false => case,
                    });
                };
                edit(
                    "remove",
                    few,
                    |(document, _, parts), edits| {
                        some(parts, edits).for_each(|id| {
                            document.remove(id).expect("removed");
                        })
                    },
                    |(dom, _, parts), edits| some(parts, edits).for_each(|part| dom.destroy(part)),
                );
                edit(
                    "reparent",
                    few,
                    |(document, folders, parts), edits| {
                        some(parts, edits).for_each(|id| document.reparent(id, folders[0]).expect("moved"))
                    },
                    |(dom, folders, parts), edits| {
                        some(parts, edits).for_each(|part| dom.transfer_within(part, folders[0]))
                    },
                );
                edit(
                    "set a string in",
                    many,
                    |(document, _, parts), edits| {
                        some(parts, edits)
                            .for_each(|id| document.set(id, "Note", "another note").expect("set"))
                    },
                    |(dom, _, parts), edits| {
                        some(parts, edits).for_each(|part| {
                            let instance = dom.get_by_ref_mut(part).expect("a part");
                            instance.properties.insert("Note".into(), Variant::from("another note"));
                        })
                    },
                );
                edit(
                    "insert",
                    many,
                    |(document, folders, _), edits| {
                        (0..edits).for_each(|n| {
                            document.insert(folders[n % folders.len()], part(n)).expect("inserted");
                        })
                    },
                    |(dom, folders, _), edits| {
                        (0..edits).for_each(|n| {
                            dom.insert(folders[n % folders.len()], their_part(n));
                        })
                    },
                );
            }
            cases
        }
    };
}
edits!(rbxbinary);
edits!(rbxxml);
