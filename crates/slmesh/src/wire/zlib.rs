//! Compressed blocks: zlib, inflated through a cap.

use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_PARSE_ZLIB_HEADER, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

use crate::error::{Error, ErrorKind, Result};
use crate::limits::Budget;

/// The first room for what a block inflates to, in times of its size: real blocks need 2 to 6.
const FIRST_GUESS: usize = 4;

/// Inflates one block after the other into the same room.
#[derive(Default)]
pub(crate) struct Inflater {
    state: Box<DecompressorOxide>,
    room: Vec<u8>,
}

impl std::fmt::Debug for Inflater {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Inflater({} bytes)", self.room.len())
    }
}

impl Inflater {
    /// What a block inflates to. Bytes behind its end are not looked at; an error has the offset in
    /// what was inflated so far.
    pub(crate) fn inflate(&mut self, bytes: &[u8], budget: &mut Budget) -> Result<&[u8]> {
        self.state.init();
        let flags = TINFL_FLAG_PARSE_ZLIB_HEADER | TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let (mut used, mut filled) = (0_usize, 0_usize);
        if self.room.is_empty() {
            self.grow(bytes.len().saturating_mul(FIRST_GUESS).max(512), budget)
                .map_err(|kind| Error::new(kind, "").at(0, None))?;
        }
        loop {
            let input = bytes.get(used..).unwrap_or_default();
            let (status, taken, given) = decompress(&mut self.state, input, &mut self.room, filled, flags);
            used = used.saturating_add(taken);
            filled = filled.saturating_add(given);
            let kind = match status {
                TINFLStatus::Done => return Ok(self.room.get(..filled).unwrap_or_default()),
                TINFLStatus::HasMoreOutput => match self.grow(self.room.len().saturating_mul(2), budget) {
                    Ok(()) => continue,
                    Err(kind) => kind,
                },
                TINFLStatus::NeedsMoreInput | TINFLStatus::FailedCannotMakeProgress => {
                    ErrorKind::UnexpectedEnd
                }
                TINFLStatus::Adler32Mismatch => {
                    ErrorKind::Invalid("a wrong checksum of a zlib stream".into())
                }
                _ => ErrorKind::Invalid("no zlib stream, or a malformed one".into()),
            };
            return Err(Error::new(kind, "").at(filled, None));
        }
    }

    fn grow(&mut self, len: usize, budget: &mut Budget) -> Result<(), ErrorKind> {
        // While it is copied the old room stands beside the new one, which was counted before.
        budget.take(len as u64)?;
        self.room.reserve_exact(len.saturating_sub(self.room.len()));
        self.room.resize(len, 0);
        Ok(())
    }
}

/// A block from what it inflates to.
pub(crate) fn deflate(bytes: &[u8], level: u8) -> Vec<u8> {
    compress_to_vec_zlib(bytes, level)
}
