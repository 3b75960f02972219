//! The last number that keeps a rule, and the first that breaks it.

use std::collections::BTreeSet;

use geom::{CFrame, Vec3};
use rbxdocument::Value;

use crate::damages::{beside, failed, round_arm, shiny, sphere, unmove, with_bone};
use crate::made::*;

/// A rule, an item, how a number is set, the last one that keeps the rule, and the first one that breaks it.
type Limit = (&'static str, fn() -> Made, fn(&mut Made, f32), f32, f32);

const ARM: &str = "LeftArm/R15ArtistIntent";

fn bytes(count: f32) -> Vec<u8> {
    vec![b'1'; count as usize]
}

fn cut(mut mesh: geom::TriMesh, triangles: f32) -> Vec<u8> {
    // Those at the ends and around the middle are as far out as the mesh.
    let from = mesh.triangles.len() / 8;
    mesh.triangles.drain(from..from + mesh.triangles.len() - triangles as usize);
    plain(&mesh)
}

/// In the order of the page.
const LIMITS: &[Limit] = &[
    (
        "attributes",
        jacket,
        |m, n| {
            let (id, guid) = (m.at("Item"), String::from_utf8(bytes(n)).expect("made for the test"));
            rbxdocument::attributes::set_attribute(&mut *m.document, id, "RBXGUID", Value::from(guid))
                .expect("made for the test");
        },
        100.0,
        101.0,
    ),
    ("transparency", hat, |m, n| m.set("Item/Handle", "Transparency", n), 0.0, 0.001),
    (
        "wrap-origin",
        jacket,
        |m, n| {
            // The cage stays where it was.
            m.set("Item/Handle/WrapLayer", "CageOrigin", CFrame::new(0.0, n, 0.0));
            m.remesh(3, |mesh| mesh.positions.iter_mut().for_each(|point| point.y -= n));
        },
        10.0,
        10.01,
    ),
    (
        "wrap-origin",
        head,
        |m, n| m.set("Head/WrapTarget", "ImportOrigin", CFrame::new(0.0, n, 0.0)),
        8.0,
        8.01,
    ),
    (
        "data-length",
        head,
        |m, n| m.set("Head/WrapTarget", "HSRData", Value::SharedString(bytes(n).into())),
        200_000.0,
        200_001.0,
    ),
    ("mass", jacket, |m, n| m.set("Item/Handle", "Size", Vec3::new(n, 5.0, 5.0)), 5.71, 5.72),
    ("box", hat, |m, n| m.set("Item/Handle/HatAttachment", "CFrame", CFrame::new(0.0, n, 0.0)), -1.0, -1.001),
    ("triangles", hat, |m, n| m.files.extend([(1, cut(sphere(4200), n))]), 4000.0, 4001.0),
    // An arm has 1,248 and a tolerance of 10; its other parts have 24.
    ("triangles", body, |m, n| m.files.extend([(40, cut(round_arm(1500), n - 24.0))]), 1258.0, 1259.0),
    ("texture-size", hat, |m, n| m.files.extend([(2, image(n as u32))]), 1024.0, 1025.0),
    (
        "texture-size",
        shiny,
        |m, n| {
            m.set("Item/Handle/SurfaceAppearance", "ColorMap", "rbxassetid://2");
            m.files.extend([(2, image(n as u32))]);
        },
        2048.0,
        2049.0,
    ),
    (
        "centered",
        jacket,
        |m, n| m.remesh(1, |mesh| mesh.positions.iter_mut().for_each(|p| p.x += n)),
        0.0009,
        0.0011,
    ),
    (
        "area",
        jacket,
        |m, n| {
            m.remesh(1, |mesh| {
                // Shells of 27 square studs, each smaller by 0.5 % of the first.
                let (positions, triangles) = (mesh.positions.clone(), mesh.triangles.clone());
                for copy in 1..n as u32 {
                    let scale = 1.0 - copy as f32 * 0.005;
                    mesh.triangles.extend(triangles.iter().map(|t| t.map(|index| index + copy * 8)));
                    mesh.positions.extend(positions.iter().map(|p| *p * scale));
                    mesh.uvs.extend_from_within(..8);
                    mesh.joints.extend_from_within(..8);
                    mesh.weights.extend_from_within(..8);
                }
            })
        },
        15.0,
        16.0,
    ),
    // Of 12 triangles, these are there twice: 10 of 17, and 12 of 18.
    (
        "coplanar",
        jacket,
        |m, n| m.remesh(1, |mesh| mesh.triangles.extend_from_within(..n as usize)),
        5.0,
        6.0,
    ),
    ("asset-size", arm, |m, n| m.set(&format!("{ARM}/LeftHand"), "Size", Vec3::new(0.9, 0.3, n)), 2.0, 2.01),
    (
        "body-size",
        body,
        |m, n| {
            // One arm, 0.9 deep, is this far before the body, the other behind it.
            for (side, sign) in [("Left", -1.0), ("Right", 1.0)] {
                let arm = format!("Body/{side}UpperArm/{side}ShoulderRigAttachment");
                m.set(&arm, "CFrame", CFrame::new(sign * -0.45, 0.42, sign * -n));
            }
        },
        0.65,
        0.652,
    ),
    (
        "attachment-box",
        body,
        |m, n| m.set("Body/Head/NeckRigAttachment", "CFrame", CFrame::new(0.0, n * 0.6, 0.0)),
        -0.0901,
        -0.0895,
    ),
    (
        "attachment-turned",
        body,
        |m, n| {
            let turned = CFrame::from_euler_angles_xyz(0.0, n.to_radians(), 0.0);
            m.set("Body/Head/NeckRigAttachment", "CFrame", turned.with_position(Vec3::new(0.0, -0.48, 0.0)));
        },
        0.0099,
        0.0105,
    ),
    (
        "grip-turned",
        arm,
        |m, n| {
            let turned = CFrame::from_euler_angles_xyz((n - 90.0).to_radians(), 0.0, 0.0);
            m.set(&format!("{ARM}/LeftHand/LeftGripAttachment"), "CFrame", turned);
        },
        29.9,
        30.1,
    ),
    // From the shoulder to the wrist, the arm goes 1.48 down.
    (
        "pose",
        arm,
        |m, n| {
            let shoulder = CFrame::new(-1.48 / n.to_radians().tan(), 0.42, 0.0);
            m.set(&format!("{ARM}/LeftUpperArm/LeftShoulderRigAttachment"), "CFrame", shoulder);
        },
        -99.5,
        -100.5,
    ),
    (
        "pose",
        arm,
        |m, n| {
            // Half of the way backwards is at the shoulder, the other half at the wrist.
            let half = 1.547 * n.to_radians().tan() / 2.0;
            let (shoulder, wrist) = (CFrame::new(0.45, 0.42, -half), CFrame::new(0.0, -0.45, half));
            m.set(&format!("{ARM}/LeftUpperArm/LeftShoulderRigAttachment"), "CFrame", shoulder);
            m.set(&format!("{ARM}/LeftLowerArm/LeftWristRigAttachment"), "CFrame", wrist);
        },
        34.9,
        35.1,
    ),
    // The upper leg is 0.9 wide.
    (
        "hip-distance",
        body,
        |m, n| {
            m.set("Body/RightUpperLeg/RightHipRigAttachment", "CFrame", CFrame::new(n, 0.42, 0.0));
        },
        0.2249,
        0.2252,
    ),
    // The legs are 0.9 wide, and may overlap by 0.225.
    (
        "legs-overlap",
        body,
        |m, n| {
            for (side, sign) in [("Left", -1.0), ("Right", 1.0)] {
                let hip = format!("Body/LowerTorso/{side}HipRigAttachment");
                m.set(&hip, "CFrame", CFrame::new(sign * n, -0.2, 0.0));
            }
        },
        0.338,
        0.336,
    ),
    (
        "cage-uvs",
        body,
        |m, n| {
            m.remesh(21, |mesh| {
                mesh.uvs.iter_mut().take(n as usize).for_each(|uv| uv.x += 1.0);
            })
        },
        7.0,
        8.0,
    ),
    (
        "cage-uvs",
        jacket,
        |m, n| {
            for (file, scale) in [(3, 1.1), (4, 0.9)] {
                let cage = ring(n as usize, Vec3::new(3.0, 2.0, 1.5) * scale, [9.0, 9.0]);
                m.files.insert(file, plain(&cage));
            }
        },
        100.0,
        101.0,
    ),
    (
        "cage-distance",
        head,
        |m, n| m.remesh(11, |mesh| mesh.positions[7] = Vec3::new(0.0, 0.6 + n, 0.0)),
        0.999,
        1.001,
    ),
    (
        "cage-far",
        head,
        |m, n| m.remesh(11, |mesh| mesh.positions[7] = Vec3::new(0.0, 0.6 + n, 0.0)),
        0.599,
        0.601,
    ),
    // 39 of 86 are 45.3 %.
    ("cage-shoe", shoe, |m, n| unmove(m, n as usize), 39.0, 38.0),
    // 12 of 86 are 13.95 %.
    ("cage-shoe", shoe, |m, n| beside(m, n as usize), 12.0, 13.0),
    // The head is 1.2 high, and may become 1.35 times as high.
    ("head-scale", head, |m, n| m.files.extend([(10, face(&CONTROLS, n))]), 0.419, 0.421),
    (
        "bone-distance",
        with_bone,
        |m, n| m.set("Body/UpperTorso/Spine/Chest", "CFrame", CFrame::new(0.0, n, 0.0)),
        0.0301,
        0.0299,
    ),
    // 1.1 times half of 1.6 are 0.88.
    (
        "bone-box",
        with_bone,
        |m, n| m.set("Body/UpperTorso/Spine/Chest", "CFrame", CFrame::new(0.0, n, 0.0)),
        0.58,
        0.581,
    ),
    (
        "emote-tags",
        emote,
        |m, n| {
            let (id, tag) = (m.at("Emote"), String::from_utf8(bytes(n)).expect("made for the test"));
            rbxdocument::attributes::set_tags(&mut *m.document, id, [tag.as_str()])
                .expect("made for the test");
        },
        30.0,
        31.0,
    ),
];

#[test]
fn the_last_number_passes_and_the_next_one_fails() {
    let mut wrong = Vec::new();
    for (rule, item, set, last, first) in LIMITS {
        let found = |number: f32| {
            let mut made = item();
            set(&mut made, number);
            failed(&made)
        };
        let mut at_last = found(*last);
        // Of a distance that is still allowed, another rule says that it is unusual.
        if *rule == "cage-distance" {
            at_last.remove("cage-far");
        }
        if !at_last.is_empty() {
            wrong.push(format!("{rule} {last}: found by {at_last:?}"));
        }
        let at_first = found(*first);
        if at_first != BTreeSet::from([(*rule).to_owned()]) {
            wrong.push(format!("{rule} {first}: found by {at_first:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
