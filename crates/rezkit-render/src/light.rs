//! Ambient occlusion, and the shadow on the ground.

use glam::{DVec3, Vec3};

use crate::camera::View;
use crate::raster::Canvas;
use crate::vertex::Vertex;

/// The radius of the surroundings that occlude a point, in halves of the picture's height.
const RADIUS: f32 = 0.3;
/// The number of points sampled in the surroundings.
const POINTS: usize = 12;
/// The side of a square of pixels that sample different points and are averaged.
const SQUARE: usize = 4;

impl Canvas {
    /// Darkens corners and folds, as far as the picture's depths show them.
    pub(crate) fn occlude(&mut self, view: &View) {
        let nearness: Vec<f32> = self.nearness.iter().map(|samples| samples[0]).collect();
        let normals = &self.normals;
        let depths = Depths { nearness: &nearness, normals, width: self.width, height: self.height, view };
        let spirals = spirals(self.height as f32 * 0.5 * RADIUS);
        let mut light = vec![u8::MAX; nearness.len()];
        for (y, row) in light.chunks_exact_mut(self.width).enumerate() {
            for (x, light) in row.iter_mut().enumerate() {
                if normals[y * self.width + x] != [0; 3] {
                    *light = depths.light(x, y, &spirals[y % SQUARE * SQUARE + x % SQUARE]);
                }
            }
        }
        let light = depths.blurred(&depths.blurred(&light, 1, self.width), self.width, self.height);
        for (samples, light) in self.colors.iter_mut().zip(light).filter(|(_, light)| *light != u8::MAX) {
            for color in samples {
                for part in &mut color[..3] {
                    *part = (u32::from(*part) * u32::from(light) / 255) as u16;
                }
            }
        }
    }
}

/// The offsets of the sampled points, in pixels, for each pixel of a square.
fn spirals(radius: f32) -> [[[i32; 2]; POINTS]; SQUARE * SQUARE] {
    std::array::from_fn(|pixel| {
        // Neighbouring pixels differ as much as possible.
        let turn = ((pixel * 7) % (SQUARE * SQUARE)) as f32 / (SQUARE * SQUARE) as f32;
        std::array::from_fn(|point| {
            let angle = point as f32 * 2.399_963 + turn * std::f32::consts::TAU;
            let reach = radius * (point as f32 + 0.5 + turn * 0.5) / POINTS as f32 + 1.0;
            [libm::cosf(angle), libm::sinf(angle)].map(|part| libm::roundf(part * reach) as i32)
        })
    })
}

/// The depths of a picture.
struct Depths<'a> {
    nearness: &'a [f32],
    normals: &'a [[i8; 3]],
    width: usize,
    height: usize,
    view: &'a View,
}

impl Depths<'_> {
    /// The visible surface at a pixel, if any.
    fn at(&self, x: i64, y: i64) -> Option<Vec3> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        if x >= self.width || y >= self.height {
            return None;
        }
        let nearness = self.nearness[y * self.width + x];
        (nearness > 0.0).then(|| ray(self.view, self.width, self.height, x, y) * (1.0 / nearness))
    }

    /// The amount of light at a pixel, 255 if nothing occludes it.
    fn light(&self, x: usize, y: usize, spiral: &[[i32; 2]; POINTS]) -> u8 {
        let normal = Vec3::from(self.normals[y * self.width + x].map(f32::from)).normalize_or_zero();
        let (x, y) = (x as i64, y as i64);
        let Some(at) = self.at(x, y) else { return u8::MAX };
        let radius = RADIUS * self.view.tangents[1] * -at.z;
        let square = radius * radius;
        let mut sum = 0.0;
        for [dx, dy] in spiral {
            let Some(other) = self.at(x + i64::from(*dx), y + i64::from(*dy)) else { continue };
            let to = other - at;
            let distance = to.length_squared();
            if distance < square {
                // A point barely above the surface is on the surface itself, within the precision of the normals.
                let above = (to.dot(normal) / (distance + square * 0.002).sqrt() - 0.06).max(0.0);
                sum += above * (1.0 - distance / square);
            }
        }
        let light = 1.0 - (sum * 2.8 / POINTS as f32).min(0.8);
        (light * 255.0 + 0.5) as u8
    }

    /// The light of each pixel, averaged over four pixels in a direction, as far as they are on the same surface.
    fn blurred(&self, light: &[u8], step: usize, length: usize) -> Vec<u8> {
        let mut blurred = light.to_vec();
        for (index, to) in blurred.iter_mut().enumerate() {
            let nearness = self.nearness[index];
            if self.normals[index] == [0; 3] {
                continue;
            }
            let along = if step == 1 { index % self.width } else { index / self.width };
            let (mut sum, mut count) = (0_u32, 0_u32);
            for offset in 0..SQUARE {
                // Two pixels before, the pixel itself and one after.
                let Some(other) = (along + offset).checked_sub(SQUARE / 2).filter(|other| *other < length)
                else {
                    continue;
                };
                let other = index - along * step + other * step;
                if (self.nearness[other] - nearness).abs() < nearness * 0.02 {
                    (sum, count) = (sum + u32::from(light[other]), count + 1);
                }
            }
            *to = (sum / count.max(1)) as u8;
        }
        blurred
    }
}

