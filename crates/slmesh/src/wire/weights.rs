//! Weights: for each vertex up to four joints.
//!
//! | | |
//! |---|---|
//! | u8 | joint, or `FF`: no more for this vertex |
//! | u16 LE | its weight |
//!
//! After a fourth joint there is no `FF`.

use super::limits::{Got, Limits};
use crate::consts::NO_JOINT;
use crate::model::VertexWeights;
use geom::wire::{At, Error, Fail, Here, Result};

/// The next vertex, and the bytes after it; `None` if it is truncated.
fn read_one(mut input: &[u8]) -> Option<(&[u8], VertexWeights)> {
    let mut vertex = VertexWeights::default();
    for (joint, weight) in vertex.joints.iter_mut().zip(&mut vertex.weights) {
        match input {
            [NO_JOINT, rest @ ..] => return Some((rest, vertex)),
            [found, low, high, rest @ ..] => {
                (*joint, *weight) = (*found, u16::from_le_bytes([*low, *high]));
                input = rest;
            }
            _ => return None,
        }
    }
    Some((input, vertex))
}

pub(super) fn read<'a>(bytes: &'a [u8], limits: &mut Limits) -> Got<'a, Vec<VertexWeights>> {
    let mut vertices = Vec::new();
    let mut input = bytes;
    while !input.is_empty() {
        let Some((rest, vertex)) = read_one(input) else {
            return Err(Fail::end_of(input)).index(vertices.len());
        };
        limits.budget.push(&mut vertices, vertex).here(input)?;
        input = rest;
    }
    Ok(vertices)
}

pub(super) fn write(vertices: &[VertexWeights]) -> Result<Vec<u8>> {
    // A vertex takes at most as many bytes here as in memory.
    let mut bytes = Vec::with_capacity(size_of_val(vertices));
    for (index, vertex) in vertices.iter().enumerate() {
        let mut ended = false;
        for (&joint, weight) in vertex.joints.iter().zip(vertex.weights) {
            ended |= joint == NO_JOINT;
            if ended && (joint != NO_JOINT || weight != 0) {
                let what = format!(
                    "joint {joint} with weight {weight} after joint 255, which ends the joint list of a vertex"
                );
                return Err(Error::unwritable(format!("[{index}]"), what));
            }
            if !ended {
                let [low, high] = weight.to_le_bytes();
                bytes.extend_from_slice(&[joint, low, high]);
            }
        }
        if ended {
            bytes.push(NO_JOINT);
        }
    }
    Ok(bytes)
}
