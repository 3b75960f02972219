//! `rezkit size`: what takes the bytes of places and models.

use std::fmt::Write as _;
use std::path::PathBuf;

use rezkit::size::{AttributeSize, Duplicate, Share, Size};
use serde_json::json;

use super::info::grouped;
use crate::input::{Reading, Source};
use crate::outcome::{Error, Outcome, Usage};
use crate::output::{Plan, Replacing};
use crate::report::{self, Plain};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit size place.rbxl
  rezkit size --max 50 place.rbxl
  rezkit size --json places/ | jq .properties[0]
  rezkit size --picture size.png place.rbxl

The parts of a file add up to its bytes. The bytes of a chunk, which many instances share, are divided among them by the
length of their values before compression. `convert --compression zstd:19` and `convert --share` write what the last lines
state.")]
pub(crate) struct Measure {
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
    /// Maximum number of entries per list
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    max: usize,
    /// Write a picture in which the area of each instance is its size (PNG); for one file
    #[arg(long, value_name = "FILE.png")]
    picture: Option<PathBuf>,
    #[command(flatten)]
    replacing: Replacing,
    /// Places, models, or folders
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// The width and the height of a picture.
const PICTURE: (u32, u32) = (1600, 1000);

impl Measure {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let wanted = |source: &Source| source.detected().is_some_and(|found| found.file_type.has_instances());
        if self.picture.is_some() && (self.files.len() > 1 || self.files[0].is_dir()) {
            return Err(Usage("--picture draws one file".to_owned()).into());
        }
        reading.each_of(&self.files, wanted, |source, out| {
            let opened = reading.opened(source)?;
            let title = opened.file_type().title;
            let bytes = &source.part.bytes;
            let size = rezkit::size::measure(bytes, reading.max_bytes)
                .map_err(|_| format!("expected a Roblox place or model, found: {title}"))?;
            let document = rezkit::Document::of(opened.into_content())
                .map_err(|_| format!("expected a Roblox place or model, found: {title}"))?;
            if let Some(picture) = &self.picture {
                let image = rezkit::treemap(&document, &size, PICTURE)?;
                let mut plan = Plan::new(&[&source.path], self.replacing);
                plan.unnamed(picture.clone(), image)?;
                plan.write()?;
            }
            // Both were read from the same bytes, so their instances have the same ids.
            let path = |id| document.path(id).unwrap_or_default().to_string();
            let mut instances = size.instances.clone();
            instances.sort_by_key(|of| std::cmp::Reverse(of.total));
            let mut own = size.instances.clone();
            own.sort_by_key(|of| std::cmp::Reverse(of.own));
            let mut scripts = size.instances.clone();
            scripts.retain(|of| of.source.is_some());
            scripts.sort_by_key(|of| std::cmp::Reverse(of.source));
            for list in [&mut instances, &mut own, &mut scripts] {
                list.truncate(self.max);
            }
            let named = |list: &[rezkit::size::InstanceSize],
                         bytes: fn(&rezkit::size::InstanceSize) -> u64| {
                list.iter().map(|of| (path(of.id), bytes(of))).collect::<Vec<_>>()
            };
            let lists = Lists {
                instances: named(&instances, |of| of.total),
                own: named(&own, |of| of.own),
                scripts: named(&scripts, |of| of.source.unwrap_or_default()),
            };
            match self.json {
                true => report::json_line(out, &self.line(&source.json_name(), &size, &lists)),
                false => self.show(&source.name, &size, &lists, out)?,
            }
            Ok(Outcome::Success)
        })
    }

