//! Points and directions as doubles.

use geom::Vec3;

pub(super) type Point = [f64; 3];

pub(super) fn add(a: Point, b: Point) -> Point {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn scale(a: Point, by: f64) -> Point {
    a.map(|a| a * by)
}

pub(super) fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn length(a: Point) -> f64 {
    dot(a, a).sqrt()
}

/// The vector scaled to length 1; `None` if its length is 0 or not finite.
pub(super) fn unit(a: Point) -> Option<Point> {
    let length = length(a);
    (length > 1e-12 && length.is_finite()).then(|| scale(a, 1.0 / length))
}

/// Any direction perpendicular to another one.
pub(super) fn across(a: Point) -> Point {
    let axis = if a[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    unit(cross(a, axis)).unwrap_or([1.0, 0.0, 0.0])
}

pub(super) fn float(a: Point) -> Vec3 {
    #[allow(clippy::cast_possible_truncation, reason = "meshes hold floats")]
    Vec3::from(a.map(|a| a as f32))
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) origin: Point,
    pub(super) axes: [Point; 3],
}

impl Frame {
    pub(super) const WORLD: Self =
        Self { origin: [0.0; 3], axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] };

    /// The frame of an origin and a quaternion x, y, z, w of any length; if that is 0, the axes are those of the world.
    pub(super) fn new(origin: Point, [x, y, z, w]: [f64; 4]) -> Self {
        let norm = x * x + y * y + z * z + w * w;
        if norm.is_nan() || norm < 1e-12 {
            return Self { origin, ..Self::WORLD };
        }
        let s = 2.0 / norm;
        let axes = [
            [1.0 - s * (y * y + z * z), s * (x * y + z * w), s * (x * z - y * w)],
            [s * (x * y - z * w), 1.0 - s * (x * x + z * z), s * (y * z + x * w)],
            [s * (x * z + y * w), s * (y * z - x * w), 1.0 - s * (x * x + y * y)],
        ];
        Self { origin, axes }
    }

    /// The frame whose third axis is this direction.
    pub(super) fn along(origin: Point, axis: Point) -> Self {
        let x = across(axis);
        Self { origin, axes: [x, cross(axis, x), axis] }
    }

    pub(super) fn turn(&self, [x, y, z]: Point) -> Point {
        let [a, b, c] = self.axes;
        add(add(scale(a, x), scale(b, y)), scale(c, z))
    }

    pub(super) fn place(&self, point: Point) -> Point {
        add(self.origin, self.turn(point))
    }

    /// The frame `inner`, which is relative to this one, in the space of this one's parent.
    pub(super) fn then(&self, inner: &Self) -> Self {
        Self { origin: self.place(inner.origin), axes: inner.axes.map(|axis| self.turn(axis)) }
    }
}
