//! What reading a Roblox document as a scene drops or changes is listed. Most texts are in
//! `crates/rezkit/tests/cmd/losses.trycmd`.

use rezkit_scene::{Reference, Scene, SceneOptions, roblox};

const FRAME: &str = "<R00>1</R00><R01>0</R01><R02>0</R02><R10>0</R10><R11>1</R11><R12>0</R12><R20>0</R20><R21>0</R21>\
                     <R22>1</R22>";

/// An instance with properties and children.
pub(super) fn item(class: &str, name: &str, properties: &str, children: &str) -> String {
    format!(
        "<Item class=\"{class}\" referent=\"{name}\"><Properties><string name=\"Name\">{name}</string>{properties}\
         </Properties>{children}</Item>"
    )
}

fn frame(property: &str, y: f32) -> String {
    format!("<CoordinateFrame name=\"{property}\"><X>0</X><Y>{y}</Y><Z>0</Z>{FRAME}</CoordinateFrame>")
}

fn part(class: &str, name: &str, y: f32, properties: &str, children: &str) -> String {
    let size = "<Vector3 name=\"size\"><X>2</X><Y>2</Y><Z>2</Z></Vector3>";
    item(class, name, &format!("{}{size}{properties}", frame("CFrame", y)), children)
}

/// A rig of LowerTorso and UpperTorso with more children.
pub(super) fn rig(children: &str) -> String {
    let joint = format!(
        "<Ref name=\"Part0\">LowerTorso</Ref><Ref name=\"Part1\">UpperTorso</Ref>{}{}",
        frame("C0", 1.0),
        frame("C1", 0.0)
    );
    let parts = [part("Part", "LowerTorso", 0.0, "", ""), part("Part", "UpperTorso", 2.0, "", "")].concat();
    item("Model", "Rig", "", &format!("{parts}{}{children}", item("Motor6D", "Joint", &joint, "")))
}

pub(super) fn read_at(items: &str, path: Option<&str>) -> Result<(Scene, Vec<String>), String> {
    let document = rbxxml::from_str(&format!("<roblox version=\"4\">{items}</roblox>")).expect("a document");
    let mut options = SceneOptions::default();
    options.path = path.map(str::to_owned);
    let made = roblox::from_xml(&document, &options, &mut |_: &Reference, _: u64| Ok(None));
    let (scene, losses) = made.map_err(|error| error.to_string())?;
    Ok((scene, losses.iter().map(|loss| format!("{}: {loss}", loss.kind.label())).collect()))
}

pub(super) fn losses(items: &str) -> Vec<String> {
    read_at(items, None).expect("a scene").1
}

/// A time of a keyframe, and what it contains.
pub(super) fn keyframe(time: f32, poses: &str) -> String {
    item("Keyframe", "Keyframe", &format!("<float name=\"Time\">{time}</float>"), poses)
}

pub(super) fn pose(y: f32) -> String {
    item("Pose", "UpperTorso", &frame("CFrame", y), "")
}

/// The path of a loss is the path by which documents find the instance.
#[test]
fn the_path_of_a_loss_selects_its_instance() {
    let mesh = "<Content name=\"MeshId\"><url>rbxassetid://7</url></Content>";
    let parts = ["", mesh].map(|mesh| part("MeshPart", "a/b", 0.0, mesh, "")).concat();
    let model = format!("<roblox version=\"4\">{}</roblox>", item("Model", "m", "", &parts));
    let document = rbxxml::from_str(&model).expect("a document");
    let (_, losses) =
        roblox::from_xml(&document, &SceneOptions::default(), &mut |_: &Reference, _: u64| Ok(None))
            .expect("a scene");
    let path = &losses.iter().find(|loss| loss.what.contains("was not found")).expect("listed").path;
    assert_eq!(path, "m/a\\/b[1]");
    let found = document.find(path.as_str()).expect("the instance");
    assert!(document.get(found, "MeshId").is_some(), "the second one");
}

/// The bytes of a property as base64: two keys at 0 s and 1 s with the values 0 and 1.
const CURVE: &str = "AgAAAAIAAAABAAAAAAAAAAAAAAAAAAEAAACAPwAAAAAAAAAAAQAAAAIAAAAAAAAAYAkAAA==";

pub(super) fn curve(class: &str, name: &str, bytes: &str, children: &str) -> String {
    let bytes = format!("<BinaryString name=\"ValuesAndTimes\">{bytes}</BinaryString>");
    item(class, name, &bytes, children)
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
    assert_eq!(
        found,
        [
            "changed: Rig/A/UpperTorso/R: cubic keys of a RotationCurve become linear keys",
            "dropped: Rig/A/M: curve keys with a negative time, or with infinite or NaN numbers",
            "dropped: Rig/A/UpperTorso/Angles: keys of an EulerRotationCurve, since its part also has a \
             RotationCurve (and 1 more)",
        ]
    );
    assert_eq!(scene.animations[0].extras["Markers"].as_array().map(Vec::len), Some(1));
}

/// Of two animations with one name and one that cannot be converted, each finding has the path of its own.
#[test]
fn findings_about_animations() {
    let sequence = |end: f32, style: u32| {
        let style = format!("<token name=\"EasingStyle\">{style}</token>");
        let pose = |y: f32| item("Pose", "UpperTorso", &format!("{}{style}", frame("CFrame", y)), "");
        let frames = [keyframe(0.0, &pose(0.0)), keyframe(end, &pose(1.0))].concat();
        item("KeyframeSequence", "W", "", &frames)
    };
    // The second has eased keys that are too far apart to be sampled.
    let items =
        rig(&[sequence(20.0, 0), sequence(3000.0, 3), item("KeyframeSequence", "W", "", "")].concat());
    let document = rbxxml::from_str(&format!("<roblox version=\"4\">{items}</roblox>")).expect("a document");
    let budget = &mut rezkit_scene::Budget::new(1 << 24);
    let facts = roblox::animations_in_xml(&document, budget).expect("animations");
    let all: Vec<_> = facts.into_iter().zip(["W", "W[1]", "W[2]"].map(str::to_owned)).collect();
    let (scene, _) =
        roblox::from_xml(&document, &SceneOptions::default(), &mut |_: &Reference, _: u64| Ok(None))
            .expect("a scene");
    let found = roblox::check_animations(&scene, &all, budget).expect("checked");
    let found: Vec<_> = found.iter().map(|one| format!("{} {}: {}", one.rule, one.path, one.found)).collect();
    assert_eq!(
        found
            .iter()
            .filter(|one| !one.contains("positions") && !one.contains("moving-parts"))
            .collect::<Vec<_>>(),
        [
            "roblox-animation.length W: the animation lasts 20 s",
            "roblox-animation.length W[1]: the animation lasts 3000 s",
            "roblox-animation.length W[2]: the animation lasts 0 s",
            "roblox-animation.still W[2]: the animation has no keys"
        ]
    );
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
        let document =
            rbxxml::from_str(&format!("<roblox version=\"4\">{model}</roblox>")).expect("a document");
        let mut sources = |_: &Reference, _: u64| Ok(Some(image.to_vec()));
        let (scene, losses) =
            roblox::from_xml(&document, &SceneOptions::default(), &mut sources).expect("a scene");
        (scene.nodes.len() - 1, losses.iter().map(|loss| loss.count).sum::<usize>())
    };
    assert_eq!(nodes(&decal(1).repeat(50)), (50, 0), "the slope shows the decals of the top");
    let both = decal(1).repeat(50) + &decal(5).repeat(2);
    assert_eq!(nodes(&both), (2, 50), "the slope shows the decals of the front");
}
