//! Merges texts line by line.

use super::decisions::Side;
use super::lines::{changed_lines, lines};

/// A changed region: the lines of the base from `start` to `end` become `lines`.
struct Hunk<'a> {
    start: usize,
    end: usize,
    lines: Vec<&'a str>,
}

fn hunks<'a>(base: &str, other: &'a str) -> Vec<Hunk<'a>> {
    let lines = lines(other);
    let hunk = |change: super::lines::Change| Hunk {
        start: change.old.start,
        end: change.old.end,
        lines: lines[change.new].to_vec(),
    };
    changed_lines(base, other).into_iter().map(hunk).collect()
}

/// The changes of both texts since the base. If both changed the same or neighbouring lines in different ways, those of
/// the `preferred` side count; without one, the error is the text with both, marked as Git marks them.
pub(crate) fn merged(
    base: &str,
    [ours, theirs]: [&str; 2],
    preferred: Option<Side>,
) -> Result<String, String> {
    let lines = lines(base);
    let (mut ours, mut theirs) =
        (hunks(base, ours).into_iter().peekable(), hunks(base, theirs).into_iter().peekable());
    let (mut text, mut at, mut is_clean) = (String::new(), 0, true);
    while ours.peek().is_some() || theirs.peek().is_some() {
        let start =
            [ours.peek(), theirs.peek()].into_iter().flatten().map(|hunk| hunk.start).min().unwrap_or(at);
        text.extend(lines[at..start].iter().copied());
        // The hunks of both that overlap.
        let (mut end, mut mine, mut other) = (start, Vec::new(), Vec::new());
        loop {
            let touches = |hunk: &Hunk<'_>| hunk.start <= end;
            if let Some(hunk) = ours.next_if(touches) {
                end = end.max(hunk.end);
                mine.push(hunk);
            } else if let Some(hunk) = theirs.next_if(touches) {
                end = end.max(hunk.end);
                other.push(hunk);
            } else {
                break;
            }
        }
        let side = |hunks: &[Hunk<'_>]| {
            let (mut text, mut at) = (String::new(), start);
            for hunk in hunks {
                text.extend(lines[at..hunk.start].iter().copied());
                text.extend(hunk.lines.iter().copied());
                at = hunk.end;
            }
            text.extend(lines[at..end].iter().copied());
            text
        };
        let (one, two) = (side(&mine), side(&other));
        if other.is_empty() || one == two || preferred == Some(Side::Ours) && !mine.is_empty() {
            text += &one;
        } else if mine.is_empty() || preferred == Some(Side::Theirs) {
            text += &two;
        } else {
            is_clean = false;
            let closed = |text: &str| if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
            text +=
                &format!("<<<<<<< ours\n{one}{}=======\n{two}{}>>>>>>> theirs\n", closed(&one), closed(&two));
        }
        at = end;
    }
    text.extend(lines[at..].iter().copied());
    if is_clean { Ok(text) } else { Err(text) }
}
