//! Values as literals.

/// A value as a literal, much like JSON: `undef`, arrays, maps, and any expression that has a
/// [`From`] for [`Value`](crate::Value).
///
/// ```
/// use llsd::{llsd, Uuid, Value};
///
/// let sizes = vec![Value::Real(0.5)];
/// let value = llsd!({
///     "name": "cube",
///     "owner": Uuid::NULL,
///     "parts": [{ "sizes": sizes, "turns": 1 + 1, "left": -1 }, undef],
///     "empty": {},
/// });
/// assert_eq!(value.find("parts/0/turns"), Some(&Value::Integer(2)));
/// assert!(value["parts"][1].is_undef() && value["empty"].as_map().is_some());
/// ```
#[macro_export]
macro_rules! llsd {
    (@array [$($done:expr,)*]) => {
        $crate::Value::from(<[$crate::Value]>::into_vec(::std::boxed::Box::new([$($done,)*])))
    };
    (@array [$($done:expr,)*] undef $(, $($rest:tt)*)?) => {
        $crate::llsd!(@array [$($done,)* $crate::Value::Undef,] $($($rest)*)?)
    };
    (@array [$($done:expr,)*] [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $crate::llsd!(@array [$($done,)* $crate::llsd!([$($inner)*]),] $($($rest)*)?)
    };
    (@array [$($done:expr,)*] {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $crate::llsd!(@array [$($done,)* $crate::llsd!({$($inner)*}),] $($($rest)*)?)
    };
    (@array [$($done:expr,)*] $next:expr $(, $($rest:tt)*)?) => {
        $crate::llsd!(@array [$($done,)* $crate::Value::from($next),] $($($rest)*)?)
    };
    (@map [$($key:expr => $done:expr,)*]) => {
        $crate::Value::Map(
            <$crate::Map as ::std::iter::FromIterator<(&str, $crate::Value)>>::from_iter([$(($key, $done),)*])
        )
    };
    (@map [$($done:tt)*] $key:literal : undef $(, $($rest:tt)*)?) => {
        $crate::llsd!(@map [$($done)* $key => $crate::Value::Undef,] $($($rest)*)?)
    };
    (@map [$($done:tt)*] $key:literal : [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $crate::llsd!(@map [$($done)* $key => $crate::llsd!([$($inner)*]),] $($($rest)*)?)
    };
    (@map [$($done:tt)*] $key:literal : {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $crate::llsd!(@map [$($done)* $key => $crate::llsd!({$($inner)*}),] $($($rest)*)?)
    };
    (@map [$($done:tt)*] $key:literal : $next:expr $(, $($rest:tt)*)?) => {
        $crate::llsd!(@map [$($done)* $key => $crate::Value::from($next),] $($($rest)*)?)
    };
    (undef) => { $crate::Value::Undef };
    ([$($inner:tt)*]) => { $crate::llsd!(@array [] $($inner)*) };
    ({$($inner:tt)*}) => { $crate::llsd!(@map [] $($inner)*) };
    ($value:expr) => { $crate::Value::from($value) };
}
