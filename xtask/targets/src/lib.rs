//! Properties that must be true for any bytes, as steps. Each step does something with a file, and panics if a property
//! does not hold. Tests, attacks, instruction counts and cargo-fuzz all run these steps.

pub mod formats;
pub mod kit;
pub mod model;
mod nodes;
mod scene;
mod upload;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};

use rezkit::Opened;

/// The contents of files, by their names.
pub type Beside = BTreeMap<String, Vec<u8>>;

/// A file, and the limits for a step.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    pub bytes: &'a [u8],
    pub name: &'a str,
    /// Other files in the same folder.
    pub beside: &'a Beside,
    /// Edits of the model that is read, of [`model::EDIT`] bytes each. They make the model as hostile as a file.
    pub edits: &'a [u8],
    pub max_bytes: u64,
    /// The total size of the files and paths that the step returned, which can be larger than the file.
    pub given: Cell<u64>,
}

/// No files.
pub static ALONE: Beside = Beside::new();

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8], name: &'a str, beside: &'a Beside, max_bytes: u64) -> Self {
        Self { bytes, name, beside, edits: &[], max_bytes, given: Cell::new(0) }
    }

    fn gives(&self, bytes: usize) {
        self.given.set(self.given.get() + bytes as u64);
    }
}

/// Something to do with a file.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The format whose files it reads; `kit` for files of any format, and another name for steps that take any bytes.
    pub of: &'static str,
    /// What it does: for `kit`, a command, a function, or the name of the form into which a file is converted.
    pub name: &'static str,
    run: Run,
}

