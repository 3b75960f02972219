//! Tests of private items of `src/consts.rs`, which includes this file as a module.

extern crate std;
use std::vec::Vec;

use super::{KINDS, LENGTH, LITERALS};

/// The table in FORMAT.md lists the codes of this module.
#[test]
fn the_documented_codes() {
    let rows = include_str!("../../FORMAT.md").lines().filter_map(|line| {
        let cells = line.split('|').map(|cell| cell.trim().parse::<u32>().ok()).collect::<Vec<_>>();
        match cells.as_slice() {
            &[None, Some(code), literals, literal_bits, Some(base), Some(bits), None] => {
                Some((code as usize, literals.zip(literal_bits), (base, bits)))
            }
            _ => None,
        }
    });
    let rows: Vec<_> = rows.collect();
    assert_eq!(rows.len(), 53 - 16);
    let code =
        |kind: usize, code: usize| KINDS[kind].codes.get(code).map(|code| (code.base, u32::from(code.bits)));
    for (number, literals, lengths) in rows {
        assert_eq!(code(LITERALS, number), literals, "literals, code {number}");
        assert_eq!(code(LENGTH, number), Some(lengths), "matches, code {number}");
    }
    assert!(
        KINDS
            .map(|kind| (kind.shares.iter().map(|share| share.abs()).sum::<i16>(), kind.log))
            .into_iter()
            .all(|(sum, log)| sum == 1 << log)
    );
}
