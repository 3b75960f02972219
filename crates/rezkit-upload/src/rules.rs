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

/// What was found if there is nothing to upload.
pub(crate) const NO_TRIANGLES: &str = "the finest level of detail has no triangles (it consists of the \
                                       nodes whose names do not end in _LOD0, _LOD1, _LOD2, _PHYS or _HULL)";

/// Whether the ratio of a rig's size to that of the avatar's skeleton is within a tenth of 1.
pub(crate) fn is_rig_size(times: f32) -> bool {
    (1.0 / 1.1..=1.1).contains(&times)
}

macro_rules! rules {
    ($($source:ident: { $($name:ident $id:literal $severity:ident $demands:literal $remedy:literal
        $(; $fix:literal)?)+ })+) => {
        $($(pub(crate) const $name: Rule = Rule::new($id, $severity, $demands, $source);)+)+

        /// Every rule of every profile.
        pub const RULES: &[Rule] = &[$($($name),+),+];

        /// The remedy for a violation of a rule of a profile, by the rule's id.
        pub fn remedy(id: &str) -> Option<&'static str> {
            match id {
                $($($id => Some(concat!($remedy $(, " ", $fix)?)),)+)+
                _ => None,
            }
        }

        /// The same without what `rezkit sl --fix` would do.
        pub(crate) fn remedy_without_fix(id: &str) -> Option<&'static str> {
            match id {
                $($($id => Some($remedy),)+)+
                _ => None,
            }
        }
    };
}

const ROBLOX: &str = "Roblox's documentation of models and parts";
const IMPORTER: &str = "Roblox's documentation: General specifications, Texture specifications, Onboarding for artists (October 2026)";
/// Maximum size of a texture's side in Roblox, in pixels.
pub(crate) const ROBLOX_PIXELS: u32 = 4096;
const VIEWER: &str = "the source code of the model importers and the uploader in Second Life's viewer";
const REQUEST: &str =
    "the rules `land-impact` and `land-impact-unknown` concern the option `--land-impact` of `rezkit sl`";

