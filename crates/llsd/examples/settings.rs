//! Reads a settings file of the viewer, in any encoding, and lists what is set.
//!
//! `cargo run --example settings -- settings.xml [NAME]`

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (bytes, wanted) = match args.next() {
        Some(path) => (std::fs::read(path)?, args.next()),
        None => (SAMPLE.as_bytes().to_vec(), None),
    };
    let settings = llsd::from_slice(&bytes)?;
    let entries = settings.as_map().ok_or("no map of settings")?;
    for (name, setting) in entries {
        if wanted.as_deref().is_some_and(|wanted| name != wanted) {
            continue;
        }
        // Indexing and conversions never fail: what is missing is undef, and the default of its type.
        let kind = setting["Type"].to_text();
        let value = &setting["Value"];
        let persists = setting["Persist"].to_boolean();
        let mut out = std::io::stdout().lock();
        use std::io::Write as _;
        writeln!(out, "{name} ({kind}{}) = {value}", if persists { "" } else { ", not kept" })?;
    }
    Ok(())
}

const SAMPLE: &str = "<llsd><map>
    <key>AudioLevelMaster</key>
    <map>
        <key>Comment</key><string>Master volume</string>
        <key>Persist</key><integer>1</integer>
        <key>Type</key><string>F32</string>
        <key>Value</key><real>0.5</real>
    </map>
</map></llsd>";
