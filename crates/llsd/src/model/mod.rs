//! The content of a document, in any encoding.

mod convert;
mod event;
mod from;
pub(crate) mod keys;
mod path;
mod scalar;
#[cfg(feature = "serde")]
pub(crate) mod serde;
mod text;
mod value;
mod walk;

pub(crate) use event::scalar;
pub use event::{Event, Scalar};
pub use keys::Duplicates;
pub(crate) use path::{Step, Steps, owned_steps, path_of};
pub use scalar::{Binary, Date, Uri, Uuid};
pub(crate) use text::Run;
pub use text::Text;
pub use value::{Array, Map, Value};
pub(crate) use walk::{Item, Open, Walk};
