//! Uploads to Second Life.

use std::sync::Arc;

use geom::TriMesh;
use rezkit_scene::{Levels, Loss, Material, Node, Primitive, Scene, SceneOptions, Transform};

use crate::add;

use rezkit_upload::sl::{ExistingFile, Kind, Options, Physics, Upload, second_life};

/// A ball with this radius around the origin, whose texture has a seam along a meridian.
fn ball(radius: f32, rows: u32) -> TriMesh {
    let mut mesh = TriMesh::default();
    let columns = 2 * rows;
    for i in 0..=rows {
        for j in 0..=columns {
            let [down, around] = [i as f32 / rows as f32, j as f32 / columns as f32];
            let (theta, phi) =
                (down * std::f32::consts::PI, (j % columns) as f32 / columns as f32 * std::f32::consts::TAU);
            let normal = [theta.sin() * phi.cos(), theta.cos(), -theta.sin() * phi.sin()];
            let normal = if i == 0 || i == rows { [0.0, theta.cos(), 0.0] } else { normal };
            mesh.positions.push(normal.map(|axis| axis * radius).into());
            mesh.normals.push(normal.into());
            mesh.uvs.push([around, down].into());
        }
    }
    for i in 0..rows {
        for j in 0..columns {
            let at = |i: u32, j: u32| i * (columns + 1) + j;
            if i > 0 {
                mesh.triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
            }
            if i + 1 < rows {
                mesh.triangles.push([at(i, j + 1), at(i + 1, j), at(i + 1, j + 1)]);
            }
        }
    }
    mesh
}

/// Two balls with the radii 2 and 1 and two materials each; the second is 10 m to the right and rotated.
fn scene() -> Scene {
    let mut scene = Scene::default();
    scene.materials = ["a", "b"].map(|name| Material { name: name.into(), ..Material::default() }).to_vec();
    for (name, radius, x) in [("Big/ball", 2.0, 0.0), ("Small", 1.0, 10.0)] {
        let whole = ball(radius, 12);
        let (mut top, mut rest) = (whole.clone(), whole);
        rest.triangles = top.triangles.split_off(100);
        let node = add(&mut scene, name, vec![Primitive::new(top, Some(0)), Primitive::new(rest, Some(1))]);
        scene.nodes[node].transform.translation[0] = x;
    }
    scene
}

fn upload(scene: &Scene, given: &[ExistingFile], options: &Options) -> Upload {
    second_life(scene, "balls", given, options, &mut |_, _| Ok(Some(vec![1]))).expect("a model")
}

/// An upload with the default options.
fn plain(scene: &Scene) -> Upload {
    upload(scene, &[], &Options::default())
}

fn corrected(scene: &Scene) -> Upload {
    upload(scene, &[], &fixing())
}

/// Checks that a text is a part of one of the losses.
#[track_caller]
fn has(upload: &Upload, text: &str) {
    let losses = &upload.report.losses;
    assert!(losses.iter().any(|loss| loss.what.contains(text)), "{text:?} is not in {losses:?}");
}

fn asset(upload: &Upload) -> slmesh::Asset {
    slmesh::from_slice(file(upload, "balls.llmesh")).expect("an asset")
}

/// Checks that each number is as wanted, with a difference below `most`.
#[track_caller]
fn near(found: &[f32], wanted: &[f32], most: f32) {
    let is_near = found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < most);
    assert!(is_near && found.len() == wanted.len(), "{found:?}, not {wanted:?}");
}

fn file<'u>(upload: &'u Upload, path: &str) -> &'u [u8] {
    let found = upload.files.iter().find(|file| file.path() == path);
    &found.unwrap_or_else(|| panic!("no {path} in {:?}", upload.report.files)).bytes
}

fn read(bytes: &[u8]) -> Scene {
    let mut options = SceneOptions::default();
    options.levels = Levels::All;
    let read = rezkit_scene::gltf::READER.read("glTF", bytes, "x.glb", &options, &mut ());
    read.expect("a file that was written").0
}

#[test]
fn two_objects_become_a_folder() {
    let upload = plain(&scene());
    for (suffix, most) in [("", 1056), ("_LOD2", 352), ("_LOD1", 118), ("_LOD0", 48)] {
        let scene = read(file(&upload, &format!("balls{suffix}.glb")));
        let names: Vec<_> = scene.placed().iter().map(|placed| &*scene.nodes[placed.node].name).collect();
        assert_eq!(names, [format!("Big/ball{suffix}"), format!("Small{suffix}")]);
        let count = scene.triangle_count();
        assert!(count <= most && count * 4 > most * 3, "{count}");
        // Each level has both materials, and the bounds of the finest level.
        assert!(scene.meshes.iter().all(|mesh| mesh.primitives.len() == 2));
        let bounds = scene.bounds().expect("triangles");
        assert!(bounds.min.x >= -2.0 && bounds.min.x < -1.5 && bounds.max.x <= 11.0 && bounds.max.x > 10.7);
    }
    let physics = read(file(&upload, "balls_PHYS.glb"));
    assert_eq!(physics.placed().len(), 2);
    let slm = slmesh::Slm::from_slice(file(&upload, "balls.slm")).expect("a file that was written");
    assert_eq!((slm.meshes.len(), slm.instances.len()), (2, 2));
    for (asset, (instance, (side, x))) in
        slm.meshes.iter().zip(slm.instances.iter().zip([(4.0, 0.0), (2.0, 10.0)]))
    {
        let is_error =
            |finding: &slmesh::errors::Finding| finding.rule.severity == slmesh::errors::Severity::Error;
        assert!(!slmesh::check(asset).iter().any(is_error));
        assert_eq!(asset.physics_convex.as_ref().map(|convex| convex.hulls.len()), Some(1));
        let transform = instance.transform.expect("a place");
        assert!([0, 5, 10].iter().all(|&at| (transform[at] - side).abs() < 1e-5));
        assert!((transform[12] - x).abs() < 1e-5 && transform[13].abs() < 1e-5);
    }
    let report = &upload.report;
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    let sum: f32 = report.parts.iter().map(|part| part.land_impact.streaming).sum();
    assert!(
        (sum - report.land_impact.streaming).abs() < 1e-5 && (report.land_impact.server - 1.0).abs() < 1e-6
    );
    // The cost by the known formula, from the block sizes in the file.
    let asset = slmesh::to_vec(&slm.meshes[0]).expect("an asset");
    let view = slmesh::ReadOptions::new().open(&asset).expect("an asset");
    let sizes = slmesh::Lod::ALL.map(|lod| view.size(lod.key()));
    let sizes = sizes.map(|size| u64::from(size.expect("all levels")));
    assert_eq!(sizes, [3, 2, 1, 0].map(|level: usize| report.parts[0].levels[level].bytes));
    let page = std::str::from_utf8(file(&upload, "report.html")).expect("text");
    assert!(page.contains("pictures/lowest.png") && page.contains("Big/ball"));
    for path in [
        "pictures/high.png",
        "pictures/physics.png",
        "materials/a.glb",
        "materials/b.material",
        "report.json",
    ] {
        file(&upload, path);
    }
}

