//! Draws triangles into samples, four per pixel.

use glam::Vec3;
use rezkit_core::{Error, ErrorKind, Result};

use crate::camera::View;
use crate::clip;
use crate::surface::{Fragment, Surface};
use crate::vertex::{Point, Vertex};

/// Samples per pixel.
pub(crate) const SAMPLES: usize = 4;
/// The offsets of the samples from the middle of the pixel, in 1/256 of a pixel: no two are in one row or column.
const OFFSETS: [[i32; 2]; SAMPLES] = [[-32, -96], [96, -32], [-96, 32], [32, 96]];
/// The maximum length of a row whose pixels are tested one by one; for longer rows, the ends are computed.
const SHORT: i32 = 6;

/// The samples of a picture.
#[derive(Debug)]
pub(crate) struct Canvas {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// The linear colours, premultiplied with alpha; 65,535 is 1.
    pub(crate) colors: Vec<[[u16; 4]; SAMPLES]>,
    /// The reciprocals of the distances of opaque surfaces; 0 without a surface.
    pub(crate) nearness: Vec<[f32; SAMPLES]>,
    /// The normal of the triangle in the first sample, towards the camera, times 127; 0 if it needs no light.
    pub(crate) normals: Vec<[i8; 3]>,
    /// The remaining work.
    pub(crate) work: u64,
}

impl Canvas {
    /// The bytes of memory of a pixel, including later computations.
    pub(crate) const BYTES: u64 = 4 * 8 + 4 * 4 + 3 + 4 + 3 + 4;
    /// The minimum work of a picture, in units of testing a pixel: about four nanoseconds.
    const LEAST_WORK: u64 = 1 << 21;
    /// Additional work for each pixel of the picture, which allows for about a dozen layers with textures.
    const WORK_OF_PIXEL: u64 = 384;
    /// Additional work for each triangle or line.
    pub(crate) const WORK_OF_SHAPE: u64 = 32;
    /// The work of computing the ends of a long row.
    const ENDS: u64 = 8;
    /// The work of a step along a line.
    pub(crate) const STEP: u64 = 16;

    pub(crate) fn new(width: usize, height: usize) -> Self {
        let count = width * height;
        Self {
            width,
            height,
            colors: vec![[[0; 4]; SAMPLES]; count],
            nearness: vec![[0.0; SAMPLES]; count],
            normals: vec![[0; 3]; count],
            work: Self::LEAST_WORK + count as u64 * Self::WORK_OF_PIXEL,
        }
    }

    /// Checks that the work was not used up.
    ///
    /// # Errors
    /// [`Effort`](ErrorKind::Effort) if the triangles cover more pixels than may be drawn.
    pub(crate) fn in_time(&self) -> Result<()> {
        match self.work {
            0 => Err(Error::new(
                ErrorKind::Effort,
                "rendering takes too long, because too many triangles or lines cover the same pixels: remove \
                 hidden parts of the model, or simplify it",
            )),
            _ => Ok(()),
        }
    }

    /// Sets the position of a corner in the picture, if it is within the guard band.
    pub(crate) fn place(&self, view: &View, vertex: &mut Vertex) {
        vertex.screen = clip::is_inside(view, vertex.at).then(|| self.point(view, vertex.at));
    }

    pub(crate) fn point(&self, view: &View, at: Vec3) -> Point {
        let nearness = 1.0 / -at.z;
        let [across, down] = view.tangents;
        let (width, height) = (self.width as f32 * 128.0, self.height as f32 * 128.0);
        let fixed = |value: f32, size: f32| {
            let limit = size * (clip::GUARD + 2.0);
            (value.clamp(-limit, limit) + 0.5).floor() as i32
        };
        Point {
            x: fixed((at.x * nearness / across + 1.0) * width, width),
            y: fixed((1.0 - at.y * nearness / down) * height, height),
            nearness,
        }
    }

