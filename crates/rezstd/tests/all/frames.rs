//! Frames made by hand: for each part of the format, valid frames and errors.

use rezstd::{Decoder, ErrorKind, Header, max_content};

fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

fn decode(frame: &str, max: usize) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let result = Decoder::new().decode(&hex(frame), max, &mut out);
    assert!(out.capacity() <= max.max(8));
    result.map(|_| out).map_err(|error| error.to_string())
}

fn refused(frame: &str, error: &str) {
    assert_eq!(decode(frame, 1 << 20), Err(error.to_owned()), "{frame}");
}

#[test]
fn heads_of_frames() {
    // Content sizes of one, two, four and eight bytes; a window; a checksum.
    let content = |frame: &str| decode(frame, 1 << 20).map(|content| content.len());
    assert_eq!(content("28 b5 2f fd 20 01 09 00 00 78"), Ok(1));
    assert_eq!(content("28 b5 2f fd 60 2c 00 63 09 00 78"), Ok(300));
    assert_eq!(content("28 b5 2f fd a0 01 00 00 00 09 00 00 78"), Ok(1));
    assert_eq!(content("28 b5 2f fd e0 01 00 00 00 00 00 00 00 09 00 00 78"), Ok(1));
    assert_eq!(content("28 b5 2f fd 00 58 09 00 00 78"), Ok(1));
    // The dictionary id 0 means none.
    assert_eq!(content("28 b5 2f fd 21 00 01 09 00 00 78"), Ok(1));
    let header = Header::read(&hex("28 b5 2f fd 84 0b 05 00 00 00")).unwrap();
    assert_eq!((header.len, header.content_size, header.window_size), (10, Some(5), 2048 + 3 * 256));
    assert!(header.checksum);

    let foreign = "not a zstd frame: expected the magic number 28 b5 2f fd at offset 0x0";
    refused("", foreign);
    refused("28 b5 2f", foreign);
    refused("1f 8b 08 00", foreign);
    refused("28 b5 2f fd", "unexpected end of input at offset 0x4");
    refused("28 b5 2f fd 20", "unexpected end of input at offset 0x5");
    refused("28 b5 2f fd 28 01 09 00 00 78", "invalid frame header (a reserved bit is set) at offset 0x4");
    refused(
        "28 b5 2f fd 21 07 01 09 00 00 78",
        "unsupported zstd dictionary 7 (compress without a dictionary) at offset 0x0",
    );
    let short = "the size of the content is 1 instead of the 2 declared in the frame header at offset 0x0";
    refused("28 b5 2f fd 20 02 09 00 00 78", short);
    refused("50 2a 4d 18 05 00 00 00 01 02", "unexpected end of input at offset 0xa");
    refused("5f 2a 4d 18 ff ff ff ff", "unexpected end of input at offset 0x8");
}

#[test]
fn checksums() {
    // XXH64 of "abc" is 44bc2cf5ad770999.
    assert_eq!(decode("28 b5 2f fd 24 03 19 00 00 61 62 63 99 09 77 ad", 3), Ok(b"abc".to_vec()));
    let wrong = "the content has the checksum ad770999, but the stored one is ad770998 (the data is damaged) at offset 0xc";
    refused("28 b5 2f fd 24 03 19 00 00 61 62 63 98 09 77 ad", wrong);
    refused("28 b5 2f fd 24 03 19 00 00 61 62 63 99 09 77", "unexpected end of input at offset 0xf");
}

