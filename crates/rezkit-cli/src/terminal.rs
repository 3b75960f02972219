//! Pictures in a terminal, by its graphics protocol or as blocks of colour, and texts without control characters.
//!
//! No library is used: the known ones depend on code under the LGPL, on C, or on thirty other crates.

use std::env;
use std::fmt::Write as _;
use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use color_quant::NeuQuant;
use rezkit::plain::Plain;
use rezkit::scene::images::Picture;

/// The way in which a terminal shows a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Graphics {
    /// Coloured blocks, two per character, which every terminal can show
    Blocks,
    /// The kitty protocol, which Ghostty, Konsole and WezTerm support, too
    Kitty,
    /// The iTerm2 protocol, which mintty supports, too
    Iterm,
    /// The Sixel protocol, which foot, mlterm, Contour and others support
    Sixel,
}

impl Graphics {
    /// The graphics that the terminal supports, by its environment variables.
    pub(crate) fn of_terminal() -> Self {
        let variable = |name: &str| env::var(name).unwrap_or_default().to_lowercase();
        let (term, program) = (variable("TERM"), variable("TERM_PROGRAM"));
        let is = |names: &[&str]| names.iter().any(|name| term.contains(name) || program.contains(name));
        // A multiplexer does not pass pictures on.
        if is(&["tmux", "screen"]) {
            Self::Blocks
        } else if is(&["kitty", "ghostty", "wezterm"]) || env::var_os("KONSOLE_VERSION").is_some() {
            Self::Kitty
        } else if is(&["iterm", "mintty"]) {
            Self::Iterm
        } else if is(&["foot", "mlterm", "contour", "yaft", "sixel"]) {
            Self::Sixel
        } else {
            Self::Blocks
        }
    }

    /// The text that shows a picture when it is printed.
    pub(crate) fn text(self, picture: &Picture) -> rezkit::Result<String> {
        match self {
            Self::Blocks => {
                let (rows, columns) = console::Term::stdout().size_checked().unwrap_or((24, 80));
                let color = env::var("COLORTERM").unwrap_or_default();
                Ok(blocks(picture, (columns, rows), matches!(color.as_str(), "truecolor" | "24bit")))
            }
            Self::Kitty => Ok(kitty(&rezkit::scene::images::png(picture)?)),
            Self::Iterm => Ok(iterm(&rezkit::scene::images::png(picture)?)),
            Self::Sixel => Ok(sixel(picture)),
        }
    }
}

/// A picture as characters: the upper half of each in its colour, the lower half as its background. It fills the
/// terminal's columns and rows, except the line of the prompt.
#[allow(clippy::cast_possible_truncation, reason = "at most as large as the terminal")]
fn blocks(picture: &Picture, (columns, rows): (u16, u16), true_color: bool) -> String {
    let (width, height) = (picture.width().max(1) as f32, picture.height().max(1) as f32);
    let scale = (f32::from(columns) / width).min(f32::from(rows.saturating_sub(1)) * 2.0 / height);
    let size = |side: f32| ((side * scale) as u32).max(1);
    let small = picture.resized(size(width), size(height));
    let mut text = String::new();
    let color = |layer: u8, [r, g, b, a]: [u8; 4]| match (a < 128, true_color) {
        (true, _) => format!("{}", layer + 1),
        (_, true) => format!("{layer};2;{r};{g};{b}"),
        (_, false) => format!("{layer};5;{}", of_cube([r, g, b])),
    };
    for y in (0..small.height()).step_by(2) {
        for x in 0..small.width() {
            let upper = small.pixel(x, y);
            let lower = if y + 1 < small.height() { small.pixel(x, y + 1) } else { [0; 4] };
            // If the upper half is transparent, a lower half block is printed in the colour of the lower half.
            let _infallible = match upper[3] < 128 {
                true => write!(text, "\x1b[{};49m▄", color(38, lower)),
                false => write!(text, "\x1b[{};{}m▀", color(38, upper), color(48, lower)),
            };
        }
        text.push_str("\x1b[0m\n");
    }
    text
}

