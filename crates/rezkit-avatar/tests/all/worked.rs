//! The examples of the page.

use geom::{CFrame, Vec3};
use rezkit_avatar::Verdict;

use crate::made::{Made, block, hat, plain};

/// The verdict of the rule of the box.
fn boxed(made: &Made) -> (Verdict, String) {
    let report = made.report();
    let row =
        report.items[0].rows.iter().find(|row| row.rule == "roblox-avatar.box").expect("made for the test");
    (row.verdict, row.found.clone())
}

/// A hat whose mesh spans y from -0.5 to 3, with its attachment at this height.
fn tall(height: f32) -> Made {
    let mut made = hat();
    let mut mesh = block(Vec3::new(2.0, 3.5, 2.0));
    mesh.positions.iter_mut().for_each(|point| point.y += 1.25);
    made.files.insert(1, plain(&mesh));
    made.set("Item/Handle", "Size", Vec3::new(2.0, 3.5, 2.0));
    made.set("Item/Handle/HatAttachment", "CFrame", CFrame::new(0.0, height, 0.0));
    made
}

/// Section 3: the box spans y -2.2 to 1.8 around the handle, or -2.5 to 1.5, and the mesh -1.75 to 1.75.
#[test]
fn the_box_hangs_on_the_attachment() {
    assert_eq!(boxed(&tall(-0.2)).0, Verdict::Passed);
    let (verdict, found) = boxed(&tall(-0.5));
    assert_eq!(verdict, Verdict::Failed);
    // The four upper corners are 1.75 - 1.5 outside.
    assert_eq!(found, "4 of 8 vertices outside, by up to 0.25 studs");
}

/// The box of hats is 3 wide and 4 high: turned by a quarter about z, it is 4 wide and 3 high.
#[test]
fn the_box_is_turned_with_the_attachment() {
    let mut made = hat();
    made.files.insert(1, plain(&block(Vec3::new(3.8, 2.0, 2.0))));
    made.set("Item/Handle", "Size", Vec3::new(3.8, 2.0, 2.0));
    made.set("Item/Handle/HatAttachment", "CFrame", CFrame::IDENTITY);
    assert_eq!(boxed(&made).0, Verdict::Failed);
    let turned = CFrame::from_euler_angles_xyz(0.0, 0.0, std::f32::consts::FRAC_PI_2);
    made.set("Item/Handle/HatAttachment", "CFrame", turned);
    assert_eq!(boxed(&made).0, Verdict::Passed);
    // Hair: the offset 0, -0.5, 0.25 turns, too. About x by a quarter, y becomes z: the box of 3 x 5 x 3.5 is
    // 3 x 3.5 x 5, and its middle is at 0, -0.25, -0.5.
    let turned = CFrame::from_euler_angles_xyz(std::f32::consts::FRAC_PI_2, 0.0, 0.0);
    made.set("Item", "AccessoryType", rbxdocument::Value::Enum(2));
    made.set("Item/Handle/HatAttachment", "Name", "HairAttachment");
    made.set("Item/Handle/HairAttachment", "CFrame", turned);
    // y may span -2 to 1.5 and z -3 to 2: the mesh, around the handle's middle, 1.5 and 2 each way.
    for (size, verdict) in [
        ([3.0, 2.9, 3.9], Verdict::Passed),
        ([3.0, 3.1, 3.9], Verdict::Failed),
        ([3.0, 2.9, 4.1], Verdict::Failed),
    ] {
        made.files.insert(1, plain(&block(size.into())));
        made.set("Item/Handle", "Size", Vec3::from(size));
        assert_eq!(boxed(&made).0, verdict, "{size:?}");
    }
}

/// A mesh is scaled by the size of its Handle, and a SpecialMesh by its own scale.
#[test]
fn a_mesh_is_as_large_as_its_handle() {
    let mut made = hat();
    made.set("Item/Handle", "Size", Vec3::new(3.2, 2.0, 2.0));
    assert_eq!(boxed(&made).0, Verdict::Failed);
    let mut old = crate::made::old_hat();
    assert_eq!(boxed(&old).0, Verdict::Passed);
    old.set("Item/Handle/Mesh", "Scale", Vec3::new(1.6, 1.0, 1.0));
    assert_eq!(boxed(&old).0, Verdict::Failed);
}

