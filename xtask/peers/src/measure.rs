//! Measures the time of several ways to do the same thing, in turn, and the peak of memory of each.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::sdk;

/// A task that is done in several ways on the same bytes.
pub struct Case {
    /// The crate that is measured.
    pub format: &'static str,
    /// The task, such as `read LZ4 place`.
    pub what: String,
    /// The size for the rate: bytes of the file that is read or written.
    pub bytes: usize,
    /// How fast our crate is meant to be; `None` if there is no goal.
    pub goal: Option<Goal>,
    /// The ways; ours is the first.
    pub ways: Vec<Way>,
}

/// How fast our crate is meant to be.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// At least this many times as fast as the fastest peer.
    TimesPeer(f64),
    /// At most this many times the duration of the first yardstick.
    OfYardstick(f64),
}

/// To whom a way belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    Ours,
    Peer,
    /// For comparison: part of the work, such as copying or decompressing.
    Yardstick,
}

/// One way to do the task.
pub struct Way {
    pub whose: Whose,
    pub name: &'static str,
    /// Does the task this many times, and returns the total duration.
    run: Box<dyn FnMut(u32) -> Duration>,
}

/// The figures of one way.
pub struct Figures {
    pub whose: Whose,
    pub name: &'static str,
    /// The shortest, the median and the longest duration of one run.
    pub times: [Duration; 3],
    /// The most bytes that one run allocates at once, with the allocator of Rust or that of C.
    pub peak: u64,
}

/// The figures of one case.
pub struct Outcome {
    pub format: &'static str,
    pub what: String,
    pub bytes: usize,
    pub goal: Option<Goal>,
    pub figures: Vec<Figures>,
}

impl Case {
    pub fn new(format: &'static str, what: impl Into<String>, bytes: usize) -> Self {
        Self { format, what: what.into(), bytes, goal: None, ways: Vec::new() }
    }

    pub fn goal(mut self, goal: Goal) -> Self {
        self.goal = Some(goal);
        self
    }

    /// Adds a way. Dropping the result is part of the measured time, since every user pays for it.
    pub fn way<T>(mut self, whose: Whose, name: &'static str, mut run: impl FnMut() -> T + 'static) -> Self {
        let run = Box::new(move |times| {
            let start = Instant::now();
            (0..times).for_each(|_| drop(black_box(run())));
            start.elapsed()
        });
        self.ways.push(Way { whose, name, run });
        self
    }

    /// Adds a way that changes a value. The value is made again for each run, outside of the measured time.
    pub fn way_in<T>(
        mut self,
        whose: Whose,
        name: &'static str,
        mut make: impl FnMut() -> T + 'static,
        mut run: impl FnMut(&mut T) + 'static,
    ) -> Self {
        let mut once = move || {
            let mut made = make();
            let start = Instant::now();
            run(black_box(&mut made));
            start.elapsed()
        };
        self.ways.push(Way { whose, name, run: Box::new(move |times| (0..times).map(|_| once()).sum()) });
        self
    }

    pub fn ours_in<T>(self, make: impl FnMut() -> T + 'static, run: impl FnMut(&mut T) + 'static) -> Self {
        let name = self.format;
        self.way_in(Whose::Ours, name, make, run)
    }

    pub fn peer_in<T>(
        self,
        name: &'static str,
        make: impl FnMut() -> T + 'static,
        run: impl FnMut(&mut T) + 'static,
    ) -> Self {
        self.way_in(Whose::Peer, name, make, run)
    }

    pub fn ours<T>(self, run: impl FnMut() -> T + 'static) -> Self {
        let name = self.format;
        self.way(Whose::Ours, name, run)
    }

    pub fn peer<T>(self, name: &'static str, run: impl FnMut() -> T + 'static) -> Self {
        self.way(Whose::Peer, name, run)
    }

    /// Adds a peer that is too slow for large inputs, unless `size` is greater than `most`.
    pub fn peer_up_to<T>(
        self,
        most: usize,
        size: usize,
        name: &'static str,
        run: impl FnMut() -> T + 'static,
    ) -> Self {
        if size <= most { self.peer(name, run) } else { self }
    }

    pub fn yardstick<T>(self, name: &'static str, run: impl FnMut() -> T + 'static) -> Self {
        self.way(Whose::Yardstick, name, run)
    }

    pub fn name(&self) -> String {
        format!("{} {}", self.format, self.what)
    }
}

/// The shortest duration of a measurement: shorter runs are repeated.
const LEAST: Duration = Duration::from_millis(5);

/// Runs the ways in turn for this many rounds, after a round that only measures memory.
pub fn take(mut case: Case, rounds: usize) -> Outcome {
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); case.ways.len()];
    let mut peaks = Vec::new();
    let mut repeats = Vec::new();
    for way in &mut case.ways {
        let (mut in_c, mut once) = (0, Duration::ZERO);
        let taken = allocation_counter::measure(|| in_c = sdk::peak(|| once = (way.run)(1)));
        let once = once.max(Duration::from_nanos(50));
        // No way allocates with both allocators.
        peaks.push(taken.bytes_max.max(in_c));
        repeats.push((LEAST.as_nanos() / once.as_nanos()).clamp(0, 100_000) as u32 + 1);
    }
    for _ in 0..rounds.max(1) {
        for (way, (times, &repeats)) in case.ways.iter_mut().zip(times.iter_mut().zip(&repeats)) {
            times.push((way.run)(repeats) / repeats);
        }
    }
    let figures = case.ways.iter().zip(times).zip(peaks).map(|((way, mut times), peak)| {
        times.sort();
        let times = [times[0], times[times.len() / 2], times[times.len() - 1]];
        Figures { whose: way.whose, name: way.name, times, peak }
    });
    let figures = figures.collect();
    Outcome { format: case.format, what: case.what, bytes: case.bytes, goal: case.goal, figures }
}

impl Figures {
    pub fn median(&self) -> f64 {
        self.times[1].as_secs_f64()
    }
}

impl Outcome {
    /// The figures of our way.
    pub fn ours(&self) -> Option<&Figures> {
        self.figures.iter().find(|figures| figures.whose == Whose::Ours)
    }

    /// The fastest way of a kind, by its median.
    pub fn best(&self, whose: Whose) -> Option<&Figures> {
        self.figures
            .iter()
            .filter(|figures| figures.whose == whose)
            .min_by(|a, b| a.times[1].cmp(&b.times[1]))
    }

    /// Whether the goal is reached, and the ratio that decides this; `None` without a goal or without the other way.
    pub fn reached(&self) -> Option<(bool, f64)> {
        let ours = self.ours()?.median();
        match self.goal? {
            Goal::TimesPeer(wanted) => {
                let ratio = self.best(Whose::Peer)?.median() / ours;
                Some((ratio >= wanted, ratio))
            }
            Goal::OfYardstick(wanted) => {
                let yardstick = self.figures.iter().find(|figures| figures.whose == Whose::Yardstick)?;
                let ratio = ours / yardstick.median();
                Some((ratio <= wanted, ratio))
            }
        }
    }
}