    /// Draws triangles. Blended triangles are mixed with the samples below them, and hide nothing that is drawn later.
    pub(crate) fn triangles<'t>(
        &mut self,
        view: &View,
        vertices: &[Vertex],
        triangles: impl Iterator<Item = &'t [u32; 3]>,
        surface: &Surface<'_>,
        pass: Pass,
    ) {
        for triangle in triangles {
            if self.work == 0 {
                return;
            }
            self.work += Self::WORK_OF_SHAPE;
            let [Some(a), Some(b), Some(c)] = triangle.map(|index| vertices.get(index as usize)) else {
                continue;
            };
            if let [Some(p), Some(q), Some(r)] = [a.screen, b.screen, c.screen] {
                self.triangle([a, b, c], [p, q, r], surface, pass);
            } else if [a, b, c].iter().all(|corner| corner.at.is_finite()) {
                let polygon = clip::triangle(view, [a, b, c]);
                let [first, others @ ..] = polygon.corners() else { continue };
                for pair in others.windows(2) {
                    let corners = [first, &pair[0], &pair[1]];
                    let points = corners.map(|corner| self.point(view, corner.at));
                    self.triangle(corners, points, surface, pass);
                }
            }
        }
    }

    fn triangle(
        &mut self,
        mut corners: [&Vertex; 3],
        mut points: [Point; 3],
        surface: &Surface<'_>,
        pass: Pass,
    ) {
        let [a, b, c] = points;
        let (ab, ac) = ([b.x - a.x, b.y - a.y], [c.x - a.x, c.y - a.y]);
        let mut area = i64::from(ab[0]) * i64::from(ac[1]) - i64::from(ab[1]) * i64::from(ac[0]);
        // Rows grow downwards: counter-clockwise triangles have a negative area.
        if area == 0
            || (pass == Pass::Blend(Sides::Front) && area > 0)
            || (pass == Pass::Blend(Sides::Back) && area < 0)
        {
            return;
        }
        if area < 0 {
            corners.swap(1, 2);
            points.swap(1, 2);
            area = -area;
        }
        // The pixels with a sample that can be inside.
        let [xs, ys] = [points.map(|point| point.x), points.map(|point| point.y)];
        let range = |values: [i32; 3], size: usize| {
            let [a, b, c] = values;
            let first = (a.min(b).min(c) + 31) >> 8;
            let last = (a.max(b).max(c) - 32) >> 8;
            (first.max(0), last.min(size as i32 - 1))
        };
        let ((left, right), (top, bottom)) = (range(xs, self.width), range(ys, self.height));
        if left > right || top > bottom {
            return;
        }
        let edges = Edges::new(points, area, left, top);
        self.rows(&Triangle { edges: &edges, corners, surface, pass }, [left, right, top, bottom]);
    }

    /// Draws the rows of a triangle until the work is used up.
    fn rows(&mut self, triangle: &Triangle<'_>, [left, right, top, bottom]: [i32; 4]) {
        let edges = triangle.edges;
        let mut start = edges.start;
        for y in top..=bottom {
            let ((first, last), ends) = match right - left < SHORT {
                true => ((0, right - left), 2),
                false => (edges.ends(start, right - left), Self::ENDS),
            };
            let count = u64::try_from(last - first + 1).unwrap_or(0);
            self.work = self.work.saturating_sub(count + ends);
            if self.work == 0 {
                return;
            }
            let row = y as usize * self.width + left as usize;
            for x in first..=last {
                let at: [i64; 3] = std::array::from_fn(|edge| start[edge] + edges.right[edge] * i64::from(x));
                let mut covered = 0;
                for (sample, offset) in edges.offsets.iter().enumerate() {
                    let outside = (at[0] + offset[0]) | (at[1] + offset[1]) | (at[2] + offset[2]);
                    covered |= u8::from(outside >= 0) << sample;
                }
                if covered != 0 {
                    let at = std::array::from_fn(|edge| (at[edge] + edges.ties[edge]) as f32);
                    self.pixel(triangle, at, covered, row + x as usize);
                }
            }
            start = std::array::from_fn(|edge| start[edge] + edges.down[edge]);
        }
    }

    /// Draws the samples of a pixel that a triangle covers and nothing hides.
    fn pixel(&mut self, triangle: &Triangle<'_>, at: [f32; 3], mut covered: u8, index: usize) {
        let Triangle { edges, corners, surface, pass } = *triangle;
        self.work = self.work.saturating_sub(1);
        let nearness = &mut self.nearness[index];
        let middle = at[0] * edges.nearness[0] + at[1] * edges.nearness[1] + at[2] * edges.nearness[2];
        let depths: [f32; SAMPLES] = std::array::from_fn(|sample| {
            (middle + edges.steps[sample]).clamp(edges.nearest[0], edges.nearest[1])
        });
        let inside = covered;
        for sample in 0..SAMPLES {
            // On equal depths, the first one drawn stays: surfaces in one plane do not mix.
            let is_behind = match pass {
                Pass::Opaque => depths[sample] <= nearness[sample] + edges.tie,
                Pass::Blend(_) => depths[sample] <= nearness[sample],
            };
            if is_behind {
                covered &= !(1 << sample);
            }
        }
        if covered == 0 {
            return;
        }
        // If alpha decides visibility, each sample is shaded.
        let each = surface.is_masked();
        let face = face(corners);
        let mut left = covered;
        while left != 0 {
            let (now, place) = match each {
                true => (left & left.wrapping_neg(), left & left.wrapping_neg()),
                false => (left, inside),
            };
            left &= !now;
            self.work = self.work.saturating_sub(surface.work());
            let weights = edges.weights(at, CENTERS[usize::from(place)]);
            let fragment = edges.fragment(at, weights, corners, face, surface);
            let Some(color) = surface.shade(&fragment) else { continue };
            let color = color.map(fixed);
            for sample in (0..SAMPLES).filter(|sample| now & (1 << sample) != 0) {
                let below = &mut self.colors[index][sample];
                match pass {
                    Pass::Opaque => {
                        *below = [color[0], color[1], color[2], u16::MAX];
                        nearness[sample] = depths[sample];
                        if sample == 0 {
                            self.normals[index] = if surface.is_lit() { direction(face) } else { [0; 3] };
                        }
                    }
                    Pass::Blend(_) => *below = over(color, *below),
                }
            }
        }
    }
}

