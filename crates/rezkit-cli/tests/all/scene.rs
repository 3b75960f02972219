//! Scenes: written to files and read again, and drawn as pictures.
use std::collections::BTreeMap;
use std::sync::Arc;

use geom::TriMesh;
use rezkit::SceneOptions;
use rezkit::render::{RenderOptions, Renderer, Sheet, animated_png};
use rezkit::scene::images::Picture;
use rezkit::scene::{
    Alpha, Animation, Camera, Channel, Clearcoat, Filter, Image, ImageData, Interpolation, Light, LightKind,
    Material, Mesh, MorphTarget, Node, Primitive, Sampler, Scene, Skin, Texture, Transform, UvTransform,
    Values, Wrap, gltf, images, obj, ply, stl,
};

use super::xml::{UNTURNED as SAME, sized, vector};
use super::{from_gltf, glb, near, texts};

/// A square of side 2 in the xy plane that faces +z, with an upright image.
fn square() -> TriMesh {
    TriMesh {
        positions: [[-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0]]
            .map(Into::into)
            .to_vec(),
        normals: vec![[0.0, 0.0, 1.0].into(); 4],
        uvs: [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]].map(Into::into).to_vec(),
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        ..TriMesh::default()
    }
}

/// An image of two by two pixels: red and green above blue and white.
fn four_colors() -> Image {
    let pixels = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255; 4]];
    let image = Picture::from_fn(2, 2, |x, y| pixels[(y * 2 + x) as usize]);
    Image { name: "four colours".into(), data: ImageData::Bytes(images::png(&image).expect("a PNG")) }
}

fn clamped(image: usize) -> Texture {
    Texture { sampler: Sampler { wrap: [Wrap::Clamp; 2], ..Sampler::default() }, ..Texture::new(image) }
}

fn with_square(material: Material) -> Scene {
    let mut scene = Scene::default();
    scene.materials.push(material);
    let primitive = Primitive::new(square(), Some(0));
    let mesh = scene.add_mesh(Mesh { name: "square".into(), primitives: vec![primitive], ..Mesh::default() });
    scene.add_node(None, Node { name: "square".into(), mesh: Some(mesh), ..Node::default() });
    scene
}

const UNTURNED: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
const HALF_TURN: [f32; 4] = [1.0, 0.0, 0.0, 0.0];

fn everything() -> Scene {
    let moved = UvTransform { offset: [0.5, 0.25], rotation: 1.5, scale: [2.0, -3.0] };
    let sampler = Sampler {
        wrap: [Wrap::Mirror, Wrap::Clamp],
        mag: Some(Filter::Nearest),
        min: Some(Filter::Linear),
        mip: Some(Filter::Nearest),
    };
    let mut scene = with_square(Material {
        name: "all".into(),
        base_color: [0.25, 0.5, 0.75, 0.5],
        base_texture: Some(Texture::new(0)),
        metallic: 0.5,
        roughness: 0.25,
        metallic_roughness_texture: Some(clamped(0)),
        normal_texture: Some(Texture { set: 1, transform: moved, ..Texture::new(0) }),
        normal_scale: 0.5,
        occlusion_texture: Some(Texture { sampler, ..Texture::new(0) }),
        emissive: [0.125, 0.25, 0.5],
        emissive_texture: Some(Texture::new(0)),
        alpha: Alpha::Mask(0.25),
        double_sided: true,
        unlit: true,
        ior: Some(1.25),
        transmission: Some(0.5),
        specular: Some([0.5, 0.25, 0.125, 0.75]),
        occlusion_strength: 0.75,
        emissive_strength: 5.0,
        clearcoat: Some(Clearcoat {
            factor: 0.5,
            texture: Some(Texture { set: 1, ..Texture::new(0) }),
            roughness: 0.25,
            roughness_texture: Some(Texture::new(0)),
            normal_texture: Some(Texture { transform: moved, ..Texture::new(0) }),
            normal_scale: 0.125,
        }),
        extras: BTreeMap::from([("key".to_owned(), serde_json::json!([1, 2]))]),
    });
    scene.name = "everything".into();
    scene.copyright = "nobody".into();
    scene.images.push(four_colors());
    let primitive = &mut scene.meshes[0].primitives[0];
    let mesh = Arc::make_mut(&mut primitive.mesh);
    mesh.tangents = vec![[1.0, 0.0, 0.0, -1.0].into(); 4];
    mesh.colors = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]].map(Into::into).to_vec();
    mesh.joints = vec![[0, 1, 0, 0]; 4];
    mesh.weights = vec![[0.25, 0.75, 0.0, 0.0]; 4];
    let positions = vec![[0.0, 0.5, 0.0].into(); 4];
    let smile = MorphTarget {
        name: "smile".into(),
        positions,
        normals: vec![[0.0, 0.25, 0.0].into(); 4],
        tangents: vec![[0.25, 0.0, 0.0].into(); 4],
    };
    let frown = MorphTarget { positions: vec![[0.0, -0.5, 0.0].into(); 4], ..MorphTarget::default() };
    primitive.targets = vec![smile, frown];
    primitive.more_uvs = vec![vec![[0.5, 0.75].into(); 4]];
    scene.meshes[0].weights = vec![0.25, 0.5];
    scene.meshes[0].extras.insert("made by".into(), "hand".into());
    scene.nodes[0].weights = vec![0.5, 0.25];
    let turned = Transform { translation: [1.0, 2.0, 3.0], rotation: [0.5; 4], scale: [2.0, 3.0, 4.0] };
    let top = scene.add_node(None, Node { name: "hip".into(), transform: turned, ..Node::default() });
    let below = Transform::from_translation([0.0, 1.0, 0.0]);
    let knee = scene.add_node(Some(top), Node { name: "knee".into(), transform: below, ..Node::default() });
    scene.skins.push(Skin {
        name: "skin".into(),
        joints: vec![top, knee],
        inverse_bind: vec![
            Transform::default().matrix(),
            Transform::from_translation([0.0, -1.0, 0.0]).matrix(),
        ],
    });
    scene.nodes[0].skin = Some(0);
    let light = |kind| Some(Light { kind, color: [1.0, 0.5, 0.25], intensity: 8.0, range: Some(16.0) });
    let lamp = Node {
        light: light(LightKind::Spot { inner: 0.25, outer: 0.5 }),
        name: "spot".into(),
        ..Node::default()
    };
    scene.add_node(None, lamp);
    scene.add_node(None, Node { light: light(LightKind::Point), name: "lamp".into(), ..Node::default() });
    let camera = Some(Camera { yfov: 0.75, znear: 0.125, zfar: Some(8.0), aspect: Some(1.5) });
    scene.add_node(None, Node { camera, name: "camera".into(), hidden: true, ..Node::default() });
    let times = vec![0.0, 0.5, 1.0];
    let turns = Values::Rotation(vec![UNTURNED, HALF_TURN, UNTURNED]);
    let moves = Values::Translation(vec![[0.0; 3], [1.0; 3], [1.0, 0.0, 0.0]]);
    let channel = |values, interpolation| Channel { node: knee, times: times.clone(), values, interpolation };
    let weights = Values::Weights(vec![0.0, 1.0, 0.5, 0.5, 1.0, 0.0]);
    scene.animations.push(Animation {
        name: "kick".into(),
        channels: vec![
            channel(turns, Interpolation::Step),
            channel(moves, Interpolation::Linear),
            Channel { node: 0, ..channel(weights, Interpolation::Linear) },
        ],
        extras: BTreeMap::from([("played".to_owned(), serde_json::json!({"loop": true}))]),
        ..Animation::default()
    });
    scene
}

