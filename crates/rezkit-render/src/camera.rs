//! The position of the camera, and the scale of what it sees.

use glam::{DMat3, DVec3, Vec3};
use rezkit_core::{Error, Result};

use crate::options::RenderOptions;

/// The vertical field of view, in radians: about 31 degrees.
const FIELD_OF_VIEW: f32 = 0.55;

/// The transform from the scene to camera space: x to the right, y up, z towards the camera, which is at the origin.
/// The frame is at a distance of about 1, whatever its size, so that 32-bit floats suffice from here on.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// The axes of the camera in the scene.
    axes: DMat3,
    eye: DVec3,
    scale: f64,
    /// The tangents of half of the horizontal and of the vertical field of view.
    pub(crate) tangents: [f32; 2],
    /// The distance of the near plane: anything nearer is not drawn.
    pub(crate) near: f32,
}

impl View {
    /// A point in camera space; infinite if it is too far away for a float.
    pub(crate) fn point(&self, point: Vec3) -> Vec3 {
        self.seen((point.as_dvec3() - self.eye) * self.scale)
    }

    /// A direction in camera space.
    pub(crate) fn direction(&self, direction: Vec3) -> Vec3 {
        self.seen(direction.as_dvec3())
    }

    fn seen(&self, point: DVec3) -> Vec3 {
        along(&self.axes, point).as_vec3()
    }

    /// A length in camera space.
    pub(crate) fn length(&self, length: f64) -> f32 {
        (length * self.scale) as f32
    }

    /// The view of a camera of the scene.
    ///
    /// # Errors
    /// If the camera's node has no finite position or direction.
    pub(crate) fn of_camera(
        camera: &rezkit_scene::Camera,
        world: &[[f32; 4]; 4],
        options: &RenderOptions,
    ) -> Result<Self> {
        let [right, _, back, eye] = world.map(|[x, y, z, _]| Vec3::new(x, y, z));
        let [right, back] = [right, back].map(|axis| axis.as_dvec3().normalize_or_zero());
        let up = back.cross(right).normalize_or_zero();
        if up == DVec3::ZERO || !eye.is_finite() {
            return Err(Error::unwritable(
                "cannot render from this camera: the global transform of its node has a scale of 0, or a number \
                 that is infinite or NaN (use another camera, or `--camera frame`)",
            ));
        }
        let axes = DMat3::from_cols(up.cross(back), up, back);
        let field = if camera.yfov.is_finite() { camera.yfov.clamp(0.01, 3.0) } else { FIELD_OF_VIEW };
        let near = if camera.znear.is_finite() { camera.znear.max(1e-3) } else { 1e-3 };
        let tangents = tangents(options, libm::tanf(field / 2.0));
        Ok(Self { axes, eye: eye.as_dvec3(), scale: 1.0, tangents, near })
    }
}

/// The tangents of half of the horizontal and the vertical field of view, with the zoom applied.
fn tangents(options: &RenderOptions, down: f32) -> [f32; 2] {
    let down = down / options.zoom;
    [down * options.width as f32 / options.height as f32, down]
}

/// The number of slopes for which the outermost point at each side of a picture is known: a point's position in the
/// picture depends on its distance.
const SLOPES: usize = 8;

/// The size of the picture relative to its content.
const MARGIN: f64 = 1.1;

/// The number of camera moves to centre the points in the picture.
const MOVES: usize = 16;

/// The extent of a set of points in a direction, and its outermost point.
#[derive(Clone, Copy, Debug)]
struct Support {
    direction: DVec3,
    reach: f64,
    /// The outermost point along the axes of the camera, relative to the centre.
    point: DVec3,
}

/// The extents of a set of points in the directions that determine the camera's position.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    axes: DMat3,
    tangents: [f32; 2],
    /// The tangents of the part of the picture that must contain all points: within the margin, without zoom.
    whole: [f64; 2],
    /// The extents at the sides right, left, top and bottom. The last slope is the normal of that side of the view.
    supports: [[Support; SLOPES]; 4],
    center: DVec3,
}

