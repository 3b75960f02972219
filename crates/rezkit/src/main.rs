//! The command line over the format crates: what a file is, which rules it breaks, and the same in another form.

mod content;
mod output;

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use content::Content;
use serde_json::json;

/// Looks into, checks and converts assets: Roblox meshes, models and places, Second Life meshes, Model 3D, LLSD.
///
/// A file is known by what it holds, not by its name. `-` is the standard input, or output.
#[derive(Parser)]
#[command(name = "rezkit", version)]
struct Arguments {
    /// How many bytes reading one file may allocate
    #[arg(long, global = true, value_name = "BYTES", default_value_t = 1 << 30)]
    max_bytes: u64,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Says what each file is and how much is in it
    Info {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
        /// The files, of any format
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Lists the rules of its format that each file breaks; fails where one of them is an error
    Check {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
        /// The files, of any format
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Writes a file in another form of its format
    ///
    /// The output appears when it is complete: until then, and where something fails, what was there stays.
    #[command(after_help = content::FORMS)]
    Convert {
        /// The form; as it was read unless set, but for names that end in .m3d and .a3d
        #[arg(long, value_name = "FORM")]
        to: Option<String>,
        /// Leave out what the form cannot hold, instead of refusing
        #[arg(long)]
        allow_loss: bool,
        /// What is read
        input: PathBuf,
        /// What is written
        output: PathBuf,
    },
}

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let Arguments { max_bytes, command } = Arguments::parse();
    let outcome = match command {
        Command::Info { json, files } => each(&files, |path, out| info(path, max_bytes, json, out)),
        Command::Check { json, files } => each(&files, |path, out| check(path, max_bytes, json, out)),
        Command::Convert { to, allow_loss, input, output } => {
            convert(&input, &output, max_bytes, to.as_deref(), allow_loss)
                .map(|()| true)
                .map_err(|error| complain(&input, error.as_ref()))
        }
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) | Err(()) => ExitCode::FAILURE,
    }
}

/// Does something with every file, whatever became of those before it. Whether all went well.
fn each(files: &[PathBuf], mut run: impl FnMut(&Path, &mut dyn Write) -> Outcome<bool>) -> Result<bool, ()> {
    let mut all = true;
    for path in files {
        // What is said of a file goes out at once, and not at all where it fails half way.
        let mut text = Vec::new();
        match run(path, &mut text) {
            Ok(well) => all &= well,
            Err(error) => {
                complain(path, error.as_ref());
                all = false;
            }
        }
        match io::stdout().write_all(&text) {
            // Whoever was listening has heard enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(all),
            Err(error) => {
                complain(Path::new("standard output"), &error);
                return Err(());
            }
            Ok(()) => {}
        }
    }
    Ok(all)
}

fn complain(path: &Path, error: &dyn std::error::Error) {
    // Nowhere is left to complain where this fails.
    let _unheard = writeln!(io::stderr(), "rezkit: {}: {error}", path.display());
}

/// All bytes of a file, or of the standard input. A file that is larger than what may be allocated is not even read.
fn bytes_of(path: &Path, max_bytes: u64) -> Outcome<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = max_bytes.saturating_add(1);
    match path.to_str() {
        Some("-") => io::stdin().lock().take(limit).read_to_end(&mut bytes)?,
        _ => std::fs::File::open(path)?.take(limit).read_to_end(&mut bytes)?,
    };
    match bytes.len() as u64 > max_bytes {
        true => Err(format!("more than {max_bytes} bytes (--max-bytes raises the limit)").into()),
        false => Ok(bytes),
    }
}

fn info(path: &Path, max_bytes: u64, json: bool, out: &mut dyn Write) -> Outcome<bool> {
    let bytes = bytes_of(path, max_bytes)?;
    let content = Content::read(&bytes, max_bytes)?;
    let (format, version, facts) = (content.format(), content.version(), content.facts());
    if json {
        let facts: serde_json::Map<_, _> =
            facts.into_iter().map(|(name, count)| (name.to_owned(), count.into())).collect();
        let line = json!({
            "path": path.display().to_string(),
            "format": format,
            "version": version,
            "bytes": bytes.len(),
            "holds": facts,
        });
        writeln!(out, "{line}")?;
        return Ok(true);
    }
    let facts: Vec<_> = facts.iter().map(|(name, count)| format!("{name} {count}")).collect();
    writeln!(out, "{}: {format} {version}, {} bytes: {}", path.display(), bytes.len(), facts.join("; "))?;
    Ok(true)
}

fn check(path: &Path, max_bytes: u64, json: bool, out: &mut dyn Write) -> Outcome<bool> {
    let content = Content::read(&bytes_of(path, max_bytes)?, max_bytes)?;
    let mut sound = true;
    for finding in content.check() {
        sound &= !finding.is_error;
        match json {
            true => {
                let line = json!({
                    "file": path.display().to_string(),
                    "severity": if finding.is_error { "error" } else { "warning" },
                    "rule": finding.rule,
                    "path": finding.path,
                    "what": finding.what,
                    "count": finding.count,
                });
                writeln!(out, "{line}")?;
            }
            false => writeln!(out, "{}: {}", path.display(), finding.text)?,
        }
    }
    Ok(sound)
}

fn convert(input: &Path, output: &Path, max_bytes: u64, to: Option<&str>, allow_loss: bool) -> Outcome {
    let content = Content::read(&bytes_of(input, max_bytes)?, max_bytes)?;
    let to = to.or_else(|| content.form_of_name(output));
    let bytes = content.write(to, allow_loss)?;
    output::put(output, &bytes).map_err(|error| format!("{}: {error}", output.display()).into())
}
