//! `rezkit set`: changes the value at a path.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regex::bytes::{Regex, RegexBuilder};
use rezkit::tree::Data;
use rezkit::{Edit, Opened};

use super::find::regex;
use super::found::Where;
use crate::input::Reading;
use crate::outcome::{Error, Outcome, Usage};
use crate::output::To;
use crate::report::about;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit set place.rbxl Workspace/Door.Transparency 0.5
  rezkit set place.rbxl Workspace/Door.Material Grass
  rezkit set place.rbxl Workspace/Door.size '4, 1, 2' -o other.rbxl
  rezkit set place.rbxl Workspace/Door/Script.Source - < Script.luau
  rezkit set place.rbxl Workspace/Terrain.SmoothGrid @grid.bin
  rezkit set place.rbxl Workspace/Door.AttributesSerialize.Health 100 --type float64
  rezkit set place.rbxl Workspace/Door.Tags Door,Wooden           replace all tags
  rezkit set place.rbxl Workspace/Door.Tags +Locked,-Wooden       add a tag, remove a tag
  rezkit set place.rbxl Workspace/Door.AttributesSerialize +Health=100,-Speed    set one, remove one
  rezkit set place.rbxl Workspace/Door.AttributesSerialize '{\"Health\": 100}'     replace all attributes
  rezkit set place.rbxl --where 'BasePart[Anchored = false]' Anchored=true Color=#ff8800    set all that match
  rezkit set a.rbxl b.rbxl --where '[$Old]' AttributesSerialize=-Old              in several files
  rezkit set settings.xml AFKTimeout/Value 300

  rezkit set place.rbxl --where LuaSourceContainer --replace 'Old(\\w+)' --with 'New$1' Source    in all scripts

With --where, the arguments are FILE… PROPERTY=VALUE…: each value is set for every instance that the selector means; with
--replace, they are FILE… PROPERTY….")]
pub(crate) struct Set {
    /// The type of the value, such as `float64` or `vector3` (Roblox) or `integer` (LLSD) [default: the type of the
    /// current value, otherwise the type of the property]
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    #[command(flatten)]
    found: Where,
    /// With --where, replace what matches this regular expression in the texts of the properties
    #[arg(long, value_name = "REGEX", requires_all = ["selector", "with"])]
    replace: Option<String>,
    /// The text that replaces what --replace matches; `$1` is the text of the first group
    #[arg(long, value_name = "TEXT", requires = "replace", allow_hyphen_values = true)]
    with: Option<String>,
    #[command(flatten)]
    to: To,
    /// The file to edit
    file: PathBuf,
    /// The path of the value, such as `Workspace/Door.Size`: names separated by `/`, with `.` before a
    /// property; of several children with one name, `Door` is the first and `Door[1]` the second
    path: String,
    /// The value: text, a number, numbers separated by commas, the name of an enum item or BrickColor, the path of an
    /// instance for a reference, or Base64 for binary LLSD values and encoded data such as terrain; `-` reads it from the
    /// standard input, and `@FILE` from a file that exists, as text or as the bytes themselves
    #[arg(allow_hyphen_values = true)]
    value: Option<String>,
    #[arg(hide = true, requires = "selector")]
    more: Vec<String>,
}

/// The file that a value after `@` names; `None` for a text that begins with `@`, such as `@native`.
fn file_of(value: &str) -> Result<Option<PathBuf>, Error> {
    let Some(path) = value.strip_prefix('@') else { return Ok(None) };
    let is_path = !path.contains(char::is_whitespace) && path.contains(['.', '/', '\\']);
    match Path::new(path).is_file() {
        true => Ok(Some(PathBuf::from(path))),
        false if is_path => {
            let what =
                format!("{path}: no such file (a text that begins with `@` goes through the standard input)");
            Err(what.into())
        }
        false => Ok(None),
    }
}

