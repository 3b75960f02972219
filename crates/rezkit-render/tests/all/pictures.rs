//! Pictures of scenes whose appearance is known.
#![allow(clippy::cast_possible_truncation, reason = "small numbers")]

use geom::TriMesh;
use glam::Vec3;
use rezkit_core::ErrorKind;
use rezkit_render::{RenderOptions, Renderer, animated_png};
use rezkit_scene::images::Picture;
use rezkit_scene::{
    Alpha, Camera, Image, ImageData, Material, Mesh, Node, Primitive, Scene, Skin, Texture, Transform, images,
};

fn mesh(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> TriMesh {
    TriMesh {
        positions: positions.iter().map(|&point| point.into()).collect(),
        triangles: triangles.to_vec(),
        ..TriMesh::default()
    }
}

/// A square of side 2 that faces +z.
fn square() -> TriMesh {
    mesh(&[[-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0]], &[[0, 1, 2], [0, 2, 3]])
}

/// The square with an upright image.
fn textured_square() -> TriMesh {
    let uvs = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]].map(Into::into).to_vec();
    TriMesh { uvs, ..square() }
}

fn image(picture: &Picture) -> Image {
    Image { name: String::new(), data: ImageData::Bytes(images::png(picture).expect("a PNG")) }
}

/// A block around the origin, counter-clockwise if seen from outside, whose faces share no vertices.
fn block(size: [f32; 3]) -> TriMesh {
    let half = Vec3::from(size) * 0.5;
    let mut made = TriMesh::default();
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let corner = |u: f32, v: f32| -> geom::Vec3 {
                let mut point = [0.0; 3];
                (point[axis], point[(axis + 1) % 3], point[(axis + 2) % 3]) = (side, u * side, v);
                (Vec3::from(point) * half).to_array().into()
            };
            let start = made.positions.len() as u32;
            let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
            made.positions.extend(corners.map(|(u, v)| corner(u, v)));
            let mut normal = [0.0; 3];
            normal[axis] = side;
            made.normals.extend([geom::Vec3::from(normal); 4]);
            made.triangles.extend([[0, 1, 2], [0, 2, 3]].map(|t: [u32; 3]| t.map(|index| index + start)));
        }
    }
    made
}

fn scene(parts: Vec<(TriMesh, Material)>) -> Scene {
    let mut scene = Scene::default();
    for (mesh, material) in parts {
        let index = scene.materials.len();
        scene.materials.push(material);
        let primitive = Primitive { mesh: mesh.into(), material: Some(index), ..Primitive::default() };
        let mesh = Some(scene.add_mesh(Mesh { primitives: vec![primitive], ..Mesh::default() }));
        scene.add_node(None, Node { mesh, ..Node::default() });
    }
    scene
}

fn unlit(color: [f32; 4]) -> Material {
    Material { base_color: color, unlit: true, ..Material::default() }
}

fn options(width: u32, height: u32, yaw: f32, pitch: f32) -> RenderOptions {
    let mut options = RenderOptions::default();
    (options.width, options.height, options.yaw, options.pitch) = (width, height, yaw, pitch);
    options.background = [0; 4];
    options
}

fn renderer(scene: &Scene) -> Renderer<'_> {
    Renderer::new(scene, 1 << 30).expect("a scene")
}

/// Whether a picture can be drawn.
fn outcome(scene: &Scene, options: &RenderOptions) -> Result<(), ErrorKind> {
    renderer(scene).draw(options).map_err(|error| error.kind()).map(drop)
}

fn drawn(scene: &Scene, options: &RenderOptions) -> Picture {
    renderer(scene).draw(options).expect("a picture")
}

