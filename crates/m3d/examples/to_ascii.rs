//! Shows a model as text: `cargo run --example to_ascii -- model.m3d`.

use std::io::Write as _;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(path) = std::env::args_os().nth(1) else {
        return Err("usage: to_ascii FILE".into());
    };
    let model = m3d::from_slice(&std::fs::read(path)?)?;
    let text = m3d::WriteOptions::new().variant(m3d::Variant::Ascii).write(&model)?;
    std::io::stdout().write_all(&text)?;
    Ok(())
}
