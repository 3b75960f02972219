//! The layout of attributes: the number, the type and the extent of each value. `rbxblobs` decodes the values;
//! `rbxbinary` finds the references among them.

use crate::kind::Kind;

/// The property with the attributes of an instance.
pub const ATTRIBUTES: &str = "AttributesSerialize";

/// The maximum depth of nested arrays and tables.
pub const MAX_DEPTH: u32 = 64;

/// A part of a value.
enum Part {
    /// Bytes.
    Fixed(usize),
    /// A count, and that number of records of so many bytes.
    Records(usize),
    /// A byte that is 1; with another one, the layout is not known.
    One,
    /// The id of a rotation, and a matrix if it is 0.
    Rotation,
    /// A count, and that number of values.
    Values,
    /// A count, and that number of names, each with its value.
    Table,
    /// The referent of an instance.
    Referent,
}
use Part::{Fixed, One, Records, Referent, Rotation, Table, Values};

/// Declares the types: those that properties also have, then the others.
macro_rules! types {
    (
        $($shared:ident = $shared_id:literal [$($shared_part:expr),*])+ ;
        $($own:ident = $own_id:literal [$($own_part:expr),*])+
    ) => {
        /// The type of an attribute.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Type {
            $(#[doc = stringify!($shared)] $shared,)+
            $(#[doc = stringify!($own)] $own,)+
        }

        impl Type {
            /// All types.
            pub const ALL: &[Self] = &[$(Self::$shared,)+ $(Self::$own),+];

            /// The type with a number; `None` if it is not known.
            pub fn of(id: u8) -> Option<Self> {
                Some(match id {
                    $($shared_id => Self::$shared,)+
                    $($own_id => Self::$own,)+
                    _ => return None,
                })
            }

            /// The number.
            pub fn id(self) -> u8 {
                match self {
                    $(Self::$shared => $shared_id,)+
                    $(Self::$own => $own_id,)+
                }
            }

            /// The type of properties with the same values.
            pub fn kind(self) -> Option<Kind> {
                match self {
                    $(Self::$shared => Some(Kind::$shared),)+
                    $(Self::$own)|+ => None,
                }
            }

            fn parts(self) -> &'static [Part] {
                match self {
                    $(Self::$shared => &[$($shared_part),*],)+
                    $(Self::$own => &[$($own_part),*],)+
                }
            }
        }
    };
}

types! {
    String = 0x02 [Records(1)]
    Bool = 0x03 [Fixed(1)]
    Int32 = 0x04 [Fixed(4)]
    Float32 = 0x05 [Fixed(4)]
    Float64 = 0x06 [Fixed(8)]
    UDim = 0x09 [Fixed(8)]
    UDim2 = 0x0a [Fixed(16)]
    Ray = 0x0b [Fixed(24)]
    Faces = 0x0c [Fixed(4)]
    Axes = 0x0d [Fixed(4)]
    BrickColor = 0x0e [Fixed(4)]
    Color3 = 0x0f [Fixed(12)]
    Vector2 = 0x10 [Fixed(8)]
    Vector3 = 0x11 [Fixed(12)]
    Vector2int16 = 0x12 [Fixed(4)]
    Vector3int16 = 0x13 [Fixed(6)]
    CFrame = 0x14 [Fixed(12), Rotation]
    NumberSequence = 0x17 [Records(12)]
    ColorSequence = 0x19 [Records(20)]
    NumberRange = 0x1b [Fixed(8)]
    Rect = 0x1c [Fixed(16)]
    PhysicalProperties = 0x1d [One, Fixed(24)]
    Color3uint8 = 0x1e [Fixed(3)]
    Font = 0x21 [Fixed(3), Records(1), Records(1)]
    SecurityCapabilities = 0x22 [Fixed(8)];

    Nil = 0x01 []
    Array = 0x07 [Values]
    Table = 0x08 [Table]
    Enum = 0x15 [Records(1), Fixed(4)]
    Region3 = 0x1f [Fixed(24)]
    Region3int16 = 0x20 [Fixed(12)]
    Path2DControlPoint = 0x23 [Fixed(48)]
    TweenInfo = 0x24 [Fixed(21)]
    Ref = 0x25 [Referent]
}

