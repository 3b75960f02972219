//! How a whole file becomes a broken one.

use std::collections::BTreeMap;

use serde_json::Value;
use targets::kit::sources;
use testkit::Rng;

use super::samples::Sample;

/// What hurts as a number of a text.
pub(super) const HURTS: [&str; 16] = [
    "0",
    "-1",
    "1e38",
    "-1e39",
    "nan",
    "inf",
    "4294967295",
    "4294967296",
    "2147483647",
    "65536",
    "1e9",
    "18446744073709551615",
    "1e-45",
    "-0",
    "1e308",
    "0.5",
];

/// The files of a format, and those of each of its forms.
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

    /// The name of each form, and how many files are of it.
    pub(super) fn forms(&self) -> impl Iterator<Item = (&str, usize)> {
        self.forms.iter().map(|(name, files)| (name.as_str(), files.len()))
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn whole(&self, index: usize) -> Sample {
        self.all[index].clone()
    }

    /// The input of a number, of the forms in turn, and of which form it is: the first are the files as they are.
    pub(super) fn damaged(&self, seed: u64, number: usize) -> (usize, Sample) {
        let (form, number) = (number % self.forms.len(), number / self.forms.len());
        let files: Vec<&Sample> =
            self.forms.values().nth(form).into_iter().flatten().map(|&index| &self.all[index]).collect();
        (form, input(&files, seed.wrapping_add(form as u64), number))
    }
}

fn input(samples: &[&Sample], seed: u64, number: usize) -> Sample {
    let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number as u64);
    let mut sample = samples[number % samples.len()].clone();
    if number < samples.len() {
        return sample;
    }
    let other = samples[rng.below(samples.len())];
    // Of a file that has others beside it, one of them is damaged, too.
    if !sample.beside.is_empty() && rng.below(2) == 0 {
        let at = rng.below(sample.beside.len());
        let theirs = other.beside.values().next().unwrap_or(&other.bytes).clone();
        if let Some(bytes) = sample.beside.values_mut().nth(at) {
            *bytes = damaged(bytes, &theirs, &mut rng);
        }
        if rng.below(2) == 0 {
            return sample;
        }
    }
    sample.bytes = damaged(&sample.bytes, &other.bytes, &mut rng);
    sample
}

fn damaged(bytes: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    if bytes.is_empty() || other.is_empty() {
        return bytes.to_vec();
    }
    // Most of what is compressed is damaged inside.
    if rng.below(8) > 0
        && let Some(bytes) = super::blocks::damaged(bytes, rng).or_else(|| super::chunks::damaged(bytes, rng))
    {
        return bytes;
    }
    // Half of them in a way that leaves the syntax as it is; of glTF more, of which nearly all else is refused.
    let is_json = bytes.starts_with(b"glTF") || bytes.starts_with(b"{");
    if rng.below(if is_json { 8 } else { 2 }) > 0
        && let Some(bytes) = structured(bytes, rng)
    {
        return bytes;
    }
    let mut bytes = bytes.to_vec();
    match rng.below(10) {
        0 => bytes.truncate(rng.below(bytes.len())),
        1 => {
            // A piece of another file.
            let start = rng.below(other.len());
            let piece = &other[start..(start + 1 + rng.below(400)).min(other.len())];
            let at = rng.below(bytes.len());
            let end = (at + rng.below(2) * piece.len()).min(bytes.len());
            bytes.splice(at..end, piece.iter().copied());
        }
        2 if std::str::from_utf8(&bytes).is_ok() => numbers(&mut bytes, rng),
        3 => {
            // A piece of itself, many times.
            let start = rng.below(bytes.len());
            let piece = bytes[start..(start + 1 + rng.below(64)).min(bytes.len())].to_vec();
            let times = 1 + rng.below(300);
            bytes.splice(start..start, piece.repeat(times));
        }
        _ => {}
    }
    testkit::mutate(&bytes, rng)
}

