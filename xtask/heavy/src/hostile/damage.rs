//! Damages valid files at random.

use std::collections::BTreeMap;

use serde_json::Value;
use targets::formats::{asset_of, blocks, stored};
use targets::kit::sources;
use targets::model::{EDIT, apply, edited};
use testkit::Rng;

use super::samples::Sample;
use crate::bytes::{base64, from_base64};

/// Critical numbers for a text.
const HURTS: &str = "0 -1 1e38 -1e39 nan inf 4294967295 4294967296 2147483647 65536 1e9 18446744073709551615 1e-45 -0 1e308 0.5";

/// The files of a format, and their indices by form (version).
pub(super) struct Samples {
    all: Vec<Sample>,
    forms: BTreeMap<String, Vec<usize>>,
}

impl Samples {
    pub(super) fn new(all: Vec<Sample>, by_form: bool) -> Self {
        let mut forms: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, sample) in all.iter().enumerate() {
            let open = || rezkit::open(sample.bytes.clone(), &sample.name, sources(&sample.beside));
            let form = match by_form {
                true => open().map_or_else(|_| "refused".into(), |opened| opened.asset().version()),
                false => String::new(),
            };
            forms.entry(if form.is_empty() { "-".into() } else { form }).or_default().push(index);
        }
        Self { all, forms }
    }

    /// The name of each form, and the number of its files.
    pub(super) fn forms(&self) -> impl Iterator<Item = (&str, usize)> {
        self.forms.iter().map(|(name, files)| (name.as_str(), files.len()))
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn whole(&self, index: usize) -> Sample {
        self.all[index].clone()
    }

    /// The input with this number, and the index of its form. The forms take turns. The first inputs of each form are
    /// its files without damage.
    pub(super) fn damaged(&self, seed: u64, number: usize) -> (usize, Sample) {
        let (form, number) = (number % self.forms.len(), number / self.forms.len());
        let files: Vec<&Sample> =
            self.forms.values().nth(form).into_iter().flatten().map(|&index| &self.all[index]).collect();
        let seed = seed.wrapping_add(form as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number as u64;
        let mut sample = files[number % files.len()].clone();
        if number >= files.len() {
            let mut rng = Rng(seed);
            let other = files[rng.below(files.len())];
            // If the file has others beside it, half of the time one of these is damaged instead.
            let theirs = other.beside.values().next().unwrap_or(&other.bytes).clone();
            let at = rng.below(sample.beside.len().max(1));
            let beside = sample.beside.values_mut().nth(at).filter(|_| rng.below(2) == 0);
            if let Some(beside) = beside {
                *beside = damaged(beside, &theirs, &mut rng);
            } else {
                sample.bytes = damaged(&sample.bytes, &other.bytes, &mut rng);
            }
        }
        (form, sample)
    }
}

/// Damages a file: mostly inside of its compressed parts, or so that its syntax stays valid.
fn damaged(bytes: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    if bytes.is_empty() || other.is_empty() {
        return bytes.to_vec();
    }
    let is_json = bytes.starts_with(b"glTF") || bytes.starts_with(b"{");
    let found = match rng.below(8) {
        0 => None,
        1 | 2 if !is_json => values(bytes, rng),
        _ => inside(bytes, rng),
    };
    if let Some(bytes) = found {
        return bytes;
    }
    let mut bytes = bytes.to_vec();
    match rng.below(10) {
        0 => bytes.truncate(rng.below(bytes.len())),
        1 => {
            // Insert a piece of another file, or replace a piece by it.
            let start = rng.below(other.len());
            let piece = &other[start..(start + 1 + rng.below(400)).min(other.len())];
            let at = rng.below(bytes.len());
            let end = (at + rng.below(2) * piece.len()).min(bytes.len());
            bytes.splice(at..end, piece.iter().copied());
        }
        2 if std::str::from_utf8(&bytes).is_ok() => numbers(&mut bytes, rng),
        3 => {
            // Repeat a piece of the file many times.
            let start = rng.below(bytes.len());
            let piece = bytes[start..(start + 1 + rng.below(64)).min(bytes.len())].to_vec();
            bytes.splice(start..start, piece.repeat(1 + rng.below(300)));
        }
        _ => {}
    }
    testkit::mutate(&bytes, rng)
}

fn edits(rng: &mut Rng) -> Vec<u8> {
    (0..EDIT * (1 + rng.below(3))).map(|_| rng.next().to_le_bytes()[0]).collect()
}

/// Edits the model of a file that a format crate can read, and writes it again.
fn values(bytes: &[u8], rng: &mut Rng) -> Option<Vec<u8>> {
    macro_rules! as_model {
        ($($krate:ident)*) => {
            $(if let Ok(model) = $krate::from_slice(bytes) {
                return $krate::to_vec(&edited(&model, &edits(rng))?).ok();
            })*
        };
    }
    as_model!(rbxmesh rbxbinary rbxxml m3d slmesh);
    if let Ok(motion) = slmesh::motion::from_slice(bytes) {
        return slmesh::motion::to_vec(&edited(&motion, &edits(rng))?).ok();
    }
    edited(&slmesh::Slm::from_slice(bytes).ok()?, &edits(rng))?.to_vec().ok()
}

/// Changes bytes inside of compressed parts, values in JSON, or numbers, elements or lines in a text.
fn inside(bytes: &[u8], rng: &mut Rng) -> Option<Vec<u8>> {
    let mut blocks = blocks(bytes);
    if !blocks.is_empty() {
        let at = rng.below(blocks.len());
        match rng.below(2) {
            0 => in_place(&mut blocks[at].1, rng),
            _ => blocks[at].1 = testkit::mutate(&blocks[at].1, rng),
        }
        return asset_of(&blocks);
    }
    if let Some(mut document) = stored(bytes) {
        // Skip the header, since a file with a wrong one is refused at once.
        in_place(document.get_mut(32..)?, rng);
        return Some(document);
    }
    if let Some((json, rest)) = glb(bytes) {
        let (mut value, mut rest) = (serde_json::from_slice(json).ok()?, rest.to_vec());
        // Skip the length and the type of the binary chunk.
        json_value(&mut value, rest.get_mut(8..).unwrap_or_default(), rng);
        let mut json = serde_json::to_vec(&value).ok()?;
        json.resize(json.len().next_multiple_of(4), b' ');
        let length = |length: usize| (length as u32).to_le_bytes();
        let total = length(20 + json.len() + rest.len());
        return Some([&b"glTF\x02\0\0\0"[..], &total, &length(json.len()), b"JSON", &json, &rest].concat());
    }
    let text = std::str::from_utf8(bytes).ok()?;
    if let Ok(mut value) = serde_json::from_str::<Value>(text)
        && (value.is_object() || value.is_array())
    {
        json_value(&mut value, &mut [], rng);
        return serde_json::to_vec(&value).ok();
    }
    let mut bytes = bytes.to_vec();
    if rng.below(2) == 0 {
        numbers(&mut bytes, rng);
        return Some(bytes);
    }
    // A text in XML is split into elements, any other into lines.
    let mark = if text.trim_start().starts_with('<') { b'<' } else { b'\n' };
    let mut parts: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == mark).collect();
    for _ in 0..=rng.below(3) {
        let (from, to) = (rng.below(parts.len()), rng.below(parts.len()));
        let count = (1 + rng.below(8)).min(parts.len() - from);
        match rng.below(3) {
            0 if parts.len() > count => drop(parts.drain(from..from + count)),
            1 => parts.swap(from, to),
            _ => {
                let piece = parts[from..from + count].repeat(1 + rng.below(20));
                parts.splice(to..to, piece);
            }
        }
    }
    Some(parts.concat())
}

