//! Writes one value with every default of this crate into a folder, for other programs to read.
//!
//! `cargo run --example defaults -- FOLDER`

use std::path::Path;

use llsd::{Date, Encoding, Uri, Uuid, llsd};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: defaults FOLDER")?;
    std::fs::create_dir_all(&folder)?;
    let id: Uuid = "d7f4aeca-88f1-42a1-b385-b9db18abb255".parse()?;
    let date: Date = "2006-02-01T14:29:53Z".parse()?;
    let value = llsd!({
        "undef": undef,
        "yes": true,
        "no": false,
        "integer": -33,
        "real": 0.1,
        "uuid": id,
        "string": "it's <&> \"小\"\n\t",
        "empty": "",
        "date": date,
        "uri": Uri::from("http://sl.com/?a=b&c"),
        "binary": vec![0_u8, 255, 16, 32],
        "array": [[], {}, 1],
    });
    let write = |name: &str, bytes: llsd::Result<Vec<u8>>| -> Result<(), Box<dyn std::error::Error>> {
        Ok(std::fs::write(Path::new(&folder).join(name), bytes?)?)
    };
    for (name, encoding) in [
        ("to_vec_binary", Encoding::Binary),
        ("to_vec_xml", Encoding::Xml),
        ("to_vec_notation", Encoding::Notation),
    ] {
        write(name, llsd::to_vec(&value, encoding))?;
    }
    write("write_binary", llsd::write_binary(&value))?;
    write("write_xml", llsd::write_xml(&value))?;
    write("write_notation", llsd::write_notation(&value))
}
