//! Merges of Roblox documents.

use crate::Ask as _;
use rezkit::{Conflict, ConvertOptions, EditOptions, MergeOptions, Opened, Side, tree};
use testkit::Rng;

use super::xml::{self, document, field, item, with_id};

fn open(bytes: impl AsRef<[u8]>) -> Opened<'static> {
    crate::open(bytes.as_ref(), "a")
}

/// The merged file, and the conflicts.
fn merged(texts: [&str; 3], options: &MergeOptions) -> (Vec<u8>, Vec<Conflict>) {
    let [base, mut ours, theirs] = texts.map(open);
    let (conflicts, _) = ours.merge(&base, &theirs, options).expect("merged");
    (ours.written(), conflicts)
}

/// The differences of two files, as paths.
fn differences(one: &[u8], other: &[u8]) -> Vec<String> {
    let (one, other, mut found) = (open(one), open(other), Vec::new());
    tree::diff(&*one.tree(), &*other.tree(), &mut crate::budget(), &mut |change| {
        found.push(format!("{change:?}"));
    })
    .expect("compared");
    found
}

/// The number of differences that `diff` shows.
fn shown_differences(one: &[u8], other: &[u8]) -> usize {
    let (one, other, mut count) = (open(one), open(other), 0);
    rezkit::differences([&one, &other], &mut crate::budget(), &mut |_| count += 1).expect("compared");
    count
}

fn part(id: u32, name: &str, more: &str) -> String {
    let unique = field("UniqueId", "UniqueId", format!("{id:032x}"));
    with_id(&format!("R{id}"), item("Part", name, &(unique + more), ""))
}

fn place(content: &str) -> String {
    let id = field("UniqueId", "UniqueId", format!("{:032x}", 1));
    String::from_utf8(document(&with_id("R1", item("Workspace", "Workspace", &id, content)))).expect("text")
}

/// An ObjectValue that refers to a part.
fn value(to: &str) -> String {
    with_id("R8", item("ObjectValue", "V", &field("Ref", "Value", to), ""))
}

fn transparency(value: &str) -> String {
    field("float", "Transparency", value)
}

/// The results are those of `git merge-file`, with `--ours` and with `--theirs`.
#[test]
fn a_decision_is_about_the_lines_that_both_changed() {
    let place = |source: &str| place(&item("Script", "S", &field("ProtectedString", "Source", source), ""));
    let texts =
        ["1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1 A\n2\n3\n4\n5\n6\n7\n8\n9 A\n", "1 B\n2\n3\n4\n5 B\n6\n7\n8\n9\n"];
    let [base, ours, theirs] = texts.map(place);
    for (side, first) in [(Side::Ours, "1 A"), (Side::Theirs, "1 B")] {
        for options in
            [MergeOptions::new().prefer(side), MergeOptions::new().decide("Workspace/S.Source", side)]
        {
            let (made, conflicts) = merged([&base, &ours, &theirs], &options);
            assert_eq!(conflicts, []);
            let expected = place(&format!("{first}\n2\n3\n4\n5 B\n6\n7\n8\n9 A\n"));
            assert_eq!(differences(&made, expected.as_bytes()), [""; 0]);
        }
    }
}

#[test]
fn each_side_gives_what_it_changed() {
    let base = place(&(part(2, "A", &transparency("0")) + &part(3, "B", "") + &part(4, "C", "")));
    let ours = place(&(part(2, "A", &transparency("0.5")) + &part(3, "B", "") + &part(4, "C", "")));
    let theirs = place(&(part(2, "Renamed", &transparency("0")) + &part(4, "C", "") + &part(5, "New", "")));
    let (made, conflicts) = merged([&base, &ours, &theirs], &MergeOptions::new());
    assert_eq!(conflicts, []);
    let expected =
        place(&(part(2, "Renamed", &transparency("0.5")) + &part(4, "C", "") + &part(5, "New", "")));
    assert_eq!(differences(&made, expected.as_bytes()), [""; 0]);
}

#[test]
fn what_both_changed_is_a_conflict() {
    let [base, ours, theirs] = ["0", "0.5", "1"].map(|value| place(&part(2, "A", &transparency(value))));
    let texts = [&*base, &*ours, &*theirs];
    let (made, conflicts) = merged(texts, &MergeOptions::new());
    assert_eq!(differences(&made, ours.as_bytes()), [""; 0]);
    let [conflict] = &conflicts[..] else { panic!("{conflicts:?}") };
    assert_eq!(conflict.path, "Workspace/A.Transparency");
    let values = [&conflict.base, &conflict.ours, &conflict.theirs].map(|value| value.as_deref());
    assert_eq!(values, [Some("0"), Some("0.5"), Some("1")]);
    for options in [
        MergeOptions::new().prefer(Side::Theirs),
        MergeOptions::new().decide("Workspace/A.Transparency", Side::Theirs),
    ] {
        let (made, conflicts) = merged(texts, &options);
        assert_eq!((differences(&made, theirs.as_bytes()), conflicts), (vec![], vec![]));
    }
    let [base, mut ours, theirs] = texts.map(open);
    let options = MergeOptions::new().prefer(Side::Ours).decide("Workspace/A.Size", Side::Theirs);
    let (_, notes) = ours.merge(&base, &theirs, &options).expect("merged");
    assert!(notes.len() == 1 && notes[0].path == "Workspace/A.Size", "{notes:?}");
}

#[test]
fn removed_and_edited() {
    let base = place(&part(2, "A", &transparency("0")));
    let (without, edited) = (place(""), place(&part(2, "A", &transparency("1"))));
    for texts in [[&*base, &*without, &*edited], [&*base, &*edited, &*without]] {
        let (made, conflicts) = merged(texts, &MergeOptions::new());
        assert_eq!(conflicts.len(), 1, "{conflicts:?}");
        assert_eq!(conflicts[0].path, "Workspace/A");
        // Nothing is lost: the edited instance stays.
        assert_eq!(differences(&made, edited.as_bytes()), [""; 0]);
        let (made, _) = merged(texts, &MergeOptions::new().prefer(Side::Theirs));
        assert_eq!(differences(&made, texts[2].as_bytes()), [""; 0]);
    }
}

/// What theirs put into an instance that ours removed comes back with it, once.
#[test]
fn inserted_into_what_the_other_removed() {
    let folder = |content: &str| part(2, "F", "").replace("</Item>", &format!("{content}</Item>"));
    let rest = part(9, "Rest", "");
    let [base, ours, theirs] =
        [place(&(folder("") + &rest)), place(&rest), place(&(folder(&part(3, "New", "")) + &rest))];
    let (made, conflicts) = merged([&base, &ours, &theirs], &MergeOptions::new());
    assert_eq!(conflicts.len(), 1, "{conflicts:?}");
    assert_eq!(open(&made).query(&"Part".parse().expect("a selector")).expect("found").len(), 3);
}

