//! `rezkit git`: lets Git show and merge places and models.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rezkit::{Conflict, MergeOptions, Opened, Side};
use rezkit_core::Counted;

use super::merge::listed;
use crate::below;
use crate::input::Reading;
use crate::outcome::{Error, Outcome, Usage, helped};
use crate::output::{Plan, Replacing};
use crate::report::{self, about};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit git install             in a repository: writes .gitattributes and the configuration of this clone
  rezkit git install --global    the configuration of all your repositories; .gitattributes stays as it is
  rezkit git resolve --theirs place.rbxl                          after a merge: their values in all conflicts
  rezkit git resolve --ours place.rbxl Workspace/Door.Color       our value in one conflict

`git diff` then shows the properties of places and models, and `git merge` merges them by instance. After a conflict, the
file has both changes, and our values in the conflicts; both versions of lines that both changed are in the scripts, marked
as Git marks them. `git checkout -m FILE` lists the conflicts again.")]
pub(crate) struct Git {
    #[command(subcommand)]
    command: GitCommand,
}

#[derive(clap::Subcommand)]
enum GitCommand {
    /// Write the lines for .gitattributes, and the configuration of Git
    Install(Install),
    /// Resolve the conflicts of a merge in a file, and stage the file when none is left
    Resolve(Resolve),
    /// Print a file as `tree --full` does, or why it cannot be read
    #[command(hide = true)]
    Textconv { file: PathBuf },
}

#[derive(clap::Args)]
struct Install {
    /// Write the configuration of the user instead of that of the repository
    #[arg(long)]
    global: bool,
}

#[derive(clap::Args)]
struct Resolve {
    /// Use the values of our side
    #[arg(long, required_unless_present = "theirs", conflicts_with = "theirs")]
    ours: bool,
    /// Use the values of their side
    #[arg(long)]
    theirs: bool,
    /// The file with conflicts
    file: PathBuf,
    /// The conflicts to resolve, by their paths as `git merge` lists them [default: all]
    paths: Vec<String>,
    /// Overwrite the file even if it was edited after the merge
    #[arg(long, short)]
    force: bool,
}

/// The files that Git shows and merges by this program.
const ATTRIBUTES: &str = "*.rbxl diff=rezkit merge=rezkit
*.rbxlx diff=rezkit merge=rezkit
*.rbxm diff=rezkit merge=rezkit
*.rbxmx diff=rezkit merge=rezkit
";

/// The largest file of attributes that is read.
const MAX_ATTRIBUTES: u64 = 1 << 20;

/// The keys of the configuration, and their values. Names of files can begin with `-`.
const CONFIGURATION: [(&str, &str); 9] = [
    ("diff.rezkit.textconv", "rezkit git textconv --"),
    // Names the instance of each hunk.
    ("diff.rezkit.xfuncname", r"^ *([^ .|\].*)$"),
    ("difftool.rezkit.cmd", "rezkit diff -- \"$LOCAL\" \"$REMOTE\""),
    ("merge.rezkit.name", "rezkit merges Roblox places and models by instance"),
    ("merge.rezkit.driver", "rezkit merge --output=%A --force --markers --name=%P -- %O %A %B"),
    ("mergetool.rezkit-ours.cmd", "rezkit git resolve --force --ours -- \"$MERGED\""),
    ("mergetool.rezkit-ours.trustExitCode", "true"),
    ("mergetool.rezkit-theirs.cmd", "rezkit git resolve --force --theirs -- \"$MERGED\""),
    ("mergetool.rezkit-theirs.trustExitCode", "true"),
];

/// Keeps what files look like in the repository, which Git does with a commit.
const CACHE: &str = "diff.rezkit.cachetextconv";

impl Git {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        match self.command {
            GitCommand::Install(install) => install.run(),
            GitCommand::Resolve(resolve) => resolve.run(reading),
            GitCommand::Textconv { file } => textconv(file, reading),
        }
    }
}

/// What a command of Git prints, of at most so many bytes.
///
/// # Errors
/// If the command fails or prints more.
fn git_bytes(args: &[&str], input: &[u8], max_bytes: u64) -> Result<Vec<u8>, Error> {
    let of_git = |error: Error| about(Path::new("git"))(error);
    let mut command = Command::new("git");
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| of_git(error.into()))?;
    let mut out = Vec::new();
    // The commands that have an input read all of it before they print.
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(input);
    }
    if let Some(stdout) = child.stdout.take() {
        stdout
            .take(max_bytes.saturating_add(1))
            .read_to_end(&mut out)
            .map_err(|error| of_git(error.into()))?;
    }
    let end = child.wait_with_output().map_err(|error| of_git(error.into()))?;
    if out.len() as u64 > max_bytes {
        return Err(format!("the file is larger than the limit of {max_bytes} bytes").into());
    }
    match end.status.success() {
        true => Ok(out),
        false => {
            let why = String::from_utf8_lossy(&end.stderr).trim().to_owned();
            Err(of_git(rezkit::Error::argument(why).into()))
        }
    }
}

