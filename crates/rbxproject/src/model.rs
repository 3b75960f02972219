//! A model file of a folder, and the instances of the document that it is about.

use rbxdocument::view::View as _;

use bstr::ByteSlice as _;
use geom::wire::{Budget, Error, Result};
use rbxcore::{InstanceId, Value, classes};
use rbxdocument::{AnyDocument, ReadOptions};

use crate::memory::charge;
use crate::meta::{ID, TARGET};
use crate::values;
use rbxblobs::{Attribute, Attributes, from_slice};
use rbxcore::Dom;
use rbxdocument::effective;
use rbxdocument::filled::is_usual;
use rbxdocument::which::ATTRIBUTES;
use rbxdocument::write;

/// A model with one root.
pub(crate) struct Model {
    pub(crate) document: AnyDocument,
    pub(crate) root: InstanceId,
}

impl Model {
    pub(crate) fn open(file: &str, bytes: &[u8], max_bytes: u64, budget: &mut Budget) -> Result<Self> {
        let options = ReadOptions::new().max_bytes(max_bytes.min(budget.left()));
        let document = options.read(bytes).map_err(|error| error.below(|path| below(file, path)))?;
        charge(budget, held(&*document, bytes), file)?;
        match <[_; 1]>::try_from(document.top()) {
            Ok([root]) => Ok(Self { document, root }),
            Err(top) => {
                let what = format!("expected a model with one instance at the top, found {}", top.len());
                Err(Error::argument(what).at_path(file.to_owned()))
            }
        }
    }

    pub(crate) fn form(&self) -> &dyn Dom {
        &*self.document
    }

    /// The id that Rojo's attributes give to an instance.
    pub(crate) fn label(&self, id: InstanceId) -> Option<String> {
        let value = self.form().value(id, ATTRIBUTES)?;
        let bytes = value.as_bytes().filter(|bytes| bytes.find(ID).is_some())?;
        Some(from_slice::<Attributes>(bytes).ok()?.get(ID)?.value()?.as_str()?.to_owned())
    }

    /// The properties of an instance of the document that a value of the model changes.
    pub(crate) fn changed(
        &self,
        document: &dyn Dom,
        (from, to): (InstanceId, InstanceId),
        class: &str,
        name: String,
        value: Value,
    ) -> Result<Vec<(String, Value)>> {
        let mut found = Vec::new();
        for (name, value) in self.newer(document, (from, to), class, name, value) {
            // The document may store it under the name of another version of Studio.
            let known = classes::class(class).and_then(|class| class.property(&name));
            let mut names = known.into_iter().flat_map(|known| known.names());
            let name = match document.value(to, &name) {
                Some(_) => name,
                None => names.find(|name| document.value(to, name).is_some()).map_or(name, str::to_owned),
            };
            let Some(old) = document.value(to, &name) else {
                if !is_usual(class, &name, &value) {
                    found.push((name, value));
                }
                continue;
            };
            let value = match (&old, value) {
                // XML can have the number of an item as another number.
                (Value::Int32(_), Value::Enum(item)) => {
                    i32::try_from(item).map_or(Value::Enum(item), Value::Int32)
                }
                (_, value) => value,
            };
            if !is_same(&old, &value) {
                found.push((name, value));
            }
        }
        Ok(found)
    }

    /// A value, or those of the properties that replaced an older one in the document, unless the model has them, too.
    fn newer(
        &self,
        document: &dyn Dom,
        (from, to): (InstanceId, InstanceId),
        class: &str,
        name: String,
        value: Value,
    ) -> Vec<(String, Value)> {
        let own = effective::stored(document, to, &name);
        let found = write::replacing(document, to, &name);
        let newer = found.unwrap_or_else(|| match own {
            Some(_) => Vec::new(),
            None => values::newer(class, &name),
        });
        // Where both are stored, the newer one counts, unless nothing changes or the model has it, too.
        let has_newer = || newer.iter().any(|newer| effective::stored(self.form(), from, newer.0).is_some());
        if newer.is_empty() || own.is_some_and(|own| is_same(&own, &value) || has_newer()) {
            return vec![(name, value)];
        }
        let newer = newer.into_iter().filter(|newer| effective::stored(self.form(), from, newer.0).is_none());
        newer.filter_map(|(newer, turn)| Some((newer.to_owned(), turn(value.as_ref())?))).collect()
    }
}

/// A path in a file.
fn below(file: &str, path: &str) -> String {
    if path.is_empty() { file.to_owned() } else { format!("{file}: {path}") }
}

/// The memory of a document.
fn held(document: &dyn Dom, bytes: &[u8]) -> u64 {
    let values = document.all().into_iter().flat_map(|id| document.value_refs(id));
    2 * bytes.len() as u64
        + values.map(|(_, value)| value.as_bytes().map_or(0, <[u8]>::len) as u64 + 64).sum::<u64>()
}

/// A property, the id of its target, and whether the document has the attribute.
pub(crate) type Link = (String, String, bool);

/// Attributes without those that Rojo gives to instances, unless they are among `own`; `None` if the result is `own`. Also
/// the targets of references.
pub(crate) fn without_links(bytes: &[u8], own: &[u8]) -> (Option<Vec<u8>>, Vec<Link>) {
    let Ok(mut all) = from_slice::<Attributes>(bytes) else { return (Some(bytes.to_vec()), Vec::new()) };
    let own = from_slice::<Attributes>(own).unwrap_or_default();
    let (mut links, mut is_changed) = (Vec::new(), false);
    all.0.retain_mut(|(name, value)| {
        let property = name.strip_prefix(TARGET.as_bytes());
        if property.is_none() && *name != ID {
            return true;
        }
        let before = own.0.iter().find(|(known, _)| known == name).map(|(_, value)| value);
        let is_old = before == Some(value);
        if let (Some(property), Attribute::Value(Value::String(id))) = (property, &*value) {
            links.push((property.to_str_lossy().into_owned(), id.to_string(), is_old));
        }
        if is_old {
            return true;
        }
        is_changed = true;
        before.is_some_and(|before| {
            value.clone_from(before);
            true
        })
    });
    if !is_changed {
        return (Some(bytes.to_vec()), links);
    }
    (all.to_vec().ok().filter(|_| own != all), links)
}

/// Whether two values are the same for a model: also as another type of the same content, and as texts in which XML
/// replaced what it cannot represent.
fn is_same(old: &Value, new: &Value) -> bool {
    let texts = || match (old.as_bytes(), new.as_bytes()) {
        (Some(old), Some(new)) => {
            old == new || new.find("\u{fffd}").is_some() && *old.to_str_lossy() == *new.to_str_lossy()
        }
        _ => false,
    };
    let is_converted = |from: &Value, to: &Value| {
        to.kind().and_then(|kind| from.converted(kind)).is_some_and(|from| from == *to)
    };
    // XML has one NaN.
    let floats = || {
        let is_alike =
            |(old, new): (&f32, &f32)| old.to_bits() == new.to_bits() || old.is_nan() && new.is_nan();
        let both = old.as_ref().floats().zip(new.as_ref().floats());
        old.kind() == new.kind()
            && both
                .is_some_and(|(old, new)| old.len() == new.len() && old.iter().zip(new.iter()).all(is_alike))
    };
    old == new || texts() || floats() || is_converted(new, old) || is_converted(old, new)
}
