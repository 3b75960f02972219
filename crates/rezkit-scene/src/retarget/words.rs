//! Rigs of unknown makers: the joints of a human by the words in their names and by their places in the tree.

use std::collections::HashMap;

use slmesh::joints::{self, Joint};

use crate::model::Scene;

/// What a word names. `Shoulder`, `Arm` and `Leg` name different joints in different rigs, which the others decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Collar,
    Shoulder,
    Arm,
    UpperArm,
    Elbow,
    Wrist,
    Thigh,
    Leg,
    Knee,
    Ankle,
    Toe,
    /// A finger, from the thumb to the smallest.
    Finger(usize),
}

use Part::{Ankle, Arm, Collar, Elbow, Finger, Knee, Leg, Shoulder, Thigh, Toe, UpperArm, Wrist};

/// The words of limbs. Of several in a name, the outermost part counts: the ball of a foot is that of the toes.
const WORDS: &[(&str, Part)] = &[
    ("clavicle", Collar),
    ("collar", Collar),
    ("scapula", Collar),
    ("shoulder", Shoulder),
    ("shldr", Shoulder),
    ("arm", Arm),
    ("upperarm", UpperArm),
    ("uparm", UpperArm),
    ("humerus", UpperArm),
    ("elbow", Elbow),
    ("forearm", Elbow),
    ("lowerarm", Elbow),
    ("lowarm", Elbow),
    ("loarm", Elbow),
    ("radius", Elbow),
    ("hand", Wrist),
    ("wrist", Wrist),
    ("fist", Wrist),
    ("hip", Thigh),
    ("thigh", Thigh),
    ("femur", Thigh),
    ("upperleg", Thigh),
    ("upleg", Thigh),
    ("leg", Leg),
    ("knee", Knee),
    ("shin", Knee),
    ("calf", Knee),
    ("tibia", Knee),
    ("lowerleg", Knee),
    ("lowleg", Knee),
    ("loleg", Knee),
    ("foot", Ankle),
    ("ankle", Ankle),
    ("toe", Toe),
    ("toes", Toe),
    ("toebase", Toe),
    ("ball", Toe),
    ("thumb", Finger(0)),
    ("index", Finger(1)),
    ("middle", Finger(2)),
    ("mid", Finger(2)),
    ("ring", Finger(3)),
    ("pinky", Finger(4)),
    ("little", Finger(4)),
];

/// The words of MikuMikuDance, after the side.
const JAPANESE: &[(&str, Part)] = &[
    ("肩", Collar),
    ("腕", UpperArm),
    ("ひじ", Elbow),
    ("手首", Wrist),
    ("足", Thigh),
    ("ひざ", Knee),
    ("足首", Ankle),
    ("つま先", Toe),
];

/// Words of nodes that are no joints of a human: handles, helpers, ends, and the limbs of animals.
const OTHERS: &[&str] = &[
    "ik",
    "pole",
    "target",
    "ctrl",
    "ctl",
    "control",
    "end",
    "nub",
    "site",
    "tip",
    "twist",
    "roll",
    "helper",
    "attach",
    "slot",
    "weapon",
    "prop",
    "front",
    "back",
    "rear",
    "hind",
    "wing",
    "tail",
    "metacarpal",
];

