//! Unit tests for the types of the model.

use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use llsd::{Array, Binary, Date, Event, Map, ReadOptions, Scalar, Text, Uri, Uuid, Value};

const UUID: &str = "01020304-0506-0708-090a-0b0c0d0e0f10";

fn uuid() -> Uuid {
    Uuid([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])
}

/// The same results as the viewer's `asString`, `asUUID`, `asDate`, `asURI` and `asBinary`.
#[test]
fn conversions_of_each_type() {
    let date = Date(1_199_218_231.0);
    let (text, address) = (Value::from("a"), Value::from(Uri::from("b")));
    for (value, shown) in [
        (text.clone(), "a"),
        (address.clone(), "b"),
        (true.into(), "true"),
        (false.into(), ""),
        (7.into(), "7"),
        (uuid().into(), UUID),
        (date.into(), "2008-01-01T20:10:31Z"),
        (Value::Undef, ""),
    ] {
        assert_eq!(&*value.to_text(), shown, "{value}");
    }
    let read = [Value::from(0.0), 2.5.into(), f64::NAN.into()].map(|value| value.to_boolean());
    assert_eq!(read, [false, true, false]);
    assert_eq!(Value::from(-7).to_integer(), -7);
    assert_eq!((Value::from(uuid()).to_uuid(), text.to_uuid()), (uuid(), Uuid::NULL));
    assert_eq!((Value::from(date).to_date(), Value::from("2008-01-01T20:10:31Z").to_date()), (date, date));
    assert_eq!((&*text.to_uri(), &*address.to_uri()), ("a".into(), "b".into()));
    assert_eq!(&*Value::from(1).to_uri(), "");
    assert_eq!((Value::from(b"xy").to_binary(), text.to_binary()), (b"xy".as_slice(), b"".as_slice()));
}

#[test]
fn values_from_what_rust_has() {
    assert_eq!(Value::from(Some(5)), Value::Integer(5));
    assert_eq!(Value::from(None::<i32>), Value::Undef);
    let values: Value = [1, 2].into_iter().collect();
    assert_eq!(values, Value::from(vec![Value::Integer(1), Value::Integer(2)]));
}

#[test]
fn scalars() {
    assert!(Uuid::NULL.is_null() && !uuid().is_null());
    assert_eq!(Uuid::from(uuid().0), uuid());
    assert_eq!((Date::from_secs(2.5), Date::from_secs(2.5).secs()), (Date(2.5), 2.5));
    for (secs, time) in [
        (0.0, UNIX_EPOCH),
        (1.5, UNIX_EPOCH + Duration::from_millis(1_500)),
        (-1.5, UNIX_EPOCH - Duration::from_millis(1_500)),
    ] {
        assert_eq!(Date::from(time), Date(secs));
        assert_eq!(SystemTime::try_from(Date(secs)).unwrap(), time);
    }
    let uri = Uri::from("http://a");
    assert_eq!((uri.as_str(), uri.to_string()), (Some("http://a"), "http://a".into()));
    let mut binary = Binary::from(vec![1, 2]);
    binary.push(3);
    assert_eq!((binary.as_ref(), format!("{binary:?}")), ([1, 2, 3].as_slice(), "3 bytes: 01 02 03".into()));
    assert!(!format!("{:?}", Binary(vec![0; 16])).ends_with('…'));
    assert!(format!("{:?}", Binary(vec![0; 17])).ends_with("00 …"));
}

/// Texts of up to 22 bytes are stored in place, longer ones on the heap; both behave the same.
#[test]
fn texts_of_any_length() {
    for len in [0, 1, 8, 21, 22, 23, 100] {
        let bytes: Vec<u8> = (b'a'..=b'z').cycle().take(len).collect();
        let text = Text::from(bytes.as_slice());
        assert!(text == Text::from(bytes.clone()) && text == *bytes);
        assert_eq!((text.as_ref(), text.clone().into_vec()), (bytes.as_slice(), bytes.clone()));
        let borrowed: &[u8] = text.borrow();
        assert_eq!(borrowed, bytes);
        assert_eq!(text.to_string().as_bytes(), bytes);
        let map = HashMap::from([(text.clone(), len), (Text::from("other"), 0)]);
        assert_eq!(map.get(bytes.as_slice()), Some(&len));
        assert!(text < Text::from([bytes, vec![0]].concat()));
    }
}

/// A hash that does not depend on the text would make maps of texts as slow as lists.
#[test]
fn texts_have_hashes() {
    use std::hash::{BuildHasher, RandomState};
    let state = RandomState::new();
    let hashes: HashSet<u64> = (0..100).map(|n| state.hash_one(Text::from(format!("{n}")))).collect();
    assert!(hashes.len() > 90);
    assert_eq!(state.hash_one(Text::from("a")), state.hash_one(b"a".as_slice()));
}

