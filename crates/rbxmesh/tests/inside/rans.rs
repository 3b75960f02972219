//! Tests of `draco::rans`.

use crate::wire::draco::rans::{Frequencies, Table};
use geom::wire::Budget;

#[test]
fn frequencies_take_as_few_bytes_as_they_can() {
    let write = |counts: &[u32]| {
        let mut out = Vec::new();
        Frequencies::new(counts, None).write(&mut out);
        out
    };
    // 4,096 slots. The lowest two bits are the number of bytes that follow: 4,033 * 4 is 0x3f04, and 63 * 4 is 0xfc.
    assert_eq!(write(&[4033, 63]), [2, 0x05, 0x3f, 0xfc]);
    assert_eq!(write(&[4032, 64]), [2, 0x01, 0x3f, 0x01, 0x01]);
    // One symbol with all slots (4,096 * 4 is 0x4000), and two symbols that do not occur.
    assert_eq!(write(&[0, 0, 9]), [3, 0x07, 0x01, 0x40]);
}

#[test]
fn a_table_ends_with_its_last_symbol() {
    let read = |bytes: &'static [u8]| Table::read(bytes, 1, &mut Budget::new(1 << 20)).ok();
    // Symbol 0 has all slots; 1 and 2 have none.
    let (rest, table) = read(&[3, 0x02, 0x40, 0, 0x07, 9]).expect("a table");
    assert_eq!((rest, table.largest(), table.only()), (&[9][..], 0, Some(0)));
    // A frequency of 0 means that the symbol does not occur.
    let (rest, table) = read(&[3, 0, 0x02, 0x40, 0, 0, 9]).expect("a table");
    assert_eq!((rest, table.largest(), table.only()), (&[9][..], 1, Some(1)));
    assert!(read(&[2, 0x02, 0x40, 0, 0x04]).is_none() && read(&[1, 0x04]).is_none());
}

#[test]
fn states_take_as_few_bytes_as_they_can() {
    let encode = |counts: &[u32], symbol: u32| {
        let mut out = Vec::new();
        Frequencies::new(counts, None).encode([symbol].into_iter(), &mut out);
        out
    };
    // The initial state is 4 * 4,096. A symbol divides it by its frequency: the quotient times 4,096, the remainder and
    // the first slot of the symbol are added. This gives 4 * 4,096 + 4 + 0, 4 * 4,096 + 4 + 1, 5 * 4,096 + 1,384 +
    // 1,096, and 8 * 4,096.
    assert_eq!(encode(&[4095, 1], 0), [1, 4]);
    assert_eq!(encode(&[1, 4095], 1), [1, 5]);
    assert_eq!(encode(&[1096, 3000], 1), [2, 0xb0, 0x40 | 0x19]);
    assert_eq!(encode(&[1, 1], 0), [3, 0, 0x40, 0x80]);
}
