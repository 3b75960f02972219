//! Bodies that do not stand as Studio writes them, piece by piece: what is in the model, and the text
//! between.

use std::ops::Range;

use bstr::BString;

use crate::model::Part;
use crate::wire::cx::{Cx, Read, more};
use crate::wire::fail::Here as _;
use crate::wire::xml::Tag;

/// Where in the file the parts stand of everything that is still open: what is open last, last.
#[derive(Debug, Default)]
pub(crate) struct Pieces(Vec<(Part, Range<usize>)>);

/// Where the parts of something that is open begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark(usize);

impl Pieces {
    /// Parts from here on belong to what was opened just now.
    pub(crate) fn open(&self) -> Mark {
        Mark(self.0.len())
    }

    #[inline]
    pub(crate) fn push<'s>(
        &mut self,
        cx: &mut Cx<'s>,
        tag: Tag<'_>,
        part: Part,
        range: Range<usize>,
    ) -> Read<'s, ()> {
        more(&mut self.0, &mut cx.budget).here(cx.at(tag.start()))?;
        self.0.push((part, range));
        Ok(())
    }

    /// Forgets the parts of what ends as Studio would have it.
    #[inline]
    pub(crate) fn close(&mut self, mark: Mark) {
        self.0.truncate(mark.0);
    }

    /// The parts of what ends, and the text between them: all that stands in `body`.
    pub(crate) fn body<'s>(
        &mut self,
        mark: Mark,
        cx: &mut Cx<'s>,
        tag: Tag<'_>,
        body: Range<usize>,
    ) -> Read<'s, Vec<Part>> {
        let pieces = self.0.get(mark.0..).unwrap_or_default().len();
        // A text behind each of them, and one in front.
        let count = pieces.saturating_mul(2).saturating_add(1);
        cx.charge(tag, count.saturating_mul(size_of::<Part>()))?;
        let mut parts = Vec::with_capacity(count);
        let mut at = body.start;
        for (part, range) in self.0.drain(mark.0.min(self.0.len())..) {
            text(cx, tag, at..range.start, &mut parts)?;
            parts.push(part);
            at = range.end;
        }
        text(cx, tag, at..body.end, &mut parts)?;
        parts.shrink_to_fit();
        Ok(parts)
    }
}

fn text<'s>(cx: &mut Cx<'s>, tag: Tag<'_>, range: Range<usize>, parts: &mut Vec<Part>) -> Read<'s, ()> {
    let text = cx.source.slice(range);
    cx.charge(tag, text.len())?;
    if !text.is_empty() {
        parts.push(Part::Text(BString::from(text)));
    }
    Ok(())
}