#[test]
fn gltf_keeps_everything() {
    let scene = everything();
    let (bytes, losses) = glb(&scene);
    assert_eq!(losses, []);
    let (again, losses) = from_gltf(&bytes).expect("what was written");
    assert_eq!(losses, []);
    assert_eq!(again, scene);

    let text = gltf::to_gltf(&scene, "my buffer.bin", &mut crate::budget())
        .expect("a scene that glTF can represent");
    let mut buffer = |name: &str, _: u64| Ok((name == "my buffer.bin").then(|| text.buffer.clone()));
    let (again, _) =
        gltf::from_slice(text.json.as_bytes(), &mut crate::budget(), &mut buffer).expect("what was written");
    assert_eq!(again, scene);
    let missing = from_gltf(text.json.as_bytes()).expect_err("no buffer");
    assert!(missing.to_string().contains("buffers[0]"), "{missing}");
}

#[test]
fn damaged_gltf_is_an_error_and_never_a_panic() {
    let (bytes, _) = glb(&everything());
    for end in (0..bytes.len()).step_by(7) {
        assert!(from_gltf(&bytes[..end]).is_err(), "{end}");
    }
    let mut read = 0;
    for index in (0..bytes.len()).step_by(31) {
        for change in [1, 0x10, 0x80] {
            let mut damaged = bytes.clone();
            damaged[index] ^= change;
            if let Ok((scene, _)) = from_gltf(&damaged) {
                read += usize::from(gltf::to_glb(&scene, &mut crate::budget()).is_ok());
            }
        }
    }
    assert!(read > 0);
}

#[test]
fn normals_of_another_length_are_normalised_and_listed() {
    let mut scene = with_square(Material::default());
    Arc::make_mut(&mut scene.meshes[0].primitives[0].mesh).normals = vec![[0.0, 0.0, 2.0].into(); 4];
    let (bytes, losses) = glb(&scene);
    assert!(matches!(&losses[..], [loss] if loss.path == "meshes[0].primitives[0].normals"), "{losses:?}");
    let (again, _) = from_gltf(&bytes).expect("what was written");
    assert_eq!(again.meshes[0].primitives[0].mesh.normals, square().normals);
}

#[test]
fn obj_turns_v_over_and_keeps_the_material() {
    let text =
        b"mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0.25\nvt 1 0\nvt 0 1\nusemtl red\nf 1/1 2/2 3/3\n";
    let library = b"newmtl red\nKd 1 0.5 0\nd 0.5\nmap_Kd -s 1 1 1 red.png\n".to_vec();
    let mut files = |name: &str, _: u64| Ok((name == "m.mtl").then(|| library.clone()));
    let (scene, losses) = obj::from_slice(text, &mut crate::budget(), &mut files).expect("an OBJ");
    assert_eq!(losses, []);
    let material = &scene.materials[0];
    assert_eq!((material.base_color, material.alpha), ([1.0, 0.5, 0.0, 0.5], Alpha::Blend));
    assert_eq!(scene.images[0].data, ImageData::Uri("red.png".into()));
    assert_eq!(scene.meshes[0].primitives[0].mesh.uvs[0].to_array(), [0.0, 0.75]);

    let written = obj::to_obj(&scene, "copy", &mut crate::budget()).expect("small");
    assert!(written.obj.contains("\nvt 0 0.25\n"), "{}", written.obj);
    let library = written.mtl.expect("a material").into_bytes();
    let mut files = |name: &str, _: u64| Ok((name == "copy.mtl").then(|| library.clone()));
    let (again, _) =
        obj::from_slice(written.obj.as_bytes(), &mut crate::budget(), &mut files).expect("what was written");
    assert_eq!(again.meshes[0].primitives[0].mesh, scene.meshes[0].primitives[0].mesh);
    assert_eq!(again.materials[0].base_color, material.base_color);
}

#[test]
fn ply_is_read_as_text_and_in_both_byte_orders() {
    let header = |format: &str| {
        format!(
            "ply\nformat {format} 1.0\ncomment by hand\nelement vertex 4\nproperty float x\nproperty float y\n\
             property float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nproperty short mark\n\
             element face 1\nproperty list uchar int vertex_indices\nend_header\n"
        )
    };
    let corners = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.5]];
    let mut text = header("ascii");
    let (mut little, mut big) =
        (header("binary_little_endian").into_bytes(), header("binary_big_endian").into_bytes());
    for [x, y, z] in corners {
        text += &format!("{x} {y} {z} 255 128 0 -1\n");
        for value in [x, y, z] {
            little.extend(value.to_le_bytes());
            big.extend(value.to_be_bytes());
        }
        for bytes in [&mut little, &mut big] {
            bytes.extend([255, 128, 0, 255, 255]);
        }
    }
    text += "4 0 1 2 3\n";
    little.push(4);
    big.push(4);
    for index in 0..4_i32 {
        little.extend(index.to_le_bytes());
        big.extend(index.to_be_bytes());
    }
    for bytes in [text.as_bytes(), &little, &big] {
        let (scene, losses) = ply::from_slice(bytes, &mut crate::budget()).expect("a PLY");
        let mesh = &scene.meshes[0].primitives[0].mesh;
        assert_eq!(mesh.positions.iter().map(|p| p.to_array()).collect::<Vec<_>>(), corners);
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(mesh.colors[0].to_srgb().to_array(), [255, 128, 0, 255]);
        assert_eq!(losses.iter().map(|loss| loss.path.as_str()).collect::<Vec<_>>(), ["vertex.mark"]);
        assert!(ply::from_slice(&bytes[..bytes.len() - 2], &mut crate::budget()).is_err());
        let written = ply::WRITER.write(&scene, "a", 1 << 30).expect("a PLY").bytes;
        let (again, _) = ply::from_slice(&written, &mut crate::budget()).expect("what was written");
        assert_eq!(again.meshes, scene.meshes);
    }
}

