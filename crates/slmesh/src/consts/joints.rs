//! The joints of an avatar, which a skin may name.

/// What a joint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JointKind {
    /// A bone of the skeleton.
    Bone,
    /// A collision volume, which follows the shape of the avatar ("fitted mesh").
    Collision,
    /// An attachment point.
    Attachment,
    /// An attachment point of the screen: accepted, but without use for a mesh.
    Hud,
}

/// A joint that the viewer knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Joint {
    /// Its name in a skin.
    pub name: &'static str,
    /// What it is.
    pub kind: JointKind,
    /// The joint that it follows; `None` for the first bone.
    pub parent: Option<&'static str>,
    /// Other names, which the uploader replaces by [`Joint::name`]. For attachment points of more than one
    /// word [`find`] takes `_` for the spaces too.
    pub aliases: &'static [&'static str],
}

/// The joint of a name or of an alias.
///
/// ```
/// use slmesh::joints;
///
/// assert_eq!(joints::find("hip").map(|joint| joint.name), Some("mPelvis"));
/// assert_eq!(joints::find("Left_Hand").and_then(|joint| joint.parent), Some("mWristLeft"));
/// assert_eq!(joints::find("mThirdArm"), None);
/// ```
pub fn find(name: &str) -> Option<&'static Joint> {
    let spaced = |joint: &Joint| {
        matches!(joint.kind, JointKind::Attachment | JointKind::Hud)
            && joint.name.len() == name.len()
            && joint.name.bytes().zip(name.bytes()).all(|(a, b)| a == b || a == b' ' && b == b'_')
    };
    ALL.iter().find(|joint| joint.name == name || joint.aliases.contains(&name) || spaced(joint))
}

const fn bone(name: &'static str, parent: &'static str, aliases: &'static [&'static str]) -> Joint {
    let parent = if parent.is_empty() { None } else { Some(parent) };
    Joint { name, kind: JointKind::Bone, parent, aliases }
}

const fn other(kind: JointKind, name: &'static str, parent: &'static str) -> Joint {
    Joint { name, kind, parent: Some(parent), aliases: &[] }
}

use JointKind::{Attachment, Collision, Hud};

