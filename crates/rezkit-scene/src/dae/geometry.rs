//! Geometries: polygons whose corners refer to the rows of sources.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use glam::DVec3;
use rezkit_core::{Loss, Result};

use super::document::{Element, File, Rows, all, child, damaged, integers, path};
use crate::corners::{Columns, Moved, Part, linear};
use crate::polygon::Cutter;

const WHAT: &str = "the polygons";

/// The triangles of a geometry by material, and what was their origin.
pub(super) struct Geometry {
    /// The parts with the symbols of their materials.
    pub(super) parts: Vec<(String, Part)>,
    /// The numbers of the sets of texture coordinates, in their order in the parts.
    pub(super) sets: Vec<u32>,
    /// The positions of the points, in the units of the file.
    pub(super) positions: Rc<Rows>,
}

/// The rows that an input adds to a corner.
struct Input {
    kind: Kind,
    offset: usize,
    rows: Rc<Rows>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Position,
    Normal,
    Color,
    /// The index of the set of coordinates.
    Uv(usize),
}

/// The inputs of a list of polygons.
struct Inputs {
    all: Vec<Input>,
    /// The number of indices of a corner.
    stride: usize,
    sets: usize,
}

/// The kinds of lists of polygons.
const LISTS: [&str; 5] = ["triangles", "polylist", "polygons", "tristrips", "trifans"];

/// The mesh of a geometry; `None` if it has none.
pub(super) fn mesh(geometry: Element<'_>) -> Option<Element<'_>> {
    child(geometry, "mesh").or_else(|| child(geometry, "convex_mesh"))
}

/// The rows of the positions of a geometry.
///
/// # Errors
/// If the mesh has none, or the budget does not suffice.
pub(super) fn positions<'a>(file: &mut File<'a, '_>, mesh: Element<'a>) -> Result<Rc<Rows>> {
    let vertices = child(mesh, "vertices").ok_or_else(|| damaged(mesh, "the mesh has no `vertices`"))?;
    let source = file.input(vertices, "POSITION")?;
    file.rows(source.ok_or_else(|| damaged(vertices, "the vertices have no positions"))?)
}

/// Reads the polygons of a geometry.
///
/// # Errors
/// If an index or a reference is wrong, or the budget does not suffice.
pub(super) fn read<'a>(file: &mut File<'a, '_>, geometry: Element<'a>, moved: &Moved) -> Result<Geometry> {
    let path = path(geometry);
    let Some(mesh) = mesh(geometry) else {
        let kind = if child(geometry, "spline").is_some() { "a spline" } else { "a geometry without a mesh" };
        file.losses.push(Loss::new(path, kind).id("dae.geometry"));
        return Ok(Geometry { parts: Vec::new(), sets: Vec::new(), positions: Rc::new(Rows::default()) });
    };
    let positions = positions(file, mesh)?;
    let mut made = Geometry { parts: Vec::new(), sets: sets(mesh), positions };
    let mut parts: HashMap<(String, [bool; 2]), usize> = HashMap::new();
    let mut counts = Counts::default();
    for list in mesh.children().filter(|list| list.is_element()) {
        let name = list.tag_name().name();
        if ["lines", "linestrips"].contains(&name) {
            Loss::new(&*path, "lines").id("dae.geometry").count_in(&mut file.losses);
        }
        if !LISTS.contains(&name) {
            continue;
        }
        let inputs = inputs(file, list, &made.sets)?;
        let has = |kind| inputs.all.iter().any(|input| input.kind == kind);
        let symbol = list.attribute("material").unwrap_or_default();
        let key = (symbol.to_owned(), [has(Kind::Normal), has(Kind::Color)]);
        let index = *parts.entry(key).or_insert_with(|| {
            made.parts.push((symbol.to_owned(), Part::new(made.sets.len())));
            made.parts.len() - 1
        });
        let part = &mut made.parts[index].1;
        Filling { inputs, part, moved, list, cutter: Cutter::default(), counts: &mut counts }.list(file)?;
    }
    let mut count = |what: &'static str, times| {
        Loss::new(&*path, what).id("dae.geometry").times(times).count_in(&mut file.losses)
    };
    count("polygons with fewer than three corners", counts.thin);
    count("holes of polygons", counts.holes);
    count("indices of normals, colours or texture coordinates that do not exist", counts.absent);
    let tangents = mesh
        .descendants()
        .filter(|input| matches!(input.attribute("semantic"), Some("TEXTANGENT" | "TANGENT")));
    count("tangents, which programs compute from the texture coordinates", tangents.count().min(1));
    made.parts.retain(|(_, part)| !part.mesh.triangles.is_empty());
    Ok(made)
}