#[test]
fn blocks() {
    assert_eq!(decode("28 b5 2f fd 20 00 01 00 00", 0), Ok(Vec::new()));
    // A raw block, one that repeats a byte, and one with literals only.
    let three = "28 b5 2f fd 20 09 10 00 00 61 62 1a 00 00 78 25 00 00 20 31 32 33 34 00";
    assert_eq!(
        decode("28 b5 2f fd 20 09 10 00 00 61 62 1a 00 00 78 35 00 00 20 31 32 33 34 00", 9),
        Ok(b"abxxx1234".to_vec())
    );
    refused(three, "invalid size of literals (it exceeds the block or 131,072 bytes) at offset 0x12");
    refused("28 b5 2f fd 20 01 0f 00 00 78", "invalid block type (3 is reserved) at offset 0x6");
    refused("28 b5 2f fd 20 01 0b 00 10 78", "invalid block size (it exceeds 131,072 bytes) at offset 0x6");
    refused("28 b5 2f fd 20 01 11 00 00 78", "unexpected end of input at offset 0xa");
    refused("28 b5 2f fd 20 01 08 00 00 78", "unexpected end of input at offset 0xa");
    // Two blocks of 128 KiB in twenty bytes, in a frame whose content size is that of one block.
    let mut frame = hex("28 b5 2f fd a0 00 00 02 00 02 00 10 78 03 00 10 78");
    let mut out = Vec::new();
    let error = Decoder::new().decode(&frame, 1 << 20, &mut out).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Length { declared: 1 << 17, found: 1 << 18 });
    assert_eq!(max_content(&frame), 1 << 18);
    // A size that no block fills is also space; bytes after the frames are not.
    assert_eq!(max_content(&hex("28 b5 2f fd a0 00 00 01 00 19 00 00 61 62 63")), 1 << 16);
    assert_eq!(max_content(&hex("28 b5 2f fd 00 58 10 00 00 61 62 1b 00 00 78 00 00")), 5);
    frame[7] = 4;
    assert_eq!(Decoder::new().decode(&frame, 1 << 18, &mut out), Ok(1 << 18));
    assert_eq!(out.len(), 1 << 18);
}

/// Four literals in every form, and the errors of a block with literals and no sequences.
#[test]
fn literals() {
    let block = |content: &str| {
        let content = hex(content);
        let mut frame = hex("28 b5 2f fd 00 58");
        frame.extend(&(u32::try_from(content.len()).unwrap() << 3 | 5).to_le_bytes()[..3]);
        frame.extend(&content);
        let mut out = Vec::new();
        let result = Decoder::new().decode(&frame, 1 << 20, &mut out);
        result.map(|_| out).map_err(|error| error.to_string())
    };
    // Raw, with sizes of one, two and three bytes; and one byte, repeated.
    assert_eq!(block("20 61 62 63 64 00"), Ok(b"abcd".to_vec()));
    assert_eq!(block("44 00 61 62 63 64 00"), Ok(b"abcd".to_vec()));
    assert_eq!(block("4c 00 00 61 62 63 64 00"), Ok(b"abcd".to_vec()));
    assert_eq!(block("21 61 00"), Ok(b"aaaa".to_vec()));
    // Huffman codes: the symbols 0 and 1 have the weights 1 and 1, of which the second is implied, so one bit each. Six
    // symbols in one stream, 1 0 1 1 0 0 and the mark, are the bits 1 1011 00 = 6c.
    assert_eq!(block("62 c0 00 80 10 6c 00"), Ok(vec![1, 0, 1, 1, 0, 0]));
    // The codes of a previous block, which does not exist.
    assert_eq!(
        block("63 40 00 6c 00").unwrap_err(),
        "invalid literals (they reuse a Huffman table that no block defined) at offset 0x9"
    );
    // No bit marks the end; a bit too many; a bit too few.
    assert_eq!(block("62 c0 00 80 10 00 00").unwrap_err(), "invalid Huffman codes at offset 0xe");
    assert_eq!(block("62 c0 00 80 10 ec 00").unwrap_err(), "invalid Huffman codes at offset 0xe");
    assert_eq!(block("62 c0 00 80 10 2c 00").unwrap_err(), "invalid Huffman codes at offset 0xe");
    // No weight except the implied one; and two weights, 1 and 3, which no third one can complete.
    assert_eq!(block("62 c0 00 80 00 6c 00").unwrap_err(), "invalid Huffman weights at offset 0xc");
    assert_eq!(block("62 c0 00 81 13 6c 00").unwrap_err(), "invalid Huffman weights at offset 0xc");
    // The weight 12 is too great.
    assert_eq!(block("62 c0 00 80 c0 6c 00").unwrap_err(), "invalid Huffman weights at offset 0xc");
    // More literals than bytes, and a byte after the last sequence.
    assert_eq!(
        block("28 61 62 63 64").unwrap_err(),
        "invalid size of literals (it exceeds the block or 131,072 bytes) at offset 0x9"
    );
    assert_eq!(block("20 61 62 63 64").unwrap_err(), "unexpected end of input at offset 0xe");
    assert_eq!(
        block("20 61 62 63 64 00 00").unwrap_err(),
        "invalid block (it has no sequences, but bytes follow its literals) at offset 0xf"
    );
}

