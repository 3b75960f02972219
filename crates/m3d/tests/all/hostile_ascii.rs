//! Broken texts: reading returns a model or an error with a position, never panics, and never takes more memory than
//! allowed.

use m3d::{ReadOptions, Variant, WriteOptions};
use testkit::{Hostile, Rng, Sample, fixtures, mutate};

const MAX_BYTES: u64 = 4 << 20;

fn read(bytes: &[u8]) -> m3d::Result<m3d::Model> {
    ReadOptions::new().max_bytes(MAX_BYTES).read(bytes)
}

/// Reads, and calls everything with the model.
fn exercise(bytes: &[u8]) -> Result<(), String> {
    let model = read(bytes).map_err(|error| {
        if m3d::detect(bytes) == Some(Variant::Ascii)
            && !matches!(error.kind(), m3d::errors::ErrorKind::Limit(_))
        {
            assert!(error.line().is_some() && error.column().is_some(), "{error}");
        }
        error.to_string()
    })?;
    if model.layout.variant() != Some(Variant::Ascii) {
        return Ok(());
    }
    let _findings = m3d::check(&model);
    assert!(model.to_tri_mesh().unwrap().is_consistent());
    // What was read can be written, and writing it again gives the same text.
    let written = m3d::to_vec(&model).map_err(|error| format!("read but not written: {error}"))?;
    assert!(m3d::detect(&written) == Some(Variant::Ascii));
    let again = m3d::from_slice(&written)
        .unwrap_or_else(|error| panic!("{error}:\n{}", String::from_utf8_lossy(&written)));
    assert_eq!(
        String::from_utf8_lossy(&m3d::to_vec(&again).expect("it was written before")),
        String::from_utf8_lossy(&written)
    );
    let nan = bytes.windows(3).any(|part| part.eq_ignore_ascii_case(b"nan"));
    assert!(
        again == model || nan,
        "other models: {again:?}
{model:?}
{}",
        String::from_utf8_lossy(&written)
    );
    // If a binary file can represent the model, it can be read.
    if let Ok(binary) = WriteOptions::new().variant(Variant::Binary).raw(true).write(&model) {
        assert!(m3d::from_slice(&binary).is_ok());
    }
    Ok(())
}

const HOSTILE: Hostile<'_> = Hostile {
    name: "m3d",
    read: &exercise,
    only_read: &|bytes| read(bytes).is_ok(),
    // The limit, and memory for an error and a table.
    bound: &|_| MAX_BYTES + (64 << 10),
    mutations: 500,
    counts: false,
};

fn texts() -> impl Iterator<Item = Sample> {
    fixtures("m3d").into_iter().filter(|sample| m3d::detect(&sample.bytes) == Some(Variant::Ascii))
}

