//! What reading a Roblox document as a scene drops or changes is listed. Most texts are in
//! `crates/rezkit-cli/tests/cmd/losses.trycmd`.

use std::collections::HashSet;

use rezkit_scene::{Reference, Scene, SceneOptions, roblox};

use crate::{document, field, frame, item, of_document, scene_of, shown, vector};

fn part(class: &str, name: &str, y: f32, properties: &str, children: &str) -> String {
    item(class, name, &(frame("CFrame", y) + &vector("size", 2.0) + properties), children)
}

/// A rig of LowerTorso and UpperTorso with more children.
pub(super) fn rig(children: &str) -> String {
    let joint = field("Ref", "Part0", "LowerTorso")
        + &field("Ref", "Part1", "UpperTorso")
        + &frame("C0", 1.0)
        + &frame("C1", 0.0);
    let parts = [part("Part", "LowerTorso", 0.0, "", ""), part("Part", "UpperTorso", 2.0, "", "")].concat();
    item("Model", "Rig", "", &format!("{parts}{}{children}", item("Motor6D", "Joint", &joint, "")))
}

pub(super) fn read_at(items: &str, path: Option<&str>) -> Result<(Scene, Vec<String>), String> {
    let mut options = SceneOptions::default();
    options.path = path.map(str::to_owned);
    let made = of_document(&document(items), &options).map_err(|error| error.to_string());
    made.map(|(scene, losses)| (scene, shown(&losses)))
}

pub(super) fn losses(items: &str) -> Vec<String> {
    read_at(items, None).expect("a scene").1
}

/// A time of a keyframe, and what it contains.
pub(super) fn keyframe(time: f32, poses: &str) -> String {
    item("Keyframe", "Keyframe", &field("float", "Time", time), poses)
}

pub(super) fn pose(y: f32) -> String {
    item("Pose", "UpperTorso", &frame("CFrame", y), "")
}

/// The path of a loss is the path by which documents find the instance.
#[test]
fn the_path_of_a_loss_selects_its_instance() {
    let mesh = "<Content name=\"MeshId\"><url>rbxassetid://7</url></Content>";
    let parts = ["", mesh].map(|mesh| part("MeshPart", "a/b", 0.0, mesh, "")).concat();
    let document = document(&item("Model", "m", "", &parts));
    let (_, losses) = scene_of(&document);
    let path = &losses.iter().find(|loss| loss.what.contains("was not found")).expect("listed").path;
    assert_eq!(path, "m/a\\/b[1]");
    let found = document.find(path.as_str()).expect("the instance");
    assert!(document.get(found, "MeshId").is_some(), "the second one");
}

/// The bytes of a property as base64: two keys at 0 s and 1 s with the values 0 and 1.
const CURVE: &str = "AgAAAAIAAAABAAAAAAAAAAAAAAAAAAEAAACAPwAAAAAAAAAAAQAAAAIAAAAAAAAAYAkAAA==";

pub(super) fn curve(class: &str, name: &str, bytes: &str, children: &str) -> String {
    item(class, name, &field("BinaryString", "ValuesAndTimes", bytes), children)
}

#[test]
fn angles_beside_a_rotation_curve_and_markers_before_the_start() {
    let turns = "AQAAAAIAAAAOAAAAAAAAAAAAAAAAAACAPwAAAAAAAAAADgAAAAAAAIA/AAAAAAAAAAAAAAAAAAAAAAEAAAACAAAAAAAAAGAJAAA=";
    let angles = item("EulerRotationCurve", "Angles", "", &curve("FloatCurve", "X", CURVE, ""));
    let folder =
        item("Folder", "UpperTorso", "", &format!("{}{angles}", curve("RotationCurve", "R", turns, "")));
    // Markers at -100 and 100 ticks.
    let markers = curve("MarkerCurve", "M", "AgAAAAIAAAB4AHkAAQAAAAIAAACc////ZAAAAA==", "");
    let (scene, found) = read_at(&rig(&item("CurveAnimation", "A", "", &format!("{folder}{markers}"))), None)
        .expect("a scene");
    let wanted = [
        "changed: Rig/A/UpperTorso/R: cubic keys of a RotationCurve become linear keys",
        "dropped: Rig/A/M: curve keys with a negative time, or with infinite or NaN numbers",
        "dropped: Rig/A/UpperTorso/Angles: keys of an EulerRotationCurve, since its part also has a \
             RotationCurve (and 1 more)",
    ];
    assert_eq!(found, wanted);
    assert_eq!(scene.animations[0].extras["Markers"].as_array().map(Vec::len), Some(1));
}