/// A count is not trusted: no elements are made of numbers that do not exist.
#[test]
fn ply_with_counts_and_no_numbers_is_an_error() {
    for (properties, body) in [("", ""), ("property float x\n", "1\n2\n"), ("property uchar x\n", "123")] {
        for format in ["ascii", "binary_little_endian"] {
            for name in ["vertex", "face", "edge"] {
                let text = format!(
                    "ply\nformat {format} 1.0\nelement {name} 4000000000\n{properties}end_header\n{body}"
                );
                let error = ply::from_slice(text.as_bytes(), &mut crate::budget()).expect_err("too few");
                let error = error.to_string();
                for part in ["the header declares more", "4000000000"] {
                    assert!(error.contains(part), "{error}");
                }
            }
        }
    }
}

/// If a vertex has a joint twice, it is written once, with the sum of both weights. All weights add up to 1.
#[test]
fn gltf_has_each_joint_of_a_vertex_once() {
    let mut scene = with_square(Material::default());
    let mesh = Arc::make_mut(&mut scene.meshes[0].primitives[0].mesh);
    let count = mesh.positions.len();
    mesh.joints = vec![[1, 0, 1, 1]; count];
    mesh.weights = vec![[0.5, 0.5, 0.25, 0.75]; count];
    mesh.joints[1] = [0, 0, 0, 0];
    mesh.weights[1] = [f32::NAN, 0.0, -1.0, 0.0];
    let joints: Vec<usize> = (0..2).map(|_| scene.add_node(None, Node::default())).collect();
    let inverse_bind = vec![Transform::default().matrix(); 2];
    scene.skins.push(Skin { inverse_bind, joints, name: String::new() });
    let drawn = scene.nodes.iter_mut().find(|node| node.mesh.is_some()).expect("the square");
    drawn.skin = Some(0);
    let (glb, _) = glb(&scene);
    let (back, _) = from_gltf(&glb).expect("readable");
    let mesh = &back.meshes[0].primitives[0].mesh;
    assert_eq!((mesh.joints[0], mesh.weights[0]), ([1, 0, 0, 0], [0.75, 0.25, 0.0, 0.0]));
    assert_eq!((mesh.joints[1], mesh.weights[1]), ([0; 4], [1.0, 0.0, 0.0, 0.0]));
}

#[test]
fn stl_keeps_the_triangles() {
    let text = b"solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n";
    let (scene, _) = stl::from_slice(text, &mut crate::budget()).expect("an STL");
    let mesh = &scene.meshes[0].primitives[0].mesh;
    assert_eq!((mesh.positions.len(), mesh.triangles.as_slice()), (3, [[0, 1, 2]].as_slice()));
    let written = stl::WRITER.write(&scene, "a", 1 << 30).expect("an STL");
    assert_eq!((written.bytes.len(), written.losses.len()), (80 + 4 + 50, 0));
    let (again, _) = stl::from_slice(&written.bytes, &mut crate::budget()).expect("what was written");
    assert_eq!(again.meshes[0].primitives, scene.meshes[0].primitives);
}

#[test]
fn animations_are_between_their_keys() {
    let scene = everything();
    let knee = 2;
    let at = |time| scene.pose_at(0, time).transforms[knee];
    assert_eq!(at(0.25).translation, [0.5; 3]);
    assert_eq!(at(0.25).rotation, UNTURNED);
    assert_eq!(at(0.75).translation, [1.0, 0.5, 0.5]);
    assert_eq!(at(0.75).rotation, HALF_TURN);
    assert_eq!(at(9.0).translation, [1.0, 0.0, 0.0]);
}

/// Joints that moved by (2, 0, 0) move the mesh by as much, whatever the transform of its node is.
#[test]
fn skins_move_vertices() {
    let mut scene = with_square(Material::default());
    scene.nodes[0].transform = Transform::from_translation([100.0; 3]);
    scene.nodes[0].skin = Some(0);
    let joint = Node { transform: Transform::from_translation([3.0, 0.0, 0.0]), ..Node::default() };
    let joint = scene.add_node(None, joint);
    let inverse_bind = vec![Transform::from_translation([-1.0, 0.0, 0.0]).matrix()];
    scene.skins.push(Skin { name: String::new(), joints: vec![joint], inverse_bind });
    let mesh = Arc::make_mut(&mut scene.meshes[0].primitives[0].mesh);
    mesh.joints = vec![[0; 4]; 4];
    mesh.weights = vec![[1.0, 0.0, 0.0, 0.0]; 4];
    let bounds = scene.bounds().expect("a square");
    assert_eq!((bounds.min.to_array(), bounds.max.to_array()), ([1.0, -1.0, 0.0], [3.0, 1.0, 0.0]));
}

fn looking_at(yaw: f32) -> RenderOptions {
    let mut options = RenderOptions::default();
    (options.width, options.height) = (64, 64);
    (options.yaw, options.pitch) = (yaw, 0.0);
    options.background = [0, 0, 0, 0];
    options
}

fn drawn(scene: &Scene, options: &RenderOptions) -> rezkit::Result<Picture> {
    Renderer::new(scene, 1 << 30)?.draw(options)
}

/// The top left of an image is at the top left of a square that faces the camera.
#[test]
fn a_picture_shows_textures_upright() {
    let texture = Material { base_texture: Some(clamped(0)), unlit: true, ..Material::default() };
    let mut scene = with_square(texture);
    scene.images.push(four_colors());
    let picture = drawn(&scene, &looking_at(0.0)).expect("a picture");
    let at = |x, y| picture.pixel(x, y);
    assert_eq!(at(12, 12), [255, 0, 0, 255]);
    assert_eq!(at(51, 12), [0, 255, 0, 255]);
    assert_eq!(at(12, 51), [0, 0, 255, 255]);
    assert_eq!(at(51, 51), [255, 255, 255, 255]);
    assert_eq!(at(0, 0), [0, 0, 0, 0]);
    // From the back, left and right are exchanged.
    let behind = drawn(&scene, &looking_at(180.0)).expect("a picture");
    assert_eq!(behind.pixel(51, 12), [255, 0, 0, 255]);
}

/// Parts of one shape in three colours: three materials, but one set of vertices.
#[test]
fn parts_of_one_shape_share_their_vertices() {
    let part = |color: u32| {
        let color = format!("<Color3uint8 name=\"Color3uint8\">{color}</Color3uint8>");
        item("Part", &(sized([0.0; 3], [1.0; 3]) + &color), "")
    };
    let document = document(&[0xff_00_00_ff, 0xff_00_ff_00, 0xff_ff_00_00].map(part).concat());
    let (scene, _) = of_document(&document, None);
    assert_eq!((scene.meshes.len(), scene.materials.len()), (3, 3));
    let (glb, _) = glb(&scene);
    let (back, _) = from_gltf(&glb).expect("readable");
    assert_eq!(back.meshes, scene.meshes);
    let json = String::from_utf8_lossy(&glb);
    // Four accessors: 24 positions, normals, texture coordinates, and indices of a block.
    assert_eq!(json.matches("\"componentType\"").count(), 4);
}

