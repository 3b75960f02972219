//! The numbers: a file in the shape of `AvatarCreationService:GetValidationRules()`.

use geom::Vec3;
use rezkit_core::{Error, Result};
use serde_json::{Map, Value};

/// The numbers of the rules. Unknown keys of a file are kept; missing ones have the built-in value.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    all: Value,
    filled: Vec<String>,
}

const BUILT_IN: &str = include_str!("numbers.json");

impl Default for Numbers {
    fn default() -> Self {
        Self { all: built_in(), filled: Vec::new() }
    }
}

fn built_in() -> Value {
    serde_json::from_str(BUILT_IN).unwrap_or_default()
}

impl Numbers {
    /// Reads a rules file: the table that `AvatarCreationService:GetValidationRules()` returns, as JSON. Keys may be
    /// enum items with their whole name (`Enum.AssetType.Hat`); vectors are lists of three numbers, objects with X, Y
    /// and Z, or texts such as `3, 4, 3`.
    ///
    /// # Errors
    /// [`Unreadable`](rezkit_core::ErrorKind::Unreadable) if it is not JSON, not an object, or if a known key has a
    /// value of another type.
    pub fn from_json(bytes: &[u8]) -> Result<Self> {
        let given: Value = serde_json::from_slice(rezkit_core::plain::unmarked(bytes))
            .map_err(|error| Error::unreadable(format!("the rules are not JSON: {error}")))?;
        if !given.is_object() {
            return Err(Error::unreadable("the rules are not a JSON object"));
        }
        let mut all = tidied(given);
        let mut filled = Vec::new();
        fill(&mut all, &built_in(), "", &mut filled)?;
        Ok(Self { all, filled })
    }

    /// The keys that the file lacks, whose built-in values are used.
    pub fn filled(&self) -> &[String] {
        &self.filled
    }

    /// All numbers as JSON, with the unknown keys of the file.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(&self.all).unwrap_or_default() + "\n"
    }

    /// The value at a path of keys.
    pub fn get(&self, path: &[&str]) -> Option<&Value> {
        path.iter().try_fold(&self.all, |value, key| value.get(key))
    }

    pub(crate) fn number(&self, path: &[&str]) -> f64 {
        self.get(path).and_then(Value::as_f64).unwrap_or(f64::INFINITY)
    }

    pub(crate) fn other(&self, key: &str) -> f64 {
        self.number(&["OtherRules", key])
    }

    pub(crate) fn emote(&self, key: &str) -> f64 {
        self.number(&["OtherRules", "Emotes", key])
    }

    pub(crate) fn texts(&self, path: &[&str]) -> Vec<&str> {
        self.get(path).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    }

    pub(crate) fn object<'n>(
        &'n self,
        path: &[&str],
    ) -> impl Iterator<Item = (&'n str, &'n Value)> + use<'n> {
        let object = self.get(path).and_then(Value::as_object);
        object.into_iter().flatten().map(|(key, value)| (key.as_str(), value))
    }

    pub(crate) fn list<'n>(&'n self, path: &[&str]) -> impl Iterator<Item = &'n Value> + use<'n> {
        self.get(path).and_then(Value::as_array).into_iter().flatten()
    }
}

/// A vector in any of the forms that JSON of Roblox has.
pub(crate) fn vector(value: &Value) -> Option<Vec3> {
    let three = |numbers: Vec<f64>| match numbers[..] {
        #[allow(clippy::cast_possible_truncation, reason = "sizes in studs")]
        [x, y, z] => Some(Vec3::new(x as f32, y as f32, z as f32)),
        _ => None,
    };
    match value {
        Value::Array(list) => three(list.iter().filter_map(Value::as_f64).collect()),
        Value::Object(fields) => {
            let field = |upper: &str, lower: &str| fields.get(upper).or_else(|| fields.get(lower))?.as_f64();
            three([("X", "x"), ("Y", "y"), ("Z", "z")].into_iter().filter_map(|(u, l)| field(u, l)).collect())
        }
        Value::String(text) => three(text.split(',').filter_map(|part| part.trim().parse().ok()).collect()),
        _ => None,
    }
}

/// The same with short keys: `Hat` for `Enum.AssetType.Hat`.
fn tidied(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let short = |key: String| match key.strip_prefix("Enum.") {
                Some(rest) => rest.rsplit('.').next().unwrap_or(rest).to_owned(),
                None => key,
            };
            Value::Object(
                fields.into_iter().map(|(key, value)| (short(key), tidied(value))).collect::<Map<_, _>>(),
            )
        }
        Value::Array(list) => Value::Array(list.into_iter().map(tidied).collect()),
        value => value,
    }
}

/// Adds the built-in values of missing keys, and refuses values of another type.
fn fill(given: &mut Value, known: &Value, path: &str, filled: &mut Vec<String>) -> Result<()> {
    // Entries with names, such as the attachments of a type.
    if let (Value::Array(given), Value::Array(known)) = (&mut *given, known) {
        for known in known {
            let Some(name) = known.get("Name").and_then(Value::as_str) else { continue };
            for found in
                given.iter_mut().filter(|found| found.get("Name").and_then(Value::as_str) == Some(name))
            {
                fill(found, known, &format!("{path}.{name}"), filled)?;
            }
        }
        return Ok(());
    }
    let Value::Object(known) = known else { return Ok(()) };
    let Value::Object(given) = given else {
        return Err(Error::unreadable(format!("{path}: expected an object")).at(path));
    };
    for (key, known) in known {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match given.get_mut(key) {
            // What JSON cannot represent, such as a vector, is null in JSON of Roblox.
            None | Some(Value::Null) => {
                filled.push(path);
                given.insert(key.clone(), known.clone());
            }
            // The day of the file's numbers is not that of ours.
            Some(_) if key == "Date" => {}
            Some(found) => {
                let fits = match known {
                    Value::Object(_) => found.is_object(),
                    Value::Number(_) => found.as_f64().is_some(),
                    Value::Bool(_) => found.is_boolean(),
                    Value::Array(list) if list.len() == 3 && list.iter().all(Value::is_number) => {
                        vector(found).is_some()
                    }
                    Value::Array(_) => found.is_array(),
                    _ => true,
                };
                // A table of Luau without entries is an empty list in JSON.
                if !fits && found.as_array().is_some_and(Vec::is_empty) && known.is_object() {
                    *found = Value::Object(Map::new());
                } else if !fits {
                    return Err(Error::unreadable(format!(
                        "{path}: the value has another type than expected"
                    )));
                }
                fill(found, known, &path, filled)?;
            }
        }
    }
    Ok(())
}
