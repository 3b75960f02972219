//! Adds lights and cameras, and lists visible instances without a counterpart in a scene.

use glam::{Mat4, Quat, Vec3};

use super::builder::{Builder, transform};
use super::look;
use super::shapes::Face;
use super::tree::{Inst, Property};
use crate::images::linear_from_srgb;
use crate::model::{CURRENT_CAMERA, Camera, Light, LightKind, Node};

/// The greatest number below a quarter turn, in radians; the number nearest to it is above.
const WIDEST: f32 = 1.570_796_2;

/// Whether an instance is visible in Roblox but has no counterpart in a scene.
fn is_lost(class: &str, instance: &Inst) -> bool {
    match class {
        "ParticleEmitter" | "Beam" | "Trail" | "Fire" | "Smoke" | "Sparkles" | "Explosion" => true,
        "SurfaceGui" | "BillboardGui" | "ForceField" | "Highlight" => true,
        "Shirt" | "Pants" | "ShirtGraphic" | "CharacterMesh" | "WrapLayer" => true,
        // Other constraints are visible only while editing.
        "RopeConstraint" | "RodConstraint" | "SpringConstraint" => {
            instance.bool(Property::Visible) == Some(true)
        }
        // Selection boxes, handles and adornments, unless they are switched off.
        _ => {
            rbxcore::classes::class(class).is_some_and(|class| class.is_a("GuiBase3d"))
                && instance.bool(Property::Visible) != Some(false)
        }
    }
}

/// Maximum number of attachments and bones around a light.
const NESTED: usize = 100;

fn is_attachment(instance: &Inst) -> bool {
    matches!(instance.class.as_str(), "Attachment" | "Bone")
}

impl Builder<'_> {
    /// Adds a light or a camera, or lists an instance without a counterpart. Returns whether the instance needs no
    /// group.
    pub(super) fn other(&mut self, index: usize, parent: Option<usize>) -> bool {
        let tree = self.tree;
        let instance = &tree.instances[index];
        match instance.class.as_str() {
            "PointLight" | "SpotLight" | "SurfaceLight" => {
                self.lights.push((index, parent));
                true
            }
            "Camera" => {
                if let Some(frame) = instance.frame(&[Property::CFrame]) {
                    let field = instance.number(Property::FieldOfView).unwrap_or(70.0).clamp(1.0, 120.0);
                    let camera = Camera { yfov: field.to_radians(), znear: 0.1, zfar: None, aspect: None };
                    let mut node =
                        Node { transform: transform(frame), camera: Some(camera), ..tree.node(index) };
                    if super::tree::camera(tree) == Some(index) {
                        node.extras.insert(CURRENT_CAMERA.into(), true.into());
                    }
                    self.scene.add_node(parent, node);
                }
                true
            }
            "Terrain" => {
                self.terrain(index, parent);
                true
            }
            "RopeConstraint" | "RodConstraint"
                if instance.bool(Property::Visible) == Some(true) && self.cord(index, parent) =>
            {
                true
            }
            "Model" if instance.frame(&[Property::CFrame]).is_some_and(|frame| frame != Mat4::IDENTITY) => {
                let what =
                    "the frame of a model, which only files before 2007 store: parts are placed by their own";
                self.approximate(index, "roblox.frame", what);
                false
            }
            class => {
                let is_lost = is_lost(class, instance);
                if is_lost {
                    // A rope or a rod without two ends.
                    let what = match class {
                        "RopeConstraint" | "RodConstraint" => {
                            format!("a {class} without two attachments in parts")
                        }
                        _ => format!("the class {class} is not supported"),
                    };
                    self.lose(index, "roblox.unsupported-class", what);
                }
                is_lost
            }
        }
    }

    /// Adds the lights, when the nodes of moving parts and of bones are known.
    pub(super) fn add_lights(&mut self) {
        for (index, parent) in std::mem::take(&mut self.lights) {
            self.light(index, parent);
        }
    }

    fn light(&mut self, index: usize, parent: Option<usize>) {
        let tree = self.tree;
        let instance = &tree.instances[index];
        let above = instance.parent.map(|parent| &tree.instances[parent]);
        if instance.bool(Property::Enabled) == Some(false) {
            return;
        }
        // The frame of an attachment or a bone is relative to the part or the bone that it is in.
        let (mut frame, mut at, mut depth) = (Mat4::IDENTITY, instance.parent, 0);
        let is_fixed = |at: &usize| is_attachment(&tree.instances[*at]) && !self.frames.contains_key(at);
        while let Some(inner) = at.filter(is_fixed).map(|at| &tree.instances[at]) {
            frame = inner.frame(&[Property::CFrame]).unwrap_or_default() * frame;
            (at, depth) = (inner.parent, depth + 1);
            if depth > NESTED {
                return self.lose(
                    index,
                    "roblox.nesting",
                    format!("a light in more than {NESTED} nested attachments or bones"),
                );
            }
        }
        let Some(at) = at else { return };
        let moving = self.frames.get(&at).copied();
        let Some(base) =
            moving.map_or(tree.instances[at].frame(&[Property::CFrame]), |_| Some(Mat4::IDENTITY))
        else {
            return;
        };
        let frame = base * frame;
        let face = Face(instance.int(Property::Face).unwrap_or(5));
        let (normal, ..) = face.axes();
        let angle = instance.number(Property::Angle).unwrap_or(90.0).clamp(0.0, 180.0).to_radians() / 2.0;
        let kind = match instance.class.as_str() {
            "PointLight" => LightKind::Point,
            _ => LightKind::Spot { inner: 0.0, outer: angle.clamp(1e-3, WIDEST) },
        };
        // A light of glTF shines along -z.
        let turn = Quat::from_rotation_arc(Vec3::NEG_Z, normal);
        let size = above.and_then(|above| above.vector(&[Property::size])).unwrap_or(Vec3::ZERO);
        let offset = if instance.class == "SurfaceLight" { normal * size * 0.5 } else { Vec3::ZERO };
        let color = look::bytes_of(instance.color(&[Property::Color]).unwrap_or([1.0; 3]));
        let light = Light {
            kind,
            color: color.map(linear_from_srgb),
            // Roblox's brightness has no unit; 1 becomes 100 candela.
            intensity: instance.number(Property::Brightness).unwrap_or(1.0).max(0.0) * 100.0,
            range: instance.number(Property::Range).filter(|&range| range > 0.0),
        };
        let mut place = transform(frame * Mat4::from_translation(offset));
        if kind != LightKind::Point {
            place.rotation = (Quat::from_array(place.rotation) * turn).normalize().into();
        }
        let node = Node { transform: place, light: Some(light), ..tree.node(index) };
        self.scene.add_node(moving.or(parent), node);
    }
}