/// A reference to a missing file would make the glTF file invalid.
#[test]
fn images_that_are_missing_are_left_out_of_gltf() {
    let mut scene = with_square(Material {
        base_texture: Some(Texture::new(0)),
        emissive_texture: Some(Texture::new(1)),
        ..Material::default()
    });
    scene.images.push(Image { name: "brick".into(), data: ImageData::Uri("brick.png".into()) });
    scene.images.push(four_colors());
    let (glb, losses) = glb(&scene);
    let missing = "images[0]: the image file \"brick.png\" is missing, or is not PNG, JPEG, WebP or GIF";
    assert_eq!(texts(&losses), [missing]);
    let (back, _) = from_gltf(&glb).expect("readable");
    assert_eq!(back.images, scene.images[1..]);
    assert_eq!(back.materials[0].base_texture, None);
    assert_eq!(back.materials[0].emissive_texture.expect("there").image, 0);
}

/// An image that has only the signature of a PNG, and an image whose file is missing.
#[test]
fn textures_that_cannot_be_drawn_are_listed() {
    for (data, why) in [
        (ImageData::Bytes(b"\x89PNG\r\n\x1a\n".to_vec()), "unexpected end of file"),
        (
            ImageData::Uri("brick.png".into()),
            "the image file \"brick.png\" is missing, or is not PNG, JPEG, WebP or GIF",
        ),
        (
            ImageData::Uri("brick.TGA".into()),
            "the image file \"brick.TGA\", since its format is not supported (convert it to PNG or JPEG)",
        ),
    ] {
        let mut scene = with_square(Material { base_texture: Some(Texture::new(0)), ..Material::default() });
        scene.images.push(Image { name: "brick".into(), data });
        let renderer = Renderer::new(&scene, 1 << 30).expect("drawn without it");
        let [loss] = renderer.losses() else { panic!("{:?}", renderer.losses()) };
        assert_eq!(loss.path, "images[0] \"brick\"");
        assert!(loss.what.contains(why), "{loss}");
    }
}

#[test]
fn what_is_nearer_hides_what_is_farther_and_glass_mixes() {
    let plain =
        |color: [f32; 4], alpha| Material { base_color: color, unlit: true, alpha, ..Material::default() };
    let mut scene = with_square(plain([1.0, 0.0, 0.0, 1.0], Alpha::Opaque));
    scene.materials.push(plain([0.0, 0.0, 1.0, 0.6], Alpha::Blend));
    let glass = vec![Primitive::new(square(), Some(1))];
    let mesh = scene.add_mesh(Mesh { primitives: glass, ..Mesh::default() });
    let mut at = |z: f32| {
        let transform = Transform::from_translation([0.0, 0.0, z]);
        scene.nodes.truncate(1);
        scene.roots.truncate(1);
        scene.add_node(None, Node { mesh: Some(mesh), transform, ..Node::default() });
        drawn(&scene, &looking_at(0.0)).expect("a picture").pixel(32, 32)
    };
    // Linear 0.4 and 0.6 are 169.6 and 203.4 in sRGB. Linear 0.5 would be ambiguous, as it is near the middle of two
    // integers.
    assert_eq!(at(0.1), [170, 0, 203, 255]);
    assert_eq!(at(-0.1), [255, 0, 0, 255]);
}

/// A sheet has at most 16,384 pixels a side.
#[test]
fn sheets_have_a_largest_size() {
    let mut sheet = Sheet::new(9_000, 64, [0; 4], 1 << 30);
    sheet.push("a", Vec::new()).expect("one image");
    assert!(sheet.push("b", Vec::new()).is_err());
}

#[test]
fn sheets_and_turntables_are_pictures() {
    let scene = with_square(Material::default());
    let frames: Vec<_> =
        (0..3).map(|turn| drawn(&scene, &looking_at(turn as f32 * 40.0)).expect("a picture")).collect();
    let animated = animated_png(frames.iter().cloned().map(Ok), 50).expect("an animated PNG");
    assert!(memchr::memmem::find(&animated, b"acTL").is_some());
    assert_eq!(images::decode(&animated, 1 << 20).expect("its first picture"), frames[0]);
    let mut sheet = Sheet::new(64, 64, [255; 4], 1 << 30);
    for frame in &frames {
        sheet.push("name", images::png(frame).expect("a PNG")).expect("small");
    }
    let sheet = images::decode(&sheet.png().expect("a sheet"), 1 << 20).expect("a PNG");
    // Two columns, and a line of text below each row.
    assert_eq!(sheet.size(), (128, 160));
    for (frame, [left, top]) in frames.iter().zip([[0, 0], [64, 0], [0, 80]]) {
        let cell = Picture::from_fn(64, 64, |x, y| sheet.pixel(left + x, top + y));
        assert_eq!(&cell, frame);
    }
    let mut huge = looking_at(0.0);
    huge.width = 1 << 20;
    assert!(drawn(&scene, &huge).is_err());
}

/// All vertices of this model are on one line: its polygons have no area, and its picture would be empty.
#[test]
fn what_has_no_area_is_not_visible() {
    let scene = |name: &str| {
        let model = m3d::from_slice(&testkit::fixture("m3d", name)).expect("readable");
        rezkit::scene::m3d::to_scene(&model, &mut crate::budget(), &mut |_, _| Ok(None)).expect("a scene").0
    };
    let polygons = scene("mesh-polygons.m3d");
    assert!(polygons.triangle_count() > 700 && !polygons.is_visible());
    assert!(scene("ascii-mesh.a3d").is_visible());
}

/// Known transforms in a real place: parts, wedges and meshes of each kind, in studs.
#[test]
fn parts_of_a_place_are_where_studio_has_them() {
    let files = testkit::corpus("rbxbinary");
    let Some(file) = files.iter().find(|file| file.name.ends_with("UnitTest__Files__Binary.rbxl")) else {
        return;
    };
    let document = rbxbinary::from_slice(&file.bytes).expect("a place");
    let (scene, _) = of_document(&document, None);
    // Translation, rotation (a quaternion, whose sign does not matter) and scale.
    let expected: [([f32; 3], [f32; 4], [f32; 3]); 4] = [
        (
            [-1.824_217, 46.316_72, -8.107_409],
            [-0.139_594, -0.894_209, 0.334_874, 0.262_227],
            [2.25, 0.4, 3.533_662],
        ),
        (
            [-92.334_29, 19.112_507, 97.421_13],
            [0.047_879, 0.706_495, 0.027_061, 0.705_577],
            [0.11, 2.469_999, 3.349_999],
        ),
        (
            [-95.268_54, 19.000_45, 90.450_99],
            [-0.998_49, 0.014_459, 0.000_828, 0.052_994],
            [8.210_001, 0.6, 0.06],
        ),
        (
            [-79.887_375, 14.581_069, 97.558_7],
            [0.743_505, -0.010_077, -0.010_691, 0.668_569],
            [3.0, 3.0, 3.0],
        ),
    ];
    for (translation, rotation, scale) in expected {
        let close = |a: [f32; 3], b: [f32; 3], most: f32| a.iter().zip(b).all(|(a, b)| (a - b).abs() < most);
        let near =
            |node: &&Node| close(node.transform.translation, translation, 1.2e-4) && node.mesh.is_some();
        let node = scene.nodes.iter().find(near).unwrap_or_else(|| panic!("nothing at {translation:?}"));
        let pairs = node.transform.rotation.iter().zip(rotation);
        let turned = pairs.map(|(a, b)| a * b).sum::<f32>().abs();
        assert!((turned - 1.0).abs() < 1e-5, "{translation:?}: {:?}", node.transform.rotation);
        assert!(close(node.transform.scale, scale, 5e-5), "{translation:?}: {:?}", node.transform.scale);
    }
}

