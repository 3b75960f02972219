//! The output of a model. The widths and tables that a file needs are known only when all of it is written: a model is
//! written again until they suffice. Those of an existing file nearly always suffice.

use bstr::BStr;
use geom::Rgba8;

use super::colors::{ColorTable, color_at};
use super::names::{NameTable, string_at};
use super::runs;
use super::width::{
    Width, count_need, index_need, indices_need, is_exact, is_exact_float, is_in_range, put_size, size32,
    sized, sized_index, steps,
};
use crate::consts::{Tag, TypeField, Types};
use crate::model::exact_numbers;
use crate::model::{Corners, Mesh, Model, Polygons, Voxel};
use geom::wire::{Error, Problem, Refuse as _, Result, after};

/// Writes a model. If a value can be written in several ways, that of the original file is kept while it still means
/// this value, so that an untouched chunk keeps all its bytes. A `need` is the least width of a value: 0 for no
/// width, 1 for one byte, 2 for two bytes, 3 for four.
#[derive(Debug)]
pub(crate) struct Writer<'m> {
    model: &'m Model,
    pub(crate) out: Vec<u8>,
    pub(crate) types: Types,
    pub(crate) names: NameTable<'m>,
    pub(crate) colors: ColorTable<'m>,
    /// The content of this chunk in the original file, and where its new content starts in `out`.
    old: &'m [u8],
    start: usize,
    /// How much of the new content is known to equal the original; beyond its end once they differ.
    same: usize,
    /// Whether all records of this chunk have the same size.
    is_list: bool,
    /// `notes`: whether values record the widths that they need. `writes`: whether values are written. An existing file
    /// has widths, so both happen in one pass; a new one is measured first.
    notes: bool,
    writes: bool,
    /// Whether a name of the file begins after the string table, so that nothing may be added there.
    is_loose: bool,
    needs: [u8; TypeField::ALL.len()],
    /// The widths that represent all coordinates exactly, one bit per width.
    exact: u8,
    /// The width to which coordinates are rounded, and the first coordinate that it cannot represent: its path, whether
    /// coordinates there have a sign, and its value.
    round: Option<u8>,
    outside: Option<(&'static str, bool, f64)>,
}

impl<'m> Writer<'m> {
    pub(crate) fn new(model: &'m Model, round: Option<u8>, max_bytes: u64, out: Vec<u8>) -> Result<Self> {
        let types = model.layout.types.unwrap_or(Types(0).with(TypeField::Color, 3));
        if let Some(what) = types.unknown() {
            return Err(Error::unwritable("layout.types", what));
        }
        let mut writer = Self {
            model,
            out,
            types,
            names: NameTable::new(model, max_bytes)?,
            colors: ColorTable::new(&model.layout.palette),
            old: &[],
            start: 0,
            same: 0,
            is_list: false,
            notes: true,
            writes: model.layout.types.is_some(),
            is_loose: false,
            needs: [0; TypeField::ALL.len()],
            exact: 15 << types.get(TypeField::Coord) & 15,
            round,
            outside: None,
        };
        writer.types = writer.enough();
        Ok(writer)
    }

    /// Reserves the memory that the large columns take, so that the output need not grow.
    pub(crate) fn reserve(&mut self) {
        let Model { vertices, tex_coords, meshes, layout, .. } = self.model;
        let vertex = [(TypeField::Coord, 4), (TypeField::Color, 1), (TypeField::Skin, 1)];
        let vertices = vertex.map(|(field, each)| (field, vertices.len().saturating_mul(each)));
        let corners = meshes.iter().flat_map(|Mesh { vertices, tex_coords, normals, maximums, .. }| {
            let ids = [vertices.len(), normals.len(), maximums.len()].map(|len| (TypeField::Vertex, len));
            ids.into_iter().chain([(TypeField::TexCoord, tex_coords.len())])
        });
        let columns =
            vertices.into_iter().chain([(TypeField::Coord, tex_coords.uvs.len().saturating_mul(2))]);
        // A polygon, nearly always of three corners, has one byte more.
        let polygons = meshes.iter().map(|mesh| mesh.vertices.len() / 3).sum();
        let size = columns.chain(corners).fold(polygons, |size: usize, (field, count)| {
            size.saturating_add(count.saturating_mul(self.types.size(field)))
        });
        if self.writes {
            let rest = self.names.table.len().saturating_add(256);
            let source = if layout.text.is_some() { 0 } else { layout.source.len() };
            self.out.reserve_exact(size.max(source).saturating_add(rest));
        }
    }

    /// Takes the least widths that suffice for all values, but not less than the file's. Returns whether the model
    /// has to be written again.
    pub(crate) fn widen(&mut self) -> Result<bool> {
        if let Some((path, signed, value)) = self.outside {
            let least = if signed { -1 } else { 0 };
            let what = format!(
                "the coordinate {value} as `Int8` or `Int16`, which represent {least} to 1 (use `Coordinates::Float`)"
            );
            return Err(Error::unwritable(path, what));
        }
        if !self.notes {
            return Ok(false);
        }
        self.notes = self.model.layout.types.is_some();
        let is_whole = std::mem::replace(&mut self.writes, true);
        let types = self.enough();
        let grown = self.names.has_grown() & self.is_loose | self.colors.has_grown();
        Ok(std::mem::replace(&mut self.types, types) != types || grown || !is_whole)
    }

