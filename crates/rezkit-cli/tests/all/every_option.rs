//! Each option of each command has an effect, and a value that does not exist is refused. `every_option.tsv` has a line
//! for each option; a missing line fails the test. The input files are those of `tests/cmd`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::cmd::{inputs, remake};
use super::run::{Folder, Ran};

const TABLE: &str = include_str!("every_option.tsv");

/// The input files for each run.
pub(super) fn files() -> Folder {
    let folder = inputs();
    // A text with bytes that XML cannot store.
    let bytes = crate::binary_of([crate::instance("StringValue", "V").property("Value", &b"\xff"[..])]);
    folder.write("bytes.rbxl", bytes);
    folder.write("heights.png", heights());
    let union = |name: &str| crate::instance("UnionOperation", name).property("MeshData", "the same bytes");
    folder.write("shared.rbxm", crate::binary_of([union("A"), union("B")]));
    // A comment that an edit of its map drops, and a decision about no conflict.
    let door = "<map><key>Door</key><map><!-- old --><key>a</key><string>b</string></map></map>";
    folder.write("commented.xml", format!("<llsd><map><key>Workspace</key>{door}</map></llsd>").into_bytes());
    folder.write("unused.txt", b"ours Workspace/Door.Size\n");
    let names: Vec<String> = (0..25).map(|number| format!("{number}.mesh")).collect();
    let broken: Vec<(&str, &[u8])> =
        names.iter().map(|name| (&**name, &b"version 2.00\nbroken"[..])).collect();
    folder.write("broken.zip", super::limits::zip(&broken));
    for (from, to) in [
        ("figure.a3d", "figure.glb"),
        ("motion.bvh", "motion.glb"),
        ("dance.rbxmx", "dance.glb"),
        // A chunk has a value for each instance of a class, so that a new property fills in those of others.
        ("cottage.rbxmx", "cottage.rbxm"),
    ] {
        folder.ok(&format!("convert {from} {to}"));
    }
    folder
}

/// A grey image of 16 bits.
fn heights() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 8, 4);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    let pixels: Vec<u8> = (0..32_u16).flat_map(|index| (index * 2114).to_be_bytes()).collect();
    encoder.write_header().and_then(|mut to| to.write_image_data(&pixels)).expect("an image");
    bytes
}

/// An image becomes terrain, and the terrain the same image.
#[test]
fn heights_become_terrain_and_come_back() {
    let folder = files();
    folder.ok("convert heights.png island.rbxl --terrain-size 32,256,16");
    folder.ok("convert island.rbxl back.png --terrain-size 32,256,16");
    folder.ok("convert back.png again.rbxl --terrain-size 32,256,16");
    folder.ok("diff island.rbxl again.rbxl");
    let pixels = |name: &str| {
        let bytes = fs::read(folder.path(name)).expect("a file");
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("an image");
        let mut pixels = vec![0; reader.output_buffer_size().expect("small")];
        reader.next_frame(&mut pixels).expect("an image");
        let pairs = pixels.as_chunks().0.iter();
        pairs.map(|pair| u16::from_be_bytes(*pair)).collect::<Vec<_>>()
    };
    let (old, new) = (pixels("heights.png"), pixels("back.png"));
    // A voxel is 1,024 of 65,535.
    let most = old.iter().zip(&new).map(|(one, next)| one.abs_diff(*next)).max();
    assert!(old.len() == 32 && most < Some(4), "{most:?}");
}

pub(super) fn below(folder: &Path, name: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true => below(&entry.path(), &name, files),
            false => _ = files.insert(name, fs::read(entry.path()).expect("a file")),
        }
    }
}

/// The commands and options that `docs --commands` lists.
fn documented() -> BTreeSet<(String, String)> {
    let (mut command, mut found) = (String::new(), BTreeSet::new());
    for line in Folder::new(&[]).ok("docs --commands").lines() {
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
    let template = files();
    // What a command did, and the files after it.
    let fresh = |arguments: &str| -> (Ran, BTreeMap<String, Vec<u8>>) {
        let (folder, mut files) = (Folder::new(&[]), BTreeMap::new());
        // A file is replaced by a command, and not written into, so that links suffice.
        remake(&template.path(""), &folder.path(""), |from, to| fs::hard_link(from, to));
        // The input for `edit`.
        let ran = folder.piped(arguments, "rename Workspace/Door Gate\n");
        below(&folder.path(""), "", &mut files);
        (ran, files)
    };
    let (mut known, mut wrong, mut before) = (BTreeSet::new(), Vec::new(), BTreeMap::new());
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let row: Vec<&str> = line.split('\t').collect();
        let [command, arguments, option, refused @ ..] = &row[..] else { panic!("{line}") };
        let given = option.strip_prefix('=').unwrap_or(option);
        let name = given.split(' ').next().and_then(|name| name.strip_prefix("--")).expect("an option");
        known.insert(((*command).to_owned(), name.to_owned()));
        if given == *option {
            let without = format!("{command} {arguments}");
            let without = before.entry(without.clone()).or_insert_with(|| fresh(&without));
            let ran = fresh(&format!("{command} {option} {arguments}"));
            if ran == *without {
                wrong.push(format!("{command} {arguments}: {option} changes nothing: {:.200?}", ran.0));
            }
        }
        for refused in refused {
            // Nothing is written by a command that is refused, so that it needs no folder of its own.
            let ran = template.run(&format!("{command} {refused} {arguments}"));
            if ran.status == Some(0) || ran.status.is_none() {
                wrong.push(format!("{command} {arguments}: {refused} is not refused: {:.200?}", ran));
            }
        }
    }
    for (command, option) in documented().difference(&known) {
        wrong.push(format!("{command}: --{option} is not in the table"));
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}
