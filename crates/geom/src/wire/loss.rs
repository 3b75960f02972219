//! The losses of a conversion.

use std::borrow::Cow;
use std::fmt;
use std::panic::Location;

use super::problem::shortened;

/// Something that a conversion dropped, changed or filled in: the path of the first case, and the number of cases.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Loss {
    /// The id of its rule, stable between versions: what loses something, and what is lost, such as `gltf.tangents`.
    pub id: &'static str,
    /// The kind of loss.
    pub kind: LossKind,
    /// The path of the first case, such as `materials[0].Tf`; empty for the whole file.
    pub path: String,
    /// A description, as a part of a sentence.
    pub what: Cow<'static, str>,
    /// What to do about it, if something can be done.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub advice: Option<Advice>,
    /// The value that was filled in, as text, if it is known.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub value: Option<String>,
    /// The number of occurrences.
    pub count: usize,
    /// The affected scene features, as named in the table of conversions: `normals`, `base colour`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub features: Vec<&'static str>,
    /// Where in the code it was found.
    #[cfg_attr(feature = "serde", serde(skip))]
    place: Place,
}

/// A place in the code. It does not count when losses are compared.
#[derive(Clone, Copy, Debug)]
struct Place(&'static Location<'static>);

impl PartialEq for Place {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Place {}

/// What losses have in common that differ only in names and numbers: a text without any, or the place in the code that
/// made the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Rule {
    Filled,
    Text(&'static str),
    Place(&'static Location<'static>),
}

/// The kind of a loss in a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum LossKind {
    /// It was dropped.
    LeftOut,
    /// It was replaced by something similar.
    Approximated,
    /// A value was missing and has been filled in.
    FilledIn,
    /// The file of a mesh, an image or a library was not found.
    Missing,
    /// It was written unchanged or left as it was, which is probably not what was intended.
    Warning,
}

/// What to do about a loss; shown as a part of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Advice {
    /// Raise the memory limit.
    MoreMemory,
    /// Convert all levels of detail.
    AllLevels,
    /// Upload an image, and refer to it by its UUID.
    UploadImage,
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UploadImage => "upload the image, and set its URI to the UUID of the texture",
            Self::MoreMemory => "raise max_bytes",
            Self::AllLevels => "use `--all-levels` (library option: `levels`) to include all",
        })
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Advice {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl LossKind {
    /// Its label in messages: `dropped`, `changed`, `filled in`, `missing`, `warning`.
    pub fn label(self) -> &'static str {
        match self {
            Self::LeftOut => "dropped",
            Self::Approximated => "changed",
            Self::FilledIn => "filled in",
            Self::Missing => "missing",
            Self::Warning => "warning",
        }
    }

    /// The id of a loss of this kind without a rule of its own.
    const fn id(self) -> &'static str {
        match self {
            Self::LeftOut => "other.dropped",
            Self::Approximated => "other.changed",
            Self::FilledIn => "other.filled-in",
            Self::Missing => "other.missing",
            Self::Warning => "other.warning",
        }
    }
}

/// What losses with the same id have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct LossRule {
    /// [`Loss::id`].
    pub id: &'static str,
    /// What happens, as a part of a sentence: `tangents that glTF does not allow are dropped`.
    pub meaning: &'static str,
}

impl LossRule {
    /// A rule.
    pub const fn new(id: &'static str, meaning: &'static str) -> Self {
        Self { id, meaning }
    }

    /// The rules of losses that name no rule of their own, one for each kind.
    pub const OTHERS: &[Self] = &[
        Self::new(LossKind::LeftOut.id(), "content without a more specific id is dropped"),
        Self::new(
            LossKind::Approximated.id(),
            "content without a more specific id is replaced by something similar",
        ),
        Self::new(LossKind::FilledIn.id(), "a value without a more specific id is filled in"),
        Self::new(LossKind::Missing.id(), "a file without a more specific id is missing"),
        Self::new(
            LossKind::Warning.id(),
            "content without a more specific id is kept, but probably not as intended",
        ),
    ];
}

impl Loss {
    /// The same loss with the path that `path` returns for the current one, for a part of something larger.
    #[must_use]
    pub fn below(mut self, path: impl FnOnce(&str) -> String) -> Self {
        self.path = shortened(joined(&self.path, path));
        self
    }

    /// A dropped part; path and text are truncated to 600 bytes.
    #[track_caller]
    pub fn new(path: impl Into<String>, what: impl Into<Cow<'static, str>>) -> Self {
        let what = match what.into() {
            Cow::Owned(what) => shortened(what).into(),
            what => what,
        };
        let features = Vec::new();
        let path = shortened(path.into());
        let place = Place(Location::caller());
        Self {
            id: LossKind::LeftOut.id(),
            kind: LossKind::LeftOut,
            path,
            what,
            advice: None,
            value: None,
            count: 1,
            features,
            place,
        }
    }

    /// The same loss with the id of its rule.
    #[must_use]
    pub fn id(mut self, id: &'static str) -> Self {
        self.id = id;
        self
    }

