//! An asset of which only the header was read.

use std::ops::Range;

use llsd::Text;

use crate::consts::Lod;
use crate::model::{Asset, Convex, Havok, Level, Skin};
use crate::options::ReadOptions;
use crate::wire::Limits;
use crate::wire::block::{self, Block};
use crate::wire::header::{self, Extent, Header};
use geom::wire::zlib::Inflater;
use geom::wire::{Error, ErrorKind, Result};

/// An asset of which only the header was read: blocks are inflated and decoded on demand, without a cache.
/// [`crate::open`] creates one.
///
/// The first 4,096 bytes of a file are enough to open it, as the viewer does; requesting a block beyond them is
/// then an error.
///
/// ```
/// # fn example(bytes: &[u8]) -> slmesh::Result<()> {
/// use slmesh::Lod;
///
/// let view = slmesh::open(bytes)?;
/// println!("{} levels", Lod::ALL.into_iter().filter(|lod| view.has(lod.key())).count());
/// let (lod, level) = view.lod(Lod::Low)?.unwrap_or((Lod::High, Default::default()));
/// println!("{} triangles in {lod}", level.triangle_count());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct View<'a> {
    bytes: &'a [u8],
    header: Header,
    options: ReadOptions,
}

/// A block as stored in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Chunk<'a> {
    /// Its key in the header.
    pub name: Text,
    /// Its range in the file.
    pub range: Range<usize>,
    /// The bytes in this range: the compressed block.
    pub payload: &'a [u8],
}

impl<'a> View<'a> {
    pub(crate) fn open(bytes: &'a [u8], options: &ReadOptions, limits: &mut Limits) -> Result<Self> {
        Ok(Self { bytes, header: header::read(bytes, limits)?, options: options.clone() })
    }

    pub(crate) fn parsed(&self) -> &Header {
        &self.header
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn options(&self) -> &ReadOptions {
        &self.options
    }

    /// The size of the header; offsets count from its end.
    pub fn start(&self) -> usize {
        self.header.len
    }

    /// The values of the header itself, in an asset without blocks: version, creator, date, materials,
    /// [`Asset::physics_cost_data`] and unknown keys.
    pub fn header(&self) -> &Asset {
        &self.header.asset
    }

    fn extent(&self, name: &str) -> Option<&Extent> {
        self.header.extent(name)
    }

    /// Whether the header has a non-empty block with this name.
    pub fn has(&self, name: &str) -> bool {
        self.extent(name).is_some()
    }

    /// The size of a block in the file, as declared in the header; `None` if it is absent.
    pub fn size(&self, name: &str) -> Option<u32> {
        u32::try_from(self.extent(name)?.size).ok()
    }

    /// The compressed size of each level in the file, coarsest first: the input of the streaming cost.
    pub fn level_sizes(&self) -> [Option<u32>; 4] {
        Lod::ALL.map(|lod| self.size(lod.key()))
    }

    /// The blocks in the order of the header.
    ///
    /// # Errors
    /// For a block that lies outside the file or overlaps another one.
    pub fn chunks(&self) -> impl Iterator<Item = Result<Chunk<'a>>> + use<'a> {
        let this = self.clone();
        (0..self.header.extents.len()).filter_map(move |index| {
            let extent = this.header.extents.get(index)?;
            // A block outside the file is an error below.
            let range = extent.range(this.header.len).unwrap_or_default();
            Some(this.bytes_of(extent).map(|payload| Chunk { name: extent.name.clone(), range, payload }))
        })
    }

    /// The bytes of a block.
    pub(crate) fn bytes_of(&self, extent: &Extent) -> Result<&'a [u8]> {
        let fail = |kind: ErrorKind| Err(Error::new(kind, extent.name.to_string()));
        let Extent { offset, size, .. } = *extent;
        if offset < 0 || size < 0 {
            let what = format!("expected a non-negative offset and size, found offset {offset}, size {size}");
            return fail(ErrorKind::Invalid(what.into()));
        }
        if let Some(other) = &extent.over {
            let what = format!("the byte ranges of the blocks {other} and {} overlap", extent.name);
            return fail(ErrorKind::Invalid(what.into()));
        }
        match extent.range(self.header.len).and_then(|range| self.bytes.get(range)) {
            Some(bytes) => Ok(bytes),
            None => {
                let len = self.bytes.len().saturating_sub(self.header.len);
                let end = i64::from(offset).saturating_add(i64::from(size));
                let what = format!(
                    "only {len} bytes follow the header, but the block ends {end} bytes after it (offset {offset} + \
                     size {size})"
                );
                fail(ErrorKind::Invalid(what.into()))
            }
        }
    }

    /// An inflated block: binary LLSD. `None` if the block is absent.
    ///
    /// # Errors
    /// If the block lies outside the file or overlaps another one, if it does not inflate, and if a limit is
    /// reached.
    pub fn inflate(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let Some(extent) = self.extent(name) else { return Ok(None) };
        let bytes = self.bytes_of(extent)?;
        let mut limits = Limits::new(&self.options);
        let mut inflater = Inflater::default();
        match block::inflate(&mut inflater, bytes, &mut limits) {
            Ok(_) => Ok(Some(inflater.into_inflated(&mut limits.budget))),
            Err(error) => Err(error.within(name)),
        }
    }

    /// Decodes one block.
    fn block<B: Block>(&self, name: &str) -> Result<Option<B>> {
        let Some(extent) = self.extent(name) else { return Ok(None) };
        let bytes = self.bytes_of(extent)?;
        let mut block: Option<B> =
            block::read(&mut Inflater::default(), bytes, &mut Limits::new(&self.options))
                .map_err(|error| error.within(name))?;
        if let Some(block) = &mut block {
            *block.entry_mut() = extent.entry.clone();
        }
        Ok(block)
    }

    /// A level of detail; `None` if it is absent.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], for this block alone.
    pub fn level(&self, lod: Lod) -> Result<Option<Level>> {
        self.block(lod.key())
    }

    /// The level that the viewer shows for `wanted` ([`Lod::fallback`]), and which level that is; `None` if the
    /// asset has no levels.
    ///
    /// # Errors
    /// As [`View::level`].
    pub fn lod(&self, wanted: Lod) -> Result<Option<(Lod, Level)>> {
        match wanted.fallback().find(|lod| self.has(lod.key())) {
            Some(lod) => Ok(self.level(lod)?.map(|level| (lod, level))),
            None => Ok(None),
        }
    }

    /// The mesh for physics; `None` if it is absent.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], for this block alone.
    pub fn physics_mesh(&self) -> Result<Option<Level>> {
        self.block(if self.has("physics_mesh") { "physics_mesh" } else { "physics_shape" })
    }

    /// The hulls for physics; `None` if they are absent.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], for this block alone.
    pub fn physics_convex(&self) -> Result<Option<Convex>> {
        self.block("physics_convex")
    }

    /// The simulator's data for Havok; `None` if it is absent.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], for this block alone.
    pub fn physics_havok(&self) -> Result<Option<Havok>> {
        self.block("physics_havok")
    }

    /// The skin; `None` if it is absent.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], for this block alone.
    pub fn skin(&self) -> Result<Option<Skin>> {
        self.block("skin")
    }
}
