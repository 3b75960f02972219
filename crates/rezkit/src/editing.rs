//! Edits of an opened file, with the inserted models.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use rezkit_core::{Budget, Error, ErrorKind, Loss, Reference, Result, Sources};

use crate::edits::{Edit, Edited, Packed};
use crate::file_type::Asset;
use crate::formats::roblox::pack_asset;
use crate::formats::{self, How, edit_asset, merge_assets, patch};
use crate::kit::Opened;
use crate::merge::{Conflict, MergeOptions};
use crate::options::{ConvertOptions, EditOptions, PackOptions, ReadOptions};
use crate::patch::Step;

impl Opened<'_> {
    /// Applies all edits, in order, or none of them. `models` provides the inserted models, as
    /// [`Reference::Beside`].
    ///
    /// # Errors
    /// [`Argument`](rezkit_core::ErrorKind::Argument) if the path does not exist, a value does not fit, or assets of this
    /// format cannot be edited; and the errors of reading a model. Nothing is changed then.
    pub fn edit(
        &mut self,
        edits: &[Edit],
        models: &mut dyn Sources,
        options: &EditOptions,
    ) -> Result<Edited> {
        self.edited(edits, models, options).map_err(|(_, error)| error)
    }

    /// Like [`edit`](Self::edit), with the edits of a script as [`Edit::parse`] reads them.
    ///
    /// # Errors
    /// As [`edit`](Self::edit) and [`Edit::parse`], with the number of the line.
    pub fn edit_script(
        &mut self,
        script: &str,
        models: &mut dyn Sources,
        options: &EditOptions,
    ) -> Result<Edited> {
        let (lines, edits): (Vec<_>, Vec<_>) = crate::edits::lines(script)?.into_iter().unzip();
        self.edited(&edits, models, options).map_err(|(index, error)| match index {
            Some(index) => error.at(crate::edits::line(lines[index])),
            None => error,
        })
    }

    /// Applies the edits; an error about one of them comes with its index.
    fn edited(
        &mut self,
        edits: &[Edit],
        models: &mut dyn Sources,
        EditOptions { convert, paths_before, any_old }: &EditOptions,
    ) -> Result<Edited, (Option<usize>, Error)> {
        let mut options: ReadOptions = self.options.clone();
        let (mut read, mut losses, mut files) = (Vec::new(), Vec::new(), Vec::new());
        let has_instances = self.asset().file_type().has_instances();
        for (index, edit) in edits.iter().enumerate() {
            let Some(model) = edit.file() else { continue };
            let is_insert = matches!(edit, Edit::Insert { .. });
            let bytes = models
                .get(&Reference::Beside(model.to_owned()), options.max_bytes)
                .map_err(|error| (Some(index), error))?;
            let at = |error: Error| (Some(index), error.at(model));
            let bytes = bytes.ok_or_else(|| at(Error::argument("the model to insert was not found")))?;
            if !has_instances {
                // LLSD, or any JSON as LLSD.
                let is_json = model.ends_with(".json");
                let mut options = options.clone();
                options.form = is_json.then(|| "json".to_owned()).or(options.form);
                read.push(open_alone(&options, bytes, model).map_err(at)?);
                continue;
            }
            let is_document =
                formats::detect_named(&bytes, model).is_some_and(|found| found.file_type.has_instances());
            let opened = if is_document {
                if let Some(option) = convert.of_animations().filter(|_| is_insert) {
                    let what = format!(
                        "a Roblox model is inserted unchanged, so options for animations have no effect; remove {option}"
                    );
                    return Err(at(Error::argument(what)));
                }
                open_alone(&options, bytes, model).map_err(at)?
            } else {
                let made = converted(&options, bytes, model, (models, is_insert), convert).map_err(at)?;
                let of_model =
                    made.losses.into_iter().map(|loss| loss.below(|path| format!("{model}: {path}")));
                losses.extend(of_model);
                let mut made = made.files.into_iter();
                let bytes = made.next().map(|file| file.bytes).unwrap_or_default();
                // The meshes and images of the model.
                files.extend(made.map(|file| (file.path().to_owned(), file.bytes)));
                options.open(bytes, model, ()).map_err(at)?
            };
            // The model needs its memory twice more: converted to the document's form, and inserted into the document.
            options.max_bytes = opened.options.max_bytes.saturating_sub(2 * opened.held);
            read.push(opened);
        }
        let mut read = read.iter();
        let steps: Vec<(&Edit, Option<&dyn Asset>)> = edits
            .iter()
            .map(|edit| match edit {
                edit if edit.file().is_some() => (edit, read.next().map(Opened::asset)),
                _ => (edit, None),
            })
            .collect();
        // The edits are applied to a copy, so that all of them take effect or none.
        Budget::new(options.max_bytes)
            .take(self.held, "a copy of the document, to which the edits are applied")
            .map_err(|error| (None, error))?;
        options.max_bytes -= self.held;
        let (allow_loss, any_old, paths_before) = (convert.allow_loss, *any_old, *paths_before);
        let how = How { options: &options, allow_loss, any_old, paths_before };
        let (asset, mut edited) = edit_asset(self.asset(), &steps, how)?;
        self.asset = Arc::from(asset);
        edited.losses.extend(losses);
        edited.models.extend(files);
        Ok(edited)
    }

    /// The steps that make `new` of this document, and what they cannot represent. Instances are found as for a
    /// [`merge`](Self::merge); a value that is not stored counts as the default of its class. Values of LLSD are found by their
    /// keys and indices.
    ///
    /// # Errors
    /// [`Argument`](rezkit_core::ErrorKind::Argument) if they are neither Roblox documents nor LLSD, [`Limit`](rezkit_core::ErrorKind::Limit)
    /// if the steps take too much memory.
    pub fn patch(&self, new: &Opened<'_>) -> Result<(Vec<Step>, Vec<Loss>)> {
        let (steps, losses) = patch([self.asset(), new.asset()], self.options.max_bytes)?;
        Ok((steps, Loss::grouped(losses)))
    }

    /// Puts edited files that [`extract`](Self::extract) wrote back into the document, by path, with names separated
    /// by `/`, or those of another project that Rojo reads. A path that ends with `/` is an empty folder. Instances that
    /// the document lacks are added.
    ///
    /// # Errors
    /// [`Argument`](rezkit_core::ErrorKind::Argument) if a file cannot be put back, with its path. Nothing is changed
    /// then.
    pub fn pack(
        &mut self,
        files: impl IntoIterator<Item = (String, Vec<u8>)>,
        pack: PackOptions,
    ) -> Result<Packed> {
        let files: std::collections::BTreeMap<String, Vec<u8>> = files.into_iter().collect();
        let given: usize = files.iter().map(|(path, bytes)| path.len() + bytes.len()).sum();
        let options = self.options.clone().max_bytes(self.memory_left().saturating_sub(given as u64));
        let (changed, losses) = pack_asset(self.asset_mut()?, files, pack, &options)?;
        Ok(Packed { changed, losses })
    }
}

