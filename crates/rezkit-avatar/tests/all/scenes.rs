//! Exchange files: items by the names of their nodes, and rigs.

use std::collections::BTreeSet;
use std::sync::Arc;

use geom::{TriMesh, Vec3};
use rezkit_avatar::{AvatarReport, Budget, CheckOptions, ItemType, Verdict, check_scene, pictures_of_scene};
use rezkit_scene::{Mesh, Node, Primitive, Scene, Skin, Transform};

use crate::made::{block, hat};

fn add(scene: &mut Scene, name: &str, mesh: TriMesh) -> usize {
    let mesh =
        scene.add_mesh(Mesh { primitives: vec![Primitive::new(Arc::new(mesh), None)], ..Mesh::default() });
    scene.add_node(None, Node { name: name.into(), mesh: Some(mesh), ..Node::default() })
}

fn check(scene: &Scene, kind: Option<ItemType>) -> AvatarReport {
    let mut options = CheckOptions::default();
    options.kind = kind;
    check_scene(scene, &options, &mut Budget::new(1 << 30)).expect("made for the test")
}

fn failed(report: &AvatarReport) -> BTreeSet<&str> {
    let rows = report.items.iter().flat_map(|item| item.failures());
    rows.map(|row| row.rule.trim_start_matches("roblox-avatar.")).collect()
}

/// The joints of R15 with their parents and positions; left is +x, as glTF's characters face +z.
const JOINTS: [(&str, Option<usize>, [f32; 3]); 15] = [
    ("LowerTorso", None, [0.0, 3.0, 0.0]),
    ("UpperTorso", Some(0), [0.0, 0.3, 0.0]),
    ("Head", Some(1), [0.0, 1.6, 0.0]),
    ("LeftUpperArm", Some(1), [1.0, 1.3, 0.0]),
    ("LeftLowerArm", Some(3), [0.5, -0.8, 0.0]),
    ("LeftHand", Some(4), [0.0, -0.8, 0.0]),
    ("RightUpperArm", Some(1), [-1.0, 1.3, 0.0]),
    ("RightLowerArm", Some(6), [-0.5, -0.8, 0.0]),
    ("RightHand", Some(7), [0.0, -0.8, 0.0]),
    ("LeftUpperLeg", Some(0), [0.5, -0.2, 0.0]),
    ("LeftLowerLeg", Some(9), [0.0, -1.2, 0.0]),
    ("LeftFoot", Some(10), [0.0, -1.2, 0.0]),
    ("RightUpperLeg", Some(0), [-0.5, -0.2, 0.0]),
    ("RightLowerLeg", Some(12), [0.0, -1.2, 0.0]),
    ("RightFoot", Some(13), [0.0, -1.2, 0.0]),
];

/// A jacket of an exchange file: its mesh with a skin, both cages and its attachment.
fn jacket() -> Scene {
    let mut scene = Scene::default();
    let mut joints = Vec::new();
    for (name, parent, at) in JOINTS {
        let node = Node { name: name.into(), transform: Transform::from_translation(at), ..Node::default() };
        let parent = parent.map(|parent: usize| joints[parent]);
        joints.push(scene.add_node(parent, node));
    }
    let world = scene.at_rest();
    let inverse = |joint: &usize| {
        let mut columns =
            [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], world[*joint][3]];
        for part in &mut columns[3][..3] {
            *part = -*part;
        }
        columns
    };
    let inverse_bind = joints.iter().map(inverse).collect();
    scene.skins.push(Skin { joints, inverse_bind, ..Skin::default() });
    let size = Vec3::new(3.0, 2.0, 1.5);
    let mut mesh = block(size);
    mesh.joints = vec![[1, 0, 0, 0]; 8];
    mesh.weights = vec![[1.0, 0.0, 0.0, 0.0]; 8];
    let node = add(&mut scene, "Coat", mesh);
    scene.nodes[node].skin = Some(0);
    add(&mut scene, "Coat_OuterCage", block(size * 1.1));
    add(&mut scene, "Coat_InnerCage", block(size * 0.9));
    scene.add_node(None, Node { name: "BodyFront_Att".into(), ..Node::default() });
    scene
}

