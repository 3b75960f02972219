//! The joint names of other rigs, and the corresponding joints of the avatar.

use std::collections::{HashMap, HashSet};

use rezkit_core::plain::shorten;
use rezkit_core::{Error, Result};
use slmesh::joints::{self, Joint, JointKind};

use crate::gltf::VRM_BONE;
use crate::model::{Node, Scene};

/// A kind of rig. Names are compared by their letters and digits, in lower case; `*` is replaced by the side.
struct Rig {
    title: &'static str,
    /// The prefix of names, which a number may follow.
    prefix: &'static str,
    /// The names of the left and the right side.
    sides: [&'static str; 2],
    /// Pairs of a joint of the rig and one of the avatar. If several are paired with one of the avatar's, the last is
    /// used: it moves with the others.
    joints: &'static [(&'static str, &'static str)],
    /// The fingers, from the thumb to the smallest; the joints of each are numbered.
    fingers: [&'static str; 5],
    /// The names of a finger's joints, from the hand.
    links: [&'static str; 3],
}

#[rustfmt::skip]
const RIGS: &[Rig] = &[
    Rig {
        title: "Mixamo",
        prefix: "mixamorig",
        sides: ["left", "right"],
        joints: &[
            ("hips", "mPelvis"), ("spine", "mTorso"), ("spine1", "mChest"), ("spine2", "mChest"), ("neck", "mNeck"),
            ("head", "mHead"), ("*eye", "mEye*"), ("*shoulder", "mCollar*"), ("*arm", "mShoulder*"),
            ("*forearm", "mElbow*"), ("*hand", "mWrist*"), ("*upleg", "mHip*"), ("*leg", "mKnee*"),
            ("*foot", "mAnkle*"), ("*toebase", "mFoot*"),
        ],
        fingers: ["*handthumb", "*handindex", "*handmiddle", "*handring", "*handpinky"],
        links: ["1", "2", "3"],
    },
    Rig {
        title: VRM,
        prefix: "",
        sides: ["left", "right"],
        joints: &[
            ("hips", "mPelvis"), ("spine", "mTorso"), ("chest", "mChest"), ("upperchest", "mChest"), ("neck", "mNeck"),
            ("head", "mHead"), ("jaw", "mFaceJaw"), ("*eye", "mEye*"), ("*shoulder", "mCollar*"),
            ("*upperarm", "mShoulder*"), ("*lowerarm", "mElbow*"), ("*hand", "mWrist*"), ("*upperleg", "mHip*"),
            ("*lowerleg", "mKnee*"), ("*foot", "mAnkle*"), ("*toes", "mFoot*"), ("*thumbmetacarpal", "mHandThumb1*"),
        ],
        fingers: ["*thumb", "*index", "*middle", "*ring", "*little"],
        links: ["proximal", "intermediate", "distal"],
    },
    Rig {
        title: "VRoid",
        prefix: "jbip",
        sides: ["l", "r"],
        joints: &[
            ("chips", "mPelvis"), ("cspine", "mTorso"), ("cchest", "mChest"), ("cupperchest", "mChest"),
            ("cneck", "mNeck"), ("chead", "mHead"), ("*shoulder", "mCollar*"), ("*upperarm", "mShoulder*"),
            ("*lowerarm", "mElbow*"), ("*hand", "mWrist*"), ("*upperleg", "mHip*"), ("*lowerleg", "mKnee*"),
            ("*foot", "mAnkle*"), ("*toebase", "mFoot*"),
        ],
        fingers: ["*thumb", "*index", "*middle", "*ring", "*little"],
        links: ["1", "2", "3"],
    },
    Rig {
        title: "Rigify",
        prefix: "def",
        sides: ["l", "r"],
        joints: &[
            ("spine", "mPelvis"), ("spine001", "mTorso"), ("spine002", "mChest"), ("spine003", "mChest"),
            ("spine004", "mNeck"), ("spine005", "mHead"), ("spine006", "mHead"), ("jaw", "mFaceJaw"),
            ("shoulder*", "mCollar*"), ("upperarm*", "mShoulder*"), ("forearm*", "mElbow*"), ("hand*", "mWrist*"),
            ("thigh*", "mHip*"), ("shin*", "mKnee*"), ("foot*", "mAnkle*"), ("toe*", "mFoot*"),
        ],
        fingers: ["thumb", "findex", "fmiddle", "fring", "fpinky"],
        links: ["01*", "02*", "03*"],
    },
    // The first BVH files, those of MakeHuman, and those of Poser's exports; thighs are `Hip` or `UpLeg`.
    Rig {
        title: "Biovision",
        prefix: "",
        sides: ["left", "right"],
        joints: &[
            ("hips", "mPelvis"), ("chest", "mChest"), ("chest2", "mChest"), ("neck", "mNeck"), ("head", "mHead"),
            ("*collar", "mCollar*"), ("*uparm", "mShoulder*"), ("*shoulder", "mShoulder*"), ("*lowarm", "mElbow*"),
            ("*elbow", "mElbow*"), ("*hand", "mWrist*"), ("*wrist", "mWrist*"), ("*upleg", "mHip*"), ("*hip", "mHip*"),
            ("*lowleg", "mKnee*"), ("*knee", "mKnee*"), ("*foot", "mAnkle*"), ("*ankle", "mAnkle*"), ("*toe", "mFoot*"),
        ],
        fingers: [""; 5],
        links: [""; 3],
    },
    Rig {
        title: "Roblox R6",
        prefix: "",
        sides: ["left", "right"],
        joints: &[("torso", "mPelvis"), ("head", "mHead"), ("*arm", "mShoulder*"), ("*leg", "mHip*")],
        fingers: [""; 5],
        links: [""; 3],
    },
    Rig {
        title: "Roblox R15",
        prefix: "",
        sides: ["left", "right"],
        joints: &[
            ("lowertorso", "mPelvis"), ("uppertorso", "mTorso"), ("head", "mHead"), ("*upperarm", "mShoulder*"),
            ("*lowerarm", "mElbow*"), ("*hand", "mWrist*"), ("*upperleg", "mHip*"), ("*lowerleg", "mKnee*"),
            ("*foot", "mAnkle*"),
        ],
        fingers: [""; 5],
        links: [""; 3],
    },
];

/// The title of the rig with VRM's names of bones.
const VRM: &str = "VRM";

/// The sides in the avatar's names.
const SIDES: [&str; 2] = ["Left", "Right"];
const FINGERS: [&str; 5] = ["Thumb", "Index", "Middle", "Ring", "Pinky"];

impl Rig {
    /// The avatar's joint for each name, with its rank; higher ranks take precedence. `metacarpals`: whether thumbs
    /// begin with a metacarpal, as in VRM 1.0.
    fn table(&self, metacarpals: bool) -> HashMap<String, (usize, &'static Joint)> {
        let fingers = self.fingers.iter().zip(FINGERS).filter(|(finger, _)| !finger.is_empty());
        let fingers = fingers.flat_map(|(finger, own)| {
            let links = (1..).zip(self.links);
            links.map(move |(number, link)| (format!("{finger}{link}"), format!("mHand{own}{number}*")))
        });
        let own = self.joints.iter().map(|(name, own)| ((*name).to_owned(), (*own).to_owned()));
        let mut table = HashMap::new();
        for (rank, (name, own)) in fingers.chain(own).enumerate() {
            for (side, own_side) in self.sides.into_iter().zip(SIDES) {
                if let Some(joint) = joints::find(&own.replace('*', own_side)) {
                    table.insert(name.replace('*', side), (rank, joint));
                }
                let second = joints::find(&format!("mHandThumb2{own_side}"));
                if let Some(joint) = second.filter(|_| metacarpals && name == "*thumbproximal") {
                    table.insert(name.replace('*', side), (rank, joint));
                }
            }
        }
        table
    }
}

/// The joints of the avatar that nodes correspond to.
pub(super) struct Mapped {
    /// The kind of the rig; `None` for the avatar's own names.
    pub(super) title: Option<&'static str>,
    /// The joint of each node.
    pub(super) joints: Vec<Option<&'static Joint>>,
}

/// The nodes that correspond to joints of the avatar, by the avatar's names or those of another rig.
pub(crate) fn joints_of(scene: &Scene) -> HashMap<&'static str, usize> {
    Mapped::new(scene).nodes()
}

impl Mapped {
    /// Maps nodes by the bones that VRM's extensions name, and the others by the rig that most names belong to.
    pub(super) fn new(scene: &Scene) -> Self {
        let by_names = Self::by_names(scene);
        let bone = |node: &Node| node.extras.get(VRM_BONE).and_then(|bone| bone.as_str()).map(plain);
        let bones: Vec<Option<String>> = scene.nodes.iter().map(bone).collect();
        let Some(vrm) =
            RIGS.iter().find(|rig| rig.title == VRM).filter(|_| bones.iter().any(Option::is_some))
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
        let plain: Vec<String> = scene.nodes.iter().map(|node| plain(&node.name)).collect();
        for rig in RIGS {
            let table = rig.table(plain.iter().any(|name| name.ends_with("thumbmetacarpal")));
            let found = plain.iter().map(|name| {
                let rest = name.strip_prefix(rig.prefix).map_or(name.as_str(), |rest| {
                    if rig.prefix.is_empty() {
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
        // A rig can have further joints with the avatar's names, such as those that the option joints gives them.
        let known: HashSet<&str> = best.joints.iter().flatten().map(|joint| joint.name).collect();
        for (joint, own) in best.joints.iter_mut().zip(single(scene, own)) {
            *joint = joint.or(own.filter(|own| !known.contains(own.name)));
        }
        best
    }

    /// The node of each joint.
    pub(super) fn nodes(&self) -> HashMap<&'static str, usize> {
        self.joints
            .iter()
            .enumerate()
            .filter_map(|(node, joint)| Some((joint.as_ref()?.name, node)))
            .collect()
    }
}

/// The letters and digits of a name, in lower case; only the last part of `armature|name`.
fn plain(name: &str) -> String {
    let name = name.rsplit('|').next().unwrap_or_default();
    name.chars().filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
}

/// Keeps one node for each joint: the one with the highest rank; then a joint of a skin before other nodes; then the
/// first.
fn single(scene: &Scene, found: Vec<Option<(usize, &'static Joint)>>) -> Vec<Option<&'static Joint>> {
    let mut is_joint = vec![false; scene.nodes.len()];
    scene.skins.iter().flat_map(|skin| &skin.joints).for_each(|&joint| is_joint[joint] = true);
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

/// The avatar's names for the joints of a rig.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JointNames(HashMap<String, &'static str>);

impl JointNames {
    /// Reads a text with one joint per line: its name, `=` or a tab, and the name of the avatar's joint. Lines that
    /// begin with `#` are skipped.
    ///
    /// ```
    /// use rezkit_scene::slmesh::JointNames;
    ///
    /// assert!(JointNames::new("# my rig\nBip01 Pelvis = mPelvis\nBip01 Spine\tmTorso\n").is_ok());
    /// let error = JointNames::new("a = mThirdArm").unwrap_err();
    /// assert!(error.to_string().contains("the avatar has no joint \"mThirdArm\"") && error.path() == "line 1");
    /// ```
    ///
    /// # Errors
    /// If a line has another form, a name occurs twice, or the avatar does not have the joint.
    pub fn new(text: &str) -> Result<Self> {
        let mut names = HashMap::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            if line.starts_with('#') {
                continue;
            }
            let wrong = |what: String| Error::argument(what).at(format!("line {number}"));
            let (name, own) = line.split_once('\t').or_else(|| line.rsplit_once('=')).map_or_else(
                || Err(wrong(format!("expected `name = mJoint`, found {line:?}"))),
                |(name, own)| Ok((name.trim(), own.trim())),
            )?;
            let joint = joints::find(own).ok_or_else(|| wrong(format!("the avatar has no joint {own:?}")))?;
            if names.insert(name.to_owned(), joint.name).is_some() {
                return Err(wrong(format!("the joint name {name:?} occurs a second time")));
            }
        }
        Ok(Self(names))
    }

    /// Renames the nodes of a scene to the avatar's names.
    ///
    /// # Errors
    /// [`Argument`](rezkit_core::ErrorKind::Argument) if no node has one of the names.
    pub fn rename(&self, scene: &mut Scene) -> Result<()> {
        let nodes = scene.nodes.iter_mut().filter_map(|node| Some((self.0.get(&node.name)?, node)));
        let renamed = nodes.map(|(own, node)| (*own).clone_into(&mut node.name));
        match renamed.count() {
            0 => {
                let joints = scene.skins.iter().flat_map(|skin| skin.joints.iter().copied());
                let channels = scene.animations.iter().flat_map(|animation| &animation.channels);
                let nodes = joints.chain(channels.map(|channel| channel.node)).chain(0..scene.nodes.len());
                let mut names = nodes.filter_map(|node| Some(&*scene.nodes.get(node)?.name));
                let example = names.find(|name| !name.is_empty());
                let example =
                    example.map_or_else(String::new, |name| format!(", such as {:?}", shorten(name, 60)));
                Err(Error::argument(format!(
                    "no name on the left side of the joint list (option joints, --joints) is the name of a node of \
                     the file: use the names of its nodes{example}"
                )))
            }
            _ => Ok(()),
        }
    }
}
