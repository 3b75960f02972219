#![no_main]
//! The target of each format, which has the name of the program.

libfuzzer_sys::fuzz_target!(|data: &[u8]| hostile::run(env!("CARGO_BIN_NAME"), data));
