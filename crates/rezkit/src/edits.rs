//! Edits of a document's tree by path, single or several at once.

use std::fmt;

use rezkit_core::plain::shorten;
use rezkit_core::{Counted, Error, Loss, Result};

use crate::patch::Step;

/// An edit of a document of instances: paths have names separated by `/`.
///
/// As JSON, the field `do` is the name of the edit.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
#[non_exhaustive]
pub enum Edit {
    /// Sets the value at a path. It keeps its type unless another one is given.
    Set {
        /// The path of the instance, then `.` and the property.
        path: String,
        /// The value as text.
        value: String,
        /// The new type; `None` to keep the type.
        kind: Option<String>,
    },
    /// Inserts the content of a model below an instance, after its children.
    Insert {
        /// The model, by its name in [`Sources`](rezkit_core::Sources).
        model: String,
        /// The instance; empty for the root.
        parent: String,
    },
    /// Creates an instance with the defaults of its class, after the children of its parent.
    Add {
        /// The class.
        class: String,
        /// The parent; empty for the root.
        parent: String,
        /// Properties and their values as text.
        #[serde(default)]
        properties: Vec<(String, String)>,
    },
    /// Removes an instance and everything below it; references to removed instances become null, and are listed
    /// as lost.
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
        /// The model's name, whose extension is its form.
        model: String,
    },
    /// Adds a tag to an instance, or removes it.
    Tag {
        /// The instance.
        path: String,
        /// The tag.
        tag: String,
        /// Whether it is removed.
        #[serde(default)]
        remove: bool,
    },
    /// Sets an attribute of an instance, or removes it. An existing attribute keeps its type; a new one is a number, a
    /// boolean or a text.
    Attribute {
        /// The instance.
        path: String,
        /// The name of the attribute.
        name: String,
        /// The value as text; `None` removes the attribute.
        value: Option<String>,
    },
    /// Changes the voxels of a box of terrain. Positions are in studs; a voxel measures 4, and the box contains all voxels
    /// that it touches.
    Terrain {
        /// What to do with the voxels.
        action: TerrainAction,
        /// A corner of the box.
        from: [i32; 3],
        /// The opposite corner.
        to: [i32; 3],
        /// How far the voxels move: whole voxels.
        #[serde(default)]
        by: [i32; 3],
        /// The place or model from which voxels are pasted, by its name in [`Sources`](rezkit_core::Sources).
        #[serde(default)]
        place: Option<String>,
    },
    /// A step of a patch.
    #[serde(skip)]
    Step(Box<Step>),
}

/// What an edit does with a box of terrain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum TerrainAction {
    /// Makes air of its voxels.
    Cut,
    /// Moves its voxels; where they are air, what is there stays.
    Move,
    /// Copies its voxels; where they are air, what is there stays.
    Copy,
    /// Copies the voxels of this box of another place; where they are air, what is there stays.
    Paste,
}

/// The result of edits.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Edited {
    /// The number of inserted instances.
    pub inserted: usize,
    /// The number of removed instances, including descendants.
    pub removed: usize,
    /// The number of values, tags and attributes that were set to another value than they had; for several edits of the tags
    /// or attributes of one instance in a row, 1.
    pub changed: usize,
    /// The values that were filled in, since the binary form stores the same properties for all instances of a class.
    pub filled: Vec<Filled>,
    /// The created models, by their names in the edits, and the meshes and images of inserted scenes, by their paths below
    /// the folder of the option `assets`.
    #[serde(skip)]
    pub models: Vec<(String, Vec<u8>)>,
    /// Losses.
    pub losses: Vec<Loss>,
}

/// A property that was filled in with the default of its class.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Filled {
    /// The class.
    pub class: String,
    /// The property.
    pub property: String,
    /// The value.
    pub value: String,
    /// The number of instances that got the value.
    pub count: usize,
}

/// `Part.CastShadow = true for 3 instances`.
impl fmt::Display for Filled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { class, property, value, count } = self;
        let instances = if *count == 1 { "instance" } else { "instances" };
        write!(f, "{class}.{property} = {value} for {count} {instances}")
    }
}

