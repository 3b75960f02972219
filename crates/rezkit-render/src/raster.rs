//! Triangles and lines into pixels.

use glam::{Mat4, Vec3};
use image::RgbaImage;
use retrofire_core::geom::{Edge, Tri, Vertex, vertex};
use retrofire_core::math::{Mat4 as RasterMat4, ProjVec3, Vector};
use retrofire_core::render::clip::{ClipVert, view_frustum};
use retrofire_core::render::prim::to_screen;
use retrofire_core::render::raster::{Scanline, line, tri_fill};
use retrofire_core::render::{Ndc, Screen};

use super::surface::Surface;
use rezkit_scene::images::{linear_from_srgb, srgb_from_linear};

/// A vertex as it is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    pub(super) position: Vec3,
    pub(super) normal: Vec3,
    pub(super) uv: [f32; 2],
    pub(super) color: [f32; 4],
}

/// What is interpolated over a triangle: position, normal, texture coordinates and colour.
type Varying = Vector<[f32; 12], ()>;

/// Linear colours, premultiplied with alpha, and the depths (their reciprocals) of all samples.
pub(super) struct Canvas {
    width: usize,
    height: usize,
    colors: Vec<[f32; 4]>,
    depths: Vec<f32>,
    to_pixels: RasterMat4<Ndc, Screen>,
}

impl Canvas {
    pub(super) fn new(width: usize, height: usize) -> Self {
        let (x, y) = (width as f32 / 2.0, height as f32 / 2.0);
        Self {
            width,
            height,
            colors: vec![[0.0; 4]; width * height],
            depths: vec![0.0; width * height],
            to_pixels: RasterMat4::new([
                [x, 0.0, 0.0, x],
                [0.0, -y, 0.0, y],
                [0.0, 0.0, 1.0, 0.0],
                [0.0, 0.0, 0.0, 1.0],
            ]),
        }
    }

    /// Draws triangles; each is clipped by the view.
    pub(super) fn triangles(
        &mut self,
        view: &Mat4,
        corners: &[Corner],
        triangles: &[[u32; 3]],
        surface: &Surface<'_>,
        blend: bool,
    ) {
        let clip = |corner: &Corner| {
            let [x, y, z] = corner.position.to_array();
            let [nx, ny, nz] = corner.normal.to_array();
            let [u, v] = corner.uv;
            let [r, g, b, a] = corner.color;
            let varying: Varying = Vector::new([x, y, z, nx, ny, nz, u, v, r, g, b, a]);
            ClipVert::new(vertex(projected(view, corner.position), varying))
        };
        let vertices: Vec<ClipVert<Varying>> = corners.iter().map(clip).collect();
        let finite =
            |index: &u32| corners.get(*index as usize).is_some_and(|corner| corner.position.is_finite());
        let mut order: Vec<&[u32; 3]> =
            triangles.iter().filter(|triangle| triangle.iter().all(finite)).collect();
        if blend {
            // The farthest first.
            let depth = |triangle: &[u32; 3]| -> f32 {
                triangle.iter().map(|&index| vertices[index as usize].pos.w()).sum()
            };
            order.sort_by(|a, b| depth(b).total_cmp(&depth(a)));
        }
        let mut clipped = Vec::new();
        for triangle in order {
            let whole = Tri(triangle.map(|index| vertices[index as usize]));
            clipped.clear();
            view_frustum::clip([whole].as_slice(), &mut clipped);
            for Tri(part) in clipped.drain(..) {
                let points = to_screen(part, &self.to_pixels);
                tri_fill(points, |scanline| self.fill(scanline, surface, blend));
            }
        }
    }

