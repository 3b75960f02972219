//! Content: the kind of each value, then the addresses, then the objects.
//!
//! | bytes | what |
//! |---|---|
//! | i32s | the kind of each value: 0 nothing, 1 address, 2 object; interleaved, with the sign in the lowest bit |
//! | u32 | how many addresses |
//! | … | as many strings, one for each value of kind 1, in order |
//! | u32 | how many objects |
//! | referents | one for each value of kind 2, in order |
//! | u32 | how many external objects |
//! | referents | of unknown meaning: no real file has any |

use nom::Parser;
use nom::error::context;
use nom::number::complete::le_u32;

use crate::error::{Error, Result};
use crate::limits::Budget;
use crate::model::{ContentEntry, Contents, Referent, Strings};
use crate::wire::column::{Wire, space};
use crate::wire::fail::{At, Fail, Here, Parsed};
use crate::wire::interleave::{i32s, put_i32s};
use crate::wire::{referent, string};

const NONE: i32 = 0;
const URI: i32 = 1;
const OBJECT: i32 = 2;

fn read_count(input: &[u8]) -> Parsed<'_, usize> {
    let (rest, count) = context("count", le_u32).parse(input)?;
    Ok((rest, usize::try_from(count).unwrap_or(usize::MAX)))
}

impl Wire for Contents {
    fn read<'a>(start: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        let (input, kinds) = i32s(start, count).field("source_types")?;
        let mut entries = space(count, budget).here(start)?;
        let (mut uris, mut objects) = (0_u32, 0_usize);
        for kind in kinds {
            entries.push(match kind {
                NONE => ContentEntry::None,
                URI => {
                    uris = uris.saturating_add(1);
                    ContentEntry::Uri(uris.saturating_sub(1))
                }
                OBJECT => {
                    objects = objects.saturating_add(1);
                    ContentEntry::Object(Referent::NULL)
                }
                other => return Err(Fail::unsupported(start, format!("source type {other}"))),
            });
        }
        let (after, uri_count) = read_count(input).field("uris")?;
        if uri_count != usize::try_from(uris).unwrap_or(usize::MAX) {
            let what = format!("{uri_count} addresses for {uris} values that have one");
            return Err(Fail::invalid(input, what)).field("uris");
        }
        let (input, uris) = Strings::read(after, uri_count, budget).field("uris")?;
        let (after, object_count) = read_count(input).field("objects")?;
        if object_count != objects {
            let what = format!("{object_count} objects for {objects} values that are one");
            return Err(Fail::invalid(input, what)).field("objects");
        }
        let (input, referents) = referent::read(after, object_count, budget).field("objects")?;
        let slots = entries.iter_mut().filter(|entry| matches!(entry, ContentEntry::Object(_)));
        slots.zip(referents).for_each(|(slot, referent)| *slot = ContentEntry::Object(referent));
        let (input, external_count) = read_count(input).field("external_objects")?;
        let (input, external) = referent::read(input, external_count, budget).field("external_objects")?;
        Ok((input, Self { entries, uris, external }))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        let kind = |entry: &ContentEntry| match entry {
            ContentEntry::None => NONE,
            ContentEntry::Uri(_) => URI,
            ContentEntry::Object(_) => OBJECT,
        };
        put_i32s(self.entries.iter().map(kind), out);
        let count = |count: usize, path: &'static str| {
            u32::try_from(count).map_err(|_| Error::unwritable(path, "more of them than 32 bits can count"))
        };
        let uris = self.entries.iter().enumerate().filter_map(|(index, entry)| match entry {
            ContentEntry::Uri(uri) => Some((index, *uri)),
            _ => None,
        });
        out.extend(count(uris.clone().count(), "uris")?.to_le_bytes());
        for (index, number) in uris {
            let uri = self.uri(number).ok_or_else(|| {
                let what = format!("address {number} of {}", self.uris.len());
                Error::unwritable(format!("entries[{index}]"), what)
            })?;
            string::write(uri, "uris", out)?;
        }
        let objects: Vec<Referent> = self
            .entries
            .iter()
            .filter_map(|entry| match entry {
                ContentEntry::Object(referent) => Some(*referent),
                _ => None,
            })
            .collect();
        out.extend(count(objects.len(), "objects")?.to_le_bytes());
        referent::write(&objects, out);
        out.extend(count(self.external.len(), "external")?.to_le_bytes());
        referent::write(&self.external, out);
        Ok(())
    }
}
