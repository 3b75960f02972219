//! The interfaces of rbx_binary 3 and rbx_xml 3, so that a program of Rojo's family reads and writes with this crate when one
//! line of its manifest changes: `rbx_binary = { package = "rbxdocument-rbx-binary", version = "0.1" }`, and
//! `rbx_xml = { package = "rbxdocument-rbx-xml", version = "0.1" }`. These packages consist of the two modules.
//!
//! A reflection database can be given, as there, and is not used: names, types and defaults are those of
//! [`classes`](crate::classes). What a document or a `WeakDom` cannot hold is a warning of the crate `log`, as there.

pub mod rbx_binary;
pub mod rbx_xml;

use std::fmt;

use crate::Error;
use crate::weak::Lost;

/// Declares an error of the interface.
macro_rules! error {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name(Box<$crate::Error>);

        impl $name {
            /// The error of this crate: its kind, its path, and where it is in the file.
            pub fn inner(&self) -> &$crate::Error {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::error::Error for $name {
            fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
                self.0.source()
            }
        }

        impl From<$crate::Error> for $name {
            fn from(error: $crate::Error) -> Self {
                Self(Box::new(error))
            }
        }
    };
}
use error;

fn warn(losses: &[Lost]) {
    losses.iter().for_each(|lost| log::warn!("{}: {}", lost.path, lost.what));
}

/// The first of the values that make an output invalid.
fn refuse(losses: &[Lost], what: impl fmt::Display) -> Result<(), Error> {
    let Some(first) = losses.first() else { return Ok(()) };
    let more = match losses.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    Err(Error::not_representable(format!("{what}{more}")).at_path(first.path.clone()))
}
