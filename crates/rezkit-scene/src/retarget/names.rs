//! The rigs that are known: the names of their joints, and the joints of Second Life's avatar that they are. The avatar's
//! names serve as those of a human's joints, since it has the most.

use std::collections::{HashMap, HashSet};

use slmesh::joints::{self, Joint, JointKind};

use crate::model::{Node, Scene};

/// The extra of a node that is a bone; its value is the name of the bone in VRM 1.0.
pub(crate) const VRM_BONE: &str = "vrm_bone";

/// A kind of rig. `*` in a name is replaced by the side. Names are compared by their letters and digits, in lower case.
pub(crate) struct Row {
    pub(crate) title: &'static str,
    /// Its name as an option; empty for names that are only recognized.
    pub(crate) option: &'static str,
    /// The prefix of names, which a number may follow.
    pub(crate) prefix: &'static str,
    /// The names of the left and the right side.
    sides: [&'static str; 2],
    /// Pairs of a joint of the rig and one of the avatar. If several are paired with one of the avatar's, the last is
    /// used: it moves with the others.
    joints: &'static [(&'static str, &'static str)],
    /// The fingers, from the thumb to the smallest; the joints of each are numbered.
    fingers: [&'static str; 5],
    /// The names of a finger's joints, from the hand.
    links: [&'static str; 3],
    /// The angle of the arms below the horizontal in the rest pose, in degrees.
    pub(crate) arms: f32,
}

/// No fingers.
const WITHOUT: ([&str; 5], [&str; 3]) = ([""; 5], [""; 3]);

#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    Row {
        title: "Mixamo", option: "mixamo", prefix: "mixamorig:", sides: ["Left", "Right"], arms: 0.0,
        joints: &[
            ("Hips", "mPelvis"), ("Spine", "mTorso"), ("Spine1", "mChest"), ("Spine2", "mChest"), ("Neck", "mNeck"),
            ("Head", "mHead"), ("*Eye", "mEye*"), ("*Shoulder", "mCollar*"), ("*Arm", "mShoulder*"),
            ("*ForeArm", "mElbow*"), ("*Hand", "mWrist*"), ("*UpLeg", "mHip*"), ("*Leg", "mKnee*"),
            ("*Foot", "mAnkle*"), ("*ToeBase", "mFoot*"),
        ],
        fingers: ["*HandThumb", "*HandIndex", "*HandMiddle", "*HandRing", "*HandPinky"],
        links: ["1", "2", "3"],
    },
    Row {
        title: VRM, option: "vrm", prefix: "", sides: ["left", "right"], arms: 0.0,
        joints: &[
            ("hips", "mPelvis"), ("spine", "mTorso"), ("chest", "mChest"), ("upperChest", "mChest"), ("neck", "mNeck"),
            ("head", "mHead"), ("jaw", "mFaceJaw"), ("*Eye", "mEye*"), ("*Shoulder", "mCollar*"),
            ("*UpperArm", "mShoulder*"), ("*LowerArm", "mElbow*"), ("*Hand", "mWrist*"), ("*UpperLeg", "mHip*"),
            ("*LowerLeg", "mKnee*"), ("*Foot", "mAnkle*"), ("*Toes", "mFoot*"), ("*ThumbMetacarpal", "mHandThumb1*"),
        ],
        fingers: ["*Thumb", "*Index", "*Middle", "*Ring", "*Little"],
        links: ["Proximal", "Intermediate", "Distal"],
    },
    Row {
        title: "VRoid", option: "vroid", prefix: "J_Bip_", sides: ["L_", "R_"], arms: 0.0,
        joints: &[
            ("C_Hips", "mPelvis"), ("C_Spine", "mTorso"), ("C_Chest", "mChest"), ("C_UpperChest", "mChest"),
            ("C_Neck", "mNeck"), ("C_Head", "mHead"), ("*Shoulder", "mCollar*"), ("*UpperArm", "mShoulder*"),
            ("*LowerArm", "mElbow*"), ("*Hand", "mWrist*"), ("*UpperLeg", "mHip*"), ("*LowerLeg", "mKnee*"),
            ("*Foot", "mAnkle*"), ("*ToeBase", "mFoot*"),
        ],
        fingers: ["*Thumb", "*Index", "*Middle", "*Ring", "*Little"],
        links: ["1", "2", "3"],
    },
    Row {
        title: "Rigify", option: "rigify", prefix: "DEF-", sides: [".L", ".R"], arms: 0.0,
        joints: &[
            ("spine", "mPelvis"), ("spine.001", "mTorso"), ("spine.002", "mChest"), ("spine.003", "mChest"),
            ("spine.004", "mNeck"), ("spine.005", "mHead"), ("spine.006", "mHead"), ("jaw", "mFaceJaw"),
            ("shoulder*", "mCollar*"), ("upper_arm*", "mShoulder*"), ("forearm*", "mElbow*"), ("hand*", "mWrist*"),
            ("thigh*", "mHip*"), ("shin*", "mKnee*"), ("foot*", "mAnkle*"), ("toe*", "mFoot*"),
        ],
        fingers: ["thumb", "f_index", "f_middle", "f_ring", "f_pinky"],
        links: [".01*", ".02*", ".03*"],
    },
    Row {
        title: "Unreal", option: "unreal", prefix: "", sides: ["_l", "_r"], arms: 45.0,
        joints: &[
            ("pelvis", "mPelvis"), ("spine_01", "mTorso"), ("spine_02", "mChest"), ("spine_03", "mChest"),
            ("neck_01", "mNeck"), ("head", "mHead"), ("clavicle*", "mCollar*"), ("upperarm*", "mShoulder*"),
            ("lowerarm*", "mElbow*"), ("hand*", "mWrist*"), ("thigh*", "mHip*"), ("calf*", "mKnee*"),
            ("foot*", "mAnkle*"), ("ball*", "mFoot*"),
        ],
        fingers: ["thumb", "index", "middle", "ring", "pinky"],
        links: ["_01*", "_02*", "_03*"],
    },
    // The default rig of MakeHuman: several of its bones are the parts of one limb, of which the first turns.
    Row {
        title: "MakeHuman", option: "makehuman", prefix: "", sides: [".L", ".R"], arms: 45.0,
        joints: &[
            ("root", "mPelvis"), ("spine05", "mPelvis"), ("spine04", "mTorso"), ("spine03", "mTorso"),
            ("spine02", "mChest"), ("spine01", "mChest"), ("neck01", "mNeck"), ("head", "mHead"), ("jaw", "mFaceJaw"),
            ("eye*", "mEye*"), ("clavicle*", "mCollar*"), ("upperarm01*", "mShoulder*"), ("lowerarm01*", "mElbow*"),
            ("wrist*", "mWrist*"), ("upperleg01*", "mHip*"), ("lowerleg01*", "mKnee*"), ("foot*", "mAnkle*"),
        ],
        fingers: ["finger1", "finger2", "finger3", "finger4", "finger5"],
        links: ["-1*", "-2*", "-3*"],
    },
    // The rig of MakeHuman's BVH files; `Hips` only holds the legs.
    Row {
        title: "MakeHuman", option: "", prefix: "", sides: ["_L", "_R"], arms: 0.0,
        joints: &[
            ("Root", "mPelvis"), ("Spine1", "mTorso"), ("Spine2", "mChest"), ("Spine3", "mChest"), ("Neck", "mNeck"),
            ("Head", "mHead"), ("Jaw", "mFaceJaw"), ("Eye*", "mEye*"), ("Clavicle*", "mCollar*"),
            ("UpArm*", "mShoulder*"), ("LoArm*", "mElbow*"), ("Hand*", "mWrist*"), ("UpLeg*", "mHip*"),
            ("LoLeg*", "mKnee*"), ("Foot*", "mAnkle*"), ("Toe*", "mFoot*"),
        ],
        fingers: ["Thumb", "Index", "Middle", "Ring", "Pinky"],
        links: ["1*", "2*", "3*"],
    },
    // Genesis 3 and 8 of Daz; older figures have the names that Second Life uses, too.
    Row {
        title: "Daz", option: "daz", prefix: "", sides: ["l", "r"], arms: 0.0,
        joints: &[
            ("hip", "mPelvis"), ("abdomenLower", "mTorso"), ("abdomenUpper", "mTorso"), ("chestLower", "mChest"),
            ("chestUpper", "mChest"), ("neckLower", "mNeck"), ("head", "mHead"), ("*Eye", "mEye*"),
            ("*Collar", "mCollar*"), ("*ShldrBend", "mShoulder*"), ("*ForearmBend", "mElbow*"), ("*Hand", "mWrist*"),
            ("*ThighBend", "mHip*"), ("*Shin", "mKnee*"), ("*Foot", "mAnkle*"), ("*Toe", "mFoot*"),
        ],
        fingers: ["*Thumb", "*Index", "*Mid", "*Ring", "*Pinky"],
        links: ["1", "2", "3"],
    },
    // The first BVH files, those of MakeHuman, and those of Poser's exports; thighs are `Hip` or `UpLeg`.
    Row {
        title: "Biovision", option: "", prefix: "", sides: ["Left", "Right"], arms: 90.0,
        joints: &[
            ("Hips", "mPelvis"), ("Chest", "mChest"), ("Chest2", "mChest"), ("Neck", "mNeck"), ("Head", "mHead"),
            ("*Collar", "mCollar*"), ("*UpArm", "mShoulder*"), ("*Shoulder", "mShoulder*"), ("*LowArm", "mElbow*"),
            ("*Elbow", "mElbow*"), ("*Hand", "mWrist*"), ("*Wrist", "mWrist*"), ("*UpLeg", "mHip*"), ("*Hip", "mHip*"),
            ("*LowLeg", "mKnee*"), ("*Knee", "mKnee*"), ("*Foot", "mAnkle*"), ("*Ankle", "mAnkle*"), ("*Toe", "mFoot*"),
        ],
        fingers: WITHOUT.0,
        links: WITHOUT.1,
    },
    Row {
        title: "Biped", option: "", prefix: "Bip", sides: ["L", "R"], arms: 0.0,
        joints: &[
            ("Pelvis", "mPelvis"), ("Spine", "mTorso"), ("Spine1", "mChest"), ("Spine2", "mChest"), ("Neck", "mNeck"),
            ("Head", "mHead"), ("*Clavicle", "mCollar*"), ("*UpperArm", "mShoulder*"), ("*Forearm", "mElbow*"),
            ("*Hand", "mWrist*"), ("*Thigh", "mHip*"), ("*Calf", "mKnee*"), ("*Foot", "mAnkle*"), ("*Toe0", "mFoot*"),
        ],
        fingers: WITHOUT.0,
        links: WITHOUT.1,
    },
    Row {
        title: "KayKit", option: "", prefix: "", sides: [".l", ".r"], arms: 0.0,
        joints: &[
            ("hips", "mPelvis"), ("spine", "mTorso"), ("chest", "mChest"), ("head", "mHead"),
            ("upperarm*", "mShoulder*"), ("lowerarm*", "mElbow*"), ("wrist*", "mWrist*"), ("upperleg*", "mHip*"),
            ("lowerleg*", "mKnee*"), ("foot*", "mAnkle*"), ("toes*", "mFoot*"),
        ],
        fingers: WITHOUT.0,
        links: WITHOUT.1,
    },
    Row {
        title: R6, option: "", prefix: "", sides: ["Left", "Right"], arms: 90.0,
        joints: &[("Torso", "mPelvis"), ("Head", "mHead"), ("*Arm", "mShoulder*"), ("*Leg", "mHip*")],
        fingers: WITHOUT.0,
        links: WITHOUT.1,
    },
    Row {
        title: R15, option: "", prefix: "", sides: ["Left", "Right"], arms: 90.0,
        joints: &[
            ("LowerTorso", "mPelvis"), ("UpperTorso", "mTorso"), ("Head", "mHead"), ("*UpperArm", "mShoulder*"),
            ("*LowerArm", "mElbow*"), ("*Hand", "mWrist*"), ("*UpperLeg", "mHip*"), ("*LowerLeg", "mKnee*"),
            ("*Foot", "mAnkle*"),
        ],
        fingers: WITHOUT.0,
        links: WITHOUT.1,
    },
];

/// The title of the rig with VRM's names of bones.
const VRM: &str = "VRM";
/// The titles of Roblox's avatars.
pub(crate) const R6: &str = "Roblox R6";
pub(crate) const R15: &str = "Roblox R15";

/// The sides in the avatar's names.
const SIDES: [&str; 2] = ["Left", "Right"];
const FINGERS: [&str; 5] = ["Thumb", "Index", "Middle", "Ring", "Pinky"];

impl Row {
    /// The names of the rig with the avatar's joints, from the fingers to the rest.
    pub(crate) fn names(&self) -> Vec<(String, &'static Joint)> {
        let fingers = self.fingers.iter().zip(FINGERS).filter(|(finger, _)| !finger.is_empty());
        let fingers = fingers.flat_map(|(finger, own)| {
            let links = (1..).zip(self.links);
            links.map(move |(number, link)| (format!("{finger}{link}"), format!("mHand{own}{number}*")))
        });
        let own = self.joints.iter().map(|(name, own)| ((*name).to_owned(), (*own).to_owned()));
        let mut names = Vec::new();
        for (name, own) in fingers.chain(own) {
            let sides = self.sides.into_iter().zip(SIDES).take(if name.contains('*') { 2 } else { 1 });
            names.extend(sides.filter_map(|(side, own_side)| {
                Some((name.replace('*', side), joints::find(&own.replace('*', own_side))?))
            }));
        }
        names
    }

