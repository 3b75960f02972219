//! Down a path of keys and places.

use crate::model::{Array, Map, Value};

impl Value {
    /// The value of a key, where this is a map.
    pub fn get(&self, key: impl AsRef<[u8]>) -> Option<&Value> {
        self.as_map()?.get(key)
    }

    /// The value of a key, to be changed, where this is a map.
    pub fn get_mut(&mut self, key: impl AsRef<[u8]>) -> Option<&mut Value> {
        self.as_map_mut()?.get_mut(key)
    }

    /// The value at a place, where this is an array.
    pub fn at(&self, index: usize) -> Option<&Value> {
        self.as_array()?.get(index)
    }

    /// The value at the end of a path: keys of maps and places in arrays with `/` between them, and
    /// one at the beginning or not. The empty path is the value itself. A key with a `/` in it is
    /// only reached by [`Value::get`].
    ///
    /// ```
    /// let value = llsd::from_slice(b"{'a':[i1,{'b':'c'}]}")?;
    /// assert_eq!(value.find("a/1/b"), Some(&"c".into()));
    /// assert_eq!(value.find("/a/2"), None);
    /// # Ok::<(), llsd::Error>(())
    /// ```
    pub fn find(&self, path: &str) -> Option<&Value> {
        steps(path).try_fold(self, |value, step| match value {
            Self::Map(map) => map.get(step),
            Self::Array(values) => values.get(place(step)?),
            _ => None,
        })
    }

    /// The value at the end of a path, to be changed.
    pub fn find_mut(&mut self, path: &str) -> Option<&mut Value> {
        steps(path).try_fold(self, |value, step| match value {
            Self::Map(map) => map.get_mut(step),
            Self::Array(values) => values.get_mut(place(step)?),
            _ => None,
        })
    }

    /// Sets the value at the end of a path and gives the one that stood there. Maps on the way are
    /// made where there is nothing ([`Value::Undef`], or no such key), and arrays where the step
    /// is 0; an array grows by one where the step is its length.
    ///
    /// `None`, and nothing is set, where the path leads through something else, and where nothing
    /// stood there: [`Value::find`] tells the two apart.
    pub fn set(&mut self, path: &str, value: impl Into<Value>) -> Option<Value> {
        // Looks first, so that a path that ends in a wall leaves nothing behind.
        let mut there = Some(&*self);
        for step in steps(path) {
            there = match there {
                None | Some(Self::Undef) => None,
                Some(Self::Map(map)) => map.get(step),
                Some(Self::Array(values)) => match place(step) {
                    Some(index) if index <= values.len() => values.get(index),
                    _ => return None,
                },
                Some(_) => return None,
            };
        }
        let missing = there.is_none();
        let mut at = self;
        for step in steps(path) {
            if at.is_undef() {
                *at = if step == "0" { Self::Array(Array::new()) } else { Self::Map(Map::new()) };
            }
            at = match at {
                Self::Map(map) => {
                    let known = map.0.iter().position(|(key, _)| key.as_bytes() == step.as_bytes());
                    let index = known.unwrap_or(map.0.len());
                    if known.is_none() {
                        map.0.push((step.into(), Self::Undef));
                    }
                    &mut map.0.get_mut(index)?.1
                }
                Self::Array(values) => {
                    let index = place(step)?;
                    if index == values.len() {
                        values.push(Self::Undef);
                    }
                    values.get_mut(index)?
                }
                _ => return None,
            };
        }
        let before = std::mem::replace(at, value.into());
        if missing { None } else { Some(before) }
    }

    /// Takes the value at the end of a path out of its map or array.
    pub fn remove(&mut self, path: &str) -> Option<Value> {
        let path = path.strip_prefix('/').unwrap_or(path);
        let (parent, step) = path.rsplit_once('/').unwrap_or(("", path));
        match self.find_mut(parent)? {
            Self::Map(map) => map.remove(step),
            Self::Array(values) => {
                let index = place(step).filter(|&index| index < values.len())?;
                Some(values.remove(index))
            }
            _ => None,
        }
    }
}

fn steps(path: &str) -> impl Iterator<Item = &str> {
    let path = path.strip_prefix('/').unwrap_or(path);
    // Splitting nothing gives one empty piece, which would be a key.
    path.split('/').take(if path.is_empty() { 0 } else { usize::MAX })
}

/// A place in an array: digits alone.
fn place(step: &str) -> Option<usize> {
    step.bytes().all(|byte| byte.is_ascii_digit()).then(|| step.parse().ok())?
}
