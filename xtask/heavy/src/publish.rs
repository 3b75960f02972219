//! Releases packages: every package is packed, unpacked into an empty folder, and verified with nothing but that
//! folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use lexopt::{Arg, ValueExt};
use xtask::{Outcome, Package, packages, root};

/// The beginning of `repository` and `homepage` until a maintainer sets them in the workspace's manifest.
const PLACEHOLDER: &str = "https://example.invalid/";

/// The categories that the crates may use; the registry refuses those that it does not know.
const CATEGORIES: [&str; 8] = [
    "command-line-utilities",
    "data-structures",
    "encoding",
    "game-development",
    "mathematics",
    "no-std",
    "parser-implementations",
    "rendering::data-formats",
];

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let (mut dry, mut named) = (false, Vec::new());
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("dry-run") => dry = true,
            Arg::Value(name) => named.push(name.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let packages = packages()?;
    if let Some(name) = named.iter().find(|name| packages.iter().all(|package| package.name != **name)) {
        return Err(format!("the workspace publishes no package {name}").into());
    }
    if !dry {
        ready(&packages, &named)?;
    }
    // A new folder, so that files of an earlier run are not used.
    let folder = std::env::temp_dir().join(format!("publish-{}", std::process::id()));
    let result = verify_all(&packages, &named, &folder, dry);
    if result.is_ok() {
        fs::remove_dir_all(&folder)?;
    }
    result.map_err(|error| format!("{error}\nthe unpacked archives are in {}", folder.display()))?;
    for package in packages.iter().filter(|package| named.contains(&package.name) && !dry) {
        let tag = format!("{}-v{}", package.name, package.version);
        shell(Command::new("cargo").args(["publish", "--no-verify", "--package", &package.name]))?;
        shell(Command::new("git").args(["tag", &tag]))?;
        println!("published and tagged {tag}");
    }
    Ok(())
}

/// Fails unless packages are named, their links are set, and there are no uncommitted changes.
fn ready(packages: &[Package], named: &[String]) -> Outcome {
    if named.is_empty() {
        return Err(
            "expected the names of the packages to publish, or --dry-run to verify all packages".into()
        );
    }
    if packages.iter().any(|package| !links(package).is_empty()) {
        let set = "set both in [workspace.package] of Cargo.toml first";
        return Err(
            format!("repository or homepage is missing, or still begins with {PLACEHOLDER}: {set}").into()
        );
    }
    let status = Command::new("git").args(["status", "--porcelain"]).current_dir(root()).output()?;
    match status.stdout.is_empty() {
        true => Ok(()),
        false => Err("the repository has uncommitted changes: commit them first".into()),
    }
}

/// The links in a manifest that are not set yet.
fn links(package: &Package) -> Vec<&'static str> {
    let unset =
        |field: &&str| package.manifest[*field].as_str().is_none_or(|url| url.starts_with(PLACEHOLDER));
    ["repository", "homepage"].into_iter().filter(unset).collect()
}

fn verify_all(packages: &[Package], named: &[String], folder: &Path, dry: bool) -> Outcome {
    // All packages are packed, since later ones need earlier ones.
    let mut command = Command::new("cargo");
    command.args(["package", "--quiet", "--no-verify"]);
    command.args(packages.iter().flat_map(|package| ["--package", &package.name]));
    if dry {
        command.arg("--allow-dirty");
    }
    shell(&mut command)?;
    fs::create_dir_all(folder)?;
    for package in packages {
        let archive = root().join(format!("target/package/{}.crate", package.id()));
        shell(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(folder))?;
    }
    let mut failed = Vec::new();
    for package in packages.iter().filter(|package| named.is_empty() || named.contains(&package.name)) {
        println!("== {}", package.id());
        let mut complaints = look(package, &folder.join(package.id()))?;
        complaints.extend(build(package, packages, folder)?);
        complaints.extend(compatible(package).err().map(|error| error.to_string()));
        for complaint in &complaints {
            println!("{}: {complaint}", package.name);
        }
        if !complaints.is_empty() {
            failed.push(package.name.as_str());
        }
    }
    if packages.iter().any(|package| !links(package).is_empty()) {
        println!("NOT publishable yet: repository and homepage are {PLACEHOLDER}…");
    }
    match failed.as_slice() {
        [] => Ok(()),
        failed => Err(format!("failed: {}", failed.join(" ")).into()),
    }
}

