//! The kit as WebAssembly, called by `package/kit.js`. It only converts arguments and results: the crate `rezkit` does
//! the work. Structured results are JSON, errors are thrown as the JSON of [`rezkit::Error`], and columns of geometry
//! are returned as an address and a length in memory, so that JavaScript copies them once.

mod asset;
mod instances;
mod scene;

use rezkit::{Error, ReadOptions};
use serde::Serialize;
use wasm_bindgen::prelude::*;

pub use asset::Asset;
pub use scene::Scene;

pub(crate) type Result<T, E = JsValue> = std::result::Result<T, E>;

#[wasm_bindgen]
extern "C" {
    /// The function of JavaScript that provides files.
    pub type Beside;

    /// The bytes of a file: `kind` is `beside`, `id` or `local`.
    #[wasm_bindgen(method, structural, catch)]
    fn get(this: &Beside, kind: &str, name: &str) -> std::result::Result<Option<Vec<u8>>, JsValue>;
}

#[wasm_bindgen(raw_module = "../panic.js")]
extern "C" {
    /// Keeps the message of a panic, after which the module cannot be used.
    fn panicked(text: &str);
}

#[wasm_bindgen(raw_module = "../part.js")]
extern "C" {
    /// Loads the second part of the module, which has what geometry needs. `bindgen` calls it where the first part calls
    /// a function of the second one.
    #[wasm_bindgen(js_name = loadPart)]
    fn load_part();
}

/// Loads the second part of the module before it is needed.
#[wasm_bindgen]
pub fn part() {
    load_part();
}

#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| panicked(&panic.to_string())));
}

/// An error of the kit as the JavaScript value to throw.
pub(crate) fn thrown(error: Error) -> JsValue {
    json(&error).into()
}

/// A value as JSON.
pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

pub(crate) fn reading(max_bytes: f64, form: Option<String>) -> ReadOptions {
    // Numbers below 0 and NaN become 0.
    let options = ReadOptions::new().max_bytes(max_bytes as u64);
    match form {
        Some(form) => options.form(form),
        None => options,
    }
}

/// The kind of a file: `format`, `version`, `title`.
#[wasm_bindgen]
pub fn detect(bytes: &[u8], name: &str) -> Option<String> {
    let found = rezkit::detect_named(bytes, name)?;
    let (format, title) = (found.file_type.format, found.file_type.title);
    Some(json(&serde_json::json!({ "format": format, "version": found.version, "title": title })))
}

/// All formats, rules, profiles and options of conversions.
#[wasm_bindgen]
pub fn about() -> String {
    let kind = |kind: &rezkit::FileType| {
        serde_json::json!({
            "name": kind.name,
            "format": kind.format,
            "title": kind.title,
            "extensions": kind.extensions,
            "forms": kind.forms,
        })
    };
    let kinds: Vec<_> = rezkit::FILE_TYPES.iter().map(kind).collect();
    let setting = |setting: &rezkit::Setting| {
        serde_json::json!({
            "name": setting.name,
            "value": setting.value,
            "help": setting.help(),
            "topic": format!("{:?}", setting.topic),
            "values": setting.values,
        })
    };
    let settings: Vec<_> = rezkit::SETTINGS.iter().map(setting).collect();
    let (rules, profiles) = (rezkit::rules(), rezkit::PROFILES);
    json(&serde_json::json!({ "kinds": kinds, "rules": rules, "profiles": profiles, "settings": settings }))
}

/// The classes of Roblox: for each its name, its base class, and whether it is a service.
#[wasm_bindgen]
pub fn classes() -> String {
    let class = |class: rbxcore::classes::Class| {
        (class.name(), class.base().map(|base| base.name()), class.is_service())
    };
    json(&rbxcore::classes::classes().map(class).collect::<Vec<_>>())
}

