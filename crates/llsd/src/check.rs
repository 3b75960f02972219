//! Checks for the rules of LLSD that a tolerant reader does not enforce.

use bstr::ByteSlice;

use crate::model::keys::repeated;
use crate::model::{Item, Steps, Value, Walk};
use crate::text::date;
use geom::wire::{Finding, Findings, rules};

rules! {
    "llsd":
    MALFORMED = Error("malformed", "the document is well-formed (readers refuse malformed values, or replace them, for example with 0)");
    SKIPPED = Error("skipped", "the document has no content that readers skip, such as a key without a value");
    SEPARATORS = Error("separators", "in notation, one comma separates two values, since strict readers refuse other files");
    COLONS = Error("colons", "in notation, one colon separates a key from its value, since strict readers refuse other files");
    DEPTH = Warning("depth", "arrays and maps are nested at most 95 levels deep, the maximum that Second Life's viewer reads in compressed assets");
    FINITE = Warning("finite-reals", "reals are finite, since Second Life's viewer reads NaN and infinities in XML as 0 and cannot read them in notation");
    DATES = Error("dates", "dates are finite and within 4e18 seconds of 1970, since XML and notation cannot represent other dates");
    UTF8 = Warning("utf8", "strings are valid UTF-8, since XML cannot represent other bytes");
    CHARACTERS = Warning("xml-characters", "strings and keys have no characters that XML does not allow: U+FFFE, U+FFFF, and those below U+0020 except tab, line feed and carriage return");
    EMPTY_KEYS = Warning("empty-keys", "map keys are not empty, since Second Life's viewer drops values with an empty key when it reads XML");
    DUPLICATE_KEYS = Error("duplicate-keys", "the keys of a map are unique, since readers keep only one of the values with equal keys");
}

/// The viewer's limit of nested containers in compressed assets.
const MAX_DEPTH: usize = 95;

/// Checks a value: one finding per broken rule, with the paths and the number of violations. A value without
/// findings means the same in all three encodings and to every program that follows the rules.
pub fn check(value: &Value) -> Vec<Finding> {
    let mut findings = Findings::default();
    values(value, &mut findings);
    findings.into_vec()
}

/// Checks a value like [`check`], and adds to existing findings.
pub(crate) fn values(value: &Value, findings: &mut Findings) {
    let mut depth = 0;
    let (mut steps, mut last) = (Steps::default(), None);
    for item in Walk::new(value) {
        if let Some(last) = last.replace(item) {
            steps.follow(last.into());
        }
        let mut add = |rule, found: &dyn Fn() -> String| findings.add(rule, || (steps.path(), found()));
        if let Item::Value(Value::Array(_) | Value::Map(_)) = item {
            depth += 1;
            if depth > MAX_DEPTH {
                add(DEPTH, &|| format!("found {depth} levels"));
            }
        }
        let text = match item {
            Item::EndArray | Item::EndMap => {
                depth -= 1;
                continue;
            }
            Item::Key(key) => {
                if key.is_empty() {
                    add(EMPTY_KEYS, &|| "found an empty key".into());
                }
                key
            }
            Item::Value(Value::String(text)) => text,
            Item::Value(Value::Uri(uri)) => &uri.0,
            Item::Value(Value::Map(map)) => {
                let repeated = repeated(&map.0);
                for (_, later) in repeated {
                    let key = map.0.get(later).map(|(key, _)| key.clone()).unwrap_or_default();
                    add(DUPLICATE_KEYS, &|| format!("duplicate key {key:?}"));
                }
                continue;
            }
            Item::Value(Value::Real(real)) => {
                if !real.is_finite() {
                    add(FINITE, &|| format!("found {real}"));
                }
                continue;
            }
            Item::Value(Value::Date(date)) => {
                if !date::write(date.secs(), &mut Vec::new()) {
                    add(DATES, &|| format!("found {date} from 1970"));
                }
                continue;
            }
            Item::Value(_) => continue,
        };
        // The path of a key is that of its map.
        let of_key = |word: &str| match item {
            Item::Key(key) => format!(" {word} the key {key:?}"),
            _ => String::new(),
        };
        let valid = match text.to_str() {
            Ok(valid) => valid,
            Err(error) => {
                add(UTF8, &|| format!("invalid UTF-8 at byte {}{}", error.valid_up_to(), of_key("of")));
                continue;
            }
        };
        if let Some(c) = valid.chars().find(|&c| is_control(c)) {
            add(CHARACTERS, &|| format!("found the character U+{:04X}{}", u32::from(c), of_key("in")));
        }
    }
}

/// Whether XML does not allow a character.
fn is_control(c: char) -> bool {
    matches!(c, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}')
}
