//! The triangle mesh that the mesh formats convert to and from.

use alloc::vec;
use alloc::vec::Vec;

use crate::{Aabb, LinearRgba, Vec2, Vec3, Vec4};

/// An indexed triangle mesh, one column per attribute.
///
/// A column other than `positions` is empty if the mesh lacks the attribute, and as long as `positions` otherwise;
/// `joints` and `weights` are both present or both absent. [`TriMesh::is_consistent`] checks this.
///
/// A vertex has at most four joints, as in Roblox, in Second Life and in `JOINTS_0` of glTF. A conversion
/// from a format that allows more keeps the four with the greatest weights.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct TriMesh {
    /// One point per vertex.
    pub positions: Vec<Vec3>,
    /// One normal per vertex.
    pub normals: Vec<Vec3>,
    /// One tangent per vertex. `w` is 1 or -1, and the bitangent is `w` × (normal × tangent).
    pub tangents: Vec<Vec4>,
    /// One texture coordinate per vertex; v grows downwards, as images are stored.
    pub uvs: Vec<Vec2>,
    /// One colour per vertex, linear. The mesh formats store sRGB, and convert with [`Rgba8::to_linear`](crate::Rgba8::to_linear) and
    /// [`LinearRgba::to_srgb`].
    pub colors: Vec<LinearRgba>,
    /// The joints that move each vertex, as indices into the skin's list of joints; 0 for a weight of 0.
    pub joints: Vec<[u16; 4]>,
    /// The weights of the joints; those of a vertex sum to 1.
    pub weights: Vec<[f32; 4]>,
    /// Three vertex indices per triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// The box around all positions; `None` for an empty mesh.
    pub fn bounds(&self) -> Option<Aabb> {
        Aabb::from_points(self.positions.iter().copied())
    }

    /// Whether each column is empty or complete, joints and weights are both present or both absent, and each index
    /// refers to a vertex.
    pub fn is_consistent(&self) -> bool {
        let Self { normals, tangents, uvs, colors, joints, .. } = self;
        let n = self.positions.len();
        let fits = |len: usize| len == 0 || len == n;
        [normals.len(), tangents.len(), uvs.len(), colors.len(), joints.len()].into_iter().all(fits)
            && joints.len() == self.weights.len()
            && self.triangles.iter().flatten().all(|&i| (i as usize) < n)
    }

    /// A normal per vertex, the mean of the normals of its triangles weighted by their areas. Vertices at the same
    /// position are not merged, so a seam stays a crease. A vertex without a triangle of positive area gets the
    /// zero vector; triangles with an index out of range are skipped.
    ///
    /// ```
    /// use geom::{TriMesh, Vec3};
    ///
    /// let mut mesh = TriMesh {
    ///     positions: vec![Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)],
    ///     triangles: vec![[0, 1, 2]],
    ///     ..TriMesh::default()
    /// };
    /// mesh.normals = mesh.area_weighted_normals();
    /// assert_eq!(mesh.normals, [Vec3::new(0.0, 0.0, 1.0); 3]);
    /// ```
    pub fn area_weighted_normals(&self) -> Vec<Vec3> {
        self.normals_by(|normal, _, _| Some(normal))
    }

    /// Like [`TriMesh::area_weighted_normals`], but weighted by the angle of the triangle at the vertex, so that the
    /// triangulation of a surface does not matter.
    pub fn angle_weighted_normals(&self) -> Vec<Vec3> {
        self.normals_by(|normal, to_next, to_last| {
            let sine = length(cross(to_next, to_last));
            let angle = libm::atan2(sine, dot(to_next, to_last));
            let scale = angle / length(normal);
            scale.is_finite().then(|| normal.map(|number| number * scale))
        })
    }

    /// The normalized sum, for each vertex, of `part` for its triangles. `part` takes the normal, whose length is twice
    /// the area, and the two edges from the vertex. Computes in 64 bits: the square of a small edge underflows in 32.
    fn normals_by(&self, part: impl Fn([f64; 3], [f64; 3], [f64; 3]) -> Option<[f64; 3]>) -> Vec<Vec3> {
        let mut sums = vec![[0.0_f64; 3]; self.positions.len()];
        let position = |index: u32| {
            let point = self.positions.get(index as usize).filter(|point| point.is_finite())?;
            Some(point.to_array().map(f64::from))
        };
        for &[a, b, c] in &self.triangles {
            let (Some(pa), Some(pb), Some(pc)) = (position(a), position(b), position(c)) else { continue };
            let normal = cross(sub(pb, pa), sub(pc, pa));
            for (index, at, next, last) in [(a, pa, pb, pc), (b, pb, pc, pa), (c, pc, pa, pb)] {
                if let (Some(add), Some(sum)) =
                    (part(normal, sub(next, at), sub(last, at)), sums.get_mut(index as usize))
                {
                    *sum = core::array::from_fn(|axis| sum[axis] + add[axis]);
                }
            }
        }
        sums.into_iter()
            .map(|sum| {
                let scale = 1.0 / length(sum);
                #[allow(clippy::cast_possible_truncation, reason = "normals have 32 bits")]
                let unit = sum.map(|number| (number * scale) as f32);
                if scale.is_finite() { Vec3::from(unit) } else { Vec3::default() }
            })
            .collect()
    }
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    core::array::from_fn(|axis| a[axis] - b[axis])
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross([ax, ay, az]: [f64; 3], [bx, by, bz]: [f64; 3]) -> [f64; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

fn length(a: [f64; 3]) -> f64 {
    libm::sqrt(dot(a, a))
}
