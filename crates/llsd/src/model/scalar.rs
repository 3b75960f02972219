//! The types of scalars for which Rust has no type.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::model::Text;
use crate::text::{date, unlike, uuid};
use geom::wire::{Error, ErrorKind};

/// A 128-bit identifier; its bytes are in the order in which they are written.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid(pub [u8; 16]);

impl Uuid {
    /// All bits 0: the viewer's null UUID.
    pub const NULL: Self = Self([0; 16]);

    /// Whether all bits are 0.
    pub fn is_null(&self) -> bool {
        *self == Self::NULL
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; 36];
        uuid::format(self.0, &mut text);
        f.pad(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Debug for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn malformed(expected: &str, text: &str) -> Error {
    Error::new(ErrorKind::Invalid(unlike(expected, text.as_bytes()).into()), "")
}

impl FromStr for Uuid {
    type Err = Error;

    /// Reads 36 characters, upper or lower case, or the 35 of an old form without the last hyphen.
    fn from_str(text: &str) -> Result<Self, Error> {
        uuid::parse(text.as_bytes()).map(Self).ok_or_else(|| malformed(uuid::FORM, text))
    }
}

impl From<[u8; 16]> for Uuid {
    fn from(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

/// A point in time: seconds since the start of 1970 in UTC, with a fraction; negative before.
#[derive(Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Date(pub f64);

impl Date {
    /// The start of 1970.
    pub const EPOCH: Self = Self(0.0);

    /// A date from seconds since the start of 1970.
    pub const fn from_secs(secs: f64) -> Self {
        Self(secs)
    }

    /// Seconds since the start of 1970.
    pub const fn secs(self) -> f64 {
        self.0
    }
}

/// Writes ISO 8601 in UTC with the fewest digits that are read back as the same bits, such as
/// `2006-02-01T14:29:53.46Z`. Dates without such a form are written as seconds.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        match date::write(self.0, &mut text) {
            true => f.pad(std::str::from_utf8(&text).unwrap_or_default()),
            false => write!(f, "{:e} seconds", self.0),
        }
    }
}

impl fmt::Debug for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Date {
    type Err = Error;

    /// Reads ISO 8601 as in LLSD: `YYYY-MM-DDTHH:MM:SS`, an optional fraction, then `Z` or an offset.
    fn from_str(text: &str) -> Result<Self, Error> {
        date::parse(text.as_bytes(), true).map(Self).ok_or_else(|| malformed(date::FORM, text))
    }
}

impl From<SystemTime> for Date {
    fn from(time: SystemTime) -> Self {
        Self(match time.duration_since(UNIX_EPOCH) {
            Ok(since) => since.as_secs_f64(),
            Err(before) => -before.duration().as_secs_f64(),
        })
    }
}

impl TryFrom<Date> for SystemTime {
    type Error = Error;

    fn try_from(date: Date) -> Result<Self, Error> {
        let far = || Error::invalid_argument("", format!("{date} is outside the range of SystemTime"));
        let span = Duration::try_from_secs_f64(date.0.abs()).map_err(|_| far())?;
        let time = if date.0 < 0.0 { UNIX_EPOCH.checked_sub(span) } else { UNIX_EPOCH.checked_add(span) };
        time.ok_or_else(far)
    }
}

/// A URI. Its text is not escaped, completed or checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uri(pub Text);

impl Uri {
    /// The text, if it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        self.0.as_str()
    }
}

impl<T: Into<Text>> From<T> for Uri {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Bytes.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Binary(pub Vec<u8>);

impl std::ops::Deref for Binary {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.0
    }
}

impl std::ops::DerefMut for Binary {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }
}

impl AsRef<[u8]> for Binary {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl<T: Into<Vec<u8>>> From<T> for Binary {
    fn from(bytes: T) -> Self {
        Self(bytes.into())
    }
}

impl fmt::Debug for Binary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&geom::wire::Bytes(&self.0), f)
    }
}
