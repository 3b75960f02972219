//! How similar two names are.

/// The number of letters of a name that may be wrong.
const MAX_CHANGED: usize = 2;

/// The name that differs least, and by at most two letters and less than half of them.
pub fn closest<T: AsRef<[u8]>>(name: &[u8], names: impl Iterator<Item = T>) -> Option<T> {
    let (distance, closest) = names
        .map(|known| (distance(name, known.as_ref()), known))
        .min_by(|(a, one), (b, other)| (a, one.as_ref()).cmp(&(b, other.as_ref())))?;
    (distance <= MAX_CHANGED && distance < name.len().div_ceil(2)).then_some(closest)
}

/// The longest name that is compared letter by letter.
const MAX_COMPARED: usize = 64;

/// The number of letters to change, add or remove, and of neighbours to swap, to turn one name into the other, ignoring
/// case; `usize::MAX` if a name is too long, or if the numbers of letters differ too much.
pub(crate) fn distance(a: &[u8], b: &[u8]) -> usize {
    // A change of a letter changes at most two letters of the set.
    let letters = |name: &[u8]| name.iter().fold(0_u64, |set, letter| set | 1 << (letter & 31));
    if a.len().max(b.len()) > MAX_COMPARED
        || a.len().abs_diff(b.len()) > MAX_CHANGED
        || (letters(a) ^ letters(b)).count_ones() as usize > 2 * MAX_CHANGED
    {
        return usize::MAX;
    }
    // The distances of the beginnings of `b` from `a` up to this letter, the one before it, and the one before that.
    let mut rows = [(0..=b.len()).collect::<Vec<_>>(), vec![0; b.len() + 1], vec![0; b.len() + 1]];
    for (i, from) in a.iter().enumerate() {
        rows.rotate_right(1);
        let [row, above, second] = &mut rows;
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let change = above[j] + usize::from(!from.eq_ignore_ascii_case(to));
            let mut least = change.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && from.eq_ignore_ascii_case(&b[j - 1]) && to.eq_ignore_ascii_case(&a[i - 1]) {
                least = least.min(second[j - 1] + 1);
            }
            row[j + 1] = least;
        }
    }
    rows[0][b.len()]
}
