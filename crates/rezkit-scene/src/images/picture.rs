//! Pixels.

/// Pixels of red, green, blue (sRGB) and alpha (not premultiplied), eight bits each, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    width: u32,
    height: u32,
    pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// A picture of one colour.
    pub fn new(width: u32, height: u32, color: [u8; 4]) -> Self {
        Self { width, height, pixels: vec![color; width as usize * height as usize] }
    }

    /// A picture from its pixels, row by row from the top; `None` if their number is not `width` times `height`.
    pub fn from_pixels(width: u32, height: u32, pixels: Vec<[u8; 4]>) -> Option<Self> {
        (pixels.len() as u64 == u64::from(width) * u64::from(height)).then_some(Self {
            width,
            height,
            pixels,
        })
    }

    /// A picture whose pixels `color` returns for each column and row.
    pub fn from_fn(width: u32, height: u32, mut color: impl FnMut(u32, u32) -> [u8; 4]) -> Self {
        let mut pixels = Vec::with_capacity(width as usize * height as usize);
        for y in 0..height {
            pixels.extend((0..width).map(|x| color(x, y)));
        }
        Self { width, height, pixels }
    }

    /// The number of columns.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The number of rows.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The numbers of columns and rows.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// All pixels, row by row from the top.
    pub fn pixels(&self) -> &[[u8; 4]] {
        &self.pixels
    }

    /// All pixels, mutable.
    pub fn pixels_mut(&mut self) -> &mut [[u8; 4]] {
        &mut self.pixels
    }

    /// All pixels as bytes, four each.
    pub fn as_bytes(&self) -> &[u8] {
        self.pixels.as_flattened()
    }

    /// All pixels as bytes, four each, without a copy.
    // No budget: nothing is copied.
    pub fn into_bytes(self) -> Vec<u8> {
        self.pixels.into_flattened()
    }

    /// The pixel at a column and a row.
    ///
    /// # Panics
    /// If the pixel is outside the picture.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 4] {
        self.get(x, y).expect("a pixel of the picture")
    }

    /// The pixel at a column and a row; `None` outside the picture.
    pub fn get(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        Some(self.pixels[self.index(x, y)?])
    }

    /// Changes the pixel at a column and a row; outside the picture it has no effect.
    pub fn set(&mut self, x: u32, y: u32, color: [u8; 4]) {
        if let Some(index) = self.index(x, y) {
            self.pixels[index] = color;
        }
    }

    /// Copies another picture onto this one, with its upper left corner at a column and a row; pixels outside are
    /// dropped.
    pub fn place(&mut self, other: &Picture, left: u32, top: u32) {
        let columns = self.width.saturating_sub(left).min(other.width) as usize;
        for y in 0..self.height.saturating_sub(top).min(other.height) {
            let (Some(to), Some(from)) = (self.index(left, top + y), other.index(0, y)) else { continue };
            self.pixels[to..to + columns].copy_from_slice(&other.pixels[from..from + columns]);
        }
    }

    fn index(&self, x: u32, y: u32) -> Option<usize> {
        (x < self.width && y < self.height).then(|| y as usize * self.width as usize + x as usize)
    }

    /// The same picture in another size of at least one pixel. Each new pixel is the mean of the pixels that it covers,
    /// weighted by alpha; if the picture grows, it is interpolated between the nearest ones.
    #[must_use]
    pub fn resized(&self, width: u32, height: u32) -> Self {
        if (width, height) == self.size() || self.pixels.is_empty() {
            return self.clone();
        }
        let (columns, rows) = (weights(self.width, width), weights(self.height, height));
        // Combines rows first, so that the intermediate result is small if the picture shrinks.
        let mut wide = vec![[0.0_f32; 4]; self.width as usize];
        let mut pixels = Vec::with_capacity(width as usize * height as usize);
        for (first, shares) in &rows {
            wide.fill([0.0; 4]);
            for (row, share) in (*first..).zip(shares) {
                let start = row * self.width as usize;
                for (sum, &[r, g, b, a]) in wide.iter_mut().zip(&self.pixels[start..]) {
                    let alpha = f32::from(a) * share;
                    let parts = [f32::from(r) * alpha, f32::from(g) * alpha, f32::from(b) * alpha, alpha];
                    *sum = std::array::from_fn(|part| sum[part] + parts[part]);
                }
            }
            pixels.extend(columns.iter().map(|(first, shares)| {
                let mut sum = [0.0; 4];
                for (pixel, share) in wide[*first..].iter().zip(shares) {
                    sum = std::array::from_fn(|part| sum[part] + pixel[part] * share);
                }
                let [r, g, b, alpha] = sum;
                let color = |part: f32| if alpha > 0.0 { (part / alpha).round() as u8 } else { 0 };
                [color(r), color(g), color(b), alpha.round() as u8]
            }));
        }
        Self { width, height, pixels }
    }
}

/// For each new pixel along an axis, the index of the first old pixel in it, and the weights of the old pixels. Weights
/// fall linearly from the centre to a distance of one pixel of the smaller size.
fn weights(old: u32, new: u32) -> Vec<(usize, Vec<f32>)> {
    let scale = old as f32 / new.max(1) as f32;
    let reach = scale.max(1.0);
    (0..new)
        .map(|index| {
            let center = (index as f32 + 0.5) * scale - 0.5;
            let first = (center - reach).ceil().max(0.0) as usize;
            let last = ((center + reach).floor() as usize).min(old as usize - 1);
            let shares: Vec<f32> =
                (first..=last).map(|at| (1.0 - (at as f32 - center).abs() / reach).max(0.0)).collect();
            let sum: f32 = shares.iter().sum();
            (first, shares.iter().map(|share| share / sum).collect())
        })
        .collect()
}
