//! What takes the bytes of a file.
//!
//! All parts add up to the bytes of the file: the chunks of a binary file with its header, or the elements of XML with the
//! text around them. What instances share (a chunk of values, the tree) is divided among them by the length of their values
//! before compression.
//!
//! ```
//! # fn main() -> rbxdocument::Result<()> {
//! # let mut place = rbxbinary::Document::new();
//! # place.insert(None, rbxdocument::NewInstance::new("Part").property("Name", "Door"))?;
//! # let bytes = rbxbinary::to_vec(&place)?;
//! let size = rbxdocument::size::measure(&bytes, 1 << 30)?;
//! for part in size.properties.iter().take(10) {
//!     println!("{} bytes in {} values: {}", part.bytes, part.count, part.name);
//! }
//! assert_eq!(size.parts.iter().map(|part| part.bytes).sum::<u64>(), size.bytes);
//! # Ok(())
//! # }
//! ```

use std::collections::{HashMap, HashSet};

use bstr::{BString, ByteSlice as _};
use rbxbinary::parts::Column;
use rbxblobs::Attributes;
use rbxcore::InstanceId;

use crate::errors::Budget;
use crate::share::shared_name;
pub use crate::share::{Shared, share};
use crate::view::View as _;
use crate::{AnyDocument, Dom, ReadOptions, Result};

/// The bytes of a file, and what takes them.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Size {
    /// The bytes of the file.
    pub bytes: u64,
    /// The bytes before compression.
    pub content: u64,
    /// The chunks by name, or the parts of XML; they add up to the file. The largest first.
    pub parts: Vec<Share>,
    /// The values by class and property: `Part.CFrame`. The largest first.
    pub properties: Vec<Share>,
    /// The instances, each before its children, in the order of the document.
    pub instances: Vec<InstanceSize>,
    /// The shared strings, with the first property that refers to each. The largest first.
    pub shared: Vec<Share>,
    /// Texts and bytes that are stored more than once although instances could share them. What would save most first.
    pub duplicates: Vec<Duplicate>,
    /// The attributes by name, with all values of each. The largest first.
    pub attributes: Vec<AttributeSize>,
    /// The bytes of the file if its chunks were compressed otherwise (not for XML), and, as `share`, if its duplicates that
    /// can be shared were.
    pub compressed: Vec<Share>,
}

/// A part of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Share {
    /// What it is.
    pub name: String,
    /// How many chunks, values or elements it consists of.
    pub count: usize,
    /// Its bytes in the file.
    pub bytes: u64,
    /// Its bytes before compression.
    pub content: u64,
}

/// What an instance takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InstanceSize {
    /// The instance.
    pub id: InstanceId,
    /// Its own bytes in the file.
    pub own: u64,
    /// The bytes of the instance and all below it.
    pub total: u64,
    /// The bytes of its source, before compression, if it is a script.
    pub source: Option<u64>,
}

/// What an attribute takes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AttributeSize {
    /// Its name.
    pub name: BString,
    /// The number of instances that have it.
    pub count: usize,
    /// The bytes of all its values, each with the name, before compression.
    pub content: u64,
    /// Whether a script of the document contains the name. Other attributes may be unused, but scripts can also compose names,
    /// or loop over all attributes.
    pub is_named: bool,
}

/// Bytes that are stored more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Duplicate {
    /// The class and the property of the first one.
    pub property: String,
    /// The path of the first instance.
    pub path: String,
    /// The number of instances that store them.
    pub count: usize,
    /// Their length, once.
    pub len: u64,
    /// The shared string that replaced the property, into which [`share`] moves them.
    pub shared: Option<&'static str>,
}

/// The property with the attributes.
const ATTRIBUTES: &str = "AttributesSerialize";

/// Shorter texts are not worth the reference that would replace them.
const SHARED_FROM: usize = 64;

/// The levels of zstd that are tried.
const LEVELS: &[u32] = &[3, 19];

/// The bytes before compression of the largest file for which levels are tried that search long.
const SEARCHED: u64 = 64 << 20;

/// The number of duplicates that are listed.
const MOST_DUPLICATES: usize = 100;

