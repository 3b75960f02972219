//! The encodings: each is a source of events and a sink for them.
//!
//! Arithmetic here cannot panic. Unless stated otherwise, saturating operations count bytes, values or containers
//! in memory, which fit a `usize`, or compute a cost that the budget refuses long before. A range of bytes that is
//! empty by default begins or ends at an offset that was found in the same bytes.
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable
    )
)]

mod any;
pub(crate) mod binary;
pub(crate) mod build;
mod display;
mod events;
pub(crate) mod header;
mod notation;
mod path;
mod rules;
pub(crate) mod same;
mod xml;

use crate::consts::Encoding;
use crate::model::{Text, Value};
use crate::options::{ReadOptions, WriteOptions};
use crate::text::out::Indent;
use crate::wire::build::Builder;
use crate::wire::header::Start;
use geom::wire::{Budget, ErrorKind, Fail, Result, taken};

pub(crate) use any::{Input, Output};
pub(crate) use events::{Failed, Source, placed};
pub(crate) use path::explain;
pub(crate) use rules::{Note, Odd};
pub(crate) use xml::attribute;

/// A value that was read.
pub(crate) struct Read {
    pub(crate) value: Value,
    /// The offset of its end.
    pub(crate) end: usize,
    /// Whether the input contains entries or values that the value lacks.
    pub(crate) deduplicated: bool,
    /// The remaining budget.
    pub(crate) budget: Budget,
}

/// Reads a value that begins at `start`.
pub(crate) fn read(whole: &[u8], start: Start, options: &ReadOptions, budget: Budget) -> Result<Read> {
    let body = start.body(whole);
    header::begins(body, start).map_err(|fail| placed(whole, start.encoding, fail))?;
    match start.encoding {
        Encoding::Binary => build(whole, start, options, binary::Source::new(body, options, budget)),
        Encoding::Xml => build(whole, start, options, xml::Source::new(body, options, budget)),
        Encoding::Notation => build(whole, start, options, notation::Source::new(body, options, budget)),
    }
}

fn build<'a>(
    whole: &'a [u8],
    start: Start,
    options: &ReadOptions,
    mut source: impl Source<'a>,
) -> Result<Read> {
    let initial = source.budget().clone();
    let mut to = Builder::new(Some(options.rule(start.encoding)));
    loop {
        match source.give(&mut to) {
            Ok(true) => {}
            Ok(false) => break,
            Err(fail) => {
                let (rest, after) = (source.rest(), !to.failed);
                // Frees the memory before the input is read again.
                drop((source, to));
                return Err(explain(whole, start, options, initial, fail, rest, after));
            }
        }
    }
    let end = taken(whole, source.rest()).len();
    match to.value() {
        Some(value) => {
            Ok(Read { value, end, deduplicated: to.deduplicated, budget: source.budget().clone() })
        }
        None => Err(placed(whole, start.encoding, Fail::end_of(whole))),
    }
}

/// A value as it is written inside a document.
pub(crate) fn part(
    encoding: Encoding,
    value: &Value,
    indent: Option<&Indent>,
    words: bool,
) -> Result<Vec<u8>> {
    let mut output = Output::part(encoding, indent.cloned(), words);
    output.value(value)?;
    let bytes = output.finish();
    let line = match encoding {
        // The XML writer also begins a line before the value: remove that.
        Encoding::Xml => indent.map(|indent| indent.line.as_slice()),
        Encoding::Binary | Encoding::Notation => None,
    };
    Ok(match line.and_then(|line| bytes.strip_prefix(line)) {
        Some(bytes) => bytes.to_vec(),
        None => bytes,
    })
}

/// A key as it is written before a value.
pub(crate) fn key(encoding: Encoding, key: &Text) -> Result<Vec<u8>, ErrorKind> {
    let mut output = Output::part(encoding, None, false);
    output.key(key)?;
    Ok(output.finish())
}

/// Writes a value as a document.
pub(crate) fn write(value: &Value, options: &WriteOptions) -> Result<Vec<u8>> {
    let mut output = Output::new(options);
    output.value(value)?;
    Ok(output.finish())
}
