//! Edits of a document's tree: each by path, several as one.

use std::fmt;

use rezkit_core::{Error, Loss, Reference, Result, Sources};

use crate::options::{ConvertOptions, ReadOptions};

/// An edit of a document of instances: paths have `/` between the names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Edit {
    /// Sets the value at a path, which keeps its type unless another is named.
    Set {
        /// The path of the instance, and after a `.` the property.
        path: String,
        /// The value as text.
        value: String,
        /// The type.
        kind: Option<String>,
    },
    /// Puts everything of a model below an instance, after its children.
    Insert {
        /// The model, by the name under which [`Sources`] give it.
        model: String,
        /// The instance; empty for the root.
        parent: String,
    },
    /// Removes an instance with everything below it; references to them become null.
    Remove {
        /// The instance.
        path: String,
    },
    /// Makes an instance the last child of another.
    Move {
        /// The instance.
        path: String,
        /// Its new parent; empty for the root.
        parent: String,
    },
    /// Gives an instance another name.
    Rename {
        /// The instance.
        path: String,
        /// The name.
        name: String,
    },
    /// Copies an instance with everything below it into a model.
    Copy {
        /// The instance.
        path: String,
        /// The model's name, whose extension tells its form.
        model: String,
    },
}

/// What edits did.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Edited {
    /// How many instances were put in.
    pub inserted: usize,
    /// How many instances were removed, with those below them.
    pub removed: usize,
    /// The values that were filled in, since a class stores the same properties for all of its instances.
    pub filled: Vec<Filled>,
    /// The models that were made, by the names that the edits have.
    #[serde(skip)]
    pub models: Vec<(String, Vec<u8>)>,
    /// What was left out or changed.
    pub losses: Vec<Loss>,
}

/// A property that was filled in: what a new instance of the class has.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Filled {
    /// The class.
    pub class: String,
    /// The property.
    pub property: String,
    /// The value.
    pub value: String,
    /// How many instances got it.
    pub count: usize,
}

/// `Part.CastShadow = true filled in for 3`.
impl fmt::Display for Filled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { class, property, value, count } = self;
        write!(f, "{class}.{property} = {value} filled in for {count}")
    }
}

/// What was put back into a file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Packed {
    /// What changed: the paths of the properties.
    pub changed: Vec<String>,
    /// The files that were not put anywhere, and those that are missing.
    pub losses: Vec<Loss>,
}

impl Edit {
    /// The edits of a script: one a line, its name and its arguments with spaces between them; what has spaces is in
    /// quotes, `"` in which `\"` and `\\` are characters, or `'`. Empty lines and those that begin with `#` are skipped.
    ///
    /// `set PATH VALUE [TYPE]`, `insert MODEL [PARENT]`, `remove PATH`, `move PATH [PARENT]`, `rename PATH NAME`,
    /// `copy PATH MODEL`.
    ///
    /// # Errors
    /// [`Argument`](rezkit_core::ErrorKind::Argument) with the number of the line.
    pub fn parse(script: &str) -> Result<Vec<Self>> {
        let mut edits = Vec::new();
        for (index, line) in script.lines().enumerate() {
            let wrong = |what: &str| Error::argument(what.to_owned()).at(format!("line {}", index + 1));
            let words = words(line).ok_or_else(|| wrong("a quote that is not closed"))?;
            let mut words = words.into_iter();
            let Some(name) = words.next().filter(|_| !line.trim_start().starts_with('#')) else { continue };
            let (first, second, third, more) = (words.next(), words.next(), words.next(), words.next());
            edits.push(match (name.as_str(), first, second, third, more) {
                ("set", Some(path), Some(value), kind, None) => Self::Set { path, value, kind },
                ("insert", Some(model), parent, None, None) => {
                    Self::Insert { model, parent: parent.unwrap_or_default() }
                }
                ("remove", Some(path), None, None, None) => Self::Remove { path },
                ("move", Some(path), parent, None, None) => {
                    Self::Move { path, parent: parent.unwrap_or_default() }
                }
                ("rename", Some(path), Some(name), None, None) => Self::Rename { path, name },
                ("copy", Some(path), Some(model), None, None) => Self::Copy { path, model },
                _ => {
                    let what = "expected set PATH VALUE [TYPE], insert MODEL [PARENT], remove PATH, move PATH [PARENT], \
                                rename PATH NAME or copy PATH MODEL";
                    return Err(wrong(what));
                }
            });
        }
        Ok(edits)
    }
}

/// The words of a line; `None` where a quote is not closed.
fn words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut chars) = (Vec::new(), line.chars().peekable());
    loop {
        while chars.next_if(|char| char.is_whitespace()).is_some() {}
        let Some(&first) = chars.peek() else { return Some(words) };
        let mut word = String::new();
        if first == '"' || first == '\'' {
            chars.next();
            loop {
                match chars.next()? {
                    char if char == first => break,
                    '\\' if first == '"' => word.push(chars.next()?),
                    char => word.push(char),
                }
            }
        } else {
            word.extend(std::iter::from_fn(|| chars.next_if(|char| !char.is_whitespace())));
        }
        words.push(word);
    }
}

impl crate::Opened<'_> {
    /// Edits it: all of the edits, in order, or none of them. `models` gives the models that are put in, as
    /// [`Reference::Beside`].
    ///
    /// # Errors
    /// [`Argument`](rezkit_core::ErrorKind::Argument) where there is no such path, a value does not fit, or assets of this
    /// format are not edited; what reading a model gives. Then nothing is changed.
    pub fn edit(&mut self, edits: &[Edit], models: &mut dyn Sources) -> Result<Edited> {
        let options: ReadOptions = self.options.clone();
        let (mut read, mut losses) = (Vec::new(), Vec::new());
        for edit in edits {
            let Edit::Insert { model, .. } = edit else { continue };
            let bytes = models.get(&Reference::Beside(model.clone()))?;
            let bytes = bytes.ok_or_else(|| Error::argument("there is no such model").at(model.as_str()))?;
            let at = |error: Error| error.at(model.as_str());
            let mut opened = options.open(bytes, model, ()).map_err(at)?;
            if !opened.asset().has_instances() {
                // The animations of other files become instances.
                let made = opened.convert(Some("rbxm"), "model.rbxm", &ConvertOptions::new()).map_err(at)?;
                losses.extend(made.losses);
                let bytes = made.files.into_iter().next().map(|file| file.bytes).unwrap_or_default();
                opened = options.open(bytes, model, ()).map_err(at)?;
            }
            read.push(opened);
        }
        let mut read = read.iter();
        let steps: Vec<(&Edit, Option<&dyn crate::Asset>)> = edits
            .iter()
            .map(|edit| match edit {
                Edit::Insert { .. } => (edit, read.next().map(crate::Opened::asset)),
                _ => (edit, None),
            })
            .collect();
        let mut edited = self.asset_mut()?.edit(&steps, &options)?;
        edited.losses.extend(losses);
        Ok(edited)
    }

    /// Puts files that [`extract`](Self::extract) made, and that were edited since, back into it: by path, with `/` between
    /// the names. Scripts' sources and meta files are; models are not, and neither are new files.
    ///
    /// # Errors
    /// [`Argument`](rezkit_core::ErrorKind::Argument) where one of them cannot be put back, with its path: then others may be changed
    /// already.
    pub fn pack(&mut self, files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Result<Packed> {
        let options = self.options.clone();
        let (changed, losses) = self.asset_mut()?.pack(files.into_iter().collect(), &options)?;
        Ok(Packed { changed, losses })
    }
}
