//! Second Life meshes.

use std::sync::Arc;

use geom::Mat4;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use slmesh::{Level, Lod};

use crate::array;
use crate::asset::Asset;
use crate::error::{Error, Result};
use crate::geometry::Geometry;

/// A Second Life mesh asset, or the viewer's `.slm` file, which may contain several meshes.
#[pyclass(frozen, extends = Asset, module = "rezkit")]
pub(crate) struct SecondLifeMesh;

/// The meshes of a file: one in a mesh asset, several in an `.slm` file.
enum Meshes {
    Asset(Arc<slmesh::Asset>),
    Slm(Arc<slmesh::Slm>),
}

impl Meshes {
    fn of(this: &PyRef<'_, SecondLifeMesh>) -> Result<Self> {
        let base = this.as_super();
        let asset = base.typed().map(Self::Asset).or_else(|| base.typed().map(Self::Slm));
        asset.ok_or_else(|| Error::Argument("self", "not a Second Life mesh".to_owned()))
    }

    fn get(&self, index: i64) -> Result<&slmesh::Asset> {
        let at = usize::try_from(index).ok();
        let (found, count) = match self {
            Self::Asset(asset) => ((index == 0).then_some(&**asset), 1),
            Self::Slm(slm) => (at.and_then(|at| slm.meshes.get(at)), slm.meshes.len()),
        };
        found.ok_or_else(|| {
            let text = format!("{index} is out of range; the number of meshes is {count}");
            Error::Argument("index", text)
        })
    }
}

fn faces(level: &Level) -> Vec<Geometry> {
    level.submeshes.iter().map(|face| Geometry::new(face.to_tri_mesh())).collect()
}

#[pymethods]
impl SecondLifeMesh {
    /// The number of meshes: 1 for a mesh asset.
    #[getter]
    fn mesh_count(this: PyRef<'_, Self>) -> Result<usize> {
        Ok(match Meshes::of(&this)? {
            Meshes::Asset(_) => 1,
            Meshes::Slm(slm) => slm.meshes.len(),
        })
    }

    /// The levels of detail of a mesh, finest first: a dict from `high`, `medium`, `low`, `lowest` and `physics`
    /// to the faces of the level, each a `Geometry` in metres, with z up. Joints are indices of `joint_names`.
    #[pyo3(signature = (index = 0))]
    fn levels<'py>(this: PyRef<'py, Self>, index: i64) -> Result<Bound<'py, PyDict>> {
        let (py, meshes) = (this.py(), Meshes::of(&this)?);
        let levels = py.detach(|| -> Result<_> {
            let asset = meshes.get(index)?;
            let names =
                [(Lod::High, "high"), (Lod::Medium, "medium"), (Lod::Low, "low"), (Lod::Lowest, "lowest")];
            let levels = names.into_iter().filter_map(|(lod, name)| Some((name, faces(asset.level(lod)?))));
            let physics = asset.physics_mesh.as_ref().map(|level| ("physics", faces(level)));
            Ok(levels.chain(physics).collect::<Vec<_>>())
        })?;
        let dict = PyDict::new(py);
        for (name, faces) in levels {
            dict.set_item(name, faces)?;
        }
        Ok(dict)
    }

    /// The names of the joints that move a mesh; empty without a skin.
    #[pyo3(signature = (index = 0))]
    fn joint_names<'py>(this: PyRef<'py, Self>, index: i64) -> Result<Vec<Bound<'py, PyAny>>> {
        let (py, meshes) = (this.py(), Meshes::of(&this)?);
        let skin = meshes.get(index)?.skin.as_ref();
        let names = skin.into_iter().flat_map(|skin| &skin.joint_names);
        Ok(names.map(|name| array::text(py, name.as_bytes())).collect())
    }

    /// The inverse bind matrices of a mesh, each multiplied by the bind shape matrix: `float32`, shape (joints, 4, 4),
    /// for column vectors. The inverse bind matrix of a joint without one is the identity.
    #[pyo3(signature = (index = 0))]
    fn inverse_bind<'py>(this: PyRef<'py, Self>, index: i64) -> Result<Bound<'py, PyAny>> {
        let (py, meshes) = (this.py(), Meshes::of(&this)?);
        let skin = meshes.get(index)?.skin.as_ref();
        let matrices = skin.into_iter().flat_map(|skin| {
            let shape = skin.bind_shape();
            (0..skin.joint_names.len())
                .map(move |joint| (skin.inverse_bind(joint).unwrap_or(Mat4::IDENTITY) * shape).to_rows())
        });
        Ok(array::owned(py, matrices.collect::<Vec<[f32; 16]>>())?)
    }

    /// The convex hulls for physics of a mesh, each an array of points: `float32`, shape (n, 3).
    #[pyo3(signature = (index = 0))]
    fn hulls<'py>(this: PyRef<'py, Self>, index: i64) -> Result<Vec<Bound<'py, PyAny>>> {
        let (py, meshes) = (this.py(), Meshes::of(&this)?);
        let convex = meshes.get(index)?.physics_convex.as_ref();
        let hulls = convex.into_iter().flat_map(|convex| convex.hull_points());
        Ok(hulls.map(|points| array::owned(py, points.collect::<Vec<_>>())).collect::<PyResult<_>>()?)
    }
}
