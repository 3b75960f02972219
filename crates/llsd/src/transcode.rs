//! Conversion from one encoding to another without building a value.

use crate::distinct::Distinct;
use crate::options::{ReadOptions, WriteOptions};
use geom::wire::{Budget, Result};

/// Converts a document to another encoding, event by event: no value is built, and nesting uses no
/// stack. [`ReadOptions::duplicates`] decides which of several equal keys is written. If it is the last one
/// (the default in XML), the input is read twice, because the value of the last is written at the
/// place of the first.
///
/// ```
/// use llsd::{Encoding, ReadOptions, WriteOptions};
///
/// let xml = b"<llsd><map><key>size</key><integer>3</integer></map></llsd>";
/// let notation = WriteOptions::new().encoding(Encoding::Notation);
/// assert_eq!(llsd::transcode(xml, &ReadOptions::new(), &notation)?, b"{'size':i3}");
/// # Ok::<(), llsd::Error>(())
/// ```
///
/// # Errors
/// As [`ReadOptions::read`] and [`WriteOptions::write`].
pub fn transcode(bytes: &[u8], from: &ReadOptions, to: &WriteOptions) -> Result<Vec<u8>> {
    let mut events = Distinct::new(bytes, from, Budget::new(from.max_bytes))?;
    let mut writer = to.events();
    while let Some(event) = events.next()? {
        writer.take(&event).map_err(|kind| events.error_here(kind))?;
    }
    events.reader.ends()?;
    writer.finish()
}