/// A reference to an instance that is not in the result is never one to another instance.
#[test]
fn references_to_what_ours_removed() {
    let [a, b] = [part(2, "A", ""), part(3, "B", "")];
    let base = place(&(a.clone() + &b + &value("R3")));
    let (ours, theirs) = (place(&(b.clone() + &value("R3"))), place(&(a + &b + &value("R2"))));
    let options = MergeOptions::new().decide("Workspace/A", Side::Ours);
    let (made, conflicts) = merged([&base, &ours, &theirs], &options);
    let [conflict] = &conflicts[..] else { panic!("{conflicts:?}") };
    assert_eq!((&*conflict.path, conflict.theirs.as_deref()), ("Workspace/V.Value", Some("Workspace/A")));
    assert_eq!(open(&made).text("Workspace/V.Value"), "Workspace/B");
}

/// Theirs refers to an instance that it inserted. It has the number that another one has in the base.
#[test]
fn references_to_what_theirs_inserted() {
    let base = place(&(part(2, "A", "") + &value("R2")));
    let theirs = place(&(part(2, "New", "").replace("0002</UniqueId>", "0009</UniqueId>") + &value("R2")));
    let (made, conflicts) = merged([&base, &base, &theirs], &MergeOptions::new());
    assert_eq!(conflicts, []);
    assert_eq!(open(&made).text("Workspace/V.Value"), "Workspace/New");
}

/// Without ids, an instance that was renamed and moved is found by its children.
#[test]
fn renamed_and_moved() {
    let parts = |of: &str, more: &str| {
        ["Head", "Torso"].map(|part| item("Part", &format!("{of}{part}"), more, "")).concat()
    };
    let model = |name: &str, more: &str| item("Model", name, "", &parts("A", more));
    let rest = item("Model", "B", "", &parts("B", "")) + &item("Model", "C", "", &parts("C", ""));
    let text = |items: String| String::from_utf8(document(&items)).expect("text");
    let base = text(model("A", "") + &rest + &item("Folder", "F", "", ""));
    let ours = text(rest.clone() + &item("Folder", "F", "", &model("Z", "")));
    let theirs = text(model("A", &transparency("0.5")) + &rest + &item("Folder", "F", "", ""));
    let expected = text(rest + &item("Folder", "F", "", &model("Z", &transparency("0.5"))));
    let (made, conflicts) = merged([&base, &ours, &theirs], &MergeOptions::new());
    assert_eq!(conflicts, []);
    assert_eq!(differences(&made, expected.as_bytes()), [""; 0]);
}

/// A tree of instances without ids, as text.
fn tree_of(lines: &str) -> String {
    String::from_utf8(xml::tree(lines)).expect("text")
}

/// Merges trees; returns the differences of the result from the expected one, and the paths of the conflicts.
fn merged_trees(texts: [&str; 3], expected: &str, options: &MergeOptions) -> (Vec<String>, Vec<String>) {
    let texts = texts.map(tree_of);
    let (made, conflicts) = merged([&texts[0], &texts[1], &texts[2]], options);
    let conflicts = conflicts.into_iter().map(|conflict| conflict.path).collect();
    (differences(&made, tree_of(expected).as_bytes()), conflicts)
}

/// Properties and classes that the class table lacks are merged like others.
#[test]
fn what_the_class_table_lacks() {
    let odd = "<float name=\"Odd\">3</float>";
    let base = "Folder|G\nFutureWidget|W";
    let theirs = format!("Folder|G|{odd}\nFutureWidget|W|<BinaryString name=\"Tags\">VFQ=</BinaryString>");
    let none = || (vec![], vec![]);
    assert_eq!(merged_trees([base, base, &theirs], &theirs, &MergeOptions::new()), none());
    // What theirs removed, and what both added.
    assert_eq!(merged_trees([&theirs, &theirs, base], base, &MergeOptions::new()), none());
    let ours = theirs.replace('3', "4");
    let (_, conflicts) = merged_trees([base, &ours, &theirs], &ours, &MergeOptions::new());
    assert_eq!(conflicts, ["G.Odd"]);
    let as_binary = |text: &str| {
        let made = open(tree_of(text)).convert(None, "a.rbxm", &rezkit::ConvertOptions::new());
        open(&*made.expect("converted").files[0].bytes)
    };
    let mut ours = as_binary(base);
    let (conflicts, _) =
        ours.merge(&as_binary(base), &as_binary(&theirs), &MergeOptions::new()).expect("merged");
    assert_eq!((conflicts, ours.text("G.Odd"), ours.text("W.Tags")), (vec![], "3".into(), "\"TT\"".into()));
}

/// A property under a name that files of today do not use is merged, and a patch sets it.
#[test]
fn names_of_old_files() {
    let pivot = xml::cframe("WorldPivot", [1.0, 2.0, 3.0], xml::UNTURNED);
    let (base, theirs) = ("Model|M".to_owned(), format!("Model|M|{pivot}"));
    assert_eq!(merged_trees([&base, &base, &theirs], &theirs, &MergeOptions::new()), (vec![], vec![]));
    let [base, theirs] = [base, theirs].map(|text| tree_of(&text));
    let made = patched(&open(&base), base.as_bytes(), &open(&theirs)).expect("patched");
    assert_eq!(differences(&made.written(), theirs.as_bytes()), [""; 0]);
}

/// In XML, a patch removes what the other document does not store, whether its default is known or not, and only there.
#[test]
fn patches_remove_properties() {
    let part = |values: &str| {
        tree_of(&format!("Part|P|{values}\nPart|Q|{}<float name=\"Odd\">1</float>", transparency("0.25")))
    };
    let both = transparency("0.75") + "<float name=\"Odd\">2</float><Ref name=\"Far\">null</Ref>";
    let [before, after] = [&*both, ""].map(part);
    for [from, to] in [[&before, &after], [&after, &before]] {
        let made = patched(&open(from), from.as_bytes(), &open(to)).expect("patched");
        assert_eq!(differences(&made.written(), to.as_bytes()), [""; 0]);
        // What is removed already is no error.
        let again = patched(&open(from), to.as_bytes(), &open(to)).expect("patched");
        assert_eq!(differences(&again.written(), to.as_bytes()), [""; 0]);
    }
}

/// A property that one instance of many gets is one step, and one more for all others, to which a binary document or a newer
/// Studio gave the default.
#[test]
fn patches_are_short() {
    let part =
        |at: usize, value: &str| format!("Part|P{at}|<float name=\"Transparency\">0.5</float>{value}\n");
    let reflects = |value: &str| format!("<float name=\"Reflectance\">{value}</float>");
    let before = tree_of(&(0..40).map(|at| part(at, "")).collect::<String>());
    let after = tree_of(
        &(0..40).map(|at| part(at, &reflects(if at == 7 { "0.5" } else { "0" }))).collect::<String>(),
    );
    let binary = |text: &str| {
        let options = ConvertOptions::new().fill(rezkit::Fill::Defaults);
        crate::open(text.as_bytes(), "a.rbxlx").made_with("a.rbxl", &options).0
    };
    let xml = [&before, &after].map(|text| text.clone().into_bytes());
    for [old, new] in [[binary(&before), binary(&after)], xml] {
        let (from, to) = (crate::open(old.clone(), "old"), crate::open(new.clone(), "new"));
        let (steps, _) = from.patch(&to).expect("a patch");
        assert_eq!(steps.len(), 2, "{steps:?}");
        let made = patched(&from, &old, &to).expect("patched");
        assert_eq!(differences(&made.written(), &new), [""; 0]);
    }
}

