//! Normals on a grid, as Draco rounds them.

use geom::Vec3;

use crate::model::Vertex;

/// The grid of rounded normals. The possible values of a component are steps of equal size from `origin` to
/// `origin + range`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NormalGrid {
    /// The least value along each axis.
    pub origin: [f32; 3],
    /// The range of values, the same along each axis.
    pub range: f32,
    /// The number of bits of a step index: 1 to 30.
    pub bits: u8,
}

impl NormalGrid {
    /// The smallest grid around the normals; `None` if a normal is not finite, or if they are too far apart.
    pub(crate) fn around(vertices: &[Vertex], bits: u8) -> Option<Self> {
        let mut least = [f32::INFINITY; 3];
        let mut most = [f32::NEG_INFINITY; 3];
        for vertex in vertices {
            if !vertex.normal.is_finite() {
                return None;
            }
            for ((least, most), value) in least.iter_mut().zip(&mut most).zip(vertex.normal.to_array()) {
                *least = least.min(value);
                *most = most.max(value);
            }
        }
        if vertices.is_empty() {
            (least, most) = ([0.0; 3], [0.0; 3]);
        }
        let range = least.iter().zip(most).map(|(least, most)| most - least).fold(0.0, f32::max);
        let range = if range > 0.0 { range } else { 1.0 };
        range.is_finite().then_some(Self { origin: least, range, bits })
    }

    /// The size of a step, computed as Draco does.
    pub(crate) fn step(range: f32, bits: u8) -> f32 {
        #[allow(clippy::cast_precision_loss, reason = "as Draco does it")]
        let steps = ((1_u32 << (bits & 31)) - 1) as f32;
        range / steps
    }

    /// The value of the step with a number.
    #[allow(clippy::cast_precision_loss, reason = "as Draco does it")]
    pub(crate) fn value(number: i32, step: f32, origin: f32) -> f32 {
        number as f32 * step + origin
    }

    /// The numbers of the steps nearest to a normal.
    fn steps(&self, normal: Vec3, step: f32) -> [i32; 3] {
        let most = (1_i32 << (self.bits & 31)).wrapping_sub(1);
        let nearest = |value: f32, origin: f32| {
            #[allow(clippy::cast_possible_truncation, reason = "a float cast saturates")]
            let nearest = ((value - origin) / step + 0.5).floor() as i32;
            nearest.clamp(0, most)
        };
        let [x, y, z] = self.origin;
        [nearest(normal.x, x), nearest(normal.y, y), nearest(normal.z, z)]
    }

    fn normal(&self, steps: [i32; 3], step: f32) -> Vec3 {
        let [x, y, z] = steps;
        let [a, b, c] = self.origin;
        Vec3::new(Self::value(x, step, a), Self::value(y, step, b), Self::value(z, step, c))
    }

    /// The normal on the grid that is nearest to a normal.
    pub(crate) fn nearest(&self, normal: Vec3) -> Vec3 {
        let step = Self::step(self.range, self.bits);
        self.normal(self.steps(normal, step), step)
    }

    /// The numbers of the steps of each normal; `None` if a normal is not exactly on the grid.
    pub(crate) fn steps_of(&self, vertices: &[Vertex]) -> Option<Vec<[i32; 4]>> {
        if !(1..=30).contains(&self.bits) {
            return None;
        }
        let step = Self::step(self.range, self.bits);
        let mut all = Vec::with_capacity(vertices.len());
        for vertex in vertices {
            let steps = self.steps(vertex.normal, step);
            let there = self.normal(steps, step).to_array().map(f32::to_bits);
            if there != vertex.normal.to_array().map(f32::to_bits) {
                return None;
            }
            let [x, y, z] = steps;
            all.push([x, y, z, 0]);
        }
        Some(all)
    }
}
