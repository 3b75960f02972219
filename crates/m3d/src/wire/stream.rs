//! The compressed payload: one zlib stream.

use miniz_oxide::deflate::core::CompressorOxide;
use miniz_oxide::deflate::core::{TDEFLFlush, TDEFLStatus, compress, create_comp_flags_from_zip_params};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_PARSE_ZLIB_HEADER, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

use super::fail::{Fail, Here, Parsed};
use super::file::broken;
use crate::error::{Error, Result};
use crate::limits::Budget;

/// What a stream holds, within what is left; and what stands behind the stream.
pub(crate) fn inflate<'a>(input: &'a [u8], budget: &mut Budget) -> Parsed<'a, Vec<u8>> {
    let flags = TINFL_FLAG_PARSE_ZLIB_HEADER | TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let mut state = Box::<DecompressorOxide>::default();
    let mut out: Vec<u8> = Vec::new();
    let (mut used, mut written) = (0_usize, 0_usize);
    // Zeros from the system cost nothing until they are written over: ask for more than most need.
    let mut room = input.len().saturating_mul(8).max(4096);
    // No stream holds more than 1,032 times its size.
    let most = input.len().saturating_mul(1032).saturating_add(4096);
    loop {
        room = room.min(most);
        let added = room.saturating_sub(out.len());
        if added == 0 {
            return broken(input, "a compressed stream without an end");
        }
        budget.take(added as u64).here(input)?;
        let mut larger = vec![0; room];
        larger.iter_mut().zip(&out).for_each(|(to, from)| *to = *from);
        out = larger;
        let rest = input.get(used..).unwrap_or_default();
        let (status, read, wrote) = decompress(&mut state, rest, &mut out, written, flags);
        used = used.saturating_add(read);
        written = written.saturating_add(wrote);
        match status {
            TINFLStatus::Done => {
                out.truncate(written);
                return Ok((input.get(used..).unwrap_or_default(), out));
            }
            TINFLStatus::HasMoreOutput => room = room.saturating_mul(2),
            TINFLStatus::FailedCannotMakeProgress | TINFLStatus::NeedsMoreInput => {
                return Err(Fail::end(input.get(used..).unwrap_or_default()));
            }
            TINFLStatus::Adler32Mismatch => {
                return broken(input, "a wrong checksum of the compressed stream");
            }
            _ => {
                let at = input.get(used..).unwrap_or_default();
                return broken(at, "neither the header of a model nor a compressed stream of one");
            }
        }
    }
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