/// The words of a name, in lower case: parts of `ThisKind2`, `THIS_KIND` and `this.kind` alike. Numbers are left out.
fn words(name: &str) -> Vec<String> {
    let name = name.rsplit(['|', ':']).next().unwrap_or_default();
    let letters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (at, &c) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let next = letters.get(at + 1);
        let begins = c.is_uppercase()
            && (before.is_some_and(char::is_lowercase)
                || before.is_some_and(char::is_uppercase) && next.is_some_and(|next| next.is_lowercase()));
        if begins || !c.is_alphabetic() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphabetic()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn part_of(word: &str) -> Option<Part> {
    WORDS.iter().find(|(known, _)| *known == word).map(|(_, part)| *part)
}

/// The part and the side, 0 for left, that a name states.
fn limb(name: &str) -> Option<(usize, Part)> {
    for (side, sign) in ['左', '右'].into_iter().enumerate() {
        if let Some(rest) = name.strip_prefix(sign) {
            return JAPANESE.iter().find(|(word, _)| *word == rest).map(|(_, part)| (side, *part));
        }
    }
    let words = words(name);
    if words.iter().any(|word| OTHERS.contains(&word.as_str())) {
        return None;
    }
    let (mut side, mut found, mut half) = (None, None, None);
    for word in &words {
        let sides = [["left", "l", "lft"], ["right", "r", "rt"]];
        if let Some(own) = sides.iter().position(|names| names.contains(&word.as_str())) {
            side = side.or(Some(own));
            continue;
        }
        half = half.or(match word.as_str() {
            "upper" | "up" => Some(true),
            "lower" | "low" | "lo" | "fore" => Some(false),
            _ => None,
        });
        // `lfemur`, `leftknee`; `LUArm` and `LFArm` of OptiTrack.
        let glued = || {
            let starts = [("left", 0), ("right", 1), ("l", 0), ("r", 1)];
            let of = |(start, side): (&str, usize)| Some((side, word.strip_prefix(start)?));
            starts
                .into_iter()
                .filter_map(of)
                .find(|(_, rest)| part_of(rest).is_some() || ["u", "f"].contains(rest))
        };
        let mut own = part_of(word);
        if own.is_none()
            && let Some((its, rest)) = glued()
        {
            side = side.or(Some(its));
            own = part_of(rest);
            half = half.or(Some(rest == "u").filter(|_| own.is_none()));
        }
        found = found.max(own);
    }
    let part = match (found?, half) {
        (Arm, Some(true)) => UpperArm,
        (Arm, Some(false)) => Elbow,
        (Leg, Some(true)) => Thigh,
        (Leg, Some(false)) => Knee,
        (part, _) => part,
    };
    Some((side?, part))
}

/// The tree of the nodes.
struct Tree<'s> {
    scene: &'s Scene,
    parents: Vec<Option<usize>>,
    /// The number of nodes above each.
    depths: Vec<usize>,
}

impl Tree<'_> {
    /// The node and all above it.
    fn way(&self, node: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(node), |&node| self.parents[node])
    }

    /// The lowest node above all of these, or one of them.
    fn common(&self, nodes: &[usize]) -> Option<usize> {
        let (&first, others) = nodes.split_first()?;
        others.iter().try_fold(first, |mut own, &other| {
            let mut other = other;
            while own != other {
                let lower = if self.depths[own] > self.depths[other] { &mut own } else { &mut other };
                *lower = self.parents[*lower]?;
            }
            Some(own)
        })
    }

    fn is_below(&self, node: usize, above: usize) -> bool {
        self.way(node).skip(1).any(|at| at == above)
    }

    /// The first node without a side whose name has a word.
    fn named(&self, order: &[usize], wanted: &str, japanese: &str) -> Option<usize> {
        let is_named = |&&node: &&usize| {
            let name = self.scene.nodes[node].name.as_str();
            name == japanese || limb(name).is_none() && words(name).iter().any(|word| word == wanted)
        };
        order.iter().filter(is_named).min_by_key(|&&node| self.depths[node]).copied()
    }
}

/// The joints of one side, by the avatar's names.
fn side(tree: &Tree<'_>, limbs: &[(usize, Part)]) -> Vec<(&'static str, usize)> {
    let all = |part: Part| limbs.iter().filter(move |(_, own)| *own == part).map(|(node, _)| *node);
    let first = |part: Part| all(part).min_by_key(|&node| tree.depths[node]);
    let mut found = Vec::new();
    // `Shoulder` is the collar bone if an upper arm is below it, and `Arm` that arm; `Leg` is the shin below a thigh.
    let elbow = first(Elbow);
    let upper = first(UpperArm).or_else(|| first(Arm)).or_else(|| first(Shoulder));
    let shoulder = first(Shoulder).filter(|&node| Some(node) != upper);
    let collar = first(Collar).or(shoulder);
    let forearm = first(Arm).filter(|&node| Some(node) != upper);
    let wrist = first(Wrist);
    found.extend([
        ("mCollar", collar),
        ("mShoulder", upper),
        ("mElbow", elbow.or(forearm)),
        ("mWrist", wrist),
    ]);
    // The thigh is the last of joints with different words, as below `LHipJoint`; of several with one, the first.
    let word = |node: usize| words(&tree.scene.nodes[node].name);
    let mut thighs: Vec<usize> = all(Thigh).collect();
    thighs.sort_by_key(|&node| tree.depths[node]);
    thighs.dedup_by(|later, earlier| word(*later) == word(*earlier));
    let knee = first(Knee);
    let thigh = thighs.last().copied().or_else(|| first(Leg));
    let shin = knee.or_else(|| first(Leg).filter(|&node| Some(node) != thigh));
    let ankle = first(Ankle);
    // The `foot` below an ankle is that of the toes.
    let ball = ankle.and_then(|ankle| {
        let below = all(Ankle).filter(|&node| tree.is_below(node, ankle));
        below.min_by_key(|&node| tree.depths[node])
    });
    found.extend([("mHip", thigh), ("mKnee", shin), ("mAnkle", ankle), ("mFoot", first(Toe).or(ball))]);
    found.into_iter().filter_map(|(name, node)| Some((name, node?))).collect()
}

