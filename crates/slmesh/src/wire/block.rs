//! A block, whichever it is: from its inflated bytes to what it says, and back.

use llsd::{Map, Value};

use crate::error::{Error, Result};
use crate::model::{Asset, Convex, Havok, Level, OtherBlock, Skin};
use crate::wire::fail::{Fail, finish};
use crate::wire::value::Raw;
use crate::wire::zlib::{Inflater, deflate};
use crate::wire::{Got, Limits, kind_of, physics, skin, submesh};

/// What a block of a known name says.
#[derive(Debug)]
pub(crate) enum Content {
    Level(Level),
    Convex(Convex),
    Havok(Havok),
    Skin(Skin),
}

impl Content {
    /// From what a block inflates to. The path of an error begins inside the block.
    pub(crate) fn read(name: &str, bytes: &[u8], limits: &mut Limits) -> Result<Self> {
        let content = Self::decode(name, bytes, limits);
        finish(bytes, content.map(|content| (bytes, content))).map(|(_, content)| content)
    }

    fn decode<'a>(name: &str, bytes: &'a [u8], limits: &mut Limits) -> Got<'a, Self> {
        if bytes.is_empty() {
            return Err(Fail::end(bytes));
        }
        // Whether it is well-formed is found out while it is read: the outermost reader sees all of it.
        let raw = Raw(bytes);
        Ok(match name {
            "skin" => Self::Skin(skin::read(raw, limits)?),
            "physics_convex" => Self::Convex(physics::read_convex(raw, limits)?),
            "physics_havok" => Self::Havok(physics::read_havok(raw, limits)?),
            "lowest_lod" | "low_lod" | "medium_lod" | "high_lod" | "physics_mesh" | "physics_shape" => {
                Self::Level(Level { submeshes: submesh::read(raw, limits)?, entry: Map::new() })
            }
            _ => return Err(Fail::unsupported(bytes, "block")),
        })
    }

    /// Puts it where the model has it, with what the header says of it.
    pub(crate) fn put(mut self, name: &str, mut entry: Map, asset: &mut Asset) {
        let place = match &mut self {
            Self::Level(level) => &mut level.entry,
            Self::Convex(convex) => &mut convex.entry,
            Self::Havok(havok) => &mut havok.entry,
            Self::Skin(skin) => &mut skin.entry,
        };
        std::mem::swap(place, &mut entry);
        match (name, self) {
            ("lowest_lod", Self::Level(level)) => asset.lowest_lod = Some(level),
            ("low_lod", Self::Level(level)) => asset.low_lod = Some(level),
            ("medium_lod", Self::Level(level)) => asset.medium_lod = Some(level),
            ("high_lod", Self::Level(level)) => asset.high_lod = Some(level),
            (_, Self::Level(level)) => asset.physics_mesh = Some(level),
            (_, Self::Convex(convex)) => asset.physics_convex = Some(convex),
            (_, Self::Havok(havok)) => asset.physics_havok = Some(havok),
            (_, Self::Skin(skin)) => asset.skin = Some(skin),
        }
    }

    fn as_ref(&self) -> Block<'_> {
        match self {
            Self::Level(level) => Block::Level(level),
            Self::Convex(convex) => Block::Convex(convex),
            Self::Havok(havok) => Block::Havok(havok),
            Self::Skin(skin) => Block::Skin(skin),
        }
    }
}

/// A block of an asset that is being written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Block<'a> {
    Level(&'a Level),
    Convex(&'a Convex),
    Havok(&'a Havok),
    Skin(&'a Skin),
    Other(&'a OtherBlock),
}

impl<'a> Block<'a> {
    /// What the header says of it besides its place.
    pub(crate) fn entry(self) -> &'a Map {
        match self {
            Self::Level(level) => &level.entry,
            Self::Convex(convex) => &convex.entry,
            Self::Havok(havok) => &havok.entry,
            Self::Skin(skin) => &skin.entry,
            Self::Other(other) => &other.entry,
        }
    }

    /// What it inflates to.
    fn encode(self) -> Result<Vec<u8>> {
        let value = match self {
            Self::Level(level) => submesh::write(level)?,
            Self::Convex(convex) => physics::write_convex(convex)?.into(),
            Self::Havok(havok) => physics::write_havok(havok).into(),
            Self::Skin(skin) => skin::write(skin).into(),
            Self::Other(_) => Value::Undef,
        };
        llsd::write_binary(&value).map_err(|error| Error::new(kind_of(&error), error.path()))
    }

    /// The bytes of the file: the kept ones where they say the same, to the last bit.
    pub(crate) fn write(self, name: &str, kept: Option<&[u8]>, level: u8) -> Result<Vec<u8>> {
        if let Self::Other(other) = self {
            return Ok(other.bytes.clone());
        }
        let encoded = self.encode()?;
        match kept.filter(|kept| says(name, kept, &encoded)) {
            Some(kept) => Ok(kept.to_vec()),
            None => deflate(&encoded, level),
        }
    }
}

/// Whether a compressed block says what these bytes do.
fn says(name: &str, kept: &[u8], encoded: &[u8]) -> bool {
    let mut limits = Limits::none();
    let mut inflater = Inflater::default();
    let Ok(bytes) = inflater.inflate(kept, &mut limits.budget) else { return false };
    if bytes == encoded {
        return true;
    }
    // Another writer's order of keys, or integers where reals belong.
    let content = Content::read(name, bytes, &mut limits);
    content.is_ok_and(|content| content.as_ref().encode().is_ok_and(|again| again == encoded))
}