/// A value under an older name in one document and a newer one in the other is not lost by a patch, in both forms and
/// directions.
#[test]
fn patches_between_names() {
    let frame = |name: &str| xml::cframe(name, [1.0, 2.0, 3.0], xml::UNTURNED);
    let number = |name: &str, value: &str| field("float", name, value);
    let refers = |name: &str| format!("<Ref name=\"{name}\">P</Ref>");
    let rows: [(&str, String, String, &str); 5] = [
        ("Part", frame("CoordinateFrame"), frame("CFrame"), "CFrame"),
        ("Part", xml::vector("Size", [1.0, 2.0, 3.0]), xml::vector("size", [1.0, 2.0, 3.0]), "Size"),
        ("WeldConstraint", refers("Part0"), refers("Part0Internal"), "Part0"),
        ("Fire", number("Size", "7"), number("size_xml", "7"), "Size"),
        ("Sound", number("MinDistance", "7"), number("xmlRead_MinDistance_3", "7"), "RollOffMinDistance"),
    ];
    for (class, older, newer, shown) in rows {
        let document = |values: &str| tree_of(&format!("Part#P|P\n{class}|X|{values}"));
        let (older, newer) = (document(&older), document(&newer));
        for [old, new] in [[&older, &newer], [&newer, &older]] {
            let binary = |text: &String| {
                let options = ConvertOptions::new().fill(rezkit::Fill::Defaults);
                crate::open(text.as_bytes(), "a.rbxlx").made_with("a.rbxl", &options).0
            };
            let xml = [old, new].map(|text| text.clone().into_bytes());
            for [old, new] in [xml, [binary(old), binary(new)]] {
                let (from, to) = (crate::open(old.clone(), "old"), crate::open(new.clone(), "new"));
                let wanted = to.get(&format!("X.{shown}")).expect("a value").to_json();
                let made = patched(&from, &old, &to).expect("patched");
                assert_eq!(
                    made.get(&format!("X.{shown}")).map(|of| of.to_json()).ok(),
                    Some(wanted),
                    "{class}.{shown}"
                );
            }
        }
    }
}

/// Null references that a document of another Studio stores for all instances are one step, too.
#[test]
fn null_references_are_filled_in() {
    let part = |value: &str| format!("TextButton|A|{value}\nTextButton|B|{value}\nTextButton|C|{value}");
    let [old, new] = ["", "<Ref name=\"NextSelectionDown\">null</Ref>"].map(|value| tree_of(&part(value)));
    let made = patched(&open(&old), old.as_bytes(), &open(&new)).expect("patched");
    assert_eq!(differences(&made.written(), new.as_bytes()), [""; 0]);
}

/// A reference that is null since its target was removed is no edit of the instance that has it.
#[test]
fn what_was_removed_is_no_edit_elsewhere() {
    let group = |to: &str| format!("  Model|Box\n    ObjectValue|To|<Ref name=\"Value\">{to}</Ref>\n");
    let (knife, rest) = ("  Part#K|Knife\n", "  Part|Q");
    let base = format!("Model|M\n{}{knife}{rest}", group("K"));
    let without_group = format!("Model|M\n{knife}{rest}");
    let without_knife = format!("Model|M\n{}{rest}", group("null"));
    let expected = format!("Model|M\n{rest}");
    for texts in [[&*base, &without_group, &without_knife], [&*base, &without_knife, &without_group]] {
        assert_eq!(merged_trees(texts, &expected, &MergeOptions::new()), (vec![], vec![]));
    }
}

/// What both inserted with the same content is kept once, also if ids were issued again.
#[test]
fn the_same_content_with_other_ids_is_kept_once() {
    let id = |number: u32| field("UniqueId", "UniqueId", format!("{number:032x}"));
    let base: String = (0..12).map(|at| format!("Part|P{at}|{}\n", id(at + 1))).collect();
    let inserted = |from: u32| {
        let part = |at: u32| {
            format!("  Part|Q|{}{}\n", id(from + at), transparency(if at == 1 { "0.25" } else { "0.5" }))
        };
        format!("{base}Folder|F|{}\n{}{}{}", id(from), part(1), part(2), part(3))
    };
    let (found, _) =
        merged_trees([&base, &inserted(100), &inserted(200)], &inserted(100), &MergeOptions::new());
    assert_eq!(found, [""; 0]);
}

/// What one moved out of an instance that the other one removed stays, as a conflict.
#[test]
fn moved_out_of_what_was_removed() {
    let base = "Folder|Old\n  Script|Important\nFolder|New";
    let (removed, moved) = ("Folder|New", "Folder|Old\nFolder|New\n  Script|Important");
    let expected = "Folder|New\n  Script|Important";
    for texts in [[base, removed, moved], [base, moved, removed]] {
        let found = merged_trees(texts, expected, &MergeOptions::new());
        assert_eq!(found, (vec![], vec!["Old/Important".to_owned()]), "{texts:?}");
    }
    let theirs = MergeOptions::new().prefer(Side::Theirs);
    assert_eq!(merged_trees([base, removed, moved], expected, &theirs), (vec![], vec![]));
    assert_eq!(merged_trees([base, moved, removed], removed, &theirs), (vec![], vec![]));
    let ours = MergeOptions::new().prefer(Side::Ours);
    assert_eq!(merged_trees([base, removed, moved], removed, &ours), (vec![], vec![]));
}

/// Of several equal siblings, the one at the same place is the same.
#[test]
fn equal_siblings_are_found_by_their_place() {
    let lines = |first: &str, second: &str| format!("Folder|F\n  Part|P{first}\n  Part|P{second}\n  Part|P");
    let [a, b] = ["Transparency", "Reflectance"].map(|name| format!("|<float name=\"{name}\">0.5</float>"));
    let texts = [&*lines("", ""), &*lines(&a, ""), &*lines("", &b)];
    assert_eq!(merged_trees(texts, &lines(&a, &b), &MergeOptions::new()), (vec![], vec![]));
    let found = differences(tree_of(texts[0]).as_bytes(), tree_of(texts[1]).as_bytes());
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("F/P.Transparency"), "{found:?}");
    // A new name is no reason to take the other one.
    let base = "Folder|Pad\nPart|E\nPart|E";
    let texts = [base, "Folder|Pad\nPart|Renamed\nPart|E", "Folder|Pad\nPart|E\nPart|E\n  Folder|Added"];
    let expected = "Folder|Pad\nPart|Renamed\nPart|E\n  Folder|Added";
    assert_eq!(merged_trees(texts, expected, &MergeOptions::new()), (vec![], vec![]));
}

