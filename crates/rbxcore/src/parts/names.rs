//! Names of properties that are not stored under the name that Studio shows.

use bstr::BStr;

pub use crate::similar::closest;

/// Pairs of the name in Studio's property window and in scripts, and a name under which files store the property, if no
/// rule of [`is_stored_as`] gives the pair.
const STORED_NAMES: &[(&str, &str)] = &[
    ("AudioContent", "Asset"),
    ("AudioContent", "SoundId"),
    ("BottomLeftRadius", "CornerRadius"),
    ("BottomRightRadius", "CornerRadius"),
    ("CFrame", "CoordinateFrame"),
    ("Color", "BrickColor"),
    ("Color", "Color3uint8"),
    ("Content", "AssetId"),
    ("FontFace", "Font"),
    ("HSRContent", "HSRAssetId"),
    ("MaxDistance", "xmlRead_MaxDistance_3"),
    ("RollOffMaxDistance", "xmlRead_MaxDistance_3"),
    ("RollOffMinDistance", "EmitterSize"),
    ("Sandboxed", "DefinesCapabilities"),
    ("Scale", "ScaleFactor"),
    ("ScreenInsets", "IgnoreGuiInset"),
    ("SkyboxBackContent", "SkyboxBk"),
    ("SkyboxDownContent", "SkyboxDn"),
    ("SkyboxFrontContent", "SkyboxFt"),
    ("SkyboxLeftContent", "SkyboxLf"),
    ("SkyboxRightContent", "SkyboxRt"),
    ("TemporaryReferenceMeshContent", "TemporaryReferenceId"),
    ("TextureContent", "Graphic"),
    ("TopLeftRadius", "CornerRadius"),
    ("TopRightRadius", "CornerRadius"),
];

/// The suffixes of a stored name after the name in scripts.
const SUFFIXES: [&str; 8] =
    ["Serialize", "Serialized", "Internal", "Xml", "_xml", "Raw", "2", "_SerializedRollout"];

/// The stored name that was probably meant: the one that differs by case alone, the one under which
/// Roblox stores the property of that name, or one that differs by a letter or two.
pub fn closest_stored<'a>(name: &[u8], stored: impl Iterator<Item = &'a BStr> + Clone) -> Option<&'a BStr> {
    stored_for(name, stored.clone()).or_else(|| closest(name, stored))
}

/// The stored name of the property that has this name: it differs by case alone, or is one of Roblox's renamings.
pub fn stored_for<'a>(name: &[u8], mut stored: impl Iterator<Item = &'a BStr>) -> Option<&'a BStr> {
    stored.find(|stored| is_stored_as(name, stored) || is_stored_as(stored, name))
}

/// Whether a property shown with the first name may be stored under the second, as `Size` under `size`, `Health` under
/// `Health_XML`, and `ImageContent` under `Image` or `ImageId`.
fn is_stored_as(shown: &[u8], stored: &[u8]) -> bool {
    let (same, end) = stored.split_at(shown.len().min(stored.len()));
    let is_one_of =
        |names: &[&str], name: &[u8]| names.iter().any(|one| name.eq_ignore_ascii_case(one.as_bytes()));
    let content = || {
        let base = shown.strip_suffix(b"Content").filter(|base| !base.is_empty())?;
        let id = stored.get(base.len()..).filter(|id| is_one_of(&["", "Id"], id));
        id.filter(|_| stored[..base.len()].eq_ignore_ascii_case(base))
    };
    same.eq_ignore_ascii_case(shown) && (end.is_empty() || is_one_of(&SUFFIXES, end))
        || content().is_some()
        || STORED_NAMES
            .iter()
            .any(|&(name, file)| name.as_bytes() == shown && file.as_bytes().eq_ignore_ascii_case(stored))
}