/// A mesh without normals is flat, as one whose faces have their own corners and normals.
#[test]
fn meshes_without_normals_are_flat() {
    let apart = block([2.0; 3]);
    let mut shared = TriMesh::default();
    let mut index_of = std::collections::HashMap::new();
    for triangle in &apart.triangles {
        shared.triangles.push(triangle.map(|index| {
            let at = apart.positions[index as usize];
            *index_of.entry(at.to_array().map(f32::to_bits)).or_insert_with(|| {
                shared.positions.push(at);
                shared.positions.len() as u32 - 1
            })
        }));
    }
    assert_eq!(shared.positions.len(), 8);
    let options = options(64, 64, 30.0, 20.0);
    let [smooth, flat] =
        [shared, apart].map(|mesh| drawn(&scene(vec![(mesh, Material::default())]), &options));
    let differences = smooth.pixels().iter().zip(flat.pixels());
    let most = differences.flat_map(|(a, b)| (0..4).map(|part| a[part].abs_diff(b[part]))).max();
    assert!(most <= Some(1), "{most:?}");
}

/// A surface with a texture of metalness and roughness is drawn as one with the numbers of a pixel.
#[test]
fn metalness_and_roughness_of_textures_are_drawn() {
    let options = options(64, 64, 20.0, 30.0);
    let color = [0.6, 0.2, 0.1, 1.0];
    let draw = |metallic: f32, roughness: f32, texel: Option<[u8; 4]>| {
        let texture = texel.map(|_| Texture::new(0));
        let material = Material {
            base_color: color,
            metallic,
            roughness,
            metallic_roughness_texture: texture,
            ..Material::default()
        };
        let mut scene = scene(vec![(textured_square(), material)]);
        scene.images.extend(texel.map(|texel| image(&Picture::new(2, 2, texel))));
        drawn(&scene, &options)
    };
    // Roughness is green, and metalness blue.
    let textured = draw(1.0, 0.5, Some([0, 102, 204, 255]));
    let plain = draw(0.8, 0.2, None);
    let differences = textured.pixels().iter().zip(plain.pixels());
    let most = differences.flat_map(|(a, b)| (0..4).map(|part| a[part].abs_diff(b[part]))).max();
    assert!(most <= Some(1), "{most:?}");
    assert_ne!(plain, draw(1.0, 0.5, None));
}

