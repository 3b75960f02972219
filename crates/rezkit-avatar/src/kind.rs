//! The types of items, and the parts of a body.

/// A type of avatar item: an item of the enum AssetType, and what is more than one asset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[non_exhaustive]
pub enum ItemType {
    /// A hat.
    Hat,
    /// Hair.
    Hair,
    /// An accessory of the face.
    Face,
    /// An accessory of the neck.
    Neck,
    /// An accessory of a shoulder.
    Shoulder,
    /// An accessory of the front.
    Front,
    /// An accessory of the back.
    Back,
    /// An accessory of the waist.
    Waist,
    /// A layered T-shirt.
    TShirt,
    /// A layered shirt.
    Shirt,
    /// Layered pants.
    Pants,
    /// A layered jacket.
    Jacket,
    /// A layered sweater.
    Sweater,
    /// Layered shorts.
    Shorts,
    /// A layered left shoe.
    LeftShoe,
    /// A layered right shoe.
    RightShoe,
    /// A layered dress or skirt.
    DressSkirt,
    /// Eyebrows.
    Eyebrow,
    /// Eyelashes.
    Eyelash,
    /// A dynamic head.
    Head,
    /// A torso.
    Torso,
    /// A left arm.
    LeftArm,
    /// A right arm.
    RightArm,
    /// A left leg.
    LeftLeg,
    /// A right leg.
    RightLeg,
    /// A body: a character of 15 parts.
    Body,
    /// An emote.
    Emote,
    /// A classic shirt, pants or T-shirt: an image.
    ClassicClothing,
}

use ItemType::*;

/// The types: the key in the rules file (the name in AssetType), a short name, and the number in AccessoryType.
const TYPES: &[(ItemType, &str, &str, Option<u32>)] = &[
    (Hat, "Hat", "Hat", Some(1)),
    (Hair, "HairAccessory", "Hair", Some(2)),
    (Face, "FaceAccessory", "Face", Some(3)),
    (Neck, "NeckAccessory", "Neck", Some(4)),
    (Shoulder, "ShoulderAccessory", "Shoulder", Some(5)),
    (Front, "FrontAccessory", "Front", Some(6)),
    (Back, "BackAccessory", "Back", Some(7)),
    (Waist, "WaistAccessory", "Waist", Some(8)),
    (TShirt, "TShirtAccessory", "TShirt", Some(9)),
    (Shirt, "ShirtAccessory", "Shirt", Some(10)),
    (Pants, "PantsAccessory", "Pants", Some(11)),
    (Jacket, "JacketAccessory", "Jacket", Some(12)),
    (Sweater, "SweaterAccessory", "Sweater", Some(13)),
    (Shorts, "ShortsAccessory", "Shorts", Some(14)),
    (LeftShoe, "LeftShoeAccessory", "LeftShoe", Some(15)),
    (RightShoe, "RightShoeAccessory", "RightShoe", Some(16)),
    (DressSkirt, "DressSkirtAccessory", "DressSkirt", Some(17)),
    (Eyebrow, "EyebrowAccessory", "Eyebrow", Some(18)),
    (Eyelash, "EyelashAccessory", "Eyelash", Some(19)),
    (Head, "DynamicHead", "Head", None),
    (Torso, "Torso", "Torso", None),
    (LeftArm, "LeftArm", "LeftArm", None),
    (RightArm, "RightArm", "RightArm", None),
    (LeftLeg, "LeftLeg", "LeftLeg", None),
    (RightLeg, "RightLeg", "RightLeg", None),
    (Body, "Body", "Body", None),
    (Emote, "EmoteAnimation", "Emote", None),
    (ClassicClothing, "ClassicClothing", "ClassicClothing", None),
];

