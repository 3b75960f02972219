//! Finds suspicious code in a script by its tokens.

use std::collections::HashSet;

use super::luau::{Kind, Lexer, Token, decode};

const ID: &str = "requires a module by id, which its owner can change at any time";
const OTHER_NAME: &str = "assigns `require` to another name, which can hide the modules that it loads";
const LONG_STRING: &str = "a long string without spaces, perhaps encoded code";
const ESCAPES: &str = "a string with many escaped characters, perhaps hidden text";
const CHARACTERS: &str = "builds text from character codes, which can hide the text";

/// Functions that models rarely need and malicious models often contain, with their effect. They are found as names,
/// and as strings in brackets.
const FUNCTIONS: &[(&str, &str)] = &[
    ("loadstring", "runs a string as code"),
    ("getfenv", "accesses the environment of other functions, which can hide calls"),
    ("setfenv", "changes the environment of other functions, which can hide calls"),
    ("require", OTHER_NAME),
];

/// Methods and services, with their effect. They are found as names and as any string.
const NAMES: &[(&str, &str)] = &[
    ("PostAsync", "sends data to a server"),
    ("RequestAsync", "sends requests to a server"),
    ("GetObjects", "loads assets by id, which their owner can change at any time"),
    ("InsertService", "inserts assets by id"),
    ("PromptPurchase", "asks players to buy something"),
    ("PromptGamePassPurchase", "asks players to buy something"),
    ("PromptProductPurchase", "asks players to buy something"),
    ("PromptBundlePurchase", "asks players to buy something"),
    ("PromptBulkPurchase", "asks players to buy something"),
    ("PromptSubscriptionPurchase", "asks players to buy something"),
    ("PromptPremiumPurchase", "asks players to buy something"),
    ("TeleportService", "sends players to another place"),
];

/// The length in bytes from which a string without white space is reported, since it is likely encoded code or data.
const LONG: usize = 200;
/// A string is reported if this many of its characters are written as numbers, or this many of its letters and digits.
const MANY_ESCAPES: usize = 20;
const MANY_LETTERS: usize = 4;