/// The direction from the camera through the middle of a pixel, with a depth of 1.
fn ray(view: &View, width: usize, height: usize, x: usize, y: usize) -> Vec3 {
    let [across, down] = view.tangents;
    let x = ((x as f32 + 0.5) / width as f32 * 2.0 - 1.0) * across;
    let y = (1.0 - (y as f32 + 0.5) / height as f32 * 2.0) * down;
    Vec3::new(x, y, -1.0)
}

/// The shadow on the ground: soft, and darker the nearer the caster.
#[derive(Debug)]
pub(crate) struct Shadow {
    /// In camera space, the point on the ground below the middle of the box, and the axes of the scene.
    ground: Vec3,
    up: Vec3,
    across: Vec3,
    along: Vec3,
    /// The number of texels per side, and per unit of length.
    side: usize,
    texels: f32,
    /// The maximum height of casters.
    height: f32,
    map: Vec<f32>,
}

impl Shadow {
    /// An empty shadow on the ground below a box; `None` if the camera is below the ground.
    pub(crate) fn new(view: &View, min: Vec3, max: Vec3, side: usize) -> Option<Self> {
        let (min, max) = (min.as_dvec3(), max.as_dvec3());
        let middle = (min + max) * 0.5;
        let ground = view.point(DVec3::new(middle.x, min.y, middle.z).as_vec3());
        let size = max - min;
        let height = view.length(size.max_element() * 0.45);
        let half = view.length(size.x.max(size.z) * 0.5 + size.max_element() * 0.22);
        let up = view.direction(Vec3::Y);
        let texels = side as f32 / (2.0 * half);
        let is_seen = up.dot(ground) < 0.0 && texels.is_finite() && height > 0.0;
        is_seen.then(|| Self {
            ground,
            up,
            across: view.direction(Vec3::X),
            along: view.direction(Vec3::Z),
            side,
            texels,
            height,
            map: vec![0.0; side * side],
        })
    }

    /// The position of a point on the map, in texels, and the strength of its shadow, up to 1.
    fn place(&self, at: Vec3) -> Vec3 {
        let from = at - self.ground;
        let middle = self.side as f32 * 0.5;
        Vec3::new(
            from.dot(self.across) * self.texels + middle,
            from.dot(self.along) * self.texels + middle,
            1.0 - from.dot(self.up) / self.height,
        )
    }

