//! A reader and a writer of any encoding.

use crate::consts::Encoding;
use crate::model::{Event, Text, Value};
use crate::options::{ReadOptions, WriteOptions};
use crate::text::out::Indent;
use crate::wire::events::{Failed, Sink as _, Source, Span, Take, write};
use crate::wire::rules::Rules;
use crate::wire::{binary, notation, xml};
use geom::wire::{Budget, ErrorKind, Result};

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

    fn span(&self) -> Span<'a> {
        each!(self, source => source.span())
    }

    fn rules(&self) -> &Rules {
        each!(self, source => source.rules())
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

    /// For a value inside an existing document: without a header.
    pub(crate) fn part(encoding: Encoding, indent: Option<Indent>, words: bool) -> Self {
        match encoding {
            Encoding::Binary => Self::Binary(binary::Sink::new(Vec::new())),
            Encoding::Xml => Self::Xml(xml::Sink::part(indent, words)),
            Encoding::Notation => {
                let style = notation::Style { indent, words, readable: false };
                Self::Notation(notation::Sink::styled(Vec::new(), style))
            }
        }
    }

    /// Writes only a key.
    pub(crate) fn key(&mut self, key: &Text) -> Result<(), ErrorKind> {
        each!(self, sink => sink.text(key.run(), true))
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
