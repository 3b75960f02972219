//! Voxels to and from those of Model 3D.
//!
//! A model that is placed in a file is a block, and a colour of the palette a type of voxels. The name of a block begins with
//! that of its layer and a slash, if the layer has a name. In Model 3D, y is up; in MagicaVoxel, z.

use std::collections::HashMap;

use ::m3d::{Model as Model3d, Voxel, VoxelBlock, VoxelType};
use geom::Rgba8;
use glam::{IVec3, Mat4};
use rezkit_core::{Budget, Error, ErrorKind, Loss, Result};

use super::{DEPTH, File, Model, Named, Placed, WHAT, read};
use crate::grow::push;

/// The most voxels of a model along each axis, and the most colours.
const LARGEST: u32 = 256;
const COLORS: usize = 255;

/// A model at a place.
struct Instance {
    named: Named,
    matrix: Mat4,
    model: usize,
}

/// Reads a file as blocks of voxels.
///
/// # Errors
/// If the file is damaged, with the chunk and the offset, or needs more memory than the budget allows.
pub fn to_m3d(bytes: &[u8], budget: &mut Budget) -> Result<(Model3d, Vec<Loss>)> {
    let file = read(bytes, budget)?;
    let mut losses = file.losses();
    let mut made = Model3d::default();
    let most = file.models.iter().flat_map(|model| &model.cells).copied().max().unwrap_or_default();
    // The colours that no voxel has are kept, too; palettes of fewer than 255 colours end with empty ones.
    let is_empty = |color: &Rgba8| *color == Rgba8::new(0, 0, 0, 0);
    let count = file.palette.iter().rposition(|color| !is_empty(color)).unwrap_or(0).max(most.into());
    for color in file.palette.iter().skip(1).take(count) {
        made.voxel_types.push(VoxelType { color: *color, ..VoxelType::default() });
    }
    let hidden = file.layers.values().filter(|layer| layer.is_hidden).count();
    Loss::new("LAYR", "that a layer is hidden").id("vox.hidden").times(hidden).count_in(&mut losses);
    for instance in file.instances(budget)? {
        if instance.named.is_hidden {
            Loss::new("nTRN", "that a model is hidden").id("vox.hidden").count_in(&mut losses);
        }
        let Some(model) = file.models.get(instance.model) else { continue };
        let Named { name, layer, .. } = &instance.named;
        let name = match file.layers.get(layer).filter(|layer| !layer.name.is_empty()) {
            Some(layer) => format!("{}/{name}", layer.name),
            None => name.clone(),
        };
        budget.take(4 * model.cells.len() as u64 + 200, WHAT)?;
        budget.work(20 * model.cells.len() as u64, WHAT)?;
        made.voxel_blocks.push(block(model, name, instance.matrix));
    }
    Ok((made, losses))
}

/// The block of a model at a place.
fn block(model: &Model, name: String, matrix: Mat4) -> VoxelBlock {
    let size = model.size.map(|length| i32::try_from(length).unwrap_or(i32::MAX));
    let pivot = IVec3::from(size) / 2;
    let place = |point: IVec3| -> IVec3 {
        // Twice the coordinates, since those of a middle are halves. The matrix has only whole numbers.
        let moved =
            matrix.transform_vector3((2 * (point - pivot) + 1).as_vec3()) + 2.0 * matrix.w_axis.truncate();
        let [x, y, z] = moved.to_array().map(|axis| axis.round() as i32);
        IVec3::new((x - 1).div_euclid(2), (z - 1).div_euclid(2), (-y - 1).div_euclid(2))
    };
    let ends = [place(IVec3::ZERO), place(IVec3::from(size) - 1)];
    let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
    let size = (high - low + 1).max(IVec3::ZERO).as_uvec3();
    let mut block = VoxelBlock {
        name: name.into(),
        position: low.to_array(),
        size: size.to_array(),
        ..VoxelBlock::default()
    };
    block.voxels = vec![Voxel::UNSET; model.cells.len()];
    let [wide, deep, _] = model.size.map(|length| length.max(1));
    for (at, &color) in model.cells.iter().enumerate().filter(|(_, color)| **color > 0) {
        let cell =
            [at % wide, at / wide % deep, at / wide / deep].map(|axis| i32::try_from(axis).unwrap_or(0));
        let [x, y, z] = (place(IVec3::from(cell)) - low).as_uvec3().to_array();
        let index = (y as usize * size.z as usize + z as usize) * size.x as usize + x as usize;
        if let Some(voxel) = block.voxels.get_mut(index) {
            *voxel = Voxel(u16::from(color) - 1);
        }
    }
    block
}

