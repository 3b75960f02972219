//! Each option of each command has an effect, and a value that does not exist is refused. `every_option.tsv` has a line
//! for each option; a missing line fails the test.

#![cfg(feature = "scene")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

const TABLE: &str = include_str!("every_option.tsv");

fn item(class: &str, name: &str, properties: &str, children: &str) -> String {
    format!(
        "<Item class=\"{class}\"><Properties><string name=\"Name\">{name}</string>{properties}</Properties>{children}</Item>"
    )
}

fn document(items: &str) -> Vec<u8> {
    format!("<roblox version=\"4\">{items}</roblox>").into_bytes()
}

fn blob(name: &str, file: &str) -> String {
    let bytes = testkit::fixture("rbxblobs", file);
    format!("<BinaryString name=\"{name}\">{}</BinaryString>", BASE64_STANDARD.encode(bytes))
}

fn vector(name: &str, [x, y, z]: [f32; 3]) -> String {
    format!("<Vector3 name=\"{name}\"><X>{x}</X><Y>{y}</Y><Z>{z}</Z></Vector3>")
}

fn frame(name: &str, [x, y, z]: [f32; 3]) -> String {
    let turn = "<R00>1</R00><R01>0</R01><R02>0</R02><R10>0</R10><R11>1</R11><R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22>";
    format!("<CoordinateFrame name=\"{name}\"><X>{x}</X><Y>{y}</Y><Z>{z}</Z>{turn}</CoordinateFrame>")
}

/// A place that is affected by each option for scenes, scripts and suspicious content.
fn place() -> Vec<u8> {
    let size = vector("size", [2.0, 3.0, 1.0]);
    let mesh = "<Content name=\"MeshId\"><url>rbxassetid://1</url></Content>";
    let union = size.clone() + &vector("InitialSize", [1.0; 3]) + &blob("MeshData", "mesh-4.bin");
    let source = "<ProtectedString name=\"Source\">require(1234)(getfenv())</ProtectedString>";
    let camera = frame("CFrame", [0.0, 20.0, 40.0]);
    let far = frame("CFrame", [9000.0, 0.0, 0.0]) + &size;
    let rows: String = (0..40)
        .map(|at| item("Part", "P", &(frame("CFrame", [3.0 * at as f32, 0.0, 0.0]) + &size), ""))
        .collect();
    let parts = item("Part", "Door", &size, "")
        + &item("Part", "Far", &far, "")
        + &rows
        + &item("MeshPart", "Shape", &(mesh.to_owned() + &size), "")
        + &item("UnionOperation", "Union", &union, "")
        + &item("Camera", "Camera", &camera, "")
        + &item("Terrain", "Terrain", &blob("SmoothGrid", "terrain.bin"), "");
    let properties = "<Ref name=\"CurrentCamera\">null</Ref>";
    document(
        &(item("Workspace", "Workspace", properties, &parts)
            + &item("ServerStorage", "ServerStorage", "", &item("Script", "Code", source, ""))),
    )
}

/// A KeyframeSequence for R15.
fn dance() -> Vec<u8> {
    let keyframe = |time: f32, x: f32| {
        let pose = |name: &str, weight: f32, x: f32, below: &str| {
            let weight = format!("<float name=\"Weight\">{weight}</float>");
            item("Pose", name, &(frame("CFrame", [x, 0.0, 0.0]) + &weight), below)
        };
        let torso = pose("UpperTorso", 1.0, 0.0, &pose("Head", 1.0, x, ""));
        let poses = pose("HumanoidRootPart", 0.0, 0.0, &pose("LowerTorso", 1.0, 0.0, &torso));
        item("Keyframe", "Keyframe", &format!("<float name=\"Time\">{time}</float>"), &poses)
    };
    let keys = keyframe(0.0, 0.0) + &keyframe(0.5, 0.2) + &keyframe(1.0, 0.0);
    document(&item("KeyframeSequence", "Dance", "<bool name=\"Loop\">true</bool>", &keys))
}

/// Instances with a loss each: classes that are not drawn, and mesh parts whose meshes are missing.
fn many() -> Vec<u8> {
    let classes =
        ["Sky", "Atmosphere", "Clouds", "ForceField", "Highlight", "SelectionBox", "BoxHandleAdornment"];
    let mut items: String = classes.iter().map(|class| item(class, class, "", "")).collect();
    for at in 0..30 {
        let mesh = format!("<Content name=\"MeshId\"><url>rbxasset://{at}.mesh</url></Content>");
        items += &item("MeshPart", &format!("M{at}"), &(mesh + &vector("size", [1.0; 3])), "");
    }
    document(&items)
}

