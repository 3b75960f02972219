//! The uploader's own files.

use std::io::{Read, Write};

use llsd::{Map, Text, Value};

use crate::error::Result;
use crate::limits::read_all;
use crate::model::Asset;
use crate::options::{ReadOptions, WriteOptions};

/// A `.slm` file: a model as the uploader keeps it, with its meshes and where they stand.
///
/// Some files with this ending hold an asset alone: [`crate::detect`] tells them apart.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Slm {
    /// The version of the file; 3 today.
    pub version: Option<i32>,
    /// The name of the model.
    pub name: Option<Text>,
    /// The meshes; each is a whole asset.
    pub meshes: Vec<Asset>,
    /// Where the meshes stand.
    pub instances: Vec<Instance>,
    /// Keys that are not known, and known ones that are not of their type.
    #[cfg_attr(feature = "serde", serde(with = "crate::exact::map"))]
    pub extra: Map,
    /// The file as it stood: written again where nobody changed what it says.
    pub layout: Vec<u8>,
}

/// A mesh in its place.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Instance {
    /// Which mesh, as the uploader numbers them.
    pub mesh_id: Option<i32>,
    /// Its name.
    pub label: Option<Text>,
    /// Where it stands: sixteen numbers row by row, the translation in the last row.
    pub transform: Option<[f64; 16]>,
    /// Its materials, as they stand in the file.
    #[cfg_attr(feature = "serde", serde(with = "crate::exact::value"))]
    pub material: Option<Value>,
    /// Keys that are not known, and known ones that are not of their type.
    #[cfg_attr(feature = "serde", serde(with = "crate::exact::map"))]
    pub extra: Map,
}

/// Two files are equal where they say the same: the layout is not compared.
impl PartialEq for Slm {
    fn eq(&self, other: &Self) -> bool {
        let Self { version, name, meshes, instances, extra, layout: _ } = self;
        *version == other.version
            && *name == other.name
            && *meshes == other.meshes
            && *instances == other.instances
            && *extra == other.extra
    }
}

impl Slm {
    /// Reads a file with the default options.
    ///
    /// # Errors
    /// As [`ReadOptions::read_slm`].
    pub fn from_slice(bytes: &[u8]) -> Result<Self> {
        ReadOptions::new().read_slm(bytes)
    }

    /// Reads a file from everything that a reader holds, with the default options.
    ///
    /// # Errors
    /// As [`ReadOptions::read_slm`], and where the reader fails.
    pub fn from_reader(reader: impl Read) -> Result<Self> {
        Self::from_slice(&read_all(reader, ReadOptions::new().byte_limit())?)
    }

    /// The file, as it was where nobody edited it.
    ///
    /// # Errors
    /// As [`WriteOptions::write_slm`].
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        WriteOptions::new().write_slm(self)
    }

    /// Writes the file into a writer.
    ///
    /// # Errors
    /// As [`WriteOptions::write_slm`], and where the writer fails.
    pub fn to_writer(&self, mut writer: impl Write) -> Result<()> {
        Ok(writer.write_all(&self.to_vec()?)?)
    }
}
