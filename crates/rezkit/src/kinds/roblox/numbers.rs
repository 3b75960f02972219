//! Floats as texts that read as the same bits, and rotations as angles.

pub(super) use rbxcore::plain::floats_text as numbers;
use rbxcore::{CFrame, InstanceId, Value, classes, geom};
use rbxdocument::view::View as _;

use super::Form;
use super::effective::effective;

pub(super) fn number(float: f32) -> String {
    numbers(&[float])
}

pub(super) fn double(float: f64) -> String {
    Value::Float64(float).as_ref().to_text().unwrap_or_default()
}

/// A whole number that a float represents.
#[allow(clippy::cast_possible_truncation, reason = "in range and compared")]
pub(super) fn whole(number: f32) -> Option<i32> {
    (number.fract() == 0.0 && number.abs() < 16_777_216.0).then_some(number as i32)
}

/// The angles around the axes in degrees, as Studio shows them: `CFrame:ToOrientation`.
pub(super) fn orientation(frame: &CFrame) -> geom::Vec3 {
    let [[_, _, sin_y], [r10, r11, r12], [_, _, r22]] = rows(frame);
    let x = (-r12).clamp(-1.0, 1.0).asin();
    geom::Vec3::new(x.to_degrees(), sin_y.atan2(r22).to_degrees(), r10.atan2(r11).to_degrees())
}

fn rows(frame: &CFrame) -> [[f32; 3]; 3] {
    let [a, b, c, d, e, f, g, h, i] = frame.rotation.to_rows();
    [[a, b, c], [d, e, f], [g, h, i]]
}

/// The rotation with these angles in degrees, as `CFrame.fromOrientation`: about z, then x, then y.
fn rotation(geom::Vec3 { x, y, z }: geom::Vec3) -> geom::Mat3 {
    let [(sx, cx), (sy, cy), (sz, cz)] = [x, y, z].map(|angle| angle.to_radians().sin_cos());
    geom::Mat3::from_rows([
        cy * cz + sy * sx * sz,
        sy * sx * cz - cy * sz,
        sy * cx,
        cx * sz,
        cx * cz,
        -sx,
        cy * sx * sz - sy * cz,
        cy * sx * cz + sy * sz,
        cy * cx,
    ])
}

/// A frame with another `Position`, or with the rotation of an `Orientation`: angles around the axes in degrees.
pub fn moved(frame: CFrame, property: &str, to: geom::Vec3) -> CFrame {
    match property {
        "Position" => CFrame { position: to, ..frame },
        _ => CFrame { rotation: rotation(to), ..frame },
    }
}

/// The frame of an instance of which a property is a part: `Position` or `Orientation`, if its class has no such property.
pub(super) fn frame_of(document: &dyn Form, id: InstanceId, property: &str) -> Option<CFrame> {
    let class = document.class_of(id);
    let class = classes::class(&*class).filter(|_| matches!(property, "Position" | "Orientation"))?;
    class.property("CFrame").filter(|_| class.property(property).is_none())?;
    effective(document, id, "CFrame")?.into_value().as_cframe()
}
