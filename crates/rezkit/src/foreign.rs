//! Identifies files that are not assets of a known format, and suggests a remedy.

use bstr::ByteSlice as _;
use rezkit_core::{Error, Finding, Result, Rule, Severity};

const POINTER: &[u8] = b"version https://git-lfs";

/// The first bytes of texts, and a description of their kind with the remedy.
const TEXTS: &[(&[u8], &str)] = &[
    (POINTER, "a Git LFS pointer instead of the file; `git lfs pull` downloads the file"),
    (
        b"<!doctype html",
        "an HTML page, perhaps a server's error message; open it in a text editor to read it",
    ),
    (b"<html", "an HTML page, perhaps a server's error message; open it in a text editor to read it"),
    (b"ply\n", PLY),
    (b"ply\r", PLY),
    (b"%PDF", "a PDF document"),
    (b"#usda", USD),
];

const USD: &str =
    "a USD model, which rezkit cannot read; convert it to glTF with another program, such as Blender";

const PLY: &str = "a PLY model whose first line is not exactly `ply`; correct this line";
const STL: &str =
    "an STL model, recognized only by the extension .stl; use `--from stl` (library option: `form`)";

/// The same for files that are not text.
const MAGIC: &[(&[u8], &str)] = &[
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "a RIFF file, such as WebP or WAV"),
    (b"DDS ", "a DDS image"),
    (b"\xabKTX", "a KTX image"),
    (b"\0\0\0\x0cjP  ", "a JPEG 2000 image"),
    (b"\xff\x4f\xff\x51", "a JPEG 2000 image"),
    (b"OggS", "an Ogg audio or video file"),
    (b"ID3", "an MP3 audio file"),
    (b"\x1aE\xdf\xa3", "a WebM or Matroska video"),
    (b"glTF", "a binary glTF model"),
    (b"PXR-USDC", USD),
    (b"BLENDER", "a Blender file; export it from Blender as glTF"),
    (b"DRACO", "a Draco mesh, which rezkit reads only inside Roblox mesh files and glTF models"),
    (b"\x28\xb5\x2f\xfd", "a file compressed with zstd; decompress it first"),
    (b"\x04\x22\x4d\x18", "a file compressed with LZ4; decompress it first"),
    (b"BZh", "a file compressed with bzip2; decompress it first"),
    (b"\xfd7zXZ", "a file compressed with xz; decompress it first"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"\x1f\x8b", "a file compressed with gzip; decompress it first"),
    (b"PK\x03\x04", "a ZIP archive; unpack it first"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x7fELF", "an executable program"),
    (b"MZ", "an executable program"),
    (b"\xff\xfe\0\0", "text in UTF-32; convert it to UTF-8"),
    (b"\0\0\xfe\xff", "text in UTF-32; convert it to UTF-8"),
    (b"\xff\xfe", "text in UTF-16; convert it to UTF-8"),
    (b"\xfe\xff", "text in UTF-16; convert it to UTF-8"),
];

/// Whether the bytes are a pointer of Git LFS, which can have any extension.
pub(crate) fn is_pointer(bytes: &[u8]) -> bool {
    bytes.starts_with(POINTER)
}

/// The keys by which Rojo's files are known.
#[derive(serde::Deserialize)]
struct OfRojo {
    #[serde(rename = "className", alias = "ClassName")]
    class: Option<String>,
    tree: Option<serde::de::IgnoredAny>,
}

