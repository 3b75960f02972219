//! The rules, each with the name used in findings.

use geom::wire::rules;

rules! {
    "slmesh":
    HIGH_LOD = Error("high-lod", "an asset has high_lod with triangles: otherwise the \
        upload fails with MAV_BLOCK_MISSING");
    VERSION = Error("version", "the version is at most 999, the greatest that the viewer reads");
    PREFIX = Error("prefix", "the header has no LLSD prefix before its map: \
        viewers since 2022 cannot read a header with a prefix");
    HEADER_LENGTH = Error("header-length", "the header has at most 4,096 bytes: the viewer does not read \
        more");
    KEY_TYPE = Error("key-type", "the value of a known key has the type and the length that the format defines");
    ARRAY_LENGTH = Error("array-length", "a binary array contains whole elements and nothing else");
    HASH = Warning("hash", "if an asset was uploaded (has a creator or a date), the header has a hash of each \
        physics block");

    NO_SUBMESHES = Error("no-submeshes", "a level or a physics mesh has at least one submesh");
    FACES = Error("faces", "a level or a physics mesh has at most 8 submeshes (faces): the uploader \
        moves further faces to separate models");
    LEVEL_GAP = Error("level-gap", "a level has triangles if a lower level has some: otherwise the viewer refuses the \
        upload with \"Missing required level of detail\"");
    LEVEL_FACES = Error("level-faces", "every level has the same number of submeshes as the finest level");
    LEVEL_VERTICES = Warning("level-vertices", "a level has no more vertices than the next higher level");
    LEVEL_TRIANGLES = Warning("level-triangles", "a level has no more triangles than the next higher level");

    GEOMETRY = Error("geometry", "a submesh has positions and triangles, or is marked with NoGeometry");
    NO_GEOMETRY = Error("no-geometry", "a submesh that is marked with NoGeometry has no other data");
    FACE_VERTICES = Error("face-vertices", "a submesh (face) has at most 65,534 vertices");
    FACE_TRIANGLES = Warning("face-triangles", "a submesh (face) has at most 21,844 triangles: \
        uploaders split a larger one");
    POSITION_DOMAIN = Error("position-domain", "positions have a PositionDomain: without one the \
        viewer puts all of them at one point");
    POSITION_RANGE = Error("position-range", "positions are within 0.501 of the origin along each axis");
    DOMAIN_ORDER = Warning("domain-order", "the minimum of a domain does not exceed its maximum");
    COLUMN_LENGTH = Error("column-length", "normals, tangents and texture coordinates have one entry per position");
    NORMALS = Warning("normals", "a submesh (face) has normals: without them the viewer does not light it");
    UV_DOMAIN = Error("uv-domain", "texture coordinates have a domain of finite numbers");
    INDEX_RANGE = Error("index-range", "every vertex index refers to a position");
    TRIANGLE_CORNERS = Error("triangle-corners", "a triangle has three different vertices (upload error \
        MAV_FOUND_DEGENERATE_TRIANGLES)");
    UNUSED_VERTEX = Error("unused-vertex", "every vertex is used by a triangle");

    WEIGHTS_COUNT = Error("weights-count", "a submesh of an asset with a skin has weights for each vertex");
    WEIGHTS_SKIN = Warning("weights-skin", "only an asset with a skin has weights");
    WEIGHTS_JOINT = Error("weights-joint", "every weight refers to a joint of the skin");
    WEIGHTS_EMPTY = Warning("weights-empty", "each vertex has at least one joint: otherwise the viewer uses joint 0");
    WEIGHTS_END = Error("weights-end", "no joint or weight follows joint 255, which ends the joint list of a \
        vertex");

    JOINTS = Error("joints", "a skin has at least one joint");
    JOINT_COUNT = Warning("joint-count", "a skin has at most 110 joints: with more, the uploader turns skinning off");
    JOINT_NAME = Warning("joint-name", "a joint is a bone, a collision volume or an attachment point of the \
        avatar: the viewer treats any other joint as mPelvis");
    JOINT_TWICE = Warning("joint-twice", "a joint occurs at most once");
    BIND_MATRICES = Error("bind-matrices", "a skin has one inverse bind matrix per joint: otherwise the viewer \
        drops the rig");
    ALT_MATRICES = Error("alt-matrices", "a skin has one alternative inverse bind matrix per joint, or none at all");
    BIND_SHAPE = Warning("bind-shape", "a skin has a bind shape matrix");
    BIND_ROTATION = Warning("bind-rotation", "the bind shape matrix does not rotate: otherwise the viewer \
        warns \"not in standard X-forward orientation\"");
    MATRIX_FINITE = Error("matrix-finite", "all numbers of a matrix are finite");

    INSTANCE_MESH = Error("instance-mesh", "each object of an .slm file has the index of one of the file's meshes");

    PHYSICS_CONVEX = Error("physics-convex", "an asset has physics_convex: otherwise the upload \
        fails with MAV_BLOCK_MISSING");
    BOUNDING_HULL = Error("bounding-hull", "physics_convex has BoundingVerts: otherwise the upload \
        fails with MAV_BLOCK_MISSING");
    HULL_DOMAIN = Error("hull-domain", "physics_convex has both Min and Max, or neither");
    HULL_POINTS = Error("hull-points", "a hull has at most 256 points");
    HULL_SIZE = Warning("hull-size", "a hull has at least 3 points, the fewest found in uploaded models");
    HULL_COUNT = Error("hull-count", "a decomposition has at most 256 hulls (upload error MAV_MAX_HULLS_EXCEEDED)");
    PHYSICS_BOTH = Error("physics-both", "an asset does not have both a decomposition into hulls and physics_mesh");
    PHYSICS_TRIANGLE = Error("physics-triangle", "no triangle of physics_mesh is degenerate: otherwise the viewer \
        refuses the upload with \"too dense or contains degenerate triangles\"");
    PHYSICS_SIZE = Error("physics-size", "a model with physics_mesh is at least 0.5 m long along each axis: for \
        a smaller model, use hulls instead of physics_mesh");
}