#[test]
fn an_exchange_file_has_its_items() {
    let report = check(&jacket(), None);
    let [item] = &report.items[..] else { panic!("{:?}", report.items) };
    assert_eq!((item.path.as_str(), item.kind), ("Coat", None));
    // BodyFront can be that of four types: the type is asked for, and not seen otherwise.
    assert!(
        item.rows
            .iter()
            .any(|row| row.rule == "roblox-avatar.type"
                && row.found == "one of TShirt, Shirt, Jacket, Sweater")
    );
    let report = check(&jacket(), Some(ItemType::Jacket));
    assert_eq!(failed(&report), BTreeSet::new(), "{:#?}", report.items[0].failures().collect::<Vec<_>>());
    assert!(report.items[0].is_accepted());
    let mut options = CheckOptions::default();
    options.kind = Some(ItemType::Jacket);
    let pictures =
        pictures_of_scene(&jacket(), &options, &mut Budget::new(1 << 30)).expect("made for the test");
    assert_eq!(
        pictures.iter().map(|picture| picture.name.as_str()).collect::<Vec<_>>(),
        ["Coat", "Coat cages"]
    );
}

/// All four types that the attachment allows have the cages of clothing: nothing else is demanded of it before it is told.
#[test]
fn clothing_of_an_unknown_type_has_the_cages_of_clothing() {
    let report = check(&jacket(), None);
    let cages = |report: &AvatarReport| {
        let rows = report.items[0].rows.iter().filter(|row| row.rule.contains(".cage-"));
        rows.map(|row| (row.rule, row.allowed.clone())).collect::<BTreeSet<_>>()
    };
    assert_eq!(failed(&report), BTreeSet::new());
    assert_eq!(cages(&report), cages(&check(&jacket(), Some(ItemType::Jacket))));
}

/// Each item has the attachments below it, and a type that is named is that of items whose type the file does not tell.
#[test]
fn several_items_have_their_own_attachments() {
    let mut scene = Scene::default();
    for (name, attachment, x) in [("Cap", "Hat_Att", 0.0), ("Wig", "Hair_Att", 20.0)] {
        let mut mesh = block(Vec3::new(1.0, 1.0, 1.0));
        mesh.positions.iter_mut().for_each(|point| point.x += x);
        let item = add(&mut scene, name, mesh);
        let transform = Transform::from_translation([x, 0.0, 0.0]);
        scene.add_node(Some(item), Node { name: attachment.into(), transform, ..Node::default() });
    }
    for told in [None, Some(ItemType::Neck)] {
        let report = check(&scene, told);
        let kinds: Vec<_> = report.items.iter().map(|item| item.kind).collect();
        assert_eq!((kinds, failed(&report)), (vec![Some("Hat"), Some("Hair")], BTreeSet::new()));
    }
}

/// The importer makes the attachments of the rig from the joints: an elbow above the head is out of its box.
#[test]
fn joints_of_a_body_are_where_attachments_may_be() {
    let with_elbow = |up: f32| {
        let mut scene = exchange_body();
        let arm =
            scene.nodes.iter().position(|node| node.name == "LeftLowerArm_Geo").expect("made for the test");
        let mesh = scene.nodes[arm].mesh.expect("made for the test");
        let bounds = scene.meshes[mesh].primitives[0].mesh.bounds().expect("made for the test");
        let middle = bounds.center();
        let at = [middle.x, middle.y + up, middle.z];
        let transform = Transform::from_translation(at);
        let joint = scene.add_node(None, Node { name: "LeftLowerArm".into(), transform, ..Node::default() });
        let columns = scene.at_rest()[joint];
        scene.skins.push(Skin { joints: vec![joint], inverse_bind: vec![columns], ..Skin::default() });
        let report = check(&scene, None);
        let is_it =
            |row: &&rezkit_avatar::Row| row.path == "LeftLowerArm" && row.rule.ends_with(".attachment-box");
        let rows = report.items[0].rows.iter().filter(is_it);
        rows.map(|row| row.verdict == Verdict::Passed).collect::<Vec<_>>()
    };
    // The middles of both halves of the arm are 0.2 studs apart.
    assert_eq!((with_elbow(0.05), with_elbow(4.0)), (vec![], vec![false, false]));
}

