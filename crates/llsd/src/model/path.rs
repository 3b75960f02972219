//! Paths of keys and indices, which address a value inside another one, or the place of an error.
//!
//! Names are separated by `/`; in a name, `\` escapes `/`, `\` and `[`. An index of an array is a name of
//! digits, or `[n]`, after a name or alone: `parts/0/size` and `parts[0]/size` are the same path.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Index;

use bstr::{BStr, ByteSlice};

use crate::model::{Array, Event, Item, Map, Value};
use geom::wire::{Error, Result};

/// The number of steps that are printed of a path; a longer path is cut in the middle.
const MAX_SHOWN: usize = 40;

/// A step of a path.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step<'a> {
    /// A key, or digits.
    Name(Cow<'a, [u8]>),
    /// `[n]`.
    Index(usize),
}

impl Step<'_> {
    /// The index in an array.
    pub(crate) fn index(&self) -> Option<usize> {
        match self {
            Self::Index(index) => Some(*index),
            Self::Name(name) => digits(name),
        }
    }

    /// The key in a map.
    pub(crate) fn key(&self) -> Option<&[u8]> {
        match self {
            Self::Index(_) => None,
            Self::Name(name) => Some(name),
        }
    }
}

/// The number of a text that has only digits.
fn digits(text: &[u8]) -> Option<usize> {
    text.iter().all(u8::is_ascii_digit).then(|| std::str::from_utf8(text).ok()?.parse().ok())?
}

/// The steps of a path.
fn steps(path: &[u8]) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    if path.is_empty() {
        return steps;
    }
    let mut rest = path.strip_prefix(b"/").unwrap_or(path);
    loop {
        let end = rest.find_byteset(b"/\\[").unwrap_or(rest.len());
        let (mut name, mut after) = (Cow::Borrowed(&rest[..end]), &rest[end..]);
        // After an escape the name is copied. A `[` that begins no index is a part of the name.
        while let [first @ (b'\\' | b'['), next @ ..] = after {
            let (kept, tail) = match next {
                [escaped @ (b'/' | b'\\' | b'['), tail @ ..] if *first == b'\\' => (*escaped, tail),
                _ if *first == b'[' && index(after).is_some() => break,
                _ => (*first, next),
            };
            name.to_mut().push(kept);
            let end = tail.find_byteset(b"/\\[").unwrap_or(tail.len());
            name.to_mut().extend_from_slice(&tail[..end]);
            after = &tail[end..];
        }
        let mut indices = Vec::new();
        while let Some((index, tail)) = index(after) {
            indices.push(Step::Index(index));
            after = tail;
        }
        // `a/[1]` is `a[1]`.
        if !name.is_empty() || indices.is_empty() {
            steps.push(Step::Name(name));
        }
        steps.append(&mut indices);
        match after.split_first() {
            Some((_, tail)) => rest = tail,
            None => return steps,
        }
    }
}

/// The steps of a path, without borrowing from it.
pub(crate) fn owned_steps(path: &[u8]) -> Vec<Step<'static>> {
    let owned = |step| match step {
        Step::Name(name) => Step::Name(Cow::Owned(Cow::into_owned(name))),
        Step::Index(index) => Step::Index(index),
    };
    steps(path).into_iter().map(owned).collect()
}

/// Reads `[n]` if a `/`, another `[` or the end follows: the index, and the text after it.
fn index(text: &[u8]) -> Option<(usize, &[u8])> {
    let (number, tail) = text.strip_prefix(b"[")?.split_once_str("]")?;
    let ends = matches!(tail.first(), None | Some(b'/' | b'['));
    Some((digits(number).filter(|_| ends && !number.is_empty())?, tail))
}

impl Value {
    pub(crate) const UNDEF: Self = Self::Undef;

    /// The value of a key, if this is a map.
    pub fn get(&self, key: impl AsRef<[u8]>) -> Option<&Value> {
        self.as_map()?.get(key)
    }

    /// The value of a key, mutably, if this is a map.
    pub fn get_mut(&mut self, key: impl AsRef<[u8]>) -> Option<&mut Value> {
        self.as_map_mut()?.get_mut(key)
    }

    /// The value at an index, if this is an array.
    pub fn at(&self, index: usize) -> Option<&Value> {
        self.as_array()?.get(index)
    }

    /// The value at a path: keys of maps and indices of arrays, separated by `/`. The empty path is the
    /// value itself. A `/` at the beginning is ignored, so `/` alone is the empty key. In a key, `/`, `\` and `[` are
    /// escaped with `\`. An index is digits, or `[n]`.
    ///
    /// ```
    /// let value = llsd::from_str("{'a':[i1,{'b/c':'d'}]}")?;
    /// assert_eq!(value.find(r"a/1/b\/c"), Some(&"d".into()));
    /// assert_eq!(value.find(r"a[1]/b\/c"), Some(&"d".into()));
    /// assert_eq!(value.find("/a/2"), None);
    /// # Ok::<(), llsd::Error>(())
    /// ```
    pub fn find(&self, path: impl AsRef<[u8]>) -> Option<&Value> {
        steps(path.as_ref()).iter().try_fold(self, |value, step| match value {
            Self::Map(map) => map.get(step.key()?),
            Self::Array(values) => values.get(step.index()?),
            _ => None,
        })
    }