/// Every real mesh becomes a scene, a glTF file that is read again as an equal scene, and a mesh with the same
/// triangles.
#[test]
fn real_meshes_become_gltf_and_come_back() {
    for file in testkit::corpus("rbxmesh") {
        let mesh = rbxmesh::from_slice(&file.bytes).expect("a mesh");
        let (scene, _) =
            rezkit::scene::rbxmesh::to_scene(&mesh, rezkit::scene::Levels::Finest, &mut crate::budget())
                .expect("small");
        let (bytes, _) = glb(&scene);
        let (again, _) = from_gltf(&bytes).expect("what was written");
        assert_eq!(again.triangle_count(), scene.triangle_count(), "{}", file.name);
        let (made, _) = rezkit::scene::rbxmesh::from_scene(&again, &mut crate::budget()).expect("a mesh");
        let level = |mesh: &rbxmesh::Mesh| mesh.to_tri_mesh(0).expect("a level");
        let (before, after) = (level(&mesh), level(&made));
        let corners = |mesh: &TriMesh| -> Vec<[u32; 9]> {
            let bits = |index: u32| mesh.positions[index as usize].to_array().map(f32::to_bits);
            let triangles =
                mesh.triangles.iter().map(|triangle| triangle.map(bits).as_flattened().try_into());
            let mut corners: Vec<_> = triangles.map(|numbers| numbers.expect("9 numbers")).collect();
            corners.sort_unstable();
            corners
        };
        assert_eq!(corners(&after), corners(&before), "{}", file.name);
        assert!(made.bones.iter().map(|bone| &bone.name).eq(mesh.bones.iter().map(|bone| &bone.name)));
    }
}

/// The hulls of an asset become nodes on request, and hulls of an asset again.
#[test]
fn hulls_of_second_life_are_nodes_on_request() {
    use rezkit::scene::{Levels, slmesh};
    let bytes = testkit::fixture("slmesh", "all.llmesh");
    let asset = ::slmesh::from_slice(&bytes).expect("readable");
    let names = |hulls: bool| {
        let (scene, losses) =
            slmesh::to_scene(&asset, "a", Levels::Finest, hulls, &mut crate::budget()).expect("small");
        let lost = losses.iter().filter(|loss| loss.path.starts_with("physics_convex")).count();
        let nodes = scene.nodes.iter().filter(|node| node.mesh.is_some());
        (nodes.map(|node| node.name.clone()).collect::<Vec<_>>(), lost)
    };
    assert_eq!(names(false), (vec!["a".to_owned()], 1));
    let convex = asset.physics_convex.as_ref().expect("there");
    let (with, lost) = names(true);
    // Hulls without a volume are listed.
    let hulls = convex.hulls.len() + usize::from(!convex.bounding.is_empty());
    assert_eq!(with.len() - 1 + lost, hulls, "{with:?}");
    assert!(with.iter().any(|name| name.starts_with("a_HULL") || name == "a_BOUNDS"), "{with:?}");
    // The corners of a cube as the hull of a square.
    let mut scene = with_square(Material::default());
    let corners = (0..8_u8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|bit| f32::from(bit) * 2.0 - 1.0));
    let positions: Vec<geom::Vec3> = corners.map(Into::into).collect();
    let mesh = TriMesh { positions, triangles: vec![[0, 1, 2]], ..TriMesh::default() };
    crate::add_mesh(&mut scene, "square_HULL0", mesh);
    let (asset, _) = slmesh::from_scene(&scene, &mut crate::budget()).expect("an asset");
    let hulls = &asset.physics_convex.expect("hulls").hulls;
    assert_eq!((hulls.len(), hulls[0].len()), (1, 8));
}

/// A mesh with bones in a place: its joints are below the part's node, so the mesh is at the position of the part.
#[test]
fn meshes_of_a_place_keep_their_skins() {
    let turned = cframe([10.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0]);
    let sizes = vector("InitialSize", [1.0, 2.0, 0.5]) + &vector("size", [2.0, 4.0, 1.0]);
    let mesh =
        "<string name=\"Name\">Arm</string><Content name=\"MeshId\"><url>rbxassetid://1</url></Content>";
    let document = document(&item("MeshPart", &(turned + &sizes + mesh), ""));
    let file = testkit::fixture("rbxmesh", "v5_00.mesh");
    let (scene, losses) = of_document(&document, Some(file));
    // The second bone has a name in another encoding.
    assert_eq!(texts(&losses), ["Arm/bones[1]: a name with bytes that are not UTF-8: they become U+FFFD"]);
    assert_eq!((scene.skins.len(), scene.skins[0].joints.len()), (1, 3));
    // Twice as large, rotated by 90 degrees about y, at (10, 0, 0): x becomes -z, and z becomes x.
    let bounds = scene.bounds().expect("drawn");
    // The finest level is one triangle in the plane z = 0.
    near("low", &bounds.min.to_array(), &[10.0, 0.0, -2.0], 1e-5);
    near("high", &bounds.max.to_array(), &[10.0, 4.0, 0.0], 1e-5);
    // The joints are needed to place the mesh, so they are kept in glTF as well.
    let (glb, _) = glb(&scene);
    let (back, _) = from_gltf(&glb).expect("readable");
    assert_eq!(back.skins[0].joints.len(), 3);
}

/// An instance with the name of its class, unless it has another one.
fn item(class: &str, properties: &str, children: &str) -> String {
    let item = super::xml::item(class, class, properties, children);
    let own = format!("<string name=\"Name\">{class}</string>");
    if properties.contains("\"Name\"") { item.replacen(&own, "", 1) } else { item }
}

fn cframe(position: [f32; 3], rows: [f32; 9]) -> String {
    super::xml::cframe("CFrame", position, rows)
}

fn document(items: &str) -> rbxxml::Document {
    rbxxml::from_slice(&super::xml::document(items)).expect("readable")
}

/// A document as a scene, in which all references are to this file.
fn of_document(document: &dyn rbxcore::Dom, file: Option<Vec<u8>>) -> (Scene, Vec<rezkit::Loss>) {
    let mut sources = |_: &rezkit::Reference, _: u64| Ok(file.clone());
    rezkit::scene::roblox::from_document(document, &SceneOptions::default(), &mut sources).expect("a scene")
}