/// The JSON of a binary glTF file, and the bytes after it.
fn glb(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = bytes.strip_prefix(b"glTF")?.get(8..)?;
    let (length, rest) = rest.split_first_chunk()?;
    rest.strip_prefix(b"JSON")?.split_at_checked(u32::from_le_bytes(*length) as usize)
}

/// Keys of glTF whose values must fit together; a file with random ones is mostly refused at once.
const SIZES: &str = "byteLength byteOffset byteStride count componentType type bufferView buffer version uri";

/// Keys of glTF whose values are indices or lists of indices, each with the list that they index.
const INDICES: &str = "mesh:meshes node:nodes nodes:nodes children:nodes joints:nodes skeleton:nodes skin:skins camera:cameras \
    material:materials source:images input:accessors output:accessors inverseBindMatrices:accessors indices:accessors";

/// Keys of glTF that objects can lack.
const FIELDS: &str = "uri bufferView mimeType perspective orthographic spot type source sampler index texCoord extensions \
    targets weights sparse indices values skin camera matrix translation rotation scale extras name min max";

/// Changes some values of JSON. In glTF, most changes keep sizes valid, or change bytes of a buffer; `buffer` is that
/// of a GLB.
fn json_value(value: &mut Value, buffer: &mut [u8], rng: &mut Rng) {
    if value.get("asset").is_none() || rng.below(4) == 0 {
        return edits(rng).chunks_exact(EDIT).for_each(|edit| apply(value, edit));
    }
    for _ in 0..=rng.below(3) {
        match rng.below(4) {
            0 if !buffer.is_empty() => in_place(buffer, rng),
            0 => drop(within_a_buffer(value, rng)),
            1 => drop(field(value, rng)),
            _ => drop(leaf(value, rng)),
        }
    }
}

