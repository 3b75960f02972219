//! Points, directions, rotations, colours and boxes.

use core::ops::{Add, Mul, Sub};

/// Declares a struct of named components with its conversions from and to an array.
macro_rules! components {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $what:literal),+ }, [$scalar:ty; $n:literal]) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[repr(C)]
        pub struct $name {
            $(#[doc = $what] pub $field: $scalar),+
        }

        impl $name {
            /// From its components, in the order of the fields.
            pub const fn new($($field: $scalar),+) -> Self {
                Self { $($field),+ }
            }

            /// From an array of its components, in the order of the fields.
            pub const fn from_array([$($field),+]: [$scalar; $n]) -> Self {
                Self { $($field),+ }
            }

            /// The components, in the order of the fields.
            pub const fn to_array(self) -> [$scalar; $n] {
                [$(self.$field),+]
            }
        }

        impl From<[$scalar; $n]> for $name {
            fn from(array: [$scalar; $n]) -> Self {
                Self::from_array(array)
            }
        }

        impl From<$name> for [$scalar; $n] {
            fn from(value: $name) -> Self {
                value.to_array()
            }
        }
    };
}

components!(
    #[derive(Default)]
    /// Two numbers, usually a texture coordinate.
    Vec2 { x: "First component, also called u.", y: "Second component, also called v." },
    [f32; 2]
);
components!(
    #[derive(Default)]
    /// Three numbers: a point, a direction or a scale.
    Vec3 { x: "First component.", y: "Second component.", z: "Third component." },
    [f32; 3]
);
components!(
    #[derive(Default)]
    /// Four numbers, such as a tangent with its sign or a homogeneous point.
    Vec4 { x: "First component.", y: "Second component.", z: "Third component.", w: "Fourth component." },
    [f32; 4]
);
components!(
    /// A rotation as a quaternion `xi + yj + zk + w`, which should have length 1.
    Quat { x: "Of i.", y: "Of j.", z: "Of k.", w: "The real part." }, [f32; 4]
);
components!(
    /// A colour of four bytes, 0 to 255 each: sRGB, with linear alpha. The formats do not say whether alpha is
    /// premultiplied.
    #[derive(Default, Eq, Hash)]
    Rgba8 { r: "Red.", g: "Green.", b: "Blue.", a: "Alpha; 255 is opaque." }, [u8; 4]
);
components!(
    /// A linear colour, 0 to 65,535 each, as the vertex colours of glTF. Every [`Rgba8`] has its own linear colour.
    #[derive(Default, Eq, Hash)]
    LinearRgba { r: "Red.", g: "Green.", b: "Blue.", a: "Alpha; 65,535 is opaque." }, [u16; 4]
);

components!(
    /// Two 16-bit integers.
    #[derive(Default, Eq, Hash)]
    Vector2int16 { x: "First component.", y: "Second component." }, [i16; 2]
);
components!(
    /// Three 16-bit integers.
    #[derive(Default, Eq, Hash)]
    Vector3int16 { x: "First component.", y: "Second component.", z: "Third component." }, [i16; 3]
);

impl Quat {
    /// The identity rotation.
    pub const IDENTITY: Self = Self::new(0.0, 0.0, 0.0, 1.0);
}

/// The identity, since a quaternion of zeros is not a rotation.
impl Default for Quat {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Vec3 {
    /// The dot product.
    pub fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// The cross product, right-handed.
    pub fn cross(self, other: Self) -> Self {
        Self::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    /// The length.
    pub fn length(self) -> f32 {
        libm::sqrtf(self.dot(self))
    }

    /// The direction with length 1, or `None` if it does not exist: the length is
    /// zero, not finite, or too small to divide by.
    pub fn normalize(self) -> Option<Self> {
        let inverse = 1.0 / self.length();
        (inverse.is_finite() && inverse > 0.0).then(|| self * inverse)
    }

    /// The minimum of each component.
    pub fn min(self, other: Self) -> Self {
        Self::new(self.x.min(other.x), self.y.min(other.y), self.z.min(other.z))
    }

    /// The maximum of each component.
    pub fn max(self, other: Self) -> Self {
        Self::new(self.x.max(other.x), self.y.max(other.y), self.z.max(other.z))
    }

    /// Whether no component is infinite or not a number.
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }
}

/// Addition and subtraction, component by component.
macro_rules! componentwise {
    ($($operator:ident $call:ident $sign:tt),+) => {$(
        impl $operator for Vec3 {
            type Output = Self;
            fn $call(self, other: Self) -> Self {
                Self::new(self.x $sign other.x, self.y $sign other.y, self.z $sign other.z)
            }
        }
    )+};
}
componentwise!(Add add +, Sub sub -);

impl Mul<f32> for Vec3 {
    type Output = Self;
    fn mul(self, factor: f32) -> Self {
        Self::new(self.x * factor, self.y * factor, self.z * factor)
    }
}

/// An axis-aligned box, given by two corners.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Aabb {
    /// The corner with the least components.
    pub min: Vec3,
    /// The corner with the greatest components.
    pub max: Vec3,
}

impl Aabb {
    /// The smallest box around the points, or `None` without points. A component that is not a
    /// number is skipped.
    pub fn from_points(points: impl IntoIterator<Item = Vec3>) -> Option<Self> {
        let mut points = points.into_iter();
        let first = points.next()?;
        let start = Self { min: first, max: first };
        Some(points.fold(start, |b, p| Self { min: b.min.min(p), max: b.max.max(p) }))
    }

    /// The extent along each axis.
    pub fn size(self) -> Vec3 {
        self.max - self.min
    }

    /// The point in the middle.
    pub fn center(self) -> Vec3 {
        (self.min + self.max) * 0.5
    }
}
