//! How to read, how to write, and how to compute what a model shows.

use crate::consts::Variant;
use crate::view_budget::ViewBudget;
use geom::wire::{DEFAULT_MAX_BYTES, Error, ErrorKind, Result};

/// How to read a model.
#[derive(Clone, Debug)]
#[must_use]
pub struct ReadOptions {
    pub(crate) max_bytes: u64,
    pub(crate) keep_source: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { max_bytes: DEFAULT_MAX_BYTES, keep_source: true }
    }
}

impl ReadOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of bytes that the read may allocate for the model and the kept bytes of the file: 1 GiB by
    /// default, some hundred times what the largest known model takes. With `read_from` the input counts too.
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Whether to keep the bytes of the file, so that each chunk, and each line of a text, that no edit touches is
    /// written back unchanged. On by default. A program that never writes the model saves that memory by switching
    /// it off; if it writes the model after all, comments and unknown sections of a text are dropped.
    pub fn keep_source(mut self, keep: bool) -> Self {
        self.keep_source = keep;
        self
    }
}

/// How exact coordinates are in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Coordinates {
    /// One byte: 255 steps from -1 to 1.
    Int8,
    /// Two bytes: 65535 steps from -1 to 1.
    Int16,
    /// Four bytes: a float.
    Float,
    /// Eight bytes: a double.
    Double,
}

/// How to write a model: as it was read, unless set otherwise.
///
/// ```
/// # fn main() -> m3d::Result<()> {
/// let model = m3d::Model { name: "nothing".into(), ..Default::default() };
/// let bytes = m3d::WriteOptions::new().raw(true).write(&model)?;
/// assert_eq!(&bytes[8..12], b"HEAD");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct WriteOptions {
    pub(crate) variant: Option<Variant>,
    pub(crate) raw: Option<bool>,
    pub(crate) level: Option<u8>,
    pub(crate) coordinates: Option<Coordinates>,
}

impl WriteOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Binary or text; by default the original variant, and binary for a new model. `raw`, `level` and
    /// `coordinates` apply to binary files, and setting one of them selects binary.
    pub fn variant(mut self, variant: Variant) -> Self {
        self.variant = Some(variant);
        self
    }

    /// Whether the chunks are stored uncompressed; by default as in the original file, and compressed for a new
    /// model.
    pub fn raw(mut self, raw: bool) -> Self {
        self.raw = Some(raw);
        self
    }

    /// The compression level: 0 none, 1 fast, 9 slow; more than 9 is 9. The default is 2: higher levels make large
    /// meshes hardly smaller, and take much longer.
    pub fn level(mut self, level: u8) -> Self {
        self.level = Some(level);
        self
    }

    /// Rounds all coordinates to this precision. By default they are written as they were read, or with the
    /// smallest width that represents them exactly.
    pub fn coordinates(mut self, coordinates: Coordinates) -> Self {
        self.coordinates = Some(coordinates);
        self
    }
}

/// How to compute what a model shows: triangles, shapes, voxels; with limits.
///
/// ```
/// # fn main() -> m3d::Result<()> {
/// let model = m3d::from_str("3dmodel 1\nball\n\n\n\nVertex\n0 0 0 1\n\nShape ball\ndiv 8\nshpere 0 0.5\n\nEnd\n")?;
/// let ball = m3d::ViewOptions::new().max_bytes(1 << 20).evaluate_shape(&model, m3d::ShapeId(0))?;
/// assert_eq!(ball.surfaces.len(), 1);
/// assert!(ball.left_out.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ViewOptions {
    pub(crate) divisions: u32,
    pub(crate) max_bytes: u64,
    pub(crate) max_steps: u64,
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self { divisions: 16, max_bytes: DEFAULT_MAX_BYTES, max_steps: 1 << 26 }
    }
}

impl ViewOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of pieces per span of a curve or surface unless a command sets it; for round shapes, per half
    /// turn. 16 by default.
    pub fn divisions(mut self, divisions: u32) -> Self {
        self.divisions = divisions;
        self
    }

    /// The number of bytes one call may allocate: 1 GiB by default. A few kilobytes of shapes or voxels can demand
    /// any amount.
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// The number of steps one call may take, each about as long as visiting a corner of a polygon: 67,108,864 by
    /// default, which is less than a second.
    pub fn max_steps(mut self, max_steps: u64) -> Self {
        self.max_steps = max_steps;
        self
    }

    /// Runs a computation within the limits.
    pub(crate) fn run<T>(&self, compute: impl FnOnce(&ViewBudget) -> Result<T, ErrorKind>) -> Result<T> {
        compute(&ViewBudget::new(self.max_bytes, self.max_steps)).map_err(|kind| Error::new(kind, ""))
    }
}