/// Removes a field of an object, renames it, or adds one that other objects have.
fn field(value: &mut Value, rng: &mut Rng) -> Option<()> {
    let mut leaves = Vec::new();
    collect(value, String::new(), "", &mut leaves);
    let pick = |rng: &mut Rng| leaves.get(rng.below(leaves.len().max(1))).cloned();
    let ((pointer, key), (other, added)) = (pick(rng)?, pick(rng)?);
    let new = value.pointer(&other)?.clone();
    // The object that has the field, or one above it.
    let above = |pointer: &str| pointer.rsplit_once('/').map(|(above, _)| above.to_owned());
    let mut at = above(&pointer)?;
    if rng.below(2) == 0 {
        at = above(&at).unwrap_or(at);
    }
    let object = value.pointer_mut(&at)?.as_object_mut()?;
    let named = match rng.below(2) {
        0 => FIELDS.split(' ').nth(rng.below(FIELDS.split(' ').count()))?.to_owned(),
        _ => added,
    };
    match rng.below(3) {
        0 => drop(object.remove(&key)),
        1 => {
            let moved = object.remove(&key)?;
            object.insert(named, moved);
        }
        _ => drop(object.insert(named, new)),
    }
    Some(())
}

/// Replaces a value that is not a list or an object by another of the same type; an index by another one into its list.
fn leaf(value: &mut Value, rng: &mut Rng) -> Option<()> {
    let mut leaves = Vec::new();
    collect(value, String::new(), "", &mut leaves);
    let (pointer, key) = leaves.swap_remove(rng.below(leaves.len().max(1)).min(leaves.len().checked_sub(1)?));
    let list = INDICES.split(' ').find_map(|pair| pair.strip_prefix(&*key)?.strip_prefix(':'));
    let length = list.and_then(|list| value.get(list)?.as_array().map(Vec::len)).filter(|&length| length > 0);
    let one = |list: &str, rng: &mut Rng| {
        let list: Vec<_> = list.split(' ').collect();
        list[rng.below(list.len())].to_owned()
    };
    let leaf = value.pointer_mut(&pointer)?;
    *leaf = match (&*leaf, length) {
        (Value::Number(_), Some(length)) => rng.below(length).into(),
        (Value::Number(number), _) if number.is_u64() && rng.below(4) > 0 => {
            number.as_u64()?.wrapping_add(rng.below(5) as u64).saturating_sub(2).into()
        }
        (Value::Number(_), _) => serde_json::from_str(&one(HURTS, rng)).unwrap_or(Value::Null),
        (Value::Bool(value), _) => (!value).into(),
        (Value::String(text), _) => match rng.below(4) {
            0 => "".into(),
            1 => text.repeat(2).into(),
            2 => "../\u{1b}[31m\u{202e}\0".into(),
            _ => one("BLEND MASK STEP CUBICSPLINE scale weights perspective spot", rng).into(),
        },
        _ => Value::Null,
    };
    Some(())
}

