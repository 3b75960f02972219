//! Sections `Textmap` and `Vertex`: texture coordinates and vertices.
//!
//! | `Textmap` row | `Vertex` row |
//! |---|---|
//! | `u v` | `x y z w [#AABBGGRR] [bone[:weight] …]` |

use geom::Rgba8;

use super::number;
use super::reader::{Read, Reader, Section, fill};
use super::token::{count_rows, newline, skip_blanks};
use super::writer::Writer;
use crate::model::exact_numbers;
use crate::model::{TexCoords, VertexId, Vertices};
use geom::wire::{At, Here, Result};

/// Adds the numbers of a row to a column, and to the column of doubles if there is one.
#[inline(always)]
fn add_numbers<'a, const N: usize, T: Copy + From<[f32; N]> + Into<[f32; N]>>(
    reader: &mut Reader<'a>,
    column: &mut Vec<T>,
    precise: &mut Vec<[f64; N]>,
) -> Read<'a, ()> {
    let mut input = reader.input;
    let mut floats = [0.0; N];
    for number in &mut floats {
        match number::short(skip_blanks(input)) {
            Some((rest, short)) if precise.is_empty() => (input, *number) = (rest, short),
            _ => return add_odd_numbers(reader, column, precise),
        }
    }
    reader.input = input;
    reader.push(column, T::from(floats))
}

#[cold]
fn add_odd_numbers<'a, const N: usize, T: Copy + From<[f32; N]> + Into<[f32; N]>>(
    reader: &mut Reader<'a>,
    column: &mut Vec<T>,
    precise: &mut Vec<[f64; N]>,
) -> Read<'a, ()> {
    let (mut floats, mut doubles) = ([0.0; N], [0.0; N]);
    let mut exact = true;
    for (index, (double, float)) in doubles.iter_mut().zip(&mut floats).enumerate() {
        if index == 3 && newline(skip_blanks(reader.input)).is_some() {
            // w defaults to 1.
            (*double, *float) = (1.0, 1.0);
            continue;
        }
        let number = reader.number("a number")?;
        (*double, *float) = (number.double, number.float);
        exact &= number.is_float;
    }
    if !exact && precise.is_empty() {
        // The new column of doubles begins with the floats of the rows before.
        reader.budget.reserve(precise, column.len().saturating_add(1)).here(reader.input)?;
        precise.extend(column.iter().map(|&float| float.into().map(f64::from)));
    }
    if !exact || !precise.is_empty() {
        reader.push(precise, doubles)?;
    }
    reader.push(column, T::from(floats))
}

impl Section for TexCoords {
    fn read<'a>(&mut self, reader: &mut Reader<'a>) -> Read<'a, ()> {
        reader.budget.reserve(&mut self.uvs, count_rows(reader.input).0).here(reader.input)?;
        while reader.row() {
            let index = self.uvs.len();
            add_numbers(reader, &mut self.uvs, &mut self.precise).index(index)?;
            reader.line_end().index(index)?;
        }
        Ok(())
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<()> {
        for (index, &uv) in self.uvs.iter().enumerate() {
            writer.numbers(uv.to_array(), self.precise.get(index));
            writer.line();
        }
        Ok(())
    }
}

impl Section for Vertices {
    fn read<'a>(&mut self, reader: &mut Reader<'a>) -> Read<'a, ()> {
        reader.budget.reserve(&mut self.coords, count_rows(reader.input).0).here(reader.input)?;
        while reader.row() {
            let index = self.coords.len();
            add_numbers(reader, &mut self.coords, &mut self.precise).index(index)?;
            match newline(skip_blanks(reader.input)) {
                Some(rest) => reader.input = rest,
                None => self.read_more(reader, index).index(index)?,
            }
        }
        Ok(())
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<()> {
        for (index, &coord) in self.coords.iter().enumerate() {
            writer.numbers(coord.to_array(), self.precise.get(index));
            if let Some(color) = self.color(VertexId::new(index)) {
                writer.put(" ");
                writer.color(color);
            }
            writer.vertex_skin(index).index(index)?;
            writer.line();
        }
        Ok(())
    }
}

impl Vertices {
    /// Reads the colour and the skin after the four numbers.
    fn read_more<'a>(&mut self, reader: &mut Reader<'a>, index: usize) -> Read<'a, ()> {
        if skip_blanks(reader.input).starts_with(b"#") {
            let color = reader.color().field("color")?;
            if color != Rgba8::default() {
                fill(&mut self.colors, index, &mut reader.budget).here(reader.input)?;
                self.colors.push(color);
            }
        }
        reader.vertex_skin(&mut self.skins, index).field("skin")?;
        reader.line_end()
    }
}

impl Writer<'_> {
    /// Numbers with a blank between them.
    fn numbers<const N: usize>(&mut self, floats: [f32; N], doubles: Option<&[f64; N]>) {
        for (index, (float, double)) in floats.into_iter().zip(exact_numbers(floats, doubles)).enumerate() {
            if index != 0 {
                self.put(" ");
            }
            match doubles {
                // Conversion to a double changes a signalling NaN: the float has its bits.
                Some(_) if float.is_nan() && f64::from(float).to_bits() == double.to_bits() => {
                    self.f32(float)
                }
                Some(_) => self.f64(double),
                None => self.f32(float),
            }
        }
    }
}
