//! The transforms of models: pivots, offsets, rotations before and after that of the model, and orders of angles.

use glam::{DMat4, DQuat, DVec3, EulerRot};

use super::objects::Properties;

/// The parts of the transform of a model that animations do not change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pivots {
    rotation_offset: DVec3,
    rotation_pivot: DVec3,
    scaling_offset: DVec3,
    scaling_pivot: DVec3,
    before: DQuat,
    after: DQuat,
    order: i64,
}

/// The values that animations change: the translation, the angles in degrees, and the scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Local {
    pub(super) translation: DVec3,
    pub(super) rotation: DVec3,
    pub(super) scale: DVec3,
}

/// A transform: scale, then rotation, then translation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) translation: DVec3,
    pub(super) rotation: DQuat,
    pub(super) scale: DVec3,
}

/// The rotation of three angles in degrees, about the axes in an order of `RotationOrder`: in 0, first about x, then y,
/// then z.
pub(super) fn turned(angles: DVec3, order: i64) -> DQuat {
    let [x, y, z] = angles.to_array().map(f64::to_radians);
    let (x, y, z) = (DQuat::from_rotation_x(x), DQuat::from_rotation_y(y), DQuat::from_rotation_z(z));
    match order {
        1 => y * z * x,
        2 => x * z * y,
        3 => z * x * y,
        4 => y * x * z,
        5 => x * y * z,
        _ => z * y * x,
    }
}

/// The angles in degrees of a rotation, about the axes in an order, as [`turned`] takes them.
pub(super) fn angles(rotation: DQuat, order: i64) -> DVec3 {
    let (of, places) = match order {
        1 => (EulerRot::YZX, [1, 2, 0]),
        2 => (EulerRot::XZY, [0, 2, 1]),
        3 => (EulerRot::ZXY, [2, 0, 1]),
        4 => (EulerRot::YXZ, [1, 0, 2]),
        5 => (EulerRot::XYZ, [0, 1, 2]),
        _ => (EulerRot::ZYX, [2, 1, 0]),
    };
    let (a, b, c) = rotation.to_euler(of);
    let mut angles = DVec3::ZERO;
    for (place, angle) in places.into_iter().zip([a, b, c]) {
        angles[place] = angle.to_degrees();
    }
    angles
}

impl Pivots {
    /// The number of the order of angles.
    pub(super) fn order(&self) -> i64 {
        self.order
    }

    pub(super) fn of(properties: &Properties<'_>) -> Self {
        let vector = |name| {
            properties.vector(name).map(DVec3::from).filter(|of| of.is_finite()).unwrap_or(DVec3::ZERO)
        };
        // Without `RotationActive`, which templates set to 0, the order and the rotations before and after do not apply.
        let is = |name, default| properties.int(name).unwrap_or(default) != 0;
        let has_space = is("RotationActive", 1) && !is("RotationSpaceForLimitOnly", 0);
        let turn = |name| if has_space { turned(vector(name), 0) } else { DQuat::IDENTITY };
        Self {
            rotation_offset: vector("RotationOffset"),
            rotation_pivot: vector("RotationPivot"),
            scaling_offset: vector("ScalingOffset"),
            scaling_pivot: vector("ScalingPivot"),
            before: turn("PreRotation"),
            after: turn("PostRotation"),
            order: properties.int("RotationOrder").filter(|_| has_space).unwrap_or(0),
        }
    }

    /// The transform of a model. The formula is that of Autodesk's documentation of FBX: `T * Roff * Rp * Rpre * R *
    /// Rpost⁻¹ * Rp⁻¹ * Soff * Sp * S * Sp⁻¹`.
    pub(super) fn place(&self, local: &Local) -> Placed {
        let rotation = self.before * turned(local.rotation, self.order) * self.after.inverse();
        let inner =
            self.scaling_offset + self.scaling_pivot - self.rotation_pivot - local.scale * self.scaling_pivot;
        let translation = local.translation + self.rotation_offset + self.rotation_pivot + rotation * inner;
        Placed { translation, rotation, scale: local.scale }
    }
}

impl Local {
    pub(super) fn of(properties: &Properties<'_>) -> Self {
        let vector = |name, default| {
            properties.vector(name).map(DVec3::from).filter(|of| of.is_finite()).unwrap_or(default)
        };
        Self {
            translation: vector("Lcl Translation", DVec3::ZERO),
            rotation: vector("Lcl Rotation", DVec3::ZERO),
            scale: vector("Lcl Scaling", DVec3::ONE),
        }
    }
}

/// The transform of the mesh of a model, which its children do not have.
pub(super) fn geometric(properties: &Properties<'_>) -> DMat4 {
    let vector = |name, default| {
        properties.vector(name).map(DVec3::from).filter(|of| of.is_finite()).unwrap_or(default)
    };
    DMat4::from_scale_rotation_translation(
        vector("GeometricScaling", DVec3::ONE),
        turned(vector("GeometricRotation", DVec3::ZERO), 0),
        vector("GeometricTranslation", DVec3::ZERO),
    )
}

/// The rotation from the axes of a file to those of a scene: y up, the front at +z.
pub(super) fn axes(settings: &Properties<'_>) -> DQuat {
    let axis = |name: &str, default: i64| {
        let index = settings.int(name).unwrap_or(default).clamp(0, 2) as usize;
        let sign = settings.int(&format!("{name}Sign")).unwrap_or(1);
        [DVec3::X, DVec3::Y, DVec3::Z][index] * if sign < 0 { -1.0 } else { 1.0 }
    };
    let (up, front) = (axis("UpAxis", 1), axis("FrontAxis", 2));
    if up.dot(front) != 0.0 {
        return DQuat::IDENTITY;
    }
    // The rows are the axes of the scene in those of the file.
    let matrix = glam::DMat3::from_cols(up.cross(front), up, front).transpose();
    DQuat::from_mat3(&matrix)
}
