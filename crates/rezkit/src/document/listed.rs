//! All properties of an instance with their values as text, whether the file stores them or not.

use std::cell::RefCell;

use rbxcore::{InstanceId, Value, classes};
use rbxdocument::effective::{Effective, unstored};
use rbxdocument::view::View as _;

use super::{Document, DocumentPaths};
use crate::formats::roblox::show;
use crate::tree::{self, Data};
use rezkit_core::{Budget, Result};

/// A property of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listed {
    /// The name of the property, from the file or the class table.
    pub property: String,
    /// The name of the type.
    pub kind: String,
    /// The value as `rezkit get` prints it; decoded bytes, and bytes that are no text, as JSON.
    pub value: String,
    /// The source of the value.
    pub source: Source,
}

/// The source of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// The file stores the value.
    Stored,
    /// The file stores another property, which Roblox reads as this one.
    Older,
    /// The value is the default of the class.
    Default,
}

impl Source {
    /// `stored`, `older` or `default`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::Older => "older",
            Self::Default => "default",
        }
    }
}

impl Document {
    /// The properties of an instance: first those that the file stores, in its order; then, unless `stored` is set, the
    /// properties of its class that the file does not store.
    ///
    /// # Errors
    /// [`Limit`](crate::ErrorKind::Limit) if the values take more than is left.
    pub fn listed(
        &self,
        id: InstanceId,
        stored: bool,
        paths: &mut DocumentPaths<'_>,
        budget: &mut Budget,
    ) -> Result<Vec<Listed>> {
        let document = &**self;
        let class = document.class_of(id);
        let own = document.values(id).into_iter().map(|(name, value)| (name, value, Source::Stored));
        let of_class = classes::class(&*class).filter(|_| !stored);
        let others = of_class.into_iter().flat_map(|class| unstored(document, id, class));
        let others = others.map(|(name, found)| {
            let source = if let Effective::Other(..) = found { Source::Older } else { Source::Default };
            (name.to_owned(), found.into_value(), source)
        });
        let paths = RefCell::new(paths);
        let mut text = |(property, value, source): (String, Value, Source)| {
            budget.take_values::<Listed>(1, "the list of property values")?;
            let path = |id| paths.borrow_mut().shown(id);
            let shown = show::value((&class, &property), &value, budget.left(), path);
            budget.take(2 * shown.cost() as u64, "the list of property values")?;
            let value = match &shown.data {
                Data::Line(_, text) => text.clone(),
                Data::Bytes(bytes) => {
                    tree::as_text(bytes).map_or_else(|| shown.to_json().to_string(), str::to_owned)
                }
                Data::List(_) | Data::Fields(_) | Data::Decoded(..) => shown.to_json().to_string(),
            };
            Ok(Listed { kind: shown.kind.into_owned(), property, value, source })
        };
        own.chain(others).map(&mut text).collect()
    }
}
