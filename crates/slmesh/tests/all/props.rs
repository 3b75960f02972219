//! Random assets: what is written is read as an equal asset, and what was read is written as the same bytes if it is
//! not edited.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use slmesh::llsd::{Binary, Date, Map, Uuid, Value};
use slmesh::{
    Asset, Convex, CostData, Domain, Havok, Instance, Level, Lod, MassProps, Mopp, OtherBlock, Skin, Slm,
    Submesh, VertexWeights, WriteOptions,
};

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>(), any::<f32>().prop_map(f64::from), Just(-0.5), Just(f64::NAN)]
}

fn numbers<const N: usize>() -> impl Strategy<Value = [f64; N]> {
    vec(number(), N).prop_map(|numbers| numbers.try_into().expect("as many"))
}

// Boxed, since these strategies are larger than the stack of an unoptimised test.
fn value() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(Value::Undef),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        number().prop_filter("equal to itself", |number| !number.is_nan()).prop_map(Value::from),
        vec(any::<u8>(), 0..30).prop_map(|bytes| Value::from(Binary(bytes))),
        "\\PC{0,30}".prop_map(Value::from),
        vec(any::<i32>(), 0..3).prop_map(Value::from_iter),
        number()
            .prop_filter("equal to itself", |number| !number.is_nan())
            .prop_map(|secs| Value::from(Date(secs))),
        any::<[u8; 16]>().prop_map(|uuid| Value::from(Uuid(uuid))),
    ]
    .boxed()
}

/// Unknown keys.
fn extra() -> BoxedStrategy<Map> {
    vec(("x[a-z]{0,3}", value()), 0..3).prop_map(Map::from_iter).boxed()
}

fn domain<const N: usize>() -> impl Strategy<Value = Option<Domain<N>>> {
    option::of((numbers(), numbers()).prop_map(|(min, max)| Domain { min, max }))
}

fn steps<const N: usize>() -> impl Strategy<Value = Vec<[u16; N]>> {
    vec(any::<u16>(), 0..40).prop_map(|steps| steps.as_chunks::<N>().0.to_vec())
}

fn weights() -> impl Strategy<Value = VertexWeights> {
    vec((0..255_u8, any::<u16>()), 0..=4).prop_map(|all| {
        let mut weights = VertexWeights::default();
        for (place, (joint, weight)) in all.into_iter().enumerate() {
            (weights.joints[place], weights.weights[place]) = (joint, weight);
        }
        weights
    })
}

fn submesh() -> BoxedStrategy<Submesh> {
    let domains = (domain(), domain(), domain(), option::of(numbers()));
    let columns = (steps(), steps(), steps(), steps(), steps(), steps());
    (any::<bool>(), domains, columns, vec(weights(), 0..8), extra())
        .prop_map(|(no_geometry, domains, columns, weights, extra)| {
            let (position_domain, tex_coord0_domain, tex_coord1_domain, normalized_scale) = domains;
            let (positions, normals, tangents, tex_coords0, tex_coords1, triangles) = columns;
            Submesh {
                no_geometry,
                position_domain,
                positions,
                normals,
                tangents,
                tex_coord0_domain,
                tex_coords0,
                tex_coord1_domain,
                tex_coords1,
                triangles,
                weights,
                normalized_scale,
                extra,
            }
        })
        .boxed()
}

fn level() -> BoxedStrategy<Option<Level>> {
    option::of((vec(submesh(), 0..4), extra()).prop_map(|(submeshes, entry)| Level { submeshes, entry }))
        .boxed()
}

