//! Fonts, one behind the other: string family, u16 weight, u8 style, string cached face.

use nom::Parser;
use nom::error::context;
use nom::number::complete::{le_u16, u8 as byte};

use crate::error::Result;
use crate::limits::Budget;
use crate::model::{FontStyle, Fonts};
use crate::wire::fail::{At, Fail, Here, Parsed};
use crate::wire::string::{self, Gather};

/// The least that a font takes.
const LEAST: usize = 11;

pub(crate) fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Fonts> {
    if count.checked_mul(LEAST).is_none_or(|least| least > input.len()) {
        return Err(Fail::end(input.get(input.len()..).unwrap_or(input)));
    }
    let mut fonts = Fonts {
        weights: budget.vec(count).here(input)?,
        styles: budget.vec(count).here(input)?,
        ..Fonts::default()
    };
    // Both lists of strings: their bytes are in the chunk, and an end each, at most doubled by growth.
    budget.take((input.len() as u64).saturating_mul(4)).here(input)?;
    let (mut families, mut faces) = (Gather::default(), Gather::default());
    let mut rest = input;
    for index in 0..count {
        let (behind, (family, face)) = read_one(rest, &mut fonts).index(index)?;
        if !families.push(family) || !faces.push(face) {
            return Err(Fail::invalid(rest, "strings of more than 4 GiB")).index(index);
        }
        rest = behind;
    }
    (fonts.families, fonts.cached_face_ids) = (families.finish(), faces.finish());
    Ok((rest, fonts))
}

fn read_one<'a>(start: &'a [u8], fonts: &mut Fonts) -> Parsed<'a, (&'a [u8], &'a [u8])> {
    let (input, family) = context("family", string::read).parse(start)?;
    let (input, weight) = context("weight", le_u16).parse(input)?;
    let (input, style) = context("style", byte).parse(input)?;
    let (input, cached) = context("cached_face_id", string::read).parse(input)?;
    fonts.weights.push(weight);
    fonts.styles.push(FontStyle(style));
    Ok((input, (family, cached)))
}

pub(crate) fn write(fonts: &Fonts, out: &mut Vec<u8>) -> Result<()> {
    let rows = fonts.families.iter().zip(fonts.cached_face_ids.iter());
    for ((family, cached), (weight, style)) in rows.zip(fonts.weights.iter().zip(&fonts.styles)) {
        string::write(family, "family", out)?;
        out.extend(weight.to_le_bytes());
        out.push(style.0);
        string::write(cached, "cached_face_id", out)?;
    }
    Ok(())
}
