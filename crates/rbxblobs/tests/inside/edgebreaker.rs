//! Tests of private items of `src/collision/edgebreaker.rs`, which includes this file as a module.

use super::*;

/// Decodes symbols, given as text, into triangles; `None` if they are invalid.
fn triangles(symbols: &str) -> Option<Vec<[u32; 3]>> {
    let mut bits: Vec<bool> = Vec::new();
    for symbol in symbols.chars() {
        bits.extend(match symbol {
            'C' => &[false][..],
            'S' => &[true, false, false],
            'L' => &[true, false, true],
            'R' => &[true, true, false],
            _ => &[true, true, true],
        });
    }
    let word = |bits: &[bool]| bits.iter().fold(0, |word, &bit| word << 1 | u32::from(bit)).to_le_bytes();
    let words: Vec<[u8; 4]> = bits.chunks(32).map(word).collect();
    let mut symbols = Symbols::new(&words, bits.len() as u64);
    let mut bytes = Bytes::new("test", &[], 1 << 20);
    let (count, triangles) = Decoder::default().hull(&mut bytes, &mut symbols).ok()?;
    assert_eq!(symbols.left(), 0);
    let mut used: Vec<u32> = triangles.as_flattened().to_vec();
    used.sort_unstable();
    used.dedup();
    assert!(used.into_iter().eq(0..u32::try_from(count).expect("few")), "{triangles:?}");
    Some(triangles)
}

/// Decoded by hand: the first triangle is 0, 1, 2, with the gate from 0 to 2. C adds vertex 3 there; the remaining hole
/// is 0, 3, 2, 1 with the gate from 3 to 2. The vertex after 2 is 1, so the hole after L is 1, 0, 3.
#[test]
fn a_tetrahedron() {
    assert_eq!(triangles("CLE"), Some(vec![[0, 1, 2], [3, 0, 2], [1, 3, 2], [0, 3, 1]]));
    // The vertex before 3 is 0, so the hole after R is 0, 2, 1.
    assert_eq!(triangles("CRE"), Some(vec![[0, 1, 2], [3, 0, 2], [0, 3, 2], [1, 0, 2]]));
}

/// Every edge belongs to two triangles, in opposite directions.
#[test]
fn surfaces_are_closed() {
    for symbols in ["CLE", "CCRLE", "CCCRRLE", "CCSEE", "CCCSLEE", "CCCSERE", "CCCCSESEE"] {
        let triangles = triangles(symbols).expect("closed");
        let mut edges: Vec<_> = triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]).collect();
        edges.sort_unstable();
        let mut twins: Vec<_> = edges.iter().map(|&(a, b)| (b, a)).collect();
        twins.sort_unstable();
        assert_eq!(edges, twins, "{symbols}");
    }
}

#[test]
fn what_closes_no_surface() {
    for symbols in ["E", "C", "CE", "LE", "SEE", "CCE", "CLL"] {
        let found = triangles(symbols);
        assert!(found.is_none() || symbols == "E", "{symbols}: {found:?}");
    }
}