rules! {
    ROBLOX: {
    TRIANGLES "roblox-upload.triangles" Error "a mesh has at most 20,000 triangles"
        "Simplify the mesh, or split it into several meshes."
    VOLUME "roblox-upload.thickness" Error "a mesh has a thickness along each axis"
        "Give the mesh some thickness. If a position is infinite or NaN, replace it with finite numbers."
    CLOSED "roblox-upload.watertight" Warning
        "a mesh is watertight: each edge belongs to two triangles that face the same way"
        "Close the holes of the mesh, remove triangles inside it, and make all its normals point outwards."
    STUDS "roblox-upload.size" Warning "a part is at most 2,048 studs long along each axis"
        "Split the part, or scale it down."
    ROOT "roblox-upload.root-joint" Warning "the root joint is at the origin"
        "Move the root joint to the origin."
    ROOT_WEIGHTS "roblox-upload.root-weights" Warning "no vertex has a weight for the root joint"
        "Assign the weights for the root joint to other joints."
    ONE_ANIMATION "roblox-upload.animations" Warning "a model has at most one animation"
        "Export each animation to a separate file."
    }
    // Roblox documents no limit of the bones of a mesh (General specifications, Rigging and skinning).
    IMPORTER: {
    PIXELS "roblox-import.textures" Warning "a texture has at most 4,096 pixels per side"
        "Reduce the texture, or convert with `--max-texture` or `--fit`."
    UV_SETS "roblox-import.uv-sets" Warning
        "a mesh has one set of texture coordinates: Studio does not import others"
        "Bake the textures of the other sets into the first one."
    DEGENERATE "roblox-import.degenerate" Warning "each triangle of a mesh has an area"
        "Remove the triangles without area (in Blender: Merge by Distance, Degenerate Dissolve)."
    JOINT_SCALE "roblox-import.joint-scale" Warning "the scale of a joint is 1 along each axis"
        "Apply the scale of the rig before you export it (in Blender: Apply, Scale)."
    NAMES "roblox-import.names" Warning
        "each mesh has a name of its own: Studio's importer names the parts after them"
        "Rename the objects."
    }
    VIEWER: {
    NO_HIGH "secondlife-upload.high" Error
        "a model has triangles in its finest level: otherwise the viewer reports \"Missing required level of detail\""
        "Rename the node of the finest mesh so that its name does not end in _LOD0, _LOD1, _LOD2, _PHYS or _HULL; if \
        the model has no mesh, add one."
    FACES "secondlife-upload.faces" Warning
        "an object has at most 8 faces, one per material: the viewer puts the remaining faces into \
        additional objects"
        "Use at most 8 materials per object, or accept that the object becomes several objects.";
        "`rezkit sl --fix` \
        splits it."
    FACE_VERTICES "secondlife-upload.face-vertices" Warning
        "a face has at most 65,524 vertices: the uploader splits a larger one"
        "Simplify the object, or split it.";
        "`rezkit sl --fix` splits its faces."
    JOINTS "secondlife-upload.joints" Warning
        "a rig has at most 110 joints with weights: if it has more, the viewer uploads the mesh without its \
        skin"
        "Assign the weights of some joints to their parents."
    JOINT_NAMES "secondlife-upload.joint-names" Warning
        "each joint with weights is named after a joint of Second Life's avatar, and no two after the same one: other \
        joints are not uploaded"
        "Rename the joints to the names of the avatar's joints, or map them with `rezkit sl --joints`.";
        "`rezkit sl --fix` renames the joints of rigs from Mixamo, VRM, VRoid, Rigify, Biovision and Roblox."
    RIG_SIZE "secondlife-upload.rig-size" Warning
        "a rig is as large as the avatar's skeleton, within 10 %: otherwise its joints and the avatar's \
        joints are at different positions"
        "Scale the rig to the avatar's size, or upload its joint positions (`rezkit sl --joint-positions`).";
        "`rezkit sl --fix` scales the rig."
    RIG_TURNED "secondlife-upload.rig-turned" Warning
        "a rig faces +X, with +Z up, in Second Life's axes (in glTF: +X, with +Y up): otherwise the viewer \
        warns \"not in standard X-forward orientation\""
        "Rotate the rig so that it faces +X in Second Life, where +Z is up (in a glTF file: +X, with +Y \
        up).";
        "`rezkit sl --fix` undoes quarter turns about the vertical axis."
    METRES "secondlife-upload.size" Warning
        "an object is at most 64 m long along each axis: the viewer scales a larger one down"
        "Split the object, or scale it down.";
        "`rezkit sl --fix` scales the whole model down."
    THIN "secondlife-upload.no-thickness" Warning
        "an object is at least 0.01 m long along each axis, or has no extent at all along it"
        "Make the object thicker, or join it to another one.";
        "`rezkit sl --fix` enlarges its bounding box to \
        0.01 m."
    OBJECTS "secondlife-upload.objects" Error "a linkset has at most 256 objects"
        "Join some of the objects, or split the model into several files."
    ASSET "secondlife-upload.asset" Error
        "the model can be converted to a mesh asset: the finest level of detail has every node and material of the \
        other levels, no level between two others is missing, the physics shape is valid, and all numbers are finite"
        "If a coarser level has a node or material that the finest level lacks, add it to the finest level, or \
        remove it from the coarser one. Add missing levels. Remove degenerate triangles from the physics shape, and \
        use at most 8 materials in it. Replace numbers that are NaN or infinite."
    LEVEL_PARTS "secondlife-upload.level-parts" Error
        "a level of detail has all objects of the finest level: otherwise the viewer reports \
        \"different number of mesh instances\""
        "Add the missing objects to this level of detail, or remove it: `rezkit sl` then generates a new one."
    PHYSICS_TRIANGLES "secondlife-upload.physics-triangles" Error
        "a physics mesh has no degenerate triangles: otherwise the viewer reports \
        \"too dense or contains degenerate triangles\""
        "Remove the degenerate triangles, or use hulls for physics (`rezkit sl --physics hulls`).";
        "`rezkit sl --fix` \
        removes the triangles."
    HULL_POINTS "secondlife-upload.hull-points" Error "a convex hull has at most 256 points"
        "Simplify the hull."
    HULL_FLOOR "secondlife-upload.hull-floor" Error
        "a surface of more than 0.25 m2 that faces up has a physics hull: otherwise an avatar falls through it"
        "If you made the physics shape yourself, extend it. Otherwise, use --physics mesh, or make a shape of several \
        convex parts: for house.glb, save it as house_PHYS.glb in the same folder; for the object door, name its node \
        door_PHYS."
    HULL_NEAR "secondlife-upload.hull-coverage" Warning "the physics hulls cover the whole surface of an object"
        "If you made the physics shape yourself, extend it. Otherwise, use --physics mesh, or make a shape of several \
        convex parts: for house.glb, save it as house_PHYS.glb in the same folder; for the object door, name its node \
        door_PHYS."
    HULL_OPEN "secondlife-upload.hull-openings" Warning
        "the physics hulls do not fill openings of an object, such as doorways"
        "Lower --concavity, or use --physics mesh. If you made the physics shape yourself, it needs the openings, too; \
        otherwise, you can make a shape of several convex parts: for house.glb, save it as house_PHYS.glb in the same \
        folder; for the object door, name its node door_PHYS."
    LEVEL_FACES "secondlife-upload.level-faces" Error
        "a level of detail has no more faces than the finest level: otherwise the viewer reports \
        \"different number of textureable faces\""
        "Remove faces from this level of detail, or remove the level: `rezkit sl` generates missing levels.";
        "`rezkit sl --fix` replaces this level with a generated one."
    LEVEL_VERTICES "secondlife-upload.level-vertices" Warning
        "a level of detail has no more vertices than the next finer level: otherwise the viewer reports \
        \"too many vertices\""
        "Simplify this level of detail, or remove it: `rezkit sl` generates missing levels.";
        "`rezkit sl --fix` replaces \
        this level with a generated one."
    TEXTURES "secondlife-upload.textures" Warning
        "a texture has at most 2,048 pixels per side: the viewer scales a larger one down"
        "Scale the texture down.";
        "`rezkit sl --fix` does so."
    MIRRORED "secondlife-upload.mirrored" Warning
        "an object is not mirrored: otherwise the viewer reports \"Negative scale detected\""
        "Apply the object's scale to its mesh in the modelling program.";
        "`rezkit sl --fix` does the same."
    }
    REQUEST: {
    LAND_IMPACT "secondlife-upload.land-impact" Error "the land impact is at most the requested one (--land-impact)"
        "Raise --land-impact, or join objects. If the physics cost is above --land-impact, use a cheaper physics shape \
        (--physics box)."
    LAND_IMPACT_UNKNOWN "secondlife-upload.land-impact-unknown" Warning
        "if a land impact is requested (--land-impact), the physics shape is not a mesh: only Second Life can \
        compute the cost of a physics mesh"
        "Use --physics hulls or --physics box, or compare --land-impact with the cost that the viewer shows in its \
        upload window."
    }
}
