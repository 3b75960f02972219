//! Rectangles and lengths of user interfaces, under the names that Roblox gives them.

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

/// A length: a share of the parent's, and pixels on top.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct UDim {
    /// The share, 1 for all of the parent's.
    pub scale: f32,
    /// Pixels.
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
