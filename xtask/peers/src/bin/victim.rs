//! Reads broken files with one reader, in a process of its own that may die: `victim NAME` takes inputs on standard
//! input, each a u32 length and its bytes, and answers each with one byte: `o` read, `e` refused, `p` panicked. What it
//! does not survive, it does not answer. `victim` alone lists the readers: name, format, whose.

use std::io::{Cursor, Read, Write};
use std::panic::catch_unwind;

#[path = "../sdk.rs"]
mod sdk;

/// A reader: its name, the format that it reads, whether it is ours, and whether it reads these bytes.
type Reader = (&'static str, &'static str, bool, fn(&[u8]) -> bool);

const READERS: &[Reader] = &[
    ("rbxmesh", "rbxmesh", true, |bytes| rbxmesh::from_slice(bytes).is_ok()),
    ("rbx_mesh", "rbxmesh", false, |bytes| rbx_mesh::read_mesh_versioned(Cursor::new(bytes)).is_ok()),
    ("rbxbinary", "rbxbinary", true, |bytes| rbxbinary::from_slice(bytes).is_ok()),
    ("rbx_binary", "rbxbinary", false, |bytes| rbx_binary::from_reader(bytes).is_ok()),
    ("rbxxml", "rbxxml", true, |bytes| rbxxml::from_slice(bytes).is_ok()),
    ("rbx_xml", "rbxxml", false, |bytes| rbx_xml::from_reader_default(bytes).is_ok()),
    ("m3d", "m3d", true, |bytes| m3d::from_slice(bytes).is_ok()),
    ("SDK-in-C", "m3d", false, |bytes| {
        // It is told no length.
        let mut ended = bytes.to_vec();
        ended.extend([0; 64]);
        sdk::read(&ended)
    }),
    ("slmesh", "slmesh", true, |bytes| slmesh::from_slice(bytes).is_ok()),
    ("llsd", "llsd", true, |bytes| llsd::from_slice(bytes).is_ok()),
    ("serde-llsd", "llsd", false, |bytes| serde_llsd::de::auto_from_bytes(bytes).is_ok()),
    ("llsd-rs", "llsd", false, |bytes| llsd_rs::autodetect::from_slice(bytes).is_ok()),
];

fn main() -> std::io::Result<()> {
    let Some(name) = std::env::args().nth(1) else {
        for (name, format, ours, _) in READERS {
            println!("{name} {format} {}", if *ours { "ours" } else { "theirs" });
        }
        return Ok(());
    };
    let (.., read) = *READERS.iter().find(|(other, ..)| *other == name).expect("a reader of the list");
    std::panic::set_hook(Box::new(|_| {}));
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut len = [0; 4];
    while input.read_exact(&mut len).is_ok() {
        let mut bytes = vec![0; u32::from_le_bytes(len) as usize];
        input.read_exact(&mut bytes)?;
        let answer = match catch_unwind(|| read(&bytes)) {
            Ok(true) => b'o',
            Ok(false) => b'e',
            Err(_) => b'p',
        };
        output.write_all(&[answer])?;
        output.flush()?;
    }
    Ok(())
}