/// Collects the pointers to values that are not lists or objects, each with the nearest key above it.
fn collect(value: &Value, pointer: String, key: &str, leaves: &mut Vec<(String, String)>) {
    match value {
        Value::Array(list) => {
            let each = list.iter().enumerate();
            each.for_each(|(at, value)| collect(value, format!("{pointer}/{at}"), key, leaves));
        }
        Value::Object(map) => {
            for (key, value) in map.iter().filter(|(key, _)| !SIZES.split(' ').any(|size| size == *key)) {
                let step = key.replace('~', "~0").replace('/', "~1");
                collect(value, format!("{pointer}/{step}"), key, leaves);
            }
        }
        _ => leaves.push((pointer, key.to_owned())),
    }
}

/// Changes bytes of a buffer that is embedded in the document.
fn within_a_buffer(value: &mut Value, rng: &mut Rng) -> Option<()> {
    let buffers = value.get_mut("buffers")?.as_array_mut()?;
    let at = rng.below(buffers.len().max(1));
    let Value::String(uri) = buffers.get_mut(at)?.get_mut("uri")? else { return None };
    let (head, text) = uri.split_once(";base64,")?;
    let mut bytes = from_base64(text)?;
    in_place(&mut bytes, rng);
    *uri = format!("{head};base64,{}", base64(&bytes));
    Some(())
}

/// Changes some numbers of 8, 16 or 32 bits to extreme ones, to others of the file, or slightly.
fn in_place(bytes: &mut [u8], rng: &mut Rng) {
    const WIDE: [u32; 12] = [
        0,
        1,
        u32::MAX,
        0x7fff_ffff,
        0x8000_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0001,
        0x7f7f_ffff,
        1 << 16,
        0x3f80_0000,
        0xbf80_0000,
    ];
    for _ in 0..if bytes.is_empty() { 0 } else { 1 + rng.below(6) } {
        let width = [1, 2, 4][rng.below(3)].min(bytes.len());
        let (at, from) = (rng.below(bytes.len() / width) * width, rng.below(bytes.len() / width) * width);
        match rng.below(4) {
            0 => bytes.copy_within(from..from + width, at),
            1 => bytes[at] = bytes[at].wrapping_add(1),
            2 => bytes[at] ^= 1 << rng.below(8),
            _ => {
                let wide = WIDE[rng.below(WIDE.len())];
                let wide = if rng.below(2) == 0 { wide.to_le_bytes() } else { wide.to_be_bytes() };
                bytes[at..at + width].copy_from_slice(&wide[..width]);
            }
        }
    }
}

/// Replaces numbers in a text by critical ones.
fn numbers(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let hurts: Vec<_> = HURTS.split(' ').collect();
    let begins = |at: &usize| bytes[*at].is_ascii_digit() && (*at == 0 || !bytes[at - 1].is_ascii_digit());
    let starts: Vec<usize> = (0..bytes.len()).filter(begins).collect();
    for _ in 0..if starts.is_empty() { 0 } else { 1 + rng.below(3) } {
        let at = starts[rng.below(starts.len())].min(bytes.len().saturating_sub(1));
        let len = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
        bytes.splice(at..at + len, hurts[rng.below(hurts.len())].bytes());
    }
}
