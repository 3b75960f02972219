//! Selectors: the query language of Roblox's `QueryDescendants`, with comparisons for files.
//!
//! ```text
//! list      = chain *( "," chain )
//! chain     = [ ">" / ">>" ] compound *( ( ">" / ">>" ) compound )
//! compound  = 1*( class / "." tag / "#" name / "[" test "]" / ":not(" list ")" / ":has(" list ")" )
//! test      = [ "$" ] name *( "." component ) [ operator value ]
//! operator  = "=" / "!=" / "<" / "<=" / ">" / ">=" / "*=" / "^=" / "$="
//! ```

use std::str::FromStr;

use geom::wire::{Error, Result};
use rbxcore::classes;

/// A selector, such as `Part[Anchored = false]`: which instances of a document are meant.
///
/// The grammar is that of Roblox's `Instance:QueryDescendants`, with additions for files: the operators `!=`, `<`, `<=`,
/// `>`, `>=`, `*=` (contains), `^=` (begins with) and `$=` (ends with), components such as `Size.Y`, names of enum items,
/// and names in quotes.
#[derive(Clone, Debug, PartialEq)]
pub struct Selector(pub(super) Vec<Chain>);

impl Selector {
    /// What is probably misspelled: a class that Roblox does not have, and a property that no class of its compound has.
    /// Each text names what may be meant.
    pub fn unknown(&self) -> Vec<String> {
        let mut found = Vec::new();
        for simples in self.0.iter().flat_map(|Chain(compounds)| compounds.iter().map(|(_, simples)| simples))
        {
            let named = simples
                .iter()
                .find_map(|simple| if let Simple::Class(name) = simple { Some(&**name) } else { None });
            let known = named.and_then(classes::class);
            if let (Some(name), None) = (named, known)
                && let Some(meant) = classes::closest_class(name)
            {
                found.push(format!("Roblox has no class {name}; did you mean {meant}?"));
            }
            let is_meant = |of: &classes::Class| named.is_none_or(|name| of.is_a(name));
            for simple in simples {
                match simple {
                    Simple::Not(list) | Simple::Has(list) => found.extend(list.unknown()),
                    Simple::Property(Test { name, .. }) if named.is_none() || known.is_some() => {
                        let is_computed =
                            ["ClassName", "Name", "Parent", "Position", "Orientation"].contains(&&**name);
                        let has =
                            |of: classes::Class| of.property(name).or_else(|| of.stored(name)).is_some();
                        if is_computed || classes::classes().filter(is_meant).any(has) {
                            continue;
                        }
                        let meant = known.and_then(|class| class.closest(name));
                        let meant =
                            meant.map_or_else(String::new, |meant| format!("; did you mean {meant}?"));
                        let of = named.map_or_else(|| "no class".to_owned(), |of| format!("no {of}"));
                        found.push(format!("{of} has a property {name}{meant}"));
                    }
                    _ => {}
                }
            }
        }
        found
    }
}

/// Compounds, each with the combinator before it. The first one is relative to where the query begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chain(pub(super) Vec<(Combinator, Vec<Simple>)>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Combinator {
    Child,
    Descendant,
}

/// A simple selector, in the order in which those of a compound are tested: the cheap ones first.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Simple {
    Class(String),
    Name(String),
    Not(Selector),
    Has(Selector),
    Tag(String),
    Property(Test),
    Attribute(Test),
}

impl Simple {
    fn cost(&self) -> u8 {
        match self {
            Self::Class(_) | Self::Name(_) => 0,
            Self::Not(_) | Self::Has(_) => 1,
            Self::Tag(_) | Self::Property(_) => 2,
            Self::Attribute(_) => 3,
        }
    }
}

/// A test of a value: its name and components, and what it is compared with; without that, whether there is a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Test {
    pub(super) name: String,
    pub(super) components: Vec<String>,
    pub(super) condition: Option<(Operator, String)>,
}

/// How a value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Contains,
    Begins,
    Ends,
}

