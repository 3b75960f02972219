//! A child process that may die; it answers each question with a line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// The answer to a question.
pub(super) enum Answer {
    Line(String),
    Died,
    Hung,
}

pub(super) struct Process {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
}

impl Process {
    /// Starts a program with a limit of virtual memory, in kB, as for `ulimit -v`.
    pub(super) fn start(program: &[String], memory: u64) -> Result<Self, Box<dyn std::error::Error>> {
        let mut child = Command::new("sh")
            .args(["-c", &format!("ulimit -v {memory}; exec \"$0\" \"$@\"")])
            .args(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take().ok_or("no standard input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no standard output")?);
        // A separate thread reads the answers, so that waiting for one can time out.
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in output.split(b'\n').map_while(Result::ok) {
                let _gone = sender.send(String::from_utf8_lossy(&line).into_owned());
            }
        });
        Ok(Self { child, input, answers })
    }

    /// Asks a question. If the answer is not a line, the process must be started again.
    pub(super) fn ask(&mut self, question: &[u8], patience: Duration) -> Answer {
        let _sent = self.input.write_all(question).and_then(|()| self.input.flush());
        match self.answers.recv_timeout(patience) {
            Ok(line) => Answer::Line(line),
            Err(RecvTimeoutError::Timeout) => Answer::Hung,
            Err(RecvTimeoutError::Disconnected) => Answer::Died,
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _gone = (self.child.kill(), self.child.wait());
    }
}
