//! Roblox's value types under Roblox's own names; `geom` has those that are geometry.

use bstr::BString;
pub use geom::{CFrame, Ray, Rect, UDim, UDim2, Vector2int16, Vector3int16};

use crate::same::Same;
use geom::wire::by_bits;

/// Declares structs with public fields, and the implementations that all of them have.
macro_rules! plain {
    ($($(#[$doc:meta])* $name:ident [$($more:ident),*] { $($(#[$of:meta])* $field:ident: $kind:ty,)+ })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, $($more),*)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name { $($(#[$of])* pub $field: $kind,)+ }

        impl Same for $name {
            fn same(&self, other: &Self) -> bool {
                $(self.$field.same(&other.$field))&&+
            }
        }
    )+};
}

plain! {
    /// A colour, usually 0 to 1 per component.
    Color3 [Copy] {
        /// Red.
        r: f32,
        /// Green.
        g: f32,
        /// Blue.
        b: f32,
    }
    /// A colour of three bytes.
    Color3uint8 [Copy, Eq, Hash] {
        /// Red.
        r: u8,
        /// Green.
        g: u8,
        /// Blue.
        b: u8,
    }
    /// Numbers over time.
    NumberSequence [] {
        /// In the order of their times.
        keypoints: Vec<NumberSequenceKeypoint>,
    }
    /// A number at a time.
    NumberSequenceKeypoint [Copy] {
        /// When, 0 to 1.
        time: f32,
        /// The number.
        value: f32,
        /// The maximum random deviation.
        envelope: f32,
    }
    /// Colours over time.
    ColorSequence [] {
        /// In the order of their times.
        keypoints: Vec<ColorSequenceKeypoint>,
    }
    /// A colour at a time.
    ColorSequenceKeypoint [Copy] {
        /// When, 0 to 1.
        time: f32,
        /// The colour.
        color: Color3,
        /// Stored, and not used by Roblox.
        envelope: f32,
    }
    /// From one number to another.
    NumberRange [Copy] {
        /// The least.
        min: f32,
        /// The greatest.
        max: f32,
    }
    /// The physical behaviour of a part, if it does not follow from its material.
    CustomPhysicalProperties [Copy] {
        /// Mass per volume, 0.0001 to 100.
        density: f32,
        /// The resistance to sliding, 0 to 2.
        friction: f32,
        /// The bounciness, 0 to 1.
        elasticity: f32,
        /// The weight of this friction against the other part's, 0 to 100.
        friction_weight: f32,
        /// The weight of this elasticity against the other part's, 0 to 100.
        elasticity_weight: f32,
        /// The absorption of sound, 0 to 1; `None` in files older than this property, which means 1.
        acoustic_absorption: Option<f32>,
    }
    /// An identifier that no two instances should share.
    UniqueId [Copy, Eq, Hash] {
        /// A random number.
        random: u64,
        /// Seconds since the beginning of 2021.
        time: u32,
        /// A counter.
        index: u32,
    }
    /// A typeface.
    Font [Eq, Hash] {
        /// The asset of the family, such as `rbxasset://fonts/families/SourceSansPro.json`.
        #[cfg_attr(feature = "serde", serde(with = "crate::text"))]
        family: BString,
        /// The boldness: 100 to 900, 400 for regular.
        weight: u16,
        /// Upright or italic.
        style: FontStyle,
        /// The asset that Roblox last used for this face; may be empty.
        #[cfg_attr(feature = "serde", serde(with = "crate::text"))]
        cached_face_id: BString,
    }
}

/// The physical behaviour of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PhysicalProperties {
    /// Given by the material.
    #[default]
    Default,
    /// Given by these numbers.
    Custom(CustomPhysicalProperties),
}

impl Same for PhysicalProperties {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Custom(this), Self::Custom(that)) => this.same(that),
            (this, that) => matches!((this, that), (Self::Default, Self::Default)),
        }
    }
}