    fn enough(&mut self) -> Types {
        let mut types = self.types;
        for (&field, need) in TypeField::ALL.iter().zip(self.needs) {
            let bits = match field {
                TypeField::Coord => self.round.unwrap_or(self.exact.trailing_zeros().to_le_bytes()[0]),
                TypeField::Weights => types.get(field).max(need),
                TypeField::Color => self.colors.enough(types.get(field)),
                _ => self.index_bits(field, need),
            };
            types = types.with(field, bits);
        }
        types
    }

    /// The bits of the width of an index or a count.
    fn index_bits(&self, field: TypeField, need: u8) -> u8 {
        let need = match self.model.layout.types.map(|types| types.get(field)) {
            Some(3) if need == 0 => 0,
            Some(bits @ 0..3) => need.max(bits.saturating_add(1)),
            _ => need.max(usual_need(self.model, field, self.names.table.len())),
        };
        // The bits 0 mean one byte, the least width. Vertices and names always have a width.
        let is_absent = need == 0 && !matches!(field, TypeField::Vertex | TypeField::Name);
        if is_absent { 3 } else { need.saturating_sub(1) }
    }

    #[inline(always)]
    fn note(&mut self, field: TypeField, need: u8) {
        // The index of a width in the list of all.
        if self.notes
            && let Some(needs) = self.needs.get_mut(field as usize / 2)
        {
            *needs = need.max(*needs);
        }
    }