/// Every joint that the viewer knows, in the order of its skeleton; attachment points last.
#[rustfmt::skip]
pub const ALL: &[Joint] = &[
    bone("mPelvis", "", &["hip", "avatar_mPelvis"]),
    other(Collision, "PELVIS", "mPelvis"),
    other(Collision, "BUTT", "mPelvis"),
    bone("mSpine1", "mPelvis", &["avatar_mSpine1"]),
    bone("mSpine2", "mSpine1", &["avatar_mSpine2"]),
    bone("mTorso", "mSpine2", &["abdomen", "avatar_mTorso"]),
    other(Collision, "BELLY", "mTorso"),
    other(Collision, "LEFT_HANDLE", "mTorso"),
    other(Collision, "RIGHT_HANDLE", "mTorso"),
    other(Collision, "LOWER_BACK", "mTorso"),
    bone("mSpine3", "mTorso", &["avatar_mSpine3"]),
    bone("mSpine4", "mSpine3", &["avatar_mSpine4"]),
    bone("mChest", "mSpine4", &["chest", "avatar_mChest"]),
    other(Collision, "CHEST", "mChest"),
    other(Collision, "LEFT_PEC", "mChest"),
    other(Collision, "RIGHT_PEC", "mChest"),
    other(Collision, "UPPER_BACK", "mChest"),
    bone("mNeck", "mChest", &["neck", "avatar_mNeck"]),
    other(Collision, "NECK", "mNeck"),
    bone("mHead", "mNeck", &["head", "avatar_mHead"]),
    other(Collision, "HEAD", "mHead"),
    bone("mSkull", "mHead", &["figureHair", "avatar_mSkull"]),
    bone("mEyeRight", "mHead", &["avatar_mEyeRight"]),
    bone("mEyeLeft", "mHead", &["avatar_mEyeLeft"]),
    bone("mFaceRoot", "mHead", &["avatar_mFaceRoot"]),
    bone("mFaceEyeAltRight", "mFaceRoot", &["avatar_mFaceEyeAltRight"]),
    bone("mFaceEyeAltLeft", "mFaceRoot", &["avatar_mFaceEyeAltLeft"]),
    bone("mFaceForeheadLeft", "mFaceRoot", &["avatar_mFaceForeheadLeft"]),
    bone("mFaceForeheadRight", "mFaceRoot", &["avatar_mFaceForeheadRight"]),
    bone("mFaceEyebrowOuterLeft", "mFaceRoot", &["avatar_mFaceEyebrowOuterLeft"]),
    bone("mFaceEyebrowCenterLeft", "mFaceRoot", &["avatar_mFaceEyebrowCenterLeft"]),
    bone("mFaceEyebrowInnerLeft", "mFaceRoot", &["avatar_mFaceEyebrowInnerLeft"]),
    bone("mFaceEyebrowOuterRight", "mFaceRoot", &["avatar_mFaceEyebrowOuterRight"]),
    bone("mFaceEyebrowCenterRight", "mFaceRoot", &["avatar_mFaceEyebrowCenterRight"]),
    bone("mFaceEyebrowInnerRight", "mFaceRoot", &["avatar_mFaceEyebrowInnerRight"]),
    bone("mFaceEyeLidUpperLeft", "mFaceRoot", &["avatar_mFaceEyeLidUpperLeft"]),
    bone("mFaceEyeLidLowerLeft", "mFaceRoot", &["avatar_mFaceEyeLidLowerLeft"]),
    bone("mFaceEyeLidUpperRight", "mFaceRoot", &["avatar_mFaceEyeLidUpperRight"]),
    bone("mFaceEyeLidLowerRight", "mFaceRoot", &["avatar_mFaceEyeLidLowerRight"]),
    bone("mFaceEar1Left", "mFaceRoot", &["avatar_mFaceEar1Left"]),
    bone("mFaceEar2Left", "mFaceEar1Left", &["avatar_mFaceEar2Left"]),
    bone("mFaceEar1Right", "mFaceRoot", &["avatar_mFaceEar1Right"]),
    bone("mFaceEar2Right", "mFaceEar1Right", &["avatar_mFaceEar2Right"]),
    bone("mFaceNoseLeft", "mFaceRoot", &["avatar_mFaceNoseLeft"]),
    bone("mFaceNoseCenter", "mFaceRoot", &["avatar_mFaceNoseCenter"]),
    bone("mFaceNoseRight", "mFaceRoot", &["avatar_mFaceNoseRight"]),
    bone("mFaceCheekLowerLeft", "mFaceRoot", &["avatar_mFaceCheekLowerLeft"]),
    bone("mFaceCheekUpperLeft", "mFaceRoot", &["avatar_mFaceCheekUpperLeft"]),
    bone("mFaceCheekLowerRight", "mFaceRoot", &["avatar_mFaceCheekLowerRight"]),
    bone("mFaceCheekUpperRight", "mFaceRoot", &["avatar_mFaceCheekUpperRight"]),
    bone("mFaceJaw", "mFaceRoot", &["avatar_mFaceJaw"]),
    bone("mFaceChin", "mFaceJaw", &["avatar_mFaceChin"]),
    bone("mFaceTeethLower", "mFaceJaw", &["avatar_mFaceTeethLower"]),
    bone("mFaceLipLowerLeft", "mFaceTeethLower", &["avatar_mFaceLipLowerLeft"]),
    bone("mFaceLipLowerRight", "mFaceTeethLower", &["avatar_mFaceLipLowerRight"]),
    bone("mFaceLipLowerCenter", "mFaceTeethLower", &["avatar_mFaceLipLowerCenter"]),
    bone("mFaceTongueBase", "mFaceTeethLower", &["avatar_mFaceTongueBase"]),
    bone("mFaceTongueTip", "mFaceTongueBase", &["avatar_mFaceTongueTip"]),
    bone("mFaceJawShaper", "mFaceRoot", &["avatar_mFaceJawShaper"]),
    bone("mFaceForeheadCenter", "mFaceRoot", &["avatar_mFaceForeheadCenter"]),
    bone("mFaceNoseBase", "mFaceRoot", &["avatar_mFaceNoseBase"]),
    bone("mFaceTeethUpper", "mFaceRoot", &["avatar_mFaceTeethUpper"]),
    bone("mFaceLipUpperLeft", "mFaceTeethUpper", &["avatar_mFaceLipUpperLeft"]),
    bone("mFaceLipUpperRight", "mFaceTeethUpper", &["avatar_mFaceLipUpperRight"]),
    bone("mFaceLipCornerLeft", "mFaceTeethUpper", &["avatar_mFaceLipCornerLeft"]),
    bone("mFaceLipCornerRight", "mFaceTeethUpper", &["avatar_mFaceLipCornerRight"]),
    bone("mFaceLipUpperCenter", "mFaceTeethUpper", &["avatar_mFaceLipUpperCenter"]),
    bone("mFaceEyecornerInnerLeft", "mFaceRoot", &["avatar_mFaceEyecornerInnerLeft"]),
    bone("mFaceEyecornerInnerRight", "mFaceRoot", &["avatar_mFaceEyecornerInnerRight"]),
    bone("mFaceNoseBridge", "mFaceRoot", &["avatar_mFaceNoseBridge"]),
    bone("mCollarLeft", "mChest", &["lCollar", "avatar_mCollarLeft"]),
    other(Collision, "L_CLAVICLE", "mCollarLeft"),
    bone("mShoulderLeft", "mCollarLeft", &["lShldr", "avatar_mShoulderLeft"]),
    other(Collision, "L_UPPER_ARM", "mShoulderLeft"),
    bone("mElbowLeft", "mShoulderLeft", &["lForeArm", "avatar_mElbowLeft"]),
    other(Collision, "L_LOWER_ARM", "mElbowLeft"),
    bone("mWristLeft", "mElbowLeft", &["lHand", "avatar_mWristLeft"]),
    other(Collision, "L_HAND", "mWristLeft"),
    bone("mHandMiddle1Left", "mWristLeft", &["avatar_mHandMiddle1Left"]),
    bone("mHandMiddle2Left", "mHandMiddle1Left", &["avatar_mHandMiddle2Left"]),
    bone("mHandMiddle3Left", "mHandMiddle2Left", &["avatar_mHandMiddle3Left"]),
    bone("mHandIndex1Left", "mWristLeft", &["avatar_mHandIndex1Left"]),
    bone("mHandIndex2Left", "mHandIndex1Left", &["avatar_mHandIndex2Left"]),
    bone("mHandIndex3Left", "mHandIndex2Left", &["avatar_mHandIndex3Left"]),
    bone("mHandRing1Left", "mWristLeft", &["avatar_mHandRing1Left"]),
    bone("mHandRing2Left", "mHandRing1Left", &["avatar_mHandRing2Left"]),
    bone("mHandRing3Left", "mHandRing2Left", &["avatar_mHandRing3Left"]),
    bone("mHandPinky1Left", "mWristLeft", &["avatar_mHandPinky1Left"]),
    bone("mHandPinky2Left", "mHandPinky1Left", &["avatar_mHandPinky2Left"]),
    bone("mHandPinky3Left", "mHandPinky2Left", &["avatar_mHandPinky3Left"]),
    bone("mHandThumb1Left", "mWristLeft", &["avatar_mHandThumb1Left"]),
    bone("mHandThumb2Left", "mHandThumb1Left", &["avatar_mHandThumb2Left"]),
    bone("mHandThumb3Left", "mHandThumb2Left", &["avatar_mHandThumb3Left"]),
    bone("mCollarRight", "mChest", &["rCollar", "avatar_mCollarRight"]),
    other(Collision, "R_CLAVICLE", "mCollarRight"),
    bone("mShoulderRight", "mCollarRight", &["rShldr", "avatar_mShoulderRight"]),
    other(Collision, "R_UPPER_ARM", "mShoulderRight"),
    bone("mElbowRight", "mShoulderRight", &["rForeArm", "avatar_mElbowRight"]),
    other(Collision, "R_LOWER_ARM", "mElbowRight"),
    bone("mWristRight", "mElbowRight", &["rHand", "avatar_mWristRight"]),
    other(Collision, "R_HAND", "mWristRight"),
    bone("mHandMiddle1Right", "mWristRight", &["avatar_mHandMiddle1Right"]),
    bone("mHandMiddle2Right", "mHandMiddle1Right", &["avatar_mHandMiddle2Right"]),
    bone("mHandMiddle3Right", "mHandMiddle2Right", &["avatar_mHandMiddle3Right"]),
    bone("mHandIndex1Right", "mWristRight", &["avatar_mHandIndex1Right"]),
    bone("mHandIndex2Right", "mHandIndex1Right", &["avatar_mHandIndex2Right"]),
    bone("mHandIndex3Right", "mHandIndex2Right", &["avatar_mHandIndex3Right"]),
    bone("mHandRing1Right", "mWristRight", &["avatar_mHandRing1Right"]),
    bone("mHandRing2Right", "mHandRing1Right", &["avatar_mHandRing2Right"]),
    bone("mHandRing3Right", "mHandRing2Right", &["avatar_mHandRing3Right"]),
    bone("mHandPinky1Right", "mWristRight", &["avatar_mHandPinky1Right"]),
    bone("mHandPinky2Right", "mHandPinky1Right", &["avatar_mHandPinky2Right"]),
    bone("mHandPinky3Right", "mHandPinky2Right", &["avatar_mHandPinky3Right"]),
    bone("mHandThumb1Right", "mWristRight", &["avatar_mHandThumb1Right"]),
    bone("mHandThumb2Right", "mHandThumb1Right", &["avatar_mHandThumb2Right"]),
    bone("mHandThumb3Right", "mHandThumb2Right", &["avatar_mHandThumb3Right"]),
    bone("mWingsRoot", "mChest", &["avatar_mWingsRoot"]),
    bone("mWing1Left", "mWingsRoot", &["avatar_mWing1Left"]),
    bone("mWing2Left", "mWing1Left", &["avatar_mWing2Left"]),
    bone("mWing3Left", "mWing2Left", &["avatar_mWing3Left"]),
    bone("mWing4Left", "mWing3Left", &["avatar_mWing4Left"]),
    bone("mWing4FanLeft", "mWing3Left", &["avatar_mWing4FanLeft"]),
    bone("mWing1Right", "mWingsRoot", &["avatar_mWing1Right"]),
    bone("mWing2Right", "mWing1Right", &["avatar_mWing2Right"]),
    bone("mWing3Right", "mWing2Right", &["avatar_mWing3Right"]),
    bone("mWing4Right", "mWing3Right", &["avatar_mWing4Right"]),
    bone("mWing4FanRight", "mWing3Right", &["avatar_mWing4FanRight"]),
    bone("mHipRight", "mPelvis", &["rThigh", "avatar_mHipRight"]),
    other(Collision, "R_UPPER_LEG", "mHipRight"),
    bone("mKneeRight", "mHipRight", &["rShin", "avatar_mKneeRight"]),
    other(Collision, "R_LOWER_LEG", "mKneeRight"),
    bone("mAnkleRight", "mKneeRight", &["rFoot", "avatar_mAnkleRight"]),
    other(Collision, "R_FOOT", "mAnkleRight"),
    bone("mFootRight", "mAnkleRight", &["avatar_mFootRight"]),
    bone("mToeRight", "mFootRight", &["avatar_mToeRight"]),
    bone("mHipLeft", "mPelvis", &["lThigh", "avatar_mHipLeft"]),
    other(Collision, "L_UPPER_LEG", "mHipLeft"),
    bone("mKneeLeft", "mHipLeft", &["lShin", "avatar_mKneeLeft"]),
    other(Collision, "L_LOWER_LEG", "mKneeLeft"),
    bone("mAnkleLeft", "mKneeLeft", &["lFoot", "avatar_mAnkleLeft"]),
    other(Collision, "L_FOOT", "mAnkleLeft"),
    bone("mFootLeft", "mAnkleLeft", &["avatar_mFootLeft"]),
    bone("mToeLeft", "mFootLeft", &["avatar_mToeLeft"]),
    bone("mTail1", "mPelvis", &["avatar_mTail1"]),
    bone("mTail2", "mTail1", &["avatar_mTail2"]),
    bone("mTail3", "mTail2", &["avatar_mTail3"]),
    bone("mTail4", "mTail3", &["avatar_mTail4"]),
    bone("mTail5", "mTail4", &["avatar_mTail5"]),
    bone("mTail6", "mTail5", &["avatar_mTail6"]),
    bone("mGroin", "mPelvis", &["avatar_mGroin"]),
    bone("mHindLimbsRoot", "mPelvis", &["avatar_mHindLimbsRoot"]),
    bone("mHindLimb1Left", "mHindLimbsRoot", &["avatar_mHindLimb1Left"]),
    bone("mHindLimb2Left", "mHindLimb1Left", &["avatar_mHindLimb2Left"]),
    bone("mHindLimb3Left", "mHindLimb2Left", &["avatar_mHindLimb3Left"]),
    bone("mHindLimb4Left", "mHindLimb3Left", &["avatar_mHindLimb4Left"]),
    bone("mHindLimb1Right", "mHindLimbsRoot", &["avatar_mHindLimb1Right"]),
    bone("mHindLimb2Right", "mHindLimb1Right", &["avatar_mHindLimb2Right"]),
    bone("mHindLimb3Right", "mHindLimb2Right", &["avatar_mHindLimb3Right"]),
    bone("mHindLimb4Right", "mHindLimb3Right", &["avatar_mHindLimb4Right"]),
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
