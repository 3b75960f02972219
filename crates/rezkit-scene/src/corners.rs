//! The corners of polygons as vertices: equal ones become one.

use std::collections::HashMap;

use geom::{LinearRgba, TriMesh, Vec2, Vec3};
use glam::{DMat3, DMat4, DVec3};

/// The columns of a corner.
pub(crate) struct Columns {
    pub(crate) point: u32,
    pub(crate) position: Vec3,
    pub(crate) normal: Option<[f32; 3]>,
    pub(crate) tangent: Option<[f32; 4]>,
    pub(crate) color: Option<LinearRgba>,
    pub(crate) uvs: Vec<[f32; 2]>,
}

/// A corner as its columns, so that equal ones become one vertex.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Corner {
    point: u32,
    normal: [u32; 3],
    tangent: [u32; 4],
    color: [u16; 4],
    uvs: Vec<[u32; 2]>,
}

/// The triangles of one material, while they are collected.
#[derive(Default)]
pub(crate) struct Part {
    pub(crate) mesh: TriMesh,
    pub(crate) more_uvs: Vec<Vec<Vec2>>,
    /// The point of each vertex.
    pub(crate) points: Vec<u32>,
    known: HashMap<Corner, u32>,
}

impl Part {
    /// A part whose vertices have this number of sets of texture coordinates.
    pub(crate) fn new(sets: usize) -> Self {
        Self { more_uvs: vec![Vec::new(); sets.saturating_sub(1)], ..Self::default() }
    }

    /// The vertex of a corner, which is added if there is no equal one.
    pub(crate) fn vertex(&mut self, of: Columns) -> u32 {
        let key = Corner {
            point: of.point,
            normal: of.normal.unwrap_or_default().map(f32::to_bits),
            tangent: of.tangent.unwrap_or_default().map(f32::to_bits),
            color: of.color.map_or([0; 4], |color| [color.r, color.g, color.b, color.a]),
            uvs: of.uvs.iter().map(|uv| uv.map(f32::to_bits)).collect(),
        };
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let vertex = self.mesh.positions.len() as u32;
        self.points.push(key.point);
        self.known.insert(key, vertex);
        self.mesh.positions.push(of.position);
        self.mesh.normals.extend(of.normal.map(Vec3::from));
        self.mesh.tangents.extend(of.tangent.map(geom::Vec4::from));
        self.mesh.colors.extend(of.color);
        for (set, uv) in of.uvs.into_iter().enumerate() {
            match set {
                0 => self.mesh.uvs.push(uv.into()),
                set => self.more_uvs[set - 1].push(uv.into()),
            }
        }
        vertex
    }
}

/// A colour that is stored as sRGB, as Blender reads and writes it.
pub(crate) fn linear([r, g, b, a]: [f32; 4]) -> LinearRgba {
    let of = |value: f32| {
        let value = value.clamp(0.0, 1.0);
        if value <= 0.040_45 { value / 12.92 } else { libm::powf((value + 0.055) / 1.055, 2.4) }
    };
    LinearRgba::from_unit([of(r), of(g), of(b), a.clamp(0.0, 1.0)])
}

/// The matrix of a geometry, and what its normals and its winding become.
pub(crate) struct Moved {
    matrix: DMat4,
    normals: DMat3,
    pub(crate) is_mirrored: bool,
}

impl Moved {
    /// A matrix of the file's units, and the factor to metres.
    pub(crate) fn new(matrix: DMat4, unit: f64) -> Self {
        let linear = DMat3::from_mat4(matrix);
        Self {
            matrix: DMat4::from_scale(DVec3::splat(unit)) * matrix,
            normals: linear.inverse().transpose(),
            is_mirrored: linear.determinant() < 0.0,
        }
    }

    pub(crate) fn point(&self, of: DVec3) -> Vec3 {
        self.matrix.transform_point3(of).as_vec3().to_array().into()
    }

    /// The offset of a point.
    pub(crate) fn offset(&self, of: DVec3) -> Vec3 {
        self.matrix.transform_vector3(of).as_vec3().to_array().into()
    }

    pub(crate) fn normal(&self, of: DVec3) -> [f32; 3] {
        (self.normals * of).normalize_or_zero().as_vec3().to_array()
    }

    pub(crate) fn tangent(&self, of: DVec3) -> [f32; 3] {
        self.matrix.transform_vector3(of).normalize_or_zero().as_vec3().to_array()
    }
}
