//! The joints of an avatar, which a skin may name.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The kind of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JointKind {
    /// A bone of the skeleton.
    Bone,
    /// A collision volume, which follows the shape of the avatar ("fitted mesh").
    Collision,
    /// An attachment point.
    Attachment,
    /// An attachment point on the screen (HUD): the viewer accepts it in a skin, but it is useless for a mesh.
    Hud,
}

/// A joint that the viewer knows.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Joint {
    /// Its name in a skin.
    pub name: &'static str,
    /// Its kind.
    pub kind: JointKind,
    /// The joint that it follows; `None` for the first bone.
    pub parent: Option<&'static str>,
    /// The position of a bone in its parent at rest, in metres: x forward, y left, z up. Bones have no rotation at
    /// rest. 0 for other joints.
    pub position: [f32; 3],
    /// Other names, which the uploader replaces by [`Joint::name`]. For attachment points of more than one word
    /// [`find`] also accepts `_` for the spaces.
    pub aliases: &'static [&'static str],
}

/// Finds a joint by its name or an alias.
///
/// ```
/// use slmesh::joints;
///
/// assert_eq!(joints::find("hip").map(|joint| joint.name), Some("mPelvis"));
/// assert_eq!(joints::find("Left_Hand").and_then(|joint| joint.parent), Some("mWristLeft"));
/// assert_eq!(joints::find("mThirdArm"), None);
/// ```
pub fn find(name: &str) -> Option<&'static Joint> {
    let is_point = |joint: &&Joint| matches!(joint.kind, JointKind::Attachment | JointKind::Hud);
    // Files have `_` for the spaces in the names of attachment points.
    let spaced = || NAMES.get(&*name.replace('_', " ")).copied().filter(is_point);
    NAMES.get(name).copied().or_else(spaced)
}

/// The joints by their names and aliases; if two joints have the same one, the first.
static NAMES: LazyLock<HashMap<&str, &Joint>> = LazyLock::new(|| {
    let mut names = HashMap::new();
    for joint in ALL {
        for name in std::iter::once(joint.name).chain(joint.aliases.iter().copied()) {
            names.entry(name).or_insert(joint);
        }
    }
    names
});

const fn bone(
    name: &'static str,
    parent: &'static str,
    aliases: &'static [&'static str],
    position: [f32; 3],
) -> Joint {
    let parent = if parent.is_empty() { None } else { Some(parent) };
    Joint { name, kind: JointKind::Bone, parent, position, aliases }
}

const fn other(kind: JointKind, name: &'static str, parent: &'static str) -> Joint {
    Joint { name, kind, parent: Some(parent), position: [0.0; 3], aliases: &[] }
}

use JointKind::{Attachment, Collision, Hud};

