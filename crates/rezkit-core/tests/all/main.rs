//! All tests in one program: each of its own would link everything once more.

mod inside;
