//! Tables of small assets whose rows are known, and tests of the command.

mod columns;
mod rows;
mod typed;

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use parquet::arrow::ArrowWriter;
use rezkit_table::arrow_array::cast::AsArray as _;
use rezkit_table::arrow_array::types::{Float32Type, Int64Type, UInt64Type};
use rezkit_table::arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch, StringArray};
use rezkit_table::{Options, Table, scan};

const TRIANGLE: &[u8] = b"v 0 0 0\nv 2 0 0\nv 0 3 -1\nf 1 2 3\n";
const MODEL: &[u8] = b"<roblox version=\"4\">\
<Item class=\"Folder\" referent=\"A\"><Properties><string name=\"Name\">Box</string></Properties>\
<Item class=\"Decal\" referent=\"B\"><Properties><string name=\"Name\">a/b</string>\
<Content name=\"Texture\"><url>rbxassetid://1818</url></Content></Properties></Item>\
<Item class=\"Decal\" referent=\"C\"><Properties><string name=\"Name\">a/b</string></Properties></Item>\
</Item></roblox>";
const BROKEN: &[u8] = b"version 9.99\n";

fn texts(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
    let column = batch.column_by_name(name).expect("a column").as_string::<i32>();
    column.iter().map(|text| text.map(str::to_owned)).collect()
}

fn words(batch: &RecordBatch, name: &str) -> Vec<String> {
    texts(batch, name).into_iter().map(Option::unwrap_or_default).collect()
}

fn all(table: Table) -> RecordBatch {
    let assets = [("t.obj", TRIANGLE), ("m.rbxmx", MODEL), ("b.mesh", BROKEN)];
    scan(assets, table, &Options::default()).expect("a batch")
}

#[test]
fn assets() {
    let batch = all(Table::Assets);
    assert_eq!(words(&batch, "path"), ["t.obj", "m.rbxmx", "b.mesh"]);
    assert_eq!(words(&batch, "format"), ["obj", "rbxxml", ""]);
    let count = |name: &str| -> Vec<Option<u64>> {
        batch.column_by_name(name).expect("a column").as_primitive::<UInt64Type>().iter().collect()
    };
    assert_eq!(count("triangles"), [Some(1), None, None]);
    assert_eq!(count("instances"), [None, Some(3), None]);
    assert_eq!(count("references"), [None, Some(1), None]);
    assert_eq!(count("bytes"), [TRIANGLE, MODEL, BROKEN].map(|bytes| Some(bytes.len() as u64)));
    let corner = |name: &str| {
        let column = batch.column_by_name(name).expect("a column").as_primitive::<Float32Type>();
        (!column.is_null(0)).then(|| column.value(0))
    };
    assert_eq!(["min_x", "min_z", "max_y"].map(corner), [Some(0.0), Some(-1.0), Some(3.0)]);
    assert_eq!(words(&batch, "error_kind"), ["", "", "unreadable"]);
    assert!(words(&batch, "error")[2].contains("9.99"));
    // The hash of an empty input, as published by BLAKE3's authors.
    let empty = scan([("e", &b""[..])], Table::Assets, &Options::default()).expect("a batch");
    assert_eq!(words(&empty, "blake3"), ["af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"]);
}

#[test]
fn instances_and_references() {
    let batch = all(Table::Instances);
    assert_eq!(words(&batch, "instance"), ["Box", "Box/a\\/b", "Box/a\\/b[1]"]);
    assert_eq!(words(&batch, "class"), ["Folder", "Decal", "Decal"]);
    let parents: Vec<_> =
        batch.column_by_name("parent").expect("a column").as_primitive::<Int64Type>().iter().collect();
    assert_eq!(parents, [None, Some(0), Some(0)]);

    let batch = all(Table::References);
    assert_eq!(words(&batch, "reference"), ["rbxassetid://1818"]);
    assert_eq!(batch.column_by_name("asset").expect("a column").as_primitive::<UInt64Type>().value(0), 1818);
    assert_eq!([words(&batch, "property"), words(&batch, "at")], [["Texture"], ["Box/a\\/b"]]);
}

