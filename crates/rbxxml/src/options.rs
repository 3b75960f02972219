//! Options for reading and writing.

use crate::model::KeyHash;
use geom::wire::{DEFAULT_MAX_BYTES, options};

options! {
    /// Options for reading a document.
    ///
    /// ```
    /// # fn main() -> rbxxml::Result<()> {
    /// # let bytes = br#"<roblox version="4"></roblox>"#;
    /// let document = rbxxml::ReadOptions::new().max_bytes(16 << 20).max_nodes(100_000).read(bytes)?;
    /// # assert!(document.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    ReadOptions {
        /// The number of bytes that a read may allocate: 1 GiB by default. This includes the document, which takes
        /// about half of the size of a file that Studio wrote; the kept bytes of the file; and temporary memory.
        max_bytes: u64 = DEFAULT_MAX_BYTES;
        /// Whether to keep the bytes of the file, so that each element that no edit touches is written back unchanged.
        /// On by default. Switching it off saves memory in a program that does not write the document; if it does,
        /// everything is written as Studio does, without comments and unknown elements. The bytes of a file of 4 GiB
        /// or more are never kept.
        keep_source: bool = true;
        /// The number of elements, comments, CDATA sections and processing instructions that the file may contain:
        /// 4,294,967,295 by default, since `max_bytes` limits memory. To limit the time of a read, set this, or check
        /// the size of the file.
        max_nodes: u32 = u32::MAX;
        /// The maximum depth of nested instances: unlimited by default, since nothing in this crate recurses.
        max_depth: u32 = u32::MAX;
    }
}

/// The treatment of characters that XML 1.0 cannot represent: control characters except tab, line feed and carriage
/// return, U+FFFE and U+FFFF, and bytes that are not UTF-8.
///
/// Unedited text from the file is always written back unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Illegal {
    /// Writing fails, with the path of the value; [`Illegal::Escape`] writes it.
    #[default]
    Refuse,
    /// Characters are written as references, such as `&#1;`, and bytes as they are. This crate reads both,
    /// and so did Studio, but strict XML parsers do not.
    Escape,
}

options! {
    /// Options for writing a document.
    ///
    /// ```
    /// use rbxxml::{Document, Illegal, NewInstance, WriteOptions};
    ///
    /// # fn main() -> rbxxml::Result<()> {
    /// let mut document = Document::new();
    /// document.insert(None, NewInstance::new("Folder").property("Name", "bell\u{7}"))?;
    /// assert!(rbxxml::to_vec(&document).is_err());
    /// let bytes = WriteOptions::new().illegal(Illegal::Escape).write(&document)?;
    /// assert_eq!(rbxxml::from_slice(&bytes)?, document);
    /// # Ok(())
    /// # }
    /// ```
    WriteOptions {
        /// The treatment of characters that XML cannot represent. By default, they are refused.
        illegal: Illegal = Illegal::default();
        /// Computes the keys of all shared strings from their bytes with this hash. By default, shared strings keep
        /// their keys; those added by [`Document::share`](crate::Document::share) have the keys that Studio would
        /// write.
        keys: KeyHash => Option<KeyHash> = None;
        /// The maximum size of the file in bytes, which the last instance may exceed. Since each line is indented by
        /// its depth, a small document of a thousand levels is a large file. Unlimited by default.
        max_bytes: u64 => Option<u64> = None;
    }
}
