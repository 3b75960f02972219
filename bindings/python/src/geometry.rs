//! Triangles as arrays.

use std::sync::Arc;

use geom::TriMesh;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use rezkit_table::arrow_array::StructArray;

use crate::array::column;
use crate::arrow;

/// Triangles with one array for each attribute; `None` if the attribute is absent.
///
/// The arrays are read-only views of the geometry's memory, which they keep alive.
#[pyclass(frozen, module = "rezkit")]
pub(crate) struct Geometry {
    mesh: Arc<TriMesh>,
}

impl Geometry {
    pub(crate) fn new(mesh: impl Into<Arc<TriMesh>>) -> Self {
        Self { mesh: mesh.into() }
    }

    pub(crate) fn mesh(&self) -> Arc<TriMesh> {
        self.mesh.clone()
    }
}

/// The column of an attribute; `None` if it is absent.
macro_rules! optional {
    ($self:ident, $py:ident, $name:ident) => {
        match $self.mesh.$name.is_empty() {
            true => Ok(None),
            false => column($py, &$self.mesh, |mesh| &mesh.$name).map(Some),
        }
    };
}

#[pymethods]
impl Geometry {
    /// The position of each vertex: `float32`, shape (n, 3).
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        column(py, &self.mesh, |mesh| &mesh.positions)
    }

    /// Three vertex indices for each triangle, counter-clockwise: `uint32`, shape (m, 3).
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        column(py, &self.mesh, |mesh| &mesh.triangles)
    }

    /// The normal of each vertex: `float32`, shape (n, 3).
    #[getter]
    fn normals<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        optional!(self, py, normals)
    }

    /// The tangent of each vertex: `float32`, shape (n, 4); w is the sign of the bitangent.
    #[getter]
    fn tangents<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        optional!(self, py, tangents)
    }

    /// The texture coordinates of each vertex: `float32`, shape (n, 2); v grows downwards.
    #[getter]
    fn uvs<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        optional!(self, py, uvs)
    }

    /// The colour of each vertex: `uint16`, shape (n, 4): red, green, blue, alpha, linear; 65535 is 1.
    #[getter]
    fn colors<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        optional!(self, py, colors)
    }

    /// The four joints that move each vertex: `uint16`, shape (n, 4).
    #[getter]
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        optional!(self, py, joints)
    }

    /// The weight of each of the `joints`: `float32`, shape (n, 4).
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        optional!(self, py, weights)
    }

    /// The vertices as an Arrow struct array of lists of a fixed size, without copies.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let mut columns = Vec::new();
        macro_rules! columns {
            ($($name:ident)+) => {$(
                if !self.mesh.$name.is_empty() {
                    let rows = arrow::rows(&self.mesh, |mesh| &mesh.$name, &[], &[]);
                    columns.push((stringify!($name), rows.map_err(arrow::error)?));
                }
            )+};
        }
        columns!(positions normals tangents uvs colors joints weights);
        let vertices = StructArray::try_from(columns).map_err(arrow::error)?;
        arrow::capsules(py, Arc::new(vertices), requested_schema)
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let objects = this.py().import("rezkit._objects")?;
        let columns = objects.call_method1("plain", (this,))?;
        Ok((objects.getattr("geometry")?, (columns,)).into_pyobject(this.py())?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("Geometry({} vertices, {} triangles)", self.mesh.positions.len(), self.mesh.triangles.len())
    }
}
