//! Runs every step with broken files and with constructs, under limits of memory and time, and reports panics,
//! excessive memory or time, and files that are written but cannot be read. Each input is made from its number, so that
//! it can be made again. `--write` updates the figures in docs/ROBUSTNESS.md.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use lexopt::{Arg, ValueExt};
use rezkit::ReadOptions;
use rustix::time::{ClockId, clock_gettime};
use targets::Input;
use targets::kit::{decoded, sources};

use super::constructs;
use super::damage::Samples;
use super::page::{self, Row};
use super::process::{Answer, Process};
use super::samples::{self, Sample};
use xtask::{Outcome, root};

/// The limits of memory for reading a file, which inputs use in turn.
const LIMITS: [u64; 4] = [16 << 20, 64 << 20, 256 << 20, 1 << 30];
/// The limit of virtual memory for the process, in kB, as for `ulimit -v`.
const MEMORY: u64 = 3 << 20;
/// The time that a step may take for each megabyte that it reads or writes, and at least.
const PATIENCE: Duration = Duration::from_secs(1);
/// The number of inputs after which `--write` saves the figures.
const SAVED: usize = 5000;
/// The time after which the process is killed.
const HANG: Duration = Duration::from_secs(60);
/// The name for constructs that are repeated [`REPEATED`] times.
const WORST: &str = "worst";
const REPEATED: usize = 20_000;
/// The name for constructs that are repeated as often as the limit allows a file to be read, and at least [`LEAST`]
/// times.
const NEARLY: &str = "nearly";
const LEAST: usize = 8;
/// The greatest size of these files.
const LARGEST: usize = 64 << 20;
/// The name for the files of `../shared/cases`, with each limit.
const CASES: &str = "cases";

#[derive(Default)]
struct Options {
    inputs: usize,
    seed: u64,
    child: bool,
    write: bool,
    only: Option<usize>,
    names: Vec<String>,
}

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let mut options = Options { inputs: 1000, seed: 1, ..Options::default() };
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("inputs") => options.inputs = args.value()?.parse()?,
            Arg::Long("seed") => options.seed = args.value()?.parse()?,
            Arg::Long("only") => options.only = Some(args.value()?.parse()?),
            Arg::Long("child") => options.child = true,
            Arg::Long("write") => options.write = true,
            Arg::Value(name) => options.names.push(name.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let known = super::samples::formats().chain([WORST, CASES, NEARLY]);
    let is_chosen = |known: &&str| match options.names.is_empty() {
        true => *known != NEARLY,
        false => options.names.iter().any(|name| name == known),
    };
    let chosen: Vec<&str> = known.filter(is_chosen).collect();
    if options.child {
        return child(&Inputs::of(chosen.first().ok_or("no such format")?, options.seed));
    }
    // Taken now, since sources can be edited while this program runs.
    let commit = xtask::commit();
    let mut failures = 0;
    for format in chosen {
        failures += tried(format, &options, &commit)?;
    }
    match failures {
        0 => Ok(()),
        failures => Err(format!("{failures} findings; `--only NUMBER FORMAT` keeps the file of one").into()),
    }
}

/// The inputs of a format, the constructs or the cases.
struct Inputs {
    format: String,
    seed: u64,
    samples: Samples,
}

impl Inputs {
    fn of(format: &str, seed: u64) -> Self {
        let (whole, by_form) = match format {
            WORST | NEARLY => {
                (constructs::all().iter().map(|construct| construct.sample(LEAST)).collect(), false)
            }
            CASES => (samples::cases(), false),
            format => (samples::of(format), true),
        };
        Self { format: format.to_owned(), seed, samples: Samples::new(whole, by_form) }
    }

    /// The number of inputs: each construct once, each case with each limit.
    fn count(&self, inputs: usize) -> usize {
        match &*self.format {
            WORST | NEARLY => self.samples.len(),
            CASES => self.samples.len() * LIMITS.len(),
            _ => inputs * self.samples.forms().count(),
        }
    }

    /// The limit of memory for this input; the limits take turns.
    fn max_bytes(&self, number: usize) -> u64 {
        LIMITS[(number / self.samples.forms().count() + self.seed as usize) % LIMITS.len()]
    }

    /// How often a construct is repeated.
    fn repeated(&self, number: usize) -> usize {
        if self.format != NEARLY {
            return REPEATED;
        }
        let limits = ReadOptions::new().max_bytes(self.max_bytes(number));
        let construct = &constructs::all()[number];
        let is_read = |n: usize| {
            let Sample { name, bytes, beside } = construct.sample(n);
            bytes.len() <= LARGEST
                && panic::catch_unwind(|| limits.open(bytes, &name, sources(&beside)).is_ok())
                    .unwrap_or(false)
        };
        let mut least = LEAST;
        // Some constructs are limited, so that more repetitions do not change the file.
        while construct.sample(2 * least).bytes != construct.sample(least).bytes && is_read(2 * least) {
            least *= 2;
        }
        let mut step = least / 2;
        while step > least / 64 {
            least += if is_read(least + step) { step } else { 0 };
            step /= 2;
        }
        least
    }

