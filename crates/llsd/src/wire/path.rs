//! The path of keys of an error. Readers do not keep it: it is found by reading once more.

use std::borrow::Cow;
use std::fmt::Write as _;

use bstr::BStr;

use crate::consts::Encoding;
use crate::error::Error;
use crate::event::Event;
use crate::options::ReadOptions;
use crate::wire::fail::At;
use crate::wire::{Failed, Input, Source, placed};

/// More steps than this are cut in the middle.
const SHOWN: usize = 40;

enum Step<'a> {
    /// The place of the value that comes next.
    Place(usize),
    /// The key whose value comes next, unless a key comes next.
    Key(Option<Cow<'a, BStr>>),
}

/// The failure as an error with its place and its path. `left` is given where the reader went on and
/// its caller did not: so many bytes were left behind the last event.
#[cold]
pub(crate) fn explain(
    whole: &[u8],
    start: usize,
    encoding: Encoding,
    options: &ReadOptions,
    fail: Failed<'_>,
    left: Option<usize>,
) -> Error {
    let body = whole.get(start..).unwrap_or_default();
    let mut input = Input::new(encoding, body, options);
    let mut steps: Vec<Step<'_>> = Vec::new();
    while let Ok(Some(event)) = input.next() {
        if left.is_some_and(|left| input.rest().len() <= left) {
            if let (Event::Key(key), Some(Step::Key(last))) = (event, steps.last_mut()) {
                *last = Some(key);
            }
            break;
        }
        follow(&mut steps, event);
    }
    let failed: Result<(), _> = Err(fail);
    match failed.named(|| text(&steps)) {
        Err(fail) => placed(whole, encoding, fail),
        Ok(()) => Error::new(crate::ErrorKind::UnexpectedEnd, ""),
    }
}

/// The path of what comes behind these events.
pub(crate) fn path_of<'a>(events: impl Iterator<Item = Event<'a>>) -> String {
    let mut steps = Vec::new();
    events.for_each(|event| follow(&mut steps, event));
    text(&steps)
}

fn follow<'a>(steps: &mut Vec<Step<'a>>, event: Event<'a>) {
    match event {
        Event::Key(key) => {
            steps.pop();
            steps.push(Step::Key(Some(key)));
        }
        Event::StartArray(_) => steps.push(Step::Place(0)),
        Event::StartMap(_) => steps.push(Step::Key(None)),
        Event::EndArray | Event::EndMap => {
            steps.pop();
            advance(steps);
        }
        _ => advance(steps),
    }
}

fn advance(steps: &mut [Step<'_>]) {
    match steps.last_mut() {
        Some(Step::Place(place)) => *place = place.saturating_add(1),
        Some(Step::Key(key)) => *key = None,
        None => {}
    }
}

fn text(steps: &[Step<'_>]) -> String {
    let mut path = String::new();
    let skipped = SHOWN / 2..steps.len().saturating_sub(SHOWN / 2);
    for (at, step) in steps.iter().enumerate() {
        if skipped.contains(&at) {
            if at == skipped.start {
                path.push_str("/…");
            }
            continue;
        }
        let _infallible = match step {
            Step::Place(place) => write!(path, "/{place}"),
            Step::Key(Some(key)) => write!(path, "/{key}"),
            Step::Key(None) => Ok(()),
        };
    }
    path
}
