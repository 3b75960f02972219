//! The place of each value in the bytes of a document.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use bstr::{BStr, ByteSlice as _};

use crate::consts::Encoding;
use crate::model::keys::repeated_keys;
use crate::model::{Duplicates, Event, Map, Scalar, Step, Steps, Value};
use crate::options::ReadOptions;
use crate::read::Reader;
use geom::wire::{Budget, Error, ErrorKind, Result};

/// The values of a document in the order in which they begin.
#[derive(Debug)]
pub(crate) struct Nodes<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) encoding: Encoding,
    pub(super) root: usize,
    /// The text of one level of indentation, once determined.
    pub(super) unit: OnceCell<Vec<u8>>,
    list: Vec<Node<'a>>,
    rule: Duplicates,
}

/// A value, and the offsets of its parts.
#[derive(Debug)]
pub(super) struct Node<'a> {
    /// The scalar, or the event that begins the container.
    pub(super) event: Event<'a>,
    pub(super) key: Option<Cow<'a, BStr>>,
    /// The start of the key, if there is one; otherwise `start`.
    pub(super) entry: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    /// The content between the start and the end of a container.
    pub(super) content: Range<usize>,
    /// The index of the first node after this one and those in it.
    after: usize,
}

/// The memory of a node besides itself: its index in the children of its parent, and the search for equal
/// keys.
const COST: u64 = 112;

impl<'a> Nodes<'a> {
    /// The values of a document, usually `count`, which take at most `left` bytes of memory.
    pub(super) fn new(bytes: &'a [u8], options: &ReadOptions, count: usize, left: u64) -> Result<Self> {
        let mut reader = Reader::new(bytes, options, Budget::new(left))?;
        let rule = options.rule(reader.encoding());
        Self::read(&mut reader, rule, count)
    }

    /// Reads all values of a document, usually `count`.
    pub(crate) fn read(reader: &mut Reader<'a>, rule: Duplicates, count: usize) -> Result<Self> {
        // A value takes a byte or more.
        let count = count.min(reader.whole().len());
        let list = reader.budget().vec::<Node<'_>>(count);
        let mut list = list.map_err(|kind| reader.error_here(kind))?;
        let (mut open, mut root, mut key) = (Vec::<usize>::new(), 0, None);
        while let Some(event) = reader.next_event()? {
            let [start, end] = reader.span();
            match event {
                Event::Key(text) => key = Some((text, start)),
                Event::EndArray | Event::EndMap => {
                    let after = list.len();
                    if let Some(node) = open.pop().and_then(|node| list.get_mut(node)) {
                        (node.end, node.content.end, node.after) = (end, start, after);
                    }
                }
                event => {
                    let node = list.len();
                    // The last of several values in `<llsd>` is used.
                    if open.is_empty() {
                        root = node;
                    }
                    if event.step() > 0 {
                        open.push(node);
                    }
                    let (key, entry) = match key.take() {
                        Some((key, entry)) => (Some(key), entry),
                        None => (None, start),
                    };
                    let content = end..end;
                    let node = Node { event, key, entry, start, end, content, after: node + 1 };
                    let budget = reader.budget();
                    let pushed = budget.take(COST).and_then(|()| budget.push(&mut list, node));
                    pushed.map_err(|kind| reader.error_here(kind))?;
                }
            }
        }
        match list.is_empty() {
            true => Err(Error::new(ErrorKind::UnexpectedEnd, "")),
            false => Ok(Self {
                bytes: reader.whole(),
                encoding: reader.encoding(),
                root,
                unit: OnceCell::new(),
                list,
                rule,
            }),
        }
    }

