//! The error type of the parsers.
#![cfg(feature = "wire")]

use nom::error::{ContextError as _, ErrorKind as Nom, ParseError as _};

use geom::wire::ErrorKind;
use geom::wire::*;

fn shown<'a, T: std::fmt::Debug>(whole: &'a [u8], parsed: Parsed<'a, T>) -> String {
    finish(whole, parsed).expect_err("an error").to_string()
}

#[test]
fn how_a_file_begins() {
    let whole = b"abcd";
    assert_eq!(finish(whole, magic(whole, b"abc", "no letters")).expect("letters").0, b"d");
    for (input, expected) in [
        (&b"ab"[..], "unexpected end of input at offset 0x2"),
        (b"", "the input is empty at offset 0x0"),
        (b"abd", "no letters at offset 0x0"),
        (b"PK\x03\x04", "no letters; found a ZIP archive (extract it first) at offset 0x0"),
    ] {
        assert_eq!(shown(input, magic(input, b"abc", "no letters")), expected);
    }
}

#[test]
fn where_an_error_is() {
    let whole = b"a\nbc";
    let fail = || -> Parsed<'_, ()> { Err(Fail::invalid(&whole[3..], "no letter")) };
    let path =
        |parsed: Parsed<'static, ()>| parsed.field("parent").index(1).field("bones").named(|| "x".into());
    assert_eq!(shown(whole, fail()), "no letter at offset 0x3");
    assert_eq!(shown(whole, path(fail())), "no letter in x.bones[1].parent at offset 0x3");
    let text = finish_text(whole, fail()).expect_err("an error").to_string();
    assert_eq!(text, "no letter at line 2, column 2");
    assert_eq!(shown::<()>(whole, Err(Fail::end_of(&whole[1..]))), "unexpected end of input at offset 0x4");
    assert_eq!(shown::<()>(whole, Err(Fail::unsupported(whole, "x"))), "unsupported x at offset 0x0");
    let incomplete = Err(nom::Err::Incomplete(nom::Needed::Unknown));
    assert_eq!(shown::<()>(whole, incomplete), "unexpected end of input at offset 0x4");
    let limit = || ErrorKind::Limit(Limit::new("x", 1));
    assert!(matches!(Fail::new(whole, limit()), nom::Err::Failure(_)));
    assert!(shown::<()>(whole, Err(limit()).here(&whole[2..])).ends_with("at offset 0x2"));
}

#[test]
fn errors_of_nom() {
    let fail = |at: &'static [u8], kind| Fail::from_error_kind(at, kind);
    for (at, kind, expected) in [
        (&b""[..], Nom::Tag, "unexpected end of input"),
        (b"a", Nom::Eof, "unexpected end of input"),
        (b"a", Nom::Complete, "unexpected end of input"),
        (b"a", Nom::Tag, "unexpected bytes"),
    ] {
        assert_eq!(fail(at, kind).kind().to_string(), expected);
    }
    let whole = b"ab";
    let inner = Fail::add_context(whole, "field", Fail::append(whole, Nom::Tag, fail(&whole[2..], Nom::Tag)));
    let text = "unexpected end of input in field at offset 0x2";
    assert_eq!(shown::<()>(whole, Err(nom::Err::Error(inner))), text);
}

#[test]
fn parts_of_the_input() {
    assert_eq!((taken(b"abc", b"c"), after(b"abc", 1)), (&b"ab"[..], &b"bc"[..]));
}
