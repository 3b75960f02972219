//! Reading: whole values, and documents piece by piece.

use std::io::Read;

use crate::consts::Encoding;
use crate::model::{Event, Value};
use crate::options::ReadOptions;
use crate::wire::header::{self, KnownBy, Start};
use crate::wire::{self, Failed, Input, Note, Source as _, explain, placed};
use geom::wire::{Budget, Error, Fail, Result, after};

impl ReadOptions {
    /// Reads a value.
    ///
    /// Input after the value is ignored, as in the viewer. It is an error if [`ReadOptions::strict`] is set, or if the
    /// input is notation that neither a header nor [`ReadOptions::encoding`] names. Input without a value is an error.
    ///
    /// # Errors
    /// If the value is malformed beyond interpretation (with [`ReadOptions::strict`], if it is malformed at all), if
    /// the input ends too early, or if a limit is reached. The error has the offset, in text the line and column, and
    /// the path of keys.
    pub fn read(&self, bytes: &[u8]) -> Result<Value> {
        self.read_all(bytes, Budget::new(self.max_bytes))
    }

    /// Reads a value and returns the number of bytes used, including the header. Use this for values inside other files
    /// and for concatenated values: input after the value is ignored.
    ///
    /// # Errors
    /// As [`ReadOptions::read`].
    pub fn read_used(&self, bytes: &[u8]) -> Result<(Value, usize)> {
        let start = header::split(bytes, self.encoding)?;
        let read = wire::read(bytes, start, self, Budget::new(self.max_bytes))?;
        Ok((read.value, read.end))
    }

    /// Reads a value from all bytes of a reader.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], and if the reader fails.
    pub fn read_from(&self, reader: impl Read) -> Result<Value> {
        let mut budget = Budget::new(self.max_bytes);
        let bytes = budget.read_all(reader)?;
        self.read_all(&bytes, budget)
    }

    /// Reads a document piece by piece.
    ///
    /// # Errors
    /// If the header names another encoding than the requested one, or if the first bytes are not LLSD.
    /// [`Reader::next_event`] returns later errors.
    pub fn events<'a>(&self, bytes: &'a [u8]) -> Result<Reader<'a>> {
        Reader::new(bytes, self, Budget::new(self.max_bytes))
    }

    fn read_all(&self, bytes: &[u8], budget: Budget) -> Result<Value> {
        let start = header::split(bytes, self.encoding)?;
        let read = wire::read(bytes, start, self, budget)?;
        ends(bytes, start, read.end, self)?;
        Ok(read.value)
    }
}

/// Refuses input after the value, if that is an error.
pub(crate) fn ends(bytes: &[u8], start: Start, end: usize, options: &ReadOptions) -> Result<()> {
    let rest = after(bytes, end).trim_ascii_start();
    let guessed = start.encoding == Encoding::Notation && start.known_by == KnownBy::Content;
    match rest {
        [_, ..] if options.strict || guessed => Err(placed(
            bytes,
            start.encoding,
            Fail::invalid(rest, "unexpected input after the end of the LLSD value"),
        )),
        _ => Ok(()),
    }
}

/// Reads a document of any encoding and length piece by piece, without building a value, within the
/// limits of its options.
///
/// The events are those of the input. If a map has equal keys, all of them are reported, and the caller decides which
/// one to use. If `<llsd>` has a second value, its events follow those of the first; the viewer uses the last
/// value.
///
/// ```
/// use llsd::{Event, ReadOptions, Scalar};
///
/// let mut reader = ReadOptions::new().events(b"{'size':i3}")?;
/// let mut integers = 0;
/// while let Some(event) = reader.next_event()? {
///     integers += usize::from(matches!(event, Event::Scalar(Scalar::Integer(_))));
/// }
/// assert_eq!((integers, reader.used()), (1, 11));
/// # Ok::<(), llsd::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<'a> {
    whole: &'a [u8],
    start: Start,
    input: Input<'a>,
    options: ReadOptions,
    /// The budget at the beginning.
    initial: Budget,
    over: bool,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(whole: &'a [u8], options: &ReadOptions, budget: Budget) -> Result<Self> {
        let start = header::split(whole, options.encoding)?;
        let body = start.body(whole);
        header::begins(body, start).map_err(|fail| placed(whole, start.encoding, fail))?;
        let input = Input::new(start.encoding, body, options, budget.clone());
        Ok(Self { whole, start, input, options: options.clone(), initial: budget, over: false })
    }

    /// The encoding, from the header or the options.
    pub fn encoding(&self) -> Encoding {
        self.start.encoding
    }

    /// The number of bytes used, including the header. After the last event this is the end of the
    /// document.
    pub fn used(&self) -> usize {
        self.whole.len() - self.input.rest().len()
    }

    /// The next event; `None` after the last one.
    ///
    /// # Errors
    /// If the document is malformed, ends too early, or a limit is reached. After an error there
    /// are no more events.
    #[inline(always)]
    pub fn next_event(&mut self) -> Result<Option<Event<'a>>> {
        if self.over {
            return Ok(None);
        }
        match self.input.next() {
            Ok(event) => {
                self.over = event.is_none();
                Ok(event)
            }
            Err(fail) => Err(self.explain(fail, true)),
        }
    }

    /// Skips the next value: a scalar, or a container with all its content. After a key, this is the value of the
    /// key.
    ///
    /// # Errors
    /// As [`Reader::next_event`].
    pub fn skip_value(&mut self) -> Result<()> {
        let mut depth = 0;
        while let Some(event) = self.next_event()? {
            depth += event.step();
            if event.completes(depth) {
                break;
            }
        }
        Ok(())
    }

    /// All of the input.
    pub(crate) fn whole(&self) -> &'a [u8] {
        self.whole
    }

    /// The range of the last event in the input.
    pub(crate) fn span(&self) -> [usize; 2] {
        self.input.span().map(|rest| self.whole.len() - rest.len())
    }

    /// The malformed input of the last event that was accepted; only with [`ReadOptions`] whose `noting` is set.
    pub(crate) fn notes(&self) -> Vec<Note> {
        self.input.rules().taken()
    }

    pub(crate) fn budget(&mut self) -> &mut Budget {
        self.input.budget()
    }

    /// The error that the caller reports about the last event, with the path of keys. After it there are no more
    /// events.
    #[cold]
    pub(crate) fn error_here(&mut self, kind: geom::wire::ErrorKind) -> Error {
        self.explain(Fail::new(self.input.rest(), kind), false)
    }

    #[cold]
    fn explain(&mut self, fail: Failed<'a>, after: bool) -> Error {
        let rest = self.input.rest();
        self.over = true;
        // The reader's memory is freed before the input is read again.
        self.input = Input::new(Encoding::Notation, rest, &self.options, Budget::new(0));
        explain(self.whole, self.start, &self.options, self.initial.clone(), fail, rest, after)
    }

    /// Refuses input after the document, if that is an error.
    pub(crate) fn ends(&self) -> Result<()> {
        ends(self.whole, self.start, self.used(), &self.options)
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Result<Event<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_event().transpose()
    }
}