impl Set {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        if let Some(selector) = self.found.selector()? {
            return self.all(reading, &selector);
        }
        let Some(value) = self.value else {
            return Err(Usage("the value is missing: expected FILE PATH VALUE".into()).into());
        };
        let source = match (&*value, &*self.file == Path::new("-")) {
            ("-", true) => {
                return Err(
                    Usage("-: the file and the value cannot both be the standard input".into()).into()
                );
            }
            ("-", false) => Some(PathBuf::from("-")),
            _ => file_of(&value)?,
        };
        let bytes = source.as_deref().map(|path| reading.bytes(path).map_err(about(path))).transpose()?;
        let mut opened = self.to.read(reading, &self.file)?;
        // The library knows which values are data, and which are text.
        let given = self.kind.as_deref();
        let (value, kind) = match (bytes, given) {
            (None, _) => (value, given),
            (Some(bytes), None | Some("binary")) => (STANDARD.encode(bytes), given.or(Some("Base64"))),
            (Some(bytes), _) => match String::from_utf8(bytes) {
                Ok(text) => (text, given),
                Err(_) => return Err("expected text, found bytes that are not UTF-8".into()),
            },
        };
        let losses = opened.set(&self.path, &value, kind).map_err(about(&self.file))?;
        self.to.write(&opened, &self.file, losses, reading)?;
        Ok(Outcome::Success)
    }

    /// Sets properties of all instances that a selector means, or replaces parts of their texts.
    fn all(self, reading: &Reading, selector: &rezkit::Selector) -> Result<Outcome, Error> {
        let words = [self.path].into_iter().chain(self.value).chain(self.more);
        let is_value = |word: &String| {
            (self.replace.is_some() || word.contains('=')) && *word != "-" && !Path::new(word).exists()
        };
        let (values, files): (Vec<String>, Vec<String>) = words.partition(is_value);
        let expected = if self.replace.is_some() { "PROPERTY" } else { "PROPERTY=VALUE" };
        if values.is_empty() {
            return Err(Usage(format!("expected {expected} after the files")).into());
        }
        // Before the first file is changed.
        if let Some(word) = files.iter().find(|word| *word != "-" && !Path::new(word).exists()) {
            return Err(Usage(format!("expected a file or {expected}, found {word}")).into());
        }
        let files: Vec<PathBuf> =
            [self.file].into_iter().chain(files.into_iter().map(PathBuf::from)).collect();
        let kind = &self.kind;
        let edit = |path: String, value: String| Edit::Set { path, value, kind: kind.clone() };
        if let Some((pattern, with)) = self.replace.as_ref().zip(self.with.as_ref()) {
            let regex = regex(RegexBuilder::new(pattern), "--replace")?;
            return self.found.run(reading, &self.to, &files, selector, |opened, paths| {
                let all =
                    paths.iter().flat_map(|path| values.iter().map(move |name| format!("{path}.{name}")));
                let new = replaced(opened, all, &regex, with)?;
                Ok(new.into_iter().map(|(path, text)| edit(path, text)).collect())
            });
        }
        let values: Vec<(&str, &str)> = values.iter().filter_map(|word| word.split_once('=')).collect();
        self.found.run(reading, &self.to, &files, selector, |_, paths| {
            let of = |path: String| {
                let all = values.iter();
                all.map(move |(property, value)| edit(format!("{path}.{property}"), (*value).to_owned()))
            };
            Ok(paths.into_iter().flat_map(of).collect())
        })
    }
}

/// The texts at these paths in which a regular expression matches, with what replaces it.
fn replaced(
    opened: &Opened<'_>,
    paths: impl Iterator<Item = String>,
    regex: &Regex,
    with: &str,
) -> Result<Vec<(String, String)>, Error> {
    let (mut new, mut any, mut first) = (Vec::new(), false, None);
    for path in paths {
        match opened.get(&path) {
            Ok(value) => {
                any = true;
                let Data::Bytes(text) = &value.data else { continue };
                let Ok(text) = std::str::from_utf8(text) else { continue };
                if let Cow::Owned(text) = regex.replace_all(text.as_bytes(), with.as_bytes()) {
                    new.push((path, String::from_utf8_lossy(&text).into_owned()));
                }
            }
            Err(error) => _ = first.get_or_insert(error),
        }
    }
    // Some instances may lack the property, but not all.
    match first.filter(|_| !any) {
        Some(error) => Err(error.into()),
        None => Ok(new),
    }
}