/// A file of a motion has nodes, but neither a skin nor triangles: it is drawn as the same nodes in a skin.
#[test]
fn bones_without_a_skin_are_drawn() {
    let mut scene = Scene::default();
    let mut parent = None;
    for place in [[3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [1.0, 1.0, 0.0]] {
        let transform = Transform { translation: place, ..Transform::default() };
        parent = Some(scene.add_node(parent, Node { transform, ..Node::default() }));
    }
    let mut options = options(48, 48, 0.0, 0.0);
    options.skeleton = true;
    let alone = drawn(&scene, &options);
    let inverse_bind = vec![Transform::default().matrix(); 3];
    scene.skins.push(Skin { name: String::new(), joints: vec![0, 1, 2], inverse_bind });
    assert_eq!(alone, drawn(&scene, &options));
    assert!(alone.pixels().iter().any(|pixel| pixel[3] != 0));
}

/// A large plate and a fine grid of triangles, such as terrain, in one plane: the first of them is seen, nowhere the other.
#[test]
fn surfaces_in_one_plane_do_not_mix() {
    let flat = |cells: u32, size: f32| {
        let at = |index: u32| (index as f32 / cells as f32 - 0.5) * size;
        let points = (0..=cells).flat_map(|z| (0..=cells).map(move |x| [at(x), 0.137, at(z)]));
        let corner = |x: u32, z: u32| z * (cells + 1) + x;
        let square = |x: u32, z: u32| {
            let [a, b, c, d] = [corner(x, z), corner(x, z + 1), corner(x + 1, z + 1), corner(x + 1, z)];
            [[a, b, c], [a, c, d]]
        };
        let triangles: Vec<_> = (0..cells).flat_map(|z| (0..cells).flat_map(move |x| square(x, z))).collect();
        mesh(&points.collect::<Vec<_>>(), &triangles)
    };
    let (red, green) = (unlit([1.0, 0.0, 0.0, 1.0]), unlit([0.0, 1.0, 0.0, 1.0]));
    for pitch in [3.0, 10.0, 30.0, 75.0] {
        for (first, second) in [(1, 37), (37, 1), (64, 3)] {
            let parts = vec![(flat(first, 512.0), red.clone()), (flat(second, 500.0), green.clone())];
            let picture = drawn(&scene(parts), &options(320, 200, 30.0, pitch));
            let green = (0..200).flat_map(|y| (0..320).map(move |x| (x, y)));
            let green = green.filter(|&(x, y)| picture.pixel(x, y)[1] > 64).count();
            assert_eq!(green, 0, "{pitch}: {first} and {second}");
        }
    }
}

/// The first and the last column and row with an opaque pixel.
fn extent(picture: &Picture) -> [u32; 4] {
    let points = || (0..picture.height()).flat_map(|y| (0..picture.width()).map(move |x| (x, y)));
    let solid = || points().filter(|&(x, y)| picture.pixel(x, y)[3] > 127);
    let xs = || solid().map(|(x, _)| x);
    let ys = || solid().map(|(_, y)| y);
    [xs().min(), xs().max(), ys().min(), ys().max()].map(|side| side.expect("something"))
}

/// From any angle, the middle of what is drawn is the middle of the picture, also for flat and long shapes, and it
/// fills the width or the height.
#[test]
fn what_is_drawn_is_in_the_middle() {
    for size in [[1.0, 1.0, 1.0], [512.0, 16.0, 512.0], [10.0, 100.0, 10.0], [20.0, 20.0, 300.0]] {
        let scene = scene(vec![(block(size), unlit([1.0; 4]))]);
        for (yaw, pitch) in [(30.0, 20.0), (0.0, 0.0), (70.0, 5.0), (200.0, 80.0), (45.0, -35.0)] {
            for zoom in [1.0, 0.5] {
                let mut options = options(240, 160, yaw, pitch);
                options.zoom = zoom;
                let [left, right, top, bottom] = extent(&drawn(&scene, &options)).map(|side| side as f32);
                let what = format!("{size:?} {yaw} {pitch} {zoom}: {left} {right} {top} {bottom}");
                assert!((left + right - 239.0).abs() / 2.0 < 0.03 * 240.0, "{what}");
                assert!((top + bottom - 159.0).abs() / 2.0 < 0.03 * 160.0, "{what}");
                let fills = ((right - left) / 240.0).max((bottom - top) / 160.0);
                assert!(fills > 0.85 * zoom && fills < 0.97, "{what}");
            }
        }
    }
}

/// A plate below is drawn, but the camera is as near as without it.
#[test]
fn ground_does_not_decide_the_distance() {
    let mut plate = block([500.0, 1.0, 500.0]);
    plate.positions.iter_mut().for_each(|point| point.y -= 1.5);
    let red = |plates: Vec<TriMesh>| {
        let mut parts = vec![(block([2.0; 3]), unlit([1.0, 0.0, 0.0, 1.0]))];
        parts.extend(plates.into_iter().map(|plate| (plate, unlit([0.0, 1.0, 0.0, 1.0]))));
        let picture = drawn(&scene(parts), &options(100, 100, 30.0, 20.0));
        let red = picture.pixels().iter().filter(|pixel| pixel[0] > 200 && pixel[1] < 50).count();
        (red, picture.pixel(50, 95))
    };
    let (without, with) = (red(Vec::new()), red(vec![plate]));
    assert!(with.0.abs_diff(without.0) < without.0 / 20, "{without:?} {with:?}");
    assert!(with.1[1] > 200 && without.1[1] == 0, "{without:?} {with:?}");
}

/// The size of a scene does not change the picture, from the largest floats to the smallest normal ones.
#[test]
fn the_size_of_a_scene_changes_nothing() {
    let of = |scale: f32| {
        let mut mesh = square();
        mesh.positions.iter_mut().for_each(|point| *point = point.to_array().map(|part| part * scale).into());
        drawn(&scene(vec![(mesh, Material::default())]), &options(32, 24, 30.0, 20.0))
    };
    let one = of(1.0);
    assert!(extent(&one)[1] > 20);
    // Powers of two, so that scaling does not round.
    for power in [127, 100, 3, -100, -120] {
        assert_eq!(of(2.0_f32.powi(power)), one, "2^{power}");
    }
}

/// A triangle that extends from far behind the camera to far ahead of it: the visible part is drawn.
#[test]
fn what_is_far_outside_is_cut() {
    let far = |far: f32| {
        let corners = [[-far, -1.0, far], [far, -1.0, far], [0.0, -1.0, -3.0 * far]];
        picture_from_inside(mesh(&corners, &[[0, 1, 2]]))
    };
    for size in [1e3, 1e6, 1e9] {
        let picture = far(size);
        let alpha = |y| (0..32).map(|x| picture.pixel(x, y)[3]).collect::<Vec<_>>();
        assert_eq!((alpha(11), alpha(12)), (vec![0; 32], vec![255; 32]), "{size}");
    }
    // Here even 64 bits are too imprecise to find the border: drawing ends, and stays inside of the picture.
    far(1e38);
}

const RIGHT_ANGLE: Camera =
    Camera { yfov: std::f32::consts::FRAC_PI_2, znear: 0.1, zfar: None, aspect: None };

fn picture_from_inside(mesh: TriMesh) -> Picture {
    let mut scene = scene(vec![(mesh, unlit([1.0; 4]))]);
    let camera = scene.add_node(None, Node { camera: Some(RIGHT_ANGLE), ..Node::default() });
    let mut options = options(32, 24, 0.0, 0.0);
    options.camera = Some(camera);
    drawn(&scene, &options)
}

/// A few objects far away from all others are left outside of the picture, unless they are requested.
#[test]
fn what_is_far_from_everything_is_left_out() {
    let moved = |by: f32| {
        let mut mesh = square();
        mesh.positions.iter_mut().for_each(|point| point.x += by);
        (mesh, unlit([1.0; 4]))
    };
    let near = || (0..10).map(|index| moved(3.0 * index as f32));
    let scenes = [scene(near().collect()), scene(near().chain([moved(-1e5), moved(-1e5 - 2.0)]).collect())];
    let mut options = options(64, 32, 0.0, 0.0);
    let [alone, with] = [0, 1].map(|index| drawn(&scenes[index], &options));
    assert!(alone == with && extent(&alone)[0] < 6, "{:?}", extent(&with));
    let outside = |options: &_| renderer(&scenes[1]).outside(options);
    assert_eq!(outside(&options), 2);
    options.outliers = true;
    assert_eq!(outside(&options), 0);
    assert!(drawn(&scenes[1], &options).pixels().iter().filter(|pixel| pixel[3] > 0).count() < 10);
    // Also beside a ground plate that is larger than the distance.
    let plate = |by: f32| {
        let mut mesh = square();
        mesh.positions =
            mesh.positions.iter().map(|at| [at.x * 2000.0, -2.0, at.y * 2000.0].into()).collect();
        mesh.positions.iter_mut().for_each(|point| point.x += by);
        (mesh, unlit([1.0; 4]))
    };
    let with = scene(near().chain([plate(0.0), moved(350.0), moved(352.0)]).collect());
    options.outliers = false;
    assert_eq!(renderer(&with).outside(&options), 2);
}

#[test]
fn infinities_and_nan_are_not_drawn() {
    let mut mesh = square();
    let white = drawn(&scene(vec![(mesh.clone(), unlit([1.0; 4]))]), &options(32, 32, 0.0, 0.0));
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for axis in 0..3 {
            let mut point = [0.5; 3];
            point[axis] = value;
            mesh.positions.push(point.into());
            mesh.triangles.push([0, 1, mesh.positions.len() as u32 - 1]);
        }
    }
    assert_eq!(drawn(&scene(vec![(mesh, unlit([1.0; 4]))]), &options(32, 32, 0.0, 0.0)), white);
}

