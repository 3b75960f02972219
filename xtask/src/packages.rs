//! The packages of the workspace that are published.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::root;

/// A package that is published.
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The folder of its sources.
    pub folder: PathBuf,
    /// Its manifest, as `cargo metadata` prints it.
    pub manifest: Value,
    /// The packages of this workspace that it depends on.
    pub needs: Vec<String>,
}

impl Package {
    /// The name and the version, as in the file name of its archive.
    pub fn id(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }
}

/// The published packages, each after those that it depends on.
pub fn packages() -> Result<Vec<Package>, Box<dyn std::error::Error>> {
    let args = ["metadata", "--format-version=1", "--no-deps", "--all-features"];
    let output = Command::new("cargo").args(args).current_dir(root()).output()?;
    let mut metadata: Value = serde_json::from_slice(&output.stdout)?;
    let list = metadata["packages"].as_array_mut().ok_or("cargo metadata lists no packages")?;
    // `publish = false` appears as an empty list of registries.
    list.retain(|package| !package["publish"].as_array().is_some_and(Vec::is_empty));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let names: Vec<String> = list.iter().map(|package| text(&package["name"])).collect();
    let mut waiting: Vec<Package> = Vec::new();
    for manifest in std::mem::take(list) {
        let dependencies = manifest["dependencies"].as_array().into_iter().flatten();
        let needs = dependencies.filter(|dependency| dependency["kind"] != "dev");
        let needs = needs.map(|dependency| text(&dependency["name"])).filter(|name| names.contains(name));
        let path = text(&manifest["manifest_path"]);
        waiting.push(Package {
            name: text(&manifest["name"]),
            version: text(&manifest["version"]),
            folder: Path::new(&path).parent().unwrap_or(Path::new("")).to_path_buf(),
            needs: needs.collect(),
            manifest,
        });
    }
    let mut sorted: Vec<Package> = Vec::new();
    while !waiting.is_empty() {
        let there = |name: &String| sorted.iter().any(|package| package.name == *name);
        let next = waiting.iter().position(|package| package.needs.iter().all(there));
        let Some(next) = next else {
            let names: Vec<&str> = waiting.iter().map(|package| &*package.name).collect();
            return Err(
                format!("these packages depend on each other in a cycle: {}", names.join(", ")).into()
            );
        };
        sorted.push(waiting.remove(next));
    }
    Ok(sorted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_come_after_what_they_need() {
        let names: Vec<String> = packages().unwrap().into_iter().map(|package| package.name).collect();
        let index = |name: &str| names.iter().position(|other| other == name).unwrap();
        assert!(index("mesh-geom") < index("rbxmesh") && index("llsd-format") < index("slmesh"));
        assert_eq!(index("rezkit"), names.len() - 1);
    }
}