#[derive(Clone, Copy, Debug)]
enum Run {
    /// Takes a file.
    File(fn(&Input<'_>)),
    /// Takes any bytes, and is only for fuzzing.
    Bytes(fn(&[u8])),
    /// Converts a file to the form with the step's name.
    Form,
}

const fn file(of: &'static str, name: &'static str, run: fn(&Input<'_>)) -> Step {
    Step { of, name, run: Run::File(run) }
}

const fn bytes(of: &'static str, name: &'static str, run: fn(&[u8])) -> Step {
    Step { of, name, run: Run::Bytes(run) }
}

/// All steps except the conversions.
const STEPS: &[Step] = &[
    bytes("geom", "geom", formats::geom),
    bytes("rezstd", "rezstd", formats::rezstd),
    bytes("rbxblobs", "properties", formats::properties),
    bytes("rbxblobs", "terrain", formats::terrain),
    bytes("rbxblobs", "solids", formats::solids),
    bytes("scene", "scene", scene::model),
    bytes("scene", "levels", upload::levels),
    bytes("scene", "hulls", upload::shapes),
    bytes("luau", "luau", kit::luau),
    bytes("luau", "project", kit::project),
    file("llsd", "llsd", formats::llsd),
    file("m3d", "m3d", formats::m3d),
    file("rbxbinary", "rbxbinary", formats::rbxbinary),
    file("rbxmesh", "rbxmesh", formats::rbxmesh),
    file("rbxxml", "rbxxml", formats::rbxxml),
    file("slmesh", "slmesh", formats::slmesh),
    bytes("slmesh", "blocks", formats::slmesh_block),
    file("kit", "unwrap", kit::unwrap),
    file("kit", "info", kit::info),
    file("kit", "check", kit::check),
    file("kit", "check with profiles", kit::profiles),
    file("kit", "tree", kit::tree),
    file("kit", "find", kit::find),
    file("kit", "diff", kit::diff),
    file("kit", "write", kit::write),
    file("kit", "extract", kit::extract),
    file("kit", "pack", kit::pack),
    file("kit", "scripts", kit::scripts),
    file("kit", "assets", kit::assets),
    file("kit", "set", kit::set),
    file("kit", "insert", kit::insert),
    file("kit", "scene", kit::scene),
    file("kit", "lods", kit::lods),
    file("kit", "lods of a mesh", kit::lods_of_mesh),
    file("kit", "sl", kit::sl),
    file("kit", "sl with fix", kit::sl_fix),
    file("kit", "render", kit::render),
    file("kit", "show", kit::show),
];

/// All steps, with a conversion into each form and back.
pub fn steps() -> Vec<Step> {
    let of_kind = |kind: &'static rezkit::Kind| kind.forms.iter().copied().chain([kind.name]);
    let mut names: Vec<&str> = rezkit::KINDS.iter().flat_map(of_kind).collect();
    names.sort_unstable();
    names.dedup();
    let forms = names.into_iter().map(|name| Step { of: "kit", name, run: Run::Form });
    STEPS.iter().copied().chain(forms).collect()
}

impl Step {
    /// The name in reports and for the fuzzer.
    pub fn title(&self) -> String {
        match self.run {
            Run::Form => format!("to {}", self.name),
            _ if self.of == self.name => self.name.to_owned(),
            _ => format!("{} {}", self.of, self.name),
        }
    }

    /// Whether the step takes files of this format.
    pub fn reads(&self, format: &str) -> bool {
        !matches!(self.run, Run::Bytes(_)) && (self.of == "kit" || self.of == format)
    }

    /// Whether it is a conversion.
    pub fn is_form(&self) -> bool {
        matches!(self.run, Run::Form)
    }

    /// Whether the step can be done with this file; false for a conversion into a form that it cannot become.
    pub fn is_for(&self, opened: &Opened<'_>) -> bool {
        !matches!(self.run, Run::Form) || opened.targets().iter().any(|target| target.name == self.name)
    }

    /// Runs the step with a file.
    ///
    /// # Panics
    /// If a property does not hold, or the step allocates more memory at once than allowed.
    pub fn run(&self, input: &Input<'_>) {
        match self.run {
            Run::File(run) if self.of == "kit" => within(input.max_bytes, &self.title(), || run(input)),
            Run::File(run) => run(input),
            Run::Form => within(input.max_bytes, &self.title(), || kit::convert(input, self.name)),
            Run::Bytes(run) => run(input.bytes),
        }
    }

    /// Runs the step with the data of a fuzzer. For `kit`, the data begin with a byte that selects a file name; for a
    /// format, with the number of edits and the edits. The file follows.
    ///
    /// # Panics
    /// As [`run`](Self::run).
    pub fn feed(&self, data: &[u8]) {
        let mut input = Input::new(data, "a", &ALONE, FUZZED);
        if !matches!(self.run, Run::Bytes(_)) {
            let Some((&first, rest)) = data.split_first() else { return };
            let count = if self.of == "kit" { 0 } else { usize::from(first % 8) * model::EDIT };
            let Some((edits, bytes)) = rest.split_at_checked(count) else { return };
            (input.edits, input.bytes) = (edits, bytes);
            if self.of == "kit" {
                input.name = NAMES[usize::from(first) % NAMES.len()];
            }
        }
        self.run(&input);
    }
}

/// The file names for steps of `kit` when they are fuzzed: one without an extension, and one of each format of scenes.
pub const NAMES: [&str; 7] = ["a", "a.glb", "a.gltf", "a.obj", "a.ply", "a.stl", "a.json"];

/// The limit for the memory of fuzzed steps, in bytes.
pub const FUZZED: u64 = 16 << 20;

/// Runs a function, which may allocate at most `max_bytes` at once, and a quarter of that and 16 MiB more.
fn within(max_bytes: u64, name: &str, run: impl FnOnce()) {
    // The counter does not support panics that pass through it.
    let (mut result, mut run) = (Ok(()), Some(run));
    let taken = testkit::measure(|| {
        result = panic::catch_unwind(AssertUnwindSafe(|| run.take().into_iter().for_each(|run| run())));
    });
    result.unwrap_or_else(|found| panic::resume_unwind(found));
    let most = max_bytes + max_bytes / 4 + (16 << 20);
    assert!(taken.bytes_max <= most, "{name}: {} bytes, {most} are allowed", taken.bytes_max);
}

/// Runs the step with this title with the data of a fuzzer.
///
/// # Panics
/// If a property does not hold, and if there is no such step.
pub fn run(title: &str, data: &[u8]) {
    steps().iter().find(|step| step.title() == title).expect("a step of the table").feed(data);
}
