//! The XML of a file: elements by id, and lists of numbers.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use rezkit_core::{Budget, Error, Loss, Result};
use roxmltree::{Document, Node, NodeId, ParsingOptions};

use crate::grow::push;

/// An element.
pub(super) type Element<'a> = Node<'a, 'a>;

const WHAT: &str = "the elements of the file";

/// The text of a file, which may be UTF-8, UTF-16 or, if it is not valid UTF-8, Latin-1.
///
/// # Errors
/// If the budget does not suffice.
pub(super) fn text<'a>(bytes: &'a [u8], budget: &mut Budget) -> Result<Cow<'a, str>> {
    let utf16 = |rest: &[u8], number: fn([u8; 2]) -> u16| {
        let units = rest.as_chunks::<2>().0.iter().map(|pair| number(*pair));
        char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    if let Ok(text) = std::str::from_utf8(crate::forms::unmarked(bytes)) {
        return Ok(text.into());
    }
    budget.take(2 * bytes.len() as u64, "the text of the file")?;
    let decoded: String = match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => bytes.iter().copied().map(char::from).collect(),
    };
    // The declaration names an encoding that the text no longer has; it is not needed.
    Ok(decoded.into())
}

/// Parses a text.
///
/// # Errors
/// If it is not XML, with line and column, or the budget does not suffice.
pub(super) fn parse<'a>(text: &'a str, budget: &mut Budget) -> Result<Document<'a>> {
    // For each `<`, an element and a text beside it; for each `=`, an attribute, compared with those before it.
    let (mut elements, mut attributes, mut namespaces, mut pairs) = (0_u64, 0_u64, 0_u64, 0_u64);
    for part in text.split('<') {
        let count = memchr::memchr_iter(b'=', part.as_bytes()).count() as u64;
        elements += 1;
        attributes += count;
        pairs = pairs.saturating_add(count.saturating_mul(count));
        namespaces += u64::from(part.contains("xmlns"));
    }
    let bytes = elements.saturating_mul(240).saturating_add(attributes.saturating_mul(160));
    let bytes = bytes.saturating_add(namespaces.saturating_mul(namespaces).saturating_mul(4));
    budget.take(bytes.saturating_add(text.len() as u64), WHAT)?;
    // An element that declares a namespace copies those of the elements around it.
    let copied = elements.saturating_add(namespaces.saturating_mul(100)).saturating_mul(namespaces);
    budget.work(pairs.saturating_add(copied).saturating_add(text.len() as u64), WHAT)?;
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        let place = error.pos();
        // The text of the error ends with the place.
        let shown = error.to_string();
        let shown = shown.strip_suffix(&format!(" at {}:{}", place.row, place.col)).unwrap_or(&shown);
        Error::unreadable(format!("{shown} at line {}, column {}", place.row, place.col))
    })
}

/// The child elements with a name.
pub(super) fn all<'a>(of: Element<'a>, name: &'static str) -> impl Iterator<Item = Element<'a>> {
    of.children().filter(move |child| child.tag_name().name() == name)
}

/// The first child element with a name.
pub(super) fn child<'a>(of: Element<'a>, name: &'static str) -> Option<Element<'a>> {
    all(of, name).next()
}

