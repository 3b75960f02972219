//! Where the camera is, and how large everything is for it.

use glam::{DMat3, DVec3, Vec3};
use rezkit_core::{Error, Result};

use crate::RenderOptions;

/// The vertical field of view, in radians: about 31 degrees.
const FIELD_OF_VIEW: f32 = 0.55;

/// From the scene to what the camera sees: x to the right, y up, z towards the camera, which is at 0. What is framed is
/// about 1 away, however large it is, so that 32-bit floats are enough after this.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// The axes of the camera in the scene.
    axes: DMat3,
    eye: DVec3,
    scale: f64,
    /// The tangents of half of the horizontal and of the vertical field of view.
    pub(crate) tangents: [f32; 2],
    /// What is nearer than this is not drawn.
    pub(crate) near: f32,
}

impl View {
    /// A point as the camera sees it; infinite where it is too far away for a float.
    pub(crate) fn point(&self, point: Vec3) -> Vec3 {
        self.seen((point.as_dvec3() - self.eye) * self.scale)
    }

    /// A direction as the camera sees it.
    pub(crate) fn direction(&self, direction: Vec3) -> Vec3 {
        self.seen(direction.as_dvec3())
    }

    fn seen(&self, point: DVec3) -> Vec3 {
        let axes = &self.axes;
        DVec3::new(axes.x_axis.dot(point), axes.y_axis.dot(point), axes.z_axis.dot(point)).as_vec3()
    }

    /// A length of the scene as the camera sees it.
    pub(crate) fn length(&self, length: f64) -> f32 {
        (length * self.scale) as f32
    }

    /// The view of a camera of the scene.
    ///
    /// # Errors
    /// Where the camera's node has no finite place, or no direction.
    pub(crate) fn of_camera(
        camera: &rezkit_scene::Camera,
        world: &[[f32; 4]; 4],
        options: &RenderOptions,
    ) -> Result<Self> {
        let [right, _, back, eye] = world.map(|[x, y, z, _]| Vec3::new(x, y, z));
        let [right, back] = [right, back].map(|axis| axis.as_dvec3().normalize_or_zero());
        let up = back.cross(right).normalize_or_zero();
        if up == DVec3::ZERO || !eye.is_finite() {
            return Err(Error::unwritable("the camera of the scene has no place or no direction"));
        }
        let axes = DMat3::from_cols(up.cross(back), up, back);
        let field = if camera.yfov.is_finite() { camera.yfov.clamp(0.01, 3.0) } else { FIELD_OF_VIEW };
        let near = if camera.znear.is_finite() { camera.znear.max(1e-3) } else { 1e-3 };
        let tangents = tangents(options, libm::tanf(field / 2.0));
        Ok(Self { axes, eye: eye.as_dvec3(), scale: 1.0, tangents, near })
    }
}

/// The tangents of half of the fields of view, as zoomed.
fn tangents(options: &RenderOptions, down: f32) -> [f32; 2] {
    let down = down / options.zoom;
    [down * options.width as f32 / options.height as f32, down]
}

/// How far a set of points reaches in the directions that a camera's distance depends on.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    axes: DMat3,
    tangents: [f32; 2],
    /// The tangents where nothing is zoomed: what has to be in the picture.
    whole: [f32; 2],
    /// The normals of the four sides of the view, in the scene.
    sides: [DVec3; 4],
    /// The largest product of a point, relative to the centre, with each of them.
    reach: [f64; 4],
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
        let whole = tangents.map(|tangent| tangent * options.zoom);
        let [across, down] = whole.map(f64::from);
        let (to_side, to_end) = (right / across, up / down);
        Self {
            axes: DMat3::from_cols(right, up, back),
            tangents,
            whole,
            sides: [back + to_side, back - to_side, back + to_end, back - to_end],
            reach: [f64::NEG_INFINITY; 4],
            center,
        }
    }

    /// Takes a point into the frame.
    pub(crate) fn add(&mut self, point: Vec3) {
        let point = point.as_dvec3() - self.center;
        for (reach, side) in self.reach.iter_mut().zip(&self.sides) {
            *reach = reach.max(side.dot(point));
        }
    }

    /// Takes a point into the frame, and where it is while everything turns around the vertical axis.
    pub(crate) fn add_turning(&mut self, point: Vec3) {
        let point = point.as_dvec3() - self.center;
        let radius = (point.x * point.x + point.z * point.z).sqrt();
        for (reach, side) in self.reach.iter_mut().zip(&self.sides) {
            let level = (side.x * side.x + side.z * side.z).sqrt();
            *reach = reach.max(level * radius + side.y * point.y);
        }
    }

    /// The same distance from another side.
    pub(crate) fn turned(&self, options: &RenderOptions) -> Self {
        Self { reach: self.reach, ..Self::new(options, self.center) }
    }

    /// The camera that sees all points in the middle of the picture, as near as it can be with a margin of a twentieth
    /// on each side.
    pub(crate) fn view(&self) -> View {
        // Moved by x to the side, the camera sees everything where its distance is at least right - x / across and
        // left + x / across.
        let [right, left, top, bottom] = self.reach.map(|reach| if reach.is_finite() { reach } else { 0.0 });
        let nearest = ((right + left) / 2.0).max((top + bottom) / 2.0);
        let distance = if nearest > 0.0 { nearest * 1.1 } else { 1.0 };
        let [to_side, to_end] = self.whole.map(f64::from);
        let moved = self.axes.x_axis * ((right - left) / 2.0 * to_side)
            + self.axes.y_axis * ((top - bottom) / 2.0 * to_end);
        View {
            axes: self.axes,
            eye: self.center + self.axes.z_axis * distance + moved,
            scale: 1.0 / distance,
            tangents: self.tangents,
            near: 1e-3,
        }
    }
}