/// Another value in JSON, other lines or numbers in a text; a file of neither has no such damage.
fn structured(bytes: &[u8], rng: &mut Rng) -> Option<Vec<u8>> {
    if let Some((json, rest)) = glb(bytes) {
        let mut value: Value = serde_json::from_slice(json).ok()?;
        let mut rest = rest.to_vec();
        match rng.below(4) {
            0 => (0..=rng.below(3)).for_each(|_| json_value(&mut value, rng)),
            // After the length and the name of its chunk.
            _ => super::gltf::damage(&mut value, rest.get_mut(8..).unwrap_or_default(), rng),
        }
        let mut json = serde_json::to_vec(&value).ok()?;
        json.resize(json.len().next_multiple_of(4), b' ');
        let length = |length: usize| u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes();
        let total = length(20 + json.len() + rest.len());
        return Some([&b"glTF\x02\0\0\0"[..], &total, &length(json.len()), b"JSON", &json, &rest].concat());
    }
    let text = std::str::from_utf8(bytes).ok()?;
    if let Ok(mut value) = serde_json::from_str::<Value>(text)
        && (value.is_object() || value.is_array())
    {
        match value.get("asset").is_some() && rng.below(4) > 0 {
            true => super::gltf::damage(&mut value, &mut [], rng),
            false => (0..=rng.below(3)).for_each(|_| json_value(&mut value, rng)),
        }
        return serde_json::to_vec(&value).ok();
    }
    let mut bytes = bytes.to_vec();
    if rng.below(2) == 0 {
        numbers(&mut bytes, rng);
        return Some(bytes);
    }
    // Elements, or lines.
    let marks = if text.trim_start().starts_with('<') { b'<' } else { b'\n' };
    let mut parts: Vec<Vec<u8>> = bytes.split_inclusive(|&byte| byte == marks).map(<[u8]>::to_vec).collect();
    for _ in 0..=rng.below(3) {
        let (from, to) = (rng.below(parts.len()), rng.below(parts.len()));
        let count = (1 + rng.below(8)).min(parts.len() - from);
        match rng.below(4) {
            0 if parts.len() > count => drop(parts.drain(from..from + count)),
            1 => parts.swap(from, to),
            2 => {
                let piece = vec![parts[from..from + count].concat(); 1 + rng.below(20)];
                parts.splice(to..to, piece);
            }
            _ => {
                let piece = parts[from..from + count].to_vec();
                parts.splice(to..to, piece);
            }
        }
    }
    Some(parts.concat())
}

/// The JSON of a binary glTF file, and what is after it.
fn glb(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = bytes.strip_prefix(b"glTF")?.get(8..)?;
    let (length, rest) = rest.split_first_chunk()?;
    let rest = rest.strip_prefix(b"JSON")?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

/// Somewhere in a value, another one.
fn json_value(value: &mut Value, rng: &mut Rng) {
    let whole = value.clone();
    below(value, &whole, rng);
}

/// Goes down, and seldom stops before it is at the end.
fn below(value: &mut Value, whole: &Value, rng: &mut Rng) {
    let count = match value {
        Value::Array(list) => list.len(),
        Value::Object(map) => map.len(),
        _ => 0,
    };
    if count == 0 || rng.below(6) == 0 {
        changed(value, whole, rng);
        return;
    }
    let at = rng.below(count);
    let next = match value {
        Value::Array(list) => list.get_mut(at),
        Value::Object(map) => map.values_mut().nth(at),
        _ => None,
    };
    if let Some(next) = next {
        below(next, whole, rng);
    }
}

fn changed(value: &mut Value, whole: &Value, rng: &mut Rng) {
    match (rng.below(8), &mut *value) {
        (0..=2, Value::Array(list)) if !list.is_empty() => {
            let (from, to) = (rng.below(list.len()), rng.below(list.len()));
            match rng.below(3) {
                0 => drop(list.remove(from)),
                1 => list.swap(from, to),
                _ => {
                    let one = list[from].clone();
                    let times = 1 + rng.below(100);
                    list.extend(std::iter::repeat_n(one, times));
                }
            }
        }
        (0..=2, Value::Object(map)) if !map.is_empty() => {
            let at = rng.below(map.len());
            if let Some(key) = map.keys().nth(at).cloned() {
                map.remove(&key);
            }
        }
        (0..=4, Value::Number(number)) if number.is_u64() => {
            // An index nearby, or one that is just beyond.
            let near = number.as_u64().unwrap_or_default();
            *value = Value::from(near.wrapping_add(rng.below(5) as u64).wrapping_sub(2) & 0xff_ffff);
        }
        (0..=4, Value::Number(_)) | (5, _) => {
            *value = serde_json::from_str(HURTS[rng.below(HURTS.len())]).unwrap_or(Value::Null);
        }
        (6, _) => {
            // What is elsewhere in the file.
            let mut from = whole;
            for _ in 0..rng.below(5) {
                let next = match from {
                    Value::Array(list) if !list.is_empty() => list.get(rng.below(list.len())),
                    Value::Object(map) if !map.is_empty() => map.values().nth(rng.below(map.len())),
                    _ => None,
                };
                from = next.unwrap_or(from);
            }
            *value = from.clone();
        }
        _ => {
            *value = match rng.below(5) {
                0 => Value::Null,
                1 => Value::Array(Vec::new()),
                2 => Value::Object(serde_json::Map::new()),
                3 => Value::from(""),
                _ => Value::from(true),
            };
        }
    }
}

/// Some numbers of 8, 16 or 32 bits become the least, the greatest, others that are there, or those beside them.
pub(super) fn in_place(bytes: &mut [u8], rng: &mut Rng) {
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

/// Numbers in a text become some that hurt.
fn numbers(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let starts: Vec<usize> = (0..bytes.len())
        .filter(|&at| bytes[at].is_ascii_digit() && (at == 0 || !bytes[at - 1].is_ascii_digit()))
        .collect();
    for _ in 0..=rng.below(3) {
        if starts.is_empty() {
            return;
        }
        let at = starts[rng.below(starts.len())].min(bytes.len().saturating_sub(1));
        let len = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
        bytes.splice(at..at + len, HURTS[rng.below(HURTS.len())].bytes());
    }
}
