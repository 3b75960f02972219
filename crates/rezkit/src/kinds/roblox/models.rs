//! Instances with everything below them as documents of their own.

use std::collections::HashMap;

use ::rbxbinary::Value;
use rezkit_core::{Error, Loss, Result};

use super::{ATTRIBUTES, Any, Instances};
use crate::kind::Asset;
use crate::options::{ConvertOptions, Fill, WriteOptions};

/// A document as a model of an extension, and what is not in it.
pub(in super::super) fn model(document: &dyn Asset, extension: &str) -> Result<(Vec<u8>, Vec<Loss>)> {
    let format = match extension {
        "rbxm" | "rbxl" => "rbxbinary",
        "rbxmx" | "rbxlx" => "rbxxml",
        _ => return Err(Error::argument(format!("nothing is written as {extension}"))),
    };
    if document.kind().format == format {
        return Ok((document.write(&WriteOptions::new())?, Vec::new()));
    }
    let options = ConvertOptions::new().allow_loss(true).fill(Fill::Defaults);
    let converted = document.convert(format, &options)?;
    // A text is not changed unless that was asked for.
    if let Some(loss) = converted.losses.iter().find(|loss| loss.what == super::convert::NOT_XML) {
        return Err(Error::unwritable("bytes that are not UTF-8 or characters that XML forbids")
            .at(loss.path.as_str()));
    }
    Ok((converted.asset.write(&WriteOptions::new())?, converted.losses))
}

/// Puts attributes into the copy of an instance and of what is below it; they are named by the instances of the original.
pub(in super::super) fn put_attributes<D: Instances>(
    copy: &mut D,
    (original, id): (&D, D::Id),
    attributes: &HashMap<D::Id, Vec<u8>>,
) -> Result<()> {
    if attributes.is_empty() {
        return Ok(());
    }
    let mut waiting: Vec<_> = copy.top().into_iter().map(|top| (id, top)).collect();
    while let Some((old, new)) = waiting.pop() {
        if let Some(bytes) = attributes.get(&old) {
            if copy.value(new, ATTRIBUTES).is_none() {
                copy.store(new, ATTRIBUTES, Value::String("".into()))?;
            }
            copy.put(new, ATTRIBUTES, Any::Value(Value::from(bytes.clone())))?;
        }
        waiting.extend(original.below(old).into_iter().zip(copy.below(new)));
    }
    Ok(())
}
