//! `MaterialColors`: the colours of the materials of terrain.

use geom::Rgba8;

use super::smooth_grid::MATERIALS;
use crate::bytes::{Bytes, Layout};
use geom::wire::Result;

/// The number of solid materials: all but air and water.
const SOLIDS: usize = MATERIALS.len() - 2;

/// The colours of the solid materials in the order of [`MATERIALS`], from grass on: the bytes of the property
/// `MaterialColors`. The default has the colours that newer versions of Studio write for terrain without its own
/// colours.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
pub struct MaterialColors(pub [Rgba8; SOLIDS]);

impl MaterialColors {
    /// The colour of a material; `None` for air, water and unknown materials.
    pub fn get(&self, material: u8) -> Option<Rgba8> {
        self.0.get(usize::from(material).checked_sub(2)?).copied()
    }

    /// The bytes of the property.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = vec![0; 6];
        out.extend(self.0.iter().flat_map(|color| [color.r, color.g, color.b]));
        out
    }
}

impl Default for MaterialColors {
    fn default() -> Self {
        Self(
            [
                0x6f7e3e, 0x585956, 0x989898, 0x8a6149, 0xcfcba7, 0xac946c, 0x636466, 0xdde4e5, 0xebfdff,
                0x947c5f, 0x797062, 0x4b4a4a, 0x8c8268, 0xff1843, 0x505454, 0x868676, 0xccd2df, 0x6a8640,
                0xfffffe, 0xfff3c0, 0x8f9087,
            ]
            .map(|color: u32| {
                let [_, r, g, b] = color.to_be_bytes();
                Rgba8 { r, g, b, a: 255 }
            }),
        )
    }
}

impl Layout for MaterialColors {
    const NAME: &'static str = "MaterialColors";

    fn read(bytes: &mut Bytes<'_>) -> Result<Self> {
        let first: [u8; 6] = bytes.array()?;
        if first != [0; 6] {
            let [air @ .., a, b, c] = first;
            return Err(bytes.unsupported(format!(
                "colours of air and water (expected black for both, found {air:?} and {:?})",
                [a, b, c]
            )));
        }
        let mut colors = Self::default();
        for color in &mut colors.0 {
            let [r, g, b] = bytes.array()?;
            *color = Rgba8 { r, g, b, a: 255 };
        }
        Ok(colors)
    }
}

#[cfg(test)]
#[path = "../../tests/inside/colors.rs"]
mod tests;
