//! Weights: for each vertex up to four joints.
//!
//! | | |
//! |---|---|
//! | u8 | joint, or `FF`: no more for this vertex |
//! | u16 LE | its weight |
//!
//! Behind a fourth joint there is no `FF`.

use crate::consts::NO_JOINT;
use crate::error::{Error, Result};
use crate::model::VertexWeights;
use crate::wire::fail::{At, Fail, Here, Parsed};
use crate::wire::{Got, Limits};

fn read_one(mut input: &[u8]) -> Parsed<'_, VertexWeights> {
    let mut vertex = VertexWeights::default();
    for (joint, weight) in vertex.joints.iter_mut().zip(&mut vertex.weights) {
        match input {
            [NO_JOINT, rest @ ..] => return Ok((rest, vertex)),
            [found, low, high, rest @ ..] => {
                (*joint, *weight) = (*found, u16::from_le_bytes([*low, *high]));
                input = rest;
            }
            _ => return Err(Fail::end(input)),
        }
    }
    Ok((input, vertex))
}

/// How many vertices there are, the last one complete or not.
fn count(bytes: &[u8]) -> usize {
    let (mut at, mut joints, mut count) = (0_usize, 0_u8, 0_usize);
    while let Some(&joint) = bytes.get(at) {
        if joints == 0 {
            count = count.saturating_add(1);
        }
        if joint == NO_JOINT {
            (at, joints) = (at.saturating_add(1), 0);
        } else {
            at = at.saturating_add(3);
            joints = if joints == 3 { 0 } else { joints.saturating_add(1) };
        }
    }
    count
}

pub(crate) fn read<'a>(bytes: &'a [u8], limits: &mut Limits) -> Got<'a, Vec<VertexWeights>> {
    let mut vertices = limits.budget.vec(count(bytes)).here(bytes)?;
    let mut rest = bytes;
    while !rest.is_empty() {
        let (behind, vertex) = read_one(rest).index(vertices.len())?;
        vertices.push(vertex);
        rest = behind;
    }
    Ok(vertices)
}

pub(crate) fn write(vertices: &[VertexWeights]) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(vertices.len().saturating_mul(12));
    for (index, vertex) in vertices.iter().enumerate() {
        let known = vertex.joints.iter().take_while(|&&joint| joint != NO_JOINT).count();
        if vertex.joints.iter().skip(known).any(|&joint| joint != NO_JOINT) {
            let what = "a joint behind the one that ends them: joint 255 is none";
            return Err(Error::unwritable(format!("weights[{index}].joints"), what));
        }
        for (joint, weight) in vertex.joints.iter().zip(vertex.weights).take(known) {
            let [low, high] = weight.to_le_bytes();
            bytes.extend_from_slice(&[*joint, low, high]);
        }
        if known < 4 {
            bytes.push(NO_JOINT);
        }
    }
    Ok(bytes)
}