#[test]
fn levels_beside_the_model_are_taken() {
    let given = |kind: Kind| {
        let mut scene = scene();
        scene.meshes.iter_mut().for_each(|mesh| {
            for primitive in &mut mesh.primitives {
                let mut mesh = (*primitive.mesh).clone();
                mesh.triangles.truncate(90);
                primitive.mesh = mesh.into();
            }
        });
        ExistingFile { kind, scene }
    };
    let given = given(Kind::Level(1));
    let wanted = given.scene.bounds().expect("triangles");
    let options = with(|options| options.targets = [rezkit_upload::LevelTarget::Triangles(4); 3]);
    let upload = upload(&scene(), &[given], &options);
    let level = read(file(&upload, "balls_LOD2.glb"));
    assert_eq!(level.triangle_count(), 360);
    // Only the generated levels are listed.
    let listed = |level: &str| upload.report.losses.iter().any(|loss| loss.what.starts_with(level));
    assert!(!listed("generated level of detail 1 of 3") && listed("generated level of detail 3 of 3"));
    let found = level.bounds().expect("triangles");
    assert!((found.min - wanted.min).length() < 1e-4 && (found.max - wanted.max).length() < 1e-4);
}

/// A Roblox mesh has up to five levels or more, Second Life four.
#[test]
fn levels_of_a_roblox_mesh_are_levels_of_one_object() {
    let rows = [12, 10, 8, 6, 4];
    let mut scene = Scene::default();
    for (level, rows) in rows.into_iter().enumerate() {
        let name = rezkit_scene::slmesh::level_name("mesh", level);
        let node = add(&mut scene, &name, vec![Primitive::new(ball(1.0, rows), None)]);
        scene.nodes[node].set_level(level);
    }
    let upload = plain(&scene);
    assert_eq!(upload.report.parts.len(), 1);
    let of = |rows: u32| (4 * rows * (rows - 1)) as usize;
    let triangles: Vec<_> = upload.report.parts[0].levels.iter().map(|level| level.triangles).collect();
    assert_eq!(triangles, [12, 10, 8, 6].map(of));
    let beyond = "the fifth or a coarser level of detail: Second Life has only four";
    assert!(upload.report.losses.iter().any(|loss| loss.path == "mesh_level4" && loss.what == beyond));
}

#[test]
fn a_picture_that_cannot_be_drawn_does_not_prevent_an_upload() {
    let refused = rezkit_scene::Error::new(rezkit_scene::ErrorKind::Effort, "too much to draw");
    let mut refused = Some(refused);
    let mut picture = |_: &Scene, _| refused.take().map_or(Ok(Some(vec![1])), Err);
    let made = second_life(&scene(), "balls", &[], &Options::default(), &mut picture).expect("a model");
    let lost: Vec<_> = made.report.losses.iter().filter(|loss| loss.path.starts_with("report")).collect();
    assert!(
        matches!(&lost[..], [loss] if loss.to_string() == "report.html: image High: too much to draw"),
        "{lost:?}"
    );
    let pictures = made.report.files.iter().filter(|path| path.starts_with("pictures/"));
    let names = ["medium", "low", "lowest", "physics"].map(|name| format!("pictures/{name}.png"));
    assert!(pictures.eq(&names));
}

#[test]
fn a_land_impact_is_reached() {
    let mut options = Options::default();
    let all = upload(&scene(), &[], &options).report.land_impact.streaming;
    options.land_impact = Some(all * 0.65);
    let less = upload(&scene(), &[], &options).report;
    assert!(less.land_impact.streaming <= all * 0.65 && less.land_impact.streaming > all * 0.45);
    assert_eq!(less.parts[0].levels[0].triangles, 528);
}

#[test]
fn what_cannot_be_uploaded_is_refused() {
    let options = Options::default();
    let make =
        |scene: &Scene| second_life(scene, "x", &[], &options, &mut |_, _| Ok(None)).expect_err("refused");
    assert!(make(&Scene::default()).to_string().contains("no triangles"));
    let mut broken = scene();
    mesh_of(&mut broken, 1).positions[200].x = f32::NAN;
    let error = make(&broken);
    assert!(error.to_string().contains("expected a position with finite coordinates"), "{error}");
    assert!(error.path().contains("Big/ball"), "{error}");
}

/// A primitive of the first mesh of a scene.
fn mesh_of(scene: &mut Scene, primitive: usize) -> &mut TriMesh {
    Arc::make_mut(&mut scene.meshes[0].primitives[primitive].mesh)
}

fn changed(mut options: Options, change: impl Fn(&mut Options)) -> Options {
    change(&mut options);
    options
}

fn with(change: impl Fn(&mut Options)) -> Options {
    changed(Options::default(), change)
}

fn fixing() -> Options {
    let mut options = Options::default();
    (options.fix, options.physics) = (true, Physics::None);
    options
}

fn rules(upload: &Upload) -> Vec<&str> {
    upload.report.findings.iter().map(|advice| advice.finding.rule).collect()
}

/// A tetrahedron for each of `count` materials.
fn many(count: usize) -> Scene {
    let mut scene = Scene::default();
    let name = |number| Material { name: format!("m{number:02}"), ..Material::default() };
    scene.materials = (0..count).map(name).collect();
    let solid = |number: usize| Primitive::new(crate::tetrahedron(number as f32 * 3.0), Some(number));
    add(&mut scene, "many", (0..count).map(solid).collect());
    scene
}