/// The text that a command of Git prints.
fn git(args: &[&str]) -> Result<String, Error> {
    let out = git_bytes(args, &[], MAX_ATTRIBUTES)?;
    Ok(String::from_utf8_lossy(&out).trim_end_matches(['\r', '\n']).to_owned())
}

impl Install {
    fn run(self) -> Result<Outcome, Error> {
        let mut text = String::new();
        if !self.global {
            let path = below::from(Path::new(&git(&["rev-parse", "--show-toplevel"])?), ".gitattributes");
            text += &add_attributes(&path).map_err(about(&path))?;
        }
        // A commit needs a name and an address, without which `git diff` would fail.
        let has_identity =
            ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"].iter().all(|name| git(&["var", name]).is_ok());
        let cache = (CACHE, if has_identity { "true" } else { "false" });
        for (key, value) in CONFIGURATION.into_iter().chain([cache]) {
            git(&["config", if self.global { "--global" } else { "--local" }, key, value])?;
            text += &format!("{key} = {value}\n");
        }
        report::print(&text)?;
        Ok(Outcome::Success)
    }
}

/// Adds the missing lines to a file of attributes; returns the report.
///
/// # Errors
/// If the file is a link, which may lead out of the repository, or no file, or is too large.
fn add_attributes(path: &Path) -> Result<String, Error> {
    let found = fs::symlink_metadata(path);
    let old = match found {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Ok(found) if !found.is_file() || found.len() > MAX_ATTRIBUTES => {
            return Err("expected a file of at most 1 MiB, not a link".into());
        }
        _ => {
            let mut text = String::new();
            fs::File::open(path)?.take(MAX_ATTRIBUTES).read_to_string(&mut text)?;
            text
        }
    };
    let missing: Vec<&str> = ATTRIBUTES.lines().filter(|line| !old.lines().any(|own| own == *line)).collect();
    if missing.is_empty() {
        return Ok(String::new());
    }
    let gap = if old.is_empty() || old.ends_with('\n') { "" } else { "\n" };
    let mut plan = Plan::new(&[], Replacing::all());
    let folder = path.parent().unwrap_or(Path::new(""));
    let name = Path::new(path.file_name().unwrap_or_default());
    plan.below(folder, name, format!("{old}{gap}{}\n", missing.join("\n")).into())?;
    plan.write()?;
    Ok(format!("{}: {} lines added\n", report::path(path), missing.len()))
}

/// The versions of a file that a merge could not join.
struct Stages {
    /// The names of their objects: of the common ancestor, of ours and of theirs.
    ids: [Option<String>; 3],
}

impl Stages {
    /// # Errors
    /// If the index has no conflict of this file, or one side removed it.
    fn of(file: &str) -> Result<Self, Error> {
        let listed = git(&["--literal-pathspecs", "ls-files", "--unmerged", "-z", "--", file])?;
        let mut ids = [None, None, None];
        for line in listed.split('\0').filter(|line| !line.is_empty()) {
            let mut fields = line.split_whitespace().skip(1);
            let (id, stage) = (fields.next(), fields.next().and_then(|stage| stage.parse::<usize>().ok()));
            if let Some(slot) = stage.and_then(|stage| ids.get_mut(stage.wrapping_sub(1))) {
                *slot = id.map(str::to_owned);
            }
        }
        match &ids {
            [None, None, None] => Err(helped(
                Usage("the file has no conflict in Git's index".into()),
                "`git checkout -m FILE` brings the conflicts of a merge back",
            )),
            [_, Some(_), Some(_)] => Ok(Self { ids }),
            _ => Err(Usage(
                "one side removed the file: use `git add` to keep it, or `git rm` to remove it".into(),
            )
            .into()),
        }
    }

    /// The file in which the decisions about these versions are kept until none is missing, after the name of the object that
    /// the file with these decisions is.
    fn decisions(&self) -> Result<PathBuf, Error> {
        let [ours, theirs] = [1, 2].map(|side| self.ids[side].clone().unwrap_or_default());
        Ok(below::from(Path::new(&git(&["rev-parse", "--git-path", "rezkit"])?), &format!("{ours}-{theirs}")))
    }

