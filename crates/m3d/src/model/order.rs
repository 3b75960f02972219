//! The order in which the parts of a model are written.

/// A part: its kind, which of its kind, and which entry of the layout it was read as.
pub(crate) type Part<K> = (K, usize, Option<usize>);

/// The order of the file that was read, as far as its parts are still there; what is new comes after the
/// last of its kind, or where its kind usually is. `once`: at most one, which is there even where it is
/// empty. `floats`: nothing takes its place from it.
pub(crate) fn ordered<K: Copy + PartialEq>(
    layout: impl Iterator<Item = K>,
    usual: &[K],
    once: impl Fn(K) -> bool,
    floats: impl Fn(K) -> bool,
    count: impl Fn(K) -> usize,
) -> Vec<Part<K>> {
    let rank = |kind: K| usual.iter().position(|&known| known == kind).unwrap_or(usual.len());
    let counts: Vec<usize> = usual.iter().map(|&kind| count(kind)).collect();
    let mut written = vec![0_usize; usual.len()];
    let mut parts: Vec<Part<K>> = Vec::new();
    for (place, kind) in layout.enumerate() {
        let rank = rank(kind);
        let (Some(next), Some(count)) = (written.get_mut(rank), counts.get(rank)) else { continue };
        if *next < *count || once(kind) && *next == 0 {
            parts.push((kind, *next, Some(place)));
            *next += 1;
        }
    }
    for (index, (&kind, (&next, &count))) in usual.iter().zip(written.iter().zip(&counts)).enumerate() {
        if next >= count {
            continue;
        }
        let last = parts.iter().rposition(|&(there, ..)| there == kind).or_else(|| {
            let before = |there| rank(there) < index && (!floats(there) || floats(kind));
            parts.iter().rposition(|&(there, ..)| before(there))
        });
        let at = last.map_or(0, |last| last + 1);
        parts.splice(at..at, (next..count).map(|nth| (kind, nth, None)));
    }
    parts
}