#[test]
fn what_rules_ask_for_is_done_and_listed() {
    // Twenty faces, which are too many.
    let before = plain(&many(20));
    assert_eq!(rules(&before)[0], "secondlife-upload.faces");
    let after = corrected(&many(20));
    assert_eq!(rules(&after), [""; 0]);
    let high = read(file(&after, "balls.glb"));
    let faces: Vec<usize> = high.meshes.iter().map(|mesh| mesh.primitives.len()).collect();
    assert_eq!((faces, after.report.parts.len()), (vec![8, 8, 4], 3));
    assert_eq!(high.triangle_count(), 80);
    has(&after, "20 faces");
    // Mirrored: the fixed object has the same shape, and its faces point outwards.
    let mut mirrored = many(1);
    mirrored.nodes[0].transform.scale = [-2.0, 1.0, 1.0];
    assert_eq!(rules(&plain(&mirrored)), ["secondlife-upload.mirrored"]);
    let fixed = corrected(&mirrored);
    assert_eq!(rules(&fixed), [""; 0]);
    let high = read(file(&fixed, "balls.glb"));
    let [was, is] = [&mirrored, &high].map(|scene| scene.bounds().expect("drawn"));
    assert_eq!((was.min, was.max), (is.min, is.max));
    let turned = |placed: &rezkit_scene::Placed| glam::Mat4::from_cols_array_2d(&placed.world).determinant();
    assert!(high.placed().iter().all(|placed| turned(placed) > 0.0));
    let volume = |scene: &Scene| -> f32 {
        let all = scene.flattened(&mut crate::budget()).expect("small");
        let triangles =
            all.iter().flat_map(|one| one.mesh.triangles.iter().map(|triangle| (&one.mesh, triangle)));
        let six = triangles.map(|(mesh, triangle)| {
            let [a, b, c] = triangle.map(|index| mesh.positions[index as usize]);
            a.dot(b.cross(c))
        });
        six.sum()
    };
    assert!((volume(&high) - 2.0).abs() < 1e-5, "{}", volume(&high));
    // Too large: reduced to the greatest size.
    let mut large = many(1);
    large.nodes[0].transform.scale = [1000.0; 3];
    let fixed = corrected(&large);
    assert_eq!(rules(&fixed), [""; 0]);
    assert!((fixed.report.parts[0].size[0] - 64.0).abs() < 1e-3);
    // The size with the node's scale counts, not the size in the file.
    large.nodes[0].transform.scale = [40.0; 3];
    assert_eq!(rules(&plain(&large)), [""; 0]);
    let twice = |options: Options| upload(&large, &[], &changed(options, |options| options.scale = 2.0));
    assert_eq!(rules(&twice(Options::default())), ["secondlife-upload.size"]);
    let fixed = twice(fixing());
    assert_eq!(rules(&fixed), [""; 0]);
    assert!((fixed.report.parts[0].size[0] - 32.0).abs() < 1e-3);
    large.nodes[0].transform.scale = [100.0; 3];
    assert_eq!(rules(&upload(&large, &[], &with(|options| options.scale = 0.5))), [""; 0]);
    // A lower level with more triangles than the finest one.
    let given = ExistingFile { kind: Kind::Level(1), scene: scene() };
    let mut coarse = scene();
    coarse.meshes[0].primitives.truncate(1);
    let refused =
        second_life(&coarse, "x", std::slice::from_ref(&given), &Options::default(), &mut |_, _| Ok(None));
    assert!(refused.is_err());
    let fixed = upload(&coarse, &[given], &fixing());
    assert_eq!(rules(&fixed), [""; 0]);
    let is_generated = |loss: &Loss| loss.path == "Big/ball_LOD2" && loss.what.contains("a generated level");
    assert!(fixed.report.losses.iter().any(is_generated));
}

/// A rig that faces +z and is twice as large as the avatar.
#[test]
fn a_rig_becomes_as_the_avatars() {
    let mut scene = many(1);
    let mut joints = Vec::new();
    // Joints above each other and on both sides, with the avatar's axes; a model that faces +z has them as y, z, x.
    for (name, [x, y, z]) in [
        ("mPelvis", [0.0, 0.0, 1.067]),
        ("mHipLeft", [0.034, 0.127, 1.026]),
        ("mHipRight", [0.034, -0.129, 1.026]),
        ("mKneeLeft", [0.033, 0.081, 0.535]),
        ("mFootLeft", [0.116, 0.082, 0.006]),
    ] {
        let transform = Transform::from_translation([2.0 * y, 2.0 * z, 2.0 * x]);
        joints.push(scene.add_node(None, Node { name: name.into(), transform, ..Node::default() }));
    }
    let pose = scene.pose();
    let inverse = |joint: &usize| {
        let [x, y, z] = pose.transforms[*joint].translation;
        Transform::from_translation([-x, -y, -z]).matrix()
    };
    let inverse_bind = joints.iter().map(inverse).collect();
    scene.skins.push(rezkit_scene::Skin { joints, inverse_bind, ..Default::default() });
    scene.nodes[0].skin = Some(0);
    let mesh = mesh_of(&mut scene, 0);
    (mesh.joints, mesh.weights) =
        (vec![[0; 4], [1, 0, 0, 0], [3, 0, 0, 0], [4, 0, 0, 0]], vec![[1.0, 0.0, 0.0, 0.0]; 4]);
    let before = plain(&scene);
    assert_eq!(rules(&before), ["secondlife-upload.rig-size", "secondlife-upload.rig-turned"]);
    let options = with(|options| options.joint_positions = true);
    assert_eq!(rules(&upload(&scene, &[], &options)), ["secondlife-upload.rig-turned"]);
    let after = corrected(&scene);
    assert_eq!(rules(&after), [""; 0]);
    // The position of a joint is that in the joint above it, or the avatar's.
    let options = changed(fixing(), |options| options.joint_positions = true);
    let asset = slmesh::from_slice(file(&upload(&scene, &[], &options), "balls.llmesh")).expect("an asset");
    let skin = asset.skin.expect("a skin");
    let knee = (0..4).find(|&joint| skin.joint_names[joint].as_bytes() == b"mKneeLeft").expect("a knee");
    let found = skin.joint_position(knee).expect("a position").to_array();
    let expected = [0.033 - 0.034, 0.081 - 0.127, 0.535 - 1.026];
    near(&found, &expected, 1e-5);
    // The mesh changes with its rig: it is half as large, and its front is along x.
    let [was, is] =
        [&before, &after].map(|upload| read(file(upload, "balls.glb")).bounds().expect("drawn").size());
    let [x, y, z] = was.to_array().map(|side| side / 2.0);
    near(&is.to_array(), &[z, y, x], 1e-4);
}

/// Lines and points of a model do not become objects.
#[test]
fn an_object_without_triangles_is_left_out() {
    let mut scene = scene();
    add(&mut scene, "Grid", vec![Primitive::default()]);
    let upload = plain(&scene);
    assert_eq!(upload.report.parts.len(), 2);
    assert!(upload.report.losses.iter().any(|loss| loss.path == "Grid"), "{:?}", upload.report.losses);
}