    /// The avatar's joint for each plain name, with its rank; higher ranks take precedence. `metacarpals`: whether thumbs
    /// begin with a metacarpal, as in VRM 1.0.
    fn table(&self, metacarpals: bool) -> HashMap<String, (usize, &'static Joint)> {
        let mut table = HashMap::new();
        for (rank, (name, joint)) in self.names().into_iter().enumerate() {
            let name = plain(&name);
            let side = SIDES.into_iter().find(|_| metacarpals && name.ends_with("thumbproximal"));
            let own_side = if joint.name.ends_with(SIDES[1]) { SIDES[1] } else { SIDES[0] };
            let second = side.and_then(|_| joints::find(&format!("mHandThumb2{own_side}")));
            table.insert(name, (rank, second.unwrap_or(joint)));
        }
        table
    }
}

/// The joints of the avatar that nodes correspond to.
pub(crate) struct Mapped {
    /// The kind of the rig; `None` for the avatar's own names.
    pub(crate) title: Option<&'static str>,
    /// The joint of each node.
    pub(crate) joints: Vec<Option<&'static Joint>>,
}

impl Mapped {
    /// Maps nodes by the bones that VRM's extensions name, and the others by the rig that most names belong to.
    pub(crate) fn new(scene: &Scene) -> Self {
        let by_names = Self::by_names(scene);
        let bone = |node: &Node| node.extras.get(VRM_BONE).and_then(|bone| bone.as_str()).map(plain);
        let bones: Vec<Option<String>> = scene.nodes.iter().map(bone).collect();
        let Some(vrm) =
            ROWS.iter().find(|rig| rig.title == VRM).filter(|_| bones.iter().any(Option::is_some))
        else {
            return by_names;
        };
        let table = vrm.table(true);
        let found = bones.iter().zip(by_names.joints).map(|(bone, by_name)| match bone {
            // Bones of the extension take precedence over names; among them, the rank decides as for names.
            Some(bone) => table.get(bone).map(|(rank, joint)| (2 + rank, *joint)),
            None => by_name.map(|joint| (1, joint)),
        });
        Self { title: Some(VRM), joints: single(scene, found.collect()) }
    }

