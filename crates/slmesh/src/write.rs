//! The methods of `WriteOptions`.

use std::collections::HashMap;
use std::io::Write;

use llsd::Text;

use crate::consts::MAX_HEADER;
use crate::model::keys::{OLD_PHYSICS_MESH, is_block};
use crate::model::{Asset, Slm, StoredSlm};
use crate::options::{ReadOptions, WriteOptions};
use crate::wire::{Limits, block, header, slm};
use geom::wire::{Error, Result};

impl WriteOptions {
    /// Returns the asset as a file.
    ///
    /// # Errors
    /// `Unwritable`, with the path, for what would not be read back unchanged: hulls without points or with more than 256,
    /// weights after joint 255, offsets of more than 31 bits, two blocks or keys with one name, and a value in `extra`
    /// under a known key that the key's field would replace.
    pub fn write(&self, asset: &Asset) -> Result<Vec<u8>> {
        let blocks = blocks(asset)?;
        let layout = &asset.layout;
        let order: HashMap<Text, usize> =
            blocks.iter().enumerate().map(|(index, (name, _))| (name.clone(), index)).collect();
        let mut waiting: Vec<_> = blocks.into_iter().map(Some).collect();
        // For each block: the bytes before it, the block, and its bytes in the original file.
        let mut plan = Vec::with_capacity(waiting.len());
        for kept in layout.blocks.iter().filter(|_| !self.fresh) {
            let found = order.get(&kept.name).and_then(|&index| waiting.get_mut(index));
            plan.push((kept.gap.as_slice(), found.and_then(Option::take), Some(kept.bytes.as_slice())));
        }
        plan.extend(waiting.into_iter().filter(Option::is_some).map(|block| (&[][..], block, None)));
        let mut body = Vec::new();
        let mut written = Vec::with_capacity(plan.len());
        for (gap, block, kept) in plan {
            body.extend_from_slice(gap);
            let Some((name, block)) = block else { continue };
            let bytes = block.write(kept, self.level.min(9));
            let start = body.len();
            body.extend(bytes.map_err(|error| error.within(&name.to_string()))?);
            written.push(header::Written { name, block, range: start..body.len() });
        }
        let mut file = header::write(asset, &written, self.fresh)?;
        let trailing = if self.fresh { &[] } else { layout.trailing.as_slice() };
        file.reserve_exact(body.len() + trailing.len());
        file.append(&mut body);
        file.extend_from_slice(trailing);
        Ok(file)
    }

    /// As [`View::level_sizes`](crate::View::level_sizes), for the file that is written.
    ///
    /// # Errors
    /// As [`WriteOptions::write`].
    pub fn level_sizes(&self, asset: &Asset) -> Result<[Option<u32>; 4]> {
        Ok(ReadOptions::new().open(&self.write(asset)?)?.level_sizes())
    }

    /// Returns a `.slm` file.
    ///
    /// # Errors
    /// As [`WriteOptions::write`].
    pub fn write_slm(&self, slm: &Slm) -> Result<Vec<u8>> {
        let meshes = slm.meshes.iter().enumerate().map(|(index, mesh)| match self.write(mesh) {
            Ok(bytes) => Ok(Text::from(bytes)),
            Err(error) => Err(error.within(&format!("mesh[{index}]"))),
        });
        let there = |key: &str| slm.extra.contains_key(key);
        let meshes = meshes.collect::<Result<Vec<Text>>>()?;
        let stored = StoredSlm {
            version: slm.version,
            name: slm.name.clone(),
            meshes: (!meshes.is_empty() || !there("mesh")).then_some(meshes),
            instances: (!slm.instances.is_empty() || !there("instance")).then(|| slm.instances.clone()),
            extra: slm.extra.clone(),
        };
        slm::write(stored, if self.fresh { &[] } else { &slm.layout })
    }

    /// Writes a `.slm` file to a writer.
    ///
    /// # Errors
    /// As [`WriteOptions::write`], and if the writer fails.
    pub fn write_slm_to(&self, mut writer: impl Write, slm: &Slm) -> Result<()> {
        Ok(writer.write_all(&self.write_slm(slm)?)?)
    }
}

/// The blocks of an asset with their names; `physics_mesh` has its old name if the file used that.
fn blocks(asset: &Asset) -> Result<Vec<(Text, &dyn block::Write)>> {
    let mut blocks = block::blocks(asset);
    let typed = blocks.len() - asset.other_blocks.len();
    let kept = |name: &str| asset.layout.blocks.iter().any(|kept| kept.name == *name);
    let old_beside = asset.other_blocks.iter().any(|other| other.name == *OLD_PHYSICS_MESH);
    if let Some((name, _)) = blocks[..typed].iter_mut().find(|(name, _)| *name == *"physics_mesh")
        && kept(OLD_PHYSICS_MESH)
        && !kept("physics_mesh")
        && !old_beside
    {
        *name = OLD_PHYSICS_MESH.into();
    }
    for (index, other) in asset.other_blocks.iter().enumerate() {
        // The old name has no meaning beside `physics_mesh`, and no name has one if the value is undefined.
        let known = is_block(&other.name)
            && !(other.name == *OLD_PHYSICS_MESH && asset.physics_mesh.is_some())
            && !block::is_undefined(&other.bytes);
        if known || other.bytes.is_empty() {
            let what = if known {
                "Asset has a field for it: set that field, and remove the block from other_blocks"
            } else {
                "a block needs at least one byte"
            };
            return Err(Error::unwritable(
                format!("other_blocks[{index}]"),
                format!("the block {} ({what})", other.name),
            ));
        }
    }
    Ok(blocks)
}

/// The size of the header that would be written for an asset, and whether it begins with a deprecated prefix;
/// `None` if the asset cannot be written.
pub(crate) fn header(asset: &Asset) -> Option<(usize, bool)> {
    let kept = asset.layout.header.as_slice();
    if kept.starts_with(b"<") || kept.len() > MAX_HEADER {
        // Whether the kept header will be written depends on every block: write them all, without compressing those
        // that differ from the original.
        let file = WriteOptions::new().level(0).write(asset).ok()?;
        let prefix = file.starts_with(b"<");
        return Some((header::read(&file, &mut Limits::none()).ok()?.len, prefix));
    }
    let blocks = blocks(asset).ok()?.into_iter();
    let written: Vec<_> = blocks.map(|(name, block)| header::Written { name, block, range: 0..1 }).collect();
    let len = header::write(asset, &written, true).ok()?.len();
    Some((len, false))
}
