//! Where a model is written to: there is one function for each part of it, and two sinks. The first takes the
//! measure of all that will be written, and with what it found the second writes.

use bstr::BStr;
use geom::Rgba8;

use super::colors::{ColorTable, color_at};
use super::names::{NameTable, no_zero, string_at};
use super::runs;
use super::width::{
    Width, count_need, index_need, indices_need, is_exact, is_exact_float, is_in_range, plain_need, put_size,
    size32, sized, sized_index, steps,
};
use crate::consts::{Tag, TypeField, Types};
use crate::model::{Corners, Model, Polygons, Voxel};
use crate::number::entry;
use geom::wire::{Error, Result, after};

/// A sink. `need` is the least width that something takes: 0 none, 1 one byte, 2 two, 3 four.
pub(crate) trait Sink<'m>: Sized {
    fn put(&mut self, bytes: &[u8]);

    /// The lower bytes of a value; the width decides how many.
    fn sized(&mut self, field: TypeField, value: u32, need: u8);

    fn name(&mut self, name: &'m BStr) -> Result<()>;

    fn color(&mut self, color: Rgba8);

    /// Coordinates; texture coordinates have no sign.
    fn numbers<const N: usize>(&mut self, signed: bool, floats: [f32; N], doubles: Option<&[f64; N]>);

    /// How many weights a skin is written with; `need` is the least, as a power of two.
    fn weights(&mut self, need: u8) -> usize;

    fn polygons(&mut self, polygons: Polygons, corners: Corners<'m>);

    /// The voxels of a block, as runs.
    fn voxels(&mut self, voxels: &'m [Voxel], volume: usize);

    fn palette(&mut self);

    /// What the file that was read has from here to the end of the chunk.
    fn old(&self) -> &'m [u8];

    /// A chunk with what `body` writes, where the file has some bytes, and with a tail. Returns its content.
    fn chunk(
        &mut self,
        tag: Tag,
        old: (&'m [u8], &'m [u8]),
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<Option<(Types, &[u8])>>;

    #[inline(always)]
    fn index(&mut self, field: TypeField, value: u32) {
        self.sized(field, value, index_need(value));
    }

    fn count(&mut self, width: Width, len: usize) -> Result<()> {
        let bits = if let Width::Bytes(bytes) = width { bytes.saturating_mul(8) } else { 32 };
        let value = u32::try_from(len).ok().filter(|&value| u64::from(value) >> bits == 0);
        let most = (1_u64 << bits).wrapping_sub(1);
        let too_many = || Error::unwritable("", format!("expected at most {most} entries, found {len}"));
        let value = value.ok_or_else(too_many)?;
        match width {
            Width::Bytes(bytes) => self.put(value.to_le_bytes().get(..bytes).unwrap_or_default()),
            Width::Of(field) => self.sized(field, value, count_need(value)),
        }
        Ok(())
    }
}

/// What a new file has in its tables besides what the file that was read has in them. Not all that a model has: the
/// file may have an index outside of the palette for no colour, and an offset into another string for a name.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Tables<'m> {
    /// The palette has an entry for no colour.
    pub(crate) none: bool,
    pub(crate) names: Vec<&'m BStr>,
}

/// Takes the measure of a model: the least width of everything, its names and its colours, and how many
/// bytes it will be.
#[derive(Debug)]
pub(crate) struct Measure<'m> {
    is_new: bool,
    names: NameTable<'m>,
    colors: ColorTable<'m>,
    /// Of each width what its values need, and how many there are.
    values: [(u8, usize); TypeField::ALL.len()],
    /// How many bytes there are in addition.
    bytes: usize,
    /// The widths that represent all coordinates exactly, a bit for each.
    exact: u8,
    /// The width to which coordinates are rounded.
    round: Option<u8>,
    fits: bool,
}

impl<'m> Measure<'m> {
    pub(crate) fn new(model: &'m Model, round: Option<u8>, more: &[&'m BStr]) -> Result<Self> {
        let mut names = NameTable::new(model)?;
        for name in more {
            if names.offset(name).is_none() {
                names.add(name)?;
            }
        }
        let bits = model.layout.types.map_or(0, |types| types.get(TypeField::Coord));
        Ok(Self {
            names,
            is_new: model.layout.source.is_empty(),
            colors: ColorTable::new(&model.layout.palette),
            values: [(0, 0); TypeField::ALL.len()],
            bytes: 4096,
            exact: 15 << bits & 15,
            round,
            fits: true,
        })
    }

    #[inline(always)]
    fn note(&mut self, field: TypeField, count: usize, need: u8) {
        // The place of a width in the list of all.
        if let Some((needs, values)) = self.values.get_mut(field as usize / 2) {
            *needs = need.max(*needs);
            *values = values.saturating_add(count);
        }
    }

    /// The writer: with the widths of the file where they are enough, otherwise with the least. `with_none`: no
    /// colour is in the palette.
    pub(crate) fn finish(
        mut self,
        model: &'m Model,
        with_none: bool,
        mut out: Vec<u8>,
    ) -> Result<Writer<'m>> {
        if !self.fits {
            let what = "a coordinate that the width asked for cannot hold";
            return Err(Error::unwritable("vertices.coords", what));
        }
        let mut types = model.layout.types.unwrap_or(Types(0));
        let mut size = self.bytes;
        for (&field, (need, values)) in TypeField::ALL.iter().zip(self.values) {
            let bits = model.layout.types.map(|types| types.get(field));
            let bits = match field {
                TypeField::Coord => self.round.unwrap_or(self.exact.trailing_zeros().to_le_bytes()[0]),
                TypeField::Weights => bits.unwrap_or(0).max(need),
                TypeField::Color => self.colors.finish(bits, with_none),
                _ => index_bits(model, field, bits, need, self.names.table.len()),
            };
            types = types.with(field, bits);
            size = size.saturating_add(values.saturating_mul(types.size(field)));
        }
        out.reserve(size.saturating_add(self.names.table.len()));
        let Self { names, colors, .. } = self;
        Ok(Writer { out, types, names, colors, lacking: Tables::default(), old: &[], start: 0 })
    }
}

