//! Tests of `draco::attribute`.

use crate::wire::draco::attribute::{
    Attribute, F32, GENERIC, INTEGER, QUANTIZED, U8, Values, Wrap, read_values,
};
use geom::wire::Budget;

fn read(data: u8, coding: u8, bytes: &[u8]) -> Option<Vec<u32>> {
    let mut attribute = Attribute { kind: GENERIC, data, width: 1, normalized: 0, id: 0, coding: 0 };
    attribute.read_coding(&[coding]).ok()?;
    let mut budget = Budget::new(1 << 20);
    match read_values(bytes, &attribute, 2, &mut Vec::new(), &mut budget).ok()?.1 {
        Values::Integers(values) => Some(values),
        Values::Plain(_) => None,
    }
}

#[test]
fn integers_are_of_integers_and_steps_of_floats() {
    // No prediction, uncompressed, one byte each: the symbols 4 and 3 are 2 and -2.
    let bytes = [254, 0, 1, 4, 3];
    let values = Some(vec![2, (-2_i32).cast_unsigned()]);
    assert_eq!(read(U8, INTEGER, &bytes), values);
    assert_eq!(read(F32, QUANTIZED, &bytes), values);
    assert_eq!((read(F32, INTEGER, &bytes), read(U8, QUANTIZED, &bytes)), (None, None));
}

/// Differences out of range, which no encoder writes, are added like others: the previous value is clamped to the
/// range, and the sum wraps around once.
#[test]
fn differences_outside_of_the_range() {
    // -5 and 0, in the range of 0 to 1.
    let bytes = [&[0, 1, 0, 1, 9, 0][..], &0_i32.to_le_bytes(), &1_i32.to_le_bytes()].concat();
    assert_eq!(read(U8, INTEGER, &bytes), Some(vec![(-3_i32).cast_unsigned(), 0]));
}

/// With eight values, differences are -4 to 3, since a greater one is shorter in the other direction.
#[test]
fn differences_are_wrapped_around() {
    let wrap = Wrap::new(-3, 4).expect("a range");
    let symbols = [0, 3, 4, -3, -4].map(|difference: i32| wrap.symbol(0, difference));
    assert_eq!(symbols, [0, 6, 7, 5, 7]);
    for (least, greatest) in [(-3, 4), (0, 0), (5, 9), (-9, -2), (0, 1)] {
        let wrap = Wrap::new(least, greatest).expect("a range");
        let most = (greatest - least).unsigned_abs() * 2;
        for before in least..=greatest {
            for value in least..=greatest {
                let symbol = wrap.symbol(before, value);
                assert!(symbol <= most.div_ceil(2), "{least} {greatest} {before} {value}");
                assert_eq!(wrap.undo_one(before, symbol), value);
            }
        }
        // All implementations give the same values, for any symbols in the range.
        let symbols: Vec<u32> = (0..=most).chain((0..=most).rev()).cycle().take(48).collect();
        assert!(wrap.spans(&symbols, u32::MAX) && wrap.spans(&[most + 1], most));
        assert!(!wrap.spans(&[0, most + 1], u32::MAX));
        for width in 1..=4 {
            let [mut any, mut quick] = [(); 2].map(|()| symbols.clone());
            wrap.undo_any(&mut any, width);
            match width {
                1 => wrap.undo::<1>(&mut quick),
                2 => wrap.undo::<2>(&mut quick),
                3 => wrap.undo::<3>(&mut quick),
                _ => wrap.undo::<4>(&mut quick),
            }
            assert_eq!(any, quick, "{least} {greatest} {width}");
        }
    }
}
