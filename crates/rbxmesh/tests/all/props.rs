//! Random meshes: what is written is read as an equal mesh, in every version that can represent it.

use proptest::collection::vec;
use proptest::prelude::*;
use rbxmesh::geom::{Mat3, Rgba8, Vec2, Vec3};
use rbxmesh::{
    Bone, Envelope, Facs, LodChoice, LodType, Lods, Mesh, Names, QuantizedMatrix, Samples, Subset, Tangent,
    Transforms, Version, Vertex, Visibility, WriteOptions,
};

fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        any::<f32>(),
        (-2_000_000..2_000_000_i32).prop_map(|number| number as f32 / 1e6),
        Just(0.0),
        Just(-0.0),
    ]
}

fn vec3() -> impl Strategy<Value = Vec3> {
    [number(), number(), number()].prop_map(Vec3::from)
}

// Boxed, since these strategies are larger than the stack of an unoptimised test.
fn vertex() -> BoxedStrategy<Vertex> {
    (vec3(), vec3(), [number(), number()], any::<[u8; 4]>(), any::<[u8; 4]>())
        .prop_map(|(position, normal, uv, tangent, color)| Vertex {
            position,
            normal,
            uv: Vec2::from(uv),
            tangent: Tangent(tangent),
            color: Rgba8::from(color),
        })
        .boxed()
}

fn name() -> impl Strategy<Value = Vec<u8>> {
    vec(1..=255_u8, 0..12)
}

fn bone() -> BoxedStrategy<Bone> {
    let numbers = (number(), vec3(), vec3(), vec3(), vec3());
    let parents = [proptest::option::of(0..0xffff_u16), proptest::option::of(0..0xffff_u16)];
    (name(), parents, numbers)
        .prop_map(|(name, [parent, lod_parent], (culling, x, y, z, position))| Bone {
            name: name.into(),
            parent,
            lod_parent,
            culling,
            rotation: Mat3 { x_axis: x, y_axis: y, z_axis: z },
            position,
        })
        .boxed()
}

fn subset() -> BoxedStrategy<Subset> {
    (any::<[u32; 5]>(), any::<[u16; 26]>())
        .prop_map(|(numbers, bone_table)| {
            let [faces_begin, faces_len, vertices_begin, vertices_len, bones_len] = numbers;
            Subset { faces_begin, faces_len, vertices_begin, vertices_len, bones_len, bone_table }
        })
        .boxed()
}

fn matrix() -> BoxedStrategy<QuantizedMatrix> {
    (0..4_u32, 0..4_u32)
        .prop_flat_map(|(rows, columns)| {
            let len = (rows * columns) as usize;
            let steps = (number(), number(), vec(any::<u16>(), len));
            let samples = prop_oneof![
                vec(number(), len).prop_map(Samples::Float),
                steps.prop_map(|(min, max, steps)| Samples::Quantized { min, max, steps }),
            ];
            samples.prop_map(move |samples| QuantizedMatrix { rows, columns, samples })
        })
        .boxed()
}

fn facs() -> BoxedStrategy<Facs> {
    let matrices = || [matrix(), matrix(), matrix()];
    let transforms = (matrices(), matrices());
    let transforms =
        proptest::option::of(transforms.prop_map(|(position, rotation)| Transforms { position, rotation }));
    let names = || vec(name(), 0..4).prop_map(|names| Names::from_names(names).expect("no zero bytes"));
    let poses = (vec(any::<[u16; 2]>(), 0..4), vec(any::<[u16; 3]>(), 0..4));
    (names(), names(), transforms, poses, vec(any::<u8>(), 0..4))
        .prop_map(|(face_bones, controls, transforms, (two_pose, three_pose), trailing)| Facs {
            face_bones,
            controls,
            transforms,
            two_pose,
            three_pose,
            trailing,
        })
        .boxed()
}

/// A mesh with all fields of version 5.00, and with indices of any value.
fn mesh() -> BoxedStrategy<Mesh> {
    let geometry = (vec(vertex(), 0..12), vec(any::<[u32; 3]>(), 0..12));
    let lods = (any::<u16>(), vec(any::<u32>(), 0..5), any::<u8>())
        .prop_map(|(kind, offsets, high_quality)| Lods { kind: LodType(kind), offsets, high_quality });
    let skin = (vec(bone(), 0..5), vec(any::<[[u8; 4]; 2]>(), 12), vec(subset(), 0..3));
    (geometry, lods, skin, proptest::option::of(facs()))
        .prop_map(|((vertices, faces), lods, (bones, envelopes, subsets), facs)| {
            let envelopes = envelopes.into_iter().take(if bones.is_empty() { 0 } else { vertices.len() });
            let envelopes = envelopes.map(|[indices, weights]| Envelope { indices, weights }).collect();
            Mesh {
                version: Version::V5_00,
                vertices,
                faces,
                lods,
                envelopes,
                bones,
                subsets,
                facs,
                ..Mesh::default()
            }
        })
        .boxed()
}

