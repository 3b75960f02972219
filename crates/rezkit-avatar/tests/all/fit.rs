//! What is mended: each damage that needs no artist is gone afterwards, and listed.

use std::collections::BTreeSet;

use geom::{CFrame, Vec3};
use rbxdocument::Value;
use rezkit_avatar::{Budget, CheckOptions, Fitted, fit_document};
use rezkit_core::Reference;

use crate::made::*;

fn fit(made: &mut Made) -> Fitted {
    let held = made.files.clone();
    let mut files = |reference: &Reference, _: u64| match reference {
        Reference::Id(id) => Ok(held.get(id).cloned()),
        _ => Ok(None),
    };
    let mut options = CheckOptions::default();
    options.kind = made.kind;
    let fitted = fit_document(&mut *made.document, &options, &mut files, &mut Budget::new(1 << 30))
        .expect("made for the test");
    made.files.extend(fitted.meshes.iter().cloned());
    fitted
}

/// With a path, only the items at it and below it are changed, and checked.
#[test]
fn a_path_limits_what_is_mended() {
    let two = || {
        let mut made = hat();
        let top = made.at("Item");
        let copy = made.document.duplicate(top, None).expect("made for the test");
        made.document.set(copy, "Name", "Other").expect("made for the test");
        for item in ["Item", "Other"] {
            made.set(&format!("{item}/Handle"), "Anchored", true);
        }
        made
    };
    let mut options = CheckOptions::default();
    options.path = Some("Other".to_owned());
    let mut made = two();
    let mut none = |_: &Reference, _: u64| Ok(None);
    let budget = &mut Budget::new(1 << 30);
    let fitted = fit_document(&mut *made.document, &options, &mut none, budget).expect("made for the test");
    let paths: BTreeSet<&str> = fitted.changes.iter().map(|change| &*change.path).collect();
    assert_eq!(paths, BTreeSet::from(["Other/Handle.Anchored"]));
    let report = rezkit_avatar::check_document(&*two().document, &options, &mut none, budget);
    let names: Vec<_> = report.expect("checked").items.into_iter().map(|item| item.path).collect();
    assert_eq!(names, ["Other"]);
    options.path = Some("Nobody".to_owned());
    assert!(fit_document(&mut *made.document, &options, &mut none, budget).is_err());
}

#[test]
fn what_needs_no_artist_is_mended() {
    let cases: &[crate::damages::Case] = &[
        ("box", hat, |m| m.set("Item/Handle/HatAttachment", "CFrame", CFrame::new(0.0, -1.1, 0.0))),
        ("box", hat, |m| m.set("Item/Handle", "Size", Vec3::new(9.0, 9.0, 9.0))),
        ("box", old_hat, |m| m.set("Item/Handle/Mesh", "Scale", Vec3::new(2.0, 2.0, 2.0))),
        ("triangles", hat, |m| m.files.extend([(1, plain(&crate::damages::sphere(4001)))])),
        ("triangles", body, |m| m.files.extend([(40, plain(&crate::damages::round_arm(1250)))])),
        ("vertex-colors", hat, |m| {
            m.remesh(1, |mesh| {
                mesh.colors = vec![geom::Rgba8::WHITE.to_linear(); mesh.positions.len()];
                mesh.colors[3] = red();
            })
        }),
        ("centered", hat, |m| m.remesh(1, |mesh| mesh.positions.iter_mut().for_each(|p| p.x += 0.5))),
        ("centered", old_hat, |m| m.remesh(1, |mesh| mesh.positions.iter_mut().for_each(|p| p.x += 0.2))),
        ("anchored", body, |m| m.set("Body/Head", "Anchored", true)),
        ("transparency", hat, |m| m.set("Item/Handle", "Transparency", 0.5_f32)),
        ("color", jacket, |m| {
            m.set(
                "Item/Handle",
                "Color",
                Value::Color3uint8(rbxdocument::types::Color3uint8 { r: 1, g: 2, b: 3 }),
            )
        }),
        ("material", hat, |m| m.set("Item/Handle", "Material", Value::Enum(512))),
        ("bind-offset", jacket, |m| m.set("Item/Handle/WrapLayer", "BindOffset", CFrame::new(0.0, 0.1, 0.0))),
        ("forbidden-class", hat, |m| m.add("Item/Handle", new("Script", "Glow"))),
        ("children", jacket, |m| m.add("Item/Handle", new("Weld", "AccessoryWeld"))),
        ("children", head, |m| m.set("Head/WrapTarget", "Name", "Cage")),
        ("handle", hat, |m| m.set("Item/Handle", "Name", "Grip")),
        ("forbidden-name", jacket, |m| m.set("Item/Handle/WrapLayer", "Name", "UpperTorso")),
        ("attributes", hat, |m| {
            let id = m.at("Item");
            rbxdocument::attributes::set_attribute(&mut *m.document, id, "Owner", Value::from("me"))
                .expect("made for the test");
        }),
        ("tags", hat, |m| {
            let id = m.at("Item/Handle");
            rbxdocument::attributes::set_tags(&mut *m.document, id, ["blue"]).expect("made for the test");
        }),
    ];
    for (rule, item, damage) in cases {
        let mut made = item();
        damage(&mut made);
        assert!(!crate::damages::failed(&made).is_empty(), "{rule}");
        let fitted = fit(&mut made);
        assert_eq!(crate::damages::failed(&made), BTreeSet::new(), "{rule}: {:#?}", fitted.changes);
        let id = format!("roblox-avatar.{rule}");
        assert!(
            !fitted.changes.is_empty() && fitted.changes.iter().all(|change| change.rule == id),
            "{rule}: {:#?}",
            fitted.changes
        );
    }
}

