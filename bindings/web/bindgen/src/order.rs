//! The functions of a module in an order that puts those which are alike, as the many forms of one generic function or the
//! methods of one trait, next to each other: gzip looks back 32 KiB.

use std::collections::HashMap;

use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{CodeSection, FunctionSection, Module};
use wasmparser::{CodeSectionReader, FunctionSectionReader, Parser, Payload, TypeRef};

use crate::Names;

type Result<T, E = Error> = std::result::Result<T, E>;

/// Functions of fewer bytes have less of a name than of content.
const SMALL: usize = 128;

/// The number of samples of a body. Two functions are alike if one of their samples is equal.
const SAMPLES: u64 = 8;

/// The number of hashes in a sample. Each is the smallest that its hash function finds in the windows of the body.
const HASHES: u64 = 3;

/// The number of consecutive bytes that are hashed together.
const WINDOW: usize = 8;

/// The same module in that order, and the names of its functions.
pub(crate) fn by_likeness(module: &[u8], names: &Names) -> Result<(Vec<u8>, Names)> {
    let (mut imports, mut defined, mut bodies) = (0, 0, Vec::new());
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    imports += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                }
            }
            Payload::FunctionSection(section) => defined = section.count(),
            Payload::CodeSectionEntry(body) => bodies.push(body.as_bytes()),
            _ => {}
        }
    }
    let mut old: Vec<u32> = (imports..imports + defined).collect();
    old.sort_by_cached_key(|index| {
        let body = bodies[(index - imports) as usize];
        (names.get(index).filter(|_| body.len() >= SMALL).map(|name| title(name)), body)
    });
    let places = grouped(&old.iter().map(|index| bodies[(index - imports) as usize]).collect::<Vec<_>>());
    let old: Vec<u32> = places.into_iter().map(|at| old[at]).collect();
    let mut new: Vec<u32> = (0..imports + defined).collect();
    for (at, index) in (imports..).zip(&old) {
        new[*index as usize] = at;
    }
    let names = names.iter().map(|(index, name)| (new[*index as usize], name.clone())).collect();
    let mut out = Module::new();
    Ordered { imports, old, new }.parse_core_module(&mut out, Parser::new(0), module)?;
    Ok((out.finish(), names))
}

/// The indices of the bodies, with bodies that are alike next to each other.
fn grouped(bodies: &[&[u8]]) -> Vec<usize> {
    // A union-find forest: the root of each group is its first body.
    let mut firsts: Vec<usize> = (0..bodies.len()).collect();
    fn first(firsts: &mut [usize], mut at: usize) -> usize {
        while firsts[at] != at {
            firsts[at] = firsts[firsts[at]];
            at = firsts[at];
        }
        at
    }
    let mut seen = HashMap::new();
    for (at, body) in bodies.iter().enumerate().filter(|(_, body)| body.len() >= SMALL) {
        for sample in 0..SAMPLES {
            let hashes = (0..HASHES).map(|number| smallest(body, sample * HASHES + number));
            let like = *seen.entry((sample, hashes.collect::<Vec<_>>())).or_insert(at);
            let (a, b) = (first(&mut firsts, like), first(&mut firsts, at));
            firsts[a.max(b)] = a.min(b);
        }
    }
    let mut order: Vec<usize> = (0..bodies.len()).collect();
    order.sort_by_cached_key(|&at| (first(&mut firsts, at), at));
    order
}

/// The smallest value of a hash function in the windows of a body; `kind` selects the function.
fn smallest(body: &[u8], kind: u64) -> u64 {
    let start = kind.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xcbf2_9ce4_8422_2325;
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3).rotate_left(5);
    body.windows(WINDOW).map(|window| window.iter().fold(start, mix)).min().unwrap_or(0)
}

/// The name of a method of a trait without the type, which comes first.
fn title(name: &str) -> String {
    let rest = name.split_once(" as ").or_else(|| name.rsplit_once("<impl "));
    rest.map_or(name, |(_, rest)| rest).to_owned()
}

struct Ordered {
    imports: u32,
    /// The old index of each function of the module, in the new order.
    old: Vec<u32>,
    /// The new index of each function, imported ones too.
    new: Vec<u32>,
}

impl Ordered {
    /// The entry of each function of the module, in the new order.
    fn ordered<T>(&self, all: impl IntoIterator<Item = wasmparser::Result<T>>) -> Result<Vec<T>> {
        let mut all: Vec<Option<T>> =
            all.into_iter().map(|one| one.map(Some)).collect::<wasmparser::Result<_>>()?;
        Ok(self.old.iter().filter_map(|index| all[(index - self.imports) as usize].take()).collect())
    }
}

impl Reencode for Ordered {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, index: u32) -> Result<u32> {
        Ok(self.new[index as usize])
    }

    fn parse_function_section(
        &mut self,
        to: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> Result<()> {
        for index in self.ordered(section)? {
            to.function(self.type_index(index)?);
        }
        Ok(())
    }

    fn parse_code_section(&mut self, to: &mut CodeSection, section: CodeSectionReader<'_>) -> Result<()> {
        for body in self.ordered(section)? {
            self.parse_function_body(to, body)?;
        }
        Ok(())
    }
}
