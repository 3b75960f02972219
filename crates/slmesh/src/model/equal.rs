//! Equality by content: numbers by their bits, without the layout.

use llsd::{Date, Map, Text, Uuid, Value};

use super::asset::{Asset, OtherBlock};
use super::domain::Domain;
use super::keys::tables;
use super::motion::{Constraint, Joint, Motion};
use super::physics::{Convex, CostData, Havok, MassProps, Mopp, StoredConvex};
use super::skin::Skin;
use super::slm::{Instance, Slm, StoredSlm};
use super::submesh::{Level, Submesh};
use super::weights::VertexWeights;

pub(super) trait Same {
    fn same(&self, other: &Self) -> bool;
}

macro_rules! as_they_are {
    ($($type:ty),+) => {$(
        impl Same for $type {
            fn same(&self, other: &Self) -> bool {
                self == other
            }
        }
    )+};
}
as_they_are! {
    bool, i32, u8, u16, u32, Uuid, Joint, Text, Value, Map, VertexWeights,
    Level, Submesh, Skin, Convex, Havok, MassProps, Mopp, CostData, Instance, Asset
}

impl Same for f64 {
    fn same(&self, other: &Self) -> bool {
        self.to_bits() == other.to_bits()
    }
}

impl Same for f32 {
    fn same(&self, other: &Self) -> bool {
        self.to_bits() == other.to_bits()
    }
}

impl Same for Date {
    fn same(&self, other: &Self) -> bool {
        self.0.same(&other.0)
    }
}

impl<T: Same> Same for Option<T> {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.same(b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

impl<T: Same, const N: usize> Same for [T; N] {
    fn same(&self, other: &Self) -> bool {
        self.iter().zip(other).all(|(a, b)| a.same(b))
    }
}

impl<T: Same> Same for Vec<T> {
    fn same(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.same(b))
    }
}

impl<const N: usize> Same for Domain<N> {
    fn same(&self, other: &Self) -> bool {
        self.min.same(&other.min) && self.max.same(&other.max)
    }
}

/// Blocks have names; their order has no meaning.
impl Same for Vec<OtherBlock> {
    fn same(&self, other: &Self) -> bool {
        let sorted = |blocks: &Self| {
            let mut order: Vec<usize> = (0..blocks.len()).collect();
            order.sort_by_key(|&index| &blocks[index].name);
            order
        };
        let pairs = sorted(self).into_iter().zip(sorted(other));
        let same =
            |a: &OtherBlock, b: &OtherBlock| a.name == b.name && a.bytes == b.bytes && a.entry.same(&b.entry);
        self.len() == other.len() && pairs.into_iter().all(|(a, b)| same(&self[a], &other[b]))
    }
}

/// Equality of all fields.
macro_rules! fields {
    ($($model:ident { $($field:ident)+ })+) => {$(
        impl PartialEq for $model {
            fn eq(&self, other: &Self) -> bool {
                let Self { $($field),+ } = self;
                $($field.same(&other.$field))&&+
            }
        }

        impl Eq for $model {}

        impl Same for $model {
            fn same(&self, other: &Self) -> bool {
                self == other
            }
        }
    )+};
}

fields! {
    Motion {
        priority duration emote loop_in loop_out looped ease_in ease_out hand_pose joints constraints rest
    }
    Constraint {
        chain_length kind source source_offset target target_offset target_direction
        ease_in_start ease_in_stop ease_out_start ease_out_stop
    }
}

macro_rules! equal {
    ($($model:ident [$($other:ident)*] [$($left_out:ident)*] { $($field:ident $key:literal $kind:literal,)* })+) => {$(
        impl PartialEq for $model {
            fn eq(&self, other: &Self) -> bool {
                // All of them, so that a new field cannot be forgotten.
                let Self { $($field,)* $($other,)* $($left_out: _,)* extra } = self;
                $($field.same(&other.$field) &&)* $($other.same(&other.$other) &&)* extra.same(&other.extra)
            }
        }

        impl Eq for $model {}
    )+};
}
tables!(equal);

impl<const N: usize> PartialEq for Domain<N> {
    fn eq(&self, other: &Self) -> bool {
        self.same(other)
    }
}

equal! {
    Convex [domain bounding hulls entry] [] {}
    Slm [version name meshes instances] [layout] {}
}

impl PartialEq for Level {
    fn eq(&self, other: &Self) -> bool {
        let Self { submeshes, entry } = self;
        submeshes.same(&other.submeshes) && entry.same(&other.entry)
    }
}
