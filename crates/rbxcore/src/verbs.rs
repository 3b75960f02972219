//! Reading and setting a property by any name.

use crate::dom::Dom;
use crate::edit::{EditOptions, Filled};
use crate::id::InstanceId;
use crate::value::{Value, ValueRef};
use geom::wire::Result;

#[cfg(feature = "classes")]
use {
    crate::{classes, property},
    bstr::ByteSlice as _,
    geom::wire::{ErrorKind, Problem},
};

impl dyn Dom {
    /// The value of a property, by its stored name; `None` if the instance does not have it, or if its type is not known.
    ///
    /// With the feature `classes`, it is also found by the names that scripts and old files use (`Size`, `Pitch`), in an
    /// older or a newer form (`FontSize` as `TextSize`), and as a part of another property or of the tree: `Position`,
    /// `Orientation` and `Rotation` (in degrees) of a `CFrame`, `CFrame.X`, `Size.Y`, `Color.R`, `Parent`, `ClassName`.
    /// [`property`](#method.property) also has defaults.
    pub fn get(&self, id: InstanceId, property: impl AsRef<[u8]>) -> Option<ValueRef<'_>> {
        let stored = self.value_ref(id, property.as_ref());
        #[cfg(feature = "classes")]
        let stored = stored.or_else(|| property::other(self, id, property.as_ref()));
        stored
    }

    /// The effective value of a property: as [`get`](#method.get), or else the default of the class; and where it comes
    /// from.
    #[cfg(feature = "classes")]
    #[cfg_attr(docsrs, doc(cfg(feature = "classes")))]
    pub fn property(&self, id: InstanceId, property: impl AsRef<[u8]>) -> Option<property::Found> {
        property::found(self, id, property.as_ref())
    }

    /// Sets the value of a property.
    ///
    /// A value of another type is converted: between kinds of strings; between numbers if nothing is lost, or from an
    /// `f64` to the nearest `f32`; from a `Color3` to the nearest bytes. With the feature `classes`, a property is also
    /// found by all names that [`get`](#method.get) knows, a string can be the name of an enum item or a `BrickColor`, and
    /// if the instance stores the property that has replaced this one, as `Color3uint8` has replaced `BrickColor`, that one
    /// gets the value. Setting the value that a property has changes no byte.
    ///
    /// In XML, an instance that lacks the property gets it; a name that looks like a misspelling is refused. There, a new
    /// property has the type that Studio writes: an `int` for a `BrickColor`, a `BinaryString` for a string of bytes, such
    /// as `Tags`, and for one that XML cannot represent as text. In a binary document, all instances of a class have the
    /// same properties: with the feature `classes`, the others get the default of the class, and the result lists them.
    /// [`EditOptions::set`] refuses that, as does this method if the default is not known (`add_property` adds any
    /// property to all instances of a class).
    ///
    /// # Errors
    /// `InvalidArgument` if the instance does not exist, or cannot have the property (the error names the closest
    /// one), if the property's type cannot represent the value, and if the name of a new property is empty.
    pub fn set(
        &mut self,
        id: InstanceId,
        property: impl AsRef<[u8]>,
        value: impl Into<Value>,
    ) -> Result<Vec<Filled>> {
        let (property, value) = (property.as_ref(), value.into());
        #[cfg(feature = "classes")]
        if self.value_ref(id, property).is_none() {
            if let Some(done) = property::set(self, id, property, &value) {
                return done;
            }
            let refused = match EditOptions::new().set(self, id, property, value.clone()) {
                Err(error) if matches!(error.kind(), ErrorKind::InvalidArgument(Problem::NotStored(_))) => {
                    error
                }
                done => return done.map(|()| Vec::new()),
            };
            return self.set_and_fill(id, property, value).unwrap_or(Err(refused));
        }
        // An older form has no effect beside the one that has replaced it, which gets the same value.
        #[cfg(feature = "classes")]
        if let Some(newer) = self.turned(id, property, &value) {
            let newer = newer?;
            EditOptions::new().set(self, id, property, value)?;
            newer.into_iter().try_for_each(|(name, value)| self.set_value(id, name.as_bytes(), value))?;
            return Ok(Vec::new());
        }
        EditOptions::new().set(self, id, property, value).map(|()| Vec::new())
    }

    /// Sets a property that no instance of the class stores yet; the others get its default. `None` if that is not known.
    #[cfg(feature = "classes")]
    fn set_and_fill(&mut self, id: InstanceId, property: &[u8], value: Value) -> Option<Result<Vec<Filled>>> {
        let class = self.class(id)?.to_owned();
        let of = classes::class(&class)?;
        let known = of.property(property)?;
        let named = match classes::named(&class, property, value.as_ref(), Some(known.kind())) {
            Ok(named) => named.unwrap_or(value),
            Err(_) => return None,
        };
        // What replaced the property is stored instead of it.
        let newer = known.replaced_by().map(|name| {
            let new = of.property(name)?;
            let old = named.converted(known.kind())?;
            Some((new, classes::turn(known.kind(), new.kind())?(old.as_ref())?))
        });
        let newer: Option<Vec<_>> = newer.collect();
        let new = newer.filter(|newer| !newer.is_empty()).unwrap_or_else(|| vec![(known, named)]);
        let others = self.of_class(&class).count().saturating_sub(1);
        let mut filled = Vec::new();
        for (of, value) in new {
            let name = of.name();
            if self.value_ref(id, name.as_bytes()).is_none() {
                // Without others, nothing is filled in.
                let default =
                    of.default().or_else(|| (others == 0).then(|| value.converted(of.kind())).flatten())?;
                // Those that store an older form keep its value.
                let older = self.stored_older(id, of).is_some().then(|| self.of_class(&class).collect());
                let older: Vec<InstanceId> = older.unwrap_or_default();
                let older =
                    older.into_iter().filter_map(|other| Some((other, self.get(other, name)?.to_value())));
                let older: Vec<_> = older.collect();
                if let Err(error) = self.add_to_class(&class, name.as_bytes(), default.clone()) {
                    return Some(Err(error));
                }
                for (other, value) in older {
                    // The value is one of the type of the property, which the column just got.
                    if let Err(error) = self.set_value(other, name.as_bytes(), value) {
                        return Some(self.remove_from_class(&class, &[name.as_bytes()]).and(Err(error)));
                    }
                }
                let property = name.into();
                filled.push(Filled { class: class.clone(), property, instances: others, value: default });
            }
            if let Err(error) = self.set_value(id, name.as_bytes(), value) {
                // A failing edit leaves the document unchanged.
                let added: Vec<&[u8]> = filled.iter().map(|of| of.property.as_bytes()).collect();
                return Some(self.remove_from_class(&class, &added).and(Err(error)));
            }
        }
        filled.retain(|of| of.instances > 0);
        Some(Ok(filled))
    }
}
