//! PhysicalProperties: a byte of flags, and the numbers that it asks for.
//!
//! | flags | what follows |
//! |---|---|
//! | 0, 2 | nothing |
//! | 1 | density, friction, elasticity, friction weight, elasticity weight; f32 each |
//! | 3 | the same and acoustic absorption |

use nom::number::complete::{le_f32, u8 as byte};

use crate::error::Result;
use crate::limits::Budget;
use crate::model::{CustomPhysicalProperties, PhysicalColumn, PhysicalProperties};
use crate::wire::column::{Wire, space};
use crate::wire::fail::{At, Fail, Here, Parsed};

/// The value has numbers of its own.
const CUSTOM: u8 = 1;
/// There is a sixth of them.
const ACOUSTIC: u8 = 2;

impl Wire for PhysicalColumn {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        if count > input.len() {
            return Err(Fail::end_of(input));
        }
        let mut values: Vec<PhysicalProperties> = space(count, budget).here(input)?;
        let mut flags: Vec<u8> = space(count, budget).here(input)?;
        let mut rest = input;
        for index in 0..count {
            // Nearly all of them are without numbers of their own.
            let (after, (flag, value)) = match rest.split_first() {
                Some((&flag @ (0 | ACOUSTIC), after)) => (after, (flag, PhysicalProperties::Default)),
                _ => read_one(rest).index(index)?,
            };
            values.push(value);
            flags.push(flag);
            rest = after;
        }
        Ok((rest, Self { values, flags }))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        for (index, value) in self.values.iter().enumerate() {
            out.push(self.flag(index, value));
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

fn read_one(start: &[u8]) -> Parsed<'_, (u8, PhysicalProperties)> {
    let (input, flags) = byte(start)?;
    if flags & !(CUSTOM | ACOUSTIC) != 0 {
        return Err(Fail::unsupported(start, format!("flags {flags:#04x}")));
    }
    if flags & CUSTOM == 0 {
        return Ok((input, (flags, PhysicalProperties::Default)));
    }
    let (input, density) = le_f32(input)?;
    let (input, friction) = le_f32(input)?;
    let (input, elasticity) = le_f32(input)?;
    let (input, friction_weight) = le_f32(input)?;
    let (input, elasticity_weight) = le_f32(input)?;
    let mut custom = CustomPhysicalProperties {
        density,
        friction,
        elasticity,
        friction_weight,
        elasticity_weight,
        acoustic_absorption: None,
    };
    if flags & ACOUSTIC == 0 {
        return Ok((input, (flags, PhysicalProperties::Custom(custom))));
    }
    let (input, absorption) = le_f32(input)?;
    custom.acoustic_absorption = Some(absorption);
    Ok((input, (flags, PhysicalProperties::Custom(custom))))
}
