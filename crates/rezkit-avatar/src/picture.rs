//! Pictures: an item in its box on a plain body, triangles that stick out in red, and cages coloured by their distance.

use std::sync::Arc;

use geom::{Aabb, CFrame, LinearRgba, Rgba8, TriMesh, Vec3};
use rbxcore::Dom;
use rezkit_core::{Budget, Result, Sources};
use rezkit_scene::{Alpha, Material, Mesh, Node, Primitive, Scene, Transform};

use crate::check::{CheckOptions, keep_within, told, within};
use crate::checks::meshes::{Box3, box_of, box_of_part};
use crate::find::{document, scene};
use crate::geometry::{corners, distances, scaled};
use crate::item::{Cage, Item, Part, assembled};
use crate::kind::ItemType;

/// A picture to be rendered: its name, made of the item's path, and the scene.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Picture {
    /// The path of the item, and what is shown: `Hat` or `Shirt cages`.
    pub name: String,
    /// The scene, whose front is that of the avatar.
    pub scene: Scene,
}

/// The middles and sizes of a plain R15 body's parts around the middle of its LowerTorso, in studs.
const BODY: [([f32; 3], [f32; 3]); 15] = [
    ([0.0, 2.3, 0.0], [1.2, 1.2, 1.2]),
    ([0.0, 1.0, 0.0], [2.0, 1.6, 1.0]),
    ([0.0, 0.0, 0.0], [2.0, 0.4, 1.0]),
    ([-1.5, 1.17, 0.0], [0.98, 1.17, 0.98]),
    ([-1.5, 0.58, 0.0], [0.96, 1.05, 0.96]),
    ([-1.5, -0.05, 0.0], [0.98, 0.3, 0.98]),
    ([1.5, 1.17, 0.0], [0.98, 1.17, 0.98]),
    ([1.5, 0.58, 0.0], [0.96, 1.05, 0.96]),
    ([1.5, -0.05, 0.0], [0.98, 0.3, 0.98]),
    ([-0.5, -0.62, 0.0], [0.98, 1.22, 0.98]),
    ([-0.5, -1.4, 0.0], [0.96, 1.19, 0.96]),
    ([-0.5, -2.05, 0.0], [0.98, 0.3, 0.98]),
    ([0.5, -0.62, 0.0], [0.98, 1.22, 0.98]),
    ([0.5, -1.4, 0.0], [0.96, 1.19, 0.96]),
    ([0.5, -2.05, 0.0], [0.98, 0.3, 0.98]),
];

/// Where that body has the attachments of accessories.
const WORN: [(&str, [f32; 3]); 16] = [
    ("HatAttachment", [0.0, 2.9, 0.0]),
    ("HairAttachment", [0.0, 2.9, 0.0]),
    ("FaceFrontAttachment", [0.0, 2.3, -0.6]),
    ("FaceCenterAttachment", [0.0, 2.3, 0.0]),
    ("NeckAttachment", [0.0, 1.8, 0.0]),
    ("LeftCollarAttachment", [-1.0, 1.8, 0.0]),
    ("RightCollarAttachment", [1.0, 1.8, 0.0]),
    ("LeftShoulderAttachment", [-1.5, 1.75, 0.0]),
    ("RightShoulderAttachment", [1.5, 1.75, 0.0]),
    ("BodyFrontAttachment", [0.0, 1.0, -0.5]),
    ("BodyBackAttachment", [0.0, 1.0, 0.5]),
    ("WaistCenterAttachment", [0.0, 0.0, 0.0]),
    ("WaistFrontAttachment", [0.0, 0.0, -0.5]),
    ("WaistBackAttachment", [0.0, 0.0, 0.5]),
    ("LeftFootAttachment", [-0.5, -2.2, 0.0]),
    ("RightFootAttachment", [0.5, -2.2, 0.0]),
];