#[derive(clap::Args)]
#[command(override_usage = "rezkit tag [OPTIONS] FILE add|remove TAG PATH…
       rezkit tag [OPTIONS] FILE… add|remove TAG --where SELECTOR")]
#[command(after_help = "Examples:
  rezkit tag place.rbxl add Locked Workspace/Door
  rezkit tag a.rbxl b.rbxl remove Old --where '.Old'")]
pub(crate) struct Tag {
    #[command(flatten)]
    of: Listed,
}

#[derive(clap::Args)]
#[command(override_usage = "rezkit attribute [OPTIONS] FILE set NAME=VALUE PATH…
       rezkit attribute [OPTIONS] FILE… set NAME=VALUE|remove NAME --where SELECTOR")]
#[command(after_help = "Examples:
  rezkit attribute place.rbxl set Health=100 Workspace/Door
  rezkit attribute a.rbxl b.rbxl remove Old --where '[$Old]'

A new attribute whose value is a number, true, false or a text gets that type; one that exists keeps its type.")]
pub(crate) struct Attribute {
    #[command(flatten)]
    of: Listed,
}

/// The words of a command that changes an entry of a list of instances.
#[derive(clap::Args)]
struct Listed {
    #[command(flatten)]
    found: Where,
    #[command(flatten)]
    to: To,
    /// The file, what to do, the entry, and the paths of the instances; with --where, several files and no path
    #[arg(value_name = "WORDS", required = true, num_args = 1..)]
    words: Vec<String>,
}

impl Listed {
    /// Applies to each instance the edit that is made of its path, the entry, and whether the entry is removed.
    fn run(
        self,
        reading: &Reading,
        add: &str,
        edit: impl Fn(String, &str, bool) -> Result<Edit, Error>,
    ) -> Result<Outcome, Error> {
        let selector = self.found.selector()?;
        let expected = || {
            Usage(format!("expected FILE {add} ENTRY PATH or FILE remove ENTRY PATH; with --where, no PATH"))
        };
        let at = self.words.iter().position(|word| word == add || word == "remove").filter(|at| *at > 0);
        let at = at.ok_or_else(expected)?;
        let (files, rest) = self.words.split_at(at);
        let (verb, entry, paths) = match rest {
            [verb, entry, paths @ ..] => (verb, entry, paths),
            _ => return Err(expected().into()),
        };
        if selector.is_none() && (files.len() != 1 || paths.is_empty())
            || selector.is_some() && !paths.is_empty()
        {
            return Err(expected().into());
        }
        let edits = |paths: Vec<String>| {
            paths.into_iter().map(|path| edit(path, entry, verb == "remove")).collect::<Result<Vec<_>, _>>()
        };
        let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        match selector {
            Some(selector) => self.found.run(reading, &self.to, &files, &selector, |_, paths| edits(paths)),
            None => super::edit::run(reading, &files[0], &self.to, &edits(paths.to_vec())?),
        }
    }
}

impl Tag {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        self.of.run(reading, "add", |path, tag, remove| Ok(Edit::Tag { path, tag: tag.to_owned(), remove }))
    }
}

impl Attribute {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        self.of.run(reading, "set", |path, entry, remove| match (entry.split_once('='), remove) {
            (_, true) => Ok(Edit::Attribute { path, name: entry.to_owned(), value: None }),
            (Some((name, value)), _) => {
                Ok(Edit::Attribute { path, name: name.to_owned(), value: Some(value.to_owned()) })
            }
            (None, _) => Err(Usage(format!("expected NAME=VALUE, found {entry}")).into()),
        })
    }
}