impl File {
    /// The models at their places.
    fn instances(&self, budget: &mut Budget) -> Result<Vec<Instance>> {
        let mut made = Vec::new();
        if self.nodes.is_empty() {
            for model in 0..self.models.len() {
                push(&mut made, Instance { named: Named::default(), matrix: Mat4::IDENTITY, model }, budget)?;
            }
            return Ok(made);
        }
        let mut open = vec![(0_u32, Named::default(), Mat4::IDENTITY, 0)];
        let mut left = self.nodes.len().saturating_mul(4) + 16;
        while let Some((number, named, matrix, depth)) = open.pop() {
            left = left.saturating_sub(1);
            if depth > DEPTH || left == 0 {
                return Err(Error::unreadable("nodes that are nested too deeply, or in each other"));
            }
            budget.take(1000, WHAT)?;
            match self.nodes.get(&number) {
                Some(Placed::Transform(own, place, below)) => {
                    let mut own = own.clone();
                    own.is_hidden |= named.is_hidden;
                    if own.name.is_empty() {
                        own.name = named.name;
                    }
                    open.push((*below, own, matrix * *place, depth + 1));
                }
                Some(Placed::Group(below)) => {
                    let inner = Named { name: String::new(), ..named };
                    open.extend(below.iter().rev().map(|&below| (below, inner.clone(), matrix, depth + 1)));
                }
                Some(Placed::Shape(models)) => {
                    if let Some(&model) = models.first() {
                        push(&mut made, Instance { named, matrix, model: model as usize }, budget)?;
                    }
                }
                None => {}
            }
        }
        Ok(made)
    }
}

/// Writes the voxels of a model as a file.
///
/// # Errors
/// [`Empty`](ErrorKind::Empty) if it has none, [`Limit`](ErrorKind::Limit) if the budget does not suffice.
pub fn from_m3d(model: &Model3d, budget: &mut Budget) -> Result<(Vec<u8>, Vec<Loss>)> {
    if model.voxel_blocks.is_empty() {
        return Err(Error::new(ErrorKind::Empty, "the model has no voxels"));
    }
    let types = model.voxel_types.len() as u64;
    budget.work(types.saturating_mul(8 * (1 + model.materials.len() as u64)), WHAT)?;
    budget.take(types * 64, WHAT)?;
    let mut losses = lost(model);
    let (colors, palette) = palette(model, &mut losses);
    let mut writer = Writer { models: Vec::new(), nodes: Vec::new(), count: 0, children: Vec::new() };
    let mut layers: Vec<&str> = Vec::new();
    for block in &model.voxel_blocks {
        let name = std::str::from_utf8(&block.name).unwrap_or_default();
        let (layer, name) = name.split_once('/').unwrap_or(("", name));
        let layer = match layers.iter().position(|known| *known == layer) {
            Some(known) => known,
            None => {
                budget.work(layers.len() as u64, WHAT)?;
                layers.push(layer);
                layers.len() - 1
            }
        };
        writer.block(block, (name, layer), &colors, budget)?;
    }
    let mut body = writer.models;
    let root = [number(0), pairs(&[]), number(1), number(u32::MAX), number(u32::MAX), number(1), pairs(&[])];
    chunk(&mut body, b"nTRN", &root.concat());
    let mut group = [number(1), pairs(&[]), number(writer.children.len() as u32)].concat();
    writer.children.iter().for_each(|child| group.extend(number(*child)));
    chunk(&mut body, b"nGRP", &group);
    body.extend(writer.nodes);
    for (index, layer) in layers.iter().enumerate() {
        let named: &[(&str, &str)] = if layer.is_empty() { &[] } else { &[("_name", layer)] };
        chunk(&mut body, b"LAYR", &[number(index as u32), pairs(named), number(u32::MAX)].concat());
    }
    chunk(&mut body, b"RGBA", &palette);
    let mut bytes = b"VOX \xc8\0\0\0MAIN\0\0\0\0".to_vec();
    budget.take(2 * body.len() as u64, WHAT)?;
    let length = u32::try_from(body.len()).map_err(|_| Error::unwritable("more than 4 GiB of voxels"))?;
    bytes.extend(number(length));
    bytes.extend(body);
    Ok((bytes, losses))
}

