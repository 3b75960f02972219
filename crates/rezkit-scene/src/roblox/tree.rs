//! The part of a document, binary or XML, that a scene needs: its instances with the visible properties.

use std::cell::OnceCell;
use std::collections::HashMap;

use glam::{Mat4, Vec3};

use crate::model::Node;

/// Declares [`Property`].
macro_rules! properties {
    ($($name:ident),+ $(,)?) => {
        /// A property that a scene is built from, by the name under which files store it; all others are skipped.
        #[allow(non_camel_case_types, reason = "the names in files")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(super) enum Property {
            $($name,)+
        }

        impl Property {
            pub(super) const ALL: &[(&str, Self)] = &[$((stringify!($name), Self::$name)),+];

            pub(super) fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)+
                }
            }
        }
    };
}

properties! {
    AlphaMode, Ambient, Angle, AssetId, Attachment0, Attachment1, AuthoredHipHeight, BrickColor, Brightness, C0, C1,
    CFrame, CageMeshId, ChildData, ChildData2, ClusterGrid, ClusterGridV2, ClusterGridV3, Color, Color3,
    Color3uint8, ColorMap, ColorMapContent, CurrentCamera, DoubleSided, EasingDirection, EasingStyle,
    EmissiveMaskContent, EmissiveStrength, EmissiveTint, Enabled, ExposureCompensation, Face, FieldOfView, FogColor, FogEnd, FogStart, FormFactor,
    GeographicLatitude, Grip, InitialSize, Length, Loop, Material, MaterialColors,
    MaterialVariantSerialized, MeshContent, MeshData, MeshData2, MeshID, MeshId, MeshType, MetalnessMap,
    MetalnessMapContent, NormalMap, NormalMapContent, Offset, OffsetStudsU, OffsetStudsV, OutdoorAmbient, Part0, Part1,
    PhysicalConfigData, PhysicsData, Priority, Range, Reflectance, Rotation, RotationOrder, RoughnessMap,
    RoughnessMapContent, Scale, SmoothGrid, SolidMeshHolder, StudsPerTileU, StudsPerTileV, Texture,
    TextureContent, TextureID, TextureId, Thickness, Time, TimeOfDay, Transparency, UVOffset, UVScale, UsePartColor, Value, ValuesAndTimes,
    VertexColor, Visible, WaterColor, WaterTransparency, Weight, ZIndex, formFactorRaw, shape, size, style,
}

/// Names in old files and those of WeldConstraints, with the usual ones.
pub(super) const OLD: &[(&str, Property)] = &[
    ("CoordinateFrame", Property::CFrame),
    ("Part0Internal", Property::Part0),
    ("Part1Internal", Property::Part1),
    ("Shape", Property::shape),
    ("Size", Property::size),
    ("part1", Property::Part1),
];

/// Properties with large bytes, which are often equal: each distinct value is stored once.
pub(super) const BLOBS: &[Property] = &[
    Property::ChildData,
    Property::ChildData2,
    Property::ClusterGrid,
    Property::ClusterGridV2,
    Property::ClusterGridV3,
    Property::MaterialColors,
    Property::MeshData,
    Property::MeshData2,
    Property::PhysicalConfigData,
    Property::PhysicsData,
    Property::SmoothGrid,
    Property::SolidMeshHolder,
];

/// The value of a property.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Prop {
    Bool(bool),
    Number(f64),
    Bytes(Vec<u8>),
    /// An index of [`Tree::blobs`].
    Blob(usize),
    Vector(Vec3),
    Frame(Mat4),
    /// sRGB, 0 to 1.
    Color([f32; 3]),
    Ref(Option<usize>),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Inst {
    pub(super) class: String,
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    pub(super) props: Props,
}

/// The properties of an instance, each once. A list suffices for as few as there are.
#[derive(Clone, Debug, Default)]
pub(super) struct Props(Vec<(Property, Prop)>);