    /// The value at a path, mutably.
    pub fn find_mut(&mut self, path: impl AsRef<[u8]>) -> Option<&mut Value> {
        follow(self, &steps(path.as_ref()))
    }

    /// Sets the value at a path and returns the previous one, if any. A missing container on the way ([`Value::Undef`],
    /// or no such key) is created: a map, or an array if the step into it is index 0. An array grows by one if the
    /// index is its length. Takes time in proportion to the entries of each map on the way, as [`Map::insert`] does.
    ///
    /// # Errors
    /// `InvalidArgument` if the path goes through a scalar, past the end of an array, or into an array by a name. The
    /// value is unchanged then.
    pub fn set(&mut self, path: impl AsRef<[u8]>, value: impl Into<Value>) -> Result<Option<Value>> {
        let steps = steps(path.as_ref());
        // Checks the whole path first, so that an error leaves the value unchanged.
        let mut there = Some(&*self);
        for (depth, step) in steps.iter().enumerate() {
            let refused = |what: String| Err(Error::invalid_argument(text(&steps[..=depth]), what));
            there = match (there, step.index(), step.key()) {
                (Some(Self::Map(map)), _, Some(key)) => map.get(key),
                (Some(Self::Array(values)), Some(index), _) if index <= values.len() => values.get(index),
                (Some(Self::Array(values)), Some(index), _) => {
                    return refused(format!(
                        "expected an array index of at most {len} (index {len} adds a value at the end), found {index}",
                        len = values.len()
                    ));
                }
                (None | Some(Self::Undef), Some(index), None) if index > 0 => {
                    return refused(format!(
                        "expected index 0 for the first value of a new array, found {index}"
                    ));
                }
                (None | Some(Self::Undef), _, _) => None,
                (Some(Self::Array(_)), None, _) => {
                    return refused("expected an array index, found a name".into());
                }
                (Some(Self::Map(_)), _, None) => {
                    return refused("expected a map key, found an index in brackets".into());
                }
                (Some(scalar), ..) => return Err(no_parent(scalar, &steps[..depth])),
            };
        }
        let missing = there.is_none();
        let mut at = self;
        for step in &steps {
            if at.is_undef() {
                let array = step.index() == Some(0);
                *at = if array { Self::Array(Array::new()) } else { Self::Map(Map::new()) };
            }
            match at {
                Self::Map(map) => match step.key() {
                    Some(key) if !map.contains_key(key) => map.push(key, Self::Undef),
                    _ => {}
                },
                Self::Array(values) if step.index() == Some(values.len()) => values.push(Self::Undef),
                _ => {}
            }
            let Some(inner) = follow(at, std::slice::from_ref(step)) else {
                return Err(Error::invalid_argument(text(&steps), "expected an existing path"));
            };
            at = inner;
        }
        let before = std::mem::replace(at, value.into());
        Ok((!missing).then_some(before))
    }

    /// Inserts a value at a path: into an array before the index, or at the end if the index is the length; into
    /// a map after the last entry.
    ///
    /// # Errors
    /// `InvalidArgument` if the map already has the key, if the index is past the end, or if there is no
    /// map or array at the path of the parent. The value is unchanged then.
    pub fn insert(&mut self, path: impl AsRef<[u8]>, value: impl Into<Value>) -> Result<()> {
        let steps = steps(path.as_ref());
        let refused = |what: String| Err(Error::invalid_argument(text(&steps), what));
        let Some((step, parents)) = steps.split_last() else {
            return refused("expected a key or an index, found an empty path".into());
        };
        match (follow(self, parents), step.key(), step.index()) {
            (Some(Self::Map(map)), Some(key), _) if map.contains_key(key) => {
                return refused(
                    "expected a new key, found an existing one (use `set` to replace its value)".into(),
                );
            }
            (Some(Self::Map(map)), Some(key), _) => map.push(key, value),
            (Some(Self::Array(values)), _, Some(index)) if index <= values.len() => {
                values.insert(index, value.into());
            }
            (Some(Self::Array(values)), _, Some(index)) => {
                return refused(format!(
                    "expected an array index of at most {len} (index {len} adds a value at the end), found {index}",
                    len = values.len()
                ));
            }
            (Some(Self::Array(_)), ..) => {
                return refused("expected an array index, found a name".into());
            }
            (Some(Self::Map(_)), ..) => {
                return refused("expected a map key, found an index in brackets".into());
            }
            (Some(other), ..) => return Err(no_parent(other, parents)),
            (None, ..) => {
                let what = "expected an existing array or map, found none (use `set` to create it)";
                return Err(Error::invalid_argument(text(parents), what));
            }
        }
        Ok(())
    }

