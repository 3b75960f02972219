//! Tests of `draco::faces`.

use crate::wire::draco::faces::read;
use geom::wire::Budget;

#[test]
fn indices_are_as_wide_as_the_points_ask_for() {
    for (points, face) in [
        (&[0xff, 1][..], &[1, 2, 3][..]),
        (&[0x80, 2], &[1, 0, 2, 0, 3, 0]),
        (&[0xff, 0xff, 3], &[1, 0, 2, 0, 3, 0]),
        (&[0x80, 0x80, 4], &[1, 2, 3]),
        (&[0xff, 0xff, 0x7f], &[0x81, 0, 2, 3]),
        (&[0x80, 0x80, 0x80, 1], &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]),
    ] {
        let bytes = [&[1], points, &[1], face].concat();
        let (rest, faces) = read(&bytes, &mut Budget::new(1000)).expect("a face");
        assert_eq!((rest, &faces.faces[..]), (&[][..], &[[1, 2, 3]][..]), "{points:?}");
    }
}
