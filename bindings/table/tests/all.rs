//! Tables of small assets whose rows are known, and the command.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use rezkit_table::arrow_array::cast::AsArray as _;
use rezkit_table::arrow_array::types::{Float32Type, Int64Type, UInt64Type};
use rezkit_table::arrow_array::{Array, RecordBatch};
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
    // The hash of an empty input, as BLAKE3's authors publish it.
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

/// Each count is that of the typed model, for every real and made-up file.
#[test]
fn counts_are_those_of_the_models() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders =
        vec![root.join("fixtures/slmesh"), root.join("fixtures/rbxmesh"), root.join("fixtures/m3d")];
    folders.extend(["slmesh", "rbxmesh", "m3d"].map(|name| root.join("../shared/corpus").join(name)));
    let mut compared = 0;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.map(|entry| entry.expect("an entry")) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = fs::read(&path).expect("a file");
            let counts = if let Ok(mesh) = slmesh::from_slice(&bytes) {
                let lods = slmesh::Lod::ALL.into_iter().rev();
                let finest = lods.clone().find(|&lod| mesh.level(lod).is_some());
                finest.map(|lod| (mesh.vertex_count(lod), mesh.triangle_count(lod)))
            } else if let Ok(mesh) = rbxmesh::from_slice(&bytes) {
                Some((mesh.vertices.len(), mesh.faces.len()))
            } else {
                None
            };
            let Some((vertices, triangles)) = counts else { continue };
            let name = path.to_string_lossy();
            let batch = scan([(&*name, &*bytes)], Table::Assets, &Options::default()).expect("a batch");
            let count = |name: &str| {
                batch.column_by_name(name).expect("a column").as_primitive::<UInt64Type>().value(0)
            };
            assert_eq!(
                [count("vertices"), count("triangles")],
                [vertices as u64, triangles as u64],
                "{name}"
            );
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}

/// A profile does not apply to a file without geometry, and one that is unknown is an error of the call.
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

/// A link in a comment of a script is no reference.
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

/// What cannot be opened is a row, the rows of the others are there, and the command fails; a run that continues has the rows
/// of a whole one.
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
    // The same content under another name is a row of its own, whether the run continues or begins.
    let (is_done, said) = run(folder.path(), &["in", "--table", "assets", "-o", "r.parquet"]);
    assert!(is_done, "{said}");
    fs::write(at("in/b.obj"), TRIANGLE).expect("a file");
    let (is_done, said) = run(folder.path(), &["in", "--table", "assets", "-o", "r.parquet", "--resume"]);
    assert!(is_done && said.contains("2 rows"), "{said}");
}

/// In a chain, each path is longer than the last.
#[test]
fn paths_take_no_more_than_is_allowed() {
    let open = "<Item class=\"Folder\"><Properties><string name=\"Name\">abcdefghi</string></Properties>";
    let text = format!("<roblox version=\"4\">{}{}</roblox>", open.repeat(900), "</Item>".repeat(900));
    let mut options = Options::default();
    options.max_bytes = 1 << 21;
    let batch = scan([("a.rbxmx", text.as_bytes())], Table::Instances, &options).expect("a batch");
    // 9, 19, 29 ...: the sum of 647 of these is below 2 MiB, and that of 648 above.
    let paths = texts(&batch, "instance");
    assert_eq!(paths.iter().flatten().count(), 647);
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

/// Names of a file are data for a spreadsheet and an editor.
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
        assert!(is_done && said.contains("3 assets, 3 rows"), "{ending}: {said}");
        assert!(!path(&format!("{output}.partial")).exists());
    }
    let csv = fs::read_to_string(path("x.csv")).expect("CSV");
    assert_eq!(csv.lines().count(), 4);
    assert!(csv.starts_with("path,blake3,format,version,bytes,vertices,triangles,"), "{csv}");
    // What is there is not replaced, and not read again.
    let (is_done, said) = run(folder.path(), &["in", "--table", "assets", "-o", "x.parquet"]);
    assert!(!is_done && said.contains("--force"), "{said}");
    fs::write(path("in").join("another.obj"), [TRIANGLE, b"#"].concat()).expect("a file");
    let (is_done, said) = run(folder.path(), &["in", "--table", "assets", "-o", "x.parquet", "--resume"]);
    assert!(is_done && said.contains("1 assets, 3 already there, 4 rows"), "{said}");
    let (is_done, said) = run(folder.path(), &["in", "--table", "findings", "-o", "x.parquet", "--resume"]);
    assert!(!is_done && said.contains("not a table of findings"), "{said}");
    let (is_done, said) = run(folder.path(), &["in", "--table", "assets", "-o", "x.xlsx"]);
    assert!(!is_done && said.contains(".parquet"), "{said}");
}

/// An output that was interrupted in the middle of a batch continues after the last whole one, again and again.
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
    // A journal after an interruption: without its end, and with half a batch after the last whole one.
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
        assert!(is_done && said.contains("4 rows"), "{cut}: {said}");
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
    // A table of files is an input too.
    let (is_done, _) = run(folder.path(), &["a.zip", "--table", "assets", "-o", "t.parquet"]);
    assert!(is_done);
    let arguments = ["t.parquet", "--bytes-column", "path", "--table", "assets", "-o", "y.csv"];
    let (is_done, said) = run(folder.path(), &arguments);
    assert!(!is_done && said.contains("expected bytes"), "{said}");
}
