//! The images of a scene, decoded once each, with mipmaps.

use std::collections::{HashMap, HashSet};

use rezkit_core::{Budget, Loss, Result};
use rezkit_scene::images::{self, Picture, linear_from_srgb, srgb_from_linear};
use rezkit_scene::{Image, ImageData, Material, Scene, Texture, UvTransform, Wrap};

/// An image and its mipmaps, down to a pixel.
#[derive(Debug)]
struct Levels(Vec<Picture>);

/// The decoded images of a scene.
#[derive(Debug)]
pub(crate) struct Textures {
    decoded: Vec<Option<Levels>>,
    /// For each image of the scene, the index of its decoded image, which images with the same bytes share.
    index_of: Vec<Option<usize>>,
}

impl Textures {
    /// Decodes the images that are drawn; returns losses for those that cannot be decoded.
    ///
    /// # Errors
    /// If their pixels exceed the budget.
    pub(crate) fn new(scene: &Scene, budget: &mut Budget) -> Result<(Self, Vec<Loss>)> {
        let used = |textures: fn(&Material) -> [Option<Texture>; 2]| -> HashSet<usize> {
            let all = scene.materials.iter().flat_map(textures).flatten();
            all.map(|texture| texture.image).collect()
        };
        let colors = used(|material| [material.base_texture, material.emissive_texture]);
        let surfaces = used(|material| [material.metallic_roughness_texture, None]);
        let mut decoding =
            Decoding { decoded: Vec::new(), known: HashMap::new(), losses: Vec::new(), budget };
        let mut index_of = vec![None; scene.images.len()];
        for (index, image) in scene.images.iter().enumerate().filter(|(index, _)| colors.contains(index)) {
            index_of[index] = decoding.image(index, image)?;
        }
        // A picture that has no room for these is drawn without them.
        let is_more = |index: &usize| surfaces.contains(index) && !colors.contains(index);
        for (index, image) in scene.images.iter().enumerate().filter(|(index, _)| is_more(index)) {
            index_of[index] = match decoding.image(index, image) {
                Err(error) if error.is_limit() => {
                    let what =
                        "an image of metalness and roughness is not drawn, since the memory does not suffice";
                    let loss = Loss::new(path(index, image), what).id("image.unreadable").because(true);
                    decoding.losses.push(loss);
                    None
                }
                other => other?,
            };
        }
        let Decoding { decoded, losses, .. } = decoding;
        Ok((Self { decoded, index_of }, losses))
    }

    /// A texture prepared for drawing; `None` if its image is missing.
    pub(crate) fn get(&self, texture: Option<Texture>) -> Option<Sampler<'_>> {
        let texture = texture?;
        let levels = self.decoded.get((*self.index_of.get(texture.image)?)?)?.as_ref()?;
        let transform = Some(texture.transform).filter(|transform| *transform != UvTransform::default());
        Some(Sampler { levels: &levels.0, wrap: texture.sampler.wrap, transform })
    }
}

/// The path of an image in losses.
fn path(index: usize, image: &Image) -> String {
    match image.name.as_str() {
        "" => format!("images[{index}]"),
        name => format!("images[{index}] {name:?}"),
    }
}

/// The images that are decoded so far.
struct Decoding<'s, 'b> {
    decoded: Vec<Option<Levels>>,
    known: HashMap<&'s [u8], Option<usize>>,
    losses: Vec<Loss>,
    budget: &'b mut Budget,
}

impl<'s> Decoding<'s, '_> {
    /// The index of the decoded image; `None` if it is missing or cannot be decoded, which is listed.
    ///
    /// # Errors
    /// If its pixels exceed the budget.
    fn image(&mut self, index: usize, image: &'s Image) -> Result<Option<usize>> {
        let bytes = match &image.data {
            ImageData::Bytes(bytes) => bytes.as_slice(),
            ImageData::Uri(uri) => {
                self.losses.extend(images::missing(uri, path(index, image)));
                return Ok(None);
            }
        };
        if let Some(&same) = self.known.get(bytes) {
            return Ok(same);
        }
        let (width, height) = images::size(bytes).unwrap_or((0, 0));
        let what = format!("an image of {width} x {height} pixels");
        let needed = images::needed(bytes);
        self.budget.take(needed, &what).map_err(|error| error.at(path(index, image)))?;
        let made = images::decode(bytes, needed);
        // The image to draw remains.
        self.budget.give_back(needed.saturating_sub(u64::from(width) * u64::from(height) * 16));
        let new = match made {
            Ok(made) => {
                self.decoded.push(Some(Levels::new(made)));
                Some(self.decoded.len() - 1)
            }
            Err(error) => {
                let what = format!("the image cannot be read: {error}");
                let loss = Loss::new(path(index, image), what).id("image.unreadable");
                self.losses.push(loss.because(error.is_limit()));
                None
            }
        };
        self.known.insert(bytes, new);
        Ok(new)
    }
}

