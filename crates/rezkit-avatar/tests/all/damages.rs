//! Each rule with an input that keeps it and one that breaks it: the items are made from the numbers of the page, and
//! a single damage of one is found by its rule and by no other.

use std::collections::BTreeSet;

use geom::{CFrame, Vec2, Vec3};
use rbxdocument::{NewInstance, Value};
use rezkit_avatar::{AVATAR_RULES, Verdict};

use crate::made::*;

pub(crate) type Case = (&'static str, fn() -> Made, fn(&mut Made));

const HANDLE: &str = "Item/Handle";

/// A rule, an item that keeps it, and a damage that breaks it.
const CASES: &[Case] = &[
    // Section 1.
    ("type", hat, |m| {
        m.set("Item", "AccessoryType", Value::Enum(0));
        m.remove("Item/Handle/HatAttachment");
    }),
    ("accessory-class", hat, |m| {
        m.document.insert(None, new("Hat", "Old")).expect("made for the test");
        let (handle, old) = (m.at(HANDLE), m.at("Old"));
        m.document.reparent(handle, old).expect("made for the test");
        m.remove("Item");
    }),
    ("one-root", hat, |m| {
        m.document.insert(None, new("Part", "Part")).expect("made for the test");
    }),
    ("handle", jacket, |m| m.set(HANDLE, "Name", "Grip")),
    ("handle", hat, |m| {
        let smooth = new("Part", "Handle")
            .property("TopSurface", Value::Enum(0))
            .property("BottomSurface", Value::Enum(0));
        m.add("Item", smooth.property("Color", grey_of()));
    }),
    ("children", hat, |m| m.add("Item", new("Configuration", "Settings"))),
    ("children", jacket, |m| m.add(HANDLE, new("Weld", "AccessoryWeld"))),
    ("children", head, |m| m.add("Head", new("Decal", "face"))),
    ("children", head, |m| m.set("Head/WrapTarget", "Name", "Cage")),
    ("forbidden-class", hat, |m| m.add(HANDLE, new("Script", "Glow"))),
    ("forbidden-class", body, |m| m.add("Body/LeftHand", new("ParticleEmitter", "Dust"))),
    ("forbidden-name", jacket, |m| m.set("Item/Handle/WrapLayer", "Name", "UpperTorso")),
    ("tags", hat, |m| {
        let id = m.at(HANDLE);
        rbxdocument::attributes::set_tags(&mut *m.document, id, ["blue"]).expect("made for the test");
    }),
    ("attributes", hat, |m| {
        let id = m.at("Item");
        rbxdocument::attributes::set_attribute(&mut *m.document, id, "Owner", Value::from("me"))
            .expect("made for the test");
    }),
    ("attributes", jacket, |m| {
        let id = m.at("Item");
        rbxdocument::attributes::set_attribute(&mut *m.document, id, "RBXGUID", Value::from("x".repeat(101)))
            .expect("made for the test");
    }),
    ("content", jacket, |m| m.set("Item/Handle/WrapLayer", "ReferenceMeshId", "")),
    ("content", old_hat, |m| m.set("Item/Handle/Mesh", "TextureId", "")),
    ("attachment", hat, |m| m.set("Item/Handle/HatAttachment", "Name", "NeckAttachment")),
    ("attachment", hat, |m| m.add(HANDLE, new("Attachment", "HairAttachment"))),
    ("wrap-layer", hat, |m| {
        let layer = new("WrapLayer", "WrapLayer").property("CageMeshId", "rbxassetid://8");
        m.add(HANDLE, layer.property("ReferenceMeshId", "rbxassetid://9").property("Enabled", true));
    }),
    ("content", hat, |m| m.set(HANDLE, "MeshId", "rbxassetid://abc")),
    ("content", head, |m| m.set("Head/WrapTarget", "CageMeshId", "hello")),
    ("children", hat, |m| {
        for _ in 0..2 {
            m.add(HANDLE, new("StringValue", "AvatarPartScaleType").property("Value", "Classic"));
        }
    }),
    ("children", head, |m| m.set("Head/FaceControls", "Name", "Face")),
    ("children", body, |m| m.add("Body/LeftHand/WrapTarget", new("Folder", "More"))),
    ("children", body, |m| {
        m.add("Body/LeftHand", new("StringValue", "AvatarPartScaleType").property("Value", "Classic"))
    }),
    ("folders", arm, |m| m.remove("LeftArm/R15Fixed")),
    ("parts", arm, |m| m.remove("LeftArm/R15ArtistIntent/LeftHand")),
    // Section 2.
    ("archivable", hat, |m| m.set("Item", "Archivable", false)),
    ("attachment-visible", hat, |m| m.set("Item/Handle/HatAttachment", "Visible", true)),
    ("anchored", body, |m| m.set("Body/Head", "Anchored", true)),
    ("collision-group", hat, |m| m.set(HANDLE, "CollisionGroupId", 3)),
    ("physical-properties", jacket, |m| {
        let custom = rbxdocument::types::CustomPhysicalProperties {
            density: 1.0,
            friction: 0.3,
            elasticity: 0.5,
            friction_weight: 1.0,
            elasticity_weight: 1.0,
            acoustic_absorption: None,
        };
        let custom = rbxdocument::types::PhysicalProperties::Custom(custom);
        m.set(HANDLE, "CustomPhysicalProperties", Value::PhysicalProperties(Box::new(custom)));
    }),
    ("massless", hat, |m| m.set(HANDLE, "Massless", true)),
    ("reflectance", body, |m| m.set("Body/LeftFoot", "Reflectance", 0.1_f32)),
    ("root-priority", hat, |m| m.set(HANDLE, "RootPriority", 1)),
    ("velocity", hat, |m| m.set(HANDLE, "Velocity", Vec3::new(0.0, 1.0, 0.0))),
    ("transparency", body, |m| m.set("Body/RightHand", "Transparency", 0.01_f32)),
    ("material", jacket, |m| m.set(HANDLE, "Material", Value::Enum(512))),
    ("surfaces", old_hat, |m| m.set(HANDLE, "TopSurface", Value::Enum(3))),
    ("color", hat, |m| {
        m.set(HANDLE, "Color", Value::Color3uint8(rbxdocument::types::Color3uint8 { r: 163, g: 162, b: 164 }))
    }),
    ("shape", old_hat, |m| m.set(HANDLE, "Shape", Value::Enum(0))),
    ("collision-fidelity", body, |m| m.set("Body/UpperTorso", "CollisionFidelity", Value::Enum(2))),
    ("alpha-mode", shiny, |m| m.set("Item/Handle/SurfaceAppearance", "AlphaMode", Value::Enum(1))),
    ("texture", hat, |m| m.set(HANDLE, "TextureID", "")),
    ("texture", body, |m| m.add("Body/Head", new("SurfaceAppearance", "SurfaceAppearance"))),
    ("special-mesh", old_hat, |m| m.set("Item/Handle/Mesh", "Offset", Vec3::new(0.0, 0.1, 0.0))),
    ("wrap-enabled", jacket, |m| m.set("Item/Handle/WrapLayer", "Enabled", false)),
    ("wrap-origin", jacket, |m| {
        // The cage stays where it was.
        m.set("Item/Handle/WrapLayer", "CageOrigin", CFrame::new(0.0, 10.5, 0.0));
        m.remesh(3, |mesh| mesh.positions.iter_mut().for_each(|point| point.y -= 10.5));
    }),
    ("wrap-origin", eyebrows, |m| m.set("Item/Handle/WrapLayer", "ImportOrigin", CFrame::new(0.0, 8.5, 0.0))),
    ("wrap-origin", jacket, |m| {
        m.set("Item/Handle/WrapLayer", "ReferenceOrigin", CFrame::from_euler_angles_xyz(0.1, 0.0, 0.0))
    }),
    ("bind-offset", jacket, |m| m.set("Item/Handle/WrapLayer", "BindOffset", CFrame::new(0.0, 0.1, 0.0))),
    ("scale-type", body, |m| m.set("Body/LeftHand/AvatarPartScaleType", "Value", "ProportionsNormal")),
    ("scale-type", head, |m| m.remove("Head/AvatarPartScaleType")),
    ("finite", hat, |m| m.set("Item/Handle", "PivotOffset", CFrame::new(0.0, f32::NAN, 0.0))),
    ("finite", hat, |m| m.remesh(1, |mesh| mesh.positions[3].y = f32::NAN)),
    ("finite", hat, |m| m.remesh(1, |mesh| mesh.uvs[3].x = f32::NAN)),
    ("finite", jacket, |m| m.remesh(3, |mesh| mesh.positions[3].y = f32::INFINITY)),
    ("finite", hat, |m| m.set("Item/Handle/HatAttachment", "CFrame", CFrame::new(0.0, f32::NAN, 0.0))),
    ("data-length", head, |m| {
        let bytes = vec![0; 200_001];
        m.set("Head/WrapTarget", "HSRData", Value::SharedString(bytes.into()));
    }),
    ("mass", jacket, |m| m.set(HANDLE, "Size", Vec3::new(6.8, 6.8, 6.8))),
    ("hidden-surfaces", with_hidden, |m| m.files.extend([(5, b"<roblox version=\"4\"></roblox>".to_vec())])),
    // Section 3.
    ("box", hat, |m| m.set("Item/Handle/HatAttachment", "CFrame", CFrame::new(0.0, -1.1, 0.0))),
    ("box", eyebrows, |m| m.set("Item/Handle/FaceFrontAttachment", "CFrame", CFrame::new(0.3, 0.0, 0.0))),
    ("triangles", hat, |m| m.files.extend([(1, plain(&sphere(4001)))])),
    ("triangles", body, |m| m.files.extend([(40, plain(&round_arm(1250)))])),
    ("vertex-colors", hat, |m| {
        m.remesh(1, |mesh| {
            mesh.colors = vec![geom::Rgba8::WHITE.to_linear(); mesh.positions.len()];
            mesh.colors[3] = red();
        })
    }),
    ("vertex-colors", body, |m| m.remesh(20, |mesh| mesh.colors = half(mesh.positions.len()))),
    ("texture-size", hat, |m| m.files.extend([(2, image(1025))])),
    ("centered", jacket, |m| m.remesh(1, |mesh| mesh.positions.iter_mut().for_each(|p| p.x += 0.5))),
    ("area", jacket, |m| {
        m.remesh(1, |mesh| {
            // Many times the same surface, each time a little larger.
            let (positions, triangles) = (mesh.positions.clone(), mesh.triangles.clone());
            for copy in 1..19_u32 {
                let scale = 1.0 - copy as f32 * 0.005;
                mesh.triangles.extend(triangles.iter().map(|t| t.map(|index| index + copy * 8)));
                mesh.positions.extend(positions.iter().map(|p| *p * scale));
                mesh.uvs.extend_from_within(..8);
                mesh.joints.extend_from_within(..8);
                mesh.weights.extend_from_within(..8);
            }
        })
    }),
    ("coplanar", jacket, |m| m.remesh(1, |mesh| mesh.triangles.extend_from_within(..8))),
    ("zero-area", hat, |m| m.remesh(1, |mesh| mesh.triangles.push([0, 0, 1]))),
    ("mesh-file", hat, |m| m.files.extend([(1, b"version 2.00\nnothing".to_vec())])),
    ("rigid-skin", hat, |m| m.files.extend([(1, skinned(&block(Vec3::new(2.0, 2.0, 2.0)), "Head"))])),
    ("layered-skin", jacket, |m| m.files.extend([(1, skinned(&block(Vec3::new(3.0, 2.0, 1.5)), "Tail"))])),
    ("layered-skin", jacket, |m| m.files.extend([(1, plain(&block(Vec3::new(3.0, 2.0, 1.5))))])),
    ("layered-skin", eyebrows, |m| m.reweigh(1, 127)),
    ("auto-skin", eyebrows, |m| m.set("Item/Handle/WrapLayer", "AutoSkin", Value::Enum(1))),
    ("auto-skin", eyebrows, |m| m.set("Item/Handle/WrapLayer", "AutoSkin", Value::Enum(0))),
    ("render-uv", jacket, |m| m.remesh(1, |mesh| mesh.uvs[2] = Vec2::new(1.5, 0.5))),
    // Section 4.
    ("asset-size", arm, |m| m.set("LeftArm/R15ArtistIntent/LeftHand", "Size", Vec3::new(0.9, 0.3, 2.1))),
    ("body-size", body, |m| {
        // One arm is before the body, the other behind it.
        for (side, sign) in [("Left", -1.0), ("Right", 1.0)] {
            m.set(
                &format!("Body/UpperTorso/{side}ShoulderRigAttachment"),
                "CFrame",
                CFrame::new(sign, 0.56, sign * 0.2),
            );
            let arm = format!("Body/{side}UpperArm/{side}ShoulderRigAttachment");
            m.set(&arm, "CFrame", CFrame::new(sign * -0.45, 0.42, sign * -0.7));
        }
    }),
    ("body-attachments", body, |m| m.remove("Body/Head/HairAttachment")),
    ("body-attachments", body, |m| m.add("Body/LeftHand", new("Attachment", "HatAttachment"))),
    ("attachment-box", body, |m| m.set("Body/Head/HatAttachment", "CFrame", CFrame::new(0.0, -0.1, 0.0))),
    ("attachment-box", head, |m| m.set("Head/FaceFrontAttachment", "CFrame", CFrame::new(0.0, 0.0, 0.6))),
    // The box begins 0.09 below the middle.
    ("attachment-box", body, |m| {
        m.set("Body/Head/NeckRigAttachment", "CFrame", CFrame::new(0.0, -0.0893 * 0.6, 0.0))
    }),
    ("attachment-turned", body, |m| {
        let turned = CFrame::from_euler_angles_xyz(0.0, 0.02_f32.to_radians(), 0.0);
        m.set("Body/Head/NeckRigAttachment", "CFrame", turned.with_position(Vec3::new(0.0, -0.48, 0.0)));
    }),
    ("attachment-turned", head, |m| {
        let turned = CFrame::from_euler_angles_xyz(0.0, 0.01, 0.0).with_position(Vec3::new(0.0, -0.48, 0.0));
        m.set("Head/NeckRigAttachment", "CFrame", turned);
    }),
    ("pose", arm, |m| {
        let mut joint = |part: &str, joint: &str, y: f32, z: f32| {
            let path = format!("LeftArm/R15ArtistIntent/Left{part}/Left{joint}RigAttachment");
            m.set(&path, "CFrame", CFrame::new(0.0, y, z));
        };
        // 1.9 studs backwards and 1.48 down: 52 degrees from the frontal plane.
        joint("UpperArm", "Shoulder", 0.42, -0.5);
        joint("UpperArm", "Elbow", -0.36, 0.5);
        joint("LowerArm", "Elbow", 0.25, -0.5);
        joint("LowerArm", "Wrist", -0.45, 0.4);
        joint("Hand", "Wrist", 0.12, 0.5);
    }),
    ("part-order", arm, |m| {
        // The hand begins 1.0 above the wrist, the lower arm 0.95.
        m.set("LeftArm/R15ArtistIntent/LeftHand", "Size", Vec3::new(0.9, 2.2, 0.9));
        let wrist = "LeftArm/R15ArtistIntent/LeftHand/LeftWristRigAttachment";
        m.set(wrist, "CFrame", CFrame::new(0.0, 0.1, 0.0));
    }),
    ("legs-overlap", body, |m| {
        for (side, sign) in [("Left", -1.0), ("Right", 1.0)] {
            m.set(
                &format!("Body/LowerTorso/{side}HipRigAttachment"),
                "CFrame",
                CFrame::new(sign * 0.3, -0.2, 0.0),
            );
        }
    }),
    ("hip-distance", body, |m| {
        m.set("Body/RightUpperLeg/RightHipRigAttachment", "CFrame", CFrame::new(0.23, 0.42, 0.0));
    }),
    ("grip-turned", body, |m| m.set("Body/LeftHand/LeftGripAttachment", "CFrame", CFrame::IDENTITY)),
    ("opacity", head, |m| {
        m.files.extend([(10, sticks())]);
        // The cage follows the triangle.
        m.remesh(11, |mesh| {
            let last = mesh.positions.len() as f32 - 1.0;
            let along = |at: usize| Vec3::new(1.0, 1.0, 1.0) * (at as f32 / last * 1.2 - 0.6);
            mesh.positions.iter_mut().enumerate().for_each(|(at, point)| *point = along(at));
        });
    }),
    // Section 5.
    ("cage-file", jacket, |m| m.files.extend([(3, b"no mesh".to_vec())])),
    ("cage-uv-count", body, |m| {
        m.remesh(21, |mesh| {
            mesh.uvs[5] = Vec2::new(9.0, 9.0);
            mesh.positions.push(Vec3::new(0.0, 0.0, 0.05));
            mesh.uvs.push(Vec2::new(8.0, 2.0));
            let last = mesh.positions.len() as u32 - 1;
            mesh.triangles.push([0, 1, last]);
        })
    }),
    ("cage-uvs", body, |m| {
        // The cage of the left hand is that of the right one.
        m.remesh(61, |mesh| mesh.uvs.iter_mut().for_each(|uv| uv.x -= 6.0))
    }),
    ("cage-uvs", jacket, |m| {
        for (file, scale) in [(3, 1.1), (4, 0.9)] {
            m.files.insert(file, plain(&ring(101, Vec3::new(3.0, 2.0, 1.5) * scale, [9.0, 9.0])));
        }
    }),
    ("cage-shoe", shoe, |m| unmove(m, 38)),
    ("cage-shoe", shoe, |m| beside(m, 13)),
    ("cage-shoe", shoe, |m| {
        // Most of the shoe is beside the part of the cage that it moves.
        m.remesh(1, |mesh| mesh.positions.iter_mut().filter(|p| p.y > 0.0).for_each(|p| p.y += 0.4));
        m.remesh(1, |mesh| mesh.positions.iter_mut().for_each(|p| p.y -= 0.2));
        m.set(HANDLE, "Size", Vec3::new(1.0, 1.0, 1.4));
        m.set("Item/Handle/WrapLayer", "CageMeshId", "rbxassetid://6");
        let flat = |scale: f32| plain(&ring(86, Vec3::new(1.0, 0.4, 1.4) * scale, tile("LeftFoot")));
        m.files.extend([(6, flat(1.1)), (4, flat(0.9))]);
    }),
    ("cage-uv-area", head, |m| m.remesh(11, |mesh| mesh.triangles.push([4, 4, 9]))),
    ("cage-distance", head, |m| m.remesh(11, |mesh| mesh.positions[7] = Vec3::new(0.0, 1.7, 0.0))),
    ("cage-far", head, |m| m.remesh(11, |mesh| mesh.positions[7] = Vec3::new(0.0, 1.3, 0.0))),
    // All of the outer cage is about 3 studs away; then one corner is 0.7.
    ("cage-distance", jacket, |m| {
        m.remesh(3, |mesh| mesh.positions.iter_mut().for_each(|point| *point = *point * 3.5))
    }),
    ("cage-far", jacket, |m| m.remesh(3, |mesh| mesh.positions[7] = Vec3::new(1.5, 1.0, 1.5))),
    ("cage-inside", jacket, |m| {
        // Both cages are exchanged.
        let (outer, inner) = (m.files[&3].clone(), m.files[&4].clone());
        m.files.extend([(3, inner), (4, outer)]);
    }),
    ("cage-inside", head, |m| {
        m.remesh(11, |mesh| mesh.positions.iter_mut().for_each(|point| *point = *point * 0.5))
    }),
    ("cage-pair", jacket, |m| m.remesh(4, |mesh| mesh.uvs[1] = Vec2::new(0.7, 0.9))),
    ("cage-manifold", jacket, |m| m.remesh(3, |mesh| mesh.triangles.truncate(11))),
    // Section 6.
    ("head-controls", head, |m| m.files.extend([(10, face(&CONTROLS[1..], 0.1))])),
    ("head-scale", body, |m| m.files.extend([(10, face(&CONTROLS, 0.5))])),
    ("face-controls", head, |m| m.remove("Head/FaceControls")),
    // Section 7.
    ("bones-described", with_bone, |m| m.remove("Body/UpperTorso/Rig")),
    ("bone-names", with_bone, |m| m.set("Body/UpperTorso/Spine", "Name", "Tail")),
    ("bone-distance", with_bone, |m| {
        m.set("Body/UpperTorso/Spine/Chest", "CFrame", CFrame::new(0.0, 0.02, 0.0))
    }),
    ("bone-box", with_bone, |m| m.set("Body/UpperTorso/Spine", "CFrame", CFrame::new(0.0, 0.9, 0.0))),
    ("bone-transform", with_bone, |m| {
        m.set("Body/UpperTorso/Spine", "Transform", CFrame::new(0.0, 0.02, 0.0))
    }),
    ("body-skin", body, |m| m.files.extend([(20, skinned(&block(Vec3::new(2.0, 1.6, 1.0)), "Wing"))])),
    ("rig-missing", rigged, |m| m.remove("Body/LeftFoot/LeftAnkle")),
    ("rig-doubled", rigged, |m| {
        let (zero, one) = (m.at("Body/UpperTorso"), m.at("Body/Head"));
        m.add("Body/UpperTorso", new("Motor6D", "Neck"));
        m.set("Body/UpperTorso/Neck", "Part0", Value::Ref(Some(zero)));
        m.set("Body/UpperTorso/Neck", "Part1", Value::Ref(Some(one)));
    }),
    ("rig-name", rigged, |m| m.set("Body/Head/Neck", "Name", "HeadJoint")),
    ("rig-place", rigged, |m| {
        let waist = m.at("Body/LowerTorso");
        m.set("Body/Head/Neck", "Part0", Value::Ref(Some(waist)));
    }),
    ("rig-place", rigged, |m| m.set("Body/Head/Neck", "C1", CFrame::new(0.0, 1.0, 0.0))),
    ("rig-weights", jacket, |m| m.reweigh(1, 0)),
    // Section 8.
    ("emote-tree", emote, |m| m.set("Emote/HumanoidRootPart/LowerTorso", "Name", "LeftHand")),
    ("emote-tree", emote, |m| m.set("Emote/HumanoidRootPart/LowerTorso/Rotation/X", "Name", "W")),
    ("emote-data", emote, |m| m.add("Emote/Rig", new("Folder", "More"))),
    ("emote-tags", emote, |m| {
        let id = m.at("Emote");
        rbxdocument::attributes::set_tags(&mut *m.document, id, ["wave"]).expect("made for the test");
    }),
];

/// White, half transparent.
pub(crate) fn half(count: usize) -> Vec<geom::LinearRgba> {
    vec![geom::Rgba8 { a: 128, ..geom::Rgba8::WHITE }.to_linear(); count]
}

fn grey_of() -> Value {
    Value::Color3uint8(rbxdocument::types::Color3uint8 { r: 163, g: 162, b: 165 })
}

/// Whether a point of a shoe's cage, by its texture coordinates, is one of so many in all of its ring.
fn is_among(uv: Vec2, count: usize) -> bool {
    let number = ((uv.x - tile("LeftFoot")[0] - 0.1) / 0.8 * 86.0).round() as usize;
    number < 84 && number * 37 % 84 < count
}

/// Leaves so many points of a shoe's outer cage where they are, of them those above and below, and puts the others where
/// those of its inner cage are.
pub(crate) fn unmove(m: &mut Made, moved: usize) {
    let inner = rbxmesh::from_slice(&m.files[&4]).expect("made for the test");
    m.remesh(3, |mesh| {
        for (point, uv) in mesh.positions.iter_mut().zip(&mesh.uvs) {
            let same = inner.vertices.iter().find(|vertex| vertex.uv == *uv).expect("made for the test");
            if point.y == 0.0 && !is_among(*uv, moved - 2) {
                *point = same.position;
            }
        }
    });
}

/// Gives so many points of a shoe's cages the texture coordinates of the other foot.
pub(crate) fn beside(m: &mut Made, count: usize) {
    for cage in [3, 4] {
        m.remesh(cage, |mesh| {
            mesh.uvs.iter_mut().filter(|uv| is_among(**uv, count)).for_each(|uv| uv.x -= 2.0);
        });
    }
}

/// A hat with a SurfaceAppearance instead of a texture.
pub(crate) fn shiny() -> Made {
    let mut made = hat();
    made.set(HANDLE, "TextureID", "");
    made.add(HANDLE, new("SurfaceAppearance", "SurfaceAppearance").property("AlphaMode", Value::Enum(0)));
    made
}

/// A body whose torso has a described bone.
pub(crate) fn with_bone() -> Made {
    let mut made = body();
    let rig = NewInstance::new("HumanoidRigDescription").property("Name", "Rig");
    let rig = rig.reference("Spine", "spine").reference("Chest", "chest");
    let chest = new("Bone", "Chest").property("CFrame", CFrame::new(0.0, 0.2, 0.0)).label("chest");
    let bone =
        new("Bone", "Spine").property("CFrame", CFrame::new(0.0, 0.3, 0.0)).label("spine").child(chest);
    // Both are inserted at once, since the reference is resolved within what is inserted.
    made.add("Body/UpperTorso", bone.child(rig));
    let (rig, torso) = (made.at("Body/UpperTorso/Spine/Rig"), made.at("Body/UpperTorso"));
    made.document.reparent(rig, torso).expect("made for the test");
    made
}

/// A jacket whose WrapLayer refers to computed hidden surfaces.
fn with_hidden() -> Made {
    let mut made = jacket();
    made.set("Item/Handle/WrapLayer", "HSRAssetId", "rbxassetid://5");
    let asset = br#"<roblox version="4"><Item class="HiddenSurfaceRemovalAsset" referent="1"><Properties>
        <string name="Name">HSR</string></Properties></Item></roblox>"#;
    made.files.insert(5, asset.to_vec());
    made
}

/// A sphere of at least this many triangles in a box of two studs.
pub(crate) fn sphere(triangles: usize) -> geom::TriMesh {
    let (rows, columns) = (32, triangles / 64 + 1);
    let mut mesh = geom::TriMesh::default();
    for row in 0..=rows {
        for column in 0..=columns {
            let (u, v) = (column as f32 / columns as f32, row as f32 / rows as f32);
            let (around, down) = (u * std::f32::consts::TAU, v * 3.0 + 0.07);
            let point = [down.sin() * around.cos(), down.cos(), down.sin() * around.sin()];
            mesh.positions.push(point.into());
            mesh.uvs.push(Vec2::new(u, v));
        }
    }
    let at = |row: usize, column: usize| (row * (columns + 1) + column) as u32;
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        mesh.triangles.push([at(row, column), at(row, column + 1), at(row + 1, column)]);
        mesh.triangles.push([at(row, column + 1), at(row + 1, column + 1), at(row + 1, column)]);
    }
    // Its box is centred.
    let middle = mesh.bounds().expect("made for the test").center();
    mesh.positions.iter_mut().for_each(|point| *point = *point - middle);
    mesh
}

