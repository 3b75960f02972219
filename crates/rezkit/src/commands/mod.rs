//! The commands, one file each. None of them names a format.

pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod info;
pub(crate) mod roundtrip;
