//! The files that are inside of an asset.

/// A file in an asset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The names of the folders and of the file: each of them is a single name that every system accepts.
    pub path: Vec<String>,
    /// The content.
    pub bytes: Vec<u8>,
}

impl File {
    pub(crate) fn json(path: &[&str], json: &serde_json::Value) -> Self {
        let path = path.iter().map(|&name| name.to_owned()).collect();
        Self { path, bytes: format!("{json:#}\n").into_bytes() }
    }
}

/// The names that Windows keeps for devices.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// A name as one that every system accepts for a file, and that leads nowhere else: what it does not accept
/// is `_`.
pub(crate) fn file_name(name: &str) -> String {
    let wrong = |char: char| char.is_control() || r#"/\:*?"<>|"#.contains(char);
    let mut safe: String = name.chars().map(|char| if wrong(char) { '_' } else { char }).collect();
    // No system takes names of more than 255 bytes, and endings and numbers follow.
    let end = (0..=200.min(safe.len())).rev().find(|&end| safe.is_char_boundary(end)).unwrap_or(0);
    safe.truncate(end);
    let stem =
        safe.split('.').next().unwrap_or_default().trim_end_matches(|char: char| char.is_ascii_digit());
    let is_device = DEVICES.contains(&stem.to_lowercase().as_str());
    if safe.is_empty() || safe.ends_with(['.', ' ']) || is_device {
        safe.push('_');
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn names_lead_nowhere_else() {
        for (name, safe) in [
            ("Door", "Door"),
            ("..", ".._"),
            ("", "_"),
            ("../../etc/passwd", ".._.._etc_passwd"),
            ("a\0b\n", "a_b_"),
            ("C:\\x", "C__x"),
            ("COM1", "COM1_"),
            ("nul.txt", "nul.txt_"),
        ] {
            assert_eq!(file_name(name), safe);
        }
        assert_eq!(file_name(&"ä".repeat(300)).len(), 200);
    }
}
