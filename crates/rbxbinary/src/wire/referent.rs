//! Referents: interleaved i32z, each the difference from the previous referent. Sums wrap around.

use std::cell::Cell;

use crate::model::Referent;
use crate::wire::column::{Wire, space};
use crate::wire::interleave::Number;
use geom::wire::{Budget, Here, Parsed, Result};

/// Writes referents.
pub(crate) fn write(referents: &[Referent], out: &mut Vec<u8>) {
    let last = Cell::new(0_i32);
    i32::write(referents, |referent| referent.0.wrapping_sub(last.replace(referent.0)), out);
}

impl Wire for Vec<Referent> {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        let (rest, differences) = i32::read(input, count)?;
        let mut referents = space(count, budget).here(input)?;
        let mut last = 0_i32;
        referents.extend(differences.map(|difference| {
            last = last.wrapping_add(difference);
            Referent(last)
        }));
        Ok((rest, referents))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        write(self, out);
        Ok(())
    }
}
