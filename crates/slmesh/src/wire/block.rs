//! Conversion of a block to its part of the model, and back.

use llsd::{Lazy, Map, Text, Value};

use super::keys::{encode, read_map, write_map};
use super::limits::{Got, Limits, done, first};
use super::{physics, submesh};
use crate::model::keys::{self, OLD_PHYSICS_MESH};
use crate::model::{Asset, Convex, Havok, Level, OtherBlock, Skin};
use geom::wire::zlib::{Broken, Inflater, deflate};
use geom::wire::{Budget, Error, Fail, Here as _, Result, after};

/// A part of the model that is a block.
pub(crate) trait Block: Sized {
    /// Its header entries other than offset and size.
    fn entry(&self) -> &Map;
    fn entry_mut(&mut self) -> &mut Map;
    fn read<'a>(value: Lazy<'a>, limits: &mut Limits) -> Got<'a, Self>;
    fn write(&self) -> Result<Value>;
}

macro_rules! blocks {
    ($($type:ident: $read:path, $write:expr;)+) => {$(
        impl Block for $type {
            fn entry(&self) -> &Map {
                &self.entry
            }

            fn entry_mut(&mut self) -> &mut Map {
                &mut self.entry
            }

            fn read<'a>(value: Lazy<'a>, limits: &mut Limits) -> Got<'a, Self> {
                $read(value, limits)
            }

            fn write(&self) -> Result<Value> {
                $write(self)
            }
        }
    )+};
}
blocks! {
    Level: submesh::read, submesh::write;
    Skin: read_map, |skin| write_map(skin).map(Value::Map);
    Convex: physics::read, |convex| physics::write(convex).map(Value::Map);
    Havok: read_map, |havok| write_map(havok).map(Value::Map);
}

/// Inflates a block. Bytes after its end are ignored; the offset of an error is the number of bytes inflated before it.
pub(crate) fn inflate<'i>(inflater: &'i mut Inflater, bytes: &[u8], limits: &mut Limits) -> Result<&'i [u8]> {
    let inflated = inflater.inflate(bytes, &mut limits.budget);
    inflated
        .map(|(_, inflated)| inflated)
        .map_err(|Broken { kind, written, .. }| Error::new(kind, "").at(written))
}

/// Reads a compressed block; `None` for the undefined value, which the uploader writes as `physics_convex` of
/// further parts of a model. The path of an error begins inside the block.
pub(crate) fn read<B: Block>(
    inflater: &mut Inflater,
    bytes: &[u8],
    limits: &mut Limits,
) -> Result<Option<B>> {
    value(inflate(inflater, bytes, limits)?, limits)
}

/// Reads an inflated block, as [`read`].
fn value<B: Block>(inflated: &[u8], limits: &mut Limits) -> Result<Option<B>> {
    let read = |limits: &mut Limits| {
        if inflated.is_empty() {
            return Err(Fail::end(inflated));
        }
        let (value, used) = first(inflated, limits.max_depth)?;
        // All blocks are inflated into one buffer, but inflating what follows the values takes time.
        limits.budget.take(after(inflated, used).len() as u64).here(inflated)?;
        if inflated.starts_with(UNDEFINED) {
            return Ok(None);
        }
        B::read(value, limits).map(Some)
    };
    done(inflated, read(limits))
}

/// The compressed block: the kept bytes if their content is exactly the same.
fn write<B: Block>(block: &B, kept: Option<&[u8]>, level: u8) -> Result<Vec<u8>> {
    let encoded = encode(&block.write()?)?;
    match kept.filter(|kept| is_content_of::<B>(kept, &encoded)) {
        Some(kept) => Ok(kept.to_vec()),
        None => {
            let mut out = Vec::new();
            deflate(&encoded, level, &mut out).map(|()| out)
        }
    }
}

fn is_content_of<B: Block>(kept: &[u8], encoded: &[u8]) -> bool {
    let mut limits = Limits::none();
    let mut inflater = Inflater::default();
    let Ok(inflated) = inflate(&mut inflater, kept, &mut limits) else { return false };
    if inflated == encoded {
        return true;
    }
    // Another writer may order the keys differently, or write integers in place of reals.
    let again = value::<B>(inflated, &mut limits).ok().flatten();
    again.is_some_and(|block| {
        block.write().and_then(|value| encode(&value)).is_ok_and(|bytes| bytes == encoded)
    })
}

/// The undefined value of binary LLSD.
const UNDEFINED: &[u8] = b"!";

/// Whether a compressed block is the undefined value.
pub(crate) fn is_undefined(bytes: &[u8]) -> bool {
    // Nothing follows the value that needs to be inflated.
    let mut limits = Limits { budget: Budget::new(1 << 16), ..Limits::none() };
    inflate(&mut Inflater::default(), bytes, &mut limits).is_ok_and(|block| block.starts_with(UNDEFINED))
}

/// A block of an asset that is being written.
pub(crate) trait Write {
    fn entry(&self) -> &Map;
    /// The block to write; `kept` are its bytes in the original file.
    fn write(&self, kept: Option<&[u8]>, level: u8) -> Result<Vec<u8>>;
}

impl<B: Block> Write for B {
    fn entry(&self) -> &Map {
        Block::entry(self)
    }

    fn write(&self, kept: Option<&[u8]>, level: u8) -> Result<Vec<u8>> {
        write(self, kept, level)
    }
}

impl Write for OtherBlock {
    fn entry(&self) -> &Map {
        &self.entry
    }

    fn write(&self, _: Option<&[u8]>, _: u8) -> Result<Vec<u8>> {
        Ok(self.bytes.clone())
    }
}

macro_rules! fields {
    ($($field:ident $key:literal,)+) => {
        /// Stores a block in its field, with the header's entry; `false` for an unknown key and for the undefined
        /// value.
        pub(crate) fn read_into(
            asset: &mut Asset,
            name: &[u8],
            entry: Map,
            inflater: &mut Inflater,
            bytes: &[u8],
            limits: &mut Limits,
        ) -> Result<bool> {
            let name = if name == OLD_PHYSICS_MESH.as_bytes() { b"physics_mesh" } else { name };
            match name {
                $(_ if name == $key.as_bytes() => {
                    let Some(block) = read(inflater, bytes, limits)? else { return Ok(false) };
                    *asset.$field.insert(block).entry_mut() = entry;
                })+
                _ => return Ok(false),
            }
            Ok(true)
        }

        /// The blocks of an asset in the viewer's order, unknown ones last.
        pub(crate) fn blocks(asset: &Asset) -> Vec<(Text, &dyn Write)> {
            let mut blocks: Vec<(Text, &dyn Write)> = Vec::new();
            $(
                if let Some(block) = &asset.$field {
                    blocks.push((Text::from($key), block));
                }
            )+
            blocks.extend(asset.other_blocks.iter().map(|other| (other.name.clone(), other as &dyn Write)));
            blocks
        }
    };
}
keys::blocks!(fields);
