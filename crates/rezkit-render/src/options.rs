//! How pictures are drawn.

/// What to draw, from where, and how large.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RenderOptions {
    /// Width in pixels, at most 16,384.
    pub width: u32,
    /// Height in pixels, at most 16,384.
    pub height: u32,
    /// Where the camera is around the model, in degrees: 0 looks at its +z side, 90 at its +x side.
    pub yaw: f32,
    /// How far the camera is above the model, in degrees.
    pub pitch: f32,
    /// How much larger everything is than where all of it is in the picture: above 0.
    pub zoom: f32,
    /// The node of the scene whose camera looks, instead of one that sees everything.
    pub camera: Option<usize>,
    /// Draws the edges of triangles instead of surfaces.
    pub wireframe: bool,
    /// Draws the joints of skins as lines above everything else.
    pub skeleton: bool,
    /// The animation to pose the scene by.
    pub animation: Option<usize>,
    /// The time of the animation, in seconds.
    pub time: f32,
    /// The colour of the background, sRGB with alpha.
    pub background: [u8; 4],
    /// Frames the camera around this box instead of what is drawn: the same for all frames of an
    /// animation.
    pub frame: Option<geom::Aabb>,
    /// Frames what is far away from everything else, and ground plates, too. Unless set, a few things at a distance of twice the size of
    /// the rest are left out of the picture, [`Renderer::outside`](crate::Renderer::outside) counts them; and a flat plate of more than twice the size of what is on
    /// it reaches beyond the picture.
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
