//! What Second Life's rules allow, for whoever changes a model so that it keeps them.

/// The most faces of an object.
pub const FACES: usize = 8;
/// The most vertices of a face.
pub const FACE_VERTICES: usize = 65_524;
/// The most pixels of a side of a texture.
pub const SIDE: u32 = 2048;
/// The most metres of an object along each axis.
pub const METRES: f32 = 64.0;

/// Whether a rig is as large as the avatar's skeleton, within a tenth.
pub fn is_rig_size(times: f32) -> bool {
    (1.0 / 1.1..=1.1).contains(&times)
}