/// Two triangles with a common edge cover each sample at the edge once. With glass, a seam would be visible.
#[test]
fn edges_are_covered_once() {
    let glass = Material { alpha: Alpha::Blend, ..unlit([1.0, 1.0, 1.0, 0.5]) };
    let picture = drawn(&scene(vec![(square(), glass)]), &options(61, 47, 17.0, 33.0));
    let inner = picture.pixels().iter().filter(|pixel| pixel[3] > 0 && pixel[3] < 127).count();
    // Only pixels of the outline are partly covered.
    let [left, right, top, bottom] = extent(&picture);
    assert!(inner < (2 * (right - left + bottom - top) + 8) as usize, "{inner}");
    assert!(picture.pixels().iter().all(|pixel| pixel[3] <= 128));
}

/// A closed block of half-transparent glass looks like a single layer, from all sides and if its faces are inverted.
#[test]
fn glass_has_no_inner_faces() {
    let glass = || Material { alpha: Alpha::Blend, ..unlit([1.0, 0.0, 0.0, 0.5]) };
    let mut inverted = block([1.0; 3]);
    inverted.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    for mesh in [block([1.0; 3]), inverted] {
        for yaw in [0.0, 30.0, 200.0] {
            let picture = drawn(&scene(vec![(mesh.clone(), glass())]), &options(32, 32, yaw, 20.0));
            let [red, green, blue, alpha] = picture.pixel(16, 16);
            assert_eq!([red, green, blue], [255, 0, 0], "{yaw}");
            assert!(alpha.abs_diff(128) <= 1, "{yaw}: {alpha}");
        }
    }
    // Without its top, the block is open, so that both sides are drawn.
    let mut open = block([1.0; 3]);
    open.triangles.drain(6..8);
    let picture = drawn(&scene(vec![(open, glass())]), &options(32, 32, 0.0, 0.0));
    assert_eq!(picture.pixel(16, 16), [255, 0, 0, 191]);
}