impl Type {
    /// The type of attributes for the values of a type of properties.
    pub fn of_kind(kind: Kind) -> Option<Self> {
        Self::ALL.iter().copied().find(|of| of.kind() == Some(kind))
    }
}

/// Attributes whose end cannot be found, since one has an unknown type or is malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incomplete {
    /// The number of entries before the one that contains it.
    pub entries: u32,
    /// The offset of that entry.
    pub start: usize,
    /// The offset of the value whose end is not known. References in the bytes after it are not found.
    pub at: usize,
}

/// Calls `visit` with the offset and the referent of each attribute that refers to an instance, also of those in arrays and
/// tables. Takes time in proportion to the bytes, and no memory.
///
/// # Errors
/// If the end of a value cannot be found. The references before it have been visited.
pub fn references(blob: &[u8], mut visit: impl FnMut(usize, i32)) -> Result<(), Incomplete> {
    // The number of the type; without it, there are no references.
    if !blob.contains(&Type::Ref.id()) {
        return Ok(());
    }
    let mut walk = Walk { blob, at: 0, visit: &mut visit };
    let (mut entries, mut start) = (0, 0);
    let done = walk.u32().and_then(|count| {
        while entries < count {
            start = walk.at;
            walk.entry(MAX_DEPTH)?;
            entries = entries.saturating_add(1);
        }
        (walk.at == blob.len()).then_some(())
    });
    done.ok_or(Incomplete { entries, start, at: walk.at.min(blob.len()) })
}

/// The numbers after an offset that would be references if the byte before them was the type of an attribute.
pub fn possible(blob: &[u8], at: usize) -> impl Iterator<Item = i32> {
    let rest = blob.get(at..).unwrap_or_default();
    rest.windows(5).filter_map(|bytes| match *bytes {
        [id, a, b, c, d] if id == Type::Ref.id() => Some(i32::from_le_bytes([a, b, c, d])),
        _ => None,
    })
}

/// The entries of attributes whose end cannot be found, up to the one that contains it.
pub fn cut(blob: &[u8], incomplete: Incomplete) -> Vec<u8> {
    match incomplete.entries {
        0 => Vec::new(),
        entries => {
            let mut kept = blob.get(..incomplete.start).unwrap_or_default().to_vec();
            if let Some(count) = kept.first_chunk_mut() {
                *count = entries.to_le_bytes();
            }
            kept
        }
    }
}

struct Walk<'a> {
    blob: &'a [u8],
    at: usize,
    visit: &'a mut dyn FnMut(usize, i32),
}

impl<'a> Walk<'a> {
    /// The next bytes. The offset only changes if they exist.
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(len)?;
        let bytes = self.blob.get(self.at..end)?;
        self.at = end;
        Some(bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(*self.take(4)?.first_chunk()?))
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    /// Skips a count and that number of records, each of `len` bytes.
    fn records(&mut self, len: usize) -> Option<()> {
        let bytes = (self.u32()? as usize).checked_mul(len)?;
        self.take(bytes).map(|_| ())
    }

    /// Walks over a name and its value.
    fn entry(&mut self, depth: u32) -> Option<()> {
        self.records(1)?;
        self.value(depth)
    }

    /// Walks over a value and its type.
    fn value(&mut self, depth: u32) -> Option<()> {
        Type::of(self.byte()?)?.parts().iter().try_for_each(|part| self.part(part, depth))
    }

    fn part(&mut self, part: &Part, depth: u32) -> Option<()> {
        match *part {
            Part::Fixed(len) => self.take(len).map(|_| ()),
            Part::Records(len) => self.records(len),
            Part::One => (self.byte()? == 1).then_some(()),
            Part::Rotation => match self.byte()? {
                0 => self.take(36).map(|_| ()),
                id => crate::rotation::matrix(id).map(|_| ()),
            },
            Part::Values | Part::Table => {
                let depth = depth.checked_sub(1)?;
                for _ in 0..self.u32()? {
                    match part {
                        Part::Table => self.entry(depth)?,
                        _ => self.value(depth)?,
                    }
                }
                Some(())
            }
            Part::Referent => {
                let at = self.at;
                let referent = i32::from_le_bytes(*self.take(4)?.first_chunk()?);
                (self.visit)(at, referent);
                Some(())
            }
        }
    }
}