/// What a file of voxels does not keep of a model.
fn lost(model: &Model3d) -> Vec<Loss> {
    let Model3d {
        name,
        license,
        author,
        description,
        scale,
        preview,
        tex_coords,
        vertices,
        bones,
        skins,
        materials,
        procedurals,
        meshes,
        voxel_types,
        voxel_blocks,
        shapes,
        labels,
        actions,
        assets,
        extras,
        layout: _,
    } = model;
    let mut losses = Vec::new();
    let mut lose = |path: &str, what: &'static str, count: usize| {
        Loss::new(path, what).id("vox.not-voxels").times(count).count_in(&mut losses);
    };
    lose("name", "the name of the model", usize::from(!name.is_empty()));
    lose("license", "the licence of the model", usize::from(!license.is_empty()));
    lose("author", "the author of the model", usize::from(!author.is_empty()));
    lose("description", "the description of the model", usize::from(!description.is_empty()));
    lose("scale", "the size of the model", usize::from(*scale != Model3d::default().scale));
    lose("preview", "the preview image", usize::from(preview.is_some()));
    lose("tex_coords", "texture coordinates", tex_coords.uvs.len());
    lose("vertices", "vertices", vertices.coords.len());
    lose("bones", "bones", bones.len());
    lose("skins", "skins", skins.len());
    lose("materials", "materials, except for the colours of voxels", materials.len());
    lose("procedurals", "procedural surfaces", procedurals.len());
    lose("meshes", "meshes", meshes.len());
    lose("shapes", "shapes", shapes.len());
    lose("labels", "labels", labels.len());
    lose("actions", "actions", actions.len());
    lose("assets", "files in the model", assets.len());
    lose("extras", "unknown chunks", extras.len());
    let types = |is: &dyn Fn(&VoxelType) -> bool| voxel_types.iter().filter(|of| is(of)).count();
    lose("voxel_types", "names of types of voxels", types(&|of| !of.name.is_empty()));
    let is_shaped = |of: &VoxelType| of.shape != 0 || of.rotation != 0;
    lose("voxel_types", "shapes and rotations of voxels, which become whole cubes", types(&is_shaped));
    lose("voxel_types", "items in voxels", types(&|of| !of.items.is_empty()));
    lose("voxel_types", "bones of voxels", types(&|of| of.skin != Default::default()));
    let is_used = used(model);
    let is_white = |(of, is_used): &(&VoxelType, &bool)| **is_used && of.color == Rgba8::default();
    let white = voxel_types.iter().zip(&is_used).filter(is_white).count();
    lose("voxel_types", "types of voxels without a colour, which are white", white);
    let unused = is_used.iter().skip(COLORS).filter(|is_used| !**is_used).count();
    lose("voxel_types", "unused types of voxels after 255", unused);
    let blocks = |is: &dyn Fn(&VoxelBlock) -> bool| voxel_blocks.iter().filter(|of| is(of)).count();
    let is_special = |of: &VoxelBlock| of.uncertainty != 0 || of.group != 0;
    lose("voxel_blocks", "the probabilities and groups of blocks", blocks(&is_special));
    let has = |of: &VoxelBlock, wanted: fn(Voxel) -> bool| of.voxels.iter().any(|voxel| wanted(*voxel));
    let clears = blocks(&|of| has(of, |voxel| voxel == Voxel::CLEAR));
    lose("voxel_blocks", "cleared voxels, which are not set", clears);
    lose(
        "voxel_blocks",
        "the sizes of blocks without voxels",
        blocks(&|of| !has(of, |voxel| voxel.kind().is_some())),
    );
    let is_short = |of: &VoxelBlock| Some(of.voxels.len()) != of.volume();
    lose("voxel_blocks", "that a list of voxels ends before those that are not set", blocks(&is_short));
    lose("voxel_blocks", "names that are not UTF-8", blocks(&|of| std::str::from_utf8(&of.name).is_err()));
    let mut change = |what: &'static str, count: usize| {
        Loss::approximated("voxel_blocks", what).id("vox.blocks").times(count).count_in(&mut losses);
    };
    let is_large = |of: &VoxelBlock| of.size.iter().any(|length| *length > LARGEST);
    change("a block of more than 256 voxels along an axis becomes several", blocks(&is_large));
    let is_far = |of: &VoxelBlock| of.position.iter().any(|axis| axis.unsigned_abs() > 1 << 23);
    change("positions farther than 8,388,608 voxels, which are rounded", blocks(&is_far));
    losses
}

/// Whether each type of voxels is used.
fn used(model: &Model3d) -> Vec<bool> {
    let mut is_used = vec![false; model.voxel_types.len()];
    for kind in model.voxel_blocks.iter().flat_map(|block| &block.voxels).filter_map(|voxel| voxel.kind()) {
        is_used.get_mut(kind).into_iter().for_each(|is_used| *is_used = true);
    }
    is_used
}

