//! Every rule in one table: its id, what it demands, what it needs to be seen, what to do about a violation, and its
//! source.

use rezkit_core::Severity::{Error, Warning};
use rezkit_core::{Rule, Severity};

/// What a rule needs besides the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Needs {
    /// The document alone.
    Document,
    /// The meshes and cages.
    Meshes,
    /// The textures.
    Textures,
}

impl Needs {
    /// The need as a word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Meshes => "meshes",
            Self::Textures => "textures",
        }
    }
}

/// A rule of avatar items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct AvatarRule {
    /// The id, the severity (an error is refused, a warning is a matter of quality), the requirement and its source.
    #[serde(flatten)]
    pub rule: Rule,
    /// What the rule needs to be seen.
    pub needs: Needs,
    /// What to do about a violation.
    pub remedy: &'static str,
    /// The key of its number in the rules file; empty if it has none.
    pub key: &'static str,
    /// The day for which the source was read.
    pub date: &'static str,
}

impl AvatarRule {
    /// The severity.
    pub fn severity(&self) -> Severity {
        self.rule.severity
    }
}

/// The day for which rules and numbers were read.
pub const DATE: &str = "2026-08-22";

/// The prefix of all ids.
pub const PREFIX: &str = "roblox-avatar";

const PACKAGE: &str = "Roblox's package UGCValidation, with the flags of the service of 22 August 2026";
const JOINTS: &str = "the joints of R15, as Roblox's documentation of rigs and its own rigs have them";

macro_rules! rules {
    ($($source:ident: { $($name:ident $id:literal $severity:ident $needs:ident $key:literal $demands:literal
        $remedy:literal)+ })+) => {
        $($(pub(crate) static $name: AvatarRule = AvatarRule {
            rule: Rule::new(concat!("roblox-avatar.", $id), $severity, $demands, $source),
            needs: Needs::$needs,
            remedy: $remedy,
            key: $key,
            date: DATE,
        };)+)+

        /// Every rule.
        pub static AVATAR_RULES: &[&AvatarRule] = &[$($(&$name),+),+];

        /// The same as the other crates list rules.
        pub const RULES: &[Rule] =
            &[$($(Rule::new(concat!("roblox-avatar.", $id), $severity, $demands, $source)),+),+];
    };
}

