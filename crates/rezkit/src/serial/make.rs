//! Creates values from a model, up to a maximum number.

use super::any::{Any, SHORT};
use super::visitor::{Model, Name, See};

/// The number of bytes of a text that count as one value.
const VALUE: usize = 64;
/// Creates a value and its children until no values are left.
struct Make<'a> {
    left: &'a mut usize,
    made: Any,
    /// The number of children of the value.
    count: usize,
    /// Whether something was left out.
    cut: bool,
}

/// A model as a value that consists of at most `max` values, whether it is complete, and the number of created values.
pub(crate) fn make(model: &dyn Model, max: usize) -> (Any, bool, usize) {
    let mut left = max;
    let mut make = Make { left: &mut left, made: Any::Nothing, count: 0, cut: false };
    model.see(0, &mut make);
    let (made, all) = (make.made, !make.cut);
    (made, all, max - left)
}

impl Make<'_> {
    fn spend(&mut self, cost: usize) -> bool {
        let left = self.left.checked_sub(cost);
        self.cut |= left.is_none();
        *self.left = left.unwrap_or(0);
        left.is_some()
    }
}

impl See for Make<'_> {
    fn leaf(&mut self, any: Any) {
        let cost = match &any {
            Any::String(text) => text.len() / VALUE,
            Any::Bytes(bytes) => bytes.len() / VALUE,
            _ => 0,
        };
        self.made = match any {
            Any::String(_) if !self.spend(cost + 1) => Any::String(String::new()),
            Any::Bytes(_) if !self.spend(cost + 1) => Any::Bytes(Vec::new()),
            any => any,
        };
    }

    fn begin(&mut self, is_list: bool, count: usize) {
        self.count = count;
        let first = count.min(SHORT);
        self.made = match is_list {
            true => Any::List(Vec::with_capacity(first), count),
            false => Any::Record(Vec::with_capacity(first), count),
        };
    }

    fn child(&mut self, name: Name<'_>, child: &dyn Model) -> bool {
        if !self.spend(1) {
            return false;
        }
        let mut make = Make { left: self.left, made: Any::Nothing, count: 0, cut: false };
        child.see(0, &mut make);
        let (made, cut) = (make.made, make.cut);
        self.cut |= cut;
        match (&mut self.made, made) {
            // A long list that begins with a byte is a byte string, until another kind of value follows.
            (Any::List(values, _), Any::Byte(byte)) if values.is_empty() && self.count > SHORT => {
                let mut bytes = Vec::with_capacity(self.count.min(self.left.saturating_mul(VALUE)));
                bytes.push(byte);
                self.made = Any::Bytes(bytes);
            }
            (Any::Bytes(bytes), Any::Byte(byte)) => {
                bytes.push(byte);
                *self.left += usize::from(bytes.len() % VALUE != 0);
            }
            (Any::Bytes(bytes), other) => {
                let values = bytes.drain(..).map(Any::Byte).chain([other]).collect();
                self.made = Any::List(values, self.count);
            }
            (Any::List(values, _), made) => values.push(made),
            (Any::Record(fields, _), made) => fields.push((name.text(), made)),
            _ => {}
        }
        !self.cut
    }
}
