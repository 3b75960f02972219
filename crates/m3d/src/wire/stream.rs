//! The compressed payload: one zlib stream.

use geom::wire::{Budget, Error, Fail, Parsed, Result, after};
use zlib_rs::{Deflate, DeflateFlush, Inflate, InflateFlush, Status};

/// The content of a stream, within the budget; and the bytes after the stream.
pub(crate) fn inflate<'a>(input: &'a [u8], budget: &mut Budget) -> Parsed<'a, Vec<u8>> {
    // A header, and the largest window: it costs nothing if less was used.
    let mut state = Inflate::new(true, 15);
    let mut out: Vec<u8> = Vec::new();
    // No stream inflates to more than 1,032 times its size.
    let most = input.len().saturating_mul(1032).saturating_add(4096);
    loop {
        let from = count(state.total_out());
        if from == out.len() {
            // Real streams need 1.1 to 3.3 times their size. Then it grows by less than doubling: the model needs
            // memory, too.
            let guess = (input.len().saturating_mul(17) / 5).max(4096);
            let space = if from == 0 { guess } else { from.saturating_add(from / 4) };
            let mut added = space.min(most).saturating_sub(from);
            if added == 0 {
                return invalid(input, "truncated zlib stream");
            }
            // The old and the new buffer both exist for a moment. If the limit does not allow that, less may do.
            while let Err(limit) = budget.take(from.saturating_add(added) as u64) {
                added /= 2;
                if added < 4096 {
                    return Err(Fail::new(input, limit));
                }
            }
            // Zeroed pages from the system cost nothing until written.
            let mut larger = vec![0; from.saturating_add(added)];
            larger.iter_mut().zip(&out).for_each(|(to, from)| *to = *from);
            out = larger;
            budget.give_back(from as u64);
        }
        // It writes at most 4 GB at once.
        let space = out.get_mut(from..).unwrap_or_default();
        let status = state.decompress(rest_of(input, &state), space, InflateFlush::Finish);
        let written = count(state.total_out());
        match status {
            Ok(Status::StreamEnd) => {
                out.truncate(written);
                // Moving it takes both for a moment: only if that is less than what is released.
                let before = out.capacity();
                if before > written.saturating_add(written / 4) {
                    out.shrink_to_fit();
                    budget.give_back(before.saturating_sub(out.capacity()) as u64);
                }
                return Ok((rest_of(input, &state), out));
            }
            // All input is consumed, but the stream does not end.
            Ok(Status::Ok | Status::BufError) if written == from => return Err(Fail::end_of(input)),
            Ok(Status::Ok | Status::BufError) => {}
            Err(_) if state.error_message() == Some("incorrect data check") => {
                return invalid(input, "wrong zlib checksum");
            }
            Err(_) => {
                let what = "neither a model header nor a zlib stream";
                return invalid(rest_of(input, &state), what);
            }
        }
    }
}

fn invalid<'a, T>(at: &'a [u8], what: &'static str) -> Parsed<'a, T> {
    Err(Fail::invalid(at, what))
}

/// The input that the inflater has not consumed.
fn rest_of<'a>(input: &'a [u8], state: &Inflate) -> &'a [u8] {
    after(input, count(state.total_in()))
}

fn count(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// The amount compressed at once: the compressor counts with 32 bits.
const PART: usize = 1 << 30;

/// Appends the compressed bytes to `out`; level 0 to 9.
pub(crate) fn deflate(bytes: &[u8], level: u8, out: &mut Vec<u8>) -> Result<()> {
    let mut state = Deflate::new(i32::from(level.min(9)), true, 15);
    let mut piece = vec![0; 1 << 16];
    loop {
        let (read, written) = (state.total_in(), state.total_out());
        let rest = after(bytes, count(read));
        let (part, flush) = match rest.split_at_checked(PART) {
            Some((part, after)) if !after.is_empty() => (part, DeflateFlush::NoFlush),
            _ => (rest, DeflateFlush::Finish),
        };
        let status = state.compress(part, &mut piece, flush);
        let added = count(state.total_out().saturating_sub(written));
        out.extend_from_slice(piece.get(..added).unwrap_or_default());
        match status {
            Ok(Status::StreamEnd) => return Ok(()),
            Ok(_) if (state.total_in(), state.total_out()) != (read, written) => {}
            _ => return Err(Error::unwritable("", "a stream that does not compress")),
        }
    }
}