/// The fingers of one side: three joints of each, from the hand.
fn fingers(tree: &Tree<'_>, limbs: &[(usize, Part)], side: &str) -> Vec<(String, usize)> {
    const NAMES: [&str; 5] = ["Thumb", "Index", "Middle", "Ring", "Pinky"];
    let mut found = Vec::new();
    for (finger, name) in NAMES.into_iter().enumerate() {
        let mut links: Vec<usize> =
            limbs.iter().filter(|(_, part)| *part == Finger(finger)).map(|(node, _)| *node).collect();
        links.sort_by_key(|&node| tree.depths[node]);
        found.extend(
            links.into_iter().take(3).zip(1..).map(|(node, link)| (format!("mHand{name}{link}{side}"), node)),
        );
    }
    found
}

/// The joint of the avatar that each node is; `None` if the names do not state both arms or both legs.
pub(super) fn joints(scene: &Scene) -> Option<Vec<Option<&'static Joint>>> {
    let order = scene.walk();
    let parents = scene.parents();
    let mut depths = vec![0; scene.nodes.len()];
    for &node in &order {
        depths[node] = parents[node].map_or(0, |parent| depths[parent] + 1);
    }
    let tree = Tree { scene, parents, depths };
    let mut limbs: [Vec<(usize, Part)>; 2] = Default::default();
    for &node in &order {
        if let Some((side, part)) = limb(&scene.nodes[node].name) {
            limbs[side].push((node, part));
        }
    }
    let mut found: HashMap<String, usize> = HashMap::new();
    for (limbs, own) in limbs.iter().zip(["Left", "Right"]) {
        let parts = side(&tree, limbs);
        found.extend(parts.into_iter().map(|(name, node)| (format!("{name}{own}"), node)));
        found.extend(fingers(&tree, limbs, own));
    }
    let get = |name: &str| found.get(name).copied();
    let pair = |name: &str| Some([get(&format!("{name}Left"))?, get(&format!("{name}Right"))?]);
    let (thighs, arms) = (pair("mHip")?, pair("mShoulder")?);
    let head = tree.named(&order, "head", "頭");
    let pelvis = tree.common(&[&thighs[..], &arms[..]].concat())?;
    let chest = tree.common(&[&arms[..], head.as_slice()].concat())?;
    let mut middle = vec![("mPelvis", pelvis)];
    // The spine, from the hips.
    let mut spine: Vec<usize> = tree.way(chest).take_while(|&node| node != pelvis).collect();
    spine.reverse();
    if let (Some(&last), first) = (spine.last(), spine.first()) {
        middle.push(("mChest", last));
        middle.extend(first.filter(|first| **first != last).map(|&first| ("mTorso", first)));
    }
    if let Some(head) = head {
        middle.push(("mHead", head));
        let above: Vec<usize> = tree.way(head).skip(1).take_while(|&node| node != chest).collect();
        middle.extend(above.last().map(|&neck| ("mNeck", neck)));
    }
    found.extend(middle.into_iter().map(|(name, node)| (name.to_owned(), node)));
    let mut made = vec![None; scene.nodes.len()];
    for (name, node) in found {
        made[node] = joints::find(&name);
    }
    Some(made)
}
