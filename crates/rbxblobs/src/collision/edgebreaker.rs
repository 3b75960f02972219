//! Edgebreaker: the triangles of a closed surface as symbols. Each symbol adds a triangle at an edge of a hole in the
//! surface.
//!
//! A surface begins with the triangle 0, 1, 2, whose edge from 0 to 2 is the gate of the first hole. At a gate from p
//! to n, a triangle (t, p, n) is added. The symbol determines t. C: a new vertex. L: the vertex of the hole after n. R:
//! the vertex before p. S: another vertex of the hole, which becomes two holes; that from t to n is next. E: the hole
//! has only three edges, and this triangle closes it.
//!
//! A hole is completely known at its end, so the symbols are decoded backwards: E makes a hole of three edges, L and R
//! add an edge to a hole, S joins two holes, and C removes a vertex from a hole, whose number is then known.

use crate::bytes::Bytes;
use geom::wire::Result;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symbol {
    C,
    S,
    L,
    R,
    E,
}

/// Symbols as bits in words of 32 bits, the highest bit first. In the last word, only the lowest bits count.
pub(super) struct Symbols<'a> {
    words: &'a [[u8; 4]],
    count: u64,
    next: u64,
}

impl<'a> Symbols<'a> {
    pub(super) fn new(words: &'a [[u8; 4]], count: u64) -> Self {
        Self { words, count, next: 0 }
    }

    /// The number of bits that are left.
    pub(super) fn left(&self) -> u64 {
        self.count.saturating_sub(self.next)
    }

    fn bit(&mut self) -> Option<bool> {
        let word = self.words.get(usize::try_from(self.next / 32).ok()?)?;
        let in_word = self.left().checked_add(self.next % 32)?.min(32);
        let shift = in_word.checked_sub(1)?.checked_sub(self.next % 32)?;
        self.next = self.next.checked_add(1).filter(|&next| next <= self.count)?;
        Some(u32::from_le_bytes(*word) >> shift & 1 == 1)
    }

    fn symbol(&mut self) -> Option<Symbol> {
        if !self.bit()? {
            return Some(Symbol::C);
        }
        Some(match (self.bit()?, self.bit()?) {
            (false, false) => Symbol::S,
            (false, true) => Symbol::L,
            (true, false) => Symbol::R,
            (true, true) => Symbol::E,
        })
    }
}

/// The number of a vertex that is not known yet.
const UNKNOWN: u32 = u32::MAX;

/// A vertex that is or was at the edge of a hole.
#[derive(Clone, Copy)]
struct Vertex {
    /// The next and the previous vertex at the edge of the hole.
    next: u32,
    last: u32,
    /// The vertex that replaces this one; the vertex itself if none does.
    same: u32,
    number: u32,
}

/// The memory for decoding, which is reused for the next hull.
#[derive(Default)]
pub(super) struct Decoder {
    symbols: Vec<Symbol>,
    vertices: Vec<Vertex>,
    /// The start of the gate of each open hole.
    holes: Vec<u32>,
}

impl Decoder {
    /// Charges the memory for symbols of a number of bits: there is at most one vertex per bit.
    pub(super) fn new(bytes: &mut Bytes<'_>, bits: u64) -> Result<Self> {
        // The vectors grow to at most twice their content.
        const OF_A_BIT: usize = 2 * (size_of::<Symbol>() + size_of::<Vertex>() + size_of::<u32>());
        bytes.charge(bits.saturating_mul(OF_A_BIT as u64))?;
        Ok(Self::default())
    }

    /// Reads the symbols of the next hull; returns the number of its vertices, and its triangles.
    pub(super) fn hull(
        &mut self,
        bytes: &mut Bytes<'_>,
        symbols: &mut Symbols<'_>,
    ) -> Result<(usize, Vec<[u32; 3]>)> {
        self.symbols.clear();
        let (mut open, mut numbers) = (1_u32, 3_u32);
        while open > 0 {
            let symbol = symbols
                .symbol()
                .ok_or_else(|| bytes.invalid("the Edgebreaker symbols end before the hull is complete"))?;
            match symbol {
                Symbol::C => numbers = numbers.saturating_add(1),
                Symbol::S => open = open.saturating_add(1),
                Symbol::E => open = open.saturating_sub(1),
                Symbol::L | Symbol::R => {}
            }
            self.symbols.push(symbol);
        }
        let mut triangles = bytes.vec(self.symbols.len().saturating_add(1))?;
        match self.triangles(numbers, &mut triangles) {
            Some(()) => Ok((numbers as usize, triangles)),
            None => Err(bytes.invalid("the Edgebreaker symbols do not describe a closed surface")),
        }
    }

