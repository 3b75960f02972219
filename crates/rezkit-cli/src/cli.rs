//! The arguments and the exit status.

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::commands;
use crate::input::Reading;
use crate::outcome::{self, Outcome};
use crate::{report, temporary};

/// Inspect, validate, compare, convert and edit assets: Roblox meshes, models and places, Second Life
/// meshes, Model 3D, LLSD.
///
/// Files are recognized by their content, or by their extension if the content is not enough. The assets in gzip and
/// ZIP files are read, too. If a command accepts a folder, it reads every asset below it. `-` is the standard input or
/// output.
#[derive(Parser)]
#[command(name = "rezkit", bin_name = "rezkit", version, after_help = STATUS)]
struct Arguments {
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    messages: report::Messages,
    #[command(subcommand)]
    command: Command,
}

const STATUS: &str = "Exit status:
  0  the command succeeded; for `diff`, the files are equal
  1  a file could not be read or written, or violates a rule of severity `error`; for `diff`, the files differ; for
     `find`, nothing was found; for `roundtrip`, a grade is `failed` or `unknown`
  2  the arguments are invalid, or the output file already exists; for `diff` and `find`, also if a file could not be
     read
  129, 130, 143  a signal (hang-up, Ctrl+C, termination) ended the command; it left no partially written file

Environment:
  NO_COLOR  if it is not empty, output on terminals has no colours, unless --color is given";

#[derive(Subcommand)]
enum Command {
    /// Show what each file is and how much it contains
    Info(commands::info::Show),
    /// Show what takes the bytes of places and models
    Size(commands::size::Measure),
    /// Show the contents of a file: instances, values, fields
    Tree(commands::tree::Tree),
    /// Find instances by class, name, tag, attribute or property, and search texts
    Find(commands::find::Find),
    /// Merge the changes of two files that come from a third one
    Merge(commands::merge::Merge),
    /// Let Git show and merge places and models
    Git(commands::git::Git),
    /// Print the value at a path
    Get(commands::get::Get),
    /// Set the value at a path
    Set(commands::set::Set),
    /// Add a tag to instances, or remove it
    Tag(commands::set::Tag),
    /// Set an attribute of instances, or remove it
    Attribute(commands::set::Attribute),
    /// Insert a model into a place or another model
    Insert(commands::edit::Insert),
    /// Create an instance
    Add(commands::edit::Add),
    /// Create an empty place or model
    New(commands::edit::New),
    /// Remove instances and everything below them
    Remove(commands::edit::Remove),
    /// Move an instance below another one
    Move(commands::edit::Move),
    /// Rename an instance
    Rename(commands::edit::Rename),
    /// Copy an instance and everything below it into a model
    Copy(commands::edit::Copy),
    /// Apply a list of edits from the standard input: all of them or none
    Edit(commands::edit::Script),
    /// Validate files against the rules of their format
    Check(commands::check::Check),
    /// List the differences between two files, by path and value
    Diff(commands::diff::Diff),
    /// Convert files to another format, version or encoding
    Convert(commands::convert::Convert),
    /// Prepare a model for Second Life: levels of detail, hulls, materials, animations, and a report on land impact
    Sl(commands::sl::Sl),
    /// Generate levels of detail for a model
    Lods(commands::lods::Lods),
    /// Mend the avatar items in a model as far as no artist is needed
    Fit(commands::fit::Fit),
    /// Extract scripts, textures, terrain and attributes into files
    Extract(commands::extract::Extract),
    /// Pack edited scripts and meta files back into the file that they were extracted from
    Pack(commands::pack::Pack),
    /// List or replace the assets that files refer to
    Assets(commands::assets::Assets),
    /// List the scripts in files
    Scripts(commands::scripts::Scripts),
    /// Write tables of many assets: Parquet, Arrow, CSV, NDJSON (needs the program rezkit-table)
    Table(commands::table::Table),
    /// Render files as an image, a turntable animation, or a sheet with an image of each file
    Render(commands::render::Render),
    /// Show images of files in the terminal
    Show(commands::render::Show),
    /// Check whether files stay the same when they are read and written again
    Roundtrip(commands::roundtrip::Roundtrip),
    /// Print shell completions, the rules or the help of all commands, or write manual pages
    Docs(commands::docs::Docs),
}

/// The commands that use a global option, or that do not.
enum By {
    Only(&'static [&'static str]),
    Not(&'static [&'static str]),
}

/// The commands that read folders and skip files in them.
const FOLDERS: &[&str] =
    &["info", "size", "find", "check", "convert", "assets", "scripts", "render", "show", "roundtrip"];

/// Global options that have no effect on some commands: their help does not list them, and they refuse them.
const USED: &[(&str, By)] = &[
    ("hidden", By::Only(FOLDERS)),
    ("no_ignore", By::Only(FOLDERS)),
    (
        "exclude",
        By::Only(&[
            "info",
            "size",
            "find",
            "check",
            "convert",
            "assets",
            "scripts",
            "render",
            "show",
            "roundtrip",
            "pack",
        ]),
    ),
    // These commands list neither losses nor the errors of many files.
    ("verbose", By::Not(&["size", "tree", "get", "diff", "git", "new", "table", "roundtrip", "docs"])),
    (
        "quiet",
        By::Not(&[
            "info",
            "size",
            "tree",
            "check",
            "diff",
            "git",
            "new",
            "scripts",
            "table",
            "roundtrip",
            "docs",
        ]),
    ),
    ("color", By::Not(&["table", "docs", "git"])),
    ("from", By::Not(&["docs", "git", "new", "table", "roundtrip"])),
    ("max_bytes", By::Not(&["docs", "git", "new"])),
    // `sl` uses all levels and keeps the file's hulls, `check` checks all of them, and `lods` begins with the finest level.
    ("all_levels", By::Not(&["sl", "check", "lods"])),
    ("lod", By::Not(&["sl", "lods"])),
    ("hulls", By::Not(&["sl", "check"])),
];

