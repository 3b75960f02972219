//! Roblox meshes.

use std::mem::offset_of;
use std::sync::Arc;

use geom::{Mat4, Rgba8, TriMesh, Vec2, Vec3};
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyType};
use rbxmesh::{Bone, LodChoice, Lods, Mesh, Tangent, Version, Vertex};

use crate::array::{self, floats, indices, matrix, text, vertices};
use crate::asset::Asset;
use crate::error::{Error, Result};
use crate::geometry::Geometry;
use crate::handle::Handle;

/// A Roblox mesh of any version, 1.00 to 7.00.
///
/// The arrays are read-only views of the mesh's memory. An edit (`set_skin`) does not change arrays that were taken
/// before it.
#[pyclass(frozen, extends = Asset, module = "rezkit")]
pub(crate) struct RobloxMesh;

fn mesh(this: &PyRef<'_, RobloxMesh>) -> Result<Arc<Mesh>> {
    this.as_super().typed().ok_or_else(|| Error::Argument("self", "not a Roblox mesh".to_owned()))
}

/// An optional index; -1 is none, too.
fn index(given: Option<i32>) -> Result<Option<u16>, std::num::TryFromIntError> {
    given.filter(|index| *index != -1).map(u16::try_from).transpose()
}

/// Bones from Python: tuples of name, parent and bind pose, and optionally of the other fields.
fn bones(list: &Bound<'_, PyAny>) -> Result<Vec<Bone>> {
    let mut bones = Vec::new();
    for (index, bone) in list.try_iter()?.enumerate() {
        let wrong = |error: PyErr| {
            let text = format!(
                "bone {index}: expected a tuple of a name, a parent (an index, or None or -1 for none), a bind pose (a \
                4 x 4 matrix), and optionally culling and lod_parent: {error}"
            );
            Error::Argument("bones", text)
        };
        type Five<'py> = (String, Option<i32>, Bound<'py, PyAny>, Option<f32>, Option<i32>);
        let bone = bone?;
        let (name, parent, pose, culling, lod_parent): Five<'_> = match bone.len().unwrap_or(0) {
            5 => bone.extract().map_err(wrong)?,
            _ => {
                let (name, parent, pose) = bone.extract().map_err(wrong)?;
                (name, parent, pose, None, parent)
            }
        };
        let [parent, lod_parent] = [parent, lod_parent].map(self::index);
        let parent = parent.map_err(|error| wrong(error.into()))?;
        let shape =
            || Error::Argument("bones", format!("bone {index}: expected a bind pose of shape (4, 4)"));
        let rows = matrix(&pose, "bones")?.ok_or_else(shape)?;
        let numbers: [f32; 16] = std::array::from_fn(|index| rows[index / 4][index % 4]);
        let mut bone = Bone::new(name, parent, Mat4::from_rows(numbers))?;
        bone.lod_parent = lod_parent.map_err(|error| wrong(error.into()))?;
        bone.culling = culling.unwrap_or_default();
        bones.push(bone);
    }
    Ok(bones)
}

/// Checks that a column has one row for each vertex.
fn same<T>(column: Vec<T>, name: &'static str, vertices: usize) -> Result<Vec<T>> {
    match column.len() == vertices {
        true => Ok(column),
        false => {
            let text = format!("expected {vertices} rows, one for each vertex, found {}", column.len());
            Err(Error::Argument(name, text))
        }
    }
}

/// The tangents of vertices: floats, or bytes as in `tangent_bytes`.
fn tangents(given: &Bound<'_, PyAny>, vertices: usize) -> Result<Vec<Tangent>> {
    let array = given.py().import("numpy")?.call_method1("asarray", (given,))?;
    if array.getattr("dtype")?.getattr("name")?.eq("uint8")? {
        let rows = same(indices::<u8, 4>(&array, "tangents", 256, "values")?, "tangents", vertices)?;
        return Ok(rows.into_iter().map(Tangent).collect());
    }
    let rows = same(floats::<4>(&array, "tangents")?, "tangents", vertices)?;
    let tangent = |[x, y, z, sign]: [f32; 4]| match [x, y, z] {
        [0.0, 0.0, 0.0] => Tangent::ABSENT,
        _ => Tangent::encode(Vec3::new(x, y, z), sign),
    };
    Ok(rows.into_iter().map(tangent).collect())
}