    /// The index of the form, the file, and the edits of its model, for the input with this number.
    fn get(&self, number: usize, repeated: usize) -> (usize, Sample, Vec<u8>) {
        match &*self.format {
            WORST | NEARLY => return (0, constructs::all()[number].sample(repeated), Vec::new()),
            CASES => return (0, self.samples.whole(number / LIMITS.len()), Vec::new()),
            _ => {}
        }
        let (form, sample) = self.samples.damaged(self.seed, number);
        let mut rng = testkit::Rng(self.seed ^ number as u64);
        let edits = (0..number % 3 * targets::model::EDIT).map(|_| rng.next().to_le_bytes()[0]);
        (form, sample, edits.collect())
    }
}

/// The processor time of this thread.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Answers questions, each with the number of an input, its repetitions, and the numbers of its first and last step. The
/// answer is the number and the title of the first step that found something, or of the last one, and what it found; or
/// `-` if there are no more steps.
fn child(inputs: &Inputs) -> Outcome {
    static PANIC: Mutex<String> = Mutex::new(String::new());
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(|at| format!("{}:{}", at.file(), at.line())).unwrap_or_default();
        let text = info.payload().downcast_ref::<String>().map(String::as_str);
        let text = text.or(info.payload().downcast_ref::<&str>().copied()).unwrap_or_default();
        *PANIC.lock().unwrap_or_else(|lock| lock.into_inner()) =
            format!("{place}: {text}").replace('\n', " ");
    }));
    let panicked = || PANIC.lock().unwrap_or_else(|lock| lock.into_inner()).clone();
    let mut out = std::io::stdout().lock();
    let (mut known, mut steps) = (None, Vec::new());
    for line in std::io::stdin().lines() {
        let line = line?;
        let numbers: Vec<usize> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        let [number, repeated, first, last] = numbers[..] else { return Err("an odd question".into()) };
        if known.as_ref().is_none_or(|(of, _)| *of != number) {
            known = Some((number, inputs.get(number, repeated)));
            steps.clear();
        }
        let Some((_, (_, sample, edits))) = &known else { continue };
        let mut input = Input::new(&sample.bytes, &sample.name, &sample.beside, inputs.max_bytes(number));
        input.edits = edits;
        if steps.is_empty() {
            match panic::catch_unwind(AssertUnwindSafe(|| super::steps(&input))) {
                Ok(known) => steps = known,
                // Without the steps that apply to the file, its first step is the only one.
                Err(_) if first == 0 => {
                    writeln!(out, "0\topen\t{}", panicked())?;
                    out.flush()?;
                    continue;
                }
                Err(_) => {}
            }
        }
        let mut answer = "-".to_owned();
        for (at, step) in steps.iter().enumerate().take(last.saturating_add(1)).skip(first) {
            input.given.set(0);
            let before = cpu();
            let result = panic::catch_unwind(AssertUnwindSafe(|| step.run(&input)));
            let took = cpu().saturating_sub(before);
            let beside = sample.beside.values().map(Vec::len).sum::<usize>();
            let (read, written) = (sample.bytes.len() + beside, input.given.get());
            let is_slow = |read: u64| took > PATIENCE.mul_f64(((read + written) as f64 / 1e6).max(1.0));
            // Geometry can be compressed.
            let decoded = || panic::catch_unwind(AssertUnwindSafe(|| decoded(&input))).unwrap_or_default();
            let slow = is_slow(read as u64) && is_slow((read as u64).max(decoded()));
            let found = match result {
                Err(_) => panicked(),
                Ok(()) if slow => format!("too slow: {took:?} for {read} bytes read, {written} written"),
                Ok(()) => String::new(),
            };
            if !found.is_empty() || at == last {
                answer = format!("{at}\t{}\t{found}", step.title());
                break;
            }
        }
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

/// The results of one form of a format.
#[derive(Default)]
struct Tried {
    inputs: usize,
    read: usize,
    found: BTreeSet<String>,
}

/// Writes a row for each form into docs/ROBUSTNESS.md.
fn write(inputs: &Inputs, forms: &[Tried], commit: &str) -> Outcome {
    let heads = ["format", "form", "files", "inputs", "read", "kinds of findings", "seed", "commit"];
    let rows = forms.iter().zip(inputs.samples.forms()).map(|(form, (name, files))| {
        let counts = [files, form.inputs, form.read, form.found.len()].map(|count| count.to_string());
        let cells = counts.into_iter().chain([inputs.seed.to_string(), commit.to_owned()]).collect();
        Row { of: vec![inputs.format.clone(), name.to_owned()], cells }
    });
    page::write("attack", &heads, &rows.collect::<Vec<_>>())
}

/// Runs every step with every input, in a child process; returns the number of kinds of findings.
fn tried(format: &str, options: &Options, commit: &str) -> Result<usize, Box<dyn std::error::Error>> {
    let inputs = Inputs::of(format, options.seed);
    let mut forms: Vec<Tried> = inputs.samples.forms().map(|_| Tried::default()).collect();
    let mut kinds = BTreeMap::<String, (usize, usize, String)>::new();
    let program = std::env::current_exe()?.to_string_lossy().into_owned();
    let args = ["attack", "--child", format, "--seed", &options.seed.to_string()].map(str::to_owned);
    let program: Vec<String> = [program].into_iter().chain(args).collect();
    let (mut process, start) = (Process::start(&program, MEMORY)?, Instant::now());
    let numbers = options.only.map_or(0..inputs.count(options.inputs), |only| only..only + 1);
    for number in numbers {
        // A run that is stopped keeps most of its figures.
        if options.write && number % SAVED == 0 && number > 0 {
            write(&inputs, &forms, commit)?;
        }
        let repeated = inputs.repeated(number);
        let (form, sample, _) = inputs.get(number, repeated);
        if options.only.is_some() {
            let folder = root().join(format!("target/attack/{format}-{number}"));
            fs::create_dir_all(&folder)?;
            fs::write(folder.join(sample.name.replace('/', "-")), &sample.bytes)?;
            sample.beside.iter().try_for_each(|(name, bytes)| fs::write(folder.join(name), bytes))?;
        }
        let limits = ReadOptions::new().max_bytes(LIMITS[0]);
        let open = || limits.open(sample.bytes.clone(), &sample.name, sources(&sample.beside)).is_ok();
        let tried = &mut forms[form];
        (tried.inputs, tried.read) =
            (tried.inputs + 1, tried.read + usize::from(panic::catch_unwind(open).unwrap_or(false)));
        // All steps at once. If the process does not survive that, each one, so that the fatal one is known.
        let (mut step, mut all) = (0, ![WORST, NEARLY, CASES].contains(&format));
        loop {
            let last = if all { usize::MAX } else { step };
            let question = format!("{number} {repeated} {step} {last}\n");
            let (name, text) = match process.ask(question.as_bytes(), HANG) {
                Answer::Line(line) if line == "-" => break,
                Answer::Line(line) => {
                    let [at, name, text] = *line.splitn(3, '\t').collect::<Vec<_>>() else {
                        return Err(format!("an odd answer: {line:.100}").into());
                    };
                    step = at.parse()?;
                    (name.to_owned(), text.to_owned())
                }
                _ if all => {
                    (process, all) = (Process::start(&program, MEMORY)?, false);
                    continue;
                }
                answer => {
                    process = Process::start(&program, MEMORY)?;
                    let how =
                        if matches!(answer, Answer::Hung) { "hangs" } else { "dies: out of memory or stack" };
                    (format!("step {step}"), how.to_owned())
                }
            };
            step += 1;
            if !text.is_empty() {
                let each = match format {
                    WORST | NEARLY | CASES => format!(" {}, {repeated} times", sample.name),
                    _ => String::new(),
                };
                let kind = kind(&name, &text) + &each;
                tried.found.insert(kind.clone());
                // Print it now, since a run can take hours.
                if !kinds.contains_key(&kind) {
                    eprintln!("{format} {number}: {name}: {text:.300}");
                }
                kinds.entry(kind).or_insert((0, number, text)).0 += 1;
            }
        }
    }
    let sum = |count: fn(&Tried) -> usize| forms.iter().map(count).sum::<usize>();
    let (seconds, read) = (start.elapsed().as_secs(), sum(|form| form.read));
    println!(
        "{format}: {} inputs in {} forms, {read} read, {seconds} s",
        sum(|form| form.inputs),
        forms.len()
    );
    for (kind, (count, number, text)) in &kinds {
        let step = kind.split(':').next().unwrap_or_default();
        let name = if [WORST, NEARLY].contains(&format) { constructs::all()[*number].name } else { "" };
        println!("  {step}, {count} times, first {number} {name}: {text:.300}");
    }
    if options.write {
        write(&inputs, &forms, commit)?;
    }
    Ok(kinds.len())
}

/// A finding without its numbers, so that findings of the same kind are counted together.
fn kind(step: &str, text: &str) -> String {
    let mut short = text.replace(|char: char| char.is_ascii_digit(), "0");
    while short.contains("00") {
        short = short.replace("00", "0");
    }
    format!("{step}: {}", short.chars().take(160).collect::<String>())
}
