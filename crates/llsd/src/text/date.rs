//! Dates as text: ISO 8601, `YYYY-MM-DDTHH:MM:SS`, an optional fraction, then `Z` or an offset.
//!
//! A date is a 64-bit floating-point number of seconds. It is written with the fraction of the shortest decimal of
//! that number, and read as a decimal, so that the same bits are read back. Years below 0 or above 9999 have a sign
//! and at least five digits, as in the standard's extended form. Negative zero has the offset `-00:00`. NaN,
//! infinities and numbers whose days do not fit 64 bits have no text.

use nom::Parser;
use nom::bytes::complete::{take_while, take_while_m_n, take_while1};
use nom::character::complete::{char, one_of};
use nom::combinator::{all_consuming, opt};
use nom::error::Error;
use nom::sequence::preceded;

const DAY: i64 = 86_400;
/// The limit of seconds, so that the arithmetic of days cannot overflow.
const FAR: f64 = 4.0e18;
/// What errors expect in the place of a malformed date.
pub(crate) const FORM: &str = "a valid date such as 2006-02-01T14:29:53Z";

type Piece<'a, T> = nom::IResult<&'a [u8], T, Error<&'a [u8]>>;

/// The fields of a date as they are in the text.
struct Fields<'a> {
    year: i64,
    /// Month, day, hour, minute, second.
    rest: [i64; 5],
    fraction: &'a [u8],
    /// Whether the offset has a minus, and its minutes.
    offset: (bool, i64),
}

/// The seconds of a date. With `strict`, the fields must be those of the calendar; otherwise a day 31 in any month or
/// a second 99 carries over into the next month or minute, as in the viewer.
pub(crate) fn parse(text: &[u8], strict: bool) -> Option<f64> {
    let (_, fields) = all_consuming(fields).parse(text).ok()?;
    let Fields { year, rest: [month, day, hour, minute, second], fraction, offset: (minus, offset) } = fields;
    let longest = if strict { month_days(year, month)? } else { 31 };
    let within = (1..=12).contains(&month)
        && (1..=longest).contains(&day)
        && (!strict || (hour <= 23 && minute <= 59 && second <= 60 && offset < DAY / 60));
    if !within {
        return None;
    }
    let days = days(year, month, day)?;
    let clock = hour.checked_mul(3600)?.checked_add(minute.checked_mul(60)?)?.checked_add(second)?;
    let local = days.checked_mul(DAY)?.checked_add(clock)?;
    let shift = offset.checked_mul(60)?;
    let secs = if minus { local.checked_add(shift)? } else { local.checked_sub(shift)? };
    let fraction = fraction.trim_ascii_end();
    if fraction.iter().all(|&digit| digit == b'0') {
        #[allow(clippy::cast_precision_loss, reason = "the nearest is what is wanted")]
        let whole = secs as f64;
        return Some(if secs == 0 && minus && offset == 0 { -0.0 } else { whole });
    }
    decimal(secs, fraction)
}

/// The number nearest to seconds and the digits of a fraction, which are parsed as one decimal.
fn decimal(secs: i64, fraction: &[u8]) -> Option<f64> {
    let mut text = Vec::with_capacity(fraction.len().saturating_add(24));
    if secs >= 0 {
        text.extend_from_slice(secs.to_string().as_bytes());
        text.push(b'.');
        text.extend_from_slice(fraction);
    } else {
        // -2 and 0.46 are -1.54.
        text.push(b'-');
        text.extend_from_slice(secs.checked_add(1)?.unsigned_abs().to_string().as_bytes());
        text.push(b'.');
        text.extend(complement(fraction));
    }
    fast_float2::parse(&text).ok()
}

/// The digits of 1 minus a fraction that is not 0.
fn complement(fraction: &[u8]) -> Vec<u8> {
    let end = fraction.iter().rposition(|&digit| digit != b'0').unwrap_or(0);
    let turn = |(at, &digit): (usize, &u8)| {
        let digit = digit.wrapping_sub(b'0');
        let nine = if at < end { 9_u8 } else { 10 };
        nine.wrapping_sub(digit).wrapping_add(b'0')
    };
    fraction.iter().take(end.saturating_add(1)).enumerate().map(turn).collect()
}

fn fields(input: &[u8]) -> Piece<'_, Fields<'_>> {
    let (input, year) = year(input)?;
    let (input, month) = preceded(char('-'), two).parse(input)?;
    let (input, day) = preceded(char('-'), two).parse(input)?;
    let (input, hour) = preceded(char('T'), two).parse(input)?;
    let (input, minute) = preceded(char(':'), two).parse(input)?;
    let (input, second) = preceded(char(':'), two).parse(input)?;
    let digits = take_while(|byte: u8| byte.is_ascii_digit());
    let (input, fraction) = opt(preceded(char('.'), digits)).parse(input)?;
    let (input, offset) = match input.split_first() {
        Some((b'Z', input)) => (input, (false, 0)),
        _ => offset(input)?,
    };
    let rest = [month, day, hour, minute, second];
    Ok((input, Fields { year, rest, fraction: fraction.unwrap_or_default(), offset }))
}

