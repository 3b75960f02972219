//! The tree of one value.

use std::borrow::Cow;
use std::ops::Range;

use crate::error::ErrorKind;
use crate::limits::Budget;
use crate::wire::cx::more;
use crate::wire::xml::tag::Tag;
use crate::wire::xml::text::Text;

/// An element and all in it, but comments and processing instructions.
#[derive(Debug, Default)]
pub(crate) struct Tree<'t> {
    /// Elements in the order in which they begin.
    nodes: Vec<Node<'t>>,
    texts: Vec<Text<'t>>,
    /// The elements that are open: each with the last one in it so far.
    open: Vec<(u32, Option<u32>)>,
}

#[derive(Debug)]
struct Node<'t> {
    tag: Tag<'t>,
    /// Where in the text the element ends.
    end: usize,
    /// The next element beside this one; 0 where it is the last.
    next: u32,
    /// Whether elements stand in it: the first of them is the next node.
    has_elements: bool,
    /// Where its texts begin and end, if no elements stand in it.
    texts: (u32, u32),
}

impl<'t> Tree<'t> {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.texts.clear();
        self.open.clear();
    }

    /// Whether the element that was begun first has no end yet.
    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    pub(super) fn root(&self) -> Option<Element<'_, 't>> {
        Element::of(self, 0)
    }

    /// Makes room for one element and one text more.
    #[inline]
    pub(super) fn room(&mut self, budget: &mut Budget) -> Result<(), ErrorKind> {
        more(&mut self.nodes, budget)?;
        more(&mut self.texts, budget)?;
        more(&mut self.open, budget)
    }

    #[inline]
    fn node(&mut self, id: u32) -> Option<&mut Node<'t>> {
        self.nodes.get_mut(id as usize)
    }

    #[inline]
    fn add(&mut self, tag: Tag<'t>, end: usize) -> u32 {
        // As many as fit into the memory that a read may take, each of some bytes.
        let id = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        if let Some((parent, last)) = self.open.last_mut() {
            let (parent, last) = (*parent, last.replace(id));
            match last.and_then(|last| self.node(last)) {
                Some(last) => last.next = id,
                None => {
                    if let Some(parent) = self.node(parent) {
                        parent.has_elements = true;
                    }
                }
            }
        }
        self.nodes.push(Node { tag, end, next: 0, has_elements: false, texts: (0, 0) });
        id
    }

    pub(super) fn start(&mut self, tag: Tag<'t>) {
        let id = self.add(tag, tag.end());
        self.open.push((id, None));
    }

    #[inline]
    pub(super) fn leaf(&mut self, tag: Tag<'t>, text: Text<'t>, end: usize) {
        let id = self.add(tag, end);
        self.append(id, text);
    }

    pub(super) fn text(&mut self, text: Text<'t>) {
        if let Some(&(id, _)) = self.open.last() {
            self.append(id, text);
        }
    }

    #[inline]
    fn append(&mut self, id: u32, text: Text<'t>) {
        let at = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let Some(node) = self.nodes.get_mut(id as usize) else { return };
        // Nobody asks for text between elements.
        if text.raw.is_empty() || node.has_elements {
            return;
        }
        let start = if node.texts.1 == 0 { at } else { node.texts.0 };
        node.texts = (start, at.saturating_add(1));
        self.texts.push(text);
    }

    pub(super) fn end(&mut self, end: usize) {
        if let Some((id, _)) = self.open.pop()
            && let Some(node) = self.node(id)
        {
            node.end = end;
        }
    }
}

/// An element of a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element<'d, 't> {
    tree: &'d Tree<'t>,
    node: &'d Node<'t>,
    id: u32,
}

impl<'d, 't> Element<'d, 't> {
    #[inline]
    fn of(tree: &'d Tree<'t>, id: u32) -> Option<Self> {
        tree.nodes.get(id as usize).map(|node| Self { tree, node, id })
    }

    #[inline]
    pub(crate) fn tag(self) -> Tag<'t> {
        self.node.tag
    }

    /// The name, with a prefix if it has one.
    #[inline]
    pub(crate) fn name(self) -> &'t str {
        self.node.tag.name()
    }

    /// Where in the text the element begins and ends.
    #[inline]
    pub(crate) fn range(self) -> Range<usize> {
        self.node.tag.start()..self.node.end
    }

    /// The first element in this one.
    #[inline]
    pub(crate) fn first(self) -> Option<Self> {
        self.node.has_elements.then(|| Self::of(self.tree, self.id.saturating_add(1))).flatten()
    }

    /// The elements in this one.
    #[inline]
    pub(crate) fn elements(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.first(), |element| match element.node.next {
            0 => None,
            next => Self::of(element.tree, next),
        })
    }

    /// The text in the element, `None` where elements stand in it.
    #[inline]
    pub(crate) fn text(self) -> Option<Cow<'t, str>> {
        if self.node.has_elements {
            return None;
        }
        let (start, end) = self.node.texts;
        match self.tree.texts.get(start as usize..end as usize)? {
            [] => Some(Cow::Borrowed("")),
            [text] => Some(text.said()),
            texts => Some(Cow::Owned(texts.iter().map(Text::said).collect())),
        }
    }
}

impl<'t> From<Element<'_, 't>> for Tag<'t> {
    #[inline]
    fn from(element: Element<'_, 't>) -> Self {
        element.node.tag
    }
}