/// With `fix`, an object that is thinner than a centimetre gets a box of one centimetre. Its triangles and its size
/// stay.
#[test]
fn thin_objects_get_a_box() {
    // Two leaves of 4 mm with the same mesh, one of them rotated; and a sheet without any thickness.
    let mut thin = many(1);
    thin.nodes[0].transform.scale = [0.5, 0.004, 0.5];
    let turned = Transform {
        translation: [3.0, 0.0, 0.0],
        rotation: [0.0, 0.0, 0.707_106_77, 0.707_106_77],
        scale: [0.5, 0.004, 0.5],
    };
    thin.add_node(None, Node { name: "other".into(), mesh: Some(0), transform: turned, ..Node::default() });
    let sheet = crate::mesh(&[[0.0, 5.0, 0.0], [1.0, 5.0, 0.0], [0.0, 5.0, 1.0]], &[[0, 1, 2]]);
    add(&mut thin, "sheet", vec![Primitive::new(sheet, Some(0))]);
    let options = Options::default();
    assert_eq!(rules(&upload(&thin, &[], &options)), ["secondlife-upload.no-thickness"; 2]);
    // At three times the size, they are thick enough.
    assert_eq!(rules(&upload(&thin, &[], &changed(options, |options| options.scale = 3.0))), [""; 0]);
    let options = with(|options| options.fix = true);
    let fixed = upload(&thin, &[], &options);
    assert_eq!(rules(&fixed), [""; 0]);
    let thinnest = |size: [f64; 3]| size.into_iter().fold(f64::INFINITY, f64::min);
    for part in &fixed.report.parts[..2] {
        let least = thinnest(part.size);
        assert!((0.01..0.0102).contains(&least), "{:?}", part.size);
        assert_eq!(part.levels.iter().map(|level| level.triangles).collect::<Vec<_>>(), [5; 4]);
    }
    assert_eq!(fixed.report.parts[2].levels[0].triangles, 1);
    let listed = fixed.report.losses.iter().filter(|loss| loss.what.contains("without an area"));
    assert_eq!(listed.map(|loss| loss.count.max(1)).sum::<usize>(), 2, "{:?}", fixed.report.losses);
    for suffix in ["", "_LOD2", "_LOD1", "_LOD0"] {
        let scene = read(file(&fixed, &format!("balls{suffix}.glb")));
        let pose = scene.pose();
        for primitives in scene.posed(&pose).take(2) {
            let mesh = &primitives[0].mesh;
            let size = geom::Aabb::from_points(mesh.positions.iter().copied()).expect("points").size();
            assert!(thinnest(size.to_array().map(f64::from)) >= 0.01, "{size:?}");
            // The visible surface has the same area.
            let area = |triangle: &[u32; 3]| {
                let [a, b, c] =
                    triangle.map(|index| glam::Vec3::from(mesh.positions[index as usize].to_array()));
                (b - a).cross(c - a).length()
            };
            assert_eq!(mesh.triangles.iter().filter(|triangle| area(triangle) > 1e-7).count(), 4);
        }
    }
}

/// A ball that follows four joints with these names, each below the previous one.
fn rigged(names: [&str; 4]) -> Scene {
    let mut scene = many(1);
    let mut joints: Vec<usize> = Vec::new();
    for (name, way) in
        names.into_iter().zip([[0.0, 1.067, 0.0], [0.0, 0.3, 0.0], [0.0, 0.1, 0.0], [0.1, 0.0, 0.0]])
    {
        let transform = Transform::from_translation(way);
        let node = Node { name: name.into(), transform, ..Node::default() };
        joints.push(scene.add_node(joints.last().copied(), node));
    }
    let world = scene.world_matrices(&scene.pose().transforms);
    let inverse_bind = joints
        .iter()
        .map(|&joint| glam::Mat4::from_cols_array_2d(&world[joint]).inverse().to_cols_array_2d())
        .collect();
    scene.skins.push(rezkit_scene::Skin { joints, inverse_bind, ..Default::default() });
    scene.nodes[0].skin = Some(0);
    let mesh = mesh_of(&mut scene, 0);
    mesh.joints = vec![[0, 1, 2, 3], [1, 3, 0, 0], [3, 0, 0, 0], [2, 0, 0, 0]];
    mesh.weights =
        vec![[0.1, 0.2, 0.3, 0.4], [0.25, 0.75, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]];
    scene
}

/// A mesh in centimetres, which its joints make a hundred times smaller, is no object of 100 m.
#[test]
fn a_skinned_mesh_is_as_large_as_it_is_worn() {
    let mut scene = rigged(["mPelvis", "mTorso", "mChest", "mNeck"]);
    for point in &mut mesh_of(&mut scene, 0).positions {
        *point = point.to_array().map(|axis| axis * 100.0).into();
    }
    let before = rules(&plain(&scene)).contains(&"secondlife-upload.size");
    for matrix in &mut scene.skins[0].inverse_bind {
        let smaller =
            glam::Mat4::from_cols_array_2d(matrix) * glam::Mat4::from_scale(glam::Vec3::splat(0.01));
        *matrix = smaller.to_cols_array_2d();
    }
    let after = rules(&plain(&scene)).contains(&"secondlife-upload.size");
    assert_eq!([before, after], [true, false]);
}