/// What was not read.
#[derive(Default)]
struct Counts {
    thin: usize,
    holes: usize,
    absent: usize,
}

/// The set of an input of texture coordinates: its number, or else that of the ones before it in its list.
fn set_of(input: Element<'_>) -> u32 {
    let before = || {
        let others = input.prev_siblings().skip(1);
        others.filter(|other| other.attribute("semantic") == Some("TEXCOORD")).count() as u32
    };
    input.attribute("set").and_then(|set| set.trim().parse().ok()).unwrap_or_else(before)
}

/// The numbers of the sets of texture coordinates of a mesh, in ascending order.
fn sets(mesh: Element<'_>) -> Vec<u32> {
    let lists = mesh
        .children()
        .filter(|list| LISTS.contains(&list.tag_name().name()) || list.tag_name().name() == "vertices");
    let inputs = lists.flat_map(|list| all(list, "input").take(64));
    let inputs = inputs.filter(|input| input.attribute("semantic") == Some("TEXCOORD"));
    let mut sets: Vec<u32> = inputs.map(set_of).collect();
    sets.sort_unstable();
    sets.dedup();
    sets.truncate(16);
    sets
}

/// The inputs of a list, and those of the vertices that it refers to.
fn inputs<'a>(file: &mut File<'a, '_>, list: Element<'a>, sets: &[u32]) -> Result<Inputs> {
    let mut made = Inputs { all: Vec::new(), stride: 1, sets: sets.len() };
    let mut more_colors = 0;
    for input in all(list, "input").take(64) {
        let offset = input.attribute("offset").map_or(Some(0), |offset| offset.trim().parse::<u16>().ok());
        let offset = usize::from(offset.ok_or_else(|| damaged(input, "the offset is not a small number"))?);
        made.stride = made.stride.max(offset + 1);
        let semantic = input.attribute("semantic").unwrap_or_default();
        let from = match semantic {
            "VERTEX" => {
                let vertices = file.follow(input, "source")?;
                all(vertices, "input").take(64).collect()
            }
            _ => vec![input],
        };
        for input in from {
            let kind = match input.attribute("semantic").unwrap_or_default() {
                "POSITION" => Kind::Position,
                "NORMAL" => Kind::Normal,
                "COLOR" => Kind::Color,
                "TEXCOORD" => match sets.binary_search(&set_of(input)) {
                    Ok(set) => Kind::Uv(set),
                    Err(_) => continue,
                },
                _ => continue,
            };
            let source = file.follow(input, "source")?;
            let known = made.all.iter().position(|known: &Input| known.kind == kind);
            match known {
                Some(_) if kind == Kind::Color => more_colors += 1,
                // Those of the list come before those of the vertices.
                Some(known) if semantic != "VERTEX" => {
                    made.all[known] = Input { kind, offset, rows: file.rows(source)? };
                }
                Some(_) => {}
                None => made.all.push(Input { kind, offset, rows: file.rows(source)? }),
            }
        }
    }
    let what = "vertex colours after the first set";
    Loss::new(path(list), what).id("mesh.more-colors").times(more_colors).count_in(&mut file.losses);
    if !made.all.iter().any(|input| input.kind == Kind::Position) {
        return Err(damaged(list, "the polygons have no positions"));
    }
    Ok(made)
}

/// A list of polygons that is added to a part.
struct Filling<'a, 'b> {
    inputs: Inputs,
    part: &'b mut Part,
    moved: &'b Moved,
    list: Element<'a>,
    cutter: Cutter,
    counts: &'b mut Counts,
}