/// The bits of the width of an index or a count. Widths that no reader understands are not kept.
fn index_bits(model: &Model, field: TypeField, kept: Option<u8>, need: u8, names: usize) -> u8 {
    // One byte, 0, is the least that something with a width has.
    let bits_of = |need: u8| need.saturating_sub(1);
    let unread = match field {
        TypeField::Vertex | TypeField::Name => 3,
        TypeField::Voxel => 2,
        _ => u8::MAX,
    };
    match kept {
        Some(3) if need == 0 && unread != 3 => 3,
        Some(bits @ 0..3) if bits != unread && bits >= bits_of(need) => bits,
        Some(0..3) => bits_of(need),
        _ => match need.max(usual_need(model, field, names)) {
            0 if unread == 3 => 0,
            0 => 3,
            need => bits_of(need),
        },
    }
}

/// What a new file wants, for what a model has in its lists.
fn usual_need(model: &Model, field: TypeField, names: usize) -> u8 {
    let count = match field {
        TypeField::Vertex => model.vertices.len(),
        TypeField::Name => names,
        TypeField::TexCoord => model.tex_coords.uvs.len(),
        TypeField::Bone => model.bones.len(),
        TypeField::Skin => model.skins.len(),
        TypeField::FrameCount => model.actions.len().min(1),
        TypeField::Shape => model.shapes.len(),
        TypeField::Face => {
            if model.shapes.is_empty() {
                0
            } else {
                model.face_count()
            }
        }
        TypeField::VoxelDim => return voxel_dim(model),
        TypeField::Voxel => model.voxel_types.len().max(model.voxel_blocks.len().min(1)),
        TypeField::Coord | TypeField::Color | TypeField::Weights => 0,
    };
    let need = count_need(u32::try_from(count).unwrap_or(u32::MAX));
    if field == TypeField::Voxel { need.min(2) } else { need }
}

/// Both ends of every block have a sign.
fn voxel_dim(model: &Model) -> u8 {
    let extents = model.voxel_blocks.iter().flat_map(|block| block.position.into_iter().zip(block.size));
    let needs = extents.map(|(from, size)| match (from, from.checked_add_unsigned(size)) {
        (-128.., Some(..128)) => 1,
        (-32768.., Some(..32768)) => 2,
        _ => 3,
    });
    needs.max().unwrap_or(0)
}