/// Normal proportions: the box of hats is 1.87 x 2.5 x 1.87.
#[test]
fn the_scale_type_has_its_box() {
    let mut made = hat();
    let value = crate::made::new("StringValue", "AvatarPartScaleType").property("Value", "ProportionsNormal");
    made.add("Item/Handle", value);
    assert_eq!(boxed(&made), (Verdict::Failed, "8 of 8 vertices outside, by up to 0.065 studs".to_owned()));
    assert_eq!(made.report().items[0].scale, "ProportionsNormal");
}

/// The recommended orientation of a grip follows the forearm: one that leans outward by 40 degrees turns it as much about
/// z, and 30 degrees from there are allowed.
#[test]
fn a_grip_follows_the_forearm() {
    let mut made = crate::made::arm();
    let arm = "LeftArm/R15ArtistIntent";
    // From the elbow to the wrist: 0.7 down, and 0.7 tan 40 to the right.
    let elbow = CFrame::new(-0.7 * 40.0_f32.to_radians().tan(), 0.25, 0.0);
    made.set(&format!("{arm}/LeftLowerArm/LeftElbowRigAttachment"), "CFrame", elbow);
    let down = CFrame::from_euler_angles_xyz(-std::f32::consts::FRAC_PI_2, 0.0, 0.0);
    for (degrees, verdict) in [
        (0.0, Verdict::Failed),
        (9.0, Verdict::Failed),
        (11.0, Verdict::Passed),
        (40.0, Verdict::Passed),
        (69.0, Verdict::Passed),
        (71.0, Verdict::Failed),
    ] {
        let turned = CFrame::from_euler_angles_xyz(0.0, 0.0, f32::to_radians(degrees)) * down;
        made.set(&format!("{arm}/LeftHand/LeftGripAttachment"), "CFrame", turned);
        let report = made.report();
        let mut rows = report.items[0].rows.iter();
        let row = rows.find(|row| row.rule == "roblox-avatar.grip-turned").expect("made for the test");
        assert_eq!(row.verdict, verdict, "{degrees}: {}", row.found);
    }
}

/// With the coordinates of the template in the rules file, those of a cage are compared one by one.
#[test]
fn a_template_in_the_rules_is_compared() {
    let made = crate::made::head();
    let cage = rbxmesh::from_slice(&made.files[&11]).expect("made for the test");
    let mut uvs: Vec<[f32; 2]> = cage.vertices.iter().map(|vertex| [vertex.uv.x, vertex.uv.y]).collect();
    let mut check = |moved: usize| {
        uvs.iter_mut().take(moved).for_each(|uv| uv[1] += 0.1);
        let rules = serde_json::json!({ "OtherRules": { "CageUVs": { "Head": uvs } } }).to_string();
        let mut options = rezkit_avatar::CheckOptions::default();
        options.numbers = rezkit_avatar::Numbers::from_json(rules.as_bytes()).expect("made for the test");
        let report = made.report_with(&options);
        report.items[0].failures().map(|row| row.found.clone()).collect::<Vec<_>>()
    };
    assert_eq!(check(0), Vec::<String>::new());
    assert_eq!(check(8), ["8 other coordinates"]);
}

/// The direction of v in files is not known, so cages with either are taken.
#[test]
fn cages_may_be_upside_down() {
    let mut body = crate::made::body();
    let mut shoe = crate::made::shoe();
    for at in 0..15 {
        body.remesh(11 + at * 10, |mesh| mesh.uvs.iter_mut().for_each(|uv| uv.y = 1.0 - uv.y));
    }
    for cage in [3, 4] {
        shoe.remesh(cage, |mesh| mesh.uvs.iter_mut().for_each(|uv| uv.y = 1.0 - uv.y));
    }
    for made in [body, shoe] {
        assert_eq!(crate::damages::failed(&made), std::collections::BTreeSet::new());
    }
}