impl<'a> Filling<'a, '_> {
    fn list(&mut self, file: &mut File<'a, '_>) -> Result<()> {
        let list = self.list;
        match list.tag_name().name() {
            "polylist" => {
                let counts = child(list, "vcount").map(|counts| integers(counts, file.budget)).transpose()?;
                let (mut start, list) = (0_usize, child(list, "p"));
                let Some(list) = list else { return Ok(()) };
                let indices = integers(list, file.budget)?;
                for count in counts.unwrap_or_default() {
                    let end = usize::try_from(count).ok().and_then(|count| start.checked_add(count));
                    let end = end.filter(|end| *end <= indices.len() / self.inputs.stride);
                    let end = end.ok_or_else(|| {
                        damaged(list, "the polygons have more corners than there are indices")
                    })?;
                    self.polygon(file, &indices, start..end)?;
                    start = end;
                }
            }
            "triangles" => {
                for list in all(list, "p") {
                    let indices = integers(list, file.budget)?;
                    for start in (0..indices.len() / self.inputs.stride / 3).map(|at| at * 3) {
                        self.polygon(file, &indices, start..start + 3)?;
                    }
                }
            }
            "polygons" => {
                let holed = all(list, "ph").flat_map(|holed| {
                    self.counts.holes += all(holed, "h").count();
                    all(holed, "p")
                });
                let lists: Vec<Element<'a>> = holed.chain(all(list, "p")).collect();
                for list in lists {
                    let indices = integers(list, file.budget)?;
                    self.polygon(file, &indices, 0..indices.len() / self.inputs.stride)?;
                }
            }
            kind => {
                for list in all(list, "p") {
                    let indices = integers(list, file.budget)?;
                    for at in 2..indices.len() / self.inputs.stride {
                        let corners = match kind {
                            "trifans" => [0, at - 1, at],
                            _ if at % 2 == 1 => [at - 1, at - 2, at],
                            _ => [at - 2, at - 1, at],
                        };
                        self.corners(file, &indices, corners.into_iter())?;
                    }
                }
            }
        }
        Ok(())
    }

    fn polygon(&mut self, file: &mut File<'a, '_>, indices: &[i64], corners: Range<usize>) -> Result<()> {
        match corners.len() {
            0..3 => self.counts.thin += 1,
            _ => self.corners(file, indices, corners)?,
        }
        Ok(())
    }

    /// Adds a polygon of corners, each the number of a group of indices.
    fn corners(
        &mut self,
        file: &mut File<'a, '_>,
        indices: &[i64],
        corners: impl ExactSizeIterator<Item = usize>,
    ) -> Result<()> {
        file.budget.take((250 + 16 * self.inputs.sets as u64) * corners.len() as u64, WHAT)?;
        let first = self.part.mesh.triangles.len();
        let (mut fan, stride) = ([0; 2], self.inputs.stride);
        for (place, corner) in corners.enumerate() {
            let columns = self.columns(&indices[corner * stride..(corner + 1) * stride])?;
            let vertex = self.part.vertex(columns);
            match place {
                0 | 1 => fan[place] = vertex,
                _ => {
                    self.part.mesh.triangles.push([fan[0], fan[1], vertex]);
                    fan[1] = vertex;
                }
            }
        }
        let fan = &mut self.part.mesh.triangles[first..];
        self.cutter.cut(fan, &self.part.mesh.positions, file.budget)?;
        if self.moved.is_mirrored {
            fan.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        Ok(())
    }

    fn columns(&mut self, indices: &[i64]) -> Result<Columns> {
        let mut columns = Columns {
            point: 0,
            position: geom::Vec3::default(),
            normal: None,
            tangent: None,
            color: None,
            uvs: vec![[0.0; 2]; self.inputs.sets],
        };
        for input in &self.inputs.all {
            let index = indices[input.offset];
            let row = usize::try_from(index).unwrap_or(usize::MAX);
            match input.kind {
                Kind::Position => {
                    let position = input.rows.row::<3>(row).ok_or_else(|| {
                        let count = input.rows.count;
                        let what =
                            format!("the index {index} refers to a vertex of which there are only {count}");
                        damaged(self.list, what)
                    })?;
                    columns.point = u32::try_from(row).unwrap_or(u32::MAX);
                    columns.position = self.moved.point(DVec3::from(position));
                }
                Kind::Normal => {
                    let normal = input.rows.row::<3>(row);
                    self.counts.absent += usize::from(normal.is_none());
                    columns.normal = Some(self.moved.normal(normal.unwrap_or_default().into()));
                }
                Kind::Color => {
                    let color = match input.rows.width() {
                        4.. => input.rows.row::<4>(row),
                        _ => input.rows.row::<3>(row).map(|[r, g, b]| [r, g, b, 1.0]),
                    };
                    self.counts.absent += usize::from(color.is_none());
                    columns.color = Some(linear(color.unwrap_or([1.0; 4]).map(|part| part as f32)));
                }
                Kind::Uv(set) => {
                    let uv = input.rows.row::<2>(row);
                    self.counts.absent += usize::from(uv.is_none());
                    let [u, v] = uv.unwrap_or_default();
                    // v grows upwards.
                    columns.uvs[set] = [u as f32, (1.0 - v) as f32];
                }
            }
        }
        Ok(columns)
    }
}
