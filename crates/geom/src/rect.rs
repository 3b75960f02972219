//! Rectangles and lengths of user interfaces, under Roblox's names.

use crate::Vec2;

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Rect {
    /// The corner with the least components.
    pub min: Vec2,
    /// The corner with the greatest components.
    pub max: Vec2,
}

/// A length in a user interface: a fraction of the parent's length, plus a number of pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct UDim {
    /// The fraction of the parent's length; 1 is all of it.
    pub scale: f32,
    /// The number of pixels.
    pub offset: i32,
}

/// A length along each axis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct UDim2 {
    /// Along x.
    pub x: UDim,
    /// Along y.
    pub y: UDim,
}

impl UDim {
    /// A fraction of the parent's length, and a number of pixels.
    pub const fn new(scale: f32, offset: i32) -> Self {
        Self { scale, offset }
    }
}

impl UDim2 {
    /// A fraction and pixels along x, then along y, as Roblox's `UDim2.new` takes them.
    pub const fn new(x_scale: f32, x_offset: i32, y_scale: f32, y_offset: i32) -> Self {
        Self { x: UDim::new(x_scale, x_offset), y: UDim::new(y_scale, y_offset) }
    }
}
