//! A crate that is built once with a switch for each of its mutants, and what its tests tell of each.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use xtask::processor_time;

use super::switch::{Change, Switched, switched};
use super::{Found, Mutant};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The module that the crate gets: which mutant is chosen, and which are asked for.
const MODULE: &str = r#"
pub(crate) mod mutant {
    use std::{env::var_os, fs::File, io::Write, sync::LazyLock, sync::atomic::{AtomicBool, Ordering}};
    static CHOSEN: LazyLock<usize> =
        LazyLock::new(|| var_os("MUTANT").map_or(usize::MAX, |it| it.to_str().unwrap().parse().unwrap()));
    static REACHED: LazyLock<Option<File>> = LazyLock::new(|| var_os("REACHED").map(|it| File::create(it).unwrap()));
    static SEEN: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];
    pub(crate) fn on(number: usize) -> bool {
        if let Some(mut file) = REACHED.as_ref() && !SEEN[number].swap(true, Ordering::Relaxed) {
            file.write_all(&u32::try_from(number).unwrap().to_le_bytes()).unwrap();
        }
        number == *CHOSEN
    }
    /// What functions that return `impl Iterator` give: the mutant's iterator, or their own.
    #[derive(Clone)]
    pub(crate) enum Either<A, B> { Mutant(A), Own(B) }
    pub(crate) fn either<A: Iterator<Item = B::Item>, B: Iterator>(
        mutant: Option<A>, own: impl FnOnce() -> B
    ) -> Either<A, B> {
        mutant.map_or_else(|| Either::Own(own()), Either::Mutant)
    }
    impl<A: Iterator<Item = B::Item>, B: Iterator> Iterator for Either<A, B> {
        type Item = B::Item;
        fn next(&mut self) -> Option<B::Item> {
            match self { Self::Mutant(of) => of.next(), Self::Own(of) => of.next() }
        }
        fn size_hint(&self) -> (usize, Option<usize>) {
            match self { Self::Mutant(of) => of.size_hint(), Self::Own(of) => of.size_hint() }
        }
    }
    impl<A: DoubleEndedIterator<Item = B::Item>, B: DoubleEndedIterator> DoubleEndedIterator for Either<A, B> {
        fn next_back(&mut self) -> Option<B::Item> {
            match self { Self::Mutant(of) => of.next_back(), Self::Own(of) => of.next_back() }
        }
    }
    impl<A: ExactSizeIterator<Item = B::Item>, B: ExactSizeIterator> ExactSizeIterator for Either<A, B> {}
}
"#;

/// Memory that a test may take, in KiB, and the processor time beyond ten times what it takes without a mutant.
const MEMORY: u64 = 4_000_000;
const PATIENCE: Duration = Duration::from_secs(2);

/// A copy of the workspace, in which the sources of one crate are changed.
pub(super) struct Tree {
    folder: PathBuf,
    package: String,
    crate_folder: PathBuf,
}

struct Test {
    program: PathBuf,
    name: String,
    time: Duration,
    reached: BTreeSet<usize>,
}

enum Ran {
    Passed,
    Failed,
    TooLong,
}

/// What the compiler said: the programs of the tests, or its errors.
type Built = std::result::Result<Vec<PathBuf>, Vec<Value>>;

impl Tree {
    pub(super) fn new(folder: PathBuf, name: &str, package: &str) -> Result<Self> {
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let files = Command::new("git")
            .current_dir(xtask::root())
            .args(["ls-files", "-z", "-co", "--exclude-standard"])
            .output()?;
        for file in String::from_utf8(files.stdout)?
            .split_terminator('\0')
            .filter(|file| !file.starts_with("docs/pictures"))
        {
            let (from, to) = (xtask::root().join(file), folder.join(file));
            if from.is_file() {
                fs::create_dir_all(to.parent().ok_or("a file without a folder")?)?;
                fs::copy(from, to)?;
            }
        }
        Ok(Self { crate_folder: folder.join("crates").join(name), package: package.to_owned(), folder })
    }