/// Stored properties, a property in an older form, and defaults, on which Roblox's documentation and the class table
/// agree.
#[test]
fn properties() {
    let model = "<roblox version=\"4\"><Item class=\"Part\" referent=\"a\"><Properties><string name=\"Name\">P</string>\
        <bool name=\"Anchored\">true</bool><token name=\"Material\">512</token><int name=\"BrickColor\">21</int>\
        <Vector3 name=\"size\"><X>1</X><Y>2.5</Y><Z>3</Z></Vector3></Properties></Item></roblox>";
    let rows = |stored| {
        let mut options = Options::default();
        options.stored = stored;
        let batch = scan([("p.rbxmx", model.as_bytes())], Table::Properties, &options).expect("a batch");
        let columns = ["property", "type", "value", "source"].map(|name| words(&batch, name));
        let row = |row: usize| columns.each_ref().map(|column| column[row].clone());
        (0..batch.num_rows()).map(row).collect::<Vec<_>>()
    };
    let stored = [
        ["Name", "String", "P", "stored"],
        ["Anchored", "Bool", "true", "stored"],
        ["Material", "Enum", "Wood", "stored"],
        ["BrickColor", "BrickColor", "21", "stored"],
        ["size", "Vector3", "1, 2.5, 3", "stored"],
    ];
    assert_eq!(rows(true), stored);
    let all = rows(false);
    assert_eq!(all[..5], stored);
    for row in [
        ["Transparency", "Float32", "0", "default"],
        ["CanCollide", "Bool", "true", "default"],
        // BrickColor 21 is Bright red: 196, 40, 28.
        ["Color3uint8", "Color3uint8", "196, 40, 28", "older"],
    ] {
        assert!(all.contains(&row.map(str::to_owned)), "{row:?} in {all:?}");
    }
    assert!(all[5..].iter().all(|row| row[3] != "stored" && row[0] != "Size" && row[0] != "Anchored"));
}

/// If the values of an asset exceed the limit, a row has the error.
#[test]
fn properties_take_no_more_than_is_allowed() {
    // Each row contains the path of the asset.
    let path = format!("{}.rbxmx", "x".repeat(100_000));
    let mut options = Options::default();
    options.max_bytes = 1 << 20;
    let assets = [(&*path, MODEL), ("m.rbxmx", MODEL)];
    let batch = scan(assets, Table::Properties, &options).expect("a batch");
    let errors: Vec<_> = texts(&batch, "error").into_iter().flatten().collect();
    assert!(matches!(&*errors, [error] if error.contains("the rows of properties")), "{errors:?}");
    assert!(words(&batch, "value").contains(&"rbxassetid://1818".to_owned()));
}

/// A profile is ignored for a file without geometry, and an unknown profile is an error of the call.
#[test]
fn profiles() {
    let mut options = Options::default();
    options.profiles = vec!["roblox-upload".into()];
    let llsd = b"<llsd><map><key>a</key><integer>1</integer></map></llsd>";
    let batch = scan([("a.xml", &llsd[..])], Table::Findings, &options).expect("a batch");
    assert!(!words(&batch, "rule").contains(&"argument".to_owned()), "{:?}", words(&batch, "found"));
    options.profiles = vec!["nosuch".into()];
    let error = scan([("a.xml", &llsd[..])], Table::Findings, &options).unwrap_err().to_string();
    assert!(error.contains("nosuch") && error.contains("roblox-upload"), "{error}");
}

/// A link in a comment of a script is not a reference.
#[test]
fn references_of_scripts_are_strings() {
    let source =
        "-- see https://example.com/a and rbxassetid://1\nlocal a = 'rbxassetid://2' --[[ rbxassetid://3 ]]";
    let model = format!(
        "<roblox version=\"4\"><Item class=\"Script\"><Properties><string name=\"Name\">s</string>\
         <ProtectedString name=\"Source\">{source}</ProtectedString></Properties></Item></roblox>"
    );
    let batch =
        scan([("s.rbxmx", model.as_bytes())], Table::References, &Options::default()).expect("a batch");
    assert_eq!(words(&batch, "reference"), ["rbxassetid://2"]);
}

