//! The compressed payload: one zlib stream.

use super::fail::{Fail, Parsed};
use super::file::broken;
use crate::error::{Error, Result};
use crate::limits::Budget;
use miniz_oxide::deflate::core::CompressorOxide;
use miniz_oxide::deflate::core::{TDEFLFlush, TDEFLStatus, compress, create_comp_flags_from_zip_params};
use zlib_rs::{Inflate, InflateFlush, Status};

/// The first room for what a stream holds, in times of its size: real ones need 1.1 to 3.3.
const FIRST_GUESS: usize = 4;

/// What a stream holds, within what is left; and what stands behind the stream.
pub(crate) fn inflate<'a>(input: &'a [u8], budget: &mut Budget) -> Parsed<'a, Vec<u8>> {
    // A header, and the largest window: it costs nothing where less was used.
    let mut state = Inflate::new(true, 15);
    let mut out: Vec<u8> = Vec::new();
    let mut room = input.len().saturating_mul(FIRST_GUESS).max(4096);
    // No stream holds more than 1,032 times its size.
    let most = input.len().saturating_mul(1032).saturating_add(4096);
    loop {
        let mut added = room.min(most).saturating_sub(out.len());
        if added == 0 {
            return broken(input, "a compressed stream without an end");
        }
        // Where so much is not allowed, less may do.
        while let Err(limit) = budget.take(added as u64) {
            added /= 2;
            if added < 4096 {
                return Err(Fail::new(input, limit));
            }
        }
        let written = out.len();
        // Zeros from the system cost nothing until they are written over.
        let mut larger = vec![0; written.saturating_add(added)];
        larger.iter_mut().zip(&out).for_each(|(to, from)| *to = *from);
        out = larger;
        let rest = behind(input, &state);
        let status = state.decompress(rest, out.get_mut(written..).unwrap_or_default(), InflateFlush::Finish);
        let written = usize::try_from(state.total_out()).unwrap_or(usize::MAX);
        match status {
            Ok(Status::StreamEnd) => {
                out.truncate(written);
                // Moving it takes the room of both for a moment: only where that is less than what is given back.
                if out.capacity() > written.saturating_add(written / 4) {
                    out.shrink_to_fit();
                }
                return Ok((behind(input, &state), out));
            }
            Ok(Status::Ok | Status::BufError) if written < out.len() => {
                // All input is used, and the stream does not end.
                return Err(Fail::end(input.get(input.len()..).unwrap_or_default()));
            }
            Ok(Status::Ok | Status::BufError) => room = out.len().saturating_mul(2),
            Err(_) if state.error_message() == Some("incorrect data check") => {
                return broken(input, "a wrong checksum of the compressed stream");
            }
            Err(_) => return broken(rest, "neither the header of a model nor a compressed stream of one"),
        }
    }
}

/// What the inflater has not used.
fn behind<'a>(input: &'a [u8], state: &Inflate) -> &'a [u8] {
    usize::try_from(state.total_in()).ok().and_then(|used| input.get(used..)).unwrap_or_default()
}

/// The stream of some bytes, behind what `out` holds; level 0 to 10.
pub(crate) fn deflate(bytes: &[u8], level: u8, out: &mut Vec<u8>) -> Result<()> {
    let flags = create_comp_flags_from_zip_params(i32::from(level.min(10)), 1, 0);
    let mut state = Box::new(CompressorOxide::new(flags));
    let mut rest = bytes;
    let mut piece = vec![0; 1 << 16];
    loop {
        let (status, read, wrote) = compress(&mut state, rest, &mut piece, TDEFLFlush::Finish);
        out.extend_from_slice(piece.get(..wrote).unwrap_or_default());
        rest = rest.get(read..).unwrap_or_default();
        match status {
            TDEFLStatus::Done => return Ok(()),
            TDEFLStatus::Okay if read != 0 || wrote != 0 => {}
            _ => return Err(Error::unwritable("", "a stream that does not compress")),
        }
    }
}
