//! Converts every fixture into everything that it can become, and back: all differences must be listed.

#![cfg(feature = "scene")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rezkit::scene::{Feature, Scene, SceneOptions};
use rezkit::{ConvertOptions, File, Fill, Loss, Opened, ReadOptions, Reference, Target, tree};

use super::compared::{Has, value};

/// Opens a file that was written, together with its other files.
fn read(files: &[File]) -> Opened<'static> {
    let [file, others @ ..] = files else { panic!("no file") };
    let others: BTreeMap<String, Vec<u8>> =
        others.iter().map(|file| (file.path().to_owned(), file.bytes.clone())).collect();
    let beside = move |reference: &Reference, _: u64| match reference {
        Reference::Beside(name) => Ok(others.get(name).cloned()),
        _ => Ok(None),
    };
    let opened = ReadOptions::new().open(file.bytes.clone(), file.path(), beside);
    opened.unwrap_or_else(|error| panic!("{}: {error}", file.path()))
}

/// The readable fixtures of a format.
fn fixtures(format: &str) -> Vec<(String, Opened<'static>)> {
    let open = |sample: testkit::Sample| {
        let name = sample.name.rsplit('/').next().unwrap_or_default().to_owned();
        Some((sample.name, rezkit::open(sample.bytes, &name, ()).ok()?))
    };
    testkit::fixtures(format).into_iter().filter_map(open).collect()
}

fn shortened(has: &Has) -> String {
    format!("{has:?}").chars().take(200).collect()
}

