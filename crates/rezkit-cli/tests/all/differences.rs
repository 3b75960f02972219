//! Differences between two documents: moves, order, line ends.

use rezkit::tree;

use super::run::Folder;

/// A document with an instance on each line: two spaces for each level, then the class, the name, the last digit of its
/// `UniqueId` and a transparency.
fn document(lines: &str) -> Vec<u8> {
    let line = |line: &str| {
        let level = &line[..line.len() - line.trim_start().len()];
        let mut words = line.split_whitespace();
        let (class, name) = (words.next().expect("a class"), words.next().expect("a name"));
        let id = words
            .next()
            .map(|id| format!("<UniqueId name=\"UniqueId\">0000000000000000000000000000100{id}</UniqueId>"));
        let float = words.next().map(|value| format!("<float name=\"Transparency\">{value}</float>"));
        format!("{level}{class}|{name}|{}{}\n", id.unwrap_or_default(), float.unwrap_or_default())
    };
    super::xml::tree(&lines.lines().map(line).collect::<String>())
}

/// The changes, each as a text of its JSON values.
fn changes(old: &str, new: &str) -> Vec<String> {
    let open = |lines: &str| crate::open(document(lines), "a.rbxlx");
    let (old, new, mut changes) = (open(old), open(new), Vec::new());
    tree::diff(&*old.tree(), &*new.tree(), &mut crate::budget(), &mut |change| {
        let json = serde_json::to_value(&change).expect("JSON");
        let text = |name: &str| json[name].as_str().unwrap_or_default().to_owned();
        let order = json["order"].as_array().into_iter().flatten();
        let order = order
            .map(|one| format!(" {} {} {}", one["child"].as_str().expect("text"), one["from"], one["to"]));
        changes.push(format!(
            "{} {}{}{}",
            text("change"),
            text("path"),
            text("to").replacen("", " ", usize::from(json["to"].is_string())),
            order.collect::<String>()
        ));
    })
    .expect("shallow");
    changes
}

const BASE: &str = "Workspace W 1\n  Folder F 3\n  Part A 2 0";

/// `A` was moved into `F` and then changed.
#[test]
fn a_move_is_a_move() {
    let moved = "Workspace W 1\n  Folder F 3\n    Part A 2 0";
    assert_eq!(changes(BASE, moved), ["moved W/A W/F/A"]);
    assert_eq!(changes(moved, BASE), ["moved W/F/A W/A"]);
    let changed = "Workspace W 1\n  Folder F 3\n    Part A 2 0.5";
    assert_eq!(changes(BASE, changed), ["moved W/A W/F/A", "changed W/F/A.Transparency"]);
    // Renamed at its position, and renamed and moved.
    let wanted = ["moved W/A W/B", "changed W/B.Name"];
    assert_eq!(changes(BASE, "Workspace W 1\n  Folder F 3\n  Part B 2 0"), wanted);
    let wanted = ["moved W/A W/F/B", "changed W/F/B.Name"];
    assert_eq!(changes(BASE, "Workspace W 1\n  Folder F 3\n    Part B 2 0"), wanted);
    // Moved from a removed parent to an added one.
    let (inside, added) = ("Model M 1\n  Folder F 2\n    Part A 3", "Model M 1\n  Folder G 4\n    Part A 3");
    assert_eq!(changes(inside, added), ["removed M/F", "moved M/F/A M/G/A", "added M/G"]);
    // A parent and its child are exchanged.
    assert_eq!(changes("Model M 1\n  Part A 2", "Part A 2\n  Model M 1"), ["moved M A/M", "moved M/A A"]);
    // The first of two instances with the same name was removed.
    assert_eq!(changes("Model M 1\n  Part P 2 0\n  Part P 3 1", "Model M 1\n  Part P 3 1"), ["removed M/P"]);
    // If instances got new ids, only the ids have changed. Ids of several instances are ignored.
    let wanted = ["changed W.UniqueId", "changed W/F.UniqueId", "changed W/A.UniqueId"];
    assert_eq!(changes(BASE, "Workspace W 4\n  Folder F 5\n  Part A 6 0"), wanted);
    assert_eq!(changes("Part A 1\nPart B 1", "Part B 1\nPart A 1"), ["reordered  A 0 1"]);
    assert_eq!(changes("Model M\n  Part A", "Model M\nPart A"), ["removed M/A", "added A"]);
}

/// Instances without ids that were moved or renamed are found by their content.
#[test]
fn moves_without_ids() {
    let differences = |old: &str, new: &str| {
        let open = |lines: &str| crate::open(document(lines), "a.rbxlx");
        let (old, new, mut found) = (open(old), open(new), Vec::new());
        let budget = &mut crate::budget();
        rezkit::differences([&old, &new], budget, &mut |of| {
            found.push((of.path, of.moved.unwrap_or_default()));
        })
        .expect("compared");
        found
    };
    let pair = |path: &str, to: &str| (path.to_owned(), to.to_owned());
    let base = "Model M\n  Folder F\n  Part A\n  Part B";
    let renamed = differences(base, "Model M\n  Folder F\n  Part Gate\n  Part B");
    assert_eq!(renamed, [pair("M/A", "M/Gate"), pair("M/Gate.Name", "")]);
    let moved = differences(base, "Model M\n  Folder F\n    Part A\n  Part B");
    assert_eq!(moved, [pair("M/A", "M/F/A")]);
}

