//! Every fixture in everything that it becomes, and back: what differs afterwards is listed.

#![cfg(feature = "scene")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::collections::BTreeMap;

use rezkit::scene::{Feature, Scene, SceneOptions};
use rezkit::{ConvertOptions, File, Fill, Loss, Opened, ReadOptions, Reference, Target, tree};

use super::conversions::value;

/// The files beside the one that was written.
fn read(files: &[File]) -> Opened<'static> {
    let [file, others @ ..] = files else { panic!("no file") };
    let others: BTreeMap<String, Vec<u8>> =
        others.iter().map(|file| (file.path().to_owned(), file.bytes.clone())).collect();
    let beside = move |reference: &Reference| match reference {
        Reference::Beside(name) => Ok(others.get(name).cloned()),
        _ => Ok(None),
    };
    let opened = ReadOptions::new().open(file.bytes.clone(), file.path(), beside);
    opened.unwrap_or_else(|error| panic!("{}: {error}", file.path()))
}

/// The fixtures of a format that read.
fn fixtures(format: &str) -> Vec<(String, Opened<'static>)> {
    let open = |sample: testkit::Sample| {
        let name = sample.name.rsplit('/').next().unwrap_or_default().to_owned();
        Some((sample.name, rezkit::open(sample.bytes, &name, ()).ok()?))
    };
    testkit::fixtures(format).into_iter().filter_map(open).collect()
}

/// Whether a loss is about a feature: the words of each that losses have.
fn is_about(loss: &Loss, feature: Feature) -> bool {
    let of_material = (Feature::BaseColor..=Feature::Filters).contains(&feature);
    let words: &[&str] = match feature {
        Feature::Normals => &["normal"],
        Feature::Colors | Feature::ColorAlpha => &["colour"],
        Feature::Skins | Feature::SeveralSkins => &["skin", "joint", "bone", "as they were bound"],
        Feature::Uvs => &["texture coordinates"],
        Feature::JointAnimations | Feature::NodeAnimations => &["animation", "action"],
        _ => &[],
    };
    // Where vertices are, all that they have is.
    let moved = ["as they were bound", "position and size"].iter().any(|what| loss.what.contains(what));
    let of_vertices = [Feature::Size, Feature::Normals, Feature::Uvs, Feature::Tangents];
    loss.what.contains(feature.title())
        || moved && of_vertices.contains(&feature)
        || of_material && loss.what.contains("material")
        || words.iter().any(|word| loss.what.contains(word))
}

/// Scenes: each feature is after reading again what it was, or a loss is about it.
#[test]
fn scenes_of_fixtures_are_kept_or_listed() {
    let options = ConvertOptions::new().allow_loss(true);
    let (mut wrong, mut seen, mut tried) = (Vec::new(), Vec::<Scene>::new(), 0);
    for format in ["rbxmesh", "slmesh", "m3d", "rbxbinary", "rbxxml"] {
        for (name, mut opened) in fixtures(format) {
            let Ok((scene, _)) = opened.scene(&SceneOptions::default()) else { continue };
            // Many fixtures differ in how numbers are stored.
            if scene.triangle_count() == 0 || seen.contains(&scene) {
                continue;
            }
            for target in opened.targets().iter().filter(|target| target.by_scene && target.name != "anim") {
                let output = opened.convert(Some(target.name), &format!("a.{}", target.extension), &options);
                // A refusal is a word.
                let Ok(output) = output else { continue };
                let (again, _) = read(&output.files).scene(&SceneOptions::default()).unwrap();
                tried += 1;
                for &feature in scene.features().keys() {
                    let (before, after) = (value(&scene, feature), value(&again, feature));
                    if before != after && !output.losses.iter().any(|loss| is_about(loss, feature)) {
                        wrong.push(format!(
                            "{name} to {}: {}: {before:.200} becomes {after:.200}, {:?}",
                            target.name,
                            feature.title(),
                            output.losses.iter().map(ToString::to_string).collect::<Vec<_>>()
                        ));
                    }
                }
            }
            seen.push(scene);
        }
    }
    assert!(tried > 200, "{tried} conversions");
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}

/// How a form stores the same content.
const OWN: [&str; 4] = ["version", "layout", "wrapping", "header"];

/// What differs between two assets.
fn differences(before: &Opened<'_>, after: &Opened<'_>) -> Vec<String> {
    let mut found = Vec::new();
    if !before.asset().equals(after.asset()) {
        let mut add = |change: tree::Change| {
            if !OWN.iter().any(|own| change.path.contains(own)) {
                found.push(format!("{}: {:.100?} becomes {:.100?}", change.path, change.old, change.new));
            }
        };
        tree::diff(&*before.tree(), &*after.tree(), &mut add).unwrap();
    }
    found
}

/// Documents: an asset in another form, or in another format and back, is the same, or something is listed.
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
                let found = differences(&opened, &again);
                if !found.is_empty() && output.losses.is_empty() {
                    wrong.push(format!("{name} to {}: {}: {:.300}", target.name, found.len(), found[0]));
                }
            }
        }
    }
    assert!(tried > 500, "{tried} conversions");
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}