/// What both inserted stays twice, except for services.
#[test]
fn inserted_by_both() {
    let base = "Workspace|Workspace\n  Part|Base";
    let side = |value: u8, more: &str| {
        format!("{base}\nLighting|Lighting|<float name=\"Brightness\">{value}</float>\n{more}")
    };
    let sky = "  Sky|Sky|<string name=\"SkyboxUp\">a</string>\n";
    let (ours, theirs) = (side(2, sky), side(3, "  Atmosphere|Sky\n"));
    let both = format!("{sky}  Atmosphere|Sky\n");
    let found = merged_trees([base, &ours, &theirs], &side(2, &both), &MergeOptions::new());
    assert_eq!(found, (vec![], vec!["Lighting.Brightness".to_owned()]));
    let theirs_wins = MergeOptions::new().prefer(Side::Theirs);
    let found = merged_trees([base, &ours, &theirs], &side(3, &both), &theirs_wins);
    assert_eq!(found, (vec![], vec![]));
    let side = |source: &str| {
        tree_of(&format!("{base}\nFolder|F|<ProtectedString name=\"Source\">{source}</ProtectedString>"))
    };
    let [base, mut ours, theirs] = [tree_of(base), side("1"), side("2")].map(|text| open(&text));
    let (conflicts, notes) = ours.merge(&base, &theirs, &MergeOptions::new()).expect("merged");
    let count = ours.query(&"Folder".parse().expect("a selector")).expect("found").len();
    assert_eq!((conflicts.len(), count), (0, 2));
    assert!(notes.iter().any(|note| note.path == "F"), "{notes:?}");
    // Without a common document, the path counts.
    let [mut ours, theirs] = [side("1"), side("2")].map(|text| open(&text));
    let (conflicts, _) = ours.merge(None, &theirs, &MergeOptions::new()).expect("merged");
    assert_eq!(conflicts.into_iter().map(|of| of.path).collect::<Vec<_>>(), ["F.Source"]);
}

#[test]
fn different_orders_are_a_conflict() {
    let order = |names: [u8; 3]| names.map(|name| format!("\n  Folder|{name}")).concat();
    let [base, ours, theirs] =
        [[1, 2, 3], [3, 1, 2], [2, 1, 3]].map(|names| format!("Folder|A{}", order(names)));
    let texts = [&*base, &*ours, &*theirs];
    let found = merged_trees(texts, &ours, &MergeOptions::new());
    assert_eq!(found, (vec![], vec!["A.Children".to_owned()]));
    assert_eq!(merged_trees(texts, &theirs, &MergeOptions::new().prefer(Side::Theirs)), (vec![], vec![]));
}

/// Without a common file, what both have at one path is the same instance.
#[test]
fn an_empty_base() {
    let [ours, theirs] = ["Folder|A\n  Folder|B", "Folder|A\n  Folder|C"].map(tree_of);
    let (mut ours, theirs) = (open(&ours), open(&theirs));
    let (conflicts, _) = ours.merge(None, &theirs, &MergeOptions::new()).expect("merged");
    let expected = tree_of("Folder|A\n  Folder|B\n  Folder|C");
    assert_eq!((conflicts, differences(&ours.written(), expected.as_bytes())), (vec![], vec![]));
}

#[test]
fn documents_without_anything_in_common_are_refused() {
    let one = String::from_utf8(xml::tree("Folder|X")).expect("text");
    let base = place(&(2..20).map(|id| part(id, &format!("P{id}"), "")).collect::<String>());
    let other = base.replace("P2<", "Other<");
    let [base, mut ours, theirs] = [&*base, &*one, &*other].map(open);
    let error = ours.merge(&base, &theirs, &MergeOptions::new()).expect_err("refused");
    assert!(error.to_string().contains("too little in common"), "{error}");
    ours.merge(&base, &theirs, &MergeOptions::new().unrelated(true)).expect("asked for");
}

/// What only theirs changed about identities, metadata and the properties of a whole class is taken, too: real versions of places
/// differ in these whenever another program or another Studio saved them.
#[test]
fn storage_is_merged() {
    let document = |metadata: &str, old: bool, index: u32| {
        let mut parts = ["A", "B"].map(|name| {
            let id = rbxbinary::types::UniqueId {
                index: index + u32::from(name.as_bytes()[0]),
                time: 7,
                random: u64::from(name.as_bytes()[0]),
            };
            let part = crate::instance("Part", name).property("UniqueId", rbxbinary::Value::UniqueId(id));
            if old { part.property("Odd", "x") } else { part }
        });
        if index == 0 {
            parts = ["A", "B"].map(|name| crate::instance("Part", name));
        }
        let mut document = rbxbinary::from_slice(&crate::binary_of(parts)).expect("readable");
        document.metadata_mut().push(rbxbinary::Metadata::new("ExplicitAutoJoints", metadata));
        rbxbinary::to_vec(&document).expect("written")
    };
    let all =
        [("false", true, 1), ("true", false, 1), ("true", false, 5), ("false", true, 0), ("false", false, 0)];
    let all = all.map(|(metadata, old, index)| document(metadata, old, index));
    for base in &all {
        for theirs in &all {
            let [mut ours, other] = [base, theirs].map(open);
            let (conflicts, notes) = ours.merge(&open(base), &other, &MergeOptions::new()).expect("merged");
            assert!(conflicts.is_empty(), "{conflicts:?} {notes:?}");
            let (made, mut found) = (open(ours.written()), Vec::new());
            let budget = &mut crate::budget();
            rezkit::stored_differences([&made, &other], budget, &mut |of| found.push(of.path))
                .expect("compared");
            assert!(found.is_empty(), "{found:?}");
        }
    }
}

/// What was moved into a new group, added to the moved, and added behind it: the merge with an unchanged document, and the
/// patch, are the new document.
#[test]
fn a_new_group_with_additions() {
    let folder =
        |id: u32, name: &str, content: &str| with_id(&format!("R{id}"), item("Folder", name, "", content));
    let value = |id: u32, name: &str, to: u32| {
        with_id(&format!("R{id}"), item("ObjectValue", name, &field("Ref", "Value", format!("R{to}")), ""))
    };
    let file = |content: String| String::from_utf8(document(&content)).expect("text");
    let (y, hud) = (folder(3, "Y", ""), folder(4, "Hud", ""));
    let base = file(folder(1, "Tools", &folder(2, "X", "")));
    let tools = folder(1, "Tools", &(folder(2, "X", "") + &y));
    let group = folder(5, "Group", &(tools + &hud));
    let theirs = file(group + &value(6, "ToY", 3) + &value(7, "ToHud", 4));
    let (merged, conflicts) = merged([&base, &base, &theirs], &MergeOptions::new());
    assert_eq!((differences(&merged, theirs.as_bytes()), conflicts), (vec![], vec![]));
    let made = patched(&open(&base), base.as_bytes(), &open(&theirs)).expect("a patch");
    assert_eq!(differences(&made.written(), theirs.as_bytes()), [""; 0]);
}