/// Calls a function with the position and the kind of each finding, in order of positions.
pub(super) fn look<'a>(source: &'a [u8], found: &mut dyn FnMut(usize, &'static str)) {
    let ids = ids(source);
    let mentions_http = || Lexer::new(source).any(|token| decode(&token).0.as_ref() == b"HttpService");
    let mut has_http = None;
    let mut tokens = Lexer::new(source);
    let mut before: [Option<Token<'a>>; 2] = [None, None];
    let mut parameters = Parameters::default();
    while let Some(token) = tokens.next() {
        let [_, last] = before;
        let next = tokens.clone().next();
        let follows = |text: &str| next.is_some_and(|next| next.is(text));
        let comes_after = |text: &str| last.is_some_and(|last| last.is(text));
        parameters.pass(&token);
        let mut add = |what| found(token.start, what);
        match token.kind {
            // An assignment to a field or a variable.
            Kind::Name if follows("=") => {}
            Kind::Name if token.is("require") => {
                let mut rest = tokens.clone();
                let first = rest.next();
                let is_call = first.is_some_and(|first| first.is("(") || first.is(","));
                let text = first.filter(Token::is_string);
                // `xpcall` passes the values after the error handler to the function.
                let is_handled = comes_before(before, "xpcall") && first.is_some_and(|first| first.is(","));
                let arguments = if is_handled { after_argument(rest) } else { rest };
                let begins_value = ["=", "(", "return", "{", ",", ";", "or", "and"];
                // Not a value: a call, a type, a comparison, the variable of a loop, the first argument of `pcall` and
                // the like, a parameter, or the argument of `type`.
                let is_no_value = ["(", "{", ":", "==", "~=", "in"].iter().any(|next| follows(next))
                    || comes_after("(") && follows(",")
                    || parameters.is_inside()
                    || ["type", "typeof"].iter().any(|function| comes_before(before, function));
                let is_value = begins_value.iter().any(|last| comes_after(last)) && !is_no_value;
                if is_call && (has_number(arguments.clone()) || is_id(arguments, &ids))
                    || text.is_some_and(|text| is_number(&decode(&text).0))
                {
                    add(ID);
                } else if text.is_none() && is_value {
                    add(OTHER_NAME);
                }
            }
            Kind::Name if token.is("GetAsync") && *has_http.get_or_insert_with(mentions_http) => {
                add("may fetch data from a server, if this is HttpService:GetAsync");
            }
            Kind::Name if token.is("char") && comes_after(".") => {
                let arguments = tokens.clone().skip(1).step_by(2).take(MANY_LETTERS);
                if arguments.filter(|token| token.kind == Kind::Number).count() == MANY_LETTERS {
                    add(CHARACTERS);
                }
            }
            Kind::Name => {
                let mut known = FUNCTIONS.iter().chain(NAMES);
                if let Some((_, what)) = known.find(|(name, _)| token.is(name)) {
                    add(what);
                }
            }
            Kind::Text | Kind::Raw => {
                let (text, numbers, letters) = decode(&token);
                let is_index = comes_after("[") && follows("]");
                let mut known = FUNCTIONS.iter().filter(|_| is_index).chain(NAMES);
                if let Some((_, what)) = known.find(|(name, _)| *text == *name.as_bytes()) {
                    add(what);
                }
                if text.len() >= LONG && !text.iter().any(u8::is_ascii_whitespace) {
                    add(LONG_STRING);
                }
                if numbers >= MANY_ESCAPES || letters >= MANY_LETTERS {
                    add(ESCAPES);
                }
            }
            Kind::Number | Kind::Symbol => {}
        }
        before = [last, Some(token)];
    }
}

/// The position relative to the parameters of a function.
#[derive(Default, PartialEq)]
enum Parameters {
    #[default]
    None,
    /// After `function`.
    Begin,
    Inside,
}

impl Parameters {
    fn pass(&mut self, token: &Token<'_>) {
        *self = match self {
            _ if token.is("function") => Self::Begin,
            Self::Begin if token.is("(") => Self::Inside,
            Self::Inside if token.is(")") => Self::None,
            _ => return,
        };
    }

    fn is_inside(&self) -> bool {
        *self == Self::Inside
    }
}

/// Whether a token is the first argument of a call of a function, given the two tokens before it.
fn comes_before(before: [Option<Token<'_>>; 2], function: &str) -> bool {
    matches!(before, [Some(name), Some(open)] if name.is(function) && open.is("("))
}

/// Skips the argument that begins here, an error handler, but at most [`HANDLER`] tokens.
fn after_argument(mut rest: Lexer<'_>) -> Lexer<'_> {
    let mut depth = 0_u32;
    for token in rest.by_ref().take(HANDLER) {
        match token.text {
            b"(" | b"{" | b"[" | b"function" => depth += 1,
            b")" | b"}" | b"]" | b"end" => depth = depth.saturating_sub(1),
            b"," if depth == 0 => break,
            _ => {}
        }
    }
    rest
}

fn is_number(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// Maximum number of tokens of an error handler that are skipped.
const HANDLER: usize = 256;

/// Maximum number of tokens of an argument that are examined.
const ARGUMENT: usize = 64;

/// Whether an argument can be a number that is written in it, and not as an index, as an argument of a nested call or
/// in a comparison. `rest` begins after the `(` or `,` before the argument.
fn has_number(rest: Lexer<'_>) -> bool {
    let (mut depth, mut hidden, mut last): (usize, Option<usize>, Option<Token<'_>>) = (0, None, None);
    for token in rest.take(ARGUMENT) {
        let after_value = last.is_some_and(|last| match last.kind {
            Kind::Name => !["and", "or", "not", "then", "else"].iter().any(|word| last.is(word)),
            Kind::Symbol => last.is(")") || last.is("]") || last.is("}"),
            Kind::Number | Kind::Text | Kind::Raw => true,
        });
        let is_compared = || {
            let comparisons = ["==", "~=", "<", ">", "<=", ">="];
            comparisons.iter().any(|comparison| last.is_some_and(|last| last.is(comparison)))
        };
        match token.text {
            _ if token.is_string() => {}
            b"(" | b"[" | b"{" => {
                depth += 1;
                hidden = hidden.or(after_value.then_some(depth));
            }
            b")" | b"]" | b"}" => {
                hidden = hidden.filter(|&at| at != depth);
                let Some(above) = depth.checked_sub(1) else { return false };
                depth = above;
            }
            b"," if depth == 0 => return false,
            _ if token.kind == Kind::Number && hidden.is_none() && !is_compared() => return true,
            _ => {}
        }
        last = Some(token);
    }
    false
}

/// Whether the expression that begins here is an id: a number, or an expression that computes one.
fn is_id(mut rest: Lexer<'_>, ids: &HashSet<&[u8]>) -> bool {
    let Some(first) = rest.find(|token| !token.is("(")) else { return false };
    match first.kind {
        Kind::Number => true,
        Kind::Symbol => first.is("-") || first.is("#"),
        Kind::Text | Kind::Raw => is_number(&decode(&first).0),
        Kind::Name => {
            let makers = ["tonumber", "string", "math", "bit32", "utf8", "tostring"];
            let operators = ["+", "-", "*", "/", "%", "^"];
            makers.iter().any(|maker| first.is(maker))
                || rest.next().is_some_and(|next| {
                    operators.iter().any(|operator| next.is(operator))
                        || !next.is(".") && !next.is(":") && !next.is("[") && ids.contains(first.text)
                })
        }
    }
}

/// The variables that are passed to `require` somewhere, and are set to an id somewhere.
fn ids(source: &[u8]) -> HashSet<&[u8]> {
    let mut required: HashSet<&[u8]> = HashSet::new();
    let mut last: [Option<Token<'_>>; 2] = [None, None];
    for token in Lexer::new(source) {
        let is_call = last[0].is_some_and(|token| token.is("require"))
            && last[1].is_some_and(|token| token.is("(") || token.is(","));
        if is_call && token.kind == Kind::Name {
            required.insert(token.text);
        }
        last = [last[1], Some(token)];
    }
    let mut ids = HashSet::new();
    if required.is_empty() {
        return ids;
    }
    let mut tokens = Lexer::new(source);
    let mut last: [Option<Token<'_>>; 3] = [None; 3];
    while let Some(token) = tokens.next() {
        if token.is("=") {
            // `name =`, or `name: type =`.
            let name = match last {
                [Some(name), Some(colon), Some(_)] if colon.is(":") => Some(name),
                [_, _, name] => name,
            };
            let name = name.filter(|name| name.kind == Kind::Name && required.contains(name.text));
            ids.extend(name.filter(|_| is_id(tokens.clone(), &HashSet::new())).map(|name| name.text));
        }
        last = [last[1], last[2], Some(token)];
    }
    ids
}
