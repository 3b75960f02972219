//! The keys of every map of the format, stated once: `model::equal` compares by these tables, `wire::keys` reads
//! and writes by them, `check` finds leftovers in `extra` by them, and a test compares the tables of FORMAT.md with
//! them.

/// Types with a table.
pub(crate) trait Keyed {
    /// The keys in it.
    const KEYS: &'static [&'static str];
    /// The types of their values.
    const TYPES: &'static [&'static str];
}

/// Calls a macro with all tables: the type; in brackets the fields that are not its keys and those that equality
/// ignores; then field, key and value type.
macro_rules! tables {
    ($with:ident) => {
        $with! {
            Asset [lowest_lod low_lod medium_lod high_lod physics_mesh physics_convex physics_havok skin other_blocks] [layout] {
                version "version" "integer",
                creator "creator" "UUID",
                date "date" "date",
                submodel_id "submodel_id" "integer",
                material_list "material_list" "strings",
                physics_cost_data "physics_cost_data" "map",
            }
            Submesh [] [] {
                no_geometry "NoGeometry" "boolean",
                position_domain "PositionDomain" "a map with the keys `Min` and `Max`, each an array of 3 reals",
                positions "Position" "u16 × 3 per vertex",
                normals "Normal" "u16 × 3 per vertex",
                tangents "Tangent" "u16 × 4 per vertex",
                tex_coord0_domain "TexCoord0Domain" "a map with the keys `Min` and `Max`, each an array of 2 reals",
                tex_coords0 "TexCoord0" "u16 × 2 per vertex",
                tex_coord1_domain "TexCoord1Domain" "a map with the keys `Min` and `Max`, each an array of 2 reals",
                tex_coords1 "TexCoord1" "u16 × 2 per vertex",
                triangles "TriangleList" "u16 × 3 per triangle",
                weights "Weights" "1 to 12 bytes per vertex",
                normalized_scale "NormalizedScale" "3 reals",
            }
            Skin [entry] [] {
                joint_names "joint_names" "strings",
                bind_shape_matrix "bind_shape_matrix" "16 reals",
                inverse_bind_matrices "inverse_bind_matrix" "an array for each joint, each of 16 reals",
                alt_inverse_bind_matrices "alt_inverse_bind_matrix" "an array for each joint, each of 16 reals",
                pelvis_offset "pelvis_offset" "real",
                lock_scale_if_joint_position "lock_scale_if_joint_position" "boolean",
            }
            StoredConvex [] [] {
                min "Min" "3 reals",
                max "Max" "3 reals",
                bounding "BoundingVerts" "u16 × 3 per point",
                counts "HullList" "u8 per hull",
                points "Positions" "u16 × 3 per point",
            }
            Havok [entry] [] {
                hull_mass "HullMassProps" "map",
                decomposition_mass "MeshDecompMassProps" "map",
                mopp "MOPP" "map",
            }
            MassProps [] [] {
                center "CoM" "3 reals",
                inertia "inertia" "9 reals",
                mass "mass" "real",
                volume "volume" "real",
            }
            Mopp [] [] {
                build_type "BuildType" "integer",
                data "MoppData" "binary",
                info "MoppInfo" "4 reals",
            }
            CostData [] [] {
                decomposition "decomposition" "real",
                decomposition_discounted_vertices "decomposition_discounted_vertices" "integer",
                decomposition_hulls "decomposition_hulls" "integer",
                hull "hull" "real",
                hull_discounted_vertices "hull_discounted_vertices" "integer",
                mesh "mesh" "9 reals",
                mesh_triangles "mesh_triangles" "integer",
            }
            StoredSlm [] [] {
                version "version" "integer",
                name "name" "string",
                meshes "mesh" "strings",
                instances "instance" "maps",
            }
            Instance [] [] {
                mesh_id "mesh_id" "integer",
                label "label" "string",
                transform "transform" "16 reals",
                material "material" "anything",
            }
        }
    };
}
pub(crate) use tables;

/// The blocks: field and key, in the order in which the viewer writes them.
macro_rules! blocks {
    ($with:ident) => {
        $with! {
            skin "skin",
            physics_convex "physics_convex",
            lowest_lod "lowest_lod",
            low_lod "low_lod",
            medium_lod "medium_lod",
            high_lod "high_lod",
            physics_mesh "physics_mesh",
            physics_havok "physics_havok",
        }
    };
}
pub(crate) use blocks;

/// The old name of `physics_mesh`.
pub(crate) const OLD_PHYSICS_MESH: &str = "physics_shape";

macro_rules! is_block {
    ($($field:ident $key:literal,)+) => {
        /// Whether a header key is that of a block with a known meaning.
        pub(crate) fn is_block(key: &[u8]) -> bool {
            $(key == $key.as_bytes() ||)+ key == OLD_PHYSICS_MESH.as_bytes()
        }
    };
}
blocks!(is_block);

use super::asset::Asset;
use super::physics::{CostData, Havok, MassProps, Mopp, StoredConvex};
use super::skin::Skin;
use super::slm::{Instance, StoredSlm};
use super::submesh::Submesh;

macro_rules! keyed {
    ($($model:ident [$($other:ident)*] [$($left_out:ident)*] { $($field:ident $key:literal $kind:literal,)+ })+) => {$(
        impl Keyed for $model {
            const KEYS: &'static [&'static str] = &[$($key),+];
            const TYPES: &'static [&'static str] = &[$($kind),+];
        }
    )+};
}
tables!(keyed);
