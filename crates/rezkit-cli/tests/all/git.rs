//! What `rezkit git install` sets up, with a real Git and an empty home folder.

use std::process::Command;

use crate::run::Folder;

/// A command in a folder, which finds `rezkit`, where Git knows no person.
pub(crate) fn command<'a>(mut words: impl Iterator<Item = &'a str>, folder: &Folder) -> Command {
    let own = std::path::Path::new(env!("CARGO_BIN_EXE_rezkit")).parent().expect("a folder").to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(own).chain(std::env::split_paths(&others));
    let mut command = Command::new(words.next().expect("a program"));
    command.args(words).env("PATH", std::env::join_paths(path).expect("a path")).current_dir(folder.path(""));
    let home = folder.path(".home");
    std::fs::create_dir_all(&home).expect("a folder");
    std::fs::write(home.join(".gitconfig"), "[user]\n\tuseConfigOnly = true\n").expect("a file");
    for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"]
    {
        command.env_remove(name);
    }
    command.env("HOME", &home).env("XDG_CONFIG_HOME", &home).env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

/// A repository in which rezkit is set up; `None` if Git is not installed.
struct Repository(Folder);

impl Repository {
    fn new() -> Option<Self> {
        let it = Self(Folder::new(&[(".gitignore", b".home")]));
        command("git init -q -b main".split(' '), &it.0).output().ok()?;
        Some(it)
    }

    /// Whether a command succeeds, and what it prints.
    fn run(&self, line: &str) -> (bool, String) {
        let out = command(line.split(' '), &self.0).output().expect("it runs");
        let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
        (out.status.success(), text)
    }

    fn done(&self, line: &str) -> String {
        let (is_done, text) = self.run(line);
        assert!(is_done, "{line}: {text}");
        text
    }

    fn fails(&self, line: &str) -> String {
        let (is_done, text) = self.run(line);
        assert!(!is_done, "{line}: {text}");
        text
    }

    fn known(&self) {
        self.done("git config user.email a@example.invalid");
        self.done("git config user.name a");
    }

    /// The value of a property.
    fn get(&self, file: &str, path: &str) -> String {
        self.done(&format!("rezkit get {file} {path}")).trim().to_owned()
    }
}

/// `git diff` without a name and an address, before and after they were known.
#[test]
fn differences_need_no_identity() {
    let Some(it) = Repository::new() else { return };
    it.done("rezkit git install");
    it.done("rezkit new place.rbxl");
    it.done("rezkit add place.rbxl Part Workspace Name=Wall");
    it.done("git add .");
    it.done("rezkit set place.rbxl Workspace/Wall.Transparency 0.5");
    assert!(it.done("git --no-pager diff").contains("+      .Transparency = 0.5"));
    it.known();
    assert!(it.done("rezkit git install").contains("cachetextconv = true"));
    assert!(it.done("git --no-pager diff").contains("+      .Transparency = 0.5"));
    it.done("git config --unset user.email");
    assert!(it.done("rezkit git install").contains("cachetextconv = false"));
    assert!(it.done("git --no-pager diff").contains("+      .Transparency = 0.5"));
}

/// A `.gitattributes` of a cloned repository can be a link out of it.
#[test]
fn attributes_are_not_written_through_a_link() {
    let Some(it) = Repository::new() else { return };
    it.0.write("sub/.gitattributes", "*.png binary");
    for target in ["sub/.gitattributes", "/dev/zero", "missing"] {
        std::os::unix::fs::symlink(target, it.0.path(".gitattributes")).expect("a link");
        assert!(it.fails("rezkit git install").contains("expected a file of at most 1 MiB"));
        std::fs::remove_file(it.0.path(".gitattributes")).expect("a link");
    }
    assert_eq!(it.0.read("sub/.gitattributes"), b"*.png binary");
    assert!(!it.0.path("missing").exists());
    it.0.write(".gitattributes", "*.png binary");
    it.done("rezkit git install");
    it.done("rezkit git install");
    let lines = String::from_utf8(it.0.read(".gitattributes")).expect("text");
    assert_eq!((lines.lines().count(), lines.lines().next()), (5, Some("*.png binary")));
}

/// Names that begin with `-` are no options of the programs that Git calls.
#[test]
fn names_that_begin_with_a_dash() {
    let Some(it) = Repository::new() else { return };
    it.known();
    it.done("rezkit git install");
    let names = ["-x.rbxl", "-hut.rbxl", "a b'c.rbxl"];
    it.done("rezkit new a.rbxl");
    it.done("rezkit add a.rbxl Part Workspace Name=P");
    names.iter().for_each(|name| it.0.write(name, it.0.read("a.rbxl")));
    it.done("git add .");
    it.done("git commit -q -m base");
    let all = |property: &str| {
        for name in names {
            it.0.write("b.rbxl", it.0.read(name));
            it.done(&format!("rezkit set b.rbxl Workspace/P.{property}"));
            it.0.write(name, it.0.read("b.rbxl"));
        }
    };
    it.done("git checkout -q -b theirs");
    all("Transparency 0.5");
    let shown = it.done("git --no-pager diff");
    assert_eq!(shown.matches("+      .Transparency = 0.5").count(), 3, "{shown}");
    let tool = it.done("git difftool --no-prompt --tool rezkit");
    assert_eq!(tool.matches("Workspace/P.Transparency").count(), 3, "{tool}");
    it.done("git commit -q -a -m theirs");
    it.done("git checkout -q main");
    all("Reflectance 0.25");
    it.done("git commit -q -a -m ours");
    it.done("git merge -q --no-edit theirs");
    for name in names {
        it.0.write("b.rbxl", it.0.read(name));
        assert_eq!(it.get("b.rbxl", "Workspace/P.Transparency"), "0.5", "{name}");
        assert_eq!(it.get("b.rbxl", "Workspace/P.Reflectance"), "0.25", "{name}");
    }
}

/// `git merge` of two branches with a binary place, without and with conflicts, which one command resolves: for all of
/// them or one, with either side, or as a merge tool.
#[test]
fn places_are_merged_and_conflicts_resolved() {
    let Some(it) = Repository::new() else { return };
    it.known();
    it.done("rezkit git install");
    it.done("rezkit new place.rbxl");
    it.done("rezkit add place.rbxl Part Workspace Name=Wall");
    it.0.write("model.rbxmx", model("0", "0", "two"));
    it.done("git add .");
    it.done("git commit -q -m base");
    it.done("git checkout -q -b other");
    it.done("rezkit set place.rbxl Workspace/Wall.Transparency 0.5");
    it.0.write("model.rbxmx", model("0.5", "0.5", "TWO"));
    it.done("git commit -q -a -m theirs");
    it.done("git checkout -q main");
    it.done("rezkit add place.rbxl Part Workspace Name=Floor");
    it.0.write("model.rbxmx", model("0.75", "0.25", "zwei"));
    it.done("git commit -q -a -m ours");
    let said = it.fails("git merge --no-edit other");
    for path in ["M/P.Transparency", "M/P.Reflectance", "M/S.Source"] {
        assert!(said.contains(&format!("conflict: {path}")), "{said}");
    }
    // The file without a conflict is merged; the other one has ours, and both versions of the line.
    assert_eq!(it.get("place.rbxl", "Workspace/Wall.Transparency"), "0.5");
    assert_eq!(it.done("rezkit find place.rbxl --count Part").trim(), "2");
    let values =
        || ["M/P.Transparency", "M/P.Reflectance", "M/S.Source"].map(|path| it.get("model.rbxmx", path));
    let both = "one\n<<<<<<< ours\nzwei\n=======\nTWO\n>>>>>>> theirs\nthree";
    assert_eq!(values(), ["0.75", "0.25", both]);
    assert_eq!(it.done("git diff --name-only --diff-filter=U").trim(), "model.rbxmx");
    // One conflict after the other: decisions stay, and the last one stages the file.
    let said = it.fails("rezkit git resolve --theirs model.rbxmx M/P.Transparency M/S.Source");
    assert!(said.contains("conflict: M/P.Reflectance") && said.lines().count() == 1, "{said}");
    assert_eq!(values(), ["0.5", "0.25", "one\nTWO\nthree"]);
    assert!(it.fails("rezkit git resolve --theirs model.rbxmx M/Q.Name").contains("M/Q.Name"));
    it.done("rezkit git resolve --ours model.rbxmx M/P.Reflectance");
    assert_eq!(values(), ["0.5", "0.25", "one\nTWO\nthree"]);
    assert_eq!(it.done("git diff --name-only --diff-filter=U"), "");
    assert!(it.fails("rezkit git resolve --ours model.rbxmx").contains("git checkout -m"));
    // As the message says, and from another folder; an edited file is not overwritten.
    it.done("git checkout -m model.rbxmx");
    assert_eq!(values(), ["0.75", "0.25", both]);
    it.0.write("model.rbxmx", model("0.1", "0.1", "edited"));
    assert!(it.fails("rezkit git resolve --theirs model.rbxmx").contains("was edited after the merge"));
    it.done("git checkout -m model.rbxmx");
    it.0.write("sub/file", "");
    let mut below = command("rezkit git resolve --theirs ../model.rbxmx".split(' '), &it.0);
    assert!(below.current_dir(it.0.path("sub")).status().expect("it runs").success());
    assert_eq!(values(), ["0.5", "0.5", "one\nTWO\nthree"]);
    for (tool, wanted) in [("rezkit-ours", "0.75"), ("rezkit-theirs", "0.5")] {
        it.done("git checkout -m model.rbxmx");
        it.done(&format!("git mergetool --no-prompt --tool {tool} model.rbxmx"));
        assert_eq!(it.get("model.rbxmx", "M/P.Transparency"), wanted);
        assert_eq!(it.done("git diff --name-only --diff-filter=U"), "");
    }
    // A decision is forgotten with the merge that it was about.
    for again in ["git checkout -m model.rbxmx", "git merge --abort"] {
        it.done("git checkout -m model.rbxmx");
        it.fails("rezkit git resolve --theirs model.rbxmx M/P.Transparency");
        it.done(again);
        if again.ends_with("abort") {
            it.fails("git merge --no-edit other");
        }
        it.done("rezkit git resolve --ours model.rbxmx");
        assert_eq!(it.get("model.rbxmx", "M/P.Transparency"), "0.75", "{again}");
    }
    it.done("git commit -q --no-edit");
    // What one side removed is not for this command.
    it.done("git rm -q model.rbxmx");
    it.done("git commit -q -m removed");
    it.done("git checkout -q other");
    it.0.write("model.rbxmx", model("0.6", "0.6", "more"));
    it.done("git commit -q -a -m edited");
    it.fails("git merge --no-edit main");
    assert!(it.fails("rezkit git resolve --ours model.rbxmx").contains("one side removed the file"));
}

/// A part and a script in a model.
fn model(transparency: &str, reflectance: &str, line: &str) -> String {
    let item = |class: &str, name: &str, inner: &str| {
        format!("<Item class=\"{class}\"><Properties><string name=\"Name\">{name}</string>{inner}")
    };
    let values = format!(
        "<float name=\"Transparency\">{transparency}</float><float name=\"Reflectance\">{reflectance}</float>"
    );
    let source = format!("<ProtectedString name=\"Source\">one\n{line}\nthree</ProtectedString>");
    let end = "</Properties>";
    format!(
        "<roblox version=\"4\">{}{end}{}{end}</Item>{}{end}</Item></Item></roblox>",
        item("Model", "M", ""),
        item("Part", "P", &values),
        item("Script", "S", &source)
    )
}