/// Declares newtypes over one number, with named constants.
macro_rules! number {
    ($($(#[$doc:meta])* $name:ident($kind:ty) { $($(#[$of:meta])* $constant:ident = $value:literal,)* })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(transparent))]
        pub struct $name(pub $kind);

        by_bits!(==: $name);

        #[allow(dead_code, reason = "not each of them has constants")]
        impl $name {
            $($(#[$of])* pub const $constant: Self = Self($value);)*
        }
    )+};
}

number! {
    /// A set of faces of a box, one bit each. The upper two bits have no meaning.
    Faces(u8) {
        /// +X.
        RIGHT = 1,
        /// +Y.
        TOP = 2,
        /// +Z.
        BACK = 4,
        /// −X.
        LEFT = 8,
        /// −Y.
        BOTTOM = 16,
        /// −Z.
        FRONT = 32,
    }
    /// A set of axes, one bit each. The upper five bits have no meaning.
    Axes(u8) {
        /// The first.
        X = 1,
        /// The second.
        Y = 2,
        /// The third.
        Z = 4,
    }
    /// A colour by its number in Roblox's palette.
    BrickColor(u32) {
        /// Medium stone grey, the colour of a new part.
        MEDIUM_STONE_GREY = 194,
    }
    /// An item of an enum by its number, such as 256 for `Enum.Material.Plastic`.
    EnumItem(u32) {}
    /// The permissions of a script, one bit each.
    SecurityCapabilities(u64) {}
    /// The style of a face: upright, italic, or a number that is not known yet.
    FontStyle(u8) {
        /// Upright.
        NORMAL = 0,
        /// Italic.
        ITALIC = 1,
    }
}

impl Faces {
    /// Whether all faces of the other set are in this one.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl Axes {
    /// Whether all axes of the other set are in this one.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl Color3 {
    /// Red, green and blue, 0 to 1.
    pub const fn new(r: f32, g: f32, b: f32) -> Self {
        Self { r, g, b }
    }
}

impl Color3uint8 {
    /// Red, green and blue, 0 to 255.
    pub const fn new(r: u8, g: u8, b: u8) -> Self {
        Self { r, g, b }
    }
}

impl From<Color3uint8> for Color3 {
    fn from(color: Color3uint8) -> Self {
        let [r, g, b] = [color.r, color.g, color.b].map(|part| f32::from(part) / 255.0);
        Self { r, g, b }
    }
}

/// The nearest bytes; a component outside 0 to 1 is an error.
impl Color3uint8 {
    /// The nearest colour: parts below 0 and above 1 become these, as in Roblox, and NaN becomes 0.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` keeps to 0 to 255")]
    pub fn nearest(color: Color3) -> Self {
        let [r, g, b] = [color.r, color.g, color.b].map(|part| (part * 255.0).round() as u8);
        Self { r, g, b }
    }
}

impl TryFrom<Color3> for Color3uint8 {
    type Error = Color3;

    /// # Errors
    /// If a part is not between 0 and 1.
    fn try_from(color: Color3) -> Result<Self, Color3> {
        let is_within = [color.r, color.g, color.b].iter().all(|part| (0.0..=1.0).contains(part));
        is_within.then(|| Self::nearest(color)).ok_or(color)
    }
}

impl UniqueId {
    /// Whether all numbers are zero, which means that the instance has no identifier.
    pub fn is_nil(self) -> bool {
        self == Self::default()
    }
}

impl NumberSequence {
    /// The same number at all times.
    pub fn constant(value: f32) -> Self {
        let at = |time| NumberSequenceKeypoint { time, value, envelope: 0.0 };
        Self { keypoints: vec![at(0.0), at(1.0)] }
    }

    /// Why Roblox's constructor would refuse the times of the keypoints; `None` if it would not.
    pub fn fault(&self) -> Option<String> {
        fault(&self.keypoints.iter().map(|keypoint| keypoint.time).collect::<Vec<_>>())
    }
}

impl ColorSequence {
    /// The same colour at all times.
    pub fn constant(color: Color3) -> Self {
        let at = |time| ColorSequenceKeypoint { time, color, envelope: 0.0 };
        Self { keypoints: vec![at(0.0), at(1.0)] }
    }

    /// Why Roblox's constructor would refuse the times of the keypoints; `None` if it would not.
    pub fn fault(&self) -> Option<String> {
        fault(&self.keypoints.iter().map(|keypoint| keypoint.time).collect::<Vec<_>>())
    }
}

/// What is wrong with the times of a sequence.
fn fault(times: &[f32]) -> Option<String> {
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        return Some("the sequence has no keypoints".into());
    };
    // NaN is before no time, and no time is before NaN.
    let pairs = times.iter().zip(times.iter().skip(1));
    if let Some((at, (one, next))) = (0..).zip(pairs).find(|(_, (one, next))| !one.le(next)) {
        let after = at + 1;
        return Some(format!(
            "the times {one} of keypoints[{at}] and {next} of keypoints[{after}] are not in ascending order"
        ));
    }
    match (*first, *last) {
        (0.0, 1.0) => None,
        (0.0, _) => Some(format!("expected 1 as the last time, found {last}")),
        _ => Some(format!("expected 0 as the first time, found {first}")),
    }
}
