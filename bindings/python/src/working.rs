//! Long work, which Ctrl+C interrupts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often signals are handled while work is done.
const STEP: Duration = Duration::from_millis(50);

/// That of the main thread on most systems.
const STACK: usize = 8 << 20;

/// The argument `progress` of long calls: it is called about 20 times a second and at the end, with the seconds since its
/// last call or, of work on many items, with the number of items since then, as `update` of tqdm wants it.
#[derive(Default)]
pub(crate) struct Progress {
    call: Option<Py<PyAny>>,
    items: Option<Arc<AtomicU64>>,
}

impl Progress {
    pub(crate) fn of(call: Option<Py<PyAny>>) -> Self {
        Self { call, items: None }
    }

    /// Counts items instead of seconds.
    pub(crate) fn counting(call: Option<Py<PyAny>>) -> (Self, Arc<AtomicU64>) {
        let items = Arc::new(AtomicU64::new(0));
        (Self { call, items: Some(items.clone()) }, items)
    }

    fn call(&self, py: Python<'_>, last: &mut Instant) -> PyResult<()> {
        let Some(call) = &self.call else { return Ok(()) };
        let seconds = last.elapsed().as_secs_f64();
        *last = Instant::now();
        match &self.items {
            Some(items) => call.call1(py, (items.swap(0, Ordering::Relaxed),)),
            None => call.call1(py, (seconds,)),
        }
        .map(drop)
    }
}

/// Does work without the interpreter's lock. In the main thread, which handles signals, Ctrl+C ends the call at once; the work
/// continues until its end on a thread of its own, and its result is dropped.
pub(crate) fn run<R: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> R + Send + 'static,
) -> PyResult<R> {
    watched(py, &Progress::default(), work)
}

/// As [`run`]; an exception of `progress` ends the call, too.
pub(crate) fn watched<R: Send + 'static>(
    py: Python<'_>,
    progress: &Progress,
    work: impl FnOnce() -> R + Send + 'static,
) -> PyResult<R> {
    let threading = py.import("threading")?;
    let is_main = threading.call_method0("current_thread")?.is(&threading.call_method0("main_thread")?);
    let mut last = Instant::now();
    if !is_main && progress.call.is_none() {
        return Ok(py.detach(work));
    }
    let (sender, receiver) = channel();
    let doing = move || {
        // Nobody waits for it any more if the call was interrupted.
        let _ = sender.send(work());
    };
    let worker = thread::Builder::new().stack_size(STACK).spawn(doing)?;
    // The receiver is not shared between threads, only lent to the one without the lock.
    let mut receiver = Some(receiver);
    loop {
        let taken = receiver.take();
        let (found, back) = py.detach(move || {
            let found = taken.as_ref().map(|receiver| receiver.recv_timeout(STEP));
            (found, taken)
        });
        receiver = back;
        match found {
            Some(Ok(result)) => return progress.call(py, &mut last).map(|()| result),
            Some(Err(RecvTimeoutError::Timeout)) => {
                py.check_signals()?;
                progress.call(py, &mut last)?;
            }
            Some(Err(RecvTimeoutError::Disconnected)) | None => break,
        }
    }
    match worker.join() {
        Err(panic) => std::panic::resume_unwind(panic),
        Ok(()) => Err(PyRuntimeError::new_err("the work ended without a result")),
    }
}

/// As [`run`] if the work can take long: otherwise, it is done sooner than a thread begins.
pub(crate) fn run_if<R: Send + 'static>(
    py: Python<'_>,
    is_long: bool,
    work: impl FnOnce() -> R + Send + 'static,
) -> PyResult<R> {
    watched_if(py, is_long, &Progress::default(), work)
}

/// As [`watched`] if the work can take long.
pub(crate) fn watched_if<R: Send + 'static>(
    py: Python<'_>,
    is_long: bool,
    progress: &Progress,
    work: impl FnOnce() -> R + Send + 'static,
) -> PyResult<R> {
    if is_long { watched(py, progress, work) } else { Ok(py.detach(work)) }
}
