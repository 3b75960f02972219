//! Instances that are not in a document yet.

use std::collections::VecDeque;
use std::ops::Range;

use bstr::{BStr, BString, ByteSlice as _};

use crate::value::Value;
#[cfg(feature = "classes")]
use geom::wire::Result;

/// A new instance with its properties and its children, for `Document::insert`.
///
/// No method recurses, however deep the children are: all descendants are in one list.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct NewInstance {
    top: NewNode,
    /// All descendants of `top`, children before their parent.
    below: VecDeque<NewNode>,
}

/// One instance of a [`NewInstance`], without its children.
#[derive(Clone, Debug, PartialEq)]
pub struct NewNode {
    /// The name of the class, then the names of the properties, all in one allocation.
    names: Vec<u8>,
    /// The length of the name of the class.
    class: usize,
    /// Whether it is a service.
    pub service: bool,
    /// The name by which references refer to it.
    pub label: Option<BString>,
    /// The range of each name in `names`, and the value, in the order of the calls. Of two with one name, the last
    /// counts.
    pub properties: Vec<(Range<usize>, NewValue)>,
    /// The number of nodes before this one that are its descendants.
    descendants: usize,
}

impl NewNode {
    /// The class.
    pub fn class(&self) -> &BStr {
        self.name(&(0..self.class))
    }

    /// The name in a range.
    pub fn name(&self, at: &Range<usize>) -> &BStr {
        self.names.get(at.clone()).unwrap_or_default().as_bstr()
    }

    fn put(&mut self, name: &[u8], value: NewValue) {
        let at = self.add_name(name);
        self.properties.push((at, value));
    }

    /// Refuses properties that a file cannot have. A document asks this unless it stores them already.
    ///
    /// # Errors
    /// `InvalidArgument` with the class and the name of the property.
    #[cfg(feature = "classes")]
    pub fn storable(&self) -> Result<()> {
        let class = self.class();
        self.properties.iter().try_for_each(|(at, _)| match crate::classes::unstored(class, self.name(at)) {
            Some(why) => Err(geom::wire::Error::invalid_argument(format!("{class}.{}", self.name(at)), why)),
            None => Ok(()),
        })
    }

    /// Adds a name, and returns its range.
    pub fn add_name(&mut self, name: &[u8]) -> Range<usize> {
        let start = self.names.len();
        self.names.extend_from_slice(name);
        start..self.names.len()
    }
}

/// The value of a property of a new instance.
#[derive(Clone, Debug, PartialEq)]
pub enum NewValue {
    /// A value.
    Value(Value),
    /// A reference to the instance with this label.
    Label(BString),
}

impl NewInstance {
    /// An instance of a class, such as `Part`.
    pub fn new(class: impl AsRef<[u8]>) -> Self {
        let class = class.as_ref();
        // Enough for the names of most instances.
        let mut names = Vec::with_capacity(class.len() + 64);
        names.extend_from_slice(class);
        let top = NewNode {
            names,
            class: class.len(),
            service: false,
            label: None,
            properties: Vec::new(),
            descendants: 0,
        };
        Self { top, below: VecDeque::new() }
    }

    /// Sets a property, by the name under which files store it. A second value for the same name replaces the first. With
    /// the feature `classes`, by any name that `Dom::set` takes: a part, such as `Position` or `Size.X`, changes what was set
    /// before it, or else the default of the class.
    pub fn property(self, name: impl AsRef<[u8]>, value: impl Into<Value>) -> Self {
        self.put(name.as_ref(), NewValue::Value(value.into()))
    }

    /// Sets a property that refers to the instance with a [label](Self::label), which must be inserted with this one.
    pub fn reference(self, name: impl AsRef<[u8]>, label: impl AsRef<[u8]>) -> Self {
        self.put(name.as_ref(), NewValue::Label(label.as_ref().into()))
    }

    /// A name for references between instances that are inserted together; it is not stored.
    pub fn label(mut self, label: impl AsRef<[u8]>) -> Self {
        self.top.label = Some(label.as_ref().into());
        self
    }

    /// Whether the instance is a service of a place, such as `Workspace`. Off by default.
    pub fn service(mut self, service: bool) -> Self {
        self.top.service = service;
        self
    }

    /// Adds a child after those that exist.
    pub fn child(mut self, mut child: Self) -> Self {
        self.top.descendants += 1 + child.below.len();
        // The shorter list moves, so that many levels take little more time than many children.
        if self.below.len() < child.below.len() {
            for node in self.below.into_iter().rev() {
                child.below.push_front(node);
            }
            self.below = child.below;
        } else {
            self.below.append(&mut child.below);
        }
        self.below.push_back(child.top);
        self
    }

    // Inlined, a chain of calls does not move the instance each time.
    #[inline]
    fn put(mut self, name: &[u8], value: NewValue) -> Self {
        self.top.put(name, value);
        self
    }

    /// What has an empty name, if anything.
    pub(crate) fn nameless(&self) -> Option<&'static str> {
        let mut nodes = self.below.iter().chain([&self.top]);
        nodes.find_map(|node| match node.class {
            0 => Some("class"),
            _ => node.properties.iter().any(|(at, _)| at.is_empty()).then_some("property"),
        })
    }

    /// The node, if it has neither children nor a label.
    pub fn alone(&mut self) -> Option<&mut NewNode> {
        (self.below.is_empty() && self.top.label.is_none()).then_some(&mut self.top)
    }

    /// The instances, parents before their children and siblings in order, each with the index of its
    /// parent in this list.
    pub fn into_nodes(self) -> Vec<(Option<usize>, NewNode)> {
        let mut nodes: Vec<_> = self.below.into_iter().chain([self.top]).map(Some).collect();
        let mut ordered = Vec::with_capacity(nodes.len());
        let mut waiting = vec![(None, nodes.len() - 1)];
        while let Some((parent, index)) = waiting.pop() {
            let Some(node) = nodes[index].take() else { continue };
            let this = Some(ordered.len());
            // The last child is just before its parent, and before it are its own descendants.
            let (first, mut end) = (index - node.descendants, index);
            while end > first {
                let child = end - 1;
                waiting.push((this, child));
                end = child - nodes[child].as_ref().map_or(0, |child| child.descendants);
            }
            ordered.push((parent, node));
        }
        ordered
    }
}
