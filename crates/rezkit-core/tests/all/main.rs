//! All tests in one program, since each further program would link all crates again.

mod inside;
