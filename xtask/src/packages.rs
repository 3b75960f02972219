//! The packages of the workspace that are published.

use std::process::Command;

use serde_json::Value;

use crate::root;

/// A package that is published: its name, and its manifest as `cargo metadata` prints it.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest: Value,
}

/// The published packages.
pub(crate) fn packages() -> Result<Vec<Package>, Box<dyn std::error::Error>> {
    let args = ["metadata", "--format-version=1", "--no-deps", "--all-features"];
    let output = Command::new("cargo").args(args).current_dir(root()).output()?;
    let mut metadata: Value = serde_json::from_slice(&output.stdout)?;
    let list = metadata["packages"].as_array_mut().ok_or("cargo metadata lists no packages")?;
    // `publish = false` appears as an empty list of registries.
    list.retain(|package| !package["publish"].as_array().is_some_and(Vec::is_empty));
    let name = |package: &Value| package["name"].as_str().unwrap_or_default().to_owned();
    Ok(list.drain(..).map(|manifest| Package { name: name(&manifest), manifest }).collect())
}