    /// Removes the value at a path from its map or array and returns it.
    pub fn remove(&mut self, path: impl AsRef<[u8]>) -> Option<Value> {
        let steps = steps(path.as_ref());
        let (step, parents) = steps.split_last()?;
        match follow(self, parents)? {
            Self::Map(map) => map.remove(step.key()?),
            Self::Array(values) => {
                let index = step.index().filter(|&index| index < values.len())?;
                Some(values.remove(index))
            }
            _ => None,
        }
    }
}

fn follow<'a>(value: &'a mut Value, steps: &[Step<'_>]) -> Option<&'a mut Value> {
    steps.iter().try_fold(value, |value, step| match value {
        Value::Map(map) => map.get_mut(step.key()?),
        Value::Array(values) => values.get_mut(step.index()?),
        _ => None,
    })
}

/// The value of a key, or [`Value::Undef`] if this is no map or has no such key, as in the viewer.
impl Index<&str> for Value {
    type Output = Value;

    fn index(&self, key: &str) -> &Value {
        self.get(key).unwrap_or(&Value::UNDEF)
    }
}

/// The value at an index, or [`Value::Undef`] if this is no array or has no such index.
impl Index<usize> for Value {
    type Output = Value;

    fn index(&self, index: usize) -> &Value {
        self.at(index).unwrap_or(&Value::UNDEF)
    }
}

/// Follows events: the path of the value that comes next.
#[derive(Debug, Default)]
pub(crate) struct Steps<'a>(Vec<At<'a>>);

#[derive(Debug)]
enum At<'a> {
    /// The index of the value that comes next.
    Index(usize),
    /// The key whose value comes next, unless a key comes next.
    Key(Option<Cow<'a, BStr>>),
}

impl<'a> Steps<'a> {
    pub(crate) fn follow(&mut self, event: Event<'a>) {
        match event {
            Event::Key(key) => self.key(key),
            Event::StartArray(_) => self.0.push(At::Index(0)),
            Event::StartMap(_) => self.0.push(At::Key(None)),
            Event::EndArray | Event::EndMap => {
                self.0.pop();
                self.advance();
            }
            _ => self.advance(),
        }
    }

    /// Sets the current key of the innermost map.
    pub(crate) fn key(&mut self, key: Cow<'a, BStr>) {
        if let Some(At::Key(last)) = self.0.last_mut() {
            *last = Some(key);
        }
    }

    /// Moves on after a complete value.
    pub(crate) fn advance(&mut self) {
        match self.0.last_mut() {
            Some(At::Index(index)) => *index += 1,
            Some(At::Key(key)) => *key = None,
            None => {}
        }
    }

    /// The number of open containers.
    pub(crate) fn depth(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn path(&self) -> String {
        print(self.0.iter().map(|step| match step {
            At::Index(index) => Some(Step::Index(*index)),
            At::Key(key) => key.as_ref().map(|key| Step::Name(Cow::Borrowed(key.as_bytes()))),
        }))
    }
}

/// The path of the value that comes after these items of a walk.
pub(crate) fn path_of<'a>(items: impl Iterator<Item = Item<'a>>) -> String {
    let mut steps = Steps::default();
    items.for_each(|item| steps.follow(item.into()));
    steps.path()
}

/// The error for a scalar with a path that should lead through an array or a map.
fn no_parent(scalar: &Value, steps: &[Step<'_>]) -> Error {
    let what = format!("expected an array or a map, found a value of type {}", scalar.type_name());
    Error::invalid_argument(text(steps), what)
}

fn text(steps: &[Step<'_>]) -> String {
    print(steps.iter().cloned().map(Some))
}

/// A path as text, which [`Value::find`] accepts unless it was cut.
fn print<'a>(steps: impl ExactSizeIterator<Item = Option<Step<'a>>>) -> String {
    let mut path = String::new();
    let cut = MAX_SHOWN / 2..steps.len().saturating_sub(MAX_SHOWN / 2);
    for (at, step) in steps.enumerate() {
        if cut.contains(&at) {
            if at == cut.start {
                path.push_str("/…");
            }
            continue;
        }
        let _infallible = match step {
            None => Ok(()),
            Some(Step::Index(index)) => write!(path, "/{index}"),
            Some(Step::Name(name)) => {
                path.push('/');
                for c in name.chars() {
                    if matches!(c, '/' | '\\' | '[') {
                        path.push('\\');
                    }
                    path.push(c);
                }
                Ok(())
            }
        };
    }
    path
}