    /// Adds the shadows of triangles, as long as the budget of texels lasts.
    pub(crate) fn add<'t>(
        &mut self,
        vertices: &[Vertex],
        triangles: impl Iterator<Item = &'t [u32; 3]>,
        work: &mut u64,
    ) {
        for triangle in triangles {
            let corner = |index: u32| vertices.get(index as usize).map(|vertex| self.place(vertex.at));
            let [Some(a), Some(b), Some(c)] = triangle.map(corner) else { continue };
            if a.is_finite() && b.is_finite() && c.is_finite() && a.max(b).max(c).z > 0.0 {
                self.cast([a, b, c], work);
            }
        }
    }

    fn cast(&mut self, [a, b, c]: [Vec3; 3], work: &mut u64) {
        let (min, max) = (a.min(b).min(c), a.max(b).max(c));
        let last = self.side as f32 - 1.0;
        if min.x > last || min.y > last || max.x < 0.0 || max.y < 0.0 {
            return;
        }
        let range = |min: f32, max: f32| {
            let (first, end) = (min.clamp(0.0, last).floor() as usize, max.clamp(0.0, last).floor() as usize);
            first..=end
        };
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        let (rows, columns) = (range(min.y, max.y), range(min.x, max.x));
        *work = work.saturating_sub((rows.clone().count() * columns.clone().count()) as u64);
        if *work == 0 {
            return;
        }
        for y in rows {
            for x in columns.clone() {
                let (px, py) = (x as f32 + 0.5, y as f32 + 0.5);
                // Small triangles, and triangles seen edge-on, cast a shadow as strong as at their strongest corner.
                let mut shadow = max.z;
                if max.x - min.x > 1.5 && max.y - min.y > 1.5 {
                    let weight = |from: Vec3, to: Vec3| {
                        ((to.x - from.x) * (py - from.y) - (to.y - from.y) * (px - from.x)) / area
                    };
                    let (u, v, w) = (weight(b, c), weight(c, a), weight(a, b));
                    // NaN, for a triangle without area, counts as outside.
                    if !(u >= -0.05 && v >= -0.05 && w >= -0.05) {
                        continue;
                    }
                    shadow = (u * a.z + v * b.z + w * c.z).min(max.z);
                }
                let texel = &mut self.map[y * self.side + x];
                *texel = texel.max(shadow.clamp(0.0, 1.0));
            }
        }
    }

    /// Softens the shadow: sharp near the ground, softer farther up.
    pub(crate) fn soften(&mut self) {
        let tight: Vec<f32> = self.map.iter().map(|shadow| shadow * shadow * shadow * shadow).collect();
        let tight = blurred(tight, self.side, self.side / 64 + 1);
        let wide = blurred(std::mem::take(&mut self.map), self.side, self.side / 14 + 1);
        self.map =
            tight.iter().zip(&wide).map(|(tight, wide)| (tight * 0.3 + wide * 0.42).min(0.62)).collect();
    }

    /// The darkness of the ground at a pixel, up to 1.
    pub(crate) fn at(&self, view: &View, width: usize, height: usize, x: usize, y: usize) -> f32 {
        let ray = ray(view, width, height, x, y);
        let away = self.up.dot(self.ground) / self.up.dot(ray);
        if !(away > 0.0 && away.is_finite()) {
            return 0.0;
        }
        let place = self.place(ray * away);
        let (x, y) = (place.x - 0.5, place.y - 0.5);
        let (left, top) = (x.floor(), y.floor());
        let texel = |dx: f32, dy: f32| {
            let (x, y) = (left + dx, top + dy);
            let inside = 0.0..self.side as f32;
            match inside.contains(&x) && inside.contains(&y) {
                true => self.map[y as usize * self.side + x as usize],
                false => 0.0,
            }
        };
        let (fx, fy) = (x - left, y - top);
        let upper = texel(0.0, 0.0) * (1.0 - fx) + texel(1.0, 0.0) * fx;
        let lower = texel(0.0, 1.0) * (1.0 - fx) + texel(1.0, 1.0) * fx;
        upper * (1.0 - fy) + lower * fy
    }
}

/// A square map, each texel the average of those around it, three times in both directions.
fn blurred(mut map: Vec<f32>, side: usize, radius: usize) -> Vec<f32> {
    let mut line = vec![0.0; side];
    for _ in 0..3 {
        for (start, step) in
            (0..side).map(|row| (row * side, 1)).chain((0..side).map(|column| (column, side)))
        {
            let mut sum: f32 = (0..radius.min(side)).map(|at| map[start + at * step]).sum();
            for (at, line) in line.iter_mut().enumerate() {
                if at + radius < side {
                    sum += map[start + (at + radius) * step];
                }
                *line = sum / (2 * radius + 1) as f32;
                if at >= radius {
                    sum -= map[start + (at - radius) * step];
                }
            }
            line.iter().enumerate().for_each(|(at, value)| map[start + at * step] = value.max(0.0));
        }
    }
    map
}
