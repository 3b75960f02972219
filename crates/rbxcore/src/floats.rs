//! The list of the types that consist of 32-bit floats.

use std::ops::Deref;

use geom::{Mat3, Quat, Vec2, Vec3};

use crate::kind::Kind;
use crate::types::{
    CFrame, Color3, ColorSequence, ColorSequenceKeypoint, CustomPhysicalProperties, NumberRange,
    NumberSequence, NumberSequenceKeypoint, PhysicalProperties, Ray, Rect,
};
use crate::value::{CFrameQuat, Value, ValueRef};

/// The floats of a value: a list of `f32`.
#[derive(Clone, Debug)]
pub struct Floats(Inner);

#[derive(Clone, Debug)]
enum Inner {
    Few([f32; 12], usize),
    Many(Vec<f32>),
}

impl Deref for Floats {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        match &self.0 {
            Inner::Few(floats, len) => &floats[..*len],
            Inner::Many(floats) => floats,
        }
    }
}

impl Floats {
    fn few<const N: usize>(floats: [f32; N]) -> Self {
        let mut all = [0.0; 12];
        all[..N].copy_from_slice(&floats);
        Self(Inner::Few(all, N))
    }
}

/// Rows of a type, which is a pattern and an expression, and of its floats.
macro_rules! floats {
    ($($name:ident($($value:tt)+) = [$($float:ident),+];)+) => {
        impl ValueRef<'_> {
            /// The floats of a value that consists of 32-bit floats, in the order of its text: of a [`CFrame`], the position
            /// and then the matrix row by row. `None` for values of other types, for an empty `OptionalCFrame` and for
            /// [`PhysicalProperties::Default`].
            pub fn floats(&self) -> Option<Floats> {
                Some(match *self {
                    $(Self::$name($($value)+) => Floats::few([$($float),+]),)+
                    Self::CFrame(frame) | Self::OptionalCFrame(Some(frame)) => {
                        let ([x, y, z], rotation) = (frame.position.to_array(), frame.rotation.to_rows());
                        let [a, b, c, d, e, f, g, h, i] = rotation;
                        Floats::few([x, y, z, a, b, c, d, e, f, g, h, i])
                    }
                    Self::PhysicalProperties(PhysicalProperties::Custom(of)) => {
                        let five = [of.density, of.friction, of.elasticity, of.friction_weight, of.elasticity_weight];
                        let [a, b, c, d, e] = five;
                        of.acoustic_absorption.map_or(Floats::few(five), |last| Floats::few([a, b, c, d, e, last]))
                    }
                    Self::NumberSequence(of) => {
                        let floats = of.keypoints.iter().flat_map(|key| [key.time, key.value, key.envelope]);
                        Floats(Inner::Many(floats.collect()))
                    }
                    Self::ColorSequence(of) => {
                        let floats = of.keypoints.iter().flat_map(|key| {
                            let Color3 { r, g, b } = key.color;
                            [key.time, r, g, b, key.envelope]
                        });
                        Floats(Inner::Many(floats.collect()))
                    }
                    _ => return None,
                })
            }
        }

        impl Value {
            /// The value of a type that consists of these floats, as [`ValueRef::floats`] returns them. `None` if the type
            /// does not consist of so many floats.
            pub fn from_floats(kind: Kind, floats: &[f32]) -> Option<Self> {
                Some(match (kind, floats) {
                    $((Kind::$name, &[$($float),+]) => Self::from($($value)+),)+
                    (Kind::CFrame | Kind::OptionalCFrame, &[x, y, z, ref rows @ ..]) => {
                        let rotation = Mat3::from_rows(rows.try_into().ok()?);
                        let frame = CFrame { position: Vec3 { x, y, z }, rotation };
                        if kind == Kind::CFrame { frame.into() } else { Some(frame).into() }
                    }
                    (
                        Kind::PhysicalProperties,
                        &[density, friction, elasticity, friction_weight, elasticity_weight, ref absorption @ ..],
                    ) if absorption.len() < 2 => PhysicalProperties::Custom(CustomPhysicalProperties {
                        density,
                        friction,
                        elasticity,
                        friction_weight,
                        elasticity_weight,
                        acoustic_absorption: absorption.first().copied(),
                    })
                    .into(),
                    (Kind::NumberSequence, floats) => {
                        let (keys, []) = floats.as_chunks() else { return None };
                        let key = |&[time, value, envelope]: &[f32; 3]| NumberSequenceKeypoint { time, value, envelope };
                        NumberSequence { keypoints: keys.iter().map(key).collect() }.into()
                    }
                    (Kind::ColorSequence, floats) => {
                        let (keys, []) = floats.as_chunks() else { return None };
                        let key = |&[time, r, g, b, envelope]: &[f32; 5]| ColorSequenceKeypoint {
                            time,
                            color: Color3 { r, g, b },
                            envelope,
                        };
                        ColorSequence { keypoints: keys.iter().map(key).collect() }.into()
                    }
                    _ => return None,
                })
            }
        }
    };
}
floats! {
    Float32(x) = [x];
    Vector2(Vec2 { x, y }) = [x, y];
    Vector3(Vec3 { x, y, z }) = [x, y, z];
    Color3(Color3 { r, g, b }) = [r, g, b];
    NumberRange(NumberRange { min, max }) = [min, max];
    Rect(Rect { min: Vec2 { x: a, y: b }, max: Vec2 { x: c, y: d } }) = [a, b, c, d];
    Ray(Ray { origin: Vec3 { x: a, y: b, z: c }, direction: Vec3 { x: d, y: e, z: f } }) = [a, b, c, d, e, f];
    CFrameQuat(CFrameQuat { position: Vec3 { x: a, y: b, z: c }, rotation: Quat { x, y, z, w } }) =
        [a, b, c, x, y, z, w];
}