/// The nodes and the animations of a file of another format as a Roblox model, with the files beside it.
///
/// # Errors
/// If the file has neither, or is not to be inserted.
fn converted(
    options: &ReadOptions,
    bytes: Vec<u8>,
    model: &str,
    (models, is_insert): (&mut dyn Sources, bool),
    convert: &ConvertOptions,
) -> Result<crate::Output> {
    let folder = model.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder);
    let mut known: HashMap<Reference, Option<Vec<u8>>> = HashMap::new();
    loop {
        let mut asked = Vec::new();
        let files = |reference: &Reference, _: u64| {
            let found = known.get(reference);
            if found.is_none() {
                asked.push(reference.clone());
            }
            Ok(found.cloned().flatten())
        };
        let made = options.open(bytes.clone(), model, files).and_then(|mut opened| {
            if !opened.file_type().has_geometry || !is_insert {
                let title = opened.file_type().title;
                let what = format!("expected a Roblox model or a file with animations, found {title}");
                return Err(Error::argument(what));
            }
            opened.convert(Some("rbxm"), "model.rbxm", convert)
        });
        if asked.is_empty() {
            return made;
        }
        // Files can refer to others.
        for reference in asked {
            let (Reference::Beside(name) | Reference::Local(name)) = &reference else {
                known.insert(reference, None);
                continue;
            };
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let found = match models.get(&Reference::Beside(path), options.max_bytes) {
                // Files that are not there are listed.
                Err(error) if error.kind() == ErrorKind::Unreadable => None,
                found => found?,
            };
            known.insert(reference, found);
        }
    }
}

