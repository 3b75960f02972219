//! The table of the file types, and the recognition of a file. Each module has the rows of one format and its
//! operations.

mod generic;
mod llsd;
mod llsd_edit;
mod llsd_json;
mod llsd_merge;
mod m3d;
mod rbxbinary;
mod rbxmesh;
mod rbxxml;
pub mod roblox;
mod scenes;
pub(crate) mod slmesh;

pub use llsd::Json as LlsdJson;
pub(crate) use scenes::of_scene;

pub(crate) use roblox::How;

use crate::edits::{Edit, Edited};
use crate::file_type::{Asset, FileType, ReadAsset};
use crate::foreign;
use crate::merge::MergeOptions;
use crate::options::ReadOptions;
use crate::patch::Step;
use rezkit_core::{Error, ErrorKind, Loss, Result, Sources};

/// Every file type, in the order in which a file is offered to them: those with a magic number first, LLSD last, since a
/// Second Life asset is LLSD too.
pub static FILE_TYPES: &[FileType] = &[
    rbxmesh::MESH,
    rbxbinary::RBXM,
    rbxbinary::RBXL,
    rbxxml::RBXMX,
    rbxxml::RBXLX,
    m3d::M3D,
    m3d::A3D,
    slmesh::LLMESH,
    slmesh::SLM,
    slmesh::ANIM,
    slmesh::MATERIAL,
    scenes::GLB,
    scenes::GLTF,
    scenes::BVH,
    scenes::FBX,
    scenes::DAE,
    scenes::VOX,
    scenes::OPENSIM,
    scenes::PLY,
    scenes::OBJ,
    scenes::STL,
    llsd::BINARY,
    llsd::XML,
    llsd::NOTATION,
    llsd::JSON,
];

impl FileType {
    /// The forms in which files of this file type can be written without a scene, also those of other file types of the format.
    pub fn all_forms(&self) -> Vec<&'static str> {
        let is_other = |file_type: &&FileType| {
            self.becomes.contains(&file_type.name)
                && file_type.format == self.format
                && !self.is_twin(file_type)
        };
        let others = FILE_TYPES.iter().filter(is_other).flat_map(|file_type| file_type.forms);
        self.forms.iter().chain(others).copied().collect()
    }
}

/// The format of a file, from its first bytes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Detected {
    /// The type.
    pub file_type: &'static FileType,
    /// The version or the form within the format.
    pub version: String,
}

/// The extension of a file's name, in lower case; empty if it has none.
pub(crate) fn extension(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or_default();
    file.rsplit_once('.').map_or_else(String::new, |(_, extension)| extension.to_ascii_lowercase())
}

/// The most white space that each file type skips by itself.
const BLANKS: usize = 1024;

/// The file type, by the first bytes.
pub(crate) fn detect(bytes: &[u8]) -> Option<Detected> {
    let bytes = after_blanks(bytes);
    FILE_TYPES.iter().find_map(|file_type| Some(Detected { file_type, version: (file_type.detect)(bytes)? }))
}

/// The bytes without most of the white space before them, which would else be read once by each file type.
fn after_blanks(bytes: &[u8]) -> &[u8] {
    let blanks = bytes.len() - bytes.trim_ascii_start().len();
    if blanks > BLANKS { &bytes[blanks - BLANKS..] } else { bytes }
}

/// The file type: by the first bytes, and by the name if they fit several file types or none.
pub(crate) fn detect_named(bytes: &[u8], name: &str) -> Option<Detected> {
    let (bytes, extension) = (after_blanks(bytes), extension(name));
    let mut named = FILE_TYPES.iter().filter(|file_type| file_type.has_extension(&extension));
    let Some(found) = detect(bytes) else {
        let file_type =
            named.find(|file_type| (file_type.fits_name)(bytes) && !foreign::is_pointer(bytes))?;
        let version = file_type.forms.first().copied().unwrap_or_default().to_owned();
        return Some(Detected { file_type, version });
    };
    let twin = named
        .find(|file_type| file_type.format == found.file_type.format && (file_type.detect)(bytes).is_some());
    Some(Detected { file_type: twin.unwrap_or(found.file_type), ..found })
}

impl ReadOptions {
    /// Reads a file of any known type. A file type without fixed first bytes is recognized by the name.
    ///
    /// # Errors
    /// [`Unknown`](ErrorKind::Unknown) if it is of an unknown file type, [`Unreadable`](ErrorKind::Unreadable)
    /// if its crate refuses it, [`Limit`](ErrorKind::Limit) if it needs more than the options allow.
    pub(crate) fn read_named(
        &self,
        bytes: &[u8],
        name: &str,
        sources: &mut dyn Sources,
    ) -> Result<Box<dyn Asset>> {
        Ok(self.read_held(bytes, name, sources)?.0)
    }

