//! Writes a mesh in its own version, or returns an error with the path of the part that cannot be represented.

use crate::consts::Form;
use crate::model::Mesh;
use crate::options::WriteOptions;
use crate::transcode;
use crate::wire::coremesh::{Core, TO_VERSION};
use crate::wire::{body, chunks, text, version};
use geom::wire::{Error, Result};

impl WriteOptions {
    /// Returns the mesh as a file of its own version. Reading it gives an equal mesh.
    ///
    /// # Errors
    /// `Unwritable`, with the path, if the version cannot represent a part of the mesh, if a count is
    /// too large for its field, or if columns differ in length.
    pub fn write(&self, mesh: &Mesh) -> Result<Vec<u8>> {
        let version = mesh.version;
        if let Some((path, lost)) = transcode::lost(mesh, version) {
            let what = format!("{lost} in version {version} ({TO_VERSION})");
            return Err(Error::unwritable(path, what));
        }
        // One allocation for nearly the whole file, since growing would copy it repeatedly.
        let (vertices, envelopes) = (size_of_val(&*mesh.vertices), size_of_val(&*mesh.envelopes));
        let text = if version.is_text() { 0 } else { 1 };
        let mut out = Vec::with_capacity((vertices + envelopes + size_of_val(&*mesh.faces)) * text + 64);
        version::write(version, mesh.layout.crlf, &mut out);
        match version.form() {
            Form::Text => text::write(mesh, &mut out)?,
            Form::Records(header) => body::write(mesh, header, &mut out)?,
            Form::Chunks => {
                chunks::write(mesh, Core::choose(mesh, self.draco, self.compress_faces)?, &mut out)?;
            }
        }
        Ok(out)
    }
}