/// The nearest colour of the 6 x 6 x 6 cube that terminals with 256 colours have from 16 on.
fn of_cube(color: [u8; 3]) -> u8 {
    let level = |value: u8| match value {
        0..=47 => 0,
        48..=114 => 1,
        _ => (value - 35) / 40,
    };
    let [r, g, b] = color.map(level);
    16 + 36 * r + 6 * g + b
}

/// A PNG in pieces of 4,096 characters, as kitty's documentation of its graphics protocol asks.
fn kitty(png: &[u8]) -> String {
    let encoded = STANDARD.encode(png);
    let pieces: Vec<&str> =
        encoded.as_bytes().chunks(4096).filter_map(|part| str::from_utf8(part).ok()).collect();
    let mut text = String::new();
    for (index, piece) in pieces.iter().enumerate() {
        let first = if index == 0 { "a=T,f=100," } else { "" };
        let more = u8::from(index + 1 < pieces.len());
        let _infallible = write!(text, "\x1b_G{first}m={more};{piece}\x1b\\");
    }
    text.push('\n');
    text
}

/// A PNG as iTerm2's documentation of inline images describes it.
fn iterm(png: &[u8]) -> String {
    format!("\x1b]1337;File=inline=1;size={}:{}\x07\n", png.len(), STANDARD.encode(png))
}

/// A picture as Sixel: bands of six pixels, drawn colour by colour, with at most 255 colours. Transparent pixels are
/// not drawn.
fn sixel(picture: &Picture) -> String {
    let (width, height) = picture.size();
    let mut colors: Vec<[u8; 3]> = picture.pixels().iter().map(|&[r, g, b, _]| [r, g, b]).collect();
    colors.sort_unstable();
    colors.dedup();
    let many = (colors.len() > 255).then(|| NeuQuant::new(10, 255, picture.as_bytes()));
    if let Some(palette) = &many {
        colors = palette.color_map_rgb().as_chunks().0.to_vec();
    }
    let index_of = |pixel: [u8; 4]| match &many {
        Some(palette) => palette.index_of(&pixel),
        None => colors.binary_search(&[pixel[0], pixel[1], pixel[2]]).unwrap_or_default(),
    };
    let mut text = format!("\x1bP0;1q\"1;1;{width};{height}");
    for (index, color) in colors.iter().enumerate() {
        let [r, g, b] = color.map(|value| (u32::from(value) * 100 + 127) / 255);
        let _infallible = write!(text, "#{index};2;{r};{g};{b}");
    }
    for top in (0..height).step_by(6) {
        // For each colour, the six pixels of each column as bits.
        let mut columns: Vec<Option<Vec<u8>>> = vec![None; 256];
        for y in top..height.min(top + 6) {
            for x in 0..width {
                let pixel = picture.pixel(x, y);
                if pixel[3] >= 128 {
                    let bits = columns[index_of(pixel)].get_or_insert_with(|| vec![0; width as usize]);
                    bits[x as usize] |= 1 << (y - top);
                }
            }
        }
        for (index, bits) in columns.iter().enumerate() {
            let Some(bits) = bits else { continue };
            let _infallible = write!(text, "#{index}");
            for run in bits.chunk_by(|a, b| a == b) {
                let _infallible = write!(text, "!{}{}", run.len(), char::from(run[0] + b'?'));
            }
            text.push('$');
        }
        text.push('-');
    }
    text.push_str("\x1b\\\n");
    text
}

/// Prints a text line by line, with escapes for control characters except tabs.
pub(crate) fn plain_lines(out: &mut impl io::Write, text: &str) -> io::Result<()> {
    text.lines().try_for_each(|line| {
        let mut parts = line.split('\t');
        write!(out, "{}", Plain(parts.next().unwrap_or_default()))?;
        parts.try_for_each(|part| write!(out, "\t{}", Plain(part)))?;
        writeln!(out)
    })
}

#[cfg(test)]
#[path = "../tests/inside/terminal.rs"]
mod tests;