impl Frame {
    /// A frame around a centre, without points.
    pub(crate) fn new(options: &RenderOptions, center: DVec3) -> Self {
        let (yaw, pitch) = (options.yaw.to_radians(), options.pitch.clamp(-89.9, 89.9).to_radians());
        let back = Vec3::new(
            libm::sinf(yaw) * libm::cosf(pitch),
            libm::sinf(pitch),
            libm::cosf(yaw) * libm::cosf(pitch),
        );
        let back = back.as_dvec3().normalize_or(DVec3::Z);
        let right = DVec3::Y.cross(back).normalize_or(DVec3::X);
        let up = back.cross(right);
        let tangents = tangents(options, libm::tanf(FIELD_OF_VIEW / 2.0));
        let whole = tangents.map(|tangent| f64::from(tangent * options.zoom) / MARGIN);
        let support = |to_side: DVec3, tangent: f64| {
            std::array::from_fn(|slope| {
                let tangent = tangent * (slope + 1) as f64 / SLOPES as f64;
                Support { direction: back + to_side / tangent, reach: f64::NEG_INFINITY, point: DVec3::ZERO }
            })
        };
        let [across, down] = whole;
        let supports =
            [support(right, across), support(-right, across), support(up, down), support(-up, down)];
        Self { axes: DMat3::from_cols(right, up, back), tangents, whole, supports, center }
    }

    /// Adds a point to the frame.
    pub(crate) fn add(&mut self, point: Vec3) {
        let point = point.as_dvec3() - self.center;
        let axes = self.axes;
        for support in self.supports.as_flattened_mut() {
            let reach = support.direction.dot(point);
            if reach > support.reach {
                (support.reach, support.point) = (reach, along(&axes, point));
            }
        }
    }

    /// Adds a point to the frame at all positions that it has during a turn around the vertical axis.
    pub(crate) fn add_turning(&mut self, point: Vec3) {
        let point = point.as_dvec3() - self.center;
        let radius = (point.x * point.x + point.z * point.z).sqrt();
        let axes = self.axes;
        for support in self.supports.as_flattened_mut() {
            let level = DVec3::new(support.direction.x, 0.0, support.direction.z);
            let farthest = level.normalize_or_zero() * radius + DVec3::new(0.0, point.y, 0.0);
            let reach = support.direction.dot(farthest);
            if reach > support.reach {
                (support.reach, support.point) = (reach, along(&axes, farthest));
            }
        }
    }

    /// The same frame, seen from another side at the same distance.
    pub(crate) fn turned(&self, options: &RenderOptions) -> Self {
        Self { supports: self.supports, ..Self::new(options, self.center) }
    }

    /// The camera that sees all points centred in the picture, as near as possible with a margin of a twentieth on
    /// each side.
    pub(crate) fn view(&self) -> View {
        // If the camera is moved by x to the side, it sees everything from a distance of at least right - x / across
        // and left + x / across.
        let reach =
            |side: usize| Some(self.supports[side][SLOPES - 1].reach).filter(|reach| reach.is_finite());
        let [right, left, top, bottom] = [0, 1, 2, 3].map(|side| reach(side).unwrap_or(0.0));
        let nearest = ((right + left) / 2.0).max((top + bottom) / 2.0);
        let points = || self.supports.as_flattened().iter().filter(|support| support.reach.is_finite());
        // The camera keeps a distance from thin parts that point at it.
        let nearest = points().fold(nearest, |nearest, support| nearest.max(support.point.z * MARGIN));
        let distance = if nearest > 0.0 { nearest } else { 1.0 };
        let mut moved = [(right - left) / 2.0 * self.whole[0], (top - bottom) / 2.0 * self.whole[1]];
        for (axis, moved) in moved.iter_mut().enumerate() {
            for _ in 0..MOVES {
                // The outermost points, each with its distance.
                let seen = |support: &Support| {
                    let away = (distance - support.point.z).max(distance * 1e-3);
                    ((support.point[axis] - *moved) / away, away)
                };
                let (mut low, mut high) = ((f64::INFINITY, 1.0), (f64::NEG_INFINITY, 1.0));
                for at in points().map(seen) {
                    low = if at.0 < low.0 { at } else { low };
                    high = if at.0 > high.0 { at } else { high };
                }
                if low.0 > high.0 {
                    break;
                }
                *moved += (low.0 + high.0) / (1.0 / low.1 + 1.0 / high.1);
            }
        }
        View {
            axes: self.axes,
            eye: self.center
                + self.axes.z_axis * distance
                + self.axes.x_axis * moved[0]
                + self.axes.y_axis * moved[1],
            scale: 1.0 / distance,
            tangents: self.tangents,
            near: 1e-3,
        }
    }
}

/// The components of a vector along axes.
fn along(axes: &DMat3, point: DVec3) -> DVec3 {
    DVec3::new(axes.x_axis.dot(point), axes.y_axis.dot(point), axes.z_axis.dot(point))
}