/// Joints of a known rig get the avatar's names. Vertices of other joints follow the nearest known joint above. Without
/// a known joint, there is no skin.
#[test]
fn joints_become_the_avatars() {
    // The weights of each vertex, with the names of the joints.
    let followed = |upload: &Upload| -> Vec<Vec<(String, f32)>> {
        let scene = read(file(upload, "balls.glb"));
        let mesh = &scene.meshes[0].primitives[0].mesh;
        let skin = &scene.skins[0];
        let name = |joint: u16| scene.nodes[skin.joints[usize::from(joint)]].name.clone();
        let vertices = mesh.joints.iter().zip(&mesh.weights);
        vertices
            .map(|(joints, weights)| {
                let pairs = joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
                let mut pairs: Vec<_> = pairs.map(|(joint, weight)| (name(*joint), *weight)).collect();
                pairs.sort_by(|a, b| a.0.cmp(&b.0));
                pairs
            })
            .collect()
    };
    let expected = |first: &str, second: &str| {
        let pair = |a: f32, b: f32| vec![(first.to_owned(), a), (second.to_owned(), b)];
        vec![
            pair(0.1, 0.9),
            vec![(second.to_owned(), 1.0)],
            vec![(second.to_owned(), 1.0)],
            vec![(second.to_owned(), 1.0)],
        ]
    };
    let same = |found: &[Vec<(String, f32)>], expected: &[Vec<(String, f32)>]| {
        found.len() == expected.len()
            && found.iter().zip(expected).all(|(found, expected)| {
                found.len() == expected.len()
                    && found.iter().zip(expected).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-6)
            })
    };
    let own = rigged(["mPelvis", "mTorso", "Twist", "Tip"]);
    assert!(rules(&plain(&own)).contains(&"secondlife-upload.joint-names"));
    let fixed = corrected(&own);
    assert_eq!(rules(&fixed), [""; 0]);
    assert!(same(&followed(&fixed), &expected("mPelvis", "mTorso")), "{:?}", followed(&fixed));
    assert!(fixed.report.losses.iter().any(|loss| loss.count == 2 && loss.what.ends_with("mTorso")));
    // The asset contains the same joints, also without `fix`.
    for upload in [&fixed, &plain(&own)] {
        let asset = asset(upload);
        let names: Vec<_> = asset.skin.expect("a skin").joint_names.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["mPelvis", "mTorso"]);
    }
    let mixamo = rigged(["mixamorig:Hips", "mixamorig:Spine", "Twist", "Tip"]);
    let fixed = corrected(&mixamo);
    assert_eq!(rules(&fixed), [""; 0]);
    assert!(same(&followed(&fixed), &expected("mPelvis", "mTorso")), "{:?}", followed(&fixed));
    has(&fixed, "Mixamo");
    // A part of a rig, and a rig with a joint that already has the avatar's name.
    let arm = rigged(["mixamorig:LeftForeArm", "mixamorig:LeftHand", "Twist", "Tip"]);
    let fixed = corrected(&arm);
    assert!(same(&followed(&fixed), &expected("mElbowLeft", "mWristLeft")), "{:?}", followed(&fixed));
    let arm = fixed.report.losses.iter().find(|loss| loss.what.contains("Mixamo")).expect("listed");
    assert_eq!(
        arm.to_string(),
        "mixamorig:LeftForeArm: joint of a Mixamo rig: renamed to mElbowLeft (and 1 more)"
    );
    let twice = rigged(["hips", "spine", "chest", "mChest"]);
    for options in [Options::default(), fixing()] {
        let made = upload(&twice, &[], &options);
        let asset = asset(&made);
        let names = asset.skin.expect("a skin").joint_names;
        assert_eq!(names.iter().filter(|name| name.as_str() == Some("mChest")).count(), 1, "{names:?}");
        let listed = made.report.losses.iter().any(|loss| loss.what.contains("the same joint of the avatar"));
        assert!(listed, "{:?}", made.report.losses);
    }
    let other = rigged(["Body", "Wing", "Twist", "Tip"]);
    let fixed = corrected(&other);
    assert_eq!(rules(&fixed), ["secondlife-upload.joint-names"]);
    // The remedy no longer offers `--fix`.
    assert!(fixed.report.findings[0].remedy.ends_with("`rezkit sl --joints`."));
    let high = read(file(&fixed, "balls.glb"));
    assert!(high.nodes.iter().all(|node| node.skin.is_none()));
    let [was, is] = [&other, &high].map(|scene| scene.bounds().expect("drawn"));
    assert_eq!((was.min, was.max), (is.min, is.max));
    assert!(fixed.report.losses.iter().any(|loss| loss.what.starts_with("the skin, since ")));
}

/// A level for physics obeys the platform's rules: triangles that the platform considers degenerate are left out.
#[test]
fn a_level_for_physics_has_no_degenerate_triangles() {
    let mut model = many(1);
    // A sliver with a height of a ten-thousandth next to a solid. It stays in the visible levels.
    let mesh = mesh_of(&mut model, 0);
    let first = mesh.positions.len() as u32;
    mesh.positions.extend([[0.0, 0.0, 0.5], [1.0, 0.0, 0.5], [1.0, 1e-4, 0.5]].map(geom::Vec3::from));
    mesh.triangles.push([first, first + 1, first + 2]);
    let options = with(|options| options.physics = Physics::Mesh);
    let made = upload(&model, &[], &options);
    assert!(rules(&made).is_empty());
    assert_eq!((made.report.parts[0].levels[3].triangles, made.report.parts[0].physics_triangles), (5, 4));
    assert_eq!(read(file(&made, "balls_PHYS.glb")).triangle_count(), 4);
    has(&made, "degenerate");
    // If the given mesh for physics contains it, that is a finding, which `fix` corrects.
    let given = [ExistingFile { kind: Kind::Physics, scene: model.clone() }];
    let with = |options: &Options| upload(&model, &given, options);
    assert_eq!(rules(&with(&options)), ["secondlife-upload.physics-triangles"]);
    assert!(rules(&with(&changed(options, |options| options.fix = true))).is_empty());
}

/// The physics shape of an object with more materials than an object may have faces is a single face.
#[test]
fn a_level_for_physics_has_no_materials() {
    let mut model = octahedron();
    let whole = model.meshes[0].primitives[0].clone();
    model.meshes[0].primitives = (0..9).map(|at| Primitive { material: Some(at), ..whole.clone() }).collect();
    model.materials = vec![Material::default(); 9];
    let options = with(|options| options.physics = Physics::Mesh);
    let made = upload(&model, &[], &options);
    assert!(rules(&made).iter().all(|rule| *rule == "secondlife-upload.faces"), "{:?}", rules(&made));
    let physics = read(file(&made, "balls_PHYS.glb"));
    assert_eq!(physics.meshes[0].primitives.len(), 1);
}

/// An object of some squares, each given by a corner and two sides.
fn squares(list: &[[[f32; 3]; 3]], weld: bool) -> Scene {
    let mut mesh = TriMesh::default();
    for [corner, a, b] in list {
        let mut at = |u: f32, v: f32| {
            let point: [f32; 3] = std::array::from_fn(|axis| corner[axis] + u * a[axis] + v * b[axis]);
            let known = mesh.positions.iter().position(|known| weld && known.to_array() == point);
            known.unwrap_or_else(|| {
                mesh.positions.push(point.into());
                mesh.positions.len() - 1
            }) as u32
        };
        let [a, b, c, d] = [at(0.0, 0.0), at(1.0, 0.0), at(1.0, 1.0), at(0.0, 1.0)];
        mesh.triangles.extend([[a, b, c], [a, c, d]]);
    }
    let mut scene = Scene::default();
    scene.materials = vec![Material { name: "a".into(), ..Material::default() }];
    add(&mut scene, "it", vec![Primitive::new(mesh, Some(0))]);
    scene
}

