//! Tests of private items; the source file that they test includes this file as a module.

use std::cell::Cell;

use serde::Serializer;

use super::*;
use crate::tree;

/// A number that counts how often it is serialized.
struct Counted<'a>(u32, &'a Cell<usize>);

impl Serialize for Counted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.1.set(self.1.get() + 1);
        (self.0, f64::NAN).serialize(serializer)
    }
}

#[derive(Serialize)]
enum Choice {
    Unit,
    New(u8),
    Pair(u16, String),
    Fields { x: f32 },
}

#[derive(Serialize)]
struct Large<'a> {
    first: Vec<Counted<'a>>,
    bytes: Vec<u8>,
    choices: Vec<Choice>,
    last: Option<Vec<Counted<'a>>>,
}

fn large(count: u32, looks: &Cell<usize>) -> Large<'_> {
    let numbers = || (0..count).map(|number| Counted(number, looks)).collect();
    let choices = vec![Choice::Unit, Choice::New(7), Choice::Pair(8, "a".into()), Choice::Fields { x: 9.0 }];
    Large { first: numbers(), bytes: vec![1; count as usize], choices, last: Some(numbers()) }
}

/// To find a path in a million values, only a few of them are read.
#[test]
fn a_path_touches_only_what_is_on_it() {
    let looks = Cell::new(0);
    let model = large(1_000_000, &looks);
    let root = root("model", &model, 1 << 30);
    assert!(looks.get() <= WHOLE, "{}", looks.get());
    looks.set(0);
    let get = |path: &str| tree::get(&*root, path, &mut rezkit_core::Budget::new(1 << 20));
    let text = |path: &str| get(path).expect("there").summary(80);
    assert_eq!(text("first/765432"), "[765432, NaN]");
    assert_eq!(text("last/999999"), "[999999, NaN]");
    assert_eq!(text("choices/2/Pair.1"), "\"a\"");
    assert_eq!(text("choices/3/Fields.x"), "9");
    assert_eq!(text("choices/1"), "{New: 7}");
    assert!(get("first/1000000").is_err() && get("first/01").is_err());
    let error = get("").expect_err("all of it takes more than may be used");
    assert_eq!(error.kind(), rezkit_core::ErrorKind::Limit);
    // Each large value on the path is read only at its beginning.
    assert!(looks.get() <= 8 * WHOLE, "{}", looks.get());
    let Some(Value { data: tree::Data::Bytes(bytes), .. }) =
        root.children().find(|child| child.name() == "bytes").and_then(|child| child.value())
    else {
        panic!("bytes");
    };
    assert_eq!(*bytes, model.bytes);
}

/// Reading the first children does not read the others, and a walk over all children reads each once.
#[test]
fn a_walk_makes_a_window_at_a_time() {
    let looks = Cell::new(0);
    let model = large(300_000, &looks);
    let root = root("model", &model, 1 << 30);
    looks.set(0);
    let first = root.children().next().expect("a field");
    assert_eq!((first.kind().as_ref(), first.count()), ("300000 values", 300_000));
    assert_eq!(first.children().take(100).count(), 100);
    assert!(looks.get() <= 3 * WHOLE, "{}", looks.get());
    looks.set(0);
    let texts = first.children().map(|child| child.value().map(|value| value.summary(20)));
    assert!(texts.enumerate().all(|(index, text)| text == Some(format!("[{index}, NaN]"))));
    assert_eq!(looks.get(), 300_000);
}

#[test]
fn differences_are_found_in_what_is_too_large_to_keep() {
    let looks = Cell::new(0);
    let (old, mut new) = (large(50_000, &looks), large(50_000, &looks));
    let mut changes = Vec::new();
    let budget = &mut rezkit_core::Budget::new(1 << 30);
    tree::diff(&*root("model", &old, 1 << 30), &*root("model", &new, 1 << 30), budget, &mut |change| {
        changes.push(change)
    })
    .expect("shallow");
    assert_eq!(changes, []);
    new.first[40_000].0 = 1;
    new.bytes[7] = 2;
    new.last = None;
    let budget = &mut rezkit_core::Budget::new(1 << 30);
    tree::diff(&*root("model", &old, 1 << 30), &*root("model", &new, 1 << 30), budget, &mut |change| {
        changes.push(change)
    })
    .expect("shallow");
    let paths: Vec<_> = changes.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(paths, ["first/40000", "bytes", "last", "last"]);
}
