//! Random values: each is written and read back identical to the bit, in every encoding that can represent it.

use llsd::{
    Binary, Controls, Date, Document, Encoding, Map, ReadOptions, Text, Uri, Uuid, Value, WriteOptions,
};
use proptest::prelude::*;

/// Text that XML can represent.
fn text() -> impl Strategy<Value = Text> {
    prop_oneof![
        "[ -~]{0,30}".prop_map(Text::from),
        "[\t\n\r <>&'\"\\\\\\]é小𝄞\u{fffd}\u{85}]{0,12}".prop_map(Text::from),
    ]
}

fn finite() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |real| real.is_finite())
}

fn real() -> impl Strategy<Value = f64> {
    prop_oneof![
        finite(),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(f64::NAN),
        Just(-f64::NAN),
        Just(-0.0),
        any::<i32>().prop_map(f64::from),
        any::<i32>().prop_map(|n| f64::from(n) / 100.0),
    ]
}

fn date() -> impl Strategy<Value = Date> {
    prop_oneof![
        finite().prop_filter("near", |secs| secs.abs() < 4e18).prop_map(Date),
        (-1e11..1e11_f64).prop_map(Date),
        any::<i32>().prop_map(|n| Date(f64::from(n) / 100.0)),
        Just(Date(-0.0)),
        // The first and the last second of years with four digits.
        Just(Date(-62_167_219_200.0)),
        Just(Date(253_402_300_799.0)),
    ]
}

fn value(key: impl Strategy<Value = Text> + Clone + 'static) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Undef),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        real().prop_map(Value::from),
        any::<[u8; 16]>().prop_map(|bytes| Uuid(bytes).into()),
        Just(Uuid::NULL.into()),
        key.clone().prop_map(Value::from),
        date().prop_map(Value::from),
        key.clone().prop_map(|text| Uri(text).into()),
        prop::collection::vec(any::<u8>(), 0..40).prop_map(|bytes| Binary(bytes).into()),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..6)
                .prop_map(|all| all.into_iter().collect::<Map>().into()),
        ]
    })
}

fn any_bytes() -> impl Strategy<Value = Text> + Clone {
    prop::collection::vec(any::<u8>(), 0..30).prop_map(Text::from)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn every_encoding_gives_the_same_bits(value in value(text().boxed()), indent: bool, words: bool) {
        for &encoding in Encoding::ALL {
            let bytes = WriteOptions::new().encoding(encoding).indent(indent).words(words).write(&value).unwrap();
            for strict in [false, true] {
                let (again, used) = ReadOptions::new().strict(strict).read_used(&bytes).unwrap();
                prop_assert!(again.identical(&value), "{encoding}: {again} is not {value}");
                prop_assert!(bytes[used..].trim_ascii().is_empty());
            }
        }
        let display = value.to_string();
        prop_assert!(llsd::read_notation(display.as_bytes()).unwrap().identical(&value), "{display}");
        let display = format!("{value:#}");
        prop_assert!(llsd::read_notation(display.as_bytes()).unwrap().identical(&value), "{display}");
    }

    #[test]
    fn binary_and_notation_hold_any_bytes(value in value(any_bytes().boxed())) {
        for encoding in [Encoding::Binary, Encoding::Notation] {
            let bytes = WriteOptions::new().encoding(encoding).write(&value).unwrap();
            prop_assert!(llsd::from_slice(&bytes).unwrap().identical(&value));
            prop_assert!(Document::from_slice(&bytes).unwrap().to_vec().unwrap() == bytes);
        }
        // XML refuses control characters, or drops them, which must still give valid XML.
        let xml = WriteOptions::new().encoding(Encoding::Xml);
        if let Ok(bytes) = xml.write(&value) {
            prop_assert!(llsd::from_slice(&bytes).unwrap().identical(&value));
        }
        let bytes = xml.controls(Controls::Drop).write(&value).unwrap();
        // Without them, keys can become equal, which even a strict reader accepts.
        prop_assert!(ReadOptions::new().strict(true).read(&bytes).is_ok());
    }

    #[test]
    fn edits_change_what_they_name(
        value in value(text().boxed()),
        new in value(text().boxed()),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8), 1..5),
        indent: bool,
    ) {
        for &encoding in Encoding::ALL {
            let bytes = WriteOptions::new().encoding(encoding).indent(indent).write(&value).unwrap();
            let read = |bytes: &[u8]| ReadOptions::new().encoding(encoding).read_document(bytes).unwrap();
            let mut document = read(&bytes);
            let mut plain = value.clone();
            for (index, edit) in &edits {
                let before = document.to_vec().unwrap();
                let spans = document.spans().unwrap();
                let (path, span) = index.get(&spans);
                let inner = format!("{path}/0");
                match edit {
                    0 | 1 => {
                        document.set(path, new.clone()).unwrap();
                        plain.set(path, new.clone()).unwrap();
                        // The bytes before and after a value stay if it is set.
                        let after = document.to_vec().unwrap();
                        prop_assert!(after.starts_with(&before[..span.start]));
                        prop_assert!(after.ends_with(&before[span.end..]));
                    }
                    2 => prop_assert_eq!(document.remove(path), plain.remove(path)),
                    _ => {
                        let inserted = document.insert(&inner, new.clone());
                        prop_assert_eq!(inserted.is_ok(), plain.insert(&inner, new.clone()).is_ok());
                        if inserted.is_ok() {
                            // If an entry is inserted into an unchanged file and removed again, the file is as before,
                            // unless the container was empty.
                            let mut alone = read(&before);
                            alone.insert(&inner, new.clone()).unwrap();
                            let mut again = read(&alone.to_vec().unwrap());
                            again.remove(&inner).unwrap();
                            let after = again.to_vec().unwrap();
                            let was_empty = again.find(path).unwrap().is_empty();
                            prop_assert!(was_empty || after == before);
                        }
                    }
                }
                let written = document.to_vec().unwrap();
                prop_assert!(document.value.identical(&plain));
                prop_assert!(read(&written).value.identical(&plain), "{}", written.escape_ascii());
            }
        }
    }

    #[test]
    fn text_that_is_anything_is_an_answer_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for &encoding in Encoding::ALL {
            let _ = ReadOptions::new().encoding(encoding).read(&bytes);
        }
    }

    #[test]
    fn dates_are_days_of_the_calendar(days in -4_000_000_i64..4_000_000) {
        // Dates of consecutive days have different texts, in the same order.
        let text = |days: i64| Date(days as f64 * 86_400.0).to_string();
        let (today, tomorrow) = (text(days), text(days + 1));
        prop_assert_ne!(&today, &tomorrow);
        prop_assert_eq!(today.parse::<Date>().unwrap().secs(), days as f64 * 86_400.0);
    }
}