/// The number of the colour of each type of voxels, and the bytes of the palette.
fn palette(model: &Model3d, losses: &mut Vec<Loss>) -> (Vec<u8>, Vec<u8>) {
    let is_used = used(model);
    let color = |at: usize| match is_used[at] {
        true => model.voxel_color(Voxel(u16::try_from(at).unwrap_or(u16::MAX))),
        false => model.voxel_types[at].color,
    };
    let all: Vec<Rgba8> = (0..model.voxel_types.len()).map(color).collect();
    let kept = &all[..all.len().min(COLORS)];
    let mut known: HashMap<Rgba8, usize> = HashMap::new();
    let mut changed = 0;
    let numbers = all.iter().enumerate().map(|(at, color)| {
        if at < COLORS {
            return at as u8 + 1;
        }
        let nearest = *known.entry(*color).or_insert_with(|| {
            let distance = |other: &Rgba8| -> i32 {
                let parts = [(color.r, other.r), (color.g, other.g), (color.b, other.b), (color.a, other.a)];
                parts.into_iter().map(|(a, b)| (i32::from(a) - i32::from(b)).pow(2)).sum()
            };
            (0..kept.len()).min_by_key(|&at| distance(&kept[at])).unwrap_or(0)
        });
        changed += usize::from(kept[nearest] != *color);
        nearest as u8 + 1
    });
    let numbers = numbers.collect();
    Loss::approximated("voxel_types", "colours after 255, of which the nearest one is used")
        .id("vox.colors")
        .times(changed)
        .count_in(losses);
    let mut bytes: Vec<u8> = kept.iter().flat_map(|color| [color.r, color.g, color.b, color.a]).collect();
    bytes.resize(1024, 0);
    (numbers, bytes)
}

struct Writer {
    models: Vec<u8>,
    nodes: Vec<u8>,
    /// The number of models.
    count: u32,
    /// The numbers of the nodes of the models.
    children: Vec<u32>,
}

impl Writer {
    /// Adds a block, as several models if it is larger than a model can be.
    fn block(
        &mut self,
        block: &VoxelBlock,
        (name, layer): (&str, usize),
        colors: &[u8],
        budget: &mut Budget,
    ) -> Result<()> {
        budget.take(8 * block.voxels.len() as u64 + 500, WHAT)?;
        budget.work(40 * block.voxels.len() as u64, WHAT)?;
        let mut pieces: HashMap<[u32; 3], Vec<[u8; 4]>> = HashMap::new();
        for (cell, voxel) in block.iter() {
            let Some(kind) = voxel.kind() else { continue };
            let Some(&color) = colors.get(kind) else { continue };
            let [x, y, z] = cell.map(|axis| axis % LARGEST);
            let piece = cell.map(|axis| axis / LARGEST);
            let deep = (block.size[2] - piece[2] * LARGEST).min(LARGEST);
            pieces.entry(piece).or_default().push([x, deep - 1 - z, y, color.into()].map(|axis| axis as u8));
        }
        let mut pieces: Vec<_> = pieces.into_iter().collect();
        if pieces.is_empty() {
            pieces.push(([0; 3], Vec::new()));
        }
        geom::sort::by_key(&mut pieces, |(piece, _)| *piece);
        for (piece, voxels) in pieces {
            let [wide, high, deep] =
                [0, 1, 2].map(|axis| (block.size[axis] - piece[axis] * LARGEST).min(LARGEST));
            let size = [wide, deep, high];
            chunk(&mut self.models, b"SIZE", &size.map(|length| length.max(1)).map(number).concat());
            let mut content = number(voxels.len() as u32).to_vec();
            content.extend(voxels.iter().flatten());
            chunk(&mut self.models, b"XYZI", &content);
            let [x, y, z] =
                [0, 1, 2].map(|axis| i64::from(block.position[axis]) + i64::from(piece[axis] * LARGEST));
            let corner = [x, -(z + i64::from(deep)), y];
            let middle = [0, 1, 2].map(|axis| (corner[axis] + i64::from(size[axis].max(1) / 2)).to_string());
            let (node, below) = (2 + 2 * self.count, 3 + 2 * self.count);
            let named: &[(&str, &str)] = if name.is_empty() { &[] } else { &[("_name", name)] };
            let start = [number(node), pairs(named), number(below), number(u32::MAX), number(layer as u32)];
            let place = pairs(&[("_t", &middle.join(" "))]);
            chunk(&mut self.nodes, b"nTRN", &[start.concat(), number(1), place].concat());
            let shape = [number(below), pairs(&[]), number(1), number(self.count), pairs(&[])];
            chunk(&mut self.nodes, b"nSHP", &shape.concat());
            self.children.push(node);
            self.count += 1;
        }
        Ok(())
    }
}

fn number(of: u32) -> Vec<u8> {
    of.to_le_bytes().to_vec()
}

/// Pairs of texts.
fn pairs(of: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = number(of.len() as u32);
    for text in of.iter().flat_map(|(key, value)| [key, value]) {
        bytes.extend(number(text.len() as u32));
        bytes.extend(text.bytes());
    }
    bytes
}

fn chunk(to: &mut Vec<u8>, id: &[u8; 4], content: &[u8]) {
    to.extend(id);
    to.extend(number(content.len() as u32));
    to.extend(number(0));
    to.extend(content);
}
