#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| rezkit_fuzz::run("m3d_read", data));