/// Writes each scene in each form and reads it again. Returns the features that differ without a listed loss, and the
/// number of conversions.
fn lost_scenes(files: impl Iterator<Item = (String, Opened<'static>)>) -> (Vec<String>, usize) {
    let options = ConvertOptions::new().allow_loss(true);
    let (mut wrong, mut seen, mut tried) = (Vec::new(), Vec::<Scene>::new(), 0);
    for (name, mut opened) in files {
        let Ok((scene, _)) = opened.scene(&SceneOptions::default()) else { continue };
        let count = scene.triangle_count();
        // Many fixtures only differ in the storage of numbers, and a few large files have most of the triangles.
        if count == 0 || count > 5_000 && !is_whole() || seen.contains(&scene) {
            continue;
        }
        for target in opened
            .targets()
            .iter()
            .filter(|target| target.by_scene && !["anim", "material", "rbxm", "rbxmx"].contains(&target.name))
        {
            let output = opened.convert(Some(target.name), &format!("a.{}", target.extension), &options);
            // A refusal reports the loss.
            let Ok(output) = output else { continue };
            let (again, _) = read(&output.files).scene(&SceneOptions::default()).unwrap();
            tried += 1;
            let is_listed =
                |feature: Feature| output.losses.iter().any(|loss| loss.features.contains(&feature.title()));
            let placed = !is_listed(Feature::Size);
            for &feature in scene.features().keys() {
                let [before, after] = [&scene, &again].map(|scene| value(scene, feature, placed));
                if before != after && !is_listed(feature) {
                    wrong.push(format!(
                        "{name} to {}: {}: {} becomes {}, {:?}",
                        target.name,
                        feature.title(),
                        shortened(&before),
                        shortened(&after),
                        output.losses.iter().map(ToString::to_string).collect::<Vec<_>>()
                    ));
                }
            }
        }
        seen.push(scene);
    }
    (wrong, tried)
}

/// Scenes: after reading again, each feature is unchanged or a loss is listed for it.
#[test]
fn scenes_of_fixtures_are_kept_or_listed() {
    let formats = ["rbxmesh", "slmesh", "m3d", "rbxbinary", "rbxxml"];
    let (wrong, tried) = lost_scenes(formats.into_iter().flat_map(fixtures));
    assert!(tried > 200, "{tried} conversions");
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Whether all files are tried, including large ones; this takes minutes.
fn is_whole() -> bool {
    std::env::var_os("REZKIT_CORPUS").is_some_and(|value| value == "all")
}

/// The readable real files, with the files in their folders: one of five small files, or all files with
/// `REZKIT_CORPUS=all`. `CORPUS` names another folder, with a subfolder for each format.
fn real(format: &'static str) -> impl Iterator<Item = (String, Opened<'static>)> {
    let all = is_whole();
    let files = testkit::corpus(format).into_iter().filter(move |sample| all || sample.bytes.len() < 8_000);
    files.step_by(if all { 1 } else { 5 }).filter_map(|sample| {
        let name = sample.name.rsplit('/').next().unwrap_or_default().to_owned();
        let folder = testkit::corpus_folder(format).join(&sample.name).parent().map(Path::to_owned);
        let beside = move |reference: &Reference, _: u64| match reference {
            Reference::Beside(name) => Ok(std::fs::read(folder.as_ref().unwrap().join(name)).ok()),
            _ => Ok(None),
        };
        Some((sample.name, ReadOptions::new().open(sample.bytes, &name, beside).ok()?))
    })
}

#[test]
fn scenes_of_real_files_are_kept_or_listed() {
    let formats = ["rbxmesh", "slmesh", "m3d", "rbxbinary", "rbxxml", "gltf", "obj", "ply", "stl"];
    let (wrong, tried) = lost_scenes(formats.into_iter().flat_map(real));
    println!("{tried} conversions");
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Names of values that describe how a form stores the same content.
const OWN: [&str; 4] = ["version", "layout", "wrapping", "header"];

/// The names in a path, without indices.
fn names(path: &str) -> BTreeSet<&str> {
    let parts = path.split(|c: char| !c.is_alphanumeric() && c != '_');
    parts.filter(|part| part.chars().any(char::is_alphabetic)).collect()
}

/// Other values that change with the listed one: the indices of faces, or the faces of a level, and their vertices.
const ALONG: [(&str, &[&str]); 2] = [("faces", &["vertices"]), ("lods", &["faces", "vertices"])];

/// The differences between two assets whose paths have no name in common with the path of a loss.
fn differences(before: &Opened<'_>, after: &Opened<'_>, losses: &[Loss]) -> Vec<String> {
    let mut found = Vec::new();
    if !before.asset().equals(after.asset()) {
        let mut add = |change: tree::Change| {
            let path = names(&change.path);
            let is_listed = losses.iter().any(|loss| {
                let own = names(&loss.path);
                let along = ALONG.iter().filter(|(name, _)| own.contains(name)).flat_map(|(_, along)| *along);
                !own.is_disjoint(&path) || along.into_iter().any(|name| path.contains(name))
            });
            if !is_listed && !OWN.iter().any(|own| change.path.contains(own)) {
                found.push(format!("{}: {:.100?} becomes {:.100?}", change.path, change.old, change.new));
            }
        };
        tree::diff(&*before.tree(), &*after.tree(), &mut rezkit::Budget::new(1 << 30), &mut add).unwrap();
    }
    found
}

/// Documents: an asset in another form, or in another format and back, is the same, or a loss is listed.
#[test]
fn documents_of_fixtures_are_kept_or_listed() {
    let options = ConvertOptions::new().allow_loss(true).fill(Fill::Defaults);
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for format in ["rbxmesh", "slmesh", "m3d", "rbxbinary", "rbxxml", "llsd"] {
        for (name, mut opened) in fixtures(format) {
            let own = name.rsplit('.').next().unwrap_or_default().to_owned();
            let targets: Vec<Target> =
                opened.targets().into_iter().filter(|target| !target.by_scene).collect();
            for target in targets {
                let output = opened.convert(Some(target.name), &format!("a.{}", target.extension), &options);
                let Ok(mut output) = output else { continue };
                let mut again = read(&output.files);
                let is_same = again.info().format == opened.info().format;
                if !is_same || format == "slmesh" {
                    let Ok(back) = again.convert(None, &format!("b.{own}"), &options) else { continue };
                    output.losses.extend(back.losses);
                    again = read(&back.files);
                }
                tried += 1;
                let found = differences(&opened, &again, &output.losses);
                if !found.is_empty() {
                    let losses: Vec<_> = output.losses.iter().map(ToString::to_string).collect();
                    let first = &found[0];
                    wrong.push(format!(
                        "{name} to {}: {}: {first:.300} {losses:?}",
                        target.name,
                        found.len()
                    ));
                }
            }
        }
    }
    assert!(tried > 500, "{tried} conversions");
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}
