//! Items made from the numbers of the page, whose rules they all keep.

use std::collections::BTreeMap;

use geom::{CFrame, Rgba8, TriMesh, Vec2, Vec3};
use rbxdocument::{AnyDocument, InstanceId, NewInstance, Value};
use rbxmesh::{Bone, Facs, LodChoice, Mesh, Version};
use rezkit_avatar::{AvatarReport, Budget, CheckOptions, ItemType, check_document};
use rezkit_core::Reference;

/// A document, and the files to which it refers.
pub(crate) struct Made {
    pub(crate) document: AnyDocument,
    pub(crate) files: BTreeMap<u64, Vec<u8>>,
    pub(crate) kind: Option<ItemType>,
}

impl Made {
    pub(crate) fn new(top: NewInstance) -> Self {
        let mut document =
            rbxdocument::from_slice(b"<roblox version=\"4\"></roblox>").expect("made for the test");
        document.insert(None, top).expect("made for the test");
        Self { document, files: BTreeMap::new(), kind: None }
    }

    pub(crate) fn report(&self) -> AvatarReport {
        let mut options = CheckOptions::default();
        options.kind = self.kind;
        self.report_with(&options)
    }

    pub(crate) fn report_with(&self, options: &CheckOptions) -> AvatarReport {
        let mut files = |reference: &Reference, _: u64| match reference {
            Reference::Id(id) => Ok(self.files.get(id).cloned()),
            _ => Ok(None),
        };
        check_document(&self.document, options, &mut files, &mut Budget::new(1 << 30))
            .expect("made for the test")
    }

    /// The instance at a path.
    pub(crate) fn at(&self, path: &str) -> InstanceId {
        self.document.find(path).unwrap_or_else(|| panic!("{path} exists"))
    }

    pub(crate) fn set(&mut self, path: &str, property: &str, value: impl Into<Value>) {
        let id = self.at(path);
        self.document.set(id, property, value).expect("made for the test");
    }

    pub(crate) fn add(&mut self, path: &str, new: NewInstance) {
        let id = self.at(path);
        self.document.insert(id, new).expect("made for the test");
    }

    pub(crate) fn remove(&mut self, path: &str) {
        let id = self.at(path);
        self.document.remove(id).expect("made for the test");
    }

    /// Gives the first vertex of a skinned mesh file this weight, of 255.
    pub(crate) fn reweigh(&mut self, id: u64, weight: u8) {
        let mut file = rbxmesh::from_slice(&self.files[&id]).expect("made for the test");
        file.envelopes[0].weights = [weight, 0, 0, 0];
        self.files.insert(id, rbxmesh::to_vec(&file).expect("made for the test"));
    }

    /// Changes the triangles of a mesh file.
    pub(crate) fn remesh(&mut self, id: u64, change: impl FnOnce(&mut TriMesh)) {
        let file = rbxmesh::from_slice(&self.files[&id]).expect("made for the test");
        let mut mesh = file.to_tri_mesh(0).expect("made for the test");
        // They would have to be changed with the vertices.
        mesh.normals.clear();
        change(&mut mesh);
        let bytes = match file.bones.is_empty() {
            true => rbxmesh::to_vec(&Mesh::from_tri_mesh(&mesh).expect("made for the test")),
            false => {
                rbxmesh::to_vec(&Mesh::from_skinned_tri_mesh(&mesh, file.bones).expect("made for the test"))
            }
        };
        self.files.insert(id, bytes.expect("made for the test"));
    }
}

/// A new instance with a name.
pub(crate) fn new(class: &str, name: &str) -> NewInstance {
    NewInstance::new(class).property("Name", name)
}

/// A box of a size around the origin, with a texture.
pub(crate) fn block(size: Vec3) -> TriMesh {
    let corner = |at: usize| {
        let side = |bit: usize, size: f32| if at >> bit & 1 == 0 { -size / 2.0 } else { size / 2.0 };
        Vec3::new(side(0, size.x), side(1, size.y), side(2, size.z))
    };
    let triangles = [
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];
    TriMesh {
        positions: (0..8).map(corner).collect(),
        uvs: (0..8).map(|at| Vec2::new(at as f32 / 10.0, (at * at) as f32 / 100.0)).collect(),
        triangles: triangles.to_vec(),
        ..TriMesh::default()
    }
}

