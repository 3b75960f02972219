//! Random scenes with every kind of inconsistency never make drawing or writing panic.
#![allow(clippy::cast_possible_truncation, reason = "small numbers")]

use geom::TriMesh;
use rezkit_render::{RenderOptions, Renderer};
use rezkit_scene::images::Picture;
use rezkit_scene::{
    Alpha, Animation, Camera, Channel, Image, ImageData, Interpolation, Material, Mesh, MorphTarget, Node,
    Primitive, Scene, Skin, Texture, Transform, Values, images,
};
use testkit::Rng;

struct Random {
    rng: Rng,
    /// Whether indices and lengths can be wrong.
    wrong: bool,
}

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.rng.below(end.max(1))
    }

    fn chance(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    fn number(&mut self) -> f32 {
        match self.below(24) {
            0 => f32::from_bits(self.rng.next() as u32),
            1 => [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1e-45, -0.0, 1e38]
                [self.below(8)],
            2 => 0.0,
            _ => self.below(4001) as f32 / 1000.0 - 2.0,
        }
    }

    fn point(&mut self) -> [f32; 3] {
        [self.number(), self.number(), self.number()]
    }

    /// An index into a list of `count` entries; seldom one out of range if `wrong` is set.
    fn index(&mut self, count: usize) -> usize {
        match self.wrong && self.chance(40) {
            true => [count, usize::MAX, self.below(99)][self.below(3)],
            false => self.below(count),
        }
    }

    fn some(&mut self, count: usize) -> Option<usize> {
        (count > 0 && !self.chance(4) || self.wrong && self.chance(40)).then(|| self.index(count))
    }

    /// The length of a column for `count` vertices: mostly `count` or 0, and seldom wrong.
    fn length(&mut self, count: usize) -> usize {
        match self.below(if self.wrong { 40 } else { 39 }) {
            39 => self.below(count + 3),
            0..20 => 0,
            _ => count,
        }
    }

    fn mesh(&mut self, joints: usize) -> TriMesh {
        let count = self.below(12);
        let mut mesh =
            TriMesh { positions: (0..count).map(|_| self.point().into()).collect(), ..TriMesh::default() };
        mesh.normals = (0..self.length(count)).map(|_| self.point().into()).collect();
        mesh.uvs = (0..self.length(count)).map(|_| [self.number(), self.number()].into()).collect();
        mesh.colors = (0..self.length(count)).map(|_| [self.below(65_536) as u16; 4].into()).collect();
        let skinned = self.length(count);
        mesh.joints = (0..skinned).map(|_| [0; 4].map(|_: u16| self.index(joints) as u16)).collect();
        mesh.weights = (0..skinned).map(|_| [0.0; 4].map(|_: f32| self.number())).collect();
        if count > 0 || self.wrong {
            mesh.triangles =
                (0..self.below(20)).map(|_| [0; 3].map(|_: u32| self.index(count) as u32)).collect();
        }
        mesh
    }

    fn scene(&mut self) -> Scene {
        let mut scene = Scene::default();
        let (nodes, skins, joints) = (1 + self.below(6), self.below(2), 1 + self.below(3));
        let pixels = Picture::from_fn(2, 3, |x, y| [x as u8 * 90, y as u8 * 90, 7, 200]);
        for _ in 0..self.below(3) {
            let data = match self.below(4) {
                0 => ImageData::Uri("missing.png".into()),
                1 => ImageData::Bytes(b"\x89PNG\r\n\x1a\n".to_vec()),
                _ => ImageData::Bytes(images::png(&pixels).expect("a PNG")),
            };
            scene.images.push(Image { name: String::new(), data });
        }
        let texture = |random: &mut Self, count: usize| random.some(count).map(Texture::new);
        for _ in 0..self.below(3) {
            scene.materials.push(Material {
                base_color: [self.number(), self.number(), self.number(), self.number()],
                base_texture: texture(self, scene.images.len()),
                emissive_texture: texture(self, scene.images.len()),
                emissive: self.point(),
                metallic: self.number(),
                roughness: self.number(),
                alpha: [Alpha::Opaque, Alpha::Mask(0.5), Alpha::Blend][self.below(3)],
                unlit: self.chance(4),
                ..Material::default()
            });
        }
        for _ in 0..self.below(4) {
            let primitives = (0..self.below(3)).map(|_| {
                let mesh = self.mesh(joints);
                let material = self.some(scene.materials.len());
                let count = mesh.positions.len();
                let targets = (0..self.below(2)).map(|_| {
                    let positions = (0..self.length(count)).map(|_| self.point().into()).collect();
                    MorphTarget { positions, ..MorphTarget::default() }
                });
                Primitive { targets: targets.collect(), ..Primitive::new(mesh, material) }
            });
            let primitives = primitives.collect();
            scene.meshes.push(Mesh { primitives, ..Mesh::default() });
        }
        for _ in 0..skins {
            let wrong = usize::from(self.wrong && self.chance(20));
            scene.skins.push(Skin {
                joints: (0..joints).map(|_| self.index(nodes)).collect(),
                inverse_bind: (0..joints - wrong)
                    .map(|_| Transform::from_translation(self.point()).matrix())
                    .collect(),
                ..Skin::default()
            });
        }
        for at in 0..nodes {
            let rotation = [self.number(), self.number(), self.number(), self.number()];
            scene.nodes.push(Node {
                transform: match self.chance(2) {
                    true => Transform::default(),
                    false => Transform { translation: self.point(), rotation, scale: self.point() },
                },
                mesh: self.some(scene.meshes.len()),
                skin: self.some(skins).filter(|_| skins > 0 || self.wrong),
                camera: self.chance(3).then(|| Camera {
                    yfov: self.number(),
                    znear: self.number(),
                    zfar: None,
                    aspect: None,
                }),
                ..Node::default()
            });
            if at == 0 || self.chance(2) {
                scene.roots.push(at);
            } else {
                let parent = self.below(at);
                scene.nodes[parent].children.push(at);
            }
            if self.wrong && self.chance(30) {
                let child = self.index(nodes);
                scene.nodes[at].children.push(child);
            }
        }
        for _ in 0..self.below(2) {
            let keys = self.below(4);
            let wrong = usize::from(self.wrong && self.chance(10));
            let points = |random: &mut Self| (0..keys + wrong).map(|_| random.point()).collect();
            scene.animations.push(Animation {
                channels: vec![Channel {
                    node: self.index(nodes),
                    times: (0..keys).map(|_| self.number()).collect(),
                    values: Values::Translation(points(self)),
                    interpolation: Interpolation::Linear,
                }],
                ..Animation::default()
            });
        }
        scene
    }
}