/// For a file that cannot be opened, there is a row with the error. The other rows are written, and the command fails.
#[test]
fn what_cannot_be_opened_and_what_is_there_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("in")).expect("a folder");
    fs::write(at("in/a.obj"), TRIANGLE).expect("a file");
    fs::write(at("broken.zip"), b"no archive").expect("a file");
    let (is_done, said) = run(folder.path(), &["broken.zip", "in", "--table", "assets", "-o", "o.ndjson"]);
    assert!(!is_done && said.contains("broken.zip"), "{said}");
    let rows = fs::read_to_string(at("o.ndjson")).expect("rows");
    assert!(rows.lines().count() == 2 && rows.contains("broken.zip") && rows.contains("in/a.obj"), "{rows}");
    // The same content under another name has a row of its own, whether the run is resumed or not.
    let (is_done, said) = run(folder.path(), &["in", "--table", "assets", "-o", "r.parquet"]);
    assert!(is_done, "{said}");
    fs::write(at("in/b.obj"), TRIANGLE).expect("a file");
    let (is_done, said) = run(folder.path(), &["in", "--table", "assets", "-o", "r.parquet", "--resume"]);
    assert!(is_done && said.contains("rows: 2"), "{said}");
}

/// Each byte at the end of a Parquet file is changed: the library panics on some, as of an input and of an output.
#[test]
fn damaged_parquet_files_are_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.obj"), TRIANGLE).expect("a file");
    let (is_done, said) = run(folder.path(), &["a.obj", "--table", "assets", "-o", "o.parquet"]);
    assert!(is_done, "{said}");
    let whole = fs::read(at("o.parquet")).expect("rows");
    let column = BinaryArray::from_vec(vec![TRIANGLE; 3]);
    let batch = RecordBatch::try_from_iter([("bytes", Arc::new(column) as ArrayRef)]).expect("a batch");
    let mut small = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut small, batch.schema(), None).expect("a writer");
    writer.write(&batch).and_then(|()| writer.close()).expect("a file");
    let mut names = Vec::new();
    for place in 0..small.len() {
        for value in [0, 1, 0x15, 0x7f, 0xff] {
            let mut bytes = small.clone();
            bytes[place] = value;
            names.push(format!("{place}-{value}.parquet"));
            fs::write(at(names.last().expect("a name")), bytes).expect("a file");
        }
    }
    let options = ["--table", "assets", "-o", "rows.ndjson"];
    let arguments: Vec<&str> = names.iter().map(String::as_str).chain(options).collect();
    let (_, said) = run(folder.path(), &arguments);
    assert!(said.contains("output: rows.ndjson") && !said.contains("panicked"), "{said}");
    assert!(said.contains("the file is damaged; write it again"), "no change made the library panic: {said}");
    for place in (0..whole.len()).rev().step_by(97) {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x15;
        fs::write(at("o.parquet"), bytes).expect("a file");
        let (is_done, said) =
            run(folder.path(), &["a.obj", "--table", "assets", "-o", "o.parquet", "--resume"]);
        let is_clear = said.contains("use --force instead of --resume");
        assert!((is_done || is_clear) && !said.contains("panicked"), "{place}: {said}");
        let _gone = fs::remove_file(at("o.parquet.partial"));
    }
}

