//! Generated meshes: what is written reads as the same mesh, in every version that can say it.

use proptest::collection::vec;
use proptest::prelude::*;
use rbxmesh::geom::{Mat3, Rgba8, Vec2, Vec3};
use rbxmesh::{
    Bone, Envelope, Facs, LodType, Lods, Mesh, Names, QuantizedMatrix, Samples, Subset, Tangent, Transforms,
    Version, Vertex, WriteOptions,
};

/// Numbers that equal themselves: what is none is compared by its bytes elsewhere.
fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        any::<f32>().prop_filter("a number", |number| !number.is_nan()),
        (-2_000_000..2_000_000_i32).prop_map(|number| number as f32 / 1e6),
        Just(0.0),
        Just(-0.0),
    ]
}

fn vec3() -> impl Strategy<Value = Vec3> {
    [number(), number(), number()].prop_map(Vec3::from)
}

fn vertex() -> impl Strategy<Value = Vertex> {
    (vec3(), vec3(), [number(), number()], any::<[u8; 4]>(), any::<[u8; 4]>()).prop_map(
        |(position, normal, uv, tangent, color)| Vertex {
            position,
            normal,
            uv: Vec2::from(uv),
            tangent: Tangent(tangent),
            color: Rgba8::from(color),
        },
    )
}

fn name() -> impl Strategy<Value = Vec<u8>> {
    vec(1..=255_u8, 0..12)
}

fn bone() -> impl Strategy<Value = Bone> {
    let numbers = (number(), vec3(), vec3(), vec3(), vec3());
    (name(), any::<[u16; 2]>(), numbers).prop_map(
        |(name, [parent, lod_parent], (culling, x, y, z, position))| Bone {
            name: name.into(),
            parent,
            lod_parent,
            culling,
            rotation: Mat3 { x_axis: x, y_axis: y, z_axis: z },
            position,
        },
    )
}

fn subset() -> impl Strategy<Value = Subset> {
    (any::<[u32; 5]>(), any::<[u16; 26]>()).prop_map(|(numbers, bone_table)| {
        let [faces_begin, faces_len, vertices_begin, vertices_len, bones_len] = numbers;
        Subset { faces_begin, faces_len, vertices_begin, vertices_len, bones_len, bone_table }
    })
}

fn matrix() -> impl Strategy<Value = QuantizedMatrix> {
    (0..4_u32, 0..4_u32).prop_flat_map(|(rows, columns)| {
        let len = (rows * columns) as usize;
        let steps = (number(), number(), vec(any::<u16>(), len));
        let samples = prop_oneof![
            vec(number(), len).prop_map(Samples::Float),
            steps.prop_map(|(min, max, steps)| Samples::Quantized { min, max, steps }),
        ];
        samples.prop_map(move |samples| QuantizedMatrix { rows, columns, samples })
    })
}

fn facs() -> impl Strategy<Value = Facs> {
    let matrices = || [matrix(), matrix(), matrix()];
    let transforms = (matrices(), matrices());
    let transforms =
        proptest::option::of(transforms.prop_map(|(position, rotation)| Transforms { position, rotation }));
    let names = || vec(name(), 0..4).prop_map(Names::from_iter);
    let poses = (vec(any::<[u16; 2]>(), 0..4), vec(any::<[u16; 3]>(), 0..4));
    (names(), names(), transforms, poses, vec(any::<u8>(), 0..4)).prop_map(
        |(face_bones, controls, transforms, (two_pose, three_pose), trailing)| Facs {
            face_bones,
            controls,
            transforms,
            two_pose,
            three_pose,
            trailing,
        },
    )
}

/// A mesh with all that 5.00 can say, indices of any value among it.
fn mesh() -> impl Strategy<Value = Mesh> {
    let geometry = (vec(vertex(), 0..12), vec(any::<[u32; 3]>(), 0..12));
    let lods = (any::<u16>(), vec(any::<u32>(), 0..5), any::<u8>())
        .prop_map(|(kind, offsets, high_quality)| Lods { kind: LodType(kind), offsets, high_quality });
    let skin = (vec(bone(), 0..5), vec(any::<[[u8; 4]; 2]>(), 12), vec(subset(), 0..3));
    (geometry, lods, skin, proptest::option::of(facs())).prop_map(
        |((vertices, faces), lods, (bones, envelopes, subsets), facs)| {
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
        },
    )
}

