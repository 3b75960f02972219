//! All tests in one program: each of its own would link everything again.

mod inside;
mod pictures;
mod random;