/// Of two animations with one name and one that cannot be converted, each finding has the path of its own.
#[test]
fn findings_about_animations() {
    let sequence = |end: f32, style: u32| {
        let style = field("token", "EasingStyle", style);
        let pose = |y: f32| item("Pose", "UpperTorso", &(frame("CFrame", y) + &style), "");
        let frames = [keyframe(0.0, &pose(0.0)), keyframe(end, &pose(1.0))].concat();
        item("KeyframeSequence", "W", "", &frames)
    };
    // The second has eased keys that are too far apart to be sampled.
    let items =
        rig(&[sequence(20.0, 0), sequence(3000.0, 3), item("KeyframeSequence", "W", "", "")].concat());
    let document = document(&items);
    let budget = &mut rezkit_scene::Budget::new(1 << 24);
    let facts = roblox::animations(&document, budget).expect("animations");
    let all: Vec<_> = facts.into_iter().zip(["W", "W[1]", "W[2]"].map(str::to_owned)).collect();
    let (scene, _) = scene_of(&document);
    let found = roblox::check_animations(&scene, &all, budget).expect("checked");
    let found: Vec<_> = found.iter().map(|one| format!("{} {}: {}", one.rule, one.path, one.found)).collect();
    let is_other = |one: &&String| !one.contains("positions") && !one.contains("moving-parts");
    let expected = [
        "roblox-animation.length W: the animation lasts 20 s",
        "roblox-animation.length W[1]: the animation lasts 3000 s",
        "roblox-animation.length W[2]: the animation lasts 0 s",
        "roblox-animation.still W[2]: the animation has no keys",
    ];
    assert_eq!(found.iter().filter(is_other).collect::<Vec<_>>(), expected);
    // A stud in a thirtieth of a second is 30 studs per second, the limit.
    let frames = [keyframe(0.0, &pose(0.0)), keyframe(1.0 / 30.0, &pose(1.0))].concat();
    let (scene, _) = read_at(&rig(&item("KeyframeSequence", "W", "", &frames)), None).expect("a scene");
    let found = roblox::check_animations(&scene, &[], budget).expect("checked");
    assert!(found.iter().all(|one| one.rule != "roblox-animation.speed"), "{found:?}");
}

/// Of many decals on the slope of a corner wedge, those of the top are listed if another decal has its face.
#[test]
fn a_slope_shows_the_decals_of_its_own_face() {
    let image = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0";
    let decal = |face: u32| {
        let properties = format!(
            "<token name=\"Face\">{face}</token><Content name=\"Texture\"><url>rbxassetid://7</url></Content>"
        );
        item("Decal", "D", &properties, "")
    };
    let nodes = |decals: &str| {
        let model = part("WedgePart", "W", 0.0, "", decals);
        let document = document(&model);
        let mut sources = |_: &Reference, _: u64| Ok(Some(image.to_vec()));
        let (scene, losses) =
            roblox::from_document(&document, &SceneOptions::default(), &mut sources).expect("a scene");
        (scene.nodes.len() - 1, losses.iter().map(|loss| loss.count).sum::<usize>())
    };
    assert_eq!(nodes(&decal(1).repeat(50)), (50, 0), "the slope shows the decals of the top");
    let both = decal(1).repeat(50) + &decal(5).repeat(2);
    assert_eq!(nodes(&both), (2, 50), "the slope shows the decals of the front");
}

/// XML of 2005 and 2006 stores `CoordinateFrame`, and properties in elements `<Feature>`; enums have names. The frame is
/// at a corner: a torso at 1, 0, -1 touches an arm at 2, 0, 1 only so (TornadoCookie/OpenRBLX).
#[test]
fn parts_of_2006_are_drawn_where_they_are() {
    let feature = "<Feature name=\"Part\"><token name=\"shape\">Cylinder</token>\
                   <Vector3 name=\"size\"><X>2</X><Y>4</Y><Z>4</Z></Vector3></Feature>";
    let old = item("Part", "Old", &format!("{}{feature}", frame("CoordinateFrame", 9.0)), "");
    let (scene, losses) =
        read_at(&item("Model", "M", &frame("CoordinateFrame", 1.0), &old), None).expect("a scene");
    let placed = &scene.placed()[0];
    assert_eq!(
        (placed.world[3], scene.meshes[placed.mesh].name.as_str()),
        ([1.0, 11.0, 2.0, 1.0], "Cylinder")
    );
    assert_eq!(scene.nodes[placed.node].transform.scale, [2.0, 4.0, 4.0]);
    let frame =
        "changed: M: the frame of a model, which only files before 2007 store: parts are placed by their own";
    assert_eq!(losses, [frame]);
}