/// A triangle that is drawn.
#[derive(Clone, Copy)]
struct Triangle<'a> {
    edges: &'a Edges,
    corners: [&'a Vertex; 3],
    surface: &'a Surface<'a>,
    pass: Pass,
}

/// The drawing mode of triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// Opaque: they hide everything farther away.
    Opaque,
    /// Transparent: drawn after everything opaque, farthest first.
    Blend(Sides),
}

/// The sides of triangles that are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sides {
    Both,
    /// The front sides, whose corners are counter-clockwise.
    Front,
    Back,
}

/// The normal of a triangle, towards the camera, of any length.
fn face([a, b, c]: [&Vertex; 3]) -> Vec3 {
    let normal = (b.at - a.at).cross(c.at - a.at);
    if normal.dot(a.at) > 0.0 { -normal } else { normal }
}

/// A direction times 127.
fn direction(face: Vec3) -> [i8; 3] {
    face.normalize_or_zero().to_array().map(|part| libm::roundf(part * 127.0) as i8)
}

/// A number from 0 to 1 as a part of 65,535.
pub(crate) fn fixed(part: f32) -> u16 {
    // NaN becomes 0, and values outside 0 to 1 the nearest of the two.
    (part * 65_535.0 + 0.5) as u16
}

/// A colour that is not premultiplied, over a premultiplied one.
pub(crate) fn over(color: [u16; 4], below: [u16; 4]) -> [u16; 4] {
    let alpha = u32::from(color[3]);
    let mixed = |part: u16, below: u16| {
        ((u32::from(part) * alpha + u32::from(below) * (65_535 - alpha) + 32_767) / 65_535) as u16
    };
    let [red, green, blue, _] = color;
    [mixed(red, below[0]), mixed(green, below[1]), mixed(blue, below[2]), mixed(u16::MAX, below[3])]
}