/// Reads a year: four digits, or after a sign any number of digits.
fn year(input: &[u8]) -> Piece<'_, i64> {
    let digit = |byte: u8| byte.is_ascii_digit();
    let (input, sign) = opt(one_of("+-")).parse(input)?;
    let (input, digits) = match sign {
        None => take_while_m_n(4, 4, digit).parse(input)?,
        Some(_) => take_while1(digit).parse(input)?,
    };
    let number = digits
        .iter()
        .try_fold(0_i64, |sum, digit| sum.checked_mul(10)?.checked_add(i64::from(digit.wrapping_sub(b'0'))));
    match number {
        Some(number) if sign == Some('-') => Ok((input, number.saturating_neg())),
        Some(number) => Ok((input, number)),
        None => Err(nom::Err::Error(Error::new(input, nom::error::ErrorKind::Digit))),
    }
}

fn two(input: &[u8]) -> Piece<'_, i64> {
    let (input, digits) = take_while_m_n(2, 2, |byte: u8| byte.is_ascii_digit()).parse(input)?;
    Ok((
        input,
        digits.iter().fold(0, |sum: i64, &digit| {
            sum.saturating_mul(10).saturating_add(digit.wrapping_sub(b'0').into())
        }),
    ))
}

/// Reads an offset such as `+01:00`, `-0130` or `+01`: whether it is negative, and its minutes.
fn offset(input: &[u8]) -> Piece<'_, (bool, i64)> {
    let (input, sign) = one_of("+-").parse(input)?;
    let (input, hours) = two(input)?;
    let (input, minutes) = opt(preceded(opt(char(':')), two)).parse(input)?;
    let minutes = hours.saturating_mul(60).saturating_add(minutes.unwrap_or(0));
    Ok((input, (sign == '-', minutes)))
}

/// The days from the start of 1970 to a day of the Gregorian calendar, which is extended backwards.
/// Years begin in March here, so that the leap day is the last day of a year.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let (year, month) =
        if month > 2 { (year, month.checked_sub(3)?) } else { (year.checked_sub(1)?, month.checked_add(9)?) };
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let in_year = month.checked_mul(153)?.checked_add(2)?.checked_div(5)?.checked_add(day)?.checked_sub(1)?;
    let in_era =
        year.checked_mul(365)?.checked_add(year.checked_div(4)?)?.checked_sub(year.checked_div(100)?)?;
    era.checked_mul(146_097)?.checked_add(in_era)?.checked_add(in_year)?.checked_sub(719_468)
}

/// The year, month and day of a number of days since the start of 1970.
fn civil(days: i64) -> Option<(i64, i64, i64)> {
    let days = days.checked_add(719_468)?;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    // The year of the era, computed after the leap days are subtracted.
    let leaps = day
        .checked_div(1460)?
        .checked_sub(day.checked_div(36_524)?)?
        .checked_add(day.checked_div(146_096)?)?;
    let year = day.checked_sub(leaps)?.checked_div(365)?;
    let before =
        year.checked_mul(365)?.checked_add(year.checked_div(4)?)?.checked_sub(year.checked_div(100)?)?;
    let in_year = day.checked_sub(before)?;
    let month = in_year.checked_mul(5)?.checked_add(2)?.checked_div(153)?;
    let day = in_year.checked_sub(month.checked_mul(153)?.checked_add(2)?.checked_div(5)?)?.checked_add(1)?;
    let year = era.checked_mul(400)?.checked_add(year)?;
    Some(if month < 10 {
        (year, month.checked_add(3)?, day)
    } else {
        (year.checked_add(1)?, month.checked_sub(9)?, day)
    })
}

fn month_days(year: i64, month: i64) -> Option<i64> {
    let leap = year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0);
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
        4 | 6 | 9 | 11 => Some(30),
        2 => Some(if leap { 29 } else { 28 }),
        _ => None,
    }
}

/// Writes a date; returns false and writes nothing if it has no text.
pub(crate) fn write(secs: f64, out: &mut Vec<u8>) -> bool {
    use std::io::Write as _;

    if secs.is_nan() || secs.abs() >= FAR {
        return false;
    }
    #[allow(clippy::cast_possible_truncation, reason = "below FAR")]
    let whole = secs.floor() as i64;
    let Some((year, month, day)) = civil(whole.div_euclid(DAY)) else { return false };
    let clock = whole.rem_euclid(DAY);
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    // Writing to a vector cannot fail.
    let _infallible = match year {
        0..=9999 => write!(out, "{year:04}"),
        _ => write!(out, "{year:+06}"),
    };
    let _infallible = write!(out, "-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    // Takes the fraction of the shortest decimal; that of a negative number is subtracted from 1.
    let text = format!("{}", secs.abs());
    if let Some((_, fraction)) = text.split_once('.') {
        out.push(b'.');
        match secs < 0.0 {
            true => out.extend(complement(fraction.as_bytes())),
            false => out.extend_from_slice(fraction.as_bytes()),
        }
    }
    let zero = secs == 0.0 && secs.is_sign_negative();
    out.extend_from_slice(if zero { b"-00:00" } else { b"Z" });
    true
}