#[test]
fn what_a_place_shows_and_a_scene_does_not() {
    let terrain = item("Terrain", "T", "<BinaryString name=\"ClusterGrid\">BQAAAA==</BinaryString>", "");
    let variant = "<string name=\"MaterialVariantSerialized\">Planks</string>";
    let broken = "<Vector3 name=\"size\"><X>a</X></Vector3>";
    let parts = [
        part("Part", "P", 0.0, variant, ""),
        item("Part", "Q", broken, ""),
        item("NoSuchClass", "N", "", ""),
    ];
    let effect = item("BloomEffect", "B", "", "");
    let mut found = losses(&[&parts.concat()[..], &terrain, &effect].concat());
    found.sort();
    let expected = [
        "changed: P: the material variant \"Planks\" becomes its base material",
        "changed: Q: the size of a part, whose value of type Vector3 cannot be read: the default is used",
        "dropped: B: the class BloomEffect is not supported",
        "dropped: N: the class NoSuchClass is unknown",
        "dropped: T: terrain as ClusterGrid, the form before 2012, which is not supported",
    ];
    assert_eq!(found, expected);
}

/// Every part of every real file and fixture that its scene should show is drawn, or a loss says why not.
#[test]
fn every_part_of_real_files_is_drawn_or_listed() {
    for format in ["rbxbinary", "rbxxml"] {
        for sample in testkit::fixtures(format).into_iter().chain(testkit::corpus(format)) {
            let read = |bytes: &[u8]| -> Option<Box<dyn rbxcore::Dom>> {
                Some(match format {
                    "rbxbinary" => Box::new(rbxbinary::from_slice(bytes).ok()?),
                    _ => Box::new(rbxxml::from_slice(bytes).ok()?),
                })
            };
            let Some(document) = read(&sample.bytes) else { continue };
            let options = SceneOptions::default();
            let made = crate::of_document(&*document, &options);
            let Ok((scene, losses)) = made else { continue };
            let is_workspace = |id| document.class(id).is_some_and(|class| class == "Workspace");
            let top = document.roots().find(|&id| is_workspace(id));
            let mut shown = HashSet::new();
            let drawn: HashSet<_> = scene.nodes.iter().filter_map(|node| node.source).collect();
            let mut missing = 0;
            for (at, id) in (0_u32..).zip(document.instances()) {
                let is_below = document.parent(id).is_some_and(|parent| shown.contains(&parent));
                if is_below || top.is_none_or(|top| top == id) {
                    shown.insert(id);
                    let class = document.class(id).map(ToString::to_string).unwrap_or_default();
                    let is_part =
                        rbxcore::classes::class(&*class).is_some_and(|class| class.is_a("BasePart"));
                    missing += usize::from(is_part && class != "Terrain" && !drawn.contains(&at));
                }
            }
            let listed = losses.iter().filter(|loss| loss.what.contains("part") && loss.count > 0);
            let listed: usize = listed.map(|loss| loss.count).sum();
            assert!(missing <= listed, "{}: {missing} parts, {losses:?}", sample.name);
            let vague = losses.iter().find(|loss| loss.what.ends_with("that is not drawn"));
            assert!(vague.is_none(), "{}: {vague:?}", sample.name);
        }
    }
}

/// A frame with a quaternion (type 0x11): a quarter turn about y, which takes +z to +x.
#[test]
fn a_frame_with_a_quaternion() {
    let half = 0.5_f32.sqrt();
    let frame =
        rbxcore::CFrameQuat { position: [1.0, 2.0, 3.0].into(), rotation: [0.0, half, 0.0, half].into() };
    let turned = frame.to_cframe();
    assert_eq!(turned.position.to_array(), [1.0, 2.0, 3.0]);
    let near = |a: &[f32]| a.iter().map(|part| part.round()).collect::<Vec<_>>();
    assert_eq!(near(&turned.rotation.to_rows()), [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0]);
    let mut document = rbxbinary::Document::new();
    let part = rbxbinary::NewInstance::new("Part").property("CFrame", frame);
    rbxbinary::edit::EditOptions::new().as_given(true).insert(&mut document, None, part).expect("a part");
    let (scene, _) = crate::scene_of(&document);
    let world = scene.placed()[0].world;
    assert_eq!((near(&world[2][..3]), near(&world[3])), (vec![2.0, 0.0, 0.0], vec![1.0, 2.0, 3.0, 1.0]));
}
