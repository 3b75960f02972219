#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| targets::run("upload_hulls", data));