impl<'m> Sink<'m> for Measure<'m> {
    fn put(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.saturating_add(bytes.len());
    }

    #[inline(always)]
    fn sized(&mut self, field: TypeField, _: u32, need: u8) {
        self.note(field, 1, need);
    }

    fn name(&mut self, name: &'m BStr) -> Result<()> {
        let offset = match self.names.offset(name) {
            Some(offset) => offset,
            None if self.is_new => self.names.add(name)?,
            None => no_zero(name).map(|()| 0)?,
        };
        self.note(TypeField::Name, 1, index_need(offset));
        Ok(())
    }

    #[inline]
    fn color(&mut self, color: Rgba8) {
        self.colors.note(color);
        self.note(TypeField::Color, 1, 0);
    }

    #[inline]
    fn numbers<const N: usize>(&mut self, signed: bool, floats: [f32; N], doubles: Option<&[f64; N]>) {
        self.note(TypeField::Coord, N, 0);
        if let Some(bits) = self.round {
            self.fits &=
                bits > 1 || entry(floats, doubles).iter().all(|&value| is_in_range(bits, signed, value));
            return;
        }
        let mut lacks = 0;
        for bits in 0..3 {
            let exact = match doubles {
                _ if self.exact & 1 << bits == 0 => true,
                None => floats.iter().all(|&value| is_exact_float(bits, signed, value)),
                Some(_) => entry(floats, doubles).iter().all(|&value| is_exact(bits, signed, value)),
            };
            lacks |= u8::from(!exact) << bits;
        }
        self.exact &= !lacks;
    }

    fn weights(&mut self, need: u8) -> usize {
        self.note(TypeField::Weights, 1, need);
        8
    }

    fn polygons(&mut self, polygons: Polygons, corners: Corners<'m>) {
        let Corners { vertices, tex_coords, normals, maximums } = corners;
        for ids in [vertices, normals, maximums] {
            self.note(TypeField::Vertex, ids.len(), indices_need(ids.iter().map(|id| id.0)));
        }
        self.note(TypeField::TexCoord, tex_coords.len(), indices_need(tex_coords.iter().map(|id| id.0)));
        self.bytes = self.bytes.saturating_add(polygons.count as usize);
    }

    fn voxels(&mut self, voxels: &'m [Voxel], _: usize) {
        let kinds = voxels.iter().filter(|voxel| voxel.kind().is_some());
        let need = indices_need(kinds.map(|voxel| voxel.0.into()));
        self.note(TypeField::Voxel, 0, if voxels.is_empty() { 0 } else { need.max(1) });
    }

    fn palette(&mut self) {}

    fn old(&self) -> &'m [u8] {
        &[]
    }

    fn chunk(
        &mut self,
        _: Tag,
        _: (&'m [u8], &'m [u8]),
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<Option<(Types, &[u8])>> {
        body(self).map(|()| None)
    }
}

/// Writes a model with the widths that it needs. Of several ways to write a value, the one of the file is kept if
/// it still means the value: all bytes of a chunk that no edit touched.
#[derive(Debug)]
pub(crate) struct Writer<'m> {
    pub(crate) out: Vec<u8>,
    pub(crate) types: Types,
    pub(crate) names: NameTable<'m>,
    pub(crate) colors: ColorTable<'m>,
    /// What was not found in the tables.
    pub(crate) lacking: Tables<'m>,
    /// What the file has in this chunk, and where the content of the chunk begins in `out`.
    old: &'m [u8],
    start: usize,
}

