//! Long work, which Ctrl+C interrupts.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often signals are handled while work is done.
const STEP: Duration = Duration::from_millis(50);

/// That of the main thread on most systems.
const STACK: usize = 8 << 20;

/// Does work without the interpreter's lock. In the main thread, which handles signals, Ctrl+C ends the call at once; the work
/// continues until its end on a thread of its own, and its result is dropped.
pub(crate) fn run<R: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> R + Send + 'static,
) -> PyResult<R> {
    let threading = py.import("threading")?;
    if !threading.call_method0("current_thread")?.is(&threading.call_method0("main_thread")?) {
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
            Some(Ok(result)) => return Ok(result),
            Some(Err(RecvTimeoutError::Timeout)) => py.check_signals()?,
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
    if is_long { run(py, work) } else { Ok(py.detach(work)) }
}
