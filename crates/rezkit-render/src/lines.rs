//! Draws lines into samples, and combines samples to pixels.

use glam::Vec3;
use rezkit_scene::images::{Picture, srgb_from_linear};

use crate::camera::View;
use crate::clip;
use crate::raster::{Canvas, SAMPLES, fixed, over};
use crate::vertex::Point;

impl Canvas {
    /// Draws lines a pixel wide above everything else.
    pub(crate) fn lines(&mut self, view: &View, lines: impl Iterator<Item = [Vec3; 2]>, color: [f32; 4]) {
        for line in lines {
            if self.work == 0 {
                return;
            }
            self.work += Self::WORK_OF_SHAPE;
            let line = line.map(|end| view.point(end));
            let inside = line.iter().all(|end| end.is_finite()).then(|| clip::line(view, line));
            if let Some([from, to]) = inside.flatten() {
                self.line(self.point(view, from), self.point(view, to), color);
            }
        }
    }

    /// Draws a line: two pixels for each step along the longer axis, each weighted by its nearness to the line.
    fn line(&mut self, from: Point, to: Point, color: [f32; 4]) {
        let is_steep = (to.y - from.y).abs() > (to.x - from.x).abs();
        let turned = |point: Point| if is_steep { [point.y, point.x] } else { [point.x, point.y] };
        let (mut from, mut to) = (turned(from), turned(to));
        if from[0] > to[0] {
            std::mem::swap(&mut from, &mut to);
        }
        let length = (to[0] - from[0]).max(1) as f32;
        let slope = (to[1] - from[1]) as f32 / length;
        // Each step mixes the samples of two pixels.
        self.work = self.work.saturating_sub((1 + (length / 256.0) as u64) * Self::STEP);
        if self.work == 0 {
            return;
        }
        for step in from[0] >> 8..=to[0] >> 8 {
            let along = (step * 256 + 128 - from[0]) as f32;
            let side = from[1] as f32 + along.clamp(0.0, length) * slope - 128.0;
            let row = (side / 256.0).floor();
            let part = side / 256.0 - row;
            for (row, part) in [(row as i32, 1.0 - part), (row as i32 + 1, part)] {
                let (x, y) = if is_steep { (row, step) } else { (step, row) };
                let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { continue };
                if x < self.width && y < self.height {
                    let color = [color[0], color[1], color[2], color[3] * part].map(fixed);
                    for below in &mut self.colors[y * self.width + x] {
                        *below = over(color, *below);
                    }
                }
            }
        }
    }

    /// The picture: the average of the samples of each pixel, over the linear, premultiplied colour that `background`
    /// returns.
    pub(crate) fn finish(&self, background: impl Fn(usize, usize) -> [f32; 4]) -> Picture {
        let mut picture = Picture::new(self.width as u32, self.height as u32, [0; 4]);
        let rows =
            self.colors.chunks_exact(self.width).zip(picture.pixels_mut().chunks_exact_mut(self.width));
        for (y, (samples, pixels)) in rows.enumerate() {
            for (x, (samples, pixel)) in samples.iter().zip(pixels).enumerate() {
                let sum: [u32; 4] =
                    std::array::from_fn(|part| samples.iter().map(|sample| u32::from(sample[part])).sum());
                let color = sum.map(|sum| sum as f32 / (65_535 * SAMPLES) as f32);
                let over = match sum[3] == 65_535 * SAMPLES as u32 {
                    true => color,
                    false => {
                        let below = background(x, y);
                        std::array::from_fn(|part| color[part] + below[part] * (1.0 - color[3]))
                    }
                };
                let plain = |part: f32| if over[3] > 0.0 { srgb_from_linear(part / over[3]) } else { 0 };
                let alpha = (over[3].clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
                *pixel = [plain(over[0]), plain(over[1]), plain(over[2]), alpha];
            }
        }
        picture
    }
}