/// The corners of a node's mesh in the scene, with their texture coordinates, rounded.
fn corners_of(scene: &Scene, node: &Node) -> Vec<([f32; 3], [f32; 2])> {
    let mesh = &scene.meshes[node.mesh.expect("drawn")].primitives[0].mesh;
    let round = |n: f32| (n * 1e5).round() / 1e5 + 0.0;
    let place = |(position, uv): (&geom::Vec3, &geom::Vec2)| {
        let ([a, b, c, d], [x, y, z]) = (node.transform.matrix(), position.to_array());
        let at: [f32; 3] = std::array::from_fn(|axis| a[axis] * x + b[axis] * y + c[axis] * z + d[axis]);
        (at.map(round), uv.to_array().map(round))
    };
    mesh.positions.iter().zip(&mesh.uvs).map(place).collect()
}

/// The sides of wedges and corner wedges show the images of their faces. A slope shows the image of its own face, or
/// else that of the top.
#[test]
fn decals_are_on_the_sides_of_wedges() {
    let token = |name: &str, value: u32| format!("<token name=\"{name}\">{value}</token>");
    let image = "<Content name=\"Texture\"><url>rbxassetid://1</url></Content>";
    let decal = |face: u32| item("Decal", &(token("Face", face) + image), "");
    let scene = |class: &str, shape: u32, decals: &str| {
        let size = vector("size", [2.0, 4.0, 6.0]);
        let part = item(class, &(cframe([0.0; 3], SAME) + &size + &token("shape", shape)), decals);
        of_document(&document(&part), Some(b"\x89PNG\r\n\x1a\n".to_vec()))
    };
    let decals = |scene: &Scene| -> Vec<Vec<_>> {
        let nodes = scene.nodes.iter().filter(|node| matches!(node.name.as_str(), "Decal" | "Texture"));
        nodes.map(|node| corners_of(scene, node)).collect()
    };

    // The image is 0.001 studs above the slope, in the direction (0, Sz, -Sy) = (0, 6, -4).
    let (wedge, losses) = scene("WedgePart", 1, &decal(5));
    assert!(losses.is_empty(), "{losses:?}");
    let slope = vec![
        ([1.0, 2.00083, 2.99945], [0.0, 0.0]),
        ([1.0, -1.99917, -3.00055], [0.0, 1.0]),
        ([-1.0, -1.99917, -3.00055], [1.0, 1.0]),
        ([-1.0, 2.00083, 2.99945], [1.0, 0.0]),
    ];
    assert_eq!(decals(&wedge), std::slice::from_ref(&slope));
    // Without an image for the front, the slope shows that of the top, here with the same coordinates.
    assert_eq!(decals(&scene("Part", 3, &decal(1)).0), std::slice::from_ref(&slope));
    let (both, losses) = scene("WedgePart", 1, &(decal(1) + &decal(5)));
    assert_eq!((decals(&both), losses.len()), (vec![slope], 1));
    assert!(losses[0].what.starts_with("a decal with the face Top on a wedge: "), "{losses:?}");

    // Tiles of 2 by 4 studs on the right side of 6 by 4 studs: three tiles in a row.
    let studs = |axis: &str, n: f32| format!("<float name=\"StudsPerTile{axis}\">{n}</float>");
    let texture = item("Texture", &(token("Face", 0) + image + &studs("U", 2.0) + &studs("V", 4.0)), "");
    let (wedge, losses) = scene("WedgePart", 1, &texture);
    assert!(losses.is_empty(), "{losses:?}");
    let right = vec![
        ([1.001, 2.0, 3.0], [0.0, 0.0]),
        ([1.001, -2.0, 3.0], [0.0, 1.0]),
        ([1.001, -2.0, -3.0], [3.0, 1.0]),
    ];
    assert_eq!(decals(&wedge), [right]);

    // A corner wedge has two slopes, at the back and on the left; its highest corner is at the right front.
    let (corner, losses) = scene("CornerWedgePart", 1, &decal(1));
    assert!(losses.is_empty(), "{losses:?}");
    let [back, left] = &decals(&corner)[..] else { panic!("two slopes") };
    // In the directions (0, Sz, Sy) and (-Sy, Sx, 0). For the image of the top, u points to -x and v to -z.
    assert_eq!(back[0], ([1.0, 2.00083, -2.99945], [0.0, 1.0]));
    assert_eq!(left[0], ([0.99911, 2.00045, -3.0], [0.0, 1.0]));
    let (corner, losses) = scene("CornerWedgePart", 1, &(decal(2) + &decal(3)));
    assert!(losses.is_empty() && decals(&corner).len() == 2, "{losses:?}");
    assert_eq!(decals(&corner)[0][0], ([1.0, 2.00083, -2.99945], [1.0, 0.0]));

    let (ball, losses) = scene("Part", 0, &decal(5));
    assert!(decals(&ball).is_empty() && losses[0].what.contains("round part"), "{losses:?}");
}

