//! A whole asset: the header, the blocks, and what stands between and behind them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use llsd::Text;

use crate::consts::{BLOCKS, Lod};
use crate::error::{Error, Result};
use crate::limits::Budget;
use crate::model::{Asset, Kept, OtherBlock};
use crate::options::WriteOptions;
use crate::view::View;
use crate::wire::block::{Block, Content};
use crate::wire::zlib::Inflater;
use crate::wire::{Limits, header};

/// Decodes every block.
pub(crate) fn read_all_blocks(view: &View<'_>, limits: &mut Limits) -> Result<Asset> {
    let mut asset = Asset::default();
    let mut inflater = Inflater::default();
    // In the order of the file, so that what is between can be kept.
    let mut places: Vec<_> = view.places().iter().filter(|place| !place.is_absent()).collect();
    places.sort_by_key(|place| place.offset);
    let take = |budget: &mut Budget, bytes: u64| budget.take(bytes).map_err(|kind| Error::new(kind, ""));
    // The header is copied, and its entries once more.
    take(&mut limits.budget, (view.start() as u64).saturating_mul(64))?;
    let (whole, start) = (view.bytes(), view.start());
    let keep = |range: Range<usize>, budget: &mut Budget| {
        budget.copy(whole.get(range).unwrap_or_default()).map_err(|kind| Error::new(kind, ""))
    };
    let mut end = start;
    let two_meshes = view.has("physics_mesh");
    let header_index = view.header().index();
    let taken: HashSet<&[u8]> = places.iter().map(|place| place.name.as_bytes()).collect();
    for place in places {
        let name = place.name.to_string();
        let bytes = view.bytes_of(place)?;
        let range = place.range(start).unwrap_or(end..end);
        let gap = keep(end..range.start, &mut limits.budget)?;
        end = range.end;
        let entry =
            header_index.get(place.name.as_bytes()).map(|value| header::entry_of(value)).unwrap_or_default();
        let kept = keep(range, &mut limits.budget)?;
        let known = BLOCKS.contains(&name.as_str()) && !(name == "physics_shape" && two_meshes);
        let kept = if known {
            let content = inflater
                .inflate(bytes, &mut limits.budget)
                .and_then(|inflated| Content::read(&name, inflated, limits))
                .map_err(|error| error.within(&name))?;
            content.put(&name, entry, &mut asset);
            kept
        } else {
            asset.other_blocks.push(OtherBlock { name: place.name.clone(), bytes: kept, entry });
            Vec::new()
        };
        asset.layout.blocks.push(Kept { name: place.name.clone(), gap, bytes: kept });
    }
    asset.layout.trailing = keep(end..whole.len(), &mut limits.budget)?;
    asset.layout.header = keep(0..start, &mut limits.budget)?;
    header::read_rest(view.header(), |key| taken.contains(key.as_bytes()), &mut asset);
    Ok(asset)
}

/// The blocks that an asset has, in the order in which the viewer writes them.
pub(crate) fn blocks(asset: &Asset) -> Vec<(Text, Block<'_>)> {
    let kept = |name: &str| asset.layout.blocks.iter().any(|kept| kept.name == *name);
    let old_name = kept("physics_shape")
        && !kept("physics_mesh")
        && !asset.other_blocks.iter().any(|other| other.name == *"physics_shape");
    let mesh = if old_name { "physics_shape" } else { "physics_mesh" };
    let mut blocks = Vec::new();
    blocks.extend(asset.skin.as_ref().map(|skin| (Text::from("skin"), Block::Skin(skin))));
    blocks.extend(asset.physics_convex.as_ref().map(|c| (Text::from("physics_convex"), Block::Convex(c))));
    for lod in Lod::ALL {
        blocks.extend(asset.level(lod).map(|level| (Text::from(lod.key()), Block::Level(level))));
    }
    blocks.extend(asset.physics_mesh.as_ref().map(|level| (Text::from(mesh), Block::Level(level))));
    blocks
        .extend(asset.physics_havok.as_ref().map(|havok| (Text::from("physics_havok"), Block::Havok(havok))));
    blocks.extend(asset.other_blocks.iter().map(|other| (other.name.clone(), Block::Other(other))));
    blocks
}

pub(crate) fn write(asset: &Asset, options: &WriteOptions) -> Result<Vec<u8>> {
    let blocks = blocks(asset);
    one_name_each(asset, &blocks)?;
    let fresh = options.is_fresh();
    let mut body = Vec::new();
    let mut written: Vec<(Text, Block<'_>, Range<usize>)> = Vec::with_capacity(blocks.len());
    let places: HashMap<Text, usize> =
        blocks.iter().enumerate().map(|(place, (name, _))| (name.clone(), place)).collect();
    let mut waiting: Vec<Option<(Text, Block<'_>)>> = blocks.into_iter().map(Some).collect();
    let put = |name: Text, block: Block<'_>, kept: Option<&[u8]>, body: &mut Vec<u8>| {
        let text = name.to_string();
        let bytes = block.write(&text, kept, options.compression()).map_err(|error| error.within(&text))?;
        let begin = body.len();
        body.extend_from_slice(&bytes);
        Ok::<_, Error>((name, begin..body.len()))
    };
    for kept in asset.layout.blocks.iter().filter(|_| !fresh) {
        body.extend_from_slice(&kept.gap);
        let found = places.get(&kept.name).and_then(|&place| waiting.get_mut(place));
        if let Some((name, block)) = found.and_then(Option::take) {
            let (name, range) = put(name, block, Some(&kept.bytes), &mut body)?;
            written.push((name, block, range));
        }
    }
    for (name, block) in waiting.into_iter().flatten() {
        let (name, range) = put(name, block, None, &mut body)?;
        written.push((name, block, range));
    }
    let mut file = header::write(asset, &written, fresh)?;
    file.reserve_exact(body.len().saturating_add(asset.layout.trailing.len()));
    file.append(&mut body);
    if !fresh {
        file.extend_from_slice(&asset.layout.trailing);
    }
    Ok(file)
}

fn one_name_each(asset: &Asset, blocks: &[(Text, Block<'_>)]) -> Result<()> {
    let mut names: Vec<&Text> = blocks.iter().map(|(name, _)| name).collect();
    names.sort_unstable();
    if let Some(name) = names.windows(2).find_map(|pair| match pair {
        [a, b] if a == b => Some(*a),
        _ => None,
    }) {
        return Err(Error::unwritable("other_blocks", format!("two blocks of the name {name}")));
    }
    let typed = [
        ("version", asset.version.is_some()),
        ("creator", asset.creator.is_some()),
        ("date", asset.date.is_some()),
        ("submodel_id", asset.submodel_id.is_some()),
        ("material_list", asset.material_list.is_some()),
        ("physics_cost_data", asset.physics_cost_data.is_some()),
    ];
    let taken = |other: &&OtherBlock| {
        typed.iter().any(|(key, there)| *there && other.name == **key) || other.bytes.is_empty()
    };
    match asset.other_blocks.iter().find(taken) {
        Some(other) => Err(Error::unwritable(
            "other_blocks",
            format!("a block without bytes or of a name that the header has already: {}", other.name),
        )),
        None => Ok(()),
    }
}