    /// What of each mutant was found, by the tests that take no longer than `longest`: with a switch, or built by itself where it can have none. `log` is told how far it is.
    pub(super) fn tried(
        &self,
        mutants: &[&Mutant],
        each_alone: bool,
        longest: Duration,
        log: impl Fn(String) + Sync,
    ) -> Result<Vec<Found>> {
        let mut found = vec![None; mutants.len()];
        let library = fs::read_to_string(self.crate_folder.join("src/lib.rs"))?;
        let module = MODULE.replace("COUNT", &mutants.len().to_string());
        fs::write(self.crate_folder.join("src/lib.rs"), library + &module)?;
        let (programs, alone) = self.built_with_switches(mutants, &mut found)?;
        log(format!(
            "{} of {} mutants have a switch",
            found.iter().filter(|of| of.is_none()).count() - alone.len(),
            found.len()
        ));
        let mut tests = self.tests(&programs, longest)?;
        tests.sort_by_key(|test| test.time);
        let time: Duration = tests.iter().map(|test| test.time).sum();
        log(format!("{} tests take at most {longest:?}, together {time:.1?}", tests.len()));
        let of_switches: Vec<usize> =
            (0..mutants.len()).filter(|k| found[*k].is_none() && !alone.contains(k)).collect();
        let (next, results) = (AtomicUsize::new(0), Mutex::new(&mut found));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while let Some(&number) = of_switches.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let reaching = tests.iter().filter(|test| test.reached.contains(&number));
                        let of = self.judged(reaching, Some(number));
                        if let Ok(Found::Living) = of {
                            log(format!("{number}: {}", mutants[number].name));
                        }
                        if let (Ok(mut results), Ok(of)) = (results.lock(), of) {
                            results[number] = Some(of);
                        }
                    }
                });
            }
        });
        for number in alone {
            found[number] = Some(match each_alone {
                true => self.tried_alone(mutants[number], &tests)?,
                false => Found::Untried,
            });
            if let (true, Some(of)) = (each_alone, found[number]) {
                log(format!("{of:?} alone: {}", mutants[number].name));
            }
        }
        found.into_iter().collect::<Option<_>>().ok_or_else(|| "a test could not be started".into())
    }

    /// The programs of the tests, with a switch for each mutant that compiles with one. Of those that do not, the ones that
    /// the compiler refuses for their own text are found to be so, and the others are to be tried alone.
    fn built_with_switches(
        &self,
        mutants: &[&Mutant],
        found: &mut [Option<Found>],
    ) -> Result<(Vec<PathBuf>, BTreeSet<usize>)> {
        let mut stay_const = BTreeSet::new();
        let mut alone: BTreeSet<usize> =
            (0..mutants.len()).filter(|number| mutants[*number].is_inside_of_type()).collect();
        let mut files: BTreeMap<&str, (String, Vec<usize>)> = BTreeMap::new();
        for (number, mutant) in mutants.iter().enumerate() {
            if !files.contains_key(mutant.file.as_str()) {
                let source = fs::read_to_string(self.folder.join(&mutant.file))?;
                files.insert(&mutant.file, (source, Vec::new()));
            }
            files.entry(&mutant.file).or_default().1.push(number);
        }
        loop {
            let mut sources: BTreeMap<&str, Switched> = BTreeMap::new();
            for (file, (source, numbers)) in &files {
                let wanted =
                    numbers.iter().filter(|number| found[**number].is_none() && !alone.contains(*number));
                let changes: Vec<Change<'_>> =
                    wanted.map(|&number| mutants[number].change(number, source)).collect();
                let out =
                    switched(source, &changes, &stay_const).map_err(|error| format!("{file}: {error}"))?;
                alone.extend(
                    changes.iter().map(|of| of.number).filter(|number| !out.lines.contains_key(number)),
                );
                for number in &out.refused {
                    alone.remove(number);
                    found[*number] = Some(Found::Unviable);
                }
                write_changed(&self.folder.join(file), &out.text)?;
                sources.insert(file, out);
            }
            let errors = match self.build()? {
                Ok(programs) => return Ok((programs, alone)),
                Err(errors) => errors,
            };
            let before = (alone.len(), stay_const.len(), found.iter().flatten().count());
            for error in &errors {
                let constant = error["code"]["code"] == "E0015";
                let function =
                    error["message"].as_str().and_then(|it| it.split('`').nth(1)?.rsplit("::").next());
                if let Some(function) = function.filter(|name| constant && *name != "on") {
                    stay_const.insert(function.split('<').next().unwrap_or(function).to_owned());
                    continue;
                }
                for span in
                    error["spans"].as_array().into_iter().flatten().filter(|span| span["is_primary"] == true)
                {
                    let Some(of) = span["file_name"].as_str().and_then(|file| sources.get(file)) else {
                        continue;
                    };
                    let line = usize::try_from(span["line_start"].as_u64().unwrap_or(0))?;
                    let own =
                        of.lines.iter().find(|(_, [own, _])| own.contains(&line)).map(|(number, _)| *number);
                    match own {
                        Some(number) if !constant => found[number] = Some(Found::Unviable),
                        Some(number) => drop(alone.insert(number)),
                        None => {
                            let around = of.lines.values().filter(|[_, whole]| whole.contains(&line));
                            let Some([_, inner]) = around.min_by_key(|[_, whole]| whole.len()) else {
                                continue;
                            };
                            alone.extend(
                                of.lines
                                    .iter()
                                    .filter(|(_, [_, whole])| whole == inner)
                                    .map(|(number, _)| *number),
                            );
                        }
                    }
                }
            }
            if before == (alone.len(), stay_const.len(), found.iter().flatten().count()) {
                let texts: Vec<&str> = errors.iter().filter_map(|error| error["rendered"].as_str()).collect();
                return Err(texts.concat().into());
            }
        }
    }

    /// Builds the crate's tests.
    fn build(&self) -> Result<Built> {
        let mut command = Command::new("cargo");
        command.current_dir(&self.folder).args([
            "test",
            "--no-run",
            "--lib",
            "--tests",
            "--all-features",
            "--message-format=json",
        ]);
        command
            .args(["-p", &self.package])
            .env("CARGO_TARGET_DIR", xtask::root().join("target/mutants/built"));
        let output = command.env("RUSTFLAGS", "--cap-lints=allow").env("CARGO_INCREMENTAL", "0").output()?;
        let messages = output
            .stdout
            .split(|byte| *byte == b'\n')
            .filter_map(|line| serde_json::from_slice::<Value>(line).ok());
        let (mut programs, mut errors) = (Vec::new(), Vec::new());
        for message in messages {
            programs.extend(
                message["executable"]
                    .as_str()
                    .filter(|_| message["profile"]["test"] == true)
                    .map(PathBuf::from),
            );
            errors.extend(Some(&message["message"]).filter(|it| it["level"] == "error").cloned());
        }
        match output.status.success() {
            true => Ok(Ok(programs)),
            false if errors.is_empty() => Err(String::from_utf8_lossy(&output.stderr).into()),
            false => Ok(Err(errors)),
        }
    }

    /// The tests of the programs that take no longer than `longest` of the processor, with the mutants that each reaches and its time.
    fn tests(&self, programs: &[PathBuf], longest: Duration) -> Result<Vec<Test>> {
        let reached = self.folder.join("reached");
        let mut tests = Vec::new();
        for program in programs {
            let list = Command::new(program)
                .args(["--list", "--format", "terse"])
                .current_dir(&self.crate_folder)
                .output()?;
            for name in String::from_utf8(list.stdout)?.lines().filter_map(|line| line.strip_suffix(": test"))
            {
                let mut test = Test {
                    program: program.clone(),
                    name: name.to_owned(),
                    // Without a mutant, too, it is ended after some time.
                    time: longest / 5,
                    reached: BTreeSet::new(),
                };
                fs::write(&reached, [])?;
                let ran = self.ran(&test, None, Some(&reached))?;
                let numbers = fs::read(&reached)?;
                let numbers = numbers
                    .chunks_exact(4)
                    .map(|of| u32::from_le_bytes([of[0], of[1], of[2], of[3]]) as usize);
                test.reached = numbers.collect();
                // Of the processor, as below: what else the machine does leaves out no test.
                let spent = || processor_time().ok_or("no /proc/self/stat");
                let before = spent()?;
                let again = self.ran(&test, None, None)?;
                let time = spent()? - before;
                match (ran, again) {
                    (Ran::Failed, _) | (_, Ran::Failed) => {
                        return Err(format!("{name} fails without a mutant").into());
                    }
                    (Ran::Passed, Ran::Passed) if time <= longest => {
                        test.time = time;
                        tests.push(test);
                    }
                    _ => {}
                }
            }
        }
        Ok(tests)
    }

    fn ran(&self, test: &Test, number: Option<usize>, reached: Option<&Path>) -> Result<Ran> {
        // Of processor time, so that other work on the machine ends no test; one that sleeps is ended by the clock.
        let limit = Duration::from_secs((test.time * 10 + PATIENCE).as_secs() + 1);
        let mut command = Command::new("sh");
        command.current_dir(&self.crate_folder).args([
            "-c",
            &format!("ulimit -v {MEMORY}; ulimit -S -t {}; exec \"$@\"", limit.as_secs()),
            "sh",
        ]);
        command.arg(&test.program).args([&test.name, "--exact", "--test-threads=1"]);
        command
            .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1")
            .env("PROPTEST_MAX_SHRINK_ITERS", "0")
            .env("PROPTEST_RNG_SEED", "1");
        command
            .envs(number.map(|number| ("MUTANT", number.to_string())))
            .envs(reached.map(|file| ("REACHED", file)));
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let begun = Instant::now();
        // With all processors, a test has used its time as much earlier.
        let soonest = limit
            / std::thread::available_parallelism().map_or(1, |count| u32::try_from(count.get()).unwrap_or(1));
        loop {
            match child.try_wait()? {
                Some(status) if status.success() => return Ok(Ran::Passed),
                Some(status) if status.code().is_none() && begun.elapsed() >= soonest => {
                    return Ok(Ran::TooLong);
                }
                Some(_) => return Ok(Ran::Failed),
                None if begun.elapsed() > limit * 10 => {
                    child.kill()?;
                    child.wait()?;
                    return Ok(Ran::TooLong);
                }
                None => std::thread::sleep(
                    (begun.elapsed() / 10).clamp(Duration::from_millis(1), Duration::from_millis(50)),
                ),
            }
        }
    }

    /// What the tests tell of a mutant, the quickest first.
    fn judged<'a>(&self, tests: impl Iterator<Item = &'a Test>, number: Option<usize>) -> Result<Found> {
        for test in tests {
            match self.ran(test, number, None)? {
                Ran::Passed => {}
                Ran::Failed => return Ok(Found::Caught),
                Ran::TooLong => return Ok(Found::Timeout),
            }
        }
        Ok(Found::Living)
    }

    /// A mutant without a switch: built by itself, and every test.
    fn tried_alone(&self, mutant: &Mutant, tests: &[Test]) -> Result<Found> {
        let path = self.folder.join(&mutant.file);
        let (switches, source) =
            (fs::read_to_string(&path)?, fs::read_to_string(xtask::root().join(&mutant.file))?);
        let change = mutant.change(0, &source);
        fs::write(&path, [&source[..change.start], change.text, &source[change.end..]].concat())?;
        let built = self.build()?;
        fs::write(&path, switches)?;
        match built {
            Ok(_) => self.judged(tests.iter(), None),
            Err(_) => Ok(Found::Unviable),
        }
    }
}

/// Leaves a file as old as it is where nothing changes, so that less is built.
fn write_changed(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path)? != text {
        fs::write(path, text)?;
    }
    Ok(())
}