/// The element at a path of names.
pub(super) fn at<'a>(of: Element<'a>, path: &[&'static str]) -> Option<Element<'a>> {
    path.iter().try_fold(of, |of, name| child(of, name))
}

/// The first text of an element, trimmed.
pub(super) fn trimmed(of: Element<'_>) -> &str {
    of.text().unwrap_or_default().trim()
}

/// The name of an element for a scene: its name, or else its id.
pub(super) fn name(of: Element<'_>) -> &str {
    let named = |key| of.attribute(key).filter(|name: &&str| !name.is_empty());
    named("name").or_else(|| named("id")).unwrap_or_default()
}

/// The path of an element: the names of the elements around it, with their ids.
pub(super) fn path(of: Element<'_>) -> String {
    let mut parts: Vec<String> = of
        .ancestors()
        .filter(|element| element.is_element())
        .take(8)
        .map(|element| match (element.attribute("id"), element.attribute("sid")) {
            (Some(id), _) | (None, Some(id)) => format!("{} {id:?}", element.tag_name().name()),
            _ => element.tag_name().name().to_owned(),
        })
        .filter(|part| part != "COLLADA")
        .collect();
    parts.reverse();
    parts.join("/")
}

/// An error at an element, with its path, line and column.
pub(super) fn damaged(at: Element<'_>, what: impl std::fmt::Display) -> Error {
    let place = at.document().text_pos_at(at.range().start);
    Error::unreadable(format!("{what} at line {}, column {}", place.row, place.col)).at(path(at))
}

/// A number as Collada and C write it. Some exporters used the decimal comma of the system's language.
pub(super) fn number(text: &str) -> Option<f64> {
    text.parse().ok().or_else(|| match text.trim_start_matches(['+', '-']) {
        "1.#INF" | "1.#INF00" => Some(f64::INFINITY),
        rest if rest.starts_with("1.#") => Some(f64::NAN),
        _ => text.replacen(',', ".", 1).parse().ok(),
    })
}

/// The numbers of an element.
///
/// # Errors
/// If a text is not a number, or the budget does not suffice.
pub(super) fn numbers(of: Element<'_>, budget: &mut Budget) -> Result<Vec<f64>> {
    let mut list = Vec::new();
    for word in words(of) {
        let value = number(word).ok_or_else(|| {
            let word = rezkit_core::plain::shorten(word, 40);
            damaged(of, format!("expected a number, found {word:?}"))
        })?;
        push(&mut list, value, budget)?;
    }
    Ok(list)
}

/// The integers of an element.
///
/// # Errors
/// As [`numbers`].
pub(super) fn integers(of: Element<'_>, budget: &mut Budget) -> Result<Vec<i64>> {
    let mut list = Vec::new();
    for word in words(of) {
        let value = word.parse().map_err(|_| {
            let word = rezkit_core::plain::shorten(word, 40);
            damaged(of, format!("expected a whole number, found {word:?}"))
        })?;
        push(&mut list, value, budget)?;
    }
    Ok(list)
}

/// The words of an element.
pub(super) fn words(of: Element<'_>) -> impl Iterator<Item = &str> {
    of.children()
        .filter_map(|child| child.is_text().then(|| child.text()).flatten())
        .flat_map(str::split_whitespace)
}

/// A few numbers of an element; `None` if it does not have as many.
///
/// # Errors
/// As [`numbers`].
pub(super) fn few<const N: usize>(of: Element<'_>, budget: &mut Budget) -> Result<Option<[f64; N]>> {
    Ok(numbers(of, budget)?.first_chunk().copied())
}

/// The rows of a source.
#[derive(Default)]
pub(super) struct Rows {
    data: Rc<Vec<f64>>,
    start: usize,
    stride: usize,
    /// The columns that have a name, of which there are at most 16.
    columns: Vec<usize>,
    pub(super) count: usize,
}

impl Rows {
    /// The number of columns.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// A number.
    pub(super) fn value(&self, row: usize, column: usize) -> Option<f64> {
        let column = self.columns.get(column)?;
        let row = (row < self.count).then_some(row)?;
        self.data.get(self.start.checked_add(row.checked_mul(self.stride)?)?.checked_add(*column)?).copied()
    }

    /// The first numbers of a row.
    pub(super) fn row<const N: usize>(&self, row: usize) -> Option<[f64; N]> {
        let mut found = [0.0; N];
        for (column, value) in found.iter_mut().enumerate() {
            *value = self.value(row, column)?;
        }
        Some(found)
    }
}

/// A file: its elements by id, its sources, and what is left to read it.
pub(super) struct File<'a, 'b> {
    pub(super) root: Element<'a>,
    ids: HashMap<&'a str, Element<'a>>,
    arrays: HashMap<NodeId, Rc<Vec<f64>>>,
    rows: HashMap<NodeId, Rc<Rows>>,
    /// The names of nodes that have spaces, once they are needed.
    spaced: Option<HashSet<&'a str>>,
    pub(super) budget: &'b mut Budget,
    pub(super) losses: Vec<Loss>,
}

impl<'a, 'b> File<'a, 'b> {
    /// # Errors
    /// If the budget does not suffice.
    pub(super) fn new(root: Element<'a>, budget: &'b mut Budget) -> Result<Self> {
        let mut ids = HashMap::new();
        for element in root.descendants() {
            if let Some(id) = element.attribute("id") {
                budget.take(100, WHAT)?;
                ids.entry(id).or_insert(element);
            }
        }
        let (arrays, rows) = (HashMap::new(), HashMap::new());
        Ok(Self { root, ids, arrays, rows, spaced: None, budget, losses: Vec::new() })
    }

    /// The element of a URL such as `#id`, or of an id.
    pub(super) fn find(&self, url: &str) -> Option<Element<'a>> {
        let url = url.trim();
        self.ids.get(url.strip_prefix('#').unwrap_or(url)).copied()
    }

    /// The element of a URL in an attribute.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn follow(&self, of: Element<'a>, attribute: &str) -> Result<Element<'a>> {
        let url = of
            .attribute(attribute)
            .ok_or_else(|| damaged(of, format_args!("the attribute `{attribute}` is missing")))?;
        self.find(url)
            .ok_or_else(|| damaged(of, format_args!("`{attribute}` refers to {url:?}, which does not exist")))
    }

    /// All elements of a kind in the libraries of a name.
    pub(super) fn library(&self, name: &'static str, kind: &'static str) -> Vec<Element<'a>> {
        all(self.root, name).flat_map(|library| all(library, kind)).collect()
    }

    /// The elements of a source's accessor and its list.
    fn accessor(
        &self,
        source: Element<'a>,
        list: &'static str,
    ) -> Result<(Option<Element<'a>>, Element<'a>)> {
        let accessor = at(source, &["technique_common", "accessor"]);
        let named = accessor.and_then(|accessor| accessor.attribute("source")).and_then(|url| self.find(url));
        let found = named.filter(|found| found.tag_name().name() == list).or_else(|| child(source, list));
        let found = found.ok_or_else(|| damaged(source, format_args!("the source has no `{list}`")))?;
        Ok((accessor, found))
    }

    /// The rows of a source.
    ///
    /// # Errors
    /// If it has no numbers, or the budget does not suffice.
    pub(super) fn rows(&mut self, source: Element<'a>) -> Result<Rc<Rows>> {
        if let Some(known) = self.rows.get(&source.id()) {
            return Ok(Rc::clone(known));
        }
        let (accessor, list) = match self.accessor(source, "float_array") {
            Err(error) => self.accessor(source, "int_array").map_err(|_| error)?,
            found => found?,
        };
        let data = match self.arrays.get(&list.id()) {
            Some(known) => Rc::clone(known),
            None => {
                let data = Rc::new(numbers(list, self.budget)?);
                self.arrays.insert(list.id(), Rc::clone(&data));
                data
            }
        };
        let whole = |key: &str| -> Option<usize> { accessor?.attribute(key)?.trim().parse().ok() };
        let params: Vec<Element<'a>> =
            accessor.into_iter().flat_map(|accessor| all(accessor, "param")).take(16).collect();
        let stride = whole("stride").unwrap_or(params.len()).max(1);
        let named = |param: &Element<'a>| param.attribute("name").is_some_and(|name| !name.is_empty());
        let is_named = params.iter().any(named);
        let columns: Vec<usize> = match is_named {
            true => params.iter().enumerate().filter(|(_, param)| named(param)).map(|(at, _)| at).collect(),
            // A matrix is one parameter.
            false => (0..stride.min(16)).collect(),
        };
        let is_matrix = params.iter().any(|param| param.attribute("type") == Some("float4x4"));
        let columns = if is_matrix || columns.is_empty() { (0..stride.min(16)).collect() } else { columns };
        let start = whole("offset").unwrap_or(0);
        let most = data.len().saturating_sub(start).div_ceil(stride);
        let count = whole("count").unwrap_or(most).min(most);
        let rows = Rc::new(Rows { data, start, stride, columns, count });
        self.rows.insert(source.id(), Rc::clone(&rows));
        Ok(rows)
    }

    /// The names of a source.
    ///
    /// # Errors
    /// If it has none, or the budget does not suffice.
    pub(super) fn names(&mut self, source: Element<'a>) -> Result<Vec<&'a str>> {
        let (_, list) = match self.accessor(source, "Name_array") {
            Err(error) => self.accessor(source, "IDREF_array").map_err(|_| error)?,
            found => found?,
        };
        let mut found = Vec::new();
        let text = list.text().unwrap_or_default();
        for word in text.split_whitespace() {
            push(&mut found, word, self.budget)?;
        }
        let count = list.attribute("count").and_then(|count| count.trim().parse::<usize>().ok());
        if let Some(count) = count.filter(|count| *count < found.len()) {
            let joined = self.joined(text)?;
            if joined.len() == count {
                found = joined;
            }
        }
        Ok(found)
    }

    /// The names of a list in which some have spaces, as 3ds Max writes them: the longest that a node has.
    ///
    /// # Errors
    /// If the budget does not suffice.
    fn joined(&mut self, text: &'a str) -> Result<Vec<&'a str>> {
        /// The most words of a name.
        const WORDS: usize = 8;
        if self.spaced.is_none() {
            let mut spaced = HashSet::new();
            for node in self.root.descendants().filter(|of| of.tag_name().name() == "node") {
                let names = ["sid", "id", "name"].into_iter().filter_map(|key| node.attribute(key));
                for name in names.filter(|name| name.contains(' ')) {
                    self.budget.take(100, "the names of nodes")?;
                    spaced.insert(name);
                }
            }
            self.spaced = Some(spaced);
        }
        let spaced = self.spaced.as_ref();
        let (mut found, mut rest) = (Vec::new(), text.trim_start());
        while !rest.is_empty() {
            let ends = rest.char_indices().filter(|(_, letter)| letter.is_whitespace()).map(|(at, _)| at);
            let ends: Vec<usize> = ends.chain([rest.len()]).take(WORDS).collect();
            let is_name = |end: &&usize| spaced.is_some_and(|spaced| spaced.contains(&rest[..**end]));
            let end = ends.iter().rev().find(is_name).or(ends.first()).copied().unwrap_or(rest.len());
            push(&mut found, &rest[..end], self.budget)?;
            rest = rest[end..].trim_start();
        }
        Ok(found)
    }

    /// The source of an `input` with a semantic among the children of an element.
    ///
    /// # Errors
    /// If the source does not exist.
    pub(super) fn input(&self, of: Element<'a>, semantic: &str) -> Result<Option<Element<'a>>> {
        let found = all(of, "input").find(|input| input.attribute("semantic") == Some(semantic));
        found.map(|input| self.follow(input, "source")).transpose()
    }
}