/// Pictures of the items of a document whose meshes are at hand.
///
/// # Errors
/// If the budget does not suffice.
pub fn pictures_of_document(
    dom: &dyn Dom,
    options: &CheckOptions,
    sources: &mut dyn Sources,
    budget: &mut Budget,
) -> Result<Vec<Picture>> {
    let mut files = document::Files::new(sources);
    let mut items = document::items(dom, &mut files, budget)?;
    keep_within(dom, &mut items, within(dom, options)?);
    pictures(items, options, budget)
}

/// Pictures of the items of a scene.
///
/// # Errors
/// If the budget does not suffice.
pub fn pictures_of_scene(scene: &Scene, options: &CheckOptions, budget: &mut Budget) -> Result<Vec<Picture>> {
    pictures(scene::items(scene, options.kind, budget)?, options, budget)
}

fn pictures(mut items: Vec<Item>, options: &CheckOptions, budget: &mut Budget) -> Result<Vec<Picture>> {
    told(&mut items, options.kind);
    let mut all = Vec::new();
    for item in &items {
        if !item.parts.iter().any(|part| part.mesh.read().is_some()) {
            continue;
        }
        all.push(Picture { name: item.path.clone(), scene: worn(item, options, budget)? });
        let cages = item.parts.iter().any(|part| part.outer.iter().any(|cage| cage.mesh.read().is_some()));
        if cages {
            all.push(Picture { name: format!("{} cages", item.path), scene: caged(item, budget)? });
        }
    }
    Ok(all)
}

/// The materials of a picture.
struct Painter {
    scene: Scene,
    body: usize,
    item: usize,
    outside: usize,
    edge: usize,
    axis: usize,
    colored: usize,
}

impl Painter {
    fn new() -> Self {
        let mut scene = Scene::default();
        scene.front = 180.0;
        let mut paint = |name: &str, [r, g, b]: [u8; 3], alpha: f32| {
            let LinearRgba { r, g, b, .. } = Rgba8 { r, g, b, a: 255 }.to_linear();
            let [r, g, b] = [r, g, b].map(|part| f32::from(part) / f32::from(u16::MAX));
            let alpha_mode = if alpha < 1.0 { Alpha::Blend } else { Alpha::Opaque };
            let material = Material {
                name: name.into(),
                base_color: [r, g, b, alpha],
                alpha: alpha_mode,
                double_sided: true,
                ..Material::default()
            };
            scene.materials.push(material);
            scene.materials.len() - 1
        };
        let body = paint("body", [190, 192, 198], 1.0);
        let item = paint("item", [86, 132, 190], 1.0);
        let outside = paint("outside", [222, 30, 30], 1.0);
        let edge = paint("box", [24, 120, 60], 1.0);
        let axis = paint("attachment", [240, 150, 20], 1.0);
        let colored = paint("cage", [255, 255, 255], 1.0);
        Self { scene, body, item, outside, edge, axis, colored }
    }

    fn add(&mut self, name: &str, meshes: Vec<(TriMesh, usize)>) {
        let primitives: Vec<Primitive> = meshes
            .into_iter()
            .filter(|(mesh, _)| !mesh.triangles.is_empty())
            .map(|(mut mesh, material)| {
                mesh.normals = mesh.angle_weighted_normals();
                Primitive::new(Arc::new(mesh), Some(material))
            })
            .collect();
        if !primitives.is_empty() {
            let mesh = self.scene.add_mesh(Mesh { name: name.into(), primitives, ..Mesh::default() });
            let node = Node {
                name: name.into(),
                mesh: Some(mesh),
                transform: Transform::default(),
                ..Node::default()
            };
            self.scene.add_node(None, node);
        }
    }

    /// The twelve edges of a box.
    fn frame(&mut self, name: &str, frame: CFrame, size: Vec3) {
        let width = size.to_array().into_iter().fold(0.0, f32::max) * 0.008;
        let mut edges = TriMesh::default();
        for axis in 0..3 {
            for corner in 0..4 {
                let (mut middle, mut sides) = ([0.0; 3], [width; 3]);
                sides[axis] = size.to_array()[axis] + width;
                for (at, other) in [(axis + 1) % 3, (axis + 2) % 3].into_iter().enumerate() {
                    let sign = if corner >> at & 1 == 0 { -0.5 } else { 0.5 };
                    middle[other] = size.to_array()[other] * sign;
                }
                append(&mut edges, &block(middle.into(), sides.into(), frame));
            }
        }
        self.add(name, vec![(edges, self.edge)]);
    }