/// Such a sphere in the box of an upper arm.
pub(crate) fn round_arm(triangles: usize) -> geom::TriMesh {
    let mut mesh = sphere(triangles);
    let size = mesh.bounds().expect("made for the test").size();
    let scale = Vec3::new(0.9 / size.x, 1.2 / size.y, 0.9 / size.z);
    let scaled = |p: &Vec3| Vec3::new(p.x * scale.x, p.y * scale.y, p.z * scale.z);
    mesh.positions = mesh.positions.iter().map(scaled).collect();
    mesh
}

/// A head of a large box that is almost empty: a thin triangle from corner to corner, with the joints and poses of a face.
fn sticks() -> Vec<u8> {
    let mut file = rbxmesh::from_slice(&face(&CONTROLS, 0.1)).expect("made for the test");
    // From the lower left front corner to the upper right back corner.
    file.vertices[1].position = Vec3::new(0.6, 0.6, 0.6);
    file.vertices[2].position = Vec3::new(0.6, 0.58, 0.6);
    file.faces = vec![[0, 1, 2]];
    file.lods = rbxmesh::Lods::default();
    file.subsets.iter_mut().for_each(|subset| subset.faces_len = 1);
    rbxmesh::to_vec(&file).expect("made for the test")
}

pub(crate) fn failed(made: &Made) -> BTreeSet<String> {
    let report = made.report();
    let rows = report.items.iter().flat_map(|item| item.failures());
    rows.map(|row| row.rule.trim_start_matches("roblox-avatar.").to_owned()).collect()
}

