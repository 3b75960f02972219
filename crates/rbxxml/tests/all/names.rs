//! Every name in Roblox's property window that files store under another name: the error contains the stored name. The
//! same code tests both crates.

macro_rules! names {
    ($format:ident, $pairs:ident) => {
        for (class, stored, shown) in &$pairs {
            let mut document = $format::Document::new();
            let new = || $format::NewInstance::new(class);
            let id = document.insert(None, new().property(stored, true)).expect("an instance");
            let wanted = format!(
                "no instance of {class} stores the property \"{shown}\" (did you mean \"{stored}\"?)"
            );
            for error in [
                document.set(id, shown, true).expect_err(shown),
                document.insert(None, new().property(stored, true).property(shown, true)).expect_err(shown),
                document.remove_property(class, shown).expect_err(shown),
            ] {
                assert!(error.to_string().starts_with(&wanted), "{class}.{shown}: {error}");
            }
            assert_eq!(document.len(), 1);
            // An unrelated name.
            let error = document.set(id, "Another", true).err();
            assert!(
                error.is_none_or(|error| !error.to_string().contains("did you mean")),
                "{class}.{stored}"
            );
        }
    };
}

#[test]
fn errors_name_the_stored_one() {
    let Some(table) = testkit::shared("formats/roblox-names.tsv") else { return };
    let table = String::from_utf8(table).expect("text");
    let mut pairs: Vec<(String, &str, &str)> = Vec::new();
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        // A class of another name, since the class table can know the original one.
        let class = format!("My{}", cells[0]);
        pairs.extend(cells[2].split(',').map(|shown| (class.clone(), cells[1], shown)));
    }
    assert!(pairs.len() > 100, "{} pairs", pairs.len());
    names!(rbxbinary, pairs);
    names!(rbxxml, pairs);
}