/// Hulls of an asset that became a scene, and objects that are modelled as hulls, become the hulls of the object. The
/// bounding hull is made again.
#[test]
fn hulls_beside_an_object_are_its_own() {
    let mut scene = Scene::default();
    let hulls =
        [("it", 1.0, 0.0), ("it_HULL0", 0.4, -0.5), ("it_PHYS_HULL1", 0.4, 0.5), ("it_BOUNDS", 1.0, 0.0)];
    for (name, radius, x) in hulls {
        let node = add(&mut scene, name, vec![Primitive::new(ball(radius, 4), None)]);
        scene.nodes[node].transform.translation[0] = x;
    }
    let made = plain(&scene);
    let parts: Vec<_> = made.report.parts.iter().map(|part| (&*part.name, part.hulls)).collect();
    assert_eq!(parts, [("it", 2)]);
    let size = read(file(&made, "balls_PHYS.glb")).bounds().expect("hulls").size();
    assert!((size.x - 1.8).abs() < 0.01, "{size:?}");
    assert!(made.report.losses.iter().any(|loss| loss.path == "it_BOUNDS"));
}

/// A floor has no volume, but must still be solid.
#[test]
fn something_flat_has_a_hull() {
    let floor = squares(&[[[0.0, 0.0, 0.0], [0.0, 0.0, 4.0], [4.0, 0.0, 0.0]]], true);
    let upload = plain(&floor);
    assert_eq!(upload.report.parts[0].hulls, 1);
    assert_eq!(rules(&upload), ["secondlife-upload.no-thickness"; 0]);
    let size = read(file(&upload, "balls_PHYS.glb")).bounds().expect("a hull").size().to_array();
    assert!(
        (size[0] - 4.0).abs() < 1e-4 && (size[2] - 4.0).abs() < 1e-4 && (0.01..0.011).contains(&size[1]),
        "{size:?}"
    );
}

/// Walls around a space of 3 m that face inwards, without a ceiling, have a slab each. A single hull around them fills
/// the part that is more than 9 cm (3 % of 3 m) away from the walls and the floor: 2.82² · 2.91 of 27 m³.
#[test]
fn openings_that_hulls_fill_are_found() {
    let (o, x, y, z) = ([0.0; 3], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]);
    let walls = squares(&[[o, z, x], [o, x, y], [o, y, z], [x, z, y], [z, y, x]], true);
    let made = plain(&walls);
    assert_eq!((rules(&made), made.report.parts[0].hulls), (Vec::<&str>::new(), 5));
    let lid = [[0.0, 3.0, 0.0], z, x];
    let block = squares(&[[o, z, x], [o, x, y], [o, y, z], [x, z, y], [z, y, x], lid], true);
    let given = [ExistingFile { kind: Kind::Physics, scene: block }];
    let upload = upload(&walls, &given, &Options::default());
    assert_eq!(rules(&upload), ["secondlife-upload.hull-openings"]);
    let found = &upload.report.findings[0].finding.found;
    let share: f64 = found.split(' ').next().and_then(|share| share.parse().ok()).expect("a share");
    assert!((share - 100.0 * 2.82 * 2.82 * 2.91 / 27.0).abs() < 1.0, "{found}");
    // A mesh for physics does not fill the space.
    let options = with(|options| options.physics = Physics::Mesh);
    assert_eq!(rules(&self::upload(&walls, &[], &options)), [""; 0]);
}

/// A sheet beside a thick block, and a sheet joined to it by an edge, have hulls. If a given shape covers only the block,
/// avatars fall through the sheet.
#[test]
fn what_one_walks_on_has_a_hull() {
    let (x, y, z) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    let o = [0.0; 3];
    let block = [[o, x, z], [o, y, x], [o, z, y], [x, y, z], [z, x, y], [y, z, x]];
    let apart = [[3.0, 1.0, 0.0], [0.0, 0.0, 1.0], [2.0, 0.0, 0.0]];
    let joined = [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [2.0, 0.0, 0.0]];
    for deck in [apart, joined] {
        let list: Vec<_> = block.into_iter().chain([deck]).collect();
        let made = upload(&squares(&list, true), &[], &Options::default());
        assert_eq!((rules(&made), made.report.parts[0].hulls), (Vec::<&str>::new(), 2));
        let given = [ExistingFile { kind: Kind::Physics, scene: squares(&block, true) }];
        let made = upload(&squares(&list, true), &given, &Options::default());
        assert_eq!(rules(&made), ["secondlife-upload.hull-floor", "secondlife-upload.hull-coverage"]);
        let found = &made.report.findings[0].finding.found;
        let area = found.split('(').nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
        assert!(area.is_some_and(|area: f64| (1.6..=2.0).contains(&area)), "{found}");
    }
}

/// A ball with 32 corners costs 0.04 · 33 for physics, which fewer corners reduce, but not those of a given shape.
#[test]
fn a_land_impact_that_is_missed_is_an_error() {
    let options = with(|options| options.land_impact = Some(2.2));
    let cheaper = upload(&scene(), &[], &options).report;
    assert!(cheaper.land_impact.physics.is_some_and(|cost| cost <= 2.2), "{}", cheaper.land_impact);
    assert!(cheaper.losses.iter().any(|loss| loss.what.starts_with("the physics hulls are coarser")));
    let given = [ExistingFile { kind: Kind::Physics, scene: scene() }];
    let upload = upload(&scene(), &given, &options);
    let found = &upload.report.findings[0].finding;
    assert_eq!((found.rule, found.severity.as_str()), ("secondlife-upload.land-impact", "error"));
    assert!(found.found.starts_with("expected at most 2.2, found "), "{}", found.found);
    let end =
        "the least physics cost 2.640; with the physics shape box (--physics box), the physics cost is 0.720";
    assert!(found.found.ends_with(end), "{}", found.found);
    // Each object has a server cost of 0.5. If their sum is too large, simplifying is useless.
    let options = changed(options, |options| options.land_impact = Some(0.9));
    let useless = self::upload(&scene(), &[], &options).report;
    assert_eq!(useless.parts[0].levels[0].triangles, 528);
    assert_eq!(useless.land_impact, self::plain(&scene()).report.land_impact);
    let found = &useless.findings[0].finding.found;
    assert!(found.ends_with("the server cost alone is above 0.9, so nothing was simplified"), "{found}");
    let options = changed(options, |options| options.land_impact = Some(100.0));
    assert_eq!(rules(&self::upload(&scene(), &[], &options)), [""; 0]);
    // Only Second Life computes the cost of a mesh for physics.
    let options = changed(options, |options| options.physics = Physics::Mesh);
    let upload = self::upload(&scene(), &[], &options);
    assert_eq!(rules(&upload), ["secondlife-upload.land-impact-unknown"]);
    let cost = upload.report.land_impact;
    assert!(cost.to_string().starts_with(&format!("at least {0:.3}: download {0:.3}, ", cost.streaming)));
}