/// A Bone of the place replaces the mesh's joint with its name: the joint has the Bone's CFrame, relative to the Bone
/// above, and an animation moves it from there. All CFrames are known, and so are the expected points.
#[test]
fn bones_of_a_place_are_the_joints_of_its_meshes() {
    use rbxmesh::{Bone, LodChoice, Version};
    // Two bones, the second one above the first, and a triangle that follows the second.
    let points = [[0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 2.0, 0.0]];
    let mut triangle = crate::mesh(&points, &[[0, 1, 2]]);
    triangle.normals = vec![[0.0, 0.0, 1.0].into(); 3];
    triangle.uvs = vec![[0.0; 2].into(); 3];
    let bind = |y: f32| {
        let columns = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, y, 0.0, 1.0];
        geom::Mat4::from_columns(columns)
    };
    let bones = vec![
        Bone::new("Root", None, bind(0.0)).expect("a bone"),
        Bone::new("Tip", Some(0), bind(1.0)).expect("a bone"),
    ];
    let mesh = rbxmesh::Mesh::from_tri_mesh(&triangle).expect("a mesh");
    let (mut mesh, _) = mesh.to_version(Version::V4_01, LodChoice::First);
    mesh.set_skin(&[[1, 0, 0, 0]; 3], &[[1.0, 0.0, 0.0, 0.0]; 3], bones).expect("a skin");
    let mesh = rbxmesh::to_vec(&mesh).expect("written");

    let quarter_y = [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0];
    let quarter_z = [0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let name = |name: &str| format!("<string name=\"Name\">{name}</string>");
    let place = |with_bones: bool| {
        let tip =
            item("Bone", &(name("Tip") + &cframe([0.0, 2.0, 0.0], quarter_z)), &item("PointLight", "", ""));
        let root = item("Bone", &(name("Root") + &cframe([0.0; 3], SAME)), &tip);
        let part = item(
            "MeshPart",
            &(cframe([10.0, 0.0, 0.0], quarter_y)
                + &vector("InitialSize", [1.0, 2.0, 1.0])
                + &vector("size", [2.0, 4.0, 2.0])
                + "<Content name=\"MeshId\"><url>rbxassetid://1</url></Content>"),
            if with_bones { &root } else { "" },
        );
        let key = |time: f32, pose: [f32; 3]| {
            let pose = item("Pose", &(name("Tip") + &cframe(pose, SAME)), "");
            item("Keyframe", &format!("<float name=\"Time\">{time}</float>"), &pose)
        };
        let sequence = item("KeyframeSequence", "", &(key(0.0, [0.0; 3]) + &key(1.0, [0.0, 1.0, 0.0])));
        let model = item("Model", "", &(part + &sequence));
        of_document(&document(&model), Some(mesh.clone()))
    };
    let check = |scene: &Scene, time: Option<f32>, expected: [[f32; 3]; 3]| {
        let pose = time.map_or_else(|| scene.pose(), |time| scene.pose_at(0, time));
        let drawn = scene.posed(&pose).next().expect("a mesh");
        for (position, expected) in drawn[0].mesh.positions.iter().zip(expected) {
            near("a corner", &position.to_array(), &expected, 1e-5);
        }
    };

    // Twice as large; the Bone rotates the triangle by 90 degrees about z around (0, 2, 0), and the part rotates it
    // about y.
    let (scene, losses) = place(true);
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!((scene.skins[0].joints.len(), scene.animations.len()), (2, 1));
    check(&scene, None, [[10.0, 2.0, 0.0], [10.0, 4.0, 0.0], [10.0, 2.0, 2.0]]);
    // A pose is relative to its Bone: one stud along the Bone's y is one stud along the part's -x, which is z of the
    // world.
    check(&scene, Some(1.0), [[10.0, 2.0, 1.0], [10.0, 4.0, 1.0], [10.0, 2.0, 3.0]]);
    check(&scene, Some(0.5), [[10.0, 2.0, 0.5], [10.0, 4.0, 0.5], [10.0, 2.0, 2.5]]);
    // A light in the Bone is at the Bone.
    let light = scene.nodes.iter().position(|node| node.light.is_some()).expect("a light");
    let [x, y, z, _] = scene.world_matrices(&scene.pose_at(0, 1.0).transforms)[light][3];
    near("the light", &[x, y, z], &[10.0, 2.0, 1.0], 1e-5);
    // The same after a conversion through glTF.
    let (glb, _) = glb(&scene);
    let (back, _) = from_gltf(&glb).expect("readable");
    check(&back, Some(1.0), [[10.0, 2.0, 1.0], [10.0, 4.0, 1.0], [10.0, 2.0, 3.0]]);

    // Without Bones, the mesh has its bind pose, and the animation moves nothing.
    let (scene, losses) = place(false);
    assert_eq!((losses.len(), scene.animations.len()), (1, 0));
    check(&scene, None, [[10.0, 2.0, 0.0], [10.0, 2.0, -2.0], [10.0, 4.0, 0.0]]);
}

/// The glTF library subtracts from these lengths, which may be too small.
#[test]
fn a_short_binary_gltf_is_an_error() {
    let mut bytes = b"glTF\x02\0\0\0\x0b\0\0\0\x02\0\0\0JSON{}".to_vec();
    for length in 0..=255 {
        bytes[8] = length;
        for json in [0_u8, 2, 4, 0xff] {
            bytes[12] = json;
            let _ = from_gltf(&bytes);
        }
    }
    assert!(from_gltf(&bytes).is_err());
}

/// If the triangles of a model are wound against its normals, they are flipped; otherwise they are kept.
#[test]
fn models_that_are_wound_against_their_normals_are_turned() {
    use rezkit::scene::m3d;
    for (turned, losses) in [(false, 0), (true, 1)] {
        let mut scene = with_square(Material::default());
        let mesh = Arc::make_mut(&mut scene.meshes[0].primitives[0].mesh);
        let normal = mesh.area_weighted_normals()[0];
        mesh.normals = vec![normal; mesh.positions.len()];
        if turned {
            mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        let (model, _) = m3d::from_scene(&scene, &mut crate::budget()).expect("a model");
        let (back, listed) =
            m3d::to_scene(&model, &mut crate::budget(), &mut |_, _| Ok(None)).expect("a scene");
        let mesh = &back.meshes[0].primitives[0].mesh;
        assert!(mesh.area_weighted_normals()[0].dot(normal) > 0.99, "{turned}");
        let is_reversed =
            |loss: &&rezkit::Loss| loss.what.contains("winding order of all triangles reversed");
        assert_eq!(listed.iter().filter(is_reversed).count(), losses);
    }
}

/// All needed files are listed before any of them is read: buffers and images of a glTF file, the libraries of an OBJ
/// file.
#[test]
fn needed_files_are_listed() {
    let gltf = r#"{"asset": {"version": "2.0"}, "buffers": [
        {"uri": "a%20b.bin", "byteLength": 4}, {"uri": "data:;base64,AAAA", "byteLength": 3}, {"uri": "c.bin", "byteLength": 4}],
        "images": [{"uri": "d.png"}]}"#;
    let beside = |names: &[&str]| -> Vec<rezkit::Reference> {
        names.iter().map(|name| rezkit::Reference::Beside((*name).to_owned())).collect()
    };
    let needed = |bytes: &str, name: &str| rezkit::needed(bytes.as_bytes().to_vec(), name);
    assert_eq!(needed(gltf, "x.gltf").expect("a list"), beside(&["a b.bin", "c.bin", "d.png"]));
    let obj = "mtllib x.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    assert_eq!(needed(obj, "x.obj").expect("a list"), beside(&["x.mtl"]));
    assert!(needed("nothing of the kind", "x.bin").is_err());
}

/// An inch is 0.0254 m (the international yard and pound agreement of 1959); other formats have a unit.
#[test]
fn units_of_files_without_units_become_metres() {
    let obj = b"v 0 0 0\nv 100 0 0\nv 0 200 50\nf 1 2 3\n".to_vec();
    let stl = rezkit::open(obj.clone(), "a.obj", ())
        .and_then(|mut opened| opened.convert(None, "a.stl", &rezkit::ConvertOptions::new()))
        .expect("STL");
    let bounds = |bytes: &[u8], name: &str, unit: &str| {
        let mut options = rezkit::ConvertOptions::new();
        rezkit::Options::set(&mut options, "unit", &rezkit::OptionValue::Text(unit.into())).expect("a unit");
        let (scene, _) = crate::scene_of(bytes, name, &options.scene, &mut ())?;
        Ok::<_, rezkit::Error>(scene.bounds().expect("bounds").max.to_array())
    };
    for (bytes, name) in [(&obj, "a.obj"), (&stl.files[0].bytes, "a.stl")] {
        for (unit, wanted) in [
            ("m", [100.0, 200.0, 50.0]),
            ("cm", [1.0, 2.0, 0.5]),
            ("mm", [0.1, 0.2, 0.05]),
            ("in", [2.54, 5.08, 1.27]),
        ] {
            let found = bounds(bytes, name, unit).expect("a scene");
            assert!(
                found.iter().zip(wanted).all(|(a, b): (&f32, f32)| (a - b).abs() < 1e-6 * b),
                "{unit}: {found:?}"
            );
        }
    }
    let (glb, _) = crate::glb(&crate::scene(&obj, "a.obj").0);
    let error = crate::open(glb, "a.glb").check_options(&rezkit::SceneOptions::new().unit(0.1));
    assert!(error.is_err_and(|error| error.to_string().contains("and not to glTF 2.0")));
    // The same file is written back unchanged, so that the option has no effect.
    let mut options = rezkit::ConvertOptions::new();
    options.scene.unit = Some(0.01);
    let same = crate::open(obj, "a.obj").convert(None, "b.obj", &options);
    assert!(same.is_err_and(|error| error.to_string().contains("the option unit")));
}

