//! Animations that are written for a rig: the work is limited.

use rezkit_core::ErrorKind;
use rezkit_scene::{Animation, ModelOptions, Node, RigModel, Scene};

use crate::turned;

/// A scene with an animation of the first node, until a time.
fn scene(names: &[&str], end: f32) -> Scene {
    let mut scene = Scene::default();
    for name in names {
        scene.add_node(None, Node { name: (*name).to_owned(), ..Node::default() });
    }
    scene.animations.push(Animation { channels: vec![turned(0, end)], ..Animation::default() });
    scene
}

/// A model with parts `a`, `b` and so on, and a motor between the first and each other.
fn rig(count: usize) -> RigModel {
    let mut text = String::from("<roblox version=\"4\"><Item class=\"Model\" referent=\"M\">");
    for at in 0..count {
        let name = if at == 0 {
            "a".to_owned()
        } else if at == 1 {
            "b".to_owned()
        } else {
            format!("j{at}")
        };
        text += &format!(
            "<Item class=\"Part\" referent=\"P{at}\"><Properties><string name=\"Name\">{name}</string></Properties>\
             </Item>"
        );
        if at > 0 {
            text += &format!(
                "<Item class=\"Motor6D\" referent=\"J{at}\"><Properties><Ref name=\"Part0\">P0</Ref>\
                 <Ref name=\"Part1\">P{at}</Ref></Properties></Item>"
            );
        }
    }
    RigModel::Document((text + "</Item></roblox>").into_bytes().into())
}

#[test]
fn samples_of_many_joints_without_nodes_are_limited() {
    let wide = |count: usize| {
        let options = ModelOptions::new().only_animations(true).rig(rig(count));
        rezkit_scene::roblox_model::RBXM.write_model(&scene(&["b"], 1900.0), "a", &options, 1 << 28)
    };
    assert!(wide(10).is_ok());
    let error = wide(4000).expect_err("too many");
    assert_eq!(error.kind(), ErrorKind::Effort, "{error}");
}

/// A rig that came from Roblox, with these parts and those above them, in which each moves.
fn own<A: AsRef<str>>(joints: impl IntoIterator<Item = [A; 2]>) -> Scene {
    let mut scene = scene(&["Top"], 1.0);
    scene.animations[0].channels.clear();
    let named = |name: String| Node { name, ..Node::default() };
    for [above, part] in joints {
        let above = scene.nodes.iter().rposition(|node| node.name == above.as_ref());
        let joint = scene.add_node(above, named(format!("{} C0", part.as_ref())));
        let pose = scene.add_node(Some(joint), named(format!("{} pose", part.as_ref())));
        scene.add_node(Some(pose), named(part.as_ref().to_owned()));
        scene.animations[0].channels.push(turned(pose, 1.0));
    }
    scene
}

/// The poses of the first keyframe, and the pose that each is in.
fn poses(scene: &Scene) -> Vec<(String, Option<String>)> {
    let made = rezkit_scene::roblox_model::RBXM.write(scene, "a", 1 << 26).expect("written");
    let document = rbxbinary::from_slice(&made.bytes).expect("a model");
    let is = |at, class: &str| document.class(at).is_some_and(|own| own == class);
    let (mut found, mut frames) = (Vec::new(), 0);
    for instance in document.instances() {
        frames += usize::from(is(instance, "Keyframe"));
        if is(instance, "Pose") && frames == 1 {
            let above = document.parent(instance).filter(|&above| is(above, "Pose"));
            let name = |at| document.name(at).map(ToString::to_string).unwrap_or_default();
            found.push((name(instance), above.map(name)));
        }
    }
    found.sort();
    found
}

#[test]
fn poses_of_parts_in_a_cycle_are_kept() {
    let pair = |part: &str, above: Option<&str>| (part.to_owned(), above.map(str::to_owned));
    let chain = own([["Top", "a"], ["a", "b"], ["b", "c"]]);
    let wanted = [pair("Top", None), pair("a", Some("Top")), pair("b", Some("a")), pair("c", Some("b"))];
    assert_eq!(poses(&chain), wanted);
    // The later of the joints of a part applies.
    let cycle = own([["Top", "a"], ["a", "b"], ["b", "a"]]);
    assert_eq!(poses(&cycle), [pair("a", Some("b")), pair("b", None)]);
}

/// 4 times the parts, each in the one before, need at most 6 times as much memory.
#[test]
fn nested_parts_are_ordered_once() {
    let [few, many] = [50, 200].map(|count| {
        let name = |at: usize| if at == 0 { "Top".to_owned() } else { format!("q{at}") };
        let made = own((0..count).map(|at| [name(at), name(at + 1)]));
        testkit::measure(|| assert!(rezkit_scene::roblox_model::RBXM.write(&made, "a", 1 << 26).is_ok()))
            .bytes_total
    });
    assert!(many < few * 6, "{few} bytes for 50, {many} for 200");
}
