//! Sections `Textmap` and `Vertex`: texture coordinates and vertices.
//!
//! | `Textmap` row | `Vertex` row |
//! |---|---|
//! | `u v` | `x y z w [#AABBGGRR] [bone[:weight] …]` |

use geom::{Rgba8, Vec2, Vec4};

use super::number;
use super::reader::Reader;
use super::token::{self, line_end, newline, rows, skip_blanks};
use super::writer::Writer;
use crate::error::Result;
use crate::list::{fill, make_space, push};
use crate::number::entry;
use crate::wire::fail::{At, Here, Parsed};

/// Reads the numbers of a row. True where a double among them is no float.
#[inline(always)]
fn numbers<'a, const N: usize>(
    mut input: &'a [u8],
    to: &mut [f32; N],
    what: &str,
) -> Parsed<'a, Option<[f64; N]>> {
    let start = input;
    for number in to.iter_mut() {
        input = skip_blanks(input);
        match number::short(input) {
            Some((rest, short)) => (input, *number) = (rest, short),
            None => return odd_numbers(start, to, what),
        }
    }
    Ok((input, None))
}

#[cold]
fn odd_numbers<'a, const N: usize>(
    mut input: &'a [u8],
    to: &mut [f32; N],
    what: &str,
) -> Parsed<'a, Option<[f64; N]>> {
    let mut doubles = [0.0; N];
    let mut exact = true;
    for (place, (double, float)) in doubles.iter_mut().zip(to.iter_mut()).enumerate() {
        if place == 3 && newline(skip_blanks(input)).is_some() {
            // w is 1 where nothing else is said.
            (*double, *float) = (1.0, 1.0);
            continue;
        }
        let (rest, number) = number::read(input, what)?;
        (*double, *float) = (number.double, number.float);
        exact &= number.is_float;
        input = rest;
    }
    Ok((input, (!exact).then_some(doubles)))
}

impl Reader {
    /// Section `Textmap`.
    pub(crate) fn read_tex_coords<'a>(&mut self, input: &'a [u8]) -> Parsed<'a, ()> {
        let (list, budget) = (&mut self.model.tex_coords, &mut self.budget);
        make_space(&mut list.uvs, token::count_rows(input).0, budget).here(input)?;
        rows(input, |start| {
            let place = list.uvs.len();
            let mut uv = [0.0; 2];
            let (rest, doubles) = numbers(start, &mut uv, "a number").index(place)?;
            if doubles.is_some() || !list.precise.is_empty() {
                add_precise(&mut list.precise, &list.uvs, doubles, uv, budget).here(start)?;
            }
            push(&mut list.uvs, Vec2::from(uv), budget).here(start)?;
            line_end(rest).index(place)
        })
    }

    /// Section `Vertex`.
    pub(crate) fn read_vertices<'a>(&mut self, input: &'a [u8]) -> Parsed<'a, ()> {
        make_space(&mut self.model.vertices.coords, token::count_rows(input).0, &mut self.budget)
            .here(input)?;
        rows(input, |start| {
            let list = &mut self.model.vertices;
            let place = list.coords.len();
            let mut coord = [0.0; 4];
            let (rest, doubles) = numbers(start, &mut coord, "a number").index(place)?;
            if doubles.is_some() || !list.precise.is_empty() {
                add_precise(&mut list.precise, &list.coords, doubles, coord, &mut self.budget).here(start)?;
            }
            push(&mut list.coords, Vec4::from(coord), &mut self.budget).here(start)?;
            let rest = skip_blanks(rest);
            match newline(rest) {
                Some(rest) => Ok((rest, ())),
                None => self.read_more(rest, place).index(place),
            }
        })
    }

    /// What follows the four numbers.
    fn read_more<'a>(&mut self, mut input: &'a [u8], place: usize) -> Parsed<'a, ()> {
        if input.starts_with(b"#") {
            let (rest, color) = token::color(input).field("color")?;
            let list = &mut self.model.vertices;
            if color != Rgba8::default() {
                fill(&mut list.colors, place, &mut self.budget).here(input)?;
                list.colors.push(color);
            }
            input = rest;
        }
        let (rest, ()) = self.vertex_skin(input, place).field("skin")?;
        line_end(rest)
    }

    /// Makes the columns as long as there are vertices.
    pub(crate) fn finish_columns<'a>(&mut self, at: &'a [u8]) -> Parsed<'a, ()> {
        let list = &mut self.model.vertices;
        if !list.colors.is_empty() {
            fill(&mut list.colors, list.coords.len(), &mut self.budget).here(at)?;
        }
        Ok((at, ()))
    }
}

/// Adds an entry to a column of doubles, which begins with the floats before it.
#[cold]
fn add_precise<const N: usize, T: Copy + Into<[f32; N]>>(
    column: &mut Vec<[f64; N]>,
    floats: &[T],
    doubles: Option<[f64; N]>,
    float: [f32; N],
    budget: &mut crate::limits::Budget,
) -> Result<(), crate::error::ErrorKind> {
    if column.is_empty() {
        make_space(column, floats.len().saturating_add(1), budget)?;
        column.extend(floats.iter().map(|&float| float.into().map(f64::from)));
    }
    push(column, doubles.unwrap_or(float.map(f64::from)), budget)
}

impl Writer<'_> {
    /// Numbers with a blank between them.
    fn numbers<const N: usize>(&mut self, floats: [f32; N], doubles: Option<&[f64; N]>) {
        for (place, (float, double)) in floats.into_iter().zip(entry(floats, doubles)).enumerate() {
            if place != 0 {
                self.put(" ");
            }
            match doubles {
                // Becoming a double changes a signalling NaN: the float has its bits.
                Some(_) if float.is_nan() && f64::from(float).to_bits() == double.to_bits() => {
                    self.f32(float)
                }
                Some(_) => self.f64(double),
                None => self.f32(float),
            }
        }
    }

    /// Section `Textmap`.
    pub(crate) fn write_tex_coords(&mut self) -> Result<()> {
        let list = &self.model.tex_coords;
        list.writable()?;
        for (place, &uv) in list.uvs.iter().enumerate() {
            self.numbers(uv.to_array(), list.precise.get(place));
            self.line();
        }
        Ok(())
    }

    /// Section `Vertex`.
    pub(crate) fn write_vertices(&mut self) -> Result<()> {
        let list = &self.model.vertices;
        list.writable()?;
        for (place, &coord) in list.coords.iter().enumerate() {
            self.numbers(coord.to_array(), list.precise.get(place));
            if let Some(&color) = list.colors.get(place)
                && color != Rgba8::default()
            {
                self.put(" ");
                self.color(color);
            }
            self.vertex_skin(place).index(place)?;
            self.line();
        }
        Ok(())
    }
}
