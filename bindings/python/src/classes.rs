//! The class of each format.

use pyo3::prelude::*;

use crate::asset::{Asset, Model};
use crate::document::RobloxDocument;
use crate::handle::Handle;
use crate::llsd::Llsd;
use crate::m3d::M3d;
use crate::mesh::RobloxMesh;
use crate::second_life::SecondLifeMesh;

/// An asset as an object of its format's class.
pub(crate) fn object(py: Python<'_>, asset: Handle) -> PyResult<Bound<'_, PyAny>> {
    let kind = asset.view().file_type();
    let base = PyClassInitializer::from(Asset::from(asset));
    Ok(match kind.format {
        "rbxmesh" => Bound::new(py, base.add_subclass(RobloxMesh))?.into_any(),
        _ if kind.has_instances() => Bound::new(py, base.add_subclass(RobloxDocument))?.into_any(),
        "slmesh" if kind.has_levels() => Bound::new(py, base.add_subclass(SecondLifeMesh))?.into_any(),
        "m3d" => Bound::new(py, base.add_subclass(M3d))?.into_any(),
        "llsd" => Bound::new(py, base.add_subclass(Llsd))?.into_any(),
        _ => Bound::new(py, base.add_subclass(Model))?.into_any(),
    })
}