/// Checks the files of an archive and its manifest; returns what is wrong.
fn look(package: &Package, folder: &Path) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut complaints = Vec::new();
    let mut complain = |bad: bool, what: String| bad.then(|| complaints.push(what));
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    xtask::files(folder, &mut |path| {
        let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().replace('\\', "/");
        files.insert(name, fs::read(path).unwrap_or_default());
    })?;
    let text = |name: &str| files.get(name).map(|bytes| String::from_utf8_lossy(bytes)).unwrap_or_default();

    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        complain(
            fs::read(root().join(licence))? != text(licence).as_bytes(),
            format!("{licence} differs from that of the workspace"),
        );
    }
    for heading in ["Unreleased", &package.version] {
        let found = text("CHANGELOG.md").lines().any(|line| line.strip_prefix("## ") == Some(heading));
        complain(!found, format!("CHANGELOG.md has no section {heading}"));
    }

    let home = ["HOME", "USERPROFILE", "CARGO_HOME"].map(std::env::var);
    let home = home.into_iter().flatten().chain([root().to_string_lossy().into_owned()]);
    for path in home.filter(|path| path.len() > 1) {
        for (name, bytes) in &files {
            complain(
                String::from_utf8_lossy(bytes).contains(&path),
                format!("{name} contains {path}, a path of this machine"),
            );
        }
    }
    for (name, bytes) in files.iter().filter(|(name, _)| name.ends_with(".md")) {
        for target in xtask::targets(&String::from_utf8_lossy(bytes)) {
            complain(
                !files.contains_key(&target),
                format!("{name} links to {target}, which is not in the archive"),
            );
        }
    }
    for (name, bytes) in files.iter().filter(|(name, _)| name.starts_with("tests/")) {
        let needs_kit = String::from_utf8_lossy(bytes).contains("testkit");
        complain(
            needs_kit,
            format!("{name} is in the archive, but requires the crate testkit, which is not published"),
        );
    }

    let list = |field: &str| -> Vec<String> {
        let list = package.manifest[field].as_array().into_iter().flatten();
        list.filter_map(|value| value.as_str().map(str::to_owned)).collect()
    };
    let keywords = list("keywords");
    let fits = |word: &String| {
        word.len() <= 20 && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_+".contains(&b))
    };
    complain(
        keywords.is_empty() || keywords.len() > 5 || !keywords.iter().all(fits),
        format!("expected 1 to 5 keywords of at most 20 characters (a-z, 0-9, -, _, +), found {keywords:?}"),
    );
    for category in list("categories") {
        complain(
            !CATEGORIES.contains(&category.as_str()),
            format!("the category {category} is not in the list CATEGORIES"),
        );
    }
    for field in ["description", "license", "readme", "rust_version"] {
        complain(package.manifest[field].is_null(), format!("the manifest has no {field}"));
    }
    complain(
        package.manifest["metadata"]["docs"]["rs"]["all-features"] != true,
        "[package.metadata.docs.rs] of Cargo.toml does not set all-features = true".into(),
    );
    Ok(complaints)
}

/// Builds, tests and documents an unpacked archive with the archives that it depends on, and without files of the
/// workspace.
fn build(
    package: &Package,
    packages: &[Package],
    folder: &Path,
) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut needed: Vec<&Package> = Vec::new();
    let mut names = package.needs.clone();
    while let Some(name) = names.pop() {
        if let Some(found) = packages.iter().find(|package| package.name == name)
            && !needed.iter().any(|package| package.name == name)
        {
            needed.push(found);
            names.extend(found.needs.iter().cloned());
        }
    }
    let mut complaints = Vec::new();
    for (args, flags) in
        [("build", ""), ("test --all-features", ""), ("doc --all-features --no-deps", "-D warnings")]
    {
        let mut command = Command::new("cargo");
        command.args(args.split(' ')).arg("--quiet").current_dir(folder.join(package.id()));
        for needed in &needed {
            let path = folder.join(needed.id());
            let patch = format!("patch.crates-io.{}.path={:?}", needed.name, path.to_string_lossy());
            command.args(["--config", &patch]);
        }
        command.env("CARGO_TARGET_DIR", root().join("target/publish")).env("RUSTDOCFLAGS", flags);
        // As users build it, but without debug information, to save time.
        command.env("CARGO_PROFILE_DEV_DEBUG", "0");
        // The output of test programs is shown only if one of them fails.
        let output = command.output()?;
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() {
            let passed = shown(&output.stdout).lines().filter_map(passed).sum::<usize>();
            println!(
                "   cargo {args}{}",
                if passed > 0 { format!(": {passed} tests") } else { String::new() }
            );
        } else {
            complaints.push(format!("cargo {args}: {}{}", shown(&output.stdout), shown(&output.stderr)));
        }
    }
    Ok(complaints)
}

/// The number of passed tests, if the line is the summary of a test program.
fn passed(line: &str) -> Option<usize> {
    line.strip_prefix("test result: ok. ")?.split(' ').next()?.parse().ok()
}

/// Compares the public interface with that of the last release, whose commit has a tag.
fn compatible(package: &Package) -> Outcome {
    let last = format!("{}-v*", package.name);
    let tags = Command::new("git")
        .args(["tag", "--list", "--sort=-v:refname", &last])
        .current_dir(root())
        .output()?;
    let tags = String::from_utf8(tags.stdout)?;
    let Some(tag) = tags.lines().next() else {
        println!("   public interface: no release to compare with");
        return Ok(());
    };
    let args = ["semver-checks", "--all-features", "--package", &package.name, "--baseline-rev", tag];
    shell(Command::new("cargo").args(args)).map_err(|error| {
        format!("{error}: raise the version, or run `cargo install --locked cargo-semver-checks`").into()
    })
}

fn shell(command: &mut Command) -> Outcome {
    match command.current_dir(root()).status()?.success() {
        true => Ok(()),
        false => Err(format!("{command:?} failed").into()),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn tests_that_passed_are_counted() {
        assert_eq!(super::passed("test result: ok. 12 passed; 0 failed"), Some(12));
    }
}
