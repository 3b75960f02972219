//! Builds a skin from the data of other formats: bones, and any number of joints and weights per vertex.

use crate::consts::{BONES_PER_SUBSET, NO_BONE};
use crate::model::{Bone, Envelope, Mesh, Subset, select};
use geom::wire::{Counted, Error, Problem, Refuse as _, Result};

/// The result of [`Mesh::set_skin`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkinChange {
    /// The previous index of each vertex. If one subset suffices, the vertices keep their order.
    pub vertices: Vec<u32>,
    /// The number of given vertices with more than four influences, of which the four greatest remain.
    pub truncated: usize,
}

/// The influences of a vertex: bones and their weight bytes, greatest first.
type Influences = ([u16; 4], [u8; 4]);

/// The number of groups that are filled at the same time: one per bit of a `u32`.
const OPEN: usize = 32;

/// The first bone whose ancestors form a cycle, by the parent of each bone; all parents exist.
fn in_a_cycle(parents: &[Option<u16>]) -> Option<usize> {
    // The bone from which each bone was reached first.
    let mut from = vec![None; parents.len()];
    (0..parents.len()).find(|&start| {
        let mut at = start;
        while from[at].is_none() {
            from[at] = Some(start);
            match parents[at] {
                Some(next) => at = usize::from(next),
                None => return false,
            }
        }
        from[at] == Some(start)
    })
}

impl Mesh {
    /// Gives the mesh a skin: for each vertex the bones that move it, and how much.
    ///
    /// `joints` are indices of `bones`; a vertex may have more than four, and the same joint twice. The four greatest
    /// weights remain, scaled to a sum of 1 and rounded to bytes that sum to 255. If more than 26 bones are used, the
    /// faces of each level of detail are split into subsets of at most 26 bones. This reorders faces within their
    /// level, reorders vertices, and duplicates vertices that several subsets use. [`SkinChange::vertices`] maps each
    /// vertex to its previous index.
    ///
    /// ```
    /// use rbxmesh::geom::{Mat4, TriMesh, Vec3};
    /// use rbxmesh::{Bone, LodChoice, Mesh, Version};
    ///
    /// # fn main() -> rbxmesh::Result<()> {
    /// let triangle = TriMesh {
    ///     positions: vec![Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)],
    ///     triangles: vec![[0, 1, 2]],
    ///     ..Default::default()
    /// };
    /// let root = Bone::new("Root", None, Mat4::IDENTITY)?;
    /// let arm = Bone::new("Arm", Some(0), Mat4::from_translation(Vec3::new(0.0, 1.0, 0.0)))?;
    /// let (mut mesh, _) = Mesh::from_tri_mesh(&triangle)?.to_version(Version::V5_00, LodChoice::First);
    /// mesh.set_skin(&[[0, 1]; 3], &[[1.0, 0.0], [0.5, 0.5], [0.2, 0.8]], vec![root, arm])?;
    /// assert_eq!(mesh.envelopes[2].weights, [204, 51, 0, 0]);
    /// assert_eq!(mesh.skin().joints(2), ([1, 0, 0, 0], [0.8, 0.2, 0.0, 0.0]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument`, with the path, if the version has no bones, if there is not one entry per vertex, if a
    /// joint or a parent is not one of `bones`, if weights are negative, not finite or all zero, if a face has an
    /// index out of range, and if the levels of detail do not partition the faces. The mesh is then unchanged.
    pub fn set_skin<const N: usize>(
        &mut self,
        joints: &[[u16; N]],
        weights: &[[f32; N]],
        bones: Vec<Bone>,
    ) -> Result<SkinChange> {
        self.check_arguments(joints.len(), weights.len(), &bones)?;
        let mut truncated = 0;
        let influences = joints.iter().zip(weights).enumerate().map(|(vertex, (joints, weights))| {
            let (influences, more) = quantize(vertex, joints, weights, bones.len())?;
            truncated += usize::from(more);
            Ok(influences)
        });
        let influences = influences.collect::<Result<Vec<_>>>()?;
        let mut used = Vec::new();
        for &(joints, weights) in &influences {
            used.extend(
                joints.iter().zip(weights).filter(|&(_, weight)| weight > 0).map(|(&joint, _)| joint),
            );
        }
        used.sort_unstable();
        used.dedup();
        let from = if used.len() <= BONES_PER_SUBSET {
            self.one_subset(&used);
            (0..).zip(&influences).map(|(index, _)| index).collect()
        } else {
            if self.visibility.is_some() {
                let what = "a skin with more than 26 bones reorders the faces, which invalidates the \
                            visibility flags (set `Mesh::visibility` to `None` first)";
                return Err(Error::invalid_argument("visibility", what));
            }
            self.cut(&influences, bones.len())
        };
        self.bones = bones;
        self.envelopes = envelopes(&self.subsets, &from, &influences, self.bones.len());
        Ok(SkinChange { vertices: from, truncated })
    }

