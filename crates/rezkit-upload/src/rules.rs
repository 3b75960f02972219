//! The rules of the platforms, their limits, and the remedies for violations.

use rezkit_scene::Rule;
use rezkit_scene::Severity::{Error, Warning};

/// Maximum number of faces of an object in Second Life.
pub(crate) const MOST_FACES: usize = 8;
/// Maximum number of vertices of a face.
pub(crate) const MOST_FACE_VERTICES: usize = 65_524;
/// Maximum size of a texture's side in pixels.
pub(crate) const MOST_PIXELS: u32 = 2048;
/// Maximum size of an object along each axis, in metres.
pub(crate) const MOST_METRES: f32 = 64.0;
/// Minimum size of an object along each axis, in metres.
pub(crate) const LEAST_METRES: f64 = 0.01;
/// Maximum number of objects of a linkset.
pub(crate) const MOST_OBJECTS: usize = 256;

/// Whether the ratio of a rig's size to that of the avatar's skeleton is within a tenth of 1.
pub(crate) fn is_rig_size(times: f32) -> bool {
    (1.0 / 1.1..=1.1).contains(&times)
}

macro_rules! rules {
    ($($source:ident: { $($name:ident $id:literal $severity:ident $demands:literal $remedy:literal)+ })+) => {
        $($(pub(crate) const $name: Rule = Rule::new($id, $severity, $demands, $source);)+)+

        /// Every rule of every profile.
        pub const RULES: &[Rule] = &[$($($name),+),+];

        /// The remedy for a violation of a rule.
        pub(crate) fn remedy(id: &str) -> &'static str {
            match id {
                $($($id => $remedy,)+)+
                _ => "",
            }
        }
    };
}

const ROBLOX: &str = "Roblox's specifications of models and of parts";
const VIEWER: &str = "the importers and the uploader of Second Life's viewer";
const REQUEST: &str = "the options of the preparation";

rules! {
    ROBLOX: {
    TRIANGLES "roblox-upload.triangles" Error "a mesh has at most 20,000 triangles"
        "Simplify the mesh, or cut it."
    VOLUME "roblox-upload.thickness" Error "a mesh has some thickness along each axis"
        "Make the mesh thicker."
    CLOSED "roblox-upload.watertight" Warning "a mesh is watertight: each edge belongs to two triangles"
        "Close the holes of the mesh."
    STUDS "roblox-upload.size" Warning "a part has at most 2,048 studs along each axis"
        "Cut the part, or make it smaller."
    ROOT "roblox-upload.root-joint" Warning "the root joint is at the origin"
        "Move the root joint to the origin."
    ROOT_WEIGHTS "roblox-upload.root-weights" Warning "no vertex follows the root joint"
        "Assign these weights to another joint."
    ONE_ANIMATION "roblox-upload.animations" Warning "a model has at most one animation"
        "Export each animation to a separate file."
    }
    VIEWER: {
    NO_HIGH "secondlife-upload.high" Error
        "a model has triangles in its finest level: otherwise the viewer reports \"Missing required level of detail\""
        "Add a mesh to the model."
    FACES "secondlife-upload.faces" Warning
        "a model has at most 8 faces, one for each material: further faces become further models"
        "Use at most 8 materials in an object, or accept that it becomes several objects."
    FACE_VERTICES "secondlife-upload.face-vertices" Warning
        "a face has fewer than 65,525 vertices: the uploader splits a larger one"
        "Cut the object, or simplify it."
    JOINTS "secondlife-upload.joints" Warning
        "at most 110 joints of a rig move vertices: a rig with more is uploaded without skinning"
        "Assign the weights of some joints to their parents."
    JOINT_NAMES "secondlife-upload.joint-names" Warning
        "joints that move vertices have names of the avatar's joints: others are dropped"
        "Rename the joints to the avatar's names, or map them (--joints); --fix renames those of a known rig."
    RIG_SIZE "secondlife-upload.rig-size" Warning
        "a rig is as large as the avatar's skeleton, within 10 %, so that joints are where the avatar has them"
        "Scale the rig to the avatar's size (--fix), or keep its joint positions (--joint-positions)."
    RIG_TURNED "secondlife-upload.rig-turned" Warning
        "a rig faces +x with z up: otherwise the viewer warns \"not in standard X-forward orientation\""
        "Turn the rig to face +X (in Blender: +X forward, Z up)."
    METRES "secondlife-upload.size" Warning "an object has at most 64 m along each axis: a larger one is scaled down"
        "Cut the object, or make it smaller."
    THIN "secondlife-upload.no-thickness" Warning "an object measures at least 0.01 m along each axis"
        "Make it thicker, or join it to another object; --fix enlarges its bounding box to 0.01 m."
    OBJECTS "secondlife-upload.objects" Error "a linkset has at most 256 objects"
        "Join objects."
    ASSET "secondlife-upload.asset" Error
        "an asset can be written: each level has the nodes and materials of the finest level, no level between \
        two others is missing, and all numbers are finite"
        "Give each level the nodes and the materials of the finest level."
    LEVEL_PARTS "secondlife-upload.level-parts" Error
        "a level has all parts of the finest level: otherwise the viewer reports \"different number of mesh instances\""
        "Remove this level: it is then generated."
    PHYSICS_TRIANGLES "secondlife-upload.physics-triangles" Error
        "a physics mesh has no degenerate triangles: otherwise the viewer reports \
        \"too dense or contains degenerate triangles\""
        "Use hulls for physics (--physics hulls)."
    HULL_POINTS "secondlife-upload.hull-points" Error "a convex hull has at most 256 points"
        "Simplify the hull."
    HULL_NEAR "secondlife-upload.hull-coverage" Warning "every part of the surface is near a convex hull"
        "Lower --concavity, use --physics mesh, or model a shape for physics (NAME_PHYS)."
    HULL_OPEN "secondlife-upload.hull-openings" Warning "convex hulls fill no openings"
        "Lower --concavity, use --physics mesh, or model a shape for physics (NAME_PHYS)."
    LEVEL_FACES "secondlife-upload.level-faces" Error
        "a level has no more faces than the finest level: otherwise the viewer reports \
        \"different number of textureable faces\""
        "Remove this level: it is then generated."
    LEVEL_VERTICES "secondlife-upload.level-vertices" Warning
        "a level has no more vertices than the next finer level: otherwise the viewer reports \"too many vertices\""
        "Remove this level: it is then generated."
    TEXTURES "secondlife-upload.textures" Warning
        "a texture has at most 2,048 pixels a side: a larger one is scaled down"
        "Scale the texture down (--fix)."
    MIRRORED "secondlife-upload.mirrored" Warning
        "an object is not mirrored: otherwise the viewer reports \"Negative scale detected\""
        "Apply the scale in the modelling program, or use --fix."
    }
    REQUEST: {
    LAND_IMPACT "secondlife-upload.land-impact" Error "the land impact is at most the requested one"
        "Raise --land-impact, join objects, or use a cheaper shape for physics (--physics box, a higher --concavity)."
    }
}
