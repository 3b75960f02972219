//! Tests of private items of `src/wire/number.rs`, which includes this file as a module.

use super::*;

#[test]
fn tolerant() {
    for text in ["5", " 5 ", "+5", "5.0", "\n5\t", "0.5e1", "5e0", "5.", "5e+000"] {
        assert_eq!(float(text.as_bytes()), Some(5.0), "{text:?}");
        assert_eq!(double(text.as_bytes()), Some(5.0), "{text:?}");
        assert_eq!(int32(text.as_bytes()), Some(5), "{text:?}");
    }
    for text in ["INF", "inf", "+INF", " Inf ", "infinity", "1.#INF", "1.#INF00", "1#INF"] {
        assert_eq!(float(text.as_bytes()), Some(f32::INFINITY), "{text:?}");
    }
    for text in ["-INF", "-inf", "-1.#INF", "-Infinity"] {
        assert_eq!(double(text.as_bytes()), Some(f64::NEG_INFINITY), "{text:?}");
    }
    for text in ["NAN", "nan", "NaN", "-nan", "nan(ind)", "-nan(ind)", "nan(snan)", "-1.#IND", "1.#QNAN"] {
        assert!(float(text.as_bytes()).is_some_and(f32::is_nan), "{text:?}");
    }
    for text in ["", " ", "x", "5x", "5 5", "--5", "+-5", "0x10", "in", "1.#", "1e", "e5", ".", "nan("] {
        assert_eq!(float(text.as_bytes()), None, "{text:?}");
        assert_eq!(int32(text.as_bytes()), None, "{text:?}");
    }
    assert_eq!(float(b".5"), Some(0.5));
    assert_eq!(float(b"2.98023224e-008"), Some(2.980_232_2e-8));
    assert_eq!(float(b"1e999"), Some(f32::INFINITY));
    assert_eq!(int32(b"4294967295"), Some(-1));
    assert_eq!(int32(b"4294967296"), None);
    assert_eq!(uint32(b"-1"), Some(u32::MAX));
    assert_eq!(int64(b"-9223372036854775808"), Some(i64::MIN));
    assert_eq!(uint64(b"18446744073709551615"), Some(u64::MAX));
    assert_eq!(uint64(b"18446744073709551616"), None);
    assert_eq!(int32(b"0.5"), None);
    assert_eq!([int64(b"1e18"), int64(b"1e20"), int64(b"1e300")], [Some(10_i64.pow(18)), None, None]);
    assert_eq!([boolean(b" fAlSe "), boolean(b"TRUE"), boolean(b"yes")], [Some(false), Some(true), None]);
}
