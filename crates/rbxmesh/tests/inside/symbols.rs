//! Tests of `draco::symbols`.

use crate::wire::draco::symbols::*;
use geom::wire::Budget;

fn trip(values: &[u32], width: usize) -> Vec<u8> {
    let mut out = Vec::new();
    write(values, width, &mut out);
    let mut read_back = vec![0; values.len()];
    let bytes = [&out[..], &[9]].concat();
    let (rest, largest) = read(&bytes, &mut read_back, width, &mut Budget::new(1 << 20)).unwrap();
    assert_eq!(rest, [9]);
    assert_eq!(read_back, values);
    assert!(values.iter().all(|&value| value <= largest));
    out
}

#[test]
fn symbols_come_back_in_either_scheme() {
    assert!(trip(&[], 3).is_empty());
    // A single symbol: a table with only that symbol, which has all 4,096 slots, and the initial state 0 in one byte.
    assert_eq!(trip(&[0; 9], 3), [RAW, 1, 1, 0x01, 0x40, 1, 0]);
    assert_eq!(trip(&[7, 7], 1)[0], RAW);
    let mut rng = 1_u32;
    let mut next = |bits: u32| {
        rng = rng.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if bits == 0 { 0 } else { rng >> (32 - bits) }
    };
    for bits in 0..=32 {
        for len in [1, 2, 3, 30, 3000] {
            let values: Vec<u32> = (0..len * 3).map(|_| next(bits)).collect();
            trip(&values, 3);
            let skewed: Vec<u32> = (0..len * 4)
                .map(|_| {
                    let bits = next(bits.min(5));
                    next(bits)
                })
                .collect();
            trip(&skewed, 4);
            trip(&skewed, 1);
        }
    }
    assert_eq!(trip(&[u32::MAX, 0, 1], 3)[0], TAGGED);
    // Symbols that are rarer than one slot, next to one that has nearly all slots.
    let mut rare = vec![5; 300_000];
    rare.extend(0..60_000);
    assert_eq!(trip(&rare, 1)[0], RAW);
}