rules! {
PACKAGE: {
    // The tree.
    NONE "none" Error Document "" "a file has at least one avatar item"
        "Save the item itself, name the nodes as in exchange files (`NAME_OuterCage`, `Hat_Att`), or name the type (`--type Hat`)."
    TYPE "type" Error Document "" "the type of the item is known"
        "Set AccessoryType in the Accessory, or name the type (`--type Hat`)."
    ACCESSORY_CLASS "accessory-class" Error Document "" "an accessory is an instance of Accessory, not of Hat, its older form"
        "Put the Handle into an Accessory, with an attachment."
    ONE_ROOT "one-root" Error Document "" "a model file has nothing beside its items"
        "Move the other instances to another file."
    HANDLE "handle" Error Document ""
        "an accessory has one child named Handle: a MeshPart, or a Part with a SpecialMesh"
        "Give the accessory exactly one Handle."
    CHILDREN "children" Error Document "" "an item contains only what its type may contain"
        "Remove the instance, or move it out of the item."
    FORBIDDEN_CLASS "forbidden-class" Error Document ""
        "an item contains no scripts and no particles, fire, smoke or sparkles"
        "Remove the instance."
    FORBIDDEN_NAME "forbidden-name" Error Document ""
        "no instance of an accessory has the name of a body part or of a part of a character"
        "Rename the instance."
    TAGS "tags" Error Document "" "no instance has tags" "Remove the tags."
    ATTRIBUTES "attributes" Error Document "OtherRules.MaxGuidLength"
        "no instance has attributes, except RBXGUID on the root, a string of at most 100 bytes"
        "Remove the attributes."
    CONTENT "content" Error Document "" "meshes, textures of old meshes, cages and animations have an asset id"
        "Set the asset id."
    ATTACHMENT "attachment" Error Document "AccessoryRules"
        "the Handle has exactly one of the attachments of its type"
        "Keep one of the allowed attachments, or change the type of the accessory."
    WRAP_LAYER "wrap-layer" Error Document ""
        "layered clothing has exactly one WrapLayer in its Handle, a rigid accessory has none"
        "Add a WrapLayer with both cages, or change the type of the accessory."
    FOLDERS "folders" Error Document ""
        "the asset of a body part has the folders R6, R15Fixed and R15ArtistIntent, the last one with its parts"
        "Put the MeshParts into a folder R15ArtistIntent beside the folders R6 and R15Fixed."
    PARTS "parts" Error Document "BodyPartRules" "the asset of a body part has exactly its parts, all of them MeshParts"
        "Add the missing part, or remove the one that is not of this asset."
    // Properties.
    ARCHIVABLE "archivable" Error Document "" "Archivable is true" "Set Archivable to true."
    ATTACHMENT_VISIBLE "attachment-visible" Error Document "" "attachments are not visible" "Set Visible to false."
    ANCHORED "anchored" Error Document "" "parts are not anchored" "Set Anchored to false."
    COLLISION_GROUP "collision-group" Error Document "" "parts are in the default collision group"
        "Set the collision group to Default."
    PHYSICAL "physical-properties" Error Document ""
        "parts have no CustomPhysicalProperties, an elasticity of 0.5 and a friction of 0.3"
        "Turn CustomPhysicalProperties off."
    MASSLESS "massless" Error Document "" "parts are not massless" "Set Massless to false."
    REFLECTANCE "reflectance" Error Document "" "the reflectance is 0" "Set Reflectance to 0."
    ROOT_PRIORITY "root-priority" Error Document "" "the root priority is 0" "Set RootPriority to 0."
    VELOCITY "velocity" Error Document "" "parts do not move" "Set Velocity and RotVelocity to 0, 0, 0."
    TRANSPARENCY "transparency" Error Document "" "the transparency is exactly 0"
        "Set Transparency to 0; use the alpha channel of a texture instead."
    MATERIAL "material" Error Document "" "the material is Plastic" "Set Material to Plastic."
    SURFACES "surfaces" Error Document "" "all surfaces are smooth and have no input, and parameters of -0.5 and 0.5"
        "Set all surfaces to Smooth."
    COLOR "color" Error Document "" "the Handle has the colour Medium stone grey (163, 162, 165)"
        "Set Color to 163, 162, 165."
    SHAPE "shape" Error Document "" "the shape of a Part is Block" "Set Shape to Block."
    COLLISION_FIDELITY "collision-fidelity" Error Document "" "the collision fidelity of body parts is Default"
        "Set CollisionFidelity to Default."
    ALPHA_MODE "alpha-mode" Error Document "" "the alpha mode of a SurfaceAppearance is Overlay"
        "Set AlphaMode to Overlay."
    TEXTURE "texture" Error Document "" "a MeshPart has either a texture or a SurfaceAppearance, not both"
        "Remove one of them, or add one."
    SPECIAL_MESH "special-mesh" Error Document ""
        "a SpecialMesh has the type FileMesh, an offset of 0 and a vertex colour of 1"
        "Set MeshType to FileMesh, Offset to 0, 0, 0 and VertexColor to 1, 1, 1."
    WRAP_ENABLED "wrap-enabled" Error Document "" "a WrapLayer is enabled" "Set Enabled to true."
    WRAP_ORIGIN "wrap-origin" Error Document "OtherRules.MaxWrapOrigin"
        "the origins of cages are at most 10 studs from the part (ImportOrigin: 8), and those of the cages are not turned"
        "Move the cage to the part, and apply its rotation to the mesh."
    BIND_OFFSET "bind-offset" Error Document "" "the BindOffset of a WrapLayer is zero" "Set BindOffset to the identity."
    SCALE_TYPE "scale-type" Error Document ""
        "AvatarPartScaleType is Classic, ProportionsSlender or ProportionsNormal, the same in all parts, and each body part has one"
        "Set the StringValue AvatarPartScaleType of all parts to the same of these three values."
    FINITE "finite" Error Document "" "all numbers are finite, also those of meshes and cages" "Replace the number that is NaN or infinite."
    LENGTHS "data-length" Error Document "OtherRules.MaxBinaryString"
        "binary strings have at most 15,000 bytes, shared strings 150,000, and the data of hidden surfaces 200,000"
        "Import the item again, without the data that Studio computes."
    MASS "mass" Warning Document "OtherRules.MaxMass" "the mass of a part is at most 100 (estimated from its box)"
        "Make the part smaller."
    HIDDEN_SURFACES "hidden-surfaces" Error Document ""
        "a WrapLayer that refers to a HiddenSurfaceRemovalAsset has exactly one, without children"
        "Remove the additional assets, or compute the hidden surfaces again in Studio."
    // Accessories.
    BOX "box" Error Meshes "AccessoryRules.*.Attachments"
        "all vertices are inside the box that hangs on the attachment, turned as the attachment"
        "Scale or move the mesh, or move the attachment (`rezkit fit` does so in Roblox models)."
    TRIANGLES "triangles" Error Meshes "MeshRules" "an accessory or a body part has no more triangles than its type allows"
        "Simplify the mesh (`rezkit fit` does so in Roblox models)."
    VERTEX_COLORS "vertex-colors" Error Meshes "MeshRules.MeshVertColor" "all vertex colours are white, and those of bodies opaque"
        "Remove the vertex colours (`rezkit fit` does so in Roblox models)."
    TEXTURE_SIZE "texture-size" Error Textures "TextureRules.MaxTextureSize"
        "the sides of textures have at most 2,048 pixels; those of a TextureId of old accessories 1,024"
        "Scale the texture down."
    CENTERED "centered" Error Meshes "OtherRules.CenterTolerance" "the box of a mesh is centred on the origin of the mesh"
        "Move the vertices so that the middle of their box is at the origin (`rezkit fit` does so in Roblox models)."
    AREA "area" Error Meshes "OtherRules.MaxArea" "all triangles together have an area of at most 400 square studs"
        "Remove hidden triangles, or scale the mesh down."
    COPLANAR "coplanar" Error Meshes "OtherRules.MaxCoplanarPercent"
        "at most 60 % of the triangles lie in one plane with another one and intersect it"
        "Remove doubled faces."
    DEGENERATE "zero-area" Error Meshes "" "no triangle has an area of zero" "Remove the triangles (merge vertices by distance)."
    MESH_READABLE "mesh-file" Error Meshes "" "the mesh files are meshes with triangles" "Export the mesh again."
    RIGID_SKIN "rigid-skin" Error Meshes "" "the mesh of a rigid accessory has no skin" "Export the mesh without a skin."
    LAYERED_SKIN "layered-skin" Error Meshes ""
        "the mesh of layered clothing is skinned, and only to joints of R15 (eyebrows and eyelashes: to RBX_Leader and RBX_Follower, with full weights)"
        "Assign the weights of the joint to a joint of R15."
    AUTO_SKIN "auto-skin" Error Meshes ""
        "eyebrows and eyelashes that are skinned to RBX_Leader and RBX_Follower have the AutoSkin EnabledOverride"
        "Set AutoSkin of the WrapLayer to EnabledOverride."
    RENDER_UV "render-uv" Error Meshes "" "the texture coordinates of layered clothing are within 0 to 1"
        "Move the UV islands into the square from 0 to 1."
    // Bodies.
    ASSET_SIZE "asset-size" Error Document "BodyPartRules.*.Bounds"
        "the assembled parts of an asset are at least and at most as large as allowed"
        "Scale the parts of the asset."
    BODY_SIZE "body-size" Error Document "FullBodyRules.Bounds" "the assembled body is at least and at most as large as allowed"
        "Scale the body."
    BODY_ATTACHMENTS "body-attachments" Error Document "BodyPartRules.*.SubParts" "a body part has each of its attachments once"
        "Add the missing attachment, or remove the additional one."
    ATTACHMENT_BOX "attachment-box" Error Document "BodyPartRules.*.SubParts.*"
        "an attachment of a body part is in its box, in halves of the part's size from its middle"
        "Move the attachment."
    ATTACHMENT_TURNED "attachment-turned" Error Document "OtherRules.MaxRigAttachmentAngle"
        "rig attachments are not turned, others at most as the rules file allows (360 degrees: freely)"
        "Set the orientation of the attachment to 0, 0, 0."
    GRIP_TURNED "grip-turned" Error Document "OtherRules.MaxGripAngle"
        "grips are at most 30 degrees from their recommended orientation: -90 degrees about x, then about z as the forearm leans"
        "Set the orientation of the grip to the recommended one, with which a tool lies along the arm."
    POSE "pose" Error Document "OtherRules.ArmMinAngle"
        "arms are between 100 degrees below and 30 degrees above the outward direction, legs between 105 and 60 degrees below, both within 35 degrees of the frontal plane"
        "Turn the limb into a pose between I and T."
    ORDER "part-order" Error Document "" "a part does not reach above the upper neighbour's box, nor that one below it"
        "Move the part below its upper neighbour."
    LEGS "legs-overlap" Error Document "OtherRules.MaxLegOverlap"
        "legs overlap from side to side by at most a quarter of the width of each" "Move the legs apart."
    HIPS "hip-distance" Error Document "OtherRules.MaxHipOffset"
        "the hip attachment in an upper leg is at most a quarter of its width outward from its middle, which moves the leg inward"
        "Move the hip attachment towards the middle of the upper leg."
    OPACITY "opacity" Error Meshes "OtherRules.MinOpacityPercent"
        "from the front and the side, an asset covers at least a part of its box (head 35 %, torso 12 %, legs 30 %)"
        "Make the body part thicker."
    // Cages.
    CAGE_FILE "cage-file" Error Meshes "" "cages are meshes with triangles" "Export the cage again."
    CAGE_UV_COUNT "cage-uv-count" Error Meshes "OtherRules.CageUVCounts"
        "the cage of a body part has exactly the number of different texture coordinates of the template"
        "Use the cage of the template, and move only its vertices."
    CAGE_UVS "cage-uvs" Error Meshes "OtherRules.CageTiles"
        "the texture coordinates of a cage are those of the template: of a body part in the tile of this part but for at most 7, of clothing in the tiles of parts but for at most 100 (one by one if the rules file has them as OtherRules.CageUVs)"
        "Use the cage of the template for this part, with its texture coordinates."
    CAGE_UV_AREA "cage-uv-area" Error Meshes "" "no triangle of a cage has an area of zero in its texture coordinates"
        "Use the cage of the template with its texture coordinates."
    CAGE_DISTANCE "cage-distance" Error Meshes "MeshRules.CageMeshMaxDistanceFromRenderMesh"
        "the vertices of a body part's cage are at most 1 stud from its mesh; those of the outer cage of clothing that were moved, on average"
        "Move the cage to the mesh."
    CAGE_FAR "cage-far" Warning Meshes "OtherRules.CageFarDistance" "the vertices of a cage are at most 0.6 studs from the mesh"
        "Move the cage to the mesh: clothing will stand off from the body."
    CAGE_INSIDE "cage-inside" Warning Meshes "OtherRules.MaxCageInsidePercent"
        "at most half of the vertices of an outer cage are inside of the mesh or, for clothing, of the inner cage (Roblox measures this share; its limit is not known)"
        "Move the outer cage around the mesh; the inner cage is that of the body."
    CAGE_PAIR "cage-pair" Error Meshes "" "the inner and the outer cage have the same vertices, by their texture coordinates"
        "Make both cages from the same template, and move only their vertices."
    CAGE_MANIFOLD "cage-manifold" Error Meshes "" "the cages of layered clothing are manifold and have no holes"
        "Restore the deleted faces of the cage."
    CAGE_SHOE "cage-shoe" Error Meshes "OtherRules.MinFootPercent"
        "a shoe moves at least 45 % of the outer cage of its foot, at most 14 % of what it moves is not of its leg, and at least 70 % of its vertices are inside of what it moves there"
        "Move the outer cage around the shoe, and nowhere else."
    // Heads.
    HEAD_CONTROLS "head-controls" Error Meshes "OtherRules.HeadControls" "the mesh of a head has 17 facial controls that move something"
        "Add the poses of the missing controls."
    FACE_CONTROLS "face-controls" Error Document "" "a Head has one FaceControls, without override data"
        "Add an instance FaceControls to the Head."
    HEAD_SCALE "head-scale" Error Meshes "OtherRules.MaxHeadScale" "controls leave the size of a head between 75 % and 135 %"
        "Reduce the movement of the pose."
    // Bones.
    BONES_DESCRIBED "bones-described" Error Document "" "each Bone is named by a HumanoidRigDescription or DigitsRigDescription"
        "Add the rig description, or remove the bones."
    BONE_NAMES "bone-names" Error Document "" "bones have the names of joints, and all of their ancestors"
        "Rename the bone, or add the bone above it."
    BONE_DISTANCE "bone-distance" Error Document "OtherRules.MinBoneDistance"
        "a bone is at least 0.03 studs from the bone above it" "Move the bone."
    BONE_BOX "bone-box" Error Document "OtherRules.BoneBox" "a bone is inside of the box of its MeshPart, 1.1 times as large"
        "Move the bone into its MeshPart."
    BONE_TRANSFORM "bone-transform" Error Document "" "the Transform of a bone is the identity" "Reset the pose of the bones."
    BODY_SKIN "body-skin" Error Meshes "" "the mesh of a body part is skinned only to joints of the body"
        "Assign the weights of the joint to a joint of the body."
    // Emotes. What their keys do is checked by the profile `roblox-animation`.
    EMOTE_TREE "emote-tree" Error Document ""
        "a CurveAnimation has folders of body parts, each below its parent part, with at most one Position and one Rotation of at most X, Y and Z; only the Head has FaceControls"
        "Rename or remove the instance."
    EMOTE_DATA "emote-data" Error Document "OtherRules.Emotes.MaxMarkers"
        "AnimationRigData and MarkerCurves have no children, and a MarkerCurve has at most 1 marker"
        "Remove what is below, or the markers."
    EMOTE_TAGS "emote-tags" Error Document "OtherRules.Emotes.MaxTagDigits" "the root of an emote has no tags but one of at most 30 digits"
        "Remove the tags."
}
JOINTS: {
    RIG_MISSING "rig-missing" Warning Document "" "a rig of R15 has all 15 joints (in a model, as Motor6D)" "Add the joint."
    RIG_DOUBLED "rig-doubled" Warning Document "" "no two joints of a rig have the same name or move the same part"
        "Rename or remove one of them."
    RIG_NAME "rig-name" Warning Document "" "joints have exactly the names of R15" "Rename the joint."
    RIG_PLACE "rig-place" Warning Document ""
        "a joint is below its parent joint of R15, and on its own side of the body; a Motor6D connects the parts of its joint, at their rig attachments"
        "Move the joint."
    RIG_WEIGHTS "rig-weights" Warning Meshes "" "each vertex of a skinned mesh has weights, all of them for joints"
        "Assign weights to the vertices."
    RIG_SCALE "rig-scale" Warning Meshes "" "joints are not scaled" "Apply the scale of the skeleton in the modelling program."
}
}

