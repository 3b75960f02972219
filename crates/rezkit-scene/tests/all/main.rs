//! All tests in one program: each of its own would link everything again.

mod inside;
mod material;
mod upload;
