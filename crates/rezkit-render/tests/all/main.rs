//! All tests in one program, since each further program would link all crates again.

mod inside;
mod pictures;
mod random;

/// What the modules in `inside` import from `crate`.
mod options {
    pub(crate) const MAX_SIDE: u32 = 16_384;
}
