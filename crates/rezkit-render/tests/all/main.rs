//! All tests beside the modules' own in one program: each of its own would link everything once more.

mod pictures;
mod random;