/// The kind of the bytes, as a part of a sentence.
pub(crate) fn describe(bytes: &[u8]) -> &'static str {
    if bytes.is_empty() {
        return "an empty file";
    }
    let bytes = rezkit_core::plain::unmarked(bytes);
    let head: Vec<u8> = bytes.trim_ascii_start().iter().take(64).map(u8::to_ascii_lowercase).collect();
    let begins = |magic: &&(&[u8], &str)| bytes.starts_with(magic.0) || head.starts_with(magic.0);
    let is_text = std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0'));
    let magic = if is_text { &[] } else { MAGIC };
    if let Some((_, what)) = TEXTS.iter().chain(magic).find(begins) {
        return what;
    }
    if bytes.starts_with(b"solid ")
        && (!is_text || bytes.find("facet").is_some() || bytes.find("endsolid").is_some())
    {
        return STL;
    }
    match head.first() {
        Some(b'{') if serde_json::from_slice::<OfRojo>(bytes).is_ok_and(|of| of.class.is_some()) => {
            "a model file of Rojo (.model.json); in the folder of a project, `rezkit pack` adds it to a document"
        }
        Some(b'{') if serde_json::from_slice::<OfRojo>(bytes).is_ok_and(|of| of.tree.is_some()) => {
            "a project file of Rojo; `rezkit pack` puts its folder into a document"
        }
        Some(b'{' | b'[') if serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok() => {
            "JSON, perhaps a server's error message; if it is LLSD written as JSON, use `--from json` (library option: \
             `form`)"
        }
        Some(b'<') if bytes.windows(8).take(4096).any(|window| window == b"<COLLADA") => {
            "a Collada model, which rezkit cannot read; convert it to glTF with another program, such as Blender 4.5"
        }
        Some(b'<')
            if bytes.windows(5).take(4096).any(|at| at.eq_ignore_ascii_case(b"<llsd") && at != b"<llsd") =>
        {
            "XML that resembles LLSD; to read it, write its root element as <llsd>, in lower case"
        }
        Some(b'<') => "XML of an unknown format",
        Some(b'{' | b'[') if bytes.contains(&0) => {
            "data of an unknown format; if it is binary LLSD without a header, use `--from binary` (library option: \
             `form`)"
        }
        Some(b'{' | b'[') => {
            "text that is neither JSON nor LLSD notation; to find the error, use `--from notation` (library option: \
             `form`)"
        }
        None => "only white space",
        _ if bytes.iter().all(|&byte| byte == 0) => "only zero bytes, perhaps from an interrupted download",
        _ if is_text && bytes.windows(3).take(4096).any(|window| window == b"\nv ") => {
            "text of an unknown format; if it is OBJ, use `--from obj` (library option: `form`)"
        }
        _ if is_text => "text of an unknown format",
        _ if is_binary_stl(bytes) => STL,
        _ => "data of an unknown format",
    }
}

/// Whether the number of triangles that a binary STL file declares fits the length of the bytes.
fn is_binary_stl(bytes: &[u8]) -> bool {
    let count = bytes.get(80..84).and_then(|count| count.try_into().ok()).map(u32::from_le_bytes);
    count.is_some_and(|count| bytes.len() as u64 == 84 + 50 * u64::from(count))
}

/// The error with which a format crate refuses bytes that resemble its format: another version, encoding or
/// declaration, or a broken signature.
pub(crate) fn refused(bytes: &[u8], max_bytes: u64) -> Option<Error> {
    let head = bytes.trim_ascii_start();
    let is_xml = || head.starts_with(b"<") && bytes.windows(7).take(4096).any(|window| window == b"<roblox");
    if head.starts_with(b"version ") && !head.starts_with(b"version https:") {
        return ::rbxmesh::ReadOptions::new().max_bytes(max_bytes).read(bytes).err().map(Error::from);
    }
    if bytes.starts_with(b"<roblox!") || bytes.starts_with(b"<roblox\xef") {
        return ::rbxbinary::ReadOptions::new().max_bytes(max_bytes).read(bytes).err().map(Error::from);
    }
    is_xml().then(|| ::rbxxml::ReadOptions::new().max_bytes(max_bytes).read(bytes).err().map(Error::from))?
}

/// The rule that a file's content matches its extension.
pub const NOT_AN_ASSET: &str = "rezkit.not-an-asset";

pub(crate) const RULE: Rule = Rule::new(
    NOT_AN_ASSET,
    Severity::Warning,
    "a file with the extension of an asset format, such as .rbxm, contains an asset that rezkit recognizes",
    "the formats that the README lists",
);

/// The rule that a file can be read.
pub(crate) const UNREADABLE: Rule = Rule::new(
    "rezkit.unreadable",
    Severity::Error,
    "a file can be read, so that the other rules can be checked",
    "FORMAT.md of the crate of the format",
);

/// The finding for a file that cannot be read, for a list of findings such as SARIF.
pub fn unreadable(error: &Error) -> Finding {
    Finding::new(&UNREADABLE, error.path(), error.reason())
}

/// The finding for a file that has the extension of an asset but is not one.
///
/// # Errors
/// As reading, if the file is a damaged asset, or one of an unknown version.
pub fn not_an_asset(bytes: &[u8], max_bytes: u64) -> Result<Finding> {
    refused(bytes, max_bytes)
        .map_or_else(|| Ok(Finding::new(&RULE, "", format!("found {}", describe(bytes)))), Err)
}
