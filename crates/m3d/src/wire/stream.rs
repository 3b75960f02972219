//! The compressed payload: one zlib stream.

use super::fail::{Fail, Parsed};
use super::file::broken;
use crate::error::{Error, Result};
use crate::limits::Budget;
use fdeflate::{DecompressionError, Decompressor};
use miniz_oxide::deflate::core::CompressorOxide;
use miniz_oxide::deflate::core::{TDEFLFlush, TDEFLStatus, compress, create_comp_flags_from_zip_params};

/// What a stream holds, within what is left; and what stands behind the stream.
pub(crate) fn inflate<'a>(input: &'a [u8], budget: &mut Budget) -> Parsed<'a, Vec<u8>> {
    let mut state = Box::new(Decompressor::new());
    let mut out: Vec<u8> = Vec::new();
    let (mut used, mut written) = (0_usize, 0_usize);
    // Zeros from the system cost nothing until they are written over: ask for more than most need.
    let mut room = input.len().saturating_mul(8).max(4096);
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
        room = out.len().saturating_add(added);
        let mut larger = vec![0; room];
        larger.iter_mut().zip(&out).for_each(|(to, from)| *to = *from);
        out = larger;
        let rest = input.get(used..).unwrap_or_default();
        match state.read(rest, &mut out, written, true) {
            Ok((read, wrote)) => {
                used = used.saturating_add(read);
                written = written.saturating_add(wrote);
            }
            Err(DecompressionError::InsufficientInput) => {
                return Err(Fail::end(input.get(input.len()..).unwrap_or_default()));
            }
            Err(DecompressionError::WrongChecksum) => {
                return broken(input, "a wrong checksum of the compressed stream");
            }
            Err(_) => return broken(rest, "neither the header of a model nor a compressed stream of one"),
        }
        if state.is_done() {
            out.truncate(written);
            out.shrink_to_fit();
            let end = end_of_stream(input, used, &out);
            return Ok((input.get(end..).unwrap_or_default(), out));
        }
        if written < out.len() {
            // All input is used, and the stream does not end.
            return Err(Fail::end(input.get(used..).unwrap_or_default()));
        }
        room = room.saturating_mul(2);
    }
}

/// Where the stream ends: behind its checksum. The inflater takes its input eight bytes at a time, and says
/// of some that they are used which stand behind the stream.
fn end_of_stream(input: &[u8], used: usize, out: &[u8]) -> usize {
    let checksum = simd_adler32::adler32(&out).to_be_bytes();
    let ends = (used.saturating_sub(8)..=used)
        .find(|&end| input.get(..end).is_some_and(|stream| stream.ends_with(&checksum)));
    ends.unwrap_or(used)
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
