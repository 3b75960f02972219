//! Zstandard frames.

use rezstd::{Decoder, Encoder, Header};

/// The most that a frame may become.
const MAX: usize = 1 << 18;

/// However a frame is read, its content is the same, and so is what is wrong with it.
pub(super) fn read(data: &[u8]) {
    let _header = Header::read(data);
    let (mut decoder, mut out) = (Decoder::new(), Vec::new());
    let result = decoder.decode(data, MAX, &mut out);
    assert!(out.capacity() <= MAX, "{} bytes", out.capacity());
    let mut slice = vec![0xa5; MAX];
    // The same decoder, with the tables that the frame left.
    assert_eq!(decoder.decode_into(data, &mut slice), result);
    if let Ok(len) = result {
        assert!(slice[..len] == out);
        // As long as the content exactly: nothing is written after it.
        assert_eq!(decoder.decode_into(data, &mut slice[..len]), Ok(len));
        assert!(slice[..len] == out);
    }
}

/// What is written comes back: the input, and what it becomes where it is a frame.
pub(super) fn round_trip(data: &[u8]) {
    let (mut encoder, mut decoder, mut content) = (Encoder::new().checksum(true), Decoder::new(), Vec::new());
    let _len = decoder.decode(data, MAX, &mut content);
    for data in [data, &content, data] {
        let (mut frame, mut out) = (Vec::new(), Vec::new());
        encoder.encode(data, &mut frame);
        let len =
            decoder.decode(&frame, data.len(), &mut out).unwrap_or_else(|error| panic!("not read: {error}"));
        assert!(len == data.len() && out == data, "another content");
    }
}