/// Rigs of Blender have a scale above their joints, and hats are children of joints. Bones of Roblox and of Model 3D have
/// no scale.
#[test]
fn joints_below_a_scale_and_what_they_carry() {
    let mut scene = with_square(Material::default());
    let scaled = |scale: f32, translation: [f32; 3]| Transform {
        scale: [scale; 3],
        ..Transform::from_translation(translation)
    };
    let node = |name: &str, transform| Node { name: name.into(), transform, ..Node::default() };
    let rig = scene.add_node(None, node("rig", scaled(2.0, [0.0; 3])));
    let joint = scene.add_node(Some(rig), node("joint", Transform::from_translation([1.0, 0.0, 0.0])));
    let hat = Node { mesh: Some(0), ..node("hat", scaled(0.5, [0.0, 1.0, 0.0])) };
    scene.add_node(Some(joint), hat);
    let body = scene.meshes.len();
    scene.meshes.push(scene.meshes[0].clone());
    let mesh = Arc::make_mut(&mut scene.meshes[body].primitives[0].mesh);
    mesh.joints = vec![[0; 4]; 4];
    mesh.weights = vec![[1.0, 0.0, 0.0, 0.0]; 4];
    (scene.nodes[0].mesh, scene.nodes[0].skin) = (Some(body), Some(0));
    let inverse_bind = vec![scaled(0.5, [-1.0, 0.0, 0.0]).matrix()];
    scene.skins.push(Skin { name: String::new(), joints: vec![joint], inverse_bind });
    scene.animations.push(Animation {
        name: "move".into(),
        channels: vec![Channel {
            node: joint,
            times: vec![0.0, 1.0],
            interpolation: Interpolation::Linear,
            values: Values::Translation(vec![[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]),
        }],
        ..Animation::default()
    });
    let bounds = |scene: &Scene, time: f32| {
        let pose = if time > 0.0 { scene.pose_at(0, time) } else { scene.pose() };
        let parts: Vec<_> = scene.posed(&pose).flatten().collect();
        let points = parts.iter().flat_map(|part| &part.mesh.positions).copied();
        let bounds = geom::Aabb::from_points(points).expect("points");
        [bounds.min, bounds.max].map(|corner| corner.to_array())
    };
    let rest = [[-1.0, -1.0, 0.0], [3.0, 3.0, 0.0]];
    assert_eq!(bounds(&scene, 0.0), rest);
    for to in ["mesh", "m3d"] {
        let written = crate::writer(to).write(&scene, "a", 1 << 30).expect("written");
        let losses = texts(&written.losses);
        assert!(!losses.iter().any(|loss| loss.contains("bind pose")), "{losses:?}");
        let (again, _) =
            crate::open(written.bytes, &format!("a.{to}")).scene(&SceneOptions::new()).expect("a scene");
        near(to, bounds(&again, 0.0).as_flattened(), rest.as_flattened(), 1e-3);
        let names: Vec<&str> = again.skins[0].joints.iter().map(|&joint| &*again.nodes[joint].name).collect();
        assert_eq!(names.iter().filter(|name| **name == "joint").count(), 1);
        assert!(!names.contains(&"static"), "{names:?}");
        if to == "m3d" {
            near(to, bounds(&again, 1.0).as_flattened(), &[1.0, -1.0, 0.0, 5.0, 3.0, 0.0], 1e-3);
        }
    }
}

/// A node of a scene is used alone, at its place, with the joints of its skin, and without what only others need.
#[test]
fn a_part_of_a_scene_is_selected_by_its_path() {
    let mut scene = rezkit::scene::Scene::default();
    let red = super::add_mesh(&mut scene, "Red", super::tetrahedron(1.0));
    let group = super::add_node(&mut scene, None, "Group");
    scene.nodes[group].transform.translation = [5.0, 0.0, 0.0];
    let mut children = Vec::new();
    for size in [2.0, 3.0] {
        let blue = super::add_mesh(&mut scene, "Blue", super::tetrahedron(size));
        scene.roots.retain(|&root| root != blue);
        scene.nodes[group].children.push(blue);
        children.push(blue);
    }
    let joint = super::add_node(&mut scene, Some(red), "Joint");
    let identity = rezkit::scene::Transform::default().matrix();
    scene.skins.push(rezkit::scene::Skin {
        joints: vec![joint],
        inverse_bind: vec![identity],
        ..Default::default()
    });
    scene.nodes[children[1]].skin = Some(0);
    let keys =
        |node| super::channel(node, &[0.0, 1.0], rezkit::scene::Values::Translation(vec![[0.0; 3]; 2]));
    let animation =
        rezkit::scene::Animation { channels: vec![keys(joint), keys(children[0])], ..Default::default() };
    scene.animations.push(animation);

    let mut part = scene.clone();
    part.select("Group/Blue").expect("there");
    let names: Vec<_> = part.walk().into_iter().map(|node| part.nodes[node].name.as_str()).collect();
    assert_eq!((names, part.meshes.len(), part.skins.len()), (vec!["Group", "Blue"], 1, 0));
    assert_eq!(part.placed()[0].world[3], [5.0, 0.0, 0.0, 1.0]);
    assert_eq!(part.animations[0].channels.len(), 1);

    let mut part = scene.clone();
    part.select("Group/Blue[1]").expect("there");
    assert_eq!((part.meshes.len(), part.skins.len()), (1, 1));
    let joint = part.skins[0].joints[0];
    assert_eq!((part.nodes[joint].name.as_str(), part.animations[0].channels[0].node), ("Joint", joint));
    let red = part.nodes.iter().find(|node| node.name == "Red").expect("above the joint");
    assert_eq!(red.mesh, None);

    let error = scene.select("Group/Green").expect_err("no such node");
    assert_eq!((error.kind(), error.path()), (rezkit::ErrorKind::Argument, "Group/Green"));
}
