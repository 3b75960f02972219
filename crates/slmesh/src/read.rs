//! The methods of `ReadOptions`.

use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;

use crate::model::{Asset, Kept, OtherBlock, Slm};
use crate::open::View;
use crate::options::ReadOptions;
use crate::wire::{Limits, block, header, slm};
use geom::wire::zlib::Inflater;
use geom::wire::{Budget, Error, Result};

impl ReadOptions {
    /// Reads an asset and decodes all of its blocks.
    ///
    /// # Errors
    /// If the input is not an asset; if a block lies outside the file or overlaps another one, does not inflate, or
    /// breaks the format beyond interpretation (truncated weights, hulls with more points than exist); and if a
    /// limit is reached. The path begins with the block's name, and the offset counts in its inflated bytes; if the
    /// block lies beyond the end of the file, the offset is the size of the file.
    pub fn read(&self, bytes: &[u8]) -> Result<Asset> {
        Ok(self.read_counted(bytes)?.0)
    }

    pub(crate) fn read_within(&self, bytes: Cow<'_, [u8]>, budget: &mut Budget) -> Result<Asset> {
        let mut limits = Limits { budget: budget.clone(), max_depth: self.max_depth };
        let asset = read_asset(&bytes, self, &mut limits)?;
        *budget = limits.budget;
        Ok(asset)
    }

    /// Reads only the header; blocks are inflated and decoded on demand.
    ///
    /// # Errors
    /// If the input is not an asset, and if a limit is reached.
    pub fn open<'a>(&self, bytes: &'a [u8]) -> Result<View<'a>> {
        View::open(bytes, self, &mut Limits::new(self))
    }

    /// Reads a `.slm` file and decodes all assets in it.
    ///
    /// # Errors
    /// If the input is not a `.slm` file, if an asset in it cannot be read (see [`ReadOptions::read`]), or if a
    /// limit is reached.
    pub fn read_slm(&self, bytes: &[u8]) -> Result<Slm> {
        Ok(self.read_slm_counted(bytes)?.0)
    }

    /// Like [`ReadOptions::read_slm`]; also returns the number of bytes that it counted against `max_bytes`.
    ///
    /// # Errors
    /// As [`ReadOptions::read_slm`].
    pub fn read_slm_counted(&self, bytes: &[u8]) -> Result<(Slm, u64)> {
        let mut limits = Limits::new(self);
        let slm = self.slm(bytes, &mut limits)?;
        Ok((slm, self.max_bytes - limits.budget.left()))
    }

    /// Reads a `.slm` file from a reader, to its end.
    ///
    /// # Errors
    /// As [`ReadOptions::read_slm`], and if the reader fails.
    pub fn read_slm_from(&self, reader: impl Read) -> Result<Slm> {
        let mut limits = Limits::new(self);
        let bytes = limits.budget.read_all(reader)?;
        self.slm(&bytes, &mut limits)
    }

    fn slm(&self, bytes: &[u8], limits: &mut Limits) -> Result<Slm> {
        let stored = slm::read(bytes, limits)?;
        let mut meshes = Vec::new();
        for (index, mesh) in stored.meshes.iter().flatten().enumerate() {
            let read = read_asset(mesh.as_bytes(), self, limits);
            let mesh = read.map_err(|error| error.within(&format!("mesh[{index}]")))?;
            limits.budget.push(&mut meshes, mesh).map_err(|kind| Error::new(kind, ""))?;
        }
        Ok(Slm {
            version: stored.version,
            name: stored.name,
            meshes,
            instances: stored.instances.unwrap_or_default(),
            extra: stored.extra,
            layout: limits.budget.copy(bytes).map_err(|kind| Error::new(kind, ""))?,
        })
    }
}

fn read_asset(bytes: &[u8], options: &ReadOptions, limits: &mut Limits) -> Result<Asset> {
    read_blocks(&View::open(bytes, options, limits)?, limits)
}

impl View<'_> {
    /// Decodes all blocks.
    ///
    /// # Errors
    /// As [`ReadOptions::read`].
    pub fn to_asset(&self) -> Result<Asset> {
        read_blocks(self, &mut Limits::new(self.options()))
    }
}

/// Decodes every block, in file order, so that the bytes between them can be kept.
fn read_blocks(view: &View<'_>, limits: &mut Limits) -> Result<Asset> {
    let header::Header { asset, extents, len: start, .. } = view.parsed();
    // The values of the header are copied again.
    limits.budget.take_values::<[u8; 64]>(*start).map_err(|kind| Error::new(kind, ""))?;
    let mut asset = asset.clone();
    let mut inflater = Inflater::default();
    let mut extents: Vec<_> = extents.iter().collect();
    geom::sort::by_key(&mut extents, |extent| extent.offset);
    let keep = |range: Range<usize>, budget: &mut Budget| {
        budget.copy(view.bytes().get(range).unwrap_or_default()).map_err(|kind| Error::new(kind, ""))
    };
    let mut end = *start;
    let two_meshes = view.has("physics_mesh");
    for extent in extents {
        let bytes = view.bytes_of(extent)?;
        let range = extent.range(*start).unwrap_or(end..end);
        let gap = keep(end..range.start, &mut limits.budget)?;
        end = range.end;
        let mut kept = keep(range, &mut limits.budget)?;
        let other = two_meshes && extent.name == *"physics_shape";
        let known = !other
            && block::read_into(&mut asset, &extent.name, extent.entry.clone(), &mut inflater, bytes, limits)
                .map_err(|error| error.within(&extent.name.to_string()))?;
        if !known {
            let bytes = std::mem::take(&mut kept);
            asset.other_blocks.push(OtherBlock {
                name: extent.name.clone(),
                bytes,
                entry: extent.entry.clone(),
            });
        }
        asset.layout.blocks.push(Kept { name: extent.name.clone(), gap, bytes: kept });
    }
    asset.layout.trailing = keep(end..view.bytes().len(), &mut limits.budget)?;
    asset.layout.header = keep(0..*start, &mut limits.budget)?;
    Ok(asset)
}
