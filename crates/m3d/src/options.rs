//! Options for reading, writing and computing the visible geometry of a model.

use crate::consts::Variant;
use crate::view_budget::ViewBudget;
use geom::wire::{DEFAULT_MAX_BYTES, Error, ErrorKind, Result, options};

options! {
    /// Options for reading a model.
    ReadOptions {
        /// The number of bytes that the read may allocate for the model and the kept bytes of the file: 1 GiB by
        /// default, some hundred times what the largest known model takes. With `read_from` the input counts too.
        max_bytes: u64 = DEFAULT_MAX_BYTES;
        /// Whether to keep the bytes of the file, so that each chunk, and each line of a text, that no edit touches is
        /// written back unchanged. On by default. A program that never writes the model saves memory by switching this
        /// off; if it writes the model after all, comments and unknown sections of a text are dropped.
        keep_source: bool = true;
    }
}

/// The precision of coordinates in a file.
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

options! {
    /// Options for writing a model. By default, it is written as it was read.
    ///
    /// ```
    /// # fn main() -> m3d::Result<()> {
    /// let model = m3d::Model { name: "nothing".into(), ..Default::default() };
    /// let bytes = m3d::WriteOptions::new().raw(true).write(&model)?;
    /// assert_eq!(&bytes[8..12], b"HEAD");
    /// # Ok(())
    /// # }
    /// ```
    WriteOptions {
        /// Binary or text; by default the original variant, and binary for a new model. `raw`, `level` and
        /// `coordinates` apply to binary files, and setting one of them selects binary.
        variant: Variant => Option<Variant> = None;
        /// Whether the chunks are stored uncompressed; by default as in the original file, and compressed for a new
        /// model.
        raw: bool => Option<bool> = None;
        /// The compression level: 0 none, 1 fast, 9 slow; a greater value means 9. The default is 2: higher levels
        /// make large meshes hardly smaller, and take much longer.
        level: u8 => Option<u8> = None;
        /// Rounds all coordinates to this precision. By default they are written as they were read, or with the
        /// smallest width that represents them exactly.
        coordinates: Coordinates => Option<Coordinates> = None;
        /// The number of bytes that writing may allocate in addition to the file: 1 GiB by default. A binary file needs a
        /// table of names. If a text was edited, the original is read again to find the lines that can be kept.
        max_bytes: u64 = DEFAULT_MAX_BYTES;
    }
}

options! {
    /// Limits for computing the visible geometry of a model: triangles, voxels, and surfaces that other crates compute
    /// from shapes.
    ///
    /// ```
    /// # fn main() -> m3d::Result<()> {
    /// let model = m3d::from_str("3dmodel 1\ncube\n\n\n\nVoxTypes\n#ff0000ff\n\nVoxel\ndim 1 1 1\nlayer\n0\n\nEnd\n")?;
    /// assert_eq!(m3d::ViewOptions::new().max_bytes(1 << 20).voxel_mesh(&model)?.triangles.len(), 12);
    /// assert!(m3d::ViewOptions::new().max_bytes(16).voxel_mesh(&model).is_err());
    /// # Ok(())
    /// # }
    /// ```
    ViewOptions {
        /// The number of bytes one call may allocate: 1 GiB by default. A few kilobytes of voxels can demand any
        /// amount.
        max_bytes: u64 = DEFAULT_MAX_BYTES;
        /// The number of steps one call may take, each about as long as visiting a corner of a polygon: 67,108,864 by
        /// default, which is less than a second.
        max_steps: u64 = 1 << 26;
    }
}

impl ViewOptions {
    /// Runs a computation within the limits.
    #[doc(hidden)]
    pub fn run<T>(&self, compute: impl FnOnce(&ViewBudget) -> Result<T, ErrorKind>) -> Result<T> {
        compute(&ViewBudget::new(self.max_bytes, self.max_steps)).map_err(|kind| Error::new(kind, ""))
    }
}