    fn fill(&mut self, mut scanline: Scanline<Varying>, surface: &Surface<'_>, blend: bool) {
        let (y, xs) = (scanline.y, scanline.xs.clone());
        if y >= self.height {
            return;
        }
        let row = y * self.width;
        let count = xs.end.min(self.width).saturating_sub(xs.start);
        for (x, fragment) in (xs.start..xs.start + count).zip(scanline.fragments()) {
            let depth = fragment.pos.z();
            let index = row + x;
            // Equal depths: what is drawn later, such as a decal on a part, wins by its own distance only.
            if depth <= self.depths[index] {
                continue;
            }
            let [px, py, pz, nx, ny, nz, u, v, r, g, b, a] = fragment.var.0;
            let shaded = surface.shade(Vec3::new(px, py, pz), Vec3::new(nx, ny, nz), [u, v], [r, g, b, a]);
            let Some([red, green, blue, alpha]) = shaded else { continue };
            let below = self.colors[index];
            let color = if blend {
                [red * alpha, green * alpha, blue * alpha, alpha]
            } else {
                [red, green, blue, 1.0]
            };
            self.colors[index] = std::array::from_fn(|part| color[part] + below[part] * (1.0 - color[3]));
            if !blend {
                self.depths[index] = depth;
            }
        }
    }

    /// Draws the edges of all triangles, hidden ones too.
    pub(super) fn edges(&mut self, view: &Mat4, mesh: &geom::TriMesh, color: [f32; 4]) {
        let mut pairs: Vec<[u32; 2]> = Vec::with_capacity(mesh.triangles.len() * 3);
        for &[a, b, c] in &mesh.triangles {
            pairs.extend([[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let at = |index: u32| Vec3::from(mesh.positions[index as usize].to_array());
        let lines: Vec<[Vec3; 2]> = pairs.iter().map(|&[a, b]| [at(a), at(b)]).collect();
        self.lines(view, &lines, color);
    }

    /// Draws lines above everything else.
    pub(super) fn lines(&mut self, view: &Mat4, lines: &[[Vec3; 2]], color: [f32; 4]) {
        let mut clipped = Vec::new();
        for [from, to] in lines.iter().filter(|line| line.iter().all(|point| point.is_finite())) {
            let end = |point: Vec3| ClipVert::new(vertex(projected(view, point), ()));
            clipped.clear();
            view_frustum::clip([Edge(end(*from), end(*to))].as_slice(), &mut clipped);
            for Edge(from, to) in clipped.drain(..) {
                let ends: [Vertex<_, ()>; 2] = to_screen([from, to], &self.to_pixels);
                let (width, height) = (self.width, self.height);
                line(ends, |scanline| {
                    // Two samples wide, which is one pixel.
                    for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                        let (x, y) = (scanline.xs.start + x, scanline.y + y);
                        if x < width && y < height {
                            self.colors[y * width + x] = color;
                        }
                    }
                });
            }
        }
    }

    /// The average of the samples of each pixel over a background.
    pub(super) fn finish(&self, samples: usize, background: [u8; 4]) -> RgbaImage {
        let (width, height) = (self.width / samples, self.height / samples);
        let [r, g, b, a] = background;
        let alpha = f32::from(a) / 255.0;
        let behind = [r, g, b].map(|part| linear_from_srgb(part) * alpha);
        let behind = [behind[0], behind[1], behind[2], alpha];
        let mut picture = RgbaImage::new(width as u32, height as u32);
        for (x, y, pixel) in picture.enumerate_pixels_mut() {
            let mut sum = [0.0_f32; 4];
            for row in 0..samples {
                let start = (y as usize * samples + row) * self.width + x as usize * samples;
                for color in &self.colors[start..start + samples] {
                    sum = std::array::from_fn(|part| sum[part] + color[part]);
                }
            }
            let color = sum.map(|part| part / (samples * samples) as f32);
            let over: [f32; 4] = std::array::from_fn(|part| color[part] + behind[part] * (1.0 - color[3]));
            let alpha = over[3].clamp(0.0, 1.0);
            let plain = |part: f32| srgb_from_linear(if alpha > 0.0 { part / alpha } else { 0.0 });
            pixel.0 = [plain(over[0]), plain(over[1]), plain(over[2]), (alpha * 255.0 + 0.5) as u8];
        }
        picture
    }
}

fn projected(view: &Mat4, point: Vec3) -> ProjVec3 {
    ProjVec3::new((*view * point.extend(1.0)).to_array())
}