    /// The same loss of another kind, and without a rule of its own.
    fn of(self, kind: LossKind) -> Self {
        Self { id: kind.id(), kind, ..self }
    }

    /// A key that is equal for losses of the same kind that differ only in names and numbers.
    pub fn rule(&self) -> impl Eq + std::hash::Hash + use<> {
        let rule = match &self.what {
            _ if self.value.is_some() => Rule::Filled,
            Cow::Borrowed(text) => Rule::Text(text),
            Cow::Owned(_) => Rule::Place(self.place.0),
        };
        (self.kind, self.id, rule)
    }

    /// The same loss with its cause: whether a limit of memory was reached, which decides the advice.
    #[must_use]
    pub fn because(mut self, is_over_limit: bool) -> Self {
        self.advice = is_over_limit.then_some(Advice::MoreMemory).or(self.advice);
        self
    }

    /// Whether a higher `max_bytes` may avoid the loss.
    pub fn is_over_limit(&self) -> bool {
        self.advice == Some(Advice::MoreMemory)
    }

    /// The same loss with what to do about it.
    #[must_use]
    pub fn advise(mut self, advice: Advice) -> Self {
        self.advice = Some(advice);
        self
    }

    /// The same loss, concerning these features of scenes.
    #[must_use]
    pub fn about(mut self, features: impl IntoIterator<Item = &'static str>) -> Self {
        self.features.extend(features);
        self
    }

    /// The same loss for a number of cases.
    #[must_use]
    pub fn times(mut self, count: usize) -> Self {
        self.count = count;
        self
    }

    /// A part replaced by something similar.
    #[track_caller]
    pub fn approximated(path: impl Into<String>, what: impl Into<Cow<'static, str>>) -> Self {
        Self::new(path, what).of(LossKind::Approximated)
    }

    /// A part that was filled in.
    #[track_caller]
    pub fn filled_in(path: impl Into<String>, what: impl Into<Cow<'static, str>>) -> Self {
        Self::new(path, what).of(LossKind::FilledIn)
    }

    /// A part whose file was not found.
    #[track_caller]
    pub fn missing(path: impl Into<String>, what: impl Into<Cow<'static, str>>) -> Self {
        Self::new(path, what).of(LossKind::Missing)
    }

    /// A part that was written unchanged or left as it was, which is probably not what was intended.
    #[track_caller]
    pub fn warning(path: impl Into<String>, what: impl Into<Cow<'static, str>>) -> Self {
        Self::new(path, what).of(LossKind::Warning)
    }

    /// A value filled in for a property of a class, and the number of affected instances.
    #[track_caller]
    pub fn filled_with(class: &str, property: &str, value: impl Into<String>, count: usize) -> Self {
        let value = Some(shortened(value.into()));
        Self {
            value,
            count,
            ..Self::filled_in(format!("{class}.{property}"), "filled in").id("roblox.filled-value")
        }
    }

    /// Adds the loss to a short list, unless its count is 0. If the list has a loss of the same rule and text, the counts
    /// are added, and the path remains that of the first case.
    pub fn count_in(self, losses: &mut Vec<Self>) {
        let same = losses
            .iter_mut()
            .find(|other| other.kind == self.kind && other.id == self.id && other.what == self.what);
        match same {
            Some(first) => first.count += self.count,
            None if self.count == 0 => {}
            None => losses.push(self),
        }
    }

    /// Merges repeated losses: those of one rule and text become one, with the first path.
    pub fn grouped(losses: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut grouped: Vec<Self> = Vec::new();
        let mut index_of = std::collections::HashMap::new();
        for loss in losses {
            // Filled-in values are grouped by property and value.
            let of = loss.value.as_ref().map(|value| (loss.path.clone(), value.clone()));
            let index = *index_of.entry((loss.kind, loss.id, loss.what.clone(), of)).or_insert(grouped.len());
            match grouped.get_mut(index) {
                Some(first) => {
                    first.count += loss.count;
                    let new = loss.features.into_iter().filter(|name| !first.features.contains(name));
                    first.features.extend(new.collect::<Vec<_>>());
                }
                None => grouped.push(loss),
            }
        }
        grouped
    }
}

/// `path: what`, or `path: what (and 3955 more)`; `Part.CastShadow = true for 3 instances`.
impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(value) = &self.value {
            let instances = if self.count == 1 { "instance" } else { "instances" };
            return write!(f, "{} = {value} for {} {instances}", self.path, self.count);
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.what)?;
        if let Some(advice) = self.advice {
            write!(f, " ({advice})")?;
        }
        match self.count {
            0 | 1 => Ok(()),
            count => write!(f, " (and {} more)", count - 1),
        }
    }
}

/// The path that `path` returns for another one; without a separator at the end if there is no other path.
pub fn joined(below: &str, path: impl FnOnce(&str) -> String) -> String {
    let mut path = path(below);
    if below.is_empty() {
        path.truncate(path.trim_end_matches([':', '.', '/', ' ']).len());
    }
    path
}