    /// Like [`read_named`](Self::read_named), with the number of bytes that the asset takes.
    pub(crate) fn read_held(&self, bytes: &[u8], name: &str, sources: &mut dyn Sources) -> Result<ReadAsset> {
        if let Some(form) = &self.form {
            let named = |file_type: &&FileType| file_type.name == form || file_type.forms.contains(&&**form);
            let mut named = FILE_TYPES.iter().filter(named);
            let found = named.find_map(|file_type| Some((file_type, file_type.read_as?)));
            let (file_type, read) = found.ok_or_else(|| {
                Error::argument(format!(
                    "unknown value {form:?} of `--from` (library option: `form`); expected one of binary, xml, \
                     notation, json, gltf, obj, stl"
                ))
            })?;
            let is_other = |found: &Detected| {
                found.file_type.format != file_type.format
                    && !(file_type.has.llsd && found.file_type.has.inner_llsd)
            };
            return match detect(bytes).filter(is_other) {
                None => read(file_type, bytes, self, name, sources),
                Some(found) => {
                    let other = found.file_type.title;
                    let what = format!(
                        "expected {}, found {other}; to read the file as {other}, omit `--from` (library option: \
                         `form`)",
                        file_type.title
                    );
                    Err(Error::unreadable(what))
                }
            };
        }
        if let Some((file_type, read)) =
            detect_named(bytes, name).and_then(|of| Some((of.file_type, of.file_type.read?)))
        {
            return read(file_type, bytes, self, name, sources);
        }
        // Text that is named as JSON but is none gets an error with a position.
        let is_json =
            || serde_json::from_slice::<serde::de::IgnoredAny>(rezkit_core::plain::unmarked(bytes)).is_ok();
        if extension(name) == "json" && !bytes.is_empty() && !is_json() {
            return llsd::read_json(bytes, self);
        }
        let unknown =
            || Error::new(ErrorKind::Unknown, format!("not a supported asset: {}", foreign::describe(bytes)));
        Err(foreign::refused(bytes, self.max_bytes).unwrap_or_else(unknown))
    }
}

// Edits are no methods of `Asset`: a program that edits no documents does not contain their code.

/// A copy of an asset to which edits were applied, and what they did.
pub(crate) type Changed = (Box<dyn Asset>, Edited);

/// Applies all edits to a copy of a document, in order, or none of them, with the inserted models.
///
/// # Errors
/// [`Argument`](crate::ErrorKind::Argument) if the path does not exist or a value does not fit, and if assets of this
/// format cannot be edited.
pub(crate) fn edit_asset(
    asset: &dyn Asset,
    edits: &[(&Edit, Option<&dyn Asset>)],
    how: How<'_>,
) -> Result<Changed, (Option<usize>, Error)> {
    let title = asset.file_type().title;
    let what = "expected a Roblox place or model, since other files have no instances to edit";
    let refused = || (None, Error::argument(format!("{what}; found: {title}")));
    let mut new = copy(asset).ok_or_else(refused)?;
    let edited = match roblox::dom_mut(&mut *new) {
        Some(document) => roblox::edit_document(document, edits, how),
        None => llsd_edit::edit(&mut *new, edits, how),
    }?;
    Ok((new, edited))
}

/// A copy of an asset that can be edited.
pub(crate) fn copy(asset: &dyn Asset) -> Option<Box<dyn Asset>> {
    llsd_edit::copy(asset).or_else(|| roblox::copy(asset))
}

/// Merges three documents, in the form of the second one.
///
/// # Errors
/// [`Argument`](crate::ErrorKind::Argument) if they are no documents of one format, or have too little in common.
pub(crate) fn merge_assets(
    base: Option<&dyn Asset>,
    all: [&dyn Asset; 2],
    options: &MergeOptions,
) -> Result<roblox::Merged> {
    let of_base = base.map(llsd_edit::value_of);
    if let ([Some(ours), Some(theirs)], None | Some(Some(_))) = (all.map(llsd_edit::value_of), of_base) {
        let (value, conflicts) = llsd_merge::merge(of_base.flatten(), [ours, theirs], options)?;
        let mut asset = llsd_edit::copy(all[0]);
        if let Some(own) = asset.as_deref_mut().and_then(llsd_edit::value_of_mut) {
            *own = value;
        }
        let asset = asset.ok_or_else(|| Error::argument("expected LLSD"))?;
        return Ok(roblox::Merged { asset, conflicts, notes: Vec::new() });
    }
    if let Some(other) = base.iter().chain(&all).find(|asset| !asset.file_type().has_instances()) {
        return Err(Error::argument(format!(
            "expected three Roblox places or models, or three LLSD documents; found: {}",
            other.file_type().title
        )));
    }
    roblox::merge_assets(base, all, options)
}

/// Calls a function with each difference of two assets, also of what is stored if `is_exact`.
///
/// # Errors
/// As [`tree::diff`](crate::tree::diff).
pub(crate) fn compared(
    [old, new]: [&dyn Asset; 2],
    is_exact: bool,
    budget: &mut rezkit_core::Budget,
    found: &mut dyn FnMut(crate::tree::Change),
) -> Result<()> {
    if old.equals(new) {
        return Ok(());
    }
    roblox::differences([old, new], is_exact, budget, found).unwrap_or_else(|| {
        // Both decode their properties up to the same limit.
        let options = ReadOptions::new().max_bytes(budget.left());
        crate::tree::diff(&*old.tree(&options), &*new.tree(&options), budget, found)
    })
}

/// The steps that make an asset of another one, and what they cannot represent.
///
/// # Errors
/// [`Argument`](ErrorKind::Argument) if they are neither Roblox documents nor LLSD.
pub(crate) fn patch(both: [&dyn Asset; 2], max_bytes: u64) -> Result<(Vec<Step>, Vec<Loss>)> {
    if both[0].equals(both[1]) {
        return Ok((Vec::new(), Vec::new()));
    }
    if let [Some(old), Some(new)] = both.map(llsd_edit::value_of) {
        let (mut steps, budget) = (Vec::new(), &mut rezkit_core::Budget::new(max_bytes));
        llsd_edit::steps(old, new, &mut String::new(), budget, &mut steps)?;
        return Ok((steps, Vec::new()));
    }
    roblox::patch_assets(both, max_bytes)
}
