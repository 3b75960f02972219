//! Each loss has the id of a rule in the table, and each rule of the table is that of a loss.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::every_option::{below, files};
use super::run::Folder;

/// The sources of all crates, without the tables.
fn sources() -> Vec<(PathBuf, String)> {
    fn below(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                below(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && !path.ends_with("src/losses.rs")
            {
                let text = fs::read_to_string(&path).expect("a text");
                found.push((path, text));
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for entry in ["crates", "bindings"].iter().flat_map(|of| fs::read_dir(root.join(of)).expect("a folder")) {
        let src = entry.expect("an entry").path().join("src");
        if src.is_dir() {
            below(&src, &mut found);
        }
    }
    found
}

/// What follows the closing parenthesis of a call whose arguments begin here.
fn after_call(text: &str) -> &str {
    let (mut depth, mut in_text, mut chars) = (1, false, text.char_indices());
    while let Some((at, next)) = chars.next() {
        match next {
            '\\' if in_text => _ = chars.next(),
            '"' => in_text = !in_text,
            '(' if !in_text => depth += 1,
            ')' if !in_text => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[at + 1..];
        }
    }
    ""
}

#[test]
fn rules_of_losses_have_ids_of_their_own() {
    let losses = rezkit::losses();
    let ids: BTreeSet<&str> = losses.iter().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), losses.len(), "an id twice");
    let is_words = |words: &str| {
        words.split('-').all(|word| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        })
    };
    for rule in &losses {
        let (area, what) = rule.id.split_once('.').expect("a dot");
        assert!(is_words(area) && is_words(what), "{}", rule.id);
        assert!(!rule.meaning.is_empty() && !rule.meaning.contains('|'), "{}", rule.id);
    }
    // What `check --client` finds is what `convert --client` changes.
    for rule in rezkit::rules().into_iter().filter(|rule| !rule.id.starts_with("client.")) {
        assert!(!ids.contains(rule.id), "{} is both a rule and a loss", rule.id);
    }
    let listed = Folder::new(&[]).ok("docs --rules");
    assert!(losses.iter().all(|rule| listed.contains(&format!("| `{}` | {} |", rule.id, rule.meaning))));
}

/// Whether a character is a part of an id.
fn is_of_id(letter: char) -> bool {
    letter.is_ascii_lowercase() || letter.is_ascii_digit() || matches!(letter, '-' | '.')
}

#[test]
fn each_place_names_a_rule() {
    let ids: BTreeSet<&str> = rezkit::losses().iter().map(|rule| rule.id).collect();
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for (path, text) in sources() {
        for word in text.split('"') {
            used.extend(ids.get(word).copied());
        }
        for (at, _) in text.match_indices("Loss::") {
            let call = &text[at + "Loss::".len()..];
            let made = ["new(", "warning(", "approximated(", "filled_in(", "missing("];
            let Some(name) = made.iter().find(|name| call.starts_with(**name)) else { continue };
            let is_other = text[..at].ends_with(|letter: char| letter.is_alphanumeric());
            if !is_other && !after_call(&call[name.len()..]).trim_start().starts_with(".id(") {
                wrong.push(format!("{}: {:.60?}: no `.id(…)`", path.display(), call));
            }
        }
        for (at, _) in text.match_indices(".id(\"") {
            let id = text[at + ".id(\"".len()..].split('"').next().unwrap_or_default();
            // Others are parts of a message of a parser.
            if id.contains('.') && id.chars().all(is_of_id) && !ids.contains(id) {
                wrong.push(format!("{}: {id}: no such rule", path.display()));
            }
        }
    }
    let unused: Vec<_> = ids.difference(&used).collect();
    assert!(wrong.is_empty() && unused.is_empty(), "{wrong:#?}\nnot used: {unused:?}");
}