#[test]
fn single_damages_of_an_exchange_file() {
    let joint = |scene: &Scene, name: &str| {
        scene.nodes.iter().position(|node| node.name == name).expect("made for the test")
    };
    type Case<'c> = (&'c str, &'c dyn Fn(&mut Scene));
    let cases: &[Case<'_>] = &[
        ("rig-missing", &|s| {
            let at = joint(s, "LeftHand");
            s.nodes[at].name = "Paw".into();
        }),
        ("rig-doubled", &|s| {
            let at = joint(s, "LeftHand");
            let copy = s.add_node(Some(at), Node { name: "LeftHand.001".into(), ..Node::default() });
            s.skins[0].joints.push(copy);
            let bind = s.skins[0].inverse_bind[5];
            s.skins[0].inverse_bind.push(bind);
        }),
        ("rig-name", &|s| {
            let at = joint(s, "LeftHand");
            s.nodes[at].name = "left_hand".into();
        }),
        ("rig-place", &|s| {
            let (head, torso, lower) = (joint(s, "Head"), joint(s, "UpperTorso"), joint(s, "LowerTorso"));
            s.nodes[torso].children.retain(|child| *child != head);
            s.nodes[lower].children.push(head);
        }),
        ("rig-place", &|s| {
            let at = joint(s, "LeftUpperArm");
            s.nodes[at].transform.translation[0] = -3.0;
        }),
        ("rig-place", &|s| {
            let at = joint(s, "Head");
            s.nodes[at].transform.translation[1] = -3.0;
        }),
        ("rig-weights", &|s| {
            let mesh = Arc::make_mut(&mut s.meshes[0].primitives[0].mesh);
            mesh.weights[2] = [0.0; 4];
        }),
        ("rig-scale", &|s| {
            let at = joint(s, "LeftFoot");
            s.nodes[at].transform.scale = [1.0, 2.0, 1.0];
        }),
        ("attachment", &|s| {
            let at = joint(s, "BodyFront_Att");
            s.nodes[at].name = "Hat_Att".into();
        }),
        ("cage-file", &|s| {
            let at = joint(s, "Coat_InnerCage");
            s.nodes[at].name = "Other".into();
            s.nodes[at].mesh = None;
        }),
        ("triangles", &|s| {
            let mesh = Arc::make_mut(&mut s.meshes[0].primitives[0].mesh);
            let sphere = crate::damages::sphere(4001);
            // As large as the coat, so that its cages are near.
            let positions = sphere.positions.iter().map(|point| *point * 1.6).collect();
            let joints = vec![[1, 0, 0, 0]; sphere.positions.len()];
            *mesh = TriMesh {
                positions,
                joints,
                weights: vec![[1.0, 0.0, 0.0, 0.0]; sphere.positions.len()],
                ..sphere
            };
        }),
    ];
    for (rule, damage) in cases {
        let mut scene = jacket();
        damage(&mut scene);
        assert_eq!(failed(&check(&scene, Some(ItemType::Jacket))), BTreeSet::from([*rule]), "{rule}");
    }
}

/// A mesh without any of these names is an item only if its type is given.
#[test]
fn a_plain_mesh_needs_a_type() {
    let mut scene = Scene::default();
    add(&mut scene, "Cap", block(Vec3::new(2.0, 2.0, 2.0)));
    let report = check(&scene, None);
    assert!(report.items.is_empty());
    assert_eq!(report.findings()[0].rule, "roblox-avatar.none");
    let report = check(&scene, Some(ItemType::Hat));
    assert_eq!(failed(&report), BTreeSet::from(["attachment"]));
    scene.add_node(None, Node { name: "Hat_Att".into(), ..Node::default() });
    let report = check(&scene, None);
    assert_eq!((report.items[0].kind, failed(&report)), (Some("Hat"), BTreeSet::new()));
}