/// What keeps all rules stays byte for byte, and what is mended is all that changes.
#[test]
fn nothing_else_is_touched() {
    for item in [hat, old_hat, jacket, eyebrows, head, arm, body, emote] {
        let mut made = item();
        let before = made.document.to_vec().expect("made for the test");
        assert_eq!(fit(&mut made), Fitted::default());
        assert_eq!(made.document.to_vec().expect("made for the test"), before);
    }
    let (mut made, mut expected) = (hat(), hat());
    made.set("Item/Handle", "Transparency", 0.5_f32);
    expected.set("Item/Handle", "Transparency", 0.5_f32);
    expected.set("Item/Handle", "Transparency", 0.0_f32);
    fit(&mut made);
    assert_eq!(made.document, expected.document);
}

/// A hat of 6 studs along y in a box of 4: scaled by 2/3, and hung so that it is inside.
#[test]
fn a_large_hat_becomes_as_large_as_its_box() {
    let mut made = hat();
    let size = Vec3::new(2.0, 6.0, 2.0);
    made.files.insert(1, plain(&block(size)));
    made.set("Item/Handle", "Size", size);
    made.set("Item/Handle/HatAttachment", "CFrame", CFrame::new(0.0, -3.0, 0.0));
    let fitted = fit(&mut made);
    let now = made
        .document
        .get(made.at("Item/Handle"), "Size")
        .expect("made for the test")
        .as_vector3()
        .expect("made for the test");
    assert!((now - size * (2.0 / 3.0)).length() < 0.01, "{now:?}");
    let at = made
        .document
        .get(made.at("Item/Handle/HatAttachment"), "CFrame")
        .expect("made for the test")
        .as_cframe()
        .expect("made for the test");
    assert!(at.position.length() < 0.01, "{at:?}");
    assert_eq!(fitted.changes.len(), 2);
    assert!(fitted.meshes.is_empty());
}

/// A head whose mesh is a form, not a file, keeps it: a FileMesh without a file is not drawn.
#[test]
fn a_form_without_a_file_stays() {
    let mut made = body();
    made.remove("Body/Head");
    let form = new("SpecialMesh", "Mesh").property("MeshType", Value::Enum(0));
    made.add("Body", new("Part", "Head").child(form));
    fit(&mut made);
    let mesh = made.at("Body/Head/Mesh");
    assert_eq!(made.document.get(mesh, "MeshType").and_then(|value| value.as_enum()), Some(0));
}

/// Vertices of accessories may be transparent, which stays; those of bodies may not.
#[test]
fn transparent_vertices_of_accessories_stay() {
    for (item, id, is_kept) in [(hat as fn() -> Made, 1, true), (body, 20, false)] {
        let mut made = item();
        made.remesh(id, |mesh| mesh.colors = crate::damages::half(mesh.positions.len()));
        let before = made.files[&id].clone();
        assert_eq!(crate::damages::failed(&made).is_empty(), is_kept);
        assert_eq!(fit(&mut made).changes.is_empty(), is_kept);
        assert_eq!(made.files[&id] == before, is_kept);
        // The colour goes, and the transparency stays.
        made.remesh(id, |mesh| {
            mesh.colors = crate::damages::half(mesh.positions.len());
            mesh.colors[0] = geom::Rgba8 { r: 255, g: 0, b: 0, a: 128 }.to_linear();
        });
        fit(&mut made);
        let mesh = rbxmesh::from_slice(&made.files[&id]).expect("made for the test");
        let alpha = if is_kept { 128 } else { 255 };
        assert!(mesh.vertices.iter().all(|of| of.color == geom::Rgba8 { a: alpha, ..geom::Rgba8::WHITE }));
    }
}