/// The levels of detail as slices of the triangles, one after another.
fn levels(given: &Bound<'_, PyAny>, triangles: usize) -> Result<Lods> {
    let mut lods = Lods { offsets: vec![0], ..Lods::default() };
    let mut last = 0;
    for level in given.try_iter()? {
        let level = level?.cast_into::<PySlice>().map_err(PyErr::from)?.indices(triangles as isize)?;
        if (level.start, level.step) != (last, 1) || level.stop < last {
            let text = format!("expected slices of the triangles, one after another, found {given}");
            return Err(Error::Argument("levels", text));
        }
        last = level.stop;
        lods.offsets.push(u32::try_from(last).unwrap_or(u32::MAX));
    }
    if last as usize != triangles {
        let text = format!("expected slices that end at {triangles}, the number of triangles, found {given}");
        return Err(Error::Argument("levels", text));
    }
    Ok(lods)
}

fn version(name: &str) -> Result<Version> {
    name.parse().map_err(|_| {
        let known = "1.00, 1.01, 2.00, 3.00, 3.01, 4.00, 4.01, 5.00, 6.00 or 7.00";
        Error::Argument("version", format!("expected {known}, found {name:?}"))
    })
}

#[pymethods]
impl RobloxMesh {
    /// Creates a mesh from arrays: positions (n, 3) and triangles (m, 3), optionally normals (n, 3), uvs (n, 2),
    /// tangents (n, 4) and colors (n, 4), one row for each vertex.
    ///
    /// Colors are 0 to 255, sRGB. Tangents are floats, or `uint8` as in `tangent_bytes`. Omitted columns are zero, omitted
    /// colors white. With `joints` and `weights`, four for each vertex, and `bones`, the mesh gets a skin as by `set_skin`.
    /// `levels` are slices of the triangles, finest first, as in `levels`.
    ///
    /// >>> import numpy, rezkit
    /// >>> positions = numpy.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype="float32")
    /// >>> mesh = rezkit.RobloxMesh.from_arrays(positions, [[0, 1, 2]], version="5.00")
    /// >>> mesh.version, mesh.positions.tolist() == positions.tolist()
    /// ('5.00', True)
    /// >>> rezkit.RobloxMesh.from_arrays(positions[:, :2], [[0, 1, 2]])
    /// Traceback (most recent call last):
    /// ...
    /// rezkit.Error: positions: expected numbers of shape (n, 3), found float32 of shape (3, 2)
    #[classmethod]
    #[pyo3(signature = (positions, triangles, *, normals = None, uvs = None, tangents = None, colors = None,
        joints = None, weights = None, bones = None, levels = None, version = "5.00"))]
    #[allow(clippy::too_many_arguments, reason = "the keywords of a function of Python")]
    fn from_arrays<'py>(
        class: &Bound<'py, PyType>,
        positions: &Bound<'py, PyAny>,
        triangles: &Bound<'py, PyAny>,
        normals: Option<&Bound<'py, PyAny>>,
        uvs: Option<&Bound<'py, PyAny>>,
        tangents: Option<&Bound<'py, PyAny>>,
        colors: Option<&Bound<'py, PyAny>>,
        joints: Option<&Bound<'py, PyAny>>,
        weights: Option<&Bound<'py, PyAny>>,
        bones: Option<&Bound<'py, PyAny>>,
        levels: Option<&Bound<'py, PyAny>>,
        version: &str,
    ) -> Result<Bound<'py, PyAny>> {
        let py = class.py();
        let positions: Vec<Vec3> = floats(positions, "positions")?.into_iter().map(Vec3::from).collect();
        let count = positions.len();
        let column = |argument: Option<&Bound<'py, PyAny>>, name| {
            argument.map_or(Ok(Vec::new()), |argument| same(floats(argument, name)?, name, count))
        };
        let normals = column(normals, "normals")?.into_iter().map(Vec3::from).collect();
        let uvs = uvs.map_or(Ok(Vec::new()), |uvs| same(floats(uvs, "uvs")?, "uvs", count))?;
        let tangents = tangents.map(|rows| self::tangents(rows, count)).transpose()?;
        let colors = colors.map_or(Ok(Vec::new()), |rows| {
            same(indices::<u8, 4>(rows, "colors", 256, "values")?, "colors", count)
        })?;
        let triangles = indices(triangles, "triangles", count, "vertices")?;
        let mesh = TriMesh {
            positions,
            normals,
            uvs: uvs.into_iter().map(Vec2::from).collect(),
            colors: colors.into_iter().map(|color| Rgba8::from(color).to_linear()).collect(),
            triangles,
            ..TriMesh::default()
        };
        let levels = levels.map(|levels| self::levels(levels, mesh.triangles.len())).transpose()?;
        let version = self::version(version)?;
        let skin = match (joints, weights, bones) {
            (None, None, None) => None,
            (Some(joints), Some(weights), Some(bones)) => {
                let bones = self::bones(bones)?;
                let joints: Vec<[u16; 4]> =
                    same(indices(joints, "joints", bones.len(), "bones")?, "joints", count)?;
                Some((joints, same(floats::<4>(weights, "weights")?, "weights", count)?, bones))
            }
            _ => {
                let given = [("joints", joints), ("weights", weights), ("bones", bones)];
                let given = given.map(|(name, rows)| rows.map(|_| name)).into_iter().flatten();
                let given = given.collect::<Vec<_>>().join(" and ");
                let text = format!("expected joints, weights and bones together, found only {given}");
                return Err(Error::Argument("joints", text));
            }
        };
        let made = py.detach(|| {
            let mut made = Mesh::from_tri_mesh(&mesh)?;
            made.lods = levels.unwrap_or_default();
            for (vertex, tangent) in made.vertices.iter_mut().zip(tangents.into_iter().flatten()) {
                vertex.tangent = tangent;
            }
            let (mut made, dropped) = made.to_version(version, LodChoice::First);
            if let Some(dropped) = dropped.first() {
                return Err(Error::Argument("version", format!("{version} cannot represent {dropped}")));
            }
            if let Some((joints, weights, bones)) = skin {
                made.set_skin(&joints, &weights, bones)?;
            }
            Ok(made)
        })?;
        Ok(Handle::made(made).into_object(py)?)
    }

    /// A copy with other arrays, one row for each vertex; bones, levels of detail, facial animations and everything else
    /// are kept. `triangles` needs as many rows as before, since they belong to levels. `tangents` are floats, or `uint8`
    /// as in `tangent_bytes`.
    ///
    /// >>> import rezkit
    /// >>> mesh = rezkit.RobloxMesh.from_arrays([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    /// >>> mesh.replace(positions=mesh.positions * 2).positions[1].tolist()
    /// [2.0, 0.0, 0.0]
    #[pyo3(signature = (*, positions = None, triangles = None, normals = None, uvs = None, tangents = None, colors = None))]
    #[allow(clippy::too_many_arguments, reason = "the keywords of a function of Python")]
    fn replace<'py>(
        this: PyRef<'py, Self>,
        positions: Option<&Bound<'py, PyAny>>,
        triangles: Option<&Bound<'py, PyAny>>,
        normals: Option<&Bound<'py, PyAny>>,
        uvs: Option<&Bound<'py, PyAny>>,
        tangents: Option<&Bound<'py, PyAny>>,
        colors: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        let py = this.py();
        let mut mesh = (*mesh(&this)?).clone();
        let count = mesh.vertices.len();
        macro_rules! column {
            ($given:ident, $rows:expr, |$vertex:ident, $row:ident| $set:expr) => {
                if let Some($given) = $given {
                    let rows = same($rows, stringify!($given), count)?;
                    mesh.vertices.iter_mut().zip(rows).for_each(|($vertex, $row)| $set);
                }
            };
        }
        column!(positions, floats(positions, "positions")?, |vertex, row| vertex.position = Vec3::from(row));
        column!(normals, floats(normals, "normals")?, |vertex, row| vertex.normal = Vec3::from(row));
        column!(uvs, floats(uvs, "uvs")?, |vertex, row| vertex.uv = Vec2::from(row));
        column!(tangents, self::tangents(tangents, count)?, |vertex, row| vertex.tangent = row);
        column!(colors, indices::<u8, 4>(colors, "colors", 256, "values")?, |vertex, row| {
            vertex.color = Rgba8::from(row);
        });
        if let Some(triangles) = triangles {
            let rows = indices(triangles, "triangles", count, "vertices")?;
            if rows.len() != mesh.faces.len() {
                let text = format!("expected {} rows, as before, found {}", mesh.faces.len(), rows.len());
                return Err(Error::Argument("triangles", text));
            }
            mesh.faces = rows;
        }
        Ok(Handle::made(mesh).into_object(py)?)
    }

    /// The positions of the vertices of all levels of detail, in studs: `float32`, shape (n, 3).
    #[getter]
    fn positions<'py>(this: PyRef<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Ok(vertices::<Vec3>(this.py(), &mesh(&this)?, offset_of!(Vertex, position))?)
    }

    /// The normals: `float32`, shape (n, 3).
    #[getter]
    fn normals<'py>(this: PyRef<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Ok(vertices::<Vec3>(this.py(), &mesh(&this)?, offset_of!(Vertex, normal))?)
    }

    /// The texture coordinates: `float32`, shape (n, 2); v grows downwards.
    #[getter]
    fn uvs<'py>(this: PyRef<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Ok(vertices::<Vec2>(this.py(), &mesh(&this)?, offset_of!(Vertex, uv))?)
    }

    /// The vertex colours: `uint8`, shape (n, 4); white if the file has none.
    #[getter]
    fn colors<'py>(this: PyRef<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Ok(vertices::<Rgba8>(this.py(), &mesh(&this)?, offset_of!(Vertex, color))?)
    }

    /// The stored tangents: `uint8`, shape (n, 4), each byte b for (b - 127) / 127; four zeros for a vertex without a
    /// tangent.
    #[getter]
    fn tangent_bytes<'py>(this: PyRef<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Ok(vertices::<Rgba8>(this.py(), &mesh(&this)?, offset_of!(Vertex, tangent))?)
    }

    /// The tangents: `float32`, shape (n, 4); w is the sign of the bitangent. Zeros for a vertex without a tangent,
    /// `None` if no vertex has one. Computed from `tangent_bytes` at each use.
    #[getter]
    fn tangents<'py>(this: PyRef<'py, Self>) -> Result<Option<Bound<'py, PyAny>>> {
        let (py, mesh) = (this.py(), mesh(&this)?);
        let decoded = py.detach(|| {
            let decode = |vertex: &Vertex| {
                vertex.tangent.decode().map_or([0.0; 4], |(Vec3 { x, y, z }, sign)| [x, y, z, sign])
            };
            let some = mesh.vertices.iter().any(|vertex| vertex.tangent != rbxmesh::Tangent::ABSENT);
            some.then(|| mesh.vertices.iter().map(decode).collect::<Vec<_>>())
        });
        Ok(decoded.map(|decoded| array::owned(py, decoded)).transpose()?)
    }

    /// Three vertex indices for each triangle of all levels of detail, one level after another: `uint32`,
    /// shape (m, 3).
    #[getter]
    fn triangles<'py>(this: PyRef<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Ok(array::column(this.py(), &mesh(&this)?, |mesh| &mesh.faces)?)
    }

    /// The bones that move each vertex, as indices of `bones`: `uint16`, shape (n, 4); 0 if the weight is 0.
    /// `None` without bones. Computed at each use.
    #[getter]
    fn joints<'py>(this: PyRef<'py, Self>) -> Result<Option<Bound<'py, PyAny>>> {
        let (py, mesh) = (this.py(), mesh(&this)?);
        let joints = py.detach(|| influences(&mesh, |(joints, _)| joints));
        Ok(joints.map(|joints| array::owned(py, joints)).transpose()?)
    }

    /// The weight of each of the `joints`, with a sum of 1: `float32`, shape (n, 4). `None` without bones.
    /// Computed at each use.
    #[getter]
    fn weights<'py>(this: PyRef<'py, Self>) -> Result<Option<Bound<'py, PyAny>>> {
        let (py, mesh) = (this.py(), mesh(&this)?);
        let weights = py.detach(|| influences(&mesh, |(_, weights)| weights));
        Ok(weights.map(|weights| array::owned(py, weights)).transpose()?)
    }

    /// The levels of detail, finest first, as ranges of `triangles`.
    ///
    /// >>> import rezkit
    /// >>> mesh = rezkit.RobloxMesh.from_arrays([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    /// >>> mesh.levels
    /// [slice(0, 1, 1)]
    #[getter]
    fn levels<'py>(this: PyRef<'py, Self>) -> Result<Vec<Bound<'py, PySlice>>> {
        let (py, mesh) = (this.py(), mesh(&this)?);
        let mut start = 0;
        let base = mesh.faces.as_ptr() as usize;
        let level = |level: &[[u32; 3]]| {
            // A level is a part of the faces.
            if !level.is_empty() {
                start = (level.as_ptr() as usize - base) / size_of::<[u32; 3]>();
            }
            let end = start + level.len();
            array::slice(py, start, end)
        };
        Ok(mesh.levels().map(level).collect::<PyResult<_>>()?)
    }

    /// One level of detail with the vertices that it uses, as a `Geometry`.
    #[pyo3(signature = (index = 0))]
    fn level(this: PyRef<'_, Self>, index: i64) -> Result<Geometry> {
        let (py, mesh) = (this.py(), mesh(&this)?);
        let found = usize::try_from(index).ok().and_then(|index| py.detach(|| mesh.to_tri_mesh(index)));
        let count = mesh.levels().len();
        let missing = || {
            let text = format!("{index} is out of range; the number of levels of detail is {count}");
            Error::Argument("index", text)
        };
        found.map(Geometry::new).ok_or_else(missing)
    }

    /// The bones as a structured array: `parent` and `lod_parent` (indices, -1 for none), `culling` (the distance
    /// beyond which the bone does not move) and `bind_pose` (4 x 4, in the mesh's space).
    #[getter]
    fn bones<'py>(this: PyRef<'py, Self>) -> Result<Bound<'py, PyAny>> {
        let (py, mesh) = (this.py(), mesh(&this)?);
        let mut bytes = Vec::with_capacity(mesh.bones.len() * 76);
        for bone in &mesh.bones {
            for parent in [bone.parent, bone.lod_parent] {
                bytes.extend(parent.map_or(-1, i32::from).to_ne_bytes());
            }
            bytes.extend(bone.culling.to_ne_bytes());
            bytes.extend(bone.bind_pose().to_rows().into_iter().flat_map(f32::to_ne_bytes));
        }
        let scalar = Vec::new;
        let fields = [
            ("parent", "i4", scalar()),
            ("lod_parent", "i4", scalar()),
            ("culling", "f4", scalar()),
            ("bind_pose", "f4", vec![4, 4]),
        ];
        Ok(array::structured(py, bytes, &fields)?)
    }

    /// The names of the bones.
    #[getter]
    fn bone_names<'py>(this: PyRef<'py, Self>) -> Result<Vec<Bound<'py, PyAny>>> {
        let (py, mesh) = (this.py(), mesh(&this)?);
        Ok(mesh.bones.iter().map(|bone| text(py, &bone.name)).collect())
    }

    /// Gives the mesh a skin: `joints` (n, k) are indices of `bones`, `weights` (n, k) the weight of each; k
    /// is 1 to 8. `bones` are tuples of a name, the index of the parent (`None` or -1 for none), and the bind pose (4 x 4,
    /// in the mesh's space); further, both or none, `culling` and `lod_parent`, as in `bones`.
    ///
    /// Keeps the four largest weights of a vertex. Vertices may be reordered and duplicated: returns the original index
    /// of each new vertex, `uint32`, shape (new n,). The triangles of a level may be reordered, too, if a mesh has more
    /// bones than a part of it can refer to (26).
    ///
    /// >>> import numpy, rezkit
    /// >>> mesh = rezkit.RobloxMesh.from_arrays([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    /// >>> mesh.set_skin([[0]] * 3, [[1.0]] * 3, [("Root", None, numpy.eye(4))])
    /// array([0, 1, 2], dtype=uint32)
    /// >>> mesh.bone_names, mesh.weights[0].tolist()
    /// (['Root'], [1.0, 0.0, 0.0, 0.0])
    fn set_skin<'py>(
        this: PyRef<'py, Self>,
        joints: &Bound<'py, PyAny>,
        weights: &Bound<'py, PyAny>,
        bones: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>> {
        let py = this.py();
        let bones = self::bones(bones)?;
        let count = mesh(&this)?.vertices.len();
        let shape = py.import("numpy")?.call_method1("asarray", (joints,))?.getattr("shape")?;
        let shape: Vec<usize> = shape.extract()?;
        let base = this.as_super();
        macro_rules! set {
            ($($n:literal)+) => {
                match shape.get(1).copied().unwrap_or(0) {
                    $($n => {
                        let joints: Vec<[u16; $n]> = indices(joints, "joints", bones.len(), "bones")?;
                        let joints = same(joints, "joints", count)?;
                        let weights = same(floats::<$n>(weights, "weights")?, "weights", count)?;
                        let base = &**base;
                        py.detach(|| base.edit(|mesh: &mut Mesh| Ok(mesh.set_skin(&joints, &weights, bones)?)))?
                    })+
                    _ => {
                        let found = array::tuple(&shape);
                        let text = format!("expected integers of shape (n, k), k from 1 to 8, found shape {found}");
                        return Err(Error::Argument("joints", text));
                    }
                }
            };
        }
        let change = set!(1 2 3 4 5 6 7 8);
        Ok(array::owned(py, change.vertices)?)
    }

    /// Converts the mesh to another version. Returns a new mesh, and a list of what it cannot represent.
    fn to_version<'py>(this: PyRef<'py, Self>, version: &str) -> Result<(Bound<'py, PyAny>, Vec<String>)> {
        let (py, mesh, version) = (this.py(), mesh(&this)?, self::version(version)?);
        let (made, dropped) = py.detach(|| mesh.to_version(version, LodChoice::First));
        let dropped = dropped.iter().map(ToString::to_string).collect();
        Ok((Handle::made(made).into_object(py)?, dropped))
    }
}

fn influences<T>(mesh: &Mesh, part: impl Fn(([u16; 4], [f32; 4])) -> T) -> Option<Vec<T>> {
    let skin = mesh.skin();
    let some = !mesh.bones.is_empty() && !mesh.envelopes.is_empty();
    some.then(|| (0..mesh.vertices.len()).map(|vertex| part(skin.joints(vertex))).collect())
}
