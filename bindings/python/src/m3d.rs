//! Model 3D.

use std::sync::Arc;

use m3d::{Model, ViewOptions};
use pyo3::prelude::*;

use crate::array;
use crate::asset::Asset;
use crate::error::{Error, Result};
use crate::geometry::Geometry;

/// A Model 3D file, binary or text.
#[pyclass(frozen, extends = Asset, module = "rezkit")]
pub(crate) struct M3d;

fn model(this: &PyRef<'_, M3d>) -> Result<Arc<Model>> {
    this.as_super().typed().ok_or_else(|| Error::Argument("self", "not a Model 3D file".to_owned()))
}

#[pymethods]
impl M3d {
    /// The triangles of all meshes by material, in the order of first use: a list of tuples of the material name and
    /// a `Geometry` in metres. Joints are indices of `bones`.
    fn groups<'py>(this: PyRef<'py, Self>) -> Result<Vec<(Bound<'py, PyAny>, Geometry)>> {
        let (py, model, max_bytes) = (this.py(), model(&this)?, this.as_super().max_bytes);
        let groups = py.detach(|| ViewOptions::new().max_bytes(max_bytes).material_groups(&model))?;
        Ok(groups
            .into_iter()
            .map(|group| (array::text(py, &group.name), Geometry::new(group.mesh)))
            .collect())
    }

    /// The bones as a structured array: `parent` (an index, -1 for none) and `inverse_bind` (4 x 4, in metres).
    #[getter]
    fn bones<'py>(this: PyRef<'py, Self>) -> Result<Bound<'py, PyAny>> {
        let (py, model) = (this.py(), model(&this)?);
        let bytes = py.detach(|| {
            let mut bytes = Vec::new();
            for (bone, matrix) in model.bones.iter().zip(model.inverse_bind_matrices()) {
                let parent = bone.parent.get().and_then(|parent| i32::try_from(parent).ok()).unwrap_or(-1);
                bytes.extend(parent.to_ne_bytes());
                bytes.extend(matrix.to_rows().into_iter().flat_map(f32::to_ne_bytes));
            }
            bytes
        });
        let fields = [("parent", "i4", Vec::new()), ("inverse_bind", "f4", vec![4, 4])];
        Ok(array::structured(py, bytes, &fields)?)
    }

    /// The names of the bones.
    #[getter]
    fn bone_names<'py>(this: PyRef<'py, Self>) -> Result<Vec<Bound<'py, PyAny>>> {
        let (py, model) = (this.py(), model(&this)?);
        Ok(model.bones.iter().map(|bone| array::text(py, &bone.name)).collect())
    }

    /// The actions: a list of tuples of the name and the duration in seconds.
    #[getter]
    fn actions<'py>(this: PyRef<'py, Self>) -> Result<Vec<(Bound<'py, PyAny>, f64)>> {
        let (py, model) = (this.py(), model(&this)?);
        let actions = model.actions.iter();
        Ok(actions
            .map(|action| (array::text(py, &action.name), f64::from(action.duration) / 1000.0))
            .collect())
    }

    /// The embedded files, such as textures: an `Extracted` with `.files`, a dict from names to bytes, and `.losses` for
    /// content that is in none of the files.
    fn extract<'py>(this: PyRef<'py, Self>) -> Result<Bound<'py, PyAny>> {
        this.as_super().extracted(this.py(), None)
    }

    /// The name of the model.
    #[getter]
    fn name<'py>(this: PyRef<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Ok(array::text(this.py(), &model(&this)?.name))
    }
}
