//! Decals and textures on parts.

use geom::TriMesh;
use glam::{Quat, Vec3};

use super::builder::{Builder, Drawn, MeshKey, MeshSource};
use super::look::{self, Look};
use super::shapes::Face;
use super::tree::is_decal;
use super::tree::{Inst, Property};
use crate::model::{Mesh, Node, Primitive, Transform};

/// Draws the decals and textures of all drawn parts, each on a copy of the face, a thousandth of a stud
/// above it or above the decal below.
pub(super) fn build(builder: &mut Builder<'_>) {
    for drawn in std::mem::take(&mut builder.drawn) {
        builder.decals(&drawn);
    }
}

impl Builder<'_> {
    fn decals(&mut self, drawn: &Drawn) {
        let &Drawn { index, parent, size, ref source, place } = drawn;
        let tree = self.tree;
        // The faces with a decal.
        let mut has = [false; 6];
        for (_, decal) in tree.children(index).filter(|(_, child)| is_decal(&child.class)) {
            has[face_of(decal).0 as usize] = true;
        }
        // Of decals on one face, each later one in this order is in front of the others.
        let z_index = |decal: &Inst| decal.number(Property::ZIndex).unwrap_or(0.0);
        let mut decals: Vec<_> = tree.children(index).filter(|(_, child)| is_decal(&child.class)).collect();
        geom::sort::by(&mut decals, |(_, one), (_, other)| z_index(one).total_cmp(&z_index(other)));
        let mut layers = [0_u16; 6];
        for (at, decal) in decals {
            let tiled = decal.class == "Texture";
            let Some(look) = self.look_of(at, decal) else { continue };
            let material = self.looks.material(&mut self.scene, &look);
            let face = face_of(decal);
            // On a mesh, each decal covers the whole surface.
            let is_mesh = matches!(source, MeshSource::File(_));
            let layer = &mut layers[if is_mesh { 0 } else { face.0 as usize }];
            *layer += 1;
            let height = 0.001 * f32::from(*layer);
            let shape = match *source {
                MeshSource::Solid(_) => {
                    self.lose(
                        at, "roblox.decal",
                        "a decal on a union or on collision hulls (only decals on blocks, wedges and mesh files are \
                         supported)",
                    );
                    continue;
                }
                // A mesh file has its own texture coordinates.
                MeshSource::File(ref asset) | MeshSource::Raised(ref asset, _) => {
                    let [x, y, z] = place.scale;
                    let raised = MeshSource::Raised(asset.clone(), [x, y, z, height].map(f32::to_bits));
                    let Some(mesh) = self.mesh(&raised, material) else { continue };
                    let node = Node { transform: place, mesh: Some(mesh), ..tree.node(at) };
                    self.scene.add_node(parent, node);
                    continue;
                }
                MeshSource::Shape(shape) => shape,
            };
            let sides = shape.sides();
            if sides.is_empty() {
                self.lose(
                    at, "roblox.decal",
                    "a decal on a round part or a truss, because Roblox's texture mapping for these shapes is \
                     unknown",
                );
                continue;
            }
            let mut shown = false;
            for (side, (faces, corners)) in sides.iter().enumerate() {
                // A slope shows the image of its own face if there is one, otherwise that of the top.
                if !faces.contains(&face) || (faces[0] != face && has[faces[0].0 as usize]) {
                    continue;
                }
                shown = true;
                let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
                let (_, right, down) = face.axes();
                // The size along a slope is the length of the slope.
                let is_slope = normal.abs().to_array().into_iter().filter(|&part| part > 1e-6).count() > 1;
                let length = |axis: Vec3| match axis.dot(normal).abs() > 1e-6 {
                    true => (normal.abs().ceil() * size).length(),
                    false => (axis * size).abs().element_sum(),
                };
                let tile = |name: Property| decal.number(name).filter(|&studs| tiled && studs > 0.0);
                let repeat = |axis, studs| tile(studs).map_or(1.0, |studs| length(axis) / studs);
                let shift = |name, studs| {
                    decal.number(name).zip(tile(studs)).map_or(0.0, |(offset, studs)| offset / studs)
                };
                let numbers = [
                    repeat(right, Property::StudsPerTileU),
                    repeat(down, Property::StudsPerTileV),
                    shift(Property::OffsetStudsU, Property::StudsPerTileU),
                    shift(Property::OffsetStudsV, Property::StudsPerTileV),
                ];
                if tiled && is_slope {
                    self.approximate(
                        at,
                        "roblox.decal",
                        "the tile size of a Texture on a slope is guessed, because Roblox's rule is unknown",
                    );
                }
                let key = MeshKey::Side(shape, side, face.0, material, numbers.map(f32::to_bits));
                let mesh = self.side(key, face.mesh(corners), material, numbers);
                let above = (normal / Vec3::from(place.scale)).normalize_or_zero() * height;
                let above = Quat::from_array(place.rotation) * above;
                let translation = (Vec3::from(place.translation) + above).into();
                let transform = Transform { translation, ..place };
                let node = Node { transform, mesh: Some(mesh), ..tree.node(at) };
                self.scene.add_node(parent, node);
            }
            if !shown {
                self.lose(
                    at, "roblox.decal",
                    "a decal with the face Top on a wedge: its slope shows a decal of another face instead (Front, or \
                     on a corner wedge Back or Left)",
                );
            }
        }
    }

    /// The look of a decal; `None` if nothing of it is seen.
    fn look_of(&mut self, at: usize, decal: &Inst) -> Option<Look> {
        let mut look = Look { alpha: look::alpha_of(decal), material: 256, cut_out: true, ..Look::default() };
        look.color = look::bytes_of(decal.color(&[Property::Color3]).unwrap_or([1.0; 3]));
        let names = [Property::Texture, Property::TextureContent, Property::ColorMapContent];
        look.texture = Some(self.image(at, decal, &names)?);
        if look.alpha == 0 {
            return None;
        }
        let numbers = [(Property::UVScale, Vec3::new(1.0, 1.0, 0.0)), (Property::UVOffset, Vec3::ZERO)];
        let is_other = |(name, usual)| decal.vector(&[name]).is_some_and(|found| found != usual);
        let is_turned = decal.number(Property::Rotation).is_some_and(|turn| turn != 0.0);
        if is_turned || numbers.into_iter().any(is_other) {
            self.approximate(
                at,
                "roblox.decal",
                "the scale, offset or rotation of the image of a decal is ignored",
            );
        }
        self.maps(at, decal, &mut look);
        Some(look)
    }

    /// A mesh of a side whose image repeats, starting at an offset.
    fn side(&mut self, key: MeshKey, mut mesh: TriMesh, material: usize, [u, v, x, y]: [f32; 4]) -> usize {
        if let Some(&index) = self.meshes.get(&key) {
            return index;
        }
        for uv in &mut mesh.uvs {
            let [old_u, old_v] = uv.to_array();
            *uv = [old_u * u + x, old_v * v + y].into();
        }
        let primitive = Primitive::new(mesh, Some(material));
        let index = self.scene.add_mesh(Mesh {
            name: "Decal".into(),
            primitives: vec![primitive],
            ..Mesh::default()
        });
        self.meshes.insert(key, index);
        index
    }
}

fn face_of(decal: &Inst) -> Face {
    decal.int(Property::Face).filter(|&face| face < 6).map_or(Face::FRONT, Face)
}
