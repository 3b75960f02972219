//! Roblox's value types under Roblox's own names. The same file in rbxbinary and rbxxml; `cargo xtask tidy`
//! keeps it so.

use std::ops::Mul;

use bstr::BString;
use geom::{Mat3, Vec2, Vec3};

use super::same::{Same, equal};

/// Declares plain structs, each with what all of them derive.
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
    /// A length: a share of the parent's, and pixels on top.
    UDim [Copy] {
        /// The share, 1 for all of the parent's.
        scale: f32,
        /// Pixels.
        offset: i32,
    }
    /// A length along each axis.
    UDim2 [Copy] {
        /// Along x.
        x: UDim,
        /// Along y.
        y: UDim,
    }
    /// A point and a direction.
    Ray [Copy] {
        /// Where it begins, in studs.
        origin: Vec3,
        /// Where it goes.
        direction: Vec3,
    }
    /// A colour, 0 to 1 per component, which may be more.
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
    /// Two whole numbers of 16 bits.
    Vector2int16 [Copy, Eq, Hash] {
        /// First component.
        x: i16,
        /// Second component.
        y: i16,
    }
    /// Three whole numbers of 16 bits.
    Vector3int16 [Copy, Eq, Hash] {
        /// First component.
        x: i16,
        /// Second component.
        y: i16,
        /// Third component.
        z: i16,
    }
    /// A rotation (any 3 × 3 matrix, in fact) and a position: `rotation * p + position`.
    CFrame [Copy] {
        /// The position, in studs.
        position: Vec3,
        /// The rotation. Files list it row by row: R00 R01 R02 R10 and so on.
        rotation: Mat3,
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
        /// How far it may stray at random.
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
    /// A rectangle.
    Rect [Copy] {
        /// The corner with the least components.
        min: Vec2,
        /// The corner with the greatest components.
        max: Vec2,
    }
    /// How a part behaves in the simulation, where that does not follow from its material.
    CustomPhysicalProperties [Copy] {
        /// Mass per volume, 0.01 to 100.
        density: f32,
        /// How much it resists sliding, 0 to 2.
        friction: f32,
        /// How much it bounces, 0 to 1.
        elasticity: f32,
        /// How much this friction counts against the other part's, 0 to 100.
        friction_weight: f32,
        /// How much this elasticity counts against the other part's, 0 to 100.
        elasticity_weight: f32,
        /// How much sound it swallows, 0 to 1; `None` in files older than that number, where it is 1.
        acoustic_absorption: Option<f32>,
    }
    /// An identifier that no two instances should share.
    UniqueId [Copy, Eq, Hash] {
        /// A random number.
        random: u64,
        /// Seconds since the beginning of 2021.
        time: u32,
        /// A count.
        index: u32,
    }
    /// A typeface.
    Font [Eq, Hash] {
        /// The asset of the family, such as `rbxasset://fonts/families/SourceSansPro.json`.
        #[cfg_attr(feature = "serde", serde(with = "crate::text"))]
        family: BString,
        /// How bold: 100 to 900, 400 for regular.
        weight: u16,
        /// Upright or italic.
        style: FontStyle,
        /// The asset that Roblox took for this face last; may be empty.
        #[cfg_attr(feature = "serde", serde(with = "crate::text"))]
        cached_face_id: BString,
    }
}

/// How a part behaves in the simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PhysicalProperties {
    /// As its material does.
    #[default]
    Default,
    /// As these numbers say.
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

        equal!($name);

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
    /// What a script may do, one bit each.
    SecurityCapabilities(u64) {}
    /// Upright or italic, or a style to come.
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

impl UDim {
    /// A share of the parent's length, and pixels.
    pub const fn new(scale: f32, offset: i32) -> Self {
        Self { scale, offset }
    }
}

