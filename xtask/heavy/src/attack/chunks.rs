//! Damage inside of the chunks of Roblox's binary documents: most are compressed, and bytes that are not LZ4 or zstd any more
//! are refused before anything of the format is looked at.

use rbxbinary::{Chunk, ChunkName};
use testkit::Rng;

use super::damage::in_place;

/// A document with other content in its chunks, which are stored as they are; of anything else nothing.
pub(super) fn damaged(bytes: &[u8], rng: &mut Rng) -> Option<Vec<u8>> {
    let chunks: Vec<Chunk<'_>> = rbxbinary::chunks(bytes).ok()?.collect::<Result<_, _>>().ok()?;
    let mut contents: Vec<(ChunkName, Vec<u8>)> = Vec::new();
    for chunk in &chunks {
        contents.push((chunk.name, chunk.data().ok()?));
    }
    // A file can end after its header.
    for _ in 0..if contents.is_empty() { 0 } else { 1 + rng.below(3) } {
        let at = rng.below(contents.len());
        match rng.below(12) {
            // Columns can be missing, twice and in any order.
            0 if contents[at].0 == ChunkName::PROP => drop(contents.remove(at)),
            1 if contents[at].0 == ChunkName::PROP => contents.insert(at, contents[at].clone()),
            2 => {
                let other = rng.below(contents.len());
                contents.swap(at, other);
            }
            3 => contents[at].1 = testkit::mutate(&contents[at].1, rng),
            4 => {
                // The values of another column.
                let other = contents[rng.below(contents.len())].1.clone();
                let (from, to) = (values(&other), values(&contents[at].1));
                contents[at].1.truncate(to);
                contents[at].1.extend(&other[from..]);
            }
            5 => {
                // Another type.
                let start = values(&contents[at].1);
                if let Some(kind) = contents[at].1[..start].last_mut() {
                    *kind = 1 + rng.next().to_le_bytes()[0] % 0x22;
                }
            }
            _ => {
                let start = values(&contents[at].1);
                in_place(&mut contents[at].1[start..], rng);
            }
        }
    }
    let mut file = bytes.get(..chunks.first()?.range.start)?.to_vec();
    for (name, content) in contents {
        let length = u32::try_from(content.len()).ok()?.to_le_bytes();
        file.extend([&name.0[..], &[0; 4], &length, &[0; 4], &content].concat());
    }
    Some(file)
}

/// Where the values of a column begin: after the class, the name and the type. Other chunks have what matters there, too.
fn values(content: &[u8]) -> usize {
    let length = content.get(4..).and_then(|rest| rest.first_chunk()).copied().map_or(0, u32::from_le_bytes);
    (length as usize).checked_add(9).filter(|&at| at <= content.len()).unwrap_or(content.len().min(8))
}
