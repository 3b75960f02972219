//! The bytes: each encoding is a source of events and a sink for them.
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
pub(crate) mod fail;
pub(crate) mod header;
mod notation;
mod path;
mod xml;

use crate::consts::Encoding;
use crate::error::{Error, Result};
use crate::limits::Budget;
use crate::model::{Item, Value, Walk, path_of};
use crate::options::{ReadOptions, WriteOptions};
use crate::wire::build::Builder;
use crate::wire::fail::Fail;
use crate::wire::header::Start;

pub(crate) use any::{Input, Output};
pub(crate) use events::{Sink, Source, placed};
pub(crate) use path::explain;

/// A value that was read.
pub(crate) struct Read {
    pub(crate) value: Value,
    /// Where it ends.
    pub(crate) end: usize,
    /// What may still be allocated.
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
    let mut builder = Builder::new(Some(options.rule(start.encoding)));
    let mut value = None;
    loop {
        match source.next() {
            Ok(Some(event)) => match builder.take(event, source.budget()) {
                Ok(None) => {}
                Ok(done) => value = done,
                Err(kind) => {
                    let fail = Fail::new(source.rest(), kind);
                    return Err(explain(whole, start, options, fail, source.rest(), false));
                }
            },
            Ok(None) => break,
            Err(fail) => return Err(explain(whole, start, options, fail, source.rest(), true)),
        }
    }
    let end = whole.len().saturating_sub(source.rest().len());
    Ok(Read { value: value.unwrap_or_default(), end, budget: source.budget().clone() })
}

/// Writes a value as a document.
pub(crate) fn write(value: &Value, options: &WriteOptions) -> Result<Vec<u8>> {
    let mut output = Output::new(options);
    match &mut output {
        Output::Binary(sink) => {
            // The counts of a value are right; those of events need not be.
            sink.counted = true;
            steps(value, sink)?;
        }
        Output::Xml(sink) => steps(value, sink)?,
        Output::Notation(sink) => steps(value, sink)?,
    }
    Ok(output.finish())
}

fn steps(value: &Value, sink: &mut impl Sink) -> Result<()> {
    for (count, item) in Walk::new(value).enumerate() {
        let written = match item {
            Item::Key(key) => sink.key(key),
            Item::Value(Value::String(text)) => sink.string(text),
            item => sink.take(&item.into()),
        };
        written.map_err(|kind| Error::new(kind, path_of(Walk::new(value).take(count))))?;
    }
    Ok(())
}