    /// Merges the three versions.
    fn merged(
        &self,
        file: &Path,
        options: &MergeOptions,
        reading: &Reading,
    ) -> Result<(Opened<'static>, Vec<Conflict>, Vec<rezkit::Loss>), Error> {
        let open = |id: &String| {
            let bytes = git_bytes(&["cat-file", "blob", id], &[], reading.max_bytes)?;
            reading.one(file, bytes)
        };
        let [base, ours, theirs] = &self.ids;
        let base = base.as_ref().map(open).transpose()?;
        let (Some(ours), Some(theirs)) = (ours, theirs) else { return Err("no versions".into()) };
        let (mut ours, theirs) = (open(ours)?, open(theirs)?);
        let (conflicts, notes) = ours.merge(base.as_ref(), &theirs, options)?;
        Ok((ours, conflicts, notes))
    }
}

impl Resolve {
    fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let file = self.file.clone();
        self.resolved(reading).map_err(about(&file))
    }

    fn resolved(self, reading: &Reading) -> Result<Outcome, Error> {
        let name = self.file.to_str().ok_or("the path is not UTF-8")?;
        let stages = Stages::of(name)?;
        let known = stages.decisions()?;
        let own = git(&["hash-object", "--", name])?;
        // Decisions about a file that was merged again, or edited, are of no use.
        let old = fs::read_to_string(&known).unwrap_or_default();
        let old = old.strip_prefix(&format!("{own}\n")).unwrap_or_default().to_owned();
        let options = || MergeOptions::new().markers(true).max_bytes(reading.max_bytes);
        let decide = |text: &str| {
            text.lines().fold(options(), |options, line| match line.split_once(' ') {
                Some(("theirs", at)) => options.decide(at, Side::Theirs),
                Some((_, at)) => options.decide(at, Side::Ours),
                None => options,
            })
        };
        if !self.force && old.is_empty() && !self.is_as_merged(&stages, &own, reading)? {
            return Err(helped(
                Usage("the file was edited after the merge, and the edits would be lost".into()),
                "use --force to overwrite it",
            ));
        }
        let (side, word) = if self.theirs { (Side::Theirs, "theirs") } else { (Side::Ours, "ours") };
        let new: String = self.paths.iter().map(|path| format!("{word} {path}\n")).collect();
        let mut decisions = old + &new;
        let mut options = decide(&decisions);
        if self.paths.is_empty() {
            options = options.prefer(side);
        }
        let (merged, conflicts, notes) = stages.merged(&self.file, &options, reading)?;
        let mut plan = Plan::new(&[], Replacing::all());
        plan.unnamed(self.file.clone(), merged.to_file(None)?)?;
        plan.write()?;
        report::lost(&report::path(&self.file), &notes, reading.verbose);
        if conflicts.is_empty() {
            git(&["--literal-pathspecs", "add", "--", name])?;
            let _ = fs::remove_file(&known);
            report::print(&format!("{}: resolved and staged\n", report::path(&self.file)))?;
        } else if let Some(folder) = known.parent() {
            let is_used = |line: &&str| {
                let path = line.split_once(' ').map_or("", |(_, path)| path);
                !notes.iter().any(|note| note.id == "merge.unused-decision" && note.path == path)
            };
            decisions = decisions.lines().filter(is_used).map(|line| format!("{line}\n")).collect();
            let file = git(&["hash-object", "--", name])?;
            fs::create_dir_all(folder)?;
            fs::write(&known, format!("{file}\n{decisions}"))?;
        }
        listed(&conflicts, false)
    }

    /// Whether the file is as the merge left it: joined, or our version if Git did not know how to merge it.
    fn is_as_merged(&self, stages: &Stages, own: &str, reading: &Reading) -> Result<bool, Error> {
        if stages.ids[1].as_deref() == Some(own) {
            return Ok(true);
        }
        let options = MergeOptions::new().markers(true).max_bytes(reading.max_bytes);
        let (merged, ..) = stages.merged(&self.file, &options, reading)?;
        let bytes = git_bytes(&["hash-object", "--stdin"], &merged.to_file(None)?, MAX_ATTRIBUTES)?;
        Ok(String::from_utf8_lossy(&bytes).trim() == own)
    }
}

/// Prints the content of a file. Git stops at a failure, so that one file that cannot be read, such as a pointer of Git LFS,
/// would hide the history of all.
fn textconv(file: PathBuf, reading: &Reading) -> Result<Outcome, Error> {
    super::tree::Tree::full(file.clone()).run(reading).or_else(|error| {
        let bytes = reading.bytes(&file)?;
        let mut text = format!("not readable ({}): {error}\n", Counted::new(bytes.len(), "bytes"));
        if let Some(content) = std::str::from_utf8(&bytes).ok().filter(|content| content.len() < 1000) {
            content.lines().for_each(|line| text += &format!("{}\n", report::Plain(line)));
        }
        report::print(&text)?;
        Ok(Outcome::Success)
    })
}
