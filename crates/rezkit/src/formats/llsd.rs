//! LLSD in its three encodings.

use ::llsd::{Document, Encoding, Event, Value};

use super::{Asset, Fact, Form, Format, findings_without_ids, no_form, same_type};
use crate::error::{Error, Result};
use crate::finding::Finding;
use crate::options::WriteOptions;

pub(super) static FORMAT: Format = Format {
    name: "llsd",
    title: "LLSD",
    extensions: &["xml", "llsd"],
    forms: &[Form::new("binary"), Form::new("xml"), Form::new("notation")],
    detect: |bytes| ::llsd::detect(bytes).map(|encoding| form(encoding).to_owned()),
    read: |bytes, options| {
        let options = ::llsd::ReadOptions::new().max_bytes(options.max_bytes);
        Ok(Box::new(options.read_document(bytes).map_err(Error::unreadable)?))
    },
    same_bytes: |a, b| a == b,
};

/// The name of an encoding, as `convert` takes it.
fn form(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Binary => "binary",
        Encoding::Xml => "xml",
        Encoding::Notation => "notation",
    }
}

impl Asset for Document {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn version(&self) -> String {
        form(self.layout.encoding).to_owned()
    }

    fn describe(&self) -> Vec<Fact> {
        vec![Fact::count("values", values(&self.value))]
    }

    fn check(&self) -> Vec<Finding> {
        findings_without_ids!(llsd, ::llsd::check(&self.value))
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        let Some(to) = &options.form else { return self.to_vec().map_err(Error::unwritable) };
        let known = Encoding::ALL.into_iter().find(|&encoding| form(encoding) == to);
        ::llsd::to_vec(&self.value, known.ok_or_else(|| no_form(&FORMAT, to))?).map_err(Error::unwritable)
    }

    fn equals(&self, other: &dyn Asset) -> bool {
        same_type::<Self>(other).is_some_and(|other| self.value.identical(&other.value))
    }
}

/// How many values there are, those inside of others included.
fn values(value: &Value) -> usize {
    let ends = |event: &Event<'_>| matches!(event, Event::EndArray | Event::EndMap | Event::Key(_));
    value.events().filter(|event| !ends(event)).count()
}
