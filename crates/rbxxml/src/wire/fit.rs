//! Bodies that are not as Studio writes them, after an edit: what is there no longer goes, with the white
//! space before it; what is new gets a line of its own; comments, unknown elements and all else stay.

#![allow(clippy::indexing_slicing, reason = "there are four kinds, 0 to 3")]
use std::borrow::Cow;
use std::collections::HashMap;

use crate::model::{Document, Instance, InstanceId, Piece};
use crate::wire::out::Out;

/// What a body contains now: the pieces of each kind in order. Metadata, externals and instances are each written
/// after the last of their kind; properties or shared strings, the kind [`INNER`], between an `Open` and a `Close`.
pub(crate) struct Have {
    kinds: [Vec<Piece>; 4],
    tag: &'static str,
}

impl Piece {
    /// Its kind, an index into [`Have::kinds`]; `None` for text and tags.
    fn kind(&self) -> Option<usize> {
        match self {
            Self::Metadata(_) => Some(0),
            Self::External => Some(1),
            Self::Instance(_) => Some(2),
            Self::Property(_) | Self::SharedString(_) => Some(INNER),
            Self::Text(_) | Self::Open(_) | Self::Close(_) | Self::End(_) => None,
        }
    }
}

const INNER: usize = 3;

impl Have {
    pub(crate) fn of_document(document: &Document) -> Self {
        let metadata = document.metadata.iter().map(|metadata| Piece::Metadata(metadata.key.clone()));
        let instances = document.roots().map(|InstanceId(id)| Piece::Instance(id));
        let shared = document.shared_strings().iter().map(|shared| Piece::SharedString(shared.key().clone()));
        let externals = vec![Piece::External; document.externals.len()];
        let kinds = [metadata.collect(), externals, instances.collect(), shared.collect()];
        Self { kinds, tag: "SharedStrings" }
    }

    pub(crate) fn of_instance(document: &Document, id: InstanceId, instance: &Instance) -> Self {
        let properties = instance.properties.iter().map(|property| Piece::Property(property.name.clone()));
        let instances = document.children(id).map(|InstanceId(id)| Piece::Instance(id));
        let kinds = [Vec::new(), Vec::new(), instances.collect(), properties.collect()];
        Self { kinds, tag: "Properties" }
    }

    /// Whether the pieces have a place for each of these, in this order, and no other.
    fn fits(&self, pieces: &[Piece]) -> bool {
        let mut next = self.kinds.each_ref().map(|kind| kind.iter());
        let in_order = pieces.iter().all(|piece| match piece.kind() {
            Some(kind) => next[kind].next() == Some(piece),
            None => true,
        });
        in_order && next.iter().all(|rest| rest.len() == 0)
    }
}

/// The pieces of a body with a place for everything that it contains now.
pub(crate) fn fit<'a>(pieces: &'a [Piece], have: Have, out: &Out<'_>, depth: usize) -> Cow<'a, [Piece]> {
    if pieces.is_empty() || have.fits(pieces) {
        return Cow::Borrowed(pieces);
    }
    let mut fitting = Fitting { have: &have, out, depth, fitted: Vec::new(), next: [0; 4] };
    fitting.run(pieces);
    Cow::Owned(fitting.fitted)
}

struct Fitting<'f, 'o> {
    have: &'f Have,
    out: &'f Out<'o>,
    depth: usize,
    fitted: Vec<Piece>,
    /// The next of each kind that has no place yet.
    next: [usize; 4],
}

/// Where in their lists the pieces are; of several that are equal, all.
fn positions(have: &Have) -> HashMap<&Piece, Vec<usize>> {
    let mut positions: HashMap<_, Vec<usize>> = HashMap::new();
    for kind in &have.kinds {
        for (index, piece) in kind.iter().enumerate() {
            positions.entry(piece).or_default().push(index);
        }
    }
    positions
}

