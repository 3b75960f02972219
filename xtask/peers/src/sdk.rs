//! Calls the Model 3D SDK, which is written in C.

use std::ffi::{c_int, c_uint, c_void};

unsafe extern "C" {
    fn sdk_open(data: *const u8) -> *mut c_void;
    fn sdk_close(model: *mut c_void);
    fn sdk_save(model: *mut c_void, form: c_int) -> c_uint;
    fn sdk_reset() -> usize;
    fn sdk_most() -> usize;
}

/// The most memory that the SDK allocates while a function runs, beyond what it had allocated before.
pub fn peak(run: impl FnOnce()) -> u64 {
    // SAFETY: these functions read and set two numbers, and this program has one thread.
    let before = unsafe { sdk_reset() };
    run();
    // SAFETY: as above.
    (unsafe { sdk_most() } - before) as u64
}

/// A model that the SDK has read.
pub struct Model(*mut c_void);

impl Model {
    /// Reads a model; the bytes must end with zero bytes, since the SDK takes no length.
    pub fn open(bytes: &[u8]) -> Self {
        // SAFETY: the SDK trusts its input, and these bytes are a valid model.
        let model = unsafe { sdk_open(bytes.as_ptr()) };
        assert!(!model.is_null(), "a model");
        Self(model)
    }

    /// Saves into memory (0: compressed, 1: uncompressed, 2: as text), and returns the size of the file.
    pub fn save(&self, form: i32) -> u32 {
        // SAFETY: the pointer comes from the SDK.
        unsafe { sdk_save(self.0, form) }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: the pointer comes from the SDK, and nothing uses it later.
        unsafe { sdk_close(self.0) }
    }
}