impl Props {
    pub(super) fn get(&self, name: Property) -> Option<&Prop> {
        self.0.iter().find(|(other, _)| *other == name).map(|(_, prop)| prop)
    }

    pub(super) fn insert(&mut self, name: Property, prop: Prop) {
        match self.0.iter_mut().find(|(other, _)| *other == name) {
            Some((_, old)) => *old = prop,
            None => self.0.push((name, prop)),
        }
    }

    /// Adds a number to the indices of blobs.
    pub(super) fn shift_blobs(&mut self, by: usize) {
        for (_, prop) in &mut self.0 {
            if let Prop::Blob(at) = prop {
                *at += by;
            }
        }
    }

    pub(super) fn remove(&mut self, name: Property) {
        self.0.retain(|(other, _)| *other != name);
    }
}

impl Prop {
    /// Its memory in a list whose capacity doubles, in bytes.
    pub(super) fn size(&self) -> u64 {
        let bytes = if let Self::Bytes(bytes) = self { bytes.len() } else { 0 };
        2 * size_of::<(Property, Self)>() as u64 + bytes as u64
    }
}

/// The instances of a document, parents before children.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    pub(super) instances: Vec<Inst>,
    pub(super) roots: Vec<usize>,
    /// The distinct values of [`BLOBS`].
    pub(super) blobs: Vec<Vec<u8>>,
    /// The number of instances of the document; instances after these were added.
    pub(super) own: usize,
    /// Positions and sizes of parts whose values cannot be read: the instance, the property and the type.
    pub(super) unread: Vec<(usize, Property, String)>,
    /// The instance that was requested for drawing; `None` if none was.
    pub(super) start: Option<usize>,
    /// For each instance, its index among the siblings of its name; set by the first path.
    numbers: OnceCell<Vec<usize>>,
}

/// Declares getters: the first of several properties that has a type.
macro_rules! first_of {
    ($($name:ident $variant:ident $type:ty;)+) => {
        impl Inst {
            $(pub(super) fn $name(&self, names: &[Property]) -> Option<$type> {
                names.iter().find_map(|&name| match self.props.get(name)? {
                    Prop::$variant(value) => Some(*value),
                    _ => None,
                })
            })+
        }
    };
}

first_of! {
    vector Vector Vec3;
    frame Frame Mat4;
    color Color [f32; 3];
}

impl Inst {
    /// Its memory in a list whose capacity doubles, and in the list of its parent, in bytes.
    pub(super) fn size(&self) -> u64 {
        let texts = (self.class.len() + self.name.len()) as u64;
        let props: u64 = self.props.0.iter().map(|(_, prop)| prop.size()).sum();
        2 * size_of::<Self>() as u64 + 96 + texts + props
    }

    /// Changes the indices of its parent, its children and the instances that it refers to.
    pub(super) fn renumber(&mut self, to: impl Fn(usize) -> usize) {
        self.parent = self.parent.map(&to);
        self.children.iter_mut().for_each(|child| *child = to(*child));
        for (_, prop) in &mut self.props.0 {
            if let Prop::Ref(Some(at)) = prop {
                *at = to(*at);
            }
        }
    }

    pub(super) fn number(&self, name: Property) -> Option<f32> {
        match self.props.get(name)? {
            Prop::Number(number) => Some(*number as f32),
            _ => None,
        }
    }

    pub(super) fn int(&self, name: Property) -> Option<u32> {
        match self.props.get(name)? {
            Prop::Number(number) if *number >= 0.0 => Some(*number as u32),
            _ => None,
        }
    }

