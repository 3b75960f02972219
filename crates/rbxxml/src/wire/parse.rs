//! The grammars of text: a number's token, a start tag and its attributes.

use nom::branch::alt;
use nom::bytes::complete::{tag, tag_no_case, take_till, take_while, take_while1};
use nom::character::complete::{char, one_of};
use nom::combinator::{all_consuming, opt, value};
use nom::multi::fold_many0;
use nom::sequence::{delimited, preceded, separated_pair};
use nom::{IResult, Parser};

/// What a number can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    /// Digits, with a sign only where it is a minus.
    Number(&'a [u8]),
    Infinite {
        negative: bool,
    },
    NotANumber,
}

/// A whole text that is a number.
#[inline]
pub(crate) fn token(text: &[u8]) -> Option<Token<'_>> {
    let digits = match text {
        [b'+', b'0'..=b'9' | b'.', ..] => text.get(1..).unwrap_or_default(),
        _ => text,
    };
    // Nearly always; only what begins otherwise needs a grammar.
    match digits {
        [b'0'..=b'9' | b'.', ..] | [b'-', b'0'..=b'9' | b'.', ..] if !digits.contains(&b'#') => {
            Some(Token::Number(digits))
        }
        _ => all_consuming(odd).parse(text).ok().map(|(_, token)| token),
    }
}

/// Infinity and what is no number: `INF`, `nan(ind)`, `-1.#IND`, `1.#INF00`.
fn odd(input: &[u8]) -> IResult<&[u8], Token<'_>> {
    let (input, sign) = opt(one_of("+-")).parse(input)?;
    let infinite = Token::Infinite { negative: sign == Some('-') };
    let mut zeros = take_while(|byte: u8| byte == b'0');
    let old = preceded(
        (char('1'), opt(char('.')), char('#')),
        alt((
            value(infinite, tag_no_case("INF")),
            value(Token::NotANumber, alt((tag_no_case("IND"), tag_no_case("QNAN"), tag_no_case("SNAN")))),
        )),
    );
    let payload = delimited(char('('), take_while(|byte: u8| byte != b')'), char(')'));
    let new = alt((
        value(infinite, alt((tag_no_case("infinity"), tag_no_case("inf")))),
        value(Token::NotANumber, (tag_no_case("nan"), opt(payload))),
    ));
    let (input, token) = alt((old, new)).parse(input)?;
    let (input, _) = zeros(input)?;
    Ok((input, token))
}

fn space(input: &[u8]) -> IResult<&[u8], &[u8]> {
    take_while(|byte: u8| byte.is_ascii_whitespace())(input)
}

fn space1(input: &[u8]) -> IResult<&[u8], &[u8]> {
    take_while1(|byte: u8| byte.is_ascii_whitespace())(input)
}

fn name(input: &[u8]) -> IResult<&[u8], &[u8]> {
    take_while1(|byte: u8| !byte.is_ascii_whitespace() && !b"=/>\"'<".contains(&byte))(input)
}

fn quoted(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let (input, quote) = one_of("\"'")(input)?;
    let (input, text) = take_till(|byte: u8| char::from(byte) == quote || byte == b'<')(input)?;
    let (input, _) = char(quote)(input)?;
    Ok((input, text))
}

/// An attribute and the space in front of it: its name and its value as they stand.
#[inline]
pub(crate) fn attribute(input: &[u8]) -> IResult<&[u8], (&[u8], &[u8])> {
    let equals = (space, char('='), space);
    preceded(space1, separated_pair(name, equals, quoted)).parse(input)
}

/// Whether this is what ends a start tag.
pub(crate) fn is_end_of_tag(input: &[u8]) -> bool {
    all_consuming((space, opt(char('/')), char('>'))).parse(input).is_ok()
}

/// Whether this is a declaration: what it says does not matter, since bytes say what they are.
pub(crate) fn is_declaration(input: &[u8]) -> bool {
    let attributes = fold_many0(attribute, || (), |(), _| ());
    all_consuming((tag("<?xml"), attributes, space, tag("?>"))).parse(input).is_ok()
}

/// The attributes of the start tag at the front of the input, as they stand.
pub(crate) fn start_tag(input: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    let (mut input, _) = (char('<'), name).parse(input).ok()?;
    let mut attributes = Vec::new();
    while let (rest, Some(found)) = opt(attribute).parse(input).ok()? {
        attributes.push(found);
        input = rest;
    }
    is_end_of_tag(input).then_some(attributes)
}