/// The result of packing files.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Packed {
    /// The paths of the changed properties.
    pub changed: Vec<String>,
    /// The files that were not used, and the missing files.
    pub losses: Vec<Loss>,
}

impl Edit {
    /// The edits of a script: one per line, a name and arguments separated by spaces; arguments with spaces are in
    /// quotes, `"` with the escapes `\"` and `\\`, or `'`. Empty lines and those that begin with `#` are skipped.
    ///
    /// `set PATH VALUE [TYPE]`, `insert MODEL [PARENT]`, `add CLASS [PARENT] [PROPERTY=VALUE…]`, `remove PATH`,
    /// `move PATH [PARENT]`, `rename PATH NAME`, `copy PATH MODEL`, `terrain cut FROM TO`, `terrain move FROM TO BY`,
    /// `terrain copy FROM TO BY`, `terrain paste PLACE FROM TO [BY]`. A line that begins with `{` is JSON: an edit with the field
    /// `do`, or a [`Step`] of a patch with the field `change`.
    ///
    /// # Errors
    /// [`Argument`](rezkit_core::ErrorKind::Argument) with the number of the line.
    pub fn parse(script: &str) -> Result<Vec<Self>> {
        Ok(lines(script)?.into_iter().map(|(_, edit)| edit).collect())
    }
}

/// The edits of a script with the numbers of their lines.
pub(crate) fn lines(script: &str) -> Result<Vec<(usize, Edit)>> {
    let numbered = script.lines().zip(1..).filter_map(|(line, number)| {
        let edit = Edit::of_line(line).map_err(|error| error.at(self::line(number))).transpose()?;
        Some(edit.map(|edit| (number, edit)))
    });
    numbered.collect()
}

/// The edits of a script and their arguments, for errors.
const FORMS: [&str; 8] = [
    "set PATH VALUE [TYPE]",
    "insert MODEL [PARENT]",
    "add CLASS [PARENT] [PROPERTY=VALUE…]",
    "remove PATH",
    "move PATH [PARENT]",
    "rename PATH NAME",
    "copy PATH MODEL",
    "terrain cut|move|copy|paste [PLACE] X,Y,Z X,Y,Z [X,Y,Z]",
];

/// The path of a line in errors.
pub(crate) fn line(number: usize) -> String {
    format!("line {number}")
}

impl Edit {
    /// The edit that adds an instance. A word with `=` is a property, such as `Size=4, 1, 2`; a word without one is the
    /// path of the parent, and so is one with `/` or `\` before the `=`, such as `Workspace/A=B` or `A\=B`.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if there are several parents.
    pub fn added(class: String, words: impl Iterator<Item = String>) -> Result<Self> {
        let is_property =
            |word: &String| word.split_once('=').is_some_and(|(name, _)| !name.contains(['/', '\\']));
        let (properties, mut others): (Vec<_>, Vec<_>) = words.partition(is_property);
        if let [parent, other, ..] = &others[..] {
            let found = format!("expected at most one parent, found {parent:?} and {other:?}");
            let help = "put paths and values with spaces in quotes, and write properties as PROPERTY=VALUE";
            return Err(Error::argument(format!("{found}; {help}")));
        }
        let property = |(name, value): (&str, &str)| (name.trim().to_owned(), value.to_owned());
        let properties = properties.iter().filter_map(|word| word.split_once('=').map(property)).collect();
        Ok(Self::Add { class, parent: others.pop().unwrap_or_default(), properties })
    }