/// An older save stores the same value under the name of that time, in either direction; a change of it counts.
#[test]
fn values_under_older_names() {
    let mesh = |name: &str, value: &str| {
        place(&with_id(
            "R2",
            item(
                "MeshPart",
                "M",
                &(field("UniqueId", "UniqueId", format!("{:032x}", 2))
                    + &field(name, if name == "MeshId" { "MeshId" } else { "MeshContent" }, value)),
                "",
            ),
        ))
    };
    let (old, new) = (
        mesh("MeshId", "").replace(
            "<MeshId name=\"MeshId\"></MeshId>",
            "<Content name=\"MeshId\"><url>rbxassetid://1</url></Content>",
        ),
        mesh("MeshContent", "").replace(
            "<MeshContent name=\"MeshContent\"></MeshContent>",
            "<Content name=\"MeshContent\"><uri>rbxassetid://1</uri></Content>",
        ),
    );
    let changed = new.replace("rbxassetid://1", "rbxassetid://2");
    let get = |bytes: &[u8]| open(bytes).get("Workspace/M.MeshContent").map(|value| value.to_json()).ok();
    for (base, theirs) in [(&old, &new), (&new, &old)] {
        let (same, conflicts) = merged([base, base, theirs], &MergeOptions::new());
        assert_eq!((String::from_utf8(same).as_deref(), conflicts), (Ok(&**base), vec![]));
        // Both changed nothing, or ours did.
        let (kept, conflicts) = merged([base, &changed, theirs], &MergeOptions::new());
        assert_eq!((get(&kept), conflicts), (Some("rbxassetid://2".into()), vec![]));
    }
    let (taken, conflicts) = merged([&old, &old, &changed], &MergeOptions::new());
    assert_eq!((get(&taken), conflicts), (Some("rbxassetid://2".into()), vec![]));
}

/// What files of old and files of today call a property, with the value that Roblox documents for both: the same is no
/// difference, another value of theirs is taken, and the result has one of the two names.
#[test]
fn one_value_under_two_names() {
    let uri = |name: &str, tag: &str, id: u32| {
        format!("<Content name=\"{name}\"><{tag}>rbxassetid://{id}</{tag}></Content>")
    };
    let color = "<Color3 name=\"BackgroundColor3\"><R>0</R><G>1</G><B>0</B></Color3>";
    let pairs = [
        ("MeshPart", uri("MeshId", "url", 1), uri("MeshContent", "uri", 1), uri("MeshContent", "uri", 2)),
        ("Decal", uri("Texture", "url", 1), uri("TextureContent", "uri", 1), uri("TextureContent", "uri", 2)),
        (
            "Sound",
            field("float", "Pitch", "1.25"),
            field("float", "PlaybackSpeed", "1.25"),
            field("float", "PlaybackSpeed", "2"),
        ),
        (
            "TextLabel",
            field("token", "FontSize", "7"),
            field("float", "TextSize", "24"),
            field("float", "TextSize", "30"),
        ),
        // Medium stone grey, and another colour.
        (
            "Part",
            field("int", "BrickColor", "194"),
            field("Color3uint8", "Color3uint8", "4288914085"),
            field("Color3uint8", "Color3uint8", "4281558681"),
        ),
        (
            "ScreenGui",
            field("bool", "IgnoreGuiInset", "true"),
            field("token", "ScreenInsets", "1"),
            field("token", "ScreenInsets", "2"),
        ),
        ("Frame", field("int", "BackgroundColor", "194"), String::new(), color.to_owned()),
    ];
    for (class, old, same, other) in pairs {
        let names = [&old, &other].map(|value| value.split('"').nth(1).expect("a name").to_owned());
        let made = |value: &str| place(&with_id("R2", item(class, "X", value, "")));
        let [old, same, other] = [&old, &same, &other].map(|value| made(value));
        let mut theirs = vec![&other];
        theirs.extend((same.contains(&names[1])).then_some(&same));
        for new in theirs {
            for (base, new) in [(&old, new), (new, &old)] {
                let is_other = [base, new].contains(&&other);
                let (made, conflicts) = merged([base, base, new], &MergeOptions::new());
                assert_eq!(conflicts, [], "{class}");
                assert_eq!(shown_differences(&made, new.as_bytes()), 0, "{class}");
                assert_eq!(shown_differences(base.as_bytes(), new.as_bytes()) == 0, !is_other, "{class}");
                let made = String::from_utf8(made).expect("XML");
                let stored = names.iter().filter(|name| made.contains(&format!("\"{name}\"")));
                assert_eq!(stored.count(), 1, "{class}: {made}");
            }
        }
    }
}

/// Both put one of two folders into the other: a conflict, and with a decision the result of that side.
#[test]
fn moves_of_both_that_make_a_circle() {
    let folder = |id: u32, name: &str, content: &str| {
        let unique = field("UniqueId", "UniqueId", format!("{id:032x}"));
        with_id(&format!("R{id}"), item("Folder", name, &unique, content))
    };
    let base = place(&(folder(2, "A", "") + &folder(3, "B", "")));
    let ours = place(&folder(3, "B", &folder(2, "A", "")));
    let theirs = place(&folder(2, "A", &folder(3, "B", "")));
    for (side, expected) in [(Side::Ours, &ours), (Side::Theirs, &theirs)] {
        let (made, conflicts) = merged([&base, &ours, &theirs], &MergeOptions::new().prefer(side));
        assert_eq!((differences(&made, expected.as_bytes()), conflicts), (vec![], vec![]));
    }
    let (_, conflicts) = merged([&base, &ours, &theirs], &MergeOptions::new());
    assert_eq!(conflicts.len(), 1, "{conflicts:?}");
}

/// A carriage return alone ends no line. The results are those of `git merge-file`.
#[test]
fn carriage_returns_in_scripts() {
    let script = |source: &str| {
        let text = source.replace('\r', "&#13;");
        place(&with_id("R2", item("Script", "S", &field("ProtectedString", "Source", text), "")))
    };
    let source = |bytes: &[u8]| open(bytes).get("Workspace/S.Source").expect("a script").to_json();
    for [base, ours, theirs, expected] in [
        [
            "a\rb\n1\n2\n3\n4\n",
            "a\rb\nOURS\n2\n3\n4\n",
            "a\rb\n1\n2\n3\nTHEIRS\n",
            "a\rb\nOURS\n2\n3\nTHEIRS\n",
        ],
        [
            "a\rb\rc\n\n\n\nd\n",
            "a\rb\rc\nOURS\n\n\n\nd\n",
            "a\rb\rc\n\n\n\nd\ne\n",
            "a\rb\rc\nOURS\n\n\n\nd\ne\n",
        ],
    ] {
        let (made, conflicts) =
            merged([base, ours, theirs].map(script).each_ref().map(|text| &**text), &MergeOptions::new());
        assert_eq!((source(&made), conflicts), (expected.into(), vec![]));
    }
}