#[test]
fn the_ground_has_a_shadow_from_above_only() {
    let of = |pitch: f32| {
        let mut options = options(128, 128, 30.0, pitch);
        options.background = [255; 4];
        drawn(&scene(vec![(block([1.0; 3]), unlit([0.0, 0.0, 1.0, 1.0]))]), &options)
    };
    // Pixels of the shadow: grey, unlike the block and the white background.
    let grey = |picture: &Picture| {
        picture.pixels().iter().filter(|pixel| pixel[0] == pixel[2] && pixel[0] < 240).count()
    };
    assert!(grey(&of(25.0)) > 200, "{}", grey(&of(25.0)));
    assert_eq!(of(25.0).pixel(0, 0), [255; 4]);
    assert_eq!(grey(&of(-25.0)), 0);
}

/// Two walls are darker where they meet, while a single wall is not; unlit materials are not changed.
#[test]
fn corners_are_darker() {
    let corners = [[0.0, 0.0], [-1.0, 1.0], [0.0, 0.0], [1.0, 1.0]].map(|[x, z]| [[x, -1.0, z], [x, 1.0, z]]);
    let walls = mesh(corners.as_flattened(), &[[2, 0, 1], [2, 1, 3], [4, 6, 7], [4, 7, 5]]);
    let rough = |unlit| Material { unlit, ..Material::default() };
    let light = |mesh: &TriMesh, unlit, x| {
        let picture = drawn(&scene(vec![(mesh.clone(), rough(unlit))]), &options(128, 128, 0.0, 0.0));
        f32::from(picture.pixel(x, 64)[1])
    };
    assert!(light(&walls, false, 62) < light(&walls, false, 30) * 0.93);
    assert_eq!(light(&walls, true, 61), 255.0);
    assert!((light(&square(), false, 61) - light(&square(), false, 30)).abs() < 3.0);
}

/// A pole on the axis has the same height in all frames, whatever is around it.
#[test]
fn a_turntable_keeps_its_distance() {
    let pole = block([0.05, 2.0, 0.05]);
    let arm = block([0.02, 0.02, 3.0]);
    let scene = scene(vec![(pole, unlit([1.0; 4])), (arm, unlit([1.0; 4]))]);
    let renderer = renderer(&scene);
    let pictures = renderer.turntable(&options(200, 300, 0.0, 0.0), 12).expect("pictures");
    assert_eq!(pictures.len(), 12);
    let heights: Vec<u32> = pictures
        .map(|picture| {
            let picture = picture.expect("a picture");
            (0..300).filter(|&y| picture.pixel(100, y)[3] > 127).count() as u32
        })
        .collect();
    let (least, most) = (heights.iter().min().expect("12"), heights.iter().max().expect("12"));
    // Its front edge is slightly nearer if a corner of it faces the camera.
    assert!(most - least <= 2 && *least > 80, "{heights:?}");
    let mut of_camera = options(8, 8, 0.0, 0.0);
    of_camera.camera = Some(0);
    assert!(renderer.turntable(&of_camera, 2).is_err());
}

