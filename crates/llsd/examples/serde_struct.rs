//! A struct goes through every encoding and comes back equal.
//!
//! `cargo run --features serde --example serde_struct`

use std::io::Write as _;

use llsd::{Date, Encoding, Uri, Uuid, de, ser};
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Item {
    item_id: Uuid,
    name: String,
    created: Date,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<Uri>,
    permissions: u32,
    shape: Shape,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Shape {
    Sphere { radius: f32 },
    Mesh(Uuid),
    Unknown,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let item = Item {
        item_id: "6b075707-299a-462f-8576-f558d18e2867".parse()?,
        name: "Lamp".into(),
        created: Date::from_secs(1_138_804_193.46),
        link: Some("http://example.com/lamp".into()),
        // Beyond 31 bits: written as a real, and read again as what it was.
        permissions: 0xffff_fffe,
        shape: Shape::Sphere { radius: 0.5 },
    };
    let mut out = std::io::stdout().lock();
    for &encoding in Encoding::ALL {
        let bytes = ser::to_vec(&item, encoding)?;
        writeln!(out, "{encoding}, {} bytes", bytes.len())?;
        if encoding.is_text() {
            writeln!(out, "{}", String::from_utf8_lossy(&bytes).trim_end())?;
        }
        let again: Item = de::from_slice(&bytes)?;
        assert_eq!(again, item);
    }
    // Errors say where and in which key.
    if let Err(error) = de::from_notation::<Vec<Item>>(b"[{'name':i1}]") {
        writeln!(out, "{error}")?;
    }
    Ok(())
}