/// The middle of each set of samples.
static CENTERS: [[f32; 2]; 1 << SAMPLES] = {
    let mut centers = [[0.0; 2]; 1 << SAMPLES];
    let mut set = 1;
    while set < centers.len() {
        let (mut sum, mut count, mut sample) = ([0; 2], 0, 0);
        while sample < SAMPLES {
            if set & (1 << sample) != 0 {
                sum = [sum[0] + OFFSETS[sample][0], sum[1] + OFFSETS[sample][1]];
                count += 1;
            }
            sample += 1;
        }
        centers[set] = [sum[0] as f32 / count as f32, sum[1] as f32 / count as f32];
        set += 1;
    }
    centers
};

/// Values shared by all pixels of a triangle. Each edge has a linear function that is not negative inside; edge `n`
/// is opposite corner `n`.
struct Edges {
    /// The values of the functions at the middle of the first pixel.
    start: [i64; 3],
    /// What the functions lack at edges whose samples belong to the neighbour: 1 or 0.
    ties: [i64; 3],
    /// Their steps to the next pixel and to the next row.
    right: [i64; 3],
    down: [i64; 3],
    /// Their differences from the middle of a pixel to each sample.
    offsets: [[i64; 3]; SAMPLES],
    /// The slopes of the functions per 1/256 pixel, scaled so that each is 1 at its opposite corner.
    slopes: [[f32; 2]; 3],
    /// The reciprocal of twice the area.
    scale: f32,
    /// The nearness of the corners, times `scale`.
    nearness: [f32; 3],
    /// The difference of the samples' depth from that of the middle.
    steps: [f32; SAMPLES],
    /// The least and the greatest nearness of the corners.
    nearest: [f32; 2],
    /// The difference of nearness that may come from rounding the corners of two triangles in one plane to 1/256 pixel, and
    /// from interpolating.
    tie: f32,
}

impl Edges {
    fn new(points: [Point; 3], area: i64, left: i32, top: i32) -> Self {
        let [a, b, c] = points;
        let scale = 1.0 / area as f32;
        let (mut start, mut ties) = ([0; 3], [0; 3]);
        let (mut right, mut down, mut slopes) = ([0; 3], [0; 3], [[0.0; 2]; 3]);
        let mut deltas = [[0_i64; 2]; 3];
        for (edge, (from, to)) in [(b, c), (c, a), (a, b)].into_iter().enumerate() {
            let (dx, dy) = (i64::from(to.x - from.x), i64::from(to.y - from.y));
            // A sample on an edge belongs to the triangle to the right of it, or below it.
            let own = dy < 0 || (dy == 0 && dx > 0);
            let x = i64::from(left * 256 + 128 - from.x);
            let y = i64::from(top * 256 + 128 - from.y);
            ties[edge] = i64::from(!own);
            start[edge] = dx * y - dy * x - ties[edge];
            (right[edge], down[edge]) = (-dy * 256, dx * 256);
            deltas[edge] = [-dy, dx];
            slopes[edge] = [-dy as f32 * scale, dx as f32 * scale];
        }
        let nearness = [a.nearness, b.nearness, c.nearness];
        let slope = |axis: usize| -> f32 { (0..3).map(|edge| slopes[edge][axis] * nearness[edge]).sum() };
        let (across, along) = (slope(0), slope(1));
        let [least, greatest] =
            [f32::min, f32::max].map(|pick| pick(pick(nearness[0], nearness[1]), nearness[2]));
        Self {
            start,
            ties,
            right,
            down,
            offsets: OFFSETS.map(|[x, y]| deltas.map(|[dx, dy]| dx * i64::from(x) + dy * i64::from(y))),
            slopes,
            scale,
            nearness: nearness.map(|nearness| nearness * scale),
            steps: OFFSETS.map(|[x, y]| x as f32 * across + y as f32 * along),
            nearest: [least, greatest],
            tie: across.abs() + along.abs() + greatest * f32::EPSILON * 4.0,
        }
    }

