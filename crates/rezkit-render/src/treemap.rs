//! Treemaps: pictures of a tree in which the area of each node is its size.

use rezkit_core::{Error, Result};
use rezkit_scene::images::{self, Picture};

use crate::sheet::write_text;

/// A node of a tree, which is after its parent in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tile {
    /// The index of the parent; `None` for a root.
    pub parent: Option<usize>,
    /// The text in the tile.
    pub label: String,
    /// The size of the node alone. Its area also includes those of all nodes below it.
    pub size: u64,
    /// Tiles of one group, such as a class, have one colour.
    pub group: String,
}

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug)]
struct Area {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

/// The height of the line with the label of a tile that contains others.
const TITLE: f64 = 11.0;

/// The sides of the smallest tile that shows what is in it, and of the smallest one with a label.
const SMALLEST: f64 = 3.0;
const LABELLED: (f64, f64) = (32.0, 10.0);

/// A tree as a PNG image of a width and a height.
///
/// # Errors
/// [`Argument`](rezkit_core::ErrorKind::Argument) if the image has no pixels, or more than 16,384 along a side, or if all
/// nodes have the size 0.
pub fn treemap(tiles: &[Tile], (width, height): (u32, u32)) -> Result<Vec<u8>> {
    if [width, height].iter().any(|side| !(1..=16_384).contains(side)) {
        return Err(Error::argument("a picture has 1 to 16,384 pixels along a side"));
    }
    let mut totals: Vec<u64> = tiles.iter().map(|tile| tile.size).collect();
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); tiles.len()];
    let mut roots = Vec::new();
    for (index, tile) in tiles.iter().enumerate().rev() {
        match tile.parent.filter(|parent| *parent < index) {
            Some(parent) => {
                totals[parent] = totals[parent].saturating_add(totals[index]);
                below[parent].push(index);
            }
            None => roots.push(index),
        }
    }
    if roots.iter().all(|&root| totals[root] == 0) {
        return Err(Error::argument("there is nothing with a size to draw"));
    }
    let mut picture = Picture::new(width, height, [250, 250, 252, 255]);
    let all = Area { left: 0.0, top: 0.0, width: width.into(), height: height.into() };
    let sized = |of: &[usize]| of.iter().map(|&index| (Some(index), totals[index])).collect::<Vec<_>>();
    let mut waiting = placed(sized(&roots), all);
    while let Some((index, area)) = waiting.pop() {
        let tile = &tiles[index];
        paint(&mut picture, area, color(&tile.group));
        if area.width >= LABELLED.0 && area.height >= LABELLED.1 {
            let at = |place: f64| whole(place + 2.0);
            write_text(&mut picture, &tile.label, at(area.left), at(area.top), whole(area.width - 4.0));
        }
        if below[index].is_empty() || area.width < SMALLEST || area.height < SMALLEST {
            continue;
        }
        let title = if area.height > 3.0 * TITLE && area.width >= LABELLED.0 { TITLE } else { 0.0 };
        let edge = if area.width.min(area.height) > 12.0 { 1.0 } else { 0.0 };
        let inner = Area {
            left: area.left + edge,
            top: area.top + edge + title,
            width: area.width - 2.0 * edge,
            height: area.height - 2.0 * edge - title,
        };
        let mut parts = sized(&below[index]);
        // What the node itself takes is left blank.
        parts.push((None, tile.size));
        waiting.extend(placed(parts, inner));
    }
    images::png(&picture)
}

/// The areas of parts, whose sum is an area, by their sizes. Rows are filled as long as that makes their tiles more square.
fn placed(mut parts: Vec<(Option<usize>, u64)>, mut area: Area) -> Vec<(usize, Area)> {
    parts.retain(|(_, size)| *size > 0);
    geom::sort::by_key(&mut parts, |(_, size)| std::cmp::Reverse(*size));
    #[allow(clippy::cast_precision_loss, reason = "an area in a picture")]
    let size = |part: &(Option<usize>, u64)| part.1 as f64;
    let mut left: f64 = parts.iter().map(size).sum();
    let (mut made, mut rest) = (Vec::with_capacity(parts.len()), &parts[..]);
    while !rest.is_empty() && area.width > 0.0 && area.height > 0.0 {
        let scale = area.width * area.height / left;
        let side = area.width.min(area.height);
        // The longest side of a tile of the row by its shortest one, at worst.
        let worst = |sum: f64, most: f64, least: f64| {
            let thickness = sum * scale / side;
            let longest = |size: f64| {
                let length = size * scale / thickness;
                (length / thickness).max(thickness / length)
            };
            longest(most).max(longest(least))
        };
        let (first, mut sum, mut count) = (size(&rest[0]), size(&rest[0]), 1);
        while let Some(next) = rest.get(count) {
            let next = size(next);
            if worst(sum + next, first, next) > worst(sum, first, size(&rest[count - 1])) {
                break;
            }
            sum += next;
            count += 1;
        }
        let thickness = sum * scale / side;
        let (row, others) = rest.split_at(count);
        let mut at = 0.0;
        for part in row {
            let length = size(part) * scale / thickness;
            let own = match area.width < area.height {
                true => Area { left: area.left + at, top: area.top, width: length, height: thickness },
                false => Area { left: area.left, top: area.top + at, width: thickness, height: length },
            };
            made.extend(part.0.map(|index| (index, own)));
            at += length;
        }
        match area.width < area.height {
            true => (area.top, area.height) = (area.top + thickness, area.height - thickness),
            false => (area.left, area.width) = (area.left + thickness, area.width - thickness),
        }
        (rest, left) = (others, left - sum);
    }
    made
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a picture")]
fn whole(place: f64) -> u32 {
    place.round().max(0.0) as u32
}

/// Paints an area with a darker edge.
fn paint(picture: &mut Picture, area: Area, [r, g, b]: [u8; 3]) {
    let (left, top) = (whole(area.left), whole(area.top));
    let (right, bottom) = (whole(area.left + area.width), whole(area.top + area.height));
    let dark = |part: u8| part / 4 * 3;
    let has_edge = right - left > 2 && bottom - top > 2;
    for y in top..bottom {
        for x in left..right {
            let is_edge = has_edge && (x == left || y == top);
            let color = if is_edge { [dark(r), dark(g), dark(b), 255] } else { [r, g, b, 255] };
            picture.set(x, y, color);
        }
    }
}

/// A light colour for a group.
fn color(group: &str) -> [u8; 3] {
    let hash =
        group.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let part = |shift: u32| 150 + u8::try_from((hash >> shift) % 90).unwrap_or_default();
    [part(0), part(9), part(18)]
}
