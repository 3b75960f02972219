//! Scenes with any content: inconsistent ones are refused, all others are drawn and written.

use std::sync::Arc;

use geom::TriMesh;
use rezkit::scene::{
    Alpha, Animation, Camera, Channel, Image, ImageData, Interpolation, Light, LightKind, Material, Mesh,
    Node, Primitive, Scene, Skin, Target, Texture, Transform, UvTransform, Values,
};

use crate::{FUZZED, kit};

/// Takes numbers from the input; after its end, every byte is zero.
pub(super) struct Input<'a>(pub(super) std::slice::Iter<'a, u8>);

impl Input<'_> {
    pub(super) fn byte(&mut self) -> usize {
        self.0.next().copied().unwrap_or_default().into()
    }

    /// A number below `count`; seldom `count` itself, which is out of range.
    pub(super) fn below(&mut self, count: usize) -> usize {
        let byte = self.byte();
        if byte == 255 { count } else { byte % count.max(1) }
    }

    fn float(&mut self) -> f32 {
        let byte = self.byte();
        match byte {
            // Any bits, including NaN and infinity.
            250.. => f32::from_bits(u32::from_le_bytes(std::array::from_fn(|_| self.byte() as u8))),
            _ => (byte as f32 - 100.0) / 16.0,
        }
    }

    pub(super) fn floats<const N: usize>(&mut self) -> [f32; N] {
        std::array::from_fn(|_| self.float())
    }

    fn some<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (self.byte() % 2 == 1).then(|| make(self))
    }

    /// A column of vertex attributes: a value for each vertex, no values, or seldom one too few.
    pub(super) fn column<T>(&mut self, count: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let length = match self.byte() {
            255 => count.saturating_sub(1),
            byte if byte % 2 == 1 => count,
            _ => 0,
        };
        (0..length).map(|_| make(self)).collect()
    }

    fn transform(&mut self) -> Transform {
        Transform {
            translation: std::array::from_fn(|_| self.float()),
            rotation: std::array::from_fn(|_| self.float()),
            scale: std::array::from_fn(|_| self.float()),
        }
    }

    fn primitive(&mut self, materials: usize) -> Primitive {
        let count = self.byte() % 9;
        let mesh = TriMesh {
            positions: (0..count).map(|_| self.floats::<3>().into()).collect(),
            normals: self.column(count, |input| input.floats::<3>().into()),
            tangents: self.column(count, |input| input.floats::<4>().into()),
            uvs: self.column(count, |input| input.floats::<2>().into()),
            colors: self.column(count, |input| std::array::from_fn(|_| input.byte() as u8).into()),
            joints: self.column(count, |input| std::array::from_fn(|_| input.below(4) as u16)),
            weights: self.column(count, |input| input.floats()),
            triangles: (0..self.byte() % 7)
                .map(|_| std::array::from_fn(|_| self.below(count) as u32))
                .collect(),
        };
        let targets = (0..self.byte() % 3).map(|_| Target {
            positions: self.column(count, |input| input.floats::<3>().into()),
            normals: self.column(count, |input| input.floats::<3>().into()),
            ..Target::default()
        });
        let targets = targets.collect();
        Primitive {
            mesh: Arc::new(mesh),
            more_uvs: vec![self.column(count, |input| input.floats::<2>().into())],
            material: self.some(|input| input.below(materials)),
            targets,
        }
    }

    fn channel(&mut self, nodes: usize) -> Channel {
        let times: Vec<f32> = (0..self.byte() % 4).map(|_| self.float()).collect();
        let interpolation =
            [Interpolation::Linear, Interpolation::Step, Interpolation::Cubic][self.byte() % 3];
        let each = if interpolation == Interpolation::Cubic { 3 } else { 1 };
        let count = self.below(times.len() * each + 1).max(times.len() * each);
        let values = match self.byte() % 4 {
            0 => Values::Translation((0..count).map(|_| self.floats()).collect()),
            1 => Values::Rotation((0..count).map(|_| self.floats()).collect()),
            2 => Values::Scale((0..count).map(|_| self.floats()).collect()),
            _ => Values::Weights((0..count * 2).map(|_| self.float()).collect()),
        };
        Channel { node: self.below(nodes), times, values, interpolation }
    }

    fn scene(&mut self) -> Scene {
        let mut scene = Scene::default();
        let [nodes, meshes, materials, images, skins] = [12, 4, 4, 3, 3].map(|most| self.byte() % most);
        for index in 0..nodes {
            // Some names by which forms recognize levels of detail, physics shapes and joints.
            let names = ["", "a", "a_LOD0", "a_PHYS", "a_HULL1", "mPelvis", "mTorso", "a/b", "a\0\u{202e}"];
            let node = Node {
                name: names[self.byte() % names.len()].to_owned(),
                transform: self.transform(),
                mesh: self.some(|input| input.below(meshes)),
                skin: self.some(|input| input.below(skins)).filter(|_| skins > 0),
                weights: (0..self.byte() % 3).map(|_| self.float()).collect(),
                hidden: self.byte() % 8 == 7,
                light: self.some(|input| Light {
                    kind: match input.byte() % 3 {
                        0 => LightKind::Point,
                        1 => LightKind::Directional,
                        _ => LightKind::Spot { inner: input.float(), outer: input.float() },
                    },
                    color: std::array::from_fn(|_| input.float()),
                    intensity: input.float(),
                    range: input.some(Self::float),
                }),
                camera: self.some(|input| Camera {
                    yfov: input.float(),
                    znear: input.float(),
                    zfar: input.some(Self::float),
                    aspect: input.some(Self::float),
                }),
                ..Node::default()
            };
            let parent = self.some(|input| input.byte() % index.max(1)).filter(|_| index > 0);
            scene.add_node(parent, node);
        }
        for _ in 0..meshes {
            let primitives = (0..self.byte() % 4).map(|_| self.primitive(materials)).collect();
            scene.add_mesh(Mesh { primitives, weights: self.column(2, Self::float), ..Mesh::default() });
        }
        for _ in 0..materials {
            let [base, normal, packed] = std::array::from_fn(|_| {
                self.some(|input| Texture {
                    set: input.byte() % 3,
                    transform: UvTransform {
                        offset: input.floats(),
                        rotation: input.float(),
                        scale: input.floats(),
                    },
                    ..Texture::new(input.below(images))
                })
            });
            scene.materials.push(Material {
                base_color: std::array::from_fn(|_| self.float()),
                base_texture: base,
                normal_texture: normal,
                metallic_roughness_texture: packed,
                normal_scale: self.float(),
                emissive_strength: self.float(),
                specular: self.some(Self::floats),
                transmission: self.some(Self::float),
                roughness: self.float(),
                emissive: std::array::from_fn(|_| self.float()),
                ior: self.some(Self::float),
                alpha: [Alpha::Opaque, Alpha::Blend, Alpha::Mask(self.float())][self.byte() % 3],
                ..Material::default()
            });
        }
        for _ in 0..images {
            let data = match self.some(|input| (0..input.byte() % 20).map(|_| input.byte() as u8).collect()) {
                Some(bytes) => ImageData::Bytes(bytes),
                None => ImageData::Uri("../a.png".to_owned()),
            };
            scene.images.push(Image { name: "image".into(), data });
        }
        for _ in 0..skins {
            let joints: Vec<usize> = (0..self.byte() % 5).map(|_| self.below(nodes)).collect();
            let inverse_bind = joints.iter().map(|_| std::array::from_fn(|_| self.floats())).collect();
            scene.skins.push(Skin { joints, inverse_bind, ..Skin::default() });
        }
        for _ in 0..self.byte() % 3 {
            let channels = (0..self.byte() % 4).map(|_| self.channel(nodes)).collect();
            scene.animations.push(Animation { name: "move".into(), channels, ..Animation::default() });
        }
        scene
    }
}

/// A consistent scene is drawn, and is read again from every form that can represent it; an inconsistent one is
/// refused.
pub(super) fn model(data: &[u8]) {
    let scene = Input(data.iter()).scene();
    if scene.check().is_ok() {
        kit::everything(&scene);
        kit::forms(&scene, FUZZED);
        kit::draw(&scene, FUZZED);
    } else {
        for (form, writer) in rezkit::KINDS.iter().filter_map(|kind| Some((kind, kind.writer?))) {
            assert!(writer.write(&scene, "out", FUZZED).is_err(), "{}: it contradicts itself", form.name);
        }
    }
}