/// The operators, longer ones before those that they begin with.
const OPERATORS: [(&str, Operator); 9] = [
    ("!=", Operator::Unequal),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("*=", Operator::Contains),
    ("^=", Operator::Begins),
    ("$=", Operator::Ends),
    ("=", Operator::Equal),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

/// Maximum depth of `:not(…)` and `:has(…)`.
const DEPTH: usize = 32;

/// With the column at which something else was expected.
impl FromStr for Selector {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut parser = Parser { text, at: 0 };
        let selector = parser.list(DEPTH)?;
        match parser.peek() {
            None => Ok(selector),
            Some(_) => Err(parser.expected("`,` or the end")),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn expected(&self, what: &str) -> Error {
        let column = 1 + self.text[..self.at].chars().count();
        let found = match self.peek() {
            None => "the end".to_owned(),
            Some(char) => format!("`{}`", char.escape_debug()),
        };
        Error::argument(format!("selector, column {column}: expected {what}, found {found}"))
    }

    /// The characters that satisfy a condition.
    fn run(&mut self, of: impl Fn(char) -> bool) -> Option<&'a str> {
        let rest = self.rest();
        let end = rest.find(|char| !of(char)).unwrap_or(rest.len());
        self.at += end;
        (end > 0).then(|| &rest[..end])
    }

    /// A name or a text in quotes, in which `\` escapes the next character.
    fn word(&mut self, of: impl Fn(char) -> bool, what: &str) -> Result<String> {
        let Some(quote @ ('"' | '\'')) = self.peek() else {
            return self.run(of).map(str::to_owned).ok_or_else(|| self.expected(what));
        };
        let (start, mut text) = (self.at, String::new());
        self.at += 1;
        loop {
            let Some(char) = self.peek() else {
                self.at = start;
                return Err(self.expected("a closing quotation mark after this one"));
            };
            self.at += char.len_utf8();
            match char {
                '\\' => {
                    let escaped = self.peek();
                    self.at += escaped.map_or(0, char::len_utf8);
                    text.extend(escaped);
                }
                _ if char == quote => return Ok(text),
                _ => text.push(char),
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Selector> {
        let depth = depth.checked_sub(1).ok_or_else(|| self.expected("fewer nested selectors"))?;
        let mut chains = Vec::new();
        loop {
            chains.push(self.chain(depth)?);
            if !self.take(",") {
                return Ok(Selector(chains));
            }
        }
    }

    fn combinator(&mut self) -> Option<Combinator> {
        self.blanks();
        let found = match (self.take(">>"), self.peek()) {
            (true, _) => Some(Combinator::Descendant),
            (false, Some('>')) => self.take(">").then_some(Combinator::Child),
            _ => None,
        };
        self.blanks();
        found
    }

    fn chain(&mut self, depth: usize) -> Result<Chain> {
        let first = self.combinator().unwrap_or(Combinator::Descendant);
        let mut compounds = vec![(first, self.compound(depth)?)];
        while let Some(combinator) = self.combinator() {
            compounds.push((combinator, self.compound(depth)?));
        }
        match self.peek() {
            None | Some(',' | ')') => Ok(Chain(compounds)),
            Some(_) => Err(self.expected("a combinator (`>` or `>>`)")),
        }
    }

    fn compound(&mut self, depth: usize) -> Result<Vec<Simple>> {
        let is_name = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-');
        let mut simples = Vec::new();
        loop {
            simples.push(match self.peek() {
                Some('.') => {
                    self.at += 1;
                    Simple::Tag(self.word(is_name, "the name of a tag")?)
                }
                Some('#') => {
                    self.at += 1;
                    Simple::Name(self.word(is_name, "the name of an instance")?)
                }
                Some('[') => self.test()?,
                Some(':') => self.pseudo(depth)?,
                Some(char) if simples.is_empty() && is_name(char) => {
                    Simple::Class(self.word(is_name, "the name of a class")?)
                }
                _ if simples.is_empty() => {
                    return Err(
                        self.expected("a class, `.tag`, `#name`, `[property]`, `:not(…)` or `:has(…)`")
                    );
                }
                _ => {
                    geom::sort::by_key(&mut simples, Simple::cost);
                    return Ok(simples);
                }
            });
        }
    }

    fn pseudo(&mut self, depth: usize) -> Result<Simple> {
        let make = match (self.take(":not("), self.rest().starts_with(":has(")) {
            (true, _) => Simple::Not,
            (_, true) => {
                self.at += ":has(".len();
                Simple::Has
            }
            _ if self.rest().starts_with("::") => {
                return Err(self
                    .expected("`:not(…)` or `:has(…)` (`::` describes a running user interface, no file)"));
            }
            _ => {
                let text =
                    "`:not(…)` or `:has(…)` (states such as `:Hover` are those of a running user interface)";
                return Err(self.expected(text));
            }
        };
        let list = self.list(depth)?;
        if self.take(")") { Ok(make(list)) } else { Err(self.expected("`,` or `)`")) }
    }

    fn test(&mut self) -> Result<Simple> {
        let is_name = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-');
        let is_value = |char: char| is_name(char) || matches!(char, '.' | '+' | '#');
        self.take("[");
        self.blanks();
        let is_attribute = self.take("$");
        let what = if is_attribute { "the name of an attribute" } else { "the name of a property, or `$`" };
        let name = self.word(is_name, what)?;
        let mut components = Vec::new();
        while self.take(".") {
            components.push(self.word(is_name, "a component, such as `X`")?);
        }
        self.blanks();
        let mut condition = None;
        if self.peek() != Some(']') {
            let found = OPERATORS.iter().find(|(token, _)| self.rest().starts_with(token));
            let (token, operator) = found.ok_or_else(|| self.expected("`]` or an operator, such as `=`"))?;
            self.at += token.len();
            self.blanks();
            condition = Some((*operator, self.word(is_value, "a value, in quotes unless it is one word")?));
            self.blanks();
        }
        if !self.take("]") {
            return Err(self.expected("`]`"));
        }
        let test = Test { name, components, condition };
        Ok(if is_attribute { Simple::Attribute(test) } else { Simple::Property(test) })
    }
}
