//! Problems as data and as sentences.
#![cfg(feature = "wire")]

use geom::wire::{Error, ErrorKind, Problem, Refuse as _, magic};

#[test]
fn each_has_its_sentence() {
    let sentence = |problem: Problem| problem.to_string();
    assert_eq!(sentence(Problem::length("entries", 3, 4).unwrap_err()), "expected 4 entries, found 3");
    assert_eq!(sentence(Problem::too_many("hulls", 300, 256_u64)), "expected at most 256 hulls, found 300");
    assert_eq!(
        sentence(Problem::Claim { claimed: 9, available: 4 }),
        "the declared count of 9 entries does not fit into the remaining 4 bytes"
    );
    assert_eq!(
        sentence(Problem::reference("vertex", 5_u32, 3)),
        "vertex index 5 is out of range (the list has 3 vertices)"
    );
    assert_eq!(
        sentence(Problem::reference("bone", 1_u32, 1)),
        "bone index 1 is out of range (the list has 1 bone)"
    );
    assert_eq!(
        sentence(Problem::version("mesh", "8.00", "1.00 to 7.00")),
        "mesh version 8.00 (known versions: 1.00 to 7.00)"
    );
    assert_eq!(sentence(Problem::Checksum { of: "zlib" }), "wrong zlib checksum");
    assert_eq!(sentence(Problem::Utf8), "bytes that are not UTF-8");
    assert_eq!(sentence("odd".into()), "odd");
}

#[test]
fn counts_fit_or_are_refused_with_their_path() {
    assert_eq!(Problem::fit("entries", 255, u8::MAX), Ok(255));
    let many = Problem::TooMany { of: "entries", most: 255, found: 256 };
    assert_eq!(Problem::fit("entries", 256, u8::MAX), Err(many.clone()));
    assert_eq!(
        Problem::fit("bytes", 1 << 31, i32::MAX),
        Err(Problem::TooMany { of: "bytes", most: 0x7fff_ffff, found: 1 << 31 })
    );
    let error: Error = Err::<(), _>(many.clone()).unwritable("bones").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unwritable(what) if *what == many) && error.path() == "bones");
    let error = Err::<(), _>(many.clone()).argument("joints").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidArgument(what) if *what == many));
}

#[test]
fn other_formats_are_named() {
    let found = |bytes: &'static [u8]| match magic(bytes, b"3DMO", "not a model").unwrap_err() {
        nom::Err::Error(fail) => match fail.kind() {
            ErrorKind::Invalid(Problem::Magic { expected: "not a model", found }) => *found,
            kind => panic!("{kind}"),
        },
        other => panic!("{other:?}"),
    };
    assert_eq!(found(b"glTF\x02"), Some("a binary glTF file"));
    assert_eq!(found(b"????"), None);
}

/// A count of 1 has a singular noun.
#[test]
fn counts_have_the_number_of_the_noun() {
    use geom::wire::Counted;
    for (plural, singular) in [
        ("bones", "bone"),
        ("vertices", "vertex"),
        ("entries", "entry"),
        ("meshes", "mesh"),
        ("classes", "class"),
        ("matches", "match"),
        ("boxes", "box"),
        ("poses of facial animation", "pose of facial animation"),
        ("vertices that no face uses", "vertex that no face uses"),
        ("inverse bind matrices", "inverse bind matrix"),
        ("colours other than white", "colour other than white"),
    ] {
        assert_eq!(Counted(1, plural).to_string(), format!("1 {singular}"));
        assert_eq!(Counted::new(0, plural).to_string(), format!("0 {plural}"));
    }
    assert_eq!(Problem::too_many("parts", 2, 1_u64).to_string(), "expected at most 1 part, found 2");
}