/// Measures a file: a binary document or one in XML.
///
/// # Errors
/// If the file cannot be read, or takes more memory than `max_bytes`.
pub fn measure(bytes: &[u8], max_bytes: u64) -> Result<Size> {
    let mut budget = Budget::new(max_bytes);
    let document = ReadOptions::new().max_bytes(max_bytes).read(bytes)?;
    budget.charge(document.len() as u64 * 200, "the sizes of the instances")?;
    let mut made = Measure::new(&document, bytes.len() as u64);
    match &document {
        AnyDocument::Binary(binary) => made.binary(binary, bytes)?,
        AnyDocument::Xml(xml) => made.xml(xml, bytes),
    }
    made.duplicates(&mut budget)?;
    made.attributes(&mut budget)?;
    if made.size.duplicates.iter().any(|of| of.shared.is_some()) {
        let mut other = ReadOptions::new().max_bytes(budget.left()).read(bytes)?;
        share(&mut *other, &mut budget)?;
        let bytes = other.to_vec()?.len() as u64;
        let content = made.size.content;
        made.size.compressed.push(Share { name: "share".to_owned(), count: 1, bytes, content });
    }
    Ok(made.finish())
}

struct Measure<'a> {
    document: &'a AnyDocument,
    size: Size,
    parts: HashMap<String, Share>,
    properties: HashMap<String, Share>,
    own: HashMap<InstanceId, u64>,
    sources: HashMap<InstanceId, u64>,
}

/// Divides a number of bytes among parts by their weights, so that the result adds up.
fn divided(bytes: u64, weights: impl Iterator<Item = u64> + Clone) -> impl Iterator<Item = u64> {
    let total: u128 = weights.clone().map(u128::from).sum::<u128>().max(1);
    let (mut before, mut given) = (0_u128, 0_u64);
    weights.map(move |weight| {
        before += u128::from(weight);
        let until = u64::try_from(u128::from(bytes) * before / total).unwrap_or(bytes);
        let part = until - given;
        given = until;
        part
    })
}

fn add(to: &mut HashMap<String, Share>, name: String, bytes: u64, content: u64, count: usize) {
    let share = to.entry(name).or_default();
    share.bytes += bytes;
    share.content += content;
    share.count += count;
}

impl<'a> Measure<'a> {
    fn new(document: &'a AnyDocument, bytes: u64) -> Self {
        Self {
            document,
            size: Size { bytes, ..Size::default() },
            parts: HashMap::new(),
            properties: HashMap::new(),
            own: HashMap::new(),
            sources: HashMap::new(),
        }
    }

    fn part(&mut self, name: &str, bytes: u64, content: u64) {
        self.size.content += content;
        add(&mut self.parts, name.to_owned(), bytes, content, 1);
    }

    fn give(&mut self, id: InstanceId, bytes: u64) {
        *self.own.entry(id).or_default() += bytes;
    }

    fn binary(&mut self, document: &rbxbinary::Document, bytes: &[u8]) -> Result<()> {
        // The instances of each class, in the order of its rows.
        let mut rows: Vec<Vec<InstanceId>> = Vec::with_capacity(document.classes().len());
        let mut of_name: HashMap<&[u8], std::vec::IntoIter<InstanceId>> = HashMap::new();
        for class in document.classes() {
            let all = of_name
                .entry(&class.name)
                .or_insert_with(|| document.by_class(&class.name).collect::<Vec<_>>().into_iter());
            rows.push(all.by_ref().take(class.referents.len()).collect());
        }
        let index_of: HashMap<u32, usize> =
            document.classes().iter().enumerate().map(|(index, class)| (class.id, index)).collect();
        let mut chunks = rbxbinary::chunks(bytes)?;
        let content: u64 = chunks.clone().filter_map(Result::ok).map(|chunk| u64::from(chunk.len)).sum();
        let levels = if content <= SEARCHED { LEVELS } else { &LEVELS[..1] };
        let (mut stored, mut wanted) = (0, vec![0_u64; levels.len()]);
        for chunk in chunks.by_ref() {
            let chunk = chunk?;
            let (length, content) = (chunk.range.len() as u64, 16 + u64::from(chunk.len));
            stored += length;
            let data = chunk.data()?;
            for (wanted, &level) in wanted.iter_mut().zip(levels) {
                *wanted += 16 + rbxbinary::zstd_len(&data, level).min(data.len() as u64);
            }
            self.part(&chunk.name.to_string(), length, content);
            let class = data.first_chunk().and_then(|&id| index_of.get(&u32::from_le_bytes(id)).copied());
            match (&chunk.name.0, class) {
                (b"INST", Some(class)) => {
                    let rows = &rows[class];
                    for (&id, part) in rows.iter().zip(divided(length, rows.iter().map(|_| 1))) {
                        self.give(id, part);
                    }
                }
                (b"PROP", Some(class)) => {
                    self.column(&document.classes()[class], &rows[class], &data, length, content);
                }
                (b"PROP", None) => {
                    add(&mut self.properties, "of no class".to_owned(), length, content, 0);
                }
                (b"PRNT", _) => {
                    let all: Vec<InstanceId> = document.instances().collect();
                    for (&id, part) in all.iter().zip(divided(length, all.iter().map(|_| 1))) {
                        self.give(id, part);
                    }
                }
                (b"SSTR", _) => self.strings(document, length),
                _ => {}
            }
        }
        let trailing = chunks.rest().len() as u64;
        let header = bytes.len() as u64 - stored - trailing;
        self.part("header", header, header);
        if trailing > 0 {
            self.part("bytes behind the end", trailing, trailing);
        }
        for (bytes, level) in wanted.into_iter().zip(levels) {
            let name = format!("zstd:{level}");
            let bytes = bytes + header;
            self.size.compressed.push(Share { name, count: 1, bytes, content: self.size.content });
        }
        Ok(())
    }

