//! Checks the pictures of file layouts, `structure.svg` of each format crate: the names in a picture must occur in
//! FORMAT.md, and `structure.link` must contain the picture as a data URL, for pages that cannot refer to a file.

use std::fs;
use std::path::Path;

use super::Tidy;
use crate::{Outcome, formats, root};

impl Tidy {
    pub(super) fn pictures(&mut self, fix: bool) -> Outcome {
        for folder in formats().map(|name| Path::new("crates").join(name)) {
            let svg = self.read(&folder.join("structure.svg"));
            let format = self.read(&folder.join("FORMAT.md"));
            for word in words(&svg).into_iter().filter(|word| !format.contains(word)) {
                self.complain(folder.join("structure.svg"), format!("{word:?} is not in FORMAT.md"));
            }
            let (path, link) = (folder.join("structure.link"), format!("[structure]: {}\n", data_url(&svg)));
            if fix {
                fs::write(root().join(&path), &link)?;
            }
            if self.read(&path) != link {
                self.complain(path, "differs from structure.svg beside it: run `cargo xtask tidy --fix`");
            }
        }
        Ok(())
    }
}

/// The words of the names of parts: of all texts except bold ones, which are titles, and those with a `text-anchor`.
fn words(svg: &str) -> Vec<String> {
    let names = svg.lines().filter(|line| !line.contains("anchor") && !line.contains("bold"));
    let names = names.filter_map(|line| line.strip_prefix("<text ")?.split(['>', '<']).nth(1));
    let plain = |name: &str| name.replace("&lt;", "").replace("&gt;", "").replace("&amp;", "&");
    names.flat_map(|name| plain(name).split(' ').map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// A data URL that contains the picture.
fn data_url(svg: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_graphic() && !b"\"#%&()/:<>[\\]^`{|}".contains(&byte);
    let escaped = svg.bytes().filter(|&byte| byte != b'\n').map(|byte| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    format!("data:image/svg+xml,{}", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    #[test]
    fn links_contain_the_bytes() {
        assert_eq!(super::data_url("<a b='…'/>\n"), "data:image/svg+xml,%3Ca%20b='%E2%80%A6'%2F%3E");
    }

    #[test]
    fn parts_have_names() {
        let svg = "<text x='8' font-weight='bold'>title</text>\n<text x='1'>a &lt;bc&gt;</text>\n<text text-anchor='end'>d</text>\n";
        assert_eq!(super::words(svg), ["a", "bc"]);
    }
}