    pub(super) fn bool(&self, name: Property) -> Option<bool> {
        match self.props.get(name)? {
            Prop::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn bytes(&self, names: &[Property]) -> Option<&[u8]> {
        for &name in names {
            if let Some(Prop::Bytes(bytes)) =
                self.props.get(name).filter(|prop| **prop != Prop::Bytes(Vec::new()))
            {
                return Some(bytes);
            }
        }
        None
    }

    pub(super) fn text(&self, names: &[Property]) -> Option<String> {
        self.bytes(names).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// A number, a text or a colour as JSON.
    pub(super) fn json(&self, name: Property) -> Option<serde_json::Value> {
        match self.props.get(name)? {
            Prop::Number(number) => Some((*number).into()),
            Prop::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into()),
            Prop::Color(color) => Some(color.to_vec().into()),
            _ => None,
        }
    }

    pub(super) fn instance(&self, name: Property) -> Option<usize> {
        match self.props.get(name)? {
            Prop::Ref(target) => *target,
            _ => None,
        }
    }
}

impl Tree {
    /// The path of an instance in the document, for reports; only the last names if the path is long.
    pub(super) fn path(&self, index: usize) -> String {
        const ENOUGH: usize = 500;
        let numbers = self.numbers.get_or_init(|| {
            let mut counts = HashMap::new();
            let named = self.instances.iter().map(|instance| (instance.parent, instance.name.as_str()));
            let number = |name| {
                let count = counts.entry(name).or_insert(0);
                std::mem::replace(count, *count + 1)
            };
            named.map(number).collect()
        });
        let (mut steps, mut length) = (Vec::new(), 0);
        let mut at = Some(index);
        while let Some((index, instance)) = at.and_then(|at| Some((at, self.instances.get(at)?))) {
            if length > ENOUGH {
                steps.push(("…".as_bytes(), 0));
                break;
            }
            length += instance.name.len() + 1;
            // An instance that was added after the first path has no number.
            steps.push((instance.name.as_bytes(), numbers.get(index).copied().unwrap_or_default()));
            at = instance.parent;
        }
        rbxcore::parts::path::format(steps.into_iter().rev()).to_string()
    }

    /// The part that an attachment is in, and the attachment's frame in the part.
    pub(super) fn attachment(&self, index: usize) -> Option<(usize, Mat4)> {
        let attachment = &self.instances[index];
        let part = attachment.parent.filter(|&part| is_part(&self.instances[part]))?;
        Some((part, attachment.frame(&[Property::CFrame]).unwrap_or_default()))
    }

    /// A node that shows an instance, without a transform and a mesh.
    pub(super) fn node(&self, index: usize) -> Node {
        let name = self.instances[index].name.clone();
        Node { name, source: u32::try_from(index).ok(), ..Node::default() }
    }

    pub(super) fn children(&self, index: usize) -> impl Iterator<Item = (usize, &Inst)> {
        self.instances[index].children.iter().map(|&child| (child, &self.instances[child]))
    }

    /// For each instance, the nearest instance of a list at or above it, if any.
    pub(super) fn below(&self, tops: &[usize]) -> Vec<Option<usize>> {
        let mut below = vec![None; self.instances.len()];
        tops.iter().for_each(|&top| below[top] = Some(top));
        // Parents are before their children.
        for (at, instance) in self.instances.iter().enumerate() {
            below[at] = below[at].or_else(|| below[instance.parent?]);
        }
        below
    }

    /// The ViewportFrame around an instance, which shows it on a 2D surface. None if the requested instance is inside.
    pub(super) fn frame_around(&self, index: usize) -> Option<usize> {
        let is_inside = |&at: &usize| self.start != Some(at);
        let mut above =
            std::iter::successors(Some(index), |&at| self.instances[at].parent).take_while(is_inside);
        above.find(|&at| self.instances[at].class == "ViewportFrame")
    }

    pub(super) fn descendants(&self, index: usize) -> Vec<usize> {
        self.descendants_if(index, |_| true)
    }

    /// The content of an animation or of a part of it. Nested animations are not included: they are animations of
    /// their own, and each instance belongs to only one, however deeply they are nested.
    pub(super) fn animated(&self, index: usize) -> Vec<usize> {
        self.descendants_if(index, |instance| !is_sequence(instance))
    }

    /// The content of a keyframe, without nested keyframes and animations.
    pub(super) fn keyed(&self, frame: usize) -> Vec<usize> {
        self.descendants_if(frame, |instance| !is_sequence(instance) && instance.class != "Keyframe")
    }

    /// The descendants that belong to a class of instances, and whose ancestors below `index` do.
    fn descendants_if(&self, index: usize, is_wanted: impl Fn(&Inst) -> bool) -> Vec<usize> {
        let wanted = |&&at: &&usize| is_wanted(&self.instances[at]);
        let mut all = Vec::new();
        let mut open: Vec<usize> =
            self.instances[index].children.iter().rev().filter(wanted).copied().collect();
        while let Some(at) = open.pop() {
            all.push(at);
            open.extend(self.instances[at].children.iter().rev().filter(wanted));
        }
        all
    }
}

/// Whether an instance is a part: it has a CFrame and a size, and its class is a part or unknown. Terrain has both, but
/// they do not place it.
pub(super) fn is_part(instance: &Inst) -> bool {
    instance.class != "Terrain"
        && instance.frame(&[Property::CFrame]).is_some()
        && instance.vector(&[Property::size]).is_some()
        && rbxcore::classes::class(&*instance.class).is_none_or(|class| class.is_a("BasePart"))
}

/// Whether a class is known to be a part that is drawn where its CFrame is.
pub(super) fn is_base_part(class: &str) -> bool {
    class != "Terrain" && rbxcore::classes::class(class).is_some_and(|class| class.is_a("BasePart"))
}

pub(super) fn is_sequence(instance: &Inst) -> bool {
    matches!(instance.class.as_str(), "KeyframeSequence" | "CurveAnimation")
}

pub(super) fn is_mesh(class: &str) -> bool {
    matches!(class, "SpecialMesh" | "FileMesh" | "BlockMesh" | "CylinderMesh")
}

pub(super) fn is_union(class: &str) -> bool {
    matches!(class, "UnionOperation" | "IntersectOperation" | "PartOperation" | "NegateOperation")
}

/// Whether a class is known to be a part.
pub(super) fn is_part_class(class: &str) -> bool {
    const PARTS: [&str; 11] = [
        "Part",
        "MeshPart",
        "WedgePart",
        "CornerWedgePart",
        "TrussPart",
        "Seat",
        "VehicleSeat",
        "SpawnLocation",
        "SkateboardPlatform",
        "Platform",
        "FlagStand",
    ];
    PARTS.contains(&class) || is_union(class)
}

pub(super) fn is_decal(class: &str) -> bool {
    matches!(class, "Decal" | "Texture")
}

/// The camera that the Workspace says is the current one.
pub(super) fn camera(tree: &Tree) -> Option<usize> {
    let mut roots = tree.roots.iter().map(|&root| &tree.instances[root]);
    let camera = roots.find(|root| root.class == "Workspace")?.instance(Property::CurrentCamera);
    camera.filter(|&camera| tree.instances[camera].class == "Camera")
}

/// The [`Scene::front`](crate::Scene::front) of a document. Models face -z. A place has no front: that of its camera is
/// used, turned by the 30 degrees by which pictures are taken beside the front.
pub(super) fn front(tree: &Tree) -> f32 {
    let of = |&index: &usize| &tree.instances[index];
    let shown = tree.shown();
    let workspace = shown.iter().map(of).find(|instance| instance.class == "Workspace");
    let below = workspace.map_or(&[][..], |workspace| &workspace.children);
    let current = camera(tree).map(|camera| &tree.instances[camera]);
    let camera = current.or_else(|| below.iter().map(of).find(|instance| instance.class == "Camera"));
    let back = camera.and_then(|camera| camera.frame(&[Property::CFrame])).map(|frame| frame.z_axis);
    match back {
        Some(back) if back.x.abs() + back.z.abs() > 0.01 => libm::atan2f(back.x, back.z).to_degrees() - 30.0,
        _ => 180.0,
    }
}