/// A resumed run has the same rows as a complete one: those of a changed file's new content, and one for a file that
/// still cannot be opened, for which the exit status is 1 again.
#[test]
fn resumed_rows_are_those_of_a_whole_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let rows = |name: &str| {
        let text = fs::read_to_string(at(name)).expect("rows");
        let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
        rows.sort();
        rows
    };
    fs::create_dir(at("in")).expect("a folder");
    fs::write(at("in/a.obj"), TRIANGLE).expect("a file");
    fs::write(at("in/b.obj"), [TRIANGLE, b"# b"].concat()).expect("a file");
    fs::write(at("broken.zip"), b"no archive").expect("a file");
    let archive = |text: &[u8]| {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for name in ["t.obj", "u.obj"] {
            zip.start_file(name, zip::write::SimpleFileOptions::default()).expect("an entry");
            zip.write_all(if name == "t.obj" { text } else { TRIANGLE }).expect("an entry");
        }
        fs::write(at("c.zip"), zip.finish().expect("an archive").into_inner()).expect("a file");
    };
    archive(TRIANGLE);
    let inputs = ["in", "broken.zip", "c.zip", "missing.obj"];
    let made = |output: &str, more: &[&str]| {
        run(folder.path(), &[&inputs[..], &["--table", "assets", "-o", output], more].concat())
    };
    let (is_done, said) = made("r.arrow", &[]);
    assert!(!is_done && said.contains("rows: 6"), "{said}");
    // One file changes, one becomes readable, and one is new.
    fs::write(at("in/b.obj"), [TRIANGLE, TRIANGLE].concat()).expect("a file");
    fs::write(at("in/d.obj"), TRIANGLE).expect("a file");
    fs::write(at("missing.obj"), TRIANGLE).expect("a file");
    archive(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3 4\n");
    for _ in 0..2 {
        let (is_done, said) = made("r.arrow", &["--resume"]);
        assert!(!is_done && said.contains("rows: 7") && said.contains("broken.zip"), "{said}");
    }
    let (is_done, said) = made("whole.ndjson", &[]);
    assert!(!is_done, "{said}");
    // The rows of an Arrow file as text. Existing rows are only copied.
    fs::rename(at("r.arrow"), at("s.ndjson.partial")).expect("a file");
    let bytes = fs::read(at("s.ndjson.partial")).expect("a file");
    let mut stream = Vec::new();
    let reader = arrow_ipc::reader::FileReader::try_new(std::io::Cursor::new(bytes), None).expect("a file");
    let mut writer =
        arrow_ipc::writer::StreamWriter::try_new(&mut stream, &Table::Assets.schema()).expect("a stream");
    reader.for_each(|batch| writer.write(&batch.expect("a batch")).expect("a batch"));
    drop(writer);
    fs::write(at("s.ndjson.partial"), stream).expect("a file");
    let (_, said) = made("s.ndjson", &["--resume"]);
    assert!(said.contains("assets: 0, already present: 7, rows: 7"), "{said}");
    assert_eq!(rows("s.ndjson"), rows("whole.ndjson"));
}

/// Rows of an output are kept if adding to it is interrupted before they are copied, even if their files are gone. The
/// partial output of such a run is not read as input.
#[test]
fn an_interrupted_copy_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.obj"), TRIANGLE).expect("a file");
    assert!(run(folder.path(), &["a.obj", "--table", "assets", "-o", "r.arrow"]).0);
    fs::remove_file(at("a.obj")).expect("removed");
    fs::write(at("b.obj"), TRIANGLE).expect("a file");
    let empty =
        || arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &Table::Assets.schema()).expect("a stream");
    fs::write(at("r.arrow.partial"), empty().get_ref()).expect("a file");
    fs::write(at("r.arrow.partial.new"), &empty().get_ref()[..50]).expect("a file");
    let (is_done, said) = run(folder.path(), &[".", "--table", "assets", "-o", "r.arrow", "--resume"]);
    assert!(is_done && said.contains("assets: 1, rows: 2"), "{said}");
    let mut names: Vec<_> =
        fs::read_dir(folder.path()).expect("a folder").map(|of| of.expect("a file").file_name()).collect();
    names.sort();
    assert_eq!(names, ["b.obj", "r.arrow"]);
}