/// The box of an object with a skin counts, so that an easier target is reached where a harder one is. The cost is the one
/// of the assets.
#[test]
fn the_physics_of_objects_with_a_skin_counts() {
    let mut worn = rigged(["mPelvis", "mTorso", "mChest", "mNeck"]);
    for (name, x) in [("One", 3.0), ("Two", 6.0), ("Three", 9.0)] {
        let node = add(&mut worn, name, vec![Primitive::new(ball(1.0, 12), None)]);
        worn.nodes[node].transform.translation[0] = x;
    }
    // Each ball has 32 corners, and the box 8: 3 · 0.04 · 33 + 0.04 · 9 = 4.32.
    let all = plain(&worn).report;
    assert!((all.land_impact.physics.expect("hulls") - 4.32).abs() < 1e-4, "{}", all.land_impact);
    assert!((all.curve.last().expect("hulls").cost - 4.32).abs() < 1e-4);
    for wanted in [4.2, 4.0, 3.5, 3.0] {
        let made = upload(&worn, &[], &with(|options| options.land_impact = Some(wanted))).report;
        assert!(made.land_impact.total <= wanted, "{wanted}: {}", made.land_impact);
    }
}

/// A level costs no more than an empty one up to 400 bytes, which 24 triangles of a flat, textured mesh exceed: a viewer
/// makes 16, 5 and 1 of them.
#[test]
fn flat_meshes_have_less_than_24_triangles() {
    let (mut mesh, smooth) = (TriMesh::default(), ball(0.5, 5));
    for [a, b, c] in &smooth.triangles {
        let first = mesh.positions.len() as u32;
        for at in [a, b, c] {
            mesh.positions.push(smooth.positions[*at as usize]);
            mesh.uvs.push(smooth.uvs[*at as usize]);
        }
        mesh.triangles.push([first, first + 1, first + 2]);
    }
    mesh.normals = mesh.area_weighted_normals();
    let mut flat = Scene::default();
    add(&mut flat, "Flat", vec![Primitive::new(mesh, None)]);
    let part = |options: &Options| upload(&flat, &[], options).report.parts[0].clone();
    let made = part(&Options::default());
    assert!(made.levels[3].bytes <= 400, "{:?}", made.levels);
    let viewer = [27, 9, 3].map(rezkit_upload::LevelTarget::Triangles);
    let viewer = part(&with(|options| options.targets = viewer));
    assert!(made.land_impact.streaming <= viewer.land_impact.streaming * 1.05, "{:?} {:?}", made, viewer);
}

/// The corners of an octahedron as an object.
fn octahedron() -> Scene {
    let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        .map(|axis: [f32; 3]| [2.0, -2.0].map(|by| axis.map(|n| by * n)));
    let triangles = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    let mut scene = Scene::default();
    let mesh = crate::mesh(corners.as_flattened(), &triangles);
    add(&mut scene, "it", vec![Primitive::new(mesh, None)]);
    scene
}

/// The bounding hull has the corners of the object, and is a box only if no shape is wanted.
#[test]
fn the_bounding_hull_is_that_of_the_mesh() {
    let bounding = |physics| {
        let options = with(|options| options.physics = physics);
        let made = upload(&octahedron(), &[], &options);
        let asset = asset(&made);
        let hull = asset.physics_convex.expect("a hull");
        let points = hull.bounding_points().map(|point| point.to_array());
        (points.collect::<Vec<_>>(), made.report.land_impact.physics)
    };
    for physics in [Physics::Hulls, Physics::Mesh, Physics::Box] {
        let (points, _) = bounding(physics);
        assert_eq!(points.len(), 6, "{physics:?}");
        // Each corner is on one axis.
        let is_corner = |point: &[f32; 3]| {
            let mut sides = point.map(f32::abs);
            sides.sort_by(f32::total_cmp);
            sides[1] < 1e-4 && (sides[2] - 0.5).abs() < 1e-4
        };
        assert!(points.iter().all(is_corner), "{physics:?}: {points:?}");
    }
    // 0.04 for each corner, and for the hull.
    let (points, cost) = bounding(Physics::None);
    assert_eq!(points.len(), 8);
    assert!(cost.is_some_and(|cost| (cost - 0.36).abs() < 1e-6), "{cost:?}");
    let (asset, losses) =
        rezkit_scene::slmesh::from_scene(&octahedron(), &mut crate::budget()).expect("an asset");
    assert!(asset.physics_convex.is_some_and(|convex| convex.bounding.len() == 6), "{losses:?}");
    let floor = squares(&[[[0.0, 0.0, 0.0], [0.0, 0.0, 4.0], [4.0, 0.0, 0.0]]], true);
    let (asset, losses) = rezkit_scene::slmesh::from_scene(&floor, &mut crate::budget()).expect("an asset");
    assert!(asset.physics_convex.is_some_and(|convex| convex.bounding.len() == 8));
    assert!(losses.iter().any(|loss| loss.what.starts_with("the box around the whole mesh")), "{losses:?}");
}

/// The `.slm` of several objects has no materials, which is listed. Names in a file's list of materials are read.
#[test]
fn materials_of_several_objects_are_listed() {
    let made = plain(&scene());
    let lost = made.report.losses.iter().find(|loss| loss.path == "balls.slm").expect("listed");
    assert_eq!(lost.count, 2);
    let mut slm = slmesh::Slm::from_slice(file(&made, "balls.slm")).expect("a file that was written");
    slm.meshes[0].material_list = Some(["Red", "Blue"].map(Into::into).to_vec());
    let of_mesh =
        rezkit_scene::slmesh::to_scene(&slm.meshes[0], "it", Levels::All, true, &mut crate::budget());
    let (scene, losses) = of_mesh.expect("a scene");
    let names: Vec<_> = scene.materials.iter().map(|material| material.name.as_str()).collect();
    assert_eq!(names, ["Red", "Blue"]);
    assert!(!losses.iter().any(|loss| loss.what.contains("material_list")), "{losses:?}");
}

