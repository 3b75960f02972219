//! Options that tables list, as arguments of commands.

use std::path::Path;

use clap::builder::{PossibleValuesParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Command};
use rezkit::{ConvertOptions, OptionValue, Options, Setting, Topic};

use crate::input::Reading;
use crate::outcome::{Error, helped};
use crate::report::about;

/// The options of a command: [`Topic`]s as bits.
pub(crate) const INSERTED: u16 =
    Topic::Rig as u16 + Topic::Played as u16 + Topic::Curves as u16 + Topic::Joints as u16 + MODEL;
const MODEL: u16 = Topic::Model as u16;
pub(crate) const CONVERTED: u16 = Topic::Result as u16
    + Topic::Played as u16
    + Topic::Motion as u16
    + Topic::Bvh as u16
    + Topic::Changes as u16
    + Topic::Curves as u16
    + Topic::Joints as u16
    + MODEL;
pub(crate) const UPLOADED: u16 = Topic::Played as u16 + Topic::Motion as u16 + Topic::Joints as u16;
pub(crate) const SCENES: u16 = Topic::Scene as u16 + Topic::Rig as u16;
pub(crate) const IMAGES: u16 = Topic::Image as u16;

/// The given options of some topics.
#[derive(Clone, Debug)]
pub(crate) struct Settings<const TOPICS: u16, O: 'static = ConvertOptions>(
    Vec<(&'static Setting<O>, OptionValue)>,
);

impl<const TOPICS: u16, O: Options> Settings<TOPICS, O> {
    fn rows() -> impl Iterator<Item = &'static Setting<O>> {
        O::TABLE.iter().filter(|row| row.topic as u16 & TOPICS != 0)
    }

    /// The name of the first given option.
    pub(crate) fn first(&self) -> Option<&'static str> {
        self.0.first().map(|(row, _)| row.name)
    }

    /// The name of the first given option with another name.
    pub(crate) fn besides(&self, known: &str) -> Option<&'static str> {
        self.0.iter().map(|(row, _)| row.name).find(|name| *name != known)
    }

    /// Sets the given options. A file that an option names is read.
    pub(crate) fn set(&self, options: &mut O, reading: &Reading) -> Result<(), Error> {
        for (row, given) in &self.0 {
            match (given, row.set(options, given)) {
                (OptionValue::Text(path), Err(_)) if row.is_file => {
                    let path = Path::new(path);
                    let help = format!("--{} expects {}", row.name, row.expected);
                    let content = reading.bytes(path).map_err(|error| helped(about(path)(error), help))?;
                    row.set(options, &OptionValue::Bytes(content)).map_err(about(path))?;
                }
                (_, set) => set?,
            }
        }
        Ok(())
    }
}

/// An option as an argument, whose value is checked when it is parsed.
fn argument<O: Options>(row: &'static Setting<O>) -> Arg {
    let heading = match row.topic {
        Topic::Result => None,
        Topic::Scene | Topic::Levels => Some("Scenes"),
        Topic::Image => Some("Image"),
        Topic::Model | Topic::Folder => Some("Roblox models"),
        _ => Some("Animations"),
    };
    let arg = Arg::new(row.name).long(row.name).help(row.help()).help_heading(heading);
    let arg = arg.hide_short_help(row.is_rare);
    let arg = match row.name {
        "action" => arg.visible_alias("animation"),
        // A part of a linkset is a node.
        "path" => arg.visible_alias("part"),
        _ => arg,
    };
    let checked = move |text: &str| {
        let given = OptionValue::Text(text.to_owned());
        let tried = if row.is_file { Ok(()) } else { row.set(&mut O::default(), &given) };
        tried.map(|()| text.to_owned()).map_err(|error| error.reason().to_owned())
    };
    match row.value {
        "" => arg.action(ArgAction::SetTrue),
        // A negative number gets the error of its option.
        value if row.values.is_empty() => {
            let arg = arg.value_name(value).value_parser(ValueParser::from(checked));
            if value.contains(',') { arg.allow_hyphen_values(true) } else { arg.allow_negative_numbers(true) }
        }
        value => arg.value_name(value).value_parser(PossibleValuesParser::new(row.values)),
    }
}

impl<const TOPICS: u16, O: Options> clap::Args for Settings<TOPICS, O> {
    fn augment_args(command: Command) -> Command {
        Self::rows().fold(command, |command, row| command.arg(argument(row)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const TOPICS: u16, O: Options> clap::FromArgMatches for Settings<TOPICS, O> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |row: &'static Setting<O>| match row.value.is_empty() {
            true => matches.get_flag(row.name).then_some((row, OptionValue::Flag(true))),
            false => matches.get_one::<String>(row.name).map(|text| (row, OptionValue::Text(text.clone()))),
        };
        Ok(Self(Self::rows().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