/// The assets of a body with their parts, each below the one before it.
pub(crate) const ASSETS: [(ItemType, &[&str]); 6] = [
    (Head, &["Head"]),
    (Torso, &["UpperTorso", "LowerTorso"]),
    (LeftArm, &["LeftUpperArm", "LeftLowerArm", "LeftHand"]),
    (RightArm, &["RightUpperArm", "RightLowerArm", "RightHand"]),
    (LeftLeg, &["LeftUpperLeg", "LeftLowerLeg", "LeftFoot"]),
    (RightLeg, &["RightUpperLeg", "RightLowerLeg", "RightFoot"]),
];

/// The joints of R15: each part, the part above it, and the joint's name without `RigAttachment`.
pub(crate) const JOINTS: [(&str, &str, &str); 15] = [
    ("LowerTorso", "HumanoidRootPart", "Root"),
    ("UpperTorso", "LowerTorso", "Waist"),
    ("Head", "UpperTorso", "Neck"),
    ("LeftUpperArm", "UpperTorso", "LeftShoulder"),
    ("LeftLowerArm", "LeftUpperArm", "LeftElbow"),
    ("LeftHand", "LeftLowerArm", "LeftWrist"),
    ("RightUpperArm", "UpperTorso", "RightShoulder"),
    ("RightLowerArm", "RightUpperArm", "RightElbow"),
    ("RightHand", "RightLowerArm", "RightWrist"),
    ("LeftUpperLeg", "LowerTorso", "LeftHip"),
    ("LeftLowerLeg", "LeftUpperLeg", "LeftKnee"),
    ("LeftFoot", "LeftLowerLeg", "LeftAnkle"),
    ("RightUpperLeg", "LowerTorso", "RightHip"),
    ("RightLowerLeg", "RightUpperLeg", "RightKnee"),
    ("RightFoot", "RightLowerLeg", "RightAnkle"),
];

/// Whether a name is that of one of the 15 parts.
pub(crate) fn is_body_part(name: &str) -> bool {
    JOINTS.iter().any(|(part, ..)| *part == name)
}

impl ItemType {
    /// All types.
    pub fn all() -> impl Iterator<Item = Self> {
        TYPES.iter().map(|(of, ..)| *of)
    }

    fn row(self) -> &'static (ItemType, &'static str, &'static str, Option<u32>) {
        TYPES.iter().find(|(of, ..)| *of == self).unwrap_or(&TYPES[0])
    }

    /// The short name: `Hat`, `Shirt`, `LeftArm`.
    pub fn name(self) -> &'static str {
        self.row().2
    }

    /// The key in the rules file, which is the name in the enum AssetType.
    pub(crate) fn key(self) -> &'static str {
        self.row().1
    }

    /// The type with a name, in any letter case: `Hat`, `HairAccessory`.
    pub fn of_name(name: &str) -> Option<Self> {
        let is = |row: &&(Self, &str, &str, _)| {
            row.1.eq_ignore_ascii_case(name) || row.2.eq_ignore_ascii_case(name)
        };
        TYPES.iter().find(is).map(|(of, ..)| *of)
    }

    /// The type with a number of the enum AccessoryType.
    pub(crate) fn of_accessory_type(number: u32) -> Option<Self> {
        TYPES.iter().find(|row| row.3 == Some(number)).map(|(of, ..)| *of)
    }

    /// Whether it is worn by an accessory: rigid or layered.
    pub fn is_accessory(self) -> bool {
        self.row().3.is_some()
    }

    /// Whether it is layered clothing.
    pub fn is_layered(self) -> bool {
        self.row().3.is_some_and(|number| number >= 9)
    }

    /// Whether its cages belong to the face, whose skin has other joints.
    pub(crate) fn is_of_face(self) -> bool {
        matches!(self, Eyebrow | Eyelash)
    }

    /// The parts of a body's asset.
    pub(crate) fn parts(self) -> &'static [&'static str] {
        ASSETS.iter().find(|(of, _)| *of == self).map_or(&[], |(_, parts)| parts)
    }

    /// The asset to which a part belongs.
    pub(crate) fn of_part(name: &str) -> Option<Self> {
        ASSETS.iter().find(|(_, parts)| parts.contains(&name)).map(|(of, _)| *of)
    }
}