impl Fitting<'_, '_> {
    fn run(&mut self, pieces: &[Piece]) {
        let mut last = [None; 4];
        let mut open = None;
        for (index, piece) in pieces.iter().enumerate() {
            match piece.kind() {
                Some(kind) => last[kind] = Some(index),
                None if matches!(piece, Piece::Open(_)) => open = open.or(Some(index)),
                None => {}
            }
        }
        let positions = positions(self.have);
        if last[INNER].is_none()
            && open.is_none()
            && !self.have.kinds[INNER].is_empty()
            && self.have.tag == "Properties"
        {
            self.block();
        }
        for (index, piece) in pieces.iter().enumerate() {
            match piece.kind() {
                Some(kind) => self.place(kind, positions.get(piece), last[kind] == Some(index)),
                None => self.other(piece, last, open == Some(index)),
            }
        }
    }

    /// A place in the file: for what it was made for and, before that, for what is new.
    fn place(&mut self, kind: usize, positions: Option<&Vec<usize>>, last: bool) {
        let next = self.next[kind];
        let positions = positions.map_or([].as_slice(), Vec::as_slice);
        let position = positions.get(positions.partition_point(|&position| position < next));
        match position {
            Some(&position) => {
                self.put(kind, next, false);
                for index in (next..=position).skip(1) {
                    self.put(kind, index, true);
                }
                self.next[kind] = position.saturating_add(1);
            }
            None => drop(self.trim()),
        }
        if last {
            self.rest(kind);
        }
    }

    fn put(&mut self, kind: usize, index: usize, on_a_line: bool) {
        let Some(piece) = self.have.kinds[kind].get(index).cloned() else { return };
        if on_a_line {
            let levels = if kind == INNER { 2 } else { 1 };
            self.fitted.push(self.gap(levels));
        }
        self.fitted.push(piece);
    }

    /// All of a kind that have no place yet.
    fn rest(&mut self, kind: usize) {
        for index in self.next[kind]..self.have.kinds[kind].len() {
            self.put(kind, index, true);
        }
        self.next[kind] = self.have.kinds[kind].len();
    }

    fn gap(&self, levels: usize) -> Piece {
        Piece::Text(self.out.gap(self.depth.saturating_add(levels)).into())
    }

    /// A text or a tag.
    fn other(&mut self, piece: &Piece, last: [Option<usize>; 4], first_open: bool) {
        let waits =
            |kind: usize, this: &Self| last[kind].is_none() && this.next[kind] < this.have.kinds[kind].len();
        match piece {
            Piece::Open(text) if first_open && waits(INNER, self) => {
                let empty = text.strip_suffix(b"/>").map(|tag| [tag, b">"].concat());
                let is_empty = empty.is_some();
                self.fitted.push(Piece::Open(empty.map_or_else(|| text.clone(), Into::into)));
                self.rest(INNER);
                if is_empty {
                    self.fitted.push(self.gap(1));
                    self.fitted.push(Piece::Close(format!("</{}>", self.have.tag).into()));
                }
            }
            Piece::End(_) => {
                let space = self.trim();
                for kind in (0..INNER).filter(|&kind| waits(kind, self)).collect::<Vec<_>>() {
                    self.rest(kind);
                }
                if waits(INNER, self) {
                    self.block();
                }
                self.fitted.extend([Piece::Text(space.into()), piece.clone()]);
            }
            _ => self.fitted.push(piece.clone()),
        }
    }

    /// A new element with all properties or shared strings.
    fn block(&mut self) {
        let tag = self.have.tag;
        self.fitted.extend([self.gap(1), Piece::Open(format!("<{tag}>").into())]);
        self.rest(INNER);
        self.fitted.extend([self.gap(1), Piece::Close(format!("</{tag}>").into())]);
    }

    /// Takes away the white space at the end of what is there, and gives it.
    fn trim(&mut self) -> Vec<u8> {
        let Some(Piece::Text(text)) = self.fitted.last_mut() else { return Vec::new() };
        let (kept, space) = text.split_at(text.trim_ascii_end().len());
        let (kept, space) = (kept.into(), space.to_vec());
        *text = kept;
        space
    }
}