fn skin() -> BoxedStrategy<Skin> {
    let names = vec(vec(any::<u8>(), 0..30), 0..4);
    let matrices = (option::of(numbers()), vec(numbers(), 0..4), vec(numbers(), 0..4));
    let rest = (option::of(number()), option::of(any::<bool>()), extra(), extra());
    (names, matrices, rest)
        .prop_map(|(names, matrices, rest)| {
            let (bind_shape_matrix, inverse_bind_matrices, alt_inverse_bind_matrices) = matrices;
            let (pelvis_offset, lock_scale_if_joint_position, extra, entry) = rest;
            Skin {
                joint_names: names.into_iter().map(Into::into).collect(),
                bind_shape_matrix,
                inverse_bind_matrices,
                alt_inverse_bind_matrices,
                pelvis_offset,
                lock_scale_if_joint_position,
                extra,
                entry,
            }
        })
        .boxed()
}

fn convex() -> BoxedStrategy<Convex> {
    let hull = prop_oneof![vec(any::<[u16; 3]>(), 1..5), vec(any::<[u16; 3]>(), 254..=256)];
    (domain(), steps(), vec(hull, 0..3), extra(), extra())
        .prop_map(|(domain, bounding, hulls, extra, entry)| Convex { domain, bounding, hulls, extra, entry })
        .boxed()
}

fn havok() -> BoxedStrategy<Havok> {
    let mass = || {
        let mass = (
            option::of(numbers()),
            option::of(numbers()),
            option::of(number()),
            option::of(number()),
            extra(),
        );
        option::of(mass.prop_map(|(center, inertia, mass, volume, extra)| MassProps {
            center,
            inertia,
            mass,
            volume,
            extra,
        }))
    };
    let mopp = (option::of(any::<i32>()), option::of(vec(any::<u8>(), 0..9)), option::of(numbers()), extra());
    let mopp = mopp.prop_map(|(build_type, data, info, extra)| Mopp { build_type, data, info, extra });
    (mass(), mass(), option::of(mopp), extra(), extra())
        .prop_map(|(hull_mass, decomposition_mass, mopp, extra, entry)| Havok {
            hull_mass,
            decomposition_mass,
            mopp,
            extra,
            entry,
        })
        .boxed()
}

fn cost_data() -> BoxedStrategy<CostData> {
    let integer = || option::of(any::<i32>());
    let integers = (integer(), integer(), integer(), integer());
    (option::of(number()), option::of(number()), integers, option::of(numbers()), extra())
        .prop_map(|(decomposition, hull, (a, b, c, d), mesh, extra)| CostData {
            decomposition,
            decomposition_discounted_vertices: a,
            decomposition_hulls: b,
            hull,
            hull_discounted_vertices: c,
            mesh,
            mesh_triangles: d,
            extra,
        })
        .boxed()
}

