//! Collision geometry of unions and mesh parts: convex hulls.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used
)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, clippy::expect_used, clippy::indexing_slicing))]

mod edgebreaker;
mod packed;

use geom::{Aabb, TriMesh, Vec3};

use crate::bytes::{Bytes, Layout};
use geom::wire::Result;

/// The collision shape of a part: the bytes of the properties `PhysicalConfigData` and `PhysicsData`.
///
/// Positions are in studs, in the space of the part at its `InitialSize`: multiply each axis by size / `InitialSize`.
/// Triangles are counter-clockwise seen from outside.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Collision {
    /// The version of the layout: 0, 3, or 5 to 8.
    pub version: u32,
    /// In versions 7 and 8, a byte whose meaning is not known: 0 to 3, or 6.
    pub kind: Option<u8>,
    /// Volume and inertia, in versions 6 and 7.
    pub mass: Option<Mass>,
    /// Convex and closed hulls. Empty in version 0, which means that the shape is the box of the part.
    pub hulls: Vec<Hull>,
}

/// Volume and inertia.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[allow(clippy::exhaustive_structs, reason = "the fields of the layout")]
pub struct Mass {
    /// The volume in cubic studs.
    pub volume: f32,
    /// The centre of mass.
    pub center: Vec3,
    /// The upper triangle of the inertia tensor, row by row: xx, xy, xz, yy, yz, zz.
    pub inertia: [f32; 6],
}

/// A convex hull.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Hull {
    /// The points: usually four or more; one real hull has three points and two triangles.
    pub positions: Vec<Vec3>,
    /// The triangles, as indices of positions.
    pub triangles: Vec<[u32; 3]>,
}

impl Collision {
    /// The maximum number of bytes to which reading a blob inflates compressed hulls, whether they are damaged or not;
    /// 0 if the hulls are not compressed.
    pub fn inflated(blob: &[u8]) -> u64 {
        blob.strip_prefix(b"CSGPHS\x08\0\0\0").and_then(|rest| rest.get(2..)).map_or(0, rezstd::max_content)
    }

    /// Whether the shape is the box of the part.
    pub fn is_block(&self) -> bool {
        self.version == 0
    }

    /// The number of triangles of all hulls.
    pub fn triangle_count(&self) -> usize {
        self.hulls.iter().map(|hull| hull.triangles.len()).sum()
    }

    /// The box around all hulls; `None` without hulls.
    pub fn bounds(&self) -> Option<Aabb> {
        Aabb::from_points(self.hulls.iter().flat_map(|hull| hull.positions.iter().copied()))
    }

    /// All hulls as one mesh.
    pub fn to_mesh(&self) -> TriMesh {
        let mut mesh = TriMesh::default();
        mesh.positions.reserve_exact(self.hulls.iter().map(|hull| hull.positions.len()).sum());
        mesh.triangles.reserve_exact(self.triangle_count());
        for Hull { positions, triangles } in &self.hulls {
            let start = u32::try_from(mesh.positions.len()).unwrap_or(u32::MAX);
            mesh.triangles.extend(triangles.iter().map(|corners| corners.map(|i| i.saturating_add(start))));
            mesh.positions.extend_from_slice(positions);
        }
        mesh
    }
}

impl Layout for Collision {
    const NAME: &'static str = "collision data";

    fn read(bytes: &mut Bytes<'_>) -> Result<Self> {
        match &bytes.array()? {
            b"CSGPHS" => {}
            [b'C', b'S', b'G', b'K', ..] => {
                return Err(bytes.unsupported("CSGK data (it contains only a key, and no geometry)"));
            }
            magic => {
                let found = magic.escape_ascii();
                let what = format!("the first bytes are \"{found}\" (expected \"CSGPHS\")");
                return Err(bytes.invalid(what));
            }
        }
        let version = bytes.u32()?;
        let mut collision = Self { version, kind: None, mass: None, hulls: Vec::new() };
        match version {
            0 => match &bytes.array()? {
                b"BLOCK" => {}
                other => {
                    let found = other.escape_ascii();
                    let what = format!("version 0 is followed by \"{found}\" (expected \"BLOCK\")");
                    return Err(bytes.invalid(what));
                }
            },
            3 | 5 => hulls(bytes, &mut collision.hulls)?,
            6 => {
                collision.mass = Some(mass(bytes)?);
                hulls(bytes, &mut collision.hulls)?;
            }
            7 => {
                collision.kind = Some(bytes.u8()?);
                collision.mass = Some(mass(bytes)?);
                hulls(bytes, &mut collision.hulls)?;
            }
            8 => {
                collision.kind = Some(bytes.u8()?);
                collision.hulls = packed::read(bytes)?;
            }
            other => {
                let what = format!("version {other} (known versions: 0, 3, 5, 6, 7 and 8)");
                return Err(bytes.unsupported(what));
            }
        }
        Ok(collision)
    }
}

fn mass(bytes: &mut Bytes<'_>) -> Result<Mass> {
    Ok(Mass { volume: bytes.f32()?, center: bytes.floats()?.into(), inertia: bytes.floats()? })
}

/// The bytes before a hull: two values of 16 bytes, each preceded by its size; the same in every known file.
const HEAD: &[u8; 40] =
    b"\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80\x3f";

/// Reads hulls until the end.
fn hulls(bytes: &mut Bytes<'_>, hulls: &mut Vec<Hull>) -> Result<()> {
    while bytes.left() > 0 {
        if bytes.array()? != *HEAD {
            return Err(bytes.unsupported("hull header (its 40 bytes differ from those of all known files)"));
        }
        let floats = bytes.u32()?;
        let size = bytes.u32()?;
        if size != 4 {
            return Err(bytes.unsupported(format!("float size of {size} bytes (expected 4)")));
        }
        let positions = thirds(bytes, floats, "floats")?;
        let positions = bytes.points(positions)?;
        let indices = bytes.u32()?;
        let triangles = thirds(bytes, indices, "indices")?;
        let triangles = bytes.triangles(triangles, positions.len())?;
        let hull = Hull { positions, triangles };
        bytes.push(hulls, hull)?;
    }
    Ok(())
}

/// A third of a count, which must be a multiple of three, if the unread bytes can contain it.
fn thirds(bytes: &Bytes<'_>, count: u32, of: &str) -> Result<usize> {
    match count % 3 {
        0 => bytes.fits((count / 3).into(), 12),
        _ => Err(bytes.invalid(format!("expected a number of {of} that is a multiple of 3, found {count}"))),
    }
}
