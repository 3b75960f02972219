//! The Model 3D SDK, in C.

use std::ffi::{c_int, c_uint, c_void};

unsafe extern "C" {
    fn sdk_read(data: *const u8) -> c_int;
    fn sdk_open(data: *const u8) -> *mut c_void;
    fn sdk_save(model: *mut c_void, form: c_int) -> c_uint;
    fn sdk_count_anew();
    fn sdk_held() -> usize;
    fn sdk_most(before: usize) -> usize;
}

/// What the SDK takes at most while something is done, beyond what it held before.
#[allow(dead_code, reason = "not every program of this package counts")]
pub fn peak(run: impl FnOnce()) -> u64 {
    // SAFETY: these read and set two numbers, and all of this package runs on one thread.
    unsafe {
        sdk_count_anew();
        let before = sdk_held();
        run();
        sdk_most(before) as u64
    }
}

/// Whether the SDK reads these bytes. It is given no length: the caller puts zero bytes after them.
pub fn read(bytes: &[u8]) -> bool {
    // SAFETY: none. The SDK trusts every length and index in its input; that is what is measured.
    unsafe { sdk_read(bytes.as_ptr()) != 0 }
}

/// What a model is saved as.
#[allow(dead_code, reason = "not every program of this package saves")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Compressed,
    Raw,
    Text,
}

/// A model that the SDK has read, to be saved again and again.
#[allow(dead_code, reason = "not every program of this package saves")]
pub struct Model(*mut c_void);

#[allow(dead_code, reason = "not every program of this package saves")]
impl Model {
    pub fn open(bytes: &[u8]) -> Option<Self> {
        // SAFETY: as above; these bytes are sound.
        let model = unsafe { sdk_open(bytes.as_ptr()) };
        (!model.is_null()).then_some(Self(model))
    }

    /// Saves into memory, and returns how many bytes that took.
    pub fn save(&self, form: Form) -> usize {
        let form = match form {
            Form::Compressed => 0,
            Form::Raw => 1,
            Form::Text => 2,
        };
        // SAFETY: the model is the SDK's own, and is never freed.
        unsafe { sdk_save(self.0, form) as usize }
    }
}
