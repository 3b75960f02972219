//! The geometry in properties, with a file for each distinct one.

use rbxdocument::view::View as _;
use std::collections::HashSet;

use rbxcore::Value;

use crate::SceneOptions;
use crate::file_type::FileType;
use rbxcore::Dom;
use rbxdocument::paths::Paths;
use rezkit_core::{Budget, Error, ErrorKind, File, Files, Loss, Result};

/// The properties that can contain geometry.
const PROPERTIES: [&str; 8] = [
    "SmoothGrid",
    "ClusterGridV3",
    "ClusterGridV2",
    "PhysicalConfigData",
    "PhysicsData",
    "SolidMeshHolder",
    "MeshData",
    "MeshData2",
];

/// All files, below a folder `geometry`, and losses for geometry that is approximated or cannot be read. Geometry of
/// several instances is named after the first.
///
/// # Errors
/// If there is no such form of scenes, or the geometry takes more than the options allow.
pub(in super::super) fn geometry(
    document: &dyn Dom,
    file_type: &FileType,
    options: &SceneOptions,
) -> Result<(Vec<File>, Vec<Loss>)> {
    let unknown = || {
        Error::argument(format!(
            "terrain, hulls and unions cannot be extracted as {}; choose a format for meshes, such as glb or obj",
            file_type.title
        ))
    };
    let writer = file_type.writer.ok_or_else(unknown)?;
    let (mut files, mut losses, mut paths) = (Files::default(), Vec::new(), Paths::new(document));
    let (mut budget, mut known) = (Budget::new(options.max_bytes), HashSet::new());
    for id in document.all() {
        for (property, value) in document.values(id) {
            let bytes =
                value.as_bytes().filter(|bytes| !bytes.is_empty() && PROPERTIES.contains(&&*property));
            let Some(bytes) = bytes else { continue };
            // A document stores a shared string only once, so its address identifies it.
            let is_shared = matches!(value, Value::SharedString(_));
            if is_shared && !known.insert((bytes.as_ptr().addr(), bytes.len())) {
                continue;
            }
            let colors = document.value(id, "MaterialColors");
            let colors = colors.as_ref().and_then(Value::as_bytes).filter(|colors| !colors.is_empty());
            let left = budget.left();
            let found = rezkit_scene::roblox::carried(&property, bytes, colors, options, &mut budget);
            // One scene is in memory at a time; its work counts.
            budget.give_back(left - budget.left());
            if matches!(found, Ok(None)) {
                continue;
            }
            let name = format!("{}.{property}", paths.of(id, &mut budget)?);
            let (scene, approximated) = match found {
                Ok(Some(found)) => found,
                Ok(None) => continue,
                // What takes too long leaves everything else.
                Err(error) if matches!(error.kind(), ErrorKind::Unreadable | ErrorKind::Effort) => {
                    let what = match error.kind() {
                        ErrorKind::Effort => format!("the {} file: {}", file_type.name, error.reason()),
                        _ => {
                            let why = error.reason();
                            format!("the {} file, since the value cannot be decoded: {why}", file_type.name)
                        }
                    };
                    losses.push(Loss::new(name, what).id("roblox.geometry"));
                    continue;
                }
                Err(error) => return Err(error.at(name)),
            };
            losses.extend(approximated.into_iter().map(|loss| at(loss, &name)));
            let written = writer.write(&scene, &name, budget.left())?;
            let size = written.files.iter().map(|file| file.bytes.len()).sum::<usize>() + written.bytes.len();
            budget.take((size + name.len()) as u64, &name)?;
            files.add(&["geometry", &format!("{name}.{}", file_type.name)], written.bytes);
            for file in written.files {
                let path: Vec<&str> = std::iter::once("geometry").chain(file.path().split('/')).collect();
                files.add(&path, file.bytes.clone());
            }
        }
    }
    Ok((files.into_vec(), Loss::grouped(losses)))
}

fn at(loss: Loss, path: &str) -> Loss {
    loss.below(|_| path.to_owned())
}
