//! What a conversion to a scene changes or leaves out is listed.

use rezkit_core::{Budget, Loss};
use rezkit_scene::{Levels, m3d as model3d, slmesh as secondlife};
use slmesh::{Builder, Lod, Skin, VertexWeights};

fn rigged(weights: impl Fn(usize) -> Vec<VertexWeights>) -> slmesh::Asset {
    let face = || crate::mesh(&[[0.0; 3], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0]], &[[0, 1, 2]]);
    let mut asset = Builder::new().level(Lod::High, [face(), face()]).build().expect("an asset");
    asset.skin = Some(Skin::new([("mPelvis", geom::Mat4::default())]));
    let level = asset.high_lod.as_mut().expect("a level");
    level.submeshes.iter_mut().enumerate().for_each(|(face, submesh)| submesh.weights = weights(face));
    asset
}

fn converted(asset: &slmesh::Asset, hulls: bool) -> (rezkit_scene::Scene, Vec<Loss>) {
    secondlife::to_scene(asset, "a", Levels::Finest, hulls, &mut crate::budget()).expect("a scene")
}

fn listed(asset: &slmesh::Asset) -> (Vec<(String, &'static str, usize)>, rezkit_scene::Scene) {
    let (scene, losses) = converted(asset, false);
    let weights = losses.into_iter().filter(|loss| loss.path.ends_with(".weights"));
    (weights.map(|loss: Loss| (loss.path, loss.kind.label(), loss.count)).collect(), scene)
}

#[test]
fn weights_of_an_asset() {
    let rigid = || vec![VertexWeights::rigid(0); 3];
    assert_eq!(listed(&rigged(|_| rigid())).0, []);
    // Joint 7 of 1, and a vertex without a joint.
    let odd = rigged(|face| match face {
        0 => rigid(),
        _ => vec![VertexWeights::rigid(0), VertexWeights::rigid(7), VertexWeights::default()],
    });
    let path = "high_lod[1].weights".to_owned();
    assert_eq!(listed(&odd).0, [(path.clone(), "filled in", 1), (path.clone(), "changed", 1)]);
    // The face with too few weights stays, and follows the first joint.
    let few = rigged(|face| if face == 0 { rigid() } else { vec![VertexWeights::rigid(0); 2] });
    let (losses, scene) = listed(&few);
    assert_eq!(losses, [(path.clone(), "dropped", 1), (path, "filled in", 3)]);
    assert_eq!(scene.meshes[0].primitives.len(), 2);
    assert_eq!(scene.meshes[0].primitives[1].mesh.joints, [[0; 4]; 3]);
    let mut bare = rigged(|_| rigid());
    bare.skin = None;
    assert_eq!(listed(&bare).0.len(), 2);
}

/// The text names a file that is beside it.
#[test]
fn a_texture_that_is_only_named() {
    let text = "3dmodel 1\nname\n\n\n\n\nMaterial a\nmap_Kd skin.png\n\nAssets\nskin.png\n\nWeather\nrain\n";
    let model = m3d::from_str(text).expect("a model");
    let mut asked = Vec::new();
    let mut beside = |name: &str, _: u64| {
        asked.push(name.to_owned());
        Ok(Some(b"\x89PNG\r\n\x1a\n".to_vec()))
    };
    let (scene, losses) = model3d::to_scene(&model, &mut Budget::new(1 << 20), &mut beside).expect("a scene");
    assert_eq!((asked, scene.images.len()), (vec!["skin.png".to_owned()], 1));
    let listed: Vec<_> = losses.iter().map(|loss| (&*loss.path, &*loss.what)).collect();
    assert_eq!(listed, [("layout.text.unknown[0]", "the unknown section \"Weather\" at line 13")]);
}

#[test]
fn triangles_and_columns_that_cannot_be_used() {
    let mut asset = rigged(|_| vec![VertexWeights::rigid(0); 3]);
    let level = asset.high_lod.as_mut().expect("a level");
    level.submeshes[0].triangles.push([0, 1, 9]);
    level.submeshes[1].normals = vec![[0; 3]; 2];
    let (scene, losses) = converted(&asset, false);
    assert_eq!(scene.triangle_count(), 2);
    let listed: Vec<_> = losses.iter().map(|loss| (&*loss.path, loss.count)).collect();
    assert_eq!(listed[..2], [("high_lod[0].triangles", 1), ("high_lod[1].normals", 1)]);
}

/// The hulls of a rigged mesh are where the mesh is, so that the way back keeps its size.
#[test]
fn hulls_of_a_rigged_mesh_have_its_bind_shape() {
    let mut asset = rigged(|_| vec![VertexWeights::rigid(0); 3]);
    let shape = [2.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.9, 1.0];
    asset.skin.as_mut().expect("a skin").bind_shape_matrix = Some(shape);
    let corners = [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5], [0.0; 3]].map(geom::Vec3::from);
    let face = crate::mesh(&[[-0.5; 3], [0.5; 3], [0.5, -0.5, 0.5]], &[[0, 1, 2]]);
    let made = Builder::new().level(Lod::High, [face]).bounding_hull(corners).build().expect("a hull");
    asset.physics_convex = made.physics_convex;
    let (scene, _) = converted(&asset, true);
    let hull = scene.nodes.iter().position(|node| node.name == "a_BOUNDS").expect("a hull");
    let bounds = scene.placed().iter().find(|placed| placed.node == hull).map(|placed| {
        let points = scene.meshes[placed.mesh].primitives[0].mesh.positions.iter();
        let world = geom::Mat4::from_columns(placed.world.as_flattened().try_into().expect("16 numbers"));
        geom::Aabb::from_points(points.map(|point| world.transform_point(*point))).expect("points")
    });
    // Second Life's z is up; y of a scene is.
    let bounds = bounds.expect("a placed hull");
    crate::near("low", &bounds.min.to_array(), &[0.0, 0.9, -1.5], 1e-6);
    crate::near("high", &bounds.max.to_array(), &[1.0, 1.4, 0.0], 1e-6);
}

/// The viewer shows the next coarser level instead of a missing one, and a new asset may not miss one.
#[test]
fn a_missing_level_is_the_next_coarser_one() {
    let mesh = |size: f32| geom::TriMesh {
        positions: [[0.0; 3], [size, 0.0, 0.0], [0.0, size, 0.0], [0.0, 0.0, size]]
            .map(geom::Vec3::from)
            .to_vec(),
        triangles: vec![[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]],
        ..geom::TriMesh::default()
    };
    let mut asset = Builder::new().level(Lod::High, [mesh(0.5)]).build().expect("an asset");
    let coarse = geom::TriMesh { triangles: vec![[1, 2, 3]], ..mesh(0.5) };
    asset.lowest_lod = Builder::new().level(Lod::High, [coarse]).build().expect("an asset").high_lod;
    let mut budget = Budget::new(1 << 20);
    let (scene, _) = secondlife::to_scene(&asset, "a", Levels::All, false, &mut budget).expect("a scene");
    let built = secondlife::build(&scene, &mut budget).expect("an asset");
    let counts = Lod::ALL.map(|lod| built.assets[0].level(lod).expect("a level").triangle_count());
    assert_eq!(counts, [1, 1, 1, 4]);
    assert!(built.losses.iter().any(|loss| loss.path == "low_lod"), "{:?}", built.losses);
}