#[test]
fn a_zoom_enlarges_and_a_camera_looks() {
    let mut scene = scene(vec![(square(), unlit([1.0; 4]))]);
    let mut options = options(100, 100, 0.0, 0.0);
    let width = |scene: &Scene, options: &RenderOptions| {
        let [left, right, ..] = extent(&drawn(scene, options));
        right - left + 1
    };
    let whole = width(&scene, &options);
    options.zoom = 0.5;
    assert!(width(&scene, &options).abs_diff(whole / 2) <= 1);
    for wrong in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        options.zoom = wrong;
        assert!(renderer(&scene).draw(&options).is_err());
    }
    options.zoom = 1.0;
    type Field = fn(&mut RenderOptions) -> &mut f32;
    let fields: [Field; 3] = [|o| &mut o.yaw, |o| &mut o.pitch, |o| &mut o.time];
    for change in fields {
        let mut options = options.clone();
        *change(&mut options) = f32::NAN;
        assert!(renderer(&scene).draw(&options).is_err());
    }
    // At a distance of 5 and with a field of view of 90 degrees, a size of 2 is a fifth of the picture.
    let behind = Transform::from_translation([0.0, 0.0, -5.0]);
    let transform = Transform { rotation: [0.0, 1.0, 0.0, 0.0], ..behind };
    let node = Node { transform, camera: Some(RIGHT_ANGLE), ..Node::default() };
    options.camera = Some(scene.add_node(None, node));
    assert_eq!(extent(&drawn(&scene, &options)), [40, 59, 40, 59]);
    options.camera = Some(0);
    let error = renderer(&scene).draw(&options).expect_err("no camera");
    assert_eq!(error.to_string(), "RenderOptions::camera: nodes[0] does not exist or has no camera");
}

/// Overlapping squares with a node for each, the farthest or the lowest first.
fn layers(count: usize, turned: bool) -> Scene {
    let mut scene = scene(vec![(square(), unlit([1.0; 4]))]);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let rotation = if turned { [-half, 0.0, 0.0, half] } else { [0.0, 0.0, 0.0, 1.0] };
    for at in 0..count {
        let far = at as f32 / count as f32;
        let translation = if turned { [0.0, far * 0.1 - 1.0, 0.0] } else { [0.0, 0.0, far * 0.1] };
        let transform = Transform { translation, rotation, ..Transform::default() };
        scene.add_node(None, Node { mesh: Some(0), transform, ..Node::default() });
    }
    scene
}

/// The work is limited by the number of covered pixels: 20 layers that each cover the picture are drawn, but thousands
/// are refused. This includes layers of which only the shadow is large.
#[test]
fn a_picture_has_only_so_many_layers() {
    let draw = |count, turned, options: &_| outcome(&layers(count, turned), options);
    for (turned, options) in [(false, options(32, 32, 0.0, 0.0)), (true, options(512, 1, 0.0, 5.0))] {
        assert_eq!(draw(20, turned, &options), Ok(()), "{options:?}");
        assert_eq!(draw(8000, turned, &options), Err(ErrorKind::Effort), "{options:?}");
    }
}

/// Thousands of equal parts at the same place are drawn as one, since new parts are all at one place.
#[test]
fn what_is_in_one_place_is_drawn_once() {
    let draw = |count| {
        let mut scene = scene(vec![(square(), unlit([1.0; 4]))]);
        (0..count).for_each(|_| _ = scene.add_node(None, Node { mesh: Some(0), ..Node::default() }));
        renderer(&scene).draw(&options(32, 32, 0.0, 0.0)).expect("a picture")
    };
    assert!(draw(8000).pixels() == draw(0).pixels());
}