    /// The first and the last pixel of a row that can have a sample inside.
    fn ends(&self, start: [i64; 3], last: i32) -> (i32, i32) {
        let (mut first, mut last) = (0, i64::from(last));
        for edge in 0..3 {
            let reach = self.offsets.iter().map(|offset| offset[edge]).max().unwrap_or(0);
            let (at, step) = (start[edge] + reach, self.right[edge]);
            match step {
                0 if at < 0 => return (0, -1),
                0 => {}
                // at + step * x >= 0
                1.. => first = first.max(-at.div_euclid(step)),
                _ => last = last.min(at.div_euclid(-step)),
            }
        }
        (first.min(i64::from(i32::MAX)) as i32, last.max(-1) as i32)
    }

    /// The weights of the corners at an offset from the middle of a pixel.
    fn weights(&self, at: [f32; 3], [x, y]: [f32; 2]) -> [f32; 3] {
        let weight = |edge: usize| {
            let weight = at[edge] * self.scale + self.slopes[edge][0] * x + self.slopes[edge][1] * y;
            weight.clamp(0.0, 1.0) * self.nearness[edge]
        };
        normalized([weight(0), weight(1), weight(2)])
    }

    fn fragment(
        &self,
        at: [f32; 3],
        weights: [f32; 3],
        corners: [&Vertex; 3],
        face: Vec3,
        surface: &Surface<'_>,
    ) -> Fragment {
        let [a, b, c] = corners;
        let [p, q, r] = weights;
        let uv = |[p, q, r]: [f32; 3]| [0, 1].map(|axis| a.uv[axis] * p + b.uv[axis] * q + c.uv[axis] * r);
        let normal = a.normal * p + b.normal * q + c.normal * r;
        // A mesh without normals is flat, as glTF demands.
        let has_normals = [a, b, c].iter().any(|corner| corner.normal != Vec3::ZERO);
        let normal = if has_normals { normal } else { face };
        // The normal is turned to the visible side of the triangle.
        let is_front = normal.dot(face) >= 0.0;
        let mut fragment = Fragment {
            at: a.at * p + b.at * q + c.at * r,
            normal: if is_front { normal } else { -normal },
            uv: [0.0; 2],
            color: [0, 1, 2, 3].map(|part| a.color[part] * p + b.color[part] * q + c.color[part] * r),
            steps: [[0.0; 2]; 2],
        };
        if surface.is_textured() {
            fragment.uv = uv(weights);
            // The steps to the next pixel in both directions, even if that is outside of the triangle.
            let middle = uv(self.unclamped(at, [0.0; 2]));
            fragment.steps = [[256.0, 0.0], [0.0, 256.0]].map(|step| {
                let next = uv(self.unclamped(at, step));
                [next[0] - middle[0], next[1] - middle[1]]
            });
        }
        fragment
    }

    fn unclamped(&self, at: [f32; 3], [x, y]: [f32; 2]) -> [f32; 3] {
        normalized(std::array::from_fn(|edge| {
            let weight = at[edge] * self.scale + self.slopes[edge][0] * x + self.slopes[edge][1] * y;
            weight * self.nearness[edge]
        }))
    }
}

fn normalized(weights: [f32; 3]) -> [f32; 3] {
    let sum = weights[0] + weights[1] + weights[2];
    weights.map(|weight| weight / sum)
}
