//! The parts of a file, which are chunks or sections: their kinds, and the order in which they are written.

/// Declares the kinds of parts: each with its tag or keyword, the location of its content in the model, and whether
/// a model has at most one.
macro_rules! kinds {
    (
        $(#[$doc:meta])+ $vis:vis $kinds:ident;
        $(#[$key_doc:meta])+ $key_vis:vis $key:ident: $type:ty;
        $(#[$once_doc:meta])+ $once_vis:vis $is_once:ident;
        $($name:ident $value:expr, $path:literal, $once:literal, $what:literal;)+
    ) => {
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        $vis enum $kinds {
            $(#[doc = $what] $name,)+
        }

        impl $kinds {
            /// Every kind, in the usual order.
            $vis const ALL: &'static [Self] = &[$(Self::$name),+];

            $(#[$key_doc])+
            $key_vis const fn $key(self) -> $type {
                match self { $(Self::$name => $value,)+ }
            }

            /// The location of the content in the model.
            pub(crate) const fn path(self) -> &'static str {
                match self { $(Self::$name => $path,)+ }
            }

            $(#[$once_doc])+
            $once_vis const fn $is_once(self) -> bool {
                match self { $(Self::$name => $once,)+ }
            }
        }
    };
}
pub(crate) use kinds;

/// Matches a kind of chunk or section: calls a macro with the name of the list of the model that has an entry for each
/// part of that kind. The caller's arms, for kinds without a list, come first.
macro_rules! each_list {
    ($kinds:ident, $kind:expr, $do:ident, { $($other:pat => $else:expr,)+ }) => {
        match $kind {
            $($other => $else,)+
            $kinds::Material => $do!(materials),
            $kinds::Procedural => $do!(procedurals),
            $kinds::Mesh => $do!(meshes),
            $kinds::Voxels => $do!(voxel_blocks),
            $kinds::Shape => $do!(shapes),
            $kinds::Labels => $do!(labels),
            $kinds::Action => $do!(actions),
            $kinds::Extra => $do!(extras),
        }
    };
}
pub(crate) use each_list;

/// A part: its kind, its index among the parts of that kind, and the layout entry that it was read from.
pub(crate) type Part<K> = (K, usize, Option<usize>);

/// The parts in the order of the file that was read, as far as they still exist. New parts come after the last of their
/// kind, or where their kind usually is. `once`: whether a model has at most one such part, which is then written even
/// if it is empty. `floats`: whether the kind has no fixed place, so that other kinds are not placed after it.
pub(crate) fn ordered<K: Copy + PartialEq>(
    layout: impl Iterator<Item = K>,
    usual: &[K],
    once: impl Fn(K) -> bool,
    floats: impl Fn(K) -> bool,
    count: impl Fn(K) -> usize,
) -> Vec<Part<K>> {
    let rank = |kind: K| usual.iter().position(|&known| known == kind).unwrap_or(usual.len());
    let counts: Vec<usize> = usual.iter().map(|&kind| count(kind)).collect();
    let mut written = vec![0_usize; usual.len()];
    let mut parts: Vec<Part<K>> = Vec::new();
    for (index, kind) in layout.enumerate() {
        let rank = rank(kind);
        let (Some(next), Some(count)) = (written.get_mut(rank), counts.get(rank)) else { continue };
        if *next < *count || once(kind) && *next == 0 {
            parts.push((kind, *next, Some(index)));
            *next += 1;
        }
    }
    for (index, (&kind, (&next, &count))) in usual.iter().zip(written.iter().zip(&counts)).enumerate() {
        if next >= count {
            continue;
        }
        let last = parts.iter().rposition(|&(there, ..)| there == kind).or_else(|| {
            let before = |there| rank(there) < index && (!floats(there) || floats(kind));
            parts.iter().rposition(|&(there, ..)| before(there))
        });
        let at = last.map_or(0, |last| last + 1);
        parts.splice(at..at, (next..count).map(|nth| (kind, nth, None)));
    }
    parts
}
