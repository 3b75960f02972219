//! What must be true for any bytes, as one function for each format: it reads, writes, reads again, checks and converts,
//! and panics if something does not hold. The tests of this package call the functions with damaged fixtures and with
//! constructs that repeat something, and cargo-fuzz (`xtask/fuzz`) calls them with any bytes.

mod formats;
pub mod kit;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};

/// The contents of files, by their names.
pub type Beside = BTreeMap<String, Vec<u8>>;

/// A file, and the limit of memory for what is done with it.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    pub bytes: &'a [u8],
    pub name: &'a str,
    /// Other files in the same folder.
    pub beside: &'a Beside,
    pub max_bytes: u64,
    /// The total size of the files and paths that were returned, which can be larger than the file.
    pub given: Cell<u64>,
}

/// No files.
static ALONE: Beside = Beside::new();

/// The limit of memory for damaged and fuzzed files, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// Runs the functions of a format with the bytes of a file.
pub type Run = fn(&[u8]);

/// Each format and its function. Formats of scenes have no crate: the kit
/// reads them by their names.
pub const FORMATS: &[(&str, Run)] = &[
    ("llsd", formats::llsd),
    ("m3d", formats::m3d),
    ("rbxbinary", formats::rbxbinary),
    ("rbxblobs", formats::rbxblobs),
    ("rbxmesh", formats::rbxmesh),
    ("rbxxml", formats::rbxxml),
    ("rezstd", formats::rezstd),
    ("slmesh", formats::slmesh),
    ("bvh", |bytes| any(bytes, "a.bvh")),
    ("dae", |bytes| any(bytes, "a.dae")),
    ("fbx", |bytes| any(bytes, "a.fbx")),
    ("gltf", |bytes| any(bytes, "a.gltf")),
    ("jpeg2000", formats::jpeg2000),
    ("obj", |bytes| any(bytes, "a.obj")),
    ("opensim", |bytes| any(bytes, "a.xml")),
    ("ply", |bytes| any(bytes, "a.ply")),
    ("stl", |bytes| any(bytes, "a.stl")),
    ("vox", |bytes| any(bytes, "a.vox")),
];

/// Calls the function of a format.
///
/// # Panics
/// If something does not hold, and if there is no such format.
pub fn run(format: &str, bytes: &[u8]) {
    let (_, function) = FORMATS.iter().find(|(name, _)| *name == format).expect("a format of the table");
    function(bytes);
}

/// Does everything that the kit can do with a file, and converts it to one of the forms that it can become, which the
/// bytes select.
fn any(bytes: &[u8], name: &str) {
    let input = Input::new(bytes, name, &ALONE, MAX_BYTES);
    for (name, step) in kit::STEPS {
        within(input.max_bytes, name, || step(&input));
    }
    let forms = kit::forms(&input);
    let sum = bytes.iter().fold(0_usize, |sum, &byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    if let Some(form) = forms.get(sum % forms.len().max(1)) {
        within(input.max_bytes, form, || kit::convert(&input, form));
    }
}

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8], name: &'a str, beside: &'a Beside, max_bytes: u64) -> Self {
        Self { bytes, name, beside, max_bytes, given: Cell::new(0) }
    }

    fn gives(&self, bytes: usize) {
        self.given.set(self.given.get() + bytes as u64);
    }
}

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
