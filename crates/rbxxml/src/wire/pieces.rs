//! The parts of bodies that are not as Studio writes them, while a file is read.

use std::ops::Range;

use crate::model::{Name, Piece, Text};
use crate::wire::cx::{Cx, Read};
use geom::wire::Here as _;

/// Where in the file the parts of every element are that is still open; those of the innermost are last.
#[derive(Debug, Default)]
pub(crate) struct Pieces(Vec<(Part, Range<usize>)>);

/// A part that has a field in the model, by its index, or a tag.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    Open,
    Close,
    End,
    Property(usize),
    Instance(u32),
    Metadata(usize),
    External,
    SharedString(usize),
}

impl Pieces {
    /// How many parts belong to what is open now: parts from here on belong to what is opened next.
    pub(crate) fn mark(&self) -> usize {
        self.0.len()
    }

    #[inline]
    pub(crate) fn push<'s>(&mut self, cx: &mut Cx<'s>, part: Part, range: Range<usize>) -> Read<'s, ()> {
        let at = range.start;
        cx.scanner.budget.push(&mut self.0, (part, range)).here(cx.scanner.from(at))
    }

    /// Forgets the parts of an element that is as Studio writes it.
    #[inline]
    pub(crate) fn forget(&mut self, mark: usize) {
        self.0.truncate(mark);
    }

    /// The parts of an element that ends, and the text between them: everything from `start` on.
    pub(crate) fn body<'s>(
        &mut self,
        mark: usize,
        cx: &mut Cx<'s>,
        start: usize,
        name: impl Fn(Part) -> Name,
    ) -> Read<'s, Vec<Piece>> {
        let parts = self.0.get(mark..).unwrap_or_default();
        // There is text where a part does not begin at the end of the one before.
        let ends = std::iter::once(start).chain(parts.iter().map(|(_, range)| range.end));
        let texts = parts.iter().zip(ends).filter(|((_, range), end)| *end < range.start).count();
        let space = cx.scanner.budget.vec(parts.len().saturating_add(texts));
        let mut pieces = space.here(cx.scanner.from(start))?;
        let mut at = start;
        let text = |cx: &mut Cx<'s>, range: Range<usize>| -> Read<'s, Text> {
            cx.scanner.charge(range.start, range.len())?;
            Ok(cx.scanner.slice(range).into())
        };
        for (part, range) in self.0.drain(mark.min(self.0.len())..) {
            if at < range.start {
                pieces.push(Piece::Text(text(cx, at..range.start)?));
            }
            at = range.end;
            pieces.push(match part {
                Part::Open => Piece::Open(text(cx, range)?),
                Part::Close => Piece::Close(text(cx, range)?),
                Part::End => Piece::End(text(cx, range)?),
                Part::Property(_) => Piece::Property(name(part)),
                Part::Instance(id) => Piece::Instance(id),
                Part::Metadata(_) => Piece::Metadata(name(part)),
                Part::External => Piece::External,
                Part::SharedString(_) => Piece::SharedString(name(part)),
            });
        }
        Ok(pieces)
    }
}