fn obj(points: &[[f32; 3]], faces: &[[usize; 3]]) -> String {
    let points = points.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n"));
    points.chain(faces.iter().map(|[a, b, c]| format!("f {a} {b} {c}\n"))).collect()
}

fn cuboid(size: [f32; 3]) -> String {
    let point = |at: usize| std::array::from_fn(|axis| if at >> axis & 1 == 1 { size[axis] } else { 0.0 });
    let points: Vec<[f32; 3]> = (0..8).map(point).collect();
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let faces: Vec<_> =
        sides.iter().flat_map(|[a, b, c, d]| [[a + 1, b + 1, c + 1], [a + 1, c + 1, d + 1]]).collect();
    obj(&points, &faces)
}

/// A round body of many triangles with a narrow waist, which one hull does not fit.
fn ball() -> String {
    let (rows, columns) = (16_usize, 32_usize);
    let mut points = Vec::new();
    for i in 0..=rows {
        for j in 0..columns {
            let theta = i as f32 / rows as f32 * std::f32::consts::PI;
            let phi = j as f32 / columns as f32 * std::f32::consts::TAU;
            // A waist makes it concave.
            let radius = 1.0 - 0.6 * theta.sin().powi(4);
            points.push([
                radius * theta.sin() * phi.cos(),
                2.0 * theta.cos(),
                radius * theta.sin() * phi.sin(),
            ]);
        }
    }
    let at = |i: usize, j: usize| i * columns + j % columns + 1;
    let quads = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
    let faces: Vec<_> = quads
        .flat_map(|(i, j)| {
            [[at(i, j), at(i, j + 1), at(i + 1, j)], [at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)]]
        })
        .collect();
    obj(&points, &faces)
}

/// A hip and a chest that rotate to and fro, at 25 frames per second.
pub(crate) const BVH: &str = "HIERARCHY\nROOT hip\n{\nOFFSET 0 40 0\nCHANNELS 6 Xposition Yposition Zposition Xrotation Zrotation Yrotation\n\
    JOINT abdomen\n{\nOFFSET 0 5 0\nCHANNELS 3 Xrotation Zrotation Yrotation\nEnd Site\n{\nOFFSET 0 5 0\n}\n}\n}\n\
    MOTION\nFrames: 5\nFrame Time: 0.04\n0 40 0 0 0 0 0 0 0\n0 40 0 0 0 10 0 0 20\n0 41 0 0 0 25 0 0 30\n0 40 0 5 0 10 0 0 5\n\
    0 40 0 0 0 0 0 0 0\n";

/// Writes the input files for each run.
fn files(folder: &Path) {
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    };
    let fixture = |name: &str, fixture: &str| {
        let (format, file) = fixture.split_once('/').expect("a fixture");
        write(name, &testkit::fixture(format, file));
    };
    write("place.rbxlx", &place());
    write("model.rbxmx", &document(&item("Part", "New", &vector("size", [1.0; 3]), "")));
    write("dance.rbxmx", &dance());
    write("many.rbxmx", &many());
    write("map.csv", b"rbxassetid://1,rbxassetid://2\n");
    write("box.obj", cuboid([1.0; 3]).as_bytes());
    write("thin.obj", cuboid([1.0, 0.004, 1.0]).as_bytes());
    write("ball.obj", ball().as_bytes());
    write("joints.txt", b"hip = mPelvis\nabdomen = mChest\nroot = mPelvis\narm = mTorso\n");
    write("bare.bin", b"{\0\0\0\x01k\0\0\0\x01ai\0\0\0\x05}");
    for old in ["full/box.glb", "full/default.project.json"] {
        write(old, b"old");
    }
    write(
        "terrain.rbxlx",
        &document(&item(
            "Workspace",
            "Workspace",
            "",
            &item("Terrain", "Terrain", &blob("SmoothGrid", "terrain.bin"), ""),
        )),
    );
    // A text with bytes that XML cannot store.
    let mut bytes = rbxbinary::Document::new();
    let value =
        rbxbinary::NewInstance::new("StringValue").property("Name", "V").property("Value", &b"\xff"[..]);
    bytes.insert(None, value).expect("a value");
    write("bytes.rbxl", &rbxbinary::to_vec(&bytes).expect("a document"));
    write("motion.bvh", BVH.as_bytes());
    let names: Vec<String> = (0..25).map(|number| format!("{number}.mesh")).collect();
    let broken: Vec<(&str, &[u8])> =
        names.iter().map(|name| (&**name, &b"version 2.00\nbroken"[..])).collect();
    write("broken.zip", &super::limits::zip(&broken));
    write("old.png", b"old");
    write("odd/text.mesh", b"hello");
    fixture("odd/d.mesh", "rbxmesh/v2_00.mesh");
    write("project/src/ServerStorage/New.server.luau", b"print(1)\n");
    fixture("levels.mesh", "rbxmesh/v4_00.mesh");
    fixture("assets/1.mesh", "rbxmesh/v2_00.mesh");
    fixture("hulls.llmesh", "slmesh/all.llmesh");
    fixture("bad.llmesh", "slmesh/odd_values.llmesh");
    fixture("warned.mesh", "rbxmesh/v6_00_trailing.mesh");
    for (name, model) in
        [("all/a.rbxmx", place()), ("all/.hidden/b.rbxmx", place()), ("all/ignored/c.rbxmx", place())]
    {
        write(name, &model);
    }
    write("all/.gitignore", b"ignored\n");
    fixture("figure.a3d", "m3d/ascii-all.a3d");
    fixture("all/d.mesh", "rbxmesh/v2_00.mesh");
    fixture("all/e.llmesh", "slmesh/odd_values.llmesh");
    for (from, to) in
        [("figure.a3d", "figure.glb"), ("motion.bvh", "motion.glb"), ("dance.rbxmx", "dance.glb")]
    {
        let made = run(folder, "convert", &[from, to]);
        assert!(folder.join(to).exists(), "{to}: {}", made.printed);
    }
}