/// What cannot be seen in files.
pub const NOTES: &[&str] = &[
    "who owns the meshes and textures, moderation, and whether assets load",
    "the texture coordinates of cages one by one, unless the rules file has them (OtherRules.CageUVs; else their number and tiles are checked)",
    "the deformation of clothing on an avatar, and whether the moved part of an outer cage covers the accessory",
    "how close together the vertices of meshes and cages are, and how far the controls of a face move its joints, by Roblox's measures",
];

/// The rule with an id.
pub fn rule(id: &str) -> Option<&'static AvatarRule> {
    AVATAR_RULES.iter().find(|rule| rule.rule.id == id).copied()
}

/// What to do about a violation, by the id of the rule.
pub fn remedy(id: &str) -> Option<&'static str> {
    rule(id).map(|rule| rule.remedy)
}

/// All rules as a table in Markdown, with the source and its date.
pub fn table() -> String {
    let mut text = String::from(
        "| rule | severity | needs | requirement | number in the rules file | source |\n|---|---|---|---|---|---|\n",
    );
    for AvatarRule { rule, needs, key, date, .. } in AVATAR_RULES {
        let key = if key.is_empty() { String::new() } else { format!("`{key}`") };
        let line = [
            format!("`{}`", rule.id),
            rule.severity.as_str().to_owned(),
            needs.as_str().to_owned(),
            rule.demands.to_owned(),
            key,
            format!("{} ({date})", rule.source),
        ];
        text.push_str(&format!("| {} |\n", line.join(" | ")));
    }
    text
}
