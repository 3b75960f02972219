//! Damage inside of what is compressed: a damaged zlib stream is refused by its checksum, so that a mesh of Second Life is
//! taken apart, damaged, and put together again.

use llsd::{Map, Value};
use testkit::Rng;

use super::damage::HURTS;
use crate::bytes::zlib;

/// A mesh asset, or a `.slm` file with assets in it, with other content; of anything else nothing.
pub(super) fn damaged(bytes: &[u8], rng: &mut Rng) -> Option<Vec<u8>> {
    match slmesh::detect(bytes)? {
        slmesh::Kind::Slm => {
            let mut value = llsd::read_binary(bytes).ok()?;
            below(&mut value, rng);
            llsd::write_binary(&value).ok()
        }
        _ => asset(bytes, rng),
    }
}

fn asset(bytes: &[u8], rng: &mut Rng) -> Option<Vec<u8>> {
    let view = slmesh::open(bytes).ok()?;
    let Value::Map(mut header) = llsd::read_binary(bytes.get(..view.start())?).ok()? else { return None };
    let chunks: Vec<_> = view.chunks().collect::<Result<_, _>>().ok()?;
    // Mostly one block, seldom the header, where what is said of the blocks is damaged, too.
    let which = rng.below(chunks.len() + 1);
    let mut body = Vec::new();
    for (at, chunk) in chunks.iter().enumerate() {
        let name = chunk.name.to_string();
        let mut payload = chunk.payload.to_vec();
        if (at == which || rng.below(4) == 0)
            && let Some(inside) = view.inflate(&name).ok().flatten()
        {
            payload = zlib(&inside_of(&inside, rng));
        }
        let entry = header.get_mut(&*name)?;
        let Value::Map(entry) = entry else { return None };
        entry.insert("offset", i32::try_from(body.len()).ok()?);
        entry.insert("size", i32::try_from(payload.len()).ok()?);
        body.extend(payload);
    }
    let mut header = Value::Map(header);
    if which == chunks.len() {
        below(&mut header, rng);
    }
    let mut file = llsd::write_binary(&header).ok()?;
    file.extend(body);
    Some(file)
}

/// What a block inflates to, with other bytes or other values.
fn inside_of(inside: &[u8], rng: &mut Rng) -> Vec<u8> {
    match llsd::read_binary(inside) {
        Ok(mut value) if rng.below(4) > 0 => {
            (0..=rng.below(3)).for_each(|_| below(&mut value, rng));
            llsd::write_binary(&value).unwrap_or_default()
        }
        _ => testkit::mutate(inside, rng),
    }
}

/// Goes down, and seldom stops before it is at the end.
fn below(value: &mut Value, rng: &mut Rng) {
    if rng.below(8) > 0 {
        match value {
            Value::Array(list) if !list.is_empty() => {
                let at = rng.below(list.len());
                return below(&mut list[at], rng);
            }
            Value::Map(map) if !map.is_empty() => {
                let at = rng.below(map.len());
                return map.iter_mut().nth(at).into_iter().for_each(|(_, value)| below(value, rng));
            }
            _ => {}
        }
    }
    match (rng.below(5), &mut *value) {
        (0..=3, Value::Binary(bytes)) => {
            bytes.0 = match asset(bytes, rng) {
                Some(asset) => asset,
                None if rng.below(4) > 0 => numbers(bytes, rng),
                None => testkit::mutate(bytes, rng),
            };
        }
        (0 | 1, Value::Array(list)) if !list.is_empty() => {
            let (from, to) = (rng.below(list.len()), rng.below(list.len()));
            match rng.below(3) {
                0 => drop(list.remove(from)),
                1 => list.swap(from, to),
                _ => {
                    let one = list[from].clone();
                    list.extend(std::iter::repeat_n(one, 1 + rng.below(100)));
                }
            }
        }
        (0 | 1, Value::Map(map)) if !map.is_empty() => {
            let key = map.keys().nth(rng.below(map.len())).cloned();
            key.into_iter().for_each(|key| drop(map.remove(key)));
        }
        (0..=2, Value::Integer(number)) => {
            *number = number.wrapping_add(i32::try_from(rng.below(5)).unwrap_or_default() - 2);
        }
        _ => {
            let number: f64 = HURTS[rng.below(HURTS.len())].parse().unwrap_or_default();
            *value = match rng.below(7) {
                0 => Value::Undef,
                1 => Value::Array(Vec::new().into()),
                2 => Value::Map(Map::new()),
                3 => Value::from(""),
                4 => Value::from(true),
                #[allow(clippy::cast_possible_truncation, reason = "the greatest where it is greater")]
                5 => Value::Integer(number as i32),
                _ => Value::Real(number),
            };
        }
    }
}

/// Columns are numbers of 16 bits: some become the least, the greatest, or those beside them.
fn numbers(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let (pairs, _) = bytes.as_chunks_mut::<2>();
    for _ in 0..if pairs.is_empty() { 0 } else { 1 + rng.below(6) } {
        let at = rng.below(pairs.len());
        let other = pairs[rng.below(pairs.len())];
        pairs[at] = match rng.below(4) {
            0 => [0, 0],
            1 => [255, 255],
            2 => other,
            _ => u16::from_le_bytes(pairs[at]).wrapping_add(1).to_le_bytes(),
        };
    }
    bytes
}
