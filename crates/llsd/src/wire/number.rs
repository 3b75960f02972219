//! Numbers as text.

/// A real as notation and XML have it: a sign, digits with a point anywhere or nowhere, an exponent;
/// or `nan`, `inf` in any case. All of the text.
pub(crate) fn real(text: &[u8]) -> Option<f64> {
    let (negative, word) = match text {
        [b'-', word @ ..] => (true, word),
        [b'+', word @ ..] => (false, word),
        word => (false, word),
    };
    let value = if word.eq_ignore_ascii_case(b"nan") {
        f64::NAN
    } else if word.eq_ignore_ascii_case(b"inf") || word.eq_ignore_ascii_case(b"infinity") {
        f64::INFINITY
    } else {
        return decimal(text);
    };
    Some(if negative { -value } else { value })
}

/// A number with nothing but white space before it.
pub(crate) fn finite(text: &[u8]) -> Option<f64> {
    decimal(text.trim_ascii_start())
}

fn decimal(text: &[u8]) -> Option<f64> {
    let text = text.strip_prefix(b"+").unwrap_or(text);
    // What fast_float takes besides are words and a second sign.
    let first = text.strip_prefix(b"-").unwrap_or(text).first()?;
    (first.is_ascii_digit() || *first == b'.').then(|| fast_float2::parse(text).ok())?
}

/// As C's `%lg` prints it: six digits, with an exponent where it is below -4 or above 5.
pub(crate) fn six_digits(value: f64) -> String {
    if value.is_nan() {
        return if value.is_sign_negative() { "-nan" } else { "nan" }.into();
    }
    let scientific = format!("{value:.5e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let short = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    match exponent {
        -4..=5 => {
            let places = usize::try_from(5_i32.saturating_sub(exponent)).unwrap_or(0);
            short(&format!("{value:.places$}"))
        }
        _ => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{}e{sign}{:02}", short(digits), exponent.unsigned_abs())
        }
    }
}
