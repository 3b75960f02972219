//! Containers and encodings of files that are made here.

/// The sum of ZIP and PNG.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, &byte| {
        let sum = sum ^ u32::from(byte);
        (0..8).fold(sum, |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 })
    })
}

fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

/// A ZIP archive in which files are stored.
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

/// A grey PNG file of this size.
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

/// A zlib stream that stores its bytes.
pub(crate) fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let blocks = bytes.chunks(0xffff).count();
    for (at, block) in bytes.chunks(0xffff).enumerate() {
        let len = u16::try_from(block.len()).unwrap_or(u16::MAX);
        stream.push(u8::from(at + 1 == blocks));
        stream.extend([len.to_le_bytes(), (!len).to_le_bytes()].concat());
        stream.extend(block);
    }
    if blocks == 0 {
        stream.extend([1, 0, 0, 255, 255]);
    }
    let (a, b) = bytes.iter().fold((1, 0), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65_521;
        (a, (a + b) % 65_521)
    });
    stream.extend((b << 16 | a).to_be_bytes());
    stream
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let number = (0..3).fold(0, |sum, at| sum << 8 | usize::from(three.get(at).copied().unwrap_or(0)));
        for digit in 0..4 {
            let letter = LETTERS[number >> (18 - 6 * digit) & 63];
            text.push(if digit > three.len() { '=' } else { char::from(letter) });
        }
    }
    text
}

/// The bytes of such a text.
pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let digit = |letter: u8| {
        Some(u32::from(match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        }))
    };
    let mut bytes = Vec::new();
    for four in text.trim_end_matches('=').as_bytes().chunks(4) {
        let number = four.iter().try_fold(0, |sum, &letter| Some(sum << 6 | digit(letter)?))?;
        let number = number << (6 * (4 - four.len()));
        bytes.extend(&number.to_be_bytes()[1..four.len()]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    #[test]
    fn known_sums() {
        assert_eq!(super::crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(super::base64(b"Many"), "TWFueQ==");
        assert_eq!(super::from_base64("TWFueQ==").as_deref(), Some(&b"Many"[..]));
    }
}
