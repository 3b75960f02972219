//! The losses that several crates list.

use geom::wire::LossRule;

/// The rules of these losses.
pub const LOSSES: &[LossRule] = &[
    LossRule::new("file.extra-bytes", "bytes after or between the known content are dropped"),
    LossRule::new("file.missing", "a file that the asset names is missing"),
    LossRule::new("file.other-path", "a file is read from another path than the asset names"),
    LossRule::new("file.unreadable", "a file that the asset names cannot be read"),
    LossRule::new("image.as-png", "an image is written as PNG"),
    LossRule::new("image.format", "an image has a format or a name that the output cannot contain"),
    LossRule::new("image.missing", "the file of an image is missing"),
    LossRule::new(
        "image.not-downloaded",
        "an image is on the web or is an asset of a platform, and is not downloaded",
    ),
    LossRule::new("image.unreadable", "an image cannot be read"),
    LossRule::new("text.not-utf8", "bytes that are not UTF-8 are replaced"),
];
