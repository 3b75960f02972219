//! Fonts, one after the other: string family, u16 weight, u8 style, string cached face.

use nom::number::complete::{le_u16, u8 as byte};

use crate::model::{FontStyle, Fonts};
use crate::wire::column::{Wire, fits, malformed, space};
use crate::wire::string;
use geom::wire::{Budget, Here, Parsed, Problem, Refuse as _, Result};

/// The minimum size of a font, in bytes.
const LEAST: usize = 11;

impl Wire for Fonts {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        if !fits(input, count, LEAST) {
            return malformed(input);
        }
        let mut fonts = Self {
            weights: space(count, budget).here(input)?,
            styles: space(count, budget).here(input)?,
            ..Self::default()
        };
        // Both lists of strings grow by doubling. They take at most three times the bytes of the input, and three times
        // the size of the offsets in both tables.
        budget.take_values::<[u8; 3]>(input.len()).here(input)?;
        budget.take_values::<[u8; 32]>(count).here(input)?;
        let mut rest = input;
        for _ in 0..count {
            rest = read_one(rest, &mut fonts)?.0;
        }
        Ok((rest, fonts))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        let rows = self.families.iter().zip(self.cached_face_ids.iter());
        for ((family, cached), (weight, style)) in rows.zip(self.weights.iter().zip(&self.styles)) {
            string::write(family, "family", out)?;
            out.extend(weight.to_le_bytes());
            out.push(style.0);
            string::write(cached, "cached_face_id", out)?;
        }
        Ok(())
    }

    fn check(&self, count: usize) -> Result<()> {
        let counts = [self.families.len(), self.weights.len(), self.cached_face_ids.len()];
        counts.into_iter().try_for_each(|len| Problem::length("values", len, count)).unwritable("fonts")
    }
}

fn read_one<'a>(start: &'a [u8], fonts: &mut Fonts) -> Parsed<'a, ()> {
    let (input, family) = string::read(start)?;
    let (input, weight) = le_u16(input)?;
    let (input, style) = byte(input)?;
    let (input, cached) = string::read(input)?;
    fonts.weights.push(weight);
    fonts.styles.push(FontStyle(style));
    match fonts.families.push(family).and_then(|()| fonts.cached_face_ids.push(cached)) {
        Ok(()) => Ok((input, ())),
        Err(_) => malformed(start),
    }
}