/// Opens a model, without the files beside it.
///
/// # Errors
/// As [`ReadOptions::open`]; and if the model cannot be read without the other files, with their names.
fn open_alone(options: &ReadOptions, bytes: Vec<u8>, model: &str) -> Result<Opened<'static>> {
    let needed = Arc::new(OnceLock::new());
    let noted = Arc::clone(&needed);
    let source = move |reference: &Reference, _: u64| {
        noted.get_or_init(|| reference.to_string());
        Ok(None)
    };
    options.open(bytes, model, source).map_err(|error| match needed.get() {
        Some(first) => Error::argument(format!(
            "the model needs other files, such as {first:?}, but is inserted without them: convert it to .glb, and \
             insert that file"
        )),
        None => error,
    })
}

impl Opened<'_> {
    /// Adds the changes of `theirs` since `base` to this asset, which is ours. Everything that only one of the two changed
    /// has the value of that one; ours stays where both changed it differently, and the conflict is returned. Bytes that
    /// nobody changed stay. Also returns what theirs has and this asset cannot store.
    ///
    /// Without a base, both inserted everything: what has the same path is the same.
    ///
    /// Roblox documents are merged by instance, property, attribute, tag, and line of a script; LLSD by key, and arrays by
    /// their values.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if they are neither Roblox documents nor LLSD, or have too little in common.
    /// Nothing is changed then.
    pub fn merge<'b>(
        &mut self,
        base: impl Into<Option<&'b Opened<'b>>>,
        theirs: &Opened<'_>,
        options: &MergeOptions,
    ) -> Result<(Vec<Conflict>, Vec<Loss>)> {
        let (all, options) = ([self.asset(), theirs.asset()], options.fresh());
        let mut merged = merge_assets(base.into().map(Opened::asset), all, &options)?;
        self.asset = Arc::from(merged.asset);
        let what = "the decision about this path resolves no conflict";
        merged.notes.extend(
            options.unused().into_iter().map(|path| Loss::warning(path, what).id("merge.unused-decision")),
        );
        Ok((merged.conflicts, Loss::grouped(merged.notes)))
    }
}

/// Calls a function with each difference of two assets. The instances of Roblox documents are found as for a
/// [merge](crate::Opened::merge), also those without ids that were moved or renamed. A value that only one document stores is no
/// difference if it is the default of the class, or that of an older or newer form in the other one: inserting one instance
/// into a binary document gives others of its class such values.
///
/// # Errors
/// As [`tree::diff`](crate::tree::diff).
pub fn differences(
    [old, new]: [&Opened<'_>; 2],
    budget: &mut Budget,
    found: &mut dyn FnMut(crate::tree::Change),
) -> Result<()> {
    formats::compared([old.asset(), new.asset()], false, budget, found)
}

/// As [`differences`], also of what is stored.
///
/// # Errors
/// As [`differences`].
pub fn stored_differences(
    [old, new]: [&Opened<'_>; 2],
    budget: &mut Budget,
    found: &mut dyn FnMut(crate::tree::Change),
) -> Result<()> {
    formats::compared([old.asset(), new.asset()], true, budget, found)
}