/// An asset with any combination of optional parts, whether it makes sense or not.
fn asset() -> BoxedStrategy<Asset> {
    let header = (
        option::of(any::<i32>()),
        option::of(any::<[u8; 16]>()),
        option::of(number()),
        option::of(any::<i32>()),
    );
    let levels = (level(), level(), level(), level(), level());
    let physics = (option::of(convex()), option::of(havok()), option::of(cost_data()), option::of(skin()));
    let others = vec((vec(any::<u8>(), 1..9), extra()), 0..3);
    let materials = option::of(vec("[a-z]{0,30}", 0..3));
    (header, levels, physics, (others, materials, extra()))
        .prop_map(|((version, creator, date, submodel_id), levels, physics, (others, materials, extra))| {
            let (lowest_lod, low_lod, medium_lod, high_lod, physics_mesh) = levels;
            let (physics_convex, physics_havok, physics_cost_data, skin) = physics;
            let other = |(place, (bytes, entry)): (usize, _)| {
                // The names are in the order in which they are written.
                OtherBlock { name: format!("block{place}").into(), bytes, entry }
            };
            // An asset without any block would be refused.
            let blocks = [&lowest_lod, &low_lod, &medium_lod, &high_lod, &physics_mesh];
            let bare = blocks.into_iter().all(Option::is_none)
                && (&physics_convex, &physics_havok, &skin) == (&None, &None, &None);
            let high_lod = high_lod.or(bare.then(Level::default));
            Asset {
                version,
                creator: creator.map(Uuid),
                date: date.map(Date),
                lowest_lod,
                low_lod,
                medium_lod,
                high_lod,
                physics_mesh,
                physics_convex,
                physics_havok,
                physics_cost_data,
                skin,
                material_list: materials.map(|names| names.into_iter().map(Into::into).collect()),
                submodel_id,
                other_blocks: others.into_iter().enumerate().map(other).collect(),
                extra,
                ..Asset::default()
            }
        })
        .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_is_written_reads_as_the_same(asset in asset(), level in 0..=9_u8) {
        let bytes = WriteOptions::new().level(level).write(&asset).expect("writes");
        let read = slmesh::from_slice(&bytes).expect("reads");
        prop_assert_eq!(&read, &asset);
        // An unedited asset is written as the same bytes, whatever the compression level.
        prop_assert_eq!(slmesh::to_vec(&read).unwrap(), bytes.clone());
        // The lazy view returns the same values.
        let view = slmesh::open(&bytes).unwrap();
        for lod in Lod::ALL {
            let level = view.level(lod).unwrap();
            prop_assert_eq!(level.as_ref(), asset.level(lod));
        }
        prop_assert_eq!(view.skin().unwrap(), asset.skin.clone());
        let _findings = slmesh::check(&asset);
    }

    #[test]
    fn an_edit_leaves_the_other_blocks_alone(asset in asset(), other in asset(), which in 0..4_usize) {
        let lod = Lod::ALL[which];
        let bytes = WriteOptions::new().level(1).write(&asset).unwrap();
        let mut edited = slmesh::from_slice(&bytes).unwrap();
        *edited.level_mut(lod) = Some(other.level(lod).cloned().unwrap_or_default());
        let again = slmesh::to_vec(&edited).unwrap();
        prop_assert_eq!(&slmesh::from_slice(&again).unwrap(), &edited);
        let (old, new) = (slmesh::open(&bytes).unwrap(), slmesh::open(&again).unwrap());
        let new: Vec<_> = new.chunks().map(Result::unwrap).collect();
        for chunk in old.chunks().map(Result::unwrap) {
            if chunk.name != *lod.key() {
                let now = new.iter().find(|now| now.name == chunk.name).expect("still there");
                prop_assert_eq!(now.payload, chunk.payload);
            }
        }
    }

    #[test]
    fn uploads(
        meshes in vec(asset(), 0..3),
        ids in vec((option::of(any::<i32>()), option::of(numbers()), option::of(value()), extra()), 0..3),
        extra in extra(),
    ) {
        let instance = |(mesh_id, transform, material, extra)| {
            Instance { mesh_id, transform, material, extra, label: None }
        };
        let slm = Slm {
            version: Some(3),
            meshes,
            instances: ids.into_iter().map(instance).collect(),
            extra,
            ..Slm::default()
        };
        let bytes = slm.to_vec().unwrap();
        let read = Slm::from_slice(&bytes).unwrap();
        prop_assert_eq!(&read, &slm);
        prop_assert_eq!(read.to_vec().unwrap(), bytes);
    }

    #[test]
    fn steps_come_back(min in any::<f32>(), max in any::<f32>(), step in any::<u16>()) {
        prop_assume!(min.is_finite() && max.is_finite() && min != max);
        let domain = Domain { min: [f64::from(min)], max: [f64::from(max)] };
        prop_assert_eq!(domain.quantize(domain.dequantize([step])), [step]);
    }

    #[test]
    fn shares_sum_to_one(shares in vec((0..255_u8, 0.0..10.0_f32), 0..7)) {
        let weights = VertexWeights::from_shares(&shares);
        let sum: u32 = weights.weights.iter().map(|&weight| u32::from(weight)).sum();
        prop_assert!(sum == 65_535 || shares.iter().all(|(_, share)| *share <= 0.0));
        let sum: f32 = weights.shares().map(|(_, share)| share).sum();
        prop_assert!((sum - 1.0).abs() < 1e-6);
    }
}
