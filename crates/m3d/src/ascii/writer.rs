//! The state while sections are written.

use std::fmt;
use std::io::Write as _;

use geom::Rgba8;

use super::name::{self, Place};
use super::number;
use crate::model::Model;
use geom::wire::{Error, Result, after};

#[derive(Debug)]
pub(crate) struct Writer<'m> {
    pub(crate) model: &'m Model,
    /// For each vertex, whether a bone or an action uses it as an orientation.
    pub(crate) orientations: Vec<bool>,
    pub(crate) out: Vec<u8>,
    pub(crate) crlf: bool,
}

impl Writer<'_> {
    /// Writes a keyword; fails without one.
    pub(crate) fn keyword(&mut self, key: Option<&str>, what: &str) -> Result<()> {
        match key {
            Some(key) => self.put(key),
            None => {
                let what = format!("a text file with {what} (use the binary format, .m3d)");
                return Err(Error::unwritable("", what));
            }
        }
        Ok(())
    }

    pub(crate) fn row(&mut self, row: fmt::Arguments<'_>) {
        // Writing into a vector cannot fail.
        let _infallible = self.out.write_fmt(row);
        self.line();
    }

    /// Writes the name after the keyword of a section.
    pub(crate) fn head(&mut self, name: &[u8]) {
        self.rest(name);
        self.line();
    }

    /// Indices with a blank between them.
    pub(crate) fn indices<const N: usize>(&mut self, ids: [u32; N]) {
        for (index, id) in ids.into_iter().enumerate() {
            if index != 0 {
                self.put(" ");
            }
            self.index(id);
        }
    }

    #[inline]
    pub(crate) fn line(&mut self) {
        self.out.extend_from_slice(if self.crlf { b"\r\n" } else { b"\n" });
    }

    #[inline]
    pub(crate) fn put(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// A name after a blank; nothing if it is empty.
    pub(crate) fn rest(&mut self, name: &[u8]) {
        if !name.is_empty() {
            self.out.push(b' ');
            name::write(name, Place::Rest, &mut self.out);
        }
    }

    pub(crate) fn string(&mut self, name: &[u8], place: Place) {
        name::write(name, place, &mut self.out);
    }

    /// One token that is a name, after a blank; `-` if it is empty.
    pub(crate) fn token(&mut self, name: &[u8]) {
        self.put(" ");
        if name.is_empty() {
            self.out.push(b'-');
        } else {
            name::write(name, Place::Token, &mut self.out);
        }
    }

    /// An index; the two highest are -1 and -2.
    #[inline]
    pub(crate) fn index(&mut self, id: impl Into<u32>) {
        match id.into() {
            u32::MAX => self.put("-1"),
            id if id == u32::MAX.wrapping_sub(1) => self.put("-2"),
            id => self.unsigned(id),
        }
    }

    pub(crate) fn unsigned(&mut self, mut value: u32) {
        let mut digits = [0; 10];
        let mut start = 0;
        for (at, digit) in digits.iter_mut().enumerate().rev() {
            *digit = b'0'.wrapping_add((value % 10).to_le_bytes()[0]);
            value /= 10;
            start = at;
            if value == 0 {
                break;
            }
        }
        self.out.extend_from_slice(after(&digits, start));
    }

    pub(crate) fn int(&mut self, value: i32) {
        let _infallible = write!(self.out, "{value}");
    }

    pub(crate) fn f32(&mut self, number: f32) {
        number::write_f32(number, &mut self.out);
    }

    pub(crate) fn f64(&mut self, number: f64) {
        number::write_f64(number, &mut self.out);
    }

    pub(crate) fn color(&mut self, color: Rgba8) {
        let value = u32::from_le_bytes(color.to_array());
        let _infallible = write!(self.out, "#{value:08x}");
    }

    /// Rows of 32 bytes each, every row with a prefix; if there are no bytes, one empty row.
    pub(crate) fn bytes(&mut self, front: &str, bytes: &[u8]) {
        let mut rows = bytes.chunks(32);
        loop {
            self.hex(front, rows.next().unwrap_or_default());
            self.line();
            if rows.len() == 0 {
                break;
            }
        }
    }

    pub(crate) fn hex(&mut self, front: &str, bytes: &[u8]) {
        self.put(front);
        for byte in bytes {
            let _infallible = write!(self.out, "{byte:02x}");
        }
    }
}