/// `C` was moved before `A`.
#[test]
fn a_changed_order_is_told() {
    let (old, new) =
        ("Model M 1\n  Part A 2\n  Part B 3\n  Part C 4", "Model M 1\n  Part C 4\n  Part A 2\n  Part B 3");
    assert_eq!(changes(old, new), ["reordered M C 2 0"]);
    let strip =
        |lines: &str| lines.lines().map(|line| line[..line.len() - 2].to_owned() + "\n").collect::<String>();
    assert_eq!(changes(&strip(old), &strip(new)), ["reordered M C 2 0"]);
    // Instances that were added or removed between others do not change the order.
    assert_eq!(changes(old, "Model M 1\n  Part N 5\n  Part A 2\n  Part C 4"), ["removed M/B", "added M/N"]);
    let (old, new) = ("Part A\nPart B\nPart C\nPart D", "Part D\nPart B\nPart C\nPart A");
    assert_eq!(changes(old, new), ["reordered  A 0 3 D 3 0"]);
}

fn script(source: &str) -> Vec<u8> {
    let source = source.replace('\r', "&#13;");
    let source = format!("<ProtectedString name=\"Source\">{source}</ProtectedString>");
    super::xml::document(&super::xml::item("Script", "S", &source, ""))
}

/// What `diff` prints of two documents.
fn compare(before: &[u8], after: &[u8]) -> String {
    let folder = Folder::new(&[("old.rbxlx", before), ("new.rbxlx", after)]);
    assert_ne!(folder.ok("tree --full old.rbxlx"), folder.ok("tree --full new.rbxlx"));
    let ran = folder.run("diff old.rbxlx new.rbxlx");
    assert_eq!(ran.status, Some(1), "{}", ran.err);
    ran.out
}

/// Differences that consist only of line ends are visible.
#[test]
fn line_ends_are_shown() {
    let no_end = "  \\ No newline at end of file\n";
    for (before, after, hunk) in [
        ("a\nb\n", "a\r\nb\n", "  -a\n  +a\\r\n   b\n".to_owned()),
        ("a\nb\n", "a\nb", format!("   a\n  -b\n  +b\n{no_end}")),
        ("a\r\nb", "a\r\nc", format!("   a\n  -b\n{no_end}  +c\n{no_end}")),
        ("a\r\nb\r\n", "a\nb\n", "  -a\\r\n  -b\\r\n  +a\n  +b\n".to_owned()),
    ] {
        let shown = compare(&script(before), &script(after));
        assert_eq!(shown, format!("~ S.Source:\n  @@ -1,2 +1,2 @@\n{hunk}"), "{before:?} {after:?}");
    }
}

#[test]
fn moves_and_order_are_printed() {
    for (old, new, shown) in [
        (
            "Workspace W 1\n  Part A 2\n  Part B 3\n  Part C 4\n  Folder F 5\n  Part P 6",
            "Workspace W 1\n  Part C 4\n  Part A 2\n  Part B 3\n  Folder F 5\n    Part P 6",
            "> W/P: moved to W/F/P\n~ W: children reordered: C from index 2 to 0\n",
        ),
        (
            "Workspace W 1\n  Part A 2",
            "Workspace W 1\n  Part B 2",
            "> W/A: renamed to W/B\n~ W/B.Name: \"A\" -> \"B\"\n",
        ),
    ] {
        assert_eq!(compare(&document(old), &document(new)), shown);
    }
}

/// A reference to an instance in a renamed container is to the same instance.
#[test]
fn references_follow_what_is_renamed() {
    let place = |name: &str| {
        let part = "<Item class=\"Part\" referent=\"P\"><Properties><string name=\"Name\">P</string></Properties></Item>";
        let primary = "<Ref name=\"PrimaryPart\">P</Ref>";
        super::xml::document(&super::xml::item("Model", name, primary, part))
    };
    assert_eq!(compare(&place("A"), &place("B")), "> A: renamed to B\n~ B.Name: \"A\" -> \"B\"\n");
}