/// Damages lines and tokens of a text: removes, doubles or moves a line, or replaces a token.
fn mutate_lines(text: &[u8], rng: &mut Rng) -> Vec<u8> {
    const TOKENS: [&[u8]; 16] = [
        b"-1",
        b"-2",
        b"0",
        b"4294967295",
        b"99999999999999999999",
        b"nan",
        b"1e999",
        b"-",
        b".",
        b"#ffffffff",
        b"/",
        b"{",
        b"@7",
        b"\\{",
        b"0:0.5",
        b"",
    ];
    let mut lines: Vec<Vec<u8>> = text.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    for _ in 0..=rng.below(3) {
        let at = rng.below(lines.len());
        match rng.below(5) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[at].clone()),
            2 => {
                let other = rng.below(lines.len());
                lines.swap(at, other);
            }
            _ => {
                let mut tokens: Vec<Vec<u8>> =
                    lines[at].split(|&byte| byte == b' ').map(<[u8]>::to_vec).collect();
                let token = rng.below(tokens.len());
                tokens[token] = TOKENS[rng.below(TOKENS.len())].to_vec();
                lines[at] = tokens.join(&b' ');
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.concat()
}

#[test]
fn every_truncation_and_many_mutations() {
    for Sample { name, bytes } in texts() {
        for len in 0..bytes.len() {
            HOSTILE.one(&|| format!("{name} cut to {len}"), &bytes[..len]);
        }
        let mut rng = Rng(0xa3d);
        for turn in 0..HOSTILE.mutations {
            HOSTILE.one(&|| format!("{name}, mutation {turn}"), &mutate(&bytes, &mut rng));
            HOSTILE.one(&|| format!("{name}, lines {turn}"), &mutate_lines(&bytes, &mut rng));
        }
    }
}

#[test]
fn lies_take_no_memory() {
    let front = "3dmodel 1\n\n\n\n\n\n";
    for sections in [
        "Voxel\ndim 4294967295 4294967295 4294967295\nlayer\n1\n".to_owned(),
        "Voxel\ndim 65535 65535 65535\nlayer\n1\nlayer\n1\n".to_owned(),
        "Shape\nline 4294967295[ 0 ]\n".to_owned(),
        "Mesh\n4294967293 4294967293 4294967293\n".to_owned(),
        format!("Bones\n{}", "/".repeat(100_000)),
        format!("Vertex\n0 0 0 1 {}\n", "0:0.01 ".repeat(50_000)),
        format!("VoxTypes\n#0 a {{ {}\n", "1 a ".repeat(50_000)),
    ] {
        let text = format!("{front}{sections}");
        HOSTILE.one(&|| sections[..20].to_owned(), text.as_bytes());
        let taken = testkit::measure(|| drop(read(text.as_bytes())));
        assert!(taken.bytes_max < 64 * text.len() as u64 + 4096, "{}: {taken:?}", &sections[..20]);
    }
}

/// No model takes more than a small multiple of its text, so that a limit of the text also limits the model.
#[test]
fn models_are_not_much_larger_than_texts() {
    for (what, row, count) in [
        ("Vertex", "0 0 0\n", 50_000),
        ("Vertex", "0 0 0 1 #1 0\n", 50_000),
        ("Textmap", "0 0\n", 50_000),
        ("Mesh", "0\n", 50_000),
        ("Mesh", "use\n", 50_000),
        ("Bones", "0 0\n", 50_000),
        ("VoxTypes", "#0\n", 50_000),
        ("Assets", "a\n", 50_000),
        ("Shape", "use\n", 50_000),
    ] {
        let text = format!("3dmodel 1\n\n\n\n\n\n{what}\n{}", row.repeat(count));
        let taken = testkit::measure(|| drop(m3d::from_slice(text.as_bytes()).expect(what)));
        assert!(taken.bytes_max < 96 * text.len() as u64, "{what}: {taken:?} for {}", text.len());
    }
}

#[test]
fn sections_that_end_with_blanks_take_no_longer_each() {
    // If a row of blanks did not end a section, each section would search through all that follow.
    let sections = ["Vertex\n \t\n", "Textmap\n \n", "Mesh\n \r\n"].concat().repeat(100_000);
    let model = m3d::from_str(&format!("3dmodel 1\n\n\n\n\n\n{sections}End\n")).expect("a text");
    assert_eq!((model.vertices.len(), model.meshes.len()), (0, 100_000));
}

#[test]
fn nothing_takes_longer_for_being_last() {
    // Half a million rows: a comparison of each with all previous ones would take minutes.
    let text = format!(
        "3dmodel 1\n\n\n\n\n\n{}{}{}Bones\n{}\nVertex\n{}",
        "Material\n\n".repeat(50_000),
        "Weather\n\n".repeat(50_000),
        "Vertex\n\n".repeat(50_000),
        (0..50_000).map(|place| format!("{} 0 0\n", "/".repeat(place % 60))).collect::<String>(),
        (0..50_000).map(|place| format!("0 0 0 1 {place}\n")).collect::<String>(),
    );
    let model = m3d::from_str(&text).expect("a text");
    assert_eq!((model.bones.len(), model.skins.len(), model.materials.len()), (50_000, 50_000, 50_000));
    assert!(WriteOptions::new().variant(Variant::Ascii).write(&model).is_ok());
}
