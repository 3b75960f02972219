//! The header of a file.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `<roblox!` |
//! | 6 | `89 ff 0d 0a 1a 0a` |
//! | u16 | version, 0 |
//! | i32 | the number of classes |
//! | i32 | the number of instances |
//! | 8 | reserved, 0 |

use nom::Parser;
use nom::bytes::complete::take;
use nom::error::context;
use nom::number::complete::{le_i32, le_u16};

use crate::consts::{MAGIC, SIGNATURE, Version};
use crate::model::Header;
use geom::wire::{At, Error, Fail, Parsed, Problem, Refuse as _, Result, magic};

/// The length of a header.
pub(crate) const LEN: usize = 32;

/// The version of a binary file, from its first bytes; `None` if this is another file.
pub(crate) fn detect(bytes: &[u8]) -> Option<Version> {
    let (input, ()) = read_magic(bytes).ok()?;
    let (_, version) = le_u16::<_, Fail<'_>>(input).ok()?;
    Some(Version(version))
}

fn read_magic(input: &[u8]) -> Parsed<'_, ()> {
    let (input, ()) =
        magic(input, MAGIC, "not a binary Roblox document: expected \"<roblox!\" at the start")?;
    if input.is_empty() {
        return Err(Fail::end(input));
    }
    magic(
        input,
        SIGNATURE,
        "expected the bytes 89 ff 0d 0a 1a 0a after \"<roblox!\": perhaps a program changed the file as if it were \
         text (get the original file; for git, first add \"*.rbxm binary\" and \"*.rbxl binary\" to .gitattributes)",
    )
}

impl Header {
    /// Reads the header with its counts, whether or not they are correct.
    pub(crate) fn read(start: &[u8]) -> Parsed<'_, Self> {
        let (input, ()) = read_magic(start)?;
        let (after, version) = context("version", le_u16).parse(input)?;
        if version != Version::V0.0 {
            let what = format!("version {version} (expected 0, the only known version)");
            return Err(Fail::unsupported(input, what)).field("version");
        }
        let (input, classes) = context("class_count", le_i32).parse(after)?;
        let (input, instances) = context("instance_count", le_i32).parse(input)?;
        let (input, reserved) = context("reserved", take(8_usize)).parse(input)?;
        let reserved = *reserved.first_chunk().unwrap_or(&[0; 8]);
        let (class_count, instance_count) = (Some(classes), Some(instances));
        Ok((input, Self { version: Version(version), class_count, instance_count, reserved }))
    }

    /// Writes a header, with its own counts if it has them, else with `counts` of classes and instances.
    pub(crate) fn write(&self, counts: (usize, usize), out: &mut Vec<u8>) -> Result<()> {
        let count = |given: Option<i32>, count: usize, path: &'static str| match given {
            Some(given) => Ok(given),
            None => Problem::fit("entries", count, i32::MAX).unwritable(path),
        };
        if self.version != Version::V0 {
            let what = format!("version {} (expected 0, the only known version)", self.version.0);
            return Err(Error::unwritable("header.version", what));
        }
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(SIGNATURE);
        out.extend(self.version.0.to_le_bytes());
        let classes = count(self.class_count, counts.0, "classes")?;
        out.extend(classes.to_le_bytes());
        let instances = count(self.instance_count, counts.1, "instances")?;
        out.extend(instances.to_le_bytes());
        out.extend_from_slice(&self.reserved);
        Ok(())
    }
}