/// If a folder or an entry of an archive cannot be opened, the others are still read.
#[test]
#[cfg(unix)]
fn what_is_beside_what_cannot_be_opened() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for name in ["in/a", "in/b"] {
        fs::create_dir_all(at(name)).expect("a folder");
        fs::write(at(name).join("t.obj"), TRIANGLE).expect("a file");
    }
    // The second of three entries has a wrong checksum.
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for name in ["x.obj", "y.obj", "z.obj"] {
        let stored =
            zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        zip.start_file(name, stored).expect("an entry");
        zip.write_all(&[TRIANGLE, name.as_bytes()].concat()).expect("an entry");
    }
    let mut bytes = zip.finish().expect("an archive").into_inner();
    let place =
        bytes.windows(5).enumerate().filter(|(_, text)| *text == b"y.obj").nth(1).expect("the entry").0;
    bytes[place] = b'#';
    fs::write(at("three.zip"), bytes).expect("a file");
    fs::set_permissions(at("in/a"), fs::Permissions::from_mode(0o0)).expect("permissions");
    let is_root = fs::read_dir(at("in/a")).is_ok();
    let (is_done, said) = run(folder.path(), &["in", "three.zip", "--table", "assets", "-o", "o.ndjson"]);
    fs::set_permissions(at("in/a"), fs::Permissions::from_mode(0o755)).expect("permissions");
    assert!(!is_done && said.contains("three.zip/y.obj"), "{said}");
    let rows = fs::read_to_string(at("o.ndjson")).expect("rows");
    let expected = ["in/b/t.obj", "three.zip/x.obj", "three.zip/y.obj", "three.zip/z.obj"];
    assert!(expected.iter().all(|name| rows.contains(name)), "{rows}");
    assert_eq!(rows.lines().count(), 5, "{rows}");
    // Root can read every folder.
    assert!(is_root || said.contains("in/a:"), "{said}");
}

/// Every option with a value that changes the rows, and an option that does not exist.
#[test]
fn every_option() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("t.obj"), TRIANGLE).expect("a file");
    fs::write(at("m.rbxmx"), MODEL).expect("a file");
    let rows = |arguments: &[&str]| {
        let (is_done, said) = run(folder.path(), &[arguments, &["-o", "o.ndjson", "--force"]].concat());
        is_done.then(|| fs::read_to_string(at("o.ndjson")).expect("rows")).ok_or(said)
    };
    // The input, an option, a text in the rows only with this option, and a value that is refused.
    let table: [(&[&str], [&str; 2], &str, &str); 3] = [
        (&["m.rbxmx"], ["--table", "instances"], "\"instance\":\"Box\"", "nosuch"),
        (&["t.obj", "--table", "assets"], ["--max-bytes", "10"], "\"error_kind\":\"limit\"", "1GB"),
        (&["t.obj", "--table", "findings"], ["--profile", "roblox-upload"], "\"roblox-upload.", "roblox"),
    ];
    for (input, option, expected, wrong) in table {
        let found = rows(&[input, &option].concat()).expect("rows");
        assert!(found.contains(expected), "{option:?}: {found}");
        assert!(!rows(input).unwrap_or_default().contains(expected), "{option:?}");
        let said = rows(&[input, &[option[0], wrong]].concat()).expect_err("refused");
        assert!(said.contains(wrong), "{said}");
    }
    // A table of files with unusual column names.
    let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![MODEL]));
    let names: ArrayRef = Arc::new(StringArray::from(vec!["named.rbxmx"]));
    let batch = RecordBatch::try_from_iter([("content", bytes), ("file", names)]).expect("a batch");
    let file = fs::File::create(at("files.parquet")).expect("a file");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).expect("a table");
    writer.write(&batch).expect("rows");
    writer.close().expect("a table");
    let input = ["files.parquet", "--table", "assets"];
    let found = |bytes, path| rows(&[&input[..], &["--bytes-column", bytes, "--path-column", path]].concat());
    assert!(found("content", "file").expect("rows").contains("\"path\":\"named.rbxmx\""));
    assert!(found("content", "path").expect("rows").contains("files.parquet#0"));
    for wrong in [found("nosuch", "file"), found("content", "nosuch"), rows(&input)] {
        let said = wrong.expect_err("refused");
        assert!(said.contains("no column"), "{said}");
    }
    let stored = rows(&["m.rbxmx", "--table", "properties", "--stored"]).expect("rows");
    let all = rows(&["m.rbxmx", "--table", "properties"]).expect("rows");
    assert!(!stored.contains("\"default\"") && all.contains("\"default\"") && all.len() > stored.len());
    assert!(rows(&["m.rbxmx", "--table", "assets", "--nosuch"]).expect_err("refused").contains("--nosuch"));
}

