//! Tests of private items of `src/wire/format.rs`, which includes this file as a module.

use super::*;

fn text(write: impl Fn(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).unwrap()
}

/// The output of C's `printf`, partly from real files.
#[test]
fn as_c_prints() {
    let known = [
        (0.1_f32, "0.100000001"),
        (-0.0, "-0"),
        (2.980_232_2e-8, "2.98023224e-08"),
        (1e9, "1e+09"),
        (123_456_790.0, "123456792"),
        (1e-4, "9.99999975e-05"),
        (1e-5, "9.99999975e-06"),
        (0.5, "0.5"),
        (15.5, "15.5"),
        (0.411_764_74, "0.411764741"),
        (f32::MAX, "3.40282347e+38"),
        (f32::MIN_POSITIVE, "1.17549435e-38"),
        (f32::from_bits(1), "1.40129846e-45"),
        (f32::INFINITY, "INF"),
        (f32::NEG_INFINITY, "-INF"),
        (f32::NAN, "NAN"),
        (16_777_216.0, "16777216"),
        (1e6, "1000000"),
        (0.000_122_070_31, "0.000122070312"),
    ];
    for (value, wanted) in known {
        assert_eq!(text(|out| float(out, value)), wanted);
    }
    assert_eq!(text(|out| short_float(out, 0.376_471)), "0.376471");
    assert_eq!(text(|out| short_float(out, 0.376_470_6)), "0.376470596");
    assert_eq!(text(|out| short_float(out, 1e6)), "1e+06");
    assert_eq!(text(|out| short_float(out, 1_234_567.0)), "1234567");
    assert_eq!(text(|out| double(out, 28.400_001_481_175_423)), "28.400001481175423");
    assert_eq!(text(|out| double(out, 0.1)), "0.10000000000000001");
    assert_eq!(text(|out| double(out, 1e300)), "1.0000000000000001e+300");
    assert_eq!(text(|out| double(out, -2.5)), "-2.5");
    assert_eq!(text(|out| signed(out, i64::MIN)), "-9223372036854775808");
    assert_eq!(text(|out| unsigned(out, 4_294_967_295)), "4294967295");
    assert_eq!(text(|out| unsigned(out, 105)), "105");
}

/// Decimal digits of floats, computed by hand as sums of powers of two and rounded half to even: integers and fractions
/// with more and with fewer digits than requested.
#[test]
fn digits_by_hand() {
    for (value, digits, wanted) in [
        (0.1, 9, (100_000_001, -1)),
        (1_234.567_7, 9, (123_456_775, 3)),
        (16_777_218.0, 9, (167_772_180, 7)),
        (123_456_792.0, 9, (123_456_792, 8)),
        (12_345_678_848.0, 9, (123_456_788, 10)),
        (280_000_007_766_016.0, 9, (280_000_008, 14)),
        (281_474_959_933_440.0, 9, (281_474_960, 14)),
        (140_737_488_355_328.0, 6, (140_737, 14)),
        (1_234_567.5, 6, (123_457, 6)),
        (100_000.5, 6, (100_000, 5)),
        (100_001.5, 6, (100_002, 5)),
        (999_999.5, 6, (100_000, 6)),
        (9_999_999.0, 6, (100_000, 7)),
        (0.999_999_94, 6, (100_000, 0)),
        (8_388_609.0, 9, (838_860_900, 6)),
        (9.5, 9, (950_000_000, 0)),
        (0.000_122_070_31, 9, (122_070_312, -4)),
        (3e-20, 9, (299_999_990, -20)),
        // 2^-77: multiplied by 10^29, the greatest power in the table, it has six digits.
        (6.617_445e-24, 6, (661_744, -24)),
    ] {
        assert_eq!(exact(value, digits), Some(wanted), "{value} {digits}");
    }
    assert_eq!([exact(6.617_445e-24, 9), exact(1e30, 9), exact(f32::from_bits(1), 9)], [None; 3]);
    assert_eq!(text(|out| float(out, 1e10)), "1e+10");
    assert_eq!(text(|out| float(out, 1e-10)), "1.00000001e-10");
}

/// The fast path and the standard library's exact digits are equal.
#[test]
fn exact_digits_are_exact() {
    let mut seed = 1_u32;
    for turn in 0..400_000_u32 {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let bits = if turn % 2 == 0 { seed } else { 0x3000_0000 | seed >> 3 };
        let value = f32::from_bits(bits).abs();
        if !value.is_finite() {
            continue;
        }
        for digits in [6, 9] {
            let mut long = Vec::new();
            slow(&mut long, f64::from(value), digits);
            if value != 0.0 {
                let fast = text(|out| float_g(out, value, digits));
                assert_eq!(fast.as_bytes(), long, "{value:e}");
            }
        }
    }
}