    /// A chunk of values.
    fn column(
        &mut self,
        class: &rbxbinary::parts::Class,
        rows: &[InstanceId],
        data: &[u8],
        length: u64,
        content: u64,
    ) {
        let name = data.get(4..).and_then(|rest| {
            let (&len, rest) = rest.split_first_chunk()?;
            rest.get(..usize::try_from(u32::from_le_bytes(len)).ok()?)
        });
        let name = name.unwrap_or_default();
        add(&mut self.properties, format!("{}.{}", class.name, name.as_bstr()), length, content, rows.len());
        let weights: Vec<u64> = match class.property(name) {
            Some(Column::String(all)) if all.len() == rows.len() => {
                all.iter().map(|text| 4 + text.len() as u64).collect()
            }
            _ => vec![1; rows.len()],
        };
        let is_source = name == b"Source";
        for ((&id, part), weight) in rows.iter().zip(divided(length, weights.iter().copied())).zip(&weights) {
            self.give(id, part);
            if is_source {
                self.sources.insert(id, weight.saturating_sub(4));
            }
        }
    }

    /// The shared strings of a binary file.
    fn strings(&mut self, document: &rbxbinary::Document, length: u64) {
        let all = document.shared_strings();
        let mut users: Vec<(usize, Option<String>)> = vec![(0, None); all.len()];
        for class in document.classes() {
            for property in &class.properties {
                let Column::SharedString(indices) = &property.column else { continue };
                for index in indices {
                    if let Some((count, first)) = users.get_mut(index.0 as usize) {
                        *count += 1;
                        let name = || format!("{}.{}", class.name, property.name);
                        first.get_or_insert_with(name);
                    }
                }
            }
        }
        let weights = all.iter().map(|string| 20 + string.bytes.as_ref().len() as u64);
        for ((part, weight), (count, first)) in divided(length, weights.clone()).zip(weights).zip(users) {
            let name = first.unwrap_or_else(|| "unused".to_owned());
            self.size.shared.push(Share { name, count, bytes: part, content: weight });
        }
    }

    fn xml(&mut self, document: &rbxxml::Document, bytes: &[u8]) {
        let mut within = 0_u64;
        for id in document.instances() {
            let length = |range: Option<std::ops::Range<usize>>| range.map_or(0, |range| range.len() as u64);
            let own = length(document.source_range(id));
            let below: u64 = document.children(id).map(|child| length(document.source_range(child))).sum();
            let own = own.saturating_sub(below);
            self.give(id, own);
            within += own;
            let class = self.document.class_of(id).into_owned();
            for (name, range) in document.source_ranges(id) {
                let length = range.len() as u64;
                if name == "Source" {
                    self.sources.insert(id, length);
                }
                add(&mut self.properties, format!("{class}.{name}"), length, length, 1);
            }
        }
        let mut shared = 0;
        for (string, range) in document.shared_ranges() {
            let length = range.len() as u64;
            shared += length;
            let content = string.as_ref().len() as u64;
            self.size.shared.push(Share { name: "shared".to_owned(), count: 1, bytes: length, content });
        }
        let rest = (bytes.len() as u64).saturating_sub(within + shared);
        for (name, bytes) in [("instances", within), ("shared strings", shared), ("text around them", rest)] {
            self.part(name, bytes, bytes);
        }
    }