    /// Maps nodes by the rig that most names belong to.
    fn by_names(scene: &Scene) -> Self {
        let found = scene.nodes.iter().map(|node| {
            joints::find(&node.name).filter(|joint| joint.kind != JointKind::Hud).map(|joint| (0, joint))
        });
        let found: Vec<_> = found.collect();
        let exact = |(node, found): (&Node, &Option<(usize, &'static Joint)>)| {
            found.filter(|(_, joint)| joint.name == node.name)
        };
        let own = scene.nodes.iter().zip(&found).map(exact).collect();
        let mut best = Self { title: None, joints: single(scene, found) };
        let plain: Vec<String> = scene.nodes.iter().map(|node| self::plain(&node.name)).collect();
        for rig in ROWS {
            let table = rig.table(plain.iter().any(|name| name.ends_with("thumbmetacarpal")));
            let prefix = self::plain(rig.prefix);
            let found = plain.iter().zip(&scene.nodes).map(|(name, node)| {
                // MakeHuman has a bone with such a name to each joint.
                if node.name.starts_with("__") {
                    return None;
                }
                let rest = name.strip_prefix(&*prefix).map_or(name.as_str(), |rest| {
                    if prefix.is_empty() {
                        rest
                    } else {
                        rest.trim_start_matches(|c: char| c.is_ascii_digit())
                    }
                });
                // Names with the prefix take precedence.
                let (rank, joint) = table.get(rest)?;
                Some((2 * rank + usize::from(rest.len() < name.len()), *joint))
            });
            let joints = single(scene, found.collect());
            let count = |joints: &[Option<&Joint>]| joints.iter().flatten().count();
            if count(&joints) > count(&best.joints) {
                best = Self { title: Some(rig.title), joints };
            }
        }
        // A few names of fingers or of a face must not decide what the limbs are.
        if let Some(by_words) =
            super::words::joints(scene).filter(|by_words| limbs(by_words) > limbs(&best.joints))
        {
            let known: HashSet<&str> = by_words.iter().flatten().map(|joint| joint.name).collect();
            let others =
                best.joints.into_iter().map(|joint| joint.filter(|joint| !known.contains(joint.name)));
            let joints = by_words.into_iter().zip(others).map(|(joint, other)| joint.or(other)).collect();
            best = Self { title: Some("humanoid"), joints };
        }
        // A rig can have further joints with the avatar's names, such as those that the option joints gives them.
        let known: HashSet<&str> = best.joints.iter().flatten().map(|joint| joint.name).collect();
        for (joint, own) in best.joints.iter_mut().zip(single(scene, own)) {
            *joint = joint.or(own.filter(|own| !known.contains(own.name)));
        }
        best
    }

    /// The node of each joint.
    pub(crate) fn nodes(&self) -> HashMap<&'static str, usize> {
        self.joints
            .iter()
            .enumerate()
            .filter_map(|(node, joint)| Some((joint.as_ref()?.name, node)))
            .collect()
    }
}

/// The number of joints of the limbs, the trunk and the head.
fn limbs(joints: &[Option<&Joint>]) -> usize {
    let has = |names: &[&str]| joints.iter().flatten().any(|joint| names.contains(&joint.name));
    let trunk = [has(&["mPelvis"]), has(&["mTorso", "mChest"]), has(&["mHead"])];
    let limbs = ["mShoulder", "mElbow", "mWrist", "mHip", "mKnee", "mAnkle"];
    let limbs = limbs.iter().flat_map(|limb| SIDES.map(|side| has(&[&format!("{limb}{side}")])));
    trunk.into_iter().chain(limbs).filter(|has| *has).count()
}

/// The name of the part of Roblox that a node moves, by its name; Model 3D and BVH have no spaces in names.
pub(crate) fn of_pose(name: &str) -> Option<&str> {
    name.strip_suffix(" pose").or_else(|| name.strip_suffix("_pose"))
}

/// The letters and digits of a name, in lower case; only the last part of `armature|name`, and without the suffix of nodes
/// that move parts of Roblox.
pub(crate) fn plain(name: &str) -> String {
    let name = name.rsplit('|').next().unwrap_or_default();
    let name = of_pose(name).unwrap_or(name);
    name.chars().filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
}

/// Keeps one node for each joint: the one with the highest rank; then a joint of a skin before other nodes; then the
/// first.
fn single(scene: &Scene, found: Vec<Option<(usize, &'static Joint)>>) -> Vec<Option<&'static Joint>> {
    let mut is_joint = vec![false; scene.nodes.len()];
    scene.joints().for_each(|joint| is_joint[joint] = true);
    let mut best: HashMap<&str, (usize, bool, usize)> = HashMap::new();
    for node in scene.walk() {
        let Some((rank, joint)) = found[node] else { continue };
        let this = (rank, is_joint[node], node);
        let there = best.entry(joint.name).or_insert(this);
        if (this.0, this.1) > (there.0, there.1) {
            *there = this;
        }
    }
    let kept = |(node, found): (usize, Option<(usize, &'static Joint)>)| {
        found.map(|(_, joint)| joint).filter(|joint| best.get(joint.name).is_some_and(|best| best.2 == node))
    };
    found.into_iter().enumerate().map(kept).collect()
}