/// In a chain of instances, each path is longer than the one before.
#[test]
fn paths_take_no_more_than_is_allowed() {
    let open = "<Item class=\"Folder\"><Properties><string name=\"Name\">abcdefghi</string></Properties>";
    let text = format!("<roblox version=\"4\">{}{}</roblox>", open.repeat(900), "</Item>".repeat(900));
    let mut options = Options::default();
    options.max_bytes = 1 << 21;
    let batch = scan([("a.rbxmx", text.as_bytes())], Table::Instances, &options).expect("a batch");
    // The lengths are 9, 19, 29 and so on: the sum of 647 is below 2 MiB, and that of 648 above it. The document and
    // its tree take a small part of the memory.
    let paths = texts(&batch, "instance");
    let count = paths.iter().flatten().count();
    assert!((620..=647).contains(&count), "{count}");
    assert_eq!((paths.len(), paths[1].as_deref()), (900, Some("abcdefghi/abcdefghi")));
}

#[test]
fn findings_have_the_error_of_what_is_not_read() {
    let batch = all(Table::Findings);
    let rows: Vec<_> = words(&batch, "path").into_iter().zip(words(&batch, "rule")).collect();
    assert!(rows.contains(&("b.mesh".into(), "unreadable".into())), "{rows:?}");
}

fn run(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let made = Command::new(env!("CARGO_BIN_EXE_rezkit-table")).current_dir(folder).args(arguments).output();
    let made = made.expect("the command");
    (made.status.success(), String::from_utf8_lossy(&made.stderr).into_owned())
}

/// Names in a file are treated as data, not as formulas or links.
#[test]
fn names_are_data() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = "=HYPERLINK(1)\u{202e}\u{9b}";
    let model = format!(
        "<roblox version=\"4\"><Item class=\"Folder\"><Properties><string name=\"Name\">{name}</string></Properties></Item></roblox>"
    );
    fs::write(folder.path().join("a.rbxmx"), model).expect("a file");
    for (ending, wanted) in
        [("csv", "'=HYPERLINK(1)\\u{202e}\\u{9b}"), ("ndjson", "\"=HYPERLINK(1)\\u202e\\u009b\"")]
    {
        let output = format!("x.{ending}");
        let (is_done, said) = run(folder.path(), &["a.rbxmx", "--table", "instances", "-o", &output]);
        assert!(is_done, "{said}");
        let text = fs::read_to_string(folder.path().join(output)).expect("text");
        assert!(text.contains(wanted) && !text.contains(['\u{202e}', '\u{9b}']), "{text}");
    }
}

#[test]
fn the_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("in")).expect("a folder");
    for (name, bytes) in [("t.obj", TRIANGLE), ("m.rbxmx", MODEL), ("b.mesh", BROKEN)] {
        fs::write(path("in").join(name), bytes).expect("a file");
    }
    for ending in ["parquet", "arrow", "csv", "ndjson"] {
        let output = format!("x.{ending}");
        let (is_done, said) = run(folder.path(), &["in", "--table", "assets", "-o", &output]);
        assert!(is_done && said.contains("assets: 3, rows: 3"), "{ending}: {said}");
        assert!(!path(&format!("{output}.partial")).exists());
    }
    let csv = fs::read_to_string(path("x.csv")).expect("CSV");
    assert_eq!(csv.lines().count(), 4);
    assert!(csv.starts_with("path,blake3,format,version,bytes,vertices,triangles,"), "{csv}");
    // An existing output is not replaced, and not read as input.
    let (is_done, said) = run(folder.path(), &["in", "--table", "assets", "-o", "x.parquet"]);
    assert!(!is_done && said.contains("--force"), "{said}");
    fs::write(path("in").join("another.obj"), [TRIANGLE, b"#"].concat()).expect("a file");
    let (is_done, said) = run(folder.path(), &["in", "--table", "assets", "-o", "x.parquet", "--resume"]);
    assert!(is_done && said.contains("assets: 1, already present: 3, rows: 4"), "{said}");
    let (is_done, said) = run(folder.path(), &["in", "--table", "findings", "-o", "x.parquet", "--resume"]);
    assert!(!is_done && said.contains("not a table of findings"), "{said}");
    let (is_done, said) = run(folder.path(), &["in", "--table", "assets", "-o", "x.xlsx"]);
    assert!(!is_done && said.contains(".parquet"), "{said}");
}