/// A patch of another version is refused, unless that is wanted.
#[test]
fn a_patch_expects_the_old_value() {
    let file = |value: u32| {
        let value = field("double", "Value", value.to_string());
        place(&with_id("R2", item("NumberValue", "N", &value, "")))
    };
    let steps = open(file(1)).patch(&open(file(2))).expect("a patch").0;
    let script = serde_json::to_string(&steps[0]).expect("JSON");
    let mut other = open(file(9));
    let error = other.edit_script(&script, &mut (), &EditOptions::new()).expect_err("another value");
    assert!(error.to_string().contains("the patch expects 1.0, found 9.0"), "{error}");
    assert_eq!(other.written(), file(9).as_bytes());
    let edits = rezkit::Edit::parse(&script).expect("edits");
    let options = EditOptions::new().any_old(true);
    let edited = other.edit(&edits, &mut (), &options).expect("edited");
    assert_eq!(other.written(), file(2).as_bytes());
    // What the patch did not expect is listed.
    let [loss] = &edited.losses[..] else { panic!("{:?}", edited.losses) };
    assert!(loss.id == "patch.other-value" && loss.what.contains("the value 9.0"), "{loss:?}");
}

/// A patch removes only what it was made for: an instance of the class with the content, a value of LLSD.
#[test]
fn a_patch_removes_what_it_expects() {
    let number = |class: &str, value: u32| {
        with_id("R2", item(class, "N", &field("double", "Value", value.to_string()), ""))
    };
    let llsd = |content: &str| format!("<llsd><map><key>a</key><integer>1</integer>{content}</map></llsd>");
    let value = |number: u32| format!("<key>b</key><integer>{number}</integer>");
    for (old, new, others) in [
        (
            place(&number("NumberValue", 1)),
            place(""),
            vec![place(&number("NumberValue", 9)), place(&number("IntValue", 1))],
        ),
        (llsd(&value(1)), llsd(""), vec![llsd(&value(9))]),
    ] {
        let steps = open(&old).patch(&open(&new)).expect("a patch").0;
        let script: String =
            steps.iter().map(|step| serde_json::to_string(step).expect("JSON") + "\n").collect();
        for other in others {
            let mut opened = open(&other);
            let error =
                opened.edit_script(&script, &mut (), &EditOptions::new()).expect_err("something else");
            assert!(error.to_string().contains("the patch"), "{error}");
            assert_eq!(opened.written(), other.as_bytes());
        }
        let mut opened = open(&old);
        opened.edit_script(&script, &mut (), &EditOptions::new()).expect("edited");
        assert_eq!(differences(&opened.written(), new.as_bytes()), [""; 0]);
    }
}

/// If one side changed nothing, the result is the other side, however different.
#[test]
fn one_side_of_llsd_changed_everything() {
    let map = |key: &str| format!("<llsd><map><key>{key}</key><integer>1</integer></map></llsd>");
    let (base, other) = (map("a"), map("b"));
    for sides in [[&base, &base, &other], [&base, &other, &base]] {
        let (made, conflicts) = merged(sides.map(|text| &**text), &MergeOptions::new());
        assert_eq!((differences(&made, other.as_bytes()), conflicts), (vec![], vec![]));
    }
}

/// Two random sets of edits that touch different instances, of real places: their merge is both, one after the other.
#[test]
fn separate_edits_of_real_files() {
    let mut rng = Rng(7);
    let mut tried = 0;
    for sample in documents(1_000_001) {
        let Ok(base) = rezkit::open(sample.bytes.clone(), "a", ()) else { continue };
        let Ok(document) = rezkit::Document::of(open(&sample.bytes).into_content()) else { continue };
        let ids: Vec<_> = document.instances().collect();
        if ids.len() < 4 {
            continue;
        }
        let mut edits = [Vec::new(), Vec::new()];
        let mut paths: Vec<String> =
            ids.iter().filter_map(|&id| Some(document.path(id)?.to_string())).collect();
        // Of two siblings of one name without ids, nobody can tell which one was renamed.
        let twice: std::collections::HashSet<String> =
            paths.iter().filter_map(|path| Some(path.strip_suffix("[1]")?.to_owned())).collect();
        let is_twice = |path: &str| {
            path.match_indices('/').map(|(at, _)| &path[..at]).chain([path]).any(|of| twice.contains(of))
        };
        paths.retain(|path| !path.contains('[') && !is_twice(path));
        for turn in 0..6 {
            if paths.is_empty() {
                break;
            }
            let path = paths.swap_remove(rng.below(paths.len()));
            // An instance below a renamed one would have another path.
            paths.retain(|other| {
                !other.starts_with(&format!("{path}/")) && !path.starts_with(&format!("{other}/"))
            });
            edits[turn % 2].push(rezkit::Edit::Set {
                path: format!("{path}.Name"),
                value: format!("Merged{turn}"),
                kind: None,
            });
        }
        let applied = |lists: &[&Vec<rezkit::Edit>]| {
            let mut opened = open(&sample.bytes);
            for list in lists {
                opened.edit(list, &mut (), &EditOptions::new()).ok()?;
            }
            Some(opened)
        };
        let [first, second] = &edits;
        let (Some(mut ours), Some(theirs), Some(both)) =
            (applied(&[first]), applied(&[second]), applied(&[first, second]))
        else {
            continue;
        };
        let (conflicts, _) = ours.merge(&base, &theirs, &MergeOptions::new()).expect("merged");
        assert_eq!(conflicts, [], "{}", sample.name);
        assert!(
            ours.equals(&both),
            "{}: {:.2000?}",
            sample.name,
            differences(&ours.written(), &both.written())
        );
        // Nothing but the edits changed any byte.
        assert_eq!(ours.written(), both.written(), "{}", sample.name);
        // What both change differently is a conflict, and ours stays.
        if let Some(path) = paths.pop() {
            let to = |value: &str| {
                vec![rezkit::Edit::Set { path: format!("{path}.Name"), value: value.into(), kind: None }]
            };
            let (Some(mut ours), Some(theirs)) =
                (applied(&[first, &to("Ours")]), applied(&[second, &to("Theirs")]))
            else {
                continue;
            };
            let (conflicts, _) = ours.merge(&base, &theirs, &MergeOptions::new()).expect("merged");
            let [conflict] = &conflicts[..] else { panic!("{}: {conflicts:?}", sample.name) };
            assert_eq!(conflict.path, format!("{path}.Name"), "{}", sample.name);
            let both = applied(&[first, second, &to("Ours")]).expect("applied");
            assert_eq!(ours.written(), both.written(), "{}", sample.name);
        }
        tried += 1;
    }
    assert!(tried > 3, "{tried}");
}

