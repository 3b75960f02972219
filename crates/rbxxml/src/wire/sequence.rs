//! Values whose element contains numbers with a space after each.

use crate::model::{
    Color3, ColorSequence, ColorSequenceKeypoint, NumberRange, NumberSequence, NumberSequenceKeypoint,
};
use crate::wire::cx::{Cx, Read};
use crate::wire::format;
use crate::wire::number;
use crate::wire::out::Out;

/// A type whose values are lists of numbers.
pub(crate) trait Numbers: Sized {
    fn of(numbers: &[f32]) -> Option<Self>;
    fn each(&self, write: impl FnMut(&[f32]));
}

impl Numbers for NumberRange {
    fn of(numbers: &[f32]) -> Option<Self> {
        let &[min, max] = numbers else { return None };
        Some(Self { min, max })
    }

    fn each(&self, mut write: impl FnMut(&[f32])) {
        write(&[self.min, self.max]);
    }
}

impl Numbers for Box<NumberSequence> {
    fn of(numbers: &[f32]) -> Option<Self> {
        let (keypoints, []) = numbers.as_chunks() else { return None };
        let keypoint = |&[time, value, envelope]: &[f32; 3]| NumberSequenceKeypoint { time, value, envelope };
        Some(Self::new(NumberSequence { keypoints: keypoints.iter().map(keypoint).collect() }))
    }

    fn each(&self, mut write: impl FnMut(&[f32])) {
        self.keypoints.iter().for_each(|k| write(&[k.time, k.value, k.envelope]));
    }
}

impl Numbers for Box<ColorSequence> {
    fn of(numbers: &[f32]) -> Option<Self> {
        let (keypoints, []) = numbers.as_chunks() else { return None };
        let keypoint = |&[time, r, g, b, envelope]: &[f32; 5]| ColorSequenceKeypoint {
            time,
            color: Color3 { r, g, b },
            envelope,
        };
        Some(Self::new(ColorSequence { keypoints: keypoints.iter().map(keypoint).collect() }))
    }

    fn each(&self, mut write: impl FnMut(&[f32])) {
        self.keypoints.iter().for_each(|k| write(&[k.time, k.color.r, k.color.g, k.color.b, k.envelope]));
    }
}

pub(crate) fn read<'s, T: Numbers>(cx: &mut Cx<'s>) -> Read<'s, T> {
    let value = cx.scanner.text(|scanner, text| {
        // A number takes at least two bytes of text, and four bytes in memory: first in a list that grows, then in the
        // value.
        let before = scanner.budget.left();
        scanner.charge_values::<[u8; 8]>(scanner.at(), text.len())?;
        let numbers = text.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty());
        let numbers: Option<Vec<f32>> = numbers.map(number::float).collect();
        let used = numbers.as_ref().map_or(0, |numbers| size_of_val(&**numbers).saturating_add(32));
        scanner.budget.refund_since(before, used);
        Ok(numbers.and_then(|numbers| T::of(&numbers)))
    })?;
    value.map_or_else(|| cx.malformed(), Ok)
}

pub(crate) fn write(out: &mut Out, value: &impl Numbers) {
    value.each(|numbers| {
        for &number in numbers {
            format::short_float(&mut out.bytes, number);
            out.raw(" ");
        }
    });
}
