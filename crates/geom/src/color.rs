//! Colours: sRGB, as Roblox, Model 3D, PLY and OBJ store those of vertices, and linear, as glTF does.

use crate::{LinearRgba, Rgba8};

/// The linear value of each sRGB byte (IEC 61966-2-1), as a fraction of 65,535.
#[rustfmt::skip]
const LINEAR: [u16; 256] = [
    0, 20, 40, 60, 80, 99, 119, 139, 159, 179, 199, 219, 241, 264, 288, 313, 340, 367, 396, 427, 458, 491,
    526, 562, 599, 637, 677, 718, 761, 805, 851, 898, 947, 997, 1048, 1101, 1156, 1212, 1270, 1330, 1391,
    1453, 1517, 1583, 1651, 1720, 1790, 1863, 1937, 2013, 2090, 2170, 2250, 2333, 2418, 2504, 2592, 2681,
    2773, 2866, 2961, 3058, 3157, 3258, 3360, 3464, 3570, 3678, 3788, 3900, 4014, 4129, 4247, 4366, 4488,
    4611, 4736, 4864, 4993, 5124, 5257, 5392, 5530, 5669, 5810, 5953, 6099, 6246, 6395, 6547, 6700, 6856,
    7014, 7174, 7335, 7500, 7666, 7834, 8004, 8177, 8352, 8528, 8708, 8889, 9072, 9258, 9445, 9635, 9828,
    10_022, 10_219, 10_417, 10_619, 10_822, 11_028, 11_235, 11_446, 11_658, 11_873, 12_090, 12_309, 12_530,
    12_754, 12_980, 13_209, 13_440, 13_673, 13_909, 14_146, 14_387, 14_629, 14_874, 15_122, 15_371, 15_623,
    15_878, 16_135, 16_394, 16_656, 16_920, 17_187, 17_456, 17_727, 18_001, 18_277, 18_556, 18_837, 19_121,
    19_407, 19_696, 19_987, 20_281, 20_577, 20_876, 21_177, 21_481, 21_787, 22_096, 22_407, 22_721, 23_038,
    23_357, 23_678, 24_002, 24_329, 24_658, 24_990, 25_325, 25_662, 26_001, 26_344, 26_688, 27_036, 27_386,
    27_739, 28_094, 28_452, 28_813, 29_176, 29_542, 29_911, 30_282, 30_656, 31_033, 31_412, 31_794, 32_179,
    32_567, 32_957, 33_350, 33_745, 34_143, 34_544, 34_948, 35_355, 35_764, 36_176, 36_591, 37_008, 37_429,
    37_852, 38_278, 38_706, 39_138, 39_572, 40_009, 40_449, 40_891, 41_337, 41_785, 42_236, 42_690, 43_147,
    43_606, 44_069, 44_534, 45_002, 45_473, 45_947, 46_423, 46_903, 47_385, 47_871, 48_359, 48_850, 49_344,
    49_841, 50_341, 50_844, 51_349, 51_858, 52_369, 52_884, 53_401, 53_921, 54_445, 54_971, 55_500, 56_032,
    56_567, 57_105, 57_646, 58_190, 58_737, 59_287, 59_840, 60_396, 60_955, 61_517, 62_082, 62_650, 63_221,
    63_795, 64_372, 64_952, 65_535,
];

impl Rgba8 {
    /// Opaque white, which every format treats as "no colour".
    pub const WHITE: Self = Self::new(255, 255, 255, 255);

    /// The linear colour of an sRGB colour. [`LinearRgba::to_srgb`] returns exactly this colour again.
    ///
    /// ```
    /// use geom::Rgba8;
    ///
    /// let grey = Rgba8::new(128, 128, 128, 255).to_linear();
    /// assert_eq!(grey.to_array(), [14_146, 14_146, 14_146, 65_535]);
    /// ```
    pub fn to_linear(self) -> LinearRgba {
        let [r, g, b] = [self.r, self.g, self.b].map(|part| LINEAR[usize::from(part)]);
        LinearRgba { r, g, b, a: u16::from(self.a) * 257 }
    }
}

impl LinearRgba {
    /// Opaque white.
    pub const WHITE: Self = Self::new(65_535, 65_535, 65_535, 65_535);

    /// The nearest sRGB colour.
    #[allow(clippy::cast_possible_truncation, reason = "at most 255")]
    pub fn to_srgb(self) -> Rgba8 {
        let [r, g, b] = [self.r, self.g, self.b].map(|part| {
            let above = LINEAR.partition_point(|&linear| linear < part);
            let is_below = above > 0 && part - LINEAR[above - 1] < LINEAR[above] - part;
            (above - usize::from(is_below)) as u8
        });
        Rgba8 { r, g, b, a: ((u32::from(self.a) + 128) / 257) as u8 }
    }

    /// From components of 0 to 1; others are clamped.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 65,535")]
    pub fn from_unit(color: [f32; 4]) -> Self {
        color.map(|part| libm::roundf(part.clamp(0.0, 1.0) * 65_535.0) as u16).into()
    }

    /// The components, 0 to 1 each.
    pub fn to_unit(self) -> [f32; 4] {
        self.to_array().map(|part| f32::from(part) / 65_535.0)
    }
}
