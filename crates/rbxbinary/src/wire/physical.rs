//! PhysicalProperties: for each value a byte of flags, and the numbers that it announces.
//!
//! | flags | what follows |
//! |---|---|
//! | 0, 2 | nothing |
//! | 1 | density, friction, elasticity, friction weight, elasticity weight; f32 each |
//! | 3 | the same numbers, and acoustic absorption |

use nom::number::complete::u8 as byte;

use crate::model::{CustomPhysicalProperties, PhysicalProperties};
use crate::wire::column::{Wire, fits, malformed, space};
use crate::wire::interleave::{floats, records};
use geom::wire::{Budget, Here, Parsed, Result};

/// The value has custom numbers.
const CUSTOM: u8 = 1;
/// The custom numbers include the sixth, acoustic absorption.
const ACOUSTIC: u8 = 2;

impl Wire for Vec<PhysicalProperties> {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        if !fits(input, count, 1) {
            return malformed(input);
        }
        let mut values: Vec<PhysicalProperties> = space(count, budget).here(input)?;
        let mut rest = input;
        for _ in 0..count {
            // Nearly all values have no custom numbers.
            let (after, value) = match rest.split_first() {
                Some((&(0 | ACOUSTIC), after)) => (after, PhysicalProperties::Default),
                _ => read_one(rest)?,
            };
            values.push(value);
            rest = after;
        }
        Ok((rest, values))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        for value in self {
            // Studio sets the second flag even if there are no numbers.
            out.push(match value {
                PhysicalProperties::Default => ACOUSTIC,
                PhysicalProperties::Custom(custom) if custom.acoustic_absorption.is_some() => {
                    CUSTOM | ACOUSTIC
                }
                PhysicalProperties::Custom(_) => CUSTOM,
            });
            if let PhysicalProperties::Custom(custom) = value {
                let five = [
                    custom.density,
                    custom.friction,
                    custom.elasticity,
                    custom.friction_weight,
                    custom.elasticity_weight,
                ];
                out.extend_from_slice(five.map(f32::to_le_bytes).as_flattened());
                out.extend(custom.acoustic_absorption.into_iter().flat_map(f32::to_le_bytes));
            }
        }
        Ok(())
    }
}

fn read_one(start: &[u8]) -> Parsed<'_, PhysicalProperties> {
    let (input, flags) = byte(start)?;
    let count = match flags {
        CUSTOM => 5,
        _ if flags == CUSTOM | ACOUSTIC => 6,
        _ => return malformed(start),
    };
    let (rest, bytes) = records(input, count, 4)?;
    let [density, friction, elasticity, friction_weight, elasticity_weight, sixth] = floats(bytes);
    let custom = CustomPhysicalProperties {
        density,
        friction,
        elasticity,
        friction_weight,
        elasticity_weight,
        acoustic_absorption: (count == 6).then_some(sixth),
    };
    Ok((rest, PhysicalProperties::Custom(custom)))
}
