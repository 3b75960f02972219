//! Reads the settings of animations that are in their extras.

use rezkit_core::Loss;
use rezkit_core::plain::shorten;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

/// A setting of the extras of the animation at `path`, with what is expected of its JSON; one that cannot be used is
/// listed. Extras can be those of a file, not only those that options set.
pub(super) fn setting<T: DeserializeOwned, E: ToString>(
    value: Option<&Json>,
    (name, expected): (&str, &str),
    check: impl Fn(&T) -> Result<(), E>,
    path: &str,
    losses: &mut Vec<Loss>,
) -> Option<T> {
    let value = value.filter(|value| !value.is_null())?;
    let wrong = |_| format!("expected {expected}, found {}", shorten(&value.to_string(), 60));
    let made = T::deserialize(value).map_err(wrong);
    let made = made.and_then(|made| check(&made).map(|()| made).map_err(|error| error.to_string()));
    let list = |why: &String| {
        losses.push(
            Loss::new(path, format!("the {name} in the extras of the animation: {why}"))
                .id("animation.settings"),
        );
    };
    made.inspect_err(list).ok()
}

/// Any value can be used.
pub(super) fn any<T>(_: &T) -> Result<(), &'static str> {
    Ok(())
}
