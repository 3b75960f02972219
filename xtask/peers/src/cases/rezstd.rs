//! The Zstandard frames of places, compared with ruzstd, which rbxbinary used before, and with the C library.

use std::rc::Rc;

use super::label;
use crate::corpus;
use crate::measure::{Case, Goal};

/// The number of real files for which there are cases, the largest first.
const FILES: usize = 2;

/// A frame, and the size of its content.
type Frame = (Vec<u8>, usize);

pub fn cases(sizes: &[usize]) -> Vec<Case> {
    let generated = sizes.iter().map(|&size| {
        let options = rbxbinary::WriteOptions::new().compression(rbxbinary::Compression::Zstd);
        (label(size), options.write(&super::rbxbinary::parts(size)).expect("writes"))
    });
    let with_frames = |(name, bytes): (String, Vec<u8>)| Some((name, frames(&bytes)?));
    let real = corpus("rbxbinary").into_iter().filter_map(with_frames).take(FILES);
    generated.filter_map(with_frames).chain(real).flat_map(|(name, frames)| both(&name, frames)).collect()
}

/// The frames of a place; `None` if it has no such frames.
fn frames(bytes: &[u8]) -> Option<Vec<Frame>> {
    let chunks = rbxbinary::chunks(bytes).ok()?.flatten();
    let chunks = chunks.filter(|chunk| chunk.compression == rbxbinary::Compression::Zstd);
    let frames: Vec<_> = chunks.map(|chunk| (chunk.payload.to_vec(), chunk.len as usize)).collect();
    (!frames.is_empty()).then_some(frames)
}

/// Decompresses every frame into allocated memory, and compresses every content. The rates count decompressed bytes.
fn both(name: &str, frames: Vec<Frame>) -> [Case; 2] {
    let most = frames.iter().map(|&(_, len)| len).max().unwrap_or(0);
    let sum = frames.iter().map(|&(_, len)| len).sum();
    let mut decoder = rezstd::Decoder::new();
    let contents: Vec<Vec<u8>> = frames
        .iter()
        .map(|(frame, len)| {
            let mut content = vec![0; *len];
            decoder.decode_into(frame, &mut content).expect("a frame");
            content
        })
        .collect();
    // The compressed sizes; content that does not shrink counts uncompressed.
    let (mut encoder, mut level_1) =
        (rezstd::Encoder::new(), zstd::bulk::Compressor::new(1).expect("a context"));
    let (mut size, mut size_in_c) = (0, 0);
    for content in &contents {
        let mut frame = Vec::new();
        encoder.encode(content, &mut frame);
        size += frame.len().min(content.len());
        size_in_c += level_1.compress(content).expect("a frame").len().min(content.len());
    }
    let [a, b, c] = [(); 3].map({
        let frames = Rc::new(frames);
        move |()| (Rc::clone(&frames), vec![0; most])
    });
    let [d, e, f] = [(); 3].map({
        let contents = Rc::new(contents);
        move |()| Rc::clone(&contents)
    });
    let (mut ours, mut theirs) = (rezstd::Decoder::new(), ruzstd::decoding::FrameDecoder::new());
    let mut in_c = zstd::bulk::Decompressor::new().expect("a context");
    [
        Case::new("rezstd", format!("decompress {name}"), sum)
            .goal(Goal::TimesPeer(5.0))
            .ours({
                let (frames, mut place) = a;
                move || {
                    for (frame, len) in frames.iter() {
                        ours.decode_into(frame, &mut place[..*len]).expect("a frame");
                    }
                }
            })
            .peer("ruzstd", {
                let (frames, mut place) = b;
                move || {
                    for (frame, len) in frames.iter() {
                        theirs.decode_all(frame, &mut place[..*len]).expect("a frame");
                    }
                }
            })
            .yardstick("zstd in C", {
                let (frames, mut place) = c;
                move || {
                    for (frame, len) in frames.iter() {
                        in_c.decompress_to_buffer(frame, &mut place[..*len]).expect("a frame");
                    }
                }
            }),
        Case::new("rezstd", format!("compress {name} to {size} bytes (zstd in C: {size_in_c} bytes)"), sum)
            .goal(Goal::TimesPeer(2.0))
            .ours(move || {
                let mut out = Vec::new();
                d.iter().for_each(|content| encoder.encode(content, &mut out));
                out
            })
            .peer("ruzstd", move || {
                let level = ruzstd::encoding::CompressionLevel::Fastest;
                e.iter()
                    .map(|content| ruzstd::encoding::compress_to_vec(&content[..], level))
                    .collect::<Vec<_>>()
            })
            .yardstick("zstd in C, level 1", move || {
                f.iter().map(|content| level_1.compress(content).expect("a frame")).collect::<Vec<_>>()
            }),
    ]
}
