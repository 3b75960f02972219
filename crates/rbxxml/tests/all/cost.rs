//! The cost of an edit depends on what it touches: it allocates as much in a document of 100,000 instances as in one of
//! 2,000, whether the document was read or cloned. The same code tests both crates.

use testkit::measure;

macro_rules! costs {
    ($format:ident) => {
        mod $format {
            use $format::{Document, InstanceId, NewInstance};

            use super::measure;

            const EDITS: usize = 100;

            fn part(number: usize) -> NewInstance {
                NewInstance::new("Part")
                    .property("Name", format!("Part{number:06}"))
                    .property("Anchored", true)
            }

            fn place(count: usize) -> Vec<u8> {
                let mut document = Document::new();
                let folder = NewInstance::new("Folder").property("Name", "Folder");
                let folder = document.insert(None, folder).unwrap();
                (0..count).for_each(|number| {
                    document.insert(folder, part(number)).unwrap();
                });
                $format::to_vec(&document).unwrap()
            }

            fn read(bytes: &[u8]) -> Document {
                $format::from_slice(bytes).unwrap()
            }

            /// The bytes that some edits of each kind allocate.
            fn edits(count: usize, copied: bool) -> Vec<(&'static str, u64)> {
                type Edit = fn(&mut Document, InstanceId, &[InstanceId], &Document);
                let edits: [(&str, Edit); 6] = [
                    ("set", |document, _, parts, _| {
                        parts.iter().for_each(|&id| document.set(id, "Name", "another name").unwrap());
                    }),
                    ("insert", |document, folder, parts, _| {
                        parts.iter().for_each(|_| {
                            document.insert(folder, part(0)).unwrap();
                        });
                    }),
                    ("reparent", |document, folder, parts, _| {
                        parts.iter().for_each(|&id| document.reparent(id, folder).unwrap());
                    }),
                    ("remove", |document, _, parts, _| {
                        parts.iter().for_each(|&id| {
                            document.remove(id).unwrap();
                        });
                    }),
                    ("copy_from", |document, folder, parts, source| {
                        let id = source.by_class("Part").next().unwrap();
                        parts.iter().for_each(|_| {
                            document.copy_from(folder, source, id).unwrap();
                        });
                    }),
                    ("merge", |document, folder, _, source| {
                        document.merge(folder, source).unwrap();
                    }),
                ];
                let bytes = place(count);
                let (base, source) = (read(&bytes), read(&place(EDITS)));
                // The first call builds the index.
                let parts: Vec<_> = base.by_class("Part").step_by(count / EDITS).collect();
                let folder = base.roots().next().unwrap();
                assert_eq!((parts.len(), source.instances().count()), (EDITS, EDITS + 1));
                let mut all = Vec::new();
                for (name, edit) in edits {
                    let mut document = if copied { base.clone() } else { read(&bytes) };
                    assert!(document.contains(folder));
                    let taken = measure(|| edit(&mut document, folder, &parts, &source));
                    all.push((name, taken.bytes_total));
                }
                all
            }

            #[test]
            fn is_that_of_what_is_touched() {
                for copied in [false, true] {
                    let (small, large) = (edits(2_000, copied), edits(100_000, copied));
                    for ((name, small), (_, large)) in small.into_iter().zip(large) {
                        assert!(
                            large <= small + small / 8 + 1024,
                            "{name}: {small} bytes, {large} in the large one"
                        );
                    }
                }
            }
        }
    };
}
costs!(rbxbinary);
costs!(rbxxml);