/// Expensive pixels count for more: 60 layers with a texture are refused, and so are triangles that are in every row of
/// the picture but hardly cover a pixel.
#[test]
fn textures_and_thin_triangles_are_more_work() {
    let draw = |scene: &Scene| outcome(scene, &options(64, 64, 0.0, 0.0));
    let textured = |count| {
        let mut scene = layers(count, false);
        scene.meshes[0].primitives[0].mesh = textured_square().into();
        scene.materials[0].base_texture = Some(Texture::new(0));
        scene.images.push(image(&Picture::new(2, 2, [255, 0, 0, 255])));
        scene
    };
    assert_eq!((draw(&textured(10)), draw(&textured(60))), (Ok(()), Err(ErrorKind::Effort)));
    let thin = |count| {
        let corners = [[-1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.999, 0.0]];
        scene(vec![(mesh(&corners, &vec![[0, 1, 2]; count]), unlit([1.0; 4]))])
    };
    assert_eq!((draw(&thin(1000)), draw(&thin(20_000))), (Ok(()), Err(ErrorKind::Effort)));
}

/// Lines across the picture are limited like triangles.
#[test]
fn a_picture_has_only_so_many_lines() {
    let mut options = options(64, 64, 0.0, 0.0);
    options.wireframe = true;
    let draw = |count| outcome(&layers(count, false), &options);
    assert_eq!((draw(100), draw(5000)), (Ok(()), Err(ErrorKind::Effort)));
}

/// A mesh of 10,000 triangles that is placed 4,000 times is refused before any triangle is processed.
#[test]
fn meshes_that_are_placed_often_are_not_drawn() {
    let triangles = mesh(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]; 10_000]);
    let mut scene = scene(vec![(triangles, unlit([1.0; 4]))]);
    (0..4000).for_each(|_| _ = scene.add_node(None, Node { mesh: Some(0), ..Node::default() }));
    let options = options(8, 8, 0.0, 0.0);
    assert_eq!(outcome(&scene, &options), Err(ErrorKind::Effort));
    assert_eq!(renderer(&scene).outside(&options), 0);
}

/// The memory of a picture is charged before it is allocated.
#[test]
fn pictures_are_charged_before_they_are_made() {
    let scene = scene(vec![(square(), Material::default())]);
    let renderer = renderer(&scene);
    let mut error = None;
    let taken = testkit::measure(|| error = renderer.draw(&options(16_384, 16_384, 0.0, 0.0)).err());
    let error = error.expect("16 GiB");
    assert_eq!(error.kind(), ErrorKind::Limit);
    let what = "not enough memory is left for an image of 16384 x 16384 pixels";
    assert!(error.to_string().starts_with(what), "{error}");
    assert!(taken.bytes_max < 1 << 16, "{}", taken.bytes_max);
    // The charged memory is sufficient.
    for (width, height) in [(64, 64), (500, 300)] {
        let max_bytes = 64 * u64::from(width) * u64::from(height) + (1 << 20);
        let renderer = Renderer::new(&scene, max_bytes).expect("a scene");
        let taken =
            testkit::measure(|| drop(renderer.draw(&options(width, height, 30.0, 20.0)).expect("allowed")));
        assert!(taken.bytes_max as u64 <= max_bytes, "{} of {max_bytes}", taken.bytes_max);
    }
}

/// The frames of a turntable are not kept in memory.
#[test]
fn a_turntable_takes_the_memory_of_a_picture() {
    let scene = scene(vec![(square(), Material::default())]);
    let renderer = renderer(&scene);
    let taken = |count: u16| {
        let pictures = || renderer.turntable(&options(256, 256, 0.0, 20.0), count).expect("pictures");
        testkit::measure(|| assert!(animated_png(pictures(), 50).expect("a PNG").len() > 100)).bytes_max
    };
    let (few, many) = (taken(2), taken(24));
    // Allow for the file itself, which grows with each frame.
    assert!(many < few + 22 * 40_000, "{few} {many}");
}

