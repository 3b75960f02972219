//! A document as events: what the readers yield and the writers take.

use std::borrow::Cow;

use bstr::BStr;

use crate::consts::Encoding;
use crate::error::Result;
use crate::model::{Date, Uuid};
use crate::options::ReadOptions;
use crate::wire::{self, Input, Source as _};

/// A piece of a document. What stands in the input as it is, is borrowed from there; what was escaped
/// or encoded is owned.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<'a> {
    /// Nothing.
    Undef,
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Integer(i32),
    /// A number with a floating point.
    Real(f64),
    /// A UUID.
    Uuid(Uuid),
    /// A string.
    String(Cow<'a, BStr>),
    /// A point in time.
    Date(Date),
    /// The name of a resource.
    Uri(Cow<'a, BStr>),
    /// Bytes.
    Binary(Cow<'a, BStr>),
    /// An array begins; with the number of its values, where that is known and can be true.
    StartArray(Option<usize>),
    /// The array ends.
    EndArray,
    /// A map begins; with the number of its entries, where that is known and can be true.
    StartMap(Option<usize>),
    /// A key; its value follows.
    Key(Cow<'a, BStr>),
    /// The map ends.
    EndMap,
}

impl Event<'_> {
    /// How the event changes the depth: 1 where a container begins, -1 where it ends.
    pub(crate) fn step(&self) -> i32 {
        match self {
            Self::StartArray(_) | Self::StartMap(_) => 1,
            Self::EndArray | Self::EndMap => -1,
            _ => 0,
        }
    }
}

/// Reads a document piece by piece, without building anything: in any encoding, of any length, under
/// the depth limit of its options.
///
/// Keys come as they stand; which of two equal ones counts is for the caller to say
/// ([`crate::transcode`] and the values do).
///
/// ```
/// use llsd::{Event, ReadOptions};
///
/// let mut reader = ReadOptions::new().events(b"{'size':i3}")?;
/// let mut integers = 0;
/// while let Some(event) = reader.next_event()? {
///     integers += usize::from(matches!(event, Event::Integer(_)));
/// }
/// assert_eq!((integers, reader.used()), (1, 11));
/// # Ok::<(), llsd::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<'a> {
    whole: &'a [u8],
    start: usize,
    input: Input<'a>,
    options: ReadOptions,
    encoding: Encoding,
    over: bool,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(whole: &'a [u8], options: &ReadOptions) -> Result<Self> {
        let (encoding, start) = options.place(whole);
        let body = whole.get(start..).unwrap_or_default();
        let input = Input::new(encoding, body, options);
        Ok(Self { whole, start, input, options: options.clone(), encoding, over: false })
    }

    /// The encoding, as the header or the options say.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// How many bytes of the input were used, the header included. Once the last event was given
    /// this is where the document ends.
    pub fn used(&self) -> usize {
        self.whole.len() - self.input.rest().len()
    }

    /// The next event; `None` behind the last.
    ///
    /// # Errors
    /// Where the document is malformed or ends too early, and where a limit is reached. After an
    /// error there are no more events.
    #[inline]
    pub fn next_event(&mut self) -> Result<Option<Event<'a>>> {
        if self.over {
            return Ok(None);
        }
        match self.input.next() {
            Ok(event) => {
                self.over = event.is_none();
                Ok(event)
            }
            Err(fail) => {
                self.over = true;
                Err(wire::explain(self.whole, self.start, self.encoding, &self.options, fail, None))
            }
        }
    }

    /// Passes over the value that would come next: a scalar, or a container with all that is in it.
    /// Behind a key this is the key's value.
    ///
    /// # Errors
    /// As [`Reader::next_event`].
    pub fn skip_value(&mut self) -> Result<()> {
        let mut depth = 0_i32;
        while let Some(event) = self.next_event()? {
            depth = depth.saturating_add(event.step());
            if depth <= 0 && !matches!(event, Event::Key(_)) {
                break;
            }
        }
        Ok(())
    }

    /// An error of the caller's at the place that was reached, with the path of keys.
    pub(crate) fn error_here(&self, kind: crate::ErrorKind) -> crate::Error {
        let at = self.input.rest();
        let fail = wire::fail::Fail::new(at, kind);
        wire::explain(self.whole, self.start, self.encoding, &self.options, fail, Some(at.len()))
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Result<Event<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_event().transpose()
    }
}
