//! Every name in Roblox's property window that files store under another name: the error contains the stored name.

use rbxdocument::edit::EditOptions;
use rbxdocument::{Dom, NewInstance};

use crate::common::{Edit, both, refused};

both! { errors_name_the_stored_one empty_names_are_refused }

#[test]
fn rules_have_names_of_their_own() {
    for (rules, start) in [(rbxbinary::errors::RULES, "rbxbinary."), (rbxxml::errors::RULES, "rbxxml.")] {
        let ids: std::collections::HashSet<_> = rules.iter().map(|rule| rule.id).collect();
        assert!(ids.len() == rules.len() && ids.iter().all(|id| id.starts_with(start)));
    }
}

/// Roblox has neither classes nor properties without a name. Some files do, and are copied.
fn empty_names_are_refused(document: &mut dyn Dom) {
    let folder = || NewInstance::new("Folder");
    let id = document.insert(None, folder()).expect("an instance");
    let edits: [(Edit<'_>, &str); 5] = [
        (&|d| d.set(id, "", true).map(drop), "property"),
        (&|d| d.add_property("Folder", "", true), "property"),
        (&|d| d.insert(None, folder().property("", true)).map(drop), "property"),
        (&|d| d.insert(None, NewInstance::new("")).map(drop), "class"),
        (&|d| d.insert(None, folder().child(NewInstance::new(""))).map(drop), "class"),
    ];
    for (edit, of) in edits {
        let error = refused(&mut *document, edit).to_string();
        assert!(error.contains(&format!("the name of a {of} is empty")), "{error}");
    }
    let mut source = document.empty();
    let nameless = NewInstance::new("").property("", true);
    let made = EditOptions::new().as_given(true).insert(&mut *source, None, nameless).expect("as given");
    let copy = document.copy_from(None, &*source, made.instances[0]).expect("a copy");
    document.merge(None, &*source).expect("merged");
    document.duplicate(copy, None).expect("a duplicate");
    document.set(copy, "", false).expect("it has the property");
    assert_eq!((document.len(), document.get(copy, "").and_then(|value| value.as_bool())), (4, Some(false)));
}

fn errors_name_the_stored_one(document: &mut dyn Dom) {
    let Some(table) = testkit::shared("formats/roblox-names.tsv") else { return };
    let table = String::from_utf8(table).expect("text");
    let mut tried = 0;
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        // A class of another name, since the class table can know the original one.
        let (class, stored) = (&*format!("My{}", cells[0]), cells[1]);
        for shown in cells[2].split(',') {
            let mut document = document.empty();
            let new = || NewInstance::new(class).property(stored, true);
            let id = document.insert(None, new()).expect("an instance");
            let wanted = format!(
                "no instance of {class} stores the property \"{shown}\" (did you mean \"{stored}\"?)"
            );
            let edits: [Edit<'_>; 3] = [
                &|d| d.set(id, shown, true).map(drop),
                &|d| d.insert(None, new().property(shown, true)).map(drop),
                &|d| d.remove_property(class, shown),
            ];
            for edit in edits {
                let error = refused(&mut *document, edit).to_string();
                assert!(error.starts_with(&wanted), "{class}.{shown}: {error}");
            }
            // An unrelated name.
            let error = document.set(id, "Another", true).err().map(|error| error.to_string());
            assert!(error.is_none_or(|error| !error.contains("did you mean")), "{class}.{stored}");
            tried += 1;
        }
    }
    assert!(tried > 100, "{tried} pairs");
}