#[test]
fn no_scene_makes_a_picture_panic() {
    let (mut pictures, mut refused) = (0, 0);
    for seed in 0..3000 {
        let mut random = Random { rng: Rng(seed * 2 + 1), wrong: seed % 2 == 0 };
        let scene = random.scene();
        let mut options = RenderOptions::default();
        (options.width, options.height) = (64, 64);
        (options.yaw, options.pitch) = (random.number() * 90.0, random.number() * 90.0);
        options.wireframe = random.chance(8);
        options.skeleton = random.chance(4);
        options.animation = (!scene.animations.is_empty()).then_some(0);
        options.time = random.number();
        options.camera =
            scene.nodes.iter().position(|node| node.camera.is_some()).filter(|_| random.chance(3));
        match Renderer::new(&scene, 1 << 20) {
            // Drawing can fail, since a camera can lack a direction.
            Ok(renderer) => pictures += usize::from(renderer.draw(&options).is_ok()),
            Err(error) => {
                assert!(random.wrong, "{seed}: {error}");
                refused += 1;
            }
        }
    }
    assert!(pictures > 1500 && refused > 500, "{pictures} pictures, {refused} refused");
}

#[test]
fn no_scene_makes_a_writer_panic() {
    for seed in 0..1000 {
        let mut random = Random { rng: Rng(seed * 2 + 1), wrong: seed % 2 == 0 };
        let scene = random.scene();
        use rezkit_scene::{gltf, m3d, obj, ply, rbxmesh, slmesh, stl};
        let of_meshes = [&rbxmesh::WRITER, &m3d::M3D, &m3d::A3D, &slmesh::LLMESH, &slmesh::SLM];
        let of_scenes = [&gltf::GLB, &gltf::GLTF, &obj::WRITER, &ply::WRITER, &stl::WRITER];
        let others = [&slmesh::ANIM, &slmesh::MATERIAL];
        for (number, writer) in of_meshes.into_iter().chain(of_scenes).chain(others).enumerate() {
            // An inconsistent scene must be refused.
            let written = writer.write(&scene, "scene", 1 << 20);
            assert!(scene.check().is_ok() || written.is_err(), "{seed}: {number}");
        }
    }
}