    pub(super) fn node(&self, node: usize) -> &Node<'a> {
        &self.list[node]
    }

    pub(super) fn text(&self, range: Range<usize>) -> &'a [u8] {
        // Ranges are those that the reader found in these bytes.
        self.bytes.get(range).unwrap_or_default()
    }

    /// The nodes in a container that are used, in the order of its value, and whether it has no others.
    pub(super) fn children(&self, node: usize) -> (Vec<usize>, bool) {
        let children = self.all_children(node);
        let is_map = matches!(self.node(node).event, Event::StartMap(_));
        if !is_map || children.is_sorted_by(|&a, &b| self.key(a) < self.key(b)) {
            return (children, true);
        }
        let groups =
            repeated_keys(children.len(), |at| children.get(at).map_or(&[][..], |&child| self.key(child)));
        if groups.is_empty() {
            return (children, true);
        }
        let mut kept: Vec<Option<usize>> = children.iter().copied().map(Some).collect();
        for (first, later) in groups {
            let last = kept[later].take();
            if self.rule == Duplicates::Last {
                kept[first] = last;
            }
        }
        (kept.into_iter().flatten().collect(), false)
    }

    /// The nodes in a container, in the order of the file.
    fn all_children(&self, node: usize) -> Vec<usize> {
        let from = |at: usize| Some(at).filter(|&at| at < self.node(node).after);
        std::iter::successors(from(node + 1), |&child| from(self.node(child).after)).collect()
    }

    /// The first node in a map with each key, in the order of the file. Its value is unused if that of the last one
    /// counts.
    pub(super) fn first_of_keys(&self, node: usize) -> Vec<usize> {
        let mut children = self.all_children(node);
        let mut known = std::collections::HashSet::new();
        children.retain(|&child| known.insert(self.key(child)));
        children
    }

    pub(super) fn key(&self, node: usize) -> &[u8] {
        // Only entries of maps are asked for their key, and have one.
        self.node(node).key.as_ref().map(|key| key.as_bytes()).unwrap_or_default()
    }

    /// The bytes of a value.
    pub(super) fn range(&self, node: usize) -> Range<usize> {
        self.node(node).start..self.node(node).end
    }

    /// Whether the document spells a boolean as a word, `true` or `false`.
    pub(super) fn words(&self) -> bool {
        let is_word = |node: &Node<'_>| {
            let text = self.text(node.start..node.end);
            matches!(node.event, Event::Scalar(Scalar::Boolean(_)))
                && (text.contains_str("true") || text.contains_str("false"))
        };
        self.list.iter().any(is_word)
    }

    pub(super) fn spans(&self) -> Vec<(String, Range<usize>)> {
        let mut spans = Vec::new();
        let mut order = Order::default();
        while let Some((event, node)) = order.next(self) {
            if !matches!(event, Event::Key(_) | Event::EndArray | Event::EndMap) {
                spans.push((order.path(), self.range(node)));
            }
        }
        spans
    }

    /// Whether a node has exactly the content of a value, to the last bit and in the same order.
    pub(super) fn equal(&self, node: usize, value: &Value) -> bool {
        let mut pairs = vec![(node, value)];
        while let Some((node, value)) = pairs.pop() {
            let same = match (&self.node(node).event, value) {
                (Event::StartArray(_), Value::Array(values)) => {
                    let (children, _) = self.children(node);
                    pairs.extend(children.iter().copied().zip(values));
                    children.len() == values.len()
                }
                (Event::StartMap(_), Value::Map(map)) => {
                    let (children, _) = self.children(node);
                    pairs.extend(children.iter().copied().zip(map.values()));
                    self.same_keys(&children, map)
                }
                (event, value) => *event == value.into(),
            };
            if !same {
                return false;
            }
        }
        true
    }

    pub(super) fn same_keys(&self, children: &[usize], map: &Map) -> bool {
        children.len() == map.len()
            && children.iter().zip(map.keys()).all(|(&child, key)| self.key(child) == key.as_bytes())
    }
}

/// Finds values by their paths; the entries of a container are listed once.
#[derive(Debug)]
pub(super) struct Finder<'n, 'a> {
    pub(super) nodes: &'n Nodes<'a>,
    maps: HashMap<usize, HashMap<&'n [u8], usize>>,
    arrays: HashMap<usize, Vec<usize>>,
}

impl<'n, 'a> Finder<'n, 'a> {
    pub(super) fn new(nodes: &'n Nodes<'a>) -> Self {
        Self { nodes, maps: HashMap::new(), arrays: HashMap::new() }
    }

    /// The entry of a container that a step leads to. `index` is that of the file for the index of an array.
    pub(super) fn entry(
        &mut self,
        node: usize,
        step: &Step<'_>,
        index: impl FnOnce(usize) -> Option<usize>,
    ) -> Option<usize> {
        let nodes = self.nodes;
        match nodes.node(node).event {
            Event::StartMap(_) => {
                let index =
                    || nodes.children(node).0.into_iter().map(|child| (nodes.key(child), child)).collect();
                self.maps.entry(node).or_insert_with(index).get(step.key()?).copied()
            }
            Event::StartArray(_) => {
                let children = self.arrays.entry(node).or_insert_with(|| nodes.children(node).0);
                children.get(index(step.index()?)?).copied()
            }
            _ => None,
        }
    }
}

/// Goes through the values of a document in the order of the value, from the outside in.
#[derive(Debug, Default)]
pub(crate) struct Order<'a> {
    begun: bool,
    /// The next items, last first: a node, and its state (key returned, or finished).
    waiting: Vec<(usize, Part)>,
    /// The path of the last event; `steps` does not yet include that event.
    steps: Steps<'a>,
    last: Option<Event<'a>>,
}

#[derive(Clone, Copy, Debug)]
enum Part {
    Key,
    Value,
    End,
}

impl<'a> Order<'a> {
    /// The next event, and the node that it belongs to.
    pub(crate) fn next(&mut self, nodes: &Nodes<'a>) -> Option<(Event<'a>, usize)> {
        if !std::mem::replace(&mut self.begun, true) {
            self.waiting.push((nodes.root, Part::Value));
        }
        let (node, part) = self.waiting.pop()?;
        let Node { event, key, .. } = nodes.node(node);
        let event = match (part, key, event) {
            (Part::Key, Some(key), _) => {
                self.waiting.push((node, Part::Value));
                Event::Key(key.clone())
            }
            (Part::End, _, Event::StartMap(_)) => Event::EndMap,
            (Part::End, ..) => Event::EndArray,
            (_, _, event) => {
                if event.step() > 0 {
                    self.waiting.push((node, Part::End));
                    self.waiting.extend(nodes.children(node).0.iter().rev().map(|&child| (child, Part::Key)));
                }
                event.clone()
            }
        };
        if let Some(last) = self.last.take() {
            self.steps.follow(last);
        }
        match &event {
            Event::Key(key) => self.steps.key(key.clone()),
            event => self.last = Some(event.clone()),
        }
        Some((event, node))
    }

    /// The path of the last event.
    pub(crate) fn path(&self) -> String {
        self.steps.path()
    }
}