fn passed(made: &Made, rule: &str) -> bool {
    let report = made.report();
    let id = format!("roblox-avatar.{rule}");
    report
        .items
        .iter()
        .flat_map(|item| &item.rows)
        .any(|row| row.rule == id && row.verdict == Verdict::Passed)
}

#[test]
fn items_made_from_the_numbers_of_the_page_pass() {
    for (name, item) in [
        ("hat", hat as fn() -> Made),
        ("old hat", old_hat),
        ("jacket", jacket),
        ("eyebrows", eyebrows),
        ("shoe", shoe),
        ("head", head),
        ("arm", arm),
        ("body", body),
        ("bones", with_bone),
        ("rig", rigged),
        ("hidden surfaces", with_hidden),
        ("emote", emote),
    ] {
        let report = item().report();
        let [item] = &report.items[..] else { panic!("{name}: {} items", report.items.len()) };
        let failed: Vec<_> = item.failures().collect();
        assert!(failed.is_empty() && item.is_accepted(), "{name}: {failed:#?}");
        assert!(item.rows.iter().all(|row| row.verdict == Verdict::Passed), "{name}: {:#?}", item.rows);
    }
}

#[test]
fn each_damage_is_found_by_its_rule_and_by_no_other() {
    let mut wrong = Vec::new();
    for (at, (rule, item, damage)) in CASES.iter().enumerate() {
        let mut made = item();
        if !passed(&made, rule) && !["cage-file"].contains(rule) {
            wrong.push(format!("{at} {rule}: the item does not show that it keeps the rule"));
        }
        damage(&mut made);
        let found = failed(&made);
        if found != BTreeSet::from([(*rule).to_owned()]) {
            wrong.push(format!("{at} {rule}: found by {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every rule has a case here, or one of an exchange file.
#[test]
fn every_rule_has_a_case() {
    let of_scenes = ["none", "rig-scale"];
    for rule in AVATAR_RULES {
        let id = rule.rule.id.trim_start_matches("roblox-avatar.");
        let has = CASES.iter().any(|(case, ..)| *case == id) || of_scenes.contains(&id);
        assert!(has, "{id} has no case");
    }
}
