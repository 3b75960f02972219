//! A reader and a writer of any encoding.

use crate::consts::Encoding;
use crate::error::ErrorKind;
use crate::limits::Budget;
use crate::model::Event;
use crate::options::{ReadOptions, WriteOptions};
use crate::wire::events::{Failed, Sink, Source, Take};
use crate::wire::{binary, notation, xml};

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
        match self {
            Self::Binary(source) => source.give(to),
            Self::Xml(source) => source.give(to),
            Self::Notation(source) => source.give(to),
        }
    }

    fn rest(&self) -> &'a [u8] {
        match self {
            Self::Binary(source) => source.rest(),
            Self::Xml(source) => source.rest(),
            Self::Notation(source) => source.rest(),
        }
    }

    fn budget(&mut self) -> &mut Budget {
        match self {
            Self::Binary(source) => source.budget(),
            Self::Xml(source) => source.budget(),
            Self::Notation(source) => source.budget(),
        }
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

    pub(crate) fn finish(self) -> Vec<u8> {
        match self {
            Self::Binary(sink) => sink.out.finish(),
            Self::Xml(sink) => sink.finish(),
            Self::Notation(sink) => sink.finish(),
        }
    }
}

impl Sink for Output {
    #[inline]
    fn take(&mut self, event: &Event<'_>) -> Result<(), ErrorKind> {
        match self {
            Self::Binary(sink) => sink.take(event),
            Self::Xml(sink) => sink.take(event),
            Self::Notation(sink) => sink.take(event),
        }
    }
}
