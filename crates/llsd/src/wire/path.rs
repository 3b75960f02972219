//! The path of an error. Readers do not record it: it is found by reading the input again.

use crate::model::{Event, Steps};
use crate::options::ReadOptions;
use crate::wire::any::Input;
use crate::wire::events::{Failed, Source, placed};
use crate::wire::header::Start;
use geom::wire::{At, Budget, Error, Result};

/// Errors at a greater depth have no path: it would take more memory than everything else.
const MAX_DEPTH: usize = 1000;

/// Converts a failure to an error with its offset and path. `budget` is the budget with which the read began: all
/// memory is free again. `rest` is the unread input. `after`: whether the failure came after the last event that was
/// read, not in it.
#[cold]
pub(crate) fn explain(
    whole: &[u8],
    start: Start,
    options: &ReadOptions,
    budget: Budget,
    fail: Failed<'_>,
    rest: &[u8],
    after: bool,
) -> Error {
    let mut input = Input::new(start.encoding, start.body(whole), options, budget);
    let mut steps = Steps::default();
    while let Ok(Some(event)) = input.next() {
        let last = input.rest().len() <= rest.len();
        match event {
            Event::Key(key) => steps.key(key),
            _ if last && !after => {}
            event => steps.follow(event),
        }
        if steps.depth() > MAX_DEPTH {
            steps = Steps::default();
            break;
        }
        if last {
            break;
        }
    }
    let failed: Result<(), _> = Err(fail);
    match failed.named(|| steps.path()) {
        Err(fail) => placed(whole, start.encoding, fail),
        Ok(()) => Error::new(geom::wire::ErrorKind::UnexpectedEnd, ""),
    }
}