/// Files that were written or extracted, and losses.
#[wasm_bindgen]
pub struct Output {
    files: Vec<(String, Vec<u8>)>,
    losses: Vec<rezkit::Loss>,
}

impl From<rezkit::Output> for Output {
    fn from(output: rezkit::Output) -> Self {
        let files = output.files.into_iter().map(|file| (file.path().to_owned(), file.bytes));
        Self { files: files.collect(), losses: output.losses }
    }
}

impl From<rezkit::Edited> for Output {
    fn from(edited: rezkit::Edited) -> Self {
        let filled = edited.filled.iter();
        let filled =
            filled.map(|of| rezkit::Loss::filled_with(&of.class, &of.property, &*of.value, of.count));
        Self { files: edited.models, losses: rezkit::Loss::grouped(filled.chain(edited.losses)) }
    }
}

#[wasm_bindgen]
impl Output {
    /// The paths of the files.
    pub fn paths(&self) -> Vec<String> {
        self.files.iter().map(|(path, _)| path.clone()).collect()
    }

    /// The losses.
    pub fn losses(&self) -> String {
        json(&self.losses)
    }

    /// The address and the length of a file's bytes.
    pub fn bytes(&self, index: usize) -> Vec<usize> {
        place(self.files.get(index).map_or(&[], |(_, bytes)| bytes))
    }
}

/// The address and the number of values in memory.
pub(crate) fn place<T>(values: &[T]) -> Vec<usize> {
    vec![values.as_ptr() as usize, values.len()]
}

/// The assets in a gzip or ZIP file, or in a file that concatenates several; otherwise the file itself. After the assets
/// of an archive come its other files, and the losses have their paths. With `region`, all objects of an archive of
/// OpenSim and its ground come first, as one asset at the path of its first object.
#[wasm_bindgen]
pub fn unpack(bytes: Vec<u8>, max_bytes: f64, region: bool) -> Result<Output> {
    let parts = rezkit::unwrap(bytes, &reading(max_bytes, None)).map_err(thrown)?;
    parts.iter().try_for_each(rezkit::Unwrapped::readable).map_err(thrown)?;
    let region = region.then(|| rezkit::Unwrapped::region(&parts)).flatten();
    let is_other = |path: &str| {
        // Archives in the archive, and files of several assets, are among the parts already.
        !parts.iter().any(|part| {
            let rest = part.name.strip_prefix(path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '#']))
        })
    };
    let files = parts.first().map_or_else(Vec::new, rezkit::Unwrapped::files);
    let others: Vec<_> = files.into_iter().filter(|(path, _)| is_other(path)).collect();
    let loss = |path| rezkit::Loss::warning(path, "the file is no asset").id("file.not-asset");
    let losses = others.iter().map(|(path, _)| loss(*path)).collect();
    let others = others.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec()));
    let assets = region.iter().chain(&parts).map(|part| (part.name.clone(), part.bytes.to_vec()));
    let files = assets.chain(others).collect();
    Ok(Output { files, losses })
}

/// The files that a file refers to.
#[wasm_bindgen]
pub fn needed(bytes: Vec<u8>, name: &str, max_bytes: f64) -> Result<String> {
    let references = reading(max_bytes, None).needed(bytes, name).map_err(thrown)?;
    let pairs: Vec<_> = references.iter().map(asset::pair).collect();
    Ok(json(&pairs))
}

/// The differences between two assets: the first `max`, and their number.
#[wasm_bindgen]
pub fn diff(old: &Asset, new: &Asset, max: usize) -> Result<String> {
    let (mut changes, mut count) = (Vec::new(), 0);
    let found = &mut |change| {
        count += 1;
        if changes.len() < max {
            changes.push(change);
        }
    };
    let budget = &mut rezkit::Budget::new(new.opened.memory_left());
    rezkit::differences([&old.opened, &new.opened], budget, found).map_err(thrown)?;
    Ok(json(&serde_json::json!({ "changes": changes, "count": count })))
}