/// Every joint that the viewer knows, in the order of its skeleton; attachment points last.
#[rustfmt::skip]
pub const ALL: &[Joint] = &[
    bone("mPelvis", "", &["hip", "avatar_mPelvis"], [0.0, 0.0, 1.067]),
    other(Collision, "PELVIS", "mPelvis"),
    other(Collision, "BUTT", "mPelvis"),
    bone("mSpine1", "mPelvis", &["avatar_mSpine1"], [0.0, 0.0, 0.084]),
    bone("mSpine2", "mSpine1", &["avatar_mSpine2"], [0.0, 0.0, -0.084]),
    bone("mTorso", "mSpine2", &["abdomen", "avatar_mTorso"], [0.0, 0.0, 0.084]),
    other(Collision, "BELLY", "mTorso"),
    other(Collision, "LEFT_HANDLE", "mTorso"),
    other(Collision, "RIGHT_HANDLE", "mTorso"),
    other(Collision, "LOWER_BACK", "mTorso"),
    bone("mSpine3", "mTorso", &["avatar_mSpine3"], [-0.015, 0.0, 0.205]),
    bone("mSpine4", "mSpine3", &["avatar_mSpine4"], [0.015, 0.0, -0.205]),
    bone("mChest", "mSpine4", &["chest", "avatar_mChest"], [-0.015, 0.0, 0.205]),
    other(Collision, "CHEST", "mChest"),
    other(Collision, "LEFT_PEC", "mChest"),
    other(Collision, "RIGHT_PEC", "mChest"),
    other(Collision, "UPPER_BACK", "mChest"),
    bone("mNeck", "mChest", &["neck", "avatar_mNeck"], [-0.01, 0.0, 0.251]),
    other(Collision, "NECK", "mNeck"),
    bone("mHead", "mNeck", &["head", "avatar_mHead"], [0.0, 0.0, 0.076]),
    other(Collision, "HEAD", "mHead"),
    bone("mSkull", "mHead", &["figureHair", "avatar_mSkull"], [0.0, 0.0, 0.079]),
    bone("mEyeRight", "mHead", &["avatar_mEyeRight"], [0.098, -0.036, 0.079]),
    bone("mEyeLeft", "mHead", &["avatar_mEyeLeft"], [0.098, 0.036, 0.079]),
    bone("mFaceRoot", "mHead", &["avatar_mFaceRoot"], [0.025, 0.0, 0.045]),
    bone("mFaceEyeAltRight", "mFaceRoot", &["avatar_mFaceEyeAltRight"], [0.073, -0.036, 0.034]),
    bone("mFaceEyeAltLeft", "mFaceRoot", &["avatar_mFaceEyeAltLeft"], [0.073, 0.036, 0.034]),
    bone("mFaceForeheadLeft", "mFaceRoot", &["avatar_mFaceForeheadLeft"], [0.061, 0.035, 0.083]),
    bone("mFaceForeheadRight", "mFaceRoot", &["avatar_mFaceForeheadRight"], [0.061, -0.035, 0.083]),
    bone("mFaceEyebrowOuterLeft", "mFaceRoot", &["avatar_mFaceEyebrowOuterLeft"], [0.064, 0.051, 0.048]),
    bone("mFaceEyebrowCenterLeft", "mFaceRoot", &["avatar_mFaceEyebrowCenterLeft"], [0.07, 0.043, 0.056]),
    bone("mFaceEyebrowInnerLeft", "mFaceRoot", &["avatar_mFaceEyebrowInnerLeft"], [0.075, 0.022, 0.051]),
    bone("mFaceEyebrowOuterRight", "mFaceRoot", &["avatar_mFaceEyebrowOuterRight"], [0.064, -0.051, 0.048]),
    bone("mFaceEyebrowCenterRight", "mFaceRoot", &["avatar_mFaceEyebrowCenterRight"], [0.07, -0.043, 0.056]),
    bone("mFaceEyebrowInnerRight", "mFaceRoot", &["avatar_mFaceEyebrowInnerRight"], [0.075, -0.022, 0.051]),
    bone("mFaceEyeLidUpperLeft", "mFaceRoot", &["avatar_mFaceEyeLidUpperLeft"], [0.073, 0.036, 0.034]),
    bone("mFaceEyeLidLowerLeft", "mFaceRoot", &["avatar_mFaceEyeLidLowerLeft"], [0.073, 0.036, 0.034]),
    bone("mFaceEyeLidUpperRight", "mFaceRoot", &["avatar_mFaceEyeLidUpperRight"], [0.073, -0.036, 0.034]),
    bone("mFaceEyeLidLowerRight", "mFaceRoot", &["avatar_mFaceEyeLidLowerRight"], [0.073, -0.036, 0.034]),
    bone("mFaceEar1Left", "mFaceRoot", &["avatar_mFaceEar1Left"], [0.0, 0.08, 0.002]),
    bone("mFaceEar2Left", "mFaceEar1Left", &["avatar_mFaceEar2Left"], [-0.019, 0.018, 0.025]),
    bone("mFaceEar1Right", "mFaceRoot", &["avatar_mFaceEar1Right"], [0.0, -0.08, 0.002]),
    bone("mFaceEar2Right", "mFaceEar1Right", &["avatar_mFaceEar2Right"], [-0.019, -0.018, 0.025]),
    bone("mFaceNoseLeft", "mFaceRoot", &["avatar_mFaceNoseLeft"], [0.086, 0.015, -0.004]),
    bone("mFaceNoseCenter", "mFaceRoot", &["avatar_mFaceNoseCenter"], [0.102, 0.0, 0.0]),
    bone("mFaceNoseRight", "mFaceRoot", &["avatar_mFaceNoseRight"], [0.086, -0.015, -0.004]),
    bone("mFaceCheekLowerLeft", "mFaceRoot", &["avatar_mFaceCheekLowerLeft"], [0.05, 0.034, -0.031]),
    bone("mFaceCheekUpperLeft", "mFaceRoot", &["avatar_mFaceCheekUpperLeft"], [0.07, 0.034, -0.005]),
    bone("mFaceCheekLowerRight", "mFaceRoot", &["avatar_mFaceCheekLowerRight"], [0.05, -0.034, -0.031]),
    bone("mFaceCheekUpperRight", "mFaceRoot", &["avatar_mFaceCheekUpperRight"], [0.07, -0.034, -0.005]),
    bone("mFaceJaw", "mFaceRoot", &["avatar_mFaceJaw"], [-0.001, 0.0, -0.015]),
    bone("mFaceChin", "mFaceJaw", &["avatar_mFaceChin"], [0.074, 0.0, -0.054]),
    bone("mFaceTeethLower", "mFaceJaw", &["avatar_mFaceTeethLower"], [0.021, 0.0, -0.039]),
    bone("mFaceLipLowerLeft", "mFaceTeethLower", &["avatar_mFaceLipLowerLeft"], [0.045, 0.0, 0.0]),
    bone("mFaceLipLowerRight", "mFaceTeethLower", &["avatar_mFaceLipLowerRight"], [0.045, 0.0, 0.0]),
    bone("mFaceLipLowerCenter", "mFaceTeethLower", &["avatar_mFaceLipLowerCenter"], [0.045, 0.0, 0.0]),
    bone("mFaceTongueBase", "mFaceTeethLower", &["avatar_mFaceTongueBase"], [0.039, 0.0, 0.005]),
    bone("mFaceTongueTip", "mFaceTongueBase", &["avatar_mFaceTongueTip"], [0.022, 0.0, 0.007]),
    bone("mFaceJawShaper", "mFaceRoot", &["avatar_mFaceJawShaper"], [0.0, 0.0, 0.0]),
    bone("mFaceForeheadCenter", "mFaceRoot", &["avatar_mFaceForeheadCenter"], [0.069, 0.0, 0.065]),
    bone("mFaceNoseBase", "mFaceRoot", &["avatar_mFaceNoseBase"], [0.094, 0.0, -0.016]),
    bone("mFaceTeethUpper", "mFaceRoot", &["avatar_mFaceTeethUpper"], [0.02, 0.0, -0.03]),
    bone("mFaceLipUpperLeft", "mFaceTeethUpper", &["avatar_mFaceLipUpperLeft"], [0.045, 0.0, -0.003]),
    bone("mFaceLipUpperRight", "mFaceTeethUpper", &["avatar_mFaceLipUpperRight"], [0.045, 0.0, -0.003]),
    bone("mFaceLipCornerLeft", "mFaceTeethUpper", &["avatar_mFaceLipCornerLeft"], [0.028, -0.019, -0.01]),
    bone("mFaceLipCornerRight", "mFaceTeethUpper", &["avatar_mFaceLipCornerRight"], [0.028, 0.019, -0.01]),
    bone("mFaceLipUpperCenter", "mFaceTeethUpper", &["avatar_mFaceLipUpperCenter"], [0.045, 0.0, -0.003]),
    bone("mFaceEyecornerInnerLeft", "mFaceRoot", &["avatar_mFaceEyecornerInnerLeft"], [0.075, 0.017, 0.032]),
    bone("mFaceEyecornerInnerRight", "mFaceRoot", &["avatar_mFaceEyecornerInnerRight"], [0.075, -0.017, 0.032]),
    bone("mFaceNoseBridge", "mFaceRoot", &["avatar_mFaceNoseBridge"], [0.091, 0.0, 0.02]),
    bone("mCollarLeft", "mChest", &["lCollar", "avatar_mCollarLeft"], [-0.021, 0.085, 0.165]),
    other(Collision, "L_CLAVICLE", "mCollarLeft"),
    bone("mShoulderLeft", "mCollarLeft", &["lShldr", "avatar_mShoulderLeft"], [0.0, 0.079, 0.0]),
    other(Collision, "L_UPPER_ARM", "mShoulderLeft"),
    bone("mElbowLeft", "mShoulderLeft", &["lForeArm", "avatar_mElbowLeft"], [0.0, 0.248, 0.0]),
    other(Collision, "L_LOWER_ARM", "mElbowLeft"),
    bone("mWristLeft", "mElbowLeft", &["lHand", "avatar_mWristLeft"], [0.0, 0.205, 0.0]),
    other(Collision, "L_HAND", "mWristLeft"),
    bone("mHandMiddle1Left", "mWristLeft", &["avatar_mHandMiddle1Left"], [0.013, 0.101, 0.015]),
    bone("mHandMiddle2Left", "mHandMiddle1Left", &["avatar_mHandMiddle2Left"], [-0.001, 0.04, -0.006]),
    bone("mHandMiddle3Left", "mHandMiddle2Left", &["avatar_mHandMiddle3Left"], [-0.001, 0.049, -0.008]),
    bone("mHandIndex1Left", "mWristLeft", &["avatar_mHandIndex1Left"], [0.038, 0.097, 0.015]),
    bone("mHandIndex2Left", "mHandIndex1Left", &["avatar_mHandIndex2Left"], [0.017, 0.036, -0.006]),
    bone("mHandIndex3Left", "mHandIndex2Left", &["avatar_mHandIndex3Left"], [0.014, 0.032, -0.006]),
    bone("mHandRing1Left", "mWristLeft", &["avatar_mHandRing1Left"], [-0.01, 0.099, 0.009]),
    bone("mHandRing2Left", "mHandRing1Left", &["avatar_mHandRing2Left"], [-0.013, 0.038, -0.008]),
    bone("mHandRing3Left", "mHandRing2Left", &["avatar_mHandRing3Left"], [-0.013, 0.04, -0.009]),
    bone("mHandPinky1Left", "mWristLeft", &["avatar_mHandPinky1Left"], [-0.031, 0.095, 0.003]),
    bone("mHandPinky2Left", "mHandPinky1Left", &["avatar_mHandPinky2Left"], [-0.024, 0.025, -0.006]),
    bone("mHandPinky3Left", "mHandPinky2Left", &["avatar_mHandPinky3Left"], [-0.015, 0.018, -0.004]),
    bone("mHandThumb1Left", "mWristLeft", &["avatar_mHandThumb1Left"], [0.031, 0.026, 0.004]),
    bone("mHandThumb2Left", "mHandThumb1Left", &["avatar_mHandThumb2Left"], [0.028, 0.032, -0.001]),
    bone("mHandThumb3Left", "mHandThumb2Left", &["avatar_mHandThumb3Left"], [0.023, 0.031, -0.001]),
    bone("mCollarRight", "mChest", &["rCollar", "avatar_mCollarRight"], [-0.021, -0.085, 0.165]),
    other(Collision, "R_CLAVICLE", "mCollarRight"),
    bone("mShoulderRight", "mCollarRight", &["rShldr", "avatar_mShoulderRight"], [0.0, -0.079, 0.0]),
    other(Collision, "R_UPPER_ARM", "mShoulderRight"),
    bone("mElbowRight", "mShoulderRight", &["rForeArm", "avatar_mElbowRight"], [0.0, -0.248, 0.0]),
    other(Collision, "R_LOWER_ARM", "mElbowRight"),
    bone("mWristRight", "mElbowRight", &["rHand", "avatar_mWristRight"], [0.0, -0.205, 0.0]),
    other(Collision, "R_HAND", "mWristRight"),
    bone("mHandMiddle1Right", "mWristRight", &["avatar_mHandMiddle1Right"], [0.013, -0.101, 0.015]),
    bone("mHandMiddle2Right", "mHandMiddle1Right", &["avatar_mHandMiddle2Right"], [-0.001, -0.04, -0.006]),
    bone("mHandMiddle3Right", "mHandMiddle2Right", &["avatar_mHandMiddle3Right"], [-0.001, -0.049, -0.008]),
    bone("mHandIndex1Right", "mWristRight", &["avatar_mHandIndex1Right"], [0.038, -0.097, 0.015]),
    bone("mHandIndex2Right", "mHandIndex1Right", &["avatar_mHandIndex2Right"], [0.017, -0.036, -0.006]),
    bone("mHandIndex3Right", "mHandIndex2Right", &["avatar_mHandIndex3Right"], [0.014, -0.032, -0.006]),
    bone("mHandRing1Right", "mWristRight", &["avatar_mHandRing1Right"], [-0.01, -0.099, 0.009]),
    bone("mHandRing2Right", "mHandRing1Right", &["avatar_mHandRing2Right"], [-0.013, -0.038, -0.008]),
    bone("mHandRing3Right", "mHandRing2Right", &["avatar_mHandRing3Right"], [-0.013, -0.04, -0.009]),
    bone("mHandPinky1Right", "mWristRight", &["avatar_mHandPinky1Right"], [-0.031, -0.095, 0.003]),
    bone("mHandPinky2Right", "mHandPinky1Right", &["avatar_mHandPinky2Right"], [-0.024, -0.025, -0.006]),
    bone("mHandPinky3Right", "mHandPinky2Right", &["avatar_mHandPinky3Right"], [-0.015, -0.018, -0.004]),
    bone("mHandThumb1Right", "mWristRight", &["avatar_mHandThumb1Right"], [0.031, -0.026, 0.004]),
    bone("mHandThumb2Right", "mHandThumb1Right", &["avatar_mHandThumb2Right"], [0.028, -0.032, -0.001]),
    bone("mHandThumb3Right", "mHandThumb2Right", &["avatar_mHandThumb3Right"], [0.023, -0.031, -0.001]),
    bone("mWingsRoot", "mChest", &["avatar_mWingsRoot"], [-0.014, 0.0, 0.0]),
    bone("mWing1Left", "mWingsRoot", &["avatar_mWing1Left"], [-0.099, 0.105, 0.181]),
    bone("mWing2Left", "mWing1Left", &["avatar_mWing2Left"], [-0.168, 0.169, 0.067]),
    bone("mWing3Left", "mWing2Left", &["avatar_mWing3Left"], [-0.181, 0.183, 0.0]),
    bone("mWing4Left", "mWing3Left", &["avatar_mWing4Left"], [-0.171, 0.173, 0.0]),
    bone("mWing4FanLeft", "mWing3Left", &["avatar_mWing4FanLeft"], [-0.171, 0.173, 0.0]),
    bone("mWing1Right", "mWingsRoot", &["avatar_mWing1Right"], [-0.099, -0.105, 0.181]),
    bone("mWing2Right", "mWing1Right", &["avatar_mWing2Right"], [-0.168, -0.169, 0.067]),
    bone("mWing3Right", "mWing2Right", &["avatar_mWing3Right"], [-0.181, -0.183, 0.0]),
    bone("mWing4Right", "mWing3Right", &["avatar_mWing4Right"], [-0.171, -0.173, 0.0]),
    bone("mWing4FanRight", "mWing3Right", &["avatar_mWing4FanRight"], [-0.171, -0.173, 0.0]),
    bone("mHipRight", "mPelvis", &["rThigh", "avatar_mHipRight"], [0.034, -0.129, -0.041]),
    other(Collision, "R_UPPER_LEG", "mHipRight"),
    bone("mKneeRight", "mHipRight", &["rShin", "avatar_mKneeRight"], [-0.001, 0.049, -0.491]),
    other(Collision, "R_LOWER_LEG", "mKneeRight"),
    bone("mAnkleRight", "mKneeRight", &["rFoot", "avatar_mAnkleRight"], [-0.029, 0.0, -0.468]),
    other(Collision, "R_FOOT", "mAnkleRight"),
    bone("mFootRight", "mAnkleRight", &["avatar_mFootRight"], [0.112, 0.0, -0.061]),
    bone("mToeRight", "mFootRight", &["avatar_mToeRight"], [0.109, 0.0, 0.0]),
    bone("mHipLeft", "mPelvis", &["lThigh", "avatar_mHipLeft"], [0.034, 0.127, -0.041]),
    other(Collision, "L_UPPER_LEG", "mHipLeft"),
    bone("mKneeLeft", "mHipLeft", &["lShin", "avatar_mKneeLeft"], [-0.001, -0.046, -0.491]),
    other(Collision, "L_LOWER_LEG", "mKneeLeft"),
    bone("mAnkleLeft", "mKneeLeft", &["lFoot", "avatar_mAnkleLeft"], [-0.029, 0.001, -0.468]),
    other(Collision, "L_FOOT", "mAnkleLeft"),
    bone("mFootLeft", "mAnkleLeft", &["avatar_mFootLeft"], [0.112, 0.0, -0.061]),
    bone("mToeLeft", "mFootLeft", &["avatar_mToeLeft"], [0.109, 0.0, 0.0]),
    bone("mTail1", "mPelvis", &["avatar_mTail1"], [-0.116, 0.0, 0.047]),
    bone("mTail2", "mTail1", &["avatar_mTail2"], [-0.197, 0.0, 0.0]),
    bone("mTail3", "mTail2", &["avatar_mTail3"], [-0.168, 0.0, 0.0]),
    bone("mTail4", "mTail3", &["avatar_mTail4"], [-0.142, 0.0, 0.0]),
    bone("mTail5", "mTail4", &["avatar_mTail5"], [-0.112, 0.0, 0.0]),
    bone("mTail6", "mTail5", &["avatar_mTail6"], [-0.094, 0.0, 0.0]),
    bone("mGroin", "mPelvis", &["avatar_mGroin"], [0.064, 0.0, -0.097]),
    bone("mHindLimbsRoot", "mPelvis", &["avatar_mHindLimbsRoot"], [-0.2, 0.0, 0.084]),
    bone("mHindLimb1Left", "mHindLimbsRoot", &["avatar_mHindLimb1Left"], [-0.204, 0.129, -0.125]),
    bone("mHindLimb2Left", "mHindLimb1Left", &["avatar_mHindLimb2Left"], [0.002, -0.046, -0.491]),
    bone("mHindLimb3Left", "mHindLimb2Left", &["avatar_mHindLimb3Left"], [-0.03, -0.003, -0.468]),
    bone("mHindLimb4Left", "mHindLimb3Left", &["avatar_mHindLimb4Left"], [0.112, 0.0, -0.061]),
    bone("mHindLimb1Right", "mHindLimbsRoot", &["avatar_mHindLimb1Right"], [-0.204, -0.129, -0.125]),
    bone("mHindLimb2Right", "mHindLimb1Right", &["avatar_mHindLimb2Right"], [0.002, 0.046, -0.491]),
    bone("mHindLimb3Right", "mHindLimb2Right", &["avatar_mHindLimb3Right"], [-0.03, 0.003, -0.468]),
    bone("mHindLimb4Right", "mHindLimb3Right", &["avatar_mHindLimb4Right"], [0.112, 0.0, -0.061]),
    other(Attachment, "Chest", "mChest"),
    other(Attachment, "Skull", "mHead"),
    other(Attachment, "Left Shoulder", "mCollarLeft"),
    other(Attachment, "Right Shoulder", "mCollarRight"),
    other(Attachment, "Left Hand", "mWristLeft"),
    other(Attachment, "Right Hand", "mWristRight"),
    other(Attachment, "Left Foot", "mFootLeft"),
    other(Attachment, "Right Foot", "mFootRight"),
    other(Attachment, "Spine", "mChest"),
    other(Attachment, "Pelvis", "mPelvis"),
    other(Attachment, "Mouth", "mHead"),
    other(Attachment, "Chin", "mHead"),
    other(Attachment, "Left Ear", "mHead"),
    other(Attachment, "Right Ear", "mHead"),
    other(Attachment, "Left Eyeball", "mEyeLeft"),
    other(Attachment, "Right Eyeball", "mEyeRight"),
    other(Attachment, "Nose", "mHead"),
    other(Attachment, "R Upper Arm", "mShoulderRight"),
    other(Attachment, "R Forearm", "mElbowRight"),
    other(Attachment, "L Upper Arm", "mShoulderLeft"),
    other(Attachment, "L Forearm", "mElbowLeft"),
    other(Attachment, "Right Hip", "mHipRight"),
    other(Attachment, "R Upper Leg", "mHipRight"),
    other(Attachment, "R Lower Leg", "mKneeRight"),
    other(Attachment, "Left Hip", "mHipLeft"),
    other(Attachment, "L Upper Leg", "mHipLeft"),
    other(Attachment, "L Lower Leg", "mKneeLeft"),
    other(Attachment, "Stomach", "mPelvis"),
    other(Attachment, "Left Pec", "mTorso"),
    other(Attachment, "Right Pec", "mTorso"),
    other(Hud, "Center 2", "mScreen"),
    other(Hud, "Top Right", "mScreen"),
    other(Hud, "Top", "mScreen"),
    other(Hud, "Top Left", "mScreen"),
    other(Hud, "Center", "mScreen"),
    other(Hud, "Bottom Left", "mScreen"),
    other(Hud, "Bottom", "mScreen"),
    other(Hud, "Bottom Right", "mScreen"),
    other(Attachment, "Neck", "mNeck"),
    other(Attachment, "Avatar Center", "mRoot"),
    other(Attachment, "Left Ring Finger", "mHandRing1Left"),
    other(Attachment, "Right Ring Finger", "mHandRing1Right"),
    other(Attachment, "Tail Base", "mTail1"),
    other(Attachment, "Tail Tip", "mTail6"),
    other(Attachment, "Left Wing", "mWing4Left"),
    other(Attachment, "Right Wing", "mWing4Right"),
    other(Attachment, "Jaw", "mFaceJaw"),
    other(Attachment, "Alt Left Ear", "mFaceEar1Left"),
    other(Attachment, "Alt Right Ear", "mFaceEar1Right"),
    other(Attachment, "Alt Left Eye", "mFaceEyeAltLeft"),
    other(Attachment, "Alt Right Eye", "mFaceEyeAltRight"),
    other(Attachment, "Tongue", "mFaceTongueTip"),
    other(Attachment, "Groin", "mGroin"),
    other(Attachment, "Left Hind Foot", "mHindLimb4Left"),
    other(Attachment, "Right Hind Foot", "mHindLimb4Right"),
];
