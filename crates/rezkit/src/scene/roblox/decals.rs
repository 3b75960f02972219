//! Decals and textures on parts.

use glam::Mat4;

use super::builder::{Builder, Drawn, MeshKey, MeshSource, transform};
use super::look::{self, Look};
use super::shapes::{Face, Shape};
use crate::scene::model::{Mesh, Node, Primitive, Transform};

/// Decals and textures of all parts that were drawn, each on a copy of the face, a thousandth of a stud
/// above it.
pub(super) fn build(builder: &mut Builder<'_, '_>) {
    for drawn in std::mem::take(&mut builder.drawn) {
        builder.decals(&drawn);
    }
}

impl Builder<'_, '_> {
    fn decals(&mut self, drawn: &Drawn) {
        let &Drawn { index, parent, size, ref source, place } = drawn;
        let tree = self.tree;
        for (at, decal) in tree.children(index) {
            let tiled = decal.class == "Texture";
            if !tiled && decal.class != "Decal" {
                continue;
            }
            let mut look =
                Look { alpha: look::alpha_of(decal), material: 256, cut_out: true, ..Look::default() };
            look.color = look::bytes_of(decal.color(&["Color3"]).unwrap_or([1.0; 3]));
            self.texture(at, decal, &["Texture", "TextureContent", "ColorMapContent"], &mut look);
            if look.texture.is_none() || look.alpha == 0 {
                continue;
            }
            let material = self.looks.material(&mut self.scene, &look);
            let face = Face(decal.int("Face").unwrap_or(Face::FRONT.0));
            let (mesh, transform) = match source {
                // A mesh file has texture coordinates of its own.
                MeshSource::File(_) => match self.mesh(source, material) {
                    Some(mesh) => (mesh, Transform { scale: place.scale * 1.001, ..place }),
                    None => continue,
                },
                MeshSource::Shape(Shape::Block) => {
                    let (normal, right, down) = face.axes();
                    let extent = [(right * size).abs().element_sum(), (down * size).abs().element_sum()];
                    let tile = |name: &str| decal.number(name).filter(|&studs| tiled && studs > 0.0);
                    let repeat = [
                        tile("StudsPerTileU").map_or(1.0, |studs| extent[0] / studs),
                        tile("StudsPerTileV").map_or(1.0, |studs| extent[1] / studs),
                    ];
                    let shift = |name: &str, studs: &str| {
                        decal.number(name).zip(tile(studs)).map_or(0.0, |(offset, studs)| offset / studs)
                    };
                    let start =
                        [shift("OffsetStudsU", "StudsPerTileU"), shift("OffsetStudsV", "StudsPerTileV")];
                    let mesh = self.face(face, material, repeat, start);
                    let above = Mat4::from_translation(normal * 0.001);
                    (
                        mesh,
                        Transform {
                            scale: place.scale,
                            ..self::transform(
                                Mat4::from_rotation_translation(place.rotation, place.translation) * above,
                            )
                        },
                    )
                }
                MeshSource::Shape(_) => {
                    self.lose(at, "a decal on a shape other than a block is not shown");
                    continue;
                }
            };
            let node = Node { name: decal.name.clone(), transform, mesh: Some(mesh), ..Node::default() };
            self.scene.add_node(parent, node);
        }
    }

    fn face(&mut self, face: Face, material: usize, repeat: [f32; 2], start: [f32; 2]) -> usize {
        let numbers = [repeat[0], repeat[1], start[0], start[1]].map(f32::to_bits);
        let key = MeshKey::Face(face.0, material, numbers);
        if let Some(&index) = self.meshes.get(&key) {
            return index;
        }
        let mut mesh = face.mesh();
        for uv in &mut mesh.uvs {
            let [u, v] = uv.to_array();
            *uv = [u * repeat[0] + start[0], v * repeat[1] + start[1]].into();
        }
        let primitive = Primitive { mesh, material: Some(material), targets: Vec::new() };
        let index = self.scene.add_mesh(Mesh { name: "Decal".into(), primitives: vec![primitive] });
        self.meshes.insert(key, index);
        index
    }
}
