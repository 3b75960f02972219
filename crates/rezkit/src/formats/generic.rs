//! The model of any format as a tree, read through serde. Nodes are created on demand: a walk keeps only the nodes on
//! its path, and a window of the children of each.

use std::borrow::Cow;

use serde::Serialize;

use crate::serial::{Any, Child, Children as Wanted, Model, Name, children, make};
use crate::tree::{Children, Node, Value, Written};

/// The maximum number of values that are created with their node. A node with more creates its children on demand.
const WHOLE: usize = 1 << 12;
/// The maximum number of values in a window of children, not counting the last child: a quarter of what a read may allocate, at some
/// 350 bytes each. The first window is small, since often only the first children are needed.
fn window(max_bytes: u64) -> usize {
    usize::try_from(max_bytes / 1400).unwrap_or(usize::MAX).clamp(WHOLE, 1 << 17)
}

/// How a vector or a list of these values is written.
fn written<'a>(mut values: impl Iterator<Item = &'a Any>) -> Written {
    match values.all(|value| matches!(value, Any::Byte(_) | Any::Integer(_))) {
        true => Written::Integers,
        false => Written::Numbers,
    }
}

/// A value as one line; `None` if it is not shown in one line.
fn value(any: &Any) -> Option<Value> {
    let list = |texts: &mut dyn Iterator<Item = String>| texts.collect::<Vec<_>>().join(", ");
    Some(match any {
        _ if !any.is_value() => return None,
        Any::String(text) => Value::bytes("string", text.as_bytes()),
        Any::Bytes(bytes) => Value::bytes("bytes", bytes.as_slice()),
        Any::List(values, _) => Value::line(
            "list",
            written(values.iter()),
            format!("[{}]", list(&mut values.iter().map(ToString::to_string))),
        ),
        Any::Record(fields, _) => {
            let values = || fields.iter().map(|(_, value)| value);
            let texts = list(&mut values().map(ToString::to_string));
            Value::line("vector", written(values()), format!("({texts})"))
        }
        Any::Bool(_) => Value::line(any.kind(), Written::Bool, any),
        Any::Byte(_) | Any::Integer(_) => Value::line(any.kind(), Written::Integer, any),
        Any::F32(_) | Any::F64(_) => Value::line(any.kind(), Written::Real, any),
        Any::Nothing => Value::text(any.kind(), any),
    })
}

/// A value in a model.
struct Field<'a> {
    name: Cow<'a, str>,
    /// The kind of the root; the kind of other nodes follows from their value.
    kind: Option<&'static str>,
    /// The value; only its beginning if there is a `rest`.
    any: Cow<'a, Any>,
    /// The place of the whole value in the model, if it is large.
    rest: Option<Rest<'a>>,
}

/// A value that is too large to be kept: the model, and the indices that lead to it.
#[derive(Clone)]
struct Rest<'a> {
    model: &'a dyn Model,
    path: Vec<usize>,
    /// The maximum number of values in a window of its children.
    window: usize,
}

impl<'a> Rest<'a> {
    /// The node of a child.
    fn field(&self, child: Child) -> Field<'a> {
        let rest = (!child.all).then(|| {
            let path = self.path.iter().copied().chain([child.index]).collect();
            Rest { path, ..*self }
        });
        Field { name: child.name, kind: None, any: Cow::Owned(child.any), rest }
    }
}

/// The tree of a model.
pub(super) fn root<'a, T: Serialize>(kind: &'static str, model: &'a T, max_bytes: u64) -> Box<dyn Node + 'a> {
    let (any, all) = make(model, &[], WHOLE);
    let rest = (!all).then(|| Rest { model, path: Vec::new(), window: window(max_bytes) });
    Box::new(Field { name: "".into(), kind: Some(kind), any: Cow::Owned(any), rest })
}