fn round_trip(mesh: &Mesh) -> Mesh {
    rbxmesh::from_slice(&rbxmesh::to_vec(mesh).expect("writes")).expect("reads")
}

proptest! {
    #[test]
    fn every_version_reads_what_it_was_given(
        mesh in mesh(),
        flags in proptest::option::of(vec(any::<bool>(), 0..20)),
        compress_faces: bool,
        lods: bool,
    ) {
        let mut mesh = Mesh { version: Version::V6_00, ..mesh };
        mesh.visibility = flags.map(Visibility::from_iter);
        prop_assert_eq!(round_trip(&mesh), mesh.clone());
        // In a mesh this small, a Draco stream stores an index in one byte.
        mesh.faces.iter_mut().flatten().for_each(|index| *index %= 256);
        let lods = if lods { LodChoice::First } else { LodChoice::All };
        for &version in Version::ALL {
            let (other, dropped) = mesh.to_version(version, lods);
            // Version 1.00 doubles positions, which must stay finite.
            let doubled = other.vertices.iter().flat_map(|vertex| vertex.position.to_array());
            if version == Version::V1_00 && doubled.into_iter().any(|n| n.is_finite() && n.abs() > 1e38) {
                continue;
            }
            prop_assert_eq!(round_trip(&other), other.clone());
            let options = WriteOptions::new().compress_faces(compress_faces);
            let bytes = options.write(&other).unwrap();
            prop_assert_eq!(rbxmesh::from_slice(&bytes).unwrap(), other.clone());
            if dropped.is_empty() {
                prop_assert_eq!(Mesh { version: mesh.version, ..other }, mesh.clone());
            }
        }
    }

    #[test]
    fn normals_are_rounded_by_half_a_step(vertices in vec(vertex(), 0..12), bits in 1..=20_u8) {
        let mut mesh = Mesh { version: Version::V7_00, vertices, ..Mesh::default() };
        let normals = || mesh.vertices.iter().flat_map(|vertex| vertex.normal.to_array());
        let (least, most) = normals().fold((0.0_f32, 0.0_f32), |(a, b), n| (a.min(n), b.max(n)));
        // The range of the values along an axis.
        let along = |axis: usize| {
            let ends = normals().skip(axis).step_by(3).map(|n| (n, n));
            ends.reduce(|(a, b), (n, _)| (a.min(n), b.max(n))).map_or(0.0, |(least, most)| most - least)
        };
        let finite = normals().all(f32::is_finite) && (0..3).all(|axis| along(axis).is_finite());
        let before = mesh.clone();
        prop_assert_eq!(mesh.round_normals(bits).is_ok(), finite);
        if !finite {
            prop_assert_eq!(mesh, before);
            return Ok(());
        }
        prop_assert_eq!(round_trip(&mesh), mesh.clone());
        let range = f64::from(most) - f64::from(least);
        // Half a step, and the rounding errors of f32.
        let allowed = range / ((1_u64 << bits) - 1) as f64 / 2.0 + range * 1e-6 + 1e-36;
        for (ours, theirs) in mesh.vertices.iter().zip(&before.vertices) {
            let one = |vertex| Mesh { vertices: vec![vertex], ..Mesh::default() };
            prop_assert_eq!(one(Vertex { normal: theirs.normal, ..*ours }), one(*theirs));
            let far = ours.normal.to_array().into_iter().zip(theirs.normal.to_array());
            let near = |(a, b): (f32, f32)| a == b || (f64::from(a) - f64::from(b)).abs() <= allowed;
            prop_assert!(far.clone().all(near), "{far:?} with {bits} bits");
        }
    }

    #[test]
    fn text(vertices in vec(vertex(), 12), w in vec(number(), 12)) {
        for version in [Version::V1_00, Version::V1_01] {
            let mut mesh = Mesh {
                version: Version::V1_01,
                vertices: vertices.clone(),
                faces: (0..4).map(|face| [face * 3, face * 3 + 1, face * 3 + 2]).collect(),
                texture_w: w.clone(),
                ..Mesh::default()
            };
            for vertex in &mut mesh.vertices {
                // Version 1.00 doubles positions, which must stay finite.
                let [x, y, z] = vertex.position.to_array().map(|n| n.clamp(-1e38, 1e38));
                vertex.position = Vec3::new(x, y, z);
            }
            let (mesh, _) = mesh.to_version(version, LodChoice::First);
            prop_assert_eq!(round_trip(&mesh), mesh);
        }
    }

    #[test]
    fn names_are_what_was_put_in(names in vec(name(), 0..8)) {
        let table = Names::from_names(&names).unwrap();
        prop_assert_eq!(table.len(), names.len());
        prop_assert_eq!(table.iter().map(|name| name.to_vec()).collect::<Vec<_>>(), names);
    }
}
