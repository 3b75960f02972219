//! What must be true of any bytes: steps, each of which does something with a file and panics if something is not as it must be.
//! Tests, attacks, counts of instructions and cargo-fuzz feed the same ones.

pub mod formats;
pub mod kit;
pub mod model;
mod scene;
mod upload;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};

use rezkit::Opened;

/// Files by their names.
pub type Beside = BTreeMap<String, Vec<u8>>;

/// A file, and what a step may take of it.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    pub bytes: &'a [u8],
    pub name: &'a str,
    /// The files beside it.
    pub beside: &'a Beside,
    /// What is changed in the model that is read, of [`model::EDIT`] bytes each; the model is then as hostile as a file.
    pub edits: &'a [u8],
    pub max_bytes: u64,
    /// How many bytes the files and paths have that it gave, which can be more than the file has.
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

/// Something that is done with a file.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Whose files it reads: those of a format, those of any for `kit`, or bytes that are no file.
    pub of: &'static str,
    /// What is done: of the kit a command or a function, or the name of a form into which it is converted.
    pub name: &'static str,
    run: Run,
}

#[derive(Clone, Copy, Debug)]
enum Run {
    /// With a file.
    File(fn(&Input<'_>)),
    /// With any bytes, if the program is fuzzed alone.
    Bytes(fn(&[u8])),
    /// With an opened file, which is converted.
    Form,
}

const fn file(of: &'static str, name: &'static str, run: fn(&Input<'_>)) -> Step {
    Step { of, name, run: Run::File(run) }
}

const fn bytes(of: &'static str, name: &'static str, run: fn(&[u8])) -> Step {
    Step { of, name, run: Run::Bytes(run) }
}

/// All but the conversions.
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

/// All of them, with a conversion into each form, and back.
pub fn steps() -> Vec<Step> {
    let of_kind = |kind: &'static rezkit::Kind| kind.forms.iter().copied().chain([kind.name]);
    let mut names: Vec<&str> = rezkit::KINDS.iter().flat_map(of_kind).collect();
    names.sort_unstable();
    names.dedup();
    let forms = names.into_iter().map(|name| Step { of: "kit", name, run: Run::Form });
    STEPS.iter().copied().chain(forms).collect()
}

impl Step {
    /// The name for the fuzzer and for reports.
    pub fn title(&self) -> String {
        match self.run {
            Run::Form => format!("to {}", self.name),
            _ if self.of == self.name => self.name.to_owned(),
            _ => format!("{} {}", self.of, self.name),
        }
    }

    /// Whether it is for files of a format.
    pub fn reads(&self, format: &str) -> bool {
        !matches!(self.run, Run::Bytes(_)) && (self.of == "kit" || self.of == format)
    }

    /// Whether it is a conversion.
    pub fn is_form(&self) -> bool {
        matches!(self.run, Run::Form)
    }

    /// Whether it is for what an opened file becomes.
    pub fn is_for(&self, opened: &Opened<'_>) -> bool {
        !matches!(self.run, Run::Form) || opened.targets().iter().any(|target| target.name == self.name)
    }

    /// Does it with a file.
    ///
    /// # Panics
    /// If something is not as it must be, and if more is held at once than may be.
    pub fn run(&self, input: &Input<'_>) {
        match self.run {
            Run::File(run) if self.of == "kit" => within(input.max_bytes, &self.title(), || run(input)),
            Run::File(run) => run(input),
            Run::Form => within(input.max_bytes, &self.title(), || kit::convert(input, self.name)),
            Run::Bytes(run) => run(input.bytes),
        }
    }

    /// Does it with what a fuzzer gives: of the kit a byte for the file's name and the file; of a format the count of the edits, the
    /// edits and the file.
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

/// The names of files that fuzzing gives to the kit: one by which nothing is known, and one of each format of scenes.
pub const NAMES: [&str; 7] = ["a", "a.glb", "a.gltf", "a.obj", "a.ply", "a.stl", "a.json"];

/// What the fuzzed steps may take.
pub const FUZZED: u64 = 16 << 20;

/// Runs something that may hold no more than this, a quarter of it and 16 MB.
fn within(max_bytes: u64, name: &str, run: impl FnOnce()) {
    // The count is not made for panics that pass through it.
    let (mut result, mut run) = (Ok(()), Some(run));
    let taken = testkit::measure(|| {
        result = panic::catch_unwind(AssertUnwindSafe(|| run.take().into_iter().for_each(|run| run())));
    });
    result.unwrap_or_else(|found| panic::resume_unwind(found));
    let most = max_bytes + max_bytes / 4 + (16 << 20);
    assert!(taken.bytes_max <= most, "{name}: {} bytes, {most} are allowed", taken.bytes_max);
}

/// Runs the step of this title with what the fuzzer gives.
///
/// # Panics
/// If the step finds something, and if there is no such step.
pub fn run(title: &str, data: &[u8]) {
    steps().iter().find(|step| step.title() == title).expect("a step of the table").feed(data);
}
