//! Names of files.
#![cfg(feature = "files")]

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;

use geom::files::{Files, Names};

#[test]
fn names_lead_nowhere_else() {
    for (name, safe) in [
        ("Door", "Door"),
        ("..", "_.._"),
        (".", "_._"),
        (".bashrc", "_.bashrc"),
        ("", "_"),
        ("../../etc/passwd", "_.._.._etc_passwd"),
        ("/etc/passwd", "_etc_passwd"),
        ("\\\\server\\share", "__server_share"),
        ("a\0b\n", "a_b_"),
        ("C:\\x", "C__x"),
        ("a.txt:stream", "a.txt_stream"),
        ("COM1", "_COM1"),
        ("COM\u{b9}", "_COM\u{b9}"),
        ("nul.txt", "_nul.txt"),
        ("aux .txt", "_aux .txt"),
        ("x. ", "x. _"),
    ] {
        assert_eq!(Names::default().unique(name), safe);
    }
    assert_eq!(Names::default().unique(&"ä".repeat(300)).len(), 200);
}

#[test]
fn no_two_files_have_one_path_on_any_system() {
    let mut files = Files::default();
    let paths: [&[&str]; 9] = [
        &["a"],
        &["A"],
        &["a", "b.lua"],
        &["A (3)", "B.lua"],
        &["\u{e9}"],
        &["e\u{301}"],
        &["f", "x"],
        &["F"],
        &["../up", "..", "x"],
    ];
    paths.iter().for_each(|path| files.add(path, Vec::new()));
    let paths: Vec<_> = files.into_vec().into_iter().map(|file| file.path().to_owned()).collect();
    let wanted = [
        "a",
        "A (2)",
        "a (3)/b.lua",
        "a (3)/B (2).lua",
        "\u{e9}",
        "e\u{301} (2)",
        "f/x",
        "F (2)",
        "_.._up/_.._/x",
    ];
    assert_eq!(paths, wanted);
}

/// Pairs of names that APFS, NTFS or Linux treats as the same.
#[test]
fn names_are_equal_without_case_and_ignorable_characters() {
    let pairs = [
        ("stra\u{df}e", "STRASSE"),
        ("\u{1e9e}", "\u{df}"),
        ("\u{fb01}le", "FILE"),
        ("\u{17f}", "S"),
        ("\u{3c2}", "\u{3a3}"),
        ("\u{212a}", "k"),
        ("\u{390}", "\u{1fd3}"),
        ("\u{1fb3}", "\u{391}\u{399}"),
        ("\u{13a0}", "\u{ab70}"),
        ("a\u{200d}b", "ab"),
    ];
    for (a, b) in pairs {
        assert_eq!(Names::key(a), Names::key(b), "{a:?} {b:?}");
    }
    assert_ne!(Names::key("\u{e9}"), Names::key("e"));
}

/// Every existing character, with combining marks in the wrong order.
#[test]
fn names_are_normalised_as_unicode_says() {
    let nfd = |name: &str| UnicodeNormalization::nfd(name).collect::<String>();
    // No later character can be decomposed, or is a combining mark.
    for char in '\0'..='\u{2ffff}' {
        let name = format!("a\u{301}\u{323}{char}\u{301}\u{323}\u{5b0}b");
        assert_eq!(Names::key(&name), Names::key(&nfd(&name)));
    }
    let ascii: String = (0..128_u8).map(char::from).collect();
    assert_eq!(Names::key(&ascii), nfd(&ascii).to_lowercase());
}

/// Many equal names take as long as different ones.
#[test]
fn equal_names_are_counted() {
    let mut names = Names::default();
    let all: HashSet<String> = (0..100_000).map(|_| names.unique("Script")).collect();
    assert!(all.len() == 100_000 && all.contains("Script (100000)"));
}
