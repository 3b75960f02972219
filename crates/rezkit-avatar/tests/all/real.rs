//! Real files.

use geom::Vec3;
use rbxdocument::Value;
use rezkit_avatar::{Budget, CheckOptions, check_document};

use crate::made::{Made, new};

/// Every document of the corpus can be checked, and its accessories get a verdict.
#[test]
fn real_documents_are_checked() {
    let mut accessories = 0;
    for testkit::Sample { name, bytes } in
        ["rbxbinary", "rbxxml"].iter().flat_map(|folder| testkit::corpus(folder))
    {
        let Ok(document) = rbxdocument::from_slice(&bytes) else { continue };
        let mut budget = Budget::new(1 << 30);
        let report = check_document(&document, &CheckOptions::default(), &mut (), &mut budget);
        let report = report.unwrap_or_else(|error| panic!("{name}: {error}"));
        let wanted = document
            .instances()
            .filter(|id| document.class(*id).is_some_and(|class| class == "Accessory"))
            .count();
        let found = report
            .items
            .iter()
            .filter(|item| item.rows.iter().any(|row| row.rule == "roblox-avatar.handle"))
            .count();
        assert!(found >= wanted, "{name}: {found} of {wanted}");
        accessories += wanted;
    }
    assert!(accessories >= 2 || testkit::corpus("rbxbinary").is_empty());
}

/// An old hat of a real place, of which only what the rules see is left.
fn of_a_place(anchored: bool, color: [u8; 3], offset: [f32; 3], tint: [f32; 3]) -> Made {
    let mesh = new("SpecialMesh", "Mesh")
        .property("MeshId", "http://www.roblox.com/asset/?id=55726032")
        .property("TextureId", "http://www.roblox.com/asset/?id=55726081")
        .property("MeshType", Value::Enum(5))
        .property("Offset", Vec3::from(offset))
        .property("VertexColor", Vec3::from(tint));
    let [r, g, b] = color;
    let handle = new("Part", "Handle")
        .property("Anchored", anchored)
        .property("Color", Value::Color3uint8(rbxdocument::types::Color3uint8 { r, g, b }))
        .property("Material", Value::Enum(256))
        .property("Shape", Value::Enum(1))
        .property("Size", Vec3::new(1.2, 1.2, 1.0))
        .property("TopSurface", Value::Enum(0))
        .property("BottomSurface", Value::Enum(0));
    Made::new(new("Hat", "Helm").child(handle.child(mesh)))
}

/// The verdicts of thirteen real accessories, worked out by hand from the page: of the empty ones of two test places, of
/// six helmets and of five wigs of a public place. These are like them in all that the rules see.
#[test]
fn verdicts_worked_out_by_hand() {
    let cases = [
        (Made::new(new("Accessory", "Accessory")), vec!["handle", "type"]),
        (
            Made::new(new("Accessory", "Accessory").property("AccessoryType", Value::Enum(0))),
            vec!["handle", "type"],
        ),
        (
            of_a_place(false, [17, 17, 17], [0.0, 0.15, 0.2], [1.0; 3]),
            vec!["accessory-class", "attachment", "color", "special-mesh"],
        ),
        (
            of_a_place(true, [163, 162, 165], [0.0; 3], [0.6, 1.0, 1.0]),
            vec!["accessory-class", "anchored", "attachment", "special-mesh"],
        ),
    ];
    for (made, expected) in cases {
        let expected = expected.into_iter().map(str::to_owned).collect();
        assert_eq!(crate::damages::failed(&made), expected);
    }
}