    /// The axes of an attachment, a little longer than the box that hangs on it, so that they end outside of the item.
    fn axes(&mut self, name: &str, frame: CFrame, size: Vec3) {
        let width = size.to_array().into_iter().fold(0.0, f32::max) * 0.01;
        let mut axes = TriMesh::default();
        for (axis, length) in size.to_array().into_iter().enumerate() {
            let mut sides = [width; 3];
            sides[axis] = length * 1.1;
            append(&mut axes, &block(Vec3::default(), sides.into(), frame));
        }
        self.add(name, vec![(axes, self.axis)]);
    }

    fn dot(&mut self, name: &str, at: Vec3) {
        let cube = block(at, Vec3::new(0.1, 0.1, 0.1), CFrame::IDENTITY);
        self.add(name, vec![(cube, self.axis)]);
    }
}

fn append(mesh: &mut TriMesh, more: &TriMesh) {
    let first = u32::try_from(mesh.positions.len()).unwrap_or(u32::MAX);
    mesh.positions.extend(&more.positions);
    mesh.triangles
        .extend(more.triangles.iter().map(|triangle| triangle.map(|index| index.saturating_add(first))));
}

/// A box, with corners of its own for each side, so that its edges are sharp.
fn block(middle: Vec3, size: Vec3, frame: CFrame) -> TriMesh {
    let mut mesh = TriMesh::default();
    for (axis, sign) in (0..3).flat_map(|axis| [(axis, -1.0_f32), (axis, 1.0)]) {
        let first = u32::try_from(mesh.positions.len()).unwrap_or(u32::MAX);
        for (u, v) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            let mut at = [0.0; 3];
            (at[axis], at[(axis + 1) % 3], at[(axis + 2) % 3]) = (sign * 0.5, u * 0.5 * sign, v * 0.5);
            mesh.positions.push(frame * (middle + scaled(at.into(), size)));
        }
        mesh.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    mesh
}

/// Where a part of an item is in the picture, and whether it is worn by the plain body.
fn place(item: &Item, part: &Part) -> (CFrame, bool) {
    if item.is_scene() {
        return (CFrame::IDENTITY, false);
    }
    let worn = part.attachments.iter().find_map(|attachment| {
        let (_, at) = WORN.iter().find(|(name, _)| *name == attachment.name)?;
        Some(CFrame::IDENTITY.with_position(Vec3::from(*at)) * attachment.frame.inverse())
    });
    match worn.filter(|_| item.kind.is_none_or(ItemType::is_accessory)) {
        Some(frame) => (frame, true),
        None => (assembled(&item.parts).get(&*part.name).copied().unwrap_or_default(), false),
    }
}

