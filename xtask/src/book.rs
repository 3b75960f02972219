//! Builds the book of `docs/` with mdBook, with the pages that `rezkit docs` prints, and checks that its included files
//! exist and that its links lead somewhere.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{Outcome, root};

/// The pages that are not committed, and the options of `rezkit docs` that print them.
pub(crate) const PRINTED: [(&str, &str); 3] =
    [("commands.md", "--commands"), ("rules.md", "--rules"), ("kept.md", "--conversions")];

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    if let Some(arg) = args.next()? {
        return Err(arg.unexpected().into());
    }
    if !build()? {
        return Err("mdBook is missing: run `cargo install --locked mdbook`".into());
    }
    println!("target/book/index.html");
    Ok(())
}

/// Builds the book and checks it; returns false if mdBook is not installed.
pub(crate) fn build() -> Result<bool, Box<dyn std::error::Error>> {
    let docs = root().join("docs");
    let mut broken = Vec::new();
    crate::files(&docs, &mut |path| {
        let text = fs::read_to_string(path).unwrap_or_default();
        broken.extend(includes(&text).into_iter().filter(|(file, anchor)| {
            let included = path.parent().map(|folder| folder.join(file));
            let text = included.and_then(|file| fs::read_to_string(file).ok());
            !text.is_some_and(|text| anchor.is_empty() || text.contains(&format!("// ANCHOR: {anchor}\n")))
        }));
    })?;
    if let Some((file, anchor)) = broken.first() {
        return Err(format!("{{{{#include {file}:{anchor}}}}}: missing").into());
    }
    if Command::new("mdbook").arg("--version").output().is_err() {
        return Ok(false);
    }
    for (page, option) in PRINTED {
        let arguments = ["run", "-q", "-p", "rezkit-cli", "--", "docs", option];
        let printed = Command::new("cargo").args(arguments).current_dir(root()).output()?;
        if !printed.status.success() {
            return Err(String::from_utf8_lossy(&printed.stderr).into());
        }
        fs::write(docs.join(page), printed.stdout)?;
    }
    if !Command::new("mdbook").arg("build").arg(&docs).status()?.success() {
        return Err("mdbook failed".into());
    }
    let book = root().join("target/book");
    let mut dead = Vec::new();
    crate::files(&book, &mut |path| {
        if path.extension().is_some_and(|extension| extension == "html") && !path.ends_with("404.html") {
            let html = fs::read_to_string(path).unwrap_or_default();
            let folder = path.parent().unwrap_or(&book);
            let missing = targets(&html).into_iter().filter(|target| !folder.join(target).exists());
            dead.extend(missing.map(|target| format!("{}: {target}", name(path, &book))));
        }
    })?;
    match dead.as_slice() {
        [] => Ok(true),
        dead => Err(format!("links that lead nowhere:\n{}", dead.join("\n")).into()),
    }
}

fn name(path: &Path, folder: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).display().to_string()
}

/// The files that a page includes, and the anchors in them.
fn includes(text: &str) -> Vec<(String, String)> {
    let parts = text.split("{{#include ").skip(1).filter_map(|rest| rest.split("}}").next());
    parts.map(|part| part.split_once(':').unwrap_or((part, ""))).map(|(a, b)| (a.into(), b.into())).collect()
}

/// The files to which a page links.
fn targets(html: &str) -> Vec<String> {
    let links = ["href=\"", "src=\""].into_iter().flat_map(|mark| html.split(mark).skip(1));
    let targets = links.filter_map(|rest| rest.split(['"', '#', '?']).next());
    let elsewhere = |target: &&str| target.is_empty() || target.contains(':');
    targets.filter(|target| !elsewhere(target)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_refers_to() {
        let page = "{{#include a.rs:main}}\n{{#include ../b.md}}";
        assert_eq!(includes(page), [("a.rs".into(), "main".into()), ("../b.md".into(), String::new())]);
        let html = r##"<a href="a.html#x"></a><a href="#y"><img src="b.svg"><a href="https://c">"##;
        assert_eq!(targets(html), ["a.html", "b.svg"]);
    }
}
