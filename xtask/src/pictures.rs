//! Pictures of the containers, drawn from tables: `structure.svg` of each format crate, and the same as a
//! link that contains it, for pages that cannot refer to a file.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use crate::{Outcome, root};

/// Parts, one below the other: what one is called, and what is in it.
struct Stack {
    title: &'static str,
    /// Of which part of which other stack this is the inside: indices in the picture.
    inside: Option<(usize, usize)>,
    rows: &'static [(&'static str, &'static str)],
}

const fn stack(title: &'static str, rows: &'static [(&'static str, &'static str)]) -> Stack {
    Stack { title, inside: None, rows }
}

const fn inside(
    of: (usize, usize),
    title: &'static str,
    rows: &'static [(&'static str, &'static str)],
) -> Stack {
    Stack { title, inside: Some(of), rows }
}

/// The pictures: the crate's folder and the stacks, those that are inside of others after these.
const PICTURES: &[(&str, &[Stack])] = &[
    (
        "rbxmesh",
        &[
            stack(
                "2.00 to 5.00",
                &[
                    ("version X.YY", "a line"),
                    ("header", "12, 16, 24 or 32 bytes"),
                    ("vertices", "36 or 40 bytes each"),
                    ("envelopes", "8 bytes each: 4.00 on, with bones"),
                    ("faces", "12 bytes each"),
                    ("offsets of levels", "u32 each: 3.00 on"),
                    ("bones", "60 bytes each: 4.00 on"),
                    ("names", "of the bones: 4.00 on"),
                    ("subsets", "72 bytes each: 4.00 on"),
                    ("facial animation", "5.00"),
                ],
            ),
            stack(
                "6.00 and 7.00",
                &[
                    ("version X.YY", "a line"),
                    ("COREMESH", "vertices and faces; in 7.00 Draco"),
                    ("LODS", "levels of detail"),
                    ("SKINNING", "envelopes, bones, subsets"),
                    ("FACS", "facial animation"),
                    ("HSRAVIS", "flags"),
                    ("others", "kept"),
                ],
            ),
            inside(
                (0, 9),
                "facial animation",
                &[
                    ("sizes", "u32, u32, u64, u32, u32"),
                    ("names", "of the face's bones"),
                    ("names", "of the controls"),
                    ("matrices", "3 positions, 3 rotations"),
                    ("correctives", "two-pose, three-pose"),
                ],
            ),
            inside(
                (1, 1),
                "a chunk",
                &[
                    ("name", "8 bytes"),
                    ("version", "u32"),
                    ("size", "u32"),
                    ("content", "as its version has it"),
                ],
            ),
        ],
    ),
    (
        "rbxbinary",
        &[
            stack(
                "file",
                &[
                    ("header", "32 bytes"),
                    ("META", "keys and values: 0 or 1"),
                    ("SSTR", "shared strings: 0 or 1"),
                    ("INST", "one per class"),
                    ("PROP", "one per class and property"),
                    ("PRNT", "parents"),
                    ("SIGN", "signatures: 0 or 1"),
                    ("END", "</roblox>"),
                ],
            ),
            inside(
                (0, 0),
                "header",
                &[
                    ("<roblox!", "8 bytes"),
                    ("89 ff 0d 0a 1a 0a", "6 bytes"),
                    ("version", "u16, 0"),
                    ("classes", "i32"),
                    ("instances", "i32"),
                    ("reserved", "8 bytes, 0"),
                ],
            ),
            inside(
                (0, 4),
                "a chunk",
                &[
                    ("name", "4 bytes"),
                    ("stored length", "u32, 0: not compressed"),
                    ("length", "u32"),
                    ("reserved", "u32, 0"),
                    ("content", "plain, LZ4 or zstd"),
                ],
            ),
            inside(
                (2, 4),
                "content of a PROP",
                &[
                    ("class", "u32"),
                    ("property", "string"),
                    ("type", "u8"),
                    ("values", "one per instance of the class"),
                ],
            ),
        ],
    ),
    (
        "rbxxml",
        &[
            stack(
                "<roblox>",
                &[
                    ("<Meta>", "a key and its value; models"),
                    ("<External>", "null, nil"),
                    ("<Item>", "an instance; any number"),
                    ("<SharedStrings>", "0 or 1"),
                ],
            ),
            inside(
                (0, 2),
                "<Item class referent>",
                &[("<Properties>", "an element per property"), ("<Item>", "a child; any number")],
            ),
            inside((0, 3), "<SharedStrings>", &[("<SharedString md5>", "base64; one per content")]),
            inside(
                (1, 0),
                "<Properties>",
                &[
                    ("<string name>", "text"),
                    ("<CoordinateFrame name>", "position and rotation"),
                    ("<Ref name>", "a referent, or null"),
                    ("<SharedString name>", "a key of <SharedStrings>"),
                    ("others", "any type, in any order"),
                ],
            ),
        ],
    ),
    (
        "m3d",
        &[
            stack(
                "file",
                &[
                    ("3DMO", "4 bytes"),
                    ("size", "u32"),
                    ("PRVW", "a PNG image: 0 or 1"),
                    ("payload", "as it is, or one zlib stream"),
                ],
            ),
            inside(
                (0, 3),
                "payload",
                &[
                    ("HEAD", "scale, widths, strings"),
                    ("CMAP TMAP VRTS", "colours, texture coordinates, vertices"),
                    ("BONE", "bones and skins"),
                    ("MTRL PROC", "materials, scripts"),
                    ("MESH", "polygons"),
                    ("VOXT VOXD", "voxels"),
                    ("SHPE LBLS", "shapes, labels"),
                    ("ACTN ASET", "actions, files"),
                    ("others", "kept"),
                    ("OMD3", "the end"),
                ],
            ),
            inside(
                (1, 4),
                "a chunk",
                &[("tag", "4 bytes"), ("size", "u32, with these 8 bytes"), ("content", "records")],
            ),
        ],
    ),
    (
        "slmesh",
        &[
            stack(
                "asset",
                &[
                    ("header", "a map of binary LLSD"),
                    ("skin", "zlib: joints and matrices"),
                    ("physics_convex", "zlib: hulls"),
                    ("lowest_lod", "zlib"),
                    ("low_lod", "zlib"),
                    ("medium_lod", "zlib"),
                    ("high_lod", "zlib"),
                    ("physics_mesh", "zlib: triangles"),
                ],
            ),
            inside(
                (0, 0),
                "header",
                &[
                    ("version", "integer"),
                    ("skin", "offset, size"),
                    ("high_lod", "offset, size"),
                    ("others", "a map per block, and other keys"),
                ],
            ),
            inside(
                (0, 6),
                "a level: an array of LLSD, a map per face",
                &[
                    ("PositionDomain", "Min, Max"),
                    ("Position", "u16 × 3 per vertex"),
                    ("Normal", "u16 × 3 per vertex"),
                    ("TexCoord0", "u16 × 2 per vertex, and its domain"),
                    ("TriangleList", "u16 × 3 per triangle"),
                    ("Weights", "1 to 12 bytes per vertex"),
                ],
            ),
        ],
    ),
    (
        "llsd",
        &[
            stack("document", &[("header", "a line, or nothing"), ("value", "one")]),
            inside(
                (0, 1),
                "a value, binary",
                &[
                    ("! 1 0", "undef, true, false"),
                    ("i r d u", "4, 8, 8, 16 bytes"),
                    ("s l b", "length, bytes"),
                    ("[", "count, values, ]"),
                    ("{", "count, entries, }"),
                ],
            ),
            inside(
                (1, 4),
                "an entry",
                &[("k", "1 byte"), ("length", "i32"), ("key", "bytes"), ("value", "any")],
            ),
        ],
    ),
];

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    if let Some(arg) = args.next()? {
        return Err(arg.unexpected().into());
    }
    for (path, text) in files() {
        fs::write(root().join(path), text)?;
    }
    Ok(())
}