#[test]
fn arrays_and_maps() {
    let (one, two) = (Value::from(1), Value::from(2));
    let array = Array::from(vec![one.clone(), two.clone()]);
    assert_eq!(array.clone().into_vec(), [one.clone(), two.clone()]);
    assert_eq!(array.clone().into_iter().collect::<Vec<_>>(), [one.clone(), two.clone()]);
    assert!(array.clone() == array && array != Array::new());
    assert!(array != Array::from(vec![one.clone()]) && array != Array::from(vec![two.clone(), one.clone()]));
    let mut map = Map::with_capacity(2);
    assert!(map.is_empty());
    assert_eq!((map.insert("a", 1), map.insert("b", 2), map.insert("a", 3)), (None, None, Some(one.clone())));
    assert!(!map.is_empty() && map.get("a") == Some(&3.into()));
    let entries = vec![(Text::from("a"), Value::from(3)), ("b".into(), two.clone())];
    assert_eq!(map.clone().into_vec(), entries);
    assert_eq!(map.clone().into_iter().collect::<Vec<_>>(), entries);
    assert_eq!((&map).into_iter().cloned().collect::<Vec<_>>(), entries);
    // The order does not matter, but each key and each value does.
    assert!(map.clone() == map && map == Map::from([("b", 2), ("a", 3)]));
    for other in [Map::new(), Map::from([("a", 3), ("b", 1)]), Map::from([("a", 3), ("c", 2)])] {
        assert_eq!((map == other, other == map), (false, false));
        assert_ne!(Value::from(other), Value::from(map.clone()));
    }
    let mut twice = Map::from([("a", 3)]);
    twice.push("a", 2);
    assert_eq!((twice == map, map == twice), (false, false));
}

#[test]
fn equal_and_identical() {
    let other_nan = f64::from_bits(f64::NAN.to_bits() ^ 1);
    let [nan, other, one, two] = [f64::NAN, other_nan, 1.0, 2.0].map(Value::from);
    assert!(nan == nan.clone() && nan != other && nan.identical(&nan));
    assert_eq!((nan == one, one == nan), (false, false));
    assert!(one != two && one == one.clone());
    let [ab, ba] =
        [[("a", 1), ("b", 2)], [("b", 2), ("a", 1)]].map(|entries| Value::from(Map::from(entries)));
    assert!(ab == ba && !ab.identical(&ba) && ab.identical(&ab.clone()));
}

#[test]
fn values_to_be_changed() {
    let mut value = llsd::from_str("{'a':[i1,i2],'a[':{'/b':i3},'a[1]x':i4}").unwrap();
    *value.get_mut("a[1]x").unwrap() = 5.into();
    *value.find_mut("a/1").unwrap() = 6.into();
    assert_eq!(value, llsd::from_str("{'a':[i1,i6],'a[':{'/b':i3},'a[1]x':i5}").unwrap());
    assert!(
        value.get_mut("b").is_none() && value.find_mut("a/2").is_none() && value.find_mut("a/1/0").is_none()
    );
    // A bracket that does not begin an index is part of the name.
    assert_eq!(value.find(r"a[/\/b"), Some(&3.into()));
    assert_eq!(value.find("a[1]x"), Some(&5.into()));
    let mut new = Value::Undef;
    assert!(new.set("[1]", 1).is_err());
    assert_eq!(new.set("[0]", 1).unwrap(), None);
    assert_eq!(new, Value::from([1]));
}

#[test]
fn a_value_as_events() {
    let value = llsd::read_notation(b"[{'a':i1},!]").unwrap();
    let events: Vec<Event<'_>> = value.events().collect();
    let expected = [
        Event::StartArray(Some(2)),
        Event::StartMap(Some(1)),
        Event::Key(bstr::BStr::new("a").into()),
        Scalar::Integer(1).into(),
        Event::EndMap,
        Scalar::Undef.into(),
        Event::EndArray,
    ];
    assert_eq!(events, expected);
}

/// Too deep for a recursive drop, copy or comparison.
#[test]
fn deep_maps_are_dropped() {
    let mut value = Value::Undef;
    for _ in 0..200_000 {
        value = Map::from([("a", value)]).into();
    }
    let copy = value.clone();
    assert!(copy == value);
}

#[cfg(feature = "serde")]
#[test]
fn every_type_through_serde() {
    let date = Date(1_199_218_231.0);
    let values: [Value; 10] = [
        Value::Undef,
        true.into(),
        7.into(),
        2.5.into(),
        uuid().into(),
        "a".into(),
        date.into(),
        Uri::from("b").into(),
        b"xy".into(),
        Value::from([1]),
    ];
    for value in values {
        let map = Value::from(Map::from([("a", value.clone())]));
        for bytes in [llsd::write_binary(&map), llsd::write_xml(&map), llsd::write_notation(&map)] {
            let options = ReadOptions::new();
            let bytes = bytes.unwrap();
            let options = match bytes[0] {
                b'{' if bytes[1] == 0 => options.encoding(llsd::Encoding::Binary),
                _ => options,
            };
            let read: Value = llsd::de::from_slice_with(&bytes, &options).unwrap();
            assert!(read.identical(&map), "{value}");
        }
    }
    assert_eq!(serde_json::from_str::<Array>("[1]").unwrap(), Array::from(vec![1.into()]));
    assert!(serde_json::from_str::<Array>("{}").is_err());
    for (error, expected) in [
        (serde_json::from_str::<Binary>("true").unwrap_err(), "expected bytes"),
        (serde_json::from_str::<Text>("true").unwrap_err(), "expected a string"),
        (serde_json::from_str::<Uuid>("true").unwrap_err(), "expected a UUID"),
        (serde_json::from_str::<Date>("true").unwrap_err(), "expected a date"),
    ] {
        assert!(error.to_string().contains(expected), "{error}");
    }
}