fn worn(item: &Item, options: &CheckOptions, budget: &mut Budget) -> Result<Scene> {
    let mut painter = Painter::new();
    let mut whole: Vec<Vec3> = Vec::new();
    for part in &item.parts {
        let (frame, is_worn) = place(item, part);
        if is_worn && painter.scene.meshes.is_empty() {
            for (middle, size) in BODY {
                let color = painter.body;
                painter.add("body", vec![(block(middle.into(), size.into(), CFrame::IDENTITY), color)]);
            }
        }
        let Some(shape) = part.mesh.read() else { continue };
        budget.take(
            shape.mesh.positions.len() as u64 * 200 + shape.mesh.triangles.len() as u64 * 48,
            "the picture",
        )?;
        let bounds = box_of_part(item, part, &options.numbers);
        let points: Vec<Vec3> = shape.points().collect();
        let is_out = |index: &u32| {
            bounds.is_some_and(|bounds| {
                points.get(*index as usize).is_some_and(|point| !bounds.contains(*point))
            })
        };
        let (outside, inside): (Vec<[u32; 3]>, Vec<[u32; 3]>) =
            shape.mesh.triangles.iter().partition(|triangle| triangle.iter().any(is_out));
        let positions: Vec<Vec3> = points.iter().map(|point| frame * *point).collect();
        whole.extend(&positions);
        let of = |triangles: Vec<[u32; 3]>| TriMesh {
            positions: positions.clone(),
            triangles,
            ..TriMesh::default()
        };
        let colors = [painter.item, painter.outside];
        painter.add(&part.name, vec![(of(inside), colors[0]), (of(outside), colors[1])]);
        if let Some(Box3 { frame: of_box, size }) = bounds {
            painter.frame("box", frame * of_box, size);
        }
        for attachment in &part.attachments {
            painter.dot(&attachment.name, frame * attachment.frame.position);
            let kind = item.kind.filter(|kind| kind.is_accessory());
            let bounds = kind.and_then(|kind| box_of(kind, item.scale, attachment, &options.numbers));
            if let Some(Box3 { size, .. }) = bounds {
                painter.axes(&attachment.name, frame * attachment.frame, size);
            }
        }
    }
    // A body has the greatest box of its type.
    if item.kind.is_some_and(|kind| !kind.is_accessory())
        && let Some(bounds) = Aabb::from_points(whole)
        && let Some(size) = greatest(item, options)
    {
        painter.frame("box", CFrame::IDENTITY.with_position(bounds.center()), size);
    }
    Ok(painter.scene)
}

/// The greatest size of a body's type.
fn greatest(item: &Item, options: &CheckOptions) -> Option<Vec3> {
    let kind = item.kind?;
    let path: &[&str] = match kind {
        ItemType::Body => &["FullBodyRules", "Bounds", item.scale.name(), "MaxSize"],
        _ => &["BodyPartRules", kind.key(), "Bounds", item.scale.name(), "MaxSize"],
    };
    crate::numbers::vector(options.numbers.get(path)?)
}

/// The cages, coloured by their distance from the mesh: blue for 0, green for a half, red for 1 stud and more.
fn caged(item: &Item, budget: &mut Budget) -> Result<Scene> {
    let mut painter = Painter::new();
    for part in &item.parts {
        let (frame, _) = place(item, part);
        let (Some(shape), Some(cage)) = (part.mesh.read(), &part.outer) else { continue };
        let scale = if item.is_scene() { Vec3::new(1.0, 1.0, 1.0) } else { shape.scale };
        let mesh = colored(cage, scale, part, frame, budget)?;
        let color = painter.colored;
        painter.add(&part.name, vec![(mesh, color)]);
    }
    Ok(painter.scene)
}

fn colored(cage: &Cage, scale: Vec3, part: &Part, frame: CFrame, budget: &mut Budget) -> Result<TriMesh> {
    let (Some(of_cage), Some(shape)) = (cage.mesh.read(), part.mesh.read()) else {
        return Ok(TriMesh::default());
    };
    let points = cage.points(scale);
    budget.take(points.len() as u64 * 100, "the picture of a cage")?;
    let one = Vec3::new(1.0, 1.0, 1.0);
    let triangles = corners(&shape.mesh, one).map(|triangle| {
        triangle.map(|[x, y, z]| {
            #[allow(clippy::cast_possible_truncation, reason = "they were numbers of 32 bits")]
            let point = shape.place(Vec3::new(x as f32, y as f32, z as f32));
            point.to_array().map(f64::from)
        })
    });
    let color = |distance: f64| {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
        let byte = |share: f64| (share.clamp(0.0, 1.0) * 255.0) as u8;
        let t = distance.min(1.0);
        Rgba8 { r: byte(2.0 * t - 1.0), g: byte(1.0 - (2.0 * t - 1.0).abs()), b: byte(1.0 - 2.0 * t), a: 255 }
            .to_linear()
    };
    let colors = distances(&points, triangles, budget)?.into_iter().map(color).collect();
    Ok(TriMesh {
        positions: points.into_iter().map(|point| frame * point).collect(),
        colors,
        triangles: of_cage.mesh.triangles.clone(),
        ..TriMesh::default()
    })
}