    /// The edit of a line; `None` if the line is empty or a comment.
    fn of_line(line: &str) -> Result<Option<Self>> {
        let wrong = |what: &str| Error::argument(what.to_owned());
        if line.trim_start().starts_with('{') {
            return Self::of_json(line).map(Some).map_err(|error| wrong(&format!("invalid edit: {error}")));
        }
        let words = words(line).ok_or_else(|| wrong("an opening quote has no closing quote"))?;
        let mut words = words.into_iter();
        let Some(name) = words.next().filter(|_| !line.trim_start().starts_with('#')) else {
            return Ok(None);
        };
        if name == "add" {
            let class = words.next().ok_or_else(|| {
                wrong("the class is missing: expected add CLASS [PARENT] [PROPERTY=VALUE…]")
            })?;
            return Self::added(class, words).map(Some);
        }
        if name == "terrain" {
            return Self::of_terrain(&words.collect::<Vec<_>>()).map(Some).map_err(|error| wrong(&error));
        }
        let count = words.len();
        let (first, second, third, more) = (words.next(), words.next(), words.next(), words.next());
        Ok(Some(match (name.as_str(), first, second, third, more) {
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
                let known = FORMS.iter().find(|form| form.split(' ').next() == Some(name.as_str()));
                return Err(wrong(&match known {
                    Some(form) => format!(
                        "expected `{form}`, found {} (put a path or a value with spaces in quotes)",
                        Counted::new(count, "arguments")
                    ),
                    None => {
                        format!("unknown edit {:?}: expected one of {}", shorten(&name, 60), FORMS.join(", "))
                    }
                }));
            }
        }))
    }
}

impl Edit {
    /// The edit of terrain with these arguments.
    fn of_terrain(words: &[String]) -> Result<Self, String> {
        let point = |word: &String| -> Result<[i32; 3], String> {
            let parts: Vec<i32> = word.split(',').filter_map(|part| part.trim().parse().ok()).collect();
            let is_whole = word.split(',').count() == 3;
            let wrong = || {
                format!(
                    "expected three whole numbers of studs, such as 0,64,-128, found {:?}",
                    shorten(word, 60)
                )
            };
            parts.try_into().ok().filter(|_| is_whole).ok_or_else(wrong)
        };
        let action = |name: &str| {
            Some(match name {
                "cut" => TerrainAction::Cut,
                "move" => TerrainAction::Move,
                "copy" => TerrainAction::Copy,
                _ => return None,
            })
        };
        match words {
            [name, from, to] if name == "cut" => {
                let (from, to) = (point(from)?, point(to)?);
                Ok(Self::Terrain { action: TerrainAction::Cut, from, to, by: [0; 3], place: None })
            }
            [name, from, to, by] if name != "cut" && action(name).is_some() => {
                let (from, to, by) = (point(from)?, point(to)?, point(by)?);
                Ok(Self::Terrain { action: action(name).unwrap_or(TerrainAction::Move), from, to, by, place: None })
            }
            [name, place, from, to, by @ ..] if name == "paste" && by.len() < 2 => {
                let by = by.first().map(point).transpose()?.unwrap_or_default();
                let (from, to, place) = (point(from)?, point(to)?, Some(place.clone()));
                Ok(Self::Terrain { action: TerrainAction::Paste, from, to, by, place })
            }
            _ => Err("expected `terrain cut FROM TO`, `terrain move FROM TO BY`, `terrain copy FROM TO BY` or `terrain \
                      paste PLACE FROM TO [BY]`"
                .to_owned()),
        }
    }

    /// The file that an edit reads.
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Insert { model, .. } => Some(model),
            Self::Terrain { place, .. } => place.as_deref(),
            _ => None,
        }
    }

    fn of_json(line: &str) -> serde_json::Result<Self> {
        let json: serde_json::Value = serde_json::from_slice(line.as_bytes())?;
        match json.get("do") {
            Some(_) => serde_json::from_value(json),
            None => serde_json::from_value(json).map(|step| Self::Step(Box::new(step))),
        }
    }
}

/// The words of a line; `None` if a quote is not closed. A quote starts at the beginning of a word or after `=`.
fn words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut chars) = (Vec::new(), line.chars().peekable());
    loop {
        while chars.next_if(|char| char.is_whitespace()).is_some() {}
        if chars.peek().is_none() {
            return Some(words);
        }
        let mut word = String::new();
        while let Some(first) = chars.next_if(|char| !char.is_whitespace()) {
            if !matches!(first, '"' | '\'') || !(word.is_empty() || word.ends_with('=')) {
                word.push(first);
                continue;
            }
            loop {
                match chars.next()? {
                    char if char == first => break,
                    '\\' if first == '"' => {
                        let next = chars.next()?;
                        if !matches!(next, '"' | '\\') {
                            word.push('\\');
                        }
                        word.push(next);
                    }
                    char => word.push(char),
                }
            }
        }
        words.push(word);
    }
}