    /// Decodes the symbols to triangles; `None` if they do not form a closed surface.
    fn triangles(&mut self, numbers: u32, triangles: &mut Vec<[u32; 3]>) -> Option<()> {
        self.vertices.clear();
        self.holes.clear();
        let mut number = numbers;
        for index in (0..self.symbols.len()).rev() {
            let (t, p, n);
            match self.symbols.get(index)? {
                Symbol::E => {
                    (p, n, t) = (self.vertex()?, self.vertex()?, self.vertex()?);
                    self.link(p, n)?;
                    self.link(n, t)?;
                    self.link(t, p)?;
                    self.holes.push(p);
                }
                Symbol::L => {
                    p = *self.holes.last()?;
                    t = self.get(p)?.next;
                    n = self.vertex()?;
                    self.link(p, n)?;
                    self.link(n, t)?;
                }
                Symbol::R => {
                    t = self.holes.pop()?;
                    n = self.get(t)?.next;
                    p = self.vertex()?;
                    self.link(t, p)?;
                    self.link(p, n)?;
                    self.holes.push(p);
                }
                Symbol::C => {
                    t = self.holes.pop()?;
                    Vertex { next: n, last: p, .. } = *self.get(t)?;
                    // A hole of three edges cannot lose one.
                    (self.get(n)?.next != p).then_some(())?;
                    number = number.checked_sub(1)?;
                    self.vertices.get_mut(t as usize)?.number = number;
                    self.link(p, n)?;
                    self.holes.push(p);
                }
                Symbol::S => {
                    let first = self.holes.pop()?;
                    p = *self.holes.last()?;
                    t = self.get(p)?.next;
                    let Vertex { next, last, .. } = *self.get(first)?;
                    n = next;
                    self.link(p, n)?;
                    self.link(last, t)?;
                    self.vertices.get_mut(first as usize)?.same = t;
                }
            }
            triangles.push([t, p, n]);
        }
        let [p] = *self.holes else { return None };
        let n = self.get(p)?.next;
        let t = self.get(n)?.next;
        (self.get(t)?.next == p).then_some(())?;
        for (vertex, number) in [(p, 0), (t, 1), (n, 2)] {
            self.vertices.get_mut(vertex as usize)?.number = number;
        }
        triangles.push([p, t, n]);
        triangles.reverse();
        for corner in triangles.as_flattened_mut() {
            *corner = self.number(*corner)?;
        }
        Some(())
    }

    fn vertex(&mut self) -> Option<u32> {
        let same = u32::try_from(self.vertices.len()).ok()?;
        self.vertices.push(Vertex { next: same, last: same, same, number: UNKNOWN });
        Some(same)
    }

    fn get(&self, vertex: u32) -> Option<&Vertex> {
        self.vertices.get(vertex as usize)
    }

    fn link(&mut self, from: u32, to: u32) -> Option<()> {
        self.vertices.get_mut(from as usize)?.next = to;
        self.vertices.get_mut(to as usize)?.last = from;
        Some(())
    }

    /// The number of the vertex that replaces this one in the end. Halves the path to that vertex, so that later
    /// look-ups are short.
    fn number(&mut self, mut vertex: u32) -> Option<u32> {
        loop {
            let Vertex { same, number, .. } = *self.get(vertex)?;
            if same == vertex {
                return (number != UNKNOWN).then_some(number);
            }
            let after = self.get(same)?.same;
            self.vertices.get_mut(vertex as usize)?.same = after;
            vertex = after;
        }
    }
}

#[cfg(test)]
#[path = "../../tests/inside/edgebreaker.rs"]
mod tests;
