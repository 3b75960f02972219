//! Values whose element holds numbers with a space behind each.

use crate::model::{
    Color3, ColorSequence, ColorSequenceKeypoint, NumberRange, NumberSequence, NumberSequenceKeypoint, Value,
};
use crate::wire::cx::{Cx, Read};
use crate::wire::format;
use crate::wire::number;
use crate::wire::out::Out;
use crate::wire::xml::Element;

/// Reads a value of the given tag, `None` where it is not one of these.
pub(crate) fn read<'s>(cx: &mut Cx<'s>, tag: &str, element: Element<'_, '_>) -> Read<'s, Option<Value>> {
    if !matches!(tag, "NumberSequence" | "ColorSequence" | "NumberRange") {
        return Ok(None);
    }
    let text = cx.text(element)?;
    cx.charge(element, text.len().saturating_mul(2))?;
    let numbers = text.split_ascii_whitespace().map(|token| number::float(token.as_bytes()));
    let Some(numbers) = numbers.collect::<Option<Vec<f32>>>() else {
        return Err(cx.invalid(element, "expected numbers with spaces between them"));
    };
    let wrong = |what| Err(cx.invalid(element, what));
    Ok(Some(match tag {
        "NumberRange" => match *numbers {
            [min, max] => NumberRange { min, max }.into(),
            _ => return wrong("expected two numbers"),
        },
        "NumberSequence" => {
            let (keypoints, []) = numbers.as_chunks() else {
                return wrong("expected three numbers per keypoint");
            };
            let keypoint =
                |&[time, value, envelope]: &[f32; 3]| NumberSequenceKeypoint { time, value, envelope };
            NumberSequence { keypoints: keypoints.iter().map(keypoint).collect() }.into()
        }
        _ => {
            let (keypoints, []) = numbers.as_chunks() else {
                return wrong("expected five numbers per keypoint");
            };
            let keypoint = |&[time, r, g, b, envelope]: &[f32; 5]| ColorSequenceKeypoint {
                time,
                color: Color3 { r, g, b },
                envelope,
            };
            ColorSequence { keypoints: keypoints.iter().map(keypoint).collect() }.into()
        }
    }))
}

/// Writes what stands between the tags; false where the value is not one of these.
pub(crate) fn write(out: &mut Out, value: &Value) -> bool {
    let mut numbers = |numbers: &[f32]| {
        for &number in numbers {
            format::short_float(&mut out.bytes, number);
            out.bytes.push(b' ');
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
