//! The surfaces of the materials of `Enum.Material`.
//!
//! Metalness and roughness are from the page "Material references" of Roblox's documentation
//! (`content/en-us/art/modeling/material-reference.md` of the repository Roblox/creator-docs): the middle of the range
//! of the most similar material, which the comment of a row names. Rows without a comment are our choice: Roblox
//! publishes no values for its own materials, which are images. Materials whose images have a metalness map are metals.

/// A material: its number, its name, metalness and roughness.
type Surface = (u32, &'static str, f32, f32);

#[rustfmt::skip]
const SURFACES: &[Surface] = &[
    (256, "Plastic", 0.0, 0.4), // Matte Plastic
    (272, "SmoothPlastic", 0.0, 0.4), // Matte Plastic
    (288, "Neon", 0.0, 1.0),
    (512, "Wood", 0.0, 0.8), // Worn Wood
    (528, "WoodPlanks", 0.0, 0.8), // Worn Wood
    (784, "Marble", 0.0, 0.375), // Marble
    (788, "Basalt", 0.0, 0.8),
    (800, "Slate", 0.0, 0.7),
    (804, "CrackedLava", 0.0, 0.8),
    (816, "Concrete", 0.0, 0.8),
    (820, "Limestone", 0.0, 0.8),
    (832, "Granite", 0.0, 0.6),
    (836, "Pavement", 0.0, 0.8),
    (848, "Brick", 0.0, 0.8),
    (864, "Pebble", 0.0, 0.7),
    (880, "Cobblestone", 0.0, 0.8),
    (896, "Rock", 0.0, 0.8),
    (912, "Sandstone", 0.0, 0.85),
    (1040, "CorrodedMetal", 1.0, 0.4), // Worn Metals, the roughest
    (1056, "DiamondPlate", 1.0, 0.3), // Worn Metals
    (1072, "Foil", 1.0, 0.2), // Pure Metals, the smoothest
    (1088, "Metal", 1.0, 0.3), // Worn Metals
    (1280, "Grass", 0.0, 0.95),
    (1284, "LeafyGrass", 0.0, 0.95),
    (1296, "Sand", 0.0, 0.95),
    (1312, "Fabric", 0.0, 0.85), // Cotton, Canvas, Denim
    (1328, "Snow", 0.0, 0.9),
    (1344, "Mud", 0.0, 0.7),
    (1360, "Ground", 0.0, 0.95),
    (1376, "Asphalt", 0.0, 0.85),
    (1392, "Salt", 0.0, 0.8),
    (1536, "Ice", 0.0, 0.15), // Jade
    (1552, "Glacier", 0.0, 0.3),
    (1568, "Glass", 0.0, 0.05),
    (1584, "ForceField", 0.0, 0.5),
    (2304, "Cardboard", 0.0, 0.9),
    (2305, "Carpet", 0.0, 0.93), // Wool, Linen
    (2306, "CeramicTiles", 0.0, 0.2),
    (2307, "ClayRoofTiles", 0.0, 0.7),
    (2308, "RoofShingles", 0.0, 0.85),
    (2309, "Leather", 0.0, 0.6), // Worn Leather
    (2310, "Plaster", 0.0, 0.8),
    (2311, "Rubber", 0.0, 0.55), // Rubber
];

/// The name, the metalness and the roughness of a material by its number.
pub(crate) fn surface(material: u32) -> (&'static str, f32, f32) {
    let found = SURFACES.binary_search_by_key(&material, |row| row.0);
    found
        .ok()
        .and_then(|index| SURFACES.get(index))
        .map_or(("Material", 0.0, 0.8), |&(_, name, metalness, roughness)| (name, metalness, roughness))
}

/// The number, the metalness and the roughness of a material by its name.
pub(crate) fn named(name: &str) -> Option<(u32, f32, f32)> {
    SURFACES
        .iter()
        .find(|row| row.1 == name)
        .map(|&(number, _, metalness, roughness)| (number, metalness, roughness))
}

/// The roughness of a material by its name, for terrain.
pub(super) fn roughness(name: &str) -> f32 {
    SURFACES.iter().find(|row| row.1 == name).map_or(0.9, |row| row.3)
}

#[cfg(test)]
#[path = "../../tests/inside/roblox_surfaces.rs"]
mod tests;