pub(crate) fn plain(mesh: &TriMesh) -> Vec<u8> {
    rbxmesh::to_vec(&Mesh::from_tri_mesh(mesh).expect("made for the test")).expect("made for the test")
}

/// A mesh all of whose vertices a bone moves.
pub(crate) fn skinned(mesh: &TriMesh, bone: &str) -> Vec<u8> {
    let count = mesh.positions.len();
    let mut mesh = mesh.clone();
    mesh.joints = vec![[0; 4]; count];
    mesh.weights = vec![[1.0, 0.0, 0.0, 0.0]; count];
    let bones = vec![Bone { name: bone.into(), ..Bone::default() }];
    rbxmesh::to_vec(&Mesh::from_skinned_tri_mesh(&mesh, bones).expect("made for the test"))
        .expect("made for the test")
}

/// An image of this many pixels per side.
pub(crate) fn image(side: u32) -> Vec<u8> {
    let picture = rezkit_scene::images::Picture::new(side, side, [200, 100, 50, 255]);
    rezkit_scene::images::png(&picture).expect("made for the test")
}

fn uri(id: u64) -> String {
    format!("rbxassetid://{id}")
}

fn attachment(name: &str, at: Vec3) -> NewInstance {
    new("Attachment", name).property("CFrame", CFrame::IDENTITY.with_position(at))
}

/// The grey of Handles.
fn grey() -> Value {
    Value::Color3uint8(rbxdocument::types::Color3uint8 { r: 163, g: 162, b: 165 })
}

/// The Handle of an accessory with the mesh 1 and the texture 2.
fn handle(size: Vec3) -> NewInstance {
    new("MeshPart", "Handle")
        .property("Size", size)
        .property("MeshId", uri(1))
        .property("TextureID", uri(2))
        .property("Material", Value::Enum(256))
        .property("Color", grey())
}

fn accessory(kind: u32, handle: NewInstance) -> NewInstance {
    new("Accessory", "Item").property("AccessoryType", Value::Enum(kind)).child(handle)
}

/// A hat: a box of two studs that hangs 0.2 below its attachment.
pub(crate) fn hat() -> Made {
    let size = Vec3::new(2.0, 2.0, 2.0);
    let handle = handle(size).child(attachment("HatAttachment", Vec3::new(0.0, -0.2, 0.0)));
    let mut made = Made::new(accessory(1, handle));
    made.files.insert(1, plain(&block(size)));
    made.files.insert(2, image(4));
    made
}

/// A hat of before 2021: a Part with a SpecialMesh.
pub(crate) fn old_hat() -> Made {
    let mesh = new("SpecialMesh", "Mesh")
        .property("MeshType", Value::Enum(5))
        .property("MeshId", uri(1))
        .property("TextureId", uri(2));
    let handle = new("Part", "Handle")
        .property("Size", Vec3::new(1.0, 1.0, 1.0))
        .property("Shape", Value::Enum(1))
        .property("Material", Value::Enum(256))
        .property("Color", grey())
        .property("TopSurface", Value::Enum(0))
        .property("BottomSurface", Value::Enum(0))
        .child(mesh)
        .child(attachment("HatAttachment", Vec3::new(0.0, -0.2, 0.0)));
    let mut made = Made::new(accessory(1, handle));
    made.files.insert(1, plain(&block(Vec3::new(2.0, 2.0, 2.0))));
    made.files.insert(2, image(4));
    made
}

/// A layered item with both cages; eyebrows are skinned to RBX_Leader.
pub(crate) fn layered(kind: u32, attached: &str, size: Vec3, bone: &str) -> Made {
    let layer = new("WrapLayer", "WrapLayer")
        .property("CageMeshId", uri(3))
        .property("ReferenceMeshId", uri(4))
        .property("Enabled", true);
    let handle = handle(size).child(attachment(attached, Vec3::default())).child(layer);
    let mut made = Made::new(accessory(kind, handle));
    made.files.insert(1, skinned(&block(size), bone));
    made.files.insert(2, image(4));
    made.files.insert(3, plain(&block(size * 1.1)));
    made.files.insert(4, plain(&block(size * 0.9)));
    made
}

