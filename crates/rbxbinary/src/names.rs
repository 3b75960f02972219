//! Names of properties that are not stored under the name that Studio shows. The same file in rbxbinary and
//! rbxxml; `cargo xtask tidy` keeps it so.

use bstr::BStr;

/// The name in Studio's property window and in scripts, and a name under which files store the property;
/// without those that differ by case alone.
const STORED_NAMES: &[(&str, &str)] = &[
    ("ActivatedCursorIconContent", "ActivatedCursorIcon"),
    ("AnimationContent", "AnimationId"),
    ("Attributes", "AttributesSerialize"),
    ("AudioContent", "Asset"),
    ("AudioContent", "SoundId"),
    ("AvatarJointUpgrade", "AvatarJointUpgrade_SerializedRollout"),
    ("BaseTextureContent", "BaseTextureId"),
    ("BottomImageContent", "BottomImage"),
    ("BottomLeftRadius", "CornerRadius"),
    ("BottomRightRadius", "CornerRadius"),
    ("CageMeshContent", "CageMeshId"),
    ("CameraButtonIconContent", "CameraButtonIcon"),
    ("CFrame", "CoordinateFrame"),
    ("Color", "BrickColor"),
    ("Color", "Color3uint8"),
    ("Color", "brickColor"),
    ("ColorMapContent", "ColorMap"),
    ("Content", "AssetId"),
    ("CursorIconContent", "CursorIcon"),
    ("FallbackImageContent", "FallbackImage"),
    ("FluidFidelity", "FluidFidelityInternal"),
    ("FontFace", "Font"),
    ("FormFactor", "formFactorRaw"),
    ("Health", "Health_XML"),
    ("Heat", "heat_xml"),
    ("HoverImageContent", "HoverImage"),
    ("HSRContent", "HSRAssetId"),
    ("IconContent", "Icon"),
    ("ImageContent", "Image"),
    ("MaterialVariant", "MaterialVariantSerialized"),
    ("MaxDistance", "xmlRead_MaxDistance_3"),
    ("MaxFrictionTorque", "MaxFrictionTorqueXml"),
    ("MaxPlayers", "MaxPlayersInternal"),
    ("MeshContent", "MeshId"),
    ("MetalnessMapContent", "MetalnessMap"),
    ("MidImageContent", "MidImage"),
    ("MoonTextureContent", "MoonTextureId"),
    ("MouseIconContent", "MouseIcon"),
    ("NormalMapContent", "NormalMap"),
    ("Opacity", "opacity_xml"),
    ("OverlayTextureContent", "OverlayTextureId"),
    ("PackageContent", "PackageContentSerialize"),
    ("PackageContent", "PackageId"),
    ("PackageId", "PackageIdSerialize"),
    ("PantsTemplateContent", "PantsTemplate"),
    ("Part0", "Part0Internal"),
    ("Part1", "Part1Internal"),
    ("PreferredPlayers", "PreferredPlayersInternal"),
    ("PressedImageContent", "PressedImage"),
    ("Properties", "PropertiesSerialize"),
    ("ReferenceMeshContent", "ReferenceMeshId"),
    ("RiseVelocity", "riseVelocity_xml"),
    ("RollOffMaxDistance", "xmlRead_MaxDistance_3"),
    ("RollOffMinDistance", "EmitterSize"),
    ("RoughnessMapContent", "RoughnessMap"),
    ("Sandboxed", "DefinesCapabilities"),
    ("Scale", "ScaleFactor"),
    ("ScreenInsets", "IgnoreGuiInset"),
    ("ShirtTemplateContent", "ShirtTemplate"),
    ("SignalBehavior", "SignalBehavior2"),
    ("Size", "size_xml"),
    ("SkyboxBackContent", "SkyboxBk"),
    ("SkyboxDownContent", "SkyboxDn"),
    ("SkyboxFrontContent", "SkyboxFt"),
    ("SkyboxLeftContent", "SkyboxLf"),
    ("SkyboxRightContent", "SkyboxRt"),
    ("SkyboxUpContent", "SkyboxUp"),
    ("SunTextureContent", "SunTextureId"),
    ("TemporaryCageMeshContent", "TemporaryCageMeshId"),
    ("TemporaryReferenceMeshContent", "TemporaryReferenceId"),
    ("TextureContent", "Graphic"),
    ("TextureContent", "Texture"),
    ("TextureContent", "TextureID"),
    ("TextureContent", "TextureId"),
    ("TexturePackContent", "TexturePack"),
    ("TopImageContent", "TopImage"),
    ("TopLeftRadius", "CornerRadius"),
    ("TopRightRadius", "CornerRadius"),
    ("Use2022Materials", "Use2022MaterialsXml"),
    ("VideoContent", "Video"),
];

/// The longest name that is compared letter by letter.
const MAX_COMPARED: usize = 64;

/// Which of the stored names was probably meant: the one that differs by case alone, the one under which
/// Roblox stores the property of that name, or one that differs by a letter or two.
pub(crate) fn closest<'a>(name: &[u8], stored: impl Iterator<Item = &'a BStr> + Clone) -> Option<&'a BStr> {
    stored_for(name, stored.clone()).or_else(|| {
        let distances = stored.map(|stored| (distance(name, stored), stored));
        let (distance, stored) = distances.min_by_key(|&(distance, _)| distance)?;
        (distance <= 2 && distance < name.len().div_ceil(2)).then_some(stored)
    })
}

/// Which of the stored names is another name of the same property: by case, or by Roblox's table.
pub(crate) fn stored_for<'a>(name: &[u8], mut stored: impl Iterator<Item = &'a BStr>) -> Option<&'a BStr> {
    let same = |&(shown, file): &(&str, &str), stored: &BStr| {
        (shown.as_bytes() == name && file.as_bytes() == stored)
            || (file.as_bytes() == name && shown.as_bytes() == stored)
    };
    stored.find(|stored| {
        stored.eq_ignore_ascii_case(name) || STORED_NAMES.iter().any(|pair| same(pair, stored))
    })
}

/// How many letters must be changed, added or removed to turn one name into the other.
fn distance(a: &[u8], b: &[u8]) -> usize {
    if a.len() > MAX_COMPARED || b.len() > MAX_COMPARED {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let change = diagonal + usize::from(!from.eq_ignore_ascii_case(to));
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
