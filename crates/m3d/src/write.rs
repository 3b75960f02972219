//! Writing: selects the variant.

use crate::ascii;
use crate::consts::Variant;
use crate::model::Model;
use crate::options::WriteOptions;
use crate::wire;
use geom::wire::{Error, Result};

impl WriteOptions {
    /// Returns the model as a file.
    ///
    /// # Errors
    /// `Unwritable`, with the path, if the format cannot represent a part of the model, if columns differ in
    /// length, and if text is requested with options of binary files. `Limit` if writing takes more than `max_bytes`.
    pub fn write(&self, model: &Model) -> Result<Vec<u8>> {
        let binary = self.raw.is_some() || self.level.is_some() || self.coordinates.is_some();
        let read_from = match model.layout.text {
            Some(_) if !binary => Variant::Ascii,
            _ => Variant::Binary,
        };
        // Checked here, since an empty list is not written, whatever its columns contain.
        model.tex_coords.writable().map_err(|error| error.within("tex_coords"))?;
        model.vertices.writable().map_err(|error| error.within("vertices"))?;
        if self.variant.unwrap_or(read_from) == Variant::Ascii {
            let what = "a text file with the options raw, level or coordinates, which only binary files \
                        support (remove them)";
            return if binary {
                Err(Error::unwritable("", what))
            } else {
                ascii::write(model, false, self.max_bytes)
            };
        }
        wire::write(model, self)
    }
}