    fn line(&self, path: &str, size: &Size, lists: &Lists) -> serde_json::Value {
        let shares = |all: &[Share]| {
            let share = |of: &Share| json!({ "name": of.name, "count": of.count, "bytes": of.bytes, "content": of.content });
            all.iter().take(self.max).map(share).collect::<Vec<_>>()
        };
        let entries = |all: &[(String, u64)]| {
            all.iter().map(|(path, bytes)| json!({ "path": path, "bytes": bytes })).collect::<Vec<_>>()
        };
        let duplicate = |of: &Duplicate| json!({ "property": of.property, "path": of.path, "count": of.count, "length": of.len, "shared": of.shared });
        let attribute = |of: &AttributeSize| json!({ "name": of.name.to_string(), "count": of.count, "content": of.content, "named": of.is_named });
        json!({
            "path": path,
            "bytes": size.bytes,
            "content": size.content,
            "parts": size.parts.iter().map(|of| json!({
                "name": of.name, "count": of.count, "bytes": of.bytes, "content": of.content,
            })).collect::<Vec<_>>(),
            "properties": shares(&size.properties),
            "instances": entries(&lists.instances),
            "own": entries(&lists.own),
            "scripts": entries(&lists.scripts),
            "shared": shares(&size.shared),
            "duplicates": size.duplicates.iter().take(self.max).map(duplicate).collect::<Vec<_>>(),
            "attributes": size.attributes.iter().take(self.max).map(attribute).collect::<Vec<_>>(),
            "compressed": shares(&size.compressed),
        })
    }

    fn show(&self, name: &str, size: &Size, lists: &Lists, out: &mut String) -> Result<(), Error> {
        writeln!(out, "{name}: {} bytes, {} before compression", grouped(size.bytes), grouped(size.content))?;
        let shares = |title: &str, all: &[Share], counted: &str, out: &mut String| -> Result<(), Error> {
            if all.is_empty() {
                return Ok(());
            }
            writeln!(out, "  {title}")?;
            let (first, rest) = all.split_at(all.len().min(self.max));
            for Share { name, count, bytes, content, .. } in first {
                let name = Plain(name);
                let content = if content == bytes {
                    String::new()
                } else {
                    format!(", {} before compression", grouped(*content))
                };
                writeln!(
                    out,
                    "  {:>14}  {name}  ({} {counted}{content})",
                    grouped(*bytes),
                    grouped(*count as u64)
                )?;
            }
            if !rest.is_empty() {
                let bytes = rest.iter().map(|of| of.bytes).sum();
                writeln!(out, "  {:>14}  {} more", grouped(bytes), grouped(rest.len() as u64))?;
            }
            Ok(())
        };
        let entries = |title: &str, all: &[(String, u64)], out: &mut String| -> Result<(), Error> {
            if !all.is_empty() {
                writeln!(out, "  {title}")?;
            }
            for (path, bytes) in all {
                writeln!(out, "  {:>14}  {}", grouped(*bytes), Plain(path))?;
            }
            Ok(())
        };
        shares("parts of the file", &size.parts, "of them", out)?;
        shares("properties", &size.properties, "values", out)?;
        entries("instances, with all below them", &lists.instances, out)?;
        entries("instances alone", &lists.own, out)?;
        entries("scripts, before compression", &lists.scripts, out)?;
        shares("shared strings, by the first property that has one", &size.shared, "uses", out)?;
        if !size.duplicates.is_empty() {
            writeln!(out, "  the same bytes in several instances, before compression")?;
        }
        for of in size.duplicates.iter().take(self.max) {
            let more = (of.count as u64 - 1) * of.len;
            let path = Plain(&of.path);
            // The others have no property that shares.
            let shares = if of.shared.is_some() { " (`--share` stores them once)" } else { "" };
            writeln!(
                out,
                "  {:>14}  {} of {} instances, such as {path}{shares}",
                grouped(more),
                of.property,
                of.count
            )?;
        }
        if !size.attributes.is_empty() {
            writeln!(out, "  attributes, before compression")?;
        }
        for of in size.attributes.iter().take(self.max) {
            let (bytes, name) = (grouped(of.content), of.name.to_string());
            let named = if of.is_named { "" } else { ", in no script" };
            writeln!(out, "  {bytes:>14}  {}  ({} values{named})", Plain(&name), grouped(of.count as u64))?;
        }
        if !size.compressed.is_empty() {
            writeln!(out, "  the file as `convert --compression` or `--share` writes it")?;
        }
        for Share { name, bytes, .. } in &size.compressed {
            let change = (*bytes as f64 / size.bytes.max(1) as f64 - 1.0) * 100.0;
            writeln!(out, "  {:>14}  {name}  ({change:+.0} %)", grouped(*bytes))?;
        }
        Ok(())
    }
}

/// The largest instances, by path.
struct Lists {
    /// With all below them.
    instances: Vec<(String, u64)>,
    /// Alone.
    own: Vec<(String, u64)>,
    /// Their sources.
    scripts: Vec<(String, u64)>,
}
