//! Turns quads into triangles. A flat rectangle of quads uses only the vertices around it and one in the middle.

use geom::Vec3;

/// A quad around a crossed edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quad {
    /// The four vertices, in order around the quad.
    pub(super) corners: [u32; 4],
    /// The axis of the edge.
    pub(super) axis: u8,
    /// The sample at which the edge begins.
    pub(super) at: [u8; 3],
    /// Whether its front faces smaller coordinates along the axis.
    pub(super) is_turned: bool,
    pub(super) material: u8,
}

const NONE: u32 = u32::MAX;

/// Makes the triangles of quads, each with its material. `slots` has an entry for each sample of a chunk of `width`
/// samples along each axis; all are [`NONE`].
pub(super) fn triangles(
    quads: &[Quad],
    vertices: &[[Vec3; 2]],
    width: usize,
    slots: &mut Vec<u32>,
    out: &mut Vec<([u32; 3], u8)>,
) {
    out.clear();
    slots.resize(width * width * width, NONE);
    for axis in 0..3 {
        let of_axis = || (0_u32..).zip(quads).filter(move |(_, quad)| usize::from(quad.axis) == axis);
        let place = |at: [usize; 3]| at[0] + width * (at[2] + width * at[1]);
        let own = |quad: &Quad| quad.at.map(usize::from);
        for (index, quad) in of_axis() {
            if is_flat(quad, vertices) {
                slots[place(own(quad))] = index;
            }
        }
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for (index, quad) in of_axis() {
            let start = own(quad);
            let at = |i: usize, j: usize| {
                let mut at = start;
                at[u] += i;
                at[v] += j;
                at
            };
            if slots[place(start)] != index {
                if !is_flat(quad, vertices) {
                    single(quad, vertices, out);
                }
                continue;
            }
            let fits = |i: usize, j: usize| {
                let at = at(i, j);
                let other = slots.get(place(at)).filter(|_| at[u] < width && at[v] < width);
                other
                    .and_then(|&other| quads.get(other as usize))
                    .is_some_and(|other| same(quad, other, vertices))
            };
            let columns = (1..).find(|&i| !fits(i, 0)).unwrap_or(1);
            let rows = (1..).find(|&j| !(0..columns).all(|i| fits(i, j))).unwrap_or(1);
            let all = (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j)));
            let quad_at = |i: usize, j: usize| &quads[slots[place(at(i, j))] as usize];
            if columns + rows < columns * rows {
                fan(columns, rows, &|i, j| corner(&quad_at, columns, rows, i, j), quad, out);
            } else {
                all.clone().for_each(|(i, j)| single(quad_at(i, j), vertices, out));
            }
            all.for_each(|(i, j)| slots[place(at(i, j))] = NONE);
        }
    }
}

/// Whether the quad is perpendicular to its axis, and so are the normals at its corners.
fn is_flat(quad: &Quad, vertices: &[[Vec3; 2]]) -> bool {
    let axis = usize::from(quad.axis);
    let height = |corner: u32| vertices[corner as usize][0].to_array()[axis].to_bits();
    let is_level = |corner: u32| {
        let normal = vertices[corner as usize][1].to_array();
        normal[(axis + 1) % 3] == 0.0 && normal[(axis + 2) % 3] == 0.0
    };
    quad.corners.iter().all(|&corner| is_level(corner) && height(corner) == height(quad.corners[0]))
}

/// Whether two flat quads can be merged: they are in the same plane, and have the same material and front.
fn same(a: &Quad, b: &Quad, vertices: &[[Vec3; 2]]) -> bool {
    let height =
        |quad: &Quad| vertices[quad.corners[0] as usize][0].to_array()[usize::from(a.axis)].to_bits();
    a.material == b.material && a.is_turned == b.is_turned && height(a) == height(b)
}

/// The vertex of a rectangle of quads in a column and a row.
fn corner<'a>(
    quad: &impl Fn(usize, usize) -> &'a Quad,
    columns: usize,
    rows: usize,
    i: usize,
    j: usize,
) -> u32 {
    let (last_i, last_j) = (i == columns, j == rows);
    let corners = quad(i - usize::from(last_i), j - usize::from(last_j)).corners;
    corners[match (last_i, last_j) {
        (false, false) => 0,
        (true, false) => 1,
        (true, true) => 2,
        (false, true) => 3,
    }]
}

/// Makes the triangles of a rectangle: one from its middle to each edge around it.
fn fan(
    columns: usize,
    rows: usize,
    vertex: &dyn Fn(usize, usize) -> u32,
    of: &Quad,
    out: &mut Vec<([u32; 3], u8)>,
) {
    let middle = vertex(columns / 2, rows / 2);
    let around = (0..columns)
        .map(|i| (i, 0))
        .chain((0..rows).map(|j| (columns, j)))
        .chain((0..columns).map(|i| (columns - i, rows)))
        .chain((0..rows).map(|j| (0, rows - j)));
    let around: Vec<u32> = around.map(|(i, j)| vertex(i, j)).collect();
    for (index, &from) in around.iter().enumerate() {
        let to = around[(index + 1) % around.len()];
        out.push((turned([middle, from, to], of), of.material));
    }
}

fn turned([a, b, c]: [u32; 3], quad: &Quad) -> [u32; 3] {
    if quad.is_turned { [a, c, b] } else { [a, b, c] }
}

/// Makes the triangles of a single quad, which is cut along its shorter diagonal.
fn single(quad: &Quad, vertices: &[[Vec3; 2]], out: &mut Vec<([u32; 3], u8)>) {
    let [a, b, c, d] = quad.corners;
    let square = |from: u32, to: u32| {
        let between = vertices[from as usize][0] - vertices[to as usize][0];
        between.dot(between)
    };
    let two = match square(a, c) <= square(b, d) {
        true => [[a, b, c], [a, c, d]],
        false => [[b, c, d], [b, d, a]],
    };
    out.extend(two.map(|triangle| (turned(triangle, quad), quad.material)));
}