/// A denied loss is an error with the id and the path, and nothing is written; an allowed one is no error.
#[test]
fn a_denied_loss_writes_nothing() {
    let folder = files();
    let all = || {
        let mut all = BTreeMap::new();
        below(&folder.path(""), "", &mut all);
        all
    };
    let before = all();
    for (command, rule, status) in [
        ("convert head.mesh denied.glb", "rbxmesh.facial-animation", 1),
        ("sl many.rbxmx -o denied --no-pictures", "roblox.no-mesh", 1),
        ("extract place.rbxlx -o denied", "rojo.not-extracted", 1),
        ("pack project place.rbxlx", "rojo.not-in-files", 1),
        ("insert bytes.rbxl place.rbxlx Workspace --allow-loss", "xml.text", 1),
        ("edit commented.xml", "llsd.rewritten", 1),
        (
            "merge place.rbxlx place.rbxlx place.rbxlx -o denied.rbxlx --decisions unused.txt",
            "merge.unused-decision",
            1,
        ),
        ("set cottage.rbxm Cottage/Door.CastShadow false", "roblox.filled-value", 1),
        ("tag cottage.rbxm add x Cottage/Door", "roblox.filled-value", 1),
        ("attribute cottage.rbxm set x=1 Cottage/Door", "roblox.filled-value", 1),
        ("add cottage.rbxm Part Cottage", "roblox.filled-value", 1),
        ("copy place.rbxlx Workspace denied.rbxm", "roblox.filled-value", 1),
        ("lods many.rbxmx -o denied.glb", "roblox.no-mesh", 1),
        ("render many.rbxmx -o denied.png --size 48x48", "roblox.no-mesh", 1),
        ("show many.rbxmx --size 32x32", "roblox.no-mesh", 1),
    ] {
        let (name, rest) = command.split_once(' ').expect("a command");
        let script = "move Workspace/Door\n";
        for denied in [rule, rule.split('.').next().expect("an area"), "all"] {
            let ran = folder.piped(&format!("{name} --deny {denied} {rest}"), script);
            assert_eq!(ran.status, Some(status), "{command}: {ran:?}");
            assert!(ran.err.contains("is denied: ") && ran.err.contains(rule), "{command}: {ran:?}");
            assert!(all() == before, "{command} wrote something");
        }
    }
    for (rules, is_refused) in [
        ("--deny all --allow rbxmesh --allow scene", false),
        ("--deny all --allow rbxmesh", true),
        ("--deny rbxmesh --allow rbxmesh.facial-animation --allow rbxmesh.bones", false),
        ("--deny dropped --allow scene.levels", true),
        ("--deny filled-in --deny missing --deny warnings", false),
    ] {
        let ran = folder.run(&format!("convert {rules} --force head.mesh made.glb"));
        assert_eq!(ran.status == Some(1), is_refused, "{rules}: {ran:?}");
    }
}

/// What an upload would violate is denied by the rules of `rezkit check`.
#[test]
fn a_denied_finding_of_an_upload_writes_nothing() {
    let folder = files();
    for (rules, status) in [
        ("--deny warnings", 1),
        ("--deny secondlife-upload.no-thickness", 1),
        ("--deny all --allow scene", 1),
        ("--deny secondlife-upload --allow secondlife-upload.no-thickness", 0),
    ] {
        let ran = folder.run(&format!("sl {rules} thin.obj -o thin --no-pictures"));
        assert_eq!(ran.status, Some(status), "{rules}: {ran:?}");
        assert_eq!(std::path::Path::new(&folder.path("thin")).exists(), status == 0, "{rules}");
        assert_eq!(ran.err.contains("no-thickness is denied"), status == 1, "{rules}: {ran:?}");
    }
}

/// What is an error without `--allow-loss` is none if `--allow` names all of it, and only then.
#[test]
fn an_allowed_loss_needs_no_other_option() {
    let folder = files();
    for (rules, status) in [
        ("", 1),
        ("--allow rbxmesh.version", 0),
        ("--allow rbxmesh.bones", 1),
        ("--allow rbxmesh --deny all", 0),
        ("--allow all", 0),
    ] {
        let ran = folder.run(&format!("convert --to 2.00 {rules} --force head.mesh older.mesh"));
        assert_eq!(ran.status, Some(status), "{rules}: {ran:?}");
    }
    for (rules, status) in [("", 1), ("--allow xml.text", 0), ("--allow llsd", 1)] {
        let ran =
            folder.run(&format!("insert bytes.rbxl place.rbxlx Workspace {rules} -o with.rbxlx --force"));
        assert_eq!(ran.status, Some(status), "{rules}: {ran:?}");
    }
    // A rule of findings is none of losses.
    let ran = folder.run("convert --deny rbxmesh.normals head.mesh denied.glb");
    assert!(ran.status == Some(2) && ran.err.contains("it is a rule of `rezkit check`"), "{ran:?}");
    // A value that is filled in has its place in the sentence.
    let ran = folder.piped("edit --deny filled-in cottage.rbxm", "set Cottage/Door.CastShadow false\n");
    assert!(ran.status == Some(1) && ran.err.contains(".CastShadow = true for "), "{ran:?}");
    // Without an item, there is nothing to fit.
    let ran = folder.run("fit place.rbxlx -o fitted.rbxlx");
    assert!(ran.status == Some(1) && ran.err.contains("found no avatar item"), "{ran:?}");
    assert!(!std::path::Path::new(&folder.path("fitted.rbxlx")).exists());
}