    fn check_arguments(&self, joints: usize, weights: usize, bones: &[Bone]) -> Result<()> {
        let wrong = |path: &str, what: String| Err(Error::invalid_argument(path.to_owned(), what));
        let vertices = self.vertices.len();
        if !self.version.has_skin() {
            return wrong(
                "version",
                format!(
                    "version {} cannot store bones (convert the mesh to 4.00 or later with Mesh::to_version)",
                    self.version
                ),
            );
        }
        Problem::length("entries", joints, vertices).argument("joints")?;
        Problem::length("entries", weights, vertices).argument("weights")?;
        if bones.is_empty() || bones.len() > usize::from(NO_BONE) {
            return wrong("bones", format!("expected 1 to 65535 bones, found {}", bones.len()));
        }
        for (index, bone) in bones.iter().enumerate() {
            let out = |parent: Option<u16>| parent.is_some_and(|parent| usize::from(parent) >= bones.len());
            let fields = [("parent", bone.parent), ("lod_parent", bone.lod_parent)];
            let is_out = |field: &(_, Option<u16>)| out(field.1);
            if let Some((field, Some(parent))) = fields.into_iter().find(is_out) {
                let what = format!("expected None or an index below {}, found {parent}", bones.len());
                return wrong(&format!("bones[{index}].{field}"), what);
            }
        }
        let parents: (Vec<_>, Vec<_>) = bones.iter().map(|bone| (bone.parent, bone.lod_parent)).unzip();
        for (field, parents) in [("parent", parents.0), ("lod_parent", parents.1)] {
            if let Some(index) = in_a_cycle(&parents) {
                let what = "the ancestors of the bone contain a cycle (expected none)".to_owned();
                return wrong(&format!("bones[{index}].{field}"), what);
            }
        }
        if let Some((_, face)) = select::out_of_range(self) {
            let out = |index: &u32| *index as usize >= vertices;
            let index = self.faces[face].into_iter().find(out).unwrap_or_default();
            let vertices = Counted::new(vertices, "vertices");
            let what = format!("vertex index {index} is out of range (the mesh has {vertices})");
            return wrong(&format!("faces[{face}]"), what);
        }
        let offsets = &self.lods.offsets;
        let whole = offsets.first() == Some(&0)
            && offsets.last().is_some_and(|&last| last as usize == self.faces.len())
            && offsets.is_sorted();
        if !self.lods.is_single() && !whole {
            return wrong(
                "lods.offsets",
                format!(
                    "expected offsets that increase from 0 to {} (the number of faces), found {offsets:?}",
                    self.faces.len()
                ),
            );
        }
        Ok(())
    }

    /// Makes one subset of all vertices and the faces of the first level, as in real files.
    fn one_subset(&mut self, used: &[u16]) {
        let faces = self.levels().next().map_or(0, <[_]>::len);
        let all = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        self.subsets = vec![subset(used, 0..all(faces), 0..all(self.vertices.len()))];
    }

