//! Values whose element contains numbers with a space after each.

use crate::model::{
    Color3, ColorSequence, ColorSequenceKeypoint, NumberRange, NumberSequence, NumberSequenceKeypoint, Value,
};
use crate::wire::cx::{Cx, Read};
use crate::wire::format;
use crate::wire::number;
use crate::wire::out::Out;

/// Reads a value of the given tag, `None` where it is not one of these.
pub(crate) fn read<'s>(cx: &mut Cx<'s>, tag: &[u8]) -> Read<'s, Option<Value>> {
    let read: fn(&[f32]) -> Option<Value> = match tag {
        b"NumberRange" => |numbers| match *numbers {
            [min, max] => Some(NumberRange { min, max }.into()),
            _ => None,
        },
        b"NumberSequence" => |numbers| {
            let (keypoints, []) = numbers.as_chunks() else { return None };
            let keypoint =
                |&[time, value, envelope]: &[f32; 3]| NumberSequenceKeypoint { time, value, envelope };
            Some(NumberSequence { keypoints: keypoints.iter().map(keypoint).collect() }.into())
        },
        b"ColorSequence" => |numbers| {
            let (keypoints, []) = numbers.as_chunks() else { return None };
            let keypoint = |&[time, r, g, b, envelope]: &[f32; 5]| ColorSequenceKeypoint {
                time,
                color: Color3 { r, g, b },
                envelope,
            };
            Some(ColorSequence { keypoints: keypoints.iter().map(keypoint).collect() }.into())
        },
        _ => return Ok(None),
    };
    let value = cx.scanner.text(|scanner, text| {
        // A number takes two bytes of text and four here, first in a list that grows, then in the value.
        scanner.charge(scanner.at(), text.len().saturating_mul(8))?;
        let numbers = text.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty());
        let numbers: Option<Vec<f32>> = numbers.map(number::float).collect();
        let used = numbers.as_ref().map_or(0, |numbers| numbers.len().saturating_mul(4).saturating_add(32));
        scanner.budget.give_back(text.len().saturating_mul(8).saturating_sub(used) as u64);
        Ok(numbers.and_then(|numbers| read(&numbers)))
    })?;
    value.map_or_else(|| cx.malformed(), |value| Ok(Some(value)))
}

/// Writes the content of the element; false where the value is not one of these.
pub(crate) fn write(out: &mut Out<'_>, value: &Value) -> bool {
    let mut numbers = |numbers: &[f32]| {
        for &number in numbers {
            format::short_float(&mut out.bytes, number);
            out.raw(" ");
        }
    };
    match value {
        Value::NumberRange(range) => numbers(&[range.min, range.max]),
        Value::NumberSequence(sequence) => {
            sequence.keypoints.iter().for_each(|k| numbers(&[k.time, k.value, k.envelope]));
        }
        Value::ColorSequence(sequence) => {
            let each = |k: &ColorSequenceKeypoint| [k.time, k.color.r, k.color.g, k.color.b, k.envelope];
            sequence.keypoints.iter().for_each(|k| numbers(&each(k)));
        }
        _ => return false,
    }
    true
}
