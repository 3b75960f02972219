//! The transforms of nodes: a list of steps, each of which an animation can change.

use glam::{DMat4, DQuat, DVec3};
use rezkit_core::{Budget, Loss, Result};

use super::document::{Element, damaged, few, numbers, path};
use crate::model::{Transform, decomposed};
use crate::sampled::At;

/// A step of a transform: its element, and its numbers.
#[derive(Clone)]
pub(super) struct Step<'a> {
    pub(super) sid: Option<&'a str>,
    pub(super) kind: Kind,
    /// Those of the element, of which an animation can replace some.
    pub(super) numbers: [f64; 16],
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Matrix,
    Translate,
    Rotate,
    Scale,
    LookAt,
}

impl Step<'_> {
    fn matrix(&self) -> DMat4 {
        let [x, y, z, w, ..] = self.numbers;
        match self.kind {
            // The rows follow each other.
            Kind::Matrix => DMat4::from_cols_array(&self.numbers).transpose(),
            Kind::Translate => DMat4::from_translation(DVec3::new(x, y, z)),
            Kind::Scale => DMat4::from_scale(DVec3::new(x, y, z)),
            Kind::Rotate => match DVec3::new(x, y, z).try_normalize() {
                Some(axis) => DMat4::from_axis_angle(axis, w.to_radians()),
                None => DMat4::IDENTITY,
            },
            Kind::LookAt => {
                let [eye, at, up] = [0, 3, 6].map(|start| DVec3::from_slice(&self.numbers[start..start + 3]));
                let back = (eye - at).try_normalize().unwrap_or(DVec3::Z);
                let right = up.cross(back).try_normalize().unwrap_or_else(|| back.any_orthonormal_vector());
                let up = back.cross(right);
                DMat4::from_cols(right.extend(0.0), up.extend(0.0), back.extend(0.0), eye.extend(1.0))
            }
        }
    }
}

/// The steps of a node.
///
/// # Errors
/// If a step does not have its numbers, or the budget does not suffice.
pub(super) fn steps<'a>(
    node: Element<'a>,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<Vec<Step<'a>>> {
    let mut steps = Vec::new();
    for element in node.children() {
        let (kind, count) = match element.tag_name().name() {
            "matrix" => (Kind::Matrix, 16),
            "translate" => (Kind::Translate, 3),
            "rotate" => (Kind::Rotate, 4),
            "scale" => (Kind::Scale, 3),
            "lookat" => (Kind::LookAt, 9),
            "skew" => {
                Loss::new(path(element), "the skew of a node").id("scene.shear").count_in(losses);
                continue;
            }
            _ => continue,
        };
        let found = numbers(element, budget)?;
        if found.len() < count {
            let name = element.tag_name().name();
            return Err(damaged(element, format_args!("`{name}` has {} numbers, not {count}", found.len())));
        }
        let mut all = [0.0; 16];
        all[..count].copy_from_slice(&found[..count]);
        budget.take(2 * size_of::<Step<'_>>() as u64, "the nodes")?;
        steps.push(Step { sid: element.attribute("sid"), kind, numbers: all });
    }
    Ok(steps)
}

/// The matrix of steps.
pub(super) fn matrix(steps: &[Step<'_>]) -> DMat4 {
    steps.iter().fold(DMat4::IDENTITY, |matrix, step| matrix * step.matrix())
}

/// Where a node is: its matrix, with the axes of the file if it is at the top, in metres.
#[derive(Clone, Copy)]
pub(super) struct Space {
    pub(super) axes: DQuat,
    pub(super) unit: f64,
}

impl Space {
    /// The translation, the rotation and the scale of a matrix.
    pub(super) fn place(&self, matrix: DMat4) -> At {
        let turned = DMat4::from_quat(self.axes) * matrix;
        let translation = turned.w_axis.truncate() * self.unit;
        let (scale, rotation) = match turned.determinant() {
            0.0 => {
                let (scale, rotation, _) = decomposed(turned.as_mat4());
                (scale.as_dvec3(), rotation.as_dquat())
            }
            _ => {
                let (scale, rotation, _) = turned.to_scale_rotation_translation();
                (scale, rotation)
            }
        };
        (translation, rotation.normalize(), scale)
    }

    /// The transform of a matrix. A shear, or a transform that is not finite, is listed.
    pub(super) fn transform(&self, of: DMat4, node: Element<'_>, losses: &mut Vec<Loss>) -> Transform {
        let (translation, rotation, scale) = self.place(of);
        let transform = Transform {
            translation: translation.as_vec3().to_array(),
            rotation: rotation.as_quat().to_array(),
            scale: scale.as_vec3().to_array(),
        };
        let mut matrix = DMat4::from_quat(self.axes) * of;
        matrix.w_axis = (matrix.w_axis.truncate() * self.unit).extend(1.0);
        if !transform.mat4().is_finite() {
            Loss::new(path(node), "a transform that is not finite").id("dae.scene").count_in(losses);
            return Transform::default();
        }
        if transform.lacks_shear_of(matrix.as_mat4()) {
            Loss::approximated(path(node), "a node with shear, which is dropped")
                .id("scene.shear")
                .count_in(losses);
        }
        transform
    }
}

/// The rotation from the axes of a file to those of a scene.
pub(super) fn axes(up: &str) -> DQuat {
    match up {
        "Z_UP" => DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2),
        "X_UP" => DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2),
        _ => DQuat::IDENTITY,
    }
}

/// The matrix of an element, row by row; the identity without one.
///
/// # Errors
/// If it does not have 16 numbers, or the budget does not suffice.
pub(super) fn bound(of: Option<Element<'_>>, budget: &mut Budget) -> Result<DMat4> {
    let Some(element) = of else { return Ok(DMat4::IDENTITY) };
    let found = few::<16>(element, budget)?.ok_or_else(|| damaged(element, "a matrix needs 16 numbers"))?;
    Ok(DMat4::from_cols_array(&found).transpose())
}
