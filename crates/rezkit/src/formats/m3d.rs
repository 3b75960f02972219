//! Model 3D.

use ::m3d::{Model, Variant};

use super::{Asset, Fact, FactValue, Form, Format, findings, generic, no_form, same_type};
use crate::error::{Error, Result};
use crate::extract::{File, file_name};
use crate::finding::Finding;
use crate::options::WriteOptions;
use crate::tree::Node;

pub(super) static FORMAT: Format = Format {
    name: "m3d",
    title: "Model 3D",
    extensions: &["m3d", "a3d"],
    forms: &[Form::of_extension("binary", "m3d"), Form::new("raw"), Form::of_extension("ascii", "a3d")],
    detect: |bytes| ::m3d::detect(bytes).map(|variant| variant.to_string()),
    read: |bytes, options| {
        let options = ::m3d::ReadOptions::new().max_bytes(options.max_bytes);
        Ok(Box::new(options.read(bytes).map_err(Error::unreadable)?))
    },
    same_bytes: |a, b| a == b || same_payload(a, b),
    length: |bytes| {
        let size: [u8; 4] = bytes.strip_prefix(b"3DMO")?.get(..4)?.try_into().ok()?;
        Some(u32::from_le_bytes(size) as usize)
    },
    read_as: |_, _, _| None,
};

/// Whether both files are compressed, with the same preview before the stream and the same payload
/// after decompression.
fn same_payload(a: &[u8], b: &[u8]) -> bool {
    let parts = |bytes: &[u8]| {
        let preview = match bytes.get(8..16)? {
            [b'P', b'R', b'V', b'W', size @ ..] => u32::from_le_bytes(size.try_into().ok()?) as usize,
            _ => 0,
        };
        let start = preview.checked_add(8)?;
        let compressed = bytes.get(start..start.checked_add(4)?)? != b"HEAD";
        compressed.then_some(())?;
        Some((bytes.get(8..start)?.to_vec(), ::m3d::payload(bytes).ok()?.into_owned()))
    };
    matches!((parts(a), parts(b)), (Some(a), Some(b)) if a == b)
}

impl Asset for Model {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn version(&self) -> String {
        variant(self).to_string()
    }

    fn describe(&self) -> Vec<Fact> {
        vec![
            Fact::count("vertices", self.vertices.len()),
            Fact { name: "triangles", value: FactValue::Count(self.triangle_count()) },
            Fact::count("bones", self.bones.len()),
            Fact::count("actions", self.actions.len()),
            Fact::count("materials", self.materials.len()),
            Fact::count("voxel blocks", self.voxel_blocks.len()),
            Fact::count("shapes", self.shapes.len()),
        ]
    }

    fn tree(&self) -> Box<dyn Node + '_> {
        Box::new(generic::Root::new("model", self))
    }

    fn files(&self) -> Vec<File> {
        // A name without an ending is a PNG image.
        let file = |asset: &::m3d::Asset| {
            let name = asset.name.to_string();
            let ending = if name.contains('.') { "" } else { ".png" };
            File { path: vec![file_name(&format!("{name}{ending}"))], bytes: asset.data.clone() }
        };
        self.assets.iter().map(file).collect()
    }

    fn check(&self) -> Vec<Finding> {
        findings!(m3d, ::m3d::check(self))
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        let write = ::m3d::WriteOptions::new();
        let write = match options.form.as_deref() {
            None => write,
            Some("binary") => write.variant(Variant::Binary),
            Some("raw") => write.variant(Variant::Binary).raw(true),
            Some("ascii") => write.variant(Variant::Ascii),
            Some(form) => return Err(no_form(&FORMAT, form)),
        };
        write.write(self).map_err(Error::unwritable)
    }

    fn equals(&self, other: &dyn Asset) -> bool {
        same_type::<Self>(other).is_some_and(|other| self == other)
    }
}

/// Whether a model was read from chunks or from text.
fn variant(model: &Model) -> Variant {
    if model.layout.text.is_some() { Variant::Ascii } else { Variant::Binary }
}