impl<'m> Sink<'m> for Writer<'m> {
    #[inline(always)]
    fn put(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    #[inline(always)]
    fn sized(&mut self, field: TypeField, value: u32, _: u8) {
        let bytes = value.to_le_bytes();
        match self.types.size(field) {
            0 => {}
            1 => self.out.push(bytes[0]),
            2 => self.put(&[bytes[0], bytes[1]]),
            _ => self.put(&bytes),
        }
    }

    fn name(&mut self, name: &'m BStr) -> Result<()> {
        let size = self.types.size(TypeField::Name);
        let same = |old: &&[u8]| {
            sized_index(size, old).is_ok_and(|(_, offset)| string_at(&self.names.table, offset) == name)
        };
        match self.old().get(..size).filter(same) {
            Some(old) => self.put(old),
            None => {
                let offset = self.names.offset(name);
                if offset.is_none() {
                    self.lacking.names.push(name);
                }
                self.index(TypeField::Name, offset.unwrap_or(0));
            }
        }
        Ok(())
    }

    #[inline]
    fn color(&mut self, color: Rgba8) {
        match self.types.size(TypeField::Color) {
            0 => {}
            4 => self.put(&color.to_array()),
            size => {
                let old = sized(size, self.old()).ok().map(|(_, index)| index);
                let old = old.filter(|&index| color_at(&self.colors.colors, index) == color);
                let index = old.or_else(|| self.colors.index(color));
                self.lacking.none |= index.is_none();
                let index = index.unwrap_or(0);
                self.sized(TypeField::Color, index, plain_need(index));
            }
        }
    }

    #[inline]
    fn numbers<const N: usize>(&mut self, signed: bool, floats: [f32; N], doubles: Option<&[f64; N]>) {
        // A double counts only while it rounds to the float.
        let step = |value: f32, bits| steps(bits, signed, value).0.to_le_bytes();
        match self.types.get(TypeField::Coord) {
            0 => self.put(&floats.map(|value| step(value, 0)[0])),
            1 => self.put(floats.map(|value| [step(value, 1)[0], step(value, 1)[1]]).as_flattened()),
            2 => self.put(floats.map(f32::to_le_bytes).as_flattened()),
            _ => self.put(entry(floats, doubles).map(f64::to_le_bytes).as_flattened()),
        }
    }

    fn weights(&mut self, _: u8) -> usize {
        self.types.size(TypeField::Weights)
    }

    fn polygons(&mut self, polygons: Polygons, corners: Corners<'m>) {
        let out = &mut self.out;
        match (self.types.size(TypeField::Vertex), self.types.size(TypeField::TexCoord)) {
            (1, 0) => write_polygons::<1, 0>(polygons, corners, out),
            (1, 1) => write_polygons::<1, 1>(polygons, corners, out),
            (1, 2) => write_polygons::<1, 2>(polygons, corners, out),
            (1, _) => write_polygons::<1, 4>(polygons, corners, out),
            (2, 0) => write_polygons::<2, 0>(polygons, corners, out),
            (2, 1) => write_polygons::<2, 1>(polygons, corners, out),
            (2, 2) => write_polygons::<2, 2>(polygons, corners, out),
            (2, _) => write_polygons::<2, 4>(polygons, corners, out),
            (_, 0) => write_polygons::<4, 0>(polygons, corners, out),
            (_, 1) => write_polygons::<4, 1>(polygons, corners, out),
            (_, 2) => write_polygons::<4, 2>(polygons, corners, out),
            _ => write_polygons::<4, 4>(polygons, corners, out),
        }
    }

    fn voxels(&mut self, voxels: &'m [Voxel], volume: usize) {
        let size = self.types.size(TypeField::Voxel);
        match self.old() {
            old if !old.is_empty() && runs::reads_as(old, size, volume, voxels) => self.put(old),
            _ => runs::pack(voxels, size, &mut self.out),
        }
    }

    fn palette(&mut self) {
        self.out.extend(self.colors.colors.iter().flat_map(|color| color.to_array()));
    }

    #[inline]
    fn old(&self) -> &'m [u8] {
        after(self.old, self.out.len().saturating_sub(self.start))
    }

    fn chunk(
        &mut self,
        tag: Tag,
        (old, tail): (&'m [u8], &'m [u8]),
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<Option<(Types, &[u8])>> {
        self.put(&tag.0);
        self.put(&[0; 4]);
        (self.old, self.start) = (old, self.out.len());
        body(self)?;
        self.put(tail);
        let chunk = self.out.get_mut(self.start.saturating_sub(8)..).unwrap_or_default();
        let size = size32(chunk.len(), "a chunk")?;
        put_size(chunk, 4, size);
        Ok(Some((self.types, after(chunk, 8))))
    }
}

fn write_polygons<const V: usize, const T: usize>(
    polygons: Polygons,
    corners: Corners<'_>,
    out: &mut Vec<u8>,
) {
    let magic = polygons.sides << 4 | polygons.parts.0;
    let mut tex_coords = corners.tex_coords.iter();
    let mut normals = corners.normals.iter();
    let mut maximums = corners.maximums.iter();
    for polygon in corners.vertices.chunks_exact(usize::from(polygons.sides).max(1)) {
        out.push(magic);
        for vertex in polygon {
            put::<V>(vertex.0, out);
            if let Some(id) = tex_coords.next() {
                put::<T>(id.0, out);
            }
            if let Some(id) = normals.next() {
                put::<V>(id.0, out);
            }
            if let Some(id) = maximums.next() {
                put::<V>(id.0, out);
            }
        }
    }
}

#[inline(always)]
fn put<const S: usize>(value: u32, out: &mut Vec<u8>) {
    if let Some(bytes) = value.to_le_bytes().first_chunk::<S>() {
        out.extend_from_slice(bytes);
    }
}
