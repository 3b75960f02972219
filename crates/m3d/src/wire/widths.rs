//! Which widths a model is written with: those that it was read with where they are enough, otherwise the
//! smallest that do.

use super::colors::{self, ColorTable};
use super::writer::{coord_bytes, tex_coord_bytes};
use crate::consts::{TypeField, Types};
use crate::model::{Arg, Model};
use crate::number::effective;

/// The widths to begin with.
pub(crate) fn start(model: &Model, names: usize) -> Types {
    let Some(mut types) = model.layout.types else {
        let all = TypeField::ALL.into_iter();
        return all.fold(Types(0), |types, field| types.with(field, least(model, field, names)));
    };
    // Widths that no reader understands are not kept.
    for (field, bits) in [(TypeField::Vertex, 3), (TypeField::Name, 3), (TypeField::Voxel, 2)] {
        if types.get(field) == bits {
            types = types.with(field, least(model, field, names));
        }
    }
    types
}

/// The widths with one wider that was too narrow; `None` where there is no wider one.
pub(crate) fn widen(model: &Model, types: Types, field: TypeField, names: usize) -> Option<Types> {
    let least = least(model, field, names);
    let bits = types.get(field);
    let wider = match (field, bits) {
        (TypeField::Coord, 3) | (TypeField::Weights, 3) => return None,
        (TypeField::Coord | TypeField::Weights, _) => least.max(bits.saturating_add(1)),
        (_, 3) if least == 3 => 0,
        (_, 3) => least,
        (_, 2) => return None,
        _ => bits.saturating_add(1),
    };
    Some(types.with(field, wider))
}

/// The smallest width for what a model has in its lists. What it has besides, such as an index
/// past the end of a list, is found while writing.
fn least(model: &Model, field: TypeField, names: usize) -> u8 {
    match field {
        TypeField::Coord => coord(model),
        TypeField::Vertex => by_count(model.vertices.len()),
        TypeField::Name => by_count(names),
        TypeField::Color => color(model),
        TypeField::TexCoord => or_none(model.tex_coords.uvs.len()),
        TypeField::Bone => or_none(model.bones.len()),
        TypeField::Weights => weights(model),
        TypeField::Skin => or_none(model.skins.len()),
        TypeField::FrameCount => {
            let frames = model.actions.iter().flat_map(|action| &action.frames);
            let most = frames.map(|frame| frame.transforms.len()).max().unwrap_or(0);
            if model.actions.is_empty() { 3 } else { by_count(most) }
        }
        TypeField::Shape => or_none(model.shapes.len()),
        TypeField::Face if model.shapes.is_empty() => 3,
        TypeField::Face => or_none(model.face_count()),
        TypeField::VoxelDim => voxel_dim(model),
        TypeField::Voxel => match model.voxel_types.len() {
            0 if model.voxel_blocks.is_empty() => 3,
            count => by_count(count).min(1),
        },
    }
}

fn by_count(count: usize) -> u8 {
    match count {
        0..254 => 0,
        254..65534 => 1,
        _ => 2,
    }
}

fn or_none(count: usize) -> u8 {
    if count == 0 { 3 } else { by_count(count) }
}

/// The least width that represents every coordinate exactly.
fn coord(model: &Model) -> u8 {
    let mut least = 0;
    let mut hold = |exact: &dyn Fn(u8) -> bool| {
        while least < 3 && !exact(least) {
            least = least.saturating_add(1);
        }
    };
    let vertices = &model.vertices;
    let mut precise = vertices.precise.iter();
    for coord in &vertices.coords {
        let doubles = precise.next().map_or([None; 4], |precise| precise.map(Some));
        for (float, double) in coord.to_array().into_iter().zip(doubles) {
            hold(&|bits| coord_bytes(bits, effective(float, double)).2);
        }
    }
    let mut precise = model.tex_coords.precise.iter();
    for uv in &model.tex_coords.uvs {
        let doubles = precise.next().map_or([None; 2], |precise| precise.map(Some));
        for (float, double) in uv.to_array().into_iter().zip(doubles) {
            hold(&|bits| tex_coord_bytes(bits, effective(float, double)).2);
        }
    }
    for arg in model.shapes.iter().flat_map(|shape| &shape.commands).flat_map(|command| &command.args) {
        if let &Arg::Coord(value) = arg {
            hold(&|bits| coord_bytes(bits, value).2);
        }
    }
    least
}

fn color(model: &Model) -> u8 {
    if !colors::any(model) {
        return 3;
    }
    match ColorTable::new(model, 65533, false) {
        Ok(table) => by_count(table.colors.len()),
        Err(_) => 2,
    }
}

fn weights(model: &Model) -> u8 {
    let mut bits = 0;
    for skin in &model.skins {
        let [first, rest @ ..] = skin.weights;
        let used = rest.iter().rposition(|&weight| weight != 0).map_or(0, |place| place.saturating_add(1));
        bits = bits.max(match used {
            0 if first == 255 => 0,
            0 | 1 => 1,
            2 | 3 => 2,
            _ => 3,
        });
    }
    bits
}

fn voxel_dim(model: &Model) -> u8 {
    if model.voxel_blocks.is_empty() {
        return 3;
    }
    let mut bits = 0;
    for block in &model.voxel_blocks {
        for (position, size) in block.position.into_iter().zip(block.size) {
            let (least, most) = (i64::from(position), i64::from(position).saturating_add(i64::from(size)));
            bits = bits.max(match (least, most) {
                (-128.., ..128) => 0,
                (-32768.., ..32768) => 1,
                _ => 2,
            });
        }
    }
    bits
}