pub(crate) fn jacket() -> Made {
    layered(12, "BodyFrontAttachment", Vec3::new(3.0, 2.0, 1.5), "UpperTorso")
}

pub(crate) fn eyebrows() -> Made {
    let mut made = layered(18, "FaceFrontAttachment", Vec3::new(1.0, 0.3, 0.3), "RBX_Leader");
    // EnabledOverride.
    made.set("Item/Handle/WrapLayer", "AutoSkin", Value::Enum(2));
    made
}

/// The 15 parts: the size of each, and its attachments in halves of its size from its middle. All numbers are within those
/// of section 4.
type Row = (&'static str, [f32; 3], &'static [(&'static str, [f32; 3])]);

pub(crate) const PARTS: [Row; 15] = [
    (
        "Head",
        [1.2, 1.2, 1.2],
        &[
            ("NeckRig", [0.0, -0.8, 0.0]),
            ("FaceFront", [0.0, 0.0, -1.0]),
            ("Hat", [0.0, 1.0, 0.0]),
            ("Hair", [0.0, 1.0, 0.0]),
            ("FaceCenter", [0.0, 0.0, 0.0]),
        ],
    ),
    (
        "UpperTorso",
        [2.0, 1.6, 1.0],
        &[
            ("WaistRig", [0.0, -1.0, 0.0]),
            ("NeckRig", [0.0, 1.0, 0.0]),
            ("Neck", [0.0, 1.0, 0.0]),
            ("LeftShoulderRig", [-1.0, 0.7, 0.0]),
            ("RightShoulderRig", [1.0, 0.7, 0.0]),
            ("LeftCollar", [-1.0, 1.0, 0.0]),
            ("RightCollar", [1.0, 1.0, 0.0]),
            ("BodyFront", [0.0, 0.0, -1.0]),
            ("BodyBack", [0.0, 0.0, 1.0]),
        ],
    ),
    (
        "LowerTorso",
        [2.0, 0.4, 1.0],
        &[
            ("RootRig", [0.0, 0.0, 0.0]),
            ("WaistRig", [0.0, 1.0, 0.0]),
            ("LeftHipRig", [-0.5, -1.0, 0.0]),
            ("RightHipRig", [0.5, -1.0, 0.0]),
            ("WaistCenter", [0.0, 0.0, 0.0]),
            ("WaistFront", [0.0, 0.0, -1.0]),
            ("WaistBack", [0.0, 0.0, 1.0]),
        ],
    ),
    (
        "LeftUpperArm",
        [0.9, 1.2, 0.9],
        &[
            ("LeftShoulderRig", [1.0, 0.7, 0.0]),
            ("LeftShoulder", [0.0, 1.0, 0.0]),
            ("LeftElbowRig", [0.0, -0.6, 0.0]),
        ],
    ),
    (
        "LeftLowerArm",
        [0.9, 1.0, 0.9],
        &[("LeftElbowRig", [0.0, 0.5, 0.0]), ("LeftWristRig", [0.0, -0.9, 0.0])],
    ),
    ("LeftHand", [0.9, 0.3, 0.9], &[("LeftWristRig", [0.0, 0.8, 0.0]), ("LeftGrip", [0.0, 0.0, 0.0])]),
    (
        "RightUpperArm",
        [0.9, 1.2, 0.9],
        &[
            ("RightShoulderRig", [-1.0, 0.7, 0.0]),
            ("RightShoulder", [0.0, 1.0, 0.0]),
            ("RightElbowRig", [0.0, -0.6, 0.0]),
        ],
    ),
    (
        "RightLowerArm",
        [0.9, 1.0, 0.9],
        &[("RightElbowRig", [0.0, 0.5, 0.0]), ("RightWristRig", [0.0, -0.9, 0.0])],
    ),
    ("RightHand", [0.9, 0.3, 0.9], &[("RightWristRig", [0.0, 0.8, 0.0]), ("RightGrip", [0.0, 0.0, 0.0])]),
    ("LeftUpperLeg", [0.9, 1.2, 0.9], &[("LeftHipRig", [0.0, 0.7, 0.0]), ("LeftKneeRig", [0.0, -0.7, 0.0])]),
    (
        "LeftLowerLeg",
        [0.9, 1.2, 0.9],
        &[("LeftKneeRig", [0.0, 0.6, 0.0]), ("LeftAnkleRig", [0.0, -0.9, 0.0])],
    ),
    ("LeftFoot", [0.9, 0.3, 0.9], &[("LeftAnkleRig", [0.0, 0.7, 0.0]), ("LeftFoot", [0.0, -1.0, 0.0])]),
    (
        "RightUpperLeg",
        [0.9, 1.2, 0.9],
        &[("RightHipRig", [0.0, 0.7, 0.0]), ("RightKneeRig", [0.0, -0.7, 0.0])],
    ),
    (
        "RightLowerLeg",
        [0.9, 1.2, 0.9],
        &[("RightKneeRig", [0.0, 0.6, 0.0]), ("RightAnkleRig", [0.0, -0.9, 0.0])],
    ),
    ("RightFoot", [0.9, 0.3, 0.9], &[("RightAnkleRig", [0.0, 0.7, 0.0]), ("RightFoot", [0.0, -1.0, 0.0])]),
];

/// The number of different texture coordinates of the cages of section 5.
fn cage_uvs(part: &str) -> usize {
    let part = part.trim_start_matches("Left").trim_start_matches("Right");
    let counts = [
        ("Head", 343),
        ("UpperTorso", 257),
        ("LowerTorso", 105),
        ("UpperArm", 77),
        ("LowerArm", 77),
        ("Hand", 86),
        ("UpperLeg", 88),
        ("LowerLeg", 88),
        ("Foot", 86),
    ];
    counts.iter().find(|(name, _)| *name == part).expect("made for the test").1
}

/// The tile of texture coordinates in which the template's cage of a part is (of the torsos, one of two).
pub(crate) fn tile(part: &str) -> [f32; 2] {
    let tiles = [
        ("Head", [3.0, 0.0]),
        ("UpperTorso", [3.0, -3.0]),
        ("LowerTorso", [3.0, -1.0]),
        ("LeftUpperArm", [4.0, -3.0]),
        ("LeftLowerArm", [5.0, -3.0]),
        ("LeftHand", [6.0, -3.0]),
        ("LeftUpperLeg", [4.0, -2.0]),
        ("LeftLowerLeg", [4.0, -1.0]),
        ("LeftFoot", [4.0, 0.0]),
        ("RightUpperArm", [2.0, -3.0]),
        ("RightLowerArm", [1.0, -3.0]),
        ("RightHand", [0.0, -3.0]),
        ("RightUpperLeg", [2.0, -2.0]),
        ("RightLowerLeg", [2.0, -1.0]),
        ("RightFoot", [2.0, 0.0]),
    ];
    tiles.iter().find(|(name, _)| *name == part).expect("made for the test").1
}

/// Texture coordinates on a parabola in a tile, so that no three are on a line.
fn in_tile([x, y]: [f32; 2], at: usize, count: usize) -> Vec2 {
    let t = at as f32 / count as f32;
    Vec2::new(x + 0.1 + 0.8 * t, y + 0.1 + 0.8 * t * t)
}

/// A cage of points on a box around a part.
fn cage(part: &str, size: [f32; 3]) -> TriMesh {
    let count = cage_uvs(part);
    let point = |at: usize| {
        let angle = at as f32;
        let way = [angle.sin(), angle.cos(), (angle * 0.7).sin() * 1.2];
        let most = way.into_iter().map(f32::abs).fold(0.0, f32::max);
        let [x, y, z] = [0, 1, 2].map(|axis| way[axis] / most * size[axis] * 0.51);
        Vec3::new(x, y, z)
    };
    TriMesh {
        positions: (0..count).map(point).collect(),
        uvs: (0..count).map(|at| in_tile(tile(part), at, count)).collect(),
        triangles: (2..count as u32).map(|at| [at - 2, at - 1, at]).collect(),
        ..TriMesh::default()
    }
}

/// A closed cage: a ring of points around a box, with a point above and one below it.
pub(crate) fn ring(count: usize, size: Vec3, tile: [f32; 2]) -> TriMesh {
    let ring = count - 2;
    let around = |at: usize| {
        let angle = at as f32 / ring as f32 * std::f32::consts::TAU;
        let most = angle.cos().abs().max(angle.sin().abs()) * 2.0;
        Vec3::new(angle.cos() / most * size.x, 0.0, angle.sin() / most * size.z)
    };
    let mut positions: Vec<Vec3> = (0..ring).map(around).collect();
    positions.extend([Vec3::new(0.0, size.y / 2.0, 0.0), Vec3::new(0.0, size.y / -2.0, 0.0)]);
    let sides = (0..ring as u32).flat_map(|at| {
        let (next, top) = ((at + 1) % ring as u32, ring as u32);
        [[top, next, at], [top + 1, at, next]]
    });
    TriMesh {
        positions,
        uvs: (0..count).map(|at| in_tile(tile, at, count)).collect(),
        triangles: sides.collect(),
        ..TriMesh::default()
    }
}

/// A left shoe, whose cages are those of a foot, with its 86 texture coordinates.
pub(crate) fn shoe() -> Made {
    let size = Vec3::new(1.0, 0.6, 1.4);
    let mut made = layered(15, "LeftFootAttachment", size, "LeftFoot");
    made.files.insert(3, plain(&ring(86, size * 1.1, tile("LeftFoot"))));
    made.files.insert(4, plain(&ring(86, size * 0.9, tile("LeftFoot"))));
    made
}

/// A part of a body. Its mesh, cage and texture have the numbers 10, 11 and 12 plus ten times its index.
fn body_part(index: usize) -> NewInstance {
    let (name, size, attachments) = PARTS[index];
    let size = Vec3::from(size);
    let id = 10 + index as u64 * 10;
    let mut part = new("MeshPart", name)
        .property("Size", size)
        .property("MeshId", uri(id))
        .property("TextureID", uri(id + 2))
        .property("Material", Value::Enum(256))
        .property("CollisionFidelity", Value::Enum(0))
        .child(new("StringValue", "AvatarPartScaleType").property("Value", "Classic"))
        .child(new("WrapTarget", "WrapTarget").property("CageMeshId", uri(id + 1)));
    for (name, at) in attachments {
        let at = Vec3::new(at[0] * size.x / 2.0, at[1] * size.y / 2.0, at[2] * size.z / 2.0);
        // A tool lies along an arm that hangs down.
        let down = if name.ends_with("Grip") { -std::f32::consts::FRAC_PI_2 } else { 0.0 };
        let frame = CFrame::from_euler_angles_xyz(down, 0.0, 0.0).with_position(at);
        part = part.child(new("Attachment", &format!("{name}Attachment")).property("CFrame", frame));
    }
    if name == "Head" {
        part = part.child(new("FaceControls", "FaceControls"));
    }
    part
}

/// The 17 controls of section 6, as the meshes of real heads name them: `l_EC` is LeftEyeClosed.
pub(crate) const CONTROLS: [&str; 17] = [
    "l_EC", "c_ELD", "r_EC", "c_JD", "c_PK", "l_LCP", "r_LCP", "c_CR", "c_CRUL", "l_CHR", "r_CHR", "l_IBR",
    "r_IBR", "l_LCD", "r_LCD", "l_LLD", "r_LLD",
];

/// The mesh of a head whose controls move a joint by this much.
pub(crate) fn face(controls: &[&str], by: f32) -> Vec<u8> {
    let mut mesh = block(Vec3::new(1.2, 1.2, 1.2));
    // The lower front corners move with the jaw.
    mesh.joints = mesh.positions.iter().map(|p| [u16::from(p.y < 0.0 && p.z < 0.0), 0, 0, 0]).collect();
    mesh.weights = vec![[1.0, 0.0, 0.0, 0.0]; mesh.positions.len()];
    let bones = ["Head", "Jaw"].map(|name| Bone { name: name.into(), ..Bone::default() });
    let names = rbxmesh::Names::from_names(["Jaw"]).expect("made for the test");
    let controls = rbxmesh::Names::from_names(controls).expect("made for the test");
    let movement = |_, _| (Vec3::new(0.0, -by, 0.0), Vec3::default());
    let facs =
        Facs::from_poses(names, controls, Vec::new(), Vec::new(), movement).expect("made for the test");
    let mut made = Mesh::from_skinned_tri_mesh(&mesh, bones.to_vec()).expect("made for the test");
    made = made.to_version(Version::V5_00, LodChoice::First).0;
    made.facs = Some(facs);
    rbxmesh::to_vec(&made).expect("made for the test")
}

fn with_files(mut made: Made) -> Made {
    for (index, (name, size, _)) in PARTS.into_iter().enumerate() {
        let id = 10 + index as u64 * 10;
        let mesh = if name == "Head" { face(&CONTROLS, 0.1) } else { plain(&block(size.into())) };
        made.files.insert(id, mesh);
        made.files.insert(id + 1, plain(&cage(name, size)));
        made.files.insert(id + 2, image(4));
    }
    made
}

/// A head with its 17 controls.
pub(crate) fn head() -> Made {
    with_files(Made::new(body_part(0)))
}

/// A character of 15 parts.
pub(crate) fn body() -> Made {
    let parts = (0..15).map(body_part);
    with_files(Made::new(
        parts.fold(new("Model", "Body").child(new("Humanoid", "Humanoid")), NewInstance::child),
    ))
}

/// A character whose parts are connected by Motor6D, each at the attachments of its joint.
pub(crate) fn rigged() -> Made {
    let mut made = body();
    let frame = |made: &Made, part: &str, joint: &str| {
        let id = made.at(&format!("Body/{part}/{joint}RigAttachment"));
        made.document.get(id, "CFrame").and_then(|value| value.as_cframe()).expect("made for the test")
    };
    made.add("Body", new("Part", "HumanoidRootPart"));
    for (part, above, joint) in RIG {
        let root = CFrame::IDENTITY;
        let zero = if above == "HumanoidRootPart" { root } else { frame(&made, above, joint) };
        let motor = new("Motor6D", joint).property("C0", zero).property("C1", frame(&made, part, joint));
        made.add(&format!("Body/{part}"), motor);
        let (motor, above) = (format!("Body/{part}/{joint}"), made.at(&format!("Body/{above}")));
        made.set(&motor, "Part0", Value::Ref(Some(above)));
        let own = made.at(&format!("Body/{part}"));
        made.set(&motor, "Part1", Value::Ref(Some(own)));
    }
    made
}

/// The parts, those above them, and the joints between them, from Roblox's documentation of R15.
const RIG: [(&str, &str, &str); 15] = [
    ("LowerTorso", "HumanoidRootPart", "Root"),
    ("UpperTorso", "LowerTorso", "Waist"),
    ("Head", "UpperTorso", "Neck"),
    ("LeftUpperArm", "UpperTorso", "LeftShoulder"),
    ("LeftLowerArm", "LeftUpperArm", "LeftElbow"),
    ("LeftHand", "LeftLowerArm", "LeftWrist"),
    ("RightUpperArm", "UpperTorso", "RightShoulder"),
    ("RightLowerArm", "RightUpperArm", "RightElbow"),
    ("RightHand", "RightLowerArm", "RightWrist"),
    ("LeftUpperLeg", "LowerTorso", "LeftHip"),
    ("LeftLowerLeg", "LeftUpperLeg", "LeftKnee"),
    ("LeftFoot", "LeftLowerLeg", "LeftAnkle"),
    ("RightUpperLeg", "LowerTorso", "RightHip"),
    ("RightLowerLeg", "RightUpperLeg", "RightKnee"),
    ("RightFoot", "RightLowerLeg", "RightAnkle"),
];

/// The asset of a left arm.
pub(crate) fn arm() -> Made {
    let intent =
        [3, 4, 5].into_iter().map(body_part).fold(new("Folder", "R15ArtistIntent"), NewInstance::child);
    let top =
        new("Folder", "LeftArm").child(new("Folder", "R6")).child(new("Folder", "R15Fixed")).child(intent);
    with_files(Made::new(top))
}

/// An emote that moves the lower torso.
pub(crate) fn emote() -> Made {
    let curve = new("EulerRotationCurve", "Rotation").child(new("FloatCurve", "X"));
    let torso = new("Folder", "LowerTorso").child(curve);
    let root = new("Folder", "HumanoidRootPart").child(torso);
    Made::new(new("CurveAnimation", "Emote").child(root).child(new("AnimationRigData", "Rig")))
}

/// A colour that is not white.
pub(crate) fn red() -> geom::LinearRgba {
    Rgba8 { r: 255, g: 0, b: 0, a: 255 }.to_linear()
}
