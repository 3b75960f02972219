//! Options for drawing pictures.

use rezkit_core::{Error, Result};

/// The maximum number of pixels per side.
pub(crate) const MAX_SIDE: u32 = 16_384;

/// The content, viewpoint and size of a picture.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RenderOptions {
    /// Width in pixels, at most 16,384.
    pub width: u32,
    /// Height in pixels, at most 16,384.
    pub height: u32,
    /// The angle of the camera around the model, in degrees: 0 looks at its +z side, 90 at its +x side.
    pub yaw: f32,
    /// The elevation of the camera above the model, in degrees.
    pub pitch: f32,
    /// Zoom factor: 1 shows the whole model. Must be above 0.
    pub zoom: f32,
    /// The index of the node whose camera is used; `None` for a camera that sees everything.
    pub camera: Option<usize>,
    /// Draws the edges of triangles instead of surfaces.
    pub wireframe: bool,
    /// Draws the joints of skins as lines above everything else.
    pub skeleton: bool,
    /// The index of the animation whose pose is drawn; `None` for the pose at rest.
    pub animation: Option<usize>,
    /// The time in the animation, in seconds.
    pub time: f32,
    /// The colour of the background, sRGB with alpha.
    pub background: [u8; 4],
    /// The box that the picture shows, instead of the whole model: for example, the same box for all pictures of an
    /// animation.
    pub frame: Option<geom::Aabb>,
    /// Also shows far-away parts and whole ground plates. By default, a few parts farther away than twice the size of
    /// the rest are left out of the picture and counted by [`Renderer::outside`](crate::Renderer::outside), and a flat
    /// plate more than twice the size of the parts on it extends beyond the picture.
    pub outliers: bool,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            width: 512,
            height: 512,
            yaw: 30.0,
            pitch: 20.0,
            zoom: 1.0,
            camera: None,
            wireframe: false,
            skeleton: false,
            animation: None,
            time: 0.0,
            background: [214, 220, 228, 255],
            frame: None,
            outliers: false,
        }
    }
}

impl RenderOptions {
    /// Refuses numbers that are not finite, and a zoom that is not above 0.
    pub(crate) fn check(&self) -> Result<()> {
        if !(self.zoom > 0.0 && self.zoom.is_finite()) {
            return Err(Error::unwritable(format!("expected a finite zoom above 0, found {}", self.zoom)));
        }
        let numbers = [("yaw", self.yaw), ("pitch", self.pitch), ("time", self.time)];
        match numbers.into_iter().find(|(_, number)| !number.is_finite()) {
            Some((name, number)) => {
                Err(Error::argument(format!("{name}: expected a finite number, found {number}")))
            }
            None => Ok(()),
        }
    }
}