    /// Splits each level of detail into subsets, and gives each subset its own vertices.
    fn cut(&mut self, influences: &[Influences], bones: usize) -> Vec<u32> {
        let mut groups: Vec<Group> = Vec::new();
        let mut used = vec![false; self.vertices.len()];
        for range in self.lods.ranges(self.faces.len()) {
            let mut cutter = Cutter::new(bones);
            for index in range {
                let face = self.faces[index];
                face.iter().for_each(|&vertex| used[vertex as usize] = true);
                cutter.add(index, face.iter().map(|&vertex| &influences[vertex as usize]));
            }
            groups.extend(cutter.groups);
        }
        // Vertices that no face uses need subsets, too.
        let mut cutter = Cutter::new(bones);
        for vertex in (0..used.len()).filter(|&vertex| !used[vertex]) {
            cutter.add(vertex, std::iter::once(&influences[vertex]));
        }
        let (mut order, mut from): (Vec<u32>, Vec<u32>) = Default::default();
        let mut new = vec![(usize::MAX, 0_u32); self.vertices.len()];
        let count = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        self.subsets.clear();
        for (number, Group { bones, members }) in groups.into_iter().enumerate() {
            let (first_face, first_vertex) = (count(order.len()), count(from.len()));
            for index in members {
                for corner in &mut self.faces[index as usize] {
                    let known = &mut new[*corner as usize];
                    if known.0 != number {
                        *known = (number, count(from.len()));
                        from.push(*corner);
                    }
                    *corner = known.1;
                }
                order.push(index);
            }
            let (faces, vertices) = (first_face..count(order.len()), first_vertex..count(from.len()));
            self.subsets.push(subset(&bones, faces, vertices));
        }
        for Group { bones, members } in cutter.groups {
            let first = count(from.len());
            from.extend(members);
            let end = count(order.len());
            self.subsets.push(subset(&bones, end..end, first..count(from.len())));
        }
        select::faces(self, &order);
        self.envelopes.clear();
        select::vertices(self, &from);
        from
    }
}

fn subset(bones: &[u16], faces: std::ops::Range<u32>, vertices: std::ops::Range<u32>) -> Subset {
    let mut subset = Subset {
        faces_begin: faces.start,
        faces_len: faces.end - faces.start,
        vertices_begin: vertices.start,
        vertices_len: vertices.end - vertices.start,
        bones_len: u32::try_from(bones.len()).unwrap_or(u32::MAX),
        ..Subset::default()
    };
    subset.bone_table.iter_mut().zip(bones).for_each(|(entry, &bone)| *entry = bone);
    subset
}

/// The envelopes of the vertices, subset by subset.
fn envelopes(subsets: &[Subset], from: &[u32], influences: &[Influences], bones: usize) -> Vec<Envelope> {
    let mut envelopes = Vec::with_capacity(from.len());
    let mut local = vec![0_u8; bones];
    let mut rest = from;
    for subset in subsets {
        for (&bone, index) in subset.bones().iter().zip(0..) {
            local[usize::from(bone)] = index;
        }
        let (own, others) = rest.split_at(subset.vertices_len as usize);
        rest = others;
        for &vertex in own {
            let (joints, weights) = influences[vertex as usize];
            let mut indices = [0; 4];
            for ((index, joint), weight) in indices.iter_mut().zip(joints).zip(weights) {
                *index = if weight > 0 { local[usize::from(joint)] } else { 0 };
            }
            envelopes.push(Envelope { indices, weights });
        }
    }
    envelopes
}

/// Faces or vertices with at most 26 bones.
struct Group {
    bones: Vec<u16>,
    members: Vec<u32>,
}

/// Groups faces or vertices: each goes into the open group that needs the fewest new bones for it.
struct Cutter {
    groups: Vec<Group>,
    /// The groups being filled, by slot.
    open: [Option<usize>; OPEN],
    /// For each bone, the slots of the open groups that have it, as bits.
    slots: Vec<u32>,
}

impl Cutter {
    fn new(bones: usize) -> Self {
        Self { groups: Vec::new(), open: [None; OPEN], slots: vec![0; bones] }
    }

