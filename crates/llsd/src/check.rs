//! What LLSD demands and a reader need not refuse.

use bstr::ByteSlice;

use crate::event::Event;
use crate::finding::{Finding, Findings};
use crate::model::Value;
use crate::model::walk::Walk;
use crate::text::date;
use crate::wire::path_of;

/// The viewer reads no more containers in one another from compressed assets.
const DEEPEST: usize = 95;

/// Every rule of LLSD that the value breaks: an entry per rule, with the first place and how many
/// there are. A value in which this finds nothing means the same in all three encodings and to every
/// program that keeps the rules.
pub fn check(value: &Value) -> Vec<Finding> {
    let mut findings = Findings::default();
    let mut depth = 0;
    for (count, event) in Walk::new(value).enumerate() {
        let here = || path_of(Walk::new(value).take(count));
        match &event {
            Event::StartArray(_) | Event::StartMap(_) => {
                depth += 1;
                if depth > DEEPEST {
                    findings.warning("the viewer reads 95 containers in one another", || {
                        (here(), format!("{depth} of them"))
                    });
                }
            }
            Event::EndArray | Event::EndMap => depth -= 1,
            Event::Real(real) if !real.is_finite() => {
                findings.warning("reals are numbers: the viewer reads others from text as 0", || {
                    (here(), format!("{real}"))
                });
            }
            Event::Date(secs) if !date::write(secs.secs(), &mut Vec::new()) => {
                findings.error("a date is a point in time, or XML and notation cannot say it", || {
                    (here(), format!("{:e} seconds", secs.secs()))
                });
            }
            Event::Key(text) | Event::String(text) | Event::Uri(text) => {
                strings(text, &mut findings, here);
                if text.is_empty() && matches!(event, Event::Key(_)) {
                    findings.warning("the viewer's XML reader drops the value of an empty key", || {
                        (here(), "an empty key".into())
                    });
                }
            }
            _ => {}
        }
    }
    duplicates(value, &mut findings);
    findings.into_vec()
}

fn strings(text: &[u8], findings: &mut Findings, here: impl Fn() -> String) {
    let Ok(valid) = text.to_str() else {
        findings.warning("strings are UTF-8, or XML cannot say them", || {
            (here(), format!("{} bytes that are not", text.len()))
        });
        return;
    };
    let odd =
        |c: &char| matches!(c, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}');
    if let Some(c) = valid.chars().find(odd) {
        findings.warning("strings hold no control characters that XML does not know", || {
            (here(), format!("U+{:04X}", u32::from(c)))
        });
    }
}

/// Maps in which a key stands twice, which no reader makes.
fn duplicates(value: &Value, findings: &mut Findings) {
    let mut open = vec![value];
    while let Some(next) = open.pop() {
        match next {
            Value::Array(values) => open.extend(values.iter()),
            Value::Map(map) => {
                for (_, later) in crate::keys::repeated(&map.0).into_iter().flatten() {
                    let key = map.0.get(later).map(|(key, _)| key.clone()).unwrap_or_default();
                    findings.error("each key of a map stands there once", || {
                        (path_to(value, next), format!("{key:?} twice"))
                    });
                }
                open.extend(map.values());
            }
            _ => {}
        }
    }
}

/// The path of a map in a value.
fn path_to(value: &Value, wanted: &Value) -> String {
    // Containers are begun in the order in which a walk meets them: the number of the events before
    // the wanted one says its place.
    let mut before = 0;
    let mut stack = vec![value];
    while let Some(next) = stack.pop() {
        if std::ptr::eq(next, wanted) {
            break;
        }
        before += 1;
        let start = stack.len();
        match next {
            Value::Array(values) => stack.extend(values.iter()),
            Value::Map(map) => stack.extend(map.values()),
            _ => {}
        }
        if let Some(children) = stack.get_mut(start..) {
            children.reverse();
        }
    }
    // The same number of values, in events.
    let mut values = 0;
    let events = Walk::new(value).take_while(|event| {
        let is_value = !matches!(event, Event::Key(_) | Event::EndArray | Event::EndMap);
        values += usize::from(is_value);
        values <= before || !is_value
    });
    path_of(events)
}
