//! Problems as data; `Display` forms the sentences.

use std::borrow::Cow;
use std::fmt;

use super::counted::Counted;

pub(super) type Text = Cow<'static, str>;

/// A problem. Its text begins in lower case, as a part of a sentence, and is at most about 300 bytes long.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are named in the sentences")]
pub enum Problem {
    /// The input does not begin as files of the format do: what was expected, and its actual format, if known.
    Magic { expected: &'static str, found: Option<&'static str> },
    /// The number of `entries` (or whatever `of` names) is not the required one.
    Length { of: &'static str, expected: u64, found: u64 },
    /// There are more `entries` (or whatever `of` names) than are allowed.
    TooMany { of: &'static str, most: u64, found: u64 },
    /// A declared count is too large for the remaining bytes.
    Claim { claimed: u64, available: u64 },
    /// No `vertex` (or whatever `kind` names) has this index.
    Reference { kind: &'static str, index: u64, count: u64 },
    /// The version of a part is not one of the known ones.
    Version { of: &'static str, found: Text, known: Text },
    /// The checksum of this kind does not match the content.
    Checksum { of: &'static str },
    /// Bytes that must be text are not UTF-8.
    Utf8,
    /// An edit names a property that the class does not store.
    NotStored(Text),
    /// An edit gives a value that the type of the property cannot represent.
    WrongType(Text),
    /// An edit names an instance, or a class without instances, that the document does not have.
    NoInstance(Text),
    /// An edit needs values of properties that some instances lack.
    MissingValues(Text),
    /// The form requires values of properties that some instances of a class lack.
    Incomplete(Box<[Missing]>),
    /// Anything else, as a whole sentence.
    Sentence(Text),
    /// Anything else, as a part of a sentence.
    Other(Text),
}

/// A property that some instances of a class lack, although a form requires it for all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Missing {
    /// The class.
    pub class: String,
    /// The property.
    pub property: String,
    /// The number of instances without a value.
    pub count: usize,
    /// The number of instances of the class.
    pub of: usize,
}

impl Missing {
    /// A property of a class that `count` of its `of` instances lack.
    pub fn new(class: impl Into<String>, property: impl Into<String>, count: usize, of: usize) -> Self {
        Self { class: class.into(), property: property.into(), count, of }
    }
}

/// `Part.CastShadow: no value for 3 of 7 instances`.
impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { class, property, count, of } = self;
        write!(f, "{class}.{property}: no value for {count} of {of} instances")
    }
}

impl Problem {
    /// An index that is out of range.
    pub fn reference(kind: &'static str, index: impl Into<u64>, count: usize) -> Self {
        Self::Reference { kind, index: index.into(), count: count as u64 }
    }

    /// An unknown version; `known` lists the known ones.
    pub fn version(of: &'static str, found: impl fmt::Display, known: impl Into<Text>) -> Self {
        Self::Version { of, found: found.to_string().into(), known: known.into() }
    }

    /// Fails unless both counts are equal.
    ///
    /// # Errors
    /// [`Problem::Length`].
    pub fn length(of: &'static str, found: usize, expected: usize) -> Result<(), Self> {
        let other = Self::Length { of, expected: expected as u64, found: found as u64 };
        if found == expected { Ok(()) } else { Err(other) }
    }

    /// Converts a count to the type in which the format stores it; `most` is the greatest count allowed.
    ///
    /// # Errors
    /// [`Problem::TooMany`].
    pub fn fit<T: TryFrom<usize> + TryInto<u64>>(of: &'static str, found: usize, most: T) -> Result<T, Self> {
        T::try_from(found).map_err(|_| Self::too_many(of, found, most.try_into().unwrap_or(u64::MAX)))
    }

    /// A count that is greater than `most`.
    pub fn too_many(of: &'static str, found: usize, most: impl Into<u64>) -> Self {
        Self::TooMany { of, most: most.into(), found: found as u64 }
    }

    pub(super) fn shorten(&mut self) {
        use Problem::{MissingValues, NoInstance, NotStored, Other, Sentence, Version, WrongType};
        if let Version { found: text, .. }
        | NotStored(text)
        | WrongType(text)
        | NoInstance(text)
        | MissingValues(text)
        | Sentence(text)
        | Other(text) = self
        {
            shorten(text);
        }
    }
}

impl<T: Into<Text>> From<T> for Problem {
    fn from(text: T) -> Self {
        Self::Other(text.into())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic { expected, found: Some(found) } => write!(f, "{expected}; found {found}"),
            Self::Magic { expected, found: None } => f.write_str(expected),
            Self::Length { of, expected, found } => {
                write!(f, "expected {}, found {found}", Counted(*expected, of))
            }
            Self::TooMany { of, most, found } => {
                write!(f, "expected at most {}, found {found}", Counted(*most, of))
            }
            Self::Claim { claimed, available } => {
                let (claimed, available) = (Counted(*claimed, "entries"), Counted(*available, "bytes"));
                write!(f, "the declared count of {claimed} does not fit into the remaining {available}")
            }
            Self::Reference { kind, index, count } => {
                let kinds = if *kind == "vertex" { "vertices".to_owned() } else { format!("{kind}s") };
                write!(f, "{kind} index {index} is out of range (the list has {})", Counted(*count, &kinds))
            }
            Self::Version { of, found, known } => write!(f, "{of} version {found} (known versions: {known})"),
            Self::Checksum { of } => write!(f, "wrong {of} checksum"),
            Self::Utf8 => f.write_str("bytes that are not UTF-8"),
            Self::Incomplete(missing) => {
                let first = missing.first().map_or_else(String::new, Missing::to_string);
                let more = match missing.len() {
                    0 | 1 => String::new(),
                    2 => " (1 more property also lacks values)".to_owned(),
                    count => format!(" ({} more properties also lack values)", count - 1),
                };
                write!(
                    f,
                    "{first}{more}; the target format stores a property for all instances of a class or for none (set the \
                     option fill to add the missing values)"
                )
            }
            Self::NotStored(text)
            | Self::WrongType(text)
            | Self::NoInstance(text)
            | Self::MissingValues(text)
            | Self::Sentence(text)
            | Self::Other(text) => f.write_str(text),
        }
    }
}

/// Truncates a path or a sentence of a loss or a finding to 600 bytes and an ellipsis.
pub fn shortened(mut text: String) -> String {
    const MOST: usize = 600;
    if text.len() > MOST {
        let end = (0..=MOST).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
        text.shrink_to_fit();
    }
    text
}

/// Shortens a long text to its start and its end: errors are printed and logged, and their texts and paths can come
/// from the input.
pub(super) fn shorten(text: &mut Text) {
    const MOST: usize = 300;
    if text.len() > MOST {
        let boundary = |&index: &usize| text.is_char_boundary(index);
        let head = (0..=MOST / 2).rev().find(boundary).unwrap_or(0);
        let tail = (text.len() - MOST / 2..=text.len()).find(boundary).unwrap_or(text.len());
        *text = format!("{}…{}", &text[..head], &text[tail..]).into();
    }
}