impl Levels {
    fn new(image: Picture) -> Self {
        let mut levels = vec![image];
        while let Some(next) = levels.last().and_then(half) {
            levels.push(next);
        }
        Self(levels)
    }
}

/// An image of half the size, averaging the light of up to four pixels; `None` for a single pixel.
fn half(image: &Picture) -> Option<Picture> {
    let (width, height) = image.size();
    if width.max(height) <= 1 {
        return None;
    }
    Some(Picture::from_fn((width / 2).max(1), (height / 2).max(1), |x, y| {
        let mut sum = [0.0_f32; 4];
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let [r, g, b, a] = image.pixel((2 * x + dx).min(width - 1), (2 * y + dy).min(height - 1));
            let alpha = f32::from(a) / 255.0;
            let light = [r, g, b].map(|part| linear_from_srgb(part) * alpha);
            sum = [sum[0] + light[0], sum[1] + light[1], sum[2] + light[2], sum[3] + alpha];
        }
        let plain = |part: f32| if sum[3] > 0.0 { srgb_from_linear(part / sum[3]) } else { 0 };
        [plain(sum[0]), plain(sum[1]), plain(sum[2]), (sum[3] / 4.0 * 255.0 + 0.5) as u8]
    }))
}

/// An image, and the wrapping of coordinates outside 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampler<'a> {
    levels: &'a [Picture],
    wrap: [Wrap; 2],
    /// The transform of texture coordinates; `None` if it has no effect.
    transform: Option<UvTransform>,
}

impl Sampler<'_> {
    /// The linear colour and alpha at a point, from the four texels around it in the level whose texels are about
    /// as large as a pixel; `steps` lead from a pixel to the next ones.
    pub(crate) fn at(&self, uv: [f32; 2], steps: [[f32; 2]; 2]) -> [f32; 4] {
        let ([u, v], steps) = match self.transform {
            None => (uv, steps),
            Some(transform) => {
                let turned = UvTransform { offset: [0.0; 2], ..transform };
                (transform.apply(uv), steps.map(|step| turned.apply(step)))
            }
        };
        let Some(first) = self.levels.first().filter(|_| u.is_finite() && v.is_finite()) else {
            return [1.0; 4];
        };
        let (width, height) = (first.width() as f32, first.height() as f32);
        let [[ux, vx], [uy, vy]] = steps;
        // The number of texels that a pixel covers.
        let area = ((ux * vy - uy * vx) * width * height).abs();
        let (mut level, mut covered) = (0, 4.0);
        while area >= covered && level + 1 < self.levels.len() {
            (level, covered) = (level + 1, covered * 4.0);
        }
        let Some(image) = self.levels.get(level) else { return [1.0; 4] };
        let (width, height) = (image.width() as f32, image.height() as f32);
        let (x, y) = (u * width - 0.5, v * height - 0.5);
        let (left, top) = (x.floor(), y.floor());
        let texel = |dx: f32, dy: f32| -> [f32; 4] {
            let wrap = |wrap: Wrap, at: f32, size: f32| {
                let at = match wrap {
                    Wrap::Repeat => at - (at / size).floor() * size,
                    // Every other repetition is mirrored.
                    Wrap::Mirror => {
                        let at = at - (at / (2.0 * size)).floor() * 2.0 * size;
                        at.min(2.0 * size - 1.0 - at)
                    }
                    Wrap::Clamp => at,
                };
                at.clamp(0.0, size - 1.0) as u32
            };
            let (x, y) = (wrap(self.wrap[0], left + dx, width), wrap(self.wrap[1], top + dy, height));
            let [r, g, b, a] = image.pixel(x, y);
            [linear_from_srgb(r), linear_from_srgb(g), linear_from_srgb(b), f32::from(a) / 255.0]
        };
        let (fx, fy) = (x - left, y - top);
        let corners = [texel(0.0, 0.0), texel(1.0, 0.0), texel(0.0, 1.0), texel(1.0, 1.0)];
        std::array::from_fn(|part| {
            let upper = corners[0][part] + (corners[1][part] - corners[0][part]) * fx;
            let lower = corners[2][part] + (corners[3][part] - corners[2][part]) * fx;
            upper + (lower - upper) * fy
        })
    }
}