/// Equal images are decoded once, even if the scene contains one for each material.
#[test]
fn an_image_is_decoded_once() {
    let image = image(&Picture::new(256, 256, [255, 0, 0, 255]));
    let mut scene = Scene::default();
    for index in 0..300 {
        scene.images.push(image.clone());
        let base_texture = Some(Texture::new(index));
        scene.materials.push(Material { base_texture, ..unlit([1.0; 4]) });
    }
    let mut mesh = square();
    mesh.uvs = vec![[0.0; 2].into(); 4];
    let primitive = Primitive { mesh: mesh.into(), material: Some(299), ..Primitive::default() };
    let mesh = Some(scene.add_mesh(Mesh { primitives: vec![primitive], ..Mesh::default() }));
    scene.add_node(None, Node { mesh, ..Node::default() });
    let renderer = Renderer::new(&scene, 2 << 20).expect("one image");
    assert_eq!(renderer.draw(&options(32, 32, 0.0, 0.0)).expect("a picture").pixel(16, 16), [255, 0, 0, 255]);
    assert_eq!(Renderer::new(&scene, 256 * 256 * 4).expect_err("too large").kind(), ErrorKind::Limit);
}

/// A checkerboard that is finer than the pixels looks grey, without a pattern.
#[test]
fn distant_textures_are_their_average() {
    let pixels = Picture::from_fn(256, 256, |x, y| match (x + y) % 2 {
        0 => [255; 4],
        _ => [0, 0, 0, 255],
    });
    let material = Material { base_texture: Some(Texture::new(0)), ..unlit([1.0; 4]) };
    let mut scene = scene(vec![(textured_square(), material)]);
    scene.images.push(image(&pixels));
    let picture = drawn(&scene, &options(64, 64, 0.0, 0.0));
    // Half of linear 1 is 188 in sRGB.
    for (x, y) in [(20, 20), (33, 40), (41, 22)] {
        assert!(picture.pixel(x, y)[0].abs_diff(188) <= 1, "{:?}", picture.pixel(x, y));
    }
}

/// Lines are drawn at their positions in the scene: the edges of a square, and a bone over it.
#[test]
fn edges_and_bones_are_lines() {
    let mut scene = scene(vec![(square(), unlit([1.0; 4]))]);
    let at = |point: [f32; 3]| Node { transform: Transform::from_translation(point), ..Node::default() };
    let top = scene.add_node(None, at([0.5, 0.5, 0.0]));
    let below = scene.add_node(Some(top), at([0.0, -1.0, 0.0]));
    let inverse_bind = vec![Transform::default().matrix(); 2];
    scene.skins.push(Skin { joints: vec![top, below], inverse_bind, ..Skin::default() });
    let mut options = options(101, 101, 0.0, 0.0);
    let [left, right, top, bottom] = extent(&drawn(&scene, &options));
    options.wireframe = true;
    let edges = drawn(&scene, &options);
    let seen = |picture: &Picture, x: u32, y: u32| (x - 1..=x + 1).any(|x| picture.pixel(x, y)[3] > 60);
    for y in [top + 8, bottom - 8] {
        assert!(seen(&edges, left, y) && seen(&edges, right, y), "{y}");
    }
    assert!(!seen(&edges, 30, 40) && !seen(&edges, 70, 60));
    options.wireframe = false;
    options.skeleton = true;
    let bones = drawn(&scene, &options);
    let red = |y: u32| -> Vec<u32> {
        let is_red = |x: &u32| bones.pixel(*x, y)[1] < 150 && bones.pixel(*x, y)[3] > 200;
        (0..101).filter(is_red).collect()
    };
    // The bone is a quarter of the square's width from its right side, and ends a quarter below its top and above its
    // bottom.
    let quarter = (right - left) / 4;
    assert!(red(50).iter().all(|x| x.abs_diff(right - quarter) <= 1) && !red(50).is_empty());
    assert!(red(top + quarter - 4).is_empty() && red(bottom - quarter + 4).is_empty());
}
