//! An asset of which only the header was read.

use std::ops::Range;

use llsd::{Map, Text};

use crate::consts::Lod;
use crate::cost::StreamingCost;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Asset, Convex, CostData, Havok, Level, Skin};
use crate::options::ReadOptions;
use crate::wire::{Content, Inflater, Limits, Place, read_all_blocks};

/// An asset of which only the header was read: each block is inflated and decoded when it is asked
/// for, and nothing is remembered. [`crate::open`] makes one.
///
/// The first 4,096 bytes of a file are enough to open it, as the viewer does; asking for a block that
/// lies behind them then is an error.
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
    start: usize,
    header: Map,
    places: Vec<Place>,
    options: ReadOptions,
}

/// A block as it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Chunk<'a> {
    /// Its key in the header.
    pub name: Text,
    /// Where it stands in the file.
    pub range: Range<usize>,
    /// What it holds, compressed.
    pub bytes: &'a [u8],
}

impl<'a> View<'a> {
    pub(crate) fn new(
        bytes: &'a [u8],
        start: usize,
        header: Map,
        places: Vec<Place>,
        options: ReadOptions,
    ) -> Self {
        Self { bytes, start, header, places, options }
    }

    pub(crate) fn places(&self) -> &[Place] {
        &self.places
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// How many bytes the header takes; offsets count from there.
    pub fn start(&self) -> usize {
        self.start
    }

    /// The header as it stands.
    pub fn header(&self) -> &Map {
        &self.header
    }

    pub(crate) fn place(&self, name: impl AsRef<[u8]>) -> Option<&Place> {
        let name = name.as_ref();
        self.places.iter().find(|place| place.name.as_bytes() == name)
    }

    /// Whether the header names a block of this name that is not empty.
    pub fn has(&self, name: &str) -> bool {
        self.place(name).is_some_and(|place| !place.is_absent())
    }

    /// How many bytes a block takes in the file, as the header says; `None` where it is missing.
    pub fn size(&self, name: &str) -> Option<u32> {
        let place = self.place(name).filter(|place| !place.is_absent())?;
        u32::try_from(place.size).ok()
    }

    /// The blocks in the order of the header.
    ///
    /// # Errors
    /// For a block that lies outside of the file or over another one.
    pub fn chunks(&self) -> impl Iterator<Item = Result<Chunk<'a>>> {
        self.places.iter().filter(|place| !place.is_absent()).map(|place| {
            let bytes = self.bytes_of(place)?;
            let range = place.range(self.start).unwrap_or_default();
            Ok(Chunk { name: place.name.clone(), range, bytes })
        })
    }

    /// The bytes of a block.
    pub(crate) fn bytes_of(&self, place: &Place) -> Result<&'a [u8]> {
        let fail = |kind: ErrorKind| Err(Error::new(kind, place.name.to_string()));
        let Place { offset, size, .. } = *place;
        if offset < 0 || size < 0 {
            let what = format!("a block of {size} bytes at {offset}");
            return fail(ErrorKind::Invalid(what.into()));
        }
        if let Some(other) = &place.over {
            return fail(ErrorKind::Invalid(format!("a block that lies over {other}").into()));
        }
        match place.range(self.start).and_then(|range| self.bytes.get(range)) {
            Some(bytes) => Ok(bytes),
            None => fail(ErrorKind::UnexpectedEnd).map_err(|error| error.at(self.bytes.len(), None)),
        }
    }

    /// What a block inflates to: binary LLSD. `None` where the block is missing.
    ///
    /// # Errors
    /// Where the block lies outside of the file or over another one, where it does not inflate, and
    /// where a limit is reached.
    pub fn inflate(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let Some(place) = self.place(name).filter(|place| !place.is_absent()) else { return Ok(None) };
        let bytes = self.bytes_of(place)?;
        let mut limits = Limits::new(&self.options);
        let mut inflater = Inflater::default();
        let inflated = inflater.inflate(bytes, &mut limits.budget).map_err(|error| error.within(name))?;
        Ok(Some(inflated.to_vec()))
    }

    fn content(&self, name: &str) -> Result<Option<Content>> {
        let Some(place) = self.place(name).filter(|place| !place.is_absent()) else { return Ok(None) };
        let bytes = self.bytes_of(place)?;
        let mut limits = Limits::new(&self.options);
        let mut inflater = Inflater::default();
        inflater
            .inflate(bytes, &mut limits.budget)
            .and_then(|inflated| Content::read(name, inflated, &mut limits))
            .map(Some)
            .map_err(|error| error.within(name))
    }

    /// Decodes one block by putting it into an asset of its own.
    fn only(&self, name: &str) -> Result<Asset> {
        let mut asset = Asset::default();
        if let Some(content) = self.content(name)? {
            let entry = self.header.get(name).map(crate::wire::entry_of).unwrap_or_default();
            content.put(name, entry, &mut asset);
        }
        Ok(asset)
    }

    /// A level of detail; `None` where it is missing.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], for this block alone.
    pub fn level(&self, lod: Lod) -> Result<Option<Level>> {
        Ok(self.only(lod.key())?.level_mut(lod).take())
    }

    /// The level that the viewer shows when this one is asked for, and which it is.
    ///
    /// # Errors
    /// As [`View::level`].
    pub fn lod(&self, wanted: Lod) -> Result<Option<(Lod, Level)>> {
        match wanted.fallback().find(|lod| self.has(lod.key())) {
            Some(lod) => Ok(self.level(lod)?.map(|level| (lod, level))),
            None => Ok(None),
        }
    }

    /// The mesh for physics; `None` where it is missing.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], for this block alone.
    pub fn physics_mesh(&self) -> Result<Option<Level>> {
        let name = if self.has("physics_mesh") { "physics_mesh" } else { "physics_shape" };
        Ok(self.only(name)?.physics_mesh)
    }

    /// The hulls for physics; `None` where they are missing.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], for this block alone.
    pub fn physics_convex(&self) -> Result<Option<Convex>> {
        Ok(self.only("physics_convex")?.physics_convex)
    }

    /// What the simulator worked out for Havok; `None` where it is missing.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], for this block alone.
    pub fn physics_havok(&self) -> Result<Option<Havok>> {
        Ok(self.only("physics_havok")?.physics_havok)
    }

    /// What physics costs, which stands in the header.
    pub fn physics_cost_data(&self) -> Option<CostData> {
        let name = "physics_cost_data";
        let map = self.header.get(name)?.as_map().filter(|_| self.place(name).is_none())?;
        Some(crate::wire::read_cost_data(map))
    }

    /// The skin; `None` where it is missing.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], for this block alone.
    pub fn skin(&self) -> Result<Option<Skin>> {
        Ok(self.only("skin")?.skin)
    }

    /// What the viewer thinks that this asset costs to stream, from the sizes in the header.
    pub fn streaming_cost(&self) -> StreamingCost {
        StreamingCost::from_sizes(Lod::ALL.map(|lod| self.size(lod.key())))
    }

    /// Decodes all blocks.
    ///
    /// # Errors
    /// As [`ReadOptions::read`].
    pub fn to_asset(&self) -> Result<Asset> {
        read_all_blocks(self, &mut Limits::new(&self.options))
    }
}