    /// Finds texts that are stored more than once.
    fn duplicates(&mut self, budget: &mut Budget) -> Result<()> {
        let document: &dyn Dom = self.document;
        let mut known: HashMap<&[u8], (usize, InstanceId, String)> = HashMap::new();
        for id in document.instances() {
            for (name, value) in document.properties(id) {
                let is_shared =
                    matches!(value, rbxcore::ValueRef::SharedString(_) | rbxcore::ValueRef::NetAssetRef(_));
                let text = value.as_bytes().filter(|text| !is_shared && text.len() >= SHARED_FROM);
                let Some(text) = text else { continue };
                match known.get_mut(text) {
                    Some((count, ..)) => *count += 1,
                    None => {
                        budget.charge(200, "the texts that are stored more than once")?;
                        known.insert(text, (1, id, name.to_string()));
                    }
                }
            }
        }
        let mut found: Vec<_> = known.into_iter().filter(|(_, (count, ..))| *count > 1).collect();
        let saved = |text: &[u8], count: usize| (count - 1) * text.len();
        found.sort_by_key(|(text, (count, id, _))| (std::cmp::Reverse(saved(text, *count)), *id));
        found.truncate(MOST_DUPLICATES);
        for (text, (count, id, name)) in found {
            let class = document.class_of(id);
            let (property, shared) = (format!("{class}.{name}"), shared_name(&class, &name));
            let (path, len) = (document.path_of(id), text.len() as u64);
            self.size.duplicates.push(Duplicate { property, path, count, len, shared });
        }
        Ok(())
    }

    /// Finds what each attribute takes, and whether scripts name it. Attributes that cannot be read are left out.
    fn attributes(&mut self, budget: &mut Budget) -> Result<()> {
        let document: &dyn Dom = self.document;
        let mut all: HashMap<BString, (usize, u64)> = HashMap::new();
        for id in document.instances() {
            let stored = document.value_ref(id, ATTRIBUTES.as_bytes());
            let Some(bytes) = stored.as_ref().and_then(|stored| stored.as_bytes()) else { continue };
            let read = rbxblobs::ReadOptions::new().max_bytes(budget.left());
            let Ok(Attributes(read)) = read.read(bytes) else { continue };
            for (name, value) in read {
                if !all.contains_key(&name) {
                    budget.charge(200 + name.len() as u64, "the attributes")?;
                }
                let alone = Attributes(vec![(name.clone(), value)]).to_vec();
                let (count, content) = all.entry(name).or_default();
                *count += 1;
                *content += alone.map_or(0, |alone| alone.len() as u64 - 4);
            }
        }
        let mut named: HashSet<BString> = HashSet::new();
        for id in document.instances().filter(|_| !all.is_empty()) {
            let source = document.value_ref(id, b"Source");
            let Some(source) = source.as_ref().and_then(|source| source.as_bytes()) else { continue };
            // The characters of names of attributes, and those of names in Luau.
            for more in [&b"._-/"[..], b"_"] {
                let words = source.split(|byte| !byte.is_ascii_alphanumeric() && !more.contains(byte));
                named.extend(words.filter(|word| all.contains_key(word.as_bstr())).map(BString::from));
            }
        }
        let found = all.into_iter().map(|(name, (count, content))| {
            let is_named = named.contains(&name);
            AttributeSize { name, count, content, is_named }
        });
        self.size.attributes = found.collect();
        let key = |of: &AttributeSize| (std::cmp::Reverse(of.content), of.name.clone());
        self.size.attributes.sort_by_key(key);
        Ok(())
    }

    fn finish(self) -> Size {
        let Self { document, mut size, parts, properties, own, sources, .. } = self;
        let document: &dyn Dom = document;
        let shares = |shares: HashMap<String, Share>| {
            let named = shares.into_iter().map(|(name, share)| Share { name, ..share });
            let mut shares: Vec<Share> = named.collect();
            shares.sort_by(|one, next| next.bytes.cmp(&one.bytes).then_with(|| one.name.cmp(&next.name)));
            shares
        };
        (size.parts, size.properties) = (shares(parts), shares(properties));
        size.shared.sort_by_key(|share| std::cmp::Reverse(share.bytes));
        let all: Vec<InstanceId> = document.instances().collect();
        let mut total = own.clone();
        for &id in all.iter().rev() {
            let of_id = total.get(&id).copied().unwrap_or_default();
            if let Some(parent) = document.parent(id) {
                *total.entry(parent).or_default() += of_id;
            }
        }
        size.instances = all
            .into_iter()
            .map(|id| InstanceSize {
                id,
                own: own.get(&id).copied().unwrap_or_default(),
                total: total.get(&id).copied().unwrap_or_default(),
                source: sources.get(&id).copied(),
            })
            .collect();
        size
    }
}
