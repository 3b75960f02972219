//! Tests of private items; the source file that they test includes this file as a module.

use super::*;

/// Red and green in the first row, a transparent pixel and blue in the second.
fn four() -> Picture {
    let pixels = [[255, 0, 0, 255], [0, 255, 0, 255], [0; 4], [0, 0, 255, 255]];
    Picture::from_pixels(2, 2, pixels.to_vec()).expect("four pixels")
}

#[test]
fn blocks_are_two_pixels_each() {
    let expected = "\x1b[38;2;255;0;0;49m▀\x1b[38;2;0;255;0;48;2;0;0;255m▀\x1b[0m\n";
    assert_eq!(blocks(&four(), (2, 2), true), expected);
    let expected = "\x1b[38;5;196;49m▀\x1b[38;5;46;48;5;21m▀\x1b[0m\n";
    assert_eq!(blocks(&four(), (2, 2), false), expected);
    // The levels of the 256-colour cube are 0, 95, 135, 175, 215 and 255.
    assert_eq!([95, 134, 176, 214].map(|value| of_cube([value; 3])), [59, 102, 145, 188]);
}

#[test]
fn kitty_gets_pieces_of_4096_characters() {
    let text = kitty(&[7; 4000]);
    let pieces: Vec<&str> = text.trim_end().split_terminator("\x1b\\").collect();
    let contents: Vec<&str> = pieces.iter().filter_map(|piece| piece.split(';').nth(1)).collect();
    assert_eq!(contents.concat(), STANDARD.encode([7; 4000]));
    assert_eq!(contents[0].len(), 4096);
    assert!(pieces[0].starts_with("\x1b_Ga=T,f=100,m=1;") && pieces[1].starts_with("\x1b_Gm=0;"));
}

/// Decodes the sixels: each colour's bits at its columns.
#[test]
fn sixels_have_each_pixel_in_its_color() {
    let text = sixel(&four());
    let body = text.strip_prefix("\x1bP0;1q\"1;1;2;2").and_then(|text| text.strip_suffix("-\x1b\\\n"));
    let mut colors = std::collections::HashMap::new();
    let mut drawn = Vec::new();
    for part in body.expect("a header and an end").split('#').skip(1) {
        if let Some((index, color)) = part.split_once(";2;") {
            colors.insert(index, color);
            continue;
        }
        let (index, mut runs) = part.split_once('!').expect("a run");
        let mut x = 0;
        while let Some(end) = runs.find(|c: char| !c.is_ascii_digit()) {
            let bits = runs.as_bytes()[end] - b'?';
            drawn.extend((0..6).filter(|y| bits >> y & 1 == 1).map(|y| (x, y, colors[index])));
            x += runs[..end].parse::<u32>().expect("a count");
            runs = runs[end + 1..].trim_start_matches('!').trim_end_matches('$');
        }
    }
    drawn.sort_unstable_by_key(|&(x, y, _)| (y, x));
    assert_eq!(drawn, [(0, 0, "100;0;0"), (1, 0, "0;100;0"), (1, 1, "0;0;100")]);
}

/// U+001B begins a command of terminals, and U+202E reverses the direction of text.
#[test]
fn texts_have_no_control_characters() {
    let mut out = Vec::new();
    plain_lines(&mut out, "a\tb\r\n\u{1b}[2J\u{85}\u{202e}c").expect("written");
    assert_eq!(String::from_utf8_lossy(&out), "a\tb\n\\u{1b}[2J\\u{85}\\u{202e}c\n");
}
