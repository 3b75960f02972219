//! Frames of the reference encoder (the command line of zstd 1.5.4) at levels 1 to 22. The contents are generated
//! again.
//!
//! In the names, `-N` is the level; frames with even levels have no checksum. `-stream` was read from a pipe, so that
//! the content size was unknown; `-fast` is `--fast=5`, and `-long` is `-9 --long=27`.

use crate::common;
use rezstd::{Decoder, ErrorKind, Header, max_content};

/// Each frame: its name, its bytes and its content.
fn frames() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frames");
    let contents = common::contents();
    let mut frames = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let kind = name.split('-').next().unwrap();
        let (_, content) = contents.iter().find(|(content, _)| *content == kind).unwrap();
        frames.push((name, std::fs::read(&path).unwrap(), content.clone()));
    }
    assert_eq!(frames.len(), 48);
    frames.sort();
    frames
}

#[test]
fn every_frame_is_read() {
    let mut decoder = Decoder::new();
    for (name, frame, content) in frames() {
        let mut out = b"before".to_vec();
        assert_eq!(decoder.decode(&frame, content.len(), &mut out), Ok(content.len()), "{name}");
        assert!(out[..6] == *b"before" && out[6..] == content, "{name}");
        for extra in [0, 1, 7, 100_000] {
            let mut out = vec![0xa5; content.len() + extra];
            assert_eq!(decoder.decode_into(&frame, &mut out), Ok(content.len()), "{name}");
            assert!(out[..content.len()] == content, "{name}");
        }
        let header = Header::read(&frame).unwrap();
        // Without a declared size, each block can have 128 KiB.
        let (most, len) = (max_content(&frame), content.len() as u64);
        let spare = if header.content_size.is_some() { 1 << 17 } else { len + (1 << 18) };
        assert!((len..=len + spare).contains(&most), "{name}: {most} for {len}");
        let streamed = name.contains("-stream") && !content.is_empty();
        assert_eq!(header.content_size.is_none(), streamed || name.contains("-long"), "{name}");
        let even = name.rsplit('-').next().unwrap().parse::<u32>().is_ok_and(|level| level % 2 == 0);
        assert_eq!(header.checksum, !even && !name.contains("-fast"), "{name}");
    }
}

#[test]
fn frames_follow_each_other() {
    let frames = frames();
    let mut all = Vec::new();
    let mut contents = Vec::new();
    for (_, frame, content) in &frames {
        // A skippable frame with three bytes.
        all.extend([0x57, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
        all.extend(frame);
        contents.extend(content);
    }
    let (mut decoder, mut out) = (Decoder::new(), Vec::new());
    assert_eq!(decoder.decode(&all, contents.len(), &mut out), Ok(contents.len()));
    assert!(out == contents);
    all.push(0);
    let error = decoder.decode(&all, contents.len(), &mut out).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::NotZstd, all.len() - 1));
    assert!(out == contents, "what was there is gone");
}

/// A limit of one byte less than the content is too low, and the error contains the limit.
#[test]
fn the_limit_is_exact() {
    let mut decoder = Decoder::new();
    for (name, frame, content) in frames().into_iter().filter(|(.., content)| !content.is_empty()) {
        let max = content.len() - 1;
        let mut out = Vec::new();
        let error = decoder.decode(&frame, max, &mut out).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooLong(max), "{name}");
        assert!(out.is_empty() && out.capacity() <= max, "{name}: {}", out.capacity());
        let error = decoder.decode_into(&frame, &mut vec![0; max]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooLong(max), "{name}");
    }
}

#[test]
fn a_frame_that_ends_early_is_an_error() {
    let mut decoder = Decoder::new();
    for (name, frame, content) in frames() {
        let step = if frame.len() > 2000 { 37 } else { 1 };
        for len in (0..frame.len()).step_by(step) {
            let result = decoder.decode(&frame[..len], content.len(), &mut Vec::new());
            assert!(result.is_err(), "{name}: {len} of {} bytes", frame.len());
        }
    }
}

/// An independent decoder reads changed frames: if both decoders accept a frame, its content is the same.
#[test]
fn changed_frames_are_read_as_others_read_them() {
    let (mut decoder, mut other) = (Decoder::new(), ruzstd::decoding::FrameDecoder::new());
    let mut rng = common::Rng(0xbad);
    let (mut both, mut ours, mut theirs) = (0, 0, 0);
    for (name, frame, content) in frames() {
        let mut space = vec![0; content.len() + 100];
        for round in 0..if frame.len() > 5000 { 60 } else { 150 } {
            let mut changed = frame.clone();
            // Remove the checksum, which would refuse nearly all changes.
            if changed[4] & 4 != 0 {
                changed[4] &= !4;
                changed.truncate(frame.len() - 4);
            }
            // The tables are at the beginning of a frame.
            let end = if round % 2 == 0 { changed.len().min(140) } else { changed.len() };
            for _ in 0..1 + rng.below(2) {
                let at = 5 + rng.below(end - 5);
                changed[at] = rng.byte();
            }
            let mut out = Vec::new();
            let here = decoder.decode(&changed, content.len() + 100, &mut out);
            // The other decoder panics for some frames.
            let there = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                other.decode_all(&changed, &mut space).ok()
            }));
            let there = there.unwrap_or_else(|_| {
                other = ruzstd::decoding::FrameDecoder::new();
                None
            });
            match (here.is_ok(), there) {
                (true, Some(len)) => {
                    assert!(out == space[..len], "{name}: another content, round {round}");
                    both += 1;
                }
                (true, None) => ours += 1,
                (false, Some(_)) => theirs += 1,
                (false, None) => {}
            }
        }
    }
    println!("{both} read by both, {ours} by ours alone, {theirs} by theirs alone");
    assert!(both > 500, "{both}");
}