impl UDim2 {
    /// A share and pixels along x, then along y, as Roblox's `UDim2.new` takes them.
    pub const fn new(x_scale: f32, x_offset: i32, y_scale: f32, y_offset: i32) -> Self {
        Self { x: UDim::new(x_scale, x_offset), y: UDim::new(y_scale, y_offset) }
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

impl UniqueId {
    /// Whether this is the identifier of zeros, which an instance without one has.
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
}

impl ColorSequence {
    /// The same colour at all times.
    pub fn constant(color: Color3) -> Self {
        let at = |time| ColorSequenceKeypoint { time, color, envelope: 0.0 };
        Self { keypoints: vec![at(0.0), at(1.0)] }
    }
}

impl CFrame {
    /// No rotation, at the origin.
    pub const IDENTITY: Self = Self { position: Vec3::new(0.0, 0.0, 0.0), rotation: Mat3::IDENTITY };

    /// A position without rotation.
    pub const fn new(x: f32, y: f32, z: f32) -> Self {
        Self { position: Vec3::new(x, y, z), rotation: Mat3::IDENTITY }
    }

    /// The same rotation at another position.
    pub const fn with_position(self, position: Vec3) -> Self {
        Self { position, rotation: self.rotation }
    }

    /// A rotation about an axis by an angle in radians, counter-clockwise as seen from the axis's tip;
    /// at the origin. The axis need not have length 1; one of length 0 gives the identity.
    pub fn from_axis_angle(axis: Vec3, angle: f32) -> Self {
        let Some(Vec3 { x, y, z }) = axis.normalize() else { return Self::IDENTITY };
        let (sin, cos) = angle.sin_cos();
        let rest = 1.0 - cos;
        Self::from_rotation([
            cos + x * x * rest,
            x * y * rest - z * sin,
            x * z * rest + y * sin,
            y * x * rest + z * sin,
            cos + y * y * rest,
            y * z * rest - x * sin,
            z * x * rest - y * sin,
            z * y * rest + x * sin,
            cos + z * z * rest,
        ])
    }

    /// Roblox's `CFrame.fromEulerAnglesXYZ` and `CFrame.Angles`: the rotations about x, y and z in
    /// radians, multiplied in that order; at the origin.
    pub fn from_euler_angles_xyz(x: f32, y: f32, z: f32) -> Self {
        about_x(x) * about_y(y) * about_z(z)
    }

    /// Roblox's `CFrame.fromEulerAnglesYXZ` and `CFrame.fromOrientation`: the rotations about y, x and z
    /// in radians, multiplied in that order; at the origin.
    pub fn from_euler_angles_yxz(x: f32, y: f32, z: f32) -> Self {
        about_y(y) * about_x(x) * about_z(z)
    }

    /// The inverse, provided that the rotation is one: the product of both is the identity.
    #[must_use]
    pub fn inverse(self) -> Self {
        let [a, b, c, d, e, f, g, h, i] = self.rotation.to_rows();
        let rotation = Mat3::from_rows([a, d, g, b, e, h, c, f, i]);
        Self { position: rotation.transform(self.position) * -1.0, rotation }
    }

    const fn from_rotation(rows: [f32; 9]) -> Self {
        Self { position: Vec3::new(0.0, 0.0, 0.0), rotation: Mat3::from_rows(rows) }
    }
}

fn about_x(angle: f32) -> CFrame {
    let (sin, cos) = angle.sin_cos();
    CFrame::from_rotation([1.0, 0.0, 0.0, 0.0, cos, -sin, 0.0, sin, cos])
}

fn about_y(angle: f32) -> CFrame {
    let (sin, cos) = angle.sin_cos();
    CFrame::from_rotation([cos, 0.0, sin, 0.0, 1.0, 0.0, -sin, 0.0, cos])
}

fn about_z(angle: f32) -> CFrame {
    let (sin, cos) = angle.sin_cos();
    CFrame::from_rotation([cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0])
}

/// The right one first, then the left one.
impl Mul for CFrame {
    type Output = Self;

    fn mul(self, right: Self) -> Self {
        Self { position: self * right.position, rotation: self.rotation * right.rotation }
    }
}

/// The point in the outer space.
impl Mul<Vec3> for CFrame {
    type Output = Vec3;

    #[allow(clippy::suspicious_arithmetic_impl, reason = "after the rotation comes the position")]
    fn mul(self, point: Vec3) -> Vec3 {
        self.rotation.transform(point) + self.position
    }
}
