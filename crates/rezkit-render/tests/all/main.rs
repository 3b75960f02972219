//! All tests in one program, since each further program would link all crates again.

mod inside;
mod pictures;
mod random;

/// An item that the modules in `inside` import from `crate`.
const MAX_SIDE: u32 = 16_384;