/// A body of 15 meshes named PART_Geo, whose left is at +x, with the attachments of the page, without those of its rig.
fn exchange_body() -> Scene {
    let mut scene = Scene::default();
    let mut y = 0.0;
    for (name, size, attachments) in crate::made::PARTS {
        let mut mesh = block(size.into());
        let x = f32::from(i8::from(name.starts_with("Left")) - i8::from(name.starts_with("Right")));
        mesh.positions.iter_mut().for_each(|point| *point = *point + Vec3::new(x, y, 0.0));
        let part = add(&mut scene, &format!("{name}_Geo"), mesh);
        for (attachment, [right, up, back]) in attachments.iter().filter(|(name, _)| !name.ends_with("Rig")) {
            // The rows are relative to half the size, of a body that faces -z.
            let half = size.map(|side: f32| side * 0.5);
            let translation = [x - right * half[0], y + up * half[1], -back * half[2]];
            let transform = Transform { translation, ..Transform::default() };
            scene.add_node(
                Some(part),
                Node { name: format!("{attachment}_Att"), transform, ..Node::default() },
            );
        }
        y -= 0.2;
    }
    scene
}

/// An exchange body is measured, its attachments are in their boxes, and each damage is found by its rule.
#[test]
fn an_exchange_body_is_measured() {
    let node = |scene: &Scene, name: &str| {
        scene.nodes.iter().position(|node| node.name == name).expect("made for the test")
    };
    let report = check(&exchange_body(), None);
    assert_eq!((report.items.len(), report.items[0].kind), (1, Some("Body")));
    assert!(report.items[0].rows.iter().any(|row| row.rule == "roblox-avatar.body-size"));
    let whole = failed(&report).into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
    for rule in ["parts", "body-attachments", "attachment-box"] {
        assert!(!whole.contains(rule), "{rule}: {:?}", report.items[0].failures().collect::<Vec<_>>());
    }
    let unseen = |report: &AvatarReport, rule: &str| {
        let rows = report.items[0].rows.iter();
        rows.filter(|row| row.rule.ends_with(rule) && row.verdict == Verdict::Unseen).count()
    };
    // No cages, no poses of the face, and the joints of the rig, which the importer adds.
    assert!(unseen(&report, ".content") > 0 && unseen(&report, ".head-controls") > 0);
    type Damage = fn(&mut Scene, usize);
    let damages: [(&str, &str, Damage); 4] = [
        ("parts", "UpperTorso_Geo", |scene, node| scene.nodes[node].name = "Belly".into()),
        ("attachment-box", "Hat_Att", |scene, node| scene.nodes[node].transform.translation[1] = -3.0),
        ("body-attachments", "LeftGrip_Att", |scene, node| scene.nodes[node].name = "Hat_Att".into()),
        ("body-attachments", "Hat_Att", |scene, node| scene.nodes[node].name = "Nose_Att".into()),
    ];
    for (rule, name, damage) in damages {
        let mut scene = exchange_body();
        let node = node(&scene, name);
        damage(&mut scene, node);
        let report = check(&scene, None);
        assert!(failed(&report).contains(rule), "{rule}");
    }
}

/// The picture of a hat shows its box, and what is outside in red.
#[test]
fn what_sticks_out_is_red() {
    let mut made = hat();
    made.set("Item/Handle", "Size", Vec3::new(3.5, 2.0, 2.0));
    let mut files = |reference: &rezkit_core::Reference, _: u64| match reference {
        rezkit_core::Reference::Id(id) => Ok(made.files.get(id).cloned()),
        _ => Ok(None),
    };
    let mut budget = Budget::new(1 << 30);
    let pictures = rezkit_avatar::pictures_of_document(
        &made.document,
        &CheckOptions::default(),
        &mut files,
        &mut budget,
    )
    .expect("made for the test");
    let [picture] = &pictures[..] else { panic!("{} pictures", pictures.len()) };
    picture.scene.check().expect("made for the test");
    let red = picture.scene.materials.iter().position(|material| material.name == "outside");
    let handle = picture.scene.meshes.iter().find(|mesh| mesh.name == "Handle").expect("made for the test");
    // All triangles have a vertex at x of 1.75, outside of 1.5.
    assert_eq!(handle.primitives.iter().map(|primitive| primitive.material).collect::<Vec<_>>(), [red]);
    assert_eq!(picture.scene.front, 180.0);
}