/// With the settings of `git install`, hunks of `git diff` name the instance, also where Git knows no person.
#[test]
#[cfg(unix)]
fn git_names_the_instance_of_a_hunk() {
    let folder = Folder::new(&[]);
    let run = |line: &str| {
        let output = crate::git::command(line.split(' '), &folder).output();
        output.ok().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    // Skipped if git is not installed.
    if run("git init -q").is_none() {
        return;
    }
    run("rezkit git install").expect("it runs");
    let lines = "one\ntwo\nthree\nfour\nfive\nsix\n";
    let changed = |before: Vec<u8>, after: Vec<u8>| {
        folder.write("place.rbxmx", before);
        run("git add .");
        folder.write("place.rbxmx", after);
        let shown = run("git diff").expect("it runs");
        let hunk = shown.lines().find(|line| line.starts_with("@@")).expect("a hunk");
        assert!(hunk.ends_with("@@ S (Script)"), "{shown}");
    };
    changed(script(lines), script(&lines.replace("six", "SIX")));
    // This also works after a source that does not end with a line break.
    let after: String = (0..9).map(|at| format!("<string name=\"Z{at}\">1</string>")).collect();
    let text = String::from_utf8(script("one\ntwo")).expect("text");
    let text = text.replace("</Properties>", &(after + "</Properties>"));
    changed(text.clone().into(), text.replace("\"Z8\">1", "\"Z8\">2").into());
}

/// Only the parts that changed are orange or red in the third picture; without a visible change there is no picture.
#[test]
fn pictures_show_what_changed() {
    let part = |x: f32, name: &str| {
        super::xml::item("Part", name, &super::xml::sized([x, 0.0, 0.0], [4.0, 1.2, 2.0]), "")
    };
    let [old, new, same] = [[0.0, 6.0], [0.0, 9.0], [0.0, 6.0]]
        .map(|[a, b]| super::xml::document(&(part(a, "A") + &part(b, "B"))));
    let same = String::from_utf8(same).expect("a text").replace(">A<", ">Other<");
    let folder = Folder::new(&[("old.rbxmx", &old), ("new.rbxmx", &new), ("same.rbxmx", same.as_bytes())]);
    folder.run("diff --pictures a.png old.rbxmx new.rbxmx");
    let file = std::fs::File::open(folder.path("a.png")).expect("a picture");
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("pixels");
    let count = pixels.len() / (info.width * info.height) as usize;
    let mut found = [0; 2];
    for pixel in pixels.chunks(count) {
        let [r, g, b] = [pixel[0], pixel[1], pixel[2]].map(i32::from);
        found[0] += i32::from(r > 150 && g > 50 && r - g > 60 && b < 80);
        found[1] += i32::from(r > 100 && g < 70 && b < 90);
    }
    assert!(found.iter().all(|count| *count > 500), "{found:?}");
    assert_eq!(folder.run("diff --pictures b.png old.rbxmx same.rbxmx").status, Some(1));
    assert!(!folder.path("b.png").exists());
}

/// At twice the scale, each level is seen from twice as far; with fewer triangles, the asset is smaller.
#[test]
fn reports_of_uploads_are_compared_by_object() {
    let folder = Folder::new(&[]);
    folder.copy("corner.obj", "crates/rezkit-cli/tests/cmd/in/corner.obj");
    folder.ok("sl corner.obj -o a --no-pictures");
    folder.ok("sl corner.obj -o b --no-pictures --scale 2");
    assert_eq!(folder.ok("diff a/report.json a/report.json"), "");
    let ran = folder.run("diff a/report.json b/report.json");
    assert_eq!(ran.status, Some(1), "{}", ran.err);
    let [scale, distances] = ran.out.lines().collect::<Vec<_>>()[..] else { panic!("{}", ran.out) };
    assert_eq!(scale, "~ all objects.scale: 1.0 -> 2.0");
    let (old, new) =
        distances.split_once(": ").and_then(|(_, both)| both.split_once(" -> ")).expect("two lists");
    let numbers =
        |list: &str| -> Vec<f64> { list.split(", ").map(|of| of.parse().expect("a number")).collect() };
    assert!(distances.starts_with("~ object0.seen from (m): 0.0, "), "{distances}");
    assert!(
        numbers(old).iter().zip(numbers(new)).all(|(old, new)| (old * 2.0 - new).abs() < 2e-3),
        "{distances}"
    );
    let report = |at: f64, name: &str| {
        let level = format!(r#"{{"triangles":48,"vertices":144,"bytes":932,"from":{at}}}"#);
        let cost = r#"{"streaming":0.06,"physics":null,"server":0.5,"total":0.5,"shown":0}"#;
        format!(
            r#"{{"name":"m","scale":1.0,"land_impact":{cost},"parts":[{{"name":"{name}","size":[1,1,1],"levels":[{level}],
            "hulls":1,"hull_points":8,"physics_triangles":0,"land_impact":{cost}}}]}}"#
        )
    };
    let folder = Folder::new(&[
        ("a.json", report(0.0, "Door").as_bytes()),
        ("b.json", report(0.0, "Wall").as_bytes()),
    ]);
    let ran = folder.run("diff --stat a.json b.json");
    assert_eq!((ran.out.as_str(), ran.status), ("objects added: 1\nobjects removed: 1\n", Some(1)));
    let ran = folder.run("diff a.json b.json");
    assert!(ran.out.contains("- Door.triangles = 48\n"), "{}", ran.out);
    assert!(ran.out.contains("+ Wall.physics = unknown\n"), "{}", ran.out);
}