/// A run that was interrupted in the middle of a batch is resumed after the last complete batch, repeatedly.
#[test]
fn interrupted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let write = |name: &str, number: usize| {
        fs::create_dir_all(path(name)).expect("a folder");
        let file = path(name).join(format!("{number}.obj"));
        fs::write(file, [TRIANGLE, format!("# {number}\n").as_bytes()].concat()).expect("a file");
    };
    (0..3).for_each(|number| write("a", number));
    // The journal of an interrupted run: without its end, and with half of a batch after the last complete one.
    let (is_done, _) = run(folder.path(), &["a", "--table", "assets", "-o", "whole.arrow"]);
    assert!(is_done);
    let journal = |rows: usize| {
        let mut bytes = Vec::new();
        let batch = all(Table::Assets).slice(0, rows);
        let mut writer =
            arrow_ipc::writer::StreamWriter::try_new(&mut bytes, &Table::Assets.schema()).expect("a stream");
        writer.write(&batch).expect("a batch");
        let end = writer.get_ref().len();
        writer.write(&batch).expect("a batch");
        drop(writer);
        (bytes, end)
    };
    let (bytes, end) = journal(1);
    for cut in [end, end + 5, bytes.len() - 1] {
        fs::File::create(path("x.csv.partial"))
            .and_then(|mut file| file.write_all(&bytes[..cut]))
            .expect("a file");
        let (is_done, said) = run(folder.path(), &["a", "--table", "assets", "-o", "x.csv", "--resume"]);
        assert!(is_done && said.contains("rows: 4"), "{cut}: {said}");
        fs::remove_file(path("x.csv")).expect("the output");
    }
}

#[test]
fn archives() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let mut tar = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(TRIANGLE.len() as u64);
    header.set_cksum();
    tar.append_data(&mut header, "below/t.obj", TRIANGLE).expect("an entry");
    let tar = tar.into_inner().expect("an archive");
    fs::write(path("a.tar"), &tar).expect("a file");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&tar).expect("gzip");
    fs::write(path("a.tar.gz"), gzip.finish().expect("gzip")).expect("a file");
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("t.obj", zip::write::SimpleFileOptions::default()).expect("an entry");
    zip.write_all(TRIANGLE).expect("an entry");
    fs::write(path("a.zip"), zip.finish().expect("an archive").into_inner()).expect("a file");
    for input in ["a.tar", "a.tar.gz", "a.zip"] {
        let arguments = [input, "--table", "assets", "-o", "x.ndjson", "--force"];
        assert!(run(folder.path(), &arguments).0);
        let text = fs::read_to_string(path("x.ndjson")).expect("a file");
        let row: serde_json::Value = serde_json::from_str(&text).expect("a row");
        assert_eq!((&row["triangles"], &row["max_x"]), (&1.into(), &2.0.into()), "{input}");
        assert!(row["path"].as_str().is_some_and(|path| path.starts_with(input) && path.ends_with("t.obj")));
    }
    // A table of files can be an input, too.
    let (is_done, _) = run(folder.path(), &["a.zip", "--table", "assets", "-o", "t.parquet"]);
    assert!(is_done);
    let arguments = ["t.parquet", "--bytes-column", "path", "--table", "assets", "-o", "y.csv"];
    let (is_done, said) = run(folder.path(), &arguments);
    assert!(!is_done && said.contains("expected bytes"), "{said}");
}
