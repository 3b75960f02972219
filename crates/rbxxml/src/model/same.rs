//! When two documents are equal.

use super::{Content, Document, PhysicalProperties, UDim, Value};
use geom::{Vec2, Vec3};

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        self.attributes == other.attributes
            && self.metadata == other.metadata
            && self.externals == other.externals
            && self.shared_strings == other.shared_strings
            && self.same_instances(other)
    }
}

impl Eq for Document {}

impl Document {
    fn same_instances(&self, other: &Self) -> bool {
        let (mine, theirs) = (self.positions(), other.positions());
        let same_reference = |a: &Value, b: &Value| {
            let at = |value: &Value, positions: &[u32]| {
                let position = positions.get(value.as_instance()?.0 as usize).copied()?;
                (position != u32::MAX).then_some(position)
            };
            at(a, &mine) == at(b, &theirs)
        };
        self.len() == other.len()
            && self.instances().zip(other.instances()).all(|(a, b)| {
                let (Some(a), Some(b)) = (self.node(a), other.node(b)) else { return false };
                // In the order of a walk, these two bits of each instance are the whole tree.
                let shape = |node: &super::Node| (node.first == super::NONE, node.next == super::NONE);
                let (x, y) = (&a.instance, &b.instance);
                shape(a) == shape(b)
                    && x.class == y.class
                    && x.referent == y.referent
                    && x.properties.len() == y.properties.len()
                    && x.properties.iter().zip(&y.properties).all(|(x, y)| {
                        x.name == y.name
                            && match (&x.value, &y.value) {
                                (Value::Ref(_), Value::Ref(_))
                                | (
                                    Value::Content(Content::Object(_)),
                                    Value::Content(Content::Object(_)),
                                ) => same_reference(&x.value, &y.value),
                                (a, b) => same(a, b),
                            }
                    })
            })
    }

    /// The position of each node in the order of a walk; of a removed one, `u32::MAX`.
    fn positions(&self) -> Vec<u32> {
        let mut positions = vec![u32::MAX; self.nodes.len()];
        for (position, id) in (0..).zip(self.instances()) {
            if let Some(to) = positions.get_mut(id.0 as usize) {
                *to = position;
            }
        }
        positions
    }
}

/// Whether two values that are no references are equal, bit for bit, but that NaN equals NaN.
fn same(a: &Value, b: &Value) -> bool {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    match (numbers(a, &mut x), numbers(b, &mut y)) {
        (true, true) => x == y && a.kind() == b.kind(),
        (false, false) => a == b,
        _ => false,
    }
}

/// The numbers of a value that consists of numbers; false for all others.
fn numbers(value: &Value, to: &mut Vec<u64>) -> bool {
    let mut put = |numbers: &[f32]| {
        let bits = |n: &f32| if n.is_nan() { f32::NAN.to_bits() } else { n.to_bits() };
        to.extend(numbers.iter().map(|n| u64::from(bits(n))));
    };
    let v2 = |v: Vec2| v.to_array();
    let v3 = |v: Vec3| v.to_array();
    match value {
        Value::Float32(n) => put(&[*n]),
        Value::Float64(n) => to.push(if n.is_nan() { f64::NAN.to_bits() } else { n.to_bits() }),
        Value::Color3(c) => put(&[c.r, c.g, c.b]),
        Value::Vector2(v) => put(&v2(*v)),
        Value::Vector3(v) => put(&v3(*v)),
        Value::UDim(UDim { scale, offset }) => {
            put(&[*scale]);
            to.push(u64::from(offset.cast_unsigned()));
        }
        Value::UDim2(v) => {
            put(&[v.x.scale, v.y.scale]);
            to.extend([v.x.offset, v.y.offset].map(|offset| u64::from(offset.cast_unsigned())));
        }
        Value::CFrame(frame) | Value::OptionalCFrame(Some(frame)) => {
            put(&v3(frame.position));
            put(&frame.rotation.to_rows());
        }
        Value::Ray(ray) => [ray.origin, ray.direction].map(v3).iter().for_each(|v| put(v)),
        Value::Rect(rect) => [rect.min, rect.max].map(v2).iter().for_each(|v| put(v)),
        Value::NumberRange(range) => put(&[range.min, range.max]),
        Value::NumberSequence(sequence) => {
            sequence.keypoints.iter().for_each(|k| put(&[k.time, k.value, k.envelope]));
        }
        Value::ColorSequence(sequence) => {
            let each = sequence.keypoints.iter();
            each.for_each(|k| put(&[k.time, k.color.r, k.color.g, k.color.b, k.envelope]));
        }
        Value::PhysicalProperties(properties) => match **properties {
            PhysicalProperties::Custom(p) => {
                put(&[p.density, p.friction, p.elasticity, p.friction_weight, p.elasticity_weight]);
                p.acoustic_absorption.iter().for_each(|n| put(&[*n]));
            }
            PhysicalProperties::Default => {}
        },
        _ => return false,
    }
    true
}