/// The options of the table that have no effect on a command.
fn unused(command: &str) -> impl Iterator<Item = &'static str> {
    let is_used = move |by: &By| match by {
        By::Only(commands) => commands.contains(&command),
        By::Not(commands) => !commands.contains(&command),
    };
    USED.iter().filter(move |(_, by)| !is_used(by)).map(|(option, _)| *option)
}

/// Options that only `--help` lists, not `-h`.
const RARE: &[&str] = &[
    "all_levels",
    "color",
    "concavity",
    "exclude",
    "from",
    "hidden",
    "joint_positions",
    "loops",
    "max_bytes",
    "no_ignore",
    "no_pictures",
    "protocol",
    "quiet",
    "verbose",
];

/// The arguments of all commands.
fn arguments() -> clap::Command {
    let all = Arguments::command();
    let global: Vec<clap::Arg> = all.get_arguments().filter(|arg| arg.is_global_set()).cloned().collect();
    let all = all.mut_args(|arg| {
        let is_rare = arg.is_hide_short_help_set() || RARE.contains(&arg.get_id().as_str());
        arg.hide_short_help(is_rare)
    });
    all.mut_subcommands(|command| {
        let unused: Vec<_> = unused(command.get_name()).collect();
        let is_unused = |arg: &clap::Arg| unused.contains(&arg.get_id().as_str());
        let shown = |arg: clap::Arg| {
            let is_rare = arg.is_hide_short_help_set() || RARE.contains(&arg.get_id().as_str());
            let is_unused = is_unused(&arg);
            let arg = arg.hide(is_unused).hide_short_help(is_rare);
            // Options that are flattened into a command leave their heading to the arguments after them.
            if arg.is_positional() { arg.help_heading(None::<&str>) } else { arg }
        };
        let command = command.mut_args(shown);
        global.iter().fold(command, |command, arg| command.arg(shown(arg.clone())))
    })
}

fn parsed() -> Result<Arguments, clap::Error> {
    let mut all = arguments();
    let matches = all.try_get_matches_from_mut(std::env::args_os())?;
    if let Some((name, given)) = matches.subcommand() {
        let is_given = |id: &&str| given.value_source(id) == Some(clap::parser::ValueSource::CommandLine);
        if let Some(id) = unused(name).find(is_given) {
            let text = format!("--{} has no effect on `rezkit {name}`; remove it", id.replace('_', "-"));
            return Err(all.error(clap::error::ErrorKind::ArgumentConflict, text));
        }
    }
    Arguments::from_arg_matches(&matches)
}

/// Prints an error of the arguments, or the help, and ends the program.
fn refused(error: &clap::Error) -> ! {
    let is_odd = |arg: std::ffi::OsString| arg.to_string_lossy().contains(char::is_control);
    if error.use_stderr() && std::env::args_os().any(is_odd) {
        // A terminal would execute the control characters that it repeats.
        let text = error.render().to_string();
        text.lines().for_each(|line| eprintln!("{}", report::Plain(line)));
        std::process::exit(error.exit_code());
    }
    error.exit()
}

pub(crate) fn run() -> ExitCode {
    let Arguments { reading, messages, command } = parsed().unwrap_or_else(|error| refused(&error));
    messages.set();
    temporary::remove_on_signals();
    let outcome = match command {
        Command::Info(command) => command.run(&reading),
        Command::Size(command) => command.run(&reading),
        Command::Tree(command) => command.run(&reading),
        Command::Find(command) => command.run(&reading),
        Command::Merge(command) => command.run(&reading),
        Command::Git(command) => command.run(&reading),
        Command::Get(command) => command.run(&reading),
        Command::Set(command) => command.run(&reading),
        Command::Tag(command) => command.run(&reading),
        Command::Attribute(command) => command.run(&reading),
        Command::Insert(command) => command.run(&reading),
        Command::Add(command) => command.run(&reading),
        Command::New(command) => command.run(&reading),
        Command::Remove(command) => command.run(&reading),
        Command::Move(command) => command.run(&reading),
        Command::Rename(command) => command.run(&reading),
        Command::Copy(command) => command.run(&reading),
        Command::Edit(command) => command.run(&reading),
        Command::Check(command) => command.run(&reading),
        Command::Diff(command) => command.run(&reading),
        Command::Convert(command) => command.run(&reading),
        Command::Sl(command) => command.run(&reading),
        Command::Lods(command) => command.run(&reading),
        Command::Fit(command) => command.run(&reading),
        Command::Extract(command) => command.run(&reading),
        Command::Pack(command) => command.run(&reading),
        Command::Assets(command) => command.run(&reading),
        Command::Scripts(command) => command.run(&reading),
        Command::Table(command) => command.run(&reading),
        Command::Render(command) => command.run(&reading),
        Command::Show(command) => command.run(&reading),
        Command::Roundtrip(command) => command.run(&reading),
        Command::Docs(command) => command.run(arguments()),
    };
    let outcome = outcome.unwrap_or_else(|error| {
        report::failed(None, &error);
        outcome::outcome(&error)
    });
    drop(temporary::unlock());
    match outcome {
        Outcome::Success => ExitCode::SUCCESS,
        Outcome::Failure => ExitCode::FAILURE,
        Outcome::Usage => ExitCode::from(2),
    }
}
