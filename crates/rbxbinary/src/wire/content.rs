//! Content: the kind of each value, then the addresses, then the instances.
//!
//! | bytes | what |
//! |---|---|
//! | i32s | the kind of each value: 0 nothing, 1 address, 2 instance; interleaved, with the sign in the lowest bit |
//! | u32 | the number of addresses |
//! | … | the strings, one for each value of kind 1, in order |
//! | u32 | the number of instances |
//! | referents | one for each value of kind 2, in order |
//! | u32 | the number of external objects |
//! | referents | of unknown meaning: no real file has any |

use crate::model::{ContentEntry, Contents, Referent, Strings};
use crate::wire::column::{Wire, malformed, space};
use crate::wire::count::{count, put_count};
use crate::wire::interleave::Number;
use crate::wire::{referent, string};
use geom::wire::{Budget, Error, Here, Parsed, Result};

const NONE: i32 = 0;
const URI: i32 = 1;
const OBJECT: i32 = 2;

impl Wire for Contents {
    fn read<'a>(start: &'a [u8], len: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        let (input, kinds) = i32::read(start, len)?;
        let mut entries = space(len, budget).here(start)?;
        let (mut uris, mut objects) = (0_u32, 0_usize);
        for kind in kinds {
            entries.push(match kind {
                NONE => ContentEntry::None,
                URI => {
                    let index = uris;
                    uris = index.saturating_add(1);
                    ContentEntry::Uri(index)
                }
                OBJECT => {
                    objects = objects.saturating_add(1);
                    ContentEntry::Object(Referent::NULL)
                }
                _ => return malformed(start),
            });
        }
        let (input, uri_count) = count(input, 4)?;
        if usize::try_from(uris) != Ok(uri_count) {
            return malformed(input);
        }
        let (input, uris) = Strings::read(input, uri_count, budget)?;
        let (input, object_count) = count(input, 4)?;
        if object_count != objects {
            return malformed(input);
        }
        let (input, referents) = Vec::read(input, object_count, budget)?;
        let slots = entries.iter_mut().filter(|entry| matches!(entry, ContentEntry::Object(_)));
        slots.zip(referents).for_each(|(slot, referent)| *slot = ContentEntry::Object(referent));
        let (input, external_count) = count(input, 4)?;
        let (input, external) = Vec::read(input, external_count, budget)?;
        Ok((input, Self { entries, uris, external }))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        let kind = |entry: &ContentEntry| match entry {
            ContentEntry::None => NONE,
            ContentEntry::Uri(_) => URI,
            ContentEntry::Object(_) => OBJECT,
        };
        Number::write(&self.entries, kind, out);
        let uris = self.entries.iter().enumerate().filter_map(|(index, entry)| match entry {
            ContentEntry::Uri(uri) => Some((index, *uri)),
            _ => None,
        });
        put_count(uris.clone().count(), "uris", out)?;
        for (index, number) in uris {
            let uri = self.uri(number).ok_or_else(|| {
                let what = format!(
                    "URI index {number}, which is out of range (number of URIs: {})",
                    self.uris.len()
                );
                Error::unwritable(format!("entries[{index}]"), what)
            })?;
            string::write(uri, "uris", out)?;
        }
        let objects = self.entries.iter().filter_map(|entry| match entry {
            ContentEntry::Object(referent) => Some(*referent),
            _ => None,
        });
        let objects: Vec<Referent> = objects.collect();
        put_count(objects.len(), "objects", out)?;
        referent::write(&objects, out);
        put_count(self.external.len(), "external", out)?;
        referent::write(&self.external, out);
        Ok(())
    }
}