    #[inline(always)]
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        if self.writes {
            self.out.extend_from_slice(bytes);
        }
    }

    /// The lower bytes of a value; the width decides how many.
    #[inline(always)]
    pub(crate) fn sized(&mut self, field: TypeField, value: u32, need: u8) {
        self.note(field, need);
        if !self.writes {
            return;
        }
        let bytes = value.to_le_bytes();
        match self.types.size(field) {
            0 => {}
            1 => self.out.push(bytes[0]),
            2 => self.out.extend_from_slice(&[bytes[0], bytes[1]]),
            _ => self.out.extend_from_slice(&bytes),
        }
    }

    #[inline(always)]
    pub(crate) fn index(&mut self, field: TypeField, value: u32) {
        self.sized(field, value, index_need(value));
    }

    pub(crate) fn count(&mut self, width: Width, len: usize) -> Result<()> {
        let bits = if let Width::Bytes(bytes) = width { bytes.saturating_mul(8) } else { 32 };
        let value = u32::try_from(len).ok().filter(|&value| u64::from(value) >> bits == 0);
        let most = (1_u64 << bits).wrapping_sub(1);
        let value = value.ok_or_else(|| Problem::too_many("entries", len, most)).unwritable("")?;
        match width {
            Width::Bytes(bytes) => self.put(value.to_le_bytes().get(..bytes).unwrap_or_default()),
            Width::Of(field) => self.sized(field, value, count_need(value)),
        }
        Ok(())
    }

    /// Whether [`Writer::old`] is the same field of the same record, and not bytes that happen to be there since the
    /// chunk changed: in a list of records of one size, or if all bytes before it are the file's. Only then may an
    /// index past its table be kept, which other readers do not read as nothing.
    fn is_in_place(&mut self) -> bool {
        let written = after(&self.out, self.start);
        let old = self.old.get(self.same..);
        let is_same = self.is_list || old.is_some_and(|old| old.starts_with(after(written, self.same)));
        self.same = if is_same { written.len() } else { usize::MAX };
        is_same && self.model.layout.types == Some(self.types)
    }

    pub(crate) fn name(&mut self, name: &'m BStr) -> Result<()> {
        let size = self.types.size(TypeField::Name);
        let may_be_kept = !name.is_empty() || self.is_in_place();
        let same = |old: &&[u8]| {
            may_be_kept
                && sized_index(size, old)
                    .is_ok_and(|(_, offset)| string_at(&self.names.table, offset) == name)
        };
        match self.old().get(..size).filter(same) {
            Some(old) => {
                self.is_loose |= name.is_empty() && old.iter().any(|&byte| byte != 0);
                self.put(old);
            }
            None => {
                let offset = self.names.offset(name)?;
                self.index(TypeField::Name, offset);
            }
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn color(&mut self, color: Rgba8) {
        match self.types.size(TypeField::Color) {
            0 => self.colors.note(color),
            4 => self.put(&color.to_array()),
            size => {
                let old = self.old().get(..size).and_then(|old| Some(sized(size, old).ok()?.1));
                let old = old.filter(|&index| {
                    color_at(&self.colors.colors, index) == color
                        && ((index as usize) < self.colors.colors.len() || self.is_in_place())
                });
                let index = old.unwrap_or_else(|| self.colors.index(color));
                self.sized(TypeField::Color, index, 0);
            }
        }
    }

    /// Coordinates; texture coordinates have no sign.
    #[inline]
    pub(crate) fn numbers<const N: usize>(
        &mut self,
        path: &'static str,
        signed: bool,
        floats: [f32; N],
        doubles: Option<&[f64; N]>,
    ) {
        if let Some(bits) = self.round {
            let is_inside = |&value: &f64| is_in_range(bits, signed, value);
            if bits <= 1
                && let Some(value) =
                    exact_numbers(floats, doubles).into_iter().find(|value| !is_inside(value))
            {
                self.outside.get_or_insert((path, signed, value));
            }
        } else if self.notes {
            for bits in 0..3 {
                let exact = match doubles {
                    _ if self.exact & 1 << bits == 0 => continue,
                    None => floats.iter().all(|&value| is_exact_float(bits, signed, value)),
                    Some(_) => {
                        exact_numbers(floats, doubles).iter().all(|&value| is_exact(bits, signed, value))
                    }
                };
                self.exact &= !(u8::from(!exact) << bits);
            }
        }
        // Once a coordinate does not fit, the model will be written again: the rest is only measured.
        self.writes &= self.round.is_some() || self.exact & 1 << self.types.get(TypeField::Coord) != 0;
        if !self.writes {
            return;
        }
        // A double is ignored unless it rounds to its float.
        let step = |value: f32, bits| steps(bits, signed, value).0.to_le_bytes();
        match self.types.get(TypeField::Coord) {
            0 => self.put(&floats.map(|value| step(value, 0)[0])),
            1 => self.put(floats.map(|value| [step(value, 1)[0], step(value, 1)[1]]).as_flattened()),
            2 => self.put(floats.map(f32::to_le_bytes).as_flattened()),
            _ => self.put(exact_numbers(floats, doubles).map(f64::to_le_bytes).as_flattened()),
        }
    }

    /// The number of weights that a skin is written with, at least two to the power of `need`.
    pub(crate) fn weights(&mut self, need: u8) -> usize {
        self.note(TypeField::Weights, need);
        self.types.size(TypeField::Weights)
    }

    pub(crate) fn polygons(&mut self, polygons: Polygons, corners: Corners<'m>) {
        let Corners { vertices, tex_coords, normals, maximums } = corners;
        if self.notes {
            for ids in [vertices, normals, maximums] {
                self.note(TypeField::Vertex, indices_need(ids.iter().map(|id| id.0)));
            }
            self.note(TypeField::TexCoord, indices_need(tex_coords.iter().map(|id| id.0)));
        }
        if !self.writes {
            return;
        }
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

    /// The voxels of a block, as runs.
    pub(crate) fn voxels(&mut self, voxels: &[Voxel], volume: usize) {
        if self.notes && !voxels.is_empty() {
            let kinds = voxels.iter().filter(|voxel| voxel.kind().is_some());
            self.note(TypeField::Voxel, indices_need(kinds.map(|voxel| voxel.0.into())).max(1));
        }
        let size = self.types.size(TypeField::Voxel);
        match self.old() {
            _ if !self.writes => {}
            old if !old.is_empty() && runs::reads_as(old, size, volume, voxels) => self.put(old),
            _ => runs::pack(voxels, size, &mut self.out),
        }
    }

    pub(crate) fn palette(&mut self) {
        self.out.extend(self.colors.colors.iter().flat_map(|color| color.to_array()));
    }

    /// The rest of the chunk in the original file.
    #[inline]
    pub(crate) fn old(&self) -> &'m [u8] {
        after(self.old, self.out.len().saturating_sub(self.start))
    }

    /// Writes a chunk: the content that `body` writes, then `tail`. `old` is its content in the original file. Returns
    /// the content with the tail.
    pub(crate) fn chunk(
        &mut self,
        tag: Tag,
        (old, tail): (&'m [u8], &[u8]),
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<&[u8]> {
        self.put(&tag.0);
        self.put(&[0; 4]);
        (self.old, self.start) = (old, self.out.len());
        (self.same, self.is_list) = (0, tag == Tag::VERTICES);
        body(self)?;
        self.put(tail);
        let chunk = self.out.get_mut(self.start.saturating_sub(8)..).unwrap_or_default();
        let size = size32(chunk.len())?;
        put_size(chunk, 4, size);
        Ok(after(chunk, 8))
    }
}

/// The width that indices of a field need in a new file, by the length of the model's list.
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

/// The width that the positions and sizes of voxel blocks need: both ends of a block are signed numbers.
fn voxel_dim(model: &Model) -> u8 {
    let extents = model.voxel_blocks.iter().flat_map(|block| block.position.into_iter().zip(block.size));
    let needs = extents.map(|(from, size)| match (from, from.checked_add_unsigned(size)) {
        (-128.., Some(..128)) => 1,
        (-32768.., Some(..32768)) => 2,
        _ => 3,
    });
    needs.max().unwrap_or(0)
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