    fn add<'a>(&mut self, member: usize, influences: impl Iterator<Item = &'a Influences>) {
        let mut bones: Vec<u16> = Vec::with_capacity(12);
        for (joints, weights) in influences {
            bones.extend(
                joints.iter().zip(weights).filter(|(_, weight)| **weight > 0).map(|(joint, _)| joint),
            );
        }
        bones.sort_unstable();
        bones.dedup();
        let slot = self.best(&bones);
        let group = *self.open[slot].get_or_insert_with(|| {
            self.groups.push(Group { bones: Vec::new(), members: Vec::new() });
            self.groups.len() - 1
        });
        let group = &mut self.groups[group];
        for bone in bones {
            let slots = &mut self.slots[usize::from(bone)];
            if *slots & 1 << slot == 0 {
                *slots |= 1 << slot;
                group.bones.push(bone);
            }
        }
        group.members.push(u32::try_from(member).unwrap_or(u32::MAX));
    }

    /// The slot for a face with these bones; a free one if no open group has space for them.
    fn best(&mut self, bones: &[u16]) -> usize {
        let all = bones.iter().fold(u32::MAX, |all, &bone| all & self.slots[usize::from(bone)]);
        if all != 0 && !bones.is_empty() {
            return all.trailing_zeros() as usize;
        }
        let mut common = [0_usize; OPEN];
        for &bone in bones {
            let mut slots = self.slots[usize::from(bone)];
            while slots != 0 {
                common[slots.trailing_zeros() as usize] += 1;
                slots &= slots - 1;
            }
        }
        let size = |slot: usize| self.open[slot].map_or(0, |group| self.groups[group].bones.len());
        let fits = |&slot: &usize| size(slot) + bones.len() - common[slot] <= BONES_PER_SUBSET;
        let used = (0..OPEN).filter(|&slot| self.open[slot].is_some());
        // Of equally good groups, the fullest.
        let best = used.filter(fits).max_by_key(|&slot| (common[slot], size(slot)));
        let free = || (0..OPEN).find(|&slot| self.open[slot].is_none());
        best.or_else(free).unwrap_or_else(|| self.close())
    }

    /// Frees the slot of the fullest group.
    fn close(&mut self) -> usize {
        let size = |slot: &usize| self.open[*slot].map_or(0, |group| self.groups[group].bones.len());
        let slot = (0..OPEN).max_by_key(size).unwrap_or(0);
        if let Some(group) = self.open[slot].take() {
            for &bone in &self.groups[group].bones {
                self.slots[usize::from(bone)] &= !(1 << slot);
            }
        }
        slot
    }
}

/// The four greatest influences of a vertex, with weights as bytes that sum to 255; and whether there were more.
fn quantize<const N: usize>(
    vertex: usize,
    joints: &[u16; N],
    weights: &[f32; N],
    bones: usize,
) -> Result<(Influences, bool)> {
    let wrong = |path: &str, what: String| Err(Error::invalid_argument(format!("{path}[{vertex}]"), what));
    // The joints, their weights, and where they occur first.
    let mut sums: Vec<(u16, f64, usize)> = Vec::with_capacity(N);
    let mut order: Vec<usize> = (0..N).collect();
    // Sorting puts equal joints side by side.
    geom::sort::by_key(&mut order, |&index| joints[index]);
    for index in order {
        let (joint, weight) = (joints[index], weights[index]);
        if !weight.is_finite() || weight < 0.0 {
            return wrong("weights", format!("expected a finite weight of 0 or more, found {weight}"));
        }
        if weight == 0.0 {
            continue;
        }
        if usize::from(joint) >= bones {
            return Err(Problem::reference("joint", joint, bones)).argument(format!("joints[{vertex}]"));
        }
        match sums.last_mut() {
            Some((last, sum, _)) if *last == joint => *sum += f64::from(weight),
            _ => sums.push((joint, weight.into(), index)),
        }
    }
    if sums.is_empty() {
        return wrong("weights", "expected at least one weight greater than 0, found none".into());
    }
    // Of equal weights, the first comes first.
    geom::sort::by(&mut sums, |(_, a, first), (_, b, other)| b.total_cmp(a).then(first.cmp(other)));
    let more = sums.len() > 4;
    sums.truncate(4);
    let total: f64 = sums.iter().map(|(_, weight, _)| weight).sum();
    let mut bytes = [0_u8; 4];
    let mut shares = [0.0; 4];
    for ((byte, share), (_, weight, _)) in bytes.iter_mut().zip(&mut shares).zip(&sums) {
        let exact = weight / total * 255.0;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
        let whole = exact as u8;
        (*byte, *share) = (whole, exact - f64::from(whole));
    }
    // The weights were rounded down. The remainder goes to those with the greatest fractions, at most 1 to each.
    let given: u16 = bytes.iter().copied().map(u16::from).sum();
    let mut places = [0, 1, 2, 3];
    geom::sort::by(&mut places, |&a, &b| shares[b].total_cmp(&shares[a]));
    for &index in places.iter().take(usize::from(255 - given)) {
        bytes[index] += 1;
    }
    let mut joints = [0; 4];
    joints.iter_mut().zip(&sums).for_each(|(joint, &(bone, ..))| *joint = bone);
    Ok(((joints, bytes), more))
}
