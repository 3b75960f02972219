//! The first line: `version X.YY` and the end of the line.

use nom::Parser;
use nom::bytes::complete::take;
use nom::character::complete::line_ending;
use nom::error::context;

use crate::consts::{MAGIC, Version};
use geom::wire::{At, Fail, Parsed, Problem, foreign, magic};

const EXPECTED: &str = "not a Roblox mesh: expected \"version \" at the start";

/// Reads the version, and whether its line ends with CR LF.
pub(crate) fn read(start: &[u8]) -> Parsed<'_, (Version, bool)> {
    let (input, ()) = magic(start, MAGIC, EXPECTED)?;
    let at = input;
    let (input, number) = context("version", take(4_usize)).parse(at)?;
    match number {
        [b'0'..=b'9', b'.', b'0'..=b'9', b'0'..=b'9'] => {}
        // The first line of a Git LFS pointer has an address.
        b"http" => return Err(foreign(start, EXPECTED)),
        _ => {
            let number = String::from_utf8_lossy(number);
            let what = format!("expected a mesh version such as 4.01, found {number:?}");
            return Err(Fail::invalid(at, what)).field("version");
        }
    }
    let Ok((input, end)) = line_ending::<_, Fail<'_>>(input) else {
        let wrong = match input {
            [] | [b'\r'] => Fail::end_of(input),
            _ => Fail::invalid(input, "expected a line break after the version number"),
        };
        return Err(wrong).field("version");
    };
    match Version::from_number(number) {
        Some(version) => Ok((input, (version, end.len() == 2))),
        None => {
            let number = String::from_utf8_lossy(number);
            Err(Fail::unsupported(start, Problem::version("mesh", number, Version::known()))).field("version")
        }
    }
}

pub(crate) fn write(version: Version, crlf: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(version.as_str().as_bytes());
    out.extend_from_slice(if crlf { b"\r\n" } else { b"\n" });
}
