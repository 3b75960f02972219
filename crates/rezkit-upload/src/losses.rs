//! The losses of uploads.

use rezkit_scene::LossRule;

/// The rules of these losses.
pub const LOSSES: &[LossRule] = &[
    LossRule::new("lods.not-reduced", "a level of detail has more triangles than requested"),
    LossRule::new(
        "lods.quality",
        "borders, seams, attributes or the area of a simplified mesh differ visibly",
    ),
    LossRule::new("roblox.simplified", "a mesh has fewer triangles, since Roblox accepts 20,000"),
    LossRule::new("sl.coarser-hulls", "physics hulls are coarser than requested or possible"),
    LossRule::new("sl.mirrored", "a negative scale is replaced by a mirrored mesh"),
    LossRule::new("sl.model-scaled", "the whole model is scaled down"),
    LossRule::new("sl.no-motion", "an animation is not written as an avatar motion"),
    LossRule::new("sl.no-picture", "the report lacks a picture"),
    LossRule::new("sl.physics-box", "a physics shape becomes a box"),
    LossRule::new("sl.rig", "the rig is scaled or turned"),
    LossRule::new("sl.simplified", "the finest level of detail is simplified"),
    LossRule::new("sl.slm-material", "a material is only in the .glb file"),
    LossRule::new("sl.split", "a mesh or an object is split"),
    LossRule::new("sl.texture-scaled", "a texture is reduced"),
    LossRule::new("sl.unused-level", "a given level of detail or physics shape is not used"),
    LossRule::new("sl.widened", "the bounding box of a thin object is enlarged"),
];
