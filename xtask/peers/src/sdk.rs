//! Calls the Model 3D SDK, which is written in C.

use std::ffi::{c_int, c_uint, c_void};

unsafe extern "C" {
    fn sdk_read(data: *const u8) -> c_int;
    fn sdk_open(data: *const u8) -> *mut c_void;
    fn sdk_save(model: *mut c_void, form: c_int) -> c_uint;
    fn sdk_count_anew();
    fn sdk_held() -> usize;
    fn sdk_most(before: usize) -> usize;
}

/// The most memory that the SDK allocates while a function runs, beyond what it had allocated before.
#[allow(dead_code, reason = "not every program of this package counts")]
pub fn peak(run: impl FnOnce()) -> u64 {
    // SAFETY: these functions read and set two numbers, and this package runs on one thread.
    unsafe {
        sdk_count_anew();
        let before = sdk_held();
        run();
        sdk_most(before) as u64
    }
}

/// Whether the SDK reads these bytes. It takes no length, so the caller must append zero bytes.
pub fn read(bytes: &[u8]) -> bool {
    // SAFETY: none. The SDK trusts every length and index in its input; exactly this is measured.
    unsafe { sdk_read(bytes.as_ptr()) != 0 }
}

/// The form in which a model is saved.
#[allow(dead_code, reason = "not every program of this package saves")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Compressed,
    Raw,
    Text,
}

/// A model that the SDK has read, which can be saved repeatedly.
#[allow(dead_code, reason = "not every program of this package saves")]
pub struct Model(*mut c_void);

#[allow(dead_code, reason = "not every program of this package saves")]
impl Model {
    pub fn open(bytes: &[u8]) -> Option<Self> {
        // SAFETY: as in `read`; these bytes are a valid model.
        let model = unsafe { sdk_open(bytes.as_ptr()) };
        (!model.is_null()).then_some(Self(model))
    }

    /// Saves into memory, and returns the size of the file.
    pub fn save(&self, form: Form) -> usize {
        let form = match form {
            Form::Compressed => 0,
            Form::Raw => 1,
            Form::Text => 2,
        };
        // SAFETY: the pointer comes from the SDK, and the model is never freed.
        unsafe { sdk_save(self.0, form) as usize }
    }
}