/// All files and their contents.
pub(crate) fn files() -> impl Iterator<Item = (PathBuf, String)> {
    PICTURES.iter().flat_map(|(name, stacks)| {
        let svg = draw(stacks);
        let folder = PathBuf::from("crates").join(name);
        let link = format!("[structure]: {}\n", data_url(&svg));
        [(folder.join("structure.svg"), svg), (folder.join("structure.link"), link)]
    })
}

const ROW: usize = 24;
const GAP: usize = 40;

fn draw(stacks: &[Stack]) -> String {
    // A stack that is inside another one is a column to the right, below those that are there already.
    let mut columns: Vec<usize> = Vec::new();
    for stack in stacks {
        columns.push(stack.inside.map_or(0, |(of, _)| columns[of] + 1));
    }
    let text = |text: &str| 16 + text.chars().count() * 15 / 2;
    let width = |stack: &Stack| {
        let rows = stack.rows.iter().map(|(name, what)| text(name) + text(what));
        rows.chain([text(stack.title)]).max().unwrap_or(0)
    };
    let in_column = |column: usize| stacks.iter().zip(&columns).filter(move |(_, other)| **other == column);
    let widest = |column: usize| in_column(column).map(|(stack, _)| width(stack)).max().unwrap_or(0);
    let left = |column: usize| 8 + (0..column).map(|column| widest(column) + GAP).sum::<usize>();
    let height = |stack: &Stack| (stack.rows.len() + 1) * ROW + 16;
    let top = |index: usize| -> usize {
        let above = stacks.iter().zip(&columns).take(index).filter(|(_, column)| **column == columns[index]);
        8 + above.map(|(stack, _)| height(stack)).sum::<usize>()
    };
    let last = columns.iter().max().copied().unwrap_or(0);
    let tall =
        (0..=last).map(|column| in_column(column).map(|(stack, _)| height(stack)).sum::<usize>()).max();
    let (all_width, all_height) = (left(last + 1) - GAP + 8, tall.unwrap_or(0) + 4);

    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {all_width} {all_height}' width='{all_width}' \
         height='{all_height}' font-family='sans-serif' font-size='13'>\n\
         <rect width='{all_width}' height='{all_height}' fill='white'/>\n"
    );
    let mut add = |line: String| {
        let _infallible = writeln!(svg, "{line}");
    };
    for (index, stack) in stacks.iter().enumerate() {
        let (x, y, wide) = (left(columns[index]), top(index), widest(columns[index]));
        let end = y + (stack.rows.len() + 1) * ROW;
        if let Some((of, row)) = stack.inside {
            let from = left(columns[of]) + widest(columns[of]);
            let above = top(of) + (row + 1) * ROW;
            let (begin, below) = (y + ROW, above + ROW);
            add(format!("<path d='M{from} {above}L{x} {begin}V{end}L{from} {below}Z' fill='#e8eef5'/>"));
        }
        add(format!("<text x='{x}' y='{}' font-weight='bold'>{}</text>", y + 16, escaped(stack.title)));
        for (row, (name, what)) in stack.rows.iter().enumerate() {
            let y = y + (row + 1) * ROW;
            add(format!(
                "<rect x='{x}' y='{y}' width='{wide}' height='{ROW}' fill='#f7f7f2' stroke='#555'/>"
            ));
            let (baseline, end) = (y + 16, x + wide - 8);
            add(format!("<text x='{}' y='{baseline}'>{}</text>", x + 8, escaped(name)));
            add(format!(
                "<text x='{end}' y='{baseline}' text-anchor='end' fill='#555'>{}</text>",
                escaped(what)
            ));
        }
    }
    svg + "</svg>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A link that is the picture itself.
fn data_url(svg: &str) -> String {
    let mut url = String::from("data:image/svg+xml,");
    for byte in svg.bytes().filter(|&byte| byte != b'\n') {
        match byte {
            b'!'..=b'~' if !b"\"#%&()/:<>[\\]^`{|}".contains(&byte) => url.push(byte.into()),
            _ => {
                let _infallible = write!(url, "%{byte:02X}");
            }
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a picture names is what the description of the format names.
    #[test]
    fn names_are_those_of_the_format() {
        for (krate, stacks) in PICTURES {
            let format = fs::read_to_string(root().join("crates").join(krate).join("FORMAT.md")).unwrap();
            for (name, _) in stacks.iter().flat_map(|stack| stack.rows) {
                for word in name.split(' ') {
                    let word = word.trim_matches(['<', '>']);
                    assert!(format.contains(word), "{krate}: {word}");
                }
            }
        }
    }

    #[test]
    fn links_contain_the_bytes() {
        assert_eq!(data_url("<a b='…'/>\n"), "data:image/svg+xml,%3Ca%20b='%E2%80%A6'%2F%3E");
    }
}