/// A level cannot have more triangles than the one before it.
#[test]
fn levels_that_increase_are_listed() {
    let levels = |ratios: [f64; 3]| {
        let targets = ratios.map(rezkit_upload::LevelTarget::Ratio);
        let losses = upload(&scene(), &[], &with(|options| options.targets = targets));
        let losses = losses.report.losses.into_iter().filter(|loss| loss.path == "levels");
        losses.map(|loss| loss.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(levels([0.5, 0.3, 0.1]), [""; 0]);
    let what = "levels: generated level of detail 2 of 3: more triangles were requested than the previous level has, \
                so both levels have the same number";
    assert_eq!(levels([0.3, 0.5, 0.1]), [what]);
}

/// An arm of the avatar at rest that faces `front`: the elbow bends forward by a quarter turn.
fn arm(front: f32, names: [&str; 4]) -> Scene {
    let turn = glam::Quat::from_rotation_y((front - 90.0).to_radians());
    let mut scene = Scene::default();
    let mut nodes: Vec<usize> = Vec::new();
    // The places in the avatar's axes, each relative to the joint before.
    for (name, [x, y, z]) in
        names.into_iter().zip([[0.0, 0.0, 1.067], [-0.03, 0.16, 0.45], [0.0, 0.248, 0.0], [0.0, 0.205, 0.0]])
    {
        let way = turn * glam::Vec3::new(x, z, -y);
        let transform = Transform::from_translation(way.to_array());
        let parent = nodes.last().copied();
        nodes.push(scene.add_node(parent, Node { name: name.into(), transform, ..Node::default() }));
    }
    let bent = glam::Quat::from_rotation_y(-std::f32::consts::FRAC_PI_2);
    // The shoulder swings about the axis from its back to its front.
    let swung = glam::Quat::from_axis_angle(turn * glam::Vec3::X, 0.5);
    let channel = |node: usize, to: glam::Quat| rezkit_scene::Channel {
        node,
        times: vec![0.0, 1.0],
        values: rezkit_scene::Values::Rotation(vec![[0.0, 0.0, 0.0, 1.0], to.to_array()]),
        interpolation: rezkit_scene::Interpolation::Linear,
    };
    let channels = vec![channel(nodes[2], bent), channel(nodes[1], swung)];
    scene.animations.push(rezkit_scene::Animation { channels, ..Default::default() });
    scene
}

/// A rig with only one side has the direction in which its joints are nearest to the avatar's, as for the rules.
/// The morph weights of the file are the shape of everything that is uploaded: a ball of radius 1 that grows by a half.
#[test]
fn morph_weights_are_the_shape_of_everything() {
    let mut scene = Scene::default();
    let mut primitive = Primitive::new(ball(1.0, 8), None);
    let positions = primitive.mesh.positions.clone();
    primitive.targets = vec![rezkit_scene::MorphTarget { positions, ..Default::default() }];
    let node = add(&mut scene, "ball", vec![primitive]);
    scene.nodes[node].weights = vec![0.5];
    let upload = plain(&scene);
    has(&upload, "morph targets baked into the mesh");
    for (path, least) in [("balls.glb", 1.499), ("balls_LOD0.glb", 1.1), ("balls_PHYS.glb", 1.3)] {
        let scene = read(file(&upload, path));
        let pose = scene.pose();
        let points: Vec<f32> = scene
            .posed(&pose)
            .flatten()
            .flat_map(|primitive| {
                primitive.mesh.positions.iter().map(|point| point.to_array()[1]).collect::<Vec<_>>()
            })
            .collect();
        let highest = points.into_iter().fold(0.0, f32::max);
        assert!((least..1.6).contains(&highest), "{path}: {highest}");
        assert!(
            scene
                .meshes
                .iter()
                .flat_map(|mesh| &mesh.primitives)
                .all(|primitive| primitive.targets.is_empty())
        );
    }
    near(&upload.report.parts[0].size.map(|side| side as f32), &[3.0; 3], 0.01);
}

#[test]
fn a_rig_with_one_side_has_a_direction() {
    let own = ["mPelvis", "mShoulderLeft", "mElbowLeft", "mWristLeft"];
    let mixamo = ["mixamorig:Hips", "mixamorig:LeftArm", "mixamorig:LeftForeArm", "mixamorig:LeftHand"];
    for (front, names) in [(90.0, own), (0.0, own), (90.0, mixamo), (0.0, mixamo), (-90.0, mixamo)] {
        let scene = arm(front, names);
        let (motion, _) =
            rezkit_scene::slmesh::motion_from_scene(&scene, &mut crate::budget()).expect("a motion");
        let last = |name: &str| {
            let joint = motion.joints.iter().find(|joint| joint.name.as_str() == Some(name)).expect(name);
            joint.rotations.last().expect("keys").rotation()
        };
        // The avatar's x points to its front, and z up.
        near(&last("mShoulderLeft"), &[0.25_f32.sin(), 0.0, 0.0, 0.25_f32.cos()], 2e-3);
        let half = std::f32::consts::FRAC_1_SQRT_2;
        near(&last("mElbowLeft"), &[0.0, 0.0, -half, half], 2e-3);
    }
}

/// The parts of R6 are a rig of their own: their legs begin at the hips.
#[test]
fn r6_is_named() {
    let mut scene = arm(180.0, ["Torso", "Left Arm", "Left Leg", "Right Leg"]);
    for name in ["Right Arm", "Head"] {
        scene.add_node(Some(0), Node { name: name.into(), ..Node::default() });
    }
    let (motion, losses) =
        rezkit_scene::slmesh::motion_from_scene(&scene, &mut crate::budget()).expect("a motion");
    assert!(losses.iter().any(|loss| loss.what.contains("rest pose of a Roblox R6 rig")), "{losses:?}");
    let names: Vec<_> = motion.joints.iter().map(|joint| joint.name.to_string()).collect();
    assert!(names.contains(&"mHipLeft".to_owned()) && !names.contains(&"mKneeLeft".to_owned()), "{names:?}");
}

/// A material that only a coarser level has is named, although the finest level has no such material.
#[test]
fn a_material_that_only_a_level_has() {
    let model = scene();
    let mut level = model.clone();
    level.materials[1].name = "window".into();
    let given = [ExistingFile { kind: Kind::Level(1), scene: level }];
    let error = second_life(&model, "balls", &given, &Options::default(), &mut |_, _| Ok(Some(vec![1])))
        .expect_err("refused");
    let expected =
        "the finest level of \"Big/ball\" does not use the material \"window\", so this level cannot use it";
    assert_eq!(error.reason(), expected);
    let fixed = upload(&model, &given, &fixing());
    let text = "1 face with the material \"window\", but the next finer level has none";
    has(&fixed, text);
}
