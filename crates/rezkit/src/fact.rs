//! Facts about an asset: counts, names, bounds.

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasher as _, RandomState};

use rezkit_core::plain::shorten;

/// A fact about an asset.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Fact {
    /// Its name, in lower case with spaces.
    pub name: &'static str,
    /// Its value.
    pub value: FactValue,
}

/// The value of a [`Fact`].
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum FactValue {
    /// The number of occurrences.
    Count(u64),
    /// A name or a sentence.
    Text(String),
    /// Several names.
    List(Vec<String>),
    /// The smallest and the largest coordinates.
    Bounds([[f32; 3]; 2]),
}

/// The maximum length of a text of a [`Fact`] in characters, and of all its names in bytes.
const TEXT: usize = 500;
const NAMES: usize = 4000;

impl Fact {
    pub(crate) fn count(name: &'static str, count: usize) -> Self {
        Self { name, value: FactValue::Count(count as u64) }
    }

    /// A text, shortened to [`TEXT`] characters; `None` if it is empty.
    pub(crate) fn text(name: &'static str, text: impl fmt::Display) -> Option<Self> {
        let text = shorten(&text.to_string(), TEXT);
        (!text.is_empty()).then_some(Self { name, value: FactValue::Text(text) })
    }

    /// A list that contains each name once, up to [`NAMES`] bytes; `None` if there are no names.
    pub(crate) fn names<T: fmt::Display>(
        name: &'static str,
        names: impl IntoIterator<Item = T>,
    ) -> Option<Self> {
        Self::list(name, &mut names.into_iter().map(|name| name.to_string()))
    }

    fn list(name: &'static str, names: &mut dyn Iterator<Item = String>) -> Option<Self> {
        // Hashes take less memory than millions of names.
        let (mut seen, hasher) = (HashSet::new(), RandomState::new());
        let names = names.filter(|name| !name.is_empty() && seen.insert(hasher.hash_one(name)));
        let (mut list, mut length, mut more) = (Vec::new(), 0, 0);
        for name in names {
            let name = shorten(&name, TEXT);
            length += name.len();
            match length <= NAMES {
                true => list.push(name),
                false => more += 1,
            }
        }
        if more > 0 {
            list.push(format!("… and {more} more"));
        }
        (!list.is_empty()).then_some(Self { name, value: FactValue::List(list) })
    }

    /// The box around points, without those that are infinite or NaN; `None` without points.
    pub(crate) fn bounds(points: impl IntoIterator<Item = [f32; 3]>) -> Option<Self> {
        let none = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        let finite = points.into_iter().filter(|point| point.iter().all(|axis| axis.is_finite()));
        let [min, max] = finite.fold(none, |[min, max], point| {
            let lower =
                std::array::from_fn(|axis| if point[axis] < min[axis] { point[axis] } else { min[axis] });
            let upper =
                std::array::from_fn(|axis| if point[axis] > max[axis] { point[axis] } else { max[axis] });
            [lower, upper]
        });
        let some = (0..3).all(|axis| min[axis] <= max[axis]);
        some.then_some(Self { name: "bounds", value: FactValue::Bounds([min, max]) })
    }
}

impl fmt::Display for FactValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Text(text) => f.write_str(text),
            Self::List(names) => f.write_str(&names.join(", ")),
            Self::Bounds([min, max]) => {
                let point = |[x, y, z]: &[f32; 3]| format!("({x}, {y}, {z})");
                write!(f, "{} to {}", point(min), point(max))
            }
        }
    }
}
