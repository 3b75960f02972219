//! The meshes and images of a document for an older client, in versions that it reads.

pub(crate) mod unions;

use std::collections::BTreeMap;

use rbxdocument::history::Month;
use rbxmesh::{LodChoice, Mesh};
use rezkit_core::{Budget, File, Files, Loss, Reference, Result, Sources};
use rezkit_scene::roblox_model::files::Assets;
use rezkit_scene::{ModelOptions, images};

use crate::kit::Opened;
use unions::newest;

const WHAT: &str = "the meshes and images of the document";

/// Adds the files of the meshes and images to which a document refers to those of its unions, and lets it refer to these.
///
/// # Errors
/// If they take more memory than is allowed.
pub(crate) fn beside(
    document: &mut Opened<'_>,
    sources: &mut dyn Sources,
    (month, model, mut assets): (Month, &ModelOptions, Assets),
    losses: &mut Vec<Loss>,
) -> Result<Vec<File>> {
    let mut budget = Budget::new(document.options.max_bytes);
    let mut map = BTreeMap::new();
    let mut missing: (usize, Option<String>) = (0, None);
    for (reference, paths) in document.assets()? {
        // Scripts load files of all kinds; their texts are replaced along with those of properties.
        let Some(path) = paths.iter().find(|path| !path.ends_with(".Source")) else { continue };
        let Some(of) = Reference::of_uri(&reference) else { continue };
        let Some(bytes) = sources.get(&of, budget.left())? else {
            if matches!(of, Reference::Id(_)) {
                missing.0 += 1;
                missing.1.get_or_insert_with(|| path.clone());
            }
            continue;
        };
        budget.take(2 * bytes.len() as u64, WHAT)?;
        let made = match rbxmesh::detect(&bytes) {
            Some(_) => mesh(&bytes, month, path, losses)?,
            None => image(bytes, path, losses, &mut budget)?.map(|bytes| (bytes, None)),
        };
        let Some((bytes, triangles)) = made else { continue };
        let file = assets.add(bytes, triangles, &mut budget)?;
        let mut address = String::new();
        for path in &paths {
            let (path, property) = path.rsplit_once('.').unwrap_or((path, ""));
            address = assets.address(file, path, property, &mut budget)?;
        }
        map.insert(reference, address);
    }
    if let (count @ 1.., Some(path)) = missing {
        let what =
            "a mesh or image that was not found, so it stays; the client may not read its version".to_owned();
        losses.push(Loss::warning(path, what).id("client.asset-missing").times(count));
    }
    if !map.is_empty() {
        document.replace_assets(&map)?;
    }
    let mut files = Files::default();
    assets.finish(model, &mut files, losses, &mut budget)?;
    Ok(files.into_vec())
}

/// The file of a mesh, and the number of its triangles. A mesh that cannot be read is listed.
fn mesh(
    bytes: &[u8],
    month: Month,
    path: &str,
    losses: &mut Vec<Loss>,
) -> Result<Option<(Vec<u8>, Option<usize>)>> {
    let mesh = match rbxmesh::from_slice(bytes) {
        Ok(mesh) => mesh,
        Err(error) => {
            let what = format!("a mesh that cannot be read, so that its version stays: {error}");
            losses.push(Loss::warning(path, what).id("client.asset"));
            return Ok(None);
        }
    };
    let newest = newest(month);
    if mesh.version <= newest {
        return Ok(Some((bytes.to_vec(), Some(mesh.faces.len()))));
    }
    let (old, dropped): (Mesh, _) = mesh.to_version(newest, LodChoice::First);
    let what = format!("a mesh of version {}, which becomes {newest}", mesh.version);
    losses.push(Loss::approximated(path, what).id("client.asset"));
    for of in dropped {
        losses.push(Loss::new(format!("{path}: {}", of.path), of.what).id("client.asset"));
    }
    Ok(Some((rbxmesh::to_vec(&old)?, Some(old.faces.len()))))
}

/// The file of an image: PNG unless it is one, or JPEG. `None` if it is no image.
fn image(bytes: Vec<u8>, path: &str, losses: &mut Vec<Loss>, budget: &mut Budget) -> Result<Option<Vec<u8>>> {
    match images::Kind::of(&bytes) {
        None => Ok(None),
        Some(images::Kind::Png | images::Kind::Jpeg) => Ok(Some(bytes)),
        Some(_) => match images::to_png(&bytes, budget) {
            Ok(png) => {
                let what = "an image that becomes PNG, which all clients read".to_owned();
                losses.push(Loss::approximated(path, what).id("client.asset"));
                Ok(Some(png))
            }
            Err(error) => {
                let what = format!("an image that cannot be read, and stays: {error}");
                losses.push(Loss::warning(path, what).id("client.asset"));
                Ok(None)
            }
        },
    }
}