/// The document that a patch, as lines of JSON, makes of another one.
pub(super) fn patched(old: &Opened<'_>, bytes: &[u8], new: &Opened<'_>) -> rezkit::Result<Opened<'static>> {
    let (steps, losses) = old.patch(new)?;
    assert_eq!(losses, []);
    let script: Vec<String> = steps.iter().map(|step| serde_json::to_string(step).expect("JSON")).collect();
    let mut made = open(bytes);
    made.edit_script(&script.join("\n"), &mut (), &EditOptions::new())?;
    Ok(made)
}

/// The differences of two documents. A value may be stored under another name or in another form of the property, or be
/// the default.
fn other_values(made: &Opened<'_>, new: &Opened<'_>) -> Vec<String> {
    let (budget, mut found) = (&mut crate::budget(), Vec::new());
    tree::diff(&*made.tree(), &*new.tree(), budget, &mut |of| {
        let value = |opened: &Opened<'_>| opened.get(&of.path).map(|value| value.to_string());
        let is_value = of.node.is_none() && of.moved.is_none() && of.order.is_empty();
        let (one, other) = (value(made), value(new));
        if !is_value || other.is_ok() && one.is_ok() && one.ok() != other.ok() {
            found.push(format!("{of:?}"));
        }
    })
    .expect("compared");
    found
}

/// The real documents and the fixtures, one after the other.
pub(super) fn documents(most: usize) -> impl Iterator<Item = testkit::Sample> {
    let of = |format: &str| testkit::fixtures(format).into_iter().chain(testkit::corpus(format));
    let all = ["rbxbinary", "rbxxml"].into_iter().flat_map(of);
    all.filter(move |sample| sample.bytes.len() < most && !sample.name.starts_with("broken/"))
}

