//! Creates values from what a walk over a model comes across, up to a maximum number.

use std::borrow::Cow;

use super::any::{Any, SHORT};

/// The number of bytes of a text that count as one value.
const VALUE: usize = 64;

/// The name of a child.
#[derive(Clone, Copy)]
pub(crate) enum Name<'a> {
    Index(usize),
    Field(&'static str),
    /// The name of an enum's variant, and the index of a value in it.
    At(&'static str, usize),
    /// The name of an enum's variant, and the name of a field in it.
    Part(&'static str, &'static str),
    Key(&'a str),
}

impl Name<'_> {
    pub(crate) fn text(self) -> Cow<'static, str> {
        match self {
            Name::Index(index) => index.to_string().into(),
            Name::Field(name) => name.into(),
            Name::At(variant, index) => format!("{variant}.{index}").into(),
            Name::Part(variant, field) => format!("{variant}.{field}").into(),
            Name::Key(name) => name.to_owned().into(),
        }
    }
}

/// Creates a value and its children until no values are left.
#[derive(Default)]
pub(super) struct Make {
    left: usize,
    /// The last value that was created.
    pub(super) made: Any,
    /// The lists and records around the next value, each with the number of its children.
    open: Vec<(Any, usize)>,
    /// Whether something was left out.
    pub(super) cut: bool,
}

impl Make {
    pub(super) fn new(max: usize) -> Self {
        Self { left: max, ..Self::default() }
    }

    pub(super) fn spend(&mut self, cost: usize) -> bool {
        let left = self.left.checked_sub(cost);
        self.cut |= left.is_none();
        self.left = left.unwrap_or(0);
        left.is_some()
    }

    pub(super) fn leaf(&mut self, any: Any) {
        let cost = match &any {
            Any::String(text) => text.len() / VALUE,
            Any::Bytes(bytes) => bytes.len() / VALUE,
            _ => 0,
        };
        self.made = match any {
            Any::String(_) if !self.spend(cost + 1) => Any::String(String::new()),
            Any::Bytes(_) if !self.spend(cost + 1) => Any::Bytes(Vec::new()),
            any => any,
        };
    }

    /// Begins a list or a record with this number of children.
    pub(super) fn open(&mut self, is_list: bool, count: usize) {
        let first = count.min(SHORT);
        let made = match is_list {
            true => Any::List(Vec::with_capacity(first), count),
            false => Any::Record(Vec::with_capacity(first), count),
        };
        self.open.push((made, count));
    }

    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Ends the value that was begun at this depth.
    pub(super) fn close(&mut self, depth: usize) {
        if self.open.len() > depth {
            self.open.truncate(depth + 1);
            self.made = self.open.pop().map(|(made, _)| made).unwrap_or_default();
        }
    }

    /// Adds the last value to the list or record around it.
    pub(super) fn add(&mut self, name: Name<'_>) {
        let made = std::mem::take(&mut self.made);
        let Some((around, count)) = self.open.last_mut() else { return };
        match (&mut *around, made) {
            // A long list that begins with a byte is a byte string, until another kind of value follows.
            (Any::List(values, _), Any::Byte(byte)) if values.is_empty() && *count > SHORT => {
                let mut bytes = Vec::with_capacity((*count).min(self.left.saturating_mul(VALUE)));
                bytes.push(byte);
                *around = Any::Bytes(bytes);
            }
            (Any::Bytes(bytes), Any::Byte(byte)) => {
                bytes.push(byte);
                self.left += usize::from(bytes.len() % VALUE != 0);
            }
            (Any::Bytes(bytes), other) => {
                let values = bytes.drain(..).map(Any::Byte).chain([other]).collect();
                *around = Any::List(values, *count);
            }
            (Any::List(values, _), made) => values.push(made),
            (Any::Record(fields, _), made) => fields.push((name.text(), made)),
            _ => {}
        }
    }
}

/// A child of a value.
pub(crate) struct Child {
    pub(crate) index: usize,
    pub(crate) name: Cow<'static, str>,
    /// The child, or its beginning.
    pub(crate) any: Any,
    /// Whether it is complete.
    pub(crate) all: bool,
    /// The number of values that were created.
    pub(crate) cost: usize,
}

/// Receives the children of a value one by one.
pub(crate) struct Children<'a> {
    /// The maximum number of values that are created of a child.
    pub(crate) max: usize,
    /// Whether a child, given by its index and its name, is wanted.
    pub(crate) wants: &'a mut dyn FnMut(usize, Name<'_>) -> bool,
    /// Receives a wanted child; returns whether to continue.
    pub(crate) take: &'a mut dyn FnMut(Child) -> bool,
}

impl Children<'_> {
    pub(super) fn give(&mut self, index: usize, name: Name<'_>, make: &mut Make) -> bool {
        let (any, all, cost) = (std::mem::take(&mut make.made), !make.cut, self.max - make.left);
        (self.take)(Child { index, name: name.text(), any, all, cost })
    }
}