/// The exit status, the output and the files of a run.
#[derive(PartialEq)]
struct Ran {
    status: Option<i32>,
    printed: String,
    files: BTreeMap<String, Vec<u8>>,
}

fn below(folder: &Path, name: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true => below(&entry.path(), &name, files),
            false => _ = files.insert(name, fs::read(entry.path()).expect("a file")),
        }
    }
}

fn run(folder: &Path, command: &str, arguments: &[&str]) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rezkit"))
        .arg(command)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    // The input for `edit`; other commands may end before reading it.
    let _ = child.stdin.take().expect("piped").write_all(b"rename Workspace/Door Gate\n");
    let output = child.wait_with_output().expect("it ends");
    let printed =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    let mut files = BTreeMap::new();
    below(folder, "", &mut files);
    Ran { status: output.status.code(), printed, files }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to),
            false => _ = fs::copy(entry.path(), to).expect("a file"),
        }
    }
}

/// The commands and options that `docs --commands` lists.
fn documented() -> BTreeSet<(String, String)> {
    let output =
        Command::new(env!("CARGO_BIN_EXE_rezkit")).args(["docs", "--commands"]).output().expect("it runs");
    let (mut command, mut found) = (String::new(), BTreeSet::new());
    for line in String::from_utf8(output.stdout).expect("text").lines() {
        if let Some(name) = line.strip_prefix("## ") {
            name.clone_into(&mut command);
        }
        let option = line.trim_start();
        let option = option.strip_prefix('-').filter(|_| line.starts_with(' ')).and_then(|rest| {
            let rest = rest.strip_prefix('-').or_else(|| rest.split_once(", --").map(|(_, rest)| rest))?;
            rest.split([' ', '=']).next()
        });
        if let Some(option) = option.filter(|option| !["help", "version"].contains(option)) {
            found.insert((command.clone(), option.to_owned()));
        }
    }
    found
}

#[test]
fn each_option_has_an_effect_and_refuses_what_does_not_exist() {
    let template = tempfile::tempdir().expect("a folder");
    files(template.path());
    let fresh = |arguments: &[&str], command: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        copy(template.path(), folder.path());
        run(folder.path(), command, arguments)
    };
    let (mut known, mut wrong) = (BTreeSet::new(), Vec::new());
    let mut before: BTreeMap<&str, Ran> = BTreeMap::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let row: Vec<&str> = line.split('\t').collect();
        let [command, arguments, option, refused @ ..] = &row[..] else { panic!("{line}") };
        let words = |text: &'static str| text.split_whitespace().collect::<Vec<_>>();
        let given = option.strip_prefix('=').unwrap_or(option);
        let name = given.split(' ').next().and_then(|name| name.strip_prefix("--")).expect("an option");
        known.insert(((*command).to_owned(), name.to_owned()));
        let with = |option: &'static str| fresh(&[words(option), words(arguments)].concat(), command);
        if given == *option {
            let key = &line[..command.len() + arguments.len() + 1];
            let without = before.entry(key).or_insert_with(|| fresh(&words(arguments), command));
            let ran = with(option);
            if ran == *without {
                wrong.push(format!("{command} {arguments}: {option} changes nothing: {:.200}", ran.printed));
            }
        }
        for refused in refused {
            let ran = with(refused);
            if ran.status == Some(0) || ran.status.is_none() {
                wrong.push(format!("{command} {arguments}: {refused} is not refused: {:.200}", ran.printed));
            }
        }
    }
    for (command, option) in documented().difference(&known) {
        wrong.push(format!("{command}: --{option} is not in the table"));
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}