/// The patch of any two real documents makes the second one of the first.
#[test]
fn a_patch_makes_the_other_document() {
    let (mut last, mut tried): (Option<(testkit::Sample, Opened<'static>)>, _) = (None, 0);
    for sample in documents(60_000) {
        let Ok(new) = rezkit::open(sample.bytes.clone(), "a", ()) else { continue };
        if let Some((before, old)) =
            last.as_ref().filter(|(_, old)| old.file_type().format == new.file_type().format)
        {
            let name = format!("{} -> {}", before.name, sample.name);
            match patched(old, &before.bytes, &new) {
                Ok(made) => {
                    assert_eq!(other_values(&open(made.written()), &new), [""; 0], "{name}");
                    tried += 1;
                }
                // Parts that are not understood are neither copied nor edited.
                Err(error) => {
                    let error = error.to_string();
                    assert!(
                        error.contains("cannot be edited") || error.contains("cannot copy"),
                        "{name}: {error}"
                    );
                }
            }
        }
        last = Some((sample, new));
    }
    assert!(tried > 3, "{tried}");
}

/// Random edits of real documents, and the patch of what they made: the documents are equal.
#[test]
fn patches_of_random_edits() {
    let (mut rng, mut tried) = (Rng(5), 0);
    for sample in documents(50_000) {
        let Ok(old) = rezkit::open(sample.bytes.clone(), "a", ()) else { continue };
        for _ in 0..4 {
            let mut new = open(&sample.bytes);
            for turn in 0..rng.below(8) {
                let Ok(document) = rezkit::Document::of(open(new.written()).into_content()) else {
                    break;
                };
                let ids: Vec<_> = document.instances().collect();
                if ids.is_empty() {
                    break;
                }
                let path =
                    |rng: &mut Rng| document.path(ids[rng.below(ids.len())]).expect("a path").to_string();
                let (one, parent) = (path(&mut rng), path(&mut rng));
                let edit = match rng.below(6) {
                    0 => rezkit::Edit::Rename { path: one, name: format!("Turn{}", turn % 2) },
                    1 => rezkit::Edit::Remove { path: one },
                    2 => rezkit::Edit::Move { path: one, parent },
                    3 => rezkit::Edit::Move { path: one, parent: String::new() },
                    4 => rezkit::Edit::Add { class: "Folder".into(), parent, properties: Vec::new() },
                    _ => rezkit::Edit::Set {
                        path: format!("{one}.Attributes.A"),
                        value: turn.to_string(),
                        kind: Some("Float64".into()),
                    },
                };
                // Some moves are not possible.
                _ = new.edit(&[edit], &mut (), &EditOptions::new());
            }
            let made = match patched(&old, &sample.bytes, &new) {
                Ok(made) => made,
                Err(error) if error.to_string().contains("cannot be edited") => continue,
                Err(error) => panic!("{}: {error}", sample.name),
            };
            let [made, new] = [made, new].map(|opened| open(opened.written()));
            assert_eq!(other_values(&made, &new), [""; 0], "{}", sample.name);
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried}");
}

fn llsd_of(opened: &Opened<'_>) -> llsd::Value {
    llsd::from_slice(&opened.written()).expect("readable")
}

/// Changes of different keys of real LLSD: their merge is both, byte for byte.
#[test]
fn separate_edits_of_real_llsd() {
    let mut rng = Rng(11);
    let mut tried = 0;
    for sample in testkit::fixtures("llsd").into_iter().chain(testkit::corpus("llsd")) {
        let Ok(value) = llsd::from_slice(&sample.bytes) else { continue };
        let Some(map) = value.as_map().filter(|map| map.len() > 3 && map.index().len() == map.len()) else {
            continue;
        };
        let keys: Vec<String> = map.keys().map(ToString::to_string).collect();
        let at = rng.below(keys.len() - 1);
        let quoted = |key: &str| key.replace('\\', "\\\\").replace('/', "\\/").replace('[', "\\[");
        let [one, other] = [quoted(&keys[at]), quoted(&keys[rng.below(at + 1) + keys.len() - at - 1])];
        if one == other || one.is_empty() || other.is_empty() {
            continue;
        }
        let set = |path: &str| rezkit::Edit::Set {
            path: path.into(),
            value: "merged".into(),
            kind: Some("string".into()),
        };
        let first = match rng.below(3) {
            0 => rezkit::Edit::Remove { path: one },
            1 => rezkit::Edit::Rename { path: one, name: "renamed".into() },
            _ => set(&one),
        };
        let applied = |edits: &[rezkit::Edit]| {
            let mut opened = crate::open(&sample.bytes, "a");
            opened.edit(edits, &mut (), &EditOptions::new()).expect("edited");
            opened
        };
        let Ok(base) = rezkit::open(sample.bytes.clone(), "a", ()) else { continue };
        let second = set(&other);
        let (mut ours, theirs) =
            (applied(std::slice::from_ref(&second)), applied(std::slice::from_ref(&first)));
        let both = applied(&[second, first]);
        let (conflicts, _) = ours.merge(&base, &theirs, &MergeOptions::new()).expect("merged");
        assert_eq!(conflicts, [], "{}", sample.name);
        assert_eq!(llsd_of(&ours), llsd_of(&both), "{}", sample.name);
        tried += 1;
    }
    assert!(tried > 3, "{tried}");
}

/// The patch of any two real LLSD documents makes the second one of the first.
#[test]
fn patches_of_real_llsd() {
    let samples: Vec<_> = testkit::fixtures("llsd").into_iter().chain(testkit::corpus("llsd")).collect();
    let mut tried = 0;
    for pair in samples.windows(2) {
        let [old, new] = [&pair[0], &pair[1]].map(|sample| rezkit::open(sample.bytes.clone(), "a", ()));
        let (Ok(old), Ok(new)) = (old, new) else { continue };
        if [&old, &new].iter().any(|opened| opened.file_type().format != "llsd") {
            continue;
        }
        let name = format!("{} -> {}", pair[0].name, pair[1].name);
        let made = match patched(&old, &pair[0].bytes, &new) {
            Ok(made) => made,
            // Dates that are no numbers.
            Err(error) if error.to_string().contains("as text") => continue,
            Err(error) => panic!("{name}: {error}"),
        };
        assert_eq!(llsd_of(&made), llsd_of(&new), "{name}");
        tried += 1;
    }
    assert!(tried > 3, "{tried}");
}

/// A model that one side ungroups while the other edits a part in it: the part keeps the edit, and the model goes.
#[test]
fn what_is_ungrouped_keeps_its_edits() {
    for has_ids in [true, false] {
        let one = |id: u32, class: &str, name: &str, more: &str, below: &str| {
            let unique = field("UniqueId", "UniqueId", format!("{id:032x}"));
            with_id(
                &format!("R{id}"),
                item(class, name, &(if has_ids { unique } else { String::new() } + more), below),
            )
        };
        let folders: String = (50..54).map(|id| one(id, "Folder", &format!("F{id}"), "", "")).collect();
        let text = |content: String| String::from_utf8(document(&(content + &folders))).expect("text");
        let [old, new] = ["0.25", "0.5"].map(transparency);
        let parts = |outer: &str, inner: &str| one(2, "Part", "P", outer, &one(3, "Part", "Q", inner, ""));
        let grouped = |outer: &str, inner: &str| text(one(1, "Model", "M", "", &parts(outer, inner)));
        for (edited, wanted) in
            [(grouped(&new, &old), parts(&new, &old)), (grouped(&old, &new), parts(&old, &new))]
        {
            let (base, ungrouped, wanted) = (grouped(&old, &old), text(parts(&old, &old)), text(wanted));
            for texts in [[&base, &edited, &ungrouped], [&base, &ungrouped, &edited]] {
                let (made, conflicts) = merged(texts.map(String::as_str), &MergeOptions::new());
                assert!(conflicts.is_empty(), "{conflicts:?}");
                assert_eq!(differences(&made, wanted.as_bytes()), Vec::<String>::new());
            }
        }
    }
}

/// Where ids tell instances apart, an edit of a removed one is a conflict, also if ours has another one of its name.
#[test]
fn another_instance_of_the_name_gets_no_edits() {
    let one = |id: u32, class: &str, name: &str, more: &str, below: &str| {
        let unique = field("UniqueId", "UniqueId", format!("{id:032x}"));
        with_id(&format!("R{id}"), item(class, name, &(unique + more), below))
    };
    let folders: String = (50..54).map(|id| one(id, "Folder", &format!("F{id}"), "", "")).collect();
    let text = |shop: &str, house: &str| {
        let content = one(1, "Folder", "Shop", "", shop) + &one(4, "Folder", "House", "", house);
        String::from_utf8(document(&(content + &folders))).expect("text")
    };
    let door = |id: u32, value: &str| one(id, "Part", "Door", &transparency(value), "");
    let (base, theirs) = (text(&door(2, "0.25"), ""), text(&door(2, "0.75"), ""));
    for ours in [text("", &door(9, "0.25")), text(&door(9, "0.25"), "")] {
        let (made, conflicts) = merged([&base, &ours, &theirs].map(String::as_str), &MergeOptions::new());
        assert_eq!(conflicts.len(), 1, "{conflicts:?}");
        // Ours has its new door, and the removed one is back with the edit.
        let made = String::from_utf8(made).expect("text");
        assert_eq!([made.matches("0.25").count(), made.matches("0.75").count()], [1, 1], "{made}");
    }
}

/// In the binary form an instance without an id has the one of zeros, which a new instance keeps.
#[test]
fn a_new_instance_gets_no_id_of_a_removed_one() {
    let one = |id: Option<u32>, name: &str| {
        let unique = id.map_or_else(String::new, |id| field("UniqueId", "UniqueId", format!("{id:032x}")));
        item("Part", name, &unique, "")
    };
    let text = |content: String| document(&(content + &one(Some(7), "Other")));
    let [base, theirs] =
        [text(one(Some(5), "Wall")), text(one(None, "Wall"))].map(|xml| open(xml).made("a.rbxm"));
    let (mut ours, base) = (open(&base), open(&base));
    let (conflicts, _) = ours.merge(&base, &open(&theirs), &MergeOptions::new()).expect("merged");
    assert!(conflicts.is_empty());
    assert_eq!(shown_differences(&ours.written(), &theirs), 0);
}

/// What ours moved into a model that theirs removed stays where theirs has it, if theirs is preferred.
#[test]
fn what_both_have_is_not_removed_with_its_new_parent() {
    let one = |id: u32, class: &str, name: &str, below: &str| {
        with_id(
            &format!("R{id}"),
            item(class, name, &field("UniqueId", "UniqueId", format!("{id:032x}")), below),
        )
    };
    let text = |content: String| String::from_utf8(document(&content)).expect("text");
    let folders: String = (50..53).map(|id| one(id, "Folder", &format!("F{id}"), "")).collect();
    let (part, moved) = (one(2, "Part", "P", ""), one(9, "Folder", "Mine", &one(10, "Part", "Inside", "")));
    let base = text(one(1, "Model", "M", &part) + &moved + &folders);
    let ours = text(one(1, "Model", "M", &(part.clone() + &moved)) + &folders);
    for theirs in [text(part.clone() + &moved + &folders), text(moved.clone() + &folders)] {
        let options = MergeOptions::new().prefer(Side::Theirs);
        let (made, _) = merged([&base, &ours, &theirs].map(String::as_str), &options);
        let made = String::from_utf8(made).expect("text");
        for name in ["Mine", "Inside"] {
            assert_eq!(made.matches(&format!(">{name}<")).count(), 1, "{name}: {made}");
        }
        assert_eq!(open(&made).text("Mine/Inside.Name"), "\"Inside\"");
        assert!(!made.contains(">M<"), "{made}");
    }
}