impl Node for Field<'_> {
    fn name(&self) -> Cow<'_, str> {
        (&*self.name).into()
    }

    fn kind(&self) -> Cow<'_, str> {
        self.kind.map_or_else(|| self.any.kind(), Cow::Borrowed)
    }

    fn value(&self) -> Option<Value> {
        let Some(rest) = &self.rest else { return value(&self.any) };
        // A short list can contain a large value.
        let (Any::String(_) | Any::Bytes(_)) = &*self.any else { return None };
        // A long text is moved, not copied.
        match make(rest.model, &rest.path, usize::MAX).0 {
            Any::String(text) => Some(Value::bytes("string", text)),
            Any::Bytes(bytes) => Some(Value::bytes("bytes", bytes)),
            other => value(&other),
        }
    }

    fn children(&self) -> Children<'_> {
        if self.count() == 0 {
            return Box::new(std::iter::empty());
        }
        if let Some(rest) = &self.rest {
            return Box::new(Windows {
                rest: rest.clone(),
                next: 0,
                size: WHOLE / 16,
                window: Vec::new().into_iter(),
            });
        }
        let field = |name, any| {
            Box::new(Field { name, kind: None, any: Cow::Borrowed(any), rest: None }) as Box<dyn Node + '_>
        };
        match &*self.any {
            Any::List(values, _) => {
                let values = values.iter().enumerate();
                Box::new(values.map(move |(index, any)| field(index.to_string().into(), any)))
            }
            Any::Record(fields, _) => {
                Box::new(fields.iter().map(move |(name, any)| field(Cow::Borrowed(&**name), any)))
            }
            _ => Box::new(std::iter::empty()),
        }
    }

    fn count(&self) -> usize {
        match &*self.any {
            any if self.rest.is_none() && any.is_value() => 0,
            Any::List(_, count) | Any::Record(_, count) => *count,
            _ => 0,
        }
    }

    fn is_list(&self) -> bool {
        matches!(&*self.any, Any::List(..))
    }

    fn child(&self, name: &str, index: usize, found: &mut dyn FnMut(&dyn Node)) -> bool {
        let Some(rest) = &self.rest else {
            let mut named = self.children().filter(|child| child.name() == name);
            return named.nth(index).map(|child| found(&*child)).is_some();
        };
        let at = match self.is_list() {
            true => match name.parse::<usize>() {
                Ok(at) if at.to_string() == name => at,
                _ => return false,
            },
            false => 0,
        };
        let (mut before, mut made) = (0, None);
        children(
            rest.model,
            &rest.path,
            Wanted {
                max: WHOLE,
                wants: &mut |_, this| {
                    let has_name = match this {
                        Name::Index(this) => this == at,
                        this => this.text() == name,
                    };
                    before += usize::from(has_name);
                    has_name && before > index
                },
                take: &mut |child| {
                    made = Some(rest.field(child));
                    false
                },
            },
        );
        made.map(|field| found(&field)).is_some()
    }

    fn whole(&self) -> Option<&Any> {
        self.rest.is_none().then_some(&*self.any)
    }
}

/// The children of a large value, window by window. The children before a window are skipped without reading them.
struct Windows<'a> {
    rest: Rest<'a>,
    next: usize,
    size: usize,
    window: std::vec::IntoIter<Field<'a>>,
}

impl<'a> Windows<'a> {
    fn fill(&mut self) {
        let (mut window, mut spent) = (Vec::new(), 0);
        let Self { rest, next, size, .. } = self;
        let skip = *next;
        children(
            rest.model,
            &rest.path,
            Wanted {
                max: WHOLE,
                wants: &mut |index, _| index >= skip,
                take: &mut |child| {
                    *next += 1;
                    spent += child.cost + 1;
                    window.push(rest.field(child));
                    spent < *size
                },
            },
        );
        *size = (*size * 4).min(rest.window);
        self.window = window.into_iter();
    }
}

impl<'a> Iterator for Windows<'a> {
    type Item = Box<dyn Node + 'a>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.window.len() == 0 {
            self.fill();
        }
        self.window.next().map(|field| Box::new(field) as _)
    }
}

#[cfg(test)]
#[path = "../../../rezkit-cli/tests/inside/kinds_generic.rs"]
mod tests;
