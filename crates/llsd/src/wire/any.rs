//! A reader and a writer of any encoding.

use crate::consts::Encoding;
use crate::error::{ErrorKind, Result};
use crate::limits::Budget;
use crate::model::{Event, Value};
use crate::options::{ReadOptions, WriteOptions};
use crate::wire::events::{Failed, Sink as _, Source, Take, write};
use crate::wire::{binary, notation, xml};

macro_rules! each {
    ($any:expr, $one:ident => $do:expr) => {
        match $any {
            Self::Binary($one) => $do,
            Self::Xml($one) => $do,
            Self::Notation($one) => $do,
        }
    };
}

/// A source of any encoding.
#[derive(Debug)]
pub(crate) enum Input<'a> {
    Binary(binary::Source<'a>),
    Xml(Box<xml::Source<'a>>),
    Notation(notation::Source<'a>),
}

impl<'a> Input<'a> {
    pub(crate) fn new(encoding: Encoding, body: &'a [u8], options: &ReadOptions, budget: Budget) -> Self {
        match encoding {
            Encoding::Binary => Self::Binary(binary::Source::new(body, options, budget)),
            Encoding::Xml => Self::Xml(Box::new(xml::Source::new(body, options, budget))),
            Encoding::Notation => Self::Notation(notation::Source::new(body, options, budget)),
        }
    }
}

impl<'a> Source<'a> for Input<'a> {
    #[inline]
    fn give(&mut self, to: &mut impl Take<'a>) -> Result<bool, Failed<'a>> {
        each!(self, source => source.give(to))
    }

    fn rest(&self) -> &'a [u8] {
        each!(self, source => source.rest())
    }

    fn budget(&mut self) -> &mut Budget {
        each!(self, source => source.budget())
    }
}

/// A sink of any encoding.
#[derive(Debug)]
pub(crate) enum Output {
    Binary(binary::Sink),
    Xml(xml::Sink),
    Notation(notation::Sink),
}

impl Output {
    pub(crate) fn new(options: &WriteOptions) -> Self {
        let header = options.header.bytes(options.encoding).to_vec();
        match options.encoding {
            Encoding::Binary => Self::Binary(binary::Sink::new(header)),
            Encoding::Xml => Self::Xml(xml::Sink::new(header, options)),
            Encoding::Notation => Self::Notation(notation::Sink::new(header, options)),
        }
    }

    pub(crate) fn encoding(&self) -> Encoding {
        match self {
            Self::Binary(_) => Encoding::Binary,
            Self::Xml(_) => Encoding::Xml,
            Self::Notation(_) => Encoding::Notation,
        }
    }

    #[inline]
    pub(crate) fn take(&mut self, event: &Event<'_>) -> Result<(), ErrorKind> {
        each!(self, sink => sink.take(event))
    }

    pub(crate) fn value(&mut self, value: &Value) -> Result<()> {
        each!(self, sink => write(sink, value))
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        each!(self, sink => sink.finish())
    }
}
