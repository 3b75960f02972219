//! Writes ZIP archives and PNG files, and encodes base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use targets::formats::zlib;

/// The CRC-32 checksum of ZIP and PNG.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, &byte| {
        let sum = sum ^ u32::from(byte);
        (0..8).fold(sum, |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 })
    })
}

fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

/// A ZIP archive that stores the files without compression.
pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let size = length(bytes).to_le_bytes();
        let name_length = u16::try_from(name.len()).unwrap_or(u16::MAX).to_le_bytes();
        let version = [20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let fields =
            [&version, &crc32(bytes).to_le_bytes()[..], &size, &size, &name_length, &[0; 2]].concat();
        let offset = length(&archive).to_le_bytes();
        directory.extend([b"PK\x01\x02\x14\0", &*fields, &[0; 10], &offset, name.as_bytes()].concat());
        archive.extend([b"PK\x03\x04", &*fields, name.as_bytes(), bytes].concat());
    }
    let count = u16::try_from(files.len()).unwrap_or(u16::MAX).to_le_bytes();
    let sizes = [length(&directory).to_le_bytes(), length(&archive).to_le_bytes()].concat();
    [&*archive, &directory, b"PK\x05\x06\0\0\0\0", &count, &count, &sizes, &[0; 2]].concat()
}

/// A grey PNG file of this size in pixels.
pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
    let chunk = |name: &[u8; 4], content: &[u8]| {
        let named = [name, content].concat();
        [&length(content).to_be_bytes(), &*named, &crc32(&named).to_be_bytes()].concat()
    };
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 0, 0, 0, 0]].concat();
    let rows = vec![0_u8; (width as usize + 1) * height as usize];
    [b"\x89PNG\r\n\x1a\n", &*chunk(b"IHDR", &header), &chunk(b"IDAT", &zlib(&rows)), &chunk(b"IEND", &[])]
        .concat()
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Decodes base64; `None` if the text is not valid.
pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_known_sum() {
        assert_eq!(super::crc32(b"123456789"), 0xcbf4_3926);
    }
}