/// What is left of a mesh in a version.
fn reduced(mesh: &Mesh, version: Version) -> Mesh {
    let mut mesh = Mesh { version, ..mesh.clone() };
    if !version.has_facs() {
        mesh.facs = None;
    }
    if !version.has_skin() {
        (mesh.bones, mesh.envelopes, mesh.subsets) = Default::default();
        (mesh.lods.kind, mesh.lods.high_quality) = Default::default();
    }
    if !version.has_lods() {
        mesh.lods = Lods::default();
    }
    mesh
}

fn round_trip(mesh: &Mesh) -> Mesh {
    rbxmesh::from_slice(&rbxmesh::to_vec(mesh).expect("writes")).expect("reads")
}

proptest! {
    #[test]
    fn binary_versions(mesh in mesh()) {
        for version in [
            Version::V2_00,
            Version::V3_00,
            Version::V3_01,
            Version::V4_00,
            Version::V4_01,
            Version::V5_00,
        ] {
            let mesh = reduced(&mesh, version);
            prop_assert_eq!(round_trip(&mesh), mesh);
        }
    }

    #[test]
    fn text(vertices in vec(vertex(), 12), w in vec(number(), 12)) {
        for version in [Version::V1_00, Version::V1_01] {
            let soup = |vertex: &Vertex| Vertex { tangent: Tangent::ABSENT, color: Rgba8::WHITE, ..*vertex };
            let mut mesh = Mesh {
                version,
                vertices: vertices.iter().map(soup).collect(),
                faces: (0..4).map(|face| [face * 3, face * 3 + 1, face * 3 + 2]).collect(),
                texture_w: w.clone(),
                ..Mesh::default()
            };
            for vertex in &mut mesh.vertices {
                // Doubled in 1.00, these must still be numbers.
                let [x, y, z] = vertex.position.to_array().map(|n| n.clamp(-1e38, 1e38));
                vertex.position = Vec3::new(x, y, z);
                // Turned around, v is a multiple of the steps near 1.
                vertex.uv.y = 1.0 - (1.0 - vertex.uv.y);
            }
            let once = round_trip(&mesh);
            // -0 and 0 are equal but not the same, and halving the smallest numbers loses bits.
            let close = |a: f32, b: f32| a == b || (a - b).abs() < 1e-37;
            for (ours, theirs) in once.vertices.iter().zip(&mesh.vertices) {
                prop_assert!(ours.position.to_array().iter().zip(theirs.position.to_array()).all(|(a, b)| close(*a, b)));
                prop_assert_eq!((ours.normal, ours.uv), (theirs.normal, theirs.uv));
            }
            prop_assert_eq!(&once.faces, &mesh.faces);
            if mesh.texture_w.iter().any(|w| w.to_bits() != 0) {
                prop_assert_eq!(&once.texture_w, &mesh.texture_w);
            }
            // From here on nothing changes any more.
            prop_assert_eq!(rbxmesh::to_vec(&round_trip(&once)).unwrap(), rbxmesh::to_vec(&once).unwrap());
        }
    }

    #[test]
    fn conversion_is_listed_or_lossless(mesh in mesh(), number in 0..8_usize) {
        let version = Version::ALL[number];
        let options = WriteOptions::new().version(version).allow_loss(true);
        if let Ok((bytes, dropped)) = options.write_listing(&mesh) {
            let there = rbxmesh::from_slice(&bytes).unwrap();
            if dropped.is_empty() && !version.is_text() {
                prop_assert_eq!(Mesh { version: mesh.version, ..there }, mesh);
            }
        }
    }

    #[test]
    fn names_are_what_was_put_in(names in vec(name(), 0..8)) {
        let table = Names::from_iter(&names);
        prop_assert_eq!(table.len(), names.len());
        prop_assert_eq!(table.iter().map(|name| name.to_vec()).collect::<Vec<_>>(), names);
    }
}
