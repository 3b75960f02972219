//! What refers to nothing, or cannot be kept beside other values, is listed.

use rezkit_scene::{Levels, Scene};

use crate::{budget, shown};

/// A Roblox mesh with a skin, changed.
fn read(levels: Levels, change: impl FnOnce(&mut rbxmesh::Mesh)) -> (Scene, Vec<String>) {
    let mut mesh = rbxmesh::from_slice(&testkit::fixture("rbxmesh", "v4_01_skin.mesh")).expect("a mesh");
    mesh.bones[1].name = "Arm".into();
    change(&mut mesh);
    let (scene, losses) = rezkit_scene::rbxmesh::to_scene(&mesh, levels, &mut budget()).expect("a scene");
    (scene, shown(&losses))
}

/// The first level of a mesh of four vertices has the vertices 0, 1 and 2, the second 0, 2 and 3.
#[test]
fn weights_of_unknown_bones_of_a_roblox_mesh() {
    let change = |mesh: &mut rbxmesh::Mesh| {
        mesh.envelopes[1].indices[1] = 26;
        mesh.envelopes[3].indices[0] = 200;
        mesh.envelopes[3].weights = [255, 0, 0, 0];
    };
    let unknown =
        "weights of bones that do not exist: the other weights of the vertex are scaled to a sum of 1";
    assert_eq!(read(Levels::Finest, change).1[0], format!("dropped: envelopes[1]: {unknown}"));
    let (scene, losses) = read(Levels::All, change);
    let expected = [
        &format!("dropped: envelopes[1]: {unknown} (and 1 more)"),
        "changed: envelopes[3]: the vertex follows no bone of the mesh: bound to the first bone",
        "dropped: bones[1].culling: the distance beyond which a bone does not move (and 1 more)",
    ];
    assert_eq!(losses, expected);
    let last = &scene.meshes[1].primitives[0].mesh;
    assert_eq!((last.joints[2], last.weights[2]), ([0; 4], [1.0, 0.0, 0.0, 0.0]));
    let (_, losses) = read(Levels::All, |mesh| mesh.faces[1][2] = 4);
    assert_eq!(losses[0], "dropped: faces: a face with a vertex index that is out of range");
}

fn with_frames(skin: &str, frames: &str) -> (Scene, Vec<String>) {
    let text = format!(
        "3dmodel 1\na\nMIT\nme\n\n\nVertex\n0 0 0 1{skin}\n1 0 0 1{skin}\n0 1 0 1{skin}\n0.5 0 0 1\n0.2 0.1 0 1\n0 0 0 1\n\
         \nBones\n0 5 root\n\nAction 1000 walk\n{frames}\nMesh\n0 1 2\n\nEnd\n"
    );
    let (scene, losses) = crate::of_model(&text);
    (scene, shown(&losses))
}

#[test]
fn frames_that_are_not_in_order() {
    let times = |scene: &Scene| scene.animations[0].channels[0].times.clone();
    let (scene, losses) = with_frames(
        "",
        "frame 0\n0 0 5\nframe 500\n0 1 5\nframe 300\n0 2 5\nframe 300\n0 3 5\nframe 900\n0 4 5\n",
    );
    assert_eq!(times(&scene), [0.0, 0.3, 0.9, 1.0]);
    let what = "dropped: actions[0].frames[2].transforms[0]: poses of the bone in preceding frames that have the \
             same time as this one, or a later time (and 1 more)";
    assert_eq!(losses, [what]);
    let (scene, losses) =
        with_frames("", "frame 0\n0 0 5\nframe 400\n0 1 5\nframe 500\n0 2 5\nframe 300\n0 3 5\n");
    assert_eq!((times(&scene), losses.len()), (vec![0.0, 0.3, 1.0], 1), "both later poses are replaced");
}

/// The bones of the mesh are a chain with the culling distances 0, 10 and 20.
#[test]
fn bones_of_a_roblox_mesh_that_nodes_cannot_represent() {
    let read = |change: &dyn Fn(&mut [rbxmesh::Bone])| {
        let (scene, mut losses) = read(Levels::Finest, |mesh| {
            mesh.bones.iter_mut().for_each(|bone| bone.culling = 0.0);
            change(&mut mesh.bones);
        });
        let numbers = scene.skins[0].inverse_bind.as_flattened().as_flattened();
        assert!(numbers.iter().all(|number| number.is_finite()));
        losses.retain(|loss| loss.contains("bones["));
        losses
    };
    assert_eq!(read(&|_| ()), [""; 0]);
    let root = "changed: bones[0]: the bone becomes a root, because its parent does not come before it in the list of \
                bones";
    assert_eq!(read(&|bones| (bones[0].parent, bones[0].lod_parent) = (Some(2), Some(2))), [root]);
    let own = [root.to_owned() + " (and 1 more)"];
    let parents = |bones: &mut [rbxmesh::Bone]| {
        (bones[0].parent, bones[0].lod_parent) = (Some(0), Some(0));
        (bones[2].parent, bones[2].lod_parent) = (Some(99), Some(99));
    };
    assert_eq!(read(&parents), own);
    let lower = "dropped: bones[1].lod_parent: the parent of a bone in lower levels of detail, which differs from that \
                 in the first level";
    assert_eq!(read(&|bones| bones[1].lod_parent = None), [lower]);
    let inverse = "changed: bones[2]: the bind pose of a bone cannot be inverted: the bone is not rotated, and is \
                   placed at 0, 0, 0 if its position is infinite or NaN";
    assert_eq!(read(&|bones| bones[2].rotation = geom::Mat3::from_rows([0.0; 9])), [inverse]);
    assert_eq!(read(&|bones| bones[2].position = [f32::NAN, 0.0, 0.0].into()), [inverse]);
    let shear = "changed: bones[2]: the shear of the bind pose is dropped: only translation, rotation and scale are \
                 kept";
    let sheared = geom::Mat3::from_rows([1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(read(&|bones| bones[2].rotation = sheared), [shear]);
}

#[test]
fn poses_that_refer_to_nothing() {
    let (_, losses) = with_frames("", "frame 0\n0 0 5\n0 1 5\n7 1 5\nframe 500\n0 99 5\n0 2 98\n");
    let wanted = [
        "dropped: actions[0].frames[1].transforms[0]: a position whose vertex does not exist",
        "dropped: actions[0].frames[1].transforms[1]: an orientation whose vertex does not exist",
        "dropped: actions[0].frames[0].transforms[2]: the pose of a bone that does not exist",
        "dropped: actions[0].frames[0].transforms[1]: the previous pose of the bone, since the frame lists the \
             bone more than once (and 1 more)",
    ];
    assert_eq!(losses, wanted);
}

#[test]
fn weights_of_unknown_bones_of_a_model() {
    let (_, losses) = with_frames(" 0:0.5 9:0.5", "frame 0\n0 0 5\n");
    let what = "dropped: meshes[0].skins: weights of bones that do not exist: the other weights of the vertex are scaled \
          to a sum of 1 (and 2 more)";
    assert_eq!(losses, [what]);
}
