//! Files that an asset contains or a conversion creates. Their paths never leave the folder that the caller chooses.

use std::collections::HashMap;

use unicode_normalization::char::{canonical_combining_class, decompose_canonical};

/// A file at a path below a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    path: String,
    /// The content.
    pub bytes: Vec<u8>,
}

impl File {
    /// The relative path: the names of the folders and of the file, joined by `/`, without `.` and `..`. Every system
    /// accepts each name. The path differs from those of all other files of the asset, also on systems that ignore case
    /// or normalise Unicode.
    pub fn path(&self) -> &str {
        &self.path
    }
}

/// Collects files. Any name is allowed: characters that some system does not accept are replaced, and a file whose
/// path is in use gets a number.
#[derive(Debug)]
pub struct Files {
    files: Vec<File>,
    folders: Vec<Below>,
}

/// A folder of [`Files`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Folder(usize);

#[derive(Debug, Default)]
struct Below {
    path: String,
    names: Names,
    folders: HashMap<String, Folder>,
}

impl Default for Files {
    fn default() -> Self {
        Self { files: Vec::new(), folders: vec![Below::default()] }
    }
}

impl Files {
    /// The folder that the caller chooses.
    pub const TOP: Folder = Folder(0);

    /// The most memory that a path needs, if all of its folders are new.
    pub fn cost(path: &[&str]) -> u64 {
        let length = path.iter().map(|name| name.len() as u64 + 1).sum::<u64>();
        (length + 1000) * path.len() as u64
    }

    /// Adds a file below the folders of these names; the last name is the file's.
    pub fn add(&mut self, path: &[&str], bytes: Vec<u8>) {
        let Some((name, folders)) = path.split_last() else { return };
        let folder = folders.iter().fold(Self::TOP, |above, name| self.folder(above, name));
        self.add_in(folder, name, bytes);
    }

    /// The subfolder with a name, created if it does not exist.
    pub fn folder(&mut self, above: Folder, name: &str) -> Folder {
        let next = Folder(self.folders.len());
        let below = &mut self.folders[above.0];
        let name = below.names.folder(name);
        if let Some(folder) = below.folders.get(&name) {
            return *folder;
        }
        let path = joined(&below.path, &name);
        below.folders.insert(name, next);
        self.folders.push(Below { path, ..Below::default() });
        next
    }

    /// The path of a folder.
    pub fn path(&self, folder: Folder) -> &str {
        &self.folders[folder.0].path
    }

    /// Adds a file to a folder.
    pub fn add_in(&mut self, folder: Folder, name: &str, bytes: Vec<u8>) {
        let below = &mut self.folders[folder.0];
        let name = below.names.unique(name);
        self.files.push(File { path: joined(&below.path, &name), bytes });
    }

    /// The number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The files, in the order in which they were added.
    pub fn into_vec(self) -> Vec<File> {
        self.files
    }
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The names in a folder.
#[derive(Debug, Default)]
pub struct Names {
    /// The names in use, by [`key`](Self::key); for folders, with their spelling.
    taken: HashMap<String, Option<String>>,
    /// The number that the next file of the same name gets, by key.
    next: HashMap<String, usize>,
}

impl Names {
    /// A key that is equal for names that some file system treats as one: case is folded and Unicode normalised, as
    /// APFS, NTFS and Linux folders with `casefold` do.
    ///
    /// ```
    /// use geom::files::Names;
    ///
    /// assert_eq!(Names::key("Stra\u{df}e"), Names::key("STRASSE"));
    /// assert_eq!(Names::key("\u{e9}"), Names::key("E\u{301}"));
    /// ```
    pub fn key(name: &str) -> String {
        // ASCII is normalised already.
        if name.is_ascii() {
            return name.to_ascii_lowercase();
        }
        folded(&folded(name).collect::<String>()).collect()
    }

    /// The name, or a similar one if another file or folder has the name. The returned name is then in use.
    pub fn unique(&mut self, name: &str) -> String {
        let (name, key) = self.numbered(name, |taken| taken.is_none());
        self.taken.insert(key, None);
        name
    }

    /// The folder with a name, which may already exist.
    fn folder(&mut self, name: &str) -> String {
        let (name, key) = self.numbered(name, |taken| taken != Some(&None));
        self.taken.entry(key).or_default().get_or_insert(name).clone()
    }

    /// A similar free name, and its key.
    fn numbered(&mut self, name: &str, free: impl Fn(Option<&Option<String>>) -> bool) -> (String, String) {
        let first = file_name(name);
        let first_key = Self::key(&first);
        if free(self.taken.get(&first_key)) {
            return (first, first_key);
        }
        let number = self.next.entry(first_key).or_insert(2);
        let (stem, ending) = first.split_at(first.find('.').filter(|&dot| dot > 0).unwrap_or(first.len()));
        loop {
            let name = format!("{stem} ({number}){ending}");
            *number += 1;
            let key = Self::key(&name);
            if free(self.taken.get(&key)) {
                return (name, key);
            }
        }
    }
}

/// Lower case without the differences that case folding ignores: `ß` is `ss`, `ſ` is `s`.
fn folded(name: &str) -> impl Iterator<Item = char> {
    let chars = decomposed(name).into_iter().filter(|char| !is_ignorable(*char));
    chars.flat_map(char::to_lowercase).flat_map(char::to_uppercase).flat_map(char::to_lowercase)
}

/// Characters that Linux ignores in names of folders with `casefold`: Unicode's default ignorable code points.
fn is_ignorable(char: char) -> bool {
    matches!(
        char,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The canonical decomposition: no system treats two names as equal that are not canonically equal. The iterators of
/// the crate are not used, since they also need the larger tables of the other normal forms.
fn decomposed(name: &str) -> Vec<char> {
    let mut chars = Vec::new();
    for char in name.chars() {
        decompose_canonical(char, |char| chars.push(char));
    }
    for marks in chars.split_mut(|char| canonical_combining_class(*char) == 0) {
        marks.sort_by_key(|mark| canonical_combining_class(*mark));
    }
    chars
}

/// The names that Windows reserves for devices; `com` and `lpt` are followed by a digit, which may be a superscript.
const DEVICES: [&str; 8] = ["con", "prn", "aux", "nul", "conin$", "conout$", "com", "lpt"];

/// Converts a name to one that every system accepts for a file and that leads to no other folder: characters that are
/// not allowed become `_`.
fn file_name(name: &str) -> String {
    let wrong = |char: char| char.is_control() || r#"/\:*?"<>|"#.contains(char);
    let mut safe: String = name.chars().map(|char| if wrong(char) { '_' } else { char }).collect();
    // No system accepts names of more than 255 bytes, and an extension and a number may be appended.
    let end = (0..=200.min(safe.len())).rev().find(|&end| safe.is_char_boundary(end)).unwrap_or(0);
    safe.truncate(end);
    let stem = Names::key(safe.split('.').next().unwrap_or_default());
    let stem = stem.trim_end().trim_end_matches(|char: char| char.is_ascii_digit() || "¹²³".contains(char));
    if safe.is_empty() || safe.ends_with(['.', ' ']) {
        safe.push('_');
    }
    // A name from a file never creates a hidden file, such as `.bashrc`.
    if DEVICES.contains(&stem) || safe.starts_with('.') {
        safe.insert(0, '_');
    }
    safe
}

/// A path of names separated by `/`, without `.`, `..` and empty names; `None` if it leaves its folder.
pub fn normal_path(path: &str) -> Option<String> {
    let mut names = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()?),
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}
