//! Equality by content: numbers by their bits, without the layout.

use geom::wire::by_bits;
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

by_bits! {
    Uuid, Joint, Text, Value, Map, VertexWeights, Level, Submesh, Skin, Convex, Havok, MassProps, Mopp, CostData,
    Instance, Asset
}
by_bits!(bits: Date: |date| date.0.to_bits(););

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
            geom::sort::by_key(&mut order, |&index| &blocks[index].name);
            order
        };
        let pairs = sorted(self).into_iter().zip(sorted(other));
        let same =
            |a: &OtherBlock, b: &OtherBlock| a.name == b.name && a.bytes == b.bytes && a.entry.same(&b.entry);
        self.len() == other.len() && pairs.into_iter().all(|(a, b)| same(&self[a], &other[b]))
    }
}

by_bits! { equal:
    Motion {
        priority, duration, emote, loop_in, loop_out, looped, ease_in, ease_out, hand_pose, joints, constraints, rest
    }
    Constraint {
        chain_length, kind, source, source_offset, target, target_offset, target_direction, ease_in_start, ease_in_stop,
        ease_out_start, ease_out_stop
    }
}

macro_rules! equal {
    ($($model:ident [$($other:ident)*] [$($left_out:ident)*] { $($field:ident $key:literal $kind:literal,)* })+) => {$(
        impl PartialEq for $model {
            fn eq(&self, other: &Self) -> bool {
                // Lists every field, so that a new one cannot be forgotten.
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