/// Sequences whose codes are all equal: the tables have one state, and the bitstream only contains the additional bits.
#[test]
fn sequences() {
    let block = |content: &str| {
        let content = hex(content);
        let mut frame = hex("28 b5 2f fd 00 58");
        frame.extend(&(u32::try_from(content.len()).unwrap() << 3 | 5).to_le_bytes()[..3]);
        frame.extend(&content);
        let mut out = Vec::new();
        let result = Decoder::new().decode(&frame, 1 << 20, &mut out);
        result.map(|_| out).map_err(|error| error.to_string())
    };
    // "abcd" and four literals, the offset value 7 (code 2 with the bits 11: distance four), and a length of 3 + 2.
    assert_eq!(block("20 61 62 63 64 01 54 04 02 02 07"), Ok(b"abcdabcda".to_vec()));
    // The last offset, 1: the value 1 (code 0).
    assert_eq!(block("20 61 62 63 64 01 54 04 00 02 01"), Ok(b"abcdddddd".to_vec()));
    // The second last offset, 4: the value 2 (code 1 with the bit 0).
    assert_eq!(block("20 61 62 63 64 01 54 04 01 02 02"), Ok(b"abcdabcda".to_vec()));
    // With literals, the value 3 (code 1 with the bit 1) is the offset 8, which is too far back.
    assert_eq!(
        block("20 61 62 63 64 01 54 04 01 02 03").unwrap_err(),
        "invalid match offset (it is 0, or points before the start of the content) at offset 0x13"
    );
    // Without literals, the value 1 is the second last offset, and 3 is the last one minus 1, which is 0 here. All
    // codes are equal, so no sequence with literals can come first, and there is nothing to copy.
    assert_eq!(
        block("20 61 62 63 64 01 54 00 00 02 01").unwrap_err(),
        "invalid match offset (it is 0, or points before the start of the content) at offset 0x13"
    );
    // Five literals, of which only four exist.
    assert_eq!(
        block("20 61 62 63 64 01 54 05 02 02 07").unwrap_err(),
        "invalid literal length (it exceeds the remaining literals) at offset 0x13"
    );
    // A code that does not exist, reserved modes, and the tables of a previous block.
    assert_eq!(
        block("20 61 62 63 64 01 54 24 02 02 07").unwrap_err(),
        "invalid decoding table of sequences at offset 0x10"
    );
    assert_eq!(
        block("20 61 62 63 64 01 55 04 02 02 07").unwrap_err(),
        "invalid compression modes of sequences (a reserved bit is set) at offset 0xf"
    );
    assert_eq!(
        block("20 61 62 63 64 01 d4 02 02 07").unwrap_err(),
        "invalid decoding table of sequences at offset 0x10"
    );
    // One bit too many, one too few, and no mark.
    for bits in ["0f", "03", "00"] {
        let error = block(&format!("20 61 62 63 64 01 54 04 02 02 {bits}")).unwrap_err();
        assert_eq!(error, "invalid bitstream of sequences at offset 0x13", "{bits}");
    }
}

/// Whatever a frame claims, memory is only taken for what its blocks can contain, and never more than allowed.
#[test]
fn memory_is_bounded() {
    let measured = |frame: &str, max: usize| {
        let frame = hex(frame);
        let mut decoder = Decoder::new();
        let mut result = None;
        let taken = allocation_counter::measure(|| {
            let mut out = Vec::new();
            result = Some(decoder.decode(&frame, max, &mut out));
        });
        (result.unwrap(), taken.bytes_max)
    };
    // One byte in a frame that claims a content of 2^62 bytes.
    let claim = "28 b5 2f fd e0 00 00 00 00 00 00 00 40 09 00 00 78";
    let (result, taken) = measured(claim, usize::MAX);
    assert!(result.is_err() && taken <= 2 << 17, "{taken}");
    assert!(measured(claim, 1000).1 <= 1000);
    // One byte in a frame with a window of 1.875 TiB.
    let (result, taken) = measured("28 b5 2f fd 00 f7 09 00 00 78", usize::MAX);
    assert!(result == Ok(1) && taken <= 1 << 17, "{taken}");
    // 64 blocks of 128 KiB in 262 bytes.
    let mut bomb = "28 b5 2f fd 00 58".to_owned();
    bomb += &" 02 00 10 78".repeat(63);
    bomb += " 03 00 10 78";
    let (result, taken) = measured(&bomb, usize::MAX);
    assert!(result == Ok(64 << 17) && taken <= 3 * (64 << 17) / 2 + (1 << 20), "{taken}");
    let (result, taken) = measured(&bomb, 1_000_000);
    assert_eq!(result.unwrap_err().kind(), ErrorKind::TooLong(1_000_000));
    assert!(taken <= 2_000_000, "{taken}");
}
